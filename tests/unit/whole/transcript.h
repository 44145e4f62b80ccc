/*
 * All that a drive says while random commands meet it, as text: what a corpus
 * of nanoseconds is made of.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_TEST_TRANSCRIPT_H
#define FEMU_TEST_TRANSCRIPT_H

#include "ssd.h"

/*
 * A new drive of these parameters, which are checked and resolved, under so
 * many random commands of that seed: a line for each command's status, each
 * completion, each zone that is looked at, and in the end what the drive knows
 * of its zones, blocks, busy times and statistics. The same on every machine.
 * Behind each `saves` commands, if that is not 0, the drive is saved and another
 * one loaded in its place; which must be unheard. Caller frees.
 */
char *transcript_of(const SsdParams *params, uint64_t seed,
                    unsigned commands, unsigned saves);

/* The same, but that now and then power goes and comes back. */
char *transcript_of_cuts(const SsdParams *params, uint64_t seed,
                         unsigned commands);

/* The drive behind so many of these commands, some of which are inside. */
Ssd *transcript_drive(const SsdParams *params, uint64_t seed,
                      unsigned commands);

#endif
