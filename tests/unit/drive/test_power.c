/*
 * A power cut: what each zone may be afterwards, and how the drive goes on, in
 * scenes by hand. whole/test_outage.c has those that nobody has thought of.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>
#include "support/drive.h"

/* The base drive of drive.h, in numbers. */
#define PROG UINT64_C(700000)
#define XFER UINT64_C(25000)
#define READ UINT64_C(60000)
#define ERASE UINT64_C(3500000)
#define PAGES 16
#define LATER UINT64_C(100000000)
#define SEEDS 64

static uint64_t written_nlb(const SsdZone *zone)
{
    return zone->state == SSD_ZONE_FULL ? zone->capacity_nlb
                                        : zone->wp_lba - zone->start_lba;
}

/* The drive after a cut, with a clock of its own. */
static Drive *after_cut(Drive *d, uint64_t at_ns, uint64_t seed)
{
    Drive *next = g_new0(Drive, 1);

    next->ssd = ssd_power_cut(d->ssd, at_ns, seed);
    next->params = d->params;
    next->nsid = 1;
    next->now_ns = ssd_now_ns(next->ssd);
    drive_expect_idle(next);
    return next;
}

/* Blocks of a zone that are there after each of many cuts: a bit for each. */
static uint32_t lengths_after(Drive *d, uint64_t at_ns, uint32_t zone_idx)
{
    uint32_t seen = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Drive *next = after_cut(d, at_ns, seed);
        SsdZone zone = ssd_zone(next->ssd, 1, zone_idx);

        seen |= 1u << written_nlb(&zone);
        drive_free(next);
    }
    return seen;
}

static void expect_zone(Drive *d, uint32_t zone_idx, SsdZoneState state,
                        uint64_t nlb)
{
    SsdZone zone = ssd_zone(d->ssd, 1, zone_idx);

    g_assert_cmpint(zone.state, ==, state);
    g_assert_cmpuint(written_nlb(&zone), ==, nlb);
}

/* A drive after a cut that has left the zone in this state. */
static Drive *cut_until(Drive *d, uint64_t at_ns, uint32_t zone_idx,
                        SsdZoneState state)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Drive *next = after_cut(d, at_ns, seed);

        if (ssd_zone(next->ssd, 1, zone_idx).state == state) {
            return next;
        }
        drive_free(next);
    }
    g_assert_not_reached();
}

/* Two of four pages are programmed, and nobody has been told. */
static void test_write(void)
{
    Drive *d = drive_new("");
    uint32_t tag = drive_write(d, 0, 0, 4);
    uint64_t half_ns = XFER + PROG;

    g_assert_cmphex(lengths_after(d, 0, 0), ==, 0x1f);
    g_assert_cmphex(lengths_after(d, half_ns - 1, 0), ==, 0x1f);
    g_assert_cmphex(lengths_after(d, half_ns, 0), ==, 0x1c);
    drive_expect(d, tag, half_ns + PROG);
    g_assert_cmphex(lengths_after(d, half_ns + PROG, 0), ==, 0x10);
    drive_free(d);
}

/* What has been told stays, also behind what has not: 3 blocks of zone 0. */
static void test_told(void)
{
    Drive *d = drive_new("link-in-ns=1000000000 fixed-append-ns=90000000");
    uint32_t append = drive_append(d, 0, 0, 1);
    uint32_t write = drive_write(d, 0, 1, 2);
    SsdDone done;

    while (ssd_poll(d->ssd, d->now_ns, &done, 1) == 0) {
        d->now_ns = ssd_next_at_ns(d->ssd);
    }
    g_assert_cmpuint(done.tag, ==, write);
    g_assert_cmpuint(ssd_inflight(d->ssd), ==, 1);
    (void)append;
    g_assert_cmphex(lengths_after(d, d->now_ns, 0), ==, 1 << 3);
    drive_free(d);
}

/* As lengths_after() now, of zone 0 of the drive that it is once loaded. */
static uint32_t lengths_loaded(const Drive *d)
{
    GByteArray *bytes = ssd_save(d->ssd);
    Drive loaded = { .params = d->params };
    uint32_t seen;

    loaded.ssd = ssd_load(&d->params, bytes->data, bytes->len, NULL);
    seen = lengths_after(&loaded, d->now_ns, 0);
    ssd_free(loaded.ssd);
    g_byte_array_unref(bytes);
    return seen;
}

