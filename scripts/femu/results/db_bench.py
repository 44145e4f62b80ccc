# SPDX-License-Identifier: GPL-2.0-or-later
"""What db_bench, RocksDB's benchmark, says of each benchmark that it ran.

Knows nothing of the drive, and of how any of it is shown.
"""

import re
from dataclasses import dataclass, replace

from femu.common.json_file import DataError

NS_PER_US = 1000
LINE = re.compile(
    r'(?P<name>[a-zA-Z0-9]+) *: +(?P<us>[0-9.]+) micros/op '
    r'(?P<rate>[0-9.]+) ops/sec (?P<s>[0-9.]+) seconds (?P<ops>[0-9]+) '
    r'operations;(?: +(?P<mb>[0-9.]+) MB/s)?(?: \((?P<said>[^)]*)\))?')
COUNT = re.compile(r'Count: (\d+) +Average: ([0-9.]+)')
LIMITS = re.compile(r'Min: (\d+) +Median: [0-9.]+ +Max: (\d+)')
PERCENTILE = re.compile(r'P([0-9.]+): ([0-9.]+)')


@dataclass(frozen=True)
class Times:
    """One kind of operation (read, write, seek ...): how long each took, in ns.
    percentiles: {50: ns, 99: ns ...}, as db_bench interpolates them."""
    operation: str
    count: int
    mean_ns: int
    min_ns: int
    max_ns: int
    percentiles: dict

    def divided(self, divisor):
        """Return: the same with every time divided by DIVISOR."""
        return replace(
            self, mean_ns=self.mean_ns / divisor, min_ns=self.min_ns / divisor,
            max_ns=self.max_ns / divisor, percentiles={
                percent: time_ns / divisor
                for percent, time_ns in self.percentiles.items()})


@dataclass(frozen=True)
class Benchmark:
    """One of its benchmarks. mib_per_s is None where it says none; `said` is
    what it adds, such as how many keys were found; `times` is [] without
    --histogram. (db_bench divides by 2^20 and says MB.)"""
    name: str
    operations: int
    seconds: float
    per_s: float
    mib_per_s: float
    said: str
    times: list

    def divided(self, divisor):
        """Return: the same by a clock that is DIVISOR times slower."""
        return replace(
            self, seconds=self.seconds / divisor, per_s=self.per_s * divisor,
            mib_per_s=None if self.mib_per_s is None
            else self.mib_per_s * divisor,
            times=[times.divided(divisor) for times in self.times])


def load(path):
    """Return: the Benchmarks in the output file PATH, in order. Raises
    DataError."""
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            lines = file.read().splitlines()
    except OSError as error:
        raise DataError('cannot be read: %s' % error.strerror) from None
    found = []
    for number, line in enumerate(lines):
        match = LINE.match(line)
        if match:
            found.append(_benchmark(match))
        elif line.startswith('Microseconds per ') and found:
            found[-1].times.append(_times(
                line[len('Microseconds per '):].rstrip(':'),
                lines[number + 1:number + 4]))
    if not found:
        raise DataError('has no line "NAME : ... micros/op", such as db_bench '
                        'prints')
    return found


def _benchmark(match):
    return Benchmark(
        name=match['name'], operations=int(match['ops']),
        seconds=float(match['s']), per_s=float(match['rate']),
        mib_per_s=float(match['mb']) if match['mb'] else None,
        said=match['said'] or '', times=[])


def _ns(microseconds):
    return round(float(microseconds) * NS_PER_US)


def _times(operation, lines):
    text = '\n'.join(lines)
    count, limits = COUNT.search(text), LIMITS.search(text)
    if not count or not limits:
        raise DataError('has a histogram of %s that is cut short' % operation)
    return Times(operation, int(count[1]), _ns(count[2]),
                 _ns(limits[1]), _ns(limits[2]),
                 {float(percent): _ns(us)
                  for percent, us in PERCENTILE.findall(text)})
