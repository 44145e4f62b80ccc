/*
 * A guest that aims what the drive writes, data, completions and interrupt
 * messages, at configuration space: the drive's, or that of the port above it.
 * So the drive is reset or unplugged by its own command. QEMU lives, nothing
 * more of that entry is seen, and afterwards the drive works.
 *
 * Knows nothing of zones, or of time beyond one page's write.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "femu-zns-commands.h"
#include "hw/pci/pci_regs.h"
#include "qobject/qdict.h"

#define ROUNDS 3u
#define HELD 0x600du                    /* a message */
#define GOES_MS 20000u                  /* a drive that is unplugged is gone */

/* The port is device 3 of bus 0, the drive device 0 of bus 1, its secondary. */
#define PORT_SLOT 3u
#define DRIVE_SLOT (1u << 8 >> 3)
#define ECAM UINT64_C(0xb0000000)
#define ECAM_OF(slot) (ECAM + ((uint64_t)(slot) << 15))
#define MCH_PCIEXBAR 0x60

#define SLOT_ON (PCI_EXP_SLTCTL_PIC | PCI_EXP_SLTCTL_AIC)
#define SLOT_OFF (SLOT_ON | PCI_EXP_SLTCTL_PCC)

#define MACHINE "-global ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off " \
    "-device pcie-root-port,id=rp0,bus=pcie.0,chassis=1,slot=1,addr=3.0 "

typedef struct Scene {
    FemuDrive *drive;
    QPCIDevice *port;
    uint64_t bar_addr;
    uint64_t other;             /* a page that nothing must be written to */
} Scene;

/* A word of configuration space that ends the drive's life, or pauses it. */
typedef struct Aim {
    uint64_t addr;
    uint32_t word;
} Aim;

static FemuConfig small_blocks(void)
{
    FemuConfig config = femu_small_config();

    config.ssd.lba_bytes = 512;
    return config;
}

/* Bus numbers and the window of the port as a firmware sets them. */
static void port_setup(Scene *s)
{
    qpci_config_writew(s->port, PCI_BRIDGE_CONTROL, 0);
    qpci_config_writel(s->port, PCI_PRIMARY_BUS, 0x00010100);
    qpci_config_writel(s->port, PCI_MEMORY_BASE, 0xeff0e000);
    qpci_device_enable(s->port);
}

static void drive_start(FemuDrive *drive)
{
    g_assert_cmphex(femu_reg(drive, NVME_REG_CC), ==, 0);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, 0);
    femu_enable(drive);
    femu_io_queues_create(drive);
}

static void drive_find(Scene *s, FemuHost *host)
{
    FemuConfig config = small_blocks();

    s->drive = femu_drive_open(host, DRIVE_SLOT, &config);
    s->bar_addr = s->drive->bar.addr;
    drive_start(s->drive);
}

static Scene scene_start(const char *extra)
{
    FemuConfig config = small_blocks();
    g_autofree char *all = g_strconcat("bus=rp0", extra, NULL);
    g_autofree char *device = femu_device_args(&config, 0, all);
    g_autofree char *args = g_strconcat(MACHINE, device, NULL);
    FemuHost *host = femu_host_start(args);
    QPCIDevice *mch = qpci_device_find(host->bus, 0);
    Scene s = { .port = qpci_device_find(host->bus, QPCI_DEVFN(PORT_SLOT, 0)) };

    qpci_config_writel(mch, MCH_PCIEXBAR, ECAM | 1);
    qpci_config_writel(mch, MCH_PCIEXBAR + 4, 0);
    g_free(mch);
    port_setup(&s);
    drive_find(&s, host);
    s.other = femu_alloc(host, FEMU_PAGE_BYTES);
    return s;
}

static void scene_end(Scene *s)
{
    g_free(s->port);
    femu_shutdown(s->drive);
}

/* --- What is aimed at ------------------------------------------------------ */

