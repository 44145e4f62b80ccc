/*
 * Inside the waist: what the files ssd_*.c share. Nobody else includes this.
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SSD_INTERNAL_H
#define FEMU_SSD_INTERNAL_H

#include "ssd.h"
#include "ssd_histogram.h"
#include "timing/flash.h"
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
    ZoneWrite write; /* conventional: only its data, without a zone */
    bool writes;     /* when no part is left; not yet issued */
    bool is_writing; /* conventional: some of it has been issued */
    uint32_t write_id; /* conventional */
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
    uint64_t used_pages;  /* RESET: pages programmed, or about to be */
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
    uint32_t resets_waiting; /* not begun: the zone's writes wait, too */
    bool is_due;           /* in the list of zones to be looked at */
    uint32_t next_due_idx; /* zone */
} JobQueue;

/* Host programs not yet ended, counted per stretch between two flushes. */
typedef struct FlushLog {
    uint32_t *pending;     /* [epoch]: programs of that epoch */
    uint32_t *command_idx; /* [epoch]: the flush that ended it */
    uint32_t size;         /* epochs go round */
    uint32_t oldest;
    uint32_t current;
} FlushLog;

/* What the limits of ssd_watch.c count from. */
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
    bool finished;        /* by the controller */
    bool told_of;         /* among Watch.changed */
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
    WatchedZone *zones; /* [zone]; NULL: nothing is watched */
    WatchList lists[WATCH_PHASES];
    uint64_t next_at_ns; /* when the next limit is reached */
    uint32_t *changed;   /* zones that nobody has been told of */
    uint32_t changed_count;
} Watch;

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
    uint32_t rows_per_block; /* pages of a unit between two erases */
    uint32_t unit_count;
    uint64_t zone_pages;     /* pages in a zone's capacity */
    uint64_t chunk_pages;    /* of a finish */
    uint64_t run_at_ns;      /* everything up to here has happened */

    SsdNs *ns; /* [nsid - 1] */
    uint32_t ns_count;
    uint32_t ns_zones; /* zones of each */
    ZoneMap map;
    EventHeap events;
    Flash flash;

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
    uint32_t newest_fill_idx; /* running finishes */
    uint32_t inflight_finishes; /* commands */
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

    EventHeap wakes; /* payload: a job that waits */
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

/* One more flash operation for the owner to wait for. */
static inline void ssd_owner_add_part(Ssd *ssd, uint32_t owner)
{
    if (owner < ssd->params.cmd_slots) {
        ssd->commands[owner].parts_left++;
    } else {
        ssd->jobs[owner - ssd->params.cmd_slots].ops_left++;
    }
}

static inline uint32_t owner_of_cleaning(const Ssd *ssd)
{
    return ssd->params.cmd_slots + ssd->job_capacity;
}

/* The namespace of a zone of the drive. */
static inline SsdNs *ns_of_zone(const Ssd *ssd, uint32_t zone_idx)
{
    return &ssd->ns[zone_idx / ssd->ns_zones];
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

/* Blocks of a namespace, which lie in one zone, as bytes of that. */
static inline Span span_of(const SsdNs *ns, uint64_t slba, uint64_t nlb)
{
    uint64_t begin_bytes = slba % ns->zones.size_nlb * ns->lba_bytes;

    return (Span) {
        .zone_idx = ns->first_zone_idx + slba / ns->zones.size_nlb,
        .begin_bytes = begin_bytes,
        .end_bytes = begin_bytes + nlb * ns->lba_bytes,
    };
}

/* ssd.c: one part of a command has ended; the last one completes it. */
void ssd_command_part_ended(Ssd *ssd, uint32_t command_idx, uint64_t at_ns);

/* ssd_ns.c */
void ssd_ns_init(Ssd *ssd);
void ssd_ns_destroy(Ssd *ssd);

/* ssd_check.c: may the command take effect? Changes nothing. */
SsdStatus ssd_check(const Ssd *ssd, const SsdCmd *cmd);
/* The blocks that a copy writes. */
uint64_t ssd_copy_nlb(const SsdCmd *cmd);

/*
 * ssd_io.c. Starts return by way of the command's parts_left: none left means
 * that the command is done at once. Spans have been checked and committed.
 */
void ssd_start_read(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                    Span span);

/* The command will write when no part of it is left and its turn has come. */
void ssd_queue_write(Ssd *ssd, uint32_t command_idx, const ZoneWrite *write);
/* Issue the writes of a zone whose turn has come. */
void ssd_issue_writes(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx);
/* Bytes of a zone, from its start, whose program has been issued. */
uint64_t ssd_issued_bytes(const Ssd *ssd, uint32_t zone_idx);
/* A reset has discarded what was not issued yet: nothing is left to write. */
void ssd_drop_writes(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx);
void ssd_start_flush(Ssd *ssd, uint32_t command_idx);
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
void ssd_conv_start(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                    const SsdNs *ns, const SsdCmd *cmd);
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

/* Commit `op` on one zone and start what work it leaves. */
void ssd_start_mgmt(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                    uint32_t zone_idx, SsdOp op);
/* The same on all zones of a namespace. */
void ssd_start_select_all(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                          const SsdNs *ns, SsdOp op);
void ssd_job_op_ended(Ssd *ssd, uint32_t job_idx, uint64_t at_ns);
/* From now on the zone's old pages do not count. */
void ssd_forget_pages(Ssd *ssd, uint32_t zone_idx);
/* No write of the zone waits any more: a finish may have waited for that. */
void ssd_zone_written(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx);

/* No step of the job is under way and none waits: take the next, or end. */
void ssd_job_advance(Ssd *ssd, uint64_t now_ns, uint32_t job_idx);
/* A job waited; its time has come. */
void ssd_job_woken(Ssd *ssd, uint64_t now_ns, uint32_t job_idx);
uint32_t ssd_job_new_background(Ssd *ssd);
/* Has a reset been accepted whose erases have not begun? */
bool ssd_reset_waits(const Ssd *ssd, uint32_t zone_idx);

/* No running finish ends before this, if nothing but finishes is inside. */
uint64_t ssd_fills_end_after_ns(const Ssd *ssd);

/* ssd_erase.c */
void ssd_erase_init(Ssd *ssd);
void ssd_erase_destroy(Ssd *ssd);
/*
 * To be called before the program of a page of a zone is issued. `owner` is
 * the program's; it waits for the erases of the whole zone if that is the way.
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
