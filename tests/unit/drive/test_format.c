/*
 * A formatted drive is a new drive with another size of blocks; only time,
 * statistics and failed zones go on.
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
#define XFER UINT64_C(25000)
#define T0 UINT64_C(100000000)

#define DRIVE "page-size=16K zone-capacity=48K max-open=2 max-active=3 "

static void format(Drive *d, uint64_t at_ns, uint32_t lba_bytes)
{
    GError *error = NULL;

    d->now_ns = at_ns;
    ssd_format(d->ssd, at_ns, 1, lba_bytes, &error);
    g_assert_no_error(error);
    d->params.lba_bytes = lba_bytes;
}

static void expect_zone(const Drive *d, uint32_t zone_idx, SsdZoneState state,
                        uint64_t start_lba, uint64_t capacity_nlb)
{
    SsdZone zone = ssd_zone(d->ssd, 1, zone_idx);

    g_assert_cmphex(zone.state, ==, state);
    g_assert_cmpuint(zone.start_lba, ==, start_lba);
    g_assert_cmpuint(zone.wp_lba, ==, start_lba);
    g_assert_cmpuint(zone.capacity_nlb, ==, capacity_nlb);
}

/* A zone in every state that a healthy one can have. */
static Drive *drive_used(void)
{
    Drive *d = drive_new(DRIVE);

    drive_fill(d, 0, 3);
    drive_write(d, T0, 16, 5);
    drive_zone_op(d, T0, SSD_OP_ZONE_OPEN, 2);
    drive_zone_op(d, T0, SSD_OP_ZONE_SET_EXTENSION, 3);
    d->now_ns = T0;
    drive_drain(d);
    g_assert_cmpuint(ssd_open_count(d->ssd, 1), ==, 2);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 3);
    return d;
}

static void test_as_new(void)
{
    Drive *d = drive_used();
    uint32_t tag;

    format(d, 2 * T0, 512);
    g_assert_cmpuint(ssd_ns_info(d->ssd, 1).lba_bytes, ==, 512);
    for (uint32_t z = 0; z < 4; z++) {
        expect_zone(d, z, SSD_ZONE_EMPTY, z * 128, 96);
    }
    g_assert_cmpuint(ssd_open_count(d->ssd, 1), ==, 0);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 0);
    drive_expect_idle(d);

    tag = drive_read(d, 2 * T0, 0, 96);         /* nothing is programmed */
    drive_expect(d, tag, 2 * T0);
    tag = drive_zone_op(d, 2 * T0, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, tag, 2 * T0);               /* nothing to erase */
    /* The register of zone 1 was discarded: its page starts anew. */
    tag = drive_write(d, 2 * T0, 128, 31);
    drive_expect(d, tag, 2 * T0 + XFER * 31 / 32);
    tag = drive_write(d, 3 * T0, 159, 1);
    drive_expect(d, tag, 3 * T0 + XFER - XFER * 31 / 32 + PROG);
    tag = drive_read(d, 4 * T0, 128, 64);
    drive_expect(d, tag, 4 * T0 + READ + XFER);
    g_assert_cmphex(drive_try(d, d->now_ns, SSD_OP_READ, 512, 1).status, ==,
                    SSD_LBA_OUT_OF_RANGE);

    format(d, 5 * T0, 4096);                    /* and back */
    expect_zone(d, 3, SSD_ZONE_EMPTY, 48, 12);
    tag = drive_write(d, 5 * T0, 48, 4);
    drive_expect(d, tag, 5 * T0 + XFER + PROG);
    drive_free(d);
}

/* Without a change of the size, too. */
static void test_same_size(void)
{
    Drive *d = drive_used();

    format(d, 2 * T0, 4096);
    for (uint32_t z = 0; z < 4; z++) {
        expect_zone(d, z, SSD_ZONE_EMPTY, z * 16, 12);
    }
    drive_expect_idle(d);
    drive_free(d);
}

