/*
 * The dumb drive's jobs: what a finish or reset leaves to be done on a zone,
 * one after another, step by step.
 *
 * Knows nothing of the drive's inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model_internal.h"

#include <string.h>

bool model_reset_waits(const Model *m, uint32_t zone_idx)
{
    for (GList *at = m->zone_jobs[zone_idx].head; at; at = at->next) {
        const Job *job = at->data;

        if (!job->fill && job->handed_off && !job->erases) {
            return true;
        }
    }
    return false;
}

static void settle_later(Model *m, Settle what)
{
    g_queue_push_tail(&m->to_settle, g_memdup2(&what, sizeof(what)));
}

void model_look_at(Model *m, uint32_t zone_idx)
{
    for (GList *at = m->to_settle.head; at; at = at->next) {
        const Settle *next = at->data;

        if (!next->cmd && next->zone_idx == zone_idx) {
            return;
        }
    }
    settle_later(m, (Settle) { .zone_idx = zone_idx });
}

/* One of a command's jobs has ended. */
static void tell_command(Model *m, Cmd *cmd)
{
    settle_later(m, (Settle) { .cmd = cmd });
}

/*
 * Of the first Select All let mgmt-parallel-zones zones work. When several
 * jobs may start at once, these come first, in order of their zones.
 */
static void admit_select_all(Model *m)
{
    Cmd *cmd = g_queue_peek_head(&m->select_all);

    while (cmd && cmd->admitted < cmd->jobs->len &&
           cmd->admitted - cmd->ended < m->p.mgmt_parallel_zones) {
        Job *job = g_ptr_array_index(cmd->jobs, cmd->admitted++);

        job->admitted = true;
        model_look_at(m, job->zone_idx);
    }
}

static void job_done(Model *m, Job *job)
{
    Cmd *cmd = job->cmd;
    uint32_t zone_idx = job->zone_idx;

    if (!job->fill) {
        model_erase_end(m, job);
    }
    if (job->background) {
        g_free(job);
        model_background_ended(m);
        return;
    }
    g_assert_true(g_queue_pop_head(&m->zone_jobs[zone_idx]) == job);
    rules_job_done(job->of, &job->rules);
    g_free(job);
    if (!cmd) {
        model_look_at(m, zone_idx);
        return;
    }
    if (cmd->select_all && ++cmd->ended == cmd->jobs->len) {
        g_assert_true(g_queue_pop_head(&m->select_all) == cmd);
    }
    admit_select_all(m);
    model_look_at(m, zone_idx);
    tell_command(m, cmd);
}

static void wake_later(Model *m, Job *job, uint64_t at_ns)
{
    job->waits = true;
    model_add_step(m, (Step) {
        .kind = STEP_WAKE, .at_ns = at_ns, .job = job,
    });
}

static bool has_more(const Model *m, const Job *job)
{
    return job->fill ? job->next_page < m->zone_pages
                     : model_erase_has_more(m, job);
}

/* How long a step waits at most until host I/O has gone. */
static uint64_t stall_limit_ns(const Model *m, const Job *job)
{
    if (job->fill) {
        return m->p.finish_stall_ns;
    }
    if (job->background && m->p.erase_at == SSD_ERASE_AT_IDLE) {
        return UINT64_MAX;
    }
    return m->p.erase_preemptive ? m->p.erase_stall_ns : 0;
}

/* Does the next step wait? Then the job looks again when it may not. */
static bool must_wait(Model *m, Job *job)
{
    uint64_t limit_ns = stall_limit_ns(m, job);
    uint64_t idle_ns = 0, give_up_ns;

    if (!limit_ns) {
        return false;
    }
    if (!job->stalls) {
        job->stalls = true;
        job->stalls_from_ns = m->now_ns;
    }
    if (m->host_io) {
        idle_ns = m->now_ns + m->p.idle_ns;
    } else if (m->host_io_seen) {
        idle_ns = m->host_io_left_ns + m->p.idle_ns;
    }
    give_up_ns = limit_ns == UINT64_MAX ? limit_ns
                                        : job->stalls_from_ns + limit_ns;
    if (m->now_ns >= MIN(idle_ns, give_up_ns)) {
        job->stalls = false;
        return false;
    }
    wake_later(m, job, MIN(idle_ns, give_up_ns));
    return true;
}

