# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures as in "Multi-Queue SSD I/O Modeling": throughput over the share of
random pages, a curve for each number of threads, what was measured as marks and
what a model says as lines (figures 2 and 4).

Knows nothing of how models are fitted.
"""

from femu.drawing import plot_style, svg
from femu.mqssd import models


def draw_model(axes, fit, model):
    """Draws one model of one operation."""
    counts = list(fit.costs)
    for idx, threads in enumerate(counts):
        points = sorted((point for point in fit.points
                         if point.threads == threads), key=models.rho_of)
        shares = [100 * models.rho_of(point) for point in points]
        look = plot_style.look(idx, len(counts))
        axes.plot(shares, [fit.predicted(model, threads, models.rho_of(point))
                           for point in points],
                  **{**look, 'marker': 'none', 'linewidth': 1.2})
        axes.plot(shares, [point.mibps for point in points],
                  **{**look, 'linestyle': 'none', 'markersize': 3.5},
                  label='%d' % threads)
    plot_style.value_axis(axes, 'x', shares, plot_style.number)
    plot_style.value_axis(axes, 'y', [point.mibps for point in fit.points],
                          plot_style.number)


def draw(path, fits):
    """Draws PATH.svg and PATH.png: a row for each operation, a column for each
    model."""
    with svg.styled():
        figure = svg.figure(11.5, 0.6 + 2.6 * len(fits))
        figure.set_layout_engine('constrained')
        grid = figure.subplots(len(fits), len(models.MODELS), sharex=True,
                               sharey='row', squeeze=False)
        for row, (op, fit) in zip(grid, sorted(fits.items())):
            for axes, model in zip(row, models.MODELS):
                draw_model(axes, fit, model)
                axes.set_title('%s, %s: %.1f %% off' % (
                    model, op, 100 * sum(fit.errors(model)) /
                    len(fit.points)), loc='left', fontsize=9)
            row[0].set_ylabel('MiB/s')
        for axes in grid[-1]:
            axes.set_xlabel('random accesses, % of pages')
        grid[0][0].legend(title='threads', fontsize=7, ncols=2)
        svg.save(figure, path)
