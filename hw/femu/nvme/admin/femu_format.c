/*
 * Format NVM: makes namespaces empty, with an LBA format that the host chooses.
 *
 * As with any command, what the host can see changes when the command is
 * accepted: LBA format, data, descriptor extensions, bad blocks. Then all zones
 * are reset in the core, which takes time, as do the commands that were inside
 * before; when all this is done, the namespace is formatted in the core. Until
 * then its I/O commands are refused. A controller reset does not stop a format.
 *
 * Knows nothing of how long anything takes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "admin_internal.h"
#include "../completion/completion.h"
#include "../event/event.h"
#include "../ns/ns.h"
#include "../record/record.h"
#include "../request/request.h"

/* Secure erase settings and protection information: NVMe base 2.0, 5.14. */
#define SES_NONE 0
#define SES_USER_DATA 1
#define PI_TYPE_MAX 3

/*
 * Is this a namespace of the command? The broadcast identifier stands for all
 * that are active (FNA bit 3 is 0). One that is named need not be attached (NVMe
 * base 2.1, figure 188: any allocated value), but the host must have enabled its
 * I/O command set.
 */
static bool is_named(const FemuZns *n, const FemuNs *ns, uint32_t nsid)
{
    return nsid == NVME_NSID_BROADCAST
           ? femu_ns_active(n, ns)
           : nsid == ns->nsid && femu_ns_set_enabled(n, ns);
}

/*
 * Check the command's NSID. Only one Format NVM command is carried out at a
 * time.
 */
static uint16_t check_namespace(const FemuZns *n, uint32_t nsid)
{
    bool any = false;

    if (nsid != NVME_NSID_BROADCAST && !femu_ns(n, nsid)) {
        return NVME_INVALID_NSID;
    }
    for (uint32_t i = 0; i < n->ns_count; i++) {
        any |= is_named(n, &n->ns[i], nsid);
    }
    if (!any) {
        return NVME_INVALID_FIELD;
    }
    return femu_format_busy(n, NULL) ? NVME_FORMAT_IN_PROGRESS : NVME_SUCCESS;
}

/*
 * CDW10: 3:0 LBA format, 13:12 its upper bits, 4 metadata at the end of blocks,
 * 7:5 protection information, 11:9 secure erase. No LBA format has metadata, so
 * none can be at the end of blocks, or have protection information.
 */
static uint16_t check_fields(uint32_t cdw10, unsigned *format)
{
    uint32_t protection = extract32(cdw10, 5, 3);
    uint32_t erase = extract32(cdw10, 9, 3);

    *format = extract32(cdw10, 0, 4);
    if (protection > PI_TYPE_MAX ||
        (erase != SES_NONE && erase != SES_USER_DATA)) {
        return NVME_INVALID_FIELD;
    }
    if (*format >= FEMU_LBA_FORMATS || extract32(cdw10, 4, 4) ||
        extract32(cdw10, 12, 2)) {
        return NVME_INVALID_FORMAT;
    }
    return NVME_SUCCESS;
}

static void ns_begin(FemuZns *n, FemuNs *ns, uint32_t lba_bytes)
{
    n->format.namespaces_left++;
    ns->format_step = femu_ns_zoned(ns) ? FEMU_FORMAT_WAITING
                                        : FEMU_FORMAT_RESET;
    if (ns->lba_bytes != lba_bytes) {
        ns->lba_bytes = lba_bytes;
        if (ns->attached) { /* else to be attached will be news enough */
            femu_ns_changed(n, ns);
        }
    }
    femu_inject_clear(ns);
}

/*
 * Format the namespace in the core, inside which there must be no command of
 * it. The last namespace completes the Format NVM command.
 *
 * Only now are all data dropped, with what lasts; before, those of zones were by
 * their reset. If the power goes or QEMU is killed before, what has not been
 * reset is there.
 */
static void ns_end(FemuZns *n, FemuNs *ns)
{
    bool done = ssd_format(n->ssd, n->now_ns, ns->nsid, ns->lba_bytes, NULL);

    assert(done);
    femu_trace_format(n, ns->nsid, ns->lba_bytes);
    if (femu_history_flush(n)) {
        femu_ns_forget(ns);
    }
    ns->format_step = FEMU_FORMAT_IDLE;
    if (--n->format.namespaces_left == 0 && n->format.reply) {
        femu_cq_post(n, n->sq[0], n->format.cid, NVME_SUCCESS, 0);
    }
}

/* Take the steps of the namespace's format that have become possible. */
static void ns_run(FemuZns *n, FemuNs *ns)
{
    SsdCmd reset_all = {
        .op = SSD_OP_ZONE_RESET,
        .nsid = ns->nsid,
        .select_all = true,
    };

    if (ns->format_step == FEMU_FORMAT_WAITING && ssd_has_room(n->ssd)) {
        femu_req_submit_format(n, ns, &reset_all);
        ns->format_step = FEMU_FORMAT_RESETTING;
    }
    if (ns->format_step == FEMU_FORMAT_RESET &&
        !ssd_ns_inflight(n->ssd, ns->nsid)) {
        ns_end(n, ns);
    }
}

void femu_format_run(FemuZns *n)
{
    for (uint32_t i = 0; i < n->ns_count; i++) {
        ns_run(n, &n->ns[i]);
    }
}

/* A controller reset: a format goes on, but the command is not completed. */
void femu_format_ctrl_reset(FemuZns *n)
{
    n->format.reply = false;
}

/* A power cut: a format under way is abandoned. */
void femu_format_power_cut(FemuZns *n)
{
    n->format = (FemuFormat) { 0 };
    for (uint32_t i = 0; i < n->ns_count; i++) {
        n->ns[i].format_step = FEMU_FORMAT_IDLE;
    }
}

/*
 * Begin a Format NVM command. It needs no room in the core to be fetched: its
 * resets of zones wait until there is.
 */
uint16_t femu_format(FemuZns *n, const NvmeCmd *cmd)
{
    uint32_t nsid = le32_to_cpu(cmd->nsid);
    unsigned format;
    uint16_t status = check_namespace(n, nsid);

    if (!status) {
        status = check_fields(le32_to_cpu(cmd->cdw10), &format);
    }
    if (status) {
        return status;
    }
    n->format = (FemuFormat) {
        .reply = true,
        .cid = le16_to_cpu(cmd->cid),
    };
    for (uint32_t i = 0; i < n->ns_count; i++) {
        FemuNs *ns = &n->ns[i];

        if (is_named(n, ns, nsid)) {
            ns_begin(n, ns, femu_format_lba_bytes(format));
        }
    }
    femu_format_run(n);
    return NVME_NO_COMPLETE;
}
