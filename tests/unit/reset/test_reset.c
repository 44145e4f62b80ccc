/*
 * A reset among other work: what it asks of the units while it unmaps, what it
 * leaves behind, what belongs to a zone's life and what to the flash below it.
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
#define ERASE UINT64_C(3500000)
#define XFER UINT64_C(25000)
#define MS UINT64_C(1000000)
#define PAGE (XFER + PROG)
#define ZONE_PAGES 16

#define MOST_BUSY 4096

/* What `what` has been done on a unit: how often, and when it began last. */
typedef struct Work {
    unsigned count;
    uint64_t first_at_ns;
    uint64_t last_end_at_ns;
} Work;

static Work work_on_unit(Drive *d, const char *what, uint32_t unit_idx,
                         uint64_t from_ns)
{
    static SsdBusy busy[MOST_BUSY];
    unsigned count = ssd_busy_log_take(d->ssd, busy, MOST_BUSY);
    Work work = { 0 };

    for (unsigned i = 0; i < count; i++) {
        if (busy[i].is_channel || busy[i].resource_idx != unit_idx ||
            strcmp(busy[i].what, what) != 0 ||
            busy[i].begin_at_ns < from_ns) {
            continue;
        }
        if (work.count++ == 0) {
            work.first_at_ns = busy[i].begin_at_ns;
        }
        work.last_end_at_ns = busy[i].end_at_ns;
    }
    return work;
}

/* Steps of a reset */

#define STEPS "zones=8 channels=1 write-buffer=256K program-registers=1 " \
    "erase-at=background erase-ns=0 reset-base-ns=1000 " \
    "reset-lock-ns=100000 reset-steps=19 reset-step-ns=105000 "

/*
 * A reset has the steps of what the zone holds, and ends with the last of them:
 * here they take 20 times as long as the unmapping.
 */
static void expect_steps(uint32_t pages, unsigned steps)
{
    Drive *d = drive_new(STEPS);
    const uint64_t at_ns = 100 * MS;
    uint32_t reset;
    Work work;

    ssd_busy_log_start(d->ssd, MOST_BUSY);
    if (pages > 0) {
        drive_fill(d, 0, pages);
    } else {
        drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, 0);
        drive_drain(d);
    }
    reset = drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, reset, at_ns + MAX(steps * UINT64_C(105000),
                                       UINT64_C(100000) * pages / ZONE_PAGES +
                                       1000));
    work = work_on_unit(d, "step", 0, 0);
    g_assert_cmpuint(work.count, ==, steps);
    if (steps > 0) {
        g_assert_cmpuint(work.first_at_ns, ==, at_ns);
    }
    drive_free(d);
}

static void test_steps_of_what_is_held(void)
{
    expect_steps(0, 0);
    expect_steps(1, 1);
    expect_steps(8, 9);
    expect_steps(15, 17);
    expect_steps(16, 19);
}

/* None is left when the next reset begins, however many there are. */
static void test_steps_do_not_pile_up(void)
{
    Drive *d = drive_new(STEPS);
    const uint64_t full_ns = 19 * UINT64_C(105000);
    uint64_t at_ns = 100 * MS;
    uint32_t read;

    for (unsigned i = 0; i < 300; i++) {
        uint32_t reset;

        drive_fill(d, i % 8, ZONE_PAGES);
        at_ns = d->now_ns + 100 * MS;
        reset = drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, i % 8);
        drive_expect(d, reset, at_ns + full_ns);
    }
    drive_fill(d, 0, 1);
    read = drive_read(d, d->now_ns + 100 * MS, 0, 1);
    drive_expect(d, read, d->now_ns + READ + XFER);
    drive_free(d);
}

