/*
 * Interrupts: MSI-X, MSI, or the pin, whichever the host has enabled.
 *
 * A completion queue asks for an interrupt when entries have been posted to
 * it that its head doorbell has not yet acknowledged.
 *
 * Knows nothing of commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/pci/msi.h"
#include "hw/pci/msix.h"
#include "femu.h"

/* INTMS and INTMC have one bit for each of 32 vectors. */
#define MASKABLE_VECTORS 32

/* May a queue be created with this vector? Without MSI(-X) there is only 0. */
bool femu_irq_vector_valid(FemuZns *n, uint16_t vector)
{
    PCIDevice *pci = PCI_DEVICE(n);

    if (msix_enabled(pci)) {
        return vector < msix_nr_vectors_allocated(pci);
    }
    if (msi_enabled(pci)) {
        return vector < msi_nr_vectors_allocated(pci);
    }
    return vector == 0;
}

static bool cq_unacknowledged(const FemuCq *cq)
{
    return cq->irq_enabled && cq->head != cq->tail;
}

static bool vector_masked(const FemuZns *n, uint16_t vector)
{
    return vector < MASKABLE_VECTORS && (n->intms & (1u << vector));
}

/*
 * A host may have changed the interrupt mode since it created the queue: a
 * vector that the present mode does not have is dropped.
 */
static void msi_send(FemuZns *n, uint16_t vector)
{
    PCIDevice *pci = PCI_DEVICE(n);

    if (vector < msi_nr_vectors_allocated(pci) && !vector_masked(n, vector)) {
        msi_notify(pci, vector);
    }
}

/* An entry has been posted to this queue. */
void femu_irq_posted(FemuZns *n, const FemuCq *cq)
{
    PCIDevice *pci = PCI_DEVICE(n);

    if (!cq->irq_enabled) {
        return;
    }
    if (msix_enabled(pci)) {
        if (cq->vector < msix_nr_vectors_allocated(pci)) {
            msix_notify(pci, cq->vector);
        }
    } else if (msi_enabled(pci)) {
        msi_send(n, cq->vector);
    } else {
        femu_irq_update_pin(n);
    }
}

/* Bring the pin's level in line with queues, mask and the mode in force. */
void femu_irq_update_pin(FemuZns *n)
{
    PCIDevice *pci = PCI_DEVICE(n);
    bool level = false;

    if (!msix_enabled(pci) && !msi_enabled(pci)) {
        for (unsigned i = 0; i < FEMU_MAX_QUEUES && !level; i++) {
            const FemuCq *cq = n->cq[i];

            level = cq && cq_unacknowledged(cq) &&
                    !vector_masked(n, cq->vector);
        }
    }
    pci_set_irq(pci, level);
}

void femu_irq_mask(FemuZns *n, uint32_t vectors)
{
    n->intms |= vectors;
    femu_irq_update_pin(n);
}

/* Unmask; what was posted behind the mask is signalled now. */
void femu_irq_unmask(FemuZns *n, uint32_t vectors)
{
    uint32_t unmasked = n->intms & vectors;

    n->intms &= ~vectors;
    if (msi_enabled(PCI_DEVICE(n)) && !msix_enabled(PCI_DEVICE(n))) {
        for (unsigned i = 0; i < FEMU_MAX_QUEUES; i++) {
            const FemuCq *cq = n->cq[i];

            if (cq && cq_unacknowledged(cq) && cq->vector < MASKABLE_VECTORS &&
                (unmasked & (1u << cq->vector))) {
                msi_send(n, cq->vector);
                unmasked &= ~(1u << cq->vector);
            }
        }
    }
    femu_irq_update_pin(n);
}
