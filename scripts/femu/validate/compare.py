# SPDX-License-Identifier: GPL-2.0-or-later
"""Has measured points simulated and prints the errors.

Knows nothing of the jobs of an experiment and of pictures.
"""

import csv
import os
import time

from femu.common import simulator
from femu.common.csv_file import rows_of
from femu.measured import beside, bounds, protocol, repeats
from femu.measured.files import (InputError, host_path, host_texts,
                                 read_experiments, read_host)
from femu.validate import page

# The sums of the last line, and the metrics in each. bg_mibps is in none: a
# background writer's rate is prescribed, so it is always met.
KINDS = {'throughput': ('kiops', 'speedup', 'mgmt_per_s'),
         'mean': ('mean_us', 'mgmt_mean_us'),
         'median': ('p50_us', 'mgmt_p50_us'),
         'p95': ('p95_us', 'mgmt_p95_us')}
COUNTED = sum(KINDS.values(), ())
WORST_COUNT = 10


class Error:
    """One metric of one experiment: measured, model, and how far off."""

    def __init__(self, exp, metric, measured, model):
        self.exp = exp
        self.metric = metric
        self.measured = measured
        self.model = model
        self.pct = 100 * (model - measured) / measured


# --- Simulation ---------------------------------------------------------------

def skip(skipped, reason, exp):
    """Adds an experiment to SKIPPED, {reason: experiments}; the base of a
    speedup counts as the experiment itself."""
    mine = skipped.setdefault(str(reason), [])
    owner = exp.base_of or exp
    if owner not in mine:
        mine.append(owner)


def bases_of(experiments, skipped):
    """Return: {name: the base of its speedup} of those experiments that have
    one."""
    found = {}
    for exp in experiments:
        try:
            if 'speedup' in exp.measured:
                found[exp.name] = protocol.one_thread(exp)
        except protocol.Skip as reason:
            skip(skipped, reason, exp)
    return found


def runs_of(experiments, host, config, seeds_of, settings, skipped):
    """Return: the runs of EXPERIMENTS, with the seeds that SEEDS_OF(experiment)
    gives, and whose each of them is."""
    runs, owners = [], []
    for exp in experiments:
        try:
            mine = [protocol.make_run(exp, host, config, seed, settings)
                    for seed in seeds_of(exp)]
        except protocol.LeftOut as reason:
            exp.left_out = str(reason)
            continue
        except protocol.Skip as reason:
            skip(skipped, reason, exp)
            continue
        runs += mine
        owners += [exp] * len(mine)
    return runs, owners


def values_of(owners, results, host, skipped):
    """Return: {(name, metric): values} of the RESULTS of runs."""
    values = {}
    for exp, result in zip(owners, results):
        try:
            if isinstance(result, Exception):
                raise result
            found = protocol.metrics_of(exp, result, host)
        except simulator.FAILURES as error:
            skip(skipped, str(error).rsplit('femu-sim: ', 1)[-1], exp)
            continue
        for metric, value in found.items():
            values.setdefault((exp.name, metric), []).append(value)
    return values


def take(experiments, bases, values):
    """Gives every experiment those of its metrics that VALUES have."""
    for name, base in bases.items():
        values[name, 'speedup'] = [
            all_of_them / single for all_of_them, single in zip(
                values.get((name, 'kiops'), ()),
                values.get((base.name, 'kiops'), ())) if single]
    for exp in experiments:
        for metric in exp.measured:
            found = values.get((exp.name, metric))
            if found:
                exp.model[metric] = sum(found) / len(found)
                exp.spread[metric] = max(found) - min(found)


def skip_lacking(experiments, skipped):
    """Adds those experiments to SKIPPED that were run, but lack a metric."""
    known = {exp.name for mine in skipped.values() for exp in mine}
    known.update(exp.name for exp in experiments if exp.left_out)
    for exp in experiments:
        for metric in exp.measured:
            if metric not in exp.model and exp.name not in known:
                skip(skipped, 'metric=%s: a run of part %s does not give it' %
                     (metric, exp.part), exp)


def simulate(sim, experiments, host, config, seeds, settings=None,
             label='validate'):
    """Gives every experiment its model's metrics, on the drive of CONFIG
    changed by SETTINGS.

    Return: {reason: experiments} of those that lack a run or a metric.
    """
    skipped = {}
    bases = bases_of(experiments, skipped)
    runs, owners = runs_of(experiments + list(bases.values()), host, config,
                           lambda exp: protocol.seeds_of(exp, seeds), settings,
                           skipped)
    take(experiments, bases, values_of(
        owners, simulator.run_all(label, sim, runs, tells=True), host,
        skipped))
    skip_lacking(experiments, skipped)
    return skipped


