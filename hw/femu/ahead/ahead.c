/*
 * Read-ahead: see ahead.h.
 *
 * Lines leave their ring in order: a line leaves when it has been fetched and
 * lies before the window, which begins with the first byte that reads of the
 * stream have asked for and not got (as if reads were done in their order).
 * When a ring is given up, fetches under way go on for the reads that wait for
 * them. They are counted with all others, so there are never more fetches than
 * all rings have lines.
 *
 * Knows nothing of time, of the flash, of NVMe, or of what lies in a zone.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ahead.h"

#include <glib.h>

void ahead_init(Ahead *ahead, const AheadConfig *config)
{
    size_t lines = (size_t)config->streams * config->depth_lines;

    *ahead = (Ahead) {
        .config = *config,
        .free_fetch_idx = AHEAD_NONE,
        .line_pages = config->line_bytes / config->page_bytes,
    };
    if (!ahead_is_on(ahead)) {
        return;
    }
    ahead->line_divisor = divisor_of(config->line_bytes);
    ahead->depth_divisor = divisor_of(config->depth_lines);
    ahead->streams = g_new0(AheadStream, config->streams);
    for (uint32_t i = 0; i < config->streams; i++) {
        ahead->streams[i].zone_idx = AHEAD_NONE;
    }
    ahead->lines = g_new(uint32_t, lines);
    ahead->fetches = g_new0(AheadFetch, lines);
    ahead->waiters = g_new(AheadWaiter, lines * ahead->line_pages);
}

void ahead_destroy(Ahead *ahead)
{
    g_free(ahead->waiters);
    g_free(ahead->fetches);
    g_free(ahead->lines);
    g_free(ahead->streams);
}

uint32_t ahead_place(const Ahead *ahead, uint32_t stream_idx, uint64_t line)
{
    return stream_idx * ahead->config.depth_lines +
           remainder_of(line, &ahead->depth_divisor);
}

/* Empty the ring; the next line that it gets is `next_line`. */
static void empty_ring(Ahead *ahead, uint32_t stream_idx, uint64_t next_line)
{
    AheadStream *stream = &ahead->streams[stream_idx];

    while (stream->first_line < stream->end_line) {
        uint32_t fetch_idx = ahead->lines[ahead_place(ahead, stream_idx,
                                                      stream->first_line++)];

        if (fetch_idx != AHEAD_NONE) {
            ahead->fetches[fetch_idx].stream_idx = AHEAD_NONE;
        }
    }
    stream->first_line = next_line;
    stream->end_line = next_line;
}

/* The stream that the read continues, else the one used longest ago. */
static uint32_t stream_for(const Ahead *ahead, uint32_t zone_idx,
                           uint64_t begin_bytes)
{
    uint32_t oldest_idx = 0;

    for (uint32_t i = 0; i < ahead->config.streams; i++) {
        const AheadStream *stream = &ahead->streams[i];

        if (stream->zone_idx == zone_idx &&
            stream->next_bytes == begin_bytes) {
            return i;
        }
        if (stream->used_at < ahead->streams[oldest_idx].used_at) {
            oldest_idx = i;
        }
    }
    return oldest_idx;
}

uint32_t ahead_read(Ahead *ahead, uint32_t zone_idx, uint64_t begin_bytes,
                    uint64_t end_bytes, bool lost)
{
    uint32_t stream_idx = stream_for(ahead, zone_idx, begin_bytes);
    AheadStream *stream = &ahead->streams[stream_idx];
    bool continues = stream->zone_idx == zone_idx &&
                     stream->next_bytes == begin_bytes;

    if (!continues || lost) {
        empty_ring(ahead, stream_idx, 0);
        stream->reads = 0;
        stream->row = ++ahead->row_count;
        stream->inside_bytes = 0;
    }
    stream->inside_bytes += end_bytes - begin_bytes;
    if (!lost) {
        stream->reads = MIN(stream->reads + 1, ahead->config.after + 1);
    }
    stream->zone_idx = zone_idx;
    stream->next_bytes = end_bytes;
    stream->used_at = ++ahead->read_count;
    return stream_idx;
}

/*
 * Reads of a stream come in order: of a piece's pages, others can wait for the
 * first alone, and later ones will ask for the last alone.
 * Return: false if another read waits for a page of the piece.
 */
static bool wait_for(Ahead *ahead, uint32_t fetch_idx, uint64_t begin_bytes,
                     uint32_t command_idx, uint32_t bytes)
{
    AheadWaiter *of_page = &ahead->waiters[fetch_idx * ahead->line_pages];
    uint64_t in_line_bytes = remainder_of(begin_bytes, &ahead->line_divisor);
    uint32_t first = in_line_bytes / ahead->config.page_bytes;
    uint32_t last = (in_line_bytes + bytes - 1) / ahead->config.page_bytes;

    if (of_page[first].command_idx != AHEAD_NONE) {
        return false;
    }
    of_page[last] = (AheadWaiter) { command_idx, bytes };
    return true;
}

/*
 * A read of what has not been asked for yet: if its row had been a stream before
 * it, it is faster than that, and has to become one anew.
 */
