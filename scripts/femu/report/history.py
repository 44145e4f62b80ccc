# SPDX-License-Identifier: GPL-2.0-or-later
"""The page's parts that the trace gives: how each step went over time, and what
became of the zones. Empty where there is no trace, or one that contradicts the
statistics.

Knows nothing of files, and of how pictures are drawn: PLOTS draws them, and
NAME() gives each its own name.
"""

from html import escape

from femu.common.numbers import mib, plural, short_time
from femu.results import jobs, operations
from femu.results.programs import MIB

# A curve of fewer points would show no more than the table.
LEAST_POINTS = 4
MAX_LINES = 8
# Commands that are not part of a step's workload.
UNSHOWN = ('flush', 'report', 'identify', 'log', 'feature', 'shutdown')
MAX_ZONES = 128
STATES = ('empty', 'open or closed', 'full', 'read-only', 'offline')


def lines_of(step):
    """Return: [(label, Line)] of STEP: of each operation, or of each job's if
    several jobs can be told apart."""
    trace = step.trace
    if trace is None or trace.series is None:
        return []
    apart = trace.parts and not jobs.fault(
        step, operations.commands_of(step.fio))
    found = {}
    for (part, operation), line in sorted(trace.series.lines.items()):
        if operation in UNSHOWN:
            continue
        label = operation
        if apart and len(trace.parts_with((operation,))) > 1:
            label = '%s %s' % (jobs.part_name(step, part), operation)
        found[label] = found[label].plus(line) if label in found else line
    return [(label, line) for label, line in found.items()
            if (line.count > 0).sum() >= LEAST_POINTS]


def over_time(step, plots, name):
    """Return: the figures of STEP: a row of two for each line."""
    if not plots:
        return ''
    if step.trace is None:
        return '<p class="note">Not shown over time: %s.</p>' % escape(
            step.trace_fault)
    lines = lines_of(step)
    texts = []
    for label, line in lines[:MAX_LINES]:
        series = step.trace.series
        what = '%s in step %s' % (label, step.name)
        texts.append(
            '<div class="figures">\n<div><figure>\n<figcaption><b>%s</b> '
            'latency at the drive over time<span class="key device">mean; '
            'shade: least to most, of %s each</span></figcaption>\n%s\n'
            '</figure></div>\n<div><figure>\n<figcaption><b>%s</b> throughput'
            '<span class="key device">%s</span></figcaption>\n%s\n</figure>'
            '</div>\n</div>' % (
                escape(label), short_time(series.stretch_ns),
                plots.latency_over_time(name(), what, series, line),
                escape(label), plural(int(line.count.sum()), 'command')
                + ', since the step\'s first',
                plots.rate_over_time(name(), what, series, line)))
    if len(lines) > MAX_LINES:
        texts.append('<p class="note">%d more are not shown.</p>' % (
            len(lines) - MAX_LINES))
    return '\n'.join(texts)


def zone_map(run, plots, name):
    """Return: the section on the zones, '' if none was touched."""
    zones = run.zones
    if zones is None or not zones.touched().any():
        return ''
    parts = ['<section>\n<h2>Zones</h2>']
    if plots:
        parts.append(
            '<figure>\n<figcaption><b>at the end</b> of the run%s'
            '<span class="key busy">filled up to the write pointer; lighter: '
            'full by a finish; ro, off: read-only, offline</span></figcaption>'
            '\n%s\n</figure>\n<figure>\n<figcaption><b>in the run</b>'
            '<span class="key busy">shade: written, full colour is %s MiB; '
            'r: resets, f: finishes</span></figcaption>\n%s\n</figure>' % (
                '' if run.virtual_ns is not None else
                ', or where the trace was cut short',
                plots.zones_at_end(name(), zones),
                mib(zones.written_bytes.max() / MIB),
                plots.zones_over_run(name(), zones)))
    parts.append(_untouched(zones))
    parts.append(_table(zones))
    return '\n'.join(parts) + '\n</section>'


def _untouched(zones):
    count = int((~zones.touched()).sum())
    return '<p class="note">Of %s, %s had no write, reset, finish or failure; ' \
        'those behind the last are not drawn.</p>' % (
            plural(len(zones.state), 'zone'), format(count, ','))


def _table(zones):
    touched = zones.touched().nonzero()[0]
    head = ('zone', 'written MiB', 'filled MiB', 'resets', 'finishes',
            'at the end')
    rows = []
    for zone in touched[:MAX_ZONES].tolist():
        rows.append((
            zone_name(zones, zone), mib(zones.written_bytes[zone] / MIB),
            mib(zones.filled_bytes[zone] / MIB), int(zones.resets[zone]),
            int(zones.finishes[zone]), STATES[zones.state[zone]]))
    body = '\n'.join('<tr><th scope="row">%s</th>%s</tr>' % (
        row[0], ''.join('<td>%s</td>' % cell for cell in row[1:]))
                     for row in rows)
    more = ''
    if len(touched) > MAX_ZONES:
        more = '<p class="note">%s more are not listed.</p>' % format(
            len(touched) - MAX_ZONES, ',')
    return '<details>\n<summary>%s in numbers</summary>\n<div class="scroll">' \
        '<table class="plain"><thead><tr>%s</tr></thead><tbody>%s</tbody>' \
        '</table></div>%s</details>' % (
            plural(len(touched), 'zone'),
            ''.join('<th scope="col">%s</th>' % text for text in head), body,
            more)


def zone_name(zones, zone):
    """Return: the number of ZONE in its namespace, with that if there are
    several."""
    ns, number = divmod(zone, zones.layout.ns_zones)
    return str(number) if zones.layout.namespaces == 1 else \
        '%d of namespace %d' % (number, ns + 1)
