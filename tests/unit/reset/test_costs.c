/*
 * Exact times of what a reset costs beside erases.
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
#define BUFFER "channels=1 program-registers=1 write-buffer=256K "
#define RESET BUFFER "erase-ns=0 erase-at=background reset-base-ns=1000 "

static void expect_reset(Drive *d, uint64_t at_ns, uint32_t zone_idx,
                         uint64_t took_ns)
{
    uint32_t tag = drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, zone_idx);

    drive_expect(d, tag, at_ns + took_ns);
}

/* Write pages of a zone and wait until they are programmed. */
static void fill(Drive *d, uint32_t zone_idx, uint32_t pages)
{
    drive_fill(d, zone_idx, pages);
    drive_flush(d, d->now_ns);
    drive_drain(d);
    d->now_ns += MS;
}

static void test_commit(void)
{
    Drive *d = drive_new(RESET "reset-after-ns=1600 reset-part-ns=30");

    fill(d, 0, 16);
    expect_reset(d, 20 * MS, 0, 1000 + 1600);
    fill(d, 0, 1);
    expect_reset(d, 30 * MS, 0, 1000 + 100 + 30);
    fill(d, 0, 1);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, 0);
    drive_drain(d);
    expect_reset(d, 50 * MS, 0, 1000 + 100);
    drive_zone_op(d, 60 * MS, SSD_OP_ZONE_OPEN, 0);
    drive_drain(d);
    expect_reset(d, 61 * MS, 0, 1000);
    drive_free(d);
    /* An erase comes behind it. */
    d = drive_new(BUFFER "reset-base-ns=1000");
    fill(d, 0, 5);
    expect_reset(d, 20 * MS, 0, 1000 + 2 * ERASE);
    drive_free(d);
}

/* The lock grows with what the host wrote, not with what a finish filled. */
static void test_lock(void)
{
    Drive *d = drive_new(RESET "reset-lock-ns=1600000");
    uint32_t a, b;

    fill(d, 0, 16);
    expect_reset(d, 20 * MS, 0, 1600000 + 1000);
    fill(d, 0, 4);
    expect_reset(d, 30 * MS, 0, 400000 + 1000);
    fill(d, 0, 4);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, 0);
    drive_drain(d);
    expect_reset(d, 50 * MS, 0, 400000 + 1000);

    /* No program is given to the flash meanwhile; reads go. */
    fill(d, 0, 16);
    fill(d, 1, 1);
    b = drive_zone_op(d, 80 * MS, SSD_OP_ZONE_RESET, 0);
    drive_write(d, 80 * MS + 1, 17, 1);
    a = drive_flush(d, 80 * MS + 1);
    g_assert_cmpuint(ssd_poll(d->ssd, 80 * MS + 1, (SsdDone[1]) { 0 }, 1), ==,
                     1);
    d->now_ns = 80 * MS + 1;
    drive_expect_stats(d, "\"programs\":53,");
    drive_expect(d, b, 80 * MS + 1600000 + 1000);
    drive_expect(d, a, 80 * MS + 1600000 + PAGE);
    drive_free(d);
}

static void test_lock_and_reads(void)
{
    Drive *d = drive_new(RESET "reset-lock-ns=1600000");
    uint32_t reset, read;

    fill(d, 0, 16);
    fill(d, 1, 1);
    reset = drive_zone_op(d, 80 * MS, SSD_OP_ZONE_RESET, 0);
    read = drive_read(d, 80 * MS + 1, 16, 1);
    drive_expect(d, read, 80 * MS + 1 + READ + XFER);
    drive_expect(d, reset, 80 * MS + 1600000 + 1000);
    drive_free(d);
}

