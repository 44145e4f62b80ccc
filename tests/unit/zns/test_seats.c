/*
 * Seats of the write buffer: drives with no more room than the parameters' rule
 * asks for, on which zones that are full already, but for writes that wait, have
 * parts of pages in the buffer beside those of active zones. All goes on.
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
#define MS UINT64_C(1000000)

/* One unit that holds one program: a page takes XFER + PROG = 725 us. */
#define PAGE (XFER + PROG)

/* Pages and zones of 4 and 16 blocks: three blocks are a part of a page. */
#define ZONES 8
#define SMALL "channels=1 program-registers=1 zones=8 page-size=16K " \
              "write-buffer=48K max-active=1 "

/* From here on it is another drive, of the same state. */
static void save_and_load(Drive *d)
{
    GByteArray *bytes = ssd_save(d->ssd);
    GError *error = NULL;
    Ssd *loaded = ssd_load(&d->params, bytes->data, bytes->len, &error);

    g_assert_no_error(error);
    ssd_free(d->ssd);
    d->ssd = loaded;
    g_byte_array_unref(bytes);
}

/*
 * The next completion, whatever happens until then. The buffer used to be full
 * of parts here, and nothing happened any more.
 */
static void expect(Drive *d, uint32_t tag, uint64_t due_at_ns)
{
    SsdDone done;

    save_and_load(d);
    do {
        g_assert_cmpuint(ssd_next_at_ns(d->ssd), !=, UINT64_MAX);
        d->now_ns = MAX(d->now_ns, ssd_next_at_ns(d->ssd));
    } while (!ssd_poll(d->ssd, d->now_ns, &done, 1));
    g_assert_cmpuint(done.tag, ==, tag);
    g_assert_cmpuint(done.due_at_ns, ==, due_at_ns);
}

/*
 * Zones of four pages one after another, 48 KiB at a time. The part of one comes
 * in when all of that before it is in and there are 12 KiB of room, the next
 * 32 KiB two pages later, the rest with one more. `from_ns`: when the first
 * zone's first page begins to be programmed.
 */
static void expect_zones(Drive *d, uint32_t first_tag, unsigned count,
                         uint64_t from_ns)
{
    for (unsigned k = 0; k < count; k++) {
        if (k > 0) {
            expect(d, first_tag + 2 * k, from_ns + (4 * k - 2) * PAGE);
        }
        expect(d, first_tag + 2 * k + 1, from_ns + (4 * k + 1) * PAGE);
    }
    drive_drain(d);
    drive_expect_idle(d);
}

/* Each zone's part would come in before the rest of any. */
static void test_turns(gconstpointer words)
{
    Drive *d = drive_new(words);

    for (uint32_t z = 0; z < ZONES; z++) {
        drive_write(d, 0, drive_zone_lba(d, z), 3);
        drive_write(d, 0, drive_zone_lba(d, z) + 3, 13);
    }
    expect(d, 1, 0);
    expect_zones(d, 1, ZONES, 0);
    drive_free(d);
}

/*
 * The rests of zones are copies, which come when they have been read: four pages
 * each, all before the first is programmed.
 */
static void test_copies(void)
{
    const uint64_t t = 1000 * MS;
    Drive *d = drive_new(SMALL);

    drive_fill(d, 0, 4);
    for (uint32_t z = 1; z < ZONES; z++) {
        drive_write(d, t, drive_zone_lba(d, z), 3);
        drive_copy(d, t, drive_zone_lba(d, z) + 3, 0, 13);
    }
    expect(d, 2, t);
    expect_zones(d, 2, ZONES - 1, t + (ZONES - 1) * 4 * READ - XFER);
    drive_free(d);
}

/*
 * Zone 1 has the seat. Zone 2 needs none, as nobody waits elsewhere, but for its
 * copy zone 3 waits for one, beyond the time at which zone 1 needs its no more.
 */
