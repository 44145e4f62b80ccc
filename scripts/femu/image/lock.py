# SPDX-License-Identifier: GPL-2.0-or-later
"""packages.lock: the versions and contents of the Debian packages that all is
made of, and what happens when the mirror has others.

Knows nothing of what is made of them.
"""

import collections
import datetime
import email.utils
import hashlib
import os

from femu.common.asked import SettingsError
from femu.common.digest import sha256
from femu.common.paths import TOP
from femu.image import debs
from femu.image.wanted import GROUPS

PATH = os.path.join(TOP, 'packages.lock')
ARCHIVE = 'http://snapshot.debian.org/archive/debian'
STAMP = '%Y%m%dT%H%M%SZ'
HEAD = '''\
# The Debian packages that guest, QEMU and the archive's Python are made of:
# group, package, version, file, SHA-256. "make lock" writes it, and nobody
# else; docs/guest.md ("The lock") has what it is for.
'''
SHOWN = 4                       # of the packages that differ, in a message


class Lock:
    """What the file PATH says.

    suite, version: Debian's; stamp: when its archive of old packages has it.
    """

    def __init__(self, path=PATH):
        self.path = path
        self.suite = self.version = self.stamp = None
        self._groups = collections.defaultdict(list)
        with open(path, encoding='utf-8') as file:
            for number, line in enumerate(file, 1):
                words = line.split('#')[0].split()
                if len(words) == 4 and words[0] == 'debian':
                    _, self.suite, self.version, self.stamp = words
                elif len(words) == 5 and words[0] in GROUPS:
                    self._groups[words[0]].append(debs.File(*words[1:]))
                elif words:
                    raise debs.DebsError('%s:%d: is neither "debian SUITE '
                                         'VERSION STAMP" nor "GROUP PACKAGE '
                                         'VERSION FILE SHA256"'
                                         % (path, number))

    def files(self, *groups):
        """Return: the Files of GROUPS, or of all."""
        return [file for group in groups or sorted(self._groups)
                for file in self._groups[group]]

    def identity(self, *groups):
        """Return: a hash of what GROUPS are made of."""
        return hashlib.sha256(repr(self.files(*groups)).encode()).hexdigest()

    def archive(self, env):
        """Return: where these packages still are when the mirror has newer
        ones, or None if the user wants nobody asked."""
        base = env.get('DEBIAN_ARCHIVE', ARCHIVE).rstrip('/')
        return '%s/%s/' % (base, self.stamp) if base else None


def takes_newer(env):
    """Return: whether the user said to go on with what the mirror has."""
    value = env.get('LOCK', '')
    if value not in ('', 'newer'):
        raise SettingsError('LOCK=%s: is neither empty (the packages of '
                            'packages.lock) nor "newer" (the mirror\'s, where '
                            'they differ)' % value)
    return value == 'newer'


def changed(locked, files):
    """Return: [(locked File, [versions])] of those packages of LOCKED of which
    FILES have another version, or none."""
    have = {file.package: file.version for file in files}
    return [(file, [have[file.package]] if file.package in have else [])
            for file in locked if have.get(file.package) != file.version]


def told(moved):
    """Return: a text on the packages that MOVED, as changed() has them."""
    rows = dict.fromkeys('%s %s%s' % (
        file.package, file.version,
        ' -> ' + versions[0] if versions else ' -> none')
                         for file, versions in moved)
    text = ', '.join(list(rows)[:SHOWN])
    return text + (' and %d more' % (len(rows) - SHOWN)
                   if len(rows) > SHOWN else '')


def fetch(packages, lock, groups, env, say, asked=()):
    """Fetches GROUPS as the lock has them; with packages that a user ASKED for
    beside the guest's, which the lock does not know. Where the mirror has moved
    on, the lock's packages are taken from Debian's archive of old ones, or, if
    the user said so, the mirror's. Return: ([File], name -> path)."""
    newer = takes_newer(env)
    files = lock.files(*groups)
    if asked or not packages.has(files):
        say('package lists ...')
        files = _choose(packages, lock, groups, env, newer, say, asked)
        say('packages ...')
    return files, packages.fetch(files)


def _choose(packages, lock, groups, env, newer, say, asked):
    def wanted():
        packages.check(asked)
        more = [asked] if asked else []
        return [file for group in groups
                for file in packages.files(GROUPS[group](packages, *more))]

    def look(uri):
        packages.update(uri)
        if not asked:
            return locked, packages.gone(locked)
        files = wanted()
        return files, changed(locked, files)

    locked = lock.files(*groups)
    files, moved = look(None)
    if not moved:
        return files
    say('the mirror has moved on since packages.lock was written: ' +
        told(moved))
    if newer:
        say('LOCK=newer: going on with what the mirror has; the numbers that '
            'README.md shows belong to the lock')
        return files if asked else wanted()
    archive, why = lock.archive(env), 'DEBIAN_ARCHIVE= is empty'
    if archive:
        say('asking the archive of old packages, %s' % archive)
        try:
            files, moved = look(archive)
            if not moved:
                return files
            why = '%s has not %s' % (archive, told(moved))
        except debs.DebsError as error:
            why = str(error).splitlines()[-1]
    raise debs.DebsError(
        'packages of packages.lock are not at the mirror any more, nor in '
        'the archive of old packages (%s): LOCK=newer goes on with those '
        'that the mirror has' % why)


# --- Writing it ---------------------------------------------------------------

def stamp_of(date):
    """Return: an instant at which Debian's archive of old packages surely has a
    release of this DATE: a day later."""
    made = email.utils.parsedate_to_datetime(date)
    return (made + datetime.timedelta(days=1)).strftime(STAMP)


def write(path, packages):
    """Writes what PACKAGES, whose lists are fresh, would have now."""
    suite, version, date = packages.release()
    lines = [HEAD, 'debian %s %s %s\n' % (suite, version, stamp_of(date))]
    for group, wanted in GROUPS.items():
        lines.append('\n')
        lines += ['%s %s\n' % (group, ' '.join(file))
                  for file in packages.files(wanted(packages))]
    with open(path + '.new', 'w', encoding='utf-8') as file:
        file.writelines(lines)
    os.replace(path + '.new', path)


# --- What was built -----------------------------------------------------------

def of_manifest(path):
    """Return: the Files that a guest's manifest names."""
    found = []
    with open(path, encoding='utf-8') as file:
        for words in map(str.split, file):
            if words[0] == 'package':
                package, version = words[1].split('_')[:2]
                found.append(debs.File(package, version.replace('%3a', ':'),
                                       *words[1:]))
    return found


def differs(lock, manifest, source):
    """What a guest, by its MANIFEST, and QEMU, by its build's file SOURCE
    (None: it is the user's own), have that the lock has not. Return: [text].
    """
    texts = []
    moved = changed(lock.files('guest'), of_manifest(manifest))
    if moved:
        texts.append('guest: ' + told(moved))
    have = 'your own'
    if source and os.path.exists(source):
        with open(source, encoding='utf-8') as file:
            have = file.read().strip()
    names = {file.name for file in lock.files('qemu')}
    if have.removeprefix('debian ') + '.dsc' not in names:
        texts.append('QEMU: ' + have)
    return texts


def report(guest, source):
    """Return: what meta.json says of the lock: its hash, and what the guest in
    the folder GUEST and QEMU have that it has not."""
    return {'sha256': sha256(PATH),
            'differs': differs(Lock(), os.path.join(guest, 'manifest'),
                               source)}
