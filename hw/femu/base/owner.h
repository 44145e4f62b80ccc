/*
 * Who waits for an operation of the flash: a kind, and which one of that kind.
 *
 * Knows nothing of what owners do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_OWNER_H
#define FEMU_OWNER_H

#include <stdint.h>

typedef enum OwnerKind {
    OWNER_NONE,        /* nobody waits */
    OWNER_COMMAND,     /* [slot] */
    OWNER_JOB,         /* [job] of a finish, a reset or an erase */
    OWNER_BUFFER,      /* which drains a page; [zone], or behind all the log */
    OWNER_FIRST_WRITE, /* that of a zone, which has it erased; [zone] */
    OWNER_AHEAD,       /* [fetch] a line that is read ahead */
    OWNER_CLEANING,    /* of the conventional namespace */
} OwnerKind;

/* Slots, jobs and zones are all fewer than this many bits can count. */
enum { OWNER_IDX_BITS = 28 };

/*
 * Kind and index in one word, not in bit fields: the compiler writes these one
 * by one and reads the word between, for which the processor waits.
 */
typedef struct Owner {
    uint32_t word;
} Owner;

static inline Owner owner_of(OwnerKind kind, uint32_t idx)
{
    return (Owner) { (uint32_t)kind << OWNER_IDX_BITS | idx };
}

static inline OwnerKind owner_kind(Owner owner)
{
    return owner.word >> OWNER_IDX_BITS;
}

static inline uint32_t owner_idx(Owner owner)
{
    return owner.word & ((UINT32_C(1) << OWNER_IDX_BITS) - 1);
}

#endif
