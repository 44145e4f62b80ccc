/*
 * Host memory: what we read and write there, and the data of a command.
 *
 * Knows nothing of what the data is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_HOST_HOST_H
#define FEMU_NVME_HOST_HOST_H

#include "../state/femu.h"

/* femu_dma.c: any memory. */
bool femu_dma_valid(FemuZns *n, uint64_t addr, uint64_t bytes,
                    DMADirection direction);
bool femu_dma_read(FemuZns *n, uint64_t addr, void *buf, uint64_t bytes);
bool femu_dma_write(FemuZns *n, uint64_t addr, const void *buf,
                    uint64_t bytes);

/*
 * femu_data.c: a command's data. Copies in both directions use the last
 * mapping.
 */
uint16_t femu_dma_map(FemuZns *n, const NvmeCmd *cmd, uint64_t bytes,
                      DMADirection direction);
uint16_t femu_dma_from_host(FemuZns *n, void *buf);
uint16_t femu_dma_to_host(FemuZns *n, const void *buf);
uint16_t femu_dma_reply(FemuZns *n, const NvmeCmd *cmd, const void *buf,
                        uint64_t bytes);

/* femu_dbbuf.c: shadow doorbells; `doorbell` counts as in the registers. */
uint16_t femu_dbbuf_config(FemuZns *n, const NvmeCmd *cmd);
void femu_dbbuf_init(FemuZns *n, unsigned doorbell, uint32_t known);
uint32_t femu_dbbuf_rung(FemuZns *n, unsigned doorbell, uint32_t known,
                         uint32_t value);
uint32_t femu_dbbuf_sync(FemuZns *n, unsigned doorbell, uint32_t known,
                         uint32_t event_idx);
void femu_dbbuf_ctrl_reset(FemuZns *n);

#endif
