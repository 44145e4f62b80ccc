/*
 * Namespace Attachment, what Identify says of a namespace that is not
 * attached, and the news of it (NVMe base 2.0, 5.20, 3.2.1 and 5.16.1.5).
 *
 * Knows nothing of how long anything takes, but for the write of one page.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/cutils.h"
#include "femu-zns-commands.h"

#define ATTACH NVME_NS_ATTACHMENT_ATTACH
#define DETACH NVME_NS_ATTACHMENT_DETACH
#define RAE (1u << 15)                  /* CDW10 of Get Log Page */
#define NS_CHANGED (1u << 8)            /* feature 0Bh */
#define EVENT_NS_CHANGED (2 | 0 << 8 | NVME_LOG_CHANGED_NSLIST << 16)
#define ZONES_CHANGED (1u << 27)        /* likewise */
#define LOG_CHANGED_ZONES 0xbf
#define LBAF_512 0u
#define LBAF_4096 1u
#define NOWHERE UINT64_C(0x80000000)

static FemuDrive *boot(void)
{
    FemuConfig config = femu_small_config();

    return femu_boot(&config, NULL);
}

/* Namespace Attachment with a list of `count` controllers. */
static uint16_t attachment(FemuDrive *drive, uint32_t sel, uint32_t nsid,
                           uint16_t count, const uint16_t *ids)
{
    qtest_memset(drive->host->qts, drive->buf, 0, 4096);
    qtest_writew(drive->host->qts, drive->buf, count);
    for (unsigned i = 0; i < MIN(count, 2); i++) {
        qtest_writew(drive->host->qts, drive->buf + 2 + 2 * i, ids[i]);
    }
    return femu_admin(drive, NVME_ADM_CMD_NS_ATTACHMENT, nsid, sel, 0,
                      drive->buf).status;
}

static uint16_t attach(FemuDrive *drive, uint32_t sel)
{
    static const uint16_t ids[2] = { 0 };

    return attachment(drive, sel, 1, 1, ids);
}

/* Assert that a list of 32-bit identifiers is just namespace 1, or empty. */
static void assert_list(FemuDrive *drive, uint8_t cns, uint8_t csi,
                        bool listed)
{
    uint32_t list[NVME_IDENTIFY_DATA_SIZE / 4];

    g_assert_cmphex(femu_identify(drive, cns, csi, 0, list), ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(le32_to_cpu(list[0]), ==, listed);
    g_assert_true(buffer_is_zero(list + 1, sizeof(list) - 4));
}

/* Assert that a structure of namespace 1 is there, or zeroes. */
static void assert_filled(FemuDrive *drive, uint8_t cns, uint8_t csi,
                          bool filled)
{
    uint8_t data[NVME_IDENTIFY_DATA_SIZE];

    g_assert_cmphex(femu_identify(drive, cns, csi, 1, data), ==,
                    NVME_SUCCESS);
    g_assert_cmpint(!buffer_is_zero(data, sizeof(data)), ==, filled);
}

static void assert_attached(FemuDrive *drive, bool attached)
{
    uint16_t missing = attached ? NVME_SUCCESS : NVME_INVALID_FIELD;

    assert_list(drive, NVME_ID_CNS_NS_ACTIVE_LIST, 0, attached);
    assert_list(drive, NVME_ID_CNS_CS_NS_ACTIVE_LIST, NVME_CSI_ZONED,
                attached);
    assert_list(drive, NVME_ID_CNS_NS_PRESENT_LIST, 0, true);
    assert_list(drive, NVME_ID_CNS_CS_NS_PRESENT_LIST, NVME_CSI_ZONED, true);
    assert_list(drive, NVME_ID_CNS_CS_NS_PRESENT_LIST, NVME_CSI_NVM, false);
    assert_filled(drive, NVME_ID_CNS_NS, 0, attached);
    assert_filled(drive, NVME_ID_CNS_CS_NS, NVME_CSI_ZONED, attached);
    assert_filled(drive, NVME_ID_CNS_CS_IND_NS, 0, attached);
    assert_filled(drive, NVME_ID_CNS_NS_PRESENT, 0, true);
    assert_filled(drive, NVME_ID_CNS_CS_NS_PRESENT, NVME_CSI_ZONED, true);
    assert_filled(drive, NVME_ID_CNS_NS_ATTACHED_CTRL_LIST, 0, attached);
    assert_filled(drive, NVME_ID_CNS_CTRL_LIST, 0, true);
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_NS_DESCR_LIST, 0, 1,
                                  NULL), ==, missing);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_FEATURES, 1,
                               NVME_ERROR_RECOVERY, 0, 0).status, ==, missing);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_SET_FEATURES, 1,
                               NVME_ERROR_RECOVERY, 0, 0).status, ==, missing);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, 1,
                               127u << 16 | NVME_LOG_SMART_INFO, 0,
                               drive->buf).status, ==, missing);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, 1,
                               127u << 16 | LOG_CHANGED_ZONES, 0,
                               drive->buf).status, ==, missing);
}

