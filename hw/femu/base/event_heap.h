/*
 * A bounded priority queue of events: the earliest first, and at one instant
 * the one that was pushed first, so that there is only one possible order.
 *
 * Events are in a heap, or in lanes. A lane is a first-in, first-out ring for
 * events of one origin, which are pushed in the order of time or nearly so; it
 * costs the same however many events wait. An event that a lane cannot take
 * goes to the heap. Where it waits does not change the order, only the cost.
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

enum { EVENT_LANES = 11, EVENT_LANE_SIZE = 256 };

/*
 * Where events wait: in a lane, by its number, or in the heap. The first event
 * is known of each source, and which source of each group has the earliest.
 * Three full groups: a lane that nobody uses costs nothing but its memory.
 */
enum {
    EVENT_IN_HEAP = EVENT_LANES,
    EVENT_SOURCES,
    EVENT_GROUP_SOURCES = 4,
    EVENT_GROUPS = EVENT_SOURCES / EVENT_GROUP_SOURCES,
};

/* Events in the order of time: a ring. */
typedef struct EventLane {
    Event *events; /* [EVENT_LANE_SIZE] */
    uint64_t last_at_ns; /* of the last event, if count > 0 */
    uint32_t head;
    uint32_t count;
} EventLane;

/* `next` and `firsts` point into `heads`, so an EventHeap stays where it is. */
typedef struct EventHeap {
    const EventKey *next; /* of the earliest event */
    const EventKey *firsts[EVENT_GROUPS]; /* the same of each group */
    EventKey heads[EVENT_SOURCES]; /* of the first event; or EVENT_NEVER */
    uint64_t next_seq;
    EventLane lanes[EVENT_LANES];
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
 * The same, into a lane if it has room and no later event, else into the heap;
 * so the heap must have room all the same.
 */
void event_heap_push_lane(EventHeap *heap, unsigned lane_idx, uint64_t at_ns,
                          uint32_t payload);

/* The same, but after all other events of its instant, even those to come. */
void event_heap_push_late(EventHeap *heap, uint64_t at_ns, uint32_t payload);

/* Instant of the earliest event, UINT64_MAX when there is none. */
static inline uint64_t event_heap_next_at_ns(const EventHeap *heap)
{
    return *heap->next >> 64;
}

/* The same of one lane, and of the heap alone. */
static inline uint64_t event_heap_lane_at_ns(const EventHeap *heap,
                                             unsigned lane_idx)
{
    return heap->heads[lane_idx] >> 64;
}

static inline uint64_t event_heap_other_at_ns(const EventHeap *heap)
{
    return heap->heads[EVENT_IN_HEAP] >> 64;
}

/* Take the earliest event. Needs one. Return: its payload. */
uint32_t event_heap_pop(EventHeap *heap);

/* event_heap_state.c: the events as bytes; see state.h. */
typedef struct State State;
void event_heap_state(EventHeap *heap, State *state);
/* For that: the lanes and the heap have changed as a whole; is the heap one? */
void event_heap_find_firsts(EventHeap *heap);
/* All events in any order: how many, and one of them. */
uint32_t event_heap_count(const EventHeap *heap);
Event event_heap_at(const EventHeap *heap, uint32_t idx);
bool event_heap_is_before_parent(const EventHeap *heap, uint32_t idx);

#endif
