/*
 * Zone management: what open, close, finish and reset do, and the life of the
 * jobs that finish and reset leave on the flash.
 *
 * A command commits its zones' states when it is submitted; its jobs then queue
 * per zone and run one after another. Whatever may let a zone's next job begin
 * says so by EFFECT_ZONE_DUE, so that the thousands of jobs which a Select All
 * may end at one instant are a list, and no recursion.
 *
 * Knows nothing of the front end, or of conventional namespaces.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "zns_internal.h"

/* How a finish fills a chunk of the zone: a row for each way */

struct FinishPolicy {
    void (*fill)(Zns *zns, uint64_t now_ns, uint32_t job_idx);
};

static void fill_directly(Zns *zns, uint64_t now_ns, uint32_t job_idx)
{
    const JobWork *work = &zns->media->works[job_idx];

    do {
        media_issue_fill(zns->media, now_ns, job_idx, work->next_page);
    } while (work->next_page < work->chunk_end_page);
}

/* The pages wait at the units like those that the host has written. */
static void fill_as_buffered(Zns *zns, uint64_t now_ns, uint32_t job_idx)
{
    wbuf_fill(zns->buffer, now_ns, job_idx);
}

static const FinishPolicy finish_policies[] = {
    [false] = { .fill = fill_directly },
    [true] = { .fill = fill_as_buffered }, /* with a write buffer */
};

void zns_init(Zns *zns, const Zns *rooms)
{
    *zns = *rooms;
    zns->finish = &finish_policies[wbuf_is_on(zns->buffer)];
    zns->chunk_pages = ssd_params_finish_bytes(zns->params) /
                       zns->media->page_bytes;
    watch_init(&zns->watch, zns->params, zns->ns);
    zns_writes_init(zns);
    seats_init(zns);
    jobs_init(zns);
    erase_init(zns);
    wcache_init(zns);
}

void zns_destroy(Zns *zns)
{
    wcache_destroy(zns);
    erase_destroy(zns);
    jobs_destroy(zns);
    seats_destroy(zns);
    zns_writes_destroy(zns);
    watch_destroy(&zns->watch);
}

/* Submission */

static bool leaves_work(const ZoneEntry *zone, SsdOp op)
{
    return (op == SSD_OP_ZONE_FINISH && zone->state != SSD_ZONE_FULL) ||
           (op == SSD_OP_ZONE_RESET && zone->state != SSD_ZONE_EMPTY);
}

/* The command that was taken last concerns the zone, if it changes it or not. */
static void zone_managed(Zns *zns, uint32_t zone_idx)
{
    zns->writes[zone_idx].managed_number = zns->commands->taken;
}

void zns_commit_mgmt(Zns *zns, uint64_t now_ns, uint32_t command_idx,
                     uint32_t zone_idx, SsdOp op)
{
    SsdNs *ns = ns_of_zone(zns->ns, zone_idx);
    uint32_t table_idx = zone_idx - ns->first_zone_idx;

    if (leaves_work(&ns->zones.zones[table_idx], op)) {
        uint32_t job_idx = job_new(zns, command_idx, zone_idx, op);

        zns->jobs.zones[zone_idx].resets_entering += op == SSD_OP_ZONE_RESET;
        if (zone_is_active(&ns->zones, table_idx)) {
            zns->jobs.zones[zone_idx].releaser_idx = job_idx;
        }
        if (op == SSD_OP_ZONE_FINISH) {
            wcache_zone_filled(zns, zone_idx);
        }
    }
    zone_commit_mgmt(&ns->zones, table_idx, op);
    if (op == SSD_OP_ZONE_RESET) {
        wcache_zone_reset(zns, zone_idx);
    }
    zone_managed(zns, zone_idx);
    watch_zone(&zns->watch, now_ns, zone_idx);
}

void zns_commit_select_all(Zns *zns, uint64_t now_ns, uint32_t command_idx,
                           SsdNs *ns, SsdOp op)
{
    zns->commands->at[command_idx].select_all = true;
    ns->managed_number = zns->commands->taken;
    for (uint32_t i = 0;
         (i = zone_next_selected(&ns->zones, i, op)) < ns->zones.count; i++) {
        zns_commit_mgmt(zns, now_ns, command_idx, ns->first_zone_idx + i, op);
    }
}

