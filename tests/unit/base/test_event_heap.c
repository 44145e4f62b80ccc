/*
 * The queue of events against a plain list that is searched: the order of time,
 * then that of creation, late events last, wherever they wait.
 *
 * Knows nothing of what events mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/event_heap.h"

#include "support/drive.h"

enum { CAPACITY = EVENT_LANE_SIZE + 50, STEPS = 200000 };

typedef struct Pending {
    uint64_t at_ns;
    bool is_late;
    uint32_t payload; /* counts pushes */
} Pending;

typedef struct Run {
    EventHeap heap;
    Pending pending[CAPACITY];
    unsigned count;
    uint32_t pushed;
    uint64_t now_ns;
} Run;

static bool comes_before(const Pending *a, const Pending *b)
{
    if (a->at_ns != b->at_ns) {
        return a->at_ns < b->at_ns;
    }
    return a->is_late != b->is_late ? b->is_late : a->payload < b->payload;
}

static unsigned first_of(const Run *run)
{
    unsigned first = 0;

    for (unsigned i = 1; i < run->count; i++) {
        if (comes_before(&run->pending[i], &run->pending[first])) {
            first = i;
        }
    }
    return first;
}

/* Few instants, so that many are equal; some lanes get what is not in order. */
static void push_one(Run *run, Rng *rng)
{
    unsigned where = rng_below(rng, EVENT_LANES + 3);
    Pending pending = {
        .at_ns = run->now_ns + rng_below(rng, 20),
        .is_late = where == EVENT_LANES,
        .payload = run->pushed++,
    };

    if (where < EVENT_LANES) {
        event_heap_push_lane(&run->heap, where, pending.at_ns,
                             pending.payload);
    } else if (pending.is_late) {
        event_heap_push_late(&run->heap, pending.at_ns, pending.payload);
    } else {
        event_heap_push(&run->heap, pending.at_ns, pending.payload);
    }
    run->pending[run->count++] = pending;
}

static void pop_one(Run *run)
{
    unsigned first = first_of(run);

    g_assert_cmpuint(event_heap_next_at_ns(&run->heap), ==,
                     run->pending[first].at_ns);
    g_assert_cmpuint(event_heap_pop(&run->heap), ==,
                     run->pending[first].payload);
    run->now_ns = run->pending[first].at_ns;
    run->pending[first] = run->pending[--run->count];
}

static void test_order(void)
{
    Rng rng = { drive_seed() };
    Run run = { .now_ns = 1000 };

    event_heap_init(&run.heap, CAPACITY);
    g_assert_cmpuint(event_heap_next_at_ns(&run.heap), ==, UINT64_MAX);
    for (unsigned step = 0; step < STEPS; step++) {
        /* Long rises and falls, down to none and up to all. */
        bool falls = step / 500 % 2;

        if (run.count < CAPACITY &&
            (run.count == 0 || rng_chance(&rng, falls ? 30 : 70))) {
            push_one(&run, &rng);
        } else {
            pop_one(&run);
        }
    }
    while (run.count > 0) {
        pop_one(&run);
    }
    g_assert_cmpuint(event_heap_next_at_ns(&run.heap), ==, UINT64_MAX);
    event_heap_destroy(&run.heap);
}

/* What a lane has no room for is not lost, nor is the place of its first. */
static void test_full_lane(void)
{
    Run run = { .now_ns = 1000 };

    event_heap_init(&run.heap, CAPACITY);
    for (unsigned round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < CAPACITY; i++) {
            uint64_t at_ns = run.now_ns + i / 2;

            event_heap_push_lane(&run.heap, round, at_ns, run.pushed);
            run.pending[run.count++] = (Pending) {
                .at_ns = at_ns,
                .payload = run.pushed++,
            };
        }
        while (run.count > 0) {
            pop_one(&run);
        }
    }
    event_heap_destroy(&run.heap);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/event-heap/order", test_order);
    g_test_add_func("/event-heap/full-lane", test_full_lane);
    return g_test_run();
}
