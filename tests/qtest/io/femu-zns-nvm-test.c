/*
 * Write Zeroes, Verify, Compare, Copy and Dataset Management: their data, the
 * zone rules and limits that hold for them, and what they advertise.
 *
 * Knows nothing of a drive that does more than one thing at a time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"

#define RANGES_MAX 128
#define DEALLOCATE (1u << 25)           /* of Write Zeroes, CDW12 */

typedef struct CopyRange {
    uint64_t slba;
    uint32_t nlb;
} CopyRange;

static FemuDrive *boot(void)
{
    FemuConfig config = femu_small_config();

    return femu_boot(&config, NULL);
}

static uint32_t lba_bytes(const FemuDrive *drive)
{
    return drive->config.ssd.lba_bytes;
}

/* Execute a command of the form of a write without data. */
static uint16_t no_data(FemuDrive *drive, uint8_t opcode, uint64_t slba,
                        uint32_t nlb)
{
    NvmeCmd cmd = femu_cmd_rw(drive, opcode, slba, nlb, drive->buf);

    cmd.dptr.prp1 = cmd.dptr.prp2 = cpu_to_le64(UINT64_C(0x80000001));
    return femu_exec(&drive->io, &cmd).status;
}

static uint16_t compare(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                        const void *data)
{
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_COMPARE, slba, nlb, drive->buf);

    qtest_bufwrite(drive->host->qts, drive->buf, data,
                   (size_t)nlb * lba_bytes(drive));
    return femu_exec(&drive->io, &cmd).status;
}

/* A Copy of these ranges, of a descriptor format, to `lba`. */
static NvmeCmd copy_cmd(FemuDrive *drive, uint64_t lba, const CopyRange *range,
                        unsigned count, unsigned format)
{
    NvmeCmd cmd = {
        .opcode = NVME_CMD_COPY,
        .nsid = cpu_to_le32(FEMU_NSID),
        .cdw10 = cpu_to_le32(lba),
        .cdw11 = cpu_to_le32(lba >> 32),
        .cdw12 = cpu_to_le32((count - 1) | format << 8),
    };
    NvmeCopySourceRangeFormat0_2 *entry = g_new0(NvmeCopySourceRangeFormat0_2,
                                                 count);

    for (unsigned i = 0; i < count; i++) {
        entry[i].slba = cpu_to_le64(range[i].slba);
        entry[i].nlb = cpu_to_le16(range[i].nlb - 1);
    }
    qtest_bufwrite(drive->host->qts, drive->buf, entry,
                   count * sizeof(*entry));
    femu_set_prps(drive, &cmd, drive->buf, count * sizeof(*entry));
    g_free(entry);
    return cmd;
}

static uint16_t copy(FemuDrive *drive, uint64_t lba, const CopyRange *range,
                     unsigned count)
{
    NvmeCmd cmd = copy_cmd(drive, lba, range, count, 0);

    return femu_exec(&drive->io, &cmd).status;
}

static void test_identify(void)
{
    FemuDrive *drive = boot();
    const SsdParams *ssd = &drive->config.ssd;
    NvmeIdCtrl ctrl;
    NvmeIdCtrlNvm nvm;
    NvmeIdNs ns;

    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CTRL, 0, 0, &ctrl), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(le16_to_cpu(ctrl.oncs), ==,
                    NVME_ONCS_COMPARE | NVME_ONCS_DSM |
                    NVME_ONCS_WRITE_ZEROES | NVME_ONCS_FEATURES |
                    NVME_ONCS_TIMESTAMP | NVME_ONCS_VERIFY | NVME_ONCS_COPY);
    g_assert_cmphex(le16_to_cpu(ctrl.ocfs), ==, 1);
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CS_CTRL, NVME_CSI_NVM, 0,
                                  &nvm), ==, NVME_SUCCESS);
    g_assert_cmpuint(4096ull << nvm.vsl, ==, ssd->mdts_bytes);
    g_assert_cmpuint(4096ull << nvm.wzsl, ==, ssd->mdts_bytes);
    g_assert_cmpuint(nvm.dmrl, ==, 0);
    g_assert_cmpuint(le32_to_cpu(nvm.dmrsl), ==, 0);
    g_assert_cmpuint(le64_to_cpu(nvm.dmsl), ==, 0);
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_NS, 0, 1, &ns), ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(le32_to_cpu(ns.mcl), ==,
                     ssd->mdts_bytes / ssd->lba_bytes);
    g_assert_cmpuint(le16_to_cpu(ns.mssrl), ==, le32_to_cpu(ns.mcl));
    g_assert_cmpuint(ns.msrc, ==, RANGES_MAX - 1);
    femu_shutdown(drive);
}

