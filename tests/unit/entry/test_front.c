/*
 * Exact times of the way in and out: the front end, the host links, latencies
 * that occupy nothing.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "support/drive.h"

/* The base drive of drive.h, in numbers. */
#define READ UINT64_C(60000)
#define PROG UINT64_C(700000)
#define ERASE UINT64_C(3500000)
#define XFER UINT64_C(25000)
#define MS UINT64_C(1000000)

/* A link that takes 1 ns for a byte. */
#define IN "link-in-ns=1048576 "
#define OUT "link-out-ns=1048576 "

/* Commands are taken in one by one; each waits for those before it. */
static void test_one_by_one(void)
{
    Drive *d = drive_new("fe-read-ns=2000");
    uint32_t a, b, c;

    drive_fill(d, 0, 3);
    a = drive_read(d, 9 * MS, 0, 1);
    b = drive_read(d, 9 * MS, 1, 1);
    drive_expect(d, a, 9 * MS + 2000 + READ + XFER);
    drive_expect(d, b, 9 * MS + 4000 + READ + XFER);
    /* Idle, it starts at once; busy, when it is free. */
    a = drive_read(d, 10 * MS, 0, 1);
    b = drive_read(d, 10 * MS + 500, 1, 1);
    drive_expect(d, a, 10 * MS + 2000 + READ + XFER);
    drive_expect(d, b, 10 * MS + 4000 + READ + XFER);
    c = drive_io(d, 10 * MS + 90000, SSD_OP_VERIFY, 1, 1);
    drive_expect(d, c, 10 * MS + 92000 + READ + XFER);
    drive_expect_idle(d);
    drive_free(d);
}

/* Work after the hand-off holds up the next command, not this one. */
static void test_after(void)
{
    Drive *d = drive_new("fe-write-ns=4000 fe-after=250");
    uint32_t a = drive_write(d, 0, 0, 1);
    uint32_t b = drive_write(d, 0, 1, 1);

    drive_expect(d, a, 3000 + XFER + PROG);
    drive_expect(d, b, 4000 + 3000 + XFER + PROG);
    a = drive_write(d, MS, 2, 1);
    b = drive_write(d, MS + 3500, 3, 1);
    drive_expect(d, a, MS + 3000 + XFER + PROG);
    drive_expect(d, b, MS + 4000 + 3000 + XFER + PROG);
    drive_free(d);
}

/*
 * A write comes back when its data have arrived: behind the one in service and
 * what that has after its hand-off, and behind others that have come back.
 */
static void test_again(void)
{
    const char *drive = "write-buffer=64K program-registers=1 "
                        "link-in-ns=256000 fe-write-ns=4000 fe-after=250 "
                        "fe-append-ns=4000 fe-write-arrived-ns=1000 "
                        "fe-append-arrived-ns=2500 fixed-write-ns=100";
    Drive *d = drive_new(drive);
    uint32_t a = drive_write(d, 0, 0, 1);
    uint32_t b, c;

    drive_expect(d, a, 3000 + 1000 + 1000 + 100);
    drive_expect(d, drive_io(d, MS, SSD_OP_APPEND, 0, 1),
                 MS + 3000 + 1000 + 2500);
    a = drive_write(d, 2 * MS, 2, 1);
    b = drive_write(d, 2 * MS, 3, 1);
    c = drive_write(d, 2 * MS + 9500, 4, 1);
    /* b has the front end until 8000, then it is a's, b's, and last c's. */
    drive_expect_next(d, a, 2 * MS + 9000 + 100);
    drive_expect_next(d, b, 2 * MS + 10000 + 100);
    drive_expect(d, c, 2 * MS + 10000 + 3000 + 1000 + 1000 + 100);
    drive_free(d);

    /* Data that come at the instant of a hand-off come before it. */
    d = drive_new("write-buffer=64K program-registers=1 link-in-ns=1024000 "
                  "fe-write-ns=4000 fe-after=250 fe-write-arrived-ns=1500");
    a = drive_write(d, 0, 0, 1);
    b = drive_write(d, 4000, 1, 1);
    drive_expect_next(d, a, 7000 + 1500);
    drive_expect(d, b, 7000 + 4000 + 1500);
    drive_free(d);
}

