/*
 * The state of the zoned namespaces at work: writes that wait, jobs, what is to
 * be erased.
 *
 * Knows nothing of the front end, conventional namespaces, or completions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "../base/state.h"
#include "zns_internal.h"

static const StateRow write_rows[] = {
    STATE_IN_LISTS(WriteQueue, head_idx),
    STATE_IN_LISTS(WriteQueue, tail_idx),
    STATE_NUMBER(WriteQueue, entered_count),
    STATE_NUMBER(WriteQueue, handed_off_count),
    STATE_NUMBER(WriteQueue, coming_count),
    STATE_NUMBER(WriteQueue, submitted_count),
    STATE_TIME(WriteQueue, host_bytes),
    STATE_NUMBER(WriteQueue, written_number),
    STATE_NUMBER(WriteQueue, managed_number),
};

static const StateRow seat_rows[] = {
    STATE_AT_MOST(Seat, state, SEAT_TAKEN),
    STATE_IN_LISTS(Seat, prev_zone_idx),
    STATE_IN_LISTS(Seat, next_zone_idx),
};

static const StateRow seat_line_rows[] = {
    STATE_LEFT(SeatLine, taken_count, "zones that have one"),
    STATE_IN_LISTS(SeatLine, first_zone_idx),
    STATE_IN_LISTS(SeatLine, last_zone_idx),
};

static const StateRow seats_rows[] = {
    STATE_LEFT(Seats, count, "of the parameters"),
    STATE_ELSE(Seats, zones, "seat_rows"),
    STATE_ELSE(Seats, lines, "seat_line_rows"),
};

static const StateRow job_rows[] = {
    STATE_AT_MOST(Job, op, SSD_OP_ZONE_RESET),
    STATE_INDEX_OR_NONE(Job, command_idx, STATE_OF_COMMANDS),
    STATE_BOOL(Job, waits_for_writes),
    STATE_NUMBER(Job, writes_before),
    STATE_NUMBER(Job, used_pages),
    STATE_TIME(Job, host_bytes),
    STATE_NUMBER(Job, was.wp_nlb),
    STATE_NUMBER(Job, was.end_nlb),
    STATE_AT_MOST(Job, was.state, SSD_ZONE_OFFLINE),
    STATE_BOOL(Job, was.has_zrwa),
    STATE_BOOL(Job, was.has_extension),
    STATE_BOOL(Job, after_fill),
    STATE_INDEX_OR_NONE(Job, superblock_idx, STATE_OF_SUPERBLOCKS),
    STATE_BOOL(Job, may_start),
    STATE_BOOL(Job, in_background),
    STATE_BOOL(Job, waits),
    STATE_BOOL(Job, stalls),
    STATE_NUMBER(Job, stall_until_at_ns),
    STATE_IN_LISTS(Job, next_of_zone_idx),
    STATE_IN_LISTS(Job, next_of_command_idx),
    STATE_IN_LISTS(Job, newer_fill_idx),
    STATE_IN_LISTS(Job, older_fill_idx),
};

static const StateRow work_rows[] = {
    STATE_INDEX(JobWork, zone_idx, STATE_OF_ZONES),
    STATE_NUMBER(JobWork, life),
    STATE_NUMBER(JobWork, next_page),
    STATE_TIME(JobWork, end_bytes),
    STATE_NUMBER(JobWork, chunk_end_page),
    STATE_AT_MOST(JobWork, ops_left, INT32_MAX),
};

static const StateRow queue_rows[] = {
    STATE_IN_LISTS(JobQueue, head_idx),
    STATE_IN_LISTS(JobQueue, tail_idx),
    STATE_BOOL(JobQueue, head_runs),
    STATE_LEFT(JobQueue, is_due, "no effect waits between calls"),
    STATE_INDEX_OR_NONE(JobQueue, releaser_idx, STATE_OF_JOBS),
    STATE_NUMBER(JobQueue, resets_entering),
    STATE_NUMBER(JobQueue, resets_waiting),
};

static const StateRow jobs_rows[] = {
    STATE_ELSE(Jobs, at, "job_rows and work_rows, of those in use"),
    STATE_LEFT(Jobs, capacity, "of the parameters"),
    STATE_IN_LISTS(Jobs, free_idx),
    STATE_AT_MOST(Jobs, fresh_idx, INT32_MAX),
    STATE_LEFT(Jobs, free_count, "those not in use"),
    STATE_LEFT(Jobs, own_reserve, "of excursions' jobs in use"),
    STATE_ELSE(Jobs, zones, "queue_rows"),
    STATE_IN_LISTS(Jobs, newest_fill_idx),
    STATE_LEFT(Jobs, running_fills, "those in the list"),
    STATE_IN_LISTS(Jobs, select_all_head_idx),
    STATE_IN_LISTS(Jobs, select_all_tail_idx),
    STATE_AT_MOST(Jobs, select_all_running, INT32_MAX),
};

static const StateRow erase_rows[] = {
    STATE_IN_LISTS(EraseQueue, next),
    STATE_IN_LISTS(EraseQueue, head_idx),
    STATE_IN_LISTS(EraseQueue, tail_idx),
    STATE_LEFT(EraseQueue, running, "jobs in the background"),
};

static const StateRow cache_zone_rows[] = {
    STATE_TIME(CacheZone, safe_bytes),
    STATE_TIME(CacheZone, noted_bytes),
    STATE_NUMBER(CacheZone, before_number),
    STATE_NUMBER(CacheZone, begun_number),
    STATE_BOOL(CacheZone, is_filled),
};

static const StateRow cache_rows[] = {
    STATE_ELSE(Cache, zones, "cache_zone_rows"),
    STATE_NUMBER(Cache, asked_number),
    STATE_NUMBER(Cache, done_number),
};

static const StateRow zns_rows[] = {
    STATE_LEFT(Zns, params, "another room"),
    STATE_LEFT(Zns, commands, "another room"),
    STATE_LEFT(Zns, media, "another room"),
    STATE_LEFT(Zns, link, "another room"),
    STATE_LEFT(Zns, prefetch, "another room"),
    STATE_LEFT(Zns, buffer, "another room"),
    STATE_LEFT(Zns, reset, "another room"),
    STATE_LEFT(Zns, events, "another room"),
    STATE_LEFT(Zns, ns, "another room"),
    STATE_ELSE(Zns, watch, "watch_visit()"),
    STATE_LEFT(Zns, finish, "of the parameters"),
    STATE_LEFT(Zns, chunk_pages, "of the parameters"),
    STATE_ELSE(Zns, writes, "write_rows"),
    STATE_LEFT(Zns, queued_count, "commands in `writes`"),
    STATE_ELSE(Zns, seats, "seats_rows"),
    STATE_ELSE(Zns, jobs, "jobs_rows"),
    STATE_ELSE(Zns, erases, "erase_rows"),
    STATE_ELSE(Zns, cache, "cache_rows"),
};

/* Writes */

