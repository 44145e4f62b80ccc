/*
 * The controller's life: PCI identity, registers, doorbells that it ignores,
 * enable, reset with commands inside, shutdown.
 *
 * Knows nothing of zones, or of time beyond one page's write.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "femu-zns-commands.h"
#include "hw/pci/pci_ids.h"
#include "hw/pci/pci_regs.h"

#define CC_READY 0x00460061u    /* 16 and 64 byte entries, all sets, enable */
#define CC_SHN_NORMAL (1u << 14)
#define CC_SHN_ABRUPT (2u << 14)

static FemuDrive *boot(void)
{
    FemuConfig config = femu_small_config();

    return femu_boot(&config, NULL);
}

/* A drive that is mapped, not enabled. */
static FemuDrive *boot_disabled(const char *extra)
{
    FemuConfig config = femu_small_config();

    return femu_boot_disabled(&config, extra);
}

/* Registers */

static void test_pci(void)
{
    FemuDrive *drive = boot_disabled(NULL);

    g_assert_cmphex(qpci_config_readl(drive->pci, PCI_REVISION_ID) >> 8, ==,
                    PCI_CLASS_STORAGE_EXPRESS << 8 | 0x02);
    g_assert_cmphex(qpci_find_capability(drive->pci, PCI_CAP_ID_MSIX, 0), !=,
                    0);
    g_assert_cmphex(qpci_find_capability(drive->pci, PCI_CAP_ID_MSI, 0), !=,
                    0);
    g_assert_cmphex(qpci_find_capability(drive->pci, PCI_CAP_ID_PM, 0), !=,
                    0);
    g_assert_cmphex(qpci_find_capability(drive->pci, PCI_CAP_ID_EXP, 0), !=,
                    0);
    /* one vector for each of 64 I/O queues and the admin queue */
    g_assert_cmpuint(qpci_msix_table_size(drive->pci), ==, 65);
    femu_shutdown(drive);
}

static void test_registers(void)
{
    FemuDrive *drive = boot_disabled(NULL);
    uint64_t cap = femu_reg64(drive, NVME_REG_CAP);

    g_assert_cmpuint(NVME_CAP_MQES(cap), >=, 1023);
    g_assert_cmpuint(NVME_CAP_DSTRD(cap), ==, 0);
    g_assert_cmphex(NVME_CAP_CSS(cap), ==,
                    NVME_CAP_CSS_NCSS | NVME_CAP_CSS_IOCSS);
    g_assert_cmpuint(NVME_CAP_MPSMIN(cap), ==, 0);
    g_assert_cmpuint(NVME_CAP_TO(cap), !=, 0);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CAP), ==, (uint32_t)cap);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CAP + 4), ==, cap >> 32);
    g_assert_cmphex(femu_reg(drive, NVME_REG_VS), >=, 0x00020000);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CC), ==, 0);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, 0);
    /* 64-bit registers by halves */
    femu_set_reg(drive, NVME_REG_ASQ + 4, 0x12);
    femu_set_reg(drive, NVME_REG_ASQ, 0x34567000);
    g_assert_cmphex(femu_reg64(drive, NVME_REG_ASQ), ==,
                    UINT64_C(0x1234567000));
    qpci_io_writeq(drive->pci, drive->bar, NVME_REG_ACQ,
                   UINT64_C(0xab89abc000));
    g_assert_cmphex(femu_reg64(drive, NVME_REG_ACQ), ==,
                    UINT64_C(0xab89abc000));
    femu_shutdown(drive);
}

/* Each 32 bits are written alone, whatever the others are. */
static void test_registers_alone(void)
{
    static const uint32_t offset[] = {
        NVME_REG_AQA, NVME_REG_ASQ, NVME_REG_ASQ + 4, NVME_REG_ACQ,
        NVME_REG_ACQ + 4,
    };
    FemuDrive *drive = boot_disabled(NULL);
    uint32_t value[ARRAY_SIZE(offset)] = { 0 };

    for (unsigned round = 1; round < 3; round++) {
        for (unsigned i = 0; i < ARRAY_SIZE(offset); i++) {
            value[i] = round << 16 | (i + 1) << 4;
            femu_set_reg(drive, offset[i], value[i]);
            for (unsigned j = 0; j < ARRAY_SIZE(offset); j++) {
                g_assert_cmphex(femu_reg(drive, offset[j]), ==, value[j]);
            }
        }
    }
    femu_shutdown(drive);
}

