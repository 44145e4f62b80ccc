/*
 * What the drive says that it has, it has, and nothing else: registers,
 * Identify, log pages, features, opcodes, arbitration. Every number is tried.
 *
 * Knows nothing of what any of them holds.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/cutils.h"
#include "femu-zns-commands.h"

#define REG_NSSR 0x20
#define REG_CMBLOC 0x38
#define REG_CMBSZ 0x3c
#define REG_PMRCAP 0xe00
#define NSSR_RESET 0x4e564d65           /* "NVMe" */

/* NVMe base 2.0, figure 36. */
#define CAP_AMS (UINT64_C(3) << 17)
#define CAP_NSSRS (UINT64_C(1) << 36)
#define CAP_BPS (UINT64_C(1) << 45)
#define CAP_PMRS_CMBS (UINT64_C(3) << 56)

#define LOG_SUPPORTED_PAGES 0x00
#define LOG_FEATURES 0x12
#define LOG_MI_COMMANDS 0x13
#define LOG_CHANGED_ZONES 0xbf
#define LIST_BYTES 1024u                /* 256 dwords, bit 0: supported */
/* NVMe base 2.0, figures 211 and 256: bits 31:20 of an entry. */
#define SCOPE_NAMESPACE 1u
#define SCOPE_CONTROLLER 2u

#define SELECTS 4u              /* current, default, saved, what it can */

static FemuDrive *boot(const char *extra)
{
    FemuConfig config = femu_small_config();

    return femu_boot(&config, extra);
}

/* No subsystem reset, boot partition, host's memory in the controller. */
static void test_registers(void)
{
    FemuDrive *drive = boot(NULL);
    uint64_t cap = femu_reg64(drive, NVME_REG_CAP);

    g_assert_cmphex(cap & (CAP_AMS | CAP_NSSRS | CAP_BPS | CAP_PMRS_CMBS), ==,
                    0);
    femu_set_reg(drive, REG_NSSR, NSSR_RESET);
    g_assert_cmphex(femu_reg(drive, REG_NSSR), ==, 0);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    g_assert_cmphex(femu_reg(drive, REG_CMBLOC), ==, 0);
    g_assert_cmphex(femu_reg(drive, REG_CMBSZ), ==, 0);
    g_assert_cmphex(femu_reg(drive, REG_PMRCAP), ==, 0);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

static bool is_in(uint8_t what, const uint8_t *list, unsigned count)
{
    return memchr(list, what, count) != NULL;
}

/*
 * What a 2.0 controller of the NVM and the zoned command set must answer, and
 * what namespace management asks for (NVMe base 2.0, figure 273).
 */
static void test_identify(void)
{
    static const uint8_t there[] = {
        NVME_ID_CNS_NS, NVME_ID_CNS_CTRL, NVME_ID_CNS_NS_ACTIVE_LIST,
        NVME_ID_CNS_NS_DESCR_LIST, NVME_ID_CNS_CS_NS, NVME_ID_CNS_CS_CTRL,
        NVME_ID_CNS_CS_NS_ACTIVE_LIST, NVME_ID_CNS_CS_IND_NS,
        NVME_ID_CNS_NS_PRESENT_LIST, NVME_ID_CNS_NS_PRESENT,
        NVME_ID_CNS_NS_ATTACHED_CTRL_LIST, NVME_ID_CNS_CTRL_LIST,
        NVME_ID_CNS_CS_NS_PRESENT_LIST, NVME_ID_CNS_CS_NS_PRESENT,
        NVME_ID_CNS_IO_COMMAND_SET,
    };
    FemuDrive *drive = boot(NULL);

    for (unsigned cns = 0; cns < 256; cns++) {
        for (unsigned csi = 0; csi <= NVME_CSI_ZONED; csi += NVME_CSI_ZONED) {
            g_assert_cmphex(femu_identify(drive, cns, csi, FEMU_NSID, NULL),
                            ==, is_in(cns, there, ARRAY_SIZE(there))
                                ? NVME_SUCCESS : NVME_INVALID_FIELD);
        }
    }
    femu_shutdown(drive);
}

/* Numbers whose dword in a list of 256 says "supported". */
static bool listed(const uint8_t *list, unsigned number)
{
    return ldl_le_p(list + 4 * number) & 1;
}

/* The log of log pages is right about each of them. */
static void test_logs(void)
{
    static const uint8_t there[] = {
        LOG_SUPPORTED_PAGES, NVME_LOG_ERROR_INFO, NVME_LOG_SMART_INFO,
        NVME_LOG_FW_SLOT_INFO, NVME_LOG_CHANGED_NSLIST, NVME_LOG_CMD_EFFECTS,
        LOG_FEATURES, LOG_MI_COMMANDS, LOG_CHANGED_ZONES, FEMU_LOG_STATS,
    };
    FemuDrive *drive = boot(NULL);
    uint8_t list[LIST_BYTES];
    NvmeFwSlotInfoLog slots;

    g_assert_cmphex(femu_get_log(drive, LOG_SUPPORTED_PAGES, 0, 0, list,
                                 sizeof(list)), ==, NVME_SUCCESS);
    for (unsigned lid = 0; lid < 256; lid++) {
        uint32_t nsid = lid == LOG_CHANGED_ZONES ? FEMU_NSID
                                                 : NVME_NSID_BROADCAST;
        bool is_there = is_in(lid, there, ARRAY_SIZE(there));

        g_assert_cmpuint(listed(list, lid), ==, is_there);
        g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, nsid,
                                   127u << 16 | lid, 0, drive->buf).status, ==,
                        is_there ? NVME_SUCCESS : NVME_INVALID_LOG_ID);
    }
    /* one slot, which cannot be written and is active */
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_FW_SLOT_INFO, 0, 0, &slots,
                                 sizeof(slots)), ==, NVME_SUCCESS);
    g_assert_cmphex(slots.afi, ==, 1);
    g_assert_cmpmem(slots.frs1, 8, "1       ", 8);
    g_assert_true(buffer_is_zero(slots.frs2, sizeof(slots.frs2)));
    femu_shutdown(drive);
}

