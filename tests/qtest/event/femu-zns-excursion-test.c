/*
 * What the controller does to zones of itself (ZNS 1.1, 5.4 to 5.6): the
 * descriptor, the event, the changed zone list, Identify, at exact times.
 *
 * Knows nothing of how the core keeps time (tests/unit/zns/test_watch.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "femu-zns-commands.h"

#define LOG_CHANGED_ZONES 0xbf
#define ZONE_CHANGED (1u << 27)         /* feature 0Bh */
#define REPORT_ATTRIBUTES 9
#define SECOND UINT64_C(1000000000)

/* An event as DW0 of its completion tells it: type, information, log page. */
#define EVENT (NVME_AER_TYPE_NOTICE | 0xef << 8 | LOG_CHANGED_ZONES << 16)

static FemuConfig watched_config(void)
{
    FemuConfig config = femu_small_config();

    config.ssd.finish_recommended_ns = 2 * SECOND;
    config.ssd.excursion_ns = 5 * SECOND;
    config.ssd.reset_recommended_ns = 3 * SECOND;
    return config;
}

static uint16_t request_event(FemuDrive *drive)
{
    NvmeCmd cmd = { .opcode = NVME_ADM_CMD_ASYNC_EV_REQ };

    return femu_submit(&drive->admin, &cmd);
}

/* The zones in the list, as a bitmap; reading clears it. */
static uint32_t read_changed_zones(FemuDrive *drive)
{
    uint8_t log[512];
    uint64_t addr = drive->buf;
    uint32_t zones = 0;
    unsigned count;

    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, FEMU_NSID,
                               (sizeof(log) / 4 - 1) << 16 |
                               LOG_CHANGED_ZONES, 0, addr).status, ==,
                    NVME_SUCCESS);
    qtest_bufread(drive->host->qts, addr, log, sizeof(log));
    count = lduw_le_p(log);
    for (unsigned i = 0; i < count; i++) {
        zones |= 1u << ldq_le_p(log + 8 + 8 * i) /
                       femu_zone_nlb(&drive->config);
    }
    return zones;
}

/* At this instant, and not before, an event comes: this zone has changed. */
static void expect_change_at(FemuDrive *drive, uint64_t at_ns,
                             uint32_t zone_idx)
{
    uint16_t cid = request_event(drive);
    FemuCqe cqe = femu_expect_at(&drive->admin_cq, at_ns);

    g_assert_cmpuint(cqe.cid, ==, cid);
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    g_assert_cmphex((uint32_t)cqe.result, ==, EVENT);
    g_assert_cmphex(read_changed_zones(drive), ==, 1u << zone_idx);
    g_assert_cmphex(read_changed_zones(drive), ==, 0);
}

/*
 * How many zones a report of those with an attribute has; it counts those for
 * which there is no room, too.
 */
static uint64_t count_attributes(FemuDrive *drive)
{
    uint64_t count[2];

    for (unsigned i = 0; i < 2; i++) {
        NvmeCmd cmd = femu_cmd_report(drive, 0, REPORT_ATTRIBUTES, false,
                                      drive->buf, i ? 4096 : 64);

        g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
        count[i] = qtest_readq(drive->host->qts, drive->buf);
    }
    g_assert_cmpuint(count[0], ==, count[1]);
    return count[1];
}

static void test_identify(void)
{
    FemuConfig config = femu_small_config();
    NvmeIdNsZoned id;
    FemuDrive *drive;

    for (unsigned i = 0; i < 3; i++) {
        if (i > 0) {
            config = watched_config();
        }
        if (i == 2) {
            config.ssd.finish_recommended_ns = 0;
        }
        drive = femu_boot(&config, NULL);
        g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CS_NS,
                                      NVME_CSI_ZONED, FEMU_NSID, &id), ==,
                        NVME_SUCCESS);
        g_assert_cmphex(le16_to_cpu(id.zoc), ==, i > 0 ? 2 : 0);
        g_assert_cmpuint(le32_to_cpu(id.frl), ==, i == 1 ? 3 : 0);
        g_assert_cmpuint(le32_to_cpu(id.rrl), ==, 0);
        femu_shutdown(drive);
    }
}

