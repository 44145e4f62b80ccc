# SPDX-License-Identifier: GPL-2.0-or-later
"""make crash: a log with a bug that power cuts show, and one without; and that
recording a run does not change it.

Knows nothing of how cuts are made.
"""

import os
import re
import subprocess

from common import RUN_LIMIT_S, TOP, config, environment, folder, run

CRASH = os.path.join(TOP, 'scripts', 'crash')
JOBS = os.path.join(TOP, 'jobs', 'crash')
CUTS = 5
RECORDS = 24


def crash(name, **variables):
    """Return: (its folder, exit status, what it printed, its last line)."""
    out = folder(name)
    env = {'CHECK': os.path.join(JOBS, 'log-check.sh'), 'OUT': out,
           **variables}
    done = subprocess.run([CRASH], env=environment(env), text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, cwd=TOP, check=False,
                          timeout=RUN_LIMIT_S)
    lines = done.stdout.splitlines() or ['']
    return out, done.returncode, done.stdout, lines[-1]


def variables_of(bug):
    """Return: what the job and its check are given."""
    return {'JOB': os.path.join(JOBS, 'log.sh'),
            'CONFIG': config('zn540-small.cfg'),
            'SET': 'write-cache=volatile',
            'ARGS': 'records=%d bug=%s' % (RECORDS, bug)}


def test_bug(tap):
    """It is found, and found again by the line that says how."""
    early = variables_of('early')
    out, status, text, last = crash('crash-early', CUTS=str(CUTS), **early)
    found = re.fullmatch(r'crash: %d cuts, (\d+) failed' % CUTS, last)
    tap.result(status == 1 and found is not None and int(found[1]) > 0,
               'crash: a log that acknowledges too early is found out', text)
    again = re.search(r'again: make crash RUN=(\S+) CHECK=\S+ CUT=(\S+)', text)
    if not again:
        tap.result(False, 'crash: a failure says how to repeat it', text)
        return
    tap.result(os.path.isfile(os.path.join(out, 'failed', again[2], 'state',
                                           'history')),
               'crash: the drive that failed is kept', text)
    _, status, text, last = crash('crash-again', RUN=again[1], CUT=again[2])
    tap.same((status, last), (1, 'crash: 1 cuts, 1 failed'),
             'crash: the line that repeats a failure does')


def test_right(tap):
    """The log that is right, in a run that is as if nobody recorded it."""
    right = variables_of('none')
    out, status, text, last = crash('crash-right', CUTS=str(CUTS), **right)
    tap.result((status, last) == (0, 'crash: %d cuts, 0 failed' % CUTS),
               'crash: a log that is right passes all cuts', text)
    plain, status, text = run('crash-plain', **right)
    tap.result(status == 0, 'crash: the job without a journal', text)
    with open(os.path.join(out, 'run', 'trace.csv'), 'rb') as file:
        recorded = file.read()
    with open(os.path.join(plain, 'trace.csv'), 'rb') as file:
        tap.result(file.read() == recorded,
                   'crash: its trace is the same with a journal')


def test_crash(tap):
    """Power cuts of a job, each checked in a guest."""
    test_bug(tap)
    test_right(tap)


GROUPS = {'crash': test_crash}
