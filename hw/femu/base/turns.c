/*
 * Turns: a ring of groups, each a ring of lines, each a queue of waiters.
 * All takes constant time, except that a group which is served out of turn is
 * searched among the groups.
 *
 * Knows nothing of what waits, or for what.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "turns.h"

#include <glib.h>

void turns_init(Turns *turns, uint32_t waiter_count, uint32_t group_count,
                uint32_t line_count, uint32_t lines_per_group)
{
    *turns = (Turns) {
        .lines = g_new(TurnLine, line_count),
        .groups = g_new(TurnGroup, group_count),
        .lines_per_group = lines_per_group,
        .next_waiter_idx = g_new(uint32_t, waiter_count),
        .first_group_idx = TURNS_NONE,
    };
    for (uint32_t i = 0; i < line_count; i++) {
        turns->lines[i] = (TurnLine) { .first_waiter_idx = TURNS_NONE };
    }
    for (uint32_t i = 0; i < group_count; i++) {
        turns->groups[i] = (TurnGroup) { .first_line_idx = TURNS_NONE };
    }
}

void turns_destroy(Turns *turns)
{
    g_free(turns->lines);
    g_free(turns->groups);
    g_free(turns->next_waiter_idx);
}

/* Groups */

static void append_group(Turns *turns, uint32_t group_idx)
{
    turns->groups[group_idx].next_group_idx = TURNS_NONE;
    if (turns->first_group_idx == TURNS_NONE) {
        turns->first_group_idx = group_idx;
    } else {
        turns->groups[turns->last_group_idx].next_group_idx = group_idx;
    }
    turns->last_group_idx = group_idx;
}

static void remove_group(Turns *turns, uint32_t group_idx)
{
    uint32_t next_idx = turns->groups[group_idx].next_group_idx;
    uint32_t before_idx = turns->first_group_idx;

    if (before_idx == group_idx) {
        turns->first_group_idx = next_idx;
        return;
    }
    while (turns->groups[before_idx].next_group_idx != group_idx) {
        before_idx = turns->groups[before_idx].next_group_idx;
    }
    turns->groups[before_idx].next_group_idx = next_idx;
    if (turns->last_group_idx == group_idx) {
        turns->last_group_idx = before_idx;
    }
}

bool turns_group_waits(const Turns *turns, uint32_t group_idx)
{
    return turns->groups[group_idx].first_line_idx != TURNS_NONE;
}

/* Lines */

static void append_line(Turns *turns, uint32_t line_idx)
{
    uint32_t group_idx = line_idx / turns->lines_per_group;
    TurnGroup *group = &turns->groups[group_idx];

    turns->lines[line_idx].next_line_idx = TURNS_NONE;
    if (group->first_line_idx == TURNS_NONE) {
        group->first_line_idx = line_idx;
        append_group(turns, group_idx);
    } else {
        turns->lines[group->last_line_idx].next_line_idx = line_idx;
    }
    group->last_line_idx = line_idx;
}

/* The group's first line. */
static uint32_t remove_line(Turns *turns, uint32_t group_idx)
{
    TurnGroup *group = &turns->groups[group_idx];
    uint32_t line_idx = group->first_line_idx;

    group->first_line_idx = turns->lines[line_idx].next_line_idx;
    return line_idx;
}

void turns_wait(Turns *turns, uint32_t line_idx, uint32_t waiter_idx)
{
    TurnLine *line = &turns->lines[line_idx];

    turns->next_waiter_idx[waiter_idx] = TURNS_NONE;
    if (line->first_waiter_idx == TURNS_NONE) {
        line->first_waiter_idx = waiter_idx;
        append_line(turns, line_idx);
    } else {
        turns->next_waiter_idx[line->last_waiter_idx] = waiter_idx;
    }
    line->last_waiter_idx = waiter_idx;
}

uint32_t turns_waiter(const Turns *turns, uint32_t group_idx)
{
    return turns->lines[turns->groups[group_idx].first_line_idx]
           .first_waiter_idx;
}

/* The group's turn is over; so is that of its first line, if that waits on. */
static void end_turn(Turns *turns, uint32_t group_idx)
{
    uint32_t line_idx = remove_line(turns, group_idx);

    remove_group(turns, group_idx);
    if (turns_group_waits(turns, group_idx)) {
        append_group(turns, group_idx);
    }
    if (turns->lines[line_idx].first_waiter_idx != TURNS_NONE) {
        append_line(turns, line_idx);
    }
}

void turns_pass(Turns *turns, uint32_t group_idx)
{
    end_turn(turns, group_idx);
}

uint32_t turns_leave(Turns *turns, uint32_t group_idx)
{
    TurnLine *line = &turns->lines[turns->groups[group_idx].first_line_idx];
    uint32_t waiter_idx = line->first_waiter_idx;

    line->first_waiter_idx = turns->next_waiter_idx[waiter_idx];
    end_turn(turns, group_idx);
    return waiter_idx;
}

void turns_set_aside(Turns *turns, uint32_t group_idx)
{
    turns->lines[remove_line(turns, group_idx)].is_aside = true;
    if (!turns_group_waits(turns, group_idx)) {
        remove_group(turns, group_idx);
    }
}

void turns_call_back(Turns *turns, uint32_t line_idx)
{
    if (turns->lines[line_idx].is_aside) {
        turns->lines[line_idx].is_aside = false;
        append_line(turns, line_idx);
    }
}
