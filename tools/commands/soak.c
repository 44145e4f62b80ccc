/*
 * femu-sim soak: hours of a drive's time under mixed load, with verification,
 * zone failures, shutdowns, formats and power cuts, in bounded memory.
 *
 * A host that remembers of each zone what it has asked for and been told of
 * compares that with the zone after each command, and after each cut. What it
 * remembers does not grow: completions of the past are sums.
 *
 * Knows nothing of the drive's inside: it uses ssd.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common/random.h"
#include "ssd.h"

#define SLOTS 32
#define BURST_COMMANDS 400
#define PAUSE_MEAN_NS UINT64_C(3000000000)
#define HOUR_NS UINT64_C(3600000000000)
#define SHOWN 10
#define QUARTERS 4
/*
 * How much more memory the second half may take than the first: what is seldom
 * may come late, and the allocator leaves some unused between blocks. A byte
 * lost for each command would be more.
 */
#define GROWTH_KIB 1024

/* A finish or reset of which the host has not been told: the zone before it. */
typedef struct Doubt {
    bool is_there;
    uint32_t slot;
    uint64_t nlb;
    uint64_t least_nlb;
    bool was_full;
} Doubt;

typedef struct SoakZone {
    uint64_t asked_nlb; /* written, once all that was asked for is done */
    uint64_t told_nlb;  /* up to the end of a write that is done */
    uint64_t safe_nlb;  /* the same when a flush was asked for that is done */
    uint64_t life;
    bool is_filled;     /* full, not by writes alone */
    bool has_failed;
    Doubt doubt;
} SoakZone;

/* A command inside; its slot is the tag. */
typedef struct SoakSlot {
    bool is_taken;
    SsdCmd cmd;
    SoakZone *zone; /* NULL: of no zone */
    uint64_t life;
    uint64_t end_nlb;
    uint64_t lba; /* of an append */
    uint64_t at_ns;
    /* Of a flush, for each zone of the drive: */
    uint64_t *told_nlb;
    uint64_t *lives;
} SoakSlot;

typedef struct Soak {
    Ssd *ssd;
    SsdParams params;
    SimRandom random;
    uint64_t now_ns;
    SoakZone *zones; /* [zone of the drive] */
    SoakSlot slots[SLOTS];
    unsigned inside;
    uint64_t commands, rejects, cuts, failed, faults;
    uint64_t due_at_ns; /* of the last completion */
} Soak;

static uint64_t below(Soak *soak, uint64_t limit)
{
    return sim_random_below(&soak->random, limit);
}

G_GNUC_PRINTF(2, 3)
static void fails(Soak *soak, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    if (soak->failed++ >= SHOWN) {
        return;
    }
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    printf("at %" PRIu64 " ns, command %" PRIu64 ", cut %" PRIu64 ": %s\n",
           soak->now_ns, soak->commands, soak->cuts, text);
}

/* --- What the host remembers ---------------------------------------------- */

static uint64_t written_nlb(const SsdZone *zone)
{
    return zone->state == SSD_ZONE_FULL ? zone->capacity_nlb
                                        : zone->wp_lba - zone->start_lba;
}

static bool is_volatile(const Soak *soak)
{
    return soak->params.write_cache == SSD_WRITE_CACHE_VOLATILE;
}

static SoakZone *zone_of(const Soak *soak, uint32_t nsid, uint32_t zone_idx)
{
    return &soak->zones[ssd_ns_info(soak->ssd, nsid).first_zone_idx +
                        zone_idx];
}

/* All that is known of a zone is what it is now. */
static void look_at(Soak *soak, uint32_t nsid, uint32_t zone_idx)
{
    SoakZone *zone = zone_of(soak, nsid, zone_idx);
    SsdZone is = ssd_zone(soak->ssd, nsid, zone_idx);
    uint64_t life = zone->life + 1;

    *zone = (SoakZone) {
        .asked_nlb = written_nlb(&is),
        .told_nlb = written_nlb(&is),
        .safe_nlb = written_nlb(&is),
        .life = life,
        .is_filled = is.state == SSD_ZONE_FULL,
        .has_failed = is.state == SSD_ZONE_READ_ONLY ||
                      is.state == SSD_ZONE_OFFLINE,
    };
}

