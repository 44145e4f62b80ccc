/*
 * Tests of traces whose writer was killed: what of one is read, what one that
 * goes on there is like, and what is no end but damage.
 *
 * Knows nothing of how a drive works.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_trace.h"
#include "waist/files.h"

#include <glib/gstdio.h>
#include <inttypes.h>
#include <string.h>

#define HEAD "# femu-zns trace 2\n"
#define SUBMIT "S,0,10,write,1,0,1,0,0\n"

/* The bytes of a file's records that are whole, but for the END. */
static size_t whole_bytes(const char *text, size_t length)
{
    size_t whole = 0;

    for (size_t at = 0; at < length;) {
        const char *newline = memchr(text + at, '\n', length - at);

        if (!newline) {
            break;
        }
        if (!strchr("RAE", text[at])) {
            whole = (size_t)(newline - text) + 1;
        }
        at = (size_t)(newline - text) + 1;
    }
    return whole;
}

static SsdTraceEnd read_to_end(const char *path)
{
    g_autoptr(GError) error = NULL;
    SsdParams params;
    SsdTraceReader *reader = ssd_trace_open_cut(path, &params, &error);
    SsdTraceRecord record;
    SsdTraceEnd end;

    g_assert_no_error(error);
    do {
        g_assert_cmpint(ssd_trace_next(reader, &record, &error), ==, 1);
        g_assert_no_error(error);
    } while (record.kind != SSD_TRACE_END);
    end = *ssd_trace_end(reader);
    g_assert_cmpuint(record.at_ns, ==, end.at_ns);
    g_assert_cmpint(ssd_trace_next(reader, &record, &error), ==, 0);
    ssd_trace_reader_free(reader);
    return end;
}

/*
 * A writer that was killed at any byte behind the header: what is whole is
 * read, and a trace that goes on there is as one that was never cut.
 */
static void test_go_on(void)
{
    static const char sound[] = HEAD "P,zones,8\n" SUBMIT "C,0,20,0,0\n"
        "F,20,1,7,13\nR,0,1\nS,1,20,copy,1,1,0,0,0\nN,21,1,512\nX,1\n"
        "S,2,22,read,1,0,1,0,0\nA,2,4096\nC,2,30,0,0\nE,35\n";
    static const char more[] = ",36,flush,1,0,0,0,0\nE,40\n";
    SsdCmd flush = { .op = SSD_OP_FLUSH, .nsid = 1 };

    for (size_t length = strlen(HEAD); length < sizeof(sound); length++) {
        g_autofree char *path = temporary_path();
        g_autoptr(GError) error = NULL;
        g_autofree char *got = NULL, *want = NULL;
        size_t whole = whole_bytes(sound, length);
        SsdTraceEnd end;
        SsdTrace *trace;

        g_assert_true(g_file_set_contents(path, sound, (gssize)length, NULL));
        end = read_to_end(path);
        g_assert_cmpuint(end.file_bytes, ==, whole);
        trace = ssd_trace_go_on(path, &end, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(ssd_trace_submit(trace, 36, &flush, SSD_SUCCESS), ==,
                         end.submitted_count);
        g_assert_true(ssd_trace_close(trace, 40, &error));
        g_assert_true(g_file_get_contents(path, &got, NULL, NULL));
        want = g_strdup_printf("%.*sS,%" PRIu64 "%s", (int)whole, sound,
                               end.submitted_count, more);
        g_assert_cmpstr(got, ==, want);
        g_unlink(path);
    }
}

/* A line without an end is the last one's: one that goes on is damaged. */
static void test_no_end(void)
{
    static const char bytes[] = HEAD SUBMIT "C,0,2\0,0,0\n";
    g_autofree char *path = temporary_path();
    g_autoptr(GError) error = NULL;
    SsdTraceReader *reader;
    SsdTraceRecord record;
    SsdParams params;

    g_assert_true(g_file_set_contents(path, bytes, sizeof(bytes) - 1, NULL));
    reader = ssd_trace_open_cut(path, &params, &error);
    g_assert_no_error(error);
    g_assert_cmpint(ssd_trace_next(reader, &record, &error), ==, 1);
    g_assert_cmpint(ssd_trace_next(reader, &record, &error), ==, -1);
    g_assert_true(g_str_has_suffix(error->message, ":3: the line is too long "
                                                   "or holds a 0 byte"));
    ssd_trace_reader_free(reader);
    g_unlink(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/trace-cut/go-on", test_go_on);
    g_test_add_func("/trace-cut/no-end", test_no_end);
    return g_test_run();
}
