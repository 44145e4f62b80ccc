/*
 * Drives from the whole declared range of every parameter (any_params.h) under
 * the worst that a host can do: everything accepted completes, in order, by an
 * instant that no overflow has cut short, and nothing inside is ever more than
 * the drive has room for, which flash.c, event_heap.c and jobs.c assert.
 *
 *   FEMU_SEED=n         the first drive's number (1)
 *   FEMU_DRIVES=n       how many (200)
 *   FEMU_COMMANDS=n     commands of a scene at most (200)
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only, and what
 * params_bounds.h states.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "support/any_params.h"
#include "support/drive.h"
#include "params_bounds.h"

/* More would take hours. */
static const AnyLimits limits = {
    .zone_programs = 512,
    .reset_steps = 1 << 14,
    .least_idle_ns = 100000,
};

/* The clock starts 100 days after the drive's, short of them by a while. */
#define START_NS (UINT64_C(100) * 24 * 3600 * 1000000000)

/* No drive of these takes so long for a scene; what wraps around, does. */
#define LONGEST_NS (UINT64_C(1) << 61)

typedef struct Totals {
    uint64_t drives;
    uint64_t commands;
    uint64_t rejected;
    uint64_t longest_commands; /* of a drive, ... */
    uint64_t longest_ns;       /* ... and in its time */
} Totals;

typedef struct Run {
    Ssd *ssd;
    SsdParams p;
    Rng rng;
    uint64_t now_ns;
    uint64_t last_due_ns;
    uint64_t accepted;
    uint64_t rejected;
    uint64_t done;
    unsigned commands; /* of a scene */
    uint32_t nsid;     /* of it */
    SsdNsInfo ns;
} Run;

/* --- Time and completions ------------------------------------------------- */

static void check_done(Run *r, const SsdDone *done)
{
    g_assert_cmphex(done->status, ==, SSD_SUCCESS);
    g_assert_cmpuint(done->due_at_ns, >=, done->submitted_at_ns);
    g_assert_cmpuint(done->due_at_ns, >=, r->last_due_ns);
    g_assert_cmpuint(done->due_at_ns, <=, r->now_ns);
    r->last_due_ns = done->due_at_ns;
    r->done++;
}

static void poll(Run *r)
{
    SsdDone dones[64];
    unsigned count;

    do {
        count = ssd_poll(r->ssd, r->now_ns, dones, G_N_ELEMENTS(dones));
        for (unsigned i = 0; i < count; i++) {
            check_done(r, &dones[i]);
        }
    } while (count == G_N_ELEMENTS(dones));
    g_assert_cmpuint(ssd_inflight(r->ssd), ==, r->accepted - r->done);
}

/* Somebody is inside, so there is a next instant, and it is ahead. */
static void go_on(Run *r)
{
    uint64_t next_at_ns = ssd_next_at_ns(r->ssd);

    g_assert_cmpuint(next_at_ns, !=, UINT64_MAX);
    g_assert_cmpuint(next_at_ns, <, LONGEST_NS);
    r->now_ns = MAX(r->now_ns, next_at_ns);
    poll(r);
}

static void drain(Run *r)
{
    while (ssd_inflight(r->ssd)) {
        go_on(r);
    }
    g_assert_true(ssd_has_room(r->ssd));
}

/* --- Commands ------------------------------------------------------------- */

/* Return: was it accepted? */
static bool submit(Run *r, const SsdCmd *what)
{
    SsdCmd cmd = *what;
    bool accepted;

    cmd.nsid = r->nsid;
    while (!ssd_has_room(r->ssd)) {
        go_on(r);
    }
    accepted = ssd_submit(r->ssd, r->now_ns, &cmd, 0).status == SSD_SUCCESS;
    r->accepted += accepted;
    r->rejected += !accepted;
    return accepted;
}

static uint32_t any_zone(Run *r)
{
    return rng_below(&r->rng, MIN(r->ns.zones, 1 + r->commands));
}

