/*
 * The state of the write buffer: who waits for room, what each zone holds, who
 * waits at which unit.
 *
 * Knows nothing of zones' states, of jobs but their work on the flash, or of
 * the front end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "../base/state.h"
#include "buffer.h"

static const StateRow page_rows[] = {
    STATE_INDEX(BufferedPage, epoch, STATE_OF_EPOCHS),
    STATE_NUMBER(BufferedPage, drain_number),
    STATE_IN_LISTS(BufferedPage, next_idx),
    STATE_NUMBER(BufferedPage, line),
    STATE_LEFT(BufferedPage, page, "of its place in the list"),
    STATE_BOOL(BufferedPage, is_moved),
};

/* Of strands that wait; others have nothing. */
static const StateRow strand_rows[] = {
    STATE_IN_LISTS(Strand, first_page_idx),
    STATE_IN_LISTS(Strand, last_page_idx),
    STATE_LEFT(Strand, unit_idx, "of the unit in whose list it is"),
    STATE_IN_LISTS(Strand, next_strand_idx),
    STATE_IN_LISTS(Strand, prev_strand_idx),
    STATE_NUMBER(Strand, due_at),
    STATE_LEFT(Strand, is_waiting, "it is in a unit's list"),
    STATE_BOOL(Strand, has_fill),
};

static const StateRow stream_rows[] = {
    STATE_TIME(Stream, used_bytes),
    STATE_TIME(Stream, held_bytes),
    STATE_LEFT(Stream, formed_bytes, "of the pages in its strands"),
    STATE_TIME(Stream, next_page),
    STATE_LEFT(Stream, stripe_left, "of the pages in its strands"),
    STATE_LEFT(Stream, stripe_end_page, "of the pages in its strands"),
    STATE_INDEX_OR_NONE(Stream, fill_job_idx, STATE_OF_JOBS),
    STATE_NUMBER(Stream, fill_from_page),
    STATE_LEFT(Stream, fill_left, "of its strands"),
    STATE_NUMBER(Stream, fill_drain_number),
    STATE_BOOL(Stream, is_abandoned),
    STATE_LEFT(Stream, has_opened, "false between calls"),
};

static const StateRow unit_rows[] = {
    STATE_IN_LISTS(UnitQueue, first_strand_idx),
    STATE_IN_LISTS(UnitQueue, last_strand_idx),
    STATE_INDEX_OR_NONE(UnitQueue, old_from_idx, STATE_OF_STRANDS),
    STATE_NUMBER(UnitQueue, old_drain_number),
    STATE_NUMBER(UnitQueue, given),
    STATE_INDEX(UnitQueue, programmed_zone_idx, STATE_OF_BUFFERED),
    STATE_NUMBER(UnitQueue, unreleased_bytes),
    STATE_TIME(UnitQueue, programmed_at_ns),
};

static const StateRow buffer_rows[] = {
    STATE_LEFT(WriteBuffer, params, "another room"),
    STATE_LEFT(WriteBuffer, commands, "another room"),
    STATE_LEFT(WriteBuffer, media, "another room"),
    STATE_LEFT(WriteBuffer, link, "another room"),
    STATE_LEFT(WriteBuffer, events, "another room"),
    STATE_LEFT(WriteBuffer, size_bytes, "of the parameters"),
    STATE_LEFT(WriteBuffer, zone_bytes, "of the parameters"),
    STATE_LEFT(WriteBuffer, used_bytes, "the sum of the streams'"),
    STATE_LEFT(WriteBuffer, writers, "of the streams"),
    STATE_LEFT(WriteBuffer, release_ns, "of the parameters"),
    STATE_LEFT(WriteBuffer, lines, "of the parameters"),
    STATE_ELSE(WriteBuffer, turns, "turns_state()"),
    STATE_LEFT(WriteBuffer, waiting_count, "those who wait in `turns`"),
    STATE_BOOL(WriteBuffer, holds_up),
    STATE_LEFT(WriteBuffer, has_told, "no effect waits between calls"),
    STATE_BOOL(WriteBuffer, is_draining),
    STATE_NUMBER(WriteBuffer, drain_number),
    STATE_LEFT(WriteBuffer, stream_count, "of the parameters"),
    STATE_ELSE(WriteBuffer, streams, "stream_rows"),
    STATE_LEFT(WriteBuffer, given, "empty between calls"),
    STATE_LEFT(WriteBuffer, zone_strands, "of the parameters"),
    STATE_LEFT(WriteBuffer, strands_divisor, "of the parameters"),
    STATE_LEFT(WriteBuffer, log_strands, "of the parameters"),
    STATE_ELSE(WriteBuffer, strands, "strand_rows, of those that wait"),
    STATE_ELSE(WriteBuffer, units, "unit_rows"),
    STATE_ELSE(WriteBuffer, pages, "page_rows, of those in use"),
    STATE_LEFT(WriteBuffer, page_count, "of the parameters"),
    STATE_IN_LISTS(WriteBuffer, free_page_idx),
};

