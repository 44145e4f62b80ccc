# SPDX-License-Identifier: GPL-2.0-or-later
"""The heat map of SYSTOR 2024 ("ConfZNS++"), figure 4: M^Inter of management
on I/O, for the measured drive and for ours at the same concurrency levels.

Knows nothing of the jobs of an experiment.
"""

import os

import matplotlib

from femu import interference, validate

matplotlib.use('svg')
from matplotlib import pyplot  # noqa: E402  pylint: disable=C0413

MGMT_OPS = ('finish', 'reset')
IO_OPS = ('read', 'write', 'append')
SEEDS = 1


class MapError(Exception):
    """The user's input is wrong."""


def wanted(exp, percent):
    """Is this experiment one of those that the map is made of?"""
    return exp.part == 'mgmt-on-io' and \
        exp.number('bg_intensity_pct') in (0.0, percent)


def modelled_curves(experiments):
    """Return: curves as interference.read_curves() has them, of our drive."""
    curves = {}
    for exp in experiments:
        if not {'kiops', 'p95_us'} <= set(exp.model):
            continue
        curve = tuple(exp.fields[name] for name in interference.CURVE_FIELDS)
        level = tuple(int(exp.number(name))
                      for name in interference.LEVEL_FIELDS)
        by_percent = curves.setdefault(curve, {})
        by_percent.setdefault(exp.number('bg_intensity_pct'), {})[level] = \
            interference.Point(exp.model['kiops'], exp.model['p95_us'])
    return curves


def draw(path, maps):
    """maps: [(title, {(bg_op, fg_op): (value, levels)})], left to right."""
    figure, axes = pyplot.subplots(1, len(maps), figsize=(4 * len(maps), 2.6))
    for axis, (title, values) in zip(axes, maps):
        grid = [[values.get((mgmt, op), (float('nan'), 0))[0] for op in IO_OPS]
                for mgmt in MGMT_OPS]
        axis.imshow(grid, cmap='Reds', vmin=0, vmax=1.5)
        axis.set_xticks(range(len(IO_OPS)), IO_OPS)
        axis.set_yticks(range(len(MGMT_OPS)), MGMT_OPS)
        axis.set_title(title)
        for y, mgmt in enumerate(MGMT_OPS):
            for x, op in enumerate(IO_OPS):
                value, levels = values.get((mgmt, op), (None, 0))
                axis.text(x, y, '-' if value is None else '%.2f\n(%d)' % (
                    value, levels), ha='center', va='center')
    figure.suptitle('M^Inter of 50 % management on I/O (levels)')
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)


def run(sim, points, config, asked, out_dir, percent, alpha):
    """Prints the table and draws the map. Return: what is wrong with it, a
    list of texts."""
    try:
        path = validate.host_path(asked, points)
        host = validate.read_host(path)
        experiments = [exp for exp in validate.read_experiments(points)
                       if wanted(exp, percent)]
        measured = interference.combinations(
            interference.read_curves(points), percent, alpha)
    except validate.ValidateError as error:
        raise MapError(str(error)) from None
    skipped = validate.simulate(sim, experiments, host, config, SEEDS,
                                label='interference')
    ours = interference.combinations(modelled_curves(experiments), percent,
                                     alpha)
    name = os.path.basename(config)
    validate.print_host(host, path)
    print('M^Inter at %g %%, levels that were measured in both runs' % percent)
    print('%-20s%10s%12s%8s' % ('', 'measured', name.rsplit('.', 1)[0],
                                'levels'))
    for mgmt in MGMT_OPS:
        for op in IO_OPS:
            one, two = measured.get((mgmt, op)), ours.get((mgmt, op))
            print('%-20s%10s%12s%8s' % (
                '%s on %s' % (mgmt, op), '%.2f' % one[0] if one else '-',
                '%.2f' % two[0] if two else '-', one[1] if one else '-'))
    path = os.path.join(out_dir, 'heatmap.svg')
    draw(path, [('measured', measured), (name, ours)])
    print('written to %s' % os.path.relpath(path, os.getcwd()))
    return validate.incomplete(experiments, skipped)
