/*
 * The dumb drive's write buffer. How much of it is taken is counted anew at each
 * question; and after whatever happens, all that can be let in or given to a
 * unit is.
 *
 * Knows nothing of the drive's inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model_internal.h"

void model_buffer_init(Model *m)
{
    m->buffer = g_new0(ZoneBuffer, m->p.zones + 1);
    for (uint32_t z = 0; z <= m->log.idx; z++) {
        m->buffer[z].complete = g_array_new(FALSE, FALSE, sizeof(Complete));
        m->buffer[z].to_fill = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    }
    m->waiters = g_array_new(FALSE, FALSE, sizeof(Waiter));
    m->releasing = g_array_new(FALSE, FALSE, sizeof(Releasing));
}

void model_buffer_free(Model *m)
{
    for (uint32_t z = 0; z <= m->log.idx; z++) {
        g_array_free(m->buffer[z].complete, TRUE);
        g_array_free(m->buffer[z].to_fill, TRUE);
    }
    g_assert_cmpuint(m->waiters->len, ==, 0);
    g_assert_cmpuint(m->releasing->len, ==, 0);
    g_array_free(m->waiters, TRUE);
    g_array_free(m->releasing, TRUE);
    g_free(m->buffer);
}

/* --- room ---------------------------------------------------------------- */

/* What a zone, or each with UINT32_MAX, has on the link for the buffer. */
static uint64_t on_the_link(const Model *m, uint32_t zone_idx)
{
    uint64_t bytes = 0;

    for (GList *at = m->link.head; at; at = at->next) {
        const Portion *portion = at->data;

        if (model_uses_buffer(m, portion->cmd) &&
            (zone_idx == UINT32_MAX ||
             portion->cmd->write.zone_idx == zone_idx)) {
            bytes += portion->bytes;
        }
    }
    return bytes;
}

static uint64_t leaving(const Model *m, uint32_t zone_idx)
{
    uint64_t bytes = 0;

    for (guint i = 0; i < m->releasing->len; i++) {
        const Releasing *r = &g_array_index(m->releasing, Releasing, i);

        if (zone_idx == UINT32_MAX || r->zone_idx == zone_idx) {
            bytes += r->left * m->part_bytes;
        }
    }
    return bytes;
}

static uint64_t held(const Model *m, uint32_t zone_idx)
{
    const ZoneBuffer *zone = &m->buffer[zone_idx];

    return zone->arrived - zone->gone + zone->programming * m->p.page_bytes;
}

uint64_t model_buffer_taken(const Model *m)
{
    uint64_t bytes = on_the_link(m, UINT32_MAX) + leaving(m, UINT32_MAX);

    for (uint32_t z = 0; z <= m->log.idx; z++) {
        bytes += held(m, z);
    }
    return bytes;
}

static uint64_t taken_by(const Model *m, uint32_t zone_idx)
{
    return on_the_link(m, zone_idx) + leaving(m, zone_idx) + held(m, zone_idx);
}

static bool has_room(const Model *m, uint32_t zone_idx, uint64_t bytes)
{
    return model_buffer_taken(m) + bytes <= m->p.write_buffer_bytes &&
           taken_by(m, zone_idx) + bytes <= m->p.zone_buffer_bytes;
}

/* Return: false if some of the first write that waits must wait on. */
static bool let_first_in(Model *m)
{
    Cmd *cmd = g_queue_peek_head(&m->entering);
    uint64_t all = cmd->write.end - cmd->write.at;

    while (cmd->let_in < all) {
        uint64_t bytes = MIN(all - cmd->let_in, m->p.buffer_portion_bytes);

        if (!has_room(m, cmd->write.zone_idx, bytes)) {
            return false;
        }
        cmd->let_in += bytes;
        model_link_in(m, cmd, bytes, cmd->let_in == all);
    }
    g_queue_pop_head(&m->entering);
    return true;
}

/* In turn, a portion at a time. Return: false if all must wait. */
static bool let_next_in(Model *m)
{
    int group = model_turns_group(&m->write_turns);
    Line *line;
    uint64_t bytes;
    bool last;
    Cmd *cmd;

    if (group < 0) {
        return false;
    }
    line = model_turns_line(&m->write_turns, group);
    cmd = g_queue_peek_head(&line->waiting);
    bytes = cmd->write.end - cmd->write.at - cmd->let_in;
    last = bytes <= m->p.buffer_portion_bytes;
    bytes = MIN(bytes, m->p.buffer_portion_bytes);
    if (taken_by(m, cmd->write.zone_idx) + bytes > m->p.zone_buffer_bytes) {
        line->aside = m->p.take_turns;
        return line->aside;
    }
    if (model_buffer_taken(m) + bytes > m->p.write_buffer_bytes) {
        return false;
    }
    model_turns_step(&m->write_turns, group, last);
    cmd->let_in += bytes;
    model_link_in(m, cmd, bytes, last);
    return true;
}

