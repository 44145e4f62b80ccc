/*
 * Which flash blocks back a zone.
 *
 * Knows nothing of time, states, commands or pages.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "superblock.h"

#include "../base/round.h"

#include <glib.h>

/* Pools: doubly linked, in the order in which superblocks were given back */

static uint32_t group_of(const SuperblockTable *table, uint32_t superblock_idx)
{
    return superblock_idx % table->config.group_count;
}

static SuperblockPool *pool_of(SuperblockTable *table, uint32_t superblock_idx,
                               SuperblockState state)
{
    return &table->pools[group_of(table, superblock_idx) * SUPERBLOCK_POOLS +
                         state];
}

static void list_add(SuperblockTable *table, SuperblockPool *pool,
                     uint32_t superblock_idx)
{
    Superblock *superblock = &table->superblocks[superblock_idx];

    superblock->next_idx = SUPERBLOCK_NONE;
    superblock->prev_idx = pool->tail_idx;
    if (pool->tail_idx == SUPERBLOCK_NONE) {
        pool->head_idx = superblock_idx;
    } else {
        table->superblocks[pool->tail_idx].next_idx = superblock_idx;
    }
    pool->tail_idx = superblock_idx;
}

static void list_remove(SuperblockTable *table, SuperblockPool *pool,
                        uint32_t superblock_idx)
{
    const Superblock *superblock = &table->superblocks[superblock_idx];

    if (superblock->prev_idx == SUPERBLOCK_NONE) {
        pool->head_idx = superblock->next_idx;
    } else {
        table->superblocks[superblock->prev_idx].next_idx =
            superblock->next_idx;
    }
    if (superblock->next_idx == SUPERBLOCK_NONE) {
        pool->tail_idx = superblock->prev_idx;
    } else {
        table->superblocks[superblock->next_idx].prev_idx =
            superblock->prev_idx;
    }
}

/*
 * Rankings, for SUPERBLOCK_LEAST_WORN: by state, then by erases; superblocks
 * that back a zone come behind all others.
 */

static bool is_ranked(const SuperblockTable *table)
{
    return table->config.order == SUPERBLOCK_LEAST_WORN &&
           !table->config.direct;
}

/* Among equally worn ones, that given back longest ago comes first. */
void superblock_rank(SuperblockTable *table, uint32_t superblock_idx,
                     uint64_t given_back)
{
    const Superblock *superblock = &table->superblocks[superblock_idx];

    ranking_set(&table->rankings[group_of(table, superblock_idx)],
                superblock_idx / table->config.group_count,
                (RankingKey) {
        .major = (uint64_t)superblock->state << 56 | superblock->erase_count,
        .minor = given_back,
    });
}

/* Its state or its erases have changed. */
static void rank_again(SuperblockTable *table, uint32_t superblock_idx)
{
    if (is_ranked(table)) {
        const Ranking *ranking =
            &table->rankings[group_of(table, superblock_idx)];

        superblock_rank(table, superblock_idx,
                        ranking_key(ranking, superblock_idx /
                                    table->config.group_count).minor);
    }
}

static void pool_add(SuperblockTable *table, uint32_t superblock_idx,
                     SuperblockState state)
{
    table->superblocks[superblock_idx].state = state;
    list_add(table, pool_of(table, superblock_idx, state), superblock_idx);
    if (is_ranked(table)) {
        superblock_rank(table, superblock_idx, table->given_back++);
    }
}

static void pool_remove(SuperblockTable *table, uint32_t superblock_idx)
{
    Superblock *superblock = &table->superblocks[superblock_idx];

    list_remove(table, pool_of(table, superblock_idx, superblock->state),
                superblock_idx);
    superblock->state = SUPERBLOCK_MAPPED;
    rank_again(table, superblock_idx);
}

/* Which superblock a zone takes: a row for each order, a function for each */

