/*
 * Two zoned namespaces on one drive: what Identify says of them, data, zones,
 * limits and counters of each, the time that they share, and what names a
 * namespace that there is not.
 *
 * Knows nothing of attaching and detaching but that it leaves the other alone.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/cutils.h"
#include "femu-zns-commands.h"

#define PATH "/machine/peripheral/zns4"
#define ZONES 4u                        /* of each */
#define LOG_CHANGED_ZONES 0xbf
#define ZONE_CHANGED (1u << 27)         /* feature 0Bh */
#define EVENT_ZONE_CHANGED (2 | 0xef << 8 | LOG_CHANGED_ZONES << 16)

static FemuConfig two_config(void)
{
    FemuConfig config = femu_small_config();

    config.ssd.namespaces = 2;          /* of four zones each */
    return config;
}

static FemuDrive *boot(const char *extra)
{
    FemuConfig config = two_config();

    return femu_boot(&config, extra);
}

/* From here on, commands go to this namespace. */
static void use(FemuDrive *drive, uint32_t nsid)
{
    drive->nsid = nsid;
}

static void identify_ok(FemuDrive *drive, uint8_t cns, uint8_t csi,
                        uint32_t nsid, void *data)
{
    g_assert_cmphex(femu_identify(drive, cns, csi, nsid, data), ==,
                    NVME_SUCCESS);
}

/* Identify */

static void test_controller(void)
{
    FemuDrive *drive = boot(NULL);
    const SsdParams *ssd = &drive->config.ssd;
    NvmeIdCtrl id;

    identify_ok(drive, NVME_ID_CNS_CTRL, 0, 0, &id);
    g_assert_cmpuint(le32_to_cpu(id.nn), ==, 2);
    g_assert_cmpuint(ldl_le_p(id.rsvd540), ==, 2);      /* MNAN */
    g_assert_cmpuint(ldq_le_p(id.tnvmcap), ==,
                     8 * ssd->zone_capacity_bytes);
    g_assert_cmpuint(ldq_le_p(id.unvmcap), ==, 0);
    g_assert_cmphex(id.cmic, ==, 0);
    femu_shutdown(drive);
}

static void test_namespaces(void)
{
    FemuDrive *drive = boot(NULL);
    uint64_t cap_nlb = ZONES * femu_cap_nlb(&drive->config);
    uint8_t list[2][NVME_IDENTIFY_DATA_SIZE];
    NvmeIdNs id[2], common;
    NvmeIdNsZoned zoned;

    for (unsigned i = 0; i < 2; i++) {
        identify_ok(drive, NVME_ID_CNS_NS, 0, i + 1, &id[i]);
        g_assert_cmpuint(le64_to_cpu(id[i].nsze), ==,
                         femu_zone_lba(drive, ZONES));
        g_assert_cmpuint(le64_to_cpu(id[i].ncap), ==, cap_nlb);
        g_assert_cmpuint(ldq_le_p(id[i].nvmcap), ==, cap_nlb * 4096);
        identify_ok(drive, NVME_ID_CNS_CS_NS, NVME_CSI_ZONED, i + 1, &zoned);
        g_assert_cmpuint(le32_to_cpu(zoned.mor), ==, 2);
        g_assert_cmpuint(le32_to_cpu(zoned.mar), ==, 3);
        g_assert_cmpuint(le64_to_cpu(zoned.lbafe[1].zsze), ==,
                         femu_zone_lba(drive, 1));
        identify_ok(drive, NVME_ID_CNS_NS_DESCR_LIST, 0, i + 1, list[i]);
    }
    g_assert_cmphex(id[0].eui64, !=, id[1].eui64);
    g_assert_cmpint(memcmp(id[0].nguid, id[1].nguid, 16), !=, 0);
    /* EUI64, NGUID and UUID: 12, 20 and 20 bytes with their heads */
    for (unsigned at = 0; at < 52; at += at ? 20 : 12) {
        g_assert_cmphex(list[0][at], ==, list[1][at]);
        g_assert_cmpint(memcmp(list[0] + at + 4, list[1] + at + 4,
                               list[0][at + 1]), !=, 0);
    }
    /* what all have in common, and no more */
    identify_ok(drive, NVME_ID_CNS_NS, 0, NVME_NSID_BROADCAST, &common);
    g_assert_cmpuint(common.nsze | common.ncap | common.nuse, ==, 0);
    g_assert_cmphex(common.eui64, ==, 0);
    g_assert_cmphex(common.dlfeat, ==, 0);
    g_assert_cmpuint(common.msrc, ==, 0);
    g_assert_cmpuint(common.nlbaf, ==, 1);
    g_assert_cmpuint(common.lbaf[0].ds, ==, 9);
    g_assert_cmpuint(common.lbaf[1].ds, ==, 12);
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CS_NS, NVME_CSI_ZONED,
                                  NVME_NSID_BROADCAST, NULL), ==,
                    NVME_INVALID_NSID);
    femu_shutdown(drive);
}

