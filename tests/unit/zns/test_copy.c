/*
 * Copies: when they end, and that the writes of a zone reach the flash in the
 * order of their LBAs although a copy's comes late.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "support/drive.h"

/* The base drive of drive.h, in numbers. */
#define READ UINT64_C(60000)
#define PROG UINT64_C(700000)
#define XFER UINT64_C(25000)
#define ERASE UINT64_C(3500000)
#define T0 UINT64_C(100000000)

/* Sense, transfer out, transfer in, program. */
#define COPY_1 (READ + XFER + XFER + PROG)

static void test_one_page(void)
{
    Drive *d = drive_new("");
    uint32_t tag;
    SsdDone done;

    drive_fill(d, 0, 1);
    tag = drive_copy(d, T0, drive_zone_lba(d, 1), 0, 1);
    g_assert_cmpint(ssd_zone(d->ssd, 1, 1).state, ==, SSD_ZONE_IMPLICITLY_OPEN);
    g_assert_cmpuint(ssd_zone(d->ssd, 1, 1).wp_lba, ==,
                     drive_zone_lba(d, 1) + 1);
    done = drive_expect(d, tag, T0 + COPY_1);
    g_assert_cmpint(done.op, ==, SSD_OP_COPY);
    g_assert_cmpuint(done.result, ==, 0);
    drive_expect_idle(d);
    drive_free(d);
}

/* The ranges are read side by side; the write waits for the last of them. */
static void test_ranges(void)
{
    Drive *d = drive_new("channels=4");
    SsdRange ranges[] = { { 0, 1 }, { 1, 2 }, { 16, 1 }, { 40, 2 } };
    SsdCmd copy = {
        .op = SSD_OP_COPY, .nsid = 1, .slba = 48, .nlb = 77, .ranges = ranges,
        .range_count = 4,
    };
    uint32_t tag;

    drive_fill(d, 0, 4);
    drive_fill(d, 1, 1);
    /*
     * Pages 0, 1, 2 of zone 0 and page 0 of zone 1: channels 0, 1, 2, 0. The
     * fourth range is not written: it costs nothing to read. Six pages are
     * written: two on channels 0 and 1.
     */
    g_assert_cmphex(ssd_submit(d->ssd, T0, &copy, 7).status, ==, SSD_SUCCESS);
    d->now_ns = T0;
    drive_expect(d, 7, T0 + 2 * READ + XFER + XFER + 2 * PROG);
    g_assert_cmpuint(ssd_zone(d->ssd, 1, 3).wp_lba, ==, 48 + 6);

    /* Nothing to read: a write at once. */
    tag = drive_copy(d, 2 * T0, 54, 40, 1);
    drive_expect(d, tag, 2 * T0 + XFER + PROG);
    drive_free(d);
}

/* A write behind a copy in the same zone is programmed after it. */
static void test_write_behind_copy(void)
{
    Drive *d = drive_new("channels=1");
    uint32_t copy, write, read, other;

    drive_fill(d, 0, 1);
    copy = drive_copy(d, T0, 16, 0, 1);
    write = drive_write(d, T0 + 1, 17, 1);
    drive_expect(d, copy, T0 + COPY_1);

    /* Each page counts as programmed when its own program has ended. */
    read = drive_read(d, T0 + COPY_1, 17, 1);
    drive_expect(d, read, T0 + COPY_1);
    drive_expect(d, write, T0 + COPY_1 + PROG);
    read = drive_read(d, 2 * T0, 16, 2);
    drive_expect(d, read, 2 * T0 + 2 * READ + XFER);

    /* Another zone waits for no copy. */
    drive_copy(d, 3 * T0, 18, 0, 1);
    other = drive_write(d, 3 * T0, 32, 1);
    drive_expect(d, other, 3 * T0 + READ + PROG);
    drive_free(d);
}