/* Resets side by side: the second begins when the first's steps are done. */
static void test_steps_of_two(void)
{
    Drive *d = drive_new(STEPS);
    const uint64_t at_ns = 100 * MS, full_ns = 19 * UINT64_C(105000);
    uint32_t a, b;

    drive_fill(d, 0, ZONE_PAGES);
    drive_fill(d, 1, ZONE_PAGES);
    a = drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, 0);
    b = drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, 1);
    drive_expect(d, a, at_ns + full_ns);
    drive_expect(d, b, at_ns + 2 * full_ns);
    drive_free(d);
}

/* A step that waits for a program keeps its reset waiting. */
static void test_step_behind_program(void)
{
    Drive *d = drive_new(STEPS);
    uint32_t write, reset;

    drive_fill(d, 0, 1);
    write = drive_write(d, 100 * MS, drive_zone_lba(d, 1), 1);
    drive_expect(d, write, 100 * MS);
    reset = drive_zone_op(d, 100 * MS + XFER, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, reset, 100 * MS + PAGE + 105000);
    drive_free(d);
}

/* The units take turns from one reset to the next: 3 steps of 20 each time. */
static void test_steps_take_turns(void)
{
    static const unsigned steps_of_unit[] = { 2, 2, 1, 1 };

    for (uint32_t unit_idx = 0; unit_idx < 4; unit_idx++) {
        Drive *d = drive_new("channels=4 write-buffer=256K "
                             "program-registers=1 erase-at=background "
                             "erase-ns=0 reset-lock-ns=100000 reset-steps=5 "
                             "reset-step-ns=1000");

        ssd_busy_log_start(d->ssd, MOST_BUSY);
        for (uint32_t zone_idx = 0; zone_idx < 2; zone_idx++) {
            drive_fill(d, zone_idx, 3);
            drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, zone_idx);
            drive_drain(d);
        }
        g_assert_cmpuint(work_on_unit(d, "step", unit_idx, 0).count, ==,
                         steps_of_unit[unit_idx]);
        drive_free(d);
    }
}

/* A finish beside a drain */

/* Resets cost 1 us, and what was written before them goes first. */
#define DRAINS_FIRST "program-registers=1 write-buffer=256K erase-ns=0 " \
                     "erase-at=background reset-base-ns=1000 " \
                     "reset-drains=on reset-drain-first=on"

/*
 * At the drain's beginning the unit has the first page of the finish, and the
 * second waits, before two pages of zone 1. The third is young: it comes behind
 * these.
 */
static void test_fill_is_young(void)
{
    Drive *d = drive_new("channels=1 " DRAINS_FIRST);
    const uint64_t at_ns = 100 * MS;
    uint32_t finish, write, reset;

    drive_fill(d, 0, 1);
    drive_fill(d, 2, 1);
    finish = drive_zone_op(d, at_ns, SSD_OP_ZONE_FINISH, 2);
    write = drive_write(d, at_ns + 1, drive_zone_lba(d, 1), 2);
    drive_expect(d, write, at_ns + 1);
    reset = drive_zone_op(d, at_ns + 2, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, reset, at_ns + 4 * PAGE + 1000);
    drive_expect(d, finish, at_ns + 17 * PAGE);
    drive_free(d);
}

/*
 * Zones 0 and 1 write, so the finish's only page is due behind two pages of
 * theirs. It was complete when the drain began, so the unit that is idle behind
 * the first of these gets it before the second one, which is young.
 */
static void test_fill_is_old(void)
{
    Drive *d = drive_new("channels=1 page-turns=on " DRAINS_FIRST);
    const uint64_t at_ns = 100 * MS;
    uint32_t tag, finish, reset;

    drive_fill(d, 2, 15);
    drive_fill(d, 3, 1);
    tag = drive_write(d, at_ns, 0, 1);
    drive_expect(d, tag, at_ns);
    tag = drive_write(d, at_ns, drive_zone_lba(d, 1), 1);
    drive_expect(d, tag, at_ns);
    finish = drive_zone_op(d, at_ns + 1, SSD_OP_ZONE_FINISH, 2);
    reset = drive_zone_op(d, at_ns + 2, SSD_OP_ZONE_RESET, 3);
    tag = drive_write(d, at_ns + 3, 1, 1);
    drive_expect(d, tag, at_ns + 3);
    drive_expect(d, reset, at_ns + 2 * PAGE + 1000);
    drive_expect(d, finish, at_ns + 3 * PAGE);
    drive_free(d);
}

