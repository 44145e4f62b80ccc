# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest table: its points, what counts as a difference, its cells.

Knows nothing of guests.
"""

import csv
import os
import unittest

from femu.guest_table import experiments, runs, tables
from femu.measured import files

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.realpath(__file__))))
DATA = os.path.join(TOP, 'tests', 'data', 'zn540')
POINTS = os.path.join(DATA, 'points.csv')
HOST = {**files.read_host(os.path.join(DATA, 'host.json')),
        'polled': {'parts': ['io', 'occupancy'], 'ns': 600, 'spread_ns': 0,
                   'between_ns': 0}}
# Kept back from the file, and yet worth a row.
NOT_MEASURED = {'finish-75', 'reset-50', 'reset-75'}


def all_points():
    """Return: every point."""
    return [point for group in experiments.groups(HOST)
            for point in group.points]


def row_of(name, measured, device, guest, model=None):
    """Return: the Row of a point with these figures."""
    point = next(one for one in all_points() if one.name == name)
    row = runs.Row(point, measured, HOST)
    row.device, row.guest, row.model = device, guest, model or device
    return row


class PointsTest(unittest.TestCase):
    """Which experiments are repeated in the guest."""

    def test_points_are_measured(self):
        with open(POINTS, encoding='utf-8') as file:
            names = {row['id'] for row in csv.DictReader(file)}
        missing = {point.name for point in all_points()
                   if point.exp.name not in names}
        self.assertEqual(missing, NOT_MEASURED)

    def test_every_kind_is_there(self):
        names = [point.name for point in all_points()]
        self.assertEqual(len(names), len(set(names)))
        for start in ('write-4k-qd1', 'append-4k-qd1', 'read-4k-qd1',
                      'read-4k-qd128', 'write-4k-8zones', 'append-4k-qd16',
                      'finish-75', 'reset-100', 'finish-beside-read-qd'):
            self.assertTrue(any(name.startswith(start) for name in names),
                            start)

    def test_a_point_has_its_step(self):
        for group in experiments.groups(HOST):
            job = group.job()
            for point in group.points:
                self.assertEqual(job.count('step %s ' % point.name), 1)
                self.assertEqual(point.dilation, group.dilation)

    def test_prefill_gives_whole_blocks(self):
        """zns-load takes millionths of the capacity, rounded down."""
        for percent, blocks in ((0.000362697, 1), (99.9996, 275711),
                                (25, 68928), (50, 137856), (100, 275712)):
            option = experiments.prefill(percent)
            ppm = round(float(option[len(' --prefill='):-1]) * 10000)
            self.assertEqual(experiments.ZONE_LBA * ppm // 1000000, blocks)
        self.assertEqual(experiments.prefill(0), '')

    def test_only_some(self):
        groups = experiments.chosen(HOST, ['reset-25', 'read-4k-qd32'])
        self.assertEqual([[point.name for point in group.points]
                          for group in groups],
                         [['read-4k-qd32'], ['reset-25']])
        with self.assertRaises(KeyError):
            experiments.chosen(HOST, ['reset-26'])


class DifferenceTest(unittest.TestCase):
    """Every number and text that is not the same counts."""

    def test_the_same(self):
        one = {'a': [1, {'b': 2}], 'c': 'x'}
        self.assertEqual(runs.difference_count(one, dict(one)), 0)

    def test_one_nanosecond(self):
        self.assertEqual(runs.difference_count(
            {'ops': {'read': {'sum_ns': 5, 'histogram': [[1, 2], [3, 4]]}}},
            {'ops': {'read': {'sum_ns': 6, 'histogram': [[1, 2], [3, 5]]}}}),
            2)

    def test_what_only_one_has(self):
        self.assertEqual(runs.difference_count(
            {'a': 1, 'b': [1, 2, 3]}, {'b': [1], 'c': 2}), 4)


class CellsTest(unittest.TestCase):
    """The figures of a row, and the last line."""

    def test_row(self):
        """The error of a latency has the 0.6 us of the measuring host in it.
        """
        row = row_of('append-4k-qd4', {'kiops': 132.0, 'mean_us': 30.0},
                     {'kiops': 133.32, 'mean_us': 29.4, 'p50_us': 29.0},
                     {'kiops': 133.3, 'mean_us': 29.75, 'p50_us': 29.1})
        self.assertEqual(tables.lines_of(row), [
            ['append-4k-qd4', '30', 'kIOPS', '132.0', '133.3', '+1.0 %',
             '133.3', '133.3', '', '0'],
            ['', '', 'mean, us', '30.00', '29.40', '+0.0 %', '29.40', '29.75',
             '0.350', '']])
        self.assertEqual(tables.summary([row], 0),
                         'guest: 1 points, device against drive mean error '
                         '0.5 %, 0 differences between device and simulator')

    def test_differences_add_up(self):
        row = row_of('finish-75', {}, {'mean_us': 12345.6},
                     {'mean_us': 12356.0})
        row.differences = 2
        self.assertEqual(tables.lines_of(row), [
            ['finish-75', '1', 'mean, us', '-', '12346', '-', '12346',
             '12356', '10.40', '2']])
        self.assertEqual(tables.summary([row], 3),
                         'guest: 1 points, device against drive mean error '
                         '-, 5 differences between device and simulator')


if __name__ == '__main__':
    unittest.main()
