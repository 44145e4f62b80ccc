# SPDX-License-Identifier: GPL-2.0-or-later
"""The cache of machines that were saved behind a preparation, and of simulated
drives that were filled: a folder each, named by what made it, with the saved
machine or drive and meta.json, which has its hash.

STATES=dir is where (build-states), STATES_MIB= how much it may hold (4096):
those that were used least recently go first.

Knows nothing of QEMU or femu-sim, nor of what a preparation is.
"""

import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
import time

from femu.common.asked import SettingsError
from femu.common.digest import sha256
from femu.common.paths import TOP

MIB = 1 << 20
LIMIT_MIB = 4096
NAME_CHARS = 16
NAME = re.compile('[0-9a-f]{4,%d}' % NAME_CHARS)
MACHINE, META = 'machine', 'meta.json'


class StatesError(SettingsError):
    """A state that is not there or is damaged, or a wrong limit."""


def name_of(parts):
    """Return: the name of the state that PARTS, of JSON's types, make."""
    text = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:NAME_CHARS]


class State:
    """A state that is there. `fault`: why nobody can go on from it, or None; it
    counts as one that was never used, and is in nobody else's way."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)
        self.machine = os.path.join(path, MACHINE)
        self.meta, self.bytes, self.used_s, self.fault = {}, 0, 0, None
        try:
            self.bytes = _bytes_below(path)
            self.meta = _read_meta(os.path.join(path, META))
            self.used_s = os.stat(os.path.join(path, META)).st_mtime
        except OSError as error:
            self.fault = 'cannot be read: %s' % error.strerror
        except ValueError as error:
            self.fault = 'is damaged: %s: %s' % (META, error)

    def checked(self):
        """Return: this state. Raises StatesError if it has a fault."""
        if self.fault:
            raise StatesError('the state %s %s; "make states CLEAR=%s" removes '
                              'it' % (self.path, self.fault, self.name))
        return self

    @property
    def is_simulated(self):
        """Whether it is of a drive alone, that femu-sim has left there."""
        return self.meta.get('simulator', False)

    def check(self):
        """Raises if the machine is not what was saved."""
        if sha256(self.machine) != self.meta['sha256']:
            raise StatesError(
                'the state %s is damaged: its SHA-256 is not the one in its '
                'meta.json; "make states CLEAR=%s" removes it' % (
                    self.path, self.name))

    def use(self):
        """It is the one that was used last."""
        os.utime(os.path.join(self.path, META))


class Cache:
    """All of them."""

    def __init__(self, env):
        self.asked = env.get('STATES')
        self.folder = os.path.abspath(
            self.asked or os.path.join(TOP, 'build-states'))
        text = env.get('STATES_MIB') or str(LIMIT_MIB)
        if not re.fullmatch('[0-9]{1,9}', text):
            raise StatesError('STATES_MIB=%s: a whole number is expected, of '
                              'MiB; 0 keeps nothing' % text)
        self.limit_bytes = int(text) * MIB

    def can_keep(self):
        """Return: whether states can be put there: somebody else's tree may be
        used, too. Raises StatesError if STATES= names such a folder."""
        try:
            os.makedirs(self.folder, exist_ok=True)
            if os.access(self.folder, os.W_OK | os.X_OK):
                return True
            why = os.strerror(errno.EACCES)
        except OSError as error:
            why = error.strerror
        if self.asked:
            raise StatesError('STATES=%s: nothing can be written there: %s' % (
                self.asked, why))
        return False

    def check_asked(self):
        """Raises StatesError if STATES= names no folder."""
        if self.asked and not os.path.isdir(self.folder):
            raise StatesError('STATES=%s: no such folder; that of a run with '
                              'FROM= is expected' % self.asked)

    def all(self):
        """Return: the states, the one that was used last first, those with a
        fault last."""
        found = []
        for name in _listed(self.folder):
            if NAME.fullmatch(name) and len(name) == NAME_CHARS:
                found.append(State(os.path.join(self.folder, name)))
        return sorted(found, key=lambda state: -state.used_s)

    def find(self, name):
        """Return: the state of that whole name, or None."""
        path = os.path.join(self.folder, name)
        return State(path).checked() if os.path.isdir(path) else None

    def named(self, start):
        """Return: the one state whose name begins with START."""
        found = [state for state in self.all() if state.name.startswith(start)]
        if len(found) != 1:
            raise StatesError(
                'FROM=%s: %s state in %s has a name that begins so' % (
                    start, 'more than one' if found else 'no', self.folder))
        return found[0].checked()

    def room(self):
        """Return: a new folder, for a state that is being made."""
        os.makedirs(self.folder, exist_ok=True)
        return tempfile.mkdtemp(prefix='new-', dir=self.folder)

    def keep(self, room, name, meta):
        """What is in the folder ROOM is a state now. Return: the names of those
        that had to go for it; None: it is too big itself, and is not kept."""
        meta = {**meta, 'sha256': sha256(os.path.join(room, MACHINE))}
        with open(os.path.join(room, META), 'w', encoding='utf-8') as file:
            json.dump(meta, file, indent=2)
            file.write('\n')
        if _bytes_below(room) > self.limit_bytes:
            shutil.rmtree(room)
            return None
        with self._lock():
            path = os.path.join(self.folder, name)
            shutil.rmtree(path, ignore_errors=True)
            os.rename(room, path)
            return self._shrink()

    def shrink(self):
        """What others have left there is within the limit again."""
        if os.path.isdir(self.folder):
            with self._lock():
                self._shrink()

    def clear(self, start):
        """Removes all states, or those whose names begin with START. Return:
        those that are gone."""
        gone = [state for state in self.all() if state.name.startswith(start)]
        with self._lock():
            for state in gone:
                shutil.rmtree(state.path)
        return gone

    def _shrink(self):
        gone, total = [], 0
        for state in self.all():
            total += state.bytes
            if total > self.limit_bytes:
                shutil.rmtree(state.path)
                gone.append(state.name)
        return gone

    def _lock(self):
        os.makedirs(self.folder, exist_ok=True)
        # pylint: disable-next=consider-using-with
        file = open(os.path.join(self.folder, '.lock'), 'w', encoding='ascii')
        fcntl.flock(file, fcntl.LOCK_EX)
        return file


def age(state):
    """Return: seconds since STATE was used."""
    return max(0, time.time() - state.used_s)


def _listed(folder):
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []


def _read_meta(path):
    with open(path, encoding='utf-8') as file:
        meta = json.load(file)
    if not isinstance(meta, dict) or not {'sha256', 'prepared_s'} <= set(meta):
        raise ValueError('has no sha256 and prepared_s')
    return meta


def _bytes_below(path):
    return sum(os.stat(os.path.join(path, name)).st_blocks * 512
               for name in os.listdir(path))
