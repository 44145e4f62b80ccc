/*
 * The state of superblocks: who backs which zone, the pools in their order, and
 * each block's erases.
 *
 * Knows nothing of time, states, commands or pages.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/state.h"
#include "superblock.h"

static const StateRow superblock_rows[] = {
    STATE_LEFT(Superblock, state, "of the pool; else a zone has it"),
    STATE_IN_LISTS(Superblock, next_idx),
    STATE_IN_LISTS(Superblock, prev_idx),
    STATE_LEFT(Superblock, erase_count, "the sum of `erase_counts`"),
    STATE_LEFT(Superblock, dirty_count, "how many `is_dirty`"),
};

static const StateRow pool_rows[] = {
    STATE_IN_LISTS(SuperblockPool, head_idx),
    STATE_IN_LISTS(SuperblockPool, tail_idx),
};

static const StateRow dirt_rows[] = {
    STATE_NUMBER(SuperblockDirt, begin),
    STATE_NUMBER(SuperblockDirt, end),
};

static const StateRow table_rows[] = {
    STATE_NUMBER(SuperblockTable, given_back),
    STATE_LEFT(SuperblockTable, config, "of the parameters"),
    STATE_LEFT(SuperblockTable, count, "of the parameters"),
    STATE_ELSE(SuperblockTable, superblocks, "lists, and what follows"),
    STATE_ELSE(SuperblockTable, pools, "lists"),
    STATE_ELSE(SuperblockTable, rankings, "when each was given back"),
    STATE_ELSE(SuperblockTable, dirt, "dirt_rows"),
    STATE_LEFT(SuperblockTable, wear, "of `erase_counts`"),
    STATE_LEFT(Tally, numbers, "of `erase_counts`"),
    STATE_LEFT(Tally, count, "of the parameters"),
    STATE_LEFT(Tally, sum, "of `erase_counts`"),
};

/* Only the minor halves of the keys are stored: all else is ranked anew. */
static const StateRow ranking_rows[] = {
    STATE_ELSE(Ranking, keys, "their minor halves"),
    STATE_LEFT(Ranking, places, "of the keys, all of which are ranked"),
    STATE_LEFT(Ranking, members, "of the keys"),
    STATE_LEFT(Ranking, count, "all are ranked"),
    STATE_LEFT(RankingKey, major, "of a superblock's state and erases"),
    STATE_ELSE(RankingKey, minor, "when it was given back"),
};

static uint32_t group_of(const SuperblockTable *table, uint32_t superblock_idx)
{
    return superblock_idx % table->config.group_count;
}

/* Reading: members that are not stored, as they follow from others */

static void count_blocks(State *state, SuperblockTable *table,
                         uint32_t superblock_idx, uint32_t unit)
{
    Superblock *superblock = &table->superblocks[superblock_idx];
    uint32_t blocks = table->config.blocks;
    size_t place = (size_t)superblock_idx * table->config.units + unit;
    const SuperblockDirt *dirt = &table->dirt[place];

    if (dirt->end > blocks || dirt->begin > blocks) {
        state_fail(state, "superblock %u: blocks %u to %u of %u are dirty",
                   superblock_idx, dirt->begin, dirt->end, blocks);
    }
    for (uint32_t b = 0; b < blocks; b++) {
        size_t block = place * blocks + b;

        superblock->erase_count += table->erase_counts[block];
        superblock->dirty_count += table->is_dirty[block];
        if (table->is_dirty[block] && (b < dirt->begin || b >= dirt->end)) {
            state_fail(state, "superblock %u: dirty block %u is not of %u to "
                       "%u", superblock_idx, b, dirt->begin, dirt->end);
        }
    }
}

static void count_all_blocks(State *state, SuperblockTable *table)
{
    tally_take(&table->wear, table->erase_counts);
    for (uint32_t i = 0; i < table->count; i++) {
        for (uint32_t unit = 0; unit < table->config.units; unit++) {
            count_blocks(state, table, i, unit);
        }
    }
}

static void take_pool_state(State *state, SuperblockTable *table,
                            uint32_t pool_idx)
{
    SuperblockState pool_state = pool_idx % SUPERBLOCK_POOLS;
    uint32_t group = pool_idx / SUPERBLOCK_POOLS;

    for (uint32_t i = table->pools[pool_idx].head_idx; i != SUPERBLOCK_NONE;
         i = table->superblocks[i].next_idx) {
        table->superblocks[i].state = pool_state;
        if (group_of(table, i) != group) {
            state_fail(state, "superblock %u is in a pool of group %u", i,
                       group);
        }
        if (pool_state == SUPERBLOCK_FREE && !superblock_is_clean(table, i)) {
            state_fail(state, "superblock %u is free, and dirty", i);
        }
    }
}

