/*
 * PRP entries and lists (NVMe base 2.0, 4.1.1).
 *
 * Knows nothing of what the data is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "mapping_internal.h"

#define PRP_BYTES sizeof(uint64_t)

/* Entries of a PRP list that are read from the host at a time. */
#define PRP_BATCH 64

/* Where in its page an address is. */
static uint64_t in_page(const FemuZns *n, uint64_t addr)
{
    return addr & (n->page_bytes - 1);
}

/* As femu_dma_map_add(), which cannot fail: seg_max covers MDTS in pages. */
static void map_add(FemuZns *n, uint64_t addr, uint64_t bytes)
{
    bool added = femu_dma_map_add(n, addr, bytes);

    assert(added);
}

/*
 * Map the page of a PRP entry other than PRP1: it must have offset 0. *bytes,
 * what is still to be mapped, becomes less by what the page holds.
 */
static uint16_t map_add_page(FemuZns *n, uint64_t entry, uint64_t *bytes)
{
    uint64_t chunk_bytes = MIN(*bytes, n->page_bytes);

    if (in_page(n, entry)) {
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
 * Map `bytes` by the PRP list at `list` (NVMe base 2.0, 4.1.1): if a page of
 * the list cannot hold all entries that are left, its last slot holds the
 * address of the list's next page. The loop ends, because each page of the list
 * maps at least one entry; only the first may have nothing but that last slot.
 */
static uint16_t map_list(FemuZns *n, uint64_t list, uint64_t bytes)
{
    if (list & (PRP_BYTES - 1)) {
        return NVME_INVALID_PRP_OFFSET;
    }
    while (bytes) {
        uint64_t slots = (n->page_bytes - in_page(n, list)) / PRP_BYTES;
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
        if (in_page(n, list)) {
            return NVME_INVALID_PRP_OFFSET;
        }
    }
    return NVME_SUCCESS;
}

/* Map the `bytes` of a command by its two entries. Return: status. */
uint16_t femu_prp_map(FemuZns *n, uint64_t prp1, uint64_t prp2, uint64_t bytes)
{
    uint64_t first_bytes = n->page_bytes - in_page(n, prp1);

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
