# SPDX-License-Identifier: GPL-2.0-or-later
"""A search for parameters that is built on who says what.

It asks first how much each point moves with each parameter (the slopes), then
sets each parameter by the points that are mostly its own, over its whole range
(so that no start is too far off), and then all of them together, by steps of
Gauss and Newton with weights that make a sum of absolute values of the squares.
The last slopes say how well each parameter is known.

All positions are logarithms, all residuals ln(model / measured). Knows nothing
of simulations, drives and experiments: it is given a function.
"""

import collections
import math

import numpy

STEP = math.log(1.1)        # of a parameter, for the first slopes
FINE_STEP = math.log(1.03)  # ... and for later ones
MOVES = 0.02                # a point that moves less says nothing of a parameter
OWN = 0.6                   # of a point's slopes: it is mostly that parameter's
SCAN = 7                    # places over a parameter's range
LONGEST_STEP = 0.3
SMALL = 0.002               # residuals below are as good as none
MOST_STEPS = 10
ENOUGH = 0.001              # a step that gains less of the error is the last
MAD_SIGMA = 1.4826          # of the median of |residual|, for a normal spread
# Sums of absolute values are made small, not sums of squares: what they come to
# scatters by so much more, where the residuals' spread is normal.
SCATTER = math.sqrt(math.pi / 2)
# Student's 97.5th percentiles, by the number of measurements beyond those that
# the parameters take: (number, percentile).
STUDENT = ((1, 12.706), (1.5, 6.046), (2, 4.303), (3, 3.182), (4, 2.776),
           (5, 2.571), (7, 2.365), (10, 2.228), (20, 2.086), (40, 2.021),
           (math.inf, 1.960))
RIDGE = 1e-9                # of the slopes' squares: what they cannot tell apart
UNKNOWN = 0.4               # a parameter known no better than this is not known


class Known:
    """What is known of a parameter in the end: the half width of its 95 %
    interval (of its logarithm), None if the points do not say; the points that
    say most, [(slope, key)]; and whether the search came to an end of its range,
    behind which it may be."""

    def __init__(self, width, points):
        self.width = width
        self.points = points
        self.is_at_end = False

    @property
    def is_known(self):
        """Return: whether the points say what the parameter is."""
        return not self.is_at_end and self.width is not None and \
            self.width < UNKNOWN


def student(spare):
    """Return: how many deviations 95 % are, when their size is known from SPARE
    measurements, 1 at least."""
    return math.exp(numpy.interp(
        -1 / spare, [-1 / number for number, _ in STUDENT],
        [math.log(percentile) for _, percentile in STUDENT]))


