/*
 * The zoned namespaces at work: reads and writes of zones become operations of
 * the flash or data for the buffer, and finishes and resets become jobs.
 *
 *   zone.c, namespaces.c    states, write pointers, limits
 *   watch.c                 what the controller does to zones of itself
 *   reads.c, writes.c       data
 *   jobs.c                  jobs of zones, and which of them run
 *   pace.c, erase.c         when a job takes its next step; what a reset erases
 *   mgmt.c                  zone management
 *   cache.c                 what flushes have made safe
 *   power.c                 what is left of all that when power goes
 *
 * Knows nothing of the front end, conventional namespaces, or completions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_ZNS_H
#define FEMU_ZNS_H

#include "../ahead/prefetch.h"
#include "../buffer/buffer.h"
#include "../inside/events.h"
#include "../reset/reset.h"
#include "namespaces.h"
#include "watch.h"

/*
 * The writes of a zone that have not been issued to the flash or the buffer, in
 * the order of submission (without a ZRWA, of their LBAs). A copy can be issued
 * when its reads have ended, any other write at once; one that cannot holds up
 * those behind it. A reset empties the queue, so all are of the present life.
 */
typedef struct WriteQueue {
    uint32_t head_idx; /* command */
    uint32_t tail_idx;
    uint32_t entered_count; /* writes that ever came to the front end */
    uint32_t handed_off_count; /* of these, the first so many */
    uint32_t coming_count; /* issued, with data that have not arrived */
    uint32_t submitted_count; /* writes ever; its number is a key of draws */
    uint64_t host_bytes;   /* written by the host in this life */
    uint64_t written_number; /* Command.number of the last write, ... */
    uint64_t managed_number; /* ... and of what else came last to it alone */
} WriteQueue;

/*
 * A job: the work that a finish or a reset has on one zone, done in steps. Its
 * part that concerns the flash is media->works[job]. Jobs of a zone run one
 * after another in the order of submission. The job of an excursion has no
 * command (SSD_NONE), nor has an erase in the background.
 */
typedef struct Job {
    SsdOp op; /* SSD_OP_ZONE_FINISH or SSD_OP_ZONE_RESET */
    uint32_t command_idx;
    bool waits_for_writes;   /* FINISH: for writes that are not issued */
    uint32_t writes_before; /* excursion: entered_count when it happened */
    uint64_t used_pages;  /* RESET: pages programmed, or about to be */
    uint64_t host_bytes;  /* RESET: what the host had written */
    ZoneKept was;         /* the zone, before it was committed */
    /* RESET: a finish is still filling the zone; or what it has dropped was */
    bool after_fill;
    uint32_t superblock_idx; /* RESET: what it erases, or SUPERBLOCK_NONE */
    bool may_start; /* of a Select All, mgmt-parallel-zones may at a time */
    bool in_background;   /* an erase of no command and in no zone's queue */
    bool waits;           /* for its EVENT_JOB, before the next step */
    bool stalls;          /* waits for host I/O to pause */
    uint64_t stall_until_at_ns; /* no longer than until then */
    uint32_t next_of_zone_idx;
    uint32_t next_of_command_idx; /* or next in the free list */
    uint32_t newer_fill_idx; /* neighbours among the running finishes */
    uint32_t older_fill_idx;
} Job;

typedef struct JobQueue {
    uint32_t head_idx; /* the job that runs, or runs next */
    uint32_t tail_idx;
    bool head_runs;
    bool is_due;           /* its EFFECT_ZONE_DUE is in the queue */
    /*
     * The finish or reset by which the zone ceased to be open or closed. At its
     * end the zone's open and active resources become free, unless the zone has
     * been opened again since.
     */
    uint32_t releaser_idx;
    uint32_t resets_entering; /* resets that are not handed off yet */
    uint32_t resets_waiting; /* that have not begun: writes wait for them */
} JobQueue;

