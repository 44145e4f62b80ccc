/*
 * Exact times of reads that find their data read ahead, or still in a register
 * of the flash: docs/model.md, "Reads that follow each other".
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "support/drive.h"
#include "support/json_value.h"

/* The base drive of drive.h, in numbers: page p lies on unit p % 2. */
#define READ UINT64_C(60000)
#define PROG UINT64_C(700000)
#define XFER UINT64_C(25000)
#define PAGE 4096

/* When all that was written has been programmed, and all fetched. */
#define LATER UINT64_C(100000000)

#define FOUR "read-ahead=16K "
/* A line is two pages of four blocks. */
#define TWO_PAGES "read-ahead=64K read-ahead-after=1 page-size=16K planes=2 " \
                  "multi-plane=on read-granule=4K channels=1"

static uint64_t counter(Drive *d, const char *path)
{
    g_autofree char *json = ssd_stats_json(d->ssd, d->now_ns, NULL);

    return json_u64(json, path);
}

static void expect_counters(Drive *d, uint64_t fetched, uint64_t hit,
                            uint64_t waited)
{
    g_assert_cmpuint(counter(d, "read_ahead.fetched_bytes"), ==,
                     fetched * PAGE);
    g_assert_cmpuint(counter(d, "read_ahead.hit_bytes"), ==, hit * PAGE);
    g_assert_cmpuint(counter(d, "read_ahead.waited_bytes"), ==,
                     waited * PAGE);
}

/* A read at `at_ns` alone takes `take_ns`; so much of it was read ahead. */
static void expect_read(Drive *d, uint64_t at_ns, uint64_t slba, uint32_t nlb,
                        uint64_t take_ns, uint64_t ahead_bytes)
{
    uint32_t tag = drive_read(d, at_ns, slba, nlb);
    SsdDone done = drive_expect(d, tag, at_ns + take_ns);

    g_assert_cmpuint(done.ahead_bytes, ==, ahead_bytes);
}

/* The two reads that make a stream, at LATER and 1 ms behind. */
static uint64_t begin_stream(Drive *d)
{
    expect_read(d, LATER, 0, 1, READ + XFER, 0);
    expect_read(d, LATER + 1000000, 1, 1, READ + XFER, 0);
    return LATER + 1000000;
}

/* Lines 2 to 5 are fetched behind the second read, two on each unit. */
static void test_stream(void)
{
    Drive *d = drive_new(FOUR);
    uint64_t t;
    uint32_t a, b;
    SsdDone done;

    drive_fill(d, 0, 16);
    t = begin_stream(d);
    /* 2 was sensed beside 1; 3 behind it. */
    expect_read(d, t + READ + XFER, 2, 1, 0, PAGE);
    a = drive_read(d, t + READ + XFER + 1, 3, 1);
    b = drive_read(d, t + READ + XFER + 2, 4, 1);
    done = drive_expect_next(d, a, t + 2 * READ + XFER);
    g_assert_cmpuint(done.ahead_bytes, ==, PAGE);
    drive_expect(d, b, t + 2 * READ + XFER);
    /* 5 came third on its unit; 6, when 2 had been read, third on the other. */
    a = drive_read(d, t + 2 * READ + XFER + 1, 5, 2);
    drive_expect(d, a, t + 3 * READ + XFER);
    expect_read(d, t + 1000000, 7, 1, 0, PAGE);
    expect_counters(d, 10, 2, 4);
    ssd_stats_reset(d->ssd, d->now_ns);
    expect_counters(d, 0, 0, 0);
    drive_free(d);
}

/* One read ahead of which nothing has been read yet. */
static void test_after(void)
{
    Drive *d = drive_new(FOUR "read-ahead-after=1");

    drive_fill(d, 0, 8);
    expect_read(d, LATER, 0, 1, READ + XFER, 0);
    expect_counters(d, 4, 0, 0);
    expect_read(d, LATER + 1000000, 1, 1, 0, PAGE);
    drive_free(d);

    d = drive_new(FOUR "read-ahead-after=3");
    drive_fill(d, 0, 8);
    begin_stream(d);
    expect_counters(d, 0, 0, 0);
    expect_read(d, LATER + 2000000, 2, 1, READ + XFER, 0);
    expect_counters(d, 4, 0, 0);
    drive_free(d);
}

