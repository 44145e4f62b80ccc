/*
 * Read-ahead on the flash and the host link.
 *
 * Knows nothing of zones' states, of writes, or of the front end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "prefetch.h"

#include "../media/pieces.h"

/* Lines are fetched as long as all rings together have room for them. */
void prefetch_bounds(const SsdParams *p, Bounds *bounds)
{
    uint64_t lines = p->read_ahead_bytes / ssd_params_sense_bytes(p);

    bounds_add(bounds, "read-ahead", p->read_ahead_streams * lines, 0);
}

void prefetch_init(Prefetch *prefetch, const SsdParams *p, Commands *commands,
                   Media *media, Link *link)
{
    AheadConfig config = {
        .streams = p->read_ahead_streams,
        .depth_lines = p->read_ahead_bytes / media->sense_bytes,
        .line_bytes = media->sense_bytes,
        .page_bytes = p->page_bytes,
        .after = p->read_ahead_after,
    };

    *prefetch = (Prefetch) {
        .params = p,
        .commands = commands,
        .media = media,
        .link = link,
    };
    ahead_init(&prefetch->ahead, &config);
}

void prefetch_destroy(Prefetch *prefetch)
{
    ahead_destroy(&prefetch->ahead);
}

/* A read of a zone's part of a granule counts as one until it is done. */
static bool is_part(const Prefetch *prefetch, const Command *command)
{
    return prefetch->params->read_ahead_parts &&
           command->bytes < SSD_GRANULE_BYTES;
}

void prefetch_beside_write(Prefetch *prefetch, uint64_t now_ns)
{
    if (prefetch->params->read_ahead_quiet_ns) {
        prefetch->quiet_from_ns =
            now_ns + prefetch->params->read_ahead_quiet_ns;
    }
}

uint32_t prefetch_begin(Prefetch *prefetch, uint64_t now_ns,
                        uint32_t command_idx, const Span *span)
{
    Command *command = &prefetch->commands->at[command_idx];
    uint32_t stream_idx;
    bool lost;

    if (command->done.op != SSD_OP_READ) {
        return AHEAD_NONE;
    }
    prefetch->parts_inside += is_part(prefetch, command);
    lost = (is_part(prefetch, command) &&
            prefetch->parts_inside > prefetch->params->read_ahead_parts) ||
           now_ns < prefetch->quiet_from_ns;
    stream_idx = ahead_read(&prefetch->ahead, span->zone_idx,
                            span->begin_bytes, span->end_bytes, lost);
    command->ahead_stream_idx = stream_idx;
    command->ahead_row = prefetch->ahead.streams[stream_idx].row;
    return stream_idx;
}

bool prefetch_serves(Prefetch *prefetch, uint64_t now_ns, uint32_t command_idx,
                     uint32_t stream_idx, uint64_t at_bytes, uint32_t bytes)
{
    switch (ahead_take(&prefetch->ahead, stream_idx, at_bytes, command_idx,
                       bytes)) {
    case AHEAD_MISS:
        return false;
    case AHEAD_HIT:
        link_out(prefetch->link, now_ns, command_idx, bytes);
        break;
    case AHEAD_WAITS:
        commands_part_added(prefetch->commands, command_idx);
        break;
    }
    prefetch->commands->at[command_idx].done.ahead_bytes += bytes;
    return true;
}

/* Make `op` a read of a line. Return: false if that is not in the flash. */
static bool place_line(const Media *media, uint32_t zone_idx,
                       uint64_t begin_bytes, FlashOp *op)
{
    Span span = { zone_idx, begin_bytes, begin_bytes + media->sense_bytes };
    Piece piece = take_piece(media, &span, &media->sense_divisor);

    *op = (FlashOp) { .kind = FLASH_READ };
    return piece_place_read(media, zone_idx, &piece, op);
}

/* Fetch as much as there is room for, and data in the flash. */
void prefetch_go_on(Prefetch *prefetch, uint64_t now_ns, uint32_t stream_idx)
{
    Ahead *ahead = &prefetch->ahead;
    Flash *flash = &prefetch->media->flash;
    uint64_t begin_bytes;

    ahead_pass(ahead, stream_idx);
    while (ahead_next(ahead, stream_idx, &begin_bytes) &&
           begin_bytes < prefetch->params->zone_capacity_bytes) {
        FlashOp *op = flash_next_op(flash);

        if (!place_line(prefetch->media, ahead->streams[stream_idx].zone_idx,
                        begin_bytes, op)) {
            break;
        }
        op->owner = owner_of(OWNER_AHEAD, ahead_fetch(ahead, stream_idx));
        flash_issue_next(flash, now_ns);
    }
}

uint32_t prefetch_fetched(Prefetch *prefetch, uint64_t now_ns,
                          uint32_t fetch_idx)
{
    AheadWaiter waiter;

    while (ahead_next_waiter(&prefetch->ahead, fetch_idx, &waiter)) {
        link_out(prefetch->link, now_ns, waiter.command_idx, waiter.bytes);
        commands_part_ended(prefetch->commands, waiter.command_idx);
    }
    return ahead_fetched(&prefetch->ahead, fetch_idx);
}

RARE
void prefetch_left(Prefetch *prefetch, uint64_t now_ns, uint32_t command_idx)
{
    const Command *command = &prefetch->commands->at[command_idx];

    prefetch->parts_inside -= is_part(prefetch, command);
    ahead_done(&prefetch->ahead, command->ahead_stream_idx,
               command->ahead_row, command->bytes);
    prefetch_go_on(prefetch, now_ns, command->ahead_stream_idx);
}

void prefetch_forget(Prefetch *prefetch, uint32_t zone_idx)
{
    ahead_forget(&prefetch->ahead, zone_idx);
}
