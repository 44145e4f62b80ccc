/*
 * Trace files: every command that entered a drive and every completion that
 * left it, as text, so that another run can be compared to the nanosecond.
 *
 * Knows nothing of QEMU or of how the drive works; it writes and reads lines.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SSD_TRACE_H
#define FEMU_SSD_TRACE_H

#include "ssd.h"
#include "ssd_sums.h"

/*
 * The format, one record a line, fields separated by commas:
 *   # femu-zns trace 2          first line
 *   P,<name>,<value>            one per parameter, before all commands
 *   R,<slba>,<nlb>              one per source range, before the S of a copy
 *   S,<seq>,<at_ns>,<op>,<nsid>,<slba>,<nlb>,<select_all>,<status>
 *   A,<seq>,<bytes>             what had been read ahead of a read, if
 *                               anything had; right before its C
 *   C,<seq>,<due_at_ns>,<status>,<result>
 *   X,<seq>                     the completion was discarded by a reset
 *   F,<at_ns>,<nsid>,<zone>,<state>  its medium failed: ssd_zone_fail()
 *   N,<at_ns>,<nsid>,<lba_bytes>     it was formatted: ssd_format(); as
 *                               there, 4294967295 means all namespaces
 *   O,<at_ns>,<seed>            its power went off: ssd_power_cut(); what was
 *                               inside has X records above
 *   E,<at_ns>                   the end, up to which all completions are
 *                               recorded; a file without it was cut short
 * <seq> counts submissions from 0. Times are core times (time-dilation
 * divided out). A rejected command has an S record with its status, no C.
 * Version 1 had no nsid; such a file is refused: record it again.
 */
typedef struct SsdTrace SsdTrace;

#define SSD_TRACE_ERROR ssd_trace_error_quark()
GQuark ssd_trace_error_quark(void);

/* Create (truncate) `path` and write its header. NULL and *error on failure. */
SsdTrace *ssd_trace_create(const char *path, const SsdParams *params,
                           GError **error);

/* Where a trace can go on: behind its last whole record that is not the END. */
typedef struct SsdTraceEnd {
    uint64_t file_bytes;
    uint64_t submitted_count;
    uint64_t at_ns; /* the latest instant that it names */
} SsdTraceEnd;

/*
 * Go on with `path` there; what is behind is cut off. NULL and *error if the
 * file cannot be written; it is as it was then.
 */
SsdTrace *ssd_trace_go_on(const char *path, const SsdTraceEnd *end,
                          GError **error);

/* Its file has this name from now on, by which errors call it. */
void ssd_trace_renamed(SsdTrace *trace, const char *path);

/* Record a submission; returns its sequence number. */
uint64_t ssd_trace_submit(SsdTrace *trace, uint64_t at_ns, const SsdCmd *cmd,
                          SsdStatus status);
void ssd_trace_done(SsdTrace *trace, uint64_t seq, const SsdDone *done);
void ssd_trace_discard(SsdTrace *trace, uint64_t seq);
void ssd_trace_zone_fail(SsdTrace *trace, uint64_t at_ns, uint32_t nsid,
                         uint32_t zone_idx, SsdZoneState state);
void ssd_trace_format(SsdTrace *trace, uint64_t at_ns, uint32_t nsid,
                      uint32_t lba_bytes);

void ssd_trace_power_cut(SsdTrace *trace, uint64_t at_ns, uint64_t seed);

/*
 * From now on *sums has the sum of the file, up to where it has been flushed.
 * False and *error if what is there already cannot be read.
 */
bool ssd_trace_keep_sum(SsdTrace *trace, SsdSums *sums, GError **error);

/*
 * From now on what is flushed is on the host's disk, before its sum says that
 * it is there.
 */
void ssd_trace_synchronise(SsdTrace *trace);

/* Push what is buffered to the file. False and *error if a write failed. */
bool ssd_trace_flush(SsdTrace *trace, GError **error);

/* Write the end record, close. False and *error if any write failed. */
bool ssd_trace_close(SsdTrace *trace, uint64_t at_ns, GError **error);

typedef enum SsdTraceKind {
    SSD_TRACE_SUBMIT,
    SSD_TRACE_DONE,
    SSD_TRACE_DISCARD,
    SSD_TRACE_ZONE_FAIL,
    SSD_TRACE_FORMAT,
    SSD_TRACE_POWER_CUT,
    SSD_TRACE_END,
} SsdTraceKind;

typedef struct SsdTraceRecord {
    SsdTraceKind kind;
    uint64_t seq;
    uint64_t at_ns;
    SsdCmd cmd; /* its ranges are the reader's, until the next record */
    SsdStatus status;
    uint64_t result;
    uint64_t ahead_bytes; /* DONE: of a read */
    uint32_t nsid; /* ZONE_FAIL, FORMAT */
    uint32_t zone_idx;
    SsdZoneState state;
    uint32_t lba_bytes;
    uint64_t seed; /* POWER_CUT */
} SsdTraceRecord;

typedef struct SsdTraceReader SsdTraceReader;

/*
 * Open a trace and read its parameters into *params (defaults for those that
 * it does not name). NULL and *error naming file, line and field otherwise.
 * If there is no file that could be opened, that is a G_FILE_ERROR.
 */
SsdTraceReader *ssd_trace_open(const char *path, SsdParams *params,
                               GError **error);

/*
 * As ssd_trace_open(), of a file whose writer may have been killed. It ends
 * where the last whole record does, which is followed by an END for the reader,
 * at the latest instant that it names.
 */
SsdTraceReader *ssd_trace_open_cut(const char *path, SsdParams *params,
                                   GError **error);

/* Where a file that has been read to its END can go on. */
const SsdTraceEnd *ssd_trace_end(const SsdTraceReader *reader);

/*
 * Next record. Return: 1 with *record filled, 0 after the END record, -1 with
 * *error (damaged line, or file cut short before its END record).
 */
int ssd_trace_next(SsdTraceReader *reader, SsdTraceRecord *record,
                   GError **error);
void ssd_trace_reader_free(SsdTraceReader *reader);

#endif