/* What has been read is gone, and so is all when a read continues nothing. */
static void test_evicted(void)
{
    Drive *d = drive_new(FOUR);
    uint64_t t;

    drive_fill(d, 0, 16);
    t = begin_stream(d);
    expect_read(d, t + 1000000, 2, 1, 0, PAGE);
    expect_read(d, t + 2000000, 2, 1, READ + XFER, 0);
    expect_read(d, t + 3000000, 4, 1, READ + XFER, 0);
    expect_read(d, t + 4000000, 5, 1, READ + XFER, 0);
    expect_read(d, t + 5000000, 6, 1, 0, PAGE);
    drive_free(d);
}

/* Reads of two zones in turn: a stream each, or none. */
static void test_streams(void)
{
    Drive *d = drive_new(FOUR "read-ahead-streams=2");
    Drive *one = drive_new(FOUR);
    uint64_t at_ns = LATER;

    for (uint32_t z = 0; z < 2; z++) {
        drive_fill(d, z, 16);
        drive_fill(one, z, 16);
    }
    for (uint32_t i = 0; i < 10; i++) {
        for (uint32_t z = 0; z < 2; z++) {
            expect_read(d, at_ns, 16 * z + i, 1, i < 2 ? READ + XFER : 0,
                        i < 2 ? 0 : PAGE);
            expect_read(one, at_ns, 16 * z + i, 1, READ + XFER, 0);
            at_ns += 1000000;
        }
    }
    /* A third takes the place of that which was used longest ago. */
    expect_read(d, at_ns, 0, 1, READ + XFER, 0);
    expect_read(d, at_ns + 1000000, 26, 1, 0, PAGE);
    expect_read(d, at_ns + 2000000, 10, 1, READ + XFER, 0);
    drive_free(d);
    drive_free(one);
}

static void test_random_reads(void)
{
    static const uint64_t slbas[] = { 0, 5, 3, 9, 7, 11, 2, 15 };
    Drive *d = drive_new(FOUR "read-ahead-streams=3");

    drive_fill(d, 0, 16);
    ssd_stats_reset(d->ssd, d->now_ns);
    for (unsigned i = 0; i < G_N_ELEMENTS(slbas); i++) {
        expect_read(d, LATER + i * 1000000, slbas[i], 1, READ + XFER, 0);
    }
    expect_counters(d, 0, 0, 0);
    g_assert_cmpuint(counter(d, "flash.senses"), ==, G_N_ELEMENTS(slbas));
    drive_free(d);
}

/* Neither found nor disturbed by other commands that read. */
static void test_other_reads(void)
{
    static const SsdOp ops[] = { SSD_OP_VERIFY, SSD_OP_COMPARE };
    Drive *d = drive_new(FOUR);
    uint64_t at_ns;
    uint32_t tag;

    drive_fill(d, 0, 16);
    at_ns = begin_stream(d);
    for (unsigned i = 0; i < G_N_ELEMENTS(ops); i++) {
        at_ns += 1000000;
        tag = drive_io(d, at_ns, ops[i], 2, 1);
        drive_expect(d, tag, at_ns + READ + XFER);
    }
    expect_read(d, at_ns + 1000000, 2, 1, 0, PAGE);
    tag = drive_copy(d, at_ns + 2000000, 16, 3, 1);
    drive_expect(d, tag, at_ns + 2000000 + READ + 2 * XFER + PROG);
    expect_read(d, at_ns + 5000000, 3, 1, 0, PAGE);
    drive_free(d);
}

/* Who waits for a line gets it; after the reset there is none. */
static void test_reset(void)
{
    Drive *d = drive_new(FOUR "erase-ns=0");
    uint64_t t;
    uint32_t read, reset;

    drive_fill(d, 0, 8);
    t = begin_stream(d);
    read = drive_read(d, t + READ + XFER + 1, 2, 2);
    reset = drive_zone_op(d, t + READ + XFER + 2, SSD_OP_ZONE_RESET, 0);
    drive_expect_next(d, read, t + 2 * READ + XFER);
    drive_expect(d, reset, t + 3 * READ); /* behind 5 and 6 */
    drive_fill(d, 0, 8);
    t += LATER;
    expect_read(d, t, 4, 1, READ + XFER, 0);
    expect_read(d, t + 1000000, 5, 1, READ + XFER, 0);
    expect_read(d, t + 2000000, 6, 1, 0, PAGE);
    drive_free(d);
}

