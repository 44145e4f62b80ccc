/*
 * Inside the waist: what the files ssd_*.c share. Nobody else includes this.
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SSD_INTERNAL_H
#define FEMU_SSD_INTERNAL_H

#include "ahead.h"
#include "divisor.h"
#include "params_bounds.h"
#include "ssd.h"
#include "ssd_histogram.h"
#include "ssd_watch.h"
#include "timing/flash.h"
#include "timing/front_end.h"
#include "timing/turns.h"
#include "zns/ftl.h"
#include "zns/map.h"
#include "zns/superblock.h"
#include "zns/zone.h"

#define SSD_NONE UINT32_MAX

/* Bytes [begin, end) of a zone, counted from its start. */
typedef struct Span {
    uint32_t zone_idx;
    uint64_t begin_bytes;
    uint64_t end_bytes;
} Span;

/*
 * A namespace: its blocks and, in `zones`, its states and limits. Below these,
 * zones have one index for the whole drive, and places in them are bytes: all
 * namespaces share channels, units, jobs and time.
 */
typedef struct SsdNs {
    SsdNsKind kind;
    uint32_t lba_bytes;
    uint64_t size_nlb;
    uint32_t first_zone_idx;
    uint32_t inflight_count; /* commands accepted, not yet polled */
    ZoneTable zones;         /* index: from first_zone_idx */
} SsdNs;

/*
 * What a command writes to a zone. In a ZRWA, `data` only goes into the zone's
 * buffer, and the pages that end between the two write pointers are programmed
 * behind it; elsewhere, each page when its last byte is there.
 */
typedef struct ZoneWrite {
    Span data; /* may be empty, in a ZRWA */
    bool in_zrwa;
    uint64_t wp_from_bytes; /* the zone's write pointer before it, ... */
    uint64_t wp_to_bytes;   /* ... and after it */
    uint64_t end_bytes;     /* up to the last byte that is written by then */
} ZoneWrite;

/* A command inside. It is done when no part of it is left. */
typedef struct Command {
    SsdDone done;
    uint64_t bytes;      /* read or written */
    uint32_t parts_left; /* flash operations; for zone management, jobs */
    uint32_t next_idx;   /* free list, zone's writes, or Select Alls */
    uint32_t first_job_idx; /* Select All: jobs that may not start yet */
    uint32_t last_job_idx;
    bool writes;     /* when no part is left; not yet issued */
    bool is_writing; /* conventional: some of it has been issued */
    uint32_t write_id; /* conventional */
    bool is_conventional;
    uint8_t write_class; /* WriteClass */
    bool select_all;
    uint32_t range_count; /* of a copy or deallocation: see ssd_ranges() */
    uint32_t life;        /* of the zone that it writes, at its hand-off */
    uint64_t link_until_at_ns; /* its data occupy the host link until then */
    /* All above is 0 at first; what follows, the commit writes if needed. */
    ZoneWrite write; /* conventional: only its data, without a zone */
    Span target; /* what it reads; conventional: or writes */
} Command;

/*
 * The writes of a zone that have not been issued, in the order of submission,
 * which without a ZRWA is that of their LBAs. A copy is ready when its reads
 * have ended, any other write at once; the first that is not ready holds up the
 * others. All are of the zone's present life.
 */
typedef struct WriteQueue {
    uint32_t head_idx; /* command */
    uint32_t tail_idx;
    uint32_t entered_count; /* writes ever; those handed off are the first: */
    uint32_t handed_off_count;
    uint32_t coming_count; /* left the queue, but data are still to come */
    uint32_t submitted_count; /* writes ever: keys of draws */
    uint64_t issued_bytes; /* from the zone's start: programs issued */
    uint64_t host_bytes;   /* written by the host in this life */
} WriteQueue;

/*
 * The work that a finish or a reset leaves on one zone, done in steps. Jobs of
 * a zone run one after another in the order of submission. That of an excursion
 * has no command (SSD_NONE).
 */
