/*
 * Zones' pages as operations of the flash, and what these change.
 *
 * A unit runs programs and erases in the order of their issue. So this room
 * only has to issue the erase of a block before the first program of its new
 * life: the program then waits for the erase, and the erase waits for the
 * programs of the old life.
 *
 * Knows nothing of zones' states, of the order of writes, or of when a reset
 * erases.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "media.h"


static void init_pages(Media *media)
{
    const SsdParams *p = media->params;

    media->sense_bytes = ssd_params_sense_bytes(p);
    media->page_bytes = ssd_params_program_bytes(p);
    media->page_divisor = divisor_of(media->page_bytes);
    media->sense_divisor = divisor_of(media->sense_bytes);
    media->granule_divisor = divisor_of(p->read_granule_bytes);
    media->rows_per_block = p->pages_per_block / p->program_pages;
    media->zone_pages = p->zone_capacity_bytes / media->page_bytes;
}

static void init_zones(Media *media, uint32_t jobs)
{
    const SsdParams *p = media->params;
    MapLevel levels[MAP_LEVELS] = {
        [MAP_CHANNEL] = { p->channels, p->zone_channels },
        [MAP_WAY] = { p->ways, p->zone_ways },
        [MAP_DIE] = { p->dies, p->zone_dies },
        [MAP_PLANE] = { p->planes, p->zone_planes },
    };

    if (p->multi_plane) {
        levels[MAP_PLANE] = (MapLevel) { 1, 1 };
    }

    map_init(&media->map, levels, map_order(p->stripe_order));
    media->life = g_new0(uint32_t, p->zones);
    media->issued_bytes = g_new0(uint64_t, p->zones);
    media->first_erases = g_new0(uint32_t, p->zones);
    media->programmed_rows =
        g_new0(uint32_t, (size_t)p->zones * media->map.zone_units);
    media->works = g_new(JobWork, jobs);
}

static void init_superblocks(Media *media)
{
    const SsdParams *p = media->params;
    uint64_t rows = media_zone_rows(media);
    SuperblockConfig config = {
        .zones = p->zones,
        .group_count = media->map.group_count,
        .units = media->map.zone_units,
        .blocks = div_round_up(rows, media->rows_per_block),
        .spares = p->spare_superblocks,
        .direct = p->mapping == SSD_MAPPING_DIRECT,
        .order = p->superblock_order,
    };

    superblock_init(&media->superblocks, &config);
    media->eraser_of = g_new(uint32_t, media->superblocks.count);
    for (uint32_t i = 0; i < media->superblocks.count; i++) {
        media->eraser_of[i] = SSD_NONE;
    }
    for (uint32_t i = 0; p->mapping == SSD_MAPPING_REMAP && i < p->zones;
         i++) {
        superblock_map(&media->superblocks, i);
    }
}

static void init_flash(Media *media, EventHeap *events, const Bounds *bounds)
{
    const SsdParams *p = media->params;
    uint32_t unit_planes = p->multi_plane ? p->planes : 1;
    FlashConfig config = {
        .channels = p->channels,
        .units_per_channel = p->ways * p->dies * p->planes / unit_planes,
        .op_capacity = bounds->operations,
        .seed = p->seed,
        .page_bytes = media->sense_bytes,
        .program_pages = p->program_pages,
        .read_ns = p->read_ns,
        .read_slow_ns = p->read_slow_ns,
        .slow_page_permille = p->slow_page_permille,
        .program_ns = p->program_ns,
        .program_data_ns = p->program_data_ns,
        .own_after = p->own_program_after,
        .own_ns = p->own_program_ns,
        .program_spread_permille = p->program_spread_permille,
        .stripe_spread_permille = p->stripe_spread_permille,
        .stripe_cells = media->map.zone_units,
        .erase_ns = p->erase_ns,
        .step_ns = p->reset_step_ns,
        .read_transfer_ns = p->page_transfer_ns * unit_planes,
        .program_transfer_ns = p->program_transfer_ns * unit_planes,
        .unit_planes = unit_planes,
        .register_read_ns = p->register_read_ns,
        .sense_command_ns = p->sense_command_ns,
        .program_registers = p->program_registers,
        .issue_ns = p->program_issue_ns,
        .cache_read = p->cache_read,
        .reads_first = p->reads_first,
        .program_suspend = p->program_suspend,
        .erase_suspend = p->erase_suspend,
        .suspend_ns = p->suspend_ns,
        .resume_ns = p->resume_ns,
        .segment_ns = p->suspend_segment_ns,
        .segment_spread_ns = p->suspend_segment_ns *
                             p->suspend_spread_permille / 1000,
        .rest_ns = p->suspend_rest_ns,
    };

    media->unit_count = config.channels * config.units_per_channel;
    event_heap_init(events, flash_event_count(&config) + bounds->events);
    flash_init(&media->flash, &config, events);
}

void media_init(Media *media, const SsdParams *params, Commands *commands,
                EventHeap *events, const Bounds *bounds)
{
    media->params = params;
    media->commands = commands;
    init_pages(media);
    init_zones(media, bounds->jobs);
    init_superblocks(media);
    init_flash(media, events, bounds);
    programs_init(&media->programs, commands, params->cmd_slots,
                  media->unit_count);
}

void media_destroy(Media *media)
{
    programs_destroy(&media->programs);
    flash_destroy(&media->flash);
    g_free(media->eraser_of);
    superblock_destroy(&media->superblocks);
    g_free(media->works);
    g_free(media->programmed_rows);
    g_free(media->first_erases);
    g_free(media->issued_bytes);
    g_free(media->life);
    map_destroy(&media->map);
}

/* Pages */

