/*
 * Namespaces: each has zones, limits and a size of blocks of its own; what
 * they share is the flash, and with it the time.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "support/drive.h"

/* The base drive of drive.h, in numbers. */
#define READ UINT64_C(60000)
#define PROG UINT64_C(700000)
#define ERASE UINT64_C(3500000)
#define XFER UINT64_C(25000)
#define T0 UINT64_C(100000000)

#define TWO "zones=8 namespaces=2 "

static SsdStatus status_of(Drive *d, uint32_t nsid, SsdOp op, uint64_t slba)
{
    d->nsid = nsid;
    return drive_try(d, d->now_ns, op, slba, 1).status;
}

static void expect_state(const Drive *d, uint32_t nsid, uint32_t zone_idx,
                         SsdZoneState state)
{
    g_assert_cmphex(ssd_zone(d->ssd, nsid, zone_idx).state, ==, state);
}

static void format(Drive *d, uint64_t at_ns, uint32_t nsid, uint32_t lba_bytes)
{
    GError *error = NULL;

    d->now_ns = at_ns;
    g_assert_true(ssd_format(d->ssd, at_ns, nsid, lba_bytes, &error));
    g_assert_no_error(error);
}

static void test_shape(void)
{
    Drive *d = drive_new("zones=12 namespaces=3 zone-capacity=48K");

    g_assert_cmpuint(ssd_ns_count(d->ssd), ==, 3);
    for (uint32_t nsid = 1; nsid <= 3; nsid++) {
        SsdNsInfo ns = ssd_ns_info(d->ssd, nsid);

        g_assert_cmpint(ns.kind, ==, SSD_NS_ZONED);
        g_assert_cmpuint(ns.lba_bytes, ==, 4096);
        g_assert_cmpuint(ns.size_nlb, ==, 4 * 16);
        g_assert_cmpuint(ns.zones, ==, 4);
        g_assert_cmpuint(ns.first_zone_idx, ==, (nsid - 1) * 4);
        g_assert_cmpuint(ns.zone_size_nlb, ==, 16);
        g_assert_cmpuint(ns.zone_capacity_nlb, ==, 12);
        g_assert_cmpuint(ssd_zone(d->ssd, nsid, 3).start_lba, ==, 48);
    }
    drive_free(d);
}

/* MOR and MAR are fields of a namespace (ZNS 1.1 figure 48). */
static void test_limits(void)
{
    Drive *d = drive_new(TWO "max-open=1 max-active=2");

    for (uint32_t nsid = 1; nsid <= 2; nsid++) {
        g_assert_cmphex(status_of(d, nsid, SSD_OP_ZONE_OPEN, 0), ==,
                        SSD_SUCCESS);
        g_assert_cmphex(status_of(d, nsid, SSD_OP_ZONE_OPEN, 16), ==,
                        SSD_TOO_MANY_OPEN_ZONES);
        g_assert_cmphex(status_of(d, nsid, SSD_OP_ZONE_SET_EXTENSION, 16), ==,
                        SSD_SUCCESS);
        g_assert_cmphex(status_of(d, nsid, SSD_OP_WRITE, 32), ==,
                        SSD_TOO_MANY_ACTIVE_ZONES);
        g_assert_cmpuint(ssd_open_count(d->ssd, nsid), ==, 1);
        g_assert_cmpuint(ssd_active_count(d->ssd, nsid), ==, 2);
    }
    /* The first gives back; the second is as full as before. */
    g_assert_cmphex(status_of(d, 1, SSD_OP_ZONE_RESET, 0), ==, SSD_SUCCESS);
    drive_drain(d);
    g_assert_cmpuint(ssd_open_count(d->ssd, 1), ==, 0);
    g_assert_cmphex(status_of(d, 2, SSD_OP_ZONE_OPEN, 16), ==,
                    SSD_TOO_MANY_OPEN_ZONES);
    g_assert_cmphex(status_of(d, 1, SSD_OP_ZONE_OPEN, 32), ==, SSD_SUCCESS);
    drive_free(d);
}

