# SPDX-License-Identifier: GPL-2.0-or-later
"""A drive that lasts: a file system from one guest to the next.

Knows nothing of how a run is done: it calls the scripts as a user does.
"""

import os
import signal
import subprocess

from common import (HERE, RUN, SIM, TOP, config, environment, folder, job,
                    run)

# Seconds of a run that is killed when it has written, and says so.
KILLED_LIMIT_S = 300


def variables(state, number, end):
    """Return: what scripts/run reads for run NUMBER."""
    return {'JOB': job('state.sh'), 'CONFIG': config('zn540-small.cfg'),
            'EXTRA': os.path.join(HERE, 'extra'), 'STATE': state,
            'TRACE': '0', 'ARGS': 'n=%d end=%s' % (number, end)}


def qemu_of(state):
    """Return: the processes that have STATE on their command line."""
    found = []
    for pid in filter(str.isdecimal, os.listdir('/proc')):
        try:
            with open('/proc/%s/cmdline' % pid, 'rb') as file:
                words = file.read().split(b'\0')
        except OSError:
            continue
        if any(word.endswith(b'.state=' + os.fsencode(state))
               for word in words):
            found.append(int(pid))
    return found


def run_and_kill(state, number):
    """Kills QEMU when the guest says that it has written. Return: whether it
    came to that."""
    out = folder('state-%d' % number)
    env = environment({**variables(state, number, 'never'), 'OUT': out})
    with subprocess.Popen([RUN], env=env, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          cwd=TOP) as started:
        for line in started.stdout:
            if "this run's is in the drive" in line:
                for pid in qemu_of(state):
                    os.kill(pid, signal.SIGKILL)
                started.wait(KILLED_LIMIT_S)
                return 'ok' in line and 'not ok' not in line
    return False


def run_again(tap, state, number, end):
    """A run to its end, and its checks."""
    out, status, text = run('state-%d' % number,
                            **variables(state, number, end))
    tap.result(status == 0, 'state, run %d: the job ran' % number, text)
    if status == 0:
        tap.include(os.path.join(out, 'results', 'tap.txt'))


def test_state(tap):
    """Left mounted, unmounted, killed: each next guest finds what was there."""
    state = folder('state')
    run_again(tap, state, 1, 'umount')
    run_again(tap, state, 2, 'mounted')
    tap.result(run_and_kill(state, 3), 'state, run 3: killed in the middle')
    run_again(tap, state, 4, 'umount')
    done = subprocess.run([SIM, 'replay', os.path.join(state, 'history')],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    tap.result(done.returncode == 0 and ' 0 differences' in done.stdout,
               'the history of four guests is one trace', done.stdout)


GROUPS = {'state': test_state}
