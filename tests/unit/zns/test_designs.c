/*
 * Exact times of the ways to finish, reset, map and erase: each row of the
 * design space (SYSTOR 2024, "ConfZNS++", section 4) on its own.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "support/drive.h"

#include <string.h>

/*
 * The base drive of drive.h, in numbers: a zone has 16 pages, 8 on each of
 * two units, in 2 blocks of 4 pages on each; every even page is on unit 0.
 */
#define READ UINT64_C(60000)
#define PROG UINT64_C(700000)
#define XFER UINT64_C(25000)
#define ERASE UINT64_C(3500000)
#define WRITE (XFER + PROG)
#define LATER UINT64_C(100000000)
#define IDLE UINT64_C(100000)

/* Block of a zone, one page per block. */
static uint64_t at(const Drive *d, uint32_t zone_idx, uint32_t page)
{
    return drive_zone_lba(d, zone_idx) + page;
}

/* Reset a zone; return when it completed. */
static void expect_reset(Drive *d, uint64_t at_ns, uint32_t zone_idx,
                         uint64_t due_at_ns)
{
    drive_expect(d, drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, zone_idx),
                 due_at_ns);
}

static void expect_write(Drive *d, uint64_t at_ns, uint32_t zone_idx,
                         uint32_t page, uint64_t due_at_ns)
{
    drive_expect(d, drive_write(d, at_ns, at(d, zone_idx, page), 1),
                 due_at_ns);
}

/* Reset */

/* SYSTOR 2024 figure 9b: 22 blocks on each of four units. */
static void test_confznspp_erase(void)
{
    static const struct {
        const char *words;
        uint32_t pages;
        uint64_t reset_ns;
    } rows[] = {
        {"full-erase=off", 67584, UINT64_C(77000000)},
        {"full-erase=off", 33792, UINT64_C(38500000)},
        {"full-erase=off", 1, UINT64_C(3500000)},
        {"full-erase=on", 33792, UINT64_C(77000000)},
        {"full-erase=on", 1, UINT64_C(77000000)},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *words = g_strdup_printf(
            "zones=48 zone-size=2G zone-capacity=1056M channels=4 "
            "page-size=16K pages-per-block=768 mdts=8M %s", rows[i].words);
        Drive *d = drive_new(words);
        uint64_t now_ns;

        drive_fill(d, 0, rows[i].pages);
        now_ns = d->now_ns + LATER;
        expect_reset(d, now_ns, 0, now_ns + rows[i].reset_ns);
        drive_expect_idle(d);
        drive_free(d);
    }
}

static void test_full_erase(void)
{
    Drive *d = drive_new("full-erase=on");

    drive_fill(d, 0, 1);
    expect_reset(d, LATER, 0, LATER + 2 * ERASE);
    drive_free(d);
}

/* The reset is over at once; who needs its units, or its blocks, waits. */
static void test_background(void)
{
    Drive *d = drive_new("erase-at=background");

    drive_fill(d, 0, 16);
    drive_fill(d, 1, 2);
    expect_reset(d, LATER, 0, LATER);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 1);
    drive_expect(d, drive_read(d, LATER + 1, at(d, 1, 1), 1),
                 LATER + 2 * ERASE + READ + XFER);
    expect_write(d, d->now_ns, 0, 0, d->now_ns + WRITE);
    drive_free(d);

    d = drive_new("erase-at=background");
    drive_fill(d, 0, 16);
    expect_reset(d, LATER, 0, LATER);
    expect_write(d, LATER, 0, 0, LATER + 2 * ERASE + PROG);
    drive_free(d);
}

/* Zones after one another: mgmt-parallel-zones at a time. */
static void test_background_select_all(void)
{
    Drive *d = drive_new("erase-at=background mgmt-parallel-zones=2 "
                         "erase-preemptive=on");

    for (uint32_t i = 0; i < 4; i++) {
        drive_fill(d, i, 16);
    }
    drive_expect(d, drive_all_zones(d, LATER, SSD_OP_ZONE_RESET), LATER);
    /*
     * Units erase block 0 of zones 0 and 1, then block 1 of both; the write to
     * zone 3 has its first block erased behind what has been issued so far.
     */
    expect_write(d, LATER + 1, 3, 0, LATER + 3 * ERASE + PROG);
    drive_free(d);
}

