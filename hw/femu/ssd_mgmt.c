/*
 * Zone management: what open, close, finish and reset do, and the jobs that
 * finish and reset leave on the flash.
 *
 * A command commits its zones' states when it is submitted; its jobs then queue
 * per zone and run one after another. All that can happen at one instant goes
 * through settle(), which works off a list of zones instead of recursing, for
 * a Select All may end thousands of jobs at once.
 *
 * Knows nothing of QEMU, queues or host memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_internal.h"

void ssd_jobs_init(Ssd *ssd)
{
    uint32_t zones = ssd->params.zones;

    ssd->job_capacity = bound_jobs(&ssd->params);
    ssd->own_job_reserve = bound_excursion_jobs(&ssd->params);
    ssd->jobs = g_new(Job, ssd->job_capacity);
    ssd->free_job_idx = SSD_NONE;
    ssd->free_job_count = ssd->job_capacity;
    ssd->newest_fill_idx = SSD_NONE;
    ssd->due_head_idx = SSD_NONE;
    ssd->select_all_head_idx = SSD_NONE;
    ssd->zone_jobs = g_new0(JobQueue, zones);
    for (uint32_t i = 0; i < zones; i++) {
        ssd->zone_jobs[i].head_idx = SSD_NONE;
        ssd->zone_jobs[i].releaser_idx = SSD_NONE;
    }
}

void ssd_jobs_destroy(Ssd *ssd)
{
    g_free(ssd->zone_jobs);
    g_free(ssd->jobs);
}

static uint32_t job_take(Ssd *ssd)
{
    uint32_t job_idx = ssd->free_job_idx;

    g_assert(ssd->free_job_count > 0);
    ssd->free_job_count--;
    if (job_idx != SSD_NONE) {
        ssd->free_job_idx = ssd->jobs[job_idx].next_of_command_idx;
        return job_idx;
    }
    return ssd->fresh_job_idx++;
}

static void job_give(Ssd *ssd, uint32_t job_idx)
{
    ssd->jobs[job_idx].next_of_command_idx = ssd->free_job_idx;
    ssd->free_job_idx = job_idx;
    ssd->free_job_count++;
}

/* Zones to be looked at */

static void zone_due(Ssd *ssd, uint32_t zone_idx)
{
    JobQueue *queue = &ssd->zone_jobs[zone_idx];

    if (queue->is_due) {
        return;
    }
    queue->is_due = true;
    queue->next_due_idx = SSD_NONE;
    if (ssd->due_head_idx == SSD_NONE) {
        ssd->due_head_idx = zone_idx;
    } else {
        ssd->zone_jobs[ssd->due_tail_idx].next_due_idx = zone_idx;
    }
    ssd->due_tail_idx = zone_idx;
}

/* A job enters its zone's queue when its command is submitted */

static bool leaves_work(const ZoneEntry *zone, SsdOp op)
{
    return (op == SSD_OP_ZONE_FINISH && zone->state != SSD_ZONE_FULL) ||
           (op == SSD_OP_ZONE_RESET && zone->state != SSD_ZONE_EMPTY);
}

/* Is the zone being finished, with pages that are not issued yet? */
static bool is_being_filled(const Ssd *ssd, uint32_t zone_idx)
{
    const JobQueue *queue = &ssd->zone_jobs[zone_idx];
    const Job *last = &ssd->jobs[queue->tail_idx];

    return queue->head_idx != SSD_NONE && last->op == SSD_OP_ZONE_FINISH &&
           last->next_page < ssd->zone_pages;
}

/* The first page that a finish has to fill. */
static uint64_t first_fill_page(const Ssd *ssd, uint32_t zone_idx)
{
    bool is_blank = zone_end_bytes(ssd, zone_idx) == 0;

    return is_blank && !ssd->params.finish_fills_empty
           ? ssd->zone_pages : zone_wp_bytes(ssd, zone_idx) / ssd->page_bytes;
}

