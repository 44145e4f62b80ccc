/*
 * The dumb drive's log: which granule of the conventional namespace each place
 * of the flash holds. Where a granule is, how many places are free and what is
 * worth cleaning is searched for at each question.
 *
 * Knows nothing of the drive's inside, nor of time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "model_internal.h"

LogLine *model_log_line(const Model *m, uint64_t place)
{
    return &m->log.line[place / m->log.line_places];
}

void model_log_init(Model *m)
{
    Log *log = &m->log;
    const SsdParams *p = &m->p;
    uint64_t line_bytes = (uint64_t)m->unit_count * p->pages_per_block *
                          p->page_bytes;
    uint64_t wanted = p->conventional_bytes / 100 *
                      (100 + p->conventional_spare_pct);

    log->idx = p->zones;
    log->victim = -1;
    log->granules = p->conventional_bytes / GRANULE;
    log->newest = g_new0(uint64_t, log->granules);
    log->line_pages = m->unit_count * p->pages_per_block;
    log->line_places = line_bytes / GRANULE;
    if (log->granules) {
        log->buffered = p->conventional_buffer && p->write_buffer_bytes;
        log->line_count = MAX((wanted + line_bytes - 1) / line_bytes,
                              p->conventional_bytes / line_bytes + 2);
    }
    log->line = g_new0(LogLine, log->line_count);
    for (uint32_t i = 0; i < log->line_count; i++) {
        log->line[i].free_since = i;
        log->line[i].programmed = g_new0(uint8_t, log->line_pages);
        log->line[i].holds = g_new(int64_t, log->line_places);
        memset(log->line[i].holds, 0xff, log->line_places * sizeof(int64_t));
    }
    log->now = log->line_count;
}

void model_log_free(Model *m)
{
    g_assert_cmpuint(m->log.writes.length, ==, 0);
    g_assert_cmpuint(m->log.promised, ==, 0);
    for (uint32_t i = 0; i < m->log.line_count; i++) {
        g_free(m->log.line[i].programmed);
        g_free(m->log.line[i].holds);
    }
    g_free(m->log.line);
    g_free(m->log.newest);
}

/* What the place holds, or -1: nothing, or what is elsewhere by now. */
int64_t *model_log_holds(const Model *m, uint64_t place)
{
    return &model_log_line(m, place)->holds[place % m->log.line_places];
}

/* Where the granule is, or -1. */
int64_t model_log_find(const Model *m, uint64_t granule)
{
    for (uint64_t i = 0; i < m->log.line_count * m->log.line_places; i++) {
        if (*model_log_holds(m, i) == (int64_t)granule) {
            return i;
        }
    }
    return -1;
}

void model_log_drop(Model *m, uint64_t granule)
{
    int64_t place = model_log_find(m, granule);

    if (place >= 0) {
        *model_log_holds(m, place) = -1;
    }
}

static uint64_t valid(const Model *m, const LogLine *line)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < m->log.line_places; i++) {
        count += line->holds[i] >= 0;
    }
    return count;
}

static bool is_programmed(const Model *m, const LogLine *line)
{
    for (uint64_t i = 0; i < m->log.line_pages; i++) {
        if (!line->programmed[i]) {
            return false;
        }
    }
    return true;
}

uint64_t model_log_free_places(const Model *m)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < m->log.line_count; i++) {
        count += m->log.line_places - m->log.line[i].used;
    }
    return count;
}

/* The line that is written, or else the one that has been free the longest. */
static uint32_t open_line(const Model *m)
{
    const Log *log = &m->log;
    int best = -1;

    for (uint32_t i = 0; i < log->line_count; i++) {
        const LogLine *line = &log->line[i];

        if (line->used > 0 && line->used < log->line_places) {
            return i;
        }
        if (line->used == 0 &&
            (best < 0 || line->free_since < log->line[best].free_since)) {
            best = i;
        }
    }
    g_assert_cmpint(best, >=, 0);
    return best;
}

uint64_t model_log_put(Model *m, uint64_t granule)
{
    uint32_t open = open_line(m);
    LogLine *line = &m->log.line[open];
    uint64_t place = open * m->log.line_places + line->used++;

    model_log_drop(m, granule);
    *model_log_holds(m, place) = granule;
    return place;
}

/* All on the flash, with the fewest valid granules, if that gains a place. */
int model_log_victim(const Model *m)
{
    uint64_t least = m->log.line_places;
    int best = -1;

    for (uint32_t i = 0; i < m->log.line_count; i++) {
        const LogLine *line = &m->log.line[i];

        if (is_programmed(m, line) && valid(m, line) < least) {
            least = valid(m, line);
            best = i;
        }
    }
    return best;
}

void model_log_erased(Model *m, uint32_t line_idx)
{
    LogLine *line = &m->log.line[line_idx];

    g_assert_cmpuint(valid(m, line), ==, 0);
    line->used = 0;
    line->free_since = ++m->log.now;
}

void model_log_format(Model *m)
{
    for (uint64_t i = 0; i < m->log.granules; i++) {
        model_log_drop(m, i);
    }
}
