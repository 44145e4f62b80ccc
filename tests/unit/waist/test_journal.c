/*
 * Tests of journals: what is written, byte by byte; what is read back; and
 * every way in which a file can be damaged.
 *
 * Knows nothing of what the bytes mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_journal.h"
#include "waist/files.h"

#include <glib/gstdio.h>
#include <inttypes.h>
#include <string.h>

#define MAGIC_BYTES (sizeof(SSD_JOURNAL_MAGIC) - 1)
#define HEAD_BYTES 24

/* An entry with no data stands for zeroes. */
typedef struct Wanted {
    uint64_t submitted_count;
    uint64_t at_bytes;
    uint64_t bytes;
    const char *data;
} Wanted;

static Wanted wanted[] = {
    { 0, 7, 3, "abc" },
    { 0, UINT64_MAX - 1, 1, "d" },
    { 2, 0x1122334455667788, UINT64_C(1) << 62 | 5, NULL },
    { 2, 0, 0, "" },
    { 3, 9, 5, "efghi" },
};

static SsdJournal *create(const char *path)
{
    g_autoptr(GError) error = NULL;
    SsdJournal *journal = ssd_journal_create(path, &error);

    g_assert_no_error(error);
    return journal;
}

/* Write `wanted`. */
static void write_all(const char *path)
{
    g_autoptr(GError) error = NULL;
    SsdJournal *journal = create(path);
    uint64_t submitted_count = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(wanted); i++) {
        for (; submitted_count < wanted[i].submitted_count;
             submitted_count++) {
            ssd_journal_submitted(journal);
        }
        ssd_journal_write(journal, wanted[i].at_bytes, wanted[i].data,
                          wanted[i].bytes);
    }
    g_assert_true(ssd_journal_close(journal, &error));
    g_assert_no_error(error);
}

static void put_number(GString *text, uint64_t number)
{
    for (unsigned i = 0; i < sizeof(number); i++) {
        g_string_append_c(text, (char)(number >> 8 * i & 0xff));
    }
}

static void put_head(GString *text, uint64_t submitted_count,
                     uint64_t at_bytes, uint64_t bytes)
{
    put_number(text, submitted_count);
    put_number(text, at_bytes);
    put_number(text, bytes);
}

/* The bytes of `wanted`. */
static GString *whole_file(void)
{
    GString *text = g_string_new("# femu-zns journal 2\n");

    for (unsigned i = 0; i < G_N_ELEMENTS(wanted); i++) {
        const Wanted *want = &wanted[i];

        put_head(text, want->submitted_count, want->at_bytes,
                 want->bytes | (want->data ? 0 : UINT64_C(1) << 63));
        if (want->data) {
            g_string_append_len(text, want->data, (gssize)want->bytes);
        }
    }
    put_head(text, 3, UINT64_MAX, 0);
    return text;
}

static void test_written_bytes(void)
{
    g_autofree char *path = temporary_path();
    g_autoptr(GString) want = whole_file();
    g_autofree char *got = NULL;
    int fd = next_fd();
    gsize bytes;

    write_all(path);
    g_assert_cmpint(next_fd(), ==, fd);
    g_assert_true(g_file_get_contents(path, &got, &bytes, NULL));
    g_assert_cmpmem(got, bytes, want->str, want->len);
    g_unlink(path);
}

static void expect_entry(const SsdJournalEntry *entry, const Wanted *want)
{
    g_assert_cmpuint(entry->submitted_count, ==, want->submitted_count);
    g_assert_cmpuint(entry->at_bytes, ==, want->at_bytes);
    g_assert_cmpuint(entry->bytes, ==, want->bytes);
    if (!want->data) {
        g_assert_null(entry->data);
    } else {
        g_assert_cmpmem(entry->data, entry->bytes, want->data, want->bytes);
    }
}

/*
 * Read a file to its end. Return: how many entries it has, which are those of
 * `wanted`; *says: the error without the file's path, or NULL.
 */
static unsigned read_all(const GString *text, char **says)
{
    g_autofree char *path = temporary_path();
    g_autoptr(GError) error = NULL;
    int fd = next_fd();
    SsdJournalReader *reader;
    SsdJournalEntry entry;
    unsigned count = 0;
    int got = 0;

    g_assert_true(g_file_set_contents(path, text->str, (gssize)text->len,
                                      NULL));
    reader = ssd_journal_open(path, &error);
    while (reader && (got = ssd_journal_next(reader, &entry, &error)) > 0) {
        g_assert_cmpint(got, ==, 1);
        expect_entry(&entry, &wanted[count++]);
    }
    if (reader) {
        g_assert_cmpint(got, ==, error ? -1 : 0);
        g_assert_cmpint(ssd_journal_next(reader, &entry, NULL), ==, got);
        ssd_journal_reader_free(reader);
    }
    g_assert_cmpint(next_fd(), ==, fd);
    g_unlink(path);
    *says = NULL;
    if (error) {
        g_assert_error(error, SSD_TRACE_ERROR, 0);
        g_assert_true(g_str_has_prefix(error->message, path));
        *says = g_strdup(error->message + strlen(path));
    }
    return count;
}

static void test_round_trip(void)
{
    g_autoptr(GString) text = whole_file();
    g_autofree char *says = NULL;

    g_assert_cmpuint(read_all(text, &says), ==, G_N_ELEMENTS(wanted));
    g_assert_null(says);
    /* What follows the end is not looked at. */
    g_string_append(text, "more");
    g_assert_cmpuint(read_all(text, &says), ==, G_N_ELEMENTS(wanted));
    g_assert_null(says);
}

