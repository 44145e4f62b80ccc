/*
 * Where a command is inside the drive at an instant, and what it waits for
 * there: for who asks why it took so long. To ask changes nothing.
 *
 * Knows nothing of what was before or comes after.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SSD_WHY_H
#define FEMU_SSD_WHY_H

#include <glib.h>

#include "ssd.h"

/* Where a command, or a part of it, is; `idx` is of what is in brackets. */
typedef enum SsdPlace {
    SSD_PLACE_READ_SLOT,
    SSD_PLACE_FRONT_END,
    SSD_PLACE_FRONT_HELD, /* which writes that wait for room hold up */
    SSD_PLACE_ZONE_WRITES, /* [zone] behind writes of its zone, or its finish */
    SSD_PLACE_ZONE_RESET, /* [zone] behind a reset of its zone */
    SSD_PLACE_SEAT,       /* [zone] in the write buffer */
    SSD_PLACE_LOG,        /* behind writes of the conventional namespace */
    SSD_PLACE_LOG_ROOM,   /* in that log */
    SSD_PLACE_LINE,       /* behind other writes that wait for room */
    SSD_PLACE_ZONE_ROOM,  /* [zone] in its zone's share of the buffer */
    SSD_PLACE_ROOM,       /* in the buffer */
    SSD_PLACE_LINK_IN,
    SSD_PLACE_LINK_OUT,
    SSD_PLACE_PAGE,       /* [unit] with a page in the buffer */
    SSD_PLACE_REGISTER,   /* [unit] */
    SSD_PLACE_LOCK,       /* [unit] programs wait while a zone is unmapped */
    SSD_PLACE_ISSUE,      /* of programs by the controller */
    SSD_PLACE_CHANNEL,    /* [channel] */
    SSD_PLACE_ERASE,      /* [unit] an erase behind programs on their way */
    SSD_PLACE_UNIT,       /* [unit] */
    SSD_PLACE_SELECT_ALL, /* behind another Select All */
    SSD_PLACE_JOBS,       /* [zone] behind a finish or reset of its zone */
    SSD_PLACE_RESETS,     /* behind other resets: one is managed at a time */
    SSD_PLACE_UNMAP,      /* [zone] phases of a reset */
    SSD_PLACE_COMMIT,     /* [zone] */
    SSD_PLACE_STEPS,      /* [zone] visits to units are left */
    SSD_PLACE_PAUSE,      /* [zone] between two steps of a finish */
    SSD_PLACE_STALL,      /* [zone] until host I/O pauses */
    SSD_PLACE_FIXED,      /* a latency that occupies nothing */
    SSD_PLACE_OWN,        /* [unit] behind programs of the drive's own */
    SSD_PLACE_INSIDE,     /* none of these */
    SSD_PLACE_COUNT,
} SsdPlace;

typedef enum SsdWhoKind {
    SSD_WHO_NOBODY,
    SSD_WHO_COMMAND,    /* [tag] */
    SSD_WHO_PAGE,       /* [zone, page] that the buffer drains */
    SSD_WHO_ZONE,       /* [zone] which is erased before its first write */
    SSD_WHO_CONTROLLER, /* a finish or an erase of no command */
    SSD_WHO_AHEAD,      /* read-ahead */
    SSD_WHO_CLEANING,   /* of the conventional namespace */
    SSD_WHO_LOG,        /* a page of its log that the buffer drains */
} SsdWhoKind;

/* Zones are numbered through all namespaces. */
typedef struct SsdWho {
    SsdWhoKind kind;
    uint32_t tag;
    uint32_t zone_idx;
    uint64_t page; /* of the zone, in what one program writes */
} SsdWho;

/*
 * One part of a command. If it works, that is what goes on there, for `who` if
 * that is somebody: a flush and a read behind read-ahead wait for the work of
 * others. Otherwise it waits, and `who` has the place; `what` is what the array
 * of a unit does for them.
 */
typedef struct SsdCause {
    SsdPlace place;
    bool works;
    uint32_t idx;
    uint32_t part_id; /* as long as a part is inside, its number is the same */
    const char *what; /* read, load, program, pad, erase, step; or NULL */
    SsdWho who;
    uint64_t until_ns; /* from then on it is something else, event or not */
} SsdCause;

/*
 * Return: the parts of the command of that tag, an array of SsdCause; it is
 * empty if the command is done or has never come. Free it. It holds until
 * ssd_next_step_at_ns(), the next submission, or its first until_ns.
 */
GArray *ssd_why(const Ssd *ssd, uint32_t tag);

/*
 * The same of one command, time after time, at the cost of what it has in the
 * drive where that suffices; each answer is what ssd_why() would say. The drive
 * must be the same one, and outlive the inquiry.
 */
typedef struct SsdInquiry SsdInquiry;
SsdInquiry *ssd_inquiry_new(const Ssd *ssd, uint32_t tag);
GArray *ssd_inquiry_look(SsdInquiry *inquiry);
void ssd_inquiry_free(SsdInquiry *inquiry); /* or NULL */

#endif