typedef struct Job {
    SsdOp op; /* SSD_OP_ZONE_FINISH or SSD_OP_ZONE_RESET */
    uint32_t command_idx;
    uint32_t zone_idx;
    uint32_t life;        /* of the zone, for the pages that a finish fills */
    uint64_t next_page;   /* FINISH: first page not yet issued */
    uint64_t end_bytes;   /* FINISH: below, nothing has to be transferred */
    uint64_t chunk_end_page; /* FINISH: up to which it is being issued */
    bool waits_for_writes;   /* FINISH: before it starts */
    uint32_t writes_before; /* of an excursion: entered_count at its time */
    uint64_t used_pages;  /* RESET: pages programmed, or about to be */
    uint64_t host_bytes;  /* RESET: what the host had written */
    bool was_full;        /* RESET: written or finished */
    bool after_fill;      /* RESET: of a zone that a finish is to fill */
    uint32_t next_reset_idx; /* RESET: in the queue of the management */
    uint32_t superblock_idx; /* RESET: what it erases, or SUPERBLOCK_NONE */
    uint32_t ops_left;    /* flash operations under way */
    bool may_start;       /* Select All lets only so many start at a time */
    bool in_background;   /* erases; of no command and in no zone's queue */
    bool waits;           /* one wake-up is pending; the next step is not due */
    bool stalls;          /* lets host I/O go first, */
    uint64_t stall_until_at_ns; /* at most until then */
    uint32_t next_of_zone_idx;
    uint32_t next_of_command_idx; /* also the free list */
    uint32_t newer_fill_idx; /* neighbours among the running finishes */
    uint32_t older_fill_idx;
} Job;

typedef struct JobQueue {
    uint32_t head_idx; /* runs if it may start; the others wait */
    uint32_t tail_idx;
    bool head_runs;
    /*
     * The job that took the zone out of open or closed: at its end the zone's
     * resources are free, unless the zone has been opened again since.
     */
    uint32_t releaser_idx;
    uint32_t resets_entering; /* before their hand-off */
    uint32_t resets_waiting; /* not begun: the zone's writes wait, too */
    uint32_t first_erases; /* under way; a reset waits for them */
    bool is_due;           /* in the list of zones to be looked at */
    uint32_t next_due_idx; /* zone */
} JobQueue;

/* Host programs not yet ended, counted per stretch between two flushes. */
typedef struct FlushLog {
    uint32_t *pending;     /* [epoch]: programs of that epoch */
    uint32_t *owner;       /* [epoch]: the flush or reset that ended it */
    uint32_t size;         /* epochs go round */
    uint32_t oldest;
    uint32_t current;
} FlushLog;

/* Classes of writes and appends, as far as their costs differ. */
typedef enum WriteClass {
    WRITE_LARGE,
    WRITE_SMALL,
    WRITE_LBA512, /* small, in blocks of 512 bytes */
    WRITE_PART,   /* of what is mapped as one */
} WriteClass;

/* What the front end has to do for a command. */
typedef struct FrontCost {
    uint64_t before_ns; /* the hand-off */
    uint64_t after_ns;
    WriteClass write_class;
} FrontCost;

/* Data of a write on their way to the drive. */
typedef struct LinkPortion {
    uint64_t at_ns; /* when they are there */
    uint32_t command_idx;
    uint32_t bytes;
    bool is_last;
} LinkPortion;

/* The host link, a clock for each direction; what comes in is a ring. */
typedef struct Link {
    LocalClock in;
    LocalClock out;
    LinkPortion *portions;
    uint32_t capacity;
    uint32_t head;
    uint32_t count;
} Link;

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

