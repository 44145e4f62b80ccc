/*
 * Fuzz target "femu-zns" for QEMU's fuzzer: bytes become a drive and a guest
 * that is bad at using it. The guest brings the controller up, then places
 * commands, writes registers, doorbells, the MSI-X table and memory, lets time
 * pass and makes zones and blocks fail. It writes configuration space, the
 * drive's and that of the port above it: resets, power states, a slot without
 * power; and has the drive do so, as all of it has a place in memory (ECAM). In
 * the end the drive is unplugged as it is. Each input has a drive of its own
 * and a port that has been reset, so that a failure repeats.
 *
 * What must hold: QEMU lives, and the sanitizers are silent. Knows nothing of
 * what the answers should be. Inputs are described in tests/fuzz/README.md.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/rcu.h"
#include "qapi/error.h"
#include "qemu/main-loop.h"
#include "block/nvme.h"
#include "hw/pci/pci.h"
#include "hw/pci/pci_bridge.h"
#include "tests/qtest/libqtest.h"
#include "tests/qtest/libqos/pci-pc.h"
#include "fuzz.h"
#include "hw/femu/params.h"

/* The port is device 3 of bus 0, the drive device 0 of bus 1, its secondary. */
#define PORT_DEVFN PCI_DEVFN(3, 0)
#define DRIVE_DEVFN (1 << 8)
#define ECAM UINT64_C(0xb0000000)
#define MCH_PCIEXBAR 0x60
#define MSIX_TABLE 0x2000u
#define MSIX_VECTORS 4
#define ZONE_LBA 0x100                  /* a zone of 1 MiB, blocks of 4 KiB */
#define PAGE 0x1000u
#define DOORBELLS 0x1000u
#define MAX_STEPS 400
#define MAX_CLOCK_STEPS 32              /* of one step of the input */

/* Where the guest has what: admin pair and two I/O pairs, then its data. */
#define QUEUES 3
#define ENTRIES 8u
#define SQ_ADDR(q) (0x100000u + (q) * 2 * PAGE)
#define CQ_ADDR(q) (SQ_ADDR(q) + PAGE)
#define LIST_ADDR 0x110000u             /* PRP lists, SGL segments */
#define SHADOW_ADDR 0x112000u           /* what doorbells may move to */
#define DATA_ADDR 0x200000u
#define DATA_PAGES 16u

/* The input; once it is used up, zeroes follow. */
typedef struct Input {
    const uint8_t *at;
    const uint8_t *end;
} Input;

typedef struct Guest {
    Input in;
    QTestState *qts;
    QPCIBus *bus;
    QPCIDevice *port;
    PCIDevice *drive;                   /* ours, even when it is unplugged */
    QPCIDevice *pci;
    QPCIBar bar;
    uint8_t port_express;               /* capabilities */
    uint8_t express;
    uint8_t power;
    uint8_t msix;
    uint16_t sq_tail[QUEUES];
    uint16_t cq_head[QUEUES];
    bool cq_phase[QUEUES];
    uint16_t next_cid;
} Guest;

static PCIDevice *root_port;

