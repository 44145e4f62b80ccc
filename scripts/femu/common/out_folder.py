# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a command's results go, so that those of other settings stay.

Knows nothing of the commands.
"""

import hashlib
import os
import re

LONGEST = 100


def name_of(command, values):
    """VALUES: what the user gave, None or '' for nothing: words, or paths.

    Return: COMMAND, and after it what was given.
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
    does. Return: OUT, or TOP/out/COMMAND, or one more for each setting."""
    return os.environ.get('OUT') or os.path.join(
        top, 'out', name_of(command, map(os.environ.get, settings)))
