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

# Where configuration space is written to, as take_addr() reads it, and what has
# an effect there, without its first byte.
FLR = bytes([0xe8]), bytes([0x80])
DRIVE_PAGE = bytes([0xea])
BUS_MASTER = bytes([0xeb, 0, 4]), bytes([0])
BUS_RESET = bytes([0xec]), bytes([0, 0x40])
SLOT_OFF = bytes([0xed]), bytes([7])
PORT_PAGE = bytes([0xee])
SANE, MESSAGE, FUNCTION, REPLUG = 0xf8, 0xf4, 0xf5, 0xfe


def io(name, zone=0, cdw12=None, cdw13=None, more=None, nsid=1,
       pointer=bytes(1)):
    """One command at a zone's start; `more`: bits 15:8 of dword 13."""
    given = (cdw12 is not None) | (cdw13 is not None) << 1 | \
        (more is not None) << 6
    words = [w for w in (cdw12, cdw13, more) if w is not None]
    return bytes([1, given, IO.index(name), 0 if nsid == 1 else 3, zone,
                  *pointer, *words])


def admin(name, cdw10=0, cdw11=0, nsid=0):
    return bytes([0, 0x10, ADMIN.index(name), 5 if nsid == 0 else 0, cdw10,
                  cdw11, 0])


def source_range(nlb):
    return bytes([0xa0, 0, 0, nlb])


def data(word):
    """The first word of the data: its second byte and what follows it."""
    return bytes([0xa0, 4, len(word), *reversed(word)])


def reads_to(where, word):
    """A block of data that starts with the word, read to that address."""
    return data(word) + io('write', 0, 0) + TIME + \
        io('read', 0, 0, pointer=bytes([0xe0, *where, 0]))


def message(where, word, late):
    """Vector 0 writes there; at once, by an admin command, or by a write."""
    return bytes([MESSAGE, 0, *where, *reversed((bytes(1) + word +
                                                 bytes(3))[:4])]) + \
        (io('write', 0, 3) + TIME if late else admin('get', 7))


def dword(value):
    return bytes([0xe0]) + value.to_bytes(4, 'big')


def completions_to(page):
    """Queue 1 anew, its completions in that page: four writes across zones."""
    def create(name, cdw10, cdw11, where):
        return bytes([0, 0x10, ADMIN.index(name), 5, *dword(cdw10),
                      *dword(cdw11), 0xe0, *where, 0])
    across = bytes([1, 0x81, IO.index('write'), 0, 0x82, 1, 0, 1])
    return admin('delete-sq', 1) + \
        create('create-cq', 7 << 16 | 3, 3, page) + \
        create('create-sq', 7 << 16 | 1, 3 << 16 | 1, bytes([0xd0, 0])) + \
        3 * across + bytes([1, 1]) + across[2:] + TIME


def again():
    """A sane guest works on; then on a new drive in the slot."""
    return bytes([SANE]) + writes(1) + bytes([REPLUG, 0]) + writes(1)


def control_sequences():
    for name, (where, word) in (('flr', FLR), ('bus-reset', BUS_RESET),
                                ('slot-off', SLOT_OFF),
                                ('bus-master', BUS_MASTER)):
        yield f'data-{name}', reads_to(where, word) + again()
        yield f'message-{name}', message(where, word, False) + again()
        yield f'late-{name}', message(where, word, True) + again()
    for name, page in (('drive', DRIVE_PAGE), ('port', PORT_PAGE)):
        yield f'completion-{name}', completions_to(page) + again()
    yield 'sleep', io('write', 0, 3) + bytes([FUNCTION, 0x0c | 3]) + TIME + \
        bytes([FUNCTION, 1]) + io('write', 1, 3) + TIME
    yield 'flr', io('write', 0, 3) + bytes([FUNCTION, 0]) + TIME + again()


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
    yield from control_sequences()


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
