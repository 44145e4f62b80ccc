/*
 * When a worker sends: slots, rates, arrivals, think times and limits.
 *
 * Knows nothing of what it sends.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "internal.h"

#define NS_PER_S UINT64_C(1000000000)

static uint64_t add_ns(uint64_t at_ns, uint64_t span_ns)
{
    return span_ns > UINT64_MAX - at_ns ? UINT64_MAX : at_ns + span_ns;
}

/* Half of the clock at most: it is added to an instant. */
static uint64_t scale_ns(uint64_t amount, uint64_t per_amount_ns,
                         uint64_t rate)
{
    unsigned __int128 ns = (unsigned __int128)amount * per_amount_ns / rate;

    return (uint64_t)MIN(ns, UINT64_MAX / 2);
}

/* The instant from which on the worker sends nothing more. */
static uint64_t deadline_at_ns(const Worker *worker)
{
    return add_ns(add_ns(worker->start_at_ns, worker->job->ramp_ns),
                  worker->job->runtime_ns);
}

static void draw_arrival(Worker *worker)
{
    const PlanJob *job = worker->job;

    /* Gaps are not cut to whole ns before they are added up. */
    if (job->arrival == PLAN_EXPONENTIAL) {
        worker->gaps_ppm += sim_random_exponential(&worker->random, 1000000);
        worker->arrival_at_ns = worker->start_at_ns +
            scale_ns(worker->gaps_ppm, NS_PER_S / 1000,
                     job->rate_milliops_per_s);
    } else {
        worker->arrival_at_ns = worker->start_at_ns +
            scale_ns(worker->sent_count, NS_PER_S * 1000,
                     job->rate_milliops_per_s);
    }
}

/* --- Flows: workers that send in proportion ------------------------------ */

/* Has the worker sent more than its share? fio's common count begins at 1. */
static bool is_ahead(const Engine *engine, const Worker *worker)
{
    return worker->job->flow > 0 &&
           (unsigned __int128)worker->flow_count * engine->flow_weight >
           (unsigned __int128)(engine->flow_count + 1) * worker->job->flow;
}

static void wake_at(Engine *engine, Worker *worker, uint64_t at_ns)
{
    if (worker->wake_at_ns != at_ns) {
        worker->wake_at_ns = at_ns;
        sim_heap_push(&engine->events, at_ns, EVENT_WAKE,
                      (uint32_t)(worker - engine->workers));
    }
}

static void add_to_flow(Engine *engine, Worker *worker)
{
    worker->flow_count++;
    engine->flow_count++;
}

/*
 * May the worker go on that its flow held back? One of which nothing is under
 * way looks all the time, and counts what it sends next at once, as fio does.
 */
static bool let_go(Engine *engine, Worker *worker)
{
    if (!worker->flow_held || worker->job->flow_sleep_ns != 0 ||
        is_ahead(engine, worker)) {
        return false;
    }
    worker->flow_held = false;
    wake_at(engine, worker, engine_now_ns(engine));
    if (worker->inflight == 0) {
        worker->flow_counted = true;
        add_to_flow(engine, worker);
    }
    return true;
}

/*
 * What others have sent, or that one has stopped, may let a worker go on, and
 * what it counts then may let others; one that sleeps sees it when it wakes.
 */
static void wake_flow(Engine *engine)
{
    bool let = true;

    while (let) {
        let = false;
        for (unsigned i = 0; i < engine->worker_count; i++) {
            let |= let_go(engine, &engine->workers[i]);
        }
    }
}

static void count_flow(Engine *engine, Worker *worker)
{
    if (worker->job->flow > 0 && !worker->flow_counted) {
        add_to_flow(engine, worker);
        wake_flow(engine);
    }
    worker->flow_counted = false;
}

/* A worker that has stopped takes with it what it has sent. */
static void leave_flow(Engine *engine, Worker *worker)
{
    if (worker->in_flow) {
        worker->in_flow = false;
        engine->flow_weight -= worker->job->flow;
        engine->flow_count -= worker->flow_count;
        wake_flow(engine);
    }
}

/* --- Sending ------------------------------------------------------------- */

void pace_start(Engine *engine, Worker *worker)
{
    worker->in_flow = worker->job->flow > 0;
    engine->flow_weight += worker->job->flow;
    worker->start_at_ns = engine_now_ns(engine);
    worker->arrival_at_ns = worker->start_at_ns;
    worker->think_left = worker->job->think_count;
    worker->wake_at_ns = UINT64_MAX;
    if (worker->job->arrival == PLAN_EXPONENTIAL) {
        draw_arrival(worker);
    }
}

