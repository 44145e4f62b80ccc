/*
 * Writing and reading trace files: fixed buffers, digits by hand, and a parser
 * that accepts exactly what the writer writes.
 *
 * Knows nothing of QEMU or of how the drive works; it writes and reads lines.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "params_text.h"

#define TRACE_MAGIC "# femu-zns trace 2"
#define BUFFER_BYTES (64 * 1024)
#define MAX_LINE_BYTES 256
#define MAX_FIELDS 9
#define MAX_RANGES (SSD_DEALLOCATE_RANGES_MAX + 1)

G_DEFINE_QUARK(ssd-trace-error, ssd_trace_error)

/* --- Writer -------------------------------------------------------------- */

struct SsdTrace {
    char *path;
    FILE *file;
    uint64_t next_seq;
    int failed_errno; /* of the first write that failed; 0: none has */
    size_t used;      /* bytes of `buffer`; room for a line after each call */
    char buffer[BUFFER_BYTES + MAX_LINE_BYTES];
};

static void trace_drain(SsdTrace *trace)
{
    size_t used = trace->used;

    trace->used = 0;
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

SsdTrace *ssd_trace_create(const char *path, const SsdParams *params,
                           GError **error)
{
    FILE *file = fopen(path, "we");
    SsdTrace *trace;

    if (!file) {
        g_set_error(error, SSD_TRACE_ERROR, 0, "cannot create trace '%s': %s",
                    path, g_strerror(errno));
        return NULL;
    }
    setvbuf(file, NULL, _IONBF, 0);
    trace = g_new0(SsdTrace, 1);
    trace->path = g_strdup(path);
    trace->file = file;
    put_text(trace, TRACE_MAGIC);
    end_line(trace);
    put_params(trace, params);
    return trace;
}

static void put_range(SsdTrace *trace, const SsdRange *range)
{
    put_text(trace, "R");
    put_number(trace, range->slba);
    put_number(trace, range->nlb);
    end_line(trace);
}

static bool has_ranges(SsdOp op)
{
    return op == SSD_OP_COPY || op == SSD_OP_DEALLOCATE;
}

uint64_t ssd_trace_submit(SsdTrace *trace, uint64_t at_ns, const SsdCmd *cmd,
                          SsdStatus status)
{
    if (has_ranges(cmd->op)) {
        /* One range too many is as wrong as any number of them. */
        uint32_t count = MIN(cmd->range_count, MAX_RANGES);

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

bool ssd_trace_flush(SsdTrace *trace, GError **error)
{
    trace_drain(trace);
    if (trace->failed_errno != 0) {
        g_set_error(error, SSD_TRACE_ERROR, 0, "cannot write trace '%s': %s",
                    trace->path, g_strerror(trace->failed_errno));
        return false;
    }
    return true;
}

bool ssd_trace_close(SsdTrace *trace, uint64_t at_ns, GError **error)
{
    bool written;

    put_text(trace, "E");
    put_number(trace, at_ns);
    end_line(trace);
    trace_drain(trace);
    if (fclose(trace->file) != 0 && trace->failed_errno == 0) {
        trace->failed_errno = errno;
    }
    written = trace->failed_errno == 0;
    if (!written) {
        g_set_error(error, SSD_TRACE_ERROR, 0, "cannot write trace '%s': %s",
                    trace->path, g_strerror(trace->failed_errno));
    }
    g_free(trace->path);
    g_free(trace);
    return written;
}

/* --- Reader -------------------------------------------------------------- */

struct SsdTraceReader {
    char *path;
    FILE *file;
    unsigned line_number;
    bool pending; /* `line` holds a record that has not been returned */
    bool ended;   /* the END record has been returned */
    uint64_t submitted_count;
    uint64_t last_at_ns; /* of the last S, F or N record */
    uint32_t ns_count;
    uint32_t zoned_count; /* of them, the first */
    uint32_t ns_zones;    /* of each */
    uint32_t range_count; /* R records since the last S record */
    SsdRange ranges[MAX_RANGES];
    uint64_t ahead_seq; /* of an A record right above, if ... */
    uint64_t ahead_bytes; /* ... this is not 0 */
    char line[MAX_LINE_BYTES];
    /* The line, split: */
    unsigned field_count;
    char *fields[MAX_FIELDS];
};

G_GNUC_PRINTF(3, 4)
static bool line_error(const SsdTraceReader *reader, GError **error,
                       const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, SSD_TRACE_ERROR, 0, "%s:%u: %s", reader->path,
                reader->line_number, text);
    return false;
}

/*
 * Read one line into `line`, without its newline.
 * Return: 1; 0 at the end of the file; -1 with *error.
 */
static int read_line(SsdTraceReader *reader, GError **error)
{
    char *newline;

    reader->line_number++;
    if (!fgets(reader->line, sizeof(reader->line), reader->file)) {
        if (ferror(reader->file)) {
            line_error(reader, error, "cannot read: %s", g_strerror(errno));
            return -1;
        }
        return 0;
    }
    newline = strchr(reader->line, '\n');
    if (!newline) {
        line_error(reader, error, "%s", feof(reader->file) ?
                   "the line has no end: the file was cut short" :
                   "the line is too long or holds a 0 byte");
        return -1;
    }
    *newline = '\0';
    return 1;
}

/* Split `line` at its commas. */
static bool split_line(SsdTraceReader *reader, GError **error)
{
    char *at = reader->line;

    reader->field_count = 0;
    for (;;) {
        if (reader->field_count == MAX_FIELDS) {
            return line_error(reader, error, "more than %d fields",
                              MAX_FIELDS);
        }
        reader->fields[reader->field_count++] = at;
        at = strchr(at, ',');
        if (!at) {
            return true;
        }
        *at++ = '\0';
    }
}

static bool expect_fields(const SsdTraceReader *reader, unsigned want,
                          GError **error)
{
    return reader->field_count == want ||
           line_error(reader, error, "record %s has %u fields, not %u",
                      reader->fields[0], want, reader->field_count);
}

/* Field `idx`, called `name`, as a canonical decimal number up to `max`. */
static bool number_field(const SsdTraceReader *reader, unsigned idx,
                         const char *name, uint64_t max, uint64_t *value,
                         GError **error)
{
    const char *text = reader->fields[idx];
    const char *at = text;

    *value = 0;
    for (; g_ascii_isdigit(*at); at++) {
        uint64_t digit = (uint64_t)(*at - '0');

        if (*value > (max - MIN(digit, max)) / 10 ||
            *value * 10 + digit > max) {
            return line_error(reader, error, "field %u (%s): %s is above %"
                              PRIu64, idx + 1, name, text, max);
        }
        *value = *value * 10 + digit;
    }
    if (at == text || *at != '\0' || (text[0] == '0' && text[1] != '\0')) {
        return line_error(reader, error, "field %u (%s): '%s' is not a "
                          "decimal number", idx + 1, name, text);
    }
    return true;
}

/* Records are in order of time; `idx` is the field that says it. */
static bool advance_to(SsdTraceReader *reader, unsigned idx, uint64_t at_ns,
                       GError **error)
{
    if (at_ns < reader->last_at_ns) {
        return line_error(reader, error, "field %u (at_ns): %" PRIu64 " is "
                          "before the record above it at %" PRIu64,
                          idx + 1, at_ns, reader->last_at_ns);
    }
    reader->last_at_ns = at_ns;
    return true;
}

/* The ranges read since the last submission belong to this command. */
static bool take_ranges(SsdTraceReader *reader, SsdTraceRecord *record,
                        GError **error)
{
    if (reader->range_count && !has_ranges(record->cmd.op)) {
        return line_error(reader, error, "R records before a %s, which has no "
                          "ranges", ssd_op_name(record->cmd.op));
    }
    record->cmd.ranges = reader->ranges;
    record->cmd.range_count = reader->range_count;
    reader->range_count = 0;
    return true;
}

static bool parse_submit(SsdTraceReader *reader, SsdTraceRecord *record,
                         GError **error)
{
    uint64_t nsid, nlb, select_all, status;

    record->kind = SSD_TRACE_SUBMIT;
    if (!expect_fields(reader, 9, error) ||
        !number_field(reader, 1, "seq", UINT64_MAX, &record->seq, error) ||
        !number_field(reader, 2, "at_ns", UINT64_MAX, &record->at_ns,
                      error)) {
        return false;
    }
    record->cmd.op = ssd_op_from_name(reader->fields[3]);
    if (record->cmd.op == SSD_OP_COUNT) {
        return line_error(reader, error, "field 4 (op): '%s' is no operation",
                          reader->fields[3]);
    }
    if (!number_field(reader, 4, "nsid", UINT32_MAX, &nsid, error) ||
        !number_field(reader, 5, "slba", UINT64_MAX, &record->cmd.slba,
                      error) ||
        !number_field(reader, 6, "nlb", UINT32_MAX, &nlb, error) ||
        !number_field(reader, 7, "select_all", 1, &select_all, error) ||
        !number_field(reader, 8, "status", UINT16_MAX, &status, error)) {
        return false;
    }
    record->cmd.nsid = (uint32_t)nsid;
    record->cmd.nlb = (uint32_t)nlb;
    record->cmd.select_all = select_all;
    record->status = (SsdStatus)status;
    if (record->seq != reader->submitted_count) {
        return line_error(reader, error, "field 2 (seq): %" PRIu64 ", but the "
                          "next submission is %" PRIu64, record->seq,
                          reader->submitted_count);
    }
    reader->submitted_count++;
    return advance_to(reader, 2, record->at_ns, error) &&
           take_ranges(reader, record, error);
}

static bool parse_range(SsdTraceReader *reader, GError **error)
{
    SsdRange range;
    uint64_t nlb;

    if (!expect_fields(reader, 3, error) ||
        !number_field(reader, 1, "slba", UINT64_MAX, &range.slba, error) ||
        !number_field(reader, 2, "nlb", UINT32_MAX, &nlb, error)) {
        return false;
    }
    range.nlb = (uint32_t)nlb;
    if (reader->range_count == MAX_RANGES) {
        return line_error(reader, error, "more than %d R records in a row",
                          MAX_RANGES);
    }
    reader->ranges[reader->range_count++] = range;
    return true;
}

/* Field 3 of an F or N record: a namespace from 1 to `count`. */
static bool nsid_field(const SsdTraceReader *reader, uint32_t count,
                       uint32_t *nsid, GError **error)
{
    uint64_t value;

    if (!number_field(reader, 2, "nsid", UINT32_MAX, &value, error)) {
        return false;
    }
    *nsid = (uint32_t)value;
    return (value >= 1 && value <= count) ||
           line_error(reader, error, "field 3 (nsid): %" PRIu64 " is none of "
                      "the drive's %snamespaces, 1 to %" PRIu32, value,
                      reader->fields[0][0] == 'F' ? "zoned " : "", count);
}

/* A format may name all namespaces, too. */
static bool formatted_nsid_field(const SsdTraceReader *reader, uint32_t *nsid,
                                 GError **error)
{
    if (g_str_equal(reader->fields[2], "4294967295")) {
        *nsid = SSD_NSID_ALL;
        return true;
    }
    return nsid_field(reader, reader->ns_count, nsid, error);
}

static bool parse_zone_fail(SsdTraceReader *reader, SsdTraceRecord *record,
                            GError **error)
{
    uint64_t zone_idx, state;

    record->kind = SSD_TRACE_ZONE_FAIL;
    if (!expect_fields(reader, 5, error) ||
        !number_field(reader, 1, "at_ns", UINT64_MAX, &record->at_ns,
                      error) ||
        !nsid_field(reader, reader->zoned_count, &record->nsid, error) ||
        !number_field(reader, 3, "zone", reader->ns_zones - 1, &zone_idx,
                      error) ||
        !number_field(reader, 4, "state", SSD_ZONE_OFFLINE, &state, error)) {
        return false;
    }
    if (state != SSD_ZONE_READ_ONLY && state != SSD_ZONE_OFFLINE) {
        return line_error(reader, error, "field 5 (state): %" PRIu64 " is "
                          "neither %d (read-only) nor %d (offline)", state,
                          SSD_ZONE_READ_ONLY, SSD_ZONE_OFFLINE);
    }
    record->zone_idx = (uint32_t)zone_idx;
    record->state = (SsdZoneState)state;
    return advance_to(reader, 1, record->at_ns, error);
}

static bool parse_format(SsdTraceReader *reader, SsdTraceRecord *record,
                         GError **error)
{
    uint64_t lba_bytes;

    record->kind = SSD_TRACE_FORMAT;
    if (!expect_fields(reader, 4, error) ||
        !number_field(reader, 1, "at_ns", UINT64_MAX, &record->at_ns,
                      error) ||
        !formatted_nsid_field(reader, &record->nsid, error) ||
        !number_field(reader, 3, "lba_bytes", UINT32_MAX, &lba_bytes,
                      error)) {
        return false;
    }
    record->lba_bytes = (uint32_t)lba_bytes;
    return advance_to(reader, 1, record->at_ns, error);
}

/* The sequence number of a C or X record: of a submission above it. */
static bool parse_past_seq(SsdTraceReader *reader, SsdTraceRecord *record,
                           GError **error)
{
    if (!number_field(reader, 1, "seq", UINT64_MAX, &record->seq, error)) {
        return false;
    }
    if (record->seq >= reader->submitted_count) {
        return line_error(reader, error, "field 2 (seq): %" PRIu64 ", but "
                          "only %" PRIu64 " commands were submitted above",
                          record->seq, reader->submitted_count);
    }
    return true;
}

static bool parse_done(SsdTraceReader *reader, SsdTraceRecord *record,
                       GError **error)
{
    uint64_t status;

    record->kind = SSD_TRACE_DONE;
    if (!expect_fields(reader, 5, error) ||
        !parse_past_seq(reader, record, error) ||
        !number_field(reader, 2, "due_at_ns", UINT64_MAX, &record->at_ns,
                      error) ||
        !number_field(reader, 3, "status", UINT16_MAX, &status, error) ||
        !number_field(reader, 4, "result", UINT64_MAX, &record->result,
                      error)) {
        return false;
    }
    record->status = (SsdStatus)status;
    record->ahead_bytes = reader->ahead_bytes;
    if (reader->ahead_bytes && reader->ahead_seq != record->seq) {
        return line_error(reader, error, "field 2 (seq): %" PRIu64 ", but the "
                          "A record above it is of %" PRIu64, record->seq,
                          reader->ahead_seq);
    }
    reader->ahead_bytes = 0;
    return true;
}

/* What had been read ahead of the read whose C record follows. */
static bool parse_ahead(SsdTraceReader *reader, GError **error)
{
    if (!expect_fields(reader, 3, error) ||
        !number_field(reader, 1, "seq", UINT64_MAX, &reader->ahead_seq,
                      error) ||
        !number_field(reader, 2, "bytes", UINT64_MAX, &reader->ahead_bytes,
                      error)) {
        return false;
    }
    return reader->ahead_bytes > 0 ||
           line_error(reader, error, "field 3 (bytes): must be above 0");
}

static bool parse_discard(SsdTraceReader *reader, SsdTraceRecord *record,
                          GError **error)
{
    record->kind = SSD_TRACE_DISCARD;
    return expect_fields(reader, 2, error) &&
           parse_past_seq(reader, record, error);
}

static bool parse_end(SsdTraceReader *reader, SsdTraceRecord *record,
                      GError **error)
{
    record->kind = SSD_TRACE_END;
    return expect_fields(reader, 2, error) &&
           number_field(reader, 1, "at_ns", UINT64_MAX, &record->at_ns,
                        error);
}

static bool parse_record(SsdTraceReader *reader, SsdTraceRecord *record,
                         GError **error)
{
    const char *kind = reader->fields[0];

    memset(record, 0, sizeof(*record));
    if (reader->range_count && !g_str_equal(kind, "S")) {
        return line_error(reader, error, "record %s after R, which only "
                          "the S of a copy or deallocate may follow", kind);
    }
    if (reader->ahead_bytes && !g_str_equal(kind, "C")) {
        return line_error(reader, error, "record %s after A, which only the C "
                          "of a read may follow", kind);
    }
    if (g_str_equal(kind, "S")) {
        return parse_submit(reader, record, error);
    }
    if (g_str_equal(kind, "C")) {
        return parse_done(reader, record, error);
    }
    if (g_str_equal(kind, "X")) {
        return parse_discard(reader, record, error);
    }
    if (g_str_equal(kind, "F")) {
        return parse_zone_fail(reader, record, error);
    }
    if (g_str_equal(kind, "N")) {
        return parse_format(reader, record, error);
    }
    if (g_str_equal(kind, "E")) {
        return parse_end(reader, record, error);
    }
    if (g_str_equal(kind, "P")) {
        return line_error(reader, error, "record P after the first command");
    }
    return line_error(reader, error, "field 1: '%s' is none of R, S, A, C, X, F, "
                      "N, E", kind);
}

static bool read_header(SsdTraceReader *reader, GError **error)
{
    /* Of an empty file, the line is empty. */
    if (read_line(reader, error) < 0) {
        return false;
    }
    if (!g_str_equal(reader->line, TRACE_MAGIC)) {
        return line_error(reader, error, "not a trace: the first line must be "
                          "'%s'", TRACE_MAGIC);
    }
    return true;
}

static bool parse_param(SsdTraceReader *reader, GHashTable *seen,
                        SsdParams *params, GError **error)
{
    g_autoptr(GError) wrong = NULL;

    if (!expect_fields(reader, 3, error)) {
        return false;
    }
    if (!ssd_params_set(params, reader->fields[1], reader->fields[2],
                        &wrong)) {
        return line_error(reader, error, "%s", wrong->message);
    }
    if (!g_hash_table_add(seen, g_strdup(reader->fields[1]))) {
        return line_error(reader, error, "parameter %s is given twice",
                          reader->fields[1]);
    }
    return true;
}

/* The P records; leaves the first other record pending. */
static bool read_params(SsdTraceReader *reader, SsdParams *params,
                        GError **error)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal,
                                                       g_free, NULL);
    g_autoptr(GError) wrong = NULL;

    ssd_params_defaults(params);
    for (;;) {
        int got = read_line(reader, error);

        if (got < 0) {
            return false;
        }
        if (got == 0) {
            return line_error(reader, error, "no E record: the file was cut "
                              "short");
        }
        if (!split_line(reader, error)) {
            return false;
        }
        if (!g_str_equal(reader->fields[0], "P")) {
            break;
        }
        if (!parse_param(reader, seen, params, error)) {
            return false;
        }
    }
    reader->pending = true;
    if (!ssd_params_check(params, &wrong)) {
        g_set_error(error, SSD_TRACE_ERROR, 0, "%s: %s", reader->path,
                    wrong->message);
        return false;
    }
    reader->zoned_count = params->namespaces;
    reader->ns_count = params->namespaces + (params->conventional_bytes != 0);
    reader->ns_zones = params->zones / params->namespaces;
    return true;
}

