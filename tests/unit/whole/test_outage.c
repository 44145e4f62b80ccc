/*
 * Power cuts at random instants of random drives: a host keeps a log of what it
 * has asked for and been told, and judges by that what it finds afterwards.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model/soup_whole.h"
#include "support/any_params.h"

static uint64_t written_nlb(const SsdZone *zone)
{
    return zone->state == SSD_ZONE_FULL ? zone->capacity_nlb
                                        : zone->wp_lba - zone->start_lba;
}

static void same_bytes(GByteArray *a, GByteArray *b)
{
    g_assert_cmpmem(a->data, a->len, b->data, b->len);
    g_byte_array_unref(a);
    g_byte_array_unref(b);
}

/* --- A host that remembers ------------------------------------------------ */

/* What was asked of a zone last beside writes. */
typedef struct Asked {
    bool may_be_undone; /* a finish or reset that changed the zone */
    uint32_t tag;
    SsdZone before;
} Asked;

typedef struct Written {
    uint32_t tag;
    uint64_t end_nlb;
} Written;

/*
 * For a volatile cache: `told_nlb` and `flushed_nlb` are of the present life,
 * which a reset or a format ends.
 */
typedef struct HostZone {
    uint64_t least_nlb; /* written when `asked` had been */
    GArray *writes;     /* Written, since */
    Asked asked;
    bool has_asked;
    uint64_t life;
    GArray *untold;       /* Written, whose end nobody has been told */
    uint64_t told_nlb;    /* the end of those that somebody has */
    uint64_t flushed_nlb; /* told_nlb when a flush was asked that is done */
} HostZone;

/* A flush that is inside: what it makes safe of each zone. */
typedef struct Flush {
    uint32_t tag;
    uint64_t *told_nlb;
    uint64_t *life;
} Flush;

typedef struct Host {
    Ssd *ssd;
    SsdParams params;
    Rng rng;
    uint64_t now_ns;
    uint32_t next_tag;
    GArray *told;    /* bool, [tag] */
    HostZone *zones; /* [zone of the drive] */
    GArray *flushes; /* Flush */
} Host;

/* What was seen, so that nothing is missed everywhere. */
static unsigned cuts, undone, done, torn, lost, whole, accepted, gone, flushed;

static HostZone *host_zone(Host *h, uint32_t nsid, uint32_t zone_idx)
{
    return &h->zones[ssd_ns_info(h->ssd, nsid).first_zone_idx + zone_idx];
}

static bool is_told(const Host *h, uint32_t tag)
{
    return g_array_index(h->told, bool, tag);
}

/* A zone has a new life, or all that it holds now is known to be safe. */
static void begin_life(Host *h, uint32_t nsid, uint32_t zone_idx)
{
    HostZone *zone = host_zone(h, nsid, zone_idx);
    SsdZone now = ssd_zone(h->ssd, nsid, zone_idx);

    zone->life++;
    g_array_set_size(zone->untold, 0);
    zone->told_nlb = zone->flushed_nlb = written_nlb(&now);
}

/* All that the host knows of a zone is what it sees now. */
static void look_at(Host *h, uint32_t nsid, uint32_t zone_idx)
{
    HostZone *zone = host_zone(h, nsid, zone_idx);
    SsdZone now = ssd_zone(h->ssd, nsid, zone_idx);

    g_array_set_size(zone->writes, 0);
    zone->has_asked = false;
    zone->least_nlb = written_nlb(&now);
}

static void look_at_all(Host *h)
{
    for (uint32_t nsid = 1; nsid <= ssd_ns_count(h->ssd); nsid++) {
        for (uint32_t z = 0; z < ssd_ns_info(h->ssd, nsid).zones; z++) {
            look_at(h, nsid, z);
            begin_life(h, nsid, z);
        }
    }
}

static void host_begin(Host *h, const SsdParams *params, uint64_t seed)
{
    *h = (Host) {
        .params = *params,
        .rng = { seed },
        .told = g_array_new(FALSE, TRUE, sizeof(bool)),
        .zones = g_new0(HostZone, params->zones),
        .flushes = g_array_new(FALSE, FALSE, sizeof(Flush)),
    };
    h->params.pe_cycles = 1; /* each erase shows in ssd_used_percent() */
    h->ssd = ssd_new(&h->params);
    for (uint32_t z = 0; z < params->zones; z++) {
        h->zones[z].writes = g_array_new(FALSE, FALSE, sizeof(Written));
        h->zones[z].untold = g_array_new(FALSE, FALSE, sizeof(Written));
    }
}

