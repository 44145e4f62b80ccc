# SPDX-License-Identifier: GPL-2.0-or-later
"""One drive that lasts, through QEMUs that are killed and power that goes.

Knows nothing of how many trials there are.
"""

import os
import random
import subprocess

from femu.common import asked
from femu.torture import host as host_module
from femu.torture.machine import Gone, Machine
from femu.torture.memory import BLOCK, Memory, content

ZONES, ZONE_NLB, CAPACITY_NLB = 12, 64, 48
WRITE_NLB, READ_NLB = 12, 16
DRIVE = (f'femu-zns,addr={host_module.SLOT:02x}.0,id=zns,serial=torture,'
         f'zones={ZONES},zone-size={ZONE_NLB * BLOCK},'
         f'zone-capacity={CAPACITY_NLB * BLOCK},max-open=0,max-active=0,'
         'pages-per-block=4')
KINDS = ('', ',write-buffer=512K,program-registers=2',
         ',write-buffer=512K,program-registers=2,write-cache=volatile',
         ',write-cache=volatile,erase-at=background,fe-reset-ns=200000')
OPS = ('write',) * 8 + ('append',) * 5 + ('fua',) * 2 + ('read',) * 3 + \
    ('flush',) * 2 + ('finish', 'reset', 'reset', 'open')


class Broken(Exception):
    """QEMU ended, or answered, as it never may."""


