/*
 * Which superblock backs a zone, in which order they are taken, and which
 * blocks need an erase: media/superblock.h against hand-made sequences.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "media/superblock.h"

#include <glib.h>

/* Two groups of two units; zones 0, 2, 4 on group 0 and 1, 3 on group 1. */
static SuperblockConfig config_of(bool direct, SuperblockOrder order,
                                  uint32_t spares)
{
    return (SuperblockConfig) {
        .zones = 5,
        .group_count = 2,
        .units = 2,
        .blocks = 3,
        .spares = spares,
        .direct = direct,
        .order = order,
    };
}

static void test_direct(void)
{
    SuperblockConfig config = config_of(true, SUPERBLOCK_FIFO, 0);
    SuperblockTable table;

    superblock_init(&table, &config);
    g_assert_cmpuint(table.count, ==, 6);
    for (uint32_t i = 0; i < 5; i++) {
        g_assert_cmpuint(table.of_zone[i], ==, i);
        g_assert_true(superblock_is_clean(&table, i));
    }
    superblock_destroy(&table);
}

/* A zone takes from its own group only, the lowest number first. */
static void test_groups(void)
{
    SuperblockConfig config = config_of(false, SUPERBLOCK_FIFO, 1);
    SuperblockTable table;

    superblock_init(&table, &config);
    g_assert_cmpuint(table.count, ==, 8);
    for (uint32_t i = 0; i < 5; i++) {
        g_assert_cmpuint(table.of_zone[i], ==, SUPERBLOCK_NONE);
    }
    superblock_map(&table, 3);
    superblock_map(&table, 4);
    superblock_map(&table, 1);
    superblock_map(&table, 0);
    g_assert_cmpuint(table.of_zone[3], ==, 1);
    g_assert_cmpuint(table.of_zone[4], ==, 0);
    g_assert_cmpuint(table.of_zone[1], ==, 3);
    g_assert_cmpuint(table.of_zone[0], ==, 2);
    superblock_destroy(&table);
}

/* A shorter life leaves what is dirty beyond its own blocks. */
static void test_dirt(void)
{
    SuperblockConfig config = config_of(true, SUPERBLOCK_FIFO, 0);
    SuperblockTable table;

    superblock_init(&table, &config);
    superblock_soil(&table, 0, 1, 3);
    g_assert_false(superblock_is_clean(&table, 0));
    g_assert_cmpuint(superblock_take_dirt_to(&table, 0, 0, 2), ==, 0);
    g_assert_cmpuint(superblock_take_dirt_to(&table, 0, 1, 0), ==, 1);
    g_assert_cmpuint(superblock_take_dirt_to(&table, 0, 1, 0), ==, 0);
    superblock_soil(&table, 0, 1, 1);
    g_assert_cmpuint(superblock_take_dirt_to(&table, 0, 1, 1), ==, 2);
    g_assert_cmpuint(superblock_take_dirt(&table, 0, 1, 5), ==, 1);
    g_assert_true(superblock_is_clean(&table, 0));
    g_assert_cmpuint(table.erase_counts[3], ==, 2);
    g_assert_cmpuint(table.erase_counts[4], ==, 1);
    g_assert_cmpuint(table.erase_counts[5], ==, 1);
    g_assert_cmpuint(table.superblocks[0].erase_count, ==, 4);
    /* A life that wrote nothing leaves what was there. */
    superblock_soil(&table, 0, 1, 3);
    g_assert_cmpuint(superblock_take_dirt(&table, 0, 1, 1), ==, 1);
    superblock_soil(&table, 0, 1, 0);
    g_assert_cmpuint(table.dirt[1].begin, ==, 1);
    g_assert_cmpuint(superblock_take_dirt(&table, 0, 1, 5), ==, 2);
    superblock_destroy(&table);
}

