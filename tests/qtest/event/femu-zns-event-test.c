/*
 * Asynchronous events (NVMe base 2.0, 5.2): requests are held, an event takes
 * one, the next of its type comes after its log page was read.
 *
 * Knows nothing of zones or time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "femu-zns-commands.h"

#define RAE (1u << 15)                          /* CDW10 of Get Log Page */
#define LOG_CHANGED_ZONES 0xbf

/* An event as DW0 of its completion tells it: type, information, log page. */
#define EVENT(type, info, log) ((type) | (info) << 8 | (log) << 16)
#define BAD_REGISTER EVENT(NVME_AER_TYPE_ERROR, \
                           NVME_AER_INFO_ERR_INVALID_DB_REGISTER, \
                           NVME_LOG_ERROR_INFO)
#define BAD_VALUE EVENT(NVME_AER_TYPE_ERROR, \
                        NVME_AER_INFO_ERR_INVALID_DB_VALUE, \
                        NVME_LOG_ERROR_INFO)
#define TOO_HOT EVENT(NVME_AER_TYPE_SMART, NVME_AER_INFO_SMART_TEMP_THRESH, \
                      NVME_LOG_SMART_INFO)

#define ZONE_CHANGED (1u << 27)                 /* feature 0Bh */
#define EVENT_ZONE_CHANGED (UINT64_C(1) << 32 /* of this namespace */ | \
                            EVENT(NVME_AER_TYPE_NOTICE, 0xef, \
                                  LOG_CHANGED_ZONES))
#define CC_SHN_NORMAL (1u << 14)
#define NOWHERE UINT64_C(0x80000000)

static FemuDrive *boot(void)
{
    FemuConfig config = femu_small_config();

    return femu_boot(&config, NULL);
}

static uint16_t request(FemuDrive *drive)
{
    NvmeCmd cmd = { .opcode = NVME_ADM_CMD_ASYNC_EV_REQ };

    return femu_submit(&drive->admin, &cmd);
}

static bool silent(FemuDrive *drive)
{
    FemuCqe cqe;

    return !femu_peek(&drive->admin_cq, &cqe);
}

static void expect_event(FemuDrive *drive, uint16_t cid, uint64_t event)
{
    FemuCqe cqe = femu_expect_now(&drive->admin_cq);

    g_assert_cmpuint(cqe.cid, ==, cid);
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    g_assert_cmphex(cqe.result, ==, event);
}

/* A tail of a queue that there is not, and one beyond a queue's end. */
static void ring_bad_register(FemuDrive *drive)
{
    femu_set_reg(drive, FEMU_DOORBELLS + 2 * 4 * 9, 1);
}

static void ring_bad_value(FemuDrive *drive)
{
    femu_set_reg(drive, FEMU_DOORBELLS + 2 * 4 * 1, FEMU_ENTRIES);
}

static void read_log(FemuDrive *drive, uint8_t lid)
{
    g_assert_cmphex(femu_get_log(drive, lid, 0, 0, NULL, 512), ==,
                    NVME_SUCCESS);
}

/* A log read that retains the event. */
static void peek_log(FemuDrive *drive, uint8_t lid)
{
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE,
                               NVME_NSID_BROADCAST, 127u << 16 | RAE | lid,
                               0, drive->buf).status, ==, NVME_SUCCESS);
}

/*
 * Peers: "AERs rejected (retry storm)". As many as Identify says are held, one
 * more is refused; other commands pass them; a reset drops them.
 */
static void test_held(void)
{
    FemuDrive *drive = boot();
    NvmeIdCtrl id;
    FemuCqe cqe;
    uint16_t cid;

    for (unsigned round = 0; round < 2; round++) {
        g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CTRL, 0, 0, &id), ==,
                        NVME_SUCCESS);
        for (unsigned i = 0; i <= id.aerl; i++) {
            request(drive);
            g_assert_true(silent(drive));
        }
        cid = request(drive);
        cqe = femu_expect_now(&drive->admin_cq);
        g_assert_cmpuint(cqe.cid, ==, cid);
        g_assert_cmphex(cqe.status, ==, NVME_AER_LIMIT_EXCEEDED);
        g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CTRL, 0, 0, &id), ==,
                        NVME_SUCCESS);
        femu_disable(drive);
        femu_enable(drive);
    }
    femu_shutdown(drive);
}

