/*
 * fio's JSON (version 3), as far as a simulator can fill it.
 *
 * Knows nothing of how the results came about.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "common/fio_json.h"
#include "output.h"

/* {"min":..} of slat_ns, clat_ns or lat_ns; latency may be NULL. */
static void json_latency(FILE *out, const char *name,
                         const SimLatency *latency, bool with_percentiles)
{
    fprintf(out, "\"%s\":{\"min\":%" PRIu64 ",\"max\":%" PRIu64
            ",\"mean\":%.6f,\"stddev\":%.6f,\"N\":%" PRIu64, name,
            latency ? latency->min_ns : 0, latency ? latency->max_ns : 0,
            latency ? (double)latency->sum_ns / (double)latency->count : 0,
            latency ? sim_latency_stddev(latency) : 0,
            latency ? latency->count : 0);
    if (with_percentiles && latency) {
        fprintf(out, ",\"percentile\":{");
        for (unsigned i = 0; i < G_N_ELEMENTS(percentiles); i++) {
            fprintf(out, "%s\"%u.%06u\":%" PRIu64, i > 0 ? "," : "",
                    percentiles[i] / 10000, percentiles[i] % 10000 * 100,
                    sim_latency_percentile(latency, percentiles[i]));
        }
        fprintf(out, "}");
    }
    fprintf(out, "}");
}

/* One direction. The host's time is part of clat, so slat is 0. */
static void json_direction(FILE *out, const char *name, const ResultOp *op,
                           uint64_t elapsed_ns)
{
    uint64_t count = op->latency ? op->latency->count : 0;
    double s = (double)elapsed_ns / 1e9;
    double bw = elapsed_ns > 0 ? (double)op->bytes / s : 0;

    fprintf(out, "\"%s\":{\"io_bytes\":%" PRIu64 ",\"io_kbytes\":%" PRIu64
            ",\"bw_bytes\":%.0f,\"bw\":%.0f,\"iops\":%.6f,\"runtime\":%" PRIu64
            ",\"total_ios\":%" PRIu64 ",\"short_ios\":0,\"drop_ios\":0,", name,
            op->bytes, op->bytes / 1024, bw, bw / 1024,
            elapsed_ns > 0 ? (double)count / s : 0, elapsed_ns / 1000000,
            count);
    json_latency(out, "slat_ns", NULL, false);
    fputc(',', out);
    json_latency(out, "clat_ns", op->latency, true);
    fputc(',', out);
    json_latency(out, "lat_ns", op->latency, true);
    fprintf(out, "}");
}

/* fio's write: what a job's log has of writes and of appends is in it. */
static void json_write(FILE *out, const ResultJob *result, uint64_t elapsed_ns)
{
    const ResultOp *writes = &result->ops[PLAN_WRITE];
    const ResultOp *appends = &result->ops[PLAN_APPEND];
    g_autofree SimLatency *sum = NULL;
    ResultOp both = {NULL, writes->bytes + appends->bytes};

    if (writes->latency && appends->latency) {
        sum = g_memdup2(writes->latency, sizeof(*sum));
        sim_latency_merge(sum, appends->latency);
        both.latency = sum;
    } else {
        both.latency = writes->latency ? writes->latency : appends->latency;
    }
    json_direction(out, "write", &both, elapsed_ns);
}

static void json_job(FILE *out, const PlanJob *job, const ResultJob *result,
                     bool with_drive)
{
    static const ResultOp nothing;
    uint64_t elapsed_ns = result_elapsed_ns(result);
    bool first = true;

    fprintf(out, "{\"jobname\":");
    json_string(out, job->name);
    fprintf(out, ",\"groupid\":0,\"error\":0,\"eta\":0,\"elapsed\":%" PRIu64
            ",\"job options\":{\"name\":", elapsed_ns / 1000000000);
    json_string(out, job->name);
    fprintf(out, ",\"rw\":\"%s\",\"bs\":\"%" PRIu64 "\",\"iodepth\":\"%u\","
            "\"numjobs\":\"%u\"", job->rw, job->block_bytes, job->depth,
            job->workers);
    if (with_drive) {
        fprintf(out, ",\"drive\":\"%u\"", job->drive);
    }
    fprintf(out, "},");
    json_direction(out, "read", &result->ops[PLAN_READ], elapsed_ns);
    fputc(',', out);
    json_write(out, result, elapsed_ns);
    fputc(',', out);
    json_direction(out, "trim", &result->ops[PLAN_RESET], elapsed_ns);
    fputc(',', out);
    json_direction(out, "sync", &nothing, elapsed_ns);
    fprintf(out, ",\"job_runtime\":%" PRIu64 ",\"usr_cpu\":0,\"sys_cpu\":0,"
            "\"femu\":{\"elapsed_ns\":%" PRIu64 ",\"merged\":%" PRIu64
            ",\"ops\":{", elapsed_ns / 1000000, elapsed_ns,
            result->merged_count);
    for (unsigned op = 0; op < PLAN_OP_COUNT; op++) {
        if (result->ops[op].latency) {
            fprintf(out, "%s", first ? "" : ",");
            json_direction(out, plan_op_name(op), &result->ops[op],
                           elapsed_ns);
            first = false;
        }
    }
    fprintf(out, "},\"prepared\":{");
    first = true;
    for (unsigned op = 0; op < PLAN_OP_COUNT; op++) {
        if (result->prepared[op].latency) {
            fprintf(out, "%s", first ? "" : ",");
            json_direction(out, plan_op_name(op), &result->prepared[op],
                           elapsed_ns);
            first = false;
        }
    }
    fprintf(out, "}}}");
}

void output_json(FILE *out, const Plan *plan, const Result *result,
                 unsigned drive_count, const char *drive_stats)
{
    fprintf(out, "{\"fio version\":\"femu-sim-%s\",\"timestamp\":0,"
            "\"timestamp_ms\":0,\"time\":\"simulated\",\"jobs\":[\n",
            FEMU_VERSION);
    for (unsigned i = 0; i < result->job_count; i++) {
        json_job(out, plan_job(plan, i), &result->jobs[i], drive_count > 1);
        fprintf(out, "%s\n", i + 1 < result->job_count ? "," : "");
    }
    fprintf(out, "],\"%s\":%s}\n", drive_count > 1 ? "drives" : "drive",
            drive_stats);
}
