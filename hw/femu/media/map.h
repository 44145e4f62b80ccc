/*
 * Where a zone's pages lie: the units that a zone spans and the order in which
 * its pages are striped over them (the SU / MU / FU spectrum of ConfZNS).
 *
 * Knows nothing of time, states or commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_MAP_H
#define FEMU_MAP_H

#include <stdint.h>

#include "../base/divisor.h"

/* One level of the flash hierarchy: how many there are, how many a zone spans */
typedef struct MapLevel {
    uint32_t count;
    uint32_t per_zone; /* divides count */
} MapLevel;

enum { MAP_CHANNEL, MAP_WAY, MAP_DIE, MAP_PLANE, MAP_LEVELS };

typedef struct ZoneMap {
    uint32_t zone_units;  /* units that one zone spans */
    uint32_t group_count; /* disjoint sets of zone_units units */
    Divisor units_divisor; /* by zone_units */
    Divisor groups_divisor; /* by group_count */
    uint32_t *unit_idx;   /* [group][unit in zone], in striping order */
    uint32_t step_count;
    uint32_t *steps;      /* those that go round all of a zone's units */
} ZoneMap;

/*
 * The number `index` < MAP_ORDERS of the ways to order the levels, in
 * lexicographic order of the levels' numbers. Order 0 is channel, way, die,
 * plane.
 */
#define MAP_ORDERS 24
typedef struct MapOrder {
    uint8_t level[MAP_LEVELS];
} MapOrder;
MapOrder map_order(uint32_t index);

/*
 * Zone z lies on group z mod group_count. Pages go round the group's units,
 * the first level of `order` fastest; with order 0 this is Algorithm 1:
 * i = ppn mod N_CH, j = floor(ppn / N_CH) mod N_WAY. Units are numbered with
 * the plane fastest and the channel slowest, so that unit / units-per-channel
 * is the channel.
 */
void map_init(ZoneMap *map, const MapLevel levels[MAP_LEVELS],
              MapOrder order);
void map_destroy(ZoneMap *map);

/* How many steps of this length, one of map->steps, are one unit on. */
uint32_t map_steps_back(const ZoneMap *map, uint32_t step);

/* The units of a zone in striping order: zone_units of them. */
static inline const uint32_t *map_zone_units(const ZoneMap *map,
                                             uint32_t zone_idx)
{
    return &map->unit_idx[remainder_of(zone_idx, &map->groups_divisor) *
                          map->zone_units];
}

#endif
