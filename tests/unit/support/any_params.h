/*
 * Drives from anywhere: every parameter of the table is drawn over its whole
 * range. ssd_params_check() alone decides what is refused.
 *
 * Each parameter is drawn by its name, so that a new one changes none of the
 * others, and is drawn as soon as it is in the table.
 *
 * Knows nothing of the drive's inside: it uses params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_TEST_ANY_PARAMS_H
#define FEMU_TEST_ANY_PARAMS_H

#include "params.h"

/*
 * Parameters number `seed`, checked and resolved. A share of them have their
 * defaults, by the seed none or most; of the others a quarter are at an end of
 * their range, the rest is anywhere in it, small values as likely as large
 * ones. Where a rule joins several, some are rounded to what it asks for.
 */
SsdParams any_params(uint64_t seed);

/*
 * What a test cannot wait for, or has no memory for, is cut down to this; a cut
 * that some rule refuses is left out. 0: not cut.
 */
typedef struct AnyLimits {
    uint64_t zone_programs; /* that fill a zone */
    uint32_t reset_steps;   /* of a reset, on all units */
    uint32_t zones;         /* of each namespace */
    uint32_t spares;        /* superblocks, on all groups */
    uint64_t conventional_bytes;
    uint64_t least_idle_ns; /* a job that waits looks again so often */
} AnyLimits;

void any_params_cut(SsdParams *params, const AnyLimits *limits);

/*
 * The row of this number, which is that of its name; NULL: none has it. So a
 * parameter keeps its number when others come and go.
 */
const SsdParamInfo *any_params_row(uint16_t number);
uint16_t any_params_number(const SsdParamInfo *info);

/* Give a parameter a value of its row's range. */
void any_params_put(SsdParams *params, const SsdParamInfo *info,
                    uint64_t value);

#endif
