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

#include "entries.h"
#include "transcript.h"

#define COMMANDS 400
#define COMMANDS_SAVED 133 /* behind so many the drive is saved and loaded */

static void test_drive(gconstpointer data)
{
    const Entry *entry = data;
    SsdParams params = entry_params(entry);
    g_autofree char *text = transcript_of(&params, g_str_hash(entry->name),
                                          COMMANDS, 0);
    g_autofree char *saved = transcript_of(&params, g_str_hash(entry->name),
                                           COMMANDS, COMMANDS_SAVED);

    g_assert_cmpstr(saved, ==, text);
    entry_compare(entry, text);
}

int main(int argc, char **argv)
{
    GPtrArray *entries;
    int status;

    g_test_init(&argc, &argv, NULL);
    entries = entries_read("tests/data/corpus/drives.csv");
    g_assert_cmpuint(entries->len, >, 200);
    entries_add_tests("corpus", entries, test_drive);
    status = g_test_run();
    entries_free(entries);
    return status;
}
