# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/zn540.md with the numbers of today: of a validation, of what was measured
more than once, of the runs of parameters that are kept, of the points in the
guest. What is not found where it should be raises stated.StatedError.

Each function takes the page and returns it; one that is up to date comes back
as it was. Knows nothing of how the numbers came about.
"""

import glob
import os
import statistics

from femu.common.csv_file import rows_of
from femu.evidence import changes, ranking
from femu.measured import files, repeats
from femu.validate import compare, stated

# What a validation writes of which points.
WRITTEN = (('points.csv', 'points.csv'), ('more.csv', 'more/*.csv'),
           ('linux/points.csv', 'linux.csv'))
MORE_HEAD = '| part | what | throughput | mean | median | p95 |'
LINUX_HEAD = '| what | experiments | throughput | mean |'
AGAIN_HEAD = '| measured again | throughput | mean | median | p95 |'
PROGRAMS_HEAD = '| | 4 MiB | 8 MiB | 16 MiB | 32 MiB | 64 MiB | 128 MiB |'
OUTSTANDING_MIB, OUTSTANDING_ZONES = (4, 8, 16, 32, 64, 128), (1, 2, 4, 8)
OFF_HEAD = '| without | throughput | mean | median | p95 |'
GUEST_HEAD = '| point | dilation | what | drive | device | error |'
MORE_COLUMNS = tuple(
    ((metric, '%s'), ('(%s)' % metric, '(%s)'),
     ('mgmt_' + other, 'management %s'))
    for metric, other in (('kiops', 'per_s'), ('mean_us', 'mean_us'),
                          ('p50_us', 'p50_us'), ('p95_us', 'p95_us')))
# Rows of the drive through Linux: which experiments they are of.
LINUX = {
    'random reads': lambda exp: exp.text('pattern') == 'randread',
    'writes without a scheduler, one at a time in each zone':
        lambda exp: exp.text('fg_op') == 'write' and
        exp.text('sched') == 'none',
    'writes through mq-deadline': lambda exp: not is_small(exp) and
        exp.text('fg_op') == 'write' and exp.text('sched') != 'none',
    'the same of less than 4 KiB': lambda exp: is_small(exp) and
        exp.text('fg_op') == 'write' and exp.text('sched') != 'none',
    'sequential reads of one zone': lambda exp: not is_small(exp) and
        exp.text('pattern') == 'read' and exp.whole('zones') == 1,
    'of two, four and eight': lambda exp: not is_small(exp) and
        exp.text('pattern') == 'read' and exp.whole('zones') > 1,
    'of less than 4 KiB': lambda exp: is_small(exp) and
        exp.text('pattern') == 'read',
}
GUEST_POINTS = r'`guest: (\d+) points'
POINTS = r'of all (\d+) points of the file, none skipped\. (\d+) of them are ' \
    r'the rate of a background writer, which is prescribed: they are in ' \
    r'brackets, and not among the (\d+) of the last row'
EXACT = r'today it is ([\d.]+), ([\d.]+), ([\d.]+) and ([\d.]+) %'
NEAR = r'bring (\d+) of them within 10 % in throughput, (\d+) in the mean, ' \
    r'(\d+) in the median'
HALF = r'Half of the sequential reads are less than ([\d.]+) % off in ' \
    r'throughput, ([\d.]+) % in the mean and ([\d.]+) % in the median'
ORDER = r"the model has ([\d.]+) % in the drive's order"
FLAT = r'Of (\d+) parameters below Identify, (\d+) are flat on each 8th ' \
    r'experiment of the headline, and of (\d+) nothing was run'
FLAT_NAMES = r"These are (`[^.]*`|none)\."
SEQUENTIAL = ('kiops', 'mean_us', 'p50_us')


def is_small(exp):
    """Return: whether its blocks are smaller than a page of the host's."""
    return exp.whole('bs_bytes') < 4096


def label_of(exp):
    """Return: the row of more points that an experiment is of."""
    return exp.part.removesuffix('-interference') + (
        ', conc' if exp.part == 'mixratio' and
        'conc' in exp.text('mix_fg_bg') else '')


def more_rows(errors):
    """Return: {label: cells} of ERRORS of more points."""
    groups = {}
    for error in errors:
        (_, metric), = compare.shown_by_part([error])
        groups.setdefault((label_of(error.exp), metric), []).append(error)
    means = {key: compare.mean_abs(mine) for key, mine in groups.items()}
    return {label: [stated.cell(label, metrics, means)
                    for metrics in MORE_COLUMNS]
            for label in dict.fromkeys(label for label, _ in means)}


def linux_rows(errors):
    """Return: {label: cells} of ERRORS of the drive through Linux."""
    made = {}
    for label, belongs in LINUX.items():
        mine = {metric: [error for error in errors if belongs(error.exp) and
                         error.metric == metric]
                for metric in ('kiops', 'mean_us')}
        made[label] = [str(len(mine['kiops']))] + [
            '%.1f' % compare.mean_abs(some) for some in mine.values()]
    return made


def sequential(errors):
    """Return: the sizes of errors of sequential reads, a list for each of
    SEQUENTIAL."""
    return [[abs(error.pct) for error in errors
             if error.exp.part == 'sequential-read' and
             error.metric == metric] for metric in SEQUENTIAL]


def experiments_of(data, *patterns):
    """Return: the experiments of those files in the folder DATA."""
    return [exp for pattern in patterns
            for path in sorted(glob.glob(os.path.join(data, pattern)))
            for exp in files.read_experiments(path)]


