/*
 * Two drives that are told the same at random: one is kept, the other is now
 * and then replaced by what its bytes make. Every completion, zone and count of
 * both must agree.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_TEST_TWINS_H
#define FEMU_TEST_TWINS_H

#include "drive.h"

typedef struct TwinsCount {
    unsigned instants; /* at which it was saved and loaded */
    uint64_t accepted;
    uint64_t saved_bytes;
} TwinsCount;

typedef struct Twins {
    SsdParams params;
    Ssd *kept;
    Ssd *saved;
    Rng rng;
    uint64_t now_ns;
    uint32_t next_tag;
    unsigned every; /* a step in so many saves and loads */
    bool cuts;      /* the power of both goes now and then */
    /* NULL, or what else must be the same of the two, just loaded. */
    void (*compare)(const Ssd *kept, const Ssd *saved);
    TwinsCount count;
} Twins;

/* Two new drives of parameters that are checked and resolved. */
void twins_begin(Twins *t, const SsdParams *params, uint64_t seed);

/* So many random commands, with time that passes, failures and formats. */
void twins_run(Twins *t, unsigned steps);

/* Both know the same, down to their bytes; then they are gone. */
void twins_end(Twins *t);

/* The bytes of both, which must be the same. Caller unrefs. */
GByteArray *twins_bytes(const Twins *t);

#endif
