/*
 * The way in and the way out. Reads may have to wait for a slot; then the front
 * end takes commands in, one by one, and hands them off. When a command's work
 * has ended, a fixed latency that occupies no resource delays its completion.
 *
 * A command changes zone states and data when it is submitted; its work on the
 * flash begins at its hand-off. Hand-offs are in the order of submission, but
 * for reads that waited for a slot.
 *
 *   cost.c        what the front end has to do for a command
 *   read_slots.c  reads that wait for one
 *   part_order.c  slots of small reads
 *   front_end.c   one command after another, in time
 *   entry.c       in, and out
 *
 * Knows nothing of what a command does when it has begun.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_ENTRY_H
#define FEMU_ENTRY_H

#include "../conv/conv.h"
#include "../inside/lines.h"
#include "../zns/zns.h"
#include "front_end.h"
#include "part_order.h"

/*
 * How many slots reads of each group have; those of less than 4 KiB keep theirs
 * until all before them in their zone have ended. Each group can always have
 * one: as many slots are kept free as there are groups without a read. A read
 * with a list has a slot only if few others with lists have one, or its group
 * has none.
 */
typedef struct ReadSlots {
    Lines lines;
    Turns turns; /* reads that wait for a slot */
    PartOrder parts;
    uint32_t *inside_counts; /* [group] */
    uint32_t inside_count;
    uint32_t groups_without;
    uint32_t lists_inside;   /* reads with a list that have a slot */
} ReadSlots;

/* What the front end has to do for a command. */
typedef struct FrontCost {
    uint64_t before_ns; /* before the hand-off; after_ns is after it */
    uint64_t after_ns;
    CostClass cost_class;
} FrontCost;

typedef struct Entry {
    const SsdParams *params;
    Commands *commands;
    WriteBuffer *buffer;
    Zns *zns;
    Conv *conv;
    EventHeap *events;
    bool has_front;
    FrontEnd front;
    uint32_t entering_finishes; /* finishes that are not handed off yet */
    ReadSlots read_slots;
    uint64_t least_leave_ns; /* least fixed latency of host I/O */
} Entry;

/* What it can have under way, for the drive's tables. */
void entry_bounds(const SsdParams *p, Bounds *bounds);

/* All that `rooms` points to outlives it. */
void entry_init(Entry *entry, const Entry *rooms);
void entry_destroy(Entry *entry);

/* Does the operation take time at all, with these parameters? */
bool entry_is_timed(const SsdParams *params, SsdOp op);
/* Does the operation go through the front end, if there is one? */
static inline bool entry_takes(const Entry *entry, SsdOp op)
{
    return entry->has_front && entry_is_timed(entry->params, op);
}

/*
 * cost.c: the cost of a command of `nlb` blocks that has been checked and not
 * committed, as it depends on the state of the zone before. This counts writes,
 * for each has a draw of its own: call it once. `ns` is NULL if the command is
 * of all namespaces.
 */
FrontCost entry_cost(Entry *entry, const SsdNs *ns, const SsdCmd *cmd,
                     uint64_t nlb);
bool entry_has_costs(const SsdParams *params);
/* Of a read, verify or compare of the class, before its hand-off. */
uint64_t entry_read_ns(const SsdParams *params, CostClass class);

void entry_enter(Entry *entry, uint64_t now_ns, uint32_t command_idx,
                 const FrontCost *cost);
/*
 * At EVENT_FRONT, and at EFFECT_ROOM_FREED if the buffer was too crowded then.
 * Return: the command that is handed off, or SSD_NONE.
 */
uint32_t entry_event(Entry *entry, uint64_t now_ns);
uint32_t entry_room_freed(Entry *entry, uint64_t now_ns);

/* All data of a write have arrived: the front end has it once more. */
void entry_write_arrived(Entry *entry, uint64_t now_ns, uint32_t command_idx);
/* For how long. */
uint64_t entry_again_ns(const SsdParams *p, const Command *command);

/*
 * No part of the command is left. Return: true if it completes later, at its
 * EVENT_LEAVING; false: now.
 */
bool entry_leaves_later(Entry *entry, uint64_t now_ns, uint32_t command_idx);

/*
 * More than two pages (4 KiB) do not fit into a command's two pointers, which
 * then name a list of them (NVMe Base, "Physical Region Page Entry and List").
 */
static inline bool entry_needs_list(const Command *command)
{
    return command->bytes > 2 * SSD_GRANULE_BYTES;
}

/* A command completes: as many reads that wait for slots go in as find one. */
void entry_gives_slots(Entry *entry, uint64_t now_ns, uint32_t command_idx);
static inline void entry_left(Entry *entry, uint64_t now_ns,
                              uint32_t command_idx)
{
    if (entry->params->read_slots != 0 &&
        (commands_is_read(entry->commands->at[command_idx].done.op) ||
         turns_group(&entry->read_slots.turns) != TURNS_NONE)) {
        entry_gives_slots(entry, now_ns, command_idx);
    }
}

/*
 * entry_state.c: as bytes; see base/state.h. Tells of each command whether it
 * enters, or waits for a slot before that.
 */
typedef struct State State;
void entry_state(Entry *entry, State *state, bool *enters, bool *waits);
/*
 * Has read it: counts that follow from where each of the commands inside, those
 * of `used`, is. Their zones must exist.
 */
void entry_count_used(Entry *entry, const uint32_t *used, const bool *enters,
                      const bool *waits);

/* read_slots.c */
/* For that: a command that is inside and does not wait; has it a slot? */
void read_slots_count(Entry *entry, uint32_t command_idx);
void read_slots_init(ReadSlots *slots, const SsdParams *params);
void read_slots_destroy(ReadSlots *slots);
/* Take a slot if the command needs one. Return: true if it waits for one. */
bool read_slots_must_wait(Entry *entry, uint32_t command_idx);
/* Give the slot back, if it had one. Return: the read that has one now. */
uint32_t read_slots_left(Entry *entry, uint32_t command_idx);
/* Return: one more read that waited and has a slot now, or SSD_NONE. */
uint32_t read_slots_next(Entry *entry);

#endif