static void forget_flush(Host *h, unsigned i)
{
    g_free(g_array_index(h->flushes, Flush, i).told_nlb);
    g_free(g_array_index(h->flushes, Flush, i).life);
    g_array_remove_index(h->flushes, i);
}

static void forget_flushes(Host *h)
{
    while (h->flushes->len) {
        forget_flush(h, 0);
    }
}

static void host_end(Host *h)
{
    forget_flushes(h);
    g_array_unref(h->flushes);
    for (uint32_t z = 0; z < h->params.zones; z++) {
        g_array_unref(h->zones[z].writes);
        g_array_unref(h->zones[z].untold);
    }
    g_free(h->zones);
    g_array_unref(h->told);
    ssd_free(h->ssd);
}

/* --- What it asks, and hears ---------------------------------------------- */

/* Which of the writes of a zone the host has been told of by now. */
static void sort_told(Host *h, HostZone *zone)
{
    for (unsigned i = zone->untold->len; i-- > 0;) {
        Written written = g_array_index(zone->untold, Written, i);

        if (is_told(h, written.tag)) {
            zone->told_nlb = MAX(zone->told_nlb, written.end_nlb);
            g_array_remove_index(zone->untold, i);
        }
    }
}

static bool is_volatile(const Host *h)
{
    return h->params.write_cache == SSD_WRITE_CACHE_VOLATILE;
}

static void note_flush(Host *h, uint32_t tag)
{
    Flush flush = { .tag = tag };

    if (!is_volatile(h)) {
        return;
    }
    flush.told_nlb = g_new(uint64_t, h->params.zones);
    flush.life = g_new(uint64_t, h->params.zones);
    for (uint32_t z = 0; z < h->params.zones; z++) {
        sort_told(h, &h->zones[z]);
        flush.told_nlb[z] = h->zones[z].told_nlb;
        flush.life[z] = h->zones[z].life;
    }
    g_array_append_val(h->flushes, flush);
}

static void hear_of_flush(Host *h, unsigned i)
{
    const Flush *flush = &g_array_index(h->flushes, Flush, i);

    for (uint32_t z = 0; z < h->params.zones; z++) {
        HostZone *zone = &h->zones[z];

        if (zone->life == flush->life[z]) {
            zone->flushed_nlb = MAX(zone->flushed_nlb, flush->told_nlb[z]);
        }
    }
    forget_flush(h, i);
}

static void hear(Host *h)
{
    SsdDone done;

    while (ssd_poll(h->ssd, h->now_ns, &done, 1)) {
        g_array_index(h->told, bool, done.tag) = true;
        for (unsigned i = 0; i < h->flushes->len; i++) {
            if (g_array_index(h->flushes, Flush, i).tag == done.tag) {
                hear_of_flush(h, i);
                break;
            }
        }
    }
}

static void go_to_next(Host *h)
{
    uint64_t next_at_ns = ssd_next_at_ns(h->ssd);

    if (next_at_ns != UINT64_MAX) {
        h->now_ns = MAX(h->now_ns, next_at_ns);
    }
    hear(h);
}

static bool is_write(SsdOp op)
{
    return op == SSD_OP_WRITE || op == SSD_OP_APPEND ||
           op == SSD_OP_WRITE_ZEROES || op == SSD_OP_COPY;
}

static bool is_managed(SsdOp op)
{
    return op >= SSD_OP_ZONE_OPEN && op <= SSD_OP_ZONE_SET_EXTENSION_ZRWA;
}

static bool has_job(SsdOp op, SsdZoneState before)
{
    return (op == SSD_OP_ZONE_FINISH && before != SSD_ZONE_FULL) ||
           (op == SSD_OP_ZONE_RESET && before != SSD_ZONE_EMPTY);
}

static void note_asked(Host *h, const SsdCmd *cmd, uint32_t zone_idx,
                       const SsdZone *before, uint32_t tag)
{
    look_at(h, cmd->nsid, zone_idx);
    if (cmd->op == SSD_OP_ZONE_RESET) {
        begin_life(h, cmd->nsid, zone_idx);
    }
    host_zone(h, cmd->nsid, zone_idx)->has_asked = true;
    host_zone(h, cmd->nsid, zone_idx)->asked = (Asked) {
        .may_be_undone = has_job(cmd->op, before->state), .tag = tag,
        .before = *before,
    };
}

