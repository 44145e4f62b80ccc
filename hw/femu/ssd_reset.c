/*
 * What a reset costs beside its erases: it lets the write buffer drain, locks
 * the mapping while it unmaps the zone, visits the dies, and commits. The drive
 * does this for one zone at a time.
 *
 * Knows nothing of QEMU, queues or host memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_internal.h"

void ssd_reset_init(Ssd *ssd)
{
    const SsdParams *p = &ssd->params;

    ssd->reset.is_on = p->reset_drains || p->reset_lock_ns ||
                       p->reset_base_ns || p->reset_full_ns ||
                       p->reset_part_ns;
    ssd->reset.first_job_idx = SSD_NONE;
}

/* The next phase begins with an event, so that nothing here calls itself. */
static void next_phase(Ssd *ssd, uint64_t at_ns, ResetPhase phase)
{
    ssd->reset.phase = phase;
    event_heap_push(&ssd->events, at_ns, ssd->first_payload + EVENT_RESET);
}

/* All that the buffer holds of complete pages, of any zone, is programmed. */
static void start_drain(Ssd *ssd, uint64_t now_ns, uint32_t job_idx)
{
    ssd->reset.phase = RESET_DRAINS;
    if (ssd->params.reset_drain_first && ssd_has_buffer(ssd)) {
        ssd_buffer_drain_first(ssd);
    }
    if (!ssd->params.reset_drains ||
        !ssd_await_programs(ssd, owner_of_job(ssd, job_idx))) {
        ssd_reset_drained(ssd, now_ns);
    }
}

void ssd_reset_drained(Ssd *ssd, uint64_t now_ns)
{
    next_phase(ssd, now_ns, RESET_DRAINED);
}

static void next_step(Ssd *ssd, uint64_t at_ns)
{
    event_heap_push(&ssd->events, at_ns, ssd->first_payload + EVENT_STEP);
}

/*
 * What a reset of a full zone takes, for what the host has written to this one:
 * only data of the host are mapped, what a finish filled costs nothing.
 * `of_full` < 2^33, for a zone has at most 2^31 sectors.
 */
static uint64_t in_proportion(const Ssd *ssd, const Job *job, uint64_t of_full)
{
    return of_full * (job->host_bytes >> 9) /
           (ssd->params.zone_capacity_bytes >> 9);
}

static void start_lock(Ssd *ssd, uint64_t now_ns)
{
    ResetEngine *reset = &ssd->reset;
    const SsdParams *p = &ssd->params;
    const Job *job = &ssd->jobs[reset->first_job_idx];

    reset->lock_at_ns = now_ns;
    reset->lock_ns = in_proportion(ssd, job, p->reset_lock_ns);
    reset->steps = 0;
    reset->steps_begun = 0;
    reset->steps_ended = 0;
    if (reset->lock_ns > 0) {
        flash_lock_programs(&ssd->flash);
        reset->steps = in_proportion(ssd, job, (uint64_t)p->reset_steps *
                                               ssd->unit_count);
    }
    if (reset->steps > 0) {
        next_step(ssd, now_ns);
    }
    next_phase(ssd, now_ns + reset->lock_ns, RESET_UNMAPPED);
}

/* The units take turns, beyond the end of a reset. */
void ssd_reset_step_event(Ssd *ssd, uint64_t now_ns)
{
    ResetEngine *reset = &ssd->reset;
    uint32_t unit_idx = reset->step_unit_idx;

    reset->step_unit_idx = (unit_idx + 1) % ssd->unit_count;
    reset->steps_begun++;
    flash_step(&ssd->flash, now_ns, unit_idx);
    if (reset->steps_begun < reset->steps) {
        next_step(ssd, reset->lock_at_ns + reset->lock_ns *
                       reset->steps_begun / reset->steps);
    }
}

static uint64_t commit_ns(const SsdParams *p, const Job *job,
                          uint32_t page_bytes)
{
    if (job->host_bytes == p->zone_capacity_bytes) {
        return p->reset_base_ns + p->reset_full_ns;
    }
    if (!job->was_full && job->host_bytes >= page_bytes) {
        return p->reset_base_ns + p->reset_part_ns;
    }
    return p->reset_base_ns;
}

static void start_commit(Ssd *ssd, uint64_t now_ns)
{
    const Job *job = &ssd->jobs[ssd->reset.first_job_idx];

    bool was_locked = flash_unlock_programs(&ssd->flash, now_ns);

    if (ssd_has_buffer(ssd) && (was_locked || ssd->params.reset_drain_first)) {
        ssd_buffer_unlocked(ssd, now_ns);
    }
    next_phase(ssd, now_ns + commit_ns(&ssd->params, job, ssd->page_bytes),
               RESET_COMMITTED);
}

void ssd_reset_begin(Ssd *ssd, uint64_t now_ns, uint32_t job_idx)
{
    ResetEngine *reset = &ssd->reset;

    ssd->jobs[job_idx].next_reset_idx = SSD_NONE;
    if (reset->first_job_idx == SSD_NONE) {
        reset->first_job_idx = job_idx;
        start_drain(ssd, now_ns, job_idx);
    } else {
        ssd->jobs[reset->last_job_idx].next_reset_idx = job_idx;
    }
    reset->last_job_idx = job_idx;
}

static void end_first(Ssd *ssd, uint64_t now_ns)
{
    ResetEngine *reset = &ssd->reset;
    uint32_t job_idx = reset->first_job_idx;

    reset->first_job_idx = ssd->jobs[job_idx].next_reset_idx;
    if (reset->first_job_idx != SSD_NONE) {
        start_drain(ssd, now_ns, reset->first_job_idx);
    }
    ssd_reset_erase(ssd, now_ns, job_idx);
}

/*
 * All that a reset has asked of the units is done when it ends: resets that
 * follow each other cannot leave more there than they take time for.
 */
static void end_or_wait(Ssd *ssd, uint64_t now_ns)
{
    if (ssd->reset.steps_ended < ssd->reset.steps) {
        ssd->reset.phase = RESET_STEPS;
    } else {
        end_first(ssd, now_ns);
    }
}

void ssd_reset_step_ended(Ssd *ssd, uint64_t now_ns)
{
    ResetEngine *reset = &ssd->reset;

    if (++reset->steps_ended == reset->steps && reset->phase == RESET_STEPS) {
        next_phase(ssd, now_ns, RESET_COMMITTED);
    }
}

void ssd_reset_event(Ssd *ssd, uint64_t now_ns)
{
    switch (ssd->reset.phase) {
    case RESET_DRAINED:
        start_lock(ssd, now_ns);
        break;
    case RESET_UNMAPPED:
        start_commit(ssd, now_ns);
        break;
    case RESET_COMMITTED:
        end_or_wait(ssd, now_ns);
        break;
    case RESET_DRAINS:
    case RESET_STEPS:
        g_assert_not_reached();
    }
}