/* Describe the work on the zone as it is before `op` is committed. */
static uint32_t job_new(Ssd *ssd, uint32_t command_idx, uint32_t zone_idx,
                        SsdOp op)
{
    uint32_t job_idx = job_take(ssd);

    ssd->jobs[job_idx] = (Job) {
        .op = op,
        .command_idx = command_idx,
        .zone_idx = zone_idx,
        .next_page = first_fill_page(ssd, zone_idx),
        .end_bytes = zone_end_bytes(ssd, zone_idx),
        .was_full = zone_entry(ssd, zone_idx)->state == SSD_ZONE_FULL,
        .after_fill = is_being_filled(ssd, zone_idx),
        .superblock_idx = SUPERBLOCK_NONE,
        .next_of_zone_idx = SSD_NONE,
        .next_of_command_idx = SSD_NONE,
    };
    if (command_idx == SSD_NONE) {
        ssd->own_job_reserve--;
    } else {
        ssd->commands[command_idx].parts_left++;
    }
    return job_idx;
}

/* Jobs of a zone, and of a command, in the order of submission. */
static void job_queue(Ssd *ssd, uint32_t job_idx)
{
    JobQueue *queue = &ssd->zone_jobs[ssd->jobs[job_idx].zone_idx];
    Command *command;

    if (queue->head_idx == SSD_NONE) {
        queue->head_idx = job_idx;
    } else {
        ssd->jobs[queue->tail_idx].next_of_zone_idx = job_idx;
    }
    queue->tail_idx = job_idx;
    if (ssd->jobs[job_idx].command_idx == SSD_NONE) {
        return;
    }
    command = &ssd->commands[ssd->jobs[job_idx].command_idx];
    if (command->first_job_idx == SSD_NONE) {
        command->first_job_idx = job_idx;
    } else {
        ssd->jobs[command->last_job_idx].next_of_command_idx = job_idx;
    }
    command->last_job_idx = job_idx;
}

void ssd_forget_pages(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    uint32_t units = ssd->map.zone_units;

    ssd->life[zone_idx]++;
    for (uint32_t u = 0; u < units; u++) {
        ssd->programmed_rows[zone_idx * units + u] = 0;
    }
    ssd->zone_writes[zone_idx].coming_count = 0;
    ssd->zone_writes[zone_idx].issued_bytes = 0;
    ssd->zone_writes[zone_idx].host_bytes = 0;
    ssd_ahead_forget(ssd, zone_idx);
    if (ssd_has_buffer(ssd)) {
        ssd_buffer_forget(ssd, now_ns, zone_idx);
    }
}

/* Writes that wait are not made any more; nor does a finish wait for them. */
static void discard_writes(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    uint32_t head_idx = ssd->zone_jobs[zone_idx].head_idx;

    ssd_drop_writes(ssd, now_ns, zone_idx);
    /* A Select All's own jobs keep their order. */
    if (ssd->jobs[head_idx].waits_for_writes) {
        zone_due(ssd, zone_idx);
    }
}

/* Commit `op` on a zone; the job that it leaves may not start yet. */
static void commit_zone(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                        uint32_t zone_idx, SsdOp op)
{
    SsdNs *ns = ns_of_zone(ssd, zone_idx);
    uint32_t table_idx = zone_idx - ns->first_zone_idx;

    if (leaves_work(&ns->zones.zones[table_idx], op)) {
        uint32_t job_idx = job_new(ssd, command_idx, zone_idx, op);

        job_queue(ssd, job_idx);
        ssd->zone_jobs[zone_idx].resets_entering += op == SSD_OP_ZONE_RESET;
        if (zone_is_active(&ns->zones, table_idx)) {
            ssd->zone_jobs[zone_idx].releaser_idx = job_idx;
        }
    }
    zone_commit_mgmt(&ns->zones, table_idx, op);
    ssd_watch_zone(ssd, now_ns, zone_idx);
}

/*
 * The job's turn at the front end has come: all writes before it have been
 * handed off, and none behind it. A reset finds pages programmed, or about to
 * be, up to what has been issued; all of them if a finish is to fill it.
 */
