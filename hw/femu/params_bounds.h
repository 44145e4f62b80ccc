/*
 * What can be inside a drive at once, from its parameters alone: each part of
 * the core states what it can have under way, and the drive's capacities are
 * made of these statements.
 *
 * Knows nothing of time, zones' states, QEMU or queues.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_PARAMS_BOUNDS_H
#define FEMU_PARAMS_BOUNDS_H

#include "params.h"

/*
 * The most operations that a drive may be able to have under way: a table of
 * 64 bytes for each is there at once, if untouched, and one of events.
 */
#define BOUND_OPERATIONS_MAX (UINT64_C(1) << 26)

/*
 * The most flash operations under way at once. `p` is resolved, as in all of
 * these, and its values are in the ranges of their rows: nothing overflows.
 * `*part`, if not NULL, is the part of the core that can have most of them.
 */
uint64_t bound_operations(const SsdParams *p, const char **part);

/* The most pending events of all that is not the flash. */
uint64_t bound_events_beside_flash(const SsdParams *p);

/* The most jobs of finish, reset, excursion and background erase. */
uint32_t bound_jobs(const SsdParams *p);

/* How many of these only an excursion may take. */
uint32_t bound_excursion_jobs(const SsdParams *p);

/* The most pieces of reads that can wait for lines that are read ahead. */
uint64_t bound_ahead_waiters(const SsdParams *p);

#endif
