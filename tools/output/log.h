/*
 * Files that are written while a plan runs: every operation, or sums of
 * intervals, as CSV; and a trace for Perfetto or chrome://tracing.
 *
 * Knows nothing of why the operations are sent.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_LOG_H
#define FEMU_SIM_LOG_H

#include "result.h"

typedef struct SimLog SimLog;

/* What to write; a NULL path is not written. */
typedef struct SimLogOptions {
    const char *ops_path;
    const char *intervals_path;
    uint64_t interval_ns;
    const char *perfetto_path;
} SimLogOptions;

/*
 * A log of a plan on a drive of `params` (resolved), whose results become
 * *result. Return: NULL and *error when a file cannot be created.
 */
SimLog *sim_log_open(const SimLogOptions *options, const Plan *plan,
                     const SsdParams *params, const Result *result,
                     GError **error);

/* The ResultLogger; `context` is the SimLog. */
void sim_log_entry(void *context, const ResultEntry *entry);

/* The SimBusySink for a Perfetto trace; `context` is the SimLog. */
void sim_log_busy(void *context, const SsdBusy *busy);

/*
 * Finish all files and free the log.
 * Return: false and *error when one could not be written.
 */
bool sim_log_close(SimLog *log, GError **error);

#endif
