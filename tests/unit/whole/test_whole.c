/*
 * Whole drives against the dumb second one: front end, host link, write buffer
 * and what resets cost, one by one and together. Each run is done again, polled in other ways.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "model/soup_whole.h"

static uint64_t accepted_count;

/* The same again in all ways of polling. */
static void end(Pair *pair, Rng *rng)
{
    for (PairPoll mode = 0; mode < PAIR_POLL_MODES; mode++) {
        pair_replay(pair, mode, rng);
    }
    accepted_count += pair->accepted_count;
    pair_free(pair);
}

/* --- drives by name ------------------------------------------------------ */

#define ODD "read-ns=60013 program-ns=700027 erase-ns=3500017 " \
            "page-transfer-ns=25031 cmd-slots=64 "
#define ZONES ODD "zones=6 zone-capacity=48K channels=2 max-open=3 " \
              "max-active=4 "
#define FRONT "fe-read-ns=2203 fe-write-ns=3373 fe-append-ns=5147 " \
              "fe-open-ns=9241 fe-close-ns=10567 fe-finish-ns=13217 " \
              "fe-reset-ns=4001 fe-first-write-ns=2027 " \
              "fe-closed-write-ns=3511 "
#define AGAIN "fe-write-arrived-ns=1453 fe-append-arrived-ns=2707 "
#define SMALL "fe-small=8K fe-small-write-ns=5309 fe-small-append-ns=7433 " \
              "fixed-small-ns=1123 "
#define LINK "link-in-ns=49501600 link-out-ns=40386800 "
#define FIXED "fixed-read-ns=6091 fixed-write-ns=4717 fixed-append-ns=7789 "
#define BUFFER "write-buffer=64K zone-buffer=40K program-registers=1 "
#define AHEAD "read-ahead=16K "
#define RESETS "reset-drains=on reset-lock-ns=5000011 reset-base-ns=159013 " \
               "reset-after-ns=40609 reset-part-ns=274007 "

