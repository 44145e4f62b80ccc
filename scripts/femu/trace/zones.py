# SPDX-License-Identifier: GPL-2.0-or-later
"""What became of each zone: what was written to it, how often it was reset and
finished, its state, from the commands that the drive accepted. Commands take
effect in the order of their submission.

Knows nothing of times.
"""

from dataclasses import dataclass

import numpy as np

from femu.trace.file import ALL_NAMESPACES, OP

EMPTY, ACTIVE, FULL, READ_ONLY, OFFLINE = range(5)
STATES = ('empty', 'active', 'full', 'read-only', 'offline')
# States of a zone that has failed, as in its descriptor (ZNS 1.1 figure 37).
FAILED = {0xd: READ_ONLY, 0xf: OFFLINE}
WRITES = [OP[name] for name in ('write', 'write-zeroes', 'append', 'copy')]
OF_A_ZONE = WRITES + [OP[name] for name in (
    'open', 'close', 'finish', 'reset', 'offline', 'set-extension',
    'open-zrwa', 'set-extension-zrwa', 'flush-zrwa')]
WITH_ZRWA = (OP['open-zrwa'], OP['set-extension-zrwa'])
WITH_EXTENSION = (OP['set-extension'], OP['set-extension-zrwa'])
# The states of the zones to which a command for all zones applies, and the
# state into which a command brings a zone.
SELECTS = {OP['finish']: (ACTIVE,), OP['reset']: (ACTIVE, FULL),
           OP['offline']: (READ_ONLY,)}
BECOMES = {OP['finish']: FULL, OP['reset']: EMPTY, OP['offline']: OFFLINE,
           OP['open']: ACTIVE, OP['open-zrwa']: ACTIVE,
           OP['set-extension']: ACTIVE, OP['set-extension-zrwa']: ACTIVE}


@dataclass(frozen=True)
class Layout:
    """Where a drive's zones are: namespaces 1 to `namespaces` have ns_zones of
    them each; one more may be conventional."""
    namespaces: int
    ns_zones: int
    zone_bytes: int
    capacity_bytes: int
    lba_bytes: int
    conventional_bytes: int

    def ns_bytes(self, nsid):
        """Return: the size of namespace NSID; 0 if there is none."""
        if 1 <= nsid <= self.namespaces:
            return self.ns_zones * self.zone_bytes
        return self.conventional_bytes if nsid == self.namespaces + 1 else 0


def layout(params):
    """Return: the Layout of a drive with PARAMS, {name: text}; None if they do
    not say it."""
    names = ('namespaces', 'zones', 'zone-size', 'zone-capacity', 'lba-size',
             'conventional-size')
    texts = [params.get(name, '') for name in names]
    if not all(text.isdecimal() for text in texts):
        return None
    namespaces, zones, size, capacity, lba, conventional = map(int, texts)
    if not 1 <= namespaces <= zones <= 1 << 20 or not 512 <= lba <= size:
        return None
    return Layout(namespaces, zones // namespaces, size, capacity or size,
                  lba, conventional)


