/*
 * Format NVM: what it refuses, how long it takes, what is answered meanwhile,
 * and what is left of the namespace afterwards.
 *
 * Knows nothing of how the drive erases.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "femu-zns-commands.h"
#include "qobject/qdict.h"

#define CSI_ANY 0
#define LBAF_512 0u
#define LBAF_4096 1u
#define EXT_BYTES 64
#define ATTRIBUTE_ZDEV (1 << 7)
#define CSS_MASK (7u << 4)
#define NOWHERE UINT64_C(0x80000000)
#define FORMAT_BLOCKS_LEFT 8u           /* enough to see that nothing changed */

static FemuDrive *boot(const char *extra)
{
    FemuConfig config = femu_small_config();

    return femu_boot(&config, extra);
}

static uint16_t submit_format(FemuDrive *drive, uint32_t nsid, uint32_t cdw10)
{
    NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_FORMAT_NVM,
        .nsid = cpu_to_le32(nsid),
        .cdw10 = cpu_to_le32(cdw10),
    };

    return femu_submit(&drive->admin, &cmd);
}

/* What the tests' formulas are over, from now on. */
static void formatted(FemuDrive *drive, unsigned format)
{
    drive->config.ssd.lba_bytes = format == LBAF_512 ? 512 : 4096;
}

/* Expect the one completion of a format at `at_ns`. */
static void expect_format(FemuDrive *drive, uint16_t cid, uint64_t at_ns)
{
    femu_expect_ok(&drive->admin_cq, at_ns, 1, cid);
}

static void qom_set(FemuDrive *drive, const char *property, const char *value)
{
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
        "'arguments': {'path': '/machine/peripheral/zns4',"
        "'property': %s, 'value': %s}}", property, value);
}

static void write_pattern(FemuDrive *drive, uint64_t lba, uint32_t nlb)
{
    g_autofree uint8_t *data = femu_pattern(drive, lba, nlb, 1);

    g_assert_cmphex(femu_write(drive, lba, nlb, data), ==, NVME_SUCCESS);
}

static void assert_pattern(FemuDrive *drive, uint64_t lba, uint32_t nlb)
{
    g_autofree uint8_t *data = femu_pattern(drive, lba, nlb, 1);

    femu_assert_data(drive, lba, nlb, data);
}

/* Both formats in every structure that names formats; `format` is in force. */
static void check_identify(FemuDrive *drive, unsigned format)
{
    static const uint32_t lba_bytes[] = { 512, 4096 };
    const SsdParams *ssd = &drive->config.ssd;
    uint32_t now_bytes = lba_bytes[format];
    NvmeIdNsZoned zoned;
    NvmeIdNs id;

    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_NS, CSI_ANY, FEMU_NSID,
                                  &id), ==, NVME_SUCCESS);
    g_assert_cmpuint(id.nlbaf, ==, 1);
    g_assert_cmphex(id.flbas, ==, format);
    g_assert_cmpuint(le64_to_cpu(id.nsze), ==,
                     ssd->zones * ssd->zone_size_bytes / now_bytes);
    g_assert_cmpuint(le64_to_cpu(id.ncap), ==,
                     ssd->zones * ssd->zone_capacity_bytes / now_bytes);
    g_assert_cmpuint(le64_to_cpu(id.nuse), ==, le64_to_cpu(id.ncap));
    g_assert_cmpuint(le32_to_cpu(id.mcl), ==, ssd->mdts_bytes / now_bytes);
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CS_NS, NVME_CSI_ZONED,
                                  FEMU_NSID, &zoned), ==, NVME_SUCCESS);
    for (unsigned i = 0; i < 2; i++) {
        g_assert_cmpuint(1u << id.lbaf[i].ds, ==, lba_bytes[i]);
        g_assert_cmpuint(id.lbaf[i].ms, ==, 0);
        g_assert_cmpuint(le64_to_cpu(zoned.lbafe[i].zsze), ==,
                         ssd->zone_size_bytes / lba_bytes[i]);
        g_assert_cmpuint(zoned.lbafe[i].zdes, ==, EXT_BYTES / 64);
    }
    for (unsigned i = 2; i < 16; i++) {
        g_assert_cmpuint(id.lbaf[i].ds, ==, 0);
        g_assert_cmpuint(le64_to_cpu(zoned.lbafe[i].zsze), ==, 0);
    }
}

