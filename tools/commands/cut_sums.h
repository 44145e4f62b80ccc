/*
 * Writes the checksums of a state that a power cut has left.
 *
 * Knows nothing of where the power was cut.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_CUT_SUMS_H
#define FEMU_SIM_CUT_SUMS_H

#include "common/error.h"
#include "params.h"

/*
 * Write the file 'sums' of the state in `folder`, whose other files are there.
 * `params` are resolved.
 * Return: false with *error if a file cannot be read or written.
 */
bool cut_sums_write(const char *folder, const SsdParams *params,
                    GError **error);

#endif
