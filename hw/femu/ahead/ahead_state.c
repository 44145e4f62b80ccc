/*
 * The state of read-ahead: streams, their rings, what is being fetched and who
 * waits for it.
 *
 * Knows nothing of time, of the flash, of NVMe, or of what lies in a zone.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "../base/state.h"
#include "prefetch.h"

static const StateRow stream_rows[] = {
    STATE_INDEX_OR_NONE(AheadStream, zone_idx, STATE_OF_ZONES),
    STATE_NUMBER(AheadStream, reads),
    STATE_NUMBER(AheadStream, row),
    STATE_TIME(AheadStream, next_bytes),
    STATE_TIME(AheadStream, inside_bytes),
    STATE_TIME(AheadStream, first_line),
    STATE_TIME(AheadStream, end_line),
    STATE_NUMBER(AheadStream, used_at),
};

static const StateRow fetch_rows[] = {
    STATE_INDEX_OR_NONE(AheadFetch, stream_idx, STATE_OF_STREAMS),
    STATE_INDEX(AheadFetch, place, STATE_OF_FETCHES),
};

static const StateRow waiter_rows[] = {
    STATE_INDEX_OR_NONE(AheadWaiter, command_idx, STATE_OF_COMMANDS),
    STATE_NUMBER(AheadWaiter, bytes),
};

static const StateRow ahead_rows[] = {
    STATE_LEFT(Ahead, config, "of the parameters"),
    STATE_LEFT(Ahead, line_divisor, "of the parameters"),
    STATE_LEFT(Ahead, depth_divisor, "of the parameters"),
    STATE_NUMBER(Ahead, read_count),
    STATE_NUMBER(Ahead, row_count),
    STATE_ELSE(Ahead, streams, "stream_rows"),
    STATE_ELSE(Ahead, lines, "line_rows, of what is in the rings"),
    STATE_ELSE(Ahead, fetches, "fetch_rows"),
    STATE_LEFT(Ahead, fetching_count, "fetches in use"),
    STATE_IN_LISTS(Ahead, free_fetch_idx),
    STATE_NUMBER(Ahead, fresh_fetch_idx),
    STATE_ELSE(Ahead, waiters, "waiter_rows, of what is being fetched"),
    STATE_LEFT(Ahead, line_pages, "of the parameters"),
    STATE_NUMBER(Ahead, counters.fetched_lines),
    STATE_NUMBER(Ahead, counters.hit_bytes),
    STATE_NUMBER(Ahead, counters.waited_bytes),
};

static const StateRow line_rows[] = {
    {
        .name = "line",
        .size = sizeof(uint32_t),
        .kind = STATE_IS_INDEX_OR_NONE,
        .of = STATE_OF_FETCHES,
        .most = UINT64_MAX,
    },
};

/* Reading */

static void check_stream(State *state, const Ahead *ahead, uint32_t idx,
                         uint64_t zone_bytes)
{
    const AheadStream *stream = &ahead->streams[idx];
    uint32_t depth = ahead->config.depth_lines;

    /* Also if the first is behind the last: the difference wraps around. */
    if (stream->end_line - stream->first_line > depth) {
        state_fail(state, "stream %u has the lines %" PRIu64 " to %" PRIu64
                   ", a ring holds %u", idx, stream->first_line,
                   stream->end_line, depth);
    }
    if (stream->inside_bytes > stream->next_bytes ||
        stream->next_bytes > zone_bytes ||
        stream->end_line > zone_bytes / ahead->config.line_bytes + 1 + depth) {
        state_fail(state, "stream %u is at byte %" PRIu64 " and line %" PRIu64
                   " of a zone of %" PRIu64 " bytes, %" PRIu64 " of which are "
                   "being read", idx, stream->next_bytes, stream->end_line,
                   zone_bytes, stream->inside_bytes);
    }
    if (stream->zone_idx == AHEAD_NONE &&
        (stream->reads != 0 || stream->first_line < stream->end_line)) {
        state_fail(state, "stream %u is of no zone, and goes on", idx);
    }
    if (stream->reads > ahead->config.after + 1) {
        state_fail(state, "stream %u has %u reads, at most %u count", idx,
                   stream->reads, ahead->config.after + 1);
    }
}

static void check_fresh(State *state, const Ahead *ahead, uint64_t lines)
{
    if (ahead->fresh_fetch_idx > lines) {
        state_fail(state, "%u fetches of %" PRIu64, ahead->fresh_fetch_idx,
                   lines);
    }
}

