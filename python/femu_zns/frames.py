# SPDX-License-Identifier: GPL-2.0-or-later
"""Results as pandas frames, whoever made them: femu-sim, a run in a guest, a
sweep, a trace. Times are the drive's.

Knows nothing of how anything was run.
"""

from __future__ import annotations

import csv
import json
import os
import re
from typing import Union

import numpy as np
import pandas as pd

from femu.common.json_file import DataError
from femu.results import rows
from femu.results.rows import METRICS
from femu.trace.file import OPS, Commands, Completions, TraceFile

_TRACE_HEAD = '# femu-zns trace'
_COLUMN = re.compile(r'[A-Za-z_][\w.]*')


def of_fio(made: dict, dilation: int = 1) -> pd.DataFrame:
    """What fio or femu-sim printed as JSON: a row per job and operation that it
    had: (of several drives drive,) job, op, METRICS."""
    found = rows.of_fio(made, dilation)
    return pd.DataFrame(found, columns=[*_drive_column(found), 'job', 'op',
                                        *METRICS])


def _drive_column(found: list) -> list:
    """The column that rows of several drives have, and no others."""
    return [name for name in (found[0] if found else ()) if name == 'drive']


def _joined(records: list, names: tuple) -> pd.DataFrame:
    """The arrays NAMES of RECORDS, end to end, as columns."""
    return pd.DataFrame({
        name: np.concatenate([getattr(one, name) for one in records] or [[]])
        for name in names})


def of_trace(path: Union[str, os.PathLike]) -> pd.DataFrame:
    """A trace of the device or of femu-sim: a row per command: seq, op, nsid,
    slba, nlb (of a copy: of its ranges), status (0: accepted), submitted_at_ns,
    and of those that completed done_at_ns, latency_ns, result. Raises
    ValueError for a file that is none."""
    try:
        made = list(TraceFile(os.fspath(path)).records())
    except DataError as error:
        raise ValueError('%s: %s' % (path, error)) from error
    commands = [one for one in made if isinstance(one, Commands)]
    frame = _joined(commands, ('seq', 'op', 'nsid', 'slba', 'nlb', 'status',
                               'at_ns'))
    frame = frame.astype('int64').rename(columns={'at_ns': 'submitted_at_ns'})
    frame['op'] = [OPS[idx] for idx in frame['op']]
    done = _joined([one for one in made if isinstance(one, Completions)],
                   ('seq', 'due_ns', 'result')).astype('int64')
    frame = frame.join(done.rename(columns={'due_ns': 'done_at_ns'})
                       .astype('Int64').set_index('seq'), on='seq')
    frame['latency_ns'] = frame['done_at_ns'] - frame['submitted_at_ns']
    return frame


def _of_guest(path: str) -> pd.DataFrame:
    try:
        made = rows.of_run(path)
    except DataError as error:
        raise ValueError('%s: %s' % (path, error)) from error
    if not made:
        raise ValueError('%s: the run has no results of fio' % path)
    return pd.DataFrame(made, columns=[
        'step', *_drive_column(made), 'job', 'op', *METRICS])


def read_csv(path: str) -> pd.DataFrame:
    """A CSV of ours. What steps and jobs are called stays a text: pandas would
    take "null" for nothing, and "1" for a number, which is no other's name."""
    names = pd.read_csv(path, nrows=0).columns
    return pd.read_csv(path, dtype={'step': str, 'job': str},
                       keep_default_na=False, na_values={
                           name: [''] if name in ('step', 'job')
                           else ['', 'nan'] for name in names})


def _of_csv(path: str) -> pd.DataFrame:
    """A CSV of ours begins with the names of its columns, and each row has them
    all: of others pandas makes a frame of some kind."""
    # Spreadsheets write a mark of the byte order before the first name.
    with open(path, encoding='utf-8-sig', newline='') as file:
        reader = csv.reader(file)
        names = next(reader, [])
        if len(names) < 2 or len(set(names)) < len(names) or \
                not all(map(_COLUMN.fullmatch, names)):
            raise ValueError('its first line has no names of columns')
        for row in reader:
            if len(row) not in (0, len(names)):
                raise ValueError('line %d has %d columns, not %d' % (
                    reader.line_num, len(row), len(names)))
    return read_csv(path)


def _of_file(path: str) -> pd.DataFrame:
    with open(path, encoding='utf-8', errors='replace') as file:
        head = file.read(len(_TRACE_HEAD))
    if head == _TRACE_HEAD:
        return of_trace(path)
    try:
        if not head.lstrip().startswith('{'):
            return _of_csv(path)
        with open(path, encoding='utf-8') as file:
            return of_fio(json.load(file))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError,
            csv.Error) as error:
        raise ValueError('%s: neither a trace, nor JSON of fio or femu-sim, '
                         'nor a CSV of ours: %s: %s' % (
                             path, type(error).__name__, error)) from error


def results(path: Union[str, os.PathLike]) -> pd.DataFrame:
    """The results in PATH: the folder of a sweep (a row per point, job and
    operation, with the axes) or of a run in a guest (a row per step, job and
    direction); a trace (a row per command); fio's or femu-sim's JSON (a row per
    job and operation); a CSV of ours. Raises ValueError for anything else."""
    path = os.fspath(path)
    if os.path.isfile(path):
        return _of_file(path)
    if os.path.exists(os.path.join(path, 'points.csv')):
        return _of_file(os.path.join(path, 'points.csv'))
    if os.path.exists(os.path.join(path, 'meta.json')):
        return _of_guest(path)
    raise ValueError('%s: neither a file nor the folder of a run (meta.json) '
                     'or of a sweep (points.csv)' % path)