/*
 * Unit 0 has two pages from before the drain, unit 1 one. Behind that wait the
 * finish's page and then one of zone 0, both young: an idle unit gets either,
 * but the host's first, as the finish's is due behind one of zone 0.
 */
static void test_young_yields(void)
{
    Drive *d = drive_new("channels=2 page-turns=on " DRAINS_FIRST);
    const uint64_t at_ns = 100 * MS;
    uint32_t tag, finish, reset;

    drive_fill(d, 2, 15);
    drive_fill(d, 3, 1);
    tag = drive_write(d, at_ns, 0, 3);
    drive_expect(d, tag, at_ns);
    reset = drive_zone_op(d, at_ns + 1, SSD_OP_ZONE_RESET, 3);
    finish = drive_zone_op(d, at_ns + 2, SSD_OP_ZONE_FINISH, 2);
    tag = drive_write(d, at_ns + 3, 3, 1);
    drive_expect(d, tag, at_ns + 3);
    drive_expect(d, reset, at_ns + 2 * PAGE + 1000);
    drive_expect(d, finish, at_ns + 3 * PAGE);
    drive_free(d);
}

/* What a reset leaves behind */

/* A finish that has nothing to fill gives a reset nothing to erase. */
static void test_blank_finish_then_reset(void)
{
    Drive *d = drive_new("finish-fills-empty=off fe-finish-ns=10000");
    uint32_t finish, reset;

    finish = drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 0);
    reset = drive_zone_op(d, 0, SSD_OP_ZONE_RESET, 0);
    drive_expect_next(d, finish, 10000);
    drive_expect(d, reset, 10000);
    for (uint64_t i = 0; i < ssd_block_count(d->ssd); i++) {
        g_assert_cmpuint(ssd_block(d->ssd, i).erase_count, ==, 0);
    }
    drive_free(d);
}

/*
 * Zone 1 and others keep unit 1 busy, where the second page of zone 0 waits.
 * After the reset zone 0 begins on unit 0, which is free, and not when its turn
 * on unit 1 would have come.
 */
static void test_no_wait_of_the_old_life(void)
{
    Drive *d = drive_new("zones=8 channels=2 zone-stagger=1 write-buffer=1M "
                         "program-registers=1 erase-ns=0 erase-at=background");
    uint32_t tag;
    Work work;

    ssd_busy_log_start(d->ssd, MOST_BUSY);
    for (uint32_t z = 1; z < 8; z += 2) {
        drive_write(d, 0, drive_zone_lba(d, z), 1);
    }
    drive_write(d, 0, 0, 2);
    drive_drain(d);
    tag = drive_zone_op(d, 1 * MS, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, tag, 1 * MS);
    tag = drive_write(d, 1 * MS, 0, 1);
    drive_expect(d, tag, 1 * MS);
    tag = drive_flush(d, 1 * MS);
    drive_expect(d, tag, 4 * PAGE);
    work = work_on_unit(d, "program", 0, 1 * MS);
    g_assert_cmpuint(work.first_at_ns, ==, 1 * MS + XFER);
    drive_free(d);
}

/*
 * With a buffer no command waits for the erases of a zone's first write, but
 * the next reset does: the page of the life behind it has its own.
 */
