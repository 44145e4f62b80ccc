/*
 * Two drives that are told the same; see twins.h.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "twins.h"

#define BUSY_KEPT 500
#define MOST_AT_ONCE 16

/* --- Two drives ----------------------------------------------------------- */

GByteArray *twins_bytes(const Twins *t)
{
    GByteArray *a = ssd_save(t->kept);
    GByteArray *b = ssd_save(t->saved);

    g_assert_cmpmem(a->data, a->len, b->data, b->len);
    g_byte_array_unref(a);
    return b;
}

static void save_and_load(Twins *t)
{
    GByteArray *bytes = twins_bytes(t);
    GError *error = NULL;
    Ssd *loaded = ssd_load(&t->params, bytes->data, bytes->len, &error);

    g_assert_no_error(error);
    ssd_free(t->saved);
    t->saved = loaded;
    t->count.saved_bytes += bytes->len;
    t->count.instants++;
    g_byte_array_unref(bytes);
    g_byte_array_unref(twins_bytes(t));
    if (t->compare) {
        t->compare(t->kept, t->saved);
    }
}

void twins_begin(Twins *t, const SsdParams *params, uint64_t seed)
{
    *t = (Twins) { .params = *params, .rng = { seed }, .every = 20 };
    t->kept = ssd_new(params);
    t->saved = ssd_new(params);
    if (rng_chance(&t->rng, 30)) {
        ssd_busy_log_start(t->kept, BUSY_KEPT);
        ssd_busy_log_start(t->saved, BUSY_KEPT);
    }
}

static void compare_busy(Twins *t)
{
    SsdBusy a[MOST_AT_ONCE], b[MOST_AT_ONCE];
    unsigned count = ssd_busy_log_take(t->kept, a, MOST_AT_ONCE);

    g_assert_cmpuint(ssd_busy_log_take(t->saved, b, MOST_AT_ONCE), ==, count);
    for (unsigned i = 0; i < count; i++) {
        g_assert_cmpuint(a[i].begin_at_ns, ==, b[i].begin_at_ns);
        g_assert_cmpuint(a[i].end_at_ns, ==, b[i].end_at_ns);
        g_assert_cmpuint(a[i].resource_idx, ==, b[i].resource_idx);
        g_assert_cmpstr(a[i].what, ==, b[i].what);
    }
}

static void compare_zones(Twins *t)
{
    for (uint32_t nsid = 1; nsid <= ssd_ns_count(t->kept); nsid++) {
        SsdNsInfo info = ssd_ns_info(t->kept, nsid);

        g_assert_cmpuint(ssd_ns_inflight(t->kept, nsid), ==,
                         ssd_ns_inflight(t->saved, nsid));
        g_assert_cmpuint(ssd_open_count(t->kept, nsid), ==,
                         ssd_open_count(t->saved, nsid));
        for (uint32_t z = 0; z < MIN(info.zones, 64); z++) {
            SsdZone a = ssd_zone(t->kept, nsid, z);
            SsdZone b = ssd_zone(t->saved, nsid, z);

            g_assert_cmphex(a.state, ==, b.state);
            g_assert_cmpuint(a.wp_lba, ==, b.wp_lba);
            g_assert_true(a.has_zrwa == b.has_zrwa);
        }
    }
}

void twins_end(Twins *t)
{
    g_autofree char *a = ssd_stats_json(t->kept, t->now_ns, NULL);
    g_autofree char *b = ssd_stats_json(t->saved, t->now_ns, NULL);

    g_assert_cmpstr(a, ==, b);
    compare_zones(t);
    compare_busy(t);
    save_and_load(t);
    ssd_free(t->kept);
    ssd_free(t->saved);
}

/* --- What both are told --------------------------------------------------- */

