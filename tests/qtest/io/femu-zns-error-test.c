/*
 * Commands that the drive must refuse: each one completes, with the right
 * status, and changes nothing.
 *
 * Knows nothing of time; zone limits are in femu-zns-zone-test.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"

/* Nothing answers here: above the machine's 64 MiB, below its devices. */
#define NOWHERE UINT64_C(0x80000000)
#define RAM_END (UINT64_C(64) * 1024 * 1024)

static FemuDrive *boot(void)
{
    FemuConfig config = femu_small_config();

    return femu_boot(&config, NULL);
}

/* Execute at one instant: an error does not wait. Return: the status. */
static uint16_t exec_now(FemuDrive *drive, const NvmeCmd *cmd)
{
    uint16_t cid = femu_submit(&drive->io, cmd);
    FemuCqe cqe = femu_expect_now(&drive->io_cq);

    g_assert_cmpuint(cqe.cid, ==, cid);
    return cqe.status;
}

static uint16_t rw_now(FemuDrive *drive, uint8_t opcode, uint64_t slba,
                       uint32_t nlb)
{
    NvmeCmd cmd = femu_cmd_rw(drive, opcode, slba, nlb, drive->buf);

    return exec_now(drive, &cmd);
}

static void assert_untouched(FemuDrive *drive)
{
    for (uint32_t i = 0; i < drive->config.ssd.zones; i++) {
        femu_assert_zone(drive, i, NVME_ZONE_STATE_EMPTY, 0);
    }
}

/*
 * Peers: "failed commands never completed", "DSM / Write Zeroes bypass the
 * zone rules". Opcodes that the drive does not offer, in a written zone.
 */
static void test_opcodes(void)
{
    FemuDrive *drive = boot();
    g_autofree uint8_t *data = femu_pattern(drive, 0, 4, 1);

    g_assert_cmphex(femu_write(drive, 0, 4, data), ==, NVME_SUCCESS);
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        switch (opcode) {
        case NVME_CMD_FLUSH:
        case NVME_CMD_WRITE:
        case NVME_CMD_READ:
        case NVME_CMD_COMPARE:
        case NVME_CMD_WRITE_ZEROES:
        case NVME_CMD_DSM:
        case NVME_CMD_VERIFY:
        case NVME_CMD_COPY:
        case NVME_CMD_ZONE_MGMT_SEND:
        case NVME_CMD_ZONE_MGMT_RECV:
        case NVME_CMD_ZONE_APPEND:
            continue;
        }
        g_assert_cmphex(rw_now(drive, opcode, 0, 4), ==, NVME_INVALID_OPCODE);
    }
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, 4);
    femu_assert_data(drive, 0, 4, data);
    femu_shutdown(drive);
}

static void test_nsid(void)
{
    static const uint32_t nsids[] = { 0, 2, 1000, NVME_NSID_BROADCAST };
    static const uint8_t opcodes[] = {
        NVME_CMD_WRITE, NVME_CMD_READ, NVME_CMD_ZONE_APPEND,
        NVME_CMD_ZONE_MGMT_SEND, NVME_CMD_ZONE_MGMT_RECV,
    };
    FemuDrive *drive = boot();

    for (unsigned i = 0; i < ARRAY_SIZE(nsids); i++) {
        for (unsigned j = 0; j < ARRAY_SIZE(opcodes); j++) {
            NvmeCmd cmd = femu_cmd_rw(drive, opcodes[j], 0, 1, drive->buf);

            cmd.nsid = cpu_to_le32(nsids[i]);
            g_assert_cmphex(exec_now(drive, &cmd), ==, NVME_INVALID_NSID);
        }
    }
    assert_untouched(drive);
    femu_shutdown(drive);
}

/*
 * Fused commands and metadata lists are not offered, PSDT 11b is reserved
 * (NVMe base 2.0, figure 87).
 */
static void test_psdt_and_fuse(void)
{
    static const uint8_t flags[] = { 0x80, 0xc0, 0x01, 0x02, 0x03, 0x41 };
    FemuDrive *drive = boot();

    for (unsigned i = 0; i < ARRAY_SIZE(flags); i++) {
        NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, 1, drive->buf);

        cmd.flags = flags[i];
        g_assert_cmphex(exec_now(drive, &cmd), ==, NVME_INVALID_FIELD);
    }
    assert_untouched(drive);
    femu_shutdown(drive);
}

