/*
 * ssd_why() knows where each command is: on all drives of the corpus, at many
 * instants, whatever is inside is somewhere, in a place that has a name, and a
 * part that waits, waits for somebody who is inside. That it is the right place
 * is tested by exact scenes: tests/sim/blame. And who asks again and again of
 * one command hears the same as who asks once.
 *
 * Knows nothing of the drive's inside: it uses ssd.h, ssd_why.h and params.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_why.h"
#include "entries.h"
#include "transcript.h"

#define STEPS 16 /* that a drive does, each time */

#define AGAIN_STEPS 150
#define AGAIN_COUNT 120

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

/* --- Again and again ------------------------------------------------------ */

static void check_same(const GArray *kept, const GArray *anew)
{
    g_assert_cmpuint(kept->len, ==, anew->len);
    for (unsigned i = 0; i < anew->len; i++) {
        const SsdCause *a = &g_array_index(kept, SsdCause, i);
        const SsdCause *b = &g_array_index(anew, SsdCause, i);

        g_assert_cmpuint(a->place, ==, b->place);
        g_assert_cmpuint(a->works, ==, b->works);
        g_assert_cmpuint(a->idx, ==, b->idx);
        g_assert_cmpuint(a->part_id, ==, b->part_id);
        g_assert_cmpstr(a->what, ==, b->what);
        g_assert_cmpuint(a->who.kind, ==, b->who.kind);
        g_assert_cmpuint(a->who.tag, ==, b->who.tag);
        g_assert_cmpuint(a->who.zone_idx, ==, b->who.zone_idx);
        g_assert_cmpuint(a->who.page, ==, b->who.page);
        g_assert_cmpuint(a->until_ns, ==, b->until_ns);
    }
}

static void ask_of_all(const Ssd *ssd, SsdInquiry **inquiries)
{
    for (uint32_t tag = 0; tag < TAGS; tag++) {
        g_autoptr(GArray) anew = ssd_why(ssd, tag);

        inquiries[tag] = anew->len > 0 ? ssd_inquiry_new(ssd, tag) : NULL;
    }
}

/* Once a command has left there is nothing more to ask. */
static void look_at_all(const Ssd *ssd, SsdInquiry **inquiries)
{
    for (uint32_t tag = 0; tag < TAGS; tag++) {
        if (inquiries[tag]) {
            g_autoptr(GArray) anew = ssd_why(ssd, tag);
            g_autoptr(GArray) kept = ssd_inquiry_look(inquiries[tag]);

            check_same(kept, anew);
            if (anew->len == 0) {
                ssd_inquiry_free(inquiries[tag]);
                inquiries[tag] = NULL;
            }
        }
    }
}

/* Of each command that is inside, at each step. */
static void test_again(gconstpointer data)
{
    const Entry *entry = data;
    SsdParams params = entry_params(entry);
    Ssd *ssd = transcript_drive(&params, g_str_hash(entry->name), AGAIN_COUNT);
    SsdInquiry *inquiries[TAGS];

    ask_of_all(ssd, inquiries);
    for (unsigned step = 0; step < AGAIN_STEPS && ssd_inflight(ssd); step++) {
        look_at_all(ssd, inquiries);
        poll(ssd, ssd_next_step_at_ns(ssd));
    }
    for (uint32_t tag = 0; tag < TAGS; tag++) {
        ssd_inquiry_free(inquiries[tag]);
    }
    ssd_free(ssd);
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
    entries_add_tests("again", entries, test_again);
    status = g_test_run();
    entries_free(entries);
    return status;
}
