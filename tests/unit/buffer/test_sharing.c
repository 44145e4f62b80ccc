/*
 * Exact times of zones that share the write buffer and units: portions, turns
 * for room, pages that wait at their own units.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "support/drive.h"

/* The base drive of drive.h, in numbers. */
#define PROG UINT64_C(700000)
#define XFER UINT64_C(25000)
#define ERASE UINT64_C(3500000)

/* One unit that holds one program: a page takes XFER + PROG = 725 us. */
#define PAGE (XFER + PROG)
#define ONE "channels=1 program-registers=1 "

/*
 * 36K are 9 pages, the link takes 1 ns a byte. Of a write of 12, a portion of
 * 32K comes in, and what is left when three pages are programmed; portions of
 * 4K come in, and are programmed, one by one.
 */
static void test_portion(void)
{
    Drive *d = drive_new(ONE "zones=1 write-buffer=36K link-in-ns=1048576");
    uint32_t tag = drive_write(d, 0, 0, 12);

    drive_expect(d, tag, 32768 + 3 * PAGE + 16384);
    drive_free(d);

    d = drive_new(ONE "zones=1 write-buffer=36K link-in-ns=1048576 "
                  "buffer-portion=4K");
    tag = drive_write(d, 0, 0, 12);
    drive_expect(d, tag, 4096 + 3 * PAGE + 4096);
    drive_free(d);
}

/*
 * Of 16 pages 9 find room. Without turns a page of another zone comes behind
 * the other seven; in turn it is the next to find any, behind the tenth whose
 * turn it is already, or, with take-turns, whose zone has no room in its share.
 */
static void expect_turns(const char *words, uint64_t large, uint64_t small)
{
    g_autofree char *all = g_strconcat(ONE "zones=2 write-buffer=36K "
                                       "buffer-portion=4K buffer-waiters=2 ",
                                       words, NULL);
    Drive *d = drive_new(all);
    uint32_t a = drive_write(d, 0, 0, 16);
    uint32_t b = drive_write(d, 1, 16, 1);

    if (small < large) {
        drive_expect_next(d, b, small * PAGE);
        drive_expect(d, a, large * PAGE);
    } else {
        drive_expect_next(d, a, large * PAGE);
        drive_expect(d, b, small * PAGE);
    }
    drive_free(d);
}

static void test_turns(void)
{
    expect_turns("", 7, 8);
    expect_turns("buffer-turns=on", 8, 2);
    expect_turns("take-turns=on", 8, 1);
}

/*
 * Of 8 pages 4 fill their zone's share. A page of another zone, whose share is
 * free, comes behind them; in turn, behind the next of them, when that has
 * room; only with take-turns does the full zone's line stand aside for it.
 */
static void expect_share(const char *words, uint64_t large, uint64_t small)
{
    g_autofree char *all = g_strconcat(ONE "zones=2 write-buffer=36K "
                                       "zone-buffer=16K buffer-portion=4K "
                                       "buffer-waiters=2 ", words, NULL);
    Drive *d = drive_new(all);
    uint32_t a = drive_write(d, 0, 0, 8);
    uint32_t b = drive_write(d, 0, 16, 1);

    if (small < large) {
        drive_expect_next(d, b, small * PAGE);
        drive_expect(d, a, large * PAGE);
    } else {
        drive_expect_next(d, a, large * PAGE);
        drive_expect_next(d, b, small * PAGE);
    }
    drive_drain(d);
    drive_free(d);
}

static void test_share(void)
{
    expect_share("", 4, 4);
    expect_share("buffer-turns=on", 5, 1);
    expect_share("take-turns=on", 5, 0);
}

/*
 * Two writes wait for room, as many as may: the front end is held up with the
 * third until the smaller one is let in, and a read behind it, of a zone that
 * has no data. The third write has the turn after the next.
 */
static void test_turns_hold_up(void)
{
    Drive *d = drive_new(ONE "zones=3 write-buffer=36K buffer-portion=4K "
                         "buffer-turns=on buffer-waiters=2 fe-read-ns=100");
    uint32_t b, c, read;

    drive_write(d, 0, 0, 16);
    b = drive_write(d, 1, 16, 1);
    c = drive_write(d, 1, 17, 1);
    read = drive_read(d, 1, 32, 1);
    drive_expect_next(d, b, 2 * PAGE);
    drive_expect_next(d, read, 2 * PAGE + 100);
    drive_expect_next(d, c, 4 * PAGE);
    drive_drain(d);
    drive_free(d);
}

