/*
 * A power cut while work is under way, compared with drives on which there is
 * none: where the same zones hold the same, all that follows takes as long.
 *
 *  - With luck it leaves what a cut leaves when the work is over.
 *  - It leaves nothing of what is lost: a new drive that is given what zones
 *    hold goes on in the same way, and loses the same when power goes again.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "model/soup_whole.h"

/* So many chances that all which is in doubt has been done. */
#define SEEDS 24

static unsigned cuts, compared, commands;

static void say(void)
{
    g_test_message("%u cuts, %u compared, %u commands", cuts, compared,
                   commands);
    g_assert_cmpuint(compared, >, cuts / 2);
    cuts = compared = commands = 0;
}

/* The same drive once more. */
static Ssd *copy_of(const Ssd *ssd)
{
    GByteArray *bytes = ssd_save(ssd);
    GError *error = NULL;
    Ssd *copy = ssd_load(ssd_params(ssd), bytes->data, bytes->len, &error);

    g_assert_no_error(error);
    g_byte_array_unref(bytes);
    return copy;
}

/* Run it until nothing is under way. Return: when the last command was done. */
static uint64_t drain(Ssd *ssd)
{
    uint64_t at_ns = ssd_now_ns(ssd), done_at_ns = at_ns;

    for (; at_ns != UINT64_MAX; at_ns = ssd_next_step_at_ns(ssd)) {
        SsdDone done;

        while (ssd_poll(ssd, at_ns, &done, 1)) {
            done_at_ns = done.due_at_ns;
        }
    }
    g_assert_cmpuint(ssd_inflight(ssd), ==, 0);
    return done_at_ns;
}

/* What a cut leaves when all is done. */
static Ssd *cut_at_rest(const Ssd *ssd)
{
    Ssd *later = copy_of(ssd), *next;

    drain(later);
    next = ssd_power_cut(later, ssd_now_ns(later), 1);
    ssd_free(later);
    return next;
}

/* Of a zone that has failed, what was inside may be there or not. */
static bool is_same_zone(const SsdZone *a, const SsdZone *b)
{
    if (a->state == SSD_ZONE_READ_ONLY || a->state == SSD_ZONE_OFFLINE) {
        return a->state == b->state;
    }
    return a->state == b->state && a->has_zrwa == b->has_zrwa &&
           a->has_extension == b->has_extension &&
           a->finished_by_controller == b->finished_by_controller &&
           a->wp_lba == b->wp_lba && a->written_lba == b->written_lba;
}

static bool are_same_zones(const Ssd *a, const Ssd *b)
{
    for (uint32_t nsid = 1; nsid <= ssd_ns_count(a); nsid++) {
        for (uint32_t z = 0; z < ssd_ns_info(a, nsid).zones; z++) {
            SsdZone of_a = ssd_zone(a, nsid, z), of_b = ssd_zone(b, nsid, z);

            if (!is_same_zone(&of_a, &of_b)) {
                return false;
            }
        }
    }
    return true;
}

/* --- The same commands ---------------------------------------------------- */

static SsdCmd random_cmd(const Ssd *ssd, Rng *rng)
{
    static const SsdOp ops[] = {
        SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_APPEND, SSD_OP_READ, SSD_OP_READ,
        SSD_OP_READ, SSD_OP_FLUSH, SSD_OP_ZONE_RESET, SSD_OP_ZONE_RESET,
        SSD_OP_ZONE_FINISH, SSD_OP_ZONE_OPEN,
    };
    uint32_t nsid = 1 + rng_below(rng, ssd_params(ssd)->namespaces);
    SsdNsInfo ns = ssd_ns_info(ssd, nsid);
    SsdZone zone = ssd_zone(ssd, nsid, rng_below(rng, ns.zones));
    uint64_t end_lba = zone.start_lba + zone.capacity_nlb;
    SsdCmd cmd = {
        .op = ops[rng_below(rng, G_N_ELEMENTS(ops))], .nsid = nsid,
        .slba = zone.start_lba, .nlb = 1 + rng_below(rng, 8),
    };

    if (zone.state == SSD_ZONE_READ_ONLY) {
        cmd.op = SSD_OP_FLUSH;
    }
    if (cmd.op == SSD_OP_WRITE && zone.state != SSD_ZONE_FULL) {
        cmd.slba = zone.wp_lba;
        cmd.nlb = MIN(cmd.nlb, end_lba - zone.wp_lba);
    } else if (cmd.op == SSD_OP_READ) {
        cmd.slba += rng_below(rng, zone.capacity_nlb);
        cmd.nlb = MIN(cmd.nlb, end_lba - cmd.slba);
    }
    return cmd;
}