/* First come, first served: a program waits for two lines on its unit. */
static void test_write_beside(void)
{
    Drive *d = drive_new(FOUR);
    uint64_t t = LATER + 1000000;
    uint32_t read, write;

    drive_fill(d, 0, 8);
    expect_read(d, LATER, 0, 1, READ + XFER, 0);
    read = drive_read(d, t, 1, 1);
    write = drive_write(d, t + 1, 16, 1);
    drive_expect(d, read, t + READ + XFER);
    drive_expect(d, write, t + 2 * READ + PROG);
    /* ... and a line for a program: 6 when 2 is read. */
    t += LATER;
    write = drive_write(d, t, 17, 2); /* one on each unit */
    expect_read(d, t + XFER + 1, 2, 1, 0, PAGE);
    expect_read(d, t + XFER + 2, 3, 3, 0, 3 * PAGE);
    read = drive_read(d, t + XFER + 3, 6, 1);
    drive_expect_next(d, write, t + XFER + PROG);
    drive_expect(d, read, t + XFER + PROG + READ + XFER);
    drive_free(d);
}

/* No further than there is something in the flash. */
static void test_end_of_data(void)
{
    Drive *d = drive_new(FOUR "zone-capacity=32K");
    uint64_t t;

    drive_fill(d, 0, 4);
    t = begin_stream(d);
    expect_counters(d, 2, 0, 0);
    expect_read(d, t + 1000000, 2, 1, 0, PAGE);
    drive_write(d, t + 2000000, 4, 4);
    drive_drain(d);
    expect_read(d, t + 4000000, 3, 1, 0, PAGE);
    expect_counters(d, 6, 2, 0);
    /* The capacity ends at 8; beyond it there is nothing to read. */
    expect_read(d, t + 5000000, 4, 12, 0, 4 * PAGE);
    expect_counters(d, 6, 6, 0);
    drive_free(d);
}

/* A read that goes beyond what is ahead: the rest is sensed for it alone. */
static void test_beyond(void)
{
    Drive *d = drive_new(FOUR);
    uint64_t t;

    drive_fill(d, 0, 16);
    t = begin_stream(d);
    expect_read(d, t + 1000000, 2, 6, READ + XFER, 4 * PAGE);
    /* It was faster than its stream, so the row has to become one anew. */
    expect_counters(d, 4, 4, 0);
    expect_read(d, t + 2000000, 8, 2, READ + XFER, 0);
    expect_counters(d, 4, 4, 0);
    expect_read(d, t + 3000000, 10, 2, READ + XFER, 0);
    expect_counters(d, 8, 4, 0);
    expect_read(d, t + 4000000, 12, 4, 0, 4 * PAGE);
    drive_free(d);
}

/*
 * What reads have outstanding is part of the window: with two pages of it, two
 * are ahead; with four, none, and more when they are done.
 */
static void test_window(void)
{
    const uint64_t fixed = 500000;
    Drive *d = drive_new(FOUR "fixed-read-ns=500000 zone-size=128K");
    uint64_t t = LATER + 2000000;
    uint32_t a, b;

    drive_fill(d, 0, 32);
    expect_read(d, LATER, 0, 1, READ + XFER + fixed, 0);
    a = drive_read(d, t - 1000000, 1, 2); /* on both units, at once */
    g_assert_cmpuint(counter(d, "read_ahead.fetched_bytes"), ==, 2 * PAGE);
    drive_expect(d, a, t - 1000000 + READ + XFER + fixed);
    expect_counters(d, 4, 0, 0);
    a = drive_read(d, t, 3, 2);
    expect_counters(d, 4, 2, 0);
    b = drive_read(d, t, 5, 2);
    expect_counters(d, 4, 4, 0);
    drive_expect_next(d, a, t + fixed);
    drive_expect(d, b, t + fixed);
    expect_counters(d, 8, 4, 0);
    /* Six of which the last two run beyond it: it is no stream any more. */
    a = drive_read(d, t + 1000000, 7, 6);
    expect_counters(d, 8, 8, 0);
    drive_expect(d, a, t + 1000000 + READ + XFER + fixed);
    expect_counters(d, 8, 8, 0);
    drive_free(d);
}