static uint8_t take(Input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static uint64_t take_bytes(Input *in, unsigned count)
{
    uint64_t value = 0;

    while (count--) {
        value = value << 8 | take(in);
    }
    return value;
}

/* Mostly a small number, else any. */
static uint32_t take_word(Input *in)
{
    uint8_t how = take(in);

    return how < 0xd0 ? how : how < 0xe0 ? 0u - (how & 15)
                            : (uint32_t)take_bytes(in, 4);
}

/* --- The drive ------------------------------------------------------------ */

/* What every drive is, and what makes the kinds of drives different. */
#define DRIVE "zones=8,zone-size=1M,zone-capacity=768K,max-open=2,"     \
    "max-active=3,pages-per-block=4,mdts=32K,serial=fuzz"

static const char *const drives[] = {
    "",
    "lba-size=512,mdts=8K",
    "zd-extension-size=64",
    "cmd-slots=2,max-queue-pairs=2,mgmt-parallel-zones=3",
    "read-ns=0,program-ns=0,erase-ns=0,page-transfer-ns=0",
    "max-open=0,max-active=0,planes=2,zone-planes=1,time-dilation=3",
    "namespaces=2,dbbuf=on,zone-capacity=1M,zones=4",
    "zrwa-size=32K,max-zrwa=2,zd-extension-size=64,excursion-ns=9000000",
    "dbbuf=on,lba-size=512,program-registers=1,reads-first=4",
    "mapping=lazy,spare-superblocks=2,erase-at=background,finish-stall-ns=9",
    "conventional-size=2M,namespaces=2,zones=4",
    "write-buffer=96K,zone-buffer=48K,program-registers=2,fe-read-ns=9,"
        "fe-write-ns=99,fe-after=500,link-in-ns=9999,reset-drains=on",
};

static void set_properties(Object *drive, const char *text)
{
    g_auto(GStrv) pairs = g_strsplit(text, ",", -1);

    for (char **pair = pairs; *pair && **pair; pair++) {
        char *value = strchr(*pair, '=');

        *value++ = 0;
        object_property_parse(drive, *pair, value, &error_fatal);
    }
}

/* Any parameter gets a value that is small enough for memory, if not right. */
static void set_parameter(Input *in, Object *drive)
{
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);
    const SsdParamInfo *row = &table[take(in) % count];
    uint8_t how = take(in);
    g_autofree char *value = NULL;
    g_auto(GStrv) words = g_strsplit(row->unit, ", ", -1);
    bool thousands = how >= 0x80 && g_str_equal(row->unit, "ns");

    switch (row->type) {
    case SSD_PARAM_TYPE_BOOL:
        value = g_strdup(how % 2 ? "on" : "off");
        break;
    case SSD_PARAM_TYPE_ENUM:
        value = g_strdup(words[how % g_strv_length(words)]);
        break;
    case SSD_PARAM_TYPE_SIZE:
        value = g_strdup_printf("%u", how < 16 ? 512u << how % 12 : how * 512);
        break;
    default:
        value = g_strdup_printf("%u", thousands ? how * 1000 : how);
    }
    object_property_parse(drive, row->name, value, NULL);
}

/*
 * The port as after power-on, but for power in its empty slot; bus numbers and
 * window as a firmware sets them, and configuration space in memory.
 */
static void port_setup(Guest *g)
{
    QPCIDevice *mch = qpci_device_find(g->bus, 0);

    device_cold_reset(DEVICE(root_port));
    qpci_config_writel(mch, MCH_PCIEXBAR, ECAM | 1);
    qpci_config_writel(mch, MCH_PCIEXBAR + 4, 0);
    qpci_config_writew(g->port, g->port_express + PCI_EXP_SLTCTL,
                       PCI_EXP_SLTCTL_PIC | PCI_EXP_SLTCTL_AIC);
    qpci_config_writel(g->port, PCI_PRIMARY_BUS, 0x00010100);
    qpci_config_writel(g->port, PCI_MEMORY_BASE, 0xeff0e000);
    qpci_device_enable(g->port);
    g_free(mch);
}

/*
 * A new drive, mapped. A transaction spares QEMU to compute address maps.
 * Return: is there such a drive?
 */
static bool drive_plug(Guest *g)
{
    PCIDevice *drive = pci_new(0, "femu-zns");
    uint8_t how = take(&g->in);
    unsigned parameters = how >> 6;

    set_properties(OBJECT(drive), DRIVE);
    set_properties(OBJECT(drive), drives[how % ARRAY_SIZE(drives)]);
    for (unsigned i = 0; i < parameters; i++) {
        set_parameter(&g->in, OBJECT(drive));
    }
    memory_region_transaction_begin();
    port_setup(g);
    object_ref(OBJECT(drive));
    if (!pci_realize_and_unref(drive,
                               pci_bridge_get_sec_bus(PCI_BRIDGE(root_port)),
                               parameters ? NULL : &error_fatal)) {
        object_unref(OBJECT(drive));
        memory_region_transaction_commit();
        return false;
    }
    g->drive = drive;
    g->pci = qpci_device_find(g->bus, DRIVE_DEVFN);
    g_assert(g->pci);
    g->bar = qpci_iomap(g->pci, 0, NULL);
    g->express = qpci_find_capability(g->pci, PCI_CAP_ID_EXP, 0);
    g->power = qpci_find_capability(g->pci, PCI_CAP_ID_PM, 0);
    g->msix = qpci_find_capability(g->pci, PCI_CAP_ID_MSIX, 0);
    qpci_device_enable(g->pci);
    memory_region_transaction_commit();
    return true;
}

