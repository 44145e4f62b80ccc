/*
 * The state of the conventional namespace: its log, writes that wait, cleaning.
 *
 * Knows nothing of zones but how many places on the flash they take.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "../base/state.h"
#include "conv.h"

static const StateRow conv_rows[] = {
    STATE_LEFT(Conv, params, "another room"),
    STATE_LEFT(Conv, commands, "another room"),
    STATE_LEFT(Conv, media, "another room"),
    STATE_LEFT(Conv, link, "another room"),
    STATE_LEFT(Conv, buffer, "another room"),
    STATE_ELSE(Conv, ftl, "ftl_state()"),
    STATE_LEFT(Conv, map, "of the parameters"),
    STATE_LEFT(Conv, page_places, "of the parameters"),
    STATE_LEFT(Conv, line_pages, "of the parameters"),
    STATE_IN_LISTS(Conv, first_write_idx),
    STATE_IN_LISTS(Conv, last_write_idx),
    STATE_NUMBER(Conv, submitted_count),
    STATE_NUMBER(Conv, last_id),
    STATE_LEFT(Conv, promised, "of the writes, by drive/"),
    STATE_INDEX_OR_NONE(Conv, victim, STATE_OF_LINES),
    STATE_AT_MOST(Conv, stage, CLEAN_ERASE),
    STATE_NUMBER(Conv, row),
    STATE_AT_MOST(Conv, ops_left, INT32_MAX),
    STATE_NUMBER(Conv, counters.host_bytes),
    STATE_NUMBER(Conv, counters.moved_bytes),
    STATE_NUMBER(Conv, counters.programs),
    STATE_NUMBER(Conv, counters.erased_blocks),
};

/* Reading: what must hold, or the state is refused */

static void check_writes(const Conv *conv, State *state)
{
    for (uint32_t i = conv->first_write_idx; i != SSD_NONE;
         i = conv->commands->at[i].next_write_idx) {
        const Command *command = &conv->commands->at[i];

        if (!command->writes || !command->is_conventional ||
            command->write.data.end_bytes >
            conv->params->conventional_bytes) {
            state_fail(state, "command %u does not write here", i);
        }
        if (command->is_writing && i != conv->first_write_idx) {
            state_fail(state, "command %u writes before its turn", i);
        }
    }
}

/* What is being cleaned, and how far it has come. */
static void check_victim(const Conv *conv, State *state)
{
    uint32_t victims = 0;

    for (uint32_t i = 0; i < conv->ftl.line_count; i++) {
        victims += conv->ftl.lines[i].state == FTL_LINE_VICTIM;
    }
    if (victims != (conv->victim != FTL_NONE) ||
        (victims &&
         conv->ftl.lines[conv->victim].state != FTL_LINE_VICTIM)) {
        state_fail(state, "line %u is cleaned, and %u are victims",
                   conv->victim, victims);
    } else if (victims &&
               (conv->row > conv->media->rows_per_block ||
                (conv->stage != CLEAN_ERASE &&
                 conv->row == conv->media->rows_per_block) ||
                (conv->stage == CLEAN_ERASE &&
                 conv->ftl.lines[conv->victim].valid != 0) ||
                conv->ops_left == 0)) {
        state_fail(state, "line %u is cleaned at row %u of %u, stage %u, with "
                   "%u places and %u operations left", conv->victim, conv->row,
                   conv->media->rows_per_block, conv->stage,
                   conv->ftl.lines[conv->victim].valid, conv->ops_left);
    }
}

/* Writing and reading */

static void visit_writes(Conv *conv, State *state)
{
    StateLinks links = STATE_LINKS(Command, next_write_idx, "writes",
                                   conv->commands->at,
                                   conv->params->cmd_slots);

    state_links_begin(&links);
    state_list(state, &links, &conv->first_write_idx, &conv->last_write_idx);
    state_links_end(&links);
}

void conv_state(Conv *conv, State *state)
{
    uint32_t lines = conv->ftl.line_count;

    state_room(state, "conventional");
    state_count(state, STATE_OF_LINES, lines);
    STATE_STRUCT(state, conv_rows, conv);
    if (conv->params->conventional_bytes != 0) {
        ftl_state(&conv->ftl, state);
        STATE_ARRAY(Conv, newest_id, state, conv, conv->ftl.granule_count);
        STATE_ARRAY_OF(Conv, programmed_rows, state, conv,
                       (uint64_t)lines * conv->map.zone_units,
                       STATE_IS_NUMBER, STATE_OF_NOTHING,
                       conv->media->rows_per_block);
        STATE_ARRAY_OF(Conv, programmed_pages, state, conv, lines,
                       STATE_IS_NUMBER, STATE_OF_NOTHING, conv->line_pages);
        STATE_ARRAY(Conv, life, state, conv, lines);
        visit_writes(conv, state);
    }
    if (state_was_read(state)) {
        check_writes(conv, state);
        check_victim(conv, state);
    }
    state_room_end(state);
}
