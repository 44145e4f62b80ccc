# SPDX-License-Identifier: GPL-2.0-or-later
"""What is made of a trace: latencies, how they went over time, zones.

Knows nothing of how any of it is shown.
"""

import os
import random
import shutil
import tempfile
import unittest

import numpy as np

import fixture
from fixture import command, device_op, trace, write_text
from femu.common.json_file import DataError
from femu.results import traced
from femu.results.latency import Distribution, of_values
from femu.trace import file
from femu.trace.series import MAX_STRETCHES
from femu.trace.zones import ACTIVE, EMPTY, FULL, OFFLINE, READ_ONLY

SEED = 20261122
ZONE = 64
CAPACITY = 48
BLOCK = 4096
ROUNDS = 300


class TraceCase(unittest.TestCase):
    """A test with a folder for a trace."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='femu-trace-')
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = os.path.join(self.folder, 'trace.csv')

    def read(self, text, windows=(), block_bytes=file.BLOCK_BYTES):
        """Return: the RunTrace of the trace TEXT."""
        write_text(self.folder, 'trace.csv', text)
        return traced.read(self.path, list(windows),
                           lambda number, where: None, block_bytes)


def some_commands(rng, count):
    """Return: COUNT random commands, some of which are rejected or never end,
    of a second."""
    return [command(rng.randrange(10**9),
                    rng.choice([None] + [rng.randrange(1 << rng.randrange(30))
                                         for _ in range(20)]),
                    rng.choice(file.OPS), rng.randrange(8 * ZONE),
                    status=rng.choice([0] * 9 + [0x1b8]))
            for _ in range(count)]


class LatencyTest(TraceCase):
    """Against lists of the very latencies."""

    def test_buckets_are_the_drives(self):
        rng = random.Random(SEED)
        values = [rng.randrange(1 << bits) for bits in range(1, 54)
                  for _ in range(20)] + [(1 << bits) - 1 for bits in range(54)]
        self.assertEqual(
            traced.bucket_low(np.array(values)).tolist(),
            [fixture.bucket_low(value) for value in values])

    def test_every_command_is_in_its_step(self):
        rng = random.Random(SEED)
        commands = some_commands(rng, 3000)
        windows = [(0, 10**8), (10**8, 3 * 10**8), (6 * 10**8, 9 * 10**8)]
        found = self.read(trace(commands, 2 * 10**9), windows)
        for (since_ns, now_ns), step in zip(windows, found.steps):
            want = {}
            for at_ns, latency_ns, parts in commands:
                if latency_ns is not None and not parts[-1] and \
                        since_ns < at_ns + latency_ns <= now_ns:
                    want.setdefault(parts[0], []).append(latency_ns)
            self.assertEqual(
                {name: vars(one) for name, one in step.whole.items()},
                {name: vars(drives(mine)) for name, mine in want.items()},
                'seed %d' % SEED)
            self.assertEqual(step.disagreement(
                {name: drives(mine) for name, mine in want.items()}), '')

    def test_edges_of_a_step(self):
        """What ends as the statistics start is not in them, what ends as they
        are taken is."""
        ends_ns = (10, 11, 20, 21)
        found = self.read(trace([command(0, end_ns, 'read', 0)
                                 for end_ns in ends_ns], 50), [(10, 20)])
        self.assertEqual(found.steps[0].whole['read'].bins, [(11, 1), (20, 1)])

    def test_blocks_make_no_difference(self):
        rng = random.Random(SEED)
        text = trace(some_commands(rng, 400), 2 * 10**9, events=[
            (rng.randrange(10**9), 'F,7,1,%d,13' % rng.randrange(8))
            for _ in range(5)])
        windows = [(0, 10**9)]
        whole = self.read(text, windows)
        for block_bytes in (1, 17, 1000):
            parts = self.read(text, windows, block_bytes)
            self.assertEqual(summary(whole), summary(parts), block_bytes)

    def test_damage_is_told(self):
        good = trace([command(5, 10, 'read', 3)], 50)
        for old, new, want in (
                ('# femu-zns trace 2', '# femu-zns trace 1',
                 r"line 1: '# femu-zns trace 2\n' was expected, not '# femu-zns "
                 r"trace 1\n'"),
                ('# femu-zns trace 2', '# femu-zns trace 2\r',
                 r"line 1: '# femu-zns trace 2\n' was expected, not '# femu-zns "
                 r"trace 2\r'"),
                ('S,0,5,read,', 'S,0,5,', 'line 8: "S,0,5,1,3,1,0,0" is no '
                                          'record of a trace'),
                ('S,0,5,read,', 'Q,0,5,read,', 'line 8: "Q,0,5,read,1,3,1,0,0" '
                                               'is no record of a trace'),
                ('read', 'raed', 'behind line 7: unknown operation "raed"'),
                ('S,0,5', 'S,0,5.5', 'behind line 7: S records that are not '
                                     'numbers'),
                ('C,0,15', 'C,0,', 'behind line 7: C records that are not '
                                   'numbers'),
                ('S,0,5', 'S,1,5', 'behind line 7: command 0 is missing, or '
                                   'not in its place'),
                ('C,0,15', 'C,1,15', 'command 1 ends twice, or before it is '
                                     'submitted'),
                ('C,0,15,0,0', 'C,0,15,0,0\nC,0,15,0,0', 'command 0 ends twice, '
                                                         'or before it is '
                                                         'submitted'),
                ('C,0,15', 'C,0,4', 'command 0 ends before it is submitted'),
                ('C,0,15', 'C,0,9007199254740992',
                 'behind line 7: a time of more than 9007199254740992 ns'),
                ('E,50', 'E,x', 'line 10: "E,x" is no record of a trace')):
            with self.assertRaises(DataError) as caught:
                self.read(good.replace(old, new), [(0, 20)])
            self.assertEqual(str(caught.exception), want)

    def test_random_damage_never_ends_in_a_traceback(self):
        rng = random.Random(SEED)
        good = trace(some_commands(rng, 30), 2 * 10**9)
        for number in range(ROUNDS):
            text = list(good)
            for _ in range(rng.randrange(1, 4)):
                text[rng.randrange(len(text))] = rng.choice('SCXRFNEP0189,-\n')
            try:
                self.read(''.join(text), [(0, 10**9)])
            except DataError:
                pass
            except Exception as error:
                raise AssertionError('seed %d, round %d' % (
                    SEED, number)) from error

    def test_cut_short(self):
        """What is there is read; of the last line, nothing."""
        text = trace([command(5, 10, 'read', 3)])
        for cut in (text, text + 'S,1,20,re', text + 'S,1,20,read,1,3,1,0,0'):
            found = self.read(cut, [(0, 20)])
            self.assertIsNone(found.end_ns)
            self.assertEqual(found.steps[0].whole['read'].count, 1)

    def test_discarded_commands_are_missing(self):
        text = trace([command(5, None, 'read', 3)], 50).replace('E,', 'X,0\nE,')
        step = self.read(text, [(0, 20)]).steps[0]
        self.assertEqual(step.disagreement({'read': of_values([7])}),
                         'it has 0 read commands, the drive counted 1')


def drives(latencies_ns):
    """Return: what the drive's histogram says of LATENCIES_NS."""
    stats = device_op(latencies_ns)
    return Distribution([tuple(pair) for pair in stats['histogram']],
                        stats['sum_ns'], stats['min_ns'], stats['max_ns'])


