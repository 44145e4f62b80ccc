/*
 * Random whole drives: see soup_whole.h.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "soup_whole.h"

static void random_front(Rng *rng, SsdParams *p)
{
    p->fe_read_ns = PICK(rng, 0, 1, 2203, 60000);
    p->fe_write_ns = PICK(rng, 0, 3373, 400009);
    p->fe_append_ns = PICK(rng, 0, 5147);
    p->fe_open_ns = PICK(rng, 0, 9241);
    p->fe_close_ns = PICK(rng, 0, 10567);
    p->fe_finish_ns = PICK(rng, 0, 13217, 1000003);
    p->fe_reset_ns = PICK(rng, 0, 4001, 700001);
    p->fe_first_write_ns = PICK(rng, 0, 2027);
    p->fe_closed_write_ns = PICK(rng, 0, 3511);
    p->read_slots = PICK(rng, 0, 1, 2, 30);
    p->read_lists = p->read_slots ? PICK(rng, 0, 1, 2, 7) : 0;
    p->fe_report_ns = PICK(rng, 0, 5003);
    p->fe_report_zone_ns = PICK(rng, 0, 71, 100003);
    p->fe_identify_ns = PICK(rng, 0, 901);
    p->fe_log_ns = PICK(rng, 0, 1103);
    p->fe_feature_ns = PICK(rng, 0, 1301);
    p->take_turns = rng_chance(rng, 30);
    if (p->take_turns && p->read_slots) {
        p->read_slots = MAX(p->read_slots, p->namespaces);
    }
    p->fe_small_bytes = PICK(rng, 0, 4096, 8192, 65536);
    p->fe_small_write_ns = PICK(rng, 0, 5309);
    p->fe_small_append_ns = PICK(rng, 0, 7433);
    p->fe_part_ns = PICK(rng, 0, 22501);
    p->fe_part_merge_ns = PICK(rng, 0, 1011);
    p->fe_part_pause_permille = PICK(rng, 0, 300, 1000);
    p->fe_part_pause_ns = PICK(rng, 0, 85237);
    p->fe_lba512_ns = PICK(rng, 0, 12421);
    p->fe_lba512_read_ns = PICK(rng, 0, 0, 2909);
    p->fe_lba512_pause_permille = PICK(rng, 0, 300);
    p->fe_lba512_pause_ns = PICK(rng, 0, 204521);
    p->fe_after_permille = PICK(rng, 0, 335, 1000);
    p->fe_after_random = rng_chance(rng, 50);
}

static void random_link(Rng *rng, SsdParams *p)
{
    p->link_in_ns = PICK(rng, 0, 100, 495016, 49501600, 1000000000);
    p->link_out_ns = PICK(rng, 0, 100, 403868, 40386800, 1000000000);
    p->fixed_read_ns = PICK(rng, 0, 1, 6091);
    p->fixed_write_ns = PICK(rng, 0, 4717);
    p->fixed_append_ns = PICK(rng, 0, 7789);
    p->fixed_small_ns = PICK(rng, 0, 1123);
    p->fixed_list_ns = PICK(rng, 0, 907);
    p->fixed_lba512_ns = PICK(rng, 0, 5003);
}

static uint64_t program_bytes(const SsdParams *p)
{
    return p->page_bytes * p->program_pages * (p->multi_plane ? p->planes : 1);
}

static void random_buffer(Rng *rng, SsdParams *p)
{
    uint64_t page = program_bytes(p);
    uint32_t zones = p->zones / p->namespaces;
    uint32_t active = p->max_active ? MIN(p->max_active, zones) : zones;

    p->program_registers = PICK(rng, 1, 1, 2, 3);
    p->buffer_portion_bytes = PICK(rng, 32 * SSD_KIB, 32 * SSD_KIB, 4096,
                                   8192, 65536);
    p->buffer_turns = rng_chance(rng, 40);
    p->page_turns = rng_chance(rng, 50);
    p->write_buffer_bytes = p->buffer_portion_bytes +
                            active * p->namespaces * page +
                            PICK(rng, 0, 0, 1, 12345, 200000);
    p->zone_buffer_bytes = PICK(rng, 0, 1, 1);
    if (p->zone_buffer_bytes) {
        p->zone_buffer_bytes = p->buffer_portion_bytes + page +
                               PICK(rng, 0, 512, 65536);
    }
    p->buffer_waiters = PICK(rng, 1, 1, 2, 5);
    p->buffer_resume_waiters = rng_below(rng, p->buffer_waiters);
    p->buffer_release_ns = PICK(rng, 0, 1, 211201, 1000000000);
    p->program_issue_ns = PICK(rng, 0, 0, 1, 40009, 900007);
}

static void random_resets(Rng *rng, SsdParams *p)
{
    p->reset_drains = rng_chance(rng, 50);
    p->reset_drain_first = p->reset_drains && rng_chance(rng, 50);
    p->reset_lock_ns = PICK(rng, 0, 1, 900011, 13800007);
    p->reset_steps = PICK(rng, 0, 1, 19);
    p->reset_step_ns = PICK(rng, 0, 5003, 105019);
    p->reset_base_ns = PICK(rng, 0, 159013);
    p->reset_after_ns = PICK(rng, 0, 40609);
    p->reset_part_ns = PICK(rng, 0, 274007);
}

static void random_spreads(Rng *rng, SsdParams *p)
{
    p->program_spread_permille = PICK(rng, 0, 0, 12, 100);
    p->stripe_spread_permille = PICK(rng, 0, 0, 95);
    p->slow_page_permille = PICK(rng, 0, 333);
    p->read_slow_ns = PICK(rng, 0, 62507);
    p->suspend_spread_permille = PICK(rng, 0, 560);
    p->finish_fills_empty = rng_chance(rng, 50);
    p->seed = rng_below(rng, 1000);
}

SsdParams soup_whole_params(Rng *rng)
{
    SsdParams params = soup_params(rng);

    random_front(rng, &params);
    random_link(rng, &params);
    if (rng_chance(rng, 80)) {
        random_buffer(rng, &params);
    }
    if (rng_chance(rng, 80)) {
        random_resets(rng, &params);
    }
    random_spreads(rng, &params);
    return params;
}

/* A ZRWA with a granule that is less than a page, or more than one. */
static void random_granule(Rng *rng, SsdParams *p)
{
    uint64_t granule = PICK(rng, 4096, 8192, 12288, 2 * p->page_bytes);

    while (p->zone_capacity_bytes % granule != 0) {
        granule -= 4096;
    }
    p->zrwa_granule_bytes = granule;
    p->zrwa_bytes = granule * PICK(rng, 1, 2, 3);
    while (p->zrwa_bytes > p->zone_capacity_bytes) {
        p->zrwa_bytes -= granule;
    }
}

