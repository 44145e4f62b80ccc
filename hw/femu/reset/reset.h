/*
 * What a reset costs beside its erases: it lets the write buffer drain, locks
 * the mapping while it unmaps the zone, visits the dies, and commits. The drive
 * does this for one zone at a time.
 *
 * Knows nothing of zones' states, or of what is erased and when.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_RESET_H
#define FEMU_RESET_H

#include "../buffer/buffer.h"

/*
 * Each but the first begins at an event of its own, EVENT_RESET, except that
 * RESET_DRAINS and RESET_STEPS end when what they wait for does.
 */
typedef enum ResetPhase {
    RESET_DRAINS,
    RESET_DRAINED,
    RESET_UNMAPPED,
    RESET_COMMITTED,
    RESET_STEPS,
} ResetPhase;

/* What the costs of a reset depend on, and its place among those that wait. */
typedef struct ResetWork {
    uint64_t host_bytes; /* what the host had written to the zone */
    bool was_full;       /* written or finished */
    uint32_t next_job_idx;
} ResetWork;

typedef struct ResetEngine {
    const SsdParams *params;
    Media *media;
    WriteBuffer *buffer;
    EventHeap *events;
    Effects *effects;
    bool is_on;
    ResetPhase phase;
    ResetWork *works; /* [job] */
    uint32_t first_job_idx;
    uint32_t last_job_idx;
    uint64_t lock_at_ns;
    uint64_t lock_ns;
    uint64_t steps;       /* of the first reset, all in all */
    uint64_t steps_begun;
    uint64_t steps_ended;
    uint32_t step_unit_idx; /* of the next one */
} ResetEngine;

/* All that is given here outlives it. */
void reset_init(ResetEngine *reset, const SsdParams *params, Media *media,
                WriteBuffer *buffer, EventHeap *events, Effects *effects);
void reset_destroy(ResetEngine *reset);

/* Do resets have such costs at all? All that follows needs it. */
static inline bool reset_is_on(const ResetEngine *reset)
{
    return reset->is_on;
}

/* Do the management of a reset; EFFECT_RESET_MANAGED tells of its end. */
void reset_begin(ResetEngine *reset, uint64_t now_ns, uint32_t job_idx,
                 uint64_t host_bytes, bool was_full);
/* EFFECT_PROGRAMS_ENDED */
void reset_drained(ResetEngine *reset, uint64_t now_ns);
/* EVENT_RESET and EVENT_STEP */
void reset_event(ResetEngine *reset, uint64_t now_ns);
void reset_step_event(ResetEngine *reset, uint64_t now_ns);
/* A FLASH_STEP has ended. */
void reset_step_ended(ResetEngine *reset, uint64_t now_ns);

#endif