/* Host I/O that waits goes between the blocks of a reset. */
static void test_preemptive(void)
{
    Drive *d = drive_new("erase-preemptive=on");
    uint32_t reset, write;

    drive_fill(d, 0, 16);
    reset = drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0);
    write = drive_write(d, LATER + 1, at(d, 1, 0), 1);
    drive_expect(d, write, LATER + ERASE + PROG);
    drive_expect(d, reset, LATER + ERASE + PROG + ERASE);
    drive_free(d);

    d = drive_new("erase-preemptive=off");
    drive_fill(d, 0, 16);
    reset = drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0);
    write = drive_write(d, LATER + 1, at(d, 1, 0), 1);
    drive_expect(d, reset, LATER + 2 * ERASE);
    drive_expect(d, write, LATER + 2 * ERASE + PROG);
    drive_free(d);
}

/* A step waits until host I/O has been gone for idle-ns. */
static void test_erase_stall(void)
{
    Drive *d = drive_new("erase-preemptive=on erase-stall-ns=10000000");
    uint32_t reset, write;

    drive_fill(d, 0, 16);
    write = drive_write(d, LATER, at(d, 1, 0), 1);
    reset = drive_zone_op(d, LATER + 1, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, write, LATER + WRITE);
    drive_expect(d, reset, LATER + WRITE + IDLE + 2 * ERASE);
    drive_free(d);
}

/* But not for longer than the bound, which holds for each step. */
static void test_erase_stall_bound(void)
{
    Drive *d = drive_new("zone-channels=1 erase-preemptive=on "
                         "erase-stall-ns=1000");
    uint32_t reset, write;

    drive_fill(d, 0, 8);
    write = drive_write(d, LATER, at(d, 1, 0), 16);
    reset = drive_zone_op(d, LATER + 1, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, reset, LATER + 1 + 2 * (1000 + ERASE));
    drive_expect(d, write, LATER + XFER + 16 * PROG);
    drive_free(d);
}

/* Blocks are erased one by one while no host I/O is inside. */
static void test_idle(void)
{
    Drive *d = drive_new("erase-at=idle");
    uint64_t now_ns = LATER + READ + XFER;

    drive_fill(d, 0, 16);
    drive_fill(d, 1, 2);
    drive_read(d, LATER, at(d, 1, 0), 1);
    drive_expect_next(d, drive_zone_op(d, LATER + 1, SSD_OP_ZONE_RESET, 0),
                      LATER + 1);
    drive_drain(d);
    g_assert_cmpuint(d->now_ns, ==, now_ns);
    /* Not idle for long enough yet. */
    drive_expect(d, drive_read(d, now_ns + IDLE - 1, at(d, 1, 0), 1),
                 now_ns + IDLE - 1 + READ + XFER);
    now_ns = d->now_ns + IDLE;
    /* Now the first block is being erased, and the next only when idle. */
    drive_expect(d, drive_read(d, now_ns + 1, at(d, 1, 0), 1),
                 now_ns + ERASE + READ + XFER);
    now_ns = d->now_ns;
    drive_expect(d, drive_read(d, now_ns + 1, at(d, 1, 0), 1),
                 now_ns + 1 + READ + XFER);
    now_ns = d->now_ns + IDLE;
    drive_expect(d, drive_read(d, now_ns + 1, at(d, 1, 0), 1),
                 now_ns + ERASE + READ + XFER);
    /* All is erased. */
    now_ns = d->now_ns + LATER;
    expect_write(d, now_ns, 0, 0, now_ns + WRITE);
    drive_free(d);
}

/* Blocks that the drive had no idle time for are erased when they must be. */
static void test_idle_too_late(void)
{
    Drive *d = drive_new("erase-at=idle");
    uint32_t first, second;
    uint64_t now_ns;

    drive_fill(d, 0, 16);
    drive_fill(d, 2, 2);
    first = drive_write(d, LATER, at(d, 1, 0), 1);
    drive_expect(d, drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0), LATER);
    second = drive_write(d, LATER, at(d, 0, 0), 1);
    /* Unit 0: in the order of issue. */
    drive_expect(d, first, LATER + WRITE);
    drive_expect(d, second, LATER + WRITE + ERASE + PROG);
    /* Idle: block 0 of unit 1, then block 1 of both. */
    drive_expect_idle(d);
    now_ns = d->now_ns + IDLE;
    first = drive_read(d, now_ns + 1, at(d, 2, 0), 1);
    drive_expect(d, first, now_ns + ERASE + READ + XFER);
    now_ns = d->now_ns + IDLE;
    first = drive_read(d, now_ns + 1, at(d, 2, 1), 1);
    drive_expect(d, first, now_ns + ERASE + READ + XFER);
    now_ns = d->now_ns + LATER;
    first = drive_read(d, now_ns, at(d, 2, 1), 1);
    drive_expect(d, first, now_ns + READ + XFER);
    drive_free(d);
}

