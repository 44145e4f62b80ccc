#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes seeds for fuzz target device: a guest that uses each kind of drive.

  device_seeds.py FOLDER

The bytes are those of tests/qtest/fuzz/femu_zns_fuzz.c. Knows nothing of what
the answers should be.
"""

import os
import sys

KINDS = 12                              # rows of drives[]
IO = ('write', 'read', 'append', 'send', 'receive', 'flush', 'zeroes',
      'verify', 'compare', 'copy', 'dsm')
ADMIN = ('log', 'identify', 'set', 'get', 'event', 'abort', 'delete-sq',
         'create-sq', 'delete-cq', 'create-cq', 'format', 'attach', 'dbbuf')
TIME = bytes([0x80, 31])


def io(name, zone=0, cdw12=None, cdw13=None, more=None, nsid=1):
    """One command at a zone's start; `more`: bits 15:8 of dword 13."""
    given = (cdw12 is not None) | (cdw13 is not None) << 1 | \
        (more is not None) << 6
    words = [w for w in (cdw12, cdw13, more) if w is not None]
    return bytes([1, given, IO.index(name), 0 if nsid == 1 else 3, zone, 0,
                  *words])


def admin(name, cdw10=0, cdw11=0, nsid=0):
    return bytes([0, 0x10, ADMIN.index(name), 5 if nsid == 0 else 0, cdw10,
                  cdw11, 0])


def source_range(nlb):
    return bytes([0xa0, 0, 0, nlb])


def writes(nsid):
    return io('write', 0, 3, nsid=nsid) + io('append', 0, 7, nsid=nsid) + \
        io('append', 0, 7, nsid=nsid) + TIME


def sequences():
    yield 'read', writes(1) + io('read', 0, 7) + io('verify', 0, 7) + \
        io('compare', 0, 3) + TIME
    yield 'finish', writes(1) + io('send', 0, 0, 2) + TIME
    yield 'reset', writes(1) + io('send', 0, 0, 4) + TIME + writes(1)
    yield 'reset-all', writes(1) + io('send', 0, 0, 4, 1) + TIME
    yield 'open-close', io('send', 0, 0, 3) + io('send', 0, 0, 1) + TIME
    yield 'zrwa', io('send', 0, 0, 3, 2) + io('write', 0, 3) + \
        io('write', 0, 7) + io('send', 0, 0, 0x11) + TIME
    yield 'zeroes', io('zeroes', 0, 7) + io('flush') + TIME
    yield 'copy', writes(1) + source_range(3) + io('copy', 1) + TIME
    yield 'report', writes(1) + io('receive', 0, 200, 0) + \
        io('receive', 0, 200, 1) + TIME
    yield 'second', writes(2) + io('read', 0, 3, nsid=2) + TIME
    yield 'features', b''.join(admin('set', f, 3) + admin('get', f) for f in
                               (4, 8, 11, 14, 0x81, 0xc0)) + admin('event')
    yield 'logs', b''.join(admin('log', f, 0) for f in
                           (1, 2, 3, 4, 5, 0xbf, 0xc0))
    yield 'format', writes(1) + admin('format', 0, 0, 1) + TIME
    yield 'excursion', writes(1) + 3 * TIME + admin('log', 0xbf)


def main():
    if len(sys.argv) != 2:
        sys.exit('usage: device_seeds.py FOLDER')
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, steps in sequences():
        for kind in range(KINDS):
            path = os.path.join(sys.argv[1], f'{name}-{kind}')
            with open(path, 'wb') as file:
                file.write(bytes([kind]) + steps)


if __name__ == '__main__':
    main()
