/*
 * Slots: each operation under way has one, which holds its current command.
 * A command goes to the host scheduler after the host's overhead for it.
 *
 * Knows nothing of which operation is next, and of when it is sent.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "internal.h"

/* Take the worker's next free slot; there is one. */
static Slot *slot_take(Engine *engine, Worker *worker)
{
    Slot *slot = &engine->slots[worker->free_slot_idx];

    worker->free_slot_idx = slot->next_idx;
    worker->inflight++;
    return slot;
}

void slot_free(Engine *engine, Worker *worker, uint32_t slot_idx)
{
    Slot *slot = &engine->slots[slot_idx];

    slot->step = SLOT_FREE;
    slot->next_idx = worker->free_slot_idx;
    worker->free_slot_idx = slot_idx;
    worker->inflight--;
}

/* --- Commands ------------------------------------------------------------- */

SsdCmd slot_zone_cmd(const Engine *engine, const Worker *worker, SsdOp op,
                     uint32_t zone_idx)
{
    return (SsdCmd) {
        .op = op,
        .nsid = worker->job->nsid,
        .slba = engine_zone_lba(engine, zone_idx),
    };
}

SsdCmd slot_data_cmd(const Engine *engine, const Worker *worker, SsdOp op,
                     uint32_t zone_idx, uint64_t at_bytes, uint64_t bytes)
{
    SsdCmd cmd = slot_zone_cmd(engine, worker, op, zone_idx);

    cmd.nlb = (uint32_t)(bytes / engine->at->params->lba_bytes);
    if (op != SSD_OP_APPEND) {
        cmd.slba += at_bytes / engine->at->params->lba_bytes;
    }
    return cmd;
}

/* --- Sending -------------------------------------------------------------- */

/* The host's overhead for one command: the fixed time, spread and stall. */
static uint64_t overhead_ns(Engine *engine, const PlanHost *host)
{
    uint64_t ns = host->overhead_ns;

    if (host->spread_ns > 0) {
        ns += sim_random_below(&engine->random, 2 * host->spread_ns + 1) -
              host->spread_ns;
    }
    if (host->stall_ns > 0 && sim_random_below(&engine->random, 1000000) <
        host->stall_per_million) {
        ns += sim_random_below(&engine->random, host->stall_ns);
    }
    return ns;
}

/* Return: when the worker's processor turns to a command of `at_ns`. */
static uint64_t take_cpu(Worker *worker, uint64_t at_ns)
{
    uint64_t cpu_ns = worker->job->host.cpu_ns;
    uint64_t begin_at_ns = MAX(at_ns, worker->cpu_free_at_ns);

    if (cpu_ns == 0) {
        return at_ns;
    }
    worker->cpu_free_at_ns = MIN(begin_at_ns + cpu_ns, ENGINE_END_NS);
    return begin_at_ns;
}

/* What of the overhead is not the processor's: no part that varies. */
static uint64_t rest_ns(const PlanHost *host)
{
    return host->overhead_ns - host->cpu_ns;
}

/* Its processor has them one by one, each as long as is drawn. */
static void add_to_batch(Engine *engine, Worker *worker, uint32_t slot_idx)
{
    const PlanHost *host = &worker->job->host;
    uint64_t own_ns = overhead_ns(engine, host);
    uint64_t cpu_ns = own_ns - MIN(own_ns, rest_ns(host));
    uint64_t begin_at_ns = MAX(engine_now_ns(engine), worker->cpu_free_at_ns);

    worker->cpu_free_at_ns = MIN(begin_at_ns + cpu_ns, ENGINE_END_NS);
    slot_queue_append(engine, &worker->batch, slot_idx);
}

void slot_send(Engine *engine, uint32_t slot_idx, uint64_t wait_ns)
{
    Slot *slot = &engine->slots[slot_idx];
    Worker *worker = &engine->workers[slot->worker_idx];
    uint64_t start_at_ns = engine_now_ns(engine) + wait_ns;
    uint64_t delay_ns;

    slot->cmd_start_at_ns = start_at_ns;
    slot->merged_idx = ENGINE_NONE;
    engine->at->io_inside += slot_is_io(slot);
    if (worker->batching) {
        add_to_batch(engine, worker, slot_idx);
        return;
    }
    delay_ns = take_cpu(worker, start_at_ns) - engine_now_ns(engine) +
               overhead_ns(engine, &worker->job->host);
    if (delay_ns == 0) {
        policy_submit(engine, slot_idx);
    } else {
        sim_heap_push(&engine->events, engine_now_ns(engine) + delay_ns,
                      EVENT_SUBMIT, slot_idx);
    }
}

void slot_send_batch(Engine *engine, Worker *worker)
{
    uint64_t told_at_ns = MAX(engine_now_ns(engine), worker->cpu_free_at_ns) +
                          rest_ns(&worker->job->host);

    while (worker->batch.head_idx != ENGINE_NONE) {
        sim_heap_push(&engine->events, told_at_ns, EVENT_SUBMIT,
                      slot_queue_take(engine, &worker->batch));
    }
}

void slot_start(Engine *engine, Worker *worker, PlanOp op, SlotStep step,
                uint32_t zone_idx, const SsdCmd *cmd, uint64_t start_at_ns)
{
    Slot *slot = slot_take(engine, worker);

    slot->op = op;
    slot->step = step;
    slot->zone_idx = zone_idx;
    slot->cmd = *cmd;
    slot->op_start_at_ns = start_at_ns;
    slot_send(engine, (uint32_t)(slot - engine->slots), 0);
}

uint64_t slot_op_bytes(const Engine *engine, const Slot *slot)
{
    switch (slot->op) {
    case PLAN_READ:
    case PLAN_WRITE:
    case PLAN_APPEND:
        return (uint64_t)slot->cmd.nlb * engine->at->params->lba_bytes;
    case PLAN_FINISH:
    case PLAN_SOFTFINISH:
        return engine->at->params->zone_capacity_bytes;
    case PLAN_RESET:
        return engine->at->params->zone_size_bytes;
    default:
        return 0;
    }
}
