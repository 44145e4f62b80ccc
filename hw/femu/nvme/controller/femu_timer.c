/*
 * The one timer, which is an entry like any other.
 *
 * Knows nothing of what is due.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/core/cpu.h"
#include "system/accel-ops.h"
#include "system/cpu-timers.h"
#include "controller.h"
#include "../request/request.h"

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
