/*
 * Exact times of the flash array's own features: planes that work as one,
 * one-shot programs, registers, reads first, times that vary. Suspension is in
 * test_resuming.c.
 *
 * Knows nothing of the drive's inside but what random times are drawn by.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "base/draw.h"
#include "support/drive.h"

/* The base drive of drive.h, in numbers. */
#define READ UINT64_C(60000)
#define PROG UINT64_C(700000)
#define ERASE UINT64_C(3500000)
#define XFER UINT64_C(25000)
#define MS UINT64_C(1000000)
#define PAGES 16

/* Both planes of a die transfer, sense, program and erase together. */
static void test_multi_plane(void)
{
    Drive *d = drive_new("channels=1 planes=2 multi-plane=on");
    g_autofree char *stats = NULL;
    uint32_t tag;

    tag = drive_write(d, 0, 0, 2);
    drive_expect(d, tag, 2 * XFER + PROG);
    /* Half of what one program writes waits for the other half. */
    tag = drive_write(d, MS, 2, 1);
    drive_expect(d, tag, MS + XFER);
    tag = drive_write(d, 2 * MS, 3, 1);
    drive_expect(d, tag, 2 * MS + XFER + PROG);
    tag = drive_read(d, 3 * MS, 0, 2);
    drive_expect(d, tag, 3 * MS + READ + 2 * XFER);
    /* Two programs on the one array clock, though planes=2. */
    tag = drive_write(d, 4 * MS, 4, 4);
    drive_expect(d, tag, 4 * MS + 2 * XFER + 2 * PROG);
    /* 4 pages of each plane are a block of each plane: one erase. */
    tag = drive_zone_op(d, 9 * MS, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, tag, 9 * MS + ERASE);
    stats = ssd_stats_json(d->ssd, d->now_ns, NULL);
    g_assert_nonnull(strstr(stats, "\"senses\":1,\"programs\":4,"
                                   "\"erases\":1}"));
    g_assert_nonnull(strstr(stats, "\"units\":[6360000],"));
    g_assert_nonnull(strstr(stats, "\"dies\":1,\"planes\":1}"));
    drive_free(d);
}

/* Zones begin on different units: the first page of each, side by side. */
static void test_stagger(void)
{
    Drive *d = drive_new("channels=4 zone-stagger=3 zones=6");
    uint32_t tag[4];

    for (unsigned z = 0; z < 4; z++) {
        tag[z] = drive_write(d, 0, drive_zone_lba(d, z), 1);
    }
    for (unsigned z = 0; z < 4; z++) {
        drive_expect_next(d, tag[z], XFER + PROG);
    }
    /* Zone 4 begins where zone 0 does, zone 5 where zone 1 does. */
    tag[0] = drive_write(d, 2 * MS, drive_zone_lba(d, 4), 1);
    tag[1] = drive_write(d, 2 * MS, drive_zone_lba(d, 0) + 1, 1);
    tag[2] = drive_write(d, 2 * MS, drive_zone_lba(d, 0) + 2, 3);
    drive_expect_next(d, tag[0], 2 * MS + XFER + PROG);
    drive_expect_next(d, tag[1], 2 * MS + XFER + PROG);
    drive_expect(d, tag[2], 2 * MS + XFER + 2 * PROG);
    /* Pages 0 and 4 of zone 1 are on one unit, two blocks; of zone 2, one. */
    drive_write(d, 9 * MS, drive_zone_lba(d, 1) + 1, 15);
    drive_drain(d);
    tag[0] = drive_read(d, 20 * MS, drive_zone_lba(d, 1), 4);
    drive_expect(d, tag[0], 20 * MS + READ + XFER);
    tag[0] = drive_zone_op(d, 30 * MS, SSD_OP_ZONE_RESET, 1);
    drive_expect(d, tag[0], 30 * MS + ERASE);
    drive_free(d);
}

