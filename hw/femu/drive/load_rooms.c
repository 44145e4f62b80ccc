/*
 * Jobs and rooms of a drive that has been read: do their counts agree with what
 * is under way?
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>
#include <string.h>

#include "load.h"

static void must_be(LoadCheck *check, const char *what, uint32_t idx,
                    uint64_t is, uint64_t must)
{
    if (is != must) {
        state_fail(check->state, "%s %u: %" PRIu64 ", must be %" PRIu64, what,
                   idx, is, must);
    }
}

/* Jobs */

typedef struct ZoneJobs {
    uint32_t entering;
    uint32_t waiting;
} ZoneJobs;

/* The job is the running one of its zone. */
static bool runs(const Zns *zns, uint32_t job_idx)
{
    const JobQueue *queue =
        &zns->jobs.zones[zns->media->works[job_idx].zone_idx];

    return zns->jobs.at[job_idx].in_background ||
           (queue->head_runs && queue->head_idx == job_idx);
}

static bool is_filled(const LoadCheck *check, uint32_t job_idx)
{
    const Ssd *ssd = check->ssd;
    uint32_t zone_idx = ssd->media.works[job_idx].zone_idx;

    return wbuf_is_on(&ssd->buffer) &&
           ssd->buffer.streams[zone_idx].fill_job_idx == job_idx;
}

static void check_job(LoadCheck *check, uint32_t i)
{
    const Zns *zns = &check->ssd->zns;
    const Job *job = &zns->jobs.at[i];
    const JobWork *work = &zns->media->works[i];
    SsdOp own = job->in_background ? SSD_OP_ZONE_RESET : SSD_OP_ZONE_FINISH;
    bool is_doing = work->ops_left != 0 || job->waits || check->is_reset[i] ||
                    is_filled(check, i);

    must_be(check, "operations of job", i, work->ops_left,
            check->ops.jobs[i]);
    must_be(check, "wake-ups of job", i, check->events.jobs[i], job->waits);
    if (is_doing != runs(zns, i)) {
        state_fail(check->state, "job %u runs: %d, and has something to do: "
                   "%d", i, runs(zns, i), is_doing);
    }
    /* The drive's own: erases in the background, and excursions. */
    if (job->command_idx == SSD_NONE && job->op != own) {
        state_fail(check->state, "job %u of operation %u is of no command, "
                   "must be of operation %u", i, job->op, own);
    }
    if (check->is_reset[i] &&
        (job->op != SSD_OP_ZONE_RESET || job->in_background)) {
        state_fail(check->state, "job %u is no reset to be managed", i);
    }
    if (is_filled(check, i) && (job->op != SSD_OP_ZONE_FINISH ||
                                work->next_page >= work->chunk_end_page)) {
        state_fail(check->state, "job %u has nothing to fill", i);
    }
    if (job->superblock_idx == SUPERBLOCK_NONE && job->in_background) {
        state_fail(check->state, "job %u has nothing to erase", i);
    }
}

/* Commands of jobs ask for that; one that is not inside is 0 here, a read. */
static void check_command_of(LoadCheck *check, uint32_t i)
{
    const Job *job = &check->ssd->zns.jobs.at[i];
    const Command *command;

    if (job->command_idx == SSD_NONE) {
        return;
    }
    command = &check->ssd->commands.at[job->command_idx];
    if (job->in_background || command->done.op != job->op) {
        state_fail(check->state, "job %u is of command %u, which is another",
                   i, job->command_idx);
    }
}

/* Each job is in the queue of its zone, but those in the background. */
static void find_jobs(LoadCheck *check, uint8_t *queued)
{
    const Zns *zns = &check->ssd->zns;

    for (uint32_t z = 0; z < check->ssd->params.zones; z++) {
        const JobQueue *queue = &zns->jobs.zones[z];

        for (uint32_t i = queue->head_idx; i != SSD_NONE;
             i = zns->jobs.at[i].next_of_zone_idx) {
            queued[i] = true;
            if (!check->job_used[i] || zns->jobs.at[i].in_background ||
                zns->media->works[i].zone_idx != z) {
                state_fail(check->state, "job %u is in the queue of zone %u",
                           i, z);
            }
        }
        if (queue->head_runs && (queue->head_idx == SSD_NONE ||
                                 !zns->jobs.at[queue->head_idx].may_start ||
                                 zns->jobs.at[queue->head_idx]
                                 .waits_for_writes)) {
            state_fail(check->state, "zone %u runs a job that may not", z);
        }
    }
}

