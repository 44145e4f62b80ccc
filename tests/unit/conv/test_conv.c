/*
 * The conventional namespace: exact times of reads, writes and cleaning, and
 * what it shares with the zones.
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
#define T0 UINT64_C(100000000)

/* To read a page and to write it again, on idle units. */
#define MOVE (READ + XFER + XFER + PROG)

/*
 * 16 granules, each a page; a line is 4 rows of a page on each of the 2 units,
 * and there are 4 lines. The namespace is full of lines 0 and 1 once all of it
 * has been written in order.
 */
#define SMALL "conventional-size=64K "

static Drive *drive_conv(const char *words)
{
    Drive *d = drive_new(words);

    d->nsid = ssd_ns_count(d->ssd);
    return d;
}

static Drive *drive_full(const char *words)
{
    Drive *d = drive_conv(words);

    drive_write(d, 0, 0, ssd_ns_info(d->ssd, d->nsid).size_nlb);
    drive_drain(d);
    return d;
}

static uint64_t number_of(const char *json, const char *name)
{
    const char *at = strstr(json, "\"conventional\":");

    g_assert_nonnull(at);
    at = strstr(at, name);
    g_assert_nonnull(at);
    return g_ascii_strtoull(at + strlen(name) + 2, NULL, 10);
}

/* A number of the conventional part of the statistics at `now_ns`. */
static uint64_t statistic(Drive *d, const char *name)
{
    char *json = ssd_stats_json(d->ssd, d->now_ns, NULL);
    uint64_t number = number_of(json, name);

    g_free(json);
    return number;
}

static void test_shape(void)
{
    Drive *d = drive_conv("namespaces=2 " SMALL);
    SsdNsInfo ns = ssd_ns_info(d->ssd, 3);

    g_assert_cmpuint(d->nsid, ==, 3);
    g_assert_cmpint(ns.kind, ==, SSD_NS_CONVENTIONAL);
    g_assert_cmpuint(ns.lba_bytes, ==, 4096);
    g_assert_cmpuint(ns.size_nlb, ==, 16);
    g_assert_cmpuint(ns.zones, ==, 0);
    g_assert_cmpuint(ns.zone_size_nlb, ==, 0);
    g_assert_cmpuint(ssd_open_count(d->ssd, 3), ==, 0);
    g_assert_cmpuint(ssd_active_count(d->ssd, 3), ==, 0);
    g_assert_cmpint(ssd_ns_info(d->ssd, 2).kind, ==, SSD_NS_ZONED);
    drive_free(d);
}

/* Anywhere, in any order, again and again; each page on the next unit. */
static void test_write_and_read(void)
{
    Drive *d = drive_conv(SMALL);
    uint32_t tag, other;

    tag = drive_read(d, T0, 0, 16);             /* there is nothing */
    drive_expect(d, tag, T0);
    tag = drive_write(d, T0, 9, 1);
    drive_expect(d, tag, T0 + XFER + PROG);
    tag = drive_write(d, 2 * T0, 3, 1);
    other = drive_write(d, 2 * T0, 9, 1);       /* the other unit */
    drive_expect_next(d, tag, 2 * T0 + XFER + PROG);
    drive_expect(d, other, 2 * T0 + XFER + PROG);
    tag = drive_write(d, 3 * T0, 0, 3);         /* 1 + 2 pages */
    drive_expect(d, tag, 3 * T0 + XFER + 2 * PROG);
    tag = drive_read(d, 4 * T0, 9, 1);
    drive_expect(d, tag, 4 * T0 + READ + XFER);
    tag = drive_read(d, 5 * T0, 3, 1);
    drive_expect(d, tag, 5 * T0 + READ + XFER);
    tag = drive_read(d, 6 * T0, 0, 16);         /* 5 pages: 3 and 2 */
    drive_expect(d, tag, 6 * T0 + 3 * READ + XFER);
    drive_free(d);
}

/* What is not programmed yet comes from the register or the controller. */
static void test_read_of_what_is_written(void)
{
    Drive *d = drive_conv(SMALL);
    uint32_t write, read;

    write = drive_write(d, T0, 4, 1);
    read = drive_read(d, T0 + XFER + PROG - 1, 4, 1);
    drive_expect(d, read, T0 + XFER + PROG - 1);
    drive_expect(d, write, T0 + XFER + PROG);
    read = drive_read(d, T0 + XFER + PROG, 4, 1);
    drive_expect(d, read, T0 + XFER + PROG + READ + XFER);
    drive_free(d);
}