void model_buffer_write(Model *m, Cmd *cmd)
{
    if (m->p.take_turns || m->p.buffer_turns) {
        model_turns_wait(&m->write_turns, cmd->write.zone_idx, cmd);
    } else {
        g_queue_push_tail(&m->entering, cmd);
    }
}

/* How many writes there are for which the front end may have to wait? */
guint model_buffer_waiters(const Model *m)
{
    guint count = m->entering.length;

    for (uint32_t z = 0; !m->p.take_turns && z < m->write_turns.line_count;
         z++) {
        count += m->write_turns.line[z].waiting.length;
    }
    return count;
}

/* --- pages to units ------------------------------------------------------ */

/* Pages of a zone that wait for each other: those of a unit, or all. */
static uint32_t strands(const Model *m, uint32_t zone_idx)
{
    uint32_t units = zone_idx == m->log.idx ? m->unit_count : m->zone_units;

    return m->p.page_turns ? units : 1;
}

/* The first page of a strand that is complete, or -1. */
static int first_complete(const Model *m, uint32_t zone_idx, uint32_t strand)
{
    const ZoneBuffer *zone = &m->buffer[zone_idx];

    for (guint i = 0; i < zone->complete->len; i++) {
        uint64_t page = g_array_index(zone->complete, Complete, i).page;

        if (page % strands(m, zone_idx) == strand) {
            return i;
        }
    }
    return -1;
}

/* The page that a finish fills there, or -1. */
static int first_fill(const Model *m, uint32_t zone_idx, uint32_t strand)
{
    const ZoneBuffer *zone = &m->buffer[zone_idx];

    for (guint i = 0; i < zone->to_fill->len; i++) {
        uint64_t page = g_array_index(zone->to_fill, uint64_t, i);

        if (page % strands(m, zone_idx) == strand) {
            return i;
        }
    }
    return -1;
}

/* Where the stripe ends of which the next page goes to a unit. */
static uint64_t stripe_end(const Model *m, uint32_t zone_idx)
{
    const ZoneBuffer *zone = &m->buffer[zone_idx];
    uint64_t page = zone->next_page;

    for (guint i = 0; i < zone->complete->len; i++) {
        page = MIN(page, g_array_index(zone->complete, Complete, i).page);
    }
    return (page / strands(m, zone_idx) + 1) * strands(m, zone_idx);
}

/* Has a strand a page for a unit? Which one, and since when? */
static bool next_page(const Model *m, uint32_t zone_idx, uint32_t strand,
                      Complete *next)
{
    const ZoneBuffer *zone = &m->buffer[zone_idx];
    int complete = first_complete(m, zone_idx, strand);
    int fill = first_fill(m, zone_idx, strand);

    if (complete >= 0) {
        *next = g_array_index(zone->complete, Complete, complete);
        return next->page < stripe_end(m, zone_idx);
    }
    if (fill >= 0) {
        *next = (Complete) {
            .page = g_array_index(zone->to_fill, uint64_t, fill),
            .seq = zone->fill_seq,
        };
    }
    return fill >= 0;
}

/* While a reset drains: is the strand's page one that was complete later? */
static bool is_young(const Model *m, uint32_t zone_idx, uint32_t strand)
{
    Complete next = { 0 };

    next_page(m, zone_idx, strand, &next);
    return m->draining && next.seq > m->drain_seq;
}

/* Zones that take as much of the buffer as a page, or more. */
static uint32_t writers(const Model *m)
{
    uint32_t count = 0;

    for (uint32_t z = 0; z <= m->log.idx; z++) {
        count += taken_by(m, z) >= m->p.page_bytes;
    }
    return count;
}

/* A finish's page, when those who wrote as it came could have gone before. */
static bool is_due(const Model *m, const Waiter *w)
{
    return !m->p.page_turns || w->passed >= w->writers ||
           first_complete(m, w->zone_idx, w->strand) >= 0;
}

