# SPDX-License-Identifier: GPL-2.0-or-later
"""Fits parameters of a drive's configuration to measured points.

The error that is minimised is the mean of |ln(model / measured)| over all
metrics but what runs were told, or what says the same again, so that 10 % too
much counts as much as 10 % too little, whatever the unit. Parameters are
searched on a logarithmic scale between bounds.

Knows nothing of the jobs of an experiment, and of how a search goes.
"""

import csv
import difflib
import math
import re
import time

from femu.common import progress, simulator, unwaited, whole_file
from femu.validate import compare, search

SEED = 1
START = re.compile('0*[1-9][0-9]{0,18}')
FAR = 3.0       # distance of a point that the model lacks: a factor of 20


class FitError(Exception):
    """The user's input is wrong."""


class Incomplete(Exception):
    """Experiments lack a run or a metric; says how many, and the first
    reason."""


class Parameter:
    """One that is fitted: its name, start, and bounds as factors of it."""

    def __init__(self, name, start, factor):
        self.name = name
        self.start = start
        self.low = max(1, start / factor)
        self.high = start * factor

    def value(self, x):
        """Return: the whole number at logarithmic position x."""
        return int(round(math.exp(x)))


def read_config(path):
    """Return: {name: value text} of the drive's section, and the file's text.

    The simulator has the grammar; this only needs to find values to replace.
    """
    try:
        with open(path, encoding='utf-8',
                  opener=unwaited.opener) as file:
            text = file.read()
    except OSError as error:
        raise FitError('%s: %s' % (path, error.strerror)) from None
    except UnicodeDecodeError:
        raise FitError('%s: is no text in UTF-8' % path) from None
    found = re.findall(r'^\s*([a-z0-9-]+)\s*=\s*"([^"]*)"', text, re.M)
    return dict(found), text


def parameters(names, path, factor):
    """Return: Parameter objects of names whose values the file has."""
    values, _ = read_config(path)
    made = []
    for name in names:
        text = values.get(name)
        if name == 'seed':
            raise FitError('seed: is set by each run, and no parameter of a '
                           'model')
        if text is None:
            near = difflib.get_close_matches(name, sorted(values), 1)
            raise FitError('"%s": has no value in %s; must have one to start '
                           'from%s' % (name, path, near and
                                       '; did you mean "%s"?' % near[0] or ''))
        if not START.fullmatch(text):
            raise FitError('%s: %s: must have a start value above 0, a plain '
                           'number, in %s' % (name, text, path))
        if names.count(name) > 1:
            raise FitError('%s: is named twice' % name)
        made.append(Parameter(name, int(text), factor))
    return made


def pick(experiments, most):
    """Return: at most MOST experiments of each part, spread evenly."""
    chosen = []
    for part in dict.fromkeys(exp.part for exp in experiments):
        mine = [exp for exp in experiments if exp.part == part]
        step = max(1.0, len(mine) / most)
        chosen += [mine[int(i * step)] for i in range(int(len(mine) / step))]
    return chosen


def one_seed(_exp):
    """Return: the seeds of an experiment's runs."""
    return (SEED,)


def usable(experiments, host, config):
    """Return: the experiments without those that are left out, which it prints.
    Raises Incomplete if some cannot be run."""
    skipped = {}
    compare.runs_of(experiments, host, config, one_seed, None, skipped)
    compare.print_left_out(experiments)
    raise_skipped(experiments, skipped)
    return [exp for exp in experiments if not exp.left_out]


def raise_skipped(experiments, skipped):
    """Raises Incomplete, and prints the reasons, if any of the experiments is
    in SKIPPED."""
    compare.print_skipped(skipped)
    for text in compare.incomplete(experiments, skipped):
        raise Incomplete(text + '; points that cannot be run must be left out '
                         'of --points=')


