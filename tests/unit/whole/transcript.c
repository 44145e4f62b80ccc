/*
 * A drive's answers as text: see transcript.h.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "transcript.h"

#include <inttypes.h>

#include "support/drive.h"

#define BUSY_KEPT 512
#define ZONES_USED 12       /* of a namespace, so that they meet each other */
#define ZONES_SHOWN 32
#define BLOCKS_SHOWN 64
#define RANGES 8
#define OPS SSD_OP_SHUTDOWN /* those that the corpus was recorded with */
#define MOST_NS (UINT64_C(1) << 40) /* between two commands */
#define DEAR_PROGRAMS 1024 /* of a zone: such drives finish none */
#define CUTS_PERCENT 6

typedef struct Player {
    Ssd *ssd;
    SsdParams p;
    Rng rng;
    uint64_t now_ns;
    uint32_t next_tag;
    GString *text;
    bool reads_on;      /* most reads begin where the last one ended ... */
    uint32_t read_nsid; /* ... which was of this namespace, up to ... */
    uint64_t read_lba;
} Player;

#define SAY(player, ...) g_string_append_printf((player)->text, __VA_ARGS__)

/* --- What the drive says -------------------------------------------------- */

static void say_zone(Player *r, uint32_t nsid, uint32_t zone_idx)
{
    SsdZone zone = ssd_zone(r->ssd, nsid, zone_idx);

    SAY(r, "zone %u.%u: %x start %" PRIu64 " wp %" PRIu64 " of %" PRIu64
        "%s%s%s%s\n", nsid, zone_idx, zone.state, zone.start_lba,
        zone.state == SSD_ZONE_FULL ? 0 : zone.wp_lba, zone.capacity_nlb,
        zone.has_zrwa ? " zrwa" : "",
        zone.finished_by_controller ? " finished by the controller" : "",
        zone.finish_recommended ? " to be finished" : "",
        zone.reset_recommended ? " to be reset" : "");
}

static void say_changed_zones(Player *r)
{
    uint32_t nsid, zone_idx;

    while (ssd_poll_zone(r->ssd, r->now_ns, &nsid, &zone_idx)) {
        SAY(r, "changed by itself: ");
        say_zone(r, nsid, zone_idx);
    }
}

static void say_done(Player *r, const SsdDone *done)
{
    SAY(r, "done %u: ns %u %s %x result %" PRIu64 " from %" PRIu64 " to %"
        PRIu64 "\n", done->tag, done->nsid, ssd_op_name(done->op),
        done->status, done->result, done->submitted_at_ns, done->due_at_ns);
}

static void say_busy(Player *r)
{
    SsdBusy busy[16];
    unsigned count;

    do {
        count = ssd_busy_log_take(r->ssd, busy, G_N_ELEMENTS(busy));
        for (unsigned i = 0; i < count; i++) {
            SAY(r, "%s %u: %s %" PRIu64 " to %" PRIu64 "\n",
                busy[i].is_channel ? "channel" : "unit", busy[i].resource_idx,
                busy[i].what, busy[i].begin_at_ns, busy[i].end_at_ns);
        }
    } while (count);
}

static void poll(Player *r)
{
    SsdDone done[8];
    unsigned count;

    do {
        count = ssd_poll(r->ssd, r->now_ns, done, G_N_ELEMENTS(done));
        for (unsigned i = 0; i < count; i++) {
            say_done(r, &done[i]);
        }
    } while (count == G_N_ELEMENTS(done));
    say_changed_zones(r);
    say_busy(r);
}

static void say_counts(Player *r)
{
    SAY(r, "now %" PRIu64 ": %u inside", r->now_ns, ssd_inflight(r->ssd));
    for (uint32_t nsid = 1; nsid <= ssd_ns_count(r->ssd); nsid++) {
        SAY(r, "; ns %u: %u inside, %u open, %u active", nsid,
            ssd_ns_inflight(r->ssd, nsid), ssd_open_count(r->ssd, nsid),
            ssd_active_count(r->ssd, nsid));
    }
    SAY(r, "\n");
}

