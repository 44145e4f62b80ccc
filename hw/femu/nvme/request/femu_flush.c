/*
 * Flushes of the drive's own: what must not be lost with the power, of a drive
 * whose write cache is volatile, is completed only when a flush behind it is.
 * So is a write with Force Unit Access, each write while the cache is disabled,
 * and the command that disables it.
 *
 * Knows nothing of opcodes, host memory or data.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "request_internal.h"

bool femu_cache_is_volatile(const FemuZns *n)
{
    return n->params.write_cache == SSD_WRITE_CACHE_VOLATILE;
}

/* Does a write need a flush behind it, with Force Unit Access or without? */
bool femu_cache_writes_through(const FemuZns *n, bool fua)
{
    return femu_cache_is_volatile(n) && (fua || !n->features.write_cache);
}

/* The command is done: have it completed, with `result`, behind a flush. */
void femu_flush_first(FemuZns *n, FemuSq *sq, uint16_t cid, uint64_t result)
{
    FemuFlush *flush = g_new0(FemuFlush, 1);

    flush->sq = sq;
    flush->cid = cid;
    flush->result = result;
    QSIMPLEQ_INSERT_TAIL(&n->flushes, flush, next);
}

/* Completions of this queue's commands, or of all, will not be posted. */
void femu_flushes_discard(FemuZns *n, const FemuSq *sq)
{
    FemuFlush *flush, *next;

    QSIMPLEQ_FOREACH_SAFE(flush, &n->flushes, next, next) {
        if (!sq || flush->sq == sq) {
            QSIMPLEQ_REMOVE(&n->flushes, flush, FemuFlush, next);
            g_free(flush);
        }
    }
}
