/*
 * Names of events: the room that an event belongs to, and a number that means
 * something to that room; and which lane of the event queue is whose.
 *
 * Knows nothing of what an event means.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_EVENTS_H
#define FEMU_EVENTS_H

#include <glib.h>
#include <stdint.h>

#include "../base/event_heap.h"
#include "../timing/flash.h"

typedef enum EventRoom {
    EVENT_FLASH,   /* [number of flash_event()] */
    /* Commands on their way in and out */
    EVENT_FRONT,   /* the front end hands its command off */
    EVENT_LINK,    /* the next portion of data has crossed the host link */
    EVENT_LEAVING, /* [slot] the completion is sent, or there */
    EVENT_BUFFER,  /* [unit] room of its last program becomes free */
    /* Zone management */
    EVENT_RESET,   /* the reset that is managed enters its next phase */
    EVENT_STEP,    /* this reset visits the next unit */
    EVENT_JOB,     /* [job] its pause is over */
} EventRoom;

enum { EVENT_IDX_BITS = 28 };

static inline uint32_t event_name(EventRoom room, uint32_t idx)
{
    return (uint32_t)room << EVENT_IDX_BITS | idx;
}

static inline EventRoom event_room(uint32_t name)
{
    return name >> EVENT_IDX_BITS;
}

static inline uint32_t event_idx(uint32_t name)
{
    return name & ((UINT32_C(1) << EVENT_IDX_BITS) - 1);
}

/* Lanes are for events that are created in the order of their time. */
enum {
    LANE_FRONT = FLASH_LANES,
    LANE_LINK,
    LANE_READS_LEAVE,
    LANE_LEAVE,
    LANE_BUFFER,
    LANES,
};
G_STATIC_ASSERT(LANES <= (unsigned)EVENT_LANES);

#endif
