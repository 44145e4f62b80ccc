/*
 * femu-sim blame: why a command of a trace took as long as it did. A first
 * reading of the trace finds the command, another replays it and looks, at each
 * instant at which the drive does something, where the command is; then those
 * stretches are chosen, from its completion backwards, behind which the next
 * one began. The command that it waited for longest is blamed next.
 *
 * Knows nothing of where the trace was recorded, or of what the drive does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>
#include <stdio.h>

#include "blame.h"
#include "commands.h"
#include "engine/drive.h"
#include "feed.h"

#define DEFAULT_DEPTH 3

/* --- The command that is asked for ---------------------------------------- */

typedef struct Wanted {
    bool is_slowest;
    uint64_t seq;
    SsdOp op; /* slowest: of these; SSD_OP_COUNT: of all */
} Wanted;

/* What the trace says of a command. */
typedef struct Found {
    bool is_there;
    bool is_done;
    SsdStatus status;
    uint64_t seq;
    uint64_t due_at_ns;
    uint64_t latency_ns;
} Found;

typedef struct Submitted {
    uint64_t seq;
    uint64_t at_ns;
    SsdOp op;
} Submitted;

typedef struct Search {
    Wanted wanted;
    Found found;
    GHashTable *inside; /* key: &Submitted.seq; value: the Submitted */
    uint64_t count;     /* commands */
} Search;

static void search_submit(Search *search, const SsdTraceRecord *record)
{
    Submitted *submitted = g_new(Submitted, 1);

    *submitted = (Submitted) { record->seq, record->at_ns, record->cmd.op };
    search->count = record->seq + 1;
    g_hash_table_replace(search->inside, &submitted->seq, submitted);
    if (!search->wanted.is_slowest && record->seq == search->wanted.seq) {
        search->found.is_there = true;
        search->found.seq = record->seq;
        search->found.status = record->status;
    }
}

static bool is_wanted(const Search *search, const Submitted *submitted,
                      uint64_t latency_ns)
{
    const Wanted *wanted = &search->wanted;

    if (!wanted->is_slowest) {
        return submitted->seq == wanted->seq;
    }
    return (wanted->op == SSD_OP_COUNT || submitted->op == wanted->op) &&
           (!search->found.is_done || latency_ns > search->found.latency_ns);
}

static void search_done(Search *search, const SsdTraceRecord *record)
{
    const Submitted *submitted = g_hash_table_lookup(search->inside,
                                                     &record->seq);
    uint64_t latency_ns;

    if (!submitted) {
        return;
    }
    latency_ns = record->at_ns - submitted->at_ns;
    if (is_wanted(search, submitted, latency_ns)) {
        search->found = (Found) {
            .is_there = true,
            .is_done = true,
            .seq = record->seq,
            .due_at_ns = record->at_ns,
            .latency_ns = latency_ns,
        };
    }
    g_hash_table_remove(search->inside, &record->seq);
}

static bool search_all(Search *search, const char *path, GError **error)
{
    SsdParams params;
    SsdTraceReader *reader = ssd_trace_open_cut(path, &params, error);
    SsdTraceRecord record;
    int got = -1;

    while (reader && (got = ssd_trace_next(reader, &record, error)) > 0) {
        if (record.kind == SSD_TRACE_SUBMIT) {
            search_submit(search, &record);
        } else if (record.kind == SSD_TRACE_DONE) {
            search_done(search, &record);
        }
    }
    ssd_trace_reader_free(reader);
    return got == 0;
}

/* Is there an answer? If not, say why. */
static bool judge(const Search *search, GError **error)
{
    const Wanted *wanted = &search->wanted;
    const Found *found = &search->found;

    if (found->is_done) {
        return true;
    }
    if (wanted->is_slowest) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "slowest: no %s%sof the trace "
                    "completes", wanted->op == SSD_OP_COUNT
                                 ? "command" : ssd_op_name(wanted->op), " ");
    } else if (!found->is_there && search->count == 0) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "N=%" PRIu64 ": the trace has "
                    "no commands", wanted->seq);
    } else if (!found->is_there) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "N=%" PRIu64 ": the trace has "
                    "commands 0 to %" PRIu64, wanted->seq, search->count - 1);
    } else if (found->status != SSD_SUCCESS) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "N=%" PRIu64 ": the command "
                    "was rejected at once, status 0x%03x (%s): it took no time",
                    wanted->seq, found->status,
                    sim_status_text(found->status));
    } else {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "N=%" PRIu64 ": the command "
                    "never completes in the trace", wanted->seq);
    }
    return false;
}

