/*
 * Reads of zones as operations of the flash.
 *
 * Knows nothing of the order of writes, or of jobs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pieces.h"
#include "zns.h"

/* Reads cross the channel in whole granules: an ECC codeword has no half. */
static void widen_to_granules(const Media *media, Piece *piece)
{
    const Divisor *granule = &media->granule_divisor;

    piece->begin_bytes -= remainder_of(piece->begin_bytes, granule);
    piece->end_bytes = divide(piece->end_bytes + granule->by - 1, granule) *
                       granule->by;
}

void zns_start_read(Zns *zns, uint64_t now_ns, uint32_t command_idx, Span span)
{
    Media *media = zns->media;

    span.end_bytes = MIN(span.end_bytes, zns->params->zone_capacity_bytes);
    while (span.begin_bytes < span.end_bytes) {
        Piece piece = take_piece(media, &span, &media->sense_divisor);
        FlashOp *op = flash_next_op(&media->flash);

        *op = (FlashOp) {
            .kind = FLASH_READ,
            .host_bytes = piece.end_bytes - piece.begin_bytes,
            .owner = owner_of(OWNER_COMMAND, command_idx),
        };
        media_place_page(media, span.zone_idx, piece.page, op);
        if (!media_is_programmed(media, op)) {
            link_out(zns->link, now_ns, command_idx, op->host_bytes);
        } else {
            widen_to_granules(media, &piece);
            op->begin_bytes = piece.begin_bytes;
            op->end_bytes = piece.end_bytes;
            media_issue_for_command(media, now_ns, command_idx);
        }
    }
}
