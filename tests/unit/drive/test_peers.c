/*
 * Bugs that other ZNS emulators have or had, one test each, so that this one
 * never gets them. What each cost its users is in the comment.
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
#define LATER UINT64_C(100000000)

/* Append returned the zone's start, or the write pointer after the data. */
static void test_append_lba(void)
{
    Drive *d = drive_new("");
    uint64_t lba = drive_zone_lba(d, 2);
    SsdCmd cmd = { .op = SSD_OP_APPEND, .nsid = 1, .slba = lba };
    uint32_t nlb[] = { 1, 3, 2, 4, 6 };

    for (uint32_t i = 0; i < G_N_ELEMENTS(nlb); i++) {
        SsdAccept accept;
        SsdDone done;

        cmd.nlb = nlb[i];
        accept = ssd_submit(d->ssd, i * LATER, &cmd, i);
        g_assert_cmphex(accept.status, ==, SSD_SUCCESS);
        /* Told at once, where the device must put the data; told again. */
        g_assert_cmpuint(accept.lba, ==, lba);
        g_assert_cmpuint(ssd_poll(d->ssd, (i + 1) * LATER, &done, 1), ==, 1);
        g_assert_cmpuint(done.result, ==, lba);
        lba += nlb[i];
        if (i < 4) {    /* then the zone is full */
            g_assert_cmpuint(ssd_zone(d->ssd, 1, 2).wp_lba, ==, lba);
        }
    }
    g_assert_cmpint(ssd_zone(d->ssd, 1, 2).state, ==, SSD_ZONE_FULL);
    drive_free(d);
}

/* Appends were timed on the units of the zone's head, one behind another. */
static void test_append_timed_where_it_lies(void)
{
    Drive *d = drive_new("channels=4");
    uint32_t tag[4];

    for (unsigned i = 0; i < 4; i++) {
        tag[i] = drive_append(d, 0, 0, 1);
    }
    for (unsigned i = 0; i < 4; i++) {
        drive_expect_next(d, tag[i], XFER + PROG);
    }
    drive_free(d);
}

/* Plain writes opened zones without looking at the limits, then asserted. */
static void test_writes_obey_limits(void)
{
    Drive *d = drive_new("max-open=2 max-active=2");

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, 0);
    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, 1);
    g_assert_cmphex(drive_try(d, 0, SSD_OP_WRITE, drive_zone_lba(d, 2),
                              1).status, ==, SSD_TOO_MANY_ACTIVE_ZONES);
    g_assert_cmphex(drive_try(d, 0, SSD_OP_APPEND, drive_zone_lba(d, 3),
                              1).status, ==, SSD_TOO_MANY_ACTIVE_ZONES);
    drive_free(d);
}

/*
 * With implicitly opened zones, the one that was opened first is closed: first
 * counts from the last time that it was opened, not from its last write.
 */
static void test_writes_close_the_oldest(void)
{
    Drive *d = drive_new("zones=6 max-open=3 max-active=6");
    static const struct {
        uint32_t write, closes;     /* 5: no zone is closed */
    } steps[] = {
        { 1, 5 }, { 2, 5 }, { 1, 5 }, { 3, 1 }, { 1, 2 }, { 3, 5 }, { 2, 3 },
        { 4, 1 }, { 2, 5 }, { 1, 2 }, { 4, 5 }, { 3, 4 },
    };
    uint32_t written[6] = { 0 };

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, 0);   /* is never closed */
    for (uint32_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        uint32_t z = steps[i].write, closed = steps[i].closes;

        if (closed < 5) {
            g_assert_cmpint(ssd_zone(d->ssd, 1, closed).state, ==,
                            SSD_ZONE_IMPLICITLY_OPEN);
        }
        drive_write(d, i, drive_zone_lba(d, z) + written[z]++, 1);
        g_assert_cmpint(ssd_zone(d->ssd, 1, z).state, ==,
                        SSD_ZONE_IMPLICITLY_OPEN);
        g_assert_cmpint(ssd_zone(d->ssd, 1, closed).state, ==,
                        closed < 5 ? SSD_ZONE_CLOSED : SSD_ZONE_EMPTY);
        g_assert_cmpuint(ssd_open_count(d->ssd, 1), ==, i == 0 ? 2 : 3);
    }
    g_assert_cmpint(ssd_zone(d->ssd, 1, 0).state, ==, SSD_ZONE_EXPLICITLY_OPEN);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 5);
    drive_free(d);
}

