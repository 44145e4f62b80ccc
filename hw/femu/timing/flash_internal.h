/*
 * Inside timing/: what flash.c uses of flash_unit.c, the schedulers of units,
 * and both of flash_channel.c, transfers. Nobody else includes this.
 *
 * Knows nothing of zones, commands or NVMe.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_FLASH_INTERNAL_H
#define FEMU_FLASH_INTERNAL_H

#include <glib.h>

#include "flash.h"

/*
 * A stretch is a run of array work from its start or resumption to its end or
 * suspension. It has this many segments of drawn lengths, then the same lengths
 * again; so its n-th suspend point is found without adding up all before it.
 */
#define FLASH_ROUND_SEGMENTS 64

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

/*
 * The token of the pool that will be taken next; there is one. Fresh ones last,
 * so that an idle pool's memory stays untouched. Here, as each operation takes
 * one and gives it back.
 */
static inline uint32_t flash_token_next(const Flash *flash)
{
    if (flash->free_idx != FLASH_NONE) {
        return flash->free_idx;
    }
    g_assert(flash->fresh_idx < flash->config.op_capacity);
    return flash->fresh_idx;
}

/* It is not cleared. */
static inline uint32_t flash_token_take(Flash *flash)
{
    uint32_t token_idx = flash_token_next(flash);

    if (flash->free_idx != FLASH_NONE) {
        flash->free_idx = flash->tokens[token_idx].next_idx;
    } else {
        flash->fresh_idx++;
    }
    return token_idx;
}

static inline void flash_token_give(Flash *flash, uint32_t token_idx)
{
    flash->tokens[token_idx].next_idx = flash->free_idx;
    flash->free_idx = token_idx;
}

static inline FlashChannel *flash_channel_of(Flash *flash, const FlashOp *op)
{
    return &flash->channels[flash->units[op->unit_idx].channel_idx];
}

/* flash_channel.c: */
/* The operation asks for its channel; an event will be the end of that. */
void flash_channel_ask(Flash *flash, uint64_t now_ns, uint32_t token_idx);

/* That event has been acted upon, so that all have asked who ask because of it. */
void flash_channel_left(Flash *flash, uint64_t now_ns, const FlashOp *op);

static inline uint32_t flash_unit_count(const Flash *flash)
{
    return flash->config.channels * flash->config.units_per_channel;
}

static inline bool flash_can_suspend(const FlashConfig *config, FlashKind kind)
{
    return kind == FLASH_ERASE ? config->erase_suspend :
           flash_programs(kind) && config->program_suspend;
}

/* Does no program begin until all have ended? */
static inline bool flash_gathers(const Flash *flash)
{
    const FlashConfig *config = &flash->config;

    return config->own_after > 0 &&
           flash->begun ==
           (uint64_t)config->own_after * flash_unit_count(flash);
}

/* May a program begin on the unit, if it is idle? */
static inline bool flash_can_program(const Flash *flash, const FlashUnit *unit)
{
    return !unit->programs_own && !flash_gathers(flash);
}

/* flash_own.c: the drive's own programs, which units gather for */
/* A program begins. */
void flash_own_begun(Flash *flash, FlashKind kind);
/* A program has ended, of whomever. */
void flash_own_gather(Flash *flash, uint64_t now_ns);
/* A program of the drive's own has ended. */
void flash_own_ended(Flash *flash, uint64_t now_ns, FlashUnit *unit);

/* Does the unit nothing but reads? Then it takes commands of more. */
static inline bool flash_only_reads(const Flash *flash, const FlashUnit *unit)
{
    return unit->suspended_idx == FLASH_NONE &&
           (unit->running_idx == FLASH_NONE ||
            flash->tokens[unit->running_idx].op.kind == FLASH_READ);
}

/* flash_unit.c */
void flash_unit_init(FlashUnit *unit, uint32_t channel_idx);
/*
 * A read is issued: will reads before it have its page in the registers? They
 * will then hold it for those behind it, unless other work takes them.
 */
bool flash_unit_asked(Flash *flash, const FlashOp *op);
/* The command has crossed of the read that the unit has turned to. */
void flash_unit_commanded(Flash *flash, uint64_t now_ns, FlashUnit *unit);
/* The operation asks for array time. */
void flash_unit_join(Flash *flash, uint64_t now_ns, uint32_t token_idx);
/* Choose what runs next on a unit that has become idle. */
void flash_unit_next(Flash *flash, uint64_t now_ns, FlashUnit *unit);
/* It may program again: go on with what has waited for that, if anything. */
void flash_unit_go_on(Flash *flash, uint64_t now_ns, FlashUnit *unit);
/* The suspend latency is over: reads may run now. */
void flash_unit_suspended(Flash *flash, uint64_t now_ns, FlashUnit *unit);
/*
 * The event of array work. Return: true if it has ended, false if the event is
 * one that a suspension has left behind.
 */
bool flash_unit_run_ended(Flash *flash, uint64_t now_ns, uint32_t token_idx);

#endif
