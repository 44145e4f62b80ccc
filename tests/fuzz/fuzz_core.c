/*
 * Fuzzes the core: bytes become a drive, commands, polls, failing zones and
 * formats; the drive is saved and loaded, and so are bytes that nobody saved.
 * What ssd.h promises is checked after each step, and a second drive
 * that gets the same, but is polled in another way, must do the same.
 *
 * The drive is a shipped configuration as it is, or has any value of any
 * parameter (tests/unit/support/any_params.h).
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <glib.h>
#include <string.h>

#include "support/any_params.h"
#include "config_file.h"
#include "fuzz.h"
#include "ssd.h"

#define MAX_RANGES 5
#define DIGEST_BYTES 32 /* at the end of a state */
#define ZONES_LOOKED_AT 16 /* after each step, of a namespace */
#define FIRST_CONFIG 0xf0  /* inputs that begin with more are configurations */

/*
 * What an input can have, for thousands of them are to be run in a second. One
 * in 64 may have more.
 */
static const AnyLimits usual_limits = {
    .zone_programs = 64,
    .reset_steps = 64,
    .zones = 300,
    .spares = 1000,
    .conventional_bytes = SSD_MIB,
    .least_idle_ns = 100000,
};
static const AnyLimits rare_limits = {
    .zone_programs = 4096,
    .reset_steps = 1 << 14,
    .zones = 1 << 16,
    .spares = 1 << 16,
    .conventional_bytes = SSD_GIB,
    .least_idle_ns = 100000,
};

/* Of a drive of which statistics are asked: they sort them. */
#define MAX_BLOCKS_SORTED 10000

/* Of one command, in all of an input; of a rare one, and of others. */
#define MAX_REPEATS 100000
#define USUAL_REPEATS 1000

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
    Inside *inside;      /* [tag] */
    uint32_t *free_tags; /* a stack of those that are not used */
    unsigned inside_count;
    unsigned inside_all; /* of these, of no namespace */
    uint32_t first_zone; /* of those that are looked at, in a namespace */
    unsigned repeats_left;
    bool repeating;
    bool is_rare; /* see rare_limits */
    GArray *dones;       /* SsdDone, of each drive */
    GArray *twin_dones;
} Fuzz;

/* --- The drive ----------------------------------------------------------- */

#define PICK(in, ...)                                                       \
    ((const uint64_t[]) { __VA_ARGS__ }                                     \
        [take(in) % (sizeof((const uint64_t[]) { __VA_ARGS__ }) /           \
                     sizeof(uint64_t))])

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of what is shipped, in their order. */
static GPtrArray *config_names(void)
{
    static GPtrArray *names;
    const char *name;
    GDir *dir;

    if (names) {
        return names;
    }
    names = g_ptr_array_new();
    dir = g_dir_open(FEMU_CONFIGS, 0, NULL);
    g_assert(dir != NULL);
    while ((name = g_dir_read_name(dir))) {
        g_ptr_array_add(names, g_build_filename(FEMU_CONFIGS, name, NULL));
    }
    g_dir_close(dir);
    g_ptr_array_sort(names, compare_names);
    return names;
}

static void take_config(Input *in, SsdParams *p)
{
    GPtrArray *names = config_names();
    const char *name = g_ptr_array_index(names, take(in) % names->len);

    ssd_params_defaults(p);
    if (!config_file_read(name, NULL, p, NULL) ||
        !ssd_params_check(p, NULL)) {
        g_error("%s: not a drive", name);
    }
    ssd_params_resolve(p);
}

/* A parameter, by its number or any, and its value, as far as it is one. */
static void take_setting(Input *in, SsdParams *p)
{
    unsigned count;
    const SsdParamInfo *rows = ssd_params_table(&count);
    uint16_t number = take_bytes(in, 2);
    const SsdParamInfo *row = any_params_row(number);
    uint64_t value = take_bytes(in, 8);

    row = row ? row : &rows[number % count];
    if (row->type == SSD_PARAM_TYPE_BOOL) {
        value &= 1;
    } else if (value < row->min || value > row->max) {
        value = row->min + value % (row->max - row->min + 1);
    }
    any_params_put(p, row, value);
}

/* Mostly few, up to 254; if they contradict each other, none. */
static void take_settings(Input *in, SsdParams *p)
{
    uint8_t how = take(in);
    unsigned count = how < 0x80 ? how % 4 : 2 * (how - 0x80);
    SsdParams set = *p;

    for (unsigned i = 0; i < count; i++) {
        take_setting(in, &set);
    }
    if (ssd_params_check(&set, NULL)) {
        *p = set;
    }
}

