/*
 * What the controller does to zones of itself, at exact times: it recommends
 * to finish a zone that has long been active, or to reset one that has long
 * been full, and finishes one that has been active too long: a Zone Active
 * Excursion (ZNS 1.1 sections 5.4 to 5.6).
 *
 * The limits are constants, so zones reach them in the order in which they
 * became active or full: two lists, whose first zone is the next.
 *
 * Knows nothing of flash, jobs or commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "watch.h"

#include <glib.h>

static bool is_on(const Watch *watch)
{
    const SsdParams *p = watch->params;

    return p->excursion_ns || p->finish_recommended_ns ||
           p->reset_recommended_ns;
}

#define NO_ZONES { SSD_NONE, SSD_NONE, SSD_NONE }

void watch_init(Watch *watch, const SsdParams *params,
                const Namespaces *namespaces)
{
    *watch = (Watch) {
        .params = params,
        .ns = namespaces,
        .lists = { [WATCH_ACTIVE] = NO_ZONES, [WATCH_FULL] = NO_ZONES },
        .next_at_ns = UINT64_MAX,
    };
    if (is_on(watch)) {
        watch->zones = g_new0(WatchedZone, params->zones);
        index_set_init(&watch->attributed, params->zones);
        watch->changed = g_new(uint32_t, params->zones);
    }
}

void watch_destroy(Watch *watch)
{
    g_free(watch->zones);
    index_set_destroy(&watch->attributed);
    g_free(watch->changed);
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

/* When the zone will have been in its list for `limit_ns`; 0: never. */
static uint64_t limit_at_ns(const Watch *watch, uint32_t zone_idx,
                            uint64_t limit_ns)
{
    return zone_idx == SSD_NONE || limit_ns == 0
           ? UINT64_MAX : watch->zones[zone_idx].since_at_ns + limit_ns;
}

static uint64_t excursion_at_ns(const Watch *watch)
{
    return limit_at_ns(watch, watch->lists[WATCH_ACTIVE].oldest_idx,
                       watch->params->excursion_ns);
}

static uint64_t recommended_at_ns(const Watch *watch, WatchPhase phase)
{
    return limit_at_ns(watch, watch->lists[phase].quiet_idx,
                       phase == WATCH_ACTIVE
                       ? watch->params->finish_recommended_ns
                       : watch->params->reset_recommended_ns);
}

void watch_find_next(Watch *watch)
{
    uint64_t next_at_ns = MIN(recommended_at_ns(watch, WATCH_ACTIVE),
                              recommended_at_ns(watch, WATCH_FULL));

    watch->next_at_ns = MIN(next_at_ns, excursion_at_ns(watch));
}

WatchPhase watch_phase_of(const Watch *watch, uint32_t zone_idx)
{
    const SsdNs *ns = ns_of_zone(watch->ns, zone_idx);

    if (zone_entry(watch->ns, zone_idx)->state == SSD_ZONE_FULL) {
        return WATCH_FULL;
    }
    return zone_is_active(&ns->zones, zone_idx - ns->first_zone_idx)
           ? WATCH_ACTIVE : WATCH_NONE;
}

void watch_note(Watch *watch, uint32_t zone_idx)
{
    index_set_put(&watch->attributed, zone_idx,
                  watch_finished(watch, zone_idx) ||
                  watch_recommended(watch, zone_idx, WATCH_ACTIVE) ||
                  watch_recommended(watch, zone_idx, WATCH_FULL));
}

static void enter_phase(Watch *watch, uint64_t now_ns, uint32_t zone_idx,
                        WatchPhase phase)
{
    WatchedZone *zone = &watch->zones[zone_idx];

    if (zone->phase != WATCH_NONE) {
        list_remove(watch, zone->phase, zone_idx);
    }
    zone->phase = phase;
    zone->since_at_ns = now_ns;
    zone->recommended = false;
    zone->finished &= phase == WATCH_NONE;
    watch_note(watch, zone_idx);
    if (phase != WATCH_NONE) {
        list_add(watch, phase, zone_idx);
    }
    watch_find_next(watch);
}

RARE
void watch_state(Watch *watch, uint64_t now_ns, uint32_t zone_idx)
{
    WatchPhase phase = watch_phase_of(watch, zone_idx);

    if (phase != watch->zones[zone_idx].phase) {
        enter_phase(watch, now_ns, zone_idx, phase);
    }
}

void watch_anew(Watch *watch, uint64_t now_ns, uint32_t zone_idx)
{
    enter_phase(watch, now_ns, zone_idx, WATCH_ACTIVE);
}

void watch_put(Watch *watch, uint64_t now_ns, uint32_t zone_idx,
               bool was_finished)
{
    if (watch->zones) {
        watch_state(watch, now_ns, zone_idx);
        watch->zones[zone_idx].finished = was_finished;
        watch_note(watch, zone_idx);
    }
}

/* Changes to be told */

static void tell(Watch *watch, uint32_t zone_idx)
{
    if (!watch->zones[zone_idx].told_of) {
        watch->zones[zone_idx].told_of = true;
        watch->changed[watch->changed_count++] = zone_idx;
    }
}

uint32_t watch_take_changed(Watch *watch)
{
    uint32_t zone_idx;

    if (watch->changed_count == 0) {
        return SSD_NONE;
    }
    zone_idx = watch->changed[--watch->changed_count];
    watch->zones[zone_idx].told_of = false;
    return zone_idx;
}

/* What happens */

static void recommend(Watch *watch, WatchPhase phase)
{
    WatchList *list = &watch->lists[phase];
    uint32_t zone_idx = list->quiet_idx;

    watch->zones[zone_idx].recommended = true;
    watch_note(watch, zone_idx);
    list->quiet_idx = watch->zones[zone_idx].newer_idx;
    tell(watch, zone_idx);
}

uint32_t watch_due(Watch *watch)
{
    uint64_t now_ns = watch->next_at_ns;

    if (excursion_at_ns(watch) == now_ns) {
        return watch->lists[WATCH_ACTIVE].oldest_idx;
    }
    recommend(watch, recommended_at_ns(watch, WATCH_ACTIVE) == now_ns
                     ? WATCH_ACTIVE : WATCH_FULL);
    watch_find_next(watch);
    return SSD_NONE;
}

/* watch_state() has moved the zone to its new list already. */
void watch_excursion(Watch *watch, uint32_t zone_idx)
{
    watch->zones[zone_idx].finished = true;
    watch_note(watch, zone_idx);
    tell(watch, zone_idx);
}

bool watch_finished(const Watch *watch, uint32_t zone_idx)
{
    return watch_was_finished(watch, zone_idx) &&
           watch->zones[zone_idx].phase == WATCH_FULL;
}

bool watch_was_finished(const Watch *watch, uint32_t zone_idx)
{
    return watch->zones && watch->zones[zone_idx].finished;
}

bool watch_recommended(const Watch *watch, uint32_t zone_idx,
                           WatchPhase phase)
{
    return watch->zones && watch->zones[zone_idx].recommended &&
           watch->zones[zone_idx].phase == phase;
}

uint32_t watch_next(const Watch *watch, uint32_t zone_idx, uint32_t end_idx)
{
    return watch->zones ? index_set_next(&watch->attributed, zone_idx, end_idx)
                        : end_idx;
}

uint32_t watch_count(const Watch *watch, uint32_t zone_idx, uint32_t end_idx)
{
    return watch->zones ? index_set_count(&watch->attributed, zone_idx,
                                          end_idx) : 0;
}