/* The names of namespace 1 do not depend on whether there are others. */
static void test_first_names(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint8_t alone[NVME_IDENTIFY_DATA_SIZE], first[NVME_IDENTIFY_DATA_SIZE];

    identify_ok(drive, NVME_ID_CNS_NS_DESCR_LIST, 0, 1, alone);
    femu_shutdown(drive);
    drive = boot(NULL);
    identify_ok(drive, NVME_ID_CNS_NS_DESCR_LIST, 0, 1, first);
    g_assert_cmpmem(alone, sizeof(alone), first, sizeof(first));
    femu_shutdown(drive);
}

static void test_lists(void)
{
    static const struct {
        uint8_t cns, csi;
        uint32_t above, expected[3];
    } rows[] = {
        { NVME_ID_CNS_NS_ACTIVE_LIST, 0, 0, { 1, 2, 0 } },
        { NVME_ID_CNS_NS_ACTIVE_LIST, 0, 1, { 2, 0, 0 } },
        { NVME_ID_CNS_NS_ACTIVE_LIST, 0, 2, { 0 } },
        { NVME_ID_CNS_NS_ACTIVE_LIST, 0, 0xfffffffd, { 0 } },
        { NVME_ID_CNS_NS_PRESENT_LIST, 0, 0, { 1, 2, 0 } },
        { NVME_ID_CNS_CS_NS_ACTIVE_LIST, NVME_CSI_ZONED, 0, { 1, 2, 0 } },
        { NVME_ID_CNS_CS_NS_PRESENT_LIST, NVME_CSI_ZONED, 1, { 2, 0, 0 } },
        { NVME_ID_CNS_CS_NS_ACTIVE_LIST, NVME_CSI_NVM, 0, { 0 } },
    };
    FemuDrive *drive = boot(NULL);
    uint32_t list[NVME_IDENTIFY_DATA_SIZE / 4];

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        identify_ok(drive, rows[i].cns, rows[i].csi, rows[i].above, list);
        for (unsigned j = 0; j < 3; j++) {
            g_assert_cmpuint(le32_to_cpu(list[j]), ==, rows[i].expected[j]);
        }
        g_assert_true(buffer_is_zero(list + 3, sizeof(list) - 12));
    }
    for (uint32_t above = 0xfffffffe; above != 0; above++) {
        g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_NS_ACTIVE_LIST, 0,
                                      above, NULL), ==, NVME_INVALID_NSID);
    }
    femu_shutdown(drive);
}

/* Namespaces 0 and above NN are none, for whatever names one. */
static void test_invalid(void)
{
    static const uint8_t cns[] = {
        NVME_ID_CNS_NS, NVME_ID_CNS_NS_DESCR_LIST, NVME_ID_CNS_CS_NS,
        NVME_ID_CNS_CS_IND_NS, NVME_ID_CNS_NS_PRESENT,
        NVME_ID_CNS_NS_ATTACHED_CTRL_LIST, NVME_ID_CNS_CS_NS_PRESENT,
    };
    static const uint32_t nsids[] = { 0, 3, 256, 0xfffffffe };
    FemuDrive *drive = boot(NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(nsids); i++) {
        uint32_t nsid = nsids[i];

        for (unsigned j = 0; j < ARRAY_SIZE(cns); j++) {
            g_assert_cmphex(femu_identify(drive, cns[j], NVME_CSI_ZONED, nsid,
                                          NULL), ==, NVME_INVALID_NSID);
        }
        use(drive, nsid);
        g_assert_cmphex(femu_write(drive, 0, 1, NULL), ==, NVME_INVALID_NSID);
        g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0, true),
                        ==, NVME_INVALID_NSID);
        g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_FEATURES, nsid,
                                   NVME_ERROR_RECOVERY, 0, 0).status, ==,
                        NVME_INVALID_NSID);
        g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_NS_ATTACHMENT, nsid,
                                   NVME_NS_ATTACHMENT_DETACH, 0,
                                   drive->buf).status, ==, NVME_INVALID_NSID);
        g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, nsid,
                                   127u << 16 | LOG_CHANGED_ZONES, 0,
                                   drive->buf).status, ==, NVME_INVALID_NSID);
    }
    femu_shutdown(drive);
}

