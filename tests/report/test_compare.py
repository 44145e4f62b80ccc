# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs beside each other: "make compare".

Knows nothing of one run's report.
"""

import os
import subprocess
import sys

from femu.common.paths import TOP

import fixture
from case import ReportCase


class CompareTest(ReportCase):
    """Two runs whose numbers were chosen by hand."""

    def run_folder(self, name, factor=1, commands=(), **run):
        """Return: the folder of a run in which reads took FACTOR times 80 and
        90 us, and whose trace has COMMANDS."""
        path = os.path.join(os.path.dirname(self.out_dir), name)
        at_drive = [80000 * factor] * 60 + [90000 * factor] * 40
        fixture.write_run(path, [fixture.step('s', 'fio', 'fio s.fio', {
            'fio': fixture.fio(fixture.fio_job(read=fixture.fio_side(
                at_drive, 4096, 20 * factor))),
            'device': fixture.device(
                {'read': fixture.device_op(at_drive, 409600)}, [0, 0],
                [fixture.MS_NS, 0], 40 * fixture.MS_NS)})], **run)
        fixture.write_text(path, 'trace.csv', ''.join(
            line + '\n' for line in ('# femu-zns trace 2', 'P,zones,8',
                                     *commands, 'E,9')))
        return path

    def compare(self, *paths):
        """Return: (exit status, what it printed)."""
        out = os.path.join(os.path.dirname(self.out_dir), 'compare')
        done = subprocess.run(
            [os.path.join(TOP, 'scripts', 'compare')], text=True, check=False,
            env={**os.environ, 'RUNS': ' '.join(paths), 'OUT': out},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.page = os.path.join(out, 'index.html')
        return done.returncode, done.stdout

    def last(self, said):
        """Return: the last line, without the page's path."""
        return said.strip().splitlines()[-1].split(';')[0]

    def test_same(self):
        lines = ('S,0,0,write,1,0,4,0,0', 'C,0,725000,0,0')
        status, said = self.compare(self.run_folder('a', commands=lines),
                                    self.run_folder('b', commands=lines))
        self.assertEqual((status, self.last(said)), (
            0, 'compare: 2 runs, 1 operations, 0 differ'))
        self.assertIn('a and b: the same 2 records\n', said)

    def test_quote(self):
        self.assertEqual(self.compare("it's", 'b'), (
            1, "compare: error: RUNS=it's b: No closing quotation\n"))

    def test_differ(self):
        status, said = self.compare(
            self.run_folder('a', commands=('S,0,0,write,1,0,4,0,0',
                                           'C,0,725000,0,0')),
            self.run_folder('b', 2, commands=('S,0,0,write,1,0,4,0,0',
                                              'C,0,725001,0,0'),
                            drive={'channels': '9'}),
            self.run_folder('c', 1, commands=('S,0,0,write,1,0,4,0,0',),
                            drive={'channels': '8'}))
        self.assertEqual((status, self.last(said)), (
            0, 'compare: 3 runs, 1 operations, 1 differ'))
        self.assertIn('a and b: the same 1 records, then line 4 '
                      '"C,0,725000,0,0" and line 4 "C,0,725001,0,0"\n', said)
        self.assertIn('a and c: the same 1 records, then line 4 '
                      '"C,0,725000,0,0" and its end\n', said)
        self.assertIn('channels: - | 9 | 8\n', said)
        self.assertIn('168.0 (2.00)', said)
        self.assertIn('178.2 (2.00)', said)
        self.assertIn('2500 (0.50)', said)
        with open(self.page, encoding='utf-8') as file:
            page = file.read()
        # One of the latencies, and what was busy in each run.
        self.assertEqual(page.count('<svg'), 4)
        self.assertIn('beside', page)

    def test_slowest(self):
        """The slowest of each operation in a step, of which the table is, with
        the line that says why."""
        status, said = self.compare(
            self.run_folder('a', commands=(
                # Before the step's statistics begin, at 5 ms, and behind them.
                'S,0,0,write,1,0,4,0,0', 'C,0,4900000,0,0',
                'S,1,4900000,write,1,0,4,0,0',
                'S,2,5000010,write,1,4,4,0,0',
                'S,3,5000020,reset,1,2048,0,0,0',
                'S,4,5000030,read,1,9000,1,0,128',
                'C,1,5625000,0,0', 'C,2,5725011,0,0', 'C,3,8500020,0,0',
                'S,5,44000000,write,1,0,4,0,0', 'C,5,45000001,0,0')),
            self.run_folder('b', commands=('S,0,0,write,1,0,4,0,0',)))
        self.assertEqual(status, 0)
        found = [line for line in said.splitlines() if 'the slowest' in line]
        self.assertEqual([line.split('; why: ')[0] for line in found], [
            'a: the slowest write took 725.0 us',
            'a: the slowest reset took 3500.0 us'])
        trace = os.path.join(os.path.dirname(self.out_dir), 'a', 'trace.csv')
        for line, number in zip(found, (2, 3)):
            why = line.split('; why: ')[1].split()
            self.assertTrue(why[0].endswith('build-core/tools/femu-sim'))
            self.assertEqual(why[1:], ['blame', trace, str(number)])
        with open(self.page, encoding='utf-8') as file:
            page = file.read()
        self.assertIn('blame %s 2' % trace, page)

    def test_refused(self):
        good = self.run_folder('a')
        for paths, word in (((good,), 'two runs or more'),
                            ((good, '/nowhere'), '/nowhere is no folder of a '
                                                 'run')):
            status, said = self.compare(*paths)
            self.assertEqual(status, 1)
            self.assertIn(word, said)
            self.assertTrue(self.last(said).startswith('compare: error: '))

    def test_interrupted(self):
        """The page of the last time stays, whole."""
        paths = [self.run_folder('a'), self.run_folder('b')]
        self.compare(*paths)
        with open(self.page, encoding='utf-8') as file:
            had = file.read()
        code = ('import runpy, sys; sys.path.insert(0, "scripts"); '
                'sys.dont_write_bytecode = True; '
                'from femu.compare import page; page.html = lambda *_: sys.exit(1); '
                'runpy.run_path("scripts/compare", run_name="__main__")')
        done = subprocess.run(
            [sys.executable, '-c', code], cwd=TOP, check=False, env={
                **os.environ, 'RUNS': ' '.join(paths),
                'OUT': os.path.dirname(self.page)},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertNotEqual(done.returncode, 0)
        with open(self.page, encoding='utf-8') as file:
            self.assertEqual(file.read(), had)
        self.assertEqual(sorted(os.listdir(os.path.dirname(self.page))),
                         ['index.html', 'table.txt'])

    def test_damaged(self):
        path = self.run_folder('b')
        fixture.write_text(path, 'results/s.device.json', '{')
        status, said = self.compare(self.run_folder('a'), path)
        self.assertEqual(status, 1)
        self.assertIn('compare: b: ', said)
