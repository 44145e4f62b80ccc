# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests share: a folder that goes away, and the report made of it.

Knows nothing of what a report should say.
"""

import io
import os
import shutil
import tempfile
import unittest

from femu.report import output, page, table
from femu.results import folder

import fixture

HERE = os.path.dirname(os.path.realpath(__file__))


class ReportCase(unittest.TestCase):
    """A test with a run's folder, self.out_dir, that it fills."""

    maxDiff = None

    def setUp(self):
        self._top = tempfile.mkdtemp(prefix='femu-report-')
        self.addCleanup(shutil.rmtree, self._top)
        self.out_dir = os.path.join(self._top, 'run-001')

    def path(self, name):
        """Return: the path of the file NAME of the run."""
        return os.path.join(self.out_dir, name)

    def make(self):
        """Return: (lines printed, problems); the report is written."""
        out, errors = io.StringIO(), io.StringIO()
        problems = output.make(self.out_dir, out, errors)
        self.assertEqual(errors.getvalue(),
                         ''.join('report: %s\n' % text for text in problems))
        return out.getvalue().splitlines(), problems

    def make_well(self, *steps, **run):
        """Writes a run of STEPS, all of whose files are fine.
        Return: the lines printed."""
        fixture.write_run(self.out_dir, steps, **run)
        lines, problems = self.make()
        self.assertEqual(problems, [])
        return lines

    def make_text(self):
        """Makes the table and a page without pictures, which take long."""
        run = folder.load(self.out_dir)
        table.make(run)
        page.Page(run, None).html()

    def assert_shown(self, *parts):
        """Each of PARTS is in the report."""
        html = self.html()
        missing = [part for part in parts if part not in html]
        self.assertEqual(missing, [])

    def html(self):
        """Return: the report."""
        with open(self.path('report.html'), encoding='utf-8') as file:
            return file.read()


def read_step(name='read-qd1', **stats):
    """Return: a step in which fio read 100 times 4 KiB in 20 ms: 50 reads of
    85000 ns, 45 of 90000 ns and 5 of 785000 ns at the drive, each 10000 ns
    later in the guest. STATS are further members of the drive's statistics."""
    at_drive = [85000] * 50 + [90000] * 45 + [785000] * 5
    in_guest = [latency_ns + 10000 for latency_ns in at_drive]
    return fixture.step(name, 'fio', 'fio %s.fio' % name, {
        'fio': fixture.fio(fixture.fio_job(
            options={'direct': '1'}, read=fixture.fio_side(in_guest, 4096, 20))),
        'device': fixture.device(
            {'read': fixture.device_op(at_drive, 409600)},
            channels=[2 * fixture.MS_NS, 0],
            units=[0, 5 * fixture.MS_NS, 10 * fixture.MS_NS, 0],
            window_ns=40 * fixture.MS_NS, **stats)})