/* Clean blocks between dirty ones are not erased again. */
static void test_dirt_with_a_gap(void)
{
    SuperblockConfig config = config_of(true, SUPERBLOCK_FIFO, 0);
    SuperblockTable table;

    superblock_init(&table, &config);
    superblock_soil(&table, 0, 1, 3);
    g_assert_cmpuint(superblock_take_dirt(&table, 0, 1, 2), ==, 2);
    superblock_soil(&table, 0, 1, 1);
    g_assert_cmpuint(table.superblocks[0].dirty_count, ==, 2);
    /* One at a time: block 0, then block 2. */
    g_assert_cmpuint(superblock_take_dirt(&table, 0, 1, 1), ==, 1);
    g_assert_cmpuint(superblock_take_dirt_to(&table, 0, 1, 1), ==, 0);
    g_assert_cmpuint(superblock_take_dirt(&table, 0, 1, 1), ==, 1);
    g_assert_true(superblock_is_clean(&table, 0));
    g_assert_cmpuint(table.erase_counts[3], ==, 2);
    g_assert_cmpuint(table.erase_counts[4], ==, 1);
    g_assert_cmpuint(table.erase_counts[5], ==, 1);
    superblock_destroy(&table);
}

/*
 * Fill zones 0, 2 and 4, wear and give back the superblocks of 4, 0 and 2 in
 * this order, all but the first dirty, and see what zone 0 gets next.
 */
static uint32_t third_life(SuperblockOrder order)
{
    SuperblockConfig config = config_of(false, order, 0);
    SuperblockTable table;
    uint32_t got;

    superblock_init(&table, &config);
    superblock_map(&table, 0);
    superblock_map(&table, 2);
    superblock_map(&table, 4);
    for (uint32_t i = 0; i < 5; i += 2) {
        g_assert_cmpuint(table.superblocks[table.of_zone[i]].state, ==,
                         SUPERBLOCK_MAPPED);
        superblock_soil(&table, table.of_zone[i], 0, 3);
        superblock_take_dirt(&table, table.of_zone[i], 0, i == 0 ? 2 : 3);
    }
    superblock_unmap(&table, 4);
    superblock_unmap(&table, 0);
    superblock_unmap(&table, 2);
    superblock_map(&table, 0);
    got = table.of_zone[0];
    superblock_destroy(&table);
    return got;
}

static void test_orders(void)
{
    /* Given back: 4, free; 0, dirty; 2, free. */
    g_assert_cmpuint(third_life(SUPERBLOCK_FIFO), ==, 4);
    g_assert_cmpuint(third_life(SUPERBLOCK_LIFO), ==, 2);
    g_assert_cmpuint(third_life(SUPERBLOCK_LEAST_WORN), ==, 4);
}

static void give_back_dirty(SuperblockTable *table, uint32_t zone_idx,
                            uint32_t erases)
{
    uint32_t superblock_idx = table->of_zone[zone_idx];

    superblock_soil(table, superblock_idx, 0, 3);
    superblock_take_dirt(table, superblock_idx, 0, erases);
    superblock_unmap(table, zone_idx);
}

/* Dirty ones in each order. */
static void test_dirty_orders(void)
{
    static const struct {
        SuperblockOrder order;
        uint32_t expected[3];
    } rows[] = {
        /* Given back: those of zone 0 (2 erases), 2 (0), 4 (1). */
        {SUPERBLOCK_FIFO, {0, 2, 4}},
        {SUPERBLOCK_LIFO, {4, 2, 0}},
        {SUPERBLOCK_LEAST_WORN, {2, 4, 0}},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        SuperblockConfig config = config_of(false, rows[i].order, 0);
        SuperblockTable table;
        uint32_t was[3];

        superblock_init(&table, &config);
        for (uint32_t k = 0; k < 3; k++) {
            superblock_map(&table, 2 * k);
            was[k] = table.of_zone[2 * k];
        }
        give_back_dirty(&table, 0, 2);
        give_back_dirty(&table, 2, 0);
        give_back_dirty(&table, 4, 1);
        for (uint32_t k = 0; k < 3; k++) {
            superblock_map(&table, 2 * k);
            g_assert_cmpuint(table.of_zone[2 * k], ==,
                             was[rows[i].expected[k] / 2]);
        }
        superblock_destroy(&table);
    }
}

