/*
 * Where commands are, and whom they wait for, in exact scenes of places that
 * are rare: what test_causes meets on few drives, or on none.
 *
 * Knows nothing of the drive's inside: it uses ssd.h, ssd_why.h and params.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_why.h"
#include "support/drive.h"

#define LATER UINT64_C(1000000000)

#define HELD "write-buffer=72K zone-buffer=36K max-open=1 max-active=1 " \
             "program-registers=1 fe-read-ns=1000 buffer-waiters=1 " \
             "buffer-resume=0 "

static Drive *drive;

/* The command has one part, which is there; its number and time are free. */
static void expect(uint32_t tag, const SsdCause *wanted)
{
    g_autoptr(GArray) causes = ssd_why(drive->ssd, tag);
    const SsdCause *cause = &g_array_index(causes, SsdCause, 0);

    g_assert_cmpuint(causes->len, ==, 1);
    g_assert_cmpint(cause->place, ==, wanted->place);
    g_assert_cmpuint(cause->idx, ==, wanted->idx);
    g_assert_cmpint(cause->works, ==, wanted->works);
    g_assert_cmpstr(cause->what, ==, wanted->what);
    g_assert_cmpint(cause->who.kind, ==, wanted->who.kind);
    g_assert_cmpuint(cause->who.tag, ==, wanted->who.tag);
    g_assert_cmpuint(cause->who.zone_idx, ==, wanted->who.zone_idx);
    g_assert_cmpuint(cause->who.page, ==, wanted->who.page);
}

static void run_to(uint64_t at_ns)
{
    SsdDone done;

    while (ssd_poll(drive->ssd, at_ns, &done, 1)) {
    }
    drive->now_ns = at_ns;
}

static void end(void)
{
    drive_drain(drive);
    drive_free(drive);
}

/* A program has ended, and gives its room back by and by. */
static void test_release(void)
{
    uint32_t own, other, any;

    drive = drive_new("write-buffer=72K zone-buffer=36K max-active=4 "
                      "max-open=4 program-registers=1 "
                      "buffer-release-ns=200000 take-turns=on");
    drive_write(drive, 0, 0, 9);
    drive_write(drive, 1, drive_zone_lba(drive, 1), 8);
    own = drive_write(drive, 2, 9, 2);
    other = drive_write(drive, 3, drive_zone_lba(drive, 1) + 8, 2);
    any = drive_write(drive, 4, drive_zone_lba(drive, 2), 2);
    run_to(100);
    expect(own, &(SsdCause) { .place = SSD_PLACE_ZONE_ROOM });
    expect(other, &(SsdCause) { .place = SSD_PLACE_ZONE_ROOM, .idx = 1 });
    expect(any, &(SsdCause) { .place = SSD_PLACE_ROOM });
    run_to(725001);
    expect(own, &(SsdCause) {
        .place = SSD_PLACE_ZONE_ROOM, .what = "release",
        .who = { .kind = SSD_WHO_PAGE, .zone_idx = 0, .page = UINT64_MAX },
    });
    expect(other, &(SsdCause) { .place = SSD_PLACE_ZONE_ROOM, .idx = 1 });
    expect(any, &(SsdCause) {
        .place = SSD_PLACE_ROOM, .what = "release",
        .who = { .kind = SSD_WHO_PAGE, .zone_idx = 0, .page = UINT64_MAX },
    });
    end();
}

/* What has ended comes before what another unit still programs. */
static void test_release_first(void)
{
    uint32_t tag;

    drive = drive_new("write-buffer=72K zone-buffer=36K max-active=4 "
                      "max-open=4 program-registers=1 "
                      "buffer-release-ns=200000");
    drive_write(drive, 0, 0, 1);
    drive_write(drive, 400000, 1, 8);
    tag = drive_write(drive, 500000, 9, 2);
    run_to(725001);
    expect(tag, &(SsdCause) {
        .place = SSD_PLACE_ZONE_ROOM, .what = "release",
        .who = { .kind = SSD_WHO_PAGE, .zone_idx = 0, .page = UINT64_MAX },
    });
    end();
}

