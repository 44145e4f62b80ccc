/*
 * When a reset's blocks are erased: by the reset itself, in the background
 * after it, or (media.c) just before they are programmed again.
 *
 * Knows nothing of when a job takes its next step.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/round.h"
#include "zns_internal.h"

/* What stands in erases.next[] for a superblock that is not queued. */
#define NOT_QUEUED(superblock_idx) (superblock_idx)

void erase_init(Zns *zns)
{
    uint32_t count = zns->media->superblocks.count;

    zns->erases.head_idx = SSD_NONE;
    zns->erases.next = g_new(uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        zns->erases.next[i] = NOT_QUEUED(i);
    }
}

void erase_destroy(Zns *zns)
{
    g_free(zns->erases.next);
}

/* What a reset leaves */

/* Mark the blocks of a zone's first pages as in need of an erase. */
static void soil(Zns *zns, uint32_t zone_idx, uint64_t used_pages,
                 uint32_t superblock_idx)
{
    Media *media = zns->media;
    uint32_t units = media->map.zone_units;

    for (uint32_t u = 0; u < units; u++) {
        uint32_t rows = media_rows_at(media, zone_idx, used_pages, u);
        uint32_t used = div_round_up(rows, media->rows_per_block);

        if (zns->params->full_erase) {
            used = media->superblocks.config.blocks;
        }
        superblock_soil(&media->superblocks, superblock_idx, u, used);
    }
}

uint32_t erase_let_go(Zns *zns, uint32_t zone_idx, uint64_t used_pages)
{
    SuperblockTable *table = &zns->media->superblocks;
    uint32_t superblock_idx = table->of_zone[zone_idx];

    if (superblock_idx == SUPERBLOCK_NONE) {
        return SUPERBLOCK_NONE;
    }
    soil(zns, zone_idx, used_pages, superblock_idx);
    if (zns->params->mapping != SSD_MAPPING_DIRECT) {
        superblock_unmap(table, zone_idx);
    }
    if (zns->params->mapping == SSD_MAPPING_REMAP) {
        superblock_map(table, zone_idx);
    }
    return superblock_idx;
}

/* From now on the job erases the superblock. */
static void eraser_set(Zns *zns, uint32_t job_idx, uint32_t superblock_idx)
{
    job_at(zns, job_idx)->superblock_idx = superblock_idx;
    zns->media->eraser_of[superblock_idx] = job_idx;
    superblock_set_erasing(&zns->media->superblocks, superblock_idx);
}

/* In the background: superblocks wait in a queue, each at most once */

static void background_queue(Zns *zns, uint32_t job_idx,
                             uint32_t superblock_idx)
{
    EraseQueue *queue = &zns->erases;

    (void)job_idx; /* the reset's own job erases nothing */
    if (queue->next[superblock_idx] != NOT_QUEUED(superblock_idx) ||
        zns->media->eraser_of[superblock_idx] != SSD_NONE) {
        return;
    }
    queue->next[superblock_idx] = SSD_NONE;
    if (queue->head_idx == SSD_NONE) {
        queue->head_idx = superblock_idx;
    } else {
        queue->next[queue->tail_idx] = superblock_idx;
    }
    queue->tail_idx = superblock_idx;
}

uint32_t erase_next_in_background(Zns *zns)
{
    EraseQueue *queue = &zns->erases;

    while (queue->head_idx != SSD_NONE &&
           queue->running < zns->params->mgmt_parallel_zones) {
        uint32_t superblock_idx = queue->head_idx;

        queue->head_idx = queue->next[superblock_idx];
        queue->next[superblock_idx] = NOT_QUEUED(superblock_idx);
        /* A zone may have taken the superblock, with its dirty blocks. */
        if (!superblock_is_clean(&zns->media->superblocks, superblock_idx)) {
            uint32_t job_idx = job_new_background(zns);

            queue->running++;
            eraser_set(zns, job_idx, superblock_idx);
            return job_idx;
        }
    }
    return SSD_NONE;
}

/* When a reset's superblock is erased: a row for each choice of erase-at */

typedef struct ErasePolicy {
    /* The zone has let the superblock go; NULL: programs erase it. */
    void (*at_reset)(Zns *zns, uint32_t job_idx, uint32_t superblock_idx);
    bool only_idle; /* block by block, and only while no host I/O is inside */
} ErasePolicy;

static const ErasePolicy policies[] = {
    [SSD_ERASE_AT_RESET] = { .at_reset = eraser_set },
    [SSD_ERASE_AT_BACKGROUND] = { .at_reset = background_queue },
    [SSD_ERASE_AT_IDLE] = { .at_reset = background_queue, .only_idle = true },
    [SSD_ERASE_AT_ZONE_WRITE] = { .at_reset = NULL },
    [SSD_ERASE_AT_BLOCK_WRITE] = { .at_reset = NULL },
};

static const ErasePolicy *policy_of(const Zns *zns)
{
    return &policies[zns->params->erase_at];
}

void erase_begin(Zns *zns, uint32_t job_idx)
{
    uint32_t superblock_idx =
        erase_let_go(zns, job_zone_idx(zns, job_idx),
                     job_at(zns, job_idx)->used_pages);

    if (superblock_idx != SUPERBLOCK_NONE && policy_of(zns)->at_reset) {
        policy_of(zns)->at_reset(zns, job_idx, superblock_idx);
    }
}

uint64_t erase_stall_limit_ns(const Zns *zns)
{
    if (policy_of(zns)->only_idle) { /* resets leave all to the background */
        return UINT64_MAX;
    }
    return zns->params->erase_preemptive ? zns->params->erase_stall_ns : 0;
}

/* The steps of a job that erases */

bool erase_has_more(const Zns *zns, uint32_t job_idx)
{
    uint32_t superblock_idx = job_at(zns, job_idx)->superblock_idx;

    /* A later reset may have become the one that erases the superblock. */
    return superblock_idx != SUPERBLOCK_NONE &&
           zns->media->eraser_of[superblock_idx] == job_idx &&
           !superblock_is_clean(&zns->media->superblocks, superblock_idx);
}

void erase_step(Zns *zns, uint64_t now_ns, uint32_t job_idx)
{
    bool is_single = zns->params->erase_preemptive ||
                     policy_of(zns)->only_idle;

    media_erase_blocks(zns->media, now_ns,
                       job_at(zns, job_idx)->superblock_idx,
                       is_single ? 1 : UINT32_MAX,
                       owner_of(OWNER_JOB, job_idx));
}

void erase_end(Zns *zns, uint32_t job_idx)
{
    uint32_t superblock_idx = job_at(zns, job_idx)->superblock_idx;

    if (superblock_idx != SUPERBLOCK_NONE &&
        zns->media->eraser_of[superblock_idx] == job_idx) {
        zns->media->eraser_of[superblock_idx] = SSD_NONE;
        superblock_set_erased(&zns->media->superblocks, superblock_idx);
    }
}

void erase_background_ended(Zns *zns)
{
    zns->erases.running--;
}

void erase_settle(Zns *zns)
{
    SuperblockTable *table = &zns->media->superblocks;

    for (uint32_t i = 0; policy_of(zns)->at_reset && i < table->count; i++) {
        for (uint32_t u = 0; !superblock_is_clean(table, i); u++) {
            superblock_take_dirt(table, i, u, UINT32_MAX);
        }
        superblock_set_erased(table, i);
    }
}
