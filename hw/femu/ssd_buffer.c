/*
 * The write buffer: who may put data into it, and how it drains.
 *
 * Writes are let in one after another, in portions, as there is room; each zone
 * is a stream of pages that are given to their units in order. A unit takes as
 * many as it has registers; then the zone waits at that unit, with one page,
 * whatever it has behind that. So zones that write, and one that is being
 * finished, get equal shares without a rule that says so.
 *
 * Knows nothing of QEMU, queues or host memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_internal.h"

/* What the parameters say, but it is over before any next program ends. */
static uint64_t release_time_ns(const Ssd *ssd)
{
    uint64_t least_ns = flash_least_program_ns(&ssd->flash.config);

    return least_ns ? MIN(ssd->params.buffer_release_ns, least_ns - 1) : 0;
}

void ssd_buffer_init(Ssd *ssd)
{
    Buffer *buffer = &ssd->buffer;
    uint32_t zones = ssd->params.zones;

    buffer->size_bytes = ssd->params.write_buffer_bytes;
    if (buffer->size_bytes == 0) {
        return;
    }
    buffer->zone_bytes = ssd->params.zone_buffer_bytes;
    buffer->release_ns = release_time_ns(ssd);
    buffer->first_idx = SSD_NONE;
    buffer->streams = g_new0(Stream, zones);
    for (uint32_t i = 0; i < zones; i++) {
        buffer->streams[i].first_page_idx = SSD_NONE;
        buffer->streams[i].fill_job_idx = SSD_NONE;
    }
    buffer->units = g_new0(UnitQueue, ssd->unit_count);
    for (uint32_t i = 0; i < ssd->unit_count; i++) {
        buffer->units[i].first_zone_idx = SSD_NONE;
    }
    buffer->page_count = buffer->size_bytes / ssd->page_bytes + 1;
    buffer->pages = g_new(BufferedPage, buffer->page_count);
    for (uint32_t i = 0; i < buffer->page_count; i++) {
        buffer->pages[i].next_idx = i + 1 < buffer->page_count ? i + 1
                                                               : SSD_NONE;
    }
}

void ssd_buffer_destroy(Ssd *ssd)
{
    g_free(ssd->buffer.pages);
    g_free(ssd->buffer.units);
    g_free(ssd->buffer.streams);
}

bool ssd_buffer_is_crowded(const Ssd *ssd)
{
    return ssd_has_buffer(ssd) &&
           ssd->buffer.waiting_count >= ssd->params.buffer_waiters;
}

bool ssd_buffer_goes_on(const Ssd *ssd)
{
    return ssd->buffer.waiting_count <= ssd->params.buffer_resume_waiters;
}

/* Room */

static bool reserve(Buffer *buffer, Stream *stream, uint32_t bytes)
{
    if (bytes > buffer->size_bytes - buffer->used_bytes ||
        bytes > buffer->zone_bytes - stream->used_bytes) {
        return false;
    }
    buffer->used_bytes += bytes;
    stream->used_bytes += bytes;
    return true;
}

static void release(Buffer *buffer, Stream *stream, uint64_t bytes)
{
    buffer->used_bytes -= bytes;
    stream->used_bytes -= bytes;
}

/* Send the first waiting write's data. Return: false while some must wait. */
static bool send_first(Ssd *ssd, uint64_t now_ns)
{
    Buffer *buffer = &ssd->buffer;
    uint32_t command_idx = buffer->first_idx;
    Command *command = &ssd->commands[command_idx];
    Span *left = &command->write.data;

    while (left->begin_bytes < left->end_bytes) {
        uint64_t left_bytes = left->end_bytes - left->begin_bytes;
        uint32_t bytes = ssd_portion_bytes(left_bytes);

        if (!reserve(buffer, &buffer->streams[left->zone_idx], bytes)) {
            return false;
        }
        left->begin_bytes += bytes;
        ssd_link_in(ssd, now_ns, command_idx, bytes, bytes == left_bytes);
    }
    buffer->first_idx = command->next_idx;
    buffer->waiting_count--;
    return true;
}

