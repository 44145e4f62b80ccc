/*
 * Exact times of finish and reset: fill by chunks, erase by occupancy, jobs
 * of a zone one after another, Select All, and when zone resources come free.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "support/drive.h"

/* The base drive of drive.h, in numbers: 16 pages, 4 blocks per unit. */
#define READ UINT64_C(60000)
#define PROG UINT64_C(700000)
#define XFER UINT64_C(25000)
#define ERASE UINT64_C(3500000)
#define LATER UINT64_C(100000000)

/* The reference configuration of ConfZNS++. */
#define CONFZNSPP "zones=48 zone-size=2G zone-capacity=1056M channels=4 " \
                  "page-size=16K pages-per-block=768 mdts=8M "
#define CONFZNSPP_PAGES (1056 * 64)

/*
 * SYSTOR 2024, figure 9a: 67,583 pages of a zone that holds one are left. A
 * chunk of k pages begins on any of the four channels, so it takes a transfer
 * and ceil(k / 4) programs; the last one is shorter.
 */
static void test_finish_one_page_zone(void)
{
    static const struct {
        const char *words;
        uint64_t finish_ns;
    } rows[] = {
        /* 67583 */
        {CONFZNSPP "finish-chunk=16K", UINT64_C(48997675000)},
        /* 33791 of two, one of one: 33792 */
        {CONFZNSPP "finish-chunk=32K", UINT64_C(24499200000)},
        /* 16895 of four, one of three: 16896 */
        {CONFZNSPP "finish-chunk=64K", UINT64_C(12249600000)},
        /* 4223 of sixteen, one of fifteen: 4224 of four programs each */
        {CONFZNSPP "finish-chunk=256K", UINT64_C(11932800000)},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        Drive *d = drive_new(rows[i].words);
        uint32_t tag;

        drive_fill(d, 0, 1);
        tag = drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 0);
        drive_expect(d, tag, LATER + rows[i].finish_ns);
        drive_expect_idle(d);
        drive_free(d);
    }
}

/*
 * A chunk's pages are issued together: on four channels, each transfers its
 * share while it programs, so n rows take one transfer and n programs.
 */
static void test_finish_chunks(void)
{
    static const char *const words[] = {
        CONFZNSPP "finish-chunk=16K", CONFZNSPP "finish-chunk=32K",
        CONFZNSPP "finish-chunk=64K", CONFZNSPP "finish-chunk=128K",
        CONFZNSPP "finish-chunk=256K", CONFZNSPP "finish-chunk=384K",
        CONFZNSPP "finish-chunk=16M",
    };
    static const uint64_t chunk_pages[] = { 1, 2, 4, 8, 16, 24, 1024 };

    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
        Drive *d = drive_new(words[i]);
        uint64_t pages = CONFZNSPP_PAGES - 1, k = chunk_pages[i];
        uint64_t rest = pages % k;
        uint64_t want_ns = pages / k * (XFER + (k + 3) / 4 * PROG);
        uint32_t tag;

        want_ns += rest ? XFER + (rest + 3) / 4 * PROG : 0;
        drive_fill(d, 0, 1);
        tag = drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 0);
        drive_expect(d, tag, LATER + want_ns);
        drive_free(d);
    }
}

/* The started page is transferred for what it lacks only. */
static void test_finish_partial_page(void)
{
    Drive *d = drive_new("channels=1 page-size=16K");
    uint32_t tag;

    drive_write(d, 0, 0, 1);
    drive_drain(d);
    tag = drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 0);
    drive_expect(d, tag, LATER + (XFER - XFER / 4 + PROG) +
                 3 * (XFER + PROG));

    drive_fill(d, 1, 3);
    drive_write(d, 2 * LATER, 16 + 12, 3);
    drive_drain(d);
    tag = drive_zone_op(d, 3 * LATER, SSD_OP_ZONE_FINISH, 1);
    drive_expect(d, tag, 3 * LATER + XFER - XFER * 3 / 4 + PROG);
    drive_free(d);
}

