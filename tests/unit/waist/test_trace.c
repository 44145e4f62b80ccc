/*
 * Tests of trace files: what is written, byte by byte; what is read back; and
 * every way in which a file can be damaged.
 *
 * Knows nothing of how a drive works.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_trace.h"
#include "params_text.h"
#include "waist/files.h"

#include <glib/gstdio.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static char *read_all(const char *path)
{
    char *text = NULL;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return text;
}

static SsdTrace *create(const char *path, const SsdParams *params)
{
    g_autoptr(GError) error = NULL;
    SsdTrace *trace = ssd_trace_create(path, params, &error);

    g_assert_no_error(error);
    return trace;
}

static void close_at(SsdTrace *trace, uint64_t at_ns)
{
    g_autoptr(GError) error = NULL;
    bool closed = ssd_trace_close(trace, at_ns, &error);

    g_assert_no_error(error);
    g_assert_true(closed);
}

/* The P records of `params`, in table order. */
static char *params_text(const SsdParams *params)
{
    GString *text = g_string_new(NULL);
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);

    for (unsigned i = 0; i < count; i++) {
        uint64_t value = ssd_params_get(params, &table[i]);

        if (table[i].type == SSD_PARAM_TYPE_BOOL ||
            table[i].type == SSD_PARAM_TYPE_ENUM) {
            g_autofree char *word = ssd_param_row_text(&table[i], value);

            g_string_append_printf(text, "P,%s,%s\n", table[i].name, word);
        } else {
            g_string_append_printf(text, "P,%s,%" PRIu64 "\n", table[i].name,
                                   value);
        }
    }
    return g_string_free(text, FALSE);
}

static void test_written_bytes(void)
{
    g_autofree char *path = temporary_path();
    g_autofree char *text = NULL, *params_records = NULL, *want = NULL;
    SsdCmd append = {.op = SSD_OP_APPEND, .nsid = 1, .slba = 4096,
                     .nlb = 8};
    SsdCmd reset = {.op = SSD_OP_ZONE_RESET, .nsid = 2, .select_all = true};
    SsdRange ranges[] = {{7, 1}, {UINT64_MAX, UINT32_MAX}};
    SsdCmd copy = {.op = SSD_OP_COPY, .nsid = 1, .slba = 9, .ranges = ranges,
                   .range_count = 2};
    SsdDone done = {.due_at_ns = 735000, .result = UINT64_MAX};
    SsdDone hit = {.due_at_ns = 735001, .ahead_bytes = 4096};
    SsdParams params;
    SsdTrace *trace;

    ssd_params_defaults(&params);
    params.channels = 8;
    trace = create(path, &params);
    g_assert_cmpuint(ssd_trace_submit(trace, 10000, &append, SSD_SUCCESS), ==,
                     0);
    g_assert_cmpuint(ssd_trace_submit(trace, 10000, &append,
                                      SSD_ZONE_IS_FULL), ==, 1);
    ssd_trace_done(trace, 0, &done);
    g_assert_cmpuint(ssd_trace_submit(trace, UINT64_MAX, &reset,
                                      SSD_SUCCESS), ==, 2);
    ssd_trace_discard(trace, 2);
    ssd_trace_done(trace, 1, &hit);
    ssd_trace_zone_fail(trace, UINT64_MAX, 1, 3, SSD_ZONE_READ_ONLY);
    ssd_trace_submit(trace, UINT64_MAX, &copy, SSD_LBA_OUT_OF_RANGE);
    ssd_trace_format(trace, UINT64_MAX, 1, 512);
    ssd_trace_power_cut(trace, UINT64_MAX, 7);
    close_at(trace, UINT64_MAX);

    params_records = params_text(&params);
    g_assert_nonnull(strstr(params_records, "P,channels,8\n"));
    g_assert_nonnull(strstr(params_records, "P,mapping,direct\n"));
    want = g_strconcat(
        "# femu-zns trace 2\n", params_records,
        "S,0,10000,append,1,4096,8,0,0\n"
        "S,1,10000,append,1,4096,8,0,441\n"
        "C,0,735000,0,18446744073709551615\n"
        "S,2,18446744073709551615,reset,2,0,0,1,0\n"
        "X,2\n"
        "A,1,4096\n"
        "C,1,735001,0,0\n"
        "F,18446744073709551615,1,3,13\n"
        "R,7,1\n"
        "R,18446744073709551615,4294967295\n"
        "S,3,18446744073709551615,copy,1,9,0,0,128\n"
        "N,18446744073709551615,1,512\n"
        "O,18446744073709551615,7\n"
        "E,18446744073709551615\n", NULL);
    text = read_all(path);
    g_assert_cmpstr(text, ==, want);
    g_unlink(path);
}

