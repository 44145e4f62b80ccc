/*
 * Tests of the checksums of a state: CRC-32C, entries of the history of which
 * one may be torn, pages that are what they were or what they will be; what a
 * trace notes of itself, if asked to once it is on the disk.
 *
 * Knows nothing of how a drive works.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_sums.h"
#include "ssd_trace.h"
#include "waist/files.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than a file is read at once. */
#define MANY_BYTES (256 * 1024 + 5000)

static void test_sum(void)
{
    static const char text[] = "123456789, and some more of it";
    uint32_t whole = ssd_sum(0, text, sizeof(text));

    /* As published. */
    g_assert_cmphex(ssd_sum(0, text, 9), ==, 0xe3069283);
    g_assert_cmphex(ssd_sum(0, text, 0), ==, 0);
    for (size_t at = 0; at <= sizeof(text); at++) {
        g_assert_cmphex(ssd_sum(ssd_sum(0, text, at), text + at,
                                sizeof(text) - at), ==, whole);
    }
}

static SsdSums *new_sums(void)
{
    return g_malloc0(sizeof(SsdSums));
}

/* The writer may have been killed within the entry: the one before counts. */
static void test_history(void)
{
    g_autofree SsdSums *sums = new_sums();

    g_assert_null(ssd_sums_history(sums));
    for (uint32_t i = 1; i < 6; i++) {
        SsdSums before = *sums, after;
        uint64_t bytes = 1000 - i; /* it may become shorter, too */

        ssd_sums_put_history(sums, bytes, i);
        after = *sums;
        g_assert_cmpuint(ssd_sums_history(sums)->bytes, ==, bytes);
        g_assert_cmpuint(ssd_sums_history(sums)->sum, ==, i);
        for (size_t at = 1; at < sizeof(sums->history); at++) {
            const SsdHistorySum *found;

            *sums = before;
            memcpy(sums->history, after.history, at);
            found = ssd_sums_history(sums);
            if (i > 1) {
                g_assert_true(found->number == i || found->number == i - 1);
                g_assert_cmpuint(found->bytes, ==, 1000 - found->number);
                g_assert_cmpuint(found->sum, ==, found->number);
            }
        }
        *sums = after;
    }
}

/* The file goes on behind the two entries; of two alike the first is told. */
static void test_two_entries(void)
{
    g_autofree SsdSums *sums = new_sums();

    G_STATIC_ASSERT(offsetof(SsdSums, zero) ==
                    offsetof(SsdSums, history) + 2 * sizeof(SsdHistorySum));
    ssd_sums_put_history(sums, 10, 1);
    g_assert_cmphex(sums->history[0].check, ==,
                    ssd_sum(0, &sums->history[0],
                            offsetof(SsdHistorySum, check)));
    ssd_sums_put_history(sums, 20, 2);
    memcpy(sums->zero, &sums->history[1], sizeof(sums->history[1]));
    sums->history[1] = sums->history[0];
    g_assert_true(ssd_sums_history(sums) == &sums->history[0]);
}

/* A file of as many bytes, of which none is as the one before it. */
static char *new_file(uint8_t *bytes, size_t count)
{
    char *path = temporary_path();

    for (size_t i = 0; i < count; i++) {
        bytes[i] = i * 7 + (i >> 8) * 3 + (i >> 16);
    }
    g_assert_true(g_file_set_contents(path, (char *)bytes, (gssize)count,
                                      NULL));
    return path;
}

static void test_file(void)
{
    static const uint64_t counts[] = { 0, 1, 4096, 256 * 1024,
                                       256 * 1024 + 1, MANY_BYTES };
    g_autofree uint8_t *bytes = g_malloc(MANY_BYTES);
    g_autofree char *path = new_file(bytes, MANY_BYTES);
    uint32_t sum = 77;

    for (unsigned i = 0; i < G_N_ELEMENTS(counts); i++) {
        g_assert_cmpint(ssd_sum_file(path, counts[i], &sum), ==, 0);
        g_assert_cmphex(sum, ==, ssd_sum(0, bytes, counts[i]));
    }
    g_assert_cmpint(ssd_sum_file(path, MANY_BYTES + 1, &sum), ==, ENODATA);
    g_unlink(path);
    g_assert_cmpint(ssd_sum_file(path, 1, &sum), ==, ENOENT);
    g_assert_cmpint(ssd_sum_file(path, 0, &sum), ==, ENOENT);
}