typedef struct Buffer {
    uint64_t size_bytes; /* 0: there is none */
    uint64_t zone_bytes; /* that a zone may use */
    uint64_t used_bytes;
    uint64_t release_ns; /* of what a program has written; 0: at once */
    Turns turns;         /* commands that wait for room */
    uint32_t waiting_count;
    bool letting_in;
    bool is_draining;      /* older pages than this go first: */
    uint32_t drain_number; /* how many drains have begun */
    Stream *streams;  /* [zone] */
    UnitQueue *units; /* [unit] */
    BufferedPage *pages;
    uint32_t page_count;
    uint32_t free_page_idx;
} Buffer;

/*
 * Reads that are inside, of each group of `turns`. A group may always have one:
 * slots are kept free for those without.
 */
typedef struct ReadSlots {
    Turns turns; /* commands that wait for a slot */
    uint32_t *inside_counts; /* [group] */
    uint32_t inside_count;
    uint32_t groups_without;
} ReadSlots;

typedef enum ResetPhase {
    RESET_DRAINS,
    RESET_DRAINED,
    RESET_UNMAPPED,
    RESET_COMMITTED,
    RESET_STEPS,
} ResetPhase;

/* The management side of resets: one at a time, the others wait. */
typedef struct ResetEngine {
    bool is_on;
    ResetPhase phase;
    uint32_t first_job_idx;
    uint32_t last_job_idx;
    uint64_t lock_at_ns;
    uint64_t lock_ns;
    uint64_t steps;       /* of the first reset, all in all */
    uint64_t steps_begun;
    uint64_t steps_ended;
    uint32_t step_unit_idx; /* of the next one */
} ResetEngine;

/* Events beside those of the flash, from first_payload on. */
enum {
    EVENT_FRONT,
    EVENT_LINK,
    EVENT_RESET,
    EVENT_STEP,
    /*
     * One for each command slot, one for each unit's room, and one for each
     * job that waits.
     */
    EVENT_DONE,
};

/* Lanes of the events that come in the order of time, behind the flash's. */
enum {
    LANE_FRONT = FLASH_LANES,
    LANE_LINK,
    LANE_READS_DONE,
    LANE_DONE,
    LANES,
};
G_STATIC_ASSERT(LANES == (unsigned)EVENT_LANES);

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

/* The conventional namespace: see ssd_conv.c. Bytes are those of its own. */
typedef struct Conv {
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
    WriteQueue writes;
    uint32_t *newest_id; /* [granule]: Command.write_id; 0: none waits */
    uint32_t last_id;

    uint32_t victim; /* line; FTL_NONE: nothing is being cleaned */
    CleanStage stage;
    uint32_t row;      /* of the victim */
    uint32_t ops_left; /* of the stage */

    ConvCounters counters;
} Conv;

typedef struct OpStats {
    SsdHistogram latency_ns;
    uint64_t rejected;
    uint64_t bytes;
} OpStats;

typedef struct Stats {
    OpStats ops[SSD_OP_COUNT];
    uint64_t since_at_ns;
    /* Readings of the ever-growing counters at the last reset. */
    FlashCounters flash;
    ConvCounters conv;
    AheadCounters ahead;
    uint64_t *channel_busy_ns;
    uint64_t *unit_busy_ns;
} Stats;

struct Ssd {
    SsdParams params;
    /*
     * A page, here and in all that follows, is what one program writes:
     * program-pages pages of the unit's planes. A unit senses sense_bytes of
     * it at once.
     */
    uint32_t page_bytes;
    uint32_t sense_bytes;
    Divisor page_divisor; /* by these, ... */
    Divisor sense_divisor;
    Divisor granule_divisor; /* ... and by what crosses a channel as one */
    uint32_t rows_per_block; /* pages of a unit between two erases */
    uint32_t unit_count;
    uint64_t zone_pages;     /* pages in a zone's capacity */
    uint64_t chunk_pages;    /* of a finish */
    uint64_t run_at_ns;      /* everything up to here has happened */

    SsdNs *ns; /* [nsid - 1] */
    uint32_t ns_count;
    uint32_t ns_zones; /* zones of each */
    Divisor ns_zones_divisor;
    ZoneMap map;
    EventHeap events;
    Flash flash;
    uint64_t least_leave_ns; /* of host I/O, once its work has ended */

