# SPDX-License-Identifier: GPL-2.0-or-later
"""What a step, and each of its phases, cost the flash: host bytes, programmed
bytes, padding, write amplification, erases; and what db_bench says of a phase
beside what the drive did in it. As text, as a section of the page, as CSV.

Knows nothing of files.
"""

import csv
import io
from dataclasses import dataclass
from html import escape

from femu.common.numbers import NONE, table_us
from femu.results.operations import dilation_of
from femu.results.programs import MIB

FILE = 'work.csv'
# What puts data of the host on the flash, also into the conventional log, whose
# own count of bytes has all of these.
WRITERS = ('write', 'append', 'write-zeroes', 'copy')
INDENT = '  '
LABEL_WIDTH = 22
ALL = 'all'
ZONED = 'zoned'
CONVENTIONAL = 'conventional'
NOTE = ('write amplification: bytes programmed for each byte that the host '
        'wrote in the same time; data that are still in the write buffer are '
        'programmed later; padding: what finishes have filled')
BENCH_NOTE = ("db_bench's operations and times are in the drive's time; what "
              'the drive did is from one mark to the next')


@dataclass(frozen=True)
class Work:
    """What the namespaces WHERE cost. Bytes; `erases` are blocks. None stands
    for numbers that the drive does not report."""
    where: str
    read_bytes: int
    host_bytes: int
    programmed_bytes: int
    moved_bytes: int
    padded_bytes: int
    erases: int

    @property
    def amplification(self):
        """Bytes programmed per byte written by the host; None if the host wrote
        none."""
        if not self.host_bytes or self.programmed_bytes is None:
            return None
        return self.programmed_bytes / self.host_bytes


@dataclass(frozen=True)
class Line:
    """A step (`phase` is '') or a phase of it. `bench` is what db_bench says of
    it, in the drive's time, or None."""
    step: str
    phase: str
    time_ns: float
    works: list
    bench: object = None


def works_of(device, trace=None):
    """Return: the Works of the statistics DEVICE: of all, and of each kind of
    namespaces if there are two. What the host wrote to each is in TRACE, a
    StepTrace; the statistics have only the 4 KiB that these bytes are in, of
    the log of the conventional one."""
    page_bytes = device.page_bytes
    host = sum(device.ops[name].data_bytes for name in WRITERS
               if name in device.ops)
    read = device.ops['read'].data_bytes if 'read' in device.ops else 0
    conv = device.conventional
    whole = Work(ALL, read, host, _product(device.programs, page_bytes),
                 conv.moved_bytes if conv else 0, device.padded_bytes,
                 device.erases)
    if conv is None:
        return [whole]
    conv_host = trace.conventional_bytes if trace else conv.host_bytes
    return [
        whole,
        # More than all that was written: what is left is not known.
        Work(ZONED, None, None if conv_host > host else host - conv_host,
             _product(device.programs - conv.programs, page_bytes), 0,
             device.padded_bytes, device.erases - conv.erases),
        Work(CONVENTIONAL, None, conv_host,
             _product(conv.programs, page_bytes), conv.moved_bytes, 0,
             conv.erases)]


def _product(count, page_bytes):
    return None if page_bytes is None else count * page_bytes


def lines_of(run):
    """Return: [Line] of all steps of RUN, each with its phases behind it."""
    lines = []
    for step in run.steps:
        if not step.device:
            continue
        dilation = dilation_of(step)
        lines.append(Line(step.name, '', (step.duration_ns or 0) / dilation,
                          works_of(step.device, step.trace)))
        for phase, bench in paired(step):
            lines.append(Line(
                step.name, phase.name, phase.duration_ns / dilation,
                works_of(phase.device) if phase.device else [],
                bench.divided(dilation) if bench else None))
    return lines


def paired(step):
    """Return: [(Phase, Benchmark or None)] of STEP: db_bench's n-th benchmark
    is its n-th phase, if that is its name."""
    benches = list(step.bench or [])
    return [(phase, benches.pop(0) if benches and
             phase.name.split('-')[0] == benches[0].name else None)
            for phase in step.phases]


