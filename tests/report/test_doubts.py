# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a step may have measured something else than was meant.

Knows nothing of the table beside that.
"""

from fixture import MS_NS, device, device_op, fio, fio_job, fio_side, step
from case import ReportCase

GOOD = {'direct': '1', 'ioengine': 'io_uring', 'iodepth': '8', 'rw': 'read'}


def step_of(*options, drive_ns=90000, guest_ns=95000, commands=8, config=None,
            **more):
    """Return: a step with one of fio's jobs for each of OPTIONS: 8 reads, which
    were COMMANDS for the drive of that CONFIG."""
    jobs = [fio_job('j%d' % idx, options=one, read=fio_side(
        [guest_ns] * 8, 4096, 20)) for idx, one in enumerate(options)]
    statistics = device({'read': device_op(
        [drive_ns] * commands * len(jobs), 8 * 4096 * len(jobs))}, [0], [0],
        40 * MS_NS, config=config or {'max-open': 2})
    statistics['flash'].update(more)
    return step('s', 'fio', 'fio ...', {'fio': fio(*jobs),
                                        'device': statistics})


class DoubtsTest(ReportCase):
    """Each has a step that deserves it; a sound one has none."""

    def doubts(self, made):
        self.setUp()
        return [line.removeprefix('doubt: ') for line in self.make_well(made)
                if line.startswith('doubt: ')]

    def test_none(self):
        self.assertEqual(self.doubts(step_of(GOOD)), [])
        self.assertEqual(self.doubts(step_of(
            {**GOOD, 'ioengine': 'psync', 'iodepth': '1'})), [])
        self.assertEqual(self.doubts(step_of(
            {'ioengine': 'io_uring_cmd', 'iodepth': '4'})), [])

    def test_depth(self):
        for options in ({'iodepth': '32'}, {'iodepth': '32',
                                            'ioengine': 'psync'}):
            self.assertEqual(self.doubts(step_of(
                {'direct': '1', **options})), [
                    's: job j0 has iodepth=32 and ioengine=psync, which has '
                    'one command at a time: io_uring or libaio has more'])

    def test_page_cache(self):
        for options in ({}, {'direct': '0'}):
            self.assertEqual(self.doubts(step_of(options)), [
                "s: job j0 has no direct=1: what it measures is the guest's "
                'memory as well'])
        self.assertEqual(self.doubts(step_of({'buffered': '0'})), [])

    def test_limit(self):
        write = {**GOOD, 'rw': 'write'}
        self.assertEqual(self.doubts(step_of(write, write)), [])
        wanted = ['s: 3 jobs write, the drive has max-open=2: they wait for '
                  'each other']
        self.assertEqual(self.doubts(step_of(write, write, write)), wanted)
        self.assertEqual(self.doubts(step_of({**write, 'numjobs': '3'})),
                         wanted)

    def test_unfilled(self):
        self.assertEqual(self.doubts(step_of(GOOD, senses=0)), [
            's: its reads found nothing in the flash: they were of zones that '
            'nobody has written, or of the write buffer'])

    def test_limit_of_active(self):
        """The least of both limits counts; 0 is none."""
        write = {**GOOD, 'rw': 'write'}
        for config, want in (
                ({'max-open': 0, 'max-active': 1}, 'max-active=1'),
                ({'max-open': 2, 'max-active': 1}, 'max-active=1'),
                ({'max-open': 1, 'max-active': 2}, 'max-open=1'),
                ({'max-open': 1, 'max-active': 0}, 'max-open=1')):
            self.assertEqual(self.doubts(step_of(
                write, write, config=config)), [
                    's: 2 jobs write, the drive has %s: they wait for each '
                    'other' % want])
        self.assertEqual(self.doubts(step_of(
            write, write, config={'max-open': 0, 'max-active': 0})), [])

    def test_half_filled(self):
        """Random reads: each one senses, if there is something to sense."""
        random = {**GOOD, 'rw': 'randread'}
        self.assertEqual(self.doubts(step_of(random, senses=4)), [])
        self.assertEqual(self.doubts(step_of(random, senses=3)), [
            's: the flash was sensed for 38 % of its random reads at most: the '
            'others were of zones that nobody has written, of the write '
            'buffer, or of a page that was still at hand'])
        for sequential in (GOOD, {'direct': '1'}):
            self.assertEqual(self.doubts(step_of(sequential, senses=3)), [])
        self.assertEqual(self.doubts(step_of(random, GOOD, senses=3)), [])

    def test_merged(self):
        """Eight reads of fio's, and what the drive had instead."""
        on_device = {**GOOD, 'filename': '/dev/nvme0n1'}
        for count, what in ((2, 'merged'), (7, 'merged'), (16, 'split')):
            self.assertEqual(self.doubts(step_of(on_device, commands=count)), [
                "s: fio's 8 reads were %d commands for the drive: Linux has "
                '%s them' % (count, what)])
        for options in (on_device, {**on_device, 'filename': '/mnt/x'}, GOOD):
            self.assertEqual(self.doubts(step_of(
                options, commands=8 if options is on_device else 2)), [])

    def test_ramp(self):
        """What fio has not measured was neither merged nor split."""
        options = {**GOOD, 'filename': '/dev/nvme0n1', 'ramp_time': '10ms'}
        self.assertEqual(self.doubts(step_of(options, commands=16)), [])
        self.setUp()
        self.assertIn("note: of steps whose jobs have ramp_time=, the drive's "
                      'commands and latencies are of that time, too',
                      self.make_well(step_of(options)))

    def test_dd(self):
        """A dd of the device, through the page cache and not."""
        for words, flags in (('if=/dev/nvme0n1 of=/dev/null bs=1M', 'iflag'),
                             ('if=/dev/zero of=/dev/nvme0n1 iflag=direct',
                              'oflag'),
                             ('of=/dev/nvme0n1 oflag=sync', 'oflag')):
            made = step_of(GOOD)
            made[0]['command'] = 'dd ' + words
            self.assertEqual(self.doubts(made), [
                "s: dd has no %s=direct: what it measures is the guest's "
                'memory as well' % flags])
        for words in ('dd if=/dev/nvme0n1 iflag=fullblock,direct of=/dev/null',
                      'dd if=/tmp/x of=/mnt/x', 'echo if=/dev/nvme0n1',
                      'dd "if=/dev/nvme0n1'):
            made = step_of(GOOD)
            made[0]['command'] = words
            self.assertEqual(self.doubts(made), [], words)

    def test_software(self):
        self.assertEqual(self.doubts(step_of(
            GOOD, drive_ns=50000, guest_ns=100000)), [])
        self.assertEqual(self.doubts(step_of(
            GOOD, drive_ns=50000, guest_ns=100001)), [
                "s: more than half of the latency is the guest's software, not "
                "the drive's; a higher DILATION= makes it less"])
        self.assert_shown('Doubt: s: more than half of the latency')
