/*
 * The Zone Random Write Area (NVMe TP 4076b) as a host sees it: Identify,
 * allocation, data, statuses, and the times of docs/model.md.
 *
 * Knows nothing of how the core keeps it (tests/unit/zns/test_zrwa.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"

#define ZRWAA (1u << 9)                 /* CDW13 of Zone Management Send */
#define ZONE 1u
#define ZRWA_PAGES 4u

enum {
    EMPTY = NVME_ZONE_STATE_EMPTY,
    IMPLICIT = NVME_ZONE_STATE_IMPLICITLY_OPEN,
    EXPLICIT = NVME_ZONE_STATE_EXPLICITLY_OPEN,
    CLOSED = NVME_ZONE_STATE_CLOSED,
    FULL = NVME_ZONE_STATE_FULL,
    OPEN = NVME_ZONE_ACTION_OPEN,
    FLUSH = NVME_ZONE_ACTION_ZRWA_FLUSH,
};

/* The small drive, whose pages have 4 blocks, with a ZRWA of 4 pages. */
static FemuConfig zrwa_config(void)
{
    FemuConfig config = femu_small_config();

    config.ssd.zrwa_bytes = ZRWA_PAGES * config.ssd.page_bytes;
    config.ssd.max_zrwa = 2;
    return config;
}

static FemuDrive *boot(void)
{
    FemuConfig config = zrwa_config();

    return femu_boot(&config, NULL);
}

static uint16_t send_with(FemuDrive *drive, uint8_t action, uint32_t flags,
                          uint64_t slba)
{
    NvmeCmd cmd = femu_cmd_zone(action, slba, false);

    cmd.cdw13 |= cpu_to_le32(flags);
    return femu_exec(&drive->io, &cmd).status;
}

static uint16_t open_zrwa(FemuDrive *drive, uint32_t zone_idx)
{
    return send_with(drive, OPEN, ZRWAA, femu_zone_lba(drive, zone_idx));
}

static uint16_t flush_zrwa(FemuDrive *drive, uint64_t last_lba)
{
    return send_with(drive, FLUSH, 0, last_lba);
}

/* A drive whose zone ZONE is open with a ZRWA; its start in *lba. */
static FemuDrive *boot_open(uint64_t *lba)
{
    FemuDrive *drive = boot();

    *lba = femu_zone_lba(drive, ZONE);
    g_assert_cmphex(open_zrwa(drive, ZONE), ==, NVME_SUCCESS);
    return drive;
}

static bool has_zrwa(FemuDrive *drive, uint32_t zone_idx)
{
    return femu_zone(drive, zone_idx).za & NVME_ZA_ZRWA_VALID;
}

static NvmeIdNsZoned identify(FemuDrive *drive)
{
    NvmeIdNsZoned id;

    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CS_NS, NVME_CSI_ZONED,
                                  FEMU_NSID, &id), ==, NVME_SUCCESS);
    return id;
}

/* Sizes are in blocks of the format; without ZRWAs all fields are 0. */
static void test_identify(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    NvmeIdNsZoned id = identify(drive);

    g_assert_cmphex(id.ozcs | id.numzrwa | id.zrwafg | id.zrwas | id.zrwacap,
                    ==, 0);
    femu_shutdown(drive);
    for (uint32_t lba_bytes = 512; lba_bytes <= 4096; lba_bytes *= 8) {
        config = zrwa_config();
        config.ssd.lba_bytes = lba_bytes;
        config.ssd.zrwa_granule_bytes = 8 * SSD_KIB;
        drive = femu_boot(&config, NULL);
        id = identify(drive);
        g_assert_cmphex(le16_to_cpu(id.ozcs), ==,
                        NVME_ID_NS_ZONED_OZCS_ZRWASUP);
        g_assert_cmpuint(le32_to_cpu(id.numzrwa), ==, 1);
        g_assert_cmpuint(le16_to_cpu(id.zrwafg), ==, 8 * SSD_KIB / lba_bytes);
        g_assert_cmpuint(le16_to_cpu(id.zrwas), ==, 64 * SSD_KIB / lba_bytes);
        g_assert_cmphex(id.zrwacap, ==,
                        NVME_ID_NS_ZONED_ZRWACAP_EXPFLUSHSUP);
        femu_shutdown(drive);
    }
}

