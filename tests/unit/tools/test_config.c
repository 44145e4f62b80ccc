/*
 * Tests of the configuration reader: every file of tests/data/configs, the
 * drives of configs/, and what takes more than one file to show.
 *
 * Knows nothing of a drive.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "config_file.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* Read a file as the only drive, then check the rules between parameters. */
static bool read_file(const char *path, SsdParams *params, GError **error)
{
    ssd_params_defaults(params);
    return config_file_read(path, NULL, params, error) &&
           ssd_params_check(params, error);
}

/* The text after "# error: " in a file that must be refused. */
static char *expected_error(const char *path)
{
    g_autofree char *text = NULL;
    const char *mark, *start;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    mark = strstr(text, "# error: ");
    g_assert_nonnull(mark);
    start = mark + strlen("# error: ");
    return g_strndup(start, strcspn(start, "\n"));
}

static void check_accepted(const char *path)
{
    g_autoptr(GError) error = NULL;
    SsdParams params;

    read_file(path, &params, &error);
    g_assert_no_error(error);
}

static void check_refused(const char *path)
{
    g_autofree char *want = expected_error(path);
    g_autoptr(GError) error = NULL;
    SsdParams params;

    g_test_message("%s", path);
    g_assert_false(read_file(path, &params, &error));
    g_assert_nonnull(error);
    if (!strstr(error->message, want)) {
        g_test_message("the error must contain: %s", want);
        g_test_message("the error is:           %s", error->message);
        g_test_fail();
    }
}

/* Check every *.cfg of a folder of the source tree; there are many of them. */
static void check_folder(const char *folder, unsigned min_count,
                         void (*check)(const char *path))
{
    g_autofree char *path = g_test_build_filename(G_TEST_DIST, folder, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    unsigned count = 0;

    g_assert_nonnull(dir);
    while ((name = g_dir_read_name(dir))) {
        if (g_str_has_suffix(name, ".cfg")) {
            g_autofree char *file = g_build_filename(path, name, NULL);

            check(file);
            count++;
        }
    }
    g_assert_cmpuint(count, >=, min_count);
}

static void test_good(void)
{
    check_folder("tests/data/configs/good", 15, check_accepted);
}

static void test_bad(void)
{
    check_folder("tests/data/configs/bad", 79, check_refused);
}

static void test_traps(void)
{
    check_folder("tests/data/configs/trap", 14, check_refused);
}

static void test_drives(void)
{
    check_folder("configs", 3, check_accepted);
}

/* --- Values, not only acceptance ----------------------------------------- */

static char *source_file(const char *path)
{
    return g_test_build_filename(G_TEST_DIST, path, NULL);
}

static void read_good(const char *name, SsdParams *params)
{
    g_autofree char *path = source_file(name);
    g_autoptr(GError) error = NULL;

    read_file(path, params, &error);
    g_assert_no_error(error);
}

/* Nothing but the channels and ways named differs from the defaults. */
static void test_values_with_blanks(void)
{
    SsdParams params, want;

    memset(&params, 0, sizeof(params));
    memset(&want, 0, sizeof(want));
    read_good("tests/data/configs/good/blanks-where-they-may-be.cfg", &params);
    ssd_params_defaults(&want);
    want.zones = 8;
    want.channels = 2;
    want.ways = 2;
    g_assert_cmpmem(&params, sizeof(params), &want, sizeof(want));
}

static void test_values_of_numbers(void)
{
    SsdParams params, want;

    memset(&params, 0, sizeof(params));
    memset(&want, 0, sizeof(want));
    read_good("tests/data/configs/good/numbers.cfg", &params);
    ssd_params_defaults(&want);
    want.zones = 32;
    want.zone_size_bytes = 16 * SSD_MIB;
    want.zone_capacity_bytes = 512 * SSD_KIB;
    want.mdts_bytes = 256 * SSD_KIB;
    want.zasl_bytes = 64 * SSD_KIB;
    want.page_bytes = 8 * SSD_KIB;
    want.read_granule_bytes = 4 * SSD_KIB;
    want.channels = 2;
    g_assert_cmpmem(&params, sizeof(params), &want, sizeof(want));
}

/* Every parameter has a value of its own in the file. */
static void test_values_of_every_parameter(void)
{
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);
    SsdParams params;

    read_good("tests/data/configs/good/every-parameter.cfg", &params);
    for (unsigned i = 0; i < count; i++) {
        if (!g_str_equal(table[i].name, "channels")) {
            g_assert_cmpuint(ssd_params_get(&params, &table[i]), !=,
                             table[i].default_value);
        }
    }
    g_assert_cmpuint(params.zones, ==, 32);
    g_assert_cmpuint(params.page_bytes, ==, 48 * SSD_KIB);
    g_assert_cmpuint(params.page_transfer_ns, ==, 4);
    g_assert_cmpuint(params.zasl_bytes, ==, 32 * SSD_KIB);
}

