/*
 * The statistics, as a host gets them in band (vendor log page and feature)
 * and as QEMU gives them (QOM): they say what happened, to the nanosecond.
 *
 * Knows nothing of how the JSON is made.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "qemu/cutils.h"
#include "qemu/host-utils.h"
#include "femu-zns-commands.h"
#include "qapi/error.h"
#include "qobject/qjson.h"
#include "qobject/qlist.h"
#include "qobject/qstring.h"

#define STATS_BYTES (128 * 1024u)

/* Assert that the number at `path` is `value`. */
static void assert_stat(QDict *stats, const char *path, uint64_t value)
{
    uint64_t found = femu_stat(stats, path);

    if (found != value) {
        g_test_message("%s", path);
    }
    g_assert_cmpuint(found, ==, value);
}

/* Lowest value of a histogram bucket: 64 to an octave, below 64 exact. */
static uint64_t bucket_low_ns(uint64_t ns)
{
    unsigned shift = ns < 64 ? 0 : 63 - clz64(ns) - 6;

    return ns >> shift << shift;
}

static FemuDrive *boot(void)
{
    FemuConfig config = femu_small_config();

    return femu_boot(&config, NULL);
}

static void test_fresh(void)
{
    FemuDrive *drive = boot();
    QDict *stats = femu_stats(drive);

    assert_stat(stats, "version", 1);
    assert_stat(stats, "since_ns", 0);
    assert_stat(stats, "now_ns", 0);
    assert_stat(stats, "time_dilation", 1);
    g_assert_cmpuint(qdict_size(qdict_get_qdict(stats, "ops")), ==, 0);
    assert_stat(stats, "flash/senses", 0);
    assert_stat(stats, "channels/3", 0);
    g_assert_false(femu_has_stat(stats, "channels/4"));
    assert_stat(stats, "units/3", 0);
    g_assert_false(femu_has_stat(stats, "units/4"));
    qobject_unref(stats);
    femu_shutdown(drive);
}

/* Eight pages at depth 8: four end with the first row, four with the second. */
static void test_writes(void)
{
    FemuDrive *drive = boot();
    const SsdParams *p = &drive->config.ssd;
    uint64_t first_ns = p->page_transfer_ns + p->program_ns;
    uint64_t second_ns = first_ns + p->program_ns;
    uint32_t page_nlb = femu_page_nlb(drive);
    QDict *stats;

    for (unsigned i = 0; i < 8; i++) {
        femu_submit_rw(drive, NVME_CMD_WRITE, i * page_nlb, page_nlb);
    }
    femu_expect_ok(&drive->io_cq, first_ns, 4, 0);
    femu_expect_ok(&drive->io_cq, second_ns, 4, 4);
    stats = femu_stats(drive);
    assert_stat(stats, "now_ns", second_ns);
    assert_stat(stats, "ops/write/count", 8);
    assert_stat(stats, "ops/write/errors", 0);
    assert_stat(stats, "ops/write/bytes", 8 * p->page_bytes);
    assert_stat(stats, "ops/write/sum_ns", 4 * (first_ns + second_ns));
    assert_stat(stats, "ops/write/min_ns", first_ns);
    assert_stat(stats, "ops/write/max_ns", second_ns);
    assert_stat(stats, "ops/write/p50_ns", first_ns);
    assert_stat(stats, "ops/write/p99_ns", bucket_low_ns(second_ns));
    assert_stat(stats, "ops/write/histogram/0/0", bucket_low_ns(first_ns));
    assert_stat(stats, "ops/write/histogram/0/1", 4);
    assert_stat(stats, "ops/write/histogram/1/0", bucket_low_ns(second_ns));
    assert_stat(stats, "ops/write/histogram/1/1", 4);
    g_assert_false(femu_has_stat(stats, "ops/write/histogram/2"));
    g_assert_false(femu_has_stat(stats, "ops/read"));
    assert_stat(stats, "flash/programs", 8);
    for (unsigned i = 0; i < 4; i++) {
        g_autofree char *channel = g_strdup_printf("channels/%u", i);
        g_autofree char *unit = g_strdup_printf("units/%u", i);

        assert_stat(stats, channel, 2 * p->page_transfer_ns);
        assert_stat(stats, unit, 2 * p->program_ns);
    }
    qobject_unref(stats);
    femu_shutdown(drive);
}

