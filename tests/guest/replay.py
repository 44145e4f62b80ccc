# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace that was recorded in a guest, in the simulator.

Knows nothing of how a run is done: it calls the scripts as a user does.
"""

import os
import subprocess

from common import SIM, TOP


def test_replay(tap, trace, least=9500):
    """The simulator repeats what the guest did, to the nanosecond: LEAST
    commands or more."""
    if not os.access(SIM, os.X_OK):
        subprocess.run([os.path.join(TOP, 'scripts', 'build-core')],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False)
    result = subprocess.run([SIM, 'replay', trace], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, check=False)
    with open(trace, 'rb') as file:
        commands = sum(line.startswith(b'C,') for line in file)
    tap.result(result.returncode == 0 and commands > least and
               ', 0 differences' in result.stdout,
               "femu-sim replays the guest's %d commands to the same "
               'nanoseconds' % commands, result.stdout[-2000:])
