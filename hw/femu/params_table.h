/*
 * What one row of the table can do, for the files params*.c.
 *
 * Knows nothing of QEMU, NVMe, zones or time; it only holds numbers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_PARAMS_TABLE_H
#define FEMU_PARAMS_TABLE_H

#include "params.h"

/* Store `value`, which must fit the row's type. */
void params_put(SsdParams *params, const SsdParamInfo *info, uint64_t value);

/* Is `value` in the row's range? Return: false and *error if it is not. */
bool params_check_range(const SsdParamInfo *info, uint64_t value,
                        GError **error);

/*
 * Set *error to "<name>=<value>: <what would be right>". The number of bytes
 * of a size follows in parentheses, because users mix up units.
 * Return: false, so that a check can end with it.
 */
G_GNUC_PRINTF(4, 5)
bool params_error(GError **error, const char *name, uint64_t value,
                  const char *format, ...);

#endif
