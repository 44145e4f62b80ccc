/*
 * The Zone Random Write Area: exact times, and what is refused, as
 * docs/model.md defines them.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "support/drive.h"

#include <string.h>

/* The base drive of drive.h, in numbers; a ZRWA is 4 pages. */
#define READ UINT64_C(60000)
#define PROG UINT64_C(700000)
#define XFER UINT64_C(25000)
#define ERASE UINT64_C(3500000)
#define PAGES 16
#define ZRWA "zrwa-size=16K "
#define LATER UINT64_C(100000000)

/* A drive whose zone 1 has a ZRWA. Return: the zone's start in *lba. */
static Drive *drive_with_zrwa(const char *words, uint64_t *lba)
{
    g_autofree char *all = g_strconcat(ZRWA, words, NULL);
    Drive *d = drive_new(all);

    *lba = drive_zone_lba(d, 1);
    drive_expect(d, drive_zone_op(d, 0, SSD_OP_ZONE_OPEN_ZRWA, 1), 0);
    return d;
}

static uint32_t flush_zrwa(Drive *d, uint64_t at_ns, uint64_t last_lba)
{
    return drive_io(d, at_ns, SSD_OP_ZONE_FLUSH_ZRWA, last_lba, 0);
}

static void expect_zone(Drive *d, uint32_t zone_idx, SsdZoneState state,
                        uint64_t written_nlb, bool has_zrwa)
{
    SsdZone zone = ssd_zone(d->ssd, 1, zone_idx);

    g_assert_cmpint(zone.state, ==, state);
    g_assert_cmpuint(zone.wp_lba - zone.start_lba, ==, written_nlb);
    g_assert_cmpint(zone.has_zrwa, ==, has_zrwa);
}

/* `counter` of the flash statistics, such as "programs". */
static uint64_t flash_count(Drive *d, const char *counter)
{
    g_autofree char *json = ssd_stats_json(d->ssd, d->now_ns, NULL);
    g_autofree char *key = g_strdup_printf("\"%s\":", counter);
    const char *at = strstr(json, key);

    g_assert_nonnull(at);
    return g_ascii_strtoull(at + strlen(key), NULL, 10);
}

/* --- Times --------------------------------------------------------------- */

/* In any order, again and again: each costs its transfer, none a program. */
static void test_write_inside(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("", &lba);
    static const uint32_t page[] = { 2, 0, 3, 0, 2 };

    for (unsigned i = 0; i < G_N_ELEMENTS(page); i++) {
        uint64_t at_ns = i * LATER;

        drive_expect(d, drive_write(d, at_ns, lba + page[i], 1),
                     at_ns + XFER);
        expect_zone(d, 1, SSD_ZONE_EXPLICITLY_OPEN, 0, true);
    }
    /* Four pages on two channels: two transfers on each. */
    drive_expect(d, drive_write(d, 9 * LATER, lba, 4), 9 * LATER + 2 * XFER);
    g_assert_cmpuint(flash_count(d, "programs"), ==, 0);
    drive_expect_idle(d);
    drive_free(d);
}

/* What is in the ZRWA is read from the buffer, what is committed from flash. */
static void test_read(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("", &lba);

    drive_expect(d, drive_write(d, 0, lba, 2), XFER);
    drive_expect(d, drive_read(d, LATER, lba, 2), LATER);
    drive_expect(d, drive_read(d, LATER, lba + 2, 2), LATER);
    drive_expect(d, flush_zrwa(d, LATER, lba), LATER + PROG);
    drive_expect(d, drive_read(d, 2 * LATER, lba, 2), 2 * LATER + READ + XFER);
    drive_expect(d, drive_read(d, 3 * LATER, lba + 1, 1), 3 * LATER);
    drive_free(d);
}

