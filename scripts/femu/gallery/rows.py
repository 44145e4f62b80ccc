# SPDX-License-Identifier: GPL-2.0-or-later
"""The list of the papers' figures and tables, read from plans/gallery/*.toml,
each file a paper.

A row has exactly one of:

  points   experiments of the measured drives, chosen as scripts/points does,
           with metric=; "file=" and "config=" name others than the ZN540's.
           They are simulated, and each is compared
  figures  a figure of "make figures", whose points are compared
  heat     the map of "make interference", whose cells are compared
  plan     a plan of "make sweep" in plans/; ours is what `measure` says of its
           points: a metric of those that are as `where` says, by an axis `by`,
           with `over` as a multiple from the first to the last value of that
           axis
  run      a command, its words; its last line that fits `says` is what is ours:
           of a pattern with a group, the group
  why      the reason why nothing is run

and may have

  x        the field on the x axis of the picture of `points`
  less     true: compared is how many percent the first of two `points` is less
           than the second
  apart    why it is not counted although there are numbers: the sources
           contradict each other
  note     what a reader must know
  published  of `run`: { metric = [numbers] }, each compared with a group of
           `says`, in their order
  theirs   what is published, in words, where nothing is compared
  command  what a reader types, if it is not made of the above
  guest    true: `run` needs QEMU and the guest
  short    false: it takes more than seconds

Knows nothing of how rows are run.
"""

import glob
import os
import re
import tomllib

KINDS = ('points', 'figures', 'heat', 'plan', 'run', 'why')
TYPES = {
    'figure': str, 'shows': str, 'points': list, 'figures': str, 'heat': str,
    'plan': str, 'measure': dict, 'run': list, 'says': str,
    'published': dict, 'inputs': list,
    'guest': bool, 'why': str, 'x': str, 'less': bool, 'apart': str,
    'note': str, 'theirs': str, 'command': str, 'short': bool}
PAPER = ('name', 'title', 'number')


class RowsError(Exception):
    """The list is wrong; says where and what would be right."""


class Row:
    """One figure or table. `key` is "PAPER-FIGURE", such as systor24-9a."""

    def __init__(self, paper, members):
        self.paper = paper
        for name in TYPES:
            setattr(self, name, members.get(name))
        self.key = ('%s-%s' % (paper['name'], self.figure)).replace(
            ', ', ' ').replace(' ', '-')
        self.kind = next(kind for kind in KINDS if kind in members)
        self.members = members

    @property
    def is_short(self):
        """Whether it takes seconds and no guest."""
        return self.kind in ('points', 'figures', 'heat', 'why') and \
            self.short is not False

    @property
    def typed(self):
        """What a reader types for this row alone; empty if nothing is run."""
        if self.command or self.kind == 'why':
            return self.command or ''
        if self.kind == 'figures':
            return 'FIGURES=%s make figures' % self.figures
        if self.kind == 'heat':
            return 'make interference'
        if self.kind == 'plan':
            return 'make sweep PLAN=plans/%s.toml' % self.plan
        if self.kind == 'run':
            return ' '.join(self.run)
        return 'ONLY=%s make gallery' % self.key


def numbers_of(published):
    """Return: [(metric, number)] of a row's PUBLISHED."""
    return [(metric, number) for metric, numbers in published.items()
            for number in numbers]


def check_published(where, members):
    """Raises RowsError unless each published number has a group of `says`."""
    if 'run' not in members:
        raise RowsError('%s: published: is of run alone' % where)
    wanted = len(numbers_of(members['published']))
    groups = re.compile(members['says']).groups
    if not wanted or wanted != groups:
        raise RowsError('%s: published: has %d numbers, says has %d groups' % (
            where, wanted, groups))


def check(where, members):
    """Raises RowsError if MEMBERS are no row."""
    for name, value in members.items():
        if name not in TYPES:
            raise RowsError('%s: "%s": a row has %s' % (
                where, name, ', '.join(TYPES)))
        if not isinstance(value, TYPES[name]):
            raise RowsError('%s: %s: must be a %s' % (
                where, name, TYPES[name].__name__))
    for name in ('figure', 'shows'):
        if not members.get(name):
            raise RowsError('%s: has no %s' % (where, name))
    kinds = [kind for kind in KINDS if kind in members]
    if len(kinds) != 1:
        raise RowsError('%s (%s): has %s: exactly one of %s is needed' % (
            where, members['figure'], ' and '.join(kinds) or 'none',
            ', '.join(KINDS)))
    if 'run' in members and 'says' not in members:
        raise RowsError('%s (%s): run: needs says, which of its lines counts'
                        % (where, members['figure']))
    if 'published' in members:
        check_published('%s (%s)' % (where, members['figure']), members)
    if 'plan' in members and not {'metric', 'by'} <= set(
            members.get('measure', ())):
        raise RowsError('%s (%s): plan: needs measure = { metric, by }' % (
            where, members['figure']))


def read_file(path):
    """Return: the Rows of one paper."""
    try:
        with open(path, 'rb') as file:
            made = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise RowsError('%s: %s' % (path, error)) from None
    paper = {name: made.get(name) for name in PAPER}
    for name, value in paper.items():
        if not isinstance(value, str):
            raise RowsError('%s: %s: must be a text' % (path, name))
    found = []
    for number, members in enumerate(made.get('row', ()), 1):
        check('%s: row %d' % (path, number), members)
        found.append(Row(paper, members))
    if not found:
        raise RowsError('%s: has no [[row]]' % path)
    return found


def read(folder):
    """Return: the Rows of all papers, in the order of the papers' numbers."""
    found = [row for path in sorted(glob.glob(os.path.join(folder, '*.toml')))
             for row in read_file(path)]
    if not found:
        raise RowsError('%s: has no *.toml' % folder)
    keys = [row.key for row in found]
    for key in keys:
        if keys.count(key) > 1:
            raise RowsError('%s: is there twice' % key)
    return sorted(found, key=lambda row: row.paper['number'])
