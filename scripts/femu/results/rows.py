# SPDX-License-Identifier: GPL-2.0-or-later
"""What was measured, as rows: one for each job and operation, with the METRICS
and the percentiles. Times are the drive's. The one reader of fio's and femu-sim's
JSON for all who compare numbers: sweeps, and the Python package, whose wheel
takes this room along.

Knows nothing of who compares, and of how anything was run.
"""

import hashlib
import json

from femu.common.json_file import DataError
from femu.results import drives, folder, jobs

NS_PER_US = 1000
MIB = 1 << 20
PERCENTS = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9)
BY_METRIC = {'p50_us': 50, 'p95_us': 95, 'p99_us': 99, 'p999_us': 99.9}
METRICS = ('count', 'kiops', 'mib_per_s', 'mean_us', *BY_METRIC, 'max_us')
# fio's own names of what a job did.
DIRECTIONS = ('read', 'write', 'trim')


def _row(step, job, op, count, iops, bytes_per_s, times_us):
    """TIMES_US: {'mean': , 'max': , percent: } or None."""
    row = {'step': step, 'job': job, 'op': op, 'count': count,
           'kiops': iops / 1000, 'mib_per_s': bytes_per_s / MIB}
    if times_us:
        row.update({'mean_us': times_us['mean'], 'max_us': times_us['max']})
        row.update({metric: times_us.get(percent)
                    for metric, percent in BY_METRIC.items()})
        row['cdf_us'] = [[percent, times_us[percent]] for percent in PERCENTS
                         if percent in times_us] + [[100, times_us['max']]]
    return row


def of_fio(made, dilation=1):
    """Return: the rows in MADE, JSON of femu-sim fio (of several drives with
    'drive', as a run in the guest calls it), or of fio on a clock that is
    DILATION times the drive's. Raises KeyError or TypeError if it is nothing of
    the kind."""
    rows = []
    for job in made['jobs']:
        name = job['jobname']
        ops = job['femu']['ops'] if 'femu' in job else {
            side: job[side] for side in DIRECTIONS if side in job}
        drive = {'drive': 'zns' + job['job options']['drive']} \
            if 'drives' in made else {}
        rows += [{**drive, **_of_entry(name, op, one, dilation)}
                 for op, one in ops.items() if one['total_ios']]
    return rows


def _of_entry(job, op, made, dilation):
    """Return: the row of one of fio's entries. It has percentiles of the whole
    latency, or else of that from submission."""
    times_ns = made['lat_ns'] if made['lat_ns'].get('percentile') \
        else made['clat_ns']
    unit = NS_PER_US * dilation
    times_us = {float(percent): value_ns / unit for percent, value_ns in
                (times_ns.get('percentile') or {}).items()}
    times_us.update(mean=times_ns['mean'] / unit, max=times_ns['max'] / unit)
    return _row('', job, op, made['total_ios'], made['iops'] * dilation,
                made['bw_bytes'] * dilation, times_us)


def of_run(path):
    """Return: the rows of the folder of a run in the guest. Raises
    DataError."""
    run = folder.load(path)
    if run.problems:
        raise DataError(run.problems[0])
    rows = []
    for step in run.steps:
        of_jobs = iter(jobs.options_of(step))
        for group in step.fio.groups if step.fio else ():
            for job in group.jobs:
                drive = _drive_of(run, next(of_jobs))
                rows += [{**drive, **_of_side(step.name, job.name, side,
                                              run.dilation)}
                         for side in job.sides]
    return rows


def _drive_of(run, options):
    """Return: {'drive': the one that a job with these OPTIONS had, '' if not
    one alone} in a RUN of several; {} in any other."""
    if not run.drives:
        return {}
    number = drives.number_of(options)
    return {'drive': run.drives[number].drive['name'].text()
            if number is not None and number < len(run.drives) else ''}


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
