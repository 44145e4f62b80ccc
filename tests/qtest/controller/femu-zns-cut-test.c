/*
 * A power cut: what the controller is afterwards, what of data and zones is
 * there, when it comes, and that it lasts.
 *
 * Knows nothing of what the core decides: any outcome that is legal will do,
 * and over some seeds each must be seen.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "qemu/units.h"
#include "femu-zns-folder.h"
#include "qobject/qdict.h"

#define REG_CRTO 0x68
#define PATH "/machine/peripheral/zns4"
#define CC_READY 0x00460061u
#define SEEDS 24
#define TOLD_NLB 20
#define INSIDE_NLB 24

/* The power goes now, and comes back. */
static void cut(FemuDrive *drive, unsigned seed)
{
    g_autofree char *text = g_strdup_printf("%u", seed);

    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
                             "'arguments': {'path': %s,"
                             "'property': 'power-cut', 'value': %s}}", PATH,
                             text);
}

static void assert_off(FemuDrive *drive)
{
    g_assert_cmphex(femu_reg(drive, NVME_REG_CC), ==, 0);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, 0);
    g_assert_cmphex(femu_reg(drive, NVME_REG_AQA), ==, 0);
    g_assert_cmphex(femu_reg(drive, NVME_REG_ASQ), ==, 0);
}

/* As a host that finds the controller without power, and starts it. */
static void start_again(FemuDrive *drive)
{
    assert_off(drive);
    femu_enable(drive);
    femu_io_queues_create(drive);
}

static void assert_power(FemuDrive *drive, uint64_t cycles, uint64_t unsafe)
{
    NvmeSmartLog log;

    g_assert_cmphex(femu_get_log(drive, NVME_LOG_SMART_INFO, 0, 0, &log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    g_assert_cmpuint(le64_to_cpu(log.power_cycles[0]), ==, cycles);
    g_assert_cmpuint(le64_to_cpu(log.unsafe_shutdowns[0]), ==, unsafe);
}

static void write_pattern(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                          unsigned seed)
{
    g_autofree uint8_t *data = femu_pattern(drive, slba, nlb, seed);

    g_assert_cmphex(femu_write(drive, slba, nlb, data), ==, NVME_SUCCESS);
}

/* The same, but it stays inside. */
static void begin_pattern(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                          unsigned seed)
{
    g_autofree uint8_t *data = femu_pattern(drive, slba, nlb, seed);

    qtest_memwrite(drive->host->qts, drive->buf, data,
                   (size_t)nlb * drive->config.ssd.lba_bytes);
    femu_submit_rw(drive, NVME_CMD_WRITE, slba, nlb);
}

/* The first `nlb` blocks of what was written, then zeroes. */
static void assert_left(FemuDrive *drive, uint32_t zone_idx, uint32_t nlb,
                        uint32_t end_nlb, unsigned seed)
{
    uint64_t slba = femu_zone_lba(drive, zone_idx);
    g_autofree uint8_t *data = femu_pattern(drive, slba, end_nlb, seed);

    if (nlb) {
        femu_assert_data(drive, slba, nlb, data);
    }
    if (nlb < end_nlb) {
        femu_assert_data(drive, slba + nlb, end_nlb - nlb, NULL);
    }
}

/* Where the zone, which begins anew, has its write pointer. */
static uint32_t left_nlb(FemuDrive *drive, uint32_t zone_idx)
{
    NvmeZoneDescr zone = femu_zone(drive, zone_idx);
    uint32_t nlb = le64_to_cpu(zone.wp) - le64_to_cpu(zone.zslba);

    femu_assert_zone(drive, zone_idx, nlb ? NVME_ZONE_STATE_CLOSED
                                          : NVME_ZONE_STATE_EMPTY, nlb);
    return nlb;
}

/* Nothing of the old queues is served; what was told stays. */
static void test_controller(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    FemuCqe cqe;

    write_pattern(drive, 0, TOLD_NLB, 1);
    begin_pattern(drive, femu_zone_lba(drive, 1), INSIDE_NLB, 2);
    cut(drive, 1);
    assert_off(drive);
    femu_step(drive->host, 1000000000);
    g_assert_false(femu_peek(&drive->io_cq, &cqe));
    start_again(drive);
    assert_power(drive, 2, 1);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, TOLD_NLB);
    assert_left(drive, 0, TOLD_NLB, TOLD_NLB + 9, 1);
    assert_left(drive, 1, left_nlb(drive, 1), INSIDE_NLB, 2);
    femu_assert_works(drive, 5);
    femu_shutdown(drive);
}

/*
 * The changed zone list is not kept (ZNS 1.1, 4.1.4.1); nor is the event, which
 * the next change of a zone brings again.
 */
static void test_changed_list(void)
{
    enum { CHANGED_ZONES = 0xbf, ZONE_CHANGED = 1 << 27 };
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    const NvmeCmd request = { .opcode = NVME_ADM_CMD_ASYNC_EV_REQ };

    config.ssd.conventional_bytes = 2 * MiB; /* which has no such list */
    drive = femu_boot(&config, NULL);
    for (unsigned i = 0; i < 2; i++) {
        uint64_t log[3];

        g_assert_cmphex(femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                                         ZONE_CHANGED), ==, NVME_SUCCESS);
        femu_submit(&drive->admin, &request);
        qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
                                 "'arguments': {'path': %s, 'property':"
                                 "'zone-fail', 'value': %s}}", PATH,
                                 i ? "4 read-only" : "3 read-only");
        femu_expect_now(&drive->admin_cq);
        g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE,
                                   FEMU_NSID, 5u << 16 | 1u << 15 |
                                   CHANGED_ZONES, 0, drive->buf).status, ==,
                        NVME_SUCCESS);
        qtest_bufread(drive->host->qts, drive->buf, log, sizeof(log));
        g_assert_cmphex(le64_to_cpu(log[0]), ==, 1);
        g_assert_cmphex(le64_to_cpu(log[1]), ==, femu_zone_lba(drive, 3 + i));
        cut(drive, 1);
        start_again(drive);
    }
    femu_shutdown(drive);
}

