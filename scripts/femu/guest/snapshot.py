# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine that is saved to a file, and goes on in any number of QEMUs.

What the machine maps from files that are shared (the root image, the results)
is not in the saved file: each QEMU finds it where its command line says.

Knows nothing of what runs in the guest.
"""

import os
import time

from femu.common import qmp

START_S = 30
POLL_S = 0.02
IGNORE_SHARED = [{'capability': 'x-ignore-shared', 'state': True}]
# A file "without limit", in bytes per second: nobody waits for a network.
FASTEST = 1 << 40


class SnapshotError(Exception):
    """A machine that was not saved, or not loaded."""


class Monitor:
    """A QEMU that was started with the arguments of the qmp.Place with that
    PATH; IS_ALIVE tells whether it still runs."""

    def __init__(self, path, is_alive):
        self._client = _client(path, is_alive)

    def ask(self, command, **arguments):
        """Return: the answer to COMMAND."""
        try:
            return self._client.ask(command, **arguments)
        except (qmp.QmpError, OSError) as error:
            raise SnapshotError('%s: %s' % (command, error)) from error

    def status(self):
        """Return: what QEMU is doing: running, paused, ..."""
        return self.ask('query-status')['status']

    def wait_until_it_stands(self):
        """The guest has asked to be stopped: until it is."""
        end = time.monotonic() + START_S
        while self.status() == 'running':
            if time.monotonic() > end:
                raise SnapshotError('the guest did not stop at its mark')
            time.sleep(POLL_S)

    def save(self, path):
        """Saves the machine, which stands still, to PATH."""
        self._begin()
        self.ask('migrate', uri='file:' + os.path.abspath(path))
        self._wait()

    def load(self, path):
        """Loads PATH into a QEMU that was started with "-incoming defer" and
        the command line of the one that was saved, but for paths."""
        self._begin()
        self.ask('migrate-incoming', uri='file:' + os.path.abspath(path))
        self._wait()
        while self.status() == 'inmigrate':
            time.sleep(POLL_S)

    def go_on(self):
        """The machine runs."""
        self.ask('cont')

    def close(self):
        """Ends the connection."""
        self._client.close()

    def _begin(self):
        self.ask('migrate-set-capabilities', capabilities=IGNORE_SHARED)
        self.ask('migrate-set-parameters', **{'max-bandwidth': FASTEST})

    def _wait(self):
        while True:
            answer = self.ask('query-migrate')
            status = answer.get('status')
            if status == 'completed':
                return
            if status == 'failed':
                raise SnapshotError(answer.get('error-desc',
                                               'QEMU does not say why'))
            time.sleep(POLL_S)


def _client(path, is_alive):
    end = time.monotonic() + START_S
    while True:
        try:
            return qmp.Client(path)
        except (qmp.QmpError, OSError) as error:
            if time.monotonic() > end or not is_alive():
                raise SnapshotError('QEMU does not answer at %s: %s' % (
                    path, error)) from error
            time.sleep(POLL_S)
