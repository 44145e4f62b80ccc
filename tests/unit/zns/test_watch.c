/*
 * What the controller does to zones of itself: excursions and recommendations,
 * at their exact times.
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
#define PAGES 16

#define LIMIT UINT64_C(40000000)
#define EXCURSION "excursion-ns=40000000 "

static SsdZoneState state(Drive *d, uint32_t zone_idx)
{
    return ssd_zone(d->ssd, 1, zone_idx).state;
}

/* Run to `at_ns`; nothing completes. */
static void run_to(Drive *d, uint64_t at_ns)
{
    SsdDone done;

    d->now_ns = at_ns;
    g_assert_cmpuint(ssd_poll(d->ssd, at_ns, &done, 1), ==, 0);
}

/* Of itself, this zone alone has changed by now. */
static void expect_change(Drive *d, uint32_t zone_idx)
{
    uint32_t nsid, changed_idx;

    g_assert_true(ssd_poll_zone(d->ssd, d->now_ns, &nsid, &changed_idx));
    g_assert_cmpuint(nsid, ==, 1);
    g_assert_cmpuint(changed_idx, ==, zone_idx);
    g_assert_false(ssd_poll_zone(d->ssd, d->now_ns, &nsid, &changed_idx));
}

static void expect_no_change(Drive *d)
{
    uint32_t nsid, zone_idx;

    g_assert_false(ssd_poll_zone(d->ssd, d->now_ns, &nsid, &zone_idx));
}

/* The zone changes at `at_ns`, and not one nanosecond earlier. */
static void expect_change_at(Drive *d, uint32_t zone_idx, uint64_t at_ns)
{
    g_assert_cmpuint(ssd_next_at_ns(d->ssd), ==, at_ns);
    run_to(d, at_ns - 1);
    expect_no_change(d);
    g_assert_cmpuint(ssd_next_at_ns(d->ssd), ==, at_ns);
    run_to(d, at_ns);
    expect_change(d, zone_idx);
}

/*
 * Finished as by a host: a page is there, the others are filled, and then the
 * zone's resources are free.
 */
static void test_excursion(void)
{
    Drive *d = drive_new(EXCURSION "max-open=1 max-active=1");
    uint64_t ends_at_ns = 1000 + LIMIT + (PAGES - 1) * (XFER + PROG);

    drive_expect(d, drive_write(d, 1000, drive_zone_lba(d, 2), 1),
                 1000 + XFER + PROG);
    expect_change_at(d, 2, 1000 + LIMIT);
    g_assert_cmpint(state(d, 2), ==, SSD_ZONE_FULL);
    g_assert_true(ssd_zone(d->ssd, 1, 2).finished_by_controller);
    g_assert_cmphex(drive_try(d, d->now_ns, SSD_OP_WRITE,
                              drive_zone_lba(d, 2) + 1, 1).status, ==,
                    SSD_ZONE_IS_FULL);
    g_assert_cmpuint(ssd_next_at_ns(d->ssd), ==, UINT64_MAX);
    g_assert_cmphex(drive_try(d, ends_at_ns - 1, SSD_OP_WRITE, 0, 1).status,
                    ==, SSD_TOO_MANY_ACTIVE_ZONES);
    drive_write(d, ends_at_ns, 0, 1);
    drive_drain(d);
    drive_free(d);
}

/* Open or closed, whatever is done to it: the time counts from its opening. */
static void test_limit_counts_from_opening(void)
{
    Drive *d = drive_new(EXCURSION);

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, 1);
    drive_zone_op(d, LIMIT / 4, SSD_OP_ZONE_CLOSE, 1);
    drive_write(d, LIMIT / 2, drive_zone_lba(d, 1), 3);
    drive_zone_op(d, LIMIT * 3 / 4, SSD_OP_ZONE_CLOSE, 1);
    drive_drain(d);
    expect_change_at(d, 1, LIMIT);
    g_assert_cmpint(state(d, 1), ==, SSD_ZONE_FULL);
    drive_free(d);
}

