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

/* Steps of 12 units are 1, 5, 7 and 11, and each is its own way back. */
static void test_steps(void)
{
    static const MapLevel twelve[MAP_LEVELS] = {
        [MAP_CHANNEL] = { 6, 6 }, [MAP_WAY] = { 1, 1 },
        [MAP_DIE] = { 2, 2 }, [MAP_PLANE] = { 1, 1 },
    };
    static const MapLevel levels[MAP_LEVELS] = {
        [MAP_CHANNEL] = { 5, 5 }, [MAP_WAY] = { 3, 3 },
        [MAP_DIE] = { 2, 2 }, [MAP_PLANE] = { 7, 1 },
    };
    static const uint32_t of_twelve[] = { 1, 5, 7, 11 };
    static const MapLevel one[MAP_LEVELS] = {
        { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 },
    };
    ZoneMap map;

    map_init(&map, twelve, map_order(0));
    g_assert_cmpmem(map.steps, map.step_count * 4, of_twelve, 16);
    for (uint32_t i = 0; i < 4; i++) {
        g_assert_cmpuint(map_steps_back(&map, of_twelve[i]), ==,
                         of_twelve[i]);
    }
    map_destroy(&map);
    map_init(&map, levels, map_order(0));
    g_assert_cmpuint(map.step_count, ==, 8);
    g_assert_cmpuint(map.steps[7], ==, 29);
    g_assert_cmpuint(map_steps_back(&map, 7), ==, 13);
    g_assert_cmpuint(map_steps_back(&map, 29), ==, 29);
    map_destroy(&map);
    map_init(&map, one, map_order(0));
    g_assert_cmpuint(map.step_count, ==, 1);
    g_assert_cmpuint(map.steps[0], ==, 1);
    map_destroy(&map);
}

#define SHUFFLED "channels=5 zones=40 page-transfer-ns=0 zone-shuffle=on "

/* Do two pages lie on one unit? Then one read waits for the other's sense. */
static bool meet(Drive *d, uint32_t zone_a, uint32_t page_a, uint32_t zone_b,
                 uint32_t page_b)
{
    uint64_t t = d->now_ns + 1000000000;
    uint64_t last_ns;

    drive_read(d, t, drive_zone_lba(d, zone_a) + page_a, 1);
    drive_read(d, t, drive_zone_lba(d, zone_b) + page_b, 1);
    drive_drain(d);
    last_ns = d->now_ns - t;
    g_assert_true(last_ns == 60000 || last_ns == 120000);
    return last_ns == 120000;
}

/* Which page of zone 0's stripe lies where that page does. */
static uint32_t beside(Drive *d, uint32_t zone_idx, uint32_t page)
{
    uint32_t found = UINT32_MAX;

    for (uint32_t i = 0; i < 5; i++) {
        if (meet(d, 0, i, zone_idx, page)) {
            g_assert_cmpuint(found, ==, UINT32_MAX);
            found = i;
        }
    }
    g_assert_cmpuint(found, !=, UINT32_MAX);
    return found;
}

/*
 * Zones go round all units, stripe after stripe in the same order, in steps of
 * 1 to 4 of those of zone 0, from any on; another seed has other ones.
 */
static void test_shuffle(void)
{
    unsigned steps[2][5] = { { 0 } }, starts[2][5] = { { 0 } };
    unsigned others = 0;
    uint32_t first_of[2][40];

    for (unsigned seed = 0; seed < 2; seed++) {
        Drive *d = drive_new(seed ? SHUFFLED "seed=2" : SHUFFLED "seed=1");

        for (uint32_t z = 0; z < 40; z++) {
            drive_fill(d, z, 15);
        }
        for (uint32_t z = 1; z < 40; z++) {
            uint32_t place[5];
            uint32_t step;

            for (uint32_t i = 0; i < 5; i++) {
                place[i] = beside(d, z, i);
                g_assert_cmpuint(beside(d, z, 10 + i), ==, place[i]);
            }
            step = (place[1] + 5 - place[0]) % 5;
            for (uint32_t i = 1; i < 5; i++) {
                g_assert_cmpuint(place[i], ==, (place[i - 1] + step) % 5);
            }
            steps[seed][step]++;
            starts[seed][place[0]]++;
            first_of[seed][z] = place[0];
        }
        drive_free(d);
    }
    for (unsigned seed = 0; seed < 2; seed++) {
        g_assert_cmpuint(steps[seed][0], ==, 0);
        for (unsigned i = 0; i < 5; i++) {
            g_assert_cmpuint(starts[seed][i], >, 2);
            g_assert_true(i == 0 || steps[seed][i] > 3);
        }
    }
    for (uint32_t z = 1; z < 40; z++) {
        others += first_of[0][z] != first_of[1][z];
    }
    g_assert_cmpuint(others, >, 20);
}

/* Each page of the last row soils the block that it lies in, and no other. */
static void test_shuffle_fills(void)
{
    for (unsigned pages = 1; pages <= 10; pages++) {
        Drive *d = drive_new("channels=4 zones=4 pages-per-block=1 "
                             "zone-capacity=40K zone-shuffle=on seed=3");
        g_autofree char *stats = NULL;
        g_autofree char *text = g_strdup_printf(
            "\"programs\":%u,\"erases\":%u}", 4 * pages, 4 * pages);

        for (uint32_t z = 0; z < 4; z++) {
            drive_write(d, d->now_ns, drive_zone_lba(d, z), pages);
            drive_drain(d);
            drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, z);
            drive_drain(d);
        }
        stats = ssd_stats_json(d->ssd, d->now_ns, NULL);
        g_assert_nonnull(strstr(stats, text));
        drive_free(d);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/map/orders", test_orders);
    g_test_add_func("/map/groups", test_groups);
    g_test_add_func("/map/time", test_time);
    g_test_add_func("/map/last-row", test_last_row);
    g_test_add_func("/map/steps", test_steps);
    g_test_add_func("/map/shuffle", test_shuffle);
    g_test_add_func("/map/shuffle/rows", test_shuffle_fills);
    return g_test_run();
}
