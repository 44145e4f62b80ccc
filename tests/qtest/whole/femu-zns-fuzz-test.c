/*
 * Random guests (peers: "guest-reachable assert"): whatever a guest writes into
 * registers, doorbells, queues and lists, QEMU lives, and after a reset the
 * drive works. Random numbers come from GLib: --seed with the seed that is
 * printed repeats a run.
 *
 * Knows nothing of what the answers should be.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"
#include "hw/pci/pci_regs.h"

#define STEPS 4000

static uint64_t below(uint64_t end)
{
    return end > INT32_MAX ? (uint64_t)g_test_rand_int() << 32 |
                             (uint32_t)g_test_rand_int()
                           : g_test_rand_int_range(0, end);
}

static uint32_t any32(void)
{
    static const uint32_t edges[] = { 0, 1, 0x7fffffff, 0x80000000, ~0u };

    return below(3) ? (uint32_t)g_test_rand_int()
                    : edges[below(ARRAY_SIZE(edges))];
}

/* Somewhere: in memory, in our own BAR, nowhere, at the end of all. */
static uint64_t any_addr(FemuDrive *drive)
{
    switch (below(8)) {
    case 0:
        return drive->bar.addr + below(drive->bar_bytes);
    case 1:
        return 0x80000000 + below(1 << 20);
    case 2:
        return UINT64_MAX - below(1 << 13);
    case 3:
        return 64 * SSD_MIB - below(1 << 14);
    default:
        return (drive->buf + below(FEMU_BUF_BYTES)) & ~below(4096);
    }
}

/* A place near the edges of zones and of the namespace. */
static uint64_t any_lba(FemuDrive *drive)
{
    uint64_t lba = femu_zone_lba(drive, below(drive->config.ssd.zones + 1));

    switch (below(4)) {
    case 0:
        return lba + below(femu_zone_nlb(&drive->config));
    case 1:
        return lba - below(20);
    case 2:
        return any32();
    default:
        return lba;
    }
}

static uint32_t namespaces(const FemuDrive *drive)
{
    return drive->config.ssd.namespaces +
           (drive->config.ssd.conventional_bytes ? 1 : 0);
}

/* A command that is mostly sensible, but for a few random words. */
static NvmeCmd any_command(FemuDrive *drive, const uint8_t *opcodes,
                           size_t count)
{
    NvmeCmd cmd = { 0 };
    uint64_t lba = any_lba(drive);
    uint32_t words[sizeof(cmd) / 4];

    cmd.opcode = below(20) ? opcodes[below(count)] : below(256);
    cmd.flags = below(10) ? 0 : below(256);
    cmd.nsid = below(10) ? 1 + below(namespaces(drive)) : any32();
    cmd.dptr.prp1 = any_addr(drive);
    cmd.dptr.prp2 = any_addr(drive) & ~(below(4) ? 4095 : 0);
    cmd.cdw10 = lba;
    cmd.cdw11 = lba >> 32;
    cmd.cdw12 = below(10) ? below(64) : any32();
    cmd.cdw13 = (below(8) ? below(6) : NVME_ZONE_ACTION_ZRWA_FLUSH) |
                below(4) << 8 | below(2) << 16;
    memcpy(words, &cmd, sizeof(cmd));
    for (unsigned i = below(4); i > 0 && below(3) == 0; i--) {
        words[below(ARRAY_SIZE(words))] = any32();
    }
    memcpy(&cmd, words, sizeof(cmd));
    return cmd;
}

static NvmeCmd any_io(FemuDrive *drive)
{
    static const uint8_t opcodes[] = {
        NVME_CMD_WRITE, NVME_CMD_READ, NVME_CMD_ZONE_APPEND, NVME_CMD_FLUSH,
        NVME_CMD_ZONE_MGMT_SEND, NVME_CMD_ZONE_MGMT_RECV,
        NVME_CMD_WRITE_ZEROES, NVME_CMD_DSM, NVME_CMD_COPY, NVME_CMD_COMPARE,
        NVME_CMD_VERIFY,
    };

    NvmeCmd cmd = any_command(drive, opcodes, ARRAY_SIZE(opcodes));

    if (cmd.opcode == NVME_CMD_DSM) {
        cmd.cdw11 = below(8);           /* attributes: 4 is Deallocate */
    }
    return cmd;
}

