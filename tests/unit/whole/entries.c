/*
 * Files of drives, and what each must answer.
 *
 * Knows nothing of what is answered.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "entries.h"

#include <string.h>

#include "support/drive.h"

#define SHA256_DIGITS 64

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

SsdParams entry_params(const Entry *entry)
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

void entry_compare(const Entry *entry, const char *text)
{
    const char *folder = g_getenv("FEMU_CORPUS_OUT");
    g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256,
                                                         text, -1);

    if (folder) {
        write_out(folder, entry->name, text);
    } else {
        g_assert_cmpstr(sum, ==, entry->sum);
    }
}

static void free_entry(gpointer data)
{
    Entry *entry = data;

    g_free(entry->name);
    g_free(entry->sum);
    g_free(entry->words);
    g_free(entry);
}

GPtrArray *entries_read(const char *file)
{
    g_autofree char *path = g_test_build_filename(G_TEST_DIST, file, NULL);
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    GPtrArray *entries = g_ptr_array_new_with_free_func(free_entry);
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
    return entries;
}

void entries_free(GPtrArray *entries)
{
    g_ptr_array_free(entries, TRUE);
}

void entries_add_tests(const char *folder, const GPtrArray *entries,
                       GTestDataFunc test)
{
    unsigned step = entries->len / drive_count("FEMU_DRIVES", entries->len);

    for (unsigned i = 0; i < entries->len; i += MAX(step, 1)) {
        Entry *entry = entries->pdata[i];
        g_autofree char *path = g_strconcat("/", folder, "/", entry->name,
                                            NULL);

        g_test_add_data_func(path, entry, test);
    }
}
