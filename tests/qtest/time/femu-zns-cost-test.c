/*
 * What is asked of the drive takes its time, to the nanosecond: zone reports,
 * Identify, log pages, features; in the order of the front end, with a slot
 * each. What is told is what was true when it was asked.
 *
 * Knows nothing of what a report or a page says beside that.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include <glib/gstdio.h>
#include "femu-zns-commands.h"

#define START_NS 1000003u
#define REPORT_NS 30000u
#define ZONE_NS 170u
#define IDENTIFY_NS 9000u
#define LOG_NS 11000u
#define FEATURE_NS 13000u
#define STATS_BYTES (64 * 1024u)

static FemuConfig costly_config(void)
{
    FemuConfig config = femu_small_config();

    config.ssd.fe_report_ns = REPORT_NS;
    config.ssd.fe_report_zone_ns = ZONE_NS;
    config.ssd.fe_identify_ns = IDENTIFY_NS;
    config.ssd.fe_log_ns = LOG_NS;
    config.ssd.fe_feature_ns = FEATURE_NS;
    return config;
}

static FemuDrive *boot(const FemuConfig *config, const char *extra)
{
    FemuDrive *drive = femu_boot(config, extra);

    femu_step_to(drive->host, START_NS);
    return drive;
}

/*
 * The statistics know of a completion in the same entry: here in a log page
 * that waited for its slot.
 */
static void test_in_entry(void)
{
    FemuConfig config = costly_config();
    NvmeCmd log = {
        .opcode = NVME_ADM_CMD_GET_LOG_PAGE,
        .nsid = cpu_to_le32(NVME_NSID_BROADCAST),
        .cdw10 = cpu_to_le32((STATS_BYTES / 4 - 1) << 16 | FEMU_LOG_STATS),
    };
    g_autofree char *text = g_malloc0(STATS_BYTES + 1);
    FemuDrive *drive;

    config.ssd.cmd_slots = 1;
    drive = boot(&config, NULL);
    femu_set_prps(drive, &log, drive->buf, STATS_BYTES);
    qtest_memset(drive->host->qts, drive->buf, 0, STATS_BYTES);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
    femu_submit(&drive->admin, &log);
    femu_step(drive->host, 1);
    g_assert_cmphex(qtest_readq(drive->host->qts, drive->buf), ==, 0);
    while (!qtest_readq(drive->host->qts, drive->buf)) {
        femu_step_next(drive->host);
    }
    qtest_bufread(drive->host->qts, drive->buf, text, STATS_BYTES);
    g_assert_nonnull(strstr(text, "\"lateness\":{\"clock\":\"virtual\","
                            "\"count\":1,"));
    femu_shutdown(drive);
}

static NvmeCmd report_cmd(FemuDrive *drive, uint32_t zone_idx, bool partial,
                          uint32_t descriptors)
{
    return femu_cmd_report(drive, femu_zone_lba(drive, zone_idx),
                           NVME_ZONE_REPORT_ALL, partial, drive->buf,
                           64 + 64 * descriptors);
}

static void expect_report(FemuDrive *drive, uint32_t zone_idx, bool partial,
                          uint32_t room, uint32_t described)
{
    uint64_t now_ns = drive->host->now_ns;
    NvmeCmd cmd = report_cmd(drive, zone_idx, partial, room);
    uint16_t cid = femu_submit(&drive->io, &cmd);

    femu_expect_ok(&drive->io_cq, now_ns + REPORT_NS + described * ZONE_NS, 1,
                   cid);
}

/* A report takes a + n * b, for the n descriptors in it. */
static void test_report(void)
{
    FemuConfig config = costly_config();
    FemuDrive *drive = boot(&config, NULL);

    for (uint32_t room = 0; room <= 10; room++) {
        expect_report(drive, 0, room % 2, room, MIN(room, 8));
        expect_report(drive, 5, room % 2, room, MIN(room, 3));
    }
    femu_shutdown(drive);
}

