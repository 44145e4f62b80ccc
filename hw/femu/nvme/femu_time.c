/*
 * Time of the device: when it is, and when to look again.
 *
 * Core time is QEMU_CLOCK_VIRTUAL divided by time-dilation, rounded down; a
 * completion that the core gives the time t is due at t * dilation. The clock
 * is read once per entry from outside (see femu_entry.c), so everything that
 * one entry does happens at one instant.
 *
 * Knows nothing of what the commands do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/core/cpu.h"
#include "system/accel-ops.h"
#include "system/cpu-timers.h"
#include "system/qtest.h"
#include "femu.h"
#include "../trace.h"

void femu_time_enter(FemuZns *n)
{
    n->clock_ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    n->now_ns = n->clock_ns / n->dilation;
}

/*
 * Arm the timer for the next instant of the core or of a held interrupt, or
 * stop it: an idle core says UINT64_MAX, which as a signed deadline would lie in
 * the past for ever.
 */
static void time_arm(FemuZns *n)
{
    uint64_t next_at_ns = ssd_next_at_ns(n->ssd);
    int64_t deadline_ns = n->fetch_unfinished ? n->clock_ns + 1
                                              : femu_irq_next_at_ns(n);

    if (next_at_ns == UINT64_MAX && deadline_ns == INT64_MAX) {
        timer_del(n->timer);
        return;
    }
    if (next_at_ns <= INT64_MAX / n->dilation) {
        deadline_ns = MIN(deadline_ns, (int64_t)next_at_ns * n->dilation);
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
    femu_queues_unpark(n);
    do {
        femu_req_deliver_due(n);
        femu_zone_change_poll(n);
        femu_format_run(n);
        femu_queues_fetch(n);
    } while (ssd_next_at_ns(n->ssd) <= n->now_ns);
    femu_irq_run(n, false);
    if (n->plugged) {
        time_arm(n);
    }
}

static void time_expired(void *opaque)
{
    FemuZns *n = opaque;

    femu_entry_begin(n);
    femu_entry_end(n);
}

/* Are all instructions of the processor's last slice on the clock? */
static bool vcpu_slice_is_counted(CPUState *cpu)
{
    return qatomic_read(&cpu->icount_budget) == 0;
}

/*
 * Close a race of QEMU's icount mode, in which virtual time is not exact. A
 * HLT marks the processor as halted while the instructions before it are not
 * yet on the clock. If the main loop asks just then whether all processors are
 * idle, it warps from a stale clock, and too far: on a loaded host, one run in
 * a few had one I/O that ended microseconds late. QEMU asks the accelerator,
 * too, before it calls a processor idle; TCG has no answer of its own, so we
 * give one. The processor's thread asks again after its slice, so no wake-up
 * is lost. QEMU has one class of TCG operations: a second drive finds it done.
 */
static void time_wait_for_slices(void)
{
    AccelOpsClass *ops;

    if (!icount_enabled()) {
        return;
    }
    ops = ACCEL_OPS_CLASS(object_class_by_name(ACCEL_OPS_NAME("tcg")));
    if (!ops->cpu_thread_is_idle) {
        ops->cpu_thread_is_idle = vcpu_slice_is_counted;
    }
}

void femu_time_init(FemuZns *n)
{
    time_wait_for_slices();
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