/* Part of a page: the line that the next read begins in is fetched, too. */
static void test_small_reads(void)
{
    Drive *d = drive_new(FOUR "lba-size=512");
    uint64_t t = LATER;

    drive_fill(d, 0, 8);
    expect_read(d, t, 0, 1, READ + XFER, 0);
    expect_read(d, t + 1000000, 1, 1, READ + XFER, 0);
    expect_counters(d, 4, 0, 0);
    for (unsigned i = 2; i < 9; i++) {
        expect_read(d, t + i * 1000000, i, 1, 0, 512);
    }
    g_assert_cmpuint(counter(d, "read_ahead.fetched_bytes"), ==, 5 * PAGE);
    g_assert_cmpuint(counter(d, "read_ahead.hit_bytes"), ==, 7 * 512);
    drive_free(d);
}

/* With more reads of parts inside, the row is counted anew. */
static void test_parts(void)
{
    Drive *d = drive_new(FOUR "lba-size=512 read-ahead-parts=1 fe-read-ns=100 "
                         "fixed-read-ns=1000000");
    uint64_t t = LATER;

    drive_fill(d, 0, 8);
    drive_read(d, t, 0, 1);
    drive_read(d, t, 1, 1);
    drive_read(d, t, 2, 1);
    drive_drain(d);
    g_assert_false(counter(d, "read_ahead.fetched_bytes"));
    t += LATER;
    drive_read(d, t, 3, 1);
    drive_read(d, t + 10000000, 4, 1);
    drive_drain(d);
    expect_counters(d, 4, 0, 0);
    /* It is lost even with lines that are there; whole granules never are. */
    t += LATER;
    drive_read(d, t, 5, 1);
    drive_read(d, t, 6, 1);
    drive_drain(d);
    g_assert_cmpuint(counter(d, "read_ahead.hit_bytes"), ==, 512);
    t += LATER;
    drive_read(d, t, 7, 8);
    drive_read(d, t, 15, 8);
    drive_drain(d);
    g_assert_cmpuint(counter(d, "read_ahead.fetched_bytes"), ==, 8 * PAGE);
    drive_free(d);
}

/* Reads that wait for a slot are of a stream, too, and find its lines. */
static void test_slots(void)
{
    const uint64_t fe = 1000;
    Drive *d = drive_new(FOUR "read-slots=1 fe-read-ns=1000");
    uint64_t t = LATER;
    uint32_t tag[4];

    drive_fill(d, 0, 16);
    for (unsigned i = 0; i < 4; i++) {
        tag[i] = drive_read(d, t, i, 1);
    }
    drive_expect(d, tag[0], t + fe + READ + XFER);
    drive_expect(d, tag[1], t + 2 * (fe + READ + XFER));
    drive_expect(d, tag[2], t + 2 * (fe + READ + XFER) + fe);
    /* 3 was fetched behind 1, on its unit. */
    drive_expect(d, tag[3], t + fe + READ + XFER + fe + 2 * READ + XFER);
    drive_free(d);
}

/*
 * One read waits for a page; who comes behind it is sensed for itself, behind
 * the lines on the unit.
 */
static void test_one_waits(void)
{
    Drive *d = drive_new(TWO_PAGES);
    uint64_t t = LATER;
    uint64_t line_at_ns = t + 2 * READ + 2 * XFER;
    SsdDone done;
    uint32_t tag[7];

    drive_fill(d, 0, 16);
    tag[0] = drive_read(d, t, 0, 1);
    tag[1] = drive_read(d, t + 1, 1, 1);
    tag[2] = drive_read(d, t + 2, 2, 2);
    tag[3] = drive_read(d, t + 3, 4, 1);
    tag[4] = drive_read(d, t + 4, 5, 2);
    tag[5] = drive_read(d, t + 5, 7, 2); /* and the first of the next line */
    tag[6] = drive_read(d, t + 6, 9, 1);
    expect_counters(d, 2 * 8, 0, 3);
    drive_expect(d, tag[0], t + READ + XFER / 4);
    drive_expect_next(d, tag[1], line_at_ns);
    done = drive_expect(d, tag[3], line_at_ns);
    g_assert_cmpuint(done.ahead_bytes, ==, PAGE);
    done = drive_expect(d, tag[2], t + 4 * READ + XFER / 2);
    g_assert_cmpuint(done.ahead_bytes, ==, 0);
    drive_expect(d, tag[4], t + 5 * READ + XFER / 2);
    done = drive_expect(d, tag[5], t + 6 * READ + XFER / 4);
    g_assert_cmpuint(done.ahead_bytes, ==, PAGE);
    drive_expect(d, tag[6], t + 7 * READ + XFER / 4);
    drive_free(d);
}

