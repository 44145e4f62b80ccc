/*
 * Host schedulers in front of the drive: none, mq-deadline's write lock of a
 * zone with merging, and ZINC (Doekemeijer et al., SYSTOR '24, section 3.2),
 * which adds a queue for management commands.
 *
 * Knows nothing of why commands are sent.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "internal.h"

void policy_init(Engine *engine)
{
    Policy *policy = &engine->at->policy;

    if (engine->plan->policy.kind == PLAN_POLICY_NONE) {
        return;
    }
    policy->zone_writes = g_new(SlotQueue, engine->at->params->zones);
    policy->zone_busy = g_new0(bool, engine->at->params->zones);
    for (uint32_t i = 0; i < engine->at->params->zones; i++) {
        slot_queue_init(&policy->zone_writes[i]);
    }
    slot_queue_init(&policy->mgmt);
}

void policy_clear(Engine *engine)
{
    g_free(engine->at->policy.zone_writes);
    g_free(engine->at->policy.zone_busy);
}

/* Is it a write to a zone? Only these must be kept in order. */
static bool is_write(const Engine *engine, const Slot *slot)
{
    return slot->cmd.op == SSD_OP_WRITE &&
           slot->cmd.nsid <= engine->at->params->namespaces;
}

static bool is_mgmt(const Slot *slot)
{
    return slot->cmd.op == SSD_OP_ZONE_RESET ||
           slot->cmd.op == SSD_OP_ZONE_FINISH;
}

/* The slot's zone, numbered across all zoned namespaces. */
static uint32_t zone_of(const Engine *engine, const Slot *slot)
{
    return slot->zone_idx + (slot->cmd.nsid - 1) *
           plan_ns_zones(engine->at->params);
}

/* --- mq-deadline: one write per zone ------------------------------------- */

/*
 * Linux merges what a list of whole pages can describe, as PRPs are (NVMe Base,
 * "Physical Region Page Entry and List"): behind a part of a page comes nothing.
 */
#define PAGE_BYTES 4096

/* Merge waiting writes that continue `head` into one command with it. */
static void merge_waiting(Engine *engine, SlotQueue *queue, Slot *head)
{
    uint64_t bytes = (uint64_t)head->cmd.nlb * engine->at->params->lba_bytes;
    uint64_t end_lba = head->cmd.slba + head->cmd.nlb;
    Slot *last = head;

    while (queue->head_idx != ENGINE_NONE) {
        uint32_t next_idx = queue->head_idx;
        Slot *next = &engine->slots[next_idx];

        if (bytes % PAGE_BYTES != 0) {
            return;
        }
        bytes += (uint64_t)next->cmd.nlb * engine->at->params->lba_bytes;
        if (next->cmd.slba != end_lba ||
            bytes > engine->plan->policy.merge_bytes ||
            bytes > engine->at->params->mdts_bytes) {
            return;
        }
        slot_queue_take(engine, queue);
        end_lba += next->cmd.nlb;
        last->merged_idx = next_idx;
        last = next;
        engine->result->jobs[engine->workers[next->worker_idx].job_idx]
            .merged_count++;
    }
}

/* The scheduler takes its time for a command, which is then as it is. */
static void send(Engine *engine, uint32_t slot_idx)
{
    uint64_t send_ns = engine->plan->policy.send_ns;

    if (send_ns == 0) {
        engine_dispatch(engine, slot_idx);
    } else {
        sim_heap_push(&engine->events, engine_now_ns(engine) + send_ns,
                      EVENT_SEND, slot_idx);
    }
}

static void submit_write(Engine *engine, uint32_t slot_idx)
{
    Policy *policy = &engine->at->policy;
    uint32_t zone_idx = zone_of(engine, &engine->slots[slot_idx]);

    if (policy->zone_busy[zone_idx]) {
        slot_queue_append(engine, &policy->zone_writes[zone_idx], slot_idx);
        return;
    }
    policy->zone_busy[zone_idx] = true;
    send(engine, slot_idx);
}

