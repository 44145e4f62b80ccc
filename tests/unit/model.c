/*
 * The dumb drive's time: a list of steps, of which the earliest comes next, of
 * several at the same time the one that was known first. A channel is the time
 * until which it is busy; a unit is a queue. Of what happens when an operation
 * leaves its unit, asking for the channel comes first, then the unit takes its
 * next operation, then the command or job that owned it goes on.
 *
 * Knows nothing of the drive's inside, and of zones only what the rules say.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model_internal.h"

#include <string.h>

Model *model_new(const SsdParams *resolved)
{
    Model *m = g_new0(Model, 1);
    const SsdParams *p = &m->p;

    m->p = *resolved;
    g_assert_cmpuint(p->namespaces, <=, MODEL_MAX_NAMESPACES);
    for (uint32_t i = 0; i < p->namespaces; i++) {
        m->rules[i] = rules_new(p, p->lba_bytes);
    }
    /* A page, from here on, is what one program writes. */
    if (p->multi_plane) {
        m->p.page_bytes *= p->planes;
        m->p.page_transfer_ns *= p->planes;
        m->p.program_transfer_ns *= p->planes;
        m->p.zone_planes = 1;
        m->p.planes = 1;
    }
    m->sense_bytes = p->page_bytes;
    m->p.page_bytes *= p->program_pages;
    m->p.page_transfer_ns *= p->program_pages;
    m->p.program_transfer_ns *= p->program_pages;
    m->p.pages_per_block /= p->program_pages;
    m->zone_pages = (p->zone_capacity_bytes + p->page_bytes - 1) /
                    p->page_bytes;
    m->zone_units = p->zone_channels * p->zone_ways * p->zone_dies *
                    p->zone_planes;
    m->channel_ns = g_new0(uint64_t, p->channels);
    m->unit = g_new0(Unit, p->channels * p->ways * p->dies * p->planes);
    m->programmed = g_new0(uint8_t *, p->zones);
    m->zone_writes = g_new0(GQueue, p->zones);
    m->zone_jobs = g_new0(GQueue, p->zones);
    for (uint32_t z = 0; z < p->zones; z++) {
        m->programmed[z] = g_new0(uint8_t, m->zone_pages);
    }
    m->life = g_new0(uint32_t, p->zones);
    m->steps = g_array_new(FALSE, FALSE, sizeof(Step));
    m->host_programs = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    m->flushes = g_ptr_array_new();
    model_erase_init(m);
    return m;
}

void model_free(Model *m)
{
    SsdDone done;

    model_run(m, UINT64_MAX);
    for (uint32_t z = 0; z < m->p.zones; z++) {
        g_assert_cmpuint(m->zone_writes[z].length, ==, 0);
    }
    while (model_pop(m, &done)) {
        ;
    }
    g_assert_cmpuint(m->inflight, ==, 0);
    model_erase_free(m);
    for (uint32_t z = 0; z < m->p.zones; z++) {
        g_free(m->programmed[z]);
    }
    g_free(m->programmed);
    g_free(m->zone_writes);
    g_free(m->zone_jobs);
    g_free(m->life);
    g_free(m->channel_ns);
    g_free(m->unit);
    g_array_free(m->steps, TRUE);
    g_array_free(m->host_programs, TRUE);
    g_ptr_array_free(m->flushes, TRUE);
    g_free(m);
}

const Rules *model_rules(const Model *m, uint32_t nsid)
{
    g_assert_cmpuint(nsid - 1, <, m->p.namespaces);
    return &m->rules[nsid - 1];
}

/* The first zone of a namespace, counted over all of them. */
static uint32_t first_zone(const Model *m, const Rules *rules)
{
    return (rules - m->rules) * rules->zone_count;
}

static Piece piece_of(const Model *m, const Rules *rules, uint64_t lba,
                      uint64_t nlb)
{
    uint64_t at = lba % rules->zone_nlb * rules->lba_bytes;

    return (Piece) {
        .zone_idx = first_zone(m, rules) + lba / rules->zone_nlb,
        .at = at, .end = at + nlb * rules->lba_bytes,
    };
}

unsigned model_inflight(const Model *m)
{
    return m->inflight;
}