static void test_finish_empty_and_full(void)
{
    Drive *d = drive_new("max-open=1 max-active=1");
    uint32_t tag;

    /* Finish of an Empty zone needs no open or active resource. */
    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, 3);
    drive_drain(d);
    tag = drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 0);
    g_assert_cmpuint(ssd_open_count(d->ssd, 1), ==, 1);
    drive_expect(d, tag, 16 * (XFER + PROG));
    tag = drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 0);
    drive_expect(d, tag, LATER);
    /* Of a zone that is still being filled: Full already, so at once. */
    drive_zone_op(d, 2 * LATER, SSD_OP_ZONE_FINISH, 1);
    tag = drive_zone_op(d, 2 * LATER + 1, SSD_OP_ZONE_FINISH, 1);
    drive_expect(d, tag, 2 * LATER + 1);
    drive_free(d);
}

/* The padding is programmed, but known to be nothing: no die is asked. */
static void test_read_of_padding(void)
{
    Drive *d = drive_new("channels=1");
    uint32_t tag;

    drive_fill(d, 0, 1);
    drive_zone_op(d, 1000000, SSD_OP_ZONE_FINISH, 0);
    drive_drain(d);
    tag = drive_read(d, LATER, 0, 16);
    drive_expect(d, tag, LATER + READ + XFER);
    tag = drive_read(d, 2 * LATER, 1, 15);
    drive_expect(d, tag, 2 * LATER);
    /* A medium that fails does not make it forget that. */
    ssd_zone_fail(d->ssd, 2 * LATER, 1, 0, SSD_ZONE_READ_ONLY);
    tag = drive_read(d, 3 * LATER, 1, 15);
    drive_expect(d, tag, 3 * LATER);
    drive_free(d);
}

/* Of a page that was written in part, the part; and what is written anew. */
static void test_read_beside_padding(void)
{
    Drive *d = drive_new("channels=1 page-size=16K");
    uint32_t tag;

    drive_write(d, 0, 0, 1);
    drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 0);
    drive_drain(d);
    tag = drive_read(d, LATER, 0, 2);
    drive_expect(d, tag, LATER + READ + XFER);
    tag = drive_read(d, 2 * LATER, 1, 1);
    drive_expect(d, tag, 2 * LATER);
    drive_zone_op(d, 2 * LATER, SSD_OP_ZONE_RESET, 0);
    drive_fill(d, 0, 2);
    tag = drive_read(d, 3 * LATER, 1, 1);
    drive_expect(d, tag, 3 * LATER + READ + XFER);
    drive_free(d);
}

/* Each chunk is booked when its turn comes: writers get in between. */
static void test_finish_shares_a_unit(void)
{
    Drive *d = drive_new("channels=1 zones=2");
    uint32_t finish, write, read;

    drive_fill(d, 0, 13);
    finish = drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 0);
    /* During the first program: the write's program comes second. */
    write = drive_write(d, LATER + 100000, 16, 1);
    drive_expect(d, write, LATER + XFER + 2 * PROG);
    /* The fill had its second page moved meanwhile: program at once. */
    read = drive_read(d, LATER + XFER + 2 * PROG + 1, 0, 1);
    drive_expect(d, read, LATER + XFER + 3 * PROG + READ + XFER);
    /*
     * The third page was transferred during the sense, then waited for it;
     * the read's transfer did not delay it.
     */
    drive_expect(d, finish, LATER + XFER + 3 * PROG + READ + PROG);
    drive_free(d);
}

static void test_reset_by_occupancy(void)
{
    Drive *d = drive_new("channels=2");
    uint64_t at_ns = 0;

    /* 4 pages per block, two units: rows are pages / 2, rounded up. */
    for (uint32_t pages = 1; pages <= 16; pages++) {
        uint64_t blocks = ((pages + 1) / 2 + 3) / 4;
        uint32_t tag;

        drive_fill(d, 0, pages);
        at_ns += LATER;
        tag = drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, 0);
        drive_expect(d, tag, at_ns + blocks * ERASE);
        drive_expect_idle(d);
    }
    drive_free(d);
}

