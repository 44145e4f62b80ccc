/*
 * The dumb drive's flash: where a page lies, and the steps that pages take over
 * channels and units.
 *
 * Knows nothing of the drive's inside, and nothing of zones or commands but
 * what the model hands it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/draw.h"
#include "model_internal.h"

static bool goes_round(uint64_t units, uint64_t step)
{
    while (step > 0) {
        uint64_t rest = units % step;

        units = step;
        step = rest;
    }
    return units == 1;
}

/* The step that is number `number` of those that go round all units. */
static uint64_t step_of(const Model *m, uint64_t number)
{
    uint64_t step = 1;

    while (number > 0) {
        step++;
        number -= goes_round(m->zone_units, step);
    }
    return step;
}

static uint64_t step_count(const Model *m)
{
    uint64_t count = 0;

    for (uint64_t step = 1; step <= m->zone_units; step++) {
        count += goes_round(m->zone_units, step);
    }
    return count;
}

uint64_t model_position(const Model *m, uint32_t zone_idx, uint64_t page)
{
    uint64_t place = (uint64_t)zone_idx * m->p.zone_stagger;
    uint64_t bits = draw_bits(m->p.seed, DRAW_ZONE_ORDER, zone_idx, 0);

    if (zone_idx == m->log.idx) {
        return page % m->unit_count;
    }
    return m->p.zone_shuffle
           ? (place + bits % (UINT64_C(1) << 32) +
              page * step_of(m, draw_below(bits, step_count(m)))) %
             m->zone_units
           : (place + page) % m->zone_units;
}


/* In the order of the parameter's words: what changes with every page first. */
static const char *const stripe_orders[] = {
    "cwdp", "cwpd", "cdwp", "cdpw", "cpwd", "cpdw", "wcdp", "wcpd",
    "wdcp", "wdpc", "wpcd", "wpdc", "dcwp", "dcpw", "dwcp", "dwpc",
    "dpcw", "dpwc", "pcwd", "pcdw", "pwcd", "pwdc", "pdcw", "pdwc",
};

/* As many of each level: of a group, where it begins or how far it goes. */
typedef struct Levels {
    uint64_t ch, way, die, plane;
} Levels;

static Place place_in(const Model *m, Levels at, Levels span, uint64_t u)
{
    const SsdParams *p = &m->p;

    for (unsigned i = 0; i < 4; i++) {
        switch (stripe_orders[p->stripe_order][i]) {
        case 'c':
            at.ch += u % span.ch;
            u /= span.ch;
            break;
        case 'w':
            at.way += u % span.way;
            u /= span.way;
            break;
        case 'd':
            at.die += u % span.die;
            u /= span.die;
            break;
        case 'p':
            at.plane += u % span.plane;
            u /= span.plane;
            break;
        }
    }
    return (Place) {
        .channel = at.ch,
        .unit = ((at.ch * p->ways + at.way) * p->dies + at.die) * p->planes +
                at.plane,
    };
}

Place model_place_at(const Model *m, uint32_t group, uint64_t position)
{
    const SsdParams *p = &m->p;
    uint64_t g = group;
    Levels at, span = {
        p->zone_channels, p->zone_ways, p->zone_dies, p->zone_planes,
    };

    at.ch = g % (p->channels / span.ch) * span.ch;
    g /= p->channels / span.ch;
    at.way = g % (p->ways / span.way) * span.way;
    g /= p->ways / span.way;
    at.die = g % (p->dies / span.die) * span.die;
    g /= p->dies / span.die;
    at.plane = g % (p->planes / span.plane) * span.plane;
    return place_in(m, at, span, position);
}

/* The log spans all units. */
Place model_place(const Model *m, uint32_t zone_idx, uint64_t page)
{
    const SsdParams *p = &m->p;
    uint64_t position = model_position(m, zone_idx, page);
    Levels all = { p->channels, p->ways, p->dies, p->planes };

    return zone_idx == m->log.idx ? place_in(m, (Levels) { 0 }, all, position)
                                  : model_place_at(m, zone_idx, position);
}

/* A page takes `page_ns` on the channel: what bytes [from, to) of it take. */
static uint64_t share_ns(const Model *m, uint64_t page_ns, uint64_t from,
                         uint64_t to)
{
    return to * page_ns / m->p.page_bytes - from * page_ns / m->p.page_bytes;
}

