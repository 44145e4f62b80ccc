/*
 * Reading trace files: a parser that accepts exactly what the writer writes.
 *
 * Knows nothing of QEMU or of how the drive works; it reads lines.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ssd_file.h"
#include "ssd_trace_lines.h"

/* The latest instant: what comes after it never does (ssd_next_at_ns()). */
#define LAST_NS (UINT64_MAX - 1)
#define MAX_FIELDS 9

struct SsdTraceReader {
    char *path;
    FILE *file;
    unsigned line_number;
    bool pending; /* `line` holds a record that has not been returned */
    bool ended;   /* the END record has been returned */
    bool may_be_cut; /* it may end anywhere: its writer may have been killed */
    uint64_t line_end_bytes; /* of the file, up to the end of `line` */
    SsdTraceEnd end;         /* up to the last record that was whole */
    uint64_t submitted_count;
    uint64_t last_at_ns; /* of the last S, F or N record, or behind an O */
    uint64_t power_up_ns;
    uint32_t ns_count;
    uint32_t zoned_count; /* of them, the first */
    uint32_t ns_zones;    /* of each */
    uint32_t range_count; /* R records since the last S record */
    SsdRange ranges[TRACE_RANGES_MAX];
    uint64_t ahead_seq; /* of an A record right above, if ... */
    uint64_t ahead_bytes; /* ... this is not 0 */
    char line[TRACE_LINE_BYTES_MAX];
    /* The line, split: */
    unsigned field_count;
    char *fields[MAX_FIELDS];
};

