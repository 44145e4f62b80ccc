/*
 * The clock.
 *
 * Core time is QEMU_CLOCK_VIRTUAL divided by time-dilation, rounded down; a
 * completion that the core gives the time t is due at t * dilation. The clock
 * is read once per entry from outside (see femu_entry.c), so everything that
 * one entry does happens at one instant.
 *
 * Knows nothing of what happens at which time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "system/cpu-timers.h"
#include "system/qtest.h"
#include "request_internal.h"

void femu_time_enter(FemuZns *n)
{
    n->clock_ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    n->now_ns = n->clock_ns / n->dilation;
}

/* Is QEMU_CLOCK_VIRTUAL counted, or does it follow the host's clock? */
const char *femu_time_clock_name(void)
{
    return icount_enabled() || qtest_enabled() ? "virtual" : "host";
}