static void poll(Twins *t)
{
    SsdDone a, b;
    unsigned left = rng_chance(&t->rng, 80) ? UINT32_MAX
                                            : rng_below(&t->rng, 4);

    for (; left > 0; left--) {
        unsigned count = ssd_poll(t->kept, t->now_ns, &a, 1);

        g_assert_cmpuint(ssd_poll(t->saved, t->now_ns, &b, 1), ==, count);
        if (count == 0) {
            break;
        }
        g_assert_cmpuint(a.tag, ==, b.tag);
        g_assert_cmpuint(a.due_at_ns, ==, b.due_at_ns);
        g_assert_cmpuint(a.submitted_at_ns, ==, b.submitted_at_ns);
        g_assert_cmpuint(a.result, ==, b.result);
        g_assert_cmpuint(a.ahead_bytes, ==, b.ahead_bytes);
        g_assert_true(a.op == b.op && a.nsid == b.nsid);
    }
    g_assert_cmpuint(ssd_next_at_ns(t->kept), ==, ssd_next_at_ns(t->saved));
}

static void poll_zones(Twins *t)
{
    uint32_t a_nsid, a_zone, b_nsid, b_zone;

    while (ssd_poll_zone(t->kept, t->now_ns, &a_nsid, &a_zone)) {
        g_assert_true(ssd_poll_zone(t->saved, t->now_ns, &b_nsid, &b_zone));
        g_assert_true(a_nsid == b_nsid && a_zone == b_zone);
    }
    g_assert_false(ssd_poll_zone(t->saved, t->now_ns, &b_nsid, &b_zone));
}

static void go_to_next(Twins *t)
{
    uint64_t next_at_ns = ssd_next_at_ns(t->kept);

    if (next_at_ns != UINT64_MAX) {
        t->now_ns = MAX(t->now_ns, next_at_ns);
    }
    poll(t);
}

static void submit(Twins *t, const SsdCmd *cmd)
{
    SsdAccept a, b;

    /* Longer and longer: some drives take hours, in steps of nanoseconds. */
    for (uint64_t more_ns = 0; !ssd_has_room(t->kept); more_ns += 1000) {
        t->now_ns += more_ns;
        go_to_next(t);
    }
    g_assert_true(ssd_has_room(t->saved));
    a = ssd_submit(t->kept, t->now_ns, cmd, t->next_tag);
    b = ssd_submit(t->saved, t->now_ns, cmd, t->next_tag++);
    g_assert_cmphex(a.status, ==, b.status);
    g_assert_cmpuint(a.lba, ==, b.lba);
    t->count.accepted += a.status == SSD_SUCCESS;
}

/* Zones that many commands meet, beside one that few do. */
static uint32_t pick_zone(Twins *t, const SsdNsInfo *ns)
{
    return rng_below(&t->rng, rng_chance(&t->rng, 90) ? MIN(ns->zones, 4)
                                                      : ns->zones);
}

static uint32_t pick_nlb(Twins *t, const SsdNsInfo *ns)
{
    uint64_t most = MAX(t->params.mdts_bytes / ns->lba_bytes, 1);

    return rng_chance(&t->rng, 80) ? 1 + rng_below(&t->rng, MIN(most, 40))
                                   : 1 + rng_below(&t->rng, most);
}

static uint64_t pick_lba(Twins *t, uint32_t nsid, const SsdNsInfo *ns,
                         SsdOp op, uint32_t *nlb)
{
    SsdZone zone;
    uint64_t room;

    if (ns->kind == SSD_NS_CONVENTIONAL) {
        return rng_below(&t->rng, ns->size_nlb);
    }
    zone = ssd_zone(t->kept, nsid, pick_zone(t, ns));
    room = zone.start_lba + zone.capacity_nlb - zone.wp_lba;
    switch (op) {
    case SSD_OP_WRITE:
    case SSD_OP_WRITE_ZEROES:
    case SSD_OP_COPY:
        *nlb = room ? MIN(*nlb, room) : *nlb;
        return zone.wp_lba + (zone.has_zrwa ? rng_below(&t->rng, 20) : 0);
    case SSD_OP_READ:
    case SSD_OP_VERIFY:
    case SSD_OP_COMPARE:
        return zone.start_lba +
               rng_below(&t->rng, zone.wp_lba - zone.start_lba + 1);
    case SSD_OP_ZONE_FLUSH_ZRWA:
        return zone.wp_lba + rng_below(&t->rng, 20);
    default:
        return zone.start_lba;
    }
}