static void job_hand_off(Ssd *ssd, uint64_t now_ns, uint32_t job_idx)
{
    Job *job = &ssd->jobs[job_idx];
    WriteQueue *writes = &ssd->zone_writes[job->zone_idx];

    job->life = ssd->life[job->zone_idx];
    if (job->op != SSD_OP_ZONE_RESET) {
        return;
    }
    job->used_pages = job->after_fill ? ssd->zone_pages
                                      : writes->issued_bytes /
                                        ssd->page_bytes;
    job->host_bytes = writes->host_bytes;
    ssd->zone_jobs[job->zone_idx].resets_entering--;
    ssd->zone_jobs[job->zone_idx].resets_waiting++;
    discard_writes(ssd, now_ns, job->zone_idx);
    ssd_forget_pages(ssd, now_ns, job->zone_idx);
}

/* Work on the flash */

bool ssd_issue_next_fill(Ssd *ssd, uint64_t now_ns, uint32_t job_idx)
{
    Job *job = &ssd->jobs[job_idx];
    FlashOp op = {
        .owner = owner_of_job(ssd, job_idx),
        .life = job->life,
    };

    job->ops_left++;
    ssd_issue_fill(ssd, now_ns, job->zone_idx, job->next_page++,
                   job->end_bytes, &op);
    return job->next_page < job->chunk_end_page;
}

/* Needs a page that is left. */
static void issue_chunk(Ssd *ssd, uint64_t now_ns, uint32_t job_idx)
{
    Job *job = &ssd->jobs[job_idx];

    job->chunk_end_page = MIN(job->next_page + ssd->chunk_pages,
                              ssd->zone_pages);
    if (ssd_has_buffer(ssd)) {
        ssd_buffer_fill(ssd, now_ns, job_idx);
        return;
    }
    while (ssd_issue_next_fill(ssd, now_ns, job_idx)) {
        ;
    }
}

/* The list of running finishes */

static void fills_add(Ssd *ssd, uint32_t job_idx)
{
    Job *job = &ssd->jobs[job_idx];

    job->newer_fill_idx = SSD_NONE;
    job->older_fill_idx = ssd->newest_fill_idx;
    if (job->older_fill_idx != SSD_NONE) {
        ssd->jobs[job->older_fill_idx].newer_fill_idx = job_idx;
    }
    ssd->newest_fill_idx = job_idx;
    ssd->running_fills++;
}

static void fills_remove(Ssd *ssd, uint32_t job_idx)
{
    const Job *job = &ssd->jobs[job_idx];

    ssd->running_fills--;
    if (job->older_fill_idx != SSD_NONE) {
        ssd->jobs[job->older_fill_idx].newer_fill_idx = job->newer_fill_idx;
    }
    if (job->newer_fill_idx != SSD_NONE) {
        ssd->jobs[job->newer_fill_idx].older_fill_idx = job->older_fill_idx;
    } else {
        ssd->newest_fill_idx = job->older_fill_idx;
    }
}

static uint64_t least_pause_ns(const Ssd *ssd)
{
    const SsdParams *p = &ssd->params;

    return p->finish_busy_pause_ns
           ? MIN(p->finish_pause_ns, p->finish_busy_pause_ns)
           : p->finish_pause_ns;
}

/*
 * What a running finish has yet to issue takes a program for each chunk at the
 * very least, and a transfer if none of the chunk is in a ZRWA's buffer.
 */
static uint64_t fill_least_ns(const Ssd *ssd, const Job *job)
{
    const FlashConfig *config = &ssd->flash.config;
    uint64_t transfer_ns = flash_transfer_ns(&ssd->flash,
                                             config->program_transfer_ns, 0,
                                             ssd->page_bytes);
    uint64_t buffered_pages = job->end_bytes / ssd->page_bytes + 1;
    uint64_t pages = ssd->zone_pages - job->next_page;
    uint64_t chunks = (pages + ssd->chunk_pages - 1) / ssd->chunk_pages;
    uint64_t fresh_pages = ssd->zone_pages - MIN(MAX(job->next_page,
                                                     buffered_pages),
                                                 ssd->zone_pages);

    uint64_t rows = pages / ssd->map.zone_units; /* on each unit */

    return MAX(chunks * flash_least_program_ns(config) +
               (chunks ? chunks - 1 : 0) * least_pause_ns(ssd) +
               (fresh_pages + ssd->chunk_pages - 1) / ssd->chunk_pages *
               transfer_ns,
               rows * flash_least_program_ns(config));
}

