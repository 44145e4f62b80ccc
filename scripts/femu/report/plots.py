# SPDX-License-Identifier: GPL-2.0-or-later
"""The report's pictures: latency distributions, what was busy, lateness. Each
function returns one <svg> element.

Knows nothing of files, and of the page around the pictures.
"""

from matplotlib.collections import PatchCollection
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator

from femu.common.numbers import share as share_text
from femu.drawing import svg
from femu.drawing.axis import place, time_axis, time_range
from femu.drawing.svg import COLOUR, inline, styled
# pylint: disable-next=unused-import
from femu.report.trace_plots import (latency_over_time, rate_over_time,
                                     zones_at_end, zones_over_run)

WIDE_IN = 9.6
LATENCY_IN = 4.2
BUSY_IN = 5.6
TITLE = {'fontsize': 8, 'loc': 'left', 'color': COLOUR['muted']}
# A bitmap cannot follow the page's colours: this one suits light and dark.
BITMAP_RGB = (0.27, 0.55, 0.93)
# The guest's line is drawn over the device's: thinner, so that both are seen.
LINE_PT = {'device': 2.6, 'guest': 1.5}
PLOT_PERCENTS = (50, 95)
WHISKER_PERCENTS = (5, 95)
# More cells than this become a bitmap inside the SVG.
MAX_VECTOR_CELLS = 2048
# Cells narrower than this have no number in them.
NUMBER_CELL_IN = 0.36
BUSY_SCALES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
FAINTEST = 0.06


# --- Latency ------------------------------------------------------------------

def latency(name, what, curves):
    """The cumulative distributions of one operation. CURVES: [(role,
    Distribution)]; a role is one of the page's colours."""
    with styled():
        fig = svg.figure(LATENCY_IN, 2.05)
        axes = fig.add_subplot()
        place(fig, 0.48, 0.22, 0.26, 0.1)
        low_ns, high_ns = time_range([curve for _, curve in curves])
        for role, curve in curves:
            _draw_cdf(axes, curve, role, low_ns, high_ns)
        time_axis(axes, low_ns, high_ns)
        axes.set_ylim(0, 1.02)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
        axes.yaxis.set_major_formatter(
            FuncFormatter(lambda value, _: '%.0f %%' % (value * 100)))
        return inline(fig, name, 'Cumulative latency distribution of %s' % what)


def _draw_cdf(axes, curve, role, low_ns, high_ns):
    colour = COLOUR[role]
    times_ns, shares = curve.cdf()
    times_ns = [max(time_ns, low_ns) for time_ns in times_ns]
    xs = [low_ns] + times_ns + [high_ns]
    ys = [0] + shares + [1]
    axes.plot(xs, ys, drawstyle='steps-post', color=colour,
              linewidth=LINE_PT[role], solid_joinstyle='round')
    axes.plot([max(curve.percentile_ns(percent), low_ns)
               for percent in PLOT_PERCENTS],
              [percent / 100 for percent in PLOT_PERCENTS], 'o', color=colour,
              markersize=4.5, markeredgecolor=COLOUR['paper'],
              markeredgewidth=1.0)


def overview(name, rows):
    """All operations of a run on one axis. ROWS: [(label, [(role,
    Distribution)])], at least one Distribution each."""
    with styled():
        fig = svg.figure(WIDE_IN, 0.4 + 0.34 * len(rows))
        draw_overview(fig, fig.add_subplot(), rows, 0.08)
        return inline(fig, name, 'Latency of every operation')


def draw_overview(fig, axes, rows, top_in):
    """Draws overview()'s ROWS on the AXES of FIG, TOP_IN inches below its
    upper end."""
    longest = max(len(label) for label, _ in rows)
    place(fig, min(3.2, 0.35 + 0.066 * longest), 0.25, 0.26, top_in)
    low_ns, high_ns = time_range([curve for _, curves in rows
                                  for _, curve in curves])
    for idx, (_, curves) in enumerate(rows):
        for part, (role, curve) in enumerate(curves):
            y = idx + (part - (len(curves) - 1) / 2) * 0.34
            _draw_whisker(axes, y, curve, COLOUR[role], low_ns)
    time_axis(axes, low_ns, high_ns)
    axes.set_ylim(len(rows) - 0.45, -0.55)
    axes.set_yticks(range(len(rows)), [label for label, _ in rows])
    axes.tick_params(axis='y', labelcolor=COLOUR['ink'])
    axes.grid(axis='y', visible=False)
    axes.spines['left'].set_visible(False)


def _draw_whisker(axes, y, curve, colour, low_ns):
    ends = [max(curve.percentile_ns(percent), low_ns)
            for percent in WHISKER_PERCENTS]
    axes.plot(ends, [y, y], color=colour, linewidth=3.2, alpha=0.4,
              solid_capstyle='round')
    axes.plot([max(curve.percentile_ns(50), low_ns)], [y], 'o', color=colour,
              markersize=5.5, markeredgewidth=0)


# --- What was busy ------------------------------------------------------------

