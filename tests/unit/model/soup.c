/*
 * Random commands and random drives: see soup.h.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "soup.h"

/* --- commands ------------------------------------------------------------ */

static uint64_t random_nlb(const Rules *rules, Rng *rng)
{
    switch (rng_below(rng, 12)) {
    case 0:
        return rules->mdts_nlb;
    case 1:
        return rules->zasl_nlb;
    case 2:
        return 1 + rng_below(rng, rules->capacity_nlb);
    case 3:
    case 4:
    case 5:
        return 1 + rng_below(rng, 16);
    default:
        return 1 + rng_below(rng, 3);
    }
}

static SsdOp random_op(Rng *rng)
{
    static const SsdOp ops[] = {
        SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_WRITE,
        SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_APPEND, SSD_OP_APPEND,
        SSD_OP_APPEND, SSD_OP_APPEND, SSD_OP_READ, SSD_OP_READ, SSD_OP_READ,
        SSD_OP_READ, SSD_OP_FLUSH, SSD_OP_ZONE_OPEN, SSD_OP_ZONE_OPEN,
        SSD_OP_ZONE_CLOSE, SSD_OP_ZONE_CLOSE, SSD_OP_ZONE_FINISH,
        SSD_OP_ZONE_RESET, SSD_OP_ZONE_RESET, SSD_OP_COPY, SSD_OP_COPY,
        SSD_OP_COPY, SSD_OP_WRITE_ZEROES, SSD_OP_VERIFY, SSD_OP_COMPARE,
        SSD_OP_ZONE_SET_EXTENSION, SSD_OP_ZONE_OFFLINE, SSD_OP_ZONE_REPORT,
        SSD_OP_IDENTIFY, SSD_OP_LOG, SSD_OP_FEATURE, SSD_OP_SHUTDOWN,
        SSD_OP_DEALLOCATE,
    };

    return ops[rng_below(rng, G_N_ELEMENTS(ops))];
}

static uint64_t size_nlb(const Rules *rules)
{
    return MAX(rules->zone_count, 1) * rules->zone_nlb;
}

/* The same for the sources of a copy. */
static void spoil_copy(const Rules *rules, Rng *rng, SsdCmd *cmd,
                       SsdRange *ranges)
{
    SsdRange *range = &ranges[rng_below(rng, cmd->range_count)];

    switch (rng_below(rng, 4)) {
    case 0:
        cmd->range_count = 0;
        break;
    case 1:
        range->nlb = rng_chance(rng, 50) ? 0 : UINT32_MAX;
        break;
    case 2:
        range->slba = size_nlb(rules) - 1;
        break;
    case 3:
        range->slba |= rules->zone_nlb - 1;
        break;
    }
}

/* Something wrong, or at least unusual, in one field. */
static void spoil(const Rules *rules, Rng *rng, SsdCmd *cmd, SsdRange *ranges)
{
    uint64_t end_lba = size_nlb(rules);
    static const uint32_t odd_nlb[] = { 0, 0x10000, UINT32_MAX };

    if ((cmd->op == SSD_OP_COPY || cmd->op == SSD_OP_DEALLOCATE) &&
        rng_chance(rng, 50)) {
        spoil_copy(rules, rng, cmd, ranges);
        return;
    }
    switch (rng_below(rng, 9)) {
    case 8:
        cmd->nsid = rng_chance(rng, 50) ? SSD_NSID_ALL :
                    rng_below(rng, MODEL_MAX_NAMESPACES + 2);
        break;
    case 0:
        cmd->nlb = odd_nlb[rng_below(rng, G_N_ELEMENTS(odd_nlb))];
        break;
    case 1:
        cmd->nlb = (rng_chance(rng, 50) ? rules->mdts_nlb :
                    rules->zasl_nlb) + 1;
        break;
    case 2:
        cmd->slba = end_lba + rng_below(rng, 2) * rules->zone_nlb;
        break;
    case 3:
        cmd->slba = UINT64_MAX - rng_below(rng, 3);
        break;
    case 4:
        cmd->slba += 1 + rng_below(rng, 2);
        break;
    case 5:
        cmd->slba -= MIN(cmd->slba, 1 + rng_below(rng, 2));
        break;
    case 6:
        cmd->slba = rng_below(rng, end_lba);
        break;
    case 7:
        cmd->slba = end_lba - 1 - rng_below(rng, 4);
        break;
    }
}

