# SPDX-License-Identifier: GPL-2.0-or-later
"""What the user asked for that several commands take from the environment: a
file, the simulator, changes of the drive's properties. What is wrong is told
with the variable, its value and what would be right.

Knows nothing of what the commands do with it.
"""

import os
import re
import shlex

from femu.common.paths import TOP

PROPERTY = re.compile(r'([a-z][a-z0-9.-]*)=(.+)')
# Properties of the drive that have a variable of their own.
OURS = {'trace': 'the run (TRACE=0: no trace.csv)',
        'time-dilation': 'DILATION='}


class SettingsError(Exception):
    """The user's input is wrong."""


def path_of(name, default):
    """Return: what the variable NAME has, or a path below the repository."""
    return os.environ.get(name) or os.path.join(TOP, default)


def simulator():
    """Return: femu-sim, which is there; raises SettingsError."""
    sim = path_of('FEMU_SIM', 'build-core/tools/femu-sim')
    if not os.access(sim, os.X_OK):
        raise SettingsError('%s is missing: make core' % sim)
    return sim


def properties(text):
    """SET="a=1 b=x". Return: property -> value, in the user's order."""
    try:
        words = shlex.split(text or '')
    except ValueError as error:
        raise SettingsError('SET=%s: %s' % (text, error)) from error
    found = {}
    for word in words:
        match = PROPERTY.fullmatch(word)
        if not match:
            raise SettingsError('SET=%s: "%s" is not property=value, as in '
                                'SET="channels=4 ways=2"' % (text, word))
        if match[1] in OURS:
            raise SettingsError('SET=%s: "%s" is set by %s'
                                % (text, match[1], OURS[match[1]]))
        found[match[1]] = match[2]
    return found
