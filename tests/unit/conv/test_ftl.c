/*
 * The mapping of a conventional namespace: against a dumb model, and whether
 * it keeps its promise never to run out of places.
 *
 * Knows nothing of time, units or commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "support/drive.h"
#include "conv/ftl.h"

/*
 * Beside the real mapping: what each place holds that is not erased, and where
 * each granule is.
 */
typedef struct Dumb {
    Ftl ftl;
    uint32_t places;
    int64_t *place_holds;   /* -1: erased */
    int64_t *granule_place; /* -1: nowhere */
    uint64_t put_count;
    uint64_t moved_count;
    uint64_t cleaned_count;
} Dumb;

static void dumb_init(Dumb *d, uint32_t granules, uint32_t line_places,
                      uint32_t spare_lines)
{
    uint32_t lines = ftl_least_lines(granules, line_places) + spare_lines;

    *d = (Dumb) { .places = lines * line_places };
    ftl_init(&d->ftl, granules, line_places, lines);
    d->place_holds = g_new(int64_t, d->places);
    d->granule_place = g_new(int64_t, granules);
    for (uint32_t i = 0; i < d->places; i++) {
        d->place_holds[i] = -1;
    }
    for (uint32_t i = 0; i < granules; i++) {
        d->granule_place[i] = -1;
    }
}

static void dumb_clear(Dumb *d)
{
    ftl_destroy(&d->ftl);
    g_free(d->place_holds);
    g_free(d->granule_place);
}

/* Everything that can be said of the mapping, by looking at all of it. */
static void dumb_compare(const Dumb *d)
{
    const Ftl *ftl = &d->ftl;
    uint64_t erased = 0;
    uint32_t states[4] = { 0 };

    for (uint32_t g = 0; g < ftl->granule_count; g++) {
        g_assert_cmpuint(ftl_place(ftl, g), ==,
                         d->granule_place[g] < 0 ? FTL_NONE :
                         d->granule_place[g]);
    }
    for (uint32_t line = 0; line < ftl->line_count; line++) {
        uint32_t valid = 0;

        for (uint32_t i = 0; i < ftl->line_places; i++) {
            uint32_t place = line * ftl->line_places + i;
            int64_t holds = d->place_holds[place];
            bool is_valid = holds >= 0 && d->granule_place[holds] == place;

            erased += holds < 0;
            valid += is_valid;
            g_assert_cmpint(ftl_is_valid(ftl, place), ==, is_valid);
        }
        g_assert_cmpuint(ftl->lines[line].valid, ==, valid);
        states[ftl->lines[line].state]++;
    }
    g_assert_cmpuint(ftl_free_places(ftl), ==, erased);
    g_assert_cmpuint(states[FTL_LINE_FREE], ==, ftl->free_count);
    g_assert_cmpuint(states[FTL_LINE_OPEN], <=, 1);
}

static void dumb_put(Dumb *d, uint32_t granule)
{
    uint32_t place = ftl_put(&d->ftl, granule);

    g_assert_cmpuint(place, <, d->places);
    g_assert_cmpint(d->place_holds[place], ==, -1);
    d->place_holds[place] = granule;
    d->granule_place[granule] = place;
    if ((place + 1) % d->ftl.line_places == 0) {
        ftl_line_ready(&d->ftl, place / d->ftl.line_places);
    }
}

/* Clean one line. The promise: there is a victim, and it gains a place. */
static void dumb_clean(Dumb *d)
{
    uint64_t before = ftl_free_places(&d->ftl);
    uint32_t line = ftl_take_victim(&d->ftl);
    uint32_t first = line * d->ftl.line_places;

    g_assert_cmpuint(line, !=, FTL_NONE);
    for (uint32_t i = 0; i < d->ftl.line_count; i++) {
        if (d->ftl.lines[i].ready) {
            g_assert_cmpuint(d->ftl.lines[i].valid, >=,
                             d->ftl.lines[line].valid);
        }
    }
    for (uint32_t place = first; place < first + d->ftl.line_places;
         place++) {
        if (ftl_is_valid(&d->ftl, place)) {
            g_assert_cmpuint(ftl_free_places(&d->ftl), >, 0);
            dumb_put(d, d->ftl.holds[place]);
            d->moved_count++;
        }
    }
    ftl_free_line(&d->ftl, line);
    for (uint32_t i = 0; i < d->ftl.line_places; i++) {
        d->place_holds[first + i] = -1;
    }
    d->cleaned_count++;
    g_assert_cmpuint(ftl_free_places(&d->ftl), >, before);
}

static void dumb_write(Dumb *d, uint32_t granule)
{
    while (!ftl_host_may_place(&d->ftl)) {
        dumb_clean(d);
    }
    dumb_put(d, granule);
    d->put_count++;
}

static void dumb_drop(Dumb *d, uint32_t granule)
{
    ftl_drop(&d->ftl, granule);
    d->granule_place[granule] = -1;
}

