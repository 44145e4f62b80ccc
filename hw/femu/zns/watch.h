/*
 * Since when each zone has been active or full, and of which zones the host has
 * still to be told: what the controller does to zones of itself, at exact times
 * (ZNS 1.1 sections 5.4 to 5.6).
 *
 * Knows nothing of flash, jobs or commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SSD_WATCH_H
#define FEMU_SSD_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "namespaces.h"

/* The phases of a zone that have a time limit. */
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
    bool finished;        /* by the controller; kept while it is not used again,
                             as a power cut may undo its reset */
    bool told_of;         /* is in Watch.changed */
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
    const SsdParams *params;
    const Namespaces *ns;
    WatchedZone *zones; /* [zone]; NULL: nothing is watched */
    WatchList lists[WATCH_PHASES];
    uint64_t next_at_ns; /* when the next limit is reached */
    IndexSet attributed; /* zones of which a report says something */
    uint32_t *changed;   /* zones that nobody has been told of */
    uint32_t changed_count;
} Watch;

/* `params` and `namespaces` outlive it. */
void watch_init(Watch *watch, const SsdParams *params,
                const Namespaces *namespaces);
void watch_destroy(Watch *watch);

/* The zone's state may have changed. */
void watch_state(Watch *watch, uint64_t now_ns, uint32_t zone_idx);
static inline void watch_zone(Watch *watch, uint64_t now_ns, uint32_t zone_idx)
{
    if (watch->zones) {
        watch_state(watch, now_ns, zone_idx);
    }
}

/*
 * A limit has been reached, at watch->next_at_ns. Return: the zone that the
 * controller must finish now, watch_excursion() to follow; SSD_NONE if it was a
 * recommendation, which has been made.
 */
uint32_t watch_due(Watch *watch);
/* ... or this, if it cannot: the zone becomes active now, and so later. */
void watch_anew(Watch *watch, uint64_t now_ns, uint32_t zone_idx);
/* The controller has finished the zone. */
void watch_excursion(Watch *watch, uint32_t zone_idx);

/*
 * The zone begins anew at now_ns; what the controller had finished before is
 * that still: it is full, whatever power cut came.
 */
void watch_put(Watch *watch, uint64_t now_ns, uint32_t zone_idx,
               bool was_finished);

/* watch_state.c: as bytes; see base/state.h. Needs the namespaces'. */
typedef struct State State;
void watch_visit(Watch *watch, State *state);
/*
 * For that: the phase that a zone must be in, the next limit anew, and that
 * what a report says of a zone may have changed.
 */
WatchPhase watch_phase_of(const Watch *watch, uint32_t zone_idx);
void watch_find_next(Watch *watch);
void watch_note(Watch *watch, uint32_t zone_idx);

/* What a report says of a zone. */
bool watch_finished(const Watch *watch, uint32_t zone_idx);
/* The same of a zone whose last reset has not been. */
bool watch_was_finished(const Watch *watch, uint32_t zone_idx);
bool watch_recommended(const Watch *watch, uint32_t zone_idx,
                       WatchPhase phase);

/* The first zone in [zone_idx, end_idx) of which it says one of these, or
 * end_idx; and how many such zones there are. */
uint32_t watch_next(const Watch *watch, uint32_t zone_idx, uint32_t end_idx);
uint32_t watch_count(const Watch *watch, uint32_t zone_idx, uint32_t end_idx);

/* Return: a zone of which the host has still to be told, or SSD_NONE. */
uint32_t watch_take_changed(Watch *watch);

#endif
