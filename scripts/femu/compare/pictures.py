# SPDX-License-Identifier: GPL-2.0-or-later
"""The comparison's pictures: one operation's latencies in all runs on one
plot, and what was busy in each.

Knows nothing of the page that they stand on.
"""

from femu.drawing import plot_style, svg

WIDTH_IN, PLOT_IN, LINE_IN = 4.6, 2.3, 0.17


def latencies(name, what, curves):
    """CURVES: [(a run's name, Distribution)]. Return: an svg element."""
    with svg.styled():
        figure = svg.figure(WIDTH_IN, PLOT_IN + LINE_IN * (len(curves) + 1))
        figure.set_layout_engine('constrained')
        axes = figure.add_subplot()
        limits = []
        for idx, (label, curve) in enumerate(curves):
            times_ns, shares = curve.cdf()
            times_us = [curve.min_ns / 1000] + [one / 1000 for one in times_ns]
            limits += [value for value in times_us if value > 0]
            look = {**plot_style.look(idx, len(curves)), 'marker': ''}
            axes.step(times_us, [0] + [100 * one for one in shares],
                      where='post', label=label, **look)
        plot_style.value_axis(axes, 'x', limits, plot_style.time_us)
        axes.set_ylim(0, 102)
        axes.set_ylabel('% of the commands')
        axes.set_title(what, loc='left', fontsize=9)
        axes.legend(loc='upper left', bbox_to_anchor=(-0.08, -0.16),
                    fontsize=7, handlelength=4)
        return svg.inline(figure, name, 'latencies of ' + what)
