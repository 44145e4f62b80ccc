# SPDX-License-Identifier: GPL-2.0-or-later
"""A run of a job that was recorded, trace, journal and acknowledgements, and the
drives that power cuts would have left of it.

Knows nothing of guests, nor of what is checked.
"""

import os
import subprocess

from femu.common.paths import TOP
from femu.crash import points

SIM = os.path.join(TOP, 'build-core', 'tools', 'femu-sim')


class RecordedError(Exception):
    """A recording that is not there, or of which no drive can be made."""


def _sim(*words):
    """Return: what femu-sim said to WORDS."""
    try:
        done = subprocess.run([SIM, 'cut', *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)
    except OSError as error:
        raise RecordedError('%s: %s: make core' % (
            SIM, error.strerror)) from error
    if done.returncode:
        raise RecordedError(done.stderr.strip())
    return done.stdout


class Recorded:
    """The recording in the folder of a run; DILATION was the run's."""

    def __init__(self, folder, dilation):
        self._trace = os.path.join(folder, 'trace.csv')
        self._journal = os.path.join(folder, 'journal')
        self._dilation = dilation
        for path in (self._trace, self._journal):
            if not os.path.isfile(path):
                raise RecordedError('%s is missing: it is no run of "make '
                                    'crash"' % path)
        self._acks = points.read_acks(os.path.join(folder, 'results', 'acks'))
        self.points = points.read_points(_sim('--list', self._trace))

    def chosen(self):
        """Return: the points that the job wants cuts at."""
        return points.between_marks(self.points, self._acks, self._dilation)

    def acks_before(self, point):
        """Return: what was acknowledged before POINT, texts."""
        return points.made_before(self._acks, point, self._dilation)

    def make_drive(self, cut, folder):
        """Writes what the CUT leaves of the drive to the new FOLDER, as its
        state. Return: what became of its zones, a text."""
        return _sim('--at-point', str(cut.point.number), '--seed',
                    str(cut.seed), '--journal', self._journal, '--state',
                    folder, self._trace)
