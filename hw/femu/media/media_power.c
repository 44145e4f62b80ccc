/*
 * Pages of zones on the flash of a drive that has lost its power: what is
 * programmed, on which blocks.
 *
 * Knows nothing of zones' states, of the order of writes, or of when a reset
 * erases.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/state.h"
#include "media.h"

void media_power_cut(Media *media, const Media *from)
{
    State *state = state_writer();
    GByteArray *bytes;

    /* Who writes changes nothing of what is written. */
    superblock_state((SuperblockTable *)&from->superblocks, state);
    bytes = state_free(state);
    state = state_reader(bytes->data, bytes->len);
    superblock_state(&media->superblocks, state);
    g_assert(state_is_good(state));
    state_free(state);
    g_byte_array_unref(bytes);
}

/* The blocks that hold data have been erased before these came. */
static void clean_below(Media *media, uint32_t zone_idx, uint32_t position,
                        uint32_t rows)
{
    SuperblockTable *table = &media->superblocks;

    if (rows != 0) {
        superblock_take_dirt_to(table, table->of_zone[zone_idx], position,
                                (rows - 1) / media->rows_per_block);
    }
}

void media_put(Media *media, uint32_t zone_idx, uint64_t bytes)
{
    SuperblockTable *table = &media->superblocks;
    uint32_t units = media->map.zone_units;
    uint64_t pages = bytes / media->page_bytes;

    media->issued_bytes[zone_idx] = bytes;
    if (pages != 0 && table->of_zone[zone_idx] == SUPERBLOCK_NONE) {
        superblock_map(table, zone_idx);
    }
    for (uint32_t u = 0; u < units; u++) {
        uint32_t rows = media_rows_at(media, zone_idx, pages, u);

        media->programmed_rows[zone_idx * units + u] = rows;
        clean_below(media, zone_idx, u, rows);
    }
}

void media_put_failed(Media *media, const Media *from, uint32_t zone_idx,
                      uint64_t pages)
{
    SuperblockTable *table = &media->superblocks;
    uint32_t units = media->map.zone_units;

    if (pages != 0 && table->of_zone[zone_idx] == SUPERBLOCK_NONE) {
        superblock_map(table, zone_idx);
    }
    for (uint32_t u = 0; u < units; u++) {
        uint32_t rows = media_rows_at(media, zone_idx, pages, u);

        rows = MAX(rows, from->programmed_rows[zone_idx * units + u]);
        media->programmed_rows[zone_idx * units + u] = rows;
        clean_below(media, zone_idx, u, rows);
    }
}
