/*
 * Emulated processors in real time that wait awake: to be woken costs the host
 * more than a drive's command.
 *
 * Knows nothing of the drive.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "hw/core/cpu.h"
#include "accel/tcg/tcg-accel-ops-mttcg.h"
#include "../qemu/versions.h"
#include "processors.h"

/*
 * A thread that sleeps is woken by an interrupt to the host's other core, which
 * on a host that is a virtual machine itself takes tens of microseconds, half
 * of them of the one who wakes. So while a drive's thread spins, and the host
 * has a core for it and for each of the guest's processors:
 *  - a processor that halts looks for what would wake it;
 *  - who wants QEMU's big lock (BQL) tries for a while before he sleeps. All
 *    but the main loop, which has no core of its own, and may have the core of
 *    who holds the lock.
 * Nothing is done otherwise than by QEMU: a processor that has seen something
 * goes through QEMU's loop, which finds out what it was, and whoever sleeps
 * after all is woken as ever.
 */

/* Longer than the drive holds the lock for a few commands. */
#define LOCK_SPIN_NS 20000
/* Between two looks: the holder's core shall keep the line. */
#define RELAXES 8

/* Drives' threads that spin; written with the BQL. */
static unsigned threads;
/* Atomic: all of the above are so many that the host has a core for each. */
static bool awake;
static QemuThread main_loop;

/* In the place of the BQL's own way to be locked. */
static void lock_awake(QemuMutex *bql, const char *file, int line)
{
    int64_t until_ns;

    if (qatomic_read(&awake) && !qemu_thread_is_self(&main_loop)) {
        until_ns = get_clock() + LOCK_SPIN_NS;
        do {
            if (qemu_mutex_trylock_impl(bql, file, line) == 0) {
                return;
            }
            for (unsigned i = 0; i < RELAXES; i++) {
                cpu_relax();
            }
        } while (get_clock() < until_ns);
    }
    qemu_mutex_lock_impl(bql, file, line);
}

/*
 * QEMU's last question before the processor of this thread, which has halted,
 * sleeps; till then there was nothing for it. The lock is free meanwhile, so
 * what QEMU knows is old in the end: "does not sleep" has it look at everything
 * again, and ask again.
 */
static bool sleeps(CPUState *cpu)
{
    uint32_t interrupts = qatomic_read(&cpu->interrupt_request);

    if (cpu != current_cpu || !qatomic_read(&awake)) {
        return true;
    }
    bql_unlock();
    while (qatomic_read(&awake) && !qatomic_read(&cpu->exit_request) &&
           qatomic_read(&cpu->interrupt_request) == interrupts &&
           !qatomic_read(&cpu->stop) && cpu_work_list_empty(cpu)) {
        cpu_relax();
    }
    bql_lock();
    return false;
}

/*
 * Of processors that have a thread each; others take turns in one, and only
 * look together.
 */
void femu_spin_init(void)
{
    AccelOpsClass *ops = ACCEL_OPS_CLASS(
        object_class_by_name(ACCEL_OPS_NAME("tcg")));

    if (ops->create_vcpu_thread == mttcg_start_vcpu_thread) {
        qemu_thread_get_self(&main_loop);
        qatomic_set(&bql_mutex_lock_func, lock_awake);
        ops->cpu_thread_is_idle = sleeps;
    }
}

/* Processors that have been plugged since are counted, too. */
void femu_spin_change(int change)
{
    unsigned wanted;
    CPUState *cpu;

    threads += change;
    wanted = threads;
    CPU_FOREACH(cpu) {
        wanted++;
    }
    qatomic_set(&awake, threads > 0 && wanted <= g_get_num_processors());
}