/* A write is there up to any block; zeroes follow, also in front of more. */
static void test_write(void)
{
    FemuConfig config = femu_small_config();
    bool none = false, all = false, part = false;

    config.ssd.namespaces = 2;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        FemuDrive *drive = femu_boot(&config, NULL);
        uint32_t nlb;

        drive->nsid = 2;
        begin_pattern(drive, 0, INSIDE_NLB, 2);
        cut(drive, seed);
        start_again(drive);
        nlb = left_nlb(drive, 0);
        assert_left(drive, 0, nlb, INSIDE_NLB, 2);
        none |= nlb == 0;
        all |= nlb == INSIDE_NLB;
        part |= nlb && nlb < INSIDE_NLB;
        write_pattern(drive, nlb, 1, 3);
        femu_assert_data(drive, nlb + 1, INSIDE_NLB, NULL);
        femu_shutdown(drive);
    }
    g_assert_true(none && all && part);
}

/* A reset that has not been has its data; one that was told stays. */
static void test_reset(void)
{
    FemuConfig config = femu_small_config();
    unsigned undone = 0;

    config.ssd.fe_reset_ns = 1000000;
    for (unsigned seed = 0; seed < SEEDS; seed++) {
        FemuDrive *drive = femu_boot(&config, NULL);
        uint32_t nlb;

        write_pattern(drive, 0, TOLD_NLB, 1);
        write_pattern(drive, femu_zone_lba(drive, 1), TOLD_NLB, 2);
        g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET,
                                       femu_zone_lba(drive, 1), false), ==,
                        NVME_SUCCESS);
        femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, seed % 2);
        femu_assert_zone(drive, 0, NVME_ZONE_STATE_EMPTY, 0);
        cut(drive, seed);
        start_again(drive);
        nlb = left_nlb(drive, 0);
        g_assert_true(nlb == 0 || nlb == TOLD_NLB);
        assert_left(drive, 0, nlb, TOLD_NLB, 1);
        undone += nlb > 0;
        g_assert_cmpuint(left_nlb(drive, 1), ==, 0);
        assert_left(drive, 1, 0, TOLD_NLB, 2);
        femu_shutdown(drive);
    }
    g_assert_cmpuint(undone, >, 0);
    g_assert_cmpuint(undone, <, SEEDS);
}