static const Soup soups[] = {
    { "front/costs", ZONES FRONT, 4000 },
    { "front/small", ZONES FRONT SMALL "lba-size=512", 4000 },
    { "front/small-fixed-only", ZONES "fe-small=8K fixed-small-ns=1123",
      2000 },
    { "front/after", ZONES FRONT SMALL "fe-after=335", 4000 },
    { "front/after-random", ZONES FRONT SMALL "fe-after=335 "
      "fe-after-random=on seed=5", 4000 },
    { "front/again", ZONES FRONT SMALL LINK AGAIN "fe-after=335", 4000 },
    { "front/again-buffer", ZONES FRONT SMALL LINK FIXED BUFFER AGAIN
      "fe-after=335 fe-after-random=on buffer-waiters=2 buffer-resume=0 "
      "buffer-portion=4K", 6000 },
    { "front/again-only", ZONES LINK AGAIN "lba-size=512 namespaces=2", 4000 },
    { "front/again-parts", ZONES BUFFER LINK AGAIN "lba-size=512 "
      "fe-part-ns=22501 fe-lba512-ns=12421 fe-small=8K", 4000 },
    { "front/parts", ZONES FRONT SMALL "lba-size=512 fe-after=335 "
      "fe-after-random=on fe-part-ns=22501 fe-part-merge-ns=1011 "
      "fe-part-pauses=837 fe-part-pause-ns=85237 fe-lba512-ns=12421 "
      "fe-lba512-pauses=811 fe-lba512-pause-ns=204521 fixed-lba512-ns=5003 "
      "fe-lba512-read-ns=2909 namespaces=2", 20000 },
    { "front/asked", ZONES FRONT "fe-report-ns=5003 fe-report-zone-ns=71 "
      "fe-identify-ns=901 fe-log-ns=1103 fe-feature-ns=1301", 4000 },
    { "front/asked-one", ZONES FRONT "fe-report-zone-ns=71 namespaces=2",
      2000 },
    { "front/read-slots", ZONES "read-slots=2 fe-read-ns=2203", 4000 },
    { "front/read-slots-lba512", ZONES "read-slots=2 fe-read-ns=2203 "
      "fe-lba512-read-ns=2909 lba-size=512", 4000 },
    { "front/one-read-slot", ZONES "read-slots=1 " FIXED, 4000 },
    { "link/in", ZONES "link-in-ns=49501600", 4000 },
    { "link/out", ZONES "link-out-ns=40386800 read-granule=512 "
      "lba-size=512", 4000 },
    { "link/tiny", ZONES "link-in-ns=900 link-out-ns=1100 lba-size=512",
      4000 },
    { "link/zrwa", ZONES LINK "zrwa-size=16K max-zrwa=3", 4000 },
    { "fixed", ZONES FIXED, 4000 },
    { "ahead/one", ZONES AHEAD "link-out-ns=40386803 "
      "sense-command-ns=6007", 6000 },
    { "ahead/streams", ZONES AHEAD "read-ahead-streams=3 "
      "read-ahead-after=1 dies=2 lba-size=512 " FIXED, 6000 },
    { "ahead/shallow", ZONES FRONT "read-ahead=4K read-ahead-streams=2 "
      "read-slots=5 read-ahead-after=3 lba-size=512 namespaces=2", 6000 },
    { "ahead/parts", ZONES FRONT "read-ahead=32K read-ahead-parts=2 lba-size=512 "
      "page-size=16K zone-capacity=48K read-granule=4K", 6000 },
    { "ahead/planes", ODD "zones=5 zone-size=256K page-size=16K "
      "planes=3 multi-plane=on zone-capacity=192K max-active=3 lba-size=512 "
      "mdts=128K pages-per-block=2 register-read-ns=7907 cache-read=off "
      "read-granule=4K read-ahead=96K read-ahead-after=2", 6000 },
    { "ahead/registers", ZONES "register-read-ns=7907 lba-size=512 "
      "reads-first=2 program-suspend=on suspend-ns=20013 "
      "suspend-segment-ns=50021 page-size=16K zone-capacity=48K "
      "read-granule=512 sense-command-ns=6007", 6000 },
    { "ahead/buffer", ZONES BUFFER FRONT LINK FIXED AHEAD
      "register-read-ns=7907 fixed-read-size-ns=50000011", 6000 },
    { "front/all", ZONES FRONT SMALL LINK FIXED "read-slots=3 fe-after=250",
      6000 },
    { "buffer/plain", ZONES BUFFER "zone-buffer=0", 4000 },
    { "buffer/zone-share", ZONES BUFFER, 4000 },
    { "buffer/waiters", ZONES BUFFER LINK FRONT "buffer-waiters=4 "
      "buffer-resume=1", 6000 },
    { "buffer/pages-of-48k", ODD "zones=5 zone-size=256K page-size=16K "
      "planes=3 multi-plane=on zone-capacity=192K max-active=3 lba-size=512 "
      "write-buffer=240K zone-buffer=128K program-registers=2 mdts=128K "
      "buffer-release-ns=211201 pages-per-block=2", 4000 },
    { "buffer/release", ODD "zones=5 zone-size=256K zone-capacity=240K "
      "page-size=4K program-pages=3 pages-per-block=6 max-active=4 "
      "write-buffer=96K zone-buffer=64K program-registers=1 "
      "buffer-release-ns=1000000 program-spread=50 stripe-spread=90 "
      "program-data-ns=32003 lba-size=512", 4000 },
    { "buffer/issue", ZONES BUFFER "dies=2 program-registers=2 "
      "program-issue-ns=140009", 4000 },
    { "own", ZONES "dies=2 own-program-after=3 own-program-ns=300007",
      4000 },
    { "own/suspended", ZONES "dies=2 own-program-after=2 reads-first=1 "
      "program-suspend=on erase-suspend=on suspend-ns=20013 resume-ns=3001 "
      "suspend-segment-ns=50021", 4000 },
    { "buffer/own", ZONES BUFFER "dies=2 own-program-after=2 "
      "own-program-ns=1000003 program-registers=2 program-spread=50 "
      "page-turns=on", 4000 },
    { "issue", ZONES "program-issue-ns=40009 program-registers=2", 4000 },
    { "buffer/zrwa", ZONES BUFFER LINK "zrwa-size=16K max-zrwa=2 max-open=4",
      4000 },
    { "buffer/finish-chunks", ZONES BUFFER "finish-chunk=8K "
      "finish-pause-ns=300007 finish-busy-pause-ns=900001", 4000 },
    { "buffer/su-zones", ODD "zones=8 zone-capacity=48K channels=2 dies=2 "
      "zone-channels=1 zone-dies=1 max-active=6 write-buffer=96K "
      "program-registers=2 zone-stagger=1", 4000 },
    { "resets/base", ZONES "reset-base-ns=159013", 4000 },
    { "resets/commit", ZONES "reset-base-ns=159013 reset-after-ns=40609 "
      "reset-part-ns=274007", 4000 },
    { "resets/lock", ZONES "reset-lock-ns=5000011 program-registers=1", 4000 },
    { "resets/lock-free", ZONES "reset-lock-ns=5000011", 4000 },
    { "resets/drains", ZONES BUFFER "reset-drains=on", 4000 },
    { "resets/drains-unbuffered", ZONES "reset-drains=on", 4000 },
    { "resets/drain-first", ZONES BUFFER "program-registers=2 "
      "reset-drains=on reset-drain-first=on", 4000 },
    { "resets/drain-first-lock", ZONES BUFFER "program-registers=2 dies=2 "
      "reset-drains=on reset-drain-first=on reset-lock-ns=900011", 4000 },
    { "resets/steps", ZONES "reset-lock-ns=5000011 reset-steps=7 "
      "reset-step-ns=105019 reads-first=2 program-suspend=on "
      "suspend-ns=20013 suspend-segment-ns=50021 suspend-spread=560", 4000 },
    { "resets/excursions", ZONES BUFFER RESETS "excursion-ns=40000000 "
      "finish-recommended-ns=5000011 fe-write-ns=200003 fe-reset-ns=900001",
      4000 },
    { "resets/select-all", ZONES BUFFER RESETS FRONT "mgmt-parallel-zones=3 "
      "erase-at=background mapping=lazy", 4000 },
    { "turns/buffer", ZONES BUFFER LINK "take-turns=on namespaces=2 "
      "max-open=2 max-active=2 zone-buffer=36K", 6000 },
    { "turns/whole-buffer", ZONES BUFFER FRONT "take-turns=on namespaces=3 "
      "max-open=2 max-active=2 zone-buffer=0 buffer-release-ns=300007", 6000 },
    { "turns/reads", ZONES "take-turns=on namespaces=3 max-open=2 "
      "max-active=2 read-slots=4 fe-read-ns=2203", 6000 },
    { "turns/all", ZONES FRONT SMALL LINK FIXED BUFFER RESETS "take-turns=on "
      "namespaces=2 max-open=2 max-active=3 read-slots=3 dies=2 "
      "program-registers=2 reset-drain-first=on", 6000 },
    { "conventional/plain", ZONES "conventional-size=96K "
      "conventional-spare=28 lba-size=512", 6000 },
    { "conventional/link", ZONES FRONT LINK AGAIN FIXED "read-slots=3 "
      "conventional-size=72K program-registers=1 page-size=16K "
      "pages-per-block=2", 6000 },
    { "conventional/array", ZONES "conventional-size=240K dies=2 planes=2 "
      "multi-plane=on program-pages=3 pages-per-block=6 page-size=4K "
      "register-read-ns=7907 sense-command-ns=6007 program-spread=50 "
      "stripe-spread=90 slow-pages=200 read-slow-ns=90007 reads-first=2 "
      "program-suspend=on erase-suspend=on suspend-ns=20013 "
      "own-program-after=2 own-program-ns=300007 zone-dies=1", 6000 },
    { "conventional/buffer", ZONES BUFFER FRONT LINK AGAIN
      "conventional-size=96K conventional-buffer=on lba-size=512 "
      "buffer-portion=8K buffer-waiters=3 buffer-resume=1", 6000 },
    { "conventional/resets", ZONES BUFFER RESETS LINK "conventional-size=128K "
      "conventional-buffer=on page-turns=on dies=2 program-registers=2 "
      "reset-drain-first=on buffer-release-ns=300007", 6000 },
    { "conventional/turns", ZONES BUFFER LINK "conventional-size=96K "
      "conventional-buffer=on take-turns=on namespaces=2 max-open=2 "
      "max-active=2 buffer-portion=16K zone-buffer=24K read-slots=4", 6000 },
    { "all", ZONES FRONT SMALL LINK FIXED BUFFER RESETS "read-slots=3 "
      "fe-after=335 buffer-waiters=3 buffer-resume=1 dies=2 "
      "program-registers=2 program-issue-ns=40009 reset-drain-first=on "
      "reset-steps=3 reset-step-ns=105019", 10000 },
    { "all-even", "zones=6 zone-capacity=48K channels=2 max-open=3 "
      "max-active=4 cmd-slots=64 fe-read-ns=5000 fe-write-ns=5000 "
      "fe-append-ns=5000 fixed-read-ns=5000 fixed-write-ns=5000 "
      "link-in-ns=6400000 link-out-ns=6400000 write-buffer=64K "
      "zone-buffer=40K program-registers=1 reset-drains=on "
      "reset-lock-ns=1200000 reset-base-ns=100000", 6000 },
};

