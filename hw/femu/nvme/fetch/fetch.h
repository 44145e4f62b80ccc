/*
 * Doorbells, and the fetching of commands.
 *
 * Knows nothing of what the commands mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_FETCH_FETCH_H
#define FEMU_NVME_FETCH_FETCH_H

#include "../state/femu.h"

void femu_sq_doorbell(FemuZns *n, uint32_t id, uint32_t tail);
void femu_cq_doorbell(FemuZns *n, uint32_t id, uint32_t head);
void femu_queues_fetch(FemuZns *n);
bool femu_admin_waits(const FemuZns *n);

#endif