static void test_reset_waits_for_first_erases(void)
{
    Drive *d = drive_new("write-buffer=256K program-registers=1 "
                         "erase-at=zone-write full-erase=on");
    const uint64_t erased_ns = 100 * MS + 4 * UINT64_C(3500000) / 2;
    uint32_t tag;

    drive_fill(d, 0, 1);
    tag = drive_zone_op(d, 50 * MS, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, tag, 50 * MS);
    tag = drive_write(d, 100 * MS, 0, 1);
    drive_expect(d, tag, 100 * MS);
    tag = drive_zone_op(d, 100 * MS + 1, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, tag, erased_ns);
    drive_free(d);
}

/* What is drawn, and what it belongs to */

/* Latencies of the second of two writes, told from each other by `words`. */
static void second_latencies(const char *words, bool disturbed,
                             uint64_t latency_ns[8])
{
    Drive *d = drive_new(words);

    for (unsigned i = 0; i < 8; i++) {
        uint64_t at_ns = (i + 1) * 100 * MS;
        SsdDone done[2];

        if (disturbed) {
            drive_flush(d, at_ns - 50 * MS);
            drive_zone_op(d, at_ns - 50 * MS, SSD_OP_ZONE_OPEN, 2);
            drive_write(d, at_ns - 50 * MS, drive_zone_lba(d, 1) + i, 1);
            drive_read(d, at_ns - 50 * MS, 0, 1);
            drive_drain(d);
        }
        drive_write(d, at_ns, 2 * i, 1);
        drive_write(d, at_ns, 2 * i + 1, 1);
        g_assert_cmpuint(ssd_poll(d->ssd, at_ns + 50 * MS, done, 2), ==, 2);
        d->now_ns = at_ns + 50 * MS;
        latency_ns[i] = done[1].due_at_ns - done[1].submitted_at_ns;
    }
    drive_free(d);
}

/* Other zones' writes and other commands do not change a draw. */
static void test_draws_are_of_the_write(void)
{
    static const char *const words[] = {
        "max-open=0 max-active=0 write-buffer=256K program-registers=1 "
        "fe-write-ns=10000 fe-after=900 fe-after-random=on",
        "max-open=0 max-active=0 write-buffer=256K program-registers=1 "
        "lba-size=512 fe-part-ns=10000 fe-part-pauses=500 "
        "fe-part-pause-ns=100000",
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
        uint64_t alone[8], beside[8];
        bool varies = false;

        second_latencies(words[i], false, alone);
        second_latencies(words[i], true, beside);
        for (unsigned k = 0; k < 8; k++) {
            g_assert_cmpuint(alone[k], ==, beside[k]);
            varies = varies || alone[k] != alone[0];
        }
        g_assert_true(varies);
    }
}

/* Bit p: page p of zone 0 is a slow one. */
static uint32_t slow_pages(Drive *d)
{
    uint32_t slow = 0;

    drive_fill(d, 0, ZONE_PAGES);
    for (uint32_t page = 0; page < ZONE_PAGES; page++) {
        uint64_t at_ns = d->now_ns + 10 * MS;
        uint32_t read = drive_read(d, at_ns, page, 1);
        uint64_t took_ns = drive_drain(d) - at_ns;

        (void)read;
        g_assert_true(took_ns == READ + XFER || took_ns == 2 * READ + XFER);
        slow |= (took_ns != READ + XFER) << page;
    }
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, 0);
    drive_drain(d);
    return slow;
}

/* Zone 0 is backed by superblocks 0 and 1 in turn. */
static void test_slow_pages_are_of_the_block(void)
{
    Drive *d = drive_new("zones=1 mapping=remap spare-superblocks=1 "
                         "slow-pages=500 read-slow-ns=120000");
    uint32_t first = slow_pages(d), second = slow_pages(d);

    g_assert_cmphex(first, !=, second);
    g_assert_cmphex(slow_pages(d), ==, first);
    g_assert_cmphex(slow_pages(d), ==, second);
    drive_free(d);
}