static void test_reset_of_nothing(void)
{
    Drive *d = drive_new("page-size=16K");
    uint32_t tag;

    tag = drive_zone_op(d, 5, SSD_OP_ZONE_RESET, 0);        /* Empty */
    drive_expect(d, tag, 5);
    drive_zone_op(d, 6, SSD_OP_ZONE_OPEN, 0);
    drive_drain(d);
    tag = drive_zone_op(d, 7, SSD_OP_ZONE_RESET, 0);        /* opened */
    drive_expect(d, tag, 7);
    g_assert_cmpuint(ssd_open_count(d->ssd, 1), ==, 0);
    drive_write(d, 8, 0, 3);
    drive_drain(d);
    tag = drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0);    /* register */
    drive_expect(d, tag, LATER);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 0);
    /* The register was discarded: three blocks start a page anew. */
    tag = drive_write(d, LATER, 0, 3);
    drive_expect(d, tag, LATER + XFER * 3 / 4);
    tag = drive_write(d, 2 * LATER, 3, 1);
    drive_expect(d, tag, 2 * LATER + XFER - XFER * 3 / 4 + PROG);
    drive_free(d);
}

/* 1056 MiB over 4 units: 22 blocks of 768 pages each, 77 ms. */
static void test_reset_confznspp(void)
{
    Drive *d = drive_new(CONFZNSPP "finish-chunk=16M");
    uint64_t at_ns;
    uint32_t tag;

    drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 0);
    at_ns = drive_drain(d);
    tag = drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, tag, at_ns + 77000000);

    drive_fill(d, 1, 4 * 768 + 1);      /* one page into the second row */
    at_ns = d->now_ns + LATER;
    tag = drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, 1);
    drive_expect(d, tag, at_ns + 2 * ERASE);
    drive_free(d);
}

/* An erase joins the unit's FIFO; what comes after the reset waits. */
static void test_reset_queues_on_unit(void)
{
    Drive *d = drive_new("channels=1 zones=2");
    uint32_t reset, read, write;

    drive_fill(d, 0, 1);
    drive_fill(d, 1, 1);
    read = drive_read(d, LATER, 16, 1);
    reset = drive_zone_op(d, LATER + 1, SSD_OP_ZONE_RESET, 0);
    write = drive_write(d, LATER + 2, 0, 1);    /* the same zone, anew */
    drive_expect(d, read, LATER + READ + XFER);
    drive_expect(d, reset, LATER + READ + ERASE);
    drive_expect(d, write, LATER + READ + ERASE + PROG);
    drive_free(d);
}

/*
 * A page issued before the reset counts as occupied, and its program, when it
 * ends, belongs to a life of the zone that is over.
 */
static void test_reset_of_flying_page(void)
{
    Drive *d = drive_new("channels=1");
    uint64_t first_ns, second_ns;
    uint32_t write, reset, again, read;

    write = drive_write(d, 0, 0, 1);
    reset = drive_zone_op(d, XFER + 1, SSD_OP_ZONE_RESET, 0);
    again = drive_write(d, XFER + 2, 0, 1);
    first_ns = XFER + PROG;
    second_ns = first_ns + ERASE + PROG;
    drive_expect(d, write, first_ns);
    drive_expect(d, reset, first_ns + ERASE);
    read = drive_read(d, first_ns + ERASE, 0, 1);
    drive_expect(d, read, first_ns + ERASE);    /* not programmed yet */
    drive_expect(d, again, second_ns);
    read = drive_read(d, second_ns, 0, 1);
    drive_expect(d, read, second_ns + READ + XFER);
    drive_free(d);
}

/*
 * The same with the page still on its way, over the channel or to a register:
 * its block is erased behind it, before the page of the new life.
 */
static void check_reset_of_page_on_its_way(const char *words, uint32_t pages,
                                           uint64_t programmed_ns)
{
    Drive *d = drive_new(words);
    uint64_t erased_ns = programmed_ns + ERASE;
    uint32_t write, reset, again, read;

    write = drive_write(d, 0, 0, pages);
    reset = drive_zone_op(d, 1, SSD_OP_ZONE_RESET, 0);
    again = drive_write(d, 2, 0, 1);
    drive_expect(d, write, programmed_ns);
    drive_expect(d, reset, erased_ns);
    read = drive_read(d, erased_ns, 0, 1);
    drive_expect(d, read, erased_ns);    /* not the old data */
    drive_expect(d, again, erased_ns + PROG);
    read = drive_read(d, erased_ns + PROG, 0, 1);
    drive_expect(d, read, erased_ns + PROG + READ + XFER);
    drive_free(d);
}

