# SPDX-License-Identifier: GPL-2.0-or-later
"""A run in real time whose host came late says so.

Knows nothing of how lateness is measured.
"""

from fixture import MS_NS, device, device_op, step
from case import ReportCase

from femu.results import late

# A host that is late by 1 us, and by 2 ms for some of 100 reads of 80 us.
ON_TIME_NS, LATE_NS, READ_NS = 1000, 2000000, 80000


def reads(late_count, clock='host', dilation=1, **more):
    """Return: a step of 100 reads, of which so many were late, and MORE of the
    drive's statistics."""
    lateness = device_op([ON_TIME_NS] * (100 - late_count) +
                         [LATE_NS] * late_count)
    return step('reads', 'command', 'x', {'device': device(
        {'read': device_op([READ_NS] * 100)}, [0], [0], 100 * MS_NS,
        time_dilation=dilation,
        lateness={**lateness, 'clock': clock, 'p99_ns': LATE_NS}, **more)})


class LateTest(ReportCase):
    """Numbers chosen by hand."""

    def assert_notes(self, made, *texts):
        """The table of a run of the step MADE has these texts."""
        table = '\n'.join(self.make_well(made))
        self.assertEqual('the host came late' in table, bool(texts))
        for text in texts:
            self.assertIn(text, table)

    def test_late(self):
        self.assert_notes(
            reads(30), "step reads: the host came late: 30 % of the drive's "
            '100 completions by more than a tenth of its mean latency, 80.0 us; '
            'the 99th percentile is 2000.0 us. DILATION=300 would make that')

    def test_a_thread_would_help(self):
        self.assert_notes(reads(30), 'small, or IOTHREAD=1 and a core of the '
                          'host for it and each processor of the guest')

    def test_a_core_for_the_thread_would_help(self):
        self.assert_notes(
            reads(30, rounds={'count': 1, 'lock_ns': 1, 'drive_ns': 1,
                              'take_ns': 1, 'ring_ns': 1}),
            "small, or a core of the host for the drive's thread and each "
            'processor of the guest')

    def test_few_are_tolerated(self):
        self.assert_notes(reads(1))

    def test_no_more_are_tolerated(self):
        self.assert_notes(reads(2), ': 2 % of')

    def test_dilation_makes_it_small(self):
        self.assert_notes(reads(30, dilation=252))

    def test_less_dilation_does_not(self):
        self.assert_notes(reads(30, dilation=240), ': 30 % of')

    def test_virtual_time_has_no_host(self):
        self.assert_notes(reads(30, clock='virtual'))

    def test_dilation_that_is_needed(self):
        self.assertEqual([late.needed(late_ns, 80000) for late_ns in (
            0, 1, 8000, 8001, 80000, 80001, 2000000)],
                         [1, 1, 1, 2, 10, 20, 300])
