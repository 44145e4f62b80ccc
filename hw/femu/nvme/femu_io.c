/*
 * I/O commands: decoding, the data path, and the order of effects.
 *
 * Host buffers are found and checked, and a write's data is copied, before the
 * core is asked; what the core accepts has then taken effect in full, and host
 * memory is not touched again but for the completion.
 *
 * Knows nothing of zone rules or time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "system/dma.h"
#include "femu.h"

/* Read, Write and Append: CDW10-11 is the LBA, CDW12 15:0 the 0's based NLB. */
static SsdCmd rw_decode(const NvmeCmd *cmd, SsdOp op)
{
    return (SsdCmd) {
        .op = op,
        .slba = le32_to_cpu(cmd->cdw10) |
                (uint64_t)le32_to_cpu(cmd->cdw11) << 32,
        .nlb = (le32_to_cpu(cmd->cdw12) & 0xffff) + 1,
    };
}

static uint16_t io_flush(FemuZns *n, FemuSq *sq, const NvmeCmd *cmd)
{
    SsdCmd flush = { .op = SSD_OP_FLUSH };
    uint64_t lba;
    FemuReq *req;
    uint16_t status = femu_req_submit(n, sq, le16_to_cpu(cmd->cid), &flush,
                                      &lba, &req);

    return status ? status : NVME_NO_COMPLETE;
}

/*
 * Does the transfer exceed MDTS (for an append ZASL, which is not larger)?
 * Those are Invalid Field before any other error of the command.
 */
static bool rw_too_long(const FemuZns *n, const SsdCmd *rw)
{
    uint64_t max_bytes = rw->op == SSD_OP_APPEND ? n->params.zasl_bytes
                                                 : n->params.mdts_bytes;

    return rw->nlb * (uint64_t)n->params.lba_bytes > max_bytes;
}

static uint16_t io_read(FemuZns *n, FemuSq *sq, const NvmeCmd *cmd)
{
    SsdCmd read = rw_decode(cmd, SSD_OP_READ);
    uint64_t bytes = read.nlb * (uint64_t)n->params.lba_bytes;
    uint64_t lba;
    const void *data;
    FemuReq *req;
    uint16_t status;

    if (rw_too_long(n, &read)) {
        return NVME_INVALID_FIELD;
    }
    status = femu_dma_map(n, cmd, bytes, DMA_DIRECTION_FROM_DEVICE);
    if (status) {
        return status;
    }
    status = femu_req_submit(n, sq, le16_to_cpu(cmd->cid), &read, &lba, &req);
    if (status) {
        return status;
    }
    req->status = femu_inject_read(n, lba, read.nlb);
    if (!req->status) {
        data = femu_store_read(&n->store, lba * n->params.lba_bytes, bytes,
                               n->bounce);
        req->status = femu_dma_to_host(n, data);
    }
    if (req->status) {
        femu_log_error(n, sq, cmd, req->status);
    }
    n->smart.read_commands++;
    n->smart.read_bytes += bytes;
    return NVME_NO_COMPLETE;
}

static uint16_t io_write(FemuZns *n, FemuSq *sq, const NvmeCmd *cmd, SsdOp op)
{
    SsdCmd write = rw_decode(cmd, op);
    uint64_t bytes = write.nlb * (uint64_t)n->params.lba_bytes;
    uint64_t lba;
    FemuReq *req;
    uint16_t status;

    if (rw_too_long(n, &write)) {
        return NVME_INVALID_FIELD;
    }
    status = femu_dma_map(n, cmd, bytes, DMA_DIRECTION_TO_DEVICE);
    if (!status) {
        status = femu_dma_from_host(n, n->bounce);
    }
    if (!status) {
        status = femu_inject_write(n, &write);
    }
    if (!status) {
        status = femu_req_submit(n, sq, le16_to_cpu(cmd->cid), &write, &lba,
                                 &req);
    }
    if (status) {
        return status;
    }
    femu_store_write(&n->store, lba * n->params.lba_bytes, n->bounce, bytes);
    n->smart.write_commands++;
    n->smart.written_bytes += bytes;
    return NVME_NO_COMPLETE;
}

/* Drop the data of the zones that a reset has emptied. */
static void zone_send_forget(FemuZns *n, const SsdCmd *cmd)
{
    uint64_t zone_nlb = n->params.zone_size_bytes / n->params.lba_bytes;

    if (!cmd->select_all) {
        femu_store_reset(&n->store, cmd->slba / zone_nlb);
        return;
    }
    for (uint32_t i = 0; i < n->params.zones; i++) {
        if (n->store.written_bytes[i] &&
            ssd_zone(n->ssd, i).state == SSD_ZONE_EMPTY) {
            femu_store_reset(&n->store, i);
        }
    }
}