static uint64_t zone_lba(const Run *r, uint32_t zone_idx)
{
    return zone_idx * r->ns.zone_size_nlb;
}

static void zone_op(Run *r, SsdOp op, uint32_t zone_idx)
{
    submit(r, &(SsdCmd) { .op = op, .slba = zone_lba(r, zone_idx) });
}

static void all_zones(Run *r, SsdOp op)
{
    submit(r, &(SsdCmd) { .op = op, .select_all = true });
}

static uint32_t most_nlb(const Run *r)
{
    return r->p.mdts_bytes / r->ns.lba_bytes;
}

/* At the write pointer, up to `nlb` blocks, as many as there is space for. */
static bool write_zone(Run *r, SsdOp op, uint32_t zone_idx, uint64_t nlb)
{
    SsdZone zone = ssd_zone(r->ssd, r->nsid, zone_idx);
    uint64_t left_nlb = zone.start_lba + zone.capacity_nlb - zone.wp_lba;
    bool is_append = op == SSD_OP_APPEND;

    if (is_append) {
        nlb = MIN(nlb, r->p.zasl_bytes / r->ns.lba_bytes);
    }
    return submit(r, &(SsdCmd) {
        .op = op, .slba = is_append ? zone.start_lba : zone.wp_lba,
        .nlb = MIN(nlb, left_nlb),
    });
}

static void reset_all(Run *r)
{
    drain(r);
    all_zones(r, SSD_OP_ZONE_RESET);
    drain(r);
}

/* --- Scenes in a zoned namespace ------------------------------------------ */

static void flood_one_zone(Run *r)
{
    for (unsigned i = 0; i < r->commands; i++) {
        write_zone(r, i % 2 ? SSD_OP_APPEND : SSD_OP_WRITE, 0, 1);
    }
    submit(r, &(SsdCmd) { .op = SSD_OP_FLUSH });
}

static void flood_many_zones(Run *r)
{
    for (unsigned i = 0; i < r->commands; i++) {
        write_zone(r, SSD_OP_APPEND, any_zone(r),
                   1 + rng_below(&r->rng, most_nlb(r)));
        if (i % 16 == 0) {
            submit(r, &(SsdCmd) { .op = SSD_OP_FLUSH });
        }
    }
}

/* Every slot has as much as a command can have. */
static void write_most(Run *r)
{
    for (unsigned i = 0; i < r->commands; i++) {
        write_zone(r, i % 4 ? SSD_OP_WRITE : SSD_OP_WRITE_ZEROES,
                   i % MIN(r->ns.zones, 8), most_nlb(r));
    }
}

/* The same block, the same page, and from its middle on. */
static void read_one_place(Run *r)
{
    static const SsdOp ops[] = {
        SSD_OP_READ, SSD_OP_VERIFY, SSD_OP_COMPARE,
    };
    uint64_t nlb = MIN(most_nlb(r), r->ns.kind == SSD_NS_ZONED
                                    ? r->ns.zone_capacity_nlb
                                    : r->ns.size_nlb);

    submit(r, &(SsdCmd) { .op = SSD_OP_WRITE, .nlb = nlb });
    drain(r);
    for (unsigned i = 0; i < r->commands; i++) {
        submit(r, &(SsdCmd) {
            .op = ops[i % G_N_ELEMENTS(ops)], .slba = i % 3,
            .nlb = i % 5 ? 1 : nlb,
        });
    }
}

