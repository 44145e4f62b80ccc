# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs that ran beside each other in one step: whose command was whose.

Knows nothing of how a trace is read.
"""

import unittest

from fixture import (MS_NS, SINCE_NS, command, device, device_op, fio, fio_job,
                     fio_side, load_job, step, trace, write_run, write_text)
from case import ReportCase
from femu.results.parts import divide, size_of
from femu.trace.zones import Layout
from test_table import rows_of

# Of the fixture's drive.
ZONE = 64
START_NS = SINCE_NS + MS_NS
DRIVE = Layout(1, 8, ZONE << 12, 48 << 12, 4096, 0)
TWO = Layout(2, 4, ZONE << 12, 48 << 12, 4096, 1 << 20)


def place(offset, size, **more):
    """Return: fio's options of a job on /dev/nvme0n1."""
    return {'filename': '/dev/nvme0n1', 'offset': offset, 'size': size, **more}


def reads(latencies_ns, slba, nsid=1, begin_ns=START_NS):
    """Return: reads of a block, each a ms behind the last."""
    return [command(begin_ns + number * MS_NS, latency_ns, 'read', slba,
                    nsid=nsid) for number, latency_ns in enumerate(latencies_ns)]


def job(name, latencies_ns, options, group=0):
    """Return: a job of fio's that found reads to take 10000 ns more."""
    return fio_job(name, group, options=options, read=fio_side(
        [latency_ns + 10000 for latency_ns in latencies_ns], 4096, 20))


A_NS = [80000] * 19 + [800000]
B_NS = [90000] * 10
ALL_NS = A_NS + B_NS
WHOLE_ROW = 'read 30 117.3 90.0 100.0 107.3 80.0 89.1 1500 5.9'.split()
A_ROW = 'a read 20 126.0 90.0 90.0 116.0 80.0 80.0 1000 3.9'.split()
B_ROW = 'b read 10 100.0 100.0 100.0 90.0 90.0 90.0 500 2.0'.split()
DEVICE_COLUMNS = slice(-5, -2)


def without_device(row):
    """Return: ROW of a job that shares its zones."""
    return row[:-5] + ['-'] * 3 + row[-2:]


