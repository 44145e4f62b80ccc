# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads CSV files of ours: points, errors, bounds, sums.

Knows nothing of what the columns mean.
"""

import csv


def rows_of(path):
    """Return: the rows of the file PATH, each a dict of texts."""
    with open(path, encoding='utf-8', newline='') as file:
        return list(csv.DictReader(file))