/* Every I/O command to an inactive namespace is Invalid Field. */
static void test_inactive(void)
{
    static const uint8_t opcodes[] = {
        NVME_CMD_FLUSH, NVME_CMD_WRITE, NVME_CMD_READ, NVME_CMD_COMPARE,
        NVME_CMD_WRITE_ZEROES, NVME_CMD_DSM, NVME_CMD_VERIFY, NVME_CMD_COPY,
        NVME_CMD_ZONE_MGMT_SEND, NVME_CMD_ZONE_MGMT_RECV,
        NVME_CMD_ZONE_APPEND,
    };
    FemuDrive *drive = boot();
    g_autofree uint8_t *data = femu_pattern(drive, 0, 8, 1);
    NvmeCmd flush_all = femu_cmd_flush();

    assert_attached(drive, true);
    g_assert_cmphex(femu_write(drive, 0, 8, data), ==, NVME_SUCCESS);
    g_assert_cmphex(attach(drive, DETACH), ==, NVME_SUCCESS);
    assert_attached(drive, false);
    for (unsigned i = 0; i < ARRAY_SIZE(opcodes); i++) {
        NvmeCmd cmd = femu_cmd_rw(drive, opcodes[i], 8, 1, drive->buf);

        g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                        NVME_INVALID_FIELD);
    }
    /* a flush of all namespaces names none */
    flush_all.nsid = cpu_to_le32(NVME_NSID_BROADCAST);
    g_assert_cmphex(femu_exec(&drive->io, &flush_all).status, ==,
                    NVME_SUCCESS);
    g_assert_cmphex(attach(drive, ATTACH), ==, NVME_SUCCESS);
    assert_attached(drive, true);
    femu_assert_data(drive, 0, 8, data);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, 8);
    femu_assert_works(drive, 1);
    femu_shutdown(drive);
}

static void test_refused(void)
{
    static const struct {
        uint32_t sel, nsid;
        uint16_t count, ids[2], status;
    } rows[] = {
        { DETACH, 0, 1, { 0 }, NVME_INVALID_NSID },
        { DETACH, 2, 1, { 0 }, NVME_INVALID_NSID },
        { DETACH, NVME_NSID_BROADCAST, 1, { 0 }, NVME_INVALID_NSID },
        { 2, 1, 1, { 0 }, NVME_INVALID_FIELD },
        { 15, 1, 1, { 0 }, NVME_INVALID_FIELD },
        { DETACH, 1, 0, { 0 }, NVME_NS_CTRL_LIST_INVALID },
        { DETACH, 1, 1, { 1 }, NVME_NS_CTRL_LIST_INVALID },
        { DETACH, 1, 1, { 0x100 }, NVME_NS_CTRL_LIST_INVALID },
        { DETACH, 1, 2, { 0, 0 }, NVME_NS_CTRL_LIST_INVALID },
        { DETACH, 1, 2, { 0, 1 }, NVME_NS_CTRL_LIST_INVALID },
        { DETACH, 1, 2048, { 0, 1 }, NVME_NS_CTRL_LIST_INVALID },
        { ATTACH, 1, 1, { 0 }, NVME_NS_ALREADY_ATTACHED },
    };
    FemuDrive *drive = boot();

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        g_assert_cmphex(attachment(drive, rows[i].sel, rows[i].nsid,
                                   rows[i].count, rows[i].ids), ==,
                        rows[i].status);
    }
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_NS_ATTACHMENT, 1, DETACH, 0,
                               NOWHERE).status, ==, NVME_DATA_TRAS_ERROR);
    assert_list(drive, NVME_ID_CNS_NS_ACTIVE_LIST, 0, true);
    g_assert_cmphex(attach(drive, DETACH), ==, NVME_SUCCESS);
    g_assert_cmphex(attach(drive, DETACH), ==, NVME_NS_NOT_ATTACHED);
    femu_shutdown(drive);
}

