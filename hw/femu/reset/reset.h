/*
 * The management of a reset: what it costs beside its erases. It waits until
 * programs have ended, stops programs while it unmaps the zone, visits the
 * units, and commits the new mapping. One reset is managed at a time; others
 * wait in a queue.
 *
 * Knows nothing of zones' states, or of what is erased and when.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_RESET_H
#define FEMU_RESET_H

#include "../buffer/buffer.h"

/*
 * What the reset that is managed waits for. RESET_DRAINED, RESET_UNMAPPED and
 * RESET_COMMITTED end at an EVENT_RESET, RESET_DRAINS when the programs have
 * ended, RESET_STEPS when the last visit to a unit has.
 */
typedef enum ResetPhase {
    RESET_DRAINS,
    RESET_DRAINED,
    RESET_UNMAPPED,
    RESET_COMMITTED,
    RESET_STEPS,
} ResetPhase;

/* What a reset costs depends on this; and its place in the queue. */
typedef struct ResetWork {
    uint64_t host_bytes; /* that the host had written to the zone */
    bool was_full;       /* the zone was full, written or finished */
    uint32_t next_job_idx;
} ResetWork;

typedef struct ResetEngine {
    const SsdParams *params;
    Media *media;
    WriteBuffer *buffer;
    EventHeap *events;
    Effects *effects;
    bool is_on;
    uint32_t job_count;
    ResetPhase phase;
    ResetWork *works; /* [job] */
    uint32_t first_job_idx;
    uint32_t last_job_idx;
    uint64_t lock_at_ns;
    uint64_t lock_ns;
    uint64_t steps;       /* visits to units of the reset that is managed */
    uint64_t steps_begun;
    uint64_t steps_ended;
    uint32_t step_unit_idx; /* unit of the next visit, of any reset */
} ResetEngine;

/* What it can have under way, for the drive's tables. */
void reset_bounds(const SsdParams *p, Bounds *bounds);

/* There are `jobs` jobs at most. All else that is given here outlives it. */
void reset_init(ResetEngine *reset, const SsdParams *params, uint32_t jobs,
                Media *media, WriteBuffer *buffer, EventHeap *events,
                Effects *effects);
void reset_destroy(ResetEngine *reset);

/* Do resets have such costs at all? If not, nothing below may be called. */
static inline bool reset_is_on(const ResetEngine *reset)
{
    return reset->is_on;
}

/* Does one wait for programs to end? */
static inline bool reset_is_draining(const ResetEngine *reset)
{
    return reset->first_job_idx != SSD_NONE && reset->phase == RESET_DRAINS;
}

/* reset_state.c: as bytes; see base/state.h. in_list[job]: it is managed. */
typedef struct State State;
void reset_state(ResetEngine *reset, State *state, bool *in_list);

/* Manage a reset, now or after others; EFFECT_RESET_MANAGED is the end. */
void reset_begin(ResetEngine *reset, uint64_t now_ns, uint32_t job_idx,
                 uint64_t host_bytes, bool was_full);
/* EFFECT_PROGRAMS_ENDED */
void reset_drained(ResetEngine *reset, uint64_t now_ns);
/* EVENT_RESET and EVENT_STEP */
void reset_event(ResetEngine *reset, uint64_t now_ns);
void reset_step_event(ResetEngine *reset, uint64_t now_ns);
/* A visit to a unit, FLASH_STEP, has ended. */
void reset_step_ended(ResetEngine *reset, uint64_t now_ns);

#endif