/* A reset begins when a unit has programmed what it has, and one page more. */
static void test_drain(void)
{
    Drive *d = drive_new(RESET "reset-drains=on");
    uint32_t write, reset;

    fill(d, 0, 1);
    write = drive_write(d, 20 * MS, 16, 3);
    drive_expect(d, write, 20 * MS);
    reset = drive_zone_op(d, 20 * MS + 1, SSD_OP_ZONE_RESET, 0);
    write = drive_write(d, 20 * MS + 2, 19, 3);
    drive_expect(d, write, 20 * MS + 2);
    drive_expect(d, reset, 20 * MS + 2 * PAGE + 1000);
    expect_reset(d, 40 * MS, 1, 1000);
    drive_free(d);
}

/*
 * Zone 1 has three pages when the reset begins, zone 2 gets three behind it.
 * They take turns, unless what is drained goes first, as a flush of the three
 * tells; the reset waits for the first two.
 */
static uint64_t drain_took_ns(const char *words, bool of_flush)
{
    g_autofree char *all = g_strconcat(RESET "reset-drains=on ", words, NULL);
    Drive *d = drive_new(all);
    uint32_t reset, flush;
    uint64_t took_ns;

    fill(d, 0, 1);
    drive_write(d, 20 * MS, 16, 3);
    reset = drive_zone_op(d, 20 * MS + 1, SSD_OP_ZONE_RESET, 0);
    flush = drive_flush(d, 20 * MS + 1);
    drive_write(d, 20 * MS + 2, 32, 3);
    took_ns = drive_completion_at_ns(d, of_flush ? flush : reset) - 20 * MS;
    flush = drive_flush(d, d->now_ns);
    g_assert_cmpuint(drive_completion_at_ns(d, flush), ==, 20 * MS + 6 * PAGE);
    drive_free(d);
    return took_ns;
}

/* An idle unit gets what is younger: zone 2's second page is on the second. */
static void check_idle_unit(void)
{
    Drive *d = drive_new(RESET "channels=2 reset-drains=on "
                         "reset-drain-first=on");
    uint32_t flush;

    fill(d, 0, 1);
    fill(d, 2, 1);
    drive_write(d, 20 * MS, 16, 1);
    drive_zone_op(d, 20 * MS + 1, SSD_OP_ZONE_RESET, 0);
    drive_write(d, 20 * MS + 2, 33, 1);
    flush = drive_flush(d, 20 * MS + 2);
    g_assert_cmpuint(drive_completion_at_ns(d, flush), ==, 20 * MS + 2 + PAGE);
    drive_drain(d);
    drive_free(d);
}

static void test_drain_first(void)
{
    g_assert_cmpuint(drain_took_ns("", false), ==, 2 * PAGE + 1000);
    g_assert_cmpuint(drain_took_ns("", true), ==, 4 * PAGE);
    g_assert_cmpuint(drain_took_ns("reset-drain-first=on", false), ==,
                     2 * PAGE + 1000);
    g_assert_cmpuint(drain_took_ns("reset-drain-first=on", true), ==, 3 * PAGE);
    check_idle_unit();
}

/*
 * Unit 0 has six pages, unit 1 one: the reset waits for what registers hold and
 * one more.
 */
static void check_drain_of_unit(const char *words, unsigned programs)
{
    g_autofree char *all = g_strconcat(RESET "zones=8 channels=2 "
                                       "reset-drains=on ",
                                       words, NULL);
    Drive *d = drive_new(all);
    uint32_t reset;

    fill(d, 0, 1);
    for (uint32_t z = 1; z < 7; z++) {
        drive_write(d, 20 * MS, drive_zone_lba(d, z), 1);
    }
    drive_write(d, 20 * MS, drive_zone_lba(d, 1) + 1, 1);
    reset = drive_zone_op(d, 20 * MS + 1, SSD_OP_ZONE_RESET, 0);
    g_assert_cmpuint(drive_completion_at_ns(d, reset), ==,
                     20 * MS + XFER + programs * PROG + 1000);
    drive_drain(d);
    drive_free(d);
}

static void test_drain_of_unit(void)
{
    check_drain_of_unit("program-registers=2", 3);
    check_drain_of_unit("program-registers=3", 4);
}

