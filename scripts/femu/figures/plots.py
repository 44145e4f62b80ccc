# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws the points of a figure, the published ones hollow and ours filled: as
SVG, as PNG, and for the page of all figures.

Knows nothing of where the points come from.
"""

import math
import re

from femu.drawing import plot_style, svg
from femu.drawing.svg import COLOUR

LABELS = {'kiops': 'throughput, thousand operations per second',
          'speedup': 'times the throughput of one thread',
          'p50_us': 'median latency', 'p95_us': 'p95 latency',
          'bg_mibps': 'throughput beside it, MiB/s',
          'mgmt_p50_us': 'median latency of management',
          'reset_p95_us': 'p95 latency of resets', 'mean_us': 'mean latency',
          'max_us': 'greatest latency',
          'reset_us': 'mean latency of a reset',
          'first_us': 'mean latency of the first write',
          'finishes_per_s': 'finishes in a second',
          'most_erases': 'erases'}
X_LABELS = {'9a': 'occupancy, %', '9b': 'occupancy, %', '10a': 'writers',
            '10b': 'queue depth', '11a': 'writers', '11b': 'writers',
            '7': 'writers', '8': 'writers', 'scaling-read': 'threads',
            'scaling-write': 'threads', 'wear': 'spare superblocks',
            'stripes-write': 'KiB of a write',
            'stripes-read': 'KiB of a read'}
# What the published names of series stand for: (figure, series), patterns.
SERIES = ((r'10[ab] 100', 'without finish'),
          (r'10[ab] 50-(\d+)', r'finish at 50 %, \1 KiB at a time'),
          (r'11[ab] 100', 'without reset'),
          (r'11[ab] 50', 'reset at 50 %'),
          (r'8 (\S+) 0 %', r'\1, without reset'),
          (r'8 (\S+) 50 %', r'\1, reset at 50 %'),
          (r'9a (.*)', r'\1 at a time'),
          (r'9b (full|partial)', r'\1 erase'))
PANEL_IN = 4.8
PLOT_IN = 3.0
LINE_IN = 0.17
BAR_IN = 0.24


def name_of(part, series):
    """Return: what a SERIES of the PART of a figure is called in a legend."""
    for pattern, text in SERIES:
        match = re.fullmatch(pattern, '%s %s' % (part, series))
        if match:
            return match.expand(text)
    return series


def x_label_of(part, points):
    """Return: what the x axis of the PART of a figure is called, or None if it
    has none."""
    return X_LABELS.get(part) or points[0].x_label


def text_of(metric):
    """Return: what makes texts of values of METRIC."""
    return plot_style.time_us if metric.endswith('_us') \
        else plot_style.number


def series_of(points):
    """Return: {series: its points}, in the order in which they came."""
    series = {}
    for point in points:
        series.setdefault(point.series, []).append(point)
    return series


def values_of(points):
    """Return: all that is drawn of POINTS."""
    return [value for point in points for value in (point.ours, point.theirs)
            if value is not None]


def draw_lines(axes, part, points):
    """One line per series, and one of the published points if there are any."""
    series = series_of(points)
    for idx, (name, mine) in enumerate(series.items()):
        look = plot_style.look(idx, len(series))
        mine.sort(key=lambda p: p.x)
        axes.plot([p.x for p in mine], [p.ours for p in mine],
                  label=name_of(part, name), **look)
        theirs = [p for p in mine if p.theirs is not None]
        axes.plot([p.x for p in theirs], [p.theirs for p in theirs],
                  **plot_style.hollow(look))
    if any(point.theirs is not None for point in points):
        axes.plot([], [], label='hollow: published',
                  **plot_style.hollow({**look, 'color': COLOUR['muted'],
                                       'markersize': 4, 'marker': 'o'}))
    axes.legend(loc='upper left', bbox_to_anchor=(-0.08, -0.16), ncols=2,
                fontsize=7, handlelength=4)


def draw_bars(axes, metric, points):
    """One bar per series, with its value, for figures without an x axis; a
    dot where the axis is logarithmic and has no 0 for a bar to start at."""
    text = text_of(metric)
    plot_style.value_axis(axes, 'x', values_of(points), text)
    low, high = axes.get_xlim()
    if low == 0:
        axes.barh(range(len(points)), [p.ours for p in points],
                  color=COLOUR['blue'], height=0.5)
    for row, point in enumerate(points):
        said = text(point.ours)
        if low > 0:
            axes.plot([point.ours], [row], 'o', color=COLOUR['blue'])
        if point.theirs is not None:
            axes.plot([point.theirs], [row], marker='s', markersize=8,
                      fillstyle='none', color=COLOUR['vermilion'])
            said += ' (published: %s)' % text(point.theirs)
        axes.annotate(said, (max(values_of([point])), row), (6, 0),
                      textcoords='offset points', va='center', fontsize=7)
    axes.set_yticks(range(len(points)), [p.series for p in points])
    axes.set_ylim(len(points) - 0.5, -0.5)
    axes.grid(axis='y', visible=low > 0)
    # Room for the texts at the bars' ends.
    axes.set_xlim(low, high * 1.15 if low == 0 else high * (high / low) ** 0.4)


def draw_panel(axes, part, metric, points):
    """One picture: a metric of a part of the figure."""
    title = LABELS[metric]
    x_label = x_label_of(part, points)
    if x_label:
        draw_lines(axes, part, points)
        axes.set_xlabel(x_label)
        if '%' in x_label:
            axes.set_xlim(-2, 102)
        else:
            plot_style.count_axis(axes, [p.x for p in points])
        plot_style.value_axis(axes, 'y', values_of(points),
                              text_of(metric))
        if '-' in part:
            title = '%s: %s' % (part.split('-')[1], title)
    else:
        draw_bars(axes, metric, points)
    axes.set_title(title, loc='left', fontsize=9)


def panels_of(points):
    """Return: [(part, metric, points)] of a figure."""
    panels = {}
    for point in points:
        panels.setdefault((point.figure, point.metric), []).append(point)
    return [(*key, mine) for key, mine in panels.items()]


def height_in(panel):
    """Return: the height that a panel needs."""
    part, _, points = panel
    count = len(series_of(points))
    if x_label_of(part, points):
        return PLOT_IN + LINE_IN * math.ceil((count + 1) / 2)
    return 0.8 + BAR_IN * len(points)


def draw(path, title, points):
    """Draws a figure to PATH.svg and PATH.png, two panels beside each other."""
    panels = panels_of(points)
    columns = min(2, len(panels))
    rows = math.ceil(len(panels) / columns)
    with svg.styled():
        figure = svg.figure(PANEL_IN * columns, 0.4 + rows * max(
            map(height_in, panels)))
        figure.set_layout_engine('constrained')
        for idx, panel in enumerate(panels, 1):
            draw_panel(figure.add_subplot(rows, columns, idx), *panel)
        figure.suptitle(title, x=0.01, ha='left', fontsize=11)
        svg.save(figure, path)


def inline(name, points):
    """Return: the panels of figure NAME, [svg element]."""
    found = []
    with svg.styled():
        for idx, panel in enumerate(panels_of(points)):
            figure = svg.figure(PANEL_IN, height_in(panel))
            figure.set_layout_engine('constrained')
            draw_panel(figure.add_subplot(), *panel)
            found.append(svg.inline(
                figure, 'f%s-%d' % (name, idx), '%s of figure %s' % (
                    LABELS[panel[1]], name)))
    return found