/* Each operation has its own entry, with its own time. */
static void test_operations(void)
{
    FemuDrive *drive = boot();
    const SsdParams *p = &drive->config.ssd;
    uint64_t write_ns = p->page_transfer_ns + p->program_ns;
    uint64_t fill_ns = (p->zone_capacity_bytes / p->page_bytes - 1) * write_ns;
    uint32_t page_nlb = femu_page_nlb(drive);
    NvmeCmd flush = femu_cmd_flush();
    uint64_t lba;
    QDict *stats;

    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OPEN, 0, false),
                    ==, NVME_SUCCESS);
    g_assert_cmphex(femu_append(drive, 0, page_nlb, NULL, &lba), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_read(drive, 0, 1, NULL), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_read(drive, 8, 1, NULL), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_exec(&drive->io, &flush).status, ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_CLOSE, 0, false),
                    ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_FINISH, 0, false),
                    ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0, false),
                    ==, NVME_SUCCESS);
    stats = femu_stats(drive);
    assert_stat(stats, "ops/open/sum_ns", 0);
    assert_stat(stats, "ops/open/count", 1);
    assert_stat(stats, "ops/append/sum_ns", write_ns);
    assert_stat(stats, "ops/append/bytes", p->page_bytes);
    assert_stat(stats, "ops/read/count", 2);
    assert_stat(stats, "ops/read/min_ns", 0);
    assert_stat(stats, "ops/read/max_ns", p->read_ns + p->page_transfer_ns);
    assert_stat(stats, "ops/read/bytes", 2 * p->lba_bytes);
    assert_stat(stats, "ops/flush/sum_ns", 0);
    assert_stat(stats, "ops/close/sum_ns", 0);
    assert_stat(stats, "ops/finish/sum_ns", fill_ns);
    assert_stat(stats, "ops/reset/sum_ns", 3 * p->erase_ns);
    assert_stat(stats, "flash/senses", 1);
    assert_stat(stats, "flash/programs",
                p->zone_capacity_bytes / p->page_bytes);
    assert_stat(stats, "flash/erases", 4 * 3);
    assert_stat(stats, "programmed/page_bytes", p->page_bytes);
    assert_stat(stats, "programmed/padded_bytes",
                p->zone_capacity_bytes -
                p->page_bytes);
    qobject_unref(stats);
    femu_shutdown(drive);
}

static void test_errors(void)
{
    FemuDrive *drive = boot();
    QDict *stats;

    g_assert_cmphex(femu_write(drive, 1, 1, NULL), ==,
                    NVME_ZONE_INVALID_WRITE);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_CLOSE, 0, false),
                    ==, NVME_ZONE_INVAL_TRANSITION);
    g_assert_cmphex(femu_write(drive, 0, 1, NULL), ==, NVME_SUCCESS);
    stats = femu_stats(drive);
    assert_stat(stats, "ops/write/errors", 1);
    assert_stat(stats, "ops/write/count", 1);
    assert_stat(stats, "ops/write/bytes", drive->config.ssd.lba_bytes);
    assert_stat(stats, "ops/close/errors", 1);
    assert_stat(stats, "ops/close/count", 0);
    qobject_unref(stats);
    femu_shutdown(drive);
}

/* Dilated time is the guest's affair: the drive reports its own. */
static void test_dilation(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    QDict *stats;

    config.time_dilation = 7;
    drive = femu_boot(&config, NULL);
    femu_step_to(drive->host, 1000);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
    femu_expect_ok(&drive->io_cq,
                   (1000 / 7 + femu_page_write_ns(drive)) * 7, 1, 0);
    stats = femu_stats(drive);
    assert_stat(stats, "time_dilation", 7);
    assert_stat(stats, "now_ns", 1000 / 7 + femu_page_write_ns(drive));
    assert_stat(stats, "ops/write/sum_ns", femu_page_write_ns(drive));
    qobject_unref(stats);
    femu_shutdown(drive);
}