/* What cannot be written, or is not there, does nothing. */
static void test_registers_read_only(void)
{
    FemuDrive *drive = boot_disabled(NULL);
    uint64_t cap = femu_reg64(drive, NVME_REG_CAP);

    qpci_io_writeq(drive->pci, drive->bar, NVME_REG_CAP, ~cap);
    femu_set_reg(drive, NVME_REG_VS, 0);
    femu_set_reg(drive, NVME_REG_CSTS, 1);
    g_assert_cmphex(femu_reg64(drive, NVME_REG_CAP), ==, cap);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, 0);
    for (uint32_t offset = 0; offset < drive->bar_bytes; offset += 256) {
        qpci_io_writeb(drive->pci, drive->bar, offset + 0xf1, 0xff);
        qpci_io_writew(drive->pci, drive->bar, offset + 0xf2, 0xffff);
        qpci_io_writel(drive->pci, drive->bar, offset + 0xf6, 0xffffffff);
        qpci_io_readb(drive->pci, drive->bar, offset + 0xf1);
        qpci_io_readl(drive->pci, drive->bar, offset + 0xf6);
    }
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

/* Doorbells before the controller is ready are ignored. */
static void test_doorbells_not_ready(void)
{
    FemuDrive *drive = boot_disabled(NULL);

    for (uint32_t i = 0; i < 0x1000; i += 4) {
        femu_set_reg(drive, FEMU_DOORBELLS + i, 1);
    }
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, 0);
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

