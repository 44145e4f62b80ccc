/*
 * The engine's loop: completions of the drives and events of the host in order
 * of time; at one instant completions first, those of the first drive first.
 *
 * Knows nothing of how a plan is written down, and of how results are printed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "engine.h"

#include <inttypes.h>

#include "internal.h"
#include "common/progress.h"

/* A drive has cmd-slots, far fewer; seconds of a host go by until so many. */
#define MOST_AT_AN_INSTANT (1u << 22)

/* --- The ends of operations and jobs ------------------------------------- */

static void note_ended(Engine *engine, const Worker *worker, const Slot *slot,
                       bool prepared)
{
    ResultJob *job = &engine->result->jobs[worker->job_idx];
    ResultEntry entry = {
        .job_idx = worker->job_idx,
        .worker_idx = worker->worker_idx,
        .op = slot->op,
        .zone_idx = slot->zone_idx,
        .slba = slot->cmd.slba,
        .nlb = slot->cmd.nlb,
        .start_at_ns = (prepared ? slot->cmd_start_at_ns
                                 : slot->op_start_at_ns) -
                       engine->result->start_at_ns,
        .end_at_ns = engine_now_ns(engine) - engine->result->start_at_ns,
        .measured = !prepared && engine_now_ns(engine) >= job->measure_at_ns,
    };

    if (prepared) {
        entry.op = slot->step == SLOT_RESET ? PLAN_RESET : PLAN_WRITE;
        result_op_add(&job->prepared[entry.op], &entry,
                      slot->cmd.nlb * (uint64_t)engine->at->params->lba_bytes);
    } else if (entry.measured) {
        result_op_add(&job->ops[entry.op], &entry,
                      slot_op_bytes(engine, slot));
    }
    job->end_at_ns = MAX(job->end_at_ns, engine_now_ns(engine));
    if (engine->result->logger) {
        engine->result->logger(engine->result->logger_context, &entry);
    }
}

/* Start each worker after a random time of its own, as threads of a host. */
static void schedule_workers(Engine *engine, unsigned job_idx)
{
    const PlanJob *job = plan_job(engine->plan, job_idx);
    SimRandom random = {job->seed ^ ((uint64_t)job_idx << 48)};

    for (unsigned i = 0; i < job->workers; i++) {
        uint64_t at_ns = engine_now_ns(engine) + job->start_delay_ns;

        if (job->start_spread_ns > 0) {
            at_ns += sim_random_below(&random, job->start_spread_ns);
        }
        sim_heap_push(&engine->events, at_ns, EVENT_START,
                      engine->jobs[job_idx].first_worker_idx + i);
    }
}

/* Start jobs in order, up to one that must wait for all before it to end. */
static void start_jobs(Engine *engine)
{
    uint64_t now_ns = engine_now_ns(engine);

    while (engine->next_job_idx < engine->plan->jobs->len) {
        unsigned job_idx = engine->next_job_idx;
        const PlanJob *job = plan_job(engine->plan, job_idx);
        ResultJob *result = &engine->result->jobs[job_idx];

        if (job->stonewall && engine->jobs_running > 0) {
            return;
        }
        engine->next_job_idx++;
        engine->jobs_running++;
        result->measure_at_ns = now_ns + job->start_delay_ns + job->ramp_ns;
        result->end_at_ns = now_ns + job->start_delay_ns;
        schedule_workers(engine, job_idx);
    }
}

/* A job's end may stop all other workers: it and stop_all() call each other. */
static void worker_ended(Engine *engine, Worker *worker);

/* Send what the worker may send now, and end the worker if that was all. */
static void pump(Engine *engine, Worker *worker)
{
    if (pace_pump(engine, worker)) {
        worker_ended(engine, worker);
    }
}

/*
 * Stop all jobs that have been started or wait for their startdelay: the last
 * of them may end here, and the jobs behind a stonewall begin.
 */
static void stop_all(Engine *engine)
{
    unsigned jobs_end = engine->next_job_idx;

    for (unsigned i = 0; i < engine->worker_count; i++) {
        Worker *worker = &engine->workers[i];
        ResultJob *result = &engine->result->jobs[worker->job_idx];

        if (worker->stopped || worker->job_idx >= jobs_end) {
            continue;
        }
        worker->stopped = true;
        if (worker->started) {
            result->end_at_ns = MAX(result->end_at_ns, engine_now_ns(engine));
        }
        pump(engine, worker);
    }
}

static void worker_ended(Engine *engine, Worker *worker)
{
    JobRun *job = &engine->jobs[worker->job_idx];

    if (worker->ended) {
        return;
    }
    g_assert(worker->stopped && worker->inflight == 0);
    worker->ended = true;
    if (--job->workers_left > 0) {
        return;
    }
    engine->jobs_running--;
    if (worker->job->ends_all) {
        stop_all(engine);
    }
    start_jobs(engine);
}

