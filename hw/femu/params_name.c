/*
 * Names of parameters: which one a user who mistyped it probably meant.
 *
 * Knows nothing of values and rules.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "params.h"

#include <string.h>

/* Single-character edits that turn `a` into `b` (Levenshtein). */
static unsigned name_distance(const char *a, const char *b)
{
    size_t a_len = strlen(a), b_len = strlen(b);
    g_autofree unsigned *row = g_new(unsigned, b_len + 1);

    for (unsigned j = 0; j <= b_len; j++) {
        row[j] = j;
    }
    for (unsigned i = 1; i <= a_len; i++) {
        unsigned diagonal = row[0];

        row[0] = i;
        for (unsigned j = 1; j <= b_len; j++) {
            unsigned replace = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            row[j] = MIN(replace, MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_len];
}

const char *ssd_params_nearest(const char *name, const char *const *others)
{
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);
    const char *nearest = NULL;
    unsigned least = MAX(2, strlen(name) / 3) + 1;

    for (unsigned i = 0; i < count; i++) {
        unsigned distance = name_distance(name, table[i].name);

        if (distance < least) {
            least = distance;
            nearest = table[i].name;
        }
    }
    for (; others && *others; others++) {
        unsigned distance = name_distance(name, *others);

        if (distance < least) {
            least = distance;
            nearest = *others;
        }
    }
    return nearest;
}