/* The zones that a command is for, as they were before it. */
static SsdZone *zones_of(Host *h, const SsdCmd *cmd, uint32_t *first,
                         uint32_t *count)
{
    SsdNsInfo ns = ssd_ns_info(h->ssd, cmd->nsid);
    SsdZone *zones;

    *first = cmd->select_all ? 0 : cmd->slba / ns.zone_size_nlb;
    *count = cmd->select_all ? ns.zones : *first < ns.zones;
    zones = g_new(SsdZone, *count);
    for (uint32_t i = 0; i < *count; i++) {
        zones[i] = ssd_zone(h->ssd, cmd->nsid, *first + i);
    }
    return zones;
}

static void note(Host *h, const SsdCmd *cmd, uint64_t lba, uint32_t tag,
                 const SsdZone *before, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; is_managed(cmd->op) && i < count; i++) {
        note_asked(h, cmd, first + i, &before[i], tag);
    }
    if (is_write(cmd->op) && count == 1) {
        uint64_t nlb = cmd->nlb;
        Written written = { .tag = tag };

        for (uint32_t i = 0; cmd->op == SSD_OP_COPY && i < cmd->range_count;
             i++) {
            nlb = (i ? nlb : 0) + cmd->ranges[i].nlb;
        }
        written.end_nlb = lba + nlb - before->start_lba;
        g_array_append_val(host_zone(h, cmd->nsid, first)->writes, written);
        g_array_append_val(host_zone(h, cmd->nsid, first)->untold, written);
    }
    if (cmd->op == SSD_OP_FLUSH) {
        note_flush(h, tag);
    }
}

static void submit(Host *h, const SsdCmd *cmd)
{
    g_autofree SsdZone *before = NULL;
    uint32_t first = 0, count = 0, tag = h->next_tag++;
    SsdAccept accept;

    for (uint64_t more_ns = 0; !ssd_has_room(h->ssd); more_ns += 1000) {
        h->now_ns += more_ns;
        go_to_next(h);
    }
    if (ssd_ns_info(h->ssd, cmd->nsid).kind == SSD_NS_ZONED) {
        before = zones_of(h, cmd, &first, &count);
    }
    g_array_set_size(h->told, h->next_tag);
    accept = ssd_submit(h->ssd, h->now_ns, cmd, tag);
    if (accept.status == SSD_SUCCESS) {
        accepted++;
        note(h, cmd, accept.lba, tag, before, first, count);
    }
}

static uint64_t pick_lba(Host *h, uint32_t nsid, SsdOp op, uint32_t *nlb)
{
    SsdNsInfo ns = ssd_ns_info(h->ssd, nsid);
    SsdZone zone;
    uint64_t room;

    if (ns.kind == SSD_NS_CONVENTIONAL) {
        return rng_below(&h->rng, ns.size_nlb);
    }
    zone = ssd_zone(h->ssd, nsid, rng_below(&h->rng, MIN(ns.zones, 5)));
    room = zone.start_lba + zone.capacity_nlb - zone.wp_lba;
    if (is_write(op) && op != SSD_OP_APPEND) {
        *nlb = room ? MIN(*nlb, room) : *nlb;
        return zone.wp_lba + (zone.has_zrwa ? rng_below(&h->rng, 20) : 0);
    }
    if (op == SSD_OP_ZONE_FLUSH_ZRWA) {
        return zone.wp_lba + rng_below(&h->rng, 20);
    }
    return zone.start_lba;
}

static SsdOp pick_op(Host *h)
{
    static const SsdOp often[] = {
        SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_APPEND, SSD_OP_APPEND,
        SSD_OP_FLUSH, SSD_OP_READ, SSD_OP_ZONE_RESET, SSD_OP_ZONE_FINISH,
    };

    return rng_chance(&h->rng, 75)
           ? often[rng_below(&h->rng, G_N_ELEMENTS(often))]
           : rng_below(&h->rng, SSD_OP_SHUTDOWN);
}

