/*
 * Exact times of the write buffer.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "support/drive.h"

/* The base drive of drive.h, in numbers. */
#define READ UINT64_C(60000)
#define PROG UINT64_C(700000)
#define ERASE UINT64_C(3500000)
#define XFER UINT64_C(25000)
#define MS UINT64_C(1000000)

/* One unit that holds one program: a page takes XFER + PROG = 725 us. */
#define PAGE (XFER + PROG)
#define ONE "channels=1 program-registers=1 "
#define BUFFER ONE "write-buffer=256K "

/* A write is done when its data are in the buffer. */
static void test_early(void)
{
    Drive *d = drive_new(BUFFER "link-in-ns=1048576");
    uint32_t tag = drive_write(d, 0, 0, 4);

    drive_expect(d, tag, 4 * 4096);
    tag = drive_append(d, 5 * MS, 0, 1);
    drive_expect(d, tag, 5 * MS + 4096);
    drive_free(d);
}

/* Data that are not programmed are read from the buffer. */
static void test_read_hit(void)
{
    Drive *d = drive_new(BUFFER "link-out-ns=1048576");
    uint32_t tag = drive_write(d, 0, 0, 2);

    drive_expect(d, tag, 0);
    tag = drive_read(d, PAGE - 4097, 0, 1);
    drive_expect(d, tag, PAGE - 1);
    tag = drive_read(d, 2 * PAGE, 0, 1);
    drive_expect(d, tag, 2 * PAGE + READ + XFER + 4096);
    drive_free(d);
}

static void test_flush(void)
{
    Drive *d = drive_new(BUFFER "page-size=16K");
    uint32_t a, b;

    /* Three blocks complete no page: they are protected where they are. */
    drive_write(d, 0, 0, 3);
    drive_drain(d);
    a = drive_flush(d, 10);
    drive_expect(d, a, 10);
    a = drive_write(d, 20, 3, 6);
    drive_expect(d, a, 20);
    b = drive_flush(d, 20);
    drive_expect(d, b, 20 + 2 * PAGE);
    drive_free(d);

    /* A flush waits for the pages before it, not for later ones. */
    d = drive_new(BUFFER);
    a = drive_write(d, 0, 0, 2);
    drive_expect(d, a, 0);
    a = drive_flush(d, 1);
    b = drive_write(d, 2, 2, 1);
    drive_expect(d, b, 2);
    b = drive_flush(d, 3);
    drive_expect(d, a, 2 * PAGE);
    drive_expect(d, b, 3 * PAGE);
    drive_free(d);
}

/*
 * 36K are 9 pages. Of a write of 12, a portion of 32K finds room; the rest of
 * 16K when three pages are programmed.
 */
static void test_full(void)
{
    Drive *d = drive_new(ONE "zones=1 write-buffer=36K");
    uint32_t tag = drive_write(d, 0, 0, 12);

    drive_expect(d, tag, 3 * PAGE);
    tag = drive_write(d, 3 * PAGE, 12, 1);
    drive_expect(d, tag, 4 * PAGE);
    drive_free(d);
}

/*
 * A program of four pages leaves the buffer in release_ns. All 48K are taken, so
 * each write of a block waits for one of the four, and the fifth for the next
 * program, which has begun when the first ended.
 */
static void expect_release(const char *release, uint64_t release_ns)
{
    const uint64_t end = 4 * XFER + PROG;
    g_autofree char *text = g_strconcat(
        ONE "zones=1 zone-size=128K planes=4 multi-plane=on write-buffer=48K ",
        release, NULL);
    Drive *d = drive_new(text);
    uint32_t tag = drive_write(d, 0, 0, 8), more[5];

    drive_expect(d, tag, 0);
    tag = drive_write(d, 1, 8, 4);
    drive_expect(d, tag, 1);
    for (int i = 0; i < 5; i++) {
        more[i] = drive_write(d, 2, 12 + i, 1);
    }
    for (int i = 0; i < 4; i++) {
        drive_expect_next(d, more[i], end + release_ns * (i + 1) / 4);
    }
    drive_expect(d, more[4], 2 * end + release_ns / 4);
    drive_free(d);
}