static bool takes(const Model *m, const Waiter *w)
{
    return model_unit_takes(m, w->unit) &&
           (m->unit[w->unit].loaded == 0 ||
            (is_due(m, w) && !is_young(m, w->zone_idx, w->strand)));
}

/*
 * Who of those that wait at a unit is the first; if `old`, of those only; if
 * `due`, likewise.
 */
static int first_waiter(const Model *m, uint32_t unit, bool old, bool due)
{
    for (guint i = 0; i < m->waiters->len; i++) {
        const Waiter *w = &g_array_index(m->waiters, Waiter, i);

        if (w->unit == unit && !(due && !is_due(m, w)) &&
            !(old && is_young(m, w->zone_idx, w->strand))) {
            return i;
        }
    }
    return -1;
}

/* Old ones before young ones; of these, due ones first. */
static int next_waiter(const Model *m, uint32_t unit)
{
    bool old = first_waiter(m, unit, true, false) >= 0;
    int due = first_waiter(m, unit, old, true);

    return due >= 0 ? due : first_waiter(m, unit, old, false);
}

static void give_host_page(Model *m, uint32_t zone_idx, int i)
{
    ZoneBuffer *zone = &m->buffer[zone_idx];
    Complete page = g_array_index(zone->complete, Complete, i);

    g_array_remove_index(zone->complete, i);
    for (guint n = 0; n < m->waiters->len; n++) {
        Waiter *w = &g_array_index(m->waiters, Waiter, n);

        w->passed += w->unit == model_place(m, zone_idx, page.page).unit;
    }
    zone->gone += m->p.page_bytes;
    zone->programming++;
    model_put_buffered(m, zone_idx, &page);
}

/* The first page of a finish takes what completes none with it. */
static void give_fill_page(Model *m, uint32_t zone_idx, int i)
{
    ZoneBuffer *zone = &m->buffer[zone_idx];
    uint64_t page = g_array_index(zone->to_fill, uint64_t, i);

    if (zone->fill->life == m->life[zone_idx]) {
        zone->gone = zone->arrived - zone->complete->len * m->p.page_bytes;
        model_turns_call_back(&m->write_turns, zone_idx);
    }
    g_array_remove_index(zone->to_fill, i);
    model_fill_page(m, zone->fill, page);
}

static void give(Model *m, uint32_t zone_idx, uint32_t strand)
{
    int complete = first_complete(m, zone_idx, strand);

    if (complete >= 0) {
        give_host_page(m, zone_idx, complete);
    } else {
        give_fill_page(m, zone_idx, first_fill(m, zone_idx, strand));
    }
}

static bool is_waiting(const Model *m, uint32_t zone_idx, uint32_t strand)
{
    for (guint i = 0; i < m->waiters->len; i++) {
        const Waiter *w = &g_array_index(m->waiters, Waiter, i);

        if (w->zone_idx == zone_idx && w->strand == strand) {
            return true;
        }
    }
    return false;
}

static void serve(Model *m, uint32_t unit);

/* A strand that does not wait goes as far as units take its pages. */
static void go_on(Model *m, uint32_t zone_idx, uint32_t strand)
{
    Complete next;

    while (!is_waiting(m, zone_idx, strand) &&
           next_page(m, zone_idx, strand, &next)) {
        Waiter w = {
            .zone_idx = zone_idx, .strand = strand, .writers = writers(m),
            .unit = model_place(m, zone_idx, next.page).unit,
        };

        if (!takes(m, &w) ||
            first_waiter(m, w.unit, !is_young(m, zone_idx, strand),
                         true) >= 0) {
            g_array_append_val(m->waiters, w);
        } else {
            give(m, zone_idx, strand);
            serve(m, w.unit);
        }
    }
}

/* All strands of the zone, until no stripe ends with what they give. */
static void all_go_on(Model *m, uint32_t zone_idx)
{
    guint left;

    do {
        left = m->buffer[zone_idx].complete->len;
        for (uint32_t i = 0; i < strands(m, zone_idx); i++) {
            go_on(m, zone_idx, i);
        }
    } while (m->buffer[zone_idx].complete->len < left);
}

/*
 * When all pages of a finish's stripe are given, and all in front of it, the
 * next stripe's are due.
 */
