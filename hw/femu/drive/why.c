/*
 * Where a command is, and what it waits for: looks into all rooms.
 *
 * Knows nothing of what was before or comes after.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../ssd_why.h"
#include "why.h"

/* Numbers of parts that are no operations of the flash. */
enum {
    PART_JOB = 1 << 28,
    PART_PAGE = 2 << 28,
    PART_LINK = 3 << 28,
    PART_WAY = 4 << 28, /* of the whole command: it is in one place */
};

static void add_way(Why *why, SsdPlace place, bool works, uint32_t idx,
                    SsdWho who)
{
    why_add(why, &(SsdCause) {
        .place = place,
        .works = works,
        .idx = idx,
        .part_id = PART_WAY,
        .who = who,
    });
}

static const Command *command_of(const Why *why)
{
    return &why->ssd->commands.at[why->command_idx];
}

/* The way in */

/* Is the command in line? *first is the first of that line. */
static bool is_in_line(const Turns *turns, uint32_t line_idx,
                       uint32_t command_idx, uint32_t *first)
{
    const TurnLine *line = &turns->lines[line_idx];
    uint32_t waiter_idx = line->first_waiter_idx;

    *first = waiter_idx;
    while (waiter_idx != TURNS_NONE && waiter_idx != command_idx) {
        waiter_idx = waiter_idx == line->last_waiter_idx
                     ? TURNS_NONE : turns->next_waiter_idx[waiter_idx];
    }
    return waiter_idx != TURNS_NONE;
}

static void add_slot(Why *why)
{
    const Entry *entry = &why->ssd->entry;
    const Command *command = command_of(why);
    uint32_t zone_idx = command->is_conventional ? why->ssd->params.zones
                                                 : command->target.zone_idx;
    uint32_t line_idx, first;

    if (!commands_is_read(command->done.op)) {
        return;
    }
    line_idx = lines_of_zone(&entry->read_slots.lines, zone_idx);
    if (is_in_line(&entry->read_slots.turns, line_idx, why->command_idx,
                   &first)) {
        add_way(why, SSD_PLACE_READ_SLOT, false, 0,
                first == why->command_idx ? (SsdWho) { 0 }
                                          : why_command(why, first));
    }
}

/*
 * Who waits for room in the buffer, and is next to have it; the front end is
 * held up for somebody. If all lines stand aside, each for its own zone's, it
 * is the first one of those.
 */
static SsdWho first_for_room(const Why *why)
{
    const WriteBuffer *buffer = &why->ssd->buffer;
    uint32_t group_idx = turns_group(&buffer->turns), i = 0;

    if (group_idx != TURNS_NONE) {
        return why_command(why, turns_waiter(&buffer->turns, group_idx));
    }
    while (buffer->turns.lines[i].first_waiter_idx == TURNS_NONE) {
        i++;
    }
    return why_command(why, buffer->turns.lines[i].first_waiter_idx);
}

/*
 * The head of the queue is served from begin_at_ns on; until then the front end
 * works on for the command before it. A head without an event is held up.
 */
static void add_front(Why *why)
{
    const FrontEnd *front = &why->ssd->entry.front;
    uint64_t end_at_ns = why_event_at_ns(why, front->payload);
    uint64_t begin_at_ns = end_at_ns -
                           front->work[front->head_idx].before_ns;
    bool is_head = front->head_idx == why->command_idx;

    if (end_at_ns == UINT64_MAX) {
        add_way(why, SSD_PLACE_FRONT_HELD, false, 0, first_for_room(why));
        return;
    }
    why_add(why, &(SsdCause) {
        .place = SSD_PLACE_FRONT_END,
        .works = is_head && why->now_ns >= begin_at_ns,
        .part_id = PART_WAY,
        .who = is_head ? (SsdWho) { 0 } : why_command(why, front->head_idx),
        .until_ns = why->now_ns < begin_at_ns ? begin_at_ns : end_at_ns,
    });
}

static bool is_entering(Why *why)
{
    const FrontEnd *front = &why->ssd->entry.front;
    uint32_t i = front->head_idx;

    while (i != FRONT_END_NONE && i != why->command_idx) {
        i = front->work[i].next_idx;
    }
    if (i == FRONT_END_NONE) {
        return false;
    }
    add_front(why);
    return true;
}

/* The way out */

