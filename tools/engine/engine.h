/*
 * Runs a plan against drives that have one clock: the one engine of femu-sim.
 *
 * Knows nothing of how a plan is written down, and of how results are printed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_ENGINE_H
#define FEMU_SIM_ENGINE_H

#include "drive.h"
#include "plan/plan.h"
#include "output/result.h"

/*
 * Write what the zones of the drive of number `drive_idx` hold before the run,
 * and wait until that is done. `plan` has passed plan_check(), `drive` is new.
 * Return: false and *error when the drive rejects a command.
 */
bool engine_fill(const Plan *plan, unsigned drive_idx, SimDrive *drive,
                 GError **error);

/*
 * What engine_fill() would do, as text: plans with the same one fill drives of
 * the same parameters alike. *bytes is how much it would write. Caller frees.
 */
char *engine_filling(const Plan *plan, unsigned drive_idx, SimDrive *drive,
                     uint64_t *bytes);

/*
 * filled.c: engine_fill(), but the drive is loaded from `folder` if one that
 * was filled like this is there, and left there if not.
 * Return: false and *error, too, when what is there is damaged.
 */
bool engine_filled(const Plan *plan, unsigned drive_idx, SimDrive *drive,
                   const char *folder, GError **error);

/*
 * All of the `count` drives have been filled: go on from the instant at which
 * the last of them was, reset their statistics, run the jobs and wait for the last
 * completion. *result comes from result_new(). The same plan on the same drives
 * gives the same nanoseconds.
 * Return: false and *error when the drive rejects a command, or a job has
 * nothing to do.
 */
bool engine_run(const Plan *plan, SimDrive *const *drives, unsigned count,
                Result *result, GError **error);

#endif