/* The oldest zone that is closed to make room is one of the namespace. */
static void test_implicit_close(void)
{
    Drive *d = drive_new(TWO "max-open=1");

    g_assert_cmphex(status_of(d, 1, SSD_OP_WRITE, 0), ==, SSD_SUCCESS);
    g_assert_cmphex(status_of(d, 2, SSD_OP_WRITE, 0), ==, SSD_SUCCESS);
    g_assert_cmphex(status_of(d, 2, SSD_OP_WRITE, 16), ==, SSD_SUCCESS);
    expect_state(d, 1, 0, SSD_ZONE_IMPLICITLY_OPEN);
    expect_state(d, 2, 0, SSD_ZONE_CLOSED);
    expect_state(d, 2, 1, SSD_ZONE_IMPLICITLY_OPEN);
    drive_free(d);
}

/* The same LBA in another namespace is another block. */
static void test_lbas(void)
{
    Drive *d = drive_new(TWO);
    uint32_t tag;

    d->nsid = 2;
    drive_fill(d, 1, 3);
    for (uint32_t z = 0; z < 4; z++) {
        expect_state(d, 1, z, SSD_ZONE_EMPTY);
        expect_state(d, 2, z, z == 1 ? SSD_ZONE_IMPLICITLY_OPEN
                                     : SSD_ZONE_EMPTY);
    }
    g_assert_cmpuint(ssd_zone(d->ssd, 2, 1).wp_lba, ==, 19);
    tag = drive_read(d, T0, 16, 1);
    g_assert_cmpuint(drive_expect(d, tag, T0 + READ + XFER).nsid, ==, 2);
    d->nsid = 1;
    tag = drive_read(d, 2 * T0, 16, 1);
    g_assert_cmpuint(drive_expect(d, tag, 2 * T0).nsid, ==, 1);
    /* Behind the end of a namespace there is nothing, least of all the next. */
    g_assert_cmphex(status_of(d, 1, SSD_OP_READ, 64), ==,
                    SSD_LBA_OUT_OF_RANGE);
    g_assert_cmphex(status_of(d, 1, SSD_OP_WRITE, 64), ==,
                    SSD_LBA_OUT_OF_RANGE);
    g_assert_cmphex(status_of(d, 1, SSD_OP_APPEND, 64), ==,
                    SSD_LBA_OUT_OF_RANGE);
    g_assert_cmphex(status_of(d, 1, SSD_OP_ZONE_RESET, 64), ==,
                    SSD_LBA_OUT_OF_RANGE);
    g_assert_cmphex(status_of(d, 3, SSD_OP_READ, 0), ==,
                    SSD_INVALID_NAMESPACE_OR_FORMAT);
    drive_free(d);
}

/* One unit: the second namespace waits for what the first does. */
static void test_shared_unit(void)
{
    Drive *d = drive_new(TWO "channels=1");
    uint32_t first, second;

    first = drive_write(d, T0, 0, 1);
    d->nsid = 2;
    second = drive_write(d, T0, 0, 1);
    drive_expect(d, first, T0 + XFER + PROG);
    drive_expect(d, second, T0 + XFER + 2 * PROG);
    second = drive_read(d, 2 * T0, 0, 1);
    d->nsid = 1;
    first = drive_zone_op(d, 2 * T0, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, second, 2 * T0 + READ + XFER);
    drive_expect(d, first, 2 * T0 + READ + ERASE);
    first = drive_zone_op(d, 3 * T0, SSD_OP_ZONE_RESET, 1);     /* empty */
    drive_expect(d, first, 3 * T0);
    drive_free(d);
}

/* Zones take groups of units in turn, on and on into the next namespace. */
static void test_units_in_turn(void)
{
    Drive *d = drive_new("zones=6 namespaces=2 channels=2 zone-channels=1");
    uint32_t first, second;

    first = drive_write(d, T0, 0, 1);           /* zone 0: the first unit */
    d->nsid = 2;
    second = drive_write(d, T0, 0, 1);          /* zone 3: the second */
    drive_expect_next(d, first, T0 + XFER + PROG);
    drive_expect_next(d, second, T0 + XFER + PROG);
    second = drive_write(d, 2 * T0, 16, 1);     /* zone 4: the first */
    d->nsid = 1;
    first = drive_write(d, 2 * T0, 1, 1);
    drive_expect(d, second, 2 * T0 + XFER + PROG);
    drive_expect(d, first, 2 * T0 + XFER + 2 * PROG);
    drive_free(d);
}

/* One page, on one unit, in zones 0 and 1 of both namespaces. */
static Drive *drive_with_pages(void)
{
    Drive *d = drive_new(TWO "channels=1");

    for (d->nsid = 1; d->nsid <= 2; d->nsid++) {
        drive_fill(d, 0, 1);
        drive_fill(d, 1, 1);
    }
    return d;
}

