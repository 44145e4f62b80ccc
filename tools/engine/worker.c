/*
 * What a worker does next: which zone, which blocks, and the commands that an
 * operation takes.
 *
 * Knows nothing of when it sends.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "internal.h"

/* --- Zones, pass after pass ---------------------------------------------- */

/* Return: the index of the worker's next zone, or ENGINE_NONE after the last
 * pass. */
static uint32_t walk_take(const Worker *worker, ZoneWalk *walk)
{
    if (walk->next_i == worker->zone_count) {
        if (walk->passes_left != UINT64_MAX) {
            walk->passes_left--;
        }
        walk->next_i = 0;
    }
    return walk->passes_left > 0 ? walk->next_i++ : ENGINE_NONE;
}

/* Return: what walk_take() gives next. */
static uint32_t walk_peek(const Worker *worker, const ZoneWalk *walk)
{
    ZoneWalk ahead = *walk;

    return walk_take(worker, &ahead);
}

static uint32_t zone_of(const Worker *worker, uint32_t zone_i)
{
    return plan_worker_zone(worker->job, worker->worker_idx, zone_i);
}

void worker_init(Engine *engine, Worker *worker)
{
    const PlanJob *job = worker->job;

    worker->zone_count = plan_worker_zones(job, engine->at->params,
                                           worker->worker_idx);
    worker->max_bytes = plan_worker_max_bytes(job, engine->at->params,
                                              worker->worker_idx);
    worker->write_walk.passes_left = job->passes;
    /* A mix ends with its writes: its reads have no limit of their own. */
    worker->read_walk.passes_left = job->op == PLAN_READ ? job->passes
                                                         : UINT64_MAX;
    worker->read_zone_i = ENGINE_NONE;
    worker->lanes = g_new0(Lane, job->lanes);
    for (unsigned i = 0; i < job->lanes; i++) {
        worker->lanes[i].zone_i = ENGINE_NONE;
    }
    /* Workers draw different numbers, also than those of a neighbouring seed:
     * the second worker of seed 1 is not the first of seed 2. */
    worker->random.state = job->seed;
    if (worker->worker_idx > 0) {
        worker->random.state ^= (uint64_t)worker->worker_idx << 32;
    }
    if (job->iolog) {
        worker->iolog = sim_iolog_open(job->iolog, &engine->failure);
    }
}

void worker_clear(Worker *worker)
{
    if (worker->iolog) {
        if (worker->worker_idx == 0) { /* the others read the same */
            sim_iolog_tell_passed(worker->iolog);
        }
        sim_iolog_close(worker->iolog);
    }
    g_free(worker->lanes);
}

/* --- Writing ------------------------------------------------------------- */

/* Has a lane of the worker more to write to the zone, or something under way? */
static bool is_written(const Worker *worker, uint32_t zone_i)
{
    for (unsigned i = 0; i < worker->job->lanes; i++) {
        const Lane *lane = &worker->lanes[i];

        if (lane->zone_i == zone_i &&
            (lane->at_bytes < lane->end_bytes || lane->inflight > 0)) {
            return true;
        }
    }
    return false;
}

/*
 * Give a lane that has filled its zone the next one, once none of its commands
 * is under way, and no other lane writes there, which with few zones may still
 * be at the pass before. If that zone is full, it is reset first.
 * Return: PICK_READY when the lane can write, PICK_SENT when a reset was sent.
 */
