/*
 * The queue of the front end; each command has one event, its hand-off.
 *
 * Knows nothing of what a command is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "front_end.h"

#include <glib.h>

void front_end_init(FrontEnd *front, EventHeap *events, unsigned lane_idx,
                    uint32_t payload, uint32_t command_count)
{
    *front = (FrontEnd) {
        .events = events,
        .lane_idx = lane_idx,
        .payload = payload,
        .work = g_new(FrontEndWork, command_count),
        .head_idx = FRONT_END_NONE,
    };
}

void front_end_destroy(FrontEnd *front)
{
    g_free(front->work);
}

static void serve_head(FrontEnd *front, uint64_t now_ns)
{
    uint64_t begin_at_ns = MAX(MAX(now_ns, front->free_at_ns),
                               front->arrived_until_at_ns);

    front->hand_off_at_ns = begin_at_ns +
                            front->work[front->head_idx].before_ns;
    event_heap_push_lane(front->events, front->lane_idx,
                         front->hand_off_at_ns, front->payload);
}

void front_end_enter(FrontEnd *front, uint64_t now_ns, uint32_t command_idx,
                     uint64_t before_ns, uint64_t after_ns)
{
    front->work[command_idx] = (FrontEndWork) {
        .before_ns = before_ns,
        .after_ns = after_ns,
        .next_idx = FRONT_END_NONE,
    };
    if (front->head_idx == FRONT_END_NONE) {
        front->head_idx = command_idx;
        serve_head(front, now_ns);
    } else {
        front->work[front->tail_idx].next_idx = command_idx;
    }
    front->tail_idx = command_idx;
}

/* When the front end has time for what is before those that wait. */
static uint64_t free_at_ns(const FrontEnd *front, uint64_t now_ns)
{
    if (front->head_idx == FRONT_END_NONE) {
        return front->free_at_ns;
    }
    return front->hand_off_at_ns <= now_ns
           ? now_ns
           : front->hand_off_at_ns + front->work[front->head_idx].after_ns;
}

uint64_t front_end_come_back(FrontEnd *front, uint64_t now_ns,
                             uint64_t take_ns)
{
    uint64_t begin_at_ns = MAX(MAX(now_ns, free_at_ns(front, now_ns)),
                               front->arrived_until_at_ns);

    front->arrived_until_at_ns = begin_at_ns + take_ns;
    return front->arrived_until_at_ns;
}

void front_end_go_on(FrontEnd *front, uint64_t now_ns)
{
    const FrontEndWork *work = &front->work[front->head_idx];

    front->free_at_ns = now_ns + work->after_ns;
    front->head_idx = work->next_idx;
    if (front->head_idx != FRONT_END_NONE) {
        serve_head(front, now_ns);
    }
}
