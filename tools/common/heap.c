/*
 * A binary heap of events.
 *
 * Knows nothing of what the events mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "heap.h"

static SimEvent *events_of(const SimHeap *heap)
{
    return (SimEvent *)(void *)heap->events->data;
}

static bool is_before(const SimEvent *a, const SimEvent *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns
                                : a->sequence < b->sequence;
}

void sim_heap_init(SimHeap *heap)
{
    heap->events = g_array_new(FALSE, FALSE, sizeof(SimEvent));
    heap->next_sequence = 0;
}

void sim_heap_clear(SimHeap *heap)
{
    g_array_unref(heap->events);
}

void sim_heap_push(SimHeap *heap, uint64_t at_ns, uint32_t kind, uint32_t idx)
{
    SimEvent event = {at_ns, heap->next_sequence++, kind, idx};
    unsigned at = heap->events->len;
    SimEvent *events;

    g_array_append_val(heap->events, event);
    events = events_of(heap);
    while (at > 0 && is_before(&event, &events[(at - 1) / 2])) {
        events[at] = events[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    events[at] = event;
}

uint64_t sim_heap_next_at_ns(const SimHeap *heap)
{
    return heap->events->len > 0 ? events_of(heap)[0].at_ns : UINT64_MAX;
}

SimEvent sim_heap_pop(SimHeap *heap)
{
    SimEvent *events = events_of(heap);
    SimEvent first = events[0], last = events[heap->events->len - 1];
    unsigned count = heap->events->len - 1, at = 0, child;

    g_array_set_size(heap->events, count);
    while ((child = 2 * at + 1) < count) {
        if (child + 1 < count &&
            is_before(&events[child + 1], &events[child])) {
            child++;
        }
        if (!is_before(&events[child], &last)) {
            break;
        }
        events[at] = events[child];
        at = child;
    }
    if (count > 0) {
        events[at] = last;
    }
    return first;
}
