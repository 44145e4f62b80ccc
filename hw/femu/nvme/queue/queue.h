/*
 * Submission queues, and the end of all queues.
 *
 * Knows nothing of what is in them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_QUEUE_QUEUE_H
#define FEMU_NVME_QUEUE_QUEUE_H

#include "../state/femu.h"

void femu_sq_create(FemuZns *n, uint16_t id, uint64_t base, uint32_t size,
                    uint16_t cq_id);
void femu_sq_delete(FemuZns *n, uint16_t id);
void femu_queues_delete(FemuZns *n);

#endif
