/*
 * Plays a trace to a new drive up to the point at which its power is to be cut.
 *
 * Knows nothing of what a cut does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "cut_walk.h"

#include <inttypes.h>
#include <stdio.h>

void cut_walk_init(CutWalk *walk, const SsdParams *params, const CutPoint *at)
{
    *walk = (CutWalk){
        .at = *at,
        .open = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
                                      NULL),
    };
    walk->feed.ssd = ssd_new(params);
}

void cut_walk_clear(CutWalk *walk)
{
    ssd_free(walk->feed.ssd);
    g_hash_table_unref(walk->open);
}

/* --- Points --------------------------------------------------------------- */

static void note_point(CutWalk *walk, const char *kind, const char *what)
{
    walk->point_count++;
    if (walk->lists) {
        printf("%" PRIu64 ",%" PRIu64 ",%s,%s\n", walk->point_count,
               walk->feed.now_ns, kind, what);
    }
    walk->is_there |= walk->point_count == walk->at.points;
}

/* Does a command of this kind change what lasts? */
static bool changes(SsdOp op)
{
    switch (op) {
    case SSD_OP_WRITE:
    case SSD_OP_APPEND:
    case SSD_OP_WRITE_ZEROES:
    case SSD_OP_COPY:
    case SSD_OP_DEALLOCATE:
        return true;
    default:
        return op >= SSD_OP_ZONE_OPEN && op <= SSD_OP_ZONE_FLUSH_ZRWA;
    }
}

/* Does what it has changed, or others before it, surely last when it ends? */
static bool secures(SsdOp op)
{
    return changes(op) || op == SSD_OP_FLUSH || op == SSD_OP_SHUTDOWN;
}

/* --- Time ----------------------------------------------------------------- */

/* Run the drive to now_ns; nobody asks for its completions, so drop them. */
static void poll(CutWalk *walk, uint64_t now_ns)
{
    SsdDone done;

    walk->feed.now_ns = now_ns;
    while (ssd_poll(walk->feed.ssd, now_ns, &done, 1) > 0) {
        ;
    }
}

/* Do we have to look at each program of the flash? */
static bool wants_programs(const CutWalk *walk)
{
    return walk->lists || walk->at.programs != UINT64_MAX ||
           walk->at.points != UINT64_MAX;
}

/* The next instant at which a program may end; note it if one does. */
static void step(CutWalk *walk)
{
    Ssd *ssd = walk->feed.ssd;
    uint64_t before = ssd_programs(ssd);

    poll(walk, ssd_next_step_at_ns(ssd));
    if (ssd_programs(ssd) > before) {
        note_point(walk, "programmed", "page");
        walk->is_there |= ssd_programs(ssd) >= walk->at.programs;
    }
}

/* Run the drive to now_ns, or to the point of the cut if that is earlier. */
static void run_to(CutWalk *walk, uint64_t now_ns)
{
    uint64_t until_ns = MIN(now_ns, walk->at.at_ns);

    while (!walk->is_there && wants_programs(walk) &&
           ssd_next_step_at_ns(walk->feed.ssd) <= until_ns) {
        step(walk);
    }
    if (!walk->is_there) {
        poll(walk, MAX(until_ns, walk->feed.now_ns));
        walk->is_there = now_ns > walk->at.at_ns;
    }
}

/* --- Records -------------------------------------------------------------- */

static void note_accepted(CutWalk *walk, const SsdTraceRecord *record)
{
    uint64_t *seq = g_new(uint64_t, 1);

    *seq = record->seq;
    g_hash_table_insert(walk->open, seq,
                        GUINT_TO_POINTER((unsigned)record->cmd.op));
    walk->accepted_count++;
    if (changes(record->cmd.op)) {
        note_point(walk, "accepted", ssd_op_name(record->cmd.op));
    }
    walk->is_there |= walk->accepted_count >= walk->at.commands;
}

static void note_ended(CutWalk *walk, const SsdTraceRecord *record)
{
    gpointer op;

    if (!g_hash_table_lookup_extended(walk->open, &record->seq, NULL, &op)) {
        return;
    }
    g_hash_table_remove(walk->open, &record->seq);
    if (record->kind == SSD_TRACE_DONE && secures(GPOINTER_TO_UINT(op))) {
        note_point(walk, "told", ssd_op_name(GPOINTER_TO_UINT(op)));
    }
}

/* What has completed was due before whatever the drive was given next. */
static bool is_in_time(const CutWalk *walk, const SsdTraceRecord *record,
                       GError **error)
{
    if (record->at_ns < walk->feed.now_ns) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "the trace makes no sense: a "
                    "command completes at %" PRIu64 " ns, above a record of %"
                    PRIu64 " ns", walk->feed.now_ns, record->at_ns);
        return false;
    }
    return true;
}

static bool note(CutWalk *walk, const SsdTraceRecord *record, GError **error)
{
    switch (record->kind) {
    case SSD_TRACE_DONE:
    case SSD_TRACE_DISCARD:
        note_ended(walk, record);
        return true;
    case SSD_TRACE_END:
        return true;
    default:
        break;
    }
    if (!is_in_time(walk, record, error) ||
        !feed_record(&walk->feed, record, error)) {
        return false;
    }
    if (walk->feed.was_accepted) {
        note_accepted(walk, record);
    } else if (record->kind == SSD_TRACE_ZONE_FAIL) {
        note_point(walk, "failed", "zone");
    } else if (record->kind == SSD_TRACE_FORMAT) {
        note_point(walk, "formatted", "namespace");
    }
    return true;
}

static bool play(CutWalk *walk, const SsdTraceRecord *record,
                 const SsdTraceEnd *end, GError **error)
{
    if (record->kind != SSD_TRACE_DISCARD) { /* which has no instant */
        run_to(walk, record->at_ns);
    }
    if (walk->is_there) {
        return true;
    }
    if (!note(walk, record, error)) {
        return false;
    }
    walk->read = *end;
    return true;
}

bool cut_walk_play(CutWalk *walk, SsdTraceReader *reader, GError **error)
{
    const SsdTraceEnd *end = ssd_trace_end(reader);
    SsdTraceRecord record;
    int got = 1;

    walk->read = *end;
    while (!walk->is_there &&
           (got = ssd_trace_next(reader, &record, error)) > 0) {
        if (!play(walk, &record, end, error)) {
            return false;
        }
    }
    return got >= 0;
}
