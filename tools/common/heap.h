/*
 * The host's own events, ordered by time and, at one instant, by creation.
 *
 * Knows nothing of what the events mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_HEAP_H
#define FEMU_SIM_HEAP_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct SimEvent {
    uint64_t at_ns;
    uint64_t sequence;
    uint32_t kind;
    uint32_t idx;
} SimEvent;

typedef struct SimHeap {
    GArray *events; /* SimEvent, a binary heap */
    uint64_t next_sequence;
} SimHeap;

void sim_heap_init(SimHeap *heap);
void sim_heap_clear(SimHeap *heap);
void sim_heap_push(SimHeap *heap, uint64_t at_ns, uint32_t kind,
                   uint32_t idx);

/* The earliest event's time; UINT64_MAX without events. */
uint64_t sim_heap_next_at_ns(const SimHeap *heap);

/* Take the earliest event. Needs one. */
SimEvent sim_heap_pop(SimHeap *heap);

#endif