static void check_writes(Zns *zns, State *state)
{
    for (uint32_t z = 0; z < zns->params->zones; z++) {
        const WriteQueue *queue = &zns->writes[z];

        if (queue->host_bytes > zns->params->zone_capacity_bytes) {
            state_fail(state, "zone %u has %" PRIu64 " bytes of the host", z,
                       queue->host_bytes);
        }
        for (uint32_t i = queue->head_idx; i != SSD_NONE;
             i = zns->commands->at[i].next_write_idx) {
            const Command *command = &zns->commands->at[i];

            zns->queued_count++;
            if (!command->writes || command->is_conventional ||
                command->write.data.zone_idx != z) {
                state_fail(state, "command %u does not write zone %u", i, z);
            }
        }
    }
}

/* Writing: what came last to all zones of a namespace came to each of them. */
static void note_managed(Zns *zns)
{
    for (uint32_t z = 0; z < zns->params->zones; z++) {
        zns->writes[z].managed_number = zns_managed_number(zns, z);
    }
}

static void visit_writes(Zns *zns, State *state)
{
    StateLinks links = STATE_LINKS(Command, next_write_idx, "writes",
                                   zns->commands->at,
                                   zns->params->cmd_slots);

    if (!state_is_reading(state)) {
        note_managed(zns);
    }
    STATE_TABLE(state, write_rows, zns->writes, zns->params->zones, NULL);
    state_links_begin(&links);
    state_lists(state, &links, &(StateHeads) {
        zns->writes, sizeof(WriteQueue), offsetof(WriteQueue, head_idx),
        offsetof(WriteQueue, tail_idx), zns->params->zones,
    });
    state_links_end(&links);
    if (state_was_read(state)) {
        check_writes(zns, state);
    }
}

