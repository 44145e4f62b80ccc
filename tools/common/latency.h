/*
 * A distribution of latencies: exact count, sum, extremes and deviation, and
 * percentiles from buckets of at most 0.4 %.
 *
 * Knows nothing of what is measured.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_LATENCY_H
#define FEMU_SIM_LATENCY_H

#include <glib.h>
#include <stdint.h>

/* 256 buckets per octave; values below 512 have one each. */
#define SIM_LATENCY_SUB_BITS 8
#define SIM_LATENCY_BUCKETS ((64 - SIM_LATENCY_SUB_BITS + 1) << \
                             SIM_LATENCY_SUB_BITS)

typedef struct SimLatency {
    uint64_t count;
    uint64_t sum_ns;
    uint64_t min_ns; /* meaningless while count is 0 */
    uint64_t max_ns;
    unsigned __int128 sum_of_squares;
    uint64_t buckets[SIM_LATENCY_BUCKETS];
} SimLatency;

void sim_latency_add(SimLatency *latency, uint64_t value_ns);

/* Add all that `more` has. */
void sim_latency_merge(SimLatency *latency, const SimLatency *more);

/*
 * Nearest-rank percentile; `per_million` is 1 to 1000000. The middle of the
 * bucket that holds it, kept within min and max. 0 while empty.
 */
uint64_t sim_latency_percentile(const SimLatency *latency,
                                uint32_t per_million);

/* Rounded down; 0 while empty. */
uint64_t sim_latency_mean(const SimLatency *latency);
/* Of a sample, as fio's: its squares over one less than the count. */
double sim_latency_stddev(const SimLatency *latency);

#endif