static void check_zone_jobs(LoadCheck *check)
{
    const Zns *zns = &check->ssd->zns;
    g_autofree ZoneJobs *zones = g_new0(ZoneJobs, check->ssd->params.zones);

    for (uint32_t i = 0; i < zns->jobs.fresh_idx; i++) {
        const Job *job = &zns->jobs.at[i];
        ZoneJobs *zone;
        bool enters;

        if (!check->job_used[i]) {
            continue;
        }
        zone = &zones[zns->media->works[i].zone_idx];
        enters = job->command_idx != SSD_NONE &&
                 check->enters[job->command_idx];
        if (job->op == SSD_OP_ZONE_RESET) {
            zone->entering += enters;
            zone->waiting += !enters &&
                             (!runs(zns, i) || check->is_reset[i]);
        }
        if (enters && runs(zns, i)) {
            state_fail(check->state, "job %u runs before its turn", i);
        }
    }
    for (uint32_t z = 0; z < check->ssd->params.zones; z++) {
        must_be(check, "resets that enter, of zone", z,
                zns->jobs.zones[z].resets_entering, zones[z].entering);
        must_be(check, "resets that wait, of zone", z,
                zns->jobs.zones[z].resets_waiting, zones[z].waiting);
    }
}

/*
 * The pool lasts: excursions find the jobs that are theirs, of which those of a
 * zone have resets between them, and so do erases in the background, which are
 * resets of nobody's.
 */
static void check_pool(LoadCheck *check)
{
    const Zns *zns = &check->ssd->zns;
    const Jobs *jobs = &zns->jobs;
    uint32_t parallel = check->ssd->params.mgmt_parallel_zones;
    g_autofree int64_t *more = g_new0(int64_t, check->ssd->params.zones);

    for (uint32_t i = 0; i < jobs->fresh_idx; i++) {
        const Job *job = &jobs->at[i];

        if (check->job_used[i]) {
            more[zns->media->works[i].zone_idx] +=
                (job->command_idx == SSD_NONE) -
                (job->op == SSD_OP_ZONE_RESET);
        }
    }
    for (uint32_t z = 0; z < check->ssd->params.zones; z++) {
        if (more[z] > 1) {
            state_fail(check->state, "zone %u is finished by the controller "
                       "more often than it is reset", z);
        }
    }
    if (zns->erases.running > parallel ||
        (uint64_t)jobs->free_count + zns->erases.running <
        (uint64_t)jobs->own_reserve + parallel) {
        state_fail(check->state, "%u jobs are free, %u of them reserved, and "
                   "%u of %u run in the background", jobs->free_count,
                   jobs->own_reserve, zns->erases.running, parallel);
    }
}

/* Running finishes are in their list, and nothing else is. */
static void check_fills(LoadCheck *check)
{
    const Jobs *jobs = &check->ssd->zns.jobs;
    uint32_t running = 0;

    for (uint32_t i = jobs->newest_fill_idx; i != SSD_NONE;
         i = jobs->at[i].older_fill_idx) {
        if (jobs->at[i].op != SSD_OP_ZONE_FINISH ||
            !runs(&check->ssd->zns, i)) {
            state_fail(check->state, "job %u is no running finish", i);
        }
    }
    for (uint32_t i = 0; i < jobs->fresh_idx; i++) {
        running += check->job_used[i] && runs(&check->ssd->zns, i) &&
                   jobs->at[i].op == SSD_OP_ZONE_FINISH;
    }
    must_be(check, "running finishes", 0, jobs->running_fills, running);
}