/* Two copies to a zone: the second has read first, but waits its turn. */
static void test_copy_behind_copy(void)
{
    Drive *d = drive_new("channels=4 ways=1 zone-channels=1");
    uint32_t slow, fast, write;

    drive_fill(d, 0, 4);
    drive_fill(d, 1, 1);
    slow = drive_copy(d, T0, 32, 0, 4);     /* four senses on one unit */
    fast = drive_copy(d, T0, 36, 16, 1);    /* one on another */
    write = drive_append(d, T0, 2, 1);
    drive_expect(d, slow, T0 + 4 * READ + XFER + XFER + 4 * PROG);
    drive_expect(d, fast, T0 + 4 * READ + 2 * XFER + 5 * PROG);
    drive_expect(d, write, T0 + 4 * READ + 2 * XFER + 6 * PROG);
    drive_expect_idle(d);
    drive_free(d);
}

/* The late piece of a copy, then the piece that completes its page. */
static void test_sub_page(void)
{
    Drive *d = drive_new("channels=1 page-size=16K");
    uint64_t read_ns = READ + XFER, page_at_ns;
    uint32_t copy, tail, read;

    drive_fill(d, 0, 1);
    copy = drive_copy(d, T0, 16, 0, 2);     /* first half of a page */
    tail = drive_write(d, T0 + 1, 18, 2);   /* second half, in its turn */
    drive_expect(d, copy, T0 + read_ns + XFER / 2);
    page_at_ns = T0 + read_ns + XFER + PROG;
    read = drive_read(d, page_at_ns - 1, 16, 4);
    drive_expect(d, read, page_at_ns - 1);
    drive_expect(d, tail, page_at_ns);
    read = drive_read(d, page_at_ns, 16, 4);
    drive_expect(d, read, page_at_ns + READ + XFER);

    /* The copy's piece completes the page that a write has started. */
    tail = drive_write(d, 2 * T0, 20, 1);
    copy = drive_copy(d, 2 * T0 + 1, 21, 0, 3);
    drive_expect(d, tail, 2 * T0 + XFER / 4);
    drive_expect(d, copy, 2 * T0 + 1 + read_ns + XFER - XFER / 4 + PROG);
    read = drive_read(d, 3 * T0, 16, 8);
    drive_expect(d, read, 3 * T0 + 2 * READ + XFER);
    drive_expect_idle(d);
    drive_free(d);
}

/* A flush waits for programs that have been issued: not for a copy's. */
static void test_flush(void)
{
    Drive *d = drive_new("channels=1");
    uint32_t copy, flush;

    drive_fill(d, 0, 1);
    copy = drive_copy(d, T0, 16, 0, 1);
    flush = drive_flush(d, T0 + READ + XFER - 1);
    drive_expect(d, flush, T0 + READ + XFER - 1);
    flush = drive_flush(d, T0 + READ + XFER);
    drive_expect_next(d, copy, T0 + COPY_1);
    drive_expect(d, flush, T0 + COPY_1);
    drive_free(d);
}

/* A finish fills after the copy's pages, a Select All's as well. */
static void test_finish_behind_copy(void)
{
    Drive *d = drive_new("channels=1 zone-capacity=16K");
    uint32_t copy, finish;

    drive_fill(d, 0, 1);
    copy = drive_copy(d, T0, 16, 0, 2);
    finish = drive_zone_op(d, T0 + 1, SSD_OP_ZONE_FINISH, 1);
    /* The second page of the source was not written. */
    drive_expect(d, copy, T0 + COPY_1 + PROG);
    /* The first fill was sent when the copy was, and the second after it. */
    drive_expect(d, finish, T0 + COPY_1 + 2 * PROG + XFER + PROG);

    copy = drive_copy(d, 2 * T0, 32, 0, 3);
    finish = drive_all_zones(d, 2 * T0, SSD_OP_ZONE_FINISH);
    /* The first fill of zone 0 has the unit when the sense has ended. */
    drive_expect(d, copy, 2 * T0 + READ + 4 * PROG);
    drive_drain(d);
    g_assert_cmpint(ssd_zone(d->ssd, 1, 2).state, ==, SSD_ZONE_FULL);
    drive_free(d);
}

/*
 * A reset discards what a copy has not written: the copy ends when it has
 * read, and the writes that waited behind it end at once.
 */
