# SPDX-License-Identifier: GPL-2.0-or-later
"""The search for parameters, on models that are formulas."""

import math
import random
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

    def search(self, start, factor=4, **options):
        made = search.Search(
            self.residuals, [math.log(x) for x in start],
            [(math.log(x / factor), math.log(x * factor)) for x in start],
            lambda text: None, **options)
        made.run()
        return made, [math.exp(x) for x in made.place]


# Two that are told by points of their own, and by sums; one that is hidden
# behind the greater of two.
POINTS = {'a': lambda a, b, c: a, 'a twice': lambda a, b, c: 2 * a + 1,
          'b': lambda a, b, c: b, 'sum': lambda a, b, c: a + b + c,
          'c at the end': lambda a, b, c: max(c, a / 100),
          'sum 2': lambda a, b, c: a + 5 * c}


SEED = 1
TRIALS = 100


def noisy(draw, points, parameters):
    """Return: a Model of so many POINTS, each a sum of PARAMETERS by weights
    that are drawn, off by 3 % on average; what is true of each parameter is 1.
    """
    made, noise = {}, {}
    for idx in range(points):
        weights = [draw.random() ** 3 + 0.01 for _ in range(parameters)]
        made[idx] = lambda *values, weights=weights: sum(
            map(lambda pair: pair[0] * pair[1], zip(weights, values)))
        noise[idx] = math.exp(draw.gauss(0, 0.03))
    return Model(made, (1,) * parameters, noise)


def covered(points, parameters):
    """Return: in how many percent of the cases in which a parameter is said to
    be known the truth is in its interval, and of all in how many it is."""
    draw, within = random.Random(SEED), []
    for _ in range(TRIALS):
        made, found = noisy(draw, points, parameters).search(
            [draw.uniform(0.7, 1.4) for _ in range(parameters)], 3)
        within += [abs(math.log(value)) <= one.width
                   for one, value in zip(made.known, found) if one.is_known]
    return 100 * sum(within) / max(1, len(within)), \
        100 * len(within) / TRIALS / parameters


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
        self.assertFalse(any(one.is_known for one in made.known))

    def test_intervals_have_the_truth_in_them(self):
        # (points, parameters): the least percent of intervals, and of cases in
        # which there is one.
        for case, known in {(4, 2): 50, (6, 3): 50, (10, 3): 90, (40, 3): 100,
                            (60, 8): 99}.items():
            with self.subTest(case=case, seed=SEED):
                within, told = covered(*case)
                self.assertGreater(within, 91)
                self.assertGreaterEqual(told, known)

    def test_as_many_points_as_parameters_tell_nothing_of_their_noise(self):
        made, _ = Model({'a': lambda a: a}, (5,)).search((4,))
        self.assertFalse(made.known[0].is_known)
        self.assertEqual([key for _, key in made.known[0].points], ['a'])

    def test_points_of_one_measurement_are_no_more_than_it(self):
        draw = random.Random(SEED)
        once = noisy(draw, 12, 2)
        thrice = Model({(idx, metric): one for idx, one in once.points.items()
                        for metric in range(3)}, (1, 1))
        for idx, metric in thrice.points:
            thrice.measured[idx, metric] = once.measured[idx]
        alone, _ = once.search((1.1, 0.9))
        made, _ = thrice.search((1.1, 0.9), measurement_of=lambda key: key[0])
        for one, other in zip(alone.known, made.known):
            self.assertGreaterEqual(other.width, 0.9 * one.width)

    def test_a_parameter_asks_only_what_moves_with_it(self):
        model = Model({'a': lambda a, b: a, 'b': lambda a, b: b}, (5, 7))
        model.search((3, 2))
        self.assertIn({'a'}, model.asked)
        self.assertIn({'b'}, model.asked)

    def test_it_ends_within_its_bounds(self):
        made, found = Model({'a': lambda a: a}, (100,)).search((10,), 2)
        self.assertAlmostEqual(found[0], 20)
        self.assertTrue(made.known[0].is_at_end)

    def test_what_is_at_the_end_of_its_range_is_not_known(self):
        # Most points are of others, so that the scatter is small.
        points = {'b%d' % i: lambda a, b, i=i: i * b for i in range(1, 20)}
        points.update({'a%d' % i: lambda a, b, i=i: i * a for i in (1, 2)})
        for truth in (100, 1):
            made, found = Model(points, (truth, 7)).search((10, 8), 2)
            self.assertAlmostEqual(found[0], 20 if truth == 100 else 5)
            self.assertEqual([one.is_known for one in made.known],
                             [False, True])

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
