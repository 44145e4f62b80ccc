/*
 * Inside the engine: workers, their slots, and the host's queues.
 *
 * Knows nothing of how a plan is written down, and of how results are printed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_ENGINE_INTERNAL_H
#define FEMU_SIM_ENGINE_INTERNAL_H

#include "engine.h"
#include "common/heap.h"
#include "plan/iolog.h"
#include "common/random.h"

#define ENGINE_NONE UINT32_MAX
/* A run may last so long, half of what its clock can hold: 292 years. */
#define ENGINE_END_NS (UINT64_MAX / 2)

/* Kinds of the host's events; `idx` is what is in brackets. */
enum {
    EVENT_START,    /* [worker] */
    EVENT_WAKE,     /* [worker] its pace lets it send again */
    EVENT_SUBMIT,   /* [slot] the host has prepared the command */
    EVENT_NEXT,     /* [slot] its next operation may begin */
    EVENT_EPOCH,    /* [drive] ZINC: an epoch ends */
    EVENT_SEND,     /* [slot] the scheduler has had its time for it */
};

typedef enum SlotStep {
    SLOT_FREE,
    SLOT_MAIN,     /* the operation itself, in one command */
    SLOT_RESET,    /* of a zone that is to be written again */
    SLOT_PREWRITE, /* data for a zone that is to be finished */
    SLOT_SOFT,     /* one write of several */
} SlotStep;

/* A worker's operation under way, which has one command inside at a time. */
typedef struct Slot {
    uint32_t worker_idx;
    SlotStep step;
    PlanOp op;
    uint32_t lane_idx;
    uint32_t zone_idx;
    SsdCmd cmd;
    uint64_t op_start_at_ns;  /* start of the operation */
    uint64_t cmd_start_at_ns; /* start of its present command */
    uint32_t next_idx;   /* slot: in the free list or in a queue */
    uint32_t merged_idx; /* slot: its write is part of this one's command */
} Slot;

/* A lane writes one zone after another; a worker has one or more. */
typedef struct Lane {
    uint32_t zone_i;   /* number of the zone among the worker's */
    uint64_t at_bytes; /* place of the next write in the zone */
    uint64_t end_bytes; /* place at which it goes to another zone */
    unsigned inflight;
    bool resetting;
    bool ended;        /* the worker's zones are used up */
} Lane;

/* Waiting slots in order. */
typedef struct SlotQueue {
    uint32_t head_idx;
    uint32_t tail_idx;
} SlotQueue;

/* Goes through the worker's zones, in order, as often as there are passes. */
typedef struct ZoneWalk {
    uint32_t next_i;
    uint64_t passes_left;
} ZoneWalk;

typedef struct Worker {
    const PlanJob *job;
    unsigned job_idx;
    unsigned worker_idx; /* within the job */
    uint32_t zone_count;
    uint32_t first_slot_idx; /* of job->depth, which stand in a row */
    uint32_t free_slot_idx;
    unsigned inflight;
    Lane *lanes;
    ZoneWalk write_walk; /* of writes, appends and zone management */
    ZoneWalk read_walk;
    uint32_t read_zone_i;
    uint64_t read_at_bytes;
    uint64_t flat_write_at_bytes;
    SimRandom random;
    SimIolog *iolog; /* NULL: none */
    IologEntry logged; /* its next operation, if has_logged */
    bool has_logged;

    bool started;
    bool stopped; /* it sends no more */
    bool ended;   /* stopped, and nothing of it is under way */
    uint64_t start_at_ns;
    uint64_t sent_count;
    uint64_t measured_count; /* ended behind the ramp: max_count is of these */
    uint64_t sent_bytes;
    uint64_t max_bytes; /* then it stops, unless limits are shared */
    /* Pace. */
    /* Sent, as far as it counts for the rates: [1] of reads, [0] of others. */
    uint64_t rate_count[2];
    uint64_t rate_bytes[2];
    bool rate_held[2]; /* these must wait, as far as a mix has a choice */
    uint64_t arrival_at_ns; /* open loop: when the next operation starts */
    uint64_t gaps_ppm; /* exponential ones up to then, in millionths of the mean */
    bool settling; /* it was held back while something was under way */
    uint64_t flow_count; /* what it has sent, if it has a flow */
    bool in_flow;        /* it has a flow, and has not stopped */
    bool flow_held;      /* that was more than its share */
    bool flow_counted;   /* what it sends next is among it */
    uint64_t think_left;
    unsigned ops_left; /* sent, but not ended */
    uint64_t think_until_at_ns;
    uint64_t wake_at_ns; /* the next EVENT_WAKE; UINT64_MAX: none */
    uint64_t cpu_free_at_ns; /* its processor has done all it was sent */
    bool batching;   /* it has not yet sent all that it may */
    SlotQueue batch; /* meanwhile: sent, but the drive does not know of them */
} Worker;

