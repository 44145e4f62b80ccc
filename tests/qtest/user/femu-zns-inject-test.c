/*
 * What a user breaks at run time: blocks that cannot be read or written.
 *
 * Knows nothing of zones that fail as a whole.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qobject/qdict.h"
#include "femu-zns-commands.h"

#define PATH "/machine/peripheral/zns4"

static FemuDrive *boot(void)
{
    FemuConfig config = femu_small_config();

    return femu_boot(&config, NULL);
}

static QDict *qom_set(FemuDrive *drive, const char *name, const char *value)
{
    return qtest_qmp(drive->host->qts, "{'execute': 'qom-set', 'arguments': {"
                     "'path': %s, 'property': %s, 'value': %s}}", PATH, name,
                     value);
}

static void inject(FemuDrive *drive, const char *name, const char *value)
{
    QDict *reply = qom_set(drive, name, value);

    g_assert_true(qdict_haskey(reply, "return"));
    qobject_unref(reply);
}

/* The property refuses the value, with a message that says all of this. */
static void refused(FemuDrive *drive, const char *name, const char *value,
                    const char *message)
{
    QDict *reply = qom_set(drive, name, value);
    QDict *error = qdict_get_qdict(reply, "error");

    g_assert_nonnull(error);
    g_assert_cmpstr(qdict_get_str(error, "desc"), ==, message);
    qobject_unref(reply);
}