static NvmeCmd any_admin(FemuDrive *drive)
{
    static const uint8_t opcodes[] = {
        NVME_ADM_CMD_DELETE_SQ, NVME_ADM_CMD_CREATE_SQ,
        NVME_ADM_CMD_GET_LOG_PAGE, NVME_ADM_CMD_DELETE_CQ,
        NVME_ADM_CMD_CREATE_CQ, NVME_ADM_CMD_IDENTIFY, NVME_ADM_CMD_ABORT,
        NVME_ADM_CMD_SET_FEATURES, NVME_ADM_CMD_GET_FEATURES,
        NVME_ADM_CMD_ASYNC_EV_REQ, NVME_ADM_CMD_NS_ATTACHMENT,
        NVME_ADM_CMD_FORMAT_NVM,
    };
    NvmeCmd cmd = any_command(drive, opcodes, ARRAY_SIZE(opcodes));

    cmd.cdw10 = below(3) ? below(5) | below(20) << 16 : any32();
    cmd.cdw11 = below(3) ? below(4) | below(5) << 16 : any32();
    if (cmd.opcode == NVME_ADM_CMD_NS_ATTACHMENT && below(4)) {
        qtest_writel(drive->host->qts, drive->buf, 1);  /* controller 0 */
        cmd.dptr.prp1 = drive->buf;
    }
    return cmd;
}

static void drain(FemuDrive *drive)
{
    FemuCqe cqe;

    for (unsigned i = 0; i < 2 * FEMU_ENTRIES; i++) {
        if (!femu_reap(&drive->io_cq, &cqe) &&
            !femu_reap(&drive->admin_cq, &cqe)) {
            return;
        }
    }
}

static void restart(FemuDrive *drive)
{
    FemuHost *host = drive->host;

    femu_disable(drive);
    /* what queues and buffers took would fill the guest in the end */
    alloc_destroy(&host->alloc);
    alloc_init(&host->alloc, ALLOC_NO_FLAGS, SSD_MIB, 48 * SSD_MIB,
               FEMU_PAGE_BYTES);
    drive->buf = femu_alloc(host, FEMU_BUF_BYTES);
    femu_enable(drive);
    femu_io_queues_create(drive);
}

static void any_register_write(FemuDrive *drive)
{
    uint32_t offset = below(4) ? FEMU_DOORBELLS + 4 * below(20)
                               : below(drive->bar_bytes - 8);

    switch (below(4)) {
    case 0:
        qpci_io_writeb(drive->pci, drive->bar, offset, any32());
        return;
    case 1:
        qpci_io_writeq(drive->pci, drive->bar, offset & ~7u,
                       (uint64_t)any32() << 32 | any32());
        return;
    default:
        femu_set_reg(drive, offset & ~3u, below(2) ? below(70) : any32());
    }
}

static void any_step(FemuDrive *drive)
{
    NvmeCmd cmd;

    switch (below(16)) {
    case 0:
        any_register_write(drive);
        return;
    case 1:
        cmd = any_admin(drive);
        femu_submit(&drive->admin, &cmd);
        return;
    case 2:
        femu_step(drive->host, below(2000000));
        return;
    case 3:
        drain(drive);
        return;
    case 4:
        qtest_writeq(drive->host->qts,
                     drive->buf + 8 * below(FEMU_BUF_BYTES / 8),
                     any_addr(drive));
        return;
    default:
        cmd = any_io(drive);
        femu_submit(&drive->io, &cmd);
    }
}

