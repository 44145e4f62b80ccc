# SPDX-License-Identifier: GPL-2.0-or-later
"""What guest, QEMU and the archive's Python are asked to be made of, by the
groups that packages.lock has.

Knows nothing of versions, and of what is done with the packages.
"""

import os

from femu.common.paths import TOP
from femu.image.debs import Wanted

KERNEL_META = 'linux-image-amd64'
KERNEL = 'linux-image-'
# Debian's kernel is made with it (its .kernelvariables says so).
COMPILER = 'gcc-14'
PYTHON = ('python3-minimal', 'libpython3-stdlib', 'libstdc++6')


def read_table(name):
    """Return: the rows of guest/NAME as lists of words."""
    with open(os.path.join(TOP, 'guest', name), encoding='utf-8') as file:
        lines = [line.split('#')[0].split() for line in file]
    return [words for words in lines if words]


def guest(packages, asked=()):
    """Return: what the guest is made of, with the packages that were ASKED for;
    PACKAGES knows which kernel is the newest."""
    rows = read_table('packages')
    return Wanted(
        install=[row[1] for row in rows if row[0] in ('deps', 'host')]
        + list(asked),
        alone=[row[1] for row in rows if row[0] == 'alone']
        + [KERNEL + release(packages)])


def release(packages):
    """Return: the release of the newest kernel, as uname -r has it."""
    return packages.depends_on(KERNEL_META, KERNEL).removeprefix(KERNEL)


def zinc(packages):
    """Return: what a module of that kernel is made with. linux-source has the
    headers of I/O schedulers, which linux-headers lacks."""
    name = release(packages)
    version = name.rpartition('-')[0]
    return Wanted(install=[COMPILER], alone=[
        'linux-headers-' + name, 'linux-headers-%s-common' % version,
        'linux-kbuild-' + version,
        'linux-source-' + '.'.join(version.split('.')[:2])])


# Group -> a function of a Debs that says what is wanted. The wheels of the
# archive's Python want libstdc++, which a manylinux machine has.
GROUPS = {
    'guest': guest,
    'qemu': lambda packages: Wanted(source=['qemu']),
    'firmware': lambda packages: Wanted(
        alone=['seabios', 'qemu-system-data']),
    'meson': lambda packages: Wanted(alone=['meson']),
    'zinc': zinc,
    'python': lambda packages: Wanted(install=PYTHON),
}
