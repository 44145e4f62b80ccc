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

G_STATIC_ASSERT(EVENT_GROUPS == 3 && EVENT_GROUP_SOURCES == 4 &&
                EVENT_SOURCES == EVENT_GROUPS * EVENT_GROUP_SOURCES);

void event_heap_init(EventHeap *heap, uint32_t capacity)
{
    *heap = (EventHeap) {
        .events = g_new(Event, capacity),
        .capacity = capacity,
    };
    for (unsigned i = 0; i < EVENT_LANES; i++) {
        heap->lanes[i].events = g_new(Event, EVENT_LANE_SIZE);
    }
    event_heap_find_firsts(heap);
}

void event_heap_destroy(EventHeap *heap)
{
    for (unsigned i = 0; i < EVENT_LANES; i++) {
        g_free(heap->lanes[i].events);
    }
    g_free(heap->events);
}

/* The first events: all without branches, which nobody could predict. */

static const EventKey *earlier(const EventKey *a, const EventKey *b)
{
    return *b < *a ? b : a;
}

static const EventKey *earlier_of_two(const EventKey *keys)
{
    return keys + (keys[1] < keys[0]);
}

static const EventKey *first_of_group(const EventKey *keys)
{
    return earlier(earlier_of_two(keys), earlier_of_two(keys + 2));
}

/*
 * The first event of a source has left: this is the key of its new one. The
 * groups that keep theirs are compared first, as what comes next waits for this.
 */
static void replace_first(EventHeap *heap, unsigned source, EventKey key)
{
    unsigned group = source / EVENT_GROUP_SOURCES;
    unsigned other = group == 0;
    const EventKey *kept = earlier(heap->firsts[other],
                                   heap->firsts[EVENT_GROUPS - group - other]);
    const EventKey *first;

    heap->heads[source] = key;
    first = first_of_group(&heap->heads[group * EVENT_GROUP_SOURCES]);
    heap->firsts[group] = first;
    heap->next = earlier(first, kept);
}

/* A source has a new first event, before what it had: is it that of all? */
static void come_first(EventHeap *heap, unsigned source, EventKey key)
{
    const EventKey **first = &heap->firsts[source / EVENT_GROUP_SOURCES];

    if (key < **first) {
        *first = &heap->heads[source];
        if (key < *heap->next) {
            heap->next = &heap->heads[source];
        }
    }
    heap->heads[source] = key;
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
    if (hole == 0) {
        come_first(heap, EVENT_IN_HEAP, key);
    }
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

static EventKey heap_first(const EventHeap *heap)
{
    return heap->count ? heap->events[0].key : EVENT_NEVER;
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
    replace_first(heap, EVENT_IN_HEAP, heap_first(heap));
    return payload;
}

/* Lanes */

static void lane_push(EventHeap *heap, unsigned lane_idx, EventKey key,
                      uint32_t payload)
{
    EventLane *lane = &heap->lanes[lane_idx];
    Event *event = &lane->events[(lane->head + lane->count) % EVENT_LANE_SIZE];

    lane->last_at_ns = key >> 64;
    event->key = key;
    event->payload = payload;
    if (lane->count++ == 0) {
        come_first(heap, lane_idx, key);
    }
}

/* At the instant of the last event a new one comes behind it. */
static bool lane_takes(const EventLane *lane, uint64_t at_ns)
{
    return lane->count == 0 ||
           (lane->count < EVENT_LANE_SIZE && lane->last_at_ns <= at_ns);
}

static EventKey lane_first(const EventLane *lane)
{
    return lane->count ? lane->events[lane->head].key : EVENT_NEVER;
}

static uint32_t lane_pop(EventHeap *heap, unsigned lane_idx)
{
    EventLane *lane = &heap->lanes[lane_idx];
    uint32_t payload = lane->events[lane->head].payload;

    /* An empty lane begins anew where the cache has it. */
    lane->head = --lane->count ? (lane->head + 1) % EVENT_LANE_SIZE : 0;
    replace_first(heap, lane_idx, lane_first(lane));
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

    if (lane_takes(&heap->lanes[lane_idx], at_ns)) {
        lane_push(heap, lane_idx, key, payload);
    } else {
        heap_push(heap, key, payload);
    }
}

uint32_t event_heap_pop(EventHeap *heap)
{
    unsigned source = heap->next - heap->heads;

    return source == EVENT_IN_HEAP ? heap_pop(heap) : lane_pop(heap, source);
}

/* All events at once */

void event_heap_find_firsts(EventHeap *heap)
{
    for (unsigned i = 0; i < EVENT_LANES; i++) {
        heap->heads[i] = lane_first(&heap->lanes[i]);
    }
    for (unsigned i = 0; i < EVENT_GROUPS; i++) {
        heap->firsts[i] =
            first_of_group(&heap->heads[i * EVENT_GROUP_SOURCES]);
    }
    replace_first(heap, EVENT_IN_HEAP, heap_first(heap));
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
