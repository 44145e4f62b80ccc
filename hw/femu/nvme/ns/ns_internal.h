/*
 * What the files of this room need of each other.
 *
 * Knows nothing of commands or queues.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_NS_NS_INTERNAL_H
#define FEMU_NVME_NS_NS_INTERNAL_H

#include "ns.h"

/* femu_memory.c */
void femu_memory_write(FemuMemory *memory, uint64_t at_bytes, const void *buf,
                       uint64_t bytes);
void femu_memory_discard(FemuMemory *memory, uint64_t start_bytes,
                         uint64_t bytes);

/* femu_store.c */
void femu_store_init(FemuStore *store, FemuMemory *memory,
                     uint64_t start_bytes, uint32_t zones,
                     uint64_t zone_size_bytes, uint64_t zone_capacity_bytes);
void femu_store_init_flat(FemuStore *store, FemuMemory *memory,
                          uint64_t start_bytes, uint64_t bytes);
void femu_store_exit(FemuStore *store);
uint32_t femu_store_next(const FemuStore *store, uint32_t zone_idx,
                         bool or_written);
void femu_store_reset(FemuStore *store, uint32_t zone_idx);
void femu_store_put_aside(FemuStore *store, uint32_t zone_idx, uint32_t tag);
void femu_store_let_go(FemuStore *store, uint32_t zone_idx);
void femu_store_cut(FemuStore *store, uint32_t zone_idx, uint64_t left_bytes);

/* femu_zone.c */
void femu_zone_forget(FemuNs *ns, uint32_t zone_idx);

#endif
