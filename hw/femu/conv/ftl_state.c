/*
 * The state of the mapping of a conventional namespace.
 *
 * Knows nothing of time, units or commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/state.h"
#include "ftl.h"

static const StateRow line_rows[] = {
    STATE_AT_MOST(FtlLine, state, FTL_LINE_VICTIM),
    STATE_BOOL(FtlLine, ready),
    STATE_LEFT(FtlLine, valid, "granules that are there"),
};

static const StateRow ftl_rows[] = {
    STATE_LEFT(Ftl, granule_count, "of the parameters"),
    STATE_LEFT(Ftl, line_places, "of the parameters"),
    STATE_LEFT(Ftl, line_count, "of the parameters"),
    STATE_ELSE(Ftl, lines, "line_rows"),
    STATE_LEFT(Ftl, ready, "of the lines that are ready"),
    STATE_ELSE(Ftl, free_ring, "free_rows, from the first on"),
    STATE_LEFT(Ftl, free_head, "the ring may as well begin at 0"),
    STATE_ELSE(Ftl, free_count, "before the ring"),
    STATE_INDEX_OR_NONE(Ftl, open_line, STATE_OF_LINES),
    STATE_NUMBER(Ftl, open_used),
};

static const StateRow free_rows[] = {
    {
        .name = "free line",
        .size = sizeof(uint32_t),
        .kind = STATE_IS_INDEX,
        .of = STATE_OF_LINES,
        .most = UINT64_MAX,
    },
};

/* Reading: members that are not stored, as they follow from others */

static uint32_t used_places(const Ftl *ftl, uint32_t line)
{
    switch (ftl->lines[line].state) {
    case FTL_LINE_FREE:
        return 0;
    case FTL_LINE_OPEN:
        return ftl->open_used;
    default:
        return ftl->line_places;
    }
}

/* A granule's place must be written, and must name the granule. */
static void count_valid(Ftl *ftl, State *state)
{
    uint32_t places = ftl->line_places * ftl->line_count;

    for (uint32_t i = 0; i < ftl->granule_count; i++) {
        uint32_t place = ftl_place(ftl, i);
        uint32_t line = place / ftl->line_places;

        if (place == FTL_NONE) {
            continue;
        }
        if (place >= places || ftl->holds[place] != i ||
            place % ftl->line_places >= used_places(ftl, line)) {
            state_fail(state, "granule %u is at place %u of %u, which does "
                       "not hold it", i, place, places);
            return;
        }
        ftl->lines[line].valid++;
    }
}

static void take_ready(Ftl *ftl, State *state, uint32_t line)
{
    const FtlLine *l = &ftl->lines[line];

    if (l->ready && l->state != FTL_LINE_CLOSED) {
        state_fail(state, "line %u is ready, in state %u", line, l->state);
    } else if (l->ready) {
        ranking_set(&ftl->ready, line, (RankingKey) { l->valid, line });
    }
}

static void check_lines(Ftl *ftl, State *state)
{
    uint32_t free_lines = 0, open_lines = 0;

    for (uint32_t i = 0; i < ftl->line_count; i++) {
        free_lines += ftl->lines[i].state == FTL_LINE_FREE;
        open_lines += ftl->lines[i].state == FTL_LINE_OPEN;
        take_ready(ftl, state, i);
    }
    if (free_lines != ftl->free_count) {
        state_fail(state, "%u lines are free, %u in the ring", free_lines,
                   ftl->free_count);
    }
    if (open_lines != (ftl->open_line != FTL_NONE) ||
        (open_lines && (ftl->lines[ftl->open_line].state != FTL_LINE_OPEN ||
                        ftl->open_used >= ftl->line_places))) {
        state_fail(state, "%u lines are open; %u is, with %u places written "
                   "of %u", open_lines, ftl->open_line, ftl->open_used,
                   ftl->line_places);
    }
}

static void check_ring(Ftl *ftl, State *state)
{
    g_autofree bool *seen = g_new0(bool, ftl->line_count);

    for (uint32_t i = 0; i < ftl->free_count; i++) {
        uint32_t line = ftl->free_ring[i];

        if (seen[line] || ftl->lines[line].state != FTL_LINE_FREE) {
            state_fail(state, "line %u is in the ring of free ones%s", line,
                       seen[line] ? " twice" : ", and is not free");
        }
        seen[line] = true;
    }
}

/* Writing and reading */

static void visit_ring(Ftl *ftl, State *state)
{
    uint64_t count = ftl->free_count;
    g_autofree uint32_t *chosen = NULL;

    state_number(state, "free lines", &count, ftl->line_count);
    chosen = g_new(uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        chosen[i] = (ftl->free_head + i) % ftl->line_count;
    }
    STATE_TABLE(state, free_rows, ftl->free_ring, count, chosen);
    ftl->free_count = count;
}

void ftl_state(Ftl *ftl, State *state)
{
    state_count(state, STATE_OF_LINES, ftl->line_count);
    state_count(state, STATE_OF_GRANULES, ftl->granule_count);
    STATE_STRUCT(state, ftl_rows, ftl);
    STATE_TABLE(state, line_rows, ftl->lines, ftl->line_count, NULL);
    STATE_ARRAY(Ftl, place_of, state, ftl, ftl->granule_count);
    STATE_ARRAY_OF(Ftl, holds, state, ftl,
                   (uint64_t)ftl->line_places * ftl->line_count,
                   STATE_IS_INDEX, STATE_OF_GRANULES, UINT64_MAX);
    visit_ring(ftl, state);
    if (state_was_read(state)) {
        check_ring(ftl, state);
        count_valid(ftl, state);
        check_lines(ftl, state);
    }
}