static void test_seat(void)
{
    uint32_t tags[8];

    drive = drive_new("channels=1 program-registers=1 zones=8 page-size=16K "
                      "namespaces=2 write-buffer=64K max-active=1 "
                      "take-turns=on");
    for (uint32_t i = 0; i < 4; i++) {
        tags[2 * i] = drive_write(drive, 0, drive_zone_lba(drive, i), 3);
        tags[2 * i + 1] = drive_write(drive, 0,
                                      drive_zone_lba(drive, i) + 3, 13);
    }
    run_to(100);
    expect(tags[2], &(SsdCause) { .place = SSD_PLACE_ROOM });
    expect(tags[3], &(SsdCause) {
        .place = SSD_PLACE_LINE, .who = { .kind = SSD_WHO_COMMAND, .tag = 3 },
    });
    expect(tags[4], &(SsdCause) { .place = SSD_PLACE_SEAT, .idx = 2 });
    expect(tags[5], &(SsdCause) {
        .place = SSD_PLACE_ZONE_WRITES, .idx = 2,
        .who = { .kind = SSD_WHO_COMMAND, .tag = 5 },
    });
    expect(tags[6], &(SsdCause) { .place = SSD_PLACE_SEAT, .idx = 3 });
    expect(tags[7], &(SsdCause) {
        .place = SSD_PLACE_ZONE_WRITES, .idx = 3,
        .who = { .kind = SSD_WHO_COMMAND, .tag = 7 },
    });
    end();
}

/* Of two seats, a zone that is closed has none after a cut: it has no part. */
static void test_seat_after_cut(void)
{
    g_autoptr(GArray) causes = NULL;
    uint32_t filling, tag;
    Ssd *ssd;

    drive = drive_new("channels=1 program-registers=1 page-size=16K "
                      "write-buffer=48K buffer-portion=16K max-active=2 "
                      "take-turns=on");
    drive_write(drive, 0, 0, 4);
    drive_drain(drive);
    ssd = ssd_power_cut(drive->ssd, LATER, 0);
    ssd_free(drive->ssd);
    drive->ssd = ssd;
    drive->now_ns = ssd_now_ns(ssd);
    drive_write(drive, LATER, drive_zone_lba(drive, 1), 3);
    filling = drive_write(drive, LATER, drive_zone_lba(drive, 1) + 3, 13);
    tag = drive_write(drive, LATER, drive_zone_lba(drive, 2), 1);
    run_to(LATER + 100);
    expect(filling, &(SsdCause) { .place = SSD_PLACE_ZONE_ROOM, .idx = 1 });
    causes = ssd_why(drive->ssd, tag);
    g_assert_cmpuint(causes->len, ==, 0); /* it is done */
    end();
}

/* Two writes cross the link, each in two portions. */
static void test_link(void)
{
    uint32_t first, second;

    drive = drive_new("write-buffer=72K zone-buffer=36K max-active=2 "
                      "max-open=2 program-registers=1 buffer-portion=4K "
                      "link-in-ns=100000000");
    first = drive_write(drive, 0, 0, 3);
    second = drive_write(drive, 1, drive_zone_lba(drive, 1), 2);
    run_to(100);
    expect(first, &(SsdCause) { .place = SSD_PLACE_LINK_IN, .works = true });
    expect(second, &(SsdCause) {
        .place = SSD_PLACE_LINK_IN,
        .who = { .kind = SSD_WHO_COMMAND, .tag = 1 },
    });
    run_to(400000);
    expect(first, &(SsdCause) { .place = SSD_PLACE_LINK_IN, .works = true });
    expect(second, &(SsdCause) {
        .place = SSD_PLACE_LINK_IN,
        .who = { .kind = SSD_WHO_COMMAND, .tag = 1 },
    });
    end();
}

/* Data of two reads cross the link one behind the other. */
static void test_link_out(void)
{
    uint32_t first, second;

    drive = drive_new("link-out-ns=256000000");
    drive_fill(drive, 0, 2);
    first = drive_read(drive, LATER, 0, 1);
    second = drive_read(drive, LATER, 1, 1);
    run_to(LATER + 85000);
    expect(first, &(SsdCause) { .place = SSD_PLACE_LINK_OUT, .works = true });
    expect(second, &(SsdCause) {
        .place = SSD_PLACE_LINK_OUT,
        .who = { .kind = SSD_WHO_COMMAND, .tag = first },
    });
    run_to(LATER + 85000 + 1000000);
    expect(second, &(SsdCause) { .place = SSD_PLACE_LINK_OUT, .works = true });
    end();
}

