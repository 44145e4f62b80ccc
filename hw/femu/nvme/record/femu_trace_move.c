/*
 * A trace that goes on in another QEMU: what has been recorded so far moves
 * there with the drive, and the trace there has all of it.
 *
 * Knows nothing of how it moves.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "record.h"

/*
 * All of the trace is read where a drive comes from, and takes the file's place
 * where it goes: that is a plain file. One that is not there, or a folder, is a
 * matter of who opens it. Return: false with *errp.
 */
bool femu_trace_can_move(const FemuZns *n, Error **errp)
{
    struct stat file;

    if (stat(n->trace_path, &file) != 0 || S_ISREG(file.st_mode) ||
        S_ISDIR(file.st_mode)) {
        return true;
    }
    error_setg(errp, "trace=%s is a FIFO or a device: the trace of a drive that "
               "moves into another QEMU, or is saved in a snapshot, must be a "
               "plain file", n->trace_path);
    return false;
}

/* Write all records to the trace's file. Return: false with *errp. */
bool femu_trace_flush(FemuZns *n, Error **errp)
{
    g_autoptr(GError) error = NULL;

    if (n->trace && !ssd_trace_flush(n->trace, &error)) {
        error_setg(errp, "%s", error->message);
        return false;
    }
    return true;
}

/* Read the trace at `path` to its end, which is put in *end. */
static bool find_end(const char *path, SsdTraceEnd *end, GError **error)
{
    SsdParams params;
    SsdTraceRecord record;
    SsdTraceReader *reader = ssd_trace_open_cut(path, &params, error);
    int got = -1;

    while (reader && (got = ssd_trace_next(reader, &record, error)) > 0) {
        ;
    }
    if (got == 0) {
        *end = *ssd_trace_end(reader);
    }
    ssd_trace_reader_free(reader);
    return got == 0;
}

/*
 * The file at `path` is a trace up to now: it becomes n's, which must have one,
 * under n's name. Return: false with *errp.
 */
bool femu_trace_go_on(FemuZns *n, const char *path, Error **errp)
{
    g_autoptr(GError) error = NULL;
    SsdTraceEnd end;
    SsdTrace *next;

    if (!find_end(path, &end, &error) ||
        !femu_record_rename(path, n->trace_path, &error) ||
        !(next = ssd_trace_go_on(n->trace_path, &end, &error))) {
        error_setg(errp, "trace=%s: %s", n->trace_path, error->message);
        return false;
    }
    /* What was there so far is a file without a name. */
    ssd_trace_close(n->trace, n->now_ns, NULL);
    n->trace = next;
    femu_record_release(&n->trace_lock_fd);
    if (!femu_record_lock(n->trace_path, &n->trace_lock_fd)) {
        error_setg(errp, "trace=%s: a drive of another QEMU has begun to write "
                   "there; name another file", n->trace_path);
        return false;
    }
    return true;
}