static uint64_t express_cap(QPCIDevice *pci)
{
    uint8_t cap = qpci_find_capability(pci, PCI_CAP_ID_EXP, 0);

    g_assert_cmphex(cap, !=, 0);
    return cap;
}

static Aim aim_flr(Scene *s)
{
    return (Aim) {
        ECAM_OF(DRIVE_SLOT) + express_cap(s->drive->pci) + PCI_EXP_DEVCTL,
        PCI_EXP_DEVCTL_BCR_FLR,
    };
}

static Aim aim_bus_reset(Scene *s)
{
    return (Aim) {
        ECAM_OF(PORT_SLOT) + PCI_INTERRUPT_LINE,
        PCI_BRIDGE_CTL_BUS_RESET << 16,
    };
}

static Aim aim_unplug(Scene *s)
{
    return (Aim) {
        ECAM_OF(PORT_SLOT) + express_cap(s->port) + PCI_EXP_SLTCTL, SLOT_OFF,
    };
}

static Aim aim_bus_master_off(Scene *s)
{
    return (Aim) { ECAM_OF(DRIVE_SLOT) + PCI_COMMAND, PCI_COMMAND_MEMORY };
}

static Aim aim_sleep(Scene *s)
{
    uint8_t cap = qpci_find_capability(s->drive->pci, PCI_CAP_ID_PM, 0);

    return (Aim) { ECAM_OF(DRIVE_SLOT) + cap + PCI_PM_CTRL, 3 };
}

/* --- What writes there ----------------------------------------------------- */

/* A block whose first word is the aim's, and no other byte of it is zero. */
static void block_write(Scene *s, const Aim *aim, uint32_t zone_idx)
{
    uint8_t block[512];

    memset(block, 0x5a, sizeof(block));
    stl_le_p(block, aim->word);
    g_assert_cmphex(femu_write(s->drive, femu_zone_lba(s->drive, zone_idx), 1,
                               block), ==, NVME_SUCCESS);
}

/* Read it back: the first word to the aim, the others to s->other. */
static void send_data(Scene *s, const Aim *aim, uint32_t zone_idx)
{
    NvmeSglDescriptor piece[2] = {
        { .addr = cpu_to_le64(aim->addr), .len = cpu_to_le32(4) },
        { .addr = cpu_to_le64(s->other), .len = cpu_to_le32(508) },
    };
    uint64_t list = femu_alloc(s->drive->host, sizeof(piece));
    NvmeCmd cmd = femu_cmd_rw(s->drive, NVME_CMD_READ,
                              femu_zone_lba(s->drive, zone_idx), 1, 0);

    block_write(s, aim, zone_idx);
    qtest_memset(s->drive->host->qts, s->other, 0, FEMU_PAGE_BYTES);
    qtest_memwrite(s->drive->host->qts, list, piece, sizeof(piece));
    cmd.flags = NVME_PSDT_SGL_MPTR_CONTIGUOUS << 6;
    cmd.dptr.sgl = (NvmeSglDescriptor) {
        .addr = cpu_to_le64(list), .len = cpu_to_le32(sizeof(piece)),
        .type = NVME_SGL_DESCR_TYPE_LAST_SEGMENT << 4,
    };
    femu_submit(&s->drive->io, &cmd);
}

/*
 * A message by the doorbell's own entry: that of the request which an Abort
 * completes before itself, so the Abort is still being executed. The command
 * behind it, which would write s->other, is never fetched.
 */
static void send_message(Scene *s, const Aim *aim, uint32_t zone_idx)
{
    NvmeCmd cmd = { .opcode = NVME_ADM_CMD_ASYNC_EV_REQ };
    uint32_t cid;

    femu_msix_enable(s->drive);
    femu_msix_vector(s->drive, 0, aim->addr, aim->word);
    cid = femu_place(&s->drive->admin, &cmd);
    cmd = (NvmeCmd) {
        .opcode = NVME_ADM_CMD_ABORT,
        .cdw10 = cpu_to_le32(cid << 16),
    };
    femu_place(&s->drive->admin, &cmd);
    cmd = (NvmeCmd) {
        .opcode = NVME_ADM_CMD_IDENTIFY,
        .cdw10 = cpu_to_le32(NVME_ID_CNS_CTRL),
        .dptr.prp1 = cpu_to_le64(s->other),
    };
    femu_place(&s->drive->admin, &cmd);
    femu_ring(&s->drive->admin);
}

