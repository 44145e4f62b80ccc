/*
 * The conventional namespace through the write buffer: exact times, what it
 * shares there with the zones, and that it has the same times as a zone has.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "ssd_live.h"
#include "support/drive.h"

/* The base drive of drive.h, in numbers. */
#define READ UINT64_C(60000)
#define PROG UINT64_C(700000)
#define ERASE UINT64_C(3500000)
#define XFER UINT64_C(25000)
#define LINK UINT64_C(1000) /* of a granule */
#define T0 UINT64_C(100000000)

#define PROGRAMMED (XFER + PROG)
#define MOVE (READ + XFER + XFER + PROG)

/*
 * 16 granules, each a page; a line is 4 rows of a page on each of the 2 units,
 * and there are 4 lines. The buffer has room for 4 pages.
 */
#define ON "conventional-buffer=on program-registers=1 buffer-portion=4K " \
           "max-open=1 max-active=1 "
#define SMALL ON "conventional-size=64K write-buffer=16K "
#define LARGE ON "conventional-size=64K write-buffer=256K "
#define LINKED "link-in-ns=256000 "

static Drive *drive_log(const char *words)
{
    Drive *d = drive_new(words);

    d->nsid = ssd_ns_count(d->ssd);
    return d;
}

/* Nothing is left in the buffer at T0. */
static Drive *drive_full(const char *words)
{
    Drive *d = drive_log(words);

    drive_write(d, 0, 0, ssd_ns_info(d->ssd, d->nsid).size_nlb);
    drive_drain(d);
    return d;
}

static uint32_t zone_write(Drive *d, uint64_t at_ns, uint64_t slba,
                           uint32_t nlb)
{
    uint32_t log = d->nsid, tag;

    d->nsid = 1;
    tag = drive_write(d, at_ns, slba, nlb);
    d->nsid = log;
    return tag;
}

static void expect_check(const char *words, const char *message)
{
    g_auto(GStrv) list = g_strsplit(words, " ", -1);
    g_autoptr(GError) error = NULL;
    SsdParams p;

    ssd_params_defaults(&p);
    for (unsigned i = 0; list[i] != NULL; i++) {
        char *value = strchr(list[i], '=');

        *value++ = '\0';
        g_assert_true(ssd_params_set(&p, list[i], value, &error));
    }
    g_assert_cmpint(ssd_params_check(&p, &error), ==, message == NULL);
    g_assert_cmpstr(error ? error->message : NULL, ==, message);
}

/* The buffer needs room for a part of the namespace, too, in granules. */
static void test_rules(void)
{
    expect_check("program-registers=2 write-buffer=256K "
                 "conventional-buffer=on", NULL);
    expect_check("program-registers=2 write-buffer=272K "
                 "conventional-buffer=on conventional-size=1M", NULL);
    expect_check("program-registers=2 write-buffer=271K "
                 "conventional-buffer=on conventional-size=1M",
                 "write-buffer=271K (277504): must be 0, or 272K and more: "
                 "32K, and what one program writes for each zone that may be "
                 "active and for the conventional namespace");
    expect_check("program-registers=2 write-buffer=1M buffer-portion=6K "
                 "conventional-size=1M", NULL);
    expect_check("program-registers=2 write-buffer=1M buffer-portion=6K "
                 "conventional-buffer=on conventional-size=1M",
                 "buffer-portion=6K (6144): must be a multiple of 4K, in which "
                 "the conventional namespace is mapped, with "
                 "conventional-buffer");
}

/* Done when it is there; read from the buffer until it is programmed. */
static void test_done_when_there(void)
{
    Drive *d = drive_log(SMALL LINKED);
    uint64_t programmed_ns = T0 + LINK + PROGRAMMED;
    uint32_t tag;

    tag = drive_write(d, T0, 9, 1);
    drive_expect(d, tag, T0 + LINK);
    tag = drive_read(d, programmed_ns - 1, 9, 1);
    drive_expect(d, tag, programmed_ns - 1);
    tag = drive_read(d, programmed_ns, 9, 1);
    drive_expect(d, tag, programmed_ns + READ + XFER);
    tag = drive_write(d, 2 * T0, 0, 3);
    drive_expect(d, tag, 2 * T0 + 3 * LINK);
    drive_free(d);
}

