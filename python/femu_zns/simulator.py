# SPDX-License-Identifier: GPL-2.0-or-later
"""Workloads on a drive, by femu-sim, whose engine knows fio's words: jobs
beside and after each other, rates, schedulers, softfinish.

Knows nothing of what the numbers are used for.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Mapping, Optional, Sequence, Union

import pandas as pd

from femu_zns import frames
from femu_zns.ssd import FemuError, Value

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'femu-sim')
Jobs = Union[str, os.PathLike, Mapping[str, Mapping[str, Value]]]


class SimulatorError(FemuError):
    """What femu-sim refuses; its own words."""


@dataclass(frozen=True)
class Run:
    """A run. `jobs`: a row per job and operation (frames.METRICS); `log`: one
    per operation, None unless it was asked for; `drive`: the drive's own
    statistics (a list if CONFIG names several drives)."""
    command: Sequence[str]
    jobs: pd.DataFrame
    drive: Union[dict, list]
    log: Optional[pd.DataFrame]


def _job_text(jobs: Mapping[str, Mapping[str, Value]]) -> str:
    """Raises ValueError if one of the texts would be more than its line."""
    lines = []
    # "global" first, wherever it stands; what it switches on a job may switch
    # off.
    for name, options in sorted(jobs.items(), key=lambda job: job[0] != 'global'):
        mine = ['[%s]' % name]
        mine += ['%s=%s' % (option, int(value) if isinstance(value, bool)
                            else value) for option, value in options.items()]
        for line in mine:
            if '\n' in line:
                raise ValueError('job %r: %r: has a line end, behind which '
                                 'another option would stand' % (name, line))
        lines += mine
    return '\n'.join(lines) + '\n'


def _job_file(jobs: Jobs, folder: str) -> str:
    if isinstance(jobs, Mapping):
        text = _job_text(jobs)
    elif isinstance(jobs, str) and '\n' in jobs:
        text = jobs
    else:
        # A name that begins with - is no option.
        return os.path.join(os.curdir, os.fspath(jobs))
    path = os.path.join(folder, 'jobs.fio')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    return path


def run(config: Union[str, os.PathLike, None], jobs: Jobs, *,
        log: bool = False, trace: Union[str, os.PathLike, None] = None,
        **changes: Value) -> Run:
    """Run JOBS on a new drive of the file CONFIG ("a.cfg,b.cfg": on one of each,
    of which a job's is drive=N) with CHANGES (Ssd's). JOBS:
    the path of a job file, its text, or {job: {option: value}}; the job "global"
    holds for all. TRACE: a file for every command and completion. Raises
    SimulatorError."""
    with tempfile.TemporaryDirectory(prefix='femu-zns-') as folder:
        log_path = os.path.join(folder, 'log.csv')
        argv = [PROGRAM, 'fio', '--output-format=json']
        argv += ['-c', os.fspath(config)] if config is not None else []
        for name, value in changes.items():
            if isinstance(value, bool):
                value = 'on' if value else 'off'
            argv += ['-s', '%s=%s' % (name.replace('_', '-'), value)]
        argv += ['--log=' + log_path] if log else []
        argv += ['--trace=' + os.fspath(trace)] if trace is not None else []
        argv.append(_job_file(jobs, folder))
        # Names of jobs are in UTF-8 whatever the user's locale is.
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, encoding='utf-8',
                              errors='replace', stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        if done.returncode:
            raise SimulatorError(done.stderr.strip() or
                                 'exit status %d' % done.returncode)
        made = json.loads(done.stdout)
        return Run(argv, frames.of_fio(made),
                   made['drives'] if 'drives' in made else made['drive'],
                   frames.read_csv(log_path) if log else None)