static FemuCqe get_feature(FemuDrive *drive, uint8_t fid, unsigned select)
{
    uint32_t nsid = fid == NVME_ERROR_RECOVERY ? FEMU_NSID : 0;

    return femu_admin(drive, NVME_ADM_CMD_GET_FEATURES, nsid,
                      select << 8 | fid, 0, drive->buf);
}

/*
 * The log of features is right about each of them, whichever of its values is
 * asked for. None can be saved, all can be changed.
 */
static void test_features(void)
{
    static const uint8_t there[] = {
        NVME_ARBITRATION, NVME_POWER_MANAGEMENT, NVME_TEMPERATURE_THRESHOLD,
        NVME_ERROR_RECOVERY, NVME_NUMBER_OF_QUEUES, NVME_INTERRUPT_COALESCING,
        NVME_INTERRUPT_VECTOR_CONF, NVME_WRITE_ATOMICITY,
        NVME_ASYNCHRONOUS_EVENT_CONF, NVME_TIMESTAMP,
        NVME_COMMAND_SET_PROFILE, 0x81, FEMU_FEAT_STATS,
    };
    FemuDrive *drive = boot(NULL);
    uint8_t list[LIST_BYTES];

    g_assert_cmphex(femu_get_log(drive, LOG_FEATURES, 0, 0, list,
                                 sizeof(list)), ==, NVME_SUCCESS);
    for (unsigned fid = 0; fid < 256; fid++) {
        bool is_there = is_in(fid, there, ARRAY_SIZE(there));

        g_assert_cmpuint(listed(list, fid), ==, is_there);
        g_assert_cmphex(ldl_le_p(list + 4 * fid) >> 20, ==, !is_there ? 0 :
                        fid == NVME_ERROR_RECOVERY ? SCOPE_NAMESPACE
                                                   : SCOPE_CONTROLLER);
        for (unsigned select = 0; select < SELECTS; select++) {
            FemuCqe cqe = get_feature(drive, fid, select);

            g_assert_cmphex(cqe.status, ==, is_there ? NVME_SUCCESS
                                                     : NVME_INVALID_FIELD);
            if (is_there && select == NVME_GETFEAT_SELECT_CAP) {
                g_assert_cmphex(cqe.result, ==, NVME_FEAT_CAP_CHANGE |
                                (fid == NVME_ERROR_RECOVERY
                                 ? NVME_FEAT_CAP_NS : 0));
            }
        }
        g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_SET_FEATURES, 0,
                                   1u << 31 | fid, 0, drive->buf).status, ==,
                        is_there ? NVME_FID_NOT_SAVEABLE : NVME_INVALID_FIELD);
    }
    femu_shutdown(drive);
}