/* The blocks that a staggered zone has used are erased, and no others. */
static void test_stagger_erases(void)
{
    Drive *d = drive_new("channels=4 zone-stagger=1 pages-per-block=1");
    g_autofree char *stats = NULL;
    uint32_t tag;

    /* Zone 3 begins on unit 3: pages 0 and 4 there, 1 on unit 0. */
    drive_fill(d, 3, 5);
    drive_fill(d, 0, 1);
    drive_drain(d);
    tag = drive_zone_op(d, 20 * MS, SSD_OP_ZONE_RESET, 3);
    drive_expect(d, tag, 20 * MS + 2 * ERASE);
    stats = ssd_stats_json(d->ssd, d->now_ns, NULL);
    g_assert_nonnull(strstr(stats, "\"erases\":5}"));
    /* Unit 0: two programs and an erase; unit 3: two of each. */
    g_assert_nonnull(strstr(stats, "\"units\":[4900000,4200000,4200000,"
                                   "8400000]"));
    drive_free(d);
}

/* A whole page is sensed, but a share of it crosses the channel. */
static void test_multi_plane_read(void)
{
    Drive *d = drive_new("channels=1 planes=2 multi-plane=on page-size=16K "
                         "read-granule=4K");
    uint32_t tag;

    drive_fill(d, 0, 2);
    tag = drive_read(d, 3 * MS, 3, 2);
    drive_expect(d, tag, 3 * MS + READ + 2 * XFER / 4);
    drive_free(d);
}

/* Three pages are programmed at once and sensed one after another. */
static void test_one_shot(void)
{
    Drive *d = drive_new("channels=2 program-pages=3 pages-per-block=6 "
                         "zone-capacity=48K");
    uint32_t tag;

    tag = drive_write(d, 0, 0, 3);
    drive_expect(d, tag, 3 * XFER + PROG);
    /* What the next program writes lies on the other channel. */
    tag = drive_write(d, MS, 3, 6);
    drive_expect(d, tag, MS + 3 * XFER + PROG);
    tag = drive_read(d, 3 * MS, 1, 1);
    drive_expect(d, tag, 3 * MS + READ + XFER);
    tag = drive_read(d, 4 * MS, 0, 3);
    drive_expect(d, tag, 4 * MS + 3 * READ + XFER);
    /* Pages 2 and 3 are neighbours on two channels. */
    tag = drive_read(d, 5 * MS, 2, 2);
    drive_expect(d, tag, 5 * MS + READ + XFER);
    /* Finish: 3 pages left, one program. */
    tag = drive_zone_op(d, 6 * MS, SSD_OP_ZONE_FINISH, 0);
    drive_expect(d, tag, 6 * MS + 3 * XFER + PROG);
    /* 6 pages on each channel: a block each, side by side. */
    tag = drive_zone_op(d, 9 * MS, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, tag, 9 * MS + ERASE);
    drive_free(d);
}

static void test_program_transfer(void)
{
    Drive *d = drive_new("channels=1 program-transfer-ns=7000");
    uint32_t tag;

    tag = drive_write(d, 0, 0, 1);
    drive_expect(d, tag, 7000 + PROG);
    tag = drive_read(d, MS, 0, 1);
    drive_expect(d, tag, MS + READ + XFER);
    tag = drive_zone_op(d, 2 * MS, SSD_OP_ZONE_FINISH, 0);
    drive_expect(d, tag, 2 * MS + 15 * (7000 + PROG));
    drive_free(d);
}

/* Padding carries no data of the host; a page with some of them does. */
static void test_program_data(void)
{
    Drive *d = drive_new("channels=1 program-data-ns=1000 page-size=8K "
                         "zone-capacity=24K");
    uint32_t tag;

    tag = drive_write(d, 0, 0, 3);
    drive_expect(d, tag, 3 * XFER / 2 + PROG + 1000 - XFER / 2);
    tag = drive_zone_op(d, 2 * MS, SSD_OP_ZONE_FINISH, 0);
    drive_expect(d, tag, 2 * MS + XFER / 2 + PROG + 1000 + XFER + PROG);
    drive_free(d);
}