/* Peers: "opcode decided from CDW13 alone". */
static void test_cdw13_is_no_action(void)
{
    FemuDrive *drive = boot();
    g_autofree uint8_t *data = femu_pattern(drive, 0, 8, 2);
    NvmeCmd cmd;

    for (unsigned action = 1; action <= NVME_ZONE_ACTION_OFFLINE; action++) {
        cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, action - 1, 1, drive->buf);
        cmd.cdw13 = cpu_to_le32(action | 1u << 8);
        qtest_bufwrite(drive->host->qts, drive->buf,
                       data + (action - 1) * drive->config.ssd.lba_bytes,
                       drive->config.ssd.lba_bytes);
        g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
        cmd = femu_cmd_rw(drive, NVME_CMD_READ, 0, 1, drive->buf);
        cmd.cdw13 = cpu_to_le32(action);
        g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
        femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, action);
    }
    femu_assert_data(drive, 0, NVME_ZONE_ACTION_OFFLINE, data);
    femu_shutdown(drive);
}

static void test_lba_range(void)
{
    static const uint8_t opcodes[] = {
        NVME_CMD_READ, NVME_CMD_WRITE, NVME_CMD_ZONE_APPEND,
        NVME_CMD_ZONE_MGMT_SEND, NVME_CMD_ZONE_MGMT_RECV,
    };
    FemuDrive *drive = boot();
    uint64_t end_lba = femu_zone_lba(drive, drive->config.ssd.zones);
    const uint64_t lbas[] = {
        end_lba, end_lba + 1, UINT32_MAX, UINT64_C(1) << 32,
        UINT64_MAX / drive->config.ssd.lba_bytes + 1, UINT64_MAX - 1,
        UINT64_MAX,
    };

    for (unsigned i = 0; i < ARRAY_SIZE(lbas); i++) {
        for (unsigned j = 0; j < ARRAY_SIZE(opcodes); j++) {
            NvmeCmd cmd = femu_cmd_rw(drive, opcodes[j], lbas[i], 16,
                                      drive->buf);

            if (opcodes[j] == NVME_CMD_ZONE_MGMT_SEND) {
                cmd.cdw13 = cpu_to_le32(NVME_ZONE_ACTION_OPEN);
            }
            if (opcodes[j] == NVME_CMD_ZONE_MGMT_RECV) {
                cmd.cdw12 = cpu_to_le32(1023);
            }
            g_assert_cmphex(exec_now(drive, &cmd), ==, NVME_LBA_RANGE);
        }
    }
    g_assert_cmphex(rw_now(drive, NVME_CMD_READ, end_lba - 1, 2), ==,
                    NVME_LBA_RANGE);
    assert_untouched(drive);
    femu_shutdown(drive);
}

/* Read Across Zone Boundaries is not offered (OZCS bit 0). */
static void test_read_across_zones(void)
{
    FemuDrive *drive = boot();
    uint64_t lba = femu_zone_lba(drive, 1);

    g_assert_cmphex(rw_now(drive, NVME_CMD_READ, lba - 1, 2), ==,
                    NVME_ZONE_BOUNDARY_ERROR);
    g_assert_cmphex(rw_now(drive, NVME_CMD_READ, lba - 1, 1), ==,
                    NVME_SUCCESS);
    femu_shutdown(drive);
}

static void test_write_position(void)
{
    FemuDrive *drive = boot();
    uint64_t cap_nlb = femu_cap_nlb(&drive->config);

    g_assert_cmphex(rw_now(drive, NVME_CMD_WRITE, 1, 1), ==,
                    NVME_ZONE_INVALID_WRITE);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_EMPTY, 0);
    femu_fill(drive, 0, 4);
    g_assert_cmphex(rw_now(drive, NVME_CMD_WRITE, 3, 1), ==,
                    NVME_ZONE_INVALID_WRITE);
    g_assert_cmphex(rw_now(drive, NVME_CMD_WRITE, 5, 1), ==,
                    NVME_ZONE_INVALID_WRITE);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, 4);
    femu_fill(drive, 1, cap_nlb - 1);
    g_assert_cmphex(rw_now(drive, NVME_CMD_WRITE,
                           femu_zone_lba(drive, 1) + cap_nlb - 1, 2), ==,
                    NVME_ZONE_BOUNDARY_ERROR);
    g_assert_cmphex(rw_now(drive, NVME_CMD_ZONE_APPEND,
                           femu_zone_lba(drive, 1), 2), ==,
                    NVME_ZONE_BOUNDARY_ERROR);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_IMPLICITLY_OPEN, cap_nlb - 1);
    femu_shutdown(drive);
}

