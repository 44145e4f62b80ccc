/*
 * The write buffer: who may put data into it, and how it drains.
 *
 * Writes are let in one after another, in portions, as there is room; or, with
 * take-turns or buffer-turns, namespaces take turns, and so do zones. What a
 * zone holds, or the conventional namespace's log, is a stream of pages in one
 * strand or, with page-turns, one for each unit. A strand gives pages to units
 * in order, and waits in a unit's queue with one, however many are behind it. A
 * stripe is a page of each strand: all of one are given before any of the next.
 *
 * Knows nothing of zones' states, of jobs but their flash work, of what the log
 * maps, or of the front end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_BUFFER_H
#define FEMU_BUFFER_H

#include "../base/index_set.h"
#include "../inside/lines.h"
#include "../link/link.h"
#include "../media/media.h"

/* A page of which all bytes are in the buffer, not yet given to its unit. */
typedef struct BufferedPage {
    uint32_t epoch;
    uint32_t drain_number; /* drains that had begun when it was complete */
    uint32_t next_idx; /* the strand's next page, or next in the free list */
    uint32_t line; /* of the log */
    uint64_t page; /* of the zone; of the log: of all that it has ever had */
    bool is_moved; /* of the log: cleaning waits for its program */
} BufferedPage;

/* Pages of a zone that go to their units one after another. */
typedef struct Strand {
    uint32_t first_page_idx; /* list of the complete pages */
    uint32_t last_page_idx;
    uint32_t unit_idx;        /* if is_waiting: the unit that it waits at */
    uint32_t next_strand_idx; /* neighbours in the queue of that unit */
    uint32_t prev_strand_idx;
    uint32_t due_at; /* `given` of that unit at which a finish's page is due */
    bool is_waiting;
    bool has_fill; /* behind these a page of the stripe of a finish */
} Strand;

/*
 * A zone's data in the buffer, on their way to the flash. That of the log uses
 * nothing that is of a finish, and its pages are complete when conv/ says so.
 */
typedef struct Stream {
    uint64_t used_bytes; /* its room: reserved, held or being programmed */
    uint64_t held_bytes; /* data of this life, not given to a unit yet */
    uint64_t formed_bytes; /* the part of held_bytes in complete pages */
    uint64_t next_page; /* BufferedPage.page of what is complete next */
    uint32_t stripe_left; /* pages of the open stripe not given to a unit yet */
    uint64_t stripe_end_page; /* where that ends; none behind it is given */
    uint32_t fill_job_idx; /* finish that fills the zone after these pages */
    uint32_t fill_from_page; /* where the stripe begins that it fills, ... */
    uint32_t fill_left; /* ... and how many pages of that wait for a unit */
    uint32_t fill_drain_number; /* drain_number of these */
    bool is_abandoned;     /* the zone has failed: no more data come */
    bool has_opened; /* a stripe that not all strands have gone on with */
} Stream;

/*
 * Strands that wait for a register of a unit, first come first served; and the
 * room that its last program has not given back yet.
 */
typedef struct UnitQueue {
    uint32_t first_strand_idx;
    uint32_t last_strand_idx;
    /* In drain old_drain_number all strands before this one are young. */
    uint32_t old_from_idx;
    uint32_t old_drain_number;
    uint32_t given; /* pages of the host that the unit has got */
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
    uint64_t size_bytes; /* 0: there is no buffer */
    uint64_t zone_bytes; /* the most that one zone may use */
    uint64_t used_bytes;
    uint32_t writers; /* streams that use as much as a page, or more */
    uint64_t release_ns; /* a program's room is free so long after its end */
    Lines lines;
    Turns turns;         /* commands that wait for room */
    uint32_t waiting_count;
    bool holds_up;         /* the front end waits for room */
    bool has_told;         /* its EFFECT_ROOM_FREED is in the queue */
    bool is_draining;      /* pages that are older than the drain go first */
    uint32_t drain_number; /* how many drains have begun */
    uint32_t stream_count; /* zones, and the log if it is one */
    Stream *streams;  /* [zone]; that of the log is behind them */
    IndexSet given; /* within wbuf_unlocked(): those of which idle units got */
    uint32_t zone_strands;
    Divisor strands_divisor; /* by that */
    uint32_t log_strands;    /* 0: the log is no stream */
    Strand *strands;  /* [zone * zone_strands + page % wbuf_strands_of()] */
    UnitQueue *units; /* [unit] */
    BufferedPage *pages;
    uint32_t page_count;
    uint32_t free_page_idx;
} WriteBuffer;

/* What it can have under way, for the drive's tables. */
void wbuf_bounds(const SsdParams *p, Bounds *bounds);

