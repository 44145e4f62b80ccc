/*
 * Files of sums: reading them, comparing with them.
 *
 * Knows nothing of what is said.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-sums.h"

static char *recorded_sum(const char *file, const char *name)
{
    g_autofree char *own = g_strconcat(file, ".csv", NULL);
    g_autofree char *path = g_build_filename(g_getenv("FEMU_TOP"),
                                             "tests/data/corpus", own, NULL);
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) fields = g_strsplit(*line, ",", 2);

        if (fields[0] && strcmp(fields[0], name) == 0) {
            return g_strdup(fields[1]);
        }
    }
    return g_strdup("none is recorded");
}

void femu_sum_compare(const char *file, const char *name, const char *text)
{
    const char *folder = g_getenv("FEMU_CORPUS_OUT");
    g_autofree char *sum = NULL;
    g_autofree char *recorded = NULL;

    if (folder) {
        g_autofree char *path = g_build_filename(folder, name, NULL);

        g_assert_true(g_file_set_contents(path, text, -1, NULL));
        return;
    }
    sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
    recorded = recorded_sum(file, name);
    g_assert_cmpstr(sum, ==, recorded);
}
