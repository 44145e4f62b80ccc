/*
 * Slots of reads of less than 4 KiB, in the order of their zone.
 *
 * Knows nothing of how many slots there are, and of who waits for one.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "part_order.h"

#include <glib.h>

void part_order_init(PartOrder *order, uint32_t commands)
{
    *order = (PartOrder) {
        .links = g_new(PartLink, commands),
        .first_idx = SSD_NONE,
        .last_idx = SSD_NONE,
    };
}

void part_order_destroy(PartOrder *order)
{
    g_free(order->links);
}

/* The last that came before this command. */
static uint32_t find_before(const PartOrder *order, const Commands *commands,
                            uint32_t command_idx)
{
    uint32_t idx = order->last_idx;

    while (idx != SSD_NONE &&
           commands->at[idx].number > commands->at[command_idx].number) {
        idx = order->links[idx].prev_idx;
    }
    return idx;
}

/* What leads to a member of the list from before it, and from behind it. */
static uint32_t *next_of(PartOrder *order, uint32_t prev_idx)
{
    return prev_idx == SSD_NONE ? &order->first_idx
                                : &order->links[prev_idx].next_idx;
}

static uint32_t *prev_of(PartOrder *order, uint32_t next_idx)
{
    return next_idx == SSD_NONE ? &order->last_idx
                                : &order->links[next_idx].prev_idx;
}

void part_order_enter(PartOrder *order, const Commands *commands,
                      uint32_t command_idx)
{
    uint32_t prev_idx = find_before(order, commands, command_idx);
    uint32_t next_idx = *next_of(order, prev_idx);

    order->links[command_idx] = (PartLink) { prev_idx, next_idx };
    *next_of(order, prev_idx) = command_idx;
    *prev_of(order, next_idx) = command_idx;
}

/* The last before it that is of its zone */
static uint32_t find_older(const PartOrder *order, const Commands *commands,
                           uint32_t command_idx)
{
    uint32_t zone_idx = commands->at[command_idx].target.zone_idx;
    uint32_t idx = order->links[command_idx].prev_idx;

    while (idx != SSD_NONE && commands->at[idx].target.zone_idx != zone_idx) {
        idx = order->links[idx].prev_idx;
    }
    return idx;
}

uint32_t part_order_leave(PartOrder *order, Commands *commands,
                          uint32_t command_idx)
{
    PartLink link = order->links[command_idx];
    uint32_t older_idx = find_older(order, commands, command_idx);
    uint32_t count = 1 + commands->at[command_idx].kept_slots;

    *next_of(order, link.prev_idx) = link.next_idx;
    *prev_of(order, link.next_idx) = link.prev_idx;
    if (older_idx == SSD_NONE) {
        return count;
    }
    commands->at[older_idx].kept_slots += count;
    return 0;
}