/* All that is given here outlives it. */
void wbuf_init(WriteBuffer *buffer, const SsdParams *params, Commands *commands,
               Media *media, Link *link, EventHeap *events);
void wbuf_destroy(WriteBuffer *buffer);

/* Is there a buffer? If not, nothing below may be called. */
static inline bool wbuf_is_on(const WriteBuffer *buffer)
{
    return buffer->size_bytes != 0;
}

/* Is the zone, or the log, one that writes? */
static inline bool wbuf_is_writer(const WriteBuffer *buffer,
                                  const Stream *stream)
{
    return stream->used_bytes >= buffer->media->page_bytes;
}

/* Is the conventional namespace's log a stream? Its number is that of zones. */
static inline bool wbuf_has_log(const WriteBuffer *buffer)
{
    return buffer->stream_count > buffer->params->zones;
}

static inline bool wbuf_is_log(const WriteBuffer *buffer, uint32_t zone_idx)
{
    return zone_idx == buffer->params->zones;
}

/* Writes */

/*
 * Do so many writes wait for room that the front end must wait, too? From then
 * on each write that is let in is an EFFECT_ROOM_FREED.
 */
bool wbuf_is_crowded(WriteBuffer *buffer);
/* At EFFECT_ROOM_FREED: do so few writes wait that the front end goes on? */
bool wbuf_goes_on(WriteBuffer *buffer);
/* Writes of which something waits for room. */
static inline uint32_t wbuf_waiting_count(const WriteBuffer *buffer)
{
    return buffer->waiting_count;
}

/* How much of what is left of a write comes in at once. */
static inline uint32_t wbuf_portion_bytes(const WriteBuffer *buffer,
                                          const Span *left)
{
    return MIN(left->end_bytes - left->begin_bytes,
               buffer->params->buffer_portion_bytes);
}
/* May its zone use so much more? */
static inline bool wbuf_zone_has_room(const WriteBuffer *buffer,
                                      const Span *left)
{
    return buffer->streams[left->zone_idx].used_bytes +
           wbuf_portion_bytes(buffer, left) <= buffer->zone_bytes;
}
/* The write's turn has come: its data come in as there is room. */
void wbuf_write(WriteBuffer *buffer, uint64_t now_ns, uint32_t command_idx);
/* Data have arrived; those of a life that has ended are thrown away. */
void wbuf_arrived(WriteBuffer *buffer, uint64_t now_ns, uint32_t zone_idx,
                  uint32_t bytes, bool is_alive);
/* EVENT_BUFFER: a part of the room of a unit's last program is free now. */
void wbuf_release_event(WriteBuffer *buffer, uint64_t now_ns,
                        uint32_t unit_idx);

/* Does the zone hold data that complete no page? */
static inline bool wbuf_has_part(const WriteBuffer *buffer, uint32_t zone_idx)
{
    return buffer->streams[zone_idx].held_bytes >
           buffer->streams[zone_idx].formed_bytes;
}

/* Pages */

/* 0, if there is no buffer */
static inline uint32_t wbuf_strand_count(const WriteBuffer *buffer)
{
    return buffer->strands == NULL
           ? 0 : buffer->params->zones * buffer->zone_strands +
                 buffer->log_strands;
}

/* Those of a zone, or of the log */
static inline uint32_t wbuf_strands_of(const WriteBuffer *buffer,
                                       uint32_t zone_idx)
{
    return wbuf_is_log(buffer, zone_idx) ? buffer->log_strands
                                         : buffer->zone_strands;
}

static inline uint32_t wbuf_strand_of_page(const WriteBuffer *buffer,
                                           uint32_t zone_idx, uint64_t page)
{
    return zone_idx * buffer->zone_strands +
           (wbuf_is_log(buffer, zone_idx)
            ? page % buffer->log_strands
            : remainder_of(page, &buffer->strands_divisor));
}

/*
 * The stripe of this page of the zone is open: the pages before it have been
 * given, it and those behind it have not.
 */
static inline void wbuf_open_stripe(WriteBuffer *buffer, uint32_t zone_idx,
                                    uint64_t page)
{
    Stream *stream = &buffer->streams[zone_idx];

    stream->stripe_left = (zone_idx * buffer->zone_strands +
                           wbuf_strands_of(buffer, zone_idx)) -
                          wbuf_strand_of_page(buffer, zone_idx, page);
    stream->stripe_end_page = page + stream->stripe_left;
}

static inline uint32_t wbuf_zone_of_strand(const WriteBuffer *buffer,
                                           uint32_t strand_idx)
{
    return MIN(divide(strand_idx, &buffer->strands_divisor),
               buffer->params->zones);
}

