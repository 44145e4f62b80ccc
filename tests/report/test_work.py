# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run cost the flash, phases of a step, and what db_bench says.

Knows nothing of how a run leaves these files.
"""

import csv
import io
import os
import shutil

from femu.common.json_file import DataError
from femu.results import db_bench, folder, phases

from fixture import (
    MS_NS, SINCE_NS, command, device, device_op, step, trace, write_run,
    write_text)
from case import ReportCase, read_step

MIB = 1 << 20
PAGE = 96 << 10

FILL = '''\
Set seed to 1 because --seed was 0
fillrandom   :      38.955 micros/op 25669 ops/sec 0.779 seconds 20000 operations;   24.9 MB/s
Microseconds per write:
Count: 20000 Average: 38.9524  StdDev: 174.61
Min: 21  Median: 38.0686  Max: 24701
Percentiles: P50: 38.07 P75: 44.95 P99: 67.97 P99.9: 75.46 P99.99: 513.33
------------------------------------------------------
(      15,      22 ]        2   0.010%   0.010%
DB path: [/mnt/db]
'''
READ = '''\
readrandom   :      13.074 micros/op 76443 ops/sec 0.065 seconds 5000 operations;   46.2 MB/s (3122 of 5000 found)
compact      :  841331.000 micros/op 1 ops/sec 0.841 seconds 1 operations;
'''


class DbBenchTest(ReportCase):
    """Its output, as rocksdb-tools 9.10 of Debian 13 prints it."""

    def load(self, text):
        os.makedirs(self.out_dir, exist_ok=True)
        write_text(self.out_dir, 'a.out', text)
        return db_bench.load(self.path('a.out'))

    def test_numbers(self):
        fill, read, compact = self.load(FILL + READ)
        self.assertEqual(
            [fill.name, fill.operations, fill.per_s, fill.mib_per_s, fill.said],
            ['fillrandom', 20000, 25669, 24.9, ''])
        times, = fill.times
        self.assertEqual(
            [times.operation, times.count, times.mean_ns, times.min_ns,
             times.max_ns, times.percentiles[99.9]],
            ['write', 20000, 38952, 21000, 24701000, 75460])
        self.assertEqual([read.name, read.said, read.times],
                         ['readrandom', '3122 of 5000 found', []])
        self.assertEqual([compact.operations, compact.mib_per_s], [1, None])

    def test_dilation(self):
        fill = self.load(FILL)[0].divided(10)
        self.assertEqual([fill.per_s, fill.mib_per_s,
                          fill.times[0].percentiles[50]],
                         [256690, 249.0, 3807.0])

    def test_damage(self):
        for text in ('', 'Segmentation fault\n', FILL[:FILL.index('Min:')]):
            with self.subTest(text), self.assertRaises(DataError):
                self.load(text)


def reading(writes_ns, now_ms, programs, padded=0, conventional=None):
    """Return: statistics of 1 MiB writes that took WRITES_NS, and no others."""
    more = {} if conventional is None else {'conventional': dict(zip(
        ('host_bytes', 'moved_bytes', 'programs', 'erases'), conventional))}
    made = device({'write': device_op(writes_ns, len(writes_ns) * MIB)},
                  [now_ms], [now_ms], now_ms * MS_NS,
                  programmed={'page_bytes': PAGE, 'padded_bytes': padded},
                  wear={'blocks': 64, 'erases': 7, 'min': 0, 'p50': 1,
                        'p99': 2, 'max': 3}, time_dilation=10, **more)
    made['flash'].update(programs=programs, erases=programs // 4)
    return made


def phased_step():
    """Return: a step in which db_bench filled, then read."""
    first = reading([1000, 2000], 10, 24, 0, (MIB, 0, 12, 1))
    second = reading([1000, 2000, 1500, 9000], 30, 60, 5 * PAGE,
                     (2 * MIB, MIB, 36, 3))
    entry, files = step('load', 'db_bench', 'db_bench ...', {'device': second})
    entry['files']['output'] = 'results/load.out'
    entry['phases'] = [
        {'name': name, 'start_ns': begin * MS_NS, 'end_ns': end * MS_NS,
         'files': {'device': 'results/load@%s.device.json' % name}}
        for name, begin, end in (('fillrandom', 0, 100),
                                 ('readrandom', 100, 300))]
    files['results/load@fillrandom.device.json'] = first
    files['results/load@readrandom.device.json'] = second
    return entry, files


class WorkTest(ReportCase):
    """Numbers, and where they are shown."""

    def write(self):
        write_run(self.out_dir, [phased_step()])
        write_text(self.out_dir, 'results/load.out', FILL + READ)

    def rows(self):
        with open(self.path('work.csv'), encoding='utf-8') as file:
            return list(csv.DictReader(io.StringIO(file.read())))

    def test_differences(self):
        self.write()
        run = folder.load(self.out_dir)
        self.assertEqual(run.problems, [])
        first, second = [phase.device for phase in run.steps[0].phases]
        write = second.ops['write']
        self.assertEqual([first.ops['write'].latency.count,
                          write.latency.count, write.latency.sum_ns,
                          write.data_bytes, second.programs,
                          second.padded_bytes, second.window_ns],
                         [2, 2, 10500, 2 * MIB, 36, 5 * PAGE, 20 * MS_NS])
        # The most is new, the least is its bucket's.
        self.assertEqual([write.latency.min_ns, write.latency.max_ns],
                         [1500 >> 4 << 4, 9000])
        with self.assertRaises(phases.PhaseError):
            phases.between(run.steps[0].phases[1].device, first)

    def test_lines(self):
        self.write()
        self.make()
        rows = self.rows()
        self.assertEqual(
            [(row['phase'], row['namespaces'], row['host_bytes'],
              row['programmed_bytes'], row['moved_bytes'],
              row['padded_bytes'], row['erased_blocks']) for row in rows], [
                ('', 'all', str(4 * MIB), str(60 * PAGE), str(MIB),
                 str(5 * PAGE), '15'),
                ('', 'zoned', str(2 * MIB), str(24 * PAGE), '0',
                 str(5 * PAGE), '12'),
                ('', 'conventional', str(2 * MIB), str(36 * PAGE), str(MIB),
                 '0', '3'),
                ('fillrandom', 'all', str(2 * MIB), str(24 * PAGE), '0', '0',
                 '6'),
                ('fillrandom', 'zoned', str(MIB), str(12 * PAGE), '0', '0',
                 '5'),
                ('fillrandom', 'conventional', str(MIB), str(12 * PAGE), '0',
                 '0', '1'),
                ('readrandom', 'all', str(2 * MIB), str(36 * PAGE), str(MIB),
                 str(5 * PAGE), '9'),
                ('readrandom', 'zoned', str(MIB), str(12 * PAGE), '0',
                 str(5 * PAGE), '7'),
                ('readrandom', 'conventional', str(MIB), str(24 * PAGE),
                 str(MIB), '0', '2')])
        self.assertEqual([row['write_amplification'] for row in rows[3:5]],
                         ['1.125', '1.125'])
        # A tenth of the guest's 100 and 200 ms; ten times its rates.
        self.assertEqual([(row['time_ns'], row['operations_per_s'],
                           row['p99_ns']) for row in (rows[3], rows[6])],
                         [(str(10 * MS_NS), '256690', '6797'),
                          (str(20 * MS_NS), '764430', '')])

    def test_writers(self):
        """Zeroes and copies are written, too: the conventional namespace's
        count has them, so that of the others must not lack them."""
        made = reading([1000], 10, 48, 0, (2 * MIB, 0, 24, 0))
        made['ops'].update({'append': device_op([1000], MIB),
                            'write-zeroes': device_op([1000], MIB),
                            'copy': device_op([1000], MIB)})
        self.make_well(step('zeroes', 'other', 'x', {'device': made}))
        self.assertEqual(
            [(row['namespaces'], row['host_bytes'],
              row['write_amplification']) for row in self.rows()],
            [('all', str(4 * MIB), '1.125'),
             ('zoned', str(2 * MIB), '1.125'),
             ('conventional', str(2 * MIB), '1.125')])

    def test_parts_of_granules(self):
        """Five writes, four of them of 512 bytes, to the conventional
        namespace, whose log has 4 KiB for each: the trace has the bytes."""
        made = reading([1000] * 5, 10, 48, 0, (4 * 4096, 0, 1, 0))
        made['ops']['write']['bytes'] = MIB + 4 * 512
        commands = [command(SINCE_NS + 2000, 1000, 'write', 0, 2048)] + [
            command(SINCE_NS + 4000 * seq, 1000, 'write', 8 * seq, nsid=2)
            for seq in range(1, 5)]
        text = trace(commands, SINCE_NS + 10 * MS_NS, {
            'zone-size': 4 * MIB, 'zone-capacity': 4 * MIB, 'lba-size': 512,
            'conventional-size': MIB})
        for with_trace, want in ((True, (MIB, 4 * 512)),
                                 (False, (MIB + 4 * 512 - 4 * 4096,
                                          4 * 4096))):
            shutil.rmtree(self.out_dir, ignore_errors=True)
            write_run(self.out_dir, [step('part', 'other', 'x',
                                          {'device': made})])
            if with_trace:
                write_text(self.out_dir, 'trace.csv', text)
            self.make()
            self.assertEqual([row['host_bytes'] for row in self.rows()[1:]],
                             [str(value) for value in want])

    def test_more_than_all(self):
        """What the log has may be more than all that was written."""
        made = reading([1000], 10, 48, 0, (2 * MIB, 0, 24, 0))
        self.make_well(step('part', 'other', 'x', {'device': made}))
        self.assertEqual([(row['host_bytes'], row['write_amplification'])
                          for row in self.rows()[1:]],
                         [('', ''), (str(2 * MIB), '1.125')])

    def test_shown(self):
        self.write()
        lines, problems = self.make()
        self.assertEqual(problems, [])
        self.assertIn(
            'load fillrandom           20000   256690      3.9      3.8      '
            '6.8       7.5     0.0     2.0  1.125', lines)
        self.assertIn(
            'load                      0.0012       0.0       4.0         5.6'
            '      1.0      0.5   1.406       15', lines)
        self.assert_shown(
            '<h2>db_bench</h2>', '<h2>What it cost the flash</h2>',
            '<th scope="row">load readrandom: conventional</th>',
            'Wear at the end: 64 blocks of the zones, erased 7 times; a block '
            'least 0, median 1, p99 2, most 3 times.')

    def test_without_phases(self):
        """The table has nothing new, the page and the file have."""
        lines = self.make_well(read_step())
        self.assertEqual([line for line in lines if 'cost' in line], [])
        self.assertEqual(
            [(row['step'], row['read_bytes'], row['host_bytes'],
              row['programmed_bytes'], row['write_amplification'])
             for row in self.rows()], [('read-qd1', '409600', '0', '', '')])

    def test_damage(self):
        self.write()
        write_text(self.out_dir, 'results/load@fillrandom.device.json', '{}')
        write_text(self.out_dir, 'results/load.out', 'nothing\n')
        _, problems = self.make()
        self.assertEqual([problem.split(': ')[0] for problem in problems], [
            'results/load.out', 'results/load@fillrandom.device.json',
            'results/load@readrandom.device.json'])
        self.assertIn('begins where phase fillrandom ends, which is not known',
                      problems[2])
        # Its numbers are not those of both phases.
        self.assertEqual([row['phase'] for row in self.rows()], [''] * 3)
