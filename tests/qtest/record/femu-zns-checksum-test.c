/*
 * The checksums of a state's files: they go on with each QEMU that goes on with
 * the state, and know nothing of data that are dropped.
 *
 * Knows of the file 'sums' that its first page is its head, and that a word for
 * each page of data follows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"
#include "femu-zns-folder.h"

#define PAGE_BYTES 4096u

/* Another digit in the history's last line. */
static void damage(const char *folder)
{
    g_autofree char *path = femu_folder_file(folder, "history");
    g_autofree char *bytes = NULL;
    gsize count;

    g_assert_true(g_file_get_contents(path, &bytes, &count, NULL));
    g_assert_true(g_ascii_isdigit(bytes[count - 2]));
    bytes[count - 2] ^= 1;
    g_assert_true(g_file_set_contents(path, bytes, count, NULL));
}

/* What the second QEMU has recorded before it was killed is protected, too. */
static void test_goes_on(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new(), *killed;
    FemuDrive *drive = femu_folder_boot(&config, folder);

    femu_write_pattern(drive, 0, 4, 1);
    femu_shutdown(drive);
    drive = femu_folder_boot(&config, folder);
    femu_write_pattern(drive, 4, 4, 2);
    killed = femu_folder_copy(folder);
    femu_shutdown(drive);
    femu_folder_delete(folder);

    drive = femu_folder_boot(&config, killed);
    femu_assert_pattern(drive, 4, 4, 2);
    femu_write_pattern(drive, 8, 4, 3);
    folder = femu_folder_copy(killed);
    femu_shutdown(drive);
    femu_folder_delete(killed);

    damage(folder);
    femu_folder_refused(&config, folder, "",
                        "of the file 'history' have the checksum");
    femu_folder_delete(folder);
}

/* How many pages of a zone have a word. */
static unsigned known(const FemuConfig *config, const char *folder,
                      uint32_t zone_idx)
{
    g_autofree char *path = femu_folder_file(folder, "sums");
    uint64_t pages = config->ssd.zone_capacity_bytes / PAGE_BYTES;
    g_autofree uint64_t *words = NULL;
    unsigned count = 0;
    gsize bytes;

    g_assert_true(g_file_get_contents(path, (char **)&words, &bytes, NULL));
    g_assert_cmpuint(bytes, ==,
                     PAGE_BYTES + config->ssd.zones * pages * sizeof(*words));
    for (uint64_t i = 0; i < pages; i++) {
        count += words[PAGE_BYTES / sizeof(*words) + zone_idx * pages + i] != 0;
    }
    return count;
}

/*
 * Of zones as large as this the words of the pages are pages themselves, and of
 * the second zone they begin in the midst of one.
 */
static void test_dropped(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    uint64_t pages;
    FemuDrive *drive;

    config.ssd.zone_size_bytes = 8 * SSD_MIB;
    config.ssd.zone_capacity_bytes = 5 * SSD_MIB;
    pages = config.ssd.zone_capacity_bytes / PAGE_BYTES;
    drive = femu_folder_boot(&config, folder);
    for (uint32_t i = 0; i < 4; i++) {
        femu_fill(drive, i, i < 3 ? femu_cap_nlb(&config) : 3);
        g_assert_cmpuint(known(&config, folder, i), ==, i < 3 ? pages : 3);
    }
    for (uint32_t i = 1; i < 4; i += 2) {
        g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET,
                                       femu_zone_lba(drive, i), false), ==,
                        NVME_SUCCESS);
        g_assert_cmpuint(known(&config, folder, i), ==, 0);
    }
    g_assert_cmpuint(known(&config, folder, 0), ==, pages);
    g_assert_cmpuint(known(&config, folder, 2), ==, pages);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/checksum/goes-on", test_goes_on);
    qtest_add_func("femu-zns/checksum/dropped", test_dropped);
    return g_test_run();
}
