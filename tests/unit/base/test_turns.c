/*
 * Turns (take-turns): the queues alone, beside a dumb second version of them;
 * what they do to the buffer and to read slots, in exact times; and that nobody
 * waits for ever.
 *
 * Knows nothing of the drive's inside: it uses ssd.h, params.h and turns.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "support/drive.h"
#include "base/turns.h"

/* The base drive of drive.h, in numbers. */
#define READ UINT64_C(60000)
#define PROG UINT64_C(700000)
#define XFER UINT64_C(25000)
#define MS UINT64_C(1000000)

/* One unit that holds one program: a page takes XFER + PROG = 725 us. */
#define PAGE (XFER + PROG)

/* --- The queues ------------------------------------------------------------ */

static void expect_leave(Turns *turns, uint32_t waiter_idx)
{
    uint32_t group_idx = turns_group(turns);

    g_assert_cmpuint(turns_waiter(turns, group_idx), ==, waiter_idx);
    g_assert_cmpuint(turns_leave(turns, group_idx), ==, waiter_idx);
}

static void test_one_line(void)
{
    Turns turns;

    turns_init(&turns, 4, 1, 1, 1);
    g_assert_cmpuint(turns_group(&turns), ==, TURNS_NONE);
    for (uint32_t i = 0; i < 3; i++) {
        turns_wait(&turns, 0, 3 - i);
    }
    turns_pass(&turns, 0);
    expect_leave(&turns, 3);
    turns_wait(&turns, 0, 3);
    turns_set_aside(&turns, 0);
    g_assert_cmpuint(turns_group(&turns), ==, TURNS_NONE);
    turns_wait(&turns, 0, 0);
    g_assert_cmpuint(turns_group(&turns), ==, TURNS_NONE);
    turns_call_back(&turns, 0);
    turns_call_back(&turns, 0);
    expect_leave(&turns, 2);
    expect_leave(&turns, 1);
    expect_leave(&turns, 3);
    expect_leave(&turns, 0);
    g_assert_cmpuint(turns_group(&turns), ==, TURNS_NONE);
    turns_destroy(&turns);
}

/* Lines 0 and 1 are of one group, 2 and 3 of the other. */
static void test_groups(void)
{
    Turns turns;

    turns_init(&turns, 10, 2, 4, 2);
    turns_wait(&turns, 0, 0);
    turns_wait(&turns, 0, 1);
    turns_wait(&turns, 1, 2);
    turns_wait(&turns, 3, 3);
    turns_wait(&turns, 3, 4);
    expect_leave(&turns, 0);
    expect_leave(&turns, 3);
    /* Line 1 comes before line 0 now; set aside, it loses its turn to it. */
    turns_set_aside(&turns, 0);
    expect_leave(&turns, 1);
    turns_call_back(&turns, 1);
    expect_leave(&turns, 4);
    expect_leave(&turns, 2);
    /* Out of turn. */
    for (uint32_t i = 0; i < 2; i++) {
        turns_wait(&turns, 0, 5 + i);
        turns_wait(&turns, 2, 8 + i);
    }
    g_assert_true(turns_group_waits(&turns, 1));
    g_assert_cmpuint(turns_leave(&turns, 1), ==, 8);
    expect_leave(&turns, 5);
    g_assert_cmpuint(turns_leave(&turns, 1), ==, 9);
    g_assert_false(turns_group_waits(&turns, 1));
    expect_leave(&turns, 6);
    g_assert_cmpuint(turns_group(&turns), ==, TURNS_NONE);
    turns_destroy(&turns);
}

#define GROUPS 4
#define LINES 12 /* three of each group */
#define WAITERS 40

/*
 * The same, dumb: rings as lists that are searched. And for each line how many
 * steps others have done since its last, or since it came.
 */