/*
 * The log has places for half of a write: a line stays free, and there are more
 * when one that the write has replaced is erased. It comes back to the front
 * end when all its data are there, and only then.
 */
static void test_comes_back_once(void)
{
    Drive *d = drive_full(LARGE LINKED "fe-write-arrived-ns=7000000");
    uint32_t tag = drive_write(d, T0, 0, 16);

    drive_expect(d, tag, T0 + ERASE + 8 * LINK + 2 * ERASE);
    drive_free(d);
}

/* Without a buffer, or without that parameter, as without the other. */
static void test_off(void)
{
    static const char *const words[] = {
        "conventional-size=64K conventional-buffer=on",
        "conventional-size=64K write-buffer=256K program-registers=1",
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
        Drive *d = drive_log(words[i]);
        uint32_t tag = drive_write(d, T0, 9, 1);

        drive_expect(d, tag, T0 + PROGRAMMED);
        drive_free(d);
    }
}

/* Four pages have room; of two more each unit's program gives back one. */
static void test_room(void)
{
    Drive *d = drive_log(SMALL);
    uint32_t first, fifth, sixth, seventh;

    first = drive_write(d, T0, 0, 4);
    fifth = drive_write(d, T0, 4, 1);
    sixth = drive_write(d, T0, 5, 1);
    seventh = drive_write(d, T0, 6, 1);
    drive_expect(d, first, T0);
    drive_expect_next(d, fifth, T0 + PROGRAMMED);
    drive_expect(d, sixth, T0 + PROGRAMMED);
    drive_expect(d, seventh, T0 + 2 * PROGRAMMED);
    drive_free(d);
}

/* A share is that of one zone. */
static void test_share(void)
{
    Drive *d = drive_log(LARGE "zone-buffer=8K");
    uint32_t first, second, zone;

    first = drive_write(d, T0, 0, 2);
    second = drive_write(d, T0, 2, 1);
    drive_expect(d, first, T0);
    drive_expect(d, second, T0 + PROGRAMMED);
    drive_free(d);

    d = drive_log(LARGE "zone-buffer=8K take-turns=on");
    first = drive_write(d, T0, 0, 3);
    zone = zone_write(d, T0 + 1, 0, 1);
    drive_expect(d, zone, T0 + 1);
    drive_expect(d, first, T0 + PROGRAMMED);
    drive_free(d);
}

/* Zones and the log wait for the same room, in the order of arrival. */
static void test_room_is_shared(void)
{
    Drive *d = drive_log(SMALL);
    uint32_t log, zone, other;

    zone = zone_write(d, T0, 0, 4);
    log = drive_write(d, T0, 0, 1);
    drive_expect(d, zone, T0);
    zone = zone_write(d, T0 + 1, 4, 2);
    other = drive_write(d, T0 + 2, 8, 1);
    drive_expect(d, log, T0 + PROGRAMMED);
    drive_expect_next(d, zone, T0 + 2 * PROGRAMMED);
    drive_expect(d, other, T0 + 2 * PROGRAMMED);
    drive_free(d);
}

/* A page of four granules is programmed when the fourth is there. */
static void test_part(void)
{
    Drive *d = drive_log(ON "conventional-size=256K write-buffer=64K "
                         "page-size=16K read-granule=4K " LINKED);
    static const uint64_t lbas[] = { 40, 7, 8, 9 };
    uint32_t tag;

    for (unsigned i = 0; i < 4; i++) {
        tag = drive_flush(d, (1 + i) * T0);
        drive_expect(d, tag, (1 + i) * T0);
        tag = drive_write(d, (1 + i) * T0, lbas[i], 1);
        drive_expect(d, tag, (1 + i) * T0 + LINK);
    }
    tag = drive_flush(d, 4 * T0 + LINK + 1);
    drive_expect(d, tag, 4 * T0 + LINK + PROGRAMMED);
    tag = drive_read(d, 5 * T0, 7, 3);
    drive_expect(d, tag, 5 * T0 + READ + 3 * XFER / 4);
    drive_free(d);
}

