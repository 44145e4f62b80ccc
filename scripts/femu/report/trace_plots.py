# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures of what the trace has: how latency and throughput went over time,
what became of the zones. Each function returns one <svg> element.

Knows nothing of files, and of the page around the pictures.
"""

import numpy as np
from matplotlib.collections import PatchCollection
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator

from femu.common.numbers import short_time
from femu.drawing import svg
from femu.drawing.axis import place, time_axis
from femu.drawing.svg import COLOUR, inline, styled
from femu.results.programs import MIB
from femu.trace.zones import ACTIVE, FULL, READ_ONLY

LATENCY_IN = 4.2
RATE_IN = 5.6
TIME_IN = 1.75
MAP_IN = 9.6
# The last stretch of time may be cut short. If less than this part of it has
# passed, its rate is not shown, as it would mean nothing.
LEAST_PART = 0.5
# Up to so many points a line shows each of them.
FEW = 40
# Zones in a row, up to so many rows; more zones become a bitmap.
ROW_ZONES = (32, 64, 128)
MAX_ROWS = 16
BITMAP_RGB = (0.27, 0.55, 0.93)     # as that of plots.py
FINISHED = 0.3                      # opacity of what a finish has filled
LEAST_FILL = 0.08                   # height at which a single block is seen


# --- Over time ----------------------------------------------------------------

def latency_over_time(name, what, series, line):
    """LINE: one of SERIES."""
    with styled():
        fig = svg.figure(LATENCY_IN, TIME_IN)
        axes = fig.add_subplot()
        place(fig, 0.62, 0.22, 0.26, 0.1)
        idx = np.flatnonzero(line.count)
        times_ns = (idx + 0.5) * series.stretch_ns
        mean_ns = line.sum_ns[idx] / line.count[idx]
        low_ns, high_ns = max(1, line.min_ns[idx].min()), max(
            2, line.max_ns[idx].max())
        axes.fill_between(times_ns, np.maximum(line.min_ns[idx], low_ns),
                          np.maximum(line.max_ns[idx], low_ns), linewidth=0,
                          color=COLOUR['device'], alpha=0.25)
        axes.plot(times_ns, np.maximum(mean_ns, low_ns), linewidth=1.4,
                  color=COLOUR['device'], marker='o' if len(idx) <= FEW else '',
                  markersize=2.6, markeredgewidth=0)
        margin = max((high_ns / low_ns) ** 0.06, 1.03)
        time_axis(axes, low_ns / margin, high_ns * margin, 'y')
        _since_begin(axes, series)
        return inline(fig, name, 'Latency over time of %s' % what)


def rate_over_time(name, what, series, line):
    """LINE: one of SERIES; MiB per second if it has data, else commands."""
    has_data = line.data_bytes.any()
    amounts = line.data_bytes / MIB if has_data else line.count
    used, part = series.used, series.last_part()
    widths_ns = np.full(used, float(series.stretch_ns))
    if part < LEAST_PART and used > 1:
        used -= 1
    else:
        widths_ns[-1] *= max(part, LEAST_PART)
    rates = amounts[:used] * 1e9 / widths_ns[:used]
    with styled():
        fig = svg.figure(RATE_IN, TIME_IN)
        axes = fig.add_subplot()
        place(fig, 0.62, 0.22, 0.26, 0.1)
        edges_ns = np.arange(used + 1) * series.stretch_ns
        axes.fill_between(edges_ns, np.append(rates, rates[-1:]), step='post',
                          color=COLOUR['device'], alpha=0.3, linewidth=0)
        axes.step(edges_ns, np.append(rates, rates[-1:]), where='post',
                  color=COLOUR['device'], linewidth=1.2)
        axes.set_ylim(0, max(rates.max(), 1e-9) * 1.1)
        axes.yaxis.set_major_locator(MaxNLocator(nbins=4))
        axes.yaxis.set_major_formatter(FuncFormatter(
            lambda value, _: '%.10g' % value))
        axes.set_ylabel('MiB/s' if has_data else 'commands/s')
        _since_begin(axes, series)
        return inline(fig, name, 'Throughput over time of %s' % what)


def _since_begin(axes, series):
    axes.set_xlim(0, series.used * series.stretch_ns)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(
        lambda value, _: short_time(value) if value > 0 else '0'))


# --- Zones --------------------------------------------------------------------

def zones_at_end(name, zones):
    """How full each zone of ZONES, a ZoneMap, is at the end, and its state."""
    part = zones.filled_bytes / zones.layout.capacity_bytes
    return _map(name, 'State of the zones at the end', zones, part, _draw_end)


def zones_over_run(name, zones):
    """What was written to each zone, how often it was reset and finished."""
    part = zones.written_bytes / max(1, zones.written_bytes.max())
    return _map(name, 'What was written to the zones, resets and finishes',
                zones, part, _draw_use)


def _map(name, description, zones, part, draw):
    """PART: 0..1 of each zone. DRAW(axes, place of the zone, zone, its part)
    draws a cell."""
    rows, row_zones = _rows(zones)
    with styled():
        fig = svg.figure(MAP_IN, 0.28 + 0.27 * len(rows))
        axes = fig.add_subplot()
        place(fig, 0.9, 0.1, 0.24, 0.02)
        if row_zones > ROW_ZONES[-1]:
            _bitmap(axes, part, rows, row_zones)
        else:
            for y, (first, count) in enumerate(rows):
                _outlines(axes, y, count)
                for zone in range(first, first + count):
                    draw(axes, zone - first, y, zones, zone, part[zone])
        axes.set_xlim(-0.1, row_zones + 0.1)
        axes.set_ylim(len(rows) + 0.02, -0.02)
        shown = range(0, row_zones, row_zones // 8)
        axes.set_xticks([x + 0.5 for x in shown], ['+%d' % x for x in shown])
        axes.tick_params(axis='x', length=0)
        axes.set_yticks(np.arange(len(rows)) + 0.5,
                        [_row_name(zones, first) for first, _ in rows])
        axes.grid(visible=False)
        axes.spines[['left', 'bottom']].set_visible(False)
        return inline(fig, name, description)


def _rows(zones):
    """Return: ([(first zone, count)], zones in a row): up to the last zone of
    each namespace of which there is something to say."""
    of_ns = zones.layout.ns_zones
    last = {}
    for zone in np.flatnonzero(zones.touched()):
        last[int(zone) // of_ns] = int(zone) % of_ns
    for row_zones in ROW_ZONES + (1 << 20,):
        rows = [(ns * of_ns + first, min(row_zones, of_ns - first))
                for ns, end in sorted(last.items())
                for first in range(0, end + 1, row_zones)]
        if len(rows) <= MAX_ROWS:
            return rows, row_zones
    # Of very many zones: a square for each namespace, cut to what there is.
    row_zones = max(ROW_ZONES[-1] + 1, int(np.ceil(np.sqrt(of_ns))))
    return [(ns * of_ns + first, min(row_zones, of_ns - first))
            for ns, end in sorted(last.items())
            for first in range(0, end + 1, row_zones)], row_zones


def _row_name(zones, first):
    ns, zone = divmod(first, zones.layout.ns_zones)
    if zones.layout.namespaces == 1:
        return 'zone %d' % zone
    return 'ns %d zone %d' % (ns + 1, zone)


def _bitmap(axes, part, rows, row_zones):
    image = np.zeros((len(rows), row_zones, 4))
    image[:, :, :3] = BITMAP_RGB
    for y, (first, count) in enumerate(rows):
        image[y, :count, 3] = part[first:first + count]
    axes.imshow(image, aspect='auto', interpolation='nearest',
                extent=(0, row_zones, len(rows), 0))


def _cells(axes, boxes, colour, alpha):
    axes.add_collection(PatchCollection(
        [Rectangle(*box) for box in boxes], linewidths=0,
        facecolors=[to_rgba(COLOUR[colour], alpha)]))


def _outlines(axes, y, count):
    axes.add_collection(PatchCollection(
        [Rectangle((x + 0.06, y + 0.06), 0.88, 0.88) for x in range(count)],
        facecolors='none', edgecolors=[to_rgba(COLOUR['grid'])],
        linewidths=0.8))


def _draw_end(axes, x, y, zones, zone, part):
    state = zones.state[zone]
    if state == FULL:
        _cells(axes, [((x + 0.06, y + 0.06), 0.88, 0.88)], 'busy', FINISHED)
    if part > 0 or state == ACTIVE:
        height = 0.88 * max(part, LEAST_FILL)
        _cells(axes, [((x + 0.06, y + 0.94 - height), 0.88, height)], 'busy',
               0.9)
    if state >= READ_ONLY:
        axes.text(x + 0.5, y + 0.52, 'ro' if state == READ_ONLY else 'off',
                  ha='center', va='center', fontsize=6.5, color=COLOUR['ink'])


def _draw_use(axes, x, y, zones, zone, part):
    if part > 0:
        _cells(axes, [((x + 0.06, y + 0.06), 0.88, 0.88)], 'busy',
               0.1 + 0.8 * part)
    texts = ['%s%d' % (letter, counts[zone]) for letter, counts in (
        ('r', zones.resets), ('f', zones.finishes)) if counts[zone]]
    if texts:
        axes.text(x + 0.5, y + 0.52, '\n'.join(texts), ha='center',
                  va='center', fontsize=5.5, linespacing=1,
                  color=COLOUR['paper' if part > 0.5 else 'ink'])
