/*
 * Slots of reads of less than 4 KiB, which come back in the order of their
 * zone: one that has ended keeps its slot until all before it have.
 *
 * Knows nothing of how many slots there are, and of who waits for one.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_PART_ORDER_H
#define FEMU_PART_ORDER_H

#include "../inside/commands.h"
#include "../params.h"

typedef struct PartLink {
    uint32_t prev_idx;
    uint32_t next_idx;
} PartLink;

/*
 * Those inside that have a slot, of all zones, by Command.number: reads of a
 * zone get their slots in the order in which they came. What they keep of others
 * is Command.kept_slots.
 */
typedef struct PartOrder {
    PartLink *links; /* [command] */
    uint32_t first_idx;
    uint32_t last_idx;
} PartOrder;

void part_order_init(PartOrder *order, uint32_t commands);
void part_order_destroy(PartOrder *order);

/* Is the read of a zone, and of less than 4 KiB? */
static inline bool part_order_has(const Command *command)
{
    return commands_is_read(command->done.op) && !command->is_conventional &&
           command->target.end_bytes - command->target.begin_bytes <
           SSD_GRANULE_BYTES;
}

/* Such a read has a slot now. */
void part_order_enter(PartOrder *order, const Commands *commands,
                      uint32_t command_idx);
/*
 * It ends. Return: how many slots are free with that; 0: it has left them to the
 * one before it in its zone.
 */
uint32_t part_order_leave(PartOrder *order, Commands *commands,
                          uint32_t command_idx);

#endif
