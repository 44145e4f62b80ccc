# SPDX-License-Identifier: GPL-2.0-or-later
"""Curves and axes: that curves can be told apart, where marks are and what they
say.

Knows nothing of the points that are drawn.
"""

import unittest

import matplotlib

from femu.drawing import plot_style, svg
from femu.figures import plots
from femu.interference import heat_map


def light(colour):
    """Return: the relative luminance of a colour, as WCAG has it."""
    linear = [part / 12.92 if part <= 0.04045
              else ((part + 0.055) / 1.055) ** 2.4
              for part in matplotlib.colors.to_rgb(colour)]
    return sum(factor * part for factor, part in zip(
        (0.2126, 0.7152, 0.0722), linear))


def contrast(one, two):
    """Return: the contrast of two colours, 1 to 21."""
    dark, bright = sorted((light(one), light(two)))
    return (bright + 0.05) / (dark + 0.05)


def marks(axis):
    """Return: the texts of an axis's marks."""
    low, high = sorted(axis.get_view_interval())
    places = [place for place in axis.get_major_locator()()
              if low <= place <= high]
    return [axis.get_major_formatter()(place) for place in places]


class PictureStyleTest(unittest.TestCase):
    """Everything is drawn on an empty figure."""

    def setUp(self):
        self.axes = svg.figure(4, 3).add_subplot()

    def counts(self, places):
        """Return: the marks of an axis of counts with curves at PLACES."""
        self.axes.plot(places, places)
        plot_style.count_axis(self.axes, places)
        return marks(self.axes.xaxis)

    def values(self, values, text=plot_style.time_us):
        """Return: the marks of an axis of VALUES."""
        plot_style.value_axis(self.axes, 'y', values, text)
        return marks(self.axes.yaxis)

    def test_a_colour_tells_its_variable(self):
        colours = svg.COLOUR
        self.assertEqual(len(set(colours.values())), len(colours))
        self.assertLessEqual(set(plot_style.COLOURS), set(colours))

    def test_curves_differ_in_more_than_colour(self):
        looks = [plot_style.look(idx, 8) for idx in range(8)]
        for what, expected in (('color', 7), ('marker', 8), ('linestyle', 5),
                               ('linewidth', 8)):
            self.assertEqual(len({look[what] for look in looks}), expected)

    def test_later_curves_leave_earlier_ones_their_edges(self):
        looks = [plot_style.look(idx, 3) for idx in range(3)]
        self.assertEqual([look['linewidth'] for look in looks],
                         [plot_style.WIDEST_PT,
                          (plot_style.WIDEST_PT
                           + plot_style.NARROWEST_PT) / 2,
                          plot_style.NARROWEST_PT])
        self.assertEqual(plot_style.look(0, 1)['linewidth'],
                         plot_style.WIDEST_PT)

    def test_measured_points_are_empty_and_larger(self):
        look = plot_style.look(2, 3)
        hollow = plot_style.hollow(look)
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
        self.assertEqual([plot_style.number(value) for value in (
            0.5, 12.34, 999, 12345.6)], ['0.5', '12.3', '999', '12,346'])

    def test_legends_say_what_published_names_mean(self):
        for part, series, text in (
                ('10a', '100', 'without finish'),
                ('10b', '50-16', 'finish at 50 %, 16 KiB at a time'),
                ('11b', '50', 'reset at 50 %'),
                ('8', 'zinc 0 %', 'zinc, without reset'),
                ('8', 'zinc', 'zinc'), ('wear', 'direct', 'direct')):
            self.assertEqual(plots.name_of(part, series), text)

    def test_texts_can_be_read_on_every_cell_of_the_heat_map(self):
        cells = matplotlib.colormaps[heat_map.COLOURS]
        self.assertEqual([percent for percent in range(101) if contrast(
            cells(percent / 100),
            heat_map.text_colour(percent / 100)) < 4], [])

    def test_texts_can_be_read_on_the_page(self):
        colour = svg.COLOUR
        for text in ('ink', 'muted', 'device', 'ok', 'warn', 'bad'):
            self.assertGreaterEqual(contrast(colour[text], colour['paper']),
                                    4.5, text)
