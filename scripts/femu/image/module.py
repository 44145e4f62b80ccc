# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds a module of Debian's kernel from Debian's packages alone: its headers,
its compiler and the kernel's own build rules, unpacked in a folder and run
from there, whatever the machine has.

Knows nothing of what the module does.
"""

import glob
import os
import shutil
import subprocess
import tarfile

from femu.image import debs, sysroot

GNU = 'x86_64-linux-gnu-'
PROGRAMS = ('gcc-14', 'ld', 'as', 'ar', 'nm', 'objcopy', 'objdump', 'readelf',
            'strip')
# What the compiler starts by its full path, and what the build rules start:
# file -> the program that it is, or that it chooses.
STARTED = (('usr/libexec/gcc/x86_64-linux-gnu/14/cc1', 'cc1'),
           ('{kbuild}/scripts/mod/modpost', 'modpost.real-lsb-64'),
           ('{kbuild}/tools/objtool/objtool', 'objtool.real-x86'),
           ('{kbuild}/scripts/basic/fixdep', 'fixdep'),
           ('{kbuild}/scripts/genksyms/genksyms', 'genksyms'))
# Where the kernel's sources have the headers of I/O schedulers.
HEADERS = 'block/'


class ModuleError(Exception):
    """A module that cannot be made."""


class Tree:
    """A folder in which modules of the kernel RELEASE are built, of the package
    files PATHS."""

    def __init__(self, top, release, paths, progress):
        self._release = release
        self._version = release.rpartition('-')[0]
        self._root = sysroot.Sysroot(os.path.join(top, 'sysroot'))
        self._bin = os.path.join(top, 'bin')
        self.sources = os.path.join(top, 'linux')
        sources = [path for path in paths
                   if os.path.basename(path).startswith('linux-source-')]
        self._root.unpack([path for path in paths if path not in sources],
                          progress)
        _unpack_headers(sources[0], self.sources)
        self._wrap()

    def _path(self, name):
        return self._root.path(name.format(
            kbuild='usr/lib/linux-kbuild-' + self._version))

    def _wrap(self):
        """Makes every program one that starts by the packages' own loader."""
        os.makedirs(self._bin)
        for name in PROGRAMS:
            path = self._path('usr/bin/' + GNU + name)
            for wrapper in (GNU + name, name):
                self._write(os.path.join(self._bin, wrapper), path)
        for pattern, chosen in STARTED:
            path = self._path(pattern)
            real = os.path.join(os.path.dirname(path), chosen)
            if real == path:
                real += '.elf'
                os.rename(path, real)
            else:
                os.unlink(path)
            self._write(path, real)

    def _write(self, wrapper, program):
        with open(wrapper, 'w', encoding='utf-8') as file:
            file.write('#!/bin/sh\nexec %s "$@"\n' % ' '.join(
                "'%s'" % word for word in self._root.command(program)))
        os.chmod(wrapper, 0o755)

    def build(self, folder, output):
        """Builds the module whose Kbuild file is in FOLDER. Writes it to
        OUTPUT, without what debuggers read."""
        headers = self._path('usr/src/linux-headers-' + self._release)
        rules = self._path('usr/src/linux-headers-%s-common/Makefile'
                           % self._version)
        with open(os.path.join(headers, 'Makefile'), 'w',
                  encoding='utf-8') as file:
            file.write('include %s\n' % rules)
        self._run('make', '-s', '-C', headers, 'M=' + folder,
                  # Nobody looks at the types of an emulated kernel's module.
                  'CONFIG_DEBUG_INFO_BTF_MODULES=',
                  'KCFLAGS=-Werror -ffile-prefix-map=%s=. '
                  '-ffile-prefix-map=%s=.' % (folder, self._root.top),
                  'modules')
        made = glob.glob(os.path.join(folder, '*.ko'))
        if len(made) != 1:
            raise ModuleError('%s: makes %d modules, not 1'
                              % (folder, len(made)))
        self._run(GNU + 'strip', '--strip-debug', '-o', output, made[0])

    def _run(self, *argv):
        env = {'PATH': self._bin + ':/usr/bin:/bin', 'LC_ALL': 'C'}
        done = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True, check=False,
                              stderr=subprocess.STDOUT)
        if done.returncode:
            raise ModuleError('%s failed:\n%s' % (argv[0], '\n'.join(
                done.stdout.splitlines()[-20:])))


def _unpack_headers(package, into):
    """Puts the headers of HEADERS from the package file of the kernel's sources
    into the folder INTO. They are near the archive's beginning."""
    os.makedirs(into)
    with subprocess.Popen(['dpkg-deb', '--fsys-tarfile', package],
                          stdout=subprocess.PIPE) as deb:
        with tarfile.open(fileobj=deb.stdout, mode='r|') as outer:
            for member in outer:
                if member.name.endswith('.tar.xz'):
                    _take_headers(outer.extractfile(member), into)
                    break
        deb.kill()
    if not os.listdir(into):
        raise debs.DebsError('%s has no headers in %s' % (package, HEADERS))


def _take_headers(packed, into):
    found = False
    with tarfile.open(fileobj=packed, mode='r|xz') as inner:
        for member in inner:
            name = member.name.partition('/')[2]
            if name.startswith(HEADERS) and name.endswith('.h'):
                found = True
                path = os.path.join(into, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, 'wb') as file:
                    shutil.copyfileobj(inner.extractfile(member), file)
            elif found and not name.startswith(HEADERS):
                break