/* What is inside completes, at its time; what is behind it is refused. */
static void test_in_flight(void)
{
    FemuDrive *drive = boot();
    uint16_t cid = femu_submit_rw(drive, NVME_CMD_WRITE, 0,
                                  femu_page_nlb(drive));

    g_assert_cmphex(attach(drive, DETACH), ==, NVME_SUCCESS);
    femu_expect_ok(&drive->io_cq, femu_page_write_ns(drive), 1, cid);
    g_assert_cmphex(femu_read(drive, 0, 1, NULL), ==, NVME_INVALID_FIELD);
    g_assert_cmphex(attach(drive, ATTACH), ==, NVME_SUCCESS);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN,
                     femu_page_nlb(drive));
    femu_shutdown(drive);
}

/* No reset of the controller attaches or detaches. */
static void test_lasts(void)
{
    FemuDrive *drive = boot();

    g_assert_cmphex(attach(drive, DETACH), ==, NVME_SUCCESS);
    femu_disable(drive);
    femu_enable(drive);
    assert_list(drive, NVME_ID_CNS_NS_ACTIVE_LIST, 0, false);
    g_assert_cmphex(attach(drive, ATTACH), ==, NVME_SUCCESS);
    femu_disable(drive);
    femu_enable(drive);
    assert_list(drive, NVME_ID_CNS_NS_ACTIVE_LIST, 0, true);
    femu_shutdown(drive);
}

/* With the NVM command set alone a zoned namespace cannot be attached. */
static void test_set_not_enabled(void)
{
    FemuDrive *drive = boot();

    femu_disable(drive);
    drive->css = NVME_CC_CSS_NVM;
    femu_enable(drive);
    g_assert_cmphex(attach(drive, ATTACH), ==, NVME_NS_ALREADY_ATTACHED);
    g_assert_cmphex(attach(drive, DETACH), ==, NVME_SUCCESS);
    g_assert_cmphex(attach(drive, ATTACH), ==, NVME_IOCS_NOT_ENABLED);
    femu_shutdown(drive);
}

static void assert_changed(FemuDrive *drive, uint32_t flags, uint32_t first)
{
    uint32_t list[1024];

    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE,
                               NVME_NSID_BROADCAST,
                               1023u << 16 | flags | NVME_LOG_CHANGED_NSLIST,
                               0, drive->buf).status, ==, NVME_SUCCESS);
    qtest_bufread(drive->host->qts, drive->buf, list, sizeof(list));
    g_assert_cmpuint(le32_to_cpu(list[0]), ==, first);
    g_assert_true(buffer_is_zero(list + 1, sizeof(list) - 4));
}

static uint16_t request_event(FemuDrive *drive)
{
    NvmeCmd cmd = { .opcode = NVME_ADM_CMD_ASYNC_EV_REQ };

    return femu_submit(&drive->admin, &cmd);
}

static void expect_event(FemuDrive *drive, uint16_t cid)
{
    FemuCqe cqe;

    /* the event comes before the command that causes it completes */
    g_assert_true(femu_reap(&drive->admin_cq, &cqe));
    g_assert_cmpuint(cqe.cid, ==, cid);
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    g_assert_cmphex(cqe.result, ==, EVENT_NS_CHANGED);
}

