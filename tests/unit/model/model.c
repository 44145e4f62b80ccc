/*
 * The dumb drive's time: a list of steps, of which the earliest comes next, of
 * several at the same time the one that was known first. A channel is the time
 * until which it is busy; a unit is a queue. Of what happens when an operation
 * leaves its unit, asking for the channel comes first, then the unit takes its
 * next operation, then the command or job that owned it goes on; and last,
 * whatever the buffer may let in or give away by now.
 *
 * Knows nothing of the drive's inside, and of zones only what the rules say.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model_internal.h"

#include <string.h>

/* A page, from here on, is what one program writes. */
static void join_pages(Model *m)
{
    SsdParams *p = &m->p;

    m->part_bytes = p->page_bytes;
    if (p->multi_plane) {
        p->page_bytes *= p->planes;
        p->page_transfer_ns *= p->planes;
        p->program_transfer_ns *= p->planes;
        p->zone_planes = 1;
        p->planes = 1;
    }
    m->sense_bytes = p->page_bytes;
    p->page_bytes *= p->program_pages;
    p->page_transfer_ns *= p->program_pages;
    p->program_transfer_ns *= p->program_pages;
    p->pages_per_block /= p->program_pages;
    m->zone_pages = p->zone_capacity_bytes / p->page_bytes;
    m->zone_units = p->zone_channels * p->zone_ways * p->zone_dies *
                    p->zone_planes;
    m->unit_count = p->channels * p->ways * p->dies * p->planes;
}

Model *model_new(const SsdParams *resolved)
{
    Model *m = g_new0(Model, 1);
    const SsdParams *p = &m->p;

    m->p = *resolved;
    g_assert_cmpuint(p->namespaces, <=, MODEL_MAX_NAMESPACES);
    m->ns_count = p->namespaces + (p->conventional_bytes != 0);
    for (uint32_t i = 0; i < p->namespaces; i++) {
        m->rules[i] = rules_new(p, i + 1, p->lba_bytes);
    }
    join_pages(m);
    model_log_init(m);
    if (p->conventional_bytes) {
        m->rules[p->namespaces] = model_conv_rules(m, p->lba_bytes);
    }
    m->channel_ns = g_new0(uint64_t, p->channels);
    m->crossing = g_new0(unsigned, p->channels);
    m->lines = g_new0(GQueue, p->channels);
    m->unit = g_new0(Unit, m->unit_count);
    m->unit_programs_ended = g_new0(uint64_t, m->unit_count);
    m->drain_until = g_new0(uint64_t, m->unit_count);
    m->programmed = g_new0(uint8_t *, p->zones);
    m->used = g_new0(uint8_t *, p->zones);
    m->zone_writes = g_new0(GQueue, p->zones);
    m->zone_jobs = g_new0(GQueue, p->zones);
    for (uint32_t z = 0; z < p->zones; z++) {
        m->programmed[z] = g_new0(uint8_t, m->zone_pages);
        m->used[z] = g_new0(uint8_t, m->zone_pages);
    }
    m->life = g_new0(uint32_t, p->zones);
    m->writes_ever = g_new0(uint32_t, p->zones + 1);
    m->first_erases = g_new0(unsigned, p->zones);
    m->lives = g_new0(uint32_t, p->zones);
    m->host_bytes = g_new0(uint64_t, p->zones);
    m->steps = g_array_new(FALSE, FALSE, sizeof(Step));
    m->host_programs = g_array_new(FALSE, FALSE, sizeof(HostProgram));
    m->flushes = g_array_new(FALSE, FALSE, sizeof(Waiting));
    m->cmds = g_ptr_array_new();
    model_erase_init(m);
    model_ahead_init(m);
    model_buffer_init(m);
    if (p->take_turns) {
        model_turns_init(m, &m->read_turns);
    }
    if (p->take_turns || p->buffer_turns) {
        model_turns_init(m, &m->write_turns);
    }
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
    model_turns_free(&m->read_turns);
    model_turns_free(&m->write_turns);
    model_buffer_free(m);
    model_ahead_free(m);
    model_erase_free(m);
    model_log_free(m);
    for (uint32_t z = 0; z < m->p.zones; z++) {
        g_free(m->programmed[z]);
        g_free(m->used[z]);
    }
    for (uint32_t i = 0; i < m->ns_count; i++) {
        g_free(m->rules[i]);
    }
    g_free(m->programmed);
    g_free(m->used);
    g_free(m->zone_writes);
    g_free(m->zone_jobs);
    g_free(m->life);
    g_free(m->writes_ever);
    g_free(m->first_erases);
    g_free(m->lives);
    g_free(m->host_bytes);
    for (uint32_t i = 0; i < m->p.channels; i++) {
        g_queue_clear_full(&m->lines[i], g_free);
    }
    g_free(m->lines);
    g_free(m->crossing);
    g_free(m->channel_ns);
    g_free(m->drain_until);
    g_free(m->unit_programs_ended);
    g_free(m->unit);
    g_array_free(m->steps, TRUE);
    g_array_free(m->host_programs, TRUE);
    g_array_free(m->flushes, TRUE);
    g_ptr_array_free(m->cmds, TRUE);
    g_free(m);
}

