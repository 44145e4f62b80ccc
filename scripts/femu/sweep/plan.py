# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a plan, a TOML file (docs/sweeps.md), and tells the points of it: every
combination of its axes that it does not leave out. An error names the plan's
member, its value and what would be right.

Knows nothing of how a point is run, and of where results are.
"""

import itertools
import os
import re
import tomllib
from dataclasses import dataclass

from femu.common.paths import TOP
from femu.sweep import expression

MEMBERS = {'title': str, 'where': str, 'config': str, 'job': str, 'set': dict,
           'args': dict, 'guest': dict, 'axes': dict, 'only': list,
           'collect': list}
PLACES = ('simulator', 'guest')
GUEST = ('dilation', 'insn-ns', 'mem', 'packages', 'append')
METRICS = {'kiops': 'kIOPS', 'mib_per_s': 'MiB/s', 'mean_us': 'mean, µs',
           'p50_us': 'median, µs', 'p95_us': 'p95, µs', 'p99_us': 'p99, µs',
           'p999_us': 'p99.9, µs', 'max_us': 'max, µs'}
# What tells apart the rows that a point has, and how many commands each is of.
OF_ROW = ('step', 'job', 'op', 'count')
DEFAULT_METRICS = ('kiops', 'mean_us', 'p99_us')
NAME = re.compile(r'[a-z][a-z0-9_]*')
# How a plan's texts, and a job, refer to an axis's value.
IN_PLAN = re.compile(r'\{([a-z][a-z0-9_]*)\}')
IN_JOB = re.compile(r'\$\{?([a-z][a-z0-9_]*)\b')
MOST_POINTS = 100000


class PlanError(Exception):
    """A plan that cannot be carried out."""


@dataclass
class Point:
    """One run. `axes`: {axis: its value, or the name of it}; `set`: the drive's
    properties over the config's; `args`: variables of the job's; `guest`: what
    `make run` takes, by variable."""
    axes: dict
    set: dict
    args: dict
    guest: dict

    def label(self):
        """Return: what tells it from the other points."""
        return ' '.join('%s=%s' % one for one in self.axes.items()) or \
            'the only one'


class Plan:
    """A plan that has been read; `points` are in the axes' order, the last axis
    changing fastest."""

    def __init__(self, path, where=None):
        """WHERE: "simulator" or "guest", instead of what the plan says."""
        self.path = path
        made = self._read()
        self.title = made.get('title', stem(path))
        self.where = where or made.get('where', 'simulator')
        if self.where not in PLACES:
            self._fail('where = "%s" is neither "simulator" nor "guest"'
                       % self.where)
        self.config = self._file('config', made.get(
            'config', os.path.join(TOP, 'configs', 'zn540.cfg')))
        self.job = self._file('job', made.get('job'))
        self._check_job()
        self.axes = made.get('axes', {})
        self._set = made.get('set', {})
        self._args = made.get('args', {})
        self._guest = made.get('guest', {})
        self._only = made.get('only', [])
        self.metrics = made.get('collect', list(DEFAULT_METRICS))
        self._check()
        self.points = self._points()

    def _fail(self, text):
        raise PlanError('PLAN=%s: %s' % (self.path, text))

    def _read(self):
        try:
            with open(self.path, 'rb') as file:
                made = tomllib.loads(file.read().decode('utf-8-sig'))
        except tomllib.TOMLDecodeError as error:
            self._fail(str(error))
        except UnicodeDecodeError:
            self._fail('is no text in UTF-8')
        except RecursionError:
            self._fail('is nested too deep')
        except ValueError as error:         # a number of thousands of digits
            self._fail(str(error))
        for name, value in made.items():
            if name not in MEMBERS:
                self._fail('"%s" is none of %s' % (name, ', '.join(MEMBERS)))
            if not isinstance(value, MEMBERS[name]):
                self._fail('%s = %s is not a %s' % (name, value, {
                    str: 'text', dict: 'table', list: 'list'}[MEMBERS[name]]))
        return made

    def _file(self, member, name):
        """A path in a plan is relative to the plan's folder, or to the
        repository."""
        if not name:
            self._fail('it names no %s' % member)
        for folder in (os.path.dirname(os.path.abspath(self.path)), TOP):
            path = os.path.normpath(os.path.join(folder, name))
            if os.path.isfile(path):
                return path
        return self._fail('%s = "%s": no such file beside the plan or in %s'
                          % (member, name, TOP))

    def _check_job(self):
        endings = ('.fio',) if self.where == 'simulator' else ('.fio', '.sh')
        if not self.job.endswith(endings):
            self._fail('job = "%s": where = "%s" takes %s' % (
                self.job, self.where, ' or '.join('*' + one
                                                  for one in endings)))
        with open(self.job, encoding='utf-8', errors='replace') as file:
            self.job_names = set(IN_JOB.findall(file.read()))

    def _check(self):
        for name, values in self.axes.items():
            self._check_axis(name, values)
        for member, table in (('set', self._set), ('args', self._args),
                              ('guest', self._guest)):
            for name, value in table.items():
                if not isinstance(value, (str, int, float)):
                    self._fail('%s.%s = %s is neither text nor number'
                               % (member, name, value))
        for name in self._guest:
            if name not in GUEST:
                self._fail('guest.%s is none of %s' % (name, ', '.join(GUEST)))
        for name in self.metrics:
            if not isinstance(name, str) or name not in METRICS:
                self._fail('collect: "%s" is none of %s'
                           % (name, ', '.join(METRICS)))
        for text in self._only:
            if not isinstance(text, str):
                self._fail('only: %s is no text' % text)
        self._check_used()

    def _check_axis(self, name, values):
        if not NAME.fullmatch(name):
            self._fail('axes.%s: an axis is named by small letters, digits and '
                       '_' % name)
        if name in OF_ROW + tuple(METRICS):
            self._fail('axes.%s: is a column of the results; another name is '
                       'expected' % name)
        if isinstance(values, dict):
            for one, changes in values.items():
                if not isinstance(changes, dict):
                    self._fail('axes.%s.%s = %s is no table of properties of '
                               'the drive' % (name, one, changes))
        elif not isinstance(values, list):
            self._fail('axes.%s = %s is neither a list of values nor a table '
                       'of properties by name' % (name, values))
        elif any(not isinstance(value, (str, int, float)) for value in values):
            self._fail('axes.%s = %s has more than texts and numbers'
                       % (name, values))
        if not values:
            self._fail('axes.%s has no values' % name)
        if len(set(values)) < len(values):
            self._fail('axes.%s = %s has a value twice (true is 1, false is 0)'
                       % (name, values))

    def _check_used(self):
        """Checks that every axis is used, and that every name has a value:
        anything else is taken for a mistake in the plan."""
        lists = {name for name, values in self.axes.items()
                 if isinstance(values, list)}
        in_plan = set()
        for table in (self._set, self._args, self._guest):
            for value in table.values():
                in_plan.update(IN_PLAN.findall(str(value)))
        for name in sorted(in_plan - lists):
            self._fail('"{%s}" is no axis with a list of values' % name)
        for name in sorted(lists - in_plan - self.job_names):
            self._fail('axes.%s changes nothing: neither set, args and guest '
                       'have "{%s}", nor has %s "${%s}"'
                       % (name, name, self.job, name))
        given = lists | set(self._args)
        if self.job.endswith('.fio'):
            for name in sorted(self.job_names - given):
                self._fail('%s: "${%s}" is neither an axis nor in args'
                           % (self.job, name))
        for name in sorted(set(self._args) - self.job_names):
            self._fail('args.%s: %s has no "${%s}"' % (name, self.job, name))

    def _points(self):
        count = 1
        for values in self.axes.values():
            count *= len(values)
        if count > MOST_POINTS:
            self._fail('its axes have %d points, more than %d'
                       % (count, MOST_POINTS))
        points = []
        for values in itertools.product(*self.axes.values()):
            axes = dict(zip(self.axes, values))
            try:
                if all(expression.holds(text, axes) for text in self._only):
                    points.append(self._point(axes))
            except expression.ExpressionError as error:
                self._fail('only: %s' % error)
        if not points:
            self._fail('only: leaves no point')
        return points

    def _point(self, axes):
        def filled(table):
            return {name: IN_PLAN.sub(lambda match: text_of(axes[match[1]]),
                                      text_of(value))
                    for name, value in table.items()}
        changes = filled(self._set)
        for name, value in axes.items():
            if isinstance(self.axes[name], dict):
                changes.update({one: text_of(text) for one, text in
                                self.axes[name][value].items()})
        args = {name: text_of(value) for name, value in axes.items()
                if name in self.job_names}
        args.update(filled(self._args))
        return Point(axes, changes, args, filled(self._guest))


def text_of(value):
    """Return: a value of a plan as the drive and the jobs write it."""
    return {True: 'on', False: 'off'}[value] if isinstance(value, bool) \
        else str(value)


def stem(path):
    """Return: the plan's name: that of its file without ".toml"."""
    return os.path.splitext(os.path.basename(path))[0]
