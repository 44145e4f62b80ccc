/*
 * Exact times of programs of the drive's own, which all units gather for
 * (own-program-after).
 *
 * Knows nothing of the drive's inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>
#include <string.h>

#include "support/drive.h"

/* The base drive of drive.h, in numbers. */
#define READ UINT64_C(60000)
#define PROG UINT64_C(700000)
#define XFER UINT64_C(25000)
#define MS UINT64_C(1000000)

#define OWN UINT64_C(10000)
#define OWNS "channels=1 ways=2 own-program-after=1 own-program-ns=10000 "

/* So long has each unit been busy until now. */
static void expect_busy(Drive *d, uint64_t first_ns, uint64_t second_ns)
{
    g_autofree char *stats = ssd_stats_json(d->ssd, d->now_ns, NULL);
    g_autofree char *units =
        g_strdup_printf("\"units\":[%" PRIu64 ",%" PRIu64 "],", first_ns,
                        second_ns);

    g_assert_nonnull(strstr(stats, units));
}

/*
 * When a program for each unit has begun, none begins until both have ended and
 * the drive's own, too; not even on the unit that is idle. Reads go on.
 */
static void test_own_program(void)
{
    const uint64_t ends = 2 * XFER + PROG, again = ends + OWN;
    Drive *d = drive_new(OWNS "reads-first=1");
    uint32_t tag[5], read;

    for (unsigned i = 0; i < 5; i++) {
        tag[i] = drive_write(d, 0, i, 1);
    }
    drive_expect(d, tag[0], XFER + PROG);
    drive_expect(d, tag[1], ends);
    read = drive_read(d, ends + 1, 1, 1);
    drive_expect(d, read, ends + 1 + READ + XFER);
    drive_expect(d, tag[2], again + PROG);
    drive_expect(d, tag[3], ends + 1 + READ + PROG);
    drive_expect(d, tag[4], ends + 1 + READ + 2 * PROG + OWN);
    expect_busy(d, 3 * PROG, 2 * PROG + READ);
    drive_free(d);

    /* In the order of arrival, a read waits behind such a program. */
    d = drive_new(OWNS);
    drive_fill(d, 0, 2);
    for (unsigned i = 0; i < 3; i++) {
        tag[i] = drive_write(d, 9 * MS, 2 + i, 1);
    }
    read = drive_read(d, 9 * MS + 3 * XFER + 1, 0, 1);
    drive_expect(d, tag[0], 9 * MS + XFER + PROG);
    drive_expect(d, tag[1], 9 * MS + ends);
    drive_expect(d, tag[2], 9 * MS + again + PROG);
    drive_expect(d, read, 9 * MS + again + PROG + READ + XFER);
    drive_free(d);
}

/*
 * In the order of arrival, reads that no program is before do not wait: neither
 * while units gather, nor while they have the drive's own.
 */
static void test_own_program_reads(void)
{
    const uint64_t ends = 2 * XFER + PROG;
    Drive *d = drive_new(OWNS);
    uint32_t tag[2], read;

    drive_fill(d, 0, 2);
    for (unsigned i = 0; i < 2; i++) {
        tag[i] = drive_write(d, 9 * MS, 2 + i, 1);
    }
    read = drive_read(d, 9 * MS + 2 * XFER + 1, 0, 1);
    drive_expect(d, tag[0], 9 * MS + XFER + PROG);
    drive_expect(d, tag[1], 9 * MS + ends);
    drive_expect(d, read, 9 * MS + XFER + PROG + READ + XFER);

    for (unsigned i = 0; i < 2; i++) {
        tag[i] = drive_write(d, 18 * MS, 4 + i, 1);
    }
    drive_expect(d, tag[0], 18 * MS + XFER + PROG);
    read = drive_read(d, 18 * MS + XFER + PROG + 1, 0, 1);
    drive_expect(d, tag[1], 18 * MS + ends);
    drive_expect(d, read, 18 * MS + XFER + PROG + 1 + READ + XFER);

    for (unsigned i = 0; i < 2; i++) {
        tag[i] = drive_write(d, 27 * MS, 6 + i, 1);
    }
    drive_expect(d, tag[0], 27 * MS + XFER + PROG);
    drive_expect(d, tag[1], 27 * MS + ends);
    read = drive_read(d, 27 * MS + ends + 1, 1, 1);
    drive_expect(d, read, 27 * MS + ends + 1 + READ + XFER);
    drive_free(d);
}

/* So does what comes to a unit that is idle, and what comes behind it. */
static void test_own_program_idle(void)
{
    const uint64_t ends = 2 * XFER + PROG, again = ends + OWN;
    Drive *d = drive_new(OWNS);
    uint32_t tag[3], read;

    /* One unit has ended its program, the other has not. */
    for (unsigned i = 0; i < 3; i++) {
        tag[i] = drive_write(d, i == 2 ? PROG + 1 : 0, i, 1);
    }
    drive_expect(d, tag[0], XFER + PROG);
    read = drive_read(d, XFER + PROG + 2, 0, 1);
    drive_expect(d, tag[1], ends);
    drive_expect(d, tag[2], again + PROG);
    drive_expect(d, read, again + PROG + READ + XFER);
    drive_free(d);

    /* Both have one of the drive's own. */
    d = drive_new(OWNS);
    for (unsigned i = 0; i < 2; i++) {
        tag[i] = drive_write(d, 0, i, 1);
    }
    drive_expect(d, tag[0], XFER + PROG);
    tag[2] = drive_write(d, XFER + PROG + 1, 2, 1);
    drive_expect(d, tag[1], ends);
    drive_expect(d, tag[2], again + PROG);
    drive_free(d);
}

/* The controller issues them one by one, those that take no time as well. */
static void expect_issued(const char *drive, uint64_t own_ns)
{
    const uint64_t issue = 30000, ends = 2 * issue + XFER + PROG;
    Drive *d = drive_new(drive);
    uint32_t tag[4];

    for (unsigned i = 0; i < 4; i++) {
        tag[i] = drive_write(d, 0, i, 1);
    }
    drive_expect(d, tag[0], issue + XFER + PROG);
    drive_expect(d, tag[1], ends);
    drive_expect(d, tag[2], ends + issue + own_ns + PROG);
    drive_expect(d, tag[3], ends + 2 * issue + own_ns + PROG);
    drive_free(d);
}

static void test_own_program_issue(void)
{
    expect_issued(OWNS "program-issue-ns=30000", OWN);
    expect_issued(OWNS "own-program-ns=0 program-issue-ns=30000", 0);
}

/* Padding waits, too, but does not bring the next ones nearer. */
static void test_own_program_padding(void)
{
    const uint64_t filled = 2 * XFER + PROG + OWN + 7 * PROG;
    Drive *d = drive_new(OWNS "finish-chunk=64K");
    uint32_t tag = drive_write(d, 0, 0, 2);
    uint32_t finish = drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 0);

    drive_expect(d, tag, 2 * XFER + PROG);
    drive_expect(d, finish, filled);
    tag = drive_write(d, 9 * MS, drive_zone_lba(d, 1), 4);
    drive_expect(d, tag, 9 * MS + 2 * XFER + 2 * PROG + OWN);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/own/order", test_own_program);
    g_test_add_func("/own/reads", test_own_program_reads);
    g_test_add_func("/own/idle", test_own_program_idle);
    g_test_add_func("/own/issue", test_own_program_issue);
    g_test_add_func("/own/padding", test_own_program_padding);
    return g_test_run();
}
