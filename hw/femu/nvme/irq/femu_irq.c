/*
 * Interrupts: MSI-X, MSI, or the pin, whichever the host has enabled.
 *
 * A completion queue needs an interrupt when entries have been posted to it
 * that its head doorbell has not yet acknowledged. With interrupt coalescing
 * (NVMe base 2.0, 5.27.1.6) the interrupt of a vector is held back until as
 * many entries of I/O queues have been posted as the aggregation threshold, or
 * the aggregation time has passed since the first of them.
 *
 * Knows nothing of commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/pci/msi.h"
#include "hw/pci/msix.h"
#include "irq.h"
#include "../kvm/kvm.h"

/* INTMS and INTMC have one bit for each of 32 vectors. */
#define MASKABLE_VECTORS 32

#define COALESCING_UNIT_NS 100000

/* May a queue be created with this vector? With the pin, only with 0. */
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

/* Has an interrupt been sent for entries that the host has not yet taken? */
static bool cq_unacknowledged(const FemuCq *cq)
{
    return cq->irq_enabled && cq->head != cq->signalled;
}

/* Has it entries of which no interrupt has told? */
static bool cq_unsignalled(const FemuCq *cq)
{
    return cq->irq_enabled && cq->signalled != cq->tail;
}

/* Is there a queue of this vector of which `holds` is true? */
static bool vector_has(const FemuZns *n, uint16_t vector,
                       bool (*holds)(const FemuCq *cq))
{
    bool found = false;

    for (unsigned i = 0; i < FEMU_MAX_QUEUES; i++) {
        const FemuCq *cq = n->cq[i];

        found |= cq && cq->vector == vector && holds(cq);
    }
    return found;
}

static bool vector_masked(const FemuZns *n, uint16_t vector)
{
    return vector < MASKABLE_VECTORS && (n->intms & (1u << vector));
}

/*
 * Send an MSI message unless the vector is masked. A host may have changed the
 * interrupt mode since it created the queue: for a vector that the present mode
 * does not have, no message is sent.
 */
static void msi_send(FemuZns *n, uint16_t vector)
{
    PCIDevice *pci = PCI_DEVICE(n);

    if (vector < msi_nr_vectors_allocated(pci) && !vector_masked(n, vector)) {
        msi_notify(pci, vector);
    }
}

/* Interrupt the host for all entries that queues of this vector hold. */
static void signal_vector(FemuZns *n, uint16_t vector)
{
    PCIDevice *pci = PCI_DEVICE(n);

    n->held_irq[vector].entries = 0;
    for (unsigned i = 0; i < FEMU_MAX_QUEUES; i++) {
        if (n->cq[i] && n->cq[i]->vector == vector) {
            n->cq[i]->signalled = n->cq[i]->tail;
        }
    }
    if (msix_enabled(pci)) {
        if (femu_irqfd_used(n, vector)) {
            femu_irqfd_signal(n, vector);
        } else if (vector < msix_nr_vectors_allocated(pci)) {
            msix_notify(pci, vector);
        }
    } else if (msi_enabled(pci)) {
        msi_send(n, vector);
    } else {
        femu_irq_update_pin(n);
    }
}

/*
 * The aggregation threshold of this queue, 0's based: an interrupt is held back
 * while it is for no more entries than this value. That of the admin queue is
 * never held back.
 */
static uint32_t coalescing_entries(const FemuZns *n, const FemuCq *cq)
{
    return cq->id == 0 || n->features.irq_uncoalesced[cq->vector]
           ? 0 : extract32(n->features.irq_coalescing, 0, 8);
}

/*
 * An entry has been posted to this queue: send an interrupt, or hold it back.
 * It is held back as well if Bus Master Enable is now off, which a guest can
 * bring about by having the entry written to configuration space. With a
 * thread, one interrupt tells of all that an entry has posted.
 */
void femu_irq_posted(FemuZns *n, const FemuCq *cq)
{
    FemuHeldIrq *held = &n->held_irq[cq->vector];

    if (!cq->irq_enabled) {
        return;
    }
    if (++held->entries > coalescing_entries(n, cq) && femu_can_master(n)) {
        if (n->thread) {
            held->due_at_ns = n->clock_ns;  /* femu_irq_run() ends the entry */
        } else {
            signal_vector(n, cq->vector);
        }
    } else if (held->entries == 1) {
        held->due_at_ns = n->clock_ns + (int64_t)n->dilation *
                          COALESCING_UNIT_NS *
                          (n->features.irq_coalescing >> 8);
    }
}

/*
 * The host has acknowledged entries of this vector's queues, or deleted such a
 * queue: an interrupt that is held back is dropped if it is for nothing any
 * more.
 */