/* A reset behind which the zone is written has been. */
static void test_reset_then(void)
{
    FemuConfig config = femu_small_config();

    config.ssd.fe_reset_ns = 1000000;
    config.ssd.fe_write_ns = 1000;
    for (unsigned seed = 0; seed < 8; seed++) {
        FemuDrive *drive = femu_boot(&config, NULL);
        uint32_t nlb;

        write_pattern(drive, 0, TOLD_NLB, 1);
        femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, false);
        begin_pattern(drive, 0, 4, 3);
        cut(drive, seed);
        start_again(drive);
        nlb = left_nlb(drive, 0);
        g_assert_cmpuint(nlb, <=, 4);
        assert_left(drive, 0, nlb, TOLD_NLB, 3);
        femu_shutdown(drive);
    }
}

/* What registers say of the time to ready: 15 s, and that of a start. */
static void test_ready_timeout(void)
{
    static const struct {
        uint64_t power_up_ns;
        uint32_t dilation, timeout_500ms;
    } rows[] = {
        { 0, 1, 30 }, { 3000000000, 1, 36 }, { 3000000001, 1, 37 },
        { 100000000000, 3, 255 },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        FemuConfig config = femu_small_config();
        FemuDrive *drive;

        config.ssd.power_up_ns = rows[i].power_up_ns;
        config.time_dilation = rows[i].dilation;
        drive = femu_boot(&config, NULL);
        g_assert_cmpuint(NVME_CAP_TO(femu_reg64(drive, NVME_REG_CAP)), ==,
                         rows[i].timeout_500ms);
        g_assert_cmphex(femu_reg(drive, REG_CRTO), ==,
                        rows[i].timeout_500ms);
        femu_shutdown(drive);
    }
}

/* Ready when the time of a start is over, to the nanosecond. */
static void check_power_up(uint32_t dilation)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    uint64_t up_ns, at_ns;

    config.ssd.power_up_ns = 3000000000;
    config.time_dilation = dilation;
    drive = femu_boot(&config, NULL);
    write_pattern(drive, 0, TOLD_NLB, 1);
    /* core time is in whole nanoseconds: the power goes at one of them */
    femu_step_to(drive->host, ROUND_UP(drive->host->now_ns, dilation));
    at_ns = drive->host->now_ns;
    up_ns = at_ns + config.ssd.power_up_ns * dilation;
    cut(drive, 1);
    femu_set_reg(drive, NVME_REG_AQA, 0x003f003f);
    femu_set_reg(drive, NVME_REG_ASQ, drive->admin.addr);
    femu_set_reg(drive, NVME_REG_ACQ, drive->admin_cq.addr);
    femu_set_reg(drive, NVME_REG_CC, CC_READY);
    femu_step_to(drive->host, up_ns - 1);
    femu_set_reg(drive, NVME_REG_CC, CC_READY);     /* asking makes it no faster */
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, 0);
    femu_step_to(drive->host, up_ns);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    femu_disable(drive);
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, TOLD_NLB);
    femu_assert_works(drive, 5);
    femu_shutdown(drive);
}

static void test_power_up(void)
{
    check_power_up(1);
    check_power_up(3);
}

