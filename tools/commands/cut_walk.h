/*
 * Plays a trace to a new drive up to the point at which its power is to be cut,
 * and tells the points there are: instants behind which something else would
 * last than before.
 *
 * Knows nothing of what a cut does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_CUT_WALK_H
#define FEMU_SIM_CUT_WALK_H

#include "feed.h"

/*
 * The power is cut as soon as one of these is reached; UINT64_MAX: never. A
 * point is: a command that changes what lasts has been accepted; its end, or
 * that of a flush, has been told; a program of the flash has ended.
 */
typedef struct CutPoint {
    uint64_t at_ns;
    uint64_t commands; /* commands that the drive has accepted */
    uint64_t programs; /* flash programs that have ended */
    uint64_t points;
} CutPoint;

typedef struct CutWalk {
    Feed feed;
    CutPoint at;
    bool lists; /* print a line for each point */
    GHashTable *open; /* accepted, their end not told: seq to SsdOp */
    SsdTraceEnd read; /* how far the trace has been played */
    uint64_t accepted_count;
    uint64_t point_count;
    bool is_there;
} CutWalk;

/* A new drive of these parameters; cut_walk_clear() frees what it takes. */
void cut_walk_init(CutWalk *walk, const SsdParams *params, const CutPoint *at);
void cut_walk_clear(CutWalk *walk);

/*
 * Play the trace up to walk->at, or to its end; then is_there says which.
 * Return: false with *error if no drive can have recorded that.
 */
bool cut_walk_play(CutWalk *walk, SsdTraceReader *reader, GError **error);

#endif