void femu_irq_forget(FemuZns *n, uint16_t vector)
{
    if (!vector_has(n, vector, cq_unsignalled)) {
        n->held_irq[vector].entries = 0;
    }
}

/*
 * The head doorbell of this queue was rung. Entries that the host has taken
 * need no interrupt, though none may have been sent for them yet.
 */
void femu_irq_acknowledged(FemuZns *n, FemuCq *cq, uint32_t head)
{
    uint32_t taken = (head + cq->size - cq->head) % cq->size;
    uint32_t signalled = (cq->signalled + cq->size - cq->head) % cq->size;

    cq->head = head;
    if (taken > signalled) {
        cq->signalled = head;
        femu_irq_forget(n, cq->vector);
    }
}

/*
 * Send the interrupts that are due by now, or all that are held back; without
 * QEMU's lock those that have an irqfd, and the others stay due. So do those
 * behind one whose message has taken the bus, or the drive, away.
 */
void femu_irq_run(FemuZns *n, bool all)
{
    for (unsigned vector = 0; vector < FEMU_MAX_QUEUES && femu_can_master(n);
         vector++) {
        const FemuHeldIrq *held = &n->held_irq[vector];

        if (held->entries && (all || held->due_at_ns <= n->clock_ns) &&
            (!n->entry.alone || femu_irqfd_used(n, vector))) {
            signal_vector(n, vector);
        }
    }
}

/* Is there one that is due by now? It was not to be sent without QEMU's lock. */
bool femu_irq_waits(const FemuZns *n)
{
    return femu_irq_next_at_ns(n) <= n->clock_ns;
}

/* The clock_ns at which femu_irq_run() next has work to do, or INT64_MAX. */
int64_t femu_irq_next_at_ns(const FemuZns *n)
{
    int64_t next_at_ns = INT64_MAX;

    if (!femu_can_master(n)) {
        return INT64_MAX;
    }
    for (unsigned vector = 0; vector < FEMU_MAX_QUEUES; vector++) {
        const FemuHeldIrq *held = &n->held_irq[vector];

        if (held->entries) {
            next_at_ns = MIN(next_at_ns, held->due_at_ns);
        }
    }
    return next_at_ns;
}

/*
 * A controller reset: no vector is masked. The interrupts that were held back
 * went with their queues.
 */
void femu_irq_ctrl_reset(FemuZns *n)
{
    n->intms = 0;
}

/* Does the host get MSI-X, which can be sent by an irqfd, or later? */
bool femu_irq_is_msix(FemuZns *n)
{
    return msix_enabled(PCI_DEVICE(n));
}

/*
 * Set the pin as queues, mask and interrupt mode have it. It is low unless the
 * device is in D0, and once a reset has been noted. (A pin's interrupts need no
 * Bus Master Enable.) Without QEMU's lock there is nothing to do: such an entry
 * is only made with MSI-X.
 */
void femu_irq_update_pin(FemuZns *n)
{
    PCIDevice *pci = PCI_DEVICE(n);
    bool level = false;

    if (!n->plugged || n->entry.alone) {
        return;
    }
    if (femu_entry_open(n) && femu_powered(n) && !msix_enabled(pci) &&
        !msi_enabled(pci)) {
        for (unsigned i = 0; i < FEMU_MAX_QUEUES; i++) {
            const FemuCq *cq = n->cq[i];

            level |= cq && cq_unacknowledged(cq) &&
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

/*
 * The message that would have told of this vector's entries was masked: they
 * have not been told of, and its interrupt is due.
 */
static void hold_unsent(FemuZns *n, uint16_t vector)
{
    FemuHeldIrq *held = &n->held_irq[vector];

    for (unsigned i = 0; i < FEMU_MAX_QUEUES; i++) {
        FemuCq *cq = n->cq[i];

        if (cq && cq->vector == vector && cq->irq_enabled) {
            cq->signalled = cq->head;
        }
    }
    held->entries = MAX(held->entries, 1);
    held->due_at_ns = n->clock_ns;
}

/*
 * Unmask; a vector that held entries while masked sends one interrupt, at the
 * end of this entry, or when the device may access host memory again.
 */
void femu_irq_unmask(FemuZns *n, uint32_t vectors)
{
    uint32_t unmasked = n->intms & vectors;

    n->intms &= ~vectors;
    if (msi_enabled(PCI_DEVICE(n)) && !msix_enabled(PCI_DEVICE(n))) {
        for (unsigned vector = 0; vector < MASKABLE_VECTORS; vector++) {
            if (extract32(unmasked, vector, 1) &&
                vector_has(n, vector, cq_unacknowledged)) {
                hold_unsent(n, vector);
            }
        }
    }
    femu_irq_update_pin(n);
}
