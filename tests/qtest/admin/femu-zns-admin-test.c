/*
 * What the drive says of itself: identify data, features and logs, as Linux
 * and other drivers read them; and admin commands that it must refuse.
 *
 * Knows nothing of I/O, or of the statistics log (femu-zns-stats-test.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "femu-zns-commands.h"

#define CSI_ANY 0
#define UNLIMITED 0xffffffffu
#define RAE (1u << 15)              /* CDW10 of Get Log Page */
#define LSP_ALL (0x7fu << 8)
#define NOWHERE UINT64_C(0x80000000)

static FemuDrive *boot(void)
{
    FemuConfig config = femu_small_config();

    return femu_boot(&config, NULL);
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
    FemuDrive *drive = boot();
    NvmeIdCtrl id;

    identify_ok(drive, NVME_ID_CNS_CTRL, CSI_ANY, 0, &id);
    g_assert_cmpmem(id.sn, 20, "qtest-4             ", 20);
    g_assert_cmphex(le16_to_cpu(id.vid), ==,
                    qpci_config_readw(drive->pci, 0));
    g_assert_cmphex(le32_to_cpu(id.ver), ==,
                    femu_reg(drive, NVME_REG_VS));
    g_assert_cmpuint(id.mdts, ==, 7);                   /* 512 KiB */
    g_assert_cmpuint(le32_to_cpu(id.nn), ==, 1);
    g_assert_cmphex(id.sqes, ==, 0x66);
    g_assert_cmphex(id.cqes, ==, 0x44);
    g_assert_cmphex(id.vwc & NVME_VWC_PRESENT, ==, 0);
    g_assert_cmphex(id.cmic, ==, 0);
    g_assert_cmpuint(id.cntrltype, ==, 1);
    g_assert_cmphex(id.lpa & NVME_LPA_CSE, ==, NVME_LPA_CSE);
    g_assert_cmphex(le32_to_cpu(id.sgls) & NVME_CTRL_SGLS_SUPPORT_MASK, ==,
                    NVME_CTRL_SGLS_SUPPORT_NO_ALIGN);
    g_assert_cmphex(le16_to_cpu(id.fuses), ==, 0);
    /* no shadow doorbells: they would be refused */
    g_assert_cmphex(le16_to_cpu(id.oacs), ==, NVME_OACS_FORMAT);
    g_assert_cmphex(le16_to_cpu(id.oncs) &
                    (NVME_ONCS_WRITE_UNCORR | NVME_ONCS_RESRVATIONS), ==, 0);
    g_assert_true(g_str_has_prefix((char *)id.subnqn, "nqn."));
    femu_shutdown(drive);
}

/* Peers: "4 KiB LBA format advertised with zone size 0". */
static void check_namespace(uint32_t lba_bytes)
{
    FemuConfig config = femu_small_config();
    uint64_t cap_bytes = config.ssd.zones * config.ssd.zone_capacity_bytes;
    FemuDrive *drive;
    NvmeIdNs id;
    NvmeIdNsZoned zoned;

    config.ssd.lba_bytes = lba_bytes;
    drive = femu_boot(&config, NULL);
    identify_ok(drive, NVME_ID_CNS_NS, CSI_ANY, 1, &id);
    g_assert_cmpuint(le64_to_cpu(id.nsze), ==,
                     config.ssd.zones * femu_zone_nlb(&config));
    g_assert_cmpuint(le64_to_cpu(id.ncap), ==, cap_bytes / lba_bytes);
    g_assert_cmpuint(le64_to_cpu(id.nuse), <=, le64_to_cpu(id.ncap));
    g_assert_cmpuint(1u << id.lbaf[id.flbas].ds, ==, lba_bytes);
    g_assert_cmphex(id.nmic, ==, 0);
    identify_ok(drive, NVME_ID_CNS_CS_NS, NVME_CSI_ZONED, 1, &zoned);
    for (unsigned i = 0; i <= id.nlbaf; i++) {
        g_assert_cmpuint(le64_to_cpu(zoned.lbafe[i].zsze) << id.lbaf[i].ds,
                         ==, config.ssd.zone_size_bytes);
        g_assert_cmpuint(id.lbaf[i].ms, ==, 0);
        g_assert_cmpuint(zoned.lbafe[i].zdes, ==, 0);
    }
    femu_shutdown(drive);
}