/* Reading: members that are not stored, as they follow from others */

/* The last page below `end` in a strand of so many, or one before page 0. */
static int64_t last_page(int64_t strands, uint32_t strand, uint64_t end)
{
    int64_t behind = ((int64_t)end - strand + strands - 1) % strands;

    return (int64_t)end - 1 - behind;
}

/* Pages of a strand are its last ones below the stream's next page. */
static uint64_t number_pages(WriteBuffer *buffer, State *state,
                             uint32_t zone_idx, uint32_t strand)
{
    const Stream *stream = &buffer->streams[zone_idx];
    bool is_log = wbuf_is_log(buffer, zone_idx);
    uint32_t strands = wbuf_strands_of(buffer, zone_idx);
    uint32_t first_idx =
        buffer->strands[zone_idx * buffer->zone_strands + strand]
        .first_page_idx;
    uint64_t count = 0;
    int64_t page;

    for (uint32_t i = first_idx; i != SSD_NONE;
         i = buffer->pages[i].next_idx) {
        count++;
    }
    page = last_page(strands, strand, stream->next_page) -
           (int64_t)(count - 1) * strands;
    if (page < 0) {
        state_fail(state, "zone %u has %" PRIu64 " complete pages of one "
                   "strand, and %" PRIu64 " were complete", zone_idx, count,
                   stream->next_page);
    }
    for (uint32_t i = first_idx; i != SSD_NONE;
         i = buffer->pages[i].next_idx) {
        if (!is_log && (buffer->pages[i].line || buffer->pages[i].is_moved)) {
            state_fail(state, "page %" PRId64 " of zone %u is one of the log",
                       page, zone_idx);
        }
        buffer->pages[i].page = page;
        page += strands;
    }
    return count;
}

/* The open stripe is that of the first page which no unit has got. */
static void find_stripe(WriteBuffer *buffer, uint32_t zone_idx)
{
    Stream *stream = &buffer->streams[zone_idx];
    uint32_t count = wbuf_strands_of(buffer, zone_idx);
    const Strand *strands =
        &buffer->strands[zone_idx * buffer->zone_strands];
    uint64_t first_page = stream->next_page;
    uint64_t begin_page;

    for (uint32_t i = 0; i < count; i++) {
        if (strands[i].first_page_idx != SSD_NONE) {
            first_page = MIN(first_page,
                             buffer->pages[strands[i].first_page_idx].page);
        }
    }
    wbuf_open_stripe(buffer, zone_idx, first_page);
    begin_page = stream->stripe_end_page - count;
    stream->stripe_left =
        stream->stripe_end_page -
        CLAMP(stream->next_page, begin_page, stream->stripe_end_page);
    for (uint32_t i = 0; i < count; i++) {
        stream->stripe_left +=
            strands[i].first_page_idx != SSD_NONE &&
            buffer->pages[strands[i].first_page_idx].page <
            stream->stripe_end_page;
    }
}