static void say_statistics(Player *r)
{
    g_autofree char *json = ssd_stats_json(r->ssd, r->now_ns,
                                           "\"extra\":{}");

    SAY(r, "%s\n", json);
}

static void say_drive(Player *r)
{
    for (SsdOp op = 0; op < OPS; op++) {
        SAY(r, "%s: at most %" PRIu64 " bytes%s\n", ssd_op_name(op),
            ssd_op_limit_bytes(&r->p, op),
            ssd_is_timed(r->ssd, op) ? "" : ", no time");
    }
    for (uint32_t nsid = 1; nsid <= ssd_ns_count(r->ssd); nsid++) {
        SsdNsInfo ns = ssd_ns_info(r->ssd, nsid);

        SAY(r, "ns %u: kind %u, %" PRIu64 " blocks of %u, %u zones from %u on,"
            " of %" PRIu64 ", %" PRIu64 " usable\n", nsid, ns.kind,
            ns.size_nlb, ns.lba_bytes, ns.zones, ns.first_zone_idx,
            ns.zone_size_nlb, ns.zone_capacity_nlb);
    }
}

static void say_units(Player *r)
{
    for (uint32_t zone_idx = 0; zone_idx < 3; zone_idx++) {
        uint32_t count;
        const uint32_t *units;

        if (zone_idx >= ssd_ns_info(r->ssd, 1).zones) {
            break;
        }
        units = ssd_zone_units(r->ssd, 1, zone_idx, &count);
        SAY(r, "units of zone %u:", zone_idx);
        for (uint32_t i = 0; i < MIN(count, 16); i++) {
            SAY(r, " %u", units[i]);
        }
        SAY(r, " of %u\n", count);
    }
}

static void say_all_zones(Player *r)
{
    for (uint32_t nsid = 1; nsid <= r->p.namespaces; nsid++) {
        uint32_t zones = ssd_ns_info(r->ssd, nsid).zones;

        for (uint32_t i = 0; i < MIN(zones, ZONES_SHOWN); i++) {
            say_zone(r, nsid, i);
        }
    }
}

static void say_blocks(Player *r)
{
    uint64_t count = ssd_block_count(r->ssd);

    for (uint64_t i = 0; i < MIN(count, BLOCKS_SHOWN); i++) {
        SsdBlock block = ssd_block(r->ssd, i);

        SAY(r, "block %" PRIu64 " of %" PRIu64 ": superblock %u, unit %u, its "
            "%u, %u erases\n", i, count, block.superblock_idx, block.unit_idx,
            block.block_in_unit_idx, block.erase_count);
    }
    SAY(r, "%" PRIu64 " %% used\n", ssd_used_percent(r->ssd, r->now_ns));
}

/* --- Time ----------------------------------------------------------------- */

static void go_on(Player *r)
{
    r->now_ns = MAX(r->now_ns, ssd_next_at_ns(r->ssd));
    poll(r);
}

static void drain(Player *r)
{
    while (ssd_inflight(r->ssd)) {
        go_on(r);
    }
}

/* Bursts, waits for a program or some, and for all that may come. */
static uint64_t gap_ns(Player *r)
{
    uint64_t unit_ns = r->p.program_ns + r->p.read_ns +
                       r->p.page_transfer_ns + 1;
    uint64_t most_ns;

    switch (rng_below(&r->rng, 16)) {
    case 0 ... 7:
        return 0;
    case 8 ... 11:
        most_ns = 20000;
        break;
    case 12 ... 13:
        most_ns = 2 * unit_ns;
        break;
    case 14:
        most_ns = 30 * unit_ns;
        break;
    default:
        most_ns = 3 * (r->p.erase_ns + r->p.excursion_ns +
                       r->p.reset_lock_ns);
        break;
    }
    return rng_below(&r->rng, MIN(most_ns, MOST_NS) + 1);
}

/* --- Commands ------------------------------------------------------------- */