/* 128 ranges of blocks that lie apart, each of which may touch two pages. */
static void copy_scattered(Run *r)
{
    SsdRange ranges[128];
    uint32_t nlb = MAX(most_nlb(r) / G_N_ELEMENTS(ranges), 1);
    uint32_t count = MIN(most_nlb(r), G_N_ELEMENTS(ranges));
    uint64_t stride_nlb = MAX(r->ns.zone_capacity_nlb / 130, nlb);

    write_zone(r, SSD_OP_WRITE, 0, most_nlb(r));
    write_zone(r, SSD_OP_WRITE, 0, most_nlb(r));
    drain(r);
    for (unsigned i = 0; i < r->commands / 8; i++) {
        for (uint32_t k = 0; k < count; k++) {
            ranges[k] = (SsdRange) { k * stride_nlb, nlb };
        }
        if (r->ns.zones > 1) {
            SsdZone zone = ssd_zone(r->ssd, r->nsid, 1 + i % 2 %
                                    (r->ns.zones - 1));

            submit(r, &(SsdCmd) {
                .op = SSD_OP_COPY, .slba = zone.wp_lba, .ranges = ranges,
                .range_count = count,
            });
            write_zone(r, SSD_OP_WRITE, 1, 3);
        }
    }
}

static void finish_at_once(Run *r)
{
    unsigned count = MIN(r->commands, r->ns.zones);

    for (unsigned i = 0; i < count && i < 64; i++) {
        write_zone(r, SSD_OP_WRITE, i, 1);
        zone_op(r, SSD_OP_ZONE_FINISH, i);
        if (i % 4 == 3) {
            zone_op(r, SSD_OP_ZONE_RESET, i);
        }
    }
}

/* One after another, and all at once, beside writes. */
static void reset_in_a_row(Run *r)
{
    unsigned count = r->commands / (r->p.reset_steps ? 8 : 1);

    for (unsigned i = 0; i < count; i++) {
        write_zone(r, SSD_OP_WRITE, i % MIN(r->ns.zones, 3),
                   1 + i % most_nlb(r));
        zone_op(r, SSD_OP_ZONE_RESET, i % MIN(r->ns.zones, 3));
    }
}

static void select_all(Run *r)
{
    static const SsdOp ops[] = {
        SSD_OP_ZONE_OPEN, SSD_OP_ZONE_CLOSE, SSD_OP_ZONE_OPEN,
        SSD_OP_ZONE_FINISH, SSD_OP_ZONE_RESET, SSD_OP_ZONE_OFFLINE,
    };
    unsigned count = MIN(r->commands, r->ns.zones);

    for (unsigned i = 0; i < count && i < 64; i++) {
        write_zone(r, SSD_OP_WRITE, i, 1 + i);
        zone_op(r, SSD_OP_ZONE_CLOSE, i);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(ops); i++) {
        all_zones(r, ops[i]);
        write_zone(r, SSD_OP_WRITE, 0, 1);
        all_zones(r, SSD_OP_ZONE_RESET);
    }
}

/* As far ahead as a ZRWA lets: what it leaves is committed. */
static void write_zrwa(Run *r)
{
    uint64_t zrwa_nlb = r->p.zrwa_bytes / r->ns.lba_bytes;

    for (unsigned i = 0; i < r->commands; i++) {
        uint32_t zone_idx = any_zone(r);
        SsdZone zone = ssd_zone(r->ssd, r->nsid, zone_idx);

        zone_op(r, SSD_OP_ZONE_OPEN_ZRWA, zone_idx);
        submit(r, &(SsdCmd) {
            .op = SSD_OP_WRITE, .nlb = MIN(zrwa_nlb, most_nlb(r)),
            .slba = zone.wp_lba + (i % 2 ? zrwa_nlb : rng_below(&r->rng, 4)),
        });
        submit(r, &(SsdCmd) {
            .op = SSD_OP_ZONE_FLUSH_ZRWA,
            .slba = zone.wp_lba + MAX(zrwa_nlb, 1) - 1,
        });
    }
}