static void outrun(const Ahead *ahead, AheadStream *stream)
{
    if (stream->reads > ahead->config.after) {
        stream->reads = 0;
    }
}

AheadFound ahead_take(Ahead *ahead, uint32_t stream_idx, uint64_t begin_bytes,
                      uint32_t command_idx, uint32_t bytes)
{
    AheadStream *stream = &ahead->streams[stream_idx];
    uint64_t line = divide(begin_bytes, &ahead->line_divisor);
    uint32_t fetch_idx;

    if (line >= stream->end_line) { /* the window begins at the ring's first */
        outrun(ahead, stream);
        return AHEAD_MISS;
    }
    fetch_idx = ahead->lines[ahead_place(ahead, stream_idx, line)];
    if (fetch_idx == AHEAD_NONE) {
        ahead->counters.hit_bytes += bytes;
        return AHEAD_HIT;
    }
    if (!wait_for(ahead, fetch_idx, begin_bytes, command_idx, bytes)) {
        return AHEAD_MISS;
    }
    ahead->counters.waited_bytes += bytes;
    return AHEAD_WAITS;
}

void ahead_done(Ahead *ahead, uint32_t stream_idx, uint64_t row,
                uint64_t bytes)
{
    AheadStream *stream = &ahead->streams[stream_idx];

    if (stream->row == row) {
        stream->inside_bytes -= bytes;
    }
}

/* The line in which the window begins. */
static uint64_t window_line(const Ahead *ahead, const AheadStream *stream)
{
    return divide(stream->next_bytes - stream->inside_bytes,
                  &ahead->line_divisor);
}

void ahead_pass(Ahead *ahead, uint32_t stream_idx)
{
    AheadStream *stream = &ahead->streams[stream_idx];
    uint64_t next_line = divide(stream->next_bytes, &ahead->line_divisor);
    uint64_t free_line = MIN(stream->end_line, window_line(ahead, stream));

    while (stream->first_line < free_line &&
           ahead->lines[ahead_place(ahead, stream_idx, stream->first_line)] ==
           AHEAD_NONE) {
        stream->first_line++;
    }
    if (stream->end_line < next_line) {
        empty_ring(ahead, stream_idx, next_line);
    }
}

bool ahead_next(const Ahead *ahead, uint32_t stream_idx, uint64_t *begin_bytes)
{
    const AheadConfig *config = &ahead->config;
    const AheadStream *stream = &ahead->streams[stream_idx];

    *begin_bytes = stream->end_line * config->line_bytes;
    return stream->reads >= config->after &&
           stream->end_line < window_line(ahead, stream) +
                              config->depth_lines &&
           stream->end_line - stream->first_line < config->depth_lines &&
           ahead->fetching_count < config->streams * config->depth_lines;
}

uint32_t ahead_fetch(Ahead *ahead, uint32_t stream_idx)
{
    uint32_t fetch_idx = ahead->free_fetch_idx;
    uint32_t place = ahead_place(ahead, stream_idx,
                                 ahead->streams[stream_idx].end_line++);

    if (fetch_idx == AHEAD_NONE) {
        fetch_idx = ahead->fresh_fetch_idx++;
    } else {
        ahead->free_fetch_idx = ahead->fetches[fetch_idx].place;
    }
    ahead->fetching_count++;
    ahead->fetches[fetch_idx] = (AheadFetch) {
        .stream_idx = stream_idx,
        .place = place,
    };
    for (uint32_t page = 0; page < ahead->line_pages; page++) {
        ahead->waiters[fetch_idx * ahead->line_pages + page] =
            (AheadWaiter) { AHEAD_NONE, 0 };
    }
    ahead->lines[place] = fetch_idx;
    ahead->counters.fetched_lines++;
    return fetch_idx;
}

bool ahead_next_waiter(Ahead *ahead, uint32_t fetch_idx, AheadWaiter *waiter)
{
    AheadWaiter *of_page = &ahead->waiters[fetch_idx * ahead->line_pages];

    for (uint32_t page = 0; page < ahead->line_pages; page++) {
        *waiter = of_page[page];
        of_page[page].command_idx = AHEAD_NONE;
        if (waiter->command_idx != AHEAD_NONE) {
            return true;
        }
    }
    return false;
}

uint32_t ahead_fetched(Ahead *ahead, uint32_t fetch_idx)
{
    AheadFetch *fetch = &ahead->fetches[fetch_idx];
    uint32_t stream_idx = fetch->stream_idx;

    if (stream_idx != AHEAD_NONE) {
        ahead->lines[fetch->place] = AHEAD_NONE;
    }
    fetch->place = ahead->free_fetch_idx;
    ahead->free_fetch_idx = fetch_idx;
    ahead->fetching_count--;
    return stream_idx;
}

void ahead_forget(Ahead *ahead, uint32_t zone_idx)
{
    for (uint32_t i = 0; i < ahead->config.streams; i++) {
        if (ahead->streams[i].zone_idx == zone_idx) {
            empty_ring(ahead, i, 0);
            ahead->streams[i].zone_idx = AHEAD_NONE;
            ahead->streams[i].reads = 0;
        }
    }
}
