// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fio's JSON (version 3, with the histograms of json+) of what zns-load did.
 * Each job is one entry, its workers taken together. What fio has no place
 * for, each operation by its own name, is in "femu", as femu-sim writes it.
 *
 * Knows nothing of how the results came about.
 */
#include <stdlib.h>
#include <string.h>
#include "zns-load.h"
#include "../../tools/common/fio_json.h"

/* The workers of a job, taken together. */
typedef struct {
    Latency ops[OP_COUNT];
    Latency writes;             /* writes and appends: fio's "write" */
    Latency none;
    uint64_t elapsed_ns;
    uint64_t reset_count;
    int error;
} Result;

static void json_percentiles(FILE *out, const Latency *latency)
{
    fprintf(out, ",\"percentile\":{");
    for (unsigned i = 0; i < sizeof(percentiles) / sizeof(uint32_t); i++) {
        fprintf(out, "%s\"%u.%06u\":%llu", i > 0 ? "," : "",
                percentiles[i] / 10000, percentiles[i] % 10000 * 100,
                (unsigned long long)latency_percentile(latency,
                                                       percentiles[i]));
    }
    fprintf(out, "}");
}

static void json_bins(FILE *out, const Latency *latency)
{
    const char *comma = "";
    unsigned idx = 0;
    uint64_t value_ns, count;

    fprintf(out, ",\"bins\":{");
    while (latency_next_bucket(latency, &idx, &value_ns, &count)) {
        fprintf(out, "%s\"%llu\":%llu", comma, (unsigned long long)value_ns,
                (unsigned long long)count);
        comma = ",";
    }
    fprintf(out, "}");
}

/* {"min":..} of slat_ns, clat_ns or lat_ns. */
static void json_latency(FILE *out, const char *name, const Latency *latency,
                         bool with_bins)
{
    fprintf(out, "\"%s\":{\"min\":%llu,\"max\":%llu,\"mean\":%.6f,"
            "\"stddev\":%.6f,\"N\":%llu", name,
            (unsigned long long)(latency->count > 0 ? latency->min_ns : 0),
            (unsigned long long)latency->max_ns,
            latency->count > 0
                ? (double)latency->sum_ns / (double)latency->count : 0,
            latency_stddev(latency), (unsigned long long)latency->count);
    if (latency->count > 0) {
        json_percentiles(out, latency);
        if (with_bins) {
            json_bins(out, latency);
        }
    }
    fprintf(out, "}");
}

/* One direction, or operation. What submission takes is in the latency. */
static void json_direction(FILE *out, const char *name, const Latency *latency,
                           const Result *result)
{
    double s = (double)result->elapsed_ns / 1e9;
    double bw = s > 0 ? (double)latency->bytes / s : 0;

    fprintf(out, "\"%s\":{\"io_bytes\":%llu,\"io_kbytes\":%llu,"
            "\"bw_bytes\":%.0f,\"bw\":%.0f,\"iops\":%.6f,\"runtime\":%llu,"
            "\"total_ios\":%llu,\"short_ios\":0,\"drop_ios\":0,", name,
            (unsigned long long)latency->bytes,
            (unsigned long long)(latency->bytes / 1024), bw, bw / 1024,
            s > 0 ? (double)latency->count / s : 0,
            (unsigned long long)(result->elapsed_ns / NS_PER_MS),
            (unsigned long long)latency->count);
    json_latency(out, "slat_ns", &result->none, false);
    fputc(',', out);
    json_latency(out, "clat_ns", latency, true);
    fputc(',', out);
    json_latency(out, "lat_ns", latency, false);
    fprintf(out, "}");
}

static void collect(Result *result, const Run *run, const Job *job,
                    const Worker *workers)
{
    uint64_t begin_ns = run->start_at_ns + job->delay_ns;
    uint64_t end_ns = 0;

    memset(result, 0, sizeof(*result));
    if (begin_ns < run->measure_at_ns) {
        begin_ns = run->measure_at_ns;
    }
    for (unsigned i = 0; i < job->workers; i++) {
        for (unsigned op = 0; op < OP_COUNT; op++) {
            latency_merge(&result->ops[op], &workers[i].ops[op]);
        }
        result->reset_count += workers[i].reset_count;
        if (workers[i].end_at_ns > end_ns) {
            end_ns = workers[i].end_at_ns;
        }
        if (result->error == 0) {
            result->error = abs(workers[i].error);
        }
    }
    latency_merge(&result->writes, &result->ops[OP_WRITE]);
    latency_merge(&result->writes, &result->ops[OP_APPEND]);
    result->elapsed_ns = end_ns > begin_ns ? end_ns - begin_ns : 0;
}

static void release(Result *result)
{
    for (unsigned op = 0; op < OP_COUNT; op++) {
        free(result->ops[op].buckets);
    }
    free(result->writes.buckets);
}

static void json_job(FILE *out, const Job *job, const Result *result)
{
    const char *comma = "";

    fprintf(out, "{\"jobname\":");
    json_string(out, job->name);
    fprintf(out, ",\"groupid\":0,\"error\":%d,\"eta\":0,\"elapsed\":%llu,"
            "\"job options\":{\"name\":", result->error,
            (unsigned long long)(result->elapsed_ns / NS_PER_S));
    json_string(out, job->name);
    fprintf(out, ",\"rw\":\"%s%s\",\"bs\":\"%llu\",\"iodepth\":\"%u\","
            "\"numjobs\":\"%u\"},", job->random ? "rand" : "",
            op_name(job->op), (unsigned long long)job->block_bytes,
            job->depth, job->workers);
    json_direction(out, "read", &result->ops[OP_READ], result);
    fputc(',', out);
    json_direction(out, "write", &result->writes, result);
    fputc(',', out);
    json_direction(out, "trim", &result->ops[OP_RESET], result);
    fprintf(out, ",\"job_runtime\":%llu,\"femu\":{\"elapsed_ns\":%llu,"
            "\"resets_before_writes\":%llu,\"ops\":{",
            (unsigned long long)(result->elapsed_ns / NS_PER_MS),
            (unsigned long long)result->elapsed_ns,
            (unsigned long long)result->reset_count);
    for (unsigned op = 0; op < OP_COUNT; op++) {
        if (result->ops[op].count > 0) {
            fprintf(out, "%s", comma);
            json_direction(out, op_name(op), &result->ops[op], result);
            comma = ",";
        }
    }
    fprintf(out, "}}}");
}

void json_write(FILE *out, const Run *run, const Worker *workers)
{
    fprintf(out, "{\"fio version\":\"zns-load\",\"timestamp\":0,"
            "\"timestamp_ms\":0,\"time\":\"\",\"jobs\":[\n");
    for (unsigned i = 0; i < run->plan->job_count; i++) {
        const Job *job = &run->plan->jobs[i];
        Result result;

        collect(&result, run, job, workers);
        json_job(out, job, &result);
        fprintf(out, "%s\n", i + 1 < run->plan->job_count ? "," : "");
        release(&result);
        workers += job->workers;
    }
    fprintf(out, "]}\n");
}
