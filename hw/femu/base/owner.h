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
    OWNER_BUFFER,      /* which drains a page; [zone] */
    OWNER_FIRST_WRITE, /* that of a zone, which has it erased; [zone] */
    OWNER_AHEAD,       /* [fetch] a line that is read ahead */
    OWNER_CLEANING,    /* of the conventional namespace */
} OwnerKind;

/* Slots, jobs and zones are all fewer than 2^28. */
typedef struct Owner {
    uint32_t kind : 4; /* OwnerKind */
    uint32_t idx : 28;
} Owner;

static inline Owner owner_of(OwnerKind kind, uint32_t idx)
{
    return (Owner) { .kind = kind, .idx = idx };
}

#endif