static void fill_chunk(Model *m, Job *job)
{
    uint64_t chunk_bytes = m->p.finish_chunk_bytes;

    if (!chunk_bytes && !m->p.write_buffer_bytes) {
        chunk_bytes = m->p.page_bytes;
    }
    job->chunk_end = m->zone_pages;
    if (chunk_bytes) {
        job->chunk_end = MIN(job->next_page + chunk_bytes / m->p.page_bytes,
                             m->zone_pages);
    }
    if (m->p.write_buffer_bytes) {
        model_buffer_fill(m, job);
        return;
    }
    while (job->next_page < job->chunk_end) {
        model_fill_page(m, job, job->next_page);
    }
}

void model_job_advance(Model *m, Job *job)
{
    if (!has_more(m, job)) {
        job_done(m, job);
    } else if (must_wait(m, job)) {
        return;
    } else if (job->fill) {
        fill_chunk(m, job);
    } else {
        model_erase_step(m, job);
    }
}

/* Between two chunks of a finish. */
static uint64_t pause_ns(const Model *m)
{
    return m->host_io && m->p.finish_busy_pause_ns ? m->p.finish_busy_pause_ns
                                                   : m->p.finish_pause_ns;
}

void model_job_op_ended(Model *m, Job *job)
{
    if (--job->pending || job->waits || job->next_page < job->chunk_end) {
        return;
    }
    if (job->fill && has_more(m, job) && pause_ns(m)) {
        wake_later(m, job, m->now_ns + pause_ns(m));
        return;
    }
    model_job_advance(m, job);
    model_settle(m);
}

void model_job_woken(Model *m, Job *job)
{
    job->waits = false;
    if (!job->pending) {
        model_job_advance(m, job);
        model_settle(m);
    }
}

/* Writes go on as the erases begin, so before the reset is done: always. */
void model_job_erase(Model *m, Job *job)
{
    uint32_t zone_idx = job->zone_idx;

    job->erases = true;
    model_erase_begin(m, job);
    model_job_advance(m, job);
    model_write_in_turn(m, zone_idx);
    model_settle(m);
}

static void start_job(Model *m, Job *job)
{
    job->running = true;
    if (job->fill) {
        if (job->life == m->life[job->zone_idx] && has_more(m, job)) {
            model_seats_look(m, job->zone_idx, true);
        }
        model_job_advance(m, job);
    } else if (model_reset_costs(m)) {
        model_reset_begin(m, job);
    } else {
        model_job_erase(m, job);
    }
}

/* Are all data in the drive that the zone was to have before the finish? */
static bool is_written(const Model *m, const Job *job)
{
    for (guint i = 0; i < m->cmds->len; i++) {
        const Cmd *cmd = g_ptr_array_index(m->cmds, i);

        if (cmd->has_data && cmd->write.zone_idx == job->zone_idx &&
            cmd->life == job->life && cmd->seq < job->seq) {
            return false;
        }
    }
    return true;
}

/* Start the zone's first job if it may start now. */
static void settle_zone(Model *m, uint32_t z)
{
    Job *job;

    if (model_may_write(m, z)) {
        model_buffer_let_in(m); /* who waits for room already goes first */
        model_write_in_turn(m, z);
    }
    job = g_queue_peek_head(&m->zone_jobs[z]);
    if (job && job->admitted && !job->running &&
        (job->fill || m->first_erases[z] == 0) &&
        !(job->fill && job->life == m->life[z] && !is_written(m, job))) {
        start_job(m, job);
    }
}

/*
 * Start all jobs that may start now; of a life that is over, nothing is due. A
 * zone's next job begins before the command of the last one is done.
 */