/* Two drives, and when each began. */
typedef struct Twin {
    const Pair *pair; /* that they come from, to be told of */
    Ssd *ssd[2];
    uint64_t from_ns[2];
} Twin;

static Twin twin_of(const Pair *pair, Ssd *first, Ssd *second)
{
    return (Twin) {
        .pair = pair, .ssd = { first, second },
        .from_ns = { ssd_now_ns(first), ssd_now_ns(second) },
    };
}

static void twin_free(Twin *twin)
{
    ssd_free(twin->ssd[0]);
    ssd_free(twin->ssd[1]);
}

static unsigned poll_one(const Twin *twin, unsigned which, uint64_t now_ns,
                         SsdDone *done)
{
    unsigned count = ssd_poll(twin->ssd[which], twin->from_ns[which] + now_ns,
                              done, 1);

    done->due_at_ns -= twin->from_ns[which];
    return count;
}

/* All that comes out of both by now, counted from their beginning. */
static void compare_done(const Twin *twin, uint64_t now_ns)
{
    SsdDone first = { 0 }, second = { 0 };

    while (poll_one(twin, 0, now_ns, &first)) {
        if (!poll_one(twin, 1, now_ns, &second) || first.tag != second.tag ||
            first.due_at_ns != second.due_at_ns) {
            pair_fail(twin->pair, "after the cut, a command ends at another "
                      "time");
        }
    }
    if (poll_one(twin, 1, now_ns, &second)) {
        pair_fail(twin->pair, "after the cut, a command ends late");
    }
}

static uint64_t next_ns(const Twin *twin)
{
    return ssd_next_at_ns(twin->ssd[0]) - twin->from_ns[0];
}

/* Half of the times work is left inside. */
static void compare_times(const Twin *twin, Rng *rng)
{
    uint64_t now_ns = 0;
    bool drains = rng_chance(rng, 50);

    for (uint32_t tag = 0; tag < 60; tag++) {
        SsdCmd cmd = random_cmd(twin->ssd[0], rng);
        SsdStatus status[2];

        now_ns += rng_chance(rng, 50) ? rng_below(rng, 5000000) : 0;
        compare_done(twin, now_ns);
        while (!ssd_has_room(twin->ssd[0])) {
            now_ns = next_ns(twin);
            compare_done(twin, now_ns);
        }
        for (unsigned i = 0; i < 2; i++) {
            status[i] = ssd_submit(twin->ssd[i], twin->from_ns[i] + now_ns,
                                   &cmd, tag).status;
        }
        g_assert_cmphex(status[0], ==, status[1]);
        commands += status[0] == SSD_SUCCESS;
    }
    while (drains && ssd_inflight(twin->ssd[0])) {
        compare_done(twin, next_ns(twin));
    }
    g_assert_cmpuint(ssd_inflight(twin->ssd[0]), ==,
                     ssd_inflight(twin->ssd[1]));
}

/* --- With luck ------------------------------------------------------------ */

/*
 * Never more often than at rest: data that have not come to the flash need no
 * erase when they are reset.
 */
static void compare_wear(const Ssd *now, const Ssd *at_rest)
{
    for (uint64_t i = 0; i < ssd_block_count(now); i++) {
        g_assert_cmpuint(ssd_block(now, i).erase_count, <=,
                         ssd_block(at_rest, i).erase_count);
    }
}

static void compare_at_rest(const Pair *pair, Rng *rng)
{
    Ssd *at_rest = cut_at_rest(pair->ssd);
    Ssd *now = ssd_power_cut(pair->ssd, pair->now_ns, rng_next(rng));
    Twin twin;

    cuts++;
    for (unsigned i = 1; i < SEEDS && !are_same_zones(now, at_rest); i++) {
        ssd_free(now);
        now = ssd_power_cut(pair->ssd, pair->now_ns, rng_next(rng));
    }
    twin = twin_of(pair, now, at_rest);
    if (are_same_zones(now, at_rest)) {
        compared++;
        compare_wear(now, at_rest);
        compare_times(&twin, rng);
    }
    twin_free(&twin);
}