/* Set Features C0h with 1 resets; Get tells how often that was done. */
static void test_reset(void)
{
    FemuDrive *drive = boot();
    uint64_t reset_at_ns;
    uint32_t resets;
    QDict *stats;

    g_assert_cmphex(femu_get_feature(drive, FEMU_FEAT_STATS, &resets), ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(resets, ==, 0);
    femu_fill(drive, 0, femu_page_nlb(drive));
    g_assert_cmphex(femu_read(drive, 255, 2, NULL), ==,
                    NVME_ZONE_BOUNDARY_ERROR);
    femu_step(drive->host, 12345);
    reset_at_ns = drive->host->now_ns;
    for (unsigned i = 1; i <= 3; i++) {
        g_assert_cmphex(femu_set_feature(drive, FEMU_FEAT_STATS, 1), ==,
                        NVME_SUCCESS);
        g_assert_cmphex(femu_get_feature(drive, FEMU_FEAT_STATS, &resets), ==,
                        NVME_SUCCESS);
        g_assert_cmpuint(resets, ==, i);
    }
    femu_step(drive->host, 1);
    stats = femu_stats(drive);
    assert_stat(stats, "since_ns", reset_at_ns);
    assert_stat(stats, "now_ns", reset_at_ns + 1);
    g_assert_cmpuint(qdict_size(qdict_get_qdict(stats, "ops")), ==, 0);
    assert_stat(stats, "flash/programs", 0);
    assert_stat(stats, "channels/0", 0);
    assert_stat(stats, "units/0", 0);
    assert_stat(stats, "lateness/count", 0);
    qobject_unref(stats);
    /* the drive itself is as it was */
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN,
                     femu_page_nlb(drive));
    femu_shutdown(drive);
}

/* Busy time is that up to now: half a transfer, then a part of a program. */
static void test_busy_so_far(void)
{
    FemuDrive *drive = boot();
    const SsdParams *p = &drive->config.ssd;
    QDict *stats;

    femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
    femu_step(drive->host, p->page_transfer_ns / 2);
    stats = femu_stats(drive);
    assert_stat(stats, "channels/0", p->page_transfer_ns / 2);
    assert_stat(stats, "units/0", 0);
    qobject_unref(stats);
    femu_step(drive->host, p->page_transfer_ns);
    stats = femu_stats(drive);
    assert_stat(stats, "channels/0", p->page_transfer_ns);
    assert_stat(stats, "units/0", p->page_transfer_ns / 2);
    assert_stat(stats, "channels/1", 0);
    qobject_unref(stats);
    femu_shutdown(drive);
}

/* In virtual time nothing is late, dilated or not. */
static void test_lateness(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    QDict *stats;

    config.time_dilation = 7;
    drive = femu_boot(&config, NULL);
    femu_fill(drive, 0, 192);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0, true),
                    ==, NVME_SUCCESS);
    stats = femu_stats(drive);
    g_assert_cmpstr(qdict_get_str(qdict_get_qdict(stats, "lateness"),
                                  "clock"), ==, "virtual");
    assert_stat(stats, "lateness/count", 3);
    assert_stat(stats, "lateness/max_ns", 0);
    qobject_unref(stats);
    /* a property, which nothing is done for, says what time it is, too */
    femu_step(drive->host, 7000);
    stats = femu_property(drive, "stats");
    assert_stat(stats, "now_ns", drive->host->now_ns / 7);
    qobject_unref(stats);
    femu_shutdown(drive);
}

/* Time that counts instructions is virtual, that of a running guest is not. */
static void test_clock(void)
{
    static const struct {
        const char *accel, *clock;
    } rows[] = {
        { "-accel tcg -icount shift=0", "virtual" },
        { "-accel tcg", "host" },
    };
    FemuConfig config = femu_small_config();
    g_autofree char *device = femu_device_args(&config, FEMU_SLOT, NULL);

    if (!qtest_has_accel("tcg")) {
        g_test_skip("this QEMU has no TCG");
        return;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        g_autofree char *bios = femu_bios_create();
        g_autofree char *more = g_strdup_printf("%s -S %s", rows[i].accel,
                                                device);
        g_autofree char *args = femu_machine_args(bios, more);
        QTestState *qts = qtest_init(args);
        QDict *reply = qtest_qmp(qts, "{'execute': 'qom-get', 'arguments': {"
                                 "'path': '/machine/peripheral/zns4',"
                                 "'property': 'stats'}}");
        QDict *stats = qobject_to(QDict, qobject_from_json(
            qdict_get_str(reply, "return"), &error_abort));

        g_unlink(bios);
        g_assert_cmpstr(qdict_get_str(qdict_get_qdict(stats, "lateness"),
                                      "clock"), ==, rows[i].clock);
        qobject_unref(stats);
        qobject_unref(reply);
        qtest_quit(qts);
    }
}

