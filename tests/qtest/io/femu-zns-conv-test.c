/*
 * The conventional namespace: its command set, data at any address, what
 * deallocation leaves, formats, and its times on an idle drive.
 *
 * Knows nothing of cleaning, and of zones only that they are untouched.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/cutils.h"
#include "femu-zns-commands.h"

#define PATH "/machine/peripheral/zns4"
#define CONV 2u                         /* its namespace */
#define CONV_BYTES (2 * SSD_MIB)
#define SHADOW_STEPS 600
#define LOG_CHANGED_ZONES 0xbf

static FemuConfig conv_config(uint32_t lba_bytes)
{
    FemuConfig config = femu_small_config();

    config.ssd.lba_bytes = lba_bytes;
    config.ssd.conventional_bytes = CONV_BYTES;
    return config;
}

static FemuDrive *boot(uint32_t lba_bytes)
{
    FemuConfig config = conv_config(lba_bytes);
    FemuDrive *drive = femu_boot(&config, NULL);

    drive->nsid = CONV;
    return drive;
}

static uint64_t size_nlb(const FemuDrive *drive)
{
    return CONV_BYTES / drive->config.ssd.lba_bytes;
}

/* Identify */

static void test_identify(void)
{
    FemuDrive *drive = boot(4096);
    uint8_t list[NVME_IDENTIFY_DATA_SIZE];
    uint32_t nsids[NVME_IDENTIFY_DATA_SIZE / 4];
    NvmeIdCtrl ctrl;
    NvmeIdNs id;

    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CTRL, 0, 0, &ctrl), ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(le32_to_cpu(ctrl.nn), ==, 2);
    g_assert_cmpuint(ldq_le_p(ctrl.tnvmcap), ==,
                     8 * drive->config.ssd.zone_capacity_bytes + CONV_BYTES);
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_NS, 0, CONV, &id), ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(le64_to_cpu(id.nsze), ==, size_nlb(drive));
    g_assert_cmpuint(le64_to_cpu(id.ncap), ==, size_nlb(drive));
    g_assert_cmpuint(le64_to_cpu(id.nuse), ==, size_nlb(drive));
    g_assert_cmpuint(ldq_le_p(id.nvmcap), ==, CONV_BYTES);
    g_assert_cmphex(id.dlfeat, ==, 1);
    /* the last descriptor: type 4, one byte, the NVM command set */
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_NS_DESCR_LIST, 0, CONV,
                                  list), ==, NVME_SUCCESS);
    g_assert_cmphex(list[52], ==, NVME_NIDT_CSI);
    g_assert_cmphex(list[53], ==, 1);
    g_assert_cmphex(list[56], ==, NVME_CSI_NVM);
    /* by command set */
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CS_NS, NVME_CSI_NVM, CONV,
                                  NULL), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CS_NS, NVME_CSI_ZONED,
                                  CONV, NULL), ==, NVME_INVALID_FIELD);
    for (unsigned csi = 0; csi <= NVME_CSI_ZONED; csi += NVME_CSI_ZONED) {
        g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CS_NS_ACTIVE_LIST,
                                      csi, 0, nsids), ==, NVME_SUCCESS);
        g_assert_cmpuint(le32_to_cpu(nsids[0]), ==, csi ? 1 : CONV);
        g_assert_cmpuint(nsids[1], ==, 0);
    }
    femu_shutdown(drive);
}

