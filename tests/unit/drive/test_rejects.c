/*
 * Each mistake gets its own status, and a rejected command changes nothing:
 * no zone, no resource, no later time.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "support/drive.h"

/*
 * 4 zones of 16 blocks, 12 of them writable; MDTS 8 blocks, ZASL 4. Zone 0 has
 * 5 blocks, zone 1 is Full, zone 2 Closed with 10 blocks, zone 3 Empty.
 */
#define DRIVE "zones=4 zone-capacity=48K max-open=1 max-active=2 mdts=32K " \
              "zasl=16K"

static Drive *drive_prepared(void)
{
    Drive *d = drive_new(DRIVE);

    drive_fill(d, 2, 10);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_CLOSE, 2);
    drive_fill(d, 1, 12);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_OPEN, 0);
    drive_fill(d, 0, 5);
    drive_drain(d);
    return d;
}

typedef struct Mistake {
    const char *what;
    SsdCmd cmd;
    SsdStatus status;
} Mistake;

#define IO(o, s, n) { .op = SSD_OP_##o, .nsid = 1, .slba = (s), .nlb = (n) }
#define TO(id, o) { .op = SSD_OP_##o, .nsid = (id), .nlb = 1 }
#define COPY(s, n, ...) { .op = SSD_OP_COPY, .nsid = 1, .slba = (s), \
                          .range_count = (n), \
                          .ranges = (const SsdRange[129]) { __VA_ARGS__ } }

#define DROP(n, ...) { .op = SSD_OP_DEALLOCATE, .nsid = 1, \
                       .range_count = (n), \
                       .ranges = (const SsdRange[2]) { __VA_ARGS__ } }

