/*
 * A corpus of causes: what ssd_why() says of each command inside, at many
 * instants of small drives of all kinds, is to the letter what it said when the
 * corpus was written. Like test_corpus.c it says nothing of what is right:
 * tests/sim/blame does, and test_why.c that nobody is nowhere.
 *
 * tests/data/corpus/causes.csv has a drive a line; "scripts/restate causes"
 * writes the sums anew.
 *
 *   FEMU_CORPUS_OUT=dir     write what is said as dir/NAME, compare nothing
 *
 * Knows nothing of the drive's inside: it uses ssd.h, ssd_why.h and params.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "ssd_why.h"
#include "entries.h"
#include "transcript.h"

#define STEPS 12 /* that a drive does, each time */

/* So many commands have come, some of which are inside. */
static const unsigned counts[] = { 35, 90, 170, 251, 400 };

/* Tags are numbers from 0 on, below this. */
#define TAGS 400

static void say_causes(Ssd *ssd, uint32_t tag, GString *said)
{
    g_autoptr(GArray) causes = ssd_why(ssd, tag);

    for (unsigned i = 0; i < causes->len; i++) {
        const SsdCause *cause = &g_array_index(causes, SsdCause, i);

        g_string_append_printf(
            said, "%u: place %u %d %u, part %u, %s, who %u: %u %u %" PRIu64
            ", until %" PRIu64 "\n", tag, cause->place, cause->works,
            cause->idx, cause->part_id, cause->what ? cause->what : "-",
            cause->who.kind, cause->who.tag, cause->who.zone_idx,
            cause->who.page, cause->until_ns);
    }
}

static void poll_and_say(Ssd *ssd, uint64_t now_ns, GString *said)
{
    SsdDone done;

    while (ssd_poll(ssd, now_ns, &done, 1) > 0) {
        ;
    }
    g_string_append_printf(said, "at %" PRIu64 "\n", ssd_now_ns(ssd));
    for (uint32_t tag = 0; tag < TAGS; tag++) {
        say_causes(ssd, tag, said);
    }
}

static void test_drive(gconstpointer data)
{
    const Entry *entry = data;
    SsdParams params = entry_params(entry);
    GString *said = g_string_new(NULL);

    for (unsigned i = 0; i < G_N_ELEMENTS(counts); i++) {
        Ssd *ssd = transcript_drive(&params, g_str_hash(entry->name) + i,
                                    counts[i]);

        poll_and_say(ssd, ssd_now_ns(ssd), said);
        for (unsigned step = 0; step < STEPS && ssd_inflight(ssd); step++) {
            poll_and_say(ssd, ssd_next_step_at_ns(ssd), said);
        }
        ssd_free(ssd);
    }
    entry_compare(entry, said->str);
    g_string_free(said, TRUE);
}

int main(int argc, char **argv)
{
    GPtrArray *entries;
    int status;

    g_test_init(&argc, &argv, NULL);
    entries = entries_read("tests/data/corpus/causes.csv");
    g_assert_cmpuint(entries->len, >, 0);
    entries_add_tests("causes", entries, test_drive);
    status = g_test_run();
    entries_free(entries);
    return status;
}