typedef struct Dumb {
    GQueue groups;       /* of group + 1 */
    GQueue lines[GROUPS]; /* of line + 1 */
    GQueue waiters[LINES]; /* of waiter + 1 */
    bool aside[LINES];
    uint32_t most[LINES]; /* lines of its group when it came behind them */
    uint32_t of_group[LINES][GROUPS];
    uint32_t of_line[LINES][LINES];
} Dumb;

static void *box(uint32_t number)
{
    return GUINT_TO_POINTER(number + 1);
}

static uint32_t unbox(const void *boxed)
{
    return GPOINTER_TO_UINT(boxed) - 1;
}

static void dumb_join(Dumb *dumb, uint32_t line)
{
    uint32_t group = line / 3;

    g_queue_push_tail(&dumb->lines[group], box(line));
    if (dumb->lines[group].length == 1) {
        g_queue_push_tail(&dumb->groups, box(group));
    }
    dumb->most[line] = dumb->lines[group].length;
    memset(dumb->of_group[line], 0, sizeof(dumb->of_group[line]));
    memset(dumb->of_line[line], 0, sizeof(dumb->of_line[line]));
}

/* The line's step: nobody may have done more since its last. */
static void dumb_count(Dumb *dumb, uint32_t line)
{
    for (uint32_t i = 0; i < LINES; i++) {
        dumb->of_group[i][line / 3]++;
        dumb->of_line[i][line]++;
    }
    for (uint32_t g = 0; g < GROUPS; g++) {
        g_assert_true(g == line / 3 ||
                      dumb->of_group[line][g] <= dumb->most[line]);
    }
    for (uint32_t i = line / 3 * 3; i < line / 3 * 3 + 3; i++) {
        g_assert_true(i == line || dumb->of_line[line][i] <= 1);
    }
}

static void dumb_step(Dumb *dumb, bool last)
{
    uint32_t group = unbox(g_queue_pop_head(&dumb->groups));
    uint32_t line = unbox(g_queue_pop_head(&dumb->lines[group]));

    dumb_count(dumb, line);
    if (last) {
        g_queue_pop_head(&dumb->waiters[line]);
    }
    if (dumb->lines[group].length > 0) {
        g_queue_push_tail(&dumb->groups, box(group));
    }
    if (dumb->waiters[line].length > 0) {
        dumb_join(dumb, line);
    }
}

static void dumb_set_aside(Dumb *dumb)
{
    uint32_t group = unbox(dumb->groups.head->data);
    uint32_t line = unbox(g_queue_pop_head(&dumb->lines[group]));

    dumb->aside[line] = true;
    if (dumb->lines[group].length == 0) {
        g_queue_pop_head(&dumb->groups);
    }
}

static void random_step(Turns *turns, Dumb *dumb, Rng *rng, GQueue *absent)
{
    uint32_t line = rng_below(rng, LINES);
    uint32_t group = turns_group(turns);
    uint32_t what = rng_below(rng, 10);

    if (what < 3 && absent->length > 0) {
        uint32_t waiter = unbox(g_queue_pop_head(absent));

        turns_wait(turns, line, waiter);
        g_queue_push_tail(&dumb->waiters[line], box(waiter));
        if (dumb->waiters[line].length == 1) {
            dumb_join(dumb, line);
        }
    } else if (what < 5) {
        turns_call_back(turns, line);
        if (dumb->aside[line]) {
            dumb->aside[line] = false;
            dumb_join(dumb, line);
        }
    } else if (group != TURNS_NONE && what < 6) {
        turns_set_aside(turns, group);
        dumb_set_aside(dumb);
    } else if (group != TURNS_NONE && what < 8) {
        turns_pass(turns, group);
        dumb_step(dumb, false);
    } else if (group != TURNS_NONE) {
        g_queue_push_tail(absent, box(turns_leave(turns, group)));
        dumb_step(dumb, true);
    }
}

