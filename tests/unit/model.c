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

#include "model.h"

#include <string.h>

/* Bytes [at, end) of a zone, counted over all namespaces. */
typedef struct Piece {
    uint32_t zone_idx;
    uint64_t at;
    uint64_t end;
} Piece;

/*
 * A command inside: `parts` pages, jobs or waits are left; then, in its turn,
 * what it writes. A Select All that finishes or resets has `jobs`, of which
 * `admitted` may work, `ended` have.
 */
typedef struct Cmd {
    SsdDone done;
    unsigned parts;
    uint64_t flush_seq;
    Piece write;            /* empty: writes nothing, or has done so */
    GPtrArray *jobs;
    unsigned admitted;
    unsigned ended;
} Cmd;

/* The media work of a finish (`fill`) or reset on one zone. */
typedef struct Job {
    RulesJob rules;
    Rules *of;              /* the namespace of the zone */
    uint32_t zone_idx;      /* counted over all namespaces */
    Cmd *cmd;
    bool fill;
    bool admitted;
    bool running;
    unsigned pending;
    uint32_t life;
    uint64_t next_page;
    uint64_t first_byte;
    uint64_t used_pages;
} Job;

typedef enum StepKind {
    STEP_PART_DONE,     /* a sub-page piece has been transferred */
    STEP_PROGRAM_JOIN,  /* a page has been transferred */
    STEP_PROGRAM_END,
    STEP_SENSE_END,
    STEP_ERASE_END,
} StepKind;

typedef struct Step {
    StepKind kind;
    uint64_t at_ns;
    uint64_t seq;
    Cmd *cmd;
    Job *job;
    uint32_t zone_idx;
    uint32_t life;
    uint64_t page;
    uint64_t transfer_ns;
    uint64_t program_seq;
} Step;

/* A flash unit: the steps that wait for it, and whether one is under way. */
typedef struct Unit {
    GQueue waiting;     /* Step, at_ns is the duration yet */
    bool busy;
} Unit;

struct Model {
    SsdParams p;
    Rules rules[MODEL_MAX_NAMESPACES];
    uint64_t now_ns;
    uint64_t seq;
    uint64_t zone_pages;
    uint32_t zone_units;
    uint64_t *channel_ns;
    Unit *unit;
    uint8_t **programmed;   /* per zone, per page of its present life */
    uint32_t *life;         /* per zone: resets so far */
    GArray *steps;
    GArray *host_programs;  /* seq of those that have not ended */
    GPtrArray *flushes;
    GQueue *zone_writes;    /* per zone: Cmd that have not written yet */
    GQueue *zone_jobs;      /* per zone, in order of submission */
    GQueue select_all;      /* Cmd, in order of submission */
    GQueue look_at;         /* zones + 1 in which a job may be able to start */
    GQueue done;            /* SsdDone */
    unsigned inflight;
};

