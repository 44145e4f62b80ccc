# SPDX-License-Identifier: GPL-2.0-or-later
"""Of what time the busy shares are.

Knows nothing of the page.
"""

import unittest

from femu.results.device import Device
from femu.results.folder import Step
from femu.results.latency import of_values
from femu.results.operations import busy
from femu.results.programs import Fio, Group, Job, Side, ZoneOp

MS_NS = 1000000


def device(channel_ns, unit_ns, window_ns, dilation=1):
    """Return: a drive with one channel and one unit."""
    return Device(window_ns=window_ns, ops={}, senses=0, programs=0, erases=0,
                  channels=[channel_ns], units=[unit_ns], geometry={},
                  dilation=dilation, lateness=None, config=[])


def side(runtime_ms):
    """Return: a Side that ran for RUNTIME_MS of the guest's time."""
    return Side('read', 1, 4096, runtime_ms * MS_NS, None)


class BusyTest(unittest.TestCase):
    """Shares that have an exact value."""

    def shares(self, **parts):
        """Return: (of, channel's share, unit's share) of a step."""
        result = busy(Step('s', 'fio', **parts))
        return result.of, result.channels[0], result.units[0]

    def test_fio_groups_run_one_after_another(self):
        fio = Fio('', [Group('a', [side(10), side(30)]),
                       Group('b', [side(50)]), Group('c', [])], [])
        self.assertEqual(
            self.shares(fio=fio, device=device(MS_NS, 20 * MS_NS,
                                               100 * MS_NS)),
            ("of fio's run time", 1 / 80, 20 / 80))

    def test_what_fio_does_not_measure_of_jobs(self):
        """Its clock runs from the end of a ramp on, and of a delay."""
        for options, whole_ms in (({'ramp_time': '50ms'}, 80),
                                  ({'ramp_time': '1', 'startdelay': '10ms'},
                                   1040),
                                  ({'ramp_time': '50ms', 'reset_stats': '1'},
                                   30), ({'ramp_time': 'soon'}, 30)):
            fio = Fio('', [Group('a', [side(30)], (
                Job('a', [side(30)], [options]),))], [])
            self.assertEqual(
                self.shares(fio=fio, device=device(0, 20 * MS_NS,
                                                   2000 * MS_NS)),
                ("of fio's run time", 0, 20 / whole_ms))

    def test_zone_op(self):
        zone_op = ZoneOp('reset', of_values([3 * MS_NS, 5 * MS_NS]), [])
        self.assertEqual(
            self.shares(zone_op=zone_op, device=device(0, 4 * MS_NS,
                                                       100 * MS_NS)),
            ("of zone-op's time", 0, 0.5))

    def test_no_program_measured(self):
        for parts in ({}, {'zone_op': ZoneOp('reset', None, [])},
                      {'fio': Fio('', [Group('a', [side(0)])], [])}):
            self.assertEqual(
                self.shares(device=device(25, 50, 100), **parts),
                ('of the step', 0.25, 0.5))

    def test_the_guests_time_is_divided_by_the_dilation(self):
        fio = Fio('', [Group('a', [side(50)])], [])
        self.assertEqual(
            self.shares(fio=fio, device=device(0, MS_NS, 100 * MS_NS, 10)),
            ("of fio's run time", 0, 1 / 5))

    def test_never_more_than_all_of_it(self):
        # fio's run time is cut to whole ms: the drive may seem busy for more;
        # and rounded up it may seem longer than the drive has watched.
        fio = Fio('', [Group('a', [side(2)])], [])
        self.assertEqual(
            self.shares(fio=fio, device=device(2600000, 1300000, 10 * MS_NS)),
            ("of fio's run time", 1, 0.5))
        self.assertEqual(
            self.shares(fio=fio, device=device(MS_NS, 0, 1500000)),
            ("of fio's run time", 1 / 1.5, 0))

    def test_the_drive_did_not_tell(self):
        self.assertIsNone(busy(Step('s', 'fio')))
        self.assertIsNone(busy(Step('s', 'fio', device=device(0, 0, 0))))