/*
 * The rest of a granule is read first. Room is a granule's, the link's time that
 * of the host's bytes.
 */
static void test_part_of_granule(void)
{
    Drive *d = drive_log(SMALL LINKED "lba-size=512");
    uint32_t tag, tags[5];

    tag = drive_write(d, T0, 8, 1);
    drive_expect(d, tag, T0 + LINK / 8);
    tag = drive_write(d, 2 * T0, 9, 2);
    drive_expect(d, tag, 2 * T0 + READ + XFER + LINK / 4);
    /* The ends of three granules, each a portion of its own. */
    tag = drive_write(d, 3 * T0, 23, 10);
    drive_expect(d, tag, 3 * T0 + LINK / 8 + LINK + LINK / 8);
    /* Four have room, the fifth waits, however little the host sends. */
    for (unsigned i = 0; i < 5; i++) {
        tags[i] = drive_write(d, 4 * T0, 40 + 8 * i, 1);
    }
    for (unsigned i = 0; i < 4; i++) {
        drive_expect(d, tags[i], 4 * T0 + (1 + i) * (LINK / 8));
    }
    drive_expect(d, tags[4], 4 * T0 + LINK / 8 + PROGRAMMED + LINK / 8);
    drive_free(d);
}

static void test_copy(void)
{
    Drive *d = drive_log(SMALL LINKED);
    uint32_t copy, write;

    drive_write(d, 0, 3, 1);
    drive_drain(d);
    copy = drive_copy(d, T0, 11, 3, 1);
    write = drive_write(d, T0, 5, 1);   /* behind it in the log */
    drive_expect_next(d, copy, T0 + READ + XFER);
    drive_expect(d, write, T0 + READ + XFER + LINK);
    drive_free(d);
}

/* A flush of any namespace waits for the log's pages, a draining reset too. */
static void test_awaited(void)
{
    Drive *d = drive_log(SMALL "reset-drains=on reset-base-ns=1000");
    uint32_t tag;

    drive_expect(d, drive_write(d, T0, 3, 1), T0);
    d->nsid = 1;
    tag = drive_flush(d, T0 + 1);
    drive_expect(d, tag, T0 + PROGRAMMED);
    drive_fill(d, 0, 2);
    d->nsid = 2;
    drive_expect(d, drive_write(d, 2 * T0, 3, 1), 2 * T0);
    d->nsid = 1;
    tag = drive_zone_op(d, 2 * T0 + 1, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, tag, 2 * T0 + PROGRAMMED + 1000 + ERASE);
    drive_free(d);
}

/*
 * With page-turns each page of a stripe waits at its own unit, of all units,
 * also if zones have one; the next stripe waits for all of this one. Zone 0 has
 * two pages for unit 0. Page 1 goes to unit 1 at once, page 0 behind those two,
 * and page 3, whose unit has nothing to do, when page 0 has been given.
 */
static void test_stripes(void)
{
    Drive *d = drive_log(LARGE "page-turns=on zone-channels=1");
    uint32_t flush, read;

    drive_expect(d, zone_write(d, T0, 0, 2), T0);
    drive_expect(d, drive_write(d, T0 + 1, 0, 4), T0 + 1);
    flush = drive_flush(d, T0 + 2);
    read = drive_read(d, T0 + 1 + PROGRAMMED, 1, 1);
    drive_expect(d, read, T0 + 1 + PROGRAMMED + READ + XFER);
    read = drive_read(d, T0 + 3 * PROGRAMMED - 1, 3, 1);
    drive_expect(d, read, T0 + 3 * PROGRAMMED - 1);
    read = drive_read(d, T0 + 3 * PROGRAMMED, 3, 1);
    drive_expect(d, read, T0 + 3 * PROGRAMMED + READ + XFER);
    drive_expect(d, flush, T0 + 4 * PROGRAMMED);
    drive_free(d);
}

/*
 * The log is one that writes: a finish with page-turns yields to it. Without,
 * the finish's pages and the log's take turns.
 */