    uint32_t first_payload; /* of events that are not the flash's */
    uint32_t first_wake_payload; /* of jobs that wait */
    bool has_front;
    FrontEnd front;
    uint32_t entering_finishes; /* before their hand-off */
    ReadSlots read_slots;
    Ahead ahead;
    uint32_t parts_inside; /* reads of less than a granule, if that counts */
    Link link;
    Span *ranges; /* [slot * SSD_DEALLOCATE_RANGES_MAX + range] */
    Buffer buffer;
    ResetEngine reset;

    /* [zone]: grows at each reset, so that late programs are told apart */
    uint32_t *life;
    /* [zone * zone_units + unit in zone]: pages programmed in this life */
    uint32_t *programmed_rows;

    Command *commands;
    uint32_t free_command_idx;
    uint32_t inflight_count;

    WriteQueue *zone_writes; /* [zone] */

    Conv conv;

    Job *jobs;
    uint32_t job_capacity;
    uint32_t free_job_idx;
    uint32_t fresh_job_idx;
    uint32_t free_job_count;
    uint32_t own_job_reserve; /* of these, for excursions */
    JobQueue *zone_jobs; /* [zone] */
    uint32_t due_head_idx; /* zones whose queue must be looked at, in order */
    uint32_t due_tail_idx;
    uint32_t newest_fill_idx; /* running finishes, */
    uint32_t running_fills;   /* so many */
    uint32_t inflight_finishes; /* commands */
    uint32_t waiting_fills;     /* jobs that wait for writes of their zones */
    uint32_t select_all_head_idx; /* Select Alls: the running, then waiting */
    uint32_t select_all_tail_idx;
    uint32_t select_all_running; /* jobs of the running one that may start */
    bool settling;

    SuperblockTable superblocks;
    uint32_t *eraser_of; /* [superblock]: job that erases it, or SSD_NONE */
    uint32_t *erase_queue_next; /* [superblock]: to be erased in background */
    uint32_t erase_queue_head_idx;
    uint32_t erase_queue_tail_idx;
    uint32_t background_running; /* jobs */

    uint32_t host_io_count; /* commands inside that move data */
    uint64_t host_io_left_at_ns; /* since when there is none */
    bool host_io_seen;

    FlushLog flush;
    Watch watch;

    /* Completions in order of their due time, not yet polled: a ring. */
    SsdDone *ready;
    uint32_t ready_head;
    uint32_t ready_count;

    Stats stats;
};

/* Owners of flash operations: commands first, then jobs. */
static inline uint32_t owner_of_command(uint32_t command_idx)
{
    return command_idx;
}

static inline uint32_t owner_of_job(const Ssd *ssd, uint32_t job_idx)
{
    return ssd->params.cmd_slots + job_idx;
}

static inline uint32_t owner_of_cleaning(const Ssd *ssd)
{
    return ssd->params.cmd_slots + ssd->job_capacity;
}

/* The namespace of a zone of the drive. */
static inline SsdNs *ns_of_zone(const Ssd *ssd, uint32_t zone_idx)
{
    return &ssd->ns[divide(zone_idx, &ssd->ns_zones_divisor)];
}

/* A zone of the drive, as its namespace has it. */
static inline const ZoneEntry *zone_entry(const Ssd *ssd, uint32_t zone_idx)
{
    const SsdNs *ns = ns_of_zone(ssd, zone_idx);

    return &ns->zones.zones[zone_idx - ns->first_zone_idx];
}

/* Up to where a zone of the drive has been written, in a ZRWA, too. */
static inline uint64_t zone_end_bytes(const Ssd *ssd, uint32_t zone_idx)
{
    return zone_entry(ssd, zone_idx)->end_nlb *
           ns_of_zone(ssd, zone_idx)->lba_bytes;
}

