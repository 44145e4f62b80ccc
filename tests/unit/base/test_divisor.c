/*
 * Division by known numbers against the machine's own.
 *
 * Knows nothing of what is divided.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/divisor.h"

#include "support/drive.h"

static void check(uint64_t value, uint64_t by)
{
    Divisor divisor = divisor_of(by);

    g_assert_cmpuint(divisor.by, ==, by);
    g_assert_cmpuint(divide(value, &divisor), ==, value / by);
    g_assert_cmpuint(remainder_of(value, &divisor), ==, value % by);
}

/* Around a multiple of `by`, where a wrong factor shows first. */
static void check_around(uint64_t value, uint64_t by)
{
    uint64_t multiple = value / by * by;

    check(value, by);
    check(multiple, by);
    if (multiple > 0) {
        check(multiple - 1, by);
    }
}

static void test_small(void)
{
    for (uint64_t by = 1; by < 300; by++) {
        for (uint64_t value = 0; value < 1000; value++) {
            check(value, by);
        }
        check_around(INT64_MAX, by);
    }
}

/* Every length of both numbers. */
static void test_any(void)
{
    Rng rng = { drive_seed() };

    for (unsigned bits = 0; bits < 63; bits++) {
        for (unsigned by_bits = 0; by_bits < 63; by_bits++) {
            uint64_t low = UINT64_C(1) << by_bits;

            check_around(UINT64_C(1) << bits, low);
            check_around(INT64_MAX, low + 1);
            for (unsigned i = 0; i < 200; i++) {
                check_around(rng_next(&rng) >> (63 - bits) >> 1,
                             low + (rng_next(&rng) & (low - 1)));
            }
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/divisor/small", test_small);
    g_test_add_func("/divisor/any", test_any);
    return g_test_run();
}