/*
 * What names all zones of the namespace depends on what they are, those that it
 * does not change included: zone 0 is full, by a write that is inside.
 */
static void test_told_of_all(gconstpointer op)
{
    Drive *d = drive_new("namespaces=2");

    drive_fill(d, 0, PAGES - 1);
    drive_write(d, d->now_ns, PAGES - 1, 1);
    g_assert_cmphex(lengths_after(d, d->now_ns, 0), ==, 3 << (PAGES - 1));
    d->nsid = 2;
    drive_all_zones(d, d->now_ns, SSD_OP_ZONE_FINISH);
    g_assert_cmphex(lengths_after(d, d->now_ns, 0), ==, 3 << (PAGES - 1));
    d->nsid = 1;
    drive_all_zones(d, d->now_ns, GPOINTER_TO_UINT(op));
    g_assert_cmphex(lengths_after(d, d->now_ns, 0), ==, 1 << PAGES);
    g_assert_cmphex(lengths_loaded(d), ==, 1 << PAGES);
    drive_free(d);
}

/* Open zones are closed or empty, and go on as if nothing had been. */
static void test_open(void)
{
    Drive *d = drive_new("zones=8 max-open=3 max-active=4 "
                         "zd-extension-size=64 power-up-ns=7");
    Drive *next;

    drive_fill(d, 0, 3);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_OPEN, 1);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_SET_EXTENSION, 2);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_OPEN, 2);
    drive_fill(d, 3, PAGES);
    g_assert_true(ssd_zone_fail(d->ssd, d->now_ns, 1, 4, SSD_ZONE_OFFLINE));
    next = after_cut(d, d->now_ns, 1);
    g_assert_cmpuint(next->now_ns, ==, d->now_ns + 7);
    expect_zone(next, 0, SSD_ZONE_CLOSED, 3);
    expect_zone(next, 1, SSD_ZONE_EMPTY, 0);
    expect_zone(next, 2, SSD_ZONE_CLOSED, 0);
    g_assert_true(ssd_zone(next->ssd, 1, 2).has_extension);
    expect_zone(next, 3, SSD_ZONE_FULL, PAGES);
    g_assert_cmpint(ssd_zone(next->ssd, 1, 4).state, ==, SSD_ZONE_OFFLINE);
    g_assert_cmpuint(ssd_open_count(next->ssd, 1), ==, 0);
    g_assert_cmpuint(ssd_active_count(next->ssd, 1), ==, 2);
    drive_expect(next, drive_write(next, LATER, 3, 1), LATER + XFER + PROG);
    drive_expect(next, drive_read(next, 2 * LATER, 2, 1),
                 2 * LATER + READ + XFER);
    drive_free(next);
    drive_free(d);
}

/* A reset that waits to be handed off has been, or has not. */
static void test_reset(void)
{
    Drive *d = drive_new("fe-reset-ns=1000000");
    Drive *next;

    drive_fill(d, 0, 5);
    drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0);
    g_assert_cmphex(lengths_after(d, LATER + 999999, 0), ==, 1 | 1 << 5);
    next = cut_until(d, LATER + 999999, 0, SSD_ZONE_EMPTY);
    drive_expect(next, drive_write(next, 2 * LATER, 0, 1),
                 2 * LATER + XFER + PROG);
    drive_free(next);

    next = cut_until(d, LATER + 999999, 0, SSD_ZONE_CLOSED);
    drive_expect(next, drive_read(next, 2 * LATER, 4, 1),
                 2 * LATER + READ + XFER);
    drive_expect(next, drive_write(next, 3 * LATER, 5, 1),
                 3 * LATER + XFER + PROG);
    drive_expect(next, drive_zone_op(next, 4 * LATER, SSD_OP_ZONE_RESET, 0),
                 4 * LATER + 1000000 + ERASE);
    drive_free(next);

    /* Its erases have begun: it has been. */
    g_assert_cmphex(lengths_after(d, LATER + 1000000, 0), ==, 1);
    drive_free(d);
}

