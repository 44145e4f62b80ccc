# SPDX-License-Identifier: GPL-2.0-or-later
"""Results as pandas frames, whoever made them: femu-sim, a run in a guest, a
sweep, a trace. Times are the drive's.

Knows nothing of how anything was run.
"""

from __future__ import annotations

import json
import os
from typing import List, Union

import pandas as pd

MIB = 1 << 20
NS_PER_US = 1000
# Of a row per job and operation.
METRICS = ('count', 'kiops', 'mib_per_s', 'mean_us', 'p50_us', 'p95_us',
           'p99_us', 'p999_us', 'max_us')
_PERCENTS = {'p50_us': 50.0, 'p95_us': 95.0, 'p99_us': 99.0, 'p999_us': 99.9}
_TRACE_HEAD = '# femu-zns trace'
_DIRECTIONS = ('read', 'write', 'trim')


def _row(job: str, op: str, made: dict, dilation: int) -> dict:
    """A row of one of fio's entries, whose clock is DILATION times the
    drive's."""
    lat_ns = made['lat_ns'] if made['lat_ns'].get('percentile') \
        else made['clat_ns']
    unit = NS_PER_US * dilation
    found = {float(percent): value_ns for percent, value_ns in
             (lat_ns.get('percentile') or {}).items()}
    row = {'job': job, 'op': op, 'count': made['total_ios'],
           'kiops': made['iops'] * dilation / 1000,
           'mib_per_s': made['bw_bytes'] * dilation / MIB,
           'mean_us': lat_ns['mean'] / unit, 'max_us': lat_ns['max'] / unit}
    row.update({name: found[percent] / unit if percent in found else None
                for name, percent in _PERCENTS.items()})
    return row


def of_fio(made: dict, dilation: int = 1) -> pd.DataFrame:
    """What fio or femu-sim printed as JSON: a row per job and operation that it
    had: job, op, METRICS."""
    rows: List[dict] = []
    for job in made['jobs']:
        ops = job['femu']['ops'] if 'femu' in job else {
            name: job[name] for name in _DIRECTIONS if name in job}
        rows += [_row(job['jobname'], op, one, dilation)
                 for op, one in ops.items() if one['total_ios']]
    return pd.DataFrame(rows, columns=['job', 'op', *METRICS])


def of_trace(path: Union[str, os.PathLike]) -> pd.DataFrame:
    """A trace of the device or of femu-sim: a row per command: seq, op, nsid,
    slba, nlb, status (0: accepted), submitted_at_ns, and of those that
    completed done_at_ns, latency_ns, result."""
    submits, dones = [], {}
    with open(path, encoding='utf-8') as file:
        for line in file:
            words = line.rstrip('\n').split(',')
            if words[0] == 'S':
                submits.append((int(words[1]), words[3], int(words[4]),
                                int(words[5]), int(words[6]),
                                int(words[8], 16), int(words[2])))
            elif words[0] == 'C':
                dones[int(words[1])] = (int(words[2]), int(words[4]))
    frame = pd.DataFrame(submits, columns=[
        'seq', 'op', 'nsid', 'slba', 'nlb', 'status', 'submitted_at_ns'])
    for name, idx in (('done_at_ns', 0), ('result', 1)):
        frame[name] = pd.array([dones[seq][idx] if seq in dones else None
                                for seq in frame['seq']], dtype='Int64')
    frame['latency_ns'] = frame['done_at_ns'] - frame['submitted_at_ns']
    return frame


def _of_guest(path: str) -> pd.DataFrame:
    with open(os.path.join(path, 'meta.json'), encoding='utf-8') as file:
        meta = json.load(file)
    found = []
    for name in sorted(os.listdir(os.path.join(path, 'results'))):
        if name.endswith('.fio.json'):
            with open(os.path.join(path, 'results', name),
                      encoding='utf-8') as file:
                frame = of_fio(json.load(file), meta.get('time_dilation', 1))
            frame.insert(0, 'step', name[:-len('.fio.json')])
            found.append(frame)
    if not found:
        raise ValueError('%s: the run has no results of fio' % path)
    return pd.concat(found, ignore_index=True)


def _of_file(path: str) -> pd.DataFrame:
    with open(path, encoding='utf-8') as file:
        head = file.read(len(_TRACE_HEAD))
    if head == _TRACE_HEAD:
        return of_trace(path)
    if head.lstrip().startswith('{'):
        with open(path, encoding='utf-8') as file:
            return of_fio(json.load(file))
    return pd.read_csv(path)


def results(path: Union[str, os.PathLike]) -> pd.DataFrame:
    """The results in PATH: the folder of a sweep (a row per point, job and
    operation, with the axes) or of a run in a guest (a row per step, job and
    direction); a trace (a row per command); fio's or femu-sim's JSON (a row per
    job and operation); a CSV of ours. Raises ValueError for anything else."""
    path = os.fspath(path)
    if os.path.isfile(path):
        return _of_file(path)
    if os.path.exists(os.path.join(path, 'points.csv')):
        return pd.read_csv(os.path.join(path, 'points.csv'))
    if os.path.exists(os.path.join(path, 'meta.json')):
        return _of_guest(path)
    raise ValueError('%s: neither a file nor the folder of a run (meta.json) '
                     'or of a sweep (points.csv)' % path)