static WorkerPick lane_next_zone(Engine *engine, Worker *worker, Lane *lane)
{
    uint64_t capacity_bytes = engine->at->params->zone_capacity_bytes;
    uint32_t lane_idx = (uint32_t)(lane - worker->lanes);
    uint64_t written_bytes;
    uint32_t zone_idx;

    if (lane->resetting || lane->inflight > 0) {
        return PICK_WAIT;
    }
    lane->zone_i = walk_peek(worker, &worker->write_walk);
    if (lane->zone_i != ENGINE_NONE && is_written(worker, lane->zone_i)) {
        lane->zone_i = ENGINE_NONE;
        return PICK_WAIT;
    }
    walk_take(worker, &worker->write_walk);
    if (lane->zone_i == ENGINE_NONE) {
        lane->ended = true;
        return PICK_END;
    }
    zone_idx = zone_of(worker, lane->zone_i);
    written_bytes = engine_written_bytes(engine, worker->job->nsid, zone_idx);
    if (written_bytes == capacity_bytes) {
        SsdCmd cmd = slot_zone_cmd(engine, worker, SSD_OP_ZONE_RESET, zone_idx);

        lane->resetting = true;
        engine->slots[worker->free_slot_idx].lane_idx = lane_idx;
        written_bytes = 0;
        slot_start(engine, worker, worker->job->op, SLOT_RESET, zone_idx,
                   &cmd, engine_now_ns(engine));
    }
    lane->at_bytes = written_bytes;
    lane->end_bytes = worker->job->zone_bytes < capacity_bytes - written_bytes
                      ? written_bytes + worker->job->zone_bytes
                      : capacity_bytes;
    return lane->resetting ? PICK_SENT : PICK_READY;
}

static WorkerPick lane_write(Engine *engine, Worker *worker, Lane *lane,
                             uint64_t start_at_ns)
{
    const PlanJob *job = worker->job;
    uint64_t bytes;
    uint32_t zone_idx;
    SsdCmd cmd;

    if (lane->ended) {
        return PICK_END;
    }
    if (lane->zone_i == ENGINE_NONE || lane->at_bytes == lane->end_bytes) {
        WorkerPick pick = lane_next_zone(engine, worker, lane);

        if (pick != PICK_READY) {
            return pick;
        }
    }
    if (lane->resetting) {
        return PICK_WAIT;
    }
    bytes = MIN(job->block_bytes, lane->end_bytes - lane->at_bytes);
    zone_idx = zone_of(worker, lane->zone_i);
    cmd = slot_data_cmd(engine, worker, job->op == PLAN_APPEND ? SSD_OP_APPEND
                                                               : SSD_OP_WRITE,
                        zone_idx, lane->at_bytes, bytes);
    lane->at_bytes += bytes;
    lane->inflight++;
    engine->slots[worker->free_slot_idx].lane_idx =
        (uint32_t)(lane - worker->lanes);
    slot_start(engine, worker, job->op, SLOT_MAIN, zone_idx, &cmd,
               start_at_ns);
    return PICK_SENT;
}

/* Write in a lane drawn at random, or in the next one that can send now. */
static WorkerPick pick_write(Engine *engine, Worker *worker,
                             uint64_t start_at_ns)
{
    unsigned lanes = worker->job->lanes;
    unsigned first = lanes > 1
                     ? (unsigned)sim_random_below(&worker->random, lanes) : 0;
    bool waits = false;

    for (unsigned i = 0; i < lanes; i++) {
        Lane *lane = &worker->lanes[(first + i) % lanes];
        WorkerPick pick = lane_write(engine, worker, lane, start_at_ns);

        if (pick == PICK_SENT) {
            return pick;
        }
        waits |= pick == PICK_WAIT;
    }
    return waits ? PICK_WAIT : PICK_END;
}

/* --- Reading ------------------------------------------------------------- */

static uint64_t readable_blocks(const Engine *engine, const Worker *worker,
                                uint32_t zone_i)
{
    return engine_written_bytes(engine, worker->job->nsid,
                                zone_of(worker, zone_i)) /
           worker->job->block_bytes;
}

static void send_read(Engine *engine, Worker *worker, uint32_t zone_i,
                      uint64_t at_bytes, uint64_t start_at_ns)
{
    uint32_t zone_idx = zone_of(worker, zone_i);
    SsdCmd cmd = slot_data_cmd(engine, worker, SSD_OP_READ, zone_idx, at_bytes,
                               worker->job->block_bytes);

    slot_start(engine, worker, PLAN_READ, SLOT_MAIN, zone_idx, &cmd,
               start_at_ns);
}

