/*
 * Runs a plan against a drive: the one engine of femu-sim.
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
 * Prefill the zones, reset the drive's statistics, run the jobs and wait for
 * the last completion. `plan` has passed plan_check(); *result comes from
 * result_new(). The same plan on the same drive gives the same nanoseconds.
 * Return: false and *error when the drive rejects a command, or a job has
 * nothing to do.
 */
bool engine_run(const Plan *plan, SimDrive *drive, Result *result,
                GError **error);

#endif