/* What is compared crosses in the other direction. */
static void test_both_ways(void)
{
    uint32_t compare, read;

    drive = drive_new("link-out-ns=256000000 link-in-ns=128000000");
    drive_fill(drive, 0, 2);
    run_to(LATER);
    compare = drive_io(drive, LATER, SSD_OP_COMPARE, 0, 1);
    read = drive_read(drive, LATER, 1, 1);
    run_to(LATER + 85000);
    expect(compare, &(SsdCause) { .place = SSD_PLACE_LINK_IN, .works = true });
    expect(read, &(SsdCause) { .place = SSD_PLACE_LINK_OUT, .works = true });
    end();
}

/* A write's page comes behind the erase of its zone; so does the reset. */
static void test_first_erase(void)
{
    uint32_t reset, read;

    drive = drive_new("write-buffer=72K zone-buffer=36K max-active=2 "
                      "max-open=2 program-registers=1 erase-at=zone-write");
    drive_fill(drive, 0, 1);
    drive_fill(drive, 1, 1);
    drive_zone_op(drive, drive->now_ns, SSD_OP_ZONE_RESET, 0);
    drive_drain(drive);
    drive_write(drive, LATER, 0, 1);
    read = drive_read(drive, LATER + 1000, drive_zone_lba(drive, 1), 1);
    run_to(LATER + 1000);
    expect(read, &(SsdCause) {
        .place = SSD_PLACE_UNIT, .what = "erase",
        .who = { .kind = SSD_WHO_ZONE },
    });
    reset = drive_zone_op(drive, LATER + 1000, SSD_OP_ZONE_RESET, 0);
    run_to(LATER + 2000);
    expect(read, &(SsdCause) {
        .place = SSD_PLACE_UNIT, .what = "erase",
        .who = { .kind = SSD_WHO_ZONE },
    });
    expect(reset, &(SsdCause) {
        .place = SSD_PLACE_UNIT, .works = true, .what = "erase",
        .who = { .kind = SSD_WHO_ZONE },
    });
    end();
}

/* That erase comes behind a program on its way, and nobody is named for it. */
static void test_erase_behind_program(void)
{
    uint32_t reset;

    drive = drive_new("channels=1 write-buffer=72K zone-buffer=36K "
                      "max-active=2 max-open=2 program-registers=2 "
                      "erase-at=zone-write");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, drive->now_ns, SSD_OP_ZONE_RESET, 0);
    drive_drain(drive);
    drive_write(drive, LATER, drive_zone_lba(drive, 1), 1);
    drive_write(drive, LATER + 100, 0, 1);
    reset = drive_zone_op(drive, LATER + 200, SSD_OP_ZONE_RESET, 0);
    run_to(LATER + 300);
    expect(reset, &(SsdCause) { .place = SSD_PLACE_ERASE, .what = "erase" });
    end();
}

/* A finish that runs waits for its own pages only, which come behind those. */
static void test_filling(void)
{
    g_autoptr(GArray) causes = NULL;
    uint32_t finish;

    drive = drive_new("write-buffer=72K zone-buffer=36K max-active=2 "
                      "max-open=2 program-registers=1 erase-at=zone-write");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, drive->now_ns, SSD_OP_ZONE_RESET, 0);
    drive_drain(drive);
    drive_write(drive, LATER, 0, 1);
    finish = drive_zone_op(drive, LATER + 1000, SSD_OP_ZONE_FINISH, 0);
    run_to(LATER + 2000);
    causes = ssd_why(drive->ssd, finish);
    g_assert_cmpuint(causes->len, ==, 2);
    g_assert_cmpint(g_array_index(causes, SsdCause, 0).place, ==,
                    SSD_PLACE_CHANNEL);
    g_assert_cmpint(g_array_index(causes, SsdCause, 1).place, ==,
                    SSD_PLACE_PAGE);
    end();
}

