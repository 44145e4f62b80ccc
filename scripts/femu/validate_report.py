# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of a validation: measured against model, curve by curve.

Knows nothing of simulations.
"""

import html

from femu import report_svg
from femu.report_style import CSS

COLOURS = ('#1f6fd6', '#d9660b', '#157347', '#8a3ffc', '#b42318', '#5b6472',
           '#0f9fa8', '#c2185b', '#7a5a00', '#2e7d9a')
METRICS = {'kiops': 'thousand operations/s',
           'speedup': 'times the throughput of one thread',
           'mean_us': 'mean, us',
           'p50_us': 'median, us', 'p95_us': 'p95, us',
           'bg_mibps': 'background, MiB/s', 'mgmt_per_s': 'management per s',
           'mgmt_p50_us': 'median of management, us'}
# What tells curves apart, in this order, when it differs at all.
SERIES_FIELDS = ('fg_op', 'bs_bytes', 'lba_bytes', 'bg_op', 'bg_rate_mibps',
                 'bg_intensity_pct', 'finished')
MAX_CURVES = 10
FEW_TICKS = 3


def x_of(exp):
    """Return: where the experiment is on the x axis."""
    if exp.fields.get('occupancy_pct'):
        return float(exp.fields['occupancy_pct'])
    return max(0.5, float(exp.fields.get('qd') or 1) *
               float(exp.fields.get('zones') or 1))


def label_of(exp):
    """Return: the name of the curve that the experiment is on."""
    words = []
    for name in SERIES_FIELDS[1:]:
        value = exp.fields.get(name)
        if value and not (name == 'lba_bytes' and value == '4096'):
            words.append('%s %s' % (name.replace('_bytes', '')
                                    .replace('_pct', ' %')
                                    .replace('_mibps', ' MiB/s')
                                    .replace('_', ' '), value))
    return ', '.join(words) or exp.fields.get('fg_op') or 'alone'


def curves_of(experiments, metric):
    """Return: {label: [(x, measured, model)]}, sorted."""
    curves = {}
    for exp in experiments:
        if metric in exp.model:
            curves.setdefault(label_of(exp), []).append(
                (x_of(exp), exp.measured[metric], exp.model[metric]))
    return {label: sorted(points) for label, points in curves.items()}


def x_name(experiments):
    """Return: what the x axis is."""
    return 'occupancy, %' if any(exp.fields.get('occupancy_pct')
                                 for exp in experiments) \
        else 'commands outstanding'


def draw(axes, metric, curves):
    """One metric: measured hollow, the model a line."""
    for colour, (label, points) in zip(COLOURS, curves.items()):
        xs = [p[0] for p in points]
        axes.plot(xs, [p[2] for p in points], color=colour, linewidth=1.2,
                  marker='.', markersize=4, label=label)
        axes.plot(xs, [p[1] for p in points], color=colour, linestyle='none',
                  marker='s', fillstyle='none', markersize=4)
    everything = [p for points in curves.values() for p in points]
    if max(p[0] for p in everything) > 20:
        axes.set_xscale('symlog', linthresh=1)
    places = sorted({p[0] for p in everything})
    if len(places) <= FEW_TICKS:
        axes.set_xticks(places, ['%g' % place for place in places])
    values = [p[1] for p in everything]
    if min(values) > 0 and max(values) > 30 * min(values):
        axes.set_yscale('log')
    else:
        # From 0, or 1 % would look like a world.
        axes.set_ylim(0, 1.1 * max(max(p[1:]) for p in everything))
    axes.set_title(METRICS.get(metric, metric), loc='left', fontsize=8)


def picture(name, experiments):
    """Return: the figure of some experiments of a part as SVG."""
    metrics = [m for m in METRICS if any(m in e.model for e in experiments)]
    with report_svg.styled():
        figure = report_svg.figure(11, 3.1)
        for idx, metric in enumerate(metrics):
            axes = figure.add_subplot(1, len(metrics), idx + 1)
            draw(axes, metric, curves_of(experiments, metric))
            axes.set_xlabel(x_name(experiments), fontsize=7)
        handles = figure.axes[0].get_legend_handles_labels()
        figure.legend(*handles, loc='lower center', ncols=3, fontsize=6)
        figure.subplots_adjust(left=0.05, right=0.99, top=0.9, bottom=0.34,
                               wspace=0.25)
        return report_svg.inline(figure, name, 'measured and model')


def groups_of(experiments):
    """Yields (title, experiments): a part's operations, few curves each."""
    parts = {}
    for exp in experiments:
        if exp.model:
            key = (exp.part, exp.fields.get('fg_op') or 'alone',
                   exp.fields.get('bg_op') or '',
                   exp.fields.get('lba_bytes') or '')
            parts.setdefault(key, []).append(exp)
    for (part, fg_op, bg_op, lba), mine in parts.items():
        labels = sorted({label_of(exp) for exp in mine})
        title = '%s: %s%s%s' % (
            part, fg_op, ' beside %s' % bg_op if bg_op else '',
            '' if lba in ('', '4096') else ', blocks of %s bytes' % lba)
        for at in range(0, len(labels), MAX_CURVES):
            some = labels[at:at + MAX_CURVES]
            yield title, [e for e in mine if label_of(e) in some]


def table(rows):
    """Return: the errors by part and metric."""
    lines = ['<tr><th>part</th><th>metric</th><th>points</th>'
             '<th>mean error, %</th><th>90th percentile, %</th></tr>']
    for part, metric, count, mean, p90 in rows:
        lines.append('<tr><td>%s</td><td>%s</td><td>%d</td><td>%.1f</td>'
                     '<td>%.1f</td></tr>' % (html.escape(part), metric, count,
                                             mean, p90))
    return '<table>\n%s\n</table>' % '\n'.join(lines)


def write(path, experiments, rows, summary):
    """Writes the page."""
    sections = ['<section><h2>Errors</h2>\n%s</section>' % table(rows)]
    for idx, (title, mine) in enumerate(groups_of(experiments)):
        sections.append('<section><h2>%s</h2>\n%s</section>' % (
            html.escape(title), picture('v%d' % idx, mine)))
    with open(path, 'w', encoding='utf-8') as file:
        file.write('<!DOCTYPE html>\n<html lang="en"><head>'
                   '<meta charset="utf-8"><title>validation</title>\n'
                   '<style>\n%s</style></head><body><main>\n'
                   '<p class="product">femu-zns</p>\n'
                   '<h1>Measured and model</h1>\n<p>%s</p>\n'
                   '<p>Squares: measured. Lines: the model. The x axis is the '
                   'number of commands outstanding, or the occupancy in '
                   'percent.</p>\n%s\n</main></body></html>\n' % (
                       CSS, html.escape(summary), '\n'.join(sections)))
