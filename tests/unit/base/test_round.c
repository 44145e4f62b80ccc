/*
 * Rounding up, below, at and above multiples.
 *
 * Knows nothing of what is counted.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/round.h"

#include "support/drive.h"

static void check(uint64_t value, uint64_t by, uint64_t count)
{
    g_assert_cmpuint(div_round_up(value, by), ==, count);
    g_assert_cmpuint(round_up(value, by), ==, count * by);
}

static void test_around(void)
{
    check(0, 1, 0);
    check(5, 1, 5);
    for (uint64_t by = 2; by < 100; by++) {
        check(0, by, 0);
        check(1, by, 1);
        check(by - 1, by, 1);
        check(by, by, 1);
        check(by + 1, by, 2);
        check(7 * by - 1, by, 7);
        check(7 * by, by, 7);
        check(7 * by + 1, by, 8);
    }
}

/* Nothing is added that would not fit. */
static void test_largest(void)
{
    g_assert_cmpuint(div_round_up(UINT64_MAX, 1), ==, UINT64_MAX);
    g_assert_cmpuint(div_round_up(UINT64_MAX, UINT64_MAX), ==, 1);
    g_assert_cmpuint(div_round_up(UINT64_MAX, 2), ==, UINT64_C(1) << 63);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/round/around", test_around);
    g_test_add_func("/round/largest", test_largest);
    return g_test_run();
}
