/*
 * When and how blocks are erased: in a reset, behind it, or just before they
 * are programmed again.
 *
 * Programs and erases run on a unit in the order in which they were issued. So
 * a program that is issued after the erase of its block waits for it, an erase
 * waits for the programs of the life that it ends, and all that this file has
 * to see to is that the erase is issued by then.
 *
 * Knows nothing of QEMU, queues or host memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_internal.h"

/* What stands in erase_queue_next[] for a superblock that is not queued. */
#define NOT_QUEUED(superblock_idx) (superblock_idx)

void ssd_erase_init(Ssd *ssd)
{
    const SsdParams *p = &ssd->params;
    uint64_t rows = (ssd->zone_pages + ssd->map.zone_units - 1) /
                    ssd->map.zone_units;
    SuperblockConfig config = {
        .zones = p->zones,
        .group_count = ssd->map.group_count,
        .units = ssd->map.zone_units,
        .blocks = (rows + ssd->rows_per_block - 1) / ssd->rows_per_block,
        .spares = p->spare_superblocks,
        .direct = p->mapping == SSD_MAPPING_DIRECT,
        .order = p->superblock_order,
    };

    superblock_init(&ssd->superblocks, &config);
    ssd->eraser_of = g_new(uint32_t, ssd->superblocks.count);
    ssd->erase_queue_next = g_new(uint32_t, ssd->superblocks.count);
    for (uint32_t i = 0; i < ssd->superblocks.count; i++) {
        ssd->eraser_of[i] = SSD_NONE;
        ssd->erase_queue_next[i] = NOT_QUEUED(i);
    }
    ssd->erase_queue_head_idx = SSD_NONE;
    for (uint32_t i = 0; p->mapping == SSD_MAPPING_REMAP && i < p->zones;
         i++) {
        superblock_map(&ssd->superblocks, i);
    }
}

void ssd_erase_destroy(Ssd *ssd)
{
    g_free(ssd->erase_queue_next);
    g_free(ssd->eraser_of);
    superblock_destroy(&ssd->superblocks);
}

/* Erases on the flash */

/* Who waits for the erases of a superblock: the job that erases it, if any. */
static uint32_t eraser_owner(const Ssd *ssd, uint32_t superblock_idx)
{
    uint32_t job_idx = ssd->eraser_of[superblock_idx];

    return job_idx == SSD_NONE ? SSD_NONE : owner_of_job(ssd, job_idx);
}

/* One more operation for the owner to wait for, unless it is SSD_NONE. */
static void add_part(Ssd *ssd, uint32_t zone_idx, uint32_t owner)
{
    if (owner < ssd->params.cmd_slots) {
        ssd->commands[owner].parts_left++;
    } else if (owner == OWNER_FIRST_WRITE) {
        ssd->zone_jobs[zone_idx].first_erases++;
    } else if (owner != SSD_NONE) {
        ssd->jobs[owner - ssd->params.cmd_slots].ops_left++;
    }
}

/*
 * Erase `count` blocks of a superblock on its unit number `unit`; `owner`
 * waits for them. Only OWNER_FIRST_WRITE needs the zone.
 */
static void issue_erase(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx,
                        uint32_t superblock_idx, uint32_t unit,
                        uint32_t count, uint32_t owner)
{
    FlashOp op = {
        .kind = FLASH_ERASE,
        /* Superblocks lie on groups as zones do. */
        .unit_idx = map_zone_units(&ssd->map, superblock_idx)[unit],
        .block_count = count,
        .owner = owner,
        .place_idx = zone_idx * ssd->map.zone_units,
    };

    add_part(ssd, zone_idx, owner);
    flash_issue(&ssd->flash, now_ns, &op);
}

/* Up to `most` blocks on each unit. */
static void erase_blocks(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx,
                         uint32_t superblock_idx, uint32_t most,
                         uint32_t owner)
{
    for (uint32_t u = 0; u < ssd->map.zone_units; u++) {
        uint32_t count = superblock_take_dirt(&ssd->superblocks,
                                              superblock_idx, u, most);

        if (count > 0) {
            issue_erase(ssd, now_ns, zone_idx, superblock_idx, u, count,
                        owner);
        }
    }
}

void ssd_erase_before_program(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx,
                              uint64_t page, uint32_t owner)
{
    uint32_t superblock_idx = ssd->superblocks.of_zone[zone_idx];
    uint32_t unit, block, count;

    if (superblock_idx == SUPERBLOCK_NONE) {
        superblock_map(&ssd->superblocks, zone_idx);
        superblock_idx = ssd->superblocks.of_zone[zone_idx];
    }
    if (superblock_is_clean(&ssd->superblocks, superblock_idx)) {
        return;
    }
    if (ssd->params.erase_at == SSD_ERASE_AT_ZONE_WRITE) {
        erase_blocks(ssd, now_ns, zone_idx, superblock_idx, UINT32_MAX, owner);
        return;
    }
    unit = page_position(ssd, zone_idx, page);
    block = page / ssd->map.zone_units / ssd->rows_per_block;
    count = superblock_take_dirt_to(&ssd->superblocks, superblock_idx, unit,
                                    block);
    if (count > 0) {
        issue_erase(ssd, now_ns, zone_idx, superblock_idx, unit, count,
                    eraser_owner(ssd, superblock_idx));
    }
}

/* What a reset leaves */

