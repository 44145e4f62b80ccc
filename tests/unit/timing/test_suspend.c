/*
 * Where a running erase can be suspended: against a walk from point to point,
 * which takes a step for each and so is what the unit itself must not do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <glib.h>

#include "base/draw.h"
#include "timing/flash.h"

/* A stretch's lengths come again after so many segments (docs/model.md). */
#define ROUND 64

#define ERASE_NS UINT64_C(1000000)
#define RESUME_NS 777
#define READ_NS UINT64_C(10)

typedef struct Bench {
    FlashConfig config;
    EventHeap events;
    Flash flash;
    uint64_t now_ns;
    uint64_t first; /* draw of the stretch */
} Bench;

static void bench_init(Bench *b, uint64_t segment_ns, uint64_t spread_ns,
                       uint64_t rest_ns)
{
    b->config = (FlashConfig) {
        .channels = 1,
        .units_per_channel = 2,
        .op_capacity = 4,
        .seed = 5,
        .page_bytes = 4096,
        .program_pages = 1,
        .stripe_cells = 1,
        .read_ns = READ_NS,
        .erase_ns = ERASE_NS,
        .cache_read = true,
        .reads_first = 1,
        .erase_suspend = true,
        .suspend_ns = 20,
        .resume_ns = RESUME_NS,
        .segment_ns = segment_ns,
        .segment_spread_ns = spread_ns,
        .rest_ns = rest_ns,
    };
    event_heap_init(&b->events, flash_event_count(&b->config));
    flash_init(&b->flash, &b->config, &b->events);
    b->now_ns = 12345;
    b->first = 0;
}

static void bench_destroy(Bench *b)
{
    flash_destroy(&b->flash);
    event_heap_destroy(&b->events);
}

static uint64_t length_ns(const Bench *b, uint64_t i)
{
    uint64_t spread_ns = b->config.segment_spread_ns;
    uint64_t bits = draw_bits(b->config.seed, DRAW_SEGMENT, 1,
                              b->first + i % ROUND);

    return spread_ns == 0 ? b->config.segment_ns :
           MAX(b->config.segment_ns - spread_ns +
               draw_below(bits, 2 * spread_ns), 1);
}

/* From the stretch's begin to its first point at or after `at_ns`. */
static uint64_t walk(Bench *b, uint64_t begin_at_ns, uint64_t at_ns)
{
    uint64_t point_at_ns = begin_at_ns;
    uint64_t i = 0;

    do {
        point_at_ns += length_ns(b, i++);
    } while (point_at_ns < at_ns);
    b->first += MIN(i, ROUND);
    return point_at_ns;
}

/* Up to `at_ns`, or until nothing is left to do. */
static void run_until(Bench *b, uint64_t at_ns)
{
    uint64_t next_at_ns;
    FlashOp op;

    while ((next_at_ns = event_heap_next_at_ns(&b->events)) <= at_ns &&
           next_at_ns != UINT64_MAX) {
        b->now_ns = next_at_ns;
        flash_event(&b->flash, b->now_ns, event_heap_pop(&b->events), &op);
    }
    b->now_ns = at_ns == UINT64_MAX ? b->now_ns : at_ns;
}

/* Suspended again and again, at random instants, until it ends. */
static void erase_with_reads(Bench *b, GRand *rand)
{
    const FlashUnit *unit = &b->flash.units[1];
    uint64_t begin_at_ns = b->now_ns;
    uint64_t left_ns = ERASE_NS;
    uint64_t rest_ns = 0; /* each suspension has all reads that it may */

    flash_issue(&b->flash, b->now_ns, &(FlashOp) {
        .kind = FLASH_ERASE, .unit_idx = 1, .block_count = 1 });
    for (;;) {
        uint64_t at_ns = begin_at_ns + g_rand_int_range(rand, 1, ERASE_NS);
        uint64_t point_at_ns;

        if (at_ns > begin_at_ns + left_ns) {
            break;
        }
        run_until(b, at_ns);
        point_at_ns = walk(b, begin_at_ns + rest_ns, at_ns);
        flash_issue(&b->flash, at_ns, &(FlashOp) {
            .kind = FLASH_READ, .unit_idx = 1, .end_bytes = 4096 });
        if (point_at_ns >= begin_at_ns + left_ns) {
            g_assert_false(unit->suspending);
            run_until(b, UINT64_MAX);
            return;
        }
        g_assert_true(unit->suspending);
        g_assert_cmpuint(unit->point_at_ns, ==, point_at_ns);
        left_ns = left_ns - (point_at_ns - begin_at_ns) + RESUME_NS;
        begin_at_ns = point_at_ns + 20 + READ_NS;
        rest_ns = b->config.rest_ns - MIN(b->config.rest_ns, READ_NS);
    }
    run_until(b, begin_at_ns + left_ns);
    g_assert_cmpuint(unit->running_idx, ==, FLASH_NONE);
    b->first++;
}

static void test_points(void)
{
    static const uint64_t segments[][3] = {
        {1, 0}, {7, 0}, {1, 1}, {2, 1}, {2, 2}, {50, 49}, {977, 600},
        {20011, 10000}, {40000, 40000}, {300000, 1}, {2000000, 5},
        {1, 0, 1}, {7, 0, 100}, {2, 2, 999}, {50, 49, 5}, {977, 600, 70001},
        {20011, 10000, 50000}, {300000, 1, 300000},
    };
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);

    for (unsigned i = 0; i < G_N_ELEMENTS(segments); i++) {
        for (unsigned k = 0; k < 30; k++) {
            Bench b;

            bench_init(&b, segments[i][0], segments[i][1], segments[i][2]);
            for (unsigned e = 0; e < 5; e++) {
                erase_with_reads(&b, rand);
            }
            bench_destroy(&b);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/suspend/points", test_points);
    return g_test_run();
}