/* However long it is said to take, it is over before the next program ends. */
static void test_release(void)
{
    expect_release("buffer-release-ns=200000", 200000);
    expect_release("buffer-release-ns=699999", PROG - 1);
    expect_release("buffer-release-ns=700000", PROG - 1);
    expect_release("buffer-release-ns=1000000000", PROG - 1);
}

/* The same for one zone; and behind one that waits, all wait. */
static void test_zone_share(void)
{
    Drive *d = drive_new(ONE "write-buffer=256K zone-buffer=36K");
    uint32_t a = drive_write(d, 0, 0, 8), b, c;

    drive_expect(d, a, 0);
    a = drive_write(d, 1, 8, 4);
    b = drive_write(d, 1, 16, 1);
    drive_expect_next(d, a, 3 * PAGE);
    drive_expect(d, b, 3 * PAGE);
    c = drive_write(d, 3 * PAGE, 17, 4);
    drive_expect(d, c, 3 * PAGE);
    drive_free(d);
}

/*
 * 40K are 10 pages. The first write takes 8, the second waits for 8 until six
 * are programmed. If one may wait, the third holds up the front end until
 * then, and a read behind it.
 */
static void check_waiters(const char *words, uint64_t held_up_ns)
{
    g_autofree char *all = g_strconcat(ONE "zones=2 write-buffer=40K "
                                       "fe-read-ns=100 ", words, NULL);
    Drive *d = drive_new(all);
    uint64_t at_ns = 9 * MS;
    uint32_t a, b, c, read;

    a = drive_write(d, 0, 0, 1);
    drive_expect(d, a, 0);
    a = drive_write(d, at_ns, 1, 8);
    drive_expect(d, a, at_ns);
    a = drive_write(d, at_ns, 16, 8);
    b = drive_write(d, at_ns, 24, 8);
    read = drive_read(d, at_ns, 0, 1);
    c = drive_read(d, at_ns, 32 - 1, 1); /* in the buffer, or on the way */
    if (held_up_ns == 0) {
        drive_expect(d, c, at_ns + 200);
    }
    if (held_up_ns > 0) {
        drive_expect(d, a, at_ns + held_up_ns);
        drive_expect(d, c, at_ns + held_up_ns + 200);
    }
    drive_expect(d, read, at_ns + held_up_ns + 100 + READ + XFER);
    drive_drain(d);
    (void)b;
    drive_free(d);
}

static void test_waiters(void)
{
    check_waiters("", 6 * PAGE);
    check_waiters("buffer-waiters=2", 0);
}

/* Return: when a command completes, whatever else does until then. */
/*
 * The first write fills 8 pages of 11, three of 8 wait, the fifth is held up,
 * and a read behind it. The second is let in when five pages are programmed, the
 * third when 13 are.
 */
static void check_resume(const char *words, uint64_t held_up_ns)
{
    g_autofree char *all = g_strconcat(ONE "zones=3 write-buffer=44K "
                                       "buffer-waiters=3 ", words, NULL);
    Drive *d = drive_new(all);
    uint64_t at_ns = 9 * MS;
    uint32_t read = drive_write(d, 0, 0, 1);

    drive_expect(d, read, 0);
    drive_write(d, at_ns, 1, 8);
    for (unsigned i = 0; i < 4; i++) {
        drive_write(d, at_ns, 16 + 8 * i, 8);
    }
    read = drive_read(d, at_ns, 0, 1);
    g_assert_cmpuint(drive_completion_at_ns(d, read), ==,
                     at_ns + held_up_ns + READ + XFER);
    drive_drain(d);
    drive_free(d);
}

static void test_resume(void)
{
    check_resume("", 5 * PAGE);
    check_resume("buffer-resume=2", 5 * PAGE);
    check_resume("buffer-resume=1", 13 * PAGE);
}

/*
 * Zone 0 has 8 pages in the buffer, zone 1 is finished: from the second page
 * on they take turns. Zone 0's last page is number 14 of 24.
 */
static void test_share(void)
{
    Drive *d = drive_new(BUFFER "zone-size=64K");
    uint32_t write = drive_write(d, 0, 0, 8);
    uint32_t finish, flush;

    drive_expect(d, write, 0);
    finish = drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 1);
    flush = drive_flush(d, 0);
    drive_expect(d, flush, 14 * PAGE);
    drive_expect(d, finish, 24 * PAGE);
    drive_free(d);
}

