# SPDX-License-Identifier: GPL-2.0-or-later
"""A host of one NVMe drive in a Machine: the controller, one pair of queues,
zoned commands, each with memory of its own.

Knows nothing of what is written, or of what should come back.
"""

import struct

SLOT = 4
BAR = 0xe0000000
ENTRIES = 64
ADMIN_SQ, ADMIN_CQ, IO_SQ, IO_CQ = (0x100000 + i * 0x1000 for i in range(4))
DATA = 0x200000
LIST = 0x1000000        # of pages, of each command
DATA_BYTES = 0x10000    # of each command, at most
BLOCK = 4096

FLUSH, WRITE, READ, SEND, RECEIVE, APPEND = 0, 1, 2, 0x79, 0x7a, 0x7d
CLOSE, FINISH, OPEN, RESET = 1, 2, 3, 4
FUA = 1 << 30
STATES = {1: 'empty', 2: 'open', 3: 'open', 4: 'closed', 0xd: 'read-only',
          0xe: 'full', 0xf: 'offline'}


class Host:
    """What it knows ends with the controller: after a cut, begin() again."""

    def __init__(self, machine, zones):
        self.machine, self.zones = machine, zones
        self.now_ns = 0
        self.tail = self.head = self.phase = 0
        self.free = []
        self.admin_tail = 0

    def begin(self):
        """Maps the drive and enables it, with empty queues."""
        machine = self.machine
        machine.config(SLOT, 0x10, BAR)
        machine.config(SLOT, 0x14, 0)
        machine.config(SLOT, 0x04, 6)
        for page in (ADMIN_SQ, ADMIN_CQ, IO_SQ, IO_CQ):
            machine.write(page, bytes(4096))
        for at, value in ((0x24, (ENTRIES - 1) << 16 | ENTRIES - 1),
                          (0x28, ADMIN_SQ), (0x2c, 0), (0x30, ADMIN_CQ),
                          (0x34, 0), (0x14, 0x00460061)):
            machine.post(f'writel {BAR + at} {value}')
        while machine.readl(BAR + 0x1c) & 3 != 1:
            self.now_ns = machine.step()
        self.admin_tail = self.tail = self.head = 0
        self.phase = 1
        self.free = list(range(ENTRIES - 1))
        self._admin(5, IO_CQ, (ENTRIES - 1) << 16 | 1, 1)
        self._admin(1, IO_SQ, (ENTRIES - 1) << 16 | 1, 1 << 16 | 1)

    def _admin(self, opcode, prp, cdw10, cdw11):
        at, phase = self.admin_tail % ENTRIES, 1
        self.machine.write(ADMIN_SQ + at * 64, struct.pack(
            '<BBHIQQQQ6I', opcode, 0, at, 0, 0, 0, prp, 0, cdw10, cdw11, 0, 0,
            0, 0))
        self.admin_tail += 1
        self.machine.call(f'writel {BAR + 0x1000} {self.admin_tail % ENTRIES}')
        entry = struct.unpack('<4I', self.machine.read(ADMIN_CQ + at * 16, 16))
        if entry[3] >> 16 != phase:
            raise RuntimeError(f'admin command {opcode}: {entry}')
        self.machine.call(f'writel {BAR + 0x1004} '
                          f'{self.admin_tail % ENTRIES}')

    def room(self):
        """Return: how many commands can be submitted."""
        return len(self.free)

    def submit(self, opcode, slba=0, nlb=1, data=None, flags=0, action=0):
        """Return: the command's number. It is given to the drive by ring()."""
        cid = self.free.pop()
        buffer = DATA + cid * DATA_BYTES
        cdw12, cdw13 = flags, 0
        if opcode in (READ, WRITE, APPEND):
            cdw12 |= nlb - 1
        elif opcode == SEND:
            cdw13 = action
        elif opcode == RECEIVE:
            cdw12, cdw13 = nlb * BLOCK // 4 - 1, 0
        prp2 = 0
        if data is not None:
            self.machine.write(buffer, data)
        if nlb == 2:
            prp2 = buffer + BLOCK
        elif nlb > 2:
            prp2 = LIST + cid * 4096
            self.machine.write(prp2, struct.pack(
                f'<{nlb - 1}Q', *(buffer + i * BLOCK for i in range(1, nlb))))
        self.machine.write(IO_SQ + self.tail * 64, struct.pack(
            '<BBHIQQQQ6I', opcode, 0, cid, 1, 0, 0, buffer, prp2,
            slba & 0xffffffff, slba >> 32, cdw12, cdw13, 0, 0))
        self.tail = (self.tail + 1) % ENTRIES
        return cid

    def ring(self):
        """Gives the drive what has been submitted."""
        self.machine.call(f'writel {BAR + 0x1008} {self.tail}')

    def take(self):
        """Return: [(number, status, result)] of what is done."""
        done = []
        entries = self.machine.read(IO_CQ, ENTRIES * 16)
        while True:
            low, high, _, last = struct.unpack_from('<4I', entries,
                                                    self.head * 16)
            if last >> 16 & 1 != self.phase:
                break
            cid = last & 0xffff
            done.append((cid, last >> 17 & 0x7ff, high << 32 | low))
            self.free.append(cid)
            self.head = (self.head + 1) % ENTRIES
            self.phase ^= self.head == 0
        if done:
            self.machine.call(f'writel {BAR + 0x100c} {self.head}')
        return done

    def step(self, step_ns=None):
        """Moves the clock."""
        self.now_ns = self.machine.step(step_ns)

    def wait(self, cid):
        """Steps until the command is done; nothing else is inside. Return: its
        status."""
        self.ring()
        while True:
            for number, status, _ in self.take():
                if number == cid:
                    return status
            self.step()

    def data(self, cid, nlb):
        """Return: what a command has read."""
        return self.machine.read(DATA + cid * DATA_BYTES, nlb * BLOCK)

    def report(self):
        """Return: [(state, write pointer in its zone)]; nothing is inside."""
        blocks = (64 + self.zones * 64 + BLOCK - 1) // BLOCK
        cid = self.submit(RECEIVE, 0, blocks)
        if self.wait(cid):
            raise RuntimeError('the zone report fails')
        text, zones = self.data(cid, blocks), []
        for i in range(self.zones):
            _, state, _, _, _, start, pointer = struct.unpack_from(
                '<BBB5sQQQ', text, 64 + i * 64)
            zones.append((STATES[state >> 4], pointer - start))
        return zones

    def read(self, slba, nlb):
        """Return: blocks; nothing is inside."""
        cid = self.submit(READ, slba, nlb)
        if self.wait(cid):
            raise RuntimeError(f'a read of block {slba} fails')
        return self.data(cid, nlb)
