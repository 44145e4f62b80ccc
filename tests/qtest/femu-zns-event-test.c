/*
 * Asynchronous events: what is reported, when, and when it is kept back.
 *
 * Knows nothing of how long anything takes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"

/* Of Get Log Page, CDW10: the event of this log page stays reported. */
#define RETAIN (1u << 15)

#define DRIVE_KELVIN 310
#define SMART_TEMPERATURE_WARNING (1u << 1)
#define ZONE_CHANGED (1u << 27)

/* DW0 of the completion: type, information, log page. */
#define EVENT(type, info, page) ((type) | (info) << 8 | (page) << 16)
#define EVENT_INVALID_REGISTER EVENT(0, 0, NVME_LOG_ERROR_INFO)
#define EVENT_INVALID_VALUE EVENT(0, 1, NVME_LOG_ERROR_INFO)
#define EVENT_TEMPERATURE EVENT(1, 1, NVME_LOG_SMART_INFO)

static FemuDrive *boot(void)
{
    FemuConfig config = femu_small_config();

    return femu_boot(&config, NULL);
}

static uint16_t request_event(FemuDrive *drive)
{
    NvmeCmd cmd = { .opcode = NVME_ADM_CMD_ASYNC_EV_REQ };

    return femu_submit(&drive->admin, &cmd);
}

static void assert_quiet(FemuDrive *drive)
{
    FemuCqe cqe;

    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
}

/* The request `cid` has this event for its result. */
static void assert_event(FemuDrive *drive, uint16_t cid, uint64_t result)
{
    FemuCqe cqe = femu_expect_now(&drive->admin_cq);

    g_assert_cmpuint(cqe.cid, ==, cid);
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    g_assert_cmphex(cqe.result, ==, result);
}

static void ring(FemuDrive *drive, unsigned doorbell, uint32_t value)
{
    femu_set_reg(drive, FEMU_DOORBELLS + doorbell * 4, value);
}

/* Read the first 512 bytes of a log page; `flags` belong to CDW10. */
static void read_log(FemuDrive *drive, uint8_t lid, uint32_t flags)
{
    FemuCqe cqe = femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE,
                             NVME_NSID_BROADCAST, 127u << 16 | flags | lid, 0,
                             drive->buf);

    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
}