/* A drive of 4 KiB blocks can become one of small ones, as full of copies. */
static void test_room_for_small_blocks(void)
{
    Drive *d = drive_new("cmd-slots=3 mdts=64K zone-size=64K channels=1");
    SsdRange ranges[128];
    SsdCmd copy = { .op = SSD_OP_COPY, .nsid = 1, .ranges = ranges,
                    .range_count = 128 };

    format(d, 0, 512);
    drive_fill(d, 0, 16);
    for (uint32_t i = 0; i < 128; i++) {
        ranges[i] = (SsdRange) { i, 1 };
    }
    for (uint32_t z = 1; z < 4; z++) {
        copy.slba = z * 128;
        g_assert_cmphex(ssd_submit(d->ssd, T0, &copy, z).status, ==,
                        SSD_SUCCESS);
    }
    d->now_ns = T0;
    drive_drain(d);
    for (uint32_t z = 1; z < 4; z++) {
        g_assert_cmphex(ssd_zone(d->ssd, 1, z).state, ==, SSD_ZONE_FULL);
    }
    drive_free(d);
}

/* What is broken stays broken: nobody can erase a read-only zone. */
static void test_failed_zones(void)
{
    Drive *d = drive_used();

    g_assert_true(ssd_zone_fail(d->ssd, 2 * T0, 1, 1, SSD_ZONE_READ_ONLY));
    g_assert_true(ssd_zone_fail(d->ssd, 2 * T0, 1, 2, SSD_ZONE_OFFLINE));
    format(d, 2 * T0, 512);
    expect_zone(d, 0, SSD_ZONE_EMPTY, 0, 96);
    expect_zone(d, 1, SSD_ZONE_OFFLINE, 128, 96);
    expect_zone(d, 2, SSD_ZONE_OFFLINE, 256, 96);
    expect_zone(d, 3, SSD_ZONE_EMPTY, 384, 96);
    drive_free(d);
}

static void test_statistics_go_on(void)
{
    Drive *d = drive_used();
    char *before = ssd_stats_json(d->ssd, 2 * T0, NULL), *after;

    format(d, 2 * T0, 512);
    after = ssd_stats_json(d->ssd, 2 * T0, NULL);
    g_assert_cmpstr(before, ==, after);
    g_assert_nonnull(strstr(after, "\"programs\":4"));
    g_free(before);
    g_free(after);
    drive_free(d);
}

/* A size that the drive cannot have changes nothing. */
static void test_wrong_sizes(void)
{
    static const uint32_t sizes[] = { 0, 1, 1024, 8192, UINT32_MAX };
    Drive *d = drive_used();

    for (unsigned i = 0; i < G_N_ELEMENTS(sizes); i++) {
        GError *error = NULL;

        g_assert_false(ssd_format(d->ssd, 2 * T0, 1, sizes[i], &error));
        g_assert_true(g_str_has_prefix(error->message, "lba-size="));
        g_error_free(error);
    }
    g_assert_cmpuint(ssd_ns_info(d->ssd, 1).lba_bytes, ==, 4096);
    g_assert_cmphex(ssd_zone(d->ssd, 1, 0).state, ==, SSD_ZONE_FULL);
    g_assert_cmpuint(ssd_zone(d->ssd, 1, 1).wp_lba, ==, 16 + 5);
    drive_free(d);
}

/*
 * The controller finishes a zone whose write pointer, in the blocks from before
 * the format, lies beyond all that a zone has now. What it began with is asked
 * by nobody, and the drive's state is one that it has.
 */
static void test_while_the_controller_finishes(void)
{
    Drive *d = drive_new(DRIVE "lba-size=512 excursion-ns=1000000");
    uint32_t nsid, zone_idx;
    GError *error = NULL;
    GByteArray *bytes, *again;
    Ssd *loaded;

    drive_write(d, 0, 0, 40);
    drive_drain(d);
    while (!ssd_poll_zone(d->ssd, d->now_ns, &nsid, &zone_idx)) {
        d->now_ns = ssd_next_at_ns(d->ssd);
        g_assert_cmpuint(d->now_ns, !=, UINT64_MAX);
    }
    g_assert_cmphex(ssd_zone(d->ssd, 1, 0).state, ==, SSD_ZONE_FULL);
    format(d, d->now_ns, 4096);
    g_assert_cmpuint(ssd_zone(d->ssd, 1, 0).capacity_nlb, ==, 12);
    bytes = ssd_save(d->ssd);
    d->params.lba_bytes = 512;
    loaded = ssd_load(&d->params, bytes->data, bytes->len, &error);
    g_assert_no_error(error);
    again = ssd_save(loaded);
    g_assert_cmpmem(again->data, again->len, bytes->data, bytes->len);
    ssd_free(loaded);
    g_byte_array_unref(again);
    g_byte_array_unref(bytes);
    drive_free(d);
}

