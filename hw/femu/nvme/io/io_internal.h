/*
 * I/O commands that have files of their own. They return what femu_io_execute()
 * does.
 *
 * Knows nothing of how they are told apart.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_IO_IO_INTERNAL_H
#define FEMU_NVME_IO_IO_INTERNAL_H

#include "io.h"

/* CDW12: 30 Force Unit Access */
static inline bool femu_io_fua(const NvmeCmd *cmd)
{
    return le32_to_cpu(cmd->cdw12) & (1u << 30);
}

uint16_t femu_io_copy(FemuZns *n, FemuNs *ns, FemuSq *sq, const NvmeCmd *cmd);
uint16_t femu_io_dataset(FemuZns *n, FemuNs *ns, FemuSq *sq,
                         const NvmeCmd *cmd);
uint16_t femu_zone_send(FemuZns *n, FemuNs *ns, FemuSq *sq,
                        const NvmeCmd *cmd);
uint16_t femu_zone_receive(FemuZns *n, FemuNs *ns, FemuSq *sq,
                           const NvmeCmd *cmd);

#endif