/* A job while it runs. */
typedef struct JobRun {
    unsigned first_worker_idx;
    unsigned workers_left; /* workers that have not ended */
    uint64_t sent_count;
    uint64_t sent_bytes;
} JobRun;

typedef struct Policy {
    SlotQueue *zone_writes; /* [zone] writes that wait for the one inside */
    bool *zone_busy;        /* [zone] a write is inside the drive */
    SlotQueue mgmt;         /* ZINC: commands that are held back */
    bool mgmt_inside;
    bool epoch_runs;
    unsigned holds;
    uint64_t tokens;        /* I/Os since the last management command */
} Policy;

/* A drive, and what of the host is in front of it. */
typedef struct EngineDrive {
    const SsdParams *params;
    SimDrive *drive;
    Ssd *ssd;
    SlotQueue no_room; /* slots whose command the drive cannot take yet */
    Policy policy;
    unsigned io_inside; /* reads, writes, appends between host and drive */
} EngineDrive;

/*
 * All drives have one clock. What happens is an event of one drive's workers,
 * of its commands or of its scheduler, and concerns no other drive but by the
 * ends of jobs: `at` is that drive.
 */
typedef struct Engine {
    const Plan *plan;
    SimDrive *const *sims;
    EngineDrive *drives;
    unsigned drive_count;
    EngineDrive *at;
    Result *result;
    SimHeap events;
    Worker *workers;
    unsigned worker_count;
    Slot *slots;
    unsigned slot_count;
    JobRun *jobs;
    uint64_t flow_count;  /* of the workers with a flow that have not stopped: */
    uint64_t flow_weight; /* what they have sent, the sum of their flows */
    unsigned next_job_idx; /* jobs from here on have not been started */
    unsigned jobs_running;
    uint64_t instant_at_ns; /* of the last command that ended, and how many */
    uint64_t instant_count; /* had when the first one ended at that instant */
    SimRandom random;   /* for the host's spread and stalls */
    GError *failure;    /* if not NULL: the run stops */
} Engine;

static inline uint64_t engine_now_ns(const Engine *engine)
{
    return sim_drive_now_ns(engine->at->drive);
}

static inline void engine_turn_to(Engine *engine, const Worker *worker)
{
    engine->at = &engine->drives[worker->job->drive];
}

static inline uint64_t engine_zone_lba(const Engine *engine, uint32_t zone_idx)
{
    return zone_idx * (engine->at->params->zone_size_bytes /
                       engine->at->params->lba_bytes);
}

static inline bool slot_is_io(const Slot *slot)
{
    return slot->cmd.op == SSD_OP_READ || slot->cmd.op == SSD_OP_WRITE ||
           slot->cmd.op == SSD_OP_APPEND;
}

/*
 * The files of the engine, bottom to top: each calls those before it alone.
 * What one has to tell those above is what its functions return.
 */

/* --- host.c: the drive, and what waits for it ------------------------- */