/* Without cache read, the array waits for the transfer. */
static void test_cache_read(void)
{
    Drive *d = drive_new("channels=1 cache-read=off");
    uint32_t a, b, write;

    drive_fill(d, 0, 2);
    a = drive_read(d, 3 * MS, 0, 1);
    b = drive_read(d, 3 * MS, 1, 1);
    drive_expect(d, a, 3 * MS + READ + XFER);
    drive_expect(d, b, 3 * MS + 2 * (READ + XFER));
    /* The channel is busy with a load: the array waits for it, too. */
    a = drive_read(d, 4 * MS, 0, 1);
    write = drive_write(d, 4 * MS + READ - 1, 2, 2);
    b = drive_read(d, 4 * MS + READ, 1, 1);
    drive_expect(d, a, 4 * MS + READ - 1 + 3 * XFER);
    drive_expect(d, b, 4 * MS + READ - 1 + 3 * XFER + READ + XFER);
    drive_expect(d, write, 4 * MS + READ - 1 + 3 * XFER + READ + XFER +
                 2 * PROG);
    drive_free(d);
}

/* The command of a read waits for all data that ask while it waits. */
static void test_command_behind_data(void)
{
    const uint64_t command = 5000;
    Drive *d = drive_new("channels=1 ways=3 cache-read=off "
                         "sense-command-ns=5000");
    uint32_t a, b, c;

    drive_fill(d, 0, 3);
    a = drive_read(d, 3 * MS, 0, 1);
    b = drive_read(d, 3 * MS, 1, 1);
    /* The first one's data cross; the second's ask later, and go before. */
    c = drive_read(d, 3 * MS + command + READ + 1, 2, 1);
    drive_expect(d, a, 3 * MS + command + READ + XFER);
    drive_expect(d, b, 3 * MS + command + READ + 2 * XFER);
    drive_expect(d, c, 3 * MS + 2 * (command + READ) + 3 * XFER);
    drive_free(d);
}

/* A program's data cross the channel when a register is free. */
static void test_program_registers(void)
{
    Drive *d = drive_new("channels=1 program-registers=1");
    uint32_t tag[4];

    for (unsigned i = 0; i < 3; i++) {
        tag[i] = drive_write(d, 0, i, 1);
    }
    for (unsigned i = 0; i < 3; i++) {
        drive_expect(d, tag[i], (i + 1) * (XFER + PROG));
    }
    drive_free(d);

    /* Two: one is loaded while the other is programmed. */
    d = drive_new("channels=1 program-registers=2 page-transfer-ns=900000");
    for (unsigned i = 0; i < 3; i++) {
        tag[i] = drive_write(d, 0, i, 1);
    }
    drive_expect(d, tag[0], 900000 + PROG);
    drive_expect(d, tag[1], 2 * 900000 + PROG);
    /* The first register is free at 1.6 ms, the channel at 1.8 ms. */
    drive_expect(d, tag[2], 3 * 900000 + PROG);
    drive_free(d);

    d = drive_new("channels=1 program-registers=2 program-ns=900000");
    for (unsigned i = 0; i < 4; i++) {
        tag[i] = drive_write(d, 0, i, 1);
    }
    for (unsigned i = 0; i < 4; i++) {
        drive_expect(d, tag[i], XFER + (i + 1) * 900000);
    }
    drive_free(d);
}

/* Registers are the unit's: another unit on the channel does not wait. */
static void test_registers_of_units(void)
{
    Drive *d = drive_new("channels=1 ways=2 program-registers=1");
    uint32_t tag = drive_write(d, 0, 0, 4);

    /* Way 1: loaded at 25 to 50 us, at 750 to 775 us. */
    drive_expect(d, tag, 3 * XFER + 2 * PROG);
    drive_free(d);
}

/*
 * The controller issues programs one after another, whatever their unit is, and
 * a register's next program while the first runs. Reads do not wait for it.
 */