/* Each way to Full, Empty or Closed gives back what it must; none leaks. */
static void test_no_resource_leak(void)
{
    Drive *d = drive_new("zones=2 max-open=1 max-active=1");
    uint64_t lba = drive_zone_lba(d, 1);

    for (unsigned i = 0; i < 200; i++) {
        switch (i % 7) {
        case 0:     /* full by one write */
            drive_write(d, d->now_ns, lba, 16);
            break;
        case 1:     /* full by two writes */
            drive_write(d, d->now_ns, lba, 9);
            drive_write(d, d->now_ns, lba + 9, 7);
            break;
        case 2:     /* full by append, opened explicitly */
            drive_zone_op(d, d->now_ns, SSD_OP_ZONE_OPEN, 1);
            drive_append(d, d->now_ns, 1, 16);
            break;
        case 3:     /* finish of an opened zone */
            drive_write(d, d->now_ns, lba, 1);
            drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, 1);
            break;
        case 4:     /* finish of a closed zone */
            drive_append(d, d->now_ns, 1, 1);
            drive_zone_op(d, d->now_ns, SSD_OP_ZONE_CLOSE, 1);
            drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, 1);
            break;
        case 5:     /* finish of an empty zone */
            drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, 1);
            break;
        case 6:     /* reset of a closed zone, by all */
            drive_write(d, d->now_ns, lba, 1);
            drive_all_zones(d, d->now_ns, SSD_OP_ZONE_CLOSE);
            drive_all_zones(d, d->now_ns, SSD_OP_ZONE_RESET);
            break;
        }
        drive_drain(d);
        g_assert_cmpuint(ssd_open_count(d->ssd, 1), ==, 0);
        g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 0);
        drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, 1);
        drive_drain(d);
    }
    drive_free(d);
}

/* A rejected write moved the write pointer, or one of two of them. */
static void test_one_write_pointer(void)
{
    Drive *d = drive_new("zone-capacity=32K");
    SsdAccept accept;

    drive_write(d, 0, 0, 3);
    drive_try(d, 0, SSD_OP_WRITE, 2, 1);
    drive_try(d, 0, SSD_OP_WRITE, 3, 6);
    drive_try(d, 0, SSD_OP_APPEND, 0, 6);
    g_assert_cmpuint(ssd_zone(d->ssd, 1, 0).wp_lba, ==, 3);
    accept = drive_try(d, 0, SSD_OP_APPEND, 0, 2);
    g_assert_cmpuint(accept.lba, ==, 3);
    accept = drive_try(d, 0, SSD_OP_WRITE, 5, 1);
    g_assert_cmphex(accept.status, ==, SSD_SUCCESS);
    g_assert_cmpuint(accept.lba, ==, 5);
    g_assert_cmpuint(ssd_zone(d->ssd, 1, 0).wp_lba, ==, 6);
    drive_free(d);
}

/* The write pointer moves when a write is submitted, not when it ends. */
static void test_write_pointer_at_submission(void)
{
    Drive *d = drive_new("");

    for (uint64_t lba = 0; lba < 16; lba++) {
        drive_write(d, 0, lba, 1);
    }
    g_assert_cmpuint(ssd_inflight(d->ssd), ==, 16);
    g_assert_cmpint(ssd_zone(d->ssd, 1, 0).state, ==, SSD_ZONE_FULL);
    drive_free(d);
}