/* Read a random written block of a random zone; empty zones are skipped. */
static bool pick_random_read(Engine *engine, Worker *worker,
                             uint64_t start_at_ns)
{
    uint32_t drawn = (uint32_t)sim_random_below(&worker->random,
                                                worker->zone_count);

    for (uint32_t i = 0; i < worker->zone_count; i++) {
        uint32_t zone_i = (drawn + i) % worker->zone_count;
        uint64_t blocks = readable_blocks(engine, worker, zone_i);

        if (blocks > 0) {
            uint64_t block = sim_random_below(&worker->random, blocks);

            send_read(engine, worker, zone_i,
                      block * worker->job->block_bytes, start_at_ns);
            return true;
        }
    }
    return false;
}

/* Read the next written block in order. PICK_WAIT: no block is written. */
static WorkerPick pick_next_read(Engine *engine, Worker *worker,
                                 uint64_t start_at_ns)
{
    for (uint32_t i = 0; i <= worker->zone_count; i++) {
        if (worker->read_zone_i != ENGINE_NONE &&
            worker->read_at_bytes / worker->job->block_bytes <
            readable_blocks(engine, worker, worker->read_zone_i)) {
            send_read(engine, worker, worker->read_zone_i,
                      worker->read_at_bytes, start_at_ns);
            worker->read_at_bytes += worker->job->block_bytes;
            return PICK_SENT;
        }
        worker->read_zone_i = walk_take(worker, &worker->read_walk);
        worker->read_at_bytes = 0;
        if (worker->read_zone_i == ENGINE_NONE) {
            return worker->sent_count > 0 ? PICK_END : PICK_WAIT;
        }
    }
    return PICK_WAIT;
}

/* Without a block to read, a mix writes instead and a plain reader fails. */
static WorkerPick pick_read(Engine *engine, Worker *worker,
                            uint64_t start_at_ns)
{
    const PlanJob *job = worker->job;
    WorkerPick pick = PICK_SENT;

    if (!job->random) {
        pick = pick_next_read(engine, worker, start_at_ns);
    } else if (!pick_random_read(engine, worker, start_at_ns)) {
        pick = PICK_WAIT;
    }
    if (pick != PICK_WAIT) {
        return pick;
    }
    if (job->op != PLAN_READ) {
        return pick_write(engine, worker, start_at_ns);
    }
    engine_fail(engine, "job '%s': none of its %" PRIu32 " zones from zone %"
                PRIu32 " on holds %" PRIu64 " written bytes to read; prefill "
                "them", job->name, worker->zone_count, zone_of(worker, 0),
                job->block_bytes);
    return PICK_END;
}

/* --- Management ---------------------------------------------------------- */

static SsdOp ssd_op_of(PlanOp op)
{
    switch (op) {
    case PLAN_FINISH:
        return SSD_OP_ZONE_FINISH;
    case PLAN_RESET:
        return SSD_OP_ZONE_RESET;
    case PLAN_OPEN:
        return SSD_OP_ZONE_OPEN;
    case PLAN_CLOSE:
        return SSD_OP_ZONE_CLOSE;
    case PLAN_REPORT:
        return SSD_OP_ZONE_REPORT;
    default:
        g_assert_not_reached();
    }
}

/* How many zones fit in the job's report: ZNS 1.1 figures 36 and 37. */
static uint32_t described_zones(const Engine *engine, const PlanJob *job,
                                uint32_t zone_idx)
{
    uint32_t zones = engine->at->params->zones / engine->at->params->namespaces;

    return (uint32_t)MIN(job->block_bytes / 64 - 1, zones - zone_idx);
}

