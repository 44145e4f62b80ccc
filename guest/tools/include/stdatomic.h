// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * As much of C11's stdatomic.h as liburing's headers use, for tcc, which has
 * none. On x86 an aligned load acquires and an aligned store releases, and tcc
 * neither keeps memory in registers nor changes the order of accesses.
 *
 * Knows nothing of rings.
 */
#ifndef TOOLS_STDATOMIC_H
#define TOOLS_STDATOMIC_H

#define _Atomic volatile

enum {
    memory_order_relaxed,
    memory_order_acquire,
    memory_order_release,
    memory_order_seq_cst,
};

#define atomic_load_explicit(from, order) (*(from))
#define atomic_store_explicit(to, value, order) ((void)(*(to) = (value)))

static inline void atomic_thread_fence(int order)
{
    (void)order;
    __asm__ __volatile__("mfence" ::: "memory");
}

#endif
