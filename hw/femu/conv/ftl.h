/*
 * The mapping of a conventional namespace: which place on the flash holds
 * which granule of its bytes, which places are free, and what to clean next.
 *
 * Places are written in the order of their numbers within a line, which is a
 * block on every unit; a line is erased as a whole. Whoever writes a granule
 * gets the next place of the open line, be it the host or the cleaning of
 * another line.
 *
 * Knows nothing of time, units or commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_FTL_H
#define FEMU_FTL_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/ranking.h"

#define FTL_NONE UINT32_MAX

typedef enum FtlLineState {
    FTL_LINE_FREE,   /* erased, in the ring of free lines */
    FTL_LINE_OPEN,   /* written next; at most one */
    FTL_LINE_CLOSED, /* written to its end */
    FTL_LINE_VICTIM, /* closed, chosen by ftl_take_victim() */
} FtlLineState;

typedef struct FtlLine {
    FtlLineState state;
    bool ready;        /* closed, and may be a victim: ftl_line_ready() */
    uint32_t valid;    /* places whose granule has no newer one */
} FtlLine;

/*
 * Invariant: there is always a free place for what cleaning moves, and when the
 * host must wait, a victim whose cleaning frees places. It holds as long as the
 * host takes a place only when ftl_host_may_place() allows it, and a victim is
 * cleaned whenever it does not. Why:
 *  - The host always leaves one line free. A victim has an invalid place, so
 *    what it still holds fits into that line.
 *  - When the host must wait, all lines but one are full. They have more places
 *    than there are granules, so at least one place is invalid.
 * ftl_init() demands as many lines as this needs.
 */
typedef struct Ftl {
    uint32_t granule_count;
    uint32_t line_places;
    uint32_t line_count;
    uint32_t *place_of; /* [granule]: place + 1; 0: nowhere */
    uint32_t *holds;    /* [place]: granule that was written there last */
    FtlLine *lines;
    Ranking ready;      /* lines that may be victims, by valid places, number */
    uint32_t *free_ring; /* free lines, in the order in which they will open */
    uint32_t free_head;
    uint32_t free_count;
    uint32_t open_line; /* FTL_NONE: the next place opens one */
    uint32_t open_used; /* places of the open line that are written */
} Ftl;

/* The fewest lines with which the invariant holds. */
uint64_t ftl_least_lines(uint64_t granule_count, uint64_t line_places);

/*
 * No granule is anywhere, all lines are free. Needs at least ftl_least_lines()
 * lines, and fewer than 2^32 - 1 places.
 */
void ftl_init(Ftl *ftl, uint32_t granule_count, uint32_t line_places,
              uint32_t line_count);
void ftl_destroy(Ftl *ftl);

/* The place of a granule, FTL_NONE if it is nowhere. */
static inline uint32_t ftl_place(const Ftl *ftl, uint32_t granule)
{
    return ftl->place_of[granule] - 1;
}

/* Is what was written to this place still what its granule holds? */
static inline bool ftl_is_valid(const Ftl *ftl, uint32_t place)
{
    return ftl->place_of[ftl->holds[place]] == place + 1;
}

/* Places that can be written before a line must be freed. */
uint64_t ftl_free_places(const Ftl *ftl);

/* May the host take a place and leave enough for cleaning? */
bool ftl_host_may_place(const Ftl *ftl);

/* Write a granule: the next place is its new one. Return: that place. */
uint32_t ftl_put(Ftl *ftl, uint32_t granule);

/* Nothing is held for the granule any more. */
void ftl_drop(Ftl *ftl, uint32_t granule);
void ftl_drop_all(Ftl *ftl);

/* All of a closed line has reached the flash: it may become a victim. */
void ftl_line_ready(Ftl *ftl, uint32_t line);

/*
 * Choose what to clean: of the lines that are ready, the one with the fewest
 * valid places, the lowest of several. Return: FTL_NONE if none gains a place.
 */
uint32_t ftl_take_victim(Ftl *ftl);

/* ftl_state.c: as bytes; see base/state.h. */
typedef struct State State;
void ftl_state(Ftl *ftl, State *state);

/* A victim without valid places has been erased. */
void ftl_free_line(Ftl *ftl, uint32_t line);

#endif
