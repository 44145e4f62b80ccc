# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest that checks a drive: it is booted once, without a drive, and saved;
for each drive it goes on from there, as a machine that has just started.

Its memory is a file, which each of the machines has to itself as it was when it
was saved; the rest of the machine is loaded. The drive is plugged in before it
goes on.

Knows nothing of what is checked, nor of where the drives come from.
"""

import io
import os
import shlex
import shutil
import subprocess
import tarfile
import time

from femu.crash import monitor
from femu.guest import (
    machine, settings as settings_module, snapshot, watch)

RESULTS_MIB = 8
POLL_S = 0.02
CHECKED = '@checked '
KERNEL = '@kernel '
READY = '@ready'
FILE_SYSTEMS = ('f2fs', 'btrfs', 'zonefs', 'ext4')
# Of a drive's own, what a drive that goes on elsewhere does not have.
ONLY_THERE = ('driver', 'memdev', 'trace', 'journal', 'state')


class CheckerError(Exception):
    """A guest that cannot check."""


class Verdict:
    """What came of a check. failure: what is wrong, or None."""

    def __init__(self, failure, said, seconds):
        self.failure = failure
        self.said = said
        self.seconds = seconds


def _last(path):
    """Return: the lines of a text file; none if it is not there."""
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


class Checker:
    """Checks drives of SETTINGS by the script CHECK. Files go to FOLDER; what
    takes longer than LIMIT_S has failed."""

    def __init__(self, settings, check, folder, limit_s):
        settings.results_mib = RESULTS_MIB
        self._settings = settings
        self._check = check
        self._folder = folder
        self._limit_s = limit_s
        self._guest = machine.Guest(settings)
        self._initrd = os.path.join(folder, 'initrd')
        self._memory = os.path.join(folder, 'memory')
        self._saved = os.path.join(folder, 'machine')

    def _argv(self, folder, is_first):
        """Return: the command line of a QEMU whose files are in FOLDER."""
        made = machine.Machine(self._settings, self._guest)
        made.use_virtual_time()
        modules = self._modules()
        if modules:
            made.load_modules(modules)
        made.use_memory(self._memory, not is_first)
        made.add_console('file:' + os.path.join(folder, 'console.txt'))
        made.add_messages(os.path.join(folder, 'guest.txt'))
        made.add_root()
        made.add_results(os.path.join(folder, 'results'), RESULTS_MIB)
        made.add_port()
        made.add_arguments(monitor.arguments('monitor'))
        if not is_first:
            made.add_arguments(['-incoming', 'defer'])
        return made.argv(self._initrd, 'check')

    def _modules(self):
        """Return: file systems that the arguments name, else those that the
        check does: loaded once, before the guest is saved."""
        with open(self._check, encoding='utf-8', errors='replace') as file:
            text = file.read()
        asked = self._settings.args.values()
        return [name for name in FILE_SYSTEMS if name in asked] or \
            [name for name in FILE_SYSTEMS if name in text]

    def _start(self, folder, is_first):
        """Return: the process of a QEMU, which works in FOLDER: so names are
        short enough for a socket, and have no blanks."""
        argv = self._argv(folder, is_first)
        with open(os.path.join(folder, 'qemu.txt'), 'wb') as said:
            return subprocess.Popen(
                argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=said,
                stderr=said, start_new_session=True,
                preexec_fn=watch.die_with_parent)

    def prepare(self, boot_s):
        """Boots the guest, within BOOT_S, and saves it."""
        folder = os.path.join(self._folder, 'first')
        os.makedirs(folder)
        self._guest.write_initrd(self._initrd, {}, self._settings.extra)
        process = self._start(folder, True)
        try:
            tell = monitor.Monitor(os.path.join(folder, 'monitor'), process)
            self._wait(process, folder, READY, boot_s)
            tell.ask('stop')
            tell.save(self._saved)
            tell.close()
        except (snapshot.SnapshotError, CheckerError) as error:
            raise CheckerError('the guest that checks: %s\n%s' % (
                error, self._ends(folder))) from error
        finally:
            process.kill()
            process.wait()
        shutil.rmtree(folder)

    def _wait(self, process, folder, word, limit_s):
        """Until the guest says a line that begins with WORD. Return: the
        line."""
        messages = watch.Tail(os.path.join(folder, 'guest.txt'))
        end = time.monotonic() + limit_s
        while True:
            has_ended = process.poll() is not None
            for line in messages.lines():
                if line.startswith(word):
                    return line
            if has_ended:
                raise CheckerError('it has ended (%d)' % process.returncode)
            if time.monotonic() > end:
                raise CheckerError('it says nothing for %d s' % limit_s)
            time.sleep(POLL_S)

    @staticmethod
    def _ends(folder):
        """Return: the ends of what QEMU and the guest's kernel said."""
        return '\n'.join(_last(os.path.join(folder, 'qemu.txt'))[-5:] +
                         _last(os.path.join(folder, 'console.txt'))[-12:])

    def _properties(self):
        """Return: {name: text}, those of the drive."""
        found = settings_module.drive_properties(self._settings.config)
        found.update(self._settings.set)
        if self._settings.dilation != 1:
            found['time-dilation'] = str(self._settings.dilation)
        return {name: value for name, value in found.items()
                if name not in ONLY_THERE and
                not name.startswith('power-cut')}

    def _hand_over(self, path, acks):
        """Writes what the guest is to do to the file PATH, of its NVDIMM."""
        name = os.path.basename(self._check)
        env = ['CHECK_FILE=%s' % shlex.quote(name)]
        if self._settings.args:
            env.append('CHECK_ARGS=(%s)' % ' '.join(
                shlex.quote('%s=%s' % one)
                for one in self._settings.args.items()))
        with open(self._check, 'rb') as file:
            script = file.read()
        files = {'check.env': '\n'.join(env + ['']).encode(), name: script,
                 'acks': ''.join(ack + '\n' for ack in acks).encode()}
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode='w') as tar:
            for member, data in files.items():
                info = tarfile.TarInfo(member)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
        data = archive.getvalue()
        if len(data) > RESULTS_MIB << 20:
            raise CheckerError('acks of %d bytes are too many' % len(data))
        with open(path, 'r+b') as file:
            file.write(data)

    def check(self, folder, acks):
        """Checks the drive whose state is FOLDER/state; ACKS: what had been
        acknowledged. Return: a Verdict."""
        start = time.monotonic()
        process = self._start(folder, False)
        try:
            self._hand_over(os.path.join(folder, 'results'), acks)
            failure = self._go_on(process, folder)
        except snapshot.SnapshotError as error:
            raise CheckerError('%s\n%s' % (error,
                                           self._ends(folder))) from error
        except CheckerError as error:
            failure = 'the guest: %s' % error
        finally:
            process.kill()
            process.wait()
        said = _last(os.path.join(folder, 'guest.txt'))
        failure = failure or next((line[1:] for line in said
                                   if line.startswith(KERNEL)), None)
        return Verdict(failure, [line for line in said if line and
                                 not line.startswith(CHECKED)],
                       time.monotonic() - start)

    def _go_on(self, process, folder):
        """Return: what the check has failed by, or None."""
        tell = monitor.Monitor(os.path.join(folder, 'monitor'), process)
        tell.load(self._saved)
        tell.plug(self._settings.driver, self._properties(),
                  id=machine.DRIVE_ID, bus=machine.PORT_ID, state='state')
        tell.go_on()
        status = self._wait(process, folder, CHECKED,
                            self._limit_s)[len(CHECKED):]
        tell.close()
        return None if status == '0' else 'exit status %s' % status