/* All zones that may be open are, until the controller finishes them. */
static void excurse(Run *r)
{
    uint64_t until_ns = r->now_ns + r->p.excursion_ns + 1;
    unsigned count = MIN(r->ns.zones, 64);
    uint32_t nsid, zone_idx;

    for (unsigned i = 0; i < count; i++) {
        zone_op(r, SSD_OP_ZONE_OPEN, i);
        write_zone(r, SSD_OP_WRITE, i, 1);
    }
    drain(r);
    if (r->p.excursion_ns) {
        r->now_ns = MAX(r->now_ns, until_ns);
        poll(r);
    }
    for (unsigned i = 0; i < count; i++) {
        zone_op(r, SSD_OP_ZONE_RESET, i);
        write_zone(r, SSD_OP_WRITE, i, 1);
        while (ssd_poll_zone(r->ssd, r->now_ns, &nsid, &zone_idx)) {
            g_assert_cmpuint(nsid, <=, r->p.namespaces);
        }
    }
}

/* Zones fail under their writes; a format makes all but these as new. */
static void fail_and_format(Run *r)
{
    for (unsigned i = 0; i < r->commands / 4; i++) {
        uint32_t zone_idx = any_zone(r);

        write_zone(r, SSD_OP_WRITE, zone_idx, 1 + i % most_nlb(r));
        if (i % 16 == 5 && r->ns.zones > 16) {
            ssd_zone_fail(r->ssd, r->now_ns, r->nsid, zone_idx,
                          i % 32 == 5 ? SSD_ZONE_READ_ONLY
                                      : SSD_ZONE_OFFLINE);
        }
        zone_op(r, i % 2 ? SSD_OP_ZONE_FINISH : SSD_OP_ZONE_RESET, zone_idx);
    }
    reset_all(r);
    ssd_format(r->ssd, r->now_ns, r->nsid,
               r->ns.lba_bytes == 512 ? 4096 : 512, NULL);
}

/* --- Scenes in a conventional namespace ----------------------------------- */

/* Anywhere, in all sizes, so that lines are cleaned. */
static void overwrite(Run *r)
{
    static const SsdOp ops[] = {
        SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_READ, SSD_OP_WRITE_ZEROES,
        SSD_OP_COMPARE, SSD_OP_FLUSH,
    };
    uint64_t within_nlb = MIN(r->ns.size_nlb, 4 * UINT64_C(1000000));

    for (unsigned i = 0; i < 4 * r->commands; i++) {
        uint64_t slba = rng_below(&r->rng, within_nlb);
        uint64_t nlb = 1 + rng_below(&r->rng, i % 8 ? 8 : most_nlb(r));

        submit(r, &(SsdCmd) {
            .op = ops[i % G_N_ELEMENTS(ops)], .slba = slba,
            .nlb = MIN(nlb, r->ns.size_nlb - slba),
        });
    }
}

static void copy_granules(Run *r)
{
    SsdRange ranges[256];
    uint32_t count = MIN(most_nlb(r), 128);
    uint32_t nlb = most_nlb(r) / count;

    if (r->ns.size_nlb <= most_nlb(r)) {
        return;
    }
    for (unsigned i = 0; i < r->commands / 8; i++) {
        for (uint32_t k = 0; k < G_N_ELEMENTS(ranges); k++) {
            ranges[k] = (SsdRange) {
                rng_below(&r->rng, r->ns.size_nlb - nlb), nlb,
            };
        }
        submit(r, &(SsdCmd) {
            .op = SSD_OP_COPY, .ranges = ranges, .range_count = count,
            .slba = rng_below(&r->rng, r->ns.size_nlb - nlb * count),
        });
        submit(r, &(SsdCmd) {
            .op = SSD_OP_DEALLOCATE, .ranges = ranges,
            .range_count = G_N_ELEMENTS(ranges),
        });
    }
}

/* --- A drive -------------------------------------------------------------- */

static void (*const zoned_scenes[])(Run *) = {
    flood_one_zone, flood_many_zones, write_most, read_one_place,
    copy_scattered, finish_at_once, reset_in_a_row, select_all, write_zrwa,
    excurse, fail_and_format,
};

static void (*const conventional_scenes[])(Run *) = {
    overwrite, copy_granules, read_one_place,
};