static void shut_down(Zns *zns, uint64_t now_ns, SsdNs *ns)
{
    ns->managed_number = zns->commands->taken;
    for (uint32_t i = zone_next_selected(&ns->zones, 0, SSD_OP_ZONE_FINISH);
         i < ns->zones.count;
         i = zone_next_selected(&ns->zones, i + 1, SSD_OP_ZONE_FINISH)) {
        if (zone_commit_initial(&ns->zones, i)) {
            watch_zone(&zns->watch, now_ns, ns->first_zone_idx + i);
        }
    }
}

RARE
void zns_commit_shutdown(Zns *zns, uint64_t now_ns)
{
    for (uint32_t i = 0; i < zns->ns->count; i++) {
        shut_down(zns, now_ns, &zns->ns->at[i]);
    }
}

/* Hand-off */

/* Drop the writes that wait; a finish need not wait for them any more. */
static void discard_writes(Zns *zns, uint32_t zone_idx)
{
    uint32_t head_idx = zns->jobs.zones[zone_idx].head_idx;

    zns_drop_writes(zns, zone_idx);
    /* Only then: the jobs of a Select All begin in an order of their own. */
    if (job_at(zns, head_idx)->waits_for_writes) {
        jobs_zone_due(zns, zone_idx);
    }
}

/*
 * The job's command is handed off: all writes before it have been handed off,
 * none behind it. A reset now notes how many pages it has to erase: those that
 * have been issued, or all if a finish is filling the zone.
 */
static void job_hand_off(Zns *zns, uint64_t now_ns, uint32_t job_idx)
{
    Job *job = job_at(zns, job_idx);
    uint32_t zone_idx = job_zone_idx(zns, job_idx);

    zns->media->works[job_idx].life = zns->media->life[zone_idx];
    if (job->op != SSD_OP_ZONE_RESET) {
        return;
    }
    job->used_pages = job->after_fill ? zns->media->zone_pages
                                      : zns->media->issued_bytes[zone_idx] /
                                        zns->media->page_bytes;
    job->after_fill |= !zns_zone_is_written(zns, zone_idx);
    job->host_bytes = zns->writes[zone_idx].host_bytes;
    zns->jobs.zones[zone_idx].resets_entering--;
    zns->jobs.zones[zone_idx].resets_waiting++;
    discard_writes(zns, zone_idx);
    zns_forget_pages(zns, now_ns, zone_idx);
}

RARE
void zns_begin_jobs(Zns *zns, uint64_t now_ns, uint32_t command_idx)
{
    const Command *command = &zns->commands->at[command_idx];
    uint32_t job_idx = command->first_job_idx;

    if (job_idx == SSD_NONE) {
        return;
    }
    for (; job_idx != SSD_NONE;
         job_idx = job_at(zns, job_idx)->next_of_command_idx) {
        job_hand_off(zns, now_ns, job_idx);
    }
    if (command->select_all) {
        jobs_select_all(zns, command_idx);
    } else {
        job_at(zns, command->first_job_idx)->may_start = true;
        jobs_zone_due(zns, job_zone_idx(zns, command->first_job_idx));
    }
}

/* The steps of a job, and its end */

static bool has_more(const Zns *zns, uint32_t job_idx)
{
    return job_at(zns, job_idx)->op == SSD_OP_ZONE_FINISH
           ? zns->media->works[job_idx].next_page < zns->media->zone_pages
           : erase_has_more(zns, job_idx);
}

/* Needs a page of the zone that is not issued yet. */
static void issue_chunk(Zns *zns, uint64_t now_ns, uint32_t job_idx)
{
    JobWork *work = &zns->media->works[job_idx];

    work->chunk_end_page = MIN(work->next_page + zns->chunk_pages,
                               zns->media->zone_pages);
    zns->finish->fill(zns, now_ns, job_idx);
}

static void job_end(Zns *zns, uint32_t job_idx)
{
    const Job *job = job_at(zns, job_idx);
    uint32_t zone_idx = job_zone_idx(zns, job_idx);
    uint32_t command_idx = job->command_idx;
    bool in_background = job->in_background;

    if (job->op == SSD_OP_ZONE_FINISH) {
        jobs_fill_ended(zns, job_idx);
    } else {
        erase_end(zns, job_idx);
    }
    if (!in_background) {
        job_leave_zone(zns, job_idx);
    }
    job_give(zns, job_idx);
    if (in_background) {
        erase_background_ended(zns);
        return;
    }
    if (command_idx == SSD_NONE) {
        zns->jobs.own_reserve++;
        jobs_zone_due(zns, zone_idx);
        return;
    }
    /* First the Select All's next jobs may start, then the zone's next job. */
    if (command_idx == zns->jobs.select_all_head_idx) {
        jobs_select_all_ended(zns);
    }
    jobs_zone_due(zns, zone_idx);
    commands_part_ended(zns->commands, command_idx);
}