static void test_identify(void)
{
    FemuConfig config = femu_small_config();

    for (unsigned format = LBAF_512; format <= LBAF_4096; format++) {
        unsigned other = !format;
        FemuDrive *drive;
        NvmeIdCtrl id;

        config.ssd.lba_bytes = format == LBAF_512 ? 512 : 4096;
        drive = femu_boot(&config, "zd-extension-size=64");
        g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CTRL, CSI_ANY, 0,
                                      &id), ==, NVME_SUCCESS);
        g_assert_cmphex(le16_to_cpu(id.oacs) & NVME_OACS_FORMAT, !=, 0);
        /* per namespace, no cryptographic erase, broadcast allowed */
        g_assert_cmphex(id.fna, ==, 0);
        check_identify(drive, format);
        /* a reserved bit is of no account */
        expect_format(drive, submit_format(drive, FEMU_NSID,
                                           other | 1u << 14), 0);
        check_identify(drive, other);
        femu_shutdown(drive);
    }
}

/* CDW10: 3:0 format, 4 MSET, 7:5 PI, 8 PIL, 11:9 SES, 13:12 format. */
static void test_refused(void)
{
    static const struct {
        uint32_t nsid;
        uint32_t cdw10;
        uint16_t status;
    } cases[] = {
        { 0, 0, NVME_INVALID_NSID },
        { FEMU_NSID + 1, 0, NVME_INVALID_NSID },
        { 0xfffffffe, 0, NVME_INVALID_NSID },
        { FEMU_NSID, 2, NVME_INVALID_FORMAT },
        { FEMU_NSID, 15, NVME_INVALID_FORMAT },
        { FEMU_NSID, 1 << 12, NVME_INVALID_FORMAT },
        { NVME_NSID_BROADCAST, 3 << 12 | 1, NVME_INVALID_FORMAT },
        { FEMU_NSID, 1 << 4, NVME_INVALID_FORMAT },
        { FEMU_NSID, 1 << 5, NVME_INVALID_FORMAT },
        { FEMU_NSID, 3 << 5, NVME_INVALID_FORMAT },
        { FEMU_NSID, 4 << 5, NVME_INVALID_FIELD },
        { FEMU_NSID, 7 << 5, NVME_INVALID_FIELD },
        { FEMU_NSID, 2 << 9, NVME_INVALID_FIELD },
        { NVME_NSID_BROADCAST, 7 << 9, NVME_INVALID_FIELD },
    };
    FemuDrive *drive = boot(NULL);

    write_pattern(drive, 0, FORMAT_BLOCKS_LEFT);
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        FemuCqe cqe;

        submit_format(drive, cases[i].nsid, cases[i].cdw10);
        cqe = femu_expect_now(&drive->admin_cq);
        g_assert_cmphex(cqe.status, ==, cases[i].status);
        g_assert_true(cqe.dnr);
    }
    assert_pattern(drive, 0, FORMAT_BLOCKS_LEFT);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN,
                     FORMAT_BLOCKS_LEFT);
    femu_shutdown(drive);
}

/* What is not an error: the place of protection information there is not. */
static void test_accepted(void)
{
    static const uint32_t cdw10s[] = {
        LBAF_512, LBAF_4096, LBAF_4096 | 1 << 9, LBAF_512 | 1 << 8,
    };
    FemuDrive *drive = boot(NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(cdw10s); i++) {
        uint32_t nsid = i % 2 ? NVME_NSID_BROADCAST : FEMU_NSID;

        expect_format(drive, submit_format(drive, nsid, cdw10s[i]), 0);
        formatted(drive, cdw10s[i] & 0xf);
        femu_assert_works(drive, i);
        expect_format(drive, submit_format(drive, nsid, cdw10s[i]),
                      drive->host->now_ns + drive->config.ssd.erase_ns);
        femu_assert_zone(drive, i, NVME_ZONE_STATE_EMPTY, 0);
    }
    femu_shutdown(drive);
}

