/*
 * A latency histogram with exact counts: log-linear buckets, 64 per octave, so
 * a bucket is at most 1.6 % wide and values below 64 are exact.
 *
 * Knows nothing of what is measured. No floating point.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SSD_HISTOGRAM_H
#define FEMU_SSD_HISTOGRAM_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define SSD_HISTOGRAM_BUCKETS 3776

typedef struct SsdHistogram {
    uint64_t count;
    uint64_t sum;
    uint64_t min; /* meaningless while count is 0 */
    uint64_t max;
    uint64_t buckets[SSD_HISTOGRAM_BUCKETS];
} SsdHistogram;

void ssd_histogram_clear(SsdHistogram *histogram);
void ssd_histogram_add(SsdHistogram *histogram, uint64_t value);

/*
 * Is each value that has been counted in a bucket? Percentiles find it there,
 * so one that comes from elsewhere must be asked.
 */
bool ssd_histogram_fits(const SsdHistogram *histogram);

/* Lowest value of the bucket that holds `value`. */
uint64_t ssd_histogram_bucket_low(uint64_t value);

/*
 * Nearest-rank percentile, `percent` in 1..100: the lowest value of the bucket
 * that holds it, kept within min and max. 0 while empty.
 */
uint64_t ssd_histogram_percentile(const SsdHistogram *histogram,
                                  unsigned percent);

/*
 * Append the members "count", "sum<unit>", "min<unit>", "max<unit>",
 * "p50<unit>", "p95<unit>", "p99<unit>" and "histogram":[[low,count],...] to
 * `json`, without the braces around them. `unit` is such as "_ns".
 */
void ssd_histogram_json(const SsdHistogram *histogram, const char *unit,
                        GString *json);

#endif
