/*
 * Zones that fail at run time, zones that a host takes offline, and zone
 * descriptor extensions.
 *
 * Knows nothing of how long anything takes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qobject/qdict.h"
#include "qobject/qjson.h"
#include "qobject/qlist.h"
#include "femu-zns-commands.h"

#define PATH "/machine/peripheral/zns4"
#define LOG_CHANGED_ZONES 0xbf
#define ZONE_CHANGED (1u << 27)         /* feature 0Bh */
#define EVENT_ZONE_CHANGED (2 | 0xef << 8 | LOG_CHANGED_ZONES << 16)
#define ATTRIBUTE_ZDEV (1 << 7)
#define EXT_BYTES 128

static FemuDrive *boot(const char *extra)
{
    FemuConfig config = femu_small_config();

    return femu_boot(&config, extra);
}

static QDict *set_fail(FemuDrive *drive, const char *value)
{
    return qtest_qmp(drive->host->qts, "{'execute': 'qom-set', 'arguments': {"
                     "'path': %s, 'property': 'zone-fail', 'value': %s}}",
                     PATH, value);
}

static void fail(FemuDrive *drive, const char *value)
{
    QDict *reply = set_fail(drive, value);

    g_assert_true(qdict_haskey(reply, "return"));
    qobject_unref(reply);
}

static void fail_refused(FemuDrive *drive, const char *value,
                         const char *message)
{
    QDict *reply = set_fail(drive, value);
    QDict *error = qdict_get_qdict(reply, "error");

    g_assert_nonnull(error);
    g_assert_cmpstr(qdict_get_str(error, "desc"), ==, message);
    qobject_unref(reply);
}

/* The changed zone list; `flags` belong to CDW10. */
static void changed_zones(FemuDrive *drive, uint32_t flags, uint64_t log[512])
{
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, FEMU_NSID,
                               1023u << 16 | flags | LOG_CHANGED_ZONES, 0,
                               drive->buf).status, ==, NVME_SUCCESS);
    qtest_bufread(drive->host->qts, drive->buf, log, 4096);
}

/* Read-only: data stays, nothing can be written, its resources are free. */
static void test_read_only(void)
{
    FemuDrive *drive = boot(NULL);
    g_autofree uint8_t *data = femu_pattern(drive, 0, 8, 1);
    static const uint8_t actions[] = {
        NVME_ZONE_ACTION_OPEN, NVME_ZONE_ACTION_CLOSE,
        NVME_ZONE_ACTION_FINISH, NVME_ZONE_ACTION_RESET,
    };
    uint64_t lba;

    for (unsigned i = 0; i < 3; i++) {  /* max-open */
        g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OPEN,
                                       femu_zone_lba(drive, i), false), ==,
                        NVME_SUCCESS);
    }
    g_assert_cmphex(femu_write(drive, 0, 8, data), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OPEN,
                                   femu_zone_lba(drive, 3), false), ==,
                    NVME_ZONE_TOO_MANY_OPEN);
    fail(drive, "0 read-only");
    g_assert_cmphex(femu_zone(drive, 0).zs >> 4, ==,
                    NVME_ZONE_STATE_READ_ONLY);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OPEN,
                                   femu_zone_lba(drive, 3), false), ==,
                    NVME_SUCCESS);
    femu_assert_data(drive, 0, 8, data);
    g_assert_cmphex(femu_write(drive, 8, 1, NULL), ==, NVME_ZONE_READ_ONLY);
    g_assert_cmphex(femu_append(drive, 0, 1, NULL, &lba), ==,
                    NVME_ZONE_READ_ONLY);
    for (unsigned i = 0; i < ARRAY_SIZE(actions); i++) {
        g_assert_cmphex(femu_zone_send(drive, actions[i], 0, false), ==,
                        NVME_ZONE_INVAL_TRANSITION);
        g_assert_cmphex(femu_zone_send(drive, actions[i], 0, true), ==,
                        NVME_SUCCESS);
        femu_assert_data(drive, 0, 8, data);
    }
    /* the host may take it offline, for good */
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OFFLINE, 0, false),
                    ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone(drive, 0).zs >> 4, ==, NVME_ZONE_STATE_OFFLINE);
    g_assert_cmphex(femu_read(drive, 0, 1, NULL), ==, NVME_ZONE_OFFLINE);
    femu_shutdown(drive);
}

