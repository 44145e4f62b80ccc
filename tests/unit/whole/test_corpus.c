/*
 * A corpus of nanoseconds: drives of all kinds, each under random commands of
 * its own, answer to the letter what they answered when the corpus was written.
 * So a change that is not meant to move anything has moved nothing. Unlike the
 * dumb drive, it says nothing of what is right.
 *
 * tests/data/corpus/drives.csv has a drive a line: name, SHA-256 of its
 * transcript (transcript.h), which is the same if the drive is saved and loaded
 * on the way, parameters that are not at their defaults. After
 * a change that is meant, "scripts/restate corpus" writes the sums anew.
 *
 *   FEMU_CORPUS_OUT=dir     write the transcripts as dir/NAME, compare nothing;
 *                           two builds' can be laid beside each other (diff -r)
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "support/drive.h"
#include "transcript.h"

#define COMMANDS 400
#define COMMANDS_SAVED 133 /* behind so many the drive is saved and loaded */
#define SHA256_DIGITS 64

typedef struct Entry {
    char *name;
    char *sum;
    char *words; /* "name=value name=value" */
} Entry;

static void set_word(SsdParams *params, const char *word)
{
    const char *equals = strchr(word, '=');
    g_autofree char *name = NULL;
    GError *error = NULL;

    g_assert_nonnull(equals);
    name = g_strndup(word, equals - word);
    ssd_params_set(params, name, equals + 1, &error);
    g_assert_no_error(error);
}

static SsdParams params_of(const Entry *entry)
{
    g_auto(GStrv) words = g_strsplit(entry->words, " ", -1);
    GError *error = NULL;
    SsdParams params;

    ssd_params_defaults(&params);
    for (char **word = words; *word; word++) {
        if (**word) {
            set_word(&params, *word);
        }
    }
    ssd_params_check(&params, &error);
    g_assert_no_error(error);
    ssd_params_resolve(&params);
    return params;
}

static void write_out(const char *folder, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    GError *error = NULL;

    g_file_set_contents(path, text, -1, &error);
    g_assert_no_error(error);
}

static void test_drive(gconstpointer data)
{
    const Entry *entry = data;
    const char *folder = g_getenv("FEMU_CORPUS_OUT");
    SsdParams params = params_of(entry);
    g_autofree char *text = transcript_of(&params, g_str_hash(entry->name),
                                          COMMANDS, 0);
    g_autofree char *saved = transcript_of(&params, g_str_hash(entry->name),
                                           COMMANDS, COMMANDS_SAVED);
    g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256,
                                                         text, -1);

    g_assert_cmpstr(saved, ==, text);
    if (folder) {
        write_out(folder, entry->name, text);
    } else {
        g_assert_cmpstr(sum, ==, entry->sum);
    }
}

/* Each line is an entry; the program's end frees them. */
static GPtrArray *read_entries(void)
{
    g_autofree char *path = g_test_build_filename(
        G_TEST_DIST, "tests/data/corpus/drives.csv", NULL);
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    GPtrArray *entries = g_ptr_array_new();
    GError *error = NULL;

    g_file_get_contents(path, &text, NULL, &error);
    g_assert_no_error(error);
    lines = g_strsplit(text, "\n", -1);
    for (char **line = lines + 1; *line && **line; line++) {
        g_auto(GStrv) fields = g_strsplit(*line, ",", 3);
        Entry *entry = g_new0(Entry, 1);

        g_assert_cmpuint(g_strv_length(fields), ==, 3);
        g_assert_cmpuint(strlen(fields[1]), ==, SHA256_DIGITS);
        entry->name = g_strdup(fields[0]);
        entry->sum = g_strdup(fields[1]);
        entry->words = g_strdup(fields[2]);
        g_ptr_array_add(entries, entry);
    }
    g_assert_cmpuint(entries->len, >, 200);
    return entries;
}

static void free_entry(gpointer data)
{
    Entry *entry = data;

    g_free(entry->name);
    g_free(entry->sum);
    g_free(entry->words);
    g_free(entry);
}

int main(int argc, char **argv)
{
    GPtrArray *entries;
    unsigned step;
    int status;

    g_test_init(&argc, &argv, NULL);
    entries = read_entries();
    /* An even share of them, where all is dear. */
    step = entries->len / drive_count("FEMU_DRIVES", entries->len);
    for (unsigned i = 0; i < entries->len; i += MAX(step, 1)) {
        Entry *entry = entries->pdata[i];
        g_autofree char *path = g_strconcat("/corpus/", entry->name, NULL);

        g_test_add_data_func(path, entry, test_drive);
    }
    status = g_test_run();
    g_ptr_array_foreach(entries, (GFunc)(void *)free_entry, NULL);
    g_ptr_array_free(entries, TRUE);
    return status;
}
