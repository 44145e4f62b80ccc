# SPDX-License-Identifier: GPL-2.0-or-later
"""A point of a figure, the run that gives it, and how it is read from that.

Knows nothing of which figures there are.
"""

from femu.common.simulator import Op, SimError, fio_bucket_us


class Point:
    """A point of a figure: `theirs` is the published value and `ours`, once it
    has been run, the simulated one.

    theirs: the number to be compared with, or None.
    base: the point that ours is given as a multiple of, or None.
    x_label: what the x axis is called where the figure's name does not say.
    """

    def __init__(self, figure, series, x, metric, theirs):
        self.figure = figure
        self.series = series
        self.x = x
        self.metric = metric
        self.theirs = theirs
        self.base = None
        self.x_label = None
        self.ours = None

    def error_pct(self):
        """Return: how far ours is off theirs, in percent; None if unknown."""
        if self.theirs is None or self.ours is None:
            return None
        return 100 * (self.ours - self.theirs) / self.theirs


class Experiment:
    """One run, and the points that it gives: [(Point, pick)], where pick
    takes the run's results to a number."""

    def __init__(self, run, points):
        self.run = run
        self.points = points


def pick(job_name, op_name, metric):
    """Return: a function from a run's results to kiops, p95_us, mean_us...;
    it raises SimError if the run has none."""
    def take(result):
        made = Op(result[job_name], op_name)
        if made.count == 0:
            raise SimError('its job "%s" has done no %s' % (job_name, op_name))
        if metric == 'kiops':
            return made.iops / 1000
        if metric == 'p95_us':
            return fio_bucket_us(made.percentile_us(95.0))
        if metric == 'max_us':
            return made.max_us
        return made.mean_us
    return take