static void fill_on(Model *m, uint32_t zone_idx)
{
    ZoneBuffer *zone = &m->buffer[zone_idx];

    while (zone->fill && zone->to_fill->len == 0 &&
           !(m->p.page_turns && zone->complete->len)) {
        uint64_t page = zone->fill->next_page;
        uint64_t end = MIN(page + strands(m, zone_idx), zone->fill->chunk_end);

        if (page == end) {
            zone->fill = NULL;
        } else {
            zone->fill_seq = ++m->seq;
        }
        for (; page < end; page++) {
            g_array_append_val(zone->to_fill, page);
            go_on(m, zone_idx, page % strands(m, zone_idx));
        }
    }
}

/* First come first served, as far as next_waiter() lets them. */
static void serve(Model *m, uint32_t unit)
{
    int i;

    while ((i = next_waiter(m, unit)) >= 0) {
        Waiter w = g_array_index(m->waiters, Waiter, i);

        if (!takes(m, &w)) {
            return;
        }
        g_array_remove_index(m->waiters, i);
        give(m, w.zone_idx, w.strand);
        go_on(m, w.zone_idx, w.strand);
        all_go_on(m, w.zone_idx);
        fill_on(m, w.zone_idx);
    }
}

static void let_all_in(Model *m)
{
    while (m->entering.length && let_first_in(m)) {
        ;
    }
    while (let_next_in(m)) {
        ;
    }
}

void model_buffer_let_in(Model *m)
{
    let_all_in(m);
    /* Only now: what the front end holds may need no room, but the link. */
    model_front_try(m);
}

void model_buffer_look(Model *m)
{
    if (!m->p.write_buffer_bytes) {
        return;
    }
    for (uint32_t unit = 0; m->waiters->len && unit < m->unit_count; unit++) {
        serve(m, unit);
    }
    model_buffer_let_in(m);
}

/* A page for each unit that has none, before any gets another. */
static void serve_idle(Model *m)
{
    for (uint32_t unit = 0; unit < m->unit_count; unit++) {
        int i = m->unit[unit].loaded ? -1 : next_waiter(m, unit);
        Complete next;
        Waiter w;

        if (i < 0 || !takes(m, &g_array_index(m->waiters, Waiter, i))) {
            continue;
        }
        w = g_array_index(m->waiters, Waiter, i);
        g_array_remove_index(m->waiters, i);
        give(m, w.zone_idx, w.strand);
        if (next_page(m, w.zone_idx, w.strand, &next)) {
            w.unit = model_place(m, w.zone_idx, next.page).unit;
            w.passed = 0;
            w.writers = writers(m);
            g_array_append_val(m->waiters, w);
        }
    }
}

void model_buffer_unlocked(Model *m)
{
    if (!m->p.write_buffer_bytes) {
        return;
    }
    if (m->p.page_turns) {
        serve_idle(m);
    }
    for (uint32_t unit = 0; unit < m->unit_count; unit++) {
        serve(m, unit);
    }
    for (uint32_t z = 0; z <= m->log.idx; z++) {
        all_go_on(m, z);
        fill_on(m, z);
    }
    model_buffer_let_in(m);
}

/* --- what happens to data ------------------------------------------------ */

static void keep(Model *m, uint32_t zone_idx, uint64_t bytes)
{
    ZoneBuffer *zone = &m->buffer[zone_idx];
    uint64_t first = zone->next_page;

    zone->arrived += bytes;
    while (zone->arrived - zone->gone >=
           (zone->complete->len + 1) * m->p.page_bytes) {
        Complete page = { .page = zone->next_page++, .seq = ++m->seq };

        g_array_append_val(zone->complete, page);
        model_host_program_begins(m, page.seq, zone_idx, page.page);
    }
    for (; first < zone->next_page; first++) {
        go_on(m, zone_idx, first % strands(m, zone_idx));
    }
    all_go_on(m, zone_idx);
    fill_on(m, zone_idx);
}

void model_buffer_arrived(Model *m, uint32_t zone_idx, uint64_t bytes,
                          bool alive)
{
    if (alive && !m->buffer[zone_idx].failed) {
        keep(m, zone_idx, bytes);
    } else {
        model_turns_call_back(&m->write_turns, zone_idx);
    }
    /* Before the write leaves: whoever waits for room has a read's slot. */
    let_all_in(m);
}

/*
 * What cleaning moves comes in here, without asking, a page at a time: between
 * two of them others may find room.
 */