static void test_select_all(void)
{
    Drive *d = drive_with_pages();
    uint32_t tag;

    d->nsid = 2;
    tag = drive_all_zones(d, T0, SSD_OP_ZONE_RESET);
    drive_expect(d, tag, T0 + 2 * ERASE);
    for (uint32_t z = 0; z < 2; z++) {
        expect_state(d, 1, z, SSD_ZONE_IMPLICITLY_OPEN);
        expect_state(d, 2, z, SSD_ZONE_EMPTY);
    }
    tag = drive_read(d, 2 * T0, 0, 1);
    drive_expect(d, tag, 2 * T0);
    d->nsid = 1;
    tag = drive_read(d, 2 * T0, 0, 1);
    drive_expect(d, tag, 2 * T0 + READ + XFER);
    drive_free(d);
}

/*
 * Select Alls share mgmt-parallel-zones, whatever their namespaces: the second
 * starts when the first has ended, though on other units.
 */
static void test_select_alls_in_turn(void)
{
    Drive *d = drive_new("zones=2 namespaces=2 channels=2 zone-channels=1");
    uint32_t first, second;

    drive_fill(d, 0, 5);                        /* two blocks */
    d->nsid = 2;
    drive_fill(d, 0, 1);
    second = drive_all_zones(d, T0, SSD_OP_ZONE_RESET);
    d->nsid = 1;
    first = drive_all_zones(d, T0, SSD_OP_ZONE_RESET);
    drive_expect(d, second, T0 + ERASE);
    drive_expect(d, first, T0 + 3 * ERASE);
    drive_free(d);
}

/* However many wait, a Select All finds a job for each of its zones. */
static void test_room_for_select_all(void)
{
    Drive *d = drive_new("zones=64 namespaces=2 cmd-slots=200 "
                         "zone-capacity=8K");

    for (unsigned round = 0; round < 8; round++) {
        d->nsid = 1 + round % 2;
        for (uint32_t z = 0; z < 32 && ssd_has_room(d->ssd); z++) {
            drive_append(d, 0, z, 1);
        }
        if (ssd_has_room(d->ssd)) {
            drive_all_zones(d, 0, SSD_OP_ZONE_FINISH);
        }
        if (ssd_has_room(d->ssd)) {
            drive_all_zones(d, 0, SSD_OP_ZONE_RESET);
        }
    }
    /* It is not for slots that there is no room. */
    g_assert_false(ssd_has_room(d->ssd));
    g_assert_cmpuint(ssd_inflight(d->ssd), <, 200);
    drive_drain(d);
    drive_expect_idle(d);
    drive_free(d);
}

/* A flush covers the drive, whichever namespace it names (NVMe 2.0, 7.1). */
static void test_flush(void)
{
    static const uint32_t nsids[] = { 1, 2, SSD_NSID_ALL };
    Drive *d = drive_new(TWO "channels=1");

    for (unsigned i = 0; i < G_N_ELEMENTS(nsids); i++) {
        uint64_t at_ns = (1 + i) * T0;
        uint32_t tag, flush;

        d->nsid = 2;
        tag = drive_write(d, at_ns, i, 1);
        d->nsid = nsids[i];
        flush = drive_flush(d, at_ns + 1);
        g_assert_cmpuint(ssd_ns_inflight(d->ssd, 1), ==, nsids[i] == 1);
        g_assert_cmpuint(ssd_ns_inflight(d->ssd, 2), ==, 1 + (nsids[i] == 2));
        drive_expect_next(d, tag, at_ns + XFER + PROG);
        g_assert_cmpuint(drive_expect(d, flush, at_ns + XFER + PROG).nsid, ==,
                         nsids[i]);
        g_assert_cmpuint(ssd_ns_inflight(d->ssd, 1), ==, 0);
        g_assert_cmpuint(ssd_ns_inflight(d->ssd, 2), ==, 0);
    }
    drive_free(d);
}

