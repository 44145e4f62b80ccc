/*
 * Features whose value is a data structure: Timestamp and Host Identifier
 * (NVMe base 2.0, 5.27.1.14 and 5.27.1.25).
 *
 * Knows nothing of the features that are one dword.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "admin_internal.h"
#include "../host/host.h"

#define EXHID (1u << 0)                 /* CDW11: 128 bits, else 64 */
#define TIMESTAMP_BYTES 8
#define TIMESTAMP_MASK ((UINT64_C(1) << 48) - 1)
#define ORIGIN_SET_FEATURES 1           /* bits 3:1 of byte 6 */
#define NS_PER_MS 1000000

bool femu_feature_has_data(uint8_t fid)
{
    return fid == NVME_TIMESTAMP || fid == FEMU_FEATURE_HOST_ID;
}

static uint32_t data_bytes(uint8_t fid, uint32_t cdw11)
{
    if (fid == NVME_TIMESTAMP) {
        return TIMESTAMP_BYTES;
    }
    return cdw11 & EXHID ? FEMU_HOST_ID_BYTES : FEMU_HOST_ID_BYTES / 2;
}

/*
 * The timestamp: what the host has set, or 0 since the last reset, and the
 * milliseconds of QEMU_CLOCK_VIRTUAL since then. It never stops (Synch is 0).
 */
static uint64_t timestamp_value(const FemuZns *n, const FemuFeatures *values)
{
    uint64_t now_ms = values->timestamp_ms;

    if (values == &n->features) {
        now_ms += (n->clock_ns - values->timestamp_set_at_ns) / NS_PER_MS;
    }
    return (now_ms & TIMESTAMP_MASK) |
           (uint64_t)(values->timestamp_set ? ORIGIN_SET_FEATURES << 1 : 0)
           << 48;
}

/* Transfer the feature's value in `values` (current or default) to the host. */
uint16_t femu_feature_data_get(FemuZns *n, const NvmeCmd *cmd, uint8_t fid,
                               const FemuFeatures *values)
{
    uint8_t data[FEMU_HOST_ID_BYTES];

    if (fid == NVME_TIMESTAMP) {
        stq_le_p(data, timestamp_value(n, values));
    } else {
        memcpy(data, values->host_id, sizeof(data));
    }
    return femu_dma_reply(n, cmd, data,
                          data_bytes(fid, le32_to_cpu(cmd->cdw11)));
}

uint16_t femu_feature_data_set(FemuZns *n, const NvmeCmd *cmd, uint8_t fid)
{
    uint8_t data[FEMU_HOST_ID_BYTES] = {};
    uint16_t status = femu_dma_map(n, cmd,
                                   data_bytes(fid, le32_to_cpu(cmd->cdw11)),
                                   DMA_DIRECTION_TO_DEVICE);

    if (!status) {
        status = femu_dma_from_host(n, data);
    }
    if (status) {
        return status;
    }
    if (fid == NVME_TIMESTAMP) {
        n->features.timestamp_ms = ldq_le_p(data) & TIMESTAMP_MASK;
        n->features.timestamp_set_at_ns = n->clock_ns;
        n->features.timestamp_set = true;
    } else {
        memcpy(n->features.host_id, data, sizeof(data));
    }
    return NVME_SUCCESS;
}
