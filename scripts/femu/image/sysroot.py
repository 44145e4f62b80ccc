# SPDX-License-Identifier: GPL-2.0-or-later
"""A folder with unpacked packages, and the programs in it run from there by
their own loader and libraries: the guest image is made by the same compiler
and the same mkfs on every host, so its bytes are the same too.

Knows nothing of kernels, modules and images.
"""

import os

from femu.image import debs

LIB = 'usr/lib/x86_64-linux-gnu'
LOADER = 'usr/lib64/ld-linux-x86-64.so.2'
# Private library folders that programs name in their RUNPATH.
PRIVATE_LIBS = ['ceph']


class Sysroot:
    """The folder TOP; package files are unpacked over each other."""

    def __init__(self, top):
        self.top = top

    def path(self, name):
        """Return: where NAME, relative to the guest's /, lies here."""
        return os.path.join(self.top, name)

    def unpack(self, paths, progress):
        """Unpacks the package files PATHS; PROGRESS(done, all) is called."""
        os.makedirs(self.top)
        for idx, path in enumerate(paths):
            progress(idx, len(paths))
            debs.unpack(path, self.top)

    def _loader(self):
        libs = [self.path(LIB)] + [self.path(os.path.join(LIB, name))
                                   for name in PRIVATE_LIBS]
        return [self.path(LOADER), '--library-path', ':'.join(libs)]

    def command(self, path):
        """Return: the words that start the program at PATH, on the host."""
        return [*self._loader(), path]

    def run(self, program, *args):
        """Runs PROGRAM (relative to /) of the folder. Return: its output."""
        return debs.run([*self.command(self.path(program)), *args])

    def libraries(self, program):
        """Return: the libraries that the ELF file PROGRAM, relative to /,
        loads at its start, as paths relative to /, the loader included."""
        text = debs.run([self.path(LOADER), '--library-path',
                         self._loader()[2], '--list', self.path(program)])
        top = os.path.realpath(self.top) + '/'
        found = {LOADER}
        for line in text.splitlines():
            words = line.split()
            if len(words) >= 3 and words[1] == '=>':
                path = os.path.join(os.path.realpath(
                    os.path.dirname(words[2])), os.path.basename(words[2]))
                if not path.startswith(top):
                    raise debs.DebsError('%s needs %s: found outside of the '
                                         'packages' % (program, words[2]))
                found.add(path[len(top):])
        return found

    def is_dynamic_elf(self, program):
        """Return: whether PROGRAM is an ELF file with an interpreter."""
        path = self.path(program)
        if not os.path.isfile(path):
            return False
        with open(path, 'rb') as file:
            head = file.read(4096)
        return head[:4] == b'\x7fELF' and b'ld-linux-x86-64.so.2' in head

    def compile(self, sources, output, libs, headers):
        """Compiles the C files SOURCES to OUTPUT (paths on the host), with
        the library files LIBS, and the folder HEADERS before all others."""
        lib = self.path(LIB)
        tcc = os.path.join(lib, 'tcc')
        # libc.so is a linker script with absolute paths: name its parts. The
        # loader comes first: libc needs it, and tcc would find the host's.
        parts = ['crt1.o', 'crti.o', 'libc.so.6', 'libc_nonshared.a',
                 *libs]
        self.run('usr/bin/tcc', '-Wall', '-Werror', '-nostdinc', '-nostdlib',
                 '-I', headers, '-I', os.path.join(tcc, 'include'),
                 '-isystem', self.path('usr/include/x86_64-linux-gnu'),
                 '-isystem', self.path('usr/include'), '-B' + tcc,
                 '-o', output, self.path(LOADER),
                 *[os.path.join(lib, name) for name in parts],
                 *sources, os.path.join(tcc, 'libtcc1.a'),
                 os.path.join(lib, 'crtn.o'))
        os.chmod(output, 0o755)