static void test_soup(gconstpointer data)
{
    const Soup *soup = data;
    Rng rng = { drive_seed() };
    SsdParams params = drive_params(soup->drive);
    Pair *pair = pair_new(&params);

    for (unsigned i = 0; i < soup->commands / 100; i++) {
        soup_run(pair, &rng, 200);
        if (rng_chance(&rng, 6)) {
            soup_fail_a_zone(pair, &rng);
        }
        if (rng_chance(&rng, 6)) {
            pair_format(pair, 1 + rng_below(&rng, params.namespaces),
                        params.lba_bytes);
        }
    }
    g_assert_cmpuint(pair->accepted_count, >, soup->commands / 8);
    soup_say(pair);
    end(pair, &rng);
}

/* Each cost alone: the front end, or what comes in its place, is there. */
static void test_one_by_one(void)
{
    static const char *const costs[] = {
        "fe-read-ns=50021", "fe-lba512-read-ns=50021", "fe-write-ns=50021",
        "fe-append-ns=50021", "fe-open-ns=50021", "fe-close-ns=50021",
        "fe-finish-ns=50021", "fe-reset-ns=50021",
        "fe-small=8K fe-small-write-ns=50021",
        "fe-small=8K fe-small-append-ns=50021", "fe-first-write-ns=50021",
        "fe-closed-write-ns=50021", "fe-part-ns=50021",
        "fe-small=8K fe-lba512-ns=50021", "read-slots=1",
        "fixed-read-ns=50021", "fixed-write-ns=50021", "fixed-append-ns=50021",
        "fe-small=8K fixed-small-ns=50021", "link-in-ns=49501600",
        "link-out-ns=49501600", "reset-lock-ns=900011", "reset-base-ns=900011",
        "reset-after-ns=900011", "reset-part-ns=900011", "reset-drains=on",
    };
    Rng rng = { drive_seed() };

    for (unsigned i = 0; i < G_N_ELEMENTS(costs); i++) {
        g_autofree char *words = g_strconcat(ZONES "lba-size=512 ", costs[i],
                                             NULL);
        SsdParams params = drive_params(words);
        Pair *pair = pair_new(&params);

        soup_run(pair, &rng, 300);
        end(pair, &rng);
    }
}

