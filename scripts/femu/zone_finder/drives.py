# SPDX-License-Identifier: GPL-2.0-or-later
"""Drives on which zones are to be found: a zone has one unit (SU), some (MU) or
all of them (FU); with and without stagger, with and without remapping.

Knows nothing of how zones are found.
"""

import collections

from femu.common.asked import SettingsError

# `count` zones, from the first on, are looked at; `scramble` finishes and
# resets some of them before, so that a drive that remaps gives them other
# blocks.
Drive = collections.namedtuple('Drive', 'name config changes count scramble')

SU, MU, ZN540 = 'confzns-zssd1', 'confzns-zssd2', 'zn540-small'
REMAP = 'mapping=remap spare-superblocks=3'
ALL = (
    Drive('su-16', SU, 'zones=64', 20, 0),
    Drive('su-8-remap', SU, 'zones=64 channels=4 ' + REMAP, 16, 1),
    Drive('su-planes', 'tiny', 'planes=2 zone-channels=1 zone-dies=1 '
          'zone-planes=1', 16, 0),
    Drive('su-zn540', ZN540, 'channels=2 zone-channels=1 zone-dies=1', 16, 0),
    Drive('su-ezns', 'ezns', 'zones=64 channels=4 dies=2', 16, 0),
    Drive('mu-channel', SU, 'zones=64 channels=4 zone-ways=2', 10, 0),
    Drive('mu-8', MU, 'zones=16', 8, 0),
    Drive('mu-8-stagger', MU, 'zones=16 zone-stagger=3', 8, 0),
    Drive('mu-4-remap', MU, 'zones=16 zone-channels=4 zone-stagger=1 ' + REMAP,
          12, 1),
    Drive('mu-zn540', ZN540, 'zone-channels=2', 8, 0),
    Drive('fu-remap', MU, 'zones=16 zone-ways=2 ' + REMAP, 6, 1),
    Drive('fu-stagger', MU, 'zones=16 zone-ways=2 zone-stagger=5', 6, 0),
    Drive('fu-zn540', ZN540, '', 5, 0),
    Drive('fu-confznspp', 'confznspp', '', 5, 0),
)


def chosen(text):
    """Return: the drives whose names are in TEXT, all if it is empty."""
    by_name = {drive.name: drive for drive in ALL}
    unknown = [name for name in text.split() if name not in by_name]
    if unknown:
        raise SettingsError('ONLY=%s: there is no drive %s: %s' % (
            text, unknown[0], ', '.join(by_name)))
    return [by_name[name] for name in text.split()] or list(ALL)