/* A flush of a ZRWA has no data that could arrive: it never comes back. */
static void test_again_not_zrwa_flush(void)
{
    Drive *d = drive_new("zrwa-size=16K link-in-ns=256000 fe-open-ns=500 "
                         "fe-write-arrived-ns=1000000");
    uint32_t flush, open;

    drive_expect(d, drive_zone_op(d, 0, SSD_OP_ZONE_OPEN_ZRWA, 0), 500);
    drive_expect(d, drive_write(d, MS, 0, 1), MS + 1000 + MS);
    flush = drive_io(d, 9 * MS, SSD_OP_ZONE_FLUSH_ZRWA, 0, 0);
    open = drive_zone_op(d, 9 * MS + 500, SSD_OP_ZONE_OPEN, 1);
    drive_expect_next(d, open, 9 * MS + 500 + 500);
    drive_expect(d, flush, 9 * MS + 500 + PROG);
    drive_free(d);
}

/*
 * The earliest that a hand-off can lead to is said before it, the exact instant
 * after it; a flush, which has no latency, may end at its hand-off.
 */
static void test_next(void)
{
    Drive *d = drive_new("fe-read-ns=2000 fixed-read-ns=700 "
                         "fixed-write-ns=500 fixed-append-ns=600");
    uint32_t read, flush;

    read = drive_read(d, MS, 0, 1);
    g_assert_cmpuint(ssd_next_at_ns(d->ssd), ==, MS + 2500);
    drive_expect(d, read, MS + 2700);
    read = drive_read(d, 2 * MS, 0, 1);
    g_assert_cmpuint(ssd_poll(d->ssd, 2 * MS + 2500, &(SsdDone) { 0 }, 1), ==,
                     0);
    g_assert_cmpuint(ssd_next_at_ns(d->ssd), ==, 2 * MS + 2700);
    drive_expect(d, read, 2 * MS + 2700);
    read = drive_read(d, 3 * MS, 0, 1);
    flush = drive_flush(d, 3 * MS);
    g_assert_cmpuint(ssd_next_at_ns(d->ssd), ==, 3 * MS + 2000);
    drive_expect(d, flush, 3 * MS + 2000);
    drive_expect(d, read, 3 * MS + 2700);
    drive_expect_idle(d);
    drive_free(d);
}

static void expect_write(Drive *d, uint64_t at_ns, bool append,
                         uint32_t zone_idx, uint32_t nlb, uint64_t front_ns)
{
    uint64_t slba = drive_zone_lba(d, zone_idx) +
                    ssd_zone(d->ssd, 1, zone_idx).wp_lba % 16;
    uint32_t tag = append ? drive_append(d, at_ns, zone_idx, nlb)
                          : drive_write(d, at_ns, slba, nlb);

    drive_expect(d, tag, at_ns + front_ns + (nlb + 1) / 2 * XFER + PROG);
}

static void test_write_costs(void)
{
    Drive *d = drive_new("fe-write-ns=3000 fe-append-ns=5000 fe-small=8K "
                         "fe-small-write-ns=4000 fe-small-append-ns=6000 "
                         "fe-first-write-ns=700 fe-closed-write-ns=900");
    uint32_t tag;

    expect_write(d, 1 * MS, false, 0, 1, 4000 + 700);
    expect_write(d, 2 * MS, false, 0, 1, 4000);
    expect_write(d, 3 * MS, false, 0, 2, 3000);
    expect_write(d, 4 * MS, true, 0, 1, 6000);
    expect_write(d, 5 * MS, true, 0, 1, 6000);
    expect_write(d, 6 * MS, true, 0, 2, 5000);
    expect_write(d, 7 * MS, true, 1, 2, 5000 + 700);
    tag = drive_zone_op(d, 8 * MS, SSD_OP_ZONE_CLOSE, 0);
    drive_expect(d, tag, 8 * MS);
    expect_write(d, 9 * MS, false, 0, 2, 3000 + 900);
    expect_write(d, 10 * MS, false, 0, 2, 3000);
    drive_free(d);

    /* Appends without a time of their own. */
    d = drive_new("fe-write-ns=3000 fe-small=8K fe-small-write-ns=4000");
    expect_write(d, 1 * MS, true, 0, 1, 4000);
    expect_write(d, 2 * MS, true, 0, 2, 3000);
    drive_free(d);
}

static void test_management_costs(void)
{
    Drive *d = drive_new("channels=1 fe-open-ns=100 fe-close-ns=200 "
                         "fe-finish-ns=300 fe-reset-ns=400");
    uint32_t tag;

    tag = drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, 0);
    drive_expect(d, tag, 100);
    tag = drive_write(d, 1 * MS, 0, 1);
    drive_expect(d, tag, 1 * MS + XFER + PROG);
    tag = drive_zone_op(d, 2 * MS, SSD_OP_ZONE_CLOSE, 0);
    drive_expect(d, tag, 2 * MS + 200);
    tag = drive_flush(d, 3 * MS);
    drive_expect(d, tag, 3 * MS);
    tag = drive_zone_op(d, 4 * MS, SSD_OP_ZONE_FINISH, 0);
    drive_expect(d, tag, 4 * MS + 300 + 15 * (XFER + PROG));
    tag = drive_zone_op(d, 50 * MS, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, tag, 50 * MS + 400 + 4 * ERASE);
    tag = drive_all_zones(d, 90 * MS, SSD_OP_ZONE_RESET);
    drive_expect(d, tag, 90 * MS + 400);
    drive_free(d);
}