/* Whose turn it is, and how long each has waited for it. */
static void test_bound(void)
{
    Rng rng = { drive_seed() };
    GQueue absent = G_QUEUE_INIT;
    Dumb dumb = { 0 };
    Turns turns;

    turns_init(&turns, WAITERS, GROUPS, LINES, 3);
    for (uint32_t i = 0; i < WAITERS; i++) {
        g_queue_push_tail(&absent, box(i));
    }
    for (unsigned i = 0; i < 300000; i++) {
        const GList *head = dumb.groups.head;

        if (head == NULL) {
            g_assert_cmpuint(turns_group(&turns), ==, TURNS_NONE);
        } else {
            uint32_t group = unbox(head->data);
            uint32_t line = unbox(dumb.lines[group].head->data);

            g_assert_cmpuint(turns_group(&turns), ==, group);
            g_assert_cmpuint(turns_waiter(&turns, group), ==,
                             unbox(dumb.waiters[line].head->data));
        }
        for (uint32_t g = 0; g < GROUPS; g++) {
            g_assert_cmpint(turns_group_waits(&turns, g), ==,
                            dumb.lines[g].length > 0);
        }
        random_step(&turns, &dumb, &rng, &absent);
    }
    g_queue_clear(&absent);
    g_queue_clear(&dumb.groups);
    for (uint32_t i = 0; i < LINES; i++) {
        g_queue_clear(&dumb.lines[i % GROUPS]);
        g_queue_clear(&dumb.waiters[i]);
    }
    turns_destroy(&turns);
}

/* --- The buffer ------------------------------------------------------------ */

#define ONE "channels=1 program-registers=1 "

/* Take the next completion. Return: when it was. */
static uint64_t next_done(Drive *d, uint32_t *tag)
{
    SsdDone done;

    do {
        g_assert_cmpuint(ssd_next_at_ns(d->ssd), !=, UINT64_MAX);
        d->now_ns = MAX(d->now_ns, ssd_next_at_ns(d->ssd));
    } while (!ssd_poll(d->ssd, d->now_ns, &done, 1));
    *tag = done.tag;
    return done.due_at_ns;
}

/* Return: when a command completes, whatever else does until then. */
static uint64_t done_at_ns(Drive *d, uint32_t wanted)
{
    uint64_t at_ns;
    uint32_t tag;

    do {
        at_ns = next_done(d, &tag);
    } while (tag != wanted);
    return at_ns;
}

static Drive *turns_drive(const char *words, bool take_turns)
{
    g_autofree char *all = g_strconcat(words, take_turns ? " take-turns=on"
                                                         : "", NULL);

    return drive_new(all);
}

/* Zone 0 has no room left in its share; zone 1 need not wait for that. */
static void test_full_zone(void)
{
    for (int on = 0; on < 2; on++) {
        Drive *d = turns_drive(ONE "write-buffer=256K zone-buffer=36K "
                               "fe-read-ns=100", on);
        uint32_t a, b, c, read;

        drive_write(d, 0, 0, 8);
        a = drive_write(d, 0, 8, 4);
        b = drive_write(d, 0, 12, 1);
        c = drive_write(d, 0, 16, 1);
        read = drive_read(d, 0, 8, 1); /* from the buffer */
        if (on) {
            g_assert_cmpuint(done_at_ns(d, c), ==, 0);
            drive_expect(d, read, 100);
        }
        /*
         * The first comes in when 3 pages of the zone have left, the second with
         * one more; zone 1's page, if it is there, is the third of the unit's.
         * Then the front end goes on, if it was held up.
         */
        g_assert_cmpuint(done_at_ns(d, a), ==, (3 + on) * PAGE);
        g_assert_cmpuint(done_at_ns(d, b), ==, (4 + on) * PAGE);
        if (!on) {
            g_assert_cmpuint(done_at_ns(d, c), ==, 4 * PAGE);
            drive_expect(d, read, 4 * PAGE + 100);
        }
        drive_expect_idle(d);
        drive_free(d);
    }
}