static const Mistake mistakes[] = {
    { "write to namespace 0", TO(0, WRITE), SSD_INVALID_NAMESPACE_OR_FORMAT },
    { "read of the namespace after the last", TO(2, READ),
      SSD_INVALID_NAMESPACE_OR_FORMAT },
    { "reset in all namespaces", TO(SSD_NSID_ALL, ZONE_RESET),
      SSD_INVALID_NAMESPACE_OR_FORMAT },
    { "flush of a namespace that is none", TO(2, FLUSH),
      SSD_INVALID_NAMESPACE_OR_FORMAT },
    { "read of nothing", IO(READ, 0, 0), SSD_INVALID_FIELD },
    { "read above MDTS", IO(READ, 0, 9), SSD_INVALID_FIELD },
    { "read of 2^32 - 1 blocks", IO(READ, 0, UINT32_MAX), SSD_INVALID_FIELD },
    { "read behind the end", IO(READ, 64, 1), SSD_LBA_OUT_OF_RANGE },
    { "read across the end", IO(READ, 63, 2), SSD_LBA_OUT_OF_RANGE },
    { "read at the last LBA there is", IO(READ, UINT64_MAX, 1),
      SSD_LBA_OUT_OF_RANGE },
    { "read whose end wraps to 0", IO(READ, UINT64_MAX - 3, 4),
      SSD_LBA_OUT_OF_RANGE },
    { "read across zones", IO(READ, 15, 2), SSD_ZONE_BOUNDARY_ERROR },
    { "read across zones with data", IO(READ, 9, 8),
      SSD_ZONE_BOUNDARY_ERROR },
    { "write of nothing", IO(WRITE, 5, 0), SSD_INVALID_FIELD },
    { "write above MDTS", IO(WRITE, 48, 9), SSD_INVALID_FIELD },
    { "write behind the end", IO(WRITE, 64, 1), SSD_LBA_OUT_OF_RANGE },
    { "write across the end", IO(WRITE, 60, 5), SSD_LBA_OUT_OF_RANGE },
    { "write whose end wraps to 0", IO(WRITE, UINT64_MAX, 1),
      SSD_LBA_OUT_OF_RANGE },
    { "write below the write pointer", IO(WRITE, 4, 1),
      SSD_ZONE_INVALID_WRITE },
    { "write above the write pointer", IO(WRITE, 6, 1),
      SSD_ZONE_INVALID_WRITE },
    { "write at the start again", IO(WRITE, 0, 1), SSD_ZONE_INVALID_WRITE },
    { "write beyond the capacity", IO(WRITE, 5, 8),
      SSD_ZONE_BOUNDARY_ERROR },
    { "write into the gap", IO(WRITE, 12, 1), SSD_ZONE_BOUNDARY_ERROR },
    { "write across the gap", IO(WRITE, 11, 6), SSD_ZONE_BOUNDARY_ERROR },
    { "write to a full zone", IO(WRITE, 16, 1), SSD_ZONE_IS_FULL },
    { "write at a full zone's end", IO(WRITE, 28, 1), SSD_ZONE_IS_FULL },
    { "write beyond a full zone", IO(WRITE, 30, 4), SSD_ZONE_IS_FULL },
    { "write without resources", IO(WRITE, 48, 1),
      SSD_TOO_MANY_ACTIVE_ZONES },
    { "wrong write without resources", IO(WRITE, 49, 1),
      SSD_ZONE_INVALID_WRITE },
    { "write to a closed zone", IO(WRITE, 42, 1), SSD_TOO_MANY_OPEN_ZONES },
    { "append of nothing", IO(APPEND, 0, 0), SSD_INVALID_FIELD },
    { "append above ZASL", IO(APPEND, 0, 5), SSD_INVALID_FIELD },
    { "append above MDTS", IO(APPEND, 0, 9), SSD_INVALID_FIELD },
    { "append not at a start", IO(APPEND, 5, 1), SSD_INVALID_FIELD },
    { "append behind the end", IO(APPEND, 64, 1), SSD_LBA_OUT_OF_RANGE },
    { "append to a full zone", IO(APPEND, 16, 1), SSD_ZONE_IS_FULL },
    { "append without resources", IO(APPEND, 48, 1),
      SSD_TOO_MANY_ACTIVE_ZONES },
    { "append beyond the capacity", IO(APPEND, 32, 3),
      SSD_ZONE_BOUNDARY_ERROR },
    { "append to a closed zone", IO(APPEND, 32, 2),
      SSD_TOO_MANY_OPEN_ZONES },
    { "write zeroes above MDTS", IO(WRITE_ZEROES, 48, 9), SSD_INVALID_FIELD },
    { "write zeroes not at the write pointer", IO(WRITE_ZEROES, 4, 1),
      SSD_ZONE_INVALID_WRITE },
    { "write zeroes to a full zone", IO(WRITE_ZEROES, 16, 1),
      SSD_ZONE_IS_FULL },
    { "write zeroes without resources", IO(WRITE_ZEROES, 48, 1),
      SSD_TOO_MANY_ACTIVE_ZONES },
    { "verify of nothing", IO(VERIFY, 0, 0), SSD_INVALID_FIELD },
    { "verify above MDTS", IO(VERIFY, 0, 9), SSD_INVALID_FIELD },
    { "verify behind the end", IO(VERIFY, 64, 1), SSD_LBA_OUT_OF_RANGE },
    { "verify across zones", IO(VERIFY, 15, 2), SSD_ZONE_BOUNDARY_ERROR },
    { "compare above MDTS", IO(COMPARE, 0, 9), SSD_INVALID_FIELD },
    { "compare across zones", IO(COMPARE, 15, 2), SSD_ZONE_BOUNDARY_ERROR },
    { "copy of nothing", COPY(5, 0), SSD_INVALID_FIELD },
    { "copy of an empty range", COPY(5, 2, { 0, 1 }, { 1, 0 }),
      SSD_INVALID_FIELD },
    { "copy of too much", COPY(5, 2, { 0, 5 }, { 16, 4 }),
      SSD_COMMAND_SIZE_LIMIT_EXCEEDED },
    { "copy of 2^33 - 2 blocks", COPY(5, 2, { 0, UINT32_MAX },
      { 16, UINT32_MAX }), SSD_COMMAND_SIZE_LIMIT_EXCEEDED },
    { "copy from 129 ranges", COPY(5, 129), SSD_COMMAND_SIZE_LIMIT_EXCEEDED },
    { "copy from behind the end", COPY(5, 2, { 0, 1 }, { 64, 1 }),
      SSD_LBA_OUT_OF_RANGE },
    { "copy from across the end", COPY(5, 1, { 63, 2 }),
      SSD_LBA_OUT_OF_RANGE },
    { "copy from across zones", COPY(5, 1, { 15, 2 }),
      SSD_ZONE_BOUNDARY_ERROR },
    { "copy to behind the end", COPY(64, 1, { 0, 1 }), SSD_LBA_OUT_OF_RANGE },
    { "copy to a full zone", COPY(16, 1, { 0, 1 }), SSD_ZONE_IS_FULL },
    { "copy to below the write pointer", COPY(4, 1, { 0, 1 }),
      SSD_ZONE_INVALID_WRITE },
    { "copy to beyond the capacity", COPY(5, 2, { 0, 4 }, { 16, 4 }),
      SSD_ZONE_BOUNDARY_ERROR },
    { "copy without resources", COPY(48, 1, { 0, 1 }),
      SSD_TOO_MANY_ACTIVE_ZONES },
    { "copy to a closed zone", COPY(42, 1, { 0, 1 }),
      SSD_TOO_MANY_OPEN_ZONES },
    { "offline of an open zone", IO(ZONE_OFFLINE, 0, 0),
      SSD_INVALID_ZONE_STATE_TRANSITION },
    { "offline of a full zone", IO(ZONE_OFFLINE, 16, 0),
      SSD_INVALID_ZONE_STATE_TRANSITION },
    { "offline of a closed zone", IO(ZONE_OFFLINE, 32, 0),
      SSD_INVALID_ZONE_STATE_TRANSITION },
    { "offline of an empty zone", IO(ZONE_OFFLINE, 48, 0),
      SSD_INVALID_ZONE_STATE_TRANSITION },
    { "offline not at a start", IO(ZONE_OFFLINE, 1, 0), SSD_INVALID_FIELD },
    { "extension of an open zone", IO(ZONE_SET_EXTENSION, 0, 0),
      SSD_INVALID_ZONE_STATE_TRANSITION },
    { "extension of a full zone", IO(ZONE_SET_EXTENSION, 16, 0),
      SSD_INVALID_ZONE_STATE_TRANSITION },
    { "extension of a closed zone", IO(ZONE_SET_EXTENSION, 32, 0),
      SSD_INVALID_ZONE_STATE_TRANSITION },
    { "extension without resources", IO(ZONE_SET_EXTENSION, 48, 0),
      SSD_TOO_MANY_ACTIVE_ZONES },
    { "extension of all zones", { .op = SSD_OP_ZONE_SET_EXTENSION, .nsid = 1,
      .select_all = true }, SSD_INVALID_FIELD },
    { "report from behind the end", IO(ZONE_REPORT, 64, 0),
      SSD_LBA_OUT_OF_RANGE },
    { "report of more zones than there are", IO(ZONE_REPORT, 17, 4),
      SSD_INVALID_FIELD },
    { "an operation that is none", { .op = SSD_OP_COUNT, .nsid = 1 },
      SSD_INVALID_FIELD },
    { "open not at a start", IO(ZONE_OPEN, 1, 0), SSD_INVALID_FIELD },
    { "open behind the end", IO(ZONE_OPEN, 64, 0), SSD_LBA_OUT_OF_RANGE },
    { "open of a full zone", IO(ZONE_OPEN, 16, 0),
      SSD_INVALID_ZONE_STATE_TRANSITION },
    { "open of an empty zone", IO(ZONE_OPEN, 48, 0),
      SSD_TOO_MANY_ACTIVE_ZONES },
    { "open of a closed zone", IO(ZONE_OPEN, 32, 0),
      SSD_TOO_MANY_OPEN_ZONES },
    { "close not at a start", IO(ZONE_CLOSE, 5, 0), SSD_INVALID_FIELD },
    { "close of a full zone", IO(ZONE_CLOSE, 16, 0),
      SSD_INVALID_ZONE_STATE_TRANSITION },
    { "close of an empty zone", IO(ZONE_CLOSE, 48, 0),
      SSD_INVALID_ZONE_STATE_TRANSITION },
    { "finish not at a start", IO(ZONE_FINISH, 17, 0), SSD_INVALID_FIELD },
    { "finish behind the end", IO(ZONE_FINISH, 64, 0),
      SSD_LBA_OUT_OF_RANGE },
    { "reset not at a start", IO(ZONE_RESET, 63, 0), SSD_INVALID_FIELD },
    { "reset behind the end", IO(ZONE_RESET, UINT64_MAX, 0),
      SSD_LBA_OUT_OF_RANGE },
    { "open of all closed zones", { .op = SSD_OP_ZONE_OPEN, .nsid = 1,
      .select_all = true }, SSD_TOO_MANY_OPEN_ZONES },
};

