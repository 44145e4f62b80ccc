/*
 * The journal: all bytes that the data and what is kept are given, so that with
 * the trace "femu-sim cut" makes the drive's state at any instant.
 *
 * Knows nothing of where data lie, or of when they are written.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "record.h"

static bool check(const FemuZns *n, Error **errp)
{
    if (!n->trace) {
        error_setg(errp, "journal=%s: needs trace= as well, which says when "
                   "the bytes of the journal were written", n->journal_path);
        return false;
    }
    if (femu_has_state(n)) {
        error_setg(errp, "journal=%s and state= exclude each other: the "
                   "journal must have all that was ever written to the drive",
                   n->journal_path);
        return false;
    }
    return true;
}

/* Without journal=, do nothing. The trace must be open. */
bool femu_journal_open(FemuZns *n, Error **errp)
{
    g_autoptr(GError) error = NULL;

    if (!n->journal_path) {
        return true;
    }
    if (!*n->journal_path) {
        error_setg(errp, "journal= is empty: no data would be recorded; name a "
                   "file, or leave it out");
        return false;
    }
    if (!check(n, errp) ||
        !femu_record_take(n, "journal", n->journal_path, &n->journal_lock_fd,
                          errp)) {
        return false;
    }
    n->journal = ssd_journal_create(n->journal_path, &error);
    if (!n->journal) {
        error_setg(errp, "journal=%s: %s", n->journal_path, error->message);
        return false;
    }
    n->journal_kept = g_malloc0(ssd_kept_bytes(&n->params));
    return true;
}

/* Bytes of n->kept have been written. */
void femu_journal_kept_bytes(FemuZns *n, const void *at, uint64_t bytes)
{
    if (n->journal) {
        ssd_journal_write(n->journal, n->memory.bytes +
                          ((uint8_t *)at - (uint8_t *)n->kept), at, bytes);
    }
}

/* Write what has changed in n->kept, its extensions aside. */
static void note_head(FemuZns *n)
{
    uint64_t *now = (uint64_t *)n->kept, *was = (uint64_t *)n->journal_kept;

    for (; now < (uint64_t *)femu_kept_extensions(n); now++, was++) {
        if (*now != *was) {
            femu_journal_kept_bytes(n, now, sizeof(*now));
            *was = *now;
        }
    }
}

/*
 * A command is about to be recorded in the trace: counters that others before
 * it have changed come first.
 */
void femu_journal_submitted(FemuZns *n)
{
    if (n->journal) {
        note_head(n);
        ssd_journal_submitted(n->journal);
    }
}

/*
 * n->journal_path must not be used: this can happen while the object is
 * finalized, after its properties. `error` names the file.
 */
void femu_journal_close(FemuZns *n)
{
    g_autoptr(GError) error = NULL;

    if (n->journal) {
        note_head(n);
        if (!ssd_journal_close(g_steal_pointer(&n->journal), &error)) {
            error_report("femu-zns: %s", error->message);
            femu_record_lost();
        }
    }
    g_clear_pointer(&n->journal_kept, g_free);
    femu_record_release(&n->journal_lock_fd);
}