/* Strictly one after another: behind a write that must wait, all wait. */
static void let_in(Ssd *ssd, uint64_t now_ns)
{
    Buffer *buffer = &ssd->buffer;

    /* A write that is handed off in here is let in by the loop outside. */
    if (buffer->letting_in) {
        return;
    }
    buffer->letting_in = true;
    while (buffer->first_idx != SSD_NONE && send_first(ssd, now_ns)) {
        ssd_front_try(ssd, now_ns);
    }
    buffer->letting_in = false;
}

void ssd_buffer_write(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    Buffer *buffer = &ssd->buffer;

    ssd->commands[command_idx].next_idx = SSD_NONE;
    if (buffer->first_idx == SSD_NONE) {
        buffer->first_idx = command_idx;
    } else {
        ssd->commands[buffer->last_idx].next_idx = command_idx;
    }
    buffer->last_idx = command_idx;
    buffer->waiting_count++;
    let_in(ssd, now_ns);
}

/* The stream of a zone */

static void form_page(Ssd *ssd, Stream *stream)
{
    Buffer *buffer = &ssd->buffer;
    uint32_t page_idx = buffer->free_page_idx;

    g_assert(page_idx != SSD_NONE);
    buffer->free_page_idx = buffer->pages[page_idx].next_idx;
    buffer->pages[page_idx] = (BufferedPage) {
        .epoch = ssd->flush.current,
        .drain_number = buffer->drain_number,
        .next_idx = SSD_NONE,
    };
    ssd->flush.pending[ssd->flush.current]++;
    if (stream->first_page_idx == SSD_NONE) {
        stream->first_page_idx = page_idx;
    } else {
        buffer->pages[stream->last_page_idx].next_idx = page_idx;
    }
    stream->last_page_idx = page_idx;
    stream->formed_bytes += ssd->page_bytes;
}

/* The first page that waits leaves the stream. Return: its epoch. */
static uint32_t take_page(Ssd *ssd, Stream *stream)
{
    Buffer *buffer = &ssd->buffer;
    uint32_t page_idx = stream->first_page_idx;
    BufferedPage *page = &buffer->pages[page_idx];

    stream->first_page_idx = page->next_idx;
    stream->formed_bytes -= ssd->page_bytes;
    stream->held_bytes -= ssd->page_bytes;
    page->next_idx = buffer->free_page_idx;
    buffer->free_page_idx = page_idx;
    return page->epoch;
}

static void form_pages(Ssd *ssd, uint32_t zone_idx)
{
    Stream *stream = &ssd->buffer.streams[zone_idx];

    while (stream->held_bytes - stream->formed_bytes >= ssd->page_bytes) {
        form_page(ssd, stream);
    }
}

static void wait_at_unit(Ssd *ssd, uint32_t unit_idx, uint32_t zone_idx)
{
    Buffer *buffer = &ssd->buffer;
    UnitQueue *queue = &buffer->units[unit_idx];

    buffer->streams[zone_idx].is_waiting = true;
    buffer->streams[zone_idx].next_zone_idx = SSD_NONE;
    if (queue->first_zone_idx == SSD_NONE) {
        queue->first_zone_idx = zone_idx;
    } else {
        buffer->streams[queue->last_zone_idx].next_zone_idx = zone_idx;
    }
    queue->last_zone_idx = zone_idx;
}

static void give_host_page(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    Stream *stream = &ssd->buffer.streams[zone_idx];

    ssd_issue_buffered(ssd, now_ns, zone_idx, stream->next_page++,
                       take_page(ssd, stream));
}

/* The first page of a finish takes the rest of the host's data with it. */
static void give_fill_page(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    Stream *stream = &ssd->buffer.streams[zone_idx];
    uint32_t job_idx = stream->fill_job_idx;

    if (ssd->jobs[job_idx].life == ssd->life[zone_idx]) {
        release(&ssd->buffer, stream, stream->held_bytes);
        stream->held_bytes = 0;
    }
    if (!ssd_issue_next_fill(ssd, now_ns, job_idx)) {
        stream->fill_job_idx = SSD_NONE;
    }
}

