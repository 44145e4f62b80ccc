/*
 * femu-sim replay: gives the commands of a trace, at their times, to a new
 * drive and compares every status, completion time and result. For given
 * stretches of time it writes statistics, in the form of the traced device's.
 *
 * Knows nothing of where the trace was recorded.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/files.h"
#include "player.h"
#include "spans.h"
#include "ssd_file.h"

/* A stretch of time: statistics are reset at from_ns and read at to_ns. */
typedef struct Window {
    uint64_t from_ns;
    uint64_t to_ns;
} Window;

typedef struct Replay {
    Player player;
    GArray *windows;      /* of Window, in order, not overlapping */
    unsigned edge_count;  /* begins and ends of windows that have passed */
    GString *stats;       /* the windows' statistics: a JSON array, no "]" */
    gsize last_stats;     /* where those of the latest window begin in it */
    uint64_t cut_at_ns;   /* when the power went last: statistics began anew */
    Spans *spans;         /* NULL: not wanted */
} Replay;

static void put_stats(Replay *replay, uint64_t at_ns)
{
    g_autofree char *json = ssd_stats_json(replay->player.ssd, at_ns, NULL);

    g_string_append(replay->stats, replay->stats->len ? "," : "[");
    g_string_append(replay->stats, json);
}

/* When the next window begins or ends; UINT64_MAX if none is left. */
static uint64_t next_edge_ns(const Replay *replay)
{
    const Window *window;

    if (replay->edge_count == 2 * replay->windows->len) {
        return UINT64_MAX;
    }
    window = &g_array_index(replay->windows, Window, replay->edge_count / 2);
    return replay->edge_count % 2 ? window->to_ns : window->from_ns;
}

/*
 * Begin and end the windows up to `now_ns`, before the commands of `now_ns`.
 * If a window's edge and a command have the same time, the trace does not say
 * which of them the device did first: the statistics may then differ by that
 * command. They cannot if the host waits between commands and statistics.
 */
static void pass_edges(Replay *replay, uint64_t now_ns)
{
    while (next_edge_ns(replay) <= now_ns) {
        /* An edge while the power was off is moved to when it was back. */
        Ssd *ssd = replay->player.ssd;
        uint64_t at_ns = MAX(next_edge_ns(replay), ssd_now_ns(ssd));

        player_run(&replay->player, at_ns);
        if (replay->edge_count++ % 2) {
            replay->last_stats = replay->stats->len;
            put_stats(replay, at_ns);
        } else {
            ssd_stats_reset(ssd, at_ns);
        }
    }
}

/*
 * The trace ends. A window up to then has all of it: also the commands of this
 * instant that took no time, which came behind its edge.
 */
static void end_windows(Replay *replay, uint64_t end_at_ns)
{
    const Window *last;

    if (replay->windows->len == 0 || next_edge_ns(replay) != UINT64_MAX ||
        replay->cut_at_ns == end_at_ns) {
        return;
    }
    last = &g_array_index(replay->windows, Window, replay->windows->len - 1);
    if (last->to_ns == end_at_ns && last->from_ns < end_at_ns) {
        g_string_truncate(replay->stats, replay->last_stats);
        put_stats(replay, MAX(end_at_ns, ssd_now_ns(replay->player.ssd)));
    }
}

static bool replay_all(Replay *replay, SsdTraceReader *reader, GError **error)
{
    SsdTraceRecord record;
    int got;

    while ((got = ssd_trace_next(reader, &record, error)) > 0) {
        if (record.kind != SSD_TRACE_DONE &&
            record.kind != SSD_TRACE_DISCARD) {
            pass_edges(replay, record.at_ns);
            if (replay->spans) {
                spans_run(replay->spans, record.at_ns);
            }
        }
        if (!player_record(&replay->player, &record, error)) {
            return false;
        }
        if (replay->spans) {
            spans_record(replay->spans, &record);
        }
        if (record.kind == SSD_TRACE_POWER_CUT) {
            replay->cut_at_ns = record.at_ns;
        }
        if (record.kind == SSD_TRACE_END) {
            end_windows(replay, record.at_ns);
            player_end(&replay->player, record.at_ns);
        }
    }
    return got == 0;
}

/* --- Windows ------------------------------------------------------------- */

typedef struct ReplayOptions {
    char **windows;
    char *stats;
    char *perfetto;
} ReplayOptions;

static bool bad_window(const char *text, GError **error, const char *wrong)
{
    g_set_error(error, SIM_ERROR_DOMAIN, 0, "--window=%s: %s", text, wrong);
    return false;
}

static bool read_window(const char *text, GArray *windows, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ":", 0);
    Window window;

    if (g_strv_length(parts) != 2 ||
        !g_ascii_string_to_unsigned(parts[0], 10, 0, UINT64_MAX - 1,
                                    &window.from_ns, NULL) ||
        !g_ascii_string_to_unsigned(parts[1], 10, 0, UINT64_MAX - 1,
                                    &window.to_ns, NULL)) {
        return bad_window(text, error, "must be two instants in ns, such as "
                          "1000:2500");
    }
    if (window.to_ns < window.from_ns) {
        return bad_window(text, error, "ends before it begins");
    }
    if (windows->len > 0 &&
        window.from_ns < g_array_index(windows, Window,
                                       windows->len - 1).to_ns) {
        return bad_window(text, error, "begins before the one in front of it "
                          "ends");
    }
    g_array_append_val(windows, window);
    return true;
}