static void test_reset_of_page_in_transfer(void)
{
    check_reset_of_page_on_its_way("channels=1", 1, XFER + PROG);
    check_reset_of_page_on_its_way("channels=1", 3, XFER + 3 * PROG);
    /* One at a time: the others wait for the register. */
    check_reset_of_page_on_its_way("channels=1 program-registers=2", 4,
                                   XFER + 4 * PROG);
}

/* Nor does a page of a fill that a reset waits for count as new data. */
static void test_reset_of_filling_zone(void)
{
    Drive *d = drive_new("channels=1");
    uint32_t finish, reset, read, write;

    drive_fill(d, 0, 14);
    finish = drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 0);
    reset = drive_zone_op(d, LATER + 1, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, finish, LATER + 2 * (XFER + PROG));
    read = drive_read(d, d->now_ns, 0, 16);
    drive_expect(d, read, LATER + 2 * (XFER + PROG));
    drive_expect(d, reset, LATER + 2 * (XFER + PROG) + 4 * ERASE);
    write = drive_write(d, 2 * LATER, 0, 15);
    drive_expect(d, write, 2 * LATER + XFER + 15 * PROG);
    read = drive_read(d, 3 * LATER, 14, 2);
    drive_expect(d, read, 3 * LATER + READ + XFER);
    drive_free(d);
}

static void test_read_after_reset(void)
{
    Drive *d = drive_new("channels=1");
    uint32_t reset, read;

    drive_fill(d, 0, 8);
    reset = drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0);
    read = drive_read(d, LATER, 0, 8);
    drive_expect(d, read, LATER);
    drive_expect(d, reset, LATER + 2 * ERASE);
    drive_free(d);
}

/* Jobs of one zone run one after another; other zones do not wait. */
static void test_jobs_of_a_zone_in_order(void)
{
    Drive *d = drive_new("channels=4 zone-channels=1");
    uint64_t fill_ns = 15 * (XFER + PROG), erase_ns = 4 * ERASE, at_ns;
    uint32_t finish, reset, again, other;

    drive_fill(d, 0, 1);
    drive_fill(d, 1, 1);
    finish = drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 0);
    reset = drive_zone_op(d, LATER + 1, SSD_OP_ZONE_RESET, 0);
    other = drive_zone_op(d, LATER + 2, SSD_OP_ZONE_RESET, 1);
    drive_expect(d, other, LATER + 2 + ERASE);
    again = drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, 0);
    drive_expect(d, finish, LATER + fill_ns);
    at_ns = LATER + fill_ns + erase_ns;     /* the whole zone was filled */
    drive_expect(d, reset, at_ns);
    at_ns += fill_ns + XFER + PROG;         /* now all 16 pages */
    drive_expect(d, again, at_ns);
    drive_free(d);
}

/* A reset behind a finish waits, and what is written behind it as well. */
static void test_write_behind_waiting_reset(void)
{
    Drive *d = drive_new("channels=1");
    uint32_t finish, reset, write;

    drive_fill(d, 0, 14);
    finish = drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 0);
    reset = drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0);
    write = drive_write(d, LATER + PROG, 0, 1);
    drive_expect(d, finish, LATER + 2 * (XFER + PROG));
    drive_expect(d, reset, LATER + 2 * (XFER + PROG) + 4 * ERASE);
    drive_expect(d, write, LATER + 2 * (XFER + PROG) + 4 * ERASE + PROG);
    drive_free(d);
}

/* Zone z of the next tests is on a channel of its own. */
#define APART "zones=8 zone-channels=1 channels=8 "

static void fill_four(Drive *d)
{
    drive_fill(d, 1, 16);       /* 4 blocks */
    drive_fill(d, 3, 3);        /* 1 block */
    drive_fill(d, 4, 8);        /* 2 blocks */
    drive_fill(d, 6, 5);        /* 2 blocks */
}

