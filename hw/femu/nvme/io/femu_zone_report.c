/*
 * Zone Management Receive: the report of zones.
 *
 * Knows nothing of how zones change.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "io_internal.h"
#include "../host/host.h"
#include "../ns/ns.h"
#include "../request/request.h"

/*
 * ZRASF for zones of which an attribute is set that recommends a finish or
 * reset, or says that the controller has finished them (ZNS 1.1, figure 34).
 */
#define REPORT_ATTRIBUTES 0x9

#define ATTRIBUTE_ZDEV (1 << 7)         /* descriptor extension valid */

/* The state that a valid ZRASF names. */
static SsdZoneState filter_state(uint8_t filter)
{
    static const SsdZoneState states[] = {
        [NVME_ZONE_REPORT_EMPTY] = SSD_ZONE_EMPTY,
        [NVME_ZONE_REPORT_IMPLICITLY_OPEN] = SSD_ZONE_IMPLICITLY_OPEN,
        [NVME_ZONE_REPORT_EXPLICITLY_OPEN] = SSD_ZONE_EXPLICITLY_OPEN,
        [NVME_ZONE_REPORT_CLOSED] = SSD_ZONE_CLOSED,
        [NVME_ZONE_REPORT_FULL] = SSD_ZONE_FULL,
        [NVME_ZONE_REPORT_READ_ONLY] = SSD_ZONE_READ_ONLY,
        [NVME_ZONE_REPORT_OFFLINE] = SSD_ZONE_OFFLINE,
    };

    return states[filter];
}

static bool report_filter_valid(uint8_t filter)
{
    return filter <= NVME_ZONE_REPORT_OFFLINE || filter == REPORT_ATTRIBUTES;
}

/* The first zone from `zone_idx` on that a report selects, or ns->zones. */
static uint32_t report_next(const FemuZns *n, const FemuNs *ns,
                            uint32_t zone_idx, uint8_t filter)
{
    switch (filter) {
    case NVME_ZONE_REPORT_ALL:
        return zone_idx;
    case REPORT_ATTRIBUTES:
        return ssd_next_attributed(n->ssd, ns->nsid, zone_idx);
    default:
        return ssd_next_zone(n->ssd, ns->nsid, zone_idx,
                             filter_state(filter));
    }
}

/* How many zones from `zone_idx` on, which may be ns->zones, it selects. */
static uint32_t report_count(const FemuZns *n, const FemuNs *ns,
                             uint32_t zone_idx, uint8_t filter)
{
    switch (filter) {
    case NVME_ZONE_REPORT_ALL:
        return ns->zones - zone_idx;
    case REPORT_ATTRIBUTES:
        return ssd_count_attributed(n->ssd, ns->nsid, zone_idx);
    default:
        return ssd_count_zones(n->ssd, ns->nsid, zone_idx,
                               filter_state(filter));
    }
}

static uint8_t zone_attributes(const SsdZone *zone, bool extended)
{
    return (extended ? ATTRIBUTE_ZDEV : 0) |
           (zone->has_zrwa ? NVME_ZA_ZRWA_VALID : 0) |
           (zone->finished_by_controller ? NVME_ZA_FINISHED_BY_CTLR : 0) |
           (zone->finish_recommended ? NVME_ZA_FINISH_RECOMMENDED : 0) |
           (zone->reset_recommended ? NVME_ZA_RESET_RECOMMENDED : 0);
}

static NvmeZoneDescr zone_descriptor(const SsdZone *zone, bool extended)
{
    return (NvmeZoneDescr) {
        .zt = NVME_ZONE_TYPE_SEQ_WRITE,
        .zs = zone->state << 4,
        .za = zone_attributes(zone, extended),
        .zcap = cpu_to_le64(zone->capacity_nlb),
        .zslba = cpu_to_le64(zone->start_lba),
        .wp = cpu_to_le64(femu_zone_has_wp(zone->state) ? zone->wp_lba
                                                        : UINT64_MAX),
    };
}