static bool is_write(SsdOp op)
{
    return op == SSD_OP_WRITE || op == SSD_OP_WRITE_ZEROES;
}

static bool is_read(SsdOp op)
{
    return op == SSD_OP_READ || op == SSD_OP_VERIFY || op == SSD_OP_COMPARE;
}

/* Make use of ZRWAs: ask for them, write anywhere in them, commit them. */
static void use_zrwa(const Rules *rules, Rng *rng, uint32_t z, SsdCmd *cmd)
{
    const RulesZone *zone = &rules->zone[z];
    uint64_t zone_lba = z * rules->zone_nlb;

    if (cmd->op == SSD_OP_ZONE_OPEN && rng_chance(rng, 70)) {
        cmd->op = SSD_OP_ZONE_OPEN_ZRWA;
    } else if (cmd->op == SSD_OP_ZONE_SET_EXTENSION && rng_chance(rng, 70)) {
        cmd->op = SSD_OP_ZONE_SET_EXTENSION_ZRWA;
    } else if (is_write(cmd->op) && zone->zrwa && rng_chance(rng, 70)) {
        cmd->slba += rng_below(rng, 2 * rules->zrwa_nlb);
    } else if (zone->zrwa && rng_chance(rng, 20)) {
        cmd->op = SSD_OP_ZONE_FLUSH_ZRWA;
        cmd->range_count = 0;
        cmd->slba = zone_lba + zone->written_nlb - 1 + rules->granule_nlb *
                    (1 + rng_below(rng, rules->zrwa_nlb /
                                        rules->granule_nlb));
    } else if (zone->zrwa && cmd->op == SSD_OP_APPEND) {
        cmd->op = SSD_OP_READ;
    }
}

/* Read on behind one of the last reads, if there is any. */
static bool read_on(const Pair *pair, Rng *rng, SsdCmd *cmd)
{
    unsigned back = 1 + rng_below(rng, 4);

    for (guint i = pair->events->len; i > 0 && back < 20; i--, back++) {
        const SsdCmd *last = &g_array_index(pair->events, PairEvent,
                                            i - 1).cmd;

        if (last->op == SSD_OP_READ && last->nlb > 0 && rng_chance(rng, 80)) {
            *cmd = *last;
            cmd->slba += last->nlb;
            cmd->nlb = 1 + rng_below(rng, 16);
            return true;
        }
    }
    return false;
}

/* Blocks of any zones, written or not: none, a few, or more than a zone has. */
static void random_deallocate(const Rules *rules, Rng *rng,
                              SsdRange ranges[COPY_RANGES], SsdCmd *cmd)
{
    cmd->ranges = ranges;
    cmd->range_count = 1 + rng_below(rng, COPY_RANGES);
    for (uint32_t i = 0; i < cmd->range_count; i++) {
        uint64_t left_nlb;

        ranges[i].slba = rng_below(rng, size_nlb(rules) + 1);
        left_nlb = size_nlb(rules) - ranges[i].slba;
        ranges[i].nlb = MIN(left_nlb, rng_below(rng, PICK(
            rng, 2, 20, 3 * rules->zone_nlb)));
    }
}

