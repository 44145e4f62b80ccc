/*
 * What the controller may do now (access host memory, execute, fetch), and the
 * fatal error, after which it may do nothing until it is reset.
 *
 * Knows nothing of how the controller came to be in its present state.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/log.h"
#include "femu.h"
#include "../../trace.h"

/*
 * Is the device in D0, so not disabled by PCI power management? Access to BAR 0
 * in other power states is refused by QEMU, not here.
 */
bool femu_powered(const FemuZns *n)
{
    const PCIDevice *pci = &n->parent_obj;
    uint16_t pmcsr = pci_get_word(pci->config + pci->pm_cap + PCI_PM_CTRL);

    return (pmcsr & PCI_PM_CTRL_STATE_MASK) == 0;
}

/*
 * May the present entry (see femu_entry.c) go on working? Not once the device
 * has been unplugged, or a reset has been noted for the end of the entry.
 */
bool femu_entry_open(const FemuZns *n)
{
    return n->plugged && !n->entry.reset_noted;
}

/*
 * May the device access host memory now? It does so to fetch commands, to
 * transfer data, to post completions and to send MSI(-X) messages. It may only
 * with Bus Master Enable (PCI Express base 4.0, 7.5.1.1.3: without, a function
 * does not issue memory requests, MSI included) and in D0 (5.3.1.4.1: in D3hot
 * a function takes configuration requests and messages, and issues nothing but
 * its wake-up). That it may not is no error: its work waits, and is done when
 * it may again. (An access that is allowed and fails, however, is a fatal error
 * if it was to a queue: CSTS.CFS, NVMe base 2.0, 3.1.3.6.)
 */
bool femu_can_master(const FemuZns *n)
{
    const PCIDevice *pci = &n->parent_obj;

    return femu_entry_open(n) && femu_powered(n) &&
           (pci_get_word(pci->config + PCI_COMMAND) & PCI_COMMAND_MASTER);
}

static uint32_t shutdown_status(const FemuZns *n)
{
    return n->csts & (CSTS_SHST_MASK << CSTS_SHST_SHIFT);
}

/*
 * Is the controller ready, without a fatal error, and not shut down? Once it
 * has been shut down, only a reset makes it run again (NVMe base 2.0, 3.6).
 */
bool femu_ctrl_running(const FemuZns *n)
{
    return femu_entry_open(n) &&
           (n->csts & (NVME_CSTS_READY | NVME_CSTS_FAILED)) ==
           NVME_CSTS_READY &&
           shutdown_status(n) != NVME_CSTS_SHST_COMPLETE;
}

/* May the controller transfer data and post completions? */
bool femu_can_serve(const FemuZns *n)
{
    return femu_ctrl_running(n) && femu_can_master(n);
}

/*
 * May the controller fetch commands? Not from the beginning of a shutdown on,
 * nor between the instant of a power cut and the reset that it brings.
 */
bool femu_can_fetch(const FemuZns *n)
{
    return femu_can_serve(n) && !n->cut_noted &&
           shutdown_status(n) == NVME_CSTS_SHST_NORMAL;
}

uint64_t femu_cmd_slba(const NvmeCmd *cmd)
{
    return le32_to_cpu(cmd->cdw10) | (uint64_t)le32_to_cpu(cmd->cdw11) << 32;
}

/* Set CSTS.CFS: nothing is fetched or posted from now to the next reset. */
void femu_ctrl_fatal(FemuZns *n, const char *why)
{
    trace_femu_fatal(why);
    qemu_log_mask(LOG_GUEST_ERROR, "femu-zns: fatal: %s\n", why);
    n->csts |= NVME_CSTS_FAILED;
}