static bool find(const char *path, const Wanted *wanted, Found *found,
                 GError **error)
{
    Search search = {
        .wanted = *wanted,
        .inside = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL,
                                        g_free),
    };
    bool is_good = search_all(&search, path, error) && judge(&search, error);

    *found = search.found;
    g_hash_table_unref(search.inside);
    return is_good;
}

/* --- Pages, and the commands that wrote them ------------------------------ */

/* A write that ended at this byte of its zone, in the zone's present life. */
typedef struct Written {
    uint64_t end_bytes;
    uint64_t seq;
} Written;

typedef struct Watcher {
    Feed feed;
    uint64_t seq;
    bool is_inside;
    SsdInquiry *inquiry; /* once it is inside, as long as power lasts */
    GArray **written;    /* [zone] of Written, in order; NULL: none */
    GHashTable *open;    /* part_id -> place in stretches, plus 1 */
    GArray *stretches;   /* of BlamePart */
    uint64_t until_ns;   /* the causes hold no longer */
    Blame *blame;
} Watcher;

static bool is_write(SsdOp op)
{
    return op == SSD_OP_WRITE || op == SSD_OP_APPEND || op == SSD_OP_COPY ||
           op == SSD_OP_WRITE_ZEROES;
}

static uint64_t blocks_of(const SsdCmd *cmd)
{
    uint64_t nlb = 0;

    if (cmd->op != SSD_OP_COPY) {
        return cmd->nlb;
    }
    for (uint32_t i = 0; i < cmd->range_count; i++) {
        nlb += cmd->ranges[i].nlb;
    }
    return nlb;
}

static void forget_zones(Watcher *watcher, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        if (watcher->written[i]) {
            g_array_set_size(watcher->written[i], 0);
        }
    }
}

static void note_write(Watcher *watcher, const SsdNsInfo *ns,
                       const SsdTraceRecord *record)
{
    uint64_t lba = watcher->feed.lba;
    uint32_t zone_idx = ns->first_zone_idx + lba / ns->zone_size_nlb;
    Written written = {
        .end_bytes = (lba % ns->zone_size_nlb + blocks_of(&record->cmd)) *
                     ns->lba_bytes,
        .seq = record->seq,
    };

    if (!watcher->written[zone_idx]) {
        watcher->written[zone_idx] = g_array_new(FALSE, FALSE,
                                                 sizeof(Written));
    }
    g_array_append_val(watcher->written[zone_idx], written);
}

static void note_command(Watcher *watcher, const SsdTraceRecord *record)
{
    const SsdCmd *cmd = &record->cmd;
    SsdNsInfo ns;

    if (!watcher->feed.was_accepted || cmd->nsid == SSD_NSID_ALL) {
        return;
    }
    ns = ssd_ns_info(watcher->feed.ssd, cmd->nsid);
    if (ns.kind != SSD_NS_ZONED) {
        return;
    }
    if (is_write(cmd->op)) {
        note_write(watcher, &ns, record);
    } else if (cmd->op == SSD_OP_ZONE_RESET && cmd->select_all) {
        forget_zones(watcher, ns.first_zone_idx, ns.zones);
    } else if (cmd->op == SSD_OP_ZONE_RESET) {
        forget_zones(watcher, ns.first_zone_idx + cmd->slba / ns.zone_size_nlb,
                     1);
    }
}

/* Return: the command that wrote the last byte of a page, or BLAME_NONE. */
static uint64_t writer_of(const Watcher *watcher, const SsdWho *who)
{
    const GArray *written = watcher->written[who->zone_idx];
    uint64_t end_bytes = (who->page + 1) *
                         ssd_stats_page_bytes(watcher->feed.ssd);
    unsigned low = 0, high = written ? written->len : 0;

    if (who->page == UINT64_MAX) {
        return BLAME_NONE;
    }
    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (g_array_index(written, Written, middle).end_bytes < end_bytes) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return written && low < written->len
           ? g_array_index(written, Written, low).seq : BLAME_NONE;
}