/* Moves the write pointer like a write, takes its time, reads as zeroes. */
static void test_write_zeroes(void)
{
    FemuDrive *drive = boot();
    uint32_t page_nlb = femu_page_nlb(drive);
    uint64_t limit_nlb = drive->config.ssd.mdts_bytes / lba_bytes(drive);
    uint64_t start_ns;
    NvmeCmd cmd;

    g_assert_cmphex(femu_write(drive, 0, 1, NULL), ==, NVME_SUCCESS);
    g_assert_cmphex(no_data(drive, NVME_CMD_WRITE_ZEROES, 1, page_nlb - 1),
                    ==, NVME_SUCCESS);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, page_nlb);
    start_ns = drive->host->now_ns;
    cmd = femu_cmd_rw(drive, NVME_CMD_WRITE_ZEROES, page_nlb, page_nlb, 0);
    cmd.cdw12 |= cpu_to_le32(DEALLOCATE);
    femu_submit(&drive->io, &cmd);
    g_assert_cmphex(femu_expect_at(&drive->io_cq, start_ns +
                                   femu_page_write_ns(drive)).status, ==,
                    NVME_SUCCESS);
    femu_assert_data(drive, 1, 2 * page_nlb - 1, NULL);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, 2 * page_nlb);

    g_assert_cmphex(no_data(drive, NVME_CMD_WRITE_ZEROES, 0, 1), ==,
                    NVME_ZONE_INVALID_WRITE);
    g_assert_cmphex(no_data(drive, NVME_CMD_WRITE_ZEROES,
                            femu_zone_lba(drive, 1), limit_nlb + 1), ==,
                    NVME_INVALID_FIELD);
    g_assert_cmphex(no_data(drive, NVME_CMD_WRITE_ZEROES,
                            femu_zone_lba(drive, 8), 1), ==, NVME_LBA_RANGE);
    femu_fill(drive, 1, femu_cap_nlb(&drive->config));
    g_assert_cmphex(no_data(drive, NVME_CMD_WRITE_ZEROES,
                            femu_zone_lba(drive, 1), 1), ==, NVME_ZONE_FULL);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, 2 * page_nlb);
    femu_shutdown(drive);
}

/* A limit of its own, below MDTS: Identify says it, one block more is wrong. */
static void test_write_zeroes_limit(void)
{
    FemuConfig config = femu_small_config();
    uint64_t limit_nlb = 8 * SSD_KIB / config.ssd.lba_bytes;
    FemuDrive *drive;
    NvmeIdCtrlNvm nvm;

    config.ssd.wzsl_bytes = 8 * SSD_KIB;
    drive = femu_boot(&config, NULL);
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CS_CTRL, NVME_CSI_NVM, 0,
                                  &nvm), ==, NVME_SUCCESS);
    g_assert_cmpuint(nvm.wzsl, ==, 1);          /* 4 KiB x 2^1 */
    g_assert_cmpuint(4096ull << nvm.vsl, ==, config.ssd.mdts_bytes);
    g_assert_cmphex(no_data(drive, NVME_CMD_WRITE_ZEROES, 0, limit_nlb + 1),
                    ==, NVME_INVALID_FIELD);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_EMPTY, 0);
    g_assert_cmphex(no_data(drive, NVME_CMD_WRITE_ZEROES, 0, limit_nlb), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_write(drive, limit_nlb, limit_nlb + 1, NULL), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(no_data(drive, NVME_CMD_VERIFY, 0, 2 * limit_nlb), ==,
                    NVME_SUCCESS);
    femu_shutdown(drive);
}

