# SPDX-License-Identifier: GPL-2.0-or-later
"""What make stacks makes of a run's counts and of fio's words."""

import json
import os
import tempfile
import unittest

from femu.stacks import costs


def fio_job(name, reads, p99_ns=0, written_bps=0):
    return {'jobname': name, 'write': {'bw_bytes': written_bps}, 'read': {
        'total_ios': reads, 'iops': 1000.0, 'clat_ns': {
            'max': 900000, 'percentile': {
                '50.000000': 70000, '95.000000': 80000,
                '99.000000': p99_ns}}}}


class Stacks(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.results = self._folder.name
        self.write('steps.tsv', 'past\tcommand\nkyber\tcommand\n'
                   'beside-writers.kyber\tfio\n')
        self.run_of('past', [('own.1.10', 100, 300), ('own.1.30', 300, 540),
                             ('passthrough.1.10', 540, 1540),
                             ('passthrough.1.30', 1540, 4540)])
        self.run_of('kyber', [('psync.1.10', 10, 2010),
                              ('psync.1.30', 2010, 10010)])
        self.write('beside-writers.kyber.fio.json', json.dumps({'jobs': [
            fio_job('read', 100, 350400)] + 2 * [
                fio_job('write', 0, 0, 1 << 20)]}))

    def write(self, name, text):
        with open(os.path.join(self.results, name), 'w',
                  encoding='utf-8') as file:
            file.write(text)

    def run_of(self, scheduler, rows, less=0):
        self.write(scheduler + '.tsv', ''.join(
            '%s\t%d\t%d\n' % row for row in rows))
        self.write(scheduler + '.json', json.dumps({'jobs': [
            fio_job(name, int(name.split('.')[2]) - less, 90000)
            for name, _, _ in rows]}))

    def test_costs(self):
        """Of the difference, start and end have no part."""
        self.assertEqual(costs.stacks_of(self.results), [
            costs.Stack('own', '-', 1, 2.0, None, None, None, None),
            costs.Stack('passthrough', '-', 1, 100.0, 1000.0, 70.0, 80.0,
                        90.0),
            costs.Stack('psync', 'kyber', 1, 300.0, 1000.0, 70.0, 80.0,
                        90.0)])

    def test_beside(self):
        self.assertEqual(costs.beside_of(self.results), [costs.Beside(
            'kyber', 1000.0, 70.0, 80.0, 350.4, 900.0, 2.0)])

    def test_summary(self):
        self.assertEqual(
            costs.summary(costs.stacks_of(self.results),
                          costs.beside_of(self.results)),
            '2 stacks, io_uring passthrough 100 instructions/read, psync 300; '
            'p99 of reads beside writers kyber 350.4 us')
        self.assertEqual(costs.summary(costs.stacks_of(self.results)[2:], []),
                         '1 stacks, psync 300 instructions/read')

    def test_speeds(self):
        """Of the largest depth, under the first scheduler."""
        def stack(name, scheduler, depth, iops):
            return costs.Stack(name, scheduler, depth, 1, iops, 1, 1, 1)
        self.assertEqual(costs.speeds([
            stack('own', '-', 1, None), stack('own', '-', 16, None),
            stack('psync', 'none', 1, 5), stack('psync', 'none', 16, 60.4),
            stack('psync', 'bfq', 1, 4), stack('psync', 'bfq', 16, 40),
            stack('libaio', 'none', 1, 6), stack('libaio', 'none', 16, 70)]),
            'reads/s by 16 at a time: psync 60, libaio 70')

    def refused(self, text):
        with self.assertRaises(costs.StacksError) as caught:
            costs.stacks_of(self.results)
        self.assertIn(text, str(caught.exception))

    def test_reads_are_missing(self):
        self.run_of('kyber', [('psync.1.10', 10, 20),
                              ('psync.1.30', 20, 60)], less=1)
        self.refused('psync.1: fio made 9 reads, and 29, not 10 and more, 30')

    def test_no_more_reads(self):
        self.run_of('kyber', [('psync.1.30', 10, 20),
                              ('psync.1.10', 20, 60)])
        self.refused('not 30 and more, 10')

    def test_counts_that_are_none(self):
        self.write('kyber.tsv', 'psync.1.10\t10\n')
        self.refused('"psync.1.10\t10": a job, and a count before and after')

    def test_nothing_ran(self):
        self.write('steps.tsv', '')
        self.refused('no stack')


if __name__ == '__main__':
    unittest.main()