/* One that something else follows has been. */
static void test_reset_then(void)
{
    Drive *d = drive_new("fe-reset-ns=1000000 fe-write-ns=1000");

    drive_fill(d, 0, 5);
    drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0);
    drive_write(d, LATER, 0, 1);
    g_assert_cmphex(lengths_after(d, LATER, 0), ==, 3);
    drive_free(d);
}

static void test_finish(void)
{
    Drive *d = drive_new("");
    uint64_t at_ns = LATER + 3 * PROG;
    Drive *next;

    drive_fill(d, 0, 5);
    drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 0);
    g_assert_cmphex(lengths_after(d, at_ns, 0), ==, 1 << 5 | 1 << PAGES);
    next = cut_until(d, at_ns, 0, SSD_ZONE_CLOSED);
    drive_expect(next, drive_write(next, 2 * LATER, 5, 1),
                 2 * LATER + XFER + PROG);
    drive_free(next);

    /* All of it is filled: a reset erases two blocks of each unit. */
    next = cut_until(d, at_ns, 0, SSD_ZONE_FULL);
    g_assert_cmpuint(ssd_active_count(next->ssd, 1), ==, 0);
    drive_expect(next, drive_zone_op(next, 2 * LATER, SSD_OP_ZONE_RESET, 0),
                 2 * LATER + 2 * ERASE);
    drive_free(next);
    drive_free(d);
}

/* Data that are in the buffer stay, as does a part of a page. */
static void test_buffer(void)
{
    Drive *d = drive_new("lba-size=512 write-buffer=128K program-registers=2");
    uint32_t tag = drive_write(d, 0, 0, 12);
    Drive *next;

    drive_expect(d, tag, 0);
    next = after_cut(d, 0, 0);
    expect_zone(next, 0, SSD_ZONE_CLOSED, 12);
    /* The page that is complete is programmed, and so is the next, then. */
    drive_expect(next, drive_read(next, LATER, 0, 8), LATER + READ + XFER);
    drive_expect(next, drive_read(next, 2 * LATER, 8, 4), 2 * LATER);
    drive_expect(next, drive_write(next, 3 * LATER, 12, 4), 3 * LATER);
    drive_expect(next, drive_flush(next, 3 * LATER), 3 * LATER + XFER + PROG);
    drive_expect(next, drive_read(next, 4 * LATER, 8, 8),
                 4 * LATER + READ + XFER);
    drive_free(next);
    drive_free(d);
}

/* What a write needs to be erased is still to be; what a drive erases, is. */
static void test_erases(void)
{
    static const struct {
        const char *words;
        uint64_t write_ns;
    } drives[] = {
        { "erase-at=zone-write", ERASE + PROG },
        { "erase-at=block-write", ERASE + PROG },
        { "erase-at=reset", XFER + PROG },
        { "erase-at=background", XFER + PROG },
        { "erase-at=idle", XFER + PROG },
        { "erase-at=idle mapping=lazy", XFER + PROG },
        { "erase-at=background mapping=remap spare-superblocks=1",
          XFER + PROG },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(drives); i++) {
        Drive *d = drive_new(drives[i].words);
        Drive *next;

        drive_fill(d, 0, 5);
        drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0);
        next = cut_until(d, LATER, 0, SSD_ZONE_EMPTY);
        drive_expect(next, drive_write(next, 2 * LATER, 0, 1),
                     2 * LATER + drives[i].write_ns);
        drive_free(next);
        drive_free(d);
    }
}

/* A full zone loses its end only if another zone may be active. */
static void test_limit(void)
{
    for (unsigned limit = 1; limit <= 2; limit++) {
        g_autofree char *words = g_strdup_printf("max-open=1 max-active=%u",
                                                 limit);
        Drive *d = drive_new(words);

        drive_fill(d, 0, PAGES - 1);
        drive_zone_op(d, LATER, SSD_OP_ZONE_OPEN, 0);
        drive_write(d, LATER, PAGES - 1, 1);
        drive_zone_op(d, LATER, SSD_OP_ZONE_SET_EXTENSION, 1);
        g_assert_cmphex(lengths_after(d, LATER, 0), ==,
                        1u << PAGES | (limit > 1) << (PAGES - 1));
        drive_free(d);
    }
}

