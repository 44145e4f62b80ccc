# SPDX-License-Identifier: GPL-2.0-or-later
"""A run of two drives: what both did together, what each did, and which of
fio's jobs was whose.

Knows nothing of what the guest does for it.
"""

import os
import sys

import fixture
from fixture import MS_NS
from case import HERE, ReportCase

sys.path.insert(0, os.path.join(HERE, '..', '..', 'python'))

from femu.results import rows  # noqa: E402  pylint: disable=C0413

FAST = [10000] * 10
SLOW = [90000] * 30


def statistics(latencies_ns, late_count=None):
    """Return: what a drive says that has read so; in real time, so many of its
    100 completions were late."""
    more = {} if late_count is None else {'lateness': {
        **fixture.device_op([1000] * (100 - late_count) +
                            [2 * MS_NS] * late_count), 'clock': 'host'}}
    return fixture.device(
        {'read': fixture.device_op(latencies_ns, 4096 * len(latencies_ns))},
        channels=[0, 0], units=[0] * 4, window_ns=40 * MS_NS, **more)


def two_jobs(late_counts):
    """Return: a step with a job on each of two drives."""
    jobs = [fixture.fio_job(
        name=name, options={'direct': '1', 'filename': filename},
        read=fixture.fio_side([ns + 5000 for ns in latencies_ns], 4096, 20))
        for name, filename, latencies_ns in (
            ('a', '/dev/nvme0n1', FAST), ('b', '/dev/nvme1n1', SLOW))]
    return fixture.step('both', 'fio', 'fio both.fio', {
        'fio': fixture.fio(*jobs), 'device': statistics(FAST, late_counts[0]),
        'zns1': statistics(SLOW, late_counts[1])})


def drives():
    """Return: what meta.json says of them."""
    return [{'name': 'zns%d' % n, 'device': '/dev/nvme%dn1' % n,
             'folder': 'zns%d' % n, 'file': '/configs/%s.cfg' % name,
             'sha256': 'ee' * 32, 'properties': {'ways': '2'}}
            for n, name in enumerate(('tiny', 'zn540'))]


class DrivesTest(ReportCase):
    """Two drives, of which the second is slow."""

    def made(self, late_counts=(None, None)):
        """Return: the lines of the report."""
        for name in ('zns0', 'zns1'):
            os.makedirs(self.path(name))
        fixture.write_run(self.out_dir, [two_jobs(late_counts)], drives=drives())
        lines, problems = self.make()
        self.assertEqual(problems, [])
        return lines

    def test_tables(self):
        lines = self.made()
        self.assertIn('default on tiny, zn540, virtual time', lines)
        words = [line.split() for line in lines]
        self.assertIn('read 40 75.0 95.0 95.0 70.0 90.0 90.0 2000 7.8'
                      .split(), words)
        first = words[lines.index('zns0, /dev/nvme0n1, tiny'):]
        self.assertIn('both read 10 15.0 15.0 15.0 10.0 10.0 10.0 500 2.0'
                      .split(), first)
        second = words[lines.index('zns1, /dev/nvme1n1, zn540'):]
        self.assertIn('both read 30 95.0 95.0 95.0 90.0 90.0 90.0 1500 5.9'
                      .split(), second)

    def test_lateness(self):
        """Of 200 completions of both, 30 of the second were 2 ms late."""
        self.assertIn(
            "note: step both: the host came late: 15 % of the drive's 200 "
            'completions by more than a tenth of its mean latency, 70.0 us; '
            'the 99th percentile is 1998.8 us. DILATION=300 would make that '
            'small, or IOTHREAD=1 and a core of the host for it and each '
            'processor of the guest', self.made(late_counts=(0, 30)))

    def test_nobody_was_late(self):
        self.assertNotIn('the host came late', '\n'.join(
            self.made(late_counts=(0, 1))))

    def test_page(self):
        self.made()
        self.assert_shown('zns0, /dev/nvme0n1 <span>tiny</span>',
                          'zns1, /dev/nvme1n1 <span>zn540</span>',
                          'zns1, /dev/nvme1n1: all 1 properties')

    def test_files(self):
        self.made()
        for name, count in (('zns0', 10), ('zns1', 30)):
            with open(self.path(name + '/latencies.csv'),
                      encoding='utf-8') as file:
                self.assertIn('both,,read,device,%d,' % count, file.read())

    def test_results(self):
        self.made()
        self.assertEqual([(row['drive'], row['job'], row['count'])
                          for row in rows.of_run(self.out_dir)],
                         [('zns0', 'a', 10), ('zns1', 'b', 30)])

    def test_a_drive_without_statistics_is_told(self):
        self.made()
        os.unlink(self.path('results/both.zns1.json'))
        self.assertEqual(self.make()[1], [
            'results/both.zns1.json: missing; step both of zns1 is shown '
            'without it'])