/* Submission queues have even doorbells, completion queues odd ones. */
static void test_doorbell_register(void)
{
    static const unsigned doorbells[] = { 2 * 2, 2 * 2 + 1, 2 * 64, 1023 };
    FemuDrive *drive = boot();
    NvmeErrorLog log;

    for (unsigned i = 0; i < ARRAY_SIZE(doorbells); i++) {
        uint16_t cid = request_event(drive);

        assert_quiet(drive);
        ring(drive, doorbells[i], 0);
        assert_event(drive, cid, EVENT_INVALID_REGISTER);
        g_assert_cmphex(femu_get_log(drive, NVME_LOG_ERROR_INFO, 0, 0, &log,
                                     sizeof(log)), ==, NVME_SUCCESS);
        g_assert_cmpuint(le64_to_cpu(log.error_count), ==, i + 1);
        g_assert_cmphex(le16_to_cpu(log.sqid), ==, 0xffff);
        g_assert_cmphex(le16_to_cpu(log.cid), ==, 0xffff);
        g_assert_cmphex(le16_to_cpu(log.status_field) >> 1, ==,
                        NVME_INVALID_QID);
    }
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

/* Beyond the queue's size; more entries taken than were posted. */
static void test_doorbell_value(void)
{
    static const struct {
        unsigned doorbell;
        uint32_t value;
    } rows[] = {
        { 2, FEMU_ENTRIES }, { 3, FEMU_ENTRIES }, { 2, UINT32_MAX },
        { 3, 1 }, { 3, FEMU_ENTRIES - 1 },
    };
    FemuDrive *drive = boot();
    NvmeErrorLog log;

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        uint16_t cid = request_event(drive);

        ring(drive, rows[i].doorbell, rows[i].value);
        assert_event(drive, cid, EVENT_INVALID_VALUE);
        g_assert_cmphex(femu_get_log(drive, NVME_LOG_ERROR_INFO, 0, 0, &log,
                                     sizeof(log)), ==, NVME_SUCCESS);
        g_assert_cmphex(le16_to_cpu(log.status_field) >> 1, ==,
                        NVME_INVALID_FIELD);
    }
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

/* One of a type until its log page is read without Retain. */
static void test_masked(void)
{
    FemuDrive *drive = boot();
    uint16_t first = request_event(drive), second = request_event(drive);

    ring(drive, 4, 0);
    assert_event(drive, first, EVENT_INVALID_REGISTER);
    ring(drive, 4, 0);
    ring(drive, 2, FEMU_ENTRIES);
    assert_quiet(drive);
    read_log(drive, NVME_LOG_SMART_INFO, 0);    /* not the event's page */
    ring(drive, 4, 0);
    assert_quiet(drive);
    read_log(drive, NVME_LOG_ERROR_INFO, RETAIN);
    ring(drive, 4, 0);
    assert_quiet(drive);
    read_log(drive, NVME_LOG_ERROR_INFO, 0);
    assert_quiet(drive);                /* what was masked is not made up for */
    ring(drive, 2, FEMU_ENTRIES);
    assert_event(drive, second, EVENT_INVALID_VALUE);
    femu_shutdown(drive);
}

/* Without a request, one event waits; reading its page withdraws it. */
static void test_waiting(void)
{
    FemuDrive *drive = boot();
    uint16_t cid;

    ring(drive, 2, FEMU_ENTRIES);
    ring(drive, 4, 0);
    cid = request_event(drive);
    assert_event(drive, cid, EVENT_INVALID_VALUE);      /* the older one */
    cid = request_event(drive);
    assert_quiet(drive);
    read_log(drive, NVME_LOG_ERROR_INFO, 0);
    ring(drive, 4, 0);
    assert_event(drive, cid, EVENT_INVALID_REGISTER);
    read_log(drive, NVME_LOG_ERROR_INFO, 0);

    ring(drive, 4, 0);
    read_log(drive, NVME_LOG_ERROR_INFO, 0);
    request_event(drive);
    assert_quiet(drive);
    femu_shutdown(drive);
}

/* Set a feature whose completion follows the event that it causes. */
static void set_feature_event(FemuDrive *drive, uint8_t fid, uint32_t value,
                              uint16_t cid, uint64_t event)
{
    NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_SET_FEATURES,
        .cdw10 = cpu_to_le32(fid),
        .cdw11 = cpu_to_le32(value),
    };
    uint16_t set_cid = femu_submit(&drive->admin, &cmd);
    FemuCqe cqe;

    assert_event(drive, cid, event);
    cqe = femu_expect_now(&drive->admin_cq);
    g_assert_cmpuint(cqe.cid, ==, set_cid);
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    assert_quiet(drive);
}

static void set_feature(FemuDrive *drive, uint8_t fid, uint32_t value)
{
    g_assert_cmphex(femu_set_feature(drive, fid, value), ==, NVME_SUCCESS);
    assert_quiet(drive);
}

/* At or above the upper threshold, at or below the lower one (bits 21:20). */
static void test_temperature(void)
{
    enum { UNDER = 1 << 20 };
    FemuDrive *drive = boot();
    uint16_t cid = request_event(drive);
    NvmeSmartLog log;

    /* not asked for: the warning is there, the event not */
    set_feature(drive, NVME_TEMPERATURE_THRESHOLD, DRIVE_KELVIN);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_SMART_INFO, 0, 0, &log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    g_assert_cmphex(log.critical_warning, ==, NVME_SMART_TEMPERATURE);
    set_feature_event(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                      SMART_TEMPERATURE_WARNING, cid, EVENT_TEMPERATURE);
    /* again only when it comes again, after its page was read */
    cid = request_event(drive);
    set_feature(drive, NVME_TEMPERATURE_THRESHOLD, DRIVE_KELVIN + 1);
    set_feature(drive, NVME_TEMPERATURE_THRESHOLD, DRIVE_KELVIN);
    read_log(drive, NVME_LOG_SMART_INFO, 0);
    assert_quiet(drive);
    set_feature(drive, NVME_TEMPERATURE_THRESHOLD, DRIVE_KELVIN - 1);
    set_feature(drive, NVME_TEMPERATURE_THRESHOLD, DRIVE_KELVIN + 1);
    set_feature(drive, NVME_TEMPERATURE_THRESHOLD, UNDER | (DRIVE_KELVIN - 1));
    set_feature_event(drive, NVME_TEMPERATURE_THRESHOLD, UNDER | DRIVE_KELVIN,
                      cid, EVENT_TEMPERATURE);
    femu_shutdown(drive);
}

