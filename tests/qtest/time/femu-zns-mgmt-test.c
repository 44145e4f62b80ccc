/*
 * How long finish and reset take, of one zone and of all, and the long times
 * that they make: from the doorbell to the completion, in exact nanoseconds.
 *
 * Knows nothing of which zone states allow them (femu-zns-zone-test.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"

static uint64_t zone_pages(const SsdParams *p)
{
    return p->zone_capacity_bytes / p->page_bytes;
}

/* Assert that management of a zone, or of all, succeeds after `ns`. */
static void expect_mgmt(FemuDrive *drive, uint8_t action, uint64_t slba,
                        bool all, uint64_t ns)
{
    uint64_t start_ns = drive->host->now_ns;
    uint16_t cid = femu_submit_zone(drive, action, slba, all);

    femu_expect_ok(&drive->io_cq, start_ns + ns, 1, cid);
}

/* Programs of a chunk follow each other on every channel that it uses. */
static uint64_t chunk_ns(const SsdParams *p, uint64_t pages)
{
    uint64_t rows = DIV_ROUND_UP(pages, p->channels);
    uint64_t end_ns = 0;

    for (uint64_t i = 0; i < rows; i++) {
        end_ns = MAX((i + 1) * p->page_transfer_ns, end_ns) + p->program_ns;
    }
    return end_ns;
}

/* The fill of a zone of which exactly `written` pages are written. */
static uint64_t finish_ns(const SsdParams *p, uint64_t written)
{
    uint64_t chunk = MAX(p->finish_chunk_bytes / p->page_bytes, 1);
    uint64_t ns = 0;

    for (uint64_t page = written; page < zone_pages(p); page += chunk) {
        ns += chunk_ns(p, MIN(chunk, zone_pages(p) - page));
    }
    return ns;
}

/* Erases of the unit that holds page 0, the one with the most rows. */
static uint64_t reset_ns(const SsdParams *p, uint64_t pages)
{
    uint64_t rows = DIV_ROUND_UP(pages, p->channels);

    return DIV_ROUND_UP(rows, p->pages_per_block) * p->erase_ns;
}

/* Finish costs what is left to fill; one page is written at a time. */
static void test_finish(void)
{
    static const unsigned written[] = { 0, 1, 24, 47, 48 };
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive = femu_boot(&config, NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(written); i++) {
        femu_fill(drive, i, written[i] * femu_page_nlb(drive));
        g_assert_cmpuint(finish_ns(p, written[i]), ==,
                         (zone_pages(p) - written[i]) *
                         (p->page_transfer_ns + p->program_ns));
        expect_mgmt(drive, NVME_ZONE_ACTION_FINISH, femu_zone_lba(drive, i),
                    false, finish_ns(p, written[i]));
    }
    femu_shutdown(drive);
}

static void test_finish_chunk(gconstpointer data)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive;

    config.ssd.finish_chunk_bytes = GPOINTER_TO_SIZE(data) * p->page_bytes;
    drive = femu_boot(&config, NULL);
    for (unsigned i = 0; i < 3; i++) {
        femu_fill(drive, i, 7 * i * femu_page_nlb(drive));
        expect_mgmt(drive, NVME_ZONE_ACTION_FINISH, femu_zone_lba(drive, i),
                    false, finish_ns(p, 7 * i));
    }
    femu_shutdown(drive);
}

/* Of the started page only the missing bytes go over the channel. */
static void test_finish_started_page(void)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    uint64_t missing_ns = p->page_transfer_ns -
                          p->lba_bytes * p->page_transfer_ns / p->page_bytes;
    FemuDrive *drive = femu_boot(&config, NULL);

    femu_fill(drive, 0, femu_page_nlb(drive) + 1);
    expect_mgmt(drive, NVME_ZONE_ACTION_FINISH, 0, false,
                missing_ns + p->program_ns + finish_ns(p, 2));
    femu_shutdown(drive);
}

/* Reset costs what was written: every block that a page was programmed in. */
static void test_reset(void)
{
    static const unsigned written[] = { 0, 1, 4, 16, 17, 32, 33, 48 };
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive = femu_boot(&config, NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(written); i++) {
        femu_fill(drive, 0, written[i] * femu_page_nlb(drive));
        expect_mgmt(drive, NVME_ZONE_ACTION_RESET, 0, false,
                    reset_ns(p, written[i]));
    }
    /* a started page was never programmed */
    femu_fill(drive, 0, 1);
    expect_mgmt(drive, NVME_ZONE_ACTION_RESET, 0, false, 0);
    femu_fill(drive, 0, 16 * femu_page_nlb(drive) + 1);
    expect_mgmt(drive, NVME_ZONE_ACTION_RESET, 0, false, reset_ns(p, 16));
    femu_shutdown(drive);
}

