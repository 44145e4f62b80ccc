/*
 * What a host can switch off in configuration space: power (D3hot) and the bus
 * (Bus Master Enable); and a machine without message interrupts. What was inside
 * completes, unseen, and is told when the host switches on again. And what its
 * link is.
 *
 * Knows nothing of zones, or of time beyond one page's write.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"
#include "hw/pci/pci_regs.h"

#define D0 0
#define D1 1
#define D3HOT 3
#define MESSAGE 0x600d
#define LINK 0x43u                      /* 4 lanes of 8 GT/s */

typedef struct Scene {
    FemuDrive *drive;
    uint64_t message_addr;      /* where the I/O queue's vector 1 writes */
    FemuCq cq;
    FemuSq sq;
} Scene;

static uint8_t pm_ctrl(FemuDrive *drive)
{
    uint8_t cap = qpci_find_capability(drive->pci, PCI_CAP_ID_PM, 0);

    g_assert_cmphex(cap, !=, 0);
    return cap + PCI_PM_CTRL;
}

static void set_power(FemuDrive *drive, unsigned state)
{
    qpci_config_writew(drive->pci, pm_ctrl(drive), state);
}

static void assert_power(FemuDrive *drive, unsigned state)
{
    g_assert_cmphex(qpci_config_readw(drive->pci, pm_ctrl(drive)), ==,
                    PCI_PM_CTRL_NO_SOFT_RESET | state);
}

static void set_bus_master(FemuDrive *drive, bool on)
{
    qpci_config_writew(drive->pci, PCI_COMMAND, PCI_COMMAND_MEMORY |
                       (on ? PCI_COMMAND_MASTER : 0));
}

static void scene_start(Scene *s)
{
    FemuConfig config = femu_small_config();

    s->drive = femu_boot(&config, NULL);
    s->message_addr = femu_alloc(s->drive->host, FEMU_PAGE_BYTES);
    femu_msix_enable(s->drive);
    femu_msix_vector(s->drive, 1, s->message_addr, MESSAGE);
    femu_cq_create(s->drive, &s->cq, 2, FEMU_ENTRIES, 1);
    femu_sq_create(s->drive, &s->sq, 2, FEMU_ENTRIES, &s->cq);
}

static void submit_write(Scene *s, uint32_t zone_idx)
{
    NvmeCmd cmd = femu_cmd_rw(s->drive, NVME_CMD_WRITE,
                              femu_zone_lba(s->drive, zone_idx),
                              femu_page_nlb(s->drive), s->drive->buf);

    femu_submit(&s->sq, &cmd);
}

/* Nothing has come since the last look: no completion, no interrupt. */
static void assert_silent(const Scene *s)
{
    FemuCqe cqe;

    g_assert_false(femu_peek(&s->cq, &cqe));
    g_assert_cmphex(qtest_readl(s->drive->host->qts, s->message_addr), ==, 0);
}

/* One completion, and its interrupt. */
static void assert_told(Scene *s, uint16_t cid)
{
    FemuCqe cqe = femu_expect_now(&s->cq);

    g_assert_cmpuint(cqe.cid, ==, cid);
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    g_assert_cmphex(qtest_readl(s->drive->host->qts, s->message_addr), ==,
                    MESSAGE);
    qtest_writel(s->drive->host->qts, s->message_addr, 0);
}

/* What the drive can do, and what it does. */
static void test_link(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint8_t cap = qpci_find_capability(drive->pci, PCI_CAP_ID_EXP, 0);

    g_assert_cmphex(qpci_config_readl(drive->pci, cap + PCI_EXP_LNKCAP) &
                    (PCI_EXP_LNKCAP_SLS | PCI_EXP_LNKCAP_MLW), ==, LINK);
    g_assert_cmphex(qpci_config_readw(drive->pci, cap + PCI_EXP_LNKSTA) &
                    (PCI_EXP_LNKSTA_CLS | PCI_EXP_LNKSTA_NLW), ==, LINK);
    femu_shutdown(drive);
}