class Trial:
    """A drive in a folder. `lost`: texts of what is not as it must be."""

    def __init__(self, binary, folder, number, seed):
        self.binary, self.folder = binary, folder
        self.sim = asked.simulator()
        self.kind = number % len(KINDS)
        self.rng = random.Random(f'{seed} {number}')
        self.memory = Memory(ZONES, CAPACITY_NLB, 'volatile' in
                             KINDS[self.kind])
        self.log = open(os.path.join(folder, 'log'), 'w', encoding='ascii')
        self.machine = self.host = None
        self.cut_asked = False      # it may have been, or not
        self.cuts = self.kills = self.told = 0
        self.lost = []

    # --- The drive comes and goes ---------------------------------------------

    def start(self, kill_in_s=None):
        """A new QEMU, which is killed so many seconds from now, if it does not
        wait until kill_soon()."""
        self.machine = Machine(self.binary, f'{DRIVE}{KINDS[self.kind]},state='
                               + os.path.join(self.folder, 'state'),
                               self.folder)
        if kill_in_s is not None:
            self.machine.kill_in(kill_in_s)
        self.machine.start()
        self.host = host_module.Host(self.machine, ZONES)
        self.host.begin()
        self.judge(False)

    def gone(self):
        """QEMU has ended: by our kill, or else something is broken."""
        said = self.machine.end()
        if self.machine.process.returncode != -9:
            raise Broken(f'QEMU ended with {self.machine.process.returncode}: '
                         f'{said.strip()[-600:]}')
        self.kills += 1
        self.memory.forget_inside()
        self.log.write(f'kill {self.kills}\n')
        self._check()

    def _check(self):
        """What a kill leaves is no damage: femu-sim finds nothing wrong."""
        state = os.path.join(self.folder, 'state')
        if not os.path.exists(os.path.join(state, 'history')):
            return                      # it was killed before it was one
        done = subprocess.run([self.sim, 'state', state], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
        if done.returncode != 0:
            self._lose(f'femu-sim state says {done.stdout.strip()}')

    def cut(self):
        """The power goes, and comes back."""
        seed = self.rng.randrange(1 << 32)
        self.log.write(f'cut {seed}\n')
        self.cut_asked = True
        self.machine.qmp('qom-set', path='/machine/peripheral/zns',
                         property='power-cut', value=str(seed))
        self.memory.forget_inside()
        self.host.begin()
        self.judge(True)
        self.cuts += 1

    def told_blocks(self):
        """Return: a block of each zone that has data which the host was told
        of, by its place among all data."""
        return [i * CAPACITY_NLB for i, zone in enumerate(self.memory.zones)
                if zone.told and not zone.doubt]

    # --- What is there --------------------------------------------------------

    def judge(self, is_cut):
        """Compares what the drive holds with what the host remembers."""
        report = self.host.report()
        may_be_cut = is_cut or self.cut_asked
        for zone_idx, (state, blocks) in enumerate(report):
            expected = self.memory.expected(zone_idx, may_be_cut)
            stamps = self.memory.judge(zone_idx, state, blocks, may_be_cut)
            if stamps is None:
                self._lose(f'zone {zone_idx} is {state} with {blocks} blocks; '
                           f'it must be {expected}')
                stamps = []
            else:
                stamps = self._judge_data(zone_idx, stamps)
            if state != 'full':
                stamps = (stamps + [0] * blocks)[:blocks]
            self.memory.found(zone_idx, state, blocks, stamps, is_cut)
        self.cut_asked = False

    def _judge_data(self, zone_idx, stamps):
        """Return: the stamps, 0 for those that are not there."""
        zone_lba, found = zone_idx * ZONE_NLB, []
        for start in range(0, CAPACITY_NLB, READ_NLB):
            if start > len(stamps):
                break
            data = self.host.read(zone_lba + start, READ_NLB)
            for i in range(READ_NLB):
                lba, at = zone_lba + start + i, start + i
                stamp = stamps[at] if at < len(stamps) else 0
                want = content(lba, stamp) if stamp else bytes(BLOCK)
                if data[i * BLOCK:(i + 1) * BLOCK] != want:
                    self._lose(f'block {lba} is not the one that was written '
                               f'({stamp})')
                    stamp = 0
                if at < len(stamps):
                    found.append(stamp)
        return found

    def _lose(self, text):
        text = f'after {self.kills} kills and {self.cuts} power cuts: {text}'
        self.lost.append(text)
        self.log.write(f'lost: {text}\n')

    # --- What is asked --------------------------------------------------------

    def _submit(self):
        memory, host, rng = self.memory, self.host, self.rng
        what, zone_idx = rng.choice(OPS), rng.randrange(ZONES)
        slba = zone_idx * ZONE_NLB
        zone = memory.zones[zone_idx]
        if what == 'flush':
            memory.ask(host.submit(host_module.FLUSH), what)
        elif what == 'read':
            nlb = rng.randint(1, READ_NLB)
            stamps = (zone.stamps + [0] * CAPACITY_NLB)[:nlb]
            cid = host.submit(host_module.READ, slba, nlb)
            memory.ask(cid, what, zone_idx)
            memory.inside[cid].want = b''.join(
                content(slba + i, stamp) if stamp else bytes(BLOCK)
                for i, stamp in enumerate(stamps))
        elif not memory.may_write(zone_idx) and \
                (what != 'reset' or not memory.is_full(zone_idx) or
                 zone.doubt_cid is not None):
            return
        elif what in ('finish', 'reset', 'open'):
            cid = host.submit(host_module.SEND, slba, 0, action={
                'finish': host_module.FINISH, 'reset': host_module.RESET,
                'open': host_module.OPEN}[what])
            memory.ask(cid, what, zone_idx)
        else:
            self._write(what, zone_idx, slba)

    def _write(self, what, zone_idx, slba):
        memory, rng = self.memory, self.rng
        nlb = min(rng.randint(1, WRITE_NLB),
                  CAPACITY_NLB - len(memory.zones[zone_idx].stamps))
        start, zone = memory.write(zone_idx, nlb)
        data = b''.join(content(slba + start + i, zone.stamps[start + i])
                        for i in range(nlb))
        append = what == 'append'
        cid = self.host.submit(
            host_module.APPEND if append else host_module.WRITE,
            slba if append else slba + start, nlb, data,
            host_module.FUA if what == 'fua' else 0)
        memory.ask(cid, 'fua' if what == 'fua' else 'write', zone_idx)
        memory.inside[cid].want = slba + start if append else None

    def _hear(self):
        for cid, status, result in self.host.take():
            asked = self.memory.tell(cid)
            self.told += 1
            self.log.write(f'told {asked.what} zone {asked.zone_idx} up to '
                           f'{asked.end}\n')
            if status:
                raise Broken(f'{asked.what} of zone {asked.zone_idx} has '
                             f'status {status:#x}')
            if asked.what == 'read':
                count = len(asked.want) // BLOCK
                if self.host.data(cid, count) != asked.want:
                    self._lose(f'a read of zone {asked.zone_idx} has other '
                               'data')
            elif asked.want is not None and result != asked.want:
                self._lose(f'an append to zone {asked.zone_idx} is at block '
                           f'{result}, not {asked.want}')

    def work(self, commands):
        """So many commands, some of which may stay inside."""
        for _ in range(commands):
            if self.host.room():
                self._submit()
            if self.rng.random() < 0.4:
                self.host.ring()
                self._hear()
                if self.rng.random() < 0.6:
                    self.host.step(self.rng.randint(1, 1500000))
                elif self.memory.inside and self.rng.random() < 0.8:
                    self.host.step()
                self._hear()
        self.host.ring()

    def work_until_gone(self, kill_in_s):
        """As long as QEMU is there."""
        self.machine.kill_in(kill_in_s)
        while True:
            self.work(50)


def run(trial, kills, cuts, progress):
    """Has TRIAL be killed KILLS times, with CUTS power cuts between."""
    while trial.kills < kills or trial.cuts < cuts:
        progress(trial)
        rng = trial.rng
        left = kills - trial.kills
        early = left and rng.random() < 0.3
        try:
            trial.start(rng.random() * 0.6 if early else None)
            share = -(-(cuts - trial.cuts) // max(left, 1))
            for _ in range(share):
                trial.work(rng.randint(5, 60))
                trial.cut()
            if left:
                trial.work_until_gone(rng.random() * 0.15)
            trial.machine.end()
            return
        except Gone:
            trial.gone()