# --- Text ---------------------------------------------------------------------

def table(run):
    """Return: the lines of the tables of RUN: [] unless a step has phases, or
    runs db_bench."""
    if not any(step.phases for step in run.steps):
        return []
    lines = lines_of(run)
    return _bench_table(lines) + _work_table(lines)


def _row(label, cells, widths):
    numbers = ''.join(' ' + cell.rjust(width - 1)
                      for cell, width in zip(cells, widths))
    if len(label) >= LABEL_WIDTH:
        return [label, ' ' * LABEL_WIDTH + numbers]
    return [label.ljust(LABEL_WIDTH) + numbers]


BENCH_WIDTHS = [9, 9, 9, 9, 9, 10, 8, 8, 7]


def bench_cells(line):
    """Return: the texts of what db_bench says, and the drive did, in LINE."""
    bench, work = line.bench, line.works[0] if line.works else None
    times = bench.times[0] if bench.times else None
    return ['%d' % bench.operations, '%.0f' % bench.per_s] + (
        [table_us(times.mean_ns)] + [
            _percentile(times, percent) for percent in (50, 99, 99.9)]
        if times else [NONE] * 4) + (
            [_mib(work.read_bytes), _mib(work.host_bytes),
             _ratio(work.amplification)] if work else [NONE] * 3)


def _percentile(times, percent):
    found = times.percentiles.get(percent)
    return NONE if found is None else table_us(found)


BENCH_HEAD = ['ops', 'ops/s', 'mean', 'p50', 'p99', 'p99.9', 'read', 'written',
              'ampl.']


def _bench_table(lines):
    benches = [line for line in lines if line.bench]
    if not benches:
        return []
    rule = '-' * (LABEL_WIDTH + sum(BENCH_WIDTHS))
    over = ' ' * (LABEL_WIDTH + 18) + '  ' + ' operation takes, us '.center(
        35, '-') + '  ' + ' drive, MiB '.center(21, '-')
    made = ['', over] + _row('db_bench', BENCH_HEAD, BENCH_WIDTHS) + [rule]
    for line in benches:
        made += _row('%s %s' % (line.step, line.phase), bench_cells(line),
                     BENCH_WIDTHS)
    return made + [rule, 'note: ' + BENCH_NOTE]


WORK_HEAD = ['seconds', 'read', 'written', 'programmed', 'moved', 'padding',
             'ampl.', 'erased']
WORK_WIDTHS = [10, 10, 10, 12, 9, 9, 8, 9]


def work_cells(line, work):
    """Return: the texts of WORK, one of LINE's, MiB but for time and blocks."""
    return ['%.4f' % (line.time_ns / 1e9) if work.where == ALL else '',
            _mib(work.read_bytes), _mib(work.host_bytes),
            _mib(work.programmed_bytes), _mib(work.moved_bytes),
            _mib(work.padded_bytes), _ratio(work.amplification),
            '%d' % work.erases]


def _work_table(lines):
    rule = '-' * (LABEL_WIDTH + sum(WORK_WIDTHS))
    made = ['', 'MiB that it cost, blocks erased, in seconds of the drive\'s'
            ' time'] + _row('step, phase', WORK_HEAD, WORK_WIDTHS) + [rule]
    for line in lines:
        for work in line.works:
            label = INDENT + line.phase if line.phase else line.step
            if work.where != ALL:
                label = INDENT * (2 if line.phase else 1) + work.where
            made += _row(label, work_cells(line, work), WORK_WIDTHS)
    return made + [rule, 'note: ' + NOTE]


def _mib(data_bytes):
    return NONE if data_bytes is None else '%.1f' % (data_bytes / MIB)


def _ratio(value):
    return NONE if value is None else '%.3f' % value


# --- Page ---------------------------------------------------------------------

