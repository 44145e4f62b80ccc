/*
 * A shutdown: the state that each zone has afterwards (ZNS 1.1 section
 * 2.1.1.3), and when it is over.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "support/drive.h"

/* The base drive of drive.h, in numbers. */
#define PROG UINT64_C(700000)
#define XFER UINT64_C(25000)
#define PAGES 16
#define LATER UINT64_C(100000000)
#define ZONES 8
#define MANY "zones=8 "

static uint32_t shut_down(Drive *d, uint64_t at_ns)
{
    return drive_io(d, at_ns, SSD_OP_SHUTDOWN, 0, 0);
}

static void expect_zone(Drive *d, uint32_t zone_idx, SsdZoneState state,
                        uint64_t written_nlb)
{
    SsdZone zone = ssd_zone(d->ssd, 1, zone_idx);

    g_assert_cmpint(zone.state, ==, state);
    if (state != SSD_ZONE_FULL && state < SSD_ZONE_READ_ONLY) {
        g_assert_cmpuint(zone.wp_lba - zone.start_lba, ==, written_nlb);
    }
}

/* A zone in each state that there is, an open and a closed one without data. */
static Drive *drive_in_all_states(void)
{
    Drive *d = drive_new(MANY);

    drive_fill(d, 0, 1);
    drive_zone_op(d, LATER, SSD_OP_ZONE_OPEN, 1);
    drive_zone_op(d, LATER, SSD_OP_ZONE_SET_EXTENSION, 2);
    drive_zone_op(d, LATER, SSD_OP_ZONE_OPEN, 2);
    drive_zone_op(d, LATER, SSD_OP_ZONE_OPEN, 3);
    drive_zone_op(d, LATER, SSD_OP_ZONE_CLOSE, 3);
    drive_write(d, LATER, drive_zone_lba(d, 4), 2);
    drive_zone_op(d, LATER, SSD_OP_ZONE_CLOSE, 4);
    drive_fill(d, 5, PAGES);
    g_assert_true(ssd_zone_fail(d->ssd, d->now_ns, 1, 6, SSD_ZONE_READ_ONLY));
    drive_drain(d);
    return d;
}

static void test_states(void)
{
    Drive *d = drive_in_all_states();

    expect_zone(d, 0, SSD_ZONE_IMPLICITLY_OPEN, 1);
    expect_zone(d, 1, SSD_ZONE_EXPLICITLY_OPEN, 0);
    expect_zone(d, 2, SSD_ZONE_EXPLICITLY_OPEN, 0);
    expect_zone(d, 3, SSD_ZONE_CLOSED, 0);
    g_assert_cmpuint(ssd_open_count(d->ssd, 1), ==, 3);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 5);

    drive_expect(d, shut_down(d, 2 * LATER), 2 * LATER);
    expect_zone(d, 0, SSD_ZONE_CLOSED, 1);
    expect_zone(d, 1, SSD_ZONE_EMPTY, 0);
    expect_zone(d, 2, SSD_ZONE_CLOSED, 0);
    g_assert_true(ssd_zone(d->ssd, 1, 2).has_extension);
    expect_zone(d, 3, SSD_ZONE_EMPTY, 0);
    expect_zone(d, 4, SSD_ZONE_CLOSED, 2);
    expect_zone(d, 5, SSD_ZONE_FULL, 0);
    expect_zone(d, 6, SSD_ZONE_READ_ONLY, 0);
    expect_zone(d, 7, SSD_ZONE_EMPTY, 0);
    g_assert_cmpuint(ssd_open_count(d->ssd, 1), ==, 0);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 3);

    /* Whoever starts the drive again goes on where it was. */
    drive_expect(d, drive_write(d, 3 * LATER, drive_zone_lba(d, 4) + 2, 1),
                 3 * LATER + XFER + PROG);
    drive_free(d);
}