/*
 * Peers: "sub-page writes overrun a block". A zone written block by block has
 * programmed each page once, and has as many blocks to erase as any full zone.
 */
static void test_reset_small_writes(void)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive = femu_boot(&config, NULL);
    QDict *stats;

    for (uint64_t lba = 0; lba < femu_cap_nlb(&config); lba++) {
        g_assert_cmphex(femu_write(drive, lba, 1, NULL), ==, NVME_SUCCESS);
    }
    stats = femu_stats(drive);
    g_assert_cmpuint(femu_stat(stats, "flash/programs"), ==, zone_pages(p));
    qobject_unref(stats);
    expect_mgmt(drive, NVME_ZONE_ACTION_RESET, 0, false, reset_ns(p, 48));
    femu_shutdown(drive);
}

/* The fill of a finish is erased too. */
static void test_reset_finished(void)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive = femu_boot(&config, NULL);

    femu_fill(drive, 0, femu_page_nlb(drive));
    expect_mgmt(drive, NVME_ZONE_ACTION_FINISH, 0, false, finish_ns(p, 1));
    expect_mgmt(drive, NVME_ZONE_ACTION_RESET, 0, false, reset_ns(p, 48));
    femu_shutdown(drive);
}

/* A reset waits for the finish of the same zone that is still at work. */
static void test_reset_behind_finish(void)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive = femu_boot(&config, NULL);
    uint64_t start_ns;
    uint16_t cid;

    femu_fill(drive, 0, 40 * femu_page_nlb(drive));
    start_ns = drive->host->now_ns;
    cid = femu_submit_zone(drive, NVME_ZONE_ACTION_FINISH, 0, false);
    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, false);
    femu_expect_ok(&drive->io_cq, start_ns + finish_ns(p, 40), 1, cid);
    femu_expect_ok(&drive->io_cq,
                   start_ns + finish_ns(p, 40) + reset_ns(p, 48), 1, cid + 1);
    femu_shutdown(drive);
}

/* A write to a zone whose reset is still at work: its program comes after. */
static void test_write_behind_reset(void)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive = femu_boot(&config, NULL);
    uint32_t page_nlb = femu_page_nlb(drive);
    uint64_t start_ns;
    uint16_t cid;

    femu_fill(drive, 0, page_nlb);
    start_ns = drive->host->now_ns;
    cid = femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, false);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, page_nlb);
    femu_expect_ok(&drive->io_cq, start_ns + p->erase_ns, 1, cid);
    femu_expect_ok(&drive->io_cq, start_ns + p->erase_ns + p->program_ns, 1,
                   cid + 1);
    femu_shutdown(drive);
}

/* Writes of another zone and a finish share channel and unit. */
static void test_write_beside_finish(void)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive = femu_boot(&config, NULL);
    uint32_t page_nlb = femu_page_nlb(drive);
    uint64_t start_ns, page_ns = p->page_transfer_ns + p->program_ns;
    uint16_t cid;

    femu_fill(drive, 0, 44 * page_nlb);
    start_ns = drive->host->now_ns;
    cid = femu_submit_zone(drive, NVME_ZONE_ACTION_FINISH, 0, false);
    femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 1), page_nlb);
    /* page 44 of zone 0 and page 0 of zone 1 lie on unit 0 */
    femu_expect_ok(&drive->io_cq, start_ns + page_ns + p->program_ns, 1,
                   cid + 1);
    femu_expect_ok(&drive->io_cq, start_ns + 4 * page_ns, 1, cid);
    femu_shutdown(drive);
}

/* Zones 0 to 2 on two groups of channels (0 and 2 share one), `pages` each. */
static FemuDrive *boot_groups(FemuConfig *config, uint32_t parallel,
                              unsigned pages)
{
    FemuDrive *drive;

    config->ssd.channels = 2;
    config->ssd.zone_channels = 1;
    config->ssd.mgmt_parallel_zones = parallel;
    drive = femu_boot(config, NULL);
    for (unsigned i = 0; i < 3; i++) {
        femu_fill(drive, i, pages * femu_page_nlb(drive));
    }
    return drive;
}

/*
 * Peers: "reset-all times only zone 0". Select All works on
 * mgmt-parallel-zones at a time; the next starts when one ends.
 */
static void test_reset_all(gconstpointer data)
{
    uint32_t parallel = GPOINTER_TO_SIZE(data);
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive = boot_groups(&config, parallel, 5);
    uint64_t zone_ns = 2 * p->erase_ns;             /* 5 rows: 2 blocks */

    expect_mgmt(drive, NVME_ZONE_ACTION_RESET, 0, true,
                (parallel == 1 ? 3 : 2) * zone_ns);
    expect_mgmt(drive, NVME_ZONE_ACTION_RESET, 0, true, 0);
    femu_shutdown(drive);
}