def section(run):
    """Return: the page's sections, '' if there are no statistics of the
    drive."""
    lines = lines_of(run)
    if not lines:
        return ''
    parts = []
    benches = [line for line in lines if line.bench]
    if benches:
        parts.append(_html(
            'db_bench', ['benchmark'] + ['operations', 'operations/s',
                                         'mean µs', 'p50 µs', 'p99 µs',
                                         'p99.9 µs', 'drive: MiB read',
                                         'MiB written', 'write ampl.'],
            [['%s %s' % (line.step, line.phase)] + bench_cells(line)
             for line in benches], BENCH_NOTE))
    rows = [[('%s %s' % (line.step, line.phase)).strip() +
             ('' if work.where == ALL else ': ' + work.where)]
            + work_cells(line, work) for line in lines for work in line.works]
    parts.append(_html(
        'What it cost the flash', ['step, phase, namespaces', 'seconds',
                                   'MiB read', 'written', 'programmed',
                                   'moved', 'padding', 'write ampl.',
                                   'blocks erased'], rows,
        NOTE + '; seconds are the drive\'s' + wear_text(run)))
    return '\n'.join(parts)


def wear_text(run):
    """Return: how the blocks are worn at the end of RUN, or ''."""
    wears = [step.device.wear for step in run.steps
             if step.device and step.device.wear]
    if not wears:
        return ''
    wear = wears[-1]
    return ('. Wear at the end: %d blocks of the zones, erased %d times; a '
            'block least %d, median %d, p99 %d, most %d times' % (
                wear.blocks, wear.erases, wear.least, wear.median, wear.p99,
                wear.most))


def _html(title, head, rows, note):
    return (
        '<section>\n<h2>%s</h2>\n<div class="scroll"><table class="plain">'
        '<thead><tr>%s</tr></thead>\n<tbody>%s</tbody></table></div>\n'
        '<p class="note">%s.</p>\n</section>' % (
            escape(title), ''.join('<th scope="col">%s</th>' % escape(cell)
                                   for cell in head),
            '\n'.join('<tr><th scope="row">%s</th>%s</tr>' % (
                escape(row[0]), ''.join('<td>%s</td>' % escape(
                    '–' if cell == NONE else cell) for cell in row[1:]))
                for row in rows), escape(note[0].upper() + note[1:])))


# --- CSV ----------------------------------------------------------------------

COLUMNS = ['step', 'phase', 'namespaces', 'time_ns', 'read_bytes',
           'host_bytes', 'programmed_bytes', 'moved_bytes', 'padded_bytes',
           'write_amplification', 'erased_blocks', 'operations',
           'operations_per_s', 'operation', 'mean_ns', 'p50_ns', 'p75_ns',
           'p99_ns', 'p99.9_ns', 'p99.99_ns', 'max_ns']
PERCENTS = (50, 75, 99, 99.9, 99.99)


def csv_text(run):
    """Return: a line for each step and phase and each kind of namespaces; times
    are the drive's; db_bench's numbers are in the line of all namespaces."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator='\n')
    writer.writerow(COLUMNS)
    for line in lines_of(run):
        for work in line.works:
            row = [line.step, line.phase, work.where, '%.10g' % line.time_ns,
                   work.read_bytes, work.host_bytes, work.programmed_bytes,
                   work.moved_bytes, work.padded_bytes,
                   None if work.amplification is None
                   else '%.10g' % work.amplification, work.erases]
            row += _bench_columns(line.bench if work.where == ALL else None)
            writer.writerow(['' if cell is None else cell for cell in row])
    return out.getvalue()


def _bench_columns(bench):
    if bench is None:
        return [''] * 10
    row = [bench.operations, '%.10g' % bench.per_s]
    if not bench.times:
        return row + [''] * 8
    times = bench.times[0]
    return row + [times.operation, '%.10g' % times.mean_ns] + [
        '%.10g' % times.percentiles[percent]
        if percent in times.percentiles else '' for percent in PERCENTS] + [
            '%.10g' % times.max_ns]