/* The effect comes with the submission, the work with the hand-off. */
static void test_order_of_effects(void)
{
    Drive *d = drive_new("channels=1 fe-write-ns=5000 fe-reset-ns=1000 "
                         "fe-read-ns=100");
    uint32_t write, reset, read;

    write = drive_write(d, 0, 0, 1);
    g_assert_cmpuint(ssd_zone(d->ssd, 1, 0).wp_lba, ==, 1);
    reset = drive_zone_op(d, 0, SSD_OP_ZONE_RESET, 0);
    g_assert_cmpuint(ssd_zone(d->ssd, 1, 0).wp_lba, ==, 0);
    /* The zone is empty when it is handed off: nothing is sensed. */
    read = drive_read(d, 0, 0, 1);
    drive_expect(d, read, 6100);
    /* The write was handed off first, so its block is erased, behind it. */
    drive_expect(d, write, 5000 + XFER + PROG);
    drive_expect(d, reset, 5000 + XFER + PROG + ERASE);
    drive_free(d);
}

static void test_link_in(void)
{
    Drive *d = drive_new(IN);
    uint32_t a, b, c;

    a = drive_write(d, 0, 0, 1);
    b = drive_append(d, 0, 0, 2);
    c = drive_io(d, 0, SSD_OP_WRITE_ZEROES, 3, 1);
    drive_expect(d, a, 4096 + XFER + PROG);
    /* Page 2 comes behind page 0; zeroes need no link, but their turn. */
    drive_expect(d, b, 4096 + XFER + 2 * PROG);
    drive_expect(d, c, 3 * 4096 + XFER + 2 * PROG);
    drive_free(d);
}

/* What is still on the link when the zone is reset is thrown away. */
static void test_reset_on_the_link(void)
{
    Drive *d = drive_new("channels=1 " IN);
    g_autofree char *stats = NULL;
    uint32_t write, reset, again;

    write = drive_write(d, 0, 0, 2);
    reset = drive_zone_op(d, 1, SSD_OP_ZONE_RESET, 0);
    again = drive_write(d, 2, 0, 1);
    drive_expect(d, reset, 1);
    drive_expect(d, write, 2 * 4096);
    drive_expect(d, again, 3 * 4096 + XFER + PROG);
    stats = ssd_stats_json(d->ssd, d->now_ns, NULL);
    g_assert_nonnull(strstr(stats, "\"programs\":1,\"erases\":0}"));
    drive_free(d);
}

/* A finish comes behind data that are still on the link. */
static void test_finish_behind_the_link(void)
{
    Drive *d = drive_new("channels=1 " IN);
    uint32_t write = drive_write(d, 0, 0, 8);
    uint32_t finish = drive_zone_op(d, 1, SSD_OP_ZONE_FINISH, 0);

    drive_expect(d, write, 8 * 4096 + XFER + 8 * PROG);
    drive_expect(d, finish, 8 * 4096 + 16 * PROG + XFER + 7 * XFER);
    drive_free(d);
}

static void test_link_out(void)
{
    Drive *d = drive_new(OUT IN);
    uint32_t a, b;

    drive_fill(d, 0, 4);
    a = drive_read(d, 9 * MS, 0, 1);
    b = drive_read(d, 9 * MS, 1, 1);
    drive_expect(d, a, 9 * MS + READ + XFER + 4096);
    drive_expect(d, b, 9 * MS + READ + XFER + 2 * 4096);
    /* A command's pages go out as they come; its last one ends it. */
    a = drive_read(d, 10 * MS, 0, 4);
    drive_expect(d, a, 10 * MS + 2 * READ + XFER + 2 * 4096);
    a = drive_io(d, 11 * MS, SSD_OP_VERIFY, 0, 1);
    drive_expect(d, a, 11 * MS + READ + XFER);
    a = drive_io(d, 12 * MS, SSD_OP_COMPARE, 0, 1);
    drive_expect(d, a, 12 * MS + READ + XFER);
    drive_free(d);
}