/* Pages of four granules: one register, whatever the addresses are. */
static void test_register(void)
{
    Drive *d = drive_conv("conventional-size=256K page-size=16K "
                          "read-granule=4K");
    static const uint64_t lbas[] = { 40, 7, 8, 9 };
    uint32_t tag;

    for (unsigned i = 0; i < 4; i++) {
        tag = drive_write(d, (1 + i) * T0, lbas[i], 1);
        drive_expect(d, tag, (1 + i) * T0 + XFER / 4 + (i == 3 ? PROG : 0));
    }
    tag = drive_flush(d, 5 * T0);
    drive_expect(d, tag, 5 * T0);
    /* Side by side in the page they are one read; else one each. */
    tag = drive_read(d, 6 * T0, 7, 3);
    drive_expect(d, tag, 6 * T0 + READ + 3 * XFER / 4);
    tag = drive_write(d, 7 * T0, 8, 1);         /* into the next page */
    drive_expect(d, tag, 7 * T0 + XFER / 4);
    tag = drive_read(d, 8 * T0, 7, 3);          /* 8 is in the register */
    drive_expect(d, tag, 8 * T0 + 2 * READ + XFER / 4);
    drive_free(d);
}

/* Part of a granule: what it holds is read, and written with the new part. */
static void test_part_of_granule(void)
{
    Drive *d = drive_conv(SMALL "lba-size=512");
    uint32_t tag;

    tag = drive_write(d, T0, 8, 1);             /* nothing to be read */
    drive_expect(d, tag, T0 + XFER + PROG);
    tag = drive_write(d, 2 * T0, 9, 2);
    drive_expect(d, tag, 2 * T0 + MOVE);
    /* Both ends: the second part reads nothing. */
    tag = drive_write(d, 3 * T0, 15, 2);
    drive_expect(d, tag, 3 * T0 + READ + XFER + XFER + PROG);
    /* Both ends in two granules that are there, one read on each unit. */
    tag = drive_write(d, 4 * T0, 15, 2);
    drive_expect(d, tag, 4 * T0 + MOVE);
    /* A whole one is not read. */
    tag = drive_write(d, 5 * T0, 8, 8);
    drive_expect(d, tag, 5 * T0 + XFER + PROG);
    /* One end is amid a granule: the last of two, of one, and the first. */
    tag = drive_write(d, 6 * T0, 8, 9);
    drive_expect(d, tag, 6 * T0 + MOVE);
    tag = drive_write(d, 7 * T0, 8, 3);
    drive_expect(d, tag, 7 * T0 + MOVE);
    tag = drive_write(d, 8 * T0, 9, 7);
    drive_expect(d, tag, 8 * T0 + MOVE);
    drive_free(d);
}

static void test_copy(void)
{
    Drive *d = drive_conv(SMALL);
    uint32_t copy, write;

    drive_write(d, 0, 3, 1);                    /* unit 0 */
    drive_drain(d);
    copy = drive_copy(d, T0, 11, 3, 1);         /* to unit 1 */
    /* What comes behind it waits for its place in the log. */
    write = drive_write(d, T0, 5, 1);
    drive_expect_next(d, copy, T0 + MOVE);
    drive_expect(d, write, T0 + MOVE);
    drive_free(d);
}

static void test_flush(void)
{
    Drive *d = drive_conv(SMALL);
    uint32_t write, flush;

    write = drive_write(d, T0, 3, 1);
    d->nsid = 1;
    flush = drive_flush(d, T0 + 1);
    drive_expect_next(d, write, T0 + XFER + PROG);
    drive_expect(d, flush, T0 + XFER + PROG);
    drive_free(d);
}

/* One unit: zones and the conventional namespace wait for each other. */
static void test_shared_unit(void)
{
    Drive *d = drive_conv(SMALL "channels=1");
    uint32_t zone, conv;

    conv = drive_write(d, T0, 3, 1);
    d->nsid = 1;
    zone = drive_write(d, T0, 0, 1);
    drive_expect(d, conv, T0 + XFER + PROG);
    drive_expect(d, zone, T0 + XFER + 2 * PROG);
    zone = drive_zone_op(d, 2 * T0, SSD_OP_ZONE_RESET, 0);
    d->nsid = 2;
    conv = drive_read(d, 2 * T0, 3, 1);
    drive_expect(d, zone, 2 * T0 + ERASE);
    drive_expect(d, conv, 2 * T0 + ERASE + READ + XFER);
    drive_free(d);
}