static SsdCmd mgmt_cmd(const Engine *engine, const Worker *worker, PlanOp op,
                       uint32_t zone_idx)
{
    SsdCmd cmd = slot_zone_cmd(engine, worker, ssd_op_of(op), zone_idx);

    if (op == PLAN_REPORT) {
        cmd.nlb = described_zones(engine, worker->job, zone_idx);
    }
    return cmd;
}

static SsdCmd soft_cmd(const Engine *engine, const Worker *worker,
                       uint32_t zone_idx, uint64_t at_bytes)
{
    return slot_data_cmd(engine, worker, SSD_OP_WRITE, zone_idx, at_bytes,
                         MIN(worker->job->block_bytes,
                             engine->at->params->zone_capacity_bytes - at_bytes));
}

/*
 * Does an operation of the pass before still write to the zone? Then nobody
 * else can: its write pointer is that one's.
 */
static bool is_being_filled(const Engine *engine, const Worker *worker,
                            uint32_t zone_idx)
{
    for (unsigned i = 0; i < worker->job->depth; i++) {
        const Slot *slot = &engine->slots[worker->first_slot_idx + i];

        if ((slot->step == SLOT_PREWRITE || slot->step == SLOT_SOFT) &&
            slot->zone_idx == zone_idx) {
            return true;
        }
    }
    return false;
}

static WorkerPick pick_mgmt(Engine *engine, Worker *worker,
                            uint64_t start_at_ns)
{
    const PlanJob *job = worker->job;
    uint32_t zone_i = walk_peek(worker, &worker->write_walk);
    uint64_t written_bytes;
    SlotStep step = SLOT_MAIN;
    uint32_t zone_idx;
    SsdCmd cmd;

    if (zone_i == ENGINE_NONE) {
        return PICK_END;
    }
    zone_idx = zone_of(worker, zone_i);
    if (is_being_filled(engine, worker, zone_idx)) {
        return PICK_WAIT;
    }
    walk_take(worker, &worker->write_walk);
    written_bytes = engine_written_bytes(engine, worker->job->nsid, zone_idx);
    if (job->prewrite_bytes > 0 && written_bytes == 0) {
        step = SLOT_PREWRITE;
        cmd = slot_data_cmd(engine, worker, SSD_OP_WRITE, zone_idx, 0,
                            job->prewrite_bytes);
    } else if (job->op == PLAN_SOFTFINISH &&
               written_bytes < engine->at->params->zone_capacity_bytes) {
        step = SLOT_SOFT;
        cmd = soft_cmd(engine, worker, zone_idx, written_bytes);
    } else {
        cmd = mgmt_cmd(engine, worker, job->op == PLAN_SOFTFINISH
                       ? PLAN_FINISH : job->op, zone_idx);
    }
    slot_start(engine, worker, job->op, step, zone_idx, &cmd, start_at_ns);
    return PICK_SENT;
}

static bool step_soft(Engine *engine, Worker *worker, Slot *slot)
{
    uint64_t at_bytes = (slot->cmd.slba + slot->cmd.nlb -
                         engine_zone_lba(engine, slot->zone_idx)) *
                        engine->at->params->lba_bytes;
    bool first = slot->step == SLOT_PREWRITE;

    if (at_bytes >= engine->at->params->zone_capacity_bytes) {
        return false;
    }
    slot->step = SLOT_SOFT;
    slot->cmd = soft_cmd(engine, worker, slot->zone_idx, at_bytes);
    slot_send(engine, (uint32_t)(slot - engine->slots),
                first ? 0 : worker->job->pause_ns);
    return true;
}

