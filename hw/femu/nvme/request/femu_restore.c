/*
 * Restoring a drive from its state, as another QEMU has left it: the history is
 * replayed to a new core, which then is as the other QEMU's was at the instant
 * of the last record. Replay must give the same status, time and result for
 * each command, which detects a history that is damaged or was made by another
 * version.
 *
 * Commands that were inside at the end get no completion, but the core goes on
 * with their flash operations. A shutdown is submitted then, which closes open
 * zones. The bytes of data are in the state's file already: replay only finds
 * out again which of them are data.
 *
 * Knows nothing of queues, or of guests.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "request_internal.h"
#include "../ns/ns.h"
#include "../record/record.h"

/* A replay, with those commands that have no D record yet. */
typedef struct Restore {
    FemuZns *n;
    SsdTraceReader *reader;
    GHashTable *open;   /* seq to Open */
    Error **errp;
} Restore;

/* A command that has no D record yet. */
typedef struct Open {
    uint64_t seq;
    bool is_done;       /* the core is done with it: */
    SsdDone done;
    bool discarded;     /* the history has its X record */
} Open;

G_GNUC_PRINTF(2, 3)
static bool damaged(Restore *r, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    error_setg(r->errp, "state=%s: the history is damaged, or was made by "
               "another version of femu-zns: %s; name a new folder",
               r->n->state_path, text);
    return false;
}

/* Let the core run to now_ns, and note the commands that it is done with. */
static void run_to(Restore *r, uint64_t now_ns)
{
    FemuZns *n = r->n;
    SsdDone done;

    if (now_ns < n->now_ns) {
        return;
    }
    femu_time_set(n, now_ns);
    while (ssd_poll(n->ssd, now_ns, &done, 1) > 0) {
        uint64_t seq = n->req[done.tag].trace_seq;
        Open *open = g_hash_table_lookup(r->open, &seq);

        open->is_done = true;
        open->done = done;
        femu_req_free(n, &done);
    }
}

/* How many blocks a command writes: a copy, those of its ranges. */
static uint64_t written_nlb(const SsdCmd *cmd)
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

/* Mark the same bytes as data, or not as data, as the command then did. */
static void note_data(FemuZns *n, const SsdCmd *cmd, uint64_t lba,
                      uint32_t tag)
{
    FemuNs *ns = femu_ns(n, cmd->nsid);

    switch (cmd->op) {
    case SSD_OP_COPY:
    case SSD_OP_WRITE:
    case SSD_OP_APPEND:
    case SSD_OP_WRITE_ZEROES:
        femu_store_write_zeroes(&ns->store, lba * ns->lba_bytes,
                                written_nlb(cmd) * ns->lba_bytes);
        break;
    case SSD_OP_DEALLOCATE:
        for (uint32_t i = 0; !femu_ns_zoned(ns) && i < cmd->range_count; i++) {
            femu_store_deallocate(&ns->store,
                                  cmd->ranges[i].slba * ns->lba_bytes,
                                  cmd->ranges[i].nlb *
                                  (uint64_t)ns->lba_bytes);
        }
        break;
    case SSD_OP_ZONE_OPEN:
    case SSD_OP_ZONE_CLOSE:
    case SSD_OP_ZONE_FINISH:
    case SSD_OP_ZONE_RESET:
    case SSD_OP_ZONE_OFFLINE:
    case SSD_OP_ZONE_SET_EXTENSION:
    case SSD_OP_ZONE_OPEN_ZRWA:
    case SSD_OP_ZONE_SET_EXTENSION_ZRWA:
    case SSD_OP_ZONE_FLUSH_ZRWA:
        femu_zones_managed(n, ns, cmd, tag);
        break;
    default:
        break;
    }
}

static bool restore_submit(Restore *r, const SsdTraceRecord *record)
{
    FemuZns *n = r->n;
    SsdAccept accept;
    uint32_t tag;
    Open *open;

    if (!ssd_has_room(n->ssd)) {
        return damaged(r, "command %" PRIu64 " comes when there is no room",
                       record->seq);
    }
    tag = n->free_req[n->free_req_count - 1];
    accept = ssd_submit(n->ssd, n->now_ns, &record->cmd, tag);
    if (accept.status != record->status) {
        return damaged(r, "command %" PRIu64 " has status 0x%x there, 0x%x "
                       "here", record->seq, record->status, accept.status);
    }
    femu_trace_submit(n, &record->cmd, accept.status);
    if (accept.status != SSD_SUCCESS) {
        return true;
    }
    n->free_req_count--;
    n->req[tag] = (FemuReq) {
        .busy = true,
        .trace_seq = record->seq,
        .zone_idx = femu_req_zone_idx(n, &record->cmd),
    };
    open = g_new0(Open, 1);
    open->seq = record->seq;
    g_hash_table_insert(r->open, &open->seq, open);
    note_data(n, &record->cmd, accept.lba, tag);
    return true;
}

