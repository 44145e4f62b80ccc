/*
 * Interrupts that KVM sends for us: each vector of MSI-X that the guest has
 * unmasked has an event of a file descriptor (irqfd), which any thread may
 * signal, without QEMU's big lock.
 *
 * Knows nothing of what an interrupt is for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/pci/msi.h"
#include "hw/pci/msix.h"
#include "system/kvm.h"
#include "kvm.h"

/*
 * Only a drive with a thread has any: in other entries QEMU's lock is held, and
 * a message is as good. A vector that is masked has none, and neither has one
 * for which KVM has no room: its interrupt waits for who has the lock, who then
 * leaves it pending, or sends it as a message.
 */

static bool irqfd_open(PCIDevice *pci, FemuIrqFd *fd, unsigned vector)
{
    KVMRouteChange change = kvm_irqchip_begin_route_changes(kvm_state);

    if (event_notifier_init(&fd->event, 0) < 0) {
        return false;
    }
    fd->route = kvm_irqchip_add_msi_route(&change, vector, pci);
    if (fd->route < 0) {
        event_notifier_cleanup(&fd->event);
        return false;
    }
    kvm_irqchip_commit_route_changes(&change);
    if (kvm_irqchip_add_irqfd_notifier_gsi(kvm_state, &fd->event, NULL,
                                           fd->route) < 0) {
        kvm_irqchip_release_virq(kvm_state, fd->route);
        event_notifier_cleanup(&fd->event);
        return false;
    }
    return true;
}

/* The guest has unmasked the vector; its message is in the table by now. */
static int vector_unmasked(PCIDevice *pci, unsigned vector, MSIMessage message)
{
    FemuZns *n = FEMU_ZNS(pci);

    femu_lock(n);
    n->irqfd[vector].used = irqfd_open(pci, &n->irqfd[vector], vector);
    femu_unlock(n);
    return 0;
}

static void vector_masked(PCIDevice *pci, unsigned vector)
{
    FemuZns *n = FEMU_ZNS(pci);
    FemuIrqFd *fd = &n->irqfd[vector];

    femu_lock(n);
    if (fd->used) {
        fd->used = false;
        kvm_irqchip_remove_irqfd_notifier_gsi(kvm_state, &fd->event,
                                              fd->route);
        kvm_irqchip_release_virq(kvm_state, fd->route);
        event_notifier_cleanup(&fd->event);
    }
    femu_unlock(n);
}

/* Behind msix_init(), if there is MSI-X. */
void femu_irqfd_init(FemuZns *n)
{
    PCIDevice *pci = PCI_DEVICE(n);

    n->has_irqfds = n->lock && msix_present(pci) &&
                    kvm_msi_via_irqfd_enabled() &&
                    msix_set_vector_notifiers(pci, vector_unmasked,
                                              vector_masked, NULL) == 0;
}

/* Before MSI-X goes. */
void femu_irqfd_exit(FemuZns *n)
{
    if (n->has_irqfds) {
        msix_unset_vector_notifiers(PCI_DEVICE(n));
        n->has_irqfds = false;
    }
}

bool femu_irqfd_used(const FemuZns *n, uint16_t vector)
{
    return vector < ARRAY_SIZE(n->irqfd) && n->irqfd[vector].used;
}

void femu_irqfd_signal(FemuZns *n, uint16_t vector)
{
    event_notifier_set(&n->irqfd[vector].event);
}