static uint64_t media_errors(FemuDrive *drive)
{
    NvmeSmartLog log;

    g_assert_cmphex(femu_get_log(drive, NVME_LOG_SMART_INFO, 0, 0, &log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    return le64_to_cpu(log.media_errors[0]);
}

/* Nobody can say whether what cannot be read is the same. */
static void test_compare(void)
{
    FemuDrive *drive = boot();
    g_autofree uint8_t *data = femu_pattern(drive, 0, 1, 1);

    inject(drive, "inject-read-error", "0 1");
    g_assert_cmphex(femu_compare(drive, 0, 1, data), ==,
                    NVME_UNRECOVERED_READ);
    femu_shutdown(drive);
}

/* A bad block fails what touches it, after its time and without data. */
static void test_read(void)
{
    FemuDrive *drive = boot();
    uint32_t page_nlb = femu_page_nlb(drive);
    g_autofree uint8_t *data = femu_pattern(drive, 0, 2 * page_nlb, 1);
    uint8_t byte;
    NvmeErrorLog log;
    uint64_t start_ns, errors;
    NvmeCmd verify;
    FemuCqe cqe;

    g_assert_cmphex(femu_write(drive, 0, 2 * page_nlb, data), ==,
                    NVME_SUCCESS);
    inject(drive, "inject-read-error", "1 2");
    qtest_memset(drive->host->qts, drive->buf, 0xa5, FEMU_BUF_BYTES);
    start_ns = drive->host->now_ns;
    femu_submit_rw(drive, NVME_CMD_READ, 0, page_nlb);
    cqe = femu_expect_at(&drive->io_cq, start_ns + drive->config.ssd.read_ns +
                                        drive->config.ssd.page_transfer_ns);
    g_assert_cmphex(cqe.status, ==, NVME_UNRECOVERED_READ);
    qtest_bufread(drive->host->qts, drive->buf, &byte, 1);
    g_assert_cmphex(byte, ==, 0xa5);
    g_assert_cmphex(femu_read(drive, 2, 1, NULL), ==, NVME_UNRECOVERED_READ);
    g_assert_cmpuint(media_errors(drive), ==, 2);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_ERROR_INFO, 0, 0, &log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    g_assert_cmpuint(le64_to_cpu(log.error_count), ==, 2);
    g_assert_cmpuint(le64_to_cpu(log.lba), ==, 2);
    /* a copy of blocks that are not there is told so */
    inject(drive, "inject-read-error", "2047 1");
    g_assert_cmphex(femu_copy(drive, 2047, 2, femu_zone_lba(drive, 1)), ==,
                    NVME_LBA_RANGE);
    g_assert_cmphex(femu_copy(drive, 2047, 1, femu_zone_lba(drive, 1)), ==,
                    NVME_UNRECOVERED_READ);
    g_assert_cmpuint(media_errors(drive), ==, 3);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_ERROR_INFO, 0, 0, &log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    errors = le64_to_cpu(log.error_count);
    /* a Verify reads, too */
    verify = femu_cmd_rw(drive, NVME_CMD_VERIFY, 2, 1, 0);
    g_assert_cmphex(femu_exec(&drive->io, &verify).status, ==,
                    NVME_UNRECOVERED_READ);
    g_assert_cmpuint(media_errors(drive), ==, 4);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_ERROR_INFO, 0, 0, &log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    g_assert_cmpuint(le64_to_cpu(log.lba), ==, 2);
    g_assert_cmpuint(le64_to_cpu(log.error_count), ==, errors + 1);
    /* its neighbours are good */
    femu_assert_data(drive, 0, 1, data);
    femu_assert_data(drive, 3, 1, data + 3 * drive->config.ssd.lba_bytes);
    qtest_qom_set_bool(drive->host->qts, PATH, "inject-clear", false);
    g_assert_cmphex(femu_read(drive, 2, 1, NULL), ==, NVME_UNRECOVERED_READ);
    qtest_qom_set_bool(drive->host->qts, PATH, "inject-clear", true);
    femu_assert_data(drive, 0, 2 * page_nlb, data);
    g_assert_cmpuint(media_errors(drive), ==, 5);
    femu_shutdown(drive);
}

/* Assert what the error log says of the last command that failed. */
static void assert_error(FemuDrive *drive, uint16_t status, uint64_t lba)
{
    NvmeErrorLog log;

    g_assert_cmphex(femu_get_log(drive, NVME_LOG_ERROR_INFO, 0, 0, &log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    g_assert_cmphex(le16_to_cpu(log.status_field) >> 1 & 0x7ff, ==, status);
    g_assert_cmpuint(le64_to_cpu(log.lba), ==, lba);
}

/*
 * The log has the lowest block that failed (NVM command set 1.0, 4.1.4.1),
 * whatever the order of the ranges; of a command without blocks there is none.
 */
static void test_error_lba(void)
{
    FemuDrive *drive = boot();
    uint64_t to_lba = femu_zone_lba(drive, 1), lba;
    g_autofree uint8_t *data = femu_pattern(drive, 0, 8, 1);
    NvmeCmd cmd;

    g_assert_cmphex(femu_write(drive, 0, 8, data), ==, NVME_SUCCESS);
    inject(drive, "inject-read-error", "6 1");
    inject(drive, "inject-read-error", "2 3");
    inject(drive, "inject-write-error", "259 8");
    g_assert_cmphex(femu_read(drive, 0, 8, NULL), ==, NVME_UNRECOVERED_READ);
    assert_error(drive, NVME_UNRECOVERED_READ, 2);
    g_assert_cmphex(femu_read(drive, 4, 4, NULL), ==, NVME_UNRECOVERED_READ);
    assert_error(drive, NVME_UNRECOVERED_READ, 4);
    cmd = femu_cmd_rw(drive, NVME_CMD_VERIFY, 5, 3, 0);
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                    NVME_UNRECOVERED_READ);
    assert_error(drive, NVME_UNRECOVERED_READ, 6);
    g_assert_cmphex(femu_compare(drive, 0, 8, data), ==,
                    NVME_UNRECOVERED_READ);
    assert_error(drive, NVME_UNRECOVERED_READ, 2);
    g_assert_cmphex(femu_copy(drive, 5, 3, to_lba), ==,
                    NVME_UNRECOVERED_READ);
    assert_error(drive, NVME_UNRECOVERED_READ, 6);
    g_assert_cmphex(femu_copy(drive, 0, 2, to_lba), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_copy(drive, 0, 2, to_lba + 2), ==, NVME_WRITE_FAULT);
    assert_error(drive, NVME_WRITE_FAULT, to_lba + 3);
    g_assert_cmphex(femu_write(drive, to_lba + 2, 4, NULL), ==,
                    NVME_WRITE_FAULT);
    assert_error(drive, NVME_WRITE_FAULT, to_lba + 3);
    g_assert_cmphex(femu_append(drive, to_lba, 4, NULL, &lba), ==,
                    NVME_WRITE_FAULT);
    assert_error(drive, NVME_WRITE_FAULT, to_lba + 3);
    cmd = femu_cmd_rw(drive, NVME_CMD_WRITE_ZEROES, to_lba + 2, 3, 0);
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_WRITE_FAULT);
    assert_error(drive, NVME_WRITE_FAULT, to_lba + 3);
    /* data that differ from the third block on */
    qtest_qom_set_bool(drive->host->qts, PATH, "inject-clear", true);
    data[2 * drive->config.ssd.lba_bytes] ^= 1;
    data[5 * drive->config.ssd.lba_bytes] ^= 1;
    g_assert_cmphex(femu_compare(drive, 0, 8, data), ==, NVME_CMP_FAILURE);
    assert_error(drive, NVME_CMP_FAILURE, 2);
    /* CDW10 and CDW11 of these are no block */
    cmd = (NvmeCmd) {
        .opcode = NVME_CMD_DSM,
        .nsid = cpu_to_le32(FEMU_NSID),
        .cdw10 = cpu_to_le32(3),
        .cdw11 = cpu_to_le32(NVME_DSMGMT_AD),
        .dptr.prp1 = cpu_to_le64(UINT64_C(0x80000000)),
    };
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                    NVME_DATA_TRAS_ERROR);
    assert_error(drive, NVME_DATA_TRAS_ERROR, 0);
    cmd.opcode = 0x0d; /* Reservation Register, which is not offered */
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                    NVME_INVALID_OPCODE);
    assert_error(drive, NVME_INVALID_OPCODE, 0);
    femu_shutdown(drive);
}