/* Is the page that a zone has for a unit younger than what is drained? */
static bool is_young(const Buffer *buffer, const Stream *stream)
{
    return buffer->is_draining && stream->first_page_idx != SSD_NONE &&
           buffer->pages[stream->first_page_idx].drain_number ==
           buffer->drain_number;
}

static bool takes_page(const Ssd *ssd, uint32_t unit_idx, const Stream *stream)
{
    return flash_takes_program(&ssd->flash, unit_idx) &&
           (!is_young(&ssd->buffer, stream) ||
            flash_has_no_program(&ssd->flash, unit_idx));
}

static void give_pages(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    Stream *stream = &ssd->buffer.streams[zone_idx];

    while (!stream->is_waiting) {
        bool is_host = stream->first_page_idx != SSD_NONE;
        uint32_t unit_idx;

        if (!is_host && stream->fill_job_idx == SSD_NONE) {
            return;
        }
        unit_idx = ssd_page_unit(ssd, zone_idx, is_host ? stream->next_page
                                 : ssd->jobs[stream->fill_job_idx].next_page);
        if (!takes_page(ssd, unit_idx, stream)) {
            wait_at_unit(ssd, unit_idx, zone_idx);
        } else if (is_host) {
            give_host_page(ssd, now_ns, zone_idx);
        } else {
            give_fill_page(ssd, now_ns, zone_idx);
        }
    }
}

/* Take a zone, which waits behind `before_idx`, out of a unit's queue. */
static void leave_unit(Buffer *buffer, UnitQueue *queue, uint32_t zone_idx,
                       uint32_t before_idx)
{
    Stream *stream = &buffer->streams[zone_idx];

    if (before_idx == SSD_NONE) {
        queue->first_zone_idx = stream->next_zone_idx;
    } else {
        buffer->streams[before_idx].next_zone_idx = stream->next_zone_idx;
    }
    if (queue->last_zone_idx == zone_idx) {
        queue->last_zone_idx = before_idx;
    }
    stream->is_waiting = false;
}

/* Return: the first zone of a unit's queue that goes before young ones. */
static uint32_t first_old(const Buffer *buffer, const UnitQueue *queue,
                          uint32_t *before_idx)
{
    uint32_t zone_idx = queue->first_zone_idx;

    *before_idx = SSD_NONE;
    while (zone_idx != SSD_NONE &&
           is_young(buffer, &buffer->streams[zone_idx])) {
        *before_idx = zone_idx;
        zone_idx = buffer->streams[zone_idx].next_zone_idx;
    }
    return zone_idx;
}

/* The zone whose page a unit takes next leaves its queue. */
static uint32_t next_to_serve(Ssd *ssd, uint32_t unit_idx)
{
    Buffer *buffer = &ssd->buffer;
    UnitQueue *queue = &buffer->units[unit_idx];
    uint32_t before_idx;
    uint32_t zone_idx = first_old(buffer, queue, &before_idx);

    if (zone_idx == SSD_NONE) {
        zone_idx = queue->first_zone_idx;
        before_idx = SSD_NONE;
    }
    if (zone_idx == SSD_NONE ||
        !takes_page(ssd, unit_idx, &buffer->streams[zone_idx])) {
        return SSD_NONE;
    }
    leave_unit(buffer, queue, zone_idx, before_idx);
    return zone_idx;
}

/* Zones that wait at a unit give it their pages while it takes them. */
static void serve_unit(Ssd *ssd, uint64_t now_ns, uint32_t unit_idx)
{
    uint32_t zone_idx;

    while ((zone_idx = next_to_serve(ssd, unit_idx)) != SSD_NONE) {
        give_pages(ssd, now_ns, zone_idx);
    }
}

void ssd_buffer_fill(Ssd *ssd, uint64_t now_ns, uint32_t job_idx)
{
    uint32_t zone_idx = ssd->jobs[job_idx].zone_idx;

    ssd->buffer.streams[zone_idx].fill_job_idx = job_idx;
    give_pages(ssd, now_ns, zone_idx);
}

