# SPDX-License-Identifier: GPL-2.0-or-later
"""The monitor of a guest that checks: a snapshot's, by which drives are plugged
in.

Knows nothing of what the machine does.
"""

import re

from femu.guest import snapshot

SHIFTS = {'': 0, 'K': 10, 'M': 20, 'G': 30, 'T': 40}
NUMBER = re.compile('(0x[0-9a-fA-F]+|[0-9]+)([KMGTkmgt]?)')
NUMERIC = re.compile('u?int|size')


class Monitor(snapshot.Monitor):
    """A connection to the QEMU of PROCESS, whose arguments have
    arguments(PATH)."""

    def __init__(self, path, process):
        super().__init__(path, lambda: process.poll() is None)

    def plug(self, driver, properties, **others):
        """Adds a device of DRIVER; PROPERTIES: {name: text}, as on a command
        line, OTHERS are texts for sure."""
        types = {row['name']: row['type'] for row in self.ask(
            'device-list-properties', typename=driver)}
        self.ask('device_add', driver=driver, **others, **{
            name: _value(types.get(name, 'str'), text)
            for name, text in properties.items()})


def _value(kind, text):
    """Return: TEXT, a property's value on a command line, as QMP wants one of
    that KIND."""
    number = NUMBER.fullmatch(text)
    if kind == 'bool':
        return text in ('on', 'yes', 'true')
    if NUMERIC.match(kind) and number:
        return int(number[1], 0) << SHIFTS[number[2].upper()]
    return text


def arguments(path):
    """Return: QEMU's arguments for a monitor at PATH, a socket."""
    return ['-qmp', 'unix:%s,server=on,wait=off' % path.replace(',', ',,')]
