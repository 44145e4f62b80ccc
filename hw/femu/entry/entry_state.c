/*
 * The state of the front end and of the read slots.
 *
 * Knows nothing of what a command does when it has begun.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/state.h"
#include "entry.h"

static const StateRow work_rows[] = {
    STATE_TIME(FrontEndWork, before_ns),
    STATE_TIME(FrontEndWork, after_ns),
    STATE_IN_LISTS(FrontEndWork, next_idx),
};

static const StateRow front_rows[] = {
    STATE_LEFT(FrontEnd, events, "another room"),
    STATE_LEFT(FrontEnd, lane_idx, "constant"),
    STATE_LEFT(FrontEnd, payload, "constant"),
    STATE_ELSE(FrontEnd, work, "work_rows, of those in the list"),
    STATE_IN_LISTS(FrontEnd, head_idx),
    STATE_IN_LISTS(FrontEnd, tail_idx),
    STATE_TIME(FrontEnd, hand_off_at_ns),
    STATE_TIME(FrontEnd, free_at_ns),
    STATE_TIME(FrontEnd, arrived_until_at_ns),
};

static const StateRow slots_rows[] = {
    STATE_LEFT(ReadSlots, lines, "of the parameters"),
    STATE_ELSE(ReadSlots, turns, "turns_state()"),
    STATE_LEFT(ReadSlots, parts, "reads that do not wait, by their numbers"),
    STATE_LEFT(ReadSlots, inside_counts, "reads that do not wait"),
    STATE_LEFT(ReadSlots, inside_count, "reads that do not wait"),
    STATE_LEFT(ReadSlots, groups_without, "of inside_counts"),
    STATE_LEFT(ReadSlots, lists_inside, "reads that do not wait"),
};

static const StateRow entry_rows[] = {
    STATE_LEFT(Entry, params, "another room"),
    STATE_LEFT(Entry, commands, "another room"),
    STATE_LEFT(Entry, buffer, "another room"),
    STATE_LEFT(Entry, zns, "another room"),
    STATE_LEFT(Entry, conv, "another room"),
    STATE_LEFT(Entry, events, "another room"),
    STATE_LEFT(Entry, has_front, "of the parameters"),
    STATE_ELSE(Entry, front, "front_rows"),
    STATE_LEFT(Entry, entering_finishes, "of those that enter"),
    STATE_ELSE(Entry, read_slots, "slots_rows"),
    STATE_LEFT(Entry, least_leave_ns, "of the parameters"),
};

static void visit_front(FrontEnd *front, State *state, uint32_t slots,
                        bool *enters)
{
    StateLinks links = STATE_LINKS(FrontEndWork, next_idx, "commands",
                                   front->work, slots);
    g_autoptr(GArray) chosen = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    STATE_STRUCT(state, front_rows, front);
    state_links_begin(&links);
    state_list(state, &links, &front->head_idx, &front->tail_idx);
    for (uint32_t i = 0; i < slots; i++) {
        enters[i] = links.linked[i];
        if (links.linked[i]) {
            g_array_append_val(chosen, i);
        }
    }
    state_links_end(&links);
    STATE_TABLE(state, work_rows, front->work, chosen->len,
                (const uint32_t *)chosen->data);
}

void entry_count_used(Entry *entry, const uint32_t *used, const bool *enters,
                      const bool *waits)
{
    for (uint32_t i = 0; i < entry->commands->count; i++) {
        const Command *command = &entry->commands->at[used[i]];

        entry->entering_finishes += enters[used[i]] &&
                                    command->done.op == SSD_OP_ZONE_FINISH;
        if (!waits[used[i]]) {
            read_slots_count(entry, used[i]);
        }
    }
}

void entry_state(Entry *entry, State *state, bool *enters, bool *waits)
{
    ReadSlots *slots = &entry->read_slots;
    uint32_t commands = entry->params->cmd_slots;

    state_room(state, "entry");
    STATE_STRUCT(state, entry_rows, entry);
    visit_front(&entry->front, state, commands, enters);
    STATE_STRUCT(state, slots_rows, slots);
    turns_state(&slots->turns, state, commands, slots->lines.groups,
                slots->lines.count, waits);
    state_room_end(state);
}