/* A Select All in the list has jobs; the first one, some that may start. */
static void check_select_alls(LoadCheck *check)
{
    const Ssd *ssd = check->ssd;
    const Jobs *jobs = &ssd->zns.jobs;
    uint32_t head = jobs->select_all_head_idx, running = 0;

    for (uint32_t i = head; i != SSD_NONE;
         i = ssd->commands.at[i].next_select_all_idx) {
        const Command *command = &ssd->commands.at[i];

        if (!command->select_all || check->enters[i] ||
            (i != head && command->first_job_idx == SSD_NONE)) {
            state_fail(check->state, "command %u is no Select All with jobs",
                       i);
        }
    }
    for (uint32_t i = 0; head != SSD_NONE && i < jobs->capacity; i++) {
        running += check->job_used[i] && jobs->at[i].command_idx == head &&
                   jobs->at[i].may_start;
    }
    must_be(check, "running jobs of a Select All", 0,
            jobs->select_all_running, running);
    if (head != SSD_NONE && running == 0) {
        state_fail(check->state, "a Select All runs no job");
    }
}

/* The jobs of a command that have not started are in its list. */
static void check_lists(LoadCheck *check)
{
    const Ssd *ssd = check->ssd;

    for (uint32_t c = 0; c < ssd->commands.count; c++) {
        const Command *command = &ssd->commands.at[check->used[c]];

        for (uint32_t i = command->first_job_idx; i != SSD_NONE;
             i = ssd->zns.jobs.at[i].next_of_command_idx) {
            const Job *job = &ssd->zns.jobs.at[i];

            if (job->command_idx != check->used[c] ||
                (command->select_all && job->may_start)) {
                state_fail(check->state, "job %u is in the list of command "
                           "%u", i, check->used[c]);
            }
        }
    }
}

static void find_used(LoadCheck *check)
{
    const Jobs *jobs = &check->ssd->zns.jobs;

    memset(check->job_used, true, jobs->fresh_idx * sizeof(bool));
    for (uint32_t i = jobs->free_idx; i != SSD_NONE;
         i = jobs->at[i].next_of_command_idx) {
        check->job_used[i] = false;
    }
}

void load_check_jobs(LoadCheck *check)
{
    const Zns *zns = &check->ssd->zns;
    g_autofree uint8_t *queued = g_new0(uint8_t, zns->jobs.fresh_idx);

    find_used(check);
    find_jobs(check, queued);
    for (uint32_t i = 0; i < zns->jobs.capacity; i++) {
        if (check->job_used[i]) {
            must_be(check, "is in a queue, job", i, queued[i],
                    !zns->jobs.at[i].in_background);
            check_job(check, i);
            check_command_of(check, i);
        } else {
            must_be(check, "what waits for job", i,
                    check->ops.jobs[i] + check->is_reset[i] +
                    check->events.jobs[i], 0);
        }
    }
    if (state_is_good(check->state)) {
        check_zone_jobs(check);
        check_pool(check);
        check_fills(check);
        check_lists(check);
        check_select_alls(check);
    }
}

/* Rooms */

static void check_erasers(LoadCheck *check)
{
    const Media *media = &check->ssd->media;
    const Zns *zns = &check->ssd->zns;

    for (uint32_t i = 0; i < media->superblocks.count; i++) {
        uint32_t job_idx = media->eraser_of[i];

        if (job_idx != SSD_NONE &&
            (!check->job_used[job_idx] || !runs(zns, job_idx) ||
             zns->jobs.at[job_idx].op != SSD_OP_ZONE_RESET ||
             zns->jobs.at[job_idx].superblock_idx != i)) {
            state_fail(check->state, "superblock %u is erased by job %u, which "
                       "is another", i, job_idx);
        }
    }
}

static void check_media(LoadCheck *check)
{
    const Media *media = &check->ssd->media;
    const Programs *programs = &media->programs;

    for (uint32_t z = 0; z < media->params->zones; z++) {
        must_be(check, "first erases of zone", z, media->first_erases[z],
                check->ops.first_writes[z]);
    }
    for (uint32_t i = 0; i < programs->size; i++) {
        must_be(check, "programs of epoch", i, programs->pending[i],
                check->ops.epochs[i]);
    }
    for (uint32_t i = 0; i < programs->units; i++) {
        must_be(check, "programs of unit", i, programs->of_unit[i],
                check->ops.programs[i]);
    }
    if (programs->oldest != programs->current &&
        programs->pending[programs->oldest] == 0) {
        state_fail(check->state, "epoch %u has ended, and is awaited",
                   programs->oldest);
    }
    check_erasers(check);
}

