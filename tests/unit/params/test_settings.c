/*
 * Texts that set parameters: numbers, sizes, words, and what is wrong with them.
 *
 * Knows nothing of what parameters have to do with each other.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "params.h"
#include "params_text.h"

#include <string.h>

static void assert_set(const char *name, const char *text, uint64_t want)
{
    g_autoptr(GError) error = NULL;
    const SsdParamInfo *table;
    unsigned count, found = 0;
    SsdParams p;

    ssd_params_defaults(&p);
    g_assert_true(ssd_params_set(&p, name, text, &error));
    g_assert_no_error(error);
    table = ssd_params_table(&count);
    for (unsigned i = 0; i < count; i++) {
        uint64_t value = ssd_params_get(&p, &table[i]);

        if (g_str_equal(table[i].name, name)) {
            g_assert_cmpuint(value, ==, want);
            found++;
        } else {
            g_assert_cmpuint(value, ==, table[i].default_value);
        }
    }
    g_assert_cmpuint(found, ==, 1);
}

static void assert_set_fails(const char *name, const char *text,
                             const char *message)
{
    g_autoptr(GError) error = NULL;
    SsdParams p, before;

    memset(&p, 0, sizeof(p));
    ssd_params_defaults(&p);
    before = p;
    g_assert_false(ssd_params_set(&p, name, text, &error));
    g_assert_error(error, SSD_PARAMS_ERROR, 0);
    g_assert_cmpstr(error->message, ==, message);
    g_assert_cmpint(memcmp(&p, &before, sizeof(p)), ==, 0);
}

static void test_integers(void)
{
    assert_set("channels", "1", 1);
    assert_set("channels", "64", 64);
    assert_set("channels", "0x010", 16);
    assert_set("channels", "0X1f", 31);
    assert_set("max-open", "0", 0);
    assert_set("program-ns", "1000000000", 1000000000);
}

static void test_bad_integers(void)
{
    static const char *const bad[] = {
        "", " 4", "4 ", "+4", "-1", "-0", "4K", "4.0", "1e3", "four", "0x",
        "0x 4", "x10", "4\n", "0b100", "0x0x4",
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autofree char *message = g_strdup_printf(
            "channels=%s: '%s' is not a whole number; must be 1 to 64 "
            "channels", bad[i], bad[i]);

        assert_set_fails("channels", bad[i], message);
    }
    assert_set_fails("channels", "010",
                     "channels=010: '010' has a leading 0, which QEMU would "
                     "read as octal; leave it out; must be 1 to 64 channels");
    assert_set_fails("channels", "18446744073709551616",
                     "channels=18446744073709551616: '18446744073709551616' "
                     "is too large; must be 1 to 64 channels");
    assert_set_fails("channels", "18446744073709551615",
                     "channels=18446744073709551615: out of range, must be 1 "
                     "to 64 channels");
    assert_set_fails("channels", "0",
                     "channels=0: out of range, must be 1 to 64 channels");
    assert_set_fails("channels", "65",
                     "channels=65: out of range, must be 1 to 64 channels");
    assert_set_fails("channels", "4294967300",
                     "channels=4294967300: out of range, must be 1 to 64 "
                     "channels");
}

static void test_sizes(void)
{
    assert_set("zone-capacity", "4096", 4096);
    assert_set("zone-capacity", "4096B", 4096);
    assert_set("zone-capacity", "4096b", 4096);
    assert_set("zone-capacity", "0", 0);
    assert_set("zone-capacity", "010", 10);
    assert_set("zone-capacity", "0x1000", 4096);
    assert_set("zone-capacity", "0x1b", 27);
    assert_set("zone-capacity", "16K", 16 * SSD_KIB);
    assert_set("zone-capacity", "16k", 16 * SSD_KIB);
    assert_set("zone-capacity", "1077M", 1077 * SSD_MIB);
    assert_set("zone-capacity", "2g", 2 * SSD_GIB);
    assert_set("zone-capacity", "1T", SSD_TIB);
    assert_set("zone-capacity", "0P", 0);
    assert_set("zone-capacity", "0e", 0);
    assert_set("zone-capacity", "1.5G", 1536 * SSD_MIB);
    assert_set("zone-capacity", "1.50G", 1536 * SSD_MIB);
    assert_set("zone-capacity", "1.G", SSD_GIB);
    assert_set("zone-capacity", ".5k", 512);
    assert_set("zone-capacity", "1.0", 1);
    assert_set("zone-capacity", "0.0009765625K", 1);
    assert_set("zone-capacity", "0.0000019073486328125G", 2048);
    assert_set("zone-capacity", "0.0009765625P", SSD_TIB);
}

static void test_bad_sizes(void)
{
    static const char *const bad[] = {
        "", "K", ".", ".K", " 4", "4 K", "-1", "+1", "4KiB", "4KB", "4KK",
        "1e3", "0x10K", "0x", "0x1.8", "1..5K", "1.5.5K", "4Z", "inf", "4K\n",
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
        const char *reason = bad[i][0] == '0' ? "whole number" :
                             "size such as 4096, 16K or 1.5G";
        g_autofree char *message = g_strdup_printf(
            "zone-capacity=%s: '%s' is not a %s; must be 0 to 1T bytes",
            bad[i], bad[i], reason);

        assert_set_fails("zone-capacity", bad[i], message);
    }
}

static void test_uneven_and_huge_sizes(void)
{
    static const char *const uneven[] = {
        "1.3K", "1.5", "0.5B", "0.00048828125K", "1.00000000000000000000001G",
    };
    static const char *const huge[] = {
        "16E", "17179869184G", "18446744073709551616", "15.999999999999E9",
        "0x10000000000000000", "0x100000000000000001", "184467440737095516161",
        "99999999999999999999K",
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(uneven); i++) {
        g_autofree char *message = g_strdup_printf(
            "zone-capacity=%s: '%s' is no whole number of bytes; must be 0 "
            "to 1T bytes", uneven[i], uneven[i]);

        assert_set_fails("zone-capacity", uneven[i], message);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(huge); i++) {
        g_autofree char *message = g_strdup_printf(
            "zone-capacity=%s: '%s' is %s; must be 0 to 1T bytes", huge[i],
            huge[i], strchr(huge[i], '.') ?
            "not a size such as 4096, 16K or 1.5G" : "too large");

        assert_set_fails("zone-capacity", huge[i], message);
    }
    assert_set_fails("zone-capacity", "15.5E",
                     "zone-capacity=15872P (17870283321406128128): out of "
                     "range, must be 0 to 1T bytes");
    assert_set_fails("page-size", "2K",
                     "page-size=2K (2048): out of range, must be 4K to 256K "
                     "bytes");
}

static void test_unknown_names(void)
{
    static const char *const others[] = {"serial", "memdev", NULL};
    static const char *const nearer[] = {"serial", "serxal", NULL};

    assert_set_fails("chanels", "4",
                     "chanels=4: no parameter 'chanels'; did you mean "
                     "'channels'?");
    assert_set_fails("zone_size", "4M",
                     "zone_size=4M: no parameter 'zone_size'; did you mean "
                     "'zone-size'?");
    assert_set_fails("colour", "red",
                     "colour=red: no parameter 'colour'; see "
                     "docs/parameters.md");
    g_assert_cmpstr(ssd_params_nearest("seril", others), ==, "serial");
    g_assert_cmpstr(ssd_params_nearest("seril", nearer), ==, "serial");
    g_assert_cmpstr(ssd_params_nearest("seril", NULL), ==, NULL);
    g_assert_cmpstr(ssd_params_nearest("ZONES", NULL), ==, NULL);
    /* Of two that are as near, the first. */
    g_assert_cmpstr(ssd_params_nearest("fe-xxxd-ns", NULL), ==, "fe-read-ns");
    g_assert_cmpstr(ssd_params_nearest("", NULL), ==, NULL);
    g_assert_cmpstr(ssd_params_nearest("fe-opad-ns", NULL), ==, "fe-read-ns");
}

