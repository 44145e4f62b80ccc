/*
 * Transfers, and commands of senses: a channel is a local clock. A command
 * waits for what dies have sensed: they stand still until it is gone, and the
 * command can only make more of it. For more a die needs a command, but for what
 * its registers hold, which it reads out with pauses: so none waits for ever.
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

    if (flash_is_command(token)) {
        return token->from_registers ? 0 : config->sense_command_ns;
    }
    return flash_transfer_ns(flash, page_ns, op->begin_bytes, op->end_bytes);
}

/* The event is the end of what is booked. */
static inline void book(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    FlashToken *token = &flash->tokens[token_idx];
    const FlashOp *op = &token->op;
    FlashChannel *channel = flash_channel_of(flash, op);
    uint64_t take_ns = flash_channel_ns(flash, token);
    uint64_t end_at_ns = local_clock_book(&channel->clock, now_ns, take_ns);

    channel->crossing += flash->config.sense_command_ns != 0;
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

/* A channel that is busy would not take it at once. */
static bool stands_in_line(const FlashChannel *channel,
                           const FlashToken *token)
{
    return flash_is_command(token) ||
           (token->op.kind != FLASH_READ && !queue_is_empty(&channel->line));
}

void flash_channel_ask(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    FlashToken *token = &flash->tokens[token_idx];
    FlashChannel *channel = flash_channel_of(flash, &token->op);

    token->at_unit = false;
    if (channel->crossing != 0 && stands_in_line(channel, token)) {
        queue_push(flash, &channel->line, token_idx);
    } else {
        book(flash, now_ns, token_idx);
    }
}

void flash_channel_left(Flash *flash, uint64_t now_ns, const FlashOp *op)
{
    FlashChannel *channel = flash_channel_of(flash, op);

    if (--channel->crossing == 0 && !queue_is_empty(&channel->line)) {
        book(flash, now_ns, queue_pop(flash, &channel->line));
    }
}
