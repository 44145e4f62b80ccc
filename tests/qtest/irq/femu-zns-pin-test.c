/*
 * The interrupt pin as an interrupt controller sees it: not only what its level
 * is when all is done, but whether it has been high meanwhile.
 *
 * Knows nothing of zones.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"
#include "hw/pci/pci_regs.h"

/* The chipset's routes from PCI's pins to the interrupt controller's inputs. */
#define LPC_DEVFN QPCI_DEVFN(31, 0)
#define ROUTES_A_TO_D 0x60
#define ROUTES_E_TO_H 0x68
#define INPUT 10u

/* The second 8259: it remembers a rising edge until somebody asks for it. */
#define PIC 0xa0
#define PIC_READS_REQUESTS 0x0a

static bool pin(FemuDrive *drive)
{
    return qpci_config_readw(drive->pci, PCI_STATUS) & PCI_STATUS_INTERRUPT;
}

static bool has_been_high(FemuHost *host)
{
    qtest_outb(host->qts, PIC, PIC_READS_REQUESTS);
    return qtest_inb(host->qts, PIC) & (1u << (INPUT - 8));
}

static FemuDrive *boot(void)
{
    FemuConfig config = femu_small_config();

    return femu_boot(&config, NULL);
}

/* From now on; the pin is low. */
static void watch(FemuDrive *drive)
{
    QPCIDevice *lpc = qpci_device_find(drive->host->bus, LPC_DEVFN);

    g_assert_false(pin(drive));
    qpci_config_writel(lpc, ROUTES_A_TO_D, INPUT * 0x01010101u);
    qpci_config_writel(lpc, ROUTES_E_TO_H, INPUT * 0x01010101u);
    g_free(lpc);
    g_assert_false(has_been_high(drive->host));
}

static void flush(FemuDrive *drive, FemuSq *sq, FemuCq *cq)
{
    NvmeCmd cmd = femu_cmd_flush();
    FemuCqe cqe;

    femu_submit(sq, &cmd);
    g_assert_true(femu_peek(cq, &cqe));
}

/* That the controller is seen at all: the pin rises with a completion. */
static void test_rises(void)
{
    FemuDrive *drive = boot();
    FemuCq cq;
    FemuSq sq;

    femu_cq_create(drive, &cq, 2, 16, 0);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    watch(drive);
    flush(drive, &sq, &cq);
    g_assert_true(pin(drive));
    g_assert_true(has_been_high(drive->host));
    femu_shutdown(drive);
}

/*
 * A host that uses MSI-X resets the function while entries wait that messages
 * have told it of. The reset ends MSI-X, and then the queues: nobody raises the
 * pin for them in between.
 */
static void test_flr(void)
{
    FemuDrive *drive = boot();
    uint8_t cap = qpci_find_capability(drive->pci, PCI_CAP_ID_EXP, 0);
    FemuCq cq[2];
    FemuSq sq[2];

    femu_msix_enable(drive);
    watch(drive);
    for (unsigned i = 0; i < 2; i++) {
        femu_cq_create(drive, &cq[i], 2 + i, 16, 1 + i);
        femu_sq_create(drive, &sq[i], 2 + i, 16, &cq[i]);
        flush(drive, &sq[i], &cq[i]);
    }
    g_assert_false(has_been_high(drive->host));
    qpci_config_writew(drive->pci, cap + PCI_EXP_DEVCTL,
                       PCI_EXP_DEVCTL_BCR_FLR);
    g_assert_false(pin(drive));
    g_assert_false(has_been_high(drive->host));
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/pin/" name, test)
    ADD("rises", test_rises);
    ADD("flr", test_flr);
#undef ADD
    return g_test_run();
}
