/*
 * Data: what is written is read back, whatever the host's buffers look like;
 * what is not written reads as zeroes; nothing appears where it should not.
 *
 * Knows nothing of time, or of commands that fail (femu-zns-error-test.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/units.h"
#include "femu-zns-commands.h"

/* Execute; assert success. */
static void exec_ok(FemuDrive *drive, const NvmeCmd *cmd)
{
    g_assert_cmphex(femu_exec(&drive->io, cmd).status, ==, NVME_SUCCESS);
}

static void write_ok(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                     const void *data)
{
    g_assert_cmphex(femu_write(drive, slba, nlb, data), ==, NVME_SUCCESS);
}

static void send_ok(FemuDrive *drive, uint8_t action, uint64_t slba)
{
    g_assert_cmphex(femu_zone_send(drive, action, slba, false), ==,
                    NVME_SUCCESS);
}

/*
 * Write `nlb` blocks at `lba` from guest memory at `from`, read them back to
 * `to`; the bytes around the read buffer stay as they are.
 */
static void check_round_trip(FemuDrive *drive, uint64_t lba, uint32_t nlb,
                             uint64_t from, uint64_t to)
{
    QTestState *qts = drive->host->qts;
    size_t bytes = (size_t)nlb * drive->config.ssd.lba_bytes, margin = 64;
    g_autofree uint8_t *data = femu_pattern(drive, lba, nlb, 1);
    g_autofree uint8_t *found = g_malloc(bytes + 2 * margin);
    NvmeCmd write, read;

    qtest_bufwrite(qts, from, data, bytes);
    qtest_memset(qts, to - margin, 0xa5, bytes + 2 * margin);
    write = femu_cmd_rw(drive, NVME_CMD_WRITE, lba, nlb, from);
    read = femu_cmd_rw(drive, NVME_CMD_READ, lba, nlb, to);
    exec_ok(drive, &write);
    exec_ok(drive, &read);
    qtest_bufread(qts, to - margin, found, bytes + 2 * margin);
    g_assert_true(memcmp(found + margin, data, bytes) == 0);
    for (size_t i = 0; i < margin; i++) {
        g_assert_cmphex(found[i], ==, 0xa5);
        g_assert_cmphex(found[margin + bytes + i], ==, 0xa5);
    }
}

/* NVMe base 2.0, 4.1.1: PRP1 with an offset; PRP2 as entry, or as a list. */
static void test_prp_offsets(void)
{
    static const unsigned offsets[] = { 0, 4, 512, 2048, 4092 };
    static const unsigned lengths[] = { 1, 2, 3, 16, 17 };
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    uint64_t to, lba = 0;

    config.ssd.zone_capacity_bytes = SSD_MIB;
    drive = femu_boot(&config, NULL);
    to = femu_alloc(drive->host, 128 * KiB) + FEMU_PAGE_BYTES;
    for (unsigned i = 0; i < ARRAY_SIZE(offsets); i++) {
        for (unsigned j = 0; j < ARRAY_SIZE(lengths); j++) {
            check_round_trip(drive, lba, lengths[j], drive->buf + offsets[i],
                             to + offsets[ARRAY_SIZE(offsets) - 1 - i]);
            lba += lengths[j];
        }
    }
    femu_shutdown(drive);
}

/* PRP2 is nothing for data that end where PRP1's page does. */
static void test_prp2_unused(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, 1, drive->buf);

    cmd.dptr.prp2 = cpu_to_le64(1);
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

/* A list has its place; what is behind its last entry is not looked at. */
static void test_prp_list_ends(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint64_t list = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_READ, 0, 3, drive->buf);

    for (unsigned offset = 1; offset <= 8; offset *= 2) {
        for (unsigned i = 0; i < 2; i++) {
            qtest_writeq(drive->host->qts, list + offset + 8 * i,
                         drive->buf + (i + 1) * FEMU_PAGE_BYTES);
        }
        qtest_writeq(drive->host->qts, list + offset + 16, 1);
        cmd.dptr.prp2 = cpu_to_le64(list + offset);
        g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                        offset < 8 ? NVME_INVALID_PRP_OFFSET : NVME_SUCCESS);
    }
    femu_shutdown(drive);
}