/*
 * The first write of a full namespace leaves less than two lines free: line 0
 * is cleaned, of which the write has left 7 pages, row by row. The write itself
 * does not wait for that.
 */
static void test_cleaning(void)
{
    Drive *d = drive_full(SMALL);
    uint64_t first_ns = T0 + MOVE, moved_ns = T0 + 4 * MOVE;
    uint32_t tag, zone;

    tag = drive_write(d, T0, 0, 1);             /* unit 0; row 0: only unit 1 */
    drive_expect(d, tag, T0 + XFER + PROG);
    drive_expect_idle(d);                       /* nobody waits for the rest */
    /* Row 1 is being read: a sense of each unit is before ours. */
    d->nsid = 1;
    tag = drive_write(d, first_ns + 1, 0, 1);
    drive_expect(d, tag, first_ns + READ + PROG);
    d->nsid = 2;
    tag = drive_read(d, 2 * T0, 1, 1);          /* where it is now */
    drive_expect(d, tag, 2 * T0 + READ + XFER);
    drive_free(d);

    /* Undisturbed: the erase comes behind the last row, on both units. */
    d = drive_full(SMALL);
    d->nsid = 1;
    drive_fill(d, 0, 2);
    d->nsid = 2;
    tag = drive_write(d, T0, 0, 1);
    drive_expect(d, tag, T0 + XFER + PROG);
    d->nsid = 1;
    zone = drive_read(d, moved_ns + 1, 0, 1);
    drive_expect(d, zone, moved_ns + ERASE + READ + XFER);
    drive_free(d);
}

/*
 * A write of 9 pages, of which 8 leave a line free: 4 programs on each unit. The
 * last one waits for the erase of line 0, which holds nothing any more and so is
 * issued at once, behind these.
 */
#define NINE_PAGES_ERASED_NS (T0 + XFER + 4 * PROG + ERASE)
#define NINE_PAGES_DONE_NS (NINE_PAGES_ERASED_NS + XFER + PROG)

static void test_write_that_waits(void)
{
    Drive *d = drive_full(SMALL);
    uint32_t tag, read;

    ssd_stats_reset(d->ssd, d->now_ns);
    tag = drive_write(d, T0, 0, 9);
    g_assert_cmpuint(statistic(d, "host_bytes"), ==, 8 * 4096);
    read = drive_read(d, T0 + 1, 8, 1);         /* has no place yet */
    drive_expect(d, read, T0 + 1);
    drive_expect(d, tag, NINE_PAGES_DONE_NS);
    drive_free(d);
}

/*
 * What waits and is replaced, or not wanted any more, is written all the same,
 * but not found. The second write finds cleaning before it: its first sense.
 */
static void test_waiting_and_replaced(void)
{
    Drive *d = drive_full(SMALL);
    SsdRange range = { 8, 1 };
    uint32_t tag, other;

    tag = drive_write(d, T0, 0, 9);
    other = drive_deallocate(d, T0 + 1, &range, 1);
    drive_expect(d, other, T0 + 1);
    drive_expect(d, tag, NINE_PAGES_DONE_NS);
    tag = drive_read(d, 2 * T0, 8, 1);
    drive_expect(d, tag, 2 * T0);
    drive_free(d);

    d = drive_full(SMALL);
    tag = drive_write(d, T0, 0, 9);
    other = drive_write(d, T0 + 1, 8, 1);
    drive_expect(d, tag, NINE_PAGES_DONE_NS);
    drive_expect(d, other, NINE_PAGES_ERASED_NS + READ + PROG);
    tag = drive_read(d, 2 * T0, 8, 1);          /* one place, on unit 1 */
    drive_expect(d, tag, 2 * T0 + READ + XFER);
    drive_free(d);
}

/*
 * What waits to be replaced need not be moved: when line 0 has been erased,
 * line 1 holds nothing but what the second write will replace. Its erase is
 * behind the programs of 8 pages more, and the last page of the second write
 * waits for it.
 */
