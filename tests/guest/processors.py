# SPDX-License-Identifier: GPL-2.0-or-later
"""Several processors in virtual time: the same in every run, whatever the host
does meanwhile, and each as fast as it is said to be.

Knows nothing of how a run is done: it calls the scripts as a user does.
"""

import os
import re
import subprocess

from common import HERE, config, folder, job, run
from times import first_difference

CPUS = 4
# What spin was asked to do.
BUSY_INSNS = 200000
LOCKED_INSNS = 4 * 500 * 100
# A round: instructions are no further from their instant than that.
ROUND_NS = 1000
# To read a clock, to see what another has written.
AROUND_INSNS = 100
LEAST_KICKS = 50


def programs():
    """Return: a folder for EXTRA=, with spin in it."""
    top = folder('processors-programs')
    os.makedirs(top)
    subprocess.run(['cc', '-O2', '-Wall', '-Wextra', '-Werror', '-pthread',
                    '-o', os.path.join(top, 'spin'),
                    os.path.join(HERE, 'programs', 'spin.c')], check=True)
    return top


def numbers(out, step):
    """Return: [(ns that a thread took, the longest that it waited)]."""
    with open(os.path.join(out, 'results', step + '.out'),
              encoding='ascii') as file:
        return [tuple(map(int, pair)) for pair in re.findall(
            r'took_ns (\d+) longest_ns (\d+)', file.read())]


def files_of(out):
    """Return: {name: bytes} of the trace and of all that the guest left."""
    found = {}
    for name in ['trace.csv', 'guest.txt', 'console.txt'] + [
            os.path.join('results', name)
            for name in sorted(os.listdir(os.path.join(out, 'results')))]:
        with open(os.path.join(out, name), 'rb') as file:
            found[name] = file.read()
    return found


def same_files(tap, one, other):
    """What two runs left is the same, byte for byte."""
    tap.same(sorted(other), sorted(one), 'processors: the same files')
    differ = [name for name in one if other.get(name) != one[name]]
    tap.result(not differ, 'processors: the same bytes in all of them',
               ''.join('%s: %s\n' % (name, first_difference(
                   one[name], other.get(name, b''))) for name in differ))


def speeds(tap, out):
    """What spin measured is what docs/guest.md defines."""
    for count in (1, 2, 4):
        took = [ns for ns, _ in numbers(out, 'busy-%d' % count)]
        tap.result(len(took) == count and
                   all(abs(ns - BUSY_INSNS) <= ROUND_NS + AROUND_INSNS
                       for ns in took),
                   'processors: %d busy do an instruction in a ns each' % count,
                   repr(took))
    took = max(ns for ns, _ in numbers(out, 'lock-4'))
    tap.result(LOCKED_INSNS <= took < 1.2 * LOCKED_INSNS,
               'processors: a lock that is always held is never held twice',
               '%d ns for %d instructions' % (took, LOCKED_INSNS))
    longest = [ns for _, ns in numbers(out, 'flag-4')]
    tap.result(0 < max(longest) <= ROUND_NS + AROUND_INSNS,
               'processors: what one writes the others see within a round',
               repr(longest))


def test_processors(tap):
    """CPUS=4: two runs are the same, one of them kicked all the time."""
    scratch = folder('processors-kicks')
    os.makedirs(scratch)
    os.environ['FEMU_KICKS'] = os.path.join(scratch, 'kicks')
    variables = {'JOB': job('processors.sh'), 'CPUS': str(CPUS),
                 'EXTRA': programs(), 'CONFIG': config('zn540-small.cfg')}
    quiet, status, text = run('processors', **variables)
    tap.result(status == 0, 'processors: the job ran', text)
    kicked, kicked_status, text = run(
        'processors-kicked', QEMU=os.path.join(HERE, 'qemu-kicked'),
        **variables)
    tap.result(kicked_status == 0, 'processors: it ran, kicked', text)
    if status != 0 or kicked_status != 0:
        return
    with open(os.environ['FEMU_KICKS'], encoding='ascii') as file:
        kicks = int(file.read())
    tap.result(kicks >= LEAST_KICKS, 'processors: kicked %d times or more'
               % LEAST_KICKS, '%d' % kicks)
    same_files(tap, files_of(quiet), files_of(kicked))
    speeds(tap, quiet)


GROUPS = {'processors': test_processors}