/* As long as a reset of all zones: one by one, the blocks that hold data. */
static void test_time(void)
{
    FemuDrive *drive = boot(NULL);
    const SsdParams *ssd = &drive->config.ssd;
    uint64_t start_ns;

    femu_fill(drive, 0, femu_cap_nlb(&drive->config));
    femu_fill(drive, 5, femu_page_nlb(drive));
    start_ns = drive->host->now_ns;
    expect_format(drive, submit_format(drive, FEMU_NSID, LBAF_512),
                  start_ns + (3 + 1) * ssd->erase_ns);
    formatted(drive, LBAF_512);
    /* nothing is left to erase */
    expect_format(drive, submit_format(drive, FEMU_NSID, LBAF_4096),
                  start_ns + (3 + 1) * ssd->erase_ns);
    formatted(drive, LBAF_4096);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

static void assert_refused_now(FemuDrive *drive, const NvmeCmd *cmd)
{
    FemuCqe cqe;

    femu_submit(&drive->io, cmd);
    cqe = femu_expect_now(&drive->io_cq);
    g_assert_cmphex(cqe.status, ==, NVME_FORMAT_IN_PROGRESS);
    g_assert_false(cqe.dnr);
}

/* All I/O is refused, and may be tried again; admin commands are not. */
static void assert_in_progress(FemuDrive *drive)
{
    static const uint8_t opcodes[] = {
        NVME_CMD_FLUSH, NVME_CMD_WRITE, NVME_CMD_READ, NVME_CMD_COMPARE,
        NVME_CMD_WRITE_ZEROES, NVME_CMD_DSM, NVME_CMD_VERIFY, NVME_CMD_COPY,
        NVME_CMD_ZONE_MGMT_SEND, NVME_CMD_ZONE_MGMT_RECV,
        NVME_CMD_ZONE_APPEND,
    };
    NvmeCmd flush_all = femu_cmd_flush();
    NvmeErrorLog error;
    FemuCqe cqe;

    for (unsigned i = 0; i < ARRAY_SIZE(opcodes); i++) {
        NvmeCmd cmd = femu_cmd_rw(drive, opcodes[i], 0, 1, drive->buf);

        assert_refused_now(drive, &cmd);
    }
    flush_all.nsid = cpu_to_le32(NVME_NSID_BROADCAST);
    assert_refused_now(drive, &flush_all);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_ERROR_INFO, 0, 0, &error,
                                 sizeof(error)), ==, NVME_SUCCESS);
    g_assert_cmphex(le16_to_cpu(error.status_field), ==,
                    NVME_FORMAT_IN_PROGRESS << 1);
    cqe = femu_admin(drive, NVME_ADM_CMD_FORMAT_NVM, FEMU_NSID, LBAF_4096, 0,
                     0);
    g_assert_cmphex(cqe.status, ==, NVME_FORMAT_IN_PROGRESS);
    g_assert_false(cqe.dnr);
}

static void test_in_progress(void)
{
    FemuDrive *drive = boot("zd-extension-size=64");
    uint64_t end_ns;
    uint16_t cid;

    femu_fill(drive, 2, 1);
    femu_fill(drive, 3, femu_page_nlb(drive));
    end_ns = drive->host->now_ns + drive->config.ssd.erase_ns;
    cid = submit_format(drive, FEMU_NSID, LBAF_512);
    assert_in_progress(drive);
    check_identify(drive, LBAF_512);
    femu_step_to(drive->host, end_ns - 1);
    assert_in_progress(drive);
    expect_format(drive, cid, end_ns);
    formatted(drive, LBAF_512);
    femu_assert_works(drive, 2);
    femu_shutdown(drive);
}

static unsigned format_of(FemuDrive *drive, uint32_t nsid)
{
    NvmeIdNs id;

    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_NS, CSI_ANY, nsid, &id),
                    ==, NVME_SUCCESS);
    return id.flbas;
}