static void test_program_issue(void)
{
    const uint64_t issue = 10000;
    Drive *d = drive_new("channels=4 program-registers=2 "
                         "program-issue-ns=10000");
    uint32_t tag[4], more, read;

    for (unsigned i = 0; i < 4; i++) {
        tag[i] = drive_write(d, 0, i, 1);
    }
    more = drive_write(d, 1, 4, 1);
    for (unsigned i = 0; i < 4; i++) {
        drive_expect(d, tag[i], (i + 1) * issue + XFER + PROG);
    }
    drive_expect(d, more, issue + XFER + 2 * PROG);
    drive_free(d);

    /* With one register, it is issued when that is free. */
    d = drive_new("channels=1 program-registers=1 program-issue-ns=10000");
    tag[0] = drive_write(d, 0, 0, 1);
    tag[1] = drive_write(d, 0, 1, 1);
    drive_expect(d, tag[0], issue + XFER + PROG);
    drive_expect(d, tag[1], 2 * (issue + XFER + PROG));
    drive_free(d);

    /* The channel is the read's while the program is issued. */
    d = drive_new("channels=1 program-issue-ns=100000");
    drive_fill(d, 0, 1);
    tag[0] = drive_write(d, 9 * MS, 1, 1);
    read = drive_read(d, 9 * MS, 0, 1);
    drive_expect(d, read, 9 * MS + READ + XFER);
    drive_expect(d, tag[0], 9 * MS + 100000 + XFER + PROG);
    drive_free(d);
}

static void test_reads_first(void)
{
    Drive *d = drive_new("channels=1 reads-first=2");
    uint32_t read[3], write[3];

    drive_fill(d, 0, 1);
    for (unsigned i = 0; i < 3; i++) {
        write[i] = drive_write(d, 9 * MS, 1 + i, 1);
    }
    for (unsigned i = 0; i < 3; i++) {
        read[i] = drive_read(d, 9 * MS + 2 * XFER + i, 0, 1);
    }
    /* Two reads after the first program, the third after the second. */
    drive_expect(d, write[0], 9 * MS + XFER + PROG);
    drive_expect(d, read[0], 9 * MS + XFER + PROG + READ + XFER);
    drive_expect(d, read[1], 9 * MS + XFER + PROG + 2 * READ + XFER);
    drive_expect(d, write[1], 9 * MS + XFER + 2 * PROG + 2 * READ);
    drive_expect(d, read[2], 9 * MS + 2 * XFER + 2 * PROG + 3 * READ);
    drive_expect(d, write[2], 9 * MS + XFER + 3 * PROG + 3 * READ);
    drive_free(d);
}

/* Reads alone are not limited, and then programs have their turn. */
static void test_reads_alone(void)
{
    Drive *d = drive_new("channels=1 reads-first=1 page-transfer-ns=0");
    uint32_t read[3], write;

    drive_fill(d, 0, 1);
    for (unsigned i = 0; i < 3; i++) {
        read[i] = drive_read(d, 9 * MS, 0, 1);
    }
    write = drive_write(d, 9 * MS + READ + 1, 1, 1);
    drive_expect(d, read[0], 9 * MS + READ);
    drive_expect(d, read[1], 9 * MS + 2 * READ);
    drive_expect(d, write, 9 * MS + 2 * READ + PROG);
    drive_expect(d, read[2], 9 * MS + 3 * READ + PROG);
    drive_free(d);
}

#define BIG "zones=2 zone-size=16M channels=1 mdts=1M pages-per-block=4096 "

/* tR of every page of a zone: how many are slow, and which, as a hash. */
static unsigned slow_pages(const char *words, uint64_t *which)
{
    Drive *d = drive_new(words);
    unsigned slow = 0;

    drive_fill(d, 0, 4096);
    *which = 0;
    for (unsigned i = 0; i < 4096; i++) {
        uint64_t at_ns = d->now_ns + MS;
        uint64_t took_ns;

        drive_read(d, at_ns, i, 1);
        took_ns = drive_drain(d) - at_ns;
        if (took_ns != READ + XFER) {
            g_assert_cmpuint(took_ns, ==, 80000 + XFER);
            slow++;
            *which = (*which + i) * UINT64_C(1099511628211);
        }
    }
    drive_free(d);
    return slow;
}