/* Seats */

static void check_seats(Zns *zns, State *state, const bool *waits)
{
    for (uint32_t z = 0; z < zns->params->zones; z++) {
        SeatState seat = zns->seats.zones[z].state;

        seats_line(zns, z)->taken_count += seat == SEAT_TAKEN;
        if (waits[z] != (seat == SEAT_WAITED_FOR)) {
            state_fail(state, "zone %u waits for a seat: %d, or not", z, seat);
        }
        /* With a finish that fills the zone it goes as part of a page. */
        if (seat != SEAT_TAKEN && wbuf_has_part(zns->buffer, z) &&
            zns->media->issued_bytes[z] < zns->params->zone_capacity_bytes) {
            state_fail(state, "zone %u has a part of a page in the buffer, and "
                       "no seat", z);
        }
    }
    for (uint32_t i = 0; i < zns->params->namespaces; i++) {
        SeatLine *line = &zns->seats.lines[i];

        for (uint32_t z = line->first_zone_idx; z != SSD_NONE;
             z = zns->seats.zones[z].next_zone_idx) {
            if (seats_line(zns, z) != line) {
                state_fail(state, "zone %u waits for another namespace's seat",
                           z);
            }
        }
    }
}

static void visit_seats(Zns *zns, State *state)
{
    Seats *seats = &zns->seats;
    StateLinks links = STATE_LINKS(Seat, next_zone_idx,
                                   "zones that wait for seats", seats->zones,
                                   zns->params->zones);

    STATE_STRUCT(state, seats_rows, seats);
    if (seats->zones == NULL) {
        return;
    }
    STATE_TABLE(state, seat_rows, seats->zones, zns->params->zones, NULL);
    STATE_TABLE(state, seat_line_rows, seats->lines, zns->params->namespaces,
                NULL);
    links.prev_offset = offsetof(Seat, prev_zone_idx);
    state_links_begin(&links);
    state_lists(state, &links, &(StateHeads) {
        seats->lines, sizeof(SeatLine), offsetof(SeatLine, first_zone_idx),
        offsetof(SeatLine, last_zone_idx), zns->params->namespaces,
    });
    if (state_was_read(state)) {
        check_seats(zns, state, links.linked);
    }
    state_links_end(&links);
}

/* Jobs: those in use, and their lists */

static void visit_zone_queues(Zns *zns, State *state)
{
    Jobs *jobs = &zns->jobs;
    StateLinks links = STATE_LINKS(Job, next_of_zone_idx, "jobs of zones",
                                   jobs->at, jobs->fresh_idx);

    STATE_TABLE(state, queue_rows, jobs->zones, zns->params->zones, NULL);
    state_links_begin(&links);
    state_lists(state, &links, &(StateHeads) {
        jobs->zones, sizeof(JobQueue), offsetof(JobQueue, head_idx),
        offsetof(JobQueue, tail_idx), zns->params->zones,
    });
    state_links_end(&links);
}

/* Lists of jobs, the first of which are members of the commands. */
static void visit_command_jobs(Zns *zns, State *state, StateLinks *links,
                               const uint32_t *used)
{
    Command *commands = zns->commands->at;
    uint32_t count = zns->commands->count;
    g_autofree uint32_t *firsts = g_new(uint32_t, count);

    for (uint32_t i = 0; i < count; i++) {
        firsts[i] = commands[used[i]].first_job_idx;
    }
    state_lists(state, links, &(StateHeads) {
        firsts, sizeof(uint32_t), 0, STATE_SINGLE, count,
    });
    for (uint32_t i = 0; i < count; i++) {
        commands[used[i]].first_job_idx = firsts[i];
    }
}