/* The same by the timer, when a write is done; vector 0 tells nobody. */
static void send_late_message(Scene *s, const Aim *aim, uint32_t zone_idx)
{
    FemuDrive *drive = s->drive;
    FemuCq cq;
    FemuSq sq;
    NvmeCmd write = femu_cmd_rw(drive, NVME_CMD_WRITE,
                                femu_zone_lba(drive, zone_idx),
                                femu_page_nlb(drive), drive->buf);
    uint16_t cid;

    femu_msix_enable(drive);
    femu_msix_vector(drive, 0, s->other + 2048, 0);
    femu_msix_vector(drive, 1, aim->addr, aim->word);
    femu_cq_create(drive, &cq, 2, FEMU_ENTRIES, 1);
    femu_sq_create(drive, &sq, 2, FEMU_ENTRIES, &cq);
    cid = femu_submit(&sq, &write);
    femu_step(drive->host, femu_page_write_ns(drive));
    g_assert_cmpuint(cq.head, ==, 0);
    g_assert_cmphex(qtest_readw(drive->host->qts, cq.addr + 12), ==, cid);
}

/*
 * Completions in the port's own configuration space: the upper half of the
 * last word of the fourth, a status with a bit for bus reset, is its Bridge
 * Control. Four writes across the border of two zones have that status.
 */
static void send_completions(Scene *s, const Aim *aim, uint32_t zone_idx)
{
    FemuDrive *drive = s->drive;
    NvmeCmd bad = femu_cmd_rw(drive, NVME_CMD_WRITE,
                              femu_zone_lba(drive, zone_idx + 1) - 1, 2,
                              drive->buf);
    FemuCq cq;
    FemuSq sq;

    QEMU_BUILD_BUG_ON(!(NVME_ZONE_BOUNDARY_ERROR << 1 &
                        PCI_BRIDGE_CTL_BUS_RESET));
    g_assert_cmphex(femu_cq_create_at(drive, &cq, 2, FEMU_ENTRIES,
                                      ECAM_OF(PORT_SLOT), -1), ==,
                    NVME_SUCCESS);
    femu_sq_create(drive, &sq, 2, FEMU_ENTRIES, &cq);
    for (unsigned i = 0; i < 6; i++) {
        femu_place(&sq, &bad);
    }
    femu_ring(&sq);
}

/* --- What follows ---------------------------------------------------------- */

static void assert_untouched(Scene *s)
{
    uint8_t page[FEMU_PAGE_BYTES];

    qtest_memread(s->drive->host->qts, s->other, page, sizeof(page));
    for (unsigned i = 0; i < 2048; i++) {
        g_assert_cmphex(page[i], ==, 0);
    }
}

static void assert_no_completion(const FemuCq *cq)
{
    FemuCqe cqe;

    g_assert_false(femu_peek(cq, &cqe));
}

/* The drive has been reset: map it again, start it, write and read a page. */
static void after_reset(Scene *s, uint32_t zone_idx)
{
    FemuDrive *drive = s->drive;
    uint32_t nlb = femu_page_nlb(drive);
    uint64_t lba = femu_zone_lba(drive, zone_idx);
    g_autofree uint8_t *data = femu_pattern(drive, lba, nlb, zone_idx);

    assert_untouched(s);
    assert_no_completion(&drive->io_cq);
    port_setup(s);
    g_assert_cmphex(qpci_config_readl(drive->pci, PCI_BASE_ADDRESS_0) & ~15u,
                    ==, 0);
    g_assert_cmphex(qpci_config_readw(drive->pci, PCI_COMMAND), ==, 0);
    qpci_config_writel(drive->pci, PCI_BASE_ADDRESS_0, s->bar_addr);
    qpci_device_enable(drive->pci);
    drive_start(drive);
    g_assert_cmphex(femu_write(drive, lba, nlb, data), ==, NVME_SUCCESS);
    femu_assert_data(drive, lba, nlb, data);
}