static void test_waiting_is_not_moved(void)
{
    const uint64_t erased_ns = NINE_PAGES_ERASED_NS + XFER + 4 * PROG + ERASE;
    Drive *d = drive_full(SMALL);
    uint32_t first, second;

    ssd_stats_reset(d->ssd, d->now_ns);
    first = drive_write(d, T0, 0, 9);
    second = drive_write(d, T0, 8, 8);
    drive_expect(d, first, NINE_PAGES_DONE_NS);
    d->now_ns = erased_ns - 1;
    g_assert_cmpuint(statistic(d, "erases"), ==, 2);
    d->now_ns = erased_ns;
    ssd_poll(d->ssd, erased_ns, NULL, 0);
    g_assert_cmpuint(statistic(d, "erases"), ==, 4);
    g_assert_cmpuint(statistic(d, "moved_bytes"), ==, 0);
    drive_expect(d, second, erased_ns + XFER + PROG);
    drive_free(d);
}

/* Six lines, of which four are free: cleaning begins below two. */
static void test_cleaning_begins(void)
{
    Drive *d = drive_full(SMALL "conventional-spare=200");

    drive_write(d, T0, 0, 16);
    d->now_ns = 2 * T0;
    drive_drain(d);
    g_assert_cmpuint(statistic(d, "erases"), ==, 0);
    drive_write(d, 2 * T0, 0, 1);
    d->now_ns = 3 * T0;
    drive_drain(d);
    g_assert_cmpuint(statistic(d, "erases"), ==, 2);
    drive_free(d);
}

/* A line that has been erased begins anew: what is on its way is no page. */
static void test_lines_go_round(void)
{
    Drive *d = drive_conv("conventional-size=4K");

    for (uint64_t at_ns = T0; at_ns < 50 * T0; at_ns += T0) {
        uint32_t read;

        drive_write(d, at_ns, 0, 1);
        read = drive_read(d, at_ns + 1, 0, 1);
        drive_expect(d, read, at_ns + 1);
        drive_drain(d);
    }
    g_assert_cmpuint(statistic(d, "erases"), >, 8);
    drive_free(d);
}

/* Every granule that is moved crosses its channels, though pages differ. */
static void test_cleaning_by_granules(void)
{
    Drive *d = drive_full("conventional-size=256K mdts=256K page-size=16K");
    const char *channels;
    char *json;

    ssd_stats_reset(d->ssd, T0);
    drive_write(d, T0, 0, 1);                   /* line 0 */
    drive_write(d, T0, 40, 1);                  /* line 1 */
    d->now_ns = 2 * T0;
    drive_drain(d);
    json = ssd_stats_json(d->ssd, 2 * T0, NULL);
    g_assert_cmpuint(number_of(json, "moved_bytes"), ==, 31 * 4096);
    /* Line 0 has 8 pages; 2 granules of the host, 31 of cleaning. */
    channels = strstr(json, "\"channels\":[") + strlen("\"channels\":[");
    g_assert_cmpuint(g_ascii_strtoull(channels, NULL, 10) +
                     g_ascii_strtoull(strchr(channels, ',') + 1, NULL, 10),
                     ==, 8 * XFER + 33 * XFER / 4);
    g_free(json);
    drive_free(d);
}

static void test_deallocate(void)
{
    Drive *d = drive_conv(SMALL "lba-size=512 conventional-spare=200");
    /* The granules 1 and 2, parts of 0 and 3, and nothing at the end. */
    SsdRange ranges[] = { { 7, 18 }, { 128, 0 } };
    uint32_t tag;

    drive_write(d, 0, 0, 128);
    drive_drain(d);
    tag = drive_deallocate(d, T0, ranges, 2);
    drive_expect(d, tag, T0);
    tag = drive_read(d, T0, 8, 16);
    drive_expect(d, tag, T0);
    tag = drive_read(d, T0, 0, 8);
    drive_expect(d, tag, T0 + READ + XFER);
    tag = drive_read(d, 2 * T0, 24, 8);
    drive_expect(d, tag, 2 * T0 + READ + XFER);
    /* To write them needs no read, for nothing is there. */
    tag = drive_write(d, 3 * T0, 8, 1);
    drive_expect(d, tag, 3 * T0 + XFER + PROG);
    drive_free(d);
}