/* The default and the saved value stay what they were when it is changed. */
static void test_feature_selects(void)
{
    FemuDrive *drive = boot(NULL);

    g_assert_cmphex(femu_set_feature(drive, NVME_INTERRUPT_COALESCING, 0x305),
                    ==, NVME_SUCCESS);
    g_assert_cmphex(get_feature(drive, NVME_INTERRUPT_COALESCING,
                                NVME_GETFEAT_SELECT_CURRENT).result, ==,
                    0x305);
    g_assert_cmphex(get_feature(drive, NVME_INTERRUPT_COALESCING,
                                NVME_GETFEAT_SELECT_DEFAULT).result, ==, 0);
    g_assert_cmphex(get_feature(drive, NVME_INTERRUPT_COALESCING,
                                NVME_GETFEAT_SELECT_SAVED).result, ==, 0);
    femu_shutdown(drive);
}

/* Values that features without data have at once, in the table's order. */
static void read_values(FemuDrive *drive, const uint8_t *fid, unsigned count,
                        uint64_t *value)
{
    for (unsigned i = 0; i < count; i++) {
        FemuCqe cqe = get_feature(drive, fid[i], NVME_GETFEAT_SELECT_CURRENT);

        g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
        value[i] = cqe.result;
    }
}

/* A feature that is set to another value is all that is another. */
static void test_features_apart(void)
{
    static const uint8_t fid[] = {
        NVME_ARBITRATION, NVME_POWER_MANAGEMENT, NVME_TEMPERATURE_THRESHOLD,
        NVME_ERROR_RECOVERY, NVME_NUMBER_OF_QUEUES, NVME_INTERRUPT_COALESCING,
        NVME_INTERRUPT_VECTOR_CONF, NVME_WRITE_ATOMICITY,
        NVME_VOLATILE_WRITE_CACHE, NVME_ASYNCHRONOUS_EVENT_CONF,
        NVME_COMMAND_SET_PROFILE,
    };
    enum { COUNT = ARRAY_SIZE(fid) };
    uint64_t before[COUNT], after[COUNT];
    FemuDrive *drive = boot("write-cache=volatile");

    for (unsigned i = 0; i < COUNT; i++) {
        for (uint32_t value = 0; value < 8; value++) {
            uint32_t nsid = fid[i] == NVME_ERROR_RECOVERY ? FEMU_NSID : 0;

            read_values(drive, fid, COUNT, before);
            femu_admin(drive, NVME_ADM_CMD_SET_FEATURES, nsid, fid[i], value,
                       0);
            read_values(drive, fid, COUNT, after);
            after[i] = before[i];
            g_assert_cmpmem(after, sizeof(after), before, sizeof(before));
        }
    }
    femu_shutdown(drive);
}