/*
 * Data of others of this operation that are there at `last_ns` or before: the
 * link carries them in the order of booking. Return: the one that is there
 * first.
 */
static uint32_t before_on_link(const Why *why, SsdOp op, uint64_t last_ns)
{
    uint64_t first_ns = last_ns + 1;
    uint32_t first = SSD_NONE;

    for (uint32_t i = 0; i < why->ssd->params.cmd_slots; i++) {
        const Command *other = &why->ssd->commands.at[i];

        if (why->is_inside[i] && other->link_until_at_ns > why->now_ns &&
            other->link_until_at_ns < first_ns &&
            other->done.op == op && i != why->command_idx) {
            first_ns = other->link_until_at_ns;
            first = i;
        }
    }
    return first;
}

/* Its data cross until `until_ns`, or those that are there at `last_ns`. */
static void add_crossing(Why *why, SsdPlace place, unsigned part_id, SsdOp op,
                         uint64_t last_ns, uint64_t until_ns)
{
    uint32_t before = before_on_link(why, op, last_ns);
    bool works = before == SSD_NONE;

    why_add(why, &(SsdCause) {
        .place = place,
        .works = works,
        .part_id = part_id,
        .who = works ? (SsdWho) { 0 } : why_command(why, before),
        .until_ns = works ? until_ns
                          : why->ssd->commands.at[before].link_until_at_ns,
    });
}

/* What waits for data of reads, among which are none of its own */
static void add_behind_reads(Why *why, unsigned part_id, uint64_t until_ns)
{
    add_crossing(why, SSD_PLACE_LINK_OUT, part_id, SSD_OP_READ, until_ns,
                 until_ns);
}

static void add_link_out(Why *why)
{
    const Command *command = command_of(why);
    uint64_t until_ns = command->link_until_at_ns;

    if (command->is_answered) {
        add_behind_reads(why, PART_WAY, until_ns);
    } else {
        add_crossing(why, command->done.op == SSD_OP_COMPARE
                          ? SSD_PLACE_LINK_IN : SSD_PLACE_LINK_OUT, PART_WAY,
                     command->done.op, until_ns - 1, until_ns);
    }
}

/* The front end has a write once more, behind what it was at. */
static void add_front_again(Why *why)
{
    const Command *command = command_of(why);
    uint32_t head_idx = why->ssd->entry.front.head_idx;
    uint64_t end_at_ns = command->front_until_at_ns;
    uint64_t begin_at_ns = end_at_ns - entry_again_ns(&why->ssd->params,
                                                      command);
    bool works = why->now_ns >= begin_at_ns;

    why_add(why, &(SsdCause) {
        .place = SSD_PLACE_FRONT_END,
        .works = works,
        .part_id = PART_WAY,
        .who = works || head_idx == FRONT_END_NONE
               ? (SsdWho) { 0 } : why_command(why, head_idx),
        .until_ns = works ? end_at_ns : begin_at_ns,
    });
}

static bool is_leaving(Why *why)
{
    if (why_event_at_ns(why, event_name(EVENT_LEAVING, why->command_idx)) ==
        UINT64_MAX) {
        return false;
    }
    if (why->now_ns < command_of(why)->link_until_at_ns) {
        add_link_out(why);
    } else if (why->now_ns < command_of(why)->front_until_at_ns) {
        add_front_again(why);
    } else {
        add_way(why, SSD_PLACE_FIXED, true, 0, (SsdWho) { 0 });
    }
    return true;
}

/* Writes before they are issued */

static void add_zone_queue(Why *why)
{
    const Zns *zns = &why->ssd->zns;
    uint32_t zone_idx = command_of(why)->write.data.zone_idx;
    uint32_t head_idx = zns->writes[zone_idx].head_idx;
    uint32_t job_idx = zns->jobs.zones[zone_idx].head_idx;

    if (zns->jobs.zones[zone_idx].resets_waiting != 0) {
        add_way(why, SSD_PLACE_ZONE_RESET, false, zone_idx,
                why_job(why, job_idx));
    } else if (head_idx != why->command_idx) {
        add_way(why, SSD_PLACE_ZONE_WRITES, false, zone_idx,
                why_command(why, head_idx));
    } else {
        add_way(why, SSD_PLACE_SEAT, false, zone_idx, (SsdWho) { 0 });
    }
}