/* Where the write pointer of a zone of the drive stands. */
static inline uint64_t zone_wp_bytes(const Ssd *ssd, uint32_t zone_idx)
{
    return zone_entry(ssd, zone_idx)->wp_nlb *
           ns_of_zone(ssd, zone_idx)->lba_bytes;
}

/*
 * The place in its stripe, and with it the unit, of a page of a zone; and which
 * of a stripe's pages lies there.
 */
static inline uint32_t page_position(const Ssd *ssd, uint32_t zone_idx,
                                     uint64_t page)
{
    uint64_t shift = (uint64_t)zone_idx * ssd->params.zone_stagger;

    return remainder_of(page + shift, &ssd->map.units_divisor);
}

static inline uint32_t page_at_position(const Ssd *ssd, uint32_t zone_idx,
                                        uint32_t position)
{
    uint32_t units = ssd->map.zone_units;

    return (position + units - page_position(ssd, zone_idx, 0)) % units;
}

/* The ranges of a copy or deallocation: Command.range_count of them. */
static inline Span *ssd_ranges(const Ssd *ssd, uint32_t command_idx)
{
    return &ssd->ranges[(size_t)command_idx * SSD_DEALLOCATE_RANGES_MAX];
}

/* Blocks of a namespace, which lie in one zone, as bytes of that. */
static inline Span span_of(const SsdNs *ns, uint64_t slba, uint64_t nlb)
{
    uint64_t begin_bytes = zone_offset_nlb(&ns->zones, slba) * ns->lba_bytes;

    return (Span) {
        .zone_idx = ns->first_zone_idx + zone_of_lba(&ns->zones, slba),
        .begin_bytes = begin_bytes,
        .end_bytes = begin_bytes + nlb * ns->lba_bytes,
    };
}

/*
 * Owners of the programs that drain the buffer, and of the erases of a whole
 * zone that the first of these asks for.
 */
#define OWNER_BUFFER (SSD_NONE - 1)
#define OWNER_FIRST_WRITE (SSD_NONE - 2)
/* Owner of what is read ahead; its epoch is the number of the fetch. */
#define OWNER_AHEAD (SSD_NONE - 3)

static inline bool ssd_has_buffer(const Ssd *ssd)
{
    return ssd->buffer.size_bytes > 0;
}

/* ssd.c: one part of a command has ended; the last one completes it. */
void ssd_command_part_ended(Ssd *ssd, uint32_t command_idx, uint64_t at_ns);
void ssd_command_complete(Ssd *ssd, uint32_t command_idx, uint64_t at_ns);
/* The command's work begins: its hand-off. */
void ssd_begin(Ssd *ssd, uint64_t now_ns, uint32_t command_idx);

/* ssd_front.c */
/*
 * Turns of commands that wait: in one line, or with take-turns in one for each
 * zone; the groups are namespaces, a conventional one a line behind all zones.
 */
void ssd_turns_init(const Ssd *ssd, Turns *turns);
uint32_t ssd_turns_line(const Ssd *ssd, uint32_t zone_idx);
void ssd_front_init(Ssd *ssd, uint32_t first_payload);
void ssd_front_destroy(Ssd *ssd);
/* Is the operation taken in by the front end, if there is one? */
bool ssd_enters_front(const Ssd *ssd, SsdOp op);
/*
 * Of a command that has been accepted; `ns` may be NULL. Needs the command's
 * zone as it is before the command, and counts the writes to it.
 */
