/*
 * The way in and the way out: the front end takes commands in one by one, reads
 * wait for a slot, and a latency that occupies nothing is added at the end.
 *
 * A command takes effect when it is submitted; its work begins at its hand-off,
 * in the order of submission.
 *
 *   cost.c        what the front end has to do for a command
 *   read_slots.c  reads that wait for one
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

/*
 * Reads that are inside, of each group of `turns`. A group may always have one:
 * slots are kept free for those without.
 */
typedef struct ReadSlots {
    Lines lines;
    Turns turns; /* commands that wait for a slot */
    uint32_t *inside_counts; /* [group] */
    uint32_t inside_count;
    uint32_t groups_without;
} ReadSlots;

/* What the front end has to do for a command. */
typedef struct FrontCost {
    uint64_t before_ns; /* the hand-off */
    uint64_t after_ns;
    WriteClass write_class;
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
    uint32_t entering_finishes; /* before their hand-off */
    ReadSlots read_slots;
    uint64_t least_leave_ns; /* of host I/O, once its work has ended */
} Entry;

/* All that `rooms` points to outlives it. */
void entry_init(Entry *entry, const Entry *rooms);
void entry_destroy(Entry *entry);

/* Does the operation take the drive's time, by its parameters? */
bool entry_is_timed(const SsdParams *params, SsdOp op);
/* Is the operation taken in by the front end, if there is one? */
static inline bool entry_takes(const Entry *entry, SsdOp op)
{
    return entry->has_front && entry_is_timed(entry->params, op);
}

/*
 * cost.c: of a command that has been accepted, of `nlb` blocks; `ns` may be
 * NULL. Needs the command's zone as it is before the command, and counts the
 * writes to it.
 */
FrontCost entry_cost(Entry *entry, const SsdNs *ns, const SsdCmd *cmd,
                     uint64_t nlb);
bool entry_has_costs(const SsdParams *params);

void entry_enter(Entry *entry, uint64_t now_ns, uint32_t command_idx,
                 const FrontCost *cost);
/*
 * EVENT_FRONT, and EFFECT_ROOM_FREED, after which it may go on.
 * Return: the command that is handed off, or SSD_NONE.
 */
uint32_t entry_event(Entry *entry, uint64_t now_ns);
uint32_t entry_room_freed(Entry *entry, uint64_t now_ns);

/*
 * The command has nothing left to do in the drive. Return: true if it is done
 * later, at EVENT_LEAVING.
 */
bool entry_leaves_later(Entry *entry, uint64_t now_ns, uint32_t command_idx);
/* A command is done: its read slot is free, if it had one. */
void entry_slot_left(Entry *entry, uint64_t now_ns, uint32_t command_idx);
static inline void entry_left(Entry *entry, uint64_t now_ns,
                              uint32_t command_idx)
{
    if (entry->params->read_slots > 0) {
        entry_slot_left(entry, now_ns, command_idx);
    }
}

/* read_slots.c */
void read_slots_init(ReadSlots *slots, const SsdParams *params);
void read_slots_destroy(ReadSlots *slots);
/* Does it need a slot, and must it wait for one? If not, it has it. */
bool read_slots_must_wait(Entry *entry, uint32_t command_idx);
/* A command is done. Return: the read that has its slot now, or SSD_NONE. */
uint32_t read_slots_left(Entry *entry, uint32_t command_idx);

#endif
