/*
 * Reads wait for a slot before they enter the front end.
 *
 * Knows nothing of what the front end does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "entry.h"

void read_slots_init(ReadSlots *slots, const SsdParams *params)
{
    slots->lines = lines_for_reads(params);
    lines_init_turns(&slots->lines, params, &slots->turns);
    slots->groups_without = slots->lines.groups;
    slots->inside_counts = g_new0(uint32_t, slots->groups_without);
    part_order_init(&slots->parts, params->cmd_slots);
}

void read_slots_destroy(ReadSlots *slots)
{
    part_order_destroy(&slots->parts);
    g_free(slots->inside_counts);
    turns_destroy(&slots->turns);
}

static bool takes_read_slot(const Entry *entry, SsdOp op)
{
    return entry->params->read_slots != 0 && commands_is_read(op);
}

static uint32_t read_line(const Entry *entry, const Command *command)
{
    uint32_t zone_idx = command->is_conventional ? entry->params->zones
                                                 : command->target.zone_idx;

    return lines_of_zone(&entry->read_slots.lines, zone_idx);
}

static uint32_t read_group(const Entry *entry, const Command *command)
{
    return lines_group_of(&entry->read_slots.lines,
                          read_line(entry, command));
}

/* Writes that wait for room have slots, but where writes hold up nobody. */
static uint32_t slots_of_writes(const Entry *entry)
{
    return entry->params->take_turns ? 0 : wbuf_waiting_count(entry->buffer);
}

/* Are there as many lists as can be, so that this read cannot have one? */
static bool lacks_list(const Entry *entry, const Command *command)
{
    uint32_t most = entry->params->read_lists;

    return most != 0 && entry_needs_list(command) &&
           entry->read_slots.lists_inside >= most;
}

/* Groups without a read keep a slot each. */
static bool is_slot_free(const Entry *entry)
{
    const ReadSlots *slots = &entry->read_slots;

    return slots->inside_count + slots->groups_without +
           slots_of_writes(entry) < entry->params->read_slots;
}

/* A group can always have a read inside. */
static bool may_take_slot(const Entry *entry, const Command *command)
{
    uint32_t group_idx = read_group(entry, command);

    return entry->read_slots.inside_counts[group_idx] == 0 ||
           (is_slot_free(entry) && !lacks_list(entry, command));
}

static void count_slots(ReadSlots *slots, uint32_t group_idx, int32_t count)
{
    uint32_t *inside = &slots->inside_counts[group_idx];

    slots->groups_without -= *inside == 0;
    *inside += count;
    slots->inside_count += count;
    slots->groups_without += *inside == 0;
}

static void take_read_slot(Entry *entry, uint32_t command_idx)
{
    ReadSlots *slots = &entry->read_slots;
    const Command *command = &entry->commands->at[command_idx];

    count_slots(slots, read_group(entry, command), 1);
    slots->lists_inside += entry_needs_list(command);
    if (part_order_has(command)) {
        part_order_enter(&slots->parts, entry->commands, command_idx);
    }
}

/* Return: how many slots are free with that. */
static uint32_t give_read_slots(Entry *entry, uint32_t command_idx)
{
    ReadSlots *slots = &entry->read_slots;
    const Command *command = &entry->commands->at[command_idx];
    uint32_t count = 1;

    if (part_order_has(command)) {
        count = part_order_leave(&slots->parts, entry->commands, command_idx);
    }
    count_slots(slots, read_group(entry, command), -(int32_t)count);
    slots->lists_inside -= entry_needs_list(command);
    return count;
}

/*
 * The group whose read comes next when one of group_idx has given its slot back:
 * the same group if it has no other read inside, else the group whose turn it
 * is.
 */
static uint32_t next_read_group(const ReadSlots *slots, uint32_t group_idx)
{
    return slots->inside_counts[group_idx] == 0 &&
           turns_group_waits(&slots->turns, group_idx)
           ? group_idx : turns_group(&slots->turns);
}

void read_slots_count(Entry *entry, uint32_t command_idx)
{
    const Command *command = &entry->commands->at[command_idx];

    if (takes_read_slot(entry, command->done.op)) {
        take_read_slot(entry, command_idx);
        count_slots(&entry->read_slots, read_group(entry, command),
                    command->kept_slots);
    }
}

bool read_slots_must_wait(Entry *entry, uint32_t command_idx)
{
    const Command *command = &entry->commands->at[command_idx];
    uint32_t group_idx;

    if (!takes_read_slot(entry, command->done.op)) {
        return false;
    }
    group_idx = read_group(entry, command);
    if (turns_group_waits(&entry->read_slots.turns, group_idx) ||
        !may_take_slot(entry, command)) {
        turns_wait(&entry->read_slots.turns, read_line(entry, command),
                   command_idx);
        return true;
    }
    take_read_slot(entry, command_idx);
    return false;
}

/* The first read of the group, with a slot now, if it may have one. */
static uint32_t first_with_slot(Entry *entry, uint32_t group_idx)
{
    Turns *turns = &entry->read_slots.turns;
    uint32_t command_idx;

    if (group_idx == TURNS_NONE ||
        !may_take_slot(entry, &entry->commands->at[turns_waiter(
                                  turns, group_idx)])) {
        return SSD_NONE;
    }
    command_idx = turns_leave(turns, group_idx);
    take_read_slot(entry, command_idx);
    return command_idx;
}

uint32_t read_slots_left(Entry *entry, uint32_t command_idx)
{
    const Command *command = &entry->commands->at[command_idx];

    if (!takes_read_slot(entry, command->done.op) ||
        give_read_slots(entry, command_idx) == 0) {
        return read_slots_next(entry);
    }
    return first_with_slot(entry, next_read_group(&entry->read_slots,
                                                  read_group(entry, command)));
}

uint32_t read_slots_next(Entry *entry)
{
    return first_with_slot(entry, turns_group(&entry->read_slots.turns));
}
