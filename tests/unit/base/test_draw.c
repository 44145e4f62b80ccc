/*
 * Draws against what they are made of, computed elsewhere: a drive of the same
 * seed has the same times for ever.
 *
 * Knows nothing of what is drawn.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/draw.h"

#include <glib.h>
#include <math.h>

/* The first two numbers of splitmix64 with seed 0, as its authors print them. */
static void test_mix(void)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);

    g_assert_cmphex(draw_mix(step), ==, UINT64_C(0xe220a8397b1dcdaf));
    g_assert_cmphex(draw_mix(2 * step), ==, UINT64_C(0x6e789e6aa1b965f4));
}

/* Seed, kind and both keys count, in the order of these sums. */
static void test_bits(void)
{
    g_assert_cmphex(draw_bits(1, DRAW_PAGE_TYPE, 0, 0), ==,
                    UINT64_C(0x0a385ef24fa6a992));
    g_assert_cmphex(draw_bits(0, DRAW_SEGMENT, 2, 5), ==,
                    UINT64_C(0x658ae0f83542d448));
    g_assert_cmphex(draw_bits(7, DRAW_STRIPE_TIME, UINT32_MAX, UINT64_MAX), ==,
                    UINT64_C(0xfe6068ecca11642c));
}

static void test_below(void)
{
    g_assert_cmpuint(draw_below(0, 1000), ==, 0);
    g_assert_cmpuint(draw_below(UINT64_MAX, 1000), ==, 999);
    g_assert_cmpuint(draw_below(UINT64_C(1) << 63, 1000), ==, 500);
    g_assert_cmpuint(draw_below((UINT64_C(1) << 63) - 1, 1000), ==, 499);
    g_assert_cmpuint(draw_below(UINT64_MAX, UINT32_MAX), ==, UINT32_MAX - 1);
}

/* Each of the four numbers has its own 16 bits; the sum is centred, scaled. */
static void test_normal(void)
{
    const uint64_t part[4] = { 1, 30000, 65535, 12345 };
    const int64_t sd = INT64_C(1) << 39;

    for (unsigned i = 0; i < 4; i++) {
        for (unsigned place = 0; place < 4; place++) {
            int64_t sum = (int64_t)part[i] - 131070;

            g_assert_cmpint(draw_normal(part[i] << 16 * place, sd), ==,
                            sum * sd / 37837);
        }
    }
    g_assert_cmpint(draw_normal(0, 37837), ==, -131070);
    g_assert_cmpint(draw_normal(UINT64_MAX, 37837), ==, 131070);
    g_assert_cmpint(draw_normal(UINT64_C(0x0001000200040008), 37837), ==,
                    15 - 131070);
}

/* -ln(u) in 1/65536, where `u` is of 2^32: exact at the table's places. */
static uint64_t minus_log(uint32_t u)
{
    return draw_exponential((uint64_t)u << 32, 65536);
}

static uint64_t table(unsigned i)
{
    return (uint64_t)lround(-log((32 + i) / 64.0) * 65536);
}

static void test_exponential(void)
{
    for (unsigned i = 0; i < 32; i++) {
        uint32_t u = (UINT32_C(32) + i) << 26;

        g_assert_cmpuint(minus_log(u), ==, table(i));
        /* Half way, and the farthest: a line between two places. */
        g_assert_cmpuint(minus_log(u + (UINT32_C(1) << 25)), ==, table(i) -
                         (table(i) - table(i + 1)) / 2);
        g_assert_cmpuint(minus_log(u + (UINT32_C(1) << 26) - 1), ==, table(i) -
                         (table(i) - table(i + 1)) * 65535 / 65536);
        g_assert_cmpuint(minus_log(u + (UINT32_C(1) << 24)), ==, table(i) -
                         (table(i) - table(i + 1)) / 4);
    }
    /* The lowest bit that places it between two. */
    g_assert_cmpuint(minus_log((UINT32_C(32) << 26) + (UINT32_C(33) << 10)), ==,
                     table(0) - (table(0) - table(1)) * 33 / 65536);
    /* Below 2^16 the lowest bit, which is always taken for 1, shows. */
    for (unsigned halvings = 0; halvings < 16; halvings++) {
        g_assert_cmpuint(minus_log(UINT32_C(0x80000000) >> halvings), ==,
                         (halvings + 1) * 45426);
    }
    g_assert_cmpuint(minus_log(0), ==, 32 * 45426);     /* as of 1 */
    g_assert_cmpuint(draw_exponential(UINT64_C(0x80000000ffffffff),
                                      INT64_C(1) << 40), ==,
                     UINT64_C(45426) << 24);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/draw/mix", test_mix);
    g_test_add_func("/draw/bits", test_bits);
    g_test_add_func("/draw/below", test_below);
    g_test_add_func("/draw/normal", test_normal);
    g_test_add_func("/draw/exponential", test_exponential);
    return g_test_run();
}
