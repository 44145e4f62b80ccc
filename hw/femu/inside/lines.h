/*
 * In which lines commands wait for something that all want, room in the buffer
 * or a read slot: which policy shares it out.
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
    uint32_t zone_step; /* from a zone's line to that of the next zone */
} Lines;

/* As the parameters say. */
Lines lines_of(const SsdParams *params);

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
    return line_idx / lines->in_group;
}

void lines_init_turns(const Lines *lines, const SsdParams *params,
                      Turns *turns);

#endif
