# SPDX-License-Identifier: GPL-2.0-or-later
"""M^Inter: how much one operation disturbs another (SYSTOR 2024, "ConfZNS++",
equation 1), from throughput and P95 latency with and without it.

Knows nothing of how the figures were measured.
"""

import math
import statistics

from femu.common import json_file

PART = 'mgmt-on-io'
LEVEL_FIELDS = ('qd', 'zones')
CURVE_FIELDS = ('part', 'fg_op', 'bs_bytes', 'lba_bytes', 'bg_op')


class Point:
    """Throughput and P95 latency at one level of concurrency."""

    def __init__(self, kiops, p95_us):
        self.kiops = kiops
        self.p95_us = p95_us


def m_inter_of_level(isolated, disturbed, alpha=0.5):
    """Return: the distance of two Points, relative to the isolated one."""
    throughput = disturbed.kiops / isolated.kiops - 1
    latency = disturbed.p95_us / isolated.p95_us - 1
    return math.sqrt(alpha * throughput ** 2 + (1 - alpha) * latency ** 2)


def m_inter(isolated, disturbed, alpha=0.5):
    """Mean over the levels that both curves have.

    isolated, disturbed: {level: Point}. Return: (M^Inter, number of levels),
    or (None, 0) when no level is common.
    """
    levels = sorted(set(isolated) & set(disturbed))
    if not levels:
        return None, 0
    return sum(m_inter_of_level(isolated[level], disturbed[level], alpha)
               for level in levels) / len(levels), len(levels)


def side_of(made, direction, name):
    """Return: IOPS and P95, us, of a job NAME's reads or writes: 0 if it has
    none. Raises DataError."""
    if made is None or not made.get('total_ios') or \
            not made['total_ios'].integer():
        return 0.0, 0.0
    for kind in ('lat_ns', 'clat_ns'):
        latency = made.get(kind) and made[kind].get('percentile')
        if latency and latency.get('95.000000'):
            return made['iops'].number(), latency['95.000000'].number() / 1000
    # Without it neither its latency nor its IOPS would count.
    raise json_file.DataError('the %ss of job %s have no 95th percentile' % (
        direction, name))


def read_fio(path, job=None):
    """Return: the Point of a fio result, by fio or by femu-sim, JSON: IOPS of
    its jobs added up, the worst of their P95; only jobs named JOB, if given."""
    try:
        made = json_file.read(path)
    except json_file.DataError as error:
        raise ValueError('%s: %s' % (path, error)) from None
    iops, p95_us = 0.0, 0.0
    try:
        for one in made['jobs'].items():
            name = one['jobname'].text()
            for direction in ('read', 'write') if not job or name == job \
                    else ():
                rate, latency_us = side_of(one.get(direction), direction, name)
                iops, p95_us = iops + rate, max(p95_us, latency_us)
    except json_file.DataError as error:
        raise ValueError('%s: is no result of fio: %s' % (path,
                                                          error)) from None
    if not iops or not p95_us:
        raise ValueError('%s: no job%s with IOPS and a 95th percentile' % (
            path, ' ' + job if job else ''))
    return Point(iops / 1000, p95_us)


def curves_of(experiments, figures_of):
    """Curves of experiments, whose figures, {metric: value}, are
    FIGURES_OF(experiment): what was measured, or the model's.

    Return: {(part, fg_op, bs, lba, bg_op): {intensity: {level: Point}}}; an
    intensity of 0 is the isolated run. What is there more than once counts as
    its mean.
    """
    found = {}
    for exp in experiments:
        figures = figures_of(exp)
        if {'kiops', 'p95_us'} <= set(figures):
            by_percent = found.setdefault(
                tuple(exp.fields[name] for name in CURVE_FIELDS), {})
            by_percent.setdefault(exp.number('bg_intensity_pct'), {}).setdefault(
                tuple(int(exp.number(name)) for name in LEVEL_FIELDS), []).append(
                    (figures['kiops'], figures['p95_us']))
    return {curve: {percent: {level: Point(*map(statistics.fmean, zip(*mine)))
                              for level, mine in levels.items()}
                    for percent, levels in by_percent.items()}
            for curve, by_percent in found.items()}


def alone(curves, curve):
    """Return: the curve of the same foreground without a background, or
    None."""
    for nothing in ('none', ''):
        found = curves.get(curve[:4] + (nothing,), {}).get(0.0)
        if found:
            return found
    return None


def combinations(curves, percent=50.0, alpha=0.5):
    """M^Inter of every pair of operations, background at `percent`, over the
    levels of all curves that both runs have.

    Return: {(bg_op, fg_op): (M^Inter, levels)} for curves with both runs.
    """
    found = {}
    for curve, by_percent in curves.items():
        part, fg_op, _bs, _lba, bg_op = curve
        if part != PART or bg_op in ('', 'none'):
            continue
        isolated = by_percent.get(0.0) or alone(curves, curve)
        disturbed = by_percent.get(percent)
        if isolated and disturbed:
            value, levels = m_inter(isolated, disturbed, alpha)
            if levels:
                found.setdefault((bg_op, fg_op), []).append((value, levels))
    return {pair: (sum(value * levels for value, levels in mine) /
                   sum(levels for _, levels in mine),
                   sum(levels for _, levels in mine))
            for pair, mine in found.items()}
