# SPDX-License-Identifier: GPL-2.0-or-later
"""A latency distribution: counts per value, with exact sum, minimum and
maximum; the same for the drive's histogram, fio's bins and single values.

Knows nothing of files, and of who measured what.
"""


class Distribution:
    """BINS is [(value_ns, count)], sorted by value, every count above 0. The
    value that stands for a bin may lie outside of what was measured: it is
    moved to the minimum or maximum then."""

    def __init__(self, bins, sum_ns, min_ns, max_ns):
        self.bins = [(min(max(value_ns, min_ns), max_ns), count)
                     for value_ns, count in bins]
        self.count = sum(count for _, count in bins)
        self.sum_ns = sum_ns
        self.min_ns = min_ns
        self.max_ns = max_ns

    @property
    def mean_ns(self):
        """The arithmetic mean; only if count is not 0."""
        return self.sum_ns / self.count

    def percentile_ns(self, percent):
        """Return: the nearest-rank percentile, as exact as the bins are; only
        if count is not 0. PERCENT has one digit behind the point at most."""
        rank = max(1, -(-self.count * round(percent * 10) // 1000))
        seen = 0
        for value_ns, count in self.bins:
            seen += count
            if seen >= rank:
                return value_ns
        raise AssertionError('rank %d of %d' % (rank, self.count))

    def divided(self, divisor):
        """Return: the same with every time divided by DIVISOR."""
        if divisor == 1:
            return self
        return Distribution([(value_ns / divisor, count)
                             for value_ns, count in self.bins],
                            self.sum_ns / divisor, self.min_ns / divisor,
                            self.max_ns / divisor)

    def cdf(self):
        """Return: (times_ns, shares), the corners of the cumulative
        distribution: it steps up to shares[i] at times_ns[i]."""
        times_ns, shares, seen = [], [], 0
        for value_ns, count in self.bins:
            seen += count
            times_ns.append(value_ns)
            shares.append(seen / self.count)
        return times_ns, shares


def of_values(values_ns):
    """Return: the Distribution of single, exact values (at least one)."""
    counts = {}
    for value_ns in values_ns:
        counts[value_ns] = counts.get(value_ns, 0) + 1
    return Distribution(sorted(counts.items()), sum(values_ns),
                        min(values_ns), max(values_ns))


def merged(distributions):
    """Return: the Distribution of all commands of DISTRIBUTIONS together, or
    None if there is no command in them."""
    parts = [part for part in distributions if part and part.count]
    if not parts:
        return None
    if len(parts) == 1:
        return parts[0]
    counts = {}
    for part in parts:
        for value_ns, count in part.bins:
            counts[value_ns] = counts.get(value_ns, 0) + count
    return Distribution(sorted(counts.items()),
                        sum(part.sum_ns for part in parts),
                        min(part.min_ns for part in parts),
                        max(part.max_ns for part in parts))