/* QEMU's log says which writes did nothing, and why. */
static void test_writes_logged(void)
{
    FemuConfig config = femu_small_config();
    g_autofree char *device = femu_device_args(&config, FEMU_SLOT, NULL);
    g_autofree char *path = NULL;
    g_autofree char *args = NULL;
    g_autofree char *log = NULL;
    FemuDrive *drive;
    int fd = g_file_open_tmp("femu-zns-XXXXXX", &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    args = g_strdup_printf("-d guest_errors -D %s %s", path, device);
    drive = femu_drive_open(femu_host_start(args), FEMU_SLOT, &config);
    femu_set_reg(drive, FEMU_DOORBELLS + 8, 1);
    femu_enable(drive);
    qpci_io_writeq(drive->pci, drive->bar, FEMU_DOORBELLS + 8, 1);
    femu_set_reg(drive, FEMU_DOORBELLS + 8 * 40, 7);
    femu_set_reg(drive, FEMU_DOORBELLS + 4, 9);
    femu_set_reg(drive, NVME_REG_AQA, 0);
    femu_set_reg(drive, NVME_REG_VS, 0x1234);
    femu_disable(drive);
    femu_set_reg(drive, NVME_REG_AQA, 0);
    femu_set_reg(drive, NVME_REG_CC, CC_READY);
    femu_shutdown(drive);
    g_assert_true(g_file_get_contents(path, &log, NULL, NULL));
    g_assert_cmpstr(log, ==,
                    "femu-zns: doorbell 0x1008 written while not ready\n"
                    "femu-zns: doorbell 0x1008 written with 8 bytes\n"
                    "femu-zns: invalid submission tail doorbell of queue 40: "
                    "value 7\n"
                    "femu-zns: invalid completion head doorbell of queue 0: "
                    "value 9\n"
                    "femu-zns: write to register 0x24 while CC.EN is set\n"
                    "femu-zns: write of 0x1234 to read-only register 0x8\n"
                    "femu-zns: fatal: AQA gives a queue of one entry\n");
    g_unlink(path);
}

/* Values that a doorbell cannot have: the queue goes on as if nothing came. */
static void test_doorbells_invalid(void)
{
    FemuDrive *drive = boot();
    FemuCqe cqe;

    for (uint32_t i = 4; i < 0x400; i++) {
        femu_set_reg(drive, FEMU_DOORBELLS + 4 * i, 1);
    }
    femu_set_reg(drive, FEMU_DOORBELLS + 8, FEMU_ENTRIES);
    femu_set_reg(drive, FEMU_DOORBELLS + 8, 0xffffffff);
    femu_set_reg(drive, FEMU_DOORBELLS + 12, FEMU_ENTRIES);
    femu_set_reg(drive, FEMU_DOORBELLS + 12, 1);    /* nothing was posted */
    g_assert_false(femu_peek(&drive->io_cq, &cqe));
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

/* CC values that cannot work: fatal status, not ready; a reset clears it. */
static void test_enable_refused(void)
{
    static const uint32_t ccs[] = {
        CC_READY | 1 << 4,          /* CSS 7: admin commands only */
        CC_READY & ~(4u << 4) ,     /* CSS 2: reserved */
        CC_READY | 5 << 7,          /* MPS above MPSMAX */
        CC_READY | 15 << 7,
        CC_READY | 1 << 11,         /* AMS: weighted round robin */
    };
    static const struct {
        uint32_t aqa, asq, acq;
    } queues[] = {
        { 0x003f0000, 0x200000, 0x300000 }, /* of one entry */
        { 0x0000003f, 0x200000, 0x300000 },
        { 0x003f003f, 0x200800, 0x300000 }, /* not aligned */
        { 0x003f003f, 0x200000, 0x300800 },
        { 0x003f003f, 0x200001, 0x300000 },
        { 0x003f003f, 0x200000, 0x300001 },
    };
    FemuDrive *drive = boot_disabled(NULL);

    femu_set_reg(drive, NVME_REG_AQA, 0x003f003f);
    femu_set_reg(drive, NVME_REG_ASQ, 0x200000);
    femu_set_reg(drive, NVME_REG_ACQ, 0x300000);
    for (unsigned i = 0; i < ARRAY_SIZE(ccs); i++) {
        femu_set_reg(drive, NVME_REG_CC, ccs[i]);
        g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==,
                        NVME_CSTS_FAILED);
        femu_set_reg(drive, NVME_REG_CC, ccs[i] & ~1u);
        g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, 0);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(queues); i++) {
        femu_set_reg(drive, NVME_REG_AQA, queues[i].aqa);
        femu_set_reg(drive, NVME_REG_ASQ, queues[i].asq);
        femu_set_reg(drive, NVME_REG_ACQ, queues[i].acq);
        femu_set_reg(drive, NVME_REG_CC, CC_READY);
        g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==,
                        NVME_CSTS_FAILED);
        femu_set_reg(drive, NVME_REG_CC, 0);
    }
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

/* After a fatal error nothing is told any more, and the effects stay. */
static void test_fatal_in_flight(void)
{
    FemuDrive *drive = boot();
    uint32_t page_nlb = femu_page_nlb(drive);
    FemuCqe cqe;
    FemuSq sq;

    g_assert_cmphex(femu_sq_create_at(drive, &sq, 2, FEMU_ENTRIES, 0x80000000,
                                      &drive->io_cq), ==, NVME_SUCCESS);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, page_nlb);
    femu_set_reg(drive, FEMU_DOORBELLS + 2 * 2 * 4, 1); /* tail of queue 2 */
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==,
                    NVME_CSTS_READY | NVME_CSTS_FAILED);
    femu_step(drive->host, 2 * femu_page_write_ns(drive));
    g_assert_false(femu_peek(&drive->io_cq, &cqe));
    femu_disable(drive);
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, page_nlb);
    femu_shutdown(drive);
}