/* Of all namespaces. */
static void test_clear(void)
{
    FemuConfig config = femu_small_config();
    g_autofree uint8_t *block = g_malloc(config.ssd.lba_bytes);
    FemuDrive *drive;

    config.ssd.namespaces = 2;
    drive = femu_boot(&config, NULL);
    inject(drive, "inject-read-error", "1:0 1");
    inject(drive, "inject-read-error", "2:0 1");
    for (unsigned i = 0; i < 2; i++) {
        for (drive->nsid = 1; drive->nsid <= 2; drive->nsid++) {
            g_assert_cmphex(femu_read(drive, 0, 1, block), ==,
                            i == 0 ? NVME_UNRECOVERED_READ : NVME_SUCCESS);
        }
        qtest_qom_set_bool(drive->host->qts, PATH, "inject-clear", true);
    }
    drive->nsid = 1;
    femu_shutdown(drive);
}

static void assert_ranges(FemuDrive *drive, const char *name,
                          const char *wanted)
{
    QDict *reply = qtest_qmp(drive->host->qts, "{'execute': 'qom-get',"
                             "'arguments': {'path': %s, 'property': %s}}",
                             PATH, name);

    g_assert_cmpstr(qdict_get_str(reply, "return"), ==, wanted);
    qobject_unref(reply);
}

/* An empty zone's first block; what a user asks for can be read again. */
static void test_write_empty(void)
{
    FemuDrive *drive = boot();

    inject(drive, "inject-write-error", "256 1");
    inject(drive, "inject-read-error", "2047 1");
    inject(drive, "inject-read-error", "0 2048");
    assert_ranges(drive, "inject-write-error", "256 1");
    assert_ranges(drive, "inject-read-error", "2047 1, 0 2048");
    g_assert_cmphex(femu_write(drive, 256, 1, NULL), ==, NVME_WRITE_FAULT);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_EMPTY, 0);
    femu_shutdown(drive);
}

/* A write to a bad block fails at once and changes nothing. */
static void test_write(void)
{
    FemuDrive *drive = boot();
    g_autofree uint8_t *data = femu_pattern(drive, 0, 8, 1);
    uint64_t lba;

    inject(drive, "inject-write-error", "4 1");
    g_assert_cmphex(femu_write(drive, 0, 4, data), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_write(drive, 4, 4, NULL), ==, NVME_WRITE_FAULT);
    g_assert_cmphex(femu_append(drive, 0, 2, NULL, &lba), ==,
                    NVME_WRITE_FAULT);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, 4);
    femu_assert_data(drive, 0, 4, data);
    femu_assert_data(drive, 4, 4, NULL);
    /* what breaks the zone's rules, or those of LBAs, is told so */
    g_assert_cmphex(femu_write(drive, 3, 4, NULL), ==,
                    NVME_ZONE_INVALID_WRITE);
    g_assert_cmphex(femu_write(drive, 2048, 1, NULL), ==,
                    NVME_LBA_RANGE);
    g_assert_cmphex(femu_write(drive, 2047, 2, NULL), ==,
                    NVME_LBA_RANGE);
    g_assert_cmphex(femu_write(drive, 0, 4, NULL), ==,
                    NVME_ZONE_INVALID_WRITE);
    /* another zone's blocks are good, and so is the zone after a clear */
    femu_assert_works(drive, 1);
    g_assert_cmpuint(media_errors(drive), ==, 2);
    qtest_qom_set_bool(drive->host->qts, PATH, "inject-clear", true);
    g_assert_cmphex(femu_append(drive, 0, 4,
                                data + 4 * drive->config.ssd.lba_bytes, &lba),
                    ==, NVME_SUCCESS);
    g_assert_cmpuint(lba, ==, 4);
    femu_assert_data(drive, 0, 8, data);
    femu_shutdown(drive);
}