/* Of no queue and no command (NVMe base 2.0, figure 206). */
static void assert_logged_of_nobody(FemuDrive *drive, uint64_t number,
                                    uint16_t status)
{
    NvmeErrorLog entry;

    g_assert_cmphex(femu_get_log(drive, NVME_LOG_ERROR_INFO, 0, 0, &entry,
                                 sizeof(entry)), ==, NVME_SUCCESS);
    g_assert_cmpuint(le64_to_cpu(entry.error_count), ==, number);
    g_assert_cmphex(entry.sqid, ==, 0xffff);
    g_assert_cmphex(entry.cid, ==, 0xffff);
    g_assert_cmphex(le16_to_cpu(entry.status_field), ==, status << 1);
    g_assert_cmphex(entry.param_error_location, ==, 0xffff);
    g_assert_cmphex(entry.lba, ==, 0);
    g_assert_cmphex(entry.nsid, ==, 0);
}

static void test_bad_doorbells(void)
{
    FemuDrive *drive = boot();
    uint16_t cid = request(drive);

    ring_bad_register(drive);
    expect_event(drive, cid, BAD_REGISTER);
    assert_logged_of_nobody(drive, 1, NVME_INVALID_QID);
    cid = request(drive);
    g_assert_true(silent(drive));
    ring_bad_value(drive);
    expect_event(drive, cid, BAD_VALUE);
    assert_logged_of_nobody(drive, 2, NVME_INVALID_FIELD);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

/* The second of a type waits until the log of the first has been read. */
static void test_masked_until_read(void)
{
    FemuDrive *drive = boot();
    uint16_t first = request(drive), second = request(drive);

    ring_bad_value(drive);
    expect_event(drive, first, BAD_VALUE);
    ring_bad_value(drive);
    g_assert_true(silent(drive));
    peek_log(drive, NVME_LOG_ERROR_INFO);
    ring_bad_value(drive);
    g_assert_true(silent(drive));
    read_log(drive, NVME_LOG_ERROR_INFO);
    ring_bad_value(drive);
    expect_event(drive, second, BAD_VALUE);
    femu_shutdown(drive);
}

/* An event waits for a request, unless its log page is read before. */
static void test_event_first(void)
{
    FemuDrive *drive = boot();
    uint16_t cid;

    ring_bad_value(drive);
    g_assert_true(silent(drive));
    cid = request(drive);
    expect_event(drive, cid, BAD_VALUE);
    read_log(drive, NVME_LOG_ERROR_INFO);
    ring_bad_value(drive);
    read_log(drive, NVME_LOG_ERROR_INFO);
    request(drive);
    g_assert_true(silent(drive));
    femu_shutdown(drive);
}

/* Types do not wait for each other; requests are used oldest first. */
static void test_types(void)
{
    FemuDrive *drive = boot();
    uint16_t first = request(drive), second = request(drive), cid;
    NvmeCmd threshold = {
        .opcode = NVME_ADM_CMD_SET_FEATURES,
        .cdw10 = cpu_to_le32(NVME_TEMPERATURE_THRESHOLD),
        .cdw11 = cpu_to_le32(1),
    };
    unsigned events = 0;

    g_assert_cmphex(femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                                     NVME_SMART_TEMPERATURE), ==,
                    NVME_SUCCESS);
    ring_bad_value(drive);
    expect_event(drive, first, BAD_VALUE);
    /* the event and the command's own completion, in either order */
    cid = femu_submit(&drive->admin, &threshold);
    for (unsigned i = 0; i < 2; i++) {
        FemuCqe cqe = femu_expect_now(&drive->admin_cq);
        bool event = cqe.cid == second;

        g_assert_cmpuint(cqe.cid, ==, event ? second : cid);
        g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
        g_assert_cmphex(cqe.result, ==, event ? TOO_HOT : 0);
        events += event;
    }
    g_assert_cmpuint(events, ==, 1);
    femu_shutdown(drive);
}

/* A disabled event does not come; the warning stands in the log anyway. */
static void test_temperature(void)
{
    FemuDrive *drive = boot();
    NvmeSmartLog log;

    request(drive);
    g_assert_cmphex(femu_set_feature(drive, NVME_TEMPERATURE_THRESHOLD, 1),
                    ==, NVME_SUCCESS);
    g_assert_true(silent(drive));
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_SMART_INFO, 0, 0, &log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    g_assert_cmphex(log.critical_warning, ==, NVME_SMART_TEMPERATURE);
    femu_shutdown(drive);
}