static SsdCmd zoned_cmd(const Pair *pair, Rng *rng, uint32_t nsid,
                        SsdRange ranges[COPY_RANGES])
{
    const Rules *rules = model_rules(pair->model, nsid);
    uint32_t z = rng_below(rng, MIN(rules->zone_count, SOUP_ZONES));
    const RulesZone *zone = &rules->zone[z];
    uint64_t room_nlb = rules->capacity_nlb - zone->written_nlb;
    SsdCmd cmd = {
        .op = random_op(rng),
        .nsid = nsid,
        .nlb = random_nlb(rules, rng),
        .slba = z * rules->zone_nlb,
    };

    if (pair->params.read_ahead_bytes && rng_chance(rng, 60) &&
        read_on(pair, rng, &cmd)) {
        return cmd;
    }
    if (cmd.op == SSD_OP_ZONE_REPORT) {
        cmd.nlb = rng_below(rng, rules->zone_count - z + 1);
    }
    if (cmd.op == SSD_OP_DEALLOCATE) {
        random_deallocate(rules, rng, ranges, &cmd);
    } else if (cmd.op == SSD_OP_COPY) {
        random_copy(rules, rng, ranges, &cmd);
    } else if (is_write(cmd.op)) {
        cmd.slba += zone->written_nlb;
    } else if (is_read(cmd.op)) {
        cmd.slba += rng_below(rng, rng_chance(rng, 70) ?
                              zone->written_nlb + 1 : rules->zone_nlb);
    }
    if ((is_write(cmd.op) || cmd.op == SSD_OP_APPEND) && room_nlb &&
        (cmd.nlb > room_nlb ? rng_chance(rng, 80) : rng_chance(rng, 5))) {
        cmd.nlb = MIN(room_nlb, rules->mdts_nlb);   /* to the brim */
    }
    if (rules->zrwa_nlb && rng_chance(rng, 95)) {
        use_zrwa(rules, rng, z, &cmd);
    }
    if (cmd.op >= SSD_OP_ZONE_OPEN && rng_chance(rng, 6)) {
        cmd.select_all = true;
    }
    if (rng_chance(rng, 8)) {
        spoil(rules, rng, &cmd, ranges);
    }
    return cmd;
}

static SsdOp random_conventional_op(Rng *rng)
{
    static const SsdOp ops[] = {
        SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_WRITE,
        SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_WRITE_ZEROES,
        SSD_OP_READ, SSD_OP_READ, SSD_OP_READ, SSD_OP_VERIFY, SSD_OP_COMPARE,
        SSD_OP_COPY, SSD_OP_COPY, SSD_OP_DEALLOCATE, SSD_OP_FLUSH,
    };

    return rng_chance(rng, 5) ? random_op(rng)
                              : ops[rng_below(rng, G_N_ELEMENTS(ops))];
}

/* Any place, but mostly one of the first: so some lines are worth cleaning. */
static uint64_t random_lba(const Rules *rules, Rng *rng)
{
    return rng_below(rng, rng_chance(rng, 50) ? rules->zone_nlb
                                              : rules->zone_nlb / 8 + 1);
}

static SsdCmd conventional_cmd(const Rules *rules, Rng *rng, uint32_t nsid,
                               SsdRange ranges[COPY_RANGES])
{
    SsdCmd cmd = {
        .op = random_conventional_op(rng), .nsid = nsid, .ranges = ranges,
        .slba = random_lba(rules, rng), .nlb = random_nlb(rules, rng),
    };
    uint64_t room_nlb = MIN(rules->zone_nlb - cmd.slba, rules->mdts_nlb);

    if (rng_chance(rng, 60)) {  /* whole granules */
        cmd.slba -= cmd.slba % (4096 / rules->lba_bytes);
        cmd.nlb += 4096 / rules->lba_bytes - 1;
        cmd.nlb -= cmd.nlb % (4096 / rules->lba_bytes);
    }
    cmd.nlb = MIN(cmd.nlb, room_nlb);
    if (cmd.op == SSD_OP_COPY || cmd.op == SSD_OP_DEALLOCATE) {
        cmd.range_count = 1 + rng_below(rng, COPY_RANGES);
    }
    for (uint32_t i = 0; i < cmd.range_count; i++) {
        ranges[i].slba = random_lba(rules, rng);
        ranges[i].nlb = MIN(rules->zone_nlb - ranges[i].slba,
                            1 + rng_below(rng, 20));
    }
    if (rng_chance(rng, 4)) {
        spoil(rules, rng, &cmd, ranges);
    }
    return cmd;
}

