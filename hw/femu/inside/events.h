/*
 * The names of events: the room whose event it is, and which of its own; and
 * who has which lane of the event queue.
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
    EVENT_FLASH,   /* the flash's own numbers: flash_event() */
    /* Commands on their way */
    EVENT_FRONT,   /* the front end hands its command off */
    EVENT_LINK,    /* the next portion is there */
    EVENT_LEAVING, /* [slot] the command has left the drive */
    EVENT_BUFFER,  /* [unit] room that its last program has given back */
    /* Management */
    EVENT_RESET,   /* the next phase of the reset */
    EVENT_STEP,    /* its next visit to a unit */
    EVENT_JOB,     /* [job] it has waited long enough */
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

/* Lanes of the events that come in the order of time, behind the flash's. */
enum {
    LANE_FRONT = FLASH_LANES,
    LANE_LINK,
    LANE_READS_LEAVE,
    LANE_LEAVE,
    LANES,
};
G_STATIC_ASSERT(LANES == (unsigned)EVENT_LANES);

#endif
