# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that are missing or damaged: each is told of once, by its name; the
rest of the run is still shown.

Knows nothing of what a report of good files says.
"""

import json
import os
import random
import subprocess
import sys
from html import escape

import fixture
from fixture import MS_NS
from case import HERE, ReportCase, read_step

FIO = 'results/read-qd1.fio.json'
DEVICE = 'results/read-qd1.device.json'
SCRIPT = os.path.join(HERE, '..', '..', 'scripts', 'report')
# The row with fio's file only, and with the drive's only.
FIO_ROW = 'read-qd1 100 132.2 95.0 99.8 - - - 5000 19.5'.split()
DEVICE_ROW = 'read-qd1 100 - - - 122.2 85.0 89.1 8333 32.6'.split()
FUZZ_SEED = 20260131
FUZZ_ROUNDS = 300


class FilesTest(ReportCase):
    """Every test starts from one good step and spoils something."""

    def setUp(self):
        super().setUp()
        fixture.write_run(self.out_dir, [read_step()], virtual_ns=7 * MS_NS)

    def read(self, name):
        """Return: the JSON file NAME of the run, parsed."""
        with open(self.path(name), encoding='utf-8') as file:
            return json.load(file)

    def row(self, lines):
        """Return: the words of the step's row."""
        return next(line.split() for line in lines
                    if line.startswith('read-qd1'))

    def expect(self, problem, row=None):
        """The report tells of PROBLEM and nothing else, and shows ROW."""
        lines, problems = self.make()
        self.assertEqual(problems, [problem])
        self.assert_shown('<li>%s</li>' % escape(problem))
        if row:
            self.assertEqual(self.row(lines), row)
        return lines

    def expect_of(self, name, text, row):
        """The report tells of TEXT in the file NAME."""
        self.expect('%s: %s; step read-qd1 is shown without it' % (name, text),
                    row)

    def test_all_is_well(self):
        self.assertEqual(self.make()[1], [])
        self.assertEqual(self.html().count('could not be read'), 0)

    def test_missing(self):
        os.unlink(self.path(FIO))
        self.expect_of(FIO, 'missing', DEVICE_ROW)

    def test_missing_in_meta_too(self):
        os.unlink(self.path(DEVICE))
        meta = self.read('meta.json')
        del meta['steps'][0]['files']['device']
        fixture.write_json(self.out_dir, 'meta.json', meta)
        self.expect_of(DEVICE, 'missing', FIO_ROW)

    def test_another_drive_has_no_statistics(self):
        os.unlink(self.path(DEVICE))
        meta = self.read('meta.json')
        del meta['steps'][0]['files']['device']
        meta['config']['driver'] = 'nvme-ns'
        fixture.write_json(self.out_dir, 'meta.json', meta)
        lines, problems = self.make()
        self.assertEqual((problems, self.row(lines)), ([], FIO_ROW))

    def test_empty(self):
        fixture.write_text(self.out_dir, FIO, '')
        self.expect_of(FIO, 'empty', DEVICE_ROW)

    def test_no_json(self):
        fixture.write_text(self.out_dir, FIO, 'fio: job killed\n')
        self.expect_of(FIO, 'holds no JSON object', DEVICE_ROW)

    def test_cut_short(self):
        with open(self.path(DEVICE), encoding='utf-8') as file:
            text = file.read()
        cut = text.index(', "sum_ns"')
        fixture.write_text(self.out_dir, DEVICE, text[:cut])
        self.expect_of(DEVICE, 'damaged, or cut short, at line 1 column %d'
                       % (cut + 1), FIO_ROW)

    def test_bytes(self):
        with open(self.path(DEVICE), 'wb') as file:
            file.write(b'{"version": "\xff"}')
        lines, problems = self.make()
        self.assertEqual(len(problems), 1)
        self.assertTrue(problems[0].startswith(DEVICE + ': cannot be read: '))
        self.assertEqual(self.row(lines), FIO_ROW)

    def test_remarks_of_fio_before_its_json(self):
        with open(self.path(FIO), encoding='utf-8') as file:
            text = file.read()
        fixture.write_text(self.out_dir, FIO, 'note: both iodepth >= 1 and '
                           'synchronous I/O engine {are} selected\n' + text)
        self.assertEqual(self.make()[1], [])

    def test_drive_wrong_shape(self):
        good = self.read(DEVICE)
        for change, text in (
                ({'version': 2}, 'has version 2, version 1 was expected'),
                ({'version': None}, 'the file has no member "version"'),
                ({'now_ns': 1}, 'now_ns is 1, a whole number of at least '
                                '5000000 was expected'),
                ({'ops': []}, 'ops is [], an object was expected'),
                ({'ops': {'read': 7}}, 'ops.read is 7, an object was '
                                       'expected'),
                ({'channels': [0]}, 'channels has 1 entries, the geometry '
                                    'has 2'),
                ({'units': [0, 0, 0, 0, 0]}, 'units has 5 entries, the '
                                             'geometry has 4'),
                ({'units': [0, 0, 0, -1]}, 'units[3] is -1, a whole number '
                                           'of at least 0 was expected'),
                ({'channels': [0, 40000001]}, 'channels[1] was busy for '
                                              '40000001 ns of 40000000 ns'),
                ({'geometry': {'channels': 0}}, 'geometry.channels is 0, a '
                                                'whole number of at least 1 '
                                                'was expected'),
                ({'time_dilation': 1.5}, 'time_dilation is 1.5, a whole '
                                         'number of at least 1 was expected')):
            fixture.write_json(self.out_dir, DEVICE, {**good, **change})
            self.expect_of(DEVICE, text, FIO_ROW)

    def test_drive_histogram_that_does_not_add_up(self):
        stats = self.read(DEVICE)
        stats['ops']['read']['histogram'][1][1] += 1
        fixture.write_json(self.out_dir, DEVICE, stats)
        self.expect_of(DEVICE, 'ops.read.histogram holds 101 commands, count '
                       'says 100', FIO_ROW)

    def test_fio_wrong_shape(self):
        good = self.read(FIO)
        for change, text in (
                ({'N': 99}, 'jobs[0].read.clat_ns.bins holds 100 commands, N '
                            'says 99'),
                ({'bins': None}, 'jobs[0].read.clat_ns has no bins: fio was '
                                 'not run with --output-format=json+'),
                ({'mean': 'x'}, 'jobs[0].read.clat_ns.mean is "x", a number '
                                'of at least 0 was expected'),
                ({'bins': {'1e3': 100}}, 'jobs[0].read.clat_ns.bins.1e3 is '
                                         'not a number of ns')):
            spoilt = json.loads(json.dumps(good))
            spoilt['jobs'][0]['read']['clat_ns'].update(change)
            fixture.write_json(self.out_dir, FIO, spoilt)
            self.expect_of(FIO, text, DEVICE_ROW)

    def test_without_meta(self):
        os.unlink(self.path('meta.json'))
        lines = self.expect('meta.json: missing; the steps are taken from the '
                            'files in results/, by name')
        self.assertEqual(lines[1], 'unknown job on unknown drive')
        self.assertEqual(self.row(lines), ['read-qd1', '100', '132.2', '95.0',
                                           '99.8', '122.2', '85.0', '89.1',
                                           '5000', '19.5'])

    def test_nothing_at_all(self):
        for name in (FIO, DEVICE, 'meta.json', 'trace.csv'):
            os.unlink(self.path(name))
        _, problems = self.make()
        self.assertEqual(problems, [
            'meta.json: missing; the steps are taken from the files in '
            'results/, by name', 'no step in this run has left a result'])

    def test_trace_without_its_end(self):
        fixture.write_text(self.out_dir, 'trace.csv', fixture.trace(
            [fixture.command(10, None, 'read', 0)]))
        self.expect('trace.csv: cut short, it has no end record')
        self.assert_shown('<dt>Virtual duration</dt><dd>unknown</dd>')

    def test_random_damage_never_ends_in_a_traceback(self):
        rng = random.Random(FUZZ_SEED)
        names = [FIO, DEVICE, 'meta.json']
        good = {name: self.read(name) for name in names}
        for number in range(FUZZ_ROUNDS):
            name = rng.choice(names)
            spoilt = json.loads(json.dumps(good[name]))
            what = spoil(rng, spoilt)
            fixture.write_json(self.out_dir, name, spoilt)
            try:
                self.make_text()
            except Exception as error:
                raise AssertionError(
                    'seed %d, round %d: %s with %s' % (
                        FUZZ_SEED, number, name, what)) from error
            fixture.write_json(self.out_dir, name, good[name])


