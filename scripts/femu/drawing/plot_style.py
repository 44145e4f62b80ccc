# SPDX-License-Identifier: GPL-2.0-or-later
"""How curves and axes look in figures and validations: every curve has a
colour, a marker and a dash of its own, and none hides another.

Knows nothing of what is drawn.
"""

import math

from matplotlib.ticker import (FixedLocator, FuncFormatter, MaxNLocator,
                               NullLocator)

from femu.common.numbers import short_time
from femu.drawing.axis import log_ticks
from femu.drawing.svg import COLOUR

COLOURS = ('blue', 'vermilion', 'orange', 'green', 'purple', 'sky', 'grey')
MARKERS = 'os^Dv<>p'
DASHES = ('-', (0, (5, 2.5)), (0, (2, 2.2)), (0, (6, 2, 1.5, 2)),
          (0, (3.5, 2)))
# The first curve is the widest: those that lie on it leave its edges free, and
# it is seen between their dashes.
WIDEST_PT, NARROWEST_PT = 3.4, 1.3
LARGEST_PT, SMALLEST_PT = 6.0, 3.0
NS_PER_US = 1000
# Values that span more than this factor are drawn on a logarithmic axis.
LINEAR_BELOW = 30
# Counts that span at least this factor are drawn to the base of 2.
DOUBLES_FROM = 8
MOST_TICKS = 8


def look(idx, count):
    """Return: how curve IDX of COUNT is drawn, as arguments of plot()."""
    far = idx / max(1, count - 1)
    return {'color': COLOUR[COLOURS[idx % len(COLOURS)]],
            'marker': MARKERS[idx % len(MARKERS)],
            'linestyle': DASHES[idx % len(DASHES)],
            'linewidth': WIDEST_PT * (1 - far) + NARROWEST_PT * far,
            'markersize': LARGEST_PT * (1 - far) + SMALLEST_PT * far,
            'markeredgewidth': 0}


def hollow(curve):
    """Return: how what was measured for a curve that has the look CURVE is
    drawn: its marker, larger and empty."""
    return {**curve, 'linestyle': 'none', 'fillstyle': 'none',
            'markersize': curve['markersize'] + 2.5, 'markeredgewidth': 1}


def number(value):
    """Return: a number on an axis or at a bar."""
    return format(value, ',.0f') if value >= 1000 else '%.3g' % value


def time_us(value):
    """Return: a time in us, with the unit that suits it."""
    return short_time(value * NS_PER_US) if value else '0'


def value_axis(axes, which, values, text):
    """Makes the axis WHICH, 'x' or 'y', one of VALUES, of which TEXT makes
    texts: linear from 0, so that a difference of 1 % looks as small as it is,
    or logarithmic."""
    axis = getattr(axes, which + 'axis')
    positive = [value for value in values if value > 0]
    if positive and max(positive) > LINEAR_BELOW * min(positive):
        margin = (max(positive) / min(positive)) ** 0.05
        low, high = min(positive) / margin, max(positive) * margin
        getattr(axes, 'set_%sscale' % which)('log')
        axis.set_major_locator(FixedLocator(log_ticks(low, high)))
        axis.set_minor_locator(NullLocator())
    else:
        low, high = 0, 1.1 * (max(values, default=0) or 1)
        axis.set_major_locator(MaxNLocator(5))
    getattr(axes, 'set_%slim' % which)(low, high)
    axis.set_major_formatter(FuncFormatter(lambda value, _: text(value)))


def count_axis(axes, places):
    """Makes the x axis of AXES one of counts, with curves at PLACES: to the
    base of 2 if they span enough, with marks at PLACES if these are few."""
    places = sorted(set(places))
    if places[0] > 0 and places[-1] >= DOUBLES_FROM * places[0]:
        axes.set_xscale('log', base=2)
        axes.xaxis.set_minor_locator(NullLocator())
        places = [2.0 ** power for power in range(-1, 40)
                  if places[0] <= 2.0 ** power <= places[-1]]
        places = places[::math.ceil(len(places) / MOST_TICKS)]
    if len(places) <= MOST_TICKS:
        axes.xaxis.set_major_locator(FixedLocator(places))
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _: format(value, ',g')))