/* With page-turns it waits for its stripe: where the pages in front of it do. */
static void test_filling_behind(void)
{
    uint32_t finish;

    drive = drive_new("channels=2 program-registers=1 write-buffer=64K "
                      "page-turns=on");
    drive_write(drive, 0, 0, 4);
    finish = drive_zone_op(drive, 1, SSD_OP_ZONE_FINISH, 0);
    run_to(100);
    expect(finish, &(SsdCause) { .place = SSD_PLACE_PAGE, .idx = 0 });
    end();
}

/* It waits with a page at this unit, and only there; UINT32_MAX: nowhere. */
static void expect_page(uint32_t tag, uint32_t unit_idx)
{
    g_autoptr(GArray) causes = ssd_why(drive->ssd, tag);
    uint32_t found_idx = UINT32_MAX;

    for (uint32_t i = 0; i < causes->len; i++) {
        const SsdCause *cause = &g_array_index(causes, SsdCause, i);

        if (cause->place == SSD_PLACE_PAGE) {
            g_assert_cmpuint(found_idx, ==, UINT32_MAX);
            found_idx = cause->idx;
        }
    }
    g_assert_cmpuint(found_idx, ==, unit_idx);
}

/* Zone 1 lacks two pages, zone 2 all; unit 1 is busy for a zone that is open. */
static void test_filling_turns(void)
{
    uint32_t first, second;

    drive = drive_new("program-registers=1 write-buffer=64K page-turns=on");
    drive_write(drive, 0, drive_zone_lba(drive, 1), 14);
    drive_write(drive, 0, 0, 1);
    run_to(LATER);
    drive_write(drive, LATER, 1, 1);
    first = drive_zone_op(drive, LATER + 1, SSD_OP_ZONE_FINISH, 1);
    second = drive_zone_op(drive, LATER + 2, SSD_OP_ZONE_FINISH, 2);
    run_to(LATER + 10);
    expect_page(first, 1);
    expect_page(second, 0);
    run_to(LATER + 725000 + 10);
    expect_page(first, UINT32_MAX);
    expect_page(second, 1);
    end();
}

/* Zone 2's page waits for the unit, zone 1's where what was written does. */
static void test_filling_one_unit(void)
{
    uint32_t behind, waiting;

    drive = drive_new("channels=1 program-registers=1 write-buffer=64K "
                      "page-turns=on");
    waiting = drive_zone_op(drive, 0, SSD_OP_ZONE_FINISH, 2);
    drive_write(drive, 1, drive_zone_lba(drive, 1), 4);
    behind = drive_zone_op(drive, 2, SSD_OP_ZONE_FINISH, 1);
    run_to(100);
    expect_page(behind, 0);
    expect_page(waiting, 0);
    end();
}

/*
 * A program that waits for the drive's own is at no other: neither the command's
 * own one, nor one of a page that a flush waits for. A read that runs meanwhile
 * holds it, as any operation that runs.
 */
static void test_own(void)
{
    uint32_t tag, read;

    drive = drive_new("channels=1 own-program-after=1 own-program-ns=1000000 "
                      "reads-first=1");
    drive_write(drive, 0, 0, 1);
    tag = drive_write(drive, 0, 1, 1);
    run_to(725000 + 1);
    expect(tag, &(SsdCause) { .place = SSD_PLACE_OWN, .what = "program" });
    read = drive_read(drive, 725000 + 2, 0, 1);
    run_to(725000 + 3);
    expect(read, &(SsdCause) {
        .place = SSD_PLACE_UNIT, .works = true, .what = "read",
    });
    expect(tag, &(SsdCause) {
        .place = SSD_PLACE_UNIT, .what = "read",
        .who = { .kind = SSD_WHO_COMMAND, .tag = read },
    });
    end();

    drive = drive_new("channels=1 own-program-after=1 own-program-ns=1000000 "
                      "write-buffer=64K program-registers=1");
    drive_write(drive, 0, 0, 2);
    tag = drive_flush(drive, 0);
    run_to(750000 + 1);
    expect(tag, &(SsdCause) { .place = SSD_PLACE_OWN, .what = "program" });
    end();
}

