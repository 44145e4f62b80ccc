/*
 * Division by a number that does not change, such as a size of the drive: a
 * multiplication and a shift, which are much faster than a division (Granlund
 * and Montgomery, "Division by invariant integers using multiplication", PLDI
 * 1994).
 *
 * Knows nothing of what is divided.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_DIVISOR_H
#define FEMU_DIVISOR_H

#include <stdint.h>

/*
 * `factor` is 2^(63 + shift) / by, rounded up, where 2^shift is the least power
 * of two that is not below `by`. Why the result is exact: factor * by exceeds
 * 2^(63 + shift) by less than 2^shift, so value * factor / 2^(63 + shift)
 * exceeds value / by by less than value / 2^63 / by < 1 / by; and value / by is
 * at least 1 / by below the next integer.
 */
typedef struct Divisor {
    uint64_t factor;
    uint64_t by;
    unsigned shift;
} Divisor;

/* Needs 0 < by <= 2^63. */
static inline Divisor divisor_of(uint64_t by)
{
    unsigned shift = by > 1 ? 64 - __builtin_clzll(by - 1) : 0;
    unsigned __int128 power = (unsigned __int128)1 << (63 + shift);

    return (Divisor) {
        .factor = (power + by - 1) / by,
        .by = by,
        .shift = shift,
    };
}

/* value / by; value < 2^63. */
static inline uint64_t divide(uint64_t value, const Divisor *divisor)
{
    unsigned __int128 product = (unsigned __int128)(value << 1) *
                                divisor->factor;

    return (uint64_t)(product >> 64) >> divisor->shift;
}

/* value % by; value < 2^63. */
static inline uint64_t remainder_of(uint64_t value, const Divisor *divisor)
{
    return value - divide(value, divisor) * divisor->by;
}

#endif