/* A commit programs what is there; what is not has to be transferred. */
static void test_flush(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("", &lba);

    /* Pages 0 and 2; page 1 was never written but lies below the last. */
    drive_expect(d, drive_write(d, 0, lba, 1), XFER);
    drive_expect(d, drive_write(d, LATER, lba + 2, 1), LATER + XFER);
    drive_expect(d, flush_zrwa(d, 2 * LATER, lba + 1), 2 * LATER + PROG);
    expect_zone(d, 1, SSD_ZONE_EXPLICITLY_OPEN, 2, true);
    /* Page 2 is there, page 3 is not: they are on different units. */
    drive_expect(d, flush_zrwa(d, 3 * LATER, lba + 3),
                 3 * LATER + XFER + PROG);
    expect_zone(d, 1, SSD_ZONE_EXPLICITLY_OPEN, 4, true);
    g_assert_cmpuint(flash_count(d, "programs"), ==, 4);
    drive_expect_idle(d);
    drive_free(d);
}

/* A commit comes behind what its channel has been given to transfer. */
static void test_flush_behind_transfers(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("channels=1", &lba);
    uint32_t write, flush, barrier;

    write = drive_write(d, 0, lba, 3);
    flush = flush_zrwa(d, XFER, lba + 1);
    barrier = drive_flush(d, XFER);
    drive_expect(d, write, 3 * XFER);
    drive_expect_next(d, flush, 3 * XFER + 2 * PROG);
    drive_expect(d, barrier, 3 * XFER + 2 * PROG);
    drive_free(d);
}

/* A page is programmed when the commit has passed its end. */
static void test_flush_within_a_page(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("page-size=16K zone-size=256K "
                               "zrwa-size=64K zrwa-flush-granularity=4K",
                               &lba);

    drive_expect(d, drive_write(d, 0, lba, 6), XFER);
    drive_expect(d, flush_zrwa(d, LATER, lba + 2), LATER);
    drive_expect(d, flush_zrwa(d, LATER, lba + 3), LATER + PROG);
    /* Blocks 4 and 5 of page 1 are there, 6 and 7 are not. */
    drive_expect(d, flush_zrwa(d, 2 * LATER, lba + 7),
                 2 * LATER + XFER / 2 + PROG);
    g_assert_cmpuint(flash_count(d, "programs"), ==, 2);
    drive_free(d);
}

/* A write behind the ZRWA commits as much as it needs room, and waits. */
static void test_implicit_commit(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("", &lba);

    drive_expect(d, drive_write(d, 0, lba, 4), 2 * XFER);
    /* Page 4 crosses channel 0, then page 0 is programmed on its unit. */
    drive_expect(d, drive_write(d, LATER, lba + 4, 1), LATER + XFER + PROG);
    expect_zone(d, 1, SSD_ZONE_EXPLICITLY_OPEN, 1, true);
    /* The last block that a write may have: the whole ZRWA is committed. */
    drive_expect(d, drive_write(d, 2 * LATER, lba + 8, 1),
                 2 * LATER + XFER + 2 * PROG);
    expect_zone(d, 1, SSD_ZONE_EXPLICITLY_OPEN, 5, true);
    g_assert_cmpuint(flash_count(d, "programs"), ==, 5);
    drive_free(d);
}

/* Implicit commits are whole granules. */
static void test_implicit_commit_granules(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("zrwa-flush-granularity=8K", &lba);

    drive_write(d, 0, lba + 4, 1);
    expect_zone(d, 1, SSD_ZONE_EXPLICITLY_OPEN, 2, true);
    drive_write(d, 0, lba + 5, 1);
    expect_zone(d, 1, SSD_ZONE_EXPLICITLY_OPEN, 2, true);
    drive_write(d, 0, lba + 6, 3);
    expect_zone(d, 1, SSD_ZONE_EXPLICITLY_OPEN, 6, true);
    drive_drain(d);
    drive_free(d);
}

/* A finish does not transfer what is in the buffer already. */
static void test_finish(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("max-open=1 max-active=1", &lba);

    drive_expect(d, drive_write(d, 0, lba + 2, 1), XFER);
    drive_expect(d, drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 1),
                 LATER + PAGES * PROG + (PAGES - 3) * XFER);
    expect_zone(d, 1, SSD_ZONE_FULL, PAGES, false);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 0);
    drive_free(d);
}

