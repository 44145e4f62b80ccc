/*
 * The way in and the way out: the front end takes commands in one by one, the
 * host link carries their data, and a latency that occupies nothing is added.
 *
 * A command takes effect when it is submitted; its work begins at its hand-off,
 * in the order of submission.
 *
 * Knows nothing of QEMU, queues or host memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_internal.h"
#include "timing/draw.h"

/* The buffer takes data in portions of this. */
#define PORTION_BYTES (32 * SSD_KIB)

static bool front_costs(const SsdParams *p)
{
    return p->fe_read_ns || p->fe_write_ns || p->fe_append_ns ||
           p->fe_open_ns || p->fe_close_ns || p->fe_finish_ns ||
           p->fe_reset_ns || p->fe_small_write_ns || p->fe_small_append_ns ||
           p->fe_first_write_ns || p->fe_closed_write_ns || p->fe_part_ns ||
           p->fe_lba512_ns || p->fe_report_ns || p->fe_report_zone_ns ||
           p->fe_identify_ns || p->fe_log_ns || p->fe_feature_ns ||
           p->fixed_small_ns || p->read_slots;
}

/* Read slots and the buffer: who waits */

static uint32_t group_count(const Ssd *ssd)
{
    return ssd->params.take_turns ? ssd->ns_count : 1;
}

static uint32_t lines_per_group(const Ssd *ssd)
{
    return ssd->params.take_turns ? ssd->ns_zones : 1;
}

void ssd_turns_init(const Ssd *ssd, Turns *turns)
{
    const SsdParams *p = &ssd->params;
    uint32_t lines = p->take_turns ? p->zones + (p->conventional_bytes > 0)
                                   : 1;

    turns_init(turns, p->cmd_slots, group_count(ssd), lines,
               lines_per_group(ssd));
}

uint32_t ssd_turns_line(const Ssd *ssd, uint32_t zone_idx)
{
    return ssd->params.take_turns ? zone_idx : 0;
}

static void init_read_slots(Ssd *ssd)
{
    ReadSlots *slots = &ssd->read_slots;

    ssd_turns_init(ssd, &slots->turns);
    slots->groups_without = group_count(ssd);
    slots->inside_counts = g_new0(uint32_t, slots->groups_without);
}

void ssd_front_init(Ssd *ssd, uint32_t first_payload)
{
    const SsdParams *p = &ssd->params;

    ssd->first_payload = first_payload;
    ssd->first_wake_payload = first_payload + EVENT_DONE + p->cmd_slots +
                              ssd->unit_count;
    ssd->has_front = front_costs(p) || p->write_buffer_bytes;
    init_read_slots(ssd);
    ssd->least_leave_ns = MIN(MIN(p->fixed_read_ns, p->fixed_write_ns),
                              p->fixed_append_ns);
    ssd->ranges = g_new(Span, (size_t)p->cmd_slots *
                              SSD_DEALLOCATE_RANGES_MAX);
    front_end_init(&ssd->front, &ssd->events, LANE_FRONT,
                   first_payload + EVENT_FRONT, p->cmd_slots);
    /* Each command has a portion that is not whole, the others fill it. */
    ssd->link.capacity = p->cmd_slots + p->write_buffer_bytes / PORTION_BYTES +
                         1;
    ssd->link.portions = g_new(LinkPortion, ssd->link.capacity);
}

void ssd_front_destroy(Ssd *ssd)
{
    g_free(ssd->read_slots.inside_counts);
    turns_destroy(&ssd->read_slots.turns);
    g_free(ssd->link.portions);
    front_end_destroy(&ssd->front);
    g_free(ssd->ranges);
}

/* What the front end has to do */

static bool is_append(SsdOp op)
{
    return op == SSD_OP_APPEND;
}

static bool is_write(SsdOp op)
{
    return op == SSD_OP_WRITE || op == SSD_OP_WRITE_ZEROES ||
           op == SSD_OP_COPY || is_append(op);
}

static WriteClass write_class(const SsdParams *p, const SsdNs *ns,
                              uint64_t bytes)
{
    if (bytes < SSD_GRANULE_BYTES && p->fe_part_ns) {
        return WRITE_PART;
    }
    if (bytes >= p->fe_small_bytes) {
        return WRITE_LARGE;
    }
    return ns->lba_bytes == 512 && p->fe_lba512_ns ? WRITE_LBA512
                                                   : WRITE_SMALL;
}

