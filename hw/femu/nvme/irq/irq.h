/*
 * Interrupts: MSI-X, MSI and the pin.
 *
 * Knows nothing of commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_IRQ_IRQ_H
#define FEMU_NVME_IRQ_IRQ_H

#include "../state/femu.h"

bool femu_irq_vector_valid(FemuZns *n, uint16_t vector);
void femu_irq_posted(FemuZns *n, const FemuCq *cq);
void femu_irq_forget(FemuZns *n, uint16_t vector);
void femu_irq_acknowledged(FemuZns *n, FemuCq *cq, uint32_t head);
void femu_irq_run(FemuZns *n, bool all);
int64_t femu_irq_next_at_ns(const FemuZns *n);
void femu_irq_ctrl_reset(FemuZns *n);
bool femu_irq_waits(const FemuZns *n);
bool femu_irq_is_msix(FemuZns *n);
void femu_irq_update_pin(FemuZns *n);
void femu_irq_mask(FemuZns *n, uint32_t vectors);
void femu_irq_unmask(FemuZns *n, uint32_t vectors);

#endif