/* What a filter leaves out is not described. */
static void test_report_filter(void)
{
    FemuConfig config = costly_config();
    FemuDrive *drive = boot(&config, NULL);
    NvmeCmd cmd = femu_cmd_report(drive, 0, NVME_ZONE_REPORT_FULL, false,
                                  drive->buf, 4096);
    uint64_t now_ns;
    FemuCqe cqe;

    femu_fill(drive, 2, femu_cap_nlb(&config));
    now_ns = drive->host->now_ns;
    femu_submit(&drive->io, &cmd);
    cqe = femu_expect_at(&drive->io_cq, now_ns + REPORT_NS + ZONE_NS);
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    g_assert_cmpuint(cqe.result, ==, 0);
    femu_shutdown(drive);
}

/*
 * Between two writes the front end is busy with the report, which says what was
 * true when it was asked: the first write is there, the second is not.
 */
static void test_beside_writes(void)
{
    FemuConfig config = costly_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive;
    NvmeCmd cmd;
    uint64_t addr, end_ns;

    config.ssd.fe_write_ns = 2000;
    drive = boot(&config, NULL);
    addr = femu_alloc(drive->host, 4096);
    cmd = femu_cmd_report(drive, 0, NVME_ZONE_REPORT_ALL, false, addr, 128);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
    femu_submit(&drive->io, &cmd);
    femu_submit_rw(drive, NVME_CMD_WRITE, femu_page_nlb(drive),
                   femu_page_nlb(drive));
    end_ns = START_NS + 2000 + REPORT_NS + ZONE_NS;
    g_assert_cmpuint(femu_expect_at(&drive->io_cq, end_ns).cid, ==, 1);
    g_assert_cmpuint(qtest_readq(drive->host->qts, addr + 64 + 24), ==,
                     femu_page_nlb(drive));
    femu_expect_ok(&drive->io_cq, START_NS + 2000 + p->page_transfer_ns +
                   p->program_ns, 1, 0);
    femu_expect_ok(&drive->io_cq, end_ns + 2000 + p->page_transfer_ns +
                   p->program_ns, 1, 2);
    femu_shutdown(drive);
}

static uint64_t submit_admin(FemuDrive *drive, uint8_t opcode, uint32_t cdw10,
                             uint32_t cdw11)
{
    NvmeCmd cmd = {
        .opcode = opcode,
        .nsid = cpu_to_le32(opcode == NVME_ADM_CMD_GET_LOG_PAGE
                            ? NVME_NSID_BROADCAST : 0),
        .dptr.prp1 = cpu_to_le64(drive->buf),
        .cdw10 = cpu_to_le32(cdw10),
        .cdw11 = cpu_to_le32(cdw11),
    };

    return femu_submit(&drive->admin, &cmd);
}

#define IDENTIFY_CTRL NVME_ADM_CMD_IDENTIFY, NVME_ID_CNS_CTRL, 0
#define SMART_LOG NVME_ADM_CMD_GET_LOG_PAGE, \
                  127u << 16 | NVME_LOG_SMART_INFO, 0
#define CREATE_CQ NVME_ADM_CMD_CREATE_CQ, 15u << 16 | 2, NVME_CQ_PC

/* Their data and results come with them; what is wrong takes no time. */
static void test_admin(void)
{
    FemuConfig config = costly_config();
    FemuDrive *drive = boot(&config, NULL);
    uint16_t cid = submit_admin(drive, IDENTIFY_CTRL);
    FemuCqe cqe;

    femu_expect_ok(&drive->admin_cq, START_NS + IDENTIFY_NS, 1, cid);
    g_assert_cmpuint(qtest_readw(drive->host->qts, drive->buf), !=, 0);
    cid = submit_admin(drive, SMART_LOG);
    femu_expect_ok(&drive->admin_cq, START_NS + IDENTIFY_NS + LOG_NS, 1, cid);
    femu_step_to(drive->host, 2 * START_NS);
    submit_admin(drive, NVME_ADM_CMD_SET_FEATURES, NVME_ARBITRATION, 0x703);
    cid = submit_admin(drive, NVME_ADM_CMD_GET_FEATURES, NVME_ARBITRATION, 0);
    femu_expect_at(&drive->admin_cq, 2 * START_NS + FEATURE_NS);
    cqe = femu_expect_at(&drive->admin_cq, 2 * START_NS + 2 * FEATURE_NS);
    g_assert_cmpuint(cqe.cid, ==, cid);
    g_assert_cmphex(cqe.result, ==, 0x703);
    submit_admin(drive, NVME_ADM_CMD_IDENTIFY, 0xee, 0);
    g_assert_cmphex(femu_expect_now(&drive->admin_cq).status, ==,
                    NVME_INVALID_FIELD);
    /* What makes and ends queues is not among them. */
    submit_admin(drive, CREATE_CQ);
    g_assert_cmphex(femu_expect_now(&drive->admin_cq).status, ==,
                    NVME_SUCCESS);
    femu_shutdown(drive);
}