/* All namespaces, whichever is named. */
static void test_namespaces(void)
{
    static const uint32_t named[] = { 1, 2, SSD_NSID_ALL };

    for (unsigned i = 0; i < G_N_ELEMENTS(named); i++) {
        Drive *d = drive_new(MANY "namespaces=2 conventional-size=64K");

        for (d->nsid = 1; d->nsid <= 2; d->nsid++) {
            drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, 0);
        }
        drive_drain(d);
        d->nsid = named[i];
        drive_expect(d, shut_down(d, LATER), LATER);
        g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 0);
        g_assert_cmpuint(ssd_active_count(d->ssd, 2), ==, 0);
        drive_free(d);
    }
}

/* Over when the programs before it are; states are what they will be at once. */
static void test_time(void)
{
    Drive *d = drive_new(MANY);
    uint32_t write = drive_write(d, 0, 0, 1);
    uint32_t down = shut_down(d, XFER);

    expect_zone(d, 0, SSD_ZONE_CLOSED, 1);
    drive_expect_next(d, write, XFER + PROG);
    drive_expect(d, down, XFER + PROG);
    drive_free(d);
}

/* An extension is of a zone's life; a reset, failing media and a format end it. */
static void test_extension(void)
{
    Drive *d = drive_new(MANY);

    for (uint32_t i = 0; i < 4; i++) {
        g_assert_false(ssd_zone(d->ssd, 1, i).has_extension);
        drive_zone_op(d, 0, SSD_OP_ZONE_SET_EXTENSION, i);
        g_assert_true(ssd_zone(d->ssd, 1, i).has_extension);
    }
    drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 0);
    g_assert_true(ssd_zone(d->ssd, 1, 0).has_extension);
    drive_zone_op(d, 0, SSD_OP_ZONE_RESET, 1);
    g_assert_false(ssd_zone(d->ssd, 1, 1).has_extension);
    g_assert_true(ssd_zone_fail(d->ssd, 0, 1, 2, SSD_ZONE_READ_ONLY));
    g_assert_true(ssd_zone(d->ssd, 1, 2).has_extension);
    drive_zone_op(d, 0, SSD_OP_ZONE_OFFLINE, 2);
    g_assert_false(ssd_zone(d->ssd, 1, 2).has_extension);
    drive_drain(d);
    g_assert_true(ssd_format(d->ssd, d->now_ns, 1, 4096, NULL));
    g_assert_false(ssd_zone(d->ssd, 1, 0).has_extension);
    g_assert_false(ssd_zone(d->ssd, 1, 3).has_extension);
    drive_free(d);
}

/* A ZRWA that has data stays, as it is not volatile; one that has none goes. */
static void test_zrwa(void)
{
    Drive *d = drive_new(MANY "zrwa-size=16K");

    for (uint32_t i = 0; i < 2; i++) {
        drive_zone_op(d, 0, SSD_OP_ZONE_OPEN_ZRWA, i);
    }
    drive_write(d, 0, drive_zone_lba(d, 1) + 1, 1);
    drive_drain(d);
    drive_expect(d, shut_down(d, LATER), LATER);
    expect_zone(d, 0, SSD_ZONE_EMPTY, 0);
    g_assert_false(ssd_zone(d->ssd, 1, 0).has_zrwa);
    expect_zone(d, 1, SSD_ZONE_CLOSED, 0);
    g_assert_true(ssd_zone(d->ssd, 1, 1).has_zrwa);
    drive_free(d);
}

/* What the controller counts of active zones ends with those that are empty. */
static void test_watch(void)
{
    Drive *d = drive_new(MANY "excursion-ns=1000000");
    uint32_t nsid, zone_idx;

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, 0);
    drive_drain(d);
    drive_expect(d, shut_down(d, 1000), 1000);
    g_assert_cmpuint(ssd_next_at_ns(d->ssd), ==, UINT64_MAX);
    g_assert_false(ssd_poll_zone(d->ssd, LATER, &nsid, &zone_idx));
    expect_zone(d, 0, SSD_ZONE_EMPTY, 0);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/shutdown/states", test_states);
    g_test_add_func("/shutdown/namespaces", test_namespaces);
    g_test_add_func("/shutdown/time", test_time);
    g_test_add_func("/shutdown/extension", test_extension);
    g_test_add_func("/shutdown/zrwa", test_zrwa);
    g_test_add_func("/shutdown/watch", test_watch);
    return g_test_run();
}
