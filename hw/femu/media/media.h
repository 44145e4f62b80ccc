/*
 * The zones' pages on the flash: where each lies, which are programmed, what
 * must be erased before, and whose operations they are.
 *
 * A page, here and in all rooms above, is what one program writes:
 * program-pages pages of the unit's planes. A unit senses sense_bytes of it at
 * once. A life of a zone is the time from one reset to the next.
 *
 * Knows nothing of zones' states, of the order of writes, or of when a reset
 * erases.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_MEDIA_H
#define FEMU_MEDIA_H

#include "../base/bounds.h"
#include "../base/draw.h"
#include "../base/round.h"
#include "../inside/commands.h"
#include "../params.h"
#include "../timing/flash.h"
#include "map.h"
#include "programs.h"
#include "superblock.h"

/* What a job of a finish or reset has on the flash. */
typedef struct JobWork {
    uint32_t zone_idx;
    uint32_t life;        /* FINISH: life of the zone that it fills */
    /*
     * FINISH: first page that is not issued; with page-turns so many of its
     * stripe are, and all below the stripe
     */
    uint64_t next_page;
    uint64_t end_bytes;   /* FINISH: end of the data; these need no transfer */
    uint64_t chunk_end_page; /* FINISH: end of the present chunk */
    uint32_t ops_left;    /* operations under way */
} JobWork;

/*
 * Where the pages of the conventional namespace's log lie: behind those of the
 * zones. A line is a block on every unit, whose pages take turns.
 */
typedef struct LogPlaces {
    const uint32_t *unit_idx; /* [page % units]; NULL: there is no log */
    uint32_t units;
    uint32_t line_pages;
    const uint32_t *life; /* [line]: times erased */
} LogPlaces;

typedef struct Media {
    const SsdParams *params;
    Commands *commands;
    Flash flash;
    Programs programs;
    ZoneMap map;
    uint32_t page_bytes;
    uint32_t sense_bytes;
    Divisor page_divisor; /* by these, ... */
    Divisor sense_divisor;
    Divisor granule_divisor; /* ... and by what crosses a channel as one */
    uint32_t rows_per_block; /* pages of a unit between two erases */
    uint32_t unit_count;
    uint64_t zone_pages;     /* pages in a zone's capacity */

    /* [zone]: grows at each reset, so that late programs are told apart */
    uint32_t *life;
    uint64_t *issued_bytes; /* [zone]: issued as programs, from its start */
    uint32_t *first_erases; /* [zone]: erases of OWNER_FIRST_WRITE left */
    /* [zone * zone_units + unit in zone]: pages programmed in this life */
    uint32_t *programmed_rows;

    SuperblockTable superblocks;
    uint32_t *eraser_of; /* [superblock]: job that erases it, or SSD_NONE */
    JobWork *works;      /* [job] */
    LogPlaces log;       /* conv/ sets it */
} Media;

/*
 * The most operations of one command; a copy writes when its reads have ended.
 */
uint64_t media_command_bound(const SsdParams *p);
/*
 * What may be erased because of so many programs: a block before each of them
 * on the same unit, whose erase ends before its program does; or all of a zone.
 */
uint64_t media_erases_bound(const SsdParams *p, uint64_t programs);

/*
 * `params`, `commands` and `events` outlive it; `bounds` is what all rooms
 * together can have under way.
 */
void media_init(Media *media, const SsdParams *params, Commands *commands,
                EventHeap *events, const Bounds *bounds);
void media_destroy(Media *media);

/* How a zone goes round its units. */
typedef struct ZoneWay {
    uint64_t start; /* place of its first page, or more by whole rounds */
    uint32_t step;  /* from a page's place to the next one's */
} ZoneWay;

static inline ZoneWay media_zone_way(const Media *media, uint32_t zone_idx)
{
    const ZoneMap *map = &media->map;
    uint64_t start = (uint64_t)zone_idx * media->params->zone_stagger;
    uint64_t bits;

    if (!media->params->zone_shuffle) {
        return (ZoneWay) { start, 1 };
    }
    bits = draw_bits(media->params->seed, DRAW_ZONE_ORDER, zone_idx, 0);
    return (ZoneWay) { start + (uint32_t)bits,
                       map->steps[draw_below(bits, map->step_count)] };
}

/*
 * The place in its stripe, and with it the unit, of a page of a zone; and which
 * of a stripe's pages lies there.
 */
static inline uint32_t media_page_position(const Media *media,
                                           uint32_t zone_idx, uint64_t page)
{
    ZoneWay way = media_zone_way(media, zone_idx);

    return remainder_of(page * way.step + way.start,
                        &media->map.units_divisor);
}

static inline uint32_t media_page_at_position(const Media *media,
                                              uint32_t zone_idx,
                                              uint32_t position)
{
    ZoneWay way = media_zone_way(media, zone_idx);
    uint32_t units = media->map.zone_units;
    uint64_t places = position + units -
                      remainder_of(way.start, &media->map.units_divisor);

    return remainder_of(places * map_steps_back(&media->map, way.step),
                        &media->map.units_divisor);
}

static inline uint32_t media_page_unit(const Media *media, uint32_t zone_idx,
                                       uint64_t page)
{
    return map_zone_units(&media->map,
                          zone_idx)[media_page_position(media, zone_idx,
                                                        page)];
}

/*
 * Where a page lies: fills in the operation's unit, place and cells. The zone
 * must be backed by a superblock if anything will be done there.
 */
static inline void media_place_page(const Media *media, uint32_t zone_idx,
                                    uint64_t page, FlashOp *op)
{
    uint32_t unit_in_zone = media_page_position(media, zone_idx, page);
    uint32_t units = media->map.zone_units;

    op->unit_idx = map_zone_units(&media->map, zone_idx)[unit_in_zone];
    op->place_idx = zone_idx * units + unit_in_zone;
    op->cells_idx = media->superblocks.of_zone[zone_idx] * units +
                    unit_in_zone;
    op->row = divide(page, &media->map.units_divisor);
}