/* The newest data win; what was never written is zeroes, committed or not. */
static void test_data(void)
{
    uint64_t lba;
    FemuDrive *drive = boot_open(&lba);
    uint32_t bytes = drive->config.ssd.lba_bytes;
    g_autofree uint8_t *old = femu_pattern(drive, lba, 48, 1);
    g_autofree uint8_t *new = femu_pattern(drive, lba, 48, 2);

    /* first fill the zone, so that the memory below is not clean */
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, lba, false),
                    ==, NVME_SUCCESS);
    g_assert_cmphex(femu_write(drive, lba, 48, old), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, lba, false),
                    ==, NVME_SUCCESS);
    g_assert_cmphex(open_zrwa(drive, ZONE), ==, NVME_SUCCESS);

    g_assert_cmphex(femu_write(drive, lba + 6, 4, old + 6 * bytes), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_write(drive, lba + 2, 1, old + 2 * bytes), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_write(drive, lba + 7, 2, new + 7 * bytes), ==,
                    NVME_SUCCESS);
    femu_assert_zone(drive, ZONE, EXPLICIT, 0);
    for (unsigned i = 0; i < 4; i++) {
        femu_assert_data(drive, lba, 2, NULL);
        femu_assert_data(drive, lba + 2, 1, old + 2 * bytes);
        femu_assert_data(drive, lba + 3, 3, NULL);
        femu_assert_data(drive, lba + 6, 1, old + 6 * bytes);
        femu_assert_data(drive, lba + 7, 2, new + 7 * bytes);
        femu_assert_data(drive, lba + 9, 1, old + 9 * bytes);
        femu_assert_data(drive, lba + 10, 20, NULL);
        switch (i) {
        case 0:         /* the first page, then the second is committed */
        case 1:
            g_assert_cmphex(flush_zrwa(drive, lba + 4 * i + 3), ==,
                            NVME_SUCCESS);
            femu_assert_zone(drive, ZONE, EXPLICIT, 4 * i + 4);
            break;
        case 2:         /* then all that there is, and more */
            g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_FINISH,
                                           lba, false), ==, NVME_SUCCESS);
            femu_assert_zone(drive, ZONE, FULL, 0);
            break;
        }
    }
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, lba, false),
                    ==, NVME_SUCCESS);
    femu_assert_data(drive, lba, 48, NULL);
    femu_shutdown(drive);
}

/*
 * What a write skips is zeroes even where the host's memory is not: a reset
 * gives back whole pages of the host, and these blocks fill none.
 */
static void test_skipped_blocks(void)
{
    FemuConfig config = zrwa_config();
    FemuDrive *drive;
    uint64_t lba;
    g_autofree uint8_t *data = NULL;

    config.ssd.lba_bytes = 512;
    drive = femu_boot(&config, NULL);
    lba = femu_zone_lba(drive, ZONE);
    data = femu_pattern(drive, lba, 7, 1);
    g_assert_cmphex(femu_write(drive, lba, 7, data), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, lba, false),
                    ==, NVME_SUCCESS);
    g_assert_cmphex(open_zrwa(drive, ZONE), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_write(drive, lba + 5, 1, data), ==, NVME_SUCCESS);
    femu_assert_data(drive, lba, 5, NULL);
    femu_assert_data(drive, lba + 5, 1, data);
    femu_assert_data(drive, lba + 6, 4, NULL);
    femu_shutdown(drive);
}