/* A power cut ends it: there is none when the power is back. */
static void test_power_cut(void)
{
    FemuDrive *drive = boot(NULL);

    femu_fill(drive, 2, femu_page_nlb(drive));
    submit_format(drive, FEMU_NSID, LBAF_512);
    assert_in_progress(drive);
    qom_set(drive, "inject-read-error", "10000 8"); /* in blocks of 512 bytes */
    qom_set(drive, "power-cut", "1");
    femu_host_move(drive->host);
    femu_enable(drive);
    femu_io_queues_create(drive);
    g_assert_cmpuint(format_of(drive, FEMU_NSID), ==, LBAF_4096);
    femu_assert_works(drive, 3);
    expect_format(drive, submit_format(drive, FEMU_NSID, LBAF_4096),
                  drive->host->now_ns + drive->config.ssd.erase_ns);
    femu_assert_works(drive, 3);
    femu_shutdown(drive);
}

/* The extension of an empty zone, of EXT_BYTES. */
static void set_extension(FemuDrive *drive, uint32_t zone_idx)
{
    NvmeCmd cmd = femu_cmd_zone(NVME_ZONE_ACTION_SET_ZD_EXT,
                                femu_zone_lba(drive, zone_idx), false);

    femu_set_prps(drive, &cmd, drive->buf, EXT_BYTES);
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone(drive, zone_idx).za, ==, ATTRIBUTE_ZDEV);
}

/*
 * Data, write pointers, resources, extensions and bad blocks are gone; a failed
 * zone is offline; the next format's blocks hold what is written to them.
 */
static void test_as_new(void)
{
    FemuDrive *drive = boot("zd-extension-size=64");
    uint64_t end_ns;

    femu_fill(drive, 6, 1);
    qom_set(drive, "zone-fail", "6 read-only");
    for (unsigned i = 0; i < 3; i++) {
        write_pattern(drive, femu_zone_lba(drive, i), 6);
    }
    set_extension(drive, 3);
    qom_set(drive, "inject-read-error", "0 4");
    qom_set(drive, "inject-write-error", "1024 1");
    /* pages of 4 blocks: 6 blocks have filled one, on one unit */
    end_ns = drive->host->now_ns + 3 * drive->config.ssd.erase_ns;
    expect_format(drive, submit_format(drive, FEMU_NSID, LBAF_512), end_ns);
    formatted(drive, LBAF_512);
    g_assert_cmphex(femu_zone(drive, 3).za, ==, 0);
    for (unsigned i = 0; i < 8; i++) {
        if (i == 6) {
            g_assert_cmphex(femu_zone(drive, i).zs >> 4, ==,
                            NVME_ZONE_STATE_OFFLINE);
        } else {
            femu_assert_zone(drive, i, NVME_ZONE_STATE_EMPTY, 0);
            femu_assert_data(drive, femu_zone_lba(drive, i), 64, NULL);
        }
    }
    /* all open resources are free again, and no more than those */
    for (unsigned i = 0; i < 4; i++) {
        g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OPEN,
                                       femu_zone_lba(drive, i), false), ==,
                        i < 3 ? NVME_SUCCESS : NVME_ZONE_TOO_MANY_OPEN);
    }
    write_pattern(drive, femu_zone_lba(drive, 1), 41);
    assert_pattern(drive, femu_zone_lba(drive, 1), 41);
    g_assert_cmphex(femu_write(drive, 1, 1, NULL), ==,
                    NVME_ZONE_INVALID_WRITE);
    g_assert_cmphex(femu_read(drive, 8 * femu_zone_nlb(&drive->config), 1,
                              NULL), ==, NVME_LBA_RANGE);
    femu_shutdown(drive);
}

/*
 * Commands that were inside before the format end as they would have; it ends
 * with the last of them. A read-only zone keeps its blocks, so that only the
 * read is to be waited for.
 */