/* Erase at the first write */

static void test_zone_write(void)
{
    Drive *d = drive_new("erase-at=zone-write");

    drive_fill(d, 0, 16);
    drive_fill(d, 1, 2);
    expect_reset(d, LATER, 0, LATER);
    drive_expect(d, drive_read(d, 2 * LATER, at(d, 1, 0), 1),
                 2 * LATER + READ + XFER);
    /* The first write has all blocks erased, on the other unit too. */
    drive_write(d, 3 * LATER, at(d, 0, 0), 1);
    drive_expect_next(d, drive_read(d, 3 * LATER + 1, at(d, 1, 1), 1),
                      3 * LATER + 2 * ERASE + READ + XFER);
    g_assert_cmpuint(drive_drain(d), ==, 3 * LATER + 2 * ERASE + PROG);
    expect_write(d, 4 * LATER, 0, 1, 4 * LATER + WRITE);
    drive_free(d);
}

static void test_block_write(void)
{
    Drive *d = drive_new("erase-at=block-write");
    uint64_t now_ns = 2 * LATER;

    drive_fill(d, 0, 10);
    expect_reset(d, LATER, 0, LATER);
    for (uint32_t page = 0; page < 16; page++) {
        /* Pages 0, 1 and 8 begin blocks with data; 9 is on block 1, too. */
        bool begins_block = page < 2 || page == 8 || page == 9;

        expect_write(d, now_ns, 0, page,
                     now_ns + (begins_block ? ERASE + PROG : WRITE));
        now_ns += LATER;
    }
    drive_free(d);
}

/* A finish needs erased blocks, too. */
static void test_finish_erases(void)
{
    Drive *d = drive_new("erase-at=block-write finish-chunk=64K");
    uint32_t tag;

    drive_fill(d, 0, 16);
    expect_reset(d, LATER, 0, LATER);
    tag = drive_zone_op(d, 2 * LATER, SSD_OP_ZONE_FINISH, 0);
    drive_expect(d, tag, 2 * LATER + 2 * ERASE + 8 * PROG);
    drive_free(d);
}

/* Mapping */

/* A zone that is written again and again takes what is free, then erases. */
static void test_lazy_repeat_zone(void)
{
    Drive *d = drive_new("mapping=lazy erase-at=zone-write "
                         "spare-superblocks=1");

    for (unsigned life = 0; life < 12; life++) {
        uint64_t now_ns = d->now_ns + LATER;
        bool is_free = life < 5;

        expect_write(d, now_ns, 0, 0,
                     now_ns + (is_free ? WRITE : 2 * ERASE + PROG));
        for (uint32_t page = 1; page < 16; page++) {
            now_ns = d->now_ns;
            expect_write(d, now_ns, 0, page, now_ns + WRITE);
        }
        expect_reset(d, d->now_ns, 0, d->now_ns);
    }
    drive_free(d);
}

/* The first write of a recycled ConfZNS++ zone waits for a full erase. */
static void test_lazy_confznspp(void)
{
    Drive *d = drive_new(
        "zones=1 zone-size=2G zone-capacity=1056M channels=4 page-size=16K "
        "pages-per-block=768 mdts=8M mapping=lazy erase-at=zone-write");
    uint64_t now_ns;

    drive_fill(d, 0, 67584);
    expect_reset(d, d->now_ns, 0, d->now_ns);
    now_ns = d->now_ns;
    drive_expect(d, drive_write(d, now_ns, 0, 4),
                 now_ns + UINT64_C(77000000) + PROG);
    now_ns = d->now_ns;
    drive_expect(d, drive_write(d, now_ns, 4, 4), now_ns + WRITE);
    drive_free(d);
}

/* Two superblocks, one eraser: a zone takes the one that is being erased. */
static void test_lazy_background(void)
{
    Drive *d = drive_new("mapping=lazy erase-at=background");

    for (uint32_t i = 0; i < 4; i++) {
        drive_fill(d, i, 16);
    }
    drive_expect_next(d, drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0), LATER);
    drive_expect_next(d, drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 1), LATER);
    expect_write(d, LATER, 1, 0, LATER + 2 * ERASE + PROG);
    /* The other one's erases have begun behind that; zone 0 waits for them. */
    expect_write(d, LATER + 2 * ERASE + PROG, 0, 0,
                 LATER + 2 * ERASE + PROG + 2 * ERASE + PROG);
    drive_free(d);
}