/* Portions of odd sizes need as much room beside the parts of pages. */
static void random_portion(Rng *rng, SsdParams *p)
{
    uint64_t portion = PICK(rng, 4097, 4608, 10000, SSD_MIB);

    p->write_buffer_bytes += portion - p->buffer_portion_bytes;
    if (p->zone_buffer_bytes != 0) {
        p->zone_buffer_bytes += portion - p->buffer_portion_bytes;
    }
    p->buffer_portion_bytes = portion;
}

void soup_widen(Rng *rng, SsdParams *p)
{
    if (p->link_in_ns != 0 || p->write_buffer_bytes != 0) {
        p->fe_write_arrived_ns = PICK(rng, 0, 1, 1453, 300007);
        p->fe_append_arrived_ns = PICK(rng, 0, 2707, 500009);
    }
    if (p->zrwa_bytes != 0 && rng_chance(rng, 50)) {
        random_granule(rng, p);
    }
    if (p->write_buffer_bytes != 0 && rng_chance(rng, 30)) {
        random_portion(rng, p);
    }
    if (p->max_active == 0) {
        p->max_open = PICK(rng, 0, 1, 3);
    }
    p->fe_small_bytes = PICK(rng, p->fe_small_bytes, 1, 513, 4097, 20000);
    p->program_issue_ns = PICK(rng, p->program_issue_ns, 0, 40009);
    p->pages_per_block *= PICK(rng, 1, 1, 4, 16);
    p->write_cache = rng_below(rng, SSD_WRITE_CACHE_VOLATILE + 1);
}

static uint64_t line_bytes(const SsdParams *p)
{
    return (uint64_t)p->channels * p->ways * p->dies * p->planes *
           p->pages_per_block * p->page_bytes;
}

/* So small that a few hundred commands write it again and again. */
static void shrink_line(SsdParams *p)
{
    if (line_bytes(p) > SSD_MIB) {
        p->pages_per_block = p->program_pages;
    }
    if (line_bytes(p) > SSD_MIB) {
        p->channels = MAX(p->zone_channels, 1);
        p->ways = MAX(p->zone_ways, 1);
        p->dies = MAX(p->zone_dies, 1);
    }
}

void soup_add_conventional(Rng *rng, SsdParams *p)
{
    if (rng_chance(rng, 50)) {
        soup_widen(rng, p);
    }
    shrink_line(p);
    p->conventional_bytes = line_bytes(p) * PICK(rng, 1, 2, 4, 5, 7, 9) / 4 /
                            4096 * 4096 + PICK(rng, 4096, 4096, 20480);
    p->conventional_spare_pct = PICK(rng, 0, 7, 28, 100);
    if (p->take_turns && p->read_slots) {
        p->read_slots = MAX(p->read_slots, p->namespaces + 1);
    }
    if (p->write_buffer_bytes != 0 && p->buffer_portion_bytes % 4096 == 0) {
        p->conventional_buffer = rng_chance(rng, 70);
        p->write_buffer_bytes += p->conventional_buffer * program_bytes(p);
    }
}