static void test_erasing(void)
{
    SuperblockConfig config = config_of(false, SUPERBLOCK_FIFO, 0);
    SuperblockTable table;

    superblock_init(&table, &config);
    superblock_map(&table, 1);
    superblock_map(&table, 3);
    superblock_soil(&table, 1, 0, 3);
    superblock_soil(&table, 3, 0, 3);
    g_assert_cmpuint(superblock_unmap(&table, 1), ==, 1);
    superblock_set_erasing(&table, 1);
    g_assert_cmpuint(superblock_unmap(&table, 3), ==, 3);
    /* Group 1 has a superblock more than zones: 5 is free. */
    superblock_map(&table, 1);
    g_assert_cmpuint(table.of_zone[1], ==, 5);
    /* Then who is being erased already, before who is dirty. */
    superblock_map(&table, 3);
    g_assert_cmpuint(table.of_zone[3], ==, 1);
    /* It backs a zone now, and stays there when its erase ends. */
    superblock_set_erased(&table, 1);
    g_assert_cmpuint(table.superblocks[1].state, ==, SUPERBLOCK_MAPPED);
    /* A dirty one whose blocks zones have had erased is free. */
    superblock_set_erased(&table, 3);
    g_assert_cmpuint(table.superblocks[3].state, ==, SUPERBLOCK_FREE);
    g_assert_cmpuint(table.pools[SUPERBLOCK_POOLS + SUPERBLOCK_FREE].head_idx,
                     ==, 3);
    superblock_destroy(&table);
}

/* Whom a walk over all of a group finds: what ranks must say, too. */
static uint32_t walk(const SuperblockTable *table, uint32_t group,
                     const uint64_t *given_back)
{
    uint32_t best = SUPERBLOCK_NONE;

    for (uint32_t i = group; i < table->count;
         i += table->config.group_count) {
        const Superblock *it = &table->superblocks[i];
        const Superblock *than = &table->superblocks[best];

        if (it->state == SUPERBLOCK_MAPPED) {
            continue;
        }
        if (best == SUPERBLOCK_NONE || it->state < than->state ||
            (it->state == than->state &&
             (it->erase_count < than->erase_count ||
              (it->erase_count == than->erase_count &&
               given_back[i] < given_back[best])))) {
            best = i;
        }
    }
    return best;
}

/* One step of a life at random: the least worn is who a walk finds. */
static void least_worn_step(SuperblockTable *table, GRand *rand,
                            uint64_t *given_back, uint64_t number)
{
    uint32_t zone_idx = g_rand_int_range(rand, 0, table->config.zones);
    uint32_t group = zone_idx % table->config.group_count;
    uint32_t idx = table->of_zone[zone_idx];
    uint32_t any = g_rand_int_range(rand, 0, table->count);
    SuperblockState state = table->superblocks[any].state;

    if (idx == SUPERBLOCK_NONE) {
        uint32_t expected = walk(table, group, given_back);

        superblock_map(table, zone_idx);
        g_assert_cmpuint(table->of_zone[zone_idx], ==, expected);
    } else {
        superblock_soil(table, idx, 0, g_rand_int_range(rand, 0, 4));
        superblock_unmap(table, zone_idx);
        given_back[idx] = 2 * number;
    }
    superblock_take_dirt(table, any, 0, g_rand_int_range(rand, 0, 3));
    if (g_rand_boolean(rand)) {
        superblock_set_erasing(table, any);
    } else if (superblock_is_clean(table, any)) {
        superblock_set_erased(table, any);
    }
    if (table->superblocks[any].state != state) {
        given_back[any] = 2 * number + 1;
    }
}

static void test_least_worn(void)
{
    SuperblockConfig config = config_of(false, SUPERBLOCK_LEAST_WORN, 7);
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    uint64_t given_back[20];
    SuperblockTable table;

    superblock_init(&table, &config);
    g_assert_cmpuint(table.count, ==, G_N_ELEMENTS(given_back));
    for (uint32_t i = 0; i < table.count; i++) {
        given_back[i] = i;
    }
    for (unsigned i = 0; i < 100000; i++) {
        least_worn_step(&table, rand, given_back, table.count + i);
    }
    superblock_destroy(&table);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/superblock/direct", test_direct);
    g_test_add_func("/superblock/groups", test_groups);
    g_test_add_func("/superblock/dirt", test_dirt);
    g_test_add_func("/superblock/dirt-with-a-gap", test_dirt_with_a_gap);
    g_test_add_func("/superblock/orders/free-first", test_orders);
    g_test_add_func("/superblock/orders/dirty", test_dirty_orders);
    g_test_add_func("/superblock/orders/least-worn", test_least_worn);
    g_test_add_func("/superblock/erasing", test_erasing);
    return g_test_run();
}
