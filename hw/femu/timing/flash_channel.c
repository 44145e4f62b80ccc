/*
 * Transfers: a channel is a local clock.
 *
 * Knows nothing of what units do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "flash_internal.h"

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
