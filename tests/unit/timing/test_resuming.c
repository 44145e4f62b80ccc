/*
 * Exact times of programs and erases that are suspended for reads, and go on.
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

#define SUSPEND "channels=1 reads-first=2 suspend-ns=10000 resume-ns=3000 " \
                "suspend-segment-ns=100000 "

/* What a program or erase of `work_ns`, begun at 9 ms, does for reads. */
typedef struct Suspended {
    Drive *d;
    uint32_t work;
    uint64_t begin_at_ns;
    uint64_t work_ns;
} Suspended;

static Suspended suspended_new(const char *words, bool erase)
{
    Suspended s = { .d = drive_new(words), .begin_at_ns = 20 * MS };

    drive_fill(s.d, 0, 1);
    drive_fill(s.d, 1, 1);
    if (erase) {
        s.work = drive_zone_op(s.d, 20 * MS, SSD_OP_ZONE_RESET, 1);
        s.work_ns = ERASE;
    } else {
        s.work = drive_write(s.d, 20 * MS - XFER, 1, 1);
        s.work_ns = PROG;
    }
    return s;
}

static void check_suspend(const char *words, bool erase)
{
    Suspended s = suspended_new(words, erase);
    uint64_t begin_ns = s.begin_at_ns, stop_ns, end_ns;
    uint32_t read[4];

    /* One read: the second suspend point is the next. */
    read[0] = drive_read(s.d, begin_ns + 150000, 0, 1);
    stop_ns = begin_ns + 200000 + 10000;
    drive_expect(s.d, read[0], stop_ns + READ + XFER);
    end_ns = begin_ns + s.work_ns + 10000 + READ + 3000;
    drive_expect(s.d, s.work, end_ns);
    drive_expect_idle(s.d);
    drive_free(s.d);

    /* At a suspend point it is that one; the latest is one before the end. */
    s = suspended_new(words, erase);
    read[0] = drive_read(s.d, begin_ns + 100000, 0, 1);
    drive_expect(s.d, read[0], begin_ns + 110000 + READ + XFER);
    end_ns = begin_ns + s.work_ns + 10000 + READ + 3000;
    /* Resumed at 170 us: points at 270, 370, ... */
    read[1] = drive_read(s.d, begin_ns + 270001, 0, 1);
    drive_expect(s.d, read[1], begin_ns + 380000 + READ + XFER);
    end_ns += 10000 + READ + 3000;
    read[2] = drive_read(s.d, end_ns - 1, 0, 1);
    drive_expect(s.d, s.work, end_ns);
    drive_expect(s.d, read[2], end_ns + READ + XFER);
    drive_free(s.d);

    /* The end is no suspend point, though the last segment ends there. */
    s = suspended_new(words, erase);
    end_ns = begin_ns + s.work_ns;
    read[0] = drive_read(s.d, end_ns - 100000 + 1, 0, 1);
    drive_expect(s.d, s.work, end_ns);
    drive_expect(s.d, read[0], end_ns + READ + XFER);
    drive_free(s.d);

    /* Four reads: two for each suspension, a whole segment between. */
    s = suspended_new(words, erase);
    for (unsigned i = 0; i < 4; i++) {
        read[i] = drive_read(s.d, begin_ns + i, 0, 1);
    }
    stop_ns = begin_ns + 110000;
    drive_expect(s.d, read[0], stop_ns + READ + XFER);
    drive_expect(s.d, read[1], stop_ns + 2 * READ + XFER);
    stop_ns += 2 * READ + 110000;
    drive_expect(s.d, read[2], stop_ns + READ + XFER);
    drive_expect(s.d, read[3], stop_ns + 2 * READ + XFER);
    drive_expect(s.d, s.work, begin_ns + s.work_ns +
                 2 * (10000 + 2 * READ + 3000));
    drive_free(s.d);
}

/*
 * Once all reads that may have gone, what was suspended runs until 160 us after
 * the first of them began, and a segment more.
 */