/* Data */

/* The same blocks of both hold what was written to each. */
static void test_data(void)
{
    FemuDrive *drive = boot(NULL);
    uint64_t last = femu_zone_lba(drive, ZONES - 1), lba;
    g_autofree uint8_t *first = femu_pattern(drive, 0, 8, 1);
    g_autofree uint8_t *second = femu_pattern(drive, 0, 8, 2);
    const uint8_t *data[] = { NULL, first, second };

    for (uint32_t nsid = 1; nsid <= 2; nsid++) {
        use(drive, nsid);
        g_assert_cmphex(femu_write(drive, 0, 8, data[nsid]), ==,
                        NVME_SUCCESS);
        g_assert_cmphex(femu_append(drive, last, 8, data[nsid], &lba), ==,
                        NVME_SUCCESS);
        g_assert_cmpuint(lba, ==, last);
    }
    for (uint32_t nsid = 1; nsid <= 2; nsid++) {
        use(drive, nsid);
        femu_assert_data(drive, 0, 8, data[nsid]);
        femu_assert_data(drive, last, 8, data[nsid]);
        g_assert_cmphex(femu_compare(drive, 0, 8, data[nsid]), ==,
                        NVME_SUCCESS);
        g_assert_cmphex(femu_compare(drive, 0, 8, data[3 - nsid]), ==,
                        NVME_CMP_FAILURE);
        g_assert_cmphex(femu_copy(drive, 0, 8, femu_zone_lba(drive, 1)), ==,
                        NVME_SUCCESS);
        femu_assert_data(drive, femu_zone_lba(drive, 1), 8, data[nsid]);
        /* no way beyond the end into the other */
        g_assert_cmphex(femu_read(drive, femu_zone_lba(drive, ZONES), 1,
                                  NULL), ==, NVME_LBA_RANGE);
        g_assert_cmphex(femu_write(drive, femu_zone_lba(drive, ZONES), 1,
                                   NULL), ==, NVME_LBA_RANGE);
        g_assert_cmphex(femu_copy(drive, femu_zone_lba(drive, ZONES), 8,
                                  femu_zone_lba(drive, 2)), ==,
                        NVME_LBA_RANGE);
    }
    use(drive, 1);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0, true),
                    ==, NVME_SUCCESS);
    femu_assert_data(drive, 0, 8, NULL);
    femu_assert_data(drive, last, 8, NULL);
    use(drive, 2);
    femu_assert_data(drive, 0, 8, data[2]);
    femu_assert_data(drive, last, 8, data[2]);
    femu_shutdown(drive);
}

/* A namespace's slice follows that of the one before it. */
static void test_memdev(void)
{
    g_autofree char *path = NULL;
    int fd = g_file_open_tmp("femu-zns-ns-XXXXXX", &path, NULL);
    FemuConfig config = two_config();
    uint64_t slice = ZONES * config.ssd.zone_capacity_bytes;
    g_autofree char *device = femu_device_args(&config, FEMU_SLOT,
                                               "memdev=data");
    g_autofree char *args = g_strdup_printf(
        "-object memory-backend-file,id=data,share=on,mem-path=%s,size=%" PRIu64
        " %s", path, 2 * slice, device);
    FemuDrive *drive = femu_drive_open(femu_host_start(args), FEMU_SLOT,
                                       &config);
    g_autofree uint8_t *data = femu_pattern(drive, 0, 1, 7);
    uint8_t found[4096];

    femu_enable(drive);
    femu_io_queues_create(drive);
    use(drive, 2);
    g_assert_cmphex(femu_write(drive, femu_zone_lba(drive, 1), 1, data), ==,
                    NVME_SUCCESS);
    g_assert_cmpint(pread(fd, found, sizeof(found),
                          slice + config.ssd.zone_capacity_bytes), ==,
                    sizeof(found));
    g_assert_cmpmem(found, sizeof(found), data, sizeof(found));
    femu_shutdown(drive);
    close(fd);
    unlink(path);
}