static void test_namespace_4k(void)
{
    check_namespace(4096);
}

static void test_namespace_512(void)
{
    check_namespace(512);
}

static void check_limits(uint32_t max_open, uint32_t max_active, uint32_t mor,
                         uint32_t mar)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    NvmeIdNsZoned zoned;

    config.ssd.max_open = max_open;
    config.ssd.max_active = max_active;
    drive = femu_boot(&config, NULL);
    identify_ok(drive, NVME_ID_CNS_CS_NS, NVME_CSI_ZONED, 1, &zoned);
    g_assert_cmphex(le32_to_cpu(zoned.mor), ==, mor);
    g_assert_cmphex(le32_to_cpu(zoned.mar), ==, mar);
    g_assert_cmphex(le16_to_cpu(zoned.zoc), ==, 0);
    g_assert_cmphex(le16_to_cpu(zoned.ozcs), ==, 0);
    femu_shutdown(drive);
}

/* 0's based; Linux refuses MOR > MAR. */
static void test_limits(void)
{
    check_limits(3, 4, 2, 3);
    check_limits(0, 0, UNLIMITED, UNLIMITED);
    check_limits(0, 5, 4, 4);
    check_limits(1, 1, 0, 0);
}

static void check_zasl(uint64_t zasl_bytes, uint8_t zasl)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    NvmeIdCtrlZoned id;

    config.ssd.zasl_bytes = zasl_bytes;
    drive = femu_boot(&config, NULL);
    identify_ok(drive, NVME_ID_CNS_CS_CTRL, NVME_CSI_ZONED, 0, &id);
    g_assert_cmpuint(id.zasl, ==, zasl);
    femu_shutdown(drive);
}

/* ZASL 0 would mean MDTS, which is 7 here. */
static void test_zasl(void)
{
    check_zasl(64 * SSD_KIB, 4);
    check_zasl(0, 7);
}

/* The CSI descriptor is mandatory; identifiers must not be zero. */
static void test_descriptors(void)
{
    FemuDrive *drive = boot();
    uint8_t list[NVME_IDENTIFY_DATA_SIZE];
    unsigned at = 0, zoned = 0, uuids = 0;

    identify_ok(drive, NVME_ID_CNS_NS_DESCR_LIST, CSI_ANY, 1, list);
    while (at < sizeof(list) - 4 && list[at + 1]) {
        if (list[at] == NVME_NIDT_CSI) {
            g_assert_cmpuint(list[at + 1], ==, 1);
            zoned += list[at + 4] == NVME_CSI_ZONED;
        } else {
            g_assert_false(buffer_is_zero(&list[at + 4], list[at + 1]));
            uuids += list[at] == NVME_NIDT_UUID;
        }
        at += 4 + list[at + 1];
    }
    g_assert_cmpuint(zoned, ==, 1);
    g_assert_cmpuint(uuids, ==, 1);
    femu_shutdown(drive);
}

/* Two drives differ in everything that must be unique. */
static void test_unique(void)
{
    FemuConfig config = femu_small_config();
    g_autofree char *one = femu_device_args(&config, 4, NULL);
    g_autofree char *two = femu_device_args(&config, 5, NULL);
    g_autofree char *args = g_strdup_printf("%s %s", one, two);
    FemuHost *host = femu_host_start(args);
    FemuDrive *drive[2];
    NvmeIdCtrl ctrl[2];
    NvmeIdNs ns[2];
    uint8_t list[2][NVME_IDENTIFY_DATA_SIZE];

    for (unsigned i = 0; i < 2; i++) {
        drive[i] = femu_drive_open(host, 4 + i, &config);
        femu_enable(drive[i]);
        identify_ok(drive[i], NVME_ID_CNS_CTRL, CSI_ANY, 0, &ctrl[i]);
        identify_ok(drive[i], NVME_ID_CNS_NS, CSI_ANY, 1, &ns[i]);
        identify_ok(drive[i], NVME_ID_CNS_NS_DESCR_LIST, CSI_ANY, 1, list[i]);
    }
    g_assert_cmpint(memcmp(ctrl[0].sn, ctrl[1].sn, sizeof(ctrl[0].sn)), !=, 0);
    g_assert_cmpstr((char *)ctrl[0].subnqn, !=, (char *)ctrl[1].subnqn);
    g_assert_cmphex(ns[0].eui64, !=, ns[1].eui64);
    g_assert_cmpint(memcmp(ns[0].nguid, ns[1].nguid, 16), !=, 0);
    g_assert_cmpint(memcmp(list[0], list[1], sizeof(list[0])), !=, 0);
    femu_drive_close(drive[0]);
    femu_shutdown(drive[1]);
}

