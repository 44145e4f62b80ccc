/*
 * A latency histogram with exact counts.
 *
 * Knows nothing of what is measured.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_histogram.h"

#include <inttypes.h>
#include <string.h>

/* log2 of the buckets per octave. */
enum { SUB_BITS = 6 };

/*
 * Below 2^SUB_BITS and in the octave above, each value has its own bucket:
 * nothing is shifted away. Further up the shifted value has SUB_BITS + 1 bits,
 * of which the highest counts as one octave more.
 */
static unsigned bucket_of(uint64_t value)
{
    unsigned highest = 63 ^ __builtin_clzll(value | UINT64_C(1) << SUB_BITS);
    unsigned octave = highest - SUB_BITS;

    return (octave << SUB_BITS) + (value >> octave);
}

static uint64_t low_of(unsigned bucket)
{
    unsigned octave = bucket >> SUB_BITS;
    uint64_t sub = bucket & ((1u << SUB_BITS) - 1);

    return octave == 0 ? sub
                       : ((UINT64_C(1) << SUB_BITS) + sub) << (octave - 1);
}

void ssd_histogram_clear(SsdHistogram *histogram)
{
    memset(histogram, 0, sizeof(*histogram));
}

void ssd_histogram_add(SsdHistogram *histogram, uint64_t value)
{
    if (histogram->count++ == 0 || value < histogram->min) {
        histogram->min = value;
    }
    if (value > histogram->max) {
        histogram->max = value;
    }
    histogram->sum += value;
    histogram->buckets[bucket_of(value)]++;
}

bool ssd_histogram_fits(const SsdHistogram *histogram)
{
    uint64_t left = histogram->count;
    uint64_t beyond = 0;
    unsigned i;

    for (i = 0; i < SSD_HISTOGRAM_BUCKETS && left != 0; i++) {
        if (histogram->buckets[i] > left) {
            return false;
        }
        left -= histogram->buckets[i];
    }
    for (; i < SSD_HISTOGRAM_BUCKETS; i++) {
        beyond |= histogram->buckets[i];
    }
    return left == 0 && beyond == 0;
}

uint64_t ssd_histogram_bucket_low(uint64_t value)
{
    return low_of(bucket_of(value));
}

uint64_t ssd_histogram_percentile(const SsdHistogram *histogram,
                                  unsigned percent)
{
    uint64_t rank = histogram->count / 100 * percent +
                    (histogram->count % 100 * percent + 99) / 100;
    uint64_t seen = histogram->buckets[0];
    unsigned bucket = 0;

    while (seen < rank) {
        seen += histogram->buckets[++bucket];
    }
    return CLAMP(low_of(bucket), histogram->min, histogram->max);
}

void ssd_histogram_json(const SsdHistogram *histogram, const char *unit,
                        GString *json)
{
    static const unsigned percents[] = { 50, 95, 99 };
    const char *comma = "";

    g_string_append_printf(json,
                           "\"count\":%" PRIu64 ",\"sum%s\":%" PRIu64
                           ",\"min%s\":%" PRIu64 ",\"max%s\":%" PRIu64,
                           histogram->count, unit, histogram->sum,
                           unit, histogram->min, unit, histogram->max);
    for (unsigned i = 0; i < G_N_ELEMENTS(percents); i++) {
        g_string_append_printf(json, ",\"p%u%s\":%" PRIu64, percents[i], unit,
                               ssd_histogram_percentile(histogram,
                                                        percents[i]));
    }
    g_string_append(json, ",\"histogram\":[");
    for (unsigned bucket = 0; bucket < SSD_HISTOGRAM_BUCKETS; bucket++) {
        if (histogram->buckets[bucket]) {
            g_string_append_printf(json, "%s[%" PRIu64 ",%" PRIu64 "]", comma,
                                   low_of(bucket), histogram->buckets[bucket]);
            comma = ",";
        }
    }
    g_string_append_c(json, ']');
}
