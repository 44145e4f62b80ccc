# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/gallery.md, made of the list of rows and of what they came to, and the
file in which that is committed.

Knows nothing of how rows are run.
"""

import csv

from femu.common.csv_file import rows_of
from femu.gallery import compared

COLUMNS = ('row', 'seconds', 'points', 'theirs', 'ours', 'error_pct',
           'worst_pct', 'said')
HEAD = """# The papers' figures and tables, theirs beside ours

Made by `make gallery DOCS=1` of `plans/gallery` and
`tests/data/gallery/results.csv`; not to be edited.

`make gallery` runs what has changed since it ran last, and draws pictures in
`out/gallery`; a row whose command is of `make gallery` has a CSV of its points
there, too. `SHORT=1` runs what takes seconds in the simulator. *Theirs* and
*ours* are the least and the greatest of the points; a row's error is the mean
of their absolute errors, all its metrics alike. Published are the papers' text
and the raw data that belong to them; nothing was read off a picture. The last
line's mean counts each figure once, but not those whose sources contradict each
other ("apart"). How long a row takes is of a machine of two processors that had
more to do.

[papers.md](papers.md) has sentences of two of the papers that their data
contradict; what papers say without a figure is checked by `make observations`.

"""


class Result:
    """A row's outcome as it is committed: texts and numbers."""

    def __init__(self, made):
        self.row = made['row']
        self.seconds = float(made['seconds'])
        self.points = int(made['points'])
        self.theirs, self.ours = made['theirs'], made['ours']
        self.error_pct = float(made['error_pct'] or 0)
        self.worst_pct = float(made['worst_pct'] or 0)
        self.said = made['said']

    @classmethod
    def of_outcome(cls, row, outcome):
        """Return: the Result of a row's OUTCOME."""
        found = outcome.values
        return cls({
            'row': row.key, 'seconds': '%.1f' % outcome.seconds,
            'points': len(found), 'theirs': compared.span(found, 'theirs'),
            'ours': compared.span(found, 'ours'),
            'error_pct': '%.2f' % compared.mean_pct(found) if found else '',
            'worst_pct': '%.1f' % max(abs(one.error_pct) for one in found)
                         if found else '',
            'said': outcome.said})

    def texts(self):
        """Return: what is written of it, by COLUMNS."""
        return [self.row, '%.1f' % self.seconds, str(self.points),
                self.theirs, self.ours] + (
            ['%.2f' % self.error_pct, '%.1f' % self.worst_pct]
            if self.points else ['', '']) + [self.said]


def read_results(path):
    """Return: {row: Result} of the committed file."""
    try:
        return {one['row']: Result(one) for one in rows_of(path)}
    except FileNotFoundError:
        return {}


def write_results(path, rows, results):
    """Commits the RESULTS of ROWS."""
    with open(path, 'w', encoding='utf-8', newline='') as file:
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow(COLUMNS)
        writer.writerows(results[row.key].texts() for row in rows
                         if row.key in results)


def took(seconds):
    """Return: a duration that is hardly another one on the next run."""
    if seconds < 1:
        return '< 1 s'
    if seconds < 90:
        return '%.0f s' % (seconds if seconds < 10 else
                           round(seconds / 5) * 5)
    return '%.0f min' % (seconds / 60)


def error_of(row, result):
    """Return: the last column of a row."""
    texts = []
    if result.points:
        texts.append('%s%.1f %% (%d points, worst %.0f %%)' % (
            '' if row.apart else '**', result.error_pct, result.points,
            result.worst_pct))
        if not row.apart:
            texts[-1] = texts[-1].replace(' %', ' %**', 1)
    texts += [text for text in (
        row.apart and 'apart: ' + row.apart, row.why, row.note) if text]
    return '; '.join(texts)


def line_of(row, result):
    """Return: a row as Markdown."""
    command = row.typed and '`%s`' % row.typed
    ours = result.ours or (result.said and '`%s`' % result.said)
    return '| %s |' % ' | '.join((
        row.figure, row.shows, command,
        '' if row.kind == 'why' else took(result.seconds),
        result.theirs or row.theirs or '', ours, error_of(row, result)))


def summary(rows, results):
    """Return: the last line, of the committed results."""
    means = [results[row.key].error_pct for row in rows
             if results[row.key].points and not row.apart]
    return compared.sentence(len(rows), means)


def document(rows, results):
    """Return: the whole document. Each row has its result."""
    parts, papers = [HEAD], {}
    for row in rows:
        papers.setdefault(row.paper['name'], []).append(row)
    for mine in papers.values():
        paper = mine[0].paper
        parts.append('## %s: %s\n\n| figure | shows | command | takes | '
                     'theirs | ours | error, or why not |\n'
                     '|---|---|---|---|---|---|---|\n' % (
                         paper['number'], paper['title']))
        parts += [line_of(row, results[row.key]) + '\n' for row in mine]
        parts.append('\n')
    parts.append('`%s`\n' % summary(rows, results))
    return ''.join(parts)