/* Commands of zones are none of its command set. */
static void test_no_zones(void)
{
    static const uint8_t opcodes[] = {
        NVME_CMD_ZONE_APPEND, NVME_CMD_ZONE_MGMT_SEND,
        NVME_CMD_ZONE_MGMT_RECV,
    };
    FemuDrive *drive = boot(4096);
    QDict *reply, *error;

    for (unsigned i = 0; i < ARRAY_SIZE(opcodes); i++) {
        NvmeCmd cmd = femu_cmd_rw(drive, opcodes[i], 0, 1, drive->buf);

        cmd.cdw13 = cpu_to_le32(NVME_ZONE_ACTION_RESET);
        g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                        NVME_INVALID_OPCODE);
    }
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, CONV,
                               127u << 16 | LOG_CHANGED_ZONES, 0,
                               drive->buf).status, ==, NVME_INVALID_FIELD);
    reply = qtest_qmp(drive->host->qts, "{'execute': 'qom-set', 'arguments': {"
                      "'path': %s, 'property': 'zone-fail', 'value': "
                      "'2:0 offline'}}", PATH);
    error = qdict_get_qdict(reply, "error");
    g_assert_nonnull(error);
    g_assert_cmpstr(qdict_get_str(error, "desc"), ==, "zone-fail=2:0 offline: "
                    "namespace 2 is conventional: it has no zones");
    qobject_unref(reply);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

/* A host that enables the NVM command set alone has this one only. */
static void test_nvm_alone(void)
{
    FemuDrive *drive = boot(4096);
    uint32_t nsids[NVME_IDENTIFY_DATA_SIZE / 4];
    g_autofree uint8_t *data = femu_pattern(drive, 9, 8, 1);

    femu_disable(drive);
    drive->css = NVME_CC_CSS_NVM;
    femu_enable(drive);
    femu_io_queues_create(drive);
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_NS_ACTIVE_LIST, 0, 0,
                                  nsids), ==, NVME_SUCCESS);
    g_assert_cmpuint(le32_to_cpu(nsids[0]), ==, CONV);
    g_assert_cmpuint(nsids[1], ==, 0);
    g_assert_cmphex(femu_write(drive, 9, 8, data), ==, NVME_SUCCESS);
    femu_assert_data(drive, 9, 8, data);
    drive->nsid = 1;
    g_assert_cmphex(femu_write(drive, 0, 8, data), ==, NVME_INVALID_FIELD);
    femu_shutdown(drive);
}

/* Data */

static NvmeCmd zeroes_cmd(FemuDrive *drive, uint64_t slba, uint32_t nlb)
{
    return femu_cmd_rw(drive, NVME_CMD_WRITE_ZEROES, slba, nlb, drive->buf);
}

static uint16_t deallocate(FemuDrive *drive, const NvmeDsmRange *range,
                           unsigned count)
{
    NvmeCmd cmd = {
        .opcode = NVME_CMD_DSM,
        .nsid = cpu_to_le32(drive->nsid),
        .cdw10 = cpu_to_le32(count - 1),
        .cdw11 = cpu_to_le32(NVME_DSMGMT_AD),
    };

    qtest_bufwrite(drive->host->qts, drive->buf, range,
                   count * sizeof(*range));
    femu_set_prps(drive, &cmd, drive->buf, count * sizeof(*range));
    return femu_exec(&drive->io, &cmd).status;
}

static uint16_t deallocate_one(FemuDrive *drive, uint64_t slba, uint32_t nlb)
{
    NvmeDsmRange range = {
        .slba = cpu_to_le64(slba),
        .nlb = cpu_to_le32(nlb),
    };

    return deallocate(drive, &range, 1);
}

/* Anywhere, again and again; the zones are another matter. */
static void test_data(void)
{
    FemuDrive *drive = boot(4096);
    uint64_t last = size_nlb(drive) - 8;
    g_autofree uint8_t *one = femu_pattern(drive, 0, 8, 1);
    g_autofree uint8_t *two = femu_pattern(drive, 0, 8, 2);

    femu_assert_data(drive, 0, 128, NULL);
    g_assert_cmphex(femu_write(drive, last, 8, one), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_write(drive, 3, 8, one), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_write(drive, 3, 8, two), ==, NVME_SUCCESS);
    femu_assert_data(drive, 3, 8, two);
    femu_assert_data(drive, last, 8, one);
    femu_assert_data(drive, 0, 3, NULL);
    femu_assert_data(drive, 11, 4, NULL);
    g_assert_cmphex(femu_compare(drive, 3, 8, two), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_compare(drive, 3, 8, one), ==, NVME_CMP_FAILURE);
    /* a copy over itself takes its source as it was */
    g_assert_cmphex(femu_copy(drive, 3, 8, 5), ==, NVME_SUCCESS);
    femu_assert_data(drive, 5, 8, two);
    femu_assert_data(drive, 3, 2, two);
    drive->nsid = 1;
    femu_assert_data(drive, 3, 8, NULL);
    g_assert_cmphex(femu_write(drive, 0, 8, one), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0, true),
                    ==, NVME_SUCCESS);
    drive->nsid = CONV;
    femu_assert_data(drive, 5, 8, two);
    femu_assert_data(drive, last, 8, one);
    femu_shutdown(drive);
}