/* A list of identifiers: namespace 1, and nothing above it. */
static void test_lists(void)
{
    static const struct {
        uint8_t cns, csi;
        uint32_t above, first;
    } rows[] = {
        { NVME_ID_CNS_NS_ACTIVE_LIST, 0, 0, 1 },
        { NVME_ID_CNS_NS_ACTIVE_LIST, 0, 1, 0 },
        { NVME_ID_CNS_CS_NS_ACTIVE_LIST, NVME_CSI_ZONED, 0, 1 },
        { NVME_ID_CNS_CS_NS_ACTIVE_LIST, NVME_CSI_ZONED, 1, 0 },
        { NVME_ID_CNS_CS_NS_ACTIVE_LIST, NVME_CSI_NVM, 0, 0 },
    };
    static const uint32_t controllers[] = { 0, 0xffff, 1, 0xfffe };
    FemuDrive *drive = boot();
    uint32_t list[NVME_IDENTIFY_DATA_SIZE / 4];

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        identify_ok(drive, rows[i].cns, rows[i].csi, rows[i].above, list);
        g_assert_cmpuint(le32_to_cpu(list[0]), ==, rows[i].first);
        g_assert_true(buffer_is_zero(list + 1, sizeof(list) - 4));
    }
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_NS_ACTIVE_LIST, 0,
                                  NVME_NSID_BROADCAST, NULL), ==,
                    NVME_INVALID_NSID);
    identify_ok(drive, NVME_ID_CNS_IO_COMMAND_SET, 0, 0, list);
    g_assert_cmphex(le32_to_cpu(list[0]), ==,
                    1u << NVME_CSI_NVM | 1u << NVME_CSI_ZONED);
    /* of this controller, 0 or FFFFh, and of no other */
    for (unsigned i = 0; i < ARRAY_SIZE(controllers); i++) {
        g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_IDENTIFY, 0,
                                   controllers[i] << 16 |
                                   NVME_ID_CNS_IO_COMMAND_SET, 0,
                                   drive->buf).status, ==,
                        i < 2 ? NVME_SUCCESS : NVME_INVALID_FIELD);
    }
    femu_shutdown(drive);
}

/* What drivers probe for, and must be told is not there. */
static void test_identify_refused(void)
{
    static const struct {
        uint8_t cns, csi;
        uint32_t nsid;
        uint16_t status;
    } rows[] = {
        { NVME_ID_CNS_CS_CTRL, 1, 0, NVME_INVALID_FIELD },  /* SPDK: KV */
        { NVME_ID_CNS_CS_CTRL, 0xff, 0, NVME_INVALID_FIELD },
        { NVME_ID_CNS_CS_NS, 1, 1, NVME_INVALID_FIELD },
        { NVME_ID_CNS_CS_NS_ACTIVE_LIST, 1, 0, NVME_INVALID_FIELD },
        { 0x30, 0, 1, NVME_INVALID_FIELD },
        { 0xff, 0, 1, NVME_INVALID_FIELD },
        { NVME_ID_CNS_NS, 0, 0, NVME_INVALID_NSID },
        { NVME_ID_CNS_NS, 0, 2, NVME_INVALID_NSID },
        { NVME_ID_CNS_CS_NS, NVME_CSI_ZONED, 2, NVME_INVALID_NSID },
        { NVME_ID_CNS_NS_DESCR_LIST, 0, 0, NVME_INVALID_NSID },
        { NVME_ID_CNS_NS_DESCR_LIST, 0, 2, NVME_INVALID_NSID },
        /* all namespaces, as OACS has no Namespace Management */
        { NVME_ID_CNS_CS_NS, NVME_CSI_NVM, NVME_NSID_BROADCAST,
          NVME_INVALID_NSID },
        { NVME_ID_CNS_CS_NS, NVME_CSI_ZONED, NVME_NSID_BROADCAST,
          NVME_INVALID_NSID },
        { NVME_ID_CNS_CS_IND_NS, 0, NVME_NSID_BROADCAST, NVME_INVALID_NSID },
        { NVME_ID_CNS_NS_ATTACHED_CTRL_LIST, 0, NVME_NSID_BROADCAST,
          NVME_INVALID_FIELD },
    };
    FemuDrive *drive = boot();

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        g_assert_cmphex(femu_identify(drive, rows[i].cns, rows[i].csi,
                                      rows[i].nsid, NULL), ==,
                        rows[i].status);
    }
    femu_shutdown(drive);
}

