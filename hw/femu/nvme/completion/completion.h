/*
 * Completions: the queues that they are posted to, and the log of those that
 * failed.
 *
 * Knows nothing of commands but their identifiers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_COMPLETION_COMPLETION_H
#define FEMU_NVME_COMPLETION_COMPLETION_H

#include "../state/femu.h"

/* femu_cq.c: completion queues. */
void femu_cq_create(FemuZns *n, uint16_t id, uint64_t base, uint32_t size,
                    uint16_t vector, bool irq_enabled);
void femu_cq_delete(FemuZns *n, uint16_t id);
void femu_cq_drop_parked(FemuCq *cq, const FemuSq *sq);
bool femu_cq_head_valid(const FemuCq *cq, uint32_t head);
void femu_cq_set_head(FemuZns *n, FemuCq *cq, uint32_t head);
uint16_t femu_status_retry(uint16_t status);
void femu_cq_post(FemuZns *n, FemuSq *sq, uint16_t cid, uint16_t status,
                  uint64_t result);
void femu_cqs_unpark(FemuZns *n);

/* femu_error_log.c */
void femu_log_error(FemuZns *n, const FemuSq *sq, const NvmeCmd *cmd,
                    uint16_t status);
void femu_log_doorbell_error(FemuZns *n, uint16_t status);

#endif