static void test_more_than_seats(void)
{
    const uint64_t t = 1000 * MS;
    Drive *d = drive_new(SMALL "buffer-waiters=8");

    drive_fill(d, 0, 4);
    drive_write(d, t, drive_zone_lba(d, 1), 3);
    drive_write(d, t, drive_zone_lba(d, 1) + 3, 13);
    drive_copy(d, t + XFER, drive_zone_lba(d, 2), 0, 3);
    drive_write(d, t + XFER, drive_zone_lba(d, 2) + 3, 13);
    drive_write(d, t + XFER, drive_zone_lba(d, 3), 3);
    expect(d, 2, t);
    expect(d, 3, t + PAGE);
    expect(d, 4, t + PAGE + READ + PROG);
    expect(d, 5, t + 4 * PAGE + READ + PROG);
    expect(d, 6, t + 5 * PAGE + READ + PROG);
    drive_free(d);
}

/*
 * Two seats, which zones 0 and 1 have. Zone 1 becomes full, so zone 2 may be
 * active; as nobody waits elsewhere its data come right behind those that fill
 * zone 1, and not behind what zone 0 has to write later. 4 KiB take 4096 ns.
 */
static void test_in_order(void)
{
    const uint64_t t = 1000 * MS;
    Drive *d = drive_new("channels=1 program-registers=1 zones=8 "
                         "page-size=16K write-buffer=64K max-active=2 "
                         "link-in-ns=1048576");

    drive_write(d, 0, drive_zone_lba(d, 0), 3);
    drive_write(d, 0, drive_zone_lba(d, 1), 15);
    drive_drain(d);
    drive_write(d, t, drive_zone_lba(d, 1) + 15, 1);
    drive_write(d, t, drive_zone_lba(d, 2), 3);
    drive_write(d, t, drive_zone_lba(d, 0) + 3, 1);
    expect(d, 3, t + 4096);
    expect(d, 4, t + 16384);
    expect(d, 5, t + 20480);
    drive_free(d);
}

/*
 * A zone that is full again while its reset lasts, and then one with a part. The
 * first has three of its four portions in a buffer of as many until its first
 * page is programmed; then the other's part comes in, as there is room.
 */
static void test_reset(void)
{
    const uint64_t t = 1000 * MS;
    Drive *d = drive_new("channels=1 program-registers=1 page-size=64K "
                         "zone-size=128K mdts=128K max-active=1 "
                         "write-buffer=96K reset-base-ns=1000000");

    drive_fill(d, 0, 2);
    drive_zone_op(d, t, SSD_OP_ZONE_RESET, 0);
    drive_write(d, t, 0, 32);
    drive_write(d, t, 32, 15);
    expect(d, 2, t + MS + ERASE);
    expect(d, 3, t + MS + ERASE + PROG);
    expect(d, 4, t + MS + ERASE + PROG + PAGE);
    drive_drain(d);
    drive_expect_idle(d);
    drive_free(d);
}

/* --- One seat, which a zone has whose reset lasts until T + 1 ms ----------- */

#define T (1000 * MS)
#define RESET SMALL "take-turns=on reset-base-ns=1000000 "

/* Tag 2 is the reset, 3 the write that fills the zone again. */
static Drive *drive_with_reset(const char *words)
{
    Drive *d = drive_new(words);

    drive_fill(d, 0, 4);
    drive_zone_op(d, T, SSD_OP_ZONE_RESET, 0);
    drive_write(d, T, 0, 16);
    return d;
}

/*
 * The first page of that write is programmed behind the erase; its second
 * portion comes in then, and its pages leave one after another.
 */
#define FIRST_PAGE (T + MS + ERASE + PROG)

static void test_waits(void)
{
    Drive *d = drive_with_reset(RESET);

    drive_write(d, T, drive_zone_lba(d, 1), 3);
    expect(d, 2, T + MS + ERASE);
    expect(d, 3, FIRST_PAGE);
    expect(d, 4, FIRST_PAGE + PAGE);
    drive_expect_idle(d);
    drive_free(d);
}

/* Complete pages in one portion need none; more, or others, do. */
static void test_whole_pages(void)
{
    static const struct {
        uint32_t nlb;
        bool waits;
    } writes[] = { { 4, false }, { 8, false }, { 12, true }, { 7, true } };

    for (unsigned i = 0; i < G_N_ELEMENTS(writes); i++) {
        Drive *d = drive_with_reset(RESET);
        uint64_t slba = drive_zone_lba(d, 1);

        drive_write(d, T, slba, writes[i].nlb);
        if (writes[i].waits) {
            expect(d, 2, T + MS + ERASE);
            expect(d, 3, FIRST_PAGE);
        } else {
            expect(d, 4, T);
        }
        drive_drain(d);
        drive_free(d);
    }
}

