# SPDX-License-Identifier: GPL-2.0-or-later
"""Where a step may have measured something else than was meant.

Knows nothing of the table beside that.
"""

from fixture import MS_NS, device, device_op, fio, fio_job, fio_side, step
from case import ReportCase

GOOD = {'direct': '1', 'ioengine': 'io_uring', 'iodepth': '8', 'rw': 'read'}


def step_of(*options, drive_ns=90000, guest_ns=95000, **more):
    """Return: a step with one of fio's jobs for each of OPTIONS: 8 reads."""
    jobs = [fio_job('j%d' % idx, options=one, read=fio_side(
        [guest_ns] * 8, 4096, 20)) for idx, one in enumerate(options)]
    statistics = device({'read': device_op(
        [drive_ns] * 8 * len(jobs), 8 * 4096 * len(jobs))}, [0], [0],
        40 * MS_NS, config={'max-open': 2})
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

    def test_software(self):
        self.assertEqual(self.doubts(step_of(
            GOOD, drive_ns=50000, guest_ns=100000)), [])
        self.assertEqual(self.doubts(step_of(
            GOOD, drive_ns=50000, guest_ns=100001)), [
                "s: more than half of the latency is the guest's software, not "
                "the drive's; a higher DILATION= makes it less"])
        self.assert_shown('Doubt: s: more than half of the latency')