/* --- Stretches ------------------------------------------------------------ */

static bool is_same(const SsdCause *a, const SsdCause *b)
{
    return a->place == b->place && a->works == b->works && a->idx == b->idx &&
           a->what == b->what && a->who.kind == b->who.kind &&
           a->who.tag == b->who.tag && a->who.zone_idx == b->who.zone_idx &&
           a->who.page == b->who.page;
}

static uint64_t seq_of(const Watcher *watcher, const SsdWho *who)
{
    switch (who->kind) {
    case SSD_WHO_COMMAND:
        return who->tag;
    case SSD_WHO_PAGE:
        return writer_of(watcher, who);
    default:
        return BLAME_NONE;
    }
}

static void open_stretch(Watcher *watcher, const SsdCause *cause)
{
    BlamePart part = {
        .from_ns = watcher->feed.now_ns,
        .to_ns = BLAME_NONE,
        .cause = *cause,
        .seq = seq_of(watcher, &cause->who),
    };

    g_array_append_val(watcher->stretches, part);
    g_hash_table_insert(watcher->open, GUINT_TO_POINTER(cause->part_id),
                        GUINT_TO_POINTER(watcher->stretches->len));
}

static BlamePart *stretch_of(const Watcher *watcher, const void *place)
{
    return &g_array_index(watcher->stretches, BlamePart,
                          GPOINTER_TO_UINT(place) - 1);
}

/* Parts that are not where they were: what has begun only now never was. */
static void close_stretches(Watcher *watcher, const GArray *causes)
{
    g_autoptr(GHashTable) now = g_hash_table_new(NULL, NULL);
    GHashTableIter iter;
    void *part_id, *place;

    for (unsigned i = 0; i < causes->len; i++) {
        SsdCause *cause = &g_array_index(causes, SsdCause, i);

        g_hash_table_insert(now, GUINT_TO_POINTER(cause->part_id), cause);
    }
    g_hash_table_iter_init(&iter, watcher->open);
    while (g_hash_table_iter_next(&iter, &part_id, &place)) {
        const SsdCause *cause = g_hash_table_lookup(now, part_id);
        BlamePart *part = stretch_of(watcher, place);

        if (!cause || !is_same(cause, &part->cause)) {
            part->to_ns = watcher->feed.now_ns;
            g_hash_table_iter_remove(&iter);
        }
    }
}

static void observe(Watcher *watcher)
{
    g_autoptr(GArray) causes = ssd_inquiry_look(watcher->inquiry);

    watcher->until_ns = UINT64_MAX;
    close_stretches(watcher, causes);
    for (unsigned i = 0; i < causes->len; i++) {
        const SsdCause *cause = &g_array_index(causes, SsdCause, i);

        watcher->until_ns = MIN(watcher->until_ns, cause->until_ns);
        if (!g_hash_table_contains(watcher->open,
                                   GUINT_TO_POINTER(cause->part_id))) {
            open_stretch(watcher, cause);
        }
    }
}

static void poll(Watcher *watcher, uint64_t now_ns)
{
    SsdDone done;

    watcher->feed.now_ns = now_ns;
    while (ssd_poll(watcher->feed.ssd, now_ns, &done, 1) > 0) {
        if (watcher->is_inside && done.tag == (uint32_t)watcher->seq) {
            watcher->is_inside = false;
            watcher->blame->done_at_ns = done.due_at_ns;
        }
    }
}

/* While the command is inside, stop whenever something may have changed. */
static void run_to(Watcher *watcher, uint64_t now_ns)
{
    while (watcher->is_inside) {
        uint64_t next_ns = MIN(ssd_next_step_at_ns(watcher->feed.ssd),
                               watcher->until_ns);

        if (next_ns > now_ns) {
            break;
        }
        poll(watcher, next_ns);
        observe(watcher);
    }
    poll(watcher, MAX(now_ns, watcher->feed.now_ns));
}

