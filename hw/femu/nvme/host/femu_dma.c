/*
 * DMA: access to host memory, and the list of segments in host memory that a
 * command's data lie in.
 *
 * Knows nothing of what the data is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "system/dma.h"
#include "mapping_internal.h"

/* Is the whole of this range memory that the device can access? */
bool femu_dma_valid(FemuZns *n, uint64_t addr, uint64_t bytes,
                    DMADirection direction)
{
    return dma_memory_valid(pci_get_address_space(PCI_DEVICE(n)), addr, bytes,
                            direction, MEMTXATTRS_UNSPECIFIED);
}

bool femu_dma_read(FemuZns *n, uint64_t addr, void *buf, uint64_t bytes)
{
    return femu_can_master(n) &&
           pci_dma_read(PCI_DEVICE(n), addr, buf, bytes) == MEMTX_OK;
}

bool femu_dma_write(FemuZns *n, uint64_t addr, const void *buf,
                    uint64_t bytes)
{
    return femu_can_master(n) &&
           pci_dma_write(PCI_DEVICE(n), addr, buf, bytes) == MEMTX_OK;
}

/*
 * Append host memory to the mapping, joined to its last segment if adjacent.
 * Return: false if there is no room for one more segment.
 */
bool femu_dma_map_add(FemuZns *n, uint64_t addr, uint64_t bytes)
{
    FemuSeg *last = n->seg_count ? &n->seg[n->seg_count - 1] : NULL;

    if (last && last->addr + last->bytes == addr) {
        last->bytes += bytes;
        return true;
    }
    if (n->seg_count == n->seg_max) {
        return false;
    }
    n->seg[n->seg_count++] = (FemuSeg) { .addr = addr, .bytes = bytes };
    return true;
}
