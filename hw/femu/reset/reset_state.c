/*
 * The state of resets that are managed.
 *
 * Knows nothing of zones' states, or of what is erased and when.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "../base/state.h"
#include "reset.h"

static const StateRow work_rows[] = {
    STATE_TIME(ResetWork, host_bytes),
    STATE_BOOL(ResetWork, was_full),
    STATE_IN_LISTS(ResetWork, next_job_idx),
};

static const StateRow reset_rows[] = {
    STATE_LEFT(ResetEngine, params, "another room"),
    STATE_LEFT(ResetEngine, media, "another room"),
    STATE_LEFT(ResetEngine, buffer, "another room"),
    STATE_LEFT(ResetEngine, events, "another room"),
    STATE_LEFT(ResetEngine, effects, "another room"),
    STATE_LEFT(ResetEngine, is_on, "of the parameters"),
    STATE_LEFT(ResetEngine, job_count, "of the parameters"),
    STATE_AT_MOST(ResetEngine, phase, RESET_STEPS),
    STATE_ELSE(ResetEngine, works, "work_rows, of those in the list"),
    STATE_IN_LISTS(ResetEngine, first_job_idx),
    STATE_IN_LISTS(ResetEngine, last_job_idx),
    STATE_TIME(ResetEngine, lock_at_ns),
    STATE_TIME(ResetEngine, lock_ns),
    STATE_TIME(ResetEngine, steps),
    STATE_TIME(ResetEngine, steps_begun),
    STATE_TIME(ResetEngine, steps_ended),
    STATE_INDEX(ResetEngine, step_unit_idx, STATE_OF_UNITS),
};

static void check(const ResetEngine *reset, State *state)
{
    uint64_t most = (uint64_t)reset->params->reset_steps *
                    reset->media->unit_count;

    if (reset->steps_ended > reset->steps_begun ||
        reset->steps_begun > reset->steps || reset->steps > most ||
        reset->lock_ns > reset->params->reset_lock_ns) {
        state_fail(state, "%" PRIu64 " steps have ended, %" PRIu64
                   " begun, of %" PRIu64 ", in %" PRIu64 " ns; there can be %"
                   PRIu64 ", in %" PRIu64 " ns", reset->steps_ended,
                   reset->steps_begun, reset->steps, reset->lock_ns, most,
                   reset->params->reset_lock_ns);
    }
    for (uint32_t i = reset->first_job_idx; i != SSD_NONE;
         i = reset->works[i].next_job_idx) {
        if (reset->works[i].host_bytes > reset->params->zone_capacity_bytes) {
            state_fail(state, "job %u resets %" PRIu64 " bytes, a zone has %"
                       PRIu64, i, reset->works[i].host_bytes,
                       reset->params->zone_capacity_bytes);
        }
    }
}

static void visit_works(ResetEngine *reset, State *state, bool *in_list)
{
    uint32_t jobs = reset->job_count;
    StateLinks links = STATE_LINKS(ResetWork, next_job_idx, "resets",
                                   reset->works, jobs);
    g_autoptr(GArray) chosen = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    state_links_begin(&links);
    state_list(state, &links, &reset->first_job_idx, &reset->last_job_idx);
    for (uint32_t i = 0; i < jobs; i++) {
        in_list[i] = links.linked[i];
        if (links.linked[i]) {
            g_array_append_val(chosen, i);
        }
    }
    state_links_end(&links);
    STATE_TABLE(state, work_rows, reset->works, chosen->len,
                (const uint32_t *)chosen->data);
    if (state_was_read(state)) {
        check(reset, state);
    }
}

void reset_state(ResetEngine *reset, State *state, bool *in_list)
{
    state_room(state, "resets");
    STATE_STRUCT(state, reset_rows, reset);
    if (reset_is_on(reset)) {
        visit_works(reset, state, in_list);
    }
    state_room_end(state);
}
