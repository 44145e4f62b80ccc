/*
 * Rounding up: how many of a size hold so much, and how much that is.
 *
 * Knows nothing of what is counted.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_ROUND_H
#define FEMU_ROUND_H

#include <stdint.h>

/* value / by, rounded up; needs by > 0. */
static inline uint64_t div_round_up(uint64_t value, uint64_t by)
{
    return value / by + (value % by != 0);
}

/* The least multiple of `of` that is not below `value`. */
static inline uint64_t round_up(uint64_t value, uint64_t of)
{
    return div_round_up(value, of) * of;
}

#endif
