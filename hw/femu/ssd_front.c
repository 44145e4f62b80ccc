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
           p->fe_lba512_ns || p->read_slots;
}

uint32_t ssd_front_event_count(const Ssd *ssd)
{
    return EVENT_DONE + ssd->params.cmd_slots + ssd->unit_count;
}

void ssd_front_init(Ssd *ssd, uint32_t first_payload)
{
    const SsdParams *p = &ssd->params;

    ssd->first_payload = first_payload;
    ssd->first_wake_payload = first_payload + ssd_front_event_count(ssd);
    ssd->has_front = front_costs(p) || p->write_buffer_bytes;
    ssd->first_read_idx = SSD_NONE;
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

/* Some writes of blocks that are smaller than what is mapped as one pause. */
static uint64_t pause_ns(const Ssd *ssd, WriteClass class)
{
    const SsdParams *p = &ssd->params;
    bool is_part = class == WRITE_PART;
    uint32_t permille = is_part ? p->fe_part_pause_permille
                                : p->fe_lba512_pause_permille;
    uint64_t mean_ns = is_part ? p->fe_part_pause_ns : p->fe_lba512_pause_ns;
    uint64_t pauses = draw_bits(p->seed, DRAW_PAUSES, ssd->command_number, 0);
    uint64_t length = draw_bits(p->seed, DRAW_PAUSE, ssd->command_number, 0);

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
static FrontCost write_cost(const Ssd *ssd, SsdOp op, WriteClass class)
{
    const SsdParams *p = &ssd->params;
    FrontCost cost = { .write_class = class };
    uint64_t all_ns = work_ns(p, op, class);

    if (class == WRITE_PART || class == WRITE_LBA512) {
        all_ns += pause_ns(ssd, class);
    }
    cost.after_ns = all_ns * after_permille(p, class) / 1000;
    cost.before_ns = all_ns - cost.after_ns;
    if (p->fe_after_random && class != WRITE_PART) {
        cost.after_ns = draw_exponential(draw_bits(p->seed, DRAW_FRONT_AFTER,
                                                   ssd->command_number, 0),
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

static uint64_t other_cost_ns(const SsdParams *p, SsdOp op)
{
    switch (op) {
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
    default:
        return p->fe_open_ns;
    }
}

FrontCost ssd_front_cost(Ssd *ssd, const SsdNs *ns, const SsdCmd *cmd)
{
    const SsdParams *p = &ssd->params;
    uint64_t nlb = cmd->op == SSD_OP_COPY ? ssd_copy_nlb(cmd) : cmd->nlb;
    FrontCost cost = { 0 };

    ssd->command_number++;
    if (!is_write(cmd->op) || ns == NULL) {
        cost.before_ns = other_cost_ns(p, cmd->op);
        return cost;
    }
    cost = write_cost(ssd, cmd->op, write_class(p, ns, nlb * ns->lba_bytes));
    cost.before_ns += opening_cost_ns(p, ns, cmd->slba);
    return cost;
}

/* The way in */

static void count_entering(Ssd *ssd, const Command *command, int change)
{
    SsdOp op = command->done.op;

    if (op == SSD_OP_ZONE_FINISH) {
        ssd->entering_finishes += change;
    } else if (!command->is_conventional &&
               (is_write(op) || op == SSD_OP_ZONE_FLUSH_ZRWA)) {
        ssd->zone_writes[command->write.data.zone_idx].entering_count +=
            change;
    }
}

/* Read slots: reads wait for one before they enter */

static bool takes_read_slot(const Ssd *ssd, SsdOp op)
{
    return ssd->params.read_slots > 0 &&
           (op == SSD_OP_READ || op == SSD_OP_VERIFY || op == SSD_OP_COMPARE);
}

static void wait_for_read_slot(Ssd *ssd, uint32_t command_idx)
{
    ssd->commands[command_idx].next_idx = SSD_NONE;
    if (ssd->first_read_idx == SSD_NONE) {
        ssd->first_read_idx = command_idx;
    } else {
        ssd->commands[ssd->last_read_idx].next_idx = command_idx;
    }
    ssd->last_read_idx = command_idx;
}

void ssd_front_left(Ssd *ssd, uint64_t now_ns, SsdOp op)
{
    uint32_t next_idx = ssd->first_read_idx;

    if (!takes_read_slot(ssd, op)) {
        return;
    }
    if (next_idx == SSD_NONE) {
        ssd->reads_inside--;
        return;
    }
    ssd->first_read_idx = ssd->commands[next_idx].next_idx;
    front_end_enter(&ssd->front, now_ns, next_idx, ssd->params.fe_read_ns, 0);
}

void ssd_front_enter(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                     const FrontCost *cost)
{
    ssd->commands[command_idx].write_class = cost->write_class;
    count_entering(ssd, &ssd->commands[command_idx], 1);
    if (takes_read_slot(ssd, ssd->commands[command_idx].done.op)) {
        if (ssd->reads_inside == ssd->params.read_slots) {
            wait_for_read_slot(ssd, command_idx);
            return;
        }
        ssd->reads_inside++;
    }
    front_end_enter(&ssd->front, now_ns, command_idx, cost->before_ns,
                    cost->after_ns);
}

static void hand_off(Ssd *ssd, uint64_t now_ns)
{
    uint32_t command_idx = front_end_command(&ssd->front);

    count_entering(ssd, &ssd->commands[command_idx], -1);
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
    uint64_t take_ns = per_mib_ns(command->bytes, ssd->params.link_in_ns);

    if (take_ns > 0) {
        command->link_until_at_ns = local_clock_book(&ssd->link.in, now_ns,
                                                     take_ns);
    }
}

/* The way out */

void ssd_link_out(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                  uint32_t bytes)
{
    Command *command = &ssd->commands[command_idx];

    if (command->done.op == SSD_OP_READ && ssd->params.link_out_ns) {
        command->link_until_at_ns =
            local_clock_book(&ssd->link.out, now_ns,
                             per_mib_ns(bytes, ssd->params.link_out_ns));
    }
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
        return p->fixed_read_ns;
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
