/*
 * The write buffer: who may put data into it, and how it drains.
 *
 * Writes are let in one after another, in portions, as there is room; with
 * take-turns a portion of each namespace, and in it of each zone, at a time. Each
 * zone is a stream of pages that are given to their units in order. A unit takes as
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
    ssd_turns_init(ssd, &buffer->turns);
    buffer->streams = g_new0(Stream, zones);
    for (uint32_t i = 0; i < zones; i++) {
        buffer->streams[i].first_page_idx = SSD_NONE;
        buffer->streams[i].fill_job_idx = SSD_NONE;
    }
    buffer->units = g_new0(UnitQueue, ssd->unit_count);
    for (uint32_t i = 0; i < ssd->unit_count; i++) {
        buffer->units[i].first_zone_idx = SSD_NONE;
        buffer->units[i].last_zone_idx = SSD_NONE;
        buffer->units[i].old_from_idx = SSD_NONE;
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
    turns_destroy(&ssd->buffer.turns);
    g_free(ssd->buffer.pages);
    g_free(ssd->buffer.units);
    g_free(ssd->buffer.streams);
}

bool ssd_buffer_is_crowded(const Ssd *ssd)
{
    return ssd_has_buffer(ssd) && !ssd->params.take_turns &&
           ssd->buffer.waiting_count >= ssd->params.buffer_waiters;
}

bool ssd_buffer_goes_on(const Ssd *ssd)
{
    return ssd->buffer.waiting_count <= ssd->params.buffer_resume_waiters;
}

/* Room */

static bool zone_has_room(const Buffer *buffer, uint32_t zone_idx,
                          uint32_t bytes)
{
    return bytes <= buffer->zone_bytes - buffer->streams[zone_idx].used_bytes;
}

static void reserve(Buffer *buffer, uint32_t zone_idx, uint32_t bytes)
{
    buffer->used_bytes += bytes;
    buffer->streams[zone_idx].used_bytes += bytes;
}

/* The zone has room again: its line need not stand aside. */
static void release(Ssd *ssd, uint32_t zone_idx, uint64_t bytes)
{
    ssd->buffer.used_bytes -= bytes;
    ssd->buffer.streams[zone_idx].used_bytes -= bytes;
    turns_call_back(&ssd->buffer.turns, ssd_turns_line(ssd, zone_idx));
}

/* A portion of the write whose turn it is, for which there is room. */
static void send_portion(Ssd *ssd, uint64_t now_ns, uint32_t group_idx,
                         uint32_t bytes)
{
    Buffer *buffer = &ssd->buffer;
    uint32_t command_idx = turns_waiter(&buffer->turns, group_idx);
    Span *left = &ssd->commands[command_idx].write.data;
    bool is_last = bytes == left->end_bytes - left->begin_bytes;

    reserve(buffer, left->zone_idx, bytes);
    left->begin_bytes += bytes;
    ssd_link_in(ssd, now_ns, command_idx, bytes, is_last);
    if (is_last) {
        turns_leave(&buffer->turns, group_idx);
        buffer->waiting_count--;
        ssd_front_try(ssd, now_ns);
    } else {
        turns_pass(&buffer->turns, group_idx);
    }
}

/*
 * Let go the write whose turn it is. If its zone has no room, others have their
 * turns, those that do not stand in one line with it; if the whole buffer has
 * none, all wait: or else small portions would take what a large one needs.
 * Return: false if they do.
 */
static bool take_turn(Ssd *ssd, uint64_t now_ns, uint32_t group_idx)
{
    Buffer *buffer = &ssd->buffer;
    uint32_t command_idx = turns_waiter(&buffer->turns, group_idx);
    const Span *left = &ssd->commands[command_idx].write.data;
    uint32_t bytes = ssd_portion_bytes(left->end_bytes - left->begin_bytes);

    if (!zone_has_room(buffer, left->zone_idx, bytes)) {
        turns_set_aside(&buffer->turns, group_idx);
        return true;
    }
    if (bytes > buffer->size_bytes - buffer->used_bytes) {
        return false;
    }
    send_portion(ssd, now_ns, group_idx, bytes);
    return true;
}

static void let_in(Ssd *ssd, uint64_t now_ns)
{
    Buffer *buffer = &ssd->buffer;
    uint32_t group_idx;

    /* A write that is handed off in here is let in by the loop outside. */
    if (buffer->letting_in) {
        return;
    }
    buffer->letting_in = true;
    do {
        group_idx = turns_group(&buffer->turns);
    } while (group_idx != TURNS_NONE && take_turn(ssd, now_ns, group_idx));
    buffer->letting_in = false;
}

