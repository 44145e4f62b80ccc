/*
 * The state of zones' pages on the flash: what is programmed, what must be
 * erased, programs that are awaited.
 *
 * Knows nothing of zones' states, of the order of writes, or of when a reset
 * erases.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/state.h"
#include "media.h"

static const StateRow programs_rows[] = {
    STATE_INDEX(Programs, oldest, STATE_OF_EPOCHS),
    STATE_INDEX(Programs, current, STATE_OF_EPOCHS),
    STATE_AT_MOST(Programs, drain_left, INT32_MAX),
    STATE_LEFT(Programs, units, "of the parameters"),
    STATE_LEFT(Programs, commands, "another room"),
    STATE_LEFT(Programs, size, "of the parameters"),
    STATE_ELSE(Programs, flush_idx, "epoch_rows, of those that have ended"),
};

static const StateRow epoch_rows[] = {
    { .name = "flush_idx", .size = sizeof(uint32_t), .kind = STATE_IS_INDEX,
      .of = STATE_OF_COMMANDS, .most = UINT64_MAX },
};

static const StateRow media_rows[] = {
    STATE_LEFT(Media, params, "another room"),
    STATE_LEFT(Media, commands, "another room"),
    STATE_ELSE(Media, flash, "flash_state()"),
    STATE_ELSE(Media, programs, "programs_rows"),
    STATE_LEFT(Media, map, "of the parameters"),
    STATE_LEFT(Media, page_bytes, "of the parameters"),
    STATE_LEFT(Media, sense_bytes, "of the parameters"),
    STATE_LEFT(Media, page_divisor, "of the parameters"),
    STATE_LEFT(Media, sense_divisor, "of the parameters"),
    STATE_LEFT(Media, granule_divisor, "of the parameters"),
    STATE_LEFT(Media, rows_per_block, "of the parameters"),
    STATE_LEFT(Media, unit_count, "of the parameters"),
    STATE_LEFT(Media, zone_pages, "of the parameters"),
    STATE_ELSE(Media, superblocks, "superblock_state()"),
    STATE_ELSE(Media, works, "zns/jobs_state.c, with the jobs"),
    STATE_LEFT(Media, log, "conv/ sets it"),
};

static void visit_programs(Programs *programs, State *state)
{
    g_autoptr(GArray) ended = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    STATE_STRUCT(state, programs_rows, programs);
    STATE_ARRAY_OF(Programs, pending, state, programs, programs->size,
                   STATE_IS_NUMBER, STATE_OF_NOTHING, INT32_MAX);
    STATE_ARRAY_OF(Programs, of_unit, state, programs, programs->units,
                   STATE_IS_NUMBER, STATE_OF_NOTHING, INT32_MAX);
    STATE_ARRAY_OF(Programs, drain_of_unit, state, programs, programs->units,
                   STATE_IS_NUMBER, STATE_OF_NOTHING, INT32_MAX);
    for (uint32_t i = programs->oldest; i != programs->current;
         i = (i + 1) % programs->size) {
        g_array_append_val(ended, i);
    }
    STATE_TABLE(state, epoch_rows, programs->flush_idx, ended->len,
                (const uint32_t *)ended->data);
}

static void visit_zones(Media *media, State *state)
{
    uint32_t zones = media->params->zones;

    STATE_STRUCT(state, media_rows, media);
    STATE_ARRAY(Media, life, state, media, zones);
    STATE_ARRAY_OF(Media, issued_bytes, state, media, zones, STATE_IS_NUMBER,
                   STATE_OF_NOTHING, media->params->zone_capacity_bytes);
    STATE_ARRAY_OF(Media, first_erases, state, media, zones, STATE_IS_NUMBER,
                   STATE_OF_NOTHING, INT32_MAX);
    STATE_ARRAY_OF(Media, programmed_rows, state, media,
                   (uint64_t)zones * media->map.zone_units, STATE_IS_NUMBER,
                   STATE_OF_NOTHING, media_zone_rows(media));
    STATE_ARRAY_OF(Media, eraser_of, state, media, media->superblocks.count,
                   STATE_IS_INDEX_OR_NONE, STATE_OF_JOBS, UINT64_MAX);
}

void media_state(Media *media, State *state, uint32_t more_places,
                 uint32_t more_rows)
{
    state_count(state, STATE_OF_UNITS, media->unit_count);
    state_count(state, STATE_OF_PLACES,
                (uint64_t)media_place_count(media) + more_places);
    state_count(state, STATE_OF_ROWS, MAX(media_zone_rows(media), more_rows));
    state_count(state, STATE_OF_EPOCHS, media->programs.size);
    flash_state(&media->flash, state);
    superblock_state(&media->superblocks, state);
    state_room(state, "media");
    visit_programs(&media->programs, state);
    visit_zones(media, state);
    state_room_end(state);
}
