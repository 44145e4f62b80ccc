# SPDX-License-Identifier: GPL-2.0-or-later
"""DAM, PDAM, Affine and MQSSD, fitted to drives whose costs are known."""

import os
import re
import subprocess
import tempfile
import unittest

from femu.mqssd import models, table

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
MEASURED = 'tests/data/mqssd/zn540.csv'
SIZES = (4096, 16384, 262144, 4194304)


def point(op, threads, size, cost_us):
    return models.Point(op, threads, size, models.page_us(cost_us))


def drive(op, setup, page, counts=(1, 2, 4, 8, 16, 32, 64, 128)):
    """Points of a drive whose costs are functions of the threads."""
    return [point(op, k, size, setup(k) * 4096 / size + page(k))
            for k in counts for size in SIZES]


class Models(unittest.TestCase):
    def test_throughput_and_cost(self):
        self.assertAlmostEqual(models.page_us(1000), 3.90625)
        self.assertAlmostEqual(models.page_us(models.page_us(7)), 7)

    def test_a_drive_of_the_form_is_met(self):
        points = drive('read', lambda k: (100 + k) / (1 + k * 0.5),
                       lambda k: 2 / (1 + 0.1 * k)) + \
            drive('write', lambda k: 20 / (1 + k), lambda k: 3 / (1 + 0.2 * k))
        fits = models.fit_all(points, 8)
        self.assertLess(models.mean_error_pct(fits, 'MQSSD'), 0.1)
        cost = fits['read'].costs[4]
        self.assertAlmostEqual(cost.setup_us, 104 / 3, 6)
        self.assertAlmostEqual(cost.page_us, 2 / 1.4, 6)
        self.assertAlmostEqual(cost.r_squared, 1, 6)

    def test_a_drive_of_one_thread(self):
        """Costs that do not change: Affine is as good, the others are not."""
        fits = models.fit_all(drive('read', lambda k: 50, lambda k: 1), 8)
        self.assertLess(models.mean_error_pct(fits, 'Affine'), 1e-6)
        self.assertLess(models.mean_error_pct(fits, 'MQSSD'), 0.1)
        fit = fits['read']
        page_us = sum(50 * 4096 / size + 1 for size in SIZES) / len(SIZES)
        self.assertAlmostEqual(fit.predicted('DAM', 32, 0.5),
                               models.page_us(page_us))
        self.assertAlmostEqual(fit.predicted('PDAM', 4, 0.5),
                               4 * models.page_us(page_us))
        self.assertAlmostEqual(fit.predicted('PDAM', 32, 0.5),
                               8 * models.page_us(page_us))
        self.assertAlmostEqual(fit.predicted('Affine', 32, 0.5),
                               models.page_us(26))

    def test_relative_errors_are_minimised(self):
        """One point of four is off by 10 %: small costs count as large do."""
        points = drive('read', lambda k: 50, lambda k: 1, counts=(1, 2))
        bent = [one._replace(mibps=one.mibps * 1.1)
                if one.request_bytes == SIZES[-1] else one for one in points]
        cost = models.Fit(bent, 8).costs[1]
        self.assertAlmostEqual(cost.setup_us, 50, delta=1)
        self.assertLess(cost.page_us, 1)

    def test_least_error(self):
        """No costs are better, and one point is met."""
        points = drive('read', lambda k: 50, lambda k: 1, counts=(1,))
        self.assertLess(models.least_error(points)[0], 1e-3)
        bent = [one._replace(mibps=one.mibps * more) for one, more in
                zip(points, (1, 2, 0.5, 1))]
        least, setup, page = models.least_error(bent)
        for by_setup in (0.5, 0.9, 1, 1.1, 2):
            for by_page in (0.5, 0.9, 1, 1.1, 2):
                errors = [abs(models.page_us(
                    setup * by_setup * models.rho_of(one) + page * by_page) /
                    one.mibps - 1) for one in bent]
                self.assertGreaterEqual(sum(errors) / 4, least - 1e-4)
        fits = models.fit_all(bent + [
            one._replace(threads=2) for one in points], 8)
        self.assertAlmostEqual(models.least_error_pct(fits), 50 * least, 1)

    def test_more_pages(self):
        """Of the form each page more costs the same."""
        points = drive('write', lambda k: 50, lambda k: 1.5, counts=(1,))
        found = models.more_page_us(points)
        self.assertEqual([one[:2] for one in found],
                         list(zip(SIZES, SIZES[1:])))
        for *_, more_us in found:
            self.assertAlmostEqual(more_us, 1.5, 6)

    def test_what_does_not_suffice(self):
        for points, what in (([], 'no points'),
                             (drive('read', lambda k: 1, lambda k: 1, (2, 4)),
                              '1 thread'),
                             ([point('read', 1, 4096, 1)], 'two sizes')):
            with self.assertRaisesRegex(models.ModelError, what):
                models.fit_all(points, 8)


