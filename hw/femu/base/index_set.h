/*
 * A set of numbers below a bound, such as the zones that are in a state: which
 * member is next, and how many there are, with a look at few of the others.
 *
 * Knows nothing of what the numbers are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_INDEX_SET_H
#define FEMU_INDEX_SET_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers of a run, 64 words: 2^20, the most that there are, are 256 runs. */
#define INDEX_SET_RUN 4096u

typedef struct IndexSet {
    uint64_t *words;    /* number i: bit i % 64 of word i / 64 */
    uint16_t *runs;     /* [r]: members from r * INDEX_SET_RUN on */
} IndexSet;

/* Empty; its members will be below `bound`. */
void index_set_init(IndexSet *set, uint32_t bound);
void index_set_destroy(IndexSet *set);

/* No number is a member any more. */
void index_set_clear(IndexSet *set, uint32_t bound);

/* A number is a member, or is none, from now on. */
void index_set_put(IndexSet *set, uint32_t idx, bool is_member);

/* The first member in [idx, end); `end` if there is none. */
uint32_t index_set_next(const IndexSet *set, uint32_t idx, uint32_t end);

/* The members in [idx, end). */
uint32_t index_set_count(const IndexSet *set, uint32_t idx, uint32_t end);

#endif