/*
 * Eight pages for all. From 16 pages on, each portion waits for those of eight
 * more: they go to the namespaces in turn, and to the zones of one in turn.
 */
static void test_full_buffer(void)
{
    for (int on = 0; on < 2; on++) {
        Drive *d = turns_drive(ONE "namespaces=2 write-buffer=64K", on);
        uint32_t a, b, c;

        drive_write(d, 0, 0, 16);
        a = drive_write(d, 1, 16, 16);
        d->nsid = 2;
        b = drive_write(d, 1, 0, 16);
        c = drive_write(d, 1, 16, 8);
        if (on) {
            /* One of a, of b, of a, of c, of b. */
            g_assert_cmpuint(done_at_ns(d, a), ==, 24 * PAGE);
            g_assert_cmpuint(done_at_ns(d, c), ==, 32 * PAGE);
            g_assert_cmpuint(done_at_ns(d, b), ==, 40 * PAGE);
        } else {
            g_assert_cmpuint(done_at_ns(d, a), ==, 16 * PAGE);
            g_assert_cmpuint(done_at_ns(d, b), ==, 32 * PAGE);
            g_assert_cmpuint(done_at_ns(d, c), ==, 40 * PAGE);
        }
        drive_drain(d);
        drive_free(d);
    }
}

/*
 * A large write waits for room as long as that takes: small ones do not take
 * it away, and go on behind.
 */
static void test_small_and_large(void)
{
    Drive *d = turns_drive(ONE "namespaces=2 write-buffer=64K", true);
    uint32_t small[12], large;

    drive_write(d, 0, 0, 16);
    for (unsigned i = 0; i < 12; i++) {
        small[i] = drive_write(d, 1, 16 + i, 1);
    }
    d->nsid = 2;
    large = drive_write(d, 1, 0, 8);
    g_assert_cmpuint(done_at_ns(d, small[0]), ==, 1 * PAGE);
    g_assert_cmpuint(done_at_ns(d, large), ==, 9 * PAGE);
    for (unsigned i = 1; i < 12; i++) {
        g_assert_cmpuint(done_at_ns(d, small[i]), ==, (9 + i) * PAGE);
    }
    drive_drain(d);
    drive_free(d);
}

/* A reset of a zone whose line stands aside; the line goes on, in order. */
static void test_reset_aside(void)
{
    Drive *d = turns_drive(ONE "write-buffer=256K zone-buffer=36K erase-ns=0",
                           true);
    uint32_t held, more[2];

    drive_write(d, 0, 0, 8);
    held = drive_write(d, 0, 8, 8);
    drive_zone_op(d, 1, SSD_OP_ZONE_RESET, 0);
    more[0] = drive_write(d, 2, 0, 8);
    more[1] = drive_write(d, 2, 8, 1);
    /* Its data come in and are thrown away, as there is room. */
    g_assert_cmpuint(done_at_ns(d, held), ==, 1);
    g_assert_cmpuint(done_at_ns(d, more[0]), ==, 2);
    g_assert_cmpuint(done_at_ns(d, more[1]), ==, PAGE);
    /* All room is free again. */
    drive_zone_op(d, 100 * MS, SSD_OP_ZONE_RESET, 0);
    drive_drain(d);
    for (unsigned z = 0; z < 4; z++) {
        held = drive_write(d, d->now_ns, drive_zone_lba(d, z), 9);
        drive_expect(d, held, d->now_ns);
    }
    drive_free(d);
}

/* --- Read slots ------------------------------------------------------------ */

/*
 * One of three slots is kept for namespace 2: its first read comes in at once,
 * its second has the first slot that anyone leaves, because it is its turn.
 */