static void write_ended(Engine *engine, uint32_t zone_idx)
{
    SlotQueue *queue = &engine->at->policy.zone_writes[zone_idx];
    uint32_t slot_idx = queue->head_idx;

    if (slot_idx == ENGINE_NONE) {
        engine->at->policy.zone_busy[zone_idx] = false;
        return;
    }
    slot_queue_take(engine, queue);
    merge_waiting(engine, queue, &engine->slots[slot_idx]);
    send(engine, slot_idx);
}

/* --- ZINC: management while little I/O is in flight ---------------------- */

static void start_epoch(Engine *engine)
{
    engine->at->policy.epoch_runs = true;
    sim_heap_push(&engine->events,
                  engine_now_ns(engine) + engine->plan->policy.epoch_ns,
                  EVENT_EPOCH, (uint32_t)(engine->at - engine->drives));
}

static void dispatch_mgmt(Engine *engine)
{
    Policy *policy = &engine->at->policy;

    policy->mgmt_inside = true;
    policy->tokens = 0;
    policy->holds = 0;
    engine_dispatch(engine, slot_queue_take(engine, &policy->mgmt));
}

static bool is_quiet(const Engine *engine)
{
    return engine->at->io_inside < engine->plan->policy.min_concurrency;
}

/* A management command has come to the head of the queue: send it or wait. */
static void mgmt_head(Engine *engine)
{
    if (is_quiet(engine)) {
        dispatch_mgmt(engine);
    } else if (!engine->at->policy.epoch_runs) {
        start_epoch(engine);
    }
}

static void submit_mgmt(Engine *engine, uint32_t slot_idx)
{
    Policy *policy = &engine->at->policy;
    bool first = policy->mgmt.head_idx == ENGINE_NONE;

    slot_queue_append(engine, &policy->mgmt, slot_idx);
    if (first && !policy->mgmt_inside) {
        mgmt_head(engine);
    }
}

void policy_epoch(Engine *engine)
{
    Policy *policy = &engine->at->policy;
    const PlanPolicy *plan = &engine->plan->policy;

    policy->epoch_runs = false;
    if (policy->mgmt.head_idx == ENGINE_NONE || policy->mgmt_inside) {
        return;
    }
    policy->holds++;
    if (is_quiet(engine) || policy->tokens >= plan->write_tokens ||
        policy->holds >= plan->max_holds) {
        dispatch_mgmt(engine);
    } else {
        start_epoch(engine);
    }
}

/* --- The way in and out -------------------------------------------------- */

void policy_submit(Engine *engine, uint32_t slot_idx)
{
    PlanPolicyKind kind = engine->plan->policy.kind;
    Slot *slot = &engine->slots[slot_idx];

    if (kind != PLAN_POLICY_NONE && is_write(engine, slot)) {
        submit_write(engine, slot_idx);
    } else if (kind == PLAN_POLICY_ZINC && is_mgmt(slot)) {
        submit_mgmt(engine, slot_idx);
    } else if (kind != PLAN_POLICY_NONE) {
        send(engine, slot_idx);
    } else {
        engine_dispatch(engine, slot_idx);
    }
}

void policy_ended(Engine *engine, uint32_t slot_idx)
{
    PlanPolicyKind kind = engine->plan->policy.kind;
    const Slot *slot = &engine->slots[slot_idx];

    if (kind == PLAN_POLICY_NONE) {
        return;
    }
    if (is_write(engine, slot)) {
        write_ended(engine, zone_of(engine, slot));
    }
    if (kind == PLAN_POLICY_ZINC && is_mgmt(slot)) {
        engine->at->policy.mgmt_inside = false;
        if (engine->at->policy.mgmt.head_idx != ENGINE_NONE) {
            mgmt_head(engine);
        }
    } else {
        engine->at->policy.tokens++;
    }
}