/* Write Zeroes takes part, Compare sees what Read does; an append does not. */
static void test_other_commands(void)
{
    uint64_t lba, at_lba;
    FemuDrive *drive = boot_open(&lba);
    uint32_t bytes = drive->config.ssd.lba_bytes;
    g_autofree uint8_t *data = femu_pattern(drive, 0, 8, 1);
    NvmeCmd cmd;

    g_assert_cmphex(femu_write(drive, lba, 8, data), ==, NVME_SUCCESS);
    cmd = femu_cmd_rw(drive, NVME_CMD_WRITE_ZEROES, lba + 2, 3, 0);
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
    femu_assert_data(drive, lba, 2, data);
    femu_assert_data(drive, lba + 2, 3, NULL);
    femu_assert_data(drive, lba + 5, 3, data + 5 * bytes);
    qtest_bufwrite(drive->host->qts, drive->buf, data + 5 * bytes, bytes);
    cmd = femu_cmd_rw(drive, NVME_CMD_COMPARE, lba + 5, 1, drive->buf);
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
    g_assert_cmphex(femu_append(drive, lba, 1, NULL, &at_lba), ==,
                    NVME_INVALID_ZONE_OP);
    femu_assert_zone(drive, ZONE, EXPLICIT, 0);
    femu_shutdown(drive);
}

/* Within the ZRWA a transfer; behind it, and on a flush, programs too. */
static void test_times(void)
{
    uint64_t lba, start_ns;
    FemuDrive *drive = boot_open(&lba);
    const SsdParams *p = &drive->config.ssd;
    uint32_t page_nlb = femu_page_nlb(drive);
    NvmeCmd flush = femu_cmd_zone(FLUSH, lba + page_nlb - 1, false);

    for (unsigned i = 0; i < 2; i++) {
        start_ns = drive->host->now_ns;
        femu_submit_rw(drive, NVME_CMD_WRITE, lba + 2 * page_nlb, page_nlb);
        femu_expect_at(&drive->io_cq, start_ns + p->page_transfer_ns);
    }
    /* the first page was not written, but lies before the last that was */
    start_ns = drive->host->now_ns;
    femu_submit(&drive->io, &flush);
    femu_expect_at(&drive->io_cq, start_ns + p->program_ns);
    femu_assert_zone(drive, ZONE, EXPLICIT, page_nlb);
    /* the ZRWA is pages 1 to 4: page 5 commits page 1, on the same unit */
    start_ns = drive->host->now_ns;
    femu_submit_rw(drive, NVME_CMD_WRITE, lba + 5 * page_nlb, page_nlb);
    femu_expect_at(&drive->io_cq, start_ns + p->page_transfer_ns +
                                  p->program_ns);
    femu_assert_zone(drive, ZONE, EXPLICIT, 2 * page_nlb);
    femu_shutdown(drive);
}

static void test_writes_refused(void)
{
    uint64_t lba;
    FemuDrive *drive = boot_open(&lba);

    g_assert_cmphex(flush_zrwa(drive, lba + 3), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_write(drive, lba + 3, 1, NULL), ==,
                    NVME_ZONE_INVALID_WRITE);
    g_assert_cmphex(femu_write(drive, lba + 4 + 31, 2, NULL), ==,
                    NVME_ZONE_INVALID_WRITE);
    g_assert_cmphex(femu_write(drive, lba + femu_cap_nlb(&drive->config), 1,
                               NULL), ==, NVME_ZONE_BOUNDARY_ERROR);
    femu_assert_zone(drive, ZONE, EXPLICIT, 4);
    g_assert_cmphex(femu_write(drive, lba + 4 + 31, 1, NULL), ==,
                    NVME_SUCCESS);
    femu_assert_zone(drive, ZONE, EXPLICIT, 4 + 16);
    femu_shutdown(drive);
}