/* Between two phases, which no time passes, a reset is nowhere. */
static void test_inside(void)
{
    uint32_t reset;

    drive = drive_new("reset-base-ns=200000");
    drive_fill(drive, 0, 1);
    reset = drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 0);
    expect(reset, &(SsdCause) { .place = SSD_PLACE_INSIDE });
    run_to(LATER);
    expect(reset, &(SsdCause) { .place = SSD_PLACE_COMMIT, .works = true });
    end();
}

/* The front end is held up: room is waited for, by lines that stand aside. */
static void test_held(gconstpointer words)
{
    uint32_t waiting, read;

    drive = drive_new(words);
    drive_write(drive, 0, drive_zone_lba(drive, 1), 9);
    waiting = drive_write(drive, 0, drive_zone_lba(drive, 1) + 9, 1);
    drive_write(drive, 0, drive_zone_lba(drive, 1) + 10, 1);
    read = drive_read(drive, 0, 0, 1);
    run_to(10);
    expect(read, &(SsdCause) {
        .place = SSD_PLACE_FRONT_HELD,
        .who = { .kind = SSD_WHO_COMMAND, .tag = waiting },
    });
    end();
}

/* No command waits for a reset's step as for an operation of its own. */
static void test_steps(void)
{
    uint32_t reset, read;

    drive = drive_new("channels=1 reset-lock-ns=1000000 reset-steps=1 "
                      "reset-step-ns=100000");
    drive_fill(drive, 0, 16);
    drive_fill(drive, 1, 1);
    reset = drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 0);
    read = drive_read(drive, LATER, drive_zone_lba(drive, 1), 1);
    run_to(LATER + 1);
    expect(reset, &(SsdCause) { .place = SSD_PLACE_UNMAP, .works = true });
    expect(read, &(SsdCause) {
        .place = SSD_PLACE_UNIT, .what = "step",
        .who = { .kind = SSD_WHO_COMMAND, .tag = reset },
    });
    end();
}

/* A page crosses the channel, and then a quarter of one, in no time. */
static void test_channel(void)
{
    uint32_t whole, part;

    drive = drive_new("channels=1 ways=2 page-size=16K page-transfer-ns=1 "
                      "read-granule=4K");
    drive_fill(drive, 0, 8);
    whole = drive_read(drive, LATER, 0, 4);
    part = drive_read(drive, LATER, 4, 1);
    run_to(LATER + 60000);
    expect(whole, &(SsdCause) {
        .place = SSD_PLACE_CHANNEL, .works = true, .what = "read",
    });
    expect(part, &(SsdCause) {
        .place = SSD_PLACE_CHANNEL, .what = "read",
        .who = { .kind = SSD_WHO_COMMAND, .tag = whole },
    });
    end();
}

/*
 * A program waits for another to be issued, whatever crosses a channel before
 * that: the read, of the first operation that there ever was.
 */
static void test_issue(void)
{
    uint32_t read, first, second;

    drive = drive_new("program-issue-ns=40000 program-registers=1");
    drive_fill(drive, 0, 1);
    read = drive_read(drive, 5000000, 0, 1);
    first = drive_write(drive, 5050000, 1, 1);
    second = drive_write(drive, 5052000, 2, 1);
    run_to(5070000);
    expect(read, &(SsdCause) {
        .place = SSD_PLACE_CHANNEL, .works = true, .what = "read",
    });
    expect(first, &(SsdCause) {
        .place = SSD_PLACE_ISSUE, .works = true, .what = "program",
    });
    expect(second, &(SsdCause) {
        .place = SSD_PLACE_ISSUE, .what = "program",
        .who = { .kind = SSD_WHO_COMMAND, .tag = first },
    });
    end();
}

/* A read crosses it for longer than a program does. */
static void test_crossing(void)
{
    uint32_t read;

    drive = drive_new("channels=1 program-transfer-ns=5000");
    drive_fill(drive, 0, 1);
    read = drive_read(drive, LATER, 0, 1);
    run_to(LATER + 60000);
    expect(read, &(SsdCause) {
        .place = SSD_PLACE_CHANNEL, .works = true, .what = "read",
    });
    end();
}

