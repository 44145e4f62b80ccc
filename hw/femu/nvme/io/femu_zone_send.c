/*
 * Zone Management Send, and the descriptor extensions that it sets.
 *
 * Knows nothing of which transitions are legal, or of time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "io_internal.h"
#include "../host/host.h"
#include "../ns/ns.h"
#include "../record/record.h"
#include "../request/request.h"

/* Is the action also to allocate a ZRWA to the zone (TP 4076b, ZRWAA)? */
static bool wants_zrwa(const NvmeZoneSendCmd *send)
{
    return send->zsflags & NVME_ZSFLAG_ZRWA_ALLOC;
}

/*
 * Set Zone Descriptor Extension. If the drive has no ZRWAs, bit ZRWAA is
 * reserved and ignored.
 */
static SsdOp set_extension_op(const FemuZns *n, const NvmeZoneSendCmd *send)
{
    if (!n->params.zone_ext_bytes) {
        return SSD_OP_COUNT;
    }
    return wants_zrwa(send) && n->params.zrwa_bytes
           ? SSD_OP_ZONE_SET_EXTENSION_ZRWA : SSD_OP_ZONE_SET_EXTENSION;
}

/* The core's operation for a Zone Send Action, or SSD_OP_COUNT. */
static SsdOp send_op(const FemuZns *n, const NvmeZoneSendCmd *send)
{
    bool has_zrwa = n->params.zrwa_bytes;

    switch (send->zsa) {
    case NVME_ZONE_ACTION_OPEN:
        if (!wants_zrwa(send)) {
            return SSD_OP_ZONE_OPEN;
        }
        return has_zrwa ? SSD_OP_ZONE_OPEN_ZRWA : SSD_OP_COUNT;
    case NVME_ZONE_ACTION_CLOSE:
        return SSD_OP_ZONE_CLOSE;
    case NVME_ZONE_ACTION_FINISH:
        return SSD_OP_ZONE_FINISH;
    case NVME_ZONE_ACTION_RESET:
        return SSD_OP_ZONE_RESET;
    case NVME_ZONE_ACTION_OFFLINE:
        return SSD_OP_ZONE_OFFLINE;
    case NVME_ZONE_ACTION_SET_ZD_EXT:
        return set_extension_op(n, send);
    case NVME_ZONE_ACTION_ZRWA_FLUSH:
        return has_zrwa ? SSD_OP_ZONE_FLUSH_ZRWA : SSD_OP_COUNT;
    default:
        return SSD_OP_COUNT;
    }
}

static void set_extension(FemuZns *n, FemuNs *ns, const SsdCmd *cmd)
{
    uint32_t zone_idx = cmd->slba / femu_ns_zone_nlb(ns);
    size_t bytes = n->params.zone_ext_bytes;

    memcpy(ns->zone_ext + zone_idx * bytes, n->bounce, bytes);
    femu_journal_kept_bytes(n, ns->zone_ext + zone_idx * bytes, bytes);
}

static bool sets_extension(SsdOp op)
{
    return op == SSD_OP_ZONE_SET_EXTENSION ||
           op == SSD_OP_ZONE_SET_EXTENSION_ZRWA;
}

/*
 * Actions that the drive does not offer are Invalid Field: those for a ZRWA if
 * it has none, and Set Zone Descriptor Extension if descriptors have none.
 */
uint16_t femu_zone_send(FemuZns *n, FemuNs *ns, FemuSq *sq,
                        const NvmeCmd *cmd)
{
    const NvmeZoneSendCmd *send = (const NvmeZoneSendCmd *)cmd;
    SsdCmd zone_cmd = {
        .op = send_op(n, send),
        .nsid = ns->nsid,
        .select_all = send->zsflags & NVME_ZSFLAG_SELECT_ALL,
        .slba = le64_to_cpu(send->slba),
    };
    uint64_t lba;
    uint32_t zones;
    FemuReq *req;
    uint16_t status = NVME_SUCCESS;

    if (zone_cmd.op == SSD_OP_COUNT) {
        return NVME_INVALID_FIELD;
    }
    zones = zone_cmd.select_all
            ? ssd_count_selected(n->ssd, ns->nsid, zone_cmd.op) : 1;
    if (sets_extension(zone_cmd.op) && !zone_cmd.select_all) {
        status = femu_dma_map(n, cmd, n->params.zone_ext_bytes,
                              DMA_DIRECTION_TO_DEVICE);
        if (!status) {
            status = femu_dma_from_host(n, n->bounce);
        }
    }
    if (!status) {
        status = femu_req_submit(n, sq, le16_to_cpu(cmd->cid), &zone_cmd,
                                 &lba, &req);
    }
    if (status) {
        return status;
    }
    if (zone_cmd.op == SSD_OP_ZONE_RESET ||
        zone_cmd.op == SSD_OP_ZONE_OFFLINE) {
        if (!femu_history_flush(n)) {
            return NVME_NO_COMPLETE;
        }
    } else if (sets_extension(zone_cmd.op)) {
        set_extension(n, ns, &zone_cmd);
    }
    n->entry.work_bytes += zones * (uint64_t)FEMU_ZONE_WORK_BYTES;
    femu_zones_managed(n, ns, &zone_cmd, req - n->req);
    return NVME_NO_COMPLETE;
}
