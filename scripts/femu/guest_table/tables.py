# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest table as text, Markdown, CSV and a page.

Knows nothing of how the figures came about.
"""

import csv
import html

from femu.drawing import page_style

# How metrics are called, and which of them a table shows; a CSV has all.
NAMES = {'kiops': 'kIOPS', 'mean_us': 'mean, us', 'p50_us': 'median, us',
         'p95_us': 'p95, us', 'mgmt_per_s': 'finishes/s'}
SHOWN = ('mgmt_per_s', 'kiops', 'mean_us')
KINDS = {'throughput': ('kiops', 'mgmt_per_s'), 'mean latency': ('mean_us',),
         'median': ('p50_us',), 'p95': ('p95_us',)}
HEADS = ('point', 'dilation', 'what', 'drive', 'device', 'error', 'model',
         'guest', 'software', 'differences')
WIDTHS = (24, 9, 11, 10, 10, 9, 10, 10, 10, 12)
EXPLANATION = (
    ('drive', 'measured on the ZN540'),
    ('device', "the device's own statistics in the guest; error: with what the "
     'measuring host adds, against the drive, in percent'),
    ('model', 'the simulator, running the experiment by itself, the measuring '
     'host included'),
    ('guest', 'what fio or zns-load in the guest saw, in the time of the '
     'drive'),
    ('software', "guest less device, of latencies: the guest's software"),
    ('differences', "members of the device's statistics that are not the "
     "simulator's for the same arrivals"),
)


def number(value):
    """Return: a figure with four digits, '-' if there is none."""
    if value is None:
        return '-'
    if abs(value) >= 10000:
        return '%.0f' % value
    digits = 4 - len('%d' % abs(value)) if value else 0
    return '%.*f' % (max(0, min(3, digits)), value)


def lines_of(row):
    """Return: the cells of a point: a line for each metric shown."""
    lines = []
    for metric in SHOWN:
        if metric not in row.device:
            continue
        error = row.errors_pct(metric)
        device, guest = row.device[metric], row.guest[metric]
        lines.append([
            '' if lines else row.point.name,
            '' if lines else '%d' % row.point.dilation, NAMES[metric],
            number(row.measured.get(metric)), number(device),
            '-' if error is None else '%+.1f %%' % error,
            number(row.model.get(metric)), number(guest),
            number(guest - device) if metric in KINDS['mean latency'] else '',
            '' if lines else '%d' % row.differences])
    return lines


def mean_abs(rows, metrics):
    """Return: (mean absolute error in percent or None, how many figures)."""
    errors = [abs(row.errors_pct(metric)) for row in rows for metric in metrics
              if row.errors_pct(metric) is not None]
    return (sum(errors) / len(errors) if errors else None), len(errors)


def by_kind(rows):
    """Return: texts of the errors of each kind of metric."""
    texts = []
    for kind, metrics in KINDS.items():
        mean, count = mean_abs(rows, metrics)
        if count:
            texts.append('%s %.1f %% (%d figures)' % (kind, mean, count))
    return 'device against drive, mean absolute errors: ' + ', '.join(texts)


def summary(rows, different):
    """Return: the last line."""
    mean, _ = mean_abs(rows, KINDS['throughput'] + KINDS['mean latency'])
    return 'guest: %d points, device against drive mean error %s, ' \
        '%d differences between device and simulator' % (
            len(rows), '-' if mean is None else '%.1f %%' % mean,
            different + sum(row.differences for row in rows))


def text(rows):
    """Return: the lines of the table."""
    def line(cells):
        return ''.join(cell.ljust(width) if idx in (0, 2)
                       else cell.rjust(width - 2) + '  '
                       for idx, (cell, width) in enumerate(
                           zip(cells, WIDTHS))).rstrip()

    made = [line(HEADS), '-' * sum(WIDTHS)]
    for row in rows:
        made += [line(cells) for cells in lines_of(row)]
    return made + ['-' * sum(WIDTHS)] + [
        '%-12s %s' % pair for pair in EXPLANATION] + [by_kind(rows)]


def write_markdown(path, rows, different):
    """Writes the table for documents."""
    lines = ['| %s |' % ' | '.join(HEADS), '|%s' % ('---|' * len(HEADS))]
    lines += ['| %s |' % ' | '.join(cells) for row in rows
              for cells in lines_of(row)]
    lines += ['', by_kind(rows) + '.', '', '`%s`' % summary(rows, different)]
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')


def write_csv(path, rows):
    """Writes every figure."""
    with open(path, 'w', encoding='utf-8', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(('point', 'id', 'dilation', 'commands', 'differences',
                         'metric', 'drive', 'device', 'error_pct', 'model',
                         'guest'))
        for row in rows:
            for metric in row.point.metrics:
                error = row.errors_pct(metric)
                writer.writerow((
                    row.point.name, row.point.exp.name, row.point.dilation,
                    row.commands, row.differences, metric,
                    *('' if value is None else '%.6g' % value
                      for value in (row.measured.get(metric),
                                    row.device[metric], error,
                                    row.model.get(metric),
                                    row.guest[metric]))))


def write_page(path, rows, different):
    """Writes the page."""
    def cells(tag, values):
        return '<tr>%s</tr>' % ''.join(
            '<%s>%s</%s>' % (tag, html.escape(value), tag)
            for value in values)

    table = [cells('th', HEADS)] + [cells('td', line) for row in rows
                                    for line in lines_of(row)]
    notes = ''.join('<li>%s: %s</li>' % tuple(map(html.escape, pair))
                    for pair in EXPLANATION)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(page_style.page(
            'In the guest', '<p class="product">femu-zns</p>\n'
            '<h1>In the guest</h1>\n<p>%s</p>\n<p>%s</p>\n'
            '<section><div class="scroll"><table>\n%s\n</table></div>\n'
            '<ul>%s</ul></section>' % (
                html.escape(summary(rows, different)),
                html.escape(by_kind(rows)), '\n'.join(table), notes)))