/* Every prefix of a sound file has its whole entries, and says where it ends. */
static void test_every_prefix(void)
{
    g_autoptr(GString) text = whole_file();

    while (text->len > 0) {
        g_autofree char *says = NULL;
        g_autofree char *want = NULL;
        size_t at = MAGIC_BYTES;
        unsigned count = 0;

        g_string_truncate(text, text->len - 1);
        for (; count < G_N_ELEMENTS(wanted) && at + HEAD_BYTES <= text->len;
             count++) {
            size_t bytes = wanted[count].data ? wanted[count].bytes : 0;

            at += HEAD_BYTES;
            if (at + bytes > text->len) {
                break;
            }
            at += bytes;
        }
        want = text->len < MAGIC_BYTES
               ? g_strdup(": not a journal: the first line must be "
                          "'# femu-zns journal 2'")
               : g_strdup_printf(": the journal was cut short, at byte %zu",
                                 at);
        g_assert_cmpuint(read_all(text, &says), ==, count);
        g_assert_cmpstr(says, ==, want);
    }
}

static void test_damaged(void)
{
    g_autoptr(GString) text = whole_file();
    g_autofree char *says = NULL;

    text->str[MAGIC_BYTES - 2] = '3';
    g_assert_cmpuint(read_all(text, &says), ==, 0);
    g_assert_cmpstr(says, ==, ": not a journal: the first line must be "
                    "'# femu-zns journal 2'");
    g_clear_pointer(&says, g_free);
    text->str[MAGIC_BYTES - 2] = '2';
    /* The second entry comes before the first. */
    text->str[MAGIC_BYTES] = 1;
    wanted[0].submitted_count = 1;
    g_assert_cmpuint(read_all(text, &says), ==, 1);
    wanted[0].submitted_count = 0;
    g_assert_cmpstr(says, ==, ": the journal goes back in time, at byte 48");
}

/* A file that was longer when it was opened, and one that has no length. */
static void test_cannot_be_read(void)
{
    g_autofree char *path = temporary_path();
    g_autofree char *data = g_malloc0(1 << 20);
    g_autoptr(GError) error = NULL;
    g_autofree char *says = NULL;
    SsdJournal *journal = create(path);
    SsdJournalReader *reader;
    SsdJournalEntry entry;
    int fd;

    ssd_journal_write(journal, 0, data, 1 << 20);
    g_assert_true(ssd_journal_close(journal, NULL));
    fd = next_fd();
    reader = ssd_journal_open(path, &error);
    g_assert_no_error(error);
    becomes(fd, "/dev/null", O_RDONLY);
    g_assert_cmpint(ssd_journal_next(reader, &entry, &error), ==, -1);
    says = g_strconcat(path, ": the journal cannot be read, at byte 45", NULL);
    g_assert_cmpstr(error->message, ==, says);
    g_clear_error(&error);
    ssd_journal_reader_free(reader);
    g_unlink(path);
}

static void test_has_no_length(void)
{
    g_autoptr(GString) text = whole_file();
    g_autoptr(GError) error = NULL;
    g_autofree char *path = NULL;
    g_autofree char *says = NULL;
    int fds[2];

    g_assert_cmpint(pipe(fds), ==, 0);
    g_assert_cmpint(write(fds[1], text->str, text->len), ==, text->len);
    path = g_strdup_printf("/dev/fd/%d", fds[0]);
    g_assert_null(ssd_journal_open(path, &error));
    says = g_strconcat(path, ": not a journal: the first line must be "
                       "'# femu-zns journal 2'", NULL);
    g_assert_cmpstr(error->message, ==, says);
    close(fds[0]);
    close(fds[1]);
}

static void test_no_such_file(void)
{
    g_autoptr(GError) error = NULL;

    g_assert_null(ssd_journal_open("/nonexistent/x", &error));
    g_assert_error(error, SSD_TRACE_ERROR, 0);
    g_assert_cmpstr(error->message, ==, "cannot open journal "
                    "'/nonexistent/x': No such file or directory");
    g_clear_error(&error);
    g_assert_null(ssd_journal_create("/nonexistent/x", &error));
    g_assert_error(error, SSD_TRACE_ERROR, 0);
    g_assert_cmpstr(error->message, ==, "cannot create journal "
                    "'/nonexistent/x': No such file or directory");
}

static void expect_failed(SsdJournal *journal, const char *path,
                          const char *why)
{
    g_autofree char *says = g_strdup_printf("cannot write journal '%s': %s",
                                            path, why);
    g_autoptr(GError) error = NULL;

    g_assert_false(ssd_journal_close(journal, &error));
    g_assert_error(error, SSD_TRACE_ERROR, 0);
    g_assert_cmpstr(error->message, ==, says);
}

/* The first failure is told when the journal is closed. */
static void test_full_disk(void)
{
    g_autofree char *data = g_malloc0(1 << 20);
    int fd = next_fd();
    SsdJournal *journal;

    /* So little that only closing the file writes it. */
    expect_failed(create("/dev/full"), "/dev/full", "No space left on device");
    journal = create("/dev/full");
    ssd_journal_write(journal, 0, data, 1 << 20);
    becomes(fd, "/dev/null", O_RDONLY);
    ssd_journal_write(journal, 0, data, 1 << 20);
    fclose_errno = EIO;
    expect_failed(journal, "/dev/full", "No space left on device");
    fclose_errno = 0;
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/journal/written-bytes", test_written_bytes);
    g_test_add_func("/journal/round-trip", test_round_trip);
    g_test_add_func("/journal/every-prefix", test_every_prefix);
    g_test_add_func("/journal/damaged", test_damaged);
    g_test_add_func("/journal/cannot-be-read", test_cannot_be_read);
    g_test_add_func("/journal/has-no-length", test_has_no_length);
    g_test_add_func("/journal/no-such-file", test_no_such_file);
    g_test_add_func("/journal/full-disk", test_full_disk);
    return g_test_run();
}
