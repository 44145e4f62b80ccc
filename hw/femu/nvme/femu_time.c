/*
 * Time of the device: when it is, when to look again, how late it was.
 *
 * Core time is QEMU_CLOCK_VIRTUAL divided by time-dilation, rounded down; a
 * completion that the core gives the time t is due at t * dilation. The clock
 * is read once per entry from outside (a register write, the timer, QOM), so
 * everything that one entry does happens at one instant.
 *
 * Knows nothing of what the commands do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "system/cpu-timers.h"
#include "system/qtest.h"
#include "femu.h"
#include "../trace.h"

/* Sub-buckets per octave: a power of two. Smaller values are exact. */
#define LATENESS_SUB_BITS 4
#define LATENESS_SUB (1u << LATENESS_SUB_BITS)

void femu_time_enter(FemuZns *n)
{
    n->clock_ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    n->now_ns = n->clock_ns / n->dilation;
}

/*
 * Arm the timer for the core's next instant, or stop it: an idle core says
 * UINT64_MAX, which as a signed deadline would lie in the past for ever.
 */
static void time_arm(FemuZns *n)
{
    uint64_t next_at_ns = ssd_next_at_ns(n->ssd);
    int64_t deadline_ns;

    if (next_at_ns == UINT64_MAX) {
        timer_del(n->timer);
        return;
    }
    if (next_at_ns > INT64_MAX / n->dilation) {
        deadline_ns = INT64_MAX;
    } else {
        deadline_ns = next_at_ns * n->dilation;
    }
    if (!timer_pending(n->timer) ||
        timer_expire_time_ns(n->timer) != deadline_ns) {
        trace_femu_timer_arm(n->clock_ns, deadline_ns);
        timer_mod_ns(n->timer, deadline_ns);
    }
}

/*
 * Do all that can be done now: deliver what is due, fetch what there is room
 * for, until neither leads to anything at this instant. Ends: every round
 * fetches at least one of finitely many queued commands, because after a
 * delivery the core's next instant is later than now.
 */
void femu_time_run(FemuZns *n)
{
    do {
        femu_req_deliver_due(n);
        femu_queues_fetch(n);
    } while (ssd_next_at_ns(n->ssd) <= n->now_ns);
    time_arm(n);
}

/*
 * The memory core guards a device against re-entry only while it serves a
 * register access. From the timer, a queue, a data buffer or an MSI-X message
 * that is aimed at our own BAR would re-enter: engage the guard ourselves.
 */
static void time_expired(void *opaque)
{
    FemuZns *n = opaque;
    MemReentrancyGuard *guard = &DEVICE(n)->mem_reentrancy_guard;
    bool engaged = guard->engaged_in_io;

    guard->engaged_in_io = true;
    femu_time_enter(n);
    femu_time_run(n);
    guard->engaged_in_io = engaged;
}

void femu_time_init(FemuZns *n)
{
    n->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, time_expired, n);
    femu_time_enter(n);
}

void femu_time_exit(FemuZns *n)
{
    timer_free(n->timer);
    n->timer = NULL;
}

/* Is QEMU_CLOCK_VIRTUAL counted, or does it follow the host's clock? */
const char *femu_time_clock_name(void)
{
    return icount_enabled() || qtest_enabled() ? "virtual" : "host";
}

static unsigned lateness_bucket(uint64_t late_ns)
{
    unsigned octave;

    if (late_ns < LATENESS_SUB) {
        return late_ns;
    }
    octave = 63 - clz64(late_ns) - LATENESS_SUB_BITS;
    return (octave + 1) * LATENESS_SUB +
           ((late_ns >> octave) & (LATENESS_SUB - 1));
}

static uint64_t lateness_bucket_low_ns(unsigned bucket)
{
    unsigned octave = bucket / LATENESS_SUB;

    if (octave == 0) {
        return bucket;
    }
    return (uint64_t)(LATENESS_SUB + bucket % LATENESS_SUB) << (octave - 1);
}

void femu_lateness_add(FemuLateness *lateness, uint64_t late_ns)
{
    QEMU_BUILD_BUG_ON((64 - LATENESS_SUB_BITS + 1) * LATENESS_SUB >
                      FEMU_LATENESS_BUCKETS);
    lateness->bucket[lateness_bucket(late_ns)]++;
    lateness->count++;
    lateness->max_ns = MAX(lateness->max_ns, late_ns);
}

/* The low end of the bucket that holds the percentile; 0 when empty. */
uint64_t femu_lateness_percentile_ns(const FemuLateness *lateness,
                                     unsigned percent)
{
    uint64_t rank = DIV_ROUND_UP(lateness->count * percent, 100);
    uint64_t seen = 0;

    if (lateness->count == 0) {
        return 0;
    }
    for (unsigned i = 0; i < FEMU_LATENESS_BUCKETS; i++) {
        seen += lateness->bucket[i];
        if (seen >= rank) {
            return MIN(lateness_bucket_low_ns(i), lateness->max_ns);
        }
    }
    g_assert_not_reached();
}