/* The slot of an operation that has ended may have the next one. */
static void slot_next(Engine *engine, uint32_t slot_idx)
{
    Worker *worker = &engine->workers[engine->slots[slot_idx].worker_idx];

    slot_free(engine, worker, slot_idx);
    pump(engine, worker);
}

/* The command of one slot has ended. */
static void slot_ended(Engine *engine, uint32_t slot_idx)
{
    Slot *slot = &engine->slots[slot_idx];
    Worker *worker = &engine->workers[slot->worker_idx];
    SlotStep step = slot->step;
    bool prepared = step == SLOT_RESET || step == SLOT_PREWRITE;

    engine->at->io_inside -= slot_is_io(slot);
    if (prepared) {
        note_ended(engine, worker, slot, true);
    }
    if (worker_step(engine, worker, slot_idx)) {
        return;
    }
    if (!prepared) {
        note_ended(engine, worker, slot, false);
    }
    /* Of a zone that is written anew, the reset was no operation. */
    if (step != SLOT_RESET) {
        pace_op_ended(engine, worker);
    }
    if (worker->job->host.between_ns > 0 && !worker->stopped) {
        sim_heap_push(&engine->events, engine_now_ns(engine) +
                      worker->job->host.between_ns, EVENT_NEXT, slot_idx);
    } else {
        slot_next(engine, slot_idx);
    }
}

static void command_ended(Engine *engine, const SimDone *done)
{
    uint32_t slot_idx = done->sender;

    engine->result->end_at_ns = engine_now_ns(engine);
    engine->result->command_count++;
    engine_room_freed(engine);
    policy_ended(engine, slot_idx);
    while (slot_idx != ENGINE_NONE) {
        uint32_t merged_idx = engine->slots[slot_idx].merged_idx;

        slot_ended(engine, slot_idx);
        slot_idx = merged_idx;
    }
}

/* --- The loop ------------------------------------------------------------ */

/*
 * Commands that take no time may keep a job that waits for the clock from ever
 * ending.
 */
static void check_time_passes(Engine *engine)
{
    uint64_t count = engine->result->command_count;

    if (engine_now_ns(engine) != engine->instant_at_ns) {
        engine->instant_at_ns = engine_now_ns(engine);
        engine->instant_count = count;
    } else if (count - engine->instant_count > MOST_AT_AN_INSTANT) {
        engine_fail(engine, "%u commands have ended at %" PRIu64 " ns: these "
                    "take no time on this drive, so a job that waits for time "
                    "to pass never ends; give number_ios", MOST_AT_AN_INSTANT,
                    engine_now_ns(engine));
    }
}

/* Behind that, a clock and the times that are added to it could wrap around. */
static void check_time_lasts(Engine *engine)
{
    if (engine_now_ns(engine) > ENGINE_END_NS) {
        engine_fail(engine, "the clock is at %" PRIu64 " ns: a run may last "
                    "292 years, to %" PRIu64 " ns; give shorter times, or "
                    "fewer operations", engine_now_ns(engine), ENGINE_END_NS);
    }
}

static void start_worker(Engine *engine, Worker *worker)
{
    worker->started = true;
    if (worker->stopped) {
        worker_ended(engine, worker);
        return;
    }
    pace_start(engine, worker);
    pump(engine, worker);
}

static void host_event(Engine *engine, const SimEvent *event)
{
    switch (event->kind) {
    case EVENT_START:
        engine_turn_to(engine, &engine->workers[event->idx]);
        start_worker(engine, &engine->workers[event->idx]);
        break;
    case EVENT_WAKE:
        if (engine->workers[event->idx].wake_at_ns == event->at_ns) {
            engine_turn_to(engine, &engine->workers[event->idx]);
            engine->workers[event->idx].wake_at_ns = UINT64_MAX;
            pump(engine, &engine->workers[event->idx]);
        }
        break;
    case EVENT_SUBMIT:
        engine_turn_to(engine, &engine->workers[
                           engine->slots[event->idx].worker_idx]);
        policy_submit(engine, event->idx);
        break;
    case EVENT_NEXT:
        engine_turn_to(engine, &engine->workers[
                           engine->slots[event->idx].worker_idx]);
        slot_next(engine, event->idx);
        break;
    case EVENT_EPOCH:
        engine->at = &engine->drives[event->idx];
        policy_epoch(engine);
        break;
    case EVENT_SEND:
        engine_turn_to(engine, &engine->workers[
                           engine->slots[event->idx].worker_idx]);
        engine_dispatch(engine, event->idx);
        break;
    }
}