/* Two reads' data cross from 9 ms and 85 us on, and nothing passes them. */
static void test_link_behind_data(void)
{
    const uint64_t from = 9 * MS + READ + XFER, until = from + 2 * 4096;
    Drive *d = drive_new(OUT IN "zones=5 write-buffer=64K "
                         "program-registers=1");
    uint32_t a, b, before, answered, asks, open;

    drive_fill(d, 0, 4);
    a = drive_read(d, 9 * MS, 0, 1);
    b = drive_read(d, 9 * MS, 1, 1);
    before = drive_append(d, from - 4097, 1, 1);
    answered = drive_append(d, from - 4095, 2, 1);
    drive_expect(d, before, from - 1);
    asks = drive_append(d, from + 4095, 3, 1);
    open = drive_zone_op(d, from + 4095, SSD_OP_ZONE_OPEN, 4);
    drive_expect(d, open, from + 4095);
    drive_expect(d, a, from + 4096);
    /* What has come behind data ends with them; what is asked for comes then. */
    drive_expect_next(d, b, until);
    drive_expect(d, answered, until);
    drive_expect(d, asks, until + 4096);
    /* A verify carries no data, but completes. */
    a = drive_read(d, 19 * MS, 0, 1);
    b = drive_io(d, 19 * MS + 100, SSD_OP_VERIFY, 1, 1);
    drive_expect_next(d, a, 19 * MS + READ + XFER + 4096);
    drive_expect(d, b, 19 * MS + READ + XFER + 4096);
    drive_free(d);
}

/* Data that need no time on their way in are there at once. */
static void test_link_out_alone(void)
{
    const uint64_t from = 9 * MS + READ + XFER;
    Drive *d = drive_new(OUT "write-buffer=64K program-registers=1 "
                         "fe-append-arrived-ns=10000");
    uint32_t read, write;

    drive_fill(d, 0, 1);
    read = drive_read(d, 9 * MS, 0, 1);
    write = drive_append(d, from + 1, 1, 1);
    drive_expect(d, read, from + 4096);
    drive_expect(d, write, from + 1 + 10000);
    drive_free(d);
}

/* A part of a page costs its share; data in a buffer cross the link, too. */
static void test_link_out_of_parts(void)
{
    Drive *d = drive_new(OUT "channels=1 page-size=16K");
    uint32_t tag, write;

    drive_fill(d, 0, 1);
    tag = drive_read(d, 3 * MS, 1, 1);
    drive_expect(d, tag, 3 * MS + READ + XFER + 4096);
    write = drive_write(d, 4 * MS, 4, 4);
    tag = drive_read(d, 4 * MS, 3, 2);
    drive_expect(d, tag, 4 * MS + READ + XFER + 4096);
    drive_expect(d, write, 4 * MS + READ + PROG);
    drive_free(d);
}

/* Compare: its data come in while the flash is read. */
static void test_compare(void)
{
    Drive *d = drive_new("link-in-ns=51200000");
    uint32_t tag;

    drive_fill(d, 0, 1);
    tag = drive_io(d, 9 * MS, SSD_OP_COMPARE, 0, 1);
    drive_expect(d, tag, 9 * MS + 200000);
    drive_free(d);
}

static void test_fixed(void)
{
    Drive *d = drive_new("channels=1 fixed-read-ns=100 fixed-write-ns=200 "
                         "fixed-append-ns=300 fixed-small-ns=40 fe-small=8K "
                         "fe-open-ns=1");
    uint32_t a, b;

    a = drive_write(d, 0, 0, 1);
    drive_expect(d, a, XFER + PROG + 240);
    a = drive_append(d, 1 * MS, 0, 1);
    drive_expect(d, a, 1 * MS + XFER + PROG + 340);
    a = drive_write(d, 2 * MS, 2, 2);
    drive_expect(d, a, 2 * MS + XFER + 2 * PROG + 200);
    /* It occupies nothing: the next does not wait for it. */
    a = drive_read(d, 4 * MS, 0, 1);
    b = drive_read(d, 4 * MS, 1, 1);
    drive_expect(d, a, 4 * MS + READ + XFER + 100);
    drive_expect(d, b, 4 * MS + 2 * READ + XFER + 100);
    a = drive_flush(d, 5 * MS);
    drive_expect(d, a, 5 * MS);
    drive_free(d);
}