/* Zones */

static uint16_t open_zone(FemuDrive *drive, uint32_t zone_idx)
{
    return femu_zone_send(drive, NVME_ZONE_ACTION_OPEN,
                          femu_zone_lba(drive, zone_idx), false);
}

/* MOR of each is 3, and MAR 4. */
static void test_limits(void)
{
    FemuDrive *drive = boot(NULL);

    for (uint32_t nsid = 1; nsid <= 2; nsid++) {
        use(drive, nsid);
        for (uint32_t zone_idx = 0; zone_idx < 3; zone_idx++) {
            g_assert_cmphex(open_zone(drive, zone_idx), ==, NVME_SUCCESS);
        }
        g_assert_cmphex(open_zone(drive, 3), ==, NVME_ZONE_TOO_MANY_OPEN);
    }
    use(drive, 1);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_CLOSE, 0, true),
                    ==, NVME_SUCCESS);
    use(drive, 2);
    g_assert_cmphex(open_zone(drive, 3), ==, NVME_ZONE_TOO_MANY_OPEN);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_EXPLICITLY_OPEN, 0);
    g_assert_cmphex(open_zone(drive, ZONES), ==, NVME_LBA_RANGE);
    femu_shutdown(drive);
}

/* A report is of all zones of its namespace, and of no other. */
static void test_report(void)
{
    FemuDrive *drive = boot(NULL);
    uint32_t bytes = 64 * (1 + 2 * ZONES);
    NvmeZoneDescr zone;
    NvmeCmd cmd;

    use(drive, 2);
    femu_fill(drive, 2, 5);
    for (uint32_t nsid = 1; nsid <= 2; nsid++) {
        use(drive, nsid);
        qtest_memset(drive->host->qts, drive->buf, 0xa5, bytes);
        cmd = femu_cmd_report(drive, 0, 0, true, drive->buf, bytes);
        g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
        g_assert_cmpuint(qtest_readq(drive->host->qts, drive->buf), ==, ZONES);
        for (uint32_t i = 0; i < 2 * ZONES; i++) {
            qtest_bufread(drive->host->qts, drive->buf + 64 * (1 + i), &zone,
                          sizeof(zone));
            g_assert_cmphex(zone.zt, ==,
                            i < ZONES ? NVME_ZONE_TYPE_SEQ_WRITE : 0);
            g_assert_cmpuint(le64_to_cpu(zone.zslba), ==,
                             i < ZONES ? femu_zone_lba(drive, i) : 0);
        }
        femu_assert_zone(drive, 2, nsid == 1 ? NVME_ZONE_STATE_EMPTY
                                   : NVME_ZONE_STATE_IMPLICITLY_OPEN,
                         nsid == 1 ? 0 : 5);
        cmd = femu_cmd_report(drive, femu_zone_lba(drive, ZONES), 0, true,
                              drive->buf, bytes);
        g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                        NVME_LBA_RANGE);
    }
    femu_shutdown(drive);
}

static void test_extension(void)
{
    FemuDrive *drive = boot("zd-extension-size=64");
    NvmeCmd cmd = femu_cmd_zone(NVME_ZONE_ACTION_SET_ZD_EXT, 0, false);
    enum { ATTRIBUTE_ZDEV = 1 << 7 };

    cmd.nsid = cpu_to_le32(2);
    cmd.dptr.prp1 = cpu_to_le64(drive->buf);
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
    use(drive, 1);
    g_assert_cmphex(femu_zone(drive, 0).za, ==, 0);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_EMPTY, 0);
    use(drive, 2);
    g_assert_cmphex(femu_zone(drive, 0).za, ==, ATTRIBUTE_ZDEV);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, 0);
    femu_shutdown(drive);
}