static void test_inside_before(void)
{
    FemuDrive *drive = boot(NULL);
    const SsdParams *ssd = &drive->config.ssd;
    uint16_t read_cid, format_cid;
    uint64_t end_ns;

    write_pattern(drive, 0, femu_page_nlb(drive));
    qom_set(drive, "zone-fail", "0 read-only");
    qtest_memset(drive->host->qts, drive->buf, 0, FEMU_PAGE_BYTES);
    end_ns = drive->host->now_ns + ssd->read_ns + ssd->page_transfer_ns;
    read_cid = femu_submit_rw(drive, NVME_CMD_READ, 0, femu_page_nlb(drive));
    format_cid = submit_format(drive, FEMU_NSID, LBAF_512);
    assert_in_progress(drive);
    expect_format(drive, format_cid, end_ns);
    femu_expect_ok(&drive->io_cq, end_ns, 1, read_cid);
    g_assert_cmphex(qtest_readq(drive->host->qts, drive->buf), !=, 0);
    formatted(drive, LBAF_512);
    g_assert_cmphex(femu_zone(drive, 0).zs >> 4, ==, NVME_ZONE_STATE_OFFLINE);
    femu_shutdown(drive);
}

/* A core without room for the reset of all zones: it waits its turn. */
static void test_no_room(void)
{
    FemuConfig config = femu_small_config();
    uint16_t write_cid, format_cid;
    FemuDrive *drive;

    config.ssd.cmd_slots = 1;
    drive = femu_boot(&config, NULL);
    write_cid = femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
    /* this one stays in its queue, and is fetched when the format has ended */
    femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 1), 1);
    format_cid = submit_format(drive, FEMU_NSID, LBAF_512);
    femu_step_to(drive->host, femu_page_write_ns(drive) - 1);
    g_assert_false(femu_peek(&drive->io_cq, &(FemuCqe) { 0 }));
    femu_step_to(drive->host, femu_page_write_ns(drive));
    g_assert_cmpuint(femu_expect_now(&drive->io_cq).cid, ==, write_cid);
    expect_format(drive, format_cid,
                  femu_page_write_ns(drive) + config.ssd.erase_ns);
    /* which has put the block that it names into zone 0 */
    g_assert_cmphex(femu_expect_now(&drive->io_cq).status, ==,
                    NVME_ZONE_INVALID_WRITE);
    formatted(drive, LBAF_512);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

static void reset_controller(FemuDrive *drive)
{
    femu_disable(drive);
    femu_enable(drive);
    femu_io_queues_create(drive);
}

/*
 * A controller reset does not stop a format: I/O is refused until its end,
 * which is where it was, and of which nobody is told.
 */
static void test_controller_reset(void)
{
    FemuDrive *drive = boot("zd-extension-size=64");
    uint64_t erase_ns = drive->config.ssd.erase_ns;
    uint64_t end_ns;
    NvmeCmd flush = femu_cmd_flush();
    FemuCqe cqe;

    femu_fill(drive, 0, femu_page_nlb(drive));
    femu_fill(drive, 1, femu_page_nlb(drive));
    end_ns = drive->host->now_ns + 2 * erase_ns;
    submit_format(drive, FEMU_NSID, LBAF_512);
    femu_step(drive->host, erase_ns / 2);
    reset_controller(drive);
    check_identify(drive, LBAF_512);
    assert_in_progress(drive);
    femu_step_to(drive->host, end_ns - 1);
    assert_refused_now(drive, &flush);
    femu_step_to(drive->host, end_ns);
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    g_assert_cmphex(femu_exec(&drive->io, &flush).status, ==, NVME_SUCCESS);
    formatted(drive, LBAF_512);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_EMPTY, 0);
    femu_assert_works(drive, 1);
    /* the next one is answered again */
    expect_format(drive, submit_format(drive, FEMU_NSID, LBAF_4096),
                  drive->host->now_ns + erase_ns);
    femu_shutdown(drive);
}