/* The first pool of a group that has any; there is one. */
static const SuperblockPool *best_pool(const SuperblockTable *table,
                                       uint32_t group)
{
    const SuperblockPool *pool = &table->pools[group * SUPERBLOCK_POOLS];

    while (pool->head_idx == SUPERBLOCK_NONE) {
        pool++;
    }
    return pool;
}

static uint32_t choose_oldest(const SuperblockTable *table, uint32_t group)
{
    return best_pool(table, group)->head_idx;
}

static uint32_t choose_newest(const SuperblockTable *table, uint32_t group)
{
    return best_pool(table, group)->tail_idx;
}

static uint32_t choose_least_worn(const SuperblockTable *table, uint32_t group)
{
    return ranking_first(&table->rankings[group]) *
           table->config.group_count + group;
}

static uint32_t (*const choose[])(const SuperblockTable *table,
                                  uint32_t group) = {
    [SUPERBLOCK_FIFO] = choose_oldest,
    [SUPERBLOCK_LIFO] = choose_newest,
    [SUPERBLOCK_LEAST_WORN] = choose_least_worn,
};

/* Construction */

uint64_t superblock_blocks(const SuperblockTable *table)
{
    return (uint64_t)table->count * table->config.units *
           table->config.blocks;
}

void superblock_init(SuperblockTable *table, const SuperblockConfig *config)
{
    uint32_t groups = config->group_count;
    uint32_t per_group = div_round_up(config->zones, groups) + config->spares;

    *table = (SuperblockTable) {
        .config = *config,
        .count = groups * per_group,
    };
    table->superblocks = g_new0(Superblock, table->count);
    table->pools = g_new(SuperblockPool, (size_t)groups * SUPERBLOCK_POOLS);
    table->dirt = g_new0(SuperblockDirt, (size_t)table->count * config->units);
    table->is_dirty = g_new0(bool, (size_t)table->count * config->units *
                                   config->blocks);
    table->erase_counts = g_new0(uint32_t, (size_t)table->count *
                                           config->units * config->blocks);
    tally_init(&table->wear, superblock_blocks(table));
    table->of_zone = g_new(uint32_t, config->zones);
    if (is_ranked(table)) {
        table->rankings = g_new(Ranking, groups);
        for (uint32_t i = 0; i < groups; i++) {
            ranking_init(&table->rankings[i], per_group);
        }
    }
    for (uint32_t i = 0; i < groups * SUPERBLOCK_POOLS; i++) {
        table->pools[i].head_idx = SUPERBLOCK_NONE;
        table->pools[i].tail_idx = SUPERBLOCK_NONE;
    }
    for (uint32_t i = 0; i < config->zones; i++) {
        table->of_zone[i] = config->direct ? i : SUPERBLOCK_NONE;
    }
    for (uint32_t i = 0; i < table->count; i++) {
        if (config->direct && i < config->zones) {
            table->superblocks[i].state = SUPERBLOCK_MAPPED;
        } else {
            pool_add(table, i, SUPERBLOCK_FREE);
        }
    }
}

void superblock_destroy(SuperblockTable *table)
{
    for (uint32_t i = 0; is_ranked(table) && i < table->config.group_count;
         i++) {
        ranking_destroy(&table->rankings[i]);
    }
    g_free(table->rankings);
    g_free(table->of_zone);
    tally_destroy(&table->wear);
    g_free(table->erase_counts);
    g_free(table->is_dirty);
    g_free(table->dirt);
    g_free(table->pools);
    g_free(table->superblocks);
}

/* Mapping */

RARE
void superblock_map(SuperblockTable *table, uint32_t zone_idx)
{
    uint32_t chosen_idx;

    g_assert(table->of_zone[zone_idx] == SUPERBLOCK_NONE);
    /* There is one: a group has as many superblocks as zones at least. */
    chosen_idx = choose[table->config.order](table, zone_idx %
                                             table->config.group_count);
    pool_remove(table, chosen_idx);
    table->of_zone[zone_idx] = chosen_idx;
}

