# SPDX-License-Identifier: GPL-2.0-or-later
"""The printed table: every number, to the digit.

Knows nothing of the page.
"""

from fixture import (MS_NS, ZN540_SUM, device, device_op, fio, fio_job,
                     fio_side, load_job, step, zone_op)
from case import ReportCase, read_step

LINE = '-' * 100


def rows_of(lines):
    """Return: the table's rows, what is between its two rules."""
    first = lines.index(LINE)
    return lines[first + 1:lines.index(LINE, first + 1)]


class TableTest(ReportCase):
    """The rows are compared as words where columns are not the point."""

    def words(self, lines):
        """Return: the rows of the table, each as its words."""
        return [row.split() for row in rows_of(lines)]

    def test_whole_table(self):
        finish = step('finish-half', 'zone-op', 'zone-op ... finish 4', {
            'zone': zone_op('finish', [49152001500]),
            'device': device({'finish': device_op([49152000000]),
                              'read': device_op([0, 0], 8192)},
                             [0], [0], 50000 * MS_NS)})
        mkfs = step('mkfs', 'command', 'mkfs.f2fs -m', {
            'device': device({'append': device_op([725000] * 8, 8 << 20)},
                             [0], [0], 250 * MS_NS)})
        lines = self.make_well(read_step(), finish, mkfs)
        self.assertEqual(lines, [
            '',
            'default on confznspp, virtual time',
            '',
            '                                 ---- fio latency, us ----  --- '
            'device latency, us --     throughput',
            'operation              commands     mean      p50      p95     '
            'mean      p50      p95    IOPS  MiB/s',
            LINE,
            'read-qd1                    100    132.2     95.0     99.8    '
            '122.2     85.0     89.1    5000   19.5',
            'finish-half                   1 49152002 49152002 49152002 '
            '49152000 49152000 49152000       -      -',
            '  read                        2        -        -        -      '
            '0.0      0.0      0.0     167    0.7',
            'mkfs append                   8        -        -        -    '
            '725.0    725.0    725.0     667  666.7',
            LINE,
            "note: of steps that run zone-op, the fio columns have zone-op's "
            'latency',
            'note: rows without fio latency: throughput is over the whole '
            'step',
            '',
            '                                 ---- fio latency, us ----  --- '
            'device latency, us --',
            'the slowest            commands      p99    p99.9      max      '
            'p99    p99.9      max',
            LINE,
            'read-qd1                    100    795.0    795.0    795.0    '
            '778.2    778.2    785.0',
            'finish-half                   1 49152002 49152002 49152002 '
            '49152000 49152000 49152000',
            '  read                        2        -        -        -      '
            '0.0      0.0      0.0',
            'mkfs append                   8        -        -        -    '
            '725.0    725.0    725.0',
            LINE,
            lines[-2], lines[-1]])
        self.assertRegex(lines[-2],
                         r'^report: all numbers: .*run-001/latencies\.csv$')
        self.assertRegex(lines[-1], r'^report: .*run-001/report\.html$')

    def test_operations_of_zns_load(self):
        """Each has a row and its own commands; a finish has no throughput, a
        softfinish no command of the drive's."""
        load = step('mix', 'zns-load', 'zns-load ...', {
            'fio': fio(load_job(10, append=fio_side([20000] * 40, 4096, 10),
                                write=fio_side([30000] * 2, 4096, 10)),
                       load_job(10, finish=fio_side([9000000], 1 << 30, 10)),
                       load_job(10, softfinish=fio_side([700], 1 << 30, 10))),
            'device': device({'append': device_op([15000] * 40, 163840),
                              'write': device_op([25000] * 3, 12288),
                              'finish': device_op([8000000])},
                             [0], [0], 12 * MS_NS)})
        lines = self.make_well(load)
        self.assertEqual(rows_of(lines)[0], 'mix')
        self.assertEqual(self.words(lines)[1:], [
            'append 40 20.0 20.0 20.0 15.0 15.0 15.0 4000 15.6'.split(),
            'write 3 30.0 30.0 30.0 25.0 25.0 25.0 200 0.8'.split(),
            'finish 1 9000.0 9000.0 9000.0 8000.0 8000.0 8000.0 - -'.split(),
            'softfinish 1 0.7 0.7 0.7 - - - - -'.split()])
        self.assertIn("note: of steps that run zns-load, the fio columns have "
                      "zns-load's latency", lines)

    def test_name_of_two_operations(self):
        """A name that has several operations' words stands for none."""
        load = step('finish-on-read', 'zns-load', 'zns-load ...', {
            'fio': fio(load_job(10, read=fio_side([20000] * 40, 4096, 10)),
                       load_job(10, finish=fio_side([9000000], 1 << 30, 10))),
            'device': device({'read': device_op([15000] * 40, 40 * 4096),
                              'finish': device_op([8000000])},
                             [0], [0], 12 * MS_NS)})
        lines = self.make_well(load)
        self.assertEqual([row.split()[0] for row in rows_of(lines)],
                         ['finish-on-read', 'read', 'finish'])
        for label in ('finish-on-read read', 'finish-on-read finish'):
            self.assert_shown('>%s</text>' % label)

    def test_what_made_it_fail(self):
        """All but what the step's own line says."""
        lines = self.make_well(read_step('read'), failures=[
            'read: exit status 1: fio', 'fill zone 5: exit status 1: fio',
            'read: fio gave the drive no command'])
        self.assertEqual([line for line in lines if 'failed: ' in line],
                         ['failed: fill zone 5: exit status 1: fio',
                          'failed: read: fio gave the drive no command'])

    def test_config_with_a_caveat(self):
        for changes, expected in (
                ({}, 'virtual time, fitted, see make validate'),
                ({'config_sum': 'ee' * 32}, 'virtual time'),
                ({'time': 'real'}, 'real time, fitted, but this is real time')):
            with self.subTest(changes):
                lines = self.make_well(read_step(), config='zn540', **{
                    'config_sum': ZN540_SUM, **changes})
                self.assertEqual(lines[1], 'default on zn540, ' + expected)
                self.setUp()
        lines = self.make_well(read_step(), config='zn540', properties={
            'ways': '2', 'read-ns': '5'}, config_sum=ZN540_SUM)
        self.assertEqual(lines[1], 'default on zn540 with ways=2 read-ns=5, '
                         'virtual time, fitted, then changed with SET')

    def test_time_dilation(self):
        lines = self.make_well(read_step(time_dilation=10),
                               virtual_ns=500 * MS_NS)
        self.assertEqual(lines[1], "default on confznspp, virtual time, "
                         "guest's times divided by 10 (time dilation)")
        # The drive's times are its own already; fio's are a tenth, its rates
        # ten times, what the guest saw.
        self.assertEqual(self.words(lines), [
            'read-qd1 100 13.2 9.5 10.0 122.2 85.0 89.1 50000 195.3'.split()])
        self.assert_shown("<dt>Virtual duration</dt><dd>0.500 s of the drive"
                          "&#x27;s time, 5.0 s of the guest&#x27;s</dd>",
                          "took <b>0.001 s of the drive&#x27;s time</b>")

    def test_dilated_runtime(self):
        """Said of a job that has one, however it was given, and else not."""
        note = ("note: runtime= of a job is the guest's time: the drive's is "
                '1/10 of that (DILATION=10)')

        def lines(dilation=10, command='fio x.fio', **options):
            job = fio_job(read=fio_side([50000], 4096, 1))
            job['job options'] = {'rw': 'read',
                                  **options.get('of_job', {})}
            made = step('read', 'fio', command, {
                'fio': {**fio(job), 'global options':
                        options.get('of_all', {})},
                'device': device({'read': device_op([40000], 4096)}, [0], [0],
                                 MS_NS, time_dilation=dilation)})
            self.setUp()
            return self.make_well(made)

        self.assertNotIn(note, lines())
        self.assertIn(note, lines(of_job={'runtime': '10s'}))
        self.assertIn(note, lines(of_all={'runtime': '10s'}))
        self.assertIn(note, lines(command='zns-load --runtime=10'))
        self.assertNotIn('runtime=', ''.join(lines(1, of_job={
            'runtime': '10s'})))

    def test_jobs_of_a_group_are_one_row_and_one_each(self):
        jobs = [fio_job('a', write=fio_side([100000] * 3, 65536, 10)),
                fio_job('b', write=fio_side([200000], 65536, 40))]
        stats = device({'write': device_op([90000] * 5, 5 << 16),
                        'append': device_op([50000], 1 << 16)},
                       [0], [0], 50 * MS_NS)
        lines = self.make_well(step('write-2', 'fio', 'fio', {
            'fio': fio(*jobs), 'device': stats}))
        # 4 writes in the 40 ms of the longer job; the drive saw 5 + 1.
        self.assertEqual(self.words(lines), [row.split() for row in (
            'write-2 6 125.0 100.0 200.0 83.3 90.0 90.0 100 6.2',
            'a write 3 100.0 100.0 100.0 - - - 300 18.8',
            'b write 1 200.0 200.0 200.0 - - - 25.00 1.6')])
        self.assertIn("note: step write-2: its jobs' device latency is not "
                      'known: the run has no trace.csv', lines)

    def test_clones_of_a_job_are_one_job(self):
        jobs = [fio_job('a', write=fio_side([100000] * 3, 65536, 10))] * 4
        lines = self.make_well(step('write', 'fio', 'fio', {
            'fio': fio(*jobs), 'device': device({}, [0], [0], MS_NS)}))
        self.assertEqual([row[0] for row in self.words(lines)], ['write'])

    def test_groups_have_rows_of_their_own(self):
        jobs = [fio_job('fill', 0, write=fio_side([100000] * 2, 4096, 1)),
                fio_job('look', 1, read=fio_side([50000], 4096, 1),
                        write=fio_side([300000], 4096, 1)),
                fio_job('look2', 1, read=fio_side([70000], 4096, 1))]
        stats = device({'write': device_op([80000] * 3, 3 << 12),
                        'read': device_op([40000] * 2, 2 << 12),
                        'reset': device_op([3500000])}, [0], [0], 9 * MS_NS)
        lines = self.make_well(step('mix', 'fio', 'fio mix.fio', {
            'fio': fio(*jobs), 'device': stats}))
        # Which write of the drive belongs to which group it cannot tell.
        self.assertEqual(self.words(lines), [row.split() for row in (
            'mix',
            'look (+1) read 2 60.0 50.0 70.0 40.0 40.0 40.0 2000 7.8',
            'look read 1 50.0 50.0 50.0 - - - 1000 3.9',
            'look2 read 1 70.0 70.0 70.0 - - - 1000 3.9',
            'all write 3 166.7 100.0 300.0 80.0 80.0 80.0 - -',
            'fill write 2 100.0 100.0 100.0 - - - 2000 7.8',
            'look write 1 300.0 300.0 300.0 - - - 1000 3.9',
            'reset 1 - - - 3500.0 3500.0 3500.0 - -')])

    def test_trim_is_a_reset(self):
        lines = self.make_well(step('trim', 'fio', 'fio', {
            'fio': fio(fio_job(trim=fio_side([3600000], 1 << 20, 4))),
            'device': device({'reset': device_op([3500000])}, [0], [0],
                             9 * MS_NS)}))
        self.assertEqual(self.words(lines), [
            'trim 1 3600.0 3600.0 3600.0 3500.0 3500.0 3500.0 250 250.0'
            .split()])

    def test_fio_without_latencies(self):
        side = {'total_ios': 6, 'io_bytes': 6 << 20, 'runtime': 0,
                'clat_ns': {'min': 0, 'max': 0, 'mean': 0.0, 'N': 0}}
        lines = self.make_well(step('read', 'fio', 'fio', {
            'fio': fio(fio_job(read=side)),
            'device': device({}, [0], [0], MS_NS)}))
        self.assertEqual(self.words(lines), [
            'read 6 - - - - - - - -'.split()])

    def test_long_name_and_huge_time(self):
        name = 'finishes-every-zone-of-the-drive'
        lines = self.make_well(step(name, 'command', 'x', {
            'device': device({'finish': device_op([44296 * 10 ** 9])}, [0],
                             [0], 10 ** 14)}))
        self.assertEqual(rows_of(lines), [
            name + ' finish',
            ' ' * 30 + '1        -        -        - 44296.0s 44296.0s '
            '44296.0s       -      -'])

    def test_no_line_is_longer_than_100(self):
        steps = [read_step('read-%d' % idx) for idx in range(3)]
        lines = self.make_well(*steps, config='zn540')
        self.assertEqual([line for line in lines[:-2] if len(line) > 100], [])

    def test_what_went_wrong_is_told(self):
        failed_zones = zone_op('reset', [900, 800], errno=5)
        jobs = [fio_job('bad', error=28, read=fio_side([50000], 4096, 1))]
        lines = self.make_well(
            step('read', 'fio', 'fio', {
                'fio': fio(*jobs), 'device': device(
                    {'read': device_op([40000], 4096),
                     'write': device_op([], errors=2)}, [0], [0], MS_NS)},
                 exit_status=1),
            step('reset', 'zone-op', 'zone-op', {
                'zone': failed_zones, 'device': device(
                    {'reset': device_op([], errors=1)}, [0], [0], MS_NS)}),
            status='failed')
        self.assertEqual(self.words(lines), [
            'read 1 50.0 50.0 50.0 40.0 40.0 40.0 1000 3.9'.split(),
            ['reset', '-']])
        self.assertEqual([line for line in lines
                          if line.startswith('warning: ')], [
            'warning: step read failed with exit status 1; read.out has its '
            'output',
            'warning: step read: fio job bad ended with error 28',
            'warning: step read: the drive rejected 2 write commands',
            'warning: step reset: reset of zone 4 failed (errno 5)',
            'warning: step reset: reset of zone 5 failed (errno 5)',
            'warning: step reset: the drive rejected 1 reset command'])