/* Peers: "non-zero capacity remainder": the blocks above the capacity. */
static void test_write_full_zone(void)
{
    FemuDrive *drive = boot();
    uint64_t cap_nlb = femu_cap_nlb(&drive->config), lba;

    femu_fill(drive, 0, cap_nlb);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_FULL, 0);
    for (lba = 0; lba <= cap_nlb; lba += cap_nlb / 2) {
        g_assert_cmphex(rw_now(drive, NVME_CMD_WRITE, lba, 1), ==,
                        NVME_ZONE_FULL);
    }
    g_assert_cmphex(rw_now(drive, NVME_CMD_ZONE_APPEND, 0, 1), ==,
                    NVME_ZONE_FULL);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_EMPTY, 0);
    femu_shutdown(drive);
}

static void test_append_address(void)
{
    FemuDrive *drive = boot();

    g_assert_cmphex(rw_now(drive, NVME_CMD_ZONE_APPEND, 1, 1), ==,
                    NVME_INVALID_FIELD);
    g_assert_cmphex(rw_now(drive, NVME_CMD_ZONE_APPEND,
                           femu_zone_lba(drive, 2) - 1, 1), ==,
                    NVME_INVALID_FIELD);
    assert_untouched(drive);
    femu_shutdown(drive);
}

/* One block above MDTS, or for appends ZASL, is too much; the limit is not. */
static void test_transfer_limits(void)
{
    FemuConfig config = femu_small_config();
    uint32_t mdts_nlb, zasl_nlb;
    uint64_t zslba;
    FemuDrive *drive;

    config.ssd.mdts_bytes = 64 * SSD_KIB;
    config.ssd.zasl_bytes = 16 * SSD_KIB;
    mdts_nlb = config.ssd.mdts_bytes / config.ssd.lba_bytes;
    zasl_nlb = config.ssd.zasl_bytes / config.ssd.lba_bytes;
    drive = femu_boot(&config, NULL);
    zslba = femu_zone_lba(drive, 1);
    g_assert_cmphex(rw_now(drive, NVME_CMD_WRITE, 0, mdts_nlb + 1), ==,
                    NVME_INVALID_FIELD);
    g_assert_cmphex(rw_now(drive, NVME_CMD_READ, 0, mdts_nlb + 1), ==,
                    NVME_INVALID_FIELD);
    g_assert_cmphex(rw_now(drive, NVME_CMD_ZONE_APPEND, zslba, zasl_nlb + 1),
                    ==, NVME_INVALID_FIELD);
    assert_untouched(drive);
    g_assert_cmphex(femu_write(drive, 0, mdts_nlb, NULL), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_read(drive, 0, mdts_nlb, NULL), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_append(drive, zslba, zasl_nlb, NULL, &zslba), ==,
                    NVME_SUCCESS);
    femu_shutdown(drive);
}

/* The largest NLB that a command can express. */
static void test_nlb_65536(void)
{
    FemuDrive *drive = boot();
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, 1, drive->buf);

    cmd.cdw12 = cpu_to_le32(0xffff);
    g_assert_cmphex(exec_now(drive, &cmd), ==, NVME_INVALID_FIELD);
    assert_untouched(drive);
    femu_shutdown(drive);
}

/*
 * Peers: "write pointer advanced before DMA is known to succeed". Every place
 * in which a buffer can be out of reach, for every command with data.
 */