static void test_slow_pages(void)
{
    uint64_t which[4];

    g_assert_cmpuint(slow_pages(BIG "read-slow-ns=80000", &which[0]), ==, 0);
    g_assert_cmpuint(slow_pages(BIG "read-slow-ns=80000 slow-pages=1000",
                                &which[0]), ==, 4096);
    /* 30 % of 4096 are 1229, with a standard deviation of 29. */
    for (unsigned i = 0; i < 4; i++) {
        static const char *const words[] = {
            BIG "read-slow-ns=80000 slow-pages=300",
            BIG "read-slow-ns=80000 slow-pages=300",
            BIG "read-slow-ns=80000 slow-pages=300 seed=1",
            /* Two pages in one program lie where they lay, one by one. */
            BIG "read-slow-ns=80000 slow-pages=300 program-pages=2",
        };
        unsigned slow = slow_pages(words[i], &which[i]);

        g_assert_cmpuint(slow, >, 1229 - 90);
        g_assert_cmpuint(slow, <, 1229 + 90);
    }
    g_assert_cmpuint(which[0], ==, which[1]);
    g_assert_cmpuint(which[0], !=, which[2]);
    g_assert_cmpuint(which[0], ==, which[3]);
}

/* Times of the programs of zone 0, one after another. */
static GArray *program_times(const char *words, unsigned count, bool others)
{
    GArray *times = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    Drive *d = drive_new(words);

    for (unsigned i = 0; i < count; i++) {
        uint64_t at_ns = d->now_ns + MS, took_ns;

        drive_write(d, at_ns, i, 1);
        took_ns = drive_drain(d) - at_ns - XFER;
        g_array_append_val(times, took_ns);
        if (others) {
            drive_append(d, d->now_ns, 1, 1);
            drive_drain(d);
        }
    }
    drive_free(d);
    return times;
}

static void test_program_spread(void)
{
    GArray *times = program_times(BIG "program-spread=50", 2000, false);
    GArray *again = program_times(BIG "program-spread=50", 2000, true);
    GArray *seed = program_times(BIG "program-spread=50 seed=7", 2000, false);
    double mean = 0, square = 0;
    unsigned same = 0;

    for (guint i = 0; i < times->len; i++) {
        uint64_t took_ns = g_array_index(times, uint64_t, i);
        double off = (double)took_ns - PROG;

        g_assert_cmpuint(took_ns, >, PROG - PROG * 18 / 100);
        g_assert_cmpuint(took_ns, <, PROG + PROG * 18 / 100);
        /* What other zones do changes nothing. */
        g_assert_cmpuint(took_ns, ==, g_array_index(again, uint64_t, i));
        same += took_ns == g_array_index(seed, uint64_t, i);
        mean += off / times->len;
        square += off * off / times->len;
    }
    g_assert_cmpuint(same, <, 10);
    /* 35,000 ns; the mean of 2000 has a standard deviation of 783 ns. */
    g_assert_cmpfloat(ABS(mean), <, 2400);
    g_assert_cmpfloat(square, >, 33300.0 * 33300);
    g_assert_cmpfloat(square, <, 36700.0 * 36700);
    g_array_free(times, TRUE);
    g_array_free(again, TRUE);
    g_array_free(seed, TRUE);
}

/* The four programs of a stripe take as long; stripes differ. */
static void test_stripe_spread(void)
{
#define STRIPES "zones=2 zone-size=16M channels=4 mdts=1M "
    GArray *times = program_times(STRIPES "stripe-spread=50", 2000, false);
    GArray *again = program_times(STRIPES "stripe-spread=50", 2000, true);
    GArray *both = program_times(STRIPES "stripe-spread=50 program-spread=9",
                                 2000, false);
    double mean = 0, square = 0;
    unsigned same = 0;

    for (guint i = 0; i < times->len; i++) {
        uint64_t took_ns = g_array_index(times, uint64_t, i);
        double off = (double)took_ns - PROG;

        g_assert_cmpuint(took_ns, ==, g_array_index(times, uint64_t,
                                                    i - i % 4));
        g_assert_cmpuint(took_ns, ==, g_array_index(again, uint64_t, i));
        same += i >= 4 && took_ns == g_array_index(times, uint64_t, i - 4);
        mean += off / times->len;
        square += off * off / times->len;
        /* Beside program-spread, whose 9 permille are never above 3.5 %. */
        off = (double)g_array_index(both, uint64_t, i) / took_ns - 1;
        g_assert_cmpfloat(ABS(off), <, 0.035);
        same += off == 0;
    }
    g_assert_cmpuint(same, <, 10);
    /* 35,000 ns; the mean of 500 has a standard deviation of 1565 ns. */
    g_assert_cmpfloat(ABS(mean), <, 3.5 * 1565);
    g_assert_cmpfloat(square, >, 31700.0 * 31700);
    g_assert_cmpfloat(square, <, 38300.0 * 38300);
    g_array_free(times, TRUE);
    g_array_free(again, TRUE);
    g_array_free(both, TRUE);
}

