/*
 * The numbers that members of a set have, in order, kept in order while they
 * are raised by one: the least, the largest and any percentile are there
 * without a look at all members. Raising one costs a binary search.
 *
 * Knows nothing of what the members are, or of which member has which number.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_TALLY_H
#define FEMU_TALLY_H

#include <stdint.h>

typedef struct Tally {
    uint32_t *numbers;  /* [rank], ascending */
    uint64_t count;     /* of members; at least 1 */
    uint64_t sum;       /* of their numbers */
} Tally;

/* All members have 0. Memory of members that keep it stays untouched. */
void tally_init(Tally *tally, uint64_t count);
void tally_destroy(Tally *tally);

/* The members have these numbers, in any order. */
void tally_take(Tally *tally, const uint32_t *numbers);

/* A member that has `number`, as at least one does, has one more now. */
void tally_raise(Tally *tally, uint32_t number);

#endif