/* A zone that held data, was reset and zeroed shows nothing of the past. */
static void test_write_zeroes_over_old(void)
{
    FemuDrive *drive = boot();

    for (unsigned round = 0; round < 2; round++) {
        g_autofree uint8_t *data = femu_pattern(drive, 0, 13, round);

        g_assert_cmphex(femu_write(drive, 0, 13, data), ==, NVME_SUCCESS);
        g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0,
                                       false), ==, NVME_SUCCESS);
        g_assert_cmphex(no_data(drive, NVME_CMD_WRITE_ZEROES, 0, 5), ==,
                        NVME_SUCCESS);
        femu_assert_data(drive, 0, 13, NULL);
        g_assert_cmphex(femu_write(drive, 5, 8, data + 5 * lba_bytes(drive)),
                        ==, NVME_SUCCESS);
        femu_assert_data(drive, 0, 5, NULL);
        femu_assert_data(drive, 5, 8, data + 5 * lba_bytes(drive));
        g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0,
                                       false), ==, NVME_SUCCESS);
    }
    femu_shutdown(drive);
}

static void test_verify(void)
{
    FemuDrive *drive = boot();
    uint32_t page_nlb = femu_page_nlb(drive);
    uint64_t limit_nlb = drive->config.ssd.mdts_bytes / lba_bytes(drive);
    uint64_t start_ns;
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_VERIFY, 0, page_nlb, 0);

    femu_fill(drive, 0, page_nlb);
    start_ns = drive->host->now_ns;
    femu_submit(&drive->io, &cmd);
    g_assert_cmphex(femu_expect_at(&drive->io_cq, start_ns +
                                   drive->config.ssd.read_ns +
                                   drive->config.ssd.page_transfer_ns).status,
                    ==, NVME_SUCCESS);
    /* unwritten blocks are fine; the rules of reads hold */
    g_assert_cmphex(no_data(drive, NVME_CMD_VERIFY, page_nlb, limit_nlb), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(no_data(drive, NVME_CMD_VERIFY, 0, limit_nlb + 1), ==,
                    NVME_INVALID_FIELD);
    g_assert_cmphex(no_data(drive, NVME_CMD_VERIFY,
                            femu_zone_lba(drive, 1) - 1, 2), ==,
                    NVME_ZONE_BOUNDARY_ERROR);
    g_assert_cmphex(no_data(drive, NVME_CMD_VERIFY, femu_zone_lba(drive, 8),
                            1), ==, NVME_LBA_RANGE);
    femu_shutdown(drive);
}

static void test_compare(void)
{
    FemuDrive *drive = boot();
    g_autofree uint8_t *data = femu_pattern(drive, 0, 9, 1);
    size_t written_bytes = 7 * (size_t)lba_bytes(drive);

    g_assert_cmphex(femu_write(drive, 0, 7, data), ==, NVME_SUCCESS);
    g_assert_cmphex(compare(drive, 0, 7, data), ==, NVME_SUCCESS);
    /* the first, the last and one byte between; beyond it, zeroes */
    for (size_t at = 0; at < written_bytes; at += written_bytes / 2 - 1) {
        data[at] ^= 0x10;
        g_assert_cmphex(compare(drive, 0, 7, data), ==, NVME_CMP_FAILURE);
        data[at] ^= 0x10;
    }
    data[written_bytes - 1] ^= 1;
    g_assert_cmphex(compare(drive, 0, 7, data), ==, NVME_CMP_FAILURE);
    data[written_bytes - 1] ^= 1;
    g_assert_cmphex(compare(drive, 0, 9, data), ==, NVME_CMP_FAILURE);
    memset(data + written_bytes, 0, 2 * (size_t)lba_bytes(drive));
    g_assert_cmphex(compare(drive, 0, 9, data), ==, NVME_SUCCESS);
    g_assert_cmphex(compare(drive, femu_zone_lba(drive, 1) - 1, 2, data), ==,
                    NVME_ZONE_BOUNDARY_ERROR);
    g_assert_cmphex(compare(drive, femu_zone_lba(drive, 8), 1, data), ==,
                    NVME_LBA_RANGE);
    femu_shutdown(drive);
}