/* Zones and resources as text, to compare before and after. */
static char *snapshot(const Drive *d)
{
    GString *text = g_string_new(NULL);

    for (uint32_t z = 0; z < d->params.zones; z++) {
        SsdZone zone = ssd_zone(d->ssd, 1, z);

        g_string_append_printf(text, "%x %" G_GUINT64_FORMAT " %"
                               G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "; ",
                               zone.state, zone.start_lba,
                               zone.state == SSD_ZONE_FULL ? 0 :
                               zone.wp_lba, zone.capacity_nlb);
    }
    g_string_append_printf(text, "open %u active %u inflight %u",
                           ssd_open_count(d->ssd, 1),
                           ssd_active_count(d->ssd, 1),
                           ssd_inflight(d->ssd));
    return g_string_free(text, FALSE);
}

/* Each has its status, and changes nothing. */
static void try_mistakes(const Drive *d, const Mistake *tries, unsigned count)
{
    char *before = snapshot(d);

    for (unsigned i = 0; i < count; i++) {
        const Mistake *m = &tries[i];
        SsdAccept accept = ssd_submit(d->ssd, d->now_ns, &m->cmd, 99);
        char *after = snapshot(d);

        if (accept.status != m->status) {
            g_error("%s: status %03x, must be %03x", m->what, accept.status,
                    m->status);
        }
        if (strcmp(before, after)) {
            g_error("%s: was %s, is %s", m->what, before, after);
        }
        g_free(after);
    }
    g_free(before);
}

