/*
 * Jobs: the pool, the queue of each zone, the running finishes, and which jobs
 * of a Select All may run.
 *
 * Knows nothing of what a job does, or of time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "../base/round.h"
#include "zns_internal.h"

void jobs_init(Zns *zns)
{
    Jobs *jobs = &zns->jobs;
    uint32_t zones = zns->params->zones;

    *jobs = (Jobs) {
        .capacity = jobs_bound(zns->params),
        .own_reserve = jobs_of_excursions(zns->params),
        .free_idx = SSD_NONE,
        .newest_fill_idx = SSD_NONE,
        .select_all_head_idx = SSD_NONE,
    };
    jobs->at = g_new0(Job, jobs->capacity);
    jobs->free_count = jobs->capacity;
    jobs->zones = g_new0(JobQueue, zones);
    for (uint32_t i = 0; i < zones; i++) {
        jobs->zones[i].head_idx = SSD_NONE;
        jobs->zones[i].releaser_idx = SSD_NONE;
    }
}

void jobs_destroy(Zns *zns)
{
    g_free(zns->jobs.zones);
    g_free(zns->jobs.at);
}

/* The pool */

static uint32_t job_take(Zns *zns)
{
    Jobs *jobs = &zns->jobs;
    uint32_t job_idx = jobs->free_idx;

    g_assert(jobs->free_count > 0);
    jobs->free_count--;
    if (job_idx != SSD_NONE) {
        jobs->free_idx = jobs->at[job_idx].next_of_command_idx;
        return job_idx;
    }
    return jobs->fresh_idx++;
}

void job_give(Zns *zns, uint32_t job_idx)
{
    Jobs *jobs = &zns->jobs;

    jobs->at[job_idx].next_of_command_idx = jobs->free_idx;
    jobs->free_idx = job_idx;
    jobs->free_count++;
}

uint32_t job_new_background(Zns *zns)
{
    uint32_t job_idx = job_take(zns);

    *job_at(zns, job_idx) = (Job) {
        .op = SSD_OP_ZONE_RESET,
        .command_idx = SSD_NONE,
        .in_background = true,
        .superblock_idx = SUPERBLOCK_NONE,
    };
    zns->media->works[job_idx] = (JobWork) { 0 };
    return job_idx;
}

/* A job enters its zone's queue when its command is submitted */

/* Is the zone being finished, with pages that are not issued yet? */
static bool is_being_filled(const Zns *zns, uint32_t zone_idx)
{
    const JobQueue *queue = &zns->jobs.zones[zone_idx];

    return queue->head_idx != SSD_NONE &&
           job_at(zns, queue->tail_idx)->op == SSD_OP_ZONE_FINISH &&
           zns->media->works[queue->tail_idx].next_page <
           zns->media->zone_pages;
}

/* The first page that a finish has to fill. */
static uint64_t first_fill_page(const Zns *zns, uint32_t zone_idx)
{
    bool is_blank = zone_end_bytes(zns->ns, zone_idx) == 0;

    return is_blank && !zns->params->finish_fills_empty
           ? zns->media->zone_pages
           : zone_wp_bytes(zns->ns, zone_idx) / zns->media->page_bytes;
}

/* Jobs of a zone, and of a command, in the order of submission. */
static void queue_in_zone(Zns *zns, uint32_t job_idx)
{
    JobQueue *queue = &zns->jobs.zones[job_zone_idx(zns, job_idx)];

    if (queue->head_idx == SSD_NONE) {
        queue->head_idx = job_idx;
    } else {
        job_at(zns, queue->tail_idx)->next_of_zone_idx = job_idx;
    }
    queue->tail_idx = job_idx;
}

static void queue_in_command(Zns *zns, uint32_t job_idx)
{
    uint32_t command_idx = job_at(zns, job_idx)->command_idx;
    Command *command = &zns->commands->at[command_idx];

    commands_part_added(zns->commands, command_idx);
    if (command->first_job_idx == SSD_NONE) {
        command->first_job_idx = job_idx;
    } else {
        job_at(zns, command->last_job_idx)->next_of_command_idx = job_idx;
    }
    command->last_job_idx = job_idx;
}

uint32_t job_new(Zns *zns, uint32_t command_idx, uint32_t zone_idx, SsdOp op)
{
    uint32_t job_idx = job_take(zns);

    *job_at(zns, job_idx) = (Job) {
        .op = op,
        .command_idx = command_idx,
        .was = zns_zone_kept(zns, zone_idx),
        .after_fill = is_being_filled(zns, zone_idx),
        .superblock_idx = SUPERBLOCK_NONE,
        .next_of_zone_idx = SSD_NONE,
        .next_of_command_idx = SSD_NONE,
    };
    zns->media->works[job_idx] = (JobWork) {
        .zone_idx = zone_idx,
        .next_page = first_fill_page(zns, zone_idx),
        .end_bytes = zone_end_bytes(zns->ns, zone_idx),
    };
    queue_in_zone(zns, job_idx);
    if (command_idx == SSD_NONE) {
        zns->jobs.own_reserve--;
    } else {
        queue_in_command(zns, job_idx);
    }
    return job_idx;
}

void job_leave_zone(Zns *zns, uint32_t job_idx)
{
    uint32_t zone_idx = job_zone_idx(zns, job_idx);
    JobQueue *queue = &zns->jobs.zones[zone_idx];

    queue->head_idx = job_at(zns, job_idx)->next_of_zone_idx;
    queue->head_runs = false;
    if (queue->releaser_idx == job_idx) {
        SsdNs *ns = ns_of_zone(zns->ns, zone_idx);

        queue->releaser_idx = SSD_NONE;
        zone_release(&ns->zones, zone_idx - ns->first_zone_idx);
    }
}