static void test_config(void)
{
    FemuDrive *drive = boot();
    const SsdParams *p = &drive->config.ssd;
    QDict *stats = femu_stats(drive);

    assert_stat(stats, "config/zones", p->zones);
    assert_stat(stats, "config/zone-capacity", p->zone_capacity_bytes);
    assert_stat(stats, "config/program-ns", p->program_ns);
    /* "0 means ..." is resolved */
    assert_stat(stats, "config/zone-channels", p->channels);
    assert_stat(stats, "config/zasl", p->mdts_bytes);
    assert_stat(stats, "config/finish-chunk", p->page_bytes);
    assert_stat(stats, "geometry/channels", p->channels);
    assert_stat(stats, "geometry/planes", p->planes);
    qobject_unref(stats);
    femu_shutdown(drive);
}

static char *read_log(FemuDrive *drive, unsigned step)
{
    char *text = g_malloc0(STATS_BYTES + 1);

    for (unsigned at = 0; at < STATS_BYTES; at += step) {
        g_assert_cmphex(femu_get_log(drive, FEMU_LOG_STATS, 0, at, text + at,
                                     step), ==, NVME_SUCCESS);
    }
    return text;
}

/* A snapshot is taken when offset 0 is read; NULs follow the text. */
static void test_snapshot(void)
{
    FemuDrive *drive = boot();
    g_autofree char *whole = NULL, *parts = NULL, *old = NULL;
    size_t len;

    femu_fill(drive, 0, 48);
    whole = read_log(drive, STATS_BYTES);
    len = strlen(whole);
    g_assert_cmpuint(len, >, 512);     /* where it is cut below */
    g_assert_true(buffer_is_zero(whole + len, STATS_BYTES - len));
    parts = read_log(drive, 1024);
    g_assert_cmpstr(parts, ==, whole);
    /* work goes on between the parts of a reading: it sees none of it */
    old = g_malloc0(STATS_BYTES + 1);
    g_assert_cmphex(femu_get_log(drive, FEMU_LOG_STATS, 0, 0, old, 512), ==,
                    NVME_SUCCESS);
    femu_fill(drive, 1, 48);
    g_assert_cmphex(femu_get_log(drive, FEMU_LOG_STATS, 0, 512, old + 512,
                                 STATS_BYTES - 512), ==, NVME_SUCCESS);
    g_assert_cmpstr(old, ==, whole);
    femu_shutdown(drive);
}

/* QOM shows the same text; writing stats-reset resets. */
static void test_qom(void)
{
    FemuDrive *drive = boot();
    QTestState *qts = drive->host->qts;
    g_autofree char *text = NULL;
    QDict *reply, *stats;

    femu_fill(drive, 0, 48);
    text = read_log(drive, STATS_BYTES);
    reply = qtest_qmp(qts, "{'execute': 'qom-get', 'arguments': {"
                      "'path': '/machine/peripheral/zns4',"
                      "'property': 'stats'}}");
    g_assert_cmpstr(qdict_get_str(reply, "return"), ==, text);
    qobject_unref(reply);
    femu_step(drive->host, 12345);      /* during which nothing is due */
    qtest_qom_set_bool(qts, "/machine/peripheral/zns4", "stats-reset", true);
    stats = femu_stats(drive);
    g_assert_cmpuint(qdict_size(qdict_get_qdict(stats, "ops")), ==, 0);
    assert_stat(stats, "since_ns", drive->host->now_ns);
    qobject_unref(stats);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/stats/" name, test)
    ADD("fresh", test_fresh);
    ADD("writes", test_writes);
    ADD("operations", test_operations);
    ADD("errors", test_errors);
    ADD("dilation", test_dilation);
    ADD("reset", test_reset);
    ADD("busy-so-far", test_busy_so_far);
    ADD("lateness", test_lateness);
    ADD("clock", test_clock);
    ADD("config", test_config);
    ADD("snapshot", test_snapshot);
    ADD("qom", test_qom);
#undef ADD
    return g_test_run();
}