/* A zone that is full or empty in time is left alone; then it counts anew. */
static void test_left_in_time(void)
{
    Drive *d = drive_new(EXCURSION);
    uint64_t again_at_ns = LIMIT - 1;

    drive_fill(d, 0, PAGES);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_OPEN, 1);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_OPEN, 2);
    drive_zone_op(d, again_at_ns, SSD_OP_ZONE_RESET, 1);
    drive_zone_op(d, again_at_ns, SSD_OP_ZONE_FINISH, 2);
    drive_zone_op(d, again_at_ns, SSD_OP_ZONE_OPEN, 1);
    drive_drain(d);
    g_assert_false(ssd_zone(d->ssd, 1, 2).finished_by_controller);
    expect_no_change(d);
    expect_change_at(d, 1, again_at_ns + LIMIT);
    /* A reset clears the attribute (ZNS 1.1 section 3.4.3.1.4). */
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, 1);
    drive_drain(d);
    g_assert_false(ssd_zone(d->ssd, 1, 1).finished_by_controller);
    drive_free(d);
}

/* Several at one instant; a reset of one waits for its fill. */
static void test_together(void)
{
    Drive *d = drive_new(EXCURSION "channels=1 zones=3");
    uint32_t reset, changes = 0, nsid, zone_idx;

    for (uint32_t z = 0; z < 3; z++) {
        drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, z);
    }
    drive_drain(d);
    run_to(d, LIMIT - 1);
    expect_no_change(d);
    run_to(d, LIMIT);
    while (ssd_poll_zone(d->ssd, LIMIT, &nsid, &zone_idx)) {
        changes |= 1u << zone_idx;
    }
    g_assert_cmphex(changes, ==, 7);
    /*
     * Three fills take turns on the one unit, whose programs are longer than
     * their transfers: it is never idle after the first transfer.
     */
    reset = drive_zone_op(d, LIMIT, SSD_OP_ZONE_RESET, 2);
    drive_expect(d, reset, LIMIT + XFER + 3 * PAGES * PROG + 4 * ERASE);
    drive_free(d);
}

/* Recommended first, then finished; then a reset is recommended. */
static void test_recommendations(void)
{
    Drive *d = drive_new(EXCURSION "finish-recommended-ns=30000000 "
                         "reset-recommended-ns=20000000");
    SsdZone zone;

    drive_expect(d, drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, 3), 0);
    expect_change_at(d, 3, 30000000);
    zone = ssd_zone(d->ssd, 1, 3);
    g_assert_true(zone.finish_recommended);
    g_assert_false(zone.finished_by_controller || zone.reset_recommended);
    expect_change_at(d, 3, LIMIT);
    zone = ssd_zone(d->ssd, 1, 3);
    g_assert_true(zone.finished_by_controller);
    g_assert_false(zone.finish_recommended || zone.reset_recommended);
    expect_change_at(d, 3, LIMIT + 20000000);
    zone = ssd_zone(d->ssd, 1, 3);
    g_assert_true(zone.finished_by_controller && zone.reset_recommended);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, 3);
    zone = ssd_zone(d->ssd, 1, 3);
    g_assert_false(zone.finished_by_controller || zone.reset_recommended);
    drive_drain(d);
    drive_expect_idle(d);
    drive_free(d);
}

/* Its ZRWA is committed and gone. */
static void test_excursion_with_zrwa(void)
{
    Drive *d = drive_new(EXCURSION "zrwa-size=16K max-zrwa=1");
    uint64_t lba = drive_zone_lba(d, 1);

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN_ZRWA, 1);
    drive_write(d, 0, lba + 2, 2);
    drive_drain(d);
    expect_change_at(d, 1, LIMIT);
    g_assert_false(ssd_zone(d->ssd, 1, 1).has_zrwa);
    drive_zone_op(d, LIMIT, SSD_OP_ZONE_OPEN_ZRWA, 2);
    drive_drain(d);
    drive_free(d);
}