static void take_namespace(Run *r, uint32_t nsid)
{
    r->nsid = nsid;
    r->ns = ssd_ns_info(r->ssd, nsid);
}

/* All scenes in an order of the drive's; then some beside each other. */
static void play(Run *r)
{
    uint32_t last_nsid = ssd_ns_count(r->ssd);

    for (unsigned i = 0; i < 2 * G_N_ELEMENTS(zoned_scenes); i++) {
        unsigned scene = i < G_N_ELEMENTS(zoned_scenes)
                         ? i : rng_below(&r->rng, G_N_ELEMENTS(zoned_scenes));

        take_namespace(r, 1 + rng_below(&r->rng, r->p.namespaces));
        zoned_scenes[scene](r);
        if (i < G_N_ELEMENTS(zoned_scenes)) {
            reset_all(r);
        }
        if (r->p.conventional_bytes) {
            take_namespace(r, last_nsid);
            conventional_scenes[i % G_N_ELEMENTS(conventional_scenes)](r);
        }
        if (i < G_N_ELEMENTS(zoned_scenes) / 2) {
            drain(r);
        }
    }
    drain(r);
}

static void end_of_drive(Run *r, Totals *totals)
{
    uint64_t ran_ns = r->now_ns - START_NS;

    g_assert_cmpuint(r->accepted, ==, r->done);
    totals->drives++;
    totals->commands += r->accepted;
    totals->rejected += r->rejected;
    totals->longest_commands = MAX(totals->longest_commands, r->accepted);
    totals->longest_ns = MAX(totals->longest_ns, ran_ns);
}

static void play_drive(const SsdParams *p, uint64_t seed, unsigned commands,
                       Totals *totals)
{
    Run r = {
        .p = *p,
        .rng = { seed },
        .now_ns = START_NS,
        .commands = commands,
    };

    r.ssd = ssd_new(p);
    play(&r);
    end_of_drive(&r, totals);
    ssd_free(r.ssd);
}

static uint64_t number_of(const char *name, uint64_t usual)
{
    const char *text = g_getenv(name);

    return text ? g_ascii_strtoull(text, NULL, 0) : usual;
}

/* The line that runs the drive again, before it runs. */
static void say_drive(uint64_t seed)
{
    if (g_test_verbose()) {
        g_test_message("drive %" PRIu64 "; again: FEMU_SEED=%" PRIu64
                       " FEMU_DRIVES=1", seed, seed);
    }
}

/* Each PARTS-th of the drives, from the part-th on: so no test is long. */
enum { PARTS = 4 };

static void test_drives(const void *part)
{
    uint64_t first = drive_seed();
    uint64_t drives = drive_count("FEMU_DRIVES", 200);
    unsigned commands = number_of("FEMU_COMMANDS", 200);
    Totals totals = { 0 };

    for (uint64_t seed = first + GPOINTER_TO_UINT(part);
         seed < first + drives; seed += PARTS) {
        SsdParams p = any_params(seed);

        any_params_cut(&p, &limits);
        say_drive(seed);
        play_drive(&p, seed, commands, &totals);
    }
    g_test_message("%" PRIu64 " drives, %" PRIu64 " commands completed, %"
                   PRIu64 " rejected; longest: %" PRIu64 " commands, %"
                   PRIu64 " s", totals.drives, totals.commands,
                   totals.rejected, totals.longest_commands,
                   totals.longest_ns / 1000000000);
}

/* --- Drives that had no room for what was inside -------------------------- */

/* A reset's steps on many units, of a drive of one slot. */
static void test_steps(void)
{
    Drive *d = drive_new("channels=64 ways=16 dies=4 zone-channels=1 "
                         "zone-ways=1 zone-dies=1 zone-size=1M cmd-slots=1 "
                         "mdts=8K reset-lock-ns=1000000 reset-steps=100 "
                         "reset-step-ns=100000");

    drive_write(d, 0, 0, 2);
    drive_drain(d);
    drive_zone_op(d, 50000000, SSD_OP_ZONE_RESET, 0);
    drive_drain(d);
    drive_free(d);
}

