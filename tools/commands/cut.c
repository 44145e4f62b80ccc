/*
 * femu-sim cut: replays a trace on a new drive up to a chosen point, cuts the
 * power there, and prints what becomes of each zone; or writes what lasts to a
 * folder, from which a device goes on.
 *
 * Knows nothing of where the trace was recorded, or of what a cut does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "cut_state.h"
#include "cut_walk.h"

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

static void print_all(const CutWalk *walk, const Ssd *next, uint64_t seed)
{
    uint64_t lost_nlb = 0;

    printf("%9s %9s  %-9s %10s  %-9s %10s\n", "namespace", "zone", "was",
           "blocks", "is", "blocks");
    for (uint32_t nsid = 1; nsid <= ssd_ns_count(next); nsid++) {
        for (uint32_t z = 0; z < ssd_ns_info(next, nsid).zones; z++) {
            SsdZone was = ssd_zone(walk->feed.ssd, nsid, z);
            SsdZone is = ssd_zone(next, nsid, z);

            lost_nlb += print_zone(&was, &is, nsid, z);
        }
    }
    printf("cut: at %" PRIu64 " ns, seed %" PRIu64 ", %u commands inside, %"
           PRIu64 " blocks lost\n", walk->feed.now_ns, seed,
           ssd_inflight(walk->feed.ssd), lost_nlb);
}

/* --- The command ---------------------------------------------------------- */

/* The power goes: say what of the drive is there then, write its state. */
static bool cut_power(const CutWalk *walk, const CutState *state, uint64_t seed,
                      GError **error)
{
    Ssd *next = ssd_power_cut(walk->feed.ssd, walk->feed.now_ns, seed);
    bool done = !state->folder ||
                cut_state_write(state, walk, seed, ssd_now_ns(next), error);

    if (done) {
        print_all(walk, next, seed);
    }
    ssd_free(next);
    return done;
}

/* A point that was named must be there, or another drive would be cut. */
static bool check_point(const CutWalk *walk, GError **error)
{
    if (walk->at.points == UINT64_MAX || walk->point_count == walk->at.points) {
        return true;
    }
    g_set_error(error, SIM_ERROR_DOMAIN, 0, "--at-point=%" PRIu64 ": the trace "
                "has %" PRIu64 " points; --list lists them", walk->at.points,
                walk->point_count);
    return false;
}

static int cut_trace(const CutState *state, const CutPoint *at, bool lists,
                     uint64_t seed, GError **error)
{
    SsdParams params;
    SsdTraceReader *reader = ssd_trace_open_cut(state->trace, &params, error);
    CutWalk walk;
    bool done;

    if (!reader) {
        return SIM_ERROR;
    }
    cut_walk_init(&walk, &params, at);
    walk.lists = lists;
    done = cut_walk_play(&walk, reader, error);
    if (done && lists) {
        printf("cut: %" PRIu64 " points\n", walk.point_count);
    } else if (done) {
        done = check_point(&walk, error) &&
               cut_power(&walk, state, seed, error);
    }
    cut_walk_clear(&walk);
    ssd_trace_reader_free(reader);
    return done ? SIM_OK : SIM_ERROR;
}

/* A number above 0 from an option's text; UINT64_MAX if it was not given. */
static bool point(const char *option, const char *text, uint64_t *value,
                  GError **error)
{
    *value = UINT64_MAX;
    return !text || sim_parse_number(option, SSD_PARAM_TYPE_U64, text, 1,
                                     UINT64_MAX - 1, value, error);
}

static bool check_files(const char *folder, const char *journal,
                        GError **error)
{
    if (!folder == !journal) {
        return true;
    }
    g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s needs %s as well: the trace "
                "has no data", folder ? "--state" : "--journal",
                folder ? "--journal" : "--state");
    return false;
}

int sim_cut_command(int argc, char **argv, GError **error)
{
    g_autoptr(GOptionContext) context = g_option_context_new("TRACE");
    g_autofree char *at_ns = NULL, *command = NULL, *program = NULL;
    g_autofree char *at_point = NULL, *seed_text = NULL;
    g_autofree char *journal = NULL, *folder = NULL;
    gboolean lists = FALSE;
    const GOptionEntry entries[] = {
        {"at-ns", 0, 0, G_OPTION_ARG_STRING, &at_ns,
         "Behind what happens at this instant of the trace", "N"},
        {"at-command", 0, 0, G_OPTION_ARG_STRING, &command,
         "Behind the N-th command that the drive accepts", "N"},
        {"at-program", 0, 0, G_OPTION_ARG_STRING, &program,
         "When the N-th program of the flash has ended", "N"},
        {"at-point", 0, 0, G_OPTION_ARG_STRING, &at_point,
         "At the N-th point that --list lists", "N"},
        {"seed", 0, 0, G_OPTION_ARG_STRING, &seed_text,
         "Decides what becomes of what is inside (0)", "N"},
        {"list", 0, 0, G_OPTION_ARG_NONE, &lists,
         "List the points instead: number, ns, what has happened, to what",
         NULL},
        {"state", 0, 0, G_OPTION_ARG_FILENAME, &folder,
         "Write what lasts to a new folder, for the device's state=",
         "FOLDER"},
        {"journal", 0, 0, G_OPTION_ARG_FILENAME, &journal,
         "The data for it: what the device's journal= has recorded", "FILE"},
        {0},
    };
    uint64_t seed = 0;
    CutState state;
    CutPoint at;

    g_option_context_set_summary(
        context,
        "Give the commands of TRACE to a new drive, at the same times, take\n"
        "its power at the first of the points that are named, or at the end,\n"
        "and print what each zone was and is when the power is back. At a\n"
        "point of --list a command that changes what lasts has been accepted,\n"
        "or it, or a flush, was told to be done, or a page was programmed.");
    g_option_context_add_main_entries(context, entries, NULL);
    if (!sim_parse_options(context, &argc, &argv, "the trace file", error) ||
        !point("--at-ns", at_ns, &at.at_ns, error) ||
        !point("--at-command", command, &at.commands, error) ||
        !point("--at-program", program, &at.programs, error) ||
        !point("--at-point", at_point, &at.points, error) ||
        !check_files(folder, journal, error) ||
        (seed_text && !sim_parse_number("--seed", SSD_PARAM_TYPE_U64,
                                        seed_text, 0, UINT64_MAX, &seed,
                                        error))) {
        return SIM_ERROR;
    }
    state = (CutState){
        .trace = argv[1], .journal = journal, .folder = folder};
    return cut_trace(&state, &at, lists, seed, error);
}