static uint32_t some_nlb(Player *r, uint32_t most)
{
    switch (rng_below(&r->rng, 8)) {
    case 0:
        return most;
    case 1:
        return 1 + rng_below(&r->rng, most);
    case 2:
    case 3:
        return 1 + rng_below(&r->rng, MIN(most, 16));
    default:
        return 1 + rng_below(&r->rng, MIN(most, 3));
    }
}

static SsdOp some_op(Player *r, bool is_zoned)
{
    static const SsdOp often[] = {
        SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_APPEND, SSD_OP_READ,
        SSD_OP_READ,
    };
    static const SsdOp zone_ops[] = {
        SSD_OP_ZONE_RESET, SSD_OP_ZONE_RESET, SSD_OP_ZONE_FINISH,
        SSD_OP_ZONE_OPEN, SSD_OP_ZONE_CLOSE,
    };
    SsdOp op;

    if (rng_chance(&r->rng, 60)) {
        op = often[rng_below(&r->rng, G_N_ELEMENTS(often))];
    } else if (rng_chance(&r->rng, 40)) {
        op = zone_ops[rng_below(&r->rng, G_N_ELEMENTS(zone_ops))];
    } else {
        op = rng_below(&r->rng, OPS);
    }
    return !is_zoned && op == SSD_OP_APPEND ? SSD_OP_WRITE : op;
}

static void some_ranges(Player *r, SsdCmd *cmd, SsdRange ranges[RANGES],
                        uint64_t within_nlb, uint32_t most_nlb)
{
    cmd->ranges = ranges;
    cmd->range_count = 1 + rng_below(&r->rng, RANGES);
    for (uint32_t i = 0; i < cmd->range_count; i++) {
        ranges[i].slba = rng_below(&r->rng, within_nlb);
        ranges[i].nlb = some_nlb(r, MAX(most_nlb / RANGES, 1));
    }
}

/* So that a run does not end before full zones, nor in minutes of a finish. */
static SsdOp sensible_op(Player *r, SsdOp op, const SsdZone *zone)
{
    uint64_t programs = r->p.zone_capacity_bytes /
                        ssd_params_program_bytes(&r->p);

    if ((op == SSD_OP_WRITE || op == SSD_OP_APPEND) &&
        zone->state == SSD_ZONE_FULL && rng_chance(&r->rng, 70)) {
        return SSD_OP_ZONE_RESET;
    }
    if (op == SSD_OP_ZONE_FINISH && programs > DEAR_PROGRAMS) {
        return SSD_OP_ZONE_CLOSE;
    }
    return op;
}

static void aim_at_zone(Player *r, const SsdNsInfo *ns, SsdCmd *cmd,
                        SsdRange ranges[RANGES])
{
    uint32_t zones = MIN(ns->zones, ZONES_USED);
    uint32_t zone_idx = rng_below(&r->rng, rng_chance(&r->rng, 50)
                                           ? MIN(zones, 3) : zones);
    SsdZone zone = ssd_zone(r->ssd, cmd->nsid, zone_idx);
    uint64_t zone_end_lba = zone.start_lba + zone.capacity_nlb;
    bool is_full = zone.state == SSD_ZONE_FULL;
    uint64_t wp_lba = is_full ? zone_end_lba : zone.wp_lba;
    uint64_t left_nlb = zone_end_lba - MIN(wp_lba, zone_end_lba);

    cmd->slba = zone.start_lba;
    cmd->op = sensible_op(r, cmd->op, &zone);
    switch (cmd->op) {
    case SSD_OP_WRITE:
    case SSD_OP_WRITE_ZEROES:
        cmd->slba = wp_lba + (zone.has_zrwa ? rng_below(&r->rng, 8) : 0);
        cmd->nlb = MIN(cmd->nlb, MAX(left_nlb, 1));
        break;
    case SSD_OP_APPEND:
        cmd->nlb = MIN(cmd->nlb, MAX(left_nlb, 1));
        break;
    case SSD_OP_READ:
    case SSD_OP_VERIFY:
    case SSD_OP_COMPARE:
        cmd->slba += rng_below(&r->rng, wp_lba - zone.start_lba + 1);
        break;
    case SSD_OP_COPY:
    case SSD_OP_DEALLOCATE:
        some_ranges(r, cmd, ranges, zone_end_lba, cmd->nlb);
        cmd->slba = wp_lba;
        break;
    case SSD_OP_ZONE_REPORT:
        cmd->nlb = rng_below(&r->rng, ns->zones - zone_idx + 1);
        break;
    case SSD_OP_ZONE_FLUSH_ZRWA:
        cmd->slba = wp_lba + rng_below(&r->rng, 16);
        break;
    default:
        cmd->select_all = rng_chance(&r->rng, 3);
        break;
    }
}