static void test_flushes_refused(void)
{
    uint64_t lba;
    FemuDrive *drive = boot_open(&lba);
    NvmeCmd all = femu_cmd_zone(FLUSH, lba + 3, true);

    g_assert_cmphex(flush_zrwa(drive, lba + 2), ==, NVME_INVALID_FIELD);
    g_assert_cmphex(flush_zrwa(drive, lba + 16), ==, NVME_INVALID_ZONE_OP);
    g_assert_cmphex(flush_zrwa(drive, lba + 3), ==, NVME_SUCCESS);
    g_assert_cmphex(flush_zrwa(drive, lba + 3), ==, NVME_INVALID_ZONE_OP);
    g_assert_cmphex(flush_zrwa(drive, 3), ==, NVME_INVALID_ZONE_OP);
    g_assert_cmphex(femu_exec(&drive->io, &all).status, ==,
                    NVME_INVALID_FIELD);
    g_assert_cmphex(flush_zrwa(drive, femu_zone_lba(drive, 8)), ==,
                    NVME_LBA_RANGE);
    femu_assert_zone(drive, ZONE, EXPLICIT, 4);
    femu_shutdown(drive);
}

static void test_allocation(void)
{
    uint64_t lba;
    FemuDrive *drive = boot_open(&lba);
    NvmeCmd all = femu_cmd_zone(OPEN, 0, true);

    g_assert_true(has_zrwa(drive, ZONE));
    g_assert_false(has_zrwa(drive, 0));
    g_assert_cmphex(open_zrwa(drive, ZONE), ==, NVME_INVALID_ZONE_OP);
    g_assert_cmphex(open_zrwa(drive, 2), ==, NVME_SUCCESS);
    g_assert_cmphex(open_zrwa(drive, 3), ==, NVME_NOZRWA);
    femu_assert_zone(drive, 3, EMPTY, 0);
    all.cdw13 |= cpu_to_le32(ZRWAA);
    g_assert_cmphex(femu_exec(&drive->io, &all).status, ==,
                    NVME_INVALID_FIELD);
    /* closed, a zone keeps it */
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_CLOSE, lba, false),
                    ==, NVME_SUCCESS);
    femu_assert_zone(drive, ZONE, CLOSED, 0);
    g_assert_true(has_zrwa(drive, ZONE));
    g_assert_cmphex(flush_zrwa(drive, lba + 3), ==, NVME_SUCCESS);
    femu_assert_zone(drive, ZONE, IMPLICIT, 4);
    /* whatever ends the zone frees it */
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, lba, false),
                    ==, NVME_SUCCESS);
    g_assert_false(has_zrwa(drive, ZONE));
    g_assert_cmphex(open_zrwa(drive, 3), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_FINISH, 0, true),
                    ==, NVME_SUCCESS);
    g_assert_false(has_zrwa(drive, 3));
    g_assert_cmphex(open_zrwa(drive, 3), ==, NVME_ZONE_INVAL_TRANSITION);
    g_assert_cmphex(open_zrwa(drive, 4), ==, NVME_SUCCESS);
    g_assert_cmphex(open_zrwa(drive, 5), ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

/*
 * Set Zone Descriptor Extension allocates, too, if asked; the zone is closed
 * then.
 */
static void assert_extension(FemuDrive *drive, uint64_t lba, uint8_t byte)
{
    NvmeCmd cmd = femu_cmd_report(drive, lba, NVME_ZONE_REPORT_ALL, true,
                                  drive->buf, 4096);
    uint8_t found[64], wanted[64];

    cmd.cdw13 = cpu_to_le32(NVME_ZONE_REPORT_EXTENDED | 1 << 16);
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
    qtest_bufread(drive->host->qts, drive->buf + 128, found, sizeof(found));
    memset(wanted, byte, sizeof(wanted));
    g_assert_cmpmem(found, sizeof(found), wanted, sizeof(wanted));
}

static void test_extension(void)
{
    FemuConfig config = zrwa_config();
    FemuDrive *drive = femu_boot(&config, "zd-extension-size=64");
    uint64_t lba = femu_zone_lba(drive, ZONE);
    NvmeCmd set = femu_cmd_zone(NVME_ZONE_ACTION_SET_ZD_EXT, lba, false);

    set.cdw13 |= cpu_to_le32(ZRWAA);
    set.dptr.prp1 = cpu_to_le64(drive->buf);
    qtest_memset(drive->host->qts, drive->buf, 0x3c, 64);
    g_assert_cmphex(femu_exec(&drive->io, &set).status, ==, NVME_SUCCESS);
    assert_extension(drive, lba, 0x3c);
    femu_assert_zone(drive, ZONE, CLOSED, 0);
    g_assert_cmphex(femu_zone(drive, ZONE).za, ==,
                    NVME_ZA_ZRWA_VALID | NVME_ZA_ZD_EXT_VALID);
    g_assert_cmphex(femu_write(drive, lba + 5, 1, NULL), ==, NVME_SUCCESS);
    femu_assert_zone(drive, ZONE, IMPLICIT, 0);
    set = femu_cmd_zone(NVME_ZONE_ACTION_SET_ZD_EXT,
                        femu_zone_lba(drive, ZONE + 1), false);
    set.dptr.prp1 = cpu_to_le64(drive->buf);
    g_assert_cmphex(femu_exec(&drive->io, &set).status, ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone(drive, ZONE + 1).za, ==, NVME_ZA_ZD_EXT_VALID);
    femu_shutdown(drive);
}

/* A user sees which zones have one. */
static void test_zone_states(void)
{
    uint64_t lba;
    FemuDrive *drive = boot_open(&lba);
    QDict *reply = qtest_qmp(drive->host->qts, "{'execute': 'qom-get', "
                             "'arguments': {'path': "
                             "'/machine/peripheral/zns4', 'property': "
                             "'zone-states'}}");
    const char *text = qdict_get_str(reply, "return");
    g_autofree char *wanted = g_strdup_printf("\"wp_lba\":%" PRIu64
                                              ",\"zrwa\":true}", lba);
    const char *at = strstr(text, "zrwa");

    g_assert_nonnull(strstr(text, wanted));
    g_assert_nonnull(at);
    g_assert_null(strstr(at + 1, "zrwa"));
    qobject_unref(reply);
    femu_shutdown(drive);
}

/* Bad blocks fail wherever a zone takes writes, and nowhere else. */
static void test_bad_blocks(void)
{
    uint64_t lba;
    FemuDrive *drive = boot_open(&lba);
    g_autofree char *bad = g_strdup_printf("%" PRIu64 " 100", lba + 10);
    QDict *reply = qtest_qmp(drive->host->qts, "{'execute': 'qom-set', "
                             "'arguments': {'path': "
                             "'/machine/peripheral/zns4', 'property': "
                             "'inject-write-error', 'value': %s}}", bad);

    g_assert_true(qdict_haskey(reply, "return"));
    qobject_unref(reply);
    g_assert_cmphex(femu_write(drive, lba + 9, 1, NULL), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_write(drive, lba + 9, 2, NULL), ==,
                    NVME_WRITE_FAULT);
    g_assert_cmphex(femu_write(drive, lba + 31, 1, NULL), ==,
                    NVME_WRITE_FAULT);
    g_assert_cmphex(femu_write(drive, lba + 32, 1, NULL), ==,
                    NVME_ZONE_INVALID_WRITE);
    femu_assert_zone(drive, ZONE, EXPLICIT, 0);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/zrwa/identify", test_identify);
    qtest_add_func("femu-zns/zrwa/data", test_data);
    qtest_add_func("femu-zns/zrwa/skipped-blocks", test_skipped_blocks);
    qtest_add_func("femu-zns/zrwa/other-commands", test_other_commands);
    qtest_add_func("femu-zns/zrwa/times", test_times);
    qtest_add_func("femu-zns/zrwa/writes-refused", test_writes_refused);
    qtest_add_func("femu-zns/zrwa/flushes-refused", test_flushes_refused);
    qtest_add_func("femu-zns/zrwa/allocation", test_allocation);
    qtest_add_func("femu-zns/zrwa/extension", test_extension);
    qtest_add_func("femu-zns/zrwa/bad-blocks", test_bad_blocks);
    qtest_add_func("femu-zns/zrwa/zone-states", test_zone_states);
    return g_test_run();
}
