/*
 * A bounded priority queue of instants: the earliest first, and among equals
 * the one that was pushed first, so that a run has one possible order.
 *
 * Knows nothing of what an event means; it carries one number for its owner.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_EVENT_HEAP_H
#define FEMU_EVENT_HEAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Event {
    uint64_t at_ns;
    uint64_t seq; /* order of creation: breaks ties */
    uint32_t payload;
} Event;

typedef struct EventHeap {
    Event *events;
    uint32_t count;
    uint32_t capacity;
    uint64_t next_seq;
} EventHeap;

void event_heap_init(EventHeap *heap, uint32_t capacity);
void event_heap_destroy(EventHeap *heap);

/* Needs count < capacity: callers own at most `capacity` pending events. */
void event_heap_push(EventHeap *heap, uint64_t at_ns, uint32_t payload);

/* Instant of the earliest event, UINT64_MAX when there is none. */
static inline uint64_t event_heap_next_at_ns(const EventHeap *heap)
{
    return heap->count ? heap->events[0].at_ns : UINT64_MAX;
}

/* Take the earliest event. Needs count > 0. */
Event event_heap_pop(EventHeap *heap);

#endif
