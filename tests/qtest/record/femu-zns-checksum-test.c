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
#define KEPT_MAGIC_BYTES 24       /* and its size */
#define KEPT_SMART (56 + 64 * 64)

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

/* Another byte in the file 'kept'. */
static void change_kept(const char *folder, off_t at)
{
    g_autofree char *path = femu_folder_file(folder, "kept");
    int fd = open(path, O_RDWR | O_CLOEXEC);
    uint8_t byte;

    g_assert_cmpint(pread(fd, &byte, 1, at), ==, 1);
    byte ^= 1;
    g_assert_cmpint(pwrite(fd, &byte, 1, at), ==, 1);
    close(fd);
}

/*
 * What is kept has a checksum from an end to the next beginning. Its magic and
 * its size are known without one.
 */
static void test_kept(void)
{
    static const off_t places[] = { KEPT_MAGIC_BYTES, KEPT_SMART + 7 };
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new(), *killed;
    FemuDrive *drive = femu_folder_boot(&config, folder);

    femu_write_pattern(drive, 0, 4, 1);
    killed = femu_folder_copy(folder);
    femu_shutdown(drive);
    for (unsigned i = 0; i < ARRAY_SIZE(places); i++) {
        change_kept(folder, places[i]);
        femu_folder_refused(&config, folder, "",
                            "the file 'kept' has the checksum");
        change_kept(folder, places[i]);
    }
    femu_shutdown(femu_folder_boot(&config, folder));
    femu_folder_delete(folder);

    for (off_t at = 0; at < KEPT_MAGIC_BYTES; at++) {
        change_kept(killed, at);
        femu_folder_refused(&config, killed, "", "its file 'kept' does not "
                            "begin with 'femu-zns kept 2' and its size");
        change_kept(killed, at);
    }
    femu_shutdown(femu_folder_boot(&config, killed));
    femu_folder_delete(killed);
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

static uint32_t crc32c(const uint8_t *bytes, size_t count)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
        }
    }
    return ~crc;
}

/* A page has the sums of what it was and of what it is. */
static void assert_word(const char *folder, uint64_t page, const uint8_t *was,
                        const uint8_t *is)
{
    g_autofree char *path = femu_folder_file(folder, "sums");
    g_autofree char *bytes = NULL;
    gsize count;

    g_assert_true(g_file_get_contents(path, &bytes, &count, NULL));
    g_assert_cmphex(ldq_he_p(bytes + PAGE_BYTES + page * sizeof(uint64_t)), ==,
                    (uint64_t)crc32c(was, PAGE_BYTES) << 32 |
                    crc32c(is, PAGE_BYTES));
}

/* Pages written in part, as a whole, across their ends, and anew. */
static void test_words(void)
{
    static const unsigned ends[] = { 1, 9, 16, 24 };    /* of writes */
    static const uint8_t none[PAGE_BYTES];
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    g_autofree uint8_t *was = g_malloc0(3 * PAGE_BYTES);
    g_autofree uint8_t *data = NULL;
    unsigned from = 0;
    FemuDrive *drive;

    config.ssd.lba_bytes = 512;
    drive = femu_folder_boot(&config, folder);
    data = femu_pattern(drive, 0, 24, 1);
    for (unsigned i = 0; i < ARRAY_SIZE(ends); i++) {
        g_autofree uint8_t *is = g_memdup2(was, 3 * PAGE_BYTES);

        memcpy(is + from * 512, data + from * 512, (ends[i] - from) * 512);
        femu_write_pattern(drive, from, ends[i] - from, 1);
        for (unsigned page = from / 8; page < DIV_ROUND_UP(ends[i], 8);
             page++) {
            assert_word(folder, page, was + page * PAGE_BYTES,
                        is + page * PAGE_BYTES);
        }
        memcpy(was, is, 3 * PAGE_BYTES);
        from = ends[i];
    }
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0, false),
                    ==, NVME_SUCCESS);
    femu_write_pattern(drive, 0, 8, 1);
    assert_word(folder, 0, none, data);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* A whole page that is written anew, where that is possible. */
static void test_overwritten(void)
{
    static const uint8_t none[PAGE_BYTES];
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    g_autofree uint8_t *one = NULL, *two = NULL;
    uint64_t page;
    FemuDrive *drive;

    config.ssd.conventional_bytes = SSD_MIB;
    page = config.ssd.zones * config.ssd.zone_capacity_bytes / PAGE_BYTES;
    drive = femu_folder_boot(&config, folder);
    drive->nsid = 2;
    one = femu_pattern(drive, 0, 1, 1);
    two = femu_pattern(drive, 0, 1, 2);
    femu_write_pattern(drive, 0, 1, 1);
    assert_word(folder, page, none, one);
    femu_write_pattern(drive, 0, 1, 2);
    assert_word(folder, page, one, two);
    femu_shutdown(drive);
    femu_folder_delete(folder);
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

/* --- Put aside by a reset that is inside ---------------------------------- */

#define WRITTEN 8u

static void qom_set(FemuDrive *drive, const char *property, const char *value)
{
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
                             " 'arguments': {'path':"
                             " '/machine/peripheral/zns4', 'property': %s,"
                             " 'value': %s}}", property, value);
}

