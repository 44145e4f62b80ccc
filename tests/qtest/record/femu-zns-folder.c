/*
 * The folder of a state, and a drive that is in it.
 *
 * Knows nothing of the form of its files.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "femu-zns-folder.h"

static const char *const names[FEMU_FOLDER_FILES] = {
    "history", "data", "kept", "sums",
};

const char *femu_folder_name(unsigned number)
{
    return names[number];
}

char *femu_folder_new(void)
{
    char *folder = g_dir_make_tmp("femu-state-XXXXXX", NULL);

    g_assert_nonnull(folder);
    return folder;
}

char *femu_folder_file(const char *folder, const char *name)
{
    return g_build_filename(folder, name, NULL);
}

void femu_folder_delete(char *folder)
{
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        g_autofree char *path = femu_folder_file(folder, names[i]);

        g_unlink(path);
    }
    g_assert_cmpint(g_rmdir(folder), ==, 0);
    g_free(folder);
}

FemuDrive *femu_folder_boot(const FemuConfig *config, const char *folder)
{
    g_autofree char *extra = g_strdup_printf("state=%s", folder);

    return femu_boot(config, extra);
}

/*
 * The folder as it is now. QEMU does nothing while it waits for us, so this is
 * what a kill at this instant would leave.
 */
char *femu_folder_copy(const char *folder)
{
    char *copy = femu_folder_new();

    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        g_autofree char *from = femu_folder_file(folder, names[i]);
        g_autofree char *to = femu_folder_file(copy, names[i]);
        g_autofree char *bytes = NULL;
        gsize count;

        g_assert_true(g_file_get_contents(from, &bytes, &count, NULL));
        g_assert_true(g_file_set_contents(to, bytes, count, NULL));
    }
    return copy;
}

void femu_folder_refused(const FemuConfig *config, const char *folder,
                         const char *extra, const char *message)
{
    g_autofree char *more = g_strdup_printf("state=%s%s", folder, extra);
    g_autofree char *device = femu_device_args(config, FEMU_SLOT, more);
    g_autofree char *bios = femu_bios_create();
    g_autofree char *args = femu_machine_args(bios, device);
    g_auto(GStrv) words = NULL;
    /* If it is not refused, QEMU ends with another message: of no device. */
    g_autofree char *line = g_strdup_printf("%s -accel qtest -display none %s "
                                            "-device not-refused",
                                            g_getenv("QTEST_QEMU_BINARY"),
                                            args);
    g_autofree char *err = NULL;
    int status;

    g_assert_true(g_shell_parse_argv(line, NULL, &words, NULL));
    g_assert_true(g_spawn_sync(NULL, words, NULL, G_SPAWN_SEARCH_PATH, NULL,
                               NULL, NULL, &err, &status, NULL));
    g_unlink(bios);
    g_test_message("%s", err);
    g_assert_true(WIFEXITED(status));
    g_assert_cmpint(WEXITSTATUS(status), ==, 1);
    g_assert_nonnull(strstr(err, message));
}

void femu_ask_sim(const char *command, const char *path, const char *good)
{
    const char *sim = g_getenv("FEMU_SIM");
    const char *argv[] = { sim, command, path, NULL };
    g_autofree char *out = NULL, *err = NULL;
    int status;

    if (!sim) {
        g_test_skip("FEMU_SIM does not name a femu-sim");
        return;
    }
    g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, 0, NULL, NULL, &out,
                               &err, &status, NULL));
    g_test_message("femu-sim says: %s%s", out, err);
    g_assert_cmpint(status, ==, 0);
    g_assert_nonnull(strstr(out, good));
}

NvmeSmartLog femu_smart(FemuDrive *drive)
{
    NvmeSmartLog log;

    g_assert_cmphex(femu_get_log(drive, NVME_LOG_SMART_INFO, 0, 0, &log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    return log;
}

void femu_assert_power(FemuDrive *drive, uint64_t cycles, uint64_t unsafe)
{
    NvmeSmartLog log = femu_smart(drive);

    g_assert_cmpuint(le64_to_cpu(log.power_cycles[0]), ==, cycles);
    g_assert_cmpuint(le64_to_cpu(log.unsafe_shutdowns[0]), ==, unsafe);
}

void femu_write_pattern(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                          unsigned seed)
{
    g_autofree uint8_t *data = femu_pattern(drive, slba, nlb, seed);

    g_assert_cmphex(femu_write(drive, slba, nlb, data), ==, NVME_SUCCESS);
}

void femu_assert_pattern(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                           unsigned seed)
{
    g_autofree uint8_t *data = femu_pattern(drive, slba, nlb, seed);

    femu_assert_data(drive, slba, nlb, data);
}