static void expect_reset_all(const char *words, uint64_t blocks)
{
    Drive *d = drive_new(words);
    uint32_t tag;

    fill_four(d);
    tag = drive_all_zones(d, LATER, SSD_OP_ZONE_RESET);
    for (unsigned z = 0; z < 8; z++) {
        g_assert_cmpint(ssd_zone(d->ssd, 1, z).state, ==, SSD_ZONE_EMPTY);
    }
    drive_expect(d, tag, LATER + blocks * ERASE);
    drive_expect_idle(d);
    tag = drive_all_zones(d, 2 * LATER, SSD_OP_ZONE_RESET);
    drive_expect(d, tag, 2 * LATER);
    drive_free(d);
}

static void test_reset_all(void)
{
    expect_reset_all(APART, 4 + 1 + 2 + 2);
    /* 4 | 1, then 2, then 2 beside it */
    expect_reset_all(APART "mgmt-parallel-zones=2", 5);
    /* 4 | 1, then 2 | 2 */
    expect_reset_all(APART "mgmt-parallel-zones=3", 4);
    expect_reset_all(APART "mgmt-parallel-zones=1024", 4);
}

/* Resources come free zone by zone, each when its own job has ended. */
static void test_reset_all_frees_in_turn(void)
{
    Drive *d = drive_new(APART "mgmt-parallel-zones=2");
    static const struct {
        uint64_t blocks;
        uint32_t held;
    } steps[] = { { 1, 2 }, { 3, 1 }, { 5, 0 } };
    uint32_t tag;
    SsdDone done;

    fill_four(d);       /* zone 1 is Full and holds nothing */
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 3);
    tag = drive_all_zones(d, LATER, SSD_OP_ZONE_RESET);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 3);
    for (unsigned i = 0; i < G_N_ELEMENTS(steps); i++) {
        uint64_t at_ns = LATER + steps[i].blocks * ERASE;

        ssd_poll(d->ssd, at_ns - 1, &done, 1);
        g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, steps[i].held + 1);
        g_assert_cmpuint(ssd_open_count(d->ssd, 1), ==, steps[i].held + 1);
        if (steps[i].held) {
            ssd_poll(d->ssd, at_ns, &done, 1);
            g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, steps[i].held);
            g_assert_cmpuint(ssd_open_count(d->ssd, 1), ==, steps[i].held);
        }
    }
    drive_expect(d, tag, LATER + 5 * ERASE);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 0);
    drive_free(d);
}

static void test_finish_all(void)
{
    Drive *d = drive_new(APART);
    uint64_t page_ns = XFER + PROG;
    uint32_t tag;

    fill_four(d);       /* zone 1 is Full already, 0, 2, 5 and 7 Empty */
    drive_zone_op(d, LATER, SSD_OP_ZONE_CLOSE, 4);
    drive_drain(d);
    tag = drive_all_zones(d, LATER, SSD_OP_ZONE_FINISH);
    drive_expect(d, tag, LATER + (13 + 8 + 11) * page_ns);
    for (unsigned z = 0; z < 8; z++) {
        bool full = z == 1 || z == 3 || z == 4 || z == 6;

        g_assert_cmpint(ssd_zone(d->ssd, 1, z).state, ==,
                        full ? SSD_ZONE_FULL : SSD_ZONE_EMPTY);
    }
    drive_free(d);
}

/* One Select All at a time, in order; a single zone's job need not wait. */
static void test_two_select_all(void)
{
    Drive *d = drive_new(APART);
    uint32_t first, second, write, single;

    drive_fill(d, 1, 8);
    drive_fill(d, 2, 8);
    first = drive_all_zones(d, LATER, SSD_OP_ZONE_RESET);
    for (uint32_t z = 5; z < 8; z++) {
        write = drive_write(d, d->now_ns, drive_zone_lba(d, z), 1);
        drive_expect(d, write, d->now_ns + XFER + PROG);
    }
    second = drive_all_zones(d, LATER + ERASE, SSD_OP_ZONE_RESET);
    write = drive_write(d, LATER + ERASE, drive_zone_lba(d, 0), 1);
    drive_expect(d, write, LATER + ERASE + XFER + PROG);
    single = drive_zone_op(d, LATER + 2 * ERASE, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, single, LATER + 3 * ERASE);
    drive_expect(d, first, LATER + (2 + 2) * ERASE);
    drive_expect(d, second, LATER + (2 + 2) * ERASE + 3 * ERASE);
    drive_free(d);
}

