# SPDX-License-Identifier: GPL-2.0-or-later
"""What differs between runs: in what was asked, in what was measured, and the
first command at which two traces part.

Knows nothing of how any of it is shown.
"""

import itertools
import os
from dataclasses import dataclass

from femu.common.json_file import DataError
from femu.report import facts
from femu.results import operations
from femu.results.folder import TRACE

PERCENTS = (50, 95, 99)
# What a run was made of, of meta.json: heading -> path to a member.
ASKED = (('job', ('job', 'sha256')), ('time', ('time',)),
         ('dilation', ('time_dilation',)), ('QEMU', ('qemu', 'sha256')),
         ("guest's kernel", ('guest', 'vmlinux', 'sha256')),
         ("guest's image", ('guest', 'root', 'sha256')),
         ('version', ('version',)))
SHOWN_HASH = 12


@dataclass(frozen=True)
class Cell:
    """What one run has of an operation, times in us of the drive; None where
    nothing was measured."""
    commands: int
    iops: float
    mib_per_s: float
    mean_us: float
    percentiles_us: dict


def asked(runs):
    """Return: [(what, [its text in each run])] of all in which RUNS differ."""
    found = []
    for heading, path in ASKED:
        found.append((heading, [run.fact(*path) for run in runs]))
    found += _by_name('ARGS ', [_members(run, 'args') for run in runs])
    found += _by_name('', [dict(facts.properties(run)) for run in runs])
    return [(what, [text[:SHOWN_HASH] if len(text) == 64 else text
                    for text in texts])
            for what, texts in found if len(set(texts)) > 1]


def _members(run, name):
    try:
        node = run.meta.get(name)
        return {} if node is None else {key: value.shown()
                                        for key, value in node.members()}
    except DataError:
        return {}


def _by_name(prefix, tables):
    names = dict.fromkeys(name for table in tables for name in table)
    return [(prefix + name, [table.get(name, '-') for table in tables])
            for name in names]


def _cell(row):
    latency = row.device or row.guest
    return Cell(row.commands, row.iops, row.mib_per_s,
                latency.mean_ns / 1000 if latency else None,
                {percent: latency.percentile_ns(percent) / 1000
                 for percent in PERCENTS} if latency else {})


def measured(runs):
    """Return: {(step, label): [a Row of operations.of_run(), or None, for each
    run]}, in the order in which they come."""
    found = {}
    for idx, run in enumerate(runs):
        for row in operations.of_run(run):
            found.setdefault((row.step, row.label),
                             [None] * len(runs))[idx] = row
    return found


def cells(rows):
    """Return: the Cell of each Row, None for None."""
    return [None if row is None else _cell(row) for row in rows]


# --- Traces -------------------------------------------------------------------

def _records(path):
    """Yields (line number, line) of a trace, without its parameters and
    end."""
    with open(path, encoding='utf-8', errors='replace') as file:
        for number, line in enumerate(file, 1):
            if not line.startswith(('#', 'P,', 'E,')):
                yield number, line.rstrip('\n')


def parting(run, other):
    """Where the traces of two runs part. Return: (records that are the same,
    (line number, line) or None of each at which they part); None in the place
    of that pair if they do not. None if one has no trace."""
    paths = [os.path.join(one.out_dir, TRACE) for one in (run, other)]
    if not all(os.path.exists(path) for path in paths):
        return None
    same = 0
    for mine, its in itertools.zip_longest(*map(_records, paths)):
        if mine is None or its is None or mine[1] != its[1]:
            return same, (mine, its)
        same += 1
    return same, None