def errors_of(experiments):
    """Return: an Error for every metric that was measured and modelled."""
    return [Error(exp, metric, measured, exp.model[metric])
            for exp in experiments
            for metric, measured in exp.measured.items()
            if metric in exp.model]


# --- Output -------------------------------------------------------------------

def mean_abs(errors):
    """Return: the mean absolute error in percent, or None."""
    return sum(abs(e.pct) for e in errors) / len(errors) if errors else None


def percentile_abs(errors, percent):
    """Return: nearest-rank percentile of the absolute errors."""
    ordered = sorted(abs(e.pct) for e in errors)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def counted(errors):
    """Return: the ERRORS that the last line sums up."""
    return [error for error in errors if error.metric in COUNTED and
            error.metric not in beside.prescribed(error.exp)]


def not_told(errors):
    """Return: the ERRORS without those of what runs were told, or of what says
    the same again, which are small whatever the model is; all, if it would be
    none of them."""
    return [error for error in errors if error.metric not in
            beside.prescribed(error.exp)] or errors


def by_part(errors):
    """Return: {(part, metric): errors}, in the order of the points."""
    groups = {}
    for error in errors:
        groups.setdefault((error.exp.part, error.metric), []).append(error)
    return groups


def shown_by_part(errors):
    """Return: the same to be shown, where what runs were told has a group of its
    own, whose metric is in brackets: it says little, and is in no sum."""
    groups = {}
    for error in errors:
        metric = error.metric
        if metric in COUNTED and metric in beside.prescribed(error.exp):
            metric = '(%s)' % metric
        groups.setdefault((error.exp.part, metric), []).append(error)
    return groups


def print_host(host, path, option='HOST='):
    """Prints which times were taken as the measuring host's, not the
    drive's."""
    for text in host_texts(host, path, option):
        print('host: ' + text)


def print_left_out(experiments):
    """Prints how many experiments have no usable measurement, and why."""
    reasons = [exp.left_out for exp in experiments if exp.left_out]
    for reason in sorted(set(reasons)):
        print('left out: %d experiments: %s' % (reasons.count(reason), reason))


def print_skipped(skipped):
    """Prints how many experiments lack a run or a metric, and why."""
    for reason, mine in skipped.items():
        print('skipped: %d experiments: %s' % (len(mine), reason))


def itself(percents):
    """Return: a text of the mean of PERCENTS, and how many these are."""
    return '%.1f (%d)' % (sum(percents) / len(percents), len(percents)) \
        if percents else ''


def print_errors(errors, skipped, apart):
    """The table, the worst points that count, and what was left out. APART:
    {(part, metric): percents} of the drive against itself."""
    width = max([24] + [len(error.exp.part) + 1 for error in errors])
    print('%-*s%-13s%5s%9s%9s%9s%14s' % (
        width, 'part', 'metric', 'n', 'mean %', 'p90 %', 'bias %',
        'itself % (n)'))
    shown = shown_by_part(errors)
    for (part, metric), mine in shown.items():
        print(('%-*s%-13s%5d%9.1f%9.1f%+9.1f%14s' % (
            width, part, metric, len(mine), mean_abs(mine),
            percentile_abs(mine, 90), sum(e.pct for e in mine) / len(mine),
            itself(apart.get((part, metric))))).rstrip())
    if any(metric.startswith('(') for _, metric in shown):
        print('in brackets: what runs were told; not among the points of the '
              'last lines')
    if apart:
        print('itself: how far what was measured more than once is from its '
              'mean; less is noise')
    print('worst:')
    for error in sorted(counted(errors),
                        key=lambda e: -abs(e.pct))[:WORST_COUNT]:
        print('  %+7.1f %%  %s: %s: measured %.4g, model %.4g' % (
            error.pct, error.exp.name, error.metric, error.measured,
            error.model))
    print_skipped(skipped)