bool model_pop(Model *m, SsdDone *done)
{
    SsdDone *first = g_queue_pop_head(&m->done);

    if (!first) {
        return false;
    }
    *done = *first;
    g_free(first);
    m->inflight--;
    return true;
}

/* --- commands ---------------------------------------------------------- */

static void write_in_turn(Model *m, uint32_t zone_idx);

void model_part_done(Model *m, Cmd *cmd)
{
    SsdDone *done;

    g_assert_cmpuint(cmd->parts, >, 0);
    if (--cmd->parts) {
        return;
    }
    if (cmd->writes) {
        write_in_turn(m, cmd->write.zone_idx);
        return;
    }
    cmd->done.due_at_ns = m->now_ns;
    if (cmd->host_io) {
        m->host_io--;
        m->host_io_seen = true;
        m->host_io_left_ns = m->now_ns;
    }
    done = g_memdup2(&cmd->done, sizeof(*done));
    g_queue_push_tail(&m->done, done);
    if (cmd->jobs) {
        g_ptr_array_free(cmd->jobs, TRUE);
    }
    g_free(cmd);
}

static void look_at(Model *m, uint32_t zone_idx);
static void settle(Model *m);

/* Has the zone a reset that has not begun to erase? */
static bool reset_waits(const Model *m, uint32_t zone_idx)
{
    for (GList *at = m->zone_jobs[zone_idx].head; at; at = at->next) {
        const Job *job = at->data;

        if (!job->fill && !job->running) {
            return true;
        }
    }
    return false;
}

/*
 * Zones are written in order of LBA: who is not ready holds up the others. No
 * one is before the old data's erase has been asked for.
 */
static void write_in_turn(Model *m, uint32_t zone_idx)
{
    Cmd *cmd = g_queue_peek_head(&m->zone_writes[zone_idx]);

    if (reset_waits(m, zone_idx)) {
        return;
    }
    while (cmd && cmd->parts == 0) {
        g_queue_pop_head(&m->zone_writes[zone_idx]);
        cmd->writes = false;
        cmd->parts++;
        model_put_pages(m, cmd);
        if (cmd->zrwa) {
            model_commit_pages(m, cmd);
        }
        model_part_done(m, cmd);
        cmd = g_queue_peek_head(&m->zone_writes[zone_idx]);
    }
    if (!cmd) {
        look_at(m, zone_idx);       /* a finish may have waited */
        settle(m);
    }
}

static void start_write(Model *m, Cmd *cmd, const Rules *rules, Piece piece,
                        const RulesEffect *effect)
{
    cmd->writes = true;
    cmd->write = piece;
    cmd->zrwa = effect->zrwa;
    cmd->commit = (Piece) {
        .zone_idx = piece.zone_idx,
        .at = effect->commit_from_nlb * rules->lba_bytes,
        .end = effect->commit_to_nlb * rules->lba_bytes,
    };
    cmd->there = effect->there_nlb * rules->lba_bytes;
    g_queue_push_tail(&m->zone_writes[piece.zone_idx], cmd);
}

/* A reset: who waits to write has nothing to write any more. */
static void discard_writes(Model *m, uint32_t zone_idx)
{
    Cmd *cmd;

    while ((cmd = g_queue_pop_head(&m->zone_writes[zone_idx]))) {
        cmd->writes = false;
        cmd->parts++;
        model_part_done(m, cmd);
        look_at(m, zone_idx);
    }
}

/* A flush waits, as one part, for every host program issued before it. */
static void start_flush(Model *m, Cmd *cmd)
{
    if (m->host_programs->len) {
        cmd->parts++;
        cmd->flush_seq = ++m->seq;
        g_ptr_array_add(m->flushes, cmd);
    }
}

static void check_flushes(Model *m)
{
    while (m->flushes->len) {
        Cmd *cmd = g_ptr_array_index(m->flushes, 0);

        for (guint i = 0; i < m->host_programs->len; i++) {
            if (g_array_index(m->host_programs, uint64_t, i) <
                cmd->flush_seq) {
                return;
            }
        }
        g_ptr_array_remove_index(m->flushes, 0);
        model_part_done(m, cmd);
    }
}

