/*
 * femu-sim cut: replays a trace on a new drive up to a chosen point, cuts the
 * power there, and prints what becomes of each zone.
 *
 * Knows nothing of where the trace was recorded, or of what a cut does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "ssd_trace.h"

/* The power is cut as soon as one of these is reached; UINT64_MAX: never. */
typedef struct CutPoint {
    uint64_t at_ns;
    uint64_t commands; /* commands that the drive has accepted */
    uint64_t programs; /* flash programs that have ended */
} CutPoint;

typedef struct Cut {
    Ssd *ssd;
    CutPoint at;
    uint64_t now_ns;
    uint64_t accepted_count;
    bool is_there;
} Cut;

/* --- Up to the point of the cut ------------------------------------------- */

/* Run the drive to now_ns; nobody asks for its completions, so drop them. */
static void poll(Cut *cut, uint64_t now_ns)
{
    SsdDone done;

    cut->now_ns = now_ns;
    while (ssd_poll(cut->ssd, now_ns, &done, 1) > 0) {
        ;
    }
}

/* Run the drive to now_ns, or to the point of the cut if that is earlier. */
static void run_to(Cut *cut, uint64_t now_ns)
{
    uint64_t until_ns = MIN(now_ns, cut->at.at_ns);

    while (cut->at.programs != UINT64_MAX &&
           ssd_programs(cut->ssd) < cut->at.programs &&
           ssd_next_step_at_ns(cut->ssd) <= until_ns) {
        poll(cut, ssd_next_step_at_ns(cut->ssd));
    }
    cut->is_there = ssd_programs(cut->ssd) >= cut->at.programs;
    if (!cut->is_there) {
        poll(cut, MAX(until_ns, cut->now_ns));
        cut->is_there = now_ns > cut->at.at_ns;
    }
}

static bool play_submit(Cut *cut, const SsdTraceRecord *record, GError **error)
{
    SsdAccept accept;

    if (!ssd_has_room(cut->ssd)) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "the trace makes no sense: "
                    "command %" PRIu64 " comes when there is no room",
                    record->seq);
        return false;
    }
    accept = ssd_submit(cut->ssd, record->at_ns, &record->cmd, 0);
    cut->accepted_count += accept.status == SSD_SUCCESS;
    cut->is_there = cut->accepted_count >= cut->at.commands;
    return true;
}

static bool play_format(Cut *cut, const SsdTraceRecord *record, GError **error)
{
    unsigned inside = record->nsid == SSD_NSID_ALL
                      ? ssd_inflight(cut->ssd)
                      : ssd_ns_inflight(cut->ssd, record->nsid);

    if (inside > 0) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "the trace makes no sense: the "
                    "drive is formatted with %u commands inside", inside);
        return false;
    }
    return ssd_format(cut->ssd, record->at_ns, record->nsid,
                      record->lba_bytes, error);
}

/* A power cut in the trace itself: go on with the drive after it. */
static void play_power_cut(Cut *cut, const SsdTraceRecord *record)
{
    Ssd *next = ssd_power_cut(cut->ssd, record->at_ns, record->seed);

    ssd_free(cut->ssd);
    cut->ssd = next;
    cut->now_ns = ssd_now_ns(next);
}

static bool play(Cut *cut, const SsdTraceRecord *record, GError **error)
{
    if (record->kind == SSD_TRACE_DONE || record->kind == SSD_TRACE_DISCARD) {
        return true;
    }
    run_to(cut, record->at_ns);
    if (cut->is_there) {
        return true;
    }
    switch (record->kind) {
    case SSD_TRACE_SUBMIT:
        return play_submit(cut, record, error);
    case SSD_TRACE_ZONE_FAIL:
        ssd_zone_fail(cut->ssd, record->at_ns, record->nsid, record->zone_idx,
                      record->state);
        return true;
    case SSD_TRACE_FORMAT:
        return play_format(cut, record, error);
    case SSD_TRACE_POWER_CUT:
        play_power_cut(cut, record);
        return true;
    default:
        return true;
    }
}

/* --- What becomes of zones ------------------------------------------------ */

static const char *state_name(SsdZoneState state)
{
    switch (state) {
    case SSD_ZONE_EMPTY:
        return "empty";
    case SSD_ZONE_IMPLICITLY_OPEN:
    case SSD_ZONE_EXPLICITLY_OPEN:
        return "open";
    case SSD_ZONE_CLOSED:
        return "closed";
    case SSD_ZONE_READ_ONLY:
        return "read-only";
    case SSD_ZONE_FULL:
        return "full";
    case SSD_ZONE_OFFLINE:
        return "offline";
    }
    g_assert_not_reached();
}

static uint64_t written_nlb(const SsdZone *zone)
{
    return zone->state == SSD_ZONE_FULL ? zone->capacity_nlb
                                        : zone->wp_lba - zone->start_lba;
}

