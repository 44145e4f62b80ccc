/*
 * The write buffer: room, the writes that wait for it, and the streams of pages
 * that drain it.
 *
 * Knows nothing of zones' states, of jobs but their work on the flash, of what
 * the log maps, or of the front end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "buffer.h"

bool wbuf_is_crowded(WriteBuffer *buffer)
{
    buffer->holds_up = !buffer->params->take_turns &&
                       buffer->waiting_count >= buffer->params->buffer_waiters;
    return buffer->holds_up;
}

bool wbuf_goes_on(WriteBuffer *buffer)
{
    buffer->has_told = false;
    buffer->holds_up =
        buffer->waiting_count > buffer->params->buffer_resume_waiters;
    return !buffer->holds_up;
}

/* Room */

/*
 * Bytes of a portion that the host sends: all, but where a write to the log has
 * to fill up granules of which it has only a part.
 */
static uint32_t host_bytes_of(const WriteBuffer *buffer, const Command *command,
                              uint32_t bytes)
{
    uint64_t begin_bytes = command->write.data.begin_bytes;

    if (!wbuf_is_log(buffer, command->write.data.zone_idx)) {
        return bytes;
    }
    return MIN(begin_bytes + bytes, command->target.end_bytes) -
           MAX(begin_bytes, command->target.begin_bytes);
}

static void use(WriteBuffer *buffer, uint32_t zone_idx, int64_t bytes)
{
    Stream *stream = &buffer->streams[zone_idx];

    buffer->writers -= wbuf_is_writer(buffer, stream);
    buffer->used_bytes += bytes;
    stream->used_bytes += bytes;
    buffer->writers += wbuf_is_writer(buffer, stream);
}

static void reserve(WriteBuffer *buffer, uint32_t zone_idx, uint32_t bytes)
{
    use(buffer, zone_idx, bytes);
}

/* Free room of the zone; its line, if it stood aside for that, is back. */
static void release(WriteBuffer *buffer, uint32_t zone_idx, uint64_t bytes)
{
    use(buffer, zone_idx, -(int64_t)bytes);
    turns_call_back(&buffer->turns, lines_of_zone(&buffer->lines, zone_idx));
}

static void tell_room_freed(WriteBuffer *buffer)
{
    if (buffer->holds_up && !buffer->has_told) {
        buffer->has_told = true;
        effects_push(buffer->commands->effects, EFFECT_ROOM_FREED, 0);
    }
}

/* Send the next portion of the write; there is room. */
static void send(WriteBuffer *buffer, uint64_t now_ns, uint32_t command_idx,
                 uint32_t bytes, bool is_last)
{
    Command *command = &buffer->commands->at[command_idx];
    Span *left = &command->write.data;

    reserve(buffer, left->zone_idx, bytes);
    link_in_part(buffer->link, now_ns, command_idx, bytes,
                 host_bytes_of(buffer, command, bytes), is_last);
    left->begin_bytes += bytes;
}

/* The same of the write whose turn it is, which is over with that. */
static void send_portion(WriteBuffer *buffer, uint64_t now_ns,
                         uint32_t group_idx, uint32_t bytes)
{
    uint32_t command_idx = turns_waiter(&buffer->turns, group_idx);
    const Span *left = &buffer->commands->at[command_idx].write.data;
    bool is_last = bytes == left->end_bytes - left->begin_bytes;

    send(buffer, now_ns, command_idx, bytes, is_last);
    if (is_last) {
        turns_leave(&buffer->turns, group_idx);
        buffer->waiting_count--;
        tell_room_freed(buffer);
    } else {
        turns_pass(&buffer->turns, group_idx);
    }
}

/*
 * With buffer-turns alone the line whose turn it is waits for room in its
 * zone's share, and all others with it; else it stands aside for them.
 */
static bool keeps_turn(const SsdParams *p)
{
    return p->buffer_turns && !p->take_turns;
}

/*
 * Let the write whose turn it is send a portion, if its zone may use more. If
 * the buffer is too full for the portion, all wait; otherwise smaller portions
 * would always take the room that a large one waits for.
 * Return: false if all wait.
 */
