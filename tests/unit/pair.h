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

#include "drive.h"
#include "model.h"

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
} Pair;

Pair *pair_new(const SsdParams *params);

/* Compare what is left, then free. */
void pair_free(Pair *pair);

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
#define COPY_RANGES 4
void random_copy(const Rules *rules, Rng *rng, SsdRange ranges[COPY_RANGES],
                 SsdCmd *cmd);

/* Run both until idle, then give a namespace blocks of `lba_bytes`. */
void pair_format(Pair *pair, uint32_t nsid, uint32_t lba_bytes);

/* Run both until idle. */
void pair_drain(Pair *pair);

#endif