/* A parameter of words takes its words and nothing else. */
static void test_words(void)
{
    SsdParams p;

    ssd_params_defaults(&p);
    g_assert_true(ssd_params_set(&p, "mapping", "remap", NULL));
    g_assert_cmpuint(p.mapping, ==, SSD_MAPPING_REMAP);
    g_assert_true(ssd_params_set(&p, "erase-at", "block-write", NULL));
    g_assert_cmpuint(p.erase_at, ==, SSD_ERASE_AT_BLOCK_WRITE);
    assert_set_fails("mapping", "Lazy",
                     "mapping=Lazy: 'Lazy' is no such word; must be one of "
                     "direct, lazy, remap");
    assert_set_fails("mapping", "1",
                     "mapping=1: '1' is no such word; must be one of direct, "
                     "lazy, remap");
    assert_set_fails("erase-at", "",
                     "erase-at=: '' is no such word; must be one of reset, "
                     "background, idle, zone-write, block-write");
    assert_set_fails("cache-read", "maybe",
                     "cache-read=maybe: 'maybe' is neither on nor off");
}

/* A value that no word stands for is shown as what it is. */
static void test_no_word(void)
{
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);

    for (unsigned i = 0; i < count; i++) {
        if (table[i].type == SSD_PARAM_TYPE_ENUM) {
            g_autofree char *last = ssd_param_row_text(&table[i],
                                                       table[i].max);
            g_autofree char *beyond = ssd_param_row_text(&table[i],
                                                         table[i].max + 1);
            g_autofree char *number = g_strdup_printf(
                "%" G_GUINT64_FORMAT, table[i].max + 1);

            g_assert_true(g_ascii_isalpha(*last));
            g_assert_cmpstr(beyond, ==, number);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/params/integers", test_integers);
    g_test_add_func("/params/bad-integers", test_bad_integers);
    g_test_add_func("/params/sizes", test_sizes);
    g_test_add_func("/params/bad-sizes", test_bad_sizes);
    g_test_add_func("/params/uneven-and-huge-sizes",
                    test_uneven_and_huge_sizes);
    g_test_add_func("/params/unknown-names", test_unknown_names);
    g_test_add_func("/params/words", test_words);
    g_test_add_func("/params/no-word", test_no_word);
    return g_test_run();
}
