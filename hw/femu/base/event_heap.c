/*
 * The heap of events, and the lanes. The heap is 4-ary: it has half as many
 * levels as a binary heap.
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

static const EventFirst never = {
    .key = EVENT_NEVER,
    .lane_idx = EVENT_LANES,
};

void event_heap_init(EventHeap *heap, uint32_t capacity)
{
    *heap = (EventHeap) {
        .next = never,
        .lanes = g_new(EventLane, EVENT_LANES),
        .events = g_new(Event, capacity),
        .capacity = capacity,
    };
    for (unsigned i = 0; i < EVENT_LANES; i++) {
        heap->heads[i] = EVENT_NEVER;
        heap->lanes[i].head = 0;
        heap->lanes[i].count = 0;
    }
    for (unsigned i = 0; i < EVENT_SOURCES; i++) {
        heap->firsts[i] = never;
    }
}

void event_heap_destroy(EventHeap *heap)
{
    g_free(heap->lanes);
    g_free(heap->events);
}

/* The first events */

static EventFirst earlier(EventFirst a, EventFirst b)
{
    bool is_b = b.key < a.key;

    return (EventFirst) {
        .key = is_b ? b.key : a.key,
        .lane_idx = is_b ? b.lane_idx : a.lane_idx,
    };
}

/* The first event of a source has left: this is its new first one. */
static void replace_first(EventHeap *heap, unsigned source, EventFirst first)
{
    unsigned other = source == EVENT_LOW_LANES ? EVENT_HIGH_LANES
                                               : EVENT_LOW_LANES;
    unsigned third = EVENT_SOURCES - source - other;

    heap->firsts[source] = first;
    heap->next = earlier(first, earlier(heap->firsts[other],
                                        heap->firsts[third]));
}

/* A new event: is it the first of its source, and of all? */
static void may_be_first(EventHeap *heap, unsigned source, EventFirst event)
{
    if (event.key < heap->firsts[source].key) {
        heap->firsts[source] = event;
        if (event.key < heap->next.key) {
            heap->next = event;
        }
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
    may_be_first(heap, EVENT_IN_HEAP, (EventFirst) { key, EVENT_LANES });
}

/* The earliest child of a parent whose first child is `first` < count. */
static uint32_t earliest_child(const EventHeap *heap, uint32_t first)
{
    uint32_t end = MIN(first + ARITY, heap->count);
    uint32_t best = first;

    while (++first < end) {
        if (heap->events[first].key < heap->events[best].key) {
            best = first;
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
    replace_first(heap, EVENT_IN_HEAP, (EventFirst) {
        .key = heap->count ? heap->events[0].key : EVENT_NEVER,
        .lane_idx = EVENT_LANES,
    });
    return payload;
}

/* Lanes */

static unsigned source_of(unsigned lane_idx)
{
    return lane_idx < EVENT_LANES / 2 ? EVENT_LOW_LANES : EVENT_HIGH_LANES;
}

static EventFirst find_first(const EventHeap *heap, unsigned source)
{
    unsigned lane_idx = source == EVENT_LOW_LANES ? 0 : EVENT_LANES / 2;
    EventFirst first = { heap->heads[lane_idx], lane_idx };

    for (unsigned i = 1; i < EVENT_LANES / 2; i++) {
        first = earlier(first, (EventFirst) { heap->heads[lane_idx + i],
                                              lane_idx + i });
    }
    return first;
}

static void lane_push(EventHeap *heap, unsigned lane_idx, EventKey key,
                      uint32_t payload)
{
    EventLane *lane = &heap->lanes[lane_idx];
    Event *event = &lane->events[(lane->head + lane->count) % EVENT_LANE_SIZE];

    lane->last_key = key;
    event->key = key;
    event->payload = payload;
    if (lane->count++ == 0) {
        heap->heads[lane_idx] = key;
        may_be_first(heap, source_of(lane_idx), (EventFirst) { key, lane_idx });
    }
}

static bool lane_takes(const EventLane *lane, EventKey key)
{
    return lane->count == 0 ||
           (lane->count < EVENT_LANE_SIZE && lane->last_key < key);
}

static uint32_t lane_pop(EventHeap *heap, unsigned lane_idx)
{
    EventLane *lane = &heap->lanes[lane_idx];
    uint32_t payload = lane->events[lane->head].payload;

    if (--lane->count != 0) {
        lane->head = (lane->head + 1) % EVENT_LANE_SIZE;
        heap->heads[lane_idx] = lane->events[lane->head].key;
    } else {
        lane->head = 0; /* where the cache has it */
        heap->heads[lane_idx] = EVENT_NEVER;
    }
    replace_first(heap, source_of(lane_idx),
                  find_first(heap, source_of(lane_idx)));
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
    unsigned lane_idx = heap->next.lane_idx;

    return lane_idx == EVENT_LANES ? heap_pop(heap)
                                   : lane_pop(heap, lane_idx);
}

/* All events at once */

void event_heap_find_firsts(EventHeap *heap)
{
    for (unsigned i = 0; i < EVENT_LANES; i++) {
        const EventLane *lane = &heap->lanes[i];

        heap->heads[i] = lane->count ? lane->events[lane->head].key
                                     : EVENT_NEVER;
    }
    heap->firsts[EVENT_IN_HEAP] = (EventFirst) {
        .key = heap->count ? heap->events[0].key : EVENT_NEVER,
        .lane_idx = EVENT_LANES,
    };
    heap->firsts[EVENT_LOW_LANES] = find_first(heap, EVENT_LOW_LANES);
    replace_first(heap, EVENT_HIGH_LANES, find_first(heap, EVENT_HIGH_LANES));
}

bool event_heap_is_before_parent(const EventHeap *heap, uint32_t idx)
{
    return idx != 0 &&
           heap->events[idx].key < heap->events[(idx - 1) / ARITY].key;
}

uint32_t event_heap_count(const EventHeap *heap)
{
    uint32_t count = heap->count;

    for (unsigned i = 0; i < EVENT_LANES; i++) {
        count += heap->lanes[i].count;
    }
    return count;
}

Event event_heap_at(const EventHeap *heap, uint32_t idx)
{
    for (unsigned i = 0; i < EVENT_LANES; i++) {
        const EventLane *lane = &heap->lanes[i];

        if (idx < lane->count) {
            return lane->events[(lane->head + idx) % EVENT_LANE_SIZE];
        }
        idx -= lane->count;
    }
    return heap->events[idx];
}