/* Time */

/*
 * They share the flash: page 0 of zone 0 of each lies on unit 0. The second
 * write's page waits until the first one's is programmed.
 */
static void test_interference(void)
{
    FemuDrive *drive = boot(NULL);
    const SsdParams *ssd = &drive->config.ssd;
    uint16_t cid[2];

    for (uint32_t i = 0; i < 2; i++) {
        use(drive, i + 1);
        cid[i] = femu_submit_rw(drive, NVME_CMD_WRITE, 0,
                                femu_page_nlb(drive));
    }
    femu_expect_ok(&drive->io_cq, ssd->page_transfer_ns + ssd->program_ns, 1,
                   cid[0]);
    femu_expect_ok(&drive->io_cq, ssd->page_transfer_ns + 2 * ssd->program_ns,
                   1, cid[1]);
    /* a reset of one, with a block on unit 0, delays a read of the other */
    use(drive, 1);
    cid[0] = femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, false);
    use(drive, 2);
    cid[1] = femu_submit_rw(drive, NVME_CMD_READ, 0, femu_page_nlb(drive));
    g_assert_cmpuint(drive->host->now_ns, ==,
                     ssd->page_transfer_ns + 2 * ssd->program_ns);
    femu_expect_ok(&drive->io_cq, drive->host->now_ns + ssd->erase_ns, 1,
                   cid[0]);
    femu_expect_ok(&drive->io_cq, drive->host->now_ns + ssd->read_ns +
                   ssd->page_transfer_ns, 1, cid[1]);
    femu_shutdown(drive);
}

/* Counters and logs */

static NvmeSmartLog smart(FemuDrive *drive, uint32_t nsid)
{
    NvmeSmartLog log;

    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, nsid,
                               127u << 16 | NVME_LOG_SMART_INFO, 0,
                               drive->buf).status, ==, NVME_SUCCESS);
    qtest_bufread(drive->host->qts, drive->buf, &log, sizeof(log));
    return log;
}

/* Of each namespace, and their sum. */
static void test_smart(void)
{
    static const uint64_t writes[] = { 3, 1, 2 }, reads[] = { 1, 1, 0 };
    FemuDrive *drive = boot(NULL);

    use(drive, 1);
    femu_fill(drive, 0, 4);
    femu_read(drive, 0, 1, NULL);
    use(drive, 2);
    femu_fill(drive, 0, 128);
    femu_fill(drive, 1, 128);
    g_assert_cmphex(femu_write(drive, 5, 1, NULL), ==,
                    NVME_ZONE_INVALID_WRITE);
    for (uint32_t nsid = 0; nsid <= 2; nsid++) {
        NvmeSmartLog log = smart(drive, nsid);

        g_assert_cmpuint(le64_to_cpu(log.host_write_commands[0]), ==,
                         writes[nsid]);
        g_assert_cmpuint(le64_to_cpu(log.host_read_commands[0]), ==,
                         reads[nsid]);
        g_assert_cmpuint(le64_to_cpu(log.number_of_error_log_entries[0]), ==,
                         1);
        g_assert_cmpuint(log.available_spare, ==, 100);
    }
    g_assert_cmpuint(le64_to_cpu(smart(drive, NVME_NSID_BROADCAST)
                                 .host_write_commands[0]), ==, 3);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, 3,
                               127u << 16 | NVME_LOG_SMART_INFO, 0,
                               drive->buf).status, ==, NVME_INVALID_NSID);
    femu_shutdown(drive);
}

static void test_error_log(void)
{
    FemuDrive *drive = boot(NULL);
    NvmeErrorLog log[2];

    use(drive, 2);
    femu_write(drive, 5, 1, NULL);
    use(drive, 3);
    femu_write(drive, 0, 1, NULL);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_ERROR_INFO, 0, 0, log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    g_assert_cmpuint(le32_to_cpu(log[0].nsid), ==, 3);
    g_assert_cmphex(le16_to_cpu(log[0].status_field) >> 1 & 0x7ff, ==,
                    NVME_INVALID_NSID);
    g_assert_cmpuint(le32_to_cpu(log[1].nsid), ==, 2);
    g_assert_cmphex(le16_to_cpu(log[1].status_field) >> 1 & 0x7ff, ==,
                    NVME_ZONE_INVALID_WRITE);
    femu_shutdown(drive);
}