/* What ConfZNS++ ran, SYSTOR 2024. */
static void test_values_of_confznspp(void)
{
    SsdParams params;

    read_good("configs/confznspp.cfg", &params);
    g_assert_cmpuint(params.zones, ==, 48);
    g_assert_cmpuint(params.zone_size_bytes, ==, 2 * SSD_GIB);
    g_assert_cmpuint(params.zone_capacity_bytes, ==, 1056 * SSD_MIB);
    g_assert_cmpuint(params.channels * params.ways * params.dies *
                     params.planes, ==, 4);
    g_assert_cmpuint(params.pages_per_block, ==, 768);
    g_assert_cmpuint(params.program_ns, ==, 700000);
    g_assert_cmpuint(params.read_ns, ==, 60000);
    g_assert_cmpuint(params.erase_ns, ==, 3500000);
    g_assert_cmpuint(params.page_transfer_ns, ==, 25000);
}

/* --- Several drives ------------------------------------------------------ */

static const char two_drives[] =
    "[device \"zns0\"]\n"
    "driver = \"femu-zns\"\n"
    "zones = \"8\"\n"
    "[device \"zns1\"]\n"
    "driver = \"femu-zns\"\n"
    "zones = \"9\"\n";

/* Read `text` as a file. Return: the error without the path, or NULL. */
static char *read_text(const char *text, const char *device_id,
                       SsdParams *params)
{
    g_autofree char *path = NULL;
    g_autoptr(GError) error = NULL;
    int fd = g_file_open_tmp("femu-config-XXXXXX", &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    ssd_params_defaults(params);
    config_file_read(path, device_id, params, &error);
    g_unlink(path);
    if (!error) {
        return NULL;
    }
    g_assert_true(g_str_has_prefix(error->message, path));
    return g_strdup(error->message + strlen(path));
}

static void test_choose_drive(void)
{
    g_autofree char *first = NULL, *second = NULL;
    SsdParams params;

    first = read_text(two_drives, "zns0", &params);
    g_assert_cmpstr(first, ==, NULL);
    g_assert_cmpuint(params.zones, ==, 8);
    second = read_text(two_drives, "zns1", &params);
    g_assert_cmpstr(second, ==, NULL);
    g_assert_cmpuint(params.zones, ==, 9);
}

static void test_wrong_choice(void)
{
    g_autofree char *none = NULL, *unknown = NULL, *broken = NULL;
    g_autofree char *broken_text = g_strconcat(two_drives, "ways = \"99\"\n",
                                               NULL);
    SsdParams params;

    none = read_text(two_drives, NULL, &params);
    g_assert_cmpstr(none, ==, ": there are 2 drives (zns0, zns1); choose one "
                    "by its id");
    unknown = read_text(two_drives, "zns2", &params);
    g_assert_cmpstr(unknown, ==, ": no drive has the id 'zns2'; there is "
                    "zns0, zns1");
    broken = read_text(broken_text, "zns0", &params);
    g_assert_cmpstr(broken, ==, ":7: ways=99: out of range, must be 1 to 16 "
                    "ways");
}

static void test_unreadable(void)
{
    g_autoptr(GError) error = NULL;
    SsdParams params;

    g_assert_false(config_file_read("/nonexistent/x", NULL, &params, &error));
    g_assert_cmpstr(error->message, ==, "cannot open configuration "
                    "'/nonexistent/x': No such file or directory");
    g_clear_error(&error);
    g_assert_false(config_file_read("/", NULL, &params, &error));
    g_assert_cmpstr(error->message, ==, "/:0: cannot read: Is a directory");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/config/good", test_good);
    g_test_add_func("/config/bad", test_bad);
    g_test_add_func("/config/traps", test_traps);
    g_test_add_func("/config/drives", test_drives);
    g_test_add_func("/config/values/blanks", test_values_with_blanks);
    g_test_add_func("/config/values/numbers", test_values_of_numbers);
    g_test_add_func("/config/values/every", test_values_of_every_parameter);
    g_test_add_func("/config/values/confznspp", test_values_of_confznspp);
    g_test_add_func("/config/choose-drive", test_choose_drive);
    g_test_add_func("/config/wrong-choice", test_wrong_choice);
    g_test_add_func("/config/unreadable", test_unreadable);
    return g_test_run();
}
