/*
 * Tests of the checksums of a state: CRC-32C, entries of the history of which
 * one may be torn, pages that are what they were or what they will be.
 *
 * Knows nothing of how a drive works.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_sums.h"

#include <string.h>

static void test_sum(void)
{
    static const char text[] = "123456789, and some more of it";
    uint32_t whole = ssd_sum(0, text, sizeof(text));

    /* As published. */
    g_assert_cmphex(ssd_sum(0, text, 9), ==, 0xe3069283);
    g_assert_cmphex(ssd_sum(0, text, 0), ==, 0);
    for (size_t at = 0; at <= sizeof(text); at++) {
        g_assert_cmphex(ssd_sum(ssd_sum(0, text, at), text + at,
                                sizeof(text) - at), ==, whole);
    }
}

static SsdSums *new_sums(void)
{
    return g_malloc0(sizeof(SsdSums));
}

/* The writer may have been killed within the entry: the one before counts. */
static void test_history(void)
{
    g_autofree SsdSums *sums = new_sums();

    g_assert_null(ssd_sums_history(sums));
    for (uint32_t i = 1; i < 6; i++) {
        SsdSums before = *sums, after;
        uint64_t bytes = 1000 - i; /* it may become shorter, too */

        ssd_sums_put_history(sums, bytes, i);
        after = *sums;
        g_assert_cmpuint(ssd_sums_history(sums)->bytes, ==, bytes);
        g_assert_cmpuint(ssd_sums_history(sums)->sum, ==, i);
        for (size_t at = 1; at < sizeof(sums->history); at++) {
            const SsdHistorySum *found;

            *sums = before;
            memcpy(sums->history, after.history, at);
            found = ssd_sums_history(sums);
            if (i > 1) {
                g_assert_true(found->number == i || found->number == i - 1);
                g_assert_cmpuint(found->bytes, ==, 1000 - found->number);
            }
        }
        *sums = after;
    }
}

static void test_begun(void)
{
    g_autofree SsdSums *sums = new_sums();

    g_assert_cmpint(ssd_sums_begun(sums), ==, 0);
    memcpy(sums->magic, SSD_SUMS_MAGIC, sizeof(sums->magic));
    g_assert_cmpint(ssd_sums_begun(sums), ==, 1);
    sums->magic[3] ^= 1;
    g_assert_cmpint(ssd_sums_begun(sums), ==, -1);
}

static void test_page(void)
{
    g_autofree uint8_t *one = g_malloc0(SSD_SUMS_PAGE_BYTES);
    g_autofree uint8_t *other = g_malloc0(SSD_SUMS_PAGE_BYTES);
    uint64_t word;

    other[17] = 1;
    word = ssd_sums_page(NULL, other);
    g_assert_true(ssd_sums_page_fits(word, one));
    g_assert_true(ssd_sums_page_fits(word, other));
    one[4095] = 9;
    g_assert_false(ssd_sums_page_fits(word, one));
    word = ssd_sums_page(other, one);
    g_assert_true(ssd_sums_page_fits(word, one));
    g_assert_true(ssd_sums_page_fits(word, other));
    for (unsigned bit = 0; bit < 8 * SSD_SUMS_PAGE_BYTES; bit += 7) {
        one[bit / 8] ^= 1 << bit % 8;
        g_assert_false(ssd_sums_page_fits(word, one));
        one[bit / 8] ^= 1 << bit % 8;
    }
}

static void test_kept(void)
{
    g_autofree SsdSums *sums = new_sums();
    char kept[] = "what is kept";

    g_assert_null(ssd_sums_kept_fault(sums, kept, sizeof(kept)));
    sums->kept_sum = ssd_sums_of_kept(kept, sizeof(kept));
    g_assert_null(ssd_sums_kept_fault(sums, kept, sizeof(kept)));
    for (unsigned bit = 0; bit < 8 * sizeof(kept); bit++) {
        g_autofree char *fault = NULL;

        kept[bit / 8] ^= 1 << bit % 8;
        fault = ssd_sums_kept_fault(sums, kept, sizeof(kept));
        g_assert_nonnull(strstr(fault, "'kept' has the checksum"));
        kept[bit / 8] ^= 1 << bit % 8;
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sums/sum", test_sum);
    g_test_add_func("/sums/history", test_history);
    g_test_add_func("/sums/begun", test_begun);
    g_test_add_func("/sums/page", test_page);
    g_test_add_func("/sums/kept", test_kept);
    return g_test_run();
}