/* Where a ring has a line being fetched, one fetch names the line's place. */
static void check_fetches(State *state, const Ahead *ahead,
                          const uint32_t *used, uint32_t used_count)
{
    g_autofree bool *is_used = g_new0(bool, ahead->fresh_fetch_idx);
    uint32_t in_rings = 0;

    for (uint32_t i = 0; i < used_count; i++) {
        is_used[used[i]] = true;
        in_rings += ahead->fetches[used[i]].stream_idx != AHEAD_NONE;
    }
    for (uint32_t s = 0; s < ahead->config.streams; s++) {
        const AheadStream *stream = &ahead->streams[s];

        for (uint64_t line = stream->first_line; line < stream->end_line;
             line++) {
            uint32_t place = ahead_place(ahead, s, line);
            uint32_t fetch_idx = ahead->lines[place];

            if (fetch_idx == AHEAD_NONE) {
                continue;
            }
            if (fetch_idx >= ahead->fresh_fetch_idx || !is_used[fetch_idx] ||
                ahead->fetches[fetch_idx].stream_idx != s ||
                ahead->fetches[fetch_idx].place != place) {
                state_fail(state, "line %" PRIu64 " of stream %u is fetched "
                           "by %u, which is another's", line, s, fetch_idx);
            }
            in_rings--;
        }
    }
    if (in_rings != 0) {
        state_fail(state, "%u fetches are of lines that no ring has",
                   in_rings);
    }
}

/* Writing and reading */

/* Of Ahead.lines only the lines within the streams' rings are stored. */
static GArray *places_in_rings(const Ahead *ahead)
{
    GArray *places = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t s = 0; s < ahead->config.streams; s++) {
        for (uint64_t line = ahead->streams[s].first_line;
             line < ahead->streams[s].end_line; line++) {
            uint32_t place = ahead_place(ahead, s, line);

            g_array_append_val(places, place);
        }
    }
    return places;
}

/* Of Ahead.waiters only those of pages that are being fetched are stored. */
static void visit_waiters(Ahead *ahead, State *state, const uint32_t *fetches,
                          uint32_t fetch_count)
{
    g_autofree uint32_t *used = g_new(uint32_t,
                                      (size_t)fetch_count * ahead->line_pages);
    uint32_t used_count = 0;

    for (uint32_t i = 0; i < fetch_count; i++) {
        for (uint32_t page = 0; page < ahead->line_pages; page++) {
            used[used_count++] = fetches[i] * ahead->line_pages + page;
        }
    }
    STATE_TABLE(state, waiter_rows, ahead->waiters, used_count, used);
}

static void visit_fetches(Ahead *ahead, State *state)
{
    StateLinks links = STATE_LINKS(AheadFetch, place, "fetches",
                                   ahead->fetches, ahead->fresh_fetch_idx);
    g_autoptr(GArray) places = NULL;
    g_autofree uint32_t *used = NULL;
    uint32_t used_count;

    state_links_begin(&links);
    state_list(state, &links, &ahead->free_fetch_idx, NULL);
    used = state_unlinked(&links, &used_count);
    state_links_end(&links);
    STATE_TABLE(state, fetch_rows, ahead->fetches, used_count, used);
    places = places_in_rings(ahead);
    STATE_TABLE(state, line_rows, ahead->lines, places->len,
                (const uint32_t *)places->data);
    if (state_was_read(state)) {
        ahead->fetching_count = used_count;
        check_fetches(state, ahead, used, used_count);
    }
    if (state_is_good(state)) {
        visit_waiters(ahead, state, used, used_count);
    }
}

void ahead_state(Ahead *ahead, State *state, uint64_t zone_bytes)
{
    uint64_t lines = (uint64_t)ahead->config.streams *
                     ahead->config.depth_lines;

    STATE_STRUCT(state, ahead_rows, ahead);
    if (!ahead_is_on(ahead)) {
        return;
    }
    STATE_TABLE(state, stream_rows, ahead->streams, ahead->config.streams,
                NULL);
    if (state_is_reading(state)) {
        check_fresh(state, ahead, lines);
        for (uint32_t i = 0; i < ahead->config.streams; i++) {
            check_stream(state, ahead, i, zone_bytes);
        }
    }
    if (state_is_good(state)) {
        visit_fetches(ahead, state);
    }
}

static const StateRow prefetch_rows[] = {
    STATE_LEFT(Prefetch, params, "another room"),
    STATE_LEFT(Prefetch, commands, "another room"),
    STATE_LEFT(Prefetch, media, "another room"),
    STATE_LEFT(Prefetch, link, "another room"),
    STATE_ELSE(Prefetch, ahead, "ahead_state()"),
    STATE_AT_MOST(Prefetch, parts_inside, INT32_MAX),
    STATE_TIME(Prefetch, quiet_from_ns),
};

void prefetch_state(Prefetch *prefetch, State *state)
{
    state_room(state, "read-ahead");
    STATE_STRUCT(state, prefetch_rows, prefetch);
    ahead_state(&prefetch->ahead, state, prefetch->params->zone_size_bytes);
    state_room_end(state);
}