/* Flush makes what was recorded readable while the trace goes on. */
static void test_flush(void)
{
    g_autofree char *path = temporary_path();
    g_autofree char *text = NULL;
    SsdCmd flush = {.op = SSD_OP_FLUSH, .nsid = SSD_NSID_ALL};
    SsdParams params;
    SsdTrace *trace;

    ssd_params_defaults(&params);
    trace = create(path, &params);
    ssd_trace_submit(trace, 5, &flush, SSD_SUCCESS);
    g_assert_true(ssd_trace_flush(trace, NULL));
    text = read_all(path);
    g_assert_true(g_str_has_suffix(text, "\nS,0,5,flush,4294967295,0,0,0,0\n"));
    close_at(trace, 6);
    g_unlink(path);
}

static SsdTraceReader *open_good(const char *path, SsdParams *params)
{
    g_autoptr(GError) error = NULL;
    SsdTraceReader *reader = ssd_trace_open(path, params, &error);

    g_assert_no_error(error);
    return reader;
}

/* A copy has its ranges, anything else none. */
static void expect_ranges(const SsdCmd *cmd, const SsdRange *ranges,
                          uint32_t count)
{
    if (cmd->op != SSD_OP_COPY && cmd->op != SSD_OP_DEALLOCATE) {
        g_assert_cmpuint(cmd->range_count, ==, 0);
        return;
    }
    g_assert_cmpuint(cmd->range_count, ==, count);
    for (uint32_t i = 0; i < count; i++) {
        g_assert_cmpuint(cmd->ranges[i].slba, ==, ranges[i].slba);
        g_assert_cmpuint(cmd->ranges[i].nlb, ==, ranges[i].nlb);
    }
}