/*
 * So many are looked at; beside more, one of them ends soon anyway, and the
 * next event is as good a bound.
 */
#define FILLS_LOOKED_AT 64

uint64_t ssd_fills_end_after_ns(const Ssd *ssd)
{
    uint32_t job_idx = ssd->newest_fill_idx;
    uint64_t least_left_ns = job_idx == SSD_NONE ? 0 : UINT64_MAX;

    if (ssd->running_fills > FILLS_LOOKED_AT) {
        return event_heap_next_at_ns(&ssd->events);
    }
    for (; job_idx != SSD_NONE; job_idx = ssd->jobs[job_idx].older_fill_idx) {
        least_left_ns = MIN(least_left_ns,
                            fill_least_ns(ssd, &ssd->jobs[job_idx]));
    }
    return event_heap_next_at_ns(&ssd->events) + least_left_ns;
}

/* Select All */

/* Let jobs of the running Select All start, up to mgmt-parallel-zones. */
static void select_all_admit(Ssd *ssd)
{
    while (ssd->select_all_head_idx != SSD_NONE &&
           ssd->select_all_running < ssd->params.mgmt_parallel_zones) {
        Command *command = &ssd->commands[ssd->select_all_head_idx];
        uint32_t job_idx = command->first_job_idx;

        if (job_idx == SSD_NONE) {
            return;
        }
        command->first_job_idx = ssd->jobs[job_idx].next_of_command_idx;
        ssd->jobs[job_idx].may_start = true;
        ssd->select_all_running++;
        zone_due(ssd, ssd->jobs[job_idx].zone_idx);
    }
}

static void select_all_queue(Ssd *ssd, uint32_t command_idx)
{
    if (ssd->select_all_head_idx == SSD_NONE) {
        ssd->select_all_head_idx = command_idx;
    } else {
        ssd->commands[ssd->select_all_tail_idx].next_idx = command_idx;
    }
    ssd->select_all_tail_idx = command_idx;
}

static void select_all_job_ended(Ssd *ssd)
{
    const Command *command = &ssd->commands[ssd->select_all_head_idx];

    ssd->select_all_running--;
    if (ssd->select_all_running == 0 && command->first_job_idx == SSD_NONE) {
        ssd->select_all_head_idx = command->next_idx;
    }
    select_all_admit(ssd);
}

/* The life of a job */

/* The job leaves its zone, whose next one may have its turn. */
static void leave_zone(Ssd *ssd, uint32_t job_idx)
{
    const Job *job = &ssd->jobs[job_idx];
    JobQueue *queue = &ssd->zone_jobs[job->zone_idx];

    queue->head_idx = job->next_of_zone_idx;
    queue->head_runs = false;
    if (queue->releaser_idx == job_idx) {
        SsdNs *ns = ns_of_zone(ssd, job->zone_idx);

        queue->releaser_idx = SSD_NONE;
        zone_release(&ns->zones, job->zone_idx - ns->first_zone_idx);
    }
}

static void job_end(Ssd *ssd, uint64_t now_ns, uint32_t job_idx)
{
    Job job = ssd->jobs[job_idx];

    if (job.op == SSD_OP_ZONE_FINISH) {
        fills_remove(ssd, job_idx);
    } else {
        ssd_erase_end(ssd, job_idx);
    }
    if (job.in_background) {
        job_give(ssd, job_idx);
        ssd_background_ended(ssd, now_ns);
        return;
    }
    leave_zone(ssd, job_idx);
    job_give(ssd, job_idx);
    if (job.command_idx == SSD_NONE) {
        ssd->own_job_reserve++;
        zone_due(ssd, job.zone_idx);
        return;
    }
    /* What a Select All lets start comes before the zone's own next job. */
    if (job.command_idx == ssd->select_all_head_idx) {
        select_all_job_ended(ssd);
    }
    zone_due(ssd, job.zone_idx);
    ssd_command_part_ended(ssd, job.command_idx, now_ns);
}

/* The steps of a job */

static bool has_more(const Ssd *ssd, uint32_t job_idx)
{
    const Job *job = &ssd->jobs[job_idx];

    return job->op == SSD_OP_ZONE_FINISH ? job->next_page < ssd->zone_pages
                                         : ssd_erase_has_more(ssd, job_idx);
}

