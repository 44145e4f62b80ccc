/*
 * What a reset costs beside its erases in the dumb drive: one at a time, it
 * drains, unmaps, and commits.
 *
 * Knows nothing of the drive's inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model_internal.h"

bool model_reset_costs(const Model *m)
{
    const SsdParams *p = &m->p;

    return p->reset_drains || p->reset_lock_ns || p->reset_base_ns ||
           p->reset_after_ns || p->reset_part_ns;
}

static void next_phase(Model *m, Phase phase, uint64_t at_ns)
{
    m->phase = phase;
    model_add_step(m, (Step) { .kind = STEP_RESET, .at_ns = at_ns });
}

static void drained(Model *m)
{
    m->drain_waits = false;
    next_phase(m, PHASE_DRAINED, m->now_ns);
}

void model_check_drain(Model *m)
{
    for (uint32_t i = 0; m->drain_waits && i < m->unit_count; i++) {
        if (m->unit_programs_ended[i] < m->drain_until[i]) {
            return;
        }
    }
    if (m->drain_waits) {
        drained(m);
    }
}

/* Of each unit it waits for what is in registers, and for one more. */
static void drain(Model *m)
{
    uint32_t most = UINT32_MAX;

    if (m->p.reset_drain_first) {
        m->draining = true;
        m->drain_seq = ++m->seq;
    }
    if (!m->p.reset_drains || m->host_programs->len == 0) {
        drained(m);
        return;
    }
    m->drain_waits = true;
    if (m->p.program_registers) {
        most = m->p.program_registers + 1;
    }
    for (uint32_t i = 0; i < m->unit_count; i++) {
        m->drain_until[i] = m->unit_programs_ended[i] +
                            MIN(model_host_programs_of(m, i), most);
    }
}

void model_reset_begin(Model *m, Job *job)
{
    g_queue_push_tail(&m->resets, job);
    if (m->resets.length == 1) {
        drain(m);
    }
}

static void visit_at(Model *m, uint64_t at_ns)
{
    model_add_step(m, (Step) { .kind = STEP_VISIT, .at_ns = at_ns });
}

static void unmap(Model *m, const Job *job)
{
    m->lock_ns = (unsigned __int128)m->p.reset_lock_ns * job->host_bytes /
                 m->p.zone_capacity_bytes;
    m->all_visits = 0;
    m->visits = 0;
    m->visits_ended = 0;
    if (m->lock_ns) {
        m->locked = true;
        m->lock_from_ns = m->now_ns;
        m->all_visits = (unsigned __int128)m->p.reset_steps * m->unit_count *
                        job->host_bytes / m->p.zone_capacity_bytes;
    }
    if (m->all_visits) {
        visit_at(m, m->now_ns);
    }
    next_phase(m, PHASE_UNMAPPED, m->now_ns + m->lock_ns);
}

/* The visits of all resets go round the units, each's evenly over its lock. */
void model_reset_visit(Model *m)
{
    uint32_t unit = m->visit_unit;

    m->visit_unit = (unit + 1) % m->unit_count;
    m->visits++;
    model_unit_join(m, unit, m->p.reset_step_ns,
                    (Step) { .kind = STEP_VISIT_END });
    if (m->visits < m->all_visits) {
        visit_at(m, m->lock_from_ns +
                    m->lock_ns * m->visits / m->all_visits);
    }
}

/* The reset may wait for nothing but this. */
void model_reset_visited(Model *m)
{
    m->visits_ended++;
    if (m->visits_ended == m->all_visits && m->phase == PHASE_VISITED) {
        next_phase(m, PHASE_VISITED, m->now_ns);
    }
}

static void end(Model *m, Job *job)
{
    g_queue_pop_head(&m->resets);
    if (m->resets.length) {
        drain(m);
    }
    model_job_erase(m, job);
}

static void commit(Model *m, const Job *job)
{
    const SsdParams *p = &m->p;
    bool was_full = job->rules.state_before == SSD_ZONE_FULL;
    uint64_t take_ns = p->reset_base_ns +
                       (uint64_t)((unsigned __int128)p->reset_after_ns *
                                  job->host_bytes / p->zone_capacity_bytes);

    m->draining = false;
    if (m->locked) {
        m->locked = false;
        model_units_unlocked(m);
    }
    model_buffer_unlocked(m);
    if (!was_full && job->host_bytes >= p->page_bytes) {
        take_ns += p->reset_part_ns;
    }
    next_phase(m, PHASE_COMMITTED, m->now_ns + take_ns);
}

void model_reset_step(Model *m)
{
    Job *job = g_queue_peek_head(&m->resets);

    switch (m->phase) {
    case PHASE_DRAINED:
        unmap(m, job);
        break;
    case PHASE_UNMAPPED:
        commit(m, job);
        break;
    case PHASE_COMMITTED:
        if (m->visits_ended < m->all_visits) {
            m->phase = PHASE_VISITED;
            break;
        }
        end(m, job);
        break;
    case PHASE_VISITED:
        end(m, job);
        break;
    }
}
