# SPDX-License-Identifier: GPL-2.0-or-later
"""Fetches Debian packages into a folder of our own and unpacks them there:
no root, no chroot, no maintainer scripts, the machine's apt is not changed.

Knows nothing of the guest that is made of them, and of what is locked.
"""

import collections
import os
import shutil
import subprocess

from femu.common.digest import sha256

# Not needed in a guest, and most of the bytes.
UNPACK_EXCLUDE = ['./usr/share/doc', './usr/share/locale', './usr/share/man',
                  './usr/share/icons', './usr/share/info']
LIB_SH = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      '..', '..', 'lib.sh')

# What to ask for: packages with all that they depend on, packages without
# that, source packages.
Wanted = collections.namedtuple('Wanted', 'install alone source',
                                defaults=((), (), ()))
# One file of a package; a source package has several.
File = collections.namedtuple('File', 'package version name sha256')


class DebsError(Exception):
    """Packages that do not exist, cannot be fetched or cannot be read."""


class Debs:
    """Debian's packages, seen through a private apt in the folder TOP; what is
    fetched goes into INTO. TYPES: "deb", or "deb deb-src" for sources, too."""

    def __init__(self, top, into=None, types='deb'):
        self._top = top
        self._types = types
        self._conf = os.path.join(top, 'apt.conf')
        self._into = into or os.path.join(top, 'cache', 'archives')

    def update(self, uri=None):
        """Fetches the package lists, of the first archive that the machine's
        own apt knows, or of the archive URI."""
        run(['bash', '-c', 'set -euo pipefail; SCRIPT_NAME=apt; . "$1"; '
             'private_apt "$2" "$3" "$4"', 'bash', LIB_SH, self._top,
             self._types, uri or ''])

    def update_host(self):
        """Fetches the lists of sources of this machine's own release."""
        run(['bash', '-c', 'set -euo pipefail; SCRIPT_NAME=apt; . "$1"; '
             'host_apt "$2"', 'bash', LIB_SH, self._top])

    def _apt(self, tool, *args, cwd=None):
        return run([tool, '-q', '-c', self._conf,
                    '-o', 'APT::Install-Recommends=false',
                    '-o', 'APT::Architecture=amd64', *args], cwd=cwd)

    def release(self):
        """Return: (name, version, date) of the release, in its own words."""
        folder = os.path.join(self._top, 'state', 'lists')
        found = {}
        for name in sorted(os.listdir(folder)):
            if name.endswith('Release'):
                with open(os.path.join(folder, name),
                          encoding='utf-8') as file:
                    for one in stanzas(file.read()):
                        found.update(one if 'Suite' in one else {})
        return found['Codename'], found['Version'], found['Date']

    def depends_on(self, package, prefix):
        """Return: the package named PREFIX... that PACKAGE depends on."""
        text = self._apt('apt-cache', 'depends', package)
        for line in text.splitlines():
            words = line.split()
            if words[0] == 'Depends:' and words[1].startswith(prefix):
                return words[1]
        raise DebsError('%s depends on no %s*' % (package, prefix))

    def check(self, names):
        """Raises DebsError for the first of NAMES that is no package."""
        for name in names:
            try:
                self._apt('apt-cache', 'show', '--no-all-versions', name)
            except DebsError as error:
                raise DebsError('PACKAGES: Debian has no package "%s"'
                                % name) from error

    def depended_on(self, names):
        """Return: the packages that NAMES are, or depend on."""
        return sorted(self._plan(names))

    def files(self, wanted):
        """Return: the Files of all that is WANTED, as the lists have them."""
        plan = self._plan(wanted.install) if wanted.install else {}
        names = ['%s=%s' % one for one in plan.items()]
        found = []
        for one in self._shown(names) + self._shown(wanted.alone):
            name = '%s_%s_%s.deb' % (
                one['Package'], one['Version'].replace(':', '%3a'),
                one['Architecture'])
            found.append(File(one['Package'], one['Version'], name,
                              one['SHA256']))
        for name in wanted.source:
            found += self._source(name)
        return sorted(found)

    def _plan(self, names):
        """Asks apt, by a dry run, what it would install. Return: package ->
        version."""
        plan = self._apt('apt-get', '-s', 'install', *sorted(names))
        return {line.split()[1]: line.split('(')[1].split()[0]
                for line in plan.splitlines() if line.startswith('Inst ')}

    def _shown(self, names):
        if not names:
            return []
        return stanzas(self._apt('apt-cache', 'show', '--no-all-versions',
                                 *names))

    def _source(self, name):
        uris = self._apt('apt-get', '--print-uris', 'source',
                         '--download-only', '--only-source', name)
        dsc = next(line.split()[1] for line in uris.splitlines()
                   if line.startswith("'") and line.split()[1].endswith('dsc'))
        for one in stanzas(self._apt('apt-cache', 'showsrc', name)):
            sums = [line.split() for line in
                    one['Checksums-Sha256'].splitlines() if line.strip()]
            if dsc in [words[2] for words in sums]:
                return [File(one['Package'], one['Version'], words[2],
                             words[0]) for words in sums]
        raise DebsError('no source package has %s' % dsc)

    def source_files(self, sources):
        """Return: {(source package, version): [(file, bytes, SHA-256, URL)]} of
        those of SOURCES that the lists have."""
        have = {}
        if not sources:
            return {}
        for one in stanzas(self._apt('apt-cache', 'showsrc',
                                     *sorted({name for name, _ in sources}))):
            source = one['Package'], one['Version']
            if source in sources:
                have[source] = [line.split()[2] for line in
                                one['Checksums-Sha256'].split('\n') if line]
        if not have:
            return {}
        uris = self._apt('apt-get', '--print-uris', '--only-source',
                         '--download-only', 'source',
                         *['%s=%s' % source for source in have])
        known = {}
        for words in map(str.split, uris.splitlines()):
            if words and words[0].startswith("'"):
                known[words[1]] = (words[1], int(words[2]),
                                   words[3].removeprefix('SHA256:'),
                                   words[0].strip("'"))
        return {source: [known[name] for name in names]
                for source, names in have.items()}

    def gone(self, files):
        """Return: those of FILES whose versions the lists do not have, with
        those that they have: [(File, [version])]."""
        names = sorted({file.package for file in files})
        have = {}
        for line in self._apt('apt-cache', 'madison', *names).splitlines():
            cells = [cell.strip() for cell in line.split('|')]
            if len(cells) == 3:
                have.setdefault(cells[0], []).append(cells[1])
        return [(file, have.get(file.package, [])) for file in files
                if file.version not in have.get(file.package, [])]

    def has(self, files):
        """Return: whether all FILES have been fetched."""
        return not self._missing(files)

    def _missing(self, files):
        return [file for file in files
                if not os.path.exists(self._path(file)) or
                sha256(self._path(file)) != file.sha256]

    def _path(self, file):
        return os.path.join(self._into, file.name)

    def fetch(self, files):
        """Fetches FILES, unless they are there. Return: name -> path."""
        os.makedirs(self._into, exist_ok=True)
        missing = self._missing(files)
        for file in missing:
            if os.path.lexists(self._path(file)):
                os.unlink(self._path(file))
        names = ['%s=%s' % (file.package, file.version) for file in missing
                 if file.name.endswith('.deb')]
        if names:
            self._apt('apt-get', 'download', *names, cwd=self._into)
        for name in sorted({'%s=%s' % (file.package, file.version)
                            for file in missing
                            if not file.name.endswith('.deb')}):
            self._apt('apt-get', 'source', '--download-only', '--only-source',
                      name, cwd=self._into)
        for path in map(self._path, missing):
            if os.path.islink(path):    # to a mirror that is a folder
                target = os.path.realpath(path)
                os.unlink(path)
                shutil.copyfile(target, path)
        for file in self._missing(missing):
            path = self._path(file)
            raise DebsError('%s is %s: its SHA-256 ought to be %s' % (
                path, sha256(path) if os.path.exists(path) else 'not there',
                file.sha256))
        return {file.name: self._path(file) for file in files}


