/*
 * The conventional namespace: reads and writes anywhere, as flash operations
 * of the same units that the zones use.
 *
 * Its bytes are mapped in granules (ftl.h) and written as a log: a line is a
 * block on every unit, its pages go round the units as a zone's would, and the
 * page being filled waits in the page-assembly register. When free lines run
 * low, a line is cleaned: row by row, what it still holds is read and written
 * to the log's end; then its blocks are erased. Writes that would leave less
 * than a line free wait for that.
 *
 * With conventional-buffer writes have their places when the buffer has them.
 *
 * Knows nothing of zones but how many places on the flash they take.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_CONV_H
#define FEMU_CONV_H

#include "../buffer/buffer.h"
#include "../link/link.h"
#include "../media/media.h"
#include "ftl.h"

/* What cleaning does to its victim; the operations of one stage go together. */
typedef enum CleanStage {
    CLEAN_READ,  /* a row */
    CLEAN_WRITE, /* the row that was read; or it begins */
    CLEAN_ERASE,
} CleanStage;

typedef struct ConvCounters {
    uint64_t host_bytes;  /* that writes have put into the log */
    uint64_t moved_bytes; /* that cleaning has */
    uint64_t programs;
    uint64_t erased_blocks;
} ConvCounters;

/* Bytes are those of the namespace. */
typedef struct Conv {
    const SsdParams *params;
    Commands *commands;
    Media *media;
    Link *link;
    WriteBuffer *buffer;
    Ftl ftl;
    ZoneMap map;          /* one group of all units */
    uint32_t page_places; /* granules of a page */
    uint32_t line_pages;
    uint32_t *programmed_rows;  /* [line * units + unit] */
    uint32_t *programmed_pages; /* [line] */
    uint32_t *life;             /* [line]: times erased */

    /*
     * Writes in order of submission; the first waits for what it reads, or for
     * room. What they replace is dropped when they are submitted; until their
     * turn, newest_id tells the write that has the granule's data.
     */
    uint32_t first_write_idx;
    uint32_t last_write_idx;
    uint32_t submitted_count; /* writes ever; the number is a key of draws */
    uint32_t *newest_id; /* [granule]: Command.write_id; 0: none waits */
    uint32_t last_id;
    uint64_t promised; /* places for what comes into the buffer */

    uint32_t victim; /* line; FTL_NONE: nothing is being cleaned */
    CleanStage stage;
    uint32_t row;      /* of the victim */
    uint32_t ops_left; /* of the stage */

    ConvCounters counters;
} Conv;

/* What it can have under way, for the drive's tables. */
void conv_bounds(const SsdParams *p, Bounds *bounds);

/* All that is given here outlives it. Without such a namespace it is idle. */
void conv_init(Conv *conv, const SsdParams *params, Commands *commands,
               Media *media, Link *link, WriteBuffer *buffer);
void conv_destroy(Conv *conv);

/* Begin the work of a command of the namespace; what it needs are its parts. */
void conv_start(Conv *conv, uint64_t now_ns, uint32_t command_idx);
/* Issue the writes whose turn has come, as far as there is room. */
void conv_issue_writes(Conv *conv, uint64_t now_ns);
/* Is this place of an operation one of its blocks? */
static inline bool conv_has_place(const Conv *conv, uint32_t place_idx)
{
    return place_idx >= media_place_count(conv->media);
}
void conv_page_programmed(Conv *conv, uint64_t now_ns, const FlashOp *op);
/* Data of a write have come into the buffer. */
void conv_write_arrived(Conv *conv, uint64_t now_ns,
                        const LinkPortion *portion);
/* An operation of OWNER_CLEANING has ended. */
void conv_cleaning_op_ended(Conv *conv, uint64_t now_ns);
/* conv_state.c: as bytes; see base/state.h. */
typedef struct State State;
void conv_state(Conv *conv, State *state);
/* conv_power.c: a new one is what another one is when power is back. */
void conv_power_cut(Conv *conv, const Conv *from);
/* Nothing is mapped any more. No command of the namespace is inside. */
void conv_format(Conv *conv);

#endif