/*
 * Begin the job's next step; none is under way, and the job does not pause. If
 * no step is left, the job has ended.
 */
static void step(Zns *zns, uint64_t now_ns, uint32_t job_idx)
{
    if (!has_more(zns, job_idx)) {
        job_end(zns, job_idx);
        return;
    }
    if (job_stalls(zns, now_ns, job_idx)) {
        return;
    }
    if (job_at(zns, job_idx)->op == SSD_OP_ZONE_FINISH) {
        issue_chunk(zns, now_ns, job_idx);
    } else {
        erase_step(zns, now_ns, job_idx);
    }
}

/* Start erases in the background, up to mgmt-parallel-zones. */
static void start_background(Zns *zns, uint64_t now_ns)
{
    uint32_t job_idx;

    while ((job_idx = erase_next_in_background(zns)) != SSD_NONE) {
        step(zns, now_ns, job_idx);
    }
}

static void advance(Zns *zns, uint64_t now_ns, uint32_t job_idx)
{
    bool in_background = job_at(zns, job_idx)->in_background;

    step(zns, now_ns, job_idx);
    if (in_background) {
        start_background(zns, now_ns);
    }
}

/* The beginning of a job */

/*
 * A finish fills the pages behind those that were written, so it waits until
 * these writes are issued. A finish of an excursion does not come through the
 * front end: writes before it may not even be handed off. If a reset has ended
 * the zone's life meanwhile, there is nothing to wait for.
 */
static bool waits_for_writes(const Zns *zns, uint32_t job_idx)
{
    const Job *job = job_at(zns, job_idx);
    uint32_t zone_idx = job_zone_idx(zns, job_idx);

    return zns->media->works[job_idx].life == zns->media->life[zone_idx] &&
           (!zns_zone_is_written(zns, zone_idx) ||
            (job->command_idx == SSD_NONE &&
             (int32_t)(job->writes_before -
                       zns->writes[zone_idx].handed_off_count) > 0));
}

/* Must the finish wait for writes? */
static bool finish_waits(Zns *zns, uint32_t job_idx)
{
    Job *job = job_at(zns, job_idx);

    job->waits_for_writes = waits_for_writes(zns, job_idx);
    return job->waits_for_writes;
}

static void fill_begin(Zns *zns, uint64_t now_ns, uint32_t job_idx)
{
    const JobWork *work = &zns->media->works[job_idx];

    jobs_fill_begins(zns, job_idx);
    if (work->life == zns->media->life[work->zone_idx] &&
        work->next_page < zns->media->zone_pages) {
        zns->media->issued_bytes[work->zone_idx] =
            zns->params->zone_capacity_bytes;
        seats_give_up(zns, work->zone_idx); /* its part goes with a page */
    }
    advance(zns, now_ns, job_idx);
}

void zns_reset_managed(Zns *zns, uint64_t now_ns, uint32_t job_idx)
{
    uint32_t zone_idx = job_zone_idx(zns, job_idx);

    erase_begin(zns, job_idx);
    start_background(zns, now_ns);
    advance(zns, now_ns, job_idx);
    zns->jobs.zones[zone_idx].resets_waiting--;
    zns_issue_writes(zns, now_ns, zone_idx);
}

/* Begin the zone's first job; one without work ends at once. */
static void job_begin(Zns *zns, uint64_t now_ns, uint32_t job_idx)
{
    const Job *job = job_at(zns, job_idx);

    if (job->op == SSD_OP_ZONE_FINISH) {
        fill_begin(zns, now_ns, job_idx);
    } else if (reset_is_on(zns->reset)) {
        reset_begin(zns->reset, now_ns, job_idx, job->host_bytes,
                    job->was.state == SSD_ZONE_FULL);
    } else {
        zns_reset_managed(zns, now_ns, job_idx);
    }
}

/*
 * A reset waits for the erases of the zone's first write, so that there are
 * never such erases of two lives of a zone.
 */