static void add_log_queue(Why *why)
{
    uint32_t first_idx = why->ssd->conv.first_write_idx;

    if (first_idx != why->command_idx) {
        add_way(why, SSD_PLACE_LOG, false, 0, why_command(why, first_idx));
    } else {
        add_way(why, SSD_PLACE_LOG_ROOM, false, 0,
                (SsdWho) { .kind = SSD_WHO_CLEANING });
    }
}

/*
 * Who neither leaves nor has operations is a write in its queue. One that still
 * reads (a copy, a part of a granule) has some, which say more.
 */
static void add_queue(Why *why)
{
    const Command *command = command_of(why);

    if (command->parts_left == 0) {
        (command->is_conventional ? add_log_queue : add_zone_queue)(why);
    }
}

static bool is_log(const Why *why, uint32_t zone_idx)
{
    return zone_idx == why->ssd->params.zones;
}

/* Whose room a program that has ended gives back. */
static SsdWho released(const Why *why, uint32_t zone_idx)
{
    return is_log(why, zone_idx)
           ? (SsdWho) { .kind = SSD_WHO_LOG }
           : (SsdWho) { .kind = SSD_WHO_PAGE, .page = UINT64_MAX,
                        .zone_idx = zone_idx };
}

/* Does the operation have room in the buffer, of the zone or of any? */
static bool has_room(const Why *why, const FlashOp *op, uint32_t zone_idx)
{
    switch (owner_kind(op->owner)) {
    case OWNER_BUFFER:
        return zone_idx == SSD_NONE || owner_idx(op->owner) == zone_idx;
    case OWNER_CLEANING:
        return op->kind == FLASH_PROGRAM && wbuf_has_log(&why->ssd->buffer) &&
               (zone_idx == SSD_NONE || is_log(why, zone_idx));
    default:
        return false;
    }
}

/*
 * The program whose room the buffer has back next: of a zone, or of any. One
 * that has ended gives it back by and by.
 */
static void add_room(Why *why, SsdPlace place, uint32_t zone_idx)
{
    const WriteBuffer *buffer = &why->ssd->buffer;
    uint64_t first_ns = UINT64_MAX;
    SsdCause cause = {
        .place = place,
        .idx = place == SSD_PLACE_ZONE_ROOM ? zone_idx : 0,
        .part_id = PART_WAY,
    };

    for (uint32_t i = 0; i < buffer->media->unit_count; i++) {
        const UnitQueue *queue = &buffer->units[i];
        const FlashUnit *unit = &buffer->media->flash.units[i];
        const FlashToken *token = why_running(why, i);

        if (queue->unreleased_bytes != 0 &&
            (zone_idx == SSD_NONE || queue->programmed_zone_idx == zone_idx)) {
            cause.what = "release";
            cause.who = released(why, queue->programmed_zone_idx);
            break;
        }
        if (token && has_room(why, &token->op, zone_idx) &&
            unit->run_until_at_ns < first_ns) {
            first_ns = unit->run_until_at_ns;
            cause.what = "program";
            cause.who = why_owner(why, &token->op);
        }
    }
    why_add(why, &cause);
}

/*
 * A write is in a line until all of it has been let in. A line stands aside only
 * while its zone has no room: if there is some, it is some line's turn.
 */
static bool waits_for_room(Why *why)
{
    const WriteBuffer *buffer = &why->ssd->buffer;
    const Span *left = &command_of(why)->write.data;
    uint32_t first;

    /* Before its hand-off, `write` of one to the log is of nothing. */
    if (!wbuf_is_on(buffer) ||
        (command_of(why)->is_conventional && !command_of(why)->is_promised) ||
        !commands_is_write(command_of(why)->done.op) ||
        !is_in_line(&buffer->turns, lines_of_zone(&buffer->lines,
                                                  left->zone_idx),
                    why->command_idx, &first)) {
        return false;
    }
    if (first != why->command_idx) {
        add_way(why, SSD_PLACE_LINE, false, 0, why_command(why, first));
    } else if (!wbuf_zone_has_room(buffer, left)) {
        add_room(why, is_log(why, left->zone_idx) ? SSD_PLACE_ROOM
                                                  : SSD_PLACE_ZONE_ROOM,
                 left->zone_idx);
    } else if (turns_waiter(&buffer->turns, turns_group(&buffer->turns)) !=
               why->command_idx) {
        add_way(why, SSD_PLACE_LINE, false, 0, first_for_room(why));
    } else {
        add_room(why, SSD_PLACE_ROOM, SSD_NONE);
    }
    return true;
}