/* The slot is empty: power it, plug a drive, which works. */
static void after_unplug(Scene *s, uint32_t zone_idx)
{
    FemuHost *host = s->drive->host;
    uint8_t slot = express_cap(s->port) + PCI_EXP_SLTCTL;

    assert_untouched(s);
    g_assert_cmphex(qpci_config_readl(s->drive->pci, 0), ==, 0xffffffff);
    g_assert_cmphex(qpci_config_readw(s->port, slot + 2) & PCI_EXP_SLTSTA_PDS,
                    ==, 0);
    femu_drive_close(s->drive);
    qpci_config_writew(s->port, slot, SLOT_ON);
    qtest_qmp_assert_success(host->qts, "{'execute': 'device_add',"
        "'arguments': {'driver': 'femu-zns', 'id': 'zns0', 'bus': 'rp0',"
        "'serial': 'again', 'lba-size': 512, 'zones': 8,"
        "'zone-size': 1048576, 'zone-capacity': 786432, 'max-open': 3,"
        "'max-active': 4, 'pages-per-block': 4}}");
    drive_find(s, host);
    femu_assert_works(s->drive, zone_idx);
}

typedef struct Case {
    Aim (*aim)(Scene *s);
    void (*send)(Scene *s, const Aim *aim, uint32_t zone_idx);
    void (*after)(Scene *s, uint32_t zone_idx);
} Case;

/* Two zones for each round: one for the command, one for what follows. */
static void test_case(const void *data)
{
    const Case *test = data;
    Scene s = scene_start("");

    for (unsigned round = 0; round < ROUNDS; round++) {
        Aim aim = test->aim(&s);

        test->send(&s, &aim, 2 * round);
        test->after(&s, 2 * round + 1);
        g_assert_cmphex(femu_zone_send(s.drive, NVME_ZONE_ACTION_RESET, 0,
                                       true), ==, NVME_SUCCESS);
    }
    scene_end(&s);
}

static const Case data_flr = { aim_flr, send_data, after_reset };
static const Case data_bus = { aim_bus_reset, send_data, after_reset };
static const Case data_unplug = { aim_unplug, send_data, after_unplug };
static const Case message_flr = { aim_flr, send_message, after_reset };
static const Case message_bus = { aim_bus_reset, send_message, after_reset };
static const Case message_unplug = { aim_unplug, send_message, after_unplug };
static const Case late_flr = { aim_flr, send_late_message, after_reset };
static const Case late_bus = { aim_bus_reset, send_late_message, after_reset };
static const Case late_unplug = {
    aim_unplug, send_late_message, after_unplug,
};
static const Case completion_bus = {
    aim_bus_reset, send_completions, after_reset,
};

/*
 * A reset inside an entry leaves nobody behind who holds the drive: when it is
 * unplugged, it goes, and its trace ends.
 */
static void test_goes(void)
{
    g_autofree char *trace = NULL;
    int fd = g_file_open_tmp("femu-zns-entry-XXXXXX", &trace, NULL);
    g_autofree char *extra = g_strdup_printf(",trace=%s", trace);
    Scene s = scene_start(extra);
    FemuHost *host = s.drive->host;
    Aim aim = aim_flr(&s);
    bool is_over = false;

    close(fd);
    send_data(&s, &aim, 0);
    after_reset(&s, 1);
    qpci_config_writew(s.port, express_cap(s.port) + PCI_EXP_SLTCTL, SLOT_OFF);
    for (unsigned ms = 0; !is_over; ms++) {     /* QEMU frees it later (RCU) */
        g_autofree char *text = NULL;

        g_assert_true(g_file_get_contents(trace, &text, NULL, NULL));
        is_over = strstr(text, "\nE,");
        g_assert_cmpuint(ms, <, GOES_MS);
        g_usleep(1000);
    }
    g_free(s.port);
    femu_drive_close(s.drive);
    femu_host_stop(host);
    g_unlink(trace);
}