def summary(found):
    """Return: all of a RunTrace, comparable."""
    series = found.steps[0].series
    return (found.end_ns, [
        (key, vars(one)) for key, one in sorted(found.steps[0].of_part.items())
    ], series.begin_ns, series.stretch_ns, series.used, [
        (key, {name: column.tolist() for name, column in vars(line).items()})
        for key, line in sorted(series.lines.items())],
            found.zones.state.tolist(), found.zones.written_bytes.tolist(),
            found.zones.filled_bytes.tolist())


class SeriesTest(TraceCase):
    """Sums over stretches of time."""

    def test_stretches(self):
        """They begin with the first command; at 256 of them, two become one."""
        ends_ns = [1000, 1999, 2000, 255999]
        found = self.read(trace([command(1000, 0, 'flush', 0, 0)] + [
            command(1000, end_ns, 'write', number, 2)
            for number, end_ns in enumerate(ends_ns)], 10**9), [(0, 10**8)])
        series = found.steps[0].series
        self.assertEqual((series.begin_ns, series.stretch_ns, series.used),
                         (1000, 1000, 256))
        line = series.lines[0, 'write']
        for name, want in (('count', {1: 2, 2: 1, 255: 1}),
                           ('data_bytes', {1: 4 * BLOCK, 2: 2 * BLOCK,
                                           255: 2 * BLOCK}),
                           ('sum_ns', {1: 2999, 2: 2000, 255: 255999}),
                           ('max_ns', {1: 1999, 2: 2000, 255: 255999})):
            column = getattr(line, name)
            self.assertEqual({int(idx): int(column[idx])
                              for idx in np.flatnonzero(column)}, want, name)
        series.make_room(1000 + 256000)
        self.assertEqual((series.stretch_ns, series.used), (2000, 129))
        self.assertEqual(line.count[[0, 1, 127]].tolist(), [2, 1, 1])
        self.assertEqual(line.min_ns[[0, 1]].tolist(), [1000, 2000])
        self.assertEqual(line.max_ns[[0, 1]].tolist(), [1999, 2000])

    def test_nothing_is_lost(self):
        rng = random.Random(SEED)
        commands = some_commands(rng, 2000)
        step = self.read(trace(commands, 2 * 10**9), [(0, 10**9)]).steps[0]
        for name, latency in step.whole.items():
            line = step.series.lines[0, name]
            self.assertEqual((line.count.sum(), line.sum_ns.sum(),
                              line.min_ns.min(), line.max_ns.max()),
                             (latency.count, latency.sum_ns, latency.min_ns,
                              latency.max_ns))
        self.assertTrue(MAX_STRETCHES // 2 < step.series.used
                        <= MAX_STRETCHES)