/* Submit an attachment and leave its completion in the queue. */
static uint16_t submit_attachment(FemuDrive *drive, uint32_t sel)
{
    NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_NS_ATTACHMENT,
        .nsid = cpu_to_le32(1),
        .cdw10 = cpu_to_le32(sel),
    };

    qtest_memset(drive->host->qts, drive->buf, 0, 4096);
    qtest_writew(drive->host->qts, drive->buf, 1);
    femu_set_prps(drive, &cmd, drive->buf, 4096);
    return femu_submit(&drive->admin, &cmd);
}

static void expect_done(FemuDrive *drive, uint16_t cid)
{
    FemuCqe cqe = femu_expect_now(&drive->admin_cq);

    g_assert_cmpuint(cqe.cid, ==, cid);
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
}

/* Asked for, it comes once until the list is read; the list is kept anyway. */
static void test_event(void)
{
    FemuDrive *drive = boot();
    NvmeIdCtrl id;
    uint16_t cid, event;
    FemuCqe cqe;

    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CTRL, 0, 0, &id), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(le32_to_cpu(id.oaes) & NS_CHANGED, ==, NS_CHANGED);
    assert_changed(drive, 0, 0);
    event = request_event(drive);
    g_assert_cmphex(submit_attachment(drive, 2), !=, event);
    g_assert_cmphex(femu_expect_now(&drive->admin_cq).status, ==,
                    NVME_INVALID_FIELD);
    assert_changed(drive, 0, 0);
    /* not asked for */
    expect_done(drive, submit_attachment(drive, DETACH));
    assert_changed(drive, RAE, 1);
    assert_changed(drive, 0, 1);
    assert_changed(drive, 0, 0);
    g_assert_cmphex(femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                                     NS_CHANGED), ==, NVME_SUCCESS);
    cid = submit_attachment(drive, ATTACH);
    expect_event(drive, event);
    expect_done(drive, cid);
    /* no second one before the list has been read without RAE */
    event = request_event(drive);
    expect_done(drive, submit_attachment(drive, DETACH));
    assert_changed(drive, RAE, 1);
    expect_done(drive, submit_attachment(drive, ATTACH));
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    assert_changed(drive, 0, 1);
    cid = submit_attachment(drive, DETACH);
    expect_event(drive, event);
    expect_done(drive, cid);
    femu_shutdown(drive);
}

/* One reading of the list is of all namespaces in it. */
static void test_event_of_all(void)
{
    static const uint16_t ids[2] = { 0 };
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    uint32_t list[2];
    FemuCqe cqe;

    config.ssd.namespaces = 2;
    drive = femu_boot(&config, NULL);
    femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF, NS_CHANGED);
    for (uint32_t nsid = 1; nsid <= 2; nsid++) {
        g_assert_cmphex(attachment(drive, DETACH, nsid, 1, ids), ==,
                        NVME_SUCCESS);
    }
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_CHANGED_NSLIST, 0, 0, list,
                                 sizeof(list)), ==, NVME_SUCCESS);
    g_assert_cmpuint(le32_to_cpu(list[0]), ==, 1);
    g_assert_cmpuint(le32_to_cpu(list[1]), ==, 2);
    request_event(drive);
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    femu_shutdown(drive);
}

static void zone_fails(FemuDrive *drive, const char *which)
{
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
                             "'arguments': {'path': '/machine/peripheral/zns4',"
                             "'property': 'zone-fail', 'value': %s}}", which);
}

/* A notice whose log page goes with its namespace does not stop the others. */
static void test_zones_detached(void)
{
    static const uint16_t ids[2] = { 0 };
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    uint16_t event;
    FemuCqe cqe;

    config.ssd.namespaces = 2;
    drive = femu_boot(&config, NULL);
    femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF, ZONES_CHANGED);
    event = request_event(drive);
    zone_fails(drive, "2:1 read-only");
    g_assert_true(femu_reap(&drive->admin_cq, &cqe));
    g_assert_cmpuint(cqe.cid, ==, event);
    g_assert_cmphex(attachment(drive, DETACH, 2, 1, ids), ==, NVME_SUCCESS);
    event = request_event(drive);
    zone_fails(drive, "1:1 read-only");
    g_assert_true(femu_reap(&drive->admin_cq, &cqe));
    g_assert_cmpuint(cqe.cid, ==, event);
    femu_shutdown(drive);
}

