/*
 * The clock: QEMU_CLOCK_VIRTUAL and core time.
 *
 * Core time is QEMU_CLOCK_VIRTUAL divided by time-dilation, rounded down, plus
 * base_ns: the core time at which QEMU_CLOCK_VIRTUAL is 0, which is 0 too
 * unless the drive has been restored from a state. So what the core of a new
 * drive does at t happens when QEMU_CLOCK_VIRTUAL is t * dilation. The clock is
 * read once per entry (see femu_entry.c), so everything that one entry does
 * happens at one instant.
 *
 * Knows nothing of what happens at which time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "system/qtest.h"
#include "request_internal.h"
#include "../qemu/versions.h"

void femu_time_enter(FemuZns *n)
{
    n->clock_ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    n->now_ns = n->base_ns + n->clock_ns / n->dilation;
    /* Up to the end of power-up-ns after a power cut, core time is that end. */
    if (n->ssd) {
        n->now_ns = MAX(n->now_ns, ssd_now_ns(n->ssd));
    }
}

/* Set core time to `now_ns`: from the present instant on it goes on from it. */
void femu_time_set(FemuZns *n, uint64_t now_ns)
{
    n->base_ns = now_ns - n->clock_ns / n->dilation;
    n->now_ns = now_ns;
}

/* QEMU_CLOCK_VIRTUAL at an instant of core time, INT64_MAX if it is above. */
int64_t femu_time_of(const FemuZns *n, uint64_t core_ns)
{
    uint64_t since_ns = core_ns - n->base_ns;

    return since_ns <= INT64_MAX / n->dilation ? since_ns * n->dilation
                                               : INT64_MAX;
}

/*
 * Does QEMU_CLOCK_VIRTUAL count instructions or steps of a test ("virtual"), or
 * does it follow the clock of the machine that runs QEMU ("host")?
 */
const char *femu_time_clock_name(void)
{
    return icount_enabled() || qtest_enabled() ? "virtual" : "host";
}
