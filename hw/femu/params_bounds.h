/*
 * What can be inside a drive at once, from its parameters alone: the sum of
 * what its rooms state (base/bounds.h).
 *
 * Knows nothing of time, zones' states, QEMU or queues.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_PARAMS_BOUNDS_H
#define FEMU_PARAMS_BOUNDS_H

#include "base/bounds.h"
#include "params.h"

/*
 * The most operations that a drive may be able to have under way: a table of
 * 64 bytes for each is there at once, if untouched, and one of events.
 */
#define BOUND_OPERATIONS_MAX (UINT64_C(1) << 26)

/*
 * `p` is resolved, and its values are in the ranges of their rows, so that
 * nothing overflows.
 */
Bounds params_bounds(const SsdParams *p);

#endif