typedef struct Shape {
    const char *name;
    uint32_t granules;
    uint32_t line_places;
    uint32_t spare_lines;
} Shape;

/* With the fewest lines that there may be, but for the last. */
static const Shape shapes[] = {
    { "even", 64, 16, 0 },
    { "one-below", 63, 16, 0 },
    { "one-above", 65, 16, 0 },
    { "one-line", 5, 16, 0 },
    { "single-places", 40, 1, 0 },
    { "single-granule", 1, 8, 0 },
    { "spare", 200, 8, 5 },
};

/* Many times the capacity, anywhere, with some deallocations in between. */
static void test_random(gconstpointer data)
{
    const Shape *shape = data;
    Rng rng = { drive_seed() };
    Dumb d;

    dumb_init(&d, shape->granules, shape->line_places, shape->spare_lines);
    for (uint32_t i = 0; i < shape->granules; i++) {
        dumb_write(&d, i);
    }
    for (unsigned i = 0; i < 300 * shape->granules; i++) {
        uint32_t granule = rng_below(&rng, shape->granules);

        if (rng_chance(&rng, 98)) {
            dumb_write(&d, granule);
        } else {
            dumb_drop(&d, granule);
        }
        if (i % 97 == 0) {
            dumb_compare(&d);
        }
    }
    dumb_compare(&d);
    g_test_message("%" G_GUINT64_FORMAT " put, %" G_GUINT64_FORMAT
                   " moved, %" G_GUINT64_FORMAT " lines cleaned",
                   d.put_count, d.moved_count, d.cleaned_count);
    g_assert_cmpuint(d.cleaned_count, >, 0);
    dumb_clear(&d);
}

/*
 * The worst that a host can do: all is full and valid, and each line that is
 * cleaned has as few invalid places as possible.
 */
static void test_worst(gconstpointer data)
{
    const Shape *shape = data;
    Dumb d;

    dumb_init(&d, shape->granules, shape->line_places, shape->spare_lines);
    for (unsigned round = 0; round < 300; round++) {
        for (uint32_t i = 0; i < shape->granules; i++) {
            /* One of each line, as the lines were written. */
            uint32_t granule = (uint64_t)i * shape->line_places %
                               shape->granules;

            dumb_write(&d, round ? granule : i);
        }
        dumb_compare(&d);
    }
    dumb_clear(&d);
}

/* Overwritten in order, a line has nothing left when its turn comes. */
static void test_in_order(void)
{
    Dumb d;

    dumb_init(&d, 64, 16, 1);
    for (unsigned i = 0; i < 64 * 20; i++) {
        dumb_write(&d, i % 64);
    }
    dumb_compare(&d);
    g_assert_cmpuint(d.moved_count, ==, 0);
    dumb_clear(&d);
}

static void test_drop_all(void)
{
    Dumb d;

    dumb_init(&d, 64, 16, 0);
    for (uint32_t i = 0; i < 64; i++) {
        dumb_write(&d, i);
    }
    ftl_drop_all(&d.ftl);
    for (uint32_t i = 0; i < 64; i++) {
        d.granule_place[i] = -1;
    }
    dumb_compare(&d);
    for (unsigned i = 0; i < 640; i++) {
        dumb_write(&d, i * 7 % 64);
    }
    dumb_compare(&d);
    dumb_clear(&d);
}

/* A line is no victim before it is ready, nor if it would gain nothing. */
static void test_victims(void)
{
    Ftl ftl;

    ftl_init(&ftl, 8, 4, 4);
    for (uint32_t i = 0; i < 8; i++) {
        ftl_put(&ftl, i);
    }
    ftl_line_ready(&ftl, 0);
    g_assert_cmpuint(ftl_take_victim(&ftl), ==, FTL_NONE);
    ftl_drop(&ftl, 0);
    ftl_drop(&ftl, 4);
    ftl_drop(&ftl, 5);
    g_assert_cmpuint(ftl_take_victim(&ftl), ==, 0);
    g_assert_cmpuint(ftl_take_victim(&ftl), ==, FTL_NONE);
    ftl_line_ready(&ftl, 1);
    g_assert_cmpuint(ftl_take_victim(&ftl), ==, 1);
    ftl_destroy(&ftl);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(shapes); i++) {
        char *random = g_strconcat("/ftl/random/", shapes[i].name, NULL);
        char *worst = g_strconcat("/ftl/worst/", shapes[i].name, NULL);

        g_test_add_data_func(random, &shapes[i], test_random);
        g_test_add_data_func(worst, &shapes[i], test_worst);
        g_free(random);
        g_free(worst);
    }
    g_test_add_func("/ftl/in-order", test_in_order);
    g_test_add_func("/ftl/drop-all", test_drop_all);
    g_test_add_func("/ftl/victims", test_victims);
    return g_test_run();
}