/*
 * A host that enables only the NVM command set sees no namespace, and cannot
 * write to one that it does not see.
 */
static void test_css_nvm(void)
{
    FemuDrive *drive = boot();
    uint32_t list[NVME_IDENTIFY_DATA_SIZE / 4];
    uint8_t id[NVME_IDENTIFY_DATA_SIZE];

    femu_disable(drive);
    drive->css = NVME_CC_CSS_NVM;
    femu_enable(drive);
    femu_io_queues_create(drive);
    identify_ok(drive, NVME_ID_CNS_NS_ACTIVE_LIST, 0, 0, list);
    g_assert_cmpuint(list[0], ==, 0);
    /* there is no list of active ones of a set that is not enabled */
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CS_NS_ACTIVE_LIST,
                                  NVME_CSI_ZONED, 0, NULL), ==,
                    NVME_INVALID_FIELD);
    identify_ok(drive, NVME_ID_CNS_CS_NS_ACTIVE_LIST, NVME_CSI_NVM, 0, list);
    g_assert_cmpuint(list[0], ==, 0);
    identify_ok(drive, NVME_ID_CNS_CS_NS_PRESENT_LIST, NVME_CSI_ZONED, 0,
                list);
    g_assert_cmpuint(le32_to_cpu(list[0]), ==, 1);
    identify_ok(drive, NVME_ID_CNS_NS, 0, 1, id);
    g_assert_true(buffer_is_zero(id, sizeof(id)));
    g_assert_cmphex(femu_write(drive, 0, 1, NULL), ==, NVME_INVALID_FIELD);
    g_assert_cmphex(femu_read(drive, 0, 1, NULL), ==, NVME_INVALID_FIELD);
    femu_shutdown(drive);
}

/* Features */

static void test_feature_queues(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot_disabled(&config, NULL);
    FemuCqe cqe;
    uint32_t counts;

    femu_enable(drive);
    cqe = femu_admin(drive, NVME_ADM_CMD_SET_FEATURES, 0,
                     NVME_NUMBER_OF_QUEUES, 3 << 16 | 3, 0);
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    g_assert_cmpuint(cqe.result & 0xffff, >=, 3);
    g_assert_cmpuint(cqe.result >> 16, >=, 3);
    g_assert_cmphex(femu_set_feature(drive, NVME_NUMBER_OF_QUEUES,
                                     0xffff0003), ==, NVME_INVALID_FIELD);
    g_assert_cmphex(femu_set_feature(drive, NVME_NUMBER_OF_QUEUES,
                                     0x0003ffff), ==, NVME_INVALID_FIELD);
    g_assert_cmphex(femu_get_feature(drive, NVME_NUMBER_OF_QUEUES, &counts),
                    ==, NVME_SUCCESS);
    g_assert_cmphex(counts, ==, cqe.result);
    femu_io_queues_create(drive);
    g_assert_cmphex(femu_set_feature(drive, NVME_NUMBER_OF_QUEUES,
                                     0x00030003), ==, NVME_CMD_SEQ_ERROR);
    /* also when they are gone, until a reset */
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_SQ, 1), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_CQ, 1), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_set_feature(drive, NVME_NUMBER_OF_QUEUES,
                                     0x00030003), ==, NVME_CMD_SEQ_ERROR);
    femu_disable(drive);
    femu_enable(drive);
    g_assert_cmphex(femu_set_feature(drive, NVME_NUMBER_OF_QUEUES,
                                     0x00030003), ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

/* A value that was set is read back; a reset returns it to its default. */
static void test_feature_values(void)
{
    static const struct {
        uint8_t fid;
        uint32_t value;
    } rows[] = {
        { NVME_ARBITRATION, 3 },
        { NVME_POWER_MANAGEMENT, 0x20 },        /* workload hint 1 */
        { NVME_TEMPERATURE_THRESHOLD, 350 },
        { NVME_INTERRUPT_COALESCING, 0x0102 },
        { NVME_WRITE_ATOMICITY, 1 },
        { NVME_ASYNCHRONOUS_EVENT_CONF, 0x1f },
    };
    FemuDrive *drive = boot();
    uint32_t before[ARRAY_SIZE(rows)], value;

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        g_assert_cmphex(femu_get_feature(drive, rows[i].fid, &before[i]), ==,
                        NVME_SUCCESS);
        g_assert_cmphex(before[i], !=, rows[i].value);
        g_assert_cmphex(femu_set_feature(drive, rows[i].fid, rows[i].value),
                        ==, NVME_SUCCESS);
        g_assert_cmphex(femu_get_feature(drive, rows[i].fid, &value), ==,
                        NVME_SUCCESS);
        g_assert_cmphex(value, ==, rows[i].value);
    }
    femu_disable(drive);
    femu_enable(drive);
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        g_assert_cmphex(femu_get_feature(drive, rows[i].fid, &value), ==,
                        NVME_SUCCESS);
        g_assert_cmphex(value, ==, before[i]);
    }
    femu_shutdown(drive);
}