static void host_program_ended(Model *m, uint64_t program_seq)
{
    for (guint i = 0; i < m->host_programs->len; i++) {
        if (g_array_index(m->host_programs, uint64_t, i) == program_seq) {
            g_array_remove_index(m->host_programs, i);
            return;
        }
    }
    g_assert_not_reached();
}

/* --- finish and reset --------------------------------------------------- */

static void look_at(Model *m, uint32_t zone_idx)
{
    gpointer zone = GUINT_TO_POINTER(zone_idx + 1);

    if (!g_queue_find(&m->look_at, zone)) {
        g_queue_push_tail(&m->look_at, zone);
    }
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
        look_at(m, job->zone_idx);
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
        look_at(m, zone_idx);
        return;
    }
    if (cmd->jobs && ++cmd->ended == cmd->jobs->len) {
        g_assert_true(g_queue_pop_head(&m->select_all) == cmd);
    }
    model_part_done(m, cmd);
    admit_select_all(m);
    look_at(m, zone_idx);
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

void model_job_advance(Model *m, Job *job)
{
    if (!has_more(m, job)) {
        job_done(m, job);
    } else if (must_wait(m, job)) {
        return;
    } else if (job->fill) {
        model_fill_chunk(m, job);
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

static void job_op_ended(Model *m, Job *job)
{
    if (--job->pending || job->waits) {
        return;
    }
    if (job->fill && has_more(m, job) && pause_ns(m)) {
        wake_later(m, job, m->now_ns + pause_ns(m));
        return;
    }
    model_job_advance(m, job);
    settle(m);
}

static void job_woken(Model *m, Job *job)
{
    job->waits = false;
    if (!job->pending) {
        model_job_advance(m, job);
        settle(m);
    }
}

static void start_job(Model *m, Job *job)
{
    uint32_t zone_idx = job->zone_idx;
    bool fill = job->fill;

    job->running = true;
    if (!fill) {
        model_erase_begin(m, job);
    }
    model_job_advance(m, job);
    if (!fill) {
        write_in_turn(m, zone_idx);
    }
}

/* Start all jobs that may start now. */
static void settle(Model *m)
{
    if (m->settling) {
        return;
    }
    m->settling = true;
    while (m->look_at.length) {
        uint32_t z = GPOINTER_TO_UINT(g_queue_pop_head(&m->look_at)) - 1;
        Job *job = g_queue_peek_head(&m->zone_jobs[z]);

        if (job && job->admitted && !job->running &&
            !(job->fill && job->life == m->life[z] &&
              m->zone_writes[z].length)) {
            start_job(m, job);
        }
    }
    m->settling = false;
}

static void start_jobs(Model *m, Cmd *cmd, const SsdCmd *what, Rules *rules,
                       const RulesEffect *effect)
{
    bool fill = what->op == SSD_OP_ZONE_FINISH;

    if (what->select_all && effect->job_count) {
        cmd->jobs = g_ptr_array_new();
        g_queue_push_tail(&m->select_all, cmd);
    }
    for (unsigned i = 0; i < effect->job_count; i++) {
        Job *job = g_new0(Job, 1);
        uint32_t z = first_zone(m, rules) + effect->job[i].zone_idx;
        uint64_t bytes = effect->job[i].written_before_nlb * rules->lba_bytes;
        const Cmd *waits = g_queue_peek_head(&m->zone_writes[z]);
        const Job *last = g_queue_peek_tail(&m->zone_jobs[z]);

        job->rules = effect->job[i];
        job->of = rules;
        job->zone_idx = z;
        job->cmd = cmd;
        job->fill = fill;
        job->admitted = !what->select_all;
        job->next_page = bytes / m->p.page_bytes;
        job->there = effect->job[i].end_before_nlb * rules->lba_bytes;
        job->used_pages = bytes / m->p.page_bytes;
        if (job->rules.state_before == SSD_ZONE_FULL) {
            job->used_pages = m->zone_pages;
        }
        if (waits && !(last && last->fill)) {
            job->used_pages = (waits->zrwa ? waits->commit.at
                                           : waits->write.at) /
                              m->p.page_bytes;
        }
        job->life = m->life[z];
        if (!fill) {
            m->life[z]++;
            memset(m->programmed[z], 0, m->zone_pages);
            discard_writes(m, z);
        }
        if (cmd) {
            cmd->parts++;
        }
        if (cmd && cmd->jobs) {
            g_ptr_array_add(cmd->jobs, job);
        }
        g_queue_push_tail(&m->zone_jobs[z], job);
        if (job->admitted) {
            look_at(m, z);
        }
    }
    admit_select_all(m);
    settle(m);
}

void model_excursion(Model *m, Rules *rules, uint32_t zone_idx)
{
    SsdCmd finish = { .op = SSD_OP_ZONE_FINISH };
    RulesEffect effect = rules_excursion(rules, zone_idx);

    start_jobs(m, NULL, &finish, rules, &effect);
}

/* --- steps ------------------------------------------------------------- */

static void program_end(Model *m, const Step *step)
{
    Job *job = step->job;

    if (step->life == m->life[step->zone_idx]) {
        m->programmed[step->zone_idx][step->page] = 1;
    }
    if (!job) {
        host_program_ended(m, step->program_seq);
        model_part_done(m, step->cmd);
        check_flushes(m);
        return;
    }
    job_op_ended(m, job);
}

static void run_step(Model *m, Step step)
{
    Place where = model_place(m, step.zone_idx, step.page);

    switch (step.kind) {
    case STEP_PART_DONE:
        if (step.holds_unit) {
            model_unit_next(m, step.unit);
        }
        model_part_done(m, step.cmd);
        break;
    case STEP_SUSPEND:
        model_unit_suspended(m, step.unit);
        break;
    case STEP_PROGRAM_JOIN:
        step.kind = STEP_PROGRAM_END;
        model_unit_join(m, where.unit, m->p.program_ns +
                        (step.data ? m->p.program_data_ns : 0), step);
        break;
    case STEP_PROGRAM_END:
        if (!model_unit_ends(m, &step)) {
            break;
        }
        model_unit_unload(m, step.unit);
        model_unit_next(m, step.unit);
        program_end(m, &step);
        break;
    case STEP_SENSE_END:
        step.kind = STEP_PART_DONE;
        step.at_ns = model_book(m, where.channel, step.transfer_ns);
        step.holds_unit = !m->p.cache_read;
        model_add_step(m, step);
        if (!step.holds_unit) {
            model_unit_next(m, step.unit);
        }
        break;
    case STEP_ERASE_END:
        if (!model_unit_ends(m, &step)) {
            break;
        }
        model_unit_next(m, step.unit);
        if (step.cmd) {
            model_part_done(m, step.cmd);
        } else if (step.job) {
            job_op_ended(m, step.job);
        }
        break;
    case STEP_WAKE:
        job_woken(m, step.job);
        break;
    }
}

/* Of steps at one time those that were known first; jobs are woken last. */
static bool comes_before(const Step *a, const Step *b)
{
    bool a_wakes = a->kind == STEP_WAKE, b_wakes = b->kind == STEP_WAKE;

    if (a->at_ns != b->at_ns) {
        return a->at_ns < b->at_ns;
    }
    return a_wakes != b_wakes ? b_wakes : a->seq < b->seq;
}

/* Index of the earliest step; -1 if there is none. */
static int earliest(const Model *m)
{
    int best = -1;

    for (guint i = 0; i < m->steps->len; i++) {
        const Step *step = &g_array_index(m->steps, Step, i);

        if (best < 0 ||
            comes_before(step, &g_array_index(m->steps, Step, best))) {
            best = i;
        }
    }
    return best;
}

uint64_t model_next_at_ns(Model *m)
{
    int i = earliest(m);
    uint64_t step_ns = i < 0 ? UINT64_MAX :
                       g_array_index(m->steps, Step, i).at_ns;

    return MIN(step_ns, model_watch_next_ns(m));
}

static void run_steps(Model *m, uint64_t now_ns)
{
    int i;

    while ((i = earliest(m)) >= 0) {
        Step step = g_array_index(m->steps, Step, i);

        if (step.at_ns > now_ns) {
            break;
        }
        g_array_remove_index(m->steps, i);
        m->now_ns = step.at_ns;
        run_step(m, step);
    }
}

void model_run(Model *m, uint64_t now_ns)
{
    while (model_watch_next_ns(m) <= now_ns &&
           model_watch_next_ns(m) < UINT64_MAX) {
        run_steps(m, model_watch_next_ns(m));
        model_watch_run(m);
    }
    run_steps(m, now_ns);
    m->now_ns = now_ns;
}

bool model_zone_fail(Model *m, uint64_t now_ns, uint32_t nsid,
                     uint32_t zone_idx, SsdZoneState state)
{
    model_run(m, now_ns);
    if (!rules_zone_fail(&m->rules[nsid - 1], zone_idx, state)) {
        return false;
    }
    model_watch_look(m);
    return true;
}

void model_format(Model *m, uint32_t nsid, uint32_t lba_bytes)
{
    Rules *rules = &m->rules[nsid - 1];
    Rules old = *rules;

    g_assert_cmpuint(m->inflight, ==, 0);
    *rules = rules_new(&m->p, lba_bytes);
    for (uint32_t z = 0; z < rules->zone_count; z++) {
        uint32_t zone_idx = first_zone(m, rules) + z;

        m->life[zone_idx]++;
        memset(m->programmed[zone_idx], 0, m->zone_pages);
        if (old.zone[z].state == SSD_ZONE_READ_ONLY ||
            old.zone[z].state == SSD_ZONE_OFFLINE) {
            rules->zone[z].state = SSD_ZONE_OFFLINE;
        }
    }
    model_watch_look(m);
}

SsdAccept model_submit(Model *m, uint64_t now_ns, const SsdCmd *what,
                       uint32_t tag)
{
    RulesEffect effect;
    Rules *rules;
    Cmd *cmd;

    model_run(m, now_ns);
    if (what->op != SSD_OP_FLUSH || what->nsid != SSD_NSID_ALL) {
        if (what->nsid < 1 || what->nsid > m->p.namespaces) {
            return (SsdAccept) { .status = SSD_INVALID_NAMESPACE_OR_FORMAT };
        }
    }
    rules = &m->rules[what->nsid == SSD_NSID_ALL ? 0 : what->nsid - 1];
    effect = rules_apply(rules, what);
    if (effect.status) {
        return (SsdAccept) { .status = effect.status };
    }
    model_watch_look(m);
    m->inflight++;
    cmd = g_new0(Cmd, 1);
    cmd->done = (SsdDone) {
        .tag = tag, .nsid = what->nsid, .op = what->op,
        .submitted_at_ns = now_ns,
        .result = what->op == SSD_OP_APPEND ? effect.lba : 0,
    };
    cmd->parts = 1;     /* this submission itself, taken back below */
    cmd->host_io = what->op == SSD_OP_READ || what->op == SSD_OP_VERIFY ||
                   what->op == SSD_OP_COMPARE || what->op == SSD_OP_WRITE ||
                   what->op == SSD_OP_WRITE_ZEROES ||
                   what->op == SSD_OP_APPEND || what->op == SSD_OP_COPY;
    m->host_io += cmd->host_io;
    switch (what->op) {
    case SSD_OP_READ:
    case SSD_OP_VERIFY:
    case SSD_OP_COMPARE:
        model_start_read(m, cmd, piece_of(m, rules, what->slba, what->nlb));
        break;
    case SSD_OP_COPY:
        for (uint32_t i = 0; i < what->range_count; i++) {
            model_start_read(m, cmd, piece_of(m, rules, what->ranges[i].slba,
                                        what->ranges[i].nlb));
        }
        start_write(m, cmd, rules,
                    piece_of(m, rules, effect.lba, effect.nlb), &effect);
        break;
    case SSD_OP_WRITE:
    case SSD_OP_WRITE_ZEROES:
    case SSD_OP_APPEND:
        start_write(m, cmd, rules,
                    piece_of(m, rules, effect.lba, what->nlb), &effect);
        break;
    case SSD_OP_ZONE_FLUSH_ZRWA:
        start_write(m, cmd, rules, piece_of(m, rules, what->slba, 0),
                    &effect);
        break;
    case SSD_OP_FLUSH:
        start_flush(m, cmd);
        break;
    default:
        start_jobs(m, cmd, what, rules, &effect);
        break;
    }
    model_part_done(m, cmd);
    return (SsdAccept) { .lba = effect.lba };
}
