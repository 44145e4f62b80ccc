# SPDX-License-Identifier: GPL-2.0-or-later
"""A Python that runs from whatever folder it is in: Debian's packages unpacked,
with their own C library, and wheels.

Knows nothing of the scripts that it runs.
"""

import os
import shutil
import subprocess
import sys

from femu.image import sysroot

WHEELS = ('numpy', 'matplotlib')
# Left out of Python's library and the wheels: parts for developers and for
# desktop programs.
UNWANTED = ('test', 'tests', 'idlelib', 'tkinter', 'turtledemo', 'ensurepip',
            '__pycache__', 'lib2to3', 'pydoc_data')
# The folders of the packages that a running Python needs.
KEPT = ('usr/lib', 'usr/bin', 'usr/lib64', 'lib64')
PLATFORM = 'manylinux_2_28_x86_64'


class InterpreterError(Exception):
    """Python cannot be unpacked, or its wheels cannot be installed."""


def unpack(files, target, progress):
    """Unpacks the package FILES into TARGET, without the parts that are
    UNWANTED.
    Return: Python's version, "3.13"."""
    root = sysroot.Sysroot(target)
    root.unpack(files.values(), progress)
    for name in os.listdir(target):
        if name not in {one.split('/')[0] for one in KEPT}:
            _remove(os.path.join(target, name))
    for name in os.listdir(os.path.join(target, 'usr')):
        if 'usr/' + name not in KEPT:
            _remove(os.path.join(target, 'usr', name))
    library = os.path.join(target, 'usr', 'lib')
    found = [name.removeprefix('python') for name in os.listdir(library)
             if name.startswith('python3.')]
    if len(found) != 1:
        raise InterpreterError('%d Pythons are in %s' % (len(found), library))
    _trim(library)
    for name in ('gconv', 'perl-base'):
        _remove(os.path.join(target, sysroot.LIB, name))
    return found[0]


def _remove(path):
    if os.path.islink(path) or os.path.isfile(path):
        os.unlink(path)
    elif os.path.isdir(path):
        shutil.rmtree(path)


def _trim(folder):
    for here, names, _ in os.walk(folder):
        for name in [name for name in names if name in UNWANTED]:
            names.remove(name)
            _remove(os.path.join(here, name))


def install_wheels(version, work, target):
    """Puts the wheels into TARGET. Return: [(name, version)]."""
    venv = os.path.join(work, 'venv')
    pip = os.path.join(venv, 'bin', 'pip')
    for argv in ([sys.executable, '-m', 'venv', venv],
                 [pip, 'install', '-q', '--target', target,
                  '--only-binary=:all:', '--python-version', version,
                  '--implementation=cp', '--platform', PLATFORM,
                  '--platform=manylinux_2_17_x86_64',
                  '--platform=manylinux2014_x86_64', *WHEELS]):
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, check=False,
                              stderr=subprocess.STDOUT)
        if done.returncode:
            raise InterpreterError('%s: %s' % (' '.join(argv),
                                               done.stdout.strip()))
    found = []
    for name in sorted(os.listdir(target)):
        if name.endswith('.dist-info'):
            found.append(tuple(name.removesuffix('.dist-info').split('-')[:2]))
    _trim(target)
    return found
