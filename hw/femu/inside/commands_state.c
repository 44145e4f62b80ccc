/*
 * The state of the commands inside.
 *
 * Knows nothing of time, flash or zones' states.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/state.h"
#include "commands.h"

static const StateRow done_rows[] = {
    STATE_NUMBER(SsdDone, tag),
    STATE_NUMBER(SsdDone, nsid),
    STATE_AT_MOST(SsdDone, status, SSD_SUCCESS),
    STATE_AT_MOST(SsdDone, op, SSD_OP_COUNT - 1),
    STATE_NUMBER(SsdDone, result),
    STATE_NUMBER(SsdDone, ahead_bytes),
    STATE_TIME(SsdDone, submitted_at_ns),
    STATE_TIME(SsdDone, due_at_ns),
};

static const StateRow span_rows[] = {
    STATE_NUMBER(Span, zone_idx),
    STATE_TIME(Span, begin_bytes),
    STATE_TIME(Span, end_bytes),
};

static const StateRow write_rows[] = {
    STATE_NUMBER(ZoneWrite, data.zone_idx),
    STATE_TIME(ZoneWrite, data.begin_bytes),
    STATE_TIME(ZoneWrite, data.end_bytes),
    STATE_BOOL(ZoneWrite, in_zrwa),
    STATE_TIME(ZoneWrite, wp_from_bytes),
    STATE_TIME(ZoneWrite, wp_to_bytes),
    STATE_TIME(ZoneWrite, end_bytes),
};

static const StateRow command_rows[] = {
    STATE_TIME(Command, bytes),
    STATE_AT_MOST(Command, parts_left, INT32_MAX),
    STATE_BOOL(Command, writes),
    STATE_BOOL(Command, is_writing),
    STATE_BOOL(Command, is_promised),
    STATE_NUMBER(Command, write_id),
    STATE_BOOL(Command, is_conventional),
    STATE_AT_MOST(Command, cost_class, COST_PART),
    STATE_BOOL(Command, select_all),
    STATE_BOOL(Command, is_answered),
    STATE_AT_MOST(Command, range_count, SSD_DEALLOCATE_RANGES_MAX),
    STATE_NUMBER(Command, life),
    STATE_INDEX_OR_NONE(Command, ahead_stream_idx, STATE_OF_STREAMS),
    STATE_NUMBER(Command, ahead_row),
    STATE_TIME(Command, link_until_at_ns),
    STATE_TIME(Command, front_until_at_ns),
    STATE_NUMBER(Command, number),
    STATE_AT_MOST(Command, kept_slots, 8192),
    STATE_ELSE(Command, done, "done_rows"),
    STATE_ELSE(Command, write, "write_rows"),
    STATE_ELSE(Command, target, "span_rows"),
    STATE_IN_LISTS(Command, next_idx),
    STATE_IN_LISTS(Command, next_write_idx),      /* zns, conv */
    STATE_IN_LISTS(Command, next_select_all_idx), /* zns */
    STATE_IN_LISTS(Command, first_job_idx),       /* zns */
    STATE_LEFT(Command, last_job_idx, "only while jobs are added"),
};

static const StateRow commands_rows[] = {
    STATE_NUMBER(Commands, taken),
    STATE_BOOL(Commands, host_io_seen),
    STATE_TIME(Commands, host_io_left_at_ns),
    STATE_ELSE(Commands, at, "tables of those in use"),
    STATE_ELSE(Commands, ranges, "span_rows, of those in use"),
    STATE_LEFT(Commands, effects, "another room"),
    STATE_IN_LISTS(Commands, free_idx),
    STATE_LEFT(Commands, count, "those in use"),
    STATE_LEFT(Commands, finish_count, "of their operations"),
    STATE_LEFT(Commands, host_io_count, "of their operations"),
};

static const StateRow effects_rows[] = {
    STATE_LEFT(Effects, ring, "no effect waits between calls"),
    STATE_LEFT(Effects, capacity, "of the parameters"),
    STATE_LEFT(Effects, head, "the ring may as well begin at 0"),
    STATE_LEFT(Effects, count, "0 between calls"),
};