/* Else a zone that no host can write would hold its part of a page for ever. */
static void drop_rest_if_abandoned(Ssd *ssd, uint32_t zone_idx)
{
    Stream *stream = &ssd->buffer.streams[zone_idx];

    if (stream->is_abandoned) {
        release(&ssd->buffer, stream,
                stream->held_bytes - stream->formed_bytes);
        stream->held_bytes = stream->formed_bytes;
    }
}

void ssd_buffer_abandon(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    ssd->buffer.streams[zone_idx].is_abandoned = true;
    drop_rest_if_abandoned(ssd, zone_idx);
    let_in(ssd, now_ns);
}

void ssd_buffer_arrived(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx,
                        uint32_t bytes, bool is_alive)
{
    Stream *stream = &ssd->buffer.streams[zone_idx];

    if (is_alive) {
        stream->held_bytes += bytes;
        form_pages(ssd, zone_idx);
        drop_rest_if_abandoned(ssd, zone_idx);
        give_pages(ssd, now_ns, zone_idx);
    } else {
        release(&ssd->buffer, stream, bytes);
        let_in(ssd, now_ns);
    }
}

/*
 * What has been programmed leaves the buffer as the unit's next data take its
 * place in the registers: page by page, evenly. They have taken it when their
 * own program ends, so at most one program of a unit does so at a time.
 */
static void release_later(Ssd *ssd, uint32_t unit_idx)
{
    const UnitQueue *queue = &ssd->buffer.units[unit_idx];
    uint64_t bytes = ssd->page_bytes - queue->unreleased_bytes +
                     ssd->params.page_bytes;

    event_heap_push(&ssd->events, queue->programmed_at_ns +
                    ssd->buffer.release_ns * bytes / ssd->page_bytes,
                    ssd->first_payload + EVENT_DONE + ssd->params.cmd_slots +
                    unit_idx);
}

void ssd_buffer_program_ended(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx,
                              uint32_t unit_idx)
{
    UnitQueue *queue = &ssd->buffer.units[unit_idx];

    if (ssd->buffer.release_ns == 0) {
        release(&ssd->buffer, &ssd->buffer.streams[zone_idx], ssd->page_bytes);
        return;
    }
    g_assert(queue->unreleased_bytes == 0);
    queue->programmed_zone_idx = zone_idx;
    queue->programmed_at_ns = now_ns;
    queue->unreleased_bytes = ssd->page_bytes;
    release_later(ssd, unit_idx);
}

void ssd_buffer_release_event(Ssd *ssd, uint64_t now_ns, uint32_t unit_idx)
{
    Buffer *buffer = &ssd->buffer;
    UnitQueue *queue = &buffer->units[unit_idx];

    release(buffer, &buffer->streams[queue->programmed_zone_idx],
            ssd->params.page_bytes);
    queue->unreleased_bytes -= ssd->params.page_bytes;
    if (queue->unreleased_bytes > 0) {
        release_later(ssd, unit_idx);
    }
    let_in(ssd, now_ns);
}

void ssd_buffer_unit_free(Ssd *ssd, uint64_t now_ns, uint32_t unit_idx)
{
    serve_unit(ssd, now_ns, unit_idx);
    let_in(ssd, now_ns);
}

void ssd_buffer_drain_first(Ssd *ssd)
{
    ssd->buffer.is_draining = true;
    ssd->buffer.drain_number++;
}

void ssd_buffer_unlocked(Ssd *ssd, uint64_t now_ns)
{
    ssd->buffer.is_draining = false;
    for (uint32_t i = 0; i < ssd->unit_count; i++) {
        serve_unit(ssd, now_ns, i);
    }
}

void ssd_buffer_forget(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    Stream *stream = &ssd->buffer.streams[zone_idx];

    release(&ssd->buffer, stream, stream->held_bytes);
    while (stream->first_page_idx != SSD_NONE) {
        ssd_host_program_ended(ssd, take_page(ssd, stream), now_ns);
    }
    stream->held_bytes = 0;
    stream->next_page = 0;
    stream->is_abandoned = false;
    let_in(ssd, now_ns);
}
