# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of a run as plain text, 100 columns wide.

Knows nothing of files, and of how the numbers came about.
"""

import os
import re

from femu.common.digest import sha256
from femu.common.json_file import DataError
from femu.common.numbers import NONE, iops, mib, table_us
from femu.common.paths import TOP
from femu.results import doubts, jobs, late, operations

WIDTH = 100
LABEL_WIDTH = 22
COUNT_WIDTH = 9
TIME_WIDTH = 9
IOPS_WIDTH = 8
MIB_WIDTH = 7
PERCENTS = (50, 95)
TAILS = (99, 99.9)
INDENT = '  '

# Configurations that are fitted to measurements. They are recognised by their
# bytes, not by their names.
CONFIGS = os.path.join(TOP, 'configs')
FITTED = ('zn540.cfg',)
AS_FITTED = 'fitted, see make validate'


def times_of(latency, form):
    """Return: [mean, p50, p95] as texts; dashes for None."""
    if latency is None:
        return [NONE] * (1 + len(PERCENTS))
    return [form(latency.mean_ns)] + [form(latency.percentile_ns(percent))
                                      for percent in PERCENTS]


def tails_of(latency, form):
    """Return: [p99, p99.9, max] as texts; dashes for None."""
    if latency is None:
        return [NONE] * (len(TAILS) + 1)
    return [form(latency.percentile_ns(percent)) for percent in TAILS] + [
        form(latency.max_ns)]


def labels(rows):
    """Return: what names each of ROWS, those of one step, among all rows of a
    run. A step's own name will do for the one row whose operation it has."""
    words = [word for row in rows[:1]
             for word in re.split('[^a-z]+', row.step)]
    own = [row for row in rows
           if any(word.endswith(row.label) for word in words)]
    return [row.step if [row] == own else '%s %s' % (row.step, row.label)
            for row in rows]


def labelled(step):
    """Return: [(label, Row or None)] of the lines of STEP: its name, then, a
    bit to the right, its further operations."""
    rows = operations.of_step(step)
    if not rows:
        return [(step.name, None)]
    names = labels(rows)
    if len(rows) == 1 or names[0] == step.name:
        lines = [(names[0], rows.pop(0))]
    else:
        lines = [(step.name, None)]
    return lines + [(INDENT + row.label, row) for row in rows]


def properties_set(run):
    """Return: the user's changes of the drive as text, '' for none."""
    try:
        members = run.meta['config']['set'].members()
    except DataError:
        return ''
    return ' '.join('%s=%s' % (name, value.shown())
                    for name, value in members)


def fitted_sums():
    """Return: the SHA-256 of the configurations that are fitted."""
    paths = [os.path.join(CONFIGS, name) for name in FITTED]
    return [sha256(path) for path in paths if os.path.exists(path)]


def caveat(run):
    """Return: what must be said of all numbers of RUN, '' if nothing."""
    sums = [one.drive['sha256'].text() for one in run.drives] or [
        run.fact('config', 'sha256')]
    if not set(sums) <= set(fitted_sums()):
        return ''
    if properties_set(run):
        return 'fitted, then changed with SET'
    if run.fact('time') == 'real':
        return 'fitted, but this is real time'
    return AS_FITTED


def title(run):
    """Return: one line on what was run on what."""
    changed = properties_set(run)
    parts = ['%s on %s%s' % (run.job_name or 'unknown job',
                             run.config_name or 'unknown drive',
                             changed and ' with ' + changed)]
    if run.fact('time'):
        parts.append(run.fact('time') + ' time')
    if run.dilation != 1:
        parts.append("guest's times divided by %d (time dilation)"
                     % run.dilation)
    if caveat(run):
        parts.append(caveat(run))
    return ', '.join(parts)


def make(run):
    """Return: the lines of the table of RUN, with what must be said of it."""
    lines = [title(run), ''] + _rows(run.steps)
    if run.drives:
        lines.append('note: device latency is that of all drives together; '
                     'what each did is below')
    return [line.rstrip() for line in lines + _notes(run)]


def make_of_drive(run):
    """Return: the lines of the table of one of several drives."""
    lines = ['', '%s, %s' % (run.drive_name, run.config_name), '']
    lines += _rows([step for step in run.steps if operations.of_step(step)])
    lines += ['note: ' + text for step in run.steps
              for text in operations.notes(step)]
    return [line.rstrip() for line in lines]


def _rows(steps):
    names = ['mean'] + ['p%d' % percent for percent in PERCENTS]
    over, under = _head('operation', names)
    lines = [over + 'throughput'.rjust(IOPS_WIDTH + MIB_WIDTH),
             under + 'IOPS'.rjust(IOPS_WIDTH) + 'MiB/s'.rjust(MIB_WIDTH),
             '-' * WIDTH]
    for step in steps:
        lines += _step_lines(step, _row_cells)
    return lines + ['-' * WIDTH]