static bool take_turn(WriteBuffer *buffer, uint64_t now_ns, uint32_t group_idx)
{
    uint32_t command_idx = turns_waiter(&buffer->turns, group_idx);
    const Span *left = &buffer->commands->at[command_idx].write.data;
    uint32_t bytes = wbuf_portion_bytes(buffer, left);

    if (!wbuf_zone_has_room(buffer, left)) {
        if (keeps_turn(buffer->params)) {
            return false;
        }
        turns_set_aside(&buffer->turns, group_idx);
        return true;
    }
    if (buffer->used_bytes + bytes > buffer->size_bytes) {
        return false;
    }
    send_portion(buffer, now_ns, group_idx, bytes);
    return true;
}

static void let_in(WriteBuffer *buffer, uint64_t now_ns)
{
    uint32_t group_idx;

    do {
        group_idx = turns_group(&buffer->turns);
    } while (group_idx != TURNS_NONE && take_turn(buffer, now_ns, group_idx));
}

/* Nobody waits, and all of the write can come in: it needs no turn. */
static bool comes_at_once(const WriteBuffer *buffer, const Span *data)
{
    uint64_t bytes = data->end_bytes - data->begin_bytes;

    return buffer->waiting_count == 0 &&
           bytes <= buffer->params->buffer_portion_bytes &&
           buffer->used_bytes + bytes <= buffer->size_bytes &&
           wbuf_zone_has_room(buffer, data);
}

void wbuf_write(WriteBuffer *buffer, uint64_t now_ns, uint32_t command_idx)
{
    const Span *data = &buffer->commands->at[command_idx].write.data;

    if (comes_at_once(buffer, data)) {
        send(buffer, now_ns, command_idx, data->end_bytes - data->begin_bytes,
             true);
        tell_room_freed(buffer);
        return;
    }
    turns_wait(&buffer->turns, lines_of_zone(&buffer->lines, data->zone_idx),
               command_idx);
    buffer->waiting_count++;
    let_in(buffer, now_ns);
}

/* The stream of a zone */

static const Stream *stream_of_strand(const WriteBuffer *buffer,
                                      uint32_t strand_idx)
{
    return &buffer->streams[wbuf_zone_of_strand(buffer, strand_idx)];
}

static void form_page(WriteBuffer *buffer, uint32_t zone_idx, uint32_t line,
                      bool is_moved)
{
    Stream *stream = &buffer->streams[zone_idx];
    uint64_t page = stream->next_page++;
    Strand *strand =
        &buffer->strands[wbuf_strand_of_page(buffer, zone_idx, page)];
    uint32_t page_idx = buffer->free_page_idx;

    g_assert(page_idx != SSD_NONE);
    buffer->free_page_idx = buffer->pages[page_idx].next_idx;
    buffer->pages[page_idx] = (BufferedPage) {
        .epoch = programs_count(&buffer->media->programs,
                                wbuf_unit_of_page(buffer, zone_idx, page)),
        .drain_number = buffer->drain_number,
        .next_idx = SSD_NONE,
        .line = line,
        .page = page,
        .is_moved = is_moved,
    };
    if (strand->first_page_idx == SSD_NONE) {
        strand->first_page_idx = page_idx;
    } else {
        buffer->pages[strand->last_page_idx].next_idx = page_idx;
    }
    strand->last_page_idx = page_idx;
    stream->formed_bytes += buffer->media->page_bytes;
}

/* Take the first complete page out of the strand. */
static BufferedPage take_page(WriteBuffer *buffer, uint32_t strand_idx)
{
    Stream *stream =
        &buffer->streams[wbuf_zone_of_strand(buffer, strand_idx)];
    Strand *strand = &buffer->strands[strand_idx];
    uint32_t page_idx = strand->first_page_idx;
    BufferedPage page = buffer->pages[page_idx];

    strand->first_page_idx = page.next_idx;
    stream->formed_bytes -= buffer->media->page_bytes;
    stream->held_bytes -= buffer->media->page_bytes;
    buffer->pages[page_idx].next_idx = buffer->free_page_idx;
    buffer->free_page_idx = page_idx;
    return page;
}

/* Return: how many pages are complete that were not. */
static uint32_t form_pages(WriteBuffer *buffer, uint32_t zone_idx)
{
    const Stream *stream = &buffer->streams[zone_idx];
    uint32_t count = 0;

    while (stream->held_bytes - stream->formed_bytes >=
           buffer->media->page_bytes) {
        form_page(buffer, zone_idx, 0, false);
        count++;
    }
    return count;
}