/* Who does not wait for it any more is not enabled when it is back. */
static void test_power_up_disabled(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;

    config.ssd.power_up_ns = 3000000000;
    drive = femu_boot(&config, NULL);
    cut(drive, 1);
    femu_set_reg(drive, NVME_REG_AQA, 0x003f003f);
    femu_set_reg(drive, NVME_REG_ASQ, drive->admin.addr);
    femu_set_reg(drive, NVME_REG_ACQ, drive->admin_cq.addr);
    femu_set_reg(drive, NVME_REG_CC, CC_READY);
    femu_step(drive->host, 1000);
    femu_set_reg(drive, NVME_REG_CC, 0);
    femu_step(drive->host, 2 * config.ssd.power_up_ns);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, 0);
    femu_enable(drive);
    femu_shutdown(drive);
}

/* --- By parameter ----------------------------------------------------------- */

static bool is_off(FemuDrive *drive)
{
    return femu_reg(drive, NVME_REG_CC) == 0;
}

static void test_at_ns(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, "power-cut-at-ns=5000000");

    femu_step_to(drive->host, 4999999);
    g_assert_false(is_off(drive));
    femu_step_to(drive->host, 5000000);
    start_again(drive);
    assert_power(drive, 2, 1);
    femu_step(drive->host, 5000000);
    g_assert_false(is_off(drive)); /* once */
    femu_shutdown(drive);
}

/* Behind the second of three that are rung for at once: it is the last. */
static void test_at_command(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, "power-cut-at-command=2,"
                                 "power-cut-seed=3");
    NvmeCmd cmd;

    for (unsigned i = 0; i < 3; i++) {
        cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, i), 4,
                          drive->buf);
        femu_place(&drive->io, &cmd);
    }
    femu_ring(&drive->io);
    start_again(drive);
    g_assert_cmpuint(left_nlb(drive, 2), ==, 0);
    assert_power(drive, 2, 1);
    femu_shutdown(drive);
}

/* At the instant at which the second of the pages is programmed. */
static void test_at_program(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, "power-cut-at-program=2");
    uint32_t page_nlb = femu_page_nlb(drive);
    uint64_t at_ns = drive->host->now_ns + femu_page_write_ns(drive);

    femu_submit_rw(drive, NVME_CMD_WRITE, 0, page_nlb);
    femu_step_to(drive->host, at_ns);
    g_assert_false(is_off(drive));
    femu_expect_now(&drive->io_cq);
    begin_pattern(drive, page_nlb, 3 * page_nlb, 1);
    at_ns = drive->host->now_ns + femu_page_write_ns(drive);
    femu_step_to(drive->host, at_ns - 1);
    g_assert_false(is_off(drive));
    femu_step_to(drive->host, at_ns);
    start_again(drive);
    g_assert_cmpuint(left_nlb(drive, 0), >=, 2 * page_nlb);
    femu_shutdown(drive);
}

/* Behind the program of what is done already, when nothing else happens. */
static void test_at_program_alone(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    uint64_t at_ns;

    config.ssd.write_buffer_bytes = 512 * SSD_KIB;
    config.ssd.program_registers = 2;
    drive = femu_boot(&config, "power-cut-at-program=1");
    at_ns = drive->host->now_ns + femu_page_write_ns(drive);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
    femu_expect_now(&drive->io_cq);
    femu_step_to(drive->host, at_ns - 1);
    g_assert_false(is_off(drive));
    femu_step_to(drive->host, at_ns);
    g_assert_true(is_off(drive));
    femu_shutdown(drive);
}

/* ... of those since the last cut, if there was one. */
static void test_at_program_since(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, "power-cut-at-program=3");
    uint32_t page_nlb = femu_page_nlb(drive);

    femu_fill(drive, 0, 2 * page_nlb);
    cut(drive, 1);
    start_again(drive);
    femu_fill(drive, 1, 2 * page_nlb);
    g_assert_false(is_off(drive));
    femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 2), page_nlb);
    femu_step(drive->host, femu_page_write_ns(drive));
    g_assert_true(is_off(drive));
    femu_shutdown(drive);
}

