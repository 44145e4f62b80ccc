/*
 * The write buffer: who may put data into it, and how it drains.
 *
 * Writes are let in one after another, in portions, as there is room; with
 * take-turns a portion of each namespace, and in it of each zone, at a time.
 * Each zone is a stream of pages that are given to their units in order. A unit
 * takes as many as it has registers; then the zone waits at that unit, with one
 * page, whatever it has behind that. So zones that write, and one that is being
 * finished, get equal shares without a rule that says so.
 *
 * Knows nothing of zones' states, of jobs but their work on the flash, or of
 * the front end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_BUFFER_H
#define FEMU_BUFFER_H

#include "../inside/lines.h"
#include "../link/link.h"
#include "../media/media.h"

/* A page of which all bytes are in the buffer, not yet given to its unit. */
typedef struct BufferedPage {
    uint32_t epoch;
    uint32_t drain_number; /* of drains that had begun when it was complete */
    uint32_t next_idx; /* of the zone, in order; or in the free list */
} BufferedPage;

/* A zone's data in the buffer, on their way to the flash. */
typedef struct Stream {
    uint64_t used_bytes;   /* of the buffer: reserved, held, being programmed */
    uint64_t held_bytes;   /* arrived, of this life, not given to a unit */
    uint64_t formed_bytes; /* of these, in pages that are complete */
    uint32_t first_page_idx; /* complete pages, in order */
    uint32_t last_page_idx;
    uint32_t next_page;    /* of the zone: the first to be given to its unit */
    uint32_t fill_job_idx; /* a finish that goes on behind them, */
    uint32_t fill_drain_number; /* as BufferedPage's, of its next page */
    uint32_t unit_idx;      /* at which it waits with its next page, */
    uint32_t next_zone_idx; /* between these */
    uint32_t prev_zone_idx;
    bool is_waiting;
    bool is_abandoned;     /* of a failed zone: no page is completed any more */
} Stream;

/*
 * Zones that wait for a register of a unit, first come first served; and the
 * room that its last program has not given back yet.
 */
typedef struct UnitQueue {
    uint32_t first_zone_idx;
    uint32_t last_zone_idx;
    uint32_t old_from_idx;     /* who waits before this one is young, */
    uint32_t old_drain_number; /* while this is drained */
    uint32_t programmed_zone_idx;
    uint32_t unreleased_bytes;
    uint64_t programmed_at_ns;
} UnitQueue;

typedef struct WriteBuffer {
    const SsdParams *params;
    Commands *commands;
    Media *media;
    Link *link;
    EventHeap *events;
    uint64_t size_bytes; /* 0: there is none */
    uint64_t zone_bytes; /* that a zone may use */
    uint64_t used_bytes;
    uint64_t release_ns; /* of what a program has written; 0: at once */
    Lines lines;
    Turns turns;         /* commands that wait for room */
    uint32_t waiting_count;
    bool holds_up;         /* it has been too crowded for who asked, */
    bool has_told;         /* ... who will be told when writes are let in */
    bool is_draining;      /* older pages than this go first: */
    uint32_t drain_number; /* how many drains have begun */
    Stream *streams;  /* [zone] */
    UnitQueue *units; /* [unit] */
    BufferedPage *pages;
    uint32_t page_count;
    uint32_t free_page_idx;
} WriteBuffer;

/* All that is given here outlives it. */
void wbuf_init(WriteBuffer *buffer, const SsdParams *params, Commands *commands,
               Media *media, Link *link, EventHeap *events);
void wbuf_destroy(WriteBuffer *buffer);

/* Is there one? All that follows needs it. */
static inline bool wbuf_is_on(const WriteBuffer *buffer)
{
    return buffer->size_bytes > 0;
}

/* Writes */

/*
 * Do so many writes wait for room that the front end must, too? Then
 * EFFECT_ROOM_FREED will tell of each that has been let in, ...
 */
bool wbuf_is_crowded(WriteBuffer *buffer);
/* ... to be acted upon: do so few wait now that the front end goes on? */
bool wbuf_goes_on(WriteBuffer *buffer);
/* The write's turn has come: its data come in as there is room. */
void wbuf_write(WriteBuffer *buffer, uint64_t now_ns, uint32_t command_idx);
/* Data have arrived; those of a life that has ended are thrown away. */
void wbuf_arrived(WriteBuffer *buffer, uint64_t now_ns, uint32_t zone_idx,
                  uint32_t bytes, bool is_alive);
/* EVENT_BUFFER: a part of the room of a unit's last program is free now. */
void wbuf_release_event(WriteBuffer *buffer, uint64_t now_ns,
                        uint32_t unit_idx);

/* Pages */

/* Fill the zone with the next pages of the job, behind what it holds. */
void wbuf_fill(WriteBuffer *buffer, uint64_t now_ns, uint32_t job_idx);
/* A page of the zone has been programmed: its room is free, now or soon. */
void wbuf_program_ended(WriteBuffer *buffer, uint64_t now_ns, uint32_t zone_idx,
                        uint32_t unit_idx);
/* A program on the unit has ended, whoever's: its register is free. */
void wbuf_unit_free(WriteBuffer *buffer, uint64_t now_ns, uint32_t unit_idx);
/*
 * Until wbuf_unlocked(), the pages that are complete now go first: others are
 * given only to units that have nothing to program.
 */
void wbuf_drain_first(WriteBuffer *buffer);
/* Units take programs again. */
void wbuf_unlocked(WriteBuffer *buffer, uint64_t now_ns);
/* What the zone holds is not programmed any more. */
void wbuf_forget(WriteBuffer *buffer, uint64_t now_ns, uint32_t zone_idx);
/* The zone has failed: what is no complete page never will be. */
void wbuf_abandon(WriteBuffer *buffer, uint64_t now_ns, uint32_t zone_idx);

#endif
