/*
 * DMA: access to host memory, and the list of segments in host memory that a
 * command's data lie in.
 *
 * Knows nothing of what the data is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/rcu.h"
#include "system/dma.h"
#include "mapping_internal.h"
#include "../qemu/versions.h"

/*
 * A drive that its thread enters without QEMU's lock reaches RAM only, whoever
 * enters it (n->ram_only): an access to another device's registers would need
 * the lock, whose holder may wait for this very entry. What is not RAM is to it
 * as what does not exist.
 */

static AddressSpace *memory_of(FemuZns *n)
{
    return pci_get_address_space(PCI_DEVICE(n));
}

static bool is_ram(AddressSpace *as, uint64_t addr, uint64_t bytes,
                   bool is_write)
{
    hwaddr offset, part;

    RCU_READ_LOCK_GUARD();
    for (; bytes; addr += part, bytes -= part) {
        MemoryRegion *region;

        part = bytes;
        region = address_space_translate(as, addr, &offset, &part, is_write,
                                         MEMTXATTRS_UNSPECIFIED);
        if (!memory_access_is_direct(region, is_write,
                                     MEMTXATTRS_UNSPECIFIED)) {
            return false;
        }
    }
    return true;
}

/* Copy what is there of a region of RAM. Return: bytes; 0: it is none. */
static uint64_t ram_copy(AddressSpace *as, uint64_t addr, uint8_t *buf,
                         uint64_t bytes, bool is_write)
{
    MemoryRegionCache ram;
    uint64_t part = address_space_cache_init(&ram, as, addr, bytes, is_write);

    if (!ram.ptr) {
        part = 0;
    } else if (is_write) {
        address_space_write_cached(&ram, 0, buf, part);
        address_space_cache_invalidate(&ram, 0, part);
    } else {
        address_space_read_cached(&ram, 0, buf, part);
    }
    address_space_cache_destroy(&ram);
    return part;
}

static bool ram_rw(FemuZns *n, uint64_t addr, uint8_t *buf, uint64_t bytes,
                   DMADirection direction)
{
    bool is_write = direction == DMA_DIRECTION_FROM_DEVICE;
    uint64_t part;

    dma_barrier(memory_of(n), direction);
    for (; bytes; addr += part, buf += part, bytes -= part) {
        part = ram_copy(memory_of(n), addr, buf, bytes, is_write);
        if (part == 0) {
            return false;
        }
    }
    return true;
}

/* Is the whole of this range memory that the device can access? */
bool femu_dma_valid(FemuZns *n, uint64_t addr, uint64_t bytes,
                    DMADirection direction)
{
    if (n->ram_only) {
        return is_ram(memory_of(n), addr, bytes,
                      direction == DMA_DIRECTION_FROM_DEVICE);
    }
    return dma_memory_valid(memory_of(n), addr, bytes, direction,
                            MEMTXATTRS_UNSPECIFIED);
}

bool femu_dma_read(FemuZns *n, uint64_t addr, void *buf, uint64_t bytes)
{
    if (!femu_can_master(n)) {
        return false;
    }
    return n->ram_only
           ? ram_rw(n, addr, buf, bytes, DMA_DIRECTION_TO_DEVICE)
           : pci_dma_read(PCI_DEVICE(n), addr, buf, bytes) == MEMTX_OK;
}

bool femu_dma_write(FemuZns *n, uint64_t addr, const void *buf,
                    uint64_t bytes)
{
    if (!femu_can_master(n)) {
        return false;
    }
    return n->ram_only
           ? ram_rw(n, addr, (uint8_t *)buf, bytes, DMA_DIRECTION_FROM_DEVICE)
           : pci_dma_write(PCI_DEVICE(n), addr, buf, bytes) == MEMTX_OK;
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
