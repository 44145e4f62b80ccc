/*
 * Sizes that follow from parameters, for the files params*.c.
 *
 * Knows nothing of QEMU, NVMe, zones or time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_PARAMS_SIZE_H
#define FEMU_PARAMS_SIZE_H

#include "params.h"

/* A block on every unit of the drive. */
uint64_t params_conventional_line_bytes(const SsdParams *params);

#endif