/* Short resets one after another, whose steps used to pile up at all units. */
static void test_short_resets(void)
{
    Drive *d = drive_new("page-size=16K channels=8 dies=4 cmd-slots=64 "
                         "reset-lock-ns=13800000 "
                         "reset-steps=19 reset-step-ns=105000 "
                         "reset-base-ns=1000");

    for (unsigned i = 0; i < 6000; i++) {
        drive_write(d, d->now_ns, 0, 1);
        drive_drain(d);
        drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, 0);
        drive_drain(d);
    }
    drive_free(d);
}

/* Streams that are given up with all of their lines on the way. */
static void test_streams_given_up(void)
{
    Drive *d = drive_new("read-ahead=16K read-ahead-streams=3 cmd-slots=2 "
                         "read-ahead-after=1 mdts=8K");

    for (uint32_t z = 0; z < 4; z++) {
        drive_fill(d, z, 16);
    }
    for (unsigned i = 0; i < 1000; i++) {
        drive_read(d, d->now_ns, i * 5 % 64, 1);
        drive_read(d, d->now_ns, (i * 5 + 1) % 64, 1);
        drive_drain(d);
    }
    drive_free(d);
}

/* The product of zones and a chunk's pages is 2^32. */
static void test_excursions_of_chunks(void)
{
    Drive *d = drive_new("zones=1048576 finish-chunk=16M excursion-ns=1000000 "
                         "cmd-slots=1");

    for (uint32_t i = 0; i < 20000; i++) {
        drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, i);
        drive_drain(d);
    }
    ssd_poll(d->ssd, 2000000, NULL, 0);
    drive_free(d);
}

/* Each has all blocks of its zone erased before its first program. */
static void test_excursions_that_erase(void)
{
    Drive *d = drive_new("zones=1000 zone-size=1M channels=64 page-size=16K "
                         "pages-per-block=8 excursion-ns=10000000000 "
                         "cmd-slots=1 mdts=8K erase-at=zone-write "
                         "full-erase=on");

    for (uint32_t i = 0; i < 1000; i++) {
        drive_write(d, d->now_ns, drive_zone_lba(d, i), 1);
        drive_drain(d);
        drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, i);
        drive_drain(d);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        drive_zone_op(d, d->now_ns, SSD_OP_ZONE_OPEN, i);
        drive_drain(d);
    }
    ssd_poll(d->ssd, d->now_ns + 10001000000, NULL, 0);
    drive_free(d);
}

/* --- The statements themselves, counted by hand --------------------------- */

/*
 * Too much is seen by no drive, and too little by few. Base: 2 units, 4 zones of
 * 16 pages of 4 KiB, 3 slots. With mdts=8K a command has at most 16 pieces of
 * 512 bytes, as a copy may; a job has a page and a block on each unit: 3; so
 * 3 x 16 of commands, 3 of a Select All, 2 in the background are 53. Jobs: 3 of
 * slots, 2 x 4 of zones, 1 in the background. Events: 4, 3 of slots, 2 of units,
 * and those of jobs.
 */
typedef struct Statement {
    const char *words;
    uint64_t operations;
    uint64_t events;
    uint32_t jobs;
    uint32_t excursion_jobs;
    const char *part;
} Statement;

