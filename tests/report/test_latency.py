# SPDX-License-Identifier: GPL-2.0-or-later
"""Distributions: percentiles, means, sums of several.

Knows nothing of files.
"""

import random
import unittest

from femu.results.latency import Distribution, merged, of_values

SEED = 20260131


class LatencyTest(unittest.TestCase):
    """Against sorted lists of the very values."""

    def test_percentiles_are_nearest_rank(self):
        rng = random.Random(SEED)
        for count in list(range(1, 25)) + [99, 100, 101, 200, 1000]:
            values = sorted(rng.randrange(50) for _ in range(count))
            latency = of_values(values)
            for percent in range(1, 101):
                # The smallest value with at least PERCENT % at or below it.
                expected = next(
                    value for idx, value in enumerate(values, 1)
                    if 100 * idx >= percent * count)
                self.assertEqual(latency.percentile_ns(percent), expected,
                                 'p%d of %s (seed %d)' % (percent, values,
                                                          SEED))

    def test_percentile_stays_within_minimum_and_maximum(self):
        # 725000 lies in the bucket of 720896, fio calls it 724992.
        for low_ns in (720896, 724992, 729088):
            latency = Distribution([(low_ns, 3)], 3 * 725000, 725000, 725000)
            self.assertEqual(latency.percentile_ns(50), 725000)
            self.assertEqual(latency.cdf(), ([725000], [1.0]))

    def test_mean_is_of_the_values_not_of_the_bins(self):
        self.assertEqual(Distribution([(64, 2)], 131, 65, 66).mean_ns, 65.5)

    def test_merged_is_the_distribution_of_all_values(self):
        rng = random.Random(SEED)
        parts = [[rng.randrange(30) for _ in range(count)]
                 for count in (1, 7, 40)]
        latency = merged([of_values(part) for part in parts] + [None])
        whole = of_values([value for part in parts for value in part])
        self.assertEqual(vars(latency), vars(whole))

    def test_merged_nothing_is_none(self):
        self.assertIsNone(merged([]))
        self.assertIsNone(merged([None, Distribution([], 0, 0, 0)]))

    def test_divided(self):
        latency = of_values([40, 80, 80]).divided(4)
        self.assertEqual(latency.bins, [(10, 1), (20, 2)])
        self.assertEqual((latency.count, latency.sum_ns, latency.min_ns,
                          latency.max_ns), (3, 50, 10, 20))

    def test_cdf_climbs_to_one(self):
        self.assertEqual(of_values([5, 5, 7, 9]).cdf(),
                         ([5, 7, 9], [0.5, 0.75, 1.0]))