bool worker_step(Engine *engine, Worker *worker, uint32_t slot_idx)
{
    Slot *slot = &engine->slots[slot_idx];

    switch (slot->step) {
    case SLOT_RESET:
        worker->lanes[slot->lane_idx].resetting = false;
        return false;
    case SLOT_PREWRITE:
        slot->op_start_at_ns = engine_now_ns(engine);
        if (slot->op == PLAN_SOFTFINISH) {
            return step_soft(engine, worker, slot);
        }
        slot->step = SLOT_MAIN;
        slot->cmd = mgmt_cmd(engine, worker, slot->op, slot->zone_idx);
        slot_send(engine, slot_idx, 0);
        return true;
    case SLOT_SOFT:
        return step_soft(engine, worker, slot);
    default:
        if (slot->op == PLAN_WRITE || slot->op == PLAN_APPEND) {
            worker->lanes[slot->lane_idx].inflight--;
        }
        return false;
    }
}

/* --- I/O logs (read_iolog) ----------------------------------------------- */

static SsdCmd logged_cmd(const Engine *engine, const Worker *worker,
                         const IologEntry *entry, uint32_t zone_idx)
{
    SsdOp op;
    SsdCmd cmd;

    if (!plan_op_transfers(entry->op)) {
        cmd = slot_zone_cmd(engine, worker, ssd_op_of(entry->op), zone_idx);
        cmd.select_all = entry->of_all_zones;
        return cmd;
    }
    op = entry->op == PLAN_READ ? SSD_OP_READ :
         entry->op == PLAN_WRITE ? SSD_OP_WRITE : SSD_OP_APPEND;
    cmd = slot_data_cmd(engine, worker, op, 0, entry->at_bytes, entry->bytes);
    if (entry->op == PLAN_APPEND) {
        cmd.slba = engine_zone_lba(engine, zone_idx);
    }
    return cmd;
}

uint64_t worker_logged_at_ns(Engine *engine, Worker *worker)
{
    if (worker->iolog && !worker->has_logged) {
        const SsdParams *params = engine->at->params;
        IologPlaces places = {
            .lba_bytes = params->lba_bytes,
            .zone_bytes = params->zone_size_bytes,
            .zones = plan_is_flat(worker->job, params)
                     ? 0 : plan_ns_zones(params),
        };

        worker->has_logged = sim_iolog_next(worker->iolog, &places,
                                            &worker->logged,
                                            &engine->failure);
    }
    return worker->has_logged && worker->logged.at_ns != UINT64_MAX
           ? worker->start_at_ns + worker->logged.at_ns : 0;
}

/* worker_logged_at_ns() has read what there is. */
static WorkerPick pick_logged(Engine *engine, Worker *worker)
{
    const SsdParams *params = engine->at->params;
    const IologEntry *entry = &worker->logged;
    uint32_t zone_idx;
    SsdCmd cmd;

    if (!worker->has_logged) {
        return PICK_END;
    }
    worker->has_logged = false;
    zone_idx = (uint32_t)MIN(entry->at_bytes / params->zone_size_bytes,
                             plan_ns_zones(params) - 1);
    cmd = logged_cmd(engine, worker, entry, zone_idx);
    worker->lanes[0].inflight++;
    engine->slots[worker->free_slot_idx].lane_idx = 0;
    slot_start(engine, worker, entry->op, SLOT_MAIN, zone_idx, &cmd,
               engine_now_ns(engine));
    return PICK_SENT;
}

/* --- The choice ---------------------------------------------------------- */

WorkerPick worker_pick(Engine *engine, Worker *worker, uint64_t start_at_ns)
{
    const PlanJob *job = worker->job;

    if (worker->iolog) {
        return pick_logged(engine, worker);
    }
    if (plan_is_flat(job, engine->at->params)) {
        return flat_pick(engine, worker, start_at_ns);
    }
    switch (job->op) {
    case PLAN_READ:
        return pick_read(engine, worker, start_at_ns);
    case PLAN_WRITE:
    case PLAN_APPEND:
        if (job->read_pct > 0 && worker_draws_read(worker)) {
            return pick_read(engine, worker, start_at_ns);
        }
        return pick_write(engine, worker, start_at_ns);
    default:
        return pick_mgmt(engine, worker, start_at_ns);
    }
}
