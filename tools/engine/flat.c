/*
 * What a worker does in the conventional namespace: it reads and writes blocks
 * in order or at random, without zones.
 *
 * Knows nothing of when it sends.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "internal.h"

/* The next block's offset, in order or at random; in order it wraps around. */
static uint64_t next_at_bytes(Engine *engine, Worker *worker,
                              uint64_t *cursor_bytes)
{
    const PlanJob *job = worker->job;
    uint64_t blocks = plan_flat_bytes(job, engine->at->params,
                                      worker->worker_idx) / job->block_bytes;
    uint64_t at_bytes;

    if (job->random) {
        return sim_random_below(&worker->random, blocks) * job->block_bytes;
    }
    at_bytes = *cursor_bytes;
    *cursor_bytes = (at_bytes / job->block_bytes + 1) % blocks *
                    job->block_bytes;
    return at_bytes;
}

WorkerPick flat_pick(Engine *engine, Worker *worker, uint64_t start_at_ns)
{
    const PlanJob *job = worker->job;
    bool reads = job->op == PLAN_READ ||
                 (job->read_pct > 0 && worker_draws_read(worker));
    uint64_t at_bytes = next_at_bytes(engine, worker, reads
                                      ? &worker->read_at_bytes
                                      : &worker->flat_write_at_bytes);
    SsdCmd cmd = {
        .op = reads ? SSD_OP_READ : SSD_OP_WRITE,
        .nsid = job->nsid,
        .slba = (plan_flat_first(job, worker->worker_idx) + at_bytes) /
                engine->at->params->lba_bytes,
        .nlb = (uint32_t)(job->block_bytes / engine->at->params->lba_bytes),
    };

    if (!reads) {
        worker->lanes[0].inflight++;
        engine->slots[worker->free_slot_idx].lane_idx = 0;
    }
    slot_start(engine, worker, reads ? PLAN_READ : PLAN_WRITE, SLOT_MAIN, 0,
               &cmd, start_at_ns);
    return PICK_SENT;
}
