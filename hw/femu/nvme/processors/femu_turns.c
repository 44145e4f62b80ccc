/*
 * Several processors under one exact clock: each does an instruction in
 * INSN_NS, whatever the others do, and none of what happens is up to the host.
 *
 * Knows nothing of the drive.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/seqlock.h"
#include "qemu/timer.h"
#include "exec/cpu-common.h"
#include "hw/core/cpu.h"
#include "system/cpu-timers-internal.h"
#include "system/cpus.h"
#include "system/runstate.h"
#include "accel/tcg/tcg-accel-ops-icount.h"
#include "../qemu/versions.h"
#include "processors.h"

/*
 * The guest's time goes by in rounds. A round is for those processors that have
 * something to do at its begin, say K of them, and lasts until a timer expires,
 * but at most ROUND_INSNS instructions' time. It has K windows of equal length,
 * one for each, in the order of their numbers. In its window a processor
 * executes as many instructions as fit into the whole round, so it runs K times
 * as fast there, and stands still in the others': over a round it does one
 * instruction in INSN_NS. If it halts before, the rest of its window passes as
 * idle time. Timers that are set within a round, for an instant within it,
 * expire at that instant; the window goes on. A processor that is woken within
 * a round is in the next one.
 *
 * The round of one processor alone ends whenever it likes: when it wakes
 * another, for one.
 *
 * So time never goes back, and no instruction is further than a round away from
 * where true parallelism has it. The host may interrupt QEMU's execution at any
 * instruction (and does: RCU, the monitor, a flush of translated code): the
 * processor goes on with its window before anything else happens.
 */

/* Of each processor. Shorter rounds are more like true parallelism, and slower
 * on the host. */
#define ROUND_INSNS 1000
/* One that is alone: what waits for its thread waits no longer. */
#define ALONE_INSNS (1 << 20)

/*
 * The round that runs. Only the processors' thread writes here, and what the
 * clock is made of under QEMU's lock of virtual time.
 */
static struct {
    bool runs;              /* from its begin to its end */
    bool executes;          /* a processor, now */
    unsigned count;         /* of processors in it */
    int64_t from_ns;
    int64_t place;          /* instructions' time that its windows have had, up
                             * to QEMU's counter `icount` if one executes */
    int64_t icount;
} round;

/* Whose round it is; what is not halted at its begin. */
static GPtrArray *ready;

static void clock_lock(void)
{
    seqlock_write_lock(&timers_state.vm_clock_seqlock,
                       &timers_state.vm_clock_lock);
}

static void clock_unlock(void)
{
    seqlock_write_unlock(&timers_state.vm_clock_seqlock,
                         &timers_state.vm_clock_lock);
}

/* Virtual time at a place of the round. */
static int64_t ns_at(int64_t place)
{
    return round.from_ns + icount_to_ns(place) / round.count;
}

/* The first place at which virtual time is AT_NS. */
static int64_t place_at(int64_t at_ns)
{
    return icount_round((at_ns - round.from_ns) * round.count);
}

/*
 * QEMU's own clock is right while nobody executes; then it counts K times too
 * fast.
 */
static int64_t clock_ns(void)
{
    int64_t ns;
    unsigned start;

    icount_get();       /* counts what a processor that asks has executed */
    do {
        int64_t icount;

        start = seqlock_read_begin(&timers_state.vm_clock_seqlock);
        icount = timers_state.qemu_icount;
        ns = round.executes
             ? ns_at(round.place + icount - round.icount)
             : timers_state.qemu_icount_bias + icount_to_ns(icount);
    } while (seqlock_read_retry(&timers_state.vm_clock_seqlock, start));
    return ns;
}

/* Nobody executes: the round is at PLACE, and QEMU's clock says so. */
static void round_is_at(int64_t place)
{
    clock_lock();
    round.executes = false;
    round.place = place;
    qatomic_set_i64(&timers_state.qemu_icount_bias,
                    ns_at(place) - icount_to_ns(timers_state.qemu_icount));
    clock_unlock();
}

/* Nanoseconds until a timer expires, at most MOST_NS. */
static int64_t timer_in_ns(int64_t most_ns)
{
    int64_t in_ns = qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL,
                                               QEMU_TIMER_ATTR_ALL);

    return in_ns < 0 ? most_ns : MIN(in_ns, most_ns);
}

static bool is_idle(CPUState *cpu)
{
    return cpu->halted && !cpu_has_work(cpu);
}

/*
 * Have a processor execute, up to place END at most. It may end earlier at any
 * instruction. Return: whether it can go on.
 */