static void test_mistakes(void)
{
    Drive *d = drive_prepared();
    char *before = snapshot(d);
    uint32_t tag;

    g_assert_cmpstr(before, ==, "3 0 5 12; e 16 0 12; 4 32 42 12; "
                    "1 48 48 12; open 1 active 2 inflight 0");
    try_mistakes(d, mistakes, G_N_ELEMENTS(mistakes));
    drive_expect_idle(d);
    /* The drive is as idle and as usable as before. */
    tag = drive_write(d, d->now_ns, 5, 7);
    g_assert_cmpint(ssd_zone(d->ssd, 1, 0).state, ==, SSD_ZONE_FULL);
    drive_expect(d, tag, d->now_ns + 25000 + 4 * 700000);
    g_free(before);
    drive_free(d);
}

/* Zone 0 is read-only, zone 1 offline; the rest as above. */
static const Mistake on_failed[] = {
    { "write to a read-only zone", IO(WRITE, 5, 1), SSD_ZONE_IS_READ_ONLY },
    { "write anywhere to a read-only zone", IO(WRITE, 2, 1),
      SSD_ZONE_IS_READ_ONLY },
    { "append to a read-only zone", IO(APPEND, 0, 1), SSD_ZONE_IS_READ_ONLY },
    { "write zeroes to a read-only zone", IO(WRITE_ZEROES, 5, 1),
      SSD_ZONE_IS_READ_ONLY },
    { "copy to a read-only zone", COPY(5, 1, { 0, 1 }),
      SSD_ZONE_IS_READ_ONLY },
    { "open of a read-only zone", IO(ZONE_OPEN, 0, 0),
      SSD_INVALID_ZONE_STATE_TRANSITION },
    { "close of a read-only zone", IO(ZONE_CLOSE, 0, 0),
      SSD_INVALID_ZONE_STATE_TRANSITION },
    { "finish of a read-only zone", IO(ZONE_FINISH, 0, 0),
      SSD_INVALID_ZONE_STATE_TRANSITION },
    { "reset of a read-only zone", IO(ZONE_RESET, 0, 0),
      SSD_INVALID_ZONE_STATE_TRANSITION },
    { "extension of a read-only zone", IO(ZONE_SET_EXTENSION, 0, 0),
      SSD_INVALID_ZONE_STATE_TRANSITION },
    { "read of an offline zone", IO(READ, 16, 1), SSD_ZONE_IS_OFFLINE },
    { "verify of an offline zone", IO(VERIFY, 16, 1), SSD_ZONE_IS_OFFLINE },
    { "compare of an offline zone", IO(COMPARE, 16, 1), SSD_ZONE_IS_OFFLINE },
    { "copy from an offline zone", COPY(42, 2, { 0, 1 }, { 16, 1 }),
      SSD_ZONE_IS_OFFLINE },
    { "copy to an offline zone", COPY(16, 1, { 0, 1 }), SSD_ZONE_IS_OFFLINE },
    { "deallocation in an offline zone", DROP(1, { 16, 1 }),
      SSD_ZONE_IS_OFFLINE },
    { "deallocation up to an offline zone's first block",
      DROP(2, { 0, 16 }, { 15, 2 }), SSD_ZONE_IS_OFFLINE },
    { "deallocation from an offline zone's last block on",
      DROP(2, { 32, 0 }, { 31, 33 }), SSD_ZONE_IS_OFFLINE },
    { "deallocation across an offline zone", DROP(1, { 0, 64 }),
      SSD_ZONE_IS_OFFLINE },
    { "deallocation across the end", DROP(2, { 32, 32 }, { 63, 2 }),
      SSD_LBA_OUT_OF_RANGE },
    { "write to an offline zone", IO(WRITE, 16, 1), SSD_ZONE_IS_OFFLINE },
    { "append to an offline zone", IO(APPEND, 16, 1), SSD_ZONE_IS_OFFLINE },
    { "reset of an offline zone", IO(ZONE_RESET, 16, 0),
      SSD_INVALID_ZONE_STATE_TRANSITION },
    { "open of an offline zone", IO(ZONE_OPEN, 16, 0),
      SSD_INVALID_ZONE_STATE_TRANSITION },
};