static void check_unreachable(FemuDrive *drive, const NvmeCmd *good)
{
    uint64_t list = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    NvmeCmd cmd = *good;

    for (unsigned i = 0; i < 7; i++) {
        qtest_writeq(drive->host->qts, list + 8 * i,
                     drive->buf + (i + 1) * FEMU_PAGE_BYTES);
    }
    cmd.dptr.prp1 = cpu_to_le64(NOWHERE);
    g_assert_cmphex(exec_now(drive, &cmd), ==, NVME_DATA_TRAS_ERROR);
    cmd.dptr.prp1 = cpu_to_le64(UINT64_MAX & ~3);
    g_assert_cmphex(exec_now(drive, &cmd), ==, NVME_DATA_TRAS_ERROR);
    cmd = *good;
    cmd.dptr.prp2 = cpu_to_le64(NOWHERE);
    g_assert_cmphex(exec_now(drive, &cmd), ==, NVME_DATA_TRAS_ERROR);
    cmd.dptr.prp2 = cpu_to_le64(list);
    qtest_writeq(drive->host->qts, list + 8 * 6, NOWHERE);
    g_assert_cmphex(exec_now(drive, &cmd), ==, NVME_DATA_TRAS_ERROR);
    qtest_writeq(drive->host->qts, list + 8 * 6, RAM_END);
    g_assert_cmphex(exec_now(drive, &cmd), ==, NVME_DATA_TRAS_ERROR);
}

static void test_dma_error(void)
{
    FemuDrive *drive = boot();
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, 8, drive->buf);

    check_unreachable(drive, &cmd);
    cmd.opcode = NVME_CMD_ZONE_APPEND;
    check_unreachable(drive, &cmd);
    cmd.opcode = NVME_CMD_READ;
    check_unreachable(drive, &cmd);
    cmd = femu_cmd_report(drive, 0, NVME_ZONE_REPORT_ALL, false, drive->buf,
                          8 * FEMU_PAGE_BYTES);
    check_unreachable(drive, &cmd);
    assert_untouched(drive);
    femu_shutdown(drive);
}

/* In the middle of a zone: the write pointer and the data stay. */
static void test_dma_error_keeps_zone(void)
{
    FemuDrive *drive = boot();
    g_autofree uint8_t *data = femu_pattern(drive, 0, 4, 3);
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 4, 8, drive->buf);

    g_assert_cmphex(femu_write(drive, 0, 4, data), ==, NVME_SUCCESS);
    check_unreachable(drive, &cmd);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, 4);
    femu_assert_data(drive, 0, 4, data);
    femu_assert_data(drive, 4, 8, NULL);
    g_assert_cmphex(femu_write(drive, 4, 4, NULL), ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

/* A read whose buffer is partly out of reach: no data, no time on the flash. */
static void test_dma_error_of_read(void)
{
    FemuDrive *drive = boot();
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_READ, 0, 2, drive->buf);
    uint8_t found[FEMU_PAGE_BYTES];
    QDict *stats;

    femu_fill(drive, 0, femu_page_nlb(drive));
    qtest_memset(drive->host->qts, drive->buf, 0xa5, sizeof(found));
    cmd.dptr.prp1 = cpu_to_le64(NOWHERE);
    g_assert_cmphex(exec_now(drive, &cmd), ==, NVME_DATA_TRAS_ERROR);
    cmd.dptr.prp1 = cpu_to_le64(drive->buf);
    cmd.dptr.prp2 = cpu_to_le64(NOWHERE);
    g_assert_cmphex(exec_now(drive, &cmd), ==, NVME_DATA_TRAS_ERROR);
    qtest_bufread(drive->host->qts, drive->buf, found, sizeof(found));
    for (unsigned i = 0; i < sizeof(found); i++) {
        g_assert_cmphex(found[i], ==, 0xa5);
    }
    stats = femu_stats(drive);
    g_assert_cmpuint(femu_stat(stats, "units/0"), ==,
                     drive->config.ssd.program_ns);
    g_assert_false(femu_has_stat(stats, "ops/read"));
    qobject_unref(stats);
    femu_shutdown(drive);
}