static void test_refused(void)
{
    FemuDrive *drive = boot(4096);
    uint64_t size = size_nlb(drive);
    NvmeDsmRange ranges[2] = { { .nlb = cpu_to_le32(8) } };
    g_autofree uint8_t *data = femu_pattern(drive, 0, 8, 1);
    NvmeCmd zeroes = zeroes_cmd(drive, size - 1, 2);

    g_assert_cmphex(femu_write(drive, 0, 8, data), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_write(drive, size - 1, 2, NULL), ==, NVME_LBA_RANGE);
    g_assert_cmphex(femu_write(drive, UINT64_MAX, 1, NULL), ==,
                    NVME_LBA_RANGE);
    g_assert_cmphex(femu_read(drive, size, 1, NULL), ==, NVME_LBA_RANGE);
    g_assert_cmphex(femu_exec(&drive->io, &zeroes).status, ==, NVME_LBA_RANGE);
    g_assert_cmphex(femu_copy(drive, size - 1, 2, 0), ==, NVME_LBA_RANGE);
    g_assert_cmphex(femu_copy(drive, 0, 2, size - 1), ==, NVME_LBA_RANGE);
    /* all ranges or none */
    ranges[1].slba = cpu_to_le64(size);
    ranges[1].nlb = cpu_to_le32(1);
    g_assert_cmphex(deallocate(drive, ranges, 2), ==, NVME_LBA_RANGE);
    femu_assert_data(drive, 0, 8, data);
    ranges[1].nlb = 0;
    g_assert_cmphex(deallocate(drive, ranges, 2), ==, NVME_SUCCESS);
    femu_assert_data(drive, 0, 8, NULL);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

/* Each range, and nothing between them. */
static void test_many_ranges(void)
{
    static const uint8_t gone[32] = {
        [0] = 1, [1] = 1, [8] = 1, [9] = 1, [10] = 1, [30] = 1, [31] = 1,
    };
    FemuDrive *drive = boot(4096);
    NvmeDsmRange ranges[4] = {
        { .slba = cpu_to_le64(0), .nlb = cpu_to_le32(2) },
        { .slba = cpu_to_le64(30), .nlb = cpu_to_le32(2) },
        { .slba = cpu_to_le64(20), .nlb = 0 },
        { .slba = cpu_to_le64(8), .nlb = cpu_to_le32(3) },
    };
    g_autofree uint8_t *data = femu_pattern(drive, 0, 32, 1);

    g_assert_cmphex(femu_write(drive, 0, 32, data), ==, NVME_SUCCESS);
    g_assert_cmphex(deallocate(drive, ranges, 4), ==, NVME_SUCCESS);
    for (unsigned i = 0; i < 32; i++) {
        femu_assert_data(drive, i, 1, gone[i] ? NULL : data + i * 4096);
    }
    femu_shutdown(drive);
}

static uint64_t random_below(uint64_t below)
{
    return g_test_rand_int_range(0, below);
}

/* One command of any kind, and what it makes of the shadow. */
static void shadow_step(FemuDrive *drive, uint8_t *shadow, unsigned seed)
{
    uint32_t lba_bytes = drive->config.ssd.lba_bytes;
    uint32_t nlb = 1 + random_below(random_below(4) ? 12 : 120);
    uint64_t slba = random_below(size_nlb(drive) - nlb);
    uint64_t other = random_below(size_nlb(drive) - nlb);
    size_t at = slba * lba_bytes, bytes = nlb * lba_bytes;
    g_autofree uint8_t *data = femu_pattern(drive, slba, nlb, seed);
    NvmeCmd cmd;

    switch (random_below(6)) {
    case 0:
    case 1:
        g_assert_cmphex(femu_write(drive, slba, nlb, data), ==, NVME_SUCCESS);
        memcpy(shadow + at, data, bytes);
        break;
    case 2:
        cmd = zeroes_cmd(drive, slba, nlb);
        g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
        memset(shadow + at, 0, bytes);
        break;
    case 3:
        g_assert_cmphex(deallocate_one(drive, slba, nlb), ==, NVME_SUCCESS);
        memset(shadow + at, 0, bytes);
        break;
    case 4:
        g_assert_cmphex(femu_copy(drive, other, nlb, slba), ==, NVME_SUCCESS);
        memmove(shadow + at, shadow + other * lba_bytes, bytes);
        break;
    default:
        femu_assert_data(drive, slba, nlb, shadow + at);
        break;
    }
}

static void check_shadow(uint32_t lba_bytes)
{
    FemuDrive *drive = boot(lba_bytes);
    g_autofree uint8_t *shadow = g_malloc0(CONV_BYTES);
    uint32_t most = FEMU_BUF_BYTES / lba_bytes;

    for (unsigned i = 0; i < SHADOW_STEPS; i++) {
        shadow_step(drive, shadow, i);
    }
    for (uint64_t lba = 0; lba < size_nlb(drive); lba += most) {
        femu_assert_data(drive, lba, most, shadow + lba * lba_bytes);
    }
    femu_shutdown(drive);
}

/* Many commands, among them some on parts of what the drive maps. */
static void test_shadow_512(void)
{
    check_shadow(512);
}

static void test_shadow_4k(void)
{
    check_shadow(4096);
}

/*
 * As much as a command may read, from within a granule to within another one,
 * of which only the last block is written: what is put together for the host
 * ends there, and so does the memory for it.
 */
static void test_last_block(void)
{
    FemuDrive *drive = boot(512);
    uint32_t bytes = drive->config.ssd.mdts_bytes, nlb = bytes / 512;
    g_autofree uint8_t *data = femu_pattern(drive, 0, 1, 1);
    g_autofree uint8_t *wanted = g_malloc0(bytes);

    g_assert_cmphex(femu_write(drive, nlb, 1, data), ==, NVME_SUCCESS);
    memcpy(wanted + bytes - 512, data, 512);
    femu_assert_data(drive, 1, nlb, wanted);
    femu_shutdown(drive);
}

/* Write blocks where nothing is, look around them, and free them. */
static void check_around(FemuDrive *drive, uint64_t first, uint32_t nlb)
{
    uint64_t start = QEMU_ALIGN_DOWN(first, 8), end = first + nlb;
    g_autofree uint8_t *data = femu_pattern(drive, first, nlb, 3);

    g_assert_cmphex(femu_write(drive, first, nlb, data), ==, NVME_SUCCESS);
    if (first > start) {
        femu_assert_data(drive, start, first - start, NULL);
    }
    femu_assert_data(drive, first, nlb, data);
    femu_assert_data(drive, end, 8 - end % 8, NULL);
    g_assert_cmphex(deallocate_one(drive, start, QEMU_ALIGN_UP(end, 8) -
                                   start), ==, NVME_SUCCESS);
    femu_assert_data(drive, start, QEMU_ALIGN_UP(end, 8) - start, NULL);
}

/*
 * What the memory held before is nowhere to be seen. A private file gives no
 * memory back, so what is freed must read as zeroes without that.
 */
static void check_memdev(bool share)
{
    g_autofree char *path = NULL;
    int fd = g_file_open_tmp("femu-zns-conv-XXXXXX", &path, NULL);
    FemuConfig config = conv_config(512);
    uint64_t zoned_bytes = 8 * config.ssd.zone_capacity_bytes;
    uint64_t bytes = zoned_bytes + CONV_BYTES;
    g_autofree uint8_t *junk = g_malloc(bytes);
    g_autofree char *device = femu_device_args(&config, FEMU_SLOT,
                                               "memdev=data");
    g_autofree char *args = g_strdup_printf(
        "-object memory-backend-file,id=data,share=%s,mem-path=%s,"
        "size=%" PRIu64 " %s", share ? "on" : "off", path, bytes, device);
    g_autofree uint8_t *data = NULL;
    uint8_t found[512];
    FemuDrive *drive;

    memset(junk, 0xa5, bytes);
    g_assert_cmpint(pwrite(fd, junk, bytes, 0), ==, bytes);
    drive = femu_drive_open(femu_host_start(args), FEMU_SLOT, &config);
    femu_enable(drive);
    femu_io_queues_create(drive);
    drive->nsid = CONV;
    data = femu_pattern(drive, 0, 1, 7);
    femu_assert_data(drive, 0, 64, NULL);
    /* the second of the eight blocks of a granule, then the fourth is freed */
    g_assert_cmphex(femu_write(drive, 17, 1, data), ==, NVME_SUCCESS);
    g_assert_cmphex(deallocate_one(drive, 27, 1), ==, NVME_SUCCESS);
    femu_assert_data(drive, 16, 1, NULL);
    femu_assert_data(drive, 17, 1, data);
    femu_assert_data(drive, 18, 14, NULL);
    /* the last block of the first granule */
    g_assert_cmphex(femu_write(drive, 7, 1, data), ==, NVME_SUCCESS);
    femu_assert_data(drive, 0, 7, NULL);
    if (share) {
        g_assert_cmpint(pread(fd, found, 512, zoned_bytes + 17 * 512), ==,
                        512);
        g_assert_cmpmem(found, 512, data, 512);
    }
    /* to the end of a granule, from the start of one, across, a whole one */
    check_around(drive, 33, 7);
    check_around(drive, 48, 3);
    check_around(drive, 70, 20);
    check_around(drive, 96, 8);
    femu_shutdown(drive);
    close(fd);
    unlink(path);
}

static void test_memdev(void)
{
    check_memdev(true);
}

static void test_memdev_private(void)
{
    check_memdev(false);
}

/* Format */

static uint16_t format(FemuDrive *drive, uint32_t nsid, uint32_t lba_format)
{
    return femu_admin(drive, NVME_ADM_CMD_FORMAT_NVM, nsid, lba_format, 0,
                      0).status;
}

/* At once, for nothing has to be erased; the zones keep their data. */
static void test_format(void)
{
    FemuDrive *drive = boot(4096);
    g_autofree uint8_t *data = femu_pattern(drive, 0, 8, 1);
    uint64_t start_ns;
    NvmeIdNs id;

    g_assert_cmphex(femu_write(drive, 40, 8, data), ==, NVME_SUCCESS);
    drive->nsid = 1;
    g_assert_cmphex(femu_write(drive, 0, 8, data), ==, NVME_SUCCESS);
    start_ns = drive->host->now_ns;
    g_assert_cmphex(format(drive, CONV, 0), ==, NVME_SUCCESS);
    g_assert_cmpuint(drive->host->now_ns, ==, start_ns);
    femu_assert_data(drive, 0, 8, data);
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_NS, 0, CONV, &id), ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(id.flbas, ==, 0);
    g_assert_cmpuint(le64_to_cpu(id.nsze), ==, CONV_BYTES / 512);
    drive->nsid = CONV;
    drive->config.ssd.lba_bytes = 512;
    femu_assert_data(drive, 320, 64, NULL);
    g_assert_cmphex(femu_write(drive, 321, 9, data), ==, NVME_SUCCESS);
    femu_assert_data(drive, 321, 9, data);
    g_assert_cmphex(femu_read(drive, size_nlb(drive) - 1, 1, NULL), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_read(drive, size_nlb(drive), 1, NULL), ==,
                    NVME_LBA_RANGE);
    femu_shutdown(drive);
}