static void visit_fills(Jobs *jobs, State *state)
{
    StateLinks links = STATE_LINKS(Job, older_fill_idx, "running finishes",
                                   jobs->at, jobs->fresh_idx);

    links.prev_offset = offsetof(Job, newer_fill_idx);
    state_links_begin(&links);
    state_list(state, &links, &jobs->newest_fill_idx, NULL);
    state_links_end(&links);
}

static void visit_select_alls(Zns *zns, State *state)
{
    StateLinks links = STATE_LINKS(Command, next_select_all_idx,
                                   "Select Alls", zns->commands->at,
                                   zns->params->cmd_slots);

    state_links_begin(&links);
    state_list(state, &links, &zns->jobs.select_all_head_idx,
               &zns->jobs.select_all_tail_idx);
    state_links_end(&links);
}

/* Reading: counts that follow from the jobs in use. */
static void count_jobs(Zns *zns, const uint32_t *used, uint32_t used_count)
{
    Jobs *jobs = &zns->jobs;

    jobs->free_count = jobs->capacity - used_count;
    for (uint32_t i = jobs->newest_fill_idx; i != SSD_NONE;
         i = jobs->at[i].older_fill_idx) {
        jobs->running_fills++;
    }
    for (uint32_t i = 0; i < used_count; i++) {
        const Job *job = &jobs->at[used[i]];

        zns->erases.running += job->in_background;
        jobs->own_reserve -= job->command_idx == SSD_NONE &&
                             !job->in_background;
    }
}

static void visit_jobs(Zns *zns, State *state, const uint32_t *commands)
{
    Jobs *jobs = &zns->jobs;
    StateLinks links = STATE_LINKS(Job, next_of_command_idx, "jobs", jobs->at,
                                   jobs->fresh_idx);
    g_autofree uint32_t *used = NULL;
    uint32_t used_count;

    state_links_begin(&links);
    state_list(state, &links, &jobs->free_idx, NULL);
    used = state_unlinked(&links, &used_count);
    STATE_TABLE(state, job_rows, jobs->at, used_count, used);
    STATE_TABLE(state, work_rows, zns->media->works, used_count, used);
    visit_command_jobs(zns, state, &links, commands);
    state_links_end(&links);
    visit_zone_queues(zns, state);
    visit_fills(jobs, state);
    visit_select_alls(zns, state);
    if (state_was_read(state)) {
        count_jobs(zns, used, used_count);
        jobs_check(zns, state, used, used_count);
    }
}

/* The list of superblocks that wait to be erased. */
static void visit_erases(Zns *zns, State *state)
{
    StateLinks links = {
        .name = "superblocks to be erased",
        .at = zns->erases.next,
        .bytes = sizeof(uint32_t),
        .prev_offset = STATE_SINGLE,
        .count = zns->media->superblocks.count,
    };

    STATE_STRUCT(state, erase_rows, &zns->erases);
    state_links_begin(&links);
    state_list(state, &links, &zns->erases.head_idx, &zns->erases.tail_idx);
    state_links_end(&links);
}

static void visit_cache(Zns *zns, State *state)
{
    STATE_STRUCT(state, cache_rows, &zns->cache);
    if (wcache_is_volatile(zns)) {
        STATE_TABLE(state, cache_zone_rows, zns->cache.zones,
                    zns->params->zones, NULL);
    }
}

void zns_state(Zns *zns, State *state, const uint32_t *used)
{
    watch_visit(&zns->watch, state);
    state_room(state, "zones");
    STATE_STRUCT(state, zns_rows, zns);
    visit_writes(zns, state);
    visit_seats(zns, state);
    visit_cache(zns, state);
    STATE_STRUCT(state, jobs_rows, &zns->jobs);
    if (zns->jobs.fresh_idx > zns->jobs.capacity) {
        state_fail(state, "%u jobs, at most %u", zns->jobs.fresh_idx,
                   zns->jobs.capacity);
    }
    if (state_is_good(state)) {
        visit_jobs(zns, state, used);
        visit_erases(zns, state);
    }
    state_room_end(state);
}