void media_forget_pages(Media *media, uint32_t zone_idx)
{
    uint32_t units = media->map.zone_units;

    media->life[zone_idx]++;
    for (uint32_t u = 0; u < units; u++) {
        media->programmed_rows[zone_idx * units + u] = 0;
    }
    media->issued_bytes[zone_idx] = 0;
}

/* Erases */

/* Who waits for the erases of a superblock: the job that erases it, if any. */
static Owner eraser_owner(const Media *media, uint32_t superblock_idx)
{
    uint32_t job_idx = media->eraser_of[superblock_idx];

    return job_idx == SSD_NONE ? owner_of(OWNER_NONE, 0)
                               : owner_of(OWNER_JOB, job_idx);
}

/* Count an operation that the owner waits for. */
static void add_part(Media *media, Owner owner)
{
    switch (owner_kind(owner)) {
    case OWNER_COMMAND:
        commands_part_added(media->commands, owner_idx(owner));
        break;
    case OWNER_FIRST_WRITE:
        media->first_erases[owner_idx(owner)]++;
        break;
    case OWNER_JOB:
        media->works[owner_idx(owner)].ops_left++;
        break;
    default:
        break;
    }
}

/* Erase `count` blocks of a superblock on its unit number `unit`. */
static void issue_erase(Media *media, uint64_t now_ns,
                        uint32_t superblock_idx, uint32_t unit,
                        uint32_t count, Owner owner)
{
    FlashOp op = {
        .kind = FLASH_ERASE,
        /* Superblocks lie on groups as zones do. */
        .unit_idx = map_zone_units(&media->map, superblock_idx)[unit],
        .block_count = count,
        .owner = owner,
    };

    add_part(media, owner);
    flash_issue(&media->flash, now_ns, &op);
}

void media_erase_blocks(Media *media, uint64_t now_ns,
                        uint32_t superblock_idx, uint32_t most, Owner owner)
{
    for (uint32_t u = 0; u < media->map.zone_units; u++) {
        uint32_t count = superblock_take_dirt(&media->superblocks,
                                              superblock_idx, u, most);

        if (count != 0) {
            issue_erase(media, now_ns, superblock_idx, u, count, owner);
        }
    }
}

/* What is erased before a program, if its zone's superblock is not clean */