/* More records than the writer's buffer holds, with every operation. */
static void test_round_trip(void)
{
    enum { COUNT = 20000 };
    g_autofree char *path = temporary_path();
    g_autoptr(GError) error = NULL;
    SsdTraceReader *reader;
    SsdTraceRecord record;
    SsdRange ranges[200];
    SsdParams params, got;
    SsdTrace *trace;

    for (uint32_t i = 0; i < G_N_ELEMENTS(ranges); i++) {
        ranges[i] = (SsdRange) {i * i, i + 1};
    }
    ssd_params_defaults(&params);
    params.zones = 17 * 4;
    params.namespaces = 4;
    params.zone_capacity_bytes = 48 * SSD_MIB;
    ssd_params_resolve(&params);
    trace = create(path, &params);
    for (uint64_t i = 0; i < COUNT; i++) {
        SsdCmd cmd = {
            .op = i % SSD_OP_COUNT, .nsid = (uint32_t)i * 3,
            .slba = i * 1000, .nlb = (uint32_t)i,
            .select_all = i % 3 == 0, .ranges = ranges,
            .range_count = i % 130,
        };
        SsdDone done = {
            .due_at_ns = i * 7 + 3,
            .result = i * i,
            .ahead_bytes = i % 3 * i,
        };

        ssd_trace_submit(trace, i * 7, &cmd, i % 5 ? SSD_SUCCESS :
                         SSD_INVALID_FIELD);
        if (i % 11 == 0) {
            ssd_trace_zone_fail(trace, i * 7 + 1, 1 + i % 4, i % 17,
                                SSD_ZONE_OFFLINE);
        }
        ssd_trace_done(trace, i, &done);
        if (i % 13 == 0) {
            ssd_trace_format(trace, i * 7 + 2, i % 2 ? SSD_NSID_ALL : 4, i);
        }
        if (i % 17 == 0) {
            ssd_trace_power_cut(trace, i * 7 + 3, UINT64_MAX - i);
        }
    }
    close_at(trace, 7 * COUNT);

    reader = open_good(path, &got);
    for (unsigned i = 0, count; i < (ssd_params_table(&count), count); i++) {
        const SsdParamInfo *info = &ssd_params_table(&count)[i];

        g_assert_cmpuint(ssd_params_get(&got, info), ==,
                         ssd_params_get(&params, info));
    }
    for (uint64_t i = 0; i < COUNT; i++) {
        g_assert_cmpint(ssd_trace_next(reader, &record, &error), ==, 1);
        g_assert_cmpint(record.kind, ==, SSD_TRACE_SUBMIT);
        g_assert_cmpuint(record.seq, ==, i);
        g_assert_cmpuint(record.at_ns, ==, i * 7);
        g_assert_cmpint(record.cmd.op, ==, i % SSD_OP_COUNT);
        g_assert_cmpuint(record.cmd.nsid, ==, i * 3);
        g_assert_cmpuint(record.cmd.slba, ==, i * 1000);
        g_assert_cmpuint(record.cmd.nlb, ==, i);
        g_assert_cmpint(record.cmd.select_all, ==, i % 3 == 0);
        g_assert_cmpint(record.status, ==, i % 5 ? SSD_SUCCESS :
                        SSD_INVALID_FIELD);
        expect_ranges(&record.cmd, ranges, i % 130);
        if (i % 11 == 0) {
            g_assert_cmpint(ssd_trace_next(reader, &record, &error), ==, 1);
            g_assert_cmpint(record.kind, ==, SSD_TRACE_ZONE_FAIL);
            g_assert_cmpuint(record.at_ns, ==, i * 7 + 1);
            g_assert_cmpuint(record.nsid, ==, 1 + i % 4);
            g_assert_cmpuint(record.zone_idx, ==, i % 17);
            g_assert_cmpint(record.state, ==, SSD_ZONE_OFFLINE);
        }
        g_assert_cmpint(ssd_trace_next(reader, &record, &error), ==, 1);
        g_assert_cmpint(record.kind, ==, SSD_TRACE_DONE);
        g_assert_cmpuint(record.seq, ==, i);
        g_assert_cmpuint(record.at_ns, ==, i * 7 + 3);
        g_assert_cmpint(record.status, ==, SSD_SUCCESS);
        g_assert_cmpuint(record.result, ==, i * i);
        g_assert_cmpuint(record.ahead_bytes, ==, i % 3 * i);
        if (i % 13 == 0) {
            g_assert_cmpint(ssd_trace_next(reader, &record, &error), ==, 1);
            g_assert_cmpint(record.kind, ==, SSD_TRACE_FORMAT);
            g_assert_cmpuint(record.at_ns, ==, i * 7 + 2);
            g_assert_cmpuint(record.nsid, ==, i % 2 ? SSD_NSID_ALL : 4);
            g_assert_cmpuint(record.lba_bytes, ==, i);
        }
        if (i % 17 == 0) {
            g_assert_cmpint(ssd_trace_next(reader, &record, &error), ==, 1);
            g_assert_cmpint(record.kind, ==, SSD_TRACE_POWER_CUT);
            g_assert_cmpuint(record.at_ns, ==, i * 7 + 3);
            g_assert_cmpuint(record.seed, ==, UINT64_MAX - i);
        }
    }
    g_assert_cmpint(ssd_trace_next(reader, &record, &error), ==, 1);
    g_assert_cmpint(record.kind, ==, SSD_TRACE_END);
    g_assert_cmpuint(record.at_ns, ==, 7 * COUNT);
    g_assert_cmpint(ssd_trace_next(reader, &record, &error), ==, 0);
    g_assert_cmpint(ssd_trace_next(reader, &record, &error), ==, 0);
    g_assert_no_error(error);
    ssd_trace_reader_free(reader);
    g_unlink(path);
}

/* Of a copy with far too many ranges, one too many is kept. */
static void test_too_many_ranges(void)
{
    static const SsdRange ranges[300] = {{1, 1}};
    g_autofree char *path = temporary_path();
    g_autoptr(GError) error = NULL;
    SsdCmd copy = {.op = SSD_OP_COPY, .ranges = ranges, .range_count = 300};
    SsdTraceReader *reader;
    SsdTraceRecord record;
    SsdParams params;
    SsdTrace *trace;

    ssd_params_defaults(&params);
    trace = create(path, &params);
    ssd_trace_submit(trace, 0, &copy, SSD_COMMAND_SIZE_LIMIT_EXCEEDED);
    close_at(trace, 0);
    reader = open_good(path, &params);
    g_assert_cmpint(ssd_trace_next(reader, &record, &error), ==, 1);
    g_assert_no_error(error);
    expect_ranges(&record.cmd, ranges, SSD_DEALLOCATE_RANGES_MAX + 1);
    ssd_trace_reader_free(reader);
    g_unlink(path);
}

static void expect_full(GError **error)
{
    g_assert_error(*error, SSD_TRACE_ERROR, 0);
    g_assert_cmpstr((*error)->message, ==, "cannot write trace '/dev/full': "
                    "No space left on device");
    g_clear_error(error);
}