/* The program's time on the channel but for what is `there` already. */
static uint64_t rest_ns(const Model *m, uint64_t page, uint64_t there)
{
    uint64_t page_at = page * m->p.page_bytes;
    uint64_t from = there > page_at ? there - page_at : 0;

    return share_ns(m, m->p.program_transfer_ns, MIN(from, m->p.page_bytes),
                    m->p.page_bytes);
}

static void cross_now(Model *m, uint64_t take_ns, Step step)
{
    uint64_t *clock_ns = &m->channel_ns[step.channel];

    *clock_ns = MAX(*clock_ns, m->now_ns) + take_ns;
    step.at_ns = *clock_ns;
    m->crossing[step.channel]++;
    model_add_step(m, step);
}

void model_cross(Model *m, uint32_t channel, uint64_t take_ns, Step step)
{
    step.channel = channel;
    if (m->crossing[channel] &&
        (step.kind == STEP_COMMAND ||
         (m->lines[channel].length && !step.sensed))) {
        step.at_ns = take_ns;
        g_queue_push_tail(&m->lines[channel],
                          g_memdup2(&step, sizeof(step)));
    } else {
        cross_now(m, take_ns, step);
    }
}

void model_crossed(Model *m, uint32_t channel)
{
    if (--m->crossing[channel] == 0 && m->lines[channel].length) {
        g_autofree Step *step = g_queue_pop_head(&m->lines[channel]);

        cross_now(m, step->at_ns, *step);
    }
}

/* A program of all or the rest of a page; `step` says whose. */
static void program(Model *m, uint64_t take_ns, Step step)
{
    step.kind = STEP_PROGRAM_JOIN;
    if (step.zone_idx != m->log.idx) {
        step.superblock = m->backing_of[step.zone_idx];
    }
    model_unit_load(m, model_place(m, step.zone_idx, step.page), take_ns,
                    step);
}

void model_put_pages(Model *m, Cmd *cmd)
{
    const SsdParams *p = &m->p;
    uint32_t zone_idx = cmd->write.zone_idx;
    uint64_t at = cmd->write.at;

    while (at < cmd->write.end) {
        uint64_t page = at / p->page_bytes;
        uint64_t page_at = page * p->page_bytes;
        uint64_t to = MIN(cmd->write.end, page_at + p->page_bytes);
        uint64_t take_ns;
        Step step = {
            .kind = STEP_PART_DONE, .cmd = cmd, .zone_idx = zone_idx,
            .life = m->life[zone_idx], .page = page,
        };

        take_ns = share_ns(m, p->program_transfer_ns, at - page_at,
                           to - page_at);
        cmd->parts++;
        if (!cmd->zrwa &&
            (to == page_at + p->page_bytes || to == p->zone_capacity_bytes)) {
            step.program_seq = ++m->seq;
            step.data = true;
            model_host_program_begins(m, step.program_seq, zone_idx, page);
            model_before_program(m, zone_idx, page, cmd, NULL);
            program(m, take_ns, step);
        } else {
            model_cross(m, model_place(m, zone_idx, page).channel, take_ns,
                        step);
        }
        at = to;
    }
}

/* Program the pages that end in what a ZRWA has left behind. */
void model_commit_pages(Model *m, Cmd *cmd)
{
    uint64_t page = cmd->commit.at / m->p.page_bytes;
    uint32_t zone_idx = cmd->commit.zone_idx;

    for (; (page + 1) * m->p.page_bytes <= cmd->commit.end; page++) {
        uint64_t seq = ++m->seq;

        model_before_program(m, zone_idx, page, cmd, NULL);
        model_host_program_begins(m, seq, zone_idx, page);
        cmd->parts++;
        program(m, rest_ns(m, page, cmd->there), (Step) {
            .cmd = cmd, .zone_idx = zone_idx, .life = m->life[zone_idx],
            .page = page, .program_seq = seq, .data = true,
        });
    }
}

static void put_buffered_log(Model *m, const Complete *page)
{
    program(m, rest_ns(m, 0, 0), (Step) {
        .zone_idx = m->log.idx, .life = m->log.line[page->line].life,
        .superblock = m->backing->len + page->line,
        .page = page->page % m->log.line_pages,
        .program_seq = page->seq, .data = true, .buffered = true,
        .cleans = page->moved,
    });
}

