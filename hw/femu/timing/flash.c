/*
 * The flash array in time.
 *
 * An operation is a token that visits its channel and its unit in the order
 * its kind demands; each visit ends with one event. Every decision is taken at
 * an event's own time, so how often the caller looks changes nothing.
 *
 * Knows nothing of zones, commands or NVMe.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "flash.h"

#include <glib.h>

void flash_init(Flash *flash, const FlashConfig *config)
{
    uint32_t unit_count = config->channels * config->units_per_channel;

    *flash = (Flash) {
        .config = *config,
        .tokens = g_new(FlashToken, config->op_capacity),
        .free_idx = FLASH_NONE,
        .channels = g_new0(LocalClock, config->channels),
        .units = g_new0(FlashUnit, unit_count),
    };
    /* A token waits in a queue or has one event pending, never two. */
    event_heap_init(&flash->events, config->op_capacity);
    for (uint32_t i = 0; i < unit_count; i++) {
        flash->units[i].head_idx = FLASH_NONE;
        flash->units[i].tail_idx = FLASH_NONE;
        flash->units[i].running_idx = FLASH_NONE;
    }
}

void flash_destroy(Flash *flash)
{
    event_heap_destroy(&flash->events);
    g_free(flash->tokens);
    g_free(flash->channels);
    g_free(flash->units);
}

uint64_t flash_transfer_ns(const FlashConfig *config, uint32_t begin_bytes,
                           uint32_t end_bytes)
{
    uint64_t t_ns = config->page_transfer_ns;

    return end_bytes * t_ns / config->page_bytes -
           begin_bytes * t_ns / config->page_bytes;
}

/* Fresh tokens last, so that an idle pool's memory stays untouched. */
static uint32_t token_take(Flash *flash)
{
    uint32_t token_idx = flash->free_idx;

    if (token_idx != FLASH_NONE) {
        flash->free_idx = flash->tokens[token_idx].next_idx;
        return token_idx;
    }
    g_assert(flash->fresh_idx < flash->config.op_capacity);
    return flash->fresh_idx++;
}

static void token_give(Flash *flash, uint32_t token_idx)
{
    flash->tokens[token_idx].next_idx = flash->free_idx;
    flash->free_idx = token_idx;
}

/* Ask for the channel now; the event is the end of the transfer. */
static void channel_ask(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    const FlashOp *op = &flash->tokens[token_idx].op;
    LocalClock *channel =
        &flash->channels[op->unit_idx / flash->config.units_per_channel];
    uint64_t transfer_ns = flash_transfer_ns(&flash->config, op->begin_bytes,
                                             op->end_bytes);

    flash->tokens[token_idx].at_unit = false;
    event_heap_push(&flash->events,
                    local_clock_book(channel, now_ns, transfer_ns), token_idx);
}

static uint64_t array_time_ns(const FlashConfig *config, const FlashOp *op)
{
    switch (op->kind) {
    case FLASH_READ:
        return config->read_ns;
    case FLASH_PROGRAM:
        return config->program_ns;
    case FLASH_ERASE:
        return op->block_count * config->erase_ns;
    case FLASH_LOAD:
        break;
    }
    g_assert_not_reached();
}

/* The scheduler of a unit: first come, first served. */
static void unit_start_next(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    uint32_t token_idx = unit->head_idx;

    unit->running_idx = token_idx;
    if (token_idx == FLASH_NONE) {
        return;
    }
    unit->head_idx = flash->tokens[token_idx].next_idx;
    unit->run_ns = array_time_ns(&flash->config, &flash->tokens[token_idx].op);
    unit->run_until_at_ns = now_ns + unit->run_ns;
    event_heap_push(&flash->events, unit->run_until_at_ns, token_idx);
}

static void unit_join(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    FlashToken *token = &flash->tokens[token_idx];
    FlashUnit *unit = &flash->units[token->op.unit_idx];

    token->at_unit = true;
    token->next_idx = FLASH_NONE;
    if (unit->head_idx == FLASH_NONE) {
        unit->head_idx = token_idx;
    } else {
        flash->tokens[unit->tail_idx].next_idx = token_idx;
    }
    unit->tail_idx = token_idx;
    if (unit->running_idx == FLASH_NONE) {
        unit_start_next(flash, now_ns, unit);
    }
}

void flash_issue(Flash *flash, uint64_t now_ns, const FlashOp *op)
{
    uint32_t token_idx = token_take(flash);

    flash->tokens[token_idx].op = *op;
    switch (op->kind) {
    case FLASH_READ:
    case FLASH_ERASE:
        unit_join(flash, now_ns, token_idx);
        break;
    case FLASH_LOAD:
    case FLASH_PROGRAM:
        channel_ask(flash, now_ns, token_idx);
        break;
    }
}

static void count_array_work(Flash *flash, const FlashOp *op)
{
    switch (op->kind) {
    case FLASH_READ:
        flash->counters.senses++;
        break;
    case FLASH_PROGRAM:
        flash->counters.programs++;
        break;
    case FLASH_ERASE:
        flash->counters.erased_blocks += op->block_count;
        break;
    case FLASH_LOAD:
        g_assert_not_reached();
    }
}

/* Array work has ended. True if the operation has, too. */
static bool leave_unit(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    const FlashOp *op = &flash->tokens[token_idx].op;
    FlashUnit *unit = &flash->units[op->unit_idx];
    bool ended = op->kind != FLASH_READ;

    unit->retired_ns += unit->run_ns;
    count_array_work(flash, op);
    if (!ended) {
        channel_ask(flash, now_ns, token_idx);
    }
    unit_start_next(flash, now_ns, unit);
    return ended;
}

/* The transfer has ended. True if the operation has, too. */
static bool leave_channel(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    if (flash->tokens[token_idx].op.kind != FLASH_PROGRAM) {
        return true;
    }
    unit_join(flash, now_ns, token_idx);
    return false;
}

bool flash_step(Flash *flash, uint64_t until_ns, FlashOp *ended,
                uint64_t *at_ns)
{
    while (flash_next_at_ns(flash) <= until_ns && flash->events.count) {
        Event event = event_heap_pop(&flash->events);
        uint32_t token_idx = event.payload;
        bool over = flash->tokens[token_idx].at_unit
                    ? leave_unit(flash, event.at_ns, token_idx)
                    : leave_channel(flash, event.at_ns, token_idx);

        if (over) {
            *ended = flash->tokens[token_idx].op;
            *at_ns = event.at_ns;
            token_give(flash, token_idx);
            return true;
        }
    }
    return false;
}

uint64_t flash_channel_busy_ns(const Flash *flash, uint32_t channel_idx,
                               uint64_t now_ns)
{
    return local_clock_busy_ns(&flash->channels[channel_idx], now_ns);
}

uint64_t flash_unit_busy_ns(const Flash *flash, uint32_t unit_idx,
                            uint64_t now_ns)
{
    const FlashUnit *unit = &flash->units[unit_idx];

    if (unit->running_idx == FLASH_NONE) {
        return unit->retired_ns;
    }
    return unit->retired_ns + unit->run_ns - (unit->run_until_at_ns - now_ns);
}