/* In a drive that has one, most commands are of the conventional namespace. */
static uint32_t random_nsid(const Pair *pair, Rng *rng)
{
    return pair->params.conventional_bytes && rng_chance(rng, 60)
           ? model_ns_count(pair->model)
           : 1 + rng_below(rng, pair->params.namespaces);
}

SsdCmd soup_cmd(const Pair *pair, Rng *rng, SsdRange ranges[COPY_RANGES])
{
    uint32_t nsid = random_nsid(pair, rng);
    const Rules *rules = model_rules(pair->model, nsid);

    return nsid > pair->params.namespaces
           ? conventional_cmd(rules, rng, nsid, ranges)
           : zoned_cmd(pair, rng, nsid, ranges);
}

void soup_fail_a_zone(Pair *pair, Rng *rng)
{
    const SsdParams *p = &pair->params;

    pair_zone_fail(pair, 1 + rng_below(rng, p->namespaces),
                   rng_below(rng, p->zones / p->namespaces),
                   rng_chance(rng, 70) ? SSD_ZONE_READ_ONLY :
                                         SSD_ZONE_OFFLINE);
}

/* Often no time at all, seldom enough for everything to end. */
static uint64_t random_gap_ns(const SsdParams *p, Rng *rng)
{
    unsigned kind = rng_below(rng, 100);

    if (kind < 40) {
        return 0;
    }
    if (kind < 60) {
        return rng_below(rng, p->page_transfer_ns + 2);
    }
    if (kind < 80) {
        return rng_below(rng, p->program_ns + 2);
    }
    if (kind < 97) {
        return rng_below(rng, p->erase_ns + 2);
    }
    return rng_below(rng, 20 * p->erase_ns + 2);
}

void soup_run(Pair *pair, Rng *rng, unsigned commands)
{
    for (unsigned i = 0; i < commands; i++) {
        uint64_t gap_ns = random_gap_ns(&pair->params, rng);
        SsdRange ranges[COPY_RANGES];
        SsdCmd cmd;

        for (unsigned polls = rng_below(rng, 3); polls; polls--) {
            uint64_t part_ns = rng_below(rng, gap_ns + 1);

            pair_advance(pair, pair->now_ns + part_ns);
            gap_ns -= part_ns;
            pair_compare(pair);
        }
        pair->now_ns += gap_ns;
        if (!pair_has_room(pair)) {
            pair_advance(pair, pair->now_ns);
        }
        while (!pair_has_room(pair)) {
            pair_advance(pair, ssd_next_at_ns(pair->ssd));
        }
        cmd = soup_cmd(pair, rng, ranges);
        pair_submit(pair, &cmd);
    }
}

/* --- drives -------------------------------------------------------------- */

uint64_t soup_pick(Rng *rng, const uint64_t *from, unsigned n)
{
    return from[rng_below(rng, n)];
}

/* A whole and a share of it. */
static uint32_t pick_share(Rng *rng, uint32_t *whole)
{
    uint32_t share = PICK(rng, 0, 1, 1, 2, 3);

    *whole = MAX(share, 1) * PICK(rng, 1, 1, 2, 3);
    return share;
}