/* The medium gives back what the zone held; nothing else comes back. */
static void test_failed_zones(void)
{
    Drive *d = drive_prepared();
    char *text;
    uint32_t tag;

    g_assert_true(ssd_zone_fail(d->ssd, d->now_ns, 1, 0, SSD_ZONE_READ_ONLY));
    g_assert_true(ssd_zone_fail(d->ssd, d->now_ns, 1, 1, SSD_ZONE_OFFLINE));
    g_assert_false(ssd_zone_fail(d->ssd, d->now_ns, 1, 0, SSD_ZONE_READ_ONLY));
    g_assert_false(ssd_zone_fail(d->ssd, d->now_ns, 1, 1, SSD_ZONE_OFFLINE));
    g_assert_false(ssd_zone_fail(d->ssd, d->now_ns, 1, 1, SSD_ZONE_READ_ONLY));
    text = snapshot(d);
    g_assert_cmpstr(text, ==, "d 0 5 12; f 16 28 12; 4 32 42 12; 1 48 48 12; "
                    "open 0 active 1 inflight 0");
    g_free(text);
    try_mistakes(d, on_failed, G_N_ELEMENTS(on_failed));
    drive_expect_idle(d);

    /* A read-only zone gives its data, and can be taken offline. */
    tag = drive_read(d, d->now_ns, 0, 1);
    drive_expect(d, tag, d->now_ns + 60000 + 25000);
    tag = drive_zone_op(d, d->now_ns, SSD_OP_ZONE_OFFLINE, 1);
    drive_expect(d, tag, d->now_ns);
    tag = drive_all_zones(d, d->now_ns, SSD_OP_ZONE_RESET);
    drive_drain(d);
    tag = drive_all_zones(d, d->now_ns, SSD_OP_ZONE_OFFLINE);
    drive_expect(d, tag, d->now_ns);
    text = snapshot(d);
    g_assert_cmpstr(text, ==, "f 0 5 12; f 16 28 12; 1 32 32 12; 1 48 48 12; "
                    "open 0 active 0 inflight 0");
    g_free(text);
    drive_free(d);
}