/* Commands and effects, as the log of a command set has them. */
static NvmeEffectsLog effects_log(FemuDrive *drive, uint8_t csi)
{
    NvmeEffectsLog log;

    g_assert_cmphex(femu_get_log(drive, NVME_LOG_CMD_EFFECTS, csi, 0, &log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    return log;
}

/* Does the drive know the opcode? In a way that does no harm. */
static bool knows_admin(FemuDrive *drive, uint8_t opcode)
{
    NvmeCmd cmd = {
        .opcode = opcode,
        .nsid = cpu_to_le32(0xfffffffe),
        .cdw10 = cpu_to_le32(0xffff00ff),
    };

    return opcode == NVME_ADM_CMD_ASYNC_EV_REQ ||
           femu_exec(&drive->admin, &cmd).status != NVME_INVALID_OPCODE;
}

/* The same of an I/O command: blocks far behind the last one, no data. */
static bool knows_io(FemuDrive *drive, uint8_t opcode)
{
    NvmeCmd cmd = {
        .opcode = opcode,
        .nsid = cpu_to_le32(FEMU_NSID),
        .cdw11 = cpu_to_le32(UINT32_MAX),
    };

    return femu_exec(&drive->io, &cmd).status != NVME_INVALID_OPCODE;
}

/*
 * The effects log is right about every opcode, of both command sets, and about
 * what an admin command is about: Format NVM's namespace, else the controller.
 */
static void test_opcodes(void)
{
    for (unsigned on = 0; on < 2; on++) {
        FemuDrive *drive = boot(on ? "dbbuf=on" : NULL);
        NvmeEffectsLog zoned = effects_log(drive, NVME_CSI_ZONED);
        NvmeEffectsLog nvm = effects_log(drive, NVME_CSI_NVM);

        for (unsigned opcode = 0; opcode < 256; opcode++) {
            uint32_t effects = le32_to_cpu(zoned.acs[opcode]);
            bool there = effects & NVME_CMD_EFF_CSUPP;

            g_assert_cmphex(effects >> 20, ==, !there ? 0 :
                            opcode == NVME_ADM_CMD_FORMAT_NVM
                            ? SCOPE_NAMESPACE : SCOPE_CONTROLLER);
            g_assert_cmphex(nvm.acs[opcode], ==, zoned.acs[opcode]);
            g_assert_cmpuint(knows_admin(drive, opcode), ==, there);
            g_assert_cmpuint(knows_io(drive, opcode), ==,
                             le32_to_cpu(zoned.iocs[opcode]) &
                             NVME_CMD_EFF_CSUPP);
            if (nvm.iocs[opcode]) {
                g_assert_cmphex(nvm.iocs[opcode], ==, zoned.iocs[opcode]);
            }
        }
        femu_assert_works(drive, 0);
        femu_shutdown(drive);
    }
}

/*
 * A bit of Identify Controller that is 1 if there are all of these, commands or
 * log pages (NVMe base 2.0, figure 275); a list ends with 0.
 */
typedef struct Capability {
    uint8_t bit;
    uint8_t all_of[5];
} Capability;

/* Other bits than the table's are reserved, or not about commands. */
static void check_capabilities(FemuDrive *drive, const Capability *table,
                               unsigned count, uint16_t value, uint16_t others,
                               bool (*there)(FemuDrive *drive, uint8_t number))
{
    for (unsigned i = 0; i < count; i++) {
        bool all = true;

        for (const uint8_t *number = table[i].all_of; *number; number++) {
            all &= there(drive, *number);
        }
        g_test_message("bit %u", table[i].bit);
        g_assert_cmpuint(value >> table[i].bit & 1, ==, all);
        value &= ~(1u << table[i].bit);
    }
    g_assert_cmphex(value, ==, others);
}

static bool has_log(FemuDrive *drive, uint8_t lid)
{
    return femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, NVME_NSID_BROADCAST,
                      127u << 16 | lid, 0, drive->buf).status !=
           NVME_INVALID_LOG_ID;
}

/* What Identify Controller says in bits of its own: LPA 0 and 2, ONCS 4, 6. */
static void check_other_capabilities(FemuDrive *drive)
{
    NvmeSmartLog smart;
    char revision[8];
    uint32_t timestamp;

    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_GET_LOG_PAGE, FEMU_NSID,
                               127u << 16 | NVME_LOG_SMART_INFO, 0,
                               drive->buf).status, ==, NVME_SUCCESS);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_SMART_INFO, 0, 0, &smart,
                                 sizeof(smart)), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_FW_SLOT_INFO, 0, 8,
                                 revision, sizeof(revision)), ==,
                    NVME_SUCCESS);
    g_assert_cmpmem(revision, sizeof(revision), "1       ", 8);
    g_assert_cmphex(get_feature(drive, NVME_INTERRUPT_COALESCING,
                                NVME_GETFEAT_SELECT_DEFAULT).status, ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_get_feature(drive, NVME_TIMESTAMP, &timestamp), ==,
                    NVME_SUCCESS);
}

/*
 * Every capability that Identify Controller has a bit for. OACS bit 3 stands
 * for Namespace Management (0Dh) and Namespace Attachment (15h) together, and
 * only the second is there: the effects log, which has a row for each, says it.
 */
