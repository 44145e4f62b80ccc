/*
 * Which name is the nearest to one that there is not.
 *
 * Knows nothing of values and rules.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "params.h"

/* The names have no letter that parameters have. */
static void expect(const char *name, const char *one, const char *two,
                   const char *wanted)
{
    const char *const others[] = { one, two, NULL };

    g_assert_cmpstr(ssd_params_nearest(name, others), ==, wanted);
}

/* So near are two edits, or a third of the letters, whatever is greater. */
static void test_near(void)
{
    expect("", "QZ", NULL, "QZ");
    expect("", "QZQ", NULL, NULL);
    expect("QZQZQ", "QZQZQZZ", NULL, "QZQZQZZ");
    expect("QZQZQZZ", "QZQZQ", NULL, "QZQZQ");
    expect("QZQZQ", "QZQZQZZZ", NULL, NULL);
    expect("QZQZQZQZQZQZ", "QZQZQZQZWWWW", NULL, "QZQZQZQZWWWW");
    expect("QZQZQZQZQZQZ", "QZQZQZQWWWWW", NULL, NULL);
}

/* Of two the nearer, or the first. */
static void test_two(void)
{
    expect("QZQZW", "QZQZA", "QZQZW", "QZQZW");
    expect("QZQZW", "QZQZA", "QZQZB", "QZQZA");
}

/* The parameters' own names are among them, from the first on. */
static void test_own(void)
{
    g_assert_cmpstr(ssd_params_nearest("zone", NULL), ==, "zones");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/nearest/near", test_near);
    g_test_add_func("/nearest/two", test_two);
    g_test_add_func("/nearest/own", test_own);
    return g_test_run();
}
