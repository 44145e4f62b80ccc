/*
 * What a workload is: jobs that send commands to a drive each, and what stops
 * them. The command line and job files both end as a plan.
 *
 * Knows nothing of how a plan is written down, and of how it runs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_PLAN_H
#define FEMU_SIM_PLAN_H

#include "ssd.h"

/* What a job's slot does; several of them take more than one command. */
typedef enum PlanOp {
    PLAN_READ,
    PLAN_WRITE,
    PLAN_APPEND,
    PLAN_FINISH,     /* each zone of the job once per pass */
    PLAN_RESET,
    PLAN_OPEN,
    PLAN_CLOSE,
    PLAN_REPORT,     /* of as many zones as a block has room for */
    PLAN_SOFTFINISH, /* writes up to the zone's end, sent by the host */
    PLAN_OP_COUNT,
} PlanOp;

/* When a job's next operation may start. */
typedef enum PlanArrival {
    PLAN_CLOSED,      /* when a slot is free, and the rate allows */
    PLAN_FIXED,       /* open loop: one every 1/rate, slot or not */
    PLAN_EXPONENTIAL, /* open loop: gaps drawn from an exponential */
} PlanArrival;

/* What the host adds to the commands of a job. */
typedef struct PlanHost {
    uint64_t overhead_ns;    /* of each, before it is submitted */
    uint64_t cpu_ns;         /* of that: a worker has one command at a time
                                there */
    bool batches;            /* the drive is told of what a worker sends when
                                it can send no more */
    uint64_t spread_ns;      /* drawn, up to this much more or less */
    uint64_t stall_ns;       /* a stalled command takes up to this longer */
    uint64_t stall_per_million; /* so many commands are stalled */
    uint64_t timer_slack_ns; /* drawn, a sleep takes up to this longer */
    uint64_t between_ns;     /* from the end of an operation to when the next
                                may take its place; in no latency */
} PlanHost;

typedef struct PlanJob {
    char *name;
    const char *rw;    /* what rw= said, "read" if nothing; static storage */
    PlanOp op;
    unsigned read_pct; /* of a READ/WRITE/APPEND mix; 0: `op` alone */
    bool random;       /* reads anywhere in what is written */
    uint64_t block_bytes;
    unsigned depth;    /* operations that a worker keeps under way */
    unsigned workers;

    unsigned drive;    /* of the drives that the plan is for, from 0 on */
    uint32_t nsid;     /* zones are counted in their namespace */
    /*
     * Worker w uses zones zone_first + w * zone_offset + i * zone_stride for
     * i < zone_count, as far as the drive has them.
     */
    uint32_t zone_first;
    uint32_t zone_count;
    uint32_t zone_stride;
    uint32_t zone_offset;
    unsigned lanes; /* zones that a worker writes at a time, drawn at random */
    /*
     * In the conventional namespace, which has no zones: worker w uses
     * flat_bytes from flat_first_bytes + w * flat_offset_bytes on, or what the
     * namespace has of them.
     */
    uint64_t flat_first_bytes;
    uint64_t flat_offset_bytes;
    uint64_t flat_bytes;

    /* What the zones hold before time 0. */
    uint64_t prefill_bytes;
    uint64_t prefill_ppm; /* if it was given as a share: per million */
    bool prefill_finished;
    uint32_t prefill_zones; /* so many of each worker's zones, the first */
    uint64_t zone_bytes;    /* written to a zone before the next is taken */

    /*
     * Pace. 0: no limit. In a closed loop reads and writes of a mix have the
     * rates each.
     */
    uint64_t rate_bytes_per_s; /* a FINISH counts a zone's capacity, a RESET
                                  its size, as fio does */
    uint64_t rate_milliops_per_s;
    uint64_t rate_burst; /* operations that the rate does not count at first */
    bool settles;        /* a worker that a rate holds back lets all that it
                            has under way end first, as fio does */
    uint64_t flow;       /* 0: none; else each worker sends this share of what
                            all workers with a flow send, or less */
    uint64_t flow_sleep_ns; /* who has sent more looks again after this; 0: as
                               soon as it may send */
    PlanArrival arrival;
    uint64_t think_ns;    /* after every think_count operations of a worker */
    uint64_t think_count;
    uint64_t pause_ns;    /* SOFTFINISH: between two writes */
    uint64_t prewrite_bytes; /* FINISH, SOFTFINISH: written to an empty zone */

    /*
     * When it starts and stops. A worker stops sending at the first limit;
     * UINT64_MAX: none.
     */
    bool stonewall;        /* starts when all earlier jobs have ended */
    uint64_t start_delay_ns;
    uint64_t start_spread_ns; /* each worker starts up to this much later */
    uint64_t ramp_ns;      /* at first nothing is measured */
    uint64_t runtime_ns;   /* then it runs so long */
    uint64_t passes;       /* over the zones; UINT64_MAX: for ever */
    uint64_t max_count;    /* of those that end behind the ramp */
    uint64_t max_bytes;
    uint64_t part_loops;   /* without max_bytes: a worker stops after as many
                              bytes as its part has, so many times; 0: never */
    bool limits_shared;    /* max_count, max_bytes: of all workers together */
    bool ends_all;         /* when it ends, every other job stops sending, up to
                              the next that is behind a stonewall */
    uint64_t seed;
    char *iolog;           /* operations come from this file; or NULL */
    PlanHost host;
} PlanJob;

