# SPDX-License-Identifier: GPL-2.0-or-later
"""What a point measured, as rows: one for each of its jobs and operations, with
the metrics of plan.METRICS and the percentiles. Times are the drive's.

Knows nothing of plans, and of how a point is run.
"""

import hashlib
import json

from femu.common.json_file import DataError
from femu.results import folder

NS_PER_US = 1000
MIB = 1 << 20
PERCENTS = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9)
BY_METRIC = {'p50_us': 50, 'p95_us': 95, 'p99_us': 99, 'p999_us': 99.9}


def _row(step, job, op, count, iops, bytes_per_s, times_us):
    """TIMES_US: {'mean': , 'max': , percent: } or None."""
    row = {'step': step, 'job': job, 'op': op, 'count': count,
           'kiops': iops / 1000, 'mib_per_s': bytes_per_s / MIB}
    if times_us:
        row.update({'mean_us': times_us['mean'], 'max_us': times_us['max']})
        row.update({metric: times_us[percent]
                    for metric, percent in BY_METRIC.items()})
        row['cdf_us'] = [[percent, times_us[percent]]
                         for percent in PERCENTS] + [[100, times_us['max']]]
    return row


def of_simulation(text):
    """Return: the rows in what femu-sim fio printed. Raises ValueError,
    KeyError or TypeError if it is nothing of the kind."""
    rows = []
    for job in json.loads(text)['jobs']:
        for op, made in job['femu']['ops'].items():
            if not made['total_ios']:
                continue
            lat_ns = made['lat_ns']
            known = {float(key): value / NS_PER_US
                     for key, value in lat_ns['percentile'].items()}
            times_us = {percent: known[percent] for percent in PERCENTS}
            times_us.update(mean=lat_ns['mean'] / NS_PER_US,
                            max=lat_ns['max'] / NS_PER_US)
            rows.append(_row('', job['jobname'], op, made['total_ios'],
                             made['iops'], made['bw_bytes'], times_us))
    return rows


def of_run(path):
    """Return: the rows of the folder of a run in the guest. Raises
    DataError."""
    run = folder.load(path)
    if run.problems:
        raise DataError(run.problems[0])
    rows = []
    for step in run.steps:
        for group in step.fio.groups if step.fio else ():
            for job in group.jobs:
                rows += [_of_side(step.name, job.name, side, run.dilation)
                         for side in job.sides]
    return rows


def _of_side(step, job, side, dilation):
    """Return: the row of a Side, whose times are the guest's."""
    times_us = None
    if side.latency:
        latency = side.latency.divided(dilation * NS_PER_US)
        times_us = {percent: latency.percentile_ns(percent)
                    for percent in PERCENTS}
        times_us.update({'mean': latency.mean_ns, 'max': latency.max_ns})
    return _row(step, job, side.direction, side.commands,
                (side.iops() or 0) * dilation,
                (side.mib_per_s() or 0) * MIB * dilation, times_us)


def digest(rows):
    """Return: a digest of ROWS: equal for equal numbers."""
    text = json.dumps(rows, sort_keys=True, separators=(',', ':'))
    return hashlib.sha256(text.encode()).hexdigest()
