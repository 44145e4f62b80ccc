/*
 * Numbers in order, against numbers that are sorted anew.
 *
 * Knows nothing of what the numbers count.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/tally.h"

#include <stdlib.h>
#include <string.h>

#include "support/drive.h"

#define MEMBERS_MAX 40

static void assert_numbers(const Tally *tally, const uint32_t *expected)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < tally->count; i++) {
        g_assert_cmpuint(tally->numbers[i], ==, expected[i]);
        sum += expected[i];
    }
    g_assert_cmpuint(tally->sum, ==, sum);
}

static void test_raise(void)
{
    Tally tally;

    tally_init(&tally, 4);
    assert_numbers(&tally, (uint32_t[]) { 0, 0, 0, 0 });
    tally_raise(&tally, 0);
    tally_raise(&tally, 0);
    assert_numbers(&tally, (uint32_t[]) { 0, 0, 1, 1 });
    tally_raise(&tally, 1);
    tally_raise(&tally, 2);
    assert_numbers(&tally, (uint32_t[]) { 0, 0, 1, 3 });
    tally_raise(&tally, 0);
    tally_raise(&tally, 0);
    assert_numbers(&tally, (uint32_t[]) { 1, 1, 1, 3 });
    tally_destroy(&tally);
}

static void test_take(void)
{
    Tally tally;

    tally_init(&tally, 5);
    tally_raise(&tally, 0);
    tally_take(&tally, (uint32_t[]) { 7, UINT32_MAX, 0, 7, 3 });
    assert_numbers(&tally, (uint32_t[]) { 0, 3, 7, 7, UINT32_MAX });
    tally_destroy(&tally);
}

static int compare(const void *a, const void *b)
{
    return (int)*(const uint32_t *)a - (int)*(const uint32_t *)b;
}

static void test_any(void)
{
    Rng rng = { drive_seed() };
    uint32_t numbers[MEMBERS_MAX];
    uint32_t sorted[MEMBERS_MAX];

    for (uint64_t count = 1; count <= MEMBERS_MAX; count++) {
        Tally tally;

        memset(numbers, 0, sizeof(numbers));
        tally_init(&tally, count);
        for (unsigned i = 0; i < 200; i++) {
            tally_raise(&tally, numbers[rng_next(&rng) % count]++);
            memcpy(sorted, numbers, sizeof(sorted));
            qsort(sorted, count, sizeof(*sorted), compare);
            assert_numbers(&tally, sorted);
        }
        tally_destroy(&tally);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tally/raise", test_raise);
    g_test_add_func("/tally/take", test_take);
    g_test_add_func("/tally/any", test_any);
    return g_test_run();
}