static void set_threshold(FemuDrive *drive, uint32_t kelvin)
{
    g_assert_cmphex(femu_set_feature(drive, NVME_TEMPERATURE_THRESHOLD,
                                     kelvin), ==, NVME_SUCCESS);
}

static void enable_temperature(FemuDrive *drive)
{
    g_assert_cmphex(femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                                     NVME_SMART_TEMPERATURE), ==,
                    NVME_SUCCESS);
}

/* Once when it becomes too hot, again only after it was not: or after a reset. */
static void test_temperature_once(void)
{
    FemuDrive *drive = boot();

    for (unsigned round = 0; round < 2; round++) {
        enable_temperature(drive);
        for (unsigned time = 0; time < 2; time++) {
            set_threshold(drive, 310);
            expect_event(drive, request(drive), TOO_HOT);
            read_log(drive, NVME_LOG_SMART_INFO);
            read_log(drive, 0);         /* which says nothing of it */
            set_threshold(drive, 309);
            request(drive);
            g_assert_true(silent(drive));
            femu_disable(drive);
            femu_enable(drive);
            enable_temperature(drive);
            request(drive);
            g_assert_true(silent(drive));
            femu_disable(drive);
            femu_enable(drive);
            enable_temperature(drive);
        }
        set_threshold(drive, 309);
        expect_event(drive, request(drive), TOO_HOT);
        read_log(drive, NVME_LOG_SMART_INFO);
        set_threshold(drive, 343);
        set_threshold(drive, 309);
        expect_event(drive, request(drive), TOO_HOT);
        femu_disable(drive);
        femu_enable(drive);
    }
    femu_shutdown(drive);
}

/* Of two of a type the first is told; the log of another type ends neither. */
static void test_first_of_type(void)
{
    FemuDrive *drive = boot();
    uint16_t cid;

    ring_bad_value(drive);
    ring_bad_register(drive);
    cid = request(drive);
    expect_event(drive, cid, BAD_VALUE);
    read_log(drive, NVME_LOG_SMART_INFO);
    cid = request(drive);
    ring_bad_register(drive);
    g_assert_true(silent(drive));
    read_log(drive, NVME_LOG_ERROR_INFO);
    ring_bad_register(drive);
    expect_event(drive, cid, BAD_REGISTER);
    femu_shutdown(drive);
}

/* It is 310 K: thresholds of both sides, with what is just a warning. */
static void test_thresholds(void)
{
    enum { UNDER = 1u << 20, SIDE_2 = 2u << 20 };
    static const struct {
        uint32_t cdw11;
        uint8_t warning;
    } rows[] = {
        { 311, 0 }, { 310, NVME_SMART_TEMPERATURE }, { 343, 0 },
        { UNDER | 309, 0 }, { UNDER | 310, NVME_SMART_TEMPERATURE },
        { UNDER | 0, 0 },
    };
    FemuDrive *drive = boot();
    NvmeSmartLog log;

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        FemuCqe cqe;

        g_assert_cmphex(femu_set_feature(drive, NVME_TEMPERATURE_THRESHOLD,
                                         rows[i].cdw11), ==, NVME_SUCCESS);
        g_assert_cmphex(femu_get_log(drive, NVME_LOG_SMART_INFO, 0, 0, &log,
                                     sizeof(log)), ==, NVME_SUCCESS);
        g_assert_cmphex(log.critical_warning, ==, rows[i].warning);
        cqe = femu_admin(drive, NVME_ADM_CMD_GET_FEATURES, 0,
                         NVME_TEMPERATURE_THRESHOLD, rows[i].cdw11 & UNDER, 0);
        g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
        g_assert_cmpuint(cqe.result, ==, rows[i].cdw11 & 0xffff);
    }
    g_assert_cmphex(femu_set_feature(drive, NVME_TEMPERATURE_THRESHOLD,
                                     SIDE_2 | 310), ==, NVME_INVALID_FIELD);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_FEATURES, 0,
                               NVME_TEMPERATURE_THRESHOLD, SIDE_2, 0).status,
                    ==, NVME_INVALID_FIELD);
    femu_shutdown(drive);
}

static void test_reset_drops_events(void)
{
    FemuDrive *drive = boot();

    ring_bad_value(drive);
    femu_disable(drive);
    femu_enable(drive);
    request(drive);
    g_assert_true(silent(drive));
    femu_shutdown(drive);
}

