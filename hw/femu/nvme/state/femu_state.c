/*
 * What the controller may do now, and the end of all that: a fatal error.
 *
 * Knows nothing of why it is in the state that it is in.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/log.h"
#include "femu.h"
#include "../../trace.h"

/*
 * Is the device in D0? Power management has not disabled it, then; what BAR 0
 * needs is QEMU's business.
 */
bool femu_powered(const FemuZns *n)
{
    const PCIDevice *pci = &n->parent_obj;
    uint16_t pmcsr = pci_get_word(pci->config + pci->pm_cap + PCI_PM_CTRL);

    return (pmcsr & PCI_PM_CTRL_STATE_MASK) == 0;
}

/* May what is running go on? Not once we are unplugged, or are to be reset. */
bool femu_entry_open(const FemuZns *n)
{
    return n->plugged && !n->entry.reset_noted;
}

/*
 * May the device access memory now, which is how it fetches, transfers, posts
 * and signals? Only with Bus Master Enable (PCI Express base 4.0, 7.5.1.1.3:
 * without, a function does not issue memory requests, MSI included) and in D0
 * (5.3.1.4.1: in D3hot a function takes configuration requests and messages,
 * and issues nothing but its wake-up). It is no error to be without, as a
 * write that fails is, for which NVMe base 2.0, 3.1.3.6, has CSTS.CFS: what
 * the controller has to do waits. A host that turns the bus off for a while
 * finds afterwards what was due meanwhile.
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

/* Once it has been shut down, only a reset makes it run (NVMe base 2.0, 3.6). */
bool femu_ctrl_running(const FemuZns *n)
{
    return femu_entry_open(n) &&
           (n->csts & (NVME_CSTS_READY | NVME_CSTS_FAILED)) ==
           NVME_CSTS_READY &&
           shutdown_status(n) != NVME_CSTS_SHST_COMPLETE;
}

/* May we work for the host: transfer data and post completions? */
bool femu_can_serve(const FemuZns *n)
{
    return femu_ctrl_running(n) && femu_can_master(n);
}

/* May we take more work? From the beginning of a shutdown on we do not. */
bool femu_can_fetch(const FemuZns *n)
{
    return femu_can_serve(n) && !n->cut_noted &&
           shutdown_status(n) == NVME_CSTS_SHST_NORMAL;
}

/* Nothing is fetched or posted from here to the next reset. */
void femu_ctrl_fatal(FemuZns *n, const char *why)
{
    trace_femu_fatal(why);
    qemu_log_mask(LOG_GUEST_ERROR, "femu-zns: fatal: %s\n", why);
    n->csts |= NVME_CSTS_FAILED;
}