/*
 * The first byte: FIRST_CONFIG and above a configuration; 0 the defaults; else
 * a drive from anywhere. Then settings, which a configuration does not get.
 */
static void take_params(Fuzz *f)
{
    Input *in = &f->in;
    SsdParams *p = &f->params;
    uint8_t kind = take(in);
    uint64_t seed;

    if (kind >= FIRST_CONFIG) {
        take_config(in, p);
        return;
    }
    seed = take_bytes(in, 8);
    if (kind == 0) {
        ssd_params_defaults(p);
    } else {
        *p = any_params(seed);
    }
    take_settings(in, p);
    ssd_params_resolve(p);
    f->is_rare = kind % 64 == 63;
    any_params_cut(p, f->is_rare ? &rare_limits : &usual_limits);
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

/* The zones of a namespace that are looked at are [*begin, *end). */
static void window(const Fuzz *f, const SsdNsInfo *ns, uint32_t *begin,
                   uint32_t *end)
{
    *begin = ns->zones <= ZONES_LOOKED_AT
             ? 0 : f->first_zone % (ns->zones - ZONES_LOOKED_AT + 1);
    *end = MIN(*begin + ZONES_LOOKED_AT, ns->zones);
}

/* Zones within their limits; idle, only open and closed ones hold anything. */
static void check_ns(const Fuzz *f, uint32_t nsid)
{
    const SsdParams *p = &f->params;
    SsdNsInfo ns = ssd_ns_info(f->ssd, nsid);
    uint32_t open = 0, active = 0, zrwas = 0;
    uint32_t open_count = ssd_open_count(f->ssd, nsid);
    uint32_t active_count = ssd_active_count(f->ssd, nsid);
    uint32_t begin, end;

    if (ns.kind == SSD_NS_CONVENTIONAL) {
        g_assert(nsid == p->namespaces + 1 && ns.zones == 0);
        g_assert(ns.size_nlb * ns.lba_bytes == p->conventional_bytes);
        return;
    }
    g_assert(ns.size_nlb == ns.zones * ns.zone_size_nlb);
    g_assert(ns.zone_size_nlb * ns.lba_bytes == p->zone_size_bytes);
    g_assert(ns.zone_capacity_nlb * ns.lba_bytes == p->zone_capacity_bytes);
    window(f, &ns, &begin, &end);
    for (uint32_t z = begin; z < end; z++) {
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
    if (ssd_ns_inflight(f->ssd, nsid) == 0 && !p->excursion_ns &&
        end - begin == ns.zones) {
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
    g_assert(inside + f->inside_all == f->inside_count);
}

/* It was inside, it is not late, and nobody was told to come later. */
static void check_done(Fuzz *f, const SsdDone *done)
{
    Inside *inside = &f->inside[done->tag];

    g_assert(done->tag < f->params.cmd_slots && inside->used);
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
    f->inside_all -= inside->nsid == SSD_NSID_ALL;
    f->free_tags[f->params.cmd_slots - f->inside_count--] = done->tag;
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

    if (how < 200) {
        return how % 70;
    }
    return how < 250 ? f->params.mdts_bytes / f->params.lba_bytes - how % 3
                     : (uint32_t)take_bytes(&f->in, 4);
}

/* Zones and resources as a number: equal if nothing has changed. */
static uint64_t digest(const Fuzz *f)
{
    uint64_t sum = 0;

    for (uint32_t nsid = 1; nsid <= ns_count(f); nsid++) {
        sum = sum * 31 + ssd_open_count(f->ssd, nsid);
        sum = sum * 31 + ssd_active_count(f->ssd, nsid);
        SsdNsInfo ns = ssd_ns_info(f->ssd, nsid);
        uint32_t begin, end;

        window(f, &ns, &begin, &end);
        for (uint32_t z = begin; z < end; z++) {
            SsdZone zone = ssd_zone(f->ssd, nsid, z);

            sum = sum * 1000003 + zone.state;
            sum = sum * 1000003 + zone.wp_lba;
            sum = sum * 1000003 + zone.has_zrwa;
        }
    }
    return sum;
}

static void submit(Fuzz *f, const SsdCmd *cmd)
{
    bool looks = f->repeats_left % 64 == 0 || !f->repeating;
    uint32_t tag;
    uint64_t before;
    SsdAccept accept, twin_accept;

    while (!ssd_has_room(f->ssd)) {
        go_to_next(f);
    }
    poll_twin(f);
    /* What is due by now may change resources: let that happen first. */
    poll(f, 0);
    tag = f->free_tags[f->params.cmd_slots - 1 - f->inside_count];
    before = looks ? digest(f) : 0;
    accept = ssd_submit(f->ssd, f->now_ns, cmd, tag);
    twin_accept = ssd_submit(f->twin, f->now_ns, cmd, tag);
    g_assert(accept.status == twin_accept.status);
    if (accept.status != SSD_SUCCESS) {
        g_assert(!looks || digest(f) == before);
        return;
    }
    g_assert(accept.lba == twin_accept.lba);
    f->inside[tag] = (Inside) {
        .used = true, .op = cmd->op, .nsid = cmd->nsid, .at_ns = f->now_ns,
        .result = cmd->op == SSD_OP_APPEND ? accept.lba : 0,
    };
    f->inside_count++;
    f->inside_all += cmd->nsid == SSD_NSID_ALL;
    f->promise_ns = 0;
}

/* Some ranges that are taken, and the same again a block further on. */
static uint32_t take_ranges(Fuzz *f, uint32_t nsid, uint8_t flags,
                            SsdRange *ranges)
{
    uint32_t count = flags < 0xf0 ? flags % (MAX_RANGES + 1)
                                  : SSD_COPY_RANGES_MAX;

    for (uint32_t i = 0; i < count; i++) {
        if (i < MAX_RANGES) {
            ranges[i].slba = take_lba(f, nsid);
            ranges[i].nlb = take_nlb(f);
        } else {
            ranges[i] = ranges[i - MAX_RANGES];
            ranges[i].slba++;
        }
    }
    return count;
}

static void step_command(Fuzz *f, SsdOp op)
{
    SsdRange ranges[SSD_COPY_RANGES_MAX];
    uint8_t flags = take(&f->in);
    uint32_t nsid = take_nsid(f);
    SsdCmd cmd = {
        .op = op, .nsid = nsid, .select_all = flags % 8 == 7,
        .slba = take_lba(f, nsid), .ranges = ranges,
    };

    if (op == SSD_OP_COPY || op == SSD_OP_DEALLOCATE) {
        cmd.range_count = take_ranges(f, nsid, flags, ranges);
    } else if (op < SSD_OP_ZONE_OPEN || op == SSD_OP_ZONE_REPORT) {
        cmd.nlb = take_nlb(f);
    }
    if (flags == 0xff) {
        cmd.nsid = PICK(&f->in, 0, 1 + ns_count(f), SSD_NSID_ALL);
    }
    submit(f, &cmd);
}

/*
 * One command again and again, to one zone or to all in turn, each behind a
 * block that is written if so wanted: what piles up shows.
 */
static void step_repeat(Fuzz *f)
{
    SsdOp op = take(&f->in) % SSD_OP_COUNT;
    unsigned count = 1u << take(&f->in) % 18;
    uint8_t flags = take(&f->in);
    uint32_t nsid = take_nsid(f);
    SsdNsInfo ns = ssd_ns_info(f->ssd, nsid);
    uint32_t zones = flags & 1 ? MIN(ns.zones, 256) : 1;

    count = MIN(count, f->repeats_left);
    f->repeating = true;
    for (unsigned i = 0; i < count; i++, f->repeats_left--) {
        uint64_t lba = 0;

        if (ns.kind == SSD_NS_ZONED) {
            SsdZone zone = ssd_zone(f->ssd, nsid, i % zones);

            lba = op < SSD_OP_ZONE_OPEN ? zone.wp_lba : zone.start_lba;
            if (flags & 2) {
                submit(f, &(SsdCmd) { .op = SSD_OP_WRITE, .nsid = nsid,
                                      .slba = zone.wp_lba, .nlb = 1 });
            }
        }
        submit(f, &(SsdCmd) {
            .op = op, .nsid = nsid, .slba = lba, .nlb = 1,
            .select_all = (flags & 0xfc) == 0xfc,
            .ranges = &(SsdRange) { 0, 1 }, .range_count = 1,
        });
        if (flags & 4) {
            go_to_next(f);
        }
    }
    f->repeating = false;
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
    } else if (ssd_block_count(f->ssd) <= MAX_BLOCKS_SORTED) {
        g_free(ssd_stats_json(f->ssd, f->now_ns, NULL));
    }
}

/* SHA-256 of all bytes before the last 32, which are that. */
static void seal(GByteArray *bytes)
{
    g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
    gsize count = DIGEST_BYTES;

    g_checksum_update(checksum, bytes->data, bytes->len - DIGEST_BYTES);
    g_checksum_get_digest(checksum, bytes->data + bytes->len - DIGEST_BYTES,
                          &count);
}

/* A drive of bytes that no drive has saved goes on, if it is let in. */
static void step_hostile(Fuzz *f)
{
    GByteArray *bytes = ssd_save(f->ssd);
    g_autofree SsdDone *dones = g_new(SsdDone, f->params.cmd_slots);
    Ssd *ssd;

    for (unsigned i = 1 + take(&f->in) % 4; i; i--) {
        uint32_t at = take_bytes(&f->in, 3) % (bytes->len - DIGEST_BYTES);

        bytes->data[at] += take(&f->in);
    }
    seal(bytes);
    ssd = ssd_load(&f->params, bytes->data, bytes->len, NULL);
    for (unsigned i = 0; ssd != NULL && i < 100; i++) {
        uint64_t next_at_ns = ssd_next_at_ns(ssd);

        ssd_poll(ssd, MAX(ssd_now_ns(ssd), MIN(next_at_ns, UINT64_MAX >> 2)),
                 dones, f->params.cmd_slots);
    }
    ssd_free(ssd);
    g_byte_array_unref(bytes);
}

/* The same drive by way of its bytes. */
static Ssd *saved_and_loaded(const Fuzz *f, const Ssd *ssd)
{
    GByteArray *saved = ssd_save(ssd), *again;
    GError *error = NULL;
    Ssd *loaded = ssd_load(&f->params, saved->data, saved->len, &error);

    g_assert_no_error(error);
    again = ssd_save(loaded);
    g_assert(saved->len == again->len &&
             memcmp(saved->data, again->data, saved->len) == 0);
    g_byte_array_unref(again);
    g_byte_array_unref(saved);
    return loaded;
}

/* The drive is put away, and another one goes on in its place. */
static void step_save(Fuzz *f)
{
    Ssd *loaded = saved_and_loaded(f, f->ssd);

    ssd_free(f->ssd);
    f->ssd = loaded;
}

/* If its power went now, what would come back is a drive. */
static void check_cut(Fuzz *f)
{
    Ssd *next = ssd_power_cut(f->ssd, ssd_now_ns(f->ssd), take(&f->in));

    ssd_free(saved_and_loaded(f, next));
    ssd_free(next);
}

static void step(Fuzz *f)
{
    uint8_t what = take(&f->in);

    if (what < 0xc0) {
        step_command(f, what % (SSD_OP_COUNT + 1));
    } else if (what < 0xd8) {
        f->now_ns += take_bytes(&f->in, 1 + what % 4);
    } else if (what < 0xda) {
        step_save(f);
    } else if (what < 0xdb) {
        check_cut(f);
    } else if (what < 0xdc) {
        step_hostile(f);
    } else if (what < 0xe4) {
        poll(f, take(&f->in) % 9);
        poll_zones(f);
    } else if (what < 0xf0) {
        go_to_next(f);
    } else if (what < 0xf2) {
        drain(f);
    } else if (what < 0xf4) {
        step_repeat(f);
    } else if (what < 0xf8) {
        step_fail(f);
    } else if (what < 0xfc) {
        step_stats(f);
    } else {
        step_format(f);
    }
    f->first_zone++;
    check_namespaces(f);
}

/* How often a command may be repeated: less, if each may take many steps. */
static unsigned repeats(const Fuzz *f)
{
    const SsdParams *p = &f->params;
    uint64_t programs = p->zone_capacity_bytes / ssd_params_program_bytes(p);

    return (f->is_rare ? MAX_REPEATS : USUAL_REPEATS) /
           (1 + programs / 16 + p->reset_steps * p->channels * p->ways *
            p->dies * p->planes / 16);
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

    take_params(&f);
    f.ssd = ssd_new(&f.params);
    f.twin = ssd_new(&f.params);
    f.inside = g_new0(Inside, f.params.cmd_slots);
    f.free_tags = g_new(uint32_t, f.params.cmd_slots);
    for (uint32_t i = 0; i < f.params.cmd_slots; i++) {
        f.free_tags[i] = i;
    }
    f.repeats_left = repeats(&f);
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
    g_free(f.free_tags);
    g_free(f.inside);
    ssd_free(f.ssd);
    ssd_free(f.twin);
    return 0;
}