static SsdOp pick_op(Twins *t)
{
    static const SsdOp often[] = {
        SSD_OP_READ, SSD_OP_READ, SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_WRITE,
        SSD_OP_APPEND, SSD_OP_APPEND, SSD_OP_FLUSH, SSD_OP_ZONE_RESET,
        SSD_OP_ZONE_FINISH,
    };

    return rng_chance(&t->rng, 75)
           ? often[rng_below(&t->rng, G_N_ELEMENTS(often))]
           : rng_below(&t->rng, SSD_OP_COUNT);
}

static void command(Twins *t)
{
    SsdRange ranges[4];
    uint32_t nsid = 1 + rng_below(&t->rng, ssd_ns_count(t->kept));
    SsdNsInfo ns = ssd_ns_info(t->kept, nsid);
    SsdCmd cmd = {
        .op = pick_op(t), .nsid = nsid, .nlb = pick_nlb(t, &ns),
        .ranges = ranges, .select_all = rng_chance(&t->rng, 4),
    };

    cmd.slba = pick_lba(t, nsid, &ns, cmd.op, &cmd.nlb);
    if (cmd.op == SSD_OP_COPY || cmd.op == SSD_OP_DEALLOCATE) {
        cmd.range_count = 1 + rng_below(&t->rng, G_N_ELEMENTS(ranges));
        for (uint32_t i = 0; i < cmd.range_count; i++) {
            ranges[i].nlb = 1 + rng_below(&t->rng, 9);
            ranges[i].slba = pick_lba(t, nsid, &ns, SSD_OP_READ,
                                      &ranges[i].nlb);
        }
    }
    submit(t, &cmd);
}

static void cut(Twins *t)
{
    uint64_t seed = rng_next(&t->rng);
    Ssd *kept = ssd_power_cut(t->kept, t->now_ns, seed);
    Ssd *saved = ssd_power_cut(t->saved, t->now_ns, seed);

    ssd_free(t->kept);
    ssd_free(t->saved);
    t->kept = kept;
    t->saved = saved;
    t->now_ns = ssd_now_ns(kept);
    save_and_load(t);
}

/*
 * A zone fails, a namespace is formatted, statistics begin anew, or the power
 * goes.
 */
static void befall(Twins *t)
{
    uint32_t nsid = 1 + rng_below(&t->rng, ssd_ns_count(t->kept));
    SsdNsInfo ns = ssd_ns_info(t->kept, nsid);
    uint32_t lba_bytes = rng_chance(&t->rng, 50) ? 512 : 4096;

    switch (rng_below(&t->rng, t->cuts ? 5 : 4)) {
    case 0:
        ssd_stats_reset(t->kept, t->now_ns);
        ssd_stats_reset(t->saved, t->now_ns);
        break;
    case 1:
        if (ns.kind == SSD_NS_ZONED && rng_chance(&t->rng, 30)) {
            uint32_t zone = pick_zone(t, &ns);

            g_assert_true(ssd_zone_fail(t->kept, t->now_ns, nsid, zone,
                                        SSD_ZONE_READ_ONLY) ==
                          ssd_zone_fail(t->saved, t->now_ns, nsid, zone,
                                        SSD_ZONE_READ_ONLY));
        }
        break;
    case 2:
        if (ssd_ns_inflight(t->kept, nsid) == 0) {
            g_assert_true(ssd_format(t->kept, t->now_ns, nsid, lba_bytes,
                                     NULL) ==
                          ssd_format(t->saved, t->now_ns, nsid, lba_bytes,
                                     NULL));
        }
        break;
    case 4:
        cut(t);
        break;
    default:
        compare_busy(t);
        break;
    }
}

static void pass_time(Twins *t)
{
    uint64_t unit_ns = rng_chance(&t->rng, 60) ? t->params.page_transfer_ns
                                               : t->params.program_ns;

    if (rng_chance(&t->rng, 60)) {
        t->now_ns += rng_below(&t->rng, 2 * unit_ns + 2);
        poll(t);
    } else if (rng_chance(&t->rng, 60)) {
        go_to_next(t);
    }
}

void twins_run(Twins *t, unsigned steps)
{
    for (unsigned i = 0; i < steps; i++) {
        if (rng_below(&t->rng, t->every) == 0) {
            save_and_load(t);
        }
        command(t);
        pass_time(t);
        poll_zones(t);
        if (rng_chance(&t->rng, 2)) {
            befall(t);
        }
    }
}
