/*
 * Writing trace files: a fixed buffer, digits by hand.
 *
 * Knows nothing of QEMU or of how the drive works; it writes lines.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "params_text.h"
#include "ssd_file.h"
#include "ssd_trace_lines.h"

#define BUFFER_BYTES (64 * 1024)

G_DEFINE_QUARK(ssd-trace-error, ssd_trace_error)

struct SsdTrace {
    char *path;
    FILE *file;
    uint64_t next_seq;
    bool synchronised; /* what is flushed is on the disk */
    SsdSums *sums;    /* NULL: none are kept */
    uint64_t bytes;   /* of the file */
    uint32_t sum;     /* of the file, if they are */
    int failed_errno; /* of the first write that failed; 0: none has */
    size_t used;      /* bytes of `buffer`; room for a line after each call */
    char buffer[BUFFER_BYTES + TRACE_LINE_BYTES_MAX];
};

static void trace_drain(SsdTrace *trace)
{
    size_t used = trace->used;

    trace->used = 0;
    trace->bytes += used;
    if (trace->sums) {
        trace->sum = ssd_sum(trace->sum, trace->buffer, used);
    }
    if (trace->failed_errno == 0 &&
        fwrite(trace->buffer, 1, used, trace->file) != used) {
        trace->failed_errno = errno ? errno : EIO;
    }
}

static void put_text(SsdTrace *trace, const char *text)
{
    size_t length = strlen(text);

    memcpy(trace->buffer + trace->used, text, length);
    trace->used += length;
}

/* A comma, then `value` in decimal. */
static void put_number(SsdTrace *trace, uint64_t value)
{
    char digits[20];
    unsigned count = 0;

    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    trace->buffer[trace->used++] = ',';
    while (count > 0) {
        trace->buffer[trace->used++] = digits[--count];
    }
}

static void end_line(SsdTrace *trace)
{
    trace->buffer[trace->used++] = '\n';
    if (trace->used >= BUFFER_BYTES) {
        trace_drain(trace);
    }
}

static void put_params(SsdTrace *trace, const SsdParams *params)
{
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);

    for (unsigned i = 0; i < count; i++) {
        put_text(trace, "P,");
        put_text(trace, table[i].name);
        if (table[i].type == SSD_PARAM_TYPE_BOOL ||
            table[i].type == SSD_PARAM_TYPE_ENUM) {
            g_autofree char *word =
                ssd_param_row_text(&table[i],
                                   ssd_params_get(params, &table[i]));

            put_text(trace, ",");
            put_text(trace, word);
        } else {
            put_number(trace, ssd_params_get(params, &table[i]));
        }
        end_line(trace);
    }
}

static SsdTrace *trace_new(const char *path, FILE *file)
{
    SsdTrace *trace = g_new0(SsdTrace, 1);

    setbuf(file, NULL);
    trace->path = g_strdup(path);
    trace->file = file;
    return trace;
}

SsdTrace *ssd_trace_create(const char *path, const SsdParams *params,
                           GError **error)
{
    const char *wrong;
    FILE *file = ssd_file_create(path, &wrong);
    SsdTrace *trace;

    if (!file) {
        g_set_error(error, SSD_TRACE_ERROR, 0, "cannot create trace '%s': %s",
                    path, wrong);
        return NULL;
    }
    trace = trace_new(path, file);
    put_text(trace, TRACE_MAGIC);
    end_line(trace);
    put_params(trace, params);
    return trace;
}

SsdTrace *ssd_trace_go_on(const char *path, const SsdTraceEnd *end,
                          GError **error)
{
    FILE *file = fopen(path, "r+e");
    SsdTrace *trace;

    if (!file || ftruncate(fileno(file), (off_t)end->file_bytes) != 0 ||
        fseeko(file, 0, SEEK_END) != 0) {
        g_set_error(error, SSD_TRACE_ERROR, 0, "cannot go on with trace '%s': "
                    "%s", path, g_strerror(errno));
        if (file) {
            fclose(file);
        }
        return NULL;
    }
    trace = trace_new(path, file);
    trace->next_seq = end->submitted_count;
    trace->bytes = end->file_bytes;
    return trace;
}

void ssd_trace_renamed(SsdTrace *trace, const char *path)
{
    g_free(trace->path);
    trace->path = g_strdup(path);
}

bool ssd_trace_keep_sum(SsdTrace *trace, SsdSums *sums, GError **error)
{
    int wrong = ssd_sum_file(trace->path, trace->bytes, &trace->sum);

    if (wrong != 0) {
        g_set_error(error, SSD_TRACE_ERROR, 0, "cannot read trace '%s': %s",
                    trace->path, g_strerror(wrong));
        return false;
    }
    trace->sums = sums;
    return true;
}

