/*
 * A bounded priority queue of instants: a 4-ary heap, which has half the levels
 * of a binary one, and lanes.
 *
 * Knows nothing of what an event means.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "event_heap.h"

#include <glib.h>

enum { ARITY = 4 };

/* In the key of an event that comes after all others of its instant. */
#define LATE ((EventKey)1 << 63)

void event_heap_init(EventHeap *heap, uint32_t capacity)
{
    *heap = (EventHeap) {
        .next_key = EVENT_NEVER,
        .events = g_new(Event, capacity),
        .capacity = capacity,
    };
    for (unsigned i = 0; i < EVENT_LANES; i++) {
        heap->heads[i] = EVENT_NEVER;
    }
}

void event_heap_init_lane(EventHeap *heap, unsigned lane_idx,
                          uint32_t capacity)
{
    heap->lanes[lane_idx] = (EventLane) {
        .events = g_new(Event, capacity),
        .capacity = capacity,
    };
}

void event_heap_destroy(EventHeap *heap)
{
    for (unsigned i = 0; i < EVENT_LANES; i++) {
        g_free(heap->lanes[i].events);
    }
    g_free(heap->events);
    heap->events = NULL;
}

/* The earliest of all */

static void find_next(EventHeap *heap)
{
    EventKey best = heap->count ? heap->events[0].key : EVENT_NEVER;
    unsigned from = EVENT_LANES;

    for (unsigned i = 0; heap->lanes_count && i < EVENT_LANES; i++) {
        bool is_earlier = heap->heads[i] < best;

        best = is_earlier ? heap->heads[i] : best;
        from = is_earlier ? i : from;
    }
    heap->next_key = best;
    heap->next_from = from;
}

/* The heap or a lane has an event that may be the first of all. */
static void may_be_next(EventHeap *heap, unsigned from, EventKey key)
{
    if (key < heap->next_key) {
        heap->next_key = key;
        heap->next_from = from;
    }
}

/* The heap */

static void heap_push(EventHeap *heap, EventKey key, uint32_t payload)
{
    uint32_t hole = heap->count++;

    g_assert(hole < heap->capacity);
    while (hole > 0) {
        uint32_t parent = (hole - 1) / ARITY;

        if (heap->events[parent].key < key) {
            break;
        }
        heap->events[hole] = heap->events[parent];
        hole = parent;
    }
    heap->events[hole].key = key;
    heap->events[hole].payload = payload;
    may_be_next(heap, EVENT_LANES, key);
}

/* The earliest child of a parent whose first child is `first` < count. */
static uint32_t earliest_child(const EventHeap *heap, uint32_t first)
{
    uint32_t end = MIN(first + ARITY, heap->count);
    uint32_t best = first;

    for (uint32_t child = first + 1; child < end; child++) {
        if (heap->events[child].key < heap->events[best].key) {
            best = child;
        }
    }
    return best;
}

static uint32_t heap_pop(EventHeap *heap)
{
    uint32_t payload = heap->events[0].payload;
    const Event *last = &heap->events[--heap->count];
    uint32_t hole = 0;

    while (hole * ARITY + 1 < heap->count) {
        uint32_t child = earliest_child(heap, hole * ARITY + 1);

        if (last->key < heap->events[child].key) {
            break;
        }
        heap->events[hole] = heap->events[child];
        hole = child;
    }
    heap->events[hole] = *last;
    return payload;
}

/* Lanes */

/* Where the event `i` places behind the first is in the ring. */
static uint32_t lane_idx_of(const EventLane *lane, uint32_t i)
{
    uint32_t idx = lane->head + i;

    return idx < lane->capacity ? idx : idx - lane->capacity;
}

static void lane_push(EventHeap *heap, unsigned lane_idx, EventKey key,
                      uint32_t payload)
{
    EventLane *lane = &heap->lanes[lane_idx];
    Event *event = &lane->events[lane_idx_of(lane, lane->count)];

    g_assert(lane->count < lane->capacity);
    heap->lanes_count++;
    event->key = key;
    event->payload = payload;
    if (lane->count++ == 0) {
        heap->heads[lane_idx] = key;
        may_be_next(heap, lane_idx, key);
    }
}

static bool lane_takes(const EventLane *lane, EventKey key)
{
    return lane->count == 0 ||
           lane->events[lane_idx_of(lane, lane->count - 1)].key < key;
}

static uint32_t lane_pop(EventHeap *heap, unsigned lane_idx)
{
    EventLane *lane = &heap->lanes[lane_idx];
    uint32_t payload = lane->events[lane->head].payload;

    heap->lanes_count--;
    lane->head = lane_idx_of(lane, 1);
    lane->count--;
    heap->heads[lane_idx] = lane->count ? lane->events[lane->head].key
                                        : EVENT_NEVER;
    return payload;
}

/* All of it */

static EventKey key_of(EventHeap *heap, uint64_t at_ns)
{
    return (EventKey)at_ns << 64 | heap->next_seq++;
}

void event_heap_push(EventHeap *heap, uint64_t at_ns, uint32_t payload)
{
    heap_push(heap, key_of(heap, at_ns), payload);
}

void event_heap_push_late(EventHeap *heap, uint64_t at_ns, uint32_t payload)
{
    heap_push(heap, key_of(heap, at_ns) | LATE, payload);
}

void event_heap_push_lane(EventHeap *heap, unsigned lane_idx, uint64_t at_ns,
                          uint32_t payload)
{
    EventKey key = key_of(heap, at_ns);

    if (lane_takes(&heap->lanes[lane_idx], key)) {
        lane_push(heap, lane_idx, key, payload);
    } else {
        heap_push(heap, key, payload);
    }
}

uint32_t event_heap_pop(EventHeap *heap)
{
    uint32_t payload = heap->next_from == EVENT_LANES
                       ? heap_pop(heap) : lane_pop(heap, heap->next_from);

    find_next(heap);
    return payload;
}