void ssd_job_advance(Ssd *ssd, uint64_t now_ns, uint32_t job_idx)
{
    if (!has_more(ssd, job_idx)) {
        job_end(ssd, now_ns, job_idx);
    } else if (ssd_job_stalls(ssd, now_ns, job_idx)) {
        return;
    } else if (ssd->jobs[job_idx].op == SSD_OP_ZONE_FINISH) {
        issue_chunk(ssd, now_ns, job_idx);
    } else {
        ssd_erase_step(ssd, now_ns, job_idx);
    }
}

/*
 * The pages that a finish fills come after those that were written; that of an
 * excursion has not waited at the front end behind them. A reset has ended the
 * life that it is of.
 */
static bool waits_for_writes(const Ssd *ssd, const Job *job)
{
    return job->life == ssd->life[job->zone_idx] &&
           (!ssd_zone_is_written(ssd, job->zone_idx) ||
            (job->command_idx == SSD_NONE &&
             (int32_t)(job->writes_before -
                       ssd->zone_writes[job->zone_idx].handed_off_count) > 0));
}

/* Running finishes bound the next completion only if no other one waits. */
static void job_set_waits(Ssd *ssd, Job *job, bool waits)
{
    ssd->waiting_fills += waits - job->waits_for_writes;
    job->waits_for_writes = waits;
}

static bool finish_waits(Ssd *ssd, Job *job)
{
    job_set_waits(ssd, job, waits_for_writes(ssd, job));
    return job->waits_for_writes;
}

static void fill_start(Ssd *ssd, uint32_t job_idx)
{
    const Job *job = &ssd->jobs[job_idx];

    fills_add(ssd, job_idx);
    if (job->life == ssd->life[job->zone_idx] &&
        job->next_page < ssd->zone_pages) {
        ssd->zone_writes[job->zone_idx].issued_bytes =
            ssd->params.zone_capacity_bytes;
    }
}

bool ssd_reset_waits(const Ssd *ssd, uint32_t zone_idx)
{
    return ssd->zone_jobs[zone_idx].resets_waiting > 0;
}

static void reset_erase(Ssd *ssd, uint64_t now_ns, uint32_t job_idx)
{
    uint32_t zone_idx = ssd->jobs[job_idx].zone_idx;

    ssd_erase_begin(ssd, now_ns, job_idx);
    ssd_job_advance(ssd, now_ns, job_idx);
    ssd->zone_jobs[zone_idx].resets_waiting--;
    ssd_issue_writes(ssd, now_ns, zone_idx);
}

/* The first step of a zone's job; without work, it ends at once. */
static void job_begin(Ssd *ssd, uint64_t now_ns, uint32_t job_idx)
{
    if (ssd->jobs[job_idx].op == SSD_OP_ZONE_FINISH) {
        fill_start(ssd, job_idx);
        ssd_job_advance(ssd, now_ns, job_idx);
    } else if (ssd->reset.is_on) {
        ssd_reset_begin(ssd, now_ns, job_idx);
    } else {
        reset_erase(ssd, now_ns, job_idx);
    }
}

/* So there are never first erases of two lives of a zone. */
static bool reset_waits_for_erases(const JobQueue *queue, const Job *job)
{
    return job->op == SSD_OP_ZONE_RESET && queue->first_erases > 0;
}

/* Begin a zone's next job if it can. */
static void zone_settle(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    JobQueue *queue = &ssd->zone_jobs[zone_idx];

    if (queue->head_idx == SSD_NONE || queue->head_runs ||
        !ssd->jobs[queue->head_idx].may_start ||
        reset_waits_for_erases(queue, &ssd->jobs[queue->head_idx]) ||
        finish_waits(ssd, &ssd->jobs[queue->head_idx])) {
        return;
    }
    queue->head_runs = true;
    job_begin(ssd, now_ns, queue->head_idx);
}

/* What a job's beginning makes due joins the list that is worked off. */
static void settle(Ssd *ssd, uint64_t now_ns)
{
    if (ssd->settling) {
        return;
    }
    ssd->settling = true;
    while (ssd->due_head_idx != SSD_NONE) {
        uint32_t zone_idx = ssd->due_head_idx;

        ssd->due_head_idx = ssd->zone_jobs[zone_idx].next_due_idx;
        ssd->zone_jobs[zone_idx].is_due = false;
        zone_settle(ssd, now_ns, zone_idx);
    }
    ssd->settling = false;
}