/*
 * Unit 0 has a page of zone 0 when four pages of zone 1 come, for units 0, 1, 0
 * and 1. They wait for each other, and give their room back in pairs; with
 * page-turns unit 1 has its pages at once. All that zone 2 writes comes behind.
 */
static void expect_room(const char *words, const uint64_t *at_ns)
{
    g_autofree char *all = g_strconcat(
        "channels=2 program-registers=1 zones=3 zone-capacity=24K "
        "max-active=3 write-buffer=20K buffer-portion=4K ", words, NULL);
    Drive *d = drive_new(all);
    uint32_t tags[4];
    uint32_t tag;

    tag = drive_write(d, 0, 0, 1);
    drive_expect(d, tag, 0);
    tag = drive_write(d, 1, 16, 4);
    drive_expect_next(d, tag, 1);
    for (int i = 0; i < 4; i++) {
        tags[i] = drive_write(d, 2, 32 + i, 1);
    }
    for (int i = 0; i < 4; i++) {
        drive_expect_next(d, tags[i], at_ns[i]);
    }
    drive_drain(d);
    drive_free(d);
}

static void test_own_units(void)
{
    expect_room("", (uint64_t[]) { PAGE, 2 * PAGE, 2 * PAGE, 3 * PAGE });
    expect_room("page-turns=on", (uint64_t[]) {
        PAGE, 1 + PAGE, 2 * PAGE, 1 + 2 * PAGE,
    });
}

/*
 * Unit 0 has a page of zone 0, and pages of zones 1 and 2 wait there, when six
 * pages of zone 3 come, for units 0 and 1 in turn. The fourth is of the next
 * stripe: it waits for the first, though unit 1 has nothing to do. So the
 * fourth write to wait for room gets that of zone 2, not that of this page.
 */