/* The unit that programs a page of the zone, or of the log. */
static inline uint32_t wbuf_unit_of_page(const WriteBuffer *buffer,
                                         uint32_t zone_idx, uint64_t page)
{
    return wbuf_is_log(buffer, zone_idx)
           ? media_log_page_unit(buffer->media, page)
           : media_page_unit(buffer->media, zone_idx, page);
}

/* The page of a finish's stripe in a strand, and where the stripe ends. */
static inline uint64_t wbuf_fill_page(const WriteBuffer *buffer,
                                      uint32_t strand_idx)
{
    uint32_t zone_idx = wbuf_zone_of_strand(buffer, strand_idx);
    uint32_t begin = buffer->streams[zone_idx].fill_from_page;
    uint32_t place = strand_idx - zone_idx * buffer->zone_strands;
    uint32_t begins_at = remainder_of(begin, &buffer->strands_divisor);

    return (uint64_t)begin + place - begins_at +
           (place < begins_at ? buffer->zone_strands : 0);
}

static inline uint64_t wbuf_fill_end(const WriteBuffer *buffer,
                                     uint32_t zone_idx)
{
    const Stream *stream = &buffer->streams[zone_idx];

    return MIN((uint64_t)stream->fill_from_page + buffer->zone_strands,
               buffer->media->works[stream->fill_job_idx].chunk_end_page);
}

/*
 * Has a finish of the zone no stripe under way, as pages of the host are still
 * in front of it? Without page-turns it stands behind them in their strand.
 */
static inline bool wbuf_fill_waits(const WriteBuffer *buffer,
                                   uint32_t zone_idx)
{
    const Stream *stream = &buffer->streams[zone_idx];

    return buffer->params->page_turns && stream->formed_bytes != 0;
}

/* Fill the zone with the next pages of the job, behind what it holds. */
void wbuf_fill(WriteBuffer *buffer, uint64_t now_ns, uint32_t job_idx);
/* A page of the zone has been programmed: its room is free, now or soon. */
void wbuf_program_ended(WriteBuffer *buffer, uint64_t now_ns, uint32_t zone_idx,
                        uint32_t unit_idx);
/* A program on the unit, of any owner, has ended: its register is free. */
void wbuf_unit_free(WriteBuffer *buffer, uint64_t now_ns, uint32_t unit_idx);
/*
 * Until wbuf_unlocked(), the pages that are complete now go first: others are
 * given only to units that have nothing to program.
 */
void wbuf_drain_first(WriteBuffer *buffer);
/* Units take programs again; with page-turns each one before any two. */
void wbuf_unlocked(WriteBuffer *buffer, uint64_t now_ns);
/* Drop what the zone holds: a reset has ended its life. */
void wbuf_forget(WriteBuffer *buffer, uint64_t now_ns, uint32_t zone_idx);
/* The zone has failed: its last page, if incomplete, stays so. */
void wbuf_abandon(WriteBuffer *buffer, uint64_t now_ns, uint32_t zone_idx);

/*
 * Of a zone of which a new buffer knows nothing so many pages are programmed,
 * and it holds a part of the next one.
 */
void wbuf_put(WriteBuffer *buffer, uint32_t zone_idx, uint64_t pages,
              uint32_t part_bytes);

/* The log */

/*
 * So many bytes that wbuf_write() has let in have their places in the log; or,
 * moved by cleaning, they take room without asking.
 */
void wbuf_log_put(WriteBuffer *buffer, uint32_t bytes, bool is_moved);
/* All of a page of the log is in the buffer: the next one, of this line. */
void wbuf_log_page(WriteBuffer *buffer, uint64_t now_ns, uint32_t line,
                   bool is_moved);
/*
 * Cleaning has moved a row. Its last places may have completed no page, but now
 * the log may use more than its share, so that its line stands aside.
 */
void wbuf_log_moved(WriteBuffer *buffer, uint64_t now_ns);
/* The most of what cleaning moves that may wait to be programmed. */
uint64_t wbuf_moved_most_bytes(const WriteBuffer *buffer);

/* What the buffer has had of the zone's life ends here. */
static inline uint64_t wbuf_end_bytes(const WriteBuffer *buffer,
                                      uint32_t zone_idx)
{
    const Stream *stream = &buffer->streams[zone_idx];

    return stream->next_page * buffer->media->page_bytes +
           stream->held_bytes - stream->formed_bytes;
}

/*
 * buffer_state.c: as bytes; see base/state.h. waits[command] tells who waits
 * for room.
 */
typedef struct State State;
void wbuf_state(WriteBuffer *buffer, State *state, bool *waits);

#endif
