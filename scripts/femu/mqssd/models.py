# SPDX-License-Identifier: GPL-2.0-or-later
"""Four models of what a drive's I/O costs, by which algorithms are designed:
DAM, PDAM, Affine and MQSSD, fitted to a table of throughputs as in "Multi-Queue
SSD I/O Modeling" (Ransom, Lim, Mitzenmacher), sections 3.3 and 4.

All four say what a page costs, in us, of k threads together, if a share `rho`
of the pages is accessed at random:

  DAM     page_cost
  PDAM    cycle_cost / min(k, P)
  Affine  s rho + beta
  MQSSD   s(k) rho + beta(k)      (t(k) and alpha(k) for reads)

The first three know one thread only, as in the paper; the functions of k are
the paper's equations 5 and 6. Its equations 3, 7 and 8 add throughputs, not
times; with its Table 2 that is more than any of its drives has, while the
form above with r in percent gives its Figure 4, so this is what is meant.

Regressions minimise relative errors, as these are what is reported.

Knows nothing of where the table is from.
"""

import collections

import numpy
from scipy import optimize

PAGE_BYTES = 4096
MODELS = ('MQSSD', 'Affine', 'PDAM', 'DAM')
# Terms of numerator and denominator: equation 5, and 6 for writes' beta(k).
TERMS, TERMS_OF_WRITE_BETA = 3, 4
TINY = 1e-9
# Logarithms of a page's cost by an access's among which least_error() looks,
# and how many.
LOG_RATIOS = (-12.0, 6.0, 3601)

# What was measured: k threads, requests of so many bytes, MiB/s of all.
Point = collections.namedtuple('Point', 'op threads request_bytes mibps')
# A regression for one k: costs in us, and how much of the variance it explains.
Cost = collections.namedtuple('Cost', 'setup_us page_us r_squared')


class ModelError(Exception):
    """The table does not suffice."""


def page_us(mibps):
    """Return: what a page costs at this throughput, and the other way round."""
    return PAGE_BYTES / 2 ** 20 / mibps * 1e6


def rho_of(point):
    """Return: the share of pages that are accessed at random."""
    return PAGE_BYTES / point.request_bytes


def regress(points):
    """Return: the Cost of points of one number of threads."""
    rho = numpy.array([rho_of(point) for point in points])
    cost = numpy.array([page_us(point.mibps) for point in points])
    matrix = numpy.column_stack([rho / cost, 1 / cost])
    (setup, page), _ = optimize.nnls(matrix, numpy.ones(len(points)))
    spread = ((cost - cost.mean()) ** 2).sum()
    missed = ((setup * rho + page - cost) ** 2).sum()
    return Cost(setup, page, 1 - missed / spread if spread else 1.0)


def rational(values, k):
    """Return: the value at K of a rational function of VALUES: the numerator's
    terms, and the denominator's but the first, which is 1."""
    terms = (len(values) + 1) // 2
    powers = numpy.asarray(k, dtype=float)[..., None] ** numpy.arange(terms)
    below = numpy.concatenate([[1.0], values[terms:]])
    return powers @ values[:terms] / (powers @ below)


def fit_rational(k, costs, terms):
    """Return: VALUES of rational() that meet COSTS at K. No value is negative,
    so that the function has no pole."""
    k, costs = numpy.array(k, dtype=float), numpy.array(costs)
    scale = numpy.maximum(costs, 1e-3 * costs.max() + TINY)
    best = None
    for power in (0.0, 1.0, 2.0):
        start = numpy.concatenate([
            costs[0] / k[0] ** numpy.arange(terms), k[-1] **
            (-power * numpy.arange(1, terms) / 2)])
        found = optimize.least_squares(
            lambda values: (rational(values, k) - costs) / scale,
            numpy.maximum(start, TINY), bounds=(0, numpy.inf),
            x_scale=numpy.maximum(start, TINY), max_nfev=4000)
        if best is None or found.cost < best.cost:
            best = found
    return best.x


