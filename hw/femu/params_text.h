/*
 * Values of parameters from text and to text, as QEMU's command line and
 * configuration files write them.
 *
 * Knows nothing of which parameters there are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_PARAMS_TEXT_H
#define FEMU_PARAMS_TEXT_H

#include "params.h"

/*
 * Read `text` as a value of `type`, which is not ENUM. Accepts what QEMU would read the same way
 * and nothing else: what QEMU rounds, wraps or takes for octal is an error.
 * Return: NULL with *value set, or the words that follow "'text' ...".
 */
const char *ssd_param_parse(SsdParamType type, const char *text,
                            uint64_t *value);

/* The largest binary suffix that loses nothing: 16384 is "16K". Free it. */
char *ssd_param_size_text(uint64_t bytes);

/* As a user would write it: "16K" for a size, "on" for a boolean. Free it. */
char *ssd_param_value_text(SsdParamType type, uint64_t value);

/* The same two for a row of the table, which also knows an ENUM's words. */
const char *ssd_param_row_parse(const SsdParamInfo *info, const char *text,
                                uint64_t *value);
char *ssd_param_row_text(const SsdParamInfo *info, uint64_t value);

#endif