/* The time counts as the drive's, in its statistics, too. */
static void test_statistics(void)
{
    FemuConfig config = costly_config();
    FemuDrive *drive;
    QDict *stats;

    config.time_dilation = 3;
    drive = femu_boot(&config, NULL);
    g_assert_cmphex(femu_set_feature(drive, FEMU_FEAT_STATS, 1), ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(drive->host->now_ns, ==, 3 * FEATURE_NS);
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CTRL, 0, 0, NULL), ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(drive->host->now_ns, ==, 3 * (FEATURE_NS + IDENTIFY_NS));
    stats = femu_stats(drive);
    g_assert_cmpuint(femu_stat(stats, "ops/identify/count"), ==, 1);
    g_assert_cmpuint(femu_stat(stats, "ops/identify/sum_ns"), ==, IDENTIFY_NS);
    g_assert_cmpuint(femu_stat(stats, "ops/feature/sum_ns"), ==, FEATURE_NS);
    g_assert_false(femu_has_stat(stats, "ops/log"));
    qobject_unref(stats);
    femu_shutdown(drive);
}

/*
 * With all slots taken an Identify waits at the head of its queue, and what is
 * behind it. What takes no time needs no slot: requests for events, Abort, and
 * all admin commands of a drive for which they cost nothing.
 */
static void test_slots(void)
{
    FemuConfig config = costly_config();
    uint64_t read_ns = config.ssd.read_ns + config.ssd.page_transfer_ns;
    FemuDrive *drive;
    FemuCqe cqe;
    uint64_t end_ns;
    uint16_t request;

    config.ssd.cmd_slots = 1;
    drive = boot(&config, NULL);
    end_ns = START_NS + config.ssd.page_transfer_ns + config.ssd.program_ns;
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
    request = submit_admin(drive, NVME_ADM_CMD_ASYNC_EV_REQ, 0, 0);
    submit_admin(drive, CREATE_CQ);
    g_assert_cmphex(femu_expect_now(&drive->admin_cq).status, ==,
                    NVME_SUCCESS);
    submit_admin(drive, IDENTIFY_CTRL);
    submit_admin(drive, NVME_ADM_CMD_ABORT, (uint32_t)request << 16, 0);
    submit_admin(drive, SMART_LOG);
    femu_step_to(drive->host, end_ns - 1);
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    femu_step_to(drive->host, end_ns);
    femu_expect_now(&drive->io_cq);
    cqe = femu_expect_now(&drive->admin_cq);
    g_assert_cmpuint(cqe.cid, ==, request);
    g_assert_cmphex(cqe.status, ==, NVME_CMD_ABORT_REQ);
    g_assert_cmphex(femu_expect_now(&drive->admin_cq).status, ==,
                    NVME_SUCCESS);
    /* Then it goes round the queues: a read, the log page, a read. */
    femu_submit_rw(drive, NVME_CMD_READ, 0, 1);
    femu_submit_rw(drive, NVME_CMD_READ, 0, 1);
    femu_expect_at(&drive->admin_cq, end_ns + IDENTIFY_NS);
    end_ns += IDENTIFY_NS + read_ns;
    femu_expect_at(&drive->io_cq, end_ns);
    femu_expect_at(&drive->admin_cq, end_ns + LOG_NS);
    femu_expect_at(&drive->io_cq, end_ns + LOG_NS + read_ns);
    femu_shutdown(drive);
}