/*
 * Which superblock a zone takes depends on the order in which these were given
 * back; and where a zone's first write has all of it erased, a cut leaves that
 * to the next one.
 */
static void tame(Rng *rng, SsdParams *params)
{
    params->mapping = SSD_MAPPING_DIRECT;
    params->spare_superblocks = 0;
    if (params->erase_at == SSD_ERASE_AT_ZONE_WRITE) {
        params->erase_at = SSD_ERASE_AT_BLOCK_WRITE;
    }
    if (rng_chance(rng, 70)) { /* so that much happens to each */
        params->zones = MIN(params->zones, 3 * params->namespaces);
    }
}

/* Random drives; `change` is asked first. */
static void run_drives(void (*change)(Rng *, SsdParams *),
                       void (*compare)(const Pair *, Rng *))
{
    Rng rng = { drive_seed() };
    unsigned count = drive_count("FEMU_DRIVES", 40);

    for (unsigned i = 0; i < count; i++) {
        SsdParams params = soup_whole_params(&rng);
        Pair *pair;

        change(&rng, &params);
        pair = soup_pair(&params);
        for (unsigned cut = 0; cut < 10; cut++) {
            soup_run(pair, &rng, 20 + rng_below(&rng, 20));
            if (rng_chance(&rng, 10)) {
                soup_fail_a_zone(pair, &rng);
            }
            compare(pair, &rng);
            if (rng_chance(&rng, 10)) {
                pair_format(pair, 1 + rng_below(&rng, model_ns_count(
                                                          pair->model)),
                            PICK(&rng, 512, 4096));
            }
        }
        pair_free(pair);
    }
}

static void make_protected(Rng *rng, SsdParams *params)
{
    soup_widen(rng, params);
    params->write_cache = SSD_WRITE_CACHE_PROTECTED;
    tame(rng, params);
}

static void test_at_rest(void)
{
    run_drives(make_protected, compare_at_rest);
    say();
}

/* --- A drive that is made anew -------------------------------------------- */

static void do_now(Ssd *ssd, SsdCmd cmd)
{
    SsdAccept accept = ssd_submit(ssd, ssd_now_ns(ssd), &cmd, 0);

    g_assert_cmphex(accept.status, ==, SSD_SUCCESS);
    drain(ssd);
}

static void manage_now(Ssd *ssd, SsdOp op, uint32_t nsid, uint64_t slba)
{
    do_now(ssd, (SsdCmd) { .op = op, .nsid = nsid, .slba = slba });
}

static void write_to(Ssd *ssd, uint32_t nsid, const SsdZone *zone)
{
    uint64_t most_nlb = ssd_params(ssd)->mdts_bytes /
                        ssd_ns_info(ssd, nsid).lba_bytes;

    for (uint64_t lba = zone->start_lba; lba < zone->written_lba;) {
        uint64_t nlb = MIN(zone->written_lba - lba, most_nlb);

        do_now(ssd, (SsdCmd) {
            .op = SSD_OP_WRITE, .nsid = nsid, .slba = lba, .nlb = nlb,
        });
        lba += nlb;
    }
}

static void make_zone(Ssd *ssd, uint32_t nsid, uint32_t zone_idx,
                      const SsdZone *zone)
{
    bool has_failed = zone->state == SSD_ZONE_READ_ONLY ||
                      zone->state == SSD_ZONE_OFFLINE;

    if (has_failed) {
        ssd_zone_fail(ssd, ssd_now_ns(ssd), nsid, zone_idx, zone->state);
        return;
    }
    if (zone->has_extension) {
        manage_now(ssd, SSD_OP_ZONE_SET_EXTENSION, nsid, zone->start_lba);
    }
    write_to(ssd, nsid, zone);
    if (zone->state == SSD_ZONE_FULL) {
        manage_now(ssd, SSD_OP_ZONE_FINISH, nsid, zone->start_lba);
    }
}

/* Zones that need a resource for a while come before those that keep one. */
static void make_zones(Ssd *made, const Ssd *ssd, uint32_t nsid)
{
    SsdNsInfo ns = ssd_ns_info(ssd, nsid);

    ssd_format(made, ssd_now_ns(made), nsid, ns.lba_bytes, NULL);
    for (unsigned full = 2; full-- > 0;) {
        for (uint32_t z = 0; z < ns.zones; z++) {
            SsdZone zone = ssd_zone(ssd, nsid, z);

            if ((zone.state == SSD_ZONE_FULL) == full) {
                make_zone(made, nsid, z, &zone);
            }
        }
    }
}

