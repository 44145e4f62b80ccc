/*
 * The checksums of a state, for femu-sim state.
 *
 * Knows nothing of what is printed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_STATE_SUMS_H
#define FEMU_SIM_STATE_SUMS_H

#include "ssd.h"
#include "ssd_sums.h"

typedef struct StateSums StateSums;

/*
 * Open the checksums in `folder`, if there are some, and check the history and
 * `kept`. `params` are resolved.
 * Return: NULL, or what is wrong; caller frees.
 */
char *state_sums_open(StateSums **sums, const char *folder,
                      const SsdParams *params, const FemuKept *kept);

/* Is there one of 'kept'? There is if its writer was not killed. */
bool state_sums_has_kept(const StateSums *sums);

/*
 * Check all pages that hold data of the drive, which is as its history has it.
 * *count is how many.
 * Return: NULL, or what is wrong; caller frees.
 */
char *state_sums_check(StateSums *sums, Ssd *ssd, uint64_t *count);

void state_sums_free(StateSums *sums);

#endif