/*
 * Writes to the log that come through the buffer: what is between its line and
 * the log is on the link, what is promised beyond that waits for room. Finds the
 * sum of what is promised.
 */
static void check_log_writes(LoadCheck *check, const uint64_t *comes_bytes)
{
    Ssd *ssd = check->ssd;

    for (uint32_t i = 0; wbuf_has_log(&ssd->buffer) &&
                         i < ssd->params.cmd_slots; i++) {
        const Command *command = &ssd->commands.at[i];
        const ZoneWrite *write = &command->write;

        if (!command->is_conventional) {
            continue; /* so is who is not inside */
        }
        must_be(check, "bytes to the log of command", i, comes_bytes[i],
                write->data.begin_bytes - write->wp_from_bytes);
        must_be(check, "a place in the buffer's line of command", i,
                check->waits_for_room[i],
                write->data.begin_bytes < write->data.end_bytes);
        ssd->conv.promised += (write->data.end_bytes - write->wp_from_bytes) /
                              SSD_GRANULE_BYTES;
    }
}

/* The bytes of each zone in the buffer: held, coming, being programmed, ... */
static void check_buffer_bytes(LoadCheck *check)
{
    const Ssd *ssd = check->ssd;
    const WriteBuffer *buffer = &ssd->buffer;
    /* Of zones, and of the log */
    g_autofree uint64_t *bytes = g_new0(uint64_t,
                                        ssd->params.zones + UINT64_C(1));
    g_autofree uint64_t *comes_bytes = g_new0(uint64_t,
                                              ssd->params.cmd_slots);

    for (uint32_t i = 0; i < ssd->link.count; i++) {
        const LinkPortion *portion = link_portion(&ssd->link, i);
        const Command *command = &ssd->commands.at[portion->command_idx];

        if (!command->is_conventional && !command->write.in_zrwa) {
            bytes[command->write.data.zone_idx] += portion->bytes;
        } else if (command->is_conventional && wbuf_has_log(buffer)) {
            bytes[ssd->params.zones] += portion->bytes;
            comes_bytes[portion->command_idx] += portion->bytes;
            must_be(check, "bytes of half a granule, of command",
                    portion->command_idx,
                    portion->bytes % SSD_GRANULE_BYTES, 0);
        }
    }
    for (uint32_t i = 0; i < ssd->media.unit_count; i++) {
        bytes[buffer->units[i].programmed_zone_idx] +=
            buffer->units[i].unreleased_bytes;
    }
    check_log_writes(check, comes_bytes);
    for (uint32_t z = 0; z < buffer->stream_count; z++) {
        bytes[z] += buffer->streams[z].held_bytes +
                    (uint64_t)check->ops.buffer[z] * ssd->media.page_bytes;
        must_be(check, "bytes in the buffer of zone", z,
                buffer->streams[z].used_bytes, bytes[z]);
    }
}

/* What a unit's program has left is gone before the next one ends. */
static void check_release(LoadCheck *check, uint32_t unit_idx)
{
    const Ssd *ssd = check->ssd;
    const UnitQueue *queue = &ssd->buffer.units[unit_idx];
    const FlashUnit *unit = &ssd->media.flash.units[unit_idx];
    uint64_t gone_at_ns = queue->programmed_at_ns + ssd->buffer.release_ns;
    bool is_bounded = queue->programmed_at_ns <= ssd->run_at_ns &&
                      (unit->running_idx == FLASH_NONE ||
                       !flash_programs(ssd->media.flash
                                       .tokens[unit->running_idx].op.kind) ||
                       unit->run_until_at_ns > gone_at_ns) &&
                      (unit->suspended_idx == FLASH_NONE ||
                       !flash_programs(ssd->media.flash
                                       .tokens[unit->suspended_idx].op.kind) ||
                       ssd->run_at_ns + unit->left_ns > gone_at_ns);

    must_be(check, "releases of unit", unit_idx,
            check->events.buffer[unit_idx], queue->unreleased_bytes != 0);
    if (queue->unreleased_bytes != 0 &&
        (ssd->buffer.release_ns == 0 || !is_bounded)) {
        state_fail(check->state, "unit %u gives back room too late",
                   unit_idx);
    }
}

