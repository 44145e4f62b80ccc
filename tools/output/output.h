/*
 * Results as text: a table for people, fio's JSON for its tools, CSV.
 *
 * Knows nothing of how the results came about.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_OUTPUT_H
#define FEMU_SIM_OUTPUT_H

#include <stdio.h>

#include "plan/plan.h"
#include "result.h"

void output_table(FILE *out, const Plan *plan, const Result *result);

/* One line per job and operation, names in the first line. */
void output_csv(FILE *out, const Plan *plan, const Result *result);

/*
 * fio 3's members: jobs[].read, .write (writes and appends), .trim (resets).
 * What fio has no place for is in jobs[].femu, per operation, in the same
 * form. `drive_stats` is the JSON text of the drive's own statistics.
 */
void output_json(FILE *out, const Plan *plan, const Result *result,
                 unsigned drive_count, const char *drive_stats);

#endif