static void wait_at_unit(WriteBuffer *buffer, uint32_t unit_idx,
                         uint32_t strand_idx)
{
    UnitQueue *queue = &buffer->units[unit_idx];
    Strand *strand = &buffer->strands[strand_idx];

    strand->is_waiting = true;
    strand->unit_idx = unit_idx;
    strand->due_at = queue->given + buffer->writers;
    strand->prev_strand_idx = queue->last_strand_idx;
    strand->next_strand_idx = SSD_NONE;
    if (queue->last_strand_idx == SSD_NONE) {
        queue->first_strand_idx = strand_idx;
    } else {
        buffer->strands[queue->last_strand_idx].next_strand_idx = strand_idx;
    }
    queue->last_strand_idx = strand_idx;
    if (queue->old_from_idx == SSD_NONE) {
        queue->old_from_idx = strand_idx;
    }
}

static void leave_unit(WriteBuffer *buffer, uint32_t strand_idx)
{
    Strand *strand = &buffer->strands[strand_idx];
    UnitQueue *queue = &buffer->units[strand->unit_idx];

    if (strand->prev_strand_idx == SSD_NONE) {
        queue->first_strand_idx = strand->next_strand_idx;
    } else {
        buffer->strands[strand->prev_strand_idx].next_strand_idx =
            strand->next_strand_idx;
    }
    if (strand->next_strand_idx == SSD_NONE) {
        queue->last_strand_idx = strand->prev_strand_idx;
    } else {
        buffer->strands[strand->next_strand_idx].prev_strand_idx =
            strand->prev_strand_idx;
    }
    if (queue->old_from_idx == strand_idx) {
        queue->old_from_idx = strand->next_strand_idx;
    }
    strand->is_waiting = false;
}

static void give_host_page(WriteBuffer *buffer, uint64_t now_ns,
                           uint32_t strand_idx)
{
    uint32_t zone_idx = wbuf_zone_of_strand(buffer, strand_idx);
    Stream *stream = &buffer->streams[zone_idx];
    BufferedPage page = take_page(buffer, strand_idx);

    g_assert(page.page < stream->stripe_end_page);
    if (--stream->stripe_left == 0) {
        wbuf_open_stripe(buffer, zone_idx, stream->stripe_end_page);
        stream->has_opened = true;
    }
    buffer->units[wbuf_unit_of_page(buffer, zone_idx, page.page)].given++;
    if (wbuf_is_log(buffer, zone_idx)) {
        media_issue_log_page(buffer->media, now_ns, page.line, page.page,
                             page.epoch,
                             page.is_moved ? owner_of(OWNER_CLEANING, 0)
                                           : owner_of(OWNER_BUFFER, zone_idx));
    } else {
        media_issue_buffered(buffer->media, now_ns, zone_idx, page.page,
                             page.epoch);
    }
}

/* The first page that a finish fills also has the last data of the host. */
static void give_fill_page(WriteBuffer *buffer, uint64_t now_ns,
                           uint32_t strand_idx)
{
    uint32_t zone_idx = wbuf_zone_of_strand(buffer, strand_idx);
    Stream *stream = &buffer->streams[zone_idx];
    uint32_t job_idx = stream->fill_job_idx;

    if (buffer->media->works[job_idx].life == buffer->media->life[zone_idx]) {
        release(buffer, zone_idx, stream->held_bytes - stream->formed_bytes);
        stream->held_bytes = stream->formed_bytes;
    }
    buffer->strands[strand_idx].has_fill = false;
    stream->fill_left--;
    media_issue_fill(buffer->media, now_ns, job_idx,
                     wbuf_fill_page(buffer, strand_idx));
}

/*
 * Is the next page of a strand young: was it complete only after the drain had
 * begun? The pages of a finish's stripe count as complete from the moment at
 * which the last page before them was given to its unit.
 */
static bool is_young(const WriteBuffer *buffer, uint32_t strand_idx)
{
    const Strand *strand = &buffer->strands[strand_idx];
    uint32_t drain_number;

    if (!buffer->is_draining) {
        return false;
    }
    drain_number =
        strand->first_page_idx == SSD_NONE
        ? stream_of_strand(buffer, strand_idx)->fill_drain_number
        : buffer->pages[strand->first_page_idx].drain_number;
    return drain_number == buffer->drain_number;
}