/* A read of both pages of a line, or of none if another waits for one. */
static void test_one_waits_for_pages(void)
{
    Drive *d = drive_new(TWO_PAGES);
    uint64_t t = LATER;
    uint32_t first, both, last;

    drive_fill(d, 0, 16);
    first = drive_read(d, t, 0, 2);
    both = drive_read(d, t + 1, 2, 4);
    last = drive_read(d, t + 2, 6, 2);
    expect_counters(d, 2 * 8, 0, 4);
    drive_expect(d, first, t + READ + XFER / 2);
    drive_expect(d, both, t + 2 * READ + 2 * XFER);
    drive_expect(d, last, t + 4 * READ + XFER / 2);
    drive_free(d);

    d = drive_new(TWO_PAGES);
    drive_fill(d, 0, 16);
    first = drive_read(d, t, 0, 1);
    last = drive_read(d, t + 1, 1, 1);
    both = drive_read(d, t + 2, 2, 4);
    expect_counters(d, 2 * 8, 0, 1);
    drive_expect(d, first, t + READ + XFER / 4);
    drive_expect(d, last, t + 2 * READ + 2 * XFER);
    drive_expect(d, both, t + 4 * READ + XFER);
    drive_free(d);
}

/*
 * A read that begins less than 50 us after a write, here of another zone, is of
 * no stream, and its row is counted anew; one that begins then is.
 */
static void test_quiet(void)
{
    const uint64_t quiet = 50000;
    Drive *d = drive_new("read-ahead=64K page-size=16K "
                         "read-ahead-quiet-ns=50000");
    uint64_t zone_lba = drive_zone_lba(d, 1);
    uint64_t t = 2 * LATER;

    drive_fill(d, 0, 4);
    for (int i = 0; i < 4; i++) {
        t += LATER;
        drive_write(d, t, zone_lba + i, 1);
        drive_read(d, t + quiet - 1, i, 1);
        drive_drain(d);
    }
    g_assert_false(counter(d, "read_ahead.fetched_bytes"));
    drive_write(d, t += LATER, zone_lba + 4, 1);
    drive_read(d, t + quiet, 4, 1);
    drive_drain(d);
    g_assert_false(counter(d, "read_ahead.fetched_bytes"));
    drive_read(d, t + LATER, 5, 1);
    drive_drain(d);
    g_assert_true(counter(d, "read_ahead.fetched_bytes"));
    drive_free(d);
}

/* A hit takes the front end, the link and what is fixed. */
static void test_hit_costs(void)
{
    const uint64_t fe = 2000, fixed = 3000, size = 1000000, link = 2000000;
    const uint64_t page = link * PAGE / SSD_MIB + fixed +
                          size * PAGE / SSD_MIB;
    Drive *d = drive_new(FOUR "fe-read-ns=2000 link-out-ns=2000000 "
                         "fixed-read-ns=3000 fixed-read-size-ns=1000000");
    uint64_t t = LATER;

    drive_fill(d, 0, 16);
    expect_read(d, t, 0, 1, fe + READ + XFER + page, 0);
    expect_read(d, t + 1000000, 1, 1, fe + READ + XFER + page, 0);
    expect_read(d, t + 2000000, 2, 1, fe + page, PAGE);
    expect_read(d, t + 3000000, 3, 2, fe + 2 * (page - fixed) + fixed,
                2 * PAGE);
    drive_free(d);
}

/* The register of a plane keeps the page that was sensed last. */
static void test_registers(void)
{
    const uint64_t again = 7000, part = XFER / 4;
    Drive *d = drive_new("register-read-ns=7000 page-size=16K channels=1 "
                         "read-granule=4K");
    uint64_t t = LATER;
    uint32_t write;

    drive_fill(d, 0, 2);
    ssd_stats_reset(d->ssd, d->now_ns);
    expect_read(d, t, 0, 1, READ + part, 0);
    expect_read(d, t + 1000000, 3, 1, again + part, 0);
    expect_read(d, t + 2000000, 0, 4, again + XFER, 0);
    expect_read(d, t + 3000000, 4, 1, READ + part, 0);
    expect_read(d, t + 4000000, 0, 1, READ + part, 0);
    g_assert_cmpuint(counter(d, "flash.senses"), ==, 3);
    /* A program takes it, when it runs. */
    write = drive_write(d, t + 5000000, 16, 4);
    expect_read(d, t + 5000001, 1, 1, XFER + part - 1, 0);
    drive_expect(d, write, t + 5000000 + XFER + PROG);
    expect_read(d, t + 6000000, 1, 1, READ + part, 0);
    /* What it has programmed is not in it. */
    write = drive_write(d, t + 7000000, 20, 4);
    drive_expect(d, write, t + 7000000 + XFER + PROG);
    expect_read(d, t + 8000000, 20, 1, READ + part, 0);
    drive_free(d);
}