/* --- Power ---------------------------------------------------------------- */

/* PMC version 3; D1 does not exist; D3hot is reached, and left. */
static void test_states(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint8_t pmc = pm_ctrl(drive) - PCI_PM_CTRL + PCI_PM_PMC;

    g_assert_cmphex(qpci_config_readw(drive->pci, pmc), ==,
                    PCI_PM_CAP_VER_1_2);
    assert_power(drive, D0);
    set_power(drive, D1);
    assert_power(drive, D0);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    set_power(drive, D3HOT);
    assert_power(drive, D3HOT);
    /* no register answers; configuration space does */
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, 0);
    g_assert_cmphex(qpci_config_readl(drive->pci, PCI_BASE_ADDRESS_0) & ~15u,
                    ==, drive->bar.addr);
    set_power(drive, D1);
    assert_power(drive, D3HOT);
    set_power(drive, D0);
    assert_power(drive, D0);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

/*
 * In D3hot with a write inside: it ends in silence and is told in D0, where
 * all is as it was (No_Soft_Reset). A doorbell in D3hot rings nobody.
 */
static void test_sleep(void)
{
    Scene s;

    scene_start(&s);
    submit_write(&s, 0);
    set_power(s.drive, D3HOT);
    femu_step(s.drive->host, 10 * femu_page_write_ns(s.drive));
    assert_silent(&s);
    submit_write(&s, 1);
    set_power(s.drive, D0);
    assert_told(&s, 0);
    femu_step(s.drive->host, 10 * femu_page_write_ns(s.drive));
    assert_silent(&s);
    femu_ring(&s.sq);
    femu_step(s.drive->host, femu_page_write_ns(s.drive) - 1);
    assert_silent(&s);
    femu_step(s.drive->host, 1);
    assert_told(&s, 1);
    femu_shutdown(s.drive);
}

/* A reset ends D3hot, too. */
static void test_sleep_reset(void)
{
    Scene s;
    uint8_t cap;

    scene_start(&s);
    cap = qpci_find_capability(s.drive->pci, PCI_CAP_ID_EXP, 0);
    submit_write(&s, 0);
    set_power(s.drive, D3HOT);
    femu_step(s.drive->host, 10 * femu_page_write_ns(s.drive));
    qpci_config_writew(s.drive->pci, cap + PCI_EXP_DEVCTL,
                       PCI_EXP_DEVCTL_BCR_FLR);
    assert_power(s.drive, D0);
    qpci_config_writel(s.drive->pci, PCI_BASE_ADDRESS_0, s.drive->bar.addr);
    qpci_device_enable(s.drive->pci);
    assert_silent(&s);
    g_assert_cmphex(femu_reg(s.drive, NVME_REG_CSTS), ==, 0);
    femu_enable(s.drive);
    femu_io_queues_create(s.drive);
    femu_assert_works(s.drive, 1);
    femu_shutdown(s.drive);
}

static bool pin_high(FemuDrive *drive)
{
    return qpci_config_readw(drive->pci, PCI_STATUS) & PCI_STATUS_INTERRUPT;
}

/* The pin is low in D3hot, and as before in D0. */
static void test_sleep_pin(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive),
                              drive->buf);
    FemuCq cq;
    FemuSq sq;

    femu_cq_create(drive, &cq, 2, FEMU_ENTRIES, 0);
    femu_sq_create(drive, &sq, 2, FEMU_ENTRIES, &cq);
    femu_submit(&sq, &cmd);
    femu_step(drive->host, femu_page_write_ns(drive));
    g_assert_true(pin_high(drive));
    set_power(drive, D3HOT);
    g_assert_false(pin_high(drive));
    set_power(drive, D0);
    g_assert_true(pin_high(drive));
    femu_expect_now(&cq);
    g_assert_false(pin_high(drive));
    femu_shutdown(drive);
}

/* --- The bus -------------------------------------------------------------- */

/*
 * Without Bus Master Enable a write that is inside ends in silence, a doorbell
 * is kept; with it, the one is told, the other fetched. No fatal error.
 */