/* Commands at times, with what came of them. */
typedef struct Event {
    uint64_t at_ns;
    SsdCmd cmd;
    bool accepted;
} Event;

static SsdCmd random_cmd(Rng *rng, const Drive *d)
{
    uint32_t z = rng_below(rng, d->params.zones);
    SsdZone zone = ssd_zone(d->ssd, 1, z);
    SsdCmd cmd = {
        .op = rng_below(rng, SSD_OP_COUNT),
        .nsid = 1,
        .slba = zone.start_lba,
        .nlb = rng_below(rng, 7),
        .select_all = rng_chance(rng, 15),
    };

    if (rng_chance(rng, 50)) {
        cmd.op = SSD_OP_WRITE;
    }
    if (cmd.op == SSD_OP_WRITE && zone.state != SSD_ZONE_FULL) {
        cmd.slba = zone.wp_lba;
    }
    if (rng_chance(rng, 20)) {
        cmd.slba += rng_below(rng, 4);
    }
    return cmd;
}

/* Every command; `events` receives which were accepted. */
static GArray *run_all(Drive *d, Rng *rng, GArray *events)
{
    GArray *dones = g_array_new(FALSE, TRUE, sizeof(SsdDone));
    SsdDone done;
    Event e = { 0 };

    for (unsigned i = 0; i < 20000; i++) {
        e.at_ns += rng_chance(rng, 30) ? rng_below(rng, 3000000) : 0;
        while (ssd_poll(d->ssd, e.at_ns, &done, 1)) {
            g_array_append_val(dones, done);
        }
        e.cmd = random_cmd(rng, d);
        e.accepted = ssd_submit(d->ssd, e.at_ns, &e.cmd, i).status ==
                     SSD_SUCCESS;
        g_array_append_val(events, e);
    }
    while (ssd_poll(d->ssd, UINT64_MAX - 1, &done, 1)) {
        g_array_append_val(dones, done);
    }
    return dones;
}

/* Only the accepted ones; the tag is the number among all. */
static GArray *run_accepted(Drive *d, const GArray *events)
{
    GArray *dones = g_array_new(FALSE, TRUE, sizeof(SsdDone));
    SsdDone done;

    for (guint i = 0; i < events->len; i++) {
        const Event *e = &g_array_index(events, Event, i);

        if (!e->accepted) {
            continue;
        }
        while (ssd_poll(d->ssd, e->at_ns, &done, 1)) {
            g_array_append_val(dones, done);
        }
        g_assert_cmphex(ssd_submit(d->ssd, e->at_ns, &e->cmd, i).status, ==,
                        SSD_SUCCESS);
    }
    while (ssd_poll(d->ssd, UINT64_MAX - 1, &done, 1)) {
        g_array_append_val(dones, done);
    }
    return dones;
}

