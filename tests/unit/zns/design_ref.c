/*
 * What the designs must take: see design_ref.h.
 *
 * Knows nothing of the drive's inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "design_ref.h"

#include <glib.h>

static uint32_t erases_of(const RefBlocks *blocks)
{
    uint32_t sum = 0;

    for (unsigned u = 0; u < REF_MAX_UNITS; u++) {
        for (unsigned b = 0; b < REF_MAX_BLOCKS; b++) {
            sum += blocks->erases[u][b];
        }
    }
    return sum;
}

/* Free ones first, then those that are being erased, then dirty ones. */
static unsigned rank(const RefBlocks *blocks, uint64_t now_ns)
{
    return blocks->is_dirty ? 2 : blocks->clean_at_ns > now_ns;
}

static bool goes_first(const Ref *r, uint64_t now_ns, const RefBlocks *a,
                       const RefBlocks *b)
{
    if (rank(a, now_ns) != rank(b, now_ns)) {
        return rank(a, now_ns) < rank(b, now_ns);
    }
    if (r->p->superblock_order == 2 && erases_of(a) != erases_of(b)) {
        return erases_of(a) < erases_of(b);
    }
    return r->p->superblock_order == 1 ? a->given_back > b->given_back
                                       : a->given_back < b->given_back;
}

static void take(Ref *r, uint64_t now_ns, uint32_t z)
{
    RefBlocks *best = NULL;

    for (uint32_t s = z % r->groups; s < r->superblocks; s += r->groups) {
        RefBlocks *blocks = &r->superblock[s];

        if (!blocks->is_mapped &&
            (!best || goes_first(r, now_ns, blocks, best))) {
            best = blocks;
        }
    }
    g_assert_nonnull(best);
    best->is_mapped = true;
    best->is_dirty = false;
    r->of_zone[z] = best;
}

void ref_init(Ref *r, const SsdParams *p)
{
    uint32_t planes = p->multi_plane ? 1 : p->planes;
    uint32_t program_bytes = p->page_bytes * p->planes / planes;
    uint64_t rows;

    *r = (Ref) {
        .p = p,
        .groups = p->channels / p->zone_channels,
        .units = p->zone_channels * p->ways * p->dies * planes,
        .channels = p->zone_channels,
        .pages = p->zone_capacity_bytes / program_bytes,
        .xfer_ns = REF_XFER_NS * p->planes / planes,
    };
    rows = (r->pages + r->units - 1) / r->units;

    r->blocks = (rows + REF_PAGES_PER_BLOCK - 1) / REF_PAGES_PER_BLOCK;
    r->superblocks = REF_ZONES + r->groups * p->spare_superblocks;
    g_assert_cmpuint(r->superblocks, <=, REF_MAX_SUPERBLOCKS);
    g_assert_cmpuint(r->units, <=, REF_MAX_UNITS);
    for (uint32_t s = 0; s < r->superblocks; s++) {
        r->superblock[s].given_back = ++r->given_back;
    }
    for (uint32_t z = 0; z < REF_ZONES; z++) {
        if (p->mapping == SSD_MAPPING_DIRECT) {
            r->of_zone[z] = &r->superblock[z];
            r->of_zone[z]->is_mapped = true;
        } else if (p->mapping == SSD_MAPPING_REMAP) {
            take(r, 0, z);
        }
    }
}

/* Erase the dirty ones of blocks [0, below) of a unit; return: the end. */
static uint64_t erase_unit(Ref *r, uint64_t at_ns, uint32_t group,
                           RefBlocks *blocks, uint32_t unit, uint32_t below,
                           uint32_t most)
{
    uint64_t *unit_ns = &r->unit_ns[group][unit];
    uint32_t count = 0;

    for (uint32_t b = 0; b < below && count < most; b++) {
        if (blocks->dirty[unit][b]) {
            blocks->dirty[unit][b] = false;
            blocks->erases[unit][b]++;
            count++;
        }
    }
    if (count) {
        *unit_ns = MAX(*unit_ns, at_ns) + count * REF_ERASE_NS;
    }
    return count ? *unit_ns : 0;
}

/* When a step that host I/O may keep waiting for `limit_ns` is taken. */
static uint64_t let_host_go(const Ref *r, uint64_t at_ns, uint64_t limit_ns)
{
    uint64_t idle_ns = r->busy_until_ns ? r->busy_until_ns + REF_IDLE_NS : 0;

    if (limit_ns == 0 || at_ns >= idle_ns) {
        return at_ns;
    }
    return limit_ns < idle_ns - at_ns ? at_ns + limit_ns : idle_ns;
}

