/*
 * What KVM does in our place: interrupts and doorbells as events. Without KVM
 * none of it does anything.
 *
 * Knows nothing of what they are for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_KVM_KVM_H
#define FEMU_NVME_KVM_KVM_H

#include "qemu/event_notifier.h"
#include "../state/femu.h"

/*
 * femu_irqfd.c: vectors that KVM sends. Init behind msix_init(), for a drive
 * with a thread; exit before MSI-X goes.
 */
void femu_irqfd_init(FemuZns *n);
void femu_irqfd_exit(FemuZns *n);
bool femu_irqfd_used(const FemuZns *n, uint16_t vector);
void femu_irqfd_signal(FemuZns *n, uint16_t vector);

/*
 * femu_ioeventfd.c: have KVM signal `rung` for doorbells that have a shadow;
 * `watched` is the bitmap of those for which it does. Needs QEMU's lock.
 */
void femu_ioeventfd_sync(FemuZns *n, EventNotifier *rung,
                         unsigned long *watched);

#endif
