# SPDX-License-Identifier: GPL-2.0-or-later
"""The numbers of a validation that documents state: where they are in the
documents, what they must be, and how to update them.

A place is a file and a pattern, whose groups are the numbers in the order in
which they stand; blanks of the pattern stand for any white space.

Knows nothing of how the numbers came about.
"""

import difflib
import re

SENTENCE = r"puts (\d+) measured points beside the model's: ([\d.]+) % off in " \
    r'throughput, ([\d.]+) % in mean latency, ([\d.]+) % in the median and ' \
    r'([\d.]+) % in the 95th percentile'
SUMMARY = r'validate: (\d+) points, throughput ([\d.]+) %, mean ([\d.]+) %, ' \
    r'median ([\d.]+) %, p95 ([\d.]+) %'
MORE = r'more: (\d+) points, throughput ([\d.]+) %, mean ([\d.]+) %, ' \
    r'median ([\d.]+) %'
# Of points that have means and no percentiles.
MEANS = r'validate: (\d+) points, throughput ([\d.]+) %, mean ([\d.]+) %, ' \
    'median -, p95 -'
TABLE = re.compile(r'^\| part \| throughput \|.*?^\| \*\*all\*\* [^\n]*\n',
                   re.M | re.S)
# The columns: metrics by what the table writes before and behind the number.
COLUMNS = ((('kiops', '%s'), ('mgmt_per_s', 'management %s'),
            ('bg_mibps', '(%s)')),
           (('mean_us', '%s'),), (('p50_us', '%s'), ('mgmt_p50_us', '%s')),
           (('p95_us', '%s'),))


class StatedError(Exception):
    """A document does not have the text in which the numbers should be."""


def spaced(pattern):
    """Return: the pattern, whose blanks stand for any white space."""
    return re.compile(pattern.replace(' ', r'\s+'))


def numbers_of(text, pattern):
    """Return: the numbers that the text has at the pattern."""
    found = spaced(pattern).search(text)
    if not found:
        raise StatedError('there is no "%s"' % pattern)
    return list(found.groups())


def with_numbers(text, pattern, numbers):
    """Return: the text with other numbers at the pattern."""
    found = spaced(pattern).search(text)
    if not found:
        raise StatedError('there is no "%s"' % pattern)
    for idx in range(len(numbers), 0, -1):
        text = text[:found.start(idx)] + numbers[idx - 1] + \
            text[found.end(idx):]
    return text


def cell(part, metrics, errors):
    """Return: what the table says of some metrics of a part."""
    made = ''
    for metric, form in metrics:
        if (part, metric) in errors:
            word = form % ('%.1f' % errors[part, metric])
            made += (' ' if word.startswith('(') else '; ' if made else '') + \
                word
    return made


def table(errors, totals):
    """Return: the table of ERRORS, {(part, metric): percent}, as Markdown;
    TOTALS are the texts of the last row."""
    lines = ['| part | throughput | mean | median | p95 |',
             '|---|---|---|---|---|']
    for part in dict.fromkeys(part for part, _ in errors):
        cells = [part] + [cell(part, metrics, errors) for metrics in COLUMNS]
        lines.append('|%s |' % ' |'.join(' ' + text if text else ''
                                         for text in cells))
    lines.append('| %s |' % ' | '.join('**%s**' % text
                                       for text in ('all', *totals)))
    return '\n'.join(lines) + '\n'


def table_of(text):
    """Return: the table that a document has."""
    found = TABLE.search(text)
    if not found:
        raise StatedError('there is no table of parts')
    return found.group()


def with_table(text, made):
    """Return: the document with another table."""
    table_of(text)
    return TABLE.sub(lambda _: made, text)


def compared(page, made, name):
    """Return: the arguments of a test's result called NAME: is a PAGE as it was
    MADE, and where not."""
    return page == made, name, '\n'.join(difflib.unified_diff(
        page.splitlines(), made.splitlines(), 'the page', 'the data', n=0,
        lineterm=''))


def rows_under(text, head):
    """Return: where the rows of the table begin and end whose first line is, or
    begins with, HEAD."""
    found = re.search('^' + re.escape(head) + r'.*\n\|[-|]+\n((?:\|.*\n)*)',
                      text, re.M)
    if not found:
        raise StatedError('there is no table "%s"' % head)
    return found.span(1)


def with_rows(text, head, rows):
    """Return: the text, whose table under HEAD has other ROWS, lists of
    cells."""
    start, end = rows_under(text, head)
    return text[:start] + ''.join('|%s |\n' % ' |'.join(
        ' ' + cell if cell else '' for cell in row) for row in rows) + \
        text[end:]


def cells_under(text, head):
    """Return: the rows of the table under HEAD, lists of cells."""
    start, end = rows_under(text, head)
    return [[cell.strip() for cell in line.split('|')[1:-1]]
            for line in text[start:end].splitlines()]


def with_cells(text, head, kept, rows):
    """Return: the text, in whose table under HEAD each row keeps its first KEPT
    cells and has behind them what ROWS, {first cell: cells}, has of it."""
    had = cells_under(text, head)
    if {row[0] for row in had} != set(rows):
        raise StatedError('the table "%s" has not the rows %s' % (
            head, ', '.join('"%s"' % label for label in rows)))
    return with_rows(text, head, [row[:kept] + rows[row[0]] for row in had])