/* Three zones that write get a quarter each, and so does the finish. */
static void test_share_of_four(void)
{
    Drive *d = drive_new(BUFFER "zone-size=128K mdts=128K");
    uint32_t finish;

    for (unsigned z = 0; z < 3; z++) {
        drive_write(d, 0, drive_zone_lba(d, z), 20);
    }
    finish = drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 3);
    for (unsigned z = 0; z < 3; z++) {
        drive_write(d, 1, drive_zone_lba(d, z) + 20, 12);
    }
    for (unsigned z = 0; z < 7; z++) {
        SsdDone done;

        do {
            d->now_ns = MAX(d->now_ns, ssd_next_at_ns(d->ssd));
        } while (!ssd_poll(d->ssd, d->now_ns, &done, 1));
        if (done.tag == finish) {
            /* 32 pages each; zone 0 is one ahead, the finish is the last. */
            g_assert_cmpuint(done.due_at_ns, ==, 4 * 32 * PAGE);
        }
    }
    drive_expect_idle(d);
    drive_free(d);
}

/* The finish takes with it what completes no page. */
static void test_finish_of_part(void)
{
    Drive *d = drive_new(BUFFER "page-size=16K program-data-ns=1000");
    uint32_t tag = drive_write(d, 0, 0, 5);

    drive_expect(d, tag, 0);
    tag = drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 0);
    /* A page, the rest of one, and two of padding. */
    drive_expect(d, tag, PAGE + 1000 + XFER * 3 / 4 + PROG + 1000 + 2 * PAGE);
    /* All of the buffer is free again. */
    tag = drive_write(d, 9 * MS, 16, 16);
    drive_expect(d, tag, 9 * MS);
    drive_expect_stats(d, "\"programs\":4,");
    drive_free(d);
}

static void test_finish_fills_empty(void)
{
    Drive *d = drive_new(BUFFER "finish-fills-empty=off fe-finish-ns=13");
    uint32_t tag = drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 0);

    drive_expect(d, tag, 13);
    g_assert_cmpint(ssd_zone(d->ssd, 1, 0).state, ==, SSD_ZONE_FULL);
    tag = drive_zone_op(d, MS, SSD_OP_ZONE_OPEN, 1);
    drive_expect(d, tag, MS);
    tag = drive_zone_op(d, MS, SSD_OP_ZONE_FINISH, 1);
    drive_expect(d, tag, MS + 13);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 0);
    /* Nothing was programmed: nothing is erased, or sensed. */
    tag = drive_read(d, 2 * MS, 0, 1);
    drive_expect(d, tag, 2 * MS);
    tag = drive_zone_op(d, 3 * MS, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, tag, 3 * MS);
    drive_free(d);
}

/* A reset throws away what no unit has taken. */
static void test_reset(void)
{
    Drive *d = drive_new(BUFFER);
    uint32_t tag = drive_write(d, 0, 0, 8), flush, reset;

    drive_expect(d, tag, 0);
    flush = drive_flush(d, 1);
    reset = drive_zone_op(d, 2, SSD_OP_ZONE_RESET, 0);
    /* One page is on its way to the unit; its block is erased behind it. */
    drive_expect(d, flush, PAGE);
    drive_expect(d, reset, PAGE + ERASE);
    drive_expect_stats(d, "\"programs\":1,\"erases\":1}");
    /* The zone starts anew, with the whole buffer. */
    tag = drive_write(d, 9 * MS, 0, 16);
    drive_expect(d, tag, 9 * MS);
    flush = drive_flush(d, 9 * MS);
    drive_expect(d, flush, 9 * MS + 16 * PAGE);
    drive_free(d);
}

/* After a reset the zone's first page lies on its first unit again. */
static void test_reset_begins_anew(void)
{
    Drive *d = drive_new("program-registers=1 write-buffer=256K erase-ns=0");
    uint32_t tag = drive_write(d, 0, 0, 1);

    drive_expect(d, tag, 0);
    drive_drain(d);
    tag = drive_zone_op(d, 2 * MS, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, tag, 2 * MS);
    /* Zone 1 keeps unit 0 busy, so the page on it comes second there. */
    drive_write(d, 3 * MS, 16, 1);
    drive_write(d, 3 * MS, 0, 1);
    tag = drive_flush(d, 3 * MS);
    g_assert_cmpuint(drive_drain(d), ==, 3 * MS + 2 * PAGE);
    (void)tag;
    drive_free(d);
}

