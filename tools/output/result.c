/*
 * Sums and histograms of what the jobs did.
 *
 * Knows nothing of how the jobs ran, and of how results are printed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "result.h"

Result *result_new(unsigned job_count)
{
    Result *result = g_new0(Result, 1);

    result->jobs = g_new0(ResultJob, job_count);
    result->job_count = job_count;
    return result;
}

static void ops_clear(ResultOp *ops)
{
    for (unsigned op = 0; op < PLAN_OP_COUNT; op++) {
        g_free(ops[op].latency);
    }
}

void result_free(Result *result)
{
    for (unsigned i = 0; i < result->job_count; i++) {
        ops_clear(result->jobs[i].ops);
        ops_clear(result->jobs[i].prepared);
    }
    g_free(result->jobs);
    g_free(result);
}

void result_op_add(ResultOp *op, const ResultEntry *entry, uint64_t bytes)
{
    if (!op->latency) {
        op->latency = g_new0(SimLatency, 1);
    }
    sim_latency_add(op->latency, entry->end_at_ns - entry->start_at_ns);
    op->bytes += bytes;
}