/* Write a zone's descriptor, and `ext_bytes` of its extension if it has one. */
static void report_add(const FemuZns *n, const FemuNs *ns, uint8_t *at,
                       uint32_t zone_idx, uint32_t ext_bytes)
{
    SsdZone zone = femu_ns_zone(n, ns, zone_idx);
    const void *ext = femu_zone_ext(n, ns, zone_idx);
    NvmeZoneDescr descriptor = zone_descriptor(&zone, ext);

    memcpy(at, &descriptor, sizeof(descriptor));
    if (ext) {
        memcpy(at + sizeof(descriptor), ext, ext_bytes);
    }
}

/*
 * Fill `buf` of exactly `bytes` with a report of the zones from `zone_idx` on.
 * The number of zones is that of the descriptors that fit, if `partial`, else
 * of all that match (ZNS 1.1, 3.4.2.2). Each descriptor is followed by
 * `ext_bytes` of its extension, zeroes if that is not valid.
 * Return: the number of descriptors in the report.
 */
static uint32_t report_fill(const FemuZns *n, const FemuNs *ns, uint8_t *buf,
                            uint64_t bytes, uint32_t zone_idx, uint8_t filter,
                            bool partial, uint32_t ext_bytes)
{
    NvmeZoneReportHeader header = { 0 };
    uint32_t entry_bytes = sizeof(NvmeZoneDescr) + ext_bytes;
    uint64_t room = (bytes - sizeof(header)) / entry_bytes;
    uint64_t count = 0;

    memset(buf, 0, bytes);
    for (zone_idx = report_next(n, ns, zone_idx, filter);
         zone_idx < ns->zones && count < room;
         zone_idx = report_next(n, ns, zone_idx + 1, filter)) {
        report_add(n, ns, buf + sizeof(header) + count++ * entry_bytes,
                   zone_idx, ext_bytes);
    }
    header.nr_zones = cpu_to_le64(
        count + (partial ? 0 : report_count(n, ns, zone_idx, filter)));
    memcpy(buf, &header, sizeof(header));
    return count;
}

/*
 * CDW10-11: an LBA of the first zone; CDW12: dwords to transfer, 0's based;
 * CDW13: action 7:0, filter 15:8, partial report 16. An extended report is
 * refused if zone descriptors have no extensions (zd-extension-size=0).
 */
uint16_t femu_zone_receive(FemuZns *n, FemuNs *ns, FemuSq *sq,
                           const NvmeCmd *cmd)
{
    uint64_t slba = femu_cmd_slba(cmd);
    uint64_t bytes = ((uint64_t)le32_to_cpu(cmd->cdw12) + 1) * 4;
    uint32_t cdw13 = le32_to_cpu(cmd->cdw13);
    uint8_t action = cdw13;
    uint8_t filter = cdw13 >> 8;
    bool partial = cdw13 & (1u << 16);
    bool extended = action == NVME_ZONE_REPORT_EXTENDED;
    uint32_t ext_bytes = n->params.zone_ext_bytes;
    SsdCmd report = {
        .op = SSD_OP_ZONE_REPORT,
        .nsid = ns->nsid,
        .slba = slba,
    };
    uint16_t status;

    if (action > NVME_ZONE_REPORT_EXTENDED || (extended && !ext_bytes) ||
        !report_filter_valid(filter) ||
        bytes < sizeof(NvmeZoneReportHeader) ||
        bytes > n->params.mdts_bytes) {
        return NVME_INVALID_FIELD;
    }
    if (slba >= femu_ns_size_lba(ns)) {
        return NVME_LBA_RANGE;
    }
    report.nlb = report_fill(n, ns, n->bounce, bytes,
                             slba / femu_ns_zone_nlb(ns), filter, partial,
                             extended ? ext_bytes : 0);
    status = femu_dma_reply(n, cmd, n->bounce, bytes);
    return status ? status : femu_req_answered(n, sq, cmd, &report, 0);
}