/* 1024 pages: the PRP list itself needs three pages. */
static void test_prp_list_chained(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    uint64_t from, to;

    config.ssd.zone_size_bytes = 16 * SSD_MIB;
    config.ssd.zone_capacity_bytes = 12 * SSD_MIB;
    config.ssd.mdts_bytes = 4 * SSD_MIB;
    drive = femu_boot(&config, NULL);
    from = femu_alloc(drive->host, 5 * SSD_MIB);
    to = femu_alloc(drive->host, 5 * SSD_MIB) + FEMU_PAGE_BYTES;
    check_round_trip(drive, 0, 1024, from, to);
    check_round_trip(drive, 1024, 1024, from + 4, to + 2048);
    check_round_trip(drive, 2048, 513, from, to + 4092);
    femu_shutdown(drive);
}

/*
 * A list that starts in the last slots of its page, and whose buffers lie in
 * guest memory in reverse order.
 */
static void test_prp_list_at_page_end(gconstpointer data)
{
    unsigned slots = GPOINTER_TO_SIZE(data), nlb = 9;
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    QTestState *qts = drive->host->qts;
    uint64_t list = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    uint64_t next = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    uint64_t at = list + FEMU_PAGE_BYTES - 8 * slots;
    g_autofree uint8_t *pattern = femu_pattern(drive, 0, nlb, 2);
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, 1, 0);

    cmd.cdw12 = cpu_to_le32(nlb - 1);
    cmd.dptr.prp2 = cpu_to_le64(at);
    for (unsigned i = 0; i < nlb; i++) {
        uint64_t page = drive->buf + (nlb - 1 - i) * FEMU_PAGE_BYTES;

        qtest_bufwrite(qts, page, pattern + i * FEMU_PAGE_BYTES,
                       FEMU_PAGE_BYTES);
        if (i == 0) {
            cmd.dptr.prp1 = cpu_to_le64(page);
            continue;
        }
        if (at == list + FEMU_PAGE_BYTES - 8 && i < nlb - 1) {
            qtest_writeq(qts, at, next);
            at = next;
        }
        qtest_writeq(qts, at, page);
        at += 8;
    }
    exec_ok(drive, &cmd);
    femu_assert_data(drive, 0, nlb, pattern);
    cmd.opcode = NVME_CMD_READ;
    qtest_memset(qts, drive->buf, 0, nlb * FEMU_PAGE_BYTES);
    exec_ok(drive, &cmd);
    for (unsigned i = 0; i < nlb; i++) {
        uint8_t page[FEMU_PAGE_BYTES];

        qtest_bufread(qts, drive->buf + (nlb - 1 - i) * FEMU_PAGE_BYTES, page,
                      sizeof(page));
        g_assert_true(memcmp(page, pattern + i * sizeof(page),
                             sizeof(page)) == 0);
    }
    femu_shutdown(drive);
}

/* A list goes on at the begin of a page, and nowhere else. */
static void test_prp_list_goes_on(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    QTestState *qts = drive->host->qts;
    uint64_t list = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    uint64_t next = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_READ, 0, 1, drive->buf);

    cmd.cdw12 = cpu_to_le32(2);
    cmd.dptr.prp2 = cpu_to_le64(list + FEMU_PAGE_BYTES - 8);
    for (unsigned i = 0; i < FEMU_PAGE_BYTES / 8; i++) {
        qtest_writeq(qts, next + 8 * i, drive->buf + FEMU_PAGE_BYTES);
    }
    for (unsigned bit = 0; bit < 12; bit++) {
        qtest_writeq(qts, list + FEMU_PAGE_BYTES - 8, next + (1u << bit));
        g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                        NVME_INVALID_PRP_OFFSET);
    }
    qtest_writeq(qts, list + FEMU_PAGE_BYTES - 8, next);
    exec_ok(drive, &cmd);
    femu_shutdown(drive);
}

/* Eight entries fit exactly: the last slot is an entry, not a pointer. */
static void test_prp_list_fills_page(void)
{
    test_prp_list_at_page_end(GSIZE_TO_POINTER(8));
}

/*
 * CC.MPS up to CAP.MPSMAX: PRP entries and queues are in units of 8 to 64 KiB,
 * and entries of a list that are only 4 KiB aligned are refused.
 */
