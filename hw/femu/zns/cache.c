/*
 * With a volatile write cache: how much of each zone flushes have made safe.
 *
 * Knows nothing of what is programmed: that is safe as well.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "zns_internal.h"

/*
 * A flush that is done covers all that was submitted before it. What a write
 * begins behind is noted at the first write after a flush, with the number of
 * the zone's last write before that: once a later command is a flush that is
 * done, all up to there is safe.
 *
 * There is one note for each zone. If one is needed while the last one waits
 * for its flush, that grows: more is then safe than was asked for, which a host
 * cannot see. Nothing that a host may rely on is ever forgotten.
 */

void wcache_init(Zns *zns)
{
    if (zns->params->write_cache == SSD_WRITE_CACHE_VOLATILE) {
        zns->cache.zones = g_new0(CacheZone, zns->params->zones);
    }
}

void wcache_destroy(Zns *zns)
{
    g_free(zns->cache.zones);
}

RARE
void zns_flush_asked(Zns *zns, uint64_t number)
{
    zns->cache.asked_number = number;
}

RARE
void zns_flush_done(Zns *zns, uint64_t number)
{
    zns->cache.done_number = MAX(zns->cache.done_number, number);
}

static bool note_is_safe(const Cache *cache, const CacheZone *zone)
{
    return cache->done_number > zone->before_number;
}

void zns_note_write(Zns *zns, uint32_t zone_idx, uint64_t from_bytes)
{
    const Cache *cache = &zns->cache;
    uint64_t before_number = zns->writes[zone_idx].written_number;
    CacheZone *zone;

    if (!wcache_is_volatile(zns) || cache->asked_number <= before_number) {
        return;
    }
    zone = &cache->zones[zone_idx];
    if (zone->noted_bytes == 0 || note_is_safe(cache, zone)) {
        zone->safe_bytes = MAX(zone->safe_bytes, zone->noted_bytes);
        zone->before_number = before_number;
    }
    zone->noted_bytes = from_bytes;
}

void wcache_zone_reset(Zns *zns, uint32_t zone_idx)
{
    if (wcache_is_volatile(zns)) {
        zns->cache.zones[zone_idx] = (CacheZone) {
            .begun_number = zns->commands->taken,
        };
    }
}

void wcache_zone_filled(Zns *zns, uint32_t zone_idx)
{
    if (wcache_is_volatile(zns)) {
        zns->cache.zones[zone_idx].is_filled = true;
    }
}

void wcache_put(Zns *zns, uint32_t zone_idx, uint64_t bytes)
{
    if (wcache_is_volatile(zns)) {
        zns->cache.zones[zone_idx].safe_bytes = bytes;
    }
}

uint64_t wcache_safe_bytes(const Zns *zns, uint32_t zone_idx)
{
    const Cache *cache = &zns->cache;
    const CacheZone *zone = &cache->zones[zone_idx];

    if (cache->done_number > zns->writes[zone_idx].written_number) {
        return zone_wp_bytes(zns->ns, zone_idx);
    }
    return note_is_safe(cache, zone) ? MAX(zone->safe_bytes, zone->noted_bytes)
                                     : zone->safe_bytes;
}
