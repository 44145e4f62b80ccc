/*
 * Checks: may a command take effect? Nothing here changes the drive, so an
 * error status means that nothing has happened.
 *
 * Knows nothing of time, QEMU or queues.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "drive.h"

uint64_t ssd_op_limit_bytes(const SsdParams *params, SsdOp op)
{
    switch (op) {
    case SSD_OP_APPEND:
        return params->zasl_bytes;
    case SSD_OP_WRITE_ZEROES:
        return params->wzsl_bytes;
    default:
        return params->mdts_bytes;
    }
}

static SsdStatus check_size(const Ssd *ssd, const SsdNs *ns, const SsdCmd *cmd)
{
    if (cmd->nlb == 0 || (uint64_t)cmd->nlb * ns->lba_bytes >
                         ssd_op_limit_bytes(&ssd->params, cmd->op)) {
        return SSD_INVALID_FIELD;
    }
    return SSD_SUCCESS;
}

/* Of nothing is a range up to the end, too, if its command may be that. */
static SsdStatus check_range(const SsdNs *ns, uint64_t slba, uint64_t nlb)
{
    return slba > ns->size_nlb || nlb > ns->size_nlb - slba
           ? SSD_LBA_OUT_OF_RANGE : SSD_SUCCESS;
}

static SsdStatus check_read(const SsdNs *ns, uint64_t slba, uint64_t nlb)
{
    SsdStatus status = check_range(ns, slba, nlb);

    if (status != SSD_SUCCESS || ns->kind == SSD_NS_CONVENTIONAL) {
        return status;
    }
    return zone_check_read(&ns->zones, zone_of_lba(&ns->zones, slba),
                           zone_offset_nlb(&ns->zones, slba), nlb);
}

static SsdStatus check_write(const SsdNs *ns, uint64_t slba, uint64_t nlb)
{
    SsdStatus status = check_range(ns, slba, nlb);

    if (status != SSD_SUCCESS || ns->kind == SSD_NS_CONVENTIONAL) {
        return status;
    }
    return zone_check_write(&ns->zones, zone_of_lba(&ns->zones, slba),
                            zone_offset_nlb(&ns->zones, slba), nlb);
}

static SsdStatus check_append(const SsdNs *ns, const SsdCmd *cmd)
{
    /* An append names a zone, not a range: the zone's end is what it meets. */
    if (cmd->slba >= ns->size_nlb) {
        return SSD_LBA_OUT_OF_RANGE;
    }
    /* ZNS 1.1 section 3.4.1: ZSLBA is the zone's lowest LBA. */
    if (zone_offset_nlb(&ns->zones, cmd->slba) != 0) {
        return SSD_INVALID_FIELD;
    }
    return zone_check_append(&ns->zones, zone_of_lba(&ns->zones, cmd->slba),
                             cmd->nlb);
}

uint64_t ssd_copy_nlb(const SsdCmd *cmd)
{
    uint64_t nlb = 0;

    for (uint32_t i = 0; i < cmd->range_count; i++) {
        nlb += cmd->ranges[i].nlb;
    }
    return nlb;
}

RARE
static SsdStatus check_copy(const Ssd *ssd, const SsdNs *ns, const SsdCmd *cmd)
{
    const SsdParams *p = &ssd->params;

    if (cmd->range_count > SSD_COPY_RANGES_MAX ||
        ssd_copy_nlb(cmd) > p->mdts_bytes / ns->lba_bytes) {
        return SSD_COMMAND_SIZE_LIMIT_EXCEEDED;
    }
    if (cmd->range_count == 0) {
        return SSD_INVALID_FIELD;
    }
    for (uint32_t i = 0; i < cmd->range_count; i++) {
        const SsdRange *range = &cmd->ranges[i];
        SsdStatus status = range->nlb == 0
                           ? SSD_INVALID_FIELD
                           : check_read(ns, range->slba, range->nlb);

        if (status != SSD_SUCCESS) {
            return status;
        }
    }
    return check_write(ns, cmd->slba, ssd_copy_nlb(cmd));
}

RARE
static SsdStatus check_deallocate(const SsdNs *ns, const SsdCmd *cmd)
{
    if (cmd->range_count == 0 ||
        cmd->range_count > SSD_DEALLOCATE_RANGES_MAX) {
        return SSD_INVALID_FIELD;
    }
    for (uint32_t i = 0; i < cmd->range_count; i++) {
        const SsdRange *range = &cmd->ranges[i];
        SsdStatus status = check_range(ns, range->slba, range->nlb);

        if (status == SSD_SUCCESS && ns->kind == SSD_NS_ZONED) {
            status = zone_check_deallocate(&ns->zones, range->slba,
                                           range->nlb);
        }
        if (status != SSD_SUCCESS) {
            return status;
        }
    }
    return SSD_SUCCESS;
}

/*
 * ZNS 1.1 section 3.4.3.1.6: an extension is set on one zone. So is a ZRWA, for
 * Select All opens zones that are not empty.
 */