/* At first it holds none: neither the first page nor, of several, the next. */
static void test_registers_at_first(void)
{
    for (uint64_t page = 0; page < 4; page++) {
        Drive *d = drive_new("register-read-ns=7000 page-size=16K channels=1 "
                             "read-granule=4K program-pages=2");

        drive_fill(d, 0, 4);
        expect_read(d, LATER, 4 * page, 1, READ + XFER / 4, 0);
        drive_free(d);
    }
}

/*
 * A read's command holds the channel before its die; there is none for a page
 * that the register holds, or is going to hold for a read that came before.
 */
static void test_sense_command(void)
{
    const uint64_t command = 7000, part = XFER / 4, again = 5000;
    Drive *d = drive_new("sense-command-ns=7000 register-read-ns=5000 "
                         "page-size=16K channels=1 dies=2 read-granule=4K");
    uint64_t t = LATER;
    uint32_t first, second, third;

    drive_fill(d, 0, 3);
    expect_read(d, t, 0, 1, command + READ + part, 0);
    expect_read(d, t + 1000000, 1, 1, again + part, 0);
    /* Two dies; what is read again overtakes the second's command and sense. */
    t += 2000000;
    first = drive_read(d, t, 8, 1);
    second = drive_read(d, t, 4, 2);
    third = drive_read(d, t, 9, 1);
    drive_expect(d, first, t + command + READ + part);
    drive_expect(d, third, t + command + READ + 2 * part);
    drive_expect(d, second, t + command + READ + 4 * part);
    /* A program takes the register: then there is a command again. */
    t += 1000000;
    drive_expect(d, drive_write(d, t, 16, 4), t + XFER + PROG);
    expect_read(d, t + 1000000, 8, 1, command + READ + part, 0);
    /* While it runs, there is none; then the die waits for the command. */
    t += 2000000;
    first = drive_write(d, t, 32, 4);
    second = drive_read(d, t + XFER + 1, 8, 1);
    drive_expect(d, first, t + XFER + PROG);
    drive_expect(d, second, t + XFER + PROG + command + READ + part);
    t += 1000000;
    first = drive_write(d, t, 48, 4);
    second = drive_read(d, t + XFER + 1, 8, 1);
    third = drive_read(d, t + XFER + 2, 9, 1);
    drive_expect(d, first, t + XFER + PROG);
    drive_expect(d, second, t + XFER + PROG + command + READ + part);
    drive_expect(d, third, t + XFER + PROG + command + READ + 2 * part);
    drive_free(d);
}

/* With multi-plane a read senses the planes that it needs. */
static void test_registers_of_planes(void)
{
    const uint64_t again = 7000, part = 2 * XFER / 8;
    Drive *d = drive_new("register-read-ns=7000 page-size=16K channels=1 "
                         "planes=2 multi-plane=on read-granule=4K");
    uint64_t t = LATER;

    drive_fill(d, 0, 4);
    expect_read(d, t, 0, 1, READ + part, 0);
    expect_read(d, t + 1000000, 4, 1, READ + part, 0);
    expect_read(d, t + 2000000, 1, 1, again + part, 0);
    expect_read(d, t + 3000000, 0, 8, again + 2 * XFER, 0);
    /* Another page in one of them */
    expect_read(d, t + 4000000, 8, 1, READ + part, 0);
    expect_read(d, t + 5000000, 5, 1, again + part, 0);
    expect_read(d, t + 6000000, 3, 2, READ + 2 * part, 0);
    drive_free(d);
}

#define SUSPENDS "register-read-ns=7000 page-size=16K channels=1 " \
                 "read-granule=4K cache-read=on program-suspend=on " \
                 "suspend-ns=1000 resume-ns=2000 suspend-segment-ns=100000 "