/* Time */

/*
 * Bytes that complete no page have crossed the channel; the write that
 * completes it pays for the program; a whole page is read back in its time.
 */
static void test_times(void)
{
    FemuDrive *drive = boot(4096);
    const SsdParams *ssd = &drive->config.ssd;
    uint64_t at_ns = 0;
    uint16_t cid;

    for (unsigned i = 0; i < 4; i++) {
        at_ns += ssd->page_transfer_ns / 4 + (i == 3 ? ssd->program_ns : 0);
        cid = femu_submit_rw(drive, NVME_CMD_WRITE, 97 + i, 1);
        femu_expect_ok(&drive->io_cq, at_ns, 1, cid);
    }
    at_ns += ssd->read_ns + ssd->page_transfer_ns;
    cid = femu_submit_rw(drive, NVME_CMD_READ, 97, 4);
    femu_expect_ok(&drive->io_cq, at_ns, 1, cid);
    /* nothing is there: no time */
    cid = femu_submit_rw(drive, NVME_CMD_READ, 200, 4);
    femu_expect_ok(&drive->io_cq, at_ns, 1, cid);
    /* it shares the flash: unit 0 senses, and programs a zone's page then */
    drive->nsid = 1;
    cid = femu_submit_rw(drive, NVME_CMD_WRITE, 0, 4);
    drive->nsid = CONV;
    femu_submit_rw(drive, NVME_CMD_READ, 97, 4);
    femu_expect_ok(&drive->io_cq, at_ns + ssd->read_ns +
                   ssd->page_transfer_ns, 1, cid + 1);
    femu_expect_ok(&drive->io_cq, at_ns + ssd->read_ns + ssd->program_ns, 1,
                   cid);
    femu_shutdown(drive);
}