G_GNUC_PRINTF(3, 4)
static bool line_error(const SsdTraceReader *reader, GError **error,
                       const char *format, ...)
{
    g_autofree char *text = NULL, *printable = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    /* Bytes of a file that is damaged go to a terminal. */
    printable = g_strescape(text, "\"");
    g_set_error(error, SSD_TRACE_ERROR, 0, "%s:%u: %s", reader->path,
                reader->line_number, printable);
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
    if (reader->may_be_cut && feof(reader->file)) {
        return 0; /* in the midst of a line: behind one it is not known yet */
    }
    newline = strchr(reader->line, '\n');
    if (!newline) {
        line_error(reader, error, "%s", feof(reader->file) ?
                   "the line has no end: the file was cut short" :
                   "the line is too long or holds a 0 byte");
        return -1;
    }
    *newline = '\0';
    reader->line_end_bytes += (uint64_t)(newline - reader->line) + 1;
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

        if (digit > max || *value > (max - digit) / 10) {
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
    if (reader->range_count && !ssd_trace_has_ranges(record->cmd.op)) {
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
        !number_field(reader, 2, "at_ns", LAST_NS, &record->at_ns,
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
    if (reader->range_count == TRACE_RANGES_MAX) {
        return line_error(reader, error, "more than %d R records in a row",
                          TRACE_RANGES_MAX);
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
        !number_field(reader, 1, "at_ns", LAST_NS, &record->at_ns,
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
        !number_field(reader, 1, "at_ns", LAST_NS, &record->at_ns,
                      error) ||
        !formatted_nsid_field(reader, &record->nsid, error) ||
        !number_field(reader, 3, "lba_bytes", UINT32_MAX, &lba_bytes,
                      error)) {
        return false;
    }
    record->lba_bytes = (uint32_t)lba_bytes;
    return advance_to(reader, 1, record->at_ns, error);
}

/* What follows comes when the power is back. */
static bool parse_power_cut(SsdTraceReader *reader, SsdTraceRecord *record,
                            GError **error)
{
    record->kind = SSD_TRACE_POWER_CUT;
    if (!expect_fields(reader, 3, error) ||
        !number_field(reader, 1, "at_ns", LAST_NS - reader->power_up_ns,
                      &record->at_ns, error) ||
        !number_field(reader, 2, "seed", UINT64_MAX, &record->seed, error) ||
        !advance_to(reader, 1, record->at_ns, error)) {
        return false;
    }
    reader->last_at_ns += reader->power_up_ns;
    return true;
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
        !number_field(reader, 2, "due_at_ns", LAST_NS, &record->at_ns,
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
    return reader->ahead_bytes != 0 ||
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
           number_field(reader, 1, "at_ns", LAST_NS, &record->at_ns,
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
    if (g_str_equal(kind, "O")) {
        return parse_power_cut(reader, record, error);
    }
    if (g_str_equal(kind, "E")) {
        return parse_end(reader, record, error);
    }
    if (g_str_equal(kind, "P")) {
        return line_error(reader, error, "record P after the first command");
    }
    return line_error(reader, error, "field 1: '%s' is none of R, S, A, C, X, F, "
                      "N, O, E", kind);
}

static bool read_header(SsdTraceReader *reader, GError **error)
{
    /* Of an empty file, the line is empty. */
    if (read_line(reader, error) < 0) {
        return false;
    }
    if (!g_str_equal(reader->line, TRACE_MAGIC)) {
        return line_error(reader, error, "not a trace: the first line must be "
                          "'%s', not '%.40s'", TRACE_MAGIC, reader->line);
    }
    reader->end.file_bytes = reader->line_end_bytes;
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
        if (got == 0 && reader->may_be_cut) {
            break;
        }
        if (got == 0) {
            return line_error(reader, error, "no E record: the file was cut "
                              "short");
        }
        if (!split_line(reader, error)) {
            return false;
        }
        if (!g_str_equal(reader->fields[0], "P")) {
            reader->pending = true;
            break;
        }
        if (!parse_param(reader, seen, params, error)) {
            return false;
        }
        reader->end.file_bytes = reader->line_end_bytes;
    }
    if (!ssd_params_check(params, &wrong)) {
        g_set_error(error, SSD_TRACE_ERROR, 0, "%s: %s", reader->path,
                    wrong->message);
        return false;
    }
    reader->power_up_ns = params->power_up_ns;
    reader->zoned_count = params->namespaces;
    reader->ns_count = params->namespaces + (params->conventional_bytes != 0);
    reader->ns_zones = params->zones / params->namespaces;
    return true;
}

static SsdTraceReader *open_file(const char *path, SsdParams *params,
                                 bool may_be_cut, GError **error)
{
    const char *wrong;
    FILE *file = ssd_file_read(path, &wrong);
    SsdTraceReader *reader;

    if (!file) {
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno),
                    "cannot open trace '%s': %s", path, wrong);
        return NULL;
    }
    reader = g_new0(SsdTraceReader, 1);
    reader->path = g_strdup(path);
    reader->file = file;
    reader->may_be_cut = may_be_cut;
    if (!read_header(reader, error) || !read_params(reader, params, error)) {
        ssd_trace_reader_free(reader);
        return NULL;
    }
    return reader;
}

SsdTraceReader *ssd_trace_open(const char *path, SsdParams *params,
                               GError **error)
{
    return open_file(path, params, false, error);
}

SsdTraceReader *ssd_trace_open_cut(const char *path, SsdParams *params,
                                   GError **error)
{
    return open_file(path, params, true, error);
}

const SsdTraceEnd *ssd_trace_end(const SsdTraceReader *reader)
{
    return &reader->end;
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

/*
 * Have the fields of the next line, which must be there: of a file that may be
 * cut, those of an E record are.
 */
static bool next_line(SsdTraceReader *reader, GError **error)
{
    int got;

    if (reader->pending) {
        reader->pending = false;
        return true;
    }
    got = read_line(reader, error);
    if (got == 0 && reader->may_be_cut) {
        snprintf(reader->line, sizeof(reader->line), "E,%" PRIu64,
                 reader->end.at_ns);
        reader->range_count = 0;
        reader->ahead_bytes = 0;
        return split_line(reader, error);
    }
    if (got == 0) {
        line_error(reader, error, "no E record: the file was cut short");
    }
    return got > 0 && split_line(reader, error);
}

/* A record is whole: the file could go on behind it, unless it is the END. */
static void note_whole(SsdTraceReader *reader, const SsdTraceRecord *record)
{
    SsdTraceEnd *end = &reader->end;

    end->at_ns = MAX(end->at_ns, record->at_ns);
    if (record->kind != SSD_TRACE_END) {
        end->file_bytes = reader->line_end_bytes;
        end->submitted_count = reader->submitted_count;
    }
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
    note_whole(reader, record);
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