void model_buffer_log(Model *m, uint64_t place, bool ends_page, bool moved)
{
    ZoneBuffer *log = &m->buffer[m->log.idx];
    Complete page = {
        .page = log->next_page, .line = place / m->log.line_places,
        .moved = moved,
    };

    log->arrived += moved ? GRANULE : 0;
    if (ends_page) {
        page.seq = ++m->seq;
        log->next_page++;
        g_array_append_val(log->complete, page);
        model_host_program_begins(m, page.seq, m->log.idx, page.page);
        go_on(m, m->log.idx, page.page % strands(m, m->log.idx));
        all_go_on(m, m->log.idx);
    }
    if (ends_page && moved) {
        let_all_in(m);
    }
}

void model_buffer_log_arrives(Model *m, uint64_t bytes)
{
    m->buffer[m->log.idx].arrived += bytes;
}

void model_buffer_take_in(Model *m)
{
    let_all_in(m);
}

void model_buffer_drop_part(Model *m, uint32_t zone_idx)
{
    ZoneBuffer *zone = &m->buffer[zone_idx];

    zone->failed = true;
    zone->gone = zone->arrived - zone->complete->len * m->p.page_bytes;
    model_turns_call_back(&m->write_turns, zone_idx);
}

/* Who comes in for the room asks for a seat when the zone has given its up. */
void model_buffer_fail(Model *m, uint32_t zone_idx)
{
    model_buffer_drop_part(m, zone_idx);
    model_seats_look(m, zone_idx, false);
    model_buffer_look(m);
    model_settle(m);
}

void model_buffer_fill(Model *m, Job *job)
{
    m->buffer[job->zone_idx].fill = job;
    fill_on(m, job->zone_idx);
}

/* How much of a program's room has been given back when `left` shares are. */
static void release_later(Model *m, const Releasing *r)
{
    uint64_t shares = m->p.page_bytes / m->part_bytes;
    uint64_t least_ns = model_least_program_ns(m);
    uint64_t all_ns = least_ns ? MIN(m->p.buffer_release_ns, least_ns - 1)
                               : 0;

    model_add_step(m, (Step) {
        .kind = STEP_RELEASE, .unit = r->unit,
        .at_ns = r->from_ns + all_ns * (shares - r->left + 1) / shares,
    });
}

void model_buffer_programmed(Model *m, const Step *step)
{
    Releasing r = {
        .zone_idx = step->zone_idx, .unit = step->unit, .from_ns = m->now_ns,
        .left = m->p.page_bytes / m->part_bytes,
    };

    m->buffer[step->zone_idx].programming--;
    if (m->p.buffer_release_ns && model_least_program_ns(m) > 1) {
        g_array_append_val(m->releasing, r);
        release_later(m, &r);
    } else {
        model_turns_call_back(&m->write_turns, step->zone_idx);
    }
}

void model_buffer_release(Model *m, uint32_t unit)
{
    for (guint i = 0; i < m->releasing->len; i++) {
        Releasing *r = &g_array_index(m->releasing, Releasing, i);

        if (r->unit == unit) {
            model_turns_call_back(&m->write_turns, r->zone_idx);
            if (--r->left) {
                release_later(m, r);
            } else {
                g_array_remove_index(m->releasing, i);
            }
            return;
        }
    }
    g_assert_not_reached();
}

/* The zone does not wait for a unit with a page of its own any more. */
static void stop_waiting(Model *m, uint32_t zone_idx)
{
    for (guint i = m->waiters->len; i-- > 0;) {
        const Waiter *w = &g_array_index(m->waiters, Waiter, i);

        if (w->zone_idx == zone_idx &&
            first_complete(m, zone_idx, w->strand) >= 0) {
            g_array_remove_index(m->waiters, i);
        }
    }
}

void model_buffer_forget(Model *m, uint32_t zone_idx)
{
    ZoneBuffer *zone = &m->buffer[zone_idx];

    stop_waiting(m, zone_idx);
    while (zone->complete->len) {
        uint64_t seq = g_array_index(zone->complete, Complete, 0).seq;

        g_array_remove_index(zone->complete, 0);
        model_host_program_ended(m, seq);
    }
    zone->arrived = 0;
    zone->gone = 0;
    zone->next_page = 0;
    zone->failed = false;
    model_turns_call_back(&m->write_turns, zone_idx);
    for (uint32_t i = 0; i < strands(m, zone_idx); i++) {
        go_on(m, zone_idx, i);
    }
    fill_on(m, zone_idx);
    /* First others get the room, then those are told who wait for programs. */
    model_buffer_let_in(m);
    model_check_flushes(m);
    model_seats_look(m, zone_idx, true);
}