/* --- one instant --------------------------------------------------------- */

static void submit(Pair *pair, SsdOp op, uint32_t zone_idx, uint32_t nlb)
{
    const RulesZone *zone = &model_rules(pair->model, 1)->zone[zone_idx];

    g_assert_cmpint(pair_submit(pair, &(SsdCmd) {
        .op = op, .nsid = 1, .nlb = nlb,
        .slba = zone_idx * 16 + (op == SSD_OP_WRITE ? zone->written_nlb : 0),
    }), ==, SSD_SUCCESS);
}

/*
 * A reset drains, and of what it waits for only pages of zone 1 are left, which
 * wait for a unit. A reset of zone 1 discards them: that ends the drain and
 * lets a page of zone 3 into the buffer. The page is before the next one of the
 * finish of zone 4 on their unit, as that begins to wait when the drain is over.
 * The reset of zone 1, which drains, too, tells when the page is programmed:
 * behind three pages of the finish and the erase of zone 2.
 */
static void test_drop_ends_drain(void)
{
    SsdParams params = drive_params(
        "zones=6 zone-capacity=48K channels=2 read-ns=60013 "
        "program-ns=700027 erase-ns=3500017 page-transfer-ns=25031 "
        "write-buffer=64K zone-buffer=40K program-registers=2 "
        "buffer-waiters=4 reset-drains=on reset-drain-first=on");
    Pair *pair = pair_new(&params);

    submit(pair, SSD_OP_WRITE, 4, 2);
    submit(pair, SSD_OP_WRITE, 2, 1);
    pair_advance(pair, 10000000);       /* these are on the flash */
    submit(pair, SSD_OP_ZONE_FINISH, 4, 0);
    submit(pair, SSD_OP_WRITE, 1, 8);
    submit(pair, SSD_OP_WRITE, 1, 4);   /* more than a zone may have there */
    submit(pair, SSD_OP_WRITE, 3, 1);   /* its turn is after that one's */
    submit(pair, SSD_OP_ZONE_RESET, 2, 0);
    pair_advance(pair, 11000000);
    submit(pair, SSD_OP_ZONE_RESET, 1, 0);
    pair_drain(pair);
    g_assert_cmpuint(g_array_index(pair->events, PairEvent,
                                   pair->next_tag - 1).due_at_ns, ==,
                     10000000 + 25031 + 4 * 700027 + 3500017);
    pair_free(pair);
}