static void run_loop(Engine *engine)
{
    SimProgress progress = {0};

    while (!engine->failure) {
        uint64_t host_at_ns = sim_heap_next_at_ns(&engine->events);
        SimDone done;
        unsigned drive_idx = sim_drives_next(engine->sims, engine->drive_count,
                                             host_at_ns, &done);

        check_time_lasts(engine);
        if (engine->failure) {
            break;
        }
        if (drive_idx < engine->drive_count) {
            engine->at = &engine->drives[drive_idx];
            command_ended(engine, &done);
            check_time_passes(engine);
            sim_progress(&progress, engine->result->command_count,
                         engine_now_ns(engine) - engine->result->start_at_ns);
        } else if (host_at_ns == UINT64_MAX) {
            break;
        } else {
            SimEvent event = sim_heap_pop(&engine->events);

            host_event(engine, &event);
        }
    }
    sim_progress_end(&progress);
}

/* --- Setting up ---------------------------------------------------------- */

static void init_worker(Engine *engine, unsigned job_idx, unsigned i,
                        unsigned *worker_idx, unsigned *slot_idx)
{
    Worker *worker = &engine->workers[*worker_idx];
    const PlanJob *job = plan_job(engine->plan, job_idx);

    worker->job = job;
    worker->job_idx = job_idx;
    worker->worker_idx = i;
    slot_queue_init(&worker->batch);
    worker->first_slot_idx = *slot_idx;
    worker->free_slot_idx = ENGINE_NONE;
    for (unsigned k = job->depth; k-- > 0;) {
        Slot *slot = &engine->slots[*slot_idx + k];

        slot->worker_idx = *worker_idx;
        slot->next_idx = worker->free_slot_idx;
        worker->free_slot_idx = *slot_idx + k;
    }
    *slot_idx += job->depth;
    (*worker_idx)++;
    engine_turn_to(engine, worker);
    worker_init(engine, worker);
}

static void init_workers(Engine *engine)
{
    unsigned worker_idx = 0, slot_idx = 0;

    for (unsigned i = 0; i < engine->plan->jobs->len; i++) {
        const PlanJob *job = plan_job(engine->plan, i);

        engine->worker_count += job->workers;
        engine->slot_count += job->workers * job->depth;
    }
    engine->workers = g_new0(Worker, engine->worker_count);
    engine->slots = g_new0(Slot, engine->slot_count);
    engine->jobs = g_new0(JobRun, engine->plan->jobs->len);
    for (unsigned i = 0; i < engine->plan->jobs->len; i++) {
        const PlanJob *job = plan_job(engine->plan, i);

        engine->jobs[i].first_worker_idx = worker_idx;
        engine->jobs[i].workers_left = job->workers;
        for (unsigned k = 0; k < job->workers; k++) {
            init_worker(engine, i, k, &worker_idx, &slot_idx);
        }
    }
}

static void engine_clear(Engine *engine)
{
    for (unsigned i = 0; i < engine->worker_count; i++) {
        worker_clear(&engine->workers[i]);
    }
    for (unsigned i = 0; i < engine->drive_count; i++) {
        engine->at = &engine->drives[i];
        policy_clear(engine);
    }
    sim_heap_clear(&engine->events);
    g_free(engine->drives);
    g_free(engine->workers);
    g_free(engine->slots);
    g_free(engine->jobs);
}

static void init_drives(Engine *engine)
{
    engine->drives = g_new0(EngineDrive, engine->drive_count);
    for (unsigned i = 0; i < engine->drive_count; i++) {
        Ssd *ssd = sim_drive_ssd(engine->sims[i]);

        engine->at = &engine->drives[i];
        engine->at->drive = engine->sims[i];
        engine->at->ssd = ssd;
        engine->at->params = ssd_params(ssd);
        slot_queue_init(&engine->at->no_room);
        policy_init(engine);
    }
}

bool engine_run(const Plan *plan, SimDrive *const *drives, unsigned count,
                Result *result, GError **error)
{
    Engine engine = {
        .plan = plan,
        .sims = drives,
        .drive_count = count,
        .result = result,
        .random = {plan->host_seed},
    };
    bool ran;

    sim_heap_init(&engine.events);
    init_drives(&engine);
    init_workers(&engine);
    ran = !engine.failure;
    if (ran) {
        sim_drives_meet(drives, count);
        result->started = true;
        result->start_at_ns = engine_now_ns(&engine);
        result->end_at_ns = result->start_at_ns;
        for (unsigned i = 0; i < count; i++) {
            ssd_stats_reset(engine.drives[i].ssd, result->start_at_ns);
        }
        start_jobs(&engine);
        run_loop(&engine);
    }
    if (engine.failure) {
        ran = false;
        g_propagate_error(error, engine.failure);
    }
    engine_clear(&engine);
    return ran;
}