static void test_stripes(void)
{
    static const uint64_t at_ns[] = { PAGE, PAGE, 2 * PAGE, 3 * PAGE };
    static const uint32_t counts[] = { 1, 1, 1, 6, 1, 1 };
    Drive *d = drive_new("channels=2 program-registers=1 zones=10 "
                         "zone-capacity=24K max-active=10 write-buffer=44K "
                         "buffer-portion=4K page-turns=on");
    uint32_t tags[4];

    for (int i = 0; i < 6; i++) {
        drive_expect(d, drive_write(d, 0, 16 * i, counts[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        tags[i] = drive_write(d, 0, 16 * (6 + i), 1);
    }
    for (int i = 0; i < 4; i++) {
        drive_expect_next(d, tags[i], at_ns[i]);
    }
    drive_drain(d);
    drive_free(d);
}

/*
 * Pages of a stripe wait for their units, which zone 0 has; so does the next
 * stripe's page of the unit that is idle, or idle first. When the last of them
 * goes, so do all of the next stripe, or the flush would not end.
 */
static void expect_next_stripe(uint32_t before)
{
    Drive *d = drive_new("channels=2 program-registers=1 zones=2 "
                         "write-buffer=64K page-turns=on");
    uint32_t tag;

    tag = drive_write(d, 0, 0, before);
    drive_expect(d, tag, 0);
    tag = drive_write(d, 0, drive_zone_lba(d, 1), 4);
    drive_expect(d, tag, 0);
    tag = drive_flush(d, 0);
    drive_expect(d, tag, 3 * PAGE);
    drive_free(d);
}

static void test_next_stripe(void)
{
    expect_next_stripe(1);
    expect_next_stripe(2);
}

/* A zone's pages are those of its units in turn, of three as well. */
static void test_three_units(void)
{
    Drive *d = drive_new("channels=3 program-registers=1 write-buffer=64K "
                         "page-turns=on");
    uint32_t tag;

    for (uint64_t i = 0; i < 3; i++) {
        uint64_t at_ns = i * 1000000;

        tag = drive_write(d, at_ns, i, 1);
        drive_expect(d, tag, at_ns);
        tag = drive_flush(d, at_ns);
        drive_expect(d, tag, at_ns + PAGE);
    }
    drive_free(d);
}

/* Of what still comes in for a zone that has failed nothing is programmed. */
static void test_failed_on_the_way(void)
{
    Drive *d = drive_new(ONE "zones=2 page-size=16K write-buffer=48K "
                         "max-active=1 link-in-ns=1048576");
    uint32_t first = drive_write(d, 0, 0, 3), second = drive_write(d, 0, 3, 1);

    g_assert_true(ssd_zone_fail(d->ssd, 0, 1, 0, SSD_ZONE_READ_ONLY));
    drive_expect(d, first, 12288);
    drive_expect(d, second, 16384);
    first = drive_flush(d, 20000);
    drive_expect(d, first, 20000);
    drive_free(d);
}

/* Nor is what comes in of a zone's earlier life, though there is a new one. */
static void test_reset_on_the_way(void)
{
    Drive *d = drive_new(ONE "zones=2 page-size=16K write-buffer=48K "
                         "max-active=1 link-in-ns=1048576");
    uint32_t write = drive_write(d, 0, 0, 3);
    uint32_t reset = drive_zone_op(d, 0, SSD_OP_ZONE_RESET, 0);

    drive_expect(d, reset, 0);
    drive_expect(d, write, 12288);
    write = drive_write(d, 20000, 0, 1);
    drive_expect(d, write, 24096);
    write = drive_flush(d, 30000);
    drive_expect(d, write, 30000);
    drive_free(d);
}

/*
 * A zone that fails while its reset is on the way has the life that begins with
 * it: what has been written behind the reset is programmed, once the blocks are
 * erased.
 */
static void test_failed_before_reset(void)
{
    const uint64_t from = 100000000;
    Drive *d = drive_new(ONE "zones=2 page-size=16K write-buffer=48K "
                         "max-active=1 fe-reset-ns=5000 fe-write-ns=1000");
    uint32_t reset, write, flush;

    drive_fill(d, 0, 4);
    reset = drive_zone_op(d, from, SSD_OP_ZONE_RESET, 0);
    write = drive_write(d, from, 0, 4);
    g_assert_true(ssd_zone_fail(d->ssd, from, 1, 0, SSD_ZONE_READ_ONLY));
    drive_expect(d, write, from + 6000);
    flush = drive_flush(d, from + 7000);
    drive_expect(d, reset, from + 5000 + ERASE);
    drive_expect(d, flush, from + 5000 + ERASE + PROG);
    drive_free(d);
}

/*
 * A reset forgets pages that wait for their units; a finish that has come
 * behind them goes on without them, and its programs are the next ones.
 */
static void expect_finish_before_reset(const char *words)
{
    g_autofree char *all = g_strconcat(ONE "zones=2 zone-capacity=16K "
                                       "write-buffer=64K ", words, NULL);
    Drive *d = drive_new(all);
    uint32_t write = drive_write(d, 0, drive_zone_lba(d, 1), 1);
    uint32_t finish, reset;

    drive_expect(d, write, 0);
    write = drive_write(d, 0, 0, 2);
    drive_expect(d, write, 0);
    finish = drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 0);
    reset = drive_zone_op(d, 1, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, finish, PAGE + 2 * PAGE);
    drive_expect(d, reset, PAGE + 2 * PAGE + ERASE);
    drive_free(d);
}

static void test_finish_before_reset(void)
{
    expect_finish_before_reset("");
    expect_finish_before_reset("page-turns=on");
}

/* It forgets a part of a page, too; its room is that of who waits, at once. */
static void test_part_before_reset(void)
{
    Drive *d = drive_new(ONE "zones=2 page-size=16K write-buffer=64K "
                         "max-active=2");
    uint32_t tag = drive_write(d, 0, 0, 3), write;

    drive_expect(d, tag, 0);
    write = drive_write(d, 1, drive_zone_lba(d, 1), 16);
    tag = drive_zone_op(d, 2, SSD_OP_ZONE_RESET, 0);
    drive_expect_next(d, tag, 2);
    drive_expect(d, write, 2);
    drive_free(d);

    d = drive_new(ONE "zones=2 page-size=16K write-buffer=64K max-active=2");
    tag = drive_write(d, 0, 0, 3);
    drive_expect(d, tag, 0);
    tag = drive_zone_op(d, 1, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, tag, 1);
    tag = drive_write(d, 2, 0, 1);
    drive_expect(d, tag, 2);
    tag = drive_flush(d, 3);
    drive_expect(d, tag, 3);
    drive_free(d);
}

/* The room of an earlier life's data is at once that of who waits. */
static void test_room_on_the_way(void)
{
    Drive *d = drive_new(ONE "zones=2 page-size=16K write-buffer=48K "
                         "max-active=1 link-in-ns=1048576");
    uint32_t write = drive_write(d, 0, 0, 3);
    uint32_t other = drive_zone_op(d, 0, SSD_OP_ZONE_RESET, 0);

    drive_expect(d, other, 0);
    other = drive_write(d, 1, drive_zone_lba(d, 1), 12);
    drive_expect(d, write, 12288);
    drive_expect(d, other, 12288 + 49152);
    drive_free(d);
}

/*
 * Unit 0 has two pages of zone 0, unit 1 one, when a finish begins to fill zone
 * 1 and then zone 0 writes one more page for unit 1. Without page-turns the
 * finish waits at unit 0 alone, and that page is the next of unit 1; with them,
 * the page of the finish is there before, but lets it go first. The finish's
 * second stripe waits for the first anyway.
 */
static void expect_finish(const char *words)
{
    g_autofree char *all = g_strconcat(
        "channels=2 program-registers=1 zones=2 zone-capacity=16K "
        "write-buffer=64K ", words, NULL);
    Drive *d = drive_new(all);
    uint32_t finish, tag;

    tag = drive_write(d, 0, 0, 3);
    drive_expect(d, tag, 0);
    finish = drive_zone_op(d, 1, SSD_OP_ZONE_FINISH, 1);
    tag = drive_write(d, 2, 3, 1);
    drive_expect(d, tag, 2);
    tag = drive_flush(d, 2);
    drive_expect(d, tag, 2 * PAGE);
    drive_expect(d, finish, 4 * PAGE);
    drive_free(d);
}

static void test_finish(void)
{
    expect_finish("");
    expect_finish("page-turns=on");
}

/*
 * One unit programs a page of zone 0 when a finish of two pages comes, and then
 * two pages of zone 1. Without page-turns they go one of each in turn, the
 * finish first. With them it yields: one zone wrote when its page came, so one
 * page of the host goes before it, and when the second comes, another.
 */
static void expect_yields(const char *words, uint64_t flush_pages,
                          uint64_t finish_pages)
{
    g_autofree char *all = g_strconcat(
        ONE "zones=3 zone-capacity=8K max-active=3 write-buffer=64K ", words,
        NULL);
    Drive *d = drive_new(all);
    uint32_t finish, flush;

    drive_expect(d, drive_write(d, 0, 0, 1), 0);
    finish = drive_zone_op(d, 1, SSD_OP_ZONE_FINISH, 2);
    drive_expect(d, drive_write(d, 2, 16, 2), 2);
    flush = drive_flush(d, 2);
    drive_expect(d, flush_pages < finish_pages ? flush : finish,
                 MIN(flush_pages, finish_pages) * PAGE);
    drive_expect(d, flush_pages < finish_pages ? finish : flush,
                 MAX(flush_pages, finish_pages) * PAGE);
    drive_free(d);
}

static void test_finish_yields(void)
{
    expect_yields("", 5, 4);
    expect_yields("page-turns=on", 4, 5);
}

/*
 * With three registers: a page of zone 1 goes before the finish's, which is due
 * then and has the third register, before the other page of zone 1. That one
 * does not make the finish's second page due: it waits till the unit is idle.
 */
static void test_finish_due(void)
{
    Drive *d = drive_new("channels=1 program-registers=3 zones=3 "
                         "zone-capacity=8K max-active=3 write-buffer=64K "
                         "page-turns=on");
    uint32_t finish, flush;

    drive_expect(d, drive_write(d, 0, 0, 1), 0);
    finish = drive_zone_op(d, 1, SSD_OP_ZONE_FINISH, 2);
    drive_expect(d, drive_write(d, 2, 16, 2), 2);
    flush = drive_flush(d, 2);
    drive_expect(d, flush, PAGE + 3 * PROG);
    drive_expect(d, finish, 2 * PAGE + 3 * PROG);
    drive_free(d);
}

/*
 * A finish's page waits at the unit, behind a page of the host, with a part
 * that zone 1 wrote. The host's next page is given to the unit when its last
 * portion has crossed, which makes the finish's due: at that instant the part's
 * room is that of the portion which waits for some.
 */
static void test_finish_frees_part(void)
{
    const uint64_t came_ns = 30000 + 16384;
    Drive *d = drive_new("channels=1 program-registers=3 zones=3 "
                         "page-size=16K max-active=2 write-buffer=36K "
                         "buffer-portion=4K link-in-ns=1048576 "
                         "page-turns=on");
    uint32_t tag;

    tag = drive_write(d, 0, 0, 4);
    drive_expect(d, tag, 16384);
    tag = drive_write(d, 20000, drive_zone_lba(d, 1), 1);
    drive_expect(d, tag, 20000 + 4096);
    drive_zone_op(d, 25000, SSD_OP_ZONE_FINISH, 1);
    tag = drive_write(d, 30000, 4, 5);
    drive_expect(d, tag, came_ns + 4096);
    drive_drain(d);
    drive_free(d);
}

/*
 * While a reset holds programs back, two zones write a page for each of two
 * units, which have two registers. After it one goes to each unit before the
 * second of any does, 100 us between them, so unit 1 begins after 200 us: with
 * page-turns both zones wait at unit 0, which would get two first.
 */
static void expect_unlocked(const char *words)
{
    g_autofree char *all = g_strconcat(
        "channels=2 program-registers=2 zones=3 zone-capacity=16K "
        "max-active=3 write-buffer=64K erase-ns=0 erase-at=background reset-base-ns=1000 "
        "reset-lock-ns=1600000 program-issue-ns=100000 ", words, NULL);
    Drive *d = drive_new(all);
    const uint64_t reset_ns = 10 * PAGE, begins_ns = reset_ns + 1600000;
    uint32_t reset, flush;

    drive_expect(d, drive_write(d, 0, 0, 4), 0);
    drive_drain(d);
    reset = drive_zone_op(d, reset_ns, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, drive_write(d, reset_ns + 1, 16, 2), reset_ns + 1);
    drive_expect(d, drive_write(d, reset_ns + 1, 32, 2), reset_ns + 1);
    flush = drive_flush(d, reset_ns + 1);
    drive_expect(d, reset, begins_ns + 1000);
    drive_expect(d, flush, begins_ns + 200000 + XFER + 2 * PROG);
    drive_free(d);
}

static void test_unlocked(void)
{
    expect_unlocked("");
    expect_unlocked("page-turns=on");
}

/*
 * Of three pages of one zone, two for unit 0, the other idle unit gets the
 * last of its stripe: the next one opens with that, for both, or the flush
 * would not end.
 */
static void test_unlocked_stripe(void)
{
    Drive *d = drive_new("channels=2 program-registers=1 zones=2 "
                         "zone-capacity=16K max-active=2 write-buffer=64K "
                         "erase-ns=0 erase-at=background "
                         "reset-lock-ns=1600000 page-turns=on");
    const uint64_t reset_ns = 10 * PAGE, begins_ns = reset_ns + 1600000;
    uint32_t reset, flush;

    drive_expect(d, drive_write(d, 0, 0, 4), 0);
    drive_drain(d);
    reset = drive_zone_op(d, reset_ns, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, drive_write(d, reset_ns + 1, 16, 3), reset_ns + 1);
    flush = drive_flush(d, reset_ns + 1);
    drive_expect(d, reset, begins_ns);
    drive_expect(d, flush, begins_ns + 2 * PAGE);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sharing/portion", test_portion);
    g_test_add_func("/sharing/turns", test_turns);
    g_test_add_func("/sharing/turns/share", test_share);
    g_test_add_func("/sharing/turns/hold-up", test_turns_hold_up);
    g_test_add_func("/sharing/own-units", test_own_units);
    g_test_add_func("/sharing/stripes", test_stripes);
    g_test_add_func("/sharing/next-stripe", test_next_stripe);
    g_test_add_func("/sharing/three-units", test_three_units);
    g_test_add_func("/sharing/failed-on-the-way", test_failed_on_the_way);
    g_test_add_func("/sharing/reset-on-the-way", test_reset_on_the_way);
    g_test_add_func("/sharing/room-on-the-way", test_room_on_the_way);
    g_test_add_func("/sharing/failed-before-reset", test_failed_before_reset);
    g_test_add_func("/sharing/finish-before-reset", test_finish_before_reset);
    g_test_add_func("/sharing/part-before-reset", test_part_before_reset);
    g_test_add_func("/sharing/finish", test_finish);
    g_test_add_func("/sharing/finish/yields", test_finish_yields);
    g_test_add_func("/sharing/finish/due", test_finish_due);
    g_test_add_func("/sharing/finish/frees-part", test_finish_frees_part);
    g_test_add_func("/sharing/unlocked", test_unlocked);
    g_test_add_func("/sharing/unlocked/stripe", test_unlocked_stripe);
    return g_test_run();
}
