# SPDX-License-Identifier: GPL-2.0-or-later
"""Watches the drive of a QEMU that runs: asks for its property "live" again and
again, in a thread of its own.

Knows nothing of who is told.
"""

import json
import threading

from femu.common import qmp

ASK_S = 0.25


class Watcher:
    """Adds what the device DEVICE says to a Watched, from now until end().
    TELL is called once with why nothing more can be seen, if that is so."""

    def __init__(self, path, device, watched, tell):
        self._path = path
        self._device = device
        self._watched = watched
        self._tell = tell
        self._client = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self):
        """QEMU has ended."""
        self._over.set()
        if self._client:
            self._client.close()
        self._thread.join()

    def _connect(self):
        """A client, as soon as QEMU listens. Return: does it?"""
        while not self._over.wait(ASK_S):
            try:
                self._client = qmp.Client(self._path)
                return True
            except (FileNotFoundError, ConnectionRefusedError):
                continue
        return False

    def _run(self):
        try:
            if self._connect():
                self._ask()
        except qmp.Closed:
            pass                        # QEMU ends
        except (qmp.QmpError, OSError, ValueError) as error:
            if not self._over.is_set():
                self._tell('the drive is watched no longer: %s' % error)

    def _ask(self):
        while not self._over.wait(ASK_S):
            self._watched.add(json.loads(
                self._client.property(self._device, 'live')))