/* Nor do whole pages that come later in their zone. */
static void test_later_page(void)
{
    Drive *d = drive_with_reset(RESET);
    uint64_t slba = drive_zone_lba(d, 1);

    drive_write(d, T, slba, 4);
    drive_write(d, T, slba + 4, 4);
    expect(d, 4, T);
    expect(d, 5, T);
    drive_drain(d);
    drive_free(d);
}

/* What goes to a ZRWA is in no room of the buffer, and needs no seat. */
static void test_zrwa(void)
{
    Drive *d = drive_with_reset(RESET "zrwa-size=64K");

    drive_zone_op(d, T, SSD_OP_ZONE_OPEN_ZRWA, 1);
    drive_write(d, T, drive_zone_lba(d, 1), 3);
    expect(d, 4, T);
    expect(d, 5, T + 3 * XFER / 4);
    expect(d, 2, T + MS + ERASE);
    drive_drain(d);
    drive_free(d);
}

/* Each namespace has one of its own. */
static void test_namespaces(void)
{
    Drive *d = drive_with_reset(RESET "namespaces=2 write-buffer=64K");

    drive_write(d, T, drive_zone_lba(d, 1), 3);
    d->nsid = 2;
    drive_write(d, T, 0, 3);
    expect(d, 5, T);
    expect(d, 2, T + MS + ERASE);
    drive_drain(d);
    drive_free(d);
}

/*
 * Zones 1 to 4 wait. The reset of one lets its write end, and the others have
 * the seat in turn.
 */
static void test_reset_of_who_waits(void)
{
    for (uint32_t gone = 1; gone <= 4; gone++) {
        Drive *d = drive_with_reset(RESET);
        uint64_t at_ns = FIRST_PAGE;

        for (uint32_t z = 1; z <= 4; z++) {
            drive_write(d, T, drive_zone_lba(d, z), 16);
        }
        drive_zone_op(d, T, SSD_OP_ZONE_RESET, gone);
        expect(d, 3 + gone, T);
        expect(d, 8, T + 2 * MS);
        expect(d, 2, T + MS + ERASE);
        expect(d, 3, at_ns);
        for (uint32_t z = 1; z <= 4; z++) {
            if (z != gone) {
                at_ns += 4 * PAGE;
                expect(d, 3 + z, at_ns);
            }
        }
        drive_drain(d);
        drive_expect_idle(d);
        drive_free(d);
    }
}


/* A zone that fails has no part any more. */
static void test_failed(void)
{
    Drive *d = drive_new(SMALL "take-turns=on");

    for (uint32_t z = 0; z < ZONES; z++) {
        drive_write(d, 0, drive_zone_lba(d, z), 3);
        expect(d, z + 1, 0);
        g_assert_true(ssd_zone_fail(d->ssd, 0, 1, z, SSD_ZONE_READ_ONLY));
    }
    drive_expect_idle(d);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/seats/turns", SMALL "take-turns=on", test_turns);
    g_test_add_data_func("/seats/buffer-turns", SMALL "buffer-turns=on "
                         "buffer-waiters=64",
                         test_turns);
    g_test_add_func("/seats/copies", test_copies);
    g_test_add_func("/seats/more", test_more_than_seats);
    g_test_add_func("/seats/in-order", test_in_order);
    g_test_add_func("/seats/reset", test_reset);
    g_test_add_func("/seats/waits", test_waits);
    g_test_add_func("/seats/namespaces", test_namespaces);
    g_test_add_func("/seats/failed", test_failed);
    g_test_add_func("/seats/whole-pages", test_whole_pages);
    g_test_add_func("/seats/later-page", test_later_page);
    g_test_add_func("/seats/zrwa", test_zrwa);
    g_test_add_func("/seats/reset-of-who-waits", test_reset_of_who_waits);
    return g_test_run();
}