static bool read_windows(const ReplayOptions *options, GArray *windows,
                         GError **error)
{
    for (unsigned i = 0; options->windows && options->windows[i]; i++) {
        if (!read_window(options->windows[i], windows, error)) {
            return false;
        }
    }
    if ((windows->len > 0) != (options->stats != NULL)) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--window and --stats go "
                    "together: --stats=FILE takes the statistics of each "
                    "window");
        return false;
    }
    return true;
}

static bool files_apart(const char *trace, const ReplayOptions *options,
                        GError **error)
{
    const SimFile files[] = {
        {"TRACE", trace, true},
        {"--stats", options->stats, false},
        {"--perfetto", options->perfetto, false},
    };

    return sim_files_apart(files, G_N_ELEMENTS(files), error);
}

/* Into the file that is there, if one is: g_file_set_contents() would put
 * another in its place, also of a device or of a link such as /dev/stdout. */
static bool write_text(const char *path, const char *text, GError **error)
{
    const char *wrong = NULL;
    FILE *out = ssd_file_create(path, &wrong);
    bool written = out && fputs(text, out) >= 0;

    if (out) {
        written = fclose(out) == 0 && written;
    }
    if (!written) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "cannot write '%s': %s", path,
                    wrong ? wrong : g_strerror(errno));
    }
    return written;
}

static bool write_stats(Replay *replay, const char *path, GError **error)
{
    if (next_edge_ns(replay) != UINT64_MAX) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--window: %" PRIu64 " ns is "
                    "behind the trace's end", next_edge_ns(replay));
        return false;
    }
    g_string_append(replay->stats, "]\n");
    return write_text(path, replay->stats->str, error);
}

/* --- The command --------------------------------------------------------- */

/* All of the trace; its spans, too, if they are wanted. */
static bool replay_watched(Replay *replay, SsdTraceReader *reader,
                           const char *perfetto, GError **error)
{
    bool is_good;

    if (!perfetto) {
        return replay_all(replay, reader, error);
    }
    replay->spans = spans_open(perfetto, &replay->player, error);
    if (!replay->spans) {
        return false;
    }
    is_good = replay_all(replay, reader, error);
    return spans_close(replay->spans, is_good ? error : NULL) && is_good;
}

static int replay_trace(const char *path, const ReplayOptions *options,
                        GArray *windows, GError **error)
{
    SsdParams params;
    SsdTraceReader *reader = ssd_trace_open(path, &params, error);
    int status = SIM_ERROR;
    Replay replay = {.windows = windows, .cut_at_ns = UINT64_MAX};

    if (!reader) {
        return SIM_ERROR;
    }
    player_init(&replay.player, &params);
    replay.stats = g_string_new(NULL);
    if (replay_watched(&replay, reader, options->perfetto, error) &&
        (!options->stats || write_stats(&replay, options->stats, error))) {
        if (replay.player.different_count > PLAYER_MAX_SHOWN) {
            printf("(only the first %d are shown)\n", PLAYER_MAX_SHOWN);
        }
        printf("replay: %" PRIu64 " commands, %" PRIu64 " completions, %"
               PRIu64 " differences\n", replay.player.submitted_count,
               replay.player.completed_count, replay.player.different_count);
        status = replay.player.different_count ? SIM_DIFFERENT : SIM_OK;
    }
    player_clear(&replay.player);
    g_string_free(replay.stats, TRUE);
    ssd_trace_reader_free(reader);
    return status;
}

int sim_replay_command(int argc, char **argv, GError **error)
{
    g_autoptr(GOptionContext) context = g_option_context_new("TRACE");
    g_autoptr(GArray) windows = g_array_new(FALSE, FALSE, sizeof(Window));
    ReplayOptions options = {0};
    const GOptionEntry entries[] = {
        {"window", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.windows,
         "Take the statistics of this stretch of the trace's time (may be "
         "repeated, in order)", "FROM_NS:TO_NS"},
        {"stats", 0, 0, G_OPTION_ARG_FILENAME, &options.stats,
         "Where to write them: a JSON array, an element for each --window",
         "FILE"},
        {"perfetto", 0, 0, G_OPTION_ARG_FILENAME, &options.perfetto,
         "Write every command, channel and flash unit, for Perfetto or "
         "chrome://tracing", "FILE"},
        {0},
    };
    int status = SIM_ERROR;

    g_option_context_set_summary(
        context,
        "Give the commands of TRACE, which the device's trace= or femu-sim\n"
        "run --trace recorded, to a new drive at the same times and compare\n"
        "every status and completion. Exit status 1: there is a difference.");
    g_option_context_add_main_entries(context, entries, NULL);
    if (sim_parse_options(context, &argc, &argv, "the trace file", error) &&
        files_apart(argv[1], &options, error) &&
        read_windows(&options, windows, error)) {
        status = replay_trace(argv[1], &options, windows, error);
    }
    g_strfreev(options.windows);
    g_free(options.stats);
    g_free(options.perfetto);
    return status;
}
