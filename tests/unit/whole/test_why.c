/*
 * ssd_why() knows where each command is: on all drives of the corpus, at many
 * instants, whatever is inside is somewhere, in a place that has a name, and a
 * part that waits, waits for somebody who is inside. That it is the right place
 * is tested by exact scenes: tests/sim/blame.
 *
 * Knows nothing of the drive's inside: it uses ssd.h, ssd_why.h and params.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_why.h"
#include "entries.h"
#include "transcript.h"

#define STEPS 16 /* that a drive does, each time */

/* So many commands have come, some of which are inside. */
static const unsigned counts[] = { 90, 251 };

/* Tags are numbers from 0 on, below this. */
#define TAGS 400

static void check_cause(Ssd *ssd, uint32_t tag, const SsdCause *cause)
{
    g_assert_cmpuint(cause->place, <, SSD_PLACE_INSIDE);
    g_assert_cmpuint(cause->until_ns, >, ssd_now_ns(ssd));
    if (cause->who.kind == SSD_WHO_COMMAND && cause->who.tag != tag) {
        g_autoptr(GArray) causes = ssd_why(ssd, cause->who.tag);

        g_assert_cmpuint(causes->len, >, 0);
    }
}

/* Return: how many parts it has. */
static unsigned check_command(Ssd *ssd, uint32_t tag)
{
    g_autoptr(GArray) causes = ssd_why(ssd, tag);

    for (unsigned i = 0; i < causes->len; i++) {
        const SsdCause *cause = &g_array_index(causes, SsdCause, i);

        check_cause(ssd, tag, cause);
        for (unsigned j = 0; j < i; j++) {
            g_assert_cmpuint(g_array_index(causes, SsdCause, j).part_id, !=,
                             cause->part_id);
        }
    }
    return causes->len;
}

static void check_all(Ssd *ssd)
{
    unsigned inside = 0;

    for (uint32_t tag = 0; tag < TAGS; tag++) {
        inside += check_command(ssd, tag) > 0;
    }
    g_assert_cmpuint(inside, ==, ssd_inflight(ssd));
}

static void poll(Ssd *ssd, uint64_t now_ns)
{
    SsdDone done;

    while (ssd_poll(ssd, now_ns, &done, 1) > 0) {
        ;
    }
}

static void test_drive(gconstpointer data)
{
    const Entry *entry = data;
    SsdParams params = entry_params(entry);

    for (unsigned i = 0; i < G_N_ELEMENTS(counts); i++) {
        Ssd *ssd = transcript_drive(&params, g_str_hash(entry->name) + i,
                                    counts[i]);

        poll(ssd, ssd_now_ns(ssd));
        check_all(ssd);
        for (unsigned step = 0; step < STEPS && ssd_inflight(ssd); step++) {
            poll(ssd, ssd_next_step_at_ns(ssd));
            check_all(ssd);
        }
        ssd_free(ssd);
    }
}

int main(int argc, char **argv)
{
    GPtrArray *entries;
    int status;

    g_test_init(&argc, &argv, NULL);
    entries = entries_read("tests/data/corpus/drives.csv");
    entries_add_tests("why", entries, test_drive);
    status = g_test_run();
    entries_free(entries);
    return status;
}
