/*
 * Ranges of a zone's bytes, cut into pieces at the ends of pages.
 *
 * Knows nothing of reads, writes or time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_PIECES_H
#define FEMU_PIECES_H

#include "../base/span.h"
#include "media.h"

/* Bytes [begin, end) of a page of a zone. */
typedef struct Piece {
    uint64_t page;
    uint32_t begin_bytes;
    uint32_t end_bytes;
} Piece;

/*
 * Cut the first piece off a span, which must not be empty. Pieces end at
 * multiples of `cut` bytes, which divides a page.
 */
static inline Piece take_piece(const Media *media, Span *span,
                               const Divisor *cut)
{
    uint64_t page = divide(span->begin_bytes, &media->page_divisor);
    uint64_t base_bytes = page * media->page_bytes;
    uint32_t begin_bytes = span->begin_bytes - base_bytes;
    /* Within a page there is no multiple of it. */
    uint64_t cut_at_bytes = cut == &media->page_divisor
                            ? cut->by : (divide(begin_bytes, cut) + 1) * cut->by;
    Piece piece = {
        .page = page,
        .begin_bytes = begin_bytes,
        .end_bytes = MIN(span->end_bytes - base_bytes, cut_at_bytes),
    };

    span->begin_bytes = base_bytes + piece.end_bytes;
    return piece;
}

/* Reads cross the channel in whole granules: the codewords of the ECC. */
static inline void piece_widen_to_granules(const Media *media, Piece *piece)
{
    const Divisor *granule = &media->granule_divisor;

    piece->begin_bytes -= remainder_of(piece->begin_bytes, granule);
    piece->end_bytes = divide(piece->end_bytes + granule->by - 1, granule) *
                       granule->by;
}

/*
 * Make `op` a read of a piece, widened to whole granules (codewords of the ECC
 * are read as a whole). Return: false if it is not in the flash.
 */
static inline bool piece_place_read(const Media *media, uint32_t zone_idx,
                                    Piece *piece, FlashOp *op)
{
    media_place_page(media, zone_idx, piece->page, op);
    if (!media_is_programmed(media, op)) {
        return false;
    }
    piece_widen_to_granules(media, piece);
    op->begin_bytes = piece->begin_bytes;
    op->end_bytes = piece->end_bytes;
    return true;
}

#endif