/* Nor is a notice due any more that nobody was told of before. */
static void test_reset_drops_notices(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    FemuCqe cqe;

    config.ssd.namespaces = 2;
    drive = femu_boot(&config, NULL);
    femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF, NVME_OAES_NS_ATTR);
    qtest_writel(drive->host->qts, drive->buf, 1);
    for (uint32_t nsid = 1; nsid <= 2; nsid++) {
        cqe = femu_admin(drive, NVME_ADM_CMD_NS_ATTACHMENT, nsid, 1, 0,
                         drive->buf);
        g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    }
    femu_disable(drive);
    femu_enable(drive);
    femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF, NVME_OAES_NS_ATTR);
    femu_get_log(drive, NVME_LOG_SMART_INFO, 0, 0, NULL, 512);
    request(drive);
    g_assert_true(silent(drive));
    femu_shutdown(drive);
}

/*
 * What the host wants no more is not sent, though it waited already; a notice
 * whose log page was not read comes when the host wants notices again.
 */
static void test_disabled(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    uint16_t cid;

    config.ssd.namespaces = 2;
    drive = femu_boot(&config, NULL);
    femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                     NVME_OAES_NS_ATTR | NVME_SMART_TEMPERATURE);
    set_threshold(drive, 309);
    qtest_writel(drive->host->qts, drive->buf, 1);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_NS_ATTACHMENT, 2, 1, 0,
                               drive->buf).status, ==, NVME_SUCCESS);
    femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF, 0);
    cid = request(drive);
    g_assert_true(silent(drive));
    ring_bad_value(drive);
    expect_event(drive, cid, BAD_VALUE);
    femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF, NVME_OAES_NS_ATTR);
    expect_event(drive, request(drive),
                 EVENT(NVME_AER_TYPE_NOTICE,
                       NVME_AER_INFO_NOTICE_NS_ATTR_CHANGED,
                       NVME_LOG_CHANGED_NSLIST));
    femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                     NVME_SMART_TEMPERATURE);
    expect_event(drive, request(drive), TOO_HOT);
    femu_shutdown(drive);
}

/* ZNS 1.1, 4.1.1: the list of zones that changed by themselves, here none. */
static void test_changed_zones(void)
{
    FemuDrive *drive = boot();
    uint8_t log[4096];
    NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_GET_LOG_PAGE,
        .nsid = cpu_to_le32(FEMU_NSID),
        .cdw10 = cpu_to_le32(1023u << 16 | LOG_CHANGED_ZONES),
        .dptr.prp1 = cpu_to_le64(drive->buf),
    };

    femu_fill(drive, 0, 1);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0, true),
                    ==, NVME_SUCCESS);
    qtest_memset(drive->host->qts, drive->buf, 0xa5, sizeof(log));
    g_assert_cmphex(femu_exec(&drive->admin, &cmd).status, ==, NVME_SUCCESS);
    qtest_bufread(drive->host->qts, drive->buf, log, sizeof(log));
    g_assert_true(buffer_is_zero(log, sizeof(log)));
    cmd.nsid = cpu_to_le32(NVME_NSID_BROADCAST);
    g_assert_cmphex(femu_exec(&drive->admin, &cmd).status, ==,
                    NVME_INVALID_NSID);
    femu_shutdown(drive);
}

/* How many zones the list names, retaining it; it names them in order. */
static uint16_t changed_count(FemuDrive *drive, unsigned first)
{
    uint8_t log[4096];
    uint16_t count;

    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, FEMU_NSID,
                               1023u << 16 | RAE | LOG_CHANGED_ZONES, 0,
                               drive->buf).status, ==, NVME_SUCCESS);
    qtest_bufread(drive->host->qts, drive->buf, log, sizeof(log));
    count = lduw_le_p(log);
    for (unsigned i = 0; i < count && count != 0xffff; i++) {
        g_assert_cmpuint(ldq_le_p(log + 8 + 8 * i), ==,
                         femu_zone_lba(drive, first + i));
    }
    return count;
}

static void fail_zone(FemuDrive *drive, const char *value)
{
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
                             "'arguments': {"
                             "'path': '/machine/peripheral/zns4',"
                             "'property': 'zone-fail', 'value': %s}}", value);
}

/* A controller that has been shut down tells of nothing more. */
static void test_silent_when_shut_down(void)
{
    FemuDrive *drive = boot();

    femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF, ZONE_CHANGED);
    request(drive);
    femu_set_reg(drive, NVME_REG_CC,
                 femu_reg(drive, NVME_REG_CC) | CC_SHN_NORMAL);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==,
                    NVME_CSTS_READY | NVME_CSTS_SHST_COMPLETE);
    fail_zone(drive, "3 offline");
    g_assert_true(silent(drive));
    femu_shutdown(drive);
}