/* A finish gives back the room of the part that it takes with it. */
static void test_finish_gives_room(void)
{
    Drive *d = drive_new(ONE "zones=16 max-active=1 max-open=1 page-size=16K "
                         "write-buffer=48K");

    for (unsigned z = 0; z < 15; z++) {
        uint32_t tag = drive_write(d, d->now_ns, drive_zone_lba(d, z), 3);

        drive_expect(d, tag, d->now_ns);
        drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, z);
        drive_drain(d);
    }
    drive_free(d);
}

/* What is on the link when its zone fails keeps no room either. */
static void test_fails_on_the_link(void)
{
    Drive *d = drive_new(ONE "zones=64 max-active=1 page-size=16K "
                         "write-buffer=48K link-in-ns=1048576");

    for (unsigned z = 0; z < 64; z++) {
        uint64_t at_ns = d->now_ns;
        uint32_t tag = drive_write(d, at_ns, drive_zone_lba(d, z), 3);

        g_assert_true(ssd_zone_fail(d->ssd, at_ns, 1, z,
                                    SSD_ZONE_READ_ONLY));
        drive_expect(d, tag, at_ns + 3 * 4096);
    }
    drive_free(d);
}

/* A full buffer holds up the front end though it costs no time itself. */
static void test_waiters_of_a_free_front_end(void)
{
    Drive *d = drive_new(ONE "zones=2 write-buffer=40K");
    uint32_t tag;

    drive_write(d, 0, 0, 8);
    drive_write(d, 0, 16, 8);
    drive_write(d, 0, 24, 8);
    tag = drive_read(d, 1, 0, 1); /* in the buffer, but it is not let in */
    for (unsigned i = 0; i < 2; i++) {
        SsdDone done;

        do {
            d->now_ns = MAX(d->now_ns, ssd_next_at_ns(d->ssd));
        } while (!ssd_poll(d->ssd, d->now_ns, &done, 1));
    }
    drive_expect(d, tag, d->now_ns + READ + XFER);
    g_assert_cmpuint(d->now_ns, ==, 6 * PAGE + READ + XFER);
    drive_drain(d);
    drive_free(d);
}

/* Copies go through the buffer without the link. */
static void test_copy(void)
{
    Drive *d = drive_new(BUFFER "link-in-ns=1048576");
    uint32_t tag = drive_write(d, 0, 0, 1);

    drive_expect(d, tag, 4096);
    tag = drive_copy(d, 2 * MS, 16, 0, 1);
    drive_expect(d, tag, 2 * MS + READ + XFER);
    tag = drive_flush(d, d->now_ns);
    drive_expect(d, tag, 2 * MS + READ + XFER + PAGE);
    drive_free(d);
}

/* A failed zone does not keep room for a page that is never completed. */
static void test_failed_zones(void)
{
    Drive *d = drive_new(ONE "zones=64 max-active=1 page-size=16K "
                         "write-buffer=48K");

    for (unsigned z = 0; z < 63; z++) {
        uint32_t tag = drive_write(d, d->now_ns, drive_zone_lba(d, z), 3);

        drive_expect(d, tag, d->now_ns);
        g_assert_true(ssd_zone_fail(d->ssd, d->now_ns, 1, z,
                                    z % 2 ? SSD_ZONE_READ_ONLY
                                          : SSD_ZONE_OFFLINE));
    }
    drive_write(d, d->now_ns, drive_zone_lba(d, 63), 12);
    drive_expect(d, 64, d->now_ns);
    drive_free(d);
}

/* Who waits for that room has it at once. */
static void test_fails_before_others(void)
{
    Drive *d = drive_new(ONE "max-active=2 max-open=2 page-size=16K "
                         "write-buffer=48K buffer-portion=4K");
    uint32_t tag;

    drive_expect(d, drive_write(d, 0, 0, 3), 0);
    tag = drive_write(d, 0, drive_zone_lba(d, 1), 12);
    g_assert_true(ssd_zone_fail(d->ssd, 0, 1, 0, SSD_ZONE_READ_ONLY));
    drive_expect(d, tag, 0);
    drive_free(d);
}