/*
 * A command is let in while a job is free for each zone, as it may be a Select
 * All: behind two of them, a drive of 4 zones has as many left as it has slots.
 */
static void test_room_for_select_all(void)
{
    for (uint32_t slots = 3; slots <= 4; slots++) {
        g_autofree char *words = g_strdup_printf("cmd-slots=%u", slots);
        Drive *d = drive_new(words);

        for (uint32_t z = 0; z < 4; z++) {
            drive_fill(d, z, 1);
        }
        drive_all_zones(d, LATER, SSD_OP_ZONE_FINISH);
        g_assert_true(ssd_has_room(d->ssd));
        drive_all_zones(d, LATER, SSD_OP_ZONE_RESET);
        g_assert_cmpint(ssd_has_room(d->ssd), ==, slots == 4);
        drive_free(d);
    }
}

/*
 * A Select All that finds nothing to do is done, as a reset of an Empty zone
 * is, even while the erases of an earlier one go on.
 */
static void test_void_select_all(void)
{
    Drive *d = drive_new(APART);
    uint32_t first, second;

    drive_fill(d, 1, 8);
    first = drive_all_zones(d, LATER, SSD_OP_ZONE_RESET);
    second = drive_all_zones(d, LATER + 1, SSD_OP_ZONE_RESET);
    drive_expect(d, second, LATER + 1);
    drive_expect(d, first, LATER + 2 * ERASE);
    drive_free(d);
}

/* A zone's own order holds against a Select All that has not reached it. */
static void test_single_job_behind_select_all(void)
{
    Drive *d = drive_new(APART);
    uint32_t all, write, single;

    drive_fill(d, 1, 16);
    drive_fill(d, 2, 4);
    all = drive_all_zones(d, LATER, SSD_OP_ZONE_RESET);
    /*
     * Zone 2 is Empty; its erase comes after zone 1's four, and the write that
     * waits for it is discarded by the reset behind that.
     */
    write = drive_write(d, LATER, drive_zone_lba(d, 2), 1);
    single = drive_zone_op(d, LATER + 1, SSD_OP_ZONE_RESET, 2);
    drive_expect(d, write, LATER + 1);
    drive_expect_next(d, all, LATER + 5 * ERASE);
    drive_expect_next(d, single, LATER + 5 * ERASE);
    drive_expect_idle(d);
    drive_free(d);
}

/* A write to a zone that a Select All has not reached waits for its erase. */
static void test_write_behind_select_all(void)
{
    Drive *d = drive_new(APART);
    uint32_t all, write;

    drive_fill(d, 1, 16);
    drive_fill(d, 2, 4);
    all = drive_all_zones(d, LATER, SSD_OP_ZONE_RESET);
    write = drive_write(d, LATER, drive_zone_lba(d, 2), 1);
    drive_expect(d, all, LATER + 5 * ERASE);
    drive_expect(d, write, LATER + 5 * ERASE + PROG);
    drive_free(d);
}

/* Finish and reset hold a zone's resources until the job has ended. */
static void test_resources_until_done(void)
{
    Drive *d = drive_new(APART "max-open=2 max-active=2");
    uint64_t done_at_ns = LATER + 15 * (XFER + PROG);
    uint32_t tag;

    drive_fill(d, 0, 1);
    drive_fill(d, 1, 1);
    drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 0);
    g_assert_cmphex(drive_try(d, done_at_ns - 1, SSD_OP_ZONE_OPEN,
                              drive_zone_lba(d, 2), 0).status, ==,
                    SSD_TOO_MANY_ACTIVE_ZONES);
    /* At the very nanosecond of the completion they are free. */
    drive_zone_op(d, done_at_ns, SSD_OP_ZONE_OPEN, 2);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 2);
    drive_drain(d);

    tag = drive_zone_op(d, 2 * LATER, SSD_OP_ZONE_RESET, 1);
    g_assert_cmphex(drive_try(d, 2 * LATER + ERASE - 1, SSD_OP_WRITE,
                              drive_zone_lba(d, 3), 1).status, ==,
                    SSD_TOO_MANY_ACTIVE_ZONES);
    /* The zone itself may be opened again with what it still holds ... */
    drive_write(d, 2 * LATER + ERASE - 1, drive_zone_lba(d, 1), 1);
    drive_expect(d, tag, 2 * LATER + ERASE);
    /* ... and then keeps it. */
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 2);
    g_assert_cmphex(drive_try(d, 2 * LATER + ERASE, SSD_OP_WRITE,
                              drive_zone_lba(d, 3), 1).status, ==,
                    SSD_TOO_MANY_ACTIVE_ZONES);
    drive_free(d);
}