void ssd_zone_written(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    if (ssd->zone_jobs[zone_idx].head_idx != SSD_NONE) {
        zone_due(ssd, zone_idx);
        settle(ssd, now_ns);
    }
}

void ssd_first_erase_ended(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    if (--ssd->zone_jobs[zone_idx].first_erases == 0) {
        zone_due(ssd, zone_idx);
        settle(ssd, now_ns);
    }
}

void ssd_job_op_ended(Ssd *ssd, uint32_t job_idx, uint64_t at_ns)
{
    Job *job = &ssd->jobs[job_idx];

    job->ops_left--;
    if (job->ops_left > 0 || job->waits ||
        job->next_page < job->chunk_end_page ||
        (has_more(ssd, job_idx) && ssd_job_pauses(ssd, at_ns, job_idx))) {
        return;
    }
    ssd_job_advance(ssd, at_ns, job_idx);
    settle(ssd, at_ns);
}

void ssd_reset_erase(Ssd *ssd, uint64_t now_ns, uint32_t job_idx)
{
    reset_erase(ssd, now_ns, job_idx);
    settle(ssd, now_ns);
}

void ssd_job_woken(Ssd *ssd, uint64_t now_ns, uint32_t job_idx)
{
    Job *job = &ssd->jobs[job_idx];

    job->waits = false;
    /* Erases that a write asked for may still be under way. */
    if (job->ops_left == 0) {
        ssd_job_advance(ssd, now_ns, job_idx);
        settle(ssd, now_ns);
    }
}

uint32_t ssd_job_new_background(Ssd *ssd)
{
    uint32_t job_idx = job_take(ssd);

    ssd->jobs[job_idx] = (Job) {
        .op = SSD_OP_ZONE_RESET,
        .command_idx = SSD_NONE,
        .in_background = true,
        .superblock_idx = SUPERBLOCK_NONE,
    };
    return job_idx;
}

/* Commands */

void ssd_finish_zone(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    JobQueue *queue = &ssd->zone_jobs[zone_idx];
    Job *job;

    commit_zone(ssd, now_ns, SSD_NONE, zone_idx, SSD_OP_ZONE_FINISH);
    job = &ssd->jobs[queue->tail_idx];
    /* Of the life behind the resets that the front end has yet to hand off. */
    job->life = ssd->life[zone_idx] + queue->resets_entering;
    job->writes_before = ssd->zone_writes[zone_idx].entered_count;
    job->may_start = true;
    zone_due(ssd, zone_idx);
    settle(ssd, now_ns);
}

void ssd_commit_mgmt(Ssd *ssd, uint32_t command_idx, uint32_t zone_idx,
                     SsdOp op)
{
    commit_zone(ssd, ssd->run_at_ns, command_idx, zone_idx, op);
}

void ssd_commit_select_all(Ssd *ssd, uint32_t command_idx, const SsdNs *ns,
                           SsdOp op)
{
    ssd->commands[command_idx].select_all = true;
    for (uint32_t i = 0; i < ns->zones.count; i++) {
        if (zone_select_all_applies(&ns->zones, i, op)) {
            commit_zone(ssd, ssd->run_at_ns, command_idx,
                        ns->first_zone_idx + i, op);
        }
    }
}

void ssd_begin_jobs(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    Command *command = &ssd->commands[command_idx];
    uint32_t job_idx = command->first_job_idx;

    if (job_idx == SSD_NONE) {
        return;
    }
    for (; job_idx != SSD_NONE;
         job_idx = ssd->jobs[job_idx].next_of_command_idx) {
        job_hand_off(ssd, now_ns, job_idx);
    }
    if (command->select_all) {
        select_all_queue(ssd, command_idx);
        select_all_admit(ssd);
    } else {
        ssd->jobs[command->first_job_idx].may_start = true;
        zone_due(ssd, ssd->jobs[command->first_job_idx].zone_idx);
    }
    settle(ssd, now_ns);
}