/* Unplug it, unless that has been done. */
static void drive_unplug(Guest *g)
{
    g_free(g->pci);
    memory_region_transaction_begin();
    if (DEVICE(g->drive)->realized) {
        qdev_unrealize(DEVICE(g->drive));
        object_unparent(OBJECT(g->drive));
    }
    memory_region_transaction_commit();
    object_unref(OBJECT(g->drive));
    g->drive = NULL;
}

/* --- The guest's tools ---------------------------------------------------- */

static void set_reg(Guest *g, uint32_t offset, uint32_t value)
{
    qpci_io_writel(g->pci, g->bar, offset, value);
}

static void ring_sq(Guest *g, unsigned q)
{
    set_reg(g, DOORBELLS + 8 * q, g->sq_tail[q]);
}

/* (The fuzzer's qtest_memset() leaks.) */
static void clear(Guest *g, uint64_t addr, unsigned pages)
{
    static const uint8_t zeroes[PAGE];

    for (unsigned i = 0; i < pages; i++) {
        qtest_memwrite(g->qts, addr + i * PAGE, zeroes, PAGE);
    }
}

static void place(Guest *g, unsigned q, const NvmeCmd *cmd)
{
    qtest_memwrite(g->qts, SQ_ADDR(q) + g->sq_tail[q] * sizeof(*cmd), cmd,
                   sizeof(*cmd));
    g->sq_tail[q] = (g->sq_tail[q] + 1) % ENTRIES;
}

/* Take all completions that are there, then tell the drive. */
static void reap(Guest *g, unsigned q)
{
    NvmeCqe cqe;

    for (unsigned i = 0; i < ENTRIES; i++) {
        qtest_memread(g->qts, CQ_ADDR(q) + g->cq_head[q] * sizeof(cqe), &cqe,
                      sizeof(cqe));
        if ((le16_to_cpu(cqe.status) & 1) != g->cq_phase[q]) {
            break;
        }
        g->cq_head[q] = (g->cq_head[q] + 1) % ENTRIES;
        g->cq_phase[q] ^= g->cq_head[q] == 0;
    }
    set_reg(g, DOORBELLS + 8 * q + 4, g->cq_head[q]);
}

/* On vector 0, the only one while MSI-X is off. */
static void create_pair(Guest *g, unsigned q)
{
    NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_CREATE_CQ,
        .dptr.prp1 = cpu_to_le64(CQ_ADDR(q)),
        .cdw10 = cpu_to_le32((ENTRIES - 1) << 16 | q),
        .cdw11 = cpu_to_le32(NVME_CQ_IEN | NVME_CQ_PC),
    };

    place(g, 0, &cmd);
    cmd.opcode = NVME_ADM_CMD_CREATE_SQ;
    cmd.dptr.prp1 = cpu_to_le64(SQ_ADDR(q));
    cmd.cdw11 = cpu_to_le32(q << 16 | NVME_SQ_PC);
    place(g, 0, &cmd);
    ring_sq(g, 0);
    reap(g, 0);
}

static void enable(Guest *g)
{
    set_reg(g, NVME_REG_CC, 0);
    for (unsigned q = 0; q < QUEUES; q++) {
        clear(g, SQ_ADDR(q), 2);
        g->sq_tail[q] = 0;
        g->cq_head[q] = 0;
        g->cq_phase[q] = true;
    }
    set_reg(g, NVME_REG_AQA, (ENTRIES - 1) << 16 | (ENTRIES - 1));
    set_reg(g, NVME_REG_ASQ, SQ_ADDR(0));
    set_reg(g, NVME_REG_ASQ + 4, 0);
    set_reg(g, NVME_REG_ACQ, CQ_ADDR(0));
    set_reg(g, NVME_REG_ACQ + 4, 0);
    set_reg(g, NVME_REG_CC, 0x00460061);
    for (unsigned q = 1; q < QUEUES; q++) {
        create_pair(g, q);
    }
}

/* Memory as the guest expects it: a PRP list of its data, data of nothing. */
static void memory_init(Guest *g)
{
    uint64_t list[PAGE / sizeof(uint64_t)];

    for (unsigned i = 0; i < ARRAY_SIZE(list); i++) {
        list[i] = cpu_to_le64(DATA_ADDR + i % DATA_PAGES * PAGE);
    }
    qtest_memwrite(g->qts, LIST_ADDR, list, sizeof(list));
    clear(g, LIST_ADDR + PAGE, 1);
    clear(g, SHADOW_ADDR, 2);
    clear(g, DATA_ADDR, DATA_PAGES);
}