uint32_t superblock_unmap(SuperblockTable *table, uint32_t zone_idx)
{
    uint32_t superblock_idx = table->of_zone[zone_idx];

    g_assert(superblock_idx != SUPERBLOCK_NONE);
    table->of_zone[zone_idx] = SUPERBLOCK_NONE;
    pool_add(table, superblock_idx,
             superblock_is_clean(table, superblock_idx) ? SUPERBLOCK_FREE
                                                        : SUPERBLOCK_DIRTY);
    return superblock_idx;
}

void superblock_set_erasing(SuperblockTable *table, uint32_t superblock_idx)
{
    if (table->superblocks[superblock_idx].state == SUPERBLOCK_DIRTY) {
        pool_remove(table, superblock_idx);
        pool_add(table, superblock_idx, SUPERBLOCK_ERASING);
    }
}

void superblock_set_erased(SuperblockTable *table, uint32_t superblock_idx)
{
    SuperblockState state = table->superblocks[superblock_idx].state;

    if (state == SUPERBLOCK_ERASING || state == SUPERBLOCK_DIRTY) {
        pool_remove(table, superblock_idx);
        pool_add(table, superblock_idx, SUPERBLOCK_FREE);
    }
}

/* What needs an erase */

static SuperblockDirt *dirt_of(const SuperblockTable *table,
                               uint32_t superblock_idx, uint32_t unit)
{
    return &table->dirt[(size_t)superblock_idx * table->config.units + unit];
}

/* Index of a unit's first block among all blocks. */
static size_t first_block(const SuperblockTable *table,
                          uint32_t superblock_idx, uint32_t unit)
{
    return ((size_t)superblock_idx * table->config.units + unit) *
           table->config.blocks;
}

void superblock_soil(SuperblockTable *table, uint32_t superblock_idx,
                     uint32_t unit, uint32_t used)
{
    SuperblockDirt *dirt = dirt_of(table, superblock_idx, unit);
    bool *is_dirty = &table->is_dirty[first_block(table, superblock_idx,
                                                  unit)];

    if (used == 0) {
        return;
    }
    for (uint32_t i = 0; i < used; i++) {
        table->superblocks[superblock_idx].dirty_count += !is_dirty[i];
        is_dirty[i] = true;
    }
    /* Blocks behind these may still be dirty from an earlier life. */
    dirt->begin = 0;
    dirt->end = MAX(dirt->end, used);
}

/* Take up to `most` dirty blocks below block `below` of a unit. */
static uint32_t take_dirt(SuperblockTable *table, uint32_t superblock_idx,
                          uint32_t unit, uint32_t below, uint32_t most)
{
    SuperblockDirt *dirt = dirt_of(table, superblock_idx, unit);
    size_t first = first_block(table, superblock_idx, unit);
    uint32_t end = MIN(dirt->end, below);
    uint32_t taken = 0;

    while (dirt->begin < end && taken < most) {
        size_t block = first + dirt->begin++;

        if (table->is_dirty[block]) {
            tally_raise(&table->wear, table->erase_counts[block]++);
            table->is_dirty[block] = false;
            taken++;
        }
    }
    table->superblocks[superblock_idx].erase_count += taken;
    table->superblocks[superblock_idx].dirty_count -= taken;
    rank_again(table, superblock_idx);
    return taken;
}

uint32_t superblock_take_dirt(SuperblockTable *table, uint32_t superblock_idx,
                              uint32_t unit, uint32_t most)
{
    return take_dirt(table, superblock_idx, unit, UINT32_MAX, most);
}

uint32_t superblock_take_dirt_to(SuperblockTable *table,
                                 uint32_t superblock_idx, uint32_t unit,
                                 uint32_t block)
{
    return take_dirt(table, superblock_idx, unit, block + 1, UINT32_MAX);
}