static Ssd *made_as(const Ssd *ssd)
{
    Ssd *made = ssd_new(ssd_params(ssd)), *next;

    for (uint32_t nsid = 1; nsid <= ssd_ns_count(ssd); nsid++) {
        make_zones(made, ssd, nsid);
    }
    manage_now(made, SSD_OP_FLUSH, 1, 0);
    next = ssd_power_cut(made, ssd_now_ns(made), 1);
    ssd_free(made);
    return next;
}

/* Both lose their power, as much later, with the same seed. */
static Twin cut_both(const Twin *twin, uint64_t seed)
{
    uint64_t now_ns = ssd_now_ns(twin->ssd[0]) - twin->from_ns[0];
    Ssd *next[2];

    for (unsigned i = 0; i < 2; i++) {
        next[i] = ssd_power_cut(twin->ssd[i], twin->from_ns[i] + now_ns, seed);
    }
    return twin_of(twin->pair, next[0], next[1]);
}

static void compare_made(const Pair *pair, Rng *rng)
{
    Ssd *now = ssd_power_cut(pair->ssd, pair->now_ns, rng_next(rng));
    Twin twin = twin_of(pair, now, made_as(now));

    g_assert_true(are_same_zones(twin.ssd[0], twin.ssd[1]));
    for (unsigned i = 0; i < 3; i++) {
        Twin next;

        compare_times(&twin, rng);
        next = cut_both(&twin, rng_next(rng));
        if (!are_same_zones(next.ssd[0], next.ssd[1])) {
            pair_fail(pair, "after the second cut, zones differ");
        }
        cuts++;
        compared++;
        twin_free(&twin);
        twin = next;
    }
    twin_free(&twin);
}

/* What zones hold is all that counts, not how they came to that. */
static void forget_lives(Rng *rng, SsdParams *params)
{
    soup_widen(rng, params);
    tame(rng, params);
    if (params->erase_at == SSD_ERASE_AT_BLOCK_WRITE) {
        params->erase_at = SSD_ERASE_AT_RESET;
    }
    params->program_spread_permille = 0;
    params->stripe_spread_permille = 0;
    params->suspend_spread_permille = 0;
    params->fe_after_random = false;
    params->fe_part_pause_permille = 0;
    params->fe_lba512_pause_permille = 0;
    params->reset_lock_ns = 0;
    params->reset_after_ns = 0;
    params->reset_part_ns = 0;
    params->finish_fills_empty = true;
    params->zrwa_bytes = 0;
    params->max_zrwa = 0;
    params->excursion_ns = 0;
}

static void test_made(void)
{
    run_drives(forget_lives, compare_made);
    say();
}

/* --- The conventional namespace ------------------------------------------- */

static uint64_t sense_count(Ssd *ssd)
{
    static const char name[] = "\"senses\":";
    g_autofree char *text = ssd_stats_json(ssd, ssd_now_ns(ssd), NULL);
    const char *at = strstr(text, name);

    g_assert_nonnull(at);
    return g_ascii_strtoull(at + strlen(name), NULL, 10);
}

/* [granule]: does a read find it on the flash? */
static bool *find_granules(Ssd *ssd, uint64_t count)
{
    uint32_t nsid = ssd_ns_count(ssd);
    uint32_t nlb = 4096 / ssd_ns_info(ssd, nsid).lba_bytes;
    bool *found = g_new(bool, count);

    for (uint64_t i = 0; i < count; i++) {
        uint64_t before = sense_count(ssd);

        do_now(ssd, (SsdCmd) {
            .op = SSD_OP_READ, .nsid = nsid, .slba = i * nlb, .nlb = nlb,
        });
        found[i] = sense_count(ssd) != before;
    }
    return found;
}