static void check_log_stream(WriteBuffer *buffer, State *state)
{
    const Stream *stream = &buffer->streams[buffer->params->zones];

    if (stream->fill_job_idx != SSD_NONE || stream->is_abandoned) {
        state_fail(state, "the log is a zone: job %u, abandoned %d",
                   stream->fill_job_idx, stream->is_abandoned);
    }
}

/*
 * The room that cleaning may take beyond what there is. A row is moved when all
 * of the one before it is programmed, but by then a page of each unit may not
 * have given its room back.
 */
static uint64_t beyond_most_bytes(const WriteBuffer *buffer)
{
    uint64_t row_bytes = (uint64_t)buffer->media->page_bytes *
                         buffer->media->unit_count;

    return wbuf_moved_most_bytes(buffer) +
           (wbuf_has_log(buffer) && buffer->release_ns != 0 ? row_bytes : 0);
}

static void count_pages(WriteBuffer *buffer, State *state, uint32_t zone_idx)
{
    Stream *stream = &buffer->streams[zone_idx];
    uint64_t zone_pages = buffer->media->zone_pages;
    bool is_log = wbuf_is_log(buffer, zone_idx);
    uint64_t most_bytes = buffer->zone_bytes +
                          (is_log ? beyond_most_bytes(buffer) : 0);
    uint64_t pages = 0;

    for (uint32_t i = 0; i < wbuf_strands_of(buffer, zone_idx); i++) {
        pages += number_pages(buffer, state, zone_idx, i);
    }
    stream->formed_bytes = pages * buffer->media->page_bytes;
    find_stripe(buffer, zone_idx);
    buffer->used_bytes += stream->used_bytes;
    buffer->writers += wbuf_is_writer(buffer, stream);
    if (stream->formed_bytes > stream->held_bytes ||
        stream->held_bytes > stream->used_bytes ||
        stream->used_bytes > most_bytes) {
        state_fail(state, "zone %u has %" PRIu64 " bytes in complete pages, of "
                   "%" PRIu64 " that it holds, of %" PRIu64 " that it uses, "
                   "of at most %" PRIu64, zone_idx, stream->formed_bytes,
                   stream->held_bytes, stream->used_bytes, most_bytes);
    }
    if (!is_log && stream->next_page > zone_pages) {
        state_fail(state, "zone %u is to program page %" PRIu64 " of %" PRIu64,
                   zone_idx, stream->next_page, zone_pages);
    }
}

static void count_all_pages(WriteBuffer *buffer, State *state)
{
    for (uint32_t i = 0; i < buffer->stream_count; i++) {
        count_pages(buffer, state, i);
    }
    if (wbuf_has_log(buffer)) {
        check_log_stream(buffer, state);
    }
    if (buffer->used_bytes > buffer->size_bytes + beyond_most_bytes(buffer)) {
        state_fail(state, "zones use %" PRIu64 " bytes of %" PRIu64,
                   buffer->used_bytes, buffer->size_bytes);
    }
}

static void take_fill(WriteBuffer *buffer, State *state, uint32_t strand_idx)
{
    uint32_t zone_idx = wbuf_zone_of_strand(buffer, strand_idx);
    Stream *stream = &buffer->streams[zone_idx];

    if (stream->fill_job_idx == SSD_NONE) {
        state_fail(state, "zone %u waits with a page of no finish", zone_idx);
    }
    stream->fill_left++;
}

static void take_waiting(WriteBuffer *buffer, State *state, uint32_t unit_idx)
{
    const UnitQueue *queue = &buffer->units[unit_idx];

    for (uint32_t i = queue->first_strand_idx; i != SSD_NONE;
         i = buffer->strands[i].next_strand_idx) {
        Strand *strand = &buffer->strands[i];

        strand->is_waiting = true;
        strand->unit_idx = unit_idx;
        if (strand->has_fill) {
            take_fill(buffer, state, i);
        } else if (strand->first_page_idx == SSD_NONE) {
            state_fail(state, "zone %u waits at unit %u with no page",
                       wbuf_zone_of_strand(buffer, i), unit_idx);
        }
    }
}