/* Reset emptied the next zone, or left the last block of this one. */
static void test_reset_one_zone_only(void)
{
    Drive *d = drive_new("channels=1");
    uint32_t tag;

    drive_fill(d, 0, 5);
    drive_fill(d, 1, 16);
    drive_fill(d, 2, 6);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, 1);
    drive_drain(d);
    g_assert_cmpuint(ssd_zone(d->ssd, 1, 0).wp_lba, ==, 5);
    g_assert_cmpint(ssd_zone(d->ssd, 1, 1).state, ==, SSD_ZONE_EMPTY);
    g_assert_cmpuint(ssd_zone(d->ssd, 1, 1).wp_lba, ==, 16);
    g_assert_cmpuint(ssd_zone(d->ssd, 1, 2).wp_lba, ==, 32 + 6);
    tag = drive_read(d, LATER, 16, 16);     /* nothing left to sense */
    drive_expect(d, tag, LATER);
    tag = drive_read(d, LATER, 32, 16);     /* 6 pages left there */
    drive_expect(d, tag, LATER + 6 * READ + XFER);
    drive_free(d);
}

/* Reset-all and finish-all took the time of zone 0, or queued it twice. */
static void test_select_all_takes_all(void)
{
    Drive *d = drive_new("channels=4 zone-channels=1 zones=8");
    uint32_t tag;

    for (uint32_t z = 1; z < 8; z++) {
        drive_fill(d, z, 1);
    }
    tag = drive_all_zones(d, LATER, SSD_OP_ZONE_FINISH);
    drive_expect(d, tag, LATER + 7 * 15 * (XFER + PROG));
    tag = drive_all_zones(d, 5 * LATER, SSD_OP_ZONE_RESET);
    drive_expect(d, tag, 5 * LATER + 7 * 4 * ERASE);
    drive_free(d);
}

/* Each 4 KiB of a 16 KiB page was programmed as a page of its own. */
static void test_sub_page_writes(void)
{
    Drive *d = drive_new("channels=1 page-size=16K");
    uint64_t at_ns = 0;

    for (unsigned i = 0; i < 16; i++) {
        uint32_t tag = drive_write(d, at_ns, i, 1);

        at_ns += XFER / 4 + (i % 4 == 3 ? PROG : 0);
        drive_expect(d, tag, at_ns);
    }
    g_assert_cmpint(ssd_zone(d->ssd, 1, 0).state, ==, SSD_ZONE_FULL);
    g_assert_cmpuint(at_ns, ==, 4 * (XFER + PROG));
    drive_free(d);
}

/* A read paid one sense for each 4 KiB. */
static void test_read_senses_a_page_once(void)
{
    Drive *d = drive_new("channels=1 page-size=16K lba-size=512");
    uint32_t tag;

    drive_fill(d, 0, 4);
    tag = drive_read(d, LATER, 0, 32);
    drive_expect(d, tag, LATER + READ + XFER);
    tag = drive_read(d, 2 * LATER, 31, 2);      /* two blocks, two pages */
    drive_expect(d, tag, 2 * LATER + 2 * READ + XFER);
    drive_free(d);
}

/* Latencies were an int of nanoseconds: beyond 2.147 s they went negative. */
static void test_latency_beyond_int(void)
{
    Drive *d = drive_new("zone-size=64M channels=1 mdts=8M");
    uint64_t pages = 64 * 256;
    uint32_t tag;

    tag = drive_zone_op(d, 1, SSD_OP_ZONE_FINISH, 0);
    drive_expect(d, tag, 1 + pages * (XFER + PROG));
    g_assert_cmpuint(pages * (XFER + PROG), >, UINT64_C(2) << 32);
    drive_free(d);
}

