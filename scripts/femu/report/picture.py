# SPDX-License-Identifier: GPL-2.0-or-later
"""A run's table and its latencies as one PNG, for a document that shows the
table too; the PNG says of which table it was made.

Knows nothing of documents.
"""

import hashlib

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.lines import Line2D

from femu.drawing import png, svg
from femu.drawing.svg import COLOUR
from femu.report import plots
from femu.report.table import labels, make as table_of
from femu.results import operations

KEY = 'femu-zns-table'
LINE_IN = 0.176
MARGIN_IN = 0.2
LEGEND = (('device', 'device: submission to completion'),
          ('guest', 'fio or zone-op, in the guest'))


def hash_of(table):
    """Return: the hash of a table's text, which the PNG holds."""
    lines = [line.rstrip() for line in table.strip().splitlines()]
    return hashlib.sha256('\n'.join(lines).encode()).hexdigest()


def hash_in(path):
    """Return: the hash of the table that a PNG was made of, or None."""
    return png.text_in(path, KEY)


def rows_of(run):
    """Return: [(label, [(role, Distribution)])] of all that took time."""
    rows = []
    for step in run.steps:
        mine = operations.of_step(step)
        for label, row in zip(labels(mine), mine):
            curves = [(role, curve) for role, curve in (
                ('device', row.device), ('guest', row.guest))
                      if curve and curve.max_ns > 0]
            if curves:
                rows.append((label, curves))
    return rows


def draw(path, run):
    """Writes the picture of a run. Return: the table in it."""
    table = '\n'.join(table_of(run))
    rows = rows_of(run)
    text_in = LINE_IN * (len(table.splitlines()) + 1)
    plot_in = 0.75 + 0.34 * len(rows)
    with svg.styled():
        fig = svg.figure(plots.WIDE_IN,
                         2 * MARGIN_IN + text_in + plot_in)
        fig.set_dpi(svg.DPI)
        fig.patch.set(visible=True, facecolor=COLOUR['paper'])
        height_in = fig.get_size_inches()[1]
        fig.text(MARGIN_IN / plots.WIDE_IN, 1 - MARGIN_IN / height_in,
                 table, family='DejaVu Sans Mono', fontsize=10.4, va='top',
                 color=COLOUR['ink'])
        axes = fig.add_subplot()
        plots.draw_overview(fig, axes, rows,
                            MARGIN_IN + text_in + 0.25)
        axes.legend(handles=[Line2D(
            [], [], color=COLOUR[role], marker='o', linewidth=3, alpha=0.8,
            label=label) for role, label in LEGEND], loc='lower left', ncols=2,
                    bbox_to_anchor=(0, 1), fontsize=7.5)
        FigureCanvasAgg(fig).print_png(path, metadata={
            'Software': None, KEY: hash_of(table)}, pil_kwargs={
                'optimize': True})
    return table
