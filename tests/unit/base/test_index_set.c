/*
 * Sets of numbers, beside a flag for each.
 *
 * Knows nothing of what the numbers are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/index_set.h"

#include "support/drive.h"

#define BOUND_MAX (3 * INDEX_SET_RUN + 70)

static bool member[BOUND_MAX];

/* Any part of it: begin and end are in any place of words and runs. */
static void check_part(const IndexSet *set, uint32_t idx, uint32_t end)
{
    uint32_t next = end, count = 0;

    for (uint32_t i = end; i-- > idx;) {
        next = member[i] ? i : next;
        count += member[i];
    }
    g_assert_cmpuint(index_set_next(set, idx, end), ==, next);
    g_assert_cmpuint(index_set_count(set, idx, end), ==, count);
}

static void check(const IndexSet *set, Rng *rng, uint32_t bound)
{
    check_part(set, 0, bound);
    check_part(set, bound, bound);
    for (unsigned i = 0; i < 50; i++) {
        uint32_t idx = rng_next(rng) % (bound + 1);

        check_part(set, idx, idx + rng_next(rng) % (bound + 1 - idx));
    }
}

/* `most` of them at most: of few, whole runs are empty. */
static void run(Rng *rng, uint32_t bound, uint32_t most)
{
    IndexSet set;

    memset(member, 0, sizeof(member));
    index_set_init(&set, bound);
    check(&set, rng, bound);
    for (unsigned i = 0; i < most; i++) {
        uint32_t idx = rng_next(rng) % bound;

        member[idx] = rng_next(rng) % 3 > 0;
        index_set_put(&set, idx, member[idx]);
        index_set_put(&set, idx, member[idx]);
    }
    check(&set, rng, bound);
    index_set_clear(&set, bound);
    memset(member, 0, sizeof(member));
    check(&set, rng, bound);
    index_set_destroy(&set);
}

static void test_any(void)
{
    static const uint32_t bounds[] = {
        1, 63, 64, 65, INDEX_SET_RUN - 1, INDEX_SET_RUN, INDEX_SET_RUN + 1,
        2 * INDEX_SET_RUN, BOUND_MAX,
    };
    Rng rng = { drive_seed() };

    for (unsigned i = 0; i < G_N_ELEMENTS(bounds); i++) {
        run(&rng, bounds[i], 3);
        run(&rng, bounds[i], 10);
        run(&rng, bounds[i], 4 * bounds[i]);
    }
}

/* All are members: a run's number is as large as it gets. */
static void test_full(void)
{
    IndexSet set;

    index_set_init(&set, BOUND_MAX);
    for (uint32_t i = 0; i < BOUND_MAX; i++) {
        index_set_put(&set, i, true);
    }
    g_assert_cmpuint(index_set_count(&set, 0, BOUND_MAX), ==, BOUND_MAX);
    g_assert_cmpuint(index_set_next(&set, 77, BOUND_MAX), ==, 77);
    index_set_destroy(&set);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/index-set/any", test_any);
    g_test_add_func("/index-set/full", test_full);
    return g_test_run();
}
