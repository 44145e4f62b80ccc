/*
 * Files of sums, tests/data/corpus/NAME.csv: of each case the digest of what
 * was said when the file was written.
 *
 * Knows nothing of what is said.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_ZNS_SUMS_H
#define FEMU_ZNS_SUMS_H

/*
 * Assert that the text's SHA-256 is what the file has of this case. If
 * FEMU_CORPUS_OUT names a folder, nothing is compared: the text becomes the
 * file of this name there.
 */
void femu_sum_compare(const char *file, const char *name, const char *text);

#endif
