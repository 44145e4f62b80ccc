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
    uint64_t host_bytes;   /* written by the host in this life */
} WriteQueue;

/*
 * The work that a finish or a reset leaves on one zone, done in steps: with
 * media->works, which has what the flash sees of it. Jobs of a zone run one
 * after another in the order of submission. That of an excursion has no command
 * (SSD_NONE).
 */
typedef struct Job {
    SsdOp op; /* SSD_OP_ZONE_FINISH or SSD_OP_ZONE_RESET */
    uint32_t command_idx;
    bool waits_for_writes;   /* FINISH: before it starts */
    uint32_t writes_before; /* of an excursion: entered_count at its time */
    uint64_t used_pages;  /* RESET: pages programmed, or about to be */
    uint64_t host_bytes;  /* RESET: what the host had written */
    bool was_full;        /* RESET: written or finished */
    bool after_fill;      /* RESET: of a zone that a finish is to fill */
    uint32_t superblock_idx; /* RESET: what it erases, or SUPERBLOCK_NONE */
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
    bool is_due;           /* EFFECT_ZONE_DUE is to be acted upon */
    /*
     * The job that took the zone out of open or closed: at its end the zone's
     * resources are free, unless the zone has been opened again since.
     */
    uint32_t releaser_idx;
    uint32_t resets_entering; /* before their hand-off */
    uint32_t resets_waiting; /* not begun: the zone's writes wait, too */
} JobQueue;

/* Jobs inside. */
typedef struct Jobs {
    Job *at; /* [job] */
    uint32_t capacity;
    uint32_t free_idx;
    uint32_t fresh_idx;
    uint32_t free_count;
    uint32_t own_reserve; /* of these, for excursions */
    JobQueue *zones;      /* [zone] */
    uint32_t newest_fill_idx; /* running finishes, */
    uint32_t running_fills;   /* so many */
    uint32_t waiting_fills;   /* jobs that wait for writes of their zones */
    uint32_t select_all_head_idx; /* Select Alls: the running, then waiting */
    uint32_t select_all_tail_idx;
    uint32_t select_all_running; /* jobs of the running one that may start */
} Jobs;

/* Superblocks to be erased in the background, each at most once: a queue. */
typedef struct EraseQueue {
    uint32_t *next; /* [superblock] */
    uint32_t head_idx;
    uint32_t tail_idx;
    uint32_t running; /* jobs */
} EraseQueue;

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
    Jobs jobs;
    EraseQueue erases;
} Zns;

/* mgmt.c; all that `rooms` points to outlives it. */
void zns_init(Zns *zns, const Zns *rooms);
void zns_destroy(Zns *zns);

/*
 * reads.c. Its reads are parts of the command. Spans, here and below, have been
 * checked and committed.
 */
void zns_start_read(Zns *zns, uint64_t now_ns, uint32_t command_idx,
                    Span span);

/* writes.c */
/* The writes of a zone that come in, and leave the front end. */
void zns_write_entered(Zns *zns, uint32_t zone_idx);
void zns_write_handed_off(Zns *zns, uint32_t zone_idx);
/* It will do command->write when no part is left and its turn has come. */
void zns_queue_write(Zns *zns, uint32_t command_idx);
/* Issue the writes of a zone whose turn has come. */
void zns_issue_writes(Zns *zns, uint64_t now_ns, uint32_t zone_idx);
/* Data of a write have crossed the link. */
void zns_write_arrived(Zns *zns, uint64_t now_ns, const LinkPortion *portion);
/* ... the last of a write to a zone in this life; its command has gone on. */
void zns_write_came(Zns *zns, uint32_t zone_idx, uint32_t life);

/* jobs.c: no running finish ends before this, if only finishes are inside. */
uint64_t zns_fills_end_after_ns(const Zns *zns);

/* mgmt.c */

/* Any command may be a Select All that needs every zone it can have. */
static inline bool zns_has_room(const Zns *zns)
{
    return zns->jobs.free_count + zns->erases.running >=
           zns->ns->ns_zones + zns->params->mgmt_parallel_zones +
           zns->jobs.own_reserve;
}
/* Commit `op` on one zone, or on all of a namespace. */
void zns_commit_mgmt(Zns *zns, uint64_t now_ns, uint32_t command_idx,
                     uint32_t zone_idx, SsdOp op);
void zns_commit_select_all(Zns *zns, uint64_t now_ns, uint32_t command_idx,
                           const SsdNs *ns, SsdOp op);
/* Begin the work that this has left. */
void zns_begin_jobs(Zns *zns, uint64_t now_ns, uint32_t command_idx);
/* EFFECT_ZONE_DUE: begin the zone's next job if it can. */
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
/* A zone's medium has failed. */
void zns_zone_failed(Zns *zns, uint64_t now_ns, uint32_t zone_idx);
/* The namespace is as new. No command of it is inside. */
void zns_format(Zns *zns, uint64_t now_ns, SsdNs *ns, uint32_t lba_bytes);

#endif
