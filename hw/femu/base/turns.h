/*
 * Who waits, and whose turn it is. Waiters, numbers below a bound, stand in
 * lines in the order of their arrival. Groups of lines take turns, and so do the
 * lines of a group: the first waiter of a line does one step, then its line
 * goes behind the others of its group, and the group behind the other groups. A
 * line that cannot go on for a reason of its own stands aside meanwhile.
 *
 * So between two steps of a line that does not stand aside, each other group
 * does at most as many steps as the line's group has lines, and each other line
 * of its group at most one.
 *
 * With one line all are served in the order of arrival.
 *
 * Knows nothing of what waits, or for what.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_TURNS_H
#define FEMU_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#define TURNS_NONE UINT32_MAX

typedef struct TurnLine {
    uint32_t first_waiter_idx;
    uint32_t last_waiter_idx;
    uint32_t next_line_idx;
    bool is_aside;
} TurnLine;

/* Lines with waiters that do not stand aside, in the order of their turns. */
typedef struct TurnGroup {
    uint32_t first_line_idx;
    uint32_t last_line_idx;
    uint32_t next_group_idx;
} TurnGroup;

typedef struct Turns {
    TurnLine *lines;
    TurnGroup *groups;
    uint32_t lines_per_group;
    uint32_t *next_waiter_idx; /* [waiter]: the waiter behind it */
    uint32_t first_group_idx;  /* groups that wait, in order of turns */
    uint32_t last_group_idx;
} Turns;

/* Line l is of group l / lines_per_group, which must be below group_count. */
void turns_init(Turns *turns, uint32_t waiter_count, uint32_t group_count,
                uint32_t line_count, uint32_t lines_per_group);
void turns_destroy(Turns *turns);

/* Put a waiter, which must be in no line, at the end of a line. */
void turns_wait(Turns *turns, uint32_t line_idx, uint32_t waiter_idx);

/* The group whose turn it is, or TURNS_NONE. */
static inline uint32_t turns_group(const Turns *turns)
{
    return turns->first_group_idx;
}

/* Has the group a line that does not stand aside? */
bool turns_group_waits(const Turns *turns, uint32_t group_idx);

/* Whose turn it is in a group that waits. */
uint32_t turns_waiter(const Turns *turns, uint32_t group_idx);

/* The group's waiter has done a step, and waits for its next. */
void turns_pass(Turns *turns, uint32_t group_idx);

/* The group's waiter has done its last step. Return: it; it is in no line. */
uint32_t turns_leave(Turns *turns, uint32_t group_idx);

/*
 * The group's waiter cannot do its step: its line stands aside until it is
 * called back. It is the turn of the group's next line, or of the next group.
 */
void turns_set_aside(Turns *turns, uint32_t group_idx);

/* A line that stands aside may go on: it comes behind the group's others. */
void turns_call_back(Turns *turns, uint32_t line_idx);

/*
 * turns_state.c: as bytes; see state.h. The counts are those of turns_init();
 * waits[waiter] tells who waits.
 */
typedef struct State State;
void turns_state(Turns *turns, State *state, uint32_t waiter_count,
                 uint32_t group_count, uint32_t line_count, bool *waits);

#endif