/* A full disk is reported, by flush and by close. */
static void test_full_disk(void)
{
    g_autoptr(GError) error = NULL;
    SsdCmd flush = {.op = SSD_OP_FLUSH};
    SsdParams params;
    SsdTrace *trace;

    if (!g_file_test("/dev/full", G_FILE_TEST_EXISTS)) {
        g_test_skip("there is no /dev/full");
        return;
    }
    ssd_params_defaults(&params);
    trace = create("/dev/full", &params);
    for (unsigned i = 0; i < 20000; i++) {
        ssd_trace_submit(trace, i, &flush, SSD_SUCCESS);
    }
    g_assert_false(ssd_trace_flush(trace, &error));
    expect_full(&error);
    g_assert_false(ssd_trace_close(trace, 0, &error));
    expect_full(&error);
    /* So little that only closing the trace writes it. */
    trace = create("/dev/full", &params);
    g_assert_false(ssd_trace_close(trace, 0, &error));
    expect_full(&error);
}

static void test_no_such_file(void)
{
    g_autoptr(GError) error = NULL;
    SsdParams params;

    g_assert_null(ssd_trace_open("/nonexistent/x", &params, &error));
    g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
    g_assert_cmpstr(error->message, ==, "cannot open trace '/nonexistent/x': "
                    "No such file or directory");
    g_clear_error(&error);
    ssd_params_defaults(&params);
    g_assert_null(ssd_trace_create("/nonexistent/x", &params, &error));
    g_assert_error(error, SSD_TRACE_ERROR, 0);
    g_assert_cmpstr(error->message, ==, "cannot create trace "
                    "'/nonexistent/x': No such file or directory");
}

/*
 * Read a file of `length` bytes to its end.
 * Return: NULL if it is sound, else the error without the file's path.
 */
static char *verdict(const char *text, gssize length)
{
    g_autofree char *path = temporary_path();
    g_autoptr(GError) error = NULL;
    SsdTraceReader *reader;
    SsdTraceRecord record;
    SsdParams params;
    int got;

    g_assert_true(g_file_set_contents(path, text, length, NULL));
    reader = ssd_trace_open(path, &params, &error);
    if (reader) {
        do {
            got = ssd_trace_next(reader, &record, &error);
        } while (got > 0);
        g_assert_cmpint(got, ==, error ? -1 : 0);
        ssd_trace_reader_free(reader);
    }
    g_unlink(path);
    if (!error) {
        return NULL;
    }
    g_assert_error(error, SSD_TRACE_ERROR, 0);
    g_assert_true(g_str_has_prefix(error->message, path));
    return g_strdup(error->message + strlen(path));
}

#define HEAD "# femu-zns trace 2\n"
#define NOT_A_TRACE ":1: not a trace: the first line must be '# femu-zns " \
                    "trace 2', not "
#define SUBMIT "S,0,10,write,1,0,1,0,0\n"
#define NEVER " is above 18446744073709551614"

static void test_sound_files(void)
{
    static const char *const sound[] = {
        HEAD "E,0\n",
        HEAD "P,zones,8\nE,5\n",
        HEAD "P,zone-size,128M\nP,zones,0x8\nE,5\n",
        HEAD SUBMIT "C,0,20,0,0\nE,20\n",
        HEAD SUBMIT "X,0\nE,20\n",
        HEAD SUBMIT "E,10\n",
        HEAD "R,0,1\nR,5,2\nS,0,10,copy,1,0,0,0,0\nE,10\n",
        HEAD "S,0,10,copy,1,0,0,0,2\nE,10\n",
        HEAD "N,0,1,512\n" SUBMIT "N,10,1,4096\nE,10\n",
        HEAD "P,zones,8\nF,0,1,7,13\nF,0,1,7,15\n" SUBMIT "E,10\n",
        HEAD "P,power-up-ns,5\nO,10,7\nS,0,15,write,1,0,1,0,0\nE,15\n",
        HEAD "O,18446744073709551614,18446744073709551615\n"
        "E,18446744073709551614\n",
        HEAD "P,namespaces,2\nN,0,2,512\nE,0\n",
        HEAD "P,conventional-size,1M\nN,0,2,512\nE,0\n",
        HEAD "P,namespaces,2\nP,conventional-size,1M\nN,0,3,512\nE,0\n",
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(sound); i++) {
        g_autofree char *error = verdict(sound[i], -1);

        g_assert_cmpstr(error, ==, NULL);
    }
}