/* An admin queue that is not in memory is fatal at its first use. */
static void test_admin_queue_nowhere(void)
{
    FemuDrive *drive = boot_disabled(NULL);
    NvmeSmartLog log;

    femu_set_reg(drive, NVME_REG_AQA, 0x003f003f);
    femu_set_reg(drive, NVME_REG_ASQ, 0x80000000);
    femu_set_reg(drive, NVME_REG_ACQ, 0x90000000);
    femu_set_reg(drive, NVME_REG_CC, CC_READY);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    femu_set_reg(drive, FEMU_DOORBELLS, 1);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==,
                    NVME_CSTS_READY | NVME_CSTS_FAILED);
    femu_disable(drive);
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_assert_works(drive, 0);
    /* nothing was executed in place of what could not be read */
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_SMART_INFO, 0, 0, &log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    g_assert_cmpuint(log.number_of_error_log_entries[0], ==, 0);
    femu_shutdown(drive);
}

/* Reset and shutdown */

/*
 * CC.EN = 0 with commands inside: their effects stay, their completions never
 * come, and the media goes on working (a page's write then ends at its time).
 */
static void check_reset(void (*reset)(FemuDrive *drive))
{
    FemuDrive *drive = boot();
    uint64_t start_ns = drive->host->now_ns;
    uint32_t page_nlb = femu_page_nlb(drive);
    FemuSq old_io;
    FemuCqe cqe;

    femu_submit_rw(drive, NVME_CMD_WRITE, 0, page_nlb);
    femu_submit_rw(drive, NVME_CMD_WRITE, page_nlb, page_nlb);
    femu_step(drive->host, 1000);
    femu_set_reg(drive, NVME_REG_INTMS, 2);
    g_assert_cmphex(femu_reg(drive, NVME_REG_INTMS), ==, 2);
    old_io = drive->io;
    reset(drive);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, 0);
    g_assert_cmphex(femu_reg(drive, NVME_REG_INTMS), ==, 0);
    femu_ring(&old_io);
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_step_to(drive->host, start_ns + 2 * femu_page_write_ns(drive));
    g_assert_false(femu_peek(&drive->io_cq, &cqe));
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, 2 * page_nlb);
    femu_assert_works(drive, 1);
    femu_shutdown(drive);
}

static void test_reset_in_flight(void)
{
    check_reset(femu_disable);
}

/*
 * A PCI reset takes the drive out of the address space; put it back. It knows no
 * queues any more (NVMe base 2.0, 3.7.2).
 */
static void remap(FemuDrive *drive)
{
    static const unsigned cleared[] = {
        NVME_REG_CC, NVME_REG_AQA, NVME_REG_ASQ, NVME_REG_ASQ + 4,
        NVME_REG_ACQ, NVME_REG_ACQ + 4,
    };

    qpci_config_writel(drive->pci, PCI_BASE_ADDRESS_0, drive->bar.addr);
    qpci_config_writel(drive->pci, PCI_BASE_ADDRESS_1, 0);
    qpci_device_enable(drive->pci);
    for (unsigned i = 0; i < ARRAY_SIZE(cleared); i++) {
        g_assert_cmphex(femu_reg(drive, cleared[i]), ==, 0);
    }
}

static void flr(FemuDrive *drive)
{
    uint8_t exp = qpci_find_capability(drive->pci, PCI_CAP_ID_EXP, 0);

    g_assert_cmphex(qpci_config_readl(drive->pci, exp + PCI_EXP_DEVCAP) &
                    PCI_EXP_DEVCAP_FLR, !=, 0);
    qpci_config_writew(drive->pci, exp + PCI_EXP_DEVCTL,
                       PCI_EXP_DEVCTL_BCR_FLR);
    remap(drive);
}

static void system_reset(FemuDrive *drive)
{
    qtest_system_reset(drive->host->qts);
    remap(drive);
}

static void test_system_reset_in_flight(void)
{
    check_reset(system_reset);
}

static void test_flr_in_flight(void)
{
    check_reset(flr);
}