/*
 * A page's room is enough for both writes that wait for some: they cross the
 * link one behind the other, though the front end, which had stopped for them,
 * could go on when the first had been let in. Only then comes what it holds, a
 * write into a ZRWA, which needs no room.
 */
static void test_let_in_before_front(void)
{
    const uint64_t block_ns = 1001; /* on the link */
    const uint64_t room_ns = 8 * block_ns + 25031 + 700027;
    SsdParams params = drive_params(
        "zones=4 zone-capacity=64K page-size=16K channels=2 read-ns=60013 "
        "program-ns=700027 erase-ns=3500017 page-transfer-ns=25031 "
        "program-registers=1 link-in-ns=256256 write-buffer=96K "
        "buffer-waiters=2 buffer-resume=1 "
        "zrwa-size=16K zrwa-flush-granularity=16K max-zrwa=1");
    Pair *pair = pair_new(&params);
    uint32_t second_tag;

    submit(pair, SSD_OP_ZONE_OPEN_ZRWA, 3, 0);
    submit(pair, SSD_OP_WRITE, 0, 16);
    submit(pair, SSD_OP_WRITE, 1, 8);   /* with this one it is full */
    submit(pair, SSD_OP_WRITE, 2, 1);
    second_tag = pair->next_tag;
    submit(pair, SSD_OP_WRITE, 2, 1);
    submit(pair, SSD_OP_WRITE, 3, 1);
    pair_drain(pair);
    g_assert_cmpuint(g_array_index(pair->events, PairEvent,
                                   second_tag).due_at_ns, ==,
                     room_ns + 2 * block_ns);
    pair_free(pair);
}

/*
 * The buffer is full, and a write waits for room. A zone that is finished by
 * the controller takes the part of a page along that it had there: the write
 * is let in at that instant, and not when something else happens.
 */
static void test_excursion_frees_room(void)
{
    const uint64_t excursion_ns = 1000003;
    SsdParams params = drive_params(
        "zones=4 zone-capacity=64K page-size=16K channels=2 read-ns=60013 "
        "program-ns=700027 erase-ns=3500017 page-transfer-ns=25031 "
        "program-registers=4 write-buffer=96K excursion-ns=1000003");
    Pair *pair = pair_new(&params);
    uint32_t tag;

    submit(pair, SSD_OP_WRITE, 0, 1);
    pair_advance(pair, 900000);         /* no program ends before that */
    submit(pair, SSD_OP_WRITE, 1, 16);
    submit(pair, SSD_OP_WRITE, 2, 7);   /* with this one it is full */
    tag = pair->next_tag;
    submit(pair, SSD_OP_WRITE, 3, 1);
    pair_drain(pair);
    g_assert_cmpuint(g_array_index(pair->events, PairEvent, tag).due_at_ns,
                     ==, excursion_ns);
    pair_free(pair);
}

