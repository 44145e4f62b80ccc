/*
 * How a command's data are found: what femu_data.c, femu_prp.c and femu_sgl.c
 * share.
 *
 * Knows nothing of what the data is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_HOST_MAPPING_INTERNAL_H
#define FEMU_NVME_HOST_MAPPING_INTERNAL_H

#include "host.h"

bool femu_dma_map_add(FemuZns *n, uint64_t addr, uint64_t bytes);
uint16_t femu_prp_map(FemuZns *n, uint64_t prp1, uint64_t prp2, uint64_t bytes);
uint16_t femu_sgl_map(FemuZns *n, const NvmeSglDescriptor *first,
                      uint64_t bytes);

#endif
