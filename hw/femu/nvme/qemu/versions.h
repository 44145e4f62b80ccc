/*
 * What is not the same in all of QEMU's versions that we are built with: where
 * some headers are, what some functions are called. A file that needs one of
 * these includes this in its place.
 *
 * Knows nothing of what is done with them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_FEMU_NVME_QEMU_VERSIONS_H
#define HW_FEMU_NVME_QEMU_VERSIONS_H

/* 10.0's place, then 10.2's. */
#if __has_include("exec/memory.h")
#include "exec/memory.h"
#include "exec/ramblock.h"
#else
#include "system/memory.h"
#include "system/ramblock.h"
#endif

#if __has_include("system/accel-ops.h")
#include "system/accel-ops.h"
#else
#include "accel/accel-cpu-ops.h"
#endif

#include "system/cpu-timers.h"
#if __has_include("exec/icount.h")
#include "exec/icount.h"
#endif

#include "exec/tb-flush.h"
#include "system/cpus.h"

#define FEMU_QEMU_IS_NEWER (QEMU_VERSION_MAJOR > 10 || QEMU_VERSION_MINOR >= 2)

/* What a class is initialised with, of which we have none. */
#if FEMU_QEMU_IS_NEWER
typedef const void FemuClassData;
#else
typedef void FemuClassData;
#endif

#ifdef CONFIG_TCG
#include "accel/tcg/tcg-accel-ops.h"

/* Forget all translated code. No processor may be in it. */
static inline void femu_forget_code(CPUState *cpu)
{
#if FEMU_QEMU_IS_NEWER
    tb_flush__exclusive_or_serial();
#else
    tb_flush(cpu);
#endif
}

/* Have a processor leave cpu_exec() before its next block of instructions.
 * (10.2's cpu_exit() asks the accelerator to do this: us.) */
static inline void femu_leave_execution(CPUState *cpu)
{
#if FEMU_QEMU_IS_NEWER
    tcg_kick_vcpu_thread(cpu);
#else
    cpu_exit(cpu);
#endif
}

/* It is about to enter: who has asked it to leave has been heard. (10.0's
 * cpu_exec() forgets the question by itself.) */
static inline void femu_enter_execution(CPUState *cpu)
{
#if FEMU_QEMU_IS_NEWER
    qatomic_set(&cpu->exit_request, false);
#endif
}

/* Stop the processor if that is asked for, and do what is queued for it. */
static inline void femu_process_events(CPUState *cpu)
{
#if FEMU_QEMU_IS_NEWER
    qemu_process_cpu_events_common(cpu);
#else
    qemu_wait_io_event_common(cpu);
#endif
}
#endif

#endif
