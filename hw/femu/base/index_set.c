/*
 * A set of numbers below a bound: a bit for each, and how many are members of
 * each run, so that runs without one are passed at once, and whole runs counted.
 *
 * Knows nothing of what the numbers are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "index_set.h"

#include "round.h"

#include <glib.h>
#include <string.h>

#define WORD_BITS 64u

static uint32_t word_count(uint32_t bound)
{
    return div_round_up(bound, WORD_BITS);
}

static uint32_t run_count(uint32_t bound)
{
    return div_round_up(bound, INDEX_SET_RUN);
}

void index_set_init(IndexSet *set, uint32_t bound)
{
    set->words = g_new0(uint64_t, word_count(bound));
    set->runs = g_new0(uint16_t, run_count(bound));
}

void index_set_destroy(IndexSet *set)
{
    g_free(set->words);
    g_free(set->runs);
}

void index_set_clear(IndexSet *set, uint32_t bound)
{
    memset(set->words, 0, word_count(bound) * sizeof(*set->words));
    memset(set->runs, 0, run_count(bound) * sizeof(*set->runs));
}

void index_set_put(IndexSet *set, uint32_t idx, bool is_member)
{
    uint64_t bit = UINT64_C(1) << idx % WORD_BITS;
    uint64_t *word = &set->words[idx / WORD_BITS];

    if (!(*word & bit) == !is_member) {
        return;
    }
    *word ^= bit;
    set->runs[idx / INDEX_SET_RUN] += is_member ? 1 : -1;
}

uint32_t index_set_next(const IndexSet *set, uint32_t idx, uint32_t end)
{
    while (idx < end) {
        uint64_t word;

        if (idx % INDEX_SET_RUN == 0 && set->runs[idx / INDEX_SET_RUN] == 0) {
            idx += INDEX_SET_RUN;
            continue;
        }
        word = set->words[idx / WORD_BITS] >> idx % WORD_BITS;
        if (word) {
            return MIN(idx + __builtin_ctzll(word), end);
        }
        idx += WORD_BITS - idx % WORD_BITS;
    }
    return end;
}

/* The members in [idx, end), all of one word. */
static uint32_t count_in_word(const IndexSet *set, uint32_t idx, uint32_t end)
{
    uint64_t word = set->words[idx / WORD_BITS] >> idx % WORD_BITS;

    return __builtin_popcountll(word << (WORD_BITS - (end - idx)));
}

uint32_t index_set_count(const IndexSet *set, uint32_t idx, uint32_t end)
{
    uint32_t sum = 0;

    while (idx < end) {
        if (idx % INDEX_SET_RUN == 0 && end - idx >= INDEX_SET_RUN) {
            sum += set->runs[idx / INDEX_SET_RUN];
            idx += INDEX_SET_RUN;
        } else {
            uint32_t to = MIN(idx + WORD_BITS - idx % WORD_BITS, end);

            sum += count_in_word(set, idx, to);
            idx = to;
        }
    }
    return sum;
}
