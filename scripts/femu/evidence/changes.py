# SPDX-License-Identifier: GPL-2.0-or-later
"""The errors of the model on a sample of the measured points when a parameter
is changed by 20 %, or when a mechanism of the model is switched off. Runs are
kept in a file. They are valid as long as the unchanged model gives the same
errors as when they were made.

Knows nothing of how the errors are printed.
"""

import csv
import hashlib
import os
import re

from femu.common import whole_file
from femu.common.csv_file import rows_of
from femu.common.simulator import SimError
from femu.validate import compare

STEP = 8     # each 8th experiment of each part is in the sample
OFF = 0.2
FLAT_POINTS = 0.1
AS_IS = 'as it is'
FIELDS = ('change', 'throughput', 'mean', 'median', 'p95', 'skipped')
# Settings that no point of the sample can tell: none has a conventional
# namespace, or reads one block after another. Other runs stay valid with them.
UNTOLD = ('conventional-', 'read-ahead')
# Given by the drive's Identify data, or following from it: never changed.
IDENTIFIED = ('zones', 'zone-size', 'zone-capacity', 'lba-size', 'max-open',
              'max-active', 'mdts')
SETTING = re.compile(r'^\s+([a-z][a-z0-9-]*) = "([^"]*)"', re.M)
NUMBER = re.compile(r'(\d+)([KMG]?)')
# Mechanisms of the model, and the settings that switch each of them off.
MECHANISMS = (
    ('two kinds of pages', 'slow-pages=0'),
    ('registers that keep a page', 'register-read-ns=0'),
    ('read-ahead', 'read-ahead=0'),
    ('suspension of programs', 'program-suspend=off'),
    ('programs that rest from reads', 'suspend-rest-ns=0'),
    ('two programs inside a die', 'program-registers=1'),
    ('programs issued one by one', 'program-issue-ns=0'),
    ('dies that wait for each other', 'own-program-after=0'),
    ('dies that differ', 'program-spread=0'),
    ('stripes that differ', 'stripe-spread=0'),
    ('work after the hand-off', 'fe-after=0'),
    ('work on what has arrived',
     'fe-write-arrived-ns=0 fe-append-arrived-ns=0'),
    ('commands of reads', 'sense-command-ns=0'),
    ('lists of pages', 'read-lists=0'),
    ('room comes back page by page', 'buffer-release-ns=0'),
    ('a front end that waits longer', 'buffer-resume=22'),
    ("a zone's share of the buffer", 'zone-buffer=8640K'),
    ('read slots', 'read-slots=0 read-lists=0'),
    ('a reset drains', 'reset-drains=off reset-drain-first=off'),
    ('a drain goes first', 'reset-drain-first=off'),
    ('a reset locks', 'reset-lock-ns=0'),
    ('blocks of 512 bytes', 'fe-part-ns=0 fe-lba512-ns=0 fixed-lba512-ns=0 '
                            'fe-lba512-read-ns=0'),
)


def settings_of(config):
    """Return: {name: text} of a configuration's settings but IDENTIFIED."""
    with open(config, encoding='utf-8') as file:
        return {name: text for name, text in SETTING.findall(file.read())
                if name not in IDENTIFIED + ('driver',)}


def mark_of(config, digest_of_points):
    """Return: what changes when the points do, or a setting that they can
    tell."""
    with open(config, encoding='utf-8') as file:
        told = ['%s=%s' % setting for setting in SETTING.findall(file.read())
                if not setting[0].startswith(UNTOLD)]
    made = hashlib.sha256(digest_of_points.encode())
    made.update('\n'.join(sorted(told)).encode())
    return made.hexdigest()[:16]


def off_by(text, factor):
    """Return: the number TEXT multiplied by FACTOR, as text, changed by 1 at
    least; None if TEXT is no number above 0, or the result is 0."""
    found = NUMBER.fullmatch(text)
    if not found or not int(found[1]):
        return None
    number = int(found[1])
    made = round(number * factor)
    if made == number:
        made += 1 if factor > 1 else -1
    return '%d%s' % (made, found[2]) if made else None


def wanted(config):
    """Return: all changes to try, each written as for SET=."""
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


def row_of(sample, change, skipped):
    """Return: a row of FIELDS: the mean errors that the SAMPLE has now."""
    errors = compare.counted(compare.errors_of(sample))
    row = {'change': change, 'skipped': skipped}
    for kind, metrics in compare.KINDS.items():
        value = compare.mean_abs([e for e in errors if e.metric in metrics])
        row[kind] = '' if value is None else '%.3f' % value
    return row


def headline(sim, sample, host, config, change):
    """Return: a row of FIELDS: the sample's mean errors with a change, or why
    the drive refuses it.

    Raises SimError if something else than the drive refuses a run: such a row
    would be kept, and be wrong in the next run, too.
    """
    for exp in sample:
        exp.model, exp.spread = {}, {}
    settings = dict(word.split('=', 1) for word in change.split()) \
        if change != AS_IS else {}
    skipped = compare.simulate(sim, sample, host, config, 1, settings,
                               'evidence: ' + change)
    refusal = os.path.abspath(config) + ': '
    for reason in skipped:
        if change == AS_IS or not reason.startswith(refusal):
            raise SimError('%s: %s' % (change, reason))
    reason = next(iter(skipped), '').removeprefix(refusal)
    return row_of(sample, change, reason)


class Runs:
    """The changes that were run, kept in a file. MARK is mark_of() the drive and
    the points; runs with another mark are dropped."""

    def __init__(self, path, mark):
        self.path = path
        self.mark = mark
        self.rows = {row['change']: row for row in rows_of(path)} \
            if os.path.exists(path) else {}
        if self.rows.get(AS_IS, {}).get('skipped') != mark:
            self.rows = {}

    def write(self):
        """Writes all runs to the file."""
        with whole_file.replacing(self.path) as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator='\n')
            writer.writeheader()
            writer.writerows(self.rows.values())

    def check(self, as_is):
        """Forgets all runs if AS_IS, the row of the unchanged model, is not
        theirs. Return: whether there was any."""
        if self.rows.get(AS_IS) == as_is:
            return False
        had = bool(self.rows)
        self.rows = {AS_IS: as_is}
        return had

    def fill(self, sim, experiments, host, config, most):
        """Runs the changes that are missing, at MOST so many. If the unchanged
        model gives other errors than before, all are run anew."""
        sample = sample_of(experiments)
        self.check(dict(headline(sim, sample, host, config, AS_IS),
                        skipped=self.mark))
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


def judged(runs, settings):
    """Return: which of the SETTINGS, {name: text}, are flat, which could not be
    judged, and of how many neither change was run."""
    flat, missing, not_run = [], [], 0
    for name, text in settings.items():
        values = [off_by(text, factor) for factor in (1 - OFF, 1 + OFF)]
        asked_for = ['%s=%s' % (name, value) for value in values
                     if value is not None]
        found = [moved for moved in map(runs.moved, asked_for)
                 if moved is not None]
        not_run += bool(asked_for) and not set(asked_for) & set(runs.rows)
        if not found:
            missing.append(name)
        elif all(abs(points) < FLAT_POINTS for moved in found
                 for points in moved.values()):
            flat.append(name)
    return flat, missing, not_run