/* The gap between capacity and size was writable, or moved later zones. */
static void test_capacity_below_size(void)
{
    Drive *d = drive_new("zones=3 zone-capacity=36K");
    SsdZone zone = ssd_zone(d->ssd, 1, 2);

    g_assert_cmpuint(zone.start_lba, ==, 32);
    g_assert_cmpuint(zone.capacity_nlb, ==, 9);
    drive_write(d, 0, 32, 8);
    g_assert_cmphex(drive_try(d, 0, SSD_OP_WRITE, 40, 2).status, ==,
                    SSD_ZONE_BOUNDARY_ERROR);
    drive_write(d, 0, 40, 1);
    g_assert_cmpint(ssd_zone(d->ssd, 1, 2).state, ==, SSD_ZONE_FULL);
    g_assert_cmphex(drive_try(d, 0, SSD_OP_WRITE, 41, 1).status, ==,
                    SSD_ZONE_IS_FULL);
    drive_read(d, 0, 47, 1);
    g_assert_cmphex(drive_try(d, 0, SSD_OP_READ, 48, 1).status, ==,
                    SSD_LBA_OUT_OF_RANGE);
    drive_free(d);
}

/* A page size that divides no power of two overran the zone's last block. */
static void test_page_of_48k(void)
{
    Drive *d = drive_new("zone-size=256K zone-capacity=240K page-size=48K "
                         "channels=2 pages-per-block=2 mdts=256K");
    uint32_t tag;

    tag = drive_write(d, 0, 0, 60);     /* 5 pages: 3 and 2 */
    drive_expect(d, tag, XFER + 3 * PROG);
    g_assert_cmpint(ssd_zone(d->ssd, 1, 0).state, ==, SSD_ZONE_FULL);
    tag = drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, tag, LATER + 2 * ERASE);
    drive_free(d);
}

/* The first zones were conventional, which Linux rejects. */
static void test_all_zones_sequential(void)
{
    Drive *d = drive_new("zones=64");

    for (uint32_t z = 0; z < 64; z++) {
        SsdZone zone = ssd_zone(d->ssd, 1, z);

        g_assert_cmpint(zone.state, ==, SSD_ZONE_EMPTY);
        g_assert_cmpuint(zone.wp_lba, ==, zone.start_lba);
        g_assert_cmpuint(zone.start_lba, ==, 16 * z);
        g_assert_cmphex(drive_try(d, 0, SSD_OP_WRITE, 16 * z + 1, 1).status,
                        ==, SSD_ZONE_INVALID_WRITE);
    }
    drive_free(d);
}

/* A failed command stayed inside for ever, and took a slot with it. */
static void test_failed_commands_leave_no_trace(void)
{
    Drive *d = drive_new("cmd-slots=1");
    uint32_t tag;

    for (unsigned i = 0; i < 10; i++) {
        drive_try(d, 0, SSD_OP_WRITE, 7, 1);
        drive_expect_idle(d);
    }
    tag = drive_write(d, 0, 0, 1);
    drive_expect(d, tag, XFER + PROG);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/peers/append-lba", test_append_lba);
    g_test_add_func("/peers/append-timed-where-it-lies",
                    test_append_timed_where_it_lies);
    g_test_add_func("/peers/writes-obey-limits", test_writes_obey_limits);
    g_test_add_func("/peers/writes-close-the-oldest",
                    test_writes_close_the_oldest);
    g_test_add_func("/peers/no-resource-leak", test_no_resource_leak);
    g_test_add_func("/peers/one-write-pointer", test_one_write_pointer);
    g_test_add_func("/peers/write-pointer-at-submission",
                    test_write_pointer_at_submission);
    g_test_add_func("/peers/reset-one-zone-only", test_reset_one_zone_only);
    g_test_add_func("/peers/select-all-takes-all", test_select_all_takes_all);
    g_test_add_func("/peers/sub-page-writes", test_sub_page_writes);
    g_test_add_func("/peers/read-senses-a-page-once",
                    test_read_senses_a_page_once);
    g_test_add_func("/peers/latency-beyond-int", test_latency_beyond_int);
    g_test_add_func("/peers/capacity-below-size", test_capacity_below_size);
    g_test_add_func("/peers/page-of-48k", test_page_of_48k);
    g_test_add_func("/peers/all-zones-sequential", test_all_zones_sequential);
    g_test_add_func("/peers/failed-commands-leave-no-trace",
                    test_failed_commands_leave_no_trace);
    return g_test_run();
}
