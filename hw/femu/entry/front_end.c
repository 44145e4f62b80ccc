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
    uint64_t begin_at_ns = MAX(now_ns, front->free_at_ns);

    event_heap_push_lane(front->events, front->lane_idx,
                         begin_at_ns +
                         front->work[front->head_idx].before_ns,
                         front->payload);
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

void front_end_go_on(FrontEnd *front, uint64_t now_ns)
{
    const FrontEndWork *work = &front->work[front->head_idx];

    front->free_at_ns = now_ns + work->after_ns;
    front->head_idx = work->next_idx;
    if (front->head_idx != FRONT_END_NONE) {
        serve_head(front, now_ns);
    }
}