/* What a ZRWA holds stays, and the zone keeps it. */
static void test_zrwa(void)
{
    Drive *d = drive_new("zrwa-size=32K zrwa-flush-granularity=4K");
    Drive *next;

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN_ZRWA, 0);
    drive_write(d, 0, 3, 2);
    drive_write(d, 0, 9, 1);
    next = after_cut(d, 0, 5);
    expect_zone(next, 0, SSD_ZONE_CLOSED, 2);
    g_assert_true(ssd_zone(next->ssd, 1, 0).has_zrwa);
    drive_write(next, next->now_ns, 2, 1);
    drive_drain(next);
    drive_free(next);
    drive_free(d);
}

/* So does the pointer, which a write has moved that is inside. */
static void test_zrwa_inside(void)
{
    Drive *d = drive_new("zrwa-size=16K zrwa-flush-granularity=4K "
                         "link-in-ns=1000000000");

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN_ZRWA, 0);
    drive_write(d, 0, 0, 4);
    drive_drain(d);
    drive_write(d, LATER, 3, 2);
    g_assert_cmphex(lengths_after(d, LATER, 0), ==, 1 << 1);
    drive_free(d);
}

/* A volatile write cache: what is neither programmed nor flushed is gone. */

#define VOLATILE "write-cache=volatile "
#define BUFFER "write-buffer=128K program-registers=2 "

static void test_volatile(void)
{
    Drive *d = drive_new(VOLATILE BUFFER);
    uint64_t half_ns = XFER + PROG;

    drive_expect(d, drive_write(d, 0, 0, 4), 0);
    g_assert_cmphex(lengths_after(d, 0, 0), ==, 1);
    g_assert_cmphex(lengths_after(d, half_ns - 1, 0), ==, 1);
    g_assert_cmphex(lengths_after(d, half_ns, 0), ==, 1 << 2);
    g_assert_cmphex(lengths_after(d, half_ns + PROG - 1, 0), ==, 1 << 2);
    g_assert_cmphex(lengths_after(d, half_ns + PROG, 0), ==, 1 << 4);
    drive_free(d);
}

/* Page 1 is programmed, and page 0 is not, as its unit is another zone's. */
static void test_volatile_gap(void)
{
    Drive *d = drive_new(VOLATILE BUFFER);
    Drive *next;

    drive_expect(d, drive_write(d, 0, PAGES, 1), 0);
    drive_expect(d, drive_write(d, 0, 0, 2), 0);
    next = after_cut(d, XFER + PROG, 1);
    expect_zone(next, 0, SSD_ZONE_EMPTY, 0);
    expect_zone(next, 1, SSD_ZONE_CLOSED, 1);
    drive_free(next);
    next = after_cut(d, XFER + 2 * PROG, 1);
    expect_zone(next, 0, SSD_ZONE_CLOSED, 2);
    drive_expect(next, drive_write(next, LATER, 2, 1), LATER);
    drive_expect(next, drive_read(next, 2 * LATER, 0, 1),
                 2 * LATER + READ + XFER);
    drive_free(next);
    drive_free(d);
}

/* A flush makes safe what is no whole page, but not what comes after it. */
static void test_volatile_flush(void)
{
    Drive *d = drive_new(VOLATILE BUFFER "lba-size=512");
    uint32_t flush;
    Drive *next;

    drive_expect(d, drive_write(d, 0, 0, 12), 0);
    flush = drive_flush(d, 0);
    drive_expect(d, drive_write(d, 0, 12, 1), 0);
    drive_expect(d, drive_write(d, 0, 13, 1), 0);
    g_assert_cmphex(lengths_after(d, XFER + PROG - 1, 0), ==, 1);
    drive_expect(d, flush, XFER + PROG);
    g_assert_cmphex(lengths_after(d, XFER + PROG, 0), ==, 1 << 12);
    /* It stays so, over a cut and another. */
    next = after_cut(d, XFER + PROG, 1);
    drive_expect(next, drive_write(next, LATER, 12, 2), LATER);
    g_assert_cmphex(lengths_after(next, LATER, 0), ==, 1 << 12);
    drive_expect(next, drive_flush(next, LATER), LATER);
    g_assert_cmphex(lengths_after(next, LATER, 0), ==, 1 << 14);
    drive_free(next);
    drive_free(d);
}