/* Unless it drains, a reset does not wait for programs. */
static void test_no_drain(void)
{
    Drive *d = drive_new(RESET);
    uint32_t write, reset;

    fill(d, 0, 1);
    write = drive_write(d, 20 * MS, 16, 3);
    drive_expect(d, write, 20 * MS);
    reset = drive_zone_op(d, 20 * MS + 1, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, reset, 20 * MS + 1 + 1000);
    drive_free(d);
}

/* One zone at a time, however many may be worked on. */
static void test_one_at_a_time(void)
{
    Drive *d = drive_new(RESET "mgmt-parallel-zones=4");
    uint32_t a, b;

    for (unsigned z = 0; z < 4; z++) {
        fill(d, z, 1);
    }
    a = drive_zone_op(d, 20 * MS, SSD_OP_ZONE_RESET, 2);
    b = drive_all_zones(d, 20 * MS, SSD_OP_ZONE_RESET);
    drive_expect(d, a, 20 * MS + 1000);
    drive_expect(d, b, 20 * MS + 4000);
    drive_free(d);
}

/* A write to the zone waits for the reset, others do not. */
static void test_write_behind_reset(void)
{
    Drive *d = drive_new(RESET "reset-lock-ns=1600000");
    uint32_t reset, a, b;

    fill(d, 0, 16);
    reset = drive_zone_op(d, 20 * MS, SSD_OP_ZONE_RESET, 0);
    a = drive_write(d, 20 * MS, 0, 1);
    b = drive_write(d, 20 * MS, 16, 1);
    drive_expect(d, b, 20 * MS);
    drive_expect_next(d, reset, 20 * MS + 1601000);
    drive_expect(d, a, 20 * MS + 1601000);
    drive_free(d);
}

/* Steps go before all else on their unit, and are spread over the lock. */
static void test_steps(void)
{
    Drive *d = drive_new("channels=1 ways=2 zone-ways=1 program-registers=1 "
                         "write-buffer=256K erase-ns=0 reset-lock-ns=1600000 "
                         "reset-steps=2 reset-step-ns=10000");
    uint32_t read[2];
    uint64_t at_ns = 40 * MS;

    fill(d, 0, 16);
    fill(d, 2, 1);
    fill(d, 1, 1);
    /* Unit 0 at 0 and 800 us, unit 1 at 400 and 1200 us. */
    drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, 0);
    read[0] = drive_read(d, at_ns + 1, drive_zone_lba(d, 2), 1);
    drive_expect(d, read[0], at_ns + 10000 + READ + XFER);
    read[0] = drive_read(d, at_ns + 799999, drive_zone_lba(d, 2), 1);
    read[1] = drive_read(d, at_ns + 800000, drive_zone_lba(d, 2), 1);
    drive_expect(d, read[0], at_ns + 799999 + READ + XFER);
    drive_expect(d, read[1], at_ns + 799999 + 2 * READ + 10000 + XFER);
    read[0] = drive_read(d, at_ns + 1200001, drive_zone_lba(d, 1), 1);
    drive_expect(d, read[0], at_ns + 1210000 + READ + XFER);
    drive_drain(d);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/reset-costs/commit", test_commit);
    g_test_add_func("/reset-costs/lock", test_lock);
    g_test_add_func("/reset-costs/lock-and-reads", test_lock_and_reads);
    g_test_add_func("/reset-costs/drain", test_drain);
    g_test_add_func("/reset-costs/drain-first", test_drain_first);
    g_test_add_func("/reset-costs/drain-of-unit", test_drain_of_unit);
    g_test_add_func("/reset-costs/no-drain", test_no_drain);
    g_test_add_func("/reset-costs/one-at-a-time", test_one_at_a_time);
    g_test_add_func("/reset-costs/write-behind-reset", test_write_behind_reset);
    g_test_add_func("/reset-costs/steps", test_steps);
    return g_test_run();
}