static void expect_fault(const SsdSums *sums, const char *path,
                         const char *wanted)
{
    g_autofree char *fault = ssd_sums_history_fault(sums, path);

    g_assert_cmpstr(fault, ==, wanted);
}

static void test_history_fault(void)
{
    g_autofree SsdSums *sums = new_sums();
    g_autofree uint8_t *bytes = g_malloc(300);
    g_autofree char *path = new_file(bytes, 300);
    g_autofree char *damaged = NULL;
    uint32_t sum = ssd_sum(0, bytes, 200);

    expect_fault(sums, path, "the sum of the file 'history' is damaged in the "
                 "file 'sums'");
    ssd_sums_put_history(sums, 200, sum);
    expect_fault(sums, path, NULL);
    ssd_sums_put_history(sums, 200, sum ^ 1);
    damaged = g_strdup_printf("the first 200 bytes of the file 'history' have "
                              "the checksum %08" PRIx32 ", they had %08" PRIx32
                              ": they, or their sum in the file 'sums', are "
                              "damaged", sum, sum ^ 1);
    expect_fault(sums, path, damaged);
    ssd_sums_put_history(sums, 301, sum);
    expect_fault(sums, path, "the file 'history' has fewer than the 301 bytes "
                 "that somebody was told of: it is cut short");
    g_unlink(path);
    expect_fault(sums, path, "the file 'history' cannot be read: No such file "
                 "or directory");
    expect_fault(sums, "/", "the file 'history' cannot be read: Is a "
                 "directory");
}

/* A trace that keeps its sums. */

static void expect_noted(const SsdSums *sums, const char *path,
                         uint32_t number)
{
    g_autofree char *text = NULL;
    size_t bytes;

    g_assert_true(g_file_get_contents(path, &text, &bytes, NULL));
    g_assert_cmpuint(ssd_sums_history(sums)->number, ==, number);
    g_assert_cmpuint(ssd_sums_history(sums)->bytes, ==, bytes);
    g_assert_cmphex(ssd_sums_history(sums)->sum, ==,
                    ssd_sum(0, text, bytes));
}

/* As many flushes, of which the buffer is drained now and then. */
static void submit(SsdTrace *trace, unsigned count)
{
    static const SsdCmd flush = { .op = SSD_OP_FLUSH, .nsid = 1 };

    for (unsigned i = 0; i < count; i++) {
        ssd_trace_submit(trace, i, &flush, SSD_SUCCESS);
    }
}

static SsdTrace *new_trace(const char *path)
{
    SsdTrace *trace;
    SsdParams params;

    ssd_params_defaults(&params);
    trace = ssd_trace_create(path, &params, NULL);
    g_assert_nonnull(trace);
    return trace;
}

static void test_trace(void)
{
    g_autofree SsdSums *sums = new_sums();
    g_autofree char *path = temporary_path();
    SsdTrace *trace = new_trace(path);
    SsdTraceEnd end = { 0 };

    g_assert_true(ssd_trace_keep_sum(trace, sums, NULL));
    g_assert_null(ssd_sums_history(sums));
    submit(trace, 9000);
    g_assert_true(ssd_trace_flush(trace, NULL));
    expect_noted(sums, path, 1);
    end.file_bytes = ssd_sums_history(sums)->bytes;
    end.submitted_count = 9000;
    g_assert_true(ssd_trace_close(trace, 9000, NULL));
    expect_noted(sums, path, 2);
    /* Its end is cut off: it is not of what goes on. */
    trace = ssd_trace_go_on(path, &end, NULL);
    g_assert_true(ssd_trace_keep_sum(trace, sums, NULL));
    submit(trace, 9000);
    g_assert_true(ssd_trace_close(trace, 9000, NULL));
    expect_noted(sums, path, 3);
    g_unlink(path);
}

static void expect_size(const char *path, uint64_t bytes)
{
    GStatBuf now;

    g_assert_cmpint(g_stat(path, &now), ==, 0);
    g_assert_cmpuint(now.st_size, ==, bytes);
}

