/*
 * Checks of a drive that has been loaded for which several rooms are needed:
 * does each command wait in the places in which it should?
 *
 * Inside drive/; nobody else includes this. Calls go from load.c to the others.
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_LOAD_H
#define FEMU_LOAD_H

#include "../base/state.h"
#include "drive.h"

/* Events that are pending, counted. */
typedef struct LoadEvents {
    FlashEvents flash;
    uint32_t front;
    uint32_t link;
    uint32_t *leaving; /* [slot] */
    uint32_t *buffer;  /* [unit] */
    uint32_t reset;
    uint32_t step;
    uint32_t *jobs;    /* [job] */
} LoadEvents;

/* Operations of the flash that are under way, by who waits for them. */
typedef struct LoadOps {
    uint32_t *commands;       /* [slot] */
    uint32_t *jobs;           /* [job] */
    uint32_t *buffer;         /* [zone]; behind them the log */
    uint32_t *first_writes;   /* [zone] */
    uint32_t *fetches;        /* [fetch] */
    uint32_t cleaning;
    uint32_t steps;
    uint32_t *epochs;         /* [epoch] programs of the host */
    uint32_t *programs;       /* [unit] the same */
    uint32_t *line_programs;  /* [line of the conventional namespace] */
    uint32_t moved_pages;     /* of cleaning, in the buffer */
} LoadOps;

/* What the rooms have found while they were read; the arrays belong to this. */
typedef struct LoadCheck {
    Ssd *ssd;
    State *state;
    uint32_t *used;       /* slots: ssd->commands.count of them */
    bool *is_used;        /* [slot] */
    bool *waits_for_room; /* [slot] */
    bool *waits_for_slot; /* [slot] */
    bool *enters;         /* [slot] */
    bool *in_queue;       /* [slot] of the writes of its zone, or the log */
    bool *is_reset;       /* [job] its management is under way, or waits */
    bool *job_used;       /* [job] */
    LoadEvents events;
    LoadOps ops;
    uint32_t *parts;      /* [slot] what it waits for */
} LoadCheck;

void load_check_begin(LoadCheck *check, Ssd *ssd);
void load_check_end(LoadCheck *check);

/* Needs all rooms to be read, and each to have passed its own checks. */
void load_check(LoadCheck *check, State *state);

/* load_events.c: count events, then operations. */
void load_count_events(LoadCheck *check);
void load_count_ops(LoadCheck *check);
/* load_commands.c */
void load_check_commands(LoadCheck *check);
/* load_rooms.c */
void load_check_jobs(LoadCheck *check);
void load_check_rooms(LoadCheck *check);

#endif