/*
 * The two seats are those of zone 0, which fails with its data on the link, and
 * of zone 1; zone 2 waits for one. The finishes of both wait for their data. A
 * reset of all zones discards these, one zone after the other: that of zone 1
 * lets its finish begin, and only then is its seat that of zone 2.
 */
static void test_finish_before_seat(void)
{
    const uint64_t fill_ns = 15 * 10000, program_ns = 700027;
    SsdParams params = drive_params(
        "zones=3 zone-capacity=64K page-size=64K program-registers=2 "
        "program-ns=700027 erase-ns=3500017 page-transfer-ns=160000 "
        "link-in-ns=100000000 write-buffer=160K take-turns=on max-open=2 "
        "max-active=2");
    Pair *pair = pair_new(&params);
    uint32_t tag;

    submit(pair, SSD_OP_WRITE, 0, 1);
    pair_zone_fail(pair, 1, 0, SSD_ZONE_READ_ONLY);
    submit(pair, SSD_OP_WRITE, 1, 1);
    submit(pair, SSD_OP_WRITE, 2, 1);
    tag = pair->next_tag;
    submit(pair, SSD_OP_ZONE_FINISH, 1, 0);
    submit(pair, SSD_OP_ZONE_FINISH, 2, 0);
    pair_submit(pair, &(SsdCmd) {
        .op = SSD_OP_ZONE_RESET, .nsid = 1, .select_all = true,
    });
    pair_drain(pair);
    g_assert_cmpuint(g_array_index(pair->events, PairEvent, tag).due_at_ns,
                     ==, fill_ns + program_ns);
    g_assert_cmpuint(g_array_index(pair->events, PairEvent, tag + 1).due_at_ns,
                     ==, fill_ns + 2 * program_ns);
    pair_free(pair);
}

/*
 * Two read slots: one is that of a compare, whose data wait for the link. The
 * other is that of a write for which the buffer is too full, and when that has
 * been let in, of the write behind a reset: it begins to wait as that ends, and
 * before a read may come in because the reset is done. So the read comes in
 * when the next command is done, the first of the writes.
 */
static void test_write_before_reset_is_done(void)
{
    const uint64_t from_ns = 2000000, block_ns = 1000000;
    SsdParams params = drive_params(
        "zones=4 zone-capacity=64K page-size=16K channels=1 program-ns=700027 "
        "page-transfer-ns=25031 link-in-ns=256000000 program-registers=1 "
        "write-buffer=80K max-open=3 max-active=3 read-slots=2 "
        "reset-base-ns=9000000");
    Pair *pair = pair_new(&params);
    uint32_t tag;

    submit(pair, SSD_OP_WRITE, 1, 1);
    pair_advance(pair, from_ns);
    submit(pair, SSD_OP_ZONE_RESET, 1, 0);
    submit(pair, SSD_OP_WRITE, 1, 4);
    submit(pair, SSD_OP_WRITE, 0, 16);
    submit(pair, SSD_OP_WRITE, 2, 5);
    submit(pair, SSD_OP_COMPARE, 3, 1);
    tag = pair->next_tag;
    submit(pair, SSD_OP_READ, 3, 1);
    pair_drain(pair);
    g_assert_cmpuint(g_array_index(pair->events, PairEvent, tag).due_at_ns,
                     ==, from_ns + 16 * block_ns);
    pair_free(pair);
}

/*
 * Two read slots: one is that of a compare, whose data wait for the link, the
 * other that of a write for which the buffer is too full. When that has been let
 * in, a read may come in as soon as a command is done, which is the finish of
 * zone 0. But first the reset behind it begins, and so the write behind that,
 * which finds no room and takes the slot. So the read comes in when the next
 * command is done, the first of the writes.
 */
