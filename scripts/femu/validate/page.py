# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of a validation: measured against model, curve by curve.

Knows nothing of simulations.
"""

from html import escape

from femu.drawing import page_style, plot_style, svg

METRICS = {'kiops': 'thousand operations/s',
           'speedup': 'times one thread',
           'mean_us': 'mean', 'p50_us': 'median', 'p95_us': 'p95',
           'bg_mibps': 'background, MiB/s', 'mgmt_per_s': 'management per s',
           'mgmt_p50_us': 'median of management'}
# Fields by which curves are told apart, in this order, if they differ at all;
# and how a legend names their values.
SERIES = {'bs_bytes': lambda value: size(value) + ' each',
          'bg_rate_mibps': '{} MiB/s beside'.format,
          'bg_intensity_pct': lambda value: 'alone' if value == '0'
                              else value + ' % beside',
          'finished': lambda value: 'a finished zone' if value == '1'
                      else 'not finished'}
MAX_CURVES = 8
PANEL_IN = (3.4, 2.4)
LEGEND_IN = 4.8
LINE_IN = 0.18


def size(text):
    """Return: a number of bytes as a reader wants it: 512 B, 4 KiB."""
    count = int(float(text))
    return '%d KiB' % (count // 1024) if count % 1024 == 0 else '%d B' % count


def x_of(exp):
    """Return: where the experiment is on the x axis."""
    if exp.fields.get('occupancy_pct'):
        return float(exp.fields['occupancy_pct'])
    return max(0.5, float(exp.fields.get('qd') or 1) *
               float(exp.fields.get('zones') or 1))


def label_of(exp):
    """Return: the name of the curve that the experiment is on."""
    words = [text(exp.fields[name]) for name, text in SERIES.items()
             if exp.fields.get(name)]
    return ', '.join(words) or exp.fields.get('fg_op') or 'alone'


def order_of(exp):
    """Return: what sorts an experiment's curve among others."""
    return [float(exp.fields.get(name) or 0) for name in SERIES]


def curves_of(experiments, metric):
    """Return: {label: [(x, measured, model)]}, sorted."""
    curves = {}
    for exp in sorted(experiments, key=order_of):
        if metric in exp.model:
            curves.setdefault(label_of(exp), []).append(
                (x_of(exp), exp.measured[metric], exp.model[metric]))
    return {label: sorted(points) for label, points in curves.items()}


def x_name(experiments):
    """Return: what the x axis is."""
    return 'occupancy, %' if any(exp.fields.get('occupancy_pct')
                                 for exp in experiments) \
        else 'commands outstanding'


def error_of(curves):
    """Return: the mean absolute error of all points of CURVES, in percent."""
    errors = [abs(model / measured - 1) * 100 for points in curves.values()
              for _, measured, model in points]
    return sum(errors) / len(errors)


def draw(axes, metric, curves, looks):
    """One metric: measured hollow, the model a line. LOOKS: {label: look}."""
    for label, points in curves.items():
        xs = [p[0] for p in points]
        axes.plot(xs, [p[2] for p in points], **looks[label])
        axes.plot(xs, [p[1] for p in points],
                  **plot_style.hollow(looks[label]))
    everything = [p for points in curves.values() for p in points]
    plot_style.value_axis(
        axes, 'y', [value for p in everything for value in p[1:]],
        plot_style.time_us if metric.endswith('_us')
        else plot_style.number)
    axes.set_title('%s, off by %.1f %%' % (METRICS[metric],
                                           error_of(curves)),
                   loc='left', fontsize=9)
    return [p[0] for p in everything]


def panel(name, metric, experiments, looks):
    """Return: one metric of some experiments of a part as SVG."""
    with svg.styled():
        figure = svg.figure(*PANEL_IN)
        figure.set_layout_engine('constrained')
        axes = figure.add_subplot()
        places = draw(axes, metric, curves_of(experiments, metric), looks)
        axes.set_xlabel(x_name(experiments))
        if not x_name(experiments).endswith('%'):
            plot_style.count_axis(axes, places)
        else:
            axes.set_xlim(-3, 103)
        return svg.inline(figure, name, 'Measured and model: '
                          + METRICS[metric])


def legend(name, looks):
    """Return: which curve is which, as SVG."""
    looks = dict(looks, **{'hollow: measured': plot_style.hollow(
        {'color': svg.COLOUR['muted'], 'marker': 'o',
         'markersize': 4})})
    with svg.styled():
        figure = svg.figure(
            LEGEND_IN, 0.1 + LINE_IN * -(-len(looks) // 2))
        axes = figure.add_axes((0, 0, 1, 1), frameon=False, xticks=[],
                               yticks=[])
        for label, look in looks.items():
            axes.plot([], [], label=label, **look)
        axes.legend(loc='upper left', ncols=2, fontsize=8, handlelength=4,
                    borderaxespad=0)
        return svg.inline(figure, name, 'Legend')


def card(name, title, experiments):
    """Return: the HTML of some experiments of a part. NAME goes before the
    names of its pictures."""
    labels = list(dict.fromkeys(map(label_of, sorted(experiments,
                                                     key=order_of))))
    looks = {label: plot_style.look(idx, len(labels))
             for idx, label in enumerate(labels)}
    panels = [panel('%s%s' % (name, metric.replace('_', '')), metric,
                    experiments, looks)
              for metric in METRICS if any(metric in exp.model
                                           for exp in experiments)]
    return ('<section><h2>%s</h2>\n<div class="curves">%s</div>\n'
            '<div class="panels">%s</div></section>' % (
                escape(title), legend(name, looks),
                '\n'.join('<div>%s</div>' % one for one in panels)))


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
        labels = list(dict.fromkeys(map(label_of, sorted(mine,
                                                         key=order_of))))
        title = '%s: %s%s%s' % (
            part, fg_op, {'': '', 'none': ' alone'}.get(
                bg_op, ' beside %s' % bg_op),
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
                     '<td>%.1f</td></tr>' % (escape(part), metric, count,
                                             mean, p90))
    return '<div class="scroll"><table>\n%s\n</table></div>' % (
        '\n'.join(lines))


def write(path, experiments, rows, summary):
    """Writes the page."""
    sections = ['<section><h2>Errors</h2>\n%s</section>' % table(rows)]
    sections += [card('v%d' % idx, title, mine) for idx, (title, mine)
                 in enumerate(groups_of(experiments))]
    with open(path, 'w', encoding='utf-8') as file:
        file.write(page_style.page(
            'Validation', '<p class="product">femu-zns</p>\n'
            '<h1>Measured and model</h1>\n<p>%s</p>\n<p>Hollow: measured. '
            'Lines: the model; "off by" is the mean error of a panel\'s '
            'points. The x axis is the number of commands outstanding, or '
            'the occupancy in percent.</p>\n%s' % (
                escape(summary), '\n'.join(sections))))