FrontCost ssd_front_cost(Ssd *ssd, const SsdNs *ns, const SsdCmd *cmd);
void ssd_front_enter(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                     const FrontCost *cost);
/* A command is done: its read slot is free, if it had one. */
void ssd_front_left(Ssd *ssd, uint64_t now_ns, uint32_t command_idx);
/* The buffer may have room for the command that holds the front end up. */
void ssd_front_try(Ssd *ssd, uint64_t now_ns);
void ssd_front_event(Ssd *ssd, uint64_t now_ns, uint32_t payload);
/* Send `bytes` of a write to the drive: ssd_write_arrived() will be called. */
void ssd_link_in(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                 uint32_t bytes, bool is_last);
uint32_t ssd_portion_bytes(uint64_t left_bytes);
void ssd_link_compare(Ssd *ssd, uint64_t now_ns, uint32_t command_idx);
/* Send `bytes` of a read to the host; _sensed: sensed for it alone. */
void ssd_link_out(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                  uint32_t bytes);
void ssd_link_out_sensed(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                         uint32_t bytes);
/*
 * The command has nothing left to do in the drive. Return: true if it is done
 * later, by an event.
 */
bool ssd_leaves_later(Ssd *ssd, uint64_t now_ns, uint32_t command_idx);

/* ssd_buffer.c; all but the first four need a buffer. */
void ssd_buffer_init(Ssd *ssd);
void ssd_buffer_destroy(Ssd *ssd);
/* Do so many writes wait for room that the front end must, too? */
bool ssd_buffer_is_crowded(const Ssd *ssd);
/* Do so few that a front end which they have held up goes on? */
bool ssd_buffer_goes_on(const Ssd *ssd);
/* The write's turn has come: its data come in as there is room. */
void ssd_buffer_write(Ssd *ssd, uint64_t now_ns, uint32_t command_idx);
/* Data have arrived; those of a life that has ended are thrown away. */
void ssd_buffer_arrived(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx,
                        uint32_t bytes, bool is_alive);
/* Fill the zone with the next pages of the job, behind what it holds. */
void ssd_buffer_fill(Ssd *ssd, uint64_t now_ns, uint32_t job_idx);
/* A page of the zone has been programmed: its room is free, now or soon. */
void ssd_buffer_program_ended(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx,
                              uint32_t unit_idx);
/* A part of that room is free now. */
void ssd_buffer_release_event(Ssd *ssd, uint64_t now_ns, uint32_t unit_idx);
/* A program on the unit has ended, whoever's: its register is free. */
void ssd_buffer_unit_free(Ssd *ssd, uint64_t now_ns, uint32_t unit_idx);
void ssd_buffer_unlocked(Ssd *ssd, uint64_t now_ns);
/*
 * Until ssd_buffer_unlocked(), the pages that are complete now go first: others
 * are given only to units that have nothing to program.
 */
void ssd_buffer_drain_first(Ssd *ssd);
/* What the zone holds is not programmed any more. */
void ssd_buffer_forget(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx);
/* The zone has failed: what is no complete page never will be. */
void ssd_buffer_abandon(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx);

/* ssd_reset.c */
void ssd_reset_init(Ssd *ssd);
/* Do the management of a reset, then let it erase: ssd_reset_erase(). */
void ssd_reset_begin(Ssd *ssd, uint64_t now_ns, uint32_t job_idx);
/* The programs that it waited for have ended. */
void ssd_reset_drained(Ssd *ssd, uint64_t now_ns);
void ssd_reset_event(Ssd *ssd, uint64_t now_ns);
void ssd_reset_step_event(Ssd *ssd, uint64_t now_ns);
void ssd_reset_step_ended(Ssd *ssd, uint64_t now_ns);

/* ssd_ahead.c: reads of the host and what has been fetched before them. */
void ssd_ahead_init(Ssd *ssd);
void ssd_ahead_destroy(Ssd *ssd);
uint32_t ssd_ahead_begin(Ssd *ssd, uint32_t command_idx, const Span *span);
bool ssd_ahead_serves(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                      uint32_t stream_idx, uint64_t at_bytes, uint32_t bytes);
void ssd_ahead_go_on(Ssd *ssd, uint64_t now_ns, uint32_t stream_idx);
void ssd_ahead_fetched(Ssd *ssd, uint64_t now_ns, uint32_t fetch_idx);
void ssd_ahead_forget(Ssd *ssd, uint32_t zone_idx);
void ssd_ahead_left(Ssd *ssd, uint32_t command_idx);
void ssd_ahead_json(const Ssd *ssd, GString *json);