static bool reset_waits_for_erases(const Zns *zns, uint32_t job_idx)
{
    return job_at(zns, job_idx)->op == SSD_OP_ZONE_RESET &&
           zns->media->first_erases[job_zone_idx(zns, job_idx)] != 0;
}

void zns_settle_zone(Zns *zns, uint64_t now_ns, uint32_t zone_idx)
{
    JobQueue *queue = &zns->jobs.zones[zone_idx];

    queue->is_due = false;
    if (zns->writes[zone_idx].head_idx != SSD_NONE) {
        zns_issue_writes(zns, now_ns, zone_idx);
    }
    if (queue->head_idx == SSD_NONE || queue->head_runs ||
        !job_at(zns, queue->head_idx)->may_start ||
        reset_waits_for_erases(zns, queue->head_idx) ||
        finish_waits(zns, queue->head_idx)) {
        return;
    }
    queue->head_runs = true;
    job_begin(zns, now_ns, queue->head_idx);
}

/* Events */

void zns_first_erase_ended(Zns *zns, uint32_t zone_idx)
{
    if (--zns->media->first_erases[zone_idx] == 0) {
        jobs_zone_due(zns, zone_idx);
    }
}

void zns_job_op_ended(Zns *zns, uint64_t now_ns, uint32_t job_idx)
{
    JobWork *work = &zns->media->works[job_idx];

    work->ops_left--;
    if (work->ops_left != 0 || job_at(zns, job_idx)->waits ||
        work->next_page < work->chunk_end_page ||
        (has_more(zns, job_idx) && job_pauses(zns, now_ns, job_idx))) {
        return;
    }
    advance(zns, now_ns, job_idx);
}

void zns_job_woken(Zns *zns, uint64_t now_ns, uint32_t job_idx)
{
    job_at(zns, job_idx)->waits = false;
    /* Erases that a program needed before may still be under way. */
    if (zns->media->works[job_idx].ops_left == 0) {
        advance(zns, now_ns, job_idx);
    }
}

/* The controller finishes the zone of itself: a finish like a host's. */
static void excurse(Zns *zns, uint64_t now_ns, uint32_t zone_idx)
{
    JobQueue *queue = &zns->jobs.zones[zone_idx];
    Job *job;

    zns_commit_mgmt(zns, now_ns, SSD_NONE, zone_idx, SSD_OP_ZONE_FINISH);
    job = job_at(zns, queue->tail_idx);
    /* It is of the life after the resets that are not handed off yet. */
    zns->media->works[queue->tail_idx].life = zns->media->life[zone_idx] +
                                              queue->resets_entering;
    job->writes_before = zns->writes[zone_idx].entered_count;
    job->may_start = true;
    jobs_zone_due(zns, zone_idx);
}

/*
 * Is the controller's finish the last job of the zone, although the zone can be
 * finished again? Then a format, which has no jobs, lies between.
 */
static bool is_excursion_inside(const Zns *zns, uint32_t zone_idx)
{
    const JobQueue *queue = &zns->jobs.zones[zone_idx];

    return queue->head_idx != SSD_NONE &&
           job_at(zns, queue->tail_idx)->command_idx == SSD_NONE;
}

/*
 * Of one zone, the controller has one finish inside between two resets, or
 * formats in a row would take all jobs that there are (jobs_of_excursions()):
 * the zone's time counts anew.
 */
RARE
void zns_watch_due(Zns *zns)
{
    uint64_t now_ns = zns->watch.next_at_ns;
    uint32_t zone_idx = watch_due(&zns->watch);

    if (zone_idx == SSD_NONE) {
        return;
    }
    if (is_excursion_inside(zns, zone_idx)) {
        watch_anew(&zns->watch, now_ns, zone_idx);
        return;
    }
    excurse(zns, now_ns, zone_idx);
    watch_excursion(&zns->watch, zone_idx);
}

void zns_format(Zns *zns, uint64_t now_ns, SsdNs *ns, uint32_t lba_bytes)
{
    namespaces_format(ns, zns->params, lba_bytes);
    for (uint32_t i = 0; i < ns->zones.count; i++) {
        zns_forget_pages(zns, now_ns, ns->first_zone_idx + i);
        wcache_zone_reset(zns, ns->first_zone_idx + i);
        watch_zone(&zns->watch, now_ns, ns->first_zone_idx + i);
    }
}
