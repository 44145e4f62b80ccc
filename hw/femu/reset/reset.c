/*
 * The phases of a reset, one reset at a time.
 *
 * Knows nothing of zones' states, or of what is erased and when.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "reset.h"

static bool has_costs(const SsdParams *p)
{
    return p->reset_drains || p->reset_lock_ns || p->reset_base_ns ||
           p->reset_after_ns || p->reset_part_ns;
}

/*
 * Each unit has one visit under way, and a number of those that wait. There is
 * an event for the end of the phase and one for the next visit.
 */
void reset_bounds(const SsdParams *p, Bounds *bounds)
{
    bounds_add(bounds, "the steps of a reset",
               p->reset_steps ? ssd_params_unit_count(p) : 0, 2);
}

void reset_init(ResetEngine *reset, const SsdParams *params, uint32_t jobs,
                Media *media, WriteBuffer *buffer, EventHeap *events,
                Effects *effects)
{
    *reset = (ResetEngine) {
        .params = params,
        .media = media,
        .buffer = buffer,
        .events = events,
        .effects = effects,
        .is_on = has_costs(params),
        .job_count = jobs,
        .first_job_idx = SSD_NONE,
    };
    if (reset->is_on) {
        reset->works = g_new(ResetWork, jobs);
    }
}

void reset_destroy(ResetEngine *reset)
{
    g_free(reset->works);
}

/* The phase ends at `at_ns`; also "at once" is an event, so no phase nests. */
static void next_phase(ResetEngine *reset, uint64_t at_ns, ResetPhase phase)
{
    reset->phase = phase;
    event_heap_push(reset->events, at_ns, event_name(EVENT_RESET, 0));
}

/*
 * Wait for what units have in their registers, and for the page that each would
 * get next: what is behind these in the write buffer is not the units' yet.
 */
static void start_drain(ResetEngine *reset, uint64_t now_ns)
{
    uint32_t registers = reset->params->program_registers;
    uint32_t most = registers ? registers + 1 : UINT32_MAX;

    reset->phase = RESET_DRAINS;
    if (reset->params->reset_drain_first && wbuf_is_on(reset->buffer)) {
        wbuf_drain_first(reset->buffer);
    }
    if (!reset->params->reset_drains ||
        !programs_drain(&reset->media->programs, most)) {
        reset_drained(reset, now_ns);
    }
}

void reset_drained(ResetEngine *reset, uint64_t now_ns)
{
    next_phase(reset, now_ns, RESET_DRAINED);
}

static void next_step(ResetEngine *reset, uint64_t at_ns)
{
    event_heap_push(reset->events, at_ns, event_name(EVENT_STEP, 0));
}

/*
 * `of_full` is for a zone that the host has written completely; this one takes
 * a share in proportion to what the host has written. What a finish has filled
 * is not mapped and takes nothing. `of_full` < 2^33 and a zone has at most 2^31
 * sectors, so the product does not overflow.
 */
static uint64_t in_proportion(const ResetEngine *reset, const ResetWork *work,
                              uint64_t of_full)
{
    return of_full * (work->host_bytes >> 9) /
           (reset->params->zone_capacity_bytes >> 9);
}

static void start_lock(ResetEngine *reset, uint64_t now_ns)
{
    const SsdParams *p = reset->params;
    const ResetWork *work = &reset->works[reset->first_job_idx];

    reset->lock_at_ns = now_ns;
    reset->lock_ns = in_proportion(reset, work, p->reset_lock_ns);
    reset->steps = 0;
    reset->steps_begun = 0;
    reset->steps_ended = 0;
    if (reset->lock_ns != 0) {
        flash_lock_programs(&reset->media->flash);
        reset->steps = in_proportion(reset, work,
                                     (uint64_t)p->reset_steps *
                                     reset->media->unit_count);
    }
    if (reset->steps != 0) {
        next_step(reset, now_ns);
    }
    next_phase(reset, now_ns + reset->lock_ns, RESET_UNMAPPED);
}

/* The next reset goes on with the unit behind the last one that was visited. */
void reset_step_event(ResetEngine *reset, uint64_t now_ns)
{
    uint32_t unit_idx = reset->step_unit_idx;

    reset->step_unit_idx = (unit_idx + 1) % reset->media->unit_count;
    reset->steps_begun++;
    flash_step(&reset->media->flash, now_ns, unit_idx);
    if (reset->steps_begun < reset->steps) {
        next_step(reset, reset->lock_at_ns + reset->lock_ns *
                         reset->steps_begun / reset->steps);
    }
}

static uint64_t commit_ns(const ResetEngine *reset, const ResetWork *work)
{
    const SsdParams *p = reset->params;
    bool has_part = !work->was_full &&
                    work->host_bytes >= reset->media->page_bytes;

    return p->reset_base_ns + (has_part ? p->reset_part_ns : 0) +
           in_proportion(reset, work, p->reset_after_ns);
}

static void start_commit(ResetEngine *reset, uint64_t now_ns)
{
    const SsdParams *p = reset->params;
    const ResetWork *work = &reset->works[reset->first_job_idx];
    bool was_locked = flash_unlock_programs(&reset->media->flash, now_ns);

    if (wbuf_is_on(reset->buffer) && (was_locked || p->reset_drain_first)) {
        wbuf_unlocked(reset->buffer, now_ns);
    }
    next_phase(reset, now_ns + commit_ns(reset, work),
               RESET_COMMITTED);
}

void reset_begin(ResetEngine *reset, uint64_t now_ns, uint32_t job_idx,
                 uint64_t host_bytes, bool was_full)
{
    reset->works[job_idx] = (ResetWork) {
        .host_bytes = host_bytes,
        .was_full = was_full,
        .next_job_idx = SSD_NONE,
    };
    if (reset->first_job_idx == SSD_NONE) {
        reset->first_job_idx = job_idx;
        start_drain(reset, now_ns);
    } else {
        reset->works[reset->last_job_idx].next_job_idx = job_idx;
    }
    reset->last_job_idx = job_idx;
}

static void end_first(ResetEngine *reset, uint64_t now_ns)
{
    uint32_t job_idx = reset->first_job_idx;

    reset->first_job_idx = reset->works[job_idx].next_job_idx;
    if (reset->first_job_idx != SSD_NONE) {
        start_drain(reset, now_ns);
    }
    effects_push(reset->effects, EFFECT_RESET_MANAGED, job_idx);
}

/*
 * A reset ends only when all its visits have. Otherwise resets in a row could
 * queue visits at the units faster than these do them.
 */
static void end_or_wait(ResetEngine *reset, uint64_t now_ns)
{
    if (reset->steps_ended < reset->steps) {
        reset->phase = RESET_STEPS;
    } else {
        end_first(reset, now_ns);
    }
}

void reset_step_ended(ResetEngine *reset, uint64_t now_ns)
{
    if (++reset->steps_ended == reset->steps && reset->phase == RESET_STEPS) {
        next_phase(reset, now_ns, RESET_COMMITTED);
    }
}

void reset_event(ResetEngine *reset, uint64_t now_ns)
{
    switch (reset->phase) {
    case RESET_DRAINED:
        start_lock(reset, now_ns);
        break;
    case RESET_UNMAPPED:
        start_commit(reset, now_ns);
        break;
    case RESET_COMMITTED:
        end_or_wait(reset, now_ns);
        break;
    case RESET_DRAINS:
    case RESET_STEPS:
        g_assert_not_reached();
    }
}