def writes(zone, nlb, at_ns=0):
    """Return: a command that writes the first NLB blocks of ZONE."""
    return command(at_ns, 1, 'write', zone * ZONE, nlb)


def manage(operation, zone, at_ns=0, **more):
    """Return: a command for ZONE."""
    return command(at_ns, 1, operation, zone * ZONE, 0, **more)


class ZonesTest(TraceCase):
    """Every state, and what leads there."""

    def zones(self, *commands, events=(), params=None):
        """Return: {zone: (blocks written, blocks filled, resets, finishes,
        state)} of the zones that have been touched."""
        zones = self.read(trace(commands, 100, params, events)).zones
        return {int(idx): tuple(int(part) for part in (
            zones.written_bytes[idx] // BLOCK, zones.filled_bytes[idx] // BLOCK,
            zones.resets[idx], zones.finishes[idx], zones.state[idx]))
                for idx in np.flatnonzero(zones.touched())}

    def test_writes(self):
        self.assertEqual(self.zones(
            writes(0, 5), command(1, 1, 'write', 5, 7), writes(2, CAPACITY),
            command(1, 1, 'append', 3 * ZONE, 6),
            command(2, 1, 'append', 3 * ZONE, 6),
            command(2, 1, 'write-zeroes', 4 * ZONE, 3),
            command(3, 1, 'read', 5 * ZONE, 3)), {
                0: (12, 12, 0, 0, ACTIVE), 2: (48, 48, 0, 0, FULL),
                3: (12, 12, 0, 0, ACTIVE), 4: (3, 3, 0, 0, ACTIVE)})

    def test_rejected_commands_do_nothing(self):
        self.assertEqual(self.zones(
            command(0, None, 'write', 0, 5, status=0x1bc),
            manage('reset', 0, status=0x1bf)), {})

    def test_order_counts(self):
        self.assertEqual(self.zones(
            writes(0, 5), manage('reset', 0, 1), writes(0, 3, 2),
            writes(1, 5), manage('reset', 1, 1),
            writes(2, 5), manage('finish', 2, 1),
            writes(3, CAPACITY), manage('reset', 3, 1), writes(3, CAPACITY, 2)), {
                0: (8, 3, 1, 0, ACTIVE), 1: (5, 0, 1, 0, EMPTY),
                2: (5, 5, 0, 1, FULL), 3: (96, 48, 1, 0, FULL)})

    def test_without_data(self):
        self.assertEqual(self.zones(
            manage('open', 0), manage('open', 1), manage('close', 1, 1),
            manage('set-extension', 2), manage('finish', 3)), {
                0: (0, 0, 0, 0, ACTIVE), 1: (0, 0, 0, 0, ACTIVE),
                2: (0, 0, 0, 0, ACTIVE), 3: (0, 0, 0, 1, FULL)})

    def test_all_zones(self):
        """A reset of all zones resets those that it changes."""
        commands = [writes(0, 5), writes(1, CAPACITY), writes(4, 7)]
        self.assertEqual(self.zones(
            *commands, manage('reset', 0, 1, select_all=1)), {
                0: (5, 0, 1, 0, EMPTY), 1: (48, 0, 1, 0, EMPTY),
                4: (7, 0, 1, 0, EMPTY)})
        self.assertEqual(self.zones(
            *commands, manage('finish', 0, 1, select_all=1)), {
                0: (5, 5, 0, 1, FULL), 1: (48, 48, 0, 0, FULL),
                4: (7, 7, 0, 1, FULL)})

    def test_namespaces(self):
        """The second one's zone 0 is the drive's zone 4; of the conventional
        one's, there are none."""
        two = {'namespaces': 2, 'conventional-size': 1 << 20}
        commands = [command(0, 1, 'write', 0, 2), command(0, 1, 'write', 0, 3,
                                                          nsid=2),
                    command(0, 1, 'write', 0, 4, nsid=3)]
        self.assertEqual(self.zones(*commands, params=two), {
            0: (2, 2, 0, 0, ACTIVE), 4: (3, 3, 0, 0, ACTIVE)})
        for nsid, zones in ((1, (0,)), (2, (4,)), (0xffffffff, (0, 4))):
            found = self.zones(*commands, manage(
                'reset', 0, 1, nsid=nsid, select_all=1), params=two)
            self.assertEqual([zone for zone in found if found[zone][2]],
                             list(zones))

    def test_failed_zones(self):
        self.assertEqual(self.zones(
            writes(0, 5), writes(1, 5), manage('offline', 2, 10),
            events=[(5, 'F,5,1,0,13'), (5, 'F,5,1,1,15'), (5, 'F,5,1,2,13')]), {
                0: (5, 5, 0, 0, READ_ONLY), 1: (5, 5, 0, 0, OFFLINE),
                2: (0, 0, 0, 0, OFFLINE)})

    def test_format(self):
        """It empties the zones, those that had failed are offline, and blocks
        have another size from then on."""
        self.assertEqual(self.zones(
            writes(0, 8), command(20, 1, 'write', 8 * ZONE, 8),
            events=[(5, 'F,5,1,3,13'), (9, 'N,9,1,512')]), {
                0: (8, 0, 0, 0, EMPTY), 1: (1, 1, 0, 0, ACTIVE),
                3: (0, 0, 0, 0, OFFLINE)})

    def test_power_cut(self):
        """What it leaves of the zones is not in the trace."""
        self.assertIsNone(self.read(trace(
            [writes(0, 8)], 100, None, [(9, 'O,9,3')])).zones)

    def test_random_write_area(self):
        """Blocks may be written again; a flush behind the last fills the
        zone."""
        again = [manage('open-zrwa', 0), writes(0, 8, 1), writes(0, 8, 2)]
        self.assertEqual(self.zones(*again), {0: (16, 8, 0, 0, ACTIVE)})
        self.assertEqual(
            self.zones(*again, command(3, 1, 'write', 8, CAPACITY - 8),
                       command(4, 1, 'flush-zrwa', CAPACITY - 2, 0)),
            {0: (56, 48, 0, 0, ACTIVE)})
        self.assertEqual(
            self.zones(*again, command(3, 1, 'write', 8, CAPACITY - 8),
                       command(4, 1, 'flush-zrwa', CAPACITY - 1, 0)),
            {0: (56, 48, 0, 0, FULL)})

    def test_shutdown(self):
        """Zones without data and extension are empty then."""
        down = command(9, 1, 'shutdown', 0, 0, nsid=0xffffffff)
        before = [manage('open', 0), manage('set-extension', 1),
                  writes(2, 1), manage('set-extension', 3),
                  manage('reset', 3), manage('open', 3)]
        self.assertEqual(self.zones(*before, down), {
            1: (0, 0, 0, 0, ACTIVE), 2: (1, 1, 0, 0, ACTIVE),
            3: (0, 0, 1, 0, EMPTY)})
        self.assertEqual(self.zones(manage('open-zrwa', 0), down,
                                    manage('open', 0, 10),
                                    writes(0, CAPACITY, 11)),
                         {0: (CAPACITY, CAPACITY, 0, 0, FULL)})

    def test_copies_write_what_their_ranges_have(self):
        text = trace([command(5, 1, 'copy', 2 * ZONE, 0)], 50).replace(
            'S,', 'R,0,3\nR,7,4\nS,')
        for block_bytes in (1, 9, 1000):
            zones = self.read(text, (), block_bytes).zones
            self.assertEqual(zones.written_bytes[2], 7 * BLOCK)

    def test_a_trace_that_does_not_say_where_zones_are(self):
        text = trace([writes(0, 5)], 50).replace('P,zone-size', 'P,zone-hat')
        self.assertIsNone(self.read(text).zones)


class PercentileTest(unittest.TestCase):
    """Of tenths of a per cent."""

    def test_one_of_a_thousand(self):
        for count, want in ((999, 999), (1000, 999), (1001, 1000), (1, 1)):
            latency = of_values(range(1, count + 1))
            self.assertEqual(latency.percentile_ns(99.9), want, count)