/* 64 KiB are written as soon as they are there; behind a gap, nothing is. */
static void test_trace_writes(void)
{
    g_autofree char *path = temporary_path();
    int fd = next_fd();
    SsdTrace *trace = new_trace(path);
    GStatBuf now;

    g_assert_true(ssd_trace_flush(trace, NULL));
    g_assert_cmpint(g_stat(path, &now), ==, 0);
    for (unsigned i = 0; i < 64 * 1024 / strlen("X,7\n"); i++) {
        expect_size(path, now.st_size);
        ssd_trace_discard(trace, 7);
    }
    expect_size(path, now.st_size + 64 * 1024);
    becomes(fd, "/dev/full", O_WRONLY);
    ssd_trace_discard(trace, 7);
    g_assert_false(ssd_trace_flush(trace, NULL));
    becomes(fd, path, O_WRONLY | O_APPEND);
    ssd_trace_discard(trace, 7);
    g_assert_false(ssd_trace_close(trace, 0, NULL));
    expect_size(path, now.st_size + 64 * 1024);
    g_unlink(path);
}

/* What has not been written is not noted; a file that is gone has no sum. */
static void test_trace_fails(void)
{
    g_autofree SsdSums *sums = new_sums();
    g_autofree char *path = temporary_path();
    g_autofree char *says = g_strdup_printf("cannot read trace '%s': No such "
                                            "file or directory", path);
    g_autoptr(GError) error = NULL;
    int fd = next_fd();
    SsdTrace *trace = new_trace(path);

    g_assert_true(ssd_trace_keep_sum(trace, sums, NULL));
    becomes(fd, "/dev/full", O_WRONLY);
    g_assert_false(ssd_trace_flush(trace, NULL));
    g_assert_false(ssd_trace_close(trace, 0, NULL));
    g_assert_null(ssd_sums_history(sums));
    trace = new_trace(path);
    g_unlink(path);
    g_assert_false(ssd_trace_keep_sum(trace, sums, &error));
    g_assert_error(error, SSD_TRACE_ERROR, 0);
    g_assert_cmpstr(error->message, ==, says);
    g_assert_true(ssd_trace_close(trace, 0, NULL));
    g_assert_null(ssd_sums_history(sums));
}

static void test_begun(void)
{
    g_autofree SsdSums *sums = new_sums();

    g_assert_cmpint(ssd_sums_begun(sums), ==, 0);
    memcpy(sums->magic, SSD_SUMS_MAGIC, sizeof(sums->magic));
    g_assert_cmpint(ssd_sums_begun(sums), ==, 1);
    sums->magic[3] ^= 1;
    g_assert_cmpint(ssd_sums_begun(sums), ==, -1);
}

static void test_pages(void)
{
    SsdParams params;

    ssd_params_defaults(&params);
    params.zones = 3;
    params.zone_capacity_bytes = 12 * SSD_SUMS_PAGE_BYTES;
    params.conventional_bytes = 5 * SSD_SUMS_PAGE_BYTES;
    g_assert_cmpuint(ssd_sums_pages(&params), ==, 41);
    g_assert_cmpuint(ssd_sums_bytes(&params), ==, 4096 + 41 * 8);
}

static void test_page(void)
{
    g_autofree uint8_t *one = g_malloc0(SSD_SUMS_PAGE_BYTES);
    g_autofree uint8_t *other = g_malloc0(SSD_SUMS_PAGE_BYTES);
    uint64_t word;

    other[17] = 1;
    word = ssd_sums_page(NULL, other);
    g_assert_true(ssd_sums_page_fits(word, one));
    g_assert_true(ssd_sums_page_fits(word, other));
    one[4095] = 9;
    g_assert_false(ssd_sums_page_fits(word, one));
    word = ssd_sums_page(other, one);
    g_assert_true(ssd_sums_page_fits(word, one));
    g_assert_true(ssd_sums_page_fits(word, other));
    for (unsigned bit = 0; bit < 8 * SSD_SUMS_PAGE_BYTES; bit += 7) {
        one[bit / 8] ^= 1 << bit % 8;
        g_assert_false(ssd_sums_page_fits(word, one));
        one[bit / 8] ^= 1 << bit % 8;
    }
}

static void test_kept(void)
{
    g_autofree SsdSums *sums = new_sums();
    char kept[] = "what is kept";
    uint32_t sum = ssd_sum(0, kept, sizeof(kept));

    g_assert_null(ssd_sums_kept_fault(sums, kept, sizeof(kept)));
    sums->kept_sum = ssd_sums_of_kept(kept, sizeof(kept));
    g_assert_null(ssd_sums_kept_fault(sums, kept, sizeof(kept)));
    for (unsigned bit = 0; bit < 8 * sizeof(kept); bit++) {
        g_autofree char *fault = NULL, *says = NULL;

        kept[bit / 8] ^= 1 << bit % 8;
        fault = ssd_sums_kept_fault(sums, kept, sizeof(kept));
        says = g_strdup_printf("the file 'kept' has the checksum %08" PRIx32
                               ", it had %08" PRIx32 ": it, or its sum in the "
                               "file 'sums', is damaged",
                               ssd_sum(0, kept, sizeof(kept)), sum);
        g_assert_cmpstr(fault, ==, says);
        kept[bit / 8] ^= 1 << bit % 8;
    }
}