/* What was under way until then has ended, whether anybody looked or not. */
static void test_what_was_under_way(void)
{
    GByteArray *states[2];

    for (unsigned i = 0; i < 2; i++) {
        Drive *d = drive_new("write-buffer=256K program-registers=1");

        drive_write(d, 0, 0, 5);
        drive_drain(d);
        if (i == 0) {
            ssd_poll(d->ssd, T0, NULL, 0);
        }
        format(d, T0, 512);
        states[i] = ssd_save(d->ssd);
        drive_free(d);
    }
    g_assert_cmpmem(states[0]->data, states[0]->len, states[1]->data,
                    states[1]->len);
    g_byte_array_unref(states[0]);
    g_byte_array_unref(states[1]);
}

/*
 * New pages come to a zone that an excursion still fills, a stripe of which is
 * with the units: the drive can be saved, and goes on as it would have.
 */
static void test_saved_while_the_controller_finishes(void)
{
    Drive *d = drive_new("excursion-ns=1000000 write-buffer=256K "
                         "program-registers=1 page-turns=on");
    Drive next;
    GError *error = NULL;
    GByteArray *bytes;
    uint64_t end_at_ns;

    drive_write(d, 0, 0, 1);
    drive_drain(d);
    format(d, 1500000, 4096);
    drive_write(d, 1500000, 0, 3);
    drive_flush(d, 1500000);
    bytes = ssd_save(d->ssd);
    next = *d;
    next.ssd = ssd_load(&d->params, bytes->data, bytes->len, &error);
    g_assert_no_error(error);
    end_at_ns = drive_drain(d);
    g_assert_cmpuint(end_at_ns, >, 1500000 + PROG);
    g_assert_cmpuint(drive_drain(&next), ==, end_at_ns);
    ssd_free(next.ssd);
    g_byte_array_unref(bytes);
    drive_free(d);
}

static void expect_loadable(const Drive *d)
{
    GError *error = NULL;
    GByteArray *bytes = ssd_save(d->ssd);
    Ssd *next = ssd_load(&d->params, bytes->data, bytes->len, &error);

    g_assert_no_error(error);
    ssd_free(next);
    g_byte_array_unref(bytes);
}

/*
 * Pages of the new life go before the old life's fill, from whose places at
 * their units they are given, and a reset drops them; the fill goes on, or that
 * reset would not end.
 */
static void test_filled_behind_new_pages(void)
{
    for (unsigned i = 0; i < 640; i++) {
        Drive *d = drive_new("excursion-ns=1000000 write-buffer=256K "
                             "program-registers=1 page-turns=on");
        uint64_t at_ns;

        drive_append(d, 0, 0, 1);
        drive_drain(d);
        drive_append(d, 990000, 2, 1 + i / 4 % 16);
        drive_drain(d);
        format(d, MAX(1000000 + i / 64 * 50000, d->now_ns), 4096);
        drive_append(d, d->now_ns, 0, 1 + i % 2);
        drive_append(d, d->now_ns, 0, 1);
        drive_flush(d, d->now_ns);
        while (ssd_inflight(d->ssd) && (i & 2) == 0) {
            expect_loadable(d);
            at_ns = ssd_next_at_ns(d->ssd);
            g_assert_cmpuint(at_ns, <, UINT64_MAX);
            d->now_ns = at_ns;
            while (ssd_poll(d->ssd, at_ns, &(SsdDone) {0}, 1)) {
            }
        }
        drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, 0);
        drive_drain(d);
        drive_expect_idle(d);
        drive_free(d);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/as-new", test_as_new);
    g_test_add_func("/format/same-size", test_same_size);
    g_test_add_func("/format/room-for-small-blocks",
                    test_room_for_small_blocks);
    g_test_add_func("/format/failed-zones", test_failed_zones);
    g_test_add_func("/format/statistics-go-on", test_statistics_go_on);
    g_test_add_func("/format/wrong-sizes", test_wrong_sizes);
    g_test_add_func("/format/while-the-controller-finishes",
                    test_while_the_controller_finishes);
    g_test_add_func("/format/saved-while-the-controller-finishes",
                    test_saved_while_the_controller_finishes);
    g_test_add_func("/format/filled-behind-new-pages",
                    test_filled_behind_new_pages);
    g_test_add_func("/format/what-was-under-way", test_what_was_under_way);
    return g_test_run();
}