/* Portions cross in order; the command's next one tells. */
static void add_portion(Why *why, uint32_t i)
{
    const Link *link = &why->ssd->link;
    const LinkPortion *head = link_portion(link, 0);

    if (i == 0 && why->now_ns < head->begin_at_ns) {
        add_behind_reads(why, PART_LINK, head->begin_at_ns);
        return;
    }
    why_add(why, &(SsdCause) {
        .place = SSD_PLACE_LINK_IN,
        .works = i == 0,
        .part_id = PART_LINK,
        .who = i == 0 ? (SsdWho) { 0 } : why_command(why, head->command_idx),
    });
}

static void add_link_in(Why *why)
{
    const Link *link = &why->ssd->link;
    uint32_t i = 0;

    while (i < link->count &&
           link_portion(link, i)->command_idx != why->command_idx) {
        i++;
    }
    if (i < link->count) {
        add_portion(why, i);
    }
}

/* Finishes and resets */

static bool is_managed(const ResetEngine *reset, uint32_t job_idx)
{
    uint32_t i = reset_is_on(reset) ? reset->first_job_idx : SSD_NONE;

    while (i != SSD_NONE && i != job_idx) {
        i = i == reset->last_job_idx ? SSD_NONE : reset->works[i].next_job_idx;
    }
    return i != SSD_NONE;
}

static void add_job(Why *why, uint32_t job_idx, SsdPlace place, bool works,
                    SsdWho who)
{
    why_add(why, &(SsdCause) {
        .place = place,
        .works = works,
        .idx = why->ssd->media.works[job_idx].zone_idx,
        .part_id = PART_JOB | job_idx,
        .who = who,
    });
}

static void add_managed(Why *why, uint32_t job_idx)
{
    const ResetEngine *reset = &why->ssd->reset;

    if (reset->first_job_idx != job_idx) {
        add_job(why, job_idx, SSD_PLACE_RESETS, false,
                why_job(why, reset->first_job_idx));
        return;
    }
    switch (reset->phase) {
    case RESET_DRAINS: /* the programs are among its operations */
    case RESET_DRAINED:
        break;
    case RESET_UNMAPPED:
        add_job(why, job_idx, SSD_PLACE_UNMAP, true, (SsdWho) { 0 });
        break;
    case RESET_COMMITTED:
        add_job(why, job_idx, SSD_PLACE_COMMIT, true, (SsdWho) { 0 });
        break;
    case RESET_STEPS:
        add_job(why, job_idx, SSD_PLACE_STEPS, false, (SsdWho) { 0 });
        break;
    }
}

/*
 * Does a finish wait in this strand? Its next page does, or a page of the host
 * behind which its stripe will open.
 */
static bool holds_fill(const WriteBuffer *buffer, const Strand *strand,
                       uint32_t zone_idx)
{
    return buffer->streams[zone_idx].fill_left == 0 &&
           wbuf_fill_waits(buffer, zone_idx)
           ? strand->first_page_idx != SSD_NONE && strand->is_waiting
           : strand->has_fill;
}

/*
 * A finish whose next page, or the zone's page before it, waits at a unit. If
 * more wait, each at its own unit, the first of them stands for all.
 */
static void add_fill(Why *why, uint32_t job_idx)
{
    const WriteBuffer *buffer = &why->ssd->buffer;
    uint32_t zone_idx = why->ssd->media.works[job_idx].zone_idx;

    if (!wbuf_is_on(buffer) ||
        buffer->streams[zone_idx].fill_job_idx != job_idx) {
        return;
    }
    for (uint32_t i = 0; i < buffer->zone_strands; i++) {
        const Strand *strand =
            &buffer->strands[zone_idx * buffer->zone_strands + i];

        if (holds_fill(buffer, strand, zone_idx)) {
            why_at_unit(why, SSD_PLACE_PAGE, strand->unit_idx,
                        PART_JOB | job_idx);
            return;
        }
    }
}