void ssd_buffer_write(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    uint32_t zone_idx = ssd->commands[command_idx].write.data.zone_idx;

    turns_wait(&ssd->buffer.turns, ssd_turns_line(ssd, zone_idx), command_idx);
    ssd->buffer.waiting_count++;
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
    Stream *stream = &buffer->streams[zone_idx];

    stream->is_waiting = true;
    stream->unit_idx = unit_idx;
    stream->prev_zone_idx = queue->last_zone_idx;
    stream->next_zone_idx = SSD_NONE;
    if (queue->last_zone_idx == SSD_NONE) {
        queue->first_zone_idx = zone_idx;
    } else {
        buffer->streams[queue->last_zone_idx].next_zone_idx = zone_idx;
    }
    queue->last_zone_idx = zone_idx;
    if (queue->old_from_idx == SSD_NONE) {
        queue->old_from_idx = zone_idx;
    }
}

static void leave_unit(Buffer *buffer, uint32_t zone_idx)
{
    Stream *stream = &buffer->streams[zone_idx];
    UnitQueue *queue = &buffer->units[stream->unit_idx];

    if (stream->prev_zone_idx == SSD_NONE) {
        queue->first_zone_idx = stream->next_zone_idx;
    } else {
        buffer->streams[stream->prev_zone_idx].next_zone_idx =
            stream->next_zone_idx;
    }
    if (stream->next_zone_idx == SSD_NONE) {
        queue->last_zone_idx = stream->prev_zone_idx;
    } else {
        buffer->streams[stream->next_zone_idx].prev_zone_idx =
            stream->prev_zone_idx;
    }
    if (queue->old_from_idx == zone_idx) {
        queue->old_from_idx = stream->next_zone_idx;
    }
    stream->is_waiting = false;
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
        release(ssd, zone_idx, stream->held_bytes);
        stream->held_bytes = 0;
    }
    stream->fill_drain_number = ssd->buffer.drain_number;
    if (!ssd_issue_next_fill(ssd, now_ns, job_idx)) {
        stream->fill_job_idx = SSD_NONE;
    }
}

/*
 * Is the page that a zone has for a unit younger than what is drained? That of
 * a finish is there when the one before it has been given to its unit.
 */
static bool is_young(const Buffer *buffer, const Stream *stream)
{
    uint32_t drain_number =
        stream->first_page_idx == SSD_NONE
        ? stream->fill_drain_number
        : buffer->pages[stream->first_page_idx].drain_number;

    return buffer->is_draining && drain_number == buffer->drain_number;
}

static bool takes_page(const Ssd *ssd, uint32_t unit_idx, const Stream *stream)
{
    return flash_takes_program(&ssd->flash, unit_idx) &&
           (!is_young(&ssd->buffer, stream) ||
            flash_has_no_program(&ssd->flash, unit_idx));
}

/*
 * Return: the first zone of a unit's queue that goes before young ones. Who is
 * young stays so until the drain is over, so each is passed once.
 */
static uint32_t first_old(Buffer *buffer, UnitQueue *queue)
{
    if (!buffer->is_draining) {
        return queue->first_zone_idx;
    }
    if (queue->old_drain_number != buffer->drain_number) {
        queue->old_drain_number = buffer->drain_number;
        queue->old_from_idx = queue->first_zone_idx;
    }
    while (queue->old_from_idx != SSD_NONE &&
           is_young(buffer, &buffer->streams[queue->old_from_idx])) {
        queue->old_from_idx =
            buffer->streams[queue->old_from_idx].next_zone_idx;
    }
    return queue->old_from_idx;
}

/* Return: who of those that wait at a unit goes before a zone that comes. */
static uint32_t first_before(Buffer *buffer, UnitQueue *queue,
                             uint32_t zone_idx)
{
    return is_young(buffer, &buffer->streams[zone_idx])
           ? queue->first_zone_idx : first_old(buffer, queue);
}

static bool has_page(const Stream *stream)
{
    return stream->first_page_idx != SSD_NONE ||
           stream->fill_job_idx != SSD_NONE;
}

static uint32_t next_unit_idx(const Ssd *ssd, uint32_t zone_idx)
{
    const Stream *stream = &ssd->buffer.streams[zone_idx];

    return ssd_page_unit(ssd, zone_idx, stream->first_page_idx != SSD_NONE
                         ? stream->next_page
                         : ssd->jobs[stream->fill_job_idx].next_page);
}