/* The zone is as the host has asked for. */
static void compare(Soak *soak, uint32_t nsid, uint32_t zone_idx)
{
    const SoakZone *zone = zone_of(soak, nsid, zone_idx);
    SsdZone is = ssd_zone(soak->ssd, nsid, zone_idx);
    bool want_full = zone->is_filled || zone->asked_nlb == is.capacity_nlb;

    if (is.finished_by_controller && !zone->is_filled) {
        look_at(soak, nsid, zone_idx); /* an excursion */
        return;
    }
    if (!zone->has_failed &&
        ((is.state == SSD_ZONE_FULL) != want_full ||
         (!want_full && written_nlb(&is) != zone->asked_nlb))) {
        fails(soak, "zone %" PRIu32 " of namespace %" PRIu32 " is in state %d "
              "with %" PRIu64 " blocks, not with %" PRIu64, zone_idx, nsid,
              is.state, written_nlb(&is), zone->asked_nlb);
        look_at(soak, nsid, zone_idx);
    }
}

static void note_flush(Soak *soak, SoakSlot *slot)
{
    for (uint32_t z = 0; is_volatile(soak) && z < soak->params.zones; z++) {
        slot->told_nlb[z] = soak->zones[z].told_nlb;
        slot->lives[z] = soak->zones[z].life;
    }
}

static void flush_is_done(Soak *soak, const SoakSlot *slot)
{
    for (uint32_t z = 0; is_volatile(soak) && z < soak->params.zones; z++) {
        SoakZone *zone = &soak->zones[z];

        if (zone->life == slot->lives[z]) {
            zone->safe_nlb = MAX(zone->safe_nlb, slot->told_nlb[z]);
        }
    }
}

static void note_job(Soak *soak, uint32_t slot_idx, SsdOp op,
                     const SsdZone *before)
{
    SoakZone *zone = soak->slots[slot_idx].zone;

    zone->doubt = (Doubt) {
        .is_there = true,
        .slot = slot_idx,
        .nlb = written_nlb(before),
        .least_nlb = is_volatile(soak) ? zone->safe_nlb : zone->told_nlb,
        .was_full = zone->is_filled,
    };
    if (op == SSD_OP_ZONE_RESET) {
        zone->asked_nlb = zone->told_nlb = zone->safe_nlb = 0;
        zone->is_filled = false;
        zone->life++;
    } else {
        zone->is_filled = true;
    }
}

/* A command has been accepted: what it makes of its zone. */
static void note(Soak *soak, uint32_t slot_idx, const SsdZone *before)
{
    SoakSlot *slot = &soak->slots[slot_idx];

    if (slot->cmd.op == SSD_OP_FLUSH) {
        note_flush(soak, slot);
    }
    if (!slot->zone) {
        return;
    }
    if (slot->cmd.op != SSD_OP_READ) {
        slot->zone->doubt.is_there = false;
    }
    switch (slot->cmd.op) {
    case SSD_OP_WRITE:
    case SSD_OP_APPEND:
        slot->lba = before->wp_lba;
        slot->zone->asked_nlb += slot->cmd.nlb;
        slot->end_nlb = slot->zone->asked_nlb;
        break;
    case SSD_OP_ZONE_RESET:
    case SSD_OP_ZONE_FINISH:
        note_job(soak, slot_idx, slot->cmd.op, before);
        break;
    default:
        break;
    }
    slot->life = slot->zone->life;
}

/* --- What it hears -------------------------------------------------------- */

static void told_of_zone(Soak *soak, uint32_t slot_idx)
{
    const SoakSlot *slot = &soak->slots[slot_idx];
    SoakZone *zone = slot->zone;

    if (zone->doubt.is_there && zone->doubt.slot == slot_idx) {
        zone->doubt.is_there = false;
        zone->told_nlb = zone->safe_nlb = zone->asked_nlb;
    }
    if ((slot->cmd.op == SSD_OP_WRITE || slot->cmd.op == SSD_OP_APPEND) &&
        slot->life == zone->life) {
        zone->told_nlb = MAX(zone->told_nlb, slot->end_nlb);
    }
}

