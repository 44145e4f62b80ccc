/*
 * Recording every command that enters the core and every completion that
 * leaves it: in a trace, for femu-sim to replay, and in the history of a state,
 * from which the next QEMU restores the drive.
 *
 * The history never lacks a completion that the guest has seen: it is flushed
 * before a completion is posted. "Flushed" means to the page cache, which
 * survives this process, however it ends, but not a crash of the machine that
 * runs it; with state-sync=on, to the disk.
 *
 * Knows nothing of the format of the file.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "system/runstate.h"
#include "system/system.h"
#include "record.h"

/* Records of a trace between two flushes: a crash of QEMU loses no more. */
#define TRACE_FLUSH_RECORDS 4096

/*
 * The trace's end is the instant of the last entry (see femu_entry.c), by which
 * all that was due has been recorded. When QEMU exits is not exact: it depends
 * on the machine that runs it.
 */
static void trace_close(FemuZns *n)
{
    g_autoptr(GError) error = NULL;

    if (n->trace && !ssd_trace_close(n->trace, n->now_ns, &error)) {
        error_report("femu-zns: %s", error->message);
        femu_record_lost();
    }
    n->trace = NULL;
    femu_record_release(&n->trace_lock_fd);
}

static void history_close(FemuZns *n)
{
    g_autoptr(GError) error = NULL;

    if (n->history && !ssd_trace_close(n->history, n->now_ns, &error)) {
        error_report("femu-zns: %s; what the guest has been told of is there",
                     error->message);
    } else if (n->history) {
        femu_sums_end(n);
    }
    n->history = NULL;
}

/*
 * The history cannot be written: the host's disk is full, or broken. What is
 * not recorded must not be told, and nothing that the drive has done since is
 * recorded. So it does nothing any more, not even after a controller reset, and
 * QEMU ends, with status 1. The state is as a kill would have left it.
 */
static void history_failed(FemuZns *n, const GError *error)
{
    error_report("femu-zns: %s; the drive stops, and its state is as it was: "
                 "make room, and start it again", error->message);
    n->history_lost = true;
    ssd_trace_close(n->history, n->now_ns, NULL);
    n->history = NULL;
    femu_ctrl_fatal(n, "the history cannot be written");
    qemu_system_shutdown_request_with_code(SHUTDOWN_CAUSE_HOST_ERROR, 1);
}

static void close_all(FemuZns *n)
{
    trace_close(n);
    femu_journal_close(n);
    history_close(n);
}

/*
 * The drive is finalized. If it was unplugged, QEMU may have ended before: then
 * all is closed, but the notifier, which that left in its list, has to go.
 */
void femu_record_close(FemuZns *n)
{
    if (n->exit_notifier.notify) {
        qemu_remove_exit_notifier(&n->exit_notifier);
    }
    close_all(n);
}

/* QEMU ends: the lock stays, so that nobody enters a drive without a record. */
static void trace_at_exit(Notifier *notifier, void *data)
{
    FemuZns *n = container_of(notifier, FemuZns, exit_notifier);

    femu_lock(n);
    close_all(n);
}

/* A file that is whole gets its name. Return: false with *error. */
bool femu_record_rename(const char *from, const char *to, GError **error)
{
    bool is_renamed = rename(from, to) == 0;

    if (!is_renamed) {
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno),
                    "cannot rename '%s': %s", from, g_strerror(errno));
    }
    return is_renamed;
}

bool femu_trace_open(FemuZns *n, Error **errp)
{
    g_autoptr(GError) error = NULL;

    femu_record_status_init();  /* before our notifier: it runs after that */
    n->exit_notifier.notify = trace_at_exit;
    qemu_add_exit_notifier(&n->exit_notifier);
    if (!n->trace_path) {
        return true;
    }
    if (!*n->trace_path) {
        error_setg(errp, "trace= is empty: no command would be recorded; name "
                   "a file, or leave it out");
        return false;
    }
    if (!femu_record_take(n, "trace", n->trace_path, &n->trace_lock_fd, errp)) {
        return false;
    }
    n->trace = ssd_trace_create(n->trace_path, &n->params, &error);
    if (!n->trace) {
        error_setg(errp, "trace=%s: %s", n->trace_path, error->message);
        return false;
    }
    return true;
}

/*
 * Write the history's records to its file. Return: false if that has failed,
 * now or before; then the guest must not be told of what has happened.
 */
bool femu_history_flush(FemuZns *n)
{
    g_autoptr(GError) error = NULL;

    if (n->history_unflushed) {
        n->history_unflushed = false;
        if (!femu_kept_sync(n, &error) ||
            !ssd_trace_flush(n->history, &error)) {
            history_failed(n, error);
        }
    }
    return !n->history_lost;
}

/*
 * A record has been added. If the trace cannot be written, that is reported
 * when it is flushed, and the trace is closed, so it is reported once.
 */
static void recorded(FemuZns *n)
{
    n->history_unflushed = n->history;
    if (!n->trace || ++n->trace_unflushed < TRACE_FLUSH_RECORDS) {
        return;
    }
    n->trace_unflushed = 0;
    if (!ssd_trace_flush(n->trace, NULL)) {
        trace_close(n);     /* fails, too, and says why */
    }
}

/* The open ones of trace and history; both give a command the same number. */
#define FOR_EACH_TRACE(n, trace)                                        \
    for (SsdTrace *traces[] = { (n)->trace, (n)->history },             \
         **at = traces, *trace; at < traces + ARRAY_SIZE(traces); at++) \
        if ((trace = *at))

uint64_t femu_trace_submit(FemuZns *n, const SsdCmd *cmd, SsdStatus status)
{
    uint64_t seq = 0;

    femu_journal_submitted(n);
    FOR_EACH_TRACE(n, trace) {
        seq = ssd_trace_submit(trace, n->now_ns, cmd, status);
    }
    recorded(n);
    return seq;
}

void femu_trace_zone_fail(FemuZns *n, uint32_t nsid, uint32_t zone_idx,
                          SsdZoneState state)
{
    FOR_EACH_TRACE(n, trace) {
        ssd_trace_zone_fail(trace, n->now_ns, nsid, zone_idx, state);
    }
    recorded(n);
}

void femu_trace_format(FemuZns *n, uint32_t nsid, uint32_t lba_bytes)
{
    FOR_EACH_TRACE(n, trace) {
        ssd_trace_format(trace, n->now_ns, nsid, lba_bytes);
    }
    recorded(n);
}

void femu_trace_power_cut(FemuZns *n, uint64_t seed)
{
    FOR_EACH_TRACE(n, trace) {
        ssd_trace_power_cut(trace, n->now_ns, seed);
    }
    recorded(n);
}

/*
 * The drive has changed a zone of itself, of which the history has no record: it
 * follows from the time. So that it is not lost with what the host is told next,
 * its instant is kept.
 */
void femu_record_own_change(FemuZns *n)
{
    if (n->history) {
        n->kept->own_change_at_ns = n->now_ns;
        n->history_unflushed = true;
    }
}

void femu_trace_done(FemuZns *n, uint64_t seq, const SsdDone *done)
{
    FOR_EACH_TRACE(n, trace) {
        ssd_trace_done(trace, seq, done);
    }
    recorded(n);
}

void femu_trace_discard(FemuZns *n, uint64_t seq)
{
    FOR_EACH_TRACE(n, trace) {
        ssd_trace_discard(trace, seq);
    }
    recorded(n);
}
