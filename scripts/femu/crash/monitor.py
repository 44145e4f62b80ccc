# SPDX-License-Identifier: GPL-2.0-or-later
"""QEMU's monitor, for whoever starts, saves and loads a machine.

Knows nothing of what the machine does.
"""

import json
import os
import re
import socket
import time

START_S = 60
ANSWER_S = 120
POLL_S = 0.01
# What is mapped from a file that is shared is not in a saved machine.
SHIFTS = {'': 0, 'K': 10, 'M': 20, 'G': 30, 'T': 40}
NUMBER = re.compile('(0x[0-9a-fA-F]+|[0-9]+)([KMGTkmgt]?)')
NUMERIC = re.compile('u?int|size')
IGNORE_SHARED = [{'capability': 'x-ignore-shared', 'state': True}]


class MonitorError(Exception):
    """QEMU has ended, or will not do what it was asked to."""


class Monitor:
    """A connection to QEMU, whose arguments have arguments(PATH)."""

    def __init__(self, path, process):
        self._process = process
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(ANSWER_S)
        self._connect(path)
        self._file = self._socket.makefile('r', encoding='utf-8')
        self._read()                    # its greeting
        self.ask('qmp_capabilities')

    def _connect(self, path):
        end = time.monotonic() + START_S
        while True:
            try:
                self._socket.connect(path)
                return
            except OSError as error:
                if self._process.poll() is not None or \
                        time.monotonic() > end:
                    raise MonitorError('QEMU does not start') from error
                time.sleep(POLL_S)

    def _read(self):
        line = self._file.readline()
        if not line:
            raise MonitorError('QEMU has ended')
        return json.loads(line)

    def ask(self, command, **arguments):
        """Return: the answer to COMMAND. What QEMU tells meanwhile is
        dropped."""
        try:
            self._socket.sendall(json.dumps(
                {'execute': command, 'arguments': arguments}).encode() + b'\n')
            while True:
                answer = self._read()
                if 'error' in answer:
                    raise MonitorError('%s: %s' % (
                        command, answer['error']['desc']))
                if 'return' in answer:
                    return answer['return']
        except (OSError, ValueError) as error:
            raise MonitorError('%s: %s' % (command, error)) from error

    def plug(self, driver, properties, **others):
        """Adds a device of DRIVER; PROPERTIES: {name: text}, as on a command
        line, OTHERS are texts for sure."""
        types = {row['name']: row['type'] for row in self.ask(
            'device-list-properties', typename=driver)}
        self.ask('device_add', driver=driver, **others, **{
            name: _value(types.get(name, 'str'), text)
            for name, text in properties.items()})

    def save(self, path):
        """Saves the machine, which stands still from now on, to PATH."""
        self.ask('stop')
        self.ask('migrate-set-capabilities', capabilities=IGNORE_SHARED)
        self.ask('migrate', uri='file:' + os.path.abspath(path))
        self._wait_for_move()

    def load(self, path):
        """Loads PATH into a machine that was started with "-incoming defer". It
        stands still."""
        self.ask('migrate-set-capabilities', capabilities=IGNORE_SHARED)
        self.ask('migrate-incoming', uri='file:' + os.path.abspath(path))
        self._wait_for_move()
        while self.ask('query-status')['status'] == 'inmigrate':
            time.sleep(POLL_S)

    def _wait_for_move(self):
        while True:
            answer = self.ask('query-migrate')
            status = answer.get('status')
            if status == 'completed':
                return
            if status == 'failed':
                raise MonitorError(answer.get('error-desc',
                                              'the machine is not loaded'))
            time.sleep(POLL_S)

    def close(self):
        """The connection ends."""
        self._file.close()
        self._socket.close()


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