static bool takes_select_all(SsdOp op)
{
    return op != SSD_OP_ZONE_SET_EXTENSION && op != SSD_OP_ZONE_OPEN_ZRWA &&
           op != SSD_OP_ZONE_SET_EXTENSION_ZRWA &&
           op != SSD_OP_ZONE_FLUSH_ZRWA;
}

RARE
static SsdStatus check_mgmt(const SsdNs *ns, const SsdCmd *cmd)
{
    uint32_t zone_idx;
    uint64_t offset_nlb;

    if (cmd->select_all) {
        return takes_select_all(cmd->op)
               ? zone_check_select_all(&ns->zones, cmd->op)
               : SSD_INVALID_FIELD;
    }
    if (cmd->slba >= ns->size_nlb) {
        return SSD_LBA_OUT_OF_RANGE;
    }
    zone_idx = zone_of_lba(&ns->zones, cmd->slba);
    offset_nlb = zone_offset_nlb(&ns->zones, cmd->slba);
    if (cmd->op == SSD_OP_ZONE_FLUSH_ZRWA) {
        return zone_check_flush_zrwa(&ns->zones, zone_idx, offset_nlb);
    }
    if (offset_nlb != 0) {
        return SSD_INVALID_FIELD;
    }
    return zone_check_mgmt(&ns->zones, zone_idx, cmd->op);
}

RARE
static SsdStatus check_report(const SsdNs *ns, const SsdCmd *cmd)
{
    if (cmd->slba >= ns->size_nlb) {
        return SSD_LBA_OUT_OF_RANGE;
    }
    return cmd->nlb > ns->zones.count - zone_of_lba(&ns->zones, cmd->slba)
           ? SSD_INVALID_FIELD : SSD_SUCCESS;
}

bool ssd_is_of_drive(SsdOp op)
{
    switch (op) {
    case SSD_OP_FLUSH:
    case SSD_OP_IDENTIFY:
    case SSD_OP_LOG:
    case SSD_OP_FEATURE:
    case SSD_OP_SHUTDOWN:
        return true;
    default:
        return false;
    }
}

/* Does the command set of the namespace have the operation at all? */
static bool has_op(const SsdNs *ns, SsdOp op)
{
    return ns->kind == SSD_NS_ZONED || ssd_is_of_drive(op) ||
           (op != SSD_OP_APPEND && op < SSD_OP_ZONE_OPEN);
}

static SsdStatus check_op(const Ssd *ssd, const SsdNs *ns, const SsdCmd *cmd)
{
    SsdStatus status;

    if (!has_op(ns, cmd->op)) {
        return SSD_INVALID_OPCODE;
    }
    switch (cmd->op) {
    case SSD_OP_READ:
    case SSD_OP_VERIFY:
    case SSD_OP_COMPARE:
        status = check_size(ssd, ns, cmd);
        return status ? status : check_read(ns, cmd->slba, cmd->nlb);
    case SSD_OP_WRITE:
    case SSD_OP_WRITE_ZEROES:
        status = check_size(ssd, ns, cmd);
        return status ? status : check_write(ns, cmd->slba, cmd->nlb);
    case SSD_OP_APPEND:
        status = check_size(ssd, ns, cmd);
        return status ? status : check_append(ns, cmd);
    case SSD_OP_COPY:
        return check_copy(ssd, ns, cmd);
    case SSD_OP_DEALLOCATE:
        return check_deallocate(ns, cmd);
    case SSD_OP_FLUSH:
    case SSD_OP_IDENTIFY:
    case SSD_OP_LOG:
    case SSD_OP_FEATURE:
    case SSD_OP_SHUTDOWN:
        return SSD_SUCCESS;
    case SSD_OP_ZONE_REPORT:
        return check_report(ns, cmd);
    case SSD_OP_ZONE_OPEN:
    case SSD_OP_ZONE_CLOSE:
    case SSD_OP_ZONE_FINISH:
    case SSD_OP_ZONE_RESET:
    case SSD_OP_ZONE_OFFLINE:
    case SSD_OP_ZONE_SET_EXTENSION:
    case SSD_OP_ZONE_OPEN_ZRWA:
    case SSD_OP_ZONE_SET_EXTENSION_ZRWA:
    case SSD_OP_ZONE_FLUSH_ZRWA:
        return check_mgmt(ns, cmd);
    case SSD_OP_COUNT:
        break;
    }
    return SSD_INVALID_FIELD;
}

SsdStatus ssd_check(const Ssd *ssd, const SsdCmd *cmd)
{
    /* NVMe base 2.0 section 7.1: a flush, too, may name all namespaces. */
    if (cmd->nsid == SSD_NSID_ALL && ssd_is_of_drive(cmd->op)) {
        return SSD_SUCCESS;
    }
    if (cmd->nsid == 0 || cmd->nsid > ssd->ns.count) {
        return SSD_INVALID_NAMESPACE_OR_FORMAT;
    }
    return check_op(ssd, &ssd->ns.at[cmd->nsid - 1], cmd);
}