static void completed(Soak *soak, const SsdDone *done)
{
    SoakSlot *slot = &soak->slots[done->tag];

    if (!slot->is_taken || done->op != slot->cmd.op ||
        done->status != SSD_SUCCESS || done->due_at_ns < slot->at_ns ||
        done->due_at_ns > soak->now_ns || done->due_at_ns < soak->due_at_ns) {
        fails(soak, "a %s that was submitted at %" PRIu64 " ns is done at %"
              PRIu64 " ns with status 0x%x", ssd_op_name(done->op),
              slot->at_ns, done->due_at_ns, done->status);
    }
    if (done->op == SSD_OP_APPEND && done->result != slot->lba) {
        fails(soak, "an append is at block %" PRIu64 ", not %" PRIu64,
              done->result, slot->lba);
    }
    soak->due_at_ns = done->due_at_ns;
    if (done->op == SSD_OP_FLUSH || done->op == SSD_OP_SHUTDOWN) {
        flush_is_done(soak, slot);
    }
    if (slot->zone) {
        told_of_zone(soak, done->tag);
    }
    slot->is_taken = false;
    soak->inside--;
}

static void hear(Soak *soak, uint64_t now_ns)
{
    uint32_t nsid, zone_idx;
    SsdDone done;

    soak->now_ns = MAX(soak->now_ns, now_ns);
    while (ssd_poll(soak->ssd, soak->now_ns, &done, 1) > 0) {
        completed(soak, &done);
    }
    while (ssd_poll_zone(soak->ssd, soak->now_ns, &nsid, &zone_idx)) {
        compare(soak, nsid, zone_idx);
    }
}

static void drain(Soak *soak)
{
    while (soak->inside > 0) {
        hear(soak, ssd_next_at_ns(soak->ssd));
    }
}

/* --- What it asks --------------------------------------------------------- */

static void submit(Soak *soak, const SsdCmd *cmd)
{
    SsdNsInfo ns = ssd_ns_info(soak->ssd, cmd->nsid);
    bool is_zoned = ns.kind == SSD_NS_ZONED && cmd->op != SSD_OP_FLUSH &&
                    cmd->op != SSD_OP_SHUTDOWN;
    uint32_t zone_idx = is_zoned ? cmd->slba / ns.zone_size_nlb : 0;
    SsdZone before = {0};
    SsdAccept accept;
    uint32_t tag = 0;

    while (soak->inside == SLOTS || !ssd_has_room(soak->ssd)) {
        hear(soak, ssd_next_at_ns(soak->ssd));
    }
    hear(soak, soak->now_ns);
    while (soak->slots[tag].is_taken) {
        tag++;
    }
    if (is_zoned) {
        before = ssd_zone(soak->ssd, cmd->nsid, zone_idx);
    }
    soak->slots[tag].cmd = *cmd;
    soak->slots[tag].at_ns = soak->now_ns;
    soak->slots[tag].zone = is_zoned ? zone_of(soak, cmd->nsid, zone_idx)
                                     : NULL;
    accept = ssd_submit(soak->ssd, soak->now_ns, cmd, tag);
    soak->commands++;
    soak->rejects += accept.status != SSD_SUCCESS;
    if (accept.status == SSD_SUCCESS) {
        soak->slots[tag].is_taken = true;
        soak->inside++;
        note(soak, tag, &before);
    }
    if (is_zoned) {
        compare(soak, cmd->nsid, zone_idx);
    }
}

static SsdOp draw_op(Soak *soak)
{
    static const SsdOp ops[] = {
        SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_APPEND,
        SSD_OP_APPEND, SSD_OP_READ, SSD_OP_READ, SSD_OP_READ, SSD_OP_READ,
    };
    static const SsdOp seldom[] = {
        SSD_OP_FLUSH, SSD_OP_ZONE_RESET, SSD_OP_ZONE_RESET, SSD_OP_ZONE_FINISH,
        SSD_OP_ZONE_OPEN, SSD_OP_ZONE_CLOSE,
    };

    return below(soak, 20) ? ops[below(soak, G_N_ELEMENTS(ops))]
                           : seldom[below(soak, G_N_ELEMENTS(seldom))];
}

