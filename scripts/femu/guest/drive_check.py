# SPDX-License-Identifier: GPL-2.0-or-later
"""Has femu-sim read a drive's configuration before QEMU does: its messages name
file, line, value and what would be right.

Knows nothing of what the parameters mean.
"""

import os
import re
import subprocess

from femu.common.paths import TOP
from femu.guest import settings as settings_module

SIM = os.path.join(TOP, 'build-core', 'tools', 'femu-sim')
LIMIT_S = 60
REFUSED = 2


def properties(settings, sim=SIM):
    """Return: of each drive {name: text}, every property as it will be; {} if
    femu-sim cannot tell, as the driver or QEMU is not ours or femu-sim is not
    built. Raises SettingsError."""
    if settings.driver != 'femu-zns' or settings.has_own_qemu:
        return [{} for _ in settings.configs]
    found = {config: _properties_of(config, settings, sim)
             for config in dict.fromkeys(settings.configs)}
    return [found[config] for config in settings.configs]


def _properties_of(config, settings, sim):
    argv = [sim, 'params', '--for-qemu', '--resolved', '--device=zns0',
            '--config=' + config]
    argv += ['--set=%s=%s' % change for change in settings.set.items()]
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=LIMIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    if done.returncode == REFUSED:
        raise settings_module.SettingsError(
            said(config, settings, done.stderr))
    found = dict(re.findall(r'^  ([a-z0-9-]+) = "(.*)"$', done.stdout, re.M))
    found.pop('driver', None)
    return found


def said(config, settings, text):
    """Return: femu-sim's message TEXT, with SET in the place of its --set."""
    text = re.sub('^femu-sim: ', '', text.strip())
    if text.startswith('--set '):
        return text.replace('--set ', 'SET: ', 1)
    # A rule between parameters, some of which SET may have changed.
    if settings.set and text.startswith(config + ': '):
        return '%s (with SET="%s")' % (text, ' '.join(
            '%s=%s' % change for change in settings.set.items()))
    return text
