# SPDX-License-Identifier: GPL-2.0-or-later
"""The search for parameters, on models that are formulas."""

import math
import unittest

from femu.validate import search


class Model:
    """points: {key: function of the parameters}; measured where they are
    TRUTH, each off by its NOISE, a factor."""

    def __init__(self, points, truth, noise=None):
        self.points = points
        self.measured = {key: one(*truth) * (noise or {}).get(key, 1)
                         for key, one in points.items()}
        self.asked = []

    def residuals(self, place, keys):
        self.asked.append(set(self.points if keys is None else keys))
        values = [math.exp(x) for x in place]
        return {key: math.log(self.points[key](*values) / self.measured[key])
                for key in self.asked[-1]}

    def search(self, start, factor=4):
        made = search.Search(
            self.residuals, [math.log(x) for x in start],
            [(math.log(x / factor), math.log(x * factor)) for x in start],
            lambda text: None)
        made.run()
        return made, [math.exp(x) for x in made.place]


# Two that are told by points of their own, and by sums; one that is hidden
# behind the greater of two.
POINTS = {'a': lambda a, b, c: a, 'a twice': lambda a, b, c: 2 * a + 1,
          'b': lambda a, b, c: b, 'sum': lambda a, b, c: a + b + c,
          'c at the end': lambda a, b, c: max(c, a / 100),
          'sum 2': lambda a, b, c: a + 5 * c}


class Searches(unittest.TestCase):
    def test_parameters_are_found_from_afar(self):
        for start in ((10, 10, 10), (30, 3, 60), (12, 1, 5)):
            made, found = Model(POINTS, (11, 4, 20)).search(start, 5)
            for value, truth in zip(found, (11, 4, 20)):
                self.assertAlmostEqual(value / truth, 1, 3)
            self.assertLess(made.error, 1e-4)
            self.assertTrue(all(one.is_known for one in made.known))

    def test_a_few_wrong_points_do_not_count(self):
        made, found = Model(POINTS, (11, 4, 20), {'a twice': 3}).search(
            (8, 8, 8))
        self.assertLess(abs(found[0] / 11 - 1), 0.01)
        self.assertGreater(made.error, 0.1)

    def test_what_no_point_tells_stays_and_is_called_unknown(self):
        points = {'a': lambda a, b: a, 'both': lambda a, b: a + 1e-6 * b}
        made, found = Model(points, (5, 7)).search((3, 2))
        self.assertAlmostEqual(found[0], 5, 3)
        self.assertAlmostEqual(found[1], 2)
        self.assertEqual([one.is_known for one in made.known], [True, False])

    def test_only_a_product_is_known(self):
        points = {'p%d' % i: lambda a, b, i=i: a * b * i for i in (1, 2, 3)}
        made, found = Model(points, (5, 7), {'p1': 1.1, 'p2': 0.9}).search(
            (6, 6))
        self.assertAlmostEqual(found[0] * found[1] / 35, 1, 1)

    def test_a_parameter_asks_only_what_moves_with_it(self):
        model = Model({'a': lambda a, b: a, 'b': lambda a, b: b}, (5, 7))
        model.search((3, 2))
        self.assertIn({'a'}, model.asked)
        self.assertIn({'b'}, model.asked)

    def test_it_ends_within_its_bounds(self):
        _, found = Model({'a': lambda a: a}, (100,)).search((10,), 2)
        self.assertAlmostEqual(found[0], 20)

    def test_it_stops_when_told(self):
        model = Model(POINTS, (11, 4, 20))
        ask, left = model.residuals, [3]

        def limited(place, keys):
            left[0] -= 1
            if left[0] < 0:
                raise StopIteration
            return ask(place, keys)

        model.residuals = limited
        made, found = model.search((10, 10, 10))
        self.assertEqual([round(x, 6) for x in found], [10, 10, 10])
        self.assertFalse(any(one.is_known for one in made.known))


if __name__ == '__main__':
    unittest.main()