def write_csv(path, errors):
    """Every point with its model and error."""
    with open(path, 'w', encoding='utf-8', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(('id', 'part', 'metric', 'measured', 'model', 'spread',
                         'error_pct'))
        for error in errors:
            writer.writerow((error.exp.name, error.exp.part, error.metric,
                             '%.6g' % error.measured, '%.6g' % error.model,
                             '%.3g' % error.exp.spread[error.metric],
                             '%.2f' % error.pct))


def read_errors(path):
    """Return: {(part, metric): mean absolute error in percent}, of the CSV
    that a validation wrote."""
    found = {}
    for row in rows_of(path):
        found.setdefault((row['part'], row['metric']), []).append(
            abs(float(row['error_pct'])))
    return {key: sum(mine) / len(mine) for key, mine in found.items()}


def errors_in(path, experiments):
    """Return: an Error for each row of such a CSV, of these EXPERIMENTS."""
    by_name = {exp.name: exp for exp in experiments}
    return [Error(by_name[row['id']], row['metric'], float(row['measured']),
                  float(row['model'])) for row in rows_of(path)]


def summary(errors, name='validate', kinds=tuple(KINDS)):
    """Return: the last line, or the same for more files of points."""
    texts = []
    for kind in kinds:
        value = mean_abs([e for e in counted(errors)
                          if e.metric in KINDS[kind]])
        texts.append('%s %s' % (kind, '-' if value is None
                                else '%.1f %%' % value))
    return '%s: %d points, %s' % (name, len(counted(errors)),
                                  ', '.join(texts))


def incomplete(experiments, skipped):
    """Return: what is said of experiments that lack a run or a metric, in a
    list that is empty if none does."""
    if not skipped:
        return []
    lacking = {exp.name for mine in skipped.values() for exp in mine}
    reason, mine = next(iter(skipped.items()))
    return ['%d of %d experiments lack a run or a metric, the first: %s (%s)' % (
        len(lacking), len(experiments), reason, mine[0].name)]


def why_none(errors):
    """Return: why none of some points counts, of which no run is missing."""
    return 'all are left out' if not errors else \
        'what they have is not summed up (%s)' % ', '.join(
            sorted({error.metric for error in errors}))


def run_more(sim, experiments, host, config, seeds, settings, out_dir,
             apart):
    """Compares EXPERIMENTS that the last line does not count.

    Return: what is said of them, and what is wrong, two lists of texts; and
    their errors.
    """
    if not experiments:
        return [], [], []
    skipped = simulate(sim, experiments, host, config, seeds, settings, 'more')
    errors = errors_of(experiments)
    print('more, which are not among the points of the last line:')
    print_errors(errors, skipped, apart)
    print_left_out(experiments)
    write_csv(os.path.join(out_dir, 'more.csv'), errors)
    return ([summary(errors, 'more', ('throughput', 'mean', 'median'))],
            incomplete(experiments, skipped), errors)


def write_page(path, experiments, errors, text=''):
    """Writes the page of EXPERIMENTS and their ERRORS, with a TEXT on top."""
    page.write(path, experiments,
               [(part, metric, len(mine), mean_abs(mine),
                 percentile_abs(mine, 90)) for (part, metric), mine
                in shown_by_part(errors).items()], text)


def run(sim, points, config, asked, seeds, out_dir, settings=None,
        parts=(), limits=None, more=()):
    """Validates a drive, changed by SETTINGS, against a file of points, or
    those of some PARTS of it, and against LIMITS (bounds.read()). ASKED: the
    measuring host's file, if it is not beside the points. MORE: files of points
    which are compared as well, but summed up on their own.

    Return: what is wrong with the comparison, a list of texts.
    """
    start = time.monotonic()
    path = host_path(asked, points)
    host = read_host(path)
    others = [exp for name in more for exp in read_experiments(name)]
    beside = set(exp.part for exp in others)
    mine = [part for part in parts if part not in beside]
    experiments = read_experiments(points, mine) if mine or not parts else []
    others = [exp for exp in others if not parts or exp.part in parts]
    skipped = simulate(sim, experiments, host, config, seeds, settings)
    errors = errors_of(experiments)
    if not counted(errors) and not others:
        raise InputError('%s: no point of it could be compared: %s' % (
            points, next(iter(skipped), why_none(errors))))
    print('%s against %s, mean of %d seeds' % (
        os.path.basename(config), os.path.basename(points), seeds))
    print_host(host, path)
    apart = repeats.by_part(experiments + others, host)
    print_errors(errors, skipped, apart)
    print_left_out(experiments)
    write_csv(os.path.join(out_dir, 'points.csv'), errors)
    lines, faults, more_errors = run_more(sim, others, host, config, seeds,
                                          settings, out_dir, apart)
    write_page(os.path.join(out_dir, 'report.html'), experiments + others,
               errors + more_errors, summary(errors))
    print('%.0f s; written to %s' % (time.monotonic() - start,
                                     os.path.relpath(out_dir, os.getcwd())))
    print('\n'.join(lines + [summary(errors)]))
    faults = incomplete(experiments, skipped) + faults
    if limits:
        faults += bounds.exceeded(bounds.of_some(limits, parts), {
            (part, metric): mean_abs(mine)
            for (part, metric), mine in by_part(errors).items()})
    return faults
