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
#include "feed.h"

/* The power is cut as soon as one of these is reached; UINT64_MAX: never. */
typedef struct CutPoint {
    uint64_t at_ns;
    uint64_t commands; /* commands that the drive has accepted */
    uint64_t programs; /* flash programs that have ended */
} CutPoint;

typedef struct Cut {
    Feed feed;
    CutPoint at;
    uint64_t accepted_count;
    bool is_there;
} Cut;

/* --- Up to the point of the cut ------------------------------------------- */

/* Run the drive to now_ns; nobody asks for its completions, so drop them. */
static void poll(Cut *cut, uint64_t now_ns)
{
    SsdDone done;

    cut->feed.now_ns = now_ns;
    while (ssd_poll(cut->feed.ssd, now_ns, &done, 1) > 0) {
        ;
    }
}

/* Run the drive to now_ns, or to the point of the cut if that is earlier. */
static void run_to(Cut *cut, uint64_t now_ns)
{
    uint64_t until_ns = MIN(now_ns, cut->at.at_ns);

    while (cut->at.programs != UINT64_MAX &&
           ssd_programs(cut->feed.ssd) < cut->at.programs &&
           ssd_next_step_at_ns(cut->feed.ssd) <= until_ns) {
        poll(cut, ssd_next_step_at_ns(cut->feed.ssd));
    }
    cut->is_there = ssd_programs(cut->feed.ssd) >= cut->at.programs;
    if (!cut->is_there) {
        poll(cut, MAX(until_ns, cut->feed.now_ns));
        cut->is_there = now_ns > cut->at.at_ns;
    }
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
    if (!feed_record(&cut->feed, record, error)) {
        return false;
    }
    cut->accepted_count += cut->feed.was_accepted;
    cut->is_there = cut->accepted_count >= cut->at.commands;
    return true;
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
            SsdZone was = ssd_zone(cut->feed.ssd, nsid, z);
            SsdZone is = ssd_zone(next, nsid, z);

            lost_nlb += print_zone(&was, &is, nsid, z);
        }
    }
    printf("cut: at %" PRIu64 " ns, seed %" PRIu64 ", %u commands inside, %"
           PRIu64 " blocks lost\n", cut->feed.now_ns, seed,
           ssd_inflight(cut->feed.ssd), lost_nlb);
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
    cut.feed.ssd = ssd_new(&params);
    if (play_all(&cut, reader, error)) {
        Ssd *next = ssd_power_cut(cut.feed.ssd, cut.feed.now_ns, seed);

        print_all(&cut, next, seed);
        ssd_free(next);
        status = SIM_OK;
    }
    ssd_free(cut.feed.ssd);
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