/* What a record does not say is 0, whatever was in its place before. */
static void test_nothing_is_left_of_another(void)
{
    g_autofree char *path = temporary_path();
    SsdTraceReader *reader;
    SsdTraceRecord record, expected;
    SsdParams params;

    g_assert_true(g_file_set_contents(path, HEAD SUBMIT "C,0,20,441,9\nE,25\n",
                                      -1, NULL));
    reader = ssd_trace_open(path, &params, NULL);
    g_assert_cmpint(ssd_trace_next(reader, &record, NULL), ==, 1);
    g_assert_cmpint(ssd_trace_next(reader, &record, NULL), ==, 1);
    g_assert_cmpint(record.status, ==, SSD_ZONE_IS_FULL);
    memset(&record, 0xff, sizeof(record));
    memset(&expected, 0, sizeof(expected));
    expected.kind = SSD_TRACE_END;
    expected.at_ns = 25;
    g_assert_cmpint(ssd_trace_next(reader, &record, NULL), ==, 1);
    g_assert_cmpmem(&record, sizeof(record), &expected, sizeof(expected));
    ssd_trace_reader_free(reader);
    g_unlink(path);
}

static void test_damaged_files(void)
{
    static const struct {
        const char *text;
        const char *error;
    } damaged[] = {
        {"", NOT_A_TRACE "''"},
        {"# femu-zns trace 1\nE,0\n", NOT_A_TRACE "'# femu-zns trace 1'"},
        {"# femu-zns trace 2\r\nE,0\r\n",
         NOT_A_TRACE "'# femu-zns trace 2\\r'"},
        {"\xef\xbb\xbf" HEAD "E,0\n",
         NOT_A_TRACE "'\\357\\273\\277# femu-zns trace 2'"},
        {HEAD, ":2: no E record: the file was cut short"},
        {HEAD "P,zones,8\n", ":3: no E record: the file was cut short"},
        {HEAD SUBMIT, ":3: no E record: the file was cut short"},
        {HEAD "E,0", ":2: the line has no end: the file was cut short"},
        {HEAD "E,0\nE,0\n", ":3: a line after the E record"},
        {HEAD "\nE,0\n", ":2: field 1: '' is none of R, S, A, C, X, "
         "F, N, O, E"},
        {HEAD "s,0\n", ":2: field 1: 's' is none of R, S, A, C, X, "
         "F, N, O, E"},
        {HEAD "P,zones\n", ":2: record P has 3 fields, not 2"},
        {HEAD "P,zones,0\n",
         ":2: zones=0: out of range, must be 1 to 1048576 zones"},
        {HEAD "P,zone,1\n",
         ":2: zone=1: no parameter 'zone'; did you mean 'zones'?"},
        {HEAD "P,zones,8\nP,zones,8\n", ":3: parameter zones is given twice"},
        {HEAD "P,zasl,1M\nE,0\n",
         ": zasl=1M (1048576): must be 8K to mdts=512K, or 0 to mean mdts"},
        {HEAD SUBMIT "P,zones,8\n", ":3: record P after the first command"},
        {HEAD "S,0,10,write,1,0,1,0\n", ":2: record S has 9 fields, not 8"},
        {HEAD "S,0,10,write,1,0,1,0,0,0\n", ":2: more than 9 fields"},
        {HEAD "S,1,10,write,1,0,1,0,0\n",
         ":2: field 2 (seq): 1, but the next submission is 0"},
        {HEAD "S,0,1e1,write,1,0,1,0,0\n",
         ":2: field 3 (at_ns): '1e1' is not a decimal number"},
        {HEAD "S,0,,write,1,0,1,0,0\n",
         ":2: field 3 (at_ns): '' is not a decimal number"},
        {HEAD "S,0,-1,write,1,0,1,0,0\n",
         ":2: field 3 (at_ns): '-1' is not a decimal number"},
        {HEAD "S,0,010,write,1,0,1,0,0\n",
         ":2: field 3 (at_ns): '010' is not a decimal number"},
        {HEAD "S,0,18446744073709551616,write,1,0,1,0,0\n",
         ":2: field 3 (at_ns): 18446744073709551616" NEVER},
        {HEAD "S,0,10,erase,1,0,1,0,0\n",
         ":2: field 4 (op): 'erase' is no operation"},
        {HEAD "S,0,10,write,1,x,1,0,0\n",
         ":2: field 6 (slba): 'x' is not a decimal number"},
        {HEAD "S,0,10,write,1,0,4294967296,0,0\n",
         ":2: field 7 (nlb): 4294967296 is above 4294967295"},
        {HEAD "S,0,10,write,1,0,1,2,0\n",
         ":2: field 8 (select_all): 2 is above 1"},
        {HEAD "S,0,10,write,1,0,1,0,65536\n",
         ":2: field 9 (status): 65536 is above 65535"},
        {HEAD SUBMIT "S,1,9,write,1,1,1,0,0\n",
         ":3: field 3 (at_ns): 9 is before the record above it at 10"},
        {HEAD SUBMIT "C,0,20,0\n", ":3: record C has 5 fields, not 4"},
        {HEAD SUBMIT "C,x,20,0,0\n",
         ":3: field 2 (seq): 'x' is not a decimal number"},
        {HEAD "N,0,x,512\n",
         ":2: field 3 (nsid): 'x' is not a decimal number"},
        {HEAD SUBMIT "C,1,20,0,0\n",
         ":3: field 2 (seq): 1, but only 1 commands were submitted above"},
        {HEAD SUBMIT "C,0,20,0,0 \n",
         ":3: field 5 (result): '0 ' is not a decimal number"},
        {HEAD SUBMIT "A,0\nC,0,20,0,0\n",
         ":3: record A has 3 fields, not 2"},
        {HEAD SUBMIT "A,0,0\nC,0,20,0,0\n",
         ":3: field 3 (bytes): must be above 0"},
        {HEAD SUBMIT "A,0,-1\nC,0,20,0,0\n",
         ":3: field 3 (bytes): '-1' is not a decimal number"},
        {HEAD SUBMIT "A,1,4096\nC,0,20,0,0\n",
         ":4: field 2 (seq): 0, but the A record above it is of 1"},
        {HEAD SUBMIT "A,0,4096\nX,0\n",
         ":4: record X after A, which only the C of a read may follow"},
        {HEAD SUBMIT "A,0,4096\nA,0,4096\n",
         ":4: record A after A, which only the C of a read may follow"},
        {HEAD "R,0,1\nA,0,4096\n",
         ":3: record A after R, which only the S of a copy or "
         "deallocate may follow"},
        {HEAD SUBMIT "X,1\n",
         ":3: field 2 (seq): 1, but only 1 commands were submitted above"},
        {HEAD SUBMIT "X,0,0\n", ":3: record X has 2 fields, not 3"},
        {HEAD "R,0\n", ":2: record R has 3 fields, not 2"},
        {HEAD "R,-1,1\n",
         ":2: field 2 (slba): '-1' is not a decimal number"},
        {HEAD "R,0,4294967296\n",
         ":2: field 3 (nlb): 4294967296 is above 4294967295"},
        {HEAD "R,0,1\n" SUBMIT,
         ":3: R records before a write, which has no ranges"},
        {HEAD SUBMIT "R,0,1\nC,0,20,0,0\n",
         ":4: record C after R, which only the S of a copy or "
         "deallocate may follow"},
        {HEAD "R,0,1\nE,0\n",
         ":3: record E after R, which only the S of a copy or "
         "deallocate may follow"},
        {HEAD "R,0,1\n", ":3: no E record: the file was cut short"},
        {HEAD "O,1\n", ":2: record O has 3 fields, not 2"},
        {HEAD "O,x,1\n", ":2: field 2 (at_ns): 'x' is not a decimal number"},
        {HEAD "O,1,x\n", ":2: field 3 (seed): 'x' is not a decimal number"},
        {HEAD SUBMIT "O,9,1\n",
         ":3: field 2 (at_ns): 9 is before the record above it at 10"},
        {HEAD "P,power-up-ns,5\nO,18446744073709551610,1\n",
         ":3: field 2 (at_ns): 18446744073709551610 is above "
         "18446744073709551609"},
        {HEAD "S,0,18446744073709551615,write,1,0,1,0,0\n",
         ":2: field 3 (at_ns): 18446744073709551615" NEVER},
        {HEAD SUBMIT "C,0,18446744073709551615,0,0\n",
         ":3: field 3 (due_at_ns): 18446744073709551615" NEVER},
        {HEAD "N,18446744073709551615,1,512\n",
         ":2: field 2 (at_ns): 18446744073709551615" NEVER},
        {HEAD "F,18446744073709551615,1,0,13\n",
         ":2: field 2 (at_ns): 18446744073709551615" NEVER},
        {HEAD "E,18446744073709551615\n",
         ":2: field 2 (at_ns): 18446744073709551615" NEVER},
        {HEAD "P,power-up-ns,5\nO,10,7\nS,0,14,write,1,0,1,0,0\n",
         ":4: field 3 (at_ns): 14 is before the record above it at 15"},
        {HEAD "N,0\n", ":2: record N has 4 fields, not 2"},
        {HEAD "N,0,0,512\n", ":2: field 3 (nsid): 0 is none of the drive's "
         "namespaces, 1 to 1"},
        {HEAD "N,0,2,512\n", ":2: field 3 (nsid): 2 is none of the drive's "
         "namespaces, 1 to 1"},
        {HEAD "P,namespaces,2\nN,0,3,512\n", ":3: field 3 (nsid): 3 is none "
         "of the drive's namespaces, 1 to 2"},
        {HEAD "P,conventional-size,1M\nN,0,3,512\n", ":3: field 3 (nsid): 3 "
         "is none of the drive's namespaces, 1 to 2"},
        {HEAD "P,conventional-size,1M\nF,0,2,0,13\n", ":3: field 3 (nsid): 2 "
         "is none of the drive's zoned namespaces, 1 to 1"},
        {HEAD "N,0,1,4294967296\n",
         ":2: field 4 (lba_bytes): 4294967296 is above 4294967295"},
        {HEAD SUBMIT "N,9,1,512\n",
         ":3: field 2 (at_ns): 9 is before the record above it at 10"},
        {HEAD "F,0,0\n", ":2: record F has 5 fields, not 3"},
        {HEAD "P,zones,8\nF,0,1,8,13\n", ":3: field 4 (zone): 8 is above 7"},
        {HEAD "P,zones,8\nP,namespaces,2\nF,0,2,4,13\n",
         ":4: field 4 (zone): 4 is above 3"},
        {HEAD "P,zones,8\nP,namespaces,2\nF,0,3,0,13\n",
         ":4: field 3 (nsid): 3 is none of the drive's zoned namespaces, 1 to 2"},
        {HEAD "F,0,4294967295,0,13\n", ":2: field 3 (nsid): 4294967295 is "
         "none of the drive's zoned namespaces, 1 to 1"},
        {HEAD "F,0,1,0,14\n", ":2: field 5 (state): 14 is neither 13 "
         "(read-only) nor 15 (offline)"},
        {HEAD "F,0,1,0,16\n", ":2: field 5 (state): 16 is above 15"},
        {HEAD SUBMIT "F,9,1,0,13\n",
         ":3: field 2 (at_ns): 9 is before the record above it at 10"},
        {HEAD "E,0\n7", ":3: the line has no end: the file was cut short"},
        {HEAD SUBMIT "E\n", ":3: record E has 2 fields, not 1"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(damaged); i++) {
        g_autofree char *error = verdict(damaged[i].text, -1);

        g_assert_cmpstr(error, ==, damaged[i].error);
    }
}

static void test_binary_lines(void)
{
    static const char zero[] = HEAD "S,0,10\0,write,1,0,1,0,0\nE,0\n";
    g_autofree char *long_text = g_strdup_printf(HEAD "E,%0300d\n", 7);
    g_autofree char *zero_error = verdict(zero, sizeof(zero) - 1);
    g_autofree char *long_error = verdict(long_text, -1);
    g_autofree char *wild_error = verdict(HEAD "\33[31m\xff,7\n", -1);

    g_assert_cmpstr(zero_error, ==,
                    ":2: the line is too long or holds a 0 byte");
    g_assert_cmpstr(long_error, ==, zero_error);
    g_assert_true(g_str_has_prefix(wild_error, ":2: field 1: '\\033[31m\\377'"));
}

/* Every prefix of a sound file is found to be cut short, or is no trace. */
static void test_every_prefix(void)
{
    static const char sound[] = HEAD "P,zones,8\n" SUBMIT "C,0,20,0,0\n"
        "F,20,1,7,13\nR,0,1\nS,1,20,copy,1,1,0,0,0\nE,20\n";

    for (size_t length = 0; length < sizeof(sound) - 1; length++) {
        g_autofree char *error = verdict(sound, (gssize)length);

        g_assert_nonnull(error);
        g_assert_true(strstr(error, "cut short") ||
                      g_str_has_prefix(error, ":1: not a trace"));
    }
}

static void test_go_on_where_there_is_none(void)
{
    g_autoptr(GError) error = NULL;

    g_assert_null(ssd_trace_go_on("/no/such/trace", &(SsdTraceEnd) { 0 },
                                  &error));
    g_assert_error(error, SSD_TRACE_ERROR, 0);
    g_assert_cmpstr(error->message, ==, "cannot go on with trace "
                    "'/no/such/trace': No such file or directory");
}

/* What can be opened, but neither read nor made shorter. */
static void test_no_files(void)
{
    g_autofree char *path = temporary_path();
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *says = NULL;
    g_autoptr(GError) error = NULL;
    SsdParams params;

    g_assert_null(ssd_trace_open(folder, &params, &error));
    says = g_strconcat(folder, ":1: cannot read: Is a directory", NULL);
    g_assert_cmpstr(error->message, ==, says);
    g_clear_error(&error);
    g_unlink(path);
    g_assert_cmpint(mkfifo(path, 0600), ==, 0);
    g_assert_null(ssd_trace_go_on(path, &(SsdTraceEnd) { 0 }, &error));
    g_assert_true(g_str_has_suffix(error->message, "': Invalid argument"));
    g_unlink(path);
}

/* All is written; closing the file says that it is not on the disk. */
static void test_fails_at_its_close(void)
{
    g_autofree char *path = temporary_path();
    g_autoptr(GError) error = NULL;
    SsdParams params;
    SsdTrace *trace;

    ssd_params_defaults(&params);
    trace = create(path, &params);
    fclose_errno = EIO;
    g_assert_false(ssd_trace_close(trace, 0, &error));
    g_assert_true(g_str_has_suffix(error->message, "': Input/output error"));
    g_clear_error(&error);
    fclose_errno = 0;
    trace = create("/dev/full", &params);
    fclose_errno = EIO;
    g_assert_false(ssd_trace_close(trace, 0, &error));
    fclose_errno = 0;
    expect_full(&error);
    g_unlink(path);
}

/* A file that cannot be read any more behind its END. */
static void test_fails_behind_its_end(void)
{
    g_autofree char *path = temporary_path();
    g_autoptr(GError) error = NULL;
    int fd = next_fd();
    SsdTraceReader *reader;
    SsdTraceRecord record;
    SsdParams params;

    g_assert_true(g_file_set_contents(path, HEAD "E,0\n", -1, NULL));
    reader = ssd_trace_open(path, &params, &error);
    g_assert_no_error(error);
    becomes(fd, "/dev/null", O_WRONLY);
    g_assert_cmpint(ssd_trace_next(reader, &record, &error), ==, 1);
    g_assert_cmpint(ssd_trace_next(reader, &record, &error), ==, -1);
    g_assert_true(g_str_has_suffix(error->message,
                                   ":3: cannot read: Bad file descriptor"));
    ssd_trace_reader_free(reader);
    g_unlink(path);
}

/* As many ranges as a record may have, and one more. */
static void test_most_ranges(void)
{
    g_autoptr(GString) text = g_string_new(HEAD);
    g_autofree char *error = NULL;

    for (unsigned i = 0; i < SSD_DEALLOCATE_RANGES_MAX; i++) {
        g_string_append(text, "R,0,1\n");
    }
    g_string_append(text, "R,0,1\n");
    error = verdict(text->str, -1);
    g_assert_cmpstr(error, ==, ":259: no E record: the file was cut short");
    g_clear_pointer(&error, g_free);
    g_string_append(text, "R,0,1\n");
    error = verdict(text->str, -1);
    g_assert_cmpstr(error, ==, ":259: more than 257 R records in a row");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/trace/nothing-is-left-of-another",
                    test_nothing_is_left_of_another);
    g_test_add_func("/trace/written-bytes", test_written_bytes);
    g_test_add_func("/trace/flush", test_flush);
    g_test_add_func("/trace/round-trip", test_round_trip);
    g_test_add_func("/trace/too-many-ranges", test_too_many_ranges);
    g_test_add_func("/trace/full-disk", test_full_disk);
    g_test_add_func("/trace/no-such-file", test_no_such_file);
    g_test_add_func("/trace/sound-files", test_sound_files);
    g_test_add_func("/trace/damaged-files", test_damaged_files);
    g_test_add_func("/trace/binary-lines", test_binary_lines);
    g_test_add_func("/trace/every-prefix", test_every_prefix);
    g_test_add_func("/trace/go-on-where-there-is-none",
                    test_go_on_where_there_is_none);
    g_test_add_func("/trace/no-files", test_no_files);
    g_test_add_func("/trace/fails-at-its-close", test_fails_at_its_close);
    g_test_add_func("/trace/fails-behind-its-end", test_fails_behind_its_end);
    g_test_add_func("/trace/most-ranges", test_most_ranges);
    return g_test_run();
}