static void expect_yields(const char *words, uint64_t flush_pages,
                          uint64_t finish_pages)
{
    g_autofree char *all = g_strconcat(
        "conventional-buffer=on conventional-size=64K write-buffer=64K "
        "buffer-portion=4K program-registers=1 channels=1 zones=3 "
        "zone-capacity=8K max-active=3 ", words, NULL);
    Drive *d = drive_log(all);
    uint32_t finish, flush;

    drive_expect(d, drive_write(d, T0, 0, 1), T0);
    d->nsid = 1;
    finish = drive_zone_op(d, T0 + 1, SSD_OP_ZONE_FINISH, 2);
    d->nsid = 2;
    drive_expect(d, drive_write(d, T0 + 2, 1, 2), T0 + 2);
    flush = drive_flush(d, T0 + 2);
    drive_expect(d, flush_pages < finish_pages ? flush : finish,
                 T0 + MIN(flush_pages, finish_pages) * PROGRAMMED);
    drive_expect(d, flush_pages < finish_pages ? finish : flush,
                 T0 + MAX(flush_pages, finish_pages) * PROGRAMMED);
    drive_free(d);
}

static void test_finish_yields(void)
{
    expect_yields("", 5, 4);
    expect_yields("page-turns=on", 4, 5);
}

/*
 * Its next page makes a finish's due, as that of a zone does
 * (/sharing/finish/frees-part): the room of the part that the finish takes with
 * it is at once that of the log's next portion.
 */
static void test_finish_frees_part(void)
{
    Drive *d = drive_log("conventional-buffer=on conventional-size=64K "
                         "page-size=16K write-buffer=36K buffer-portion=4K "
                         "program-registers=3 channels=1 zones=3 "
                         "max-open=1 max-active=1 page-turns=on " LINKED);

    drive_expect(d, drive_write(d, T0, 0, 4), T0 + 4 * LINK);
    drive_expect(d, zone_write(d, T0 + 5 * LINK, 0, 1), T0 + 6 * LINK);
    d->nsid = 1;
    drive_zone_op(d, T0 + 6 * LINK, SSD_OP_ZONE_FINISH, 0);
    d->nsid = 2;
    drive_expect(d, drive_write(d, T0 + 7 * LINK, 4, 5), T0 + 12 * LINK);
    drive_drain(d);
    drive_free(d);
}

/*
 * Cleaning moves row by row, as without the buffer: it has the rows' times, and
 * the write that has caused it is done at once.
 */
static void test_cleaning(void)
{
    Drive *d = drive_full(SMALL);
    uint64_t moved_ns = T0 + 4 * MOVE;
    uint32_t tag, zone;

    d->nsid = 1;
    drive_fill(d, 0, 2);
    d->nsid = 2;
    tag = drive_write(d, T0, 0, 1);
    drive_expect(d, tag, T0);
    d->nsid = 1;
    zone = drive_read(d, moved_ns + 1, 0, 1);
    drive_expect(d, zone, moved_ns + ERASE + READ + XFER);
    drive_free(d);
}

/*
 * What is moved takes room without asking. Here a page of the host, one that is
 * moved and three of a zone are inside: the next one of the zone waits until two
 * of them are programmed.
 */
static void test_moved_takes_room(void)
{
    Drive *d = drive_full(SMALL);
    uint64_t read_ns = T0 + READ + XFER;
    uint32_t tag;

    drive_expect(d, drive_write(d, T0, 0, 1), T0);
    tag = zone_write(d, read_ns - 1, 0, 3);
    drive_expect(d, tag, read_ns - 1);
    tag = zone_write(d, read_ns + 1, 3, 1);
    drive_expect(d, tag, read_ns + PROGRAMMED);
    drive_free(d);
}

static uint64_t used_bytes(const Ssd *ssd)
{
    g_autofree char *json = ssd_live_json(ssd);
    const char *key = "\"buffer_used_bytes\":";

    return g_ascii_strtoull(strstr(json, key) + strlen(key), NULL, 10);
}