/* A zone has its new blocks at the reset: the old ones' erase is not its. */
static void test_remap(void)
{
    static const struct {
        const char *words;
        uint64_t first_write_ns;
    } rows[] = {
        {"mapping=direct erase-at=zone-write", 2 * ERASE + PROG},
        {"mapping=remap erase-at=zone-write", 2 * ERASE + PROG},
        {"mapping=remap erase-at=zone-write spare-superblocks=1", WRITE},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        Drive *d = drive_new(rows[i].words);

        drive_fill(d, 0, 16);
        expect_reset(d, LATER, 0, LATER);
        expect_write(d, 2 * LATER, 0, 0, 2 * LATER + rows[i].first_write_ns);
        drive_free(d);
    }
}

/* Wear */

/* One zone, written over and over: who is taken next decides on the wear. */
static void test_wear(void)
{
    static const struct {
        const char *words;
        uint32_t erases[4];     /* of superblocks 0 to 3, each block */
    } rows[] = {
        {"mapping=direct erase-at=reset", {8, 0, 0, 0}},
        {"mapping=lazy erase-at=reset", {2, 2, 2, 2}},
        {"mapping=lazy erase-at=reset superblock-order=lifo", {0, 0, 0, 8}},
        {"mapping=lazy erase-at=reset superblock-order=least-worn",
         {2, 2, 2, 2}},
        {"mapping=remap erase-at=reset", {8, 0, 0, 0}},
        /* The life that is not erased at its end is, at the next but three. */
        {"mapping=lazy erase-at=block-write", {1, 1, 1, 1}},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        Drive *d = drive_new(rows[i].words);

        for (unsigned life = 0; life < 8; life++) {
            for (uint32_t page = 0; page < 16; page++) {
                drive_write(d, d->now_ns, at(d, 0, page), 1);
            }
            drive_drain(d);
            drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, 0);
            drive_drain(d);
        }
        g_assert_cmpuint(ssd_block_count(d->ssd), ==, 4 * 2 * 2);
        for (uint64_t b = 0; b < 16; b++) {
            SsdBlock block = ssd_block(d->ssd, b);

            g_assert_cmpuint(block.superblock_idx, ==, b / 4);
            g_assert_cmpuint(block.unit_idx, ==, b / 2 % 2);
            g_assert_cmpuint(block.block_in_unit_idx, ==, b / 4 * 2 + b % 2);
            g_assert_cmpuint(block.erase_count, ==, rows[i].erases[b / 4]);
        }
        drive_free(d);
    }
}

static void test_wear_statistics(void)
{
    Drive *d = drive_new("zones=2");
    g_autofree char *json = NULL;

    drive_fill(d, 0, 9);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, 0);
    drive_drain(d);
    ssd_stats_reset(d->ssd, d->now_ns);
    drive_fill(d, 0, 1);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, 0);
    drive_drain(d);
    json = ssd_stats_json(d->ssd, d->now_ns, NULL);
    /* Three blocks in the first life, one of these in the second. */
    g_assert_nonnull(strstr(json, "\"wear\":{\"blocks\":8,\"erases\":4,"
                                  "\"min\":0,\"p50\":0,\"p99\":1,"
                                  "\"max\":2}"));
    drive_free(d);
}

/*
 * Percentage Used: 4 erases of all blocks, those of a conventional namespace
 * too, over their cycles; rounded down, and not known without pe-cycles.
 */
static void test_wear_used(void)
{
    static const struct {
        const char *settings;
        uint32_t lines;
        uint32_t cycles;
    } rows[] = {
        { "zones=2", 0, 0 },
        { "zones=2 pe-cycles=1", 0, 1 },
        { "zones=2 pe-cycles=3", 0, 3 },
        { "zones=2 pe-cycles=50", 0, 50 },
        { "zones=2 pe-cycles=51", 0, 51 },
        { "zones=2 pe-cycles=1 conventional-size=4K", 2, 1 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        Drive *d = drive_new(rows[i].settings);
        uint64_t blocks = ssd_block_count(d->ssd) +
                          rows[i].lines * d->params.channels * d->params.dies *
                          d->params.ways * d->params.planes;
        uint64_t cycles = blocks * rows[i].cycles;

        g_assert_cmpuint(ssd_params_conventional_lines(&d->params), >=,
                         rows[i].lines);
        g_assert_cmpuint(ssd_used_percent(d->ssd, d->now_ns), ==, 0);
        drive_fill(d, 0, 9);
        drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, 0);
        drive_drain(d);
        drive_fill(d, 0, 1);
        drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, 0);
        drive_drain(d);
        g_assert_cmpuint(ssd_used_percent(d->ssd, d->now_ns), ==,
                         cycles ? 100 * 4 / cycles : 0);
        drive_free(d);
    }
}

/* Finish */