class Fit:
    """A search: counts what it tries and keeps the best."""

    def __init__(self, sim, config, host, experiments, params):
        self.sim, self.config, self.host = sim, config, host
        self.experiments, self.params = experiments, params
        self.tries = 0.0            # 1: all experiments simulated once
        self.most_tries = 0
        self.counts = counted_of(experiments)
        self.best = (math.inf, None)
        self.started = time.monotonic()
        self.known = []             # search.Known, of each parameter

    def settings(self, x):
        """Return: {parameter: value} at a position."""
        return {p.name: p.value(xi) for p, xi in zip(self.params, x)}

    def simulate(self, settings, experiments):
        """Gives every experiment its model's metrics. Return: {reason:
        experiments} of those that lack a run."""
        for exp in experiments:
            exp.model, exp.spread = {}, {}
        skipped = {}
        bases = compare.bases_of(experiments, skipped)
        runs, owners = compare.runs_of(
            experiments + list(bases.values()), self.host, self.config,
            one_seed, settings, skipped)
        compare.take(experiments, bases, compare.values_of(
            owners, simulator.run_all('fit' + self.how_far(), self.sim, runs),
            self.host, skipped))
        return skipped

    def must_have_all(self, settings, experiments):
        """Simulates. Raises Incomplete if not all of the experiments have what
        was measured."""
        skipped = self.simulate(settings, experiments)
        compare.skip_lacking(experiments, skipped)
        raise_skipped(experiments, skipped)

    def try_settings(self, settings, experiments):
        """Simulates; what the drive refuses, and what it does not come to within
        a run, is missing. Raises FitError if a run failed otherwise: the search
        would take it for a bad place."""
        for reason in self.simulate(settings, experiments):
            if not reason.startswith((self.config + ': ', '--set ')):
                raise FitError('a run of the search failed: %s' % reason)

    def how_far(self):
        """Return: a text on how far a search is, to show beside its runs; '' if
        there is none."""
        return self.most_tries and ', try %d of at most %d%s' % (
            self.tries + 1, self.most_tries, progress.left(
                self.tries, self.most_tries,
                time.monotonic() - self.started)) or ''

    def residuals(self, x, keys):
        """Return: {(experiment's name, metric): ln(model / measured)} at a
        position; of KEYS, or of all. Raises StopIteration behind the last
        try."""
        if self.tries >= self.most_tries:
            raise StopIteration
        wanted = None if keys is None else {name for name, _ in keys}
        some = [exp for exp in self.experiments
                if wanted is None or exp.name in wanted]
        self.try_settings(self.settings(x), some)
        self.tries += len(some) / len(self.experiments)
        found = residuals_of(some, self.counts)
        if keys is None:
            self.keep(x, found)
        return found

    def keep(self, x, found):
        """Keeps a position if none was better."""
        value = mean_distance(found)
        if value < self.best[0]:
            self.best = (value, self.settings(x))
            self.tell('error %.4f  %s' % (value, ' '.join(
                '%s=%d' % pair for pair in self.best[1].items())))

    def tell(self, text):
        """Prints how far the search is."""
        print('%5.1f %6.0f s  %s' % (
            self.tries, time.monotonic() - self.started, text), flush=True)

    def run(self, most_tries):
        """Search. Return: the best settings."""
        self.most_tries = most_tries
        made = search.Search(
            self.residuals, [math.log(p.start) for p in self.params],
            [(math.log(p.low), math.log(p.high)) for p in self.params],
            self.tell, measurement_of=lambda key: key[0])
        made.run()
        self.known = made.known
        self.most_tries = 0
        return self.best[1]


def counted_of(experiments):
    """Return: {(experiment's name, metric)} of what is fitted to: the same as is
    in the error that is printed."""
    return {(error.exp.name, error.metric) for error in compare.not_told([
        compare.Error(exp, metric, measured, measured)
        for exp in experiments for metric, measured in exp.measured.items()])}


def residuals_of(experiments, counts):
    """Return: {(experiment's name, metric): ln(model / measured)} of those that
    COUNTS has, FAR where the model has nothing."""
    found = {}
    for exp in experiments:
        for metric, measured in exp.measured.items():
            if (exp.name, metric) not in counts:
                continue
            model = exp.model.get(metric)
            found[exp.name, metric] = FAR if not model or model <= 0 else \
                max(-FAR, min(FAR, math.log(model / measured)))
    return found


def mean_distance(found):
    """Return: the mean size of residuals."""
    if not found:
        raise FitError('no point is left to fit to')
    return sum(map(abs, found.values())) / len(found)


def interval(param, value, known):
    """Return: (low, high) of 95 % of a fitted parameter; None if it is not
    known."""
    if not known.is_known:
        return None
    return (max(param.low, value * math.exp(-known.width)),
            min(param.high, value * math.exp(known.width)))


def print_known(params, settings, known):
    """What each parameter is, how sure, and which points say so."""
    print('%-24s%14s%14s%30s' % ('parameter', 'start', 'fitted',
                                 '95 % interval'))
    for param, one in zip(params, known):
        value = settings[param.name]
        ends = interval(param, value, one)
        print('%-24s%14d%14d%30s  %s' % (
            param.name, param.start, value,
            '%d to %d' % ends if ends else 'at the end of its range'
            if one.is_at_end else 'not known by these points',
            '; '.join('%s %s' % key for _, key in one.points)))


def write_known(path, params, settings, known):
    """The same as a CSV file."""
    with whole_file.replacing(path) as file:
        writer = csv.writer(file)
        writer.writerow(('parameter', 'start', 'fitted', 'low', 'high'))
        for param, one in zip(params, known):
            value = settings[param.name]
            writer.writerow((param.name, param.start, value) + tuple(
                int(end) for end in interval(param, value, one) or ()))


def write_config(path, source, settings):
    """The source's text with the fitted values in the place of the old."""
    _, text = read_config(source)
    for name, value in settings.items():
        text = re.sub(r'(^\s*%s\s*=\s*)"[^"]*"' % re.escape(name),
                      r'\g<1>"%d"' % value, text, flags=re.M)
    with whole_file.replacing(path) as file:
        file.write(text)


def print_residuals(title, experiments):
    """Errors per part and metric; in brackets, what runs were told."""
    errors = compare.errors_of(experiments)
    print('%s: %d points' % (title, len(errors)))
    for (part, metric), mine in compare.shown_by_part(errors).items():
        print('  %-24s%-13s%5d  mean %5.1f %%  bias %+6.1f %%' % (
            part, metric, len(mine), compare.mean_abs(mine),
            sum(e.pct for e in mine) / len(mine)))
    print('  all: mean %.2f %%' % compare.mean_abs(
        compare.not_told(errors)))
