# SPDX-License-Identifier: GPL-2.0-or-later
"""The heat map of SYSTOR 2024 ("ConfZNS++"), figure 4: M^Inter of management
on I/O, for the measured drive and for ours at the same concurrency levels.

Knows nothing of the jobs of an experiment.
"""

import os

from femu.drawing import svg
from femu.interference import factor
from femu.measured import files
from femu.validate import compare

MGMT_OPS = ('finish', 'reset')
IO_OPS = ('read', 'write', 'append')
SEEDS = 1
# The end of the scale, unless a value is above it.
MAP_TOP = 1.5
COLOURS = 'cividis_r'
# From this part of the scale on, cells are dark.
DARK_FROM = 0.5


class MapError(Exception):
    """The user's input is wrong."""


def wanted(exp, percent):
    """Return: whether the map is made from this experiment."""
    return exp.part == factor.PART and \
        exp.number('bg_intensity_pct') in (0.0, percent)


def maps_of(experiments, percent, alpha=0.5):
    """Return: what factor.combinations() makes of what was measured, and of
    what the model has."""
    return [factor.combinations(factor.curves_of(experiments, figures_of),
                                percent, alpha)
            for figures_of in (lambda exp: exp.measured, lambda exp: exp.model)]


def draw(path, maps, percent):
    """Draws PATH.svg and PATH.png of MAPS: [(title, {(bg_op, fg_op): (value,
    levels)})], left to right; all have one scale, which starts at 0."""
    top = max([MAP_TOP] + [value for _, values in maps
                           for value, _ in values.values()])
    with svg.styled():
        figure = svg.figure(1.2 + 3.4 * len(maps), 2.9)
        figure.set_layout_engine('constrained', wspace=0.05, w_pad=0.08)
        axes = figure.subplots(1, len(maps), sharey=True)
        for axis, (title, values) in zip(axes, maps):
            image = draw_map(axis, values, top)
            axis.set_title(title, loc='left', fontsize=9)
        figure.colorbar(image, ax=axes, label='M^Inter: 0 is undisturbed',
                        aspect=14).outline.set_visible(False)
        figure.suptitle('M^Inter of %g %% management on I/O (in brackets: '
                        'levels)' % percent, x=0.01, ha='left', fontsize=11)
        svg.save(figure, path)


def text_colour(part):
    """Return: the colour of a text on a cell at PART, 0..1, of the scale."""
    return svg.COLOUR['paper' if part > DARK_FROM else 'ink']


def draw_map(axis, values, top):
    """Draws one map, whose darkest colour is TOP. Return: its image."""
    grid = [[values.get((mgmt, op), (float('nan'), 0))[0] for op in IO_OPS]
            for mgmt in MGMT_OPS]
    image = axis.imshow(grid, cmap=COLOURS, vmin=0, vmax=top,
                        aspect='auto')
    axis.set_xticks(range(len(IO_OPS)), ['on %s' % op for op in IO_OPS])
    axis.set_yticks(range(len(MGMT_OPS)), MGMT_OPS)
    axis.tick_params(length=0)
    axis.grid(visible=False)
    axis.spines[:].set_visible(False)
    for y, mgmt in enumerate(MGMT_OPS):
        for x, op in enumerate(IO_OPS):
            value, levels = values.get((mgmt, op), (None, 0))
            axis.text(x, y, 'not\nmeasured' if value is None else
                      '%.2f\n(%d)' % (value, levels), ha='center',
                      va='center', fontsize=9,
                      color=text_colour((value or 0) / top))
    return image


def run(sim, points, config, asked, out_dir, percent, alpha):
    """Prints the table and draws the map. Return: the errors, a list of
    texts."""
    try:
        path = files.host_path(asked, points)
        host = files.read_host(path)
        experiments = [exp for exp in files.read_experiments(points)
                       if wanted(exp, percent)]
    except files.InputError as error:
        raise MapError(str(error)) from None
    if not maps_of(experiments, percent)[0]:
        raise MapError('%s: has no throughput and P95 latency of part %s, both '
                       'without management and at %g %% of it' % (
                           points, factor.PART, percent))
    skipped = compare.simulate(sim, experiments, host, config, SEEDS,
                               label='interference')
    measured, ours = maps_of(experiments, percent, alpha)
    name = os.path.basename(config)
    compare.print_host(host, path)
    print('M^Inter at %g %%, levels that were measured in both runs' % percent)
    print('%-20s%10s%12s%8s' % ('', 'measured', name.rsplit('.', 1)[0],
                                'levels'))
    for mgmt in MGMT_OPS:
        for op in IO_OPS:
            one, two = measured.get((mgmt, op)), ours.get((mgmt, op))
            print('%-20s%10s%12s%8s' % (
                '%s on %s' % (mgmt, op), '%.2f' % one[0] if one else '-',
                '%.2f' % two[0] if two else '-', one[1] if one else '-'))
    path = os.path.join(out_dir, 'heatmap')
    draw(path, [('measured', measured), (name, ours)], percent)
    print('written to %s.svg and .png' % os.path.relpath(path, os.getcwd()))
    return compare.incomplete(experiments, skipped)