static void test_feature_refused(void)
{
    static const uint8_t fids[] = { 0x00, 0x03, 0x0c, 0x0d, 0x7f, 0xff };
    FemuDrive *drive = boot();
    uint32_t value;

    for (unsigned i = 0; i < ARRAY_SIZE(fids); i++) {
        g_assert_cmphex(femu_get_feature(drive, fids[i], &value), ==,
                        NVME_INVALID_FIELD);
        g_assert_cmphex(femu_set_feature(drive, fids[i], 0), ==,
                        NVME_INVALID_FIELD);
    }
    /* nothing can be saved (CDW10 bit 31) */
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_SET_FEATURES, 0,
                               1u << 31 | NVME_ARBITRATION, 0, 0).status, ==,
                    NVME_FID_NOT_SAVEABLE);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_FEATURES, 0,
                               4u << 8 | NVME_ARBITRATION, 0, 0).status, ==,
                    NVME_INVALID_FIELD);
    g_assert_cmphex(femu_set_feature(drive, FEMU_FEAT_STATS, 0), ==,
                    NVME_INVALID_FIELD);
    femu_shutdown(drive);
}

/* Logs */

/* Linux: no effects log for CSI 2, no namespace; no append, read-only. */
static void test_log_effects(void)
{
    FemuDrive *drive = boot();
    NvmeEffectsLog log;
    static const uint8_t zoned[] = {
        NVME_CMD_FLUSH, NVME_CMD_WRITE, NVME_CMD_READ, NVME_CMD_COMPARE,
        NVME_CMD_WRITE_ZEROES, NVME_CMD_DSM, NVME_CMD_VERIFY, NVME_CMD_COPY,
        NVME_CMD_ZONE_MGMT_SEND, NVME_CMD_ZONE_MGMT_RECV,
        NVME_CMD_ZONE_APPEND,
    };
    enum { NVM_COMMANDS = ARRAY_SIZE(zoned) - 3 };

    for (unsigned csi = 0; csi <= NVME_CSI_ZONED; csi += NVME_CSI_ZONED) {
        unsigned supported = 0;

        g_assert_cmphex(femu_get_log(drive, NVME_LOG_CMD_EFFECTS, csi, 0,
                                     &log, sizeof(log)), ==, NVME_SUCCESS);
        for (unsigned i = 0; i < (csi ? ARRAY_SIZE(zoned) : NVM_COMMANDS); i++) {
            g_assert_cmphex(le32_to_cpu(log.iocs[zoned[i]]) &
                            NVME_CMD_EFF_CSUPP, ==, NVME_CMD_EFF_CSUPP);
        }
        /* of a conventional namespace it deallocates blocks */
        g_assert_cmphex(le32_to_cpu(log.iocs[NVME_CMD_DSM]) &
                        NVME_CMD_EFF_LBCC, ==, NVME_CMD_EFF_LBCC);
        for (unsigned i = 0; i < 256; i++) {
            supported += le32_to_cpu(log.iocs[i]) & NVME_CMD_EFF_CSUPP;
        }
        g_assert_cmpuint(supported, ==,
                         csi ? ARRAY_SIZE(zoned) : NVM_COMMANDS);
    }
    /* of a command set that there is not (NVMe base 2.0, figure 268) */
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_CMD_EFFECTS, 1, 0, NULL,
                                 4096), ==, NVME_IOCS_NOT_SUPPORTED);
    femu_shutdown(drive);
}