/* A zone that may well be active: a few are used more than others. */
static uint32_t draw_zone(Soak *soak, uint32_t zones)
{
    return below(soak, 4) ? below(soak, MIN(zones, 12)) : below(soak, zones);
}

static void ask_zone(Soak *soak, SsdCmd *cmd, const SsdNsInfo *ns)
{
    uint32_t zone_idx = draw_zone(soak, ns->zones);
    SsdZone zone = ssd_zone(soak->ssd, cmd->nsid, zone_idx);
    uint64_t nlb = written_nlb(&zone);

    cmd->slba = zone.start_lba;
    if (cmd->op == SSD_OP_READ) {
        cmd->nlb = MIN(cmd->nlb, MAX(nlb, 1));
        cmd->slba += nlb > cmd->nlb ? below(soak, nlb - cmd->nlb) : 0;
    } else if (cmd->op == SSD_OP_WRITE || cmd->op == SSD_OP_APPEND) {
        if (nlb == zone.capacity_nlb) {
            cmd->op = SSD_OP_ZONE_RESET;
        } else {
            cmd->nlb = MIN(cmd->nlb, zone.capacity_nlb - nlb);
            cmd->slba += cmd->op == SSD_OP_WRITE ? nlb : 0;
        }
    }
    submit(soak, cmd);
}

static void ask(Soak *soak)
{
    uint32_t nsid = 1 + below(soak, ssd_ns_count(soak->ssd));
    SsdNsInfo ns = ssd_ns_info(soak->ssd, nsid);
    uint64_t most_nlb = MIN(ssd_op_limit_bytes(&soak->params, SSD_OP_APPEND),
                            128 * SSD_KIB) / ns.lba_bytes;
    SsdCmd cmd = {
        .op = draw_op(soak), .nsid = nsid, .nlb = 1 + below(soak, most_nlb),
    };

    if (ns.kind == SSD_NS_ZONED) {
        ask_zone(soak, &cmd, &ns);
    } else {
        cmd.op = cmd.op == SSD_OP_READ ? SSD_OP_READ : SSD_OP_WRITE;
        cmd.slba = below(soak, ns.size_nlb - cmd.nlb);
        submit(soak, &cmd);
    }
}

/* --- What befalls the drive ----------------------------------------------- */

/* One in eight zones may fail in all; the rest goes on. */
static void fail_zone(Soak *soak)
{
    SsdNsInfo ns = ssd_ns_info(soak->ssd, 1);
    uint32_t zone_idx = below(soak, ns.zones);

    if (soak->faults < ns.zones / 8 &&
        ssd_zone_fail(soak->ssd, soak->now_ns, 1, zone_idx, below(soak, 2)
                      ? SSD_ZONE_READ_ONLY : SSD_ZONE_OFFLINE)) {
        soak->faults++;
        look_at(soak, 1, zone_idx);
    }
}

static void look_at_all(Soak *soak, uint32_t nsid)
{
    for (uint32_t z = 0; z < ssd_ns_info(soak->ssd, nsid).zones; z++) {
        look_at(soak, nsid, z);
    }
}

static void format(Soak *soak)
{
    SsdNsInfo ns = ssd_ns_info(soak->ssd, 1);
    g_autoptr(GError) error = NULL;

    drain(soak);
    if (!ssd_format(soak->ssd, soak->now_ns, 1, ns.lba_bytes, &error)) {
        fails(soak, "a format: %s", error->message);
    }
    look_at_all(soak, 1);
}

/* As a controller is shut down, and started again. */
static void shut_down(Soak *soak)
{
    SsdCmd cmd = {.op = SSD_OP_SHUTDOWN, .nsid = 1};

    for (uint32_t z = 0; z < soak->params.zones; z++) {
        soak->zones[z].doubt.is_there = false;
    }
    submit(soak, &cmd);
    drain(soak);
    for (uint32_t nsid = 1; nsid <= soak->params.namespaces; nsid++) {
        look_at_all(soak, nsid);
    }
}

static bool is_as(const SsdZone *is, uint64_t least_nlb, uint64_t most_nlb,
                  bool is_filled)
{
    uint64_t nlb = written_nlb(is);
    SsdZoneState state = nlb == is->capacity_nlb ? SSD_ZONE_FULL
                         : nlb || is->has_extension ? SSD_ZONE_CLOSED
                         : SSD_ZONE_EMPTY;

    return is_filled ? is->state == SSD_ZONE_FULL
                     : nlb >= least_nlb && nlb <= most_nlb &&
                       is->state == state;
}