class JobsTest(ReportCase):
    """Two jobs and more, from a trace whose numbers were chosen by hand."""

    def rows(self, jobs, commands, latencies_ns=None, ops=None, end_ns=MS_NS,
             params=None, kind='fio', said='fio mix.fio'):
        """Makes a run of one step, "mix". Return: (its rows as words without
        the heading, its notes)."""
        ops = ops or {'read': device_op(latencies_ns or ALL_NS)}
        write_run(self.out_dir, [step('mix', kind, said, {
            'fio': fio(*jobs),
            'device': device(ops, [0], [0], 100 * MS_NS)})])
        write_text(self.out_dir, 'trace.csv', trace(
            commands, end_ns and SINCE_NS + 200 * MS_NS, params))
        lines, problems = self.make()
        self.assertEqual(len(problems), 0 if end_ns else 1, problems)
        return ([row.split() for row in rows_of(lines) if row != 'mix'],
                [line for line in lines if line.startswith('note: step')])

    def test_zones_of_their_own(self):
        rows, notes = self.rows(
            [job('a', A_NS, place('0', '2z')), job('b', B_NS, place('2z', '2z'))],
            reads(A_NS, 2 * ZONE - 1) + reads(B_NS, 2 * ZONE))
        self.assertEqual((rows, notes), ([WHOLE_ROW, A_ROW, B_ROW], []))

    def test_namespaces_of_their_own(self):
        rows, notes = self.rows(
            [job('a', A_NS, {'filename': '/dev/nvme0n1'}),
             job('b', B_NS, {'filename': '/dev/ng0n2'})],
            reads(A_NS, 5) + reads(B_NS, 5, nsid=2),
            params={'namespaces': 2})
        self.assertEqual((rows, notes), ([WHOLE_ROW, A_ROW, B_ROW], []))

    def test_shared_zones_have_a_sum(self):
        """Zone 1 is a's and b's; so their commands have one row, c's its own."""
        rows, notes = self.rows(
            [job('a', A_NS, place('0', '2z')), job('b', B_NS, place('1z', '1z')),
             job('c', [70000], place('6z', '1z'))],
            reads(A_NS, 0) + reads(B_NS, ZONE) + reads([70000], 6 * ZONE),
            ALL_NS + [70000])
        self.assertEqual(rows[1:], [
            without_device(A_ROW), without_device(B_ROW),
            'c read 1 80.0 80.0 80.0 70.0 70.0 70.0 50.00 0.2'.split(),
            ['a', '+', 'b'] + WHOLE_ROW])
        self.assertEqual(notes, ['note: step mix: jobs a + b share zone 1: '
                                 'their device latency is one sum'])

    def test_all_share_all(self):
        """Their sum is the step's own row."""
        rows, notes = self.rows(
            [job('a', A_NS, {'directory': '/mnt'}), job('b', B_NS, place('0', '1z'))],
            reads(A_NS, 0) + reads(B_NS, 0))
        self.assertEqual(rows, [WHOLE_ROW, without_device(A_ROW),
                                without_device(B_ROW)])
        self.assertEqual(notes, ['note: step mix: jobs a + b share zone 0: '
                                 'their device latency is one sum'])

    def test_commands_of_nobody(self):
        rows, _ = self.rows(
            [job('a', A_NS, place('0', '1z')), job('b', B_NS, place('1z', '1z'))],
            reads(A_NS, 0) + reads(B_NS, ZONE) + reads([85000], 2 * ZONE),
            ALL_NS + [85000])
        self.assertEqual(rows[1:], [
            A_ROW, B_ROW, 'no job read 1 - - - 85.0 85.0 85.0 - -'.split()])

    def test_operations_that_fio_does_not_measure(self):
        commands = reads(A_NS, 0) + reads(B_NS, ZONE) + [
            command(START_NS, 7000000, 'reset', 0),
            command(START_NS, 8000000, 'reset', ZONE),
            command(START_NS, 500, 'flush', 0)]
        rows, _ = self.rows(
            [job('a', A_NS, place('0', '1z')), job('b', B_NS, place('1z', '1z'))],
            commands, ops={'read': device_op(ALL_NS),
                           'reset': device_op([7000000, 8000000]),
                           'flush': device_op([500])})
        self.assertEqual(rows[3:], [row.split() for row in (
            'reset 2 - - - 7500.0 7000.0 7995.4 - -',
            'a reset 1 - - - 7000.0 7000.0 7000.0 - -',
            'b reset 1 - - - 8000.0 8000.0 8000.0 - -',
            # In the 12 ms of the step; its statistics are of 100.
            'flush 1 - - - 0.5 0.5 0.5 83.33 0.0')])

    def test_groups(self):
        """A group's row is its job's; only where it has several, there are
        more."""
        rows, _ = self.rows(
            [job('a', A_NS, place('0', '1z'), 0),
             job('b', B_NS, place('1z', '1z'), 1)],
            reads(A_NS, 0) + reads(B_NS, ZONE))
        self.assertEqual(rows, [['all'] + WHOLE_ROW[:-2] + ['-', '-'], A_ROW,
                                B_ROW])

    def test_zns_load(self):
        """Its JSON does not say where a job was, its command does."""
        def side(latencies_ns):
            return fio_side([latency_ns + 10000 for latency_ns in latencies_ns],
                            4096, 20)
        jobs = [{**load_job(20, append=side(A_NS)), 'jobname': 'a'},
                {**load_job(20, append=side(B_NS)), 'jobname': 'b'}]
        commands = [(at_ns, latency_ns, ('append',) + parts[1:])
                    for at_ns, latency_ns, parts in
                    reads(A_NS, ZONE) + reads(B_NS, 3 * ZONE)]
        rows, notes = self.rows(
            jobs, commands, ops={'append': device_op(ALL_NS)}, kind='zns-load',
            said='zns-load --bs=4k --name=a --numjobs=2 --name=b --offset=2z '
                 '--size=2z')
        self.assertEqual(rows, [['append'] + row[row.index('read') + 1:]
                                if idx == 0 else
                                [row[0], 'append'] + row[2:] for idx, row in
                                enumerate((WHOLE_ROW, A_ROW, B_ROW))])
        self.assertEqual(notes, [])

    def test_cut_trace(self):
        """What had ended by then does not add up to what the drive counted."""
        rows, notes = self.rows(
            [job('a', A_NS, place('0', '1z')), job('b', B_NS, place('1z', '1z'))],
            reads(A_NS, 0) + reads(B_NS[1:], ZONE), end_ns=None,
            latencies_ns=ALL_NS)
        self.assertEqual(rows, [WHOLE_ROW, without_device(A_ROW),
                                without_device(B_ROW)])
        self.assertEqual(notes, [
            "note: step mix: its jobs' device latency is not known: trace.csv "
            'was cut short: it has 29 read commands, the drive counted 30'])

    def test_trace_of_other_latencies(self):
        """One ns makes the difference."""
        rows, notes = self.rows(
            [job('a', A_NS, place('0', '1z')), job('b', B_NS, place('1z', '1z'))],
            reads(A_NS[:-1] + [800001], 0) + reads(B_NS, ZONE),
            latencies_ns=ALL_NS)
        self.assertEqual(rows[1:], [without_device(A_ROW),
                                    without_device(B_ROW)])
        self.assertEqual(notes, [
            "note: step mix: its jobs' device latency is not known: trace.csv: "
            'its read commands have other latencies than the drive counted'])

    def test_fio_counted_more_than_its_zones_had(self):
        """Then the zones are not the job's."""
        rows, notes = self.rows(
            [job('a', A_NS, place('0', '1z')), job('b', B_NS, place('1z', '1z'))],
            reads(A_NS[:-1], 0) + reads(A_NS[-1:], ZONE) + reads(B_NS, ZONE))
        self.assertEqual(rows[1:], [without_device(A_ROW),
                                    without_device(B_ROW)])
        self.assertEqual(notes, [
            "note: step mix: its jobs' device latency is not known: fio "
            'counted 20 read commands of job a, its zones had 19'])

    def test_only_the_steps_own_commands(self):
        """Those that end at the begin of the statistics are not in them, those
        that end at their end are."""
        early = reads([1000], 0, begin_ns=SINCE_NS - 1000)
        last = reads([1000], 0, begin_ns=SINCE_NS + 100 * MS_NS - 1000)
        late = reads([1001], 0, begin_ns=SINCE_NS + 100 * MS_NS - 1000)
        rows, _ = self.rows(
            [job('a', [1000], place('0', '1z')), job('b', B_NS, place('1z', '1z'))],
            early + last + late + reads(B_NS, ZONE), B_NS + [1000])
        self.assertEqual(rows[1:], [
            'a read 1 11.0 11.0 11.0 1.0 1.0 1.0 50.00 0.2'.split(), B_ROW])