static Open *find_open(Restore *r, uint64_t seq)
{
    Open *open = g_hash_table_lookup(r->open, &seq);

    if (!open || open->discarded) {
        damaged(r, "command %" PRIu64 " is done with twice, or was rejected",
                seq);
        return NULL;
    }
    return open;
}

static bool restore_done(Restore *r, const SsdTraceRecord *record)
{
    Open *open = find_open(r, record->seq);

    if (!open) {
        return false;
    }
    if (!open->is_done || open->done.due_at_ns != record->at_ns ||
        open->done.status != record->status ||
        open->done.result != record->result) {
        return damaged(r, "command %" PRIu64 " is not done at %" PRIu64
                       " ns here, or otherwise", record->seq, record->at_ns);
    }
    femu_trace_done(r->n, record->seq, &open->done);
    g_hash_table_remove(r->open, &record->seq);
    return true;
}

static bool restore_discard(Restore *r, const SsdTraceRecord *record)
{
    Open *open = find_open(r, record->seq);

    if (!open) {
        return false;
    }
    femu_trace_discard(r->n, record->seq);
    open->discarded = true;
    return true;
}

static bool restore_zone_fail(Restore *r, const SsdTraceRecord *record)
{
    FemuZns *n = r->n;

    if (!ssd_zone_fail(n->ssd, n->now_ns, record->nsid, record->zone_idx,
                       record->state)) {
        return damaged(r, "zone %" PRIu32 " of namespace %" PRIu32
                       " fails twice", record->zone_idx, record->nsid);
    }
    femu_trace_zone_fail(n, record->nsid, record->zone_idx, record->state);
    femu_zone_failed(femu_ns(n, record->nsid), record->zone_idx,
                     record->state);
    return true;
}

static bool restore_format(Restore *r, const SsdTraceRecord *record)
{
    FemuZns *n = r->n;
    FemuNs *ns = femu_ns(n, record->nsid);

    if (!ns || ssd_ns_inflight(n->ssd, ns->nsid) ||
        !ssd_format(n->ssd, n->now_ns, ns->nsid, record->lba_bytes, NULL)) {
        return damaged(r, "namespace %" PRIu32 " cannot be formatted to %"
                       PRIu32 " bytes then", record->nsid, record->lba_bytes);
    }
    femu_trace_format(n, ns->nsid, record->lba_bytes);
    ns->lba_bytes = record->lba_bytes;
    femu_ns_forget(ns);
    return true;
}

/*
 * Cut the power of the core as well. Commands that were inside must have been
 * discarded in the history before; they are not asked for again.
 */
static bool restore_power_cut(Restore *r, const SsdTraceRecord *record)
{
    FemuZns *n = r->n;
    GHashTableIter iter;
    gpointer open;

    g_hash_table_iter_init(&iter, r->open);
    while (g_hash_table_iter_next(&iter, NULL, &open)) {
        if (!((Open *)open)->discarded) {
            return damaged(r, "command %" PRIu64 " is inside when the power "
                           "goes", ((Open *)open)->seq);
        }
    }
    femu_power_core_cut(n, record->seed);
    femu_req_forget_all(n);
    femu_time_set(n, ssd_now_ns(n->ssd));
    return true;
}

static bool restore_record(Restore *r, const SsdTraceRecord *record)
{
    run_to(r, record->at_ns); /* of one that has no instant, 0 */
    switch (record->kind) {
    case SSD_TRACE_SUBMIT:
        return restore_submit(r, record);
    case SSD_TRACE_DONE:
        return restore_done(r, record);
    case SSD_TRACE_DISCARD:
        return restore_discard(r, record);
    case SSD_TRACE_ZONE_FAIL:
        return restore_zone_fail(r, record);
    case SSD_TRACE_FORMAT:
        return restore_format(r, record);
    case SSD_TRACE_POWER_CUT:
        return restore_power_cut(r, record);
    case SSD_TRACE_END:
        return true;
    }
    g_assert_not_reached();
}

