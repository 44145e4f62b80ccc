#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes seeds for QEMU's generic fuzzer: how a host uses an NVMe controller.

  generic_seeds.py FOLDER

An input of that fuzzer is a list of operations with "FUZZ" between them, of
which the first byte is the kind (tests/qtest/fuzz/generic_fuzz.c). Guest memory
is given by patterns: each read by the device finds the next pattern there. So a
command is a pattern, its data another, and a doorbell makes the device read.

Knows nothing of what the answers should be.
"""

import os
import struct
import sys

WRITE, CONFIG, PATTERN, CLEAR, CLOCK = 3, 5, 7, 8, 9
WORD, LONG, QUAD = 1, 2, 3              # sizes of an access
REGISTERS = 0                           # which of the device's regions
SQ, CQ, DATA = 0x100000, 0x110000, 0x200000
ENTRIES = 64


def write(offset, value, size=LONG):
    return struct.pack('<BBBxxIQ', WRITE, size, REGISTERS, offset, value)


def config(offset, value):
    """A word of the drive's configuration space."""
    return struct.pack('<BBBBxI', CONFIG, WORD, 0, offset, value)


def pattern(data):
    """What the device's next read finds; one byte of it may count upwards."""
    return struct.pack('<BBB', PATTERN, 0, 0) + data


def command(opcode, cdw10=0, cdw11=0, cdw12=0, cdw13=0, nsid=1, flags=0,
            prp1=DATA):
    return struct.pack('<BBHIQQQQIIIIII', opcode, flags, 0, nsid, 0, 0, prp1,
                       DATA + 0x1000, cdw10, cdw11, cdw12, cdw13, 0, 0)


def admin(opcode, *cdw, nsid=0):
    return command(opcode, *cdw, nsid=nsid)


def doorbell(queue, tail):
    return write(0x1000 + 8 * queue, tail)


def give(queue, tail, sqe, *data):
    """One command: its entry, its data, the doorbells, time for its work."""
    return [bytes([CLEAR]), pattern(sqe), *map(pattern, data),
            doorbell(queue, tail), bytes([CLOCK]), bytes([CLOCK]),
            write(0x1004 + 8 * queue, tail)]


ENABLE = [
    write(0x24, (ENTRIES - 1) << 16 | (ENTRIES - 1)),
    write(0x28, SQ, QUAD), write(0x30, CQ, QUAD), write(0x14, 0x00460061),
]
QUEUES = [
    pattern(command(5, (ENTRIES - 1) << 16 | 1, 3, prp1=CQ + 0x1000)),
    pattern(command(1, (ENTRIES - 1) << 16 | 1, 1 << 16 | 1, prp1=SQ + 0x1000)),
    doorbell(0, 2),
]

ADMIN = {
    'identify-ns': admin(6, 0, nsid=1), 'identify-ctrl': admin(6, 1),
    'identify-list': admin(6, 2), 'identify-desc': admin(6, 3, nsid=1),
    'identify-zns': admin(6, 5, 2 << 24, nsid=1),
    'identify-zns-ctrl': admin(6, 6, 2 << 24),
    'log-error': admin(2, 0x003f0001), 'log-smart': admin(2, 0x007f0002),
    'log-firmware': admin(2, 0x007f0003), 'log-ns': admin(2, 0x03ff0004),
    'log-effects': admin(2, 0x03ff0005),
    'log-zones': admin(2, 0x03ff00bf, nsid=1),
    'log-stats': admin(2, 0x03ff00c0), 'get-feature': admin(10, 7),
    'get-timestamp': admin(10, 14), 'get-host': admin(10, 0x81, 1),
    'set-events': admin(9, 11, 0x0800ff00), 'set-queues': admin(9, 7, 0x30003),
    'set-timestamp': admin(9, 14), 'set-host': admin(9, 0x81, 1),
    'set-temperature': admin(9, 4, 200), 'set-coalescing': admin(9, 8, 0x103),
    'abort': admin(8, 1), 'event': admin(12), 'delete-sq': admin(0, 1),
    'delete-cq': admin(4, 1), 'format': admin(0x80, 0, nsid=1),
    'shadow-doorbells': admin(0x7c),
}
IO = {
    'write': command(1, 0, 0, 3), 'read': command(2, 0, 0, 3),
    'append': command(0x7d, 0, 0, 3), 'flush': command(0),
    'write-zeroes': command(8, 0, 0, 3), 'verify': command(12, 0, 0, 3),
    'compare': command(5, 0, 0, 3),
    'report': command(0x7a, 0, 0, 0xff, 0),
    'report-extended': command(0x7a, 0, 0, 0xff, 1),
    'open': command(0x79, 0x100, 0, 0, 3), 'close': command(0x79, 0, 0, 0, 1),
    'finish': command(0x79, 0, 0, 0, 2), 'reset': command(0x79, 0, 0, 0, 0x104),
    'extension': command(0x79, 0x200, 0, 0, 0x10),
    'sgl': command(1, 0, 0, 1, flags=0x40),
}
# (No detach: all inputs share a drive, which would stay without a namespace.)
WITH_DATA = {
    'copy': (command(0x19, 0x100, 0, 0), struct.pack('<QQHHIII', 0, 0, 0, 0,
                                                     0, 0, 0)),
    'dsm': (command(9, 0, 4), struct.pack('<IIQ', 0, 8, 0)),
}


# Command, power state, MSI-X control and device control are where realize has
# put them. Each pair switches something off while a write is inside, and on.
CONTROL = {
    'bus-master': (config(4, 2), config(4, 6)),
    'sleep': (config(0x44, 3), config(0x44, 0)),
    'flr': (config(0x6c, 0x8000), config(4, 6)),
    'msix': (config(0x5a, 0x8000), config(0x5a, 0)),
}
VECTOR_0 = [write(0x2000, DATA), write(0x2004, 0), write(0x2008, 1),
            write(0x200c, 0)]


def seeds():
    written = give(1, 1, IO['write'], bytes(range(64)))
    for name, sqe in ADMIN.items():
        yield name, ENABLE + QUEUES + give(0, 3, sqe)
    for name, sqe in IO.items():
        yield name, ENABLE + QUEUES + written + give(1, 2, sqe)
    for name, (off, on) in CONTROL.items():
        yield name, ENABLE + VECTOR_0 + QUEUES + [
            pattern(IO['write']), pattern(bytes(range(64))), doorbell(1, 1),
            off, bytes([CLOCK]), bytes([CLOCK]), on, bytes([CLOCK]), *ENABLE]
    yield 'attach', ENABLE + QUEUES + give(0, 3, admin(0x15, 0, nsid=1),
                                           struct.pack('<HH', 1, 0))
    for name, (sqe, data) in WITH_DATA.items():
        yield name, ENABLE + QUEUES + written + give(1, 2, sqe, data)


def main():
    if len(sys.argv) != 2:
        sys.exit('usage: generic_seeds.py FOLDER')
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, operations in seeds():
        with open(os.path.join(sys.argv[1], name), 'wb') as file:
            file.write(b'FUZZ'.join(operations))


if __name__ == '__main__':
    main()