def errors_in(out, data):
    """Return: the errors that validated() takes, of the results in the folder
    OUT."""
    return [compare.errors_in(os.path.join(out, written),
                              experiments_of(data, points))
            for written, points in WRITTEN]


def tails(errors, value_of):
    """Return: cells of p95 less the mean, in us, by what saturated writes and
    appends of 8 KiB and more have outstanding, in each number of zones.
    VALUE_OF(error): the drive's value, or the model's."""
    found, means = {}, {error.exp.name: value_of(error) for error in errors
                        if error.metric == 'mean_us'}
    for error in errors:
        exp = error.exp
        if exp.part == 'io' and exp.op('fg_op') in ('write', 'append') and \
                exp.whole('bs_bytes') >= 8192 and error.metric == 'p95_us' and \
                exp.whole('lba_bytes') == 4096:
            found.setdefault((
                exp.whole('bs_bytes') * exp.whole('qd') * exp.whole('zones'),
                exp.whole('zones')), []).append(
                    value_of(error) - means[exp.name])
    return [', '.join('%.0f' % statistics.mean(found[mib << 20, zones])
                      if (mib << 20, zones) in found else '-'
                      for zones in OUTSTANDING_ZONES)
            for mib in OUTSTANDING_MIB]


def programs(text, errors):
    """The page with how much p95 is above the mean."""
    made = {'the drive, one zone, two, four, eight':
            tails(errors, lambda error: error.measured),
            'the model': tails(errors, lambda error: error.model)}
    return stated.with_rows(text, PROGRAMS_HEAD, [
        row[:1] + made.get(row[0], row[1:])
        for row in stated.cells_under(text, PROGRAMS_HEAD)])


def validated(text, errors, more, linux):
    """The page with ERRORS of the headline, of MORE points and through
    LINUX."""
    counted = compare.counted(errors)
    text = stated.with_numbers(text, POINTS, [
        str(len(errors)), str(len(errors) - len(counted)), str(len(counted))])
    text = stated.with_numbers(text, EXACT, [
        '%.2f' % compare.mean_abs([error for error in counted
                                   if error.metric in metrics])
        for metrics in compare.KINDS.values()])
    text = stated.with_numbers(text, ORDER, [
        '%.1f' % ranking.share(list(ranking.by_metric(errors).values()))])
    text = programs(text, errors)
    sizes = sequential(more)
    text = stated.with_numbers(text, NEAR, [
        str(sum(size <= 10 for size in mine)) for mine in sizes])
    text = stated.with_numbers(text, HALF, [
        '%.1f' % statistics.median(mine) for mine in sizes])
    text = stated.with_cells(text, MORE_HEAD, 2, more_rows(more))
    return stated.with_cells(text, LINUX_HEAD, 1, linux_rows(linux))


def measured_again(text, data):
    """The page with how far the drive is from itself, by the points in the
    folder DATA."""
    experiments = experiments_of(data, 'points.csv', 'more/*.csv')
    host = files.read_host(os.path.join(data, 'host.json'))
    by_part = repeats.by_part(experiments, host)
    rows = [[part] + [compare.itself(by_part.get((part, metric)))
                      for metric in repeats.METRICS]
            for part in dict.fromkeys(part for part, _ in by_part)]
    apart = repeats.of_repeats(experiments, host, False)
    rows.append(['all but `mixratio` and `mixed-rw`'] + [
        '%.1f' % statistics.mean(apart[metric]) for metric in repeats.METRICS])
    rows.append(['nine tenths of these are within'] + [
        '%.1f' % repeats.p90(apart[metric]) for metric in repeats.METRICS])
    return stated.with_rows(text, AGAIN_HEAD, rows)


def points(moved):
    """Return: a text of by how many points an error has MOVED."""
    return ('%+.1f' % moved).replace('-0.0', '0.0').replace('+0.0', '0.0')


def supported(text, data, config):
    """The page with the runs of parameters of CONFIG that are kept in the folder
    DATA, whichever drive and points they are of."""
    path = os.path.join(data, 'evidence.csv')
    runs = changes.Runs(path, rows_of(path)[0]['skipped'])
    rows = []
    for name, words in changes.MECHANISMS:
        moved = runs.moved(words) or {}
        rows.append([name] + [points(moved[kind]) if moved else 'not run'
                              for kind in compare.KINDS])
    text = stated.with_rows(text, OFF_HEAD, rows)
    settings = changes.settings_of(config)
    flat, _, not_run = changes.judged(runs, settings)
    text = stated.with_numbers(text, FLAT, [
        str(len(settings)), str(len(flat)), str(not_run)])
    return stated.with_numbers(text, FLAT_NAMES, [
        ', '.join('`%s`' % name for name in flat) or 'none'])


def in_guest(text, table):
    """The page with the TABLE that "make guest-table" wrote, and what it says
    below it."""
    had, = stated.numbers_of(text, GUEST_POINTS)
    has, = stated.numbers_of(table, GUEST_POINTS)
    if int(has) < int(had):
        raise stated.StatedError('the guest table has %s points, and must have '
                                 '%s: run it without ONLY=' % (has, had))
    rows, _ = stated.rows_under(text, GUEST_HEAD)
    start = text.rindex(GUEST_HEAD, 0, rows)
    stop = text.index('\n', text.index('\n`guest: ', rows) + 1)
    return text[:start] + table.rstrip('\n') + text[stop:]