/* Formatting one needs nothing of the other, and leaves it alone. */
static void test_format_one(void)
{
    Drive *d = drive_with_pages();
    uint32_t tag;

    d->nsid = 2;
    tag = drive_write(d, T0, 1, 1);             /* goes on meanwhile */
    format(d, T0, 1, 512);
    drive_expect(d, tag, T0 + XFER + PROG);
    g_assert_cmpuint(ssd_ns_info(d->ssd, 1).lba_bytes, ==, 512);
    g_assert_cmpuint(ssd_ns_info(d->ssd, 1).size_nlb, ==, 4 * 128);
    g_assert_cmpuint(ssd_ns_info(d->ssd, 2).lba_bytes, ==, 4096);
    g_assert_cmpuint(ssd_ns_info(d->ssd, 2).size_nlb, ==, 4 * 16);
    expect_state(d, 1, 0, SSD_ZONE_EMPTY);
    expect_state(d, 2, 0, SSD_ZONE_IMPLICITLY_OPEN);
    g_assert_cmpuint(ssd_zone(d->ssd, 2, 0).wp_lba, ==, 2);
    tag = drive_read(d, 2 * T0, 0, 2);          /* both pages are there */
    drive_expect(d, tag, 2 * T0 + 2 * READ + XFER);
    d->nsid = 1;
    tag = drive_read(d, 3 * T0, 0, 8);
    drive_expect(d, tag, 3 * T0);
    tag = drive_write(d, 3 * T0, 0, 8);         /* a page of small blocks */
    drive_expect(d, tag, 3 * T0 + XFER + PROG);
    drive_free(d);
}

static void test_format_all(void)
{
    Drive *d = drive_with_pages();
    GError *error = NULL;

    g_assert_false(ssd_format(d->ssd, T0, SSD_NSID_ALL, 1024, &error));
    g_assert_error(error, SSD_PARAMS_ERROR, 0);
    g_error_free(error);
    for (uint32_t nsid = 1; nsid <= 2; nsid++) {
        g_assert_cmpuint(ssd_ns_info(d->ssd, nsid).lba_bytes, ==, 4096);
        expect_state(d, nsid, 1, SSD_ZONE_IMPLICITLY_OPEN);
    }
    format(d, T0, SSD_NSID_ALL, 512);
    for (uint32_t nsid = 1; nsid <= 2; nsid++) {
        g_assert_cmpuint(ssd_ns_info(d->ssd, nsid).lba_bytes, ==, 512);
        expect_state(d, nsid, 1, SSD_ZONE_EMPTY);
        g_assert_cmpuint(ssd_active_count(d->ssd, nsid), ==, 0);
    }
    drive_free(d);
}

/* A zone that fails is one of its namespace, and leaves its limits only. */
static void test_zone_fail(void)
{
    Drive *d = drive_with_pages();

    g_assert_true(ssd_zone_fail(d->ssd, T0, 2, 1, SSD_ZONE_OFFLINE));
    expect_state(d, 1, 1, SSD_ZONE_IMPLICITLY_OPEN);
    expect_state(d, 2, 1, SSD_ZONE_OFFLINE);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 2);
    g_assert_cmpuint(ssd_active_count(d->ssd, 2), ==, 1);
    drive_free(d);
}

/* A new drive resolves its parameters itself. */
static void test_resolved(void)
{
    SsdParams params = drive_params("namespaces=2"), given = params;
    Ssd *ssd;

    g_assert_cmpuint(params.zone_capacity_bytes, ==, 64 * SSD_KIB);
    given.zone_capacity_bytes = 0; /* the whole zone */
    ssd = ssd_new(&given);
    g_assert_cmpuint(ssd_params(ssd)->zone_capacity_bytes, ==,
                     64 * SSD_KIB);
    g_assert_cmpuint(ssd_ns_info(ssd, 2).zone_capacity_nlb, ==, 16);
    ssd_free(ssd);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ns/shape", test_shape);
    g_test_add_func("/ns/resolved", test_resolved);
    g_test_add_func("/ns/limits", test_limits);
    g_test_add_func("/ns/implicit-close", test_implicit_close);
    g_test_add_func("/ns/lbas", test_lbas);
    g_test_add_func("/ns/shared-unit", test_shared_unit);
    g_test_add_func("/ns/units-in-turn", test_units_in_turn);
    g_test_add_func("/ns/select-all", test_select_all);
    g_test_add_func("/ns/select-alls-in-turn", test_select_alls_in_turn);
    g_test_add_func("/ns/room-for-select-all", test_room_for_select_all);
    g_test_add_func("/ns/flush", test_flush);
    g_test_add_func("/ns/format-one", test_format_one);
    g_test_add_func("/ns/format-all", test_format_all);
    g_test_add_func("/ns/zone-fail", test_zone_fail);
    return g_test_run();
}
