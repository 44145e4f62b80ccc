/*
 * A corpus of power cuts: drives of all kinds, each under random commands of
 * its own, lose their power now and then. What each zone is then, and how the
 * drive goes on, is to the letter what it was when the corpus was written. Like
 * test_corpus.c it says nothing of what is right: test_power.c and
 * test_outage.c do.
 *
 * tests/data/corpus/cuts.csv has a drive a line; "scripts/restate cuts" writes
 * the sums anew.
 *
 *   FEMU_CORPUS_OUT=dir     write the transcripts as dir/NAME, compare nothing
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "entries.h"
#include "transcript.h"

#define COMMANDS 400

static void test_drive(gconstpointer data)
{
    const Entry *entry = data;
    SsdParams params = entry_params(entry);
    g_autofree char *text = transcript_of_cuts(&params,
                                               g_str_hash(entry->name),
                                               COMMANDS);

    entry_compare(entry, text);
}

int main(int argc, char **argv)
{
    GPtrArray *entries;
    int status;

    g_test_init(&argc, &argv, NULL);
    entries = entries_read("tests/data/corpus/cuts.csv");
    g_assert_cmpuint(entries->len, >, 0);
    entries_add_tests("cuts", entries, test_drive);
    status = g_test_run();
    entries_free(entries);
    return status;
}
