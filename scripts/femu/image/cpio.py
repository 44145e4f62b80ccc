# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes and reads cpio archives (the kernel's "newc" initramfs format) whose bytes
depend on names, modes and contents only: no times, owners or inode numbers.

Knows nothing of what the archive is for.
"""

import os
import stat

MAGIC = '070701'
TRAILER = 'TRAILER!!!'
# The kernel finds a further archive after zeros; cpio pads to this many bytes.
BLOCK_BYTES = 512


class CpioError(Exception):
    """A file that an archive cannot hold."""


def _entry(name, mode, data, idx):
    name_bytes = name.encode() + b'\0'
    fields = [idx, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name_bytes), 0]
    head = (MAGIC + ''.join('%08X' % field for field in fields)).encode()
    out = head + name_bytes
    out += b'\0' * (-len(out) % 4)
    return out + data + b'\0' * (-len(data) % 4)


def read_file(data, wanted):
    """Return: the bytes of the file WANTED in the archive DATA."""
    at = 0
    while data[at:at + 6] == MAGIC.encode():
        fields = [int(data[at + 6 + 8 * idx:at + 14 + 8 * idx], 16)
                  for idx in range(13)]
        name_at, size, name_size = at + 110, fields[6], fields[11]
        name = data[name_at:name_at + name_size - 1].decode()
        at = name_at + name_size
        at += -at % 4
        if name == wanted:
            return data[at:at + size]
        at += size + -size % 4
    raise CpioError('the archive has no file %s' % wanted)


class Archive:
    """Collects entries; every parent directory comes before what it holds."""

    def __init__(self):
        self._entries = {}

    def add(self, name, mode, data=b''):
        """Adds NAME (relative). MODE holds the type; a symlink's DATA is its
        target. Missing parents are added as directories."""
        parent = os.path.dirname(name)
        if parent and parent not in self._entries:
            self.add(parent, stat.S_IFDIR | 0o755)
        self._entries[name] = (mode, data)

    def add_file(self, name, data, executable=False):
        """Adds a regular file with the bytes DATA."""
        self.add(name, stat.S_IFREG | (0o755 if executable else 0o644), data)

    def add_tree(self, name, top):
        """Adds what lies in the host's directory TOP below NAME."""
        self.add(name, stat.S_IFDIR | 0o755)
        for entry in sorted(os.scandir(top), key=lambda item: item.name):
            self.add_path(os.path.join(name, entry.name), entry.path)

    def add_path(self, name, path):
        """Adds the host's PATH (file, symlink or directory) as NAME."""
        info = os.lstat(path)
        if stat.S_ISDIR(info.st_mode):
            self.add_tree(name, path)
        elif stat.S_ISLNK(info.st_mode):
            self.add(name, stat.S_IFLNK | 0o777, os.readlink(path).encode())
        elif stat.S_ISREG(info.st_mode):
            with open(path, 'rb') as file:
                self.add_file(name, file.read(), info.st_mode & 0o111 != 0)
        else:
            raise CpioError('%s: only files, symlinks and directories can go '
                            'into the guest' % path)

    def to_bytes(self):
        """Return: the archive, its entries in the order they were added."""
        out = [_entry(name, mode, data, idx) for idx, (name, (mode, data))
               in enumerate(self._entries.items(), 1)]
        out.append(_entry(TRAILER, 0, b'', 0))
        blob = b''.join(out)
        return blob + b'\0' * (-len(blob) % BLOCK_BYTES)