typedef enum PlanPolicyKind {
    PLAN_POLICY_NONE,
    PLAN_POLICY_MQ_DEADLINE,
    PLAN_POLICY_ZINC,
} PlanPolicyKind;

/* The host's scheduler, between the jobs and the drive. */
typedef struct PlanPolicy {
    PlanPolicyKind kind;
    uint64_t merge_bytes;  /* adjacent waiting writes become one up to this */
    uint64_t send_ns;      /* of every command that it sends */
    /* ZINC (ConfZNS++ paper, section 3.2) */
    uint64_t epoch_ns;     /* between two management commands */
    uint64_t write_tokens; /* I/Os that let a management command pass */
    unsigned max_holds;    /* epochs that it is held back at most */
    unsigned min_concurrency; /* I/Os under way from which it is held back */
} PlanPolicy;

typedef struct Plan {
    GPtrArray *jobs; /* PlanJob */
    PlanPolicy policy;
    uint64_t host_seed; /* of all that hosts of jobs draw */
} Plan;

const char *plan_op_name(PlanOp op);

/* A plan without jobs, and a job with the defaults of fio's options. */
Plan *plan_new(void);
PlanJob *plan_job_new(const char *name);
PlanJob *plan_job_copy(const PlanJob *job, const char *name);
void plan_job_free(PlanJob *job);
void plan_free(Plan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Plan, plan_free)

static inline PlanJob *plan_job(const Plan *plan, unsigned job_idx)
{
    return g_ptr_array_index(plan->jobs, job_idx);
}

/* Zones of each namespace. */
static inline uint32_t plan_ns_zones(const SsdParams *params)
{
    return params->zones / params->namespaces;
}

/* Zones that worker `worker_idx` has; 0 when none is left for it. */
uint32_t plan_worker_zones(const PlanJob *job, const SsdParams *params,
                           unsigned worker_idx);

static inline uint32_t plan_worker_zone(const PlanJob *job,
                                        unsigned worker_idx, uint32_t i)
{
    return job->zone_first + worker_idx * job->zone_offset +
           i * job->zone_stride;
}

/* Does the job go to the conventional namespace? */
static inline bool plan_is_flat(const PlanJob *job, const SsdParams *params)
{
    return params->conventional_bytes > 0 &&
           job->nsid == params->namespaces + 1;
}

/* Where a worker's bytes of the conventional namespace begin. */
static inline uint64_t plan_flat_first(const PlanJob *job, unsigned worker_idx)
{
    return job->flat_first_bytes + worker_idx * job->flat_offset_bytes;
}

/* How many they are; 0 when none is left for it. */
uint64_t plan_flat_bytes(const PlanJob *job, const SsdParams *params,
                         unsigned worker_idx);

/* After how many bytes a worker stops. */
uint64_t plan_worker_max_bytes(const PlanJob *job, const SsdParams *params,
                               unsigned worker_idx);

static inline bool plan_op_transfers(PlanOp op)
{
    return op == PLAN_READ || op == PLAN_WRITE || op == PLAN_APPEND;
}

/*
 * Does the plan suit the drives? `params` are resolved, one for each drive that
 * its jobs name.
 * Return: false and *error naming job, option, value and what is right.
 */
bool plan_check(const Plan *plan, const SsdParams *params, GError **error);

#endif