uint32_t model_ns_count(const Model *m)
{
    return m->ns_count;
}

const Rules *model_rules(const Model *m, uint32_t nsid)
{
    g_assert_cmpuint(nsid - 1, <, m->ns_count);
    return m->rules[nsid - 1];
}

static Piece piece_of(const Rules *rules, uint64_t lba, uint64_t nlb)
{
    uint64_t at = lba % rules->zone_nlb * rules->lba_bytes;

    return (Piece) {
        .zone_idx = rules->first_zone_idx + lba / rules->zone_nlb,
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

static void cmd_free(Cmd *cmd)
{
    if (cmd->jobs) {
        g_ptr_array_free(cmd->jobs, TRUE);
    }
    g_array_free(cmd->reads, TRUE);
    g_free(cmd);
}

static void leave(Model *m, Cmd *cmd)
{
    cmd->done.due_at_ns = m->now_ns;
    if (cmd->host_io) {
        m->host_io--;
        m->host_io_seen = true;
        m->host_io_left_ns = m->now_ns;
    }
    g_queue_push_tail(&m->done, g_memdup2(&cmd->done, sizeof(cmd->done)));
    g_assert_true(g_ptr_array_remove(m->cmds, cmd));
    if (cmd->row) {
        model_ahead_go_on(m, cmd->row);
    }
    model_front_ends(m, cmd);
    cmd_free(cmd);
    model_front_left(m);
}

/* A completion goes behind the data of reads; these have their own with them. */
static void answer(Model *m, Cmd *cmd)
{
    if (!cmd->host_io || cmd->done.op == SSD_OP_READ ||
        m->link_out_ns <= m->now_ns) {
        leave(m, cmd);
    } else {
        model_add_step(m, (Step) { .kind = STEP_LEAVE, .cmd = cmd,
                                   .at_ns = m->link_out_ns });
    }
}

void model_part_done(Model *m, Cmd *cmd)
{
    uint64_t leaves_ns;

    g_assert_cmpuint(cmd->parts, >, 0);
    if (--cmd->parts) {
        return;
    }
    if (cmd->writes && cmd->conventional) {
        model_conv_go_on(m);
        return;
    }
    if (cmd->writes) {
        model_write_in_turn(m, cmd->write.zone_idx);
        return;
    }
    leaves_ns = MAX(MAX(m->now_ns, cmd->link_until_ns), cmd->again_until_ns) +
                cmd->fixed_ns;
    if (leaves_ns == m->now_ns) {
        answer(m, cmd);
    } else {
        model_add_step(m, (Step) {
            .kind = STEP_ANSWER, .at_ns = leaves_ns, .cmd = cmd,
        });
    }
}

bool model_uses_buffer(const Model *m, const Cmd *cmd)
{
    return m->p.write_buffer_bytes && !cmd->zrwa &&
           (!cmd->conventional || m->log.buffered);
}

static void put(Model *m, Cmd *cmd)
{
    model_put_pages(m, cmd);
    if (cmd->zrwa) {
        model_commit_pages(m, cmd);
    }
}

/* All of it is in the drive. */
static void is_written(Model *m, Cmd *cmd)
{
    cmd->has_data = false;
    model_part_done(m, cmd);
}

/* A finish may have waited for what is written now. */
static void look_for_finish(Model *m, uint32_t zone_idx)
{
    model_look_at(m, zone_idx);
    model_settle(m);
}

static void zone_data_arrived(Model *m, const Portion *portion)
{
    Cmd *cmd = portion->cmd;
    uint32_t zone_idx = cmd->write.zone_idx;
    bool alive = cmd->life == m->life[zone_idx];

    if (model_uses_buffer(m, cmd)) {
        model_buffer_arrived(m, zone_idx, portion->bytes, alive);
    } else if (alive) {
        put(m, cmd);
    }
    if (portion->last) {
        model_front_again(m, cmd);
        is_written(m, cmd);
        model_seats_look(m, zone_idx, false);
        look_for_finish(m, zone_idx);
    }
}

void model_arrived(Model *m, const Portion *portion)
{
    if (portion->cmd->conventional) {
        model_conv_arrived(m, portion);
    } else {
        zone_data_arrived(m, portion);
    }
}

/* Its turn has come: one part stands for what is to come. */
static void start_write(Model *m, Cmd *cmd)
{
    cmd->writes = false;
    cmd->parts++;
    if (model_uses_buffer(m, cmd)) {
        model_buffer_write(m, cmd);
    } else if (m->p.link_in_ns) {
        model_link_in(m, cmd, cmd->write.end - cmd->write.at, true);
    } else {
        put(m, cmd);
        is_written(m, cmd);
    }
}

/*
 * Zones are written in order of LBA: who is not ready holds up the others. No
 * one is before the old data's erase has been asked for.
 */
bool model_may_write(const Model *m, uint32_t zone_idx)
{
    const Cmd *cmd = g_queue_peek_head(&m->zone_writes[zone_idx]);

    return cmd && !model_reset_waits(m, zone_idx) && cmd->parts == 0 &&
           model_seats_let(m, cmd);
}

void model_write_in_turn(Model *m, uint32_t zone_idx)
{
    while (model_may_write(m, zone_idx)) {
        start_write(m, g_queue_pop_head(&m->zone_writes[zone_idx]));
    }
    model_buffer_let_in(m);
    look_for_finish(m, zone_idx);
}

void model_discard_writes(Model *m, uint32_t zone_idx)
{
    Cmd *cmd;

    while ((cmd = g_queue_pop_head(&m->zone_writes[zone_idx]))) {
        cmd->writes = false;
        cmd->has_data = false;
        cmd->parts++;
        model_part_done(m, cmd);
    }
}

static void queue_write(Model *m, Cmd *cmd)
{
    uint32_t zone_idx = cmd->write.zone_idx;
    uint64_t *host_bytes = &m->host_bytes[zone_idx];

    *host_bytes = MIN(*host_bytes + cmd->write.end - cmd->write.at,
                      m->p.zone_capacity_bytes);
    cmd->writes = true;
    m->wrote = true;
    m->wrote_at_ns = m->now_ns;
    model_seats_ask(m, cmd);
    g_queue_push_tail(&m->zone_writes[zone_idx], cmd);
}

void model_begin(Model *m, Cmd *cmd)
{
    if (cmd->done.op == SSD_OP_COMPARE) {
        model_link_compare(m, cmd);
    }
    cmd->begun = true;
    if (cmd->conventional) {
        model_conv_begin(m, cmd);
    }
    for (guint i = 0; i < cmd->reads->len && !cmd->conventional; i++) {
        model_start_read(m, cmd, g_array_index(cmd->reads, Piece, i));
    }
    if (cmd->has_data) {
        queue_write(m, cmd);
    }
    if (cmd->jobs) {
        model_hand_off_jobs(m, cmd);
    }
    if ((cmd->done.op == SSD_OP_FLUSH || cmd->done.op == SSD_OP_SHUTDOWN) &&
        model_await_programs(m, cmd)) {
        cmd->parts++;
    }
    model_part_done(m, cmd);
}

/* --- steps ------------------------------------------------------------- */

void model_add_step(Model *m, Step step)
{
    step.seq = ++m->seq;
    g_array_append_val(m->steps, step);
}

static void program_end(Model *m, const Step *step)
{
    if (step->zone_idx == m->log.idx) {
        model_conv_program_end(m, step);
        return;
    }
    /* With a page count those before it on its unit, if they were there. */
    for (uint64_t i = 0; step->life == m->life[step->zone_idx] &&
                         i <= step->page; i += m->zone_units) {
        m->programmed[step->zone_idx][step->page - i] = 1;
    }
    if (step->job) {
        model_job_op_ended(m, step->job);
        return;
    }
    if (step->buffered) {
        model_buffer_programmed(m, step);
    }
    model_host_program_ended(m, step->program_seq);
    if (step->cmd) {
        model_part_done(m, step->cmd);
    }
    model_check_flushes(m);
}

static void sense_end(Model *m, Step step)
{
    step.kind = STEP_PART_DONE;
    step.sensed = true;
    step.holds_unit = !m->p.cache_read;
    model_cross(m, model_place(m, step.zone_idx, step.page).channel,
                step.transfer_ns, step);
    if (!step.holds_unit) {
        model_unit_next(m, step.unit);
    }
}

/* The array has ended what it did, or a part of the transfer to it has. */
static void run_flash_step(Model *m, Step step)
{
    switch (step.kind) {
    case STEP_PART_DONE:
        if (step.holds_unit) {
            model_unit_next(m, step.unit);
        }
        model_crossed(m, step.channel);
        if (step.line) {
            model_ahead_fetched(m, step.line);
            break;
        }
        if (step.cleans) {
            model_conv_cleaned(m);
            break;
        }
        if (step.bytes) {
            model_link_out(m, step.cmd, step.bytes);
        }
        model_part_done(m, step.cmd);
        break;
    case STEP_ISSUED:
        model_unit_issued(m, step);
        break;
    case STEP_PROGRAM_JOIN:
        step.kind = STEP_PROGRAM_END;
        model_unit_arrived(m, step.unit, model_program_ns(m, &step), step);
        model_crossed(m, step.channel);
        break;
    case STEP_OWN_END:
        model_own_ended(m, step.unit);
        break;
    case STEP_PROGRAM_END:
        m->programs_ended++;
        model_program_ended(m);
        model_unit_unload(m, step.unit);
        model_unit_next(m, step.unit);
        program_end(m, &step);
        break;
    case STEP_COMMAND:
        model_unit_commanded(m, step);
        model_crossed(m, step.channel);
        break;
    case STEP_SENSE_END:
        sense_end(m, step);
        break;
    case STEP_ERASE_END:
        model_unit_next(m, step.unit);
        if (step.cleans) {
            model_conv_cleaned(m);
        } else if (step.cmd) {
            model_part_done(m, step.cmd);
        } else if (step.job) {
            model_job_op_ended(m, step.job);
        } else if (step.is_first && --m->first_erases[step.zone_idx] == 0) {
            model_look_at(m, step.zone_idx);
            model_settle(m);
        }
        break;
    case STEP_VISIT_END:
        model_unit_next(m, step.unit);
        model_reset_visited(m);
        break;
    case STEP_SUSPEND:
        model_unit_suspended(m, step.unit);
        break;
    default:
        g_assert_not_reached();
    }
}

static void run_step(Model *m, Step step)
{
    switch (step.kind) {
    case STEP_HAND_OFF:
        model_hand_off(m);
        break;
    case STEP_ARRIVED:
        model_link_arrived(m);
        break;
    case STEP_ANSWER:
        answer(m, step.cmd);
        break;
    case STEP_LEAVE:
        leave(m, step.cmd);
        break;
    case STEP_RELEASE:
        model_buffer_release(m, step.unit);
        break;
    case STEP_VISIT:
        model_reset_visit(m);
        break;
    case STEP_RESET:
        model_reset_step(m);
        break;
    case STEP_WAKE:
        model_job_woken(m, step.job);
        break;
    case STEP_PROGRAM_END:
    case STEP_ERASE_END:
        if (model_unit_ends(m, &step)) {
            run_flash_step(m, step);
        }
        break;
    default:
        run_flash_step(m, step);
        break;
    }
    model_buffer_look(m);
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
        g_array_remove_index_fast(m->steps, i);
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
    Rules *rules = m->rules[nsid - 1];

    model_run(m, now_ns);
    if (!rules_zone_fail(rules, zone_idx, state)) {
        return false;
    }
    model_buffer_fail(m, rules->first_zone_idx + zone_idx);
    model_watch_look(m);
    return true;
}

void model_format(Model *m, uint32_t nsid, uint32_t lba_bytes)
{
    Rules *rules = m->rules[nsid - 1];

    if (rules->first_zone_idx == m->log.idx) {
        m->rules[nsid - 1] = model_conv_rules(m, lba_bytes);
        g_free(rules);
        model_log_format(m);
        return;
    }
    g_assert_cmpuint(m->inflight, ==, 0);
    rules_format(rules, &m->p, nsid, lba_bytes);
    for (uint32_t z = 0; z < rules->zone_count; z++) {
        uint32_t zone_idx = rules->first_zone_idx + z;

        m->lives[zone_idx]++;
        m->life[zone_idx]++;
        m->host_bytes[zone_idx] = 0;
        memset(m->programmed[zone_idx], 0, m->zone_pages);
        memset(m->used[zone_idx], 0, m->zone_pages);
        model_buffer_forget(m, zone_idx);
        model_ahead_forget(m, zone_idx);
    }
    model_watch_look(m);
}

static bool reads(SsdOp op)
{
    return op == SSD_OP_READ || op == SSD_OP_VERIFY || op == SSD_OP_COMPARE;
}

static bool writes(SsdOp op)
{
    return op == SSD_OP_WRITE || op == SSD_OP_WRITE_ZEROES ||
           op == SSD_OP_APPEND || op == SSD_OP_COPY;
}

static Cmd *cmd_new(Model *m, const SsdCmd *what, uint32_t tag)
{
    Cmd *cmd = g_new0(Cmd, 1);

    cmd->done = (SsdDone) {
        .tag = tag, .nsid = what->nsid, .op = what->op,
        .submitted_at_ns = m->now_ns,
    };
    cmd->seq = ++m->seq;
    cmd->parts = 1;     /* its way to the hand-off */
    cmd->reads = g_array_new(FALSE, FALSE, sizeof(Piece));
    cmd->takes_slot = reads(what->op) && m->p.read_slots;
    cmd->host_io = reads(what->op) || writes(what->op);
    return cmd;
}

static void plan_read(Cmd *cmd, const Rules *rules, SsdRange range)
{
    Piece piece = piece_of(rules, range.slba, range.nlb);

    g_array_append_val(cmd->reads, piece);
}

static void plan_write(const Model *m, Cmd *cmd, const Rules *rules,
                       Piece piece, const RulesEffect *effect)
{
    cmd->has_data = true;
    cmd->write = piece;
    cmd->life = m->lives[piece.zone_idx];
    cmd->zrwa = effect->zrwa;
    cmd->commit = (Piece) {
        .zone_idx = piece.zone_idx,
        .at = effect->commit_from_nlb * rules->lba_bytes,
        .end = effect->commit_to_nlb * rules->lba_bytes,
    };
    cmd->there = effect->there_nlb * rules->lba_bytes;
}

/* What it will do at its hand-off. */
static void plan(Model *m, Cmd *cmd, const SsdCmd *what, Rules *rules,
                 const RulesEffect *effect)
{
    uint64_t nlb = what->op == SSD_OP_COPY ? effect->nlb : what->nlb;

    if (rules->first_zone_idx == m->log.idx) {
        cmd->nlb = nlb;
        cmd->bytes = cmd->host_io ? nlb * rules->lba_bytes : 0;
        model_conv_plan(cmd, what, rules);
        return;
    }
    if (writes(what->op)) {
        plan_write(m, cmd, rules, piece_of(rules, effect->lba, nlb), effect);
    } else if (what->op == SSD_OP_ZONE_FLUSH_ZRWA) {
        plan_write(m, cmd, rules, piece_of(rules, what->slba, 0), effect);
    } else if (reads(what->op)) {
        plan_read(cmd, rules, (SsdRange) { what->slba, what->nlb });
    }
    for (uint32_t i = 0; what->op == SSD_OP_COPY && i < what->range_count;
         i++) {
        plan_read(cmd, rules, what->ranges[i]);
    }
    if (cmd->host_io) {
        cmd->bytes = nlb * rules->lba_bytes;
    }
    if (what->op == SSD_OP_APPEND) {
        cmd->done.result = effect->lba;
    }
    if (effect->job_count) {
        cmd->select_all = what->select_all;
        model_submit_jobs(m, cmd, what->op == SSD_OP_ZONE_FINISH, rules,
                          effect);
    }
}

static uint64_t copy_nlb(const SsdCmd *what)
{
    uint64_t nlb = 0;

    for (uint32_t i = 0; i < what->range_count; i++) {
        nlb += what->ranges[i].nlb;
    }
    return nlb;
}

static RulesEffect apply(const Model *m, Rules *rules, const SsdCmd *what)
{
    return rules->first_zone_idx != m->log.idx
           ? rules_apply(rules, what)
           : (RulesEffect) {
               .status = model_conv_judge(rules, what),
               .lba = what->slba, .nlb = copy_nlb(what),
           };
}

SsdAccept model_submit(Model *m, uint64_t now_ns, const SsdCmd *what,
                       uint32_t tag)
{
    bool of_all = (what->op == SSD_OP_FLUSH || what->op >= SSD_OP_IDENTIFY) &&
                  what->nsid == SSD_NSID_ALL;
    Cmd cost = { 0 };
    RulesEffect effect;
    Rules *rules;
    Cmd *cmd;

    model_run(m, now_ns);
    if (!of_all && (what->nsid < 1 || what->nsid > m->ns_count)) {
        return (SsdAccept) { .status = SSD_INVALID_NAMESPACE_OR_FORMAT };
    }
    rules = m->rules[of_all ? 0 : what->nsid - 1];
    model_front_cost(m, &cost, what, rules, what->op == SSD_OP_COPY ?
                                            copy_nlb(what) : what->nlb);
    effect = apply(m, rules, what);
    if (effect.status) {
        return (SsdAccept) { .status = effect.status };
    }
    for (uint32_t i = 0; what->op == SSD_OP_SHUTDOWN && i < m->p.namespaces;
         i++) {
        rules_shutdown(m->rules[i]);
    }
    model_watch_look(m);
    model_front_count(m, what, rules);
    m->inflight++;
    cmd = cmd_new(m, what, tag);
    cmd->before_ns = cost.before_ns;
    cmd->after_ns = cost.after_ns;
    cmd->again_ns = cost.again_ns;
    cmd->fixed_ns = cost.fixed_ns;
    cmd->passes = cost.passes;
    g_ptr_array_add(m->cmds, cmd);
    m->host_io += cmd->host_io;
    plan(m, cmd, what, rules, &effect);
    g_free(effect.job);
    model_front_enter(m, cmd);
    model_buffer_look(m);
    return (SsdAccept) { .lba = effect.lba };
}