/* Two flushes are inside, each behind a write: neither's is forgotten. */
static void test_volatile_flushes(void)
{
    Drive *d = drive_new(VOLATILE BUFFER "lba-size=512");

    drive_expect(d, drive_write(d, 0, 0, 9), 0);
    drive_flush(d, 0);
    drive_expect(d, drive_write(d, 0, 9, 9), 0);
    drive_flush(d, 0);
    drive_expect(d, drive_write(d, 0, 18, 1), 0);
    g_assert_cmphex(lengths_after(d, XFER + PROG - 1, 0), ==, 1);
    drive_drain(d);
    g_assert_cmphex(lengths_after(d, XFER + PROG, 0), ==, 1 << 18);
    drive_free(d);
}

/*
 * The second of two flushes is not done: what the first covered is safe, until
 * it is reset.
 */
static void test_volatile_second(void)
{
    Drive *d = drive_new(VOLATILE BUFFER "lba-size=512");

    drive_expect(d, drive_write(d, 0, 0, 4), 0);
    drive_expect(d, drive_flush(d, 0), 0);
    drive_expect(d, drive_write(d, 0, 4, 8), 0);
    drive_flush(d, 0);
    drive_expect(d, drive_write(d, 0, 12, 1), 0);
    g_assert_cmphex(lengths_after(d, XFER + PROG - 1, 0), ==, 1 << 4);
    drive_drain(d);
    g_assert_cmphex(lengths_after(d, XFER + PROG, 0), ==, 1 << 12);
    drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0);
    drive_drain(d);
    drive_expect(d, drive_write(d, 2 * LATER, 0, 3), 2 * LATER);
    g_assert_cmphex(lengths_after(d, 2 * LATER, 0), ==, 1);
    drive_free(d);
}

/* A flush that is done was asked for before the write: it does not count. */
static void test_volatile_older(void)
{
    Drive *d = drive_new(VOLATILE BUFFER "lba-size=512");
    uint32_t older;

    drive_expect(d, drive_write(d, 0, drive_zone_lba(d, 1), 8), 0);
    older = drive_flush(d, 0);
    drive_expect(d, drive_write(d, 1, 0, 9), 1);
    drive_flush(d, 1);
    drive_expect(d, drive_write(d, 1, 9, 1), 1);
    drive_expect(d, older, XFER + PROG);
    g_assert_cmphex(lengths_after(d, XFER + PROG, 0), ==, 1);
    drive_drain(d);
    g_assert_cmphex(lengths_after(d, LATER, 0), ==, 1 << 9);
    drive_free(d);
}

/* The flush does not cover what was written behind it, done or not. */
static void test_volatile_behind(void)
{
    Drive *d = drive_new(VOLATILE "lba-size=512");

    drive_expect(d, drive_flush(d, 0), 0);
    drive_write(d, 0, 0, 4);
    drive_drain(d);
    g_assert_cmphex(lengths_after(d, LATER, 0), ==, 1);
    drive_expect(d, drive_flush(d, LATER), LATER);
    g_assert_cmphex(lengths_after(d, LATER, 0), ==, 1 << 4);
    drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0);
    drive_drain(d);
    drive_write(d, 2 * LATER, 0, 3);
    drive_drain(d);
    g_assert_cmphex(lengths_after(d, 3 * LATER, 0), ==, 1);
    drive_expect(d, drive_flush(d, 3 * LATER), 3 * LATER);
    g_assert_cmphex(lengths_after(d, 3 * LATER, 0), ==, 1 << 3);
    drive_free(d);
}

/* What came last need not be a write: a zone that is closed loses its data. */
static void test_volatile_closed(void)
{
    Drive *d = drive_new(VOLATILE BUFFER);

    drive_expect(d, drive_write(d, 0, 0, 4), 0);
    drive_expect(d, drive_zone_op(d, 0, SSD_OP_ZONE_CLOSE, 0), 0);
    g_assert_cmphex(lengths_after(d, XFER + PROG - 1, 0), ==, 1);
    drive_free(d);
}