static void test_offline(void)
{
    FemuDrive *drive = boot(NULL);
    uint64_t lba = femu_zone_lba(drive, 5);

    femu_fill(drive, 5, 8);
    fail(drive, "5 offline");
    g_assert_cmphex(femu_read(drive, lba, 1, NULL), ==, NVME_ZONE_OFFLINE);
    g_assert_cmphex(femu_write(drive, lba + 8, 1, NULL), ==,
                    NVME_ZONE_OFFLINE);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, lba, false),
                    ==, NVME_ZONE_INVAL_TRANSITION);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0, true),
                    ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone(drive, 5).zs >> 4, ==, NVME_ZONE_STATE_OFFLINE);
    g_assert_cmphex(femu_zone(drive, 5).wp, ==, UINT64_MAX);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

/*
 * Dataset Management of blocks of an offline zone is refused (ZNS 1.1, 3.3.3),
 * wherever in its ranges they are; of no blocks, or of a read-only zone's, not.
 */
static void test_offline_dataset(void)
{
    FemuDrive *drive = boot(NULL);
    uint64_t lba = femu_zone_lba(drive, 5), zone_nlb = femu_zone_lba(drive, 1);
    const struct {
        uint64_t slba;
        uint32_t nlb;
        uint16_t status;
    } rows[] = {
        { lba, 1, NVME_ZONE_OFFLINE },
        { lba - 1, 1, NVME_SUCCESS },
        { lba - 1, 2, NVME_ZONE_OFFLINE },
        { lba + zone_nlb - 1, 1, NVME_ZONE_OFFLINE },
        { lba + zone_nlb, 1, NVME_SUCCESS },
        { lba, 0, NVME_SUCCESS },
        { 0, 8 * zone_nlb, NVME_ZONE_OFFLINE },
        { 8 * zone_nlb, 0, NVME_SUCCESS },
        { 8 * zone_nlb - 1, 2, NVME_LBA_RANGE },
    };
    NvmeDsmRange range[2] = { { .nlb = cpu_to_le32(1) } };
    NvmeCmd cmd = {
        .opcode = NVME_CMD_DSM,
        .nsid = cpu_to_le32(FEMU_NSID),
        .cdw10 = cpu_to_le32(1),
        .cdw11 = cpu_to_le32(NVME_DSMGMT_AD),
        .dptr.prp1 = cpu_to_le64(drive->buf),
    };

    fail(drive, "2 read-only");
    fail(drive, "5 offline");
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        range[1].slba = cpu_to_le64(rows[i].slba);
        range[1].nlb = cpu_to_le32(rows[i].nlb);
        qtest_bufwrite(drive->host->qts, drive->buf, range, sizeof(range));
        g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                        rows[i].status);
    }
    femu_shutdown(drive);
}

/* Select All takes the read-only zones only (ZNS 1.1, 3.4.3.1.5). */
static void test_offline_all(void)
{
    FemuDrive *drive = boot(NULL);

    femu_fill(drive, 0, 4);
    fail(drive, "2 read-only");
    fail(drive, "0x7 read-only");
    for (unsigned i = 0; i < 8; i++) {
        uint16_t status = i == 2 ? NVME_SUCCESS : NVME_ZONE_INVAL_TRANSITION;

        if (i != 7) {
            g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OFFLINE,
                                           femu_zone_lba(drive, i), false),
                            ==, status);
        }
    }
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OFFLINE, 0, true),
                    ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone(drive, 7).zs >> 4, ==, NVME_ZONE_STATE_OFFLINE);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, 4);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_EMPTY, 0);
    femu_shutdown(drive);
}