/* Two pages are in the command; of more the drive fetches a list. */
static void test_fixed_list(void)
{
    Drive *d = drive_new("channels=1 fixed-write-ns=200 fixed-append-ns=300 "
                         "fixed-list-ns=40");
    uint32_t a = drive_write(d, 0, 0, 2);

    drive_expect(d, a, XFER + 2 * PROG + 200);
    a = drive_write(d, 3 * MS, 2, 3);
    drive_expect(d, a, 3 * MS + XFER + 3 * PROG + 240);
    a = drive_append(d, 6 * MS, 0, 3);
    drive_expect(d, a, 6 * MS + XFER + 3 * PROG + 340);
    a = drive_io(d, 9 * MS, SSD_OP_WRITE_ZEROES, 8, 3);
    drive_expect(d, a, 9 * MS + XFER + 3 * PROG + 200);
    a = drive_read(d, 12 * MS, 0, 3);
    drive_expect(d, a, 12 * MS + 3 * READ + XFER);
    drive_free(d);
}

/* Small blocks: a part of 4 KiB, and 4 KiB of a namespace with 512 bytes. */
static void test_small_blocks(void)
{
    static const char words[] =
        "channels=1 fe-write-ns=1000 fe-append-ns=2000 fe-small=8K "
        "fe-small-write-ns=3000 fe-small-append-ns=4000 fixed-small-ns=10 "
        "fe-part-ns=8000 fe-part-merge-ns=200 fe-lba512-ns=6000 "
        "fe-after=500 fixed-lba512-ns=70 ";
    g_autofree char *small = g_strconcat(words, "lba-size=512", NULL);
    Drive *d = drive_new(small);
    uint32_t part[4], a, b;

    /* 512 bytes, a load of an eighth of a page; merged with those before. */
    for (unsigned i = 0; i < 4; i++) {
        part[i] = i % 2 ? drive_append(d, 0, 0, 1) : drive_write(d, 0, i, 1);
    }
    drive_expect(d, part[0], XFER / 8);
    drive_expect_next(d, part[1], 8000 + XFER / 8);
    drive_expect_next(d, part[2], 8000 + 8200 + XFER / 8);
    drive_expect_next(d, part[3], 8000 + 8200 + 8400 + XFER / 8);
    /* Two of 1 KiB are before the third, whatever they were written as. */
    a = drive_write(d, 1 * MS, 4, 2);
    b = drive_append(d, 1 * MS, 0, 2);
    drive_expect(d, a, 1 * MS + XFER * 2 / 8);
    drive_expect(d, b, 1 * MS + 8400 + XFER * 2 / 8 + PROG);
    a = drive_write(d, 2 * MS, 8, 8);
    drive_expect(d, a, 2 * MS + 3000 + XFER + PROG + 70);
    a = drive_append(d, 3 * MS, 0, 16);
    drive_expect(d, a, 3 * MS + 1000 + XFER + 2 * PROG);
    drive_free(d);
    d = drive_new(words);
    a = drive_write(d, 0, 0, 1);
    drive_expect(d, a, 1500 + XFER + PROG + 10);
    drive_free(d);
}

/* One of ten such writes pauses, on average for 37.5 us. */
static void test_pauses(void)
{
    Drive *d = drive_new("zone-size=16M lba-size=512 fe-part-ns=8000 "
                         "fe-part-pauses=100 fe-part-pause-ns=37500 "
                         "program-ns=0 page-transfer-ns=0");
    uint64_t sum_ns = 0, at_ns = 0;
    unsigned pauses = 0;

    for (unsigned i = 0; i < 8000; i++, at_ns += MS) {
        uint64_t pause_ns;

        drive_write(d, at_ns, i, 1);
        drive_flush(d, at_ns); /* finds the front end at it */
        pause_ns = drive_drain(d) - at_ns - 8000;
        pauses += pause_ns > 0;
        sum_ns += pause_ns;
    }
    /* 800 with a standard deviation of 27; their mean's is 1.3 us. */
    g_assert_cmpuint(pauses, >, 800 - 81);
    g_assert_cmpuint(pauses, <, 800 + 81);
    g_assert_cmpuint(sum_ns / pauses, >, 33500);
    g_assert_cmpuint(sum_ns / pauses, <, 41500);
    drive_free(d);
}

/* Of those that pause in 999 of 1,000 cases, eight in 8,000 do not. */
static void test_most_pause(void)
{
    Drive *d = drive_new("zone-size=16M lba-size=512 fe-part-ns=8000 "
                         "fe-part-pauses=999 fe-part-pause-ns=1000000000 "
                         "program-ns=0 page-transfer-ns=0");
    uint64_t at_ns = 0;
    unsigned rest = 0;

    for (unsigned i = 0; i < 8000; i++) {
        drive_write(d, at_ns, i, 1);
        drive_flush(d, at_ns);
        rest += drive_drain(d) - at_ns == 8000;
        at_ns = d->now_ns + MS;
    }
    g_assert_cmpuint(rest, >, 0);
    g_assert_cmpuint(rest, <, 8 + 3 * 3);
    drive_free(d);
}

