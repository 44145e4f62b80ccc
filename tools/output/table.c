/*
 * The table and the CSV.
 *
 * Knows nothing of how the results came about.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "output.h"

#include <inttypes.h>

#define NS_PER_S 1e9

/* The percentiles that both show, in parts per million. */
static const uint32_t percentiles[] = {500000, 950000, 990000, 999000};

static double per_second(double amount, uint64_t elapsed_ns)
{
    return elapsed_ns > 0 ? amount * NS_PER_S / (double)elapsed_ns : 0;
}

/* Print a number with four significant digits, or all before the point. */
static void cell(FILE *out, double value)
{
    int decimals = 3;

    for (double left = value; left > 0 && left < 1 && decimals < 6;
         left *= 10) {
        decimals++;
    }
    for (double left = value; left >= 10 && decimals > 0; left /= 10) {
        decimals--;
    }
    fprintf(out, " %10.*f", value > 0 ? decimals : 0, value);
}

static void table_op(FILE *out, const char *name, const char *what,
                     const ResultOp *op, uint64_t elapsed_ns)
{
    const SimLatency *latency = op->latency;

    fprintf(out, "%-16s %-13s %10" PRIu64, name, what, latency->count);
    cell(out, per_second((double)latency->count, elapsed_ns) / 1000);
    cell(out, per_second((double)op->bytes, elapsed_ns) / SSD_MIB);
    cell(out, (double)latency->sum_ns / (double)latency->count / 1000);
    cell(out, (double)latency->min_ns / 1000);
    for (unsigned i = 0; i < G_N_ELEMENTS(percentiles); i++) {
        cell(out, (double)sim_latency_percentile(latency, percentiles[i]) /
             1000);
    }
    cell(out, (double)latency->max_ns / 1000);
    fprintf(out, "\n");
}

void output_table(FILE *out, const Plan *plan, const Result *result)
{
    fprintf(out, "%-16s %-13s %10s %10s %10s %10s %10s %10s %10s %10s %10s %10s\n",
            "job", "operation", "count", "kiops", "MiB/s", "mean us",
            "min us", "p50 us", "p95 us", "p99 us", "p99.9 us", "max us");
    for (unsigned i = 0; i < result->job_count; i++) {
        const ResultJob *job = &result->jobs[i];

        for (unsigned op = 0; op < PLAN_OP_COUNT; op++) {
            if (job->ops[op].latency) {
                table_op(out, plan_job(plan, i)->name, plan_op_name(op),
                         &job->ops[op], result_elapsed_ns(job));
            }
        }
        for (unsigned op = 0; op < PLAN_OP_COUNT; op++) {
            if (job->prepared[op].latency) {
                g_autofree char *what = g_strdup_printf("(%s)",
                                                        plan_op_name(op));

                table_op(out, plan_job(plan, i)->name, what,
                         &job->prepared[op], result_elapsed_ns(job));
            }
        }
    }
    fprintf(out, "\n%.6f s of the drive's time, %" PRIu64 " commands; in "
            "brackets: sent to prepare, not measured\n",
            (double)(result->end_at_ns - result->start_at_ns) / NS_PER_S,
            result->command_count);
}

void output_csv(FILE *out, const Plan *plan, const Result *result)
{
    fprintf(out, "job,op,count,bytes,elapsed_ns,mean_ns,min_ns,p50_ns,p95_ns,"
            "p99_ns,p999_ns,max_ns\n");
    for (unsigned i = 0; i < result->job_count; i++) {
        const ResultJob *job = &result->jobs[i];

        for (unsigned op = 0; op < PLAN_OP_COUNT; op++) {
            const SimLatency *latency = job->ops[op].latency;

            if (!latency) {
                continue;
            }
            fprintf(out, "%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                    ",%" PRIu64, plan_job(plan, i)->name, plan_op_name(op),
                    latency->count, job->ops[op].bytes,
                    result_elapsed_ns(job), sim_latency_mean(latency),
                    latency->min_ns);
            for (unsigned k = 0; k < G_N_ELEMENTS(percentiles); k++) {
                fprintf(out, ",%" PRIu64,
                        sim_latency_percentile(latency, percentiles[k]));
            }
            fprintf(out, ",%" PRIu64 "\n", latency->max_ns);
        }
    }
}