static void test_log_smart(void)
{
    FemuDrive *drive = boot();
    NvmeSmartLog log;

    femu_fill(drive, 0, 128);
    femu_read(drive, 0, 1, NULL);
    femu_read(drive, 0, 1, NULL);
    g_assert_cmphex(femu_write(drive, 5, 1, NULL), ==,
                    NVME_ZONE_INVALID_WRITE);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_SMART_INFO, 0, 0, &log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    g_assert_cmphex(log.critical_warning, ==, 0);
    g_assert_cmpuint(log.available_spare, ==, 100);
    g_assert_cmpuint(le64_to_cpu(log.host_write_commands[0]), ==, 1);
    g_assert_cmpuint(le64_to_cpu(log.host_read_commands[0]), ==, 2);
    /* thousands of 512 bytes, rounded up */
    g_assert_cmpuint(le64_to_cpu(log.data_units_written[0]), ==, 2);
    g_assert_cmpuint(le64_to_cpu(log.data_units_read[0]), ==, 1);
    g_assert_cmpuint(le64_to_cpu(log.number_of_error_log_entries[0]), ==, 1);
    femu_shutdown(drive);
}

/* The youngest error first; an admin command's has no block. */
static void test_log_error(void)
{
    FemuDrive *drive = boot();
    static const struct {
        uint16_t sqid, cid, status;
        uint64_t lba;
        uint32_t nsid;
    } rows[] = {
        { 0, 0, NVME_INVALID_FIELD, 0, 7 },
        { 1, 1, NVME_LBA_RANGE, UINT64_C(0x8000000300000005), FEMU_NSID },
        { 1, 0, NVME_ZONE_INVALID_WRITE, 5, FEMU_NSID },
    };
    NvmeErrorLog log[ARRAY_SIZE(rows)];
    uint16_t cid;

    femu_write(drive, rows[2].lba, 1, NULL);
    femu_write(drive, rows[1].lba, 1, NULL);
    cid = drive->admin.next_cid;
    femu_admin(drive, NVME_ADM_CMD_GET_FEATURES, rows[0].nsid, 0, 3, 0);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_ERROR_INFO, 0, 0, log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        g_assert_cmpuint(le64_to_cpu(log[i].error_count), ==, 3 - i);
        g_assert_cmpuint(le16_to_cpu(log[i].sqid), ==, rows[i].sqid);
        g_assert_cmpuint(le16_to_cpu(log[i].cid), ==,
                         rows[i].sqid ? rows[i].cid : cid);
        g_assert_cmphex(le16_to_cpu(log[i].status_field), ==,
                        (rows[i].status | NVME_DNR) << 1);
        g_assert_cmphex(le16_to_cpu(log[i].param_error_location), ==, 0xffff);
        g_assert_cmphex(le64_to_cpu(log[i].lba), ==, rows[i].lba);
        g_assert_cmpuint(le32_to_cpu(log[i].nsid), ==, rows[i].nsid);
    }
    femu_shutdown(drive);
}

/* Peers: "log page flags eaten": RAE and LSP are not part of the length. */
static void test_log_flags(void)
{
    FemuDrive *drive = boot();
    uint32_t numd = sizeof(NvmeSmartLog) / 4 - 1;
    uint8_t found[sizeof(NvmeSmartLog) + 64];

    qtest_memset(drive->host->qts, drive->buf, 0xa5, sizeof(found));
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE,
                               NVME_NSID_BROADCAST,
                               numd << 16 | RAE | LSP_ALL |
                               NVME_LOG_SMART_INFO, 0, drive->buf).status, ==,
                    NVME_SUCCESS);
    qtest_bufread(drive->host->qts, drive->buf, found, sizeof(found));
    g_assert_cmpuint(((NvmeSmartLog *)found)->available_spare, ==, 100);
    for (unsigned i = sizeof(NvmeSmartLog); i < sizeof(found); i++) {
        g_assert_cmphex(found[i], ==, 0xa5);
    }
    femu_shutdown(drive);
}