/* Reads that come at one instant end at `end_at_ns`, each at its own. */
static void expect_reads(Drive *d, uint64_t at_ns, unsigned count,
                         const uint32_t *slba, const uint64_t *end_at_ns)
{
    uint32_t tag[8];

    for (unsigned i = 0; i < count; i++) {
        tag[i] = drive_read(d, at_ns, slba[i], 1);
    }
    for (unsigned i = 0; i < count; i++) {
        drive_expect(d, tag[i], end_at_ns[i]);
    }
}

/* A program that was suspended leaves the page that reads have sensed. */
static void test_registers_of_resumed(void)
{
    const uint64_t again = 7000, part = XFER / 4;
    Drive *d = drive_new(SUSPENDS "reads-first=1");
    uint64_t t = LATER + XFER;
    uint32_t write;

    drive_fill(d, 0, 2);
    write = drive_write(d, LATER, 16, 4);
    /* It stops at 100 us, and goes on after one read for 100 us more ... */
    expect_read(d, t + 50000, 0, 1, 50000 + 1000 + READ + part, 0);
    t += 100000 + 1000 + READ;
    /* ... in which a read comes that does not sense. */
    expect_read(d, t + 50000, 1, 1, 50000 + 1000 + again + part, 0);
    t += 100000 + 1000 + again;
    drive_expect(d, write, t + PROG - 2 * 100000 + 2 * 2000);
    g_assert_cmpuint(counter(d, "flash.senses"), ==, 1);
    drive_free(d);
}

/*
 * Reads that do not sense go before the program as well, up to a page's bytes
 * for each of reads-first.
 */
static void test_registers_go_first(void)
{
    const uint64_t again = 7000, part = XFER / 4, stop = 100000 + 1000;
    const uint32_t lba[] = {0, 1, 2, 3, 0, 1};
    Drive *d = drive_new(SUSPENDS "reads-first=1");
    uint64_t t = LATER + XFER, at[6];
    uint32_t write;

    drive_fill(d, 0, 2);
    write = drive_write(d, LATER, 16, 4);
    for (unsigned i = 0; i < 5; i++) {
        at[i] = t + stop + READ + i * again + part;
    }
    /* The sixth waits for a segment. */
    at[5] = t + stop + READ + 4 * again + stop + again + part;
    expect_reads(d, t + 50000, 6, lba, at);
    drive_expect(d, write, t + 2 * 1000 + READ + 5 * again + PROG + 2 * 2000);
    drive_free(d);
}

/* Off by default: the same reads, each sensed. */
static void test_off(void)
{
    Drive *d = drive_new("");
    g_autofree char *json = NULL;

    drive_fill(d, 0, 16);
    for (unsigned i = 0; i < 16; i++) {
        expect_read(d, LATER + i * 1000000, i, 1, READ + XFER, 0);
    }
    json = ssd_stats_json(d->ssd, d->now_ns, NULL);
    g_assert_false(json_has(json, "read_ahead"));
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ahead/stream", test_stream);
    g_test_add_func("/ahead/after", test_after);
    g_test_add_func("/ahead/evicted", test_evicted);
    g_test_add_func("/ahead/streams", test_streams);
    g_test_add_func("/ahead/random-reads", test_random_reads);
    g_test_add_func("/ahead/other-reads", test_other_reads);
    g_test_add_func("/ahead/reset", test_reset);
    g_test_add_func("/ahead/write-beside", test_write_beside);
    g_test_add_func("/ahead/end-of-data", test_end_of_data);
    g_test_add_func("/ahead/beyond", test_beyond);
    g_test_add_func("/ahead/window", test_window);
    g_test_add_func("/ahead/small-reads", test_small_reads);
    g_test_add_func("/ahead/parts", test_parts);
    g_test_add_func("/ahead/slots", test_slots);
    g_test_add_func("/ahead/one-waits", test_one_waits);
    g_test_add_func("/ahead/one-waits/pages", test_one_waits_for_pages);
    g_test_add_func("/ahead/quiet", test_quiet);
    g_test_add_func("/ahead/hit-costs", test_hit_costs);
    g_test_add_func("/ahead/sense-command", test_sense_command);
    g_test_add_func("/ahead/registers", test_registers);
    g_test_add_func("/ahead/registers/at-first", test_registers_at_first);
    g_test_add_func("/ahead/registers-of-planes", test_registers_of_planes);
    g_test_add_func("/ahead/registers-of-resumed", test_registers_of_resumed);
    g_test_add_func("/ahead/registers-go-first", test_registers_go_first);
    g_test_add_func("/ahead/off", test_off);
    return g_test_run();
}
