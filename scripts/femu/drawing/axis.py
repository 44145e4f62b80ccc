# SPDX-License-Identifier: GPL-2.0-or-later
"""Axes of time: where their marks are and how these are written.

Knows nothing of what is drawn between them.
"""

import math

from matplotlib.ticker import (FixedLocator, FuncFormatter, MaxNLocator,
                               NullFormatter, NullLocator)

from femu.common.numbers import short_time

# Either end of an axis is at least this factor beyond the values on it.
LEAST_MARGIN = 1.03
# An axis that spans less than this factor is as good as linear.
LINEAR_BELOW = 1.6
# Mantissas of tick marks, the roundest first.
ROUND_FACTORS = ((1,), (2, 5), (3,), (1.5, 4, 7), (2.5, 6, 8, 9))
# An axis that spans more than this factor uses the first two groups only.
WIDE_FROM = 200
# Least distance of tick marks, as a part of the axis's length.
MIN_TICK_DISTANCE = 0.14


def time_range(latencies):
    """Return: (low_ns, high_ns) of a logarithmic axis on which LATENCIES have
    room; low is above 0: what took no time is drawn at the left edge."""
    high_ns = max(latency.max_ns for latency in latencies)
    positive = [value_ns for latency in latencies
                for value_ns, _ in latency.bins if value_ns > 0]
    low_ns = min(positive, default=1)
    if any(latency.min_ns <= 0 for latency in latencies):
        low_ns /= 10
    else:
        low_ns = min([low_ns] + [latency.min_ns for latency in latencies])
    high_ns = max(high_ns, low_ns)
    margin = max((high_ns / low_ns) ** 0.05, LEAST_MARGIN)
    return low_ns / margin, high_ns * margin


def time_axis(axes, low_ns, high_ns, which='x'):
    """Make the WHICH axis of AXES a logarithmic time from LOW_NS to HIGH_NS."""
    axes.set(**{which + 'scale': 'log', which + 'lim': (low_ns, high_ns)})
    axis = getattr(axes, which + 'axis')
    axis.set_major_locator(FixedLocator(log_ticks(low_ns, high_ns)))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(
        FuncFormatter(lambda value, _: short_time(value)))


def log_ticks(low_ns, high_ns):
    """Return: marks for a logarithmic axis: the roundest numbers that leave
    each other room."""
    if high_ns / low_ns < LINEAR_BELOW:
        return _within(MaxNLocator(nbins=5).tick_values(low_ns, high_ns),
                       low_ns, high_ns)
    least = MIN_TICK_DISTANCE * math.log10(high_ns / low_ns)
    powers = range(math.floor(math.log10(low_ns)),
                   math.ceil(math.log10(high_ns)) + 1)
    ticks = []
    wide = high_ns / low_ns > WIDE_FROM
    for factors in ROUND_FACTORS[:2] if wide else ROUND_FACTORS:
        for tick in _within((factor * 10.0 ** power for power in powers
                             for factor in factors), low_ns, high_ns):
            if all(abs(math.log10(tick / other)) >= least for other in ticks):
                ticks.append(tick)
    return sorted(ticks)


def _within(ticks, low_ns, high_ns):
    return [tick for tick in ticks if low_ns <= tick <= high_ns]


def place(fig, left_in, right_in, bottom_in, top_in):
    """Give the axes of FIG these margins."""
    width_in, height_in = fig.get_size_inches()
    fig.subplots_adjust(left=left_in / width_in, right=1 - right_in / width_in,
                        bottom=bottom_in / height_in,
                        top=1 - top_in / height_in)
