/*
 * The device's only timer. When it expires, that is an entry (femu_entry.c).
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

/* Has virtual time been advanced by all instructions of the last slice? */
static bool vcpu_slice_is_counted(CPUState *cpu)
{
    return qatomic_read(&cpu->icount_budget) == 0;
}

/*
 * Work around a race in QEMU's icount mode, by which virtual time is not exact.
 * HLT marks a vCPU as halted while virtual time has not yet been advanced by
 * the instructions before it. If the main loop finds all vCPUs idle just then,
 * it warps virtual time from a stale value, and so too far: on a loaded
 * machine, one run in a few had one I/O that ended microseconds late. Before
 * QEMU takes a vCPU for idle, it also asks the accelerator's
 * cpu_thread_is_idle(). TCG has none, so this one is installed: a vCPU is not
 * idle before its slice has been counted. The vCPU's thread asks again after
 * its slice, so no wake-up is lost. There is one AccelOpsClass for TCG: a
 * second drive finds it changed already.
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