void model_settle(Model *m)
{
    Settle *next;

    if (m->settling) {
        return;
    }
    m->settling = true;
    while ((next = g_queue_pop_head(&m->to_settle))) {
        if (next->cmd) {
            model_part_done(m, next->cmd);
        } else {
            settle_zone(m, next->zone_idx);
        }
        g_free(next);
    }
    m->settling = false;
}

static Job *job_new(Model *m, Cmd *cmd, bool fill, Rules *rules,
                    const RulesJob *what)
{
    Job *job = g_new0(Job, 1);
    bool is_blank = what->end_before_nlb == 0;

    job->rules = *what;
    job->of = rules;
    job->seq = ++m->seq;
    job->zone_idx = rules->first_zone_idx + what->zone_idx;
    job->cmd = cmd;
    job->fill = fill;
    job->superblock = -1;
    job->there = what->end_before_nlb * rules->lba_bytes;
    job->next_page = what->written_before_nlb * rules->lba_bytes /
                     m->p.page_bytes;
    if (fill && is_blank && !m->p.finish_fills_empty) {
        job->next_page = m->zone_pages;
    }
    job->life = m->lives[job->zone_idx];
    m->lives[job->zone_idx] += !fill;
    return job;
}

void model_submit_jobs(Model *m, Cmd *cmd, bool fill, Rules *rules,
                       const RulesEffect *effect)
{
    if (cmd) {
        cmd->jobs = g_ptr_array_new();
    }
    for (unsigned i = 0; i < effect->job_count; i++) {
        Job *job = job_new(m, cmd, fill, rules, &effect->job[i]);

        if (cmd) {
            cmd->parts++;
            g_ptr_array_add(cmd->jobs, job);
        }
        g_queue_push_tail(&m->zone_jobs[job->zone_idx], job);
    }
}

/* A reset: what is not on the flash by now never will be. */
static void end_life(Model *m, Job *job)
{
    uint32_t z = job->zone_idx;
    const Job *first = g_queue_peek_head(&m->zone_jobs[z]);

    job->host_bytes = m->host_bytes[z];
    m->host_bytes[z] = 0;
    m->life[z]++;
    memset(m->programmed[z], 0, m->zone_pages);
    model_ahead_forget(m, z);
    model_discard_writes(m, z);
    if (first->fill && !first->running) {
        model_look_at(m, z);        /* it waits for nothing any more */
    }
    /* Only then may another zone have the seat that this one gives up. */
    model_buffer_forget(m, z);
    model_buffer_look(m);
}

void model_hand_off_jobs(Model *m, Cmd *cmd)
{
    for (guint i = 0; i < cmd->jobs->len; i++) {
        Job *job = g_ptr_array_index(cmd->jobs, i);

        job->handed_off = true;
        if (!job->fill) {
            end_life(m, job);
        }
        if (!cmd->select_all) {
            job->admitted = true;
            model_look_at(m, job->zone_idx);
        }
    }
    if (cmd->select_all) {
        g_queue_push_tail(&m->select_all, cmd);
        admit_select_all(m);
    }
    model_settle(m);
}

bool model_excursion_inside(const Model *m, const Rules *rules,
                            uint32_t zone_idx)
{
    const Job *last =
        g_queue_peek_tail(&m->zone_jobs[rules->first_zone_idx + zone_idx]);

    return last && last->cmd == NULL;
}

void model_excursion(Model *m, Rules *rules, uint32_t zone_idx)
{
    RulesEffect effect = rules_excursion(rules, zone_idx);
    Job *job;

    model_submit_jobs(m, NULL, true, rules, &effect);
    g_free(effect.job);
    zone_idx += rules->first_zone_idx;
    job = g_queue_peek_tail(&m->zone_jobs[zone_idx]);
    job->handed_off = true;
    job->admitted = true;
    model_look_at(m, zone_idx);
    model_settle(m);
    model_buffer_look(m);   /* it may have freed room, and is no step */
}
