/*
 * What the controller does to zones of itself, at exact times: it recommends
 * to finish a zone that has long been active, or to reset one that has long
 * been full, and finishes one that has been active too long: a Zone Active
 * Excursion (ZNS 1.1 sections 5.4 to 5.6).
 *
 * The limits are constants, so zones reach them in the order in which they
 * became active or full: two lists, whose first zone is the next.
 *
 * Knows nothing of QEMU, queues or host memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_internal.h"

static bool is_on(const Ssd *ssd)
{
    const SsdParams *p = &ssd->params;

    return p->excursion_ns || p->finish_recommended_ns ||
           p->reset_recommended_ns;
}

static const WatchList no_zones = {
    .oldest_idx = SSD_NONE,
    .newest_idx = SSD_NONE,
    .quiet_idx = SSD_NONE,
};

void ssd_watch_init(Ssd *ssd)
{
    Watch *watch = &ssd->watch;

    watch->lists[WATCH_ACTIVE] = no_zones;
    watch->lists[WATCH_FULL] = no_zones;
    watch->next_at_ns = UINT64_MAX;
    if (is_on(ssd)) {
        watch->zones = g_new0(WatchedZone, ssd->params.zones);
        watch->changed = g_new(uint32_t, ssd->params.zones);
    }
}

void ssd_watch_destroy(Ssd *ssd)
{
    g_free(ssd->watch.zones);
    g_free(ssd->watch.changed);
}

/* Lists in the order of time */

static void list_add(Watch *watch, WatchPhase phase, uint32_t zone_idx)
{
    WatchList *list = &watch->lists[phase];
    WatchedZone *zone = &watch->zones[zone_idx];

    zone->older_idx = list->newest_idx;
    zone->newer_idx = SSD_NONE;
    if (list->newest_idx == SSD_NONE) {
        list->oldest_idx = zone_idx;
    } else {
        watch->zones[list->newest_idx].newer_idx = zone_idx;
    }
    list->newest_idx = zone_idx;
    if (list->quiet_idx == SSD_NONE) {
        list->quiet_idx = zone_idx;
    }
}

static void list_remove(Watch *watch, WatchPhase phase, uint32_t zone_idx)
{
    WatchList *list = &watch->lists[phase];
    const WatchedZone *zone = &watch->zones[zone_idx];

    if (list->quiet_idx == zone_idx) {
        list->quiet_idx = zone->newer_idx;
    }
    if (zone->older_idx == SSD_NONE) {
        list->oldest_idx = zone->newer_idx;
    } else {
        watch->zones[zone->older_idx].newer_idx = zone->newer_idx;
    }
    if (zone->newer_idx == SSD_NONE) {
        list->newest_idx = zone->older_idx;
    } else {
        watch->zones[zone->newer_idx].older_idx = zone->older_idx;
    }
}

/* When the zone has been in its list for `limit_ns`; 0 is never. */
static uint64_t limit_at_ns(const Watch *watch, uint32_t zone_idx,
                            uint64_t limit_ns)
{
    return zone_idx == SSD_NONE || limit_ns == 0
           ? UINT64_MAX : watch->zones[zone_idx].since_at_ns + limit_ns;
}

static uint64_t excursion_at_ns(const Ssd *ssd)
{
    return limit_at_ns(&ssd->watch, ssd->watch.lists[WATCH_ACTIVE].oldest_idx,
                       ssd->params.excursion_ns);
}

static uint64_t recommended_at_ns(const Ssd *ssd, WatchPhase phase)
{
    return limit_at_ns(&ssd->watch, ssd->watch.lists[phase].quiet_idx,
                       phase == WATCH_ACTIVE
                       ? ssd->params.finish_recommended_ns
                       : ssd->params.reset_recommended_ns);
}

