/*
 * In which lines commands wait for something that all want: in one line, or
 * with take-turns in one for each zone, whose groups are the namespaces; a
 * conventional one has a line behind those of all zones.
 *
 * Knows nothing of what they wait for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_LINES_H
#define FEMU_LINES_H

#include "../base/turns.h"
#include "../params.h"

static inline uint32_t lines_in_group(const SsdParams *p)
{
    return p->take_turns ? p->zones / p->namespaces : 1;
}

static inline uint32_t lines_group_count(const SsdParams *p)
{
    return p->take_turns ? p->namespaces + (p->conventional_bytes > 0) : 1;
}

static inline uint32_t lines_of_zone(const SsdParams *p, uint32_t zone_idx)
{
    return p->take_turns ? zone_idx : 0;
}

static inline void lines_init(Turns *turns, const SsdParams *p)
{
    uint32_t lines = p->take_turns ? p->zones + (p->conventional_bytes > 0)
                                   : 1;

    turns_init(turns, p->cmd_slots, lines_group_count(p), lines,
               lines_in_group(p));
}

#endif