void slot_queue_init(SlotQueue *queue);
void slot_queue_append(Engine *engine, SlotQueue *queue, uint32_t slot_idx);
uint32_t slot_queue_take(Engine *engine, SlotQueue *queue);

/* Bytes of a zone that are written, as the drive sees it. */
uint64_t engine_written_bytes(const Engine *engine, uint32_t nsid,
                              uint32_t zone_idx);

/* Hand a slot's command to the drive, or let it wait behind those that do. */
void engine_dispatch(Engine *engine, uint32_t slot_idx);

/* Those that wait for room in the drive go, in order, as far as it has some. */
void engine_room_freed(Engine *engine);

/* The run ends with this message, unless it has failed before. */
void engine_fail(Engine *engine, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* --- policy.c: the host's scheduler ----------------------------------- */

void policy_init(Engine *engine);
void policy_clear(Engine *engine);
void policy_submit(Engine *engine, uint32_t slot_idx);
void policy_ended(Engine *engine, uint32_t slot_idx); /* a command's head */
void policy_epoch(Engine *engine);

/* --- slots.c: operations under way ------------------------------------ */

void slot_free(Engine *engine, Worker *worker, uint32_t slot_idx);

/* Commands of a zone: without data, and with `bytes` of them. */
SsdCmd slot_zone_cmd(const Engine *engine, const Worker *worker, SsdOp op,
                     uint32_t zone_idx);
SsdCmd slot_data_cmd(const Engine *engine, const Worker *worker, SsdOp op,
                     uint32_t zone_idx, uint64_t at_bytes, uint64_t bytes);

/*
 * A slot's command is ready in slot->cmd: it reaches the policy after the
 * host's overhead and `wait_ns`.
 */
void slot_send(Engine *engine, uint32_t slot_idx, uint64_t wait_ns);

/* The drive is told of all that the worker has sent while it was batching. */
void slot_send_batch(Engine *engine, Worker *worker);

/* Take a slot for an operation and send its first command. */
void slot_start(Engine *engine, Worker *worker, PlanOp op, SlotStep step,
                uint32_t zone_idx, const SsdCmd *cmd, uint64_t start_at_ns);

/* Bytes that an operation counts for, in rates and in throughput. */
uint64_t slot_op_bytes(const Engine *engine, const Slot *slot);

/* --- flat.c, worker.c: what a worker does next ------------------------ */

typedef enum WorkerPick {
    PICK_SENT,
    PICK_WAIT, /* until one of its own operations ends */
    PICK_END,  /* nothing is left to do */
    PICK_READY, /* within worker.c: nothing was needed */
} WorkerPick;

/* In the conventional namespace: as worker_pick(). */
WorkerPick flat_pick(Engine *engine, Worker *worker, uint64_t start_at_ns);

void worker_init(Engine *engine, Worker *worker);
void worker_clear(Worker *worker);

/* When the worker's next operation is due by its log; 0: it says nothing. */
uint64_t worker_logged_at_ns(Engine *engine, Worker *worker);

/* Is the next of a mix a read? What its rate holds back lets the other go. */
static inline bool worker_draws_read(Worker *worker)
{
    bool reads = sim_random_below(&worker->random, 100) <
                 worker->job->read_pct;

    return worker->rate_held[reads] ? !reads : reads;
}

/* Start an operation in a free slot, if there is one to start. */
WorkerPick worker_pick(Engine *engine, Worker *worker, uint64_t start_at_ns);

/*
 * The slot's command has ended. Return: true when the operation goes on with
 * another command, which has been sent.
 */
bool worker_step(Engine *engine, Worker *worker, uint32_t slot_idx);

/* --- pace.c: when a worker sends -------------------------------------- */

void pace_start(Engine *engine, Worker *worker);

/*
 * Send all that the worker may send now; see to it that it is woken later.
 * Return: true when it sends no more and nothing of it is under way.
 */
bool pace_pump(Engine *engine, Worker *worker);

/* An operation of the worker has ended. */
void pace_op_ended(Engine *engine, Worker *worker);

#endif