/* A reset erases what was committed only. */
static void test_reset(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("", &lba);

    drive_expect(d, drive_write(d, 0, lba, 4), 2 * XFER);
    drive_expect(d, drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 1), LATER);
    expect_zone(d, 1, SSD_ZONE_EMPTY, 0, false);
    drive_expect(d, drive_zone_op(d, LATER, SSD_OP_ZONE_OPEN_ZRWA, 1), LATER);
    drive_expect(d, drive_write(d, LATER, lba, 4), LATER + 2 * XFER);
    drive_expect(d, flush_zrwa(d, 2 * LATER, lba), 2 * LATER + PROG);
    drive_expect(d, drive_zone_op(d, 3 * LATER, SSD_OP_ZONE_RESET, 1),
                 3 * LATER + ERASE);
    g_assert_cmpuint(flash_count(d, "erases"), ==, 1);
    drive_free(d);
}

/* Commits, too, keep to the order of the zone: behind a copy that reads. */
static void test_copy(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("channels=1", &lba);
    uint64_t copied_at_ns = 3 * LATER + READ + 2 * XFER;
    uint32_t copy, flush, finish;

    drive_fill(d, 0, 1);
    copy = drive_copy(d, 3 * LATER, lba + 1, 0, 1);
    flush = flush_zrwa(d, 3 * LATER, lba + 1);
    finish = drive_zone_op(d, 3 * LATER, SSD_OP_ZONE_FINISH, 1);
    drive_expect(d, copy, copied_at_ns);
    drive_expect(d, flush, copied_at_ns + 2 * PROG);
    /* The finish's first page asks for the channel with the commit. */
    drive_expect(d, finish, copied_at_ns + 2 * PROG +
                 (PAGES - 2) * PROG + (PAGES - 3) * XFER);
    drive_free(d);
}

/* A reset discards a commit that waits: it ends at once. */
static void test_reset_behind_copy(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("", &lba);
    uint32_t copy, flush, reset;

    drive_fill(d, 0, 1);
    copy = drive_copy(d, LATER, lba + 1, 0, 1);
    flush = flush_zrwa(d, LATER, lba + 1);
    reset = drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 1);
    drive_expect_next(d, flush, LATER);
    drive_expect(d, reset, LATER);
    drive_expect(d, copy, LATER + READ + XFER);
    g_assert_cmpuint(flash_count(d, "erases"), ==, 0);
    drive_free(d);
}

/* --- What is refused, changing nothing ----------------------------------- */

static void expect_refused(Drive *d, SsdOp op, uint64_t slba, uint32_t nlb,
                           SsdStatus status)
{
    SsdZone before = ssd_zone(d->ssd, 1, 1);
    uint32_t active = ssd_active_count(d->ssd, 1);
    SsdZone after;

    g_assert_cmphex(drive_try(d, d->now_ns, op, slba, nlb).status, ==,
                    status);
    after = ssd_zone(d->ssd, 1, 1);
    g_assert_cmpint(after.state, ==, before.state);
    g_assert_cmpuint(after.wp_lba, ==, before.wp_lba);
    g_assert_cmpint(after.has_zrwa, ==, before.has_zrwa);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, active);
}

static void test_writes_refused(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("", &lba);

    drive_write(d, 0, lba, 4);
    flush_zrwa(d, 0, lba + 1);
    drive_drain(d);
    /* The ZRWA is [2, 6); a write may end in [6, 10), too. */
    expect_refused(d, SSD_OP_WRITE, lba, 1, SSD_ZONE_INVALID_WRITE);
    expect_refused(d, SSD_OP_WRITE, lba + 1, 2, SSD_ZONE_INVALID_WRITE);
    expect_refused(d, SSD_OP_WRITE, lba + 10, 1, SSD_ZONE_INVALID_WRITE);
    expect_refused(d, SSD_OP_WRITE, lba + 9, 2, SSD_ZONE_INVALID_WRITE);
    expect_refused(d, SSD_OP_WRITE_ZEROES, lba + 1, 1,
                   SSD_ZONE_INVALID_WRITE);
    expect_refused(d, SSD_OP_WRITE, lba + PAGES - 1, 2,
                   SSD_ZONE_BOUNDARY_ERROR);
    expect_refused(d, SSD_OP_APPEND, lba, 1, SSD_INVALID_ZONE_OPERATION);
    drive_write(d, d->now_ns, lba + 9, 1);
    expect_zone(d, 1, SSD_ZONE_EXPLICITLY_OPEN, 6, true);
    drive_free(d);
}