/* An event per read of the list; the list holds all zones since then. */
static void test_changed_list(void)
{
    enum { RETAIN = 1 << 15 };
    FemuDrive *drive = boot(NULL);
    NvmeCmd request = { .opcode = NVME_ADM_CMD_ASYNC_EV_REQ };
    uint64_t log[512], zone_nlb = femu_zone_lba(drive, 1);
    uint16_t cid = femu_submit(&drive->admin, &request);
    FemuCqe cqe;

    fail(drive, "6 read-only");         /* nobody asked for the event */
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    g_assert_cmphex(femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                                     ZONE_CHANGED), ==, NVME_SUCCESS);
    fail(drive, "3 offline");
    cqe = femu_expect_now(&drive->admin_cq);
    g_assert_cmpuint(cqe.cid, ==, cid);
    g_assert_cmphex(cqe.result, ==,
                    EVENT_ZONE_CHANGED | (uint64_t)FEMU_NSID << 32);
    cid = femu_submit(&drive->admin, &request);
    fail(drive, "6 offline");
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    for (unsigned i = 0; i < 2; i++) {
        changed_zones(drive, i ? 0 : RETAIN, log);
        g_assert_cmphex(le64_to_cpu(log[0]), ==, 2);
        g_assert_cmphex(le64_to_cpu(log[1]), ==, 3 * zone_nlb);
        g_assert_cmphex(le64_to_cpu(log[2]), ==, 6 * zone_nlb);
        g_assert_cmphex(log[3], ==, 0);
    }
    changed_zones(drive, 0, log);
    g_assert_cmphex(log[0], ==, 0);
    g_assert_cmphex(log[1], ==, 0);
    /* what the host itself does is no news */
    fail(drive, "1 read-only");
    g_assert_cmpuint(femu_expect_now(&drive->admin_cq).cid, ==, cid);
    changed_zones(drive, 0, log);
    cid = femu_submit(&drive->admin, &request);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OFFLINE, zone_nlb,
                                   false), ==, NVME_SUCCESS);
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    changed_zones(drive, 0, log);
    g_assert_cmphex(log[0], ==, 0);
    femu_shutdown(drive);
}

static void test_fail_refused(void)
{
    FemuDrive *drive = boot(NULL);
    static const char *const malformed[] = {
        "", "1", "1 full", "one offline", "1  offline", "1 offline ", "-1",
        "01 offline", "01:1 offline",
    };

    for (unsigned i = 0; i < ARRAY_SIZE(malformed); i++) {
        g_autofree char *message = g_strdup_printf(
            "zone-fail=%s: must be the number of a zone and \"read-only\" or "
            "\"offline\", such as \"12 offline\", or \"2:12 offline\" in "
            "namespace 2; numbers have no 0 in front", malformed[i]);

        fail_refused(drive, malformed[i], message);
    }
    fail_refused(drive, "8 offline",
                 "zone-fail=8 offline: the zones of namespace 1 are 0 to 7");
    fail(drive, "1 offline");
    fail_refused(drive, "1 read-only", "zone-fail=1 read-only: the zone is "
                 "offline already; it cannot become any better");
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

static void test_zone_states(void)
{
    FemuDrive *drive = boot(NULL);
    static const char *const names[] = {
        "implicitly-open", "explicitly-open", "closed", "full", "read-only",
        "offline", "empty", "empty",
    };
    QDict *reply;
    QList *zones;
    const QListEntry *entry;
    unsigned i = 0;

    femu_fill(drive, 3, femu_cap_nlb(&drive->config));
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OPEN,
                                   femu_zone_lba(drive, 2), false), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_CLOSE,
                                   femu_zone_lba(drive, 2), false), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OPEN,
                                   femu_zone_lba(drive, 1), false), ==,
                    NVME_SUCCESS);
    femu_fill(drive, 0, 5);
    fail(drive, "4 read-only");
    fail(drive, "5 offline");
    reply = qtest_qmp(drive->host->qts, "{'execute': 'qom-get', 'arguments': {"
                      "'path': %s, 'property': 'zone-states'}}", PATH);
    zones = qobject_to(QList,
                       qobject_from_json(qdict_get_str(reply, "return"),
                                         &error_abort));
    QLIST_FOREACH_ENTRY(zones, entry) {
        QDict *zone = qobject_to(QDict, qlist_entry_obj(entry));

        g_assert_cmpint(qdict_get_int(zone, "nsid"), ==, 1);
        g_assert_cmpint(qdict_get_int(zone, "zone"), ==, i);
        g_assert_cmpstr(qdict_get_str(zone, "state"), ==, names[i]);
        g_assert_cmpint(qdict_get_int(zone, "start_lba"), ==,
                        femu_zone_lba(drive, i));
        g_assert_cmpint(qdict_get_int(zone, "capacity_nlb"), ==,
                        femu_cap_nlb(&drive->config));
        if (i == 0) {
            g_assert_cmpint(qdict_get_int(zone, "wp_lba"), ==, 5);
        }
        g_assert_cmpint(qdict_haskey(zone, "wp_lba"), ==, i < 3 || i > 5);
        i++;
    }
    g_assert_cmpuint(i, ==, 8);
    qobject_unref(zones);
    qobject_unref(reply);
    femu_shutdown(drive);
}

