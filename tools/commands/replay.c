/*
 * femu-sim replay: gives the commands of a trace, at their times, to a new
 * drive and compares every status, completion time and result. For given
 * stretches of time it writes statistics, in the form of the traced device's.
 *
 * Knows nothing of where the trace was recorded.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "engine/drive.h"
#include "ssd_trace.h"

#define MAX_SHOWN 10

/*
 * A command that has not yet completed both in the trace and in the drive
 * here. Once both completions are known they are compared, and it is freed.
 */
typedef struct Pending {
    uint64_t seq;
    SsdCmd cmd;
    uint64_t at_ns;
    bool here_done;  /* `here` holds the completion of the drive here */
    bool trace_done; /* `there` holds the completion in the trace */
    bool unequal;    /* already counted as different: no comparison */
    SsdDone here;
    SsdTraceRecord there;
} Pending;

/* A stretch of time: statistics are reset at from_ns and read at to_ns. */
typedef struct Window {
    uint64_t from_ns;
    uint64_t to_ns;
} Window;

typedef struct Replay {
    Ssd *ssd;
    uint64_t now_ns;
    GHashTable *pending; /* key: &Pending.seq; value: the Pending */
    Pending **by_tag;    /* commands inside the drive */
    uint32_t *free_tags;
    uint32_t free_count;
    uint64_t submitted_count;
    uint64_t completed_count; /* completed in both, and compared */
    uint64_t different_count;
    GArray *windows;      /* of Window, in order, not overlapping */
    unsigned edge_count;  /* begins and ends of windows that have passed */
    GString *stats;       /* the windows' statistics: a JSON array, no "]" */
} Replay;

static void free_all_tags(Replay *replay)
{
    replay->free_count = ssd_params(replay->ssd)->cmd_slots;
    for (uint32_t i = 0; i < replay->free_count; i++) {
        replay->free_tags[i] = replay->free_count - 1 - i;
    }
}

static void replay_init(Replay *replay, const SsdParams *params,
                        GArray *windows)
{
    memset(replay, 0, sizeof(*replay));
    replay->windows = windows;
    replay->stats = g_string_new(NULL);
    replay->ssd = ssd_new(params);
    replay->pending = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL,
                                            g_free);
    replay->by_tag = g_new0(Pending *, params->cmd_slots);
    replay->free_tags = g_new0(uint32_t, params->cmd_slots);
    free_all_tags(replay);
}

static void replay_clear(Replay *replay)
{
    ssd_free(replay->ssd);
    g_hash_table_unref(replay->pending);
    g_free(replay->by_tag);
    g_free(replay->free_tags);
    g_string_free(replay->stats, TRUE);
}

G_GNUC_PRINTF(3, 4)
static void differ(Replay *replay, const Pending *p, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    if (replay->different_count++ >= MAX_SHOWN) {
        return;
    }
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    printf("command %" PRIu64 " (%s%s, namespace %" PRIu32 ", LBA %" PRIu64
           ", %" PRIu32 " blocks, submitted at %" PRIu64 " ns): %s\n", p->seq,
           ssd_op_name(p->cmd.op), p->cmd.select_all ? " all" : "",
           p->cmd.nsid, p->cmd.slba, p->cmd.nlb, p->at_ns, text);
}

static void compare(Replay *replay, const Pending *p)
{
    const SsdDone *here = &p->here;
    const SsdTraceRecord *there = &p->there;

    replay->completed_count++;
    if (here->due_at_ns != there->at_ns) {
        differ(replay, p, "due at %" PRIu64 " ns in the trace, at %" PRIu64
               " ns here", there->at_ns, here->due_at_ns);
    } else if (here->status != there->status) {
        differ(replay, p, "status 0x%03x (%s) in the trace, 0x%03x (%s) here",
               there->status, sim_status_text(there->status), here->status,
               sim_status_text(here->status));
    } else if (here->result != there->result) {
        differ(replay, p, "result %" PRIu64 " in the trace, %" PRIu64 " here",
               there->result, here->result);
    } else if (here->ahead_bytes != there->ahead_bytes) {
        differ(replay, p, "%" PRIu64 " bytes read ahead in the trace, %" PRIu64
               " here", there->ahead_bytes, here->ahead_bytes);
    }
}

/* Compare and free the command if both its completions are known. */
static void settle(Replay *replay, Pending *p)
{
    if (p->here_done && p->trace_done) {
        if (!p->unequal) {
            compare(replay, p);
        }
        g_hash_table_remove(replay->pending, &p->seq);
    }
}

/* Run the drive here to `now_ns` and take its completions. */
static void advance(Replay *replay, uint64_t now_ns)
{
    SsdDone done;

    replay->now_ns = now_ns;
    while (ssd_poll(replay->ssd, now_ns, &done, 1) > 0) {
        Pending *p = replay->by_tag[done.tag];

        replay->free_tags[replay->free_count++] = done.tag;
        p->here = done;
        p->here_done = true;
        settle(replay, p);
    }
}