static void expect_held(const Drive *d, uint32_t zones)
{
    g_assert_cmpuint(ssd_open_count(d->ssd, 1), ==, zones);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, zones);
}

/* The job that took a zone out of use gives back, whatever comes behind it. */
static void test_resources_with_reset_behind_finish(void)
{
    Drive *d = drive_new("channels=1 max-active=1 max-open=1");
    uint32_t finish, reset;

    drive_fill(d, 0, 14);
    finish = drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 0);
    reset = drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0);
    expect_held(d, 1);
    drive_expect(d, finish, LATER + 2 * (XFER + PROG));
    expect_held(d, 0);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_OPEN, 1);
    drive_expect_next(d, d->next_tag - 1, d->now_ns);
    drive_expect(d, reset, d->now_ns + 4 * ERASE);
    expect_held(d, 1);
    drive_free(d);
}

/* An older job does not give back what the zone holds since it was reopened. */
static void test_resources_with_finish_behind_reset(void)
{
    Drive *d = drive_new("channels=1 max-active=1 max-open=1");
    uint32_t reset, open, finish;

    drive_fill(d, 0, 1);
    reset = drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0);
    open = drive_zone_op(d, LATER, SSD_OP_ZONE_OPEN, 0);
    drive_expect(d, open, LATER);
    finish = drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 0);
    drive_expect(d, reset, LATER + ERASE);
    expect_held(d, 1);
    g_assert_cmphex(drive_try(d, d->now_ns, SSD_OP_ZONE_OPEN,
                              drive_zone_lba(d, 1), 0).status, ==,
                    SSD_TOO_MANY_ACTIVE_ZONES);
    drive_expect(d, finish, LATER + ERASE + 16 * (XFER + PROG));
    expect_held(d, 0);
    drive_free(d);
}

/*
 * Jobs that may start at the same time do so in order of their zones. Here two
 * zones share a unit; zone 1 was worked on last, zone 0 is first nevertheless.
 */
static void test_select_all_in_index_order(void)
{
    Drive *d = drive_new("channels=1 mgmt-parallel-zones=2");
    uint64_t at_ns = LATER + 2 * ERASE + 12 * PROG;
    uint32_t reset;
    SsdDone done;

    drive_fill(d, 1, 8);
    drive_all_zones(d, LATER, SSD_OP_ZONE_RESET);
    drive_write(d, LATER + 1, drive_zone_lba(d, 1), 8);
    drive_write(d, LATER + 1, drive_zone_lba(d, 0), 4);
    reset = drive_all_zones(d, LATER + 2, SSD_OP_ZONE_RESET);
    while (ssd_inflight(d->ssd) > 1) {
        d->now_ns = ssd_next_at_ns(d->ssd);
        ssd_poll(d->ssd, d->now_ns, &done, 1);
    }
    g_assert_cmpuint(d->now_ns, ==, at_ns);
    g_assert_cmpuint(ssd_poll(d->ssd, at_ns + ERASE - 1, &done, 1), ==, 0);
    expect_held(d, 2);
    g_assert_cmpuint(ssd_poll(d->ssd, at_ns + ERASE, &done, 1), ==, 0);
    expect_held(d, 1);
    drive_expect(d, reset, at_ns + 3 * ERASE);
    expect_held(d, 0);
    drive_free(d);
}

/*
 * Of 64 finishes the drive knows how long they last at least, and need not be
 * asked at each of their events; of more it does not look.
 */
