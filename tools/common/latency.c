/*
 * Log-linear buckets: the octave of a value, then its next eight bits.
 *
 * Knows nothing of what is measured.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "latency.h"

#include <math.h>

static unsigned bucket_of(uint64_t value)
{
    unsigned shift;

    if (value < (2u << SIM_LATENCY_SUB_BITS)) {
        return (unsigned)value;
    }
    shift = 63 - (unsigned)__builtin_clzll(value) - SIM_LATENCY_SUB_BITS;
    return (shift << SIM_LATENCY_SUB_BITS) + (unsigned)(value >> shift);
}

static uint64_t bucket_middle(unsigned bucket)
{
    unsigned shift;

    if (bucket < (2u << SIM_LATENCY_SUB_BITS)) {
        return bucket;
    }
    shift = (bucket >> SIM_LATENCY_SUB_BITS) - 1;
    return ((uint64_t)(bucket - (shift << SIM_LATENCY_SUB_BITS)) << shift) +
           (UINT64_C(1) << shift) / 2;
}

void sim_latency_add(SimLatency *latency, uint64_t value_ns)
{
    if (latency->count == 0 || value_ns < latency->min_ns) {
        latency->min_ns = value_ns;
    }
    latency->max_ns = MAX(latency->max_ns, value_ns);
    latency->count++;
    latency->sum_ns += value_ns;
    latency->sum_of_squares += (unsigned __int128)value_ns * value_ns;
    latency->buckets[bucket_of(value_ns)]++;
}

void sim_latency_merge(SimLatency *latency, const SimLatency *more)
{
    if (more->count == 0) {
        return;
    }
    if (latency->count == 0 || more->min_ns < latency->min_ns) {
        latency->min_ns = more->min_ns;
    }
    latency->max_ns = MAX(latency->max_ns, more->max_ns);
    latency->count += more->count;
    latency->sum_ns += more->sum_ns;
    latency->sum_of_squares += more->sum_of_squares;
    for (unsigned i = 0; i < SIM_LATENCY_BUCKETS; i++) {
        latency->buckets[i] += more->buckets[i];
    }
}

uint64_t sim_latency_percentile(const SimLatency *latency,
                                uint32_t per_million)
{
    uint64_t rank, seen = 0;
    unsigned bucket = 0;

    if (latency->count == 0) {
        return 0;
    }
    rank = (uint64_t)(((unsigned __int128)latency->count * per_million +
                       999999) / 1000000);
    while (seen + latency->buckets[bucket] < rank) {
        seen += latency->buckets[bucket++];
    }
    return CLAMP(bucket_middle(bucket), latency->min_ns, latency->max_ns);
}

uint64_t sim_latency_mean(const SimLatency *latency)
{
    return latency->count > 0 ? latency->sum_ns / latency->count : 0;
}

double sim_latency_stddev(const SimLatency *latency)
{
    unsigned __int128 squares = latency->sum_of_squares * latency->count;
    unsigned __int128 sum = latency->sum_ns;

    if (latency->count < 2) {
        return 0;
    }
    return sqrt((double)(squares - sum * sum) / (double)latency->count /
                (double)(latency->count - 1));
}