class Fit:
    """The four models of one operation, fitted to POINTS of it; the drive has
    PARALLEL channels (the PDAM model's P).

    by_threads: {threads: Points}.
    costs: {threads: Cost}, the regressions (the paper's Table 2).
    """

    def __init__(self, points, parallel):
        self.points = points
        by_threads = {}
        for point in points:
            by_threads.setdefault(point.threads, []).append(point)
        self.by_threads = dict(sorted(by_threads.items()))
        self.costs = {k: regress(found)
                      for k, found in self.by_threads.items()}
        if 1 not in self.costs:
            raise ModelError('no points of 1 thread, which three of the '
                             'models are made from')
        sizes = {len({point.request_bytes for point in found})
                 for found in by_threads.values()}
        if min(sizes) < 2:
            raise ModelError('each number of threads must have at least two '
                             'sizes of requests')
        self.parallel = parallel
        self._page_us = numpy.mean([page_us(point.mibps)
                                    for point in by_threads[1]])
        write = points[0].op == 'write'
        self._setup = self._function('setup_us', TERMS)
        self._page = self._function(
            'page_us', TERMS_OF_WRITE_BETA if write else TERMS)

    def _function(self, name, terms):
        return fit_rational(list(self.costs),
                            [getattr(cost, name)
                             for cost in self.costs.values()], terms)

    def cost_us(self, k):
        """Return: (setup, page) costs that the functions of k have."""
        return rational(self._setup, k), rational(self._page, k)

    def predicted(self, model, k, rho):
        """Return: the throughput in MiB/s that a model says."""
        one = self.costs[1]
        setup, page = self.cost_us(k)
        cost = {'DAM': self._page_us,
                'PDAM': self._page_us / min(k, self.parallel),
                'Affine': one.setup_us * rho + one.page_us,
                'MQSSD': setup * rho + page}[model]
        return page_us(max(cost, TINY))

    def error_of(self, model, point):
        """Return: predicted / measured - 1 of a point."""
        return self.predicted(model, point.threads, rho_of(point)) / \
            point.mibps - 1

    def errors(self, model):
        """Return: |predicted / measured - 1| of each point."""
        return [abs(self.error_of(model, point)) for point in self.points]


def least_error(points):
    """Return: (mean |predicted / measured - 1|, setup cost, page cost) of the
    costs with which points of one number of threads are missed least, whatever
    these would be: more than that no fit of the form can do.

    As the costs' ratio is given, the mean is least where one point is met."""
    rho = numpy.array([rho_of(point) for point in points])
    cost = numpy.array([page_us(point.mibps) for point in points])

    def at(log_ratio):
        form = rho + numpy.exp(log_ratio)
        setups = cost / form
        errors = abs(cost / (setups[:, None] * form) - 1).mean(axis=1)
        best = errors.argmin()
        return errors[best], setups[best], setups[best] * numpy.exp(log_ratio)

    ratios = numpy.linspace(*LOG_RATIOS)
    return min((at(ratio) for ratio in ratios), key=lambda found: found[0])


def more_page_us(points):
    """Return: of points of one operation by one thread, [(bytes, bytes, us)]:
    what each page costs by which a request of the second size is longer than
    one of the first. The models say that it is the same for all sizes."""
    took = sorted((point.request_bytes, point.request_bytes / point.mibps /
                   2 ** 20 * 1e6) for point in points)
    return [(small, large, (later - before) / ((large - small) / PAGE_BYTES))
            for (small, before), (large, later) in zip(took, took[1:])]


def fit_all(points, parallel):
    """Return: {operation: Fit}."""
    by_op = {}
    for point in points:
        by_op.setdefault(point.op, []).append(point)
    if not by_op:
        raise ModelError('no points')
    return {op: Fit(found, parallel) for op, found in by_op.items()}


def mean_error_pct(fits, model):
    """Return: the mean error of a model over all points, in percent."""
    errors = [error for fit in fits.values() for error in fit.errors(model)]
    return 100 * sum(errors) / len(errors)


def least_error_pct(fits):
    """Return: below which mean error no costs bring MQSSD, in percent."""
    found = [(least_error(points)[0], len(points)) for fit in fits.values()
             for points in fit.by_threads.values()]
    return 100 * sum(error * count for error, count in found) / \
        sum(count for _, count in found)
