/*
 * The numbers that members of a set have, in order.
 *
 * Knows nothing of what the members are, or of which member has which number.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "tally.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

void tally_init(Tally *tally, uint64_t count)
{
    *tally = (Tally) {
        .numbers = g_new0(uint32_t, count),
        .count = count,
    };
}

void tally_destroy(Tally *tally)
{
    g_free(tally->numbers);
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a;
    uint32_t right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

void tally_take(Tally *tally, const uint32_t *numbers)
{
    memcpy(tally->numbers, numbers, tally->count * sizeof(*numbers));
    qsort(tally->numbers, tally->count, sizeof(*numbers), compare_numbers);
    tally->sum = 0;
    for (uint64_t i = 0; i < tally->count; i++) {
        tally->sum += numbers[i];
    }
}

/* The last of the members that have `number`, which at least one does. */
static uint64_t last_rank_of(const Tally *tally, uint32_t number)
{
    uint64_t rank = 0;              /* has `number` or less */
    uint64_t end = tally->count;    /* has more, or is no rank */

    while (end - rank > 1) {
        uint64_t middle = rank + (end - rank) / 2;

        if (tally->numbers[middle] <= number) {
            rank = middle;
        } else {
            end = middle;
        }
    }
    return rank;
}

/* With the last of its equals it is the order that stays as it is. */
void tally_raise(Tally *tally, uint32_t number)
{
    tally->numbers[last_rank_of(tally, number)]++;
    tally->sum++;
}