static FemuCqe recovery(FemuDrive *drive, uint32_t nsid)
{
    return femu_admin(drive, NVME_ADM_CMD_GET_FEATURES, nsid,
                      NVME_ERROR_RECOVERY, 0, 0);
}

static uint16_t set_recovery(FemuDrive *drive, uint32_t nsid, uint32_t value)
{
    return femu_admin(drive, NVME_ADM_CMD_SET_FEATURES, nsid,
                      NVME_ERROR_RECOVERY, value, 0).status;
}

/* Error Recovery belongs to a namespace; others refuse one. */
static void test_feature(void)
{
    FemuDrive *drive = boot(NULL);

    g_assert_cmphex(set_recovery(drive, 2, 7), ==, NVME_SUCCESS);
    g_assert_cmphex(recovery(drive, 1).result, ==, 0);
    g_assert_cmphex(recovery(drive, 2).result, ==, 7);
    g_assert_cmphex(set_recovery(drive, NVME_NSID_BROADCAST, 9), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(recovery(drive, 1).result, ==, 9);
    g_assert_cmphex(recovery(drive, 2).result, ==, 9);
    g_assert_cmphex(recovery(drive, NVME_NSID_BROADCAST).status, ==,
                    NVME_INVALID_NSID);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_SET_FEATURES, 2,
                               NVME_ARBITRATION, 0, 0).status, ==,
                    NVME_FEAT_NOT_NS_SPEC);
    femu_disable(drive);
    femu_enable(drive);
    g_assert_cmphex(recovery(drive, 1).result, ==, 0);
    g_assert_cmphex(recovery(drive, 2).result, ==, 0);
    femu_shutdown(drive);
}

/* Zones that fail, by QOM */

static QDict *set_property(FemuDrive *drive, const char *name,
                           const char *value)
{
    return qtest_qmp(drive->host->qts, "{'execute': 'qom-set', 'arguments': {"
                     "'path': %s, 'property': %s, 'value': %s}}",
                     PATH, name, value);
}

static void set_ok(FemuDrive *drive, const char *name, const char *value)
{
    QDict *reply = set_property(drive, name, value);

    g_assert_true(qdict_haskey(reply, "return"));
    qobject_unref(reply);
}

static void set_refused(FemuDrive *drive, const char *name, const char *value,
                        const char *message)
{
    QDict *reply = set_property(drive, name, value);
    QDict *error = qdict_get_qdict(reply, "error");

    g_assert_nonnull(error);
    g_assert_cmpstr(qdict_get_str(error, "desc"), ==, message);
    qobject_unref(reply);
}

static uint16_t detach(FemuDrive *drive, uint32_t nsid)
{
    qtest_memset(drive->host->qts, drive->buf, 0, 4096);
    qtest_writew(drive->host->qts, drive->buf, 1);
    return femu_admin(drive, NVME_ADM_CMD_NS_ATTACHMENT, nsid,
                      NVME_NS_ATTACHMENT_DETACH, 0, drive->buf).status;
}

static uint16_t request_event(FemuDrive *drive)
{
    NvmeCmd cmd = { .opcode = NVME_ADM_CMD_ASYNC_EV_REQ };

    return femu_submit(&drive->admin, &cmd);
}

static void expect_zone_event(FemuDrive *drive, uint16_t cid, uint32_t nsid)
{
    FemuCqe cqe;

    g_assert_true(femu_reap(&drive->admin_cq, &cqe));
    g_assert_cmpuint(cqe.cid, ==, cid);
    g_assert_cmphex(cqe.result, ==,
                    EVENT_ZONE_CHANGED | (uint64_t)nsid << 32);
}

static bool silent(FemuDrive *drive)
{
    FemuCqe cqe;

    return !femu_peek(&drive->admin_cq, &cqe);
}

/* Read a namespace's list; leaves the command's completion behind events. */
static void submit_list(FemuDrive *drive, uint32_t nsid)
{
    NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_GET_LOG_PAGE,
        .nsid = cpu_to_le32(nsid),
        .cdw10 = cpu_to_le32(1023u << 16 | LOG_CHANGED_ZONES),
    };

    femu_set_prps(drive, &cmd, drive->buf, 4096);
    femu_submit(&drive->admin, &cmd);
}

