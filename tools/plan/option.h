/*
 * The options of a job, by the names that fio gives them: what they are called,
 * what their values look like, and how they become a plan.
 *
 * Knows nothing of files and of command lines.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_OPTION_H
#define FEMU_SIM_OPTION_H

#include "plan.h"

/*
 * A job as it is written down. `job` gets what an option sets directly; the
 * rest becomes part of it in option_finish().
 */
typedef struct JobSpec {
    PlanJob job; /* its strings are the spec's own */
    const SsdParams *params; /* of the job's drive */
    const SsdParams *drives; /* of all */
    unsigned drive_count;
    bool by_zone; /* an option was counted in zones of `params` */
    char *rw;
    uint64_t size_bytes;   /* 0: to the end of the drive */
    uint64_t offset_bytes;
    uint64_t offset_increment_bytes;
    uint64_t loops;
    bool time_based;
    bool open_loop;
    bool poisson;
    uint64_t rate_percent; /* 0: the rate itself is given */
    uint64_t rate_reference_bytes_per_s;
    uint64_t rate_reference_milliops_per_s;
    uint64_t write_zones;  /* zones that random writes go to at a time */
    unsigned mix_read_pct; /* of rw and randrw */
    bool appends;          /* what writes, appends */
} JobSpec;

/* `params`, of `count` drives, are resolved and outlive the spec. */
JobSpec *job_spec_new(const SsdParams *params, unsigned count);
JobSpec *job_spec_copy(const JobSpec *spec);
void job_spec_free(JobSpec *spec);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(JobSpec, job_spec_free)

/*
 * Set option `name` to `value` (NULL: written without one) in the spec or, if
 * it is one of the host's, in the plan.
 * Return: false and *error naming option, value and what is right.
 */
bool option_set(JobSpec *spec, Plan *plan, const char *name,
                const char *value, GError **error);

/* Is it one that a job has, and that does something? */
bool option_is_of_job(const char *name);

/*
 * The job that the spec describes; it began as a copy of `common`. Return: NULL
 * and *error.
 */
PlanJob *option_finish(const JobSpec *spec, const JobSpec *common,
                       const char *name, GError **error);

/* Every option with its meaning, for --help. Caller frees. */
char *option_help(void);

#endif