/* Any part of a log is that part of it; not a byte more is written. */
static void test_log_parts(void)
{
    FemuDrive *drive = boot();
    NvmeEffectsLog whole;
    uint8_t part[256 + 64];
    NvmeCmd by_index = {
        .opcode = NVME_ADM_CMD_GET_LOG_PAGE,
        .cdw10 = cpu_to_le32(NVME_LOG_SMART_INFO),
        .cdw14 = cpu_to_le32(1u << 23),
    };

    g_assert_cmphex(femu_get_log(drive, NVME_LOG_CMD_EFFECTS, NVME_CSI_ZONED,
                                 0, &whole, sizeof(whole)), ==, NVME_SUCCESS);
    for (unsigned offset = 0; offset < sizeof(whole); offset += 252) {
        unsigned bytes = MIN(252, sizeof(whole) - offset);

        qtest_memset(drive->host->qts, drive->buf, 0xa5, sizeof(part));
        g_assert_cmphex(femu_get_log(drive, NVME_LOG_CMD_EFFECTS,
                                     NVME_CSI_ZONED, offset, NULL, bytes), ==,
                        NVME_SUCCESS);
        qtest_bufread(drive->host->qts, drive->buf, part, sizeof(part));
        g_assert_cmpmem(part, bytes, (uint8_t *)&whole + offset, bytes);
        g_assert_cmphex(part[bytes], ==, 0xa5);
    }
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_CMD_EFFECTS, NVME_CSI_ZONED,
                                 2, NULL, 4), ==, NVME_INVALID_FIELD);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_CMD_EFFECTS, NVME_CSI_ZONED,
                                 UINT64_C(1) << 32, NULL, 4), ==,
                    NVME_INVALID_FIELD);
    /* CDW14, 23: the offset would be a number of things, which no page has */
    by_index.dptr.prp1 = cpu_to_le64(drive->buf);
    g_assert_cmphex(femu_exec(&drive->admin, &by_index).status, ==,
                    NVME_INVALID_FIELD);
    femu_shutdown(drive);
}

/* CDW11 has the upper half of the length: 4 bytes more than 256 KiB. */
static void test_log_long(void)
{
    enum { BYTES = 256 * 1024 + 4 };
    FemuConfig config = femu_small_config();
    g_autofree uint8_t *found = g_malloc(BYTES + 64);
    NvmeEffectsLog whole;
    FemuDrive *drive;
    NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_GET_LOG_PAGE,
        .cdw10 = cpu_to_le32(NVME_LOG_CMD_EFFECTS),
        .cdw11 = cpu_to_le32(1),
    };

    config.ssd.mdts_bytes = FEMU_BUF_BYTES;
    drive = femu_boot(&config, NULL);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_CMD_EFFECTS, NVME_CSI_NVM, 0,
                                 &whole, sizeof(whole)), ==, NVME_SUCCESS);
    qtest_memset(drive->host->qts, drive->buf, 0xa5, FEMU_BUF_BYTES);
    femu_set_prps(drive, &cmd, drive->buf, BYTES);
    g_assert_cmphex(femu_exec(&drive->admin, &cmd).status, ==, NVME_SUCCESS);
    qtest_bufread(drive->host->qts, drive->buf, found, BYTES + 64);
    g_assert_cmpmem(found, sizeof(whole), &whole, sizeof(whole));
    g_assert_true(buffer_is_zero(found + sizeof(whole),
                                 BYTES - sizeof(whole)));
    for (unsigned i = 0; i < 64; i++) {
        g_assert_cmphex(found[BYTES + i], ==, 0xa5);
    }
    femu_shutdown(drive);
}