static void command(Host *h)
{
    SsdRange ranges[3];
    uint32_t nsid = 1 + rng_below(&h->rng, ssd_ns_count(h->ssd));
    uint64_t most = MAX(h->params.mdts_bytes /
                        ssd_ns_info(h->ssd, nsid).lba_bytes, 1);
    SsdCmd cmd = {
        .op = pick_op(h), .nsid = nsid,
        .nlb = 1 + rng_below(&h->rng, MIN(most, 30)),
        .ranges = ranges, .select_all = rng_chance(&h->rng, 3),
    };

    cmd.select_all = cmd.select_all && is_managed(cmd.op);
    cmd.slba = pick_lba(h, nsid, cmd.op, &cmd.nlb);
    if (cmd.op == SSD_OP_COPY || cmd.op == SSD_OP_DEALLOCATE) {
        cmd.range_count = 1 + rng_below(&h->rng, G_N_ELEMENTS(ranges));
        for (uint32_t i = 0; i < cmd.range_count; i++) {
            ranges[i].nlb = 1 + rng_below(&h->rng, 5);
            ranges[i].slba = pick_lba(h, nsid, SSD_OP_READ, &ranges[i].nlb);
        }
    }
    submit(h, &cmd);
}

static void pass_time(Host *h)
{
    uint64_t unit_ns = rng_chance(&h->rng, 60) ? h->params.page_transfer_ns
                                               : h->params.program_ns;

    if (rng_chance(&h->rng, 50)) {
        h->now_ns += rng_below(&h->rng, 2 * unit_ns + 2);
        hear(h);
    } else if (rng_chance(&h->rng, 50)) {
        go_to_next(h);
    }
}

static void befall(Host *h)
{
    uint32_t nsid = 1 + rng_below(&h->rng, ssd_ns_count(h->ssd));
    SsdNsInfo ns = ssd_ns_info(h->ssd, nsid);
    uint32_t nsid_told, zone_told;

    if (ns.kind == SSD_NS_ZONED && rng_chance(&h->rng, 1)) {
        uint32_t zone = rng_below(&h->rng, ns.zones);

        ssd_zone_fail(h->ssd, h->now_ns, nsid, zone, SSD_ZONE_READ_ONLY);
    }
    if (ssd_ns_inflight(h->ssd, nsid) == 0 && rng_chance(&h->rng, 2)) {
        ssd_format(h->ssd, h->now_ns, nsid,
                   rng_chance(&h->rng, 50) ? 512 : 4096, NULL);
        for (uint32_t z = 0; z < ns.zones; z++) {
            look_at(h, nsid, z);
            begin_life(h, nsid, z);
        }
    }
    while (ssd_poll_zone(h->ssd, h->now_ns, &nsid_told, &zone_told)) {
        if (ssd_zone(h->ssd, nsid_told, zone_told).finished_by_controller) {
            look_at(h, nsid_told, zone_told);
        }
    }
}

/* --- What it finds when the power is back --------------------------------- */

static bool is_open_or_closed(SsdZoneState state)
{
    return state >= SSD_ZONE_IMPLICITLY_OPEN && state <= SSD_ZONE_CLOSED;
}

/* The zone has begun anew from what it was. */
static bool has_begun_as(const SsdZone *is, const SsdZone *was)
{
    SsdZoneState state = was->state;

    if (is_open_or_closed(state)) {
        state = written_nlb(was) || was->has_extension ? SSD_ZONE_CLOSED
                                                       : SSD_ZONE_EMPTY;
    }
    return is->state == state && written_nlb(is) == written_nlb(was) &&
           is->has_extension == was->has_extension && !is->has_zrwa;
}

static void judge_writes(const Host *h, const HostZone *zone,
                         const SsdZone *was, const SsdZone *is)
{
    uint64_t least_nlb = zone->least_nlb, next_nlb = zone->least_nlb;
    bool at_end = false;

    for (uint32_t i = 0; i < zone->writes->len; i++) {
        Written written = g_array_index(zone->writes, Written, i);

        if (is_told(h, written.tag)) {
            least_nlb = MAX(least_nlb, written.end_nlb);
        }
        at_end |= written.end_nlb == written_nlb(is);
        next_nlb = written.end_nlb;
    }
    g_assert_cmpuint(next_nlb, <=, written_nlb(was));
    g_assert_cmpuint(written_nlb(is), >=, least_nlb);
    g_assert_cmpuint(written_nlb(is), <=, written_nlb(was));
    if (written_nlb(is) == written_nlb(was)) {
        whole += least_nlb < written_nlb(was);
    } else if (at_end || written_nlb(is) == zone->least_nlb) {
        lost++;
    } else {
        torn++;
    }
    g_assert_cmphex(is->state, ==, written_nlb(is) == is->capacity_nlb
                                   ? SSD_ZONE_FULL
                                   : written_nlb(is) || is->has_extension
                                   ? SSD_ZONE_CLOSED : SSD_ZONE_EMPTY);
}

