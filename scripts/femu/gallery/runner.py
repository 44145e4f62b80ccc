# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the rows of the gallery, each unless what it came to is kept.

Knows nothing of how experiments are simulated, and of what commands do.
"""

import os
import re
import subprocess
import time

from femu.common.csv_file import rows_of
from femu.common.paths import TOP, shown
from femu.common.simulator import FAILURES
from femu.gallery import heat, kept, measured
from femu.gallery.compared import Outcome, Value, number
from femu.gallery.rows import numbers_of
from femu.measured import files

FIGURES_INPUTS = ('configs/*.cfg', 'tests/data/confznspp/*',
                  'tests/data/confzns/*', 'scripts/figures')
PLAN_INPUTS = ('plans/%s.toml', 'plans/*.fio', 'configs/*.cfg',
               'scripts/femu/sweep/*.py')
PASSED = ('PATH', 'HOME', 'TMPDIR', 'QEMU', 'GUEST', 'LOCK', 'FEMU_SIM',
          'STATES', 'STATES_MIB')


class RowError(Exception):
    """A row has no outcome; says why."""


def said_of(measure, points):
    """Return: what a row's MEASURE says of a sweep's POINTS, as a text."""
    points = [one for one in points if all(
        one[name] == str(value)
        for name, value in measure.get('where', {}).items())]
    if not points:
        raise RowError('no point of the sweep is as its where')
    groups = {}
    for one in points:
        groups.setdefault(one[measure['by']], []).append(one)
    texts = []
    for name, mine in groups.items():
        found = [float(one[measure['metric']]) for one in mine]
        texts.append('%s %s' % (name, ' '.join(map(number, found))
                                if 'over' not in measure else
                                '%.2f' % (found[-1] / found[0])))
    over = measure.get('over')
    return '%s%s: %s' % (measure['metric'], ' of %s %s / %s' % (
        over, points[-1][over], points[0][over]) if over else '',
        ', '.join(texts))


class Runner:
    """Rows' outcomes, run with the simulator SIM, kept in the folder OUT."""

    def __init__(self, sim, out_dir):
        self._sim = sim
        self._out = out_dir
        self._bench = measured.Bench(sim)
        self._digests = kept.Digests()
        self._ran = {}          # {words: (the first row, lines, seconds)}

    def picture_of(self, row):
        """Return: the path of a row's picture, without its ending."""
        return os.path.join(self._out, row.key)

    def outcome(self, row):
        """Return: (the Outcome of a ROW, whether it was kept)."""
        try:
            mark = kept.mark_of(self._digests, self._sim, row.members,
                                self._inputs(row), row.guest)
            found = kept.read(self._out, row.key, mark)
            if found:
                return found, True
            start = time.monotonic()
            made = getattr(self, '_' + row.kind)(row)
            made.seconds = made.seconds or time.monotonic() - start
        except (RowError, kept.KeptError, measured.MeasuredError,
                files.InputError, *FAILURES) as error:
            return Outcome(failed=str(error)), False
        kept.write(self._out, row.key, mark, made)
        return made, False

    def _inputs(self, row):
        """Return: patterns of the files that a row hangs on."""
        return {'points': measured.inputs_of, 'why': lambda _: (),
                'figures': lambda _: FIGURES_INPUTS,
                'heat': lambda _: (measured.DATA + '/points.csv',
                                   measured.DATA + '/host.json',
                                   measured.CONFIG),
                'plan': lambda row: [name.replace('%s', row.plan)
                                     for name in PLAN_INPUTS],
                'run': lambda row: row.inputs or ()}[row.kind](row)

    def _points(self, row):
        return Outcome(measured.values(self._bench, row,
                                       self.picture_of(row)))

    def _heat(self, row):
        return Outcome(heat.values(self._bench, self.picture_of(row)))

    def _figures(self, row):
        out = self.picture_of(row)
        self._found(row, self._command(row, ['scripts/figures'], {
            'FIGURES': row.figures, 'OUT': out, 'FEMU_SIM': self._sim}),
            '^figures: ')
        return Outcome([Value(one['metric'], one['theirs'], one['ours'])
                        for one in rows_of(os.path.join(out, 'points.csv'))
                        if one['theirs']])

    def _plan(self, row):
        out = self.picture_of(row)
        self._found(row, self._command(row, ['scripts/sweep'], {
            'PLAN': 'plans/%s.toml' % row.plan, 'OUT': out,
            'FEMU_SIM': self._sim}), '^sweep: .* 0 failed')
        return Outcome(said=said_of(row.measure, rows_of(
            os.path.join(out, 'points.csv'))))

    def _run(self, row):
        """Rows of one command have one run of it."""
        words = tuple(row.run)
        if words not in self._ran:
            start = time.monotonic()
            plain, env = list(words), {}
            while '=' in plain[0]:
                name, _, value = plain.pop(0).partition('=')
                env[name] = value
            self._ran[words] = (row, self._command(row, plain, env),
                                time.monotonic() - start)
        first, lines, seconds = self._ran[words]
        found = self._found(first, lines, row.says)
        if not row.published:
            return Outcome(said=' '.join(
                (found[1] if found.re.groups else found.string).split()),
                           seconds=seconds)
        return Outcome([Value(metric, theirs, ours)
                        for (metric, theirs), ours in zip(
                            numbers_of(row.published), found.groups())],
                       seconds=seconds)

    @staticmethod
    def _why(_row):
        return Outcome()

    def _log_of(self, row):
        return os.path.join(self._out, row.key + '.log')

    def _command(self, row, words, env):
        """Runs a command of ours. Return: its lines."""
        log = self._log_of(row)
        left = {name: os.environ[name] for name in PASSED
                if os.environ.get(name)}
        with open(log, 'w', encoding='utf-8') as file:
            done = subprocess.run(
                [os.path.join(TOP, words[0])] + words[1:], cwd=TOP,
                env={**left, **env}, stdin=subprocess.DEVNULL, stdout=file,
                stderr=subprocess.STDOUT, check=False)
        with open(log, encoding='utf-8', errors='replace') as file:
            lines = file.read().splitlines()
        if done.returncode != 0:
            raise RowError('%s failed: %s (%s)' % (
                words[0], (lines or ['says nothing'])[-1], shown(log)))
        return lines

    def _found(self, row, lines, says):
        """Return: how SAYS fits the last of a command's LINES that it fits."""
        found = [match for match in (re.search(says, line) for line in lines)
                 if match]
        if not found:
            raise RowError('%s says nothing like "%s" (%s)' % (
                row.typed, says, shown(self._log_of(row))))
        return found[-1]