static uint64_t work_ns(const SsdParams *p, SsdOp op, WriteClass class)
{
    switch (class) {
    case WRITE_PART:
        return p->fe_part_ns;
    case WRITE_LBA512:
        return p->fe_lba512_ns;
    case WRITE_SMALL:
        return is_append(op) ? p->fe_small_append_ns : p->fe_small_write_ns;
    case WRITE_LARGE:
        break;
    }
    return is_append(op) ? p->fe_append_ns : p->fe_write_ns;
}

/* What is drawn for a write: the how manyth it is, of its zone. */
typedef struct WriteKey {
    uint32_t zone_idx; /* SSD_NONE: of the conventional namespace */
    uint32_t number;
} WriteKey;

static WriteKey next_write_key(Ssd *ssd, const SsdNs *ns, uint64_t slba)
{
    uint32_t zone_idx = ns->kind == SSD_NS_ZONED
                        ? span_of(ns, slba, 0).zone_idx : SSD_NONE;
    WriteQueue *queue = zone_idx == SSD_NONE ? &ssd->conv.writes
                                             : &ssd->zone_writes[zone_idx];

    return (WriteKey) { zone_idx, queue->submitted_count++ };
}

static uint64_t draw_for_write(const SsdParams *p, DrawKind kind, WriteKey key)
{
    return draw_bits(p->seed, kind, key.zone_idx, key.number);
}

/* Some writes of blocks that are smaller than what is mapped as one pause. */
static uint64_t pause_ns(const SsdParams *p, WriteClass class, WriteKey key)
{
    bool is_part = class == WRITE_PART;
    uint32_t permille = is_part ? p->fe_part_pause_permille
                                : p->fe_lba512_pause_permille;
    uint64_t mean_ns = is_part ? p->fe_part_pause_ns : p->fe_lba512_pause_ns;
    uint64_t pauses = draw_for_write(p, DRAW_PAUSES, key);
    uint64_t length = draw_for_write(p, DRAW_PAUSE, key);

    return draw_below(pauses, 1000) < permille
           ? draw_exponential(length, mean_ns) : 0;
}

static uint32_t after_permille(const SsdParams *p, WriteClass class)
{
    return class == WRITE_PART ? p->fe_part_after_permille :
           class == WRITE_LBA512 ? p->fe_lba512_after_permille :
           p->fe_after_permille;
}

/* What comes after the hand-off varies, but not where pauses are told apart. */
static FrontCost write_cost(const SsdParams *p, SsdOp op, WriteClass class,
                            WriteKey key)
{
    FrontCost cost = { .write_class = class };
    uint64_t all_ns = work_ns(p, op, class);

    if (class == WRITE_PART || class == WRITE_LBA512) {
        all_ns += pause_ns(p, class, key);
    }
    cost.after_ns = all_ns * after_permille(p, class) / 1000;
    cost.before_ns = all_ns - cost.after_ns;
    if (p->fe_after_random && class != WRITE_PART) {
        cost.after_ns = draw_exponential(draw_for_write(p, DRAW_FRONT_AFTER,
                                                        key),
                                         cost.after_ns);
    }
    return cost;
}

/* More for a write that opens its zone. */
static uint64_t opening_cost_ns(const SsdParams *p, const SsdNs *ns,
                                uint64_t slba)
{
    if (ns->kind != SSD_NS_ZONED) {
        return 0;
    }
    switch (ns->zones.zones[zone_of_lba(&ns->zones, slba)].state) {
    case SSD_ZONE_EMPTY:
        return p->fe_first_write_ns;
    case SSD_ZONE_CLOSED:
        return p->fe_closed_write_ns;
    default:
        return 0;
    }
}