/* 16 granules, each a page, mapped to 4 lines of 8 pages. */
#define LOGGED "conventional-buffer=on program-registers=1 " \
               "buffer-portion=4K max-open=1 max-active=1 " \
               "conventional-size=64K "

static void begin_log(const char *words)
{
    drive = drive_new(words);
    drive->nsid = ssd_ns_count(drive->ssd);
}

/* All is written, and one granule again: the log is cleaned from LATER on. */
static void begin_cleaning(const char *words)
{
    begin_log(words);
    drive_write(drive, 0, 0, 16);
    drive_drain(drive);
    run_to(LATER);
    drive_write(drive, LATER, 0, 1);
}

/* Six of ten granules have a place in the log, and no room. */
static void test_log_room(void)
{
    uint32_t tag;

    begin_log(LOGGED "write-buffer=16K");
    tag = drive_write(drive, 1000, 0, 10);
    run_to(2000);
    expect(tag, &(SsdCause) { .place = SSD_PLACE_ROOM });
    run_to(30000);
    expect(tag, &(SsdCause) {
        .place = SSD_PLACE_ROOM, .what = "program",
        .who = { .kind = SSD_WHO_LOG },
    });
    end();
}

/* A flush waits for a page that was moved; so does who needs its room. */
static void test_log_cleaning(void)
{
    uint32_t tag;

    begin_cleaning(LOGGED "write-buffer=16K");
    run_to(LATER + 730000);
    tag = drive_flush(drive, LATER + 730000);
    run_to(LATER + 730001);
    expect(tag, &(SsdCause) {
        .place = SSD_PLACE_UNIT, .idx = 1, .works = true, .what = "program",
        .who = { .kind = SSD_WHO_CLEANING },
    });
    tag = drive_write(drive, LATER + 730002, 4, 8);
    run_to(LATER + 730003);
    expect(tag, &(SsdCause) {
        .place = SSD_PLACE_ROOM, .what = "program",
        .who = { .kind = SSD_WHO_CLEANING },
    });
    end();
}

/* But never for the reads of what is moved. */
static void test_log_reads(void)
{
    uint32_t flush;

    begin_cleaning(LOGGED "write-buffer=16K");
    flush = drive_flush(drive, LATER + 1);
    run_to(LATER + 2);
    while (ssd_inflight(drive->ssd) > 0) {
        g_autoptr(GArray) causes = ssd_why(drive->ssd, flush);

        for (uint32_t i = 0; i < causes->len; i++) {
            const SsdCause *cause = &g_array_index(causes, SsdCause, i);

            g_assert_false(cause->works &&
                           g_strcmp0(cause->what, "read") == 0);
        }
        run_to(ssd_next_step_at_ns(drive->ssd));
    }
    end();
}

/* And so does a zone's write that needs any room. */
static void test_zone_cleaning(void)
{
    uint32_t tag;

    begin_cleaning(LOGGED "write-buffer=16K");
    drive->nsid = 1;
    tag = drive_write(drive, LATER + 730002, 0, 8);
    run_to(LATER + 730003);
    expect(tag, &(SsdCause) {
        .place = SSD_PLACE_ROOM, .what = "program",
        .who = { .kind = SSD_WHO_CLEANING },
    });
    end();
}

/* Without a buffer for it a flush waits for nothing that is moved. */
static void test_log_without_buffer(void)
{
    uint32_t write, flush;

    begin_cleaning("conventional-size=64K");
    run_to(LATER + 730000);
    write = drive_write(drive, LATER + 730000, 4, 1);
    flush = drive_flush(drive, LATER + 730001);
    run_to(LATER + 780000);
    expect(flush, &(SsdCause) {
        .place = SSD_PLACE_UNIT, .works = true, .what = "program",
        .who = { .kind = SSD_WHO_COMMAND, .tag = write },
    });
    end();
}

