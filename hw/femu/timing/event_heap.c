/*
 * A bounded priority queue of instants, as a 4-ary heap: half the levels of a
 * binary one, and four children share a cache line or two.
 *
 * Knows nothing of what an event means.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "event_heap.h"

#include <glib.h>

enum { ARITY = 4 };

static inline bool event_before(const Event *a, const Event *b)
{
    return a->at_ns < b->at_ns || (a->at_ns == b->at_ns && a->seq < b->seq);
}

void event_heap_init(EventHeap *heap, uint32_t capacity)
{
    *heap = (EventHeap) {
        .events = g_new(Event, capacity),
        .capacity = capacity,
    };
}

void event_heap_destroy(EventHeap *heap)
{
    g_free(heap->events);
    heap->events = NULL;
}

void event_heap_push(EventHeap *heap, uint64_t at_ns, uint32_t payload)
{
    Event event = {
        .at_ns = at_ns,
        .seq = heap->next_seq++,
        .payload = payload,
    };
    uint32_t hole = heap->count++;

    g_assert(hole < heap->capacity);
    while (hole > 0) {
        uint32_t parent = (hole - 1) / ARITY;

        if (!event_before(&event, &heap->events[parent])) {
            break;
        }
        heap->events[hole] = heap->events[parent];
        hole = parent;
    }
    heap->events[hole] = event;
}

/* The earliest child of `parent`, or `count` if it has none. */
static uint32_t earliest_child(const EventHeap *heap, uint32_t parent)
{
    uint32_t first = parent * ARITY + 1;
    uint32_t end = MIN(first + ARITY, heap->count);
    uint32_t best = first;

    if (first >= heap->count) {
        return heap->count;
    }
    for (uint32_t child = first + 1; child < end; child++) {
        if (event_before(&heap->events[child], &heap->events[best])) {
            best = child;
        }
    }
    return best;
}

Event event_heap_pop(EventHeap *heap)
{
    Event top = heap->events[0];
    Event last = heap->events[--heap->count];
    uint32_t hole = 0;

    for (;;) {
        uint32_t child = earliest_child(heap, hole);

        if (child == heap->count ||
            !event_before(&heap->events[child], &last)) {
            break;
        }
        heap->events[hole] = heap->events[child];
        hole = child;
    }
    heap->events[hole] = last;
    return top;
}