/* Granules are free, a bit for each, which is as fast as nothing at all. */
static void expect_free(Drive *d, uint64_t at_ns, uint32_t wanted)
{
    for (uint32_t granule = 0; granule < 16; granule++) {
        uint64_t now_ns = at_ns + granule * T0;
        bool is_free = wanted & 1u << granule;
        uint32_t tag = drive_read(d, now_ns, 8 * granule, 8);

        drive_expect(d, tag, now_ns + (is_free ? 0 : READ + XFER));
    }
}

/*
 * Ranges in any order, one in another, and two that have a half each of a
 * granule, which stays: what is free is as if each had been a command. The next
 * command has none of its ranges.
 */
static void test_deallocate_again(void)
{
    const SsdRange ranges[] = {
        { 44, 4 }, { 8, 32 }, { 40, 4 }, { 16, 8 }, { 26, 3 }, { 7, 18 },
        { 104, 8 }, { 88, 8 }, { 72, 8 }, { 56, 8 },
    };
    Drive *d = drive_conv(SMALL "lba-size=512 conventional-spare=200");
    uint32_t tag;

    drive_write(d, 0, 0, 128);
    drive_drain(d);
    tag = drive_deallocate(d, T0, ranges, G_N_ELEMENTS(ranges));
    drive_expect(d, tag, T0);
    expect_free(d, 2 * T0, 0x2a9e);
    drive_write(d, 20 * T0, 0, 128);
    drive_drain(d);
    tag = drive_deallocate(d, 21 * T0, ranges, 1);
    drive_expect(d, tag, 21 * T0);
    tag = drive_deallocate(d, 21 * T0, &ranges[3], 1);
    drive_expect(d, tag, 21 * T0);
    expect_free(d, 22 * T0, 1 << 2);
    drive_free(d);
}

static void test_rejects(void)
{
    static const SsdRange across = { 15, 2 }, behind = { 17, 0 };
    static const SsdRange at_end = { 16, 0 };
    static const SsdRange most[SSD_DEALLOCATE_RANGES_MAX];
    Drive *d = drive_conv(SMALL);
    SsdCmd deallocate = { .op = SSD_OP_DEALLOCATE, .nsid = 2,
                          .ranges = &across, .range_count = 1 };

    for (SsdOp op = SSD_OP_APPEND; op < SSD_OP_COUNT; op++) {
        if (op == SSD_OP_APPEND ||
            (op >= SSD_OP_ZONE_OPEN && op <= SSD_OP_ZONE_REPORT)) {
            g_assert_cmphex(drive_try(d, 0, op, 0, 1).status, ==,
                            SSD_INVALID_OPCODE);
        }
    }
    g_assert_cmphex(drive_try(d, 0, SSD_OP_READ, 16, 1).status, ==,
                    SSD_LBA_OUT_OF_RANGE);
    g_assert_cmphex(drive_try(d, 0, SSD_OP_WRITE, 15, 2).status, ==,
                    SSD_LBA_OUT_OF_RANGE);
    g_assert_cmphex(drive_try(d, 0, SSD_OP_WRITE, UINT64_MAX, 2).status, ==,
                    SSD_LBA_OUT_OF_RANGE);
    g_assert_cmphex(drive_try(d, 0, SSD_OP_WRITE, 0, 17).status, ==,
                    SSD_INVALID_FIELD);
    g_assert_cmphex(ssd_submit(d->ssd, 0, &deallocate, 0).status, ==,
                    SSD_LBA_OUT_OF_RANGE);
    deallocate.ranges = &behind;
    g_assert_cmphex(ssd_submit(d->ssd, 0, &deallocate, 0).status, ==,
                    SSD_LBA_OUT_OF_RANGE);
    deallocate.ranges = &at_end;
    g_assert_cmphex(ssd_submit(d->ssd, 0, &deallocate, 0).status, ==,
                    SSD_SUCCESS);
    drive_drain(d);
    deallocate.range_count = 0;
    g_assert_cmphex(ssd_submit(d->ssd, 0, &deallocate, 0).status, ==,
                    SSD_INVALID_FIELD);
    deallocate.range_count = SSD_DEALLOCATE_RANGES_MAX + 1;
    g_assert_cmphex(ssd_submit(d->ssd, 0, &deallocate, 0).status, ==,
                    SSD_INVALID_FIELD);
    /* In a zoned namespace it has no effect, but the same limits. */
    deallocate.nsid = 1;
    g_assert_cmphex(ssd_submit(d->ssd, 0, &deallocate, 0).status, ==,
                    SSD_INVALID_FIELD);
    drive_expect_idle(d);
    deallocate.ranges = most;
    deallocate.range_count = SSD_DEALLOCATE_RANGES_MAX;
    g_assert_cmphex(ssd_submit(d->ssd, 0, &deallocate, 0).status, ==,
                    SSD_SUCCESS);
    drive_free(d);
}