static void check_rest(const char *words, bool erase)
{
    Suspended s = suspended_new(words, erase);
    uint64_t begin_ns = s.begin_at_ns, stop_ns;
    uint32_t read[5];

    /* Two reads: all that may. 40 us are left for the third; it is alone. */
    for (unsigned i = 0; i < 3; i++) {
        read[i] = drive_read(s.d, begin_ns + i, 0, 1);
    }
    stop_ns = begin_ns + 110000;
    drive_expect(s.d, read[0], stop_ns + READ + XFER);
    drive_expect(s.d, read[1], stop_ns + 2 * READ + XFER);
    stop_ns += 2 * READ + 40000 + 110000;
    drive_expect(s.d, read[2], stop_ns + READ + XFER);
    /* So the fourth finds the next point where it always is. */
    read[3] = drive_read(s.d, stop_ns + READ + XFER, 0, 1);
    stop_ns += READ + 110000;
    drive_expect(s.d, read[3], stop_ns + READ + XFER);
    drive_expect(s.d, s.work, begin_ns + s.work_ns +
                 3 * (10000 + 3000) + 4 * READ);
    drive_expect_idle(s.d);
    drive_free(s.d);

    /* A resumption that is lost counts its read: there is a rest behind it. */
    s = suspended_new(words, erase);
    stop_ns = begin_ns + 110000;
    read[0] = drive_read(s.d, begin_ns, 0, 1);
    read[1] = drive_read(s.d, stop_ns + READ + 1000, 0, 1);
    read[2] = drive_read(s.d, stop_ns + READ + 1001, 0, 1);
    drive_expect(s.d, read[0], stop_ns + READ + XFER);
    stop_ns += READ + 1000;
    drive_expect(s.d, read[1], stop_ns + READ + XFER);
    stop_ns += READ + 39000 + 110000;
    drive_expect(s.d, read[2], stop_ns + READ + XFER);
    drive_free(s.d);
}

static void test_suspend_rest(void)
{
    check_rest(SUSPEND "program-suspend=on suspend-rest-ns=160000", false);
    check_rest(SUSPEND "erase-suspend=on suspend-rest-ns=160000", true);
    check_suspend(SUSPEND "program-suspend=on suspend-rest-ns=120000", false);
}

/* A read that comes while work is being resumed finds it suspended still. */
static void test_suspend_resuming(void)
{
    static const char words[] = SUSPEND "program-suspend=on";
    Suspended s = suspended_new(words, false);
    uint64_t begin_ns = s.begin_at_ns, go_on_ns = begin_ns + 110000 + READ;
    uint32_t read[3];

    /* The second goes at once; a third would be one more than may. */
    read[0] = drive_read(s.d, begin_ns, 0, 1);
    read[1] = drive_read(s.d, go_on_ns + 2999, 0, 1);
    drive_expect(s.d, read[0], go_on_ns + XFER);
    go_on_ns += 2999 + READ;
    read[2] = drive_read(s.d, go_on_ns + 1, 0, 1);
    drive_expect(s.d, read[1], go_on_ns + XFER);
    drive_expect(s.d, read[2], go_on_ns + 110000 + READ + XFER);
    /* The first resumption was lost, and cost what was done of it. */
    drive_expect(s.d, s.work, begin_ns + PROG + 2 * 10000 + 3 * READ + 2999 +
                 2 * 3000);
    drive_expect_idle(s.d);
    drive_free(s.d);

    /* When it has been resumed, a read waits for a suspend point. */
    s = suspended_new(words, false);
    go_on_ns = begin_ns + 110000 + READ;
    read[0] = drive_read(s.d, begin_ns, 0, 1);
    read[1] = drive_read(s.d, go_on_ns + 3000, 0, 1);
    drive_expect(s.d, read[0], go_on_ns + XFER);
    drive_expect(s.d, read[1], go_on_ns + 110000 + READ + XFER);
    drive_expect(s.d, s.work, begin_ns + PROG + 2 * (10000 + READ + 3000));
    drive_free(s.d);
}

/*
 * Two reads were sensed at 610 us, the last point: of those that come while the
 * program is being resumed, the third finds no point and waits for the end, and
 * so does the fourth, which begins no row of its own.
 */