class ZoneMap:
    """Arrays over all zones, those of namespace 1 first. `filled_bytes` is the
    write pointer; with a ZRWA, up to where there are data."""

    def __init__(self, where):
        count = where.namespaces * where.ns_zones
        self.layout = where
        self.written_bytes = np.zeros(count, np.int64)
        self.filled_bytes = np.zeros(count, np.int64)
        self.resets = np.zeros(count, np.int64)
        self.finishes = np.zeros(count, np.int64)
        self.state = np.zeros(count, np.int8)
        self.lba_bytes = np.full(where.namespaces + 2, where.lba_bytes)
        self._has_zrwa = np.zeros(count, bool)
        self._has_extension = np.zeros(count, bool)

    def touched(self):
        """Return: an array of flags: which zones were ever used or have
        failed."""
        return ((self.written_bytes > 0) | (self.resets > 0)
                | (self.finishes > 0) | (self.state != EMPTY))

    def block_bytes(self, nsid):
        """NSID: an array. Return: how large a block is there."""
        return self.lba_bytes[np.clip(nsid, 0, self.layout.namespaces + 1)]

    def add(self, commands):
        """COMMANDS: file.Commands, the next in order."""
        zoned = ((commands.nsid >= 1)
                 & (commands.nsid <= self.layout.namespaces)
                 | (commands.nsid == ALL_NAMESPACES) & commands.select_all
                 & np.isin(commands.op, list(SELECTS)))
        commands = commands.chosen((commands.status == 0) & zoned
                                   & np.isin(commands.op, OF_A_ZONE)
                                   | (commands.op == OP['shutdown']))
        first = 0
        for cut in np.flatnonzero(~np.isin(commands.op, WRITES)):
            self._write(commands.chosen(slice(first, cut)))
            self._manage(commands, cut)
            first = cut + 1
        self._write(commands.chosen(slice(first, None)))

    def _zone_of(self, nsid, slba):
        idx = slba.astype(np.int64) * self.block_bytes(nsid) // \
            self.layout.zone_bytes
        return ((nsid - 1) * self.layout.ns_zones
                + np.clip(idx, 0, self.layout.ns_zones - 1))

    def _write(self, commands):
        if not commands.seq.size:
            return
        zones, of = np.unique(self._zone_of(commands.nsid, commands.slba),
                              return_inverse=True)
        block_bytes = self.block_bytes(commands.nsid)
        size_bytes = commands.nlb * block_bytes
        sums = np.bincount(of, weights=size_bytes).astype(np.int64)
        self.written_bytes[zones] += sums
        ends = (commands.slba.astype(np.int64) * block_bytes + size_bytes
                - zones[of] % self.layout.ns_zones * self.layout.zone_bytes)
        furthest = self.filled_bytes[zones]
        np.maximum.at(furthest, of, ends)
        zrwa = self._has_zrwa[zones]
        filled = np.minimum(np.where(zrwa, furthest,
                                     self.filled_bytes[zones] + sums),
                            self.layout.capacity_bytes)
        self.filled_bytes[zones] = filled
        self.state[zones] = np.where(
            (filled >= self.layout.capacity_bytes) & ~zrwa, FULL, ACTIVE)

    def _shut_down(self):
        """Zones that are active and have nothing to keep are empty."""
        self.state[(self.state == ACTIVE) & (self.filled_bytes == 0)
                   & ~self._has_extension] = EMPTY
        self._has_zrwa &= self.state == ACTIVE

    def _manage(self, commands, idx):
        op, nsid = int(commands.op[idx]), int(commands.nsid[idx])
        if op == OP['shutdown']:
            self._shut_down()
            return
        if commands.select_all[idx]:
            zones = self._all_of(nsid)
            zones = zones[np.isin(self.state[zones], SELECTS.get(op, ()))]
        else:
            zones = self._zone_of(commands.nsid[idx:idx + 1],
                                  commands.slba[idx:idx + 1])
        if op in WITH_EXTENSION:
            self._has_extension[zones] = True
        if op == OP['reset']:
            self._has_extension[zones] = False
            self.resets[zones] += 1
            self.filled_bytes[zones] = 0
        elif op == OP['finish']:
            self.finishes[zones] += 1
        elif op == OP['flush-zrwa']:
            self._flush(commands, idx, zones)
        if op in BECOMES:
            self.state[zones] = BECOMES[op]
            self._has_zrwa[zones] = self._has_zrwa[zones] & (
                self.state[zones] == ACTIVE) | (op in WITH_ZRWA)

    def _flush(self, commands, idx, zones):
        """Flushes a zone's ZRWA up to a block, which may be the zone's last."""
        block_bytes = int(self.block_bytes(commands.nsid[idx]))
        end_bytes = (int(commands.slba[idx]) + 1) * block_bytes \
            - zones % self.layout.ns_zones * self.layout.zone_bytes
        full = zones[end_bytes >= self.layout.capacity_bytes]
        self.state[full] = FULL
        self._has_zrwa[full] = False

    def _all_of(self, nsid):
        if nsid == ALL_NAMESPACES:
            return np.arange(len(self.state))
        return np.arange((nsid - 1) * self.layout.ns_zones,
                         nsid * self.layout.ns_zones)

    def fail(self, record):
        """RECORD: a file.ZoneFailed."""
        idx = (record.nsid - 1) * self.layout.ns_zones + record.zone_idx
        if record.state in FAILED and 0 <= idx < len(self.state):
            self.state[idx] = FAILED[record.state]
            self._has_zrwa[idx] = False

    def format(self, record):
        """RECORD: a file.Formatted. Zones that had failed are offline
        then."""
        everywhere = record.nsid == ALL_NAMESPACES
        if not everywhere and record.nsid >= len(self.lba_bytes):
            return
        self.lba_bytes[slice(None) if everywhere else record.nsid] = \
            record.lba_bytes
        if everywhere or 1 <= record.nsid <= self.layout.namespaces:
            zones = self._all_of(record.nsid)
            failed = self.state[zones] >= READ_ONLY
            self.state[zones] = np.where(failed, OFFLINE, EMPTY)
            self.filled_bytes[zones] = 0
            self._has_zrwa[zones] = False
            self._has_extension[zones] = False
