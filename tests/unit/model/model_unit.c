/*
 * The dumb drive's units: what an array does next, registers, suspension.
 *
 * Knows nothing of the drive's inside, and nothing of zones or commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model_internal.h"

#include <string.h>

static bool can_suspend(const Model *m, const Step *step)
{
    return step->kind == STEP_ERASE_END ? m->p.erase_suspend :
           step->kind == STEP_PROGRAM_END && m->p.program_suspend;
}

/*
 * It stops at the first suspend point from now on, if one is left; if none is,
 * it runs to its end, and no read that comes behind is one of a row before it.
 */
static void plan_suspension(Model *m, uint32_t unit_idx)
{
    Unit *unit = &m->unit[unit_idx];

    unit->reads_served = 0;
    unit->reread_bytes = 0;
    unit->resumed_at_ns = 0;
    if (m->p.suspend_segment_ns == 0) {
        unit->point_ns = MAX(unit->point_ns, m->now_ns);
    }
    while (unit->point_ns < m->now_ns) {
        unit->point_ns += model_segment_ns(m, unit_idx);
    }
    if (unit->point_ns >= unit->until_ns) {
        return;
    }
    unit->suspending = true;
    model_add_step(m, (Step) {
        .kind = STEP_SUSPEND, .unit = unit_idx,
        .at_ns = unit->point_ns + m->p.suspend_ns,
    });
}

/* All that it reads is in the registers; with `keep`, from now on. */
static bool in_registers(const Model *m, Register *regs, const Step *step,
                         bool keep)
{
    uint64_t sense_at = step->from - step->from % m->sense_bytes;
    bool all = m->p.register_read_ns != 0;

    for (uint64_t at = sense_at; at < sense_at + m->sense_bytes;
         at += m->part_bytes) {
        Register *reg = &regs[(at - sense_at) / m->part_bytes];

        if (step->until <= at || step->from >= at + m->part_bytes) {
            continue;
        }
        all = all && reg->until && reg->superblock == step->superblock &&
              reg->page == step->page && reg->from == at;
        if (keep) {
            *reg = (Register) {
                .superblock = step->superblock, .page = step->page,
                .from = at, .until = at + m->part_bytes,
            };
        }
    }
    return all;
}

/* Since the first of the reads in a row began. */
static uint64_t rest_left_ns(const Model *m, const Unit *unit)
{
    uint64_t past_ns = m->now_ns - unit->row_from_ns;

    return m->p.suspend_rest_ns - MIN(past_ns, m->p.suspend_rest_ns);
}

static void run(Model *m, uint32_t unit_idx, Step step, uint64_t take_ns)
{
    Unit *unit = &m->unit[unit_idx];

    unit->busy = true;
    unit->until_ns = m->now_ns + take_ns;
    step.at_ns = unit->until_ns;
    if (!step.pending) {
        step.pending = true;
        model_add_step(m, step);
    }
    unit->running = step;
    unit->suspending = false;
    if (can_suspend(m, &step)) {
        model_begin_stretch(unit);
        unit->point_ns = m->now_ns + model_segment_ns(m, unit_idx);
        if (unit->reads_served >= m->p.reads_first) {
            unit->point_ns += rest_left_ns(m, unit);
        }
        if (unit->reads.length) {
            plan_suspension(m, unit_idx);
        }
    }
}

/* The array waits for the command of a read that it has turned to. */
static void command(Model *m, uint32_t unit_idx, Step step)
{
    Unit *unit = &m->unit[unit_idx];

    unit->busy = true;
    unit->running = step;
    unit->suspending = false;
    step.kind = STEP_COMMAND;
    step.holds_unit = true;
    model_cross(m, model_place(m, step.zone_idx, step.page).channel,
                m->p.sense_command_ns, step);
}

static void start(Model *m, uint32_t unit_idx, Step step, uint64_t take_ns)
{
    if (step.kind != STEP_SENSE_END) {
        run(m, unit_idx, step, take_ns);
    } else if (in_registers(m, m->unit[unit_idx].reg, &step, true)) {
        run(m, unit_idx, step, m->p.register_read_ns);
    } else if (m->p.sense_command_ns && !step.commanded) {
        command(m, unit_idx, step);
    } else {
        m->senses_begun++;
        run(m, unit_idx, step, take_ns);
    }
}

/* No program begins until all have ended. */
static bool gathers(const Model *m)
{
    return m->p.own_program_after &&
           m->begun >= (uint64_t)m->p.own_program_after * m->unit_count;
}

static bool has_work(const Model *m, Unit *unit)
{
    const Step *step = g_queue_peek_head(&unit->works);

    return step && !(step->kind == STEP_PROGRAM_END &&
                     (gathers(m) || unit->owned));
}