SsdTraceReader *ssd_trace_open(const char *path, SsdParams *params,
                               GError **error)
{
    FILE *file = fopen(path, "re");
    SsdTraceReader *reader;

    if (!file) {
        g_set_error(error, SSD_TRACE_ERROR, 0, "cannot open trace '%s': %s",
                    path, g_strerror(errno));
        return NULL;
    }
    reader = g_new0(SsdTraceReader, 1);
    reader->path = g_strdup(path);
    reader->file = file;
    if (!read_header(reader, error) || !read_params(reader, params, error)) {
        ssd_trace_reader_free(reader);
        return NULL;
    }
    return reader;
}

/* Nothing may follow the END record. */
static int read_nothing(SsdTraceReader *reader, GError **error)
{
    int got = read_line(reader, error);

    if (got > 0) {
        line_error(reader, error, "a line after the E record");
        return -1;
    }
    return got;
}

/* Have the fields of the next line, which must be there. */
static bool next_line(SsdTraceReader *reader, GError **error)
{
    int got;

    if (reader->pending) {
        reader->pending = false;
        return true;
    }
    got = read_line(reader, error);
    if (got == 0) {
        line_error(reader, error, "no E record: the file was cut short");
    }
    return got > 0 && split_line(reader, error);
}

int ssd_trace_next(SsdTraceReader *reader, SsdTraceRecord *record,
                   GError **error)
{
    if (reader->ended) {
        return read_nothing(reader, error);
    }
    if (!next_line(reader, error)) {
        return -1;
    }
    while (g_str_equal(reader->fields[0], "R")) {
        if (!parse_range(reader, error) || !next_line(reader, error)) {
            return -1;
        }
    }
    if (g_str_equal(reader->fields[0], "A") && reader->range_count == 0 &&
        (!parse_ahead(reader, error) || !next_line(reader, error))) {
        return -1;
    }
    if (!parse_record(reader, record, error)) {
        return -1;
    }
    reader->ended = record->kind == SSD_TRACE_END;
    return 1;
}

void ssd_trace_reader_free(SsdTraceReader *reader)
{
    if (reader) {
        fclose(reader->file);
        g_free(reader->path);
        g_free(reader);
    }
}