class Search:
    """residuals(position, keys) returns {key: residual} of those points (all
    if keys is None); it raises StopIteration when it may not be asked any
    more. bounds: (low, high) of each parameter. tell(text) is told how far the
    search is. Points of which measurement_of(key) is the same are of one
    measurement, and off together."""

    def __init__(self, residuals, start, bounds, tell,
                 measurement_of=lambda key: key):
        self._ask = residuals
        self._measurement_of = measurement_of
        self._low, self._high = (numpy.array(side) for side in zip(*bounds))
        self._tell = tell
        self.place = numpy.array(start, dtype=float)
        self._now = residuals(self.place, None)
        self.keys = list(self._now)
        self._slopes = None
        self.known = [Known(None, []) for _ in start]

    @property
    def error(self):
        """Return: the mean of |residual|."""
        return float(numpy.mean(numpy.abs(self._vector(self._now))))

    def _vector(self, found):
        return numpy.array([found[key] for key in self.keys])

    def _moved(self, idx, step):
        """Return: the place with a parameter moved by a step, or back by it
        where it is at its end; and the step."""
        place = self.place.copy()
        if place[idx] + step > self._high[idx]:
            step = -step
        place[idx] += step
        return place, step

    def _measure_slopes(self, step):
        """Asks about each parameter, but only those points that it moved the
        last time."""
        slopes = numpy.zeros((len(self.keys), len(self.place)))
        for idx in range(len(self.place)):
            asked = None if self._slopes is None else [
                key for key, slope in zip(self.keys, self._slopes[:, idx])
                if abs(slope) >= MOVES / 2]
            if asked == []:
                continue
            place, moved = self._moved(idx, step)
            found = self._ask(place, asked)
            for row, key in enumerate(self.keys):
                if key in found:
                    slopes[row, idx] = (found[key] - self._now[key]) / moved
        self._slopes = slopes

    def _own(self, idx):
        """Return: the points that move mostly with one parameter."""
        sums = numpy.abs(self._slopes).sum(axis=1)
        mine = numpy.abs(self._slopes[:, idx])
        return [key for key, slope, all_of_them in zip(self.keys, mine, sums)
                if slope >= MOVES and slope >= OWN * all_of_them]

    def _told(self):
        """Return: those parameters of which a point says something."""
        return [idx for idx in range(len(self.place))
                if (numpy.abs(self._slopes[:, idx]) >= MOVES).any()]

    def _scan(self, idx):
        """Sets a parameter by its own points, over its whole range."""
        own = self._own(idx)
        if not own:
            return
        best = sum(abs(self._now[key]) for key in own), self.place[idx]
        for at in numpy.linspace(self._low[idx], self._high[idx], SCAN):
            place = self.place.copy()
            place[idx] = at
            found = self._ask(place, own)
            best = min(best, (sum(abs(found[key]) for key in own), at))
        self.place[idx] = best[1]

    def _step(self, damping):
        """Return: a step for all parameters; those that no point tells stay."""
        now = self._vector(self._now)
        weights = 1 / numpy.maximum(numpy.abs(now), SMALL)
        told = self._told()
        some = self._slopes[:, told]
        matrix = some.T @ (weights[:, None] * some)
        step = numpy.zeros(len(self.place))
        step[told] = -numpy.linalg.solve(
            matrix + damping * numpy.diag(numpy.diag(matrix)),
            some.T @ (weights * now))
        return numpy.clip(step, -LONGEST_STEP, LONGEST_STEP)

    def _try_step(self, damping):
        """Return: whether a step made the error smaller; then it is made."""
        before = self.error
        place = numpy.clip(self.place + self._step(damping), self._low,
                           self._high)
        found = self._ask(place, None)
        if numpy.mean(numpy.abs(self._vector(found))) >= before:
            return False
        self.place, self._now = place, found
        return True

    def _together(self):
        """Moves all parameters until it gains nothing any more."""
        damping = 0.01
        for _ in range(MOST_STEPS):
            before = self.error
            self._measure_slopes(FINE_STEP)
            while not self._try_step(damping):
                damping *= 10
                if damping > 100:
                    return
            damping = max(1e-4, damping / 10)
            self._tell('together: error %.4f' % self.error)
            if before - self.error < ENOUGH * before:
                return

    def _shares(self, rows):
        """Return: what part of its measurement each of the points at ROWS is."""
        of_row = [self._measurement_of(self.keys[row]) for row in rows]
        count = collections.Counter(of_row)
        return numpy.array([1 / count[one] for one in of_row])

    def _weigh(self):
        """Says how well each parameter is known, from the last slopes of those
        points that tell of any. As many residuals as there are parameters are
        met whatever the noise is, so the least of them do not count; the spread
        of the others is taken from their median, so that a few that the model
        cannot meet do not count either."""
        told = self._told()
        rows = numpy.flatnonzero(
            (numpy.abs(self._slopes[:, told]) >= MOVES).any(axis=1))
        shares = self._shares(rows)
        for idx in told:
            column = self._slopes[:, idx]
            order = numpy.argsort(-numpy.abs(column))[:3]
            self.known[idx].points = [(column[row], self.keys[row])
                                      for row in order]
            self.known[idx].is_at_end = not \
                self._low[idx] < self.place[idx] < self._high[idx]
        spare = (len(rows) - len(told)) * shares.mean() if told else 0
        if spare < 1:
            return
        met = min(len(rows) - 1, round(len(told) / shares.mean()))
        sizes = numpy.sort(numpy.abs(self._vector(self._now)[rows]))
        spread = max(SMALL, MAD_SIGMA * numpy.median(sizes[met:]))
        some = self._slopes[numpy.ix_(rows, told)]
        matrix = some.T @ (shares[:, None] * some)
        variances = numpy.diag(numpy.linalg.inv(
            matrix + RIDGE * numpy.diag(numpy.diag(matrix))))
        for idx, variance in zip(told, variances):
            self.known[idx].width = student(spare) * SCATTER * spread * \
                math.sqrt(max(0.0, variance))

    def run(self):
        """Search: place and known have what came of it."""
        try:
            self._measure_slopes(STEP)
            self._tell('slopes: error %.4f' % self.error)
            by_own = sorted(range(len(self.place)),
                            key=lambda idx: -len(self._own(idx)))
            for idx in by_own:
                self._scan(idx)
            found = self._ask(self.place, None)
            self._now = found
            self._tell('each by its own points: error %.4f' % self.error)
            self._slopes = None
            self._together()
        except StopIteration:
            self._tell('the tries are used up')
        if self._slopes is not None:
            self._weigh()