def spoil(rng, node):
    """Changes a random member of NODE. Return: what was changed, as text."""
    keys = list(node) if isinstance(node, dict) else list(range(len(node)))
    key = rng.choice(keys)
    if isinstance(node[key], (dict, list)) and node[key] and \
            rng.random() < 0.8:
        return '%s.%s' % (key, spoil(rng, node[key]))
    node[key] = rng.choice([None, -1, 0, 1, 2 ** 70, 1.5, '', 'x', '../x',
                            [], {}, [None], {'a': 1}, True, float('nan')])
    return '%s = %r' % (key, node[key])


class ScriptTest(ReportCase):
    """scripts/report."""

    def run_script(self, *args):
        """Return: (exit status, standard output, standard error)."""
        result = subprocess.run([SCRIPT, *args], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True,
                                check=False)
        return result.returncode, result.stdout, result.stderr

    def test_good_run(self):
        fixture.write_run(self.out_dir, [read_step()])
        status, out, errors = self.run_script(self.out_dir)
        self.assertEqual((status, errors), (0, ''))
        self.assertIn('read-qd1                    100    132.2', out)
        self.assert_shown('</html>')

    def test_damaged_run(self):
        fixture.write_run(self.out_dir, [read_step()])
        os.unlink(self.path(FIO))
        status, _, errors = self.run_script(self.out_dir)
        self.assertEqual((status, errors), (
            1, 'report: %s: missing; step read-qd1 is shown without it\n'
            % FIO))

    def test_step_that_failed_early(self):
        """What it has not written is not missing."""
        fixture.write_run(self.out_dir, [fixture.step(
            'append', 'zns-load', 'zns-load --rw=apend', {
                'device': fixture.device({}, [0], [0], fixture.MS_NS)},
            exit_status=2)])
        status, out, errors = self.run_script(self.out_dir)
        self.assertEqual((status, errors), (0, ''))
        self.assertIn('warning: step append failed with exit status 2; '
                      'append.out has its output', out)

    def test_no_such_folder(self):
        self.assertEqual(self.run_script(self.out_dir), (
            1, '', 'report: error: %s: no such directory; "make run" makes '
            'one\n' % self.out_dir))

    def test_folder_of_another_command(self):
        """make validate leaves a report.html, too."""
        os.makedirs(self.out_dir)
        fixture.write_text(self.out_dir, 'report.html', 'mine')
        self.assertEqual(self.run_script(self.out_dir), (
            1, '', 'report: error: %s: is no folder of a run: it has neither '
            'meta.json nor results/\n' % self.out_dir))
        self.assertEqual((os.listdir(self.out_dir), self.html()),
                         (['report.html'], 'mine'))

    def test_output_without_room(self):
        """The run's folder is not what is full."""
        fixture.write_run(self.out_dir, [read_step()])
        with open('/dev/full', 'w', encoding='ascii') as full:
            result = subprocess.run([SCRIPT, self.out_dir], stdout=full,
                                    stderr=subprocess.PIPE, text=True,
                                    check=False)
        self.assertEqual((result.returncode, result.stderr), (
            1, 'report: error: standard output: No space left on device\n'))

    def test_without_matplotlib(self):
        fixture.write_run(self.out_dir, [read_step()])
        code = ('import sys; sys.modules["matplotlib"] = None; '
                'sys.path.insert(0, %r); sys.dont_write_bytecode = True; '
                'from femu.report import output; '
                'sys.exit(len(output.make(%r)))' % (
                    os.path.dirname(SCRIPT), self.out_dir))
        result = subprocess.run([sys.executable, '-c', code], text=True,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn('read-qd1                    100', result.stdout)
        self.assertIn('report: the report has no pictures: ', result.stderr)
        self.assertEqual(self.html().count('<svg'), 0)
        self.assert_shown('<td>132.2</td>')