/* 1000 reads inside, some due, some not, when the controller is reset. */
static void test_reset_1000_in_flight(void)
{
    FemuDrive *drive = boot();
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_READ, 0, 1, drive->buf);
    QDict *stats;
    FemuCq cq;
    FemuSq sq;

    femu_fill(drive, 0, femu_page_nlb(drive));
    femu_cq_create(drive, &cq, 2, 1024, -1);
    femu_sq_create(drive, &sq, 2, 1024, &cq);
    for (unsigned i = 0; i < 1000; i++) {
        femu_place(&sq, &cmd);
    }
    femu_ring(&sq);
    femu_step(drive->host, 500 * drive->config.ssd.read_ns);
    femu_disable(drive);
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_step(drive->host, 1000 * drive->config.ssd.read_ns);
    femu_assert_works(drive, 1);
    stats = femu_stats(drive);
    g_assert_cmpuint(femu_stat(stats, "flash/senses"), ==, 1000);
    qobject_unref(stats);
    femu_shutdown(drive);
}

/*
 * Writes to CC that do not change EN do not reset; nor do they change what must
 * not change while that is set, as the memory page's size. Nor can the admin
 * queue's registers be written.
 */
static void test_cc_rewritten(void)
{
    FemuDrive *drive = boot();
    uint16_t cid = femu_submit_rw(drive, NVME_CMD_WRITE, 0,
                                  femu_page_nlb(drive));
    uint32_t cc = femu_reg(drive, NVME_REG_CC);

    femu_set_reg(drive, NVME_REG_CC, cc);
    femu_set_reg(drive, NVME_REG_CC, cc | 1u << CC_MPS_SHIFT);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CC), ==, cc);
    for (uint32_t at = NVME_REG_AQA; at <= NVME_REG_ACQ + 4; at += 4) {
        uint32_t value = femu_reg(drive, at);

        femu_set_reg(drive, at, value ^ 0x1000);
        g_assert_cmphex(femu_reg(drive, at), ==, value);
    }
    femu_expect_ok(&drive->io_cq, femu_page_write_ns(drive), 1, cid);
    femu_shutdown(drive);
}

/* Peers: "queue memory used after free on reset". */
static void test_reset_again_and_again(void)
{
    FemuDrive *drive = boot();

    for (unsigned i = 0; i < 20; i++) {
        femu_submit_rw(drive, NVME_CMD_WRITE,
                       femu_zone_lba(drive, 0) + i, 1);
        femu_disable(drive);
        femu_step(drive->host, 1);
        femu_enable(drive);
        femu_io_queues_create(drive);
    }
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, 20);
    femu_step(drive->host, 20 * femu_page_write_ns(drive));
    femu_assert_works(drive, 1);
    femu_shutdown(drive);
}

static void check_shutdown(uint32_t shn)
{
    FemuDrive *drive = boot();

    femu_set_reg(drive, NVME_REG_CC, CC_READY | shn);
    for (unsigned i = 0; i < 2; i++) {
        g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==,
                        NVME_CSTS_READY | NVME_CSTS_SHST_COMPLETE);
        femu_set_reg(drive, NVME_REG_CC, CC_READY | shn);
    }
    femu_set_reg(drive, NVME_REG_CC, (CC_READY & ~1u) | shn);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, 0);
    femu_disable(drive);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, 0);
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

static void test_shutdown_normal(void)
{
    check_shutdown(CC_SHN_NORMAL);
}

static void test_shutdown_abrupt(void)
{
    check_shutdown(CC_SHN_ABRUPT);
}

static void shut_down(FemuDrive *drive)
{
    femu_set_reg(drive, NVME_REG_CC, CC_READY | CC_SHN_NORMAL);
}

/* The controller ready, and how far its shutdown is. */
static void assert_shst(FemuDrive *drive, uint32_t status)
{
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==,
                    NVME_CSTS_READY | status);
}

static void start_again(FemuDrive *drive)
{
    femu_disable(drive);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, 0);
    femu_enable(drive);
    femu_io_queues_create(drive);
}

/* ZNS 1.1, 2.1.1.3: the state that each zone begins with. */
static void test_shutdown_zones(void)
{
    FemuDrive *drive = boot();

    g_assert_cmphex(femu_write(drive, femu_zone_lba(drive, 0), 1, NULL), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OPEN,
                                   femu_zone_lba(drive, 1), false),
                    ==, NVME_SUCCESS);
    shut_down(drive);
    assert_shst(drive, NVME_CSTS_SHST_COMPLETE);
    start_again(drive);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, 1);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_EMPTY, 0);
    femu_assert_works(drive, 2);
    femu_shutdown(drive);
}