static void test_bus_master(void)
{
    Scene s;

    scene_start(&s);
    submit_write(&s, 0);
    set_bus_master(s.drive, false);
    femu_step(s.drive->host, 10 * femu_page_write_ns(s.drive));
    assert_silent(&s);
    g_assert_cmphex(femu_reg(s.drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    submit_write(&s, 1);
    femu_step(s.drive->host, 10 * femu_page_write_ns(s.drive));
    assert_silent(&s);
    set_bus_master(s.drive, true);
    assert_told(&s, 0);
    femu_step(s.drive->host, femu_page_write_ns(s.drive) - 1);
    assert_silent(&s);
    femu_step(s.drive->host, 1);
    assert_told(&s, 1);
    g_assert_cmphex(femu_reg(s.drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    femu_shutdown(s.drive);
}

/* Several are told in the order in which they were due, and once. */
static void test_bus_master_order(void)
{
    Scene s;
    FemuCqe cqe;

    scene_start(&s);
    for (unsigned i = 0; i < 3; i++) {
        submit_write(&s, i);
    }
    set_bus_master(s.drive, false);
    femu_step(s.drive->host, 10 * femu_page_write_ns(s.drive));
    assert_silent(&s);
    set_bus_master(s.drive, true);
    for (unsigned i = 0; i < 3; i++) {
        g_assert_cmpuint(femu_expect_now(&s.cq).cid, ==, i);
    }
    g_assert_false(femu_peek(&s.cq, &cqe));
    femu_shutdown(s.drive);
}

/* More are due than the queue has room for: the rest waits for that room. */
static void test_bus_master_full(void)
{
    Scene s;
    FemuCqe cqe;
    FemuCq cq;
    FemuSq sq;

    scene_start(&s);
    femu_cq_create(s.drive, &cq, 3, 3, -1);
    femu_sq_create(s.drive, &sq, 3, FEMU_ENTRIES, &cq);
    for (unsigned i = 0; i < 3; i++) {
        NvmeCmd cmd = femu_cmd_rw(s.drive, NVME_CMD_WRITE,
                                  femu_zone_lba(s.drive, i),
                                  femu_page_nlb(s.drive), s.drive->buf);

        femu_submit(&sq, &cmd);
    }
    set_bus_master(s.drive, false);
    femu_step(s.drive->host, 10 * femu_page_write_ns(s.drive));
    set_bus_master(s.drive, true);
    g_assert_true(femu_take(&cq, &cqe));
    g_assert_cmpuint(cqe.cid, ==, 0);
    g_assert_true(femu_take(&cq, &cqe));
    g_assert_cmpuint(cqe.cid, ==, 1);
    g_assert_false(femu_peek(&cq, &cqe));
    femu_ring_cq(&cq);
    g_assert_cmpuint(femu_expect_now(&cq).cid, ==, 2);
    femu_shutdown(s.drive);
}

/* Room that the host makes while we are without the bus is used later. */
static void test_bus_master_room(void)
{
    Scene s;
    FemuCqe cqe;
    FemuCq cq;
    FemuSq sq;

    scene_start(&s);
    femu_cq_create(s.drive, &cq, 3, 2, -1);
    femu_sq_create(s.drive, &sq, 3, FEMU_ENTRIES, &cq);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t nlb = femu_page_nlb(s.drive);
        NvmeCmd cmd = femu_cmd_rw(s.drive, NVME_CMD_WRITE, i * nlb, nlb,
                                  s.drive->buf);

        femu_submit(&sq, &cmd);
    }
    femu_step(s.drive->host, femu_page_write_ns(s.drive));
    g_assert_true(femu_take(&cq, &cqe));
    set_bus_master(s.drive, false);
    femu_ring_cq(&cq);
    g_assert_false(femu_peek(&cq, &cqe));
    g_assert_cmphex(femu_reg(s.drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    set_bus_master(s.drive, true);
    g_assert_cmpuint(femu_expect_now(&cq).cid, ==, 1);
    femu_shutdown(s.drive);
}

/* An interrupt that was held for more entries waits for the bus, too. */
static void test_bus_master_coalescing(void)
{
    Scene s;
    FemuCqe cqe;

    scene_start(&s);
    g_assert_cmphex(femu_set_feature(s.drive, NVME_INTERRUPT_COALESCING,
                                     1 << 8 | 7), ==, NVME_SUCCESS);
    submit_write(&s, 0);
    femu_step(s.drive->host, femu_page_write_ns(s.drive));
    g_assert_true(femu_peek(&s.cq, &cqe));
    set_bus_master(s.drive, false);
    femu_step(s.drive->host, 1000000);
    g_assert_cmphex(qtest_readl(s.drive->host->qts, s.message_addr), ==, 0);
    set_bus_master(s.drive, true);
    assert_told(&s, 0);
    femu_shutdown(s.drive);
}

/* An event that nobody can be told of now is told later. */
static void test_bus_master_event(void)
{
    NvmeCmd request = { .opcode = NVME_ADM_CMD_ASYNC_EV_REQ };
    Scene s;
    uint16_t cid;
    FemuCqe cqe;

    scene_start(&s);
    cid = femu_submit(&s.drive->admin, &request);
    set_bus_master(s.drive, false);
    femu_set_reg(s.drive, FEMU_DOORBELLS + 8 * 60, 1);  /* no such queue */
    g_assert_false(femu_peek(&s.drive->admin_cq, &cqe));
    set_bus_master(s.drive, true);
    g_assert_cmpuint(femu_expect_now(&s.drive->admin_cq).cid, ==, cid);
    femu_assert_works(s.drive, 0);
    femu_shutdown(s.drive);
}

/* --- The machine ---------------------------------------------------------- */

/* Without an APIC there are no message interrupts: the drive has the pin. */
static void test_no_apic(void)
{
    FemuConfig config = femu_small_config();
    g_autofree char *device = femu_device_args(&config, FEMU_SLOT, NULL);
    g_autofree char *args = g_strconcat("-machine pc,pit=off "
                                        "-cpu qemu64,-apic ", device, NULL);
    FemuHost *host = femu_host_start(args);
    FemuDrive *drive = femu_drive_open(host, FEMU_SLOT, &config);
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive),
                              drive->buf);
    FemuCq cq;
    FemuSq sq;

    g_assert_cmphex(qpci_find_capability(drive->pci, PCI_CAP_ID_MSI, 0), ==, 0);
    g_assert_cmphex(qpci_find_capability(drive->pci, PCI_CAP_ID_MSIX, 0), ==,
                    0);
    femu_enable(drive);
    femu_io_queues_create(drive);
    g_assert_cmphex(femu_cq_create_at(drive, &cq, 2, FEMU_ENTRIES, drive->buf,
                                      1), ==, NVME_INVALID_IRQ_VECTOR);
    femu_cq_create(drive, &cq, 2, FEMU_ENTRIES, 0);
    femu_sq_create(drive, &sq, 2, FEMU_ENTRIES, &cq);
    femu_submit(&sq, &cmd);
    femu_step(host, femu_page_write_ns(drive) - 1);
    g_assert_false(pin_high(drive));
    femu_step(host, 1);
    g_assert_true(pin_high(drive));
    femu_expect_now(&cq);
    g_assert_false(pin_high(drive));
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/power/" name, test)
    ADD("link", test_link);
    ADD("states", test_states);
    ADD("sleep", test_sleep);
    ADD("sleep/reset", test_sleep_reset);
    ADD("sleep/pin", test_sleep_pin);
    ADD("bus-master", test_bus_master);
    ADD("bus-master/order", test_bus_master_order);
    ADD("bus-master/full", test_bus_master_full);
    ADD("bus-master/room", test_bus_master_room);
    ADD("bus-master/coalescing", test_bus_master_coalescing);
    ADD("bus-master/event", test_bus_master_event);
    ADD("no-apic", test_no_apic);
#undef ADD
    return g_test_run();
}