static void expect_list(FemuDrive *drive, unsigned count, uint64_t first_lba)
{
    g_assert_cmphex(femu_expect_now(&drive->admin_cq).status, ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(qtest_readw(drive->host->qts, drive->buf), ==, count);
    g_assert_cmphex(qtest_readq(drive->host->qts, drive->buf + 8), ==,
                    first_lba);
}

/*
 * While the event of one namespace is not read, that of the other waits: no
 * list changes without the host being told.
 */
static void test_changed_zones(void)
{
    FemuDrive *drive = boot(NULL);
    uint16_t cid = request_event(drive), next;

    g_assert_cmphex(femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                                     ZONE_CHANGED), ==, NVME_SUCCESS);
    set_ok(drive, "zone-fail", "2:3 offline");
    use(drive, 1);
    femu_assert_zone(drive, 3, NVME_ZONE_STATE_EMPTY, 0);
    use(drive, 2);
    g_assert_cmphex(femu_zone(drive, 3).zs >> 4, ==, NVME_ZONE_STATE_OFFLINE);
    expect_zone_event(drive, cid, 2);
    next = request_event(drive);
    set_ok(drive, "zone-fail", "1 read-only");
    g_assert_true(silent(drive));
    /* the list of 1 has nothing to do with the event of 2 */
    submit_list(drive, 1);
    expect_list(drive, 1, femu_zone_lba(drive, 1));
    set_ok(drive, "zone-fail", "0x1:0 read-only");
    /* nor with another page about 1 */
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, 1,
                               127u << 16 | NVME_LOG_SMART_INFO, 0,
                               drive->buf).status, ==, NVME_SUCCESS);
    g_assert_true(silent(drive));
    submit_list(drive, 2);
    expect_zone_event(drive, next, 1);
    expect_list(drive, 1, femu_zone_lba(drive, 3));
    submit_list(drive, 1);
    expect_list(drive, 1, 0);
    submit_list(drive, 2);
    expect_list(drive, 0, 0);
    femu_shutdown(drive);
}

/*
 * What the host has not been told of, as another event is not read yet, it does
 * not want to know any more: a zone's change, or a namespace's.
 */
static void test_event_not_wanted(void)
{
    for (unsigned i = 0; i < 2; i++) {
        FemuDrive *drive = boot(NULL);
        uint16_t cid = request_event(drive);

        g_assert_cmphex(femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                                         ZONE_CHANGED | NVME_OAES_NS_ATTR), ==,
                        NVME_SUCCESS);
        set_ok(drive, "zone-fail", "2:3 offline");
        expect_zone_event(drive, cid, 2);
        request_event(drive);
        if (i == 0) {
            set_ok(drive, "zone-fail", "1 read-only");
        } else {
            g_assert_cmphex(detach(drive, 1), ==, NVME_SUCCESS);
        }
        g_assert_cmphex(femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                                         0), ==, NVME_SUCCESS);
        submit_list(drive, 2);
        expect_list(drive, 1, femu_zone_lba(drive, 3));
        g_assert_true(silent(drive));
        femu_shutdown(drive);
    }
}

/* A reset drops the event of a zone of 1: the next that comes is of 2. */
static void test_reset_drops_events(void)
{
    FemuDrive *drive = boot(NULL);
    uint16_t cid;

    for (unsigned i = 0; i < 2; i++) {
        g_assert_cmphex(femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                                         ZONE_CHANGED), ==, NVME_SUCCESS);
        if (i == 0) {
            set_ok(drive, "zone-fail", "1 read-only");
            femu_disable(drive);
            femu_enable(drive);
        }
    }
    cid = request_event(drive);
    set_ok(drive, "zone-fail", "2:3 offline");
    expect_zone_event(drive, cid, 2);
    femu_shutdown(drive);
}

