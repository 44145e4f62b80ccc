/*
 * The clock.
 *
 * Core time is QEMU_CLOCK_VIRTUAL divided by time-dilation, rounded down, behind
 * the time that a state has had; a completion that the core of a new drive gives
 * the time t is due at t * dilation. The clock
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
    n->now_ns = n->base_ns + n->clock_ns / n->dilation;
    /* While the power comes back it is the instant at which the core begins. */
    if (n->ssd && n->now_ns < ssd_now_ns(n->ssd)) {
        n->now_ns = ssd_now_ns(n->ssd);
    }
}

/* It is `now_ns` in the core, whatever the clock says. */
void femu_time_set(FemuZns *n, uint64_t now_ns)
{
    n->base_ns = now_ns - n->clock_ns / n->dilation;
    n->now_ns = now_ns;
}

/* When an instant of the core is; INT64_MAX if that is beyond the clock. */
int64_t femu_time_of(const FemuZns *n, uint64_t core_ns)
{
    uint64_t since_ns = core_ns - n->base_ns;

    return since_ns <= INT64_MAX / n->dilation ? since_ns * n->dilation
                                               : INT64_MAX;
}

/* Is QEMU_CLOCK_VIRTUAL counted, or does it follow the host's clock? */
const char *femu_time_clock_name(void)
{
    return icount_enabled() || qtest_enabled() ? "virtual" : "host";
}