/* A life with mistakes is, to the nanosecond, the life without them. */
static void test_twins(void)
{
    static const char drive[] = "zones=5 zone-capacity=32K max-open=2 "
                                "max-active=3 lba-size=4096 page-size=8K "
                                "cmd-slots=8192";
    Rng rng = { drive_seed() };
    Drive *one = drive_new(drive), *other = drive_new(drive);
    GArray *events = g_array_new(FALSE, TRUE, sizeof(Event));
    GArray *all = run_all(one, &rng, events);
    GArray *good = run_accepted(other, events);
    char *zones = snapshot(one), *other_zones = snapshot(other);

    g_assert_cmpuint(all->len, ==, good->len);
    g_assert_cmpuint(all->len, >, 4000);
    g_assert_cmpuint(all->len, <, 15000);
    for (guint i = 0; i < all->len; i++) {
        const SsdDone *a = &g_array_index(all, SsdDone, i);
        const SsdDone *b = &g_array_index(good, SsdDone, i);

        g_assert_cmpuint(a->tag, ==, b->tag);
        g_assert_cmpuint(a->due_at_ns, ==, b->due_at_ns);
        g_assert_cmpuint(a->result, ==, b->result);
    }
    g_assert_cmpstr(zones, ==, other_zones);
    g_test_message("%u accepted, %u rejected", all->len,
                   events->len - all->len);
    g_free(zones);
    g_free(other_zones);
    g_array_free(all, TRUE);
    g_array_free(good, TRUE);
    g_array_free(events, TRUE);
    drive_free(one);
    drive_free(other);
}

/* Nothing a guest can put into a command ends the process. */
static void test_garbage(void)
{
    Rng rng = { drive_seed() };
    Drive *d = drive_new("zones=5 zone-capacity=48K max-open=2 max-active=2 "
                         "page-size=12K channels=2 ways=2 zone-ways=1");
    uint64_t now_ns = 0;
    SsdDone done;

    for (unsigned i = 0; i < 100000; i++) {
        SsdRange range = {
            .slba = rng_next(&rng) >> rng_below(&rng, 64),
            .nlb = rng_next(&rng) >> (32 + rng_below(&rng, 32)),
        };
        SsdCmd cmd = {
            .op = rng_below(&rng, SSD_OP_COUNT),
            .nsid = rng_chance(&rng, 90) ? 1 : rng_next(&rng),
            .slba = rng_next(&rng) >> rng_below(&rng, 64),
            .nlb = rng_next(&rng) >> (32 + rng_below(&rng, 32)),
            .select_all = rng_chance(&rng, 2),
            .ranges = &range,
            .range_count = rng_below(&rng, 2),
        };

        now_ns += rng_next(&rng) >> (44 + rng_below(&rng, 20));
        while (ssd_poll(d->ssd, now_ns, &done, 1) ||
               !ssd_has_room(d->ssd)) {
            now_ns = ssd_has_room(d->ssd) ? now_ns :
                     MAX(now_ns, ssd_next_at_ns(d->ssd));
        }
        ssd_submit(d->ssd, now_ns, &cmd, i);
    }
    d->now_ns = now_ns;
    drive_drain(d);
    drive_expect_idle(d);
    drive_free(d);
}

/*
 * An append names a zone, not a range of LBAs: one that is longer than the rest
 * of the namespace meets the zone's end, or the zone's state, and not the
 * namespace's end.
 */
static void test_long_append_to_last_zone(void)
{
    Drive *d = drive_new("zones=2 zone-size=64K mdts=256K zasl=256K");
    uint64_t last_lba = drive_zone_lba(d, 1);
    uint32_t zone_nlb = last_lba;

    g_assert_cmphex(drive_try(d, 0, SSD_OP_APPEND, last_lba,
                              zone_nlb + 1).status,
                    ==, SSD_ZONE_BOUNDARY_ERROR);
    drive_zone_op(d, 0, SSD_OP_ZONE_FINISH, 1);
    g_assert_cmphex(drive_try(d, 0, SSD_OP_APPEND, last_lba,
                              zone_nlb + 1).status,
                    ==, SSD_ZONE_IS_FULL);
    g_assert_cmphex(drive_try(d, 0, SSD_OP_APPEND, last_lba + zone_nlb,
                              1).status,
                    ==, SSD_LBA_OUT_OF_RANGE);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rejects/long-append-to-last-zone",
                    test_long_append_to_last_zone);
    g_test_add_func("/rejects/mistakes", test_mistakes);
    g_test_add_func("/rejects/failed-zones", test_failed_zones);
    g_test_add_func("/rejects/twins", test_twins);
    g_test_add_func("/rejects/garbage", test_garbage);
    return g_test_run();
}
