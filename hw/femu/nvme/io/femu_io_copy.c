/*
 * I/O commands that name several ranges: Copy and Dataset Management.
 *
 * Knows nothing of zone rules or time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "system/dma.h"
#include "io_internal.h"
#include "../host/host.h"
#include "../ns/ns.h"
#include "../request/request.h"

/*
 * Read `count` source range entries of format 0, the one for blocks without
 * protection information (NVM command set 1.0, figure 38).
 */
static uint16_t read_ranges(FemuZns *n, const FemuNs *ns, const NvmeCmd *cmd,
                            SsdRange *range, uint32_t count)
{
    const NvmeCopySourceRangeFormat0_2 *entry = (const void *)n->bounce;
    uint16_t status = femu_dma_map(n, cmd, count * sizeof(*entry),
                                   DMA_DIRECTION_TO_DEVICE);

    if (!status) {
        status = femu_dma_from_host(n, n->bounce);
    }
    for (uint32_t i = 0; !status && i < count; i++) {
        range[i] = (SsdRange) {
            .slba = le64_to_cpu(entry[i].slba),
            .nlb = le16_to_cpu(entry[i].nlb) + 1,
        };
        if (range[i].nlb > femu_copy_range_max_nlb(n, ns)) {
            status = NVME_CMD_SIZE_LIMIT;
        }
    }
    return status;
}

/*
 * Gather all sources in the bounce buffer before writing any, because they may
 * overlap the destination. Of the SMART log, a Copy is a host read command and
 * a User Data Out command, but reads no data units (NVM command set 1.0, 1.4.2).
 */
static void copy_data(FemuZns *n, FemuNs *ns, const SsdCmd *copy,
                      uint64_t to_lba)
{
    uint32_t lba_bytes = ns->lba_bytes;
    uint8_t *to = n->bounce;

    for (uint32_t i = 0; i < copy->range_count; i++) {
        const SsdRange *range = &copy->ranges[i];
        uint64_t bytes = range->nlb * (uint64_t)lba_bytes;
        const void *data = femu_store_read(&ns->store, range->slba * lba_bytes,
                                           bytes, to);

        if (data != to) {
            memcpy(to, data, bytes);
        }
        to += bytes;
    }
    n->entry.work_bytes += to - n->bounce;
    femu_store_write(&ns->store, to_lba * lba_bytes, n->bounce,
                     to - n->bounce);
    ns->smart->read_commands++;
    ns->smart->write_commands++;
    ns->smart->written_bytes += to - n->bounce;
}

/*
 * Return: the status of a copy if it has bad blocks among its sources or its
 * destination, else success; so, too, if the core will refuse it.
 */
static uint16_t copy_bad_blocks(FemuZns *n, FemuNs *ns,
                                const SsdCmd *copy)
{
    SsdCmd write = *copy;       /* its nlb is 0 */

    if (ssd_ask(n->ssd, n->now_ns, copy).status != SSD_SUCCESS) {
        return NVME_SUCCESS;
    }
    for (uint32_t i = 0; i < copy->range_count; i++) {
        const SsdRange *range = &copy->ranges[i];
        uint16_t status = femu_inject_read(n, ns, range->slba,
                                           range->nlb);

        if (status) {
            return status;
        }
        write.nlb += range->nlb;
    }
    return femu_inject_write(n, ns, &write);
}

/* CDW10-11: destination; CDW12: 7:0 ranges, 0's based, 11:8 their format. */
uint16_t femu_io_copy(FemuZns *n, FemuNs *ns, FemuSq *sq, const NvmeCmd *cmd)
{
    uint32_t cdw12 = le32_to_cpu(cmd->cdw12);
    SsdRange range[SSD_COPY_RANGES_MAX];
    SsdCmd copy = {
        .op = SSD_OP_COPY,
        .nsid = ns->nsid,
        .slba = femu_cmd_slba(cmd),
        .ranges = range,
        .range_count = (cdw12 & 0xff) + 1,
    };
    uint64_t lba;
    FemuReq *req;
    uint16_t status;

    if (extract32(cdw12, 8, 4) != NVME_COPY_FORMAT_0) {
        return NVME_INVALID_FIELD;
    }
    if (copy.range_count > SSD_COPY_RANGES_MAX) {
        return NVME_CMD_SIZE_LIMIT;
    }
    status = read_ranges(n, ns, cmd, range, copy.range_count);
    if (!status) {
        status = copy_bad_blocks(n, ns, &copy);
    }
    if (!status) {
        status = femu_req_submit(n, sq, le16_to_cpu(cmd->cid), &copy, &lba,
                                 &req);
    }
    if (status) {
        return status;
    }
    req->then_flush = femu_cache_writes_through(n, femu_io_fua(cmd));
    copy_data(n, ns, &copy, lba);
    return NVME_NO_COMPLETE;
}

/*
 * Deallocate blocks of a conventional namespace. All of them read as zeroes
 * from now on (DLFEAT), though the core unmaps only the whole granules.
 */
static uint16_t deallocate(FemuZns *n, FemuNs *ns, FemuSq *sq, uint16_t cid,
                           const SsdCmd *cmd)
{
    uint64_t lba, bytes = 0;
    FemuReq *req;
    uint16_t status = femu_req_submit(n, sq, cid, cmd, &lba, &req);

    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < cmd->range_count; i++) {
        const SsdRange *range = &cmd->ranges[i];

        femu_store_deallocate(&ns->store, range->slba * ns->lba_bytes,
                              range->nlb * (uint64_t)ns->lba_bytes);
        bytes += range->nlb * (uint64_t)ns->lba_bytes;
    }
    /* The core looks at each granule once. */
    n->entry.work_bytes += MIN(bytes, ns->size_bytes) / SSD_GRANULE_BYTES *
                           FEMU_GRANULE_WORK_BYTES;
    return NVME_NO_COMPLETE;
}

/*
 * Dataset Management: only its attribute Deallocate has an effect; the others
 * are hints. In a zoned namespace Deallocate has none either, as zones are
 * freed by resets: blocks keep their data, and the command completes at once.
 * But the core is asked: ranges must be valid even so, and no zone offline.
 */
uint16_t femu_io_dataset(FemuZns *n, FemuNs *ns, FemuSq *sq,
                         const NvmeCmd *cmd)
{
    uint32_t count = (le32_to_cpu(cmd->cdw10) & 0xff) + 1;
    const NvmeDsmRange *entry = (const void *)n->bounce;
    SsdRange range[SSD_DEALLOCATE_RANGES_MAX];
    const SsdCmd drop = {
        .op = SSD_OP_DEALLOCATE,
        .nsid = ns->nsid,
        .ranges = range,
        .range_count = count,
    };
    uint16_t status = femu_dma_map(n, cmd, count * sizeof(*entry),
                                   DMA_DIRECTION_TO_DEVICE);

    if (!status) {
        status = femu_dma_from_host(n, n->bounce);
    }
    if (status || !(le32_to_cpu(cmd->cdw11) & NVME_DSMGMT_AD)) {
        return status;
    }
    for (uint32_t i = 0; i < count; i++) {
        range[i] = (SsdRange) {
            .slba = le64_to_cpu(entry[i].slba),
            .nlb = le32_to_cpu(entry[i].nlb),
        };
    }
    return femu_ns_zoned(ns)
           ? ssd_ask(n->ssd, n->now_ns, &drop).status
           : deallocate(n, ns, sq, le16_to_cpu(cmd->cid), &drop);
}