/* A list of the one controller, in the drive's buffer. */
static void attach_all(FemuDrive *drive)
{
    qtest_memset(drive->host->qts, drive->buf, 0, 4096);
    qtest_writew(drive->host->qts, drive->buf, 1);
    for (uint32_t nsid = 1; nsid <= namespaces(drive); nsid++) {
        uint16_t status = femu_admin(drive, NVME_ADM_CMD_NS_ATTACHMENT, nsid,
                                     NVME_NS_ATTACHMENT_ATTACH, 0,
                                     drive->buf).status;

        g_assert_true(status == NVME_SUCCESS ||
                      status == NVME_NS_ALREADY_ATTACHED);
    }
}

/*
 * Attach and format all namespaces, when formats under way have ended; then
 * all zones are empty, and a page's write takes a page's time.
 */
static void assert_alive(FemuDrive *drive)
{
    const SsdParams *ssd = &drive->config.ssd;

    restart(drive);
    femu_step(drive->host, UINT64_C(60000000000));
    attach_all(drive);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_FORMAT_NVM,
                               NVME_NSID_BROADCAST, ssd->lba_bytes == 4096, 0,
                               0).status, ==, NVME_SUCCESS);
    for (drive->nsid = ssd->namespaces; drive->nsid >= 1; drive->nsid--) {
        for (uint32_t i = 0; i < ssd->zones / ssd->namespaces; i++) {
            femu_assert_zone(drive, i, NVME_ZONE_STATE_EMPTY, 0);
        }
    }
    drive->nsid = FEMU_NSID;
    femu_step(drive->host, UINT64_C(60000000000));
    femu_assert_works(drive, 0);
}

static void fuzz(FemuDrive *drive)
{
    for (unsigned i = 0; i < STEPS; i++) {
        if (i % 100 == 0) {
            restart(drive);
        }
        any_step(drive);
    }
    assert_alive(drive);
    femu_shutdown(drive);
}

static void test_fuzz(void)
{
    FemuConfig config = femu_small_config();

    fuzz(femu_boot(&config, NULL));
}

static void test_fuzz_namespaces(void)
{
    FemuConfig config = femu_small_config();

    config.ssd.namespaces = 2;
    config.ssd.conventional_bytes = SSD_MIB;
    config.ssd.cmd_slots = 20;
    fuzz(femu_boot(&config, NULL));
}

/* Few slots, so that commands wait; odd geometry; small blocks. */
static void test_fuzz_odd(void)
{
    FemuConfig config = femu_small_config();

    config.ssd.cmd_slots = 3;
    config.ssd.lba_bytes = 512;
    config.ssd.ways = 2;
    config.ssd.zone_channels = 2;
    config.ssd.zone_capacity_bytes = 47 * config.ssd.page_bytes;
    config.ssd.mdts_bytes = 64 * SSD_KIB;
    config.ssd.zrwa_bytes = 3 * config.ssd.page_bytes;
    config.ssd.max_zrwa = 2;
    config.ssd.finish_recommended_ns = 10000000;
    config.ssd.excursion_ns = 30000000;
    config.ssd.reset_recommended_ns = 10000000;
    config.time_dilation = 3;
    fuzz(femu_boot(&config, "max-queue-pairs=3"));
}

/* Random words in configuration space, then the BAR is put back. */
static void test_fuzz_config_space(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);

    for (unsigned i = 0; i < STEPS / 4; i++) {
        NvmeCmd cmd = any_io(drive);

        qpci_config_writel(drive->pci, 4 * below(64), any32());
        femu_submit(&drive->io, &cmd);
        femu_step(drive->host, below(10000));
        qpci_config_writel(drive->pci, PCI_BASE_ADDRESS_0, drive->bar.addr);
        qpci_config_writel(drive->pci, PCI_BASE_ADDRESS_1, 0);
        qpci_config_writew(drive->pci, PCI_COMMAND,
                           PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
    }
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/peers/guest-reachable-assert/small", test_fuzz);
    qtest_add_func("femu-zns/peers/guest-reachable-assert/namespaces",
                   test_fuzz_namespaces);
    qtest_add_func("femu-zns/peers/guest-reachable-assert/odd",
                   test_fuzz_odd);
    qtest_add_func("femu-zns/peers/guest-reachable-assert/config-space",
                   test_fuzz_config_space);
    return g_test_run();
}
