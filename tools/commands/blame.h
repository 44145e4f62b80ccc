/*
 * What a command of a trace went through: stretches of time, one behind the
 * other, from its submission to its completion.
 *
 * Knows nothing of how they are found, or printed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_BLAME_H
#define FEMU_SIM_BLAME_H

#include "ssd_why.h"

#define BLAME_NONE UINT64_MAX

/* cause.who.tag is not used: seq says which command that is, or BLAME_NONE. */
typedef struct BlamePart {
    uint64_t from_ns;
    uint64_t to_ns;
    SsdCause cause;
    uint64_t seq;
} BlamePart;

typedef struct Blame {
    uint64_t seq;
    SsdCmd cmd; /* without its ranges */
    uint64_t submitted_at_ns;
    uint64_t done_at_ns;
    GArray *parts; /* of BlamePart, in order; they leave no gap */
    uint32_t first_zone_idx; /* of the command's namespace */
    uint64_t zone_nlb;       /* 0: it has no zones */
} Blame;

/* Words for a place: its name in CSV, and what is printed. */
const char *blame_place_name(SsdPlace place);

/* blame_print.c: `level` is 0 for the command that was asked about. */
void blame_print(const Blame *blame, unsigned level);
void blame_print_csv(const Blame *blame, unsigned level);
/* In one line, what took longest. */
char *blame_longest(const Blame *blame);

#endif