/* With no other cost, a reset waits for all programs of another zone. */
static void test_drain_alone(void)
{
    Drive *d = drive_new("channels=2 zone-channels=1 reset-drains=on");
    const uint64_t at_ns = 100 * MS;
    uint32_t write, reset;

    drive_fill(d, 1, 1);
    write = drive_write(d, at_ns, 0, 3);
    reset = drive_zone_op(d, at_ns + 1, SSD_OP_ZONE_RESET, 1);
    drive_expect(d, write, at_ns + XFER + 3 * PROG);
    drive_expect(d, reset, at_ns + XFER + 3 * PROG + ERASE);
    drive_free(d);
}

/* After a loss of power */

#define COSTS "reset-lock-ns=1600000 reset-base-ns=1000 erase-at=background " \
    "erase-ns=0 "

/* Cut the power at `at_ns`, with the first seed that leaves zone 0 full. */
static void cut(Drive *d, uint64_t at_ns)
{
    for (uint64_t seed = 0; seed < 64; seed++) {
        Ssd *next = ssd_power_cut(d->ssd, at_ns, seed);

        if (ssd_zone(next, 1, 0).state == SSD_ZONE_FULL) {
            ssd_free(d->ssd);
            d->ssd = next;
            d->now_ns = ssd_now_ns(next);
            return;
        }
        ssd_free(next);
    }
    g_assert_not_reached();
}

/* A reset costs what the host has written, however often power was lost. */
static void expect_cost(Drive *d, uint32_t pages)
{
    uint64_t at_ns = d->now_ns + 100 * MS;
    uint32_t tag;

    cut(d, d->now_ns);
    drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, 0);
    cut(d, at_ns); /* as if it had not been asked for */
    tag = drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, tag, at_ns + pages * UINT64_C(1600000) / ZONE_PAGES +
                         1000);
    drive_free(d);
}

static void test_cost_after_cut(void)
{
    static const char *const drives[] = {
        COSTS, COSTS "finish-fills-empty=off",
        COSTS "write-buffer=256K program-registers=1 finish-fills-empty=off",
    };
    Drive *d;

    for (unsigned i = 0; i < G_N_ELEMENTS(drives); i++) {
        for (uint32_t pages = 0; pages <= ZONE_PAGES; pages += 4) {
            d = drive_new(drives[i]);
            if (pages > 0) {
                drive_fill(d, 0, pages);
            }
            drive_zone_op(d, 100 * MS, SSD_OP_ZONE_FINISH, 0);
            drive_drain(d);
            expect_cost(d, pages);
        }
    }
    /* Writes that the front end has not handed off, alone and finished. */
    for (uint32_t pages = 4; pages <= ZONE_PAGES; pages += 12) {
        d = drive_new(COSTS "fe-write-ns=1000 finish-fills-empty=off");
        drive_write(d, 0, 0, pages);
        drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 0);
        expect_cost(d, pages);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/reset/steps/held", test_steps_of_what_is_held);
    g_test_add_func("/reset/steps/bounded", test_steps_do_not_pile_up);
    g_test_add_func("/reset/steps/two", test_steps_of_two);
    g_test_add_func("/reset/steps/behind-program", test_step_behind_program);
    g_test_add_func("/reset/steps/turns", test_steps_take_turns);
    g_test_add_func("/reset/fill-is-young", test_fill_is_young);
    g_test_add_func("/reset/blank-finish", test_blank_finish_then_reset);
    g_test_add_func("/reset/no-wait-of-old-life",
                    test_no_wait_of_the_old_life);
    g_test_add_func("/reset/first-erases", test_reset_waits_for_first_erases);
    g_test_add_func("/draws/of-the-write", test_draws_are_of_the_write);
    g_test_add_func("/draws/of-the-block", test_slow_pages_are_of_the_block);
    g_test_add_func("/reset/drain-alone", test_drain_alone);
    g_test_add_func("/reset/fill-is-old", test_fill_is_old);
    g_test_add_func("/reset/young-yields", test_young_yields);
    g_test_add_func("/reset/cost-after-cut", test_cost_after_cut);
    return g_test_run();
}