static void test_read_slots(void)
{
    static const char words[] = "channels=2 namespaces=2 zone-channels=1 "
                                "read-slots=3 fe-read-ns=100";
    const uint64_t t = 50 * MS;

    for (int on = 0; on < 2; on++) {
        Drive *d = turns_drive(words, on);
        uint32_t a[6], b[2];

        drive_fill(d, 0, 6);
        d->nsid = 2;
        drive_fill(d, 1, 2);
        d->nsid = 1;
        for (unsigned i = 0; i < 6; i++) {
            a[i] = drive_read(d, t, i, 1);
        }
        d->nsid = 2;
        b[0] = drive_read(d, t + 10000, 16, 1);
        b[1] = drive_read(d, t + 10000, 17, 1);
        if (on) {
            /* As alone; the other channel is its own. */
            g_assert_cmpuint(done_at_ns(d, a[0]), ==, t + 100 + READ + XFER);
            g_assert_cmpuint(done_at_ns(d, b[0]), ==,
                             t + 10000 + 100 + READ + XFER);
            g_assert_cmpuint(done_at_ns(d, a[1]), ==,
                             t + 100 + 2 * READ + XFER);
            g_assert_cmpuint(done_at_ns(d, b[1]), ==,
                             t + 10000 + 2 * (100 + READ + XFER));
        } else {
            /* Behind all six, of which three at a time are inside. */
            g_assert_cmpuint(done_at_ns(d, a[3]), ==,
                             t + 100 + 4 * READ + XFER);
            g_assert_cmpuint(done_at_ns(d, b[0]), ==,
                             t + 100 + 4 * READ + XFER + 100 + READ + XFER);
        }
        drive_drain(d);
        drive_free(d);
    }
}

/* The conventional namespace is one of them; so a slot of three is for all. */
static void test_conventional_slot(void)
{
    Drive *d = turns_drive("channels=2 zone-channels=1 conventional-size=64K "
                           "read-slots=2 fe-read-ns=100 read-ns=200000", true);
    uint32_t a[4], b[2];

    for (unsigned i = 0; i < 4; i++) {
        a[i] = drive_read(d, 0, i, 1); /* nothing is there: no flash time */
    }
    d->nsid = 2;
    b[0] = drive_read(d, 0, 0, 1);
    b[1] = drive_read(d, 0, 1, 1);
    /* Handed off: a0, b0 were let in; then each time one of either. */
    drive_expect(d, a[0], 100);
    drive_expect(d, b[0], 200);
    drive_expect(d, a[1], 300);
    drive_expect(d, b[1], 400);
    drive_expect(d, a[2], 500);
    drive_expect(d, a[3], 600);
    drive_expect_idle(d);
    drive_free(d);
}

/*
 * The slot of a namespace's only read is for its next one, though others had the
 * turn; and nobody else's when there is no next one.
 */
static void test_own_slot(void)
{
    Drive *d = turns_drive("namespaces=2 read-slots=2 fe-read-ns=100", true);
    const uint64_t t = 50 * MS;
    uint32_t a[3], b[3];

    drive_fill(d, 0, 1);
    for (unsigned round = 0; round < 2; round++) {
        uint64_t at_ns = t + round * MS;

        d->nsid = 1;
        for (unsigned i = 0; i < 3; i++) {
            a[i] = drive_read(d, at_ns, 0, 1);
        }
        d->nsid = 2;
        for (unsigned i = 0; i < 1 + 2 * round; i++) {
            b[i] = drive_read(d, at_ns, i, 1); /* nothing is there */
        }
        for (unsigned i = 0; i < 1 + 2 * round; i++) {
            drive_expect(d, b[i], at_ns + 200 + i * 100);
        }
        for (unsigned i = 0; i < 3; i++) {
            drive_expect(d, a[i], at_ns + (i + 1) * (100 + READ + XFER));
        }
        drive_expect_idle(d);
    }
    drive_free(d);
}

