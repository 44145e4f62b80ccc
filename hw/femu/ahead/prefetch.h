/*
 * Reads of the host and what has been fetched before them: ahead.h on the flash
 * and the host link. What is fetched is sensed whole and crosses its channel as
 * reads do.
 *
 * Knows nothing of zones' states, of what writes do, or of the front end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_PREFETCH_H
#define FEMU_PREFETCH_H

#include "../link/link.h"
#include "../media/media.h"
#include "ahead.h"

typedef struct Prefetch {
    const SsdParams *params;
    Commands *commands;
    Media *media;
    Link *link;
    Ahead ahead;
    uint32_t parts_inside; /* reads of less than a granule, if that counts */
    uint64_t quiet_from_ns; /* before, no read is recognised */
} Prefetch;

/* What it can have under way, for the drive's tables. */
void prefetch_bounds(const SsdParams *p, Bounds *bounds);

/* All that is given here outlives it. */
void prefetch_init(Prefetch *prefetch, const SsdParams *params,
                   Commands *commands, Media *media, Link *link);
void prefetch_destroy(Prefetch *prefetch);

/* Is there read-ahead? What follows needs it, or a stream. */
static inline bool prefetch_is_on(const Prefetch *prefetch)
{
    return ahead_is_on(&prefetch->ahead);
}

/* A write is handed off: reads are not recognised for a while. */
void prefetch_beside_write(Prefetch *prefetch, uint64_t now_ns);
/* A read begins. Return: its stream if the host's; AHEAD_NONE of other reads. */
uint32_t prefetch_begin(Prefetch *prefetch, uint64_t now_ns,
                        uint32_t command_idx, const Span *span);
/*
 * A piece of that read, which lies in what is sensed at once. Return: has it
 * been fetched, or is it being? Then it is on its way, or a part of the command.
 */
bool prefetch_serves(Prefetch *prefetch, uint64_t now_ns, uint32_t command_idx,
                     uint32_t stream_idx, uint64_t at_bytes, uint32_t bytes);
/* All of its pieces are on their way: fetch what comes after them. */
void prefetch_go_on(Prefetch *prefetch, uint64_t now_ns, uint32_t stream_idx);

/*
 * An operation of OWNER_AHEAD has ended: who waits for it has its data.
 * Return: the stream that prefetch_go_on() is to go on with, or AHEAD_NONE.
 */
uint32_t prefetch_fetched(Prefetch *prefetch, uint64_t now_ns,
                          uint32_t fetch_idx);

/* A command with an ahead_row is done: its stream goes on. */
void prefetch_left(Prefetch *prefetch, uint64_t now_ns, uint32_t command_idx);
/* ahead_state.c: as bytes. */
void prefetch_state(Prefetch *prefetch, State *state);
/* The zone has lost its data. */
void prefetch_forget(Prefetch *prefetch, uint32_t zone_idx);

#endif