/* Note which blocks the zone's past life has used. */
static void soil(Ssd *ssd, const Job *job, uint32_t superblock_idx)
{
    uint32_t units = ssd->map.zone_units;

    for (uint32_t u = 0; u < units; u++) {
        uint32_t page = page_at_position(ssd, job->zone_idx, u);
        uint64_t rows = job->used_pages > page
                        ? (job->used_pages - page - 1) / units + 1 : 0;
        uint32_t used = (rows + ssd->rows_per_block - 1) / ssd->rows_per_block;

        if (ssd->params.full_erase) {
            used = ssd->superblocks.config.blocks;
        }
        superblock_soil(&ssd->superblocks, superblock_idx, u, used);
    }
}

/* Return: the superblock that backed the zone, or SUPERBLOCK_NONE. */
static uint32_t zone_let_go(Ssd *ssd, const Job *job)
{
    uint32_t superblock_idx = ssd->superblocks.of_zone[job->zone_idx];

    if (superblock_idx == SUPERBLOCK_NONE) {
        return SUPERBLOCK_NONE;
    }
    soil(ssd, job, superblock_idx);
    if (ssd->params.mapping != SSD_MAPPING_DIRECT) {
        superblock_unmap(&ssd->superblocks, job->zone_idx);
    }
    if (ssd->params.mapping == SSD_MAPPING_REMAP) {
        superblock_map(&ssd->superblocks, job->zone_idx);
    }
    return superblock_idx;
}

/* From now on the job erases the superblock. */
static void eraser_set(Ssd *ssd, uint32_t job_idx, uint32_t superblock_idx)
{
    ssd->jobs[job_idx].superblock_idx = superblock_idx;
    ssd->eraser_of[superblock_idx] = job_idx;
    superblock_set_erasing(&ssd->superblocks, superblock_idx);
}

/* In the background: superblocks wait in a queue, each at most once */

static void background_queue(Ssd *ssd, uint32_t superblock_idx)
{
    uint32_t *next = ssd->erase_queue_next;

    if (next[superblock_idx] != NOT_QUEUED(superblock_idx) ||
        ssd->eraser_of[superblock_idx] != SSD_NONE) {
        return;
    }
    next[superblock_idx] = SSD_NONE;
    if (ssd->erase_queue_head_idx == SSD_NONE) {
        ssd->erase_queue_head_idx = superblock_idx;
    } else {
        next[ssd->erase_queue_tail_idx] = superblock_idx;
    }
    ssd->erase_queue_tail_idx = superblock_idx;
}

static void background_erase(Ssd *ssd, uint64_t now_ns,
                             uint32_t superblock_idx)
{
    uint32_t job_idx = ssd_job_new_background(ssd);

    ssd->background_running++;
    eraser_set(ssd, job_idx, superblock_idx);
    ssd_job_advance(ssd, now_ns, job_idx);
}

static void background_start(Ssd *ssd, uint64_t now_ns)
{
    while (ssd->erase_queue_head_idx != SSD_NONE &&
           ssd->background_running < ssd->params.mgmt_parallel_zones) {
        uint32_t superblock_idx = ssd->erase_queue_head_idx;

        ssd->erase_queue_head_idx = ssd->erase_queue_next[superblock_idx];
        ssd->erase_queue_next[superblock_idx] = NOT_QUEUED(superblock_idx);
        /* A zone may have taken it, and all that was dirty with it. */
        if (!superblock_is_clean(&ssd->superblocks, superblock_idx)) {
            background_erase(ssd, now_ns, superblock_idx);
        }
    }
}

/* The steps of a job that erases */

void ssd_erase_begin(Ssd *ssd, uint64_t now_ns, uint32_t job_idx)
{
    uint32_t superblock_idx = zone_let_go(ssd, &ssd->jobs[job_idx]);

    if (superblock_idx == SUPERBLOCK_NONE) {
        return;
    }
    switch (ssd->params.erase_at) {
    case SSD_ERASE_AT_RESET:
        eraser_set(ssd, job_idx, superblock_idx);
        break;
    case SSD_ERASE_AT_BACKGROUND:
    case SSD_ERASE_AT_IDLE:
        background_queue(ssd, superblock_idx);
        background_start(ssd, now_ns);
        break;
    }
}

bool ssd_erase_has_more(const Ssd *ssd, uint32_t job_idx)
{
    uint32_t superblock_idx = ssd->jobs[job_idx].superblock_idx;

    /* A later reset may have taken the superblock over. */
    return superblock_idx != SUPERBLOCK_NONE &&
           ssd->eraser_of[superblock_idx] == job_idx &&
           !superblock_is_clean(&ssd->superblocks, superblock_idx);
}

void ssd_erase_step(Ssd *ssd, uint64_t now_ns, uint32_t job_idx)
{
    bool is_single = ssd->params.erase_preemptive ||
                     ssd->params.erase_at == SSD_ERASE_AT_IDLE;

    erase_blocks(ssd, now_ns, ssd->jobs[job_idx].zone_idx,
                 ssd->jobs[job_idx].superblock_idx,
                 is_single ? 1 : UINT32_MAX, owner_of_job(ssd, job_idx));
}

void ssd_erase_end(Ssd *ssd, uint32_t job_idx)
{
    uint32_t superblock_idx = ssd->jobs[job_idx].superblock_idx;

    if (superblock_idx != SUPERBLOCK_NONE &&
        ssd->eraser_of[superblock_idx] == job_idx) {
        ssd->eraser_of[superblock_idx] = SSD_NONE;
        superblock_set_erased(&ssd->superblocks, superblock_idx);
    }
}

void ssd_background_ended(Ssd *ssd, uint64_t now_ns)
{
    ssd->background_running--;
    background_start(ssd, now_ns);
}
