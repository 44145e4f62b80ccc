# SPDX-License-Identifier: GPL-2.0-or-later
"""Asks a running QEMU, by QMP.

Knows nothing of what is asked, nor of what the answers say.
"""

import json
import os
import shutil
import socket
import tempfile


class QmpError(Exception):
    """QEMU is not there, or did not answer as QMP has it."""


class Closed(QmpError):
    """QEMU has ended the connection."""


class Place:
    """A folder with the socket that QEMU listens on: a name of its own, short
    enough for one, which nobody else may enter."""

    def __init__(self):
        self._folder = tempfile.mkdtemp(prefix='femu-qmp-')
        self.path = os.path.join(self._folder, 'qmp')

    def argv(self):
        """Return: QEMU's arguments."""
        return ['-qmp', 'unix:%s,server=on,wait=off' % self.path]

    def remove(self):
        """QEMU has ended."""
        shutil.rmtree(self._folder, ignore_errors=True)


class Client:
    """A connection to QEMU; raises QmpError or OSError."""

    def __init__(self, path):
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(path)
            self._file = self._socket.makefile('rb')
            if 'QMP' not in self._read():
                raise QmpError('%s: is no QMP' % path)
            self.ask('qmp_capabilities')
        except BaseException:
            self._socket.close()
            raise

    def close(self):
        """Ends the connection, and what waits for an answer."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass                        # QEMU has ended it
        self._socket.close()

    def _read(self):
        line = self._file.readline()
        if not line:
            raise Closed('QEMU has closed the connection')
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise QmpError('QEMU said "%.80s"' % line.decode(errors='replace'))
        return answer

    def ask(self, command, **arguments):
        """Return: the answer to COMMAND. What QEMU tells meanwhile is
        dropped."""
        self._socket.sendall(json.dumps(
            {'execute': command, 'arguments': arguments}).encode() + b'\n')
        while True:
            answer = self._read()       # events may come before it
            if 'return' in answer:
                return answer['return']
            if 'error' in answer:
                raise QmpError(str(answer['error'].get('desc')))

    def property(self, device, name):
        """Return: the value of a property of the device with that id."""
        return self.ask('qom-get', path='/machine/peripheral/' + device,
                         property=name)