/* What no driver would ask for. */
static void spoil(Player *r, const SsdNsInfo *ns, SsdCmd *cmd)
{
    switch (rng_below(&r->rng, 6)) {
    case 0:
        cmd->nlb = 0;
        break;
    case 1:
        cmd->nlb = ssd_op_limit_bytes(&r->p, cmd->op) / ns->lba_bytes + 1;
        break;
    case 2:
        cmd->slba = ns->size_nlb - rng_below(&r->rng, 3);
        break;
    case 3:
        cmd->slba += 1 + rng_below(&r->rng, 3);
        break;
    case 4:
        cmd->nsid = rng_chance(&r->rng, 50) ? SSD_NSID_ALL : 0;
        break;
    default:
        cmd->slba += ns->zone_capacity_nlb - 1;
        break;
    }
}

/* So that a drive has something to read ahead for. */
static void read_on(Player *r, SsdCmd *cmd)
{
    if (r->reads_on && cmd->op == SSD_OP_READ) {
        if (cmd->nsid == r->read_nsid && rng_chance(&r->rng, 80)) {
            cmd->slba = r->read_lba;
        }
        r->read_nsid = cmd->nsid;
        r->read_lba = cmd->slba + cmd->nlb;
    }
}

static void submit(Player *r)
{
    uint32_t nsid = 1 + rng_below(&r->rng, ssd_ns_count(r->ssd));
    SsdNsInfo ns = ssd_ns_info(r->ssd, nsid);
    bool is_zoned = ns.kind == SSD_NS_ZONED;
    SsdCmd cmd = { .op = some_op(r, is_zoned), .nsid = nsid };
    SsdRange ranges[RANGES];
    SsdAccept accept;

    cmd.nlb = some_nlb(r, MAX(ssd_op_limit_bytes(&r->p, cmd.op) /
                              ns.lba_bytes, 1));
    if (is_zoned) {
        aim_at_zone(r, &ns, &cmd, ranges);
    } else {
        uint64_t within_nlb = MIN(ns.size_nlb, 4096);

        cmd.slba = rng_below(&r->rng, within_nlb);
        some_ranges(r, &cmd, ranges, within_nlb, cmd.nlb);
    }
    read_on(r, &cmd);
    if (rng_chance(&r->rng, 4)) {
        spoil(r, &ns, &cmd);
    }
    accept = ssd_submit(r->ssd, r->now_ns, &cmd, r->next_tag);
    SAY(r, "%u: at %" PRIu64 " ns %u %s%s %" PRIu64 " +%u: %x", r->next_tag,
        r->now_ns, cmd.nsid, ssd_op_name(cmd.op), cmd.select_all ? " all" : "",
        cmd.slba, cmd.nlb, accept.status);
    if (accept.status == SSD_SUCCESS) {
        SAY(r, " at %" PRIu64, accept.lba);
    }
    SAY(r, "\n");
    r->next_tag++;
    if (is_zoned && rng_chance(&r->rng, 20)) {
        say_zone(r, nsid, MIN(cmd.slba / ns.zone_size_nlb, ns.zones - 1));
    }
}

/* --- What happens to a drive beside commands ------------------------------ */

