# SPDX-License-Identifier: GPL-2.0-or-later
"""What the two papers observed of the host's software, checked in a guest
under virtual time: runs jobs/observations.sh and judges its results.

A check is a function of a Guest. It returns whether the claim holds, and the
numbers that say so.

Knows nothing of the other observations.
"""

import json
import os
import shutil
import subprocess

# The guest's processor does 8 instructions in a nanosecond of the drive's:
# what fio and Linux need for a command is then about what it is on a server.
DILATION = 8
LIMIT_S = 1800


class GuestError(Exception):
    """There is no guest, or it failed."""


class Guest:
    """The results of a run, in the drive's time."""

    def __init__(self, results, dilation):
        self.results = results
        self.dilation = dilation

    def _load(self, name):
        path = os.path.join(self.results, name)
        try:
            with open(path, encoding='utf-8') as file:
                text = file.read()
            return json.loads(text[text.index('{'):])
        except (OSError, ValueError) as error:
            raise GuestError('%s: %s' % (path, error)) from None

    def _side(self, step):
        """Return: fio's numbers of the operation that the step did."""
        job = self._load(step + '.fio.json')['jobs'][0]
        return job['read' if step.startswith('read') else 'write']

    def kiops(self, step):
        """Return: fio's throughput."""
        return self._side(step)['iops'] * self.dilation / 1000

    def latency_us(self, step):
        """Return: fio's mean latency."""
        return self._side(step)['lat_ns']['mean'] / self.dilation / 1000

    def drive_us(self, step):
        """Return: the mean latency of the drive's commands."""
        write = self._load(step + '.device.json')['ops']['write']
        return write['sum_ns'] / write['count'] / 1000

    def merged_pct(self, step):
        """Return: the share of fio's writes that went in another's command."""
        write = self._load(step + '.device.json')['ops']['write']
        total = self._side(step)['total_ios']
        return 100 * (total - write['count']) / total


def run(top, config, out_dir):
    """Runs the job. Return: a Guest."""
    shutil.rmtree(out_dir, ignore_errors=True)
    os.makedirs(os.path.dirname(out_dir), exist_ok=True)
    env = {name: value for name, value in os.environ.items()
           if name in ('PATH', 'HOME', 'TMPDIR', 'QEMU')}
    env.update(JOB=os.path.join(top, 'jobs/observations.sh'), CONFIG=config,
               DILATION=str(DILATION), TRACE='0', OUT=out_dir)
    done = subprocess.run([os.path.join(top, 'scripts/run')], env=env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          timeout=LIMIT_S, check=False)
    if done.returncode != 0:
        raise GuestError('scripts/run failed:\n%s' % done.stdout[-2000:])
    return Guest(os.path.join(out_dir, 'results'), DILATION)


def is_built(top):
    """Return: whether there is a QEMU and a guest to run."""
    return all(os.path.exists(os.path.join(top, path)) for path in (
        'build-qemu/build/qemu-system-x86_64', 'build-guest/root.erofs'))


# --- CLUSTER 2023 -------------------------------------------------------------

def storage_stacks(guest):
    """2: SPDK itself is not in the guest. It is what the drive's times are
    fitted to, and no stack has less than the drive itself."""
    us = [guest.drive_us('write-passthrough')] + [
        guest.latency_us('write-' + name)
        for name in ('passthrough', 'none', 'mq-deadline')]
    return us == sorted(us) and len(set(us)) == 4, \
        '4 KiB writes at QD1: the drive alone %.2f us, io_uring passthrough ' \
        '%.2f, io_uring %.2f, with mq-deadline %.2f (measured: SPDK 11.36, ' \
        'io_uring 12.62, with mq-deadline 14.47)' % tuple(us)


def intra_zone(guest):
    """5"""
    write = {name: guest.kiops('write-' + name)
             for name in ('qd4', 'qd16', 'qd32', '4-zones', '8-zones')}
    reads = guest.kiops('read-qd8'), guest.kiops('read-8-zones')
    return write['qd32'] > 1.3 * max(write['4-zones'], write['8-zones']) and \
        reads[0] > 0.97 * reads[1], \
        'writes with mq-deadline in a zone at QD 4, 16, 32: %.0f %.0f %.0f ' \
        'kIOPS; in 4 and 8 zones at QD1: %.0f %.0f (measured 293 at QD32, ' \
        '186); reads at QD8 and in 8 zones: %.0f %.0f' % (
            *write.values(), *reads)


def zone_order(guest):
    """7"""
    read, write = guest.kiops('read-qd128'), guest.kiops('write-qd32')
    append = guest.kiops('append-qd32')
    merged = guest.merged_pct('write-qd16')
    return read > 1.1 * write > 1.2 * append and merged > 50, \
        'in one zone reads at QD128 %.0f kIOPS, writes with mq-deadline at ' \
        'QD32 %.0f, appends at QD32 %.0f (measured 424, 293, 132); of writes ' \
        'at QD16 %.1f %% were merged (measured 92.4 %%)' % (
            read, write, append, merged)
