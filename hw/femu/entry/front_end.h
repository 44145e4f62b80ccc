/*
 * The front end: the controller's processor that takes commands in, one after
 * another. Its work on a command has two parts: before_ns, until the command is
 * handed off to the rest of the drive, and after_ns, which only delays the next
 * command. The owner calls front_end_go_on() at the hand-off; while it does not
 * (the write buffer is crowded), all commands behind wait.
 *
 * Knows nothing of what a command is: a number below a bound.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_FRONT_END_H
#define FEMU_FRONT_END_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/event_heap.h"

#define FRONT_END_NONE UINT32_MAX

typedef struct FrontEndWork {
    uint64_t before_ns;
    uint64_t after_ns;
    uint32_t next_idx;
} FrontEndWork;

typedef struct FrontEnd {
    EventHeap *events;
    unsigned lane_idx;   /* lane of its one event, the hand-off */
    uint32_t payload;    /* name of this event */
    FrontEndWork *work;  /* [command] */
    uint32_t head_idx;   /* the command in service; those behind it wait */
    uint32_t tail_idx;
    uint64_t hand_off_at_ns; /* of that command; earlier than now: it is held */
    uint64_t free_at_ns; /* end of the work after the last hand-off */
    uint64_t arrived_until_at_ns; /* end of the work on what has arrived */
} FrontEnd;

void front_end_init(FrontEnd *front, EventHeap *events, unsigned lane_idx,
                    uint32_t payload, uint32_t command_count);
void front_end_destroy(FrontEnd *front);

/* A command, which must not be here yet, goes to the end of the queue. */
void front_end_enter(FrontEnd *front, uint64_t now_ns, uint32_t command_idx,
                     uint64_t before_ns, uint64_t after_ns);

/* The command whose hand-off is due. */
static inline uint32_t front_end_command(const FrontEnd *front)
{
    return front->head_idx;
}

/*
 * A command that was handed off comes back for so long, behind the one in
 * service and before those that wait. A front end whose first command is held
 * does it at once. Return: when that is over.
 */
uint64_t front_end_come_back(FrontEnd *front, uint64_t now_ns,
                             uint64_t take_ns);

/* The command is handed off: do the work after that, then the next command. */
void front_end_go_on(FrontEnd *front, uint64_t now_ns);

#endif
