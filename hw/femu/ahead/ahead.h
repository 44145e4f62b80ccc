/*
 * Read-ahead: which reads follow each other, what is fetched of their zone
 * before they ask for it, and who waits for that.
 *
 * A zone is cut into lines, which are what a unit of the flash senses at once.
 * A stream is a row of reads of a zone, each beginning where the one before it
 * ended. It has a ring of lines, fetched or being fetched, within a window from
 * the first of its reads on that is not done. A line that is being fetched has
 * room for one read that waits for each of its pages. Calls go down, values come
 * back: the caller senses what ahead_next() names and says when it is there.
 *
 * Knows nothing of time, of the flash, of NVMe, or of what lies in a zone.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_AHEAD_H
#define FEMU_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/divisor.h"

#define AHEAD_NONE UINT32_MAX

typedef struct AheadConfig {
    uint32_t streams;
    uint32_t depth_lines; /* lines of a stream's ring; 0: no read-ahead */
    uint64_t line_bytes;
    uint64_t page_bytes;  /* whole pages are a line */
    uint32_t after;       /* so many reads in a row make a stream */
} AheadConfig;

typedef struct AheadStream {
    uint32_t zone_idx;   /* AHEAD_NONE: never used, or forgotten */
    uint32_t reads;      /* reads in a row, counted up to one above `after` */
    uint64_t row;        /* number of this row of reads, from 1 on */
    uint64_t next_bytes; /* place in the zone where the next read begins */
    uint64_t inside_bytes; /* bytes of its reads that are not done */
    uint64_t first_line; /* the ring has the lines [first, end) */
    uint64_t end_line;
    uint64_t used_at;    /* read_count at its last read */
} AheadStream;

/* A line that is being fetched. */
typedef struct AheadFetch {
    uint32_t stream_idx; /* AHEAD_NONE: no ring has the line any more */
    uint32_t place;      /* in Ahead.lines; or next in the free list */
} AheadFetch;

/* Who waits for a page of it, and perhaps for pages before that. */
typedef struct AheadWaiter {
    uint32_t command_idx; /* AHEAD_NONE: nobody */
    uint32_t bytes;       /* that it reads of the line */
} AheadWaiter;

/* These never go back. */
typedef struct AheadCounters {
    uint64_t fetched_lines;
    uint64_t hit_bytes;    /* that reads found fetched */
    uint64_t waited_bytes; /* that reads found being fetched */
} AheadCounters;

typedef struct Ahead {
    AheadConfig config;
    Divisor line_divisor;
    Divisor depth_divisor;
    uint64_t read_count;
    uint64_t row_count;
    AheadStream *streams;
    /* [stream * depth + line % depth]: its fetch; AHEAD_NONE: has come */
    uint32_t *lines;
    AheadFetch *fetches;
    uint32_t fetching_count;
    uint32_t free_fetch_idx;
    uint32_t fresh_fetch_idx; /* fetches from here on were never used */
    AheadWaiter *waiters; /* [fetch * line_pages + page], of those in use */
    uint32_t line_pages;
    AheadCounters counters;
} Ahead;

void ahead_init(Ahead *ahead, const AheadConfig *config);
void ahead_destroy(Ahead *ahead);

static inline bool ahead_is_on(const Ahead *ahead)
{
    return ahead->config.depth_lines != 0;
}

/*
 * A read of bytes [begin, end) of a zone begins. One that continues no stream
 * takes the place of that which was used longest ago. With `lost` it is not
 * recognised: its stream is counted anew.
 * Return: its stream.
 */
uint32_t ahead_read(Ahead *ahead, uint32_t zone_idx, uint64_t begin_bytes,
                    uint64_t end_bytes, bool lost);

typedef enum AheadFound {
    AHEAD_MISS,  /* it is not asked for, or another waits for the page */
    AHEAD_HIT,   /* the line is there */
    AHEAD_WAITS, /* the command is told when it is */
} AheadFound;

/* A piece of that read which lies in one line, from byte `begin_bytes` on. */
AheadFound ahead_take(Ahead *ahead, uint32_t stream_idx, uint64_t begin_bytes,
                      uint32_t command_idx, uint32_t bytes);

/* A read that ahead_read() took for this row is done. */
void ahead_done(Ahead *ahead, uint32_t stream_idx, uint64_t row,
                uint64_t bytes);

/*
 * All pieces are taken, a line of the stream has come, or a read of it is done:
 * lines may be free.
 */
void ahead_pass(Ahead *ahead, uint32_t stream_idx);

/* Is a line to be fetched? Its first byte is then in *begin_bytes. */
bool ahead_next(const Ahead *ahead, uint32_t stream_idx,
                uint64_t *begin_bytes);
/* That is being done now. Return: its number, for ahead_fetched(). */
uint32_t ahead_fetch(Ahead *ahead, uint32_t stream_idx);

/* The next who waited for a line that has come, by page; false: no more. */
bool ahead_next_waiter(Ahead *ahead, uint32_t fetch_idx, AheadWaiter *waiter);
/* ... and none waits any more. Return: the line's stream, if one has it. */
uint32_t ahead_fetched(Ahead *ahead, uint32_t fetch_idx);

/*
 * ahead_state.c: as bytes; see base/state.h. `zone_bytes` are those of a zone.
 */
typedef struct State State;
void ahead_state(Ahead *ahead, State *state, uint64_t zone_bytes);
/* Where a line is in the table of all rings. */
uint32_t ahead_place(const Ahead *ahead, uint32_t stream_idx, uint64_t line);

/* The zone has lost its data. Reads that wait for a line still get it. */
void ahead_forget(Ahead *ahead, uint32_t zone_idx);

#endif
