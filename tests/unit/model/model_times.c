/*
 * The dumb drive's array times: what is the same each time, and what is drawn.
 *
 * Knows nothing of the drive's inside; of its random numbers, the function that
 * makes them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model_internal.h"
#include "base/draw.h"

/* So many segments of a stretch have lengths of their own. */
#define ROUND 64

/*
 * A place is what a superblock has on a unit; pages that follow each other in
 * it, its rows.
 */
static uint64_t place_of(const Model *m, const Step *step)
{
    uint64_t zones = (uint64_t)m->backing->len * m->zone_units;

    if (step->zone_idx == m->log.idx) {
        return zones + (uint64_t)(step->superblock - m->backing->len) *
                       m->unit_count + step->page % m->unit_count;
    }
    return (uint64_t)step->superblock * m->zone_units +
           model_position(m, step->zone_idx, step->page);
}

static uint64_t row_of(const Model *m, const Step *step)
{
    return step->page / (step->zone_idx == m->log.idx ? m->unit_count
                                                      : m->zone_units);
}

uint64_t model_read_ns(const Model *m, const Step *step)
{
    const SsdParams *p = &m->p;
    uint64_t page = row_of(m, step) * p->program_pages +
                    step->from / m->sense_bytes;
    uint64_t bits = draw_bits(p->seed, DRAW_PAGE_TYPE, place_of(m, step),
                              page);

    return draw_below(bits, 1000) < p->slow_page_permille ? p->read_slow_ns
                                                          : p->read_ns;
}

static uint64_t vary(uint64_t ns, uint64_t bits, uint32_t permille)
{
    return ns + draw_normal(bits, ns * permille / 1000);
}

uint64_t model_program_ns(const Model *m, const Step *step)
{
    const SsdParams *p = &m->p;
    uint64_t row = (uint64_t)step->life << 32 | row_of(m, step);
    uint64_t ns = p->program_ns;

    if (step->data) {
        ns = vary(ns + p->program_data_ns,
                  draw_bits(p->seed, DRAW_STRIPE_TIME,
                            place_of(m, step) / m->zone_units, row),
                  p->stripe_spread_permille);
    }
    return vary(ns, draw_bits(p->seed, DRAW_PROGRAM_TIME, place_of(m, step),
                              row),
                p->program_spread_permille);
}

uint64_t model_least_program_ns(const Model *m)
{
    uint64_t ns = vary(m->p.program_ns, 0, m->p.stripe_spread_permille);

    return vary(ns, 0, m->p.program_spread_permille);
}

uint64_t model_segment_ns(Model *m, uint32_t unit_idx)
{
    const SsdParams *p = &m->p;
    Unit *unit = &m->unit[unit_idx];
    uint64_t spread_ns = p->suspend_segment_ns * p->suspend_spread_permille /
                         1000;
    uint64_t number = unit->drawn + unit->passed++ % ROUND;
    uint64_t ns;

    if (!spread_ns) {
        return p->suspend_segment_ns;
    }
    ns = p->suspend_segment_ns - spread_ns +
         draw_below(draw_bits(p->seed, DRAW_SEGMENT, unit_idx, number),
                    2 * spread_ns);
    return MAX(ns, 1);
}

void model_begin_stretch(Unit *unit)
{
    unit->drawn += MIN(unit->passed, ROUND);
    unit->passed = 0;
}
