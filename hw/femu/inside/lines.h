/*
 * Policies of sharing: in which lines commands wait for a resource that is
 * scarce, room in the write buffer or a read slot. Lines take turns (turns.h).
 *
 * Knows nothing of what they wait for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_LINES_H
#define FEMU_LINES_H

#include "../base/turns.h"
#include "../params.h"

typedef struct Lines {
    uint32_t groups;
    uint32_t count;
    uint32_t in_group;
    uint32_t zone_step; /* line of zone z + 1, less that of zone z: 0 or 1 */
} Lines;

/* The lines of the policies that the parameters choose. */
Lines lines_for_room(const SsdParams *params);
Lines lines_for_reads(const SsdParams *params);

/*
 * The line of a zone; the conventional namespace counts as a zone behind all
 * others.
 */
static inline uint32_t lines_of_zone(const Lines *lines, uint32_t zone_idx)
{
    return zone_idx * lines->zone_step;
}

static inline uint32_t lines_group_of(const Lines *lines, uint32_t line_idx)
{
    /* Each read asks twice, and mostly there is one group: no division then. */
    return lines->groups == 1 ? 0 : line_idx / lines->in_group;
}

void lines_init_turns(const Lines *lines, const SsdParams *params,
                      Turns *turns);

#endif
