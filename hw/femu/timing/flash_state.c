/*
 * The state of the flash array: operations under way, units, channels.
 *
 * Knows nothing of zones, commands or NVMe.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "../base/state.h"
#include "flash_internal.h"

static const StateRow clock_rows[] = {
    STATE_TIME(LocalClock, busy_until_at_ns),
    STATE_NUMBER(LocalClock, booked_ns),
};

static const StateRow channel_rows[] = {
    STATE_TIME(FlashChannel, clock.busy_until_at_ns),
    STATE_NUMBER(FlashChannel, clock.booked_ns),
    STATE_NUMBER(FlashChannel, crossing),
    STATE_IN_LISTS(FlashChannel, line),
};

static const StateRow token_rows[] = {
    STATE_AT_MOST(FlashToken, op.kind, FLASH_STEP),
    STATE_INDEX(FlashToken, op.unit_idx, STATE_OF_UNITS),
    STATE_NUMBER(FlashToken, op.begin_bytes),
    STATE_NUMBER(FlashToken, op.end_bytes),
    STATE_AT_MOST(FlashToken, op.block_count, INT32_MAX),
    STATE_NUMBER(FlashToken, op.host_bytes),
    STATE_OWNER(FlashToken, op.owner),
    STATE_INDEX(FlashToken, op.place_idx, STATE_OF_PLACES),
    STATE_NUMBER(FlashToken, op.cells_idx), /* a key of draws */
    STATE_INDEX(FlashToken, op.row, STATE_OF_ROWS),
    STATE_NUMBER(FlashToken, op.life),
    STATE_INDEX(FlashToken, op.epoch, STATE_OF_EPOCHS),
    STATE_NUMBER(FlashToken, programs_before),
    STATE_BOOL(FlashToken, at_unit),
    STATE_BOOL(FlashToken, is_issued),
    STATE_BOOL(FlashToken, from_registers),
    STATE_BOOL(FlashToken, has_event),
    STATE_IN_LISTS(FlashToken, next_idx),
};

static const StateRow queue_rows[] = {
    STATE_IN_LISTS(FlashQueue, head_idx),
    STATE_IN_LISTS(FlashQueue, tail_idx),
};

static const StateRow unit_rows[] = {
    STATE_NUMBER(FlashUnit, steps_waiting),
    STATE_INDEX_OR_NONE(FlashUnit, running_idx, STATE_OF_TOKENS),
    STATE_INDEX_OR_NONE(FlashUnit, suspended_idx, STATE_OF_TOKENS),
    STATE_TIME(FlashUnit, row_from_at_ns),
    STATE_NUMBER(FlashUnit, reads_served),
    STATE_NUMBER(FlashUnit, reread_bytes),
    STATE_NUMBER(FlashUnit, first_draw),
    STATE_AT_MOST(FlashUnit, drawn, FLASH_ROUND_SEGMENTS),
    STATE_TIME(FlashUnit, run_from_at_ns),
    STATE_TIME(FlashUnit, run_until_at_ns),
    STATE_TIME(FlashUnit, point_at_ns),
    STATE_BOOL(FlashUnit, suspending),
    STATE_TIME(FlashUnit, left_ns),
    STATE_TIME(FlashUnit, busy_since_at_ns),
    STATE_NUMBER(FlashUnit, retired_ns),
    STATE_NUMBER(FlashUnit, loaded),
    STATE_BOOL(FlashUnit, programs_own),
    STATE_NUMBER(FlashUnit, programs_issued),
    STATE_NUMBER(FlashUnit, programs_arrived),
    STATE_LEFT(FlashUnit, channel_idx, "of the unit's number"),
    STATE_IN_LISTS(FlashUnit, reads),
    STATE_IN_LISTS(FlashUnit, work),
    STATE_IN_LISTS(FlashUnit, loads),
    STATE_IN_LISTS(FlashUnit, erases),
};

static const StateRow sensed_rows[] = {
    STATE_NUMBER(FlashSensed, cells_idx),
    STATE_NUMBER(FlashSensed, row),
    STATE_NUMBER(FlashSensed, page),
};

static const StateRow counter_rows[] = {
    STATE_NUMBER(FlashCounters, senses),
    STATE_NUMBER(FlashCounters, programs),
    STATE_NUMBER(FlashCounters, erased_blocks),
    STATE_NUMBER(FlashCounters, suspensions),
    STATE_NUMBER(FlashCounters, padded_bytes),
};

static const StateRow busy_entry_rows[] = {
    STATE_NUMBER(BusyEntry, begin_at_ns),
    STATE_NUMBER(BusyEntry, end_at_ns),
    STATE_NUMBER(BusyEntry, resource_idx),
    STATE_AT_MOST(BusyEntry, kind, FLASH_STEP),
    STATE_BOOL(BusyEntry, is_channel),
};

static const StateRow busy_log_rows[] = {
    STATE_AT_MOST(BusyLog, size, FLASH_BUSY_MOST),
    STATE_ELSE(BusyLog, entries, "a table, from the oldest on"),
    STATE_LEFT(BusyLog, head, "the ring may as well begin at 0"),
    STATE_ELSE(BusyLog, count, "before the table"),
};

