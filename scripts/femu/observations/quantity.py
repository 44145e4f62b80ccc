# SPDX-License-Identifier: GPL-2.0-or-later
"""A number that an observation is about, and the band around the measured value
in which the simulated one must be.

Knows nothing of what is observed.
"""


class Band:
    """How far a quantity may be off what was measured, either way: `width` in
    percent of it, or, of a quantity that is in percent itself, in points.
    `why` is the width's reason."""

    def __init__(self, width, why):
        self.width = width
        self.why = why


class Quantity:
    """A number that `take` reads from a bench, which is one of: measurements,
    simulations, a guest.

    measured: the measured value if the points do not have it; else None.
    """

    def __init__(self, name, unit, take, band, measured=None):
        self.name = name
        self.unit = unit
        self.take = take
        self.band = band
        self.measured = measured

    def measured_of(self, points):
        """Return: the measured value, its own or the one from the bench
        POINTS."""
        return self.take(points) if self.measured is None else self.measured

    def limits(self, measured):
        """Return: the least and the most that the simulated value may be."""
        off = self.band.width if self.unit == '%' else \
            abs(measured) * self.band.width / 100
        return measured - off, measured + off


def judge(quantities, bench, points):
    """Return: (whether all quantities of BENCH are in their bands around those
    of POINTS, a line for each)."""
    lines, holds = [], True
    for one in quantities:
        measured, ours = one.measured_of(points), one.take(bench)
        least, most = one.limits(measured)
        inside = least <= ours <= most
        holds &= inside
        lines.append('%-4s%s: %.4g %s, measured %.4g, allowed %.4g to %.4g' % (
            '' if inside else 'OUT', one.name, ours, one.unit, measured, least,
            most))
    return holds, lines