/* --- What the input chooses ----------------------------------------------- */

/* Mostly near a zone's start, where its write pointer is, or at its end. */
static uint64_t take_lba(Input *in)
{
    uint8_t how = take(in);
    uint64_t lba = how % 9 * ZONE_LBA;

    switch (how >> 6) {
    case 0:
        return lba;
    case 1:
        return lba + take(in);
    case 2:
        return lba - take(in) % 16;
    default:
        return how == 0xff ? take_bytes(in, 8) : lba * (take(in) % 16);
    }
}

/*
 * A place in configuration space: what resets a function, what takes its power,
 * its start, or any; of the drive or of the port.
 */
static uint64_t take_config_addr(Guest *g, bool port, unsigned what)
{
    uint64_t page = ECAM + ((port ? PORT_DEVFN : DRIVE_DEVFN) << 12);

    switch (what) {
    case 0:
        return page + (port ? PCI_INTERRUPT_LINE
                            : g->express + PCI_EXP_DEVCTL);
    case 1:
        return page + (port ? g->port_express + PCI_EXP_SLTCTL
                            : g->power + PCI_PM_CTRL);
    case 2:
        return page;
    default:
        return page + (take_bytes(&g->in, 2) & 0xffc);
    }
}

/*
 * Mostly the guest's own memory; also MSI, the drive's BAR, configuration
 * space, nowhere.
 */
static uint64_t take_addr(Guest *g)
{
    uint8_t how = take(&g->in);

    switch (how >> 4) {
    case 0 ... 9:
        return DATA_ADDR + how * PAGE;
    case 10:
        return DATA_ADDR + take_bytes(&g->in, 2);
    case 11:
        return LIST_ADDR + take_bytes(&g->in, 2) % (4 * PAGE);
    case 12:
        return g->bar.addr + take_bytes(&g->in, 2);
    case 13:
        return SQ_ADDR(how % QUEUES) + take(&g->in) % 2 * PAGE;
    case 14:
        return how & 8 ? take_config_addr(g, how & 4, how & 3)
                       : 0xfee00000 + take_bytes(&g->in, 2);
    default:
        return take_bytes(&g->in, 8);
    }
}

static void take_data_pointer(Guest *g, NvmeCmd *cmd)
{
    uint8_t how = take(&g->in);

    cmd->flags = how % 8 == 7 ? take(&g->in) : 0;
    switch (how >> 5) {
    case 0 ... 3:
        cmd->dptr.prp1 = cpu_to_le64(DATA_ADDR + how % 8 * PAGE);
        cmd->dptr.prp2 = cpu_to_le64(LIST_ADDR);
        return;
    case 4:
        cmd->dptr.prp1 = cpu_to_le64(SHADOW_ADDR);
        cmd->dptr.prp2 = cpu_to_le64(SHADOW_ADDR + PAGE);
        return;
    case 5:
    case 6:
        cmd->flags |= NVME_PSDT_SGL_MPTR_CONTIGUOUS << 6;
        cmd->dptr.sgl.addr = cpu_to_le64(take_addr(g));
        cmd->dptr.sgl.len = cpu_to_le32(take_word(&g->in) * 64);
        cmd->dptr.sgl.type = take(&g->in);
        return;
    default:
        cmd->dptr.prp1 = cpu_to_le64(take_addr(g));
        cmd->dptr.prp2 = cpu_to_le64(take_addr(g));
    }
}

static uint32_t take_nsid(Input *in)
{
    static const uint32_t nsids[] = {
        1, 1, 1, 2, 1, 0, 3, NVME_NSID_BROADCAST,
    };
    uint8_t how = take(in);

    return how < 0xf0 ? nsids[how % ARRAY_SIZE(nsids)]
                      : (uint32_t)take_bytes(in, 4);
}

