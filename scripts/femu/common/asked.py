# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings that several commands read from environment variables: a file, the
simulator, changes of the drive's properties. An error names the variable, its
value and what would be right.

Knows nothing of what the commands do with it.
"""

import os
import re
import shlex
import subprocess

from femu.common.paths import TOP

PROPERTY = re.compile(r'([a-z][a-z0-9.-]*)=(.+)')
# Properties that SET= may not change, and what sets them instead.
OURS = {'trace': 'the run (TRACE=0: no trace.csv)',
        'time-dilation': 'DILATION='}


class SettingsError(Exception):
    """The user's input is wrong."""


def path_of(name, default):
    """Return: the value of the environment variable NAME, or the path DEFAULT
    below the repository."""
    return os.environ.get(name) or os.path.join(TOP, default)


def file_of(name, default):
    """Return: as path_of(). Raises SettingsError if it is no file to read."""
    path = path_of(name, default)
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        raise SettingsError('%s=%s: no such file, or not readable' % (name,
                                                                      path))
    return path


def whole(name, default, least, most):
    """Return: the value of the environment variable NAME, or DEFAULT. Raises
    SettingsError if it is no whole number from LEAST to MOST."""
    text = os.environ.get(name) or str(default)
    # As many digits as MOST has, and no others than 0 to 9: int() takes more.
    if not re.fullmatch('[0-9]{1,%d}' % len(str(most)), text) or \
            not least <= int(text) <= most:
        raise SettingsError('%s=%s: must be %d to %d' % (name, text, least,
                                                         most))
    return int(text)


def simulator():
    """Return: the path of femu-sim. Raises SettingsError if there is none."""
    sim = path_of('FEMU_SIM', 'build-core/tools/femu-sim')
    if not os.access(sim, os.X_OK):
        raise SettingsError('%s is missing: make core' % sim)
    return sim


def drive(sim, changes):
    """CHANGES: {property: value} of SET. Return: the path of CONFIG. Raises
    SettingsError if the two are no drive."""
    config = path_of('CONFIG', 'configs/zn540.cfg')
    check_drive(sim, config, changes)
    return config


def check_drive(sim, config, changes):
    """Raises SettingsError with what femu-sim says of a configuration with
    CHANGES, {property: value} of SET, if they are no drive."""
    done = subprocess.run(
        [sim, 'params', '--config=' + config] +
        ['--set=%s=%s' % change for change in changes.items()],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, errors='replace', check=False)
    if done.returncode:
        text = done.stderr.strip().removeprefix('femu-sim: ')
        raise SettingsError(re.sub('^--set ', 'SET: ', text) or
                            '%s: femu-sim params: exit status %d' % (
                                config, done.returncode))


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
