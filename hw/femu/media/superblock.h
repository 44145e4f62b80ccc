/*
 * Which flash blocks back a zone, which of them must be erased before they
 * can be programmed, and how often each has been erased.
 *
 * A superblock is what backs one zone: on each unit of a group of units the
 * same number of blocks, erased from the first dirty one on. A life that used
 * fewer blocks than the one before may leave clean ones between dirty ones.
 *
 * Knows nothing of time, states, commands or pages.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SUPERBLOCK_H
#define FEMU_SUPERBLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/ranking.h"
#include "../base/tally.h"

#define SUPERBLOCK_NONE UINT32_MAX

/* What is taken first when a zone needs a superblock. */
typedef enum SuperblockOrder {
    SUPERBLOCK_FIFO,        /* the one given back longest ago */
    SUPERBLOCK_LIFO,        /* the one given back last */
    SUPERBLOCK_LEAST_WORN,  /* the one with the fewest erases */
} SuperblockOrder;

/*
 * A superblock that backs no zone is free (nothing on it needs an erase), being
 * erased, or dirty. Zones take them in this order, for a superblock that is
 * being erased is ready before one whose erase has not begun.
 */
typedef enum SuperblockState {
    SUPERBLOCK_FREE,
    SUPERBLOCK_ERASING,
    SUPERBLOCK_DIRTY,
    SUPERBLOCK_POOLS,
    SUPERBLOCK_MAPPED = SUPERBLOCK_POOLS,
} SuperblockState;

typedef struct Superblock {
    SuperblockState state;
    uint32_t next_idx;      /* neighbours in the pool of its group and state */
    uint32_t prev_idx;
    uint64_t erase_count;   /* of all its blocks */
    uint32_t dirty_count;   /* blocks in need of an erase */
} Superblock;

typedef struct SuperblockPool {
    uint32_t head_idx;      /* given back longest ago */
    uint32_t tail_idx;
} SuperblockPool;

typedef struct SuperblockConfig {
    uint32_t zones;
    uint32_t group_count;   /* zone z lies on group z mod group_count */
    uint32_t units;         /* of a group */
    uint32_t blocks;        /* that a superblock has on each unit */
    uint32_t spares;        /* superblocks of a group beyond its zones */
    bool direct;            /* every zone keeps the superblock of its number */
    SuperblockOrder order;
} SuperblockConfig;

/* Blocks that need an erase lie in [begin, end) of a superblock's unit. */
typedef struct SuperblockDirt {
    uint32_t begin;
    uint32_t end;
} SuperblockDirt;

typedef struct SuperblockTable {
    SuperblockConfig config;
    uint32_t count;
    Superblock *superblocks;    /* number s lies on group s mod group_count */
    SuperblockPool *pools;      /* [group * SUPERBLOCK_POOLS + state] */
    /*
     * [group], with SUPERBLOCK_LEAST_WORN only: all of them, by state, erases
     * and `given_back`; member m is superblock m * group_count + group.
     */
    Ranking *rankings;
    uint64_t given_back;        /* superblocks ever given back */
    SuperblockDirt *dirt;       /* [superblock * units + unit] */
    bool *is_dirty;             /* [(superblock * units + unit) * blocks + b] */
    uint32_t *erase_counts;     /* the same index */
    Tally wear;                 /* blocks by `erase_counts` */
    uint32_t *of_zone;          /* SUPERBLOCK_NONE: backed by nothing */
} SuperblockTable;

/* Every block is erased; with `direct` every zone is backed, else none. */
void superblock_init(SuperblockTable *table, const SuperblockConfig *config);
void superblock_destroy(SuperblockTable *table);

/* All blocks that it has. */
uint64_t superblock_blocks(const SuperblockTable *table);

/*
 * Back a zone that is backed by nothing: by a free superblock, else one that
 * is being erased, else a dirty one. There is always one.
 */
void superblock_map(SuperblockTable *table, uint32_t zone_idx);

/*
 * The zone gives its superblock back, to be erased or dirty.
 * Return: the superblock.
 */
uint32_t superblock_unmap(SuperblockTable *table, uint32_t zone_idx);

/* If the superblock backs no zone: it is being erased now, or clean again. */
void superblock_set_erasing(SuperblockTable *table, uint32_t superblock_idx);
void superblock_set_erased(SuperblockTable *table, uint32_t superblock_idx);

/* The first `used` blocks on a unit hold data that are no longer wanted. */
void superblock_soil(SuperblockTable *table, uint32_t superblock_idx,
                     uint32_t unit, uint32_t used);

/*
 * Take up to `most` blocks from the start of what needs an erase on a unit;
 * the caller erases them. Return: how many.
 */
uint32_t superblock_take_dirt(SuperblockTable *table, uint32_t superblock_idx,
                              uint32_t unit, uint32_t most);

/*
 * Take the blocks that must be erased before block `block` of a unit can be
 * programmed: up to and including that block. Return: how many.
 */
uint32_t superblock_take_dirt_to(SuperblockTable *table,
                                 uint32_t superblock_idx, uint32_t unit,
                                 uint32_t block);

/* superblock_state.c: as bytes; see base/state.h. */
typedef struct State State;
void superblock_state(SuperblockTable *table, State *state);
/* For that, with rankings: its state, and when it was given back, are these. */
void superblock_rank(SuperblockTable *table, uint32_t superblock_idx,
                     uint64_t given_back);

static inline bool superblock_is_clean(const SuperblockTable *table,
                                       uint32_t superblock_idx)
{
    return table->superblocks[superblock_idx].dirty_count == 0;
}

#endif