def make_tails(run):
    """Return: the lines of a table of the slowest commands of RUN, under the
    columns of the other; [] if nothing was measured."""
    if not any(row.guest or row.device for row in operations.of_run(run)):
        return []
    over, under = _head('the slowest', ['p%g' % percent for percent in TAILS]
                        + ['max'])
    lines = [over, under, '-' * WIDTH]
    for step in run.steps:
        lines += _step_lines(step, _tail_cells)
    return [line.rstrip() for line in lines + ['-' * WIDTH]]


def _head(title_of_rows, names):
    """Return: the two lines over columns of latencies with these NAMES."""
    times = TIME_WIDTH * len(names)
    return (' ' * (LABEL_WIDTH + COUNT_WIDTH) + _over('fio latency, us', times)
            + _over('device latency, us', times),
            title_of_rows.ljust(LABEL_WIDTH) + 'commands'.rjust(COUNT_WIDTH)
            + ''.join(name.rjust(TIME_WIDTH) for name in names * 2))


def _over(text, width):
    """Return: TEXT centred over columns of WIDTH altogether."""
    return '  ' + (' %s ' % text).center(width - 2, '-')


def _step_lines(step, cells_of):
    lines = []
    rows = labelled(step)
    for name, row in rows:
        if row:
            lines += _cells(name, cells_of(row))
        else:
            # A heading, or a step of which nothing was measured.
            lines += _cells(name, [NONE] if len(rows) == 1 else [])
    return lines


def _row_cells(row):
    cells = ['%d' % row.commands]
    for latency in (row.guest, row.device):
        cells += times_of(latency, table_us)
    return cells + [iops(row.iops), mib(row.mib_per_s)]


def _tail_cells(row):
    cells = ['%d' % row.commands]
    for latency in (row.guest, row.device):
        cells += tails_of(latency, table_us)
    return cells


def _cells(name, cells):
    """Return: the lines of a row: two if NAME is too long for its column."""
    widths = ([COUNT_WIDTH] + [TIME_WIDTH] * 2 * (1 + len(PERCENTS))
              + [IOPS_WIDTH, MIB_WIDTH])
    numbers = ''.join(' ' + cell.rjust(width - 1)
                      for cell, width in zip(cells, widths))
    if len(name) > LABEL_WIDTH:
        return [name, ' ' * LABEL_WIDTH + numbers]
    return [name.ljust(LABEL_WIDTH) + numbers]


def failures(run):
    """Return: what made the run fail, but for the exit statuses of steps, which
    these have. Old runs have no list of failures, and get an empty one."""
    try:
        texts = [node.shown() for node in run.meta['failures'].items()]
    except DataError:
        return []
    said = tuple(step.name + ': exit status ' for step in run.steps)
    return [text for text in texts if not text.startswith(said)]


def notes(run):
    """Return: what a reader must know to read the table of RUN."""
    texts = []
    if any(step.zone_op for step in run.steps):
        texts.append("of steps that run zone-op, the fio columns have "
                     "zone-op's latency")
    if any(step.fio and step.fio.by_operation for step in run.steps):
        texts.append("of steps that run zns-load, the fio columns have "
                     "zns-load's latency")
    if any(jobs.has_ramp(step) for step in run.steps):
        texts.append("of steps whose jobs have ramp_time=, the drive's commands "
                     'and latencies are of that time, too')
    if run.dilation != 1 and any(
            step.fio and (step.fio.is_timed or '--runtime=' in step.command)
            for step in run.steps):
        texts.append("runtime= of a job is the guest's time: the drive's is "
                     '1/%d of that (DILATION=%d)' % (run.dilation,
                                                     run.dilation))
    if any(row.guest is None and row.iops is not None
           for row in operations.of_run(run)):
        texts.append('rows without fio latency: throughput is over the whole '
                     'step')
    texts += [text for step in run.steps for text in operations.notes(step)]
    texts += [text for step in run.steps for text in late.notes(step)]
    if not_locked(run):
        texts.append('not of packages.lock, which the numbers of README.md '
                     'belong to: ' + '; '.join(not_locked(run)))
    return texts


def not_locked(run):
    """Return: what of guest and QEMU is not as packages.lock has it; old runs
    do not say."""
    try:
        return [node.shown() for node in run.meta['lock']['differs'].items()]
    except DataError:
        return []


def _notes(run):
    lines = ['note: ' + text for text in notes(run)]
    lines += ['doubt: ' + text for text in doubts.of_run(run)]
    lines += ['failed: ' + text for text in failures(run)]
    lines += ['warning: ' + text for step in run.steps
              for text in operations.remarks(step)]
    return lines
