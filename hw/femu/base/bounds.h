/*
 * How much can be inside a drive at once, as a sum of what its rooms state.
 *
 * Each room has a function ROOM_bounds() that adds a line for each of its
 * parts, from the parameters alone, with the reason why it cannot have more.
 * The drive's tables are as large as the sums, and nothing is allocated later;
 * so a statement that is too small ends in the assertion of flash.c or
 * event_heap.c that there is room.
 *
 * Knows nothing of what the rooms are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_BOUNDS_H
#define FEMU_BOUNDS_H

#include <stdint.h>

typedef struct Bounds {
    uint64_t operations; /* of the flash, under way */
    uint64_t events;     /* pending events, without those of the flash */
    const char *most;    /* the part that can have most operations */
    uint64_t most_operations; /* how many operations it can have */
    uint32_t jobs; /* of finish, reset, excursion and background erase */
    uint32_t excursion_jobs; /* of these, only for excursions */
} Bounds;

/* `part` is in the message for parameters that would need too much. */
static inline void bounds_add(Bounds *bounds, const char *part,
                              uint64_t operations, uint64_t events)
{
    bounds->operations += operations;
    bounds->events += events;
    if (!bounds->most || operations > bounds->most_operations) {
        bounds->most = part;
        bounds->most_operations = operations;
    }
}

#endif
