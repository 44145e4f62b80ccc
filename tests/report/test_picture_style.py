# SPDX-License-Identifier: GPL-2.0-or-later
"""Curves and axes: that curves can be told apart, where marks are and what they
say.

Knows nothing of the points that are drawn.
"""

import unittest

from femu import figure_plots, picture_style, report_svg


def marks(axis):
    """Return: the texts of an axis's marks."""
    low, high = sorted(axis.get_view_interval())
    places = [place for place in axis.get_major_locator()()
              if low <= place <= high]
    return [axis.get_major_formatter()(place) for place in places]


class PictureStyleTest(unittest.TestCase):
    """Everything is drawn on an empty figure."""

    def setUp(self):
        self.axes = report_svg.figure(4, 3).add_subplot()

    def counts(self, places):
        """Return: the marks of an axis of counts with curves at PLACES."""
        self.axes.plot(places, places)
        picture_style.count_axis(self.axes, places)
        return marks(self.axes.xaxis)

    def values(self, values, text=picture_style.time_us):
        """Return: the marks of an axis of VALUES."""
        picture_style.value_axis(self.axes, 'y', values, text)
        return marks(self.axes.yaxis)

    def test_a_colour_tells_its_variable(self):
        colours = report_svg.COLOUR
        self.assertEqual(len(set(colours.values())), len(colours))
        self.assertLessEqual(set(picture_style.COLOURS), set(colours))

    def test_curves_differ_in_more_than_colour(self):
        looks = [picture_style.look(idx, 8) for idx in range(8)]
        for what, expected in (('color', 7), ('marker', 8), ('linestyle', 5),
                               ('linewidth', 8)):
            self.assertEqual(len({look[what] for look in looks}), expected)

    def test_later_curves_leave_earlier_ones_their_edges(self):
        looks = [picture_style.look(idx, 3) for idx in range(3)]
        self.assertEqual([look['linewidth'] for look in looks],
                         [picture_style.WIDEST_PT,
                          (picture_style.WIDEST_PT
                           + picture_style.NARROWEST_PT) / 2,
                          picture_style.NARROWEST_PT])
        self.assertEqual(picture_style.look(0, 1)['linewidth'],
                         picture_style.WIDEST_PT)

    def test_measured_points_are_empty_and_larger(self):
        look = picture_style.look(2, 3)
        hollow = picture_style.hollow(look)
        self.assertEqual((hollow['fillstyle'], hollow['linestyle']),
                         ('none', 'none'))
        self.assertGreater(hollow['markersize'], look['markersize'])
        self.assertEqual((hollow['marker'], hollow['color']),
                         (look['marker'], look['color']))

    def test_queue_depths_double(self):
        self.assertEqual(self.counts([1, 2, 4, 8, 16, 32, 64]),
                         ['1', '2', '4', '8', '16', '32', '64'])
        self.assertEqual(self.axes.get_xscale(), 'log')

    def test_many_queue_depths_leave_marks_out(self):
        self.assertEqual(self.counts([1, 3, 1024]),
                         ['1', '4', '16', '64', '256', '1,024'])

    def test_writers_are_counted(self):
        self.assertEqual(self.counts([1, 2, 3, 7]), ['1', '2', '3', '7'])
        self.assertEqual(self.axes.get_xscale(), 'linear')

    def test_counts_from_0(self):
        self.assertEqual(self.counts([0, 4, 8, 16]), ['0', '4', '8', '16'])
        self.assertEqual(self.axes.get_xscale(), 'linear')

    def test_times_have_units_not_powers(self):
        self.assertEqual(self.values([10, 100, 10000]),
                         ['10 µs', '100 µs', '1 ms', '10 ms'])

    def test_what_differs_little_starts_at_0(self):
        self.assertEqual(self.values([95, 100])[0], '0')
        self.assertEqual(self.axes.get_ylim(), (0, 1.1 * 100))

    def test_no_values(self):
        self.values([])
        self.values([0])

    def test_numbers(self):
        self.assertEqual([picture_style.number(value) for value in (
            0.5, 12.34, 999, 12345.6)], ['0.5', '12.3', '999', '12,346'])

    def test_legends_say_what_published_names_mean(self):
        for part, series, text in (
                ('10a', '100', 'without finish'),
                ('10b', '50-16', 'finish at 50 %, 16 KiB at a time'),
                ('11b', '50', 'reset at 50 %'),
                ('8', 'zinc 0 %', 'zinc, without reset'),
                ('8', 'zinc', 'zinc'), ('wear', 'direct', 'direct')):
            self.assertEqual(figure_plots.name_of(part, series), text)