/*
 * A read that takes from its own drive what it needs to go on fails, for want
 * of the other half of its data; its completion comes when the host gives that
 * back by writing `back` to `offset` of configuration space.
 */
static void check_pause(Aim (*aim_at)(Scene *s), uint32_t back)
{
    Scene s = scene_start("");
    FemuDrive *drive = s.drive;
    Aim aim = aim_at(&s);

    send_data(&s, &aim, 0);
    femu_step(drive->host, 1000000);
    assert_untouched(&s);
    assert_no_completion(&drive->io_cq);
    qpci_config_writew(drive->pci, aim.addr & 0xff, back);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    g_assert_cmphex(femu_expect_now(&drive->io_cq).status, ==,
                    NVME_DATA_TRAS_ERROR);
    femu_assert_works(drive, 1);
    scene_end(&s);
}

static void test_bus_master_off(void)
{
    check_pause(aim_bus_master_off, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
}

static void test_sleep(void)
{
    check_pause(aim_sleep, 0);
}

/*
 * A completion into the drive's own configuration space, whose second word,
 * zero, goes to the Command register: its interrupt comes when the host gives
 * the bus back.
 */
static void test_completion_bus_master_off(void)
{
    Scene s = scene_start("");
    FemuDrive *drive = s.drive;
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive),
                              drive->buf);
    FemuCq cq;
    FemuSq sq;

    femu_msix_enable(drive);
    femu_msix_vector(drive, 1, s.other, 0x600d);
    g_assert_cmphex(femu_cq_create_at(drive, &cq, 2, FEMU_ENTRIES,
                                      ECAM_OF(DRIVE_SLOT), 1), ==,
                    NVME_SUCCESS);
    femu_sq_create(drive, &sq, 2, FEMU_ENTRIES, &cq);
    femu_submit(&sq, &cmd);
    femu_step(drive->host, femu_page_write_ns(drive));
    g_assert_cmphex(qpci_config_readw(drive->pci, PCI_COMMAND), ==, 0);
    g_assert_cmphex(qtest_readl(drive->host->qts, s.other), ==, 0);
    qpci_device_enable(drive->pci);
    g_assert_cmphex(qtest_readl(drive->host->qts, s.other), ==, 0x600d);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    femu_assert_works(drive, 1);
    scene_end(&s);
}

/*
 * Two interrupts are held, and one command sends both: what the first message,
 * that of vector 1, does to the drive, the second, to s->other, is not told of.
 */
static void send_held_messages(Scene *s, const Aim *aim, uint32_t zone_idx)
{
    FemuDrive *drive = s->drive;
    NvmeCmd flush = femu_cmd_flush();
    FemuCq cq[2];
    FemuSq sq[2];
    FemuCqe cqe;

    femu_msix_enable(drive);
    femu_msix_vector(drive, 0, s->other + 2048, 0);
    femu_msix_vector(drive, 1, aim->addr, aim->word);
    femu_msix_vector(drive, 2, s->other, HELD);
    g_assert_cmphex(femu_set_feature(drive, NVME_INTERRUPT_COALESCING,
                                     0xff07), ==, NVME_SUCCESS);
    for (unsigned i = 0; i < 2; i++) {
        femu_cq_create(drive, &cq[i], 2 + i, FEMU_ENTRIES, 1 + i);
        femu_sq_create(drive, &sq[i], 2 + i, FEMU_ENTRIES, &cq[i]);
        femu_submit(&sq[i], &flush);
        g_assert_true(femu_peek(&cq[i], &cqe));
    }
    femu_submit(&drive->admin, &(NvmeCmd) {
        .opcode = NVME_ADM_CMD_SET_FEATURES,
        .cdw10 = cpu_to_le32(NVME_INTERRUPT_COALESCING),
    });
}