static void test_memory_page_size(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot_disabled(&config, NULL);
    unsigned mpsmax = NVME_CAP_MPSMAX(femu_reg64(drive, NVME_REG_CAP));
    uint64_t from, to;
    NvmeCmd cmd;

    g_assert_cmpuint(mpsmax, >=, 1);
    for (drive->mps = 1; drive->mps <= mpsmax; drive->mps++) {
        femu_enable(drive);
        femu_io_queues_create(drive);
        from = femu_alloc_pages(drive, SSD_MIB);
        to = femu_alloc_pages(drive, SSD_MIB) + 2 * 64 * KiB;
        check_round_trip(drive, 0, 1, from, to);
        check_round_trip(drive, 1, 33, from + 4096, to + 2048);
        check_round_trip(drive, 34, 128, from + 4, to + 8188);
        cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 162, 30, from);
        cmd.dptr.prp2 = cpu_to_le64(to + 4096);
        qtest_writeq(drive->host->qts, to + 4096, from + 4096);
        g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                        NVME_INVALID_PRP_OFFSET);
        send_ok(drive, NVME_ZONE_ACTION_RESET, 0);
        femu_disable(drive);
    }
    femu_shutdown(drive);
}

static void test_lba_512(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    uint64_t to;

    config.ssd.lba_bytes = 512;
    drive = femu_boot(&config, NULL);
    to = femu_alloc(drive->host, 64 * KiB) + FEMU_PAGE_BYTES;
    check_round_trip(drive, 0, 1, drive->buf, to);
    check_round_trip(drive, 1, 7, drive->buf + 512, to + 3584);
    check_round_trip(drive, 8, 33, drive->buf + 4092, to + 4);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, 41);
    femu_shutdown(drive);
}

/* Every zone's every block keeps its own data. */
static void test_all_zones(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint32_t half_nlb = femu_cap_nlb(&config) / 2;

    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < config.ssd.zones; i++) {
            for (unsigned half = 0; half < 2; half++) {
                uint64_t lba = femu_zone_lba(drive, i) + half * half_nlb;
                g_autofree uint8_t *data = femu_pattern(drive, lba, half_nlb,
                                                        3);

                if (pass == 0) {
                    write_ok(drive, lba, half_nlb, data);
                } else {
                    femu_assert_data(drive, lba, half_nlb, data);
                }
            }
        }
    }
    femu_shutdown(drive);
}

static void test_read_above_wp(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    g_autofree uint8_t *data = femu_pattern(drive, 0, 8, 4);

    femu_assert_data(drive, 0, 8, NULL);
    write_ok(drive, 0, 5, data);
    /* across the write pointer: data, then zeroes */
    memset(data + 5 * config.ssd.lba_bytes, 0, 3 * config.ssd.lba_bytes);
    femu_assert_data(drive, 0, 8, data);
    femu_assert_data(drive, 5, 3, NULL);
    femu_shutdown(drive);
}

/* Between a zone's capacity and its size there is nothing; not an error. */
static void test_read_above_capacity(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint64_t cap_nlb = femu_cap_nlb(&config);
    uint32_t last = config.ssd.zones - 1;
    g_autofree uint8_t *data = femu_pattern(drive, 0, 2, 5);

    femu_fill(drive, last, cap_nlb - 1);
    write_ok(drive, femu_zone_lba(drive, last) + cap_nlb - 1, 1, data);
    memset(data + config.ssd.lba_bytes, 0, config.ssd.lba_bytes);
    femu_assert_data(drive, femu_zone_lba(drive, last) + cap_nlb - 1, 2,
                     data);
    femu_assert_data(drive, femu_zone_lba(drive, last) + cap_nlb,
                     femu_zone_nlb(&config) - cap_nlb, NULL);
    femu_shutdown(drive);
}

/* Peers: "reset does not clear data, or clears the next zone". */
static void check_reset_clears(bool all)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint32_t nlb = 8;
    g_autofree uint8_t *new_data = femu_pattern(drive, 0, 1, 7);

    for (uint32_t i = 0; i < 3; i++) {
        uint64_t lba = femu_zone_lba(drive, i);
        g_autofree uint8_t *data = femu_pattern(drive, lba, nlb, 6);

        write_ok(drive, lba, nlb, data);
    }
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET,
                                   femu_zone_lba(drive, 1), all), ==,
                    NVME_SUCCESS);
    femu_assert_data(drive, femu_zone_lba(drive, 1), nlb, NULL);
    for (uint32_t i = 0; i < 3; i += 2) {
        uint64_t lba = femu_zone_lba(drive, i);
        g_autofree uint8_t *data = femu_pattern(drive, lba, nlb, 6);

        femu_assert_data(drive, lba, nlb, all ? NULL : data);
    }
    /* what was there before does not come back behind new data */
    write_ok(drive, femu_zone_lba(drive, 1), 1, new_data);
    femu_assert_data(drive, femu_zone_lba(drive, 1), 1, new_data);
    femu_assert_data(drive, femu_zone_lba(drive, 1) + 1, nlb - 1, NULL);
    femu_shutdown(drive);
}