static uint64_t other_cost_ns(const SsdParams *p, const SsdCmd *cmd)
{
    switch (cmd->op) {
    case SSD_OP_READ:
    case SSD_OP_VERIFY:
    case SSD_OP_COMPARE:
        return p->fe_read_ns;
    case SSD_OP_FLUSH:
        return 0;
    case SSD_OP_ZONE_CLOSE:
        return p->fe_close_ns;
    case SSD_OP_ZONE_FINISH:
        return p->fe_finish_ns;
    case SSD_OP_ZONE_RESET:
        return p->fe_reset_ns;
    case SSD_OP_ZONE_REPORT:
        return p->fe_report_ns + cmd->nlb * p->fe_report_zone_ns;
    case SSD_OP_IDENTIFY:
        return p->fe_identify_ns;
    case SSD_OP_LOG:
        return p->fe_log_ns;
    case SSD_OP_FEATURE:
        return p->fe_feature_ns;
    default:
        return p->fe_open_ns;
    }
}

bool ssd_is_timed(const Ssd *ssd, SsdOp op)
{
    const SsdParams *p = &ssd->params;

    switch (op) {
    case SSD_OP_ZONE_REPORT:
        return p->fe_report_ns || p->fe_report_zone_ns;
    case SSD_OP_IDENTIFY:
        return p->fe_identify_ns > 0;
    case SSD_OP_LOG:
        return p->fe_log_ns > 0;
    case SSD_OP_FEATURE:
        return p->fe_feature_ns > 0;
    default:
        return true;
    }
}

bool ssd_enters_front(const Ssd *ssd, SsdOp op)
{
    return ssd->has_front && ssd_is_timed(ssd, op);
}

FrontCost ssd_front_cost(Ssd *ssd, const SsdNs *ns, const SsdCmd *cmd)
{
    const SsdParams *p = &ssd->params;
    uint64_t nlb = cmd->op == SSD_OP_COPY ? ssd_copy_nlb(cmd) : cmd->nlb;
    FrontCost cost = { 0 };

    if (!is_write(cmd->op) || ns == NULL) {
        cost.before_ns = other_cost_ns(p, cmd);
        return cost;
    }
    cost = write_cost(p, cmd->op, write_class(p, ns, nlb * ns->lba_bytes),
                      next_write_key(ssd, ns, cmd->slba));
    cost.before_ns += opening_cost_ns(p, ns, cmd->slba);
    return cost;
}

/* The way in */

static bool writes_zone(const Command *command)
{
    SsdOp op = command->done.op;

    return !command->is_conventional &&
           (is_write(op) || op == SSD_OP_ZONE_FLUSH_ZRWA);
}

static void count_entered(Ssd *ssd, const Command *command)
{
    ssd->entering_finishes += command->done.op == SSD_OP_ZONE_FINISH;
    if (writes_zone(command)) {
        ssd->zone_writes[command->write.data.zone_idx].entered_count++;
    }
}

static void count_handed_off(Ssd *ssd, const Command *command)
{
    ssd->entering_finishes -= command->done.op == SSD_OP_ZONE_FINISH;
    if (writes_zone(command)) {
        ssd->zone_writes[command->write.data.zone_idx].handed_off_count++;
    }
}

/* Read slots: reads wait for one before they enter */

static bool takes_read_slot(const Ssd *ssd, SsdOp op)
{
    return ssd->params.read_slots > 0 &&
           (op == SSD_OP_READ || op == SSD_OP_VERIFY || op == SSD_OP_COMPARE);
}

static uint32_t read_line(const Ssd *ssd, const Command *command)
{
    /* The line of the conventional namespace is behind those of all zones. */
    return ssd_turns_line(ssd, command->is_conventional
                               ? ssd->params.zones
                               : command->target.zone_idx);
}

static uint32_t read_group(const Ssd *ssd, const Command *command)
{
    return read_line(ssd, command) / lines_per_group(ssd);
}

/* A read may not take the slot that a group without any must find. */
static bool may_take_slot(const Ssd *ssd, uint32_t group_idx)
{
    const ReadSlots *slots = &ssd->read_slots;

    return slots->inside_counts[group_idx] == 0 ||
           slots->inside_count + slots->groups_without <
           ssd->params.read_slots;
}

static void take_read_slot(ReadSlots *slots, uint32_t group_idx)
{
    slots->groups_without -= slots->inside_counts[group_idx]++ == 0;
    slots->inside_count++;
}

static void give_read_slot(ReadSlots *slots, uint32_t group_idx)
{
    slots->groups_without += --slots->inside_counts[group_idx] == 0;
    slots->inside_count--;
}

