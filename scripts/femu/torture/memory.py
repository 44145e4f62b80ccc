# SPDX-License-Identifier: GPL-2.0-or-later
"""What a host remembers of a drive: what it has asked for, what it was told of,
and so what it must find, and may find, when the drive is there again.

After a kill, the drive has done the first commands that it was given, up to some
command that is not before the last one that the host was told of. After a power
cut, what was told of is there; with a volatile cache, what was flushed. The data
of a zone have no gaps, and each block that is there is the one that was written.

Knows nothing of how commands reach a drive.
"""

import struct

BLOCK = 4096


def content(lba, stamp):
    """Return: a block of data that no other write has written."""
    return struct.pack('<QQ', lba, stamp) * (BLOCK // 16)


class Zone:
    """A zone's blocks by what was asked, in order."""

    def __init__(self):
        self.stamps = []        # of each block that was written, told or not
        self.told = 0           # blocks up to the end of a write that was told
        self.safe = 0           # the same, when a flush was asked that is done
        self.life = 0           # resets that were asked for
        self.state = 'data'     # or 'full', by a finish
        self.doubt = None       # (what, blocks before it, state before it): a
        self.doubt_cid = None   # ... finish or reset that nobody was told of
        self.since = None       # blocks when the last kill was


class Asked:
    """A command that is inside."""

    def __init__(self, what, zone_idx, nlb_end, life):
        self.what, self.zone_idx = what, zone_idx
        self.end, self.life = nlb_end, life
        self.safe = None        # a flush: [(life, blocks told)] of each zone
        self.want = None        # data of a read, block of an append


class Memory:
    """All zones, and all commands inside."""

    def __init__(self, zones, capacity, is_volatile):
        self.zones = [Zone() for _ in range(zones)]
        self.capacity, self.is_volatile = capacity, is_volatile
        self.inside = {}
        self.stamp = 0

    # --- What is asked, and told ----------------------------------------------

    def is_full(self, zone_idx):
        """Return: can nothing more be written there?"""
        zone = self.zones[zone_idx]
        return zone.state == 'full' or len(zone.stamps) == self.capacity

    def may_write(self, zone_idx):
        """Return: is the end of the zone's data certain for who asks now?"""
        return not self.is_full(zone_idx) and \
            not any(asked.zone_idx == zone_idx and
                    asked.what in ('finish', 'reset')
                    for asked in self.inside.values())

    def write(self, zone_idx, nlb):
        """Return: the blocks' data, and the first one's place in the zone."""
        zone = self.zones[zone_idx]
        start = len(zone.stamps)
        self.stamp += 1
        zone.stamps += [self.stamp] * nlb
        return start, zone

    def ask(self, cid, what, zone_idx=None):
        """A command has been put into the queue; a write has been noted."""
        zone = self.zones[zone_idx] if zone_idx is not None else None
        asked = Asked(what, zone_idx, len(zone.stamps) if zone else 0,
                      zone.life if zone else 0)
        if what in ('finish', 'reset'):
            zone.doubt = (what, list(zone.stamps), zone.state, zone.safe,
                          zone.told)
            zone.doubt_cid = cid
        if what == 'finish':
            zone.state = 'full'
        elif what == 'reset':
            zone.stamps, zone.state, zone.told, zone.safe = [], 'data', 0, 0
            zone.life += 1
        elif what == 'flush':
            asked.safe = [(one.life, one.told) for one in self.zones]
        self.inside[cid] = asked

    def tell(self, cid):
        """The host has seen the completion. Return: what it was of."""
        asked = self.inside.pop(cid)
        zone = self.zones[asked.zone_idx] \
            if asked.zone_idx is not None else None
        if asked.what in ('write', 'fua') and zone.life == asked.life:
            zone.told = max(zone.told, asked.end)
            if asked.what == 'fua':
                zone.safe = max(zone.safe, asked.end)
        elif asked.what == 'flush':
            for one, (life, told) in zip(self.zones, asked.safe):
                if one.life == life:
                    one.safe = max(one.safe, told)
        elif asked.what in ('finish', 'reset') and zone.doubt_cid == cid:
            zone.doubt = zone.doubt_cid = None
            if asked.what == 'finish':
                zone.told = zone.safe = len(zone.stamps)
        return asked

    # --- What is found --------------------------------------------------------

    def _least(self, zone, is_cut):
        return zone.safe if is_cut and self.is_volatile else zone.told

    def _fits(self, state, blocks, stamps, least, is_full):
        """Return: may a zone with these data, of which so many must be there,
        be in this state with so many blocks?"""
        if is_full:
            return state == 'full'
        if not least <= blocks <= len(stamps):
            return False
        return state == ('full' if blocks == self.capacity else
                         'closed' if blocks else 'empty')

    def expected(self, zone_idx, is_cut):
        """Return: what the zone may be, as text."""
        zone = self.zones[zone_idx]
        text = f'{self._least(zone, is_cut)} to {len(zone.stamps)} blocks' \
            if zone.state == 'data' else 'full'
        if zone.doubt:
            text += f', or as before its {zone.doubt[0]}: ' \
                    f'{len(zone.doubt[1])} blocks'
        return text

    def judge(self, zone_idx, state, blocks, is_cut):
        """Return: the stamps of the blocks that must be there, or None if the
        zone cannot be so. BLOCKS is of no meaning if STATE is full."""
        zone = self.zones[zone_idx]
        if state == 'full':
            blocks = self.capacity
        if self._fits(state, blocks, zone.stamps, self._least(zone, is_cut),
                      zone.state == 'full'):
            return zone.stamps[:blocks]
        if zone.doubt:
            _, stamps, was, safe, told = zone.doubt
            least = safe if is_cut and self.is_volatile else told
            if self._fits(state, blocks, stamps, least, was == 'full'):
                zone.stamps, zone.state = stamps, was
                zone.safe, zone.told = safe, told
                return stamps[:blocks]
        return None

    def found(self, zone_idx, state, blocks, stamps, is_cut):
        """What has been found is what the host knows from now on."""
        zone = self.zones[zone_idx]
        zone.stamps = list(stamps)
        zone.state = 'full' if state == 'full' and \
            len(stamps) < self.capacity else 'data'
        zone.told = len(stamps)
        zone.safe = zone.told if is_cut else min(zone.safe, zone.told)
        zone.life += 1
        zone.doubt = zone.doubt_cid = None

    def forget_inside(self):
        """No completion will come any more."""
        self.inside.clear()
