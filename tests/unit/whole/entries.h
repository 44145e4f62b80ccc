/*
 * Files of drives, a line each, with the digest of what each answered when the
 * file was written: tests/data/corpus.
 *
 * Knows nothing of what is answered.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_TEST_ENTRIES_H
#define FEMU_TEST_ENTRIES_H

#include "params.h"

typedef struct Entry {
    char *name;
    char *sum;   /* SHA-256 of the text, in hexadecimal */
    char *words; /* "name=value name=value" */
} Entry;

/* The lines of a file, by its path in the repository. Caller frees. */
GPtrArray *entries_read(const char *file);
void entries_free(GPtrArray *entries);

/* Checked and resolved. */
SsdParams entry_params(const Entry *entry);

/*
 * The text's digest is the entry's; or, if FEMU_CORPUS_OUT names a folder, the
 * text is written there by the entry's name, and nothing is compared.
 */
void entry_compare(const Entry *entry, const char *text);

/*
 * Add a test of each entry, called `folder`/name; an even share of them, where
 * all is dear: drive_count() of FEMU_DRIVES.
 */
void entries_add_tests(const char *folder, const GPtrArray *entries,
                       GTestDataFunc test);

#endif