/*
 * The next read that may have the slot of one of this group: the group's own, if
 * none of it is inside any more; else the one whose turn it is. None waits that
 * could have come in before: while some wait, all slots are taken, or kept.
 */
static uint32_t next_read_group(const ReadSlots *slots, uint32_t group_idx)
{
    return slots->inside_counts[group_idx] == 0 &&
           turns_group_waits(&slots->turns, group_idx)
           ? group_idx : turns_group(&slots->turns);
}

void ssd_front_left(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    const Command *command = &ssd->commands[command_idx];
    ReadSlots *slots = &ssd->read_slots;
    uint32_t group_idx;

    if (!takes_read_slot(ssd, command->done.op)) {
        return;
    }
    group_idx = read_group(ssd, command);
    give_read_slot(slots, group_idx);
    group_idx = next_read_group(slots, group_idx);
    if (group_idx != TURNS_NONE && may_take_slot(ssd, group_idx)) {
        take_read_slot(slots, group_idx);
        front_end_enter(&ssd->front, now_ns,
                        turns_leave(&slots->turns, group_idx),
                        ssd->params.fe_read_ns, 0);
    }
}

void ssd_front_enter(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                     const FrontCost *cost)
{
    Command *command = &ssd->commands[command_idx];

    command->write_class = cost->write_class;
    count_entered(ssd, command);
    if (takes_read_slot(ssd, command->done.op)) {
        uint32_t group_idx = read_group(ssd, command);

        if (!may_take_slot(ssd, group_idx)) {
            turns_wait(&ssd->read_slots.turns, read_line(ssd, command),
                       command_idx);
            return;
        }
        take_read_slot(&ssd->read_slots, group_idx);
    }
    front_end_enter(&ssd->front, now_ns, command_idx, cost->before_ns,
                    cost->after_ns);
}

static void hand_off(Ssd *ssd, uint64_t now_ns)
{
    uint32_t command_idx = front_end_command(&ssd->front);

    count_handed_off(ssd, &ssd->commands[command_idx]);
    front_end_go_on(&ssd->front, now_ns);
    ssd_begin(ssd, now_ns, command_idx);
}

static void front_event(Ssd *ssd, uint64_t now_ns)
{
    uint32_t command_idx = front_end_command(&ssd->front);

    if (is_write(ssd->commands[command_idx].done.op) &&
        ssd_buffer_is_crowded(ssd)) {
        front_end_hold_up(&ssd->front);
    } else {
        hand_off(ssd, now_ns);
    }
}

void ssd_front_try(Ssd *ssd, uint64_t now_ns)
{
    if (front_end_is_held_up(&ssd->front) && ssd_buffer_goes_on(ssd)) {
        hand_off(ssd, now_ns);
    }
}

/* The link to the drive */

static uint64_t per_mib_ns(uint64_t bytes, uint64_t mib_ns)
{
    return bytes * mib_ns / SSD_MIB;
}

/* Write zeroes and copies have no data to carry. */
static bool carries_data(SsdOp op)
{
    return op == SSD_OP_WRITE || is_append(op);
}

/* Where the portion `i` places behind the first is in the ring. */
static uint32_t link_place(const Link *link, uint32_t i)
{
    uint32_t place = link->head + i;

    return place < link->capacity ? place : place - link->capacity;
}

static void link_wait_for_head(Ssd *ssd)
{
    const Link *link = &ssd->link;

    event_heap_push_lane(&ssd->events, LANE_LINK,
                         link->portions[link->head].at_ns,
                         ssd->first_payload + EVENT_LINK);
}

void ssd_link_in(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                 uint32_t bytes, bool is_last)
{
    Link *link = &ssd->link;
    SsdOp op = ssd->commands[command_idx].done.op;
    uint64_t take_ns = carries_data(op)
                       ? per_mib_ns(bytes, ssd->params.link_in_ns) : 0;

    g_assert(link->count < link->capacity);
    link->portions[link_place(link, link->count)] =
        (LinkPortion) {
            .at_ns = local_clock_book(&link->in, now_ns, take_ns),
            .command_idx = command_idx,
            .bytes = bytes,
            .is_last = is_last,
        };
    if (link->count++ == 0) {
        link_wait_for_head(ssd);
    }
}