/* Formatted, it holds nothing; its lines are erased when they are needed. */
static void test_format(void)
{
    Drive *d = drive_full(SMALL);
    GError *error = NULL;
    uint32_t tag;

    d->nsid = 1;
    drive_fill(d, 0, 1);
    g_assert_true(ssd_format(d->ssd, T0, 2, 512, &error));
    d->now_ns = T0;
    g_assert_cmpuint(ssd_ns_info(d->ssd, 2).size_nlb, ==, 128);
    tag = drive_read(d, T0, 0, 1);              /* a zone's page is there */
    drive_expect(d, tag, T0 + READ + XFER);
    d->nsid = 2;
    tag = drive_read(d, 2 * T0, 0, 128);
    drive_expect(d, tag, 2 * T0);
    /* A page on unit 0; then another line is erased, unread, on both units. */
    tag = drive_write(d, 2 * T0, 0, 8);
    drive_expect(d, tag, 2 * T0 + XFER + PROG);
    tag = drive_write(d, d->now_ns, 16, 8);
    drive_expect(d, tag, 2 * T0 + ERASE + PROG);
    drive_free(d);
}

/* A format in the midst of cleaning: what is left of it needs no moving. */
static void test_format_while_cleaning(void)
{
    Drive *d = drive_full(SMALL);
    uint32_t tag;

    tag = drive_write(d, T0, 0, 1);
    drive_expect(d, tag, T0 + XFER + PROG);
    g_assert_true(ssd_format(d->ssd, T0 + MOVE - 1, 2, 4096, NULL));
    /* Row 0 had its write under way: the erase follows it. */
    tag = drive_write(d, T0 + MOVE, 5, 1);
    drive_expect(d, tag, T0 + MOVE + ERASE + PROG);
    drive_free(d);
}

static void test_statistics(void)
{
    Drive *d = drive_full(SMALL);
    char *json;

    ssd_stats_reset(d->ssd, T0);
    drive_write(d, T0, 0, 1);
    d->now_ns = 2 * T0;
    drive_drain(d);
    json = ssd_stats_json(d->ssd, 2 * T0, NULL);
    g_assert_cmpuint(number_of(json, "host_bytes"), ==, 4096);
    g_assert_cmpuint(number_of(json, "moved_bytes"), ==, 7 * 4096);
    g_assert_cmpuint(number_of(json, "programs"), ==, 8);
    g_assert_cmpuint(number_of(json, "erases"), ==, 2);
    g_free(json);
    drive_free(d);
    d = drive_new("");
    json = ssd_stats_json(d->ssd, 0, NULL);
    g_assert_null(strstr(json, "conventional"));
    g_free(json);
    drive_free(d);
}

/* Whatever is written, for many times the capacity, comes to an end. */
static void test_endless_writes(gconstpointer data)
{
    Rng rng = { drive_seed() };
    Drive *d = drive_conv(data);
    uint64_t size_nlb = ssd_ns_info(d->ssd, d->nsid).size_nlb;
    uint64_t most_nlb = d->params.mdts_bytes / d->params.lba_bytes;
    uint64_t written_nlb = 0;
    SsdDone done;
    char *json;

    while (written_nlb < 100 * size_nlb) {
        uint32_t nlb = 1 + rng_below(&rng, MIN(most_nlb, size_nlb));
        uint64_t slba = rng_below(&rng, size_nlb - nlb + 1);

        while (!ssd_has_room(d->ssd)) {
            d->now_ns = MAX(d->now_ns, ssd_next_at_ns(d->ssd));
            while (ssd_poll(d->ssd, d->now_ns, &done, 1)) {
                g_assert_cmpint(done.op, ==, SSD_OP_WRITE);
            }
        }
        drive_write(d, d->now_ns, slba, nlb);
        written_nlb += nlb;
    }
    drive_drain(d);
    drive_expect_idle(d);
    json = ssd_stats_json(d->ssd, d->now_ns, NULL);
    g_test_message("%s", strstr(json, "\"conventional\""));
    g_assert_cmpuint(number_of(json, "host_bytes"), >=,
                     written_nlb * d->params.lba_bytes);
    g_assert_cmpuint(number_of(json, "erases"), >, 0);
    g_free(json);
    drive_free(d);
}

