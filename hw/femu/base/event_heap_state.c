/*
 * The state of an event heap: its events, each where it waits.
 *
 * Knows nothing of what an event means.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "event_heap.h"
#include "state.h"

static const StateRow event_heap_rows[] = {
    STATE_AT_MOST(EventHeap, next_seq, UINT64_MAX >> 2),
    STATE_ELSE(EventHeap, lanes, "as records, from the first on"),
    STATE_ELSE(EventHeap, events, "as records"),
    STATE_ELSE(EventHeap, count, "before the records"),
    STATE_LEFT(EventHeap, next, "the first of `firsts`"),
    STATE_LEFT(EventHeap, firsts, "of `heads`"),
    STATE_LEFT(EventHeap, heads, "of `lanes` and `events`"),
    STATE_LEFT(EventHeap, capacity, "of the parameters"),
};

/* An event as it is stored: its key of 128 bits is two numbers. */
typedef struct EventRecord {
    uint64_t at_ns;
    uint64_t order;
    uint32_t payload;
} EventRecord;

static const StateRow event_record_rows[] = {
    STATE_TIME(EventRecord, at_ns),
    STATE_NUMBER(EventRecord, order),
    STATE_NUMBER(EventRecord, payload),
    STATE_ELSE(Event, key, "at_ns and order of EventRecord"),
    STATE_ELSE(Event, payload, "EventRecord's"),
};

static const StateRow event_lane_rows[] = {
    STATE_LEFT(EventLane, last_at_ns, "of the last event"),
    STATE_LEFT(EventLane, head, "the ring may as well begin at 0"),
    STATE_ELSE(EventLane, count, "before the records"),
    STATE_ELSE(EventLane, events, "as records, from the first on"),
};

static EventRecord record_of(const Event *event)
{
    return (EventRecord) {
        .at_ns = event->key >> 64,
        .order = (uint64_t)event->key,
        .payload = event->payload,
    };
}

static Event event_of(const EventRecord *record)
{
    return (Event) {
        .key = (EventKey)record->at_ns << 64 | record->order,
        .payload = record->payload,
    };
}

/* Events of a ring of `size`. When they are read, the ring begins at 0. */
static void visit_events(State *state, const char *name, Event *events,
                         uint32_t head, uint32_t size, uint32_t *count)
{
    g_autofree EventRecord *records = NULL;
    uint64_t number = *count;

    state_number(state, name, &number, size);
    *count = number;
    records = g_new0(EventRecord, number);
    for (uint32_t i = 0; !state_is_reading(state) && i < number; i++) {
        records[i] = record_of(&events[(head + i) % size]);
    }
    STATE_TABLE(state, event_record_rows, records, number, NULL);
    for (uint32_t i = 0; state_is_reading(state) && i < number; i++) {
        events[i] = event_of(&records[i]);
    }
}

/* The event's number in the order of creation: its key without LATE. */
static uint64_t order_of(EventKey key)
{
    return (uint64_t)key & (UINT64_MAX >> 1);
}

static void check_order(State *state, const EventHeap *heap, EventKey key)
{
    if (order_of(key) >= heap->next_seq) {
        state_fail(state, "an event is number %" PRIu64 " of %" PRIu64,
                   order_of(key), heap->next_seq);
    }
}

static void visit_lane(State *state, EventHeap *heap, unsigned lane_idx)
{
    EventLane *lane = &heap->lanes[lane_idx];

    visit_events(state, "lane", lane->events, lane->head, EVENT_LANE_SIZE,
                 &lane->count);
    if (!state_is_reading(state)) {
        return;
    }
    for (uint32_t i = 0; i < lane->count; i++) {
        check_order(state, heap, lane->events[i].key);
        if (i != 0 && lane->events[i].key <= lane->events[i - 1].key) {
            state_fail(state, "lane %u is not in order", lane_idx);
        }
    }
    if (lane->count != 0) {
        lane->last_at_ns = lane->events[lane->count - 1].key >> 64;
    }
}

static void check_heap(State *state, const EventHeap *heap)
{
    for (uint32_t i = 0; i < heap->count; i++) {
        check_order(state, heap, heap->events[i].key);
        if (event_heap_is_before_parent(heap, i)) {
            state_fail(state, "event %u of the heap comes before its parent",
                       i);
        }
    }
}

void event_heap_state(EventHeap *heap, State *state)
{
    state_room(state, "events");
    STATE_STRUCT(state, event_heap_rows, heap);
    STATE_STRUCT(state, event_lane_rows, heap->lanes);
    for (unsigned i = 0; i < EVENT_LANES; i++) {
        visit_lane(state, heap, i);
    }
    visit_events(state, "heap", heap->events, 0, heap->capacity, &heap->count);
    if (state_is_reading(state)) {
        check_heap(state, heap);
        event_heap_find_firsts(heap);
    }
    state_room_end(state);
}
