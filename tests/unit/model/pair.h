/*
 * The drive and the dumb model side by side: every command goes to both, and
 * every status, LBA, completion, zone, resource count and, in the end, every
 * block's erases must agree.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_TEST_PAIR_H
#define FEMU_TEST_PAIR_H

#include "support/drive.h"
#include "model.h"

#define COPY_RANGES 4
#define COPY_ZONES 16   /* that copies of random_copy() use */

/* What has been done to both, and what must follow: for pair_replay(). */
typedef struct PairEvent {
    uint64_t at_ns;
    SsdCmd cmd;                 /* its ranges are those below */
    SsdRange ranges[COPY_RANGES];
    SsdStatus status;
    uint32_t lba_bytes;         /* of its namespace then, if it is one */
    uint64_t due_at_ns;
    SsdZoneState fails_to;      /* no command: zone cmd.slba has failed */
    uint32_t format_lba_bytes;  /* no command: the namespace was formatted */
    bool is_cut;                /* no command: the power went */
} PairEvent;

typedef struct Pair {
    Ssd *ssd;
    Model *model;
    SsdParams params;
    uint64_t now_ns;
    uint32_t next_tag;
    uint64_t accepted_count;
    uint64_t rejected_count;
    GArray *done_ssd;           /* SsdDone gathered and not yet compared */
    GArray *done_model;
    GQueue history;             /* the last commands, as text */
    unsigned history_length;
    GArray *events;             /* PairEvent; index: tag */
} Pair;

Pair *pair_new(const SsdParams *params);

/* Compare what is left, then free. */
void pair_free(Pair *pair);

/* End the test with what is wrong, the drive and its last commands. */
void pair_fail(const Pair *pair, const char *what);

/* Submit to both at pair->now_ns. Needs pair_has_room(). Return: status. */
SsdStatus pair_submit(Pair *pair, const SsdCmd *cmd);
void pair_zone_fail(Pair *pair, uint32_t nsid, uint32_t zone_idx,
                    SsdZoneState state);
bool pair_has_room(const Pair *pair);

/* Tell both that it is now_ns; compare all completions until then. */
void pair_advance(Pair *pair, uint64_t now_ns);

/* Compare every zone and the resource counts at pair->now_ns. */
void pair_compare(Pair *pair);

/*
 * Make `cmd` a copy, mostly of data that are there, in at most as many ranges
 * as `ranges` has room for.
 */
void random_copy(const Rules *rules, Rng *rng, SsdRange ranges[COPY_RANGES],
                 SsdCmd *cmd);

/* Run both until idle, then give a namespace blocks of `lba_bytes`. */
void pair_format(Pair *pair, uint32_t nsid, uint32_t lba_bytes);

/* Run both until nothing is under way, then their power goes. */
void pair_cut(Pair *pair);

/* The statistics of commands follow from these, which have all ended. */
void pair_compare_stats(const Pair *pair);

/* Run both until idle. */
void pair_drain(Pair *pair);

/*
 * Do the same once more to a new drive alone, in another way of polling: a
 * nanosecond before each completion and at it, never but when there is no room,
 * or at random; or at random, and now and then the drive is replaced by what
 * its bytes make. Every completion and the statistics must be the same again.
 */
typedef enum PairPoll {
    PAIR_POLL_EXACTLY,
    PAIR_POLL_NEVER,
    PAIR_POLL_AT_RANDOM,
    PAIR_POLL_SAVED,
    PAIR_POLL_MODES,
} PairPoll;

void pair_replay(Pair *pair, PairPoll mode, Rng *rng);

#endif