/* NVMe base 2.0, 4.1.1: offsets that PRP entries may not have. */
static void test_prp_offset(void)
{
    FemuDrive *drive = boot();
    NvmeCmd good = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, 8, drive->buf);
    uint64_t list = le64_to_cpu(good.dptr.prp2);
    NvmeCmd cmd = good;

    for (unsigned i = 1; i < 4; i++) {
        cmd.dptr.prp1 = cpu_to_le64(drive->buf + i);
        g_assert_cmphex(exec_now(drive, &cmd), ==, NVME_INVALID_PRP_OFFSET);
    }
    cmd = good;
    cmd.dptr.prp1 = cpu_to_le64(NOWHERE);   /* the offset is looked at first */
    cmd.dptr.prp2 = cpu_to_le64(list + 4);
    g_assert_cmphex(exec_now(drive, &cmd), ==, NVME_INVALID_PRP_OFFSET);
    for (unsigned i = 1; i < 8; i++) {
        cmd = good;
        cmd.dptr.prp2 = cpu_to_le64(list + i);
        g_assert_cmphex(exec_now(drive, &cmd), ==, NVME_INVALID_PRP_OFFSET);
    }
    for (uint64_t offset = 1; offset < FEMU_PAGE_BYTES; offset *= 2) {
        qtest_writeq(drive->host->qts, list + 8 * 3, drive->buf + offset);
        g_assert_cmphex(exec_now(drive, &good), ==, NVME_INVALID_PRP_OFFSET);
        cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, 2, drive->buf);
        cmd.dptr.prp2 = cpu_to_le64(drive->buf + FEMU_PAGE_BYTES + offset);
        g_assert_cmphex(exec_now(drive, &cmd), ==, NVME_INVALID_PRP_OFFSET);
    }
    assert_untouched(drive);
    femu_shutdown(drive);
}

/* A list whose pages chain in a circle ends with the data. */
static void test_prp_list_circular(void)
{
    FemuDrive *drive = boot();
    uint64_t list = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, 9, drive->buf);

    for (unsigned i = 0; i < FEMU_PAGE_BYTES / 8; i++) {
        qtest_writeq(drive->host->qts, list + 8 * i, list);
    }
    cmd.dptr.prp2 = cpu_to_le64(list + FEMU_PAGE_BYTES - 8);
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, 9);
    femu_shutdown(drive);
}

/* Errors among good commands: order and identifiers hold. */
static void test_errors_between(void)
{
    FemuDrive *drive = boot();
    uint32_t page_nlb = femu_page_nlb(drive);
    uint64_t end_ns = drive->config.ssd.page_transfer_ns +
                      drive->config.ssd.program_ns;

    for (unsigned i = 0; i < 3; i++) {
        NvmeCmd good = femu_cmd_rw(drive, NVME_CMD_WRITE, i * page_nlb,
                                   page_nlb, drive->buf);
        NvmeCmd bad = femu_cmd_rw(drive, NVME_CMD_WRITE, 100, 1, drive->buf);

        femu_place(&drive->io, &good);
        femu_place(&drive->io, &bad);
    }
    femu_ring(&drive->io);
    for (unsigned i = 0; i < 3; i++) {
        FemuCqe cqe = femu_expect_now(&drive->io_cq);

        g_assert_cmpuint(cqe.cid, ==, 2 * i + 1);
        g_assert_cmphex(cqe.status, ==, NVME_ZONE_INVALID_WRITE);
    }
    for (unsigned i = 0; i < 3; i++) {
        g_assert_cmpuint(femu_expect_at(&drive->io_cq, end_ns).cid, ==, 2 * i);
    }
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/peers/failed-commands-complete", test_opcodes);
    qtest_add_func("femu-zns/error/nsid", test_nsid);
    qtest_add_func("femu-zns/error/psdt-and-fuse", test_psdt_and_fuse);
    qtest_add_func("femu-zns/peers/opcode-from-cdw13",
                   test_cdw13_is_no_action);
    qtest_add_func("femu-zns/error/lba-range", test_lba_range);
    qtest_add_func("femu-zns/error/read-across-zones",
                   test_read_across_zones);
    qtest_add_func("femu-zns/error/write-position", test_write_position);
    qtest_add_func("femu-zns/peers/capacity-remainder", test_write_full_zone);
    qtest_add_func("femu-zns/error/append-address", test_append_address);
    qtest_add_func("femu-zns/error/transfer-limits", test_transfer_limits);
    qtest_add_func("femu-zns/error/nlb-65536", test_nlb_65536);
    qtest_add_func("femu-zns/peers/write-pointer-before-dma", test_dma_error);
    qtest_add_func("femu-zns/peers/write-pointer-before-dma/keeps-zone",
                   test_dma_error_keeps_zone);
    qtest_add_func("femu-zns/error/dma-error-of-read",
                   test_dma_error_of_read);
    qtest_add_func("femu-zns/error/prp-offset", test_prp_offset);
    qtest_add_func("femu-zns/error/prp-list-circular",
                   test_prp_list_circular);
    qtest_add_func("femu-zns/error/errors-between", test_errors_between);
    return g_test_run();
}
