/*
 * A bounded priority queue of instants: the earliest first, and among equals
 * the one that was pushed first, so that a run has one possible order.
 *
 * A heap holds what may come in any order. Beside it are lanes, each for events
 * of one origin, which come in the order of time or nearly so: a lane costs the
 * same however many events wait. Where an event waits changes nothing but the
 * cost.
 *
 * Knows nothing of what an event means; it carries one number for its owner.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_EVENT_HEAP_H
#define FEMU_EVENT_HEAP_H

#include <stdbool.h>
#include <stdint.h>

/* at_ns << 64 | order of creation, which breaks ties. */
typedef unsigned __int128 EventKey;

typedef struct Event {
    EventKey key;
    uint32_t payload;
} Event;

enum { EVENT_LANES = 8, EVENT_LANE_SIZE = 256 };

/* Where the first events are kept: of half of the lanes each, of the heap. */
enum {
    EVENT_LOW_LANES,
    EVENT_HIGH_LANES,
    EVENT_IN_HEAP,
    EVENT_SOURCES,
};

/* Events in the order of time: a ring. */
typedef struct EventLane {
    EventKey last_key; /* of the last event, while there is one */
    uint32_t head;
    uint32_t count;
    Event events[EVENT_LANE_SIZE];
} EventLane;

/* The earliest event of some; EVENT_NEVER: none. */
typedef struct EventFirst {
    EventKey key;
    unsigned lane_idx; /* EVENT_LANES: the heap */
} EventFirst;

typedef struct EventHeap {
    EventFirst next; /* of all */
    EventFirst firsts[EVENT_SOURCES];
    EventKey heads[EVENT_LANES]; /* of the first event of each lane */
    uint64_t next_seq;
    EventLane *lanes;    /* [EVENT_LANES] */
    Event *events;       /* the heap */
    uint32_t count;
    uint32_t capacity;
} EventHeap;

#define EVENT_NEVER (~(EventKey)0)

void event_heap_init(EventHeap *heap, uint32_t capacity);
void event_heap_destroy(EventHeap *heap);

/* Needs room: callers own at most `capacity` pending events. */
void event_heap_push(EventHeap *heap, uint64_t at_ns, uint32_t payload);

/*
 * The same by way of a lane, if it has room and no later event. Needs room in
 * the heap all the same.
 */
void event_heap_push_lane(EventHeap *heap, unsigned lane_idx, uint64_t at_ns,
                          uint32_t payload);

/* The same, but it comes after all others of its instant, pushed when ever. */
void event_heap_push_late(EventHeap *heap, uint64_t at_ns, uint32_t payload);

/* Instant of the earliest event, UINT64_MAX when there is none. */
static inline uint64_t event_heap_next_at_ns(const EventHeap *heap)
{
    return heap->next.key >> 64;
}

/* The same of one lane, and of what waits in no lane. */
static inline uint64_t event_heap_lane_at_ns(const EventHeap *heap,
                                             unsigned lane_idx)
{
    return heap->heads[lane_idx] >> 64;
}

static inline uint64_t event_heap_other_at_ns(const EventHeap *heap)
{
    return heap->firsts[EVENT_IN_HEAP].key >> 64;
}

/* Take the earliest event. Needs one. Return: its payload. */
uint32_t event_heap_pop(EventHeap *heap);

#endif