/* When the rates allow the next read, or the next operation that is none. */
static uint64_t rate_at_ns(const Worker *worker, bool reads)
{
    const PlanJob *job = worker->job;
    uint64_t at_ns = worker->start_at_ns;

    if (job->rate_bytes_per_s > 0) {
        at_ns = MAX(at_ns, worker->start_at_ns +
                    scale_ns(worker->rate_bytes[reads], NS_PER_S,
                             job->rate_bytes_per_s));
    }
    if (job->rate_milliops_per_s > 0) {
        at_ns = MAX(at_ns, worker->start_at_ns +
                    scale_ns(worker->rate_count[reads], NS_PER_S * 1000,
                             job->rate_milliops_per_s));
    }
    return at_ns;
}

/* Do its reads and its writes have the rate each? So they have in fio. */
static bool has_two_rates(const Worker *worker)
{
    return worker->job->read_pct > 0 && worker->job->read_pct < 100 &&
           !worker->iolog;
}

/* Whose rate an operation counts for: the reads', if it has both. */
static bool rate_of(const Worker *worker, PlanOp op)
{
    return has_two_rates(worker) && op == PLAN_READ;
}

/*
 * When the next operation may start: at its arrival in an open-loop job, else
 * when the rates and the think time allow it; a mix goes on with what its rate
 * allows first.
 */
static uint64_t next_at_ns(Worker *worker)
{
    uint64_t others_at_ns, reads_at_ns;

    if (worker->job->arrival != PLAN_CLOSED) {
        return worker->arrival_at_ns;
    }
    others_at_ns = rate_at_ns(worker, false);
    if (!has_two_rates(worker)) {
        return MAX(worker->think_until_at_ns, others_at_ns);
    }
    reads_at_ns = rate_at_ns(worker, true);
    return MAX(worker->think_until_at_ns, MIN(others_at_ns, reads_at_ns));
}

/* Which of a mix its rate holds back now; not both of them. */
static void hold_back(Worker *worker, uint64_t now_ns)
{
    bool chooses = has_two_rates(worker) &&
                   worker->job->arrival == PLAN_CLOSED;

    worker->rate_held[false] = chooses && rate_at_ns(worker, false) > now_ns;
    worker->rate_held[true] = chooses && rate_at_ns(worker, true) > now_ns;
}

static bool is_behind_ramp(const Engine *engine, const Worker *worker)
{
    return engine_now_ns(engine) >=
           engine->result->jobs[worker->job_idx].measure_at_ns;
}

/* Are max_count measured, if what is under way ends behind the ramp? */
static bool count_reached(const Worker *worker)
{
    return worker->measured_count + worker->ops_left >= worker->job->max_count;
}

static bool limit_reached(const Engine *engine, const Worker *worker)
{
    const PlanJob *job = worker->job;
    const JobRun *run = &engine->jobs[worker->job_idx];

    if (job->limits_shared) {
        return run->sent_count >= job->max_count ||
               run->sent_bytes >= job->max_bytes;
    }
    return worker->sent_bytes >= worker->max_bytes ||
           (is_behind_ramp(engine, worker) && count_reached(worker));
}

/* The ramp may end before what is under way, all of which counts then. */
static bool waits_in_ramp(const Engine *engine, const Worker *worker)
{
    return !worker->job->limits_shared && !is_behind_ramp(engine, worker) &&
           count_reached(worker);
}

static void count_sent(Engine *engine, Worker *worker, const Slot *slot)
{
    JobRun *run = &engine->jobs[worker->job_idx];
    uint64_t bytes = slot_op_bytes(engine, slot);
    bool reads = rate_of(worker, slot->op);

    if (worker->sent_count >= worker->job->rate_burst) {
        worker->rate_count[reads]++;
        worker->rate_bytes[reads] += bytes;
    }
    worker->ops_left++;
    worker->sent_count++;
    worker->sent_bytes += bytes;
    run->sent_count++;
    run->sent_bytes += bytes;
    if (worker->job->arrival != PLAN_CLOSED) {
        draw_arrival(worker);
    }
    if (worker->job->think_ns > 0 && --worker->think_left == 0) {
        worker->think_left = worker->job->think_count;
        worker->think_until_at_ns = UINT64_MAX; /* until all have ended */
    }
}