class PlacesTest(unittest.TestCase):
    """Where fio's options put a job."""

    def extents(self, options, drive=DRIVE):
        """Return: [(namespace, first zone, zone behind the last)]."""
        parts = divide([[options], [options]], drive)
        return [(nsid, begin / (ZONE << 12), end / (ZONE << 12))
                for nsid, begin, end in parts.parts[1].shared]

    def test_sizes(self):
        for text, expected in (
                ('0', 0), ('4096', 4096), ('4k', 4096), ('4K', 4096),
                ('4kb', 4096), ('4Ki', 4000), ('4KiB', 4000), ('3m', 3 << 20),
                ('2g', 2 << 30), ('1t', 1 << 40), ('5z', 500), ('5Z', 500),
                ('50%', 5000), ('200%', 10000), ('', None), ('4q', None),
                ('-1', None), ('(2*3)k', None), ('0x10', None)):
            self.assertEqual(size_of(text, 10000, 100), expected,
                             text)
        self.assertIsNone(size_of('5z', 10000, None))

    def test_extents(self):
        whole = [(1, 0, 8)]
        for options, expected in (
                (place('0', '1z'), [(1, 0, 1)]),
                (place('3z', '2z'), [(1, 3, 5)]),
                (place('3z', '20z'), [(1, 3, 8)]),
                (place('100k', '200k'), [(1, 0, 2)]),
                ({'filename': '/dev/nvme0n1', 'offset': '2z'}, [(1, 2, 8)]),
                (place('25%', '50%'), [(1, 2, 6)]),
                (place('0', '1z', numjobs='3', offset_increment='2z'),
                 [(1, 0, 1), (1, 2, 3), (1, 4, 5)]),
                (place('0', '2z', numjobs='3', offset_increment='1z'),
                 [(1, 0, 4)]),
                (place('0', '1z', numjobs='2000'), whole),
                (place('9z', '1z'), whole),
                (place('0', '(1*2)z'), whole),
                (place('0', '1z', read_iolog='x'), whole),
                ({'filename': '/mnt/file', 'size': '1z'}, whole),
                ({'filename': '/dev/nvme0n2', 'size': '1z'}, whole),
                ({}, whole)):
            self.assertEqual(self.extents(options), expected, options)

    def test_namespaces(self):
        """The last is conventional, where a job has bytes, not zones."""
        self.assertEqual(self.extents({}, TWO),
                         [(1, 0, 4), (2, 0, 4), (3, 0, 4)])
        self.assertEqual(self.extents({
            'filename': '/dev/nvme0n2:/dev/nvme0n3', 'offset': '64k',
            'size': '128k'}, TWO), [(2, 0, 1), (3, 0.25, 0.5)])

    def test_what_shared_zones_are_called(self):
        for drive, options, expected in (
                (DRIVE, place('2z', '1z'), 'zone 2'),
                (DRIVE, place('2z', '2z'), 'zones 2 to 3'),
                (DRIVE, {}, 'zones 0 to 7'),
                (TWO, place('2z', '1z'), 'zone 2 of namespace 1'),
                (TWO, {}, 'namespace 1, namespace 2, namespace 3'),
                (DRIVE, place('0', '1z', numjobs='4', offset_increment='2z'),
                 'zone 0, zone 2, zone 4, zone 6')):
            parts = divide([[options], [options]], drive)
            self.assertEqual(parts.shared(1), expected)