/* Nor does who waits for room. */
static void test_log_has_no_room(void)
{
    uint32_t tag;

    begin_cleaning("conventional-size=64K write-buffer=16K max-open=2 "
                   "max-active=2 program-registers=1 buffer-portion=4K");
    drive->nsid = 1;
    drive_write(drive, LATER + 1000000, 0, 4);
    tag = drive_write(drive, LATER + 1000000, drive_zone_lba(drive, 1), 1);
    run_to(LATER + 1010000);
    expect(tag, &(SsdCause) { .place = SSD_PLACE_ROOM });
    end();
}

/* What is moved takes room of the log's, of which there may be less. */
static void test_log_own_room(void)
{
    uint32_t log, zone;

    begin_cleaning(LOGGED "write-buffer=64K zone-buffer=16K take-turns=on");
    log = drive_write(drive, LATER + 1, 4, 8);
    drive->nsid = 1;
    drive_write(drive, LATER + 2, 0, 4);
    zone = drive_write(drive, LATER + 3, 4, 4);
    run_to(LATER + 2300000);
    expect(log, &(SsdCause) {
        .place = SSD_PLACE_ROOM, .what = "program",
        .who = { .kind = SSD_WHO_CLEANING },
    });
    expect(zone, &(SsdCause) { .place = SSD_PLACE_ZONE_ROOM });
    end();
}

/* Who is not the first in its zone's line; and whose line is not the next. */
static void test_lines(void)
{
    uint32_t first, second;

    drive = drive_new("write-buffer=72K zone-buffer=36K max-active=2 "
                      "max-open=2 program-registers=1 take-turns=on");
    first = drive_write(drive, 0, 0, 12);
    second = drive_write(drive, 0, 12, 4);
    run_to(300000);
    expect(second, &(SsdCause) {
        .place = SSD_PLACE_LINE,
        .who = { .kind = SSD_WHO_COMMAND, .tag = first },
    });
    end();

    drive = drive_new("channels=1 write-buffer=64K max-active=3 max-open=3 "
                      "program-registers=1 take-turns=on");
    drive_write(drive, 0, 0, 16);
    run_to(400000);
    first = drive_write(drive, 400001, drive_zone_lba(drive, 1), 8);
    second = drive_write(drive, 400002, drive_zone_lba(drive, 2), 8);
    run_to(400003);
    expect(second, &(SsdCause) {
        .place = SSD_PLACE_LINE,
        .who = { .kind = SSD_WHO_COMMAND, .tag = first },
    });
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/places/release", test_release);
    g_test_add_func("/places/release-first", test_release_first);
    g_test_add_func("/places/issue", test_issue);
    g_test_add_func("/places/zone-cleaning", test_zone_cleaning);
    g_test_add_func("/places/link-out", test_link_out);
    g_test_add_func("/places/both-ways", test_both_ways);
    g_test_add_func("/places/seat", test_seat);
    g_test_add_func("/places/seat-after-cut", test_seat_after_cut);
    g_test_add_func("/places/link", test_link);
    g_test_add_func("/places/first-erase", test_first_erase);
    g_test_add_func("/places/erase-behind-program",
                    test_erase_behind_program);
    g_test_add_func("/places/filling", test_filling);
    g_test_add_func("/places/filling-behind", test_filling_behind);
    g_test_add_func("/places/filling-turns", test_filling_turns);
    g_test_add_func("/places/filling-one-unit", test_filling_one_unit);
    g_test_add_func("/places/inside", test_inside);
    g_test_add_func("/places/steps", test_steps);
    g_test_add_func("/places/channel", test_channel);
    g_test_add_func("/places/crossing", test_crossing);
    g_test_add_func("/places/log-room", test_log_room);
    g_test_add_func("/places/log-cleaning", test_log_cleaning);
    g_test_add_func("/places/log-reads", test_log_reads);
    g_test_add_func("/places/log-without-buffer", test_log_without_buffer);
    g_test_add_func("/places/log-has-no-room", test_log_has_no_room);
    g_test_add_func("/places/log-own-room", test_log_own_room);
    g_test_add_data_func("/places/held", HELD, test_held);
    g_test_add_data_func("/places/held-in-turns", HELD "buffer-turns=on",
                         test_held);
    g_test_add_func("/places/lines", test_lines);
    g_test_add_func("/places/own", test_own);
    return g_test_run();
}
