# SPDX-License-Identifier: GPL-2.0-or-later
"""Takes Debian's kernel package apart: the uncompressed kernel, which QEMU
starts at once (PVH), and just the modules that the guest needs.

Knows nothing of the programs in the guest.
"""

import glob
import lzma
import os
import struct

# Offsets in the kernel's boot header (Documentation/arch/x86/boot.rst).
SETUP_SECTS = 0x1f1
PAYLOAD_OFFSET = 0x248
SECTOR_BYTES = 512
ZSTD_MAGIC = b'\x28\xb5\x2f\xfd'
# The payload's last word is the length of what it expands to.
LENGTH_WORD_BYTES = 4


class KernelError(Exception):
    """A kernel package of a form that this module does not know."""


class Kernel:
    """The kernel package RELEASE, unpacked in SYSROOT."""

    def __init__(self, sysroot, release):
        self._sysroot = sysroot
        self.release = release
        self._top = sysroot.path('usr/lib/modules/' + release)
        self._paths = {}
        for path in glob.glob(self._top + '/kernel/**/*.ko.xz',
                              recursive=True):
            self._paths[_module_name(path)] = path
        with open(os.path.join(self._top, 'modules.builtin'),
                  encoding='ascii') as file:
            self._builtin = {_module_name(line.strip()) for line in file}

    def extract(self, output):
        """Writes the uncompressed kernel, an ELF file, to OUTPUT."""
        with open(self._sysroot.path('boot/vmlinuz-' + self.release),
                  'rb') as file:
            image = file.read()
        offset, size = struct.unpack_from('<II', image, PAYLOAD_OFFSET)
        offset += (image[SETUP_SECTS] + 1) * SECTOR_BYTES
        payload = image[offset:offset + size - LENGTH_WORD_BYTES]
        if not payload.startswith(ZSTD_MAGIC):
            raise KernelError('kernel %s is not compressed with zstd (its '
                              'payload starts with %s)'
                              % (self.release, payload[:4].hex()))
        packed = output + '.zst'
        with open(packed, 'wb') as file:
            file.write(payload)
        self._sysroot.run('usr/bin/zstd', '-q', '-d', '-f', packed,
                          '-o', output)
        os.unlink(packed)

    def closure(self, names):
        """Return: [(path below the modules' folder, bytes)] of the modules
        NAMES and of those that they need, in an order to load them in."""
        done, order = set(), []
        for name in names:
            self._visit(_normal(name), done, order)
        return order

    def _visit(self, name, done, order):
        if name in done or name in self._builtin:
            return
        done.add(name)
        if name not in self._paths:
            raise KernelError('kernel %s has no module %s (guest/modules)'
                              % (self.release, name))
        path = self._paths[name]
        with lzma.open(path) as file:
            data = file.read()
        for needed in _modinfo(data, 'depends'):
            self._visit(_normal(needed), done, order)
        order.append((os.path.relpath(path, self._top)[:-len('.xz')], data))

    def tables(self):
        """Return: the names of the tables that depmod reads."""
        return [os.path.join(self._top, name) for name in
                ('modules.builtin', 'modules.builtin.modinfo',
                 'modules.order')]


def _normal(name):
    return name.replace('-', '_')


def _module_name(path):
    return _normal(os.path.basename(path).split('.')[0])


def _modinfo(data, key):
    """Return: the comma-separated values of KEY in a module's .modinfo."""
    start = data.find(b'\0' + key.encode() + b'=')
    if start < 0:
        return []
    start += len(key) + 2
    value = data[start:data.index(b'\0', start)].decode()
    return [word for word in value.split(',') if word]