static void test_reset_clears(void)
{
    check_reset_clears(false);
}

static void test_reset_all_clears(void)
{
    check_reset_clears(true);
}

/* The data is gone at submission, before the erase has ended. */
static void test_reset_clears_at_once(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    g_autofree uint8_t *data = femu_pattern(drive, 0, 4, 8);
    uint8_t found[FEMU_PAGE_BYTES];
    uint64_t start_ns;

    write_ok(drive, 0, 4, data);
    start_ns = drive->host->now_ns;
    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, false);
    qtest_memset(drive->host->qts, drive->buf, 0xa5, sizeof(found));
    femu_submit_rw(drive, NVME_CMD_READ, 0, 1);
    g_assert_cmphex(femu_expect_now(&drive->io_cq).status, ==, NVME_SUCCESS);
    qtest_bufread(drive->host->qts, drive->buf, found, sizeof(found));
    g_assert_true(buffer_is_zero(found, sizeof(found)));
    femu_expect_ok(&drive->io_cq, start_ns + config.ssd.erase_ns, 1, 1);
    femu_shutdown(drive);
}

/* The fill reads as zeroes, also where old data lay. */
static void test_finish_fills_zeroes(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint32_t max_nlb = config.ssd.mdts_bytes / config.ssd.lba_bytes;
    g_autofree uint8_t *old_data = femu_pattern(drive, 0, max_nlb, 9);
    g_autofree uint8_t *data = femu_pattern(drive, 0, 3, 10);

    write_ok(drive, 0, max_nlb, old_data);
    send_ok(drive, NVME_ZONE_ACTION_RESET, 0);
    write_ok(drive, 0, 3, data);
    send_ok(drive, NVME_ZONE_ACTION_FINISH, 0);
    femu_assert_data(drive, 0, 3, data);
    femu_assert_data(drive, 3, max_nlb, NULL);
    femu_assert_data(drive, max_nlb,
                     femu_cap_nlb(&config) - max_nlb, NULL);
    femu_shutdown(drive);
}

