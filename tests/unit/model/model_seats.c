/*
 * The dumb drive's seats: which zones may have a part of a page in its buffer.
 * Who has one, who waits and who has waited longest is counted anew at each
 * question.
 *
 * Knows nothing of the drive's inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model_internal.h"

static uint32_t ns_zones(const Model *m)
{
    return m->p.zones / m->p.namespaces;
}

/* How many of the zones of a zone's namespace have a seat. */
static uint64_t seated(const Model *m, uint32_t zone_idx)
{
    uint32_t first = zone_idx / ns_zones(m) * ns_zones(m);
    uint64_t count = 0;

    for (uint32_t z = first; z < first + ns_zones(m); z++) {
        count += m->buffer[z].seated;
    }
    return count;
}

/* Is there one more for the namespace? */
static bool has_free(const Model *m, uint32_t zone_idx)
{
    return seated(m, zone_idx) <
           ((m->p.write_buffer_bytes - m->p.buffer_portion_bytes) /
            m->p.page_bytes - m->log.buffered) / m->p.namespaces;
}

/* Complete pages in one portion leave no part of a page. */
static bool needs_seat(const Model *m, const Cmd *cmd)
{
    const Piece *write = &cmd->write;

    return model_uses_buffer(m, cmd) &&
           (write->end - write->at > m->p.buffer_portion_bytes ||
            write->end % m->p.page_bytes);
}

void model_seats_ask(Model *m, const Cmd *cmd)
{
    ZoneBuffer *zone = &m->buffer[cmd->write.zone_idx];
    bool some_wait = false;

    if (!needs_seat(m, cmd) || zone->asks_since) {
        return;
    }
    for (uint32_t z = 0; z < m->p.zones; z++) {
        some_wait |= m->zone_writes[z].length > 0;
    }
    zone->asks_since = ++m->seq;
    zone->seated = has_free(m, cmd->write.zone_idx) ||
                   !(m->p.take_turns || m->p.buffer_turns || some_wait);
}

bool model_seats_let(const Model *m, const Cmd *cmd)
{
    return !needs_seat(m, cmd) || m->buffer[cmd->write.zone_idx].seated;
}

/* Of those who wait in a zone's namespace the first has its seat. */
static void pass_on(Model *m, uint32_t zone_idx)
{
    uint32_t first = zone_idx / ns_zones(m) * ns_zones(m);
    ZoneBuffer *next = NULL;

    for (uint32_t z = first; z < first + ns_zones(m); z++) {
        ZoneBuffer *zone = &m->buffer[z];

        if (zone->asks_since && !zone->seated &&
            (!next || zone->asks_since < next->asks_since)) {
            next = zone;
        }
    }
    if (next && has_free(m, zone_idx)) {
        next->seated = true;
        model_look_at(m, next - m->buffer);
    }
}

static bool has_write(const Model *m, uint32_t zone_idx)
{
    for (guint i = 0; i < m->cmds->len; i++) {
        const Cmd *cmd = g_ptr_array_index(m->cmds, i);

        if (cmd->has_data && cmd->begun && cmd->write.zone_idx == zone_idx &&
            cmd->life == m->life[zone_idx]) {
            return true;
        }
    }
    return false;
}

/* One that had failed before its reset was handed off has a part again. */
static bool has_failed(const Model *m, uint32_t zone_idx)
{
    const Rules *rules = m->rules[zone_idx / ns_zones(m)];
    SsdZoneState state = rules->zone[zone_idx % ns_zones(m)].state;

    return state == SSD_ZONE_READ_ONLY || state == SSD_ZONE_OFFLINE;
}

void model_seats_look(Model *m, uint32_t zone_idx, bool forced)
{
    ZoneBuffer *zone = &m->buffer[zone_idx];
    bool had_one = zone->seated;

    if (!forced && has_write(m, zone_idx)) {
        return;
    }
    if (!forced && has_failed(m, zone_idx)) {
        model_buffer_drop_part(m, zone_idx);
    }
    if (!forced && zone->arrived - zone->gone >
                   zone->complete->len * m->p.page_bytes) {
        return;
    }
    zone->asks_since = 0;
    zone->seated = false;
    if (had_one) {
        pass_on(m, zone_idx);
    }
}