def stanzas(text):
    """Return: [{field: value}] of a text of apt's."""
    found = []
    for block in text.strip().split('\n\n'):
        fields, name = {}, None
        for line in block.splitlines():
            if line[:1] in (' ', '\t') and name:
                fields[name] += '\n' + line.strip()
            elif ':' in line:
                name, value = line.split(':', 1)
                fields[name] = value.strip()
        if fields:
            found.append(fields)
    return found


def run(argv, **kwargs):
    """Runs ARGV. Return: its output. Its errors are in the exception."""
    result = subprocess.run(argv, stdout=subprocess.PIPE, check=False,
                            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                            env={**os.environ, 'LC_ALL': 'C'}, text=True,
                            **kwargs)
    if result.returncode != 0:
        tail = (result.stderr or result.stdout).strip().splitlines()[-15:]
        raise DebsError('%s failed (%d):\n%s' % (
            ' '.join(argv), result.returncode, '\n'.join(tail)))
    return result.stdout


def unpack(path, into):
    """Unpacks the package file PATH into the folder INTO."""
    exclude = ['--exclude=' + name for name in UNPACK_EXCLUDE]
    with subprocess.Popen(['dpkg-deb', '--fsys-tarfile', path],
                          stdout=subprocess.PIPE) as deb:
        run_from(deb.stdout, ['tar', '-x', '-p', '--no-same-owner',
                              '--keep-directory-symlink', *exclude,
                              '-C', into, '-f', '-'])
    if deb.returncode != 0:
        raise DebsError('dpkg-deb cannot read %s' % path)


def run_from(stdin, argv):
    """Runs ARGV with STDIN as its standard input."""
    result = subprocess.run(argv, stdin=stdin, stderr=subprocess.PIPE,
                            text=True, check=False)
    if result.returncode != 0:
        raise DebsError('%s failed:\n%s' % (' '.join(argv), result.stderr))


def files_of(path):
    """Return: the paths, relative to /, that the package file PATH holds."""
    listing = subprocess.Popen(['dpkg-deb', '--fsys-tarfile', path],
                               stdout=subprocess.PIPE)
    with listing:
        result = subprocess.run(['tar', '-t', '-f', '-'],
                                stdin=listing.stdout, text=True,
                                stdout=subprocess.PIPE, check=True)
    return [name[2:] for name in result.stdout.splitlines()
            if name.startswith('./') and not name.endswith('/')]