/* The drive is another one: an inquiry is of one drive. */
static void ask_anew(Watcher *watcher)
{
    ssd_inquiry_free(watcher->inquiry);
    watcher->inquiry = ssd_inquiry_new(watcher->feed.ssd,
                                       (uint32_t)watcher->seq);
}

static void note_blamed(Watcher *watcher, const SsdTraceRecord *record)
{
    Blame *blame = watcher->blame;

    watcher->is_inside = watcher->feed.was_accepted;
    ask_anew(watcher);
    blame->seq = record->seq;
    blame->cmd = record->cmd;
    blame->cmd.ranges = NULL;
    blame->submitted_at_ns = record->at_ns;
    if (watcher->is_inside && record->cmd.nsid != SSD_NSID_ALL) {
        SsdNsInfo ns = ssd_ns_info(watcher->feed.ssd, record->cmd.nsid);

        blame->first_zone_idx = ns.first_zone_idx;
        blame->zone_nlb = ns.zone_size_nlb;
    }
}

static bool watch(Watcher *watcher, const SsdTraceRecord *record,
                  GError **error)
{
    if (record->kind == SSD_TRACE_DONE || record->kind == SSD_TRACE_DISCARD) {
        return true;
    }
    if (record->kind != SSD_TRACE_END) {
        run_to(watcher, record->at_ns);
    }
    if (!feed_record(&watcher->feed, record, error)) {
        return false;
    }
    if (record->kind == SSD_TRACE_FORMAT) {
        forget_zones(watcher, 0, ssd_params(watcher->feed.ssd)->zones);
    } else if (record->kind == SSD_TRACE_POWER_CUT) {
        ask_anew(watcher);
    } else if (record->kind == SSD_TRACE_SUBMIT) {
        note_command(watcher, record);
        if (record->seq == watcher->seq) {
            note_blamed(watcher, record);
        }
    }
    if (watcher->is_inside) {
        observe(watcher);
    }
    return true;
}

/* --- The chain ------------------------------------------------------------ */