/*
 * Print a zone before and after the cut, unless it is empty both times.
 * Return: the number of blocks that it lost.
 */
static uint64_t print_zone(const SsdZone *was, const SsdZone *is,
                           uint32_t nsid, uint32_t zone_idx)
{
    uint64_t was_nlb = written_nlb(was), is_nlb = written_nlb(is);

    if (was->state != SSD_ZONE_EMPTY || is->state != SSD_ZONE_EMPTY) {
        printf("%9" PRIu32 " %9" PRIu32 "  %-9s %10" PRIu64 "  %-9s %10"
               PRIu64 "\n", nsid, zone_idx, state_name(was->state), was_nlb,
               state_name(is->state), is_nlb);
    }
    return was_nlb - MIN(was_nlb, is_nlb);
}

static void print_all(const Cut *cut, const Ssd *next, uint64_t seed)
{
    uint64_t lost_nlb = 0;

    printf("%9s %9s  %-9s %10s  %-9s %10s\n", "namespace", "zone", "was",
           "blocks", "is", "blocks");
    for (uint32_t nsid = 1; nsid <= ssd_ns_count(next); nsid++) {
        for (uint32_t z = 0; z < ssd_ns_info(next, nsid).zones; z++) {
            SsdZone was = ssd_zone(cut->ssd, nsid, z);
            SsdZone is = ssd_zone(next, nsid, z);

            lost_nlb += print_zone(&was, &is, nsid, z);
        }
    }
    printf("cut: at %" PRIu64 " ns, seed %" PRIu64 ", %u commands inside, %"
           PRIu64 " blocks lost\n", cut->now_ns, seed, ssd_inflight(cut->ssd),
           lost_nlb);
}

/* --- The command ---------------------------------------------------------- */

static bool play_all(Cut *cut, SsdTraceReader *reader, GError **error)
{
    SsdTraceRecord record;
    int got = 1;

    while (!cut->is_there &&
           (got = ssd_trace_next(reader, &record, error)) > 0) {
        if (!play(cut, &record, error)) {
            return false;
        }
    }
    return got >= 0;
}

static int cut_trace(const char *path, const CutPoint *at, uint64_t seed,
                     GError **error)
{
    SsdParams params;
    SsdTraceReader *reader = ssd_trace_open_cut(path, &params, error);
    Cut cut = { .at = *at };
    int status = SIM_ERROR;

    if (!reader) {
        return SIM_ERROR;
    }
    cut.ssd = ssd_new(&params);
    if (play_all(&cut, reader, error)) {
        Ssd *next = ssd_power_cut(cut.ssd, cut.now_ns, seed);

        print_all(&cut, next, seed);
        ssd_free(next);
        status = SIM_OK;
    }
    ssd_free(cut.ssd);
    ssd_trace_reader_free(reader);
    return status;
}

/* A number above 0 from an option's text; UINT64_MAX if it was not given. */
static bool point(const char *option, const char *text, uint64_t *value,
                  GError **error)
{
    *value = UINT64_MAX;
    return !text || sim_parse_number(option, SSD_PARAM_TYPE_U64, text, 1,
                                     UINT64_MAX - 1, value, error);
}

int sim_cut_command(int argc, char **argv, GError **error)
{
    g_autoptr(GOptionContext) context = g_option_context_new("TRACE");
    g_autofree char *at_ns = NULL, *command = NULL, *program = NULL;
    g_autofree char *seed_text = NULL;
    const GOptionEntry entries[] = {
        {"at-ns", 0, 0, G_OPTION_ARG_STRING, &at_ns,
         "Behind what happens at this instant of the trace", "N"},
        {"at-command", 0, 0, G_OPTION_ARG_STRING, &command,
         "Behind the N-th command that the drive accepts", "N"},
        {"at-program", 0, 0, G_OPTION_ARG_STRING, &program,
         "When the N-th program of the flash has ended", "N"},
        {"seed", 0, 0, G_OPTION_ARG_STRING, &seed_text,
         "Decides what becomes of what is inside (0)", "N"},
        {0},
    };
    uint64_t seed = 0;
    CutPoint at;

    g_option_context_set_summary(
        context,
        "Give the commands of TRACE to a new drive, at the same times, take\n"
        "its power at the first of the points that are named, or at the end,\n"
        "and print what each zone was and is when the power is back.");
    g_option_context_add_main_entries(context, entries, NULL);
    if (!sim_parse_options(context, &argc, &argv, "the trace file", error) ||
        !point("--at-ns", at_ns, &at.at_ns, error) ||
        !point("--at-command", command, &at.commands, error) ||
        !point("--at-program", program, &at.programs, error) ||
        (seed_text && !sim_parse_number("--seed", SSD_PARAM_TYPE_U64,
                                        seed_text, 0, UINT64_MAX, &seed,
                                        error))) {
        return SIM_ERROR;
    }
    return cut_trace(argv[1], &at, seed, error);
}