/* How zones are finished, reset, mapped and erased. */
static void random_designs(Rng *rng, SsdParams *p)
{
    p->zone_stagger = PICK(rng, 0, 0, 1, 5);
    p->multi_plane = p->zone_planes != 1 && p->zrwa_bytes == 0 &&
                     p->zone_capacity_bytes %
                     (p->planes * p->page_bytes) == 0;
    if (p->multi_plane) {
        p->finish_chunk_bytes *= p->planes;
        p->zone_planes = 0;
    }
    p->stripe_order = rng_below(rng, 24);
    if (p->zrwa_bytes == 0 && rng_chance(rng, 40)) {
        uint64_t bytes = p->page_bytes * (p->multi_plane ? p->planes : 1);

        p->program_pages = PICK(rng, 2, 3);
        while (p->zone_capacity_bytes % (bytes * p->program_pages) != 0) {
            p->program_pages--;
        }
        p->finish_chunk_bytes *= p->program_pages;
        p->pages_per_block *= p->program_pages;
    }
    p->finish_pause_ns = PICK(rng, 0, 0, 700000, 1000003);
    p->finish_busy_pause_ns = PICK(rng, 0, 0, 700000, 2000003);
    p->finish_stall_ns = PICK(rng, 0, 0, 1, 725000, 90000001);
    p->erase_at = rng_below(rng, SSD_ERASE_AT_BLOCK_WRITE + 1);
    p->full_erase = rng_chance(rng, 30);
    p->erase_preemptive = rng_chance(rng, 50);
    p->erase_stall_ns = PICK(rng, 0, 0, 1, 3500000, 90000001);
    p->idle_ns = PICK(rng, 1000, 100000, 3000017);
    p->mapping = rng_below(rng, SSD_MAPPING_REMAP + 1);
    p->spare_superblocks = p->mapping == SSD_MAPPING_DIRECT
                           ? 0 : PICK(rng, 0, 0, 1, 3);
    p->superblock_order = rng_below(rng, 3);
}

/* What the flash does beside sensing, programming and erasing. */
static void random_array(Rng *rng, SsdParams *p)
{
    p->program_transfer_ns = PICK(rng, 0, 0, 1, 9001, 800011);
    p->program_data_ns = PICK(rng, 0, 0, 5003);
    p->own_program_after = PICK(rng, 0, 0, 0, 1, 2, 7);
    p->own_program_ns = PICK(rng, 0, 1, 900007);
    p->cache_read = rng_chance(rng, 60);
    p->program_registers = PICK(rng, 0, 0, 1, 2, 3);
    p->reads_first = PICK(rng, 0, 1, 2, 5);
    p->program_suspend = p->reads_first && rng_chance(rng, 50);
    p->erase_suspend = p->reads_first && rng_chance(rng, 50);
    p->suspend_ns = PICK(rng, 0, 20013, 900017);
    p->resume_ns = PICK(rng, 0, 3001);
    p->suspend_segment_ns = PICK(rng, 0, 50021, 100003, 5000011);
    p->suspend_rest_ns = PICK(rng, 0, 0, 30011, 200017);
}

/* What reads find without a sense. */
static void random_ahead(Rng *rng, SsdParams *p)
{
    p->register_read_ns = PICK(rng, 0, 0, 1, 7901);
    p->sense_command_ns = PICK(rng, 0, 0, 1, 6007);
    p->read_ahead_bytes = PICK(rng, 0, 0, 1, 2, 5, 20) *
                          ssd_params_sense_bytes(p);
    p->read_ahead_streams = PICK(rng, 1, 1, 2, 4);
    p->read_ahead_after = PICK(rng, 1, 2, 2, 3);
    p->read_ahead_parts = PICK(rng, 0, 0, 1, 3);
    p->read_ahead_quiet_ns = PICK(rng, 0, 0, 0, 1000003);
    p->link_out_ns = PICK(rng, 0, 0, 40386803);
    p->fixed_read_size_ns = PICK(rng, 0, 0, 50000011);
}

