/*
 * A command's data in host memory: finding the memory by PRPs or an SGL, and
 * copying the data from and to it.
 *
 * Knows nothing of what the data is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "mapping_internal.h"
#include "../../trace.h"

/* Can the device read, or write, all of the mapped host memory? */
static bool map_reachable(FemuZns *n, DMADirection direction)
{
    for (uint32_t i = 0; i < n->seg_count; i++) {
        const FemuSeg *seg = &n->seg[i];

        if (!femu_dma_valid(n, seg->addr, seg->bytes, direction)) {
            return false;
        }
    }
    return true;
}

/*
 * Find the host memory of a command's `bytes` of data, at most max(mdts,
 * 4 KiB), and check that the whole of it can be reached. Changes no state but
 * the mapping.
 * Return: status.
 */
uint16_t femu_dma_map(FemuZns *n, const NvmeCmd *cmd, uint64_t bytes,
                      DMADirection direction)
{
    uint16_t status;

    n->seg_count = 0;
    if (NVME_CMD_FLAGS_PSDT(cmd->flags) == NVME_PSDT_PRP) {
        status = femu_prp_map(n, le64_to_cpu(cmd->dptr.prp1),
                              le64_to_cpu(cmd->dptr.prp2), bytes);
    } else {
        status = femu_sgl_map(n, &cmd->dptr.sgl, bytes);
    }
    if (!status && !map_reachable(n, direction)) {
        status = NVME_DATA_TRAS_ERROR;
    }
    trace_femu_map(le16_to_cpu(cmd->cid), status);
    return status;
}

/* Copy all of the mapped memory into `buf`. */
uint16_t femu_dma_from_host(FemuZns *n, void *buf)
{
    uint8_t *to = buf;

    for (uint32_t i = 0; i < n->seg_count; i++) {
        n->entry.work_bytes += n->seg[i].bytes;
        if (!femu_dma_read(n, n->seg[i].addr, to, n->seg[i].bytes)) {
            return NVME_DATA_TRAS_ERROR;
        }
        to += n->seg[i].bytes;
    }
    return NVME_SUCCESS;
}

/* Fill all of the mapped memory from `buf`. */
uint16_t femu_dma_to_host(FemuZns *n, const void *buf)
{
    const uint8_t *from = buf;

    for (uint32_t i = 0; i < n->seg_count; i++) {
        n->entry.work_bytes += n->seg[i].bytes;
        if (!femu_dma_write(n, n->seg[i].addr, from, n->seg[i].bytes)) {
            return NVME_DATA_TRAS_ERROR;
        }
        from += n->seg[i].bytes;
    }
    return NVME_SUCCESS;
}

/* Transfer `bytes` of data to the host as the answer to a command. */
uint16_t femu_dma_reply(FemuZns *n, const NvmeCmd *cmd, const void *buf,
                        uint64_t bytes)
{
    uint16_t status = femu_dma_map(n, cmd, bytes, DMA_DIRECTION_FROM_DEVICE);

    return status ? status : femu_dma_to_host(n, buf);
}