static void find_next(Ssd *ssd)
{
    uint64_t next_at_ns = MIN(recommended_at_ns(ssd, WATCH_ACTIVE),
                              recommended_at_ns(ssd, WATCH_FULL));

    ssd->watch.next_at_ns = MIN(next_at_ns, excursion_at_ns(ssd));
}

static WatchPhase phase_of(const Ssd *ssd, uint32_t zone_idx)
{
    const SsdNs *ns = ns_of_zone(ssd, zone_idx);

    if (zone_entry(ssd, zone_idx)->state == SSD_ZONE_FULL) {
        return WATCH_FULL;
    }
    return zone_is_active(&ns->zones, zone_idx - ns->first_zone_idx)
           ? WATCH_ACTIVE : WATCH_NONE;
}

void ssd_watch_zone(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    Watch *watch = &ssd->watch;
    WatchedZone *zone;
    WatchPhase phase;

    if (!watch->zones) {
        return;
    }
    zone = &watch->zones[zone_idx];
    phase = phase_of(ssd, zone_idx);
    if (phase == zone->phase) {
        return;
    }
    if (zone->phase != WATCH_NONE) {
        list_remove(watch, zone->phase, zone_idx);
    }
    zone->phase = phase;
    zone->since_at_ns = now_ns;
    zone->recommended = false;
    zone->finished = false;
    if (phase != WATCH_NONE) {
        list_add(watch, phase, zone_idx);
    }
    find_next(ssd);
}

/* Changes to be told */

static void tell(Watch *watch, uint32_t zone_idx)
{
    if (!watch->zones[zone_idx].told_of) {
        watch->zones[zone_idx].told_of = true;
        watch->changed[watch->changed_count++] = zone_idx;
    }
}

bool ssd_poll_zone(Ssd *ssd, uint64_t now_ns, uint32_t *nsid,
                   uint32_t *zone_idx)
{
    Watch *watch = &ssd->watch;
    uint32_t changed_idx;

    ssd_run(ssd, now_ns);
    if (watch->changed_count == 0) {
        return false;
    }
    changed_idx = watch->changed[--watch->changed_count];
    watch->zones[changed_idx].told_of = false;
    *nsid = changed_idx / ssd->ns_zones + 1;
    *zone_idx = changed_idx % ssd->ns_zones;
    return true;
}

/* What happens */

static void recommend(Ssd *ssd, WatchPhase phase)
{
    WatchList *list = &ssd->watch.lists[phase];
    uint32_t zone_idx = list->quiet_idx;

    ssd->watch.zones[zone_idx].recommended = true;
    list->quiet_idx = ssd->watch.zones[zone_idx].newer_idx;
    tell(&ssd->watch, zone_idx);
}

/* The controller finishes the zone; its work is that of a host's finish. */
static void excurse(Ssd *ssd, uint64_t now_ns)
{
    uint32_t zone_idx = ssd->watch.lists[WATCH_ACTIVE].oldest_idx;

    ssd_finish_zone(ssd, now_ns, zone_idx);
    ssd->watch.zones[zone_idx].finished = true;
    tell(&ssd->watch, zone_idx);
}

void ssd_watch_run(Ssd *ssd)
{
    uint64_t now_ns = ssd->watch.next_at_ns;

    if (excursion_at_ns(ssd) == now_ns) {
        excurse(ssd, now_ns);
    } else if (recommended_at_ns(ssd, WATCH_ACTIVE) == now_ns) {
        recommend(ssd, WATCH_ACTIVE);
    } else {
        recommend(ssd, WATCH_FULL);
    }
    find_next(ssd);
}

bool ssd_watch_finished(const Ssd *ssd, uint32_t zone_idx)
{
    return ssd->watch.zones && ssd->watch.zones[zone_idx].finished;
}

bool ssd_watch_recommended(const Ssd *ssd, uint32_t zone_idx,
                           WatchPhase phase)
{
    return ssd->watch.zones && ssd->watch.zones[zone_idx].recommended &&
           ssd->watch.zones[zone_idx].phase == phase;
}