/* The work after the hand-off varies round its mean; the latency does not. */
static void test_after_random(void)
{
    uint64_t sum_ns[2] = { 0 }, third_ns[2];

    for (unsigned run = 0; run < 2; run++) {
        Drive *d = drive_new("zone-size=16M mdts=1M fe-write-ns=4000 "
                             "fe-after=500 fe-after-random=on program-ns=0 "
                             "page-transfer-ns=0");
        uint64_t at_ns = 0;

        for (unsigned i = 0; i < 2000; i++) {
            uint32_t a = drive_write(d, at_ns, 2 * i, 1);
            uint32_t b = drive_write(d, at_ns, 2 * i + 1, 1);

            drive_expect(d, a, at_ns + 2000);
            third_ns[run] = drive_drain(d) - at_ns - 4000;
            g_assert_cmpuint(d->now_ns, >=, at_ns + 4000);
            sum_ns[run] += third_ns[run];
            at_ns = d->now_ns + MS;
            (void)b;
        }
        drive_free(d);
    }
    g_assert_cmpuint(sum_ns[0], ==, sum_ns[1]);
    /* Mean 2000; that of 2000 has a standard deviation of 45. */
    g_assert_cmpuint(sum_ns[0] / 2000, >, 2000 - 140);
    g_assert_cmpuint(sum_ns[0] / 2000, <, 2000 + 140);
}

/* A report, identify, log page or feature; `zones` of a report. */
static uint32_t ask(Drive *d, uint64_t at_ns, SsdOp op, uint32_t zones)
{
    return drive_io(d, at_ns, op, 0, zones);
}

#define ASK "fe-report-ns=5000 fe-report-zone-ns=70 fe-identify-ns=900 " \
            "fe-log-ns=1100 fe-feature-ns=1300 "

/* A report of n zones takes a + n * b; what is asked has its turn. */
static void test_asked(void)
{
    Drive *d = drive_new(ASK "fe-write-ns=200 fe-read-ns=100");
    uint32_t a, b, c;

    for (uint32_t zones = 0; zones <= 4; zones++) {
        uint64_t at_ns = d->now_ns + MS;

        a = ask(d, at_ns, SSD_OP_ZONE_REPORT, zones);
        drive_expect(d, a, at_ns + 5000 + zones * 70);
    }
    a = ask(d, 10 * MS, SSD_OP_IDENTIFY, 0);
    drive_expect(d, a, 10 * MS + 900);
    a = ask(d, 11 * MS, SSD_OP_LOG, 0);
    drive_expect(d, a, 11 * MS + 1100);
    a = ask(d, 12 * MS, SSD_OP_FEATURE, 0);
    drive_expect(d, a, 12 * MS + 1300);
    /* Behind a write, and before a read, in the front end alone. */
    a = drive_write(d, 20 * MS, 0, 1);
    b = ask(d, 20 * MS, SSD_OP_ZONE_REPORT, 3);
    c = drive_read(d, 20 * MS, 16, 1);
    drive_expect(d, b, 20 * MS + 200 + 5210);
    drive_expect(d, c, 20 * MS + 200 + 5210 + 100);
    drive_expect(d, a, 20 * MS + 200 + XFER + PROG);
    drive_expect_idle(d);
    drive_free(d);
}