static void test_suspend_resuming_row_over(void)
{
    Suspended s = suspended_new(SUSPEND "program-suspend=on "
                                "suspend-segment-ns=300000", false);
    uint64_t stop_ns = s.begin_at_ns + 610000, end_ns;
    uint32_t read[4];

    read[0] = drive_read(s.d, s.begin_at_ns + 300001, 0, 1);
    read[1] = drive_read(s.d, s.begin_at_ns + 300001, 0, 1);
    drive_expect(s.d, read[0], stop_ns + READ + XFER);
    read[2] = drive_read(s.d, stop_ns + 2 * READ + 1, 0, 1);
    read[3] = drive_read(s.d, stop_ns + 2 * READ + 2, 0, 1);
    drive_expect(s.d, read[1], stop_ns + 2 * READ + XFER);
    end_ns = s.begin_at_ns + PROG + 10000 + 2 * READ + 3000;
    drive_expect(s.d, s.work, end_ns);
    drive_expect(s.d, read[2], end_ns + READ + XFER);
    drive_expect(s.d, read[3], end_ns + 2 * READ + XFER);
    drive_free(s.d);
}

/* So it is after reads that sensed nothing, of what the registers hold. */
static void test_suspend_resuming_reread(void)
{
    Suspended s = suspended_new(SUSPEND "program-suspend=on "
                                "register-read-ns=2000", false);
    uint64_t go_on_ns = s.begin_at_ns + 110000 + READ;
    uint32_t read[3];

    read[0] = drive_read(s.d, s.begin_at_ns, 0, 1);
    read[1] = drive_read(s.d, go_on_ns + 5000, 0, 1);
    drive_expect(s.d, read[0], go_on_ns + XFER);
    go_on_ns += 110000 + 2000;
    read[2] = drive_read(s.d, go_on_ns + 1000, 0, 1);
    drive_expect(s.d, read[1], go_on_ns + XFER);
    drive_expect(s.d, read[2], go_on_ns + 2 * XFER);
    drive_expect(s.d, s.work, s.begin_at_ns + PROG + 10000 + READ + 3000 +
                 10000 + 2000 + 1000 + 2000 + 3000);
    drive_free(s.d);
}

static void test_program_suspend(void)
{
    check_suspend(SUSPEND "program-suspend=on", false);
}

static void test_erase_suspend(void)
{
    check_suspend(SUSPEND "erase-suspend=on", true);
}

/* Each of the two is suspended only if its own parameter says so. */
static void test_suspend_only_one(void)
{
    Suspended s = suspended_new(SUSPEND "erase-suspend=on", false);
    uint32_t read = drive_read(s.d, 20 * MS, 0, 1);

    drive_expect(s.d, s.work, 20 * MS + PROG);
    drive_expect(s.d, read, 20 * MS + PROG + READ + XFER);
    drive_free(s.d);
    s = suspended_new(SUSPEND "program-suspend=on", true);
    read = drive_read(s.d, 20 * MS, 0, 1);
    drive_expect(s.d, s.work, 20 * MS + ERASE);
    drive_expect(s.d, read, 20 * MS + ERASE + READ + XFER);
    drive_free(s.d);
}

/* Without segments it stops at once, and without cache read for longer. */
static void test_suspend_at_once(void)
{
    Suspended s = suspended_new("channels=1 reads-first=1 suspend-ns=10000 "
                                "program-suspend=on cache-read=off", false);
    uint32_t read = drive_read(s.d, 20 * MS + 12345, 0, 1);

    drive_expect(s.d, read, 20 * MS + 12345 + 10000 + READ + XFER);
    drive_expect(s.d, s.work, 20 * MS + PROG + 10000 + READ + XFER);
    drive_free(s.d);
}

/* The latency outlasts the program's first end: that event means nothing. */
static void test_suspend_latency_is_long(void)
{
    Suspended s = suspended_new("channels=1 reads-first=1 suspend-ns=900000 "
                                "program-suspend=on suspend-segment-ns=600000",
                                false);
    uint32_t read = drive_read(s.d, 20 * MS + 12345, 0, 1);

    drive_expect(s.d, read, 20 * MS + 600000 + 900000 + READ + XFER);
    drive_expect(s.d, s.work, 20 * MS + PROG + 900000 + READ);
    drive_expect_idle(s.d);
    drive_free(s.d);
}

