/*
 * What ssd_watch.c keeps: since when each zone has been active or full, and of
 * which zones the host has still to be told.
 *
 * Knows nothing of QEMU, queues or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SSD_WATCH_H
#define FEMU_SSD_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* What the limits of ssd_watch.c count from. */
typedef enum WatchPhase {
    WATCH_NONE,
    WATCH_ACTIVE, /* open or closed */
    WATCH_FULL,
    WATCH_PHASES,
} WatchPhase;

typedef struct WatchedZone {
    WatchPhase phase;
    uint64_t since_at_ns; /* in this phase */
    bool recommended;     /* to be finished, or reset */
    bool finished;        /* by the controller */
    bool told_of;         /* among Watch.changed */
    uint32_t older_idx;   /* neighbours in the list of the phase */
    uint32_t newer_idx;
} WatchedZone;

/* Zones in the order in which they came to a phase. */
typedef struct WatchList {
    uint32_t oldest_idx;
    uint32_t newest_idx;
    uint32_t quiet_idx; /* the oldest that has no recommendation */
} WatchList;

typedef struct Watch {
    WatchedZone *zones; /* [zone]; NULL: nothing is watched */
    WatchList lists[WATCH_PHASES];
    uint64_t next_at_ns; /* when the next limit is reached */
    uint32_t *changed;   /* zones that nobody has been told of */
    uint32_t changed_count;
} Watch;

#endif