/* Peers: "append dropped data / returned the wrong LBA". */
static void test_append(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint64_t zslba = femu_zone_lba(drive, 2), lba, wp_nlb = 0;

    for (uint32_t nlb = 1; nlb <= 6; nlb++) {
        g_autofree uint8_t *data = femu_pattern(drive, zslba + wp_nlb, nlb,
                                                11);

        g_assert_cmphex(femu_append(drive, zslba, nlb, data, &lba), ==,
                        NVME_SUCCESS);
        g_assert_cmpuint(lba, ==, zslba + wp_nlb);
        femu_assert_data(drive, lba, nlb, data);
        wp_nlb += nlb;
        femu_assert_zone(drive, 2, NVME_ZONE_STATE_IMPLICITLY_OPEN, wp_nlb);
    }
    /* peers: "two write pointers that disagree"; a zone has one */
    write_ok(drive, zslba + wp_nlb, 1, NULL);
    g_assert_cmphex(femu_append(drive, zslba, 1, NULL, &lba), ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(lba, ==, zslba + wp_nlb + 1);
    femu_shutdown(drive);
}

/* The result has 64 bits: a zone beyond LBA 2^32. */
static void test_append_far(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    uint64_t zslba, lba;
    g_autofree uint8_t *data = NULL;

    config.ssd.zones = 40;
    config.ssd.lba_bytes = 512;
    config.ssd.zone_size_bytes = 64 * SSD_GIB;
    drive = femu_boot(&config, NULL);
    zslba = femu_zone_lba(drive, 39);
    g_assert_cmpuint(zslba, >, UINT32_MAX);
    data = femu_pattern(drive, zslba, 8, 12);
    g_assert_cmphex(femu_append(drive, zslba, 8, data, &lba), ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(lba, ==, zslba);
    g_assert_cmphex(femu_append(drive, zslba, 8, NULL, &lba), ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(lba, ==, zslba + 8);
    femu_assert_data(drive, zslba, 8, data);
    /* as other commands do whose LBAs have more than 32 bits */
    femu_assert_zone(drive, 39, NVME_ZONE_STATE_IMPLICITLY_OPEN, 16);
    g_assert_cmphex(femu_copy(drive, zslba, 8, femu_zone_lba(drive, 38)), ==,
                    NVME_SUCCESS);
    femu_assert_data(drive, femu_zone_lba(drive, 38), 8, data);
    send_ok(drive, NVME_ZONE_ACTION_RESET, zslba);
    femu_assert_zone(drive, 39, NVME_ZONE_STATE_EMPTY, 0);
    femu_shutdown(drive);
}

/* A write's data is what the buffer held at the doorbell, not later. */
static void test_data_taken_at_submission(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    g_autofree uint8_t *data = femu_pattern(drive, 0, 4, 13);
    size_t bytes = 4 * config.ssd.lba_bytes;

    qtest_bufwrite(drive->host->qts, drive->buf, data, bytes);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, 4);
    qtest_memset(drive->host->qts, drive->buf, 0, bytes);
    femu_expect_at(&drive->io_cq, config.ssd.page_transfer_ns +
                   config.ssd.program_ns);
    femu_assert_data(drive, 0, 4, data);
    femu_shutdown(drive);
}

/* The same data path over a backend that the user gives. */
static void test_memdev(void)
{
    FemuConfig config = femu_small_config();
    g_autofree char *device = femu_device_args(&config, FEMU_SLOT,
                                               "memdev=data");
    g_autofree char *args = g_strdup_printf(
        "-object memory-backend-ram,id=data,size=8M %s", device);
    FemuHost *host = femu_host_start(args);
    FemuDrive *drive = femu_drive_open(host, FEMU_SLOT, &config);
    uint32_t last = config.ssd.zones - 1;
    uint64_t to = femu_alloc(host, 64 * KiB) + FEMU_PAGE_BYTES;

    femu_enable(drive);
    femu_io_queues_create(drive);
    check_round_trip(drive, 0, 8, drive->buf, to);
    check_round_trip(drive, femu_zone_lba(drive, last), 8, drive->buf, to);
    send_ok(drive, NVME_ZONE_ACTION_RESET, 0);
    femu_assert_data(drive, 0, 8, NULL);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    static const unsigned slots[] = { 1, 2, 5 };

    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/io/prp-offsets", test_prp_offsets);
    qtest_add_func("femu-zns/io/prp2-unused", test_prp2_unused);
    qtest_add_func("femu-zns/io/prp-list-ends", test_prp_list_ends);
    qtest_add_func("femu-zns/io/prp-list-chained", test_prp_list_chained);
    for (unsigned i = 0; i < ARRAY_SIZE(slots); i++) {
        g_autofree char *path = g_strdup_printf(
            "femu-zns/io/prp-list-at-page-end/%u", slots[i]);

        qtest_add_data_func(path, GSIZE_TO_POINTER(slots[i]),
                            test_prp_list_at_page_end);
    }
    qtest_add_func("femu-zns/io/prp-list-goes-on", test_prp_list_goes_on);
    qtest_add_func("femu-zns/io/prp-list-fills-page",
                   test_prp_list_fills_page);
    qtest_add_func("femu-zns/io/memory-page-size", test_memory_page_size);
    qtest_add_func("femu-zns/io/lba-512", test_lba_512);
    qtest_add_func("femu-zns/io/all-zones", test_all_zones);
    qtest_add_func("femu-zns/io/read-above-wp", test_read_above_wp);
    qtest_add_func("femu-zns/io/read-above-capacity",
                   test_read_above_capacity);
    qtest_add_func("femu-zns/peers/reset-clears-data", test_reset_clears);
    qtest_add_func("femu-zns/peers/reset-clears-data/all", test_reset_all_clears);
    qtest_add_func("femu-zns/io/reset-clears-at-once",
                   test_reset_clears_at_once);
    qtest_add_func("femu-zns/io/finish-fills-zeroes",
                   test_finish_fills_zeroes);
    qtest_add_func("femu-zns/peers/append-data-and-lba", test_append);
    qtest_add_func("femu-zns/io/append-far", test_append_far);
    qtest_add_func("femu-zns/io/data-taken-at-submission",
                   test_data_taken_at_submission);
    qtest_add_func("femu-zns/io/memdev", test_memdev);
    return g_test_run();
}