/* The pool of jobs, and the lists that they are in. */
typedef struct Jobs {
    Job *at; /* [job] */
    uint32_t capacity;
    uint32_t free_idx;
    uint32_t fresh_idx;
    uint32_t free_count;
    uint32_t own_reserve; /* jobs that only excursions may take */
    JobQueue *zones;      /* [zone] */
    uint32_t newest_fill_idx; /* head of the list of running finishes */
    uint32_t running_fills;   /* how many are in it */
    uint32_t select_all_head_idx; /* the Select All that runs; others wait */
    uint32_t select_all_tail_idx;
    uint32_t select_all_running; /* its jobs that may run now */
} Jobs;

/* Superblocks to be erased in the background, each at most once: a queue. */
typedef struct EraseQueue {
    uint32_t *next; /* [superblock] */
    uint32_t head_idx;
    uint32_t tail_idx;
    uint32_t running; /* jobs that erase in the background now */
} EraseQueue;

typedef enum SeatState {
    SEAT_NONE,
    SEAT_WAITED_FOR,
    SEAT_TAKEN,
} SeatState;

typedef struct Seat {
    SeatState state;
    uint32_t prev_zone_idx; /* of those that wait */
    uint32_t next_zone_idx;
} Seat;

/* The zones of a namespace that wait for a seat, in the order of asking. */
typedef struct SeatLine {
    uint32_t taken_count;
    uint32_t first_zone_idx;
    uint32_t last_zone_idx;
} SeatLine;

/* Who may have a part of a page in the write buffer: seats.c */
typedef struct Seats {
    uint32_t count;  /* of each namespace */
    Seat *zones;     /* [zone]; NULL: there are enough for all */
    SeatLine *lines; /* [namespace] */
} Seats;

/* Bytes of a zone from its start on that are safe by flushes: cache.c */
typedef struct CacheZone {
    uint64_t safe_bytes;
    uint64_t noted_bytes; /* 0: none; safe once a flush is done ... */
    uint64_t before_number; /* ... that was submitted behind this command */
    uint64_t begun_number; /* Command.number of the reset before this life */
    bool is_filled; /* full by a finish, the host's or the controller's */
} CacheZone;

typedef struct Cache {
    CacheZone *zones; /* [zone]; NULL: the write cache is protected */
    uint64_t asked_number; /* Command.number of the last flush, ... */
    uint64_t done_number; /* ... and the highest of those that are done */
} Cache;

typedef struct FinishPolicy FinishPolicy; /* mgmt.c */

typedef struct Zns {
    const SsdParams *params;
    Commands *commands;
    Media *media;
    Link *link;
    Prefetch *prefetch;
    WriteBuffer *buffer;
    ResetEngine *reset;
    EventHeap *events;
    Namespaces *ns;
    Watch watch;
    const FinishPolicy *finish;
    uint64_t chunk_pages; /* of a finish */
    WriteQueue *writes;   /* [zone] */
    uint32_t queued_count; /* commands in all these */
    Seats seats;
    Jobs jobs;
    EraseQueue erases;
    Cache cache;
} Zns;

/*
 * bounds.c: what it can have under way, for the drive's tables: jobs, and what
 * commands do on the flash, those of the conventional namespace too.
 */
void zns_bounds(const SsdParams *p, Bounds *bounds);
/* The operations of one command, or of a job in its place. */
uint64_t zns_command_bound(const SsdParams *p);

/* mgmt.c; all that `rooms` points to outlives it. */
void zns_init(Zns *zns, const Zns *rooms);
void zns_destroy(Zns *zns);

/*
 * reads.c. Its reads are parts of the command. Spans, here and below, have been
 * checked and committed.
 */
void zns_start_read(Zns *zns, uint64_t now_ns, uint32_t command_idx,
                    const Span *target);