/* The list holds 511 zones; of more it tells that they are more. */
static void test_changed_zones_full(void)
{
    enum { MOST = 511, FIRST = 3 };
    FemuConfig config = femu_small_config();
    FemuDrive *drive;

    config.ssd.zones = FIRST + MOST + 1;
    drive = femu_boot(&config, NULL);
    for (unsigned i = 0; i <= MOST; i++) {
        g_autofree char *zone = g_strdup_printf("%u offline", FIRST + i);

        if (i == MOST) {
            g_assert_cmpuint(changed_count(drive, FIRST), ==, MOST);
        }
        fail_zone(drive, zone);
    }
    g_assert_cmphex(changed_count(drive, FIRST), ==, 0xffff);
    femu_shutdown(drive);
}

/* What could not be sent has not been read: the list and the event stay. */
static void test_log_not_sent(void)
{
    FemuDrive *drive = boot();
    uint16_t cid;

    g_assert_cmphex(femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                                     ZONE_CHANGED), ==, NVME_SUCCESS);
    fail_zone(drive, "3 offline");
    expect_event(drive, request(drive), EVENT_ZONE_CHANGED);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, FEMU_NSID,
                               1023u << 16 | LOG_CHANGED_ZONES, 0,
                               NOWHERE).status, ==, NVME_DATA_TRAS_ERROR);
    g_assert_cmpuint(changed_count(drive, 3), ==, 1);
    fail_zone(drive, "4 offline");
    cid = request(drive);
    g_assert_true(silent(drive));
    g_assert_cmpuint(changed_count(drive, 3), ==, 2);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, FEMU_NSID,
                               1023u << 16 | LOG_CHANGED_ZONES, 0,
                               drive->buf).status, ==, NVME_SUCCESS);
    g_assert_cmpuint(changed_count(drive, 0), ==, 0);
    fail_zone(drive, "5 offline");
    expect_event(drive, cid, EVENT_ZONE_CHANGED);
    femu_shutdown(drive);
}

static FemuCqe expect_abort(FemuDrive *drive, uint16_t sq_id, uint16_t cid,
                            uint16_t *abort_cid)
{
    NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_ABORT,
        .cdw10 = cpu_to_le32((uint32_t)cid << 16 | sq_id),
    };

    *abort_cid = femu_submit(&drive->admin, &cmd);
    return femu_expect_now(&drive->admin_cq);
}

static void assert_not_aborted(FemuDrive *drive, uint16_t sq_id, uint16_t cid)
{
    uint16_t abort_cid;
    FemuCqe cqe = expect_abort(drive, sq_id, cid, &abort_cid);

    g_assert_cmpuint(cqe.cid, ==, abort_cid);
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    g_assert_cmpuint(cqe.result, ==, 1);
    g_assert_true(silent(drive));
}

/*
 * Abort of a request that is held: completed as aborted, may be made again, and
 * Abort ends after it (NVMe base 2.0, 5.1). Its place is free, the others stay.
 */
static void test_abort(void)
{
    FemuDrive *drive = boot();
    uint16_t held[4], abort_cid;
    FemuCqe cqe;

    for (unsigned i = 0; i < ARRAY_SIZE(held); i++) {
        held[i] = request(drive);
    }
    assert_not_aborted(drive, 1, held[1]);      /* of another queue */
    assert_not_aborted(drive, 0, held[3] + 100);
    cqe = expect_abort(drive, 0, held[1], &abort_cid);
    g_assert_cmpuint(cqe.cid, ==, held[1]);
    g_assert_cmphex(cqe.status, ==, NVME_CMD_ABORT_REQ);
    g_assert_false(cqe.dnr);
    g_assert_cmphex(cqe.result, ==, 0);
    cqe = femu_expect_now(&drive->admin_cq);
    g_assert_cmpuint(cqe.cid, ==, abort_cid);
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    g_assert_cmphex(cqe.result, ==, 0);
    assert_not_aborted(drive, 0, held[1]);
    request(drive);
    g_assert_true(silent(drive));
    ring_bad_value(drive);
    expect_event(drive, held[0], BAD_VALUE);
    read_log(drive, NVME_LOG_ERROR_INFO);
    ring_bad_register(drive);
    expect_event(drive, held[2], BAD_REGISTER);
    read_log(drive, NVME_LOG_ERROR_INFO);
    ring_bad_register(drive);
    expect_event(drive, held[3], BAD_REGISTER);
    held[3] = request(drive);
    /* a queue that there is not; a request that a reset has dropped */
    cqe = expect_abort(drive, 9, held[3], &abort_cid);
    g_assert_cmphex(cqe.status, ==, NVME_INVALID_FIELD);
    femu_disable(drive);
    femu_enable(drive);
    assert_not_aborted(drive, 0, held[3]);
    femu_shutdown(drive);
}