/* All that is dirty; all units side by side. Return: the end. */
static uint64_t erase_all(Ref *r, uint64_t at_ns, uint32_t group,
                          RefBlocks *blocks, bool background)
{
    bool idle = background && r->p->erase_at == SSD_ERASE_AT_IDLE;
    uint64_t limit_ns = idle ? UINT64_MAX :
                        r->p->erase_preemptive ? r->p->erase_stall_ns : 0;
    uint32_t most = idle || r->p->erase_preemptive ? 1 : REF_MAX_BLOCKS;

    for (;;) {
        uint64_t end_ns = 0;
        uint64_t from_ns = let_host_go(r, at_ns, limit_ns);

        for (uint32_t u = 0; u < r->units; u++) {
            uint64_t unit_end_ns = erase_unit(r, from_ns, group, blocks, u,
                                              r->blocks, most);

            end_ns = MAX(end_ns, unit_end_ns);
        }
        if (end_ns == 0) {
            return at_ns;
        }
        at_ns = end_ns;
    }
}

uint64_t ref_program(Ref *r, uint64_t at_ns, uint32_t z, uint64_t first,
                        uint64_t end)
{
    uint32_t group = z % r->groups;
    uint64_t end_ns = at_ns;

    if (!r->of_zone[z]) {
        take(r, at_ns, z);
    }
    /* Each unit works in the order of issue. */
    for (uint64_t page = first; page < end; page++) {
        uint32_t unit = page % r->units;
        uint64_t *channel_ns = &r->channel_ns[group][unit % r->channels];
        uint64_t *unit_ns = &r->unit_ns[group][unit];

        if (r->p->erase_at == SSD_ERASE_AT_ZONE_WRITE) {
            for (uint32_t u = 0; u < r->units; u++) {
                end_ns = MAX(end_ns, erase_unit(r, at_ns, group, r->of_zone[z],
                                                u, r->blocks, REF_MAX_BLOCKS));
            }
        } else {
            erase_unit(r, at_ns, group, r->of_zone[z], unit,
                       page / r->units / REF_PAGES_PER_BLOCK + 1,
                       REF_MAX_BLOCKS);
        }
        *channel_ns = MAX(*channel_ns, at_ns) + r->xfer_ns;
        *unit_ns = MAX(*unit_ns, *channel_ns) + REF_PROGRAM_NS;
        end_ns = MAX(end_ns, *unit_ns);
    }
    return end_ns;
}

uint64_t ref_finish(Ref *r, uint64_t at_ns, uint32_t z, uint64_t written)
{
    const SsdParams *p = r->p;
    uint32_t program_bytes = p->page_bytes * (p->multi_plane ? p->planes : 1);
    uint64_t chunk = p->finish_chunk_bytes / program_bytes;

    while (written < r->pages) {
        uint64_t end = MIN(written + MAX(chunk, 1), r->pages);

        at_ns = let_host_go(r, at_ns, p->finish_stall_ns);
        at_ns = ref_program(r, at_ns, z, written, end);
        written = end;
        if (written < r->pages) {
            at_ns += at_ns < r->busy_until_ns && p->finish_busy_pause_ns
                     ? p->finish_busy_pause_ns : p->finish_pause_ns;
        }
    }
    return at_ns;
}

/* Note what a life of `used` pages leaves dirty. */
static bool soil(Ref *r, RefBlocks *blocks, uint64_t used)
{
    bool is_clean = true;

    for (uint32_t u = 0; u < r->units; u++) {
        uint64_t rows = used > u ? (used - u - 1) / r->units + 1 : 0;
        uint32_t count = r->p->full_erase
                         ? r->blocks
                         : (rows + REF_PAGES_PER_BLOCK - 1) / REF_PAGES_PER_BLOCK;

        for (uint32_t b = 0; b < r->blocks; b++) {
            blocks->dirty[u][b] = blocks->dirty[u][b] || b < count;
            is_clean = is_clean && !blocks->dirty[u][b];
        }
    }
    return is_clean;
}

uint64_t ref_reset(Ref *r, uint64_t at_ns, uint32_t z, uint64_t used,
                      uint64_t *background_ns)
{
    RefBlocks *blocks = r->of_zone[z];
    bool is_clean;

    if (!blocks) {
        return at_ns;
    }
    is_clean = soil(r, blocks, used);
    if (r->p->mapping != SSD_MAPPING_DIRECT) {
        blocks->is_mapped = false;
        blocks->is_dirty = !is_clean;
        blocks->given_back = ++r->given_back;
        r->of_zone[z] = NULL;
    }
    if (r->p->mapping == SSD_MAPPING_REMAP) {
        take(r, at_ns, z);
    }
    switch (r->p->erase_at) {
    case SSD_ERASE_AT_RESET:
        at_ns = erase_all(r, at_ns, z % r->groups, blocks, false);
        blocks->clean_at_ns = at_ns;
        break;
    case SSD_ERASE_AT_BACKGROUND:
    case SSD_ERASE_AT_IDLE:
        if (is_clean) {
            return at_ns;
        }
        *background_ns = erase_all(r, MAX(*background_ns, at_ns),
                                   z % r->groups, blocks, true);
        blocks->clean_at_ns = *background_ns;
        break;
    default:
        return at_ns;
    }
    blocks->is_dirty = false;
    return at_ns;
}
