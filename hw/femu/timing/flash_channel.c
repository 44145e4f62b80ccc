/*
 * Transfers, and commands of reads: a channel is a local clock.
 *
 * Knows nothing of what units do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "flash_internal.h"

uint64_t flash_channel_ns(const Flash *flash, const FlashToken *token)
{
    const FlashConfig *config = &flash->config;
    const FlashOp *op = &token->op;
    uint64_t page_ns = op->kind == FLASH_READ ? config->read_transfer_ns
                                              : config->program_transfer_ns;

    if (op->kind == FLASH_READ && !token->is_issued) {
        return token->from_registers ? 0 : config->sense_command_ns;
    }
    return flash_transfer_ns(flash, page_ns, op->begin_bytes, op->end_bytes);
}

void flash_channel_ask(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    FlashToken *token = &flash->tokens[token_idx];
    const FlashOp *op = &token->op;
    LocalClock *channel =
        &flash->channels[flash->units[op->unit_idx].channel_idx];
    uint64_t take_ns = flash_channel_ns(flash, token);
    uint64_t end_at_ns = local_clock_book(channel, now_ns, take_ns);

    token->at_unit = false;
    busy_log_add(&flash->busy, &(BusyEntry) {
        .begin_at_ns = end_at_ns - take_ns,
        .end_at_ns = end_at_ns,
        .resource_idx = channel - flash->channels,
        .kind = op->kind,
        .is_channel = true,
    });
    event_heap_push_lane(flash->events, FLASH_LANE_TRANSFERS, end_at_ns,
                         token_idx);
}
