/*
 * What the unit tests share: a drive made from name=value words, commands in
 * one line, expectations on exact times, seeded random numbers.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_TEST_DRIVE_H
#define FEMU_TEST_DRIVE_H

#include "ssd.h"

/*
 * A drive under test with the clock that it is driven by: now_ns is the
 * latest time that the drive has been told.
 */
typedef struct Drive {
    Ssd *ssd;
    SsdParams params;
    uint64_t now_ns;
    uint32_t next_tag;
    uint32_t nsid;  /* where commands go; 1 at first */
} Drive;

/*
 * Parameters for a small drive, changed by `words`, such as
 * "zones=4 zone-size=64K". The base: 4 zones of 64 KiB, 4 KiB blocks and
 * pages, 2 channels of one unit, zones over all units, no limits,
 * 4 pages per block, read 60000, program 700000, erase 3500000, transfer
 * 25000 ns. Checked and resolved; a mistake in `words` ends the test.
 */
SsdParams drive_params(const char *words);

Drive *drive_new(const char *words);
void drive_free(Drive *d);

/* Start of a zone of a namespace, and pages as blocks. */
uint64_t drive_zone_lba(const Drive *d, uint32_t zone_idx);
uint32_t drive_pages_nlb(const Drive *d, uint32_t pages);

/* Submit; the command must be accepted. Return: its tag. */
uint32_t drive_read(Drive *d, uint64_t at_ns, uint64_t slba, uint32_t nlb);
uint32_t drive_write(Drive *d, uint64_t at_ns, uint64_t slba, uint32_t nlb);
uint32_t drive_append(Drive *d, uint64_t at_ns, uint32_t zone_idx,
                      uint32_t nlb);
/* Any operation with slba and nlb. */
uint32_t drive_io(Drive *d, uint64_t at_ns, SsdOp op, uint64_t slba,
                  uint32_t nlb);
/* Copy `nlb` blocks from `from_lba` to `slba`. */
uint32_t drive_copy(Drive *d, uint64_t at_ns, uint64_t slba, uint64_t from_lba,
                    uint32_t nlb);
uint32_t drive_deallocate(Drive *d, uint64_t at_ns, const SsdRange *ranges,
                          uint32_t range_count);
uint32_t drive_flush(Drive *d, uint64_t at_ns);
uint32_t drive_zone_op(Drive *d, uint64_t at_ns, SsdOp op, uint32_t zone_idx);
uint32_t drive_all_zones(Drive *d, uint64_t at_ns, SsdOp op);

/* Submit anything; the status is the caller's to judge. */
SsdAccept drive_try(Drive *d, uint64_t at_ns, SsdOp op, uint64_t slba,
                    uint32_t nlb);

/*
 * The next completion is that of `tag`, successful, and comes at `due_at_ns`:
 * a poll one nanosecond earlier returns nothing (checked when that moment is
 * not in the past already). Nothing else is due at that time.
 * Return: the completion.
 */
SsdDone drive_expect(Drive *d, uint32_t tag, uint64_t due_at_ns);

/* As drive_expect(), but other completions may be due at the same time. */
SsdDone drive_expect_next(Drive *d, uint32_t tag, uint64_t due_at_ns);

/* When the command completes; what completes before it is passed over. */
uint64_t drive_completion_at_ns(Drive *d, uint32_t tag);

/* The words stand in the drive's statistics. */
void drive_expect_stats(Drive *d, const char *words);

/* No command is inside and the drive says so. */
void drive_expect_idle(Drive *d);

/* Run until idle. Return: the time of the last completion, or now. */
uint64_t drive_drain(Drive *d);

/* Write whole pages from the start of an Empty zone, then run until idle. */
void drive_fill(Drive *d, uint32_t zone_idx, uint32_t pages);

/* Command as text, for messages. Caller frees. */
char *drive_cmd_text(const SsdCmd *cmd);

/* A seeded stream of numbers (splitmix64). */
typedef struct Rng {
    uint64_t state;
} Rng;

uint64_t rng_next(Rng *rng);

/* 0 <= result < n. */
uint64_t rng_below(Rng *rng, uint64_t n);

/* True in `percent` of 100 cases. */
bool rng_chance(Rng *rng, unsigned percent);

/*
 * The seed of this run: FEMU_SEED, or 1. Prints it and the line that repeats
 * the running test case.
 */
uint64_t drive_seed(void);

/*
 * How often to do what is done for a number of things: the number in the
 * variable `name`, else `usual`, of which FEMU_EVERY=n takes an n-th, for builds
 * in which all is dear.
 */
unsigned drive_count(const char *name, unsigned usual);

#endif