/* In a namespace, zones take turns, too. */
static void test_zones_read_in_turn(void)
{
    Drive *d = turns_drive("read-slots=1 fe-read-ns=100", true);
    uint32_t a[4], b[2];

    for (unsigned i = 0; i < 4; i++) {
        a[i] = drive_read(d, 0, i, 1);
    }
    b[0] = drive_read(d, 0, 16, 1);
    b[1] = drive_read(d, 0, 17, 1);
    drive_expect(d, a[0], 100);
    drive_expect(d, a[1], 200);
    drive_expect(d, b[0], 300);
    drive_expect(d, a[2], 400);
    drive_expect(d, b[1], 500);
    drive_expect(d, a[3], 600);
    drive_free(d);
}

/* --- Tenants --------------------------------------------------------------- */

#define STEPS 60

/*
 * The second namespace, on channels of its own: a write of a page, then a read of
 * the one before, each when the other is done, and then a pause. With a flood of
 * the first: a zone that is always full, and reads of another. Return: when each
 * was done.
 */
static GArray *tenant(const char *words, bool take_turns, bool flooded)
{
    Drive *d = turns_drive(words, take_turns);
    GArray *times = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    drive_fill(d, 1, 16);
    d->now_ns = 100 * MS;
    for (unsigned i = 0; flooded && i < 32; i++) {
        if (i < 16) {
            drive_write(d, d->now_ns, i, 1);
        }
        drive_read(d, d->now_ns, 16 + i % 16, 1);
    }
    d->nsid = 2;
    for (unsigned i = 0; i < STEPS; i++) {
        uint64_t at_ns = MAX((100 + i) * MS, d->now_ns), done_ns;
        uint64_t lba = drive_zone_lba(d, 2) + i / 2;

        done_ns = done_at_ns(d, i % 2 == 0 ? drive_write(d, at_ns, lba, 1)
                                           : drive_read(d, at_ns, lba, 1)) -
                  at_ns;
        g_array_append_val(times, done_ns);
    }
    drive_drain(d);
    drive_free(d);
    return times;
}

/* With turns, a tenant beside another has exactly the times that it has alone. */
static void test_tenants(void)
{
    static const char words[] =
        "zones=8 namespaces=2 channels=4 zone-channels=1 program-registers=1 "
        "write-buffer=256K zone-buffer=36K read-slots=4 page-size=4K";
    g_autoptr(GArray) alone = tenant(words, true, false);
    g_autoptr(GArray) beside = tenant(words, true, true);
    g_autoptr(GArray) alone_off = tenant(words, false, false);
    g_autoptr(GArray) beside_off = tenant(words, false, true);

    for (guint i = 0; i < STEPS; i++) {
        uint64_t time_ns = g_array_index(alone, uint64_t, i);

        g_assert_cmpuint(g_array_index(beside, uint64_t, i), ==, time_ns);
        g_assert_cmpuint(g_array_index(alone_off, uint64_t, i), ==, time_ns);
    }
    /* Without, the first write waits until the full zone has some room. */
    g_assert_cmpuint(g_array_index(alone, uint64_t, 0), ==, 0);
    g_assert_cmpuint(g_array_index(beside_off, uint64_t, 0), >=, 6 * PAGE);
}

/* --- Nobody waits for ever -------------------------------------------------- */

static const char *const tight[] = {
    "zones=6 max-open=2 max-active=2 write-buffer=40K zone-buffer=36K",
    "zones=6 namespaces=3 max-open=1 max-active=1 write-buffer=44K "
    "read-slots=3",
    "zones=6 namespaces=2 max-open=1 max-active=1 page-size=16K "
    "write-buffer=64K zone-buffer=48K read-slots=3 conventional-size=256K",
    "zones=4 namespaces=2 max-open=2 max-active=2 multi-plane=on planes=2 "
    "write-buffer=64K buffer-release-ns=200000 reset-drains=on "
    "reset-lock-ns=100000 link-in-ns=9000000 read-slots=2 fe-write-ns=1000",
};