void commands_done_state(SsdDone *done, State *state, uint64_t count,
                         const uint32_t *chosen)
{
    STATE_TABLE(state, done_rows, done, count, chosen);
}

/*
 * Has the command written its `write`, its `target`? If not, they are what the
 * command before it has left in the slot, and are not stored.
 */

static bool has_write(const Command *command)
{
    return command->is_conventional
           ? command->writes || command->is_promised
           : commands_is_write(command->done.op) ||
             command->done.op == SSD_OP_ZONE_FLUSH_ZRWA;
}

static bool has_target(const Command *command)
{
    SsdOp op = command->done.op;

    return command->is_conventional
           ? op != SSD_OP_DEALLOCATE
           : commands_is_read(op);
}

static GArray *choose(const Commands *commands, const uint32_t *used,
                      uint32_t used_count,
                      bool (*has)(const Command *command))
{
    GArray *chosen = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t i = 0; i < used_count; i++) {
        if (has(&commands->at[used[i]])) {
            g_array_append_val(chosen, used[i]);
        }
    }
    return chosen;
}

/* A command is a struct of structs: each of these is a table of its own. */
static void visit_used(Commands *commands, State *state, const uint32_t *used,
                       uint32_t used_count)
{
    Command *at = commands->at;
    g_autoptr(GArray) writes = NULL;
    g_autoptr(GArray) targets = NULL;

    state_table(state, "commands", done_rows, G_N_ELEMENTS(done_rows),
                &at->done, sizeof(*at), used_count, used);
    state_table(state, "commands", command_rows, G_N_ELEMENTS(command_rows),
                at, sizeof(*at), used_count, used);
    writes = choose(commands, used, used_count, has_write);
    state_table(state, "commands", write_rows, G_N_ELEMENTS(write_rows),
                &at->write, sizeof(*at), writes->len,
                (const uint32_t *)writes->data);
    targets = choose(commands, used, used_count, has_target);
    state_table(state, "commands", span_rows, G_N_ELEMENTS(span_rows),
                &at->target, sizeof(*at), targets->len,
                (const uint32_t *)targets->data);
}

static void visit_ranges(Commands *commands, State *state,
                         const uint32_t *used, uint32_t used_count)
{
    g_autoptr(GArray) chosen = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t i = 0; i < used_count; i++) {
        for (uint32_t r = 0; r < commands->at[used[i]].range_count; r++) {
            uint32_t range = used[i] * SSD_DEALLOCATE_RANGES_MAX + r;

            g_array_append_val(chosen, range);
        }
    }
    STATE_TABLE(state, span_rows, commands->ranges, chosen->len,
                (const uint32_t *)chosen->data);
}

static void count_used(Commands *commands, const uint32_t *used,
                       uint32_t used_count)
{
    commands->count = used_count;
    for (uint32_t i = 0; i < used_count; i++) {
        SsdOp op = commands->at[used[i]].done.op;

        commands->finish_count += op == SSD_OP_ZONE_FINISH;
        commands->host_io_count += commands_is_host_io(op);
    }
}

uint32_t *commands_state(Commands *commands, State *state, uint32_t slots)
{
    StateLinks links = STATE_LINKS(Command, next_idx, "slots", commands->at,
                                   slots);
    uint32_t *used;
    uint32_t used_count;

    g_assert(commands->effects->count == 0);
    state_room(state, "commands");
    STATE_STRUCT(state, commands_rows, commands);
    STATE_STRUCT(state, effects_rows, commands->effects);
    state_links_begin(&links);
    state_list(state, &links, &commands->free_idx, NULL);
    used = state_unlinked(&links, &used_count);
    state_links_end(&links);
    visit_used(commands, state, used, used_count);
    if (state_is_good(state)) {
        visit_ranges(commands, state, used, used_count);
    }
    if (state_is_reading(state)) {
        count_used(commands, used, used_count);
    }
    state_room_end(state);
    return used;
}