/*
 * Pages of the host go first, so a stripe is not begun while there are some;
 * but those of a zone that was formatted meanwhile may come to one that is.
 */
static bool has_no_stripe(const Ssd *ssd, uint32_t zone_idx)
{
    const Stream *stream = &ssd->buffer.streams[zone_idx];

    return wbuf_fill_waits(&ssd->buffer, zone_idx) &&
           (stream->fill_left == 0 ||
            ssd->media.works[stream->fill_job_idx].life ==
            ssd->media.life[zone_idx]);
}

static void check_fill(LoadCheck *check, uint32_t zone_idx)
{
    const Ssd *ssd = check->ssd;
    const WriteBuffer *buffer = &ssd->buffer;
    const Stream *stream = &buffer->streams[zone_idx];
    uint32_t job_idx = stream->fill_job_idx;
    uint32_t first_idx = zone_idx * buffer->zone_strands;
    uint64_t end_page;

    if (job_idx == SSD_NONE) {
        return;
    }
    if (!check->job_used[job_idx] ||
        ssd->media.works[job_idx].zone_idx != zone_idx) {
        state_fail(check->state, "zone %u is filled by job %u, which is "
                   "another", zone_idx, job_idx);
    }
    if (has_no_stripe(ssd, zone_idx)) {
        must_be(check, "pages in front of which pages wait, of zone", zone_idx,
                stream->fill_left, 0);
        return;
    }
    end_page = wbuf_fill_end(buffer, zone_idx);
    must_be(check, "pages left to fill of zone", zone_idx, stream->fill_left,
            end_page - ssd->media.works[job_idx].next_page);
    for (uint32_t i = first_idx; i < first_idx + buffer->zone_strands; i++) {
        if (buffer->strands[i].has_fill &&
            wbuf_fill_page(buffer, i) >= end_page) {
            state_fail(check->state, "zone %u is to fill page %" PRIu64 ", "
                       "its stripe ends at %" PRIu64, zone_idx,
                       wbuf_fill_page(buffer, i), end_page);
        }
    }
}

static void check_room_waiter(LoadCheck *check, uint32_t i)
{
    const Command *command = &check->ssd->commands.at[i];

    if (check->waits_for_room[i] &&
        ((command->is_conventional ? !command->is_promised
                                   : command->write.in_zrwa ||
                                     command->writes) ||
         !commands_is_write(command->done.op))) {
        state_fail(check->state, "command %u waits for room, and needs none",
                   i);
    }
}

/* Nobody calls back a line that stands aside without need. */
static void check_aside(LoadCheck *check)
{
    const WriteBuffer *buffer = &check->ssd->buffer;

    for (uint32_t i = 0; i < buffer->lines.count; i++) {
        const TurnLine *line = &buffer->turns.lines[i];

        if (line->is_aside &&
            wbuf_zone_has_room(buffer, &check->ssd->commands
                                        .at[line->first_waiter_idx]
                                        .write.data)) {
            state_fail(check->state, "line %u stands aside, and has room", i);
        }
    }
}

static void check_buffer(LoadCheck *check)
{
    const Ssd *ssd = check->ssd;

    if (!wbuf_is_on(&ssd->buffer)) {
        for (uint32_t i = 0; i < ssd->media.unit_count; i++) {
            must_be(check, "releases of unit", i, check->events.buffer[i], 0);
        }
        for (uint32_t z = 0; z < ssd->params.zones; z++) {
            must_be(check, "programs of the buffer, of zone", z,
                    check->ops.buffer[z], 0);
        }
        return;
    }
    for (uint32_t i = 0; i < ssd->params.cmd_slots; i++) {
        check_room_waiter(check, i);
    }
    for (uint32_t i = 0; i < ssd->media.unit_count; i++) {
        check_release(check, i);
    }
    for (uint32_t z = 0; z < ssd->params.zones; z++) {
        check_fill(check, z);
    }
    check_buffer_bytes(check);
    if (state_is_good(check->state)) {
        check_aside(check);
    }
}

