/*
 * Pieces of pages as reads of the flash.
 *
 * Knows nothing of who reads, or of time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pieces.h"

/* Reads cross the channel in whole granules: an ECC codeword has no half. */
static void widen_to_granules(const Media *media, Piece *piece)
{
    const Divisor *granule = &media->granule_divisor;

    piece->begin_bytes -= remainder_of(piece->begin_bytes, granule);
    piece->end_bytes = divide(piece->end_bytes + granule->by - 1, granule) *
                       granule->by;
}

bool piece_place_read(const Media *media, uint32_t zone_idx, Piece *piece,
                      FlashOp *op)
{
    media_place_page(media, zone_idx, piece->page, op);
    if (!media_is_programmed(media, op)) {
        return false;
    }
    widen_to_granules(media, piece);
    op->begin_bytes = piece->begin_bytes;
    op->end_bytes = piece->end_bytes;
    return true;
}