void model_put_buffered(Model *m, uint32_t zone_idx, const Complete *page)
{
    if (zone_idx == m->log.idx) {
        put_buffered_log(m, page);
        return;
    }
    model_before_program(m, zone_idx, page->page, NULL, NULL);
    program(m, rest_ns(m, page->page, 0), (Step) {
        .zone_idx = zone_idx, .life = m->life[zone_idx], .page = page->page,
        .program_seq = page->seq, .data = true, .buffered = true,
    });
}

void model_put_log(Model *m, Step step, uint64_t at, uint64_t to)
{
    uint64_t take_ns = share_ns(m, m->p.program_transfer_ns, at, to);

    step.kind = STEP_PART_DONE;
    if (to == m->p.page_bytes) {
        step.data = true;
        program(m, take_ns, step);
    } else {
        model_cross(m, model_place(m, m->log.idx, step.page).channel, take_ns,
                    step);
    }
}

bool model_is_programmed(const Model *m, uint32_t zone_idx, uint64_t at)
{
    uint64_t page = at / m->p.page_bytes;

    return page < m->zone_pages && m->programmed[zone_idx][page];
}

void model_sense(Model *m, Step step, uint64_t at, uint64_t to)
{
    const SsdParams *p = &m->p;
    uint64_t granule = p->read_granule_bytes;
    uint64_t page_at = at - at % p->page_bytes;
    uint64_t from_granule = (at - page_at) / granule;
    uint64_t to_granule = (to - page_at + granule - 1) / granule;

    step.kind = STEP_SENSE_END;
    step.page = at / p->page_bytes;
    step.from = at - page_at;
    step.until = to - page_at;
    step.transfer_ns = share_ns(m, p->page_transfer_ns,
                                from_granule * granule,
                                to_granule * granule);
    step.crosses = (to_granule - from_granule) * granule;
    model_unit_read(m, model_place(m, step.zone_idx, step.page), step);
}

/* The same of a zone; `step` says for whom. */
static void sense(Model *m, uint32_t zone_idx, uint64_t at, uint64_t to,
                  Step step)
{
    step.zone_idx = zone_idx;
    step.superblock = m->backing_of[zone_idx];
    model_sense(m, step, at, to);
}

void model_sense_line(Model *m, AheadLine *line, uint32_t zone_idx,
                      uint64_t at)
{
    sense(m, zone_idx, at, at + m->sense_bytes, (Step) { .line = line });
}

/* A full zone has a host's data up to here; any other, as far as is known. */
static uint64_t data_end(const Model *m, uint32_t zone_idx)
{
    for (unsigned i = 0; i < m->p.namespaces; i++) {
        const Rules *r = m->rules[i];
        uint32_t z = zone_idx - r->first_zone_idx;

        if (zone_idx >= r->first_zone_idx && z < r->zone_count &&
            r->zone[z].written_nlb == r->capacity_nlb) {
            return r->zone[z].end_nlb * r->lba_bytes;
        }
    }
    return UINT64_MAX;
}

void model_start_read(Model *m, Cmd *cmd, Piece piece)
{
    uint32_t zone_idx = piece.zone_idx;
    uint64_t data_to = data_end(m, zone_idx);
    uint64_t at = piece.at;
    Row *row = at < data_to ? model_ahead_read(m, cmd, &piece) : NULL;

    while (at < piece.end) {
        uint64_t to = MIN(piece.end,
                          at - at % m->sense_bytes + m->sense_bytes);
        uint64_t bytes = MIN(to, m->p.zone_capacity_bytes) -
                         MIN(at, m->p.zone_capacity_bytes);

        if (at < data_to && row && bytes &&
            model_ahead_serves(m, row, cmd, at, bytes)) {
            at = to;
            continue;
        }
        if (at < data_to && model_is_programmed(m, zone_idx, at)) {
            cmd->parts++;
            sense(m, zone_idx, at, to, (Step) {
                .cmd = cmd, .bytes = bytes,
            });
        } else if (bytes) {
            model_link_out(m, cmd, bytes);
        }
        at = to;
    }
    if (row) {
        model_ahead_go_on(m, row);
    }
}

void model_fill_page(Model *m, Job *job, uint64_t page)
{
    job->next_page++;
    job->pending++;
    model_before_program(m, job->zone_idx, page, NULL, job);
    program(m, rest_ns(m, page, job->there), (Step) {
        .job = job, .zone_idx = job->zone_idx, .life = job->life,
        .page = page, .data = job->there > page * m->p.page_bytes,
    });
}