static void give_page(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    if (ssd->buffer.streams[zone_idx].first_page_idx != SSD_NONE) {
        give_host_page(ssd, now_ns, zone_idx);
    } else {
        give_fill_page(ssd, now_ns, zone_idx);
    }
}

/* Until the zone has none left, or must wait at a unit, or behind others. */
static void give_pages(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    Buffer *buffer = &ssd->buffer;
    Stream *stream = &buffer->streams[zone_idx];

    while (!stream->is_waiting && has_page(stream)) {
        uint32_t unit_idx = next_unit_idx(ssd, zone_idx);

        if (takes_page(ssd, unit_idx, stream) &&
            first_before(buffer, &buffer->units[unit_idx],
                         zone_idx) == SSD_NONE) {
            give_page(ssd, now_ns, zone_idx);
        } else {
            wait_at_unit(ssd, unit_idx, zone_idx);
        }
    }
}

/* The zone whose page a unit takes next leaves its queue. */
static uint32_t next_to_serve(Ssd *ssd, uint32_t unit_idx)
{
    Buffer *buffer = &ssd->buffer;
    UnitQueue *queue = &buffer->units[unit_idx];
    uint32_t zone_idx = first_old(buffer, queue);

    if (zone_idx == SSD_NONE) {
        zone_idx = queue->first_zone_idx;
    }
    if (zone_idx == SSD_NONE ||
        !takes_page(ssd, unit_idx, &buffer->streams[zone_idx])) {
        return SSD_NONE;
    }
    leave_unit(buffer, zone_idx);
    return zone_idx;
}

/* Zones that wait at a unit give it their pages while it takes them. */
static void serve_unit(Ssd *ssd, uint64_t now_ns, uint32_t unit_idx)
{
    uint32_t zone_idx;

    while ((zone_idx = next_to_serve(ssd, unit_idx)) != SSD_NONE) {
        give_page(ssd, now_ns, zone_idx);
        give_pages(ssd, now_ns, zone_idx);
    }
}

void ssd_buffer_fill(Ssd *ssd, uint64_t now_ns, uint32_t job_idx)
{
    uint32_t zone_idx = ssd->jobs[job_idx].zone_idx;
    Stream *stream = &ssd->buffer.streams[zone_idx];

    stream->fill_job_idx = job_idx;
    stream->fill_drain_number = ssd->buffer.drain_number;
    give_pages(ssd, now_ns, zone_idx);
    let_in(ssd, now_ns);
}

void ssd_buffer_abandon(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    Stream *stream = &ssd->buffer.streams[zone_idx];

    stream->is_abandoned = true;
    release(ssd, zone_idx, stream->held_bytes - stream->formed_bytes);
    stream->held_bytes = stream->formed_bytes;
    let_in(ssd, now_ns);
}

void ssd_buffer_arrived(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx,
                        uint32_t bytes, bool is_alive)
{
    Stream *stream = &ssd->buffer.streams[zone_idx];

    /* What a failed zone held for more to come, others could wait for. */
    if (is_alive && !stream->is_abandoned) {
        stream->held_bytes += bytes;
        form_pages(ssd, zone_idx);
        give_pages(ssd, now_ns, zone_idx);
    } else {
        release(ssd, zone_idx, bytes);
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
        release(ssd, zone_idx, ssd->page_bytes);
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

    release(ssd, queue->programmed_zone_idx, ssd->params.page_bytes);
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
    let_in(ssd, now_ns);
}

/* What it waited with at a unit is gone: a finish goes on, maybe elsewhere. */
static void wait_no_more(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    if (ssd->buffer.streams[zone_idx].is_waiting) {
        leave_unit(&ssd->buffer, zone_idx);
        give_pages(ssd, now_ns, zone_idx);
    }
}

void ssd_buffer_forget(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    Stream *stream = &ssd->buffer.streams[zone_idx];
    bool had_page = stream->first_page_idx != SSD_NONE;

    release(ssd, zone_idx, stream->held_bytes);
    while (stream->first_page_idx != SSD_NONE) {
        ssd_host_program_ended(ssd, take_page(ssd, stream), now_ns);
    }
    stream->held_bytes = 0;
    stream->next_page = 0;
    stream->is_abandoned = false;
    if (had_page) {
        wait_no_more(ssd, now_ns, zone_idx);
    }
    let_in(ssd, now_ns);
}
