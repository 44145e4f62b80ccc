/*
 * Recording every command that enters the drive and every completion that
 * leaves it, for femu-sim to replay.
 *
 * Knows nothing of the format of the file.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "system/system.h"
#include "request_internal.h"

/* Records between two flushes: what a crash of QEMU can lose at most. */
#define TRACE_FLUSH_RECORDS 4096

static void trace_failed(FemuZns *n, GError *error)
{
    error_report("femu-zns '%s': trace=%s: %s", n->serial, n->trace_path,
                 error->message);
    g_error_free(error);
}

void femu_trace_close(FemuZns *n)
{
    GError *error = NULL;

    if (!n->trace) {
        return;
    }
    qemu_remove_exit_notifier(&n->exit_notifier);
    /*
     * The end is when the device was last entered: QEMU exits at a moment that
     * the host decides. What was due by then has been recorded.
     */
    if (!ssd_trace_close(n->trace, n->now_ns, &error)) {
        trace_failed(n, error);
    }
    n->trace = NULL;
}

static void trace_at_exit(Notifier *notifier, void *data)
{
    femu_trace_close(container_of(notifier, FemuZns, exit_notifier));
}

bool femu_trace_open(FemuZns *n, Error **errp)
{
    GError *error = NULL;

    if (!n->trace_path || !*n->trace_path) {
        return true;
    }
    n->trace = ssd_trace_create(n->trace_path, &n->params, &error);
    if (!n->trace) {
        error_setg(errp, "trace=%s: %s", n->trace_path, error->message);
        g_error_free(error);
        return false;
    }
    n->exit_notifier.notify = trace_at_exit;
    qemu_add_exit_notifier(&n->exit_notifier);
    return true;
}

/* A record was made. The first failure to write is reported, by its flush. */
static void trace_recorded(FemuZns *n)
{
    GError *error = NULL;

    if (++n->trace_unflushed < TRACE_FLUSH_RECORDS) {
        return;
    }
    n->trace_unflushed = 0;
    if (!ssd_trace_flush(n->trace, &error)) {
        trace_failed(n, error);
        femu_trace_close(n);
    }
}

uint64_t femu_trace_submit(FemuZns *n, const SsdCmd *cmd, SsdStatus status)
{
    uint64_t seq;

    if (!n->trace) {
        return 0;
    }
    seq = ssd_trace_submit(n->trace, n->now_ns, cmd, status);
    trace_recorded(n);
    return seq;
}

void femu_trace_zone_fail(FemuZns *n, uint32_t nsid, uint32_t zone_idx,
                          SsdZoneState state)
{
    if (n->trace) {
        ssd_trace_zone_fail(n->trace, n->now_ns, nsid, zone_idx, state);
        trace_recorded(n);
    }
}

void femu_trace_format(FemuZns *n, uint32_t nsid, uint32_t lba_bytes)
{
    if (n->trace) {
        ssd_trace_format(n->trace, n->now_ns, nsid, lba_bytes);
        trace_recorded(n);
    }
}

void femu_trace_done(FemuZns *n, uint64_t seq, const SsdDone *done)
{
    if (n->trace) {
        ssd_trace_done(n->trace, seq, done);
        trace_recorded(n);
    }
}

void femu_trace_discard(FemuZns *n, uint64_t seq)
{
    if (n->trace) {
        ssd_trace_discard(n->trace, seq);
        trace_recorded(n);
    }
}