/* A page of zone `zone_idx`, then its finish, which fills page after page. */
static uint16_t submit_long_finish(FemuDrive *drive, uint32_t zone_idx,
                                   uint64_t *end_ns)
{
    uint64_t pages = drive->config.ssd.zone_capacity_bytes /
                     drive->config.ssd.page_bytes;

    femu_fill(drive, zone_idx, femu_page_nlb(drive));
    *end_ns = drive->host->now_ns + (pages - 1) * femu_page_write_ns(drive);
    return femu_submit_zone(drive, NVME_ZONE_ACTION_FINISH,
                            femu_zone_lba(drive, zone_idx), false);
}

/*
 * What a host does when a finish takes too long for it, and what becomes of
 * that: Abort does not stop a command that has taken effect, which ends at its
 * time. A controller reset discards its completion alone: the zone is full,
 * another finish has nothing to do, and a reset waits for what is still filled.
 */
static void test_abort_inside(void)
{
    FemuDrive *drive = boot();
    const SsdParams *ssd = &drive->config.ssd;
    uint64_t end_ns, blocks = femu_cap_nlb(&drive->config) /
                              femu_page_nlb(drive) /
                              (ssd->channels * ssd->pages_per_block);
    uint16_t cid = submit_long_finish(drive, 0, &end_ns);

    femu_step(drive->host, 1000);
    assert_not_aborted(drive, 1, cid);
    femu_expect_ok(&drive->io_cq, end_ns, 1, cid);

    cid = submit_long_finish(drive, 1, &end_ns);
    femu_step(drive->host, 1000);
    assert_not_aborted(drive, 1, cid);
    femu_disable(drive);
    femu_enable(drive);
    femu_io_queues_create(drive);
    cid = femu_submit_zone(drive, NVME_ZONE_ACTION_FINISH,
                           femu_zone_lba(drive, 1), false);
    femu_expect_ok(&drive->io_cq, drive->host->now_ns, 1, cid);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_FULL, 0);
    g_assert_cmpuint(drive->host->now_ns, <, end_ns);
    cid = femu_submit_zone(drive, NVME_ZONE_ACTION_RESET,
                           femu_zone_lba(drive, 1), false);
    femu_expect_ok(&drive->io_cq, end_ns + blocks * ssd->erase_ns, 1, cid);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_EMPTY, 0);
    femu_assert_works(drive, 1);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/peers/aers-rejected", test_held);
    qtest_add_func("femu-zns/event/bad-doorbells", test_bad_doorbells);
    qtest_add_func("femu-zns/event/masked-until-read",
                   test_masked_until_read);
    qtest_add_func("femu-zns/event/event-first", test_event_first);
    qtest_add_func("femu-zns/event/abort", test_abort);
    qtest_add_func("femu-zns/event/abort-inside", test_abort_inside);
    qtest_add_func("femu-zns/event/types", test_types);
    qtest_add_func("femu-zns/event/temperature", test_temperature);
    qtest_add_func("femu-zns/event/temperature-once", test_temperature_once);
    qtest_add_func("femu-zns/event/first-of-type", test_first_of_type);
    qtest_add_func("femu-zns/event/thresholds", test_thresholds);
    qtest_add_func("femu-zns/event/reset-drops-events",
                   test_reset_drops_events);
    qtest_add_func("femu-zns/event/reset-drops-notices",
                   test_reset_drops_notices);
    qtest_add_func("femu-zns/event/disabled", test_disabled);
    qtest_add_func("femu-zns/event/silent-when-shut-down",
                   test_silent_when_shut_down);
    qtest_add_func("femu-zns/event/log-not-sent", test_log_not_sent);
    qtest_add_func("femu-zns/event/changed-zones", test_changed_zones);
    qtest_add_func("femu-zns/event/changed-zones-full",
                   test_changed_zones_full);
    return g_test_run();
}
