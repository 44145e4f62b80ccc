/*
 * Commands come in through read slots and the front end, and go out.
 *
 * Knows nothing of what a command does when it has begun.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "entry.h"

/* An event for the front end's command, and one for each that leaves. */
void entry_bounds(const SsdParams *p, Bounds *bounds)
{
    bounds_add(bounds, "the front end", 0, 1 + (uint64_t)p->cmd_slots);
}

void entry_init(Entry *entry, const Entry *rooms)
{
    const SsdParams *p = rooms->params;

    *entry = *rooms;
    entry->has_front = entry_has_costs(p) || p->write_buffer_bytes;
    entry->least_leave_ns = MIN(MIN(p->fixed_read_ns, p->fixed_write_ns),
                                p->fixed_append_ns);
    read_slots_init(&entry->read_slots, p);
    front_end_init(&entry->front, entry->events, LANE_FRONT,
                   event_name(EVENT_FRONT, 0), p->cmd_slots);
}

void entry_destroy(Entry *entry)
{
    front_end_destroy(&entry->front);
    read_slots_destroy(&entry->read_slots);
}

bool entry_is_timed(const SsdParams *p, SsdOp op)
{
    switch (op) {
    case SSD_OP_ZONE_REPORT:
        return p->fe_report_ns || p->fe_report_zone_ns;
    case SSD_OP_IDENTIFY:
        return p->fe_identify_ns != 0;
    case SSD_OP_LOG:
        return p->fe_log_ns != 0;
    case SSD_OP_FEATURE:
        return p->fe_feature_ns != 0;
    default:
        break;
    }
    return true;
}

/* In */

static bool writes_zone(const Command *command)
{
    SsdOp op = command->done.op;

    return !command->is_conventional &&
           (commands_is_write(op) || op == SSD_OP_ZONE_FLUSH_ZRWA);
}

static void count_entered(Entry *entry, const Command *command)
{
    entry->entering_finishes += command->done.op == SSD_OP_ZONE_FINISH;
    if (writes_zone(command)) {
        zns_write_entered(entry->zns, command->write.data.zone_idx);
    }
}

static void count_handed_off(Entry *entry, const Command *command)
{
    entry->entering_finishes -= command->done.op == SSD_OP_ZONE_FINISH;
    if (writes_zone(command)) {
        zns_write_handed_off(entry->zns, command->write.data.zone_idx);
    }
}

void entry_enter(Entry *entry, uint64_t now_ns, uint32_t command_idx,
                 const FrontCost *cost)
{
    Command *command = &entry->commands->at[command_idx];

    command->cost_class = cost->cost_class;
    count_entered(entry, command);
    if (!read_slots_must_wait(entry, command_idx)) {
        front_end_enter(&entry->front, now_ns, command_idx, cost->before_ns,
                        cost->after_ns);
    }
}

static uint32_t hand_off(Entry *entry, uint64_t now_ns)
{
    uint32_t command_idx = front_end_command(&entry->front);

    count_handed_off(entry, &entry->commands->at[command_idx]);
    front_end_go_on(&entry->front, now_ns);
    return command_idx;
}

uint32_t entry_event(Entry *entry, uint64_t now_ns)
{
    uint32_t command_idx = front_end_command(&entry->front);

    if (commands_is_write(entry->commands->at[command_idx].done.op) &&
        wbuf_is_crowded(entry->buffer)) {
        return SSD_NONE; /* entry_room_freed() hands it off */
    }
    return hand_off(entry, now_ns);
}

uint32_t entry_room_freed(Entry *entry, uint64_t now_ns)
{
    return wbuf_goes_on(entry->buffer) ? hand_off(entry, now_ns) : SSD_NONE;
}

/*
 * Classes that have work of their own have it all at once; and a ZRWA flush,
 * which goes the way of a write's data, has none.
 */
uint64_t entry_again_ns(const SsdParams *p, const Command *command)
{
    if (!commands_is_write(command->done.op) ||
        command->cost_class == COST_PART ||
        command->cost_class == COST_LBA512) {
        return 0;
    }
    return command->done.op == SSD_OP_APPEND ? p->fe_append_arrived_ns
                                             : p->fe_write_arrived_ns;
}

void entry_write_arrived(Entry *entry, uint64_t now_ns, uint32_t command_idx)
{
    Command *command = &entry->commands->at[command_idx];
    uint64_t take_ns = entry_again_ns(entry->params, command);

    if (take_ns != 0) {
        command->front_until_at_ns = front_end_come_back(&entry->front, now_ns,
                                                         take_ns);
    }
}

/* Out */

static uint64_t small_fixed_ns(const SsdParams *p, CostClass class)
{
    switch (class) {
    case COST_SMALL:
        return p->fixed_small_ns;
    case COST_LBA512:
        return p->fixed_lba512_ns;
    default:
        return 0;
    }
}

static uint64_t list_ns(const SsdParams *p, const Command *command)
{
    return entry_needs_list(command) ? p->fixed_list_ns : 0;
}

static uint64_t fixed_ns(const SsdParams *p, const Command *command)
{
    uint64_t small_ns = small_fixed_ns(p, command->cost_class);

    switch (command->done.op) {
    case SSD_OP_READ:
    case SSD_OP_VERIFY:
    case SSD_OP_COMPARE:
        return p->fixed_read_ns +
               command->bytes * p->fixed_read_size_ns / SSD_MIB;
    case SSD_OP_WRITE:
        return p->fixed_write_ns + small_ns + list_ns(p, command);
    case SSD_OP_WRITE_ZEROES:
    case SSD_OP_COPY:
        return p->fixed_write_ns + small_ns;
    case SSD_OP_APPEND:
        return p->fixed_append_ns + small_ns + list_ns(p, command);
    default:
        return 0;
    }
}

bool entry_leaves_later(Entry *entry, uint64_t now_ns, uint32_t command_idx)
{
    const Command *command = &entry->commands->at[command_idx];
    uint64_t at_ns = MAX(MAX(now_ns, command->link_until_at_ns),
                         command->front_until_at_ns) +
                     fixed_ns(entry->params, command);

    if (at_ns == now_ns) {
        return false;
    }
    /* Each of these two kinds mostly leaves in order: a lane for each. */
    event_heap_push_lane(entry->events,
                         command->done.op == SSD_OP_READ ? LANE_READS_LEAVE
                                                         : LANE_LEAVE,
                         at_ns, event_name(EVENT_LEAVING, command_idx));
    return true;
}

void entry_gives_slots(Entry *entry, uint64_t now_ns, uint32_t command_idx)
{
    uint32_t next_idx = read_slots_left(entry, command_idx);

    while (next_idx != SSD_NONE) {
        CostClass class = entry->commands->at[next_idx].cost_class;

        front_end_enter(&entry->front, now_ns, next_idx,
                        entry_read_ns(entry->params, class), 0);
        next_idx = read_slots_next(entry);
    }
}