static uint8_t take_opcode(Input *in, bool admin)
{
    static const uint8_t admin_opcodes[] = {
        NVME_ADM_CMD_GET_LOG_PAGE, NVME_ADM_CMD_IDENTIFY,
        NVME_ADM_CMD_SET_FEATURES, NVME_ADM_CMD_GET_FEATURES,
        NVME_ADM_CMD_ASYNC_EV_REQ, NVME_ADM_CMD_ABORT,
        NVME_ADM_CMD_DELETE_SQ, NVME_ADM_CMD_CREATE_SQ,
        NVME_ADM_CMD_DELETE_CQ, NVME_ADM_CMD_CREATE_CQ,
        NVME_ADM_CMD_FORMAT_NVM, NVME_ADM_CMD_NS_ATTACHMENT,
        NVME_ADM_CMD_DBBUF_CONFIG,
    };
    static const uint8_t io_opcodes[] = {
        NVME_CMD_WRITE, NVME_CMD_READ, NVME_CMD_ZONE_APPEND,
        NVME_CMD_ZONE_MGMT_SEND, NVME_CMD_ZONE_MGMT_RECV, NVME_CMD_FLUSH,
        NVME_CMD_WRITE_ZEROES, NVME_CMD_VERIFY, NVME_CMD_COMPARE,
        NVME_CMD_COPY, NVME_CMD_DSM,
    };
    uint8_t how = take(in);

    if (how >= 0xf0) {
        return take(in);
    }
    return admin ? admin_opcodes[how % ARRAY_SIZE(admin_opcodes)]
                 : io_opcodes[how % ARRAY_SIZE(io_opcodes)];
}

/* --- Steps ---------------------------------------------------------------- */

/* One command; it waits in its queue for the next one if bit 7 is set. */
static void step_command(Guest *g, uint8_t what)
{
    unsigned q = what % QUEUES;
    uint8_t given = take(&g->in);       /* of dwords 12 to 15; dword 10 */
    NvmeCmd cmd = {
        .opcode = take_opcode(&g->in, q == 0),
        .nsid = cpu_to_le32(take_nsid(&g->in)),
        .cid = cpu_to_le16(g->next_cid++),
    };
    uint64_t lba = given & 0x10 ? take_word(&g->in) |
                                  (uint64_t)take_word(&g->in) << 32
                                : take_lba(&g->in);

    take_data_pointer(g, &cmd);
    cmd.cdw10 = cpu_to_le32(lba);
    cmd.cdw11 = cpu_to_le32(lba >> 32);
    cmd.cdw12 = cpu_to_le32(given & 1 ? take_word(&g->in) : 0);
    cmd.cdw13 = cpu_to_le32(given & 2 ? take_word(&g->in) : 0);
    cmd.cdw14 = cpu_to_le32(given & 4 ? take_word(&g->in) : 0);
    cmd.cdw15 = cpu_to_le32(given & 8 ? take_word(&g->in) : 0);
    if (given & 0x20) {
        cmd.cdw12 |= cpu_to_le32(take(&g->in) << 24);
    }
    if (given & 0x40) {
        cmd.cdw13 |= cpu_to_le32(take(&g->in) << 8);
    }
    place(g, q, &cmd);
    if (!(given & 0x80)) {
        ring_sq(g, q);
        reap(g, q);
    }
}

/* Source ranges, ranges to deallocate, SGL descriptors, numbers, bytes. */
static void step_memory(Guest *g)
{
    union {
        uint8_t bytes[32];
        uint64_t u64[4];
        NvmeCopySourceRangeFormat0_2 copy;
        NvmeDsmRange dsm[2];
        NvmeSglDescriptor sgl[2];
    } data = { 0 };
    uint8_t how = take(&g->in);
    uint64_t addr = how & 0x80 ? take_addr(g)
                               : DATA_ADDR + (how >> 3) * sizeof(data);

    switch (how % 5) {
    case 0:
        data.copy.slba = cpu_to_le64(take_lba(&g->in));
        data.copy.nlb = cpu_to_le16(take_word(&g->in));
        break;
    case 1:
        data.dsm[0].slba = cpu_to_le64(take_lba(&g->in));
        data.dsm[0].nlb = cpu_to_le32(take_word(&g->in));
        break;
    case 2:
        for (unsigned i = 0; i < ARRAY_SIZE(data.sgl); i++) {
            data.sgl[i].addr = cpu_to_le64(take_addr(g));
            data.sgl[i].len = cpu_to_le32(take_word(&g->in) * 64);
            data.sgl[i].type = take(&g->in);
        }
        addr = LIST_ADDR + PAGE + (how >> 3) * sizeof(data);
        break;
    case 3:
        data.u64[0] = cpu_to_le64(take_word(&g->in) |
                                  (uint64_t)take_word(&g->in) << 32);
        addr = SHADOW_ADDR + (how >> 3) * 4;
        break;
    default:
        for (unsigned i = take(&g->in) % sizeof(data.bytes); i > 0; i--) {
            data.bytes[i] = take(&g->in);
        }
    }
    qtest_memwrite(g->qts, addr, &data, how % 5 == 3 ? 4 : sizeof(data));
}

