/*
 * Random commands for a drive and the dumb one beside it, and random drives.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_TEST_SOUP_H
#define FEMU_TEST_SOUP_H

#include "pair.h"

/* So many zones of a namespace are used. */
#define SOUP_ZONES 16

/* One of `n` numbers, and one of those that are named. */
uint64_t soup_pick(Rng *rng, const uint64_t *from, unsigned n);
#define PICK(rng, ...)                                                      \
    soup_pick(rng, (const uint64_t[]) { __VA_ARGS__ },                           \
         sizeof((const uint64_t[]) { __VA_ARGS__ }) / sizeof(uint64_t))

/*
 * A command that makes sense, mostly, for what the zones hold by now. A copy's
 * ranges are put into `ranges`.
 */
SsdCmd soup_cmd(const Pair *pair, Rng *rng, SsdRange ranges[COPY_RANGES]);

/* So many of them, at random instants, polled at others. */
void soup_run(Pair *pair, Rng *rng, unsigned commands);

void soup_fail_a_zone(Pair *pair, Rng *rng);

/*
 * So many rounds of so many commands; behind each a zone fails, and behind one
 * in five a namespace is formatted.
 */
void soup_with_failures(Pair *pair, Rng *rng, unsigned rounds,
                        unsigned commands);

/* A drive by its name, in words as drive_params() has them. */
typedef struct Soup {
    const char *name;
    const char *drive;
    unsigned commands;
} Soup;

/* Add a test of each, called `folder`/name. */
void soup_add_tests(const char *folder, const Soup *soups, unsigned count,
                    GTestDataFunc test);

/* Say how many commands were taken and rejected. */
void soup_say(const Pair *pair);

/*
 * A drive that nobody would think of, not checked yet: flash, zones and the
 * designs of finish and reset; neither front end nor buffer.
 */
SsdParams soup_params(Rng *rng);

/* Such a drive beside the dumb one, as soon as it is valid and resolved. */
Pair *soup_pair(SsdParams *params);

#endif
