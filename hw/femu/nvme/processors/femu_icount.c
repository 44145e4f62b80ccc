/*
 * What QEMU's icount mode lacks to be exact, done from outside, once for all
 * drives of a machine.
 *
 * Knows nothing of drives.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "exec/cputlb.h"
#include "hw/core/cpu.h"
#include "system/replay.h"
#include "system/runstate.h"
#include "system/tcg.h"
#include "../qemu/versions.h"
#include "processors.h"

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
 * its slice, so no wake-up is lost.
 */
static void time_wait_for_slices(void)
{
    ACCEL_OPS_CLASS(object_class_by_name(ACCEL_OPS_NAME("tcg")))
        ->cpu_thread_is_idle = vcpu_slice_is_counted;
}

/*
 * The machine has been stopped, so that it can be saved. Timers whose instant
 * has come, but which no vCPU has got round to, expire now: as they would
 * without the stop, before the next instruction. Saved as they are, some would
 * not be what they were: QEMU's HPET takes a comparator that lies behind its
 * counter for one that is 2^32 ticks ahead, and the guest loses its tick for
 * 43 s. At QEMU's end it does not matter, and is left alone.
 */
static void machine_stopped(void *opaque, bool running, RunState state)
{
    if (!running && state != RUN_STATE_SHUTDOWN) {
        qemu_clock_enable(QEMU_CLOCK_VIRTUAL, true);
        qemu_clock_run_timers(QEMU_CLOCK_VIRTUAL);
        qemu_clock_enable(QEMU_CLOCK_VIRTUAL, false);
    }
}

/* The next flush makes this the smallest TLB that QEMU has. */
static void shrink_tlb(CPUTLBDesc *tlb)
{
    tlb->window_begin_ns = 0;
    tlb->window_max_entries = 1;
    tlb->n_used_entries = 0;
}

/*
 * In the vCPU's thread, between two instructions: it forgets its translations,
 * of addresses and of code, as one does that has just been loaded.
 */
static void forget_translations(CPUState *cpu, run_on_cpu_data unused)
{
    qemu_spin_lock(&cpu->neg.tlb.c.lock);
    for (int i = 0; i < NB_MMU_MODES; i++) {
        shrink_tlb(&cpu->neg.tlb.d[i]);
    }
    cpu->neg.tlb.c.dirty = (1 << NB_MMU_MODES) - 1;
    qemu_spin_unlock(&cpu->neg.tlb.c.lock);
    tlb_flush(cpu);
    femu_forget_code(cpu);
}

/*
 * A guest can see what is in the TLB. Linux' fork() takes pages from being
 * written, one after another, and flushes the TLB in the end; a thread of the
 * same process that runs in between, after the tick, has a page fault where the
 * TLB has forgotten the page, and else none. Neither the TLB nor what it looks
 * up next to translate code is saved with a machine, and its size depends on
 * what has been before. So each start begins with the same, nothing: a machine
 * that has been stopped goes on as the one that has been loaded does.
 */
static void machine_starts(void *opaque, bool running, RunState state)
{
    CPUState *cpu;

    if (running) {
        CPU_FOREACH(cpu) {
            async_run_on_cpu(cpu, forget_translations, RUN_ON_CPU_NULL);
        }
    }
}

/*
 * Once for all drives of a machine.
 * Several processors take turns that we choose, as QEMU's end at instants of
 * the host's. One processor, a clock that follows the host's, and recorded
 * turns are left to QEMU.
 */
void femu_icount_init(void)
{
    static bool done;

    if (done) {
        return;
    }
    done = true;
    time_wait_for_slices();
    qemu_add_vm_change_state_handler(machine_stopped, NULL);
    qemu_add_vm_change_state_handler(machine_starts, NULL);
    if (icount_enabled() == ICOUNT_PRECISE && tcg_enabled() &&
        replay_mode == REPLAY_MODE_NONE && CPU_NEXT(first_cpu)) {
        femu_turns_init();
    }
}