/*
 * It lasts until what has been written is programmed. Meanwhile what is inside
 * completes, and nothing more is fetched; nor is it afterwards.
 */
static void test_shutdown_in_flight(void)
{
    QDict *stats;
    FemuDrive *drive = boot();
    uint64_t write_ns = femu_page_write_ns(drive);
    uint32_t page_nlb = femu_page_nlb(drive);
    FemuCqe cqe;

    femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 0), page_nlb);
    shut_down(drive);
    assert_shst(drive, NVME_CSTS_SHST_PROGRESS);
    femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 0) + page_nlb,
                   page_nlb);
    femu_step_to(drive->host, write_ns - 1);
    assert_shst(drive, NVME_CSTS_SHST_PROGRESS);
    shut_down(drive);
    femu_expect_at(&drive->io_cq, write_ns);
    assert_shst(drive, NVME_CSTS_SHST_COMPLETE);
    femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 0) + page_nlb,
                   page_nlb);
    femu_step(drive->host, 10 * write_ns);
    g_assert_false(femu_peek(&drive->io_cq, &cqe));
    start_again(drive);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, page_nlb);
    stats = femu_stats(drive);
    g_assert_cmpuint(femu_stat(stats, "ops/shutdown/count"), ==, 1);
    qobject_unref(stats);
    femu_shutdown(drive);
}

/* It begins when a slot is free. */
static void test_shutdown_no_slot(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    uint64_t at_ns;

    config.ssd.cmd_slots = 1;
    drive = femu_boot(&config, NULL);
    at_ns = drive->host->now_ns + femu_page_write_ns(drive);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
    shut_down(drive);
    femu_step_to(drive->host, at_ns - 1);
    assert_shst(drive, NVME_CSTS_SHST_PROGRESS);
    femu_expect_at(&drive->io_cq, at_ns);
    assert_shst(drive, NVME_CSTS_SHST_COMPLETE);
    femu_shutdown(drive);
}

/* It does not wait for a finish, which is not told of: the zone is full. */
static void test_shutdown_in_finish(void)
{
    FemuDrive *drive = boot();
    FemuCqe cqe;

    femu_submit_zone(drive, NVME_ZONE_ACTION_FINISH, femu_zone_lba(drive, 0),
                     false);
    shut_down(drive);
    assert_shst(drive, NVME_CSTS_SHST_COMPLETE);
    femu_step(drive->host, 1000 * femu_page_write_ns(drive));
    g_assert_false(femu_peek(&drive->io_cq, &cqe));
    start_again(drive);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_FULL, 0);
    femu_assert_works(drive, 1);
    femu_shutdown(drive);
}

/* A reset ends it; what it waited for does not end a later one. */
static void test_shutdown_reset(void)
{
    FemuDrive *drive = boot();
    uint64_t write_ns = femu_page_write_ns(drive);
    uint32_t page_nlb = femu_page_nlb(drive);

    femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 0), page_nlb);
    shut_down(drive);
    assert_shst(drive, NVME_CSTS_SHST_PROGRESS);
    start_again(drive);
    femu_step_to(drive->host, write_ns - 1);
    femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 0) + page_nlb,
                   page_nlb);
    shut_down(drive);
    femu_step(drive->host, 1);
    assert_shst(drive, NVME_CSTS_SHST_PROGRESS);
    femu_step(drive->host, write_ns);
    assert_shst(drive, NVME_CSTS_SHST_COMPLETE);
    start_again(drive);
    femu_assert_works(drive, 1);
    femu_shutdown(drive);
}

/* Enabled and shut down by one write: it is ready, and its shutdown begins. */
static void test_shutdown_enabled(void)
{
    FemuDrive *drive = boot();
    uint64_t write_ns = femu_page_write_ns(drive);

    femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 0),
                   femu_page_nlb(drive));
    femu_disable(drive);
    shut_down(drive);
    assert_shst(drive, NVME_CSTS_SHST_PROGRESS);
    femu_step(drive->host, write_ns - 1);
    assert_shst(drive, NVME_CSTS_SHST_PROGRESS);
    femu_step(drive->host, 1);
    assert_shst(drive, NVME_CSTS_SHST_COMPLETE);
    start_again(drive);
    femu_assert_works(drive, 1);
    femu_shutdown(drive);
}