/* The life of a zone that its host forgets. */
static void test_life(void)
{
    FemuConfig config = watched_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint64_t lba = femu_zone_lba(drive, 3);
    uint64_t start_ns;
    g_autofree uint8_t *data = femu_pattern(drive, lba, 3, 1);

    g_assert_cmphex(femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                                     ZONE_CHANGED), ==, NVME_SUCCESS);
    start_ns = drive->host->now_ns;
    g_assert_cmphex(femu_write(drive, lba, 3, data), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone(drive, 3).za, ==, 0);

    expect_change_at(drive, start_ns + 2 * SECOND, 3);
    g_assert_cmphex(femu_zone(drive, 3).za, ==, NVME_ZA_FINISH_RECOMMENDED);
    g_assert_cmpuint(count_attributes(drive), ==, 1);
    femu_assert_zone(drive, 3, NVME_ZONE_STATE_IMPLICITLY_OPEN, 3);

    expect_change_at(drive, start_ns + 5 * SECOND, 3);
    g_assert_cmphex(femu_zone(drive, 3).za, ==, NVME_ZA_FINISHED_BY_CTLR);
    g_assert_cmpuint(count_attributes(drive), ==, 1);
    femu_assert_zone(drive, 3, NVME_ZONE_STATE_FULL, 0);
    g_assert_cmphex(femu_write(drive, lba + 3, 1, NULL), ==, NVME_ZONE_FULL);
    femu_assert_data(drive, lba, 3, data);
    femu_assert_data(drive, lba + 3, 9, NULL);

    expect_change_at(drive, start_ns + 8 * SECOND, 3);
    g_assert_cmphex(femu_zone(drive, 3).za, ==,
                    NVME_ZA_FINISHED_BY_CTLR | NVME_ZA_RESET_RECOMMENDED);
    g_assert_cmpuint(count_attributes(drive), ==, 1);

    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, lba, false),
                    ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone(drive, 3).za, ==, 0);
    g_assert_cmpuint(count_attributes(drive), ==, 0);
    g_assert_cmphex(read_changed_zones(drive), ==, 0);
    femu_shutdown(drive);
}

/* Without the host's interest, the list has the zone, and no event comes. */
static void test_list_without_event(void)
{
    FemuConfig config = watched_config();
    FemuDrive *drive;
    FemuCqe cqe;

    config.time_dilation = 3;
    drive = femu_boot(&config, NULL);
    femu_write(drive, femu_zone_lba(drive, 1), 1, NULL);
    request_event(drive);
    /* the drive's clock is three times slower */
    femu_step(drive->host, 5 * SECOND);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_IMPLICITLY_OPEN, 1);
    femu_step(drive->host, 10 * SECOND);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_FULL, 0);
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    /* nor later, as whoever wants events from now on */
    g_assert_cmphex(femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                                     ZONE_CHANGED), ==, NVME_SUCCESS);
    femu_get_log(drive, NVME_LOG_SMART_INFO, 0, 0, NULL, 64);
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    g_assert_cmphex(read_changed_zones(drive), ==, 1u << 1);
    femu_shutdown(drive);
}

/* While the controller is off, zones go on; then the list tells of them. */
static void test_disabled(void)
{
    FemuConfig config = watched_config();
    FemuDrive *drive = femu_boot(&config, NULL);

    femu_write(drive, femu_zone_lba(drive, 2), 1, NULL);
    femu_write(drive, femu_zone_lba(drive, 3), 1, NULL);
    femu_disable(drive);
    femu_step(drive->host, 6 * SECOND);
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_assert_zone(drive, 2, NVME_ZONE_STATE_FULL, 0);
    g_assert_cmpuint(count_attributes(drive), ==, 2);
    g_assert_cmphex(read_changed_zones(drive), ==, 3u << 2);
    femu_shutdown(drive);
}

/* Of a namespace that is not attached the host hears nothing. */
static void test_detached(void)
{
    FemuConfig config = watched_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    FemuCqe cqe;

    g_assert_cmphex(femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                                     ZONE_CHANGED), ==, NVME_SUCCESS);
    femu_write(drive, femu_zone_lba(drive, 2), 1, NULL);
    qtest_memset(drive->host->qts, drive->buf, 0, FEMU_PAGE_BYTES);
    qtest_writew(drive->host->qts, drive->buf, 1);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_NS_ATTACHMENT, FEMU_NSID,
                               NVME_NS_ATTACHMENT_DETACH, 0,
                               drive->buf).status, ==, NVME_SUCCESS);
    request_event(drive);
    femu_step(drive->host, 6 * SECOND);
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    femu_shutdown(drive);
}

/*
 * An excursion 2^64 ns and 448 us away by the host's clock, which counts to
 * 2^63: it is not taken for one that is due.
 */
static void test_beyond_the_clock(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;

    config.time_dilation = 1000000;
    config.ssd.excursion_ns = UINT64_C(18446744073710);
    drive = femu_boot(&config, NULL);
    femu_assert_works(drive, 1);
    femu_assert_works(drive, 2);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_IMPLICITLY_OPEN,
                     femu_page_nlb(drive));
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/excursion/identify", test_identify);
    qtest_add_func("femu-zns/excursion/life", test_life);
    qtest_add_func("femu-zns/excursion/list-without-event",
                   test_list_without_event);
    qtest_add_func("femu-zns/excursion/disabled", test_disabled);
    qtest_add_func("femu-zns/excursion/detached", test_detached);
    qtest_add_func("femu-zns/excursion/beyond-the-clock",
                   test_beyond_the_clock);
    return g_test_run();
}