SsdParams soup_params(Rng *rng)
{
    SsdParams p = drive_params("");
    uint64_t pages;

    p.namespaces = PICK(rng, 1, 1, 2, MODEL_MAX_NAMESPACES);
    p.zones = p.namespaces *
              (1 + rng_below(rng, SOUP_ZONES / p.namespaces));
    p.page_bytes = PICK(rng, 4, 8, 12, 16, 20, 48) * SSD_KIB;
    p.zone_size_bytes = PICK(rng, 64, 128, 256) * SSD_KIB;
    pages = p.zone_size_bytes / p.page_bytes;
    p.zone_capacity_bytes = (1 + rng_below(rng, pages)) * p.page_bytes;
    p.lba_bytes = PICK(rng, 512, 4096);
    p.max_active = PICK(rng, 0, 1, 2, 3, 5);
    p.max_open = p.max_active ? rng_below(rng, p.max_active + 1) : 0;
    p.zone_channels = pick_share(rng, &p.channels);
    p.zone_ways = pick_share(rng, &p.ways);
    p.zone_dies = pick_share(rng, &p.dies);
    p.zone_planes = PICK(rng, 0, 1, 2);
    p.planes = MAX(p.zone_planes, 1) * PICK(rng, 1, 2);
    p.pages_per_block = PICK(rng, 1, 1, 2, 3, 7);
    p.read_ns = PICK(rng, 0, 1, 60000, 60013);
    p.program_ns = PICK(rng, 0, 25000, 700000, 700027);
    p.erase_ns = PICK(rng, 0, 700000, 3500000, 3500017);
    p.page_transfer_ns = PICK(rng, 0, 3, 25000, 25031, 900001);
    p.program_transfer_ns = 0;
    p.read_granule_bytes = PICK(rng, 0, 512, 4096);
    p.finish_chunk_bytes = PICK(rng, 0, 1, 2, 3, 8) * p.page_bytes;
    p.mgmt_parallel_zones = PICK(rng, 1, 1, 2, 3, 20);
    p.cmd_slots = PICK(rng, 1, 2, 5, 40, 40);
    p.mdts_bytes = PICK(rng, 8, 16, 64, 512) * SSD_KIB;
    p.zasl_bytes = PICK(rng, 0, 8, 64) * SSD_KIB;
    p.zasl_bytes = MIN(p.zasl_bytes, p.mdts_bytes);
    p.wzsl_bytes = PICK(rng, 0, 8, 16) * SSD_KIB;
    p.wzsl_bytes = MIN(p.wzsl_bytes, p.mdts_bytes);
    p.zrwa_granule_bytes = p.page_bytes;
    p.zrwa_bytes = PICK(rng, 0, 0, 1, 2, 3, 9) * p.page_bytes;
    p.zrwa_bytes = MIN(p.zrwa_bytes, p.zone_capacity_bytes);
    p.max_zrwa = PICK(rng, 0, 1, 2);
    p.finish_recommended_ns = PICK(rng, 0, 0, 2000000, 5000011);
    p.excursion_ns = PICK(rng, 0, 0, 5000012, 40000000);
    p.reset_recommended_ns = PICK(rng, 0, 0, 7000000);
    random_designs(rng, &p);
    random_array(rng, &p);
    random_ahead(rng, &p);
    p.zone_shuffle = rng_chance(rng, 30);
    return p;
}

Pair *soup_pair(SsdParams *params)
{
    GError *error = NULL;

    ssd_params_check(params, &error);
    g_assert_no_error(error);
    ssd_params_resolve(params);
    return pair_new(params);
}

/* --- tests --------------------------------------------------------------- */

void soup_with_failures(Pair *pair, Rng *rng, unsigned rounds,
                        unsigned commands)
{
    for (unsigned i = 0; i < rounds; i++) {
        soup_run(pair, rng, commands);
        soup_fail_a_zone(pair, rng);
        if (rng_chance(rng, 20)) {
            pair_format(pair, 1 + rng_below(rng, model_ns_count(pair->model)),
                        PICK(rng, 512, 4096));
        }
    }
}

void soup_add_tests(const char *folder, const Soup *soups, unsigned count,
                    GTestDataFunc test)
{
    for (unsigned i = 0; i < count; i++) {
        g_autofree char *path = g_strconcat(folder, "/", soups[i].name, NULL);

        g_test_add_data_func(path, &soups[i], test);
    }
}

void soup_say(const Pair *pair)
{
    g_test_message("%" G_GUINT64_FORMAT " accepted, %" G_GUINT64_FORMAT
                   " rejected", pair->accepted_count, pair->rejected_count);
}