static bool execute(CPUState *cpu, int64_t end)
{
    int64_t budget = end - round.place;
    int why;

    clock_lock();
    round.icount = timers_state.qemu_icount;
    round.executes = true;
    clock_unlock();
    cpu->icount_budget = budget;
    cpu->neg.icount_decr.u16.low = MIN(0xffff, budget);
    cpu->icount_extra = budget - cpu->neg.icount_decr.u16.low;
    bql_unlock();
    why = tcg_cpu_exec(cpu);
    bql_lock();
    icount_update(cpu);
    cpu->neg.icount_decr.u16.low = 0;
    cpu->icount_extra = 0;
    cpu->icount_budget = 0;
    round_is_at(round.place + timers_state.qemu_icount - round.icount);
    if (why == EXCP_DEBUG) {
        cpu_handle_guest_debug(cpu);
    } else if (why == EXCP_ATOMIC) {
        bql_unlock();
        cpu_exec_step_atomic(cpu);
        bql_lock();
    }
    return why != EXCP_DEBUG;
}

/* What other threads, or an instruction, want to have done between two. */
static void do_queued_work(void)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        if (!cpu_work_list_empty(cpu)) {
            process_queued_cpu_work(cpu);
        }
    }
}

/*
 * A processor's window, up to place END. QEMU stops virtual timers as soon as
 * the machine is to be stopped; that is done at the round's end, and until then
 * they expire. Return: whether the round goes on.
 */
static bool run_window(CPUState *cpu, int64_t end)
{
    do {
        int64_t to;

        femu_enter_execution(cpu);
        do_queued_work();
        current_cpu = cpu;
        qemu_clock_enable(QEMU_CLOCK_VIRTUAL, true);
        icount_handle_deadline();
        to = place_at(ns_at(round.place) +
                      timer_in_ns(icount_to_ns(ALONE_INSNS)));
        to = MIN(to, end);
        if (!is_idle(cpu)) {
            if (!execute(cpu, to)) {
                return false;
            }
        } else {
            round_is_at(to);
        }
    } while (round.place < end && round.count > 1);
    return true;
}

static void find_ready(void)
{
    CPUState *cpu;

    g_ptr_array_set_size(ready, 0);
    CPU_FOREACH(cpu) {
        if (cpu_can_run(cpu) && !is_idle(cpu)) {
            g_ptr_array_add(ready, cpu);
        }
    }
}

static void run_round(void)
{
    int64_t length, most;

    find_ready();
    if (ready->len == 0) {
        return;
    }
    most = ready->len > 1 ? ROUND_INSNS : ALONE_INSNS;
    length = MAX(icount_round(timer_in_ns(icount_to_ns(most))), 1);
    round.from_ns = clock_ns();
    round.count = ready->len;
    round.place = 0;
    qatomic_set(&round.runs, true);
    for (guint i = 0; i < ready->len; i++) {
        if (!run_window(ready->pdata[i], (i + 1) * length)) {
            break;
        }
    }
    qatomic_set(&round.runs, false);
}

/*
 * All are idle. What the main loop would do, is done here and now: virtual time
 * goes on to the next timer, or with sleep=on it does so by and by.
 */
static void wait_while_idle(void)
{
    while (all_cpu_threads_idle()) {
        icount_start_warp_timer();
        if (runstate_is_running() && timer_in_ns(1) == 0) {
            return;
        }
        qemu_cond_wait_bql(first_cpu->halt_cond);
    }
}

/* Between two rounds: here the machine can be stopped. */
static void between_rounds(void)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        if (cpu->stop) {
            qemu_clock_enable(QEMU_CLOCK_VIRTUAL, false);
        }
        femu_process_events(cpu);
    }
    icount_account_warp_timer();
    icount_handle_deadline();
}

/* The thread of all processors. Queued as work for the first of them, it is
 * called by that thread, and never returns. */
static void take_turns(CPUState *cpu, run_on_cpu_data unused)
{
    current_cpu = cpu;
    for (;;) {
        wait_while_idle();
        between_rounds();
        run_round();
        bql_unlock();
        bql_lock();
    }
}

/*
 * Somebody wants the processors' thread to look up. Other threads need not: it
 * does so soon enough. One that executes has set a timer, say, which changes
 * how far it may go.
 */
static void kick(CPUState *unused)
{
    if (qemu_in_vcpu_thread()) {
        femu_leave_execution(current_cpu);
    }
}

/* One that was alone is no longer when it wakes another. */
static void interrupt(CPUState *cpu, int mask)
{
    icount_handle_interrupt(cpu, mask);
    if (qemu_in_vcpu_thread() && cpu != current_cpu && round.count == 1) {
        femu_leave_execution(current_cpu);
    }
}

/* The main loop may let virtual time leap if all are idle, not in a round. */
static bool no_round_runs(CPUState *unused)
{
    return !qatomic_read(&round.runs);
}

void femu_turns_init(void)
{
    AccelOpsClass *ops =
        ACCEL_OPS_CLASS(object_class_by_name(ACCEL_OPS_NAME("tcg")));

    ready = g_ptr_array_new();
    ops->get_virtual_clock = clock_ns;
    ops->get_elapsed_ticks = clock_ns;
    ops->kick_vcpu_thread = kick;
    ops->handle_interrupt = interrupt;
    ops->cpu_thread_is_idle = no_round_runs;
    async_run_on_cpu(first_cpu, take_turns, RUN_ON_CPU_NULL);
}
