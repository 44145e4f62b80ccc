# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of a sweep: what was asked, pictures, the table, what failed.

Knows nothing of how points are run, and of how pictures are drawn.
"""

from html import escape

from femu.drawing import page_style
from femu.sweep import output, plots
from femu.sweep.plan import METRICS


def _header(plan, command, summary):
    axes = ''.join('<div><dt>%s</dt><dd>%s</dd></div>' % (
        escape(name), escape(', '.join(map(str, values))))
        for name, values in plan.axes.items())
    return ('<header>\n<p class="product">femu-zns</p>\n<h1>%s</h1>\n'
            '<p>%s</p>\n<p><code>%s</code></p>\n<p>Every number: <a '
            'href="points.csv">points.csv</a>, <a href="table.md">table.md'
            '</a>; the plan: <a href="plan.toml">plan.toml</a>.</p>\n'
            '</header>\n<section>\n<dl class="facts">%s</dl>\n</section>' % (
                escape(plan.title), escape(summary), escape(command), axes))


def _panels(title, pictures):
    if not pictures:
        return ''
    return '<h3>%s</h3>\n<div class="panels">\n%s\n</div>\n' % (
        escape(title), '\n'.join('<div>%s</div>' % one for one in pictures))


def _of_what(row):
    return ' '.join(word for word in (row['step'], row['job'], row['op'])
                    if word)


def _sections(plan, rows):
    """Return: a section for each job and operation."""
    kinds = {}
    for row in rows:
        kinds.setdefault(_of_what(row), []).append(row)
    for idx, (title, mine) in enumerate(kinds.items()):
        inside = ''.join(_panels(METRICS[metric], plots.metric_panels(
            'm%d-%s' % (idx, metric), plan.axes, metric, mine))
            for metric in plan.metrics)
        inside += '<details><summary>Latencies\' distributions</summary>%s' \
            '</details>' % _panels('Cumulative distributions', plots.cdf_panels(
                'c%d' % idx, plan.axes, mine))
        yield '<section>\n<h2>%s</h2>\n%s\n</section>' % (escape(title), inside)


def _table(plan, rows):
    columns = output.columns_of(plan, rows)
    head = ''.join('<th>%s</th>' % escape(text) for _, text in columns)
    body = ''.join('<tr>%s</tr>\n' % ''.join('<td>%s</td>' % (
        '' if row[name] is None else escape(output.text_of(row[name])))
        for name, _ in columns) for row in rows)
    return ('<section>\n<h2>All points</h2>\n<div class="scroll"><table>\n'
            '<thead><tr>%s</tr></thead>\n<tbody>\n%s</tbody></table></div>\n'
            '</section>' % (head, body))


def _failures(failures):
    if not failures:
        return ''
    return ('<section class="box problem">\n<h2>Failed</h2>\n<ul>%s</ul>\n'
            '</section>' % ''.join('<li>%s: %s</li>' % (
                escape(label), escape(why)) for label, why in failures))


def write(path, plan, results, failures, command, summary):
    """Writes the page. RESULTS: [(Point, rows)], FAILURES: [(label, why)],
    COMMAND: what makes it again."""
    rows = output.flat(plan, results)
    cdf_us = [row.get('cdf_us') for _, mine in results for row in mine]
    for row, cdf in zip(rows, cdf_us):
        row['cdf_us'] = cdf
    body = '\n'.join([_header(plan, command, summary), _failures(failures),
                      *_sections(plan, rows), _table(plan, rows)])
    with open(path, 'w', encoding='utf-8') as file:
        file.write(page_style.page(plan.title, body))