static void test_flushes_refused(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("zrwa-flush-granularity=8K", &lba);
    SsdOp flush = SSD_OP_ZONE_FLUSH_ZRWA;

    expect_refused(d, flush, lba, 0, SSD_INVALID_FIELD);
    expect_refused(d, flush, lba + 2, 0, SSD_INVALID_FIELD);
    expect_refused(d, flush, lba + 4, 0, SSD_INVALID_ZONE_OPERATION);
    expect_refused(d, flush, lba + 5, 0, SSD_INVALID_ZONE_OPERATION);
    flush_zrwa(d, 0, lba + 1);
    expect_refused(d, flush, lba + 1, 0, SSD_INVALID_ZONE_OPERATION);
    expect_refused(d, flush, lba, 0, SSD_INVALID_ZONE_OPERATION);
    /* Zone 2 has no ZRWA, whatever its state. */
    expect_refused(d, flush, drive_zone_lba(d, 2) + 1, 0,
                   SSD_INVALID_ZONE_OPERATION);
    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, 2);
    expect_refused(d, flush, drive_zone_lba(d, 2) + 1, 0,
                   SSD_INVALID_ZONE_OPERATION);
    expect_refused(d, flush, drive_zone_lba(d, 4), 0, SSD_LBA_OUT_OF_RANGE);
    drive_drain(d);
    drive_free(d);
}

static void test_opens_refused(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("max-zrwa=2 max-active=4", &lba);
    SsdOp open = SSD_OP_ZONE_OPEN_ZRWA;
    SsdOp set = SSD_OP_ZONE_SET_EXTENSION_ZRWA;

    /* A ZRWA is allocated to an empty zone only. */
    expect_refused(d, open, lba, 0, SSD_INVALID_ZONE_OPERATION);
    drive_zone_op(d, 0, SSD_OP_ZONE_CLOSE, 1);
    expect_refused(d, open, lba, 0, SSD_INVALID_ZONE_OPERATION);
    expect_refused(d, set, lba, 0, SSD_INVALID_ZONE_STATE_TRANSITION);
    drive_zone_op(d, 0, set, 2);
    expect_zone(d, 2, SSD_ZONE_CLOSED, 0, true);
    expect_refused(d, open, drive_zone_lba(d, 3), 0, SSD_ZRWA_UNAVAILABLE);
    expect_refused(d, set, drive_zone_lba(d, 3), 0, SSD_ZRWA_UNAVAILABLE);
    drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 1);
    expect_refused(d, open, lba, 0, SSD_INVALID_ZONE_STATE_TRANSITION);
    drive_zone_op(d, 0, open, 3);
    drive_drain(d);
    drive_free(d);

    /* Active resources come first, then open ones, then the ZRWA. */
    d = drive_with_zrwa("max-zrwa=1 max-open=1 max-active=2", &lba);
    expect_refused(d, open, drive_zone_lba(d, 2), 0, SSD_TOO_MANY_OPEN_ZONES);
    drive_zone_op(d, 0, SSD_OP_ZONE_SET_EXTENSION, 3);
    expect_refused(d, open, drive_zone_lba(d, 2), 0,
                   SSD_TOO_MANY_ACTIVE_ZONES);
    drive_zone_op(d, 0, SSD_OP_ZONE_CLOSE, 1);
    drive_zone_op(d, 0, SSD_OP_ZONE_RESET, 3);
    expect_refused(d, open, drive_zone_lba(d, 2), 0, SSD_ZRWA_UNAVAILABLE);
    drive_drain(d);
    drive_free(d);

    d = drive_new("");
    expect_refused(d, open, 0, 0, SSD_INVALID_FIELD);
    expect_refused(d, set, 0, 0, SSD_INVALID_FIELD);
    expect_refused(d, SSD_OP_ZONE_FLUSH_ZRWA, 0, 0, SSD_INVALID_FIELD);
    drive_free(d);
}

