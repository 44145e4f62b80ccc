/*
 * What the dumb drive does to zones of itself when they have been active or
 * full for long: every question is answered by a look at all zones.
 *
 * Knows nothing of the drive's inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model_internal.h"

/* 1: active, 2: full, 0: neither. */
static unsigned phase_of(const RulesZone *zone)
{
    switch (zone->state) {
    case SSD_ZONE_IMPLICITLY_OPEN:
    case SSD_ZONE_EXPLICITLY_OPEN:
    case SSD_ZONE_CLOSED:
        return 1;
    case SSD_ZONE_FULL:
        return 2;
    default:
        return 0;
    }
}

void model_watch_look(Model *m)
{
    for (uint32_t z = 0; z < m->p.zones; z++) {
        Rules *rules = m->rules[z / m->rules[0]->zone_count];
        RulesZone *zone = &rules->zone[z % rules->zone_count];

        if (phase_of(zone) != zone->phase) {
            zone->phase = phase_of(zone);
            zone->since_ns = m->now_ns;
            zone->since_seq = ++m->seq;
            zone->recommended = false;
            zone->finished = false;
        }
    }
}

/* The next thing to happen to a zone: 0 excursion, 1 and 2 recommendations. */
typedef struct Due {
    RulesZone *zone;
    Rules *rules;
    uint64_t at_ns;
    unsigned what;
    uint64_t seq;
} Due;

static void consider(Due *first, Due due, uint64_t limit_ns)
{
    due.at_ns = due.zone->since_ns + limit_ns;
    due.seq = due.zone->since_seq;
    if (limit_ns == 0 || due.at_ns > first->at_ns) {
        return;
    }
    if (due.at_ns < first->at_ns || due.what < first->what ||
        (due.what == first->what && due.seq < first->seq)) {
        *first = due;
    }
}

static Due first_due(Model *m)
{
    Due first = { .at_ns = UINT64_MAX };

    for (uint32_t z = 0; z < m->p.zones; z++) {
        Rules *rules = m->rules[z / m->rules[0]->zone_count];
        Due due = {
            .zone = &rules->zone[z % rules->zone_count], .rules = rules,
        };

        if (due.zone->phase == 1) {
            consider(&first, due, m->p.excursion_ns);
        }
        if (due.zone->phase && !due.zone->recommended) {
            due.what = due.zone->phase;
            consider(&first, due, due.what == 1 ? m->p.finish_recommended_ns
                                                : m->p.reset_recommended_ns);
        }
    }
    return first;
}

uint64_t model_watch_next_ns(Model *m)
{
    return first_due(m).at_ns;
}

void model_watch_run(Model *m)
{
    Due due = first_due(m);

    m->now_ns = due.at_ns;
    if (due.what == 0 &&
        model_excursion_inside(m, due.rules, due.zone - due.rules->zone)) {
        /* Another one, when this has gone: the time counts anew. */
        due.zone->since_ns = m->now_ns;
        due.zone->since_seq = ++m->seq;
        due.zone->recommended = false;
    } else if (due.what == 0) {
        model_excursion(m, due.rules, due.zone - due.rules->zone);
        model_watch_look(m);
        due.zone->finished = true;
    } else {
        due.zone->recommended = true;
    }
}