/* What the controller has finished is full, as for a host. */
static void test_volatile_excursion(void)
{
    Drive *d = drive_new(VOLATILE "excursion-ns=40000000");

    drive_expect(d, drive_write(d, 0, 0, 1), XFER + PROG);
    g_assert_cmphex(lengths_after(d, 40000000, 0), ==, 1 << PAGES);
    drive_free(d);
}

/* A shutdown that is complete is a flush. */
static void test_volatile_shutdown(void)
{
    Drive *d = drive_new(VOLATILE BUFFER "lba-size=512");
    uint32_t tag;

    drive_expect(d, drive_write(d, 0, 0, 12), 0);
    tag = drive_io(d, 0, SSD_OP_SHUTDOWN, 0, 0);
    drive_expect(d, tag, XFER + PROG);
    g_assert_cmphex(lengths_after(d, XFER + PROG, 0), ==, 1 << 12);
    drive_free(d);
}

/* What the controller has finished is that still if its reset has not been. */
static void test_finished(void)
{
    Drive *d = drive_new("excursion-ns=1000000 fe-reset-ns=1000000");
    Drive *next;

    drive_write(d, 0, 0, 1);
    drive_drain(d);
    drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0);
    g_assert_false(ssd_zone(d->ssd, 1, 0).finished_by_controller);
    next = cut_until(d, LATER, 0, SSD_ZONE_FULL);
    g_assert_true(ssd_zone(next->ssd, 1, 0).finished_by_controller);
    drive_free(next);
    drive_drain(d);
    drive_zone_op(d, 2 * LATER, SSD_OP_ZONE_FINISH, 0);
    g_assert_false(ssd_zone(d->ssd, 1, 0).finished_by_controller);
    drive_free(d);
}

/*
 * What has been in a ZRWA stays, also if a flush of it that is inside has filled
 * the zone.
 */
static void test_volatile_zrwa(void)
{
    Drive *d = drive_new(VOLATILE "zrwa-size=32K zrwa-flush-granularity=4K");

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN_ZRWA, 0);
    drive_write(d, 0, 0, PAGES / 2);
    drive_write(d, 0, PAGES / 2, PAGES / 2);
    drive_drain(d);
    drive_io(d, LATER, SSD_OP_ZONE_FLUSH_ZRWA, PAGES - 2, 0);
    g_assert_cmphex(lengths_after(d, LATER, 0), ==, 1 << (PAGES - 1));
    drive_io(d, LATER, SSD_OP_ZONE_FLUSH_ZRWA, PAGES - 1, 0);
    g_assert_cmphex(lengths_after(d, LATER, 0), ==, 1 << PAGES);
    drive_all_zones(d, LATER, SSD_OP_ZONE_CLOSE);
    g_assert_cmphex(lengths_after(d, LATER, 0), ==, 1 << PAGES);
    drive_free(d);
}

/* A zone that was full loses its data, if it may be active again. */
static void test_volatile_full(void)
{
    for (unsigned limit = 1; limit <= 2; limit++) {
        g_autofree char *words = g_strdup_printf(VOLATILE BUFFER "max-open=1 "
                                                 "max-active=%u", limit);
        Drive *d = drive_new(words);
        uint64_t now_ns = LATER;

        drive_fill(d, 0, PAGES - 4);
        drive_expect(d, drive_flush(d, now_ns), now_ns);
        drive_expect(d, drive_write(d, now_ns, PAGES - 4, 4), now_ns);
        drive_zone_op(d, now_ns, SSD_OP_ZONE_SET_EXTENSION, 1);
        /* These change nothing of it, and a shutdown is not done. */
        drive_all_zones(d, now_ns, SSD_OP_ZONE_CLOSE);
        drive_zone_op(d, now_ns, SSD_OP_ZONE_FINISH, 0);
        drive_io(d, now_ns, SSD_OP_SHUTDOWN, 0, 0);
        g_assert_cmphex(lengths_after(d, now_ns, 0), ==,
                        limit == 1 ? 1 << PAGES : 1 << (PAGES - 4));
        drive_free(d);
    }
}

/*
 * What a finish has filled is programmed; one that is undone has no more. The
 * last of three pages is the first one's unit's.
 */