/*
 * Asked for and withdrawn while the controller is disabled: it is over when that
 * is enabled, and the next one is not held up by it.
 */
static void test_shutdown_withdrawn(void)
{
    FemuDrive *drive = boot();
    uint64_t write_ns = femu_page_write_ns(drive);

    femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 0),
                   femu_page_nlb(drive));
    femu_disable(drive);
    femu_set_reg(drive, NVME_REG_CC, CC_SHN_NORMAL);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==,
                    NVME_CSTS_SHST_PROGRESS);
    femu_set_reg(drive, NVME_REG_CC, 0);
    femu_enable(drive);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    femu_io_queues_create(drive);
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_SQ, 1), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_CQ, 1), ==,
                    NVME_SUCCESS);
    femu_io_queues_create(drive);
    femu_step(drive->host, write_ns);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    femu_assert_works(drive, 1);
    femu_set_reg(drive, NVME_REG_CC, CC_READY | CC_SHN_NORMAL);
    assert_shst(drive, NVME_CSTS_SHST_COMPLETE);
    femu_shutdown(drive);
}

/* A controller that was never enabled is shut down, too. */
static void test_shutdown_disabled(void)
{
    FemuDrive *drive = boot_disabled(NULL);

    femu_set_reg(drive, NVME_REG_CC, CC_SHN_NORMAL);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==,
                    NVME_CSTS_SHST_COMPLETE);
    femu_shutdown(drive);
}

/* And it is forgotten by a reset, which finds no queue. */
static void test_shutdown_disabled_reset(void)
{
    FemuDrive *drive = boot();

    femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
    femu_disable(drive);
    femu_set_reg(drive, NVME_REG_CC, CC_SHN_NORMAL);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==,
                    NVME_CSTS_SHST_PROGRESS);
    flr(drive);
    femu_step(drive->host, femu_page_write_ns(drive));
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, 0);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/ctrl/" name, test)
    ADD("pci", test_pci);
    ADD("registers", test_registers);
    ADD("registers-alone", test_registers_alone);
    ADD("registers-read-only", test_registers_read_only);
    ADD("doorbells-not-ready", test_doorbells_not_ready);
    ADD("writes-logged", test_writes_logged);
    ADD("doorbells-invalid", test_doorbells_invalid);
    ADD("enable-refused", test_enable_refused);
    ADD("admin-queue-nowhere", test_admin_queue_nowhere);
    ADD("fatal-in-flight", test_fatal_in_flight);
    ADD("reset-in-flight", test_reset_in_flight);
    ADD("flr-in-flight", test_flr_in_flight);
    ADD("system-reset-in-flight", test_system_reset_in_flight);
    ADD("reset-1000-in-flight", test_reset_1000_in_flight);
    ADD("cc-rewritten", test_cc_rewritten);
    qtest_add_func("femu-zns/peers/queues-used-after-free",
                   test_reset_again_and_again);
    ADD("shutdown-normal", test_shutdown_normal);
    ADD("shutdown-no-slot", test_shutdown_no_slot);
    ADD("shutdown-abrupt", test_shutdown_abrupt);
    ADD("shutdown-zones", test_shutdown_zones);
    ADD("shutdown-in-flight", test_shutdown_in_flight);
    ADD("shutdown-in-finish", test_shutdown_in_finish);
    ADD("shutdown-reset", test_shutdown_reset);
    ADD("shutdown-enabled", test_shutdown_enabled);
    ADD("shutdown-withdrawn", test_shutdown_withdrawn);
    ADD("shutdown-disabled", test_shutdown_disabled);
    ADD("shutdown-disabled-reset", test_shutdown_disabled_reset);
#undef ADD
    return g_test_run();
}