static void check_resets(LoadCheck *check)
{
    const ResetEngine *reset = &check->ssd->reset;
    bool is_busy = reset->first_job_idx != SSD_NONE;
    bool has_event = is_busy && reset->phase != RESET_DRAINS &&
                     reset->phase != RESET_STEPS;
    uint64_t steps = check->ops.steps;

    for (uint32_t i = 0; i < check->ssd->media.unit_count; i++) {
        steps += check->ssd->media.flash.units[i].steps_waiting;
    }
    must_be(check, "events of resets", 0, check->events.reset, has_event);
    must_be(check, "events of steps", 0, check->events.step,
            reset->steps_begun < reset->steps);
    must_be(check, "steps under way", 0, steps,
            reset->steps_begun - reset->steps_ended);
    if (is_busy && reset->phase == RESET_STEPS &&
        reset->steps_ended == reset->steps) {
        state_fail(check->state, "a reset waits for steps that have ended");
    }
    if (check->ssd->media.flash.locked &&
        !(is_busy && reset->phase == RESET_UNMAPPED)) {
        state_fail(check->state, "programs wait for no reset");
    }
}

static void check_ways(LoadCheck *check)
{
    const Ssd *ssd = check->ssd;
    const Entry *entry = &ssd->entry;
    bool enters = entry->front.head_idx != FRONT_END_NONE;

    must_be(check, "events of the link", 0, check->events.link,
            ssd->link.count != 0);
    must_be(check, "events of the front end", 0, check->events.front,
            enters && !ssd->buffer.holds_up);
    if (ssd->buffer.holds_up && (!enters || ssd->buffer.waiting_count == 0)) {
        state_fail(check->state, "the buffer holds up nobody");
    }
    if (entry->read_slots.inside_count > ssd->params.read_slots) {
        state_fail(check->state, "%u reads are inside, there are %u slots",
                   entry->read_slots.inside_count, ssd->params.read_slots);
    }
    /* Each group but one may have had none inside, and so one beyond them. */
    if (ssd->params.read_lists != 0 &&
        entry->read_slots.lists_inside >=
        ssd->params.read_lists + entry->read_slots.lines.groups) {
        state_fail(check->state, "%u reads with lists are inside, there are %u "
                   "lists", entry->read_slots.lists_inside,
                   ssd->params.read_lists);
    }
}

/*
 * A page of the log in the buffer: lines follow one another, and the open one,
 * which is the last, has its first page at `open_page`.
 */
static void check_log_page(LoadCheck *check, const BufferedPage *page,
                           uint64_t open_page)
{
    const Conv *conv = &check->ssd->conv;

    if (page->line >= conv->ftl.line_count ||
        (page->line == conv->ftl.open_line) != (page->page >= open_page)) {
        state_fail(check->state, "page %" PRIu64 " of the log is not in line "
                   "%u", page->page, page->line);
        return;
    }
    check->ops.line_programs[page->line]++;
    check->ops.moved_pages += page->is_moved;
}

/* What the buffer has of the log: pages, which are of lines, and a part. */
static void check_log_buffer(LoadCheck *check)
{
    const WriteBuffer *buffer = &check->ssd->buffer;
    const Conv *conv = &check->ssd->conv;
    const Stream *stream = &buffer->streams[check->ssd->params.zones];
    uint32_t part_places = conv->ftl.open_line == FTL_NONE
                           ? 0 : conv->ftl.open_used % conv->page_places;
    uint64_t open_page = stream->next_page -
                         (conv->ftl.open_line == FTL_NONE
                          ? 0 : conv->ftl.open_used / conv->page_places);
    uint32_t first_strand = check->ssd->params.zones * buffer->zone_strands;

    must_be(check, "pages of a line before the log's open one", 0,
            open_page % conv->line_pages, 0);
    must_be(check, "bytes of a page of the log", 0,
            stream->held_bytes - stream->formed_bytes,
            (uint64_t)part_places * SSD_GRANULE_BYTES);
    for (uint32_t s = first_strand; s < wbuf_strand_count(buffer); s++) {
        for (uint32_t i = buffer->strands[s].first_page_idx;
             i != SSD_NONE; i = buffer->pages[i].next_idx) {
            check_log_page(check, &buffer->pages[i], open_page);
        }
    }
}