static const Case held_flr = { aim_flr, send_held_messages, after_reset };
static const Case held_bus = { aim_bus_reset, send_held_messages, after_reset };
static const Case held_unplug = {
    aim_unplug, send_held_messages, after_unplug,
};

/*
 * The same by MSI, whose messages are the aim's word and the vector's number:
 * vectors 1 and 2 are masked, and unmasked at once.
 */
static void send_masked_messages(Scene *s, const Aim *aim, uint32_t zone_idx)
{
    FemuDrive *drive = s->drive;
    uint8_t cap = qpci_find_capability(drive->pci, PCI_CAP_ID_MSI, 0);
    NvmeCmd flush = femu_cmd_flush();
    FemuCq cq[2];
    FemuSq sq[2];
    FemuCqe cqe;

    qpci_config_writel(drive->pci, cap + PCI_MSI_ADDRESS_LO, aim->addr);
    qpci_config_writel(drive->pci, cap + PCI_MSI_ADDRESS_HI, aim->addr >> 32);
    qpci_config_writew(drive->pci, cap + PCI_MSI_DATA_64, aim->word);
    qpci_config_writew(drive->pci, cap + PCI_MSI_FLAGS,
                       PCI_MSI_FLAGS_ENABLE | 2 << 4);
    femu_set_reg(drive, NVME_REG_INTMS, 7);
    for (unsigned i = 0; i < 2; i++) {
        femu_cq_create(drive, &cq[i], 2 + i, FEMU_ENTRIES, 1 + i);
        femu_sq_create(drive, &sq[i], 2 + i, FEMU_ENTRIES, &cq[i]);
        femu_submit(&sq[i], &flush);
        g_assert_true(femu_peek(&cq[i], &cqe));
    }
    femu_set_reg(drive, NVME_REG_INTMC, 6);
}

static const Case masked_unplug = {
    aim_unplug, send_masked_messages, after_unplug,
};

/* The first message takes the bus: the second comes when it is given back. */
static void test_held_bus_master_off(void)
{
    Scene s = scene_start("");
    FemuDrive *drive = s.drive;
    Aim aim = aim_bus_master_off(&s);

    send_held_messages(&s, &aim, 0);
    assert_untouched(&s);
    femu_step(drive->host, 100000000);          /* as long as they were held */
    assert_untouched(&s);
    qpci_device_enable(drive->pci);
    g_assert_cmphex(qtest_readl(drive->host->qts, s.other), ==, HELD);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    scene_end(&s);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) \
    qtest_add_data_func("femu-zns/entry/" name, &test, test_case)
    ADD("data/flr", data_flr);
    ADD("data/bus-reset", data_bus);
    ADD("data/unplug", data_unplug);
    ADD("message/flr", message_flr);
    ADD("message/bus-reset", message_bus);
    ADD("message/unplug", message_unplug);
    ADD("late-message/flr", late_flr);
    ADD("late-message/bus-reset", late_bus);
    ADD("late-message/unplug", late_unplug);
    ADD("completion/bus-reset", completion_bus);
    ADD("held-messages/flr", held_flr);
    ADD("held-messages/bus-reset", held_bus);
    ADD("held-messages/unplug", held_unplug);
    ADD("masked-messages/unplug", masked_unplug);
#undef ADD
    qtest_add_func("femu-zns/entry/data/goes", test_goes);
    qtest_add_func("femu-zns/entry/data/bus-master-off", test_bus_master_off);
    qtest_add_func("femu-zns/entry/data/sleep", test_sleep);
    qtest_add_func("femu-zns/entry/completion/bus-master-off",
                   test_completion_bus_master_off);
    qtest_add_func("femu-zns/entry/held-messages/bus-master-off",
                   test_held_bus_master_off);
    return g_test_run();
}