/* Stretches are in the order in which they began. */
static unsigned begun_before(const GArray *stretches, uint64_t at_ns)
{
    unsigned low = 0, high = stretches->len;

    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (g_array_index(stretches, BlamePart, middle).from_ns < at_ns) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/*
 * Of the stretches that last until `to_ns`: rather one of the same part, for
 * that is where it was before; else one that ends there, for then something has
 * ended; else one that was there. There always is one.
 */
static const BlamePart *before(const GArray *stretches, uint64_t longest_ns,
                               uint64_t to_ns, const BlamePart *later)
{
    const BlamePart *best = NULL;
    unsigned best_rank = 0, i = begun_before(stretches, to_ns);

    while (i > 0) {
        const BlamePart *part = &g_array_index(stretches, BlamePart, --i);
        bool is_own = later && part->cause.part_id == later->cause.part_id;
        unsigned rank = 2 * (part->to_ns == to_ns) + is_own + 1;

        if (part->to_ns >= to_ns && rank > best_rank) {
            best = part;
            best_rank = rank;
        }
        if (to_ns - part->from_ns > longest_ns) {
            break; /* all that is left began even earlier, and has ended */
        }
    }
    return best;
}

static uint64_t longest_of(const GArray *stretches)
{
    uint64_t longest_ns = 0;

    for (unsigned i = 0; i < stretches->len; i++) {
        const BlamePart *part = &g_array_index(stretches, BlamePart, i);

        longest_ns = MAX(longest_ns, part->to_ns - part->from_ns);
    }
    return longest_ns;
}

static GArray *chain(const Blame *blame, const GArray *stretches)
{
    g_autoptr(GArray) back = g_array_new(FALSE, FALSE, sizeof(BlamePart));
    GArray *parts = g_array_new(FALSE, FALSE, sizeof(BlamePart));
    const BlamePart *part = NULL;
    uint64_t longest_ns = longest_of(stretches);
    uint64_t to_ns = blame->done_at_ns;

    while (to_ns > blame->submitted_at_ns) {
        BlamePart found;

        part = before(stretches, longest_ns, to_ns, part);
        g_assert(part);
        found = *part;
        found.to_ns = to_ns;
        to_ns = found.from_ns;
        g_array_append_val(back, found);
    }
    for (unsigned i = back->len; i > 0; i--) {
        g_array_append_val(parts, g_array_index(back, BlamePart, i - 1));
    }
    return parts;
}

/* --- The command ---------------------------------------------------------- */

static bool watch_all(Watcher *watcher, SsdTraceReader *reader,
                      GError **error)
{
    SsdTraceRecord record;
    int got = 1;

    while ((watcher->is_inside || watcher->blame->done_at_ns == BLAME_NONE) &&
           (got = ssd_trace_next(reader, &record, error)) > 0) {
        if (!watch(watcher, &record, error)) {
            return false;
        }
    }
    run_to(watcher, UINT64_MAX - 1);
    return got >= 0;
}

static void watcher_clear(Watcher *watcher, uint32_t zones)
{
    for (uint32_t i = 0; i < zones; i++) {
        if (watcher->written[i]) {
            g_array_unref(watcher->written[i]);
        }
    }
    g_free(watcher->written);
    g_hash_table_unref(watcher->open);
    g_array_unref(watcher->stretches);
    ssd_inquiry_free(watcher->inquiry);
    ssd_free(watcher->feed.ssd);
}

/* blame->parts is NULL if the command never completes. */
static bool blame_one(const char *path, uint64_t seq, Blame *blame,
                      GError **error)
{
    SsdParams params;
    SsdTraceReader *reader = ssd_trace_open_cut(path, &params, error);
    Watcher watcher = { .seq = seq, .blame = blame };
    bool is_good;

    if (!reader) {
        return false;
    }
    *blame = (Blame) { .seq = seq, .done_at_ns = BLAME_NONE };
    watcher.feed.ssd = ssd_new(&params);
    watcher.written = g_new0(GArray *, params.zones);
    watcher.open = g_hash_table_new(NULL, NULL);
    watcher.stretches = g_array_new(FALSE, FALSE, sizeof(BlamePart));
    is_good = watch_all(&watcher, reader, error);
    blame->parts = is_good && blame->done_at_ns != BLAME_NONE
                   ? chain(blame, watcher.stretches) : NULL;
    watcher_clear(&watcher, params.zones);
    ssd_trace_reader_free(reader);
    return is_good;
}

/* The command that it waited for longest, last of equal ones, or BLAME_NONE. */
static uint64_t next_to_blame(const Blame *blame)
{
    g_autoptr(GHashTable) sums = g_hash_table_new_full(
        g_int64_hash, g_int64_equal, g_free, g_free);
    uint64_t longest_ns = 0, seq = BLAME_NONE;

    for (unsigned i = 0; i < blame->parts->len; i++) {
        const BlamePart *part = &g_array_index(blame->parts, BlamePart, i);
        uint64_t *sum_ns = g_hash_table_lookup(sums, &part->seq);

        if (part->cause.works || part->cause.who.kind != SSD_WHO_COMMAND ||
            part->seq == blame->seq) {
            continue;
        }
        if (!sum_ns) {
            sum_ns = g_new0(uint64_t, 1);
            g_hash_table_insert(sums, g_memdup2(&part->seq, sizeof(part->seq)),
                                sum_ns);
        }
        *sum_ns += part->to_ns - part->from_ns;
        if (*sum_ns >= longest_ns) {
            longest_ns = *sum_ns;
            seq = part->seq;
        }
    }
    return seq;
}

static bool is_as_recorded(const Blame *blame, const Found *found,
                           GError **error)
{
    if (blame->done_at_ns == found->due_at_ns) {
        return true;
    }
    if (!blame->parts) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "command %" PRIu64 " is lost "
                    "with the drive's power, or rejected, in the replay",
                    blame->seq);
        return false;
    }
    g_set_error(error, SIM_ERROR_DOMAIN, 0, "command %" PRIu64 " is due at %"
                PRIu64 " ns in the trace, at %" PRIu64 " ns here: another "
                "version of the drive has recorded it; see femu-sim replay",
                blame->seq, found->due_at_ns, blame->done_at_ns);
    return false;
}