/* ssd_ns.c */
void ssd_ns_init(Ssd *ssd);
void ssd_ns_destroy(Ssd *ssd);

/* ssd_check.c: may the command take effect? Changes nothing. */
SsdStatus ssd_check(const Ssd *ssd, const SsdCmd *cmd);
/* Is the operation of the drive, whatever namespace it names? */
bool ssd_is_of_drive(SsdOp op);
/* The blocks that a copy writes. */
uint64_t ssd_copy_nlb(const SsdCmd *cmd);

/*
 * ssd_io.c. Starts return by way of the command's parts_left: none left means
 * that the command is done at once. Spans have been checked and committed.
 */
void ssd_start_read(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                    Span span);
/* Make `op` a read of bytes that are sensed at once. Are they in the flash? */
bool ssd_place_read(const Ssd *ssd, uint32_t zone_idx, uint64_t begin_bytes,
                    uint64_t end_bytes, FlashOp *op);

/* It will do command->write when no part is left and its turn has come. */
void ssd_queue_write(Ssd *ssd, uint32_t command_idx);
/* Issue the writes of a zone whose turn has come. */
void ssd_issue_writes(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx);
/* Data of a write have crossed the link. */
void ssd_write_arrived(Ssd *ssd, uint64_t now_ns, const LinkPortion *portion);
/* Is a write of the zone not issued yet, or are its data still to come? */
bool ssd_zone_is_written(const Ssd *ssd, uint32_t zone_idx);
/* Program a page of which the buffer holds all bytes. */
void ssd_issue_buffered(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx,
                        uint32_t page, uint32_t epoch);
uint32_t ssd_page_unit(const Ssd *ssd, uint32_t zone_idx, uint64_t page);
/* A reset has discarded what was not issued yet: nothing is left to write. */
void ssd_drop_writes(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx);
/*
 * Let `owner`, a command or job, wait for all host programs issued or buffered.
 * Return: false if there are none.
 */
bool ssd_await_programs(Ssd *ssd, uint32_t owner);
void ssd_host_program_ended(Ssd *ssd, uint32_t epoch, uint64_t at_ns);

/*
 * Issue the padding program of page `page` of a zone, of which the bytes below
 * `end_bytes` are in the register or the ZRWA's buffer already. The caller has
 * set the operation's owner and life.
 */
void ssd_issue_fill(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx,
                    uint64_t page, uint64_t end_bytes, FlashOp *op);

/* ssd_conv.c: the conventional namespace, if there is one. */
void ssd_conv_init(Ssd *ssd);
void ssd_conv_destroy(Ssd *ssd);
/* A command of its own, checked; by way of parts_left, as in ssd_io.c. */
void ssd_conv_start(Ssd *ssd, uint64_t now_ns, uint32_t command_idx);
/* Issue the writes whose turn has come, as far as there is room. */
void ssd_conv_issue_writes(Ssd *ssd, uint64_t now_ns);
/* Is this place of an operation one of its blocks? */
bool ssd_conv_has_place(const Ssd *ssd, uint32_t place_idx);
void ssd_conv_page_programmed(Ssd *ssd, const FlashOp *op, uint64_t at_ns);
void ssd_conv_cleaning_op_ended(Ssd *ssd, uint64_t at_ns);
/* Nothing is mapped any more. No command of the namespace is inside. */
void ssd_conv_format(Ssd *ssd);

/* ssd_mgmt.c */
void ssd_jobs_init(Ssd *ssd);
void ssd_jobs_destroy(Ssd *ssd);

/* Commit `op` on one zone, or on all of a namespace. */
void ssd_commit_mgmt(Ssd *ssd, uint32_t command_idx, uint32_t zone_idx,
                     SsdOp op);
void ssd_commit_select_all(Ssd *ssd, uint32_t command_idx, const SsdNs *ns,
                           SsdOp op);