static void judge_asked(const Host *h, const Asked *asked, const SsdZone *was,
                        const SsdZone *is)
{
    bool in_doubt = asked->may_be_undone && !is_told(h, asked->tag) &&
                    !asked->before.has_zrwa;

    if (has_begun_as(is, was)) {
        done += in_doubt;
    } else {
        g_assert_true(in_doubt && has_begun_as(is, &asked->before));
        undone++;
    }
}

/* Of a volatile cache: what has been flushed is there, and no gap. */
static void judge_flushed(Host *h, HostZone *zone, const SsdZone *was,
                          const SsdZone *is)
{
    uint64_t flushed_nlb = MIN(zone->flushed_nlb, written_nlb(was));

    sort_told(h, zone);
    g_assert_cmpuint(written_nlb(is), >=, flushed_nlb);
    g_assert_cmpuint(written_nlb(is), <=, written_nlb(was));
    gone += written_nlb(is) < MIN(zone->told_nlb, written_nlb(was));
    flushed += flushed_nlb > 0;
    g_assert_cmphex(is->state, ==, written_nlb(is) == is->capacity_nlb
                                   ? SSD_ZONE_FULL
                                   : written_nlb(is) || is->has_extension
                                   ? SSD_ZONE_CLOSED : SSD_ZONE_EMPTY);
}

/* A finish that is done has filled the zone; of others, as judge_asked(). */
static void judge_volatile(Host *h, HostZone *zone, const SsdZone *was,
                           const SsdZone *is)
{
    bool is_last = zone->writes->len == 0 && zone->has_asked;
    bool in_doubt = is_last && zone->asked.may_be_undone &&
                    !is_told(h, zone->asked.tag) &&
                    !zone->asked.before.has_zrwa;

    if (in_doubt && has_begun_as(is, was)) {
        done++;
    } else if (in_doubt && was->state == SSD_ZONE_EMPTY) {
        g_assert_true(has_begun_as(is, &zone->asked.before));
        undone++;
    } else if (in_doubt) {
        judge_flushed(h, zone, &zone->asked.before, is);
        undone++;
    } else if (is_last && was->state == SSD_ZONE_FULL &&
               zone->asked.may_be_undone) {
        g_assert_cmphex(is->state, ==, SSD_ZONE_FULL);
    } else {
        judge_flushed(h, zone, was, is);
    }
}

static void judge_zone(Host *h, Ssd *next, uint32_t nsid, uint32_t zone_idx)
{
    HostZone *zone = host_zone(h, nsid, zone_idx);
    SsdZone was = ssd_zone(h->ssd, nsid, zone_idx);
    SsdZone is = ssd_zone(next, nsid, zone_idx);

    if (was.state == SSD_ZONE_READ_ONLY || was.state == SSD_ZONE_OFFLINE) {
        g_assert_cmphex(is.state, ==, was.state);
    } else if (was.has_zrwa) {
        g_assert_cmpuint(written_nlb(&is), ==, written_nlb(&was));
        g_assert_true(is.state == SSD_ZONE_CLOSED ? is.has_zrwa
                      : is.state == SSD_ZONE_EMPTY && !written_nlb(&was));
    } else if (is_volatile(h)) {
        judge_volatile(h, zone, &was, &is);
    } else if (zone->writes->len == 0 && zone->has_asked) {
        judge_asked(h, &zone->asked, &was, &is);
    } else {
        judge_writes(h, zone, &was, &is);
    }
}

/* All that a state promises, ssd_load() checks; it comes back the same. */
static void check_sound(Ssd *ssd, const SsdParams *params)
{
    GByteArray *bytes = ssd_save(ssd);
    GError *error = NULL;
    Ssd *loaded = ssd_load(params, bytes->data, bytes->len, &error);

    g_assert_no_error(error);
    same_bytes(bytes, ssd_save(loaded));
    ssd_free(loaded);
}