static const char *const endless[][2] = {
    { "least-spare", SMALL "conventional-spare=0" },
    { "one-granule", "conventional-size=4K" },
    { "sub-page", "conventional-size=1M page-size=16K lba-size=512 mdts=32K "
      "cmd-slots=7" },
    { "one-shot", "conventional-size=768K page-size=8K program-pages=3 "
      "pages-per-block=6 multi-plane=on planes=2 zone-size=256K "
      "zone-capacity=192K" },
    { "no-time", SMALL "read-ns=0 program-ns=0 erase-ns=0 "
      "page-transfer-ns=0" },
    { "spare", "conventional-size=1M conventional-spare=28 channels=4" },
};

/*
 * A power cut while a write of all waits for cleaning, which has begun with
 * line 0: half of it has found places. All of it is there afterwards, on pages
 * of both units in turn, but a granule that has been deallocated meanwhile.
 */
static void test_power_cut(gconstpointer words)
{
    Drive *d = drive_full(words);
    Drive *next = g_new0(Drive, 1);
    SsdRange range = { .slba = 3, .nlb = 1 };
    uint32_t tag;

    drive_write(d, d->now_ns, 0, 16);
    drive_deallocate(d, d->now_ns, &range, 1);
    next->ssd = ssd_power_cut(d->ssd, d->now_ns, 1);
    next->params = d->params;
    next->nsid = d->nsid;
    next->now_ns = ssd_now_ns(next->ssd);
    tag = drive_read(next, T0, 3, 1);
    drive_expect(next, tag, T0);
    tag = drive_read(next, T0, 0, 16);
    drive_expect(next, tag, T0 + 8 * READ + XFER);
    /* There is a line for the host, and one more to clean. */
    drive_write(next, 2 * T0, 0, 1);
    drive_drain(next);
    tag = drive_read(next, 3 * T0, 0, 1);
    drive_expect(next, tag, 3 * T0 + READ + XFER);
    drive_free(next);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/conv/shape", test_shape);
    g_test_add_func("/conv/write-and-read", test_write_and_read);
    g_test_add_func("/conv/read-of-what-is-written",
                    test_read_of_what_is_written);
    g_test_add_func("/conv/register", test_register);
    g_test_add_func("/conv/part-of-granule", test_part_of_granule);
    g_test_add_func("/conv/copy", test_copy);
    g_test_add_func("/conv/flush", test_flush);
    g_test_add_func("/conv/shared-unit", test_shared_unit);
    g_test_add_func("/conv/cleaning", test_cleaning);
    g_test_add_func("/conv/write-that-waits", test_write_that_waits);
    g_test_add_func("/conv/waiting-and-replaced", test_waiting_and_replaced);
    g_test_add_func("/conv/waiting-is-not-moved", test_waiting_is_not_moved);
    g_test_add_func("/conv/cleaning-begins", test_cleaning_begins);
    g_test_add_func("/conv/lines-go-round", test_lines_go_round);
    g_test_add_func("/conv/cleaning-by-granules", test_cleaning_by_granules);
    g_test_add_func("/conv/deallocate", test_deallocate);
    g_test_add_func("/conv/deallocate-again", test_deallocate_again);
    g_test_add_func("/conv/rejects", test_rejects);
    g_test_add_func("/conv/format", test_format);
    g_test_add_func("/conv/format-while-cleaning",
                    test_format_while_cleaning);
    g_test_add_func("/conv/statistics", test_statistics);
    for (unsigned i = 0; i < G_N_ELEMENTS(endless); i++) {
        char *path = g_strconcat("/conv/endless/", endless[i][0], NULL);

        g_test_add_data_func(path, endless[i][1], test_endless_writes);
        g_free(path);
    }
    g_test_add_data_func("/conv/power-cut", SMALL, test_power_cut);
    g_test_add_data_func("/conv/power-cut/buffer", SMALL
                         "conventional-buffer=on write-buffer=256K "
                         "program-registers=1", test_power_cut);
    return g_test_run();
}