static void test_capabilities(void)
{
    static const Capability oacs[] = {
        { 0, { 0x81, 0x82 } }, { 1, { 0x80 } }, { 2, { 0x10, 0x11 } },
        { 3, { 0x0d, 0x15 } }, { 4, { 0x14 } }, { 5, { 0x19, 0x1a } },
        { 6, { 0x1d, 0x1e } }, { 7, { 0x1c } }, { 8, { 0x7c } },
        { 9, { 0x86 } }, { 10, { 0x24 } },
    };
    static const Capability oncs[] = {
        { 0, { 0x05 } }, { 1, { 0x04 } }, { 2, { 0x09 } }, { 3, { 0x08 } },
        { 5, { 0x0d, 0x0e, 0x11, 0x15 } }, { 7, { 0x0c } }, { 8, { 0x19 } },
    };
    static const Capability lpa[] = {
        { 1, { 0x05 } }, { 3, { 0x07, 0x08 } }, { 4, { 0x0d } },
        { 5, { 0x12, 0x13 } },
    };

    for (unsigned on = 0; on < 2; on++) {
        FemuDrive *drive = boot(on ? "dbbuf=on" : NULL);
        NvmeIdCtrl id;

        g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CTRL, 0, 0, &id), ==,
                        NVME_SUCCESS);
        g_test_message("OACS");
        check_capabilities(drive, oacs, ARRAY_SIZE(oacs),
                           le16_to_cpu(id.oacs), 0, knows_admin);
        g_test_message("ONCS");
        check_capabilities(drive, oncs, ARRAY_SIZE(oncs),
                           le16_to_cpu(id.oncs),
                           NVME_ONCS_FEATURES | NVME_ONCS_TIMESTAMP, knows_io);
        g_test_message("LPA");
        check_capabilities(drive, lpa, ARRAY_SIZE(lpa), id.lpa,
                           NVME_LPA_NS_SMART | NVME_LPA_EXTENDED, has_log);
        check_other_capabilities(drive);
        g_assert_true(knows_admin(drive, NVME_ADM_CMD_NS_ATTACHMENT));
        g_assert_cmpuint(knows_admin(drive, NVME_ADM_CMD_DBBUF_CONFIG), ==, on);
        /* no keep alive, no sanitize */
        g_assert_cmphex(le16_to_cpu(id.kas), ==, 0);
        g_assert_cmphex(le32_to_cpu(id.sanicap), ==, 0);
        g_assert_false(knows_admin(drive, 0x18) || knows_admin(drive, 0x84));
        femu_assert_works(drive, 0);
        femu_shutdown(drive);
    }
}

/*
 * Plain round robin (CAP.AMS is 0): queues whose commands wait for the drive
 * are served in turn, one command each.
 */
static void test_round_robin(void)
{
    FemuConfig config = femu_small_config();
    uint64_t page_ns;
    FemuDrive *drive;
    FemuCq cq[3];
    FemuSq sq[3];
    FemuCqe cqe;

    config.ssd.cmd_slots = 1;
    drive = femu_boot(&config, NULL);
    page_ns = femu_page_write_ns(drive);
    for (unsigned i = 0; i < 3; i++) {
        femu_cq_create(drive, &cq[i], 2 + i, 16, -1);
        femu_sq_create(drive, &sq[i], 2 + i, 16, &cq[i]);
    }
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 4; j++) {
            NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE,
                                      femu_zone_lba(drive, i) +
                                      j * femu_page_nlb(drive),
                                      femu_page_nlb(drive), drive->buf);

            femu_place(&sq[i], &cmd);
        }
        femu_ring(&sq[i]);
    }
    for (unsigned turn = 0; turn < 12; turn++) {
        femu_step_to(drive->host, (turn + 1) * page_ns);
        for (unsigned i = 0; i < 3; i++) {
            g_assert_cmpuint(femu_reap(&cq[i], &cqe), ==, i == turn % 3);
        }
    }
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/advertised/" name, test)
    ADD("registers", test_registers);
    ADD("identify", test_identify);
    ADD("logs", test_logs);
    ADD("features", test_features);
    ADD("feature-selects", test_feature_selects);
    ADD("features-apart", test_features_apart);
    ADD("opcodes", test_opcodes);
    ADD("capabilities", test_capabilities);
    ADD("round-robin", test_round_robin);
#undef ADD
    return g_test_run();
}