static void check_units(WriteBuffer *buffer, State *state)
{
    uint32_t page_bytes = buffer->params->page_bytes;

    for (uint32_t i = 0; i < buffer->media->unit_count; i++) {
        take_waiting(buffer, state, i);
    }
    for (uint32_t i = 0; i < buffer->media->unit_count; i++) {
        const UnitQueue *queue = &buffer->units[i];
        const Strand *old = queue->old_from_idx == SSD_NONE
                            ? NULL : &buffer->strands[queue->old_from_idx];

        if (old != NULL && (!old->is_waiting || old->unit_idx != i)) {
            state_fail(state, "strand %u does not wait at unit %u",
                       queue->old_from_idx, i);
        }
        if (queue->unreleased_bytes % page_bytes != 0 ||
            queue->unreleased_bytes > buffer->media->page_bytes) {
            state_fail(state, "unit %u has %u bytes of a page of %u", i,
                       queue->unreleased_bytes, buffer->media->page_bytes);
        }
    }
}

/* Writing and reading */

static void visit_pages(WriteBuffer *buffer, State *state)
{
    StateLinks links = STATE_LINKS(BufferedPage, next_idx, "pages",
                                   buffer->pages, buffer->page_count);
    g_autofree uint32_t *used = NULL;
    g_autofree uint32_t *left = NULL;
    uint32_t used_count, left_count;

    state_links_begin(&links);
    state_list(state, &links, &buffer->free_page_idx, NULL);
    used = state_unlinked(&links, &used_count);
    STATE_TABLE(state, page_rows, buffer->pages, used_count, used);
    state_lists(state, &links, &(StateHeads) {
        buffer->strands, sizeof(Strand), offsetof(Strand, first_page_idx),
        offsetof(Strand, last_page_idx), wbuf_strand_count(buffer),
    });
    left = state_unlinked(&links, &left_count);
    if (state_is_reading(state) && left_count != 0) {
        state_fail(state, "%u pages are of no zone", left_count);
    }
    state_links_end(&links);
}

static void visit_units(WriteBuffer *buffer, State *state)
{
    StateLinks links = STATE_LINKS(Strand, next_strand_idx,
                                   "strands that wait", buffer->strands,
                                   wbuf_strand_count(buffer));
    g_autofree uint32_t *waiting = NULL;
    uint32_t count = 0;

    links.prev_offset = offsetof(Strand, prev_strand_idx);
    state_links_begin(&links);
    state_lists(state, &links, &(StateHeads) {
        buffer->units, sizeof(UnitQueue),
        offsetof(UnitQueue, first_strand_idx),
        offsetof(UnitQueue, last_strand_idx), buffer->media->unit_count,
    });
    waiting = g_new(uint32_t, links.count);
    for (uint32_t i = 0; i < links.count; i++) {
        if (links.linked[i]) {
            waiting[count++] = i;
        }
    }
    STATE_TABLE(state, strand_rows, buffer->strands, count, waiting);
    state_links_end(&links);
}

static void visit_turns(WriteBuffer *buffer, State *state, bool *waits)
{
    uint32_t slots = buffer->params->cmd_slots;

    turns_state(&buffer->turns, state, slots, buffer->lines.groups,
                buffer->lines.count, waits);
    for (uint32_t i = 0; state_is_reading(state) && i < slots; i++) {
        buffer->waiting_count += waits[i];
    }
}

void wbuf_state(WriteBuffer *buffer, State *state, bool *waits)
{
    state_room(state, "buffer");
    STATE_STRUCT(state, buffer_rows, buffer);
    if (wbuf_is_on(buffer)) {
        visit_turns(buffer, state, waits);
        STATE_TABLE(state, stream_rows, buffer->streams, buffer->stream_count,
                    NULL);
        STATE_TABLE(state, unit_rows, buffer->units,
                    buffer->media->unit_count, NULL);
        visit_pages(buffer, state);
        visit_units(buffer, state);
        if (state_was_read(state)) {
            count_all_pages(buffer, state);
            check_units(buffer, state);
        }
    }
    state_room_end(state);
}
