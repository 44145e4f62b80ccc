# SPDX-License-Identifier: GPL-2.0-or-later
"""What the two papers observed of the host's software, checked in a guest under
virtual time: runs jobs/observations.sh and reads numbers from its results.

The papers measured with another kernel (5.17 to 6.3; the guest has Debian's)
and on a processor that is not modelled: the bands allow for that.

Knows nothing of the other observations.
"""

import os
import subprocess
import sys

from femu.common import json_file, out_folder
from femu.common.paths import TOP
from femu.measured import files
from femu.observations.quantity import Band, Quantity

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
            return json_file.value_of(path)
        except json_file.DataError as error:
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
        """Return: the percentage of fio's writes that the kernel merged into
        the command of another write."""
        write = self._load(step + '.device.json')['ops']['write']
        total = self._side(step)['total_ios']
        return 100 * (total - write['count']) / total


def run(top, config, changes, out_dir):
    """Runs the job on the drive of CONFIG with CHANGES, a text like SET=, in
    the folder "run" of OUT_DIR; other files in OUT_DIR are kept. Return: a
    Guest."""
    print('observations: a guest runs jobs/observations.sh, about a minute',
          file=sys.stderr, flush=True)
    out = os.path.join(out_dir, 'run')
    out_folder.drop_run(out)
    env = {name: value for name, value in os.environ.items()
           if name in ('PATH', 'HOME', 'TMPDIR', 'QEMU')}
    env.update(JOB=os.path.join(top, 'jobs/observations.sh'), CONFIG=config,
               SET=changes, DILATION=str(DILATION), TRACE='0', OUT=out)
    done = subprocess.run([os.path.join(top, 'scripts/run')], env=env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          timeout=LIMIT_S, check=False)
    if done.returncode != 0:
        raise GuestError('scripts/run failed:\n%s' %
                         done.stdout[-2000:].rstrip())
    return Guest(os.path.join(out, 'results'), DILATION)


def is_built(top):
    """Return: whether there is a QEMU and a guest to run."""
    return all(os.path.exists(os.path.join(top, path)) for path in (
        'build-qemu/build/qemu-system-x86_64', 'build-guest/root.erofs'))


# --- CLUSTER 2023 -------------------------------------------------------------

DRIVE = Band(3, 'the drive decides: its points of I/O alone are met within 2 %')
DEEP_READS = Band(5, 'the point is missed by 2.7 %, and 10,000 reads of 64 MiB '
                     'meet other pages: 2 % less')
STACK = Band(12, "Linux 6.12 and a processor that is not the paper's: 6 % more "
                 'without a scheduler, 5 % less with one')
MERGING = Band(25, 'this kernel merges the writes of a zone under any '
                   'scheduler, and more of them: 20 % more than measured')
MERGED = Band(6, 'points; of writes that wait in a queue that differs')


def stack(name, measured):
    """Return: the latency of fio's 4 KiB writes through a stack."""
    return Quantity('4 KiB writes through %s' % name, 'us',
                    lambda guest: guest.latency_us('write-' + name), STACK,
                    measured)


def rate(name, step, band, measured):
    """Return: fio's throughput in a step."""
    return Quantity(name, 'kIOPS', lambda guest: guest.kiops(step), band,
                    measured)


# Observation 2. SPDK is not in the guest, but the drive's times are fitted to
# its measurements. So the drive's own latency, with what SPDK adds to a
# command, stands for it.
SPDK_US = files.read_host(os.path.join(
    TOP, 'tests/data/zn540/host.json'))['polled']['ns'] / 1000
STORAGE_STACKS = [
    Quantity('4 KiB writes at QD1, the drive and SPDK', 'us',
             lambda guest: guest.drive_us('write-passthrough') + SPDK_US,
             DRIVE, 11.36),
    stack('none', 12.62), stack('mq-deadline', 14.47)]
# Observation 5
INTRA_ZONE = [
    rate('4 KiB writes in a zone, mq-deadline, QD32', 'write-qd32', MERGING,
         293),
    rate('in four zones at QD1', 'write-4-zones', DRIVE, 186),
    rate('in eight', 'write-8-zones', DRIVE, 186),
    Quantity('reads at QD8 in a zone, as a multiple of eight zones', 'x',
             lambda guest: guest.kiops('read-qd8') /
             guest.kiops('read-8-zones'), DRIVE, 1.0)]
# Observation 7
ZONE_ORDER = [
    rate('reads in a zone at QD128', 'read-qd128', DEEP_READS, 424),
    rate('appends at QD32', 'append-qd32', DRIVE, 132),
    Quantity('writes that were merged at QD16', '%',
             lambda guest: guest.merged_pct('write-qd16'), MERGED, 92.4)]