/* The zone of an operation that media_place_page() has placed. */
static inline uint32_t media_zone_of_place(const Media *media,
                                           uint32_t place_idx)
{
    return divide(place_idx, &media->map.units_divisor);
}

/* Rows that a zone has on a unit. */
static inline uint64_t media_zone_rows(const Media *media)
{
    return div_round_up(media->zone_pages, media->map.zone_units);
}

/* Rows of a zone's first pages at a place of its stripe. */
static inline uint32_t media_rows_at(const Media *media, uint32_t zone_idx,
                                     uint64_t pages, uint32_t position)
{
    uint32_t first = media_page_at_position(media, zone_idx, position);

    return pages > first ? div_round_up(pages - first, media->map.zone_units)
                         : 0;
}

/* Places and cells behind these are not of zones. */
static inline uint32_t media_place_count(const Media *media)
{
    return media->params->zones * media->map.zone_units;
}

static inline uint32_t media_cells_count(const Media *media)
{
    return media->superblocks.count * media->map.zone_units;
}

static inline uint32_t media_log_page_unit(const Media *media, uint64_t page)
{
    return media->log.unit_idx[page % media->log.units];
}

/* The same of a page of the log; its life, too. */
static inline void media_place_log_page(const Media *media, uint32_t line,
                                        uint32_t page_in_line, FlashOp *op)
{
    const LogPlaces *log = &media->log;
    uint32_t unit = page_in_line % log->units;

    op->unit_idx = log->unit_idx[unit];
    op->place_idx = media_place_count(media) + line * log->units + unit;
    op->cells_idx = media_cells_count(media) + line * log->units + unit;
    op->row = page_in_line / log->units;
    op->life = log->life[line];
}

/* Is the page of an operation that has been placed programmed? */
static inline bool media_is_programmed(const Media *media, const FlashOp *op)
{
    return op->row < media->programmed_rows[op->place_idx];
}

static inline void media_page_programmed(Media *media, const FlashOp *op)
{
    /* A page of a life that a reset has ended does not count. */
    if (op->life == media->life[media_zone_of_place(media, op->place_idx)]) {
        /* Not all below: a failed zone may have thrown pages away. */
        media->programmed_rows[op->place_idx] = op->row + 1;
    }
}

/* A new life of the zone begins: none of its pages is programmed. */
void media_forget_pages(Media *media, uint32_t zone_idx);

/* Issue the flash's next operation as a part of the command. */
static inline void media_issue_for_command(Media *media, uint64_t now_ns,
                                           uint32_t command_idx)
{
    commands_part_added(media->commands, command_idx);
    flash_issue_next(&media->flash, now_ns);
}

/* The zone's superblock is not clean: what the page needs is erased. */
void media_erase_dirt(Media *media, uint64_t now_ns, uint32_t zone_idx,
                      uint64_t page, Owner owner);

/*
 * Issue the erases that a page needs before its program; call it just before
 * the program is issued. If the first program of a life erases the whole zone,
 * then `owner`, the program's or OWNER_FIRST_WRITE, waits for these erases.
 */
static inline void media_erase_before_program(Media *media, uint64_t now_ns,
                                              uint32_t zone_idx, uint64_t page,
                                              Owner owner)
{
    SuperblockTable *table = &media->superblocks;

    if (table->of_zone[zone_idx] == SUPERBLOCK_NONE) {
        superblock_map(table, zone_idx);
    }
    if (!superblock_is_clean(table, table->of_zone[zone_idx])) {
        media_erase_dirt(media, now_ns, zone_idx, page, owner);
    }
}

/* Erase up to `most` blocks of a superblock on each unit; `owner` waits. */
void media_erase_blocks(Media *media, uint64_t now_ns,
                        uint32_t superblock_idx, uint32_t most, Owner owner);

/* Program a page of which the buffer holds all bytes. */
void media_issue_buffered(Media *media, uint64_t now_ns, uint32_t zone_idx,
                          uint32_t page, uint32_t epoch);

/*
 * The same of a page of the log, in this line. Pages count from the first that
 * the log ever had, so lines begin at multiples of their pages.
 */
void media_issue_log_page(Media *media, uint64_t now_ns, uint32_t line,
                          uint64_t page, uint32_t epoch, Owner owner);

/* Issue the padding program of a page in the chunk of a job. */
void media_issue_fill(Media *media, uint64_t now_ns, uint32_t job_idx,
                      uint64_t page);

/*
 * media_power.c: the flash of a new drive, which is that of another one when
 * power is back. Its blocks, first; then, of a zone, so many bytes are on the
 * flash but for a part of a page; or, as it has failed, the same as there, and
 * at least so many pages.
 */
void media_power_cut(Media *media, const Media *from);
void media_put(Media *media, uint32_t zone_idx, uint64_t bytes);
void media_put_failed(Media *media, const Media *from, uint32_t zone_idx,
                      uint64_t pages);

/*
 * media_state.c: as bytes; see base/state.h. Beside its own the flash has so
 * many places, of so many rows.
 */
typedef struct State State;
void media_state(Media *media, State *state, uint32_t more_places,
                 uint32_t more_rows);

/* Bytes of a page that lie below byte `end_bytes` of its zone. */
static inline uint32_t media_page_bytes_below(const Media *media,
                                              uint64_t page,
                                              uint64_t end_bytes)
{
    uint64_t page_bytes = media->page_bytes;

    return MIN(end_bytes - MIN(page * page_bytes, end_bytes), page_bytes);
}

#endif
