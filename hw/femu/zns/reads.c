/*
 * Reads of zones: a part may have been read ahead, the rest are operations of
 * the flash.
 *
 * Knows nothing of the order of writes, or of jobs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../media/pieces.h"
#include "zns.h"

static void issue_read(Zns *zns, uint64_t now_ns, uint32_t command_idx,
                       uint32_t zone_idx, Piece *piece)
{
    Media *media = zns->media;
    uint32_t bytes = piece->end_bytes - piece->begin_bytes;
    FlashOp *op = flash_next_op(&media->flash);

    *op = (FlashOp) {
        .kind = FLASH_READ,
        .host_bytes = bytes,
        .owner = owner_of(OWNER_COMMAND, command_idx),
    };
    if (piece_place_read(media, zone_idx, piece, op)) {
        media_issue_for_command(media, now_ns, command_idx);
    } else {
        link_out(zns->link, now_ns, command_idx, bytes);
    }
}

/*
 * What a finish has filled is known to hold nothing, so no die is asked: random
 * reads of a drive whose zones were finished early take 6 us now and then
 * (docs/zn540.md, "Reads").
 */
void zns_start_read(Zns *zns, uint64_t now_ns, uint32_t command_idx,
                    const Span *target)
{
    uint64_t filled_from_bytes = zone_filled_from_bytes(zns->ns,
                                                        target->zone_idx);
    Span span = *target;
    uint32_t stream_idx = prefetch_is_on(zns->prefetch) &&
                          target->begin_bytes < filled_from_bytes
                          ? prefetch_begin(zns->prefetch, now_ns, command_idx,
                                           target)
                          : AHEAD_NONE;

    span.end_bytes = MIN(span.end_bytes, zns->params->zone_capacity_bytes);
    while (span.begin_bytes < span.end_bytes) {
        uint64_t begin_bytes = span.begin_bytes;
        Piece piece = take_piece(zns->media, &span,
                                 &zns->media->sense_divisor);
        uint32_t bytes = piece.end_bytes - piece.begin_bytes;

        if (begin_bytes >= filled_from_bytes) {
            link_out(zns->link, now_ns, command_idx, bytes);
        } else if (stream_idx == AHEAD_NONE ||
                   !prefetch_serves(zns->prefetch, now_ns, command_idx,
                                    stream_idx, begin_bytes, bytes)) {
            issue_read(zns, now_ns, command_idx, span.zone_idx, &piece);
        }
    }
    if (stream_idx != AHEAD_NONE) {
        prefetch_go_on(zns->prefetch, now_ns, stream_idx);
    }
}