G_GNUC_PRINTF(2, 3)
static bool damaged(GError **error, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, SIM_ERROR_DOMAIN, 0, "the trace makes no sense: %s",
                text);
    return false;
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
        uint64_t at_ns = MAX(next_edge_ns(replay), ssd_now_ns(replay->ssd));

        advance(replay, at_ns);
        if (replay->edge_count++ % 2) {
            g_autofree char *json = ssd_stats_json(replay->ssd, at_ns, NULL);

            g_string_append(replay->stats, replay->stats->len ? "," : "[");
            g_string_append(replay->stats, json);
        } else {
            ssd_stats_reset(replay->ssd, at_ns);
        }
    }
}

static bool replay_submit(Replay *replay, const SsdTraceRecord *record,
                          GError **error)
{
    uint32_t tag;
    SsdAccept accept;
    Pending *p;

    advance(replay, record->at_ns);
    if (!ssd_has_room(replay->ssd)) {
        return damaged(error, "command %" PRIu64 " is submitted while "
                       "cmd-slots=%" PRIu32 " commands are inside",
                       record->seq, ssd_params(replay->ssd)->cmd_slots);
    }
    tag = replay->free_tags[replay->free_count - 1];
    accept = ssd_submit(replay->ssd, record->at_ns, &record->cmd, tag);
    replay->submitted_count++;

    p = g_new0(Pending, 1);
    p->seq = record->seq;
    p->cmd = record->cmd;
    p->at_ns = record->at_ns;
    if (accept.status != record->status) {
        differ(replay, p, "status 0x%03x (%s) at once in the trace, 0x%03x "
               "(%s) here", record->status, sim_status_text(record->status),
               accept.status, sim_status_text(accept.status));
        p->unequal = true;
    }
    p->here_done = accept.status != SSD_SUCCESS;
    p->trace_done = record->status != SSD_SUCCESS;
    if (!p->here_done) {
        replay->by_tag[tag] = p;
        replay->free_count--;
    }
    if (p->here_done && p->trace_done) {
        g_free(p);
        return true;
    }
    g_hash_table_insert(replay->pending, &p->seq, p);
    return true;
}

/* Return: the command that a C (completed) or X (discarded) record is about. */
static Pending *find_open(Replay *replay, const SsdTraceRecord *record,
                          GError **error)
{
    Pending *p = g_hash_table_lookup(replay->pending, &record->seq);

    if (!p || p->trace_done) {
        damaged(error, "command %" PRIu64 " completes or is discarded, but "
                "was rejected or is already done with", record->seq);
        return NULL;
    }
    return p;
}

static bool replay_done(Replay *replay, const SsdTraceRecord *record,
                        GError **error)
{
    Pending *p = find_open(replay, record, error);

    if (!p) {
        return false;
    }
    p->there = *record;
    p->trace_done = true;
    settle(replay, p);
    return true;
}

static bool replay_discard(Replay *replay, const SsdTraceRecord *record,
                           GError **error)
{
    Pending *p = find_open(replay, record, error);

    if (!p) {
        return false;
    }
    p->unequal = true; /* a discard has no completion time to compare */
    p->trace_done = true;
    settle(replay, p);
    return true;
}

static int compare_seq(const void *a, const void *b)
{
    const Pending *first = a, *second = b;

    return (first->seq > second->seq) - (first->seq < second->seq);
}

/*
 * A command that never completed in the trace, but has completed here. The two
 * differ if it was due here before end_at_ns, where the trace ends.
 */
static void judge_leftover(Replay *replay, const Pending *p, uint64_t end_at_ns)
{
    if (!p->unequal && p->here.due_at_ns < end_at_ns) {
        differ(replay, p, "never completed in the trace, due at %" PRIu64
               " ns here", p->here.due_at_ns);
    }
}

static void replay_end(Replay *replay, uint64_t end_at_ns)
{
    g_autoptr(GList) left = NULL;

    while (ssd_inflight(replay->ssd) > 0) {
        advance(replay, MAX(replay->now_ns, ssd_next_at_ns(replay->ssd)));
    }
    left = g_list_sort(g_hash_table_get_values(replay->pending), compare_seq);
    for (const GList *item = left; item; item = item->next) {
        judge_leftover(replay, item->data, end_at_ns);
    }
}

static bool replay_zone_fail(Replay *replay, const SsdTraceRecord *record,
                             GError **error)
{
    advance(replay, record->at_ns);
    return ssd_zone_fail(replay->ssd, record->at_ns, record->nsid,
                         record->zone_idx, record->state) ||
           damaged(error, "zone %" PRIu32 " fails at %" PRIu64 " ns, but was "
                   "as bad already", record->zone_idx, record->at_ns);
}

/* Return: how many commands are inside the namespaces to be formatted. */
static unsigned formatted_inflight(const Replay *replay, uint32_t nsid)
{
    return nsid == SSD_NSID_ALL ? ssd_inflight(replay->ssd)
                                : ssd_ns_inflight(replay->ssd, nsid);
}