/* Of bad blocks, too, the zones' rules come first, and count no media error. */
static void test_rules_first(void)
{
    FemuDrive *drive = boot();
    uint32_t active = drive->config.ssd.max_active;
    uint64_t at_lba = femu_zone_lba(drive, active);
    uint64_t lba;
    NvmeCmd zeroes;

    for (uint32_t i = 0; i < active; i++) {
        g_assert_cmphex(femu_write(drive, femu_zone_lba(drive, i), 1, NULL),
                        ==, NVME_SUCCESS);
    }
    inject(drive, "inject-write-error", "0 2048");
    g_assert_cmphex(femu_write(drive, at_lba, 1, NULL), ==,
                    NVME_ZONE_TOO_MANY_ACTIVE);
    g_assert_cmphex(femu_append(drive, at_lba, 1, NULL, &lba), ==,
                    NVME_ZONE_TOO_MANY_ACTIVE);
    zeroes = femu_cmd_rw(drive, NVME_CMD_WRITE_ZEROES, at_lba, 1, 0);
    g_assert_cmphex(femu_exec(&drive->io, &zeroes).status, ==,
                    NVME_ZONE_TOO_MANY_ACTIVE);
    g_assert_cmphex(femu_copy(drive, 0, 1, at_lba), ==,
                    NVME_ZONE_TOO_MANY_ACTIVE);
    /* so is an append that names no zone's start */
    g_assert_cmphex(femu_append(drive, 1, 1, NULL, &lba), ==,
                    NVME_INVALID_FIELD);
    /* sources that cannot be read do not come first, either */
    inject(drive, "inject-read-error", "0 1");
    g_assert_cmphex(femu_copy(drive, 0, 1, at_lba), ==,
                    NVME_ZONE_TOO_MANY_ACTIVE);
    g_assert_cmphex(femu_copy(drive, 0, 1, 0), ==, NVME_ZONE_INVALID_WRITE);
    g_assert_cmpuint(media_errors(drive), ==, 0);
    /* where there is room, they fail as they should */
    g_assert_cmphex(femu_append(drive, 0, 1, NULL, &lba), ==,
                    NVME_WRITE_FAULT);
    g_assert_cmphex(femu_copy(drive, 0, 1, 1), ==, NVME_UNRECOVERED_READ);
    g_assert_cmpuint(media_errors(drive), ==, 2);
    femu_shutdown(drive);
}

static void test_refused(void)
{
    FemuDrive *drive = boot();
    static const char *const names[] = {
        "inject-read-error", "inject-write-error",
    };
    static const char *const malformed[] = {
        "", "1", "1,2", "x 1", "1 x", "1 2 3", "-", " ",
        "010 1", "1 010", "01:1 1",
    };
    static const char *const outside[] = {
        "2048 1", "2047 2", "0 0", "0 2049", "0xffffffffffffffff 1",
        "1 0xffffffffffffffff",
    };

    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        for (unsigned j = 0; j < ARRAY_SIZE(malformed); j++) {
            g_autofree char *message = g_strdup_printf(
                "%s=%s: must be the first block and the number of blocks, "
                "such as \"4096 8\", or \"2:4096 8\" in namespace 2; numbers "
                "have no 0 in front", names[i], malformed[j]);

            refused(drive, names[i], malformed[j], message);
        }
        for (unsigned j = 0; j < ARRAY_SIZE(outside); j++) {
            g_autofree char *message = g_strdup_printf(
                "%s=%s: must be within the 2048 blocks of the namespace, and "
                "at least one block", names[i], outside[j]);

            refused(drive, names[i], outside[j], message);
        }
        for (unsigned j = 0; j < 64; j++) {
            inject(drive, names[i], j ? "1024 1" : "2040 8");
        }
        g_assert_cmphex(femu_read(drive, 0, 1, NULL), ==, NVME_SUCCESS);
    }
    refused(drive, "inject-read-error", "0 1", "inject-read-error=0 1: there "
            "are 64 ranges already, which is the most; inject-clear removes "
            "them");
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

/* Set Features with a data structure of `bytes`. */
static uint16_t set_data(FemuDrive *drive, uint8_t fid, uint32_t cdw11,
                         const void *data, size_t bytes)
{
    qtest_bufwrite(drive->host->qts, drive->buf, data, bytes);
    return femu_admin(drive, NVME_ADM_CMD_SET_FEATURES, 0, fid, cdw11,
                      drive->buf).status;
}

