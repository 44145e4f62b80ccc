/*
 * Values as fio writes them: sizes with k, M or z (zones), times with a unit.
 *
 * Knows nothing of which options there are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_VALUE_H
#define FEMU_SIM_VALUE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Ten years: sums of some such times are far from the end of the clock. */
#define SIM_MOST_NS (UINT64_C(10) * 365 * 86400 * 1000000000)

/*
 * "4096", "16k", "16KiB", "1M", "2G", "1T"; "3z" is three zones of
 * `zone_bytes`. All are powers of 1024. Return: NULL, or what is wrong.
 */
const char *sim_value_bytes(const char *text, uint64_t zone_bytes,
                            uint64_t *bytes);

/*
 * "180", "3m", "500ms", "5.8us", "100ns"; a bare number counts `unit_ns`. What
 * is no whole number of ns is refused.
 */
const char *sim_value_ns(const char *text, uint64_t unit_ns, uint64_t *ns);

/* "50%" or "0.0004%" of `whole`, rounded down to `step`. */
const char *sim_value_percent(const char *text, uint64_t whole, uint64_t step,
                              uint64_t *part);

/* "100", "62.5": thousandths. */
const char *sim_value_thousandths(const char *text, uint64_t *value);

const char *sim_value_count(const char *text, uint64_t *value);

/* "1", "0", or nothing, which is 1. */
const char *sim_value_bool(const char *text, bool *value);

#endif