static bool play(Restore *r, const char *path)
{
    g_autoptr(GError) error = NULL;
    SsdTraceRecord record;
    SsdParams params;
    int got;

    r->reader = ssd_trace_open_cut(path, &params, &error);
    if (r->reader && !femu_state_is_of_drive(r->n, &params, r->errp)) {
        return false;
    }
    while (r->reader && (got = ssd_trace_next(r->reader, &record, &error)) > 0) {
        if (!restore_record(r, &record)) {
            return false;
        }
    }
    if (error) {
        if (error->domain == G_FILE_ERROR) {
            error_setg(r->errp, "state=%s: %s", r->n->state_path,
                       error->message);
        } else {
            damaged(r, "%s", error->message);
        }
        return false;
    }
    return true;
}

static int compare_seq(const void *a, const void *b, void *unused)
{
    const Open *first = a, *second = b;

    return (first->seq > second->seq) - (first->seq < second->seq);
}

/*
 * The history has been replayed: let time pass up to what the drive has last
 * done of itself, discard the commands that are still inside,
 * close open zones by a shutdown, which QEMU's reset, next, ends, and reset
 * statistics. Changes of zones that have not been reported are dropped.
 */
static void begin_again(Restore *r)
{
    FemuZns *n = r->n;
    g_autoptr(GList) left = g_list_sort_with_data(
        g_hash_table_get_values(r->open), compare_seq, NULL);
    uint32_t nsid, zone_idx;

    run_to(r, n->kept->own_change_at_ns);
    for (GList *at = left; at; at = at->next) {
        Open *open = at->data;

        if (!open->discarded) {
            femu_trace_discard(n, open->seq);
        }
    }
    while (!ssd_has_room(n->ssd)) {
        run_to(r, ssd_next_at_ns(n->ssd));
    }
    femu_req_submit_shutdown(n);
    femu_req_discard(n, NULL);
    while (ssd_poll_zone(n->ssd, n->now_ns, &nsid, &zone_idx)) {
        ;
    }
    ssd_stats_reset(n->ssd, n->now_ns);
}

static bool restore_old(FemuZns *n, const char *path, Error **errp)
{
    Restore r = {
        .n = n,
        .open = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL,
                                      g_free),
        .errp = errp,
    };
    g_autoptr(GError) error = NULL;
    bool done;

    n->memory.frozen = true;
    femu_time_set(n, 0);        /* it may be plugged in at any time */
    done = play(&r, path);
    if (done) {
        const SsdTraceEnd *end = ssd_trace_end(r.reader);

        n->history = femu_sums_go_back(n, end->file_bytes, &error)
                     ? ssd_trace_go_on(path, end, &error) : NULL;
        if (n->history && femu_sums_begin(n, &error)) {
            n->memory.frozen = false;
            begin_again(&r);
        } else {
            error_setg(errp, "state=%s: %s", n->state_path, error->message);
            done = false;
        }
    }
    ssd_trace_reader_free(r.reader);
    g_hash_table_unref(r.open);
    return done;
}

/*
 * Begin a new state. A folder is a state once it has a history, and then that
 * must have all parameters: it is written under another name and renamed.
 */
static bool restore_new(FemuZns *n, const char *path, Error **errp)
{
    g_autofree char *first = femu_state_file(n, FEMU_HISTORY_BEGUN);
    g_autoptr(GError) error = NULL;

    n->history = ssd_trace_create(first, &n->params, &error);
    if (!n->history || !femu_sums_begin(n, &error) ||
        !femu_record_rename(first, path, &error) ||
        !femu_state_begun(n, &error)) {
        error_setg(errp, "state=%s: %s", n->state_path, error->message);
        return false;
    }
    ssd_trace_renamed(n->history, path);
    return true;
}

/*
 * Restore the drive from its state, or begin the state if it is new; without
 * state=, do neither. Needs all lower rooms initialised, and the trace open: it
 * gets all records of the history.
 */
bool femu_restore(FemuZns *n, Error **errp)
{
    g_autofree char *path = NULL;

    if (femu_has_state(n)) {
        bool is_new = femu_state_is_new(n);

        path = femu_state_file(n, FEMU_HISTORY);
        if (!(is_new ? restore_new : restore_old)(n, path, errp)) {
            return false;
        }
    }
    femu_power_init(n);
    femu_kept_begin(n);
    return true;
}