/* Ranges in order, overlapping, unwritten, from the destination's zone too. */
static void test_copy(void)
{
    FemuDrive *drive = boot();
    uint32_t bytes = lba_bytes(drive);
    uint64_t to_lba = femu_zone_lba(drive, 1);
    g_autofree uint8_t *data = femu_pattern(drive, 0, 10, 1);
    g_autofree uint8_t *copied = g_malloc0(11 * bytes);
    const CopyRange ranges[] = {
        { 8, 4 },                       /* two written, two not */
        { 3, 2 }, { 4, 3 },             /* block 4 twice */
        { to_lba, 2 },
    };

    g_assert_cmphex(femu_write(drive, 0, 10, data), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_write(drive, to_lba, 2, data), ==, NVME_SUCCESS);
    g_assert_cmphex(copy(drive, to_lba + 2, ranges, ARRAY_SIZE(ranges)), ==,
                    NVME_SUCCESS);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_IMPLICITLY_OPEN, 13);
    memcpy(copied, data + 8 * bytes, 2 * bytes);
    memcpy(copied + 4 * bytes, data + 3 * bytes, 2 * bytes);
    memcpy(copied + 6 * bytes, data + 4 * bytes, 3 * bytes);
    memcpy(copied + 9 * bytes, data, 2 * bytes);
    femu_assert_data(drive, to_lba, 2, data);
    femu_assert_data(drive, to_lba + 2, 11, copied);
    femu_assert_data(drive, 0, 10, data);
    /* from its own write pointer: the source is not yet written */
    g_assert_cmphex(copy(drive, 10, &(CopyRange) { 8, 4 }, 1), ==,
                    NVME_SUCCESS);
    femu_assert_data(drive, 10, 2, data + 8 * bytes);
    femu_assert_data(drive, 12, 2, NULL);
    femu_shutdown(drive);
}

/* A page: read, then write. */
static void test_copy_time(void)
{
    FemuDrive *drive = boot();
    const SsdParams *ssd = &drive->config.ssd;
    uint32_t page_nlb = femu_page_nlb(drive);
    const CopyRange range = { 0, page_nlb };
    NvmeCmd cmd;
    uint64_t start_ns;

    femu_fill(drive, 0, page_nlb);
    cmd = copy_cmd(drive, femu_zone_lba(drive, 1), &range, 1, 0);
    start_ns = drive->host->now_ns;
    femu_submit(&drive->io, &cmd);
    g_assert_cmphex(femu_expect_at(&drive->io_cq, start_ns + ssd->read_ns +
                                   2 * ssd->page_transfer_ns +
                                   ssd->program_ns).status, ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

static void test_copy_refused(void)
{
    FemuDrive *drive = boot();
    uint64_t limit_nlb = drive->config.ssd.mdts_bytes / lba_bytes(drive);
    uint64_t to_lba = femu_zone_lba(drive, 1);
    uint64_t end_lba = femu_zone_lba(drive, 8);
    CopyRange ranges[RANGES_MAX + 1];
    NvmeCmd cmd;

    for (unsigned i = 0; i < ARRAY_SIZE(ranges); i++) {
        ranges[i] = (CopyRange) { i, 1 };
    }
    g_assert_cmphex(copy(drive, to_lba, ranges, RANGES_MAX + 1), ==,
                    NVME_CMD_SIZE_LIMIT);
    ranges[0].nlb = limit_nlb - 1;
    g_assert_cmphex(copy(drive, to_lba, ranges, 3), ==, NVME_CMD_SIZE_LIMIT);
    for (unsigned format = 1; format < 16; format++) {
        cmd = copy_cmd(drive, to_lba, ranges, 1, format);
        g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                        NVME_INVALID_FIELD);
    }
    ranges[0].nlb = 1;
    ranges[1] = (CopyRange) { femu_zone_lba(drive, 3) - 1, 2 };
    g_assert_cmphex(copy(drive, to_lba, ranges, 2), ==,
                    NVME_ZONE_BOUNDARY_ERROR);
    ranges[1] = (CopyRange) { end_lba, 1 };
    g_assert_cmphex(copy(drive, to_lba, ranges, 2), ==, NVME_LBA_RANGE);
    ranges[1] = (CopyRange) { UINT64_MAX, 1 };
    g_assert_cmphex(copy(drive, to_lba, ranges, 2), ==, NVME_LBA_RANGE);
    g_assert_cmphex(copy(drive, end_lba, ranges, 1), ==, NVME_LBA_RANGE);
    g_assert_cmphex(copy(drive, to_lba + 1, ranges, 1), ==,
                    NVME_ZONE_INVALID_WRITE);
    cmd = copy_cmd(drive, to_lba, ranges, 1, 0);
    cmd.dptr.prp1 = cpu_to_le64(UINT64_C(0x80000000));
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                    NVME_DATA_TRAS_ERROR);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_EMPTY, 0);
    /* all that is allowed at once */
    for (unsigned i = 0; i < RANGES_MAX; i++) {
        ranges[i] = (CopyRange) { i, 1 };
    }
    g_assert_cmphex(copy(drive, to_lba, ranges, RANGES_MAX), ==,
                    NVME_SUCCESS);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_IMPLICITLY_OPEN, RANGES_MAX);
    femu_shutdown(drive);
}