/* Suspend points lie within the spread, and are the same in every run. */
static void test_suspend_spread(void)
{
    uint64_t least_ns = UINT64_MAX, most_ns = 0, first_ns = 0;

    for (unsigned run = 0; run < 200; run++) {
        g_autofree char *words = g_strdup_printf(
            SUSPEND "program-suspend=on suspend-spread=400 seed=%u", run / 2);
        Suspended s = suspended_new(words, false);
        SsdDone done;
        uint64_t point_ns;

        drive_read(s.d, 20 * MS + 1, 0, 1);
        while (!ssd_poll(s.d->ssd, ssd_next_at_ns(s.d->ssd), &done, 1)) {
            ;
        }
        point_ns = done.due_at_ns - 20 * MS - 10000 - READ - XFER;
        if (run % 2) {
            g_assert_cmpuint(point_ns, ==, first_ns);
        }
        first_ns = point_ns;
        least_ns = MIN(least_ns, point_ns);
        most_ns = MAX(most_ns, point_ns);
        drive_free(s.d);
    }
    g_assert_cmpuint(least_ns, >=, 60000);
    g_assert_cmpuint(least_ns, <, 64000);
    g_assert_cmpuint(most_ns, >, 136000);
    g_assert_cmpuint(most_ns, <, 140000);
}

/*
 * Each segment has a length of its own, the n-th of a unit always the same,
 * whether the reads come early, so that the program stops behind each, or late,
 * so that it runs through all but the last.
 */
static void test_suspend_segments(void)
{
    static const char words[] = SUSPEND "program-suspend=on suspend-spread=400";
    Suspended s = suspended_new(words, false);
    uint64_t runs_from_ns = s.begin_at_ns, segment_ns[4], sum_ns = 0;
    uint32_t read;

    for (unsigned i = 0; i < G_N_ELEMENTS(segment_ns); i++) {
        uint64_t read_ns;

        /* In the segment: its length is 60 us at least, a transfer's 25 us. */
        drive_read(s.d, MAX(s.d->now_ns, runs_from_ns) + 1, 0, 1);
        while (ssd_inflight(s.d->ssd) == 2) {
            SsdDone done;

            s.d->now_ns = MAX(s.d->now_ns, ssd_next_at_ns(s.d->ssd));
            ssd_poll(s.d->ssd, s.d->now_ns, &done, 1);
        }
        read_ns = s.d->now_ns - XFER; /* sensed, and the program goes on */
        segment_ns[i] = read_ns - READ - 10000 - runs_from_ns;
        g_assert_cmpuint(segment_ns[i], >=, 60000);
        g_assert_cmpuint(segment_ns[i], <, 140000);
        for (unsigned k = 0; k < i; k++) {
            g_assert_cmpuint(segment_ns[k], !=, segment_ns[i]);
        }
        sum_ns += segment_ns[i];
        runs_from_ns = read_ns;
    }
    drive_free(s.d);

    s = suspended_new(words, false);
    read = drive_read(s.d, s.begin_at_ns + sum_ns - segment_ns[3] + 1, 0, 1);
    drive_expect(s.d, read, s.begin_at_ns + sum_ns + 10000 + READ + XFER);
    drive_free(s.d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/array/suspend/program", test_program_suspend);
    g_test_add_func("/array/suspend/erase", test_erase_suspend);
    g_test_add_func("/array/suspend/rest", test_suspend_rest);
    g_test_add_func("/array/suspend/resuming", test_suspend_resuming);
    g_test_add_func("/array/suspend/resuming-row-over",
                    test_suspend_resuming_row_over);
    g_test_add_func("/array/suspend/resuming-reread",
                    test_suspend_resuming_reread);
    g_test_add_func("/array/suspend/only-one", test_suspend_only_one);
    g_test_add_func("/array/suspend/at-once", test_suspend_at_once);
    g_test_add_func("/array/suspend/long-latency",
                    test_suspend_latency_is_long);
    g_test_add_func("/array/suspend/spread", test_suspend_spread);
    g_test_add_func("/array/suspend/segments", test_suspend_segments);
    return g_test_run();
}
