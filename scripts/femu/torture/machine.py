# SPDX-License-Identifier: GPL-2.0-or-later
"""A QEMU without a guest: whoever holds it reads and writes its memory and
registers and moves its clock (QEMU's qtest protocol), and sets properties (QMP).

Knows nothing of NVMe.
"""

import base64
import json
import os
import signal
import socket
import subprocess
import threading

BIOS_BYTES = 64 * 1024
WAIT_S = 60


class Gone(Exception):
    """QEMU has ended."""


def _line(file):
    """Return: the next line from QEMU."""
    try:
        line = file.readline()
    except (OSError, ValueError) as error:
        raise Gone from error
    if not line.endswith(b'\n'):
        raise Gone
    return line


class Machine:
    """A QEMU that runs no code. Calls raise Gone once it has ended."""

    def __init__(self, binary, device, folder):
        """FOLDER is for its messages and a BIOS of zeroes."""
        bios = os.path.join(folder, 'bios')
        with open(bios, 'wb') as file:
            file.write(bytes(BIOS_BYTES))
        self.said = os.path.join(folder, 'qemu.err')
        here, there = zip(*(socket.socketpair() for _ in range(2)))
        fds = [side.fileno() for side in there]
        with open(self.said, 'wb') as err:
            self.process = subprocess.Popen(
                [binary, '-machine', 'q35,pit=off', '-m', '64', '-nodefaults',
                 '-accel', 'qtest', '-display', 'none', '-bios', bios,
                 '-global', 'apic-common.vapic=off',
                 '-chardev', f'socket,id=q,fd={fds[0]}', '-qtest', 'chardev:q',
                 '-qtest-log', '/dev/null',
                 '-chardev', f'socket,id=m,fd={fds[1]}',
                 '-mon', 'chardev=m,mode=control', '-device', device],
                pass_fds=fds, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=err)
        for side in there:
            side.close()
        for side in here:
            side.settimeout(WAIT_S)
        self._sockets = here
        self._test, self._mon = [side.makefile('rwb') for side in here]
        self._waiting = 0

    def start(self):
        """Waits until it answers; before, all that it does is to begin."""
        _line(self._mon)
        self.qmp('qmp_capabilities')
        self.call('clock_set 0')

    # --- Memory, registers, time ----------------------------------------------

    def post(self, command):
        """Sends COMMAND, whose answer call() drops later."""
        try:
            self._test.write(command.encode('ascii') + b'\n')
        except (OSError, ValueError) as error:
            raise Gone from error
        self._waiting += 1

    def call(self, command):
        """Return: the words of the answer to COMMAND."""
        self.post(command)
        try:
            self._test.flush()
        except (OSError, ValueError) as error:
            raise Gone from error
        words = []
        while self._waiting > 0:
            words = _line(self._test).decode('ascii').split()
            if words[0] == 'OK':
                self._waiting -= 1
            elif words[0] != 'IRQ':
                raise RuntimeError(f'QEMU says {words} to {command}')
        return words[1:]

    def read(self, at, count):
        """Return: COUNT bytes of memory."""
        return base64.b64decode(self.call(f'b64read {at} {count}')[0])

    def write(self, at, data):
        """Memory; it is there before anything that is asked later."""
        text = base64.b64encode(data).decode('ascii')
        self.post(f'b64write {at} {len(data)} {text}')

    def readl(self, at):
        """Return: a register of 4 bytes."""
        return int(self.call(f'readl {at}')[0], 16)

    def config(self, slot, at, value):
        """Writes 4 bytes of PCI configuration space of bus 0."""
        self.post(f'outl 0xcf8 {0x80000000 | slot << 11 | at}')
        self.post(f'outl 0xcfc {value}')

    def step(self, step_ns=None):
        """Moves the clock, to the next timer unless told how far. Return: the
        time, or None if there is no timer."""
        words = self.call('clock_step' if step_ns is None
                          else f'clock_step {step_ns}')
        return int(words[0])

    # --- QEMU itself ----------------------------------------------------------

    def qmp(self, command, **arguments):
        """Has QEMU execute COMMAND."""
        asked = {'execute': command, 'arguments': arguments}
        try:
            self._mon.write(json.dumps(asked).encode('ascii') + b'\n')
            self._mon.flush()
        except (OSError, ValueError) as error:
            raise Gone from error
        while True:
            answer = json.loads(_line(self._mon))
            if 'error' in answer:
                raise RuntimeError(f'{command}: {answer["error"]["desc"]}')
            if 'return' in answer:
                return answer['return']

    def kill_in(self, after_s):
        """SIGKILL, so many seconds from now, whatever it does then. Return: a
        timer, to be cancelled or joined."""
        timer = threading.Timer(after_s, self.process.send_signal,
                                [signal.SIGKILL])
        timer.daemon = True
        timer.start()
        return timer

    def end(self):
        """Kills it, if it is there. Return: what it had said."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for side in self._sockets:
            side.close()
        with open(self.said, encoding='utf-8', errors='replace') as file:
            return file.read()
