/*
 * Fuzzes the core: bytes become a drive, commands, polls, failing zones and
 * formats. What ssd.h promises is checked after each step, and a second drive
 * that gets the same, but is polled in another way, must do the same.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <glib.h>
#include <string.h>

#include "fuzz.h"
#include "ssd.h"

#define MAX_SLOTS 40
#define MAX_ZONES 16
#define MAX_NAMESPACES 3
#define MAX_RANGES 5

/* The input; once it is used up, zeroes follow. */
typedef struct Input {
    const uint8_t *at;
    const uint8_t *end;
} Input;

static uint8_t take(Input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static uint64_t take_bytes(Input *in, unsigned count)
{
    uint64_t value = 0;

    while (count--) {
        value = value << 8 | take(in);
    }
    return value;
}

/* A command that was accepted and has not completed. The tag is its index. */
typedef struct Inside {
    bool used;
    SsdOp op;
    uint32_t nsid;
    uint64_t at_ns;
    uint64_t result;
} Inside;

typedef struct Fuzz {
    Input in;
    SsdParams params;
    Ssd *ssd;
    Ssd *twin;           /* gets the same commands, polled before each */
    uint64_t now_ns;
    uint64_t last_due_ns;
    uint64_t promise_ns; /* nothing is due before, as long as nobody submits */
    Inside inside[MAX_SLOTS];
    unsigned inside_count;
    GArray *dones;       /* SsdDone, of each drive */
    GArray *twin_dones;
} Fuzz;

/* --- The drive ----------------------------------------------------------- */

#define PICK(in, ...)                                                       \
    ((const uint64_t[]) { __VA_ARGS__ }                                     \
        [take(in) % (sizeof((const uint64_t[]) { __VA_ARGS__ }) /           \
                     sizeof(uint64_t))])

/* How units work: several planes and pages at a time, registers, reads. */
static void take_array(Input *in, SsdParams *p)
{
    p->multi_plane = take(in) & 1;
    p->program_pages = PICK(in, 1, 1, 2, 3);
    p->pages_per_block *= p->program_pages;
    p->program_transfer_ns = PICK(in, 0, 5, 9001);
    p->program_data_ns = PICK(in, 0, 5003);
    p->program_spread_permille = PICK(in, 0, 30);
    p->stripe_spread_permille = PICK(in, 0, 60);
    p->read_slow_ns = PICK(in, 0, 70003);
    p->slow_page_permille = PICK(in, 0, 300, 1000);
    p->cache_read = take(in) & 1;
    p->program_registers = PICK(in, 0, 1, 2, 3);
    p->reads_first = PICK(in, 0, 1, 2, 100);
    p->program_suspend = take(in) & 1;
    p->erase_suspend = take(in) & 1;
    p->suspend_ns = PICK(in, 0, 20013);
    p->resume_ns = PICK(in, 0, 3001);
    p->suspend_segment_ns = PICK(in, 0, 1, 50021);
    p->suspend_spread_permille = PICK(in, 0, 500);
}

/* The way in and out, the write buffer, what a reset costs beside erases. */
static void take_front(Input *in, SsdParams *p)
{
    p->fe_read_ns = PICK(in, 0, 2003);
    p->fe_write_ns = PICK(in, 0, 4001);
    p->fe_append_ns = PICK(in, 0, 5003);
    p->fe_finish_ns = PICK(in, 0, 3001);
    p->fe_reset_ns = PICK(in, 0, 7001, 10000000);
    p->fe_small_bytes = PICK(in, 0, 8) * SSD_KIB;
    p->fe_small_write_ns = PICK(in, 0, 6007);
    p->fe_first_write_ns = PICK(in, 0, 1009);
    p->fe_after_permille = PICK(in, 0, 300, 1000);
    p->fe_after_random = take(in) & 1;
    p->link_in_ns = PICK(in, 0, 400000);
    p->link_out_ns = PICK(in, 0, 300000);
    p->fixed_read_ns = PICK(in, 0, 5003);
    p->fixed_append_ns = PICK(in, 0, 7001);
    p->write_buffer_bytes = PICK(in, 0, 64, 256, 4096) * SSD_KIB;
    p->zone_buffer_bytes = PICK(in, 0, 16, 48, 96) * SSD_KIB;
    p->buffer_waiters = take(in) % 4;
    p->buffer_resume_waiters = p->buffer_waiters / 2;
    p->finish_fills_empty = take(in) & 1;
    p->reset_drains = take(in) & 1;
    p->reset_drain_first = p->reset_drains && p->program_registers != 1;
    p->reset_lock_ns = PICK(in, 0, 900007);
    p->reset_steps = PICK(in, 0, 1, 3);
    p->reset_step_ns = PICK(in, 0, 10007);
    p->reset_base_ns = PICK(in, 0, 50021);
    p->reset_full_ns = PICK(in, 0, 20011);
    p->reset_part_ns = PICK(in, 0, 30011);
}

/* Return: false if the parameters contradict each other. */
static bool take_params(Input *in, SsdParams *p)
{
    uint64_t page_bytes;

    ssd_params_defaults(p);
    p->namespaces = PICK(in, 1, 1, 2, MAX_NAMESPACES);
    p->zones = p->namespaces * (1 + take(in) % (MAX_ZONES / p->namespaces));
    p->conventional_bytes = PICK(in, 0, 0, 4, 60, 64, 200) * SSD_KIB;
    p->conventional_spare_pct = PICK(in, 0, 0, 7, 100);
    p->page_bytes = PICK(in, 4, 8, 12, 16, 48) * SSD_KIB;
    p->zone_size_bytes = PICK(in, 64, 128, 256) * SSD_KIB;
    p->lba_bytes = PICK(in, 512, 4096);
    p->max_active = take(in) % 6;
    p->max_open = p->max_active ? take(in) % (p->max_active + 1) : 0;
    p->zone_channels = PICK(in, 1, 2, 3);
    p->channels = p->zone_channels * PICK(in, 1, 2);
    p->zone_ways = PICK(in, 1, 2);
    p->ways = p->zone_ways * PICK(in, 1, 2);
    p->zone_dies = p->dies = PICK(in, 1, 2);
    p->zone_planes = p->planes = PICK(in, 1, 2);
    p->pages_per_block = PICK(in, 1, 2, 3, 7);
    if (take(in) & 1) {
        take_array(in, p);
    }
    if (take(in) & 1) {
        take_front(in, p);
    }
    page_bytes = ssd_params_program_bytes(p);
    if (page_bytes > p->zone_size_bytes) {
        return false;
    }
    if (p->write_buffer_bytes) {
        p->program_registers += p->program_registers == 0;
        p->write_buffer_bytes += MAX_ZONES * MAX_NAMESPACES * page_bytes;
        p->zone_buffer_bytes += p->zone_buffer_bytes ? 2 * page_bytes : 0;
    }
    p->zone_capacity_bytes = page_bytes *
        (1 + take(in) % (p->zone_size_bytes / page_bytes));
    p->read_ns = PICK(in, 0, 1, 60000, 60013);
    p->program_ns = PICK(in, 0, 25000, 700000, 700027);
    p->erase_ns = PICK(in, 0, 700000, 3500000, 3500017);
    p->page_transfer_ns = PICK(in, 0, 3, 25000, 900001);
    p->read_granule_bytes = PICK(in, 0, 512, 4096);
    p->finish_chunk_bytes = PICK(in, 0, 1, 2, 3, 8) * page_bytes;
    p->finish_pause_ns = PICK(in, 0, 0, 1, 900001);
    p->finish_busy_pause_ns = PICK(in, 0, 0, 5000000);
    p->finish_stall_ns = PICK(in, 0, 0, 1000, 50000000);
    p->erase_at = take(in) % (SSD_ERASE_AT_BLOCK_WRITE + 1);
    p->full_erase = take(in) & 1;
    p->erase_preemptive = take(in) & 1;
    p->erase_stall_ns = PICK(in, 0, 0, 1000, 50000000);
    p->idle_ns = PICK(in, 1000, 100000);
    p->mapping = take(in) % (SSD_MAPPING_REMAP + 1);
    p->spare_superblocks = p->mapping ? take(in) % 3 : 0;
    p->superblock_order = take(in) % 3;
    p->mgmt_parallel_zones = PICK(in, 1, 2, 3, 20);
    p->cmd_slots = PICK(in, 1, 2, 5, MAX_SLOTS);
    p->mdts_bytes = PICK(in, 8, 16, 64, 512) * SSD_KIB;
    p->zasl_bytes = PICK(in, 0, 8) * SSD_KIB;
    p->zrwa_granule_bytes = PICK(in, 0, 4) * SSD_KIB;
    p->zrwa_bytes = PICK(in, 0, 1, 2, 5) *
                    MAX(p->page_bytes, p->zrwa_granule_bytes);
    p->max_zrwa = take(in) % 3;
    p->finish_recommended_ns = PICK(in, 0, 0, 1, 1000000);
    p->excursion_ns = PICK(in, 0, 0, 2, 3000000);
    p->reset_recommended_ns = PICK(in, 0, 0, 5000000);
    p->program_issue_ns = PICK(in, 0, 3011, 900007);
    p->fixed_write_ns = PICK(in, 0, 6007);
    p->buffer_release_ns = PICK(in, 0, 211001, 1000000000);
    if (!ssd_params_check(p, NULL)) {
        return false;
    }
    ssd_params_resolve(p);
    return true;
}

/* --- Promises of ssd.h --------------------------------------------------- */

static bool is_open(SsdZoneState state)
{
    return state == SSD_ZONE_IMPLICITLY_OPEN ||
           state == SSD_ZONE_EXPLICITLY_OPEN;
}

static void check_zone(const SsdNsInfo *ns, const SsdZone *zone,
                       uint32_t zone_idx)
{
    uint64_t written_nlb = zone->wp_lba - zone->start_lba;

    g_assert(zone->start_lba == zone_idx * ns->zone_size_nlb);
    g_assert(zone->capacity_nlb == ns->zone_capacity_nlb);
    g_assert(written_nlb <= zone->capacity_nlb);
    g_assert(zone->state != SSD_ZONE_EMPTY || written_nlb == 0);
    g_assert(!zone->has_zrwa || is_open(zone->state) ||
             zone->state == SSD_ZONE_CLOSED);
    g_assert(!zone->finish_recommended || is_open(zone->state) ||
             zone->state == SSD_ZONE_CLOSED);
    g_assert(zone->state == SSD_ZONE_FULL ||
             (!zone->finished_by_controller && !zone->reset_recommended));
    g_assert((!is_open(zone->state) && zone->state != SSD_ZONE_CLOSED) ||
             written_nlb < zone->capacity_nlb);
}

/* The namespaces are there, the zoned ones first. */
static uint32_t ns_count(const Fuzz *f)
{
    return f->params.namespaces + (f->params.conventional_bytes != 0);
}

/* Zones within their limits; idle, only open and closed ones hold anything. */
static void check_ns(const Fuzz *f, uint32_t nsid)
{
    const SsdParams *p = &f->params;
    SsdNsInfo ns = ssd_ns_info(f->ssd, nsid);
    uint32_t open = 0, active = 0, zrwas = 0;
    uint32_t open_count = ssd_open_count(f->ssd, nsid);
    uint32_t active_count = ssd_active_count(f->ssd, nsid);

    if (ns.kind == SSD_NS_CONVENTIONAL) {
        g_assert(nsid == p->namespaces + 1 && ns.zones == 0);
        g_assert(ns.size_nlb * ns.lba_bytes == p->conventional_bytes);
        return;
    }
    g_assert(ns.size_nlb == ns.zones * ns.zone_size_nlb);
    g_assert(ns.zone_size_nlb * ns.lba_bytes == p->zone_size_bytes);
    g_assert(ns.zone_capacity_nlb * ns.lba_bytes == p->zone_capacity_bytes);
    for (uint32_t z = 0; z < ns.zones; z++) {
        SsdZone zone = ssd_zone(f->ssd, nsid, z);

        check_zone(&ns, &zone, z);
        open += is_open(zone.state);
        active += is_open(zone.state) || zone.state == SSD_ZONE_CLOSED;
        zrwas += zone.has_zrwa;
    }
    g_assert(zrwas <= (p->zrwa_bytes ? p->max_zrwa : 0));
    g_assert(open <= open_count && active <= active_count);
    g_assert(open_count <= active_count);
    g_assert(!p->max_open || open_count <= p->max_open);
    g_assert(!p->max_active || active_count <= p->max_active);
    /* What the controller finishes, it may fill when nobody asks. */
    if (ssd_ns_inflight(f->ssd, nsid) == 0 && !p->excursion_ns) {
        g_assert(open == open_count && active == active_count);
    }
}

static void check_namespaces(const Fuzz *f)
{
    unsigned inside = 0;

    g_assert(ssd_ns_count(f->ssd) == ns_count(f));
    for (uint32_t i = 1; i <= ns_count(f); i++) {
        check_ns(f, i);
        inside += ssd_ns_inflight(f->ssd, i);
    }
    for (unsigned i = 0; i < MAX_SLOTS; i++) {
        inside += f->inside[i].used && f->inside[i].nsid == SSD_NSID_ALL;
    }
    g_assert(inside == f->inside_count);
}

/* It was inside, it is not late, and nobody was told to come later. */
static void check_done(Fuzz *f, const SsdDone *done)
{
    Inside *inside = &f->inside[done->tag];

    g_assert(done->tag < MAX_SLOTS && inside->used);
    g_assert(done->status == SSD_SUCCESS && done->op == inside->op);
    g_assert(done->nsid == inside->nsid);
    g_assert(done->result == inside->result);
    g_assert(done->submitted_at_ns == inside->at_ns);
    g_assert(done->due_at_ns >= inside->at_ns);
    g_assert(done->due_at_ns >= f->last_due_ns);
    g_assert(done->due_at_ns >= f->promise_ns);
    g_assert(done->due_at_ns <= f->now_ns);
    f->last_due_ns = done->due_at_ns;
    inside->used = false;
    f->inside_count--;
}

/* Do zones change of themselves? */
static bool is_watched(const Fuzz *f)
{
    return f->params.excursion_ns || f->params.finish_recommended_ns ||
           f->params.reset_recommended_ns;
}

/* Each zone once, and none of them without a reason. */
static void poll_zones(Fuzz *f)
{
    uint32_t nsid, zone_idx;

    for (unsigned i = 0; ssd_poll_zone(f->ssd, f->now_ns, &nsid, &zone_idx);
         i++) {
        g_assert(i < f->params.zones && is_watched(f));
        g_assert(nsid >= 1 && nsid <= f->params.namespaces);
        g_assert(zone_idx < ssd_ns_info(f->ssd, nsid).zones);
    }
}

/* All that is due has left. */
static void check_next(Fuzz *f)
{
    uint64_t next_at_ns = ssd_next_at_ns(f->ssd);

    g_assert(next_at_ns > f->now_ns);
    g_assert(next_at_ns != UINT64_MAX || f->inside_count == 0);
    g_assert(next_at_ns == UINT64_MAX || f->inside_count || is_watched(f));
    f->promise_ns = MAX(f->promise_ns, next_at_ns);
}

static void poll(Fuzz *f, unsigned max)
{
    SsdDone dones[8];
    unsigned count = ssd_poll(f->ssd, f->now_ns, dones, MIN(max, 8));

    g_assert(count <= MIN(max, 8));
    for (unsigned i = 0; i < count; i++) {
        check_done(f, &dones[i]);
        g_array_append_val(f->dones, dones[i]);
    }
    g_assert(ssd_inflight(f->ssd) == f->inside_count);
    if (count < MIN(max, 8)) {
        check_next(f);
    }
}

static void poll_all(Fuzz *f)
{
    guint before;

    do {
        before = f->dones->len;
        poll(f, 8);
    } while (f->dones->len == before + 8);
}

static void poll_twin(Fuzz *f)
{
    SsdDone done;

    while (ssd_poll(f->twin, f->now_ns, &done, 1)) {
        g_array_append_val(f->twin_dones, done);
    }
}

static void go_to_next(Fuzz *f)
{
    uint64_t next_at_ns = ssd_next_at_ns(f->ssd);

    if (next_at_ns != UINT64_MAX) {
        f->now_ns = MAX(f->now_ns, next_at_ns);
    }
    poll_all(f);
}

static void drain(Fuzz *f)
{
    while (f->inside_count) {
        go_to_next(f);
    }
    g_assert(ssd_next_at_ns(f->ssd) == UINT64_MAX || is_watched(f));
    g_assert(ssd_has_room(f->ssd));
    poll_twin(f);
}

/* --- Steps --------------------------------------------------------------- */

static uint32_t take_nsid(Fuzz *f)
{
    return 1 + take(&f->in) % ns_count(f);
}

/* Mostly at a zone's write pointer or start, sometimes anywhere. */
static uint64_t take_lba(Fuzz *f, uint32_t nsid)
{
    uint8_t how = take(&f->in);
    SsdNsInfo ns = ssd_ns_info(f->ssd, nsid);
    SsdZone zone;

    if (ns.kind == SSD_NS_CONVENTIONAL) {
        return how < 250 ? (how * UINT64_C(256) + take(&f->in)) % ns.size_nlb
                         : take_bytes(&f->in, 8);
    }
    zone = ssd_zone(f->ssd, nsid, how % ns.zones);

    switch (how >> 5) {
    case 0:
    case 1:
    case 2:
        return zone.wp_lba + (zone.has_zrwa ? take(&f->in) % 64 : 0);
    case 3:
    case 4:
        return zone.start_lba;
    case 5:
        return zone.start_lba + take(&f->in);
    case 6:
        return zone.start_lba + zone.capacity_nlb - take(&f->in) % 4;
    default:
        return take_bytes(&f->in, 8);
    }
}

static uint32_t take_nlb(Fuzz *f)
{
    uint8_t how = take(&f->in);

    return how < 250 ? how % 70 : (uint32_t)take_bytes(&f->in, 4);
}

/* Zones and resources as a number: equal if nothing has changed. */
static uint64_t digest(const Fuzz *f)
{
    uint64_t sum = 0;

    for (uint32_t nsid = 1; nsid <= ns_count(f); nsid++) {
        sum = sum * 31 + ssd_open_count(f->ssd, nsid);
        sum = sum * 31 + ssd_active_count(f->ssd, nsid);
        for (uint32_t z = 0; z < ssd_ns_info(f->ssd, nsid).zones; z++) {
            SsdZone zone = ssd_zone(f->ssd, nsid, z);

            sum = sum * 1000003 + zone.state;
            sum = sum * 1000003 + zone.wp_lba;
            sum = sum * 1000003 + zone.has_zrwa;
        }
    }
    return sum;
}

static uint32_t free_tag(const Fuzz *f)
{
    uint32_t tag = 0;

    while (f->inside[tag].used) {
        tag++;
    }
    g_assert(tag < MAX_SLOTS);
    return tag;
}

static void submit(Fuzz *f, const SsdCmd *cmd)
{
    uint32_t tag;
    uint64_t before;
    SsdAccept accept, twin_accept;

    while (!ssd_has_room(f->ssd)) {
        go_to_next(f);
    }
    poll_twin(f);
    /* What is due by now may change resources: let that happen first. */
    poll(f, 0);
    tag = free_tag(f);
    before = digest(f);
    accept = ssd_submit(f->ssd, f->now_ns, cmd, tag);
    twin_accept = ssd_submit(f->twin, f->now_ns, cmd, tag);
    g_assert(accept.status == twin_accept.status);
    if (accept.status != SSD_SUCCESS) {
        g_assert(digest(f) == before);
        return;
    }
    g_assert(accept.lba == twin_accept.lba);
    f->inside[tag] = (Inside) {
        .used = true, .op = cmd->op, .nsid = cmd->nsid, .at_ns = f->now_ns,
        .result = cmd->op == SSD_OP_APPEND ? accept.lba : 0,
    };
    f->inside_count++;
    f->promise_ns = 0;
}

static void step_command(Fuzz *f, SsdOp op)
{
    SsdRange ranges[MAX_RANGES];
    uint8_t flags = take(&f->in);
    uint32_t nsid = take_nsid(f);
    SsdCmd cmd = {
        .op = op, .nsid = nsid, .select_all = flags % 8 == 7,
        .slba = take_lba(f, nsid), .ranges = ranges,
    };

    if (op == SSD_OP_COPY || op == SSD_OP_DEALLOCATE) {
        cmd.range_count = flags % (MAX_RANGES + 1);
        for (uint32_t i = 0; i < cmd.range_count; i++) {
            ranges[i].slba = take_lba(f, nsid);
            ranges[i].nlb = take_nlb(f);
        }
    } else if (op < SSD_OP_ZONE_OPEN) {
        cmd.nlb = take_nlb(f);
    }
    if (flags == 0xff) {
        cmd.nsid = PICK(&f->in, 0, 2 + MAX_NAMESPACES, SSD_NSID_ALL);
    }
    submit(f, &cmd);
}

static void step_fail(Fuzz *f)
{
    uint32_t nsid = 1 + take(&f->in) % f->params.namespaces;
    uint32_t zone_idx = take(&f->in) % ssd_ns_info(f->ssd, nsid).zones;
    SsdZoneState state = take(&f->in) % 2 ? SSD_ZONE_OFFLINE :
                                            SSD_ZONE_READ_ONLY;
    bool failed;

    failed = ssd_zone_fail(f->ssd, f->now_ns, nsid, zone_idx, state);
    g_assert(ssd_zone_fail(f->twin, f->now_ns, nsid, zone_idx, state) ==
             failed);
    g_assert(!failed || ssd_zone(f->ssd, nsid, zone_idx).state == state);
    f->promise_ns = 0;
}

/* Of one namespace as soon as nothing of it is inside, or of all. */
static void step_format(Fuzz *f)
{
    uint32_t lba_bytes = PICK(&f->in, 512, 4096, 512, 4096, 1024, 0);
    uint32_t nsid = take(&f->in) % 4 ? take_nsid(f) : SSD_NSID_ALL;
    bool formatted;

    if (nsid == SSD_NSID_ALL) {
        drain(f);
    }
    while (nsid != SSD_NSID_ALL && ssd_ns_inflight(f->ssd, nsid)) {
        go_to_next(f);
    }
    poll_twin(f);
    formatted = ssd_format(f->ssd, f->now_ns, nsid, lba_bytes, NULL);
    g_assert(ssd_format(f->twin, f->now_ns, nsid, lba_bytes, NULL) ==
             formatted);
    g_assert(formatted == (lba_bytes == 512 || lba_bytes == 4096));
    for (uint32_t i = 1; formatted && i <= ns_count(f); i++) {
        if (i == nsid || nsid == SSD_NSID_ALL) {
            g_assert(ssd_active_count(f->ssd, i) == 0);
            g_assert(ssd_ns_info(f->ssd, i).lba_bytes == lba_bytes);
        }
    }
}

static void step_stats(Fuzz *f)
{
    if (take(&f->in) % 2) {
        ssd_stats_reset(f->ssd, f->now_ns);
    } else {
        g_free(ssd_stats_json(f->ssd, f->now_ns, NULL));
    }
}

static void step(Fuzz *f)
{
    uint8_t what = take(&f->in);

    if (what < 0xc0) {
        step_command(f, what % (SSD_OP_COUNT + 1));
    } else if (what < 0xd8) {
        f->now_ns += take_bytes(&f->in, 1 + what % 4);
    } else if (what < 0xe4) {
        poll(f, take(&f->in) % 9);
        poll_zones(f);
    } else if (what < 0xf0) {
        go_to_next(f);
    } else if (what < 0xf4) {
        drain(f);
    } else if (what < 0xf8) {
        step_fail(f);
    } else if (what < 0xfc) {
        step_stats(f);
    } else {
        step_format(f);
    }
    check_namespaces(f);
}

/* Both drives did the same, to the nanosecond and in the same order. */
static void compare(const Fuzz *f)
{
    g_assert(f->dones->len == f->twin_dones->len);
    for (guint i = 0; i < f->dones->len; i++) {
        const SsdDone *a = &g_array_index(f->dones, SsdDone, i);
        const SsdDone *b = &g_array_index(f->twin_dones, SsdDone, i);

        g_assert(a->tag == b->tag && a->op == b->op);
        g_assert(a->due_at_ns == b->due_at_ns && a->result == b->result);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Fuzz f = { .in = { data, data + size } };

    if (!take_params(&f.in, &f.params)) {
        return 0;
    }
    f.ssd = ssd_new(&f.params);
    f.twin = ssd_new(&f.params);
    f.dones = g_array_new(FALSE, FALSE, sizeof(SsdDone));
    f.twin_dones = g_array_new(FALSE, FALSE, sizeof(SsdDone));
    while (f.in.at < f.in.end) {
        step(&f);
    }
    drain(&f);
    check_namespaces(&f);
    compare(&f);
    g_array_free(f.dones, TRUE);
    g_array_free(f.twin_dones, TRUE);
    ssd_free(f.ssd);
    ssd_free(f.twin);
    return 0;
}