/* Stop at the deadline; the job's time then lasts until here. */
static void stop_at_deadline(Engine *engine, Worker *worker)
{
    ResultJob *result = &engine->result->jobs[worker->job_idx];

    worker->stopped = true;
    result->end_at_ns = MAX(result->end_at_ns, engine_now_ns(engine));
}

/*
 * Does the worker wait until nothing of it is under way? So does one of fio
 * that its rate or its flow holds back: then it is late, and sends what it
 * owes in a burst.
 */
static bool settles(Worker *worker, bool held_back)
{
    worker->settling = worker->inflight > 0 &&
                       (worker->settling || held_back);
    return worker->settling;
}

/* The host's timer lets a worker sleep so long. */
static uint64_t flow_sleep_ns(Worker *worker)
{
    uint64_t slack_ns = worker->job->host.timer_slack_ns;

    return worker->job->flow_sleep_ns +
           (slack_ns ? sim_random_below(&worker->random, slack_ns + 1) : 0);
}

/* A worker whose flow holds it back sleeps when nothing of it is under way. */
static void sleep_if_held(Engine *engine, Worker *worker, uint64_t deadline_ns)
{
    if (worker->flow_held && !worker->settling &&
        worker->job->flow_sleep_ns != 0) {
        wake_at(engine, worker,
                MIN(deadline_ns, add_ns(engine_now_ns(engine),
                                        flow_sleep_ns(worker))));
    }
}

/* Send one operation. Return: false when the worker has to stop for now. */
static bool send_one(Engine *engine, Worker *worker)
{
    uint64_t now_ns = engine_now_ns(engine);
    uint64_t deadline_ns = deadline_at_ns(worker);
    uint64_t at_ns = next_at_ns(worker);
    uint64_t logged_at_ns;
    uint32_t slot_idx = worker->free_slot_idx;

    if (now_ns >= deadline_ns) {
        stop_at_deadline(engine, worker);
        return false;
    }
    if (limit_reached(engine, worker)) {
        worker->stopped = true;
        return false;
    }
    if (waits_in_ramp(engine, worker)) {
        return false;
    }
    worker->flow_held = !worker->flow_counted && is_ahead(engine, worker);
    if (settles(worker, worker->flow_held ||
                (worker->job->settles && at_ns > now_ns)) ||
        worker->flow_held) {
        sleep_if_held(engine, worker, deadline_ns);
        return false;
    }
    logged_at_ns = worker_logged_at_ns(engine, worker);
    at_ns = MAX(at_ns, logged_at_ns);
    if (at_ns > now_ns) {
        if (at_ns != UINT64_MAX || deadline_ns != UINT64_MAX) {
            wake_at(engine, worker, MIN(at_ns, deadline_ns));
        }
        return false;
    }
    hold_back(worker, now_ns);
    switch (worker_pick(engine, worker, worker->job->arrival == PLAN_CLOSED ?
                        now_ns : at_ns)) {
    case PICK_SENT:
        if (engine->slots[slot_idx].step != SLOT_RESET) {
            count_sent(engine, worker, &engine->slots[slot_idx]);
            count_flow(engine, worker);
        }
        return true;
    case PICK_END:
        worker->stopped = true;
        return false;
    default:
        return false;
    }
}

static bool may_send(const Engine *engine, const Worker *worker)
{
    return !worker->stopped && worker->free_slot_idx != ENGINE_NONE &&
           !engine->failure;
}

/* Is its processor still at the last of a batch to which it may add more? */
static bool is_busy(const Engine *engine, const Worker *worker)
{
    return worker->batching && worker->cpu_free_at_ns > engine_now_ns(engine);
}

bool pace_pump(Engine *engine, Worker *worker)
{
    while (may_send(engine, worker)) {
        if (is_busy(engine, worker)) {
            wake_at(engine, worker, worker->cpu_free_at_ns);
            return false;
        }
        worker->batching = worker->job->host.batches;
        if (!send_one(engine, worker)) {
            break;
        }
    }
    worker->batching = false;
    slot_send_batch(engine, worker);
    if (worker->stopped) {
        leave_flow(engine, worker);
    }
    return worker->stopped && worker->inflight == 0 && !engine->failure;
}

void pace_op_ended(Engine *engine, Worker *worker)
{
    worker->ops_left--;
    worker->measured_count += is_behind_ramp(engine, worker);
    if (worker->think_until_at_ns == UINT64_MAX && worker->ops_left == 0) {
        worker->think_until_at_ns = add_ns(engine_now_ns(engine),
                                           worker->job->think_ns);
    }
}