static void start_first(Model *m, uint32_t unit_idx, GQueue *queue)
{
    Step *step = g_queue_pop_head(queue);
    Unit *unit = &m->unit[unit_idx];

    if (step->kind == STEP_PROGRAM_END) {
        m->program_count++;
        m->begun += step->data;
    }
    if (step->kind != STEP_SENSE_END) {
        memset(unit->reg, 0, sizeof(unit->reg));
        memset(unit->asked, 0, sizeof(unit->asked));
    }
    start(m, unit_idx, *step, step->at_ns);
    g_free(step);
}

/* Of a row of reads that go before others: is the next one of it? */
static bool has_turn(const Model *m, Unit *unit, bool held)
{
    return held ? unit->reread_bytes < m->p.reads_first * m->sense_bytes
                : unit->reads_served < m->p.reads_first;
}

/* May a read go before others, and what will that count? */
static bool may_read(const Model *m, Unit *unit, bool others)
{
    const Step *step = g_queue_peek_head(&unit->reads);
    bool held = step && in_registers(m, unit->reg, step, false);

    if (!step || (others && !has_turn(m, unit, held))) {
        return false;
    }
    if (!held && unit->reads_served++ == 0) {
        unit->row_from_ns = m->now_ns;
    }
    unit->reread_bytes += held ? step->crosses : 0;
    return true;
}

void model_unit_next(Model *m, uint32_t unit_idx)
{
    Unit *unit = &m->unit[unit_idx];
    bool others = unit->suspended || has_work(m, unit);

    unit->busy = false;
    if (unit->visits.length) {
        start_first(m, unit_idx, &unit->visits);
        return;
    }
    if (may_read(m, unit, others)) {
        start_first(m, unit_idx, &unit->reads);
        return;
    }
    if (unit->suspended) {
        unit->suspended = false;
        unit->resumed_at_ns = m->now_ns + m->p.resume_ns;
        start(m, unit_idx, unit->rest, unit->rest_ns);
        return;
    }
    unit->reads_served = 0;
    unit->reread_bytes = 0;
    unit->resumed_at_ns = 0;
    if (has_work(m, unit)) {
        start_first(m, unit_idx, &unit->works);
    }
}

void model_unit_suspended(Model *m, uint32_t unit_idx)
{
    Unit *unit = &m->unit[unit_idx];

    unit->suspended = true;
    unit->rest = unit->running;
    unit->rest_ns = unit->until_ns - unit->point_ns + m->p.resume_ns;
    model_unit_next(m, unit_idx);
}

/* It is suspended still: all that it had to do it has to do. */
static void stop_again(Model *m, uint32_t unit_idx)
{
    Unit *unit = &m->unit[unit_idx];

    unit->suspending = true;
    unit->suspended = true;
    unit->rest = unit->running;
    unit->rest_ns = unit->until_ns - (unit->resumed_at_ns - m->p.resume_ns);
    model_unit_next(m, unit_idx);
}

/* A step that comes too early is made anew, or when the array goes on. */
bool model_unit_ends(Model *m, const Step *step)
{
    Unit *unit = &m->unit[step->unit];
    Step later = *step;

    if (unit->suspended && unit->rest.visit == step->visit) {
        unit->rest.pending = false;
        return false;
    }
    if (!can_suspend(m, step)) {
        return true;
    }
    if (unit->suspending) {
        unit->running.pending = false;
        return false;
    }
    if (unit->until_ns > m->now_ns) {
        later.at_ns = unit->until_ns;
        model_add_step(m, later);
        return false;
    }
    return true;
}

void model_unit_join(Model *m, uint32_t unit_idx, uint64_t take_ns, Step step)
{
    Unit *unit = &m->unit[unit_idx];
    bool goes_first = m->p.reads_first && step.kind == STEP_SENSE_END;

    step.at_ns = take_ns;
    step.unit = unit_idx;
    step.visit = ++m->seq;
    g_queue_push_tail(goes_first ? &unit->reads :
                      step.kind == STEP_VISIT_END ? &unit->visits
                                                  : &unit->works,
                      g_memdup2(&step, sizeof(step)));
    if (!unit->busy) {
        model_unit_next(m, unit_idx);
    } else if (goes_first && !unit->suspending &&
               can_suspend(m, &unit->running)) {
        if (m->now_ns < unit->resumed_at_ns &&
            has_turn(m, unit, in_registers(m, unit->reg, &step, false))) {
            stop_again(m, unit_idx);
        } else {
            plan_suspension(m, unit_idx);
        }
    }
}

/* Its command comes first, unless a read before it has asked for the page. */
void model_unit_read(Model *m, Place where, Step step)
{
    Unit *unit = &m->unit[where.unit];
    bool held = in_registers(m, unit->asked, &step, true);

    step.unit = where.unit;
    step.kind = STEP_SENSE_END;
    if (m->p.sense_command_ns == 0 || unit->suspended ||
        (unit->busy && unit->running.kind != STEP_SENSE_END)) {
        model_unit_join(m, step.unit, model_read_ns(m, &step), step);
        return;
    }
    step.kind = STEP_COMMAND;
    model_cross(m, where.channel, held ? 0 : m->p.sense_command_ns, step);
}