/* What was written is there, nothing else, but in a page that is not full. */
static void compare_log(const Pair *pair, Rng *rng)
{
    Ssd *now = ssd_power_cut(pair->ssd, pair->now_ns, rng_next(rng));
    Ssd *at_rest = cut_at_rest(pair->ssd);
    SsdNsInfo ns = ssd_ns_info(now, ssd_ns_count(now));
    uint64_t count = ns.size_nlb * ns.lba_bytes / 4096, more = 0, less = 0;
    uint64_t most = ssd_stats_page_bytes(now) / 4096 - 1;
    g_autofree bool *is = find_granules(now, count);
    g_autofree bool *should = find_granules(at_rest, count);

    for (uint64_t i = 0; i < count; i++) {
        more += is[i] && !should[i];
        less += should[i] && !is[i];
        compared += is[i];
    }
    if (more > most || less > most) {
        pair_fail(pair, "after the cut, the conventional namespace has what "
                  "was not written, or not what was");
    }
    cuts++;
    ssd_free(now);
    ssd_free(at_rest);
}

/* All is handed off when it is submitted; each read senses for itself. */
static void open_front(Rng *rng, SsdParams *params)
{
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);

    soup_add_conventional(rng, params);
    for (unsigned i = 0; i < count; i++) {
        if (g_str_has_prefix(table[i].name, "fe-")) {
            ssd_params_set(params, table[i].name,
                           table[i].max == 1 ? "off" : "0", NULL);
        }
    }
    params->take_turns = true;
    params->read_slots = 0;
    params->read_lists = 0;
    params->register_read_ns = 0;
    params->read_ahead_bytes = 0;
}

static void test_log(void)
{
    run_drives(open_front, compare_log);
    say();
}

/* --- What a ZRWA leaves --------------------------------------------------- */

#define ZRWA "zone-capacity=16K zrwa-size=16K zrwa-flush-granularity=4K " \
             "max-zrwa=2 finish-fills-empty=off "

/* What a command takes. Frees the drive. */
static uint64_t cmd_ns(Ssd *ssd, SsdCmd cmd)
{
    uint64_t from_ns = ssd_now_ns(ssd), done_at_ns;

    g_assert_cmphex(ssd_submit(ssd, from_ns, &cmd, 0).status, ==, SSD_SUCCESS);
    done_at_ns = drain(ssd);
    ssd_free(ssd);
    return done_at_ns - from_ns;
}

/* The same of a reset of zone 0. */
static uint64_t reset_ns(Ssd *ssd)
{
    return cmd_ns(ssd, (SsdCmd) { .op = SSD_OP_ZONE_RESET, .nsid = 1 });
}

static void expect_zone(const Ssd *ssd, SsdZoneState state)
{
    g_assert_cmphex(ssd_zone(ssd, 1, 0).state, ==, state);
}

/*
 * A block has been written twice, and the front end has not handed that off:
 * two blocks of the four have to be unmapped, not the three up to there.
 */
static void test_zrwa_written(void)
{
    Drive *d = drive_new(ZRWA "fe-write-ns=50000 reset-lock-ns=800000");
    Ssd *next;

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN_ZRWA, 0);
    drive_drain(d);
    drive_write(d, 1000000, 2, 1);
    drive_write(d, 1000000, 2, 1);
    next = ssd_power_cut(d->ssd, 1000000, 1);
    expect_zone(next, SSD_ZONE_CLOSED);
    g_assert_cmpuint(reset_ns(next), ==, 400000);
    drive_free(d);
}

/* The same of two blocks; the first has been handed off, and is leaving. */
static void test_zrwa_entering(void)
{
    Drive *d = drive_new(ZRWA "fe-write-ns=50000 fixed-write-ns=50000 "
                         "reset-lock-ns=800000");

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN_ZRWA, 0);
    drive_drain(d);
    drive_write(d, 1000000, 0, 1);
    drive_write(d, 1000000, 1, 1);
    ssd_poll(d->ssd, 1050000, NULL, 0);
    g_assert_cmpuint(ssd_inflight(d->ssd), ==, 2);
    g_assert_cmpuint(reset_ns(ssd_power_cut(d->ssd, 1050000, 1)), ==, 400000);
    drive_free(d);
}

/* Those that are not handed off before a reset are of a life that is over. */
static void test_zrwa_entering_before(void)
{
    Drive *d = drive_new(ZRWA "fe-write-ns=50000 reset-lock-ns=800000");

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN_ZRWA, 0);
    drive_drain(d);
    drive_write(d, 1000000, 0, 1);
    drive_write(d, 1000000, 1, 1);
    drive_zone_op(d, 1000000, SSD_OP_ZONE_RESET, 0);
    drive_zone_op(d, 1000000, SSD_OP_ZONE_OPEN_ZRWA, 0);
    drive_write(d, 1000000, 0, 1);
    g_assert_cmpuint(reset_ns(ssd_power_cut(d->ssd, 1000000, 1)), ==, 200000);
    drive_free(d);
}