/*
 * Offline applies to read-only zones only, and this drive has none: all of
 * them is nothing to do, any one is in the wrong state (ZNS 1.1, 3.4.3.1).
 */
static uint16_t zone_send_offline(FemuZns *n, const SsdCmd *cmd)
{
    uint64_t zone_nlb = n->params.zone_size_bytes / n->params.lba_bytes;

    if (cmd->select_all) {
        return NVME_SUCCESS;
    }
    if (cmd->slba >= femu_ns_size_lba(n)) {
        return NVME_LBA_RANGE;
    }
    if (cmd->slba % zone_nlb) {
        return NVME_INVALID_FIELD;
    }
    return NVME_ZONE_INVAL_TRANSITION;
}

/* The core's operation for a Zone Send Action, or SSD_OP_COUNT. */
static SsdOp zone_send_op(uint8_t action)
{
    switch (action) {
    case NVME_ZONE_ACTION_OPEN:
        return SSD_OP_ZONE_OPEN;
    case NVME_ZONE_ACTION_CLOSE:
        return SSD_OP_ZONE_CLOSE;
    case NVME_ZONE_ACTION_FINISH:
        return SSD_OP_ZONE_FINISH;
    case NVME_ZONE_ACTION_RESET:
        return SSD_OP_ZONE_RESET;
    default:
        return SSD_OP_COUNT;
    }
}

/*
 * Zone Management Send. Set Zone Descriptor Extension and ZRWA Flush are
 * Invalid Field, as is an open with a ZRWA: the drive offers neither.
 */
static uint16_t io_zone_send(FemuZns *n, FemuSq *sq, const NvmeCmd *cmd)
{
    const NvmeZoneSendCmd *send = (const NvmeZoneSendCmd *)cmd;
    SsdCmd zone_cmd = {
        .op = zone_send_op(send->zsa),
        .select_all = send->zsflags & NVME_ZSFLAG_SELECT_ALL,
        .slba = le64_to_cpu(send->slba),
    };
    uint64_t lba;
    FemuReq *req;
    uint16_t status;

    if (send->zsa == NVME_ZONE_ACTION_OFFLINE) {
        return zone_send_offline(n, &zone_cmd);
    }
    if (zone_cmd.op == SSD_OP_COUNT ||
        (zone_cmd.op == SSD_OP_ZONE_OPEN &&
         (send->zsflags & NVME_ZSFLAG_ZRWA_ALLOC))) {
        return NVME_INVALID_FIELD;
    }
    status = femu_req_submit(n, sq, le16_to_cpu(cmd->cid), &zone_cmd, &lba,
                             &req);
    if (status) {
        return status;
    }
    if (zone_cmd.op == SSD_OP_ZONE_RESET) {
        zone_send_forget(n, &zone_cmd);
    }
    return NVME_NO_COMPLETE;
}

/* Only Flush takes the broadcast identifier (VWC bits 2:1 = 11b). */
static uint16_t io_check_namespace(const FemuZns *n, const NvmeCmd *cmd)
{
    uint32_t nsid = le32_to_cpu(cmd->nsid);

    if (nsid == NVME_NSID_BROADCAST && cmd->opcode == NVME_CMD_FLUSH) {
        return NVME_SUCCESS;
    }
    if (nsid != FEMU_NSID) {
        return NVME_INVALID_NSID;
    }
    return femu_ns_active(n) ? NVME_SUCCESS : NVME_INVALID_FIELD;
}

uint16_t femu_io_execute(FemuZns *n, FemuSq *sq, const NvmeCmd *cmd)
{
    uint16_t status = io_check_namespace(n, cmd);

    if (status) {
        return status;
    }
    switch (cmd->opcode) {
    case NVME_CMD_FLUSH:
        return io_flush(n, sq, cmd);
    case NVME_CMD_READ:
        return io_read(n, sq, cmd);
    case NVME_CMD_WRITE:
        return io_write(n, sq, cmd, SSD_OP_WRITE);
    case NVME_CMD_ZONE_APPEND:
        return io_write(n, sq, cmd, SSD_OP_APPEND);
    case NVME_CMD_ZONE_MGMT_SEND:
        return io_zone_send(n, sq, cmd);
    case NVME_CMD_ZONE_MGMT_RECV:
        return femu_zone_receive(n, cmd);
    default:
        return NVME_INVALID_OPCODE;
    }
}