static int blame_trace(const char *path, const Wanted *wanted, uint64_t depth,
                       bool is_csv, GError **error)
{
    g_autofree char *longest = NULL;
    Found found;
    uint64_t seq;

    if (!find(path, wanted, &found, error)) {
        return SIM_ERROR;
    }
    seq = found.seq;
    if (is_csv) {
        printf("level,command,from_ns,to_ns,ns,place,state,where,what,who\n");
    }
    for (unsigned level = 0; level < depth && seq != BLAME_NONE; level++) {
        g_autoptr(GArray) parts = NULL;
        Blame blame;

        if (!blame_one(path, seq, &blame, error)) {
            return SIM_ERROR;
        }
        parts = blame.parts;
        if (level == 0 && !is_as_recorded(&blame, &found, error)) {
            return SIM_ERROR;
        }
        if (!parts) {
            /* It had a place that another waited for, until the power went. */
            if (!is_csv) {
                printf("\ncommand %" PRIu64 " is lost with the drive's power\n",
                       seq);
            }
            break;
        }
        (is_csv ? blame_print_csv : blame_print)(&blame, level);
        if (level == 0) {
            longest = blame_longest(&blame);
        }
        seq = next_to_blame(&blame);
    }
    if (!is_csv) {
        printf("\nblame: command %" PRIu64 ", %" PRIu64 " ns; %s\n", found.seq,
               found.latency_ns, longest);
    }
    return SIM_OK;
}

static bool read_wanted(const char *text, const char *op, Wanted *wanted,
                        GError **error)
{
    wanted->is_slowest = g_str_equal(text, "slowest");
    wanted->op = op ? ssd_op_from_name(op) : SSD_OP_COUNT;
    if (op && wanted->op == SSD_OP_COUNT) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--op=%s: must be an operation "
                    "as traces name it, such as read, write, finish", op);
    } else if (op && !wanted->is_slowest) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--op=%s goes with N=slowest, "
                    "not with N=%s", op, text);
    } else if (!wanted->is_slowest &&
               !g_ascii_string_to_unsigned(text, 10, 0, UINT64_MAX - 1,
                                           &wanted->seq, NULL)) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "N=%s: must be the number of a "
                    "command in the trace, or slowest", text);
    } else {
        return true;
    }
    return false;
}

static bool read_format(const char *text, bool *is_csv, GError **error)
{
    *is_csv = text && g_str_equal(text, "csv");
    if (text && !*is_csv && !g_str_equal(text, "normal")) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--output-format=%s: must be "
                    "normal or csv", text);
        return false;
    }
    return true;
}

int sim_blame_command(int argc, char **argv, GError **error)
{
    g_autoptr(GOptionContext) context = g_option_context_new("TRACE N");
    g_autofree char *depth_text = NULL, *op = NULL, *format = NULL;
    const GOptionEntry entries[] = {
        {"op", 0, 0, G_OPTION_ARG_STRING, &op,
         "The slowest of this operation, such as read", "NAME"},
        {"depth", 0, 0, G_OPTION_ARG_STRING, &depth_text,
         "So many commands: N, the one that N waited for longest, ... (3)",
         "D"},
        {"output-format", 0, 0, G_OPTION_ARG_STRING, &format,
         "normal, or csv: each stretch of time (normal)", "FORMAT"},
        {0},
    };
    uint64_t depth = DEFAULT_DEPTH;
    Wanted wanted;
    bool is_csv;

    g_option_context_set_summary(
        context,
        "Why command N of TRACE, by its number there, or the slowest, took so\n"
        "long: give the commands of TRACE to a new drive, at the same times,\n"
        "and say where it was from its submission to its completion, and\n"
        "which other commands had those places. The parts add up.");
    g_option_context_add_main_entries(context, entries, NULL);
    if (!g_option_context_parse(context, &argc, &argv, error)) {
        return SIM_ERROR;
    }
    if (argc != 3) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "%d arguments: must be two, "
                    "the trace file and the number of a command in it, or "
                    "slowest",
                    argc - 1);
        return SIM_ERROR;
    }
    if (!read_wanted(argv[2], op, &wanted, error) ||
        !read_format(format, &is_csv, error) ||
        (depth_text && !sim_parse_number("--depth", SSD_PARAM_TYPE_U64,
                                         depth_text, 1, 1000, &depth,
                                         error))) {
        return SIM_ERROR;
    }
    return blame_trace(argv[1], &wanted, depth, is_csv, error);
}
