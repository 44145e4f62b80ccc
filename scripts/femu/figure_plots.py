# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws the points of a figure as a PNG: theirs hollow, ours filled.

Knows nothing of where the points come from.
"""

import matplotlib

matplotlib.use('Agg')

from matplotlib import pyplot  # noqa: E402  pylint: disable=C0413

COLOURS = ('#1f6fd6', '#d9660b', '#157347', '#8a3ffc', '#b42318', '#5b6472',
           '#0f9fa8', '#c2185b', '#7a5a00')
STYLE = {'font.family': 'DejaVu Sans', 'font.size': 9, 'axes.grid': True,
         'grid.color': '#dde1e7', 'axes.axisbelow': True,
         'axes.spines.top': False, 'axes.spines.right': False,
         'legend.frameon': False, 'figure.dpi': 130}
LABELS = {'kiops': 'throughput, thousand operations per second',
          'speedup': 'times the throughput of one thread',
          'p95_us': 'p95 latency, us',
          'reset_p95_us': 'p95 latency of resets, us', 'mean_us': 'mean latency, us',
          'max_us': 'greatest latency, us',
          'reset_us': 'mean latency of a reset, us',
          'first_us': 'mean latency of the first write, us',
          'most_erases': 'erases'}
X_LABELS = {'9a': 'occupancy, %', '9b': 'occupancy, %', '10a': 'writers',
            '10b': 'queue depth', '11a': 'writers', '11b': 'writers',
            '8': 'writers', 'scaling-read': 'threads',
            'scaling-write': 'threads', 'wear': 'spare superblocks',
            'stripes-write': 'KiB of a write',
            'stripes-read': 'KiB of a read'}


def series_of(points):
    """Return: {series: its points}, in the order in which they came."""
    series = {}
    for point in points:
        series.setdefault(point.series, []).append(point)
    return series


def draw_lines(axes, points):
    """One line per series; theirs where there is one."""
    for colour, (name, mine) in zip(COLOURS * 4, series_of(points).items()):
        mine.sort(key=lambda p: p.x)
        axes.plot([p.x for p in mine], [p.ours for p in mine], marker='o',
                  markersize=4, linewidth=1.4, color=colour, label=name)
        theirs = [p for p in mine if p.theirs is not None]
        if theirs:
            axes.plot([p.x for p in theirs], [p.theirs for p in theirs],
                      marker='s', markersize=7, linestyle='none', color=colour,
                      fillstyle='none', label='%s, theirs' % name)


def draw_bars(axes, points):
    """One bar per series, for figures without an x axis."""
    names = [p.series for p in points]
    axes.barh(range(len(points)), [p.ours for p in points],
              color=COLOURS[0], height=0.5)
    for row, point in enumerate(points):
        if point.theirs is not None:
            axes.plot([point.theirs], [row], marker='s', markersize=8,
                      fillstyle='none', color=COLOURS[1])
    axes.set_yticks(range(len(points)), names)
    axes.invert_yaxis()


def spans_decades(points):
    """Return: whether the values call for a logarithmic axis."""
    values = [p.ours for p in points if p.ours]
    return bool(values) and max(values) > 30 * min(values)


def draw_part(axes, part, metric, points):
    """One picture: a metric of a part of the figure."""
    if part in X_LABELS:
        draw_lines(axes, points)
        axes.set_xlabel(X_LABELS[part])
        axes.set_ylabel(LABELS[metric])
        if spans_decades(points):
            axes.set_yscale('log')
        else:
            axes.set_ylim(bottom=0)
        axes.legend(fontsize=7)
    else:
        draw_bars(axes, points)
        axes.set_xlabel(LABELS[metric])
        if spans_decades(points):
            axes.set_xscale('log')
    if '-' in part and part in X_LABELS:
        axes.set_title(part.split('-')[1], loc='left', fontsize=9)


def draw(path, name, title, points):
    """Draws figure NAME: a picture per part and metric, side by side."""
    parts = []
    for point in points:
        if (point.figure, point.metric) not in parts:
            parts.append((point.figure, point.metric))
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **STYLE}):
        figure, axes = pyplot.subplots(1, len(parts), squeeze=False,
                                       figsize=(5.4 * len(parts), 4),
                                       layout='constrained')
        for one, (part, metric) in zip(axes[0], parts):
            draw_part(one, part, metric,
                      [p for p in points
                       if (p.figure, p.metric) == (part, metric)])
        figure.suptitle('%s: %s' % (name, title) if name[0].isdigit()
                        else title, x=0.01, ha='left')
        figure.savefig(path, metadata={'Software': None})
        pyplot.close(figure)