void model_unit_commanded(Model *m, Step step)
{
    step.kind = STEP_SENSE_END;
    step.commanded = true;
    if (step.holds_unit) {
        m->senses_begun++;
        run(m, step.unit, step, model_read_ns(m, &step));
    } else {
        model_unit_join(m, step.unit, model_read_ns(m, &step), step);
    }
}

static void note_coming(Unit *unit, Step step, uint64_t take_ns)
{
    step.at_ns = take_ns;
    g_queue_push_tail(&unit->coming, g_memdup2(&step, sizeof(step)));
}

void model_unit_erase(Model *m, uint32_t unit_idx, uint64_t take_ns, Step step)
{
    Unit *unit = &m->unit[unit_idx];

    if (unit->coming.length > 0) {
        note_coming(unit, step, take_ns);
    } else {
        model_unit_join(m, unit_idx, take_ns, step);
    }
}

void model_unit_arrived(Model *m, uint32_t unit_idx, uint64_t take_ns,
                        Step step)
{
    Unit *unit = &m->unit[unit_idx];
    Step *next = g_queue_pop_head(&unit->coming);

    g_assert_cmpuint(next->kind, ==, STEP_PROGRAM_JOIN);
    g_assert_cmpuint(next->page, ==, step.page);
    g_free(next);
    model_unit_join(m, unit_idx, take_ns, step);
    while ((next = g_queue_peek_head(&unit->coming)) &&
           next->kind == STEP_ERASE_END) {
        model_unit_join(m, unit_idx, next->at_ns, *next);
        g_free(g_queue_pop_head(&unit->coming));
    }
}

bool model_unit_takes(const Model *m, uint32_t unit_idx)
{
    const Unit *unit = &m->unit[unit_idx];

    return !m->locked && !unit->loads.length &&
           (!m->p.program_registers || unit->loaded < m->p.program_registers);
}

/* It has its register; the controller issues one program at a time. */
static void load(Model *m, Step step)
{
    m->unit[step.unit].loaded++;
    if (m->p.program_issue_ns == 0) {
        model_unit_issued(m, step);
        return;
    }
    m->issue_ns = MAX(m->issue_ns, m->now_ns) + m->p.program_issue_ns;
    step.kind = STEP_ISSUED;
    step.at_ns = m->issue_ns;
    model_add_step(m, step);
}

void model_unit_issued(Model *m, Step step)
{
    step.kind = STEP_PROGRAM_JOIN;
    model_cross(m, step.channel, step.transfer_ns, step);
}

void model_unit_load(Model *m, Place where, uint64_t take_ns, Step step)
{
    step.unit = where.unit;
    step.channel = where.channel;
    step.transfer_ns = take_ns;
    note_coming(&m->unit[where.unit], step, 0);
    if (model_unit_takes(m, where.unit)) {
        load(m, step);
    } else {
        g_queue_push_tail(&m->unit[where.unit].loads,
                          g_memdup2(&step, sizeof(step)));
    }
}

/* As many as wait and have registers. */
static void load_next(Model *m, uint32_t unit_idx)
{
    Unit *unit = &m->unit[unit_idx];

    while (!m->locked && unit->loads.length &&
           (!m->p.program_registers ||
            unit->loaded < m->p.program_registers)) {
        g_autofree Step *step = g_queue_pop_head(&unit->loads);

        load(m, *step);
    }
}

void model_unit_unload(Model *m, uint32_t unit_idx)
{
    m->unit[unit_idx].loaded--;
    load_next(m, unit_idx);
}

void model_units_unlocked(Model *m)
{
    for (uint32_t unit = 0; unit < m->unit_count; unit++) {
        load_next(m, unit);
    }
}

void model_program_ended(Model *m)
{
    m->program_count--;
    if (!gathers(m) || m->program_count > 0) {
        return;
    }
    m->begun = 0;
    m->program_count = m->unit_count;
    for (uint32_t unit = 0; unit < m->unit_count; unit++) {
        m->unit[unit].owned = true;
        model_add_step(m, (Step) {
            .kind = STEP_OWN_END, .unit = unit,
            .at_ns = m->now_ns + (unit + 1) * m->p.program_issue_ns +
                     m->p.own_program_ns,
        });
    }
}

void model_own_ended(Model *m, uint32_t unit_idx)
{
    m->unit[unit_idx].owned = false;
    model_program_ended(m);
    if (!m->unit[unit_idx].busy) {
        model_unit_next(m, unit_idx);
    }
}

char *model_flash_stats(const Model *m)
{
    return g_strdup_printf("\"flash\":{\"senses\":%" G_GUINT64_FORMAT
                           ",\"programs\":%" G_GUINT64_FORMAT
                           ",\"erases\":%" G_GUINT64_FORMAT "}",
                           m->senses_begun, m->programs_ended,
                           m->erases_begun + m->log.erase_count);
}