static void test_reset_behind_copy(void)
{
    Drive *d = drive_new("channels=1 zone-channels=1");
    uint32_t copy, write, reset, fresh;

    drive_fill(d, 0, 1);
    drive_fill(d, 1, 4);                    /* one block */
    copy = drive_copy(d, T0, 20, 0, 1);     /* would start a second one */
    write = drive_write(d, T0 + 1, 21, 3);
    reset = drive_zone_op(d, T0 + 2, SSD_OP_ZONE_RESET, 1);
    fresh = drive_write(d, T0 + 3, 16, 1);
    drive_expect(d, write, T0 + 2);
    drive_expect(d, copy, T0 + READ + XFER);
    drive_expect(d, reset, T0 + READ + ERASE);
    drive_expect(d, fresh, T0 + READ + ERASE + PROG);
    drive_expect_idle(d);
    drive_free(d);
}

/* A finish that waited for the copy fills alone when a reset takes it away. */
static void test_reset_behind_finish_behind_copy(void)
{
    Drive *d = drive_new("channels=1 zone-capacity=16K");
    uint32_t copy, finish, reset;

    drive_fill(d, 0, 1);
    copy = drive_copy(d, T0, 16, 0, 1);
    finish = drive_zone_op(d, T0, SSD_OP_ZONE_FINISH, 1);
    reset = drive_zone_op(d, T0, SSD_OP_ZONE_RESET, 1);
    /* The fill's first transfer books the channel before the read's. */
    drive_expect(d, copy, T0 + READ + XFER);
    drive_expect(d, finish, T0 + READ + PROG + 2 * (XFER + PROG));
    drive_expect(d, reset, T0 + READ + PROG + 2 * (XFER + PROG) + ERASE);
    drive_expect_idle(d);
    drive_free(d);
}

/* The sources are those of the submission, whatever becomes of them. */
static void test_source_reset(void)
{
    Drive *d = drive_new("channels=1");
    uint32_t copy, reset;

    drive_fill(d, 0, 1);
    copy = drive_copy(d, T0, 16, 0, 1);
    reset = drive_zone_op(d, T0, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, reset, T0 + READ + ERASE);
    drive_expect(d, copy, T0 + READ + ERASE + PROG);
    drive_expect_idle(d);
    drive_free(d);
}

/* The most ranges, each of one block: all commands inside are copies. */
static void test_most_ranges(void)
{
    Drive *d = drive_new("zone-size=2M mdts=512K cmd-slots=4 "
                         "page-size=4K channels=1");
    SsdRange ranges[SSD_COPY_RANGES_MAX];
    SsdCmd copy = { .op = SSD_OP_COPY, .nsid = 1, .ranges = ranges,
                    .range_count = SSD_COPY_RANGES_MAX };

    drive_fill(d, 0, SSD_COPY_RANGES_MAX);
    for (uint32_t i = 0; i < SSD_COPY_RANGES_MAX; i++) {
        ranges[i] = (SsdRange) { SSD_COPY_RANGES_MAX - 1 - i, 1 };
    }
    for (uint32_t i = 0; i < 4; i++) {
        copy.slba = drive_zone_lba(d, 1) + i * SSD_COPY_RANGES_MAX;
        g_assert_cmphex(ssd_submit(d->ssd, T0, &copy, i).status, ==,
                        SSD_SUCCESS);
    }
    d->now_ns = T0;
    drive_drain(d);
    g_assert_cmpuint(ssd_zone(d->ssd, 1, 1).wp_lba, ==, drive_zone_lba(d, 2));
    drive_expect_idle(d);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/copy/one-page", test_one_page);
    g_test_add_func("/copy/ranges", test_ranges);
    g_test_add_func("/copy/write-behind-copy", test_write_behind_copy);
    g_test_add_func("/copy/copy-behind-copy", test_copy_behind_copy);
    g_test_add_func("/copy/sub-page", test_sub_page);
    g_test_add_func("/copy/flush", test_flush);
    g_test_add_func("/copy/finish-behind-copy", test_finish_behind_copy);
    g_test_add_func("/copy/reset-behind-copy", test_reset_behind_copy);
    g_test_add_func("/copy/reset-behind-finish-behind-copy",
                    test_reset_behind_finish_behind_copy);
    g_test_add_func("/copy/source-reset", test_source_reset);
    g_test_add_func("/copy/most-ranges", test_most_ranges);
    return g_test_run();
}
