/*
 * I/O commands: decoding, the data path, and the order of effects.
 *
 * The command's host memory is found and checked, and a write's data copied
 * from it, before the command is submitted to the core. If the core accepts the
 * command, it takes effect at once and in full; so a read's data is copied to
 * host memory right then. Later only the completion is written there.
 *
 * Knows nothing of zone rules or time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "system/dma.h"
#include "io_internal.h"
#include "../completion/completion.h"
#include "../host/host.h"
#include "../ns/ns.h"
#include "../request/request.h"

/* CDW12: 15:0 the number of blocks, 0's based. */
static SsdCmd rw_decode(const FemuNs *ns, const NvmeCmd *cmd, SsdOp op)
{
    return (SsdCmd) {
        .op = op,
        .nsid = ns->nsid,
        .slba = femu_cmd_slba(cmd),
        .nlb = (le32_to_cpu(cmd->cdw12) & 0xffff) + 1,
    };
}

/* Flush a namespace, or all if ns is NULL; either flushes the whole drive. */
static uint16_t io_flush(FemuZns *n, FemuNs *ns, FemuSq *sq,
                         const NvmeCmd *cmd)
{
    SsdCmd flush = {
        .op = SSD_OP_FLUSH,
        .nsid = ns ? ns->nsid : SSD_NSID_ALL,
    };
    uint64_t lba;
    FemuReq *req;
    uint16_t status = femu_req_submit(n, sq, le16_to_cpu(cmd->cid), &flush,
                                      &lba, &req);

    return status ? status : NVME_NO_COMPLETE;
}

/*
 * Does the command exceed MDTS, ZASL or WZSL, whichever applies to it? This is
 * checked before all else; the status is Invalid Field.
 */
static bool rw_too_long(const FemuZns *n, const FemuNs *ns, const SsdCmd *rw)
{
    return rw->nlb * (uint64_t)ns->lba_bytes >
           ssd_op_limit_bytes(&n->params, rw->op);
}