class Table(unittest.TestCase):
    def test_written_and_read(self):
        points = drive('write', lambda k: 9, lambda k: 2, (1, 3))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'table.csv')
            table.write(path, points)
            found = table.read(path)
        self.assertEqual([one[:3] for one in found],
                         [one[:3] for one in points])
        for one, other in zip(found, points):
            self.assertAlmostEqual(one.mibps / other.mibps, 1, 5)

    def test_bad_rows(self):
        head = 'op,threads,request_bytes,mibps\n'
        for text in (head + 'trim,1,4096,5\n', head + 'read,0,4096,5\n',
                     head + 'read,1,512,5\n', head + 'read,1,4096,0\n',
                     head + 'read,1,4096,nan\n', head + 'read,x,4096,5\n',
                     head + 'read,1\n', 'a,b\n1,2\n'):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, 'table.csv')
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(text)
                with self.assertRaisesRegex(table.TableError, 'row 2'):
                    table.read(path)

    def test_files_of_other_programs(self):
        head, row = b'op,threads,request_bytes,mibps', b'\nread,1,4096,5'
        bom = '\ufeff'.encode()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'table.csv')

            def read(data):
                with open(path, 'wb') as file:
                    file.write(data)
                return table.read(path)

            self.assertEqual(read(bom + head + row), read(head + row))
            for data, want in (
                    (b'', 'has no points'), (head, 'has no points'),
                    (head.decode().encode('utf-16'), 'is not CSV'),
                    (head + b',mibps' + row + b',9',
                     'has a column mibps twice'),
                    (head + row + b'\nwrite,1,4096,5' + row,
                     'row 4 has the op, threads and request_bytes of row 2')):
                with self.assertRaisesRegex(table.TableError,
                                            'table.csv: ' + want):
                    read(data)

    def test_sizes(self):
        self.assertEqual([table.bytes_of(text)
                          for text in ('4096', '4k', '4K', '2m')],
                         [4096, 4096, 4096, 2 << 20])

    def test_a_run(self):
        """Sizes are written as the job takes them, 64K as well."""
        with tempfile.TemporaryDirectory() as folder:
            for size in ('4k', '64K', '1M'):
                with open('%s/write-k2-%s.fio.json' % (folder, size), 'w',
                          encoding='utf-8') as file:
                    file.write('{"jobs":[{"write":{"bw_bytes":1048576}}]}')
            self.assertEqual(table.of_run(folder, 8), [
                ('write', 2, size, 8.0) for size in (4096, 65536, 1 << 20)])


class Command(unittest.TestCase):
    """scripts/mqssd of a table."""

    def run_it(self, out, **env):
        return subprocess.run(
            [os.path.join(TOP, 'scripts/mqssd')], cwd=TOP, check=False,
            env={**os.environ, 'OUT': out, **env}, stderr=subprocess.STDOUT,
            stdout=subprocess.PIPE, text=True)

    def test_documentation_says_what_it_says(self):
        with open(os.path.join(TOP, 'docs/simulator.md'),
                  encoding='utf-8') as file:
            said = re.findall(r'^(?:mqssd: |read, one thread: |[0-9]+ of '
                              r'[0-9]+ points ).*$', file.read(), re.M)
        with tempfile.TemporaryDirectory() as out:
            done = self.run_it(out, TABLE=MEASURED)
            self.assertEqual(sorted(os.listdir(out)),
                             ['models.png', 'models.svg', 'table.csv'])
        self.assertEqual(done.returncode, 0)
        lines = done.stdout.splitlines()
        self.assertEqual([line for line in lines if line in said],
                         said[1:] + said[:1])
        self.assertEqual(len(said), 3)
        self.assertEqual(lines[-1], said[0])

    def test_where_it_misses(self):
        """A drive of which one point of eight is half of what the form says."""
        points = drive('read', lambda k: 50, lambda k: 1, counts=(1, 2))
        points[2] = points[2]._replace(mibps=points[2].mibps / 3)
        with tempfile.TemporaryDirectory() as out:
            path = os.path.join(out, 'made.csv')
            table.write(path, points)
            lines = self.run_it(out, TABLE=path).stdout.splitlines()
        rows = [line.split() for line in lines[
            lines.index(next(line for line in lines if 'at best' in line and
                             line.startswith('read'))) + 1:][:2]]
        fits = models.fit_all(points, 8)
        for row, (threads, found) in zip(rows, fits['read'].by_threads.items()):
            self.assertEqual(row[0], '%d' % threads)
            for text, one in zip(row[1:5], found):
                self.assertAlmostEqual(float(text), 100 * fits[
                    'read'].error_of('MQSSD', one), delta=0.051)
        self.assertIn('1 of 8 points are more than 30 % off', lines[-3])
        self.assertIn(
            'the largest requests beside the smallest: read %.1f times by 1 '
            'thread, %.1f times by 2 threads' % (2 * (51 / (1 + 50 / 1024),)),
            lines)

    def test_errors_are_said(self):
        for env, what in (
                ({'TABLE': MEASURED, 'PARALLEL': '0'}, 'PARALLEL=0: must be'),
                ({'TABLE': 'README.md'}, 'README.md: row 2'),
                ({'TABLE': 'no/file'}, 'no/file')):
            with tempfile.TemporaryDirectory() as out:
                done = self.run_it(out, **env)
            self.assertNotEqual(done.returncode, 0)
            last = done.stdout.splitlines()[-1]
            self.assertTrue(last.startswith('mqssd: '), last)
            self.assertIn(what, last)