static void step_register(Guest *g)
{
    static const uint8_t regs[] = {
        NVME_REG_CC, NVME_REG_AQA, NVME_REG_ASQ, NVME_REG_ACQ,
        NVME_REG_INTMS, NVME_REG_INTMC, NVME_REG_NSSR, NVME_REG_CSTS,
    };
    uint8_t how = take(&g->in);
    uint32_t offset;

    switch (how >> 6) {
    case 0:
        offset = DOORBELLS + how % 10 * 4;
        break;
    case 1:
        offset = regs[how % ARRAY_SIZE(regs)];
        break;
    case 2:
        offset = DOORBELLS + (take_bytes(&g->in, 2) & 0xffc);
        break;
    default:
        offset = take_bytes(&g->in, 2) & 0x3ffc;
    }
    if (how & 0x20) {
        qpci_io_writeq(g->pci, g->bar, offset & ~7u, take_bytes(&g->in, 8));
    } else {
        set_reg(g, offset, take_word(&g->in));
    }
    qpci_io_readl(g->pci, g->bar, offset);
}

/* A word of the drive's, or two of the port's or the drive's. */
static void step_config(Guest *g)
{
    uint8_t offset = take(&g->in);
    QPCIDevice *pci = offset % 4 == 2 ? g->port : g->pci;

    if (offset % 2) {
        qpci_config_writew(pci, offset & ~1, take_bytes(&g->in, 2));
    } else {
        qpci_config_writel(pci, offset & ~3, take_bytes(&g->in, 4));
    }
    qpci_config_readl(pci, offset & ~3);
}

/* MSI-X on, and a vector whose message goes anywhere. */
static void step_message(Guest *g)
{
    uint32_t entry = MSIX_TABLE +
                     take(&g->in) % MSIX_VECTORS * PCI_MSIX_ENTRY_SIZE;
    uint64_t addr = take_addr(g);

    set_reg(g, entry + PCI_MSIX_ENTRY_LOWER_ADDR, addr);
    set_reg(g, entry + PCI_MSIX_ENTRY_UPPER_ADDR, addr >> 32);
    set_reg(g, entry + PCI_MSIX_ENTRY_DATA, take_bytes(&g->in, 4));
    set_reg(g, entry + PCI_MSIX_ENTRY_VECTOR_CTRL, 0);
    qpci_config_writew(g->pci, g->msix + PCI_MSIX_FLAGS,
                       PCI_MSIX_FLAGS_ENABLE);
}

/* The guest itself resets the drive's function, or puts it to sleep. */
static void step_function(Guest *g)
{
    uint8_t how = take(&g->in);

    if (how % 4) {
        qpci_config_writew(g->pci, g->power + PCI_PM_CTRL, how % 4 - 1);
    } else {
        qpci_config_writew(g->pci, g->express + PCI_EXP_DEVCTL,
                           PCI_EXP_DEVCTL_BCR_FLR);
    }
}

/* Whatever else came: the guest is sane again, its BAR where it was. */
static void sane_again(Guest *g)
{
    qpci_config_writew(g->pci, g->power + PCI_PM_CTRL, 0);
    qpci_config_writel(g->pci, PCI_BASE_ADDRESS_0, g->bar.addr);
    qpci_config_writel(g->pci, PCI_BASE_ADDRESS_1, 0);
    qpci_device_enable(g->pci);
}

/* Return: is there a drive? */
static bool step_reset(Guest *g, uint8_t what)
{
    if (what & 8) {
        sane_again(g);
    }
    switch (what & 7) {
    case 4:
        step_message(g);
        return true;
    case 5:
        step_function(g);
        return true;
    case 6:
        drive_unplug(g);
        if (!drive_plug(g)) {
            return false;
        }
        break;
    }
    enable(g);
    return true;
}

