# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads CSV files of ours: points, errors, bounds, sums.

Knows nothing of what the columns mean.
"""

import csv


class CsvError(Exception):
    """A file that has not the rows or columns that it should."""


def rows_of(path):
    """Return: the rows of the file PATH, each a dict of texts."""
    with open(path, encoding='utf-8', newline='') as file:
        return list(csv.DictReader(file))


def rows_with(path, columns):
    """Return: the rows of the file PATH, of which there must be some, each with
    COLUMNS. Raises CsvError."""
    rows = rows_of(path)
    if not rows:
        raise CsvError('%s: has no rows' % path)
    for number, row in enumerate(rows, 1):
        missing = [name for name in columns if row.get(name) is None]
        if missing:
            raise CsvError('%s: row %d has no %s' % (path, number,
                                                     ', '.join(missing)))
    return rows