Model *model_new(const SsdParams *resolved)
{
    Model *m = g_new0(Model, 1);
    const SsdParams *p = &m->p;

    m->p = *resolved;
    g_assert_cmpuint(p->namespaces, <=, MODEL_MAX_NAMESPACES);
    for (uint32_t i = 0; i < p->namespaces; i++) {
        m->rules[i] = rules_new(p, p->lba_bytes);
    }
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

/* --- where a page lies ------------------------------------------------ */

typedef struct Place {
    uint32_t channel;
    uint32_t unit;
} Place;

static Place place(const Model *m, uint32_t zone_idx, uint64_t page)
{
    const SsdParams *p = &m->p;
    uint64_t u = page % m->zone_units;
    uint64_t g = zone_idx;
    uint64_t ch, way, die, plane;

    ch = g % (p->channels / p->zone_channels) * p->zone_channels;
    g /= p->channels / p->zone_channels;
    way = g % (p->ways / p->zone_ways) * p->zone_ways;
    g /= p->ways / p->zone_ways;
    die = g % (p->dies / p->zone_dies) * p->zone_dies;
    g /= p->dies / p->zone_dies;
    plane = g % (p->planes / p->zone_planes) * p->zone_planes;

    ch += u % p->zone_channels;
    u /= p->zone_channels;
    way += u % p->zone_ways;
    u /= p->zone_ways;
    die += u % p->zone_dies;
    u /= p->zone_dies;
    plane += u;
    return (Place) {
        .channel = ch,
        .unit = ((ch * p->ways + way) * p->dies + die) * p->planes + plane,
    };
}

static uint64_t transfer_ns(const Model *m, uint64_t from, uint64_t to)
{
    return to * m->p.page_transfer_ns / m->p.page_bytes -
           from * m->p.page_transfer_ns / m->p.page_bytes;
}

/* --- resources --------------------------------------------------------- */

/* Book `take_ns` on a channel from now on; return the end. */
static uint64_t book(Model *m, uint32_t channel, uint64_t take_ns)
{
    uint64_t *clock_ns = &m->channel_ns[channel];

    *clock_ns = MAX(*clock_ns, m->now_ns) + take_ns;
    return *clock_ns;
}

static void add_step(Model *m, Step step)
{
    step.seq = ++m->seq;
    g_array_append_val(m->steps, step);
}

static void unit_next(Model *m, Unit *unit)
{
    Step *step = g_queue_pop_head(&unit->waiting);

    unit->busy = step != NULL;
    if (step) {
        step->at_ns += m->now_ns;
        add_step(m, *step);
        g_free(step);
    }
}

/* Let `step` happen when its unit has worked on it for `take_ns`. */
static void unit_join(Model *m, uint32_t unit, uint64_t take_ns, Step step)
{
    step.at_ns = take_ns;
    g_queue_push_tail(&m->unit[unit].waiting, g_memdup2(&step, sizeof(step)));
    if (!m->unit[unit].busy) {
        unit_next(m, &m->unit[unit]);
    }
}

/* --- commands ---------------------------------------------------------- */

static void write_in_turn(Model *m, uint32_t zone_idx);

static void part_done(Model *m, Cmd *cmd)
{
    SsdDone *done;

    g_assert_cmpuint(cmd->parts, >, 0);
    if (--cmd->parts) {
        return;
    }
    if (cmd->write.at < cmd->write.end) {
        write_in_turn(m, cmd->write.zone_idx);
        return;
    }
    cmd->done.due_at_ns = m->now_ns;
    done = g_memdup2(&cmd->done, sizeof(*done));
    g_queue_push_tail(&m->done, done);
    if (cmd->jobs) {
        g_ptr_array_free(cmd->jobs, TRUE);
    }
    g_free(cmd);
}

static void put_pages(Model *m, Cmd *cmd)
{
    const SsdParams *p = &m->p;
    uint32_t zone_idx = cmd->write.zone_idx;
    uint64_t at = cmd->write.at;

    while (at < cmd->write.end) {
        uint64_t page = at / p->page_bytes;
        uint64_t page_at = page * p->page_bytes;
        uint64_t to = MIN(cmd->write.end, page_at + p->page_bytes);
        Place where = place(m, zone_idx, page);
        Step step = {
            .kind = STEP_PART_DONE, .cmd = cmd, .zone_idx = zone_idx,
            .life = m->life[zone_idx], .page = page,
        };

        step.at_ns = book(m, where.channel,
                          transfer_ns(m, at - page_at, to - page_at));
        if (to == page_at + p->page_bytes || to == p->zone_capacity_bytes) {
            step.kind = STEP_PROGRAM_JOIN;
            step.program_seq = ++m->seq;
            g_array_append_val(m->host_programs, step.program_seq);
        }
        cmd->parts++;
        add_step(m, step);
        at = to;
    }
}

static void look_at(Model *m, uint32_t zone_idx);
static void settle(Model *m);

/* Zones are written in order of LBA: who is not ready holds up the others. */
static void write_in_turn(Model *m, uint32_t zone_idx)
{
    Cmd *cmd = g_queue_peek_head(&m->zone_writes[zone_idx]);

    while (cmd && cmd->parts == 0) {
        g_queue_pop_head(&m->zone_writes[zone_idx]);
        put_pages(m, cmd);
        cmd->write = (Piece) { 0 };
        cmd = g_queue_peek_head(&m->zone_writes[zone_idx]);
    }
    if (!cmd) {
        look_at(m, zone_idx);       /* a finish may have waited */
        settle(m);
    }
}

static void start_write(Model *m, Cmd *cmd, Piece piece)
{
    cmd->write = piece;
    g_queue_push_tail(&m->zone_writes[piece.zone_idx], cmd);
}

/* A reset: who waits to write has nothing to write any more. */
static void discard_writes(Model *m, uint32_t zone_idx)
{
    Cmd *cmd;

    while ((cmd = g_queue_pop_head(&m->zone_writes[zone_idx]))) {
        cmd->write = (Piece) { 0 };
        cmd->parts++;
        part_done(m, cmd);
        look_at(m, zone_idx);
    }
}

static void start_read(Model *m, Cmd *cmd, Piece piece)
{
    const SsdParams *p = &m->p;
    uint64_t granule = p->read_granule_bytes ? p->read_granule_bytes :
                                               p->page_bytes;
    uint32_t zone_idx = piece.zone_idx;
    uint64_t at = piece.at;

    while (at < piece.end) {
        uint64_t page = at / p->page_bytes;
        uint64_t page_at = page * p->page_bytes;
        uint64_t to = MIN(piece.end, page_at + p->page_bytes);
        uint64_t from_granule = (at - page_at) / granule;
        uint64_t to_granule = (to - page_at + granule - 1) / granule;

        if (page < m->zone_pages && m->programmed[zone_idx][page]) {
            Place where = place(m, zone_idx, page);

            cmd->parts++;
            unit_join(m, where.unit, p->read_ns, (Step) {
                .kind = STEP_SENSE_END, .cmd = cmd, .zone_idx = zone_idx,
                .page = page,
                .transfer_ns = transfer_ns(m, from_granule * granule,
                                           to_granule * granule),
            });
        }
        at = to;
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
        part_done(m, cmd);
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

static void fill_chunk(Model *m, Job *job)
{
    const SsdParams *p = &m->p;
    uint32_t zone_idx = job->zone_idx;
    uint64_t chunk = p->finish_chunk_bytes ?
                     p->finish_chunk_bytes / p->page_bytes : 1;

    for (; chunk && job->next_page < m->zone_pages; chunk--) {
        uint64_t page = job->next_page++;
        Place where = place(m, zone_idx, page);
        uint64_t end = MIN(p->page_bytes, p->zone_capacity_bytes -
                           page * p->page_bytes);

        job->pending++;
        add_step(m, (Step) {
            .kind = STEP_PROGRAM_JOIN, .job = job, .zone_idx = zone_idx,
            .life = job->life, .page = page,
            .at_ns = book(m, where.channel,
                          transfer_ns(m, job->first_byte, end)),
        });
        job->first_byte = 0;
    }
}

static void erase(Model *m, Job *job)
{
    const SsdParams *p = &m->p;

    for (uint64_t u = 0; u < m->zone_units; u++) {
        Place where = place(m, job->zone_idx, u);
        uint64_t rows = 0, blocks;

        for (uint64_t page = u; page < job->used_pages;
             page += m->zone_units) {
            rows++;
        }
        blocks = (rows + p->pages_per_block - 1) / p->pages_per_block;
        if (blocks) {
            job->pending++;
            unit_join(m, where.unit, blocks * p->erase_ns, (Step) {
                .kind = STEP_ERASE_END, .job = job, .page = u,
                .zone_idx = job->zone_idx,
            });
        }
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

    g_assert_true(g_queue_pop_head(&m->zone_jobs[zone_idx]) == job);
    rules_job_done(job->of, &job->rules);
    if (cmd->jobs && ++cmd->ended == cmd->jobs->len) {
        g_assert_true(g_queue_pop_head(&m->select_all) == cmd);
    }
    part_done(m, cmd);
    g_free(job);
    admit_select_all(m);
    look_at(m, zone_idx);
}

static void start_job(Model *m, Job *job)
{
    job->running = true;
    if (job->fill) {
        fill_chunk(m, job);
    } else {
        erase(m, job);
    }
    if (!job->pending) {
        job_done(m, job);
    }
}

/* Start all jobs that may start now. */
static void settle(Model *m)
{
    while (m->look_at.length) {
        uint32_t z = GPOINTER_TO_UINT(g_queue_pop_head(&m->look_at)) - 1;
        Job *job = g_queue_peek_head(&m->zone_jobs[z]);

        if (job && job->admitted && !job->running &&
            !(job->fill && job->life == m->life[z] &&
              m->zone_writes[z].length)) {
            start_job(m, job);
        }
    }
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
        job->first_byte = bytes % m->p.page_bytes;
        job->used_pages = bytes / m->p.page_bytes;
        if (job->rules.state_before == SSD_ZONE_FULL) {
            job->used_pages = m->zone_pages;
        }
        if (waits && !(last && last->fill)) {
            job->used_pages = waits->write.at / m->p.page_bytes;
        }
        job->life = m->life[z];
        if (!fill) {
            m->life[z]++;
            memset(m->programmed[z], 0, m->zone_pages);
            discard_writes(m, z);
        }
        cmd->parts++;
        if (cmd->jobs) {
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

/* --- steps ------------------------------------------------------------- */

static void program_end(Model *m, const Step *step)
{
    Job *job = step->job;

    if (step->life == m->life[step->zone_idx]) {
        m->programmed[step->zone_idx][step->page] = 1;
    }
    if (!job) {
        host_program_ended(m, step->program_seq);
        part_done(m, step->cmd);
        check_flushes(m);
        return;
    }
    if (--job->pending) {
        return;
    }
    if (job->next_page < m->zone_pages) {
        fill_chunk(m, job);
    } else {
        job_done(m, job);
        settle(m);
    }
}

static void run_step(Model *m, Step step)
{
    Place where = place(m, step.zone_idx, step.page);

    switch (step.kind) {
    case STEP_PART_DONE:
        part_done(m, step.cmd);
        break;
    case STEP_PROGRAM_JOIN:
        step.kind = STEP_PROGRAM_END;
        unit_join(m, where.unit, m->p.program_ns, step);
        break;
    case STEP_PROGRAM_END:
        unit_next(m, &m->unit[where.unit]);
        program_end(m, &step);
        break;
    case STEP_SENSE_END:
        step.kind = STEP_PART_DONE;
        step.at_ns = book(m, where.channel, step.transfer_ns);
        add_step(m, step);
        unit_next(m, &m->unit[where.unit]);
        break;
    case STEP_ERASE_END:
        unit_next(m, &m->unit[where.unit]);
        if (--step.job->pending == 0) {
            job_done(m, step.job);
            settle(m);
        }
        break;
    }
}

/* Index of the earliest step, ties by creation; -1 if there is none. */
static int earliest(const Model *m)
{
    int best = -1;

    for (guint i = 0; i < m->steps->len; i++) {
        const Step *step = &g_array_index(m->steps, Step, i);
        const Step *first;

        if (best >= 0) {
            first = &g_array_index(m->steps, Step, best);
            if (first->at_ns < step->at_ns ||
                (first->at_ns == step->at_ns && first->seq < step->seq)) {
                continue;
            }
        }
        best = i;
    }
    return best;
}

uint64_t model_next_at_ns(const Model *m)
{
    int i = earliest(m);

    return i < 0 ? UINT64_MAX : g_array_index(m->steps, Step, i).at_ns;
}

void model_run(Model *m, uint64_t now_ns)
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
    m->now_ns = now_ns;
}

bool model_zone_fail(Model *m, uint64_t now_ns, uint32_t nsid,
                     uint32_t zone_idx, SsdZoneState state)
{
    model_run(m, now_ns);
    return rules_zone_fail(&m->rules[nsid - 1], zone_idx, state);
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
    m->inflight++;
    cmd = g_new0(Cmd, 1);
    cmd->done = (SsdDone) {
        .tag = tag, .nsid = what->nsid, .op = what->op,
        .submitted_at_ns = now_ns,
        .result = what->op == SSD_OP_APPEND ? effect.lba : 0,
    };
    cmd->parts = 1;     /* this submission itself, taken back below */
    switch (what->op) {
    case SSD_OP_READ:
    case SSD_OP_VERIFY:
    case SSD_OP_COMPARE:
        start_read(m, cmd, piece_of(m, rules, what->slba, what->nlb));
        break;
    case SSD_OP_COPY:
        for (uint32_t i = 0; i < what->range_count; i++) {
            start_read(m, cmd, piece_of(m, rules, what->ranges[i].slba,
                                        what->ranges[i].nlb));
        }
        start_write(m, cmd, piece_of(m, rules, effect.lba, effect.nlb));
        break;
    case SSD_OP_WRITE:
    case SSD_OP_WRITE_ZEROES:
    case SSD_OP_APPEND:
        start_write(m, cmd, piece_of(m, rules, effect.lba, what->nlb));
        break;
    case SSD_OP_FLUSH:
        start_flush(m, cmd);
        break;
    default:
        start_jobs(m, cmd, what, rules, &effect);
        break;
    }
    part_done(m, cmd);
    return (SsdAccept) { .lba = effect.lba };
}
