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
 * A drive that nobody would think of, not checked yet: flash, zones and the
 * designs of finish and reset; neither front end nor buffer.
 */
SsdParams soup_params(Rng *rng);

#endif