static QDict *live(FemuDrive *drive)
{
    QDict *reply = qtest_qmp(drive->host->qts, "{'execute': 'qom-get', "
                             "'arguments': {'path': %s, 'property': 'live'}}",
                             PATH);
    QDict *found = qobject_to(QDict,
                              qobject_from_json(qdict_get_str(reply, "return"),
                                                &error_abort));

    qobject_unref(reply);
    return found;
}

/* Who watches does not even tell the drive how late it is. */
static void test_live(void)
{
    FemuDrive *drive = boot(NULL);
    QDict *now, *ns;
    int64_t now_ns;

    femu_fill(drive, 3, femu_cap_nlb(&drive->config));
    femu_fill(drive, 0, 5);
    fail(drive, "4 read-only");
    fail(drive, "5 offline");
    now = live(drive);
    ns = qobject_to(QDict, qlist_peek(qdict_get_qlist(now, "namespaces")));
    g_assert_cmpstr(qdict_get_str(ns, "zones"), ==, "o..frx..");
    g_assert_cmpint(qdict_get_int(ns, "capacity_nlb"), ==,
                    femu_cap_nlb(&drive->config));
    g_assert_cmpint(qdict_get_int(now, "inside"), ==, 0);
    now_ns = qdict_get_int(now, "now_ns");
    qobject_unref(now);
    qtest_clock_step(drive->host->qts, 1000000);
    now = live(drive);
    g_assert_cmpint(qdict_get_int(now, "now_ns"), ==, now_ns);
    qobject_unref(now);
    femu_shutdown(drive);
}

static uint16_t set_ext(FemuDrive *drive, uint64_t slba, bool select_all,
                        const void *ext)
{
    NvmeCmd cmd = femu_cmd_zone(NVME_ZONE_ACTION_SET_ZD_EXT, slba, select_all);
    /* not where other commands have their data */
    uint64_t addr = drive->buf + FEMU_PAGE_BYTES;

    cmd.nsid = cpu_to_le32(drive->nsid);
    qtest_bufwrite(drive->host->qts, addr, ext, EXT_BYTES);
    cmd.dptr.prp1 = cpu_to_le64(addr);
    return femu_exec(&drive->io, &cmd).status;
}

/* Extended report of all 8 zones; `entry` of zone `zone_idx`. */
static void ext_report(FemuDrive *drive, unsigned zone_idx, uint8_t *entry)
{
    const size_t entry_bytes = sizeof(NvmeZoneDescr) + EXT_BYTES;
    NvmeCmd cmd = femu_cmd_report(drive, 0, 0, true, drive->buf,
                                  64 + 8 * entry_bytes);

    cmd.cdw13 |= cpu_to_le32(NVME_ZONE_REPORT_EXTENDED);
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
    g_assert_cmpuint(qtest_readq(drive->host->qts, drive->buf), ==, 8);
    qtest_bufread(drive->host->qts,
                  drive->buf + 64 + zone_idx * entry_bytes, entry,
                  entry_bytes);
}