static void judge(Host *h, Ssd *next)
{
    g_assert_cmpuint(ssd_inflight(next), ==, 0);
    g_assert_cmpuint(ssd_now_ns(next), ==, h->now_ns + h->params.power_up_ns);
    for (uint32_t nsid = 1; nsid <= ssd_ns_count(next); nsid++) {
        SsdNsInfo ns = ssd_ns_info(next, nsid);

        g_assert_cmpuint(ns.lba_bytes, ==,
                         ssd_ns_info(h->ssd, nsid).lba_bytes);
        if (ns.kind == SSD_NS_ZONED) {
            g_assert_cmpuint(ssd_open_count(next, nsid), ==, 0);
        }
        for (uint32_t z = 0; z < ns.zones; z++) {
            judge_zone(h, next, nsid, z);
        }
    }
    check_sound(next, &h->params);
}

/* Blocks are never erased less often than before, in the mean as well. */
static void compare_wear(Ssd *was, Ssd *is)
{
    g_assert_cmpuint(ssd_used_percent(is, ssd_now_ns(is)), >=,
                     ssd_used_percent(was, ssd_now_ns(was)));
    for (uint64_t i = 0; i < MIN(ssd_block_count(was), 5000); i++) {
        g_assert_cmpuint(ssd_block(is, i).erase_count, >=,
                         ssd_block(was, i).erase_count);
    }
}

static void cut(Host *h)
{
    uint64_t seed = rng_next(&h->rng);
    GByteArray *before;
    Ssd *next, *again;

    hear(h);
    before = ssd_save(h->ssd);
    next = ssd_power_cut(h->ssd, h->now_ns, seed);
    again = ssd_power_cut(h->ssd, h->now_ns, seed);
    same_bytes(before, ssd_save(h->ssd));
    same_bytes(ssd_save(next), ssd_save(again));
    judge(h, next);
    compare_wear(h->ssd, next);
    cuts++;
    ssd_free(again);
    ssd_free(h->ssd);
    h->ssd = next;
    h->now_ns = ssd_now_ns(next);
    forget_flushes(h);
    look_at_all(h);
}

/* In the end all that is inside comes out. */
static void drain(Host *h)
{
    for (unsigned i = 0; i < 200000 && ssd_inflight(h->ssd); i++) {
        go_to_next(h);
    }
}

static void host_run(const SsdParams *params, uint64_t seed, unsigned steps)
{
    Host h;

    host_begin(&h, params, seed);
    for (unsigned i = 0; i < steps; i++) {
        command(&h);
        pass_time(&h);
        befall(&h);
        if (rng_chance(&h.rng, 6)) {
            cut(&h);
        }
    }
    drain(&h);
    host_end(&h);
}

/* --- Which drives --------------------------------------------------------- */

static const AnyLimits limits = {
    .zone_programs = 64, .reset_steps = 64, .zones = 300, .spares = 1000,
    .conventional_bytes = SSD_MIB, .least_idle_ns = 100000,
};

/* Of few drives no write may have been inside when the power was cut. */
static void say(bool few)
{
    g_test_message("%u cuts, %u commands: writes %u whole, %u torn, %u lost; "
                   "jobs %u done, %u undone", cuts, accepted, whole, torn, lost,
                   done, undone);
    g_assert_true(cuts && done && undone &&
                  (few || (whole && torn && lost)));
    cuts = accepted = whole = torn = lost = done = undone = 0;
    gone = flushed = 0;
}

static void test_any(void)
{
    uint64_t seed = drive_seed();
    unsigned count = drive_count("FEMU_DRIVES", 40);

    for (unsigned i = 0; i < count; i++) {
        SsdParams params = any_params(1000 * seed + i);

        any_params_cut(&params, &limits);
        host_run(&params, seed + i, 200);
    }
    say(false);
}

static void test_soup(void)
{
    Rng rng = { drive_seed() };
    unsigned count = drive_count("FEMU_DRIVES", 40);

    for (unsigned i = 0; i < count; i++) {
        SsdParams params = soup_params(&rng);

        if (ssd_params_check(&params, NULL)) {
            ssd_params_resolve(&params);
            host_run(&params, rng_next(&rng), 300);
        }
    }
    say(false);
}