static void test_job_before_done(void)
{
    const uint64_t from_ns = 20000000, block_ns = 1000000;
    SsdParams params = drive_params(
        "zones=4 zone-capacity=64K page-size=16K channels=1 read-ns=60013 "
        "program-ns=700027 erase-ns=3500017 page-transfer-ns=25031 "
        "link-in-ns=256000000 program-registers=1 write-buffer=80K "
        "buffer-portion=16K max-open=3 max-active=3 read-slots=2");
    Pair *pair = pair_new(&params);
    uint32_t tag;

    submit(pair, SSD_OP_WRITE, 3, 4);
    pair_advance(pair, from_ns);
    submit(pair, SSD_OP_WRITE, 1, 16);
    submit(pair, SSD_OP_WRITE, 2, 5);
    submit(pair, SSD_OP_COMPARE, 3, 1);
    tag = pair->next_tag;
    submit(pair, SSD_OP_READ, 3, 1);
    pair_advance(pair, from_ns + 3000000);
    submit(pair, SSD_OP_ZONE_FINISH, 0, 0);
    submit(pair, SSD_OP_ZONE_RESET, 0, 0);
    submit(pair, SSD_OP_WRITE, 0, 4);
    pair_drain(pair);
    g_assert_cmpuint(g_array_index(pair->events, PairEvent, tag).due_at_ns,
                     ==, from_ns + 16 * block_ns + 60013 + 25031);
    pair_free(pair);
}

/* --- any drive ----------------------------------------------------------- */

static void run_drive(Rng *rng, SsdParams *params)
{
    Pair *pair = soup_pair(params);

    soup_with_failures(pair, rng, 10, 60);
    end(pair, rng);
}

/* A drive is drawn, then `widen`, if there is one, changes it. */
static void run_drives(unsigned count, void (*widen)(Rng *, SsdParams *))
{
    Rng rng = { drive_seed() };

    accepted_count = 0;
    for (unsigned i = 0; i < count; i++) {
        SsdParams params = soup_whole_params(&rng);

        if (widen) {
            widen(&rng, &params);
        }
        run_drive(&rng, &params);
    }
    g_test_message("%u drives, %" G_GUINT64_FORMAT " accepted", count,
                   accepted_count);
}

static void test_any_drive(void)
{
    run_drives(120, NULL);
}

/* Nothing is under way when the power goes; what is kept shows in times. */
static void test_cut_drive(void)
{
    Rng rng = { drive_seed() };
    unsigned count = drive_count("FEMU_DRIVES", 60);

    for (unsigned i = 0; i < count; i++) {
        SsdParams params = soup_whole_params(&rng);
        Pair *pair;

        if (rng_chance(&rng, 50)) {
            soup_add_conventional(&rng, &params);
        } else {
            soup_widen(&rng, &params);
        }
        params.write_cache = SSD_WRITE_CACHE_PROTECTED;
        params.power_up_ns = PICK(&rng, 0, 1000, 1000000007);
        pair = soup_pair(&params);
        for (unsigned cuts = 0; cuts < 8; cuts++) {
            soup_with_failures(pair, &rng, 1, 60);
            pair_cut(pair);
        }
        soup_run(pair, &rng, 60);
        end(pair, &rng);
    }
}

static void test_wider_drive(void)
{
    run_drives(60, soup_widen);
}

static void test_conventional_drive(void)
{
    run_drives(40, soup_add_conventional);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    soup_add_tests("/whole", soups, G_N_ELEMENTS(soups), test_soup);
    g_test_add_func("/whole/one-by-one", test_one_by_one);
    g_test_add_func("/whole/drop-ends-drain", test_drop_ends_drain);
    g_test_add_func("/whole/let-in-before-front", test_let_in_before_front);
    g_test_add_func("/whole/excursion-frees-room", test_excursion_frees_room);
    g_test_add_func("/whole/finish-before-seat", test_finish_before_seat);
    g_test_add_func("/whole/write-before-reset-is-done",
                    test_write_before_reset_is_done);
    g_test_add_func("/whole/job-before-done", test_job_before_done);
    g_test_add_func("/whole/any-drive", test_any_drive);
    g_test_add_func("/whole/cut-drive", test_cut_drive);
    g_test_add_func("/whole/wider-drive", test_wider_drive);
    g_test_add_func("/whole/conventional-drive", test_conventional_drive);
    return g_test_run();
}
