# SPDX-License-Identifier: GPL-2.0-or-later
"""A sweep's results as files: points.csv, a row for each point, job and
operation, and table.md.

Knows nothing of how the results were made.
"""

import csv

from femu.sweep.plan import METRICS, OF_ROW


def text_of(value):
    """Return: a number with the digits that a reader wants."""
    if isinstance(value, float):
        return '%.4g' % value if abs(value) < 10000 else '%.0f' % value
    return str(value)


def cell_of(value):
    """Return: a value as one cell of a line of Markdown."""
    return ' '.join(text_of(value).split()).replace('|', '\\|')


def flat(plan, results):
    """RESULTS: [(Point, rows)]. Return: [{column: value}]: axes, what the row
    is of, and all metrics."""
    return [{**point.axes, **{name: row[name] for name in OF_ROW},
             **{name: row.get(name) for name in METRICS}}
            for point, rows in results for row in rows]


def write_csv(path, plan, results):
    """Writes all numbers, without rounding them."""
    columns = [*plan.axes, *OF_ROW, *METRICS]
    with open(path, 'w', encoding='utf-8', newline='') as file:
        writer = csv.DictWriter(file, columns, restval='')
        writer.writeheader()
        writer.writerows({name: '' if value is None else value
                          for name, value in row.items()}
                         for row in flat(plan, results))


def columns_of(plan, rows):
    """Return: [(column, its head)] of a table of ROWS: columns in which
    nothing stands are left out."""
    steps = {row['step'] for row in rows}
    shown = [(name, name) for name in plan.axes]
    shown += [(name, name) for name in ('step', 'job', 'op')
              if name != 'step' or steps - {''}]
    return shown + [(name, METRICS[name]) for name in plan.metrics]


def write_table(path, plan, results):
    """Writes what the plan collects, as a table in Markdown."""
    rows = flat(plan, results)
    columns = columns_of(plan, rows)
    with open(path, 'w', encoding='utf-8') as file:
        file.write('| %s |\n' % ' | '.join(head for _, head in columns))
        file.write('|%s\n' % ('---|' * len(columns)))
        for row in rows:
            file.write('| %s |\n' % ' | '.join(
                '' if row[name] is None
                else cell_of(row[name])
                for name, _ in columns))