/* One such parameter makes a front end. */
static void test_asked_alone(void)
{
    static const struct {
        const char *words;
        SsdOp op;
        uint64_t take_ns;
    } drives[] = {
        { "fe-report-ns=900", SSD_OP_ZONE_REPORT, 900 },
        { "fe-report-zone-ns=70", SSD_OP_ZONE_REPORT, 3 * 70 },
        { "fe-identify-ns=901", SSD_OP_IDENTIFY, 901 },
        { "fe-log-ns=902", SSD_OP_LOG, 902 },
        { "fe-feature-ns=903", SSD_OP_FEATURE, 903 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(drives); i++) {
        Drive *d = drive_new(drives[i].words);
        uint32_t tag = ask(d, 5, drives[i].op, 3);

        drive_expect(d, tag, 5 + drives[i].take_ns);
        drive_free(d);
    }
}

/* How long a command takes that meets zone 0 in this state. */
static uint64_t time_of(const char *words, SsdZoneState state, SsdOp op,
                        uint32_t nlb)
{
    Drive *d = drive_new(words);
    bool is_empty = state == SSD_ZONE_EMPTY;
    SsdDone done;

    if (!is_empty) {
        drive_write(d, 0, 0, 8);
        drive_drain(d);
    }
    if (state == SSD_ZONE_CLOSED) {
        drive_zone_op(d, 9 * MS, SSD_OP_ZONE_CLOSE, 0);
        drive_drain(d);
    }
    drive_io(d, 20 * MS, op, op == SSD_OP_WRITE && !is_empty ? 8 : 0, nlb);
    do {
        d->now_ns = ssd_next_at_ns(d->ssd);
    } while (!ssd_poll(d->ssd, d->now_ns, &done, 1));
    drive_free(d);
    return done.due_at_ns - done.submitted_at_ns;
}

/* Each of all others alone makes a front end, and costs what it says. */
static void test_each_alone(void)
{
    static const struct {
        const char *words;
        SsdZoneState state;
        SsdOp op;
        uint32_t nlb;
    } drives[] = {
        { "fe-read-ns=", SSD_ZONE_CLOSED, SSD_OP_READ, 8 },
        { "fe-write-ns=", SSD_ZONE_EMPTY, SSD_OP_WRITE, 8 },
        { "fe-append-ns=", SSD_ZONE_EMPTY, SSD_OP_APPEND, 8 },
        { "fe-open-ns=", SSD_ZONE_EMPTY, SSD_OP_ZONE_OPEN, 0 },
        { "fe-close-ns=", SSD_ZONE_IMPLICITLY_OPEN, SSD_OP_ZONE_CLOSE, 0 },
        { "fe-finish-ns=", SSD_ZONE_CLOSED, SSD_OP_ZONE_FINISH, 0 },
        { "fe-reset-ns=", SSD_ZONE_CLOSED, SSD_OP_ZONE_RESET, 0 },
        { "fe-small=8K fe-small-write-ns=", SSD_ZONE_EMPTY, SSD_OP_WRITE, 8 },
        { "fe-small=8K fe-small-append-ns=", SSD_ZONE_EMPTY, SSD_OP_APPEND,
          8 },
        { "fe-first-write-ns=", SSD_ZONE_EMPTY, SSD_OP_WRITE, 8 },
        { "fe-closed-write-ns=", SSD_ZONE_CLOSED, SSD_OP_WRITE, 8 },
        { "fe-lba512-read-ns=", SSD_ZONE_CLOSED, SSD_OP_READ, 8 },
        { "fe-small=8K fe-lba512-ns=", SSD_ZONE_EMPTY, SSD_OP_WRITE, 8 },
        { "fe-small=8K fixed-small-ns=", SSD_ZONE_EMPTY, SSD_OP_WRITE, 8 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(drives); i++) {
        uint64_t takes_ns[2];

        for (unsigned j = 0; j < 2; j++) {
            g_autofree char *words = g_strdup_printf(
                "lba-size=512 page-transfer-ns=32768 %s%u", drives[i].words,
                900 * j);

            takes_ns[j] = time_of(words, drives[i].state, drives[i].op,
                                  drives[i].nlb);
        }
        g_assert_cmpuint(takes_ns[1], ==, takes_ns[0] + 900);
    }
}

/* What takes no time waits for nothing, though there is a front end. */
static void test_asked_for_nothing(void)
{
    static const SsdOp ops[] = { SSD_OP_ZONE_REPORT, SSD_OP_IDENTIFY,
                                 SSD_OP_LOG, SSD_OP_FEATURE };
    static const char *const words[] = {
        "fe-identify-ns=1 fe-log-ns=1 fe-feature-ns=1 fe-write-ns=700",
        "fe-report-zone-ns=1 fe-log-ns=1 fe-feature-ns=1 fe-write-ns=700",
        "fe-report-ns=1 fe-identify-ns=1 fe-feature-ns=1 fe-write-ns=700",
        "fe-report-ns=1 fe-identify-ns=1 fe-log-ns=1 fe-write-ns=700",
    };
    uint32_t write, tag;

    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
        Drive *d = drive_new(words[i]);

        for (unsigned j = 0; j < G_N_ELEMENTS(ops); j++) {
            g_assert_cmpint(ssd_is_timed(d->ssd, ops[j]), ==, i != j);
        }
        write = drive_write(d, MS, 0, 1);
        tag = ask(d, MS, ops[i], 0);
        drive_expect(d, tag, MS);
        drive_expect(d, write, MS + 700 + XFER + PROG);
        drive_free(d);
    }
}

/* They are of a slot each; all but a report, of the whole drive. */
static void test_asked_whom(void)
{
    Drive *d = drive_new(ASK "cmd-slots=2 namespaces=2 conventional-size=64K");
    SsdCmd cmd = { .op = SSD_OP_LOG, .nsid = SSD_NSID_ALL };
    uint32_t tag;

    g_assert_cmphex(ssd_submit(d->ssd, 0, &cmd, 77).status, ==, SSD_SUCCESS);
    for (d->nsid = 1; d->nsid <= 3; d->nsid++) {
        g_assert_cmpuint(ssd_ns_inflight(d->ssd, d->nsid), ==, 0);
    }
    drive_expect(d, 77, 1100);
    d->nsid = 2;
    tag = drive_io(d, MS, SSD_OP_ZONE_REPORT, 31, 1);
    ask(d, MS, SSD_OP_IDENTIFY, 0);
    g_assert_cmpuint(ssd_ns_inflight(d->ssd, 2), ==, 2);
    g_assert_false(ssd_has_room(d->ssd));
    drive_expect(d, tag, MS + 5070);
    g_assert_true(ssd_has_room(d->ssd));
    drive_drain(d);
    g_assert_cmphex(drive_try(d, 2 * MS, SSD_OP_ZONE_REPORT, 16, 2).status,
                    ==, SSD_INVALID_FIELD);
    g_assert_cmphex(drive_try(d, 2 * MS, SSD_OP_ZONE_REPORT, 32, 0).status,
                    ==, SSD_LBA_OUT_OF_RANGE);
    d->nsid = 3;
    g_assert_cmphex(drive_try(d, 2 * MS, SSD_OP_ZONE_REPORT, 0, 0).status,
                    ==, SSD_INVALID_OPCODE);
    cmd.op = SSD_OP_ZONE_REPORT;
    g_assert_cmphex(ssd_submit(d->ssd, 2 * MS, &cmd, 0).status, ==,
                    SSD_INVALID_NAMESPACE_OR_FORMAT);
    tag = ask(d, 2 * MS, SSD_OP_FEATURE, 0);
    drive_expect(d, tag, 2 * MS + 1300);
    drive_free(d);
}

/* Host I/O has gone, whatever is asked; a finish does not slow down for it. */
static void test_asked_beside_jobs(void)
{
    Drive *d = drive_new(ASK "channels=1 finish-busy-pause-ns=1000000");
    uint32_t finish = drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 0);
    uint32_t tag = ask(d, 0, SSD_OP_ZONE_REPORT, 4);
    g_autofree char *stats = NULL;

    drive_expect(d, tag, 5280);
    drive_expect(d, finish, 16 * (XFER + PROG));
    stats = ssd_stats_json(d->ssd, d->now_ns, NULL);
    g_assert_nonnull(strstr(stats, "\"report\":{\"errors\":0,\"bytes\":0,"
                            "\"count\":1,\"sum_ns\":5280,"));
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/front/one-by-one", test_one_by_one);
    g_test_add_func("/front/after", test_after);
    g_test_add_func("/front/again", test_again);
    g_test_add_func("/front/again-not-zrwa-flush",
                    test_again_not_zrwa_flush);
    g_test_add_func("/front/next", test_next);
    g_test_add_func("/front/after-random", test_after_random);
    g_test_add_func("/front/small-blocks", test_small_blocks);
    g_test_add_func("/front/pauses", test_pauses);
    g_test_add_func("/front/most-pause", test_most_pause);
    g_test_add_func("/front/write-costs", test_write_costs);
    g_test_add_func("/front/management-costs", test_management_costs);
    g_test_add_func("/front/order-of-effects", test_order_of_effects);
    g_test_add_func("/link/in", test_link_in);
    g_test_add_func("/link/in/reset", test_reset_on_the_link);
    g_test_add_func("/link/in/finish", test_finish_behind_the_link);
    g_test_add_func("/link/out", test_link_out);
    g_test_add_func("/link/out/behind", test_link_behind_data);
    g_test_add_func("/link/out/alone", test_link_out_alone);
    g_test_add_func("/link/out/parts", test_link_out_of_parts);
    g_test_add_func("/link/compare", test_compare);
    g_test_add_func("/front/fixed", test_fixed);
    g_test_add_func("/front/fixed/list", test_fixed_list);
    g_test_add_func("/front/asked", test_asked);
    g_test_add_func("/front/asked/alone", test_asked_alone);
    g_test_add_func("/front/each-alone", test_each_alone);
    g_test_add_func("/front/asked/nothing", test_asked_for_nothing);
    g_test_add_func("/front/asked/whom", test_asked_whom);
    g_test_add_func("/front/asked/jobs", test_asked_beside_jobs);
    return g_test_run();
}