/* Get Features; what it has written, of a buffer filled with A5h. */
static void get_data(FemuDrive *drive, uint32_t cdw10, uint32_t cdw11,
                     void *data, size_t bytes)
{
    qtest_memset(drive->host->qts, drive->buf, 0xa5, bytes);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_FEATURES, 0, cdw10,
                               cdw11, drive->buf).status, ==, NVME_SUCCESS);
    qtest_bufread(drive->host->qts, drive->buf, data, bytes);
}

/* NVMe base 2.0, 5.27.1.14: milliseconds; byte 6 says where from. */
static void test_timestamp(void)
{
    FemuDrive *drive = boot();
    uint64_t origin_set = UINT64_C(1) << 49;
    uint64_t value = cpu_to_le64(UINT64_C(0xfffffffffffe));
    uint64_t values[2];

    get_data(drive, NVME_TIMESTAMP, 1, values, 16); /* 8 bytes, always */
    g_assert_cmphex(values[1], ==, UINT64_C(0xa5a5a5a5a5a5a5a5));
    femu_step_to(drive->host, 5 * 1000 * 1000 - 1);
    get_data(drive, NVME_TIMESTAMP, 0, &value, 8);
    g_assert_cmphex(le64_to_cpu(value), ==, 4);
    femu_step_to(drive->host, 5 * 1000 * 1000);
    get_data(drive, NVME_TIMESTAMP, 0, &value, 8);
    g_assert_cmphex(le64_to_cpu(value), ==, 5);
    value = cpu_to_le64(UINT64_C(0xfffffffffffe));
    g_assert_cmphex(set_data(drive, NVME_TIMESTAMP, 0, &value, 8), ==,
                    NVME_SUCCESS);
    femu_step(drive->host, 1999 * 1000);
    get_data(drive, NVME_TIMESTAMP, 0, &value, 8);
    g_assert_cmphex(le64_to_cpu(value), ==, origin_set | 0xffffffffffff);
    femu_step(drive->host, 1000);
    get_data(drive, NVME_TIMESTAMP, 0, &value, 8);
    g_assert_cmphex(le64_to_cpu(value), ==, origin_set);        /* 48 bits */
    get_data(drive, 1u << 8 | NVME_TIMESTAMP, 0, &value, 8);    /* default */
    g_assert_cmphex(le64_to_cpu(value), ==, 0);
    femu_disable(drive);
    femu_enable(drive);
    get_data(drive, NVME_TIMESTAMP, 0, &value, 8);
    g_assert_cmphex(le64_to_cpu(value), ==, 0);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_SET_FEATURES, 0,
                               NVME_TIMESTAMP, 0, 0x80000000).status, ==,
                    NVME_DATA_TRAS_ERROR);
    femu_shutdown(drive);
}

/* NVMe base 2.0, 5.27.1.25: 64 bits, or 128 if CDW11 bit 0 is set. */
static void test_host_identifier(void)
{
    enum { HOST_ID = 0x81, EXTENDED = 1 };
    static const uint8_t id[16] = {
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
    };
    static const uint8_t short_id[16] = {
        1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0,
    };
    static const uint8_t none[16];
    FemuDrive *drive = boot();
    uint8_t value[16];

    get_data(drive, HOST_ID, EXTENDED, value, 16);
    g_assert_cmpmem(value, 16, none, 16);
    g_assert_cmphex(set_data(drive, HOST_ID, EXTENDED, id, 16), ==,
                    NVME_SUCCESS);
    get_data(drive, HOST_ID, EXTENDED, value, 16);
    g_assert_cmpmem(value, 16, id, 16);
    get_data(drive, HOST_ID, 0, value, 16);
    g_assert_cmpmem(value, 8, id, 8);
    g_assert_cmphex(value[8], ==, 0xa5);
    g_assert_cmphex(set_data(drive, HOST_ID, 0, id, 16), ==, NVME_SUCCESS);
    get_data(drive, HOST_ID, EXTENDED, value, 16);
    g_assert_cmpmem(value, 16, short_id, 16);
    femu_disable(drive);
    femu_enable(drive);
    get_data(drive, HOST_ID, EXTENDED, value, 16);
    g_assert_cmpmem(value, 16, none, 16);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/" name, test)
    ADD("inject/read", test_read);
    ADD("inject/compare", test_compare);
    ADD("inject/write", test_write);
    ADD("inject/write-empty", test_write_empty);
    ADD("inject/rules-first", test_rules_first);
    ADD("inject/error-lba", test_error_lba);
    ADD("inject/clear", test_clear);
    ADD("inject/refused", test_refused);
    ADD("feature-data/timestamp", test_timestamp);
    ADD("feature-data/host-identifier", test_host_identifier);
#undef ADD
    return g_test_run();
}