static SsdCmd random_cmd(Rng *rng, const Drive *d)
{
    static const SsdOp ops[] = {
        SSD_OP_WRITE, SSD_OP_APPEND, SSD_OP_READ, SSD_OP_VERIFY,
        SSD_OP_ZONE_RESET, SSD_OP_ZONE_FINISH, SSD_OP_FLUSH,
    };
    uint32_t nsid = 1 + rng_below(rng, ssd_ns_count(d->ssd));
    SsdNsInfo ns = ssd_ns_info(d->ssd, nsid);
    uint32_t what = rng_below(rng, 100);
    SsdCmd cmd = {
        .op = ops[what < 45 ? 0 : what < 65 ? 1 : what < 80 ? 2 :
                  what < 85 ? 3 : what < 94 ? 4 : what < 97 ? 5 : 6],
        .nsid = nsid,
        .nlb = 1 + rng_below(rng, 16),
        .slba = rng_below(rng, ns.size_nlb - 16),
    };

    if (ns.kind == SSD_NS_ZONED && cmd.op != SSD_OP_READ &&
        cmd.op != SSD_OP_VERIFY) {
        SsdZone zone = ssd_zone(d->ssd, nsid, rng_below(rng, ns.zones));

        cmd.slba = cmd.op == SSD_OP_WRITE && zone.state != SSD_ZONE_FULL
                   ? zone.wp_lba : zone.start_lba;
    }
    return cmd;
}

/*
 * All that came in goes out, in a time that its work explains: each page takes
 * its unit for PAGE at most, and a reset of so small a zone no more than 20 ms.
 */
static void test_for_ever(gconstpointer words)
{
    g_autofree char *all = g_strconcat(ONE "take-turns=on ", words, NULL);
    Rng rng = { drive_seed() };
    Drive *d = drive_new(all);
    unsigned accepted_count = 0;

    for (unsigned round = 0; round < 200; round++) {
        uint64_t from_ns = d->now_ns;
        unsigned count = 1 + rng_below(&rng, 120);

        for (unsigned i = 0; i < count; i++) {
            SsdCmd cmd = random_cmd(&rng, d);

            accepted_count += ssd_submit(d->ssd, d->now_ns, &cmd, i).status ==
                              SSD_SUCCESS;
            d->now_ns += rng_chance(&rng, 30) ? rng_below(&rng, 2 * MS) : 0;
            while (ssd_poll(d->ssd, d->now_ns, &(SsdDone) { 0 }, 1)) {
            }
        }
        while (ssd_inflight(d->ssd) > 0) {
            uint32_t tag;

            next_done(d, &tag);
        }
        g_assert_cmpuint(d->now_ns, <, from_ns + count * (20 * MS + 17 * PAGE));
    }
    g_assert_cmpuint(accepted_count, >, 2000);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/turns/one-line", test_one_line);
    g_test_add_func("/turns/groups", test_groups);
    g_test_add_func("/turns/bound", test_bound);
    g_test_add_func("/turns/buffer/full-zone", test_full_zone);
    g_test_add_func("/turns/buffer/full-buffer", test_full_buffer);
    g_test_add_func("/turns/buffer/small-and-large", test_small_and_large);
    g_test_add_func("/turns/buffer/reset-aside", test_reset_aside);
    g_test_add_func("/turns/reads/slots", test_read_slots);
    g_test_add_func("/turns/reads/conventional", test_conventional_slot);
    g_test_add_func("/turns/reads/own-slot", test_own_slot);
    g_test_add_func("/turns/reads/zones", test_zones_read_in_turn);
    g_test_add_func("/turns/tenants", test_tenants);
    for (unsigned i = 0; i < G_N_ELEMENTS(tight); i++) {
        g_autofree char *path = g_strdup_printf("/turns/for-ever/%u", i);

        g_test_add_data_func(path, tight[i], test_for_ever);
    }
    return g_test_run();
}