/* A user at QEMU's monitor. Refusals are part of it. */
static void step_user(Guest *g, Object *drive)
{
    uint8_t how = take(&g->in);
    uint64_t lba = take_lba(&g->in);
    const char *ns = how & 32 ? "2:" : "";
    g_autofree char *zone = g_strdup_printf("%s%u %s", ns, how >> 6, how & 16 ?
                                            "offline" : "read-only");
    g_autofree char *blocks = g_strdup_printf("%s%" PRIu64 " %u", ns, lba,
                                              take(&g->in));

    switch (how % 5) {
    case 0:
        object_property_set_str(drive, "zone-fail", zone, NULL);
        break;
    case 1:
        object_property_set_str(drive, "inject-read-error", blocks, NULL);
        break;
    case 2:
        object_property_set_str(drive, "inject-write-error", blocks, NULL);
        break;
    case 3:
        object_property_set_bool(drive, "inject-clear", true, NULL);
        break;
    default:
        g_free(object_property_get_str(drive, "zone-states", NULL));
        g_free(object_property_get_str(drive, "stats", NULL));
        g_free(object_property_get_str(drive, "live", NULL));
    }
}

static void step_time(Guest *g, uint8_t what)
{
    if (what & 8) {
        qtest_clock_step(g->qts, 1 + take_bytes(&g->in, 3));
        return;
    }
    for (unsigned i = take(&g->in) % MAX_CLOCK_STEPS; i > 0; i--) {
        if (qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL,
                                       QEMU_TIMER_ATTR_ALL) < 0) {
            break;
        }
        qtest_clock_step_next(g->qts);
    }
    for (unsigned q = 0; q < QUEUES; q++) {
        reap(g, q);
    }
}

/* Return: is there a drive? */
static bool step(Guest *g)
{
    uint8_t what = take(&g->in);

    switch (what >> 4) {
    case 0 ... 7:
        step_command(g, what);
        break;
    case 8 ... 9:
        step_time(g, what);
        break;
    case 10 ... 11:
        step_memory(g);
        break;
    case 12:
        step_register(g);
        break;
    case 13:
        step_config(g);
        break;
    case 14:
        step_user(g, OBJECT(g->drive));
        break;
    default:
        return step_reset(g, what);
    }
    return true;
}

/* --- The target ----------------------------------------------------------- */

/*
 * The port has native hot-plug: the guest switches its slot off. Nothing but
 * the drive has a timer: see femu_machine_args() of the qtests.
 */
static GString *command_line(FuzzTarget *target)
{
    return g_string_new(TARGET_NAME " -machine q35,pit=off,accel=qtest "
                        "-display none -nodefaults -m 64 "
                        "-global apic-common.vapic=off -global "
                        "ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off "
                        "-device pcie-root-port,id=rp0,bus=pcie.0,chassis=1,"
                        "slot=1,addr=3.0");
}

static void find_port(QTestState *qts)
{
    root_port = PCI_DEVICE(object_resolve_path("/machine/peripheral/rp0",
                                               NULL));
    g_assert(root_port);
}

static void fuzz(QTestState *qts, const unsigned char *data, size_t size)
{
    Guest g = { .in = { data, data + size }, .qts = qts };

    g.bus = qpci_new_pc(qts, NULL);
    g.port = qpci_device_find(g.bus, PORT_DEVFN);
    g.port_express = qpci_find_capability(g.port, PCI_CAP_ID_EXP, 0);
    if (drive_plug(&g)) {
        memory_init(&g);
        enable(&g);
        for (unsigned i = 0; i < MAX_STEPS && g.in.at < g.in.end; i++) {
            if (!step(&g)) {
                break;
            }
        }
    }
    if (g.drive) {
        drive_unplug(&g);
    }
    g_free(g.port);
    qpci_free_pc(g.bus);
    flush_events(qts);
    /* QEMU frees drives in a thread, which needs the lock that we have. */
    drain_call_rcu();
}

static void register_targets(void)
{
    fuzz_add_target(&(FuzzTarget) {
        .name = "femu-zns",
        .description = "commands, registers and memory of the femu-zns drive",
        .get_init_cmdline = command_line,
        .pre_fuzz = find_port,
        .fuzz = fuzz,
    });
}

fuzz_target_init(register_targets);