void ssd_trace_synchronise(SsdTrace *trace)
{
    trace->synchronised = true;
}

/* All that has been recorded has been given to the host. */
static void wait_for_disk(SsdTrace *trace)
{
    if (trace->synchronised && trace->failed_errno == 0 &&
        fdatasync(fileno(trace->file)) != 0) {
        trace->failed_errno = errno;
    }
}

/* All that has been recorded is in the file. */
static void note_sum(SsdTrace *trace)
{
    if (trace->sums) {
        ssd_sums_put_history(trace->sums, trace->bytes, trace->sum);
    }
}

static void put_range(SsdTrace *trace, const SsdRange *range)
{
    put_text(trace, "R");
    put_number(trace, range->slba);
    put_number(trace, range->nlb);
    end_line(trace);
}

uint64_t ssd_trace_submit(SsdTrace *trace, uint64_t at_ns, const SsdCmd *cmd,
                          SsdStatus status)
{
    if (ssd_trace_has_ranges(cmd->op)) {
        /* One range too many is as wrong as any number of them. */
        uint32_t count = MIN(cmd->range_count, TRACE_RANGES_MAX);

        for (uint32_t i = 0; i < count; i++) {
            put_range(trace, &cmd->ranges[i]);
        }
    }
    put_text(trace, "S");
    put_number(trace, trace->next_seq);
    put_number(trace, at_ns);
    put_text(trace, ",");
    put_text(trace, ssd_op_name(cmd->op));
    put_number(trace, cmd->nsid);
    put_number(trace, cmd->slba);
    put_number(trace, cmd->nlb);
    put_number(trace, cmd->select_all);
    put_number(trace, status);
    end_line(trace);
    return trace->next_seq++;
}

void ssd_trace_done(SsdTrace *trace, uint64_t seq, const SsdDone *done)
{
    if (done->ahead_bytes) {
        put_text(trace, "A");
        put_number(trace, seq);
        put_number(trace, done->ahead_bytes);
        end_line(trace);
    }
    put_text(trace, "C");
    put_number(trace, seq);
    put_number(trace, done->due_at_ns);
    put_number(trace, done->status);
    put_number(trace, done->result);
    end_line(trace);
}

void ssd_trace_discard(SsdTrace *trace, uint64_t seq)
{
    put_text(trace, "X");
    put_number(trace, seq);
    end_line(trace);
}

void ssd_trace_zone_fail(SsdTrace *trace, uint64_t at_ns, uint32_t nsid,
                         uint32_t zone_idx, SsdZoneState state)
{
    put_text(trace, "F");
    put_number(trace, at_ns);
    put_number(trace, nsid);
    put_number(trace, zone_idx);
    put_number(trace, state);
    end_line(trace);
}

void ssd_trace_format(SsdTrace *trace, uint64_t at_ns, uint32_t nsid,
                      uint32_t lba_bytes)
{
    put_text(trace, "N");
    put_number(trace, at_ns);
    put_number(trace, nsid);
    put_number(trace, lba_bytes);
    end_line(trace);
}

void ssd_trace_power_cut(SsdTrace *trace, uint64_t at_ns, uint64_t seed)
{
    put_text(trace, "O");
    put_number(trace, at_ns);
    put_number(trace, seed);
    end_line(trace);
}

bool ssd_trace_flush(SsdTrace *trace, GError **error)
{
    trace_drain(trace);
    wait_for_disk(trace);
    if (trace->failed_errno != 0) {
        g_set_error(error, SSD_TRACE_ERROR, 0, "cannot write trace '%s': %s",
                    trace->path, g_strerror(trace->failed_errno));
        return false;
    }
    note_sum(trace);
    return true;
}

bool ssd_trace_close(SsdTrace *trace, uint64_t at_ns, GError **error)
{
    bool written;

    put_text(trace, "E");
    put_number(trace, at_ns);
    end_line(trace);
    trace_drain(trace);
    wait_for_disk(trace);
    if (fclose(trace->file) != 0 && trace->failed_errno == 0) {
        trace->failed_errno = errno;
    }
    written = trace->failed_errno == 0;
    if (written) {
        note_sum(trace);
    } else {
        g_set_error(error, SSD_TRACE_ERROR, 0, "cannot write trace '%s': %s",
                    trace->path, g_strerror(trace->failed_errno));
    }
    g_free(trace->path);
    g_free(trace);
    return written;
}