/* writes.c */
/* The writes of a zone that come in, and leave the front end. */
void zns_write_entered(Zns *zns, uint32_t zone_idx);
void zns_write_handed_off(Zns *zns, uint32_t zone_idx);
/* Queue command->write; it is issued when parts_left is 0 and it is first. */
void zns_queue_write(Zns *zns, uint64_t now_ns, uint32_t command_idx);
/* Issue the writes at the head of a zone's queue that can be. */
void zns_issue_writes(Zns *zns, uint64_t now_ns, uint32_t zone_idx);
/* Data of a write have crossed the link. */
void zns_write_arrived(Zns *zns, uint64_t now_ns, const LinkPortion *portion);
/* ... and these were the last of a write to this life of the zone. */
void zns_write_came(Zns *zns, uint64_t now_ns, uint32_t zone_idx,
                    uint32_t life);
/* A zone's medium has failed. */
void zns_zone_failed(Zns *zns, uint64_t now_ns, uint32_t zone_idx);

/*
 * zns_state.c: as bytes; see base/state.h. Needs the commands', those of
 * `used`.
 */
void zns_state(Zns *zns, State *state, const uint32_t *used);

/* jobs.c: no running finish ends before this, if only finishes are inside. */
uint64_t zns_fills_end_after_ns(const Zns *zns);

/* cache.c */
static inline bool wcache_is_volatile(const Zns *zns)
{
    return zns->cache.zones != NULL;
}
/* A flush, or a shutdown, has been submitted; it is done. */
void zns_flush_asked(Zns *zns, uint64_t number);
void zns_flush_done(Zns *zns, uint64_t number);
/*
 * A write from this byte of the zone on is being committed. The zone's
 * written_number is still that of the one before.
 */
void zns_note_write(Zns *zns, uint32_t zone_idx, uint64_t from_bytes);

/* mgmt.c */

/* Is there a job for each zone? The next command may be a Select All. */
static inline bool zns_has_room(const Zns *zns)
{
    return zns->jobs.free_count + zns->erases.running >=
           zns->ns->ns_zones + zns->params->mgmt_parallel_zones +
           zns->jobs.own_reserve;
}
/* Commit `op` on one zone, or on all of a namespace that it works on. */
void zns_commit_mgmt(Zns *zns, uint64_t now_ns, uint32_t command_idx,
                     uint32_t zone_idx, SsdOp op);
void zns_commit_select_all(Zns *zns, uint64_t now_ns, uint32_t command_idx,
                           SsdNs *ns, SsdOp op);
/* A shutdown: zones that are open or closed take their initial state. */
void zns_commit_shutdown(Zns *zns, uint64_t now_ns);
/* The command is handed off: its jobs begin, in the order of each zone. */
void zns_begin_jobs(Zns *zns, uint64_t now_ns, uint32_t command_idx);
/* EFFECT_ZONE_DUE: issue the zone's writes and begin its next job, if it can. */
void zns_settle_zone(Zns *zns, uint64_t now_ns, uint32_t zone_idx);
/* EFFECT_RESET_MANAGED: the job lets go of its blocks. */
void zns_reset_managed(Zns *zns, uint64_t now_ns, uint32_t job_idx);
/* EVENT_JOB */
void zns_job_woken(Zns *zns, uint64_t now_ns, uint32_t job_idx);
/* An operation of OWNER_JOB, or of OWNER_FIRST_WRITE, has ended. */
void zns_job_op_ended(Zns *zns, uint64_t now_ns, uint32_t job_idx);
void zns_first_erase_ended(Zns *zns, uint32_t zone_idx);
/* A limit of the watch has been reached. */
void zns_watch_due(Zns *zns);
/*
 * power.c: the zones of `from`, whose power goes, in `to`, which is new and
 * begins at begin_at_ns. The blocks of the flash are there already.
 */
void zns_power_cut(Zns *to, const Zns *from, uint64_t begin_at_ns,
                   uint64_t seed);
/* The namespace is as new. No command of it is inside. */
void zns_format(Zns *zns, uint64_t now_ns, SsdNs *ns, uint32_t lba_bytes);

#endif
