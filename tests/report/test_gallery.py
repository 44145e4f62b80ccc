# SPDX-License-Identifier: GPL-2.0-or-later
"""The gallery: its list, how a row is run and kept, its document.

Knows nothing of what the rows of plans/gallery ask for.
"""

import os
import subprocess
import tempfile
import unittest
from unittest import mock

from femu.gallery import compared, kept, measured, page, rows, runner

TOP = os.path.join(os.path.dirname(os.path.realpath(__file__)), '../..')
PAPER = 'name = "p"\nnumber = "9"\ntitle = "T"\n'
WHY = '[[row]]\nfigure = "1"\nshows = "s"\nwhy = "w"\n'


def value(theirs, ours, metric='kiops'):
    return compared.Value(metric, theirs, ours)


class ListTest(unittest.TestCase):
    """plans/gallery, and what is refused."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)

    def read(self, *rows_text):
        path = os.path.join(self._folder.name, 'p.toml')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(PAPER + ''.join(rows_text))
        return rows.read(self._folder.name)

    def assert_refused(self, want, *rows_text):
        with self.assertRaises(rows.RowsError) as caught:
            self.read(*rows_text)
        self.assertIn(want, str(caught.exception))

    def test_ours(self):
        """All five papers are in it, and every choice of points is one."""
        found = rows.read(os.path.join(TOP, 'plans/gallery'))
        self.assertEqual({row.paper['number'] for row in found},
                         {'000', '001', '002', '003', '004'})
        self.assertGreater(len(found), 60)
        for row in found:
            for selector in row.points or ():
                measured.split(selector)
            if row.kind == 'run':
                self.assertTrue(row.inputs, row.key)

    def test_refused(self):
        self.assert_refused('has none: exactly one of points',
                            WHY.replace('why = "w"\n', ''))
        self.assert_refused('has figures and why', WHY + 'figures = "9a"\n')
        self.assert_refused('"wy": a row has', WHY.replace('why', 'wy'))
        self.assert_refused('why: must be a str', WHY.replace('"w"', '1'))
        self.assert_refused('has no shows', WHY.replace('"s"', '""'))
        self.assert_refused('run: needs says',
                            WHY.replace('why = "w"', 'run = ["x"]'))
        words = WHY.replace('why = "w"', 'run = ["x"]\nsays = "(a)"\n'
                            'published = { speedup = [1, 2] }')
        self.assert_refused('has 2 numbers, says has 1 groups', words)
        self.assert_refused('published: is of run alone',
                            WHY + 'published = { speedup = [1] }\n')
        self.assert_refused('p-1: is there twice', WHY, WHY)
        self.assert_refused('has no [[row]]')
        self.assert_refused('p.toml: ', '[[row]')

    def test_choice_refused(self):
        for selector, want in (('part=io', 'has no metric='),
                               ('dreams=1 metric=kiops', '"dreams"'),
                               ('part metric=kiops', '"part"')):
            with self.assertRaises(measured.MeasuredError) as caught:
                measured.split(selector)
            self.assertIn(want, str(caught.exception))

    def test_less(self):
        """Two numbers as a difference in percent; it takes two."""
        row, = self.read(WHY.replace('why = "w"', 'less = true\n'
                                     'points = ["metric=kiops"]'))
        error = mock.Mock(measured=75, model=60), mock.Mock(measured=100,
                                                           model=100)
        with mock.patch.object(measured, 'errors_of', return_value=error), \
                mock.patch.object(measured.compare, 'write_csv'):
            one, = measured.values(None, row, '')
            self.assertEqual((one.theirs, one.ours), (25, 40))
        with mock.patch.object(measured, 'errors_of', return_value=error[1:]), \
                mock.patch.object(measured.compare, 'write_csv'), \
                self.assertRaises(measured.MeasuredError):
            measured.values(None, row, '')

    def test_measure(self):
        """What is said of a sweep."""
        points = [{'by': by, 'n': str(n), 'q': '1', 'kiops': str(value)}
                  for by, n, value in (('SU', 1, 2), ('FU', 1, 4),
                                       ('SU', 8, 5), ('FU', 8, 4))]
        self.assertEqual(runner.said_of(
            {'metric': 'kiops', 'by': 'by', 'over': 'n',
             'where': {'q': 1}}, points),
            'kiops of n 8 / 1: SU 2.50, FU 1.00')
        self.assertEqual(runner.said_of({'metric': 'kiops', 'by': 'by'},
                                        points), 'kiops: SU 2 5, FU 4 4')
        with self.assertRaises(runner.RowError):
            runner.said_of({'metric': 'kiops', 'by': 'by',
                            'where': {'q': 2}}, points)

    def test_typed(self):
        row, = self.read(WHY.replace('why = "w"', 'figures = "9a"'))
        self.assertEqual(row.typed, 'FIGURES=9a make figures')
        row, = self.read(WHY.replace('why = "w"', 'points = ["x"]'))
        self.assertEqual(row.typed, 'ONLY=p-1 make gallery')


class SumTest(unittest.TestCase):
    """Figures count alike, whatever the number of their points."""

    def test_sum(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, 'p.toml'), 'w',
                      encoding='utf-8') as file:
                file.write(PAPER + WHY + WHY.replace('"1"', '"2"') +
                           WHY.replace('"1"', '"3"') +
                           'apart = "they contradict"\n')
            found = rows.read(folder)
        outcomes = {
            'p-1': compared.Outcome([value(10, 11)]),
            'p-2': compared.Outcome([value(10, 7), value(10, 13)]),
            'p-3': compared.Outcome([value(10, 100)])}
        want = 'gallery: 3 figures, 2 compared with published numbers, mean ' \
            'error 20.0 %'
        self.assertEqual(compared.summary(found, outcomes), want)
        results = {row.key: page.Result.of_outcome(row, outcomes[row.key])
                   for row in found}
        self.assertEqual(page.summary(found, results), want)
        self.assertIn('| **10.0 %** (1 points, worst 10 %); w |',
                      page.document(found, results))
        self.assertIn('| 900.0 % (1 points, worst 900 %); apart: they '
                      'contradict; w |', page.document(found, results))

    def test_none(self):
        self.assertEqual(compared.sentence(4, []), 'gallery: 4 figures, 0 '
                         'compared with published numbers, mean error -')

    def test_span(self):
        self.assertEqual(compared.span(
            [value(9.996, 1), value(123456, 1), value(5, 1, 'p95_us')],
            'theirs'), '10 to 123456 kIOPS, 5 µs (p95)')


class KeptTest(unittest.TestCase):
    """What is kept, and when it is not."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.sim = os.path.join(self._folder.name, 'sim')
        with open(self.sim, 'w', encoding='utf-8') as file:
            file.write('one')

    def row(self, **members):
        return rows.Row({'name': 'p'}, {'figure': '1', 'shows': 's',
                                        **members})

    def outcome(self, row):
        return runner.Runner(self.sim, self._folder.name).outcome(row)

    def test_command(self):
        row = self.row(run=['POINTS=', 'scripts/points', 'part=state'],
                       says='^state', inputs=['configs/zn540.cfg'])
        first, was_kept = self.outcome(row)
        self.assertEqual((first.failed, was_kept), (None, False))
        self.assertRegex(first.said, '^state .*mean_us')
        again, was_kept = self.outcome(row)
        self.assertTrue(was_kept)
        self.assertEqual(again.said, first.said)
        for other in (self.row(run=row.run, says='^state ',
                               inputs=row.inputs),
                      self.row(run=row.run, says=row.says,
                               inputs=['configs/tiny.cfg'])):
            self.assertFalse(self.outcome(other)[1])
        self.outcome(row)
        with open(self.sim, 'w', encoding='utf-8') as file:
            file.write('two')
        self.assertFalse(self.outcome(row)[1])

    def test_groups(self):
        """A group is what is said; with published numbers each is compared."""
        words = {'run': ['scripts/points', 'part=state'],
                 'inputs': ['configs/zn540.cfg']}
        made, _ = self.outcome(self.row(says='^(state) ', **words))
        self.assertEqual((made.said, made.values), ('state', []))
        made, _ = self.outcome(self.row(
            says='^state .*bs_bytes=([0-9]+) lba_bytes=([0-9]+)',
            published={'speedup': [4], 'kiops': [5]}, **words))
        self.assertEqual([(one.metric, one.theirs, one.ours)
                          for one in made.values],
                         [('speedup', 4, 4096), ('kiops', 5, 4096)])

    def test_one_run(self):
        """Two rows that ask the same command have one run of it."""
        words = ['POINTS=', 'scripts/points', 'part=state']
        both = runner.Runner(self.sim, self._folder.name)
        logs = []
        for figure, says in (('1', '^state'), ('2', 'mean_us'), ('3', 'no')):
            made, was_kept = both.outcome(self.row(
                figure=figure, run=words, says=says,
                inputs=['configs/zn540.cfg']))
            self.assertFalse(was_kept)
            logs.append(sorted(name for name in os.listdir(
                self._folder.name) if name.endswith('.log')))
            self.assertEqual(bool(made.failed), says == 'no')
        self.assertEqual(logs, 3 * [['p-1.log']])
        self.assertIn('p-1.log', made.failed)

    def test_for_readers(self):
        """What a row only tells its readers makes no other one of it."""
        words = {'run': ['scripts/points', 'part=state'], 'says': 'state',
                 'inputs': ['configs/zn540.cfg']}
        self.outcome(self.row(**words))
        self.assertTrue(self.outcome(self.row(note='n', **words))[1])

    def test_failed(self):
        """A row that fails says why, and is not kept."""
        for members, want in (
                ({'run': ['scripts/points', 'no'], 'says': 'x',
                  'inputs': ['configs/zn540.cfg']}, 'scripts/points failed'),
                ({'run': ['scripts/points', 'part=state'], 'says': '^dreams',
                  'inputs': ['configs/zn540.cfg']},
                 'says nothing like "^dreams"'),
                ({'run': ['scripts/points'], 'says': 'x',
                  'inputs': ['configs/none.cfg']},
                 'configs/none.cfg: no file is so'),
                ({'points': ['part=dreams metric=kiops']},
                 'no experiment was measured that is so')):
            row = self.row(**members)
            for _ in range(2):
                made, was_kept = self.outcome(row)
                self.assertFalse(was_kept)
                self.assertIn(want, made.failed)

    def test_damaged(self):
        row = self.row(run=['scripts/points', 'part=state'], says='state',
                       inputs=['configs/zn540.cfg'])
        self.outcome(row)
        folder = os.path.join(self._folder.name, 'kept')
        path, = (os.path.join(folder, name) for name in os.listdir(folder))
        for text in ('', '{}', '[]', '{"values": [[1]], "said": "", '
                     '"seconds": 0}'):
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
            self.assertFalse(self.outcome(row)[1], text)

    def test_guest(self):
        """A row of a guest hangs on QEMU and the guest."""
        marks = set()
        for text in ('1', '2'):
            path = os.path.join(self._folder.name, 'qemu')
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
            with mock.patch.dict(os.environ, QEMU=path,
                                 GUEST=self._folder.name):
                marks.add(kept.mark_of(kept.Digests(), self.sim,
                                       {'run': ['x']}, [], True))
        self.assertEqual(len(marks), 2)