static void test_volatile_finish(void)
{
    static const struct {
        uint64_t at_ns;
        uint64_t nlb;
    } undone[] = {
        { XFER + PROG - 1, 0 },
        { XFER + PROG, 16 },
        { XFER + 2 * PROG, 20 },
    };
    Drive *d = drive_new(VOLATILE BUFFER "lba-size=512");

    drive_expect(d, drive_write(d, 0, 0, 20), 0);
    drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 0);
    for (unsigned i = 0; i < G_N_ELEMENTS(undone); i++) {
        bool is_seen = false;

        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            Drive *next = after_cut(d, undone[i].at_ns, seed);

            if (ssd_zone(next->ssd, 1, 0).state == SSD_ZONE_FULL) {
                expect_zone(next, 0, SSD_ZONE_FULL, 8 * PAGES);
            } else {
                expect_zone(next, 0, undone[i].nlb == 0 ? SSD_ZONE_EMPTY
                                                        : SSD_ZONE_CLOSED,
                            undone[i].nlb);
                is_seen = true;
            }
            drive_free(next);
        }
        g_assert_true(is_seen);
    }
    drive_drain(d);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        Drive *next = after_cut(d, LATER, seed);

        expect_zone(next, 0, SSD_ZONE_FULL, 8 * PAGES);
        drive_free(next);
    }
    drive_free(d);
}

/* A zone that was finished without data has nothing to lose. */
static void test_volatile_blank(void)
{
    Drive *d = drive_new(VOLATILE BUFFER "finish-fills-empty=off");
    Drive *next, *again;

    drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 0);
    drive_drain(d);
    next = after_cut(d, LATER, 1);
    expect_zone(next, 0, SSD_ZONE_FULL, PAGES);
    again = after_cut(next, 2 * LATER, 1);
    expect_zone(again, 0, SSD_ZONE_FULL, PAGES);
    drive_free(again);
    drive_free(next);
    drive_free(d);
}

/* A reset may be undone if all data were on the flash. */
static void test_volatile_reset(void)
{
    Drive *d = drive_new(VOLATILE BUFFER "fe-reset-ns=1000000");

    drive_fill(d, 0, 5);
    drive_expect(d, drive_flush(d, LATER), LATER);
    drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0);
    g_assert_cmphex(lengths_after(d, LATER, 0), ==, 1 | 1 << 5);
    drive_free(d);

    d = drive_new(VOLATILE BUFFER "fe-reset-ns=1000000");
    drive_expect(d, drive_write(d, 0, 0, 2), 0);
    drive_zone_op(d, 0, SSD_OP_ZONE_RESET, 0);
    g_assert_cmphex(lengths_after(d, 0, 0), ==, 1);
    drive_free(d);
}

/* Of two that wait to be handed off, what is on the flash is not the second's. */
static void test_volatile_resets(void)
{
    Drive *d = drive_new(VOLATILE BUFFER "fe-reset-ns=1000000");

    drive_fill(d, 0, 5);
    drive_expect(d, drive_flush(d, LATER), LATER);
    drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0);
    drive_write(d, LATER, 0, 1);
    drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 0);
    g_assert_cmphex(lengths_after(d, LATER, 0), ==, 1);
    drive_free(d);
}

/* What was safe of a zone is not when it has been formatted. */
static void test_volatile_format(void)
{
    for (uint32_t zone_idx = 0; zone_idx < 4; zone_idx++) {
        Drive *d = drive_new(VOLATILE BUFFER "zones=4 lba-size=512");
        uint64_t slba = drive_zone_lba(d, zone_idx);

        drive_expect(d, drive_write(d, 0, slba, 4), 0);
        drive_expect(d, drive_flush(d, 0), 0);
        g_assert_cmphex(lengths_after(d, 0, zone_idx), ==, 1 << 4);
        g_assert_true(ssd_format(d->ssd, LATER, 1, 512, NULL));
        drive_expect(d, drive_write(d, LATER, slba, 7), LATER);
        g_assert_cmphex(lengths_after(d, LATER, zone_idx), ==, 1);
        drive_free(d);
    }
}

static void same_bytes(GByteArray *a, GByteArray *b)
{
    g_assert_cmpmem(a->data, a->len, b->data, b->len);
    g_byte_array_unref(a);
    g_byte_array_unref(b);
}

