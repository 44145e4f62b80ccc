# SPDX-License-Identifier: GPL-2.0-or-later
"""Fetches Debian packages into a folder of our own and unpacks them there:
no root, no chroot, no maintainer scripts, the machine's apt is not changed.

Knows nothing of the guest that is made of them.
"""

import glob
import os
import subprocess

# Not needed in a guest, and most of the bytes.
UNPACK_EXCLUDE = ['./usr/share/doc', './usr/share/locale', './usr/share/man',
                  './usr/share/icons', './usr/share/info']


class DebsError(Exception):
    """Packages that do not exist, cannot be fetched or cannot be read."""


class Debs:
    """Debian's packages, seen through a private apt in the folder TOP."""

    def __init__(self, scripts_dir, top):
        self._lib = os.path.join(scripts_dir, 'lib.sh')
        self._top = top
        self._conf = os.path.join(top, 'apt.conf')
        self._archives = os.path.join(top, 'cache', 'archives')

    def update(self):
        """Fetches the package lists."""
        run(['bash', '-c', 'set -euo pipefail; . "$1"; private_apt "$2" deb',
             'bash', self._lib, self._top])

    def _apt(self, tool, *args, cwd=None):
        return run([tool, '-q', '-c', self._conf,
                    '-o', 'APT::Install-Recommends=false',
                    '-o', 'APT::Architecture=amd64', *args], cwd=cwd)

    def depends_on(self, package, prefix):
        """Return: the package named PREFIX... that PACKAGE depends on."""
        text = self._apt('apt-cache', 'depends', package)
        for line in text.splitlines():
            words = line.split()
            if words[0] == 'Depends:' and words[1].startswith(prefix):
                return words[1]
        raise DebsError('%s depends on no %s*' % (package, prefix))

    def fetch(self, with_depends, alone):
        """Fetches the packages WITH_DEPENDS and what these depend on, and the
        packages ALONE without that. Return: package name -> its file."""
        self._apt('apt-get', '-y', '--download-only', 'install',
                  *sorted(with_depends))
        files = self._installable(with_depends)
        for package in sorted(alone):
            files[package] = self._fetch_alone(package)
        return dict(sorted(files.items()))

    def check(self, names):
        """Raises DebsError for the first of NAMES that is no package."""
        for name in names:
            try:
                self._apt('apt-cache', 'show', '--no-all-versions', name)
            except DebsError as error:
                raise DebsError('PACKAGES: Debian has no package "%s"'
                                % name) from error

    def depended_on(self, names, files):
        """Return: those of FILES' packages that NAMES are, or depend on."""
        plan = self._apt('apt-get', '-s', 'install', *sorted(names))
        wanted = {line.split()[1] for line in plan.splitlines()
                  if line.startswith('Inst ')}
        return sorted(wanted & set(files))

    def _fetch_alone(self, package):
        uris = self._apt('apt-get', '--print-uris', 'download', package)
        path = os.path.join(self._archives, uris.split()[1])
        if not os.path.exists(path):
            self._apt('apt-get', 'download', package, cwd=self._archives)
        return path

    def _installable(self, with_depends):
        """Asks apt, by a dry run, which versions it would install."""
        plan = self._apt('apt-get', '-s', 'install', *sorted(with_depends))
        files = {}
        for line in plan.splitlines():
            if not line.startswith('Inst '):
                continue
            package, version = line.split()[1], line.split('(')[1].split()[0]
            # apt writes a version's colon as %3a in a file's name.
            stem = os.path.join(self._archives, '%s_%s_' % (
                package, version.replace(':', '%3a')))
            found = glob.glob(glob.escape(stem) + '*.deb')
            if len(found) != 1:
                raise DebsError('%d files are %s*.deb, one was expected'
                                % (len(found), stem))
            files[package] = found[0]
        return files


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