/* A host of the NVM command set alone: the zoned namespace is inactive. */
static void test_inactive(void)
{
    FemuDrive *drive = boot(NULL);
    static const uint32_t nsids[] = { FEMU_NSID, NVME_NSID_BROADCAST };
    uint32_t cc = femu_reg(drive, NVME_REG_CC);

    write_pattern(drive, 0, FORMAT_BLOCKS_LEFT);
    femu_disable(drive);
    femu_enable(drive);
    femu_disable(drive);
    femu_set_reg(drive, NVME_REG_CC, cc & ~CSS_MASK);
    drive->admin.tail = drive->admin_cq.head = 0;
    drive->admin_cq.phase = true;
    for (unsigned i = 0; i < ARRAY_SIZE(nsids); i++) {
        submit_format(drive, nsids[i], LBAF_512);
        g_assert_cmphex(femu_expect_now(&drive->admin_cq).status, ==,
                        NVME_INVALID_FIELD);
    }
    reset_controller(drive);
    assert_pattern(drive, 0, FORMAT_BLOCKS_LEFT);
    femu_shutdown(drive);
}

/* Statistics count the reset; time goes on; the drive's own bytes too. */
static void test_statistics(void)
{
    FemuDrive *drive = boot(NULL);
    QDict *stats;

    femu_fill(drive, 0, femu_page_nlb(drive));
    expect_format(drive, submit_format(drive, FEMU_NSID, LBAF_512),
                  drive->host->now_ns + drive->config.ssd.erase_ns);
    stats = femu_stats(drive);
    g_assert_cmpuint(femu_stat(stats, "ops/reset/count"), ==, 1);
    g_assert_cmpuint(femu_stat(stats, "ops/reset/sum_ns"), ==,
                     drive->config.ssd.erase_ns);
    g_assert_cmpuint(femu_stat(stats, "flash/erases"), ==, 1);
    qobject_unref(stats);
    femu_shutdown(drive);
}

/* Return: what the trace has, lines of parameters aside. Caller frees. */
static char *read_trace(const char *path)
{
    g_autofree char *text = NULL;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return g_strdup(strstr(text, "\nS,"));
}

static void replay(const char *path)
{
    const char *argv[] = { g_getenv("FEMU_SIM"), "replay", path, NULL };
    g_autofree char *out = NULL;
    int wait_status;

    if (!argv[0]) {
        g_test_skip("FEMU_SIM does not name a femu-sim");
        return;
    }
    g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, 0, NULL, NULL, &out,
                               NULL, &wait_status, NULL));
    g_assert_cmpint(wait_status, ==, 0);
    g_assert_nonnull(strstr(out, " 0 differences"));
}

/* The reset of all zones and the format, with a controller reset between. */
static void test_trace(void)
{
    g_autofree char *path = NULL, *extra = NULL, *text = NULL;
    int fd = g_file_open_tmp("femu-zns-format-XXXXXX", &path, NULL);
    FemuDrive *drive;

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    extra = g_strdup_printf("trace=%s", path);
    drive = boot(extra);
    femu_fill(drive, 0, femu_page_nlb(drive));
    submit_format(drive, FEMU_NSID, LBAF_512);
    reset_controller(drive);
    femu_step(drive->host, drive->config.ssd.erase_ns);
    formatted(drive, LBAF_512);
    femu_assert_works(drive, 7);
    femu_shutdown(drive);
    text = read_trace(path);
    g_assert_cmpstr(text, ==, "\n"
                    "S,0,0,write,1,0,4,0,0\n"
                    "C,0,725000,0,0\n"
                    "S,1,725000,reset,1,0,0,1,0\n"
                    "C,1,4225000,0,0\n"
                    "N,4225000,1,512\n"
                    "S,2,4225000,write,1,14336,32,0,0\n"
                    "C,2,4950000,0,0\n"
                    "E,4950000\n");
    replay(path);
    g_unlink(path);
}

/*
 * After a fatal error, here that of another queue, a format goes on, but is not
 * told of.
 */
