/*
 * Namespaces: how the drive's zones are divided among the zoned ones, what
 * each one shows of itself, and how one is formatted.
 *
 * Knows nothing of QEMU, queues or host memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_internal.h"

static uint32_t no_limit_if_zero(uint32_t limit)
{
    return limit ? limit : UINT32_MAX;
}

/* In the blocks that the namespace has now. */
static void set_zrwa(const SsdParams *p, SsdNs *ns)
{
    zone_table_set_zrwa(&ns->zones, p->zrwa_bytes / ns->lba_bytes,
                        p->zrwa_granule_bytes / ns->lba_bytes, p->max_zrwa);
}

static void set_lba_bytes(const SsdParams *p, SsdNs *ns, uint32_t lba_bytes)
{
    uint64_t bytes = ns->kind == SSD_NS_CONVENTIONAL
                     ? p->conventional_bytes
                     : p->zones / p->namespaces * p->zone_size_bytes;

    ns->lba_bytes = lba_bytes;
    ns->size_nlb = bytes / lba_bytes;
}

void ssd_ns_init(Ssd *ssd)
{
    const SsdParams *p = &ssd->params;

    ssd->ns_count = p->namespaces + (p->conventional_bytes != 0);
    ssd->ns_zones = p->zones / p->namespaces;
    ssd->ns_zones_divisor = divisor_of(ssd->ns_zones);
    ssd->ns = g_new0(SsdNs, ssd->ns_count);
    for (uint32_t i = 0; i < ssd->ns_count; i++) {
        SsdNs *ns = &ssd->ns[i];

        ns->kind = i < p->namespaces ? SSD_NS_ZONED : SSD_NS_CONVENTIONAL;
        set_lba_bytes(p, ns, p->lba_bytes);
        if (ns->kind == SSD_NS_CONVENTIONAL) {
            continue;
        }
        ns->first_zone_idx = i * ssd->ns_zones;
        zone_table_init(&ns->zones, ssd->ns_zones,
                        p->zone_size_bytes / p->lba_bytes,
                        p->zone_capacity_bytes / p->lba_bytes,
                        no_limit_if_zero(p->max_open),
                        no_limit_if_zero(p->max_active));
        set_zrwa(p, ns);
    }
}

void ssd_ns_destroy(Ssd *ssd)
{
    for (uint32_t i = 0; i < ssd->ns_count; i++) {
        zone_table_destroy(&ssd->ns[i].zones);
    }
    g_free(ssd->ns);
}

/* `nsid` must be that of a namespace. */
static SsdNs *find_ns(const Ssd *ssd, uint32_t nsid)
{
    g_assert(nsid >= 1 && nsid <= ssd->ns_count);
    return &ssd->ns[nsid - 1];
}

/* Views */

uint32_t ssd_ns_count(const Ssd *ssd)
{
    return ssd->ns_count;
}

SsdNsInfo ssd_ns_info(const Ssd *ssd, uint32_t nsid)
{
    const SsdNs *ns = find_ns(ssd, nsid);

    return (SsdNsInfo) {
        .kind = ns->kind,
        .lba_bytes = ns->lba_bytes,
        .size_nlb = ns->size_nlb,
        .zones = ns->zones.count,
        .first_zone_idx = ns->first_zone_idx,
        .zone_size_nlb = ns->zones.size_nlb,
        .zone_capacity_nlb = ns->zones.capacity_nlb,
    };
}

unsigned ssd_ns_inflight(const Ssd *ssd, uint32_t nsid)
{
    return find_ns(ssd, nsid)->inflight_count;
}

SsdZone ssd_zone(const Ssd *ssd, uint32_t nsid, uint32_t zone_idx)
{
    const SsdNs *ns = find_ns(ssd, nsid);
    uint64_t start_lba = zone_idx * ns->zones.size_nlb;
    uint32_t drive_zone_idx = ns->first_zone_idx + zone_idx;
    const ZoneEntry *zone;

    g_assert(zone_idx < ns->zones.count);
    zone = &ns->zones.zones[zone_idx];
    return (SsdZone) {
        .state = zone->state,
        .start_lba = start_lba,
        .wp_lba = start_lba + zone->wp_nlb,
        .capacity_nlb = ns->zones.capacity_nlb,
        .has_zrwa = zone->has_zrwa,
        .finished_by_controller = ssd_watch_finished(ssd, drive_zone_idx),
        .finish_recommended = ssd_watch_recommended(ssd, drive_zone_idx,
                                                    WATCH_ACTIVE),
        .reset_recommended = ssd_watch_recommended(ssd, drive_zone_idx,
                                                   WATCH_FULL),
    };
}

const uint32_t *ssd_zone_units(const Ssd *ssd, uint32_t nsid,
                               uint32_t zone_idx, uint32_t *count)
{
    const SsdNs *ns = find_ns(ssd, nsid);

    g_assert(zone_idx < ns->zones.count);
    *count = ssd->map.zone_units;
    return map_zone_units(&ssd->map, ns->first_zone_idx + zone_idx);
}

uint32_t ssd_open_count(const Ssd *ssd, uint32_t nsid)
{
    return find_ns(ssd, nsid)->zones.open_count;
}

uint32_t ssd_active_count(const Ssd *ssd, uint32_t nsid)
{
    return find_ns(ssd, nsid)->zones.active_count;
}

/* Failing media */

bool ssd_zone_fail(Ssd *ssd, uint64_t now_ns, uint32_t nsid,
                   uint32_t zone_idx, SsdZoneState state)
{
    SsdNs *ns = find_ns(ssd, nsid);

    g_assert(zone_idx < ns->zones.count);
    ssd_run(ssd, now_ns);
    if (!zone_fail(&ns->zones, zone_idx, state)) {
        return false;
    }
    ssd_watch_zone(ssd, now_ns, ns->first_zone_idx + zone_idx);
    if (ssd_has_buffer(ssd)) {
        ssd_buffer_abandon(ssd, now_ns, ns->first_zone_idx + zone_idx);
    }
    return true;
}

/* Format */

static void format_ns(Ssd *ssd, uint64_t now_ns, SsdNs *ns, uint32_t lba_bytes)
{
    g_assert(ns->inflight_count == 0);
    set_lba_bytes(&ssd->params, ns, lba_bytes);
    if (ns->kind == SSD_NS_CONVENTIONAL) {
        ssd_conv_format(ssd);
        return;
    }
    zone_table_format(&ns->zones, ssd->params.zone_size_bytes / lba_bytes,
                      ssd->params.zone_capacity_bytes / lba_bytes);
    set_zrwa(&ssd->params, ns);
    for (uint32_t i = 0; i < ns->zones.count; i++) {
        ssd_forget_pages(ssd, now_ns, ns->first_zone_idx + i);
        ssd_watch_zone(ssd, ssd->run_at_ns, ns->first_zone_idx + i);
    }
}

bool ssd_format(Ssd *ssd, uint64_t now_ns, uint32_t nsid, uint32_t lba_bytes,
                GError **error)
{
    SsdParams params = ssd->params;

    params.lba_bytes = lba_bytes;
    if (!ssd_params_check(&params, error)) {
        return false;
    }
    ssd_run(ssd, now_ns);
    if (nsid != SSD_NSID_ALL) {
        format_ns(ssd, now_ns, find_ns(ssd, nsid), lba_bytes);
        return true;
    }
    for (uint32_t i = 0; i < ssd->ns_count; i++) {
        format_ns(ssd, now_ns, &ssd->ns[i], lba_bytes);
    }
    return true;
}