/* A cut changes nothing of the drive that it is of. */
static void test_goes_on(void)
{
    Drive *d = drive_new("");
    GByteArray *before;
    Drive *next;

    drive_write(d, 0, 0, 4);
    before = ssd_save(d->ssd);
    next = after_cut(d, 0, 1);
    same_bytes(before, ssd_save(d->ssd));
    drive_expect(d, 1, XFER + 2 * PROG);
    drive_free(next);
    drive_free(d);
}

/* Time goes on behind the start, from which statistics count. */
static void test_starts(void)
{
    Drive *d = drive_new("power-up-ns=1000");
    g_autofree char *stats = NULL;
    Drive *next;

    drive_write(d, 0, 0, 4);
    next = after_cut(d, XFER, 1);
    g_assert_cmpuint(next->now_ns, ==, XFER + 1000);
    stats = ssd_stats_json(next->ssd, next->now_ns, NULL);
    g_assert_nonnull(strstr(stats, "\"since_ns\":26000,"));
    g_assert_nonnull(strstr(stats, "\"now_ns\":26000,"));
    drive_free(next);
    drive_free(d);
}

/* A half of a block has come to the buffer, which is no block that lasts. */
static void test_part_of_block(void)
{
    Drive *d = drive_new("write-buffer=72K zone-buffer=36K max-active=1 "
                         "max-open=1 program-registers=1 buffer-portion=6K "
                         "link-in-ns=1024000");

    drive_write(d, 0, 0, 3);
    g_assert_cmphex(lengths_after(d, 5999, 0), ==, 0xf);
    g_assert_cmphex(lengths_after(d, 6000, 0), ==, 0xe);
    g_assert_cmphex(lengths_after(d, 11999, 0), ==, 0xe);
    g_assert_cmphex(lengths_after(d, 12000, 0), ==, 0x8);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/power/write", test_write);
    g_test_add_func("/power/told", test_told);
    g_test_add_data_func("/power/told-of-all/finish",
                         GUINT_TO_POINTER(SSD_OP_ZONE_FINISH),
                         test_told_of_all);
    g_test_add_data_func("/power/told-of-all/shutdown",
                         GUINT_TO_POINTER(SSD_OP_SHUTDOWN), test_told_of_all);
    g_test_add_func("/power/open", test_open);
    g_test_add_func("/power/reset", test_reset);
    g_test_add_func("/power/reset-then", test_reset_then);
    g_test_add_func("/power/finish", test_finish);
    g_test_add_func("/power/buffer", test_buffer);
    g_test_add_func("/power/part-of-block", test_part_of_block);
    g_test_add_func("/power/erases", test_erases);
    g_test_add_func("/power/limit", test_limit);
    g_test_add_func("/power/zrwa", test_zrwa);
    g_test_add_func("/power/zrwa/inside", test_zrwa_inside);
    g_test_add_func("/power/volatile/write", test_volatile);
    g_test_add_func("/power/volatile/gap", test_volatile_gap);
    g_test_add_func("/power/finished", test_finished);
    g_test_add_func("/power/volatile/zrwa", test_volatile_zrwa);
    g_test_add_func("/power/volatile/flush", test_volatile_flush);
    g_test_add_func("/power/volatile/flushes", test_volatile_flushes);
    g_test_add_func("/power/volatile/second", test_volatile_second);
    g_test_add_func("/power/volatile/older", test_volatile_older);
    g_test_add_func("/power/volatile/behind", test_volatile_behind);
    g_test_add_func("/power/volatile/closed", test_volatile_closed);
    g_test_add_func("/power/volatile/excursion", test_volatile_excursion);
    g_test_add_func("/power/volatile/shutdown", test_volatile_shutdown);
    g_test_add_func("/power/volatile/format", test_volatile_format);
    g_test_add_func("/power/volatile/full", test_volatile_full);
    g_test_add_func("/power/volatile/finish", test_volatile_finish);
    g_test_add_func("/power/volatile/blank", test_volatile_blank);
    g_test_add_func("/power/volatile/reset", test_volatile_reset);
    g_test_add_func("/power/volatile/resets", test_volatile_resets);
    g_test_add_func("/power/goes-on", test_goes_on);
    g_test_add_func("/power/starts", test_starts);
    return g_test_run();
}