static void test_fatal(void)
{
    FemuDrive *drive = boot(NULL);
    NvmeCmd flush = femu_cmd_flush();
    FemuCqe cqe;
    FemuCq cq;
    FemuSq sq;

    femu_fill(drive, 0, femu_page_nlb(drive));
    g_assert_cmphex(femu_cq_create_at(drive, &cq, 2, FEMU_ENTRIES, NOWHERE,
                                      -1), ==, NVME_SUCCESS);
    femu_sq_create(drive, &sq, 2, FEMU_ENTRIES, &cq);
    submit_format(drive, 1, LBAF_512);
    femu_submit(&sq, &flush);
    femu_step(drive->host, UINT64_C(1000000000));
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==,
                    NVME_CSTS_READY | NVME_CSTS_FAILED);
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    femu_disable(drive);
    femu_enable(drive);
    femu_io_queues_create(drive);
    g_assert_cmpuint(format_of(drive, 1), ==, LBAF_512);
    formatted(drive, LBAF_512);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

static FemuDrive *boot_two(void)
{
    FemuConfig config = femu_small_config();

    config.ssd.namespaces = 2;          /* of four zones each */
    return femu_boot(&config, NULL);
}

/*
 * Read a block that was never written, in a namespace whose blocks may have
 * either size: takes no time.
 */
static uint16_t read_now(FemuDrive *drive, uint32_t nsid)
{
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_READ, 200, 1, drive->buf);

    cmd.nsid = cpu_to_le32(nsid);
    femu_submit(&drive->io, &cmd);
    return femu_expect_now(&drive->io_cq).status;
}

/* The other namespace works on, keeps its data and is not waited for. */
static void test_one_of_two(void)
{
    FemuDrive *drive = boot_two();
    uint64_t start_ns, end_ns;
    NvmeCmd flush = femu_cmd_flush();
    uint16_t cid;

    drive->nsid = 2;
    cid = femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
    start_ns = drive->host->now_ns;
    expect_format(drive, submit_format(drive, 1, LBAF_512), start_ns);
    femu_expect_ok(&drive->io_cq, start_ns + femu_page_write_ns(drive), 1, cid);
    g_assert_cmpuint(format_of(drive, 1), ==, LBAF_512);
    g_assert_cmpuint(format_of(drive, 2), ==, LBAF_4096);
    write_pattern(drive, femu_zone_lba(drive, 1), 4);
    formatted(drive, LBAF_512);
    drive->nsid = 1;
    femu_fill(drive, 0, femu_page_nlb(drive));
    end_ns = drive->host->now_ns + drive->config.ssd.erase_ns;
    cid = submit_format(drive, 1, LBAF_512);
    g_assert_cmphex(read_now(drive, 1), ==, NVME_FORMAT_IN_PROGRESS);
    g_assert_cmphex(read_now(drive, 9), ==, NVME_INVALID_NSID); /* it is none */
    g_assert_cmphex(read_now(drive, 2), ==, NVME_SUCCESS);
    flush.nsid = cpu_to_le32(NVME_NSID_BROADCAST);
    assert_refused_now(drive, &flush);
    expect_format(drive, cid, end_ns);
    g_assert_cmphex(read_now(drive, 1), ==, NVME_SUCCESS);
    formatted(drive, LBAF_4096);
    drive->nsid = 2;
    assert_pattern(drive, femu_zone_lba(drive, 1), 4);
    femu_shutdown(drive);
}

/* The command ends with the last; each is of use again when it is done. */
static void test_all_of_two(void)
{
    FemuDrive *drive = boot_two();
    uint64_t erase_ns = drive->config.ssd.erase_ns, start_ns;
    uint16_t cid;

    for (drive->nsid = 1; drive->nsid <= 2; drive->nsid++) {
        femu_fill(drive, 0, femu_page_nlb(drive));
    }
    start_ns = drive->host->now_ns;
    cid = submit_format(drive, NVME_NSID_BROADCAST, LBAF_512);
    g_assert_cmpuint(format_of(drive, 1), ==, LBAF_512);
    g_assert_cmpuint(format_of(drive, 2), ==, LBAF_512);
    femu_step_to(drive->host, start_ns + erase_ns);
    formatted(drive, LBAF_512);
    g_assert_cmphex(read_now(drive, 1), ==, NVME_SUCCESS);
    g_assert_cmphex(read_now(drive, 2), ==, NVME_FORMAT_IN_PROGRESS);
    expect_format(drive, cid, start_ns + 2 * erase_ns);
    for (drive->nsid = 1; drive->nsid <= 2; drive->nsid++) {
        femu_assert_zone(drive, 0, NVME_ZONE_STATE_EMPTY, 0);
        femu_assert_data(drive, 0, 32, NULL);
    }
    femu_shutdown(drive);
}

