/*
 * The whole drive: its rooms, the completions that wait to be polled, and the
 * statistics.
 *
 * Inside drive/; nobody else includes this. ssd.c, submit.c and views.c have
 * the functions of ssd.h, and call run.c.
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_DRIVE_H
#define FEMU_DRIVE_H

#include "../entry/entry.h"
#include "../ssd.h"
#include "../ssd_histogram.h"

typedef struct OpStats {
    SsdHistogram latency_ns;
    uint64_t rejected;
    uint64_t bytes;
} OpStats;

typedef struct Stats {
    OpStats ops[SSD_OP_COUNT];
    uint64_t since_at_ns;
    /* Counters never go back: these are their values at the last reset. */
    FlashCounters flash;
    ConvCounters conv;
    AheadCounters ahead;
    uint64_t *channel_busy_ns;
    uint64_t *unit_busy_ns;
} Stats;

struct Ssd {
    SsdParams params;
    uint64_t run_at_ns; /* all events up to here have happened */
    EventHeap events;
    Effects effects;
    Commands commands;
    Media media;
    Link link;
    Prefetch prefetch;
    WriteBuffer buffer;
    ResetEngine reset;
    Namespaces ns;
    Zns zns;
    Conv conv;
    Entry entry;

    /* Completions that have not been polled, in order of due time: a ring. */
    SsdDone *ready;
    uint32_t ready_head;
    uint32_t ready_count;

    Stats stats;
};

/* The index in the ring of the completion `i` places behind the first. */
static inline uint32_t ready_idx(const Ssd *ssd, uint32_t i)
{
    uint32_t idx = ssd->ready_head + i;

    return idx < ssd->params.cmd_slots ? idx : idx - ssd->params.cmd_slots;
}

static inline void ready_push(Ssd *ssd, const SsdDone *done)
{
    ssd->ready[ready_idx(ssd, ssd->ready_count++)] = *done;
}

/* Needs a completion that is ready. */
static inline void ready_take(Ssd *ssd, SsdDone *done)
{
    *done = ssd->ready[ssd->ready_head];
    /* An empty ring begins anew where the cache has it. */
    ssd->ready_head = --ssd->ready_count ? ready_idx(ssd, 1) : 0;
}

/* check.c: may the command take effect? Changes nothing. */
SsdStatus ssd_check(const Ssd *ssd, const SsdCmd *cmd);
/* Is it an operation of the drive as a whole (a flush, a log page, ...)? */
bool ssd_is_of_drive(SsdOp op);
/* The blocks that a copy writes. */
uint64_t ssd_copy_nlb(const SsdCmd *cmd);

/* stats.c and wear.c, which appends the member "wear" */
void ssd_stats_init(Ssd *ssd);
void ssd_stats_destroy(Ssd *ssd);
void ssd_wear_json(const Ssd *ssd, GString *json);
/*
 * Of a drive after a power cut: all erases of its blocks have ended, and count
 * for ssd_used_percent(). The statistics have to begin anew behind this.
 */
void ssd_wear_kept(Ssd *ssd);

#endif