/* A line has programmed what has been written to it, but what is under way. */
static void check_line(LoadCheck *check, uint32_t line)
{
    const Conv *conv = &check->ssd->conv;
    const Ftl *ftl = &conv->ftl;
    uint64_t pages = (uint64_t)conv->programmed_pages[line] +
                     check->ops.line_programs[line];

    switch (ftl->lines[line].state) {
    case FTL_LINE_FREE:
        must_be(check, "pages of free line", line, pages, 0);
        break;
    case FTL_LINE_OPEN:
        must_be(check, "pages of open line", line, pages,
                ftl->open_used / conv->page_places);
        break;
    case FTL_LINE_CLOSED:
        must_be(check, "pages of closed line", line, pages, conv->line_pages);
        must_be(check, "ready is closed line", line, ftl->lines[line].ready,
                conv->programmed_pages[line] == conv->line_pages);
        break;
    case FTL_LINE_VICTIM:
        must_be(check, "pages of the victim", line, pages,
                conv->stage == CLEAN_ERASE ? 0 : conv->line_pages);
        break;
    }
}

/* Rows of the victim that have been moved hold nothing any more. */
static void check_moved(LoadCheck *check)
{
    const Conv *conv = &check->ssd->conv;
    uint32_t rows = conv->row + (conv->stage == CLEAN_WRITE);
    uint64_t places = (uint64_t)MIN(rows, conv->media->rows_per_block) *
                      conv->map.zone_units * conv->page_places;

    for (uint64_t i = 0; i < places; i++) {
        uint32_t place = conv->victim * conv->ftl.line_places + i;

        if (ftl_is_valid(&conv->ftl, place)) {
            state_fail(check->state, "place %u has been moved, and holds "
                       "something", place);
        }
    }
}

static void check_log(LoadCheck *check)
{
    const Conv *conv = &check->ssd->conv;
    const Ftl *ftl = &conv->ftl;
    uint64_t needed = ftl->line_places; /* 0: there is no log */
    uint64_t promised = conv->promised;

    if (wbuf_has_log(&check->ssd->buffer)) {
        check_log_buffer(check);
    }
    must_be(check, "operations of cleaning", 0, conv->ops_left,
            check->ops.cleaning + check->ops.moved_pages);
    if (conv->victim != FTL_NONE) {
        check_moved(check);
        needed = ftl->lines[conv->victim].valid;
    }
    if (ftl_free_places(ftl) < needed + promised) {
        state_fail(check->state, "%" PRIu64 " places are free, %" PRIu64
                   " are needed", ftl_free_places(ftl), needed + promised);
    }
    for (uint32_t i = 0; i < ftl->line_count; i++) {
        check_line(check, i);
    }
}

/* The epochs of pages that the buffer holds. */
static void count_buffered(LoadCheck *check)
{
    const WriteBuffer *buffer = &check->ssd->buffer;

    for (uint32_t s = 0; s < wbuf_strand_count(buffer); s++) {
        for (uint32_t i = buffer->strands[s].first_page_idx; i != SSD_NONE;
             i = buffer->pages[i].next_idx) {
            check->ops.epochs[buffer->pages[i].epoch]++;
            check->ops.programs[wbuf_unit_of_page(
                buffer, wbuf_zone_of_strand(buffer, s),
                buffer->pages[i].page)]++;
        }
    }
}

void load_check_rooms(LoadCheck *check)
{
    count_buffered(check);
    check_media(check);
    check_buffer(check);
    check_resets(check);
    check_ways(check);
    check_log(check);
}