/* A power cut ends that of each. */
static void test_power_cut_of_two(void)
{
    FemuDrive *drive = boot_two();

    for (drive->nsid = 1; drive->nsid <= 2; drive->nsid++) {
        femu_fill(drive, 0, femu_page_nlb(drive));
    }
    submit_format(drive, NVME_NSID_BROADCAST, LBAF_512);
    g_assert_cmphex(read_now(drive, 1), ==, NVME_FORMAT_IN_PROGRESS);
    g_assert_cmphex(read_now(drive, 2), ==, NVME_FORMAT_IN_PROGRESS);
    qom_set(drive, "power-cut", "1");
    femu_enable(drive);
    femu_io_queues_create(drive);
    g_assert_cmphex(read_now(drive, 1), ==, NVME_SUCCESS);
    g_assert_cmphex(read_now(drive, 2), ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

static void attachment_of_second(FemuDrive *drive, uint32_t sel)
{
    qtest_memset(drive->host->qts, drive->buf, 0, FEMU_PAGE_BYTES);
    qtest_writew(drive->host->qts, drive->buf, 1);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_NS_ATTACHMENT, 2, sel, 0,
                               drive->buf).status, ==, NVME_SUCCESS);
}

/* All are those that are attached. */
static void test_attached_of_two(void)
{
    FemuDrive *drive = boot_two();

    for (drive->nsid = 1; drive->nsid <= 2; drive->nsid++) {
        write_pattern(drive, 0, 4);
    }
    attachment_of_second(drive, NVME_NS_ATTACHMENT_DETACH);
    submit_format(drive, NVME_NSID_BROADCAST, LBAF_512);
    femu_step(drive->host, UINT64_C(1000000000));
    g_assert_cmphex(femu_expect_now(&drive->admin_cq).status, ==,
                    NVME_SUCCESS);
    attachment_of_second(drive, NVME_NS_ATTACHMENT_ATTACH);
    g_assert_cmpuint(format_of(drive, 1), ==, LBAF_512);
    g_assert_cmpuint(format_of(drive, 2), ==, LBAF_4096);
    drive->nsid = 2;
    assert_pattern(drive, 0, 4);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/format/identify", test_identify);
    qtest_add_func("femu-zns/format/refused", test_refused);
    qtest_add_func("femu-zns/format/accepted", test_accepted);
    qtest_add_func("femu-zns/format/time", test_time);
    qtest_add_func("femu-zns/format/in-progress", test_in_progress);
    qtest_add_func("femu-zns/format/power-cut", test_power_cut);
    qtest_add_func("femu-zns/format/as-new", test_as_new);
    qtest_add_func("femu-zns/format/inside-before", test_inside_before);
    qtest_add_func("femu-zns/format/no-room", test_no_room);
    qtest_add_func("femu-zns/format/controller-reset", test_controller_reset);
    qtest_add_func("femu-zns/format/fatal", test_fatal);
    qtest_add_func("femu-zns/format/inactive", test_inactive);
    qtest_add_func("femu-zns/format/statistics", test_statistics);
    qtest_add_func("femu-zns/format/trace", test_trace);
    qtest_add_func("femu-zns/format/one-of-two", test_one_of_two);
    qtest_add_func("femu-zns/format/all-of-two", test_all_of_two);
    qtest_add_func("femu-zns/format/power-cut-of-two", test_power_cut_of_two);
    qtest_add_func("femu-zns/format/attached-of-two", test_attached_of_two);
    return g_test_run();
}
