// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Latencies of zns-load in fio's buckets: 64 to the octave, each shown as its
 * middle. Count, sum, least and greatest are exact.
 *
 * Knows nothing of what takes the time.
 */
#include <math.h>
#include "zns-load.h"

#define BUCKET_BITS 6
#define OCTAVES (64 - BUCKET_BITS)
#define BUCKETS ((OCTAVES + 1) << BUCKET_BITS)

/* Values below 2 << BUCKET_BITS have a bucket each. */
static unsigned bucket_of(uint64_t value_ns)
{
    unsigned bits = 0;

    while (value_ns >> bits > 1) {
        bits++;
    }
    if (bits <= BUCKET_BITS) {
        return value_ns;
    }
    return ((bits - BUCKET_BITS) << BUCKET_BITS) +
           (value_ns >> (bits - BUCKET_BITS));
}

static uint64_t middle_of(unsigned bucket)
{
    unsigned shift;

    if (bucket < 2 << BUCKET_BITS) {
        return bucket;
    }
    shift = (bucket >> BUCKET_BITS) - 1;
    return ((uint64_t)(bucket - (shift << BUCKET_BITS)) << shift) +
           (1ULL << shift) / 2;
}

static void need_buckets(Latency *latency)
{
    if (latency->buckets == NULL) {
        latency->buckets = allocate(BUCKETS, sizeof(uint64_t));
        latency->min_ns = UINT64_MAX;
    }
}

void latency_add(Latency *latency, uint64_t value_ns, uint64_t bytes)
{
    need_buckets(latency);
    latency->count++;
    latency->bytes += bytes;
    latency->sum_ns += value_ns;
    latency->square_sum += (double)value_ns * (double)value_ns;
    if (value_ns < latency->min_ns) {
        latency->min_ns = value_ns;
    }
    if (value_ns > latency->max_ns) {
        latency->max_ns = value_ns;
    }
    latency->buckets[bucket_of(value_ns)]++;
}

void latency_merge(Latency *latency, const Latency *other)
{
    if (other->count == 0) {
        return;
    }
    need_buckets(latency);
    latency->count += other->count;
    latency->bytes += other->bytes;
    latency->sum_ns += other->sum_ns;
    latency->square_sum += other->square_sum;
    if (other->min_ns < latency->min_ns) {
        latency->min_ns = other->min_ns;
    }
    if (other->max_ns > latency->max_ns) {
        latency->max_ns = other->max_ns;
    }
    for (unsigned i = 0; i < BUCKETS; i++) {
        latency->buckets[i] += other->buckets[i];
    }
}

double latency_stddev(const Latency *latency)
{
    double count = (double)latency->count;
    double mean, variance;

    if (latency->count < 2) {
        return 0;
    }
    mean = (double)latency->sum_ns / count;
    variance = (latency->square_sum - count * mean * mean) / (count - 1);
    return variance > 0 ? sqrt(variance) : 0;
}

uint64_t latency_percentile(const Latency *latency, uint32_t per_million)
{
    uint64_t rank = (latency->count * per_million + 999999) / 1000000;
    uint64_t seen = 0;

    for (unsigned i = 0; i < BUCKETS && latency->count > 0; i++) {
        seen += latency->buckets[i];
        if (seen >= rank && seen > 0) {
            return middle_of(i);
        }
    }
    return 0;
}

bool latency_next_bucket(const Latency *latency, unsigned *idx,
                         uint64_t *value_ns, uint64_t *count)
{
    for (; latency->buckets && *idx < BUCKETS; (*idx)++) {
        if (latency->buckets[*idx] > 0) {
            *value_ns = middle_of(*idx);
            *count = latency->buckets[(*idx)++];
            return true;
        }
    }
    return false;
}
