/*
 * The policies of sharing, a row of `policies` each.
 *
 * Knows nothing of what they wait for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "lines.h"

/* All wait in one line: first come, first served. */
static Lines one_line(const SsdParams *p)
{
    return (Lines) { .groups = 1, .count = 1, .in_group = p->zones };
}

/* A line for each zone: namespaces take turns, and the zones of each. */
static Lines by_zone(const SsdParams *p)
{
    uint32_t conventional = p->conventional_bytes != 0;

    return (Lines) {
        .groups = p->namespaces + conventional,
        .count = p->zones + conventional,
        .in_group = p->zones / p->namespaces,
        .zone_step = 1,
    };
}

/* [do zones take turns?] */
static Lines (*const policies[])(const SsdParams *p) = {
    [false] = one_line,
    [true] = by_zone,
};

Lines lines_for_room(const SsdParams *p)
{
    return policies[p->take_turns || p->buffer_turns](p);
}

Lines lines_for_reads(const SsdParams *p)
{
    return policies[p->take_turns](p);
}

void lines_init_turns(const Lines *lines, const SsdParams *p, Turns *turns)
{
    turns_init(turns, p->cmd_slots, lines->groups, lines->count,
               lines->in_group);
}
