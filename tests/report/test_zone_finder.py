# SPDX-License-Identifier: GPL-2.0-or-later
"""What a zone-finder found, scored against a map that is known."""

import json
import os
import subprocess
import tempfile
import unittest

from femu.common.asked import SettingsError
from femu.zone_finder import drives, score

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
SIM = """#!/bin/sh
echo "$@" >"$0.argv"
printf 'zone,units\\n0,0 1\\n1,2 3\\n2,1 2\\n3,0 1\\n'
"""


class Score(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)

    def path(self, name, text):
        path = os.path.join(self._folder.name, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    def test_true_pairs(self):
        """One unit is enough, and zones that were not looked at are not."""
        sim = self.path('sim', SIM)
        os.chmod(sim, 0o755)
        self.assertEqual(score.true_pairs(sim, 'a.cfg', 'x=1 y=2', 4),
                         {(0, 2), (1, 2), (0, 3), (2, 3)})
        with open(sim + '.argv', encoding='utf-8') as file:
            self.assertEqual(file.read(), 'map --csv --config a.cfg '
                             '--set x=1 --set y=2\n')
        self.assertEqual(score.true_pairs(sim, 'a.cfg', '', 3),
                         {(0, 2), (1, 2)})
        with self.assertRaisesRegex(score.ScoreError, 'false map --csv'):
            score.true_pairs('/bin/false', 'a.cfg', '', 3)

    def test_what_is_wrong_counts(self):
        found = score.found_pairs(self.path('find.out', json.dumps(
            {'pairs': [[2, 0], [1, 3]]})))
        self.assertEqual(found, {(0, 2), (1, 3)})
        one = score.score(found, {(0, 2), (1, 2), (0, 1)}, 4)
        self.assertEqual(one, (1, 2, 3, 6))
        self.assertEqual(score.precision_pct(one), 50)
        self.assertAlmostEqual(score.recall_pct(one), 100 / 3)
        both = score.total([one, score.Score(8, 8, 7, 9)])
        self.assertEqual(both, (9, 10, 10, 15))
        nothing = score.score(set(), set(), 2)
        self.assertEqual((score.precision_pct(nothing),
                          score.recall_pct(nothing)), (100, 100))

    def test_sides(self):
        def side(count, rate, p99):
            return {'total_ios': count, 'bw_bytes': rate, 'clat_ns':
                    {'percentile': {'99.000000': p99}}}
        jobs = [{'read': side(9, 7, 5000), 'write': side(0, 0, 0)},
                {'read': side(0, 0, 0), 'write': side(5, 300, 0)},
                {'read': side(0, 0, 0), 'write': side(5, 200, 0)}]
        self.assertEqual(score.side_of(self.path('a', json.dumps(
            {'jobs': jobs}))), (500, 5))
        with self.assertRaisesRegex(score.ScoreError, 'no reads'):
            score.side_of(self.path('b', json.dumps({'jobs': jobs[1:]})))

    def test_drives(self):
        self.assertGreaterEqual(len(drives.ALL), 10)
        self.assertEqual([one.name for one in drives.chosen('mu-8 su-16')],
                         ['mu-8', 'su-16'])
        self.assertEqual(drives.chosen(''), list(drives.ALL))
        with self.assertRaisesRegex(SettingsError, 'ONLY=a: .* no drive a: '):
            drives.chosen('a')

    def test_command(self):
        done = subprocess.run(
            [os.path.join(TOP, 'scripts/zone-finder')], text=True,
            env={**os.environ, 'ONLY': 'none', 'FEMU_SIM': '/bin/true'},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, done.stderr.split(': there')[0]),
                         (1, 'zone-finder: error: ONLY=none'))


if __name__ == '__main__':
    unittest.main()