/* Empty to Closed with it (ZNS 1.1, 3.4.3.1.6); a reset takes it away. */
static void test_extension(void)
{
    FemuDrive *drive = boot("zd-extension-size=128");
    uint64_t zone_nlb = femu_zone_lba(drive, 1);
    uint8_t ext[EXT_BYTES], none[EXT_BYTES] = { 0 };
    uint8_t entry[sizeof(NvmeZoneDescr) + EXT_BYTES];
    NvmeZoneDescr *descriptor = (NvmeZoneDescr *)entry;
    NvmeIdNsZoned id;

    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CS_NS, NVME_CSI_ZONED, 1,
                                  &id), ==, NVME_SUCCESS);
    g_assert_cmpuint(id.lbafe[0].zdes, ==, EXT_BYTES / 64);
    for (unsigned i = 0; i < EXT_BYTES; i++) {
        ext[i] = i + 1;
    }
    g_assert_cmphex(set_ext(drive, zone_nlb, false, ext), ==, NVME_SUCCESS);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_CLOSED, 0);
    g_assert_cmphex(femu_zone(drive, 1).za, ==, ATTRIBUTE_ZDEV);
    ext_report(drive, 1, entry);
    g_assert_cmphex(descriptor->za, ==, ATTRIBUTE_ZDEV);
    g_assert_cmphex(le64_to_cpu(descriptor->zslba), ==, zone_nlb);
    g_assert_cmpmem(entry + 64, EXT_BYTES, ext, EXT_BYTES);
    ext_report(drive, 2, entry);
    g_assert_cmphex(descriptor->za, ==, 0);
    g_assert_cmphex(le64_to_cpu(descriptor->zslba), ==, 2 * zone_nlb);
    g_assert_cmpmem(entry + 64, EXT_BYTES, none, EXT_BYTES);
    /* not again, not of all, not of what is no zone */
    g_assert_cmphex(set_ext(drive, zone_nlb, false, none), ==,
                    NVME_ZONE_INVAL_TRANSITION);
    g_assert_cmphex(set_ext(drive, zone_nlb, true, none), ==,
                    NVME_INVALID_FIELD);
    g_assert_cmphex(set_ext(drive, 8 * zone_nlb, false, none), ==,
                    NVME_LBA_RANGE);
    for (unsigned i = 2; i <= 4; i++) { /* max-active is 4 */
        g_assert_cmphex(set_ext(drive, i * zone_nlb, false, ext), ==,
                        NVME_SUCCESS);
    }
    g_assert_cmphex(set_ext(drive, 0, false, ext), ==,
                    NVME_ZONE_TOO_MANY_ACTIVE);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_EMPTY, 0);
    femu_fill(drive, 1, 3);
    ext_report(drive, 1, entry);
    g_assert_cmpmem(entry + 64, EXT_BYTES, ext, EXT_BYTES);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, zone_nlb,
                                   false), ==, NVME_SUCCESS);
    ext_report(drive, 1, entry);
    g_assert_cmphex(descriptor->za, ==, 0);
    g_assert_cmpmem(entry + 64, EXT_BYTES, none, EXT_BYTES);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0, true),
                    ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone(drive, 2).za, ==, 0);
    femu_shutdown(drive);
}

/*
 * Those of two namespaces lie beside each other, and beside what is counted of
 * all, of a namespace without zones too, and the error log.
 */
static void test_extensions_apart(void)
{
    FemuDrive *drive = boot("zd-extension-size=128,namespaces=2,zones=16,"
                            "conventional-size=1M");
    uint8_t entry[sizeof(NvmeZoneDescr) + EXT_BYTES], ext[EXT_BYTES];

    for (drive->nsid = 1; drive->nsid <= 2; drive->nsid++) {
        memset(ext, drive->nsid, sizeof(ext));
        for (unsigned i = 0; i < 4; i++) {
            g_assert_cmphex(set_ext(drive, femu_zone_lba(drive, i), false,
                                    ext), ==, NVME_SUCCESS);
        }
    }
    drive->nsid = 3;
    g_assert_cmphex(femu_write(drive, 0, 1, NULL), ==, NVME_SUCCESS);
    for (unsigned i = 0; i < 64; i++) {         /* as many as are logged */
        g_assert_cmphex(femu_write(drive, UINT32_MAX, 1, NULL), ==,
                        NVME_LBA_RANGE);
    }
    for (drive->nsid = 1; drive->nsid <= 2; drive->nsid++) {
        memset(ext, drive->nsid, sizeof(ext));
        for (unsigned i = 0; i < 4; i++) {
            ext_report(drive, i, entry);
            g_assert_cmpmem(entry + 64, EXT_BYTES, ext, EXT_BYTES);
        }
    }
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/fail/" name, test)
    ADD("read-only", test_read_only);
    ADD("offline", test_offline);
    ADD("offline-dataset", test_offline_dataset);
    ADD("offline-all", test_offline_all);
    ADD("changed-list", test_changed_list);
    ADD("refused", test_fail_refused);
    ADD("zone-states", test_zone_states);
    ADD("live", test_live);
    qtest_add_func("femu-zns/peers/extended-report", test_extension);
    qtest_add_func("femu-zns/fail/extensions-apart", test_extensions_apart);
#undef ADD
    return g_test_run();
}