class ScriptTest(unittest.TestCase):
    """scripts/gallery itself."""

    def run_it(self, **env):
        with tempfile.TemporaryDirectory() as out:
            return subprocess.run(
                [os.path.join(TOP, 'scripts/gallery')], text=True, check=False,
                env={**os.environ, 'OUT': out, **env}, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE)

    def test_failed(self):
        done = self.run_it(ONLY='cluster23-2b', FEMU_SIM='/bin/false',
                           STATES_MIB='0')
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines()[-1], 'gallery: FAILED: 1 of '
                         '1 rows: cluster23-2b')

    def test_refused(self):
        for env, want in (({'ONLY': 'dreams'}, 'no row is "dreams"'),
                          ({'ONLY': 'cluster23-1', 'SHORT': 'yes'},
                           'SHORT=yes: must be 0 or 1'),
                          ({'FEMU_SIM': '/dreams'}, '/dreams is missing')):
            done = self.run_it(**env)
            self.assertEqual(done.returncode, 1)
            self.assertIn(want, done.stderr)


class DocumentTest(unittest.TestCase):
    """docs/gallery.md is of the list and the committed results."""

    def test_committed(self):
        found = rows.read(os.path.join(TOP, 'plans/gallery'))
        results = page.read_results(os.path.join(
            TOP, 'tests/data/gallery/results.csv'))
        self.assertEqual(list(results), [row.key for row in found])
        with open(os.path.join(TOP, 'docs/gallery.md'),
                  encoding='utf-8') as file:
            self.assertEqual(file.read(), page.document(found, results))

    def test_took(self):
        self.assertEqual([page.took(seconds) for seconds in (
            0.4, 3.2, 33, 88, 200)],
                         ['< 1 s', '3 s', '35 s', '90 s', '3 min'])


if __name__ == '__main__':
    unittest.main()