/* A flush without data has filled the zone, and waits behind a reset. */
static void test_zrwa_flushed(void)
{
    Drive *d = drive_new(ZRWA "reset-base-ns=500000");
    Ssd *next;

    drive_fill(d, 0, 1);
    drive_zone_op(d, 10000000, SSD_OP_ZONE_RESET, 0);
    drive_zone_op(d, 10000000, SSD_OP_ZONE_OPEN_ZRWA, 0);
    drive_io(d, 10000000, SSD_OP_ZONE_FLUSH_ZRWA, 3, 0);
    next = ssd_power_cut(d->ssd, 10000000, 1);
    expect_zone(next, SSD_ZONE_FULL);
    g_assert_cmpuint(reset_ns(next), ==,
                     d->params.reset_base_ns + d->params.erase_ns);
    drive_free(d);
}

/* A cut that leaves zone 0 in this state. */
static Ssd *cut_until(const Drive *d, uint64_t at_ns, SsdZoneState state)
{
    uint64_t seed = 0;
    Ssd *next = ssd_power_cut(d->ssd, at_ns, seed);

    while (ssd_zone(next, 1, 0).state != state) {
        ssd_free(next);
        next = ssd_power_cut(d->ssd, at_ns, ++seed);
        g_assert_cmpuint(seed, <, 100);
    }
    return next;
}

/* It gets back what it was when it was reset last. */
static Ssd *cut_undone(const Drive *d, uint64_t at_ns)
{
    return cut_until(d, at_ns, SSD_ZONE_FULL);
}

/* A zone is reset, and finished when nothing is in it: no erase is due then. */
static void test_finished_behind(void)
{
    Drive *d = drive_new(ZRWA "fe-reset-ns=50000");

    drive_fill(d, 0, 4);
    drive_zone_op(d, 10000000, SSD_OP_ZONE_RESET, 0);
    drive_zone_op(d, 10000000, SSD_OP_ZONE_FINISH, 0);
    g_assert_cmpuint(reset_ns(cut_undone(d, 10000000)), ==,
                     d->params.fe_reset_ns);
    drive_free(d);
}

/*
 * One that is done has, and a reset is not done that the front end has still,
 * or that has dropped the pages.
 */
static void test_zrwa_flushed_before(gconstpointer words)
{
    Drive *d = drive_new(words);

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN_ZRWA, 0);
    drive_io(d, 0, SSD_OP_ZONE_FLUSH_ZRWA, 3, 0);
    drive_drain(d);
    drive_zone_op(d, 10000000, SSD_OP_ZONE_RESET, 0);
    g_assert_cmpuint(reset_ns(cut_undone(d, 10000000)), ==,
                     d->params.fe_reset_ns + d->params.reset_base_ns +
                     d->params.erase_ns);
    drive_free(d);
}

/*
 * One that waits behind a reset has filled the zone, too, where a second reset
 * has dropped it: that is undone, before the first one has ended or after it.
 * A zone that was finished instead, when nothing had been written, is still
 * one that needs no erase.
 */
static void test_zrwa_dropped(void)
{
    for (unsigned i = 0; i < 4; i++) {
        bool is_flushed = i & 1;
        uint64_t at_ns = 10000000;
        Drive *d = drive_new(ZRWA "reset-base-ns=500000");

        drive_fill(d, 0, 1);
        drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, 0);
        if (is_flushed) {
            drive_zone_op(d, at_ns, SSD_OP_ZONE_OPEN_ZRWA, 0);
            drive_io(d, at_ns, SSD_OP_ZONE_FLUSH_ZRWA, 3, 0);
        } else {
            drive_zone_op(d, at_ns, SSD_OP_ZONE_FINISH, 0);
        }
        drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, 0);
        if (i & 2) {
            at_ns += d->params.reset_base_ns + d->params.erase_ns + 1;
            ssd_poll(d->ssd, at_ns, NULL, 0);
        }
        g_assert_cmpuint(reset_ns(cut_undone(d, at_ns)), ==,
                         d->params.reset_base_ns +
                         is_flushed * d->params.erase_ns);
        drive_free(d);
    }
}

