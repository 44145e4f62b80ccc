# SPDX-License-Identifier: GPL-2.0-or-later
"""How latencies and throughput went over time: sums over stretches of time of
equal length. There are at most MAX_STRETCHES: a longer step has longer
stretches. The sums are exact.

Knows nothing of files, and of who gave the commands.
"""

import numpy as np

MAX_STRETCHES = 256
FIRST_STRETCH_NS = 1000
# A line's columns: how two stretches are merged, and the value of a stretch
# without commands.
COLUMNS = {'count': (np.add, 0), 'data_bytes': (np.add, 0),
           'sum_ns': (np.add, 0), 'max_ns': (np.maximum, 0),
           'min_ns': (np.minimum, np.iinfo(np.int64).max)}


class Line:
    """Arrays with a value for each stretch: how many commands ended in it, how
    many bytes they had, and the sum, minimum and maximum of their latencies."""

    def __init__(self):
        for name, (_, nothing) in COLUMNS.items():
            setattr(self, name, np.full(MAX_STRETCHES, nothing, np.int64))

    def add(self, idx, latency_ns, data_bytes):
        """Adds commands that ended in the stretches IDX."""
        order = np.argsort(idx, kind='stable')
        latency_ns, data_bytes = latency_ns[order], data_bytes[order]
        used, starts, counts = np.unique(idx[order], return_index=True,
                                         return_counts=True)
        self.count[used] += counts
        self.data_bytes[used] += np.add.reduceat(data_bytes, starts)
        self.sum_ns[used] += np.add.reduceat(latency_ns, starts)
        self.min_ns[used] = np.minimum(
            self.min_ns[used], np.minimum.reduceat(latency_ns, starts))
        self.max_ns[used] = np.maximum(
            self.max_ns[used], np.maximum.reduceat(latency_ns, starts))

    def plus(self, other):
        """Return: the sum of this line and OTHER."""
        both = Line()
        for name, (join, _) in COLUMNS.items():
            setattr(both, name, join(getattr(self, name),
                                     getattr(other, name)))
        return both

    def halve(self):
        """Merges each two stretches into one."""
        half = MAX_STRETCHES // 2
        for name, (join, nothing) in COLUMNS.items():
            old = getattr(self, name)
            new = np.full(MAX_STRETCHES, nothing, np.int64)
            new[:half] = join(old[::2], old[1::2])
            setattr(self, name, new)


class Series:
    """The Lines of one step, by any key, over the same stretches: number i
    begins at begin_ns + i * stretch_ns. Those in use are the first `used`."""

    def __init__(self, begin_ns):
        self.begin_ns = begin_ns
        self.stretch_ns = FIRST_STRETCH_NS
        self.used = 0
        self.end_ns = begin_ns
        self.lines = {}

    def make_room(self, end_ns):
        """Makes the stretches reach up to END_NS."""
        while end_ns - self.begin_ns >= MAX_STRETCHES * self.stretch_ns:
            self.stretch_ns *= 2
            self.used = (self.used + 1) // 2
            for line in self.lines.values():
                line.halve()
        self.used = max(self.used, 1 + max(0, end_ns - self.begin_ns)
                        // self.stretch_ns)
        self.end_ns = max(self.end_ns, end_ns)

    def last_part(self):
        """Return: how much of the last stretch has passed, 0..1."""
        return (self.end_ns - self.begin_ns) / self.stretch_ns - self.used + 1

    def add(self, key, end_ns, latency_ns, data_bytes):
        """Adds commands of KEY that ended at END_NS; all but KEY are arrays.
        Those that ended before begin_ns count in the first stretch."""
        self.make_room(int(end_ns.max()))
        idx = np.maximum(0, (end_ns - self.begin_ns) // self.stretch_ns)
        self.lines.setdefault(key, Line()).add(idx, latency_ns, data_bytes)