/* A hint: at once, without effect; but its ranges are looked at. */
static void test_dataset(void)
{
    FemuDrive *drive = boot();
    g_autofree uint8_t *data = femu_pattern(drive, 0, 8, 1);
    uint64_t end_lba = femu_zone_lba(drive, 8);
    NvmeDsmRange range[256] = { { 0 } };
    NvmeCmd cmd = {
        .opcode = NVME_CMD_DSM,
        .nsid = cpu_to_le32(FEMU_NSID),
        .cdw10 = cpu_to_le32(255),
        .cdw11 = cpu_to_le32(NVME_DSMGMT_AD),
        .dptr.prp1 = cpu_to_le64(drive->buf),
    };

    g_assert_cmphex(femu_write(drive, 0, 8, data), ==, NVME_SUCCESS);
    range[0].nlb = cpu_to_le32(8);
    range[255] = (NvmeDsmRange) {
        .slba = cpu_to_le64(end_lba - 1), .nlb = cpu_to_le32(1),
    };
    qtest_bufwrite(drive->host->qts, drive->buf, range, sizeof(range));
    femu_submit(&drive->io, &cmd);
    g_assert_cmphex(femu_expect_now(&drive->io_cq).status, ==, NVME_SUCCESS);
    femu_assert_data(drive, 0, 8, data);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, 8);
    range[255].nlb = cpu_to_le32(2);
    qtest_bufwrite(drive->host->qts, drive->buf, range, sizeof(range));
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_LBA_RANGE);
    cmd.cdw10 = cpu_to_le32(254);       /* not among those */
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
    cmd.dptr.prp1 = cpu_to_le64(UINT64_C(0x80000000));
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                    NVME_DATA_TRAS_ERROR);
    femu_shutdown(drive);
}

/* Blocks that a user has made bad fail these commands too. */
static void test_bad_blocks(void)
{
    FemuDrive *drive = boot();
    uint64_t to_lba = femu_zone_lba(drive, 1);
    g_autofree uint8_t *data = femu_pattern(drive, 0, 4, 1);
    const CopyRange ranges[] = { { 0, 1 }, { 2, 1 } };

    g_assert_cmphex(femu_write(drive, 0, 4, data), ==, NVME_SUCCESS);
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
        "'arguments': {'path': '/machine/peripheral/zns4',"
        "'property': 'inject-read-error', 'value': '2 1'}}");
    g_assert_cmphex(no_data(drive, NVME_CMD_VERIFY, 0, 4), ==,
                    NVME_UNRECOVERED_READ);
    g_assert_cmphex(no_data(drive, NVME_CMD_VERIFY, 0, 2), ==, NVME_SUCCESS);
    g_assert_cmphex(compare(drive, 0, 4, data), ==, NVME_UNRECOVERED_READ);
    g_assert_cmphex(copy(drive, to_lba, ranges, 2), ==,
                    NVME_UNRECOVERED_READ);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_EMPTY, 0);
    g_assert_cmphex(copy(drive, to_lba, ranges, 1), ==, NVME_SUCCESS);
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
        "'arguments': {'path': '/machine/peripheral/zns4',"
        "'property': 'inject-write-error', 'value': '258 1'}}");
    g_assert_cmphex(copy(drive, to_lba + 1, ranges, 1), ==, NVME_SUCCESS);
    g_assert_cmphex(copy(drive, to_lba + 2, ranges, 1), ==, NVME_WRITE_FAULT);
    g_assert_cmphex(no_data(drive, NVME_CMD_WRITE_ZEROES, to_lba + 2, 1), ==,
                    NVME_WRITE_FAULT);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_IMPLICITLY_OPEN, 2);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/nvm/" name, test)
    ADD("identify", test_identify);
    ADD("write-zeroes", test_write_zeroes);
    ADD("write-zeroes-limit", test_write_zeroes_limit);
    ADD("write-zeroes-over-old", test_write_zeroes_over_old);
    ADD("verify", test_verify);
    ADD("compare", test_compare);
    ADD("copy", test_copy);
    ADD("copy-time", test_copy_time);
    ADD("copy-refused", test_copy_refused);
    ADD("dataset", test_dataset);
    ADD("bad-blocks", test_bad_blocks);
#undef ADD
    return g_test_run();
}