/* Another type passes while one is masked. */
static void test_types_apart(void)
{
    FemuDrive *drive = boot();
    uint16_t first = request_event(drive), second = request_event(drive);

    ring(drive, 4, 0);
    assert_event(drive, first, EVENT_INVALID_REGISTER);
    set_feature(drive, NVME_TEMPERATURE_THRESHOLD, DRIVE_KELVIN);
    set_feature_event(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                      SMART_TEMPERATURE_WARNING, second, EVENT_TEMPERATURE);
    femu_shutdown(drive);
}

/* A reset drops requests, events that wait, and the mask. */
static void test_reset(void)
{
    FemuDrive *drive = boot();
    uint16_t cid = request_event(drive);

    ring(drive, 4, 0);
    assert_event(drive, cid, EVENT_INVALID_REGISTER);
    request_event(drive);
    femu_disable(drive);
    femu_enable(drive);
    ring(drive, 4, 0);
    assert_quiet(drive);
    femu_disable(drive);
    femu_enable(drive);
    cid = request_event(drive);
    assert_quiet(drive);
    ring(drive, 4, 0);
    assert_event(drive, cid, EVENT_INVALID_REGISTER);
    femu_shutdown(drive);
}

/* The event for a full admin completion queue waits in the device. */
static void test_full_cq(void)
{
    FemuDrive *drive = boot();
    NvmeCmd identify = {
        .opcode = NVME_ADM_CMD_IDENTIFY,
        .cdw10 = cpu_to_le32(NVME_ID_CNS_CTRL),
        .dptr.prp1 = cpu_to_le64(drive->buf),
    };
    uint16_t cid = request_event(drive);
    unsigned room = drive->admin_cq.entries - 1;
    FemuCqe cqe;

    for (unsigned i = 0; i < room; i++) {
        femu_submit(&drive->admin, &identify);
    }
    ring(drive, 4, 0);
    for (unsigned i = 0; i < room; i++) {
        g_assert_true(femu_take(&drive->admin_cq, &cqe));
    }
    assert_quiet(drive);
    femu_ring_cq(&drive->admin_cq);
    assert_event(drive, cid, EVENT_INVALID_REGISTER);
    femu_shutdown(drive);
}

/* The changed zone list belongs to a namespace; nothing has changed. */
static void test_no_zone_changed(void)
{
    static const uint32_t nsids[] = { 0, 2, NVME_NSID_BROADCAST };
    FemuDrive *drive = boot();
    g_autofree uint8_t *log = g_malloc(4096);
    NvmeIdCtrl id;

    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CTRL, 0, 0, &id), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(le32_to_cpu(id.oaes), ==, ZONE_CHANGED);
    for (unsigned i = 0; i < ARRAY_SIZE(nsids); i++) {
        g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, nsids[i],
                                   1023u << 16 | 0xbf, 0, drive->buf).status,
                        ==, NVME_INVALID_NSID);
    }
    qtest_memset(drive->host->qts, drive->buf, 0xff, 4096);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, 1,
                               1023u << 16 | 0xbf, 0, drive->buf).status, ==,
                    NVME_SUCCESS);
    qtest_bufread(drive->host->qts, drive->buf, log, 4096);
    for (unsigned i = 0; i < 4096; i++) {
        g_assert_cmphex(log[i], ==, 0);
    }
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/event/" name, test)
    ADD("doorbell-register", test_doorbell_register);
    ADD("doorbell-value", test_doorbell_value);
    ADD("masked", test_masked);
    ADD("types-apart", test_types_apart);
    ADD("waiting", test_waiting);
    ADD("temperature", test_temperature);
    ADD("reset", test_reset);
    ADD("full-cq", test_full_cq);
    ADD("no-zone-changed", test_no_zone_changed);
#undef ADD
    return g_test_run();
}