static void link_event(Ssd *ssd, uint64_t now_ns)
{
    Link *link = &ssd->link;
    LinkPortion portion = link->portions[link->head];

    link->head = link_place(link, 1);
    if (--link->count > 0) {
        link_wait_for_head(ssd);
    }
    ssd_write_arrived(ssd, now_ns, &portion);
}

uint32_t ssd_portion_bytes(uint64_t left_bytes)
{
    return MIN(left_bytes, PORTION_BYTES);
}

/* A compare's data come in beside what it reads. */
void ssd_link_compare(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    Command *command = &ssd->commands[command_idx];

    if (ssd->params.link_in_ns) {
        command->link_until_at_ns =
            local_clock_book(&ssd->link.in, now_ns,
                             per_mib_ns(command->bytes,
                                        ssd->params.link_in_ns));
    }
}

/* The way out */

static void link_out(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                     uint64_t take_ns)
{
    const SsdParams *p = &ssd->params;
    Command *command = &ssd->commands[command_idx];

    if (command->done.op == SSD_OP_READ &&
        (p->link_out_ns || p->link_part_ns)) {
        command->link_until_at_ns =
            local_clock_book(&ssd->link.out, now_ns, take_ns);
    }
}

void ssd_link_out(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                  uint32_t bytes)
{
    link_out(ssd, now_ns, command_idx,
             per_mib_ns(bytes, ssd->params.link_out_ns));
}

void ssd_link_out_sensed(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                         uint32_t bytes)
{
    uint64_t take_ns = per_mib_ns(bytes, ssd->params.link_out_ns);

    if (bytes < ssd->sense_bytes) {
        take_ns += ssd->params.link_part_ns;
    }
    link_out(ssd, now_ns, command_idx, take_ns);
}

static uint64_t small_fixed_ns(const SsdParams *p, WriteClass class)
{
    switch (class) {
    case WRITE_SMALL:
        return p->fixed_small_ns;
    case WRITE_LBA512:
        return p->fixed_lba512_ns;
    default:
        return 0;
    }
}

static uint64_t fixed_ns(const SsdParams *p, const Command *command)
{
    uint64_t small_ns = small_fixed_ns(p, command->write_class);

    switch (command->done.op) {
    case SSD_OP_READ:
    case SSD_OP_VERIFY:
    case SSD_OP_COMPARE:
        return p->fixed_read_ns +
               per_mib_ns(command->bytes, p->fixed_read_size_ns);
    case SSD_OP_WRITE:
    case SSD_OP_WRITE_ZEROES:
    case SSD_OP_COPY:
        return p->fixed_write_ns + small_ns;
    case SSD_OP_APPEND:
        return p->fixed_append_ns + small_ns;
    default:
        return 0;
    }
}

bool ssd_leaves_later(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    const Command *command = &ssd->commands[command_idx];
    uint64_t at_ns = MAX(now_ns, command->link_until_at_ns) +
                     fixed_ns(&ssd->params, command);

    if (at_ns == now_ns) {
        return false;
    }
    /* Data leave in order, and so do commands with the same latency. */
    event_heap_push_lane(&ssd->events,
                         command->done.op == SSD_OP_READ ? LANE_READS_DONE
                                                         : LANE_DONE,
                         at_ns, ssd->first_payload + EVENT_DONE + command_idx);
    return true;
}

void ssd_front_event(Ssd *ssd, uint64_t now_ns, uint32_t payload)
{
    uint32_t event = payload - ssd->first_payload;

    switch (event) {
    case EVENT_FRONT:
        front_event(ssd, now_ns);
        break;
    case EVENT_LINK:
        link_event(ssd, now_ns);
        break;
    case EVENT_RESET:
        ssd_reset_event(ssd, now_ns);
        break;
    case EVENT_STEP:
        ssd_reset_step_event(ssd, now_ns);
        break;
    default:
        event -= EVENT_DONE;
        if (event < ssd->params.cmd_slots) {
            ssd_command_complete(ssd, event, now_ns);
        } else {
            ssd_buffer_release_event(ssd, now_ns,
                                     event - ssd->params.cmd_slots);
        }
        break;
    }
}