static uint16_t format(FemuDrive *drive, uint32_t nsid, unsigned lbaf)
{
    const NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_FORMAT_NVM,
        .nsid = cpu_to_le32(nsid),
        .cdw10 = cpu_to_le32(lbaf),
    };

    return femu_exec(&drive->admin, &cmd).status;
}

/*
 * One that is not attached can be formatted by its name (NVMe base 2.1, figure
 * 188), which is no news of it; all are those that are attached.
 */
static void test_format(void)
{
    FemuConfig config = femu_small_config();
    g_autofree uint8_t *data = NULL;
    FemuDrive *drive;
    NvmeIdNs id;

    config.ssd.namespaces = 2;
    drive = femu_boot(&config, NULL);
    data = femu_pattern(drive, 0, 8, 1);
    g_assert_cmphex(femu_write(drive, 0, 8, data), ==, NVME_SUCCESS);
    g_assert_cmphex(attach(drive, DETACH), ==, NVME_SUCCESS);
    assert_changed(drive, 0, 1);
    g_assert_cmphex(format(drive, NVME_NSID_BROADCAST, LBAF_512), ==,
                    NVME_SUCCESS);
    assert_changed(drive, 0, 2);
    g_assert_cmphex(attach(drive, ATTACH), ==, NVME_SUCCESS);
    femu_assert_data(drive, 0, 8, data);
    g_assert_cmphex(attach(drive, DETACH), ==, NVME_SUCCESS);
    assert_changed(drive, 0, 1);
    g_assert_cmphex(format(drive, 1, 2), ==, NVME_INVALID_FORMAT);
    g_assert_cmphex(format(drive, 1, LBAF_512), ==, NVME_SUCCESS);
    g_assert_cmphex(format(drive, 1, LBAF_4096), ==, NVME_SUCCESS);
    assert_changed(drive, 0, 0);
    g_assert_cmphex(format(drive, 3, LBAF_512), ==, NVME_INVALID_NSID);
    g_assert_cmphex(attach(drive, ATTACH), ==, NVME_SUCCESS);
    assert_changed(drive, 0, 1);
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_NS, 0, 1, &id), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(id.flbas, ==, LBAF_4096);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_EMPTY, 0);
    femu_assert_data(drive, 0, 8, NULL);
    femu_shutdown(drive);
}

/* A format that gives a namespace other blocks is news of it, too. */
static void test_formatted(void)
{
    FemuDrive *drive = boot();
    NvmeCmd format = {
        .opcode = NVME_ADM_CMD_FORMAT_NVM,
        .nsid = cpu_to_le32(1),
    };
    uint16_t event, cid;

    femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF, NS_CHANGED);
    event = request_event(drive);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_FORMAT_NVM, 1, LBAF_4096, 0,
                               0).status, ==, NVME_SUCCESS);
    assert_changed(drive, 0, 0);
    format.cdw10 = cpu_to_le32(LBAF_512);
    cid = femu_submit(&drive->admin, &format);
    expect_event(drive, event);
    expect_done(drive, cid);
    assert_changed(drive, 0, 1);
    femu_shutdown(drive);
}

/* Who asks later is not told of what was before. */
static void test_event_before(void)
{
    FemuDrive *drive = boot();
    FemuCqe cqe;

    g_assert_cmphex(attach(drive, DETACH), ==, NVME_SUCCESS);
    femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF, NS_CHANGED);
    femu_get_log(drive, NVME_LOG_SMART_INFO, 0, 0, NULL, 512);
    request_event(drive);
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/attach/" name, test)
    ADD("inactive", test_inactive);
    ADD("refused", test_refused);
    ADD("format", test_format);
    ADD("in-flight", test_in_flight);
    ADD("lasts", test_lasts);
    ADD("set-not-enabled", test_set_not_enabled);
    ADD("event", test_event);
    ADD("event-of-all", test_event_of_all);
    ADD("event-before", test_event_before);
    ADD("zones-detached", test_zones_detached);
    ADD("formatted", test_formatted);
#undef ADD
    return g_test_run();
}
