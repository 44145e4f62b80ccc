/*
 * Host memory: PRP entries and lists, and copying to and from what a command
 * names.
 *
 * Knows nothing of what the data is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "system/dma.h"
#include "femu.h"
#include "../trace.h"

#define PRP_BYTES sizeof(uint64_t)

/* Entries of a PRP list that are read from the host at a time. */
#define PRP_BATCH 64

/* Is there memory at all of this range that we may reach? */
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
 * Append host memory to the mapping, joined to its last piece if adjacent.
 * Return: false if there is no room for one more piece.
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

/* As femu_dma_map_add(), for pages: seg_max is enough for mdts bytes. */
static void map_add(FemuZns *n, uint64_t addr, uint64_t bytes)
{
    bool added = femu_dma_map_add(n, addr, bytes);

    assert(added);
}

/* Add one page of `bytes` left to map. Entries but the first have offset 0. */
static uint16_t map_add_page(FemuZns *n, uint64_t entry, uint64_t *bytes)
{
    uint64_t chunk_bytes = MIN(*bytes, n->page_bytes);

    if (entry & (n->page_bytes - 1)) {
        return NVME_INVALID_PRP_OFFSET;
    }
    map_add(n, entry, chunk_bytes);
    *bytes -= chunk_bytes;
    return NVME_SUCCESS;
}

/*
 * Map the `entry_count` entries at `list`, which lie in one page.
 * Return: status; *bytes is what is still to be mapped.
 */
static uint16_t map_entries(FemuZns *n, uint64_t list, uint64_t entry_count,
                            uint64_t *bytes)
{
    uint64_t entry[PRP_BATCH];

    while (entry_count) {
        uint64_t batch = MIN(entry_count, PRP_BATCH);

        if (!femu_dma_read(n, list, entry, batch * PRP_BYTES)) {
            return NVME_DATA_TRAS_ERROR;
        }
        for (uint64_t i = 0; i < batch; i++) {
            uint16_t status = map_add_page(n, le64_to_cpu(entry[i]), bytes);

            if (status) {
                return status;
            }
        }
        list += batch * PRP_BYTES;
        entry_count -= batch;
    }
    return NVME_SUCCESS;
}

/*
 * Map `bytes` by the PRP list at `list` (NVMe base 2.0, 4.1.1): a list that
 * is not at its end when it reaches the end of its page holds in its last slot
 * the address of the next page of the list. Ends, because every page of the
 * list but perhaps the first gives at least one entry.
 */
static uint16_t map_list(FemuZns *n, uint64_t list, uint64_t bytes)
{
    if (list & (PRP_BYTES - 1)) {
        return NVME_INVALID_PRP_OFFSET;
    }
    while (bytes) {
        uint64_t slots = (n->page_bytes - (list & (n->page_bytes - 1))) /
                         PRP_BYTES;
        uint64_t needed = DIV_ROUND_UP(bytes, n->page_bytes);
        uint64_t entries = needed > slots ? slots - 1 : needed;
        uint64_t next;
        uint16_t status = map_entries(n, list, entries, &bytes);

        if (status) {
            return status;
        }
        if (!bytes) {
            break;
        }
        if (!femu_dma_read(n, list + entries * PRP_BYTES, &next, PRP_BYTES)) {
            return NVME_DATA_TRAS_ERROR;
        }
        list = le64_to_cpu(next);
        if (list & (n->page_bytes - 1)) {
            return NVME_INVALID_PRP_OFFSET;
        }
    }
    return NVME_SUCCESS;
}

static uint16_t map_prps(FemuZns *n, uint64_t prp1, uint64_t prp2,
                         uint64_t bytes)
{
    uint64_t first_bytes = n->page_bytes - (prp1 & (n->page_bytes - 1));

    if (prp1 & 3) {
        return NVME_INVALID_PRP_OFFSET;
    }
    first_bytes = MIN(first_bytes, bytes);
    map_add(n, prp1, first_bytes);
    bytes -= first_bytes;
    if (!bytes) {
        return NVME_SUCCESS;
    }
    if (bytes <= n->page_bytes) {
        return map_add_page(n, prp2, &bytes);
    }
    return map_list(n, prp2, bytes);
}

/* Can all of the mapping be reached in this direction? */
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
        status = map_prps(n, le64_to_cpu(cmd->dptr.prp1),
                          le64_to_cpu(cmd->dptr.prp2), bytes);
    } else {
        status = femu_sgl_map(n, &cmd->dptr.sgl, bytes);
    }
    if (!status && !map_reachable(n, direction)) {
        status = NVME_DATA_TRAS_ERROR;
    }
    if (status) {
        trace_femu_map_failed(le16_to_cpu(cmd->cid), status);
    }
    return status;
}

/* Copy all of the mapped memory into `buf`. */
uint16_t femu_dma_from_host(FemuZns *n, void *buf)
{
    uint8_t *to = buf;

    for (uint32_t i = 0; i < n->seg_count; i++) {
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
        if (!femu_dma_write(n, n->seg[i].addr, from, n->seg[i].bytes)) {
            return NVME_DATA_TRAS_ERROR;
        }
        from += n->seg[i].bytes;
    }
    return NVME_SUCCESS;
}

/* Answer a command with `bytes` of data. */
uint16_t femu_dma_reply(FemuZns *n, const NvmeCmd *cmd, const void *buf,
                        uint64_t bytes)
{
    uint16_t status = femu_dma_map(n, cmd, bytes, DMA_DIRECTION_FROM_DEVICE);

    return status ? status : femu_dma_to_host(n, buf);
}
