/*
 * Scatter gather lists (NVMe base 2.0, 4.1.2): data blocks, segments and last
 * segments, at byte granularity.
 *
 * Knows nothing of what the data is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "mapping_internal.h"

/* Descriptors of a segment that are read from the host at a time. */
#define SGL_BATCH 64

/*
 * A walk through a list. `budget` bounds the descriptors that are looked at: a
 * guest can chain segments into a ring that holds no data.
 */
typedef struct SglWalk {
    FemuZns *n;
    uint64_t bytes;             /* still to be mapped */
    uint32_t budget;
} SglWalk;

static bool is_segment(const NvmeSglDescriptor *descriptor)
{
    return NVME_SGL_TYPE(descriptor->type) == NVME_SGL_DESCR_TYPE_SEGMENT;
}

static bool is_last_segment(const NvmeSglDescriptor *descriptor)
{
    return NVME_SGL_TYPE(descriptor->type) == NVME_SGL_DESCR_TYPE_LAST_SEGMENT;
}

/* Map a data block. All of a command's must add up to its length exactly. */
static uint16_t walk_block(SglWalk *walk, const NvmeSglDescriptor *block)
{
    uint32_t block_bytes = le32_to_cpu(block->len);

    if (NVME_SGL_TYPE(block->type) != NVME_SGL_DESCR_TYPE_DATA_BLOCK ||
        NVME_SGL_SUBTYPE(block->type) != NVME_SGL_DESCR_SUBTYPE_ADDRESS) {
        return NVME_SGL_DESCR_TYPE_INVALID;
    }
    if (block_bytes > walk->bytes) {
        return NVME_DATA_SGL_LEN_INVALID;
    }
    if (block_bytes && !femu_dma_map_add(walk->n, le64_to_cpu(block->addr),
                                         block_bytes)) {
        return NVME_INVALID_NUM_SGL_DESCRS;
    }
    walk->bytes -= block_bytes;
    return NVME_SUCCESS;
}

/*
 * Map `count` data blocks that lie at `addr`. A segment among them has a status
 * of its own (NVMe base 2.0, 3.3.3.2.1): 0Dh in the last segment, which leads to
 * no other, 0Eh in one that has descriptors behind it.
 * Return: status.
 */
static uint16_t walk_blocks(SglWalk *walk, uint64_t addr, uint64_t count,
                            bool last)
{
    NvmeSglDescriptor batch[SGL_BATCH];

    if (count > walk->budget) {
        return NVME_INVALID_NUM_SGL_DESCRS;
    }
    walk->budget -= count;
    while (count) {
        uint64_t now = MIN(count, SGL_BATCH);

        if (!femu_dma_read(walk->n, addr, batch, now * sizeof(batch[0]))) {
            return NVME_DATA_TRAS_ERROR;
        }
        for (uint64_t i = 0; i < now; i++) {
            uint16_t status;

            if (is_segment(&batch[i]) || is_last_segment(&batch[i])) {
                return last ? NVME_INVALID_SGL_SEG_DESCR
                            : NVME_INVALID_NUM_SGL_DESCRS;
            }
            status = walk_block(walk, &batch[i]);
            if (status) {
                return status;
            }
        }
        addr += now * sizeof(batch[0]);
        count -= now;
    }
    return NVME_SUCCESS;
}

/*
 * Walk the segment that *descriptor points to. In the last segment, all
 * descriptors are data blocks. In any other, the last descriptor points to the
 * next segment, and replaces *descriptor.
 */
static uint16_t walk_segment(SglWalk *walk, NvmeSglDescriptor *descriptor)
{
    bool last = is_last_segment(descriptor);
    uint64_t addr = le64_to_cpu(descriptor->addr);
    uint32_t segment_bytes = le32_to_cpu(descriptor->len);
    uint64_t count = segment_bytes / sizeof(*descriptor);
    uint16_t status;

    if (!count || segment_bytes % sizeof(*descriptor) ||
        NVME_SGL_SUBTYPE(descriptor->type) != NVME_SGL_DESCR_SUBTYPE_ADDRESS) {
        return NVME_INVALID_SGL_SEG_DESCR;
    }
    status = walk_blocks(walk, addr, last ? count : count - 1, last);
    if (status || last) {
        return status;
    }
    if (!walk->budget--) {
        return NVME_INVALID_NUM_SGL_DESCRS;
    }
    addr += (count - 1) * sizeof(*descriptor);
    if (!femu_dma_read(walk->n, addr, descriptor, sizeof(*descriptor))) {
        return NVME_DATA_TRAS_ERROR;
    }
    if (!is_segment(descriptor) && !is_last_segment(descriptor)) {
        return NVME_INVALID_SGL_SEG_DESCR;
    }
    return NVME_SUCCESS;
}

/* Map the `bytes` of a command whose SGL entry 1 is `first`. */
uint16_t femu_sgl_map(FemuZns *n, const NvmeSglDescriptor *first,
                      uint64_t bytes)
{
    SglWalk walk = { .n = n, .bytes = bytes, .budget = 2 * n->seg_max };
    NvmeSglDescriptor descriptor = *first;
    uint16_t status;
    bool last;

    if (!is_segment(first) && !is_last_segment(first)) {
        status = walk_block(&walk, first);
    } else {
        do {
            last = is_last_segment(&descriptor);
            status = walk_segment(&walk, &descriptor);
        } while (!status && !last);
    }
    if (!status && walk.bytes) {
        status = NVME_DATA_SGL_LEN_INVALID;
    }
    return status;
}
