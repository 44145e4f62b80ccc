# SPDX-License-Identifier: GPL-2.0-or-later
"""A sweep's pictures: small multiples of each metric over the axes, and the
latencies' distributions.

Knows nothing of the page that they stand on, and of plans' files.
"""

from dataclasses import dataclass

from femu.drawing import plot_style, svg
from femu.sweep.plan import METRICS

WIDTH_IN, PLOT_IN, LINE_IN = 3.8, 2.4, 0.17


@dataclass
class Roles:
    """How a sweep's axes are shown in pictures. The members are names of axes;
    None: no axis. The values of `x` lie along the x axis, each value of
    `curves` has a line, and each combination of `panels` a picture."""
    x: str
    curves: str
    panels: list


def roles(axes):
    """AXES: {axis: its values}. Return: their Roles: the first axis of numbers
    is x; of the others, the one with the most values tells curves."""
    several = [name for name, values in axes.items() if len(values) > 1]
    numbers = [name for name in several
               if all(isinstance(value, (int, float)) for value in axes[name])]
    x = (numbers or several or [None])[0]
    rest = [name for name in several if name != x]
    curves = max(rest, key=lambda name: len(axes[name]), default=None)
    return Roles(x, curves, [name for name in rest if name != curves])


def _text_of(metric):
    return plot_style.time_us if metric.endswith('_us') else plot_style.number


def _grouped(rows, names):
    """Return: {values of the axes NAMES: rows}, in the order in which they
    come."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def _said(names, values):
    return ', '.join('%s %s' % one for one in zip(names, values))


def _x_axis(axes, name, places):
    """PLACES: what stands at 0, 1, ... if these are no numbers."""
    axes.set_xlabel(name)
    if all(isinstance(place, (int, float)) for place in places):
        plot_style.count_axis(axes, places)
    else:
        axes.set_xticks(range(len(places)), [str(one) for one in places])
        axes.set_xlim(-0.3, len(places) - 0.7)


def _legend(axes, count):
    if count > 1:
        axes.legend(loc='upper left', bbox_to_anchor=(-0.08, -0.2),
                    fontsize=7, handlelength=4)


def _height_in(curves):
    return PLOT_IN + (LINE_IN * (curves + 1) if curves > 1 else 0)


def _picture(draw, name, description, curves):
    """Return: an svg element that DRAW(axes) has drawn."""
    figure = svg.figure(WIDTH_IN, _height_in(curves))
    figure.set_layout_engine('constrained')
    draw(figure.add_subplot())
    return svg.inline(figure, name, description)


def _metric_panel(axes, role, places, metric, title, rows, limits):
    lines = _grouped(rows, [role.curves] if role.curves else [])
    numeric = all(isinstance(place, (int, float)) for place in places)
    for idx, (which, mine) in enumerate(lines.items()):
        at = [(row[role.x] if numeric else places.index(row[role.x]))
              for row in mine]
        axes.plot(at, [row[metric] for row in mine],
                  label=_said([role.curves], which),
                  **plot_style.look(idx, len(lines)))
    _x_axis(axes, role.x, places)
    plot_style.value_axis(axes, 'y', limits, _text_of(metric))
    axes.set_title(title, loc='left', fontsize=9)
    _legend(axes, len(lines))


def metric_panels(name, plan_axes, metric, rows):
    """Return: [svg element]: METRIC over the axes, all to one scale. ROWS:
    output.flat()'s of one job and operation; NAME: unique in the page."""
    role = roles(plan_axes)
    rows = [row for row in rows if row[metric] is not None]
    if role.x is None or not rows:
        return []
    places, limits = list(plan_axes[role.x]), [row[metric] for row in rows]
    curves = len(plan_axes[role.curves]) if role.curves else 1
    found = []
    with svg.styled():
        for idx, (which, mine) in enumerate(_grouped(rows,
                                                     role.panels).items()):
            title = _said(role.panels, which)
            found.append(_picture(
                lambda axes, mine=mine, title=title: _metric_panel(
                    axes, role, places, metric, title, mine, limits),
                '%s-%d' % (name, idx),
                '%s over %s %s' % (METRICS[metric], role.x, title), curves))
    return found


def _cdf_panel(axes, curves, title, rows, limits):
    for idx, row in enumerate(rows):
        look = {**plot_style.look(idx, len(rows)), 'marker': ''}
        axes.step([value for _, value in row['cdf_us']],
                  [percent for percent, _ in row['cdf_us']], where='post',
                  label='%s %s' % (curves, row[curves]) if curves else '',
                  **look)
    plot_style.value_axis(axes, 'x', limits, plot_style.time_us)
    axes.set_ylim(0, 102)
    axes.set_xlabel('latency')
    axes.set_ylabel('% of the commands')
    axes.set_title(title, loc='left', fontsize=9)
    _legend(axes, len(rows))


def cdf_panels(name, plan_axes, rows):
    """Return: [svg element]: for each combination of all axes but that of the
    curves, the distributions of latency on one plot."""
    role = roles(plan_axes)
    rows = [row for row in rows if row.get('cdf_us')]
    others = ([role.x] if role.x else []) + role.panels
    limits = [value for row in rows for _, value in row['cdf_us'] if value > 0]
    curves = len(plan_axes[role.curves]) if role.curves else 1
    found = []
    with svg.styled():
        for idx, (which, mine) in enumerate(_grouped(rows, others).items()):
            title = _said(others, which)
            found.append(_picture(
                lambda axes, mine=mine, title=title: _cdf_panel(
                    axes, role.curves, title, mine, limits),
                '%s-%d' % (name, idx), 'latencies %s' % title, curves))
    return found
