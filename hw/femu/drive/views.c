/*
 * Views of namespaces and zones, and changes that are no commands: a failing
 * medium, a format.
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "run.h"

/* `nsid` must be that of a namespace. */
static SsdNs *find_ns(const Ssd *ssd, uint32_t nsid)
{
    g_assert(nsid >= 1 && nsid <= ssd->ns.count);
    return &ssd->ns.at[nsid - 1];
}

/* Views */

uint32_t ssd_ns_count(const Ssd *ssd)
{
    return ssd->ns.count;
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

static SsdInside inside_of(const SsdDone *done)
{
    return (SsdInside) {
        .tag = done->tag,
        .op = done->op,
        .nsid = done->nsid,
    };
}

unsigned ssd_inside(const Ssd *ssd, SsdInside *inside, unsigned max)
{
    uint32_t slots = ssd->params.cmd_slots;
    g_autofree bool *used = commands_inside(&ssd->commands, slots);
    unsigned count = 0;

    for (uint32_t i = 0; i < slots && count < max; i++) {
        if (used[i]) {
            inside[count++] = inside_of(&ssd->commands.at[i].done);
        }
    }
    for (uint32_t i = 0; i < ssd->ready_count && count < max; i++) {
        inside[count++] = inside_of(&ssd->ready[ready_idx(ssd, i)]);
    }
    return count;
}

unsigned ssd_ns_inflight(const Ssd *ssd, uint32_t nsid)
{
    return find_ns(ssd, nsid)->inflight_count;
}

SsdZone ssd_zone(const Ssd *ssd, uint32_t nsid, uint32_t zone_idx)
{
    const SsdNs *ns = find_ns(ssd, nsid);
    const Watch *watch = &ssd->zns.watch;
    uint64_t start_lba = zone_idx * ns->zones.size_nlb;
    uint32_t drive_zone_idx = ns->first_zone_idx + zone_idx;
    const ZoneEntry *zone;

    g_assert(zone_idx < ns->zones.count);
    zone = &ns->zones.zones[zone_idx];
    return (SsdZone) {
        .state = zone->state,
        .start_lba = start_lba,
        .wp_lba = start_lba + zone->wp_nlb,
        .written_lba = start_lba + zone->end_nlb,
        .capacity_nlb = ns->zones.capacity_nlb,
        .has_zrwa = zone->has_zrwa,
        .has_extension = zone->has_extension,
        .finished_by_controller = watch_finished(watch, drive_zone_idx),
        .finish_recommended = watch_recommended(watch, drive_zone_idx,
                                                WATCH_ACTIVE),
        .reset_recommended = watch_recommended(watch, drive_zone_idx,
                                               WATCH_FULL),
    };
}

uint32_t ssd_next_zone(const Ssd *ssd, uint32_t nsid, uint32_t zone_idx,
                       SsdZoneState state)
{
    return zone_next_in_state(&find_ns(ssd, nsid)->zones, zone_idx, state);
}

uint32_t ssd_count_zones(const Ssd *ssd, uint32_t nsid, uint32_t zone_idx,
                         SsdZoneState state)
{
    return zone_count_in_state(&find_ns(ssd, nsid)->zones, zone_idx, state);
}

uint32_t ssd_count_selected(const Ssd *ssd, uint32_t nsid, SsdOp op)
{
    return zone_count_selected(&find_ns(ssd, nsid)->zones, op);
}

uint32_t ssd_next_attributed(const Ssd *ssd, uint32_t nsid, uint32_t zone_idx)
{
    const SsdNs *ns = find_ns(ssd, nsid);
    uint32_t first_idx = ns->first_zone_idx;

    return watch_next(&ssd->zns.watch, first_idx + zone_idx,
                      first_idx + ns->zones.count) - first_idx;
}

uint32_t ssd_count_attributed(const Ssd *ssd, uint32_t nsid,
                              uint32_t zone_idx)
{
    const SsdNs *ns = find_ns(ssd, nsid);
    uint32_t first_idx = ns->first_zone_idx;

    return watch_count(&ssd->zns.watch, first_idx + zone_idx,
                       first_idx + ns->zones.count);
}

const uint32_t *ssd_zone_units(const Ssd *ssd, uint32_t nsid,
                               uint32_t zone_idx, uint32_t *count)
{
    const SsdNs *ns = find_ns(ssd, nsid);

    g_assert(zone_idx < ns->zones.count);
    *count = ssd->media.map.zone_units;
    return map_zone_units(&ssd->media.map, ns->first_zone_idx + zone_idx);
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
    zns_zone_failed(&ssd->zns, now_ns, ns->first_zone_idx + zone_idx);
    ssd_drain(ssd, now_ns);
    return true;
}

bool ssd_poll_zone(Ssd *ssd, uint64_t now_ns, uint32_t *nsid,
                   uint32_t *zone_idx)
{
    uint32_t changed_idx;

    ssd_run(ssd, now_ns);
    changed_idx = watch_take_changed(&ssd->zns.watch);
    if (changed_idx == SSD_NONE) {
        return false;
    }
    *nsid = changed_idx / ssd->ns.ns_zones + 1;
    *zone_idx = changed_idx % ssd->ns.ns_zones;
    return true;
}

/* Format */

static void format_ns(Ssd *ssd, uint64_t now_ns, SsdNs *ns, uint32_t lba_bytes)
{
    g_assert(ns->inflight_count == 0);
    if (ns->kind == SSD_NS_CONVENTIONAL) {
        namespaces_format(ns, &ssd->params, lba_bytes);
        conv_format(&ssd->conv);
    } else {
        zns_format(&ssd->zns, now_ns, ns, lba_bytes);
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
    } else {
        for (uint32_t i = 0; i < ssd->ns.count; i++) {
            format_ns(ssd, now_ns, &ssd->ns.at[i], lba_bytes);
        }
    }
    ssd_drain(ssd, now_ns);
    return true;
}