/* The list of running finishes */

void jobs_fill_begins(Zns *zns, uint32_t job_idx)
{
    Jobs *jobs = &zns->jobs;
    Job *job = &jobs->at[job_idx];

    job->newer_fill_idx = SSD_NONE;
    job->older_fill_idx = jobs->newest_fill_idx;
    if (job->older_fill_idx != SSD_NONE) {
        jobs->at[job->older_fill_idx].newer_fill_idx = job_idx;
    }
    jobs->newest_fill_idx = job_idx;
    jobs->running_fills++;
}

void jobs_fill_ended(Zns *zns, uint32_t job_idx)
{
    Jobs *jobs = &zns->jobs;
    const Job *job = &jobs->at[job_idx];

    jobs->running_fills--;
    if (job->older_fill_idx != SSD_NONE) {
        jobs->at[job->older_fill_idx].newer_fill_idx = job->newer_fill_idx;
    }
    if (job->newer_fill_idx != SSD_NONE) {
        jobs->at[job->newer_fill_idx].older_fill_idx = job->older_fill_idx;
    } else {
        jobs->newest_fill_idx = job->older_fill_idx;
    }
}

static uint64_t least_pause_ns(const SsdParams *p)
{
    return p->finish_busy_pause_ns
           ? MIN(p->finish_pause_ns, p->finish_busy_pause_ns)
           : p->finish_pause_ns;
}

/*
 * A lower bound of how long a running finish still takes: for each chunk that
 * is not issued the shortest program, and a transfer too if no part of the
 * chunk is in a ZRWA's memory.
 */
static uint64_t fill_least_ns(const Zns *zns, uint32_t job_idx)
{
    const Media *media = zns->media;
    const JobWork *work = &media->works[job_idx];
    const FlashConfig *config = &media->flash.config;
    uint64_t transfer_ns = flash_transfer_ns(&media->flash,
                                             config->program_transfer_ns, 0,
                                             media->page_bytes);
    /* With page-turns the page that has data may be the last of its stripe. */
    uint64_t buffered_pages = work->end_bytes / media->page_bytes + 1;
    uint64_t passed_pages = work->next_page + zns->params->page_turns;
    uint64_t pages = media->zone_pages - work->next_page;
    uint64_t chunks = div_round_up(pages, zns->chunk_pages);
    uint64_t fresh_pages = media->zone_pages - MIN(MAX(passed_pages,
                                                       buffered_pages),
                                                   media->zone_pages);
    uint64_t rows = pages / media->map.zone_units; /* pages on each unit */

    return MAX(chunks * flash_least_program_ns(config) +
               (chunks ? chunks - 1 : 0) * least_pause_ns(zns->params) +
               div_round_up(fresh_pages, zns->chunk_pages) * transfer_ns,
               rows * flash_least_program_ns(config));
}

/*
 * With more running finishes than this their ends are not computed: one of them
 * ends soon anyway, so the time of the next event is as good a bound.
 */
#define FILLS_LOOKED_AT 64

RARE
uint64_t zns_fills_end_after_ns(const Zns *zns)
{
    const Jobs *jobs = &zns->jobs;
    uint32_t job_idx = jobs->newest_fill_idx;
    uint64_t least_left_ns = UINT64_MAX;

    if (jobs->running_fills - 1 >= FILLS_LOOKED_AT) { /* or none runs */
        return event_heap_next_at_ns(zns->events);
    }
    for (; job_idx != SSD_NONE; job_idx = jobs->at[job_idx].older_fill_idx) {
        least_left_ns = MIN(least_left_ns, fill_least_ns(zns, job_idx));
    }
    return event_heap_next_at_ns(zns->events) + least_left_ns;
}

/* Select All */

/* Let jobs of the running Select All start, up to mgmt-parallel-zones. */
static void select_all_admit(Zns *zns)
{
    Jobs *jobs = &zns->jobs;

    while (jobs->select_all_head_idx != SSD_NONE &&
           jobs->select_all_running < zns->params->mgmt_parallel_zones) {
        Command *command = &zns->commands->at[jobs->select_all_head_idx];
        uint32_t job_idx = command->first_job_idx;

        if (job_idx == SSD_NONE) {
            return;
        }
        command->first_job_idx = jobs->at[job_idx].next_of_command_idx;
        jobs->at[job_idx].may_start = true;
        jobs->select_all_running++;
        jobs_zone_due(zns, job_zone_idx(zns, job_idx));
    }
}

void jobs_select_all(Zns *zns, uint32_t command_idx)
{
    Jobs *jobs = &zns->jobs;
    Command *commands = zns->commands->at;

    commands[command_idx].next_select_all_idx = SSD_NONE;
    if (jobs->select_all_head_idx == SSD_NONE) {
        jobs->select_all_head_idx = command_idx;
    } else {
        commands[jobs->select_all_tail_idx].next_select_all_idx = command_idx;
    }
    jobs->select_all_tail_idx = command_idx;
    select_all_admit(zns);
}

void jobs_select_all_ended(Zns *zns)
{
    Jobs *jobs = &zns->jobs;
    const Command *command = &zns->commands->at[jobs->select_all_head_idx];

    jobs->select_all_running--;
    if (jobs->select_all_running == 0 && command->first_job_idx == SSD_NONE) {
        jobs->select_all_head_idx = command->next_select_all_idx;
    }
    select_all_admit(zns);
}
