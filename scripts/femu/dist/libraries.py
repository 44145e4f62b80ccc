# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes programs run on any machine and from any folder: their libraries are
copied with them, also the C library and its loader.

Knows nothing of what the programs are.
"""

import os
import shutil
import subprocess

LOADER = 'ld-linux-x86-64.so.2'
# It may be called by a link to it.
WRAPPER = '''\
#!/bin/sh
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
exec "$here/{libs}/{loader}" --library-path "$here/{libs}" \\
    "$here/{program}" "$@"
'''


class LibraryError(Exception):
    """A program that cannot be copied with its libraries."""


def of(program):
    """Return: {name: path} of all libraries that PROGRAM loads at its start,
    the loader among them."""
    done = subprocess.run(['ldd', program], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise LibraryError('%s: %s' % (program, done.stdout.strip()))
    found = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if 'not found' in line:
            raise LibraryError('%s: %s' % (program, line.strip()))
        path = words[2] if '=>' in words else words[0]
        if path.startswith('/'):
            found[os.path.basename(words[0])] = path
    if LOADER not in found:
        raise LibraryError('%s: is not loaded by %s' % (program, LOADER))
    return found


def take(program, target, libs):
    """Copies PROGRAM to TARGET.bin, its libraries into the folder LIBS, and
    makes TARGET a script that starts it there. Return: the libraries' paths
    here."""
    found = of(program)
    os.makedirs(libs, exist_ok=True)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    for name, path in found.items():
        shutil.copyfile(path, os.path.join(libs, name))
        os.chmod(os.path.join(libs, name), 0o755)
    shutil.copyfile(program, target + '.bin')
    os.chmod(target + '.bin', 0o755)
    write_wrapper(target, libs)
    return sorted(found.values())


def write_wrapper(target, libs):
    """Makes TARGET a script that starts TARGET.bin with the folder LIBS."""
    with open(target, 'w', encoding='utf-8') as file:
        file.write(WRAPPER.format(
            libs=os.path.relpath(libs, os.path.dirname(target)),
            loader=LOADER, program=os.path.basename(target) + '.bin'))
    os.chmod(target, 0o755)