/* A ZRWA is allocated, and committed, in one zone at a time. */
static void test_select_all_refused(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("", &lba);
    static const SsdOp op[] = {
        SSD_OP_ZONE_OPEN_ZRWA, SSD_OP_ZONE_SET_EXTENSION_ZRWA,
        SSD_OP_ZONE_FLUSH_ZRWA,
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(op); i++) {
        SsdCmd cmd = { .nsid = 1, .op = op[i], .select_all = true };

        g_assert_cmphex(ssd_submit(d->ssd, 0, &cmd, 99).status, ==,
                        SSD_INVALID_FIELD);
    }
    expect_zone(d, 1, SSD_ZONE_EXPLICITLY_OPEN, 0, true);
    drive_free(d);
}

/* --- Who has a ZRWA ------------------------------------------------------ */

/* Closed, the zone keeps it; a flush or a write opens the zone again. */
static void test_close_keeps(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("max-open=1 max-active=2", &lba);

    drive_write(d, 0, lba + 1, 1);
    drive_all_zones(d, 0, SSD_OP_ZONE_CLOSE);
    expect_zone(d, 1, SSD_ZONE_CLOSED, 0, true);
    drive_write(d, 0, lba, 1);
    expect_zone(d, 1, SSD_ZONE_IMPLICITLY_OPEN, 0, true);
    /* Another zone takes the open resource: closed, but not without ZRWA. */
    drive_write(d, 0, 0, 1);
    expect_zone(d, 1, SSD_ZONE_CLOSED, 0, true);
    flush_zrwa(d, 0, lba);
    expect_zone(d, 1, SSD_ZONE_IMPLICITLY_OPEN, 1, true);
    expect_zone(d, 0, SSD_ZONE_CLOSED, 1, false);
    drive_zone_op(d, 0, SSD_OP_ZONE_CLOSE, 1);
    drive_all_zones(d, 0, SSD_OP_ZONE_CLOSE);
    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, 0);
    /* Explicitly open zones are not closed for a flush. */
    expect_refused(d, SSD_OP_ZONE_FLUSH_ZRWA, lba + 1, 0,
                   SSD_TOO_MANY_OPEN_ZONES);
    drive_drain(d);
    drive_free(d);
}

/* Each way out of open and closed gives the ZRWA back (peers leak some). */
static void test_no_leak(void)
{
    Drive *d = drive_new(ZRWA "zones=12 max-zrwa=1");

    for (uint32_t z = 0; z < 12; z++) {
        uint64_t lba = drive_zone_lba(d, z);

        drive_zone_op(d, d->now_ns, z % 2 ? SSD_OP_ZONE_OPEN_ZRWA
                                          : SSD_OP_ZONE_SET_EXTENSION_ZRWA,
                      z);
        g_assert_true(ssd_zone(d->ssd, 1, z).has_zrwa);
        switch (z % 6) {
        case 0:
            drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, z);
            break;
        case 1:
            drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, z);
            break;
        case 2:
            drive_all_zones(d, d->now_ns, SSD_OP_ZONE_RESET);
            break;
        case 3:
            drive_all_zones(d, d->now_ns, SSD_OP_ZONE_FINISH);
            break;
        case 4:
            ssd_zone_fail(d->ssd, d->now_ns, 1, z, z < 6 ?
                          SSD_ZONE_READ_ONLY : SSD_ZONE_OFFLINE);
            break;
        case 5:     /* committed up to the end */
            for (uint32_t i = 3; i < PAGES; i += 4) {
                flush_zrwa(d, d->now_ns, lba + i);
            }
            g_assert_cmpint(ssd_zone(d->ssd, 1, z).state, ==, SSD_ZONE_FULL);
            break;
        }
        g_assert_false(ssd_zone(d->ssd, 1, z).has_zrwa);
    }
    drive_drain(d);
    g_assert_true(ssd_format(d->ssd, d->now_ns, 1, 4096, NULL));
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_OPEN_ZRWA, 0);
    drive_drain(d);
    g_assert_true(ssd_format(d->ssd, d->now_ns, 1, 512, NULL));
    d->params.lba_bytes = 512;
    g_assert_false(ssd_zone(d->ssd, 1, 0).has_zrwa);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_OPEN_ZRWA, 1);
    /* Its size is in bytes: of smaller blocks it has more. */
    g_assert_cmphex(drive_try(d, d->now_ns, SSD_OP_WRITE, 128 + 2 * 32 - 1,
                              1).status, ==, SSD_SUCCESS);
    g_assert_cmpuint(ssd_zone(d->ssd, 1, 1).wp_lba, ==, 128 + 32);
    drive_drain(d);
    drive_free(d);
}

