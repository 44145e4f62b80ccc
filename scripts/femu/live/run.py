# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of a run in a guest: LIVE=.

Knows nothing of what the run does.
"""

from femu.common import qmp
from femu.live import device, server, watched


class Live:
    """LIVE=TEXT. If it is off, all that is called does nothing. SAY prints."""

    def __init__(self, text, title, drive, say):
        self._watched = watched.Watched(title)
        self._drive = drive
        self._say = say
        self._server = self._place = self._watcher = None
        port = server.port_of(text)
        if port is not None:
            self._server = server.Server(port, self._watched)
            self._place = qmp.Place()
            say('live: ' + self._server.url)

    def argv(self):
        """Return: what QEMU is called with."""
        return self._place.argv() if self._place else []

    def begin(self):
        """QEMU starts."""
        if self._place:
            self._watcher = device.Watcher(self._place.path, self._drive,
                                           self._watched, self._say)

    def step(self, text):
        """TEXT is under way."""
        self._watched.step(text)

    def end(self, text):
        """It has ended, TEXT says how."""
        if self._watcher:
            self._watcher.end()
        if self._place:
            self._place.remove()
            self._server.end(text)