/* Peers: "finish-all sums the queue twice". */
static void test_finish_all(gconstpointer data)
{
    uint32_t parallel = GPOINTER_TO_SIZE(data);
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive = boot_groups(&config, parallel, 46);
    uint64_t zone_ns = 2 * (p->page_transfer_ns + p->program_ns);

    expect_mgmt(drive, NVME_ZONE_ACTION_FINISH, 0, true,
                (parallel == 1 ? 3 : 2) * zone_ns);
    expect_mgmt(drive, NVME_ZONE_ACTION_FINISH, 0, true, 0);
    femu_shutdown(drive);
}

/* All three at once: zones 0 and 2 take turns on their channel. */
static void test_finish_all_three(void)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive = boot_groups(&config, 3, 46);

    expect_mgmt(drive, NVME_ZONE_ACTION_FINISH, 0, true,
                p->page_transfer_ns + 4 * p->program_ns);
    femu_shutdown(drive);
}

/* The reference drive: all but one page of a zone are filled, in 49 s. */
static void test_finish_49_s(void)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive;
    uint64_t ns;

    config.ssd.zones = 48;
    config.ssd.zone_size_bytes = 2 * SSD_GIB;
    config.ssd.zone_capacity_bytes = 1056 * SSD_MIB;
    config.ssd.pages_per_block = 768;
    drive = femu_boot(&config, NULL);
    femu_fill(drive, 0, femu_page_nlb(drive));
    ns = (zone_pages(p) - 1) * (p->page_transfer_ns + p->program_ns);
    g_assert_cmpuint(ns, ==, UINT64_C(48997675000));
    expect_mgmt(drive, NVME_ZONE_ACTION_FINISH, 0, false, ns);
    expect_mgmt(drive, NVME_ZONE_ACTION_RESET, 0, false, 22 * p->erase_ns);
    femu_shutdown(drive);
}

/* Peers: "latency in int overflows at 2.1 s"; here 4.8 s and 3 s. */
static void test_latency_above_2_s(void)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive;
    uint64_t start_ns;
    uint16_t cid;

    config.ssd.channels = 1;
    config.ssd.program_ns = 600000000;
    config.ssd.erase_ns = 1000000000;
    drive = femu_boot(&config, NULL);
    start_ns = drive->host->now_ns;
    cid = femu_submit_rw(drive, NVME_CMD_WRITE, 0, 8 * femu_page_nlb(drive));
    femu_expect_ok(&drive->io_cq,
                   start_ns + p->page_transfer_ns + 8 * p->program_ns, 1, cid);
    femu_submit_rw(drive, NVME_CMD_WRITE, 8 * femu_page_nlb(drive),
                   femu_page_nlb(drive));
    femu_expect_at(&drive->io_cq, drive->host->now_ns + p->page_transfer_ns +
                   p->program_ns);
    expect_mgmt(drive, NVME_ZONE_ACTION_RESET, 0, false, 3 * p->erase_ns);
    femu_shutdown(drive);
}

static void add_counts(const char *path, GTestDataFunc test,
                       const unsigned *counts, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        g_autofree char *name = g_strdup_printf("femu-zns/%s/%u", path,
                                                counts[i]);

        qtest_add_data_func(name, GSIZE_TO_POINTER(counts[i]), test);
    }
}

int main(int argc, char **argv)
{
    static const unsigned chunk_pages[] = { 1, 4, 5, 8, 48, 64 };
    static const unsigned parallel[] = { 1, 2 };

    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/mgmt/finish", test_finish);
    add_counts("mgmt/finish-chunk", test_finish_chunk, chunk_pages,
               ARRAY_SIZE(chunk_pages));
    qtest_add_func("femu-zns/mgmt/finish-started-page",
                   test_finish_started_page);
    qtest_add_func("femu-zns/mgmt/reset", test_reset);
    qtest_add_func("femu-zns/peers/sub-page-writes-overrun-a-block",
                   test_reset_small_writes);
    qtest_add_func("femu-zns/mgmt/reset-finished", test_reset_finished);
    qtest_add_func("femu-zns/mgmt/reset-behind-finish",
                   test_reset_behind_finish);
    qtest_add_func("femu-zns/mgmt/write-behind-reset",
                   test_write_behind_reset);
    qtest_add_func("femu-zns/mgmt/write-beside-finish",
                   test_write_beside_finish);
    add_counts("peers/reset-all-times-zone-0", test_reset_all, parallel,
               ARRAY_SIZE(parallel));
    add_counts("peers/finish-all-sums-twice", test_finish_all, parallel,
               ARRAY_SIZE(parallel));
    qtest_add_func("femu-zns/peers/finish-all-sums-twice/3", test_finish_all_three);
    qtest_add_func("femu-zns/mgmt/finish-49-s", test_finish_49_s);
    qtest_add_func("femu-zns/peers/latency-in-int", test_latency_above_2_s);
    return g_test_run();
}