def utilisation(name, step, busy):
    """For which share of STEP each flash unit and each channel was busy."""
    channels = busy.geometry['channels']
    row_in = max(1.28 / channels, 0.17 if channels <= 16 else 0.08)
    with styled():
        fig = svg.figure(BUSY_IN, 0.87 + row_in * channels)
        units, bars = fig.subplots(
            1, 2, sharey=True, gridspec_kw={'width_ratios': [3.1, 1]})
        place(fig, 0.5, 0.4, 0.5, 0.34)
        fig.subplots_adjust(wspace=0.07)
        _draw_units(fig, units, busy)
        _draw_channels(bars, busy.channels)
        shown = list(range(0, channels, max(1, channels // 16)))
        units.set_yticks(shown, ['%d' % channel for channel in shown])
        units.set_ylim(channels - 0.5, -0.5)
        units.set_ylabel('channel')
        return inline(fig, name, 'Busy share of flash units and channels '
                      'during %s' % step)


def _draw_units(fig, axes, busy):
    channels = busy.geometry['channels']
    per_channel = len(busy.units) // channels
    scale = next((scale for scale in BUSY_SCALES
                  if max(busy.units) <= scale), 1.0)
    alphas = [0 if share == 0 else
              FAINTEST + (1 - FAINTEST) * min(1, share / scale)
              for share in busy.units]
    if len(alphas) <= MAX_VECTOR_CELLS:
        _draw_cells(axes, alphas, per_channel)
    else:
        rows = [alphas[row * per_channel:(row + 1) * per_channel]
                for row in range(channels)]
        axes.imshow([[BITMAP_RGB + (alpha,) for alpha in row] for row in rows],
                    aspect='auto', interpolation='nearest')
    _number_cells(fig, axes, busy, per_channel, alphas)
    axes.set_xlim(-0.5, per_channel - 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(
        nbins=16, integer=True, min_n_ticks=1, steps=[1, 2, 4, 8, 10]))
    axes.grid(visible=False)
    axes.spines[['left', 'bottom']].set_visible(False)
    axes.set_xlabel('unit of its channel (way, die, plane)')
    axes.set_title('flash units; full colour = %s' % share_text(scale),
                   **TITLE)


def _draw_cells(axes, alphas, per_channel):
    cells = [Rectangle((idx % per_channel - 0.46, idx // per_channel - 0.44),
                       0.92, 0.88) for idx in range(len(alphas))]
    edges = [to_rgba(COLOUR['grid'])] * len(cells)
    axes.add_collection(PatchCollection(
        cells, facecolors=[to_rgba(COLOUR['busy'], alpha)
                           for alpha in alphas],
        edgecolors=edges, linewidths=0.5))


def _number_cells(fig, axes, busy, per_channel, alphas):
    width_in, height_in = fig.get_size_inches()
    box = axes.get_position()
    channels = busy.geometry['channels']
    if (box.width * width_in / per_channel < NUMBER_CELL_IN
            or box.height * height_in / channels < 0.2):
        return
    for idx, share in enumerate(busy.units):
        role = 'paper' if alphas[idx] > 0.55 else 'ink'
        axes.text(idx % per_channel, idx // per_channel, share_text(share),
                  ha='center', va='center', fontsize=7, color=COLOUR[role])


def _draw_channels(axes, channels):
    axes.barh(range(len(channels)), channels, height=0.62,
              color=COLOUR['busy'], alpha=0.85, linewidth=0)
    if len(channels) <= 16:
        for idx, share in enumerate(channels):
            axes.annotate(share_text(share), (share, idx), (4, 0),
                          textcoords='offset points', va='center', fontsize=7,
                          color=COLOUR['ink'], annotation_clip=False)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.5, 1], ['0', '50 %', '100 %'])
    axes.tick_params(axis='y', labelleft=False)
    axes.grid(axis='y', visible=False)
    axes.set_title('channels', **TITLE)


# --- Lateness -----------------------------------------------------------------

def lateness(name, steps):
    """How late completions were posted. STEPS: [(label, Lateness)]."""
    with styled():
        fig = svg.figure(WIDE_IN, 0.4 + 0.3 * len(steps))
        axes = fig.add_subplot()
        longest = max(len(label) for label, _ in steps)
        place(fig, min(3.2, 0.35 + 0.066 * longest), 0.25, 0.26, 0.08)
        times_ns = [time_ns for _, late in steps for time_ns in
                    (late.p50_ns, late.p99_ns, late.max_ns)]
        low_ns = max(1, min(times_ns)) / 1.5
        for idx, (_, late) in enumerate(steps):
            _draw_lateness(axes, idx, late, low_ns)
        time_axis(axes, low_ns, max(max(times_ns), 10) * 1.5)
        axes.set_ylim(len(steps) - 0.5, -0.5)
        axes.set_yticks(range(len(steps)), [label for label, _ in steps])
        axes.tick_params(axis='y', labelcolor=COLOUR['ink'])
        axes.grid(axis='y', visible=False)
        axes.spines['left'].set_visible(False)
        return inline(fig, name, 'Lateness of completions: median, 99th '
                      'percentile and maximum of every step')


def _draw_lateness(axes, idx, late, low_ns):
    p50_ns, p99_ns, max_ns = (max(time_ns, low_ns) for time_ns in
                              (late.p50_ns, late.p99_ns, late.max_ns))
    colour = COLOUR['device']
    axes.plot([p50_ns, max_ns], [idx, idx], color=colour, linewidth=1.2,
              alpha=0.5)
    axes.plot([p50_ns, p99_ns], [idx, idx], color=colour, linewidth=3.2,
              alpha=0.5, solid_capstyle='round')
    axes.plot([p50_ns], [idx], 'o', color=colour, markersize=5.5,
              markeredgewidth=0)
    axes.plot([max_ns], [idx], '|', color=colour, markersize=8,
              markeredgewidth=1.5)
