# SPDX-License-Identifier: GPL-2.0-or-later
"""Names the folder of a command's results. Each choice of settings has a folder
of its own, so that no results are overwritten by those of another; and what is a
user's is not removed.

Knows nothing of the commands.
"""

import contextlib
import hashlib
import os
import re
import shutil

from femu.common import os_errors
from femu.common.asked import SettingsError

LONGEST = 100
# A run in a guest begins with these.
OF_RUN = ('command.txt', 'config.cfg', 'meta.json')


def name_of(command, values):
    """VALUES: the settings that the user gave, words or paths; None or '' where
    none was given.

    Return: COMMAND, followed by the settings.
    """
    words = [command]
    for value in values:
        if value:
            if os.path.exists(value):
                value = os.path.splitext(os.path.relpath(value))[0]
            words.append(re.sub(r'[^A-Za-z0-9=_.]+', '-', value).strip('-.'))
    name = '-'.join(words)
    if len(name) > LONGEST:
        name = '%s-%s' % (name[:LONGEST],
                          hashlib.sha256(name.encode()).hexdigest()[:8])
    return name


def choose(top, command, settings):
    """SETTINGS: names of variables of the environment that change what COMMAND
    does. Return: OUT if it is set, else TOP/out/COMMAND followed by the
    settings."""
    return os.environ.get('OUT') or os.path.join(
        top, 'out', name_of(command, map(os.environ.get, settings)))


def make_room(out):
    """Removes the folder OUT that is ours by its name; a user's, OUT=, must be
    new or empty, else this raises SettingsError."""
    if os.environ.get('OUT') and os.path.isdir(out) and os.listdir(out):
        raise SettingsError('OUT=%s: the folder is not empty' % out)
    shutil.rmtree(out, ignore_errors=True)


@contextlib.contextmanager
def begun(out):
    """Makes the folder OUT, to which OSErrors from inside are given that name no
    path. If something fails before anything is in it, it is not left behind, nor
    is what was made above it."""
    missing, path = [], os.path.abspath(out)
    while not os.path.lexists(path):
        missing.append(path)
        path = os.path.dirname(path)
    os.makedirs(out, exist_ok=True)
    try:
        with os_errors.at(out):
            yield
    except BaseException:
        with contextlib.suppress(OSError):
            for path in missing:
                os.rmdir(path)
        raise


def drop_run(path):
    """Removes the folder PATH, in OUT, of an earlier run in a guest. Raises
    SettingsError if OUT= has another folder of that name."""
    if os.environ.get('OUT') and os.path.isdir(path) and os.listdir(path) and \
            not any(os.path.exists(os.path.join(path, name))
                    for name in OF_RUN):
        raise SettingsError('OUT=%s: %s is of no earlier run: name another '
                            'folder' % (os.environ['OUT'], path))
    shutil.rmtree(path, ignore_errors=True)


def spare(out, written, read):
    """WRITTEN: names of the files that a command writes to the folder OUT. READ:
    variables of the environment that name what it reads. Raises SettingsError
    if one of these is one of those."""
    for variable in read:
        path = os.environ.get(variable) or ''
        for name in written:
            if path and os.path.realpath(path) == os.path.realpath(
                    os.path.join(out, name)):
                raise SettingsError(
                    'OUT=%s: %s=%s would be overwritten: name another folder'
                    % (os.environ.get('OUT') or out, variable, path))