static void test_no_slot_for_nothing(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;

    config.ssd.cmd_slots = 1;
    config.ssd.fe_write_ns = 7000;
    drive = boot(&config, NULL);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
    submit_admin(drive, IDENTIFY_CTRL);
    submit_admin(drive, SMART_LOG);
    submit_admin(drive, NVME_ADM_CMD_GET_FEATURES, NVME_ARBITRATION, 0);
    for (unsigned i = 0; i < 3; i++) {
        g_assert_cmphex(femu_expect_now(&drive->admin_cq).status, ==,
                        NVME_SUCCESS);
    }
    femu_shutdown(drive);
}

/* A controller reset forgets whom to tell; the slot is free in time. */
static void test_controller_reset(void)
{
    FemuConfig config = costly_config();
    FemuDrive *drive;
    FemuCqe cqe;

    config.ssd.cmd_slots = 1;
    drive = boot(&config, NULL);
    submit_admin(drive, IDENTIFY_CTRL);
    submit_admin(drive, IDENTIFY_CTRL);
    femu_disable(drive);
    femu_enable(drive);
    submit_admin(drive, IDENTIFY_CTRL);
    femu_step_to(drive->host, START_NS + 2 * IDENTIFY_NS - 1);
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    femu_expect_ok(&drive->admin_cq, START_NS + 2 * IDENTIFY_NS, 1, 0);
    femu_shutdown(drive);
}

/* A trace has them, and femu-sim repeats it without difference. */
static void test_trace(void)
{
    static const char *const want[] = {
        "\nS,0,1000003,report,1,256,7,0,0\n",
        "\nS,1,1000003,identify,4294967295,0,0,0,0\n",
        "\nC,0,1031193,0,0\nC,1,1040193,0,0\n",
        "\nS,2,1040193,log,4294967295,0,0,0,0\n",
        "\nS,3,1051193,feature,4294967295,0,0,0,0\n",
    };
    FemuConfig config = costly_config();
    g_autofree char *path = NULL, *extra = NULL, *text = NULL, *out = NULL;
    FemuDrive *drive;
    NvmeCmd cmd;
    uint32_t value;
    int fd = g_file_open_tmp("femu-zns-cost-XXXXXX", &path, NULL);
    int status;

    close(fd);
    extra = g_strdup_printf("trace=%s", path);
    drive = boot(&config, extra);
    cmd = report_cmd(drive, 1, false, 20);
    femu_submit(&drive->io, &cmd);
    submit_admin(drive, IDENTIFY_CTRL);
    femu_expect_at(&drive->io_cq, START_NS + REPORT_NS + 7 * ZONE_NS);
    femu_expect_at(&drive->admin_cq,
                   START_NS + REPORT_NS + 7 * ZONE_NS + IDENTIFY_NS);
    submit_admin(drive, SMART_LOG);
    femu_expect_at(&drive->admin_cq, drive->host->now_ns + LOG_NS);
    g_assert_cmphex(femu_get_feature(drive, NVME_ARBITRATION, &value), ==,
                    NVME_SUCCESS);
    femu_shutdown(drive);
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    for (unsigned i = 0; i < ARRAY_SIZE(want); i++) {
        g_assert_nonnull(strstr(text, want[i]));
    }
    if (g_getenv("FEMU_SIM")) {
        const char *argv[] = { g_getenv("FEMU_SIM"), "replay", path, NULL };

        g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL,
                                   G_SPAWN_DEFAULT, NULL, NULL, &out, NULL,
                                   &status, NULL));
        g_assert_cmpstr(out, ==, "replay: 4 commands, 4 completions, "
                        "0 differences\n");
    }
    g_unlink(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/cost/report", test_report);
    qtest_add_func("femu-zns/cost/report-filter", test_report_filter);
    qtest_add_func("femu-zns/cost/beside-writes", test_beside_writes);
    qtest_add_func("femu-zns/cost/admin", test_admin);
    qtest_add_func("femu-zns/cost/statistics", test_statistics);
    qtest_add_func("femu-zns/cost/in-entry", test_in_entry);
    qtest_add_func("femu-zns/cost/slots", test_slots);
    qtest_add_func("femu-zns/cost/no-slot-for-nothing",
                   test_no_slot_for_nothing);
    qtest_add_func("femu-zns/cost/controller-reset", test_controller_reset);
    qtest_add_func("femu-zns/cost/trace", test_trace);
    return g_test_run();
}