static void refused(FemuDrive *drive, const char *value, const char *why)
{
    QDict *reply = qtest_qmp(drive->host->qts, "{'execute': 'qom-set',"
                             "'arguments': {'path': %s,"
                             "'property': 'power-cut', 'value': %s}}",
                             PATH, value);
    g_autofree char *want = g_strdup_printf(
        "power-cut=%s: '%s' %s; must be a number, the seed that decides what "
        "becomes of what is inside", value, value, why);

    g_assert_true(qdict_haskey(reply, "error"));
    g_assert_cmpstr(qdict_get_str(qdict_get_qdict(reply, "error"), "desc"), ==,
                    want);
    qobject_unref(reply);
    g_assert_false(is_off(drive));
}

static void test_refused(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    const char *no_number = "is not a whole number";

    refused(drive, "now", no_number);
    refused(drive, "", no_number);
    refused(drive, "7 ", no_number);
    refused(drive, "-1", no_number);
    refused(drive, " -1", no_number);
    refused(drive, "010", "has a leading 0, which QEMU would read as octal; "
            "leave it out");
    refused(drive, "18446744073709551616", "is too large");
    femu_shutdown(drive);
}

/* --- It lasts --------------------------------------------------------------- */

/* What the power has left is there in the next QEMU, and no more. */
static void state_lasts(const char *folder, const char *extra, unsigned seed)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    uint32_t reset_nlb, nlb;

    config.ssd.fe_reset_ns = 1000000;
    config.ssd.power_up_ns = seed % 2 * 1000000;
    drive = femu_boot(&config, extra);
    write_pattern(drive, 0, TOLD_NLB, 1);
    begin_pattern(drive, femu_zone_lba(drive, 1), INSIDE_NLB, 2);
    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, false);
    cut(drive, seed);
    femu_step(drive->host, config.ssd.power_up_ns + 1);
    start_again(drive);
    reset_nlb = left_nlb(drive, 0);
    nlb = left_nlb(drive, 1);
    write_pattern(drive, femu_zone_lba(drive, 2), TOLD_NLB, 3);
    femu_shutdown(drive);

    drive = femu_boot(&config, extra);
    assert_power(drive, 3, 2);
    g_assert_cmpuint(left_nlb(drive, 0), ==, reset_nlb);
    assert_left(drive, 0, reset_nlb, TOLD_NLB, 1);
    g_assert_cmpuint(left_nlb(drive, 1), ==, nlb);
    assert_left(drive, 1, nlb, INSIDE_NLB, 2);
    assert_left(drive, 2, TOLD_NLB, TOLD_NLB, 3);
    femu_assert_works(drive, 5);
    cut(drive, seed + 1);
    femu_shutdown(drive);
}

static void test_lasts(void)
{
    static const char *const names[] = { "history", "data", "kept",
                                         "sums" };

    for (unsigned seed = 0; seed < 6; seed++) {
        g_autofree char *folder = g_dir_make_tmp("femu-cut-XXXXXX", NULL);
        g_autofree char *extra = g_strdup_printf("state=%s", folder);
        g_autofree char *history = g_build_filename(folder, "history", NULL);

        state_lasts(folder, extra, seed);
        femu_ask_sim("replay", history, " 0 differences");
        for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
            g_autofree char *path = g_build_filename(folder, names[i], NULL);

            g_unlink(path);
        }
        g_assert_cmpint(g_rmdir(folder), ==, 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/cut/" name, test)
    ADD("controller", test_controller);
    ADD("changed-list", test_changed_list);
    ADD("write", test_write);
    ADD("reset", test_reset);
    ADD("reset-then", test_reset_then);
    ADD("ready-timeout", test_ready_timeout);
    ADD("power-up", test_power_up);
    ADD("power-up-disabled", test_power_up_disabled);
    ADD("at-ns", test_at_ns);
    ADD("at-command", test_at_command);
    ADD("at-program", test_at_program);
    ADD("at-program-alone", test_at_program_alone);
    ADD("at-program-since", test_at_program_since);
    ADD("refused", test_refused);
    ADD("lasts", test_lasts);
#undef ADD
    return g_test_run();
}
