# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast the object is: the same writes by femu_zns.Ssd and by femu-sim, one
after the other, and the ratio.

  python tests/python/bench.py [COUNT]       with the package installed

Knows nothing of what the drive does.
"""

import json
import subprocess
import sys
import time

from femu_zns import Ssd, simulator

DRIVE = {'zones': 1024, 'zone_size': '1G', 'max_open': 0, 'max_active': 0}
DEPTH = 64
NLB = 4
REPEATS = 3


def object_s(count):
    """Return: processor time of COUNT writes, DEPTH at a time."""
    ssd = Ssd(**DRIVE)
    begin_s = time.process_time()
    for first in range(0, count, DEPTH):
        for idx in range(first, min(first + DEPTH, count)):
            ssd.submit('write', slba=NLB * idx, nlb=NLB)
        ssd.drain()
    return time.process_time() - begin_s


def simulator_s(count):
    """Return: the same of femu-sim, by its own clock."""
    argv = [simulator.PROGRAM, 'bench', '--op=write', '--qd=%d' % DEPTH,
            '--count=%d' % count]
    for name, value in DRIVE.items():
        argv += ['-s', '%s=%s' % (name.replace('_', '-'), value)]
    made = json.loads(subprocess.run(argv, stdout=subprocess.PIPE,
                                     check=True).stdout)
    return made['ns_per_op'] * count / 1e9


def main():
    """Prints both, the best of some."""
    count = int(sys.argv[1]) if sys.argv[1:] else 200000
    ours = min(object_s(count) for _ in range(REPEATS))
    theirs = min(simulator_s(count) for _ in range(REPEATS))
    print('bench: Ssd %.2f us a command, femu-sim %.2f us, ratio %.1f' % (
        1e6 * ours / count, 1e6 * theirs / count, ours / theirs))


if __name__ == '__main__':
    main()