static void expect_loads(const Drive *d)
{
    GByteArray *bytes = ssd_save(d->ssd);
    GError *error = NULL;

    ssd_free(ssd_load(&d->params, bytes->data, bytes->len, &error));
    g_assert_no_error(error);
    g_byte_array_unref(bytes);
}

/*
 * A row of eight pages comes into the buffer, which has room for four, while
 * all of the row before it is programmed, but gives its room back later. Such
 * a drive is one that can be, at each of its steps.
 */
static void test_moved_before_release(void)
{
    Drive *d = drive_full(ON "channels=8 conventional-size=256K "
                          "write-buffer=16K buffer-release-ns=600000 "
                          "mdts=256K");
    uint64_t most_bytes = 0;

    drive_write(d, T0, 31, 1);
    while (ssd_next_step_at_ns(d->ssd) != UINT64_MAX) {
        SsdDone done;

        ssd_poll(d->ssd, ssd_next_step_at_ns(d->ssd), &done, 1);
        expect_loads(d);
        most_bytes = MAX(most_bytes, used_bytes(d->ssd));
    }
    g_assert_cmpuint(most_bytes, ==, 2 * 8 * 4 * SSD_KIB);
    drive_free(d);
}

/*
 * Of a row three granules are moved: they complete the page that the first of
 * them begins, and the last is a part of the next. With that part the log has
 * no room for 16K in its share any more, and its line stands aside: a zone's
 * block comes in at that instant. With the page alone it has, and the line
 * whose turn it is waits for room in the buffer, as does all behind it.
 */
static void test_moved_part_stands_aside(void)
{
    Drive *d = drive_full("conventional-buffer=on conventional-size=64K "
                          "lba-size=512 page-size=8K pages-per-block=2 "
                          "program-registers=1 max-open=1 max-active=1 "
                          "buffer-portion=16K write-buffer=32K "
                          "zone-buffer=32K take-turns=on");
    uint32_t tag;

    drive_write(d, T0, 0, 8);       /* a page of two granules, ... */
    drive_write(d, T0, 32, 8);
    zone_write(d, T0, 0, 20);       /* ... and 10K beside it */
    drive_write(d, T0 + 1, 64, 32);
    tag = zone_write(d, T0 + 2, 20, 1);
    for (unsigned i = 0; i < 3; i++) {
        drive_expect_next(d, tag - 4 + i, T0);
    }
    drive_expect(d, tag, T0 + READ + XFER);
    drive_free(d);
}

/*
 * Eight of nine granules leave a line free, and have their places; the ninth
 * waits for the erase of line 0, which holds nothing any more.
 */
static void test_no_place(void)
{
    Drive *d = drive_full(LARGE);
    uint32_t tag, read, other;

    tag = drive_write(d, T0, 0, 9);
    read = drive_read(d, T0 + 1, 8, 1);         /* has no place yet */
    drive_expect(d, read, T0 + 1);
    other = drive_write(d, T0 + 2, 9, 1);       /* waits behind it */
    drive_expect_next(d, tag, T0 + ERASE);
    drive_expect(d, other, T0 + ERASE);
    drive_free(d);
}

/* A write that waits for places holds up no zone. */
static void test_no_place_holds_up_nobody(void)
{
    Drive *d = drive_full(LARGE);
    uint32_t tag, zone;

    tag = drive_write(d, T0, 0, 9);
    zone = zone_write(d, T0 + 1, 0, 1);
    drive_expect(d, zone, T0 + 1);
    drive_expect(d, tag, T0 + ERASE);
    drive_free(d);
}

/* What has been replaced on its way has a place, and is not found there. */
static void test_replaced(void)
{
    Drive *d = drive_log(SMALL LINKED);
    uint32_t first, second, read;

    first = drive_write(d, T0, 3, 1);
    second = drive_write(d, T0, 3, 1);
    drive_expect(d, first, T0 + LINK);
    drive_expect(d, second, T0 + 2 * LINK);
    d->nsid = 2;
    read = drive_read(d, 2 * T0, 3, 1);
    drive_expect(d, read, 2 * T0 + READ + XFER);
    drive_free(d);
}

