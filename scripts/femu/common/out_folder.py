# SPDX-License-Identifier: GPL-2.0-or-later
"""Names the folder of a command's results. Each choice of settings has a folder
of its own, so that no results are overwritten by those of another.

Knows nothing of the commands.
"""

import hashlib
import os
import re

LONGEST = 100


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