static void test_log_refused(void)
{
    static const uint8_t lids[] = { 0x06, 0x0a, 0x80, 0xbe, 0xc1, 0xff };
    FemuDrive *drive = boot();

    for (unsigned i = 0; i < ARRAY_SIZE(lids); i++) {
        g_assert_cmphex(femu_get_log(drive, lids[i], 0, 0, NULL, 512), ==,
                        NVME_INVALID_LOG_ID);
    }
    /* above MDTS, and 16 GiB: CDW11 holds the upper half of the length */
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, 0,
                               NVME_LOG_SMART_INFO, 2, drive->buf).status, ==,
                    NVME_INVALID_FIELD);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, 0,
                               0xffff0000 | NVME_LOG_SMART_INFO, 0xffff,
                               drive->buf).status, ==, NVME_INVALID_FIELD);
    femu_shutdown(drive);
}

/* Whole admin commands */

static void test_opcodes_refused(void)
{
    FemuDrive *drive = boot();

    for (unsigned opcode = 0; opcode < 256; opcode++) {
        switch (opcode) {
        case NVME_ADM_CMD_DELETE_SQ:
        case NVME_ADM_CMD_CREATE_SQ:
        case NVME_ADM_CMD_GET_LOG_PAGE:
        case NVME_ADM_CMD_DELETE_CQ:
        case NVME_ADM_CMD_CREATE_CQ:
        case NVME_ADM_CMD_IDENTIFY:
        case NVME_ADM_CMD_ABORT:
        case NVME_ADM_CMD_SET_FEATURES:
        case NVME_ADM_CMD_GET_FEATURES:
        case NVME_ADM_CMD_ASYNC_EV_REQ:
        case NVME_ADM_CMD_FORMAT_NVM:
        case NVME_ADM_CMD_NS_ATTACHMENT:
            continue;
        }
        g_assert_cmphex(femu_admin(drive, opcode, 1, 0, 0,
                                   drive->buf).status, ==,
                        NVME_INVALID_OPCODE);
    }
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

/* NVMe over PCIe 1.0, 2.2: admin commands use PRPs. */
static void test_psdt_refused(void)
{
    FemuDrive *drive = boot();
    static const uint8_t flags[] = { 0x40, 0x80, 0xc0, 0x01 };
    NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_IDENTIFY,
        .cdw10 = cpu_to_le32(NVME_ID_CNS_CTRL),
        .dptr.prp1 = cpu_to_le64(drive->buf),
    };

    g_assert_cmphex(femu_exec(&drive->admin, &cmd).status, ==, NVME_SUCCESS);
    for (unsigned i = 0; i < ARRAY_SIZE(flags); i++) {
        cmd.flags = flags[i];
        g_assert_cmphex(femu_exec(&drive->admin, &cmd).status, ==,
                        NVME_INVALID_FIELD);
    }
    femu_shutdown(drive);
}

static void test_dma_error(void)
{
    FemuDrive *drive = boot();

    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_IDENTIFY, 0,
                               NVME_ID_CNS_CTRL, 0, NOWHERE).status, ==,
                    NVME_DATA_TRAS_ERROR);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, 0,
                               127u << 16 | NVME_LOG_SMART_INFO, 0,
                               NOWHERE).status, ==, NVME_DATA_TRAS_ERROR);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/admin/" name, test)
    ADD("identify/controller", test_controller);
    qtest_add_func("femu-zns/peers/format-with-zone-size-0/4k",
                   test_namespace_4k);
    qtest_add_func("femu-zns/peers/format-with-zone-size-0/512",
                   test_namespace_512);
    ADD("identify/limits", test_limits);
    ADD("identify/zasl", test_zasl);
    ADD("identify/descriptors", test_descriptors);
    ADD("identify/unique", test_unique);
    ADD("identify/lists", test_lists);
    ADD("identify/refused", test_identify_refused);
    ADD("css-nvm", test_css_nvm);
    ADD("feature/queues", test_feature_queues);
    ADD("feature/values", test_feature_values);
    ADD("feature/refused", test_feature_refused);
    ADD("log/effects", test_log_effects);
    ADD("log/smart", test_log_smart);
    ADD("log/error", test_log_error);
    qtest_add_func("femu-zns/peers/log-flags-eaten", test_log_flags);
    ADD("log/parts", test_log_parts);
    ADD("log/long", test_log_long);
    ADD("log/refused", test_log_refused);
    ADD("opcodes-refused", test_opcodes_refused);
    ADD("psdt-refused", test_psdt_refused);
    ADD("dma-error", test_dma_error);
#undef ADD
    return g_test_run();
}