/* What is on the link at a power cut has its place after it: all granules. */
static void test_power_cut_ends(void)
{
    static const uint64_t ends[] = { 0, 15 };

    for (unsigned i = 0; i < G_N_ELEMENTS(ends); i++) {
        Drive *d = drive_log(SMALL LINKED);
        Ssd *next;

        drive_write(d, T0, ends[i], 1);
        next = ssd_power_cut(d->ssd, T0 + 1, 1);
        ssd_free(d->ssd);
        d->ssd = next;
        drive_expect(d, drive_read(d, 2 * T0, 15 - ends[i], 1), 2 * T0);
        drive_expect(d, drive_read(d, 2 * T0, ends[i], 1),
                     2 * T0 + READ + XFER);
        drive_free(d);
    }
}

/* A part of a page is in the buffer after a power cut, too. */
static void test_power_cut(void)
{
    Drive *d = drive_log(ON "conventional-size=256K write-buffer=64K "
                         "page-size=16K read-granule=4K " LINKED);
    Ssd *next;
    uint32_t tag;

    drive_expect(d, drive_write(d, T0, 40, 2), T0 + 2 * LINK);
    drive_write(d, 2 * T0, 7, 1);       /* on the link */
    next = ssd_power_cut(d->ssd, 2 * T0 + 1, 1);
    ssd_free(d->ssd);
    d->ssd = next;
    d->now_ns = 3 * T0;
    tag = drive_read(d, 3 * T0, 40, 2);
    drive_expect(d, tag, 3 * T0);
    tag = drive_write(d, 3 * T0 + 1, 8, 1);
    drive_expect(d, tag, 3 * T0 + 1 + LINK);
    tag = drive_flush(d, 3 * T0 + 2 + LINK);
    drive_expect(d, tag, 3 * T0 + 1 + LINK + PROGRAMMED);
    tag = drive_read(d, 4 * T0, 7, 2);
    drive_expect(d, tag, 4 * T0 + READ + XFER / 2);
    drive_free(d);
}

/* --- A zone's times ------------------------------------------------------- */

/*
 * What is written in order has the times that it has in a zone: the same units
 * in the same order, the same buffer. On one drive it is written to zone 0, on
 * the other to the conventional namespace; another zone is written beside it,
 * flushed and reset.
 */
#define ZONED "zones=4 mdts=128K zone-size=4M pages-per-block=512 page-size=8K " \
              "read-granule=4K conventional-size=4M " \
              "conventional-buffer=on "
#define END_LBA 1024 /* of the zone and the namespace */

typedef struct Twins {
    Drive *zoned;
    Drive *log;
    Rng rng;
    uint64_t at_ns;
    uint64_t next_lba;
    uint64_t other_lba;
} Twins;

/* All that is due by `at_ns` is the same on both. */
static void twins_poll(Twins *t)
{
    SsdDone one, other;

    for (;;) {
        bool is_done = ssd_poll(t->zoned->ssd, t->at_ns, &one, 1);

        g_assert_cmpuint(ssd_poll(t->log->ssd, t->at_ns, &other, 1), ==,
                         is_done);
        if (!is_done) {
            return;
        }
        g_assert_cmpuint(one.tag, ==, other.tag);
        g_assert_cmpuint(one.due_at_ns, ==, other.due_at_ns);
    }
}

static void twins_submit(Twins *t, SsdOp op, bool is_log, uint64_t slba,
                         uint32_t nlb)
{
    t->zoned->nsid = 1;
    t->log->nsid = is_log ? 2 : 1;
    drive_io(t->zoned, t->at_ns, op, slba, nlb);
    drive_io(t->log, t->at_ns, op, slba, nlb);
}