static void add_running(Why *why, uint32_t job_idx)
{
    const Job *job = &why->ssd->zns.jobs.at[job_idx];

    if (is_managed(&why->ssd->reset, job_idx)) {
        add_managed(why, job_idx);
    } else if (job->waits) {
        add_job(why, job_idx, job->stalls ? SSD_PLACE_STALL : SSD_PLACE_PAUSE,
                !job->stalls, (SsdWho) { 0 });
    } else {
        add_fill(why, job_idx);
    }
}

static void add_zone_job(Why *why, uint32_t job_idx)
{
    const Zns *zns = &why->ssd->zns;
    uint32_t zone_idx = why->ssd->media.works[job_idx].zone_idx;
    const JobQueue *queue = &zns->jobs.zones[zone_idx];

    if (!zns->jobs.at[job_idx].may_start) {
        if (zns->jobs.select_all_head_idx != why->command_idx) {
            add_job(why, job_idx, SSD_PLACE_SELECT_ALL, false,
                    why_command(why, zns->jobs.select_all_head_idx));
        }
    } else if (queue->head_idx != job_idx) {
        add_job(why, job_idx, SSD_PLACE_JOBS, false,
                why_job(why, queue->head_idx));
    } else if (queue->head_runs) {
        add_running(why, job_idx);
    } else if (zns->jobs.at[job_idx].waits_for_writes) {
        uint32_t write_idx = zns->writes[zone_idx].head_idx;

        add_job(why, job_idx, SSD_PLACE_ZONE_WRITES, false,
                write_idx == SSD_NONE ? (SsdWho) { 0 }
                                      : why_command(why, write_idx));
    }
}

static void add_jobs(Why *why)
{
    for (uint32_t i = 0; i < why->ssd->zns.jobs.fresh_idx; i++) {
        if (why_is_own_job(why, i)) {
            why->own_jobs++;
            add_zone_job(why, i);
        }
    }
}

/* What a flush or a draining reset waits for, and no unit has yet */
static void add_pages(Why *why)
{
    const WriteBuffer *buffer = &why->ssd->buffer;

    for (uint32_t i = 0; i < wbuf_strand_count(buffer); i++) {
        const Strand *strand = &buffer->strands[i];

        if (strand->first_page_idx != SSD_NONE && strand->is_waiting &&
            why_awaits(why, buffer->pages[strand->first_page_idx].epoch,
                       strand->unit_idx)) {
            why_at_unit(why, SSD_PLACE_PAGE, strand->unit_idx, PART_PAGE | i);
        }
    }
}

/* All */

static bool is_slot_of(const Why *why, uint32_t slot, uint32_t tag)
{
    return why->is_inside[slot] && why->ssd->commands.at[slot].done.tag == tag;
}

/* It stays in its slot, so it is looked for where it was. */
static uint32_t find_command(const Why *why, uint32_t tag)
{
    if (why->command_idx != SSD_NONE &&
        is_slot_of(why, why->command_idx, tag)) {
        return why->command_idx;
    }
    for (uint32_t i = 0; i < why->ssd->params.cmd_slots; i++) {
        if (is_slot_of(why, i, tag)) {
            return i;
        }
    }
    return SSD_NONE;
}

/* Every operation of a read or a write is a part of it. */
static bool has_ops(const Why *why)
{
    const Command *command = command_of(why);

    return command->parts_left != 0 || !commands_is_host_io(command->done.op);
}

static void look(Why *why)
{
    if (is_entering(why) || is_leaving(why)) {
        return;
    }
    add_slot(why);
    add_queue(why);
    waits_for_room(why);
    add_link_in(why);
    if (has_ops(why)) {
        why_find_ops(why);
    }
    add_jobs(why);
    if (why->awaits || why->drains) {
        add_pages(why);
    }
    if (why->causes->len == 0) {
        add_way(why, SSD_PLACE_INSIDE, false, 0, (SsdWho) { 0 });
    }
}

void why_look(Why *why, uint32_t tag)
{
    const Ssd *ssd = why->ssd;

    why->now_ns = ssd->run_at_ns;
    why->is_inside = commands_inside(&ssd->commands, ssd->params.cmd_slots);
    why->command_idx = find_command(why, tag);
    if (why->command_idx != SSD_NONE) {
        why_find_epoch(why);
        look(why);
    }
    g_free(why->job_free);
    g_free(why->is_inside);
}
