/*
 * femu-sim replay: gives the commands of a trace, at their times, to a new
 * drive and compares every status, completion time and result.
 *
 * Knows nothing of where the trace was recorded.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim.h"
#include "sim_drive.h"
#include "ssd_trace.h"

#define MAX_SHOWN 10

/*
 * A command that the trace and the drive have not both done with. Two facts
 * are awaited for it; once both are there it is compared and forgotten.
 */
typedef struct Pending {
    uint64_t seq;
    SsdCmd cmd;
    uint64_t at_ns;
    bool here_done;  /* `here` holds what the drive here did */
    bool trace_done; /* `there` holds what the trace says */
    bool unequal;    /* already counted as different: no comparison */
    SsdDone here;
    SsdTraceRecord there;
} Pending;

typedef struct Replay {
    Ssd *ssd;
    uint64_t now_ns;
    GHashTable *pending; /* seq, as a pointer to Pending.seq, to Pending */
    Pending **by_tag;    /* commands inside the drive */
    uint32_t *free_tags;
    uint32_t free_count;
    uint64_t submitted_count;
    uint64_t completed_count; /* in both, and compared */
    uint64_t different_count;
} Replay;

static void replay_init(Replay *replay, const SsdParams *params)
{
    memset(replay, 0, sizeof(*replay));
    replay->ssd = ssd_new(params);
    replay->pending = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL,
                                            g_free);
    replay->by_tag = g_new0(Pending *, params->cmd_slots);
    replay->free_tags = g_new0(uint32_t, params->cmd_slots);
    replay->free_count = params->cmd_slots;
    for (uint32_t i = 0; i < params->cmd_slots; i++) {
        replay->free_tags[i] = params->cmd_slots - 1 - i;
    }
}

static void replay_clear(Replay *replay)
{
    ssd_free(replay->ssd);
    g_hash_table_unref(replay->pending);
    g_free(replay->by_tag);
    g_free(replay->free_tags);
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
    }
}

/* Forget the command once both sides are known. */
static void settle(Replay *replay, Pending *p)
{
    if (p->here_done && p->trace_done) {
        if (!p->unequal) {
            compare(replay, p);
        }
        g_hash_table_remove(replay->pending, &p->seq);
    }
}

/* Take in what is due here up to `now_ns`. */
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

/* The command of a C or X record, which the trace must not be done with. */
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
    p->unequal = true; /* its time is not known: nothing to compare */
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
 * A command that the trace's end found inside its drive. Here it is done. It
 * should have been there too, if it was due before the end.
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

/* Commands inside the namespaces that a format names. */
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

static bool replay_record(Replay *replay, const SsdTraceRecord *record,
                          GError **error)
{
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

static int replay_trace(const char *path, GError **error)
{
    SsdParams params;
    SsdTraceReader *reader = ssd_trace_open(path, &params, error);
    int status = SIM_ERROR;
    Replay replay;

    if (!reader) {
        return SIM_ERROR;
    }
    replay_init(&replay, &params);
    if (replay_all(&replay, reader, error)) {
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

    g_option_context_set_summary(
        context,
        "Give the commands of TRACE, which the device's trace= or femu-sim\n"
        "run --trace recorded, to a new drive at the same times and compare\n"
        "every status and completion. Exit status 1: there is a difference.");
    if (!sim_parse_options(context, &argc, &argv, "the trace file", error)) {
        return SIM_ERROR;
    }
    return replay_trace(argv[1], error);
}