/*
 * A finish yields to what the host writes: while zones write, its page goes to
 * a unit that programs nothing, or when it is due: the unit has got as many
 * pages of the host since it came as there were zones then that wrote.
 */
static bool is_due(const WriteBuffer *buffer, uint32_t unit_idx,
                   uint32_t strand_idx)
{
    const Strand *strand = &buffer->strands[strand_idx];

    return !buffer->params->page_turns ||
           strand->first_page_idx != SSD_NONE ||
           (strand->is_waiting
            ? (int32_t)(buffer->units[unit_idx].given - strand->due_at) >= 0
            : buffer->writers == 0);
}

static bool takes_page(const WriteBuffer *buffer, uint32_t unit_idx,
                       uint32_t strand_idx)
{
    return flash_takes_program(&buffer->media->flash, unit_idx) &&
           ((!is_young(buffer, strand_idx) &&
             is_due(buffer, unit_idx, strand_idx)) ||
            flash_has_no_program(&buffer->media->flash, unit_idx));
}

/*
 * Return: the first strand in a unit's queue that is not young. One that is
 * young stays so until the drain is over, so the search goes on where it ended.
 */
static uint32_t first_old(WriteBuffer *buffer, UnitQueue *queue)
{
    if (!buffer->is_draining) {
        return queue->first_strand_idx;
    }
    if (queue->old_drain_number != buffer->drain_number) {
        queue->old_drain_number = buffer->drain_number;
        queue->old_from_idx = queue->first_strand_idx;
    }
    while (queue->old_from_idx != SSD_NONE &&
           is_young(buffer, queue->old_from_idx)) {
        queue->old_from_idx =
            buffer->strands[queue->old_from_idx].next_strand_idx;
    }
    return queue->old_from_idx;
}

/*
 * Return: the first that is due in a unit's queue from a strand on, among those
 * that are old if that one is; or SSD_NONE.
 */
static uint32_t first_due(const WriteBuffer *buffer, uint32_t unit_idx,
                          uint32_t from_idx)
{
    uint32_t strand_idx = from_idx;

    while (strand_idx != SSD_NONE &&
           (!is_due(buffer, unit_idx, strand_idx) ||
            (is_young(buffer, strand_idx) && !is_young(buffer, from_idx)))) {
        strand_idx = buffer->strands[strand_idx].next_strand_idx;
    }
    return strand_idx;
}

/*
 * Must a strand that comes to a unit wait behind one that does? Those of a
 * finish that are not due do not count.
 */
static bool comes_behind(WriteBuffer *buffer, uint32_t unit_idx,
                         uint32_t strand_idx)
{
    UnitQueue *queue = &buffer->units[unit_idx];
    uint32_t from_idx = is_young(buffer, strand_idx)
                        ? queue->first_strand_idx
                        : first_old(buffer, queue);

    return first_due(buffer, unit_idx, from_idx) != SSD_NONE;
}

/* Has the strand a page that may go? One of the host, only of its stripe. */
static bool has_page(const WriteBuffer *buffer, uint32_t strand_idx)
{
    const Strand *strand = &buffer->strands[strand_idx];

    return strand->first_page_idx == SSD_NONE
           ? strand->has_fill
           : buffer->pages[strand->first_page_idx].page <
             stream_of_strand(buffer, strand_idx)->stripe_end_page;
}

static uint32_t next_unit_idx(const WriteBuffer *buffer, uint32_t strand_idx)
{
    const Strand *strand = &buffer->strands[strand_idx];
    uint64_t page = strand->first_page_idx != SSD_NONE
                    ? buffer->pages[strand->first_page_idx].page
                    : wbuf_fill_page(buffer, strand_idx);

    return wbuf_unit_of_page(buffer, wbuf_zone_of_strand(buffer, strand_idx),
                             page);
}

static void give_page(WriteBuffer *buffer, uint64_t now_ns,
                      uint32_t strand_idx)
{
    if (buffer->strands[strand_idx].first_page_idx != SSD_NONE) {
        give_host_page(buffer, now_ns, strand_idx);
    } else {
        give_fill_page(buffer, now_ns, strand_idx);
    }
}

