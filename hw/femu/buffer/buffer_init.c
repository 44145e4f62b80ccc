/*
 * The write buffer is made: its streams, strands, queues of units and pages.
 *
 * Knows nothing of zones' states, of what the log maps, or of the front end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "buffer.h"

/* As the parameters say, but never longer than the shortest program. */
static uint64_t release_time_ns(const WriteBuffer *buffer)
{
    uint64_t least_ns = flash_least_program_ns(&buffer->media->flash.config);

    return least_ns ? MIN(buffer->params->buffer_release_ns, least_ns - 1) : 0;
}

static void init_streams(WriteBuffer *buffer)
{
    uint32_t count = buffer->params->zones +
                     ssd_params_buffers_log(buffer->params);

    buffer->stream_count = count;
    buffer->streams = g_new0(Stream, count);
    index_set_init(&buffer->given, count);
    buffer->zone_strands = buffer->params->page_turns
                           ? buffer->media->map.zone_units : 1;
    buffer->strands_divisor = divisor_of(buffer->zone_strands);
    if (wbuf_has_log(buffer)) {
        buffer->log_strands = buffer->params->page_turns
                              ? buffer->media->unit_count : 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        buffer->streams[i].fill_job_idx = SSD_NONE;
        wbuf_open_stripe(buffer, i, 0);
    }
    buffer->strands = g_new0(Strand, (size_t)buffer->params->zones *
                                     buffer->zone_strands +
                                     buffer->log_strands);
    for (uint32_t i = 0; i < wbuf_strand_count(buffer); i++) {
        buffer->strands[i].first_page_idx = SSD_NONE;
    }
}

static void init_units(WriteBuffer *buffer)
{
    buffer->units = g_new0(UnitQueue, buffer->media->unit_count);
    for (uint32_t i = 0; i < buffer->media->unit_count; i++) {
        buffer->units[i].first_strand_idx = SSD_NONE;
        buffer->units[i].last_strand_idx = SSD_NONE;
        buffer->units[i].old_from_idx = SSD_NONE;
    }
}

/* What it moves of a row fills a page of each unit at most, and a part. */
uint64_t wbuf_moved_most_bytes(const WriteBuffer *buffer)
{
    const Media *media = buffer->media;

    return (uint64_t)wbuf_has_log(buffer) * media->page_bytes *
           (media->unit_count + 1);
}

static void init_pages(WriteBuffer *buffer)
{
    buffer->page_count =
        (buffer->size_bytes + wbuf_moved_most_bytes(buffer)) /
        buffer->media->page_bytes + 1;
    buffer->pages = g_new(BufferedPage, buffer->page_count);
    for (uint32_t i = 0; i < buffer->page_count; i++) {
        buffer->pages[i].next_idx = i + 1 < buffer->page_count ? i + 1
                                                               : SSD_NONE;
    }
}

/*
 * Units take a page for each of their registers, and each page may need an
 * erase first. An event of each unit, whose last program gives its room back.
 */
void wbuf_bounds(const SsdParams *p, Bounds *bounds)
{
    uint64_t units = ssd_params_unit_count(p);

    bounds_add(bounds, "the write buffer",
               p->write_buffer_bytes ? 2 * p->program_registers * units : 0,
               units);
}

void wbuf_init(WriteBuffer *buffer, const SsdParams *params, Commands *commands,
               Media *media, Link *link, EventHeap *events)
{
    *buffer = (WriteBuffer) {
        .params = params,
        .commands = commands,
        .media = media,
        .link = link,
        .events = events,
        .size_bytes = params->write_buffer_bytes,
        .zone_bytes = params->zone_buffer_bytes,
    };
    if (!wbuf_is_on(buffer)) {
        return;
    }
    buffer->release_ns = release_time_ns(buffer);
    buffer->lines = lines_for_room(params);
    lines_init_turns(&buffer->lines, params, &buffer->turns);
    init_streams(buffer);
    init_units(buffer);
    init_pages(buffer);
}

void wbuf_destroy(WriteBuffer *buffer)
{
    turns_destroy(&buffer->turns);
    g_free(buffer->pages);
    g_free(buffer->units);
    g_free(buffer->strands);
    g_free(buffer->streams);
    index_set_destroy(&buffer->given);
}