/* Its complete pages reach the flash, also if power goes before they have. */
static void test_failed_and_cut(void)
{
    Drive *d = drive_new(BUFFER "mapping=lazy lba-size=512");
    Ssd *next;

    drive_expect(d, drive_write(d, 0, 0, 4 * 8 + 1), 0);
    g_assert_true(ssd_zone_fail(d->ssd, 0, 1, 0, SSD_ZONE_READ_ONLY));
    next = ssd_power_cut(d->ssd, 0, 0);
    ssd_free(d->ssd);
    d->ssd = next;
    for (uint32_t page = 0; page <= 4; page++) {
        drive_expect(d, drive_read(d, page * MS, page * 8, 1),
                     page * MS + (page < 4 ? READ + XFER : 0));
    }
    drive_free(d);
}

/* Nor does one that fails while its reset is in the front end. */
static void test_fails_before_its_reset(void)
{
    Drive *d = drive_new(ONE "zones=8 max-active=1 page-size=16K "
                         "write-buffer=48K fe-reset-ns=1000 erase-ns=0");

    for (unsigned z = 0; z < 7; z++) {
        uint64_t at_ns = d->now_ns;

        drive_write(d, at_ns, drive_zone_lba(d, z), 3);
        drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, z);
        drive_write(d, at_ns, drive_zone_lba(d, z), 3);
        g_assert_true(ssd_zone_fail(d->ssd, at_ns, 1, z, SSD_ZONE_OFFLINE));
        drive_drain(d);
        g_assert_cmpuint(d->now_ns, ==, at_ns + 1000);
    }
    drive_write(d, d->now_ns, drive_zone_lba(d, 7), 12);
    drive_expect(d, 22, d->now_ns);
    drive_free(d);
}

/* A long finish is few wake-ups, and its end is exact. */
static void test_few_wake_ups(void)
{
    Drive *d = drive_new("zones=4 zone-size=2G zone-capacity=1056M channels=4 "
                         "page-size=16K pages-per-block=768 write-buffer=8M "
                         "program-registers=2 max-active=4 program-spread=28 "
                         "program-suspend=on reads-first=1");
    unsigned polls = 0;
    SsdDone done;

    drive_fill(d, 0, 1);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, 0);
    while (ssd_next_at_ns(d->ssd) != UINT64_MAX) {
        ssd_poll(d->ssd, ssd_next_at_ns(d->ssd), &done, 1);
        polls++;
    }
    g_assert_cmpuint(done.due_at_ns, >, 16896 * UINT64_C(690000));
    g_assert_cmpuint(done.due_at_ns, <, 16896 * UINT64_C(710000));
    g_assert_cmpuint(polls, <=, 100);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/buffer/early", test_early);
    g_test_add_func("/buffer/read-hit", test_read_hit);
    g_test_add_func("/buffer/flush", test_flush);
    g_test_add_func("/buffer/full", test_full);
    g_test_add_func("/buffer/release", test_release);
    g_test_add_func("/buffer/zone-share", test_zone_share);
    g_test_add_func("/buffer/waiters", test_waiters);
    g_test_add_func("/buffer/share", test_share);
    g_test_add_func("/buffer/share-of-four", test_share_of_four);
    g_test_add_func("/buffer/finish-of-part", test_finish_of_part);
    g_test_add_func("/buffer/finish-fills-empty", test_finish_fills_empty);
    g_test_add_func("/buffer/reset", test_reset);
    g_test_add_func("/buffer/reset/anew", test_reset_begins_anew);
    g_test_add_func("/buffer/finish-gives-room", test_finish_gives_room);
    g_test_add_func("/buffer/fails-on-the-link", test_fails_on_the_link);
    g_test_add_func("/buffer/waiters/resume", test_resume);
    g_test_add_func("/buffer/waiters/free-front-end",
                    test_waiters_of_a_free_front_end);
    g_test_add_func("/buffer/copy", test_copy);
    g_test_add_func("/buffer/failed-zones", test_failed_zones);
    g_test_add_func("/buffer/fails-before-others", test_fails_before_others);
    g_test_add_func("/buffer/failed-and-cut", test_failed_and_cut);
    g_test_add_func("/buffer/fails-before-its-reset",
                    test_fails_before_its_reset);
    g_test_add_func("/buffer/few-wake-ups", test_few_wake_ups);
    return g_test_run();
}