/*
 * Commands that fit at one instant, of which two in each round leave a job in
 * every zone.
 */
static unsigned commands_with_room(const char *words)
{
    Drive *d = drive_new(words);
    unsigned count = 0;

    for (; ssd_has_room(d->ssd); count++) {
        switch (count % 6) {
        case 4:
            drive_all_zones(d, 0, SSD_OP_ZONE_FINISH);
            break;
        case 5:
            drive_all_zones(d, 0, SSD_OP_ZONE_RESET);
            break;
        default:
            drive_write(d, 0, drive_zone_lba(d, count % 6), 1);
            break;
        }
    }
    drive_drain(d);
    drive_free(d);
    return count;
}

/* The jobs that excursions may need are not given to commands. */
static void test_room_for_excursions(void)
{
    unsigned count = commands_with_room("cmd-slots=100");

    g_assert_cmpuint(count, <, 100);
    g_assert_cmpuint(commands_with_room("cmd-slots=100 " EXCURSION), ==,
                     count);
}

/* A failed zone, and one that was formatted, is left alone. */
static void test_fail_and_format(void)
{
    Drive *d = drive_new(EXCURSION);

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, 0);
    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, 1);
    drive_drain(d);
    g_assert_true(ssd_zone_fail(d->ssd, 10, 1, 0, SSD_ZONE_READ_ONLY));
    g_assert_true(ssd_format(d->ssd, 20, 1, 4096, NULL));
    g_assert_cmpuint(ssd_next_at_ns(d->ssd), ==, UINT64_MAX);
    run_to(d, 3 * LIMIT);
    expect_no_change(d);
    g_assert_cmpint(state(d, 1), ==, SSD_ZONE_EMPTY);
    drive_free(d);
}

/*
 * A format empties a zone that the controller still fills. It is not finished
 * again before that has ended, however often it is formatted: each would be a
 * job, and there are jobs for one of each zone between two resets.
 */
static void test_formats_while_filled(void)
{
    Drive *d = drive_new(EXCURSION "program-ns=1000000000");
    uint64_t at_ns = LIMIT, fill_ns = PAGES * (XFER + 1000000000);
    unsigned formats = 0;

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, 0);
    drive_drain(d);
    expect_change_at(d, 0, at_ns);
    for (; at_ns + 2 * LIMIT < LIMIT + fill_ns; formats++) {
        g_assert_true(ssd_format(d->ssd, at_ns, 1, 4096, NULL));
        drive_zone_op(d, at_ns, SSD_OP_ZONE_OPEN, 0);
        drive_drain(d);
        at_ns += LIMIT;
        g_assert_cmpuint(ssd_next_at_ns(d->ssd), <=, at_ns);
        run_to(d, at_ns);
        expect_no_change(d);
        g_assert_cmpint(state(d, 0), ==, SSD_ZONE_EXPLICITLY_OPEN);
    }
    g_assert_cmpuint(formats, >, 100);
    /* The last is left alone: a limit after the first that found it filled. */
    while (at_ns < LIMIT + fill_ns) {
        at_ns += LIMIT;
    }
    run_to(d, at_ns - 1);
    expect_no_change(d);
    run_to(d, at_ns);
    expect_change(d, 0);
    g_assert_cmpint(state(d, 0), ==, SSD_ZONE_FULL);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/watch/excursion", test_excursion);
    g_test_add_func("/watch/limit-counts-from-opening",
                    test_limit_counts_from_opening);
    g_test_add_func("/watch/left-in-time", test_left_in_time);
    g_test_add_func("/watch/together", test_together);
    g_test_add_func("/watch/recommendations", test_recommendations);
    g_test_add_func("/watch/excursion-with-zrwa", test_excursion_with_zrwa);
    g_test_add_func("/watch/room-for-excursions", test_room_for_excursions);
    g_test_add_func("/watch/fail-and-format", test_fail_and_format);
    g_test_add_func("/watch/formats-while-filled", test_formats_while_filled);
    return g_test_run();
}
