# SPDX-License-Identifier: GPL-2.0-or-later
"""The page that compares runs, and the same as text.

Knows nothing of files of runs, and of how pictures are drawn.
"""

from html import escape

from femu.common.numbers import iops, mib
from femu.compare import differences, pictures
from femu.drawing import page_style
from femu.report import plots
from femu.results import operations

HEADS = ('commands', 'IOPS', 'MiB/s', 'mean', 'p50', 'p95', 'p99')


def _us(value):
    return '-' if value is None else '%.1f' % value


def _ratio(value, first):
    return ' (%.2f)' % (value / first) if value and first else ''


def _texts(cell, first):
    """Return: the texts of a Cell, each with its ratio to the first run's."""
    if cell is None:
        return ['-'] * len(HEADS)
    numbers = [(str(cell.commands), None, None),
               (iops(cell.iops), cell.iops, first and first.iops),
               (mib(cell.mib_per_s), cell.mib_per_s, first and first.mib_per_s),
               (_us(cell.mean_us), cell.mean_us, first and first.mean_us)]
    for percent in differences.PERCENTS:
        value = cell.percentiles_us.get(percent)
        numbers.append((_us(value), value,
                        first and first.percentiles_us.get(percent)))
    return [text + ('' if cell is first else _ratio(value, its))
            for text, value, its in numbers]


def table_rows(measured):
    """Return: [(step and operation, run's number, texts)]."""
    found = []
    for (step, label), rows in measured.items():
        made = differences.cells(rows)
        first = made[0]
        found += [('%s %s' % (step, label), idx, _texts(cell, first))
                  for idx, cell in enumerate(made)]
    return found


def text(names, measured):
    """Return: the table as lines: times in us, in brackets how many times the
    first run's."""
    rows = [('operation', 'run', *HEADS)]
    rows += [(what if idx == 0 else '', names[idx], *texts)
             for what, idx, texts in table_rows(measured)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ['  '.join([row[0].ljust(widths[0]), row[1].ljust(widths[1])] + [
        word.rjust(width) for word, width in zip(row[2:], widths[2:])]
        ).rstrip() for row in rows]


def parted(run_name, name, found):
    """Return: in words where two traces part."""
    if found is None:
        return '%s and %s: no trace of both' % (run_name, name)
    same, where = found
    if where is None:
        return '%s and %s: the same %d records' % (run_name, name, same)
    said = ['line %d "%s"' % one if one else 'its end' for one in where]
    return '%s and %s: the same %d records, then %s and %s' % (
        run_name, name, same, *said)


def slow_text(slowest):
    """SLOWEST: [(a run's name, Slow)]. Return: lines."""
    return ['%s: the slowest %s took %s us; why: %s' % (
        name, slow.op, _us(slow.latency_ns / 1000), slow.blame)
        for name, slow in slowest]


def _slow(slowest):
    rows = [(name, slow.op, str(slow.seq), _us(slow.latency_ns / 1000),
             slow.blame) for name, slow in slowest]
    return _table(('run', 'operation', 'command', 'µs', 'why'), rows)


def _table(heads, rows):
    return ('<div class="scroll"><table>\n<thead><tr>%s</tr></thead>\n<tbody>'
            '%s</tbody></table></div>' % (
                ''.join('<th>%s</th>' % escape(one) for one in heads),
                ''.join('<tr>%s</tr>\n' % ''.join(
                    '<td>%s</td>' % escape(one) for one in row)
                    for row in rows)))


def _section(title, inside):
    return '<section>\n<h2>%s</h2>\n%s\n</section>' % (escape(title), inside)


def _latencies(names, measured):
    found = []
    for number, ((step, label), rows) in enumerate(measured.items()):
        curves = [(name, row.device or row.guest)
                  for name, row in zip(names, rows)
                  if row and (row.device or row.guest)]
        if curves:
            found.append(pictures.latencies('l%d' % number, '%s %s' % (
                step, label), curves))
    return '<div class="panels large">\n%s\n</div>' % '\n'.join(
        '<div>%s</div>' % one for one in found)


def _busy(names, runs):
    found = []
    for idx, (name, run) in enumerate(zip(names, runs)):
        for number, step in enumerate(run.steps):
            busy = operations.busy(step)
            if busy and max(busy.units, default=0) > 0:
                found.append('<figure><figcaption>%s, %s: share %s'
                             '</figcaption>%s</figure>' % (
                                 escape(step.name), escape(name),
                                 escape(busy.of), plots.utilisation(
                                     'b%d-%d' % (idx, number), step.name,
                                     busy)))
    return '<div class="panels large">\n%s\n</div>' % '\n'.join(found)


def html(names, runs, asked, measured, partings, slowest, command):
    """Return: the page."""
    rows = [((what if idx == 0 else ''), names[idx], *texts)
            for what, idx, texts in table_rows(measured)]
    body = [
        '<header>\n<p class="product">femu-zns</p>\n<h1>%s</h1>\n'
        '<p><code>%s</code></p>\n</header>' % (
            escape(' beside '.join(names)), escape(command)),
        _section('What was asked differs in', _table(
            ['', *names], [(what, *texts) for what, texts in asked])
            if asked else '<p>Nothing.</p>'),
        _section('What was measured', _table(
            ['operation', 'run', *HEADS], rows) + '<p class="note">Times are '
            'the drive\'s, in µs; in brackets how many times that of %s.</p>'
            % escape(names[0])),
        _section('Latencies', _latencies(names, measured)),
        _section('Traces', '<ul>%s</ul>' % ''.join(
            '<li>%s</li>' % escape(one) for one in partings)),
        *([_section('The slowest commands', _slow(slowest))] if slowest
          else []),
        _section('What was busy', _busy(names, runs))]
    return page_style.page(' beside '.join(names), '\n'.join(body))
