/*
 * Lists of a state: how many elements each has, and which.
 *
 * Knows nothing of what is saved.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "state.h"

void state_links_begin(StateLinks *links)
{
    links->linked = g_new0(bool, links->count);
}

void state_links_end(StateLinks *links)
{
    g_clear_pointer(&links->linked, g_free);
}

static uint32_t *link_at(const StateLinks *links, uint32_t idx, size_t offset)
{
    return (uint32_t *)((char *)links->at + idx * links->bytes + offset);
}

static uint32_t *head_at(const StateHeads *heads, uint64_t i, size_t offset)
{
    return (uint32_t *)((char *)heads->at + i * heads->bytes + offset);
}

static void visit_numbers(State *state, const char *name, GArray *numbers,
                          uint64_t most)
{
    const StateRow row = {
        .name = name,
        .size = sizeof(uint32_t),
        .kind = STATE_IS_NUMBER,
        .most = most,
    };

    state_numbers(state, &row, numbers->data, numbers->len);
}

/* Writing: what the lists lead to. */
static void follow(const StateLinks *links, const StateHeads *heads,
                   GArray *lengths, GArray *members)
{
    for (uint64_t i = 0; i < heads->count; i++) {
        uint32_t *length = &g_array_index(lengths, uint32_t, i);

        for (uint32_t idx = *head_at(heads, i, heads->first_offset);
             idx < links->count;
             idx = *link_at(links, idx, links->next_offset)) {
            g_assert(!links->linked[idx]);
            links->linked[idx] = true;
            g_array_append_val(members, idx);
            ++*length;
        }
    }
}

/* Room for the members: what is written has as much already. */
static void make_room(State *state, const StateLinks *links,
                      const GArray *lengths, GArray *members)
{
    uint64_t sum = 0;

    for (guint i = 0; i < lengths->len; i++) {
        sum += g_array_index(lengths, uint32_t, i);
    }
    if (sum > links->count) {
        state_fail(state, "%s: lists of %" G_GUINT64_FORMAT " in all, there "
                   "are %u", links->name, sum, links->count);
    }
    if (state_is_good(state)) {
        g_array_set_size(members, sum);
    }
}

/* Reading */

/* It is in no other list; of a state that fails, nobody follows lists. */
static void take(State *state, const StateLinks *links, uint32_t idx)
{
    if (links->linked[idx]) {
        state_fail(state, "%s: %u is in two lists, or twice in one",
                   links->name, idx);
    }
    links->linked[idx] = true;
}

/* List `i` has members [begin, end). */
static void link_list(State *state, const StateLinks *links,
                      const StateHeads *heads, uint64_t i,
                      const GArray *members, guint begin, guint end)
{
    uint32_t last = STATE_NONE;

    *head_at(heads, i, heads->first_offset) =
        begin < end ? g_array_index(members, uint32_t, begin) : STATE_NONE;
    for (guint m = begin; m < end; m++) {
        uint32_t idx = g_array_index(members, uint32_t, m);

        take(state, links, idx);
        *link_at(links, idx, links->next_offset) =
            m + 1 < end ? g_array_index(members, uint32_t, m + 1) : STATE_NONE;
        if (links->prev_offset != STATE_SINGLE) {
            *link_at(links, idx, links->prev_offset) = last;
        }
        last = idx;
    }
    if (heads->last_offset != STATE_SINGLE) {
        *head_at(heads, i, heads->last_offset) = last;
    }
}

static void link_all(State *state, const StateLinks *links,
                     const StateHeads *heads, const GArray *lengths,
                     const GArray *members)
{
    guint begin = 0;

    for (uint64_t i = 0; i < heads->count; i++) {
        guint end = begin + g_array_index(lengths, uint32_t, i);

        link_list(state, links, heads, i, members, begin, end);
        begin = end;
    }
}

/* Both */

void state_lists(State *state, StateLinks *links, const StateHeads *heads)
{
    g_autoptr(GArray) lengths = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    g_autoptr(GArray) members = g_array_new(FALSE, TRUE, sizeof(uint32_t));

    g_array_set_size(lengths, heads->count);
    if (!state_is_reading(state)) {
        follow(links, heads, lengths, members);
    }
    visit_numbers(state, links->name, lengths, links->count);
    make_room(state, links, lengths, members);
    /* Without an element there are no members either. */
    visit_numbers(state, links->name, members, links->count - 1);
    if (state_was_read(state)) {
        link_all(state, links, heads, lengths, members);
    }
}

void state_list(State *state, StateLinks *links, uint32_t *first,
                uint32_t *last)
{
    uint32_t ends[2] = { *first, STATE_NONE };

    state_lists(state, links, &(StateHeads) {
        .at = ends,
        .bytes = sizeof(ends),
        .first_offset = 0,
        .last_offset = sizeof(ends[0]),
        .count = 1,
    });
    if (state_is_reading(state)) {
        *first = ends[0];
        if (last != NULL) {
            *last = ends[1];
        }
    }
}

uint32_t *state_unlinked(const StateLinks *links, uint32_t *count)
{
    uint32_t *unlinked = g_new(uint32_t, links->count);

    *count = 0;
    for (uint32_t i = 0; i < links->count; i++) {
        if (!links->linked[i]) {
            unlinked[(*count)++] = i;
        }
    }
    return unlinked;
}
