/*
 * Job files: fio's form of sections and options, a [global] one included.
 *
 * Knows nothing of which options there are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_JOBFILE_H
#define FEMU_SIM_JOBFILE_H

#include "option.h"

/*
 * Jobs as they are collected from files or from a command line: options before
 * the first job, or in [global], hold for all jobs after them, those of a file
 * for the file's. As in fio, the second file's jobs begin when the first's have
 * ended, and so on.
 */
typedef struct JobReader {
    Plan *plan;
    JobSpec *global;
    JobSpec *job; /* NULL: options go to `global` */
    char *job_name;
    char *idle_option; /* the last one that went to `global`, if no job has had
                          it; or NULL */
    unsigned file_count;
    bool waits; /* the next job is behind a stonewall */
} JobReader;

/*
 * `plan` gets the jobs; `params` are those of `count` drives, resolved. Both
 * outlive the reader.
 */
void job_reader_init(JobReader *reader, Plan *plan, const SsdParams *params,
                     unsigned count);
void job_reader_clear(JobReader *reader);

/* Options that follow are those of a new job; or of all if name is NULL. */
bool job_reader_section(JobReader *reader, const char *name, GError **error);

/* An option of the present section; value may be NULL. */
bool job_reader_option(JobReader *reader, const char *name,
                       const char *value, GError **error);

/*
 * No more comes. Return: false and *error if the last job is wrong, or if an
 * option behind it holds for none.
 */
bool job_reader_end(JobReader *reader, GError **error);

/* Read all of a file. Return: false and *error naming file and line. */
bool job_reader_file(JobReader *reader, const char *path, GError **error);

#endif
