/*
 * Namespace Attachment (NVMe base 2.0, 5.20).
 *
 * The subsystem has one controller, and its namespaces are made at start:
 * Namespace Management, which creates and deletes them, is not offered.
 *
 * Knows nothing of commands that are inside: they complete.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "admin_internal.h"
#include "../event/event.h"
#include "../host/host.h"
#include "../ns/ns.h"

#define SEL_MASK 0xf                    /* CDW10 3:0 */
#define CTRL_LIST_BYTES 4096

/*
 * Read the command's controller list into the bounce buffer: the number of
 * controllers, then their identifiers. It must be the only controller, 0.
 */
static uint16_t ctrl_list_read(FemuZns *n, const NvmeCmd *cmd)
{
    uint16_t status = femu_dma_map(n, cmd, CTRL_LIST_BYTES,
                                   DMA_DIRECTION_TO_DEVICE);

    if (!status) {
        status = femu_dma_from_host(n, n->bounce);
    }
    if (status) {
        return status;
    }
    return lduw_le_p(n->bounce) == 1 && lduw_le_p(n->bounce + 2) == 0
           ? NVME_SUCCESS : NVME_NS_CTRL_LIST_INVALID;
}

static uint16_t attach_check(const FemuZns *n, const FemuNs *ns)
{
    if (ns->attached) {
        return NVME_NS_ALREADY_ATTACHED;
    }
    return femu_ns_set_enabled(n, ns) ? NVME_SUCCESS : NVME_IOCS_NOT_ENABLED;
}

/* Attach or detach a namespace. A controller reset does not undo it. */
uint16_t femu_ns_attachment(FemuZns *n, const NvmeCmd *cmd)
{
    FemuNs *ns = femu_ns(n, le32_to_cpu(cmd->nsid));
    uint8_t sel = le32_to_cpu(cmd->cdw10) & SEL_MASK;
    bool attach = sel == NVME_NS_ATTACHMENT_ATTACH;
    uint16_t status;

    if (!ns) {
        return NVME_INVALID_NSID;
    }
    if (!attach && sel != NVME_NS_ATTACHMENT_DETACH) {
        return NVME_INVALID_FIELD;
    }
    status = ctrl_list_read(n, cmd);
    if (!status && attach) {
        status = attach_check(n, ns);
    } else if (!status && !ns->attached) {
        status = NVME_NS_NOT_ATTACHED;
    }
    if (status) {
        return status;
    }
    ns->attached = attach;
    if (!attach) { /* its log page can be read no more: nobody waits for that */
        femu_notice_log_read(n, FEMU_LOG_CHANGED_ZONES, ns->nsid);
    }
    femu_ns_changed(n, ns);
    return NVME_SUCCESS;
}