/* The same where it waits for the host link, behind a write of another zone. */
static void test_zrwa_on_link(void)
{
    Drive *d = drive_new(ZRWA "reset-base-ns=500000 link-in-ns=1000000000");

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN_ZRWA, 0);
    drive_drain(d);
    drive_write(d, 10000000, drive_zone_lba(d, 1), 4);
    drive_io(d, 10000000, SSD_OP_ZONE_FLUSH_ZRWA, 3, 0);
    drive_zone_op(d, 10000000, SSD_OP_ZONE_RESET, 0);
    g_assert_cmpuint(reset_ns(cut_undone(d, 10000000)), ==,
                     d->params.reset_base_ns + d->params.erase_ns);
    drive_free(d);
}

/* Of one that a reset has ended, what is inside saves nothing behind that. */
static void test_zrwa_ended(void)
{
    Drive *d = drive_new(ZRWA "write-cache=volatile fe-write-ns=1000000");

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN_ZRWA, 0);
    drive_write(d, 0, 0, 1);
    drive_zone_op(d, 0, SSD_OP_ZONE_RESET, 0);
    drive_write(d, 0, 0, 1);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Ssd *next = ssd_power_cut(d->ssd, 0, seed);

        expect_zone(next, SSD_ZONE_EMPTY);
        ssd_free(next);
    }
    drive_free(d);
}

/* --- What other zones leave ----------------------------------------------- */

/* The second is of a zone that a finish has filled: blocks need an erase. */
static void test_resets(void)
{
    Drive *d = drive_new("erase-at=zone-write fe-reset-ns=50000 "
                         "reset-base-ns=50000");
    SsdCmd write = { .op = SSD_OP_WRITE, .nsid = 1, .nlb = 1 };

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, 0);
    drive_zone_op(d, 0, SSD_OP_ZONE_RESET, 0);
    ssd_poll(d->ssd, 50000, NULL, 0);
    drive_zone_op(d, 50000, SSD_OP_ZONE_FINISH, 0);
    drive_zone_op(d, 50000, SSD_OP_ZONE_RESET, 0);
    g_assert_cmpuint(cmd_ns(cut_until(d, 50000, SSD_ZONE_EMPTY), write), ==,
                     2 * d->params.erase_ns + d->params.program_ns);
    drive_free(d);
}

/* One that has failed leaves its pages in the buffer: here one, of 2 blocks. */
static void test_failed(void)
{
    Drive *d = drive_new("write-buffer=128K program-registers=2 "
                         "program-pages=2");
    SsdCmd read = { .op = SSD_OP_READ, .nsid = 1, .nlb = 1 };

    drive_write(d, 0, 0, 2);
    g_assert_true(ssd_zone_fail(d->ssd, 0, 1, 0, SSD_ZONE_READ_ONLY));
    for (; read.slba < 4; read.slba++) {
        g_assert_cmpuint(cmd_ns(ssd_power_cut(d->ssd, 0, 1), read), ==,
                         read.slba < 2 ? d->params.read_ns +
                                         d->params.page_transfer_ns : 0);
    }
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/drained/at-rest", test_at_rest);
    g_test_add_func("/drained/made", test_made);
    g_test_add_func("/drained/log", test_log);
    g_test_add_func("/drained/zrwa/written", test_zrwa_written);
    g_test_add_func("/drained/zrwa/entering", test_zrwa_entering);
    g_test_add_func("/drained/zrwa/entering-before",
                    test_zrwa_entering_before);
    g_test_add_func("/drained/zrwa/flushed", test_zrwa_flushed);
    g_test_add_func("/drained/finished-behind", test_finished_behind);
    g_test_add_data_func("/drained/zrwa/flushed-before/entering",
                         ZRWA "fe-open-ns=50000 fe-reset-ns=50000",
                         test_zrwa_flushed_before);
    g_test_add_data_func("/drained/zrwa/flushed-before/dropped",
                         ZRWA "reset-base-ns=500000",
                         test_zrwa_flushed_before);
    g_test_add_func("/drained/zrwa/dropped", test_zrwa_dropped);
    g_test_add_func("/drained/zrwa/on-link", test_zrwa_on_link);
    g_test_add_func("/drained/zrwa/ended", test_zrwa_ended);
    g_test_add_func("/drained/resets", test_resets);
    g_test_add_func("/drained/failed", test_failed);
    return g_test_run();
}