/* Front ends, buffers and resets that are in each other's way. */
static void run_whole(void (*change)(Rng *, SsdParams *))
{
    Rng rng = { drive_seed() };
    unsigned count = drive_count("FEMU_DRIVES", 40);

    for (unsigned i = 0; i < count; i++) {
        SsdParams params = soup_whole_params(&rng);

        change(&rng, &params);
        g_assert_true(ssd_params_check(&params, NULL));
        ssd_params_resolve(&params);
        host_run(&params, rng_next(&rng), 300);
    }
    say(count < 40);
}

static void test_whole(void)
{
    run_whole(soup_widen);
}

static void test_conventional(void)
{
    run_whole(soup_add_conventional);
}

/* Buffers and a front end of all kinds, on small zones. */
static void test_buffered(void)
{
    static const char *const drives[] = {
        "write-buffer=48K program-registers=1 page-size=16K lba-size=512 "
        "zones=8 max-active=1 max-open=1",
        "write-buffer=64K program-registers=1 page-size=16K lba-size=512 "
        "zones=6 max-active=1 max-open=1 namespaces=2 take-turns=on "
        "conventional-size=0",
        "write-buffer=80K program-registers=2 page-size=16K lba-size=512 "
        "zones=8 max-active=3 max-open=3 link-in-ns=200000",
        "write-buffer=128K program-registers=2 lba-size=512",
        "write-buffer=64K zone-buffer=36K program-registers=1 lba-size=512 "
        "max-active=4 max-open=4",
        "write-buffer=256K program-registers=2 reset-lock-ns=500000 "
        "reset-base-ns=2000000 fe-reset-ns=5000 erase-at=background",
        "write-buffer=256K program-registers=2 link-in-ns=200000 "
        "take-turns=on fe-write-ns=2000 finish-fills-empty=off "
        "mapping=lazy spare-superblocks=2 erase-at=zone-write",
        "write-buffer=128K program-registers=2 excursion-ns=40000000 "
        "finish-recommended-ns=10000000 reset-recommended-ns=5000000",
        "write-buffer=128K program-registers=2 zrwa-size=16K max-zrwa=2 "
        "zrwa-flush-granularity=4K conventional-size=256K",
        "write-buffer=64K program-registers=1 max-active=4 max-open=4 "
        "buffer-portion=4K conventional-size=64K conventional-buffer=on",
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(drives); i++) {
        SsdParams params = drive_params(drives[i]);

        host_run(&params, drive_seed() + i, 1500);
    }
    say(false);
}

/* A volatile cache, with and without a buffer, on small zones. */
static void test_volatile(void)
{
    static const char *const drives[] = {
        "lba-size=512",
        "write-buffer=128K program-registers=2 lba-size=512",
        "write-buffer=64K zone-buffer=36K program-registers=1 lba-size=512 "
        "max-active=4 max-open=4",
        "write-buffer=256K program-registers=2 reset-lock-ns=500000 "
        "reset-base-ns=2000000 fe-reset-ns=500000 erase-at=background",
        "write-buffer=256K program-registers=2 link-in-ns=200000 "
        "take-turns=on fe-write-ns=2000 finish-fills-empty=off "
        "mapping=lazy spare-superblocks=2 erase-at=zone-write",
        "write-buffer=128K program-registers=2 zrwa-size=16K max-zrwa=2 "
        "zrwa-flush-granularity=4K conventional-size=256K",
        "write-buffer=64K program-registers=1 max-active=4 max-open=4 "
        "buffer-portion=4K conventional-size=64K conventional-buffer=on",
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(drives); i++) {
        g_autofree char *words = g_strconcat("write-cache=volatile ",
                                             drives[i], NULL);
        SsdParams params = drive_params(words);

        host_run(&params, drive_seed() + i, 1500);
    }
    g_test_message("%u cuts: of %u zones what was flushed is there, of %u "
                   "something that was told is gone", cuts, flushed, gone);
    g_assert_true(cuts && gone && flushed && done && undone);
    cuts = accepted = done = undone = gone = flushed = 0;
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/outage/any", test_any);
    g_test_add_func("/outage/soup", test_soup);
    g_test_add_func("/outage/whole", test_whole);
    g_test_add_func("/outage/conventional", test_conventional);
    g_test_add_func("/outage/buffered", test_buffered);
    g_test_add_func("/outage/volatile", test_volatile);
    return g_test_run();
}
