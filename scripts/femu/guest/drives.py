# SPDX-License-Identifier: GPL-2.0-or-later
"""The drives of a run: what each is called, where its files are, and what tells
the guest of them. Of one drive all is where it was before there were several.

Knows nothing of QEMU's command line, nor of what a job does with drives.
"""

import os

from femu.common.asked import SettingsError
from femu.common.paths import TOP

# The guest's part of several drives; no job has such a name.
SCRIPT = os.path.join(TOP, 'scripts', 'femu', 'guest', 'drives.sh')
SCRIPT_NAME = '.drives.sh'
# What the folder of one drive's state has.
HISTORY = 'history'


def name_of(number):
    """Return: what drive NUMBER is called: its QEMU id and serial number."""
    return 'zns%d' % number


def folder_of(top, number, count):
    """Return: the folder in TOP of what belongs to drive NUMBER of COUNT."""
    return top if count == 1 else os.path.join(top, name_of(number))


def file_of(path, number):
    """Return: the file of drive NUMBER's, if that of the first is PATH."""
    if not path or number == 0:
        return path
    base, ending = os.path.splitext(path)
    return '%s-%s%s' % (base, name_of(number), ending)


def stem_of(path):
    """Return: the name of the file PATH without its ending."""
    return os.path.splitext(os.path.basename(path))[0]


def together(configs):
    """Return: "zn540", "zn540-x5", "zn540-tiny": what the drives are."""
    stems = [stem_of(config) for config in configs]
    if len(set(configs)) == 1 and len(stems) > 1:
        return '%s-x%d' % (stems[0], len(stems))
    return '-'.join(stems)


def check_state(state, count):
    """Raises SettingsError if the folder STATE is of one drive and there are
    COUNT, or the other way round."""
    if count > 1 and os.path.exists(os.path.join(state, HISTORY)):
        raise SettingsError(
            'STATE=%s: it is the state of one drive; of %d, each has a folder '
            'of its own in STATE=, %s to %s' % (
                state, count, name_of(0), name_of(count - 1)))
    if count == 1 and os.path.exists(os.path.join(state, name_of(0))):
        raise SettingsError(
            'STATE=%s: it is the state of several drives: DRIVES= or CONFIG= '
            'says which, or STATE=%s takes the first' % (
                state, os.path.join(state, name_of(0))))
    extra = os.path.join(state, name_of(count))
    if count > 1 and os.path.exists(extra):
        raise SettingsError(
            'STATE=%s: it is the state of more than %d drives: %s is there'
            % (state, count, extra))


def env_lines(count):
    """Return: the lines that tell the guest's run-job of COUNT drives."""
    if count == 1:
        return []
    return ['DRIVE_COUNT=%d' % count, '. /job/' + SCRIPT_NAME]


def job_files(count):
    """Return: {name: bytes} of what the guest needs for COUNT drives."""
    if count == 1:
        return {}
    with open(SCRIPT, 'rb') as file:
        return {SCRIPT_NAME: file.read()}
