/*
 * What can be asked of the flash: the one type that the zone mapping and the
 * timing engine share.
 *
 * Knows nothing of zones, commands or NVMe; `owner`, `place_idx` and `epoch`
 * are the caller's and come back unread. `cells_idx`, `row` and `life` say
 * where and which data are, for draws that depend on it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_FLASH_OP_H
#define FEMU_FLASH_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/owner.h"

typedef enum FlashKind {
    FLASH_READ,    /* a command, a sense on the unit, then the transfer */
    FLASH_LOAD,    /* transfer into the unit's page register, nothing more */
    FLASH_PROGRAM, /* transfer, then program on the unit */
    FLASH_PAD,     /* a program that holds no data of the host */
    FLASH_ERASE,   /* erase `block_count` blocks on the unit, back to back */
    FLASH_STEP,    /* a short operation of the management: flash_step() */
} FlashKind;

static inline bool flash_programs(FlashKind kind)
{
    return kind == FLASH_PROGRAM || kind == FLASH_PAD;
}

typedef struct FlashOp {
    FlashKind kind;
    uint32_t unit_idx;    /* which array clock; its channel follows from it */
    uint32_t begin_bytes; /* transferred part of a program: [begin, end); */
    uint32_t end_bytes;   /* a READ stays within one sensed page of it */
    uint32_t block_count; /* FLASH_ERASE only */
    uint32_t host_bytes;  /* FLASH_READ: what the host gets of it; unread */
    Owner owner;
    uint32_t place_idx;   /* which data: the caller's number */
    uint32_t cells_idx;   /* which blocks of the unit hold them */
    uint32_t row;         /* which program of these */
    uint32_t life;        /* which data of these, one after another */
    uint32_t epoch;
} FlashOp;

#endif
