/*
 * The mapping of a conventional namespace.
 *
 * Knows nothing of time, units or commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ftl.h"

#include <glib.h>
#include <string.h>

uint64_t ftl_least_lines(uint64_t granule_count, uint64_t line_places)
{
    /* One line less still holds more places than there are granules. */
    return granule_count / line_places + 2;
}

void ftl_init(Ftl *ftl, uint32_t granule_count, uint32_t line_places,
              uint32_t line_count)
{
    size_t places = (size_t)line_places * line_count;

    g_assert(line_count >= ftl_least_lines(granule_count, line_places));
    g_assert(places < FTL_NONE);
    /* Memory of zeroes, which stays untouched until it is used. */
    *ftl = (Ftl) {
        .granule_count = granule_count,
        .line_places = line_places,
        .line_count = line_count,
        .place_of = g_new0(uint32_t, granule_count),
        .holds = g_new0(uint32_t, places),
        .lines = g_new0(FtlLine, line_count),
        .free_ring = g_new(uint32_t, line_count),
        .free_count = line_count,
        .open_line = FTL_NONE,
    };
    for (uint32_t i = 0; i < line_count; i++) {
        ftl->free_ring[i] = i;
    }
    ranking_init(&ftl->ready, line_count);
}

void ftl_destroy(Ftl *ftl)
{
    ranking_destroy(&ftl->ready);
    g_free(ftl->free_ring);
    g_free(ftl->lines);
    g_free(ftl->holds);
    g_free(ftl->place_of);
}

uint64_t ftl_free_places(const Ftl *ftl)
{
    uint64_t in_open = ftl->open_line == FTL_NONE
                       ? 0 : ftl->line_places - ftl->open_used;

    return (uint64_t)ftl->free_count * ftl->line_places + in_open;
}

bool ftl_host_may_place(const Ftl *ftl)
{
    return ftl_free_places(ftl) > ftl->line_places;
}

static void open_next_line(Ftl *ftl)
{
    g_assert(ftl->free_count > 0);
    ftl->open_line = ftl->free_ring[ftl->free_head];
    ftl->open_used = 0;
    ftl->free_head = (ftl->free_head + 1) % ftl->line_count;
    ftl->free_count--;
    ftl->lines[ftl->open_line].state = FTL_LINE_OPEN;
}

/* A line has so many valid places now. */
static void set_valid(Ftl *ftl, uint32_t line, uint32_t valid)
{
    ftl->lines[line].valid = valid;
    if (ftl->lines[line].ready) {
        ranking_set(&ftl->ready, line, (RankingKey) { valid, line });
    }
}

void ftl_drop(Ftl *ftl, uint32_t granule)
{
    uint32_t place = ftl_place(ftl, granule);

    if (place != FTL_NONE) {
        uint32_t line = place / ftl->line_places;

        set_valid(ftl, line, ftl->lines[line].valid - 1);
        ftl->place_of[granule] = 0;
    }
}

void ftl_drop_all(Ftl *ftl)
{
    memset(ftl->place_of, 0, ftl->granule_count * sizeof(*ftl->place_of));
    for (uint32_t i = 0; i < ftl->line_count; i++) {
        set_valid(ftl, i, 0);
    }
}

uint32_t ftl_put(Ftl *ftl, uint32_t granule)
{
    uint32_t place;

    ftl_drop(ftl, granule);
    if (ftl->open_line == FTL_NONE) {
        open_next_line(ftl);
    }
    place = ftl->open_line * ftl->line_places + ftl->open_used++;
    ftl->lines[ftl->open_line].valid++;
    ftl->holds[place] = granule;
    ftl->place_of[granule] = place + 1;
    if (ftl->open_used == ftl->line_places) {
        ftl->lines[ftl->open_line].state = FTL_LINE_CLOSED;
        ftl->open_line = FTL_NONE;
    }
    return place;
}

void ftl_line_ready(Ftl *ftl, uint32_t line)
{
    g_assert(ftl->lines[line].state == FTL_LINE_CLOSED);
    ftl->lines[line].ready = true;
    set_valid(ftl, line, ftl->lines[line].valid);
}

uint32_t ftl_take_victim(Ftl *ftl)
{
    uint32_t victim = ranking_first(&ftl->ready);

    if (victim == RANKING_NONE ||
        ftl->lines[victim].valid == ftl->line_places) {
        return FTL_NONE;
    }
    ranking_remove(&ftl->ready, victim);
    ftl->lines[victim].state = FTL_LINE_VICTIM;
    ftl->lines[victim].ready = false;
    return victim;
}

void ftl_free_line(Ftl *ftl, uint32_t line)
{
    uint32_t last = (ftl->free_head + ftl->free_count) % ftl->line_count;

    g_assert(ftl->lines[line].state == FTL_LINE_VICTIM);
    g_assert(ftl->lines[line].valid == 0);
    ftl->lines[line].state = FTL_LINE_FREE;
    ftl->free_ring[last] = line;
    ftl->free_count++;
}