static const StateRow flash_rows[] = {
    STATE_AT_MOST(Flash, fresh_idx, UINT32_MAX - 1),
    STATE_BOOL(Flash, locked),
    STATE_NUMBER(Flash, begun),
    STATE_NUMBER(Flash, programming),
    STATE_LEFT(Flash, config, "of the parameters"),
    STATE_LEFT(Flash, page_divisor, "of the parameters"),
    STATE_LEFT(Flash, plane_divisor, "of the parameters"),
    STATE_LEFT(Flash, events, "another room"),
    STATE_ELSE(Flash, tokens, "a table of those in use"),
    STATE_IN_LISTS(Flash, free_idx),
    STATE_ELSE(Flash, issue, "clock_rows"),
    STATE_ELSE(Flash, channels, "channel_rows"),
    STATE_ELSE(Flash, units, "unit_rows"),
    STATE_ELSE(Flash, sensed, "sensed_rows"),
    STATE_ELSE(Flash, asked, "sensed_rows"),
    STATE_ELSE(Flash, counters, "counter_rows"),
    STATE_ELSE(Flash, busy, "busy_log_rows"),
};

/* The log of what was busy. When it has been read, its ring begins at 0. */

static void make_log(State *state, BusyLog *log)
{
    log->entries = g_try_new0(BusyEntry, log->size);
    if (log->entries == NULL) {
        state_fail(state, "no memory for a log of %u entries", log->size);
    }
}

static void visit_log(State *state, BusyLog *log)
{
    uint64_t count = log->count;
    g_autofree uint32_t *chosen = NULL;

    STATE_STRUCT(state, busy_log_rows, log);
    if (state_is_reading(state) && log->size != 0) {
        make_log(state, log);
    }
    state_number(state, "busy", &count, log->size); /* bad: it is 0 */
    chosen = g_new(uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        chosen[i] = (log->head + i) % log->size;
    }
    STATE_TABLE(state, busy_entry_rows, log->entries, count, chosen);
    log->count = count;
}

/* Operations */

static void visit_lines(Flash *flash, State *state, StateLinks *tokens)
{
    state_lists(state, tokens, &(StateHeads) {
        (char *)&flash->channels->line, sizeof(FlashChannel),
        offsetof(FlashQueue, head_idx), offsetof(FlashQueue, tail_idx),
        flash->config.channels,
    });
}

/* A queue that each unit has */
static void visit_queue(Flash *flash, State *state, StateLinks *tokens,
                        size_t offset)
{
    state_lists(state, tokens, &(StateHeads) {
        (char *)flash->units + offset, sizeof(FlashUnit),
        offsetof(FlashQueue, head_idx), offsetof(FlashQueue, tail_idx),
        flash_unit_count(flash),
    });
}

/* First the list of free tokens; all that are not in it are in use. */
static void visit_tokens(Flash *flash, State *state, StateLinks *tokens)
{
    g_autofree uint32_t *used = NULL;
    uint32_t used_count;

    state_list(state, tokens, &flash->free_idx, NULL);
    used = state_unlinked(tokens, &used_count);
    STATE_TABLE(state, token_rows, flash->tokens, used_count, used);
    STATE_STRUCT(state, queue_rows, &flash->units->reads);
    visit_queue(flash, state, tokens, offsetof(FlashUnit, reads));
    visit_queue(flash, state, tokens, offsetof(FlashUnit, work));
    visit_queue(flash, state, tokens, offsetof(FlashUnit, loads));
    visit_queue(flash, state, tokens, offsetof(FlashUnit, erases));
    visit_lines(flash, state, tokens);
}

void flash_state(Flash *flash, State *state)
{
    uint64_t registers = flash->sensed ? (uint64_t)flash_unit_count(flash) *
                                         flash->config.unit_planes : 0;
    StateLinks tokens;

    state_room(state, "flash");
    STATE_STRUCT(state, flash_rows, flash);
    if (flash->fresh_idx > flash->config.op_capacity) {
        state_fail(state, "%u operations, at most %u", flash->fresh_idx,
                   flash->config.op_capacity);
        return;
    }
    state_count(state, STATE_OF_TOKENS, flash->fresh_idx);
    STATE_STRUCT(state, clock_rows, &flash->issue);
    STATE_TABLE(state, channel_rows, flash->channels, flash->config.channels,
                NULL);
    STATE_TABLE(state, unit_rows, flash->units, flash_unit_count(flash), NULL);
    STATE_TABLE(state, sensed_rows, flash->sensed, registers, NULL);
    STATE_TABLE(state, sensed_rows, flash->asked, registers, NULL);
    STATE_STRUCT(state, counter_rows, &flash->counters);
    visit_log(state, &flash->busy);
    tokens = STATE_LINKS(FlashToken, next_idx, "operations", flash->tokens,
                         flash->fresh_idx);
    state_links_begin(&tokens);
    visit_tokens(flash, state, &tokens);
    state_links_end(&tokens);
    state_room_end(state);
}
