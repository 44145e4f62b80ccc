/*
 * Writes the logs, as operations end.
 *
 * Knows nothing of why the operations are sent.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/error.h"
#include "perfetto.h"
#include "ssd_file.h"

/* A file that is being written, and its path for messages. */
typedef struct LogFile {
    FILE *file; /* NULL: not wanted */
    const char *path;
} LogFile;

/* Sums over one interval, of one operation of one job. */
typedef struct IntervalSum {
    uint64_t count;
    uint64_t sum_ns;
    uint64_t max_ns;
} IntervalSum;

struct SimLog {
    const Plan *plan;
    const Result *result;
    LogFile ops;
    LogFile intervals;
    LogFile perfetto;
    uint64_t interval_ns;
    uint64_t interval_from_ns;
    uint64_t span_count; /* of `perfetto` */
    IntervalSum *sums; /* [job * PLAN_OP_COUNT + op] */
};

static bool open_file(LogFile *file, const char *path, GError **error)
{
    const char *wrong;

    if (!path) {
        return true;
    }
    file->path = path;
    file->file = ssd_file_create(path, &wrong);
    if (!file->file) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "cannot create log '%s': %s",
                    path, wrong);
    }
    return file->file;
}

static bool close_file(LogFile *file, GError **error)
{
    bool written;

    if (!file->file) {
        return true;
    }
    written = !ferror(file->file);
    written = fclose(file->file) == 0 && written;
    file->file = NULL;
    if (!written && error && !*error) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "cannot write log '%s': %s",
                    file->path, g_strerror(errno));
    }
    return written;
}

/* One process per job, with one row (thread) per zone that it uses. */
static void perfetto_head(SimLog *log, const SsdParams *params)
{
    perfetto_begin(log->perfetto.file, params);
    for (unsigned i = 0; i < log->plan->jobs->len; i++) {
        g_autofree char *name = g_strdup_printf("job %s",
                                                plan_job(log->plan, i)->name);

        perfetto_process(log->perfetto.file, i + 1, name);
    }
}

SimLog *sim_log_open(const SimLogOptions *options, const Plan *plan,
                     const SsdParams *params, const Result *result,
                     GError **error)
{
    SimLog *log = g_new0(SimLog, 1);

    log->plan = plan;
    log->result = result;
    log->interval_ns = options->interval_ns;
    log->sums = g_new0(IntervalSum, plan->jobs->len * PLAN_OP_COUNT);
    if (!open_file(&log->ops, options->ops_path, error) ||
        !open_file(&log->intervals, options->intervals_path, error) ||
        !open_file(&log->perfetto, options->perfetto_path, error)) {
        sim_log_close(log, NULL);
        return NULL;
    }
    if (log->ops.file) {
        fprintf(log->ops.file, "start_ns,end_ns,latency_ns,job,worker,op,zone,"
                "slba,nlb,measured\n");
    }
    if (log->intervals.file) {
        fprintf(log->intervals.file, "from_ns,to_ns,job,op,count,mean_ns,"
                "max_ns\n");
    }
    if (log->perfetto.file) {
        perfetto_head(log, params);
    }
    return log;
}

/* Print the interval that ends, and start the next. */
static void interval_end(SimLog *log)
{
    for (unsigned job = 0; job < log->plan->jobs->len; job++) {
        for (unsigned op = 0; op < PLAN_OP_COUNT; op++) {
            IntervalSum *sum = &log->sums[job * PLAN_OP_COUNT + op];

            if (sum->count > 0) {
                fprintf(log->intervals.file, "%" PRIu64 ",%" PRIu64
                        ",%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                        log->interval_from_ns,
                        log->interval_from_ns + log->interval_ns,
                        plan_job(log->plan, job)->name, plan_op_name(op),
                        sum->count, sum->sum_ns / sum->count, sum->max_ns);
            }
            *sum = (IntervalSum) {0};
        }
    }
}

static void interval_add(SimLog *log, const ResultEntry *entry)
{
    uint64_t latency_ns = entry->end_at_ns - entry->start_at_ns;
    uint64_t from_ns = entry->end_at_ns / log->interval_ns * log->interval_ns;
    IntervalSum *sum = &log->sums[entry->job_idx * PLAN_OP_COUNT + entry->op];

    if (from_ns != log->interval_from_ns) {
        interval_end(log);
        log->interval_from_ns = from_ns;
    }
    sum->count++;
    sum->sum_ns += latency_ns;
    sum->max_ns = MAX(sum->max_ns, latency_ns);
}

static void perfetto_add(SimLog *log, const ResultEntry *entry)
{
    g_autofree char *name = g_strdup_printf("%s zone %" PRIu32,
                                            plan_op_name(entry->op),
                                            entry->zone_idx);
    g_autofree char *id = g_strdup_printf("%" PRIu64, log->span_count++);
    g_autofree char *args = g_strdup_printf("\"slba\":%" PRIu64 ",\"nlb\":%"
                                            PRIu32, entry->slba, entry->nlb);

    perfetto_span(log->perfetto.file, &(PerfettoSpan) {
        .process = entry->job_idx + 1,
        .zone_idx = entry->zone_idx,
        .name = name,
        .id = id,
        .args = args,
        .begin_at_ns = entry->start_at_ns,
        .end_at_ns = entry->end_at_ns,
    });
}

void sim_log_entry(void *context, const ResultEntry *entry)
{
    SimLog *log = context;

    if (log->ops.file) {
        fprintf(log->ops.file, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s,%u,%s,%"
                PRIu32 ",%" PRIu64 ",%" PRIu32 ",%d\n", entry->start_at_ns,
                entry->end_at_ns, entry->end_at_ns - entry->start_at_ns,
                plan_job(log->plan, entry->job_idx)->name, entry->worker_idx,
                plan_op_name(entry->op), entry->zone_idx, entry->slba,
                entry->nlb, entry->measured);
    }
    if (log->intervals.file) {
        interval_add(log, entry);
    }
    if (log->perfetto.file) {
        perfetto_add(log, entry);
    }
}

void sim_log_busy(void *context, const SsdBusy *busy)
{
    SimLog *log = context;
    uint64_t start_at_ns = log->result->start_at_ns;

    /* A prefill's last work may end in the run, and begin with it there. */
    if (log->result->started && (busy->begin_at_ns >= start_at_ns ||
                                 busy->end_at_ns > start_at_ns)) {
        SsdBusy seen = *busy;

        seen.begin_at_ns = MAX(busy->begin_at_ns, start_at_ns);
        perfetto_busy(log->perfetto.file, &seen, start_at_ns);
    }
}

bool sim_log_close(SimLog *log, GError **error)
{
    bool written;

    if (log->intervals.file) {
        interval_end(log);
    }
    if (log->perfetto.file) {
        perfetto_end(log->perfetto.file);
    }
    written = close_file(&log->ops, error);
    written = close_file(&log->intervals, error) && written;
    written = close_file(&log->perfetto, error) && written;
    g_free(log->sums);
    g_free(log);
    return written;
}
