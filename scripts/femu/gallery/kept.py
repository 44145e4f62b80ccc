# SPDX-License-Identifier: GPL-2.0-or-later
"""Keeps what rows came to, under a hash of all that it hangs on: what the row
asks for, the simulator, the code, the files that it reads, and, of a guest, QEMU
and the guest.

Knows nothing of what rows are.
"""

import glob
import hashlib
import json
import os

from femu.common.digest import sha256, simulator_hash
from femu.common.paths import TOP
from femu.gallery.compared import Outcome

# What a row asks for; the rest of it is for readers.
ASKED = ('points', 'x', 'less', 'figures', 'heat', 'plan', 'measure', 'run',
         'says', 'published')
# Code that every simulated row hangs on, and what a guest is made of.
CODE = ('scripts/femu/gallery/measured.py', 'scripts/femu/gallery/heat.py',
        'scripts/femu/common/simulator.py', 'scripts/femu/measured/*.py',
        'scripts/femu/validate/compare.py', 'scripts/femu/figures/*.py',
        'scripts/femu/interference/*.py')
GUEST_FILES = ('manifest', 'vmlinux', 'initrd.cpio', 'root.erofs')


class KeptError(Exception):
    """Something that a row hangs on is missing."""


class Digests:
    """Digests of files, each read once."""

    def __init__(self):
        self._found = {}

    def of(self, path, hash_of=sha256):
        """Return: the digest of the file PATH."""
        if path not in self._found:
            if not os.path.isfile(path):
                raise KeptError('%s is missing' % path)
            self._found[path] = hash_of(path)
        return self._found[path]

    def of_pattern(self, pattern):
        """Return: the digests of the repository's files that fit PATTERN; there
        is at least one."""
        paths = [path for path in sorted(glob.glob(
            os.path.join(TOP, pattern), recursive=True))
            if os.path.isfile(path)]
        if not paths:
            raise KeptError('%s: no file is so' % pattern)
        return [(os.path.relpath(path, TOP), self.of(path))
                for path in paths]


def of_guest(digests):
    """Return: the digests of QEMU and of the guest."""
    qemu = os.environ.get('QEMU') or os.path.join(
        TOP, 'build-qemu/build/qemu-system-x86_64')
    guest = os.environ.get('GUEST') or os.path.join(TOP, 'build-guest')
    paths = [os.path.join(guest, name) for name in GUEST_FILES]
    return [digests.of(path) for path in [qemu] + [
        path for path in paths if os.path.isfile(path)]]


def mark_of(digests, sim, members, inputs, with_guest):
    """Return: the hash of a row of MEMBERS that reads INPUTS, patterns below
    the repository."""
    told = [{name: members[name] for name in ASKED if name in members},
            digests.of(sim, simulator_hash)]
    code = [] if {'run', 'plan'} & set(members) else CODE
    for pattern in [*code, *inputs]:
        told.append(digests.of_pattern(pattern))
    if with_guest:
        told.append(of_guest(digests))
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()) \
        .hexdigest()[:24]


def path_of(folder, key, mark):
    """Return: where the outcome of row KEY is kept."""
    return os.path.join(folder, 'kept', '%s-%s.json' % (key, mark))


def read(folder, key, mark):
    """Return: the Outcome of row KEY, or None."""
    try:
        with open(path_of(folder, key, mark), encoding='utf-8') as file:
            return Outcome.of_json(json.load(file))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write(folder, key, mark, outcome):
    """Keeps an OUTCOME; what was kept of the row before goes."""
    path = path_of(folder, key, mark)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    for old in glob.glob(path_of(glob.escape(folder), key, '?' * 24)):
        os.remove(old)
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(outcome.as_json(), file)