static void serve_unit(WriteBuffer *buffer, uint64_t now_ns,
                       uint32_t unit_idx);

/*
 * Give the strand's pages to their units until it has none or must wait. What
 * the host has got ahead of a finish's page may make that one due.
 */
static void give_pages(WriteBuffer *buffer, uint64_t now_ns,
                       uint32_t strand_idx)
{
    Strand *strand = &buffer->strands[strand_idx];

    while (!strand->is_waiting && has_page(buffer, strand_idx)) {
        uint32_t unit_idx = next_unit_idx(buffer, strand_idx);

        if (takes_page(buffer, unit_idx, strand_idx) &&
            !comes_behind(buffer, unit_idx, strand_idx)) {
            give_page(buffer, now_ns, strand_idx);
            serve_unit(buffer, now_ns, unit_idx);
        } else {
            wait_at_unit(buffer, unit_idx, strand_idx);
        }
    }
}

/* All strands of the zone go on with the stripes that have opened. */
static void open_on(WriteBuffer *buffer, uint64_t now_ns, uint32_t zone_idx)
{
    Stream *stream = &buffer->streams[zone_idx];

    while (stream->has_opened) {
        stream->has_opened = false;
        for (uint32_t i = 0; i < wbuf_strands_of(buffer, zone_idx); i++) {
            give_pages(buffer, now_ns, zone_idx * buffer->zone_strands + i);
        }
    }
}

/* The next stripe of a finish: a page for each strand, or what is left. */
static void open_stripe(WriteBuffer *buffer, uint64_t now_ns,
                        uint32_t zone_idx)
{
    Stream *stream = &buffer->streams[zone_idx];
    uint64_t end;

    stream->fill_from_page =
        buffer->media->works[stream->fill_job_idx].next_page;
    stream->fill_drain_number = buffer->drain_number;
    end = wbuf_fill_end(buffer, zone_idx);
    stream->fill_left = end - stream->fill_from_page;
    for (uint64_t page = stream->fill_from_page; page < end; page++) {
        uint32_t strand_idx = wbuf_strand_of_page(buffer, zone_idx, page);

        buffer->strands[strand_idx].has_fill = true;
        give_pages(buffer, now_ns, strand_idx);
    }
}

/* A finish of the zone, if there is one, goes as far as units take pages. */
static void fill_on(WriteBuffer *buffer, uint64_t now_ns, uint32_t zone_idx)
{
    Stream *stream = &buffer->streams[zone_idx];

    while (stream->fill_job_idx != SSD_NONE && stream->fill_left == 0 &&
           !wbuf_fill_waits(buffer, zone_idx)) {
        const JobWork *work = &buffer->media->works[stream->fill_job_idx];

        if (work->next_page < work->chunk_end_page) {
            open_stripe(buffer, now_ns, zone_idx);
        } else {
            stream->fill_job_idx = SSD_NONE;
        }
    }
}

/* Take the strand that the unit serves next out of its queue. */
static uint32_t next_to_serve(WriteBuffer *buffer, uint32_t unit_idx)
{
    UnitQueue *queue = &buffer->units[unit_idx];
    uint32_t strand_idx = first_old(buffer, queue);
    uint32_t due_idx;

    if (strand_idx == SSD_NONE) {
        strand_idx = queue->first_strand_idx;
    }
    due_idx = first_due(buffer, unit_idx, strand_idx);
    if (due_idx != SSD_NONE) {
        strand_idx = due_idx;
    }
    if (strand_idx == SSD_NONE || !takes_page(buffer, unit_idx, strand_idx)) {
        return SSD_NONE;
    }
    leave_unit(buffer, strand_idx);
    return strand_idx;
}

/*
 * Give the unit pages of the strands that wait, while it has registers free. A
 * strand has another page if it has one of a fill whose zone was formatted.
 */
static void serve_unit(WriteBuffer *buffer, uint64_t now_ns, uint32_t unit_idx)
{
    uint32_t strand_idx;

    while ((strand_idx = next_to_serve(buffer, unit_idx)) != SSD_NONE) {
        give_page(buffer, now_ns, strand_idx);
        give_pages(buffer, now_ns, strand_idx);
        open_on(buffer, now_ns, wbuf_zone_of_strand(buffer, strand_idx));
        fill_on(buffer, now_ns, wbuf_zone_of_strand(buffer, strand_idx));
    }
}

