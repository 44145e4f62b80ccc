/*
 * Zone Management Send, and the descriptor extensions that it sets.
 *
 * Knows nothing of which transitions are legal, or of time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/bitmap.h"
#include "femu.h"

/* The core's operation for a Zone Send Action, or SSD_OP_COUNT. */
static SsdOp send_op(const FemuZns *n, const NvmeZoneSendCmd *send)
{
    switch (send->zsa) {
    case NVME_ZONE_ACTION_OPEN:
        /* no zone can have a random write area */
        return send->zsflags & NVME_ZSFLAG_ZRWA_ALLOC ? SSD_OP_COUNT
                                                      : SSD_OP_ZONE_OPEN;
    case NVME_ZONE_ACTION_CLOSE:
        return SSD_OP_ZONE_CLOSE;
    case NVME_ZONE_ACTION_FINISH:
        return SSD_OP_ZONE_FINISH;
    case NVME_ZONE_ACTION_RESET:
        return SSD_OP_ZONE_RESET;
    case NVME_ZONE_ACTION_OFFLINE:
        return SSD_OP_ZONE_OFFLINE;
    case NVME_ZONE_ACTION_SET_ZD_EXT:
        return n->zone_ext_bytes ? SSD_OP_ZONE_SET_EXTENSION : SSD_OP_COUNT;
    default:
        return SSD_OP_COUNT;
    }
}

/* Drop the data and the descriptor extension of a zone. */
void femu_zone_forget(FemuZns *n, uint32_t zone_idx)
{
    if (n->store.written_bytes[zone_idx]) {
        femu_store_reset(&n->store, zone_idx);
    }
    clear_bit(zone_idx, n->zone_ext_valid);
}

/* What has become of the zones that the command may have emptied? */
static void forget_emptied(FemuZns *n, const SsdCmd *cmd)
{
    uint64_t zone_nlb = n->params.zone_size_bytes / n->params.lba_bytes;

    if (!cmd->select_all) {
        femu_zone_forget(n, cmd->slba / zone_nlb);
        return;
    }
    for (uint32_t i = 0; i < n->params.zones; i++) {
        SsdZoneState state = ssd_zone(n->ssd, i).state;

        if (state == SSD_ZONE_EMPTY || state == SSD_ZONE_OFFLINE) {
            femu_zone_forget(n, i);
        }
    }
}

static void set_extension(FemuZns *n, const SsdCmd *cmd)
{
    uint64_t zone_nlb = n->params.zone_size_bytes / n->params.lba_bytes;
    uint32_t zone_idx = cmd->slba / zone_nlb;

    memcpy(n->zone_ext + zone_idx * (size_t)n->zone_ext_bytes, n->bounce,
           n->zone_ext_bytes);
    set_bit(zone_idx, n->zone_ext_valid);
}

/* The extension of a zone's descriptor, or NULL if none is valid. */
const void *femu_zone_ext(const FemuZns *n, uint32_t zone_idx)
{
    return test_bit(zone_idx, n->zone_ext_valid)
           ? n->zone_ext + zone_idx * (size_t)n->zone_ext_bytes : NULL;
}

/*
 * Actions that the drive does not offer are Invalid Field: ZRWA Flush, and
 * Set Zone Descriptor Extension unless descriptors have extensions.
 */
uint16_t femu_zone_send(FemuZns *n, FemuSq *sq, const NvmeCmd *cmd)
{
    const NvmeZoneSendCmd *send = (const NvmeZoneSendCmd *)cmd;
    SsdCmd zone_cmd = {
        .op = send_op(n, send),
        .select_all = send->zsflags & NVME_ZSFLAG_SELECT_ALL,
        .slba = le64_to_cpu(send->slba),
    };
    uint64_t lba;
    FemuReq *req;
    uint16_t status = NVME_SUCCESS;

    if (zone_cmd.op == SSD_OP_COUNT) {
        return NVME_INVALID_FIELD;
    }
    if (zone_cmd.op == SSD_OP_ZONE_SET_EXTENSION && !zone_cmd.select_all) {
        status = femu_dma_map(n, cmd, n->zone_ext_bytes,
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
        forget_emptied(n, &zone_cmd);
    } else if (zone_cmd.op == SSD_OP_ZONE_SET_EXTENSION) {
        set_extension(n, &zone_cmd);
    }
    return NVME_NO_COMPLETE;
}

/* ZNS 1.1, figure 50: ZDES counts units of 64 bytes in 8 bits. */
bool femu_zone_ext_check(const FemuZns *n, Error **errp)
{
    uint32_t max_bytes = MIN(UINT8_MAX * FEMU_ZONE_EXT_UNIT_BYTES,
                             n->params.mdts_bytes);

    if (n->zone_ext_bytes % FEMU_ZONE_EXT_UNIT_BYTES ||
        n->zone_ext_bytes > max_bytes) {
        error_setg(errp, "zd-extension-size=%" PRIu32 " must be 0 (none) or a "
                   "multiple of %d up to %" PRIu32, n->zone_ext_bytes,
                   FEMU_ZONE_EXT_UNIT_BYTES, max_bytes);
        return false;
    }
    return true;
}

void femu_zone_ext_init(FemuZns *n)
{
    n->zone_ext = g_malloc0_n(n->params.zones, n->zone_ext_bytes);
    n->zone_ext_valid = bitmap_new(n->params.zones);
}

void femu_zone_ext_exit(FemuZns *n)
{
    g_clear_pointer(&n->zone_ext, g_free);
    g_clear_pointer(&n->zone_ext_valid, g_free);
}
