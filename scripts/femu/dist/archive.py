# SPDX-License-Identifier: GPL-2.0-or-later
"""What an archive of "make dist" is called, and which one is meant.

Knows nothing of what is in it.
"""

import glob
import os
import subprocess

from femu.common.asked import SettingsError
from femu.common.paths import TOP

NAME = 'femu-zns'
END = '.tar.xz'
# What packages are for, by which others tell them apart.
HOST = 'libraries of QEMU and femu-sim'
WHEEL = 'Python, wheel'


def stem(version):
    """Return: the name of the archive of a VERSION without its ending."""
    return '%s-%s-x86_64' % (NAME, version.removesuffix('-dirty'))


def version(path):
    """Return: the version in the name of an archive, a path without its
    ending; a tag may have hyphens of its own."""
    return os.path.basename(path).removeprefix(NAME + '-').removesuffix(
        '-x86_64')


def find(env):
    """Return: the path of ARCHIVE=, or of the archive of these sources in OUT=,
    without its ending."""
    path = env.get('ARCHIVE')
    if not path:
        mine = subprocess.run(
            [os.path.join(TOP, 'scripts', 'version')], check=True, text=True,
            stdout=subprocess.PIPE).stdout.strip()
        path = os.path.join(env.get('OUT') or os.path.join(TOP, 'dist'),
                            stem(mine) + END)
    if not path.endswith(END) or not os.path.exists(path):
        others = glob.glob(os.path.join(os.path.dirname(path), '*' + END))
        raise SettingsError(
            'ARCHIVE=%s: is no archive *%s: "make dist" makes one%s' % (
                path, END, others and ' (there is %s)' % others[0] or ''))
    return os.path.abspath(path).removesuffix(END)