static void test_many_finishes(void)
{
    Drive *d = drive_new("zones=65 zone-size=64K channels=1");
    SsdDone done;

    for (uint32_t i = 0; i < 65; i++) {
        drive_fill(d, i, 1);
    }
    for (uint32_t i = 0; i < 64; i++) {
        drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, i);
    }
    g_assert_cmpuint(ssd_poll(d->ssd, d->now_ns, &done, 1), ==, 0);
    g_assert_cmpuint(ssd_next_at_ns(d->ssd), >, ssd_next_step_at_ns(d->ssd));
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, 64);
    g_assert_cmpuint(ssd_poll(d->ssd, d->now_ns, &done, 1), ==, 0);
    g_assert_cmpuint(ssd_next_at_ns(d->ssd), ==, ssd_next_step_at_ns(d->ssd));
    drive_drain(d);
    drive_free(d);
}

/*
 * The finish of zone 1 waits for a copy's write, which a reset of all zones
 * drops: the finish begins at once, before it is zone 1's turn to be reset.
 */
static void test_reset_all_drops_what_a_finish_awaits(void)
{
    Drive *d = drive_new("zone-channels=1 mgmt-parallel-zones=1");
    uint32_t finish;

    drive_fill(d, 0, 16);
    drive_copy(d, LATER, drive_zone_lba(d, 1), 0, 1);
    finish = drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 1);
    drive_all_zones(d, LATER + 1, SSD_OP_ZONE_RESET);
    drive_expect_next(d, finish - 1, LATER + READ + XFER);
    drive_expect(d, finish, LATER + 1 + 15 * (XFER + PROG));
    drive_drain(d);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/jobs/many-finishes", test_many_finishes);
    g_test_add_func("/jobs/finish-one-page-zone", test_finish_one_page_zone);
    g_test_add_func("/jobs/finish-chunks", test_finish_chunks);
    g_test_add_func("/jobs/finish-partial-page", test_finish_partial_page);
    g_test_add_func("/jobs/finish-empty-and-full",
                    test_finish_empty_and_full);
    g_test_add_func("/jobs/read-of-padding", test_read_of_padding);
    g_test_add_func("/jobs/read-beside-padding", test_read_beside_padding);
    g_test_add_func("/jobs/finish-shares-a-unit", test_finish_shares_a_unit);
    g_test_add_func("/jobs/reset-by-occupancy", test_reset_by_occupancy);
    g_test_add_func("/jobs/reset-of-nothing", test_reset_of_nothing);
    g_test_add_func("/jobs/reset-confznspp", test_reset_confznspp);
    g_test_add_func("/jobs/reset-queues-on-unit", test_reset_queues_on_unit);
    g_test_add_func("/jobs/reset-of-flying-page", test_reset_of_flying_page);
    g_test_add_func("/jobs/reset-of-page-in-transfer",
                    test_reset_of_page_in_transfer);
    g_test_add_func("/jobs/reset-of-filling-zone",
                    test_reset_of_filling_zone);
    g_test_add_func("/jobs/read-after-reset", test_read_after_reset);
    g_test_add_func("/jobs/zone-in-order", test_jobs_of_a_zone_in_order);
    g_test_add_func("/jobs/write-behind-waiting-reset",
                    test_write_behind_waiting_reset);
    g_test_add_func("/jobs/reset-all", test_reset_all);
    g_test_add_func("/jobs/reset-all-frees-in-turn",
                    test_reset_all_frees_in_turn);
    g_test_add_func("/jobs/finish-all", test_finish_all);
    g_test_add_func("/jobs/two-select-all", test_two_select_all);
    g_test_add_func("/jobs/void-select-all", test_void_select_all);
    g_test_add_func("/jobs/room-for-select-all", test_room_for_select_all);
    g_test_add_func("/jobs/single-job-behind-select-all",
                    test_single_job_behind_select_all);
    g_test_add_func("/jobs/write-behind-select-all",
                    test_write_behind_select_all);
    g_test_add_func("/jobs/resources-until-done", test_resources_until_done);
    g_test_add_func("/jobs/resources-with-reset-behind-finish",
                    test_resources_with_reset_behind_finish);
    g_test_add_func("/jobs/resources-with-finish-behind-reset",
                    test_resources_with_finish_behind_reset);
    g_test_add_func("/jobs/select-all-in-index-order",
                    test_select_all_in_index_order);
    g_test_add_func("/jobs/reset-all-drops-writes",
                    test_reset_all_drops_what_a_finish_awaits);
    return g_test_run();
}