static const Statement statements[] = {
    { "", 53, 21, 12, 0, "commands" },
    /* 64 KiB: 128 pieces; 3 x 128 + 3 + 2 */
    { "mdts=64K", 389, 21, 12, 0, "commands" },
    /* 256 pages and 2, as many blocks: more than 256 + 2 x 128 reads */
    { "mdts=1M zone-size=2M", 1553, 21, 12, 0, "commands" },
    /* ... and a row of a line, and 2, for cleaning */
    { "mdts=1M zone-size=2M conventional-size=1M", 1557, 21, 12, 0,
      "commands" },
    /* 4 pages and 4 blocks a job: 48 + 8 + 2 */
    { "finish-chunk=16K", 58, 21, 12, 0, "commands" },
    /* a zone's 16 and 16, in slots, too: 3 x 32 + 32 + 2 */
    { "finish-chunk=16M", 130, 21, 12, 0, "commands" },
    /* 48 + 5 x 3 + 5 x 2 */
    { "mgmt-parallel-zones=5", 73, 25, 16, 0, "commands" },
    /* 4 zones' jobs more; as many jobs again, and one for each zone */
    { "excursion-ns=1000", 65, 37, 28, 16, "commands" },
    /* a job has 2 blocks only; 2 x 3 registers of 2 units: 48 + 2 + 2 + 12 */
    { "write-buffer=128K program-registers=3", 64, 21, 12, 0, "commands" },
    /* ... and 2 blocks of each zone */
    { "write-buffer=128K program-registers=3 erase-at=zone-write", 72, 21, 12,
      0, "commands" },
    { "erase-at=zone-write", 53, 21, 12, 0, "commands" },
    /* one on each unit */
    { "reset-steps=7", 55, 21, 12, 0, "commands" },
    /* 8 + 1 pages more: 13 and their blocks; 3 x 26 + 3 + 2 */
    { "zrwa-size=32K max-zrwa=1", 83, 21, 12, 0, "commands" },
    /* 4 pages and 32 blocks; a job 1 + 32: 3 x 36 + 33 + 32 */
    { "channels=32", 173, 51, 12, 0, "commands" },
    { "program-pages=2", 53, 21, 12, 0, "commands" },
    /* 2 x 2 + 2 for cleaning */
    { "program-pages=2 conventional-size=1M", 59, 21, 12, 0, "commands" },
    /* 64 for the registers of the buffer, and 2 + 2 for cleaning */
    { "write-buffer=128K program-registers=3 conventional-size=1M "
      "conventional-buffer=on", 68, 21, 12, 0, "commands" },
    /* 53 and 64 x 3; jobs 3 + 2 x 64 + 1 = 132, and 132 + 64 */
    { "zones=64 excursion-ns=1", 245, 337, 328, 196,
      "excursions of all zones" },
    /* 4 streams of 16 lines */
    { "read-ahead=64K read-ahead-streams=4", 117, 21, 12, 0, "read-ahead" },
    { "mgmt-parallel-zones=64", 368, 84, 75, 0, "a Select All" },
};

static void test_statements(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(statements); i++) {
        const Statement *s = &statements[i];
        g_autofree char *words = g_strconcat(
            "cmd-slots=3 mgmt-parallel-zones=1 mdts=8K ", s->words, NULL);
        SsdParams p = drive_params(words);
        Bounds bounds = params_bounds(&p);

        g_test_message("%s", words);
        g_assert_cmpuint(bounds.operations, ==, s->operations);
        g_assert_cmpstr(bounds.most, ==, s->part);
        g_assert_cmpuint(bounds.events, ==, s->events);
        g_assert_cmpuint(bounds.jobs, ==, s->jobs);
        g_assert_cmpuint(bounds.excursion_jobs, ==, s->excursion_jobs);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/bounds/statements", test_statements);
    g_test_add_func("/bounds/steps", test_steps);
    g_test_add_func("/bounds/short-resets", test_short_resets);
    g_test_add_func("/bounds/streams-given-up", test_streams_given_up);
    g_test_add_func("/bounds/excursions/chunks", test_excursions_of_chunks);
    g_test_add_func("/bounds/excursions/erases", test_excursions_that_erase);
    for (unsigned part = 0; part < PARTS; part++) {
        g_autofree char *path = g_strdup_printf("/bounds/drives/%u", part);

        g_test_add_data_func(path, GUINT_TO_POINTER(part), test_drives);
    }
    return g_test_run();
}
