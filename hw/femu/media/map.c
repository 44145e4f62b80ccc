/*
 * Where a zone's pages lie.
 *
 * Knows nothing of time, states or commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "map.h"

#include <glib.h>

MapOrder map_order(uint32_t index)
{
    MapOrder order;
    uint8_t left[MAP_LEVELS];
    uint32_t ways = MAP_ORDERS;

    for (unsigned i = 0; i < MAP_LEVELS; i++) {
        left[i] = i;
    }
    for (unsigned i = 0; i < MAP_LEVELS; i++) {
        uint32_t chosen;

        ways /= MAP_LEVELS - i;
        chosen = index / ways;
        index %= ways;
        order.level[i] = left[chosen];
        for (unsigned k = chosen; k + 1 < MAP_LEVELS - i; k++) {
            left[k] = left[k + 1];
        }
    }
    return order;
}

/*
 * The unit at striping position `position` of group `group_idx`. Both numbers
 * are mixed-radix digits over the levels: groups count with the channel
 * fastest, positions in the order given.
 */
static uint32_t unit_of(const MapLevel levels[MAP_LEVELS], MapOrder order,
                        uint32_t group_idx, uint32_t position)
{
    uint32_t digits[MAP_LEVELS];
    uint32_t unit_idx = 0;

    for (unsigned i = 0; i < MAP_LEVELS; i++) {
        uint32_t groups = levels[i].count / levels[i].per_zone;

        digits[i] = group_idx % groups * levels[i].per_zone;
        group_idx /= groups;
    }
    for (unsigned i = 0; i < MAP_LEVELS; i++) {
        const MapLevel *level = &levels[order.level[i]];

        digits[order.level[i]] += position % level->per_zone;
        position /= level->per_zone;
    }
    for (unsigned i = 0; i < MAP_LEVELS; i++) {
        unit_idx = unit_idx * levels[i].count + digits[i];
    }
    return unit_idx;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* Steps have no divisor in common with the units, or they would miss some. */
static void find_steps(ZoneMap *map)
{
    map->steps = g_new(uint32_t, map->zone_units);
    for (uint32_t step = 1; step <= map->zone_units; step++) {
        if (common_divisor(map->zone_units, step) == 1) {
            map->steps[map->step_count++] = step;
        }
    }
}

/* Euclid's algorithm, extended: step * back = rest, but for whole rounds. */
uint32_t map_steps_back(const ZoneMap *map, uint32_t step)
{
    int64_t units = map->zone_units;
    int64_t last_rest = units, rest = step % units;
    int64_t last_back = 0, back = 1;

    while (rest != 0) {
        int64_t times = last_rest / rest;
        int64_t next_rest = last_rest - times * rest;
        int64_t next_back = last_back - times * back;

        last_rest = rest;
        last_back = back;
        rest = next_rest;
        back = next_back;
    }
    return (last_back + units) % units;
}

void map_init(ZoneMap *map, const MapLevel levels[MAP_LEVELS], MapOrder order)
{
    uint32_t position = 0;

    *map = (ZoneMap) { .zone_units = 1, .group_count = 1 };
    for (unsigned i = 0; i < MAP_LEVELS; i++) {
        map->zone_units *= levels[i].per_zone;
        map->group_count *= levels[i].count / levels[i].per_zone;
    }
    map->units_divisor = divisor_of(map->zone_units);
    map->groups_divisor = divisor_of(map->group_count);
    map->unit_idx = g_new(uint32_t, map->group_count * map->zone_units);
    for (uint32_t group_idx = 0; group_idx < map->group_count; group_idx++) {
        for (uint32_t u = 0; u < map->zone_units; u++) {
            map->unit_idx[position++] = unit_of(levels, order, group_idx, u);
        }
    }
    find_steps(map);
}

void map_destroy(ZoneMap *map)
{
    g_free(map->steps);
    g_free(map->unit_idx);
}
