# SPDX-License-Identifier: GPL-2.0-or-later
"""The slowest commands of each row of the table: a section of the page, and a
CSV file with all numbers of all rows.

Knows nothing of how rows come about.
"""

import csv
import io
from html import escape

from femu.common.numbers import NONE, page_us
from femu.report import table
from femu.results import operations

FILE = 'latencies.csv'
TAILS = table.TAILS
PERCENTS = table.PERCENTS + TAILS
COLUMNS = ['step', 'job', 'operation', 'by', 'commands', 'iops', 'mib_per_s',
           'mean_ns'] + ['p%g_ns' % percent for percent in PERCENTS] + [
               'max_ns']


def measured_by(step):
    """Return: what has measured STEP in the guest."""
    return step.kind if step.kind in ('zone-op', 'zns-load') else 'fio'


def csv_text(run):
    """Return: a line for each row of RUN and who measured it: times are the
    drive's, in ns; rates are the guest's, or the drive's over the step."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator='\n')
    writer.writerow(COLUMNS)
    for step in run.steps:
        for row in operations.of_step(step):
            rates = ['' if rate is None else '%.10g' % rate
                     for rate in (row.iops, row.mib_per_s)]
            for by, latency in ((measured_by(step), row.guest),
                                ('device', row.device)):
                if latency:
                    writer.writerow([
                        step.name, row.job, _operation(row), by, latency.count,
                        *(rates if by != 'device' or not row.guest
                          else ['', '']),
                        *map('{:.10g}'.format, _times(latency, PERCENTS, True))])
    return out.getvalue()


def _operation(row):
    """Return: ROW's label, without the job that it begins with."""
    return row.label[len(row.job) + 1:] if row.job else row.label


def _times(latency, percents, with_mean=False):
    return ([latency.mean_ns] if with_mean else []) + [
        latency.percentile_ns(percent) for percent in percents] + [
            latency.max_ns]


def section(run):
    """Return: the page's section, '' if nothing was measured."""
    rows = [(label, row) for step in run.steps
            for label, row in table.labelled(step)]
    if not any(row and (row.guest or row.device) for _, row in rows):
        return ''
    names = ['p%g' % percent for percent in TAILS] + ['max']
    over = ''.join('<th colspan="%d" class="group %s">%s latency, µs</th>' % (
        len(names), role, text) for role, text in (('guest', 'fio'),
                                                   ('device', 'device')))
    head = '<tr><th></th>%s</tr>\n<tr><th scope="col">operation</th>%s</tr>' % (
        over, ''.join('<th scope="col">%s</th>' % name for name in names * 2))
    return ('<section>\n<h2>The slowest</h2>\n<div class="scroll"><table>\n'
            '<thead>\n%s\n</thead>\n<tbody>\n%s\n</tbody>\n</table></div>\n'
            '<p class="note">Percentiles are those of buckets, 64 to an octave;'
            ' of fewer than 1000 commands, p99.9 is the slowest one\'s. %s'
            ' has these and all other numbers.</p>\n</section>' % (
                head, '\n'.join(_line(label, row, len(names))
                                for label, row in rows), FILE))


def _line(label, row, width):
    cells = [''] * 2 * width
    if row:
        cells = ['–' if cell == NONE else cell
                 for latency in (row.guest, row.device)
                 for cell in table.tails_of(latency, page_us)]
    further = label.startswith(table.INDENT)
    return '<tr%s><th scope="row">%s</th>%s</tr>' % (
        ' class="further"' if further else '', escape(label.strip()),
        ''.join('<td>%s</td>' % cell for cell in cells))