static void erase_zone(Media *media, uint64_t now_ns, uint32_t zone_idx,
                       uint64_t page, Owner owner)
{
    (void)page;
    media_erase_blocks(media, now_ns, media->superblocks.of_zone[zone_idx],
                       UINT32_MAX, owner);
}

/* Erase the page's block, and dirty blocks before it on the same unit. */
static void erase_block(Media *media, uint64_t now_ns, uint32_t zone_idx,
                        uint64_t page, Owner owner)
{
    uint32_t superblock_idx = media->superblocks.of_zone[zone_idx];
    uint32_t unit = media_page_position(media, zone_idx, page);
    uint32_t block = page / media->map.zone_units / media->rows_per_block;
    uint32_t count = superblock_take_dirt_to(&media->superblocks,
                                             superblock_idx, unit, block);

    (void)owner;
    if (count != 0) {
        issue_erase(media, now_ns, superblock_idx, unit, count,
                    eraser_owner(media, superblock_idx));
    }
}

/* [erase-at]; an erase in or after the reset may not have got to the block. */
static void (*const erase_before[])(Media *media, uint64_t now_ns,
                                    uint32_t zone_idx, uint64_t page,
                                    Owner owner) = {
    [SSD_ERASE_AT_RESET] = erase_block,
    [SSD_ERASE_AT_BACKGROUND] = erase_block,
    [SSD_ERASE_AT_IDLE] = erase_block,
    [SSD_ERASE_AT_ZONE_WRITE] = erase_zone,
    [SSD_ERASE_AT_BLOCK_WRITE] = erase_block,
};

RARE
void media_erase_dirt(Media *media, uint64_t now_ns, uint32_t zone_idx,
                      uint64_t page, Owner owner)
{
    erase_before[media->params->erase_at](media, now_ns, zone_idx, page,
                                          owner);
}

/* Programs of whole pages */

void media_issue_buffered(Media *media, uint64_t now_ns, uint32_t zone_idx,
                          uint32_t page, uint32_t epoch)
{
    uint64_t *issued_bytes = &media->issued_bytes[zone_idx];
    FlashOp op = {
        .kind = FLASH_PROGRAM,
        .end_bytes = media->page_bytes,
        .owner = owner_of(OWNER_BUFFER, zone_idx),
        .life = media->life[zone_idx],
        .epoch = epoch,
    };

    media_erase_before_program(media, now_ns, zone_idx, page,
                               owner_of(OWNER_FIRST_WRITE, zone_idx));
    media_place_page(media, zone_idx, page, &op);
    /* A finish behind the page may have counted all of the zone already. */
    *issued_bytes = MAX(*issued_bytes,
                        (page + UINT64_C(1)) * media->page_bytes);
    flash_issue(&media->flash, now_ns, &op);
}

void media_issue_log_page(Media *media, uint64_t now_ns, uint32_t line,
                          uint64_t page, uint32_t epoch, Owner owner)
{
    FlashOp op = {
        .kind = FLASH_PROGRAM,
        .end_bytes = media->page_bytes,
        .owner = owner,
        .epoch = epoch,
    };

    media_place_log_page(media, line, page % media->log.line_pages, &op);
    flash_issue(&media->flash, now_ns, &op);
}

void media_issue_fill(Media *media, uint64_t now_ns, uint32_t job_idx,
                      uint64_t page)
{
    JobWork *work = &media->works[job_idx];
    FlashOp op = {
        .owner = owner_of(OWNER_JOB, job_idx),
        .life = work->life,
        .begin_bytes = media_page_bytes_below(media, page, work->end_bytes),
        .end_bytes = media->page_bytes,
    };

    op.kind = op.begin_bytes ? FLASH_PROGRAM : FLASH_PAD;
    work->next_page++;
    work->ops_left++;
    media->flash.counters.padded_bytes += op.end_bytes - op.begin_bytes;
    media_erase_before_program(media, now_ns, work->zone_idx, page, op.owner);
    media_place_page(media, work->zone_idx, page, &op);
    flash_issue(&media->flash, now_ns, &op);
}