/* SYSTOR 2024 section 4.1: the static ways, granularity and pause. */
static void test_finish_pause(void)
{
    Drive *d = drive_new("finish-pause-ns=1234567");
    uint32_t tag;

    drive_fill(d, 0, 1);
    tag = drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 0);
    drive_expect(d, tag, LATER + 15 * WRITE + 14 * UINT64_C(1234567));
    drive_expect_idle(d);
    drive_free(d);
}

/* The dynamic ones: longer pauses while host I/O is inside. */
static void test_finish_busy_pause(void)
{
    Drive *d = drive_new("finish-busy-pause-ns=5000000 channels=4 "
                         "zone-channels=1");
    uint32_t finish, write;

    /* Zones lie on channels of their own, so nothing else interferes. */
    drive_fill(d, 0, 13);
    finish = drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 0);
    write = drive_write(d, LATER + 1, at(d, 1, 0), 1);
    /* At the end of the first chunk the write is inside, later it is not. */
    drive_expect(d, write, LATER + 1 + WRITE);
    drive_expect(d, finish, LATER + WRITE + 5000000 + 2 * WRITE);
    drive_free(d);
}

static void test_finish_stall(void)
{
    Drive *d = drive_new("finish-stall-ns=50000000 channels=4 "
                         "zone-channels=1");
    uint32_t finish, write;

    drive_fill(d, 0, 14);
    write = drive_write(d, LATER, at(d, 1, 0), 1);
    finish = drive_zone_op(d, LATER + 1, SSD_OP_ZONE_FINISH, 0);
    drive_expect(d, write, LATER + WRITE);
    drive_expect(d, finish, LATER + WRITE + IDLE + 2 * WRITE);
    drive_free(d);
}

static void test_finish_stall_bound(void)
{
    Drive *d = drive_new("finish-stall-ns=150000 channels=4 zone-channels=1");
    uint32_t finish;

    drive_fill(d, 0, 14);
    drive_write(d, LATER, at(d, 1, 0), 8);
    finish = drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 0);
    /* Eight pages keep the host inside for 5.6 ms: each chunk waits. */
    drive_expect(d, finish, LATER + 2 * (UINT64_C(150000) + WRITE));
    drive_drain(d);
    drive_free(d);
}

/* A reset that waits comes before what is written after it. */
static void test_write_behind_waiting_reset(void)
{
    Drive *d = drive_new("");
    uint64_t finished_ns = 16 * WRITE;

    drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 0);
    drive_zone_op(d, 1, SSD_OP_ZONE_RESET, 0);
    drive_write(d, 2, at(d, 0, 0), 1);
    drive_drain(d);
    g_assert_cmpuint(d->now_ns, ==, finished_ns + 2 * ERASE + PROG);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/designs/reset/confznspp", test_confznspp_erase);
    g_test_add_func("/designs/reset/full", test_full_erase);
    g_test_add_func("/designs/reset/background", test_background);
    g_test_add_func("/designs/reset/background-select-all",
                    test_background_select_all);
    g_test_add_func("/designs/reset/preemptive", test_preemptive);
    g_test_add_func("/designs/reset/stall", test_erase_stall);
    g_test_add_func("/designs/reset/stall-bound", test_erase_stall_bound);
    g_test_add_func("/designs/reset/idle", test_idle);
    g_test_add_func("/designs/reset/idle-too-late", test_idle_too_late);
    g_test_add_func("/designs/erase/zone-write", test_zone_write);
    g_test_add_func("/designs/erase/block-write", test_block_write);
    g_test_add_func("/designs/erase/finish", test_finish_erases);
    g_test_add_func("/designs/mapping/lazy-repeat-zone",
                    test_lazy_repeat_zone);
    g_test_add_func("/designs/mapping/lazy-confznspp", test_lazy_confznspp);
    g_test_add_func("/designs/mapping/lazy-background", test_lazy_background);
    g_test_add_func("/designs/mapping/remap", test_remap);
    g_test_add_func("/designs/wear/orders", test_wear);
    g_test_add_func("/designs/wear/statistics", test_wear_statistics);
    g_test_add_func("/designs/wear/used", test_wear_used);
    g_test_add_func("/designs/finish/pause", test_finish_pause);
    g_test_add_func("/designs/finish/busy-pause", test_finish_busy_pause);
    g_test_add_func("/designs/finish/stall", test_finish_stall);
    g_test_add_func("/designs/finish/stall-bound", test_finish_stall_bound);
    g_test_add_func("/designs/write-behind-waiting-reset",
                    test_write_behind_waiting_reset);
    return g_test_run();
}
