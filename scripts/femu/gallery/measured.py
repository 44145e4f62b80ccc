# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of measured experiments: simulates them on the drive's model, takes the
errors, draws the picture.

Knows nothing of how experiments are simulated.
"""

import os

from femu.common.paths import TOP
from femu.figures import plots
from femu.figures.points import Point
from femu.gallery.compared import Value
from femu.measured import chosen, files
from femu.validate import compare

DATA = 'tests/data/zn540'
CONFIG = 'configs/zn540.cfg'
ZN540 = ('points.csv', 'more/io-on-io.csv', 'more/softfinish.csv')
# What makes a series, and how it is called in a legend.
SERIES = ('series', 'fg_op', 'bs_bytes', 'lba_bytes', 'bg_op',
          'bg_intensity_pct', 'engine', 'sched', 'finished', 'part')


class MeasuredError(Exception):
    """A row's experiments cannot be compared; says which and why."""


def in_top(path):
    """Return: a path of the repository."""
    return os.path.join(TOP, path)


def host_path(path):
    """Return: the path of the measuring host of a file of points: the one
    beside it, or above; None if there is none."""
    above = in_top(os.path.dirname(os.path.dirname(path)))
    found = files.host_path(None, in_top(path))
    if not found and os.path.exists(os.path.join(above, 'host.json')):
        found = os.path.join(above, 'host.json')
    return found


def split(selector):
    """Return: (paths of points, path of the configuration, wanted fields,
    metrics) of a row's selector."""
    places = {'file': None, 'config': CONFIG}
    words = []
    for word in selector.split():
        name, _, value = word.partition('=')
        if name in places:
            places[name] = value
        else:
            words.append(word)
    try:
        wanted, metrics = chosen.parse(words)
    except chosen.ChoiceError as error:
        raise MeasuredError(str(error)) from None
    if not metrics:
        raise MeasuredError('"%s": has no metric=' % selector)
    paths = [places['file']] if places['file'] else [
        os.path.join(DATA, name) for name in ZN540]
    return paths, places['config'], wanted, metrics


def inputs_of(row):
    """Return: the files that a row's outcome hangs on."""
    found = set()
    for selector in row.points:
        paths, config, _, _ = split(selector)
        found.update(paths + [config])
        found.update(os.path.relpath(host, TOP)
                     for host in map(host_path, paths) if host)
    return sorted(found)


class Bench:
    """Experiments that have been simulated; each is once, whatever the number
    of rows that it is in."""

    def __init__(self, sim):
        self._sim = sim
        self._read = {}
        self._done = set()

    def _experiments(self, path):
        if path not in self._read:
            self._read[path] = files.read_experiments(in_top(path))
        return self._read[path]

    def simulated(self, selector):
        """Return: the experiments of a selector, with the model's metrics, and
        the metrics that count."""
        paths, config, wanted, metrics = split(selector)
        found = []
        for path in paths:
            mine = [exp for exp in chosen.chosen(self._experiments(path),
                                                 wanted)
                    if set(metrics) & set(exp.measured)]
            new = [exp for exp in mine
                   if (config, path, exp.name) not in self._done]
            if new:
                host = files.read_host(host_path(path))
                compare.simulate(self._sim, new, host, in_top(config), 1,
                                 label='gallery')
            self._done.update((config, path, exp.name) for exp in new)
            found += mine
        if not found:
            raise MeasuredError('"%s": no experiment was measured that is so'
                                % selector)
        return found, metrics


def name_of(exp, experiments):
    """Return: what the fields say that not all EXPERIMENTS share."""
    words = []
    for name in SERIES:
        texts = {one.fields.get(name) or '' for one in experiments}
        text = exp.fields.get(name) or ''
        if len(texts) < 2 or not text:
            continue
        words.append({'bs_bytes': '%g KiB', 'lba_bytes': 'LBA %g'}.get(
            name, '%s') % (float(text) / (1024 if name == 'bs_bytes' else 1)
                           if name.endswith('_bytes') else text))
        if name == 'bg_intensity_pct':
            words[-1] += ' %'
    return ' '.join(words)


def variant_of(exp):
    """Return: what tells apart runs whose fields are the same: their name's
    last part."""
    return (exp.fields.get('mix_fg_bg') or '').rpartition('-soft_')[2]


def errors_of(bench, row):
    """Return: [(experiment, Error)] of a row."""
    found = []
    for selector in row.points:
        experiments, metrics = bench.simulated(selector)
        found += [error for error in compare.errors_of(experiments)
                  if error.metric in metrics]
        lacking = [exp for exp in experiments if not exp.left_out and
                   set(metrics) & set(exp.measured) - set(exp.model)]
        if lacking:
            raise MeasuredError('%d of %d experiments have no number, the '
                                'first: %s' % (len(lacking), len(experiments),
                                               lacking[0].name))
    return found


def draw(path, row, errors):
    """Draws the picture of a row that says what its x axis is."""
    experiments = [error.exp for error in errors]
    points = []
    for error in errors:
        exp = error.exp
        series = ' '.join(filter(None, (name_of(exp, experiments),
                                        variant_of(exp))))
        point = Point(row.key, series or exp.part, exp.number(row.x),
                      error.metric, error.measured)
        point.ours = error.model
        point.x_label = {'qd': 'queue depth', 'zones': 'zones',
                         'occupancy_pct': 'occupancy, %',
                         'bs_bytes': 'bytes of a request'}.get(row.x, row.x)
        points.append(point)
    plots.draw(path, '%s, %s: %s' % (row.paper['title'], row.figure,
                                     row.shows), points)


def values(bench, row, picture):
    """Simulates a row, writes PICTURE.csv and, if the row says what its x axis
    is, draws PICTURE. Return: its Values."""
    errors = errors_of(bench, row)
    compare.write_csv(picture + '.csv', errors)
    if row.x:
        draw(picture, row, errors)
    if row.less:
        if len(errors) != 2:
            raise MeasuredError('less: %d numbers: must be two' % len(errors))
        return [Value('less_pct', *(
            100 * (1 - getattr(errors[0], side) / getattr(errors[1], side))
            for side in ('measured', 'model')))]
    return [Value(error.metric, error.measured, error.model)
            for error in errors]