static void judge(Soak *soak, const Ssd *next, uint32_t nsid,
                  uint32_t zone_idx)
{
    const SoakZone *zone = zone_of(soak, nsid, zone_idx);
    SsdZone was = ssd_zone(soak->ssd, nsid, zone_idx);
    SsdZone is = ssd_zone(next, nsid, zone_idx);
    uint64_t least_nlb = is_volatile(soak) ? zone->safe_nlb : zone->told_nlb;
    bool good;

    if (zone->has_failed) {
        good = is.state == was.state;
    } else {
        good = is_as(&is, least_nlb, zone->asked_nlb, zone->is_filled) ||
               (zone->doubt.is_there &&
                is_as(&is, zone->doubt.least_nlb, zone->doubt.nlb,
                      zone->doubt.was_full));
    }
    if (!good) {
        fails(soak, "after the cut zone %" PRIu32 " of namespace %" PRIu32
              " is in state %d with %" PRIu64 " blocks; %" PRIu64 " to %"
              PRIu64 " were expected", zone_idx, nsid, is.state,
              written_nlb(&is), least_nlb, zone->asked_nlb);
    }
}

/* What comes back is sound: it can be saved, and comes back the same. */
static void check_sound(Soak *soak, Ssd *ssd)
{
    GByteArray *bytes = ssd_save(ssd), *again;
    g_autoptr(GError) error = NULL;
    Ssd *loaded = ssd_load(&soak->params, bytes->data, bytes->len, &error);

    if (!loaded) {
        fails(soak, "what was saved is refused: %s", error->message);
    } else {
        again = ssd_save(loaded);
        if (again->len != bytes->len ||
            memcmp(again->data, bytes->data, bytes->len) != 0) {
            fails(soak, "what was saved and loaded is another drive");
        }
        g_byte_array_unref(again);
        ssd_free(loaded);
    }
    g_byte_array_unref(bytes);
}

static void cut(Soak *soak)
{
    Ssd *next = ssd_power_cut(soak->ssd, soak->now_ns,
                              sim_random_next(&soak->random));

    for (uint32_t nsid = 1; nsid <= soak->params.namespaces; nsid++) {
        for (uint32_t z = 0; z < ssd_ns_info(next, nsid).zones; z++) {
            judge(soak, next, nsid, z);
        }
    }
    if (below(soak, 10) == 0) {
        check_sound(soak, soak->ssd);
        check_sound(soak, next);
    }
    ssd_free(soak->ssd);
    soak->ssd = next;
    soak->now_ns = ssd_now_ns(next);
    soak->cuts++;
    soak->inside = 0;
    for (unsigned i = 0; i < SLOTS; i++) {
        soak->slots[i].is_taken = false;
    }
    for (uint32_t nsid = 1; nsid <= soak->params.namespaces; nsid++) {
        look_at_all(soak, nsid);
    }
}

/* --- Hours ---------------------------------------------------------------- */

static void burst(Soak *soak)
{
    unsigned count = 1 + below(soak, 2 * BURST_COMMANDS);

    for (unsigned i = 0; i < count; i++) {
        ask(soak);
        if (below(soak, 3) == 0) {
            hear(soak, soak->now_ns + below(soak, 200000));
        }
    }
}

static void rest(Soak *soak)
{
    switch (below(soak, 40)) {
    case 0:
        shut_down(soak);
        break;
    case 1:
        fail_zone(soak);
        break;
    case 2:
    case 3:
        cut(soak);
        break;
    case 4:
        if (below(soak, 20) == 0) {
            format(soak);
        }
        break;
    default:
        break;
    }
    hear(soak, soak->now_ns + sim_random_exponential(&soak->random,
                                                     PAUSE_MEAN_NS));
}

/*
 * The most memory that this process has had. (getrusage() would count what its
 * parent had when it forked.) 0: the host does not say.
 */
