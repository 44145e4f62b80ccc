/*
 * Seeded random numbers that are the same on every machine: splitmix64, and
 * exponential gaps computed in integers.
 *
 * Knows nothing of what they are for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_RANDOM_H
#define FEMU_SIM_RANDOM_H

#include <stdint.h>

typedef struct SimRandom {
    uint64_t state;
} SimRandom;

static inline uint64_t sim_random_next(SimRandom *random)
{
    uint64_t value = random->state += UINT64_C(0x9e3779b97f4a7c15);

    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

/*
 * A number below `limit`, each as likely: those of a part row are refused.
 * There are fewer than `limit` of them, so most need no division to be known.
 */
static inline uint64_t sim_random_below(SimRandom *random, uint64_t limit)
{
    uint64_t value = sim_random_next(random);

    while (value < limit && value < -limit % limit) {
        value = sim_random_next(random);
    }
    return value % limit;
}

/*
 * An exponential gap of mean `mean_ns`: -ln(u) * mean, with the logarithm to
 * 32 fractional bits by repeated squaring.
 */
static inline uint64_t sim_random_exponential(SimRandom *random,
                                              uint64_t mean_ns)
{
    uint64_t u = sim_random_next(random) | 1;
    unsigned zeros = (unsigned)__builtin_clzll(u);
    uint64_t x = u << zeros; /* mantissa in [1, 2), 63 fractional bits */
    uint64_t log2 = 0;       /* of the mantissa, 32 fractional bits */

    for (int bit = 31; bit >= 0; bit--) {
        unsigned __int128 square = (unsigned __int128)x * x;

        x = (uint64_t)(square >> 63);
        if (square >> 127) {
            x = (uint64_t)(square >> 64);
            log2 |= UINT64_C(1) << bit;
        }
    }
    /* -log2(u) = zeros + 1 - log2(mantissa); ln 2 in 32 fractional bits. */
    log2 = ((uint64_t)(zeros + 1) << 32) - log2;
    return (uint64_t)(((unsigned __int128)log2 * UINT64_C(2977044471) >> 32) *
                      mean_ns >> 32);
}

#endif