void wbuf_fill(WriteBuffer *buffer, uint64_t now_ns, uint32_t job_idx)
{
    uint32_t zone_idx = buffer->media->works[job_idx].zone_idx;
    Stream *stream = &buffer->streams[zone_idx];

    g_assert(stream->fill_left == 0);
    stream->fill_job_idx = job_idx;
    fill_on(buffer, now_ns, zone_idx);
    let_in(buffer, now_ns);
}

void wbuf_abandon(WriteBuffer *buffer, uint64_t now_ns, uint32_t zone_idx)
{
    Stream *stream = &buffer->streams[zone_idx];

    stream->is_abandoned = true;
    release(buffer, zone_idx, stream->held_bytes - stream->formed_bytes);
    stream->held_bytes = stream->formed_bytes;
    let_in(buffer, now_ns);
}

void wbuf_arrived(WriteBuffer *buffer, uint64_t now_ns, uint32_t zone_idx,
                        uint32_t bytes, bool is_alive)
{
    Stream *stream = &buffer->streams[zone_idx];

    /* A failed zone keeps no room for data that will never complete a page. */
    if (is_alive && !stream->is_abandoned) {
        stream->held_bytes += bytes;
        for (uint32_t i = form_pages(buffer, zone_idx); i > 0; i--) {
            give_pages(buffer, now_ns,
                       wbuf_strand_of_page(buffer, zone_idx,
                                           stream->next_page - i));
        }
        open_on(buffer, now_ns, zone_idx);
    } else {
        release(buffer, zone_idx, bytes);
    }
    let_in(buffer, now_ns); /* a page may have made a finish's due */
}

/*
 * A program's room becomes free page by page, evenly over release_ns, as the
 * unit's next data take its place in the registers. That is over before the
 * next program ends, so at most one program of a unit is releasing room.
 */
static void release_later(WriteBuffer *buffer, uint32_t unit_idx)
{
    const UnitQueue *queue = &buffer->units[unit_idx];
    uint64_t bytes = buffer->media->page_bytes - queue->unreleased_bytes +
                     buffer->params->page_bytes;

    event_heap_push_lane(buffer->events, LANE_BUFFER,
                         queue->programmed_at_ns + buffer->release_ns * bytes /
                                                   buffer->media->page_bytes,
                         event_name(EVENT_BUFFER, unit_idx));
}

void wbuf_program_ended(WriteBuffer *buffer, uint64_t now_ns, uint32_t zone_idx,
                              uint32_t unit_idx)
{
    UnitQueue *queue = &buffer->units[unit_idx];

    if (buffer->release_ns == 0) {
        release(buffer, zone_idx, buffer->media->page_bytes);
        return;
    }
    g_assert(queue->unreleased_bytes == 0);
    queue->programmed_zone_idx = zone_idx;
    queue->programmed_at_ns = now_ns;
    queue->unreleased_bytes = buffer->media->page_bytes;
    release_later(buffer, unit_idx);
}

void wbuf_release_event(WriteBuffer *buffer, uint64_t now_ns, uint32_t unit_idx)
{
    UnitQueue *queue = &buffer->units[unit_idx];

    release(buffer, queue->programmed_zone_idx, buffer->params->page_bytes);
    queue->unreleased_bytes -= buffer->params->page_bytes;
    if (queue->unreleased_bytes != 0) {
        release_later(buffer, unit_idx);
    }
    let_in(buffer, now_ns);
}

void wbuf_unit_free(WriteBuffer *buffer, uint64_t now_ns, uint32_t unit_idx)
{
    serve_unit(buffer, now_ns, unit_idx);
    let_in(buffer, now_ns);
}

void wbuf_drain_first(WriteBuffer *buffer)
{
    buffer->is_draining = true;
    buffer->drain_number++;
}

/*
 * A page for each unit that programs nothing; its strand waits with the next
 * one, and what stands behind it in its zone goes on later.
 */