static long peak_kib(void)
{
    g_autofree char *status = NULL;
    const char *line = NULL;

    if (g_file_get_contents("/proc/self/status", &status, NULL, NULL)) {
        line = strstr(status, "VmHWM:");
    }
    return line ? strtol(line + strlen("VmHWM:"), NULL, 10) : 0;
}

static void soak_all(Soak *soak, uint64_t hours)
{
    uint64_t end_ns = hours * HOUR_NS;
    long half_kib = 0;

    for (unsigned quarter = 1; quarter <= QUARTERS; quarter++) {
        while (soak->now_ns < end_ns / QUARTERS * quarter) {
            burst(soak);
            rest(soak);
        }
        printf("after %.2f h: %" PRIu64 " commands, %" PRIu64 " rejected, %"
               PRIu64 " zones failed, %" PRIu64 " cuts, peak memory %ld KiB\n",
               (double)hours * quarter / QUARTERS, soak->commands,
               soak->rejects, soak->faults, soak->cuts, peak_kib());
        fflush(stdout);
        half_kib = quarter == QUARTERS / 2 ? peak_kib() : half_kib;
    }
    if (peak_kib() > half_kib + GROWTH_KIB) {
        fails(soak, "memory has grown from %ld to %ld KiB in the second half",
              half_kib, peak_kib());
    }
}

static void soak_init(Soak *soak, uint64_t seed)
{
    soak->ssd = ssd_new(&soak->params);
    soak->random.state = seed;
    soak->zones = g_new0(SoakZone, soak->params.zones);
    for (unsigned i = 0; i < SLOTS; i++) {
        soak->slots[i].told_nlb = g_new0(uint64_t, soak->params.zones);
        soak->slots[i].lives = g_new0(uint64_t, soak->params.zones);
    }
}

/* What is rare has taken its memory before it is measured. */
static void warm_up(Soak *soak)
{
    Ssd *next = ssd_power_cut(soak->ssd, 0, 0);

    check_sound(soak, soak->ssd);
    check_sound(soak, next);
    ssd_free(next);
}

static void soak_clear(Soak *soak)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        g_free(soak->slots[i].told_nlb);
        g_free(soak->slots[i].lives);
    }
    g_free(soak->zones);
    ssd_free(soak->ssd);
}

int sim_soak_command(int argc, char **argv, GError **error)
{
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_autofree char *hours_text = NULL, *seed_text = NULL;
    const GOptionEntry entries[] = {
        {"hours", 0, 0, G_OPTION_ARG_STRING, &hours_text,
         "Hours of the drive's time (24)", "N"},
        {"seed", 0, 0, G_OPTION_ARG_STRING, &seed_text,
         "Which commands, and what befalls the drive (1)", "N"},
        {0},
    };
    SimDriveOptions drive = {0};
    uint64_t hours = 24, seed = 1;
    int status = SIM_ERROR;
    Soak soak = {0};

    g_option_context_set_summary(
        context,
        "Give a drive bursts of mixed commands and pauses, for hours of its\n"
        "time; let zones fail, shut it down, format it, and cut its power; and\n"
        "compare each zone with what it must be. Exit status 1: it was not, or\n"
        "memory has grown.");
    g_option_context_add_main_entries(context, entries, NULL);
    sim_add_drive_options(context, &drive);
    if (sim_parse_options(context, &argc, &argv, NULL, error) &&
        (!hours_text || sim_parse_number("--hours", SSD_PARAM_TYPE_U64,
                                         hours_text, 1, 100000, &hours,
                                         error)) &&
        (!seed_text || sim_parse_number("--seed", SSD_PARAM_TYPE_U64,
                                        seed_text, 0, UINT64_MAX, &seed,
                                        error)) &&
        sim_drive_params(&drive, &soak.params, error)) {
        ssd_params_resolve(&soak.params);
        soak_init(&soak, seed);
        warm_up(&soak);
        soak_all(&soak, hours);
        printf("soak: %" PRIu64 " hours of virtual time, %" PRIu64
               " commands, %" PRIu64 " cuts, %" PRIu64 " failed\n", hours,
               soak.commands, soak.cuts, soak.failed);
        status = soak.failed ? SIM_DIFFERENT : SIM_OK;
        soak_clear(&soak);
    }
    sim_drive_options_clear(&drive);
    return status;
}
