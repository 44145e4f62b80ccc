# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the figures' simulations, compares the points with the published ones
and writes pictures, a table and a CSV.

Knows nothing of what the runs are.
"""

import csv
import os

from femu.common import simulator
from femu.figures import catalogue, page, papers, plots, softfinish

COLUMNS = ('figure', 'series', 'x', 'metric', 'theirs', 'ours', 'error_pct')


class FiguresError(Exception):
    """The user's input is wrong."""


def run(sim, experiments):
    """Runs the experiments and gives each point its result.

    Return: {point: why it has none}, of those without a result.
    """
    results = simulator.run_all('figures', sim,
                                [one.run for one in experiments], tells=True)
    failed = {}
    for experiment, result in zip(experiments, results):
        for point, pick in experiment.points:
            try:
                if isinstance(result, Exception):
                    raise result
                point.ours = pick(result)
            except simulator.FAILURES as error:
                failed[point] = str(error)
    relate([point for one in experiments for point, _ in one.points], failed)
    return failed


def relate(points, failed):
    """Divides the result of each point that has a base by the base's result; a
    base has no base itself. Points whose base has no result are added to
    FAILED."""
    for point in points:
        if point.base and point.base.ours and point.ours:
            point.ours /= point.base.ours
        elif point.base:
            point.ours = None
            failed.setdefault(point, 'what it is a multiple of has no number')


def rows_of(points):
    """Return: the table's rows, as text."""
    rows = []
    for point in points:
        error = point.error_pct()
        rows.append([point.figure, point.series, '%g' % point.x, point.metric,
                     '' if point.theirs is None else '%.4g' % point.theirs,
                     '' if point.ours is None else '%.4g' % point.ours,
                     '' if error is None else '%+.1f' % error])
    return rows


def write_csv(path, points):
    """All points, also those without a published counterpart."""
    with open(path, 'w', encoding='utf-8', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(rows_of(points))


def write_table(path, points):
    """Those with a published counterpart, as Markdown."""
    with open(path, 'w', encoding='utf-8') as file:
        file.write('| %s |\n' % ' | '.join(
            name.replace('_pct', ', %') for name in COLUMNS))
        file.write('|%s\n' % ('---|' * len(COLUMNS)))
        for row in rows_of([point for point in points
                            if point.error_pct() is not None]):
            file.write('| %s |\n' % ' | '.join(row))


def mean_abs(points):
    """Return: the mean of the absolute errors of one or more points."""
    return sum(abs(point.error_pct()) for point in points) / len(points)


def summary(points):
    """Return: the last line of the output."""
    compared = [point for point in points if point.error_pct() is not None]
    if not compared:
        return 'figures: 0 points, mean error -, worst -'
    return 'figures: %d points, mean error %.1f %%, worst %.1f %%' % (
        len(compared), mean_abs(compared),
        max(abs(point.error_pct()) for point in compared))


def summary_of(points):
    """Return: the line that sums up a figure."""
    compared = [p for p in points if p.error_pct() is not None]
    if not compared:
        return '%d points without published numbers; drawn, not compared' % (
            len(points))
    worst = max(compared, key=lambda p: abs(p.error_pct()))
    return '%d points, mean error %.1f %%, worst %.1f %% (%s at %g, %s)' % (
        len(compared), mean_abs(compared), abs(worst.error_pct()),
        plots.name_of(worst.figure, worst.series), worst.x,
        worst.metric)


def print_figure(name, title, points, note):
    """The figure's comparison, and a line that sums it up."""
    compared = [p for p in points if p.error_pct() is not None]
    print('%s: %s%s' % (name, title, ' (%s)' % note if note else ''))
    for row in rows_of(compared):
        print('  %-13s %-20s %5s  %-12s %10s %10s %7s %%' % tuple(row))
    print('  ' + summary_of(points))


def note_of(top, name, points):
    """Return: what a reader of figure NAME must know, or an empty text."""
    if name == '7':
        return softfinish.note(points)
    if name == '8':
        if not papers.is_calibrated(os.path.join(top,
                                                 'configs/zn540.cfg')):
            return 'zn540.cfg is not calibrated'
    return ''


def draw(sim, top, out_dir, wanted):
    """Draws the figures in WANTED, all of them if it is empty. Return: whether
    every point has its number."""
    for name in wanted:
        if name not in catalogue.FIGURES:
            raise FiguresError('there is no figure "%s"; there are: %s' % (
                name, ' '.join(catalogue.FIGURES)))
    experiments = catalogue.experiments_of(top, wanted)
    failed = run(sim, experiments)
    points = [point for one in experiments for point, _ in one.points]
    sections, titles = [], {}
    for name, (title, _) in catalogue.FIGURES.items():
        mine = [p for p in points if p.figure.split('-')[0] == name or
                p.figure == name]
        if not mine:
            continue
        reasons = [failed[point] for point in mine if point in failed]
        if reasons:
            print('%s: %s: not drawn: %s' % (name, title, reasons[0]))
            continue
        note = note_of(top, name, mine)
        print_figure(name, title, mine, note)
        titles[name] = '%s: %s' % (name, title) if name[0].isdigit() else title
        plots.draw(os.path.join(out_dir, 'figure-' + name),
                   titles[name], mine)
        sections.append(page.section(
            name, titles[name], '; '.join(filter(None, (
                summary_of(mine), note))) + '.',
            plots.inline(name, mine)))
    page.write(os.path.join(out_dir, 'index.html'), sections, titles,
               summary(points))
    write_csv(os.path.join(out_dir, 'points.csv'), points)
    write_table(os.path.join(out_dir, 'table.md'), points)
    print('written to %s' % os.path.relpath(out_dir, os.getcwd()))
    print(summary(points))
    if failed:
        print('figures: FAILED: %d of %d points have no number, the first: %s'
              % (len(failed), len(points), next(iter(failed.values()))))
    return not failed