/* Bad blocks */

static void set_property(FemuDrive *drive, const char *name, const char *value)
{
    QDict *reply = qtest_qmp(
        drive->host->qts, "{'execute': 'qom-set', 'arguments': {'path': %s, "
        "'property': %s, 'value': %s}}", PATH, name, value);

    g_assert_true(qdict_haskey(reply, "return"));
    qobject_unref(reply);
}

static void test_inject(void)
{
    FemuDrive *drive = boot(4096);
    NvmeCmd zeroes = zeroes_cmd(drive, 4, 8);
    g_autofree uint8_t *data = femu_pattern(drive, 0, 8, 1);

    g_assert_cmphex(femu_write(drive, 0, 8, data), ==, NVME_SUCCESS);
    set_property(drive, "inject-write-error", "2:8 1");
    set_property(drive, "inject-read-error", "2:3 1");
    g_assert_cmphex(femu_write(drive, 4, 8, NULL), ==, NVME_WRITE_FAULT);
    g_assert_cmphex(femu_exec(&drive->io, &zeroes).status, ==,
                    NVME_WRITE_FAULT);
    g_assert_cmphex(femu_read(drive, 0, 8, NULL), ==, NVME_UNRECOVERED_READ);
    femu_assert_data(drive, 4, 4, data + 4 * 4096);
    g_assert_cmphex(femu_copy(drive, 0, 4, 100), ==, NVME_UNRECOVERED_READ);
    g_assert_cmphex(femu_copy(drive, 4, 2, 7), ==, NVME_WRITE_FAULT);
    g_assert_cmphex(femu_write(drive, 4, 4, NULL), ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/conv/" name, test)
    ADD("identify", test_identify);
    ADD("no-zones", test_no_zones);
    ADD("nvm-alone", test_nvm_alone);
    ADD("data", test_data);
    ADD("last-block", test_last_block);
    ADD("refused", test_refused);
    ADD("many-ranges", test_many_ranges);
    ADD("shadow/512", test_shadow_512);
    ADD("shadow/4k", test_shadow_4k);
    ADD("memdev", test_memdev);
    ADD("memdev/private", test_memdev_private);
    ADD("format", test_format);
    ADD("times", test_times);
    ADD("inject", test_inject);
#undef ADD
    return g_test_run();
}