/* A zone's superblock is of its group, in no pool, and of no other zone. */
static void check_zones(State *state, const SuperblockTable *table,
                        bool *taken)
{
    for (uint32_t zone = 0; zone < table->config.zones; zone++) {
        uint32_t i = table->of_zone[zone];

        if (table->config.direct && i != zone) {
            state_fail(state, "zone %u has superblock %u", zone, i);
        } else if (i != SUPERBLOCK_NONE &&
                   (taken[i] || group_of(table, i) != group_of(table, zone))) {
            state_fail(state, "zone %u has superblock %u, which is %s", zone,
                       i, taken[i] ? "in use or in a pool"
                                   : "of another group");
        }
        if (i != SUPERBLOCK_NONE) {
            taken[i] = true;
        }
    }
    for (uint32_t i = 0; i < table->count; i++) {
        if (!taken[i]) {
            state_fail(state, "superblock %u is nowhere", i);
        }
    }
}

static void take_states(State *state, SuperblockTable *table, bool *linked)
{
    for (uint32_t i = 0; i < table->count; i++) {
        table->superblocks[i].state = SUPERBLOCK_MAPPED;
    }
    count_all_blocks(state, table);
    for (uint32_t i = 0; i < table->config.group_count * SUPERBLOCK_POOLS;
         i++) {
        take_pool_state(state, table, i);
    }
    check_zones(state, table, linked);
}

/* Writing and reading */

static void visit_blocks(SuperblockTable *table, State *state)
{
    uint64_t places = (uint64_t)table->count * table->config.units;

    STATE_STRUCT(state, table_rows, table);
    STATE_TABLE(state, dirt_rows, table->dirt, places, NULL);
    STATE_ARRAY_OF(SuperblockTable, is_dirty, state, table,
                   places * table->config.blocks, STATE_IS_BOOL,
                   STATE_OF_NOTHING, 1);
    STATE_ARRAY(SuperblockTable, erase_counts, state, table,
                places * table->config.blocks);
    STATE_ARRAY_OF(SuperblockTable, of_zone, state, table,
                   table->config.zones, STATE_IS_INDEX_OR_NONE,
                   STATE_OF_SUPERBLOCKS, UINT64_MAX);
}

static void visit_pools(SuperblockTable *table, State *state)
{
    StateLinks links = STATE_LINKS(Superblock, next_idx, "pools",
                                   table->superblocks, table->count);

    STATE_STRUCT(state, superblock_rows, table->superblocks);
    STATE_STRUCT(state, pool_rows, table->pools);
    links.prev_offset = offsetof(Superblock, prev_idx);
    state_links_begin(&links);
    state_lists(state, &links, &(StateHeads) {
        table->pools, sizeof(SuperblockPool),
        offsetof(SuperblockPool, head_idx), offsetof(SuperblockPool, tail_idx),
        (uint64_t)table->config.group_count * SUPERBLOCK_POOLS,
    });
    if (state_was_read(state)) {
        take_states(state, table, links.linked);
    }
    state_links_end(&links);
}

static void visit_ranking(SuperblockTable *table, State *state,
                          uint32_t group)
{
    uint32_t count = table->count / table->config.group_count;
    g_autofree uint64_t *given_back = g_new0(uint64_t, count);
    const StateRow row = {
        .name = "given_back", .size = sizeof(*given_back),
        .kind = STATE_IS_NUMBER, .most = UINT64_MAX,
    };

    for (uint32_t i = 0; i < count; i++) {
        given_back[i] = ranking_key(&table->rankings[group], i).minor;
    }
    state_numbers(state, &row, given_back, count);
    for (uint32_t i = 0; state_was_read(state) && i < count; i++) {
        superblock_rank(table, i * table->config.group_count + group,
                        given_back[i]);
    }
}

void superblock_state(SuperblockTable *table, State *state)
{
    state_room(state, "superblocks");
    state_count(state, STATE_OF_SUPERBLOCKS, table->count);
    visit_blocks(table, state);
    visit_pools(table, state);
    STATE_STRUCT(state, ranking_rows, table->rankings);
    for (uint32_t group = 0;
         table->rankings != NULL && group < table->config.group_count;
         group++) {
        visit_ranking(table, state, group);
    }
    state_room_end(state);
}
