/*
 * What can be asked of the flash: the one type that the zone mapping and the
 * timing engine share.
 *
 * Knows nothing of zones, commands or NVMe; `owner`, `place_idx`, `life` and
 * `epoch` are the caller's and come back unread.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_FLASH_OP_H
#define FEMU_FLASH_OP_H

#include <stdint.h>

typedef enum FlashKind {
    FLASH_READ,    /* sense on the unit, then transfer over the channel */
    FLASH_LOAD,    /* transfer into the unit's page register, nothing more */
    FLASH_PROGRAM, /* transfer, then program the page on the unit */
    FLASH_ERASE,   /* erase `block_count` blocks on the unit, back to back */
} FlashKind;

typedef struct FlashOp {
    FlashKind kind;
    uint32_t unit_idx;    /* which array clock; its channel follows from it */
    uint32_t begin_bytes; /* transferred part of the page: [begin, end) */
    uint32_t end_bytes;
    uint32_t block_count; /* FLASH_ERASE only */
    uint32_t owner;
    uint32_t place_idx;
    uint32_t life;
    uint32_t epoch;
} FlashOp;

#endif
