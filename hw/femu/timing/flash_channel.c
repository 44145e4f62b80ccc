/*
 * Tokens, and their transfers: a channel is a local clock.
 *
 * Knows nothing of what units do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "flash_internal.h"

#include <glib.h>

/* Fresh tokens last, so that an idle pool's memory stays untouched. */
uint32_t flash_token_next(const Flash *flash)
{
    if (flash->free_idx != FLASH_NONE) {
        return flash->free_idx;
    }
    g_assert(flash->fresh_idx < flash->config.op_capacity);
    return flash->fresh_idx;
}

uint32_t flash_token_take(Flash *flash)
{
    uint32_t token_idx = flash_token_next(flash);

    if (flash->free_idx != FLASH_NONE) {
        flash->free_idx = flash->tokens[token_idx].next_idx;
    } else {
        flash->fresh_idx++;
    }
    return token_idx;
}

void flash_token_give(Flash *flash, uint32_t token_idx)
{
    flash->tokens[token_idx].next_idx = flash->free_idx;
    flash->free_idx = token_idx;
}

void flash_channel_ask(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    const FlashConfig *config = &flash->config;
    FlashToken *token = &flash->tokens[token_idx];
    const FlashOp *op = &token->op;
    LocalClock *channel =
        &flash->channels[flash->units[op->unit_idx].channel_idx];
    uint64_t page_ns = op->kind == FLASH_READ ? config->read_transfer_ns
                                              : config->program_transfer_ns;
    uint64_t transfer_ns = flash_transfer_ns(flash, page_ns, op->begin_bytes,
                                             op->end_bytes);
    uint64_t end_at_ns = local_clock_book(channel, now_ns, transfer_ns);

    token->at_unit = false;
    busy_log_add(&flash->busy, &(BusyEntry) {
        .begin_at_ns = end_at_ns - transfer_ns,
        .end_at_ns = end_at_ns,
        .resource_idx = channel - flash->channels,
        .kind = op->kind,
        .is_channel = true,
    });
    event_heap_push_lane(flash->events, FLASH_LANE_TRANSFERS, end_at_ns,
                         token_idx);
}
