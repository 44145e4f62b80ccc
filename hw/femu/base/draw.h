/*
 * Random draws without a state: each is a function of the drive's seed and of
 * what it describes, so that an unrelated command never changes it.
 *
 * Knows nothing of what is drawn.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_DRAW_H
#define FEMU_DRAW_H

#include <stdint.h>

/* What a draw is for: equal keys of different kinds are independent. */
typedef enum DrawKind {
    DRAW_PAGE_TYPE = 1, /* cells, page */
    DRAW_PROGRAM_TIME,  /* cells, row and life */
    DRAW_SEGMENT,       /* unit, suspend points passed */
    DRAW_FRONT_AFTER,   /* zone, number of the write to it */
    DRAW_PAUSES,        /* likewise */
    DRAW_PAUSE,         /* likewise */
    DRAW_STRIPE_TIME,   /* stripe's cells, row and life */
    DRAW_UNDONE,        /* zone; the seed is that of a power cut */
    DRAW_LOST,          /* likewise */
    DRAW_ZONE_ORDER,    /* zone */
} DrawKind;

/* The finalizer of splitmix64 (Steele et al., OOPSLA 2014). */
static inline uint64_t draw_mix(uint64_t bits)
{
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return bits ^ (bits >> 31);
}

/* 64 fair bits for (kind, a, b). */
static inline uint64_t draw_bits(uint64_t seed, DrawKind kind, uint64_t a,
                                 uint64_t b)
{
    uint64_t bits = draw_mix(seed + kind * UINT64_C(0x9e3779b97f4a7c15));

    bits = draw_mix(bits + a * UINT64_C(0xd1342543de82ef95));
    return draw_mix(bits + b * UINT64_C(0xaef17502108ef2d9));
}

/* 0 <= result < below; below < 2^32. */
static inline uint64_t draw_below(uint64_t bits, uint64_t below)
{
    return ((bits >> 32) * below) >> 32;
}

/* Sum of four fair 16-bit numbers: this mean, this standard deviation. */
#define DRAW_SUM_MEAN INT64_C(131070)
#define DRAW_SUM_SD INT64_C(37837)

/*
 * A number near a normal distribution of mean 0 and standard deviation
 * `sd` < 2^40, never beyond 3.47 standard deviations.
 */
static inline int64_t draw_normal(uint64_t bits, int64_t sd)
{
    int64_t sum = (bits & 0xffff) + (bits >> 16 & 0xffff) +
                  (bits >> 32 & 0xffff) + (bits >> 48);

    return (sum - DRAW_SUM_MEAN) * sd / DRAW_SUM_SD;
}

/*
 * A number of an exponential distribution with this mean < 2^40. Of -ln(u) the
 * power of two in u gives multiples of ln 2, a table with linear interpolation
 * the rest: within 0.02 % of the true value.
 */
static inline uint64_t draw_exponential(uint64_t bits, uint64_t mean)
{
    /* -ln(1/2 + i/64), in 1/65536 */
    static const uint16_t log_table[33] = {
        45426, 43409, 41453, 39553, 37707, 35911, 34164, 32461, 30802,
        29184, 27605, 26063, 24556, 23083, 21643, 20233, 18854, 17502,
        16178, 14880, 13608, 12360, 11135, 9932, 8751, 7591, 6451,
        5331, 4230, 3146, 2081, 1032, 0,
    };
    uint32_t u = (bits >> 32) | 1;
    unsigned halvings = __builtin_clz(u);
    uint32_t shifted = u << halvings; /* in [1/2, 1) of 2^32 */
    uint32_t i = (shifted >> 26) & 31;
    uint32_t part = (shifted >> 10) & 0xffff;
    uint64_t log = log_table[i] -
                   ((uint64_t)(log_table[i] - log_table[i + 1]) * part >> 16);

    return mean * (log + halvings * UINT64_C(45426)) >> 16;
}

#endif
