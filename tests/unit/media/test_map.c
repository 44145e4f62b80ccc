/*
 * Where pages lie: media/map.h for every order of striping, and what the order
 * does to the time of a drive.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "media/map.h"

#include <string.h>

#include "support/drive.h"

/* The words of stripe-order, in the order of their numbers. */
static GStrv order_words(void)
{
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);

    for (unsigned i = 0; i < count; i++) {
        if (g_str_equal(table[i].name, "stripe-order")) {
            return g_strsplit(table[i].unit, ", ", -1);
        }
    }
    g_assert_not_reached();
}

/* Unit at `position` of the only group: position's digits go to the levels. */
static uint32_t unit_by_hand(const MapLevel levels[MAP_LEVELS],
                             const char *word, uint32_t position)
{
    uint32_t digit[MAP_LEVELS] = { 0 };

    for (const char *c = word; *c; c++) {
        unsigned level = strchr("cwdp", *c) - "cwdp";

        digit[level] = position % levels[level].count;
        position /= levels[level].count;
    }
    return ((digit[MAP_CHANNEL] * levels[MAP_WAY].count + digit[MAP_WAY]) *
            levels[MAP_DIE].count + digit[MAP_DIE]) *
           levels[MAP_PLANE].count + digit[MAP_PLANE];
}

static void test_orders(void)
{
    static const MapLevel levels[MAP_LEVELS] = {
        [MAP_CHANNEL] = { 5, 5 }, [MAP_WAY] = { 3, 3 },
        [MAP_DIE] = { 2, 2 }, [MAP_PLANE] = { 4, 4 },
    };
    g_auto(GStrv) words = order_words();

    g_assert_cmpuint(g_strv_length(words), ==, MAP_ORDERS);
    for (uint32_t i = 0; i < MAP_ORDERS; i++) {
        ZoneMap map;

        g_assert_cmpuint(strlen(words[i]), ==, MAP_LEVELS);
        map_init(&map, levels, map_order(i));
        g_assert_cmpuint(map.zone_units, ==, 120);
        g_assert_cmpuint(map.group_count, ==, 1);
        for (uint32_t u = 0; u < map.zone_units; u++) {
            g_assert_cmpuint(map_zone_units(&map, 0)[u], ==,
                             unit_by_hand(levels, words[i], u));
        }
        map_destroy(&map);
    }
}

/* A zone on part of each level: the groups are the same in every order. */
static void test_groups(void)
{
    static const MapLevel levels[MAP_LEVELS] = {
        [MAP_CHANNEL] = { 4, 2 }, [MAP_WAY] = { 1, 1 },
        [MAP_DIE] = { 2, 1 }, [MAP_PLANE] = { 2, 2 },
    };
    /* Channels 2 and 3, die 1: units 4 * channel + 2 * die + plane. */
    static const uint32_t by_channel[] = { 10, 14, 11, 15 };
    static const uint32_t by_plane[] = { 10, 11, 14, 15 };
    ZoneMap map;

    map_init(&map, levels, map_order(0));
    g_assert_cmpuint(map.group_count, ==, 4);
    g_assert_cmpmem(map_zone_units(&map, 3), 16, by_channel, 16);
    map_destroy(&map);
    map_init(&map, levels, map_order(MAP_ORDERS - 1));
    g_assert_cmpmem(map_zone_units(&map, 7), 16, by_plane, 16);
    map_destroy(&map);
}

/* Two pages on two channels, or on two planes behind one channel. */
static void test_time(void)
{
    Drive *d = drive_new("channels=2 planes=2");

    drive_expect(d, drive_write(d, 0, 0, 2), 25000 + 700000);
    drive_free(d);
    d = drive_new("channels=2 planes=2 stripe-order=pcwd");
    drive_expect(d, drive_write(d, 0, 0, 2), 2 * 25000 + 700000);
    drive_free(d);
}

/* Five pages on four units: the second row, of one page, has a block too. */
static void test_last_row(void)
{
    Drive *d = drive_new("channels=4 pages-per-block=1 zone-capacity=20K");
    g_autofree char *stats = NULL;

    drive_write(d, 0, 0, 5);
    drive_drain(d);
    drive_expect(d, drive_zone_op(d, 5000000, SSD_OP_ZONE_RESET, 0),
                 5000000 + 2 * 3500000);
    stats = ssd_stats_json(d->ssd, d->now_ns, NULL);
    g_assert_nonnull(strstr(stats, "\"programs\":5,\"erases\":5}"));
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/map/orders", test_orders);
    g_test_add_func("/map/groups", test_groups);
    g_test_add_func("/map/time", test_time);
    g_test_add_func("/map/last-row", test_last_row);
    return g_test_run();
}