static void fail_a_zone(Player *r)
{
    uint32_t nsid = 1 + rng_below(&r->rng, r->p.namespaces);
    uint32_t zone_idx = rng_below(&r->rng, ssd_ns_info(r->ssd, nsid).zones);
    SsdZoneState state = rng_chance(&r->rng, 70) ? SSD_ZONE_READ_ONLY
                                                 : SSD_ZONE_OFFLINE;
    bool has_failed = ssd_zone_fail(r->ssd, r->now_ns, nsid, zone_idx, state);

    SAY(r, "fails, %d: ", has_failed);
    say_zone(r, nsid, zone_idx);
}

static void format(Player *r)
{
    g_autoptr(GError) error = NULL;
    uint32_t lba_bytes = rng_chance(&r->rng, 50) ? 512 : 4096;
    bool is_formatted;

    drain(r);
    is_formatted = ssd_format(r->ssd, r->now_ns,
                              1 + rng_below(&r->rng, r->p.namespaces),
                              lba_bytes, &error);
    SAY(r, "format to %u: %s\n", lba_bytes,
        is_formatted ? "done" : error->message);
}

/* What it says of all zones then is what the cut has left of them. */
static void cut_power(Player *r)
{
    uint64_t seed = rng_next(&r->rng);
    Ssd *next;

    poll(r);
    next = ssd_power_cut(r->ssd, r->now_ns, seed);
    ssd_free(r->ssd);
    r->ssd = next;
    SAY(r, "power was cut at %" PRIu64 "\n", r->now_ns);
    r->now_ns = ssd_now_ns(r->ssd);
    say_all_zones(r);
    say_counts(r);
}

static void step(Player *r)
{
    unsigned kind = rng_below(&r->rng, 400);

    r->now_ns += gap_ns(r);
    if (rng_chance(&r->rng, 50)) {
        poll(r);
    }
    while (!ssd_has_room(r->ssd)) {
        go_on(r);
    }
    if (kind == 0) {
        fail_a_zone(r);
    } else if (kind == 1) {
        format(r);
    } else if (kind == 2) {
        say_statistics(r);
        ssd_stats_reset(r->ssd, r->now_ns);
    } else if (kind < 20) {
        say_counts(r);
    } else {
        submit(r);
    }
}

static void save_and_load(Player *r)
{
    GByteArray *bytes = ssd_save(r->ssd);
    GError *error = NULL;

    ssd_free(r->ssd);
    r->ssd = ssd_load(&r->p, bytes->data, bytes->len, &error);
    g_assert_no_error(error);
    g_byte_array_unref(bytes);
}

static Player player_begin(const SsdParams *params, uint64_t seed)
{
    Player r = {
        .ssd = ssd_new(params),
        .p = *params,
        .rng = { seed },
        .text = g_string_new(NULL),
    };

    ssd_busy_log_start(r.ssd, BUSY_KEPT);
    return r;
}

static char *player_end(Player *r)
{
    drain(r);
    say_units(r);
    say_all_zones(r);
    say_blocks(r);
    say_counts(r);
    say_statistics(r);
    ssd_free(r->ssd);
    return g_string_free(r->text, FALSE);
}

Ssd *transcript_drive(const SsdParams *params, uint64_t seed,
                      unsigned commands)
{
    Player r = player_begin(params, seed);

    r.reads_on = true;
    for (unsigned i = 0; i < commands; i++) {
        step(&r);
    }
    g_string_free(r.text, TRUE);
    return r.ssd;
}

char *transcript_of(const SsdParams *params, uint64_t seed, unsigned commands,
                    unsigned saves)
{
    Player r = player_begin(params, seed);

    say_drive(&r);
    for (unsigned i = 0; i < commands; i++) {
        step(&r);
        if (saves > 0 && i % saves == saves - 1) {
            save_and_load(&r);
        }
    }
    return player_end(&r);
}

char *transcript_of_cuts(const SsdParams *params, uint64_t seed,
                         unsigned commands)
{
    Player r = player_begin(params, seed);

    for (unsigned i = 0; i < commands; i++) {
        step(&r);
        if (rng_chance(&r.rng, CUTS_PERCENT)) {
            cut_power(&r);
        }
    }
    return player_end(&r);
}
