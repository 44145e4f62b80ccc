# SPDX-License-Identifier: GPL-2.0-or-later
"""Axes of time: where their marks are and how these are written.

Knows nothing of what is drawn between them.
"""

import math

from matplotlib.ticker import (FixedLocator, FuncFormatter, MaxNLocator,
                               NullFormatter, NullLocator)

from femu.report_text import short_time

# No axis is narrower than this on either side of what is on it.
LEAST_MARGIN = 1.03


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
    margin = max((high_ns / low_ns) ** 0.04, LEAST_MARGIN)
    return low_ns / margin, high_ns * margin


def time_axis(axes, low_ns, high_ns):
    """Make the x axis of AXES a logarithmic time from LOW_NS to HIGH_NS."""
    axes.set_xscale('log')
    axes.set_xlim(low_ns, high_ns)
    decades = math.log10(high_ns / low_ns)
    if decades < 1:
        locator = FixedLocator(_few_ticks(low_ns, high_ns))
    else:
        locator = FixedLocator(_decade_ticks(low_ns, high_ns, decades))
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _: short_time(value)))


def _few_ticks(low_ns, high_ns):
    ticks = MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]).tick_values(
        low_ns, high_ns)
    return [tick for tick in ticks if low_ns <= tick <= high_ns]


def _decade_ticks(low_ns, high_ns, decades):
    factors = (1,) if decades > 4 else (1, 3) if decades > 2 else (1, 2, 5)
    step = max(1, round(decades / 6))
    first = math.floor(math.log10(low_ns))
    ticks = [factor * 10.0 ** power
             for power in range(first, first + math.ceil(decades) + 2)
             if power % step == 0 for factor in factors]
    return [tick for tick in ticks if low_ns <= tick <= high_ns]


def place(fig, left_in, right_in, bottom_in, top_in):
    """Give the axes of FIG these margins."""
    width_in, height_in = fig.get_size_inches()
    fig.subplots_adjust(left=left_in / width_in, right=1 - right_in / width_in,
                        bottom=bottom_in / height_in,
                        top=1 - top_in / height_in)
