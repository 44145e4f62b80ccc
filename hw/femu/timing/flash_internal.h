/*
 * Inside the flash: what flash.c takes of the schedulers of its units
 * (flash_unit.c), and both of transfers (flash_channel.c). Nobody else includes
 * this.
 *
 * Knows nothing of zones, commands or NVMe.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_FLASH_INTERNAL_H
#define FEMU_FLASH_INTERNAL_H

#include "flash.h"

static inline void queue_init(FlashQueue *queue)
{
    queue->head_idx = FLASH_NONE;
    queue->tail_idx = FLASH_NONE;
}

static inline bool queue_is_empty(const FlashQueue *queue)
{
    return queue->head_idx == FLASH_NONE;
}

static inline void queue_push(Flash *flash, FlashQueue *queue,
                              uint32_t token_idx)
{
    flash->tokens[token_idx].next_idx = FLASH_NONE;
    if (queue->head_idx == FLASH_NONE) {
        queue->head_idx = token_idx;
    } else {
        flash->tokens[queue->tail_idx].next_idx = token_idx;
    }
    queue->tail_idx = token_idx;
}

/* Needs a queue that is not empty. */
static inline uint32_t queue_pop(Flash *flash, FlashQueue *queue)
{
    uint32_t token_idx = queue->head_idx;

    queue->head_idx = flash->tokens[token_idx].next_idx;
    return token_idx;
}

/* flash_channel.c: a token of the pool, which must not be empty; not cleared. */
uint32_t flash_token_take(Flash *flash);
/* The one that will be taken next. */
uint32_t flash_token_next(const Flash *flash);
void flash_token_give(Flash *flash, uint32_t token_idx);
/* Ask for the channel now; the event is the end of the transfer. */
void flash_channel_ask(Flash *flash, uint64_t now_ns, uint32_t token_idx);

/* flash_unit.c */
void flash_unit_init(FlashUnit *unit, uint32_t channel_idx);
/* The operation asks for array time. */
void flash_unit_join(Flash *flash, uint64_t now_ns, uint32_t token_idx);
/* Choose what runs next on a unit on which nothing runs any more. */
void flash_unit_next(Flash *flash, uint64_t now_ns, FlashUnit *unit);
/* A suspension has taken effect: reads go now. */
void flash_unit_suspended(Flash *flash, uint64_t now_ns, FlashUnit *unit);
/*
 * The event of array work. Return: true if it has ended, false if the event is
 * one that a suspension has left behind.
 */
bool flash_unit_run_ended(Flash *flash, uint64_t now_ns, uint32_t token_idx);

#endif