/* Begin the work that this has left. */
void ssd_begin_jobs(Ssd *ssd, uint64_t now_ns, uint32_t command_idx);
/* Issue the next page of a finish. Return: is there one more in its chunk? */
bool ssd_issue_next_fill(Ssd *ssd, uint64_t now_ns, uint32_t job_idx);
/* The zone's blocks are let go and erased; it can be written again. */
void ssd_reset_erase(Ssd *ssd, uint64_t now_ns, uint32_t job_idx);
void ssd_job_op_ended(Ssd *ssd, uint32_t job_idx, uint64_t at_ns);
/* From now on the zone's old pages do not count. */
void ssd_forget_pages(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx);
/* No write of the zone waits any more: a finish may have waited for that. */
void ssd_zone_written(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx);

/* No step of the job is under way and none waits: take the next, or end. */
void ssd_job_advance(Ssd *ssd, uint64_t now_ns, uint32_t job_idx);
/* A job waited; its time has come. */
void ssd_job_woken(Ssd *ssd, uint64_t now_ns, uint32_t job_idx);
uint32_t ssd_job_new_background(Ssd *ssd);
/* Has a reset been accepted whose erases have not begun? */
bool ssd_reset_waits(const Ssd *ssd, uint32_t zone_idx);

/* An erase of OWNER_FIRST_WRITE has ended. */
void ssd_first_erase_ended(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx);

/* No running finish ends before this, if nothing but finishes is inside. */
uint64_t ssd_fills_end_after_ns(const Ssd *ssd);

/* ssd_erase.c */
void ssd_erase_init(Ssd *ssd);
void ssd_erase_destroy(Ssd *ssd);
/*
 * To be called before the program of a page of a zone is issued. `owner` is
 * the program's, or OWNER_FIRST_WRITE if it comes from the buffer; it waits for
 * the erases of the whole zone if that is the way.
 */
void ssd_erase_before_program(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx,
                              uint64_t page, uint32_t owner);
/* A reset begins: the zone lets its blocks go, and the job has its steps. */
void ssd_erase_begin(Ssd *ssd, uint64_t now_ns, uint32_t job_idx);
bool ssd_erase_has_more(const Ssd *ssd, uint32_t job_idx);
void ssd_erase_step(Ssd *ssd, uint64_t now_ns, uint32_t job_idx);
void ssd_erase_end(Ssd *ssd, uint32_t job_idx);
/* A job in the background has ended: the next superblock's turn. */
void ssd_background_ended(Ssd *ssd, uint64_t now_ns);

/* ssd_pace.c */
bool ssd_is_host_io(SsdOp op);
/*
 * Between two steps, and before a step. Return: the job waits; it will be
 * woken.
 */
bool ssd_job_pauses(Ssd *ssd, uint64_t now_ns, uint32_t job_idx);
bool ssd_job_stalls(Ssd *ssd, uint64_t now_ns, uint32_t job_idx);

/* The controller finishes a zone that is open or closed. */
void ssd_finish_zone(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx);

/* ssd_watch.c */
void ssd_watch_init(Ssd *ssd);
void ssd_watch_destroy(Ssd *ssd);
/* The zone's state may have changed. */
void ssd_watch_zone(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx);
/* A limit has been reached, at watch.next_at_ns: do what follows. */
void ssd_watch_run(Ssd *ssd);
bool ssd_watch_finished(const Ssd *ssd, uint32_t zone_idx);
bool ssd_watch_recommended(const Ssd *ssd, uint32_t zone_idx,
                           WatchPhase phase);

/* ssd_stats.c */
void ssd_stats_init(Ssd *ssd);
void ssd_stats_destroy(Ssd *ssd);

/* ssd_wear.c: append the member "wear". */
void ssd_wear_json(const Ssd *ssd, GString *json);

/* ssd.c: run the drive up to and including now_ns. */
void ssd_run(Ssd *ssd, uint64_t now_ns);

#endif