static bool replay_format(Replay *replay, const SsdTraceRecord *record,
                          GError **error)
{
    g_autoptr(GError) wrong = NULL;

    advance(replay, record->at_ns);
    if (formatted_inflight(replay, record->nsid) > 0) {
        return damaged(error, "the drive is formatted at %" PRIu64 " ns with "
                       "%u commands inside", record->at_ns,
                       formatted_inflight(replay, record->nsid));
    }
    return ssd_format(replay->ssd, record->at_ns, record->nsid,
                      record->lba_bytes, &wrong) ||
           damaged(error, "the drive is formatted at %" PRIu64 " ns: %s",
                   record->at_ns, wrong->message);
}

/*
 * At a power cut: compare and forget the commands inside the drive. None of
 * them completes any more.
 */
static bool forget_inside(Replay *replay, uint64_t at_ns, GError **error)
{
    g_autoptr(GList) left = g_list_sort(
        g_hash_table_get_values(replay->pending), compare_seq);

    for (const GList *item = left; item; item = item->next) {
        Pending *p = item->data;

        if (!p->trace_done && !p->here_done) {
            return damaged(error, "the power goes at %" PRIu64 " ns, and "
                           "command %" PRIu64 " is neither done nor discarded",
                           at_ns, p->seq);
        }
        if (!p->here_done && !p->unequal) {
            differ(replay, p, "done at %" PRIu64 " ns in the trace, lost with "
                   "the power at %" PRIu64 " ns here", p->there.at_ns, at_ns);
        } else if (p->here_done) {
            judge_leftover(replay, p, at_ns + 1);
        }
        g_hash_table_remove(replay->pending, &p->seq);
    }
    return true;
}

static bool replay_power_cut(Replay *replay, const SsdTraceRecord *record,
                             GError **error)
{
    Ssd *next;

    advance(replay, record->at_ns);
    if (!forget_inside(replay, record->at_ns, error)) {
        return false;
    }
    next = ssd_power_cut(replay->ssd, record->at_ns, record->seed);
    ssd_free(replay->ssd);
    replay->ssd = next;
    replay->now_ns = ssd_now_ns(next);
    free_all_tags(replay);
    return true;
}

static bool replay_record(Replay *replay, const SsdTraceRecord *record,
                          GError **error)
{
    if (record->kind != SSD_TRACE_DONE && record->kind != SSD_TRACE_DISCARD) {
        pass_edges(replay, record->at_ns);
    }
    switch (record->kind) {
    case SSD_TRACE_SUBMIT:
        return replay_submit(replay, record, error);
    case SSD_TRACE_DONE:
        return replay_done(replay, record, error);
    case SSD_TRACE_DISCARD:
        return replay_discard(replay, record, error);
    case SSD_TRACE_ZONE_FAIL:
        return replay_zone_fail(replay, record, error);
    case SSD_TRACE_FORMAT:
        return replay_format(replay, record, error);
    case SSD_TRACE_POWER_CUT:
        return replay_power_cut(replay, record, error);
    case SSD_TRACE_END:
        replay_end(replay, record->at_ns);
        return true;
    }
    g_assert_not_reached();
}

static bool replay_all(Replay *replay, SsdTraceReader *reader, GError **error)
{
    SsdTraceRecord record;
    int got;

    while ((got = ssd_trace_next(reader, &record, error)) > 0) {
        if (!replay_record(replay, &record, error)) {
            return false;
        }
    }
    return got == 0;
}

/* --- Windows ------------------------------------------------------------- */

typedef struct ReplayOptions {
    char **windows;
    char *stats;
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

static bool write_stats(Replay *replay, const char *path, GError **error)
{
    if (next_edge_ns(replay) != UINT64_MAX) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--window: %" PRIu64 " ns is "
                    "behind the trace's end", next_edge_ns(replay));
        return false;
    }
    g_string_append(replay->stats, "]\n");
    return g_file_set_contents(path, replay->stats->str,
                               (gssize)replay->stats->len, error);
}

/* --- The command --------------------------------------------------------- */

static int replay_trace(const char *path, const ReplayOptions *options,
                        GArray *windows, GError **error)
{
    SsdParams params;
    SsdTraceReader *reader = ssd_trace_open(path, &params, error);
    int status = SIM_ERROR;
    Replay replay;

    if (!reader) {
        return SIM_ERROR;
    }
    replay_init(&replay, &params, windows);
    if (replay_all(&replay, reader, error) &&
        (!options->stats || write_stats(&replay, options->stats, error))) {
        if (replay.different_count > MAX_SHOWN) {
            printf("(only the first %d are shown)\n", MAX_SHOWN);
        }
        printf("replay: %" PRIu64 " commands, %" PRIu64 " completions, %"
               PRIu64 " differences\n", replay.submitted_count,
               replay.completed_count, replay.different_count);
        status = replay.different_count ? SIM_DIFFERENT : SIM_OK;
    }
    replay_clear(&replay);
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
        read_windows(&options, windows, error)) {
        status = replay_trace(argv[1], &options, windows, error);
    }
    g_strfreev(options.windows);
    g_free(options.stats);
    return status;
}