static void serve_idle_units(WriteBuffer *buffer, uint64_t now_ns)
{
    for (uint32_t i = 0; i < buffer->media->unit_count; i++) {
        uint32_t strand_idx = SSD_NONE;

        if (flash_has_no_program(&buffer->media->flash, i)) {
            strand_idx = next_to_serve(buffer, i);
        }
        if (strand_idx != SSD_NONE) {
            give_page(buffer, now_ns, strand_idx);
            index_set_put(&buffer->given,
                          wbuf_zone_of_strand(buffer, strand_idx), true);
        }
        if (strand_idx != SSD_NONE && has_page(buffer, strand_idx)) {
            wait_at_unit(buffer, next_unit_idx(buffer, strand_idx),
                         strand_idx);
        }
    }
}

/* The flash begins programs in the order in which units get them here. */
void wbuf_unlocked(WriteBuffer *buffer, uint64_t now_ns)
{
    uint32_t zone_idx;

    buffer->is_draining = false;
    if (buffer->params->page_turns) {
        serve_idle_units(buffer, now_ns);
    }
    for (uint32_t i = 0; i < buffer->media->unit_count; i++) {
        serve_unit(buffer, now_ns, i);
    }
    while ((zone_idx = index_set_next(&buffer->given, 0,
                                      buffer->stream_count)) <
           buffer->stream_count) {
        index_set_put(&buffer->given, zone_idx, false);
        open_on(buffer, now_ns, zone_idx);
        fill_on(buffer, now_ns, zone_idx);
    }
    let_in(buffer, now_ns);
}

/* Its pages are gone; it does not wait at a unit with one of them. */
static void forget_pages(WriteBuffer *buffer, uint32_t strand_idx)
{
    uint32_t zone_idx = wbuf_zone_of_strand(buffer, strand_idx);
    Strand *strand = &buffer->strands[strand_idx];

    if (strand->first_page_idx != SSD_NONE && strand->is_waiting) {
        leave_unit(buffer, strand_idx);
    }
    while (strand->first_page_idx != SSD_NONE) {
        BufferedPage page = take_page(buffer, strand_idx);

        programs_ended(&buffer->media->programs, page.epoch,
                       wbuf_unit_of_page(buffer, zone_idx, page.page));
    }
}

void wbuf_forget(WriteBuffer *buffer, uint64_t now_ns, uint32_t zone_idx)
{
    Stream *stream = &buffer->streams[zone_idx];
    uint32_t first_idx = zone_idx * buffer->zone_strands;

    release(buffer, zone_idx, stream->held_bytes);
    for (uint32_t i = 0; i < buffer->zone_strands; i++) {
        forget_pages(buffer, first_idx + i);
    }
    stream->held_bytes = 0;
    stream->next_page = 0;
    wbuf_open_stripe(buffer, zone_idx, 0);
    stream->is_abandoned = false;
    /* A finish of that life goes on, also in strands where pages were ahead. */
    for (uint32_t i = 0; i < buffer->zone_strands; i++) {
        give_pages(buffer, now_ns, first_idx + i);
    }
    fill_on(buffer, now_ns, zone_idx);
    let_in(buffer, now_ns);
}

void wbuf_put(WriteBuffer *buffer, uint32_t zone_idx, uint64_t pages,
              uint32_t part_bytes)
{
    Stream *stream = &buffer->streams[zone_idx];

    stream->next_page = pages;
    wbuf_open_stripe(buffer, zone_idx, pages);
    stream->held_bytes = part_bytes;
    reserve(buffer, zone_idx, part_bytes);
}

/* The log */

void wbuf_log_put(WriteBuffer *buffer, uint32_t bytes, bool is_moved)
{
    uint32_t log_idx = buffer->params->zones;

    if (is_moved) {
        reserve(buffer, log_idx, bytes);
    }
    buffer->streams[log_idx].held_bytes += bytes;
}

void wbuf_log_moved(WriteBuffer *buffer, uint64_t now_ns)
{
    let_in(buffer, now_ns);
}

void wbuf_log_page(WriteBuffer *buffer, uint64_t now_ns, uint32_t line,
                   bool is_moved)
{
    uint32_t log_idx = buffer->params->zones;
    uint64_t page = buffer->streams[log_idx].next_page;

    form_page(buffer, log_idx, line, is_moved);
    give_pages(buffer, now_ns, wbuf_strand_of_page(buffer, log_idx, page));
    open_on(buffer, now_ns, log_idx);
    let_in(buffer, now_ns);
}
