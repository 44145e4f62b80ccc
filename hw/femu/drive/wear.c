/*
 * How often each block of the zones has been erased: a view of every block,
 * and the distribution for the statistics; how much of the drive's life is
 * gone.
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "run.h"

uint64_t ssd_block_count(const Ssd *ssd)
{
    return superblock_blocks(&ssd->media.superblocks);
}

SsdBlock ssd_block(const Ssd *ssd, uint64_t block_idx)
{
    const SuperblockTable *table = &ssd->media.superblocks;
    const SuperblockConfig *config = &table->config;
    uint64_t place = block_idx / config->blocks;
    uint32_t superblock_idx = place / config->units;

    return (SsdBlock) {
        .superblock_idx = superblock_idx,
        .unit_idx = map_zone_units(&ssd->media.map,
                                   superblock_idx)[place % config->units],
        .block_in_unit_idx =
            superblock_idx / config->group_count * config->blocks +
            block_idx % config->blocks,
        .erase_count = table->erase_counts[block_idx],
    };
}

/* All blocks of the drive: those of zones, and those of conventional lines. */
static uint64_t all_blocks(const Ssd *ssd)
{
    uint64_t lines = ssd->params.conventional_bytes
                     ? ssd_params_conventional_lines(&ssd->params) : 0;

    return ssd_block_count(ssd) + lines * ssd->media.unit_count;
}

uint64_t ssd_used_percent(Ssd *ssd, uint64_t now_ns)
{
    uint64_t cycles = all_blocks(ssd) * ssd->params.pe_cycles;

    ssd_run(ssd, now_ns);
    return cycles ? 100 * ssd->media.flash.counters.erased_blocks / cycles : 0;
}

void ssd_wear_kept(Ssd *ssd)
{
    uint64_t *erased_blocks = &ssd->media.flash.counters.erased_blocks;

    *erased_blocks = ssd->media.superblocks.wear.sum;
    for (uint32_t i = 0; i < ssd->conv.ftl.line_count; i++) {
        *erased_blocks += (uint64_t)ssd->conv.life[i] * ssd->media.unit_count;
    }
}

void ssd_wear_json(const Ssd *ssd, GString *json)
{
    const Tally *wear = &ssd->media.superblocks.wear;
    uint64_t last = wear->count - 1;

    g_string_append_printf(json,
                           "\"wear\":{\"blocks\":%" PRIu64
                           ",\"erases\":%" PRIu64 ",\"min\":%" PRIu32
                           ",\"p50\":%" PRIu32 ",\"p99\":%" PRIu32
                           ",\"max\":%" PRIu32 "}",
                           wear->count, wear->sum, wear->numbers[0],
                           wear->numbers[last / 2],
                           wear->numbers[last * 99 / 100],
                           wear->numbers[last]);
}