/* --- On the disk ---------------------------------------------------------- */

/* What was so at the last fdatasync(), which is ours. */
static struct {
    const SsdSums *sums;
    unsigned count;
    uint64_t file_bytes; /* the file had, */
    uint64_t sum_bytes;  /* and its sum said of */
    int error;           /* that it shall end with; 0: none */
} disk;

int fdatasync(int fd)
{
    const SsdHistorySum *entry = ssd_sums_history(disk.sums);
    struct stat st;

    g_assert_cmpint(fstat(fd, &st), ==, 0);
    disk.count++;
    disk.file_bytes = (uint64_t)st.st_size;
    disk.sum_bytes = entry ? entry->bytes : 0;
    errno = disk.error ? disk.error : ENOTTY; /* one that does not count */
    return disk.error ? -1 : 0;
}

static void record(SsdTrace *trace, bool is_written)
{
    g_autoptr(GError) error = NULL;

    ssd_trace_power_cut(trace, 1, 2);
    g_assert_true(ssd_trace_flush(trace, &error) == is_written);
    g_assert_true(!error == is_written);
}

/* What a history's sum tells of is on the disk, if that is asked for. */
static void test_synchronised(void)
{
    g_autofree SsdSums *sums = new_sums();
    g_autofree char *folder = g_dir_make_tmp("femu-sums-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "history", NULL);
    g_autofree char *says = g_strdup_printf("cannot write trace '%s': "
                                            "Input/output error", path);
    g_autoptr(GError) error = NULL;
    SsdParams params;
    SsdTrace *trace;
    uint64_t told_bytes;

    ssd_params_defaults(&params);
    trace = ssd_trace_create(path, &params, NULL);
    disk.sums = sums;
    g_assert_true(ssd_trace_flush(trace, NULL));
    g_assert_true(ssd_trace_keep_sum(trace, sums, NULL));
    record(trace, true);
    g_assert_cmpuint(disk.count, ==, 0);
    ssd_trace_synchronise(trace);
    for (unsigned i = 1; i < 4; i++) {
        told_bytes = ssd_sums_history(sums)->bytes;
        record(trace, true);
        g_assert_cmpuint(disk.count, ==, i);
        g_assert_cmpuint(disk.sum_bytes, ==, told_bytes);
        g_assert_cmpuint(disk.file_bytes, >, told_bytes);
        g_assert_cmpuint(ssd_sums_history(sums)->bytes, ==, disk.file_bytes);
    }
    told_bytes = disk.file_bytes;
    disk.error = EIO;
    record(trace, false);
    g_assert_cmpuint(ssd_sums_history(sums)->bytes, ==, told_bytes);
    disk.error = ENOSPC;
    g_assert_false(ssd_trace_close(trace, 3, &error));
    g_assert_cmpstr(error->message, ==, says); /* which came first */
    disk.error = 0;

    trace = ssd_trace_create(path, &params, NULL);
    ssd_trace_synchronise(trace);
    disk.count = 0;
    g_assert_true(ssd_trace_close(trace, 3, NULL));
    g_assert_cmpuint(disk.count, ==, 1);
    g_unlink(path);
    g_rmdir(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sums/sum", test_sum);
    g_test_add_func("/sums/history", test_history);
    g_test_add_func("/sums/two-entries", test_two_entries);
    g_test_add_func("/sums/file", test_file);
    g_test_add_func("/sums/history-fault", test_history_fault);
    g_test_add_func("/sums/trace", test_trace);
    g_test_add_func("/sums/trace-writes", test_trace_writes);
    g_test_add_func("/sums/trace-fails", test_trace_fails);
    g_test_add_func("/sums/begun", test_begun);
    g_test_add_func("/sums/pages", test_pages);
    g_test_add_func("/sums/page", test_page);
    g_test_add_func("/sums/kept", test_kept);
    g_test_add_func("/sums/synchronised", test_synchronised);
    return g_test_run();
}
