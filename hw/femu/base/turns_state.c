/*
 * The state of turns: who waits in which line, lines and groups in their order.
 *
 * Knows nothing of what waits, or for what.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "state.h"
#include "turns.h"

static const StateRow turn_line_rows[] = {
    STATE_BOOL(TurnLine, is_aside),
    STATE_IN_LISTS(TurnLine, first_waiter_idx),
    STATE_IN_LISTS(TurnLine, last_waiter_idx),
    STATE_IN_LISTS(TurnLine, next_line_idx),
};

static const StateRow turn_group_rows[] = {
    STATE_IN_LISTS(TurnGroup, first_line_idx),
    STATE_IN_LISTS(TurnGroup, last_line_idx),
    STATE_IN_LISTS(TurnGroup, next_group_idx),
};

static const StateRow turns_rows[] = {
    STATE_ELSE(Turns, lines, "a table and lists"),
    STATE_ELSE(Turns, groups, "a table and lists"),
    STATE_LEFT(Turns, lines_per_group, "of the parameters"),
    STATE_IN_LISTS(Turns, next_waiter_idx),
    STATE_IN_LISTS(Turns, first_group_idx),
    STATE_IN_LISTS(Turns, last_group_idx),
};

/* Each line with waiters is in its group's list, if it is not aside. */
static void check_lines(State *state, const Turns *turns,
                        const StateLinks *lines)
{
    for (uint32_t i = 0; i < lines->count; i++) {
        const TurnLine *line = &turns->lines[i];
        bool waits = line->first_waiter_idx != TURNS_NONE;

        if (line->is_aside && !waits) {
            state_fail(state, "line %u stands aside, and nobody waits in it",
                       i);
        }
        if (lines->linked[i] != (waits && !line->is_aside)) {
            state_fail(state, "line %u has a turn: %d, must be %d", i,
                       lines->linked[i], waits && !line->is_aside);
        }
    }
}

static void check_groups(State *state, const Turns *turns,
                         const StateLinks *groups)
{
    for (uint32_t i = 0; i < groups->count; i++) {
        if (groups->linked[i] != turns_group_waits(turns, i)) {
            state_fail(state, "group %u has a turn: %d, must be %d", i,
                       groups->linked[i], turns_group_waits(turns, i));
        }
        for (uint32_t line = turns->groups[i].first_line_idx;
             line != TURNS_NONE; line = turns->lines[line].next_line_idx) {
            if (line / turns->lines_per_group != i) {
                state_fail(state, "line %u is in group %u", line, i);
            }
        }
    }
}

static void visit_lists(Turns *turns, State *state, StateLinks *waiters,
                        StateLinks *lines, StateLinks *groups)
{
    state_lists(state, waiters, &(StateHeads) {
        turns->lines, sizeof(TurnLine), offsetof(TurnLine, first_waiter_idx),
        offsetof(TurnLine, last_waiter_idx), lines->count,
    });
    state_lists(state, lines, &(StateHeads) {
        turns->groups, sizeof(TurnGroup), offsetof(TurnGroup, first_line_idx),
        offsetof(TurnGroup, last_line_idx), groups->count,
    });
    state_list(state, groups, &turns->first_group_idx,
               &turns->last_group_idx);
    if (state_was_read(state)) {
        check_lines(state, turns, lines);
        check_groups(state, turns, groups);
    }
}

void turns_state(Turns *turns, State *state, uint32_t waiter_count,
                 uint32_t group_count, uint32_t line_count, bool *waits)
{
    StateLinks waiters = {
        .name = "waiters", .at = turns->next_waiter_idx,
        .bytes = sizeof(uint32_t), .prev_offset = STATE_SINGLE,
        .count = waiter_count,
    };
    StateLinks lines = STATE_LINKS(TurnLine, next_line_idx, "lines",
                                   turns->lines, line_count);
    StateLinks groups = STATE_LINKS(TurnGroup, next_group_idx, "groups",
                                    turns->groups, group_count);

    STATE_STRUCT(state, turns_rows, turns);
    STATE_STRUCT(state, turn_group_rows, turns->groups);
    STATE_TABLE(state, turn_line_rows, turns->lines, line_count, NULL);
    state_links_begin(&waiters);
    state_links_begin(&lines);
    state_links_begin(&groups);
    visit_lists(turns, state, &waiters, &lines, &groups);
    for (uint32_t i = 0; i < waiter_count; i++) {
        waits[i] = waiters.linked[i];
    }
    state_links_end(&waiters);
    state_links_end(&lines);
    state_links_end(&groups);
}
