/*
 * The state of the host link.
 *
 * Knows nothing of zones, flash or the buffer.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/state.h"
#include "link.h"

static const StateRow link_rows[] = {
    STATE_LEFT(Link, in_ns, "of the parameters"),
    STATE_LEFT(Link, out_ns, "of the parameters"),
    STATE_TIME(Link, in.busy_until_at_ns),
    STATE_NUMBER(Link, in.booked_ns),
    STATE_TIME(Link, out.busy_until_at_ns),
    STATE_NUMBER(Link, out.booked_ns),
    STATE_LEFT(Link, commands, "another room"),
    STATE_LEFT(Link, events, "another room"),
    STATE_ELSE(Link, portions, "portion_rows, from the first on"),
    STATE_LEFT(Link, capacity, "of the parameters"),
    STATE_LEFT(Link, head, "the ring may as well begin at 0"),
    STATE_ELSE(Link, count, "before the portions"),
};

static const StateRow portion_rows[] = {
    STATE_TIME(LinkPortion, begin_at_ns),
    STATE_TIME(LinkPortion, at_ns),
    STATE_INDEX(LinkPortion, command_idx, STATE_OF_COMMANDS),
    STATE_NUMBER(LinkPortion, bytes),
    STATE_BOOL(LinkPortion, is_last),
};

void link_state(Link *link, State *state)
{
    uint64_t count = link->count;
    g_autofree uint32_t *chosen = NULL;

    state_room(state, "link");
    STATE_STRUCT(state, link_rows, link);
    state_number(state, "portions", &count, link->capacity);
    chosen = g_new(uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        chosen[i] = (link->head + i) % link->capacity;
    }
    STATE_TABLE(state, portion_rows, link->portions, count, chosen);
    link->count = count;
    state_room_end(state);
}
