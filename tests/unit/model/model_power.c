/*
 * The dumb drive's power cut, when nothing is under way: all that waits in
 * registers and the buffer stays, and time begins anew.
 *
 * Knows nothing of the drive's inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model_internal.h"

#include <string.h>

static void forget_turns(Turns *turns)
{
    for (uint32_t i = 0; i < turns->line_count; i++) {
        g_assert_cmpuint(turns->line[i].waiting.length, ==, 0);
        turns->line[i] = (Line) { .since = 0 };
    }
    memset(turns->group_since, 0, sizeof(turns->group_since));
    turns->now = 0;
}

static void forget_units(Model *m)
{
    for (uint32_t i = 0; i < m->unit_count; i++) {
        g_assert_false(m->unit[i].busy);
        m->unit[i] = (Unit) { .loaded = 0 };
    }
    m->begun = 0;
    m->visit_unit = 0;
}

static void begin_zones(Model *m)
{
    for (uint32_t i = 0; i < m->p.namespaces; i++) {
        Rules *rules = m->rules[i];

        rules_shutdown(rules);
        for (uint32_t z = 0; z < rules->zone_count; z++) {
            rules->zone[z].phase = 0;
            rules->zone[z].recommended = false;
        }
    }
}

bool model_is_at_rest(const Model *m)
{
    return m->inflight == 0 && m->steps->len == 0;
}

void model_power_cut(Model *m)
{
    bool *finished = g_new(bool, m->p.zones);
    uint32_t ns_zones = m->rules[0]->zone_count;

    g_assert_true(model_is_at_rest(m));
    m->now_ns += m->p.power_up_ns;
    forget_units(m);
    forget_turns(&m->read_turns);
    forget_turns(&m->write_turns);
    model_ahead_free(m);
    model_ahead_init(m);
    /* What a command has left the front end to do is not done. */
    m->front_free_ns = 0;
    m->again_free_ns = 0;
    m->wrote = false;
    m->host_io_seen = false;
    for (uint32_t z = 0; z < m->p.zones; z++) {
        finished[z] = m->rules[z / ns_zones]->zone[z % ns_zones].finished;
    }
    begin_zones(m);
    model_watch_look(m);
    for (uint32_t z = 0; z < m->p.zones; z++) {
        m->rules[z / ns_zones]->zone[z % ns_zones].finished = finished[z];
    }
    m->senses_begun = 0;
    m->programs_ended = 0;
    m->erases_begun = 0;
    m->log.host_bytes = 0;
    m->log.moved_bytes = 0;
    m->log.program_count = 0;
    m->log.erase_count = 0;
    g_free(finished);
}