static void test_inject(void)
{
    FemuDrive *drive = boot(NULL);
    QDict *reply;

    use(drive, 1);
    femu_fill(drive, 0, 8);
    use(drive, 2);
    femu_fill(drive, 0, 8);
    set_ok(drive, "inject-read-error", "2:4 1");
    set_ok(drive, "inject-write-error", "2:8 1");
    g_assert_cmphex(femu_read(drive, 0, 8, NULL), ==, NVME_UNRECOVERED_READ);
    g_assert_cmphex(femu_write(drive, 8, 1, NULL), ==, NVME_WRITE_FAULT);
    use(drive, 1);
    g_assert_cmphex(femu_read(drive, 0, 8, NULL), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_write(drive, 8, 1, NULL), ==, NVME_SUCCESS);
    g_assert_cmpuint(le64_to_cpu(smart(drive, 1).media_errors[0]), ==, 0);
    g_assert_cmpuint(le64_to_cpu(smart(drive, 2).media_errors[0]), ==, 2);
    set_ok(drive, "inject-read-error", "9 1");
    reply = qtest_qmp(drive->host->qts, "{'execute': 'qom-get', 'arguments': {"
                      "'path': %s, 'property': 'inject-read-error'}}", PATH);
    g_assert_cmpstr(qdict_get_str(reply, "return"), ==, "9 1, 2:4 1");
    qobject_unref(reply);
    set_refused(drive, "inject-read-error", "3:0 1", "inject-read-error=3:0 1: "
                "there is no namespace 3; the last is 2");
    set_refused(drive, "zone-fail", "0:0 offline", "zone-fail=0:0 offline: "
                "there is no namespace 0; the last is 2");
    set_refused(drive, "zone-fail", "2:4 offline", "zone-fail=2:4 offline: "
                "the zones of namespace 2 are 0 to 3");
    set_refused(drive, "inject-read-error", "2:1024 1", "inject-read-error="
                "2:1024 1: must be within the 1024 blocks of the namespace, "
                "and at least one block");
    femu_shutdown(drive);
}

/* Detaching */

/* The other goes on; what was under way in the one completes. */
static void test_detach(void)
{
    FemuDrive *drive = boot(NULL);
    uint32_t list[NVME_IDENTIFY_DATA_SIZE / 4];
    uint16_t cid;

    use(drive, 1);
    cid = femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
    g_assert_cmphex(detach(drive, 1), ==, NVME_SUCCESS);
    identify_ok(drive, NVME_ID_CNS_NS_ACTIVE_LIST, 0, 0, list);
    g_assert_cmpuint(le32_to_cpu(list[0]), ==, 2);
    g_assert_cmpuint(list[1], ==, 0);
    femu_expect_ok(&drive->io_cq, femu_page_write_ns(drive), 1, cid);
    g_assert_cmphex(femu_read(drive, 0, 1, NULL), ==, NVME_INVALID_FIELD);
    use(drive, 2);
    femu_assert_works(drive, 0);
    g_assert_cmphex(detach(drive, 2), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_read(drive, 0, 1, NULL), ==, NVME_INVALID_FIELD);
    identify_ok(drive, NVME_ID_CNS_NS_ACTIVE_LIST, 0, 0, list);
    g_assert_cmpuint(list[0], ==, 0);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_CHANGED_NSLIST, 0, 0, list,
                                 4096), ==, NVME_SUCCESS);
    g_assert_cmpuint(le32_to_cpu(list[0]), ==, 1);
    g_assert_cmpuint(le32_to_cpu(list[1]), ==, 2);
    g_assert_cmpuint(list[2], ==, 0);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/ns/" name, test)
    ADD("identify/controller", test_controller);
    ADD("identify/namespaces", test_namespaces);
    ADD("identify/first-names", test_first_names);
    ADD("identify/lists", test_lists);
    ADD("invalid", test_invalid);
    ADD("data", test_data);
    ADD("memdev", test_memdev);
    ADD("limits", test_limits);
    ADD("report", test_report);
    ADD("extension", test_extension);
    ADD("interference", test_interference);
    ADD("smart", test_smart);
    ADD("error-log", test_error_log);
    ADD("feature", test_feature);
    ADD("changed-zones", test_changed_zones);
    ADD("event-not-wanted", test_event_not_wanted);
    ADD("reset-drops-events", test_reset_drops_events);
    ADD("inject", test_inject);
    ADD("detach", test_detach);
#undef ADD
    return g_test_run();
}
