# SPDX-License-Identifier: GPL-2.0-or-later
"""What the headline of a sample of the points is when a parameter is 20 % off,
or when a mechanism is not there. Runs are kept in a file, and are good as long
as the drive as it is gives what it gave.

Knows nothing of what is printed of them.
"""

import csv
import os
import re

from femu.common.csv_file import rows_of
from femu.validate import compare

STEP = 8     # of the points of each part, each 8th experiment
OFF = 0.2
AS_IS = 'as it is'
FIELDS = ('change', 'throughput', 'mean', 'median', 'p95', 'skipped')
# What the drive's Identify says, and what follows from it.
IDENTIFIED = ('zones', 'zone-size', 'zone-capacity', 'lba-size', 'max-open',
              'max-active', 'mdts')
SETTING = re.compile(r'^\s+([a-z][a-z0-9-]*) = "([^"]*)"', re.M)
NUMBER = re.compile(r'(\d+)([KMG]?)')
# Mechanisms, and what switches each off.
MECHANISMS = (
    ('two kinds of pages', 'slow-pages=0'),
    ('registers that keep a page', 'register-read-ns=0'),
    ('read-ahead', 'read-ahead=0'),
    ('suspension of programs', 'program-suspend=off'),
    ('two programs inside a die', 'program-registers=1'),
    ('programs issued one by one', 'program-issue-ns=0'),
    ('dies that differ', 'program-spread=0'),
    ('stripes that differ', 'stripe-spread=0'),
    ('work after the hand-off', 'fe-after=0'),
    ('parts of what is sensed', 'link-part-ns=0'),
    ('room comes back page by page', 'buffer-release-ns=0'),
    ('a front end that waits longer', 'buffer-resume=22'),
    ("a zone's share of the buffer", 'zone-buffer=8640K'),
    ('read slots', 'read-slots=0'),
    ('a reset drains', 'reset-drains=off reset-drain-first=off'),
    ('a drain goes first', 'reset-drain-first=off'),
    ('a reset locks', 'reset-lock-ns=0'),
    ('blocks of 512 bytes', 'fe-part-ns=0 fe-lba512-ns=0 fixed-lba512-ns=0'),
)


def settings_of(config):
    """Return: {name: text} of what a configuration sets below Identify."""
    with open(config, encoding='utf-8') as file:
        return {name: text for name, text in SETTING.findall(file.read())
                if name not in IDENTIFIED + ('driver',)}


def off_by(text, factor):
    """Return: a number as text, FACTOR times as much; None if it is none, or
    cannot be that little off."""
    found = NUMBER.fullmatch(text)
    if not found or not int(found[1]):
        return None
    number = int(found[1])
    made = round(number * factor)
    if made == number:
        made += 1 if factor > 1 else -1
    return '%d%s' % (made, found[2]) if made else None


def wanted(config):
    """Return: the changes, as SET= has them."""
    made = [words for _, words in MECHANISMS]
    for name, text in settings_of(config).items():
        for factor in (1 - OFF, 1 + OFF):
            value = off_by(text, factor)
            if value is not None:
                made.append('%s=%s' % (name, value))
    return made


def sample_of(experiments):
    """Return: each STEP-th experiment of every part."""
    by_part = {}
    for exp in experiments:
        by_part.setdefault(exp.part, []).append(exp)
    return [exp for mine in by_part.values() for exp in mine[::STEP]]


def headline(sim, sample, host, config, change):
    """Return: a row of FIELDS; the errors of the sample with a change."""
    for exp in sample:
        exp.model, exp.spread = {}, {}
    settings = dict(word.split('=', 1) for word in change.split()) \
        if change != AS_IS else {}
    skipped = compare.simulate(sim, sample, host, config, 1, settings,
                               'evidence: ' + change)
    errors = compare.counted(compare.errors_of(sample))
    reason = next(iter(skipped), '').replace(os.path.abspath(config) + ': ', '')
    row = {'change': change, 'skipped': reason}
    for kind, metrics in compare.KINDS.items():
        value = compare.mean_abs([e for e in errors if e.metric in metrics])
        row[kind] = '' if value is None else '%.3f' % value
    return row


class Runs:
    """The changes that were run, in a file; MARK says of which drive and
    points. Those of others are forgotten."""

    def __init__(self, path, mark):
        self.path = path
        self.mark = mark
        self.rows = {row['change']: row for row in rows_of(path)} \
            if os.path.exists(path) else {}
        if self.rows.get(AS_IS, {}).get('skipped') != mark:
            self.rows = {}

    def write(self):
        """Writes them all."""
        with open(self.path, 'w', encoding='utf-8', newline='') as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator='\n')
            writer.writeheader()
            writer.writerows(self.rows.values())

    def fill(self, sim, experiments, host, config, most):
        """Runs what is missing, at MOST so many changes; all is missing if
        the drive as it is gives something else."""
        sample = sample_of(experiments)
        as_is = dict(headline(sim, sample, host, config, AS_IS),
                     skipped=self.mark)
        if self.rows.get(AS_IS) != as_is:
            self.rows = {AS_IS: as_is}
        for change in wanted(config):
            if change not in self.rows and most > 0:
                self.rows[change] = headline(sim, sample, host, config, change)
                self.write()
                most -= 1

    def moved(self, change):
        """Return: by how much the change moves each kind of error, in points;
        None if it was not run, or the drive does not allow it."""
        row = self.rows.get(change)
        if not row or row['skipped']:
            return None
        return {kind: float(row[kind]) - float(self.rows[AS_IS][kind])
                for kind in compare.KINDS}
