/*
 * The host link in time.
 *
 * Knows nothing of zones, flash or the buffer.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "link.h"

/* An event for the next portion; those behind it are in the ring. */
void link_bounds(Bounds *bounds)
{
    bounds_add(bounds, "the host link", 0, 1);
}

void link_init(Link *link, const SsdParams *params, Commands *commands,
               EventHeap *events)
{
    *link = (Link) {
        .in_ns = params->link_in_ns,
        .out_ns = params->link_out_ns,
        .commands = commands,
        .events = events,
        /* Each command has a portion that is not whole, the others fill it. */
        .capacity = params->cmd_slots +
                    params->write_buffer_bytes / params->buffer_portion_bytes,
    };
    link->portions = g_new(LinkPortion, link->capacity);
}

void link_destroy(Link *link)
{
    g_free(link->portions);
}

static uint64_t per_mib_ns(uint64_t bytes, uint64_t mib_ns)
{
    return bytes * mib_ns / SSD_MIB;
}

/* Write zeroes and copies have no data to carry. */
static bool carries_data(SsdOp op)
{
    return op == SSD_OP_WRITE || op == SSD_OP_APPEND;
}

/* Where the portion `i` places behind the first is in the ring. */
static uint32_t place_of(const Link *link, uint32_t i)
{
    uint32_t place = link->head + i;

    return place < link->capacity ? place : place - link->capacity;
}

const LinkPortion *link_portion(const Link *link, uint32_t i)
{
    return &link->portions[place_of(link, i)];
}

static void wait_for_head(Link *link)
{
    event_heap_push_lane(link->events, LANE_LINK,
                         link->portions[link->head].at_ns,
                         event_name(EVENT_LINK, 0));
}

/* When data can be asked for: behind those that are on their way out. */
static uint64_t asks_at_ns(const Link *link, uint64_t now_ns)
{
    return MAX(now_ns, link->out.busy_until_at_ns);
}

void link_in(Link *link, uint64_t now_ns, uint32_t command_idx, uint32_t bytes,
             bool is_last)
{
    link_in_part(link, now_ns, command_idx, bytes, bytes, is_last);
}

void link_in_part(Link *link, uint64_t now_ns, uint32_t command_idx,
                  uint32_t bytes, uint32_t host_bytes, bool is_last)
{
    SsdOp op = link->commands->at[command_idx].done.op;
    uint64_t asked_at_ns = now_ns, take_ns = 0, at_ns;

    if (carries_data(op) && link->in_ns != 0) {
        asked_at_ns = asks_at_ns(link, now_ns);
        take_ns = per_mib_ns(host_bytes, link->in_ns);
    }
    at_ns = local_clock_book(&link->in, asked_at_ns, take_ns);
    g_assert(link->count < link->capacity);
    link->portions[place_of(link, link->count)] = (LinkPortion) {
        .begin_at_ns = at_ns - take_ns,
        .at_ns = at_ns,
        .command_idx = command_idx,
        .bytes = bytes,
        .is_last = is_last,
    };
    if (link->count++ == 0) {
        wait_for_head(link);
    }
}

LinkPortion link_arrived(Link *link)
{
    LinkPortion portion = link->portions[link->head];

    link->head = place_of(link, 1);
    if (--link->count != 0) {
        wait_for_head(link);
    }
    return portion;
}

RARE
void link_compare(Link *link, uint64_t now_ns, uint32_t command_idx)
{
    Command *command = &link->commands->at[command_idx];

    if (link->in_ns) {
        command->link_until_at_ns =
            local_clock_book(&link->in, asks_at_ns(link, now_ns),
                             per_mib_ns(command->bytes, link->in_ns));
    }
}

void link_out(Link *link, uint64_t now_ns, uint32_t command_idx,
              uint32_t bytes)
{
    Command *command = &link->commands->at[command_idx];

    if (command->done.op == SSD_OP_READ && link->out_ns) {
        command->link_until_at_ns =
            local_clock_book(&link->out, now_ns,
                             per_mib_ns(bytes, link->out_ns));
    }
}

/* There are data on the way. */
bool link_holds_completion(Link *link, uint64_t now_ns, uint32_t command_idx)
{
    Command *command = &link->commands->at[command_idx];
    uint64_t there_at_ns = link->out.busy_until_at_ns;

    g_assert(there_at_ns > now_ns);
    if (command->is_answered || command->done.op == SSD_OP_READ ||
        !commands_is_host_io(command->done.op)) {
        return false;
    }
    command->is_answered = true;
    command->link_until_at_ns = there_at_ns;
    event_heap_push_lane(link->events, LANE_LEAVE, there_at_ns,
                         event_name(EVENT_LEAVING, command_idx));
    return true;
}