/* Zones with data, each of which is being reset: the pages are there yet. */
static FemuDrive *boot_resetting(const FemuConfig *config, const char *folder,
                                 uint32_t zones)
{
    FemuDrive *drive = femu_folder_boot(config, folder);

    for (uint32_t i = 0; i < zones; i++) {
        femu_write_pattern(drive, femu_zone_lba(drive, i), WRITTEN, 1);
    }
    for (uint32_t i = 0; i < zones; i++) {
        femu_submit_zone(drive, NVME_ZONE_ACTION_RESET,
                         femu_zone_lba(drive, i), false);
        g_assert_cmpuint(known(config, folder, i), ==, WRITTEN);
    }
    return drive;
}

/*
 * What a reset has put aside for the case of a power cut goes back as soon as
 * a cut cannot bring it back: with the next command of the zone that is
 * accepted, with the zone, and with the end of its own reset alone.
 */
static void test_put_aside(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive;

    config.ssd.max_open = config.ssd.max_active = 0;
    drive = boot_resetting(&config, folder, 5);
    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, false);
    g_assert_cmpuint(known(&config, folder, 0), ==, 0);
    femu_submit_zone(drive, NVME_ZONE_ACTION_OPEN, femu_zone_lba(drive, 1),
                     false);
    g_assert_cmpuint(known(&config, folder, 1), ==, 0);
    femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 2), 3);
    g_assert_cmpuint(known(&config, folder, 2), ==, 3);
    qom_set(drive, "zone-fail", "3 offline");
    g_assert_cmpuint(known(&config, folder, 3), ==, 0);
    /* the others' when the last reset is done */
    g_assert_cmpuint(known(&config, folder, 4), ==, WRITTEN);
    femu_step(drive->host, UINT64_C(1000000000));
    g_assert_cmpuint(known(&config, folder, 2), ==, 3);
    g_assert_cmpuint(known(&config, folder, 4), ==, 0);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* A reset of all zones gives back what it has put aside, and so does a format. */
static void test_all(void)
{
    static const uint32_t zones[] = { 0, 3, 4 };
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive = femu_folder_boot(&config, folder);

    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < ARRAY_SIZE(zones); i++) {
            femu_write_pattern(drive, femu_zone_lba(drive, zones[i]), WRITTEN,
                               1);
        }
        if (round == 0) {
            femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, true);
            g_assert_cmpuint(known(&config, folder, 3), ==, WRITTEN);
            femu_step(drive->host, UINT64_C(1000000000));
            femu_expect_now(&drive->io_cq);
        } else {
            g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_FORMAT_NVM,
                                       FEMU_NSID, 1, 0, 0).status, ==,
                            NVME_SUCCESS);
        }
        for (unsigned i = 0; i < ARRAY_SIZE(zones); i++) {
            g_assert_cmpuint(known(&config, folder, zones[i]), ==, 0);
        }
    }
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* The number of the next command that is done. */
static uint16_t next_done(FemuDrive *drive)
{
    FemuCqe cqe;

    while (!femu_take(&drive->io_cq, &cqe)) {
        femu_step_next(drive->host);
    }
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    return cqe.cid;
}

/* Of two resets of a zone the end of the first drops nothing of the second. */
static void test_two_resets(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive;
    uint16_t first, second;

    config.ssd.fe_reset_ns = 5000000;       /* one after another */
    drive = boot_resetting(&config, folder, 1);
    first = drive->io.next_cid - 1;
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, 2);
    second = femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, false);
    while (next_done(drive) != first) {
        g_assert_cmpuint(known(&config, folder, 0), ==, 2);
    }
    do {
        g_assert_cmpuint(known(&config, folder, 0), ==, 2);
    } while (next_done(drive) != second);
    g_assert_cmpuint(known(&config, folder, 0), ==, 0);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* A cut brings data back, or takes them: then the pages are there, or not. */
static void test_cut(void)
{
    unsigned back = 0;

    for (unsigned seed = 1; seed < 5; seed++) {
        FemuConfig config = femu_small_config();
        g_autofree char *value = g_strdup_printf("%u", seed);
        char *folder = femu_folder_new();
        FemuDrive *drive;

        config.ssd.fe_reset_ns = 5000000;
        drive = boot_resetting(&config, folder, 2);
        qom_set(drive, "power-cut", value);
        femu_step(drive->host, UINT64_C(1000000000));
        femu_enable(drive);
        femu_io_queues_create(drive);
        for (uint32_t i = 0; i < 2; i++) {
            bool empty = femu_zone(drive, i).zs >> 4 == NVME_ZONE_STATE_EMPTY;

            g_assert_cmpuint(known(&config, folder, i), ==,
                             empty ? 0 : WRITTEN);
            back += !empty;
        }
        femu_shutdown(drive);
        femu_folder_delete(folder);
    }
    g_assert_cmpuint(back, >, 0);
    g_assert_cmpuint(back, <, 8);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/checksum/goes-on", test_goes_on);
    qtest_add_func("femu-zns/checksum/kept", test_kept);
    qtest_add_func("femu-zns/checksum/dropped", test_dropped);
    qtest_add_func("femu-zns/checksum/words", test_words);
    qtest_add_func("femu-zns/checksum/overwritten", test_overwritten);
    qtest_add_func("femu-zns/checksum/put-aside", test_put_aside);
    qtest_add_func("femu-zns/checksum/all", test_all);
    qtest_add_func("femu-zns/checksum/two-resets", test_two_resets);
    qtest_add_func("femu-zns/checksum/cut", test_cut);
    return g_test_run();
}