/* Full only when committed: its last block may be written long before. */
static void test_full(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("", &lba);

    for (uint32_t i = 0; i < PAGES; i += 4) {
        drive_write(d, d->now_ns, lba + i, 4);
    }
    expect_zone(d, 1, SSD_ZONE_EXPLICITLY_OPEN, PAGES - 4, true);
    drive_write(d, d->now_ns, lba + PAGES - 1, 1);
    expect_zone(d, 1, SSD_ZONE_EXPLICITLY_OPEN, PAGES - 4, true);
    flush_zrwa(d, d->now_ns, lba + PAGES - 1);
    expect_zone(d, 1, SSD_ZONE_FULL, PAGES, false);
    expect_refused(d, SSD_OP_WRITE, lba + PAGES - 1, 1, SSD_ZONE_IS_FULL);
    drive_drain(d);
    g_assert_cmpuint(flash_count(d, "programs"), ==, PAGES);
    drive_free(d);
}

/* --- A power cut --------------------------------------------------------- */

static void cut(Drive *d, uint64_t at_ns)
{
    Ssd *next;

    drive_drain(d);
    next = ssd_power_cut(d->ssd, at_ns, 1);
    ssd_free(d->ssd);
    d->ssd = next;
}

/* A reset's lock is as long as without: it knows what the host has written. */
static void test_cut_host_bytes(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("reset-lock-ns=1600000", &lba);

    drive_write(d, 0, lba, 3);
    drive_write(d, 0, lba + 1, 1);  /* again */
    cut(d, LATER);
    expect_zone(d, 1, SSD_ZONE_CLOSED, 0, true);
    drive_expect(d, drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 1),
                 LATER + 1600000 * 4 / PAGES);
    drive_free(d);
}

/* Full without a block of the host, but not finished: its pages are there. */
static void test_cut_flushed_blank(void)
{
    uint64_t lba;
    Drive *d = drive_with_zrwa("zrwa-size=64K finish-fills-empty=off", &lba);

    flush_zrwa(d, 0, lba + PAGES - 1);
    cut(d, LATER);
    expect_zone(d, 1, SSD_ZONE_FULL, PAGES, false);
    drive_expect(d, drive_read(d, LATER, lba, 1), LATER + READ + XFER);
    drive_expect(d, drive_zone_op(d, 2 * LATER, SSD_OP_ZONE_RESET, 1),
                 2 * LATER + 2 * ERASE);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/zrwa/write-inside", test_write_inside);
    g_test_add_func("/zrwa/read", test_read);
    g_test_add_func("/zrwa/flush", test_flush);
    g_test_add_func("/zrwa/flush-behind-transfers",
                    test_flush_behind_transfers);
    g_test_add_func("/zrwa/flush-within-a-page", test_flush_within_a_page);
    g_test_add_func("/zrwa/implicit-commit", test_implicit_commit);
    g_test_add_func("/zrwa/implicit-commit-granules",
                    test_implicit_commit_granules);
    g_test_add_func("/zrwa/finish", test_finish);
    g_test_add_func("/zrwa/reset", test_reset);
    g_test_add_func("/zrwa/copy", test_copy);
    g_test_add_func("/zrwa/reset-behind-copy", test_reset_behind_copy);
    g_test_add_func("/zrwa/writes-refused", test_writes_refused);
    g_test_add_func("/zrwa/flushes-refused", test_flushes_refused);
    g_test_add_func("/zrwa/opens-refused", test_opens_refused);
    g_test_add_func("/zrwa/select-all-refused", test_select_all_refused);
    g_test_add_func("/zrwa/close-keeps", test_close_keeps);
    g_test_add_func("/zrwa/no-leak", test_no_leak);
    g_test_add_func("/zrwa/full", test_full);
    g_test_add_func("/zrwa/cut-host-bytes", test_cut_host_bytes);
    g_test_add_func("/zrwa/cut-flushed-blank", test_cut_flushed_blank);
    return g_test_run();
}