static void twins_do(Twins *t)
{
    uint64_t zone_lba = drive_zone_lba(t->zoned, 2);
    uint32_t nlb = 1 + rng_below(&t->rng, 24);

    switch (rng_below(&t->rng, 12)) {
    case 0:
        twins_submit(t, SSD_OP_FLUSH, true, 0, 0);
        break;
    case 1:
    case 2:
        nlb = MIN(nlb, END_LBA - t->other_lba);
        twins_submit(t, SSD_OP_WRITE, false, zone_lba + t->other_lba, nlb);
        t->other_lba += nlb;
        break;
    case 3:
        if (t->other_lba > 0) {
            twins_submit(t, SSD_OP_ZONE_RESET, false, zone_lba, 0);
            t->other_lba = 0;
        }
        break;
    case 4:
        if (t->next_lba > 0) {
            twins_submit(t, SSD_OP_READ, true, rng_below(&t->rng, t->next_lba),
                         1);
        }
        break;
    default:
        nlb = MIN(nlb, END_LBA - t->next_lba);
        twins_submit(t, SSD_OP_WRITE, true, t->next_lba, nlb);
        t->next_lba += nlb;
        break;
    }
}

static void run_twins(const char *words, uint64_t seed)
{
    Twins t = {
        .zoned = drive_new(words),
        .log = drive_new(words),
        .rng = { seed },
    };

    while (t.next_lba < END_LBA && t.other_lba < END_LBA) {
        t.at_ns += rng_chance(&t.rng, 70) ? rng_below(&t.rng, 3000)
                                          : rng_below(&t.rng, 900000);
        twins_poll(&t);
        if (ssd_inflight(t.zoned->ssd) < t.zoned->params.cmd_slots) {
            twins_do(&t);
        }
    }
    t.at_ns += T0 * T0;
    twins_poll(&t);
    drive_expect_idle(t.log);
    drive_free(t.zoned);
    drive_free(t.log);
}

static void test_as_a_zone(void)
{
    static const char *const words[] = {
        "write-buffer=256K program-registers=1",
        "write-buffer=128K program-registers=2 buffer-portion=8K "
        "link-in-ns=500000 buffer-release-ns=300000",
        "write-buffer=512K zone-buffer=64K program-registers=2 "
        "page-turns=on link-in-ns=2000000 fe-write-ns=3000",
        "write-buffer=256K program-registers=1 buffer-waiters=4 "
        "buffer-resume=2 fe-write-ns=1000 program-issue-ns=20000 "
        "link-in-ns=300000",
        "write-buffer=192K program-registers=2 reset-drains=on "
        "reset-drain-first=on reset-lock-ns=4000000 reset-base-ns=7000 "
        "buffer-release-ns=100000 program-pages=2 multi-plane=on planes=2",
    };
    uint64_t seed = drive_seed();

    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
        g_autofree char *all = g_strconcat(ZONED, words[i], NULL);

        for (unsigned k = 0; k < 20; k++) {
            run_twins(all, 100 * seed + k);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/log/done-when-there", test_done_when_there);
    g_test_add_func("/log/off", test_off);
    g_test_add_func("/log/comes-back-once", test_comes_back_once);
    g_test_add_func("/log/rules", test_rules);
    g_test_add_func("/log/room", test_room);
    g_test_add_func("/log/share", test_share);
    g_test_add_func("/log/room-is-shared", test_room_is_shared);
    g_test_add_func("/log/part", test_part);
    g_test_add_func("/log/part-of-granule", test_part_of_granule);
    g_test_add_func("/log/copy", test_copy);
    g_test_add_func("/log/awaited", test_awaited);
    g_test_add_func("/log/stripes", test_stripes);
    g_test_add_func("/log/finish-frees-part", test_finish_frees_part);
    g_test_add_func("/log/finish-yields", test_finish_yields);
    g_test_add_func("/log/cleaning", test_cleaning);
    g_test_add_func("/log/moved-takes-room", test_moved_takes_room);
    g_test_add_func("/log/moved-before-release", test_moved_before_release);
    g_test_add_func("/log/moved-part-stands-aside",
                    test_moved_part_stands_aside);
    g_test_add_func("/log/no-place", test_no_place);
    g_test_add_func("/log/no-place-holds-up-nobody",
                    test_no_place_holds_up_nobody);
    g_test_add_func("/log/replaced", test_replaced);
    g_test_add_func("/log/power-cut", test_power_cut);
    g_test_add_func("/log/power-cut-ends", test_power_cut_ends);
    g_test_add_func("/log/as-a-zone", test_as_a_zone);
    return g_test_run();
}
