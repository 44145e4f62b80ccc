/*
 * Reads values out of JSON text by path, strictly: whatever is not JSON of
 * objects, arrays, strings without escapes and unsigned integers ends the test.
 *
 * Knows nothing of drives.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_TEST_JSON_VALUE_H
#define FEMU_TEST_JSON_VALUE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* The whole text is one well-formed value, and no object repeats a name. */
void json_check(const char *text);

/* Is there a value at `path`, such as "ops.read.histogram.0.1"? */
bool json_has(const char *text, const char *path);

/* The integer at `path`; must be there. */
uint64_t json_u64(const char *text, const char *path);

/* Members or elements of the object or array at `path`; must be there. */
unsigned json_length(const char *text, const char *path);

#endif