static uint16_t io_read(FemuZns *n, FemuNs *ns, FemuSq *sq,
                        const NvmeCmd *cmd)
{
    SsdCmd read = rw_decode(ns, cmd, SSD_OP_READ);
    uint64_t bytes = read.nlb * (uint64_t)ns->lba_bytes;
    uint64_t lba;
    const void *data;
    FemuReq *req;
    uint16_t status;

    if (rw_too_long(n, ns, &read)) {
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
    /* What it reads must be safe then (NVM command set 1.0, 3.2.4). */
    req->then_flush = femu_cache_is_volatile(n) && femu_io_fua(cmd);
    req->status = femu_inject_read(n, ns, lba, read.nlb);
    if (!req->status) {
        data = femu_store_read(&ns->store, lba * ns->lba_bytes, bytes,
                               n->bounce);
        req->status = femu_dma_to_host(n, data);
    }
    if (req->status) {
        femu_log_error(n, sq, cmd, req->status);
    }
    ns->smart->read_commands++;
    ns->smart->read_bytes += bytes;
    return NVME_NO_COMPLETE;
}

/* Copy the command's data from host memory into the bounce buffer. */
static uint16_t rw_fetch_data(FemuZns *n, const FemuNs *ns, const NvmeCmd *cmd,
                              const SsdCmd *rw)
{
    uint64_t bytes = rw->nlb * (uint64_t)ns->lba_bytes;
    uint16_t status;

    if (rw_too_long(n, ns, rw)) {
        return NVME_INVALID_FIELD;
    }
    status = femu_dma_map(n, cmd, bytes, DMA_DIRECTION_TO_DEVICE);
    return status ? status : femu_dma_from_host(n, n->bounce);
}

static uint16_t io_write(FemuZns *n, FemuNs *ns, FemuSq *sq,
                         const NvmeCmd *cmd, SsdOp op)
{
    SsdCmd write = rw_decode(ns, cmd, op);
    uint64_t bytes = write.nlb * (uint64_t)ns->lba_bytes;
    uint64_t lba;
    FemuReq *req;
    uint16_t status;

    status = rw_fetch_data(n, ns, cmd, &write);
    if (!status) {
        status = femu_inject_write(n, ns, &write);
    }
    if (!status) {
        status = femu_req_submit(n, sq, le16_to_cpu(cmd->cid), &write, &lba,
                                 &req);
    }
    if (status) {
        return status;
    }
    req->then_flush = femu_cache_writes_through(n, femu_io_fua(cmd));
    femu_store_write(&ns->store, lba * ns->lba_bytes, n->bounce, bytes);
    ns->smart->write_commands++;
    ns->smart->written_bytes += bytes;
    return NVME_NO_COMPLETE;
}

/* Verify: a read that transfers no data to the host. */
static uint16_t io_verify(FemuZns *n, FemuNs *ns, FemuSq *sq,
                          const NvmeCmd *cmd)
{
    SsdCmd verify = rw_decode(ns, cmd, SSD_OP_VERIFY);
    uint64_t lba;
    FemuReq *req;
    uint16_t status = femu_req_submit(n, sq, le16_to_cpu(cmd->cid), &verify,
                                      &lba, &req);

    if (status) {
        return status;
    }
    req->then_flush = femu_cache_is_volatile(n) && femu_io_fua(cmd);
    req->status = femu_inject_read(n, ns, lba, verify.nlb);
    if (req->status) {
        femu_log_error(n, sq, cmd, req->status);
    }
    ns->smart->read_bytes += verify.nlb * (uint64_t)ns->lba_bytes;
    return NVME_NO_COMPLETE;
}

/*
 * How many of the blocks from `lba` on hold the same data as the bounce buffer,
 * up to the first that does not?
 */
static uint32_t data_equal_nlb(FemuZns *n, const FemuNs *ns, uint64_t lba,
                               uint32_t nlb)
{
    uint32_t lba_bytes = ns->lba_bytes;
    uint8_t block[FEMU_LBA_BYTES_MAX];

    for (uint32_t i = 0; i < nlb; i++) {
        const void *data = femu_store_read(&ns->store, (lba + i) * lba_bytes,
                                           lba_bytes, block);

        if (memcmp(data, n->bounce + (size_t)i * lba_bytes, lba_bytes)) {
            return i;
        }
    }
    return nlb;
}

/* Return: the status of a Compare of blocks that can be read. */
static uint16_t compare_data(FemuZns *n, const FemuNs *ns, uint64_t lba,
                             uint32_t nlb)
{
    uint32_t equal_nlb = data_equal_nlb(n, ns, lba, nlb);

    if (equal_nlb == nlb) {
        return NVME_SUCCESS;
    }
    n->error_lba = lba + equal_nlb;
    return NVME_CMP_FAILURE;
}

static uint16_t io_compare(FemuZns *n, FemuNs *ns, FemuSq *sq,
                           const NvmeCmd *cmd)
{
    SsdCmd compare = rw_decode(ns, cmd, SSD_OP_COMPARE);
    uint64_t bytes = compare.nlb * (uint64_t)ns->lba_bytes;
    uint64_t lba;
    FemuReq *req;
    uint16_t status;

    status = rw_fetch_data(n, ns, cmd, &compare);
    if (!status) {
        status = femu_req_submit(n, sq, le16_to_cpu(cmd->cid), &compare, &lba,
                                 &req);
    }
    if (status) {
        return status;
    }
    req->then_flush = femu_cache_is_volatile(n) && femu_io_fua(cmd);
    req->status = femu_inject_read(n, ns, lba, compare.nlb);
    if (!req->status) {
        req->status = compare_data(n, ns, lba, compare.nlb);
    }
    if (req->status) {
        femu_log_error(n, sq, cmd, req->status);
    }
    ns->smart->read_commands++;
    ns->smart->read_bytes += bytes;
    return NVME_NO_COMPLETE;
}

/*
 * Write Zeroes. The Deallocate bit (DEAC) makes no difference: the blocks would
 * read as zeroes, too, if they were deallocated (DLFEAT bit 3 is 0).
 */
static uint16_t io_write_zeroes(FemuZns *n, FemuNs *ns, FemuSq *sq,
                                const NvmeCmd *cmd)
{
    SsdCmd write = rw_decode(ns, cmd, SSD_OP_WRITE_ZEROES);
    uint64_t lba;
    FemuReq *req;
    uint16_t status;

    if (rw_too_long(n, ns, &write)) {
        return NVME_INVALID_FIELD;
    }
    status = femu_inject_write(n, ns, &write);
    if (!status) {
        status = femu_req_submit(n, sq, le16_to_cpu(cmd->cid), &write, &lba,
                                 &req);
    }
    if (status) {
        return status;
    }
    n->entry.work_bytes += write.nlb * (uint64_t)ns->lba_bytes;
    req->then_flush = femu_cache_writes_through(n, femu_io_fua(cmd));
    femu_store_write_zeroes(&ns->store, lba * ns->lba_bytes,
                            write.nlb * (uint64_t)ns->lba_bytes);
    return NVME_NO_COMPLETE;
}

/*
 * The namespace that the command names, in *ns. Only Flush takes the broadcast
 * identifier (VWC bits 2:1 = 11b), which is no namespace: *ns stays as it is.
 */
static uint16_t io_find_ns(const FemuZns *n, const NvmeCmd *cmd, FemuNs **ns)
{
    uint32_t nsid = le32_to_cpu(cmd->nsid);
    uint16_t status;

    if (nsid == NVME_NSID_BROADCAST && cmd->opcode == NVME_CMD_FLUSH) {
        return femu_format_busy(n, NULL) ? NVME_FORMAT_IN_PROGRESS
                                         : NVME_SUCCESS;
    }
    status = femu_ns_find_active(n, nsid, ns);
    if (!status && femu_format_busy(n, *ns)) {
        status = NVME_FORMAT_IN_PROGRESS;
    }
    return status;
}

/* Is it a command that only the Zoned Namespace Command Set has? */
static bool opcode_zoned(uint8_t opcode)
{
    return opcode == NVME_CMD_ZONE_APPEND ||
           opcode == NVME_CMD_ZONE_MGMT_SEND ||
           opcode == NVME_CMD_ZONE_MGMT_RECV;
}

/* Do CDW10 and CDW11 of the command name a block? */
static bool opcode_has_slba(uint8_t opcode)
{
    return opcode == NVME_CMD_READ || opcode == NVME_CMD_WRITE ||
           opcode == NVME_CMD_COMPARE || opcode == NVME_CMD_WRITE_ZEROES ||
           opcode == NVME_CMD_VERIFY || opcode == NVME_CMD_COPY ||
           opcode_zoned(opcode);
}

uint16_t femu_io_execute(FemuZns *n, FemuSq *sq, const NvmeCmd *cmd)
{
    FemuNs *ns = NULL;
    uint16_t status = io_find_ns(n, cmd, &ns);

    if (opcode_has_slba(cmd->opcode)) {
        n->error_lba = femu_cmd_slba(cmd);
    }
    if (status) {
        return status;
    }
    if (ns && !femu_ns_zoned(ns) && opcode_zoned(cmd->opcode)) {
        return NVME_INVALID_OPCODE;
    }
    switch (cmd->opcode) {
    case NVME_CMD_FLUSH:
        return io_flush(n, ns, sq, cmd);
    case NVME_CMD_READ:
        return io_read(n, ns, sq, cmd);
    case NVME_CMD_WRITE:
        return io_write(n, ns, sq, cmd, SSD_OP_WRITE);
    case NVME_CMD_COMPARE:
        return io_compare(n, ns, sq, cmd);
    case NVME_CMD_WRITE_ZEROES:
        return io_write_zeroes(n, ns, sq, cmd);
    case NVME_CMD_DSM:
        return femu_io_dataset(n, ns, sq, cmd);
    case NVME_CMD_VERIFY:
        return io_verify(n, ns, sq, cmd);
    case NVME_CMD_COPY:
        return femu_io_copy(n, ns, sq, cmd);
    case NVME_CMD_ZONE_APPEND:
        return io_write(n, ns, sq, cmd, SSD_OP_APPEND);
    case NVME_CMD_ZONE_MGMT_SEND:
        return femu_zone_send(n, ns, sq, cmd);
    case NVME_CMD_ZONE_MGMT_RECV:
        return femu_zone_receive(n, ns, sq, cmd);
    default:
        return NVME_INVALID_OPCODE;
    }
}