/* The least spread, a thousandth: each program to the nanosecond. */
static void test_least_spread(gconstpointer words)
{
    GArray *times = program_times(words, PAGES, false);
    DrawKind kind = strstr(words, "stripe") ? DRAW_STRIPE_TIME
                                            : DRAW_PROGRAM_TIME;

    for (guint i = 0; i < times->len; i++) {
        g_assert_cmpuint(g_array_index(times, uint64_t, i), ==,
                         PROG + draw_normal(draw_bits(7, kind, 0, i),
                                            PROG / 1000));
    }
    g_array_free(times, TRUE);
}

/* A finish pads stripes in the time that others take. */
static void test_stripe_spread_of_padding(void)
{
    Drive *d = drive_new(STRIPES "stripe-spread=50");
    uint32_t tag = drive_write(d, 0, 0, 1);

    drive_drain(d);
    tag = drive_zone_op(d, 9 * MS, SSD_OP_ZONE_FINISH, 0);
    drive_expect(d, tag, 9 * MS + 4095 * (XFER + PROG));
    drive_free(d);
}

/* Rewriting a zone programs it in other times, the same in every run. */
static void test_program_spread_of_lives(void)
{
    uint64_t took_ns[2][2];

    for (unsigned run = 0; run < 2; run++) {
        Drive *d = drive_new("channels=1 program-spread=50");

        for (unsigned life = 0; life < 2; life++) {
            uint64_t at_ns = d->now_ns + MS;

            drive_write(d, at_ns, 0, 1);
            took_ns[run][life] = drive_drain(d) - at_ns;
            drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, 0);
            drive_drain(d);
        }
        drive_free(d);
    }
    g_assert_cmpuint(took_ns[0][0], !=, took_ns[0][1]);
    g_assert_cmpuint(took_ns[0][0], ==, took_ns[1][0]);
    g_assert_cmpuint(took_ns[0][1], ==, took_ns[1][1]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/array/multi-plane", test_multi_plane);
    g_test_add_func("/array/stagger", test_stagger);
    g_test_add_func("/array/stagger/erases", test_stagger_erases);
    g_test_add_func("/array/multi-plane-read", test_multi_plane_read);
    g_test_add_func("/array/one-shot", test_one_shot);
    g_test_add_func("/array/program-transfer", test_program_transfer);
    g_test_add_func("/array/program-data", test_program_data);
    g_test_add_func("/array/cache-read", test_cache_read);
    g_test_add_func("/array/command-behind-data", test_command_behind_data);
    g_test_add_func("/array/program-registers", test_program_registers);
    g_test_add_func("/array/registers-of-units", test_registers_of_units);
    g_test_add_func("/array/program-issue", test_program_issue);
    g_test_add_func("/array/reads-first", test_reads_first);
    g_test_add_func("/array/reads-alone", test_reads_alone);
    g_test_add_func("/array/slow-pages", test_slow_pages);
    g_test_add_func("/array/program-spread", test_program_spread);
    g_test_add_func("/array/stripe-spread", test_stripe_spread);
    g_test_add_data_func("/array/program-spread/least",
                         "channels=1 seed=7 program-spread=1",
                         test_least_spread);
    g_test_add_data_func("/array/stripe-spread/least",
                         "channels=1 seed=7 stripe-spread=1",
                         test_least_spread);
    g_test_add_func("/array/stripe-spread/padding",
                    test_stripe_spread_of_padding);
    g_test_add_func("/array/program-spread/lives",
                    test_program_spread_of_lives);
    return g_test_run();
}
