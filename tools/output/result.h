/*
 * What came of a plan: per job and operation, latencies and amounts; and the
 * record of single commands, for those who ask for it.
 *
 * Knows nothing of how the jobs ran, and of how results are printed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_RESULT_H
#define FEMU_SIM_RESULT_H

#include "common/latency.h"
#include "plan/plan.h"

/* One operation of one job. `latency` is NULL while there was none. */
typedef struct ResultOp {
    SimLatency *latency;
    uint64_t bytes;
} ResultOp;

typedef struct ResultJob {
    ResultOp ops[PLAN_OP_COUNT];
    /*
     * What the host sent to prepare: resets of zones that are written anew,
     * first pages of zones to finish. Not in `ops`.
     */
    ResultOp prepared[PLAN_OP_COUNT];
    uint64_t merged_count;  /* writes that joined another on their way */
    uint64_t measure_at_ns; /* start plus ramp */
    uint64_t end_at_ns;     /* of the last operation, or of the runtime */
} ResultJob;

/* An operation that has ended, as the log has it. */
typedef struct ResultEntry {
    unsigned job_idx;
    unsigned worker_idx;
    PlanOp op;
    uint32_t zone_idx;
    uint64_t slba;
    uint32_t nlb;
    uint64_t start_at_ns; /* the host began with it, counted from the start
                             of the run, when prefilling is over */
    uint64_t end_at_ns;
    bool measured; /* not in the ramp, and not only to prepare */
} ResultEntry;

/* Called for every operation that ends, in order of time. */
typedef void ResultLogger(void *context, const ResultEntry *entry);

typedef struct Result {
    ResultJob *jobs;
    unsigned job_count;
    bool started;         /* prefilling is over */
    uint64_t start_at_ns; /* when it was */
    uint64_t end_at_ns;   /* the last completion */
    uint64_t command_count; /* that the drive completed, from start to end */
    ResultLogger *logger; /* may be NULL */
    void *logger_context;
} Result;

Result *result_new(unsigned job_count);
void result_free(Result *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Result, result_free)

/* Add an operation that has ended; its latency is from start to end. */
void result_op_add(ResultOp *op, const ResultEntry *entry, uint64_t bytes);

/* Measured time of a job; never 0 when something was measured. */
static inline uint64_t result_elapsed_ns(const ResultJob *job)
{
    return job->end_at_ns > job->measure_at_ns
           ? job->end_at_ns - job->measure_at_ns : 0;
}

#endif
