# SPDX-License-Identifier: GPL-2.0-or-later
"""The table that models are fitted to: from a run of jobs/mqssd.sh, or a file.

Knows nothing of the models.
"""

import csv
import os
import re

from femu.common import json_file, unwaited
from femu.mqssd.models import Point

STEP = re.compile(r'(read|write)-k([0-9]+)-([0-9]+[kKmM]?)\.fio\.json')
UNITS = {'k': 1 << 10, 'm': 1 << 20}
FIELDS = Point._fields


class TableError(Exception):
    """The table is not one."""


def bytes_of(text):
    """Return: the bytes that "64k" means."""
    text = text.lower()
    return int(text.rstrip('km')) * UNITS.get(text[-1], 1)


def of_run(results, dilation):
    """Return: the Points of a run's folder of results, in the drive's time."""
    points = []
    for name in sorted(os.listdir(results)):
        match = STEP.fullmatch(name)
        if match:
            side = json_file.value_of(os.path.join(results, name)
                                      )['jobs'][0][match[1]]
            points.append(Point(match[1], int(match[2]), bytes_of(match[3]),
                                side['bw_bytes'] * dilation / 2 ** 20))
    if not points:
        raise TableError('%s: no results of jobs/mqssd.sh' % results)
    return sorted(points)


def write(path, points):
    """Writes the file that read() reads."""
    with open(path, 'w', encoding='utf-8', newline='') as file:
        rows = csv.writer(file, lineterminator='\n')
        rows.writerow(FIELDS)
        rows.writerows([*point[:3], '%.6g' % point.mibps] for point in points)


def point_of(path, number, row):
    """Return: the Point of a ROW of a file."""
    try:
        point = Point(row['op'], int(row['threads']),
                      int(row['request_bytes']), float(row['mibps']))
    except (KeyError, TypeError, ValueError):
        raise TableError('%s: row %d is not %s' % (
            path, number, ','.join(FIELDS))) from None
    if point.op not in ('read', 'write') or point.threads < 1 or \
            point.request_bytes < 4096 or not 0 < point.mibps < 1e9:
        raise TableError('%s: row %d: op must be read or write, threads 1 or '
                         'more, request_bytes 4096 or more, mibps above 0'
                         % (path, number))
    return point


def rows_of(path):
    """Return: the rows of a file, each a dict of texts."""
    try:
        # Some programs write a mark of the byte order before the first name.
        with open(path, encoding='utf-8-sig', newline='',
                  opener=unwaited.opener) as file:
            reader = csv.DictReader(file)
            names, rows = list(reader.fieldnames or ()), list(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        raise TableError('%s: is not CSV: %s' % (path, error)) from None
    for name in FIELDS:
        if names.count(name) > 1:
            raise TableError('%s: has a column %s twice' % (path, name))
    return rows


def read(path):
    """Return: the Points of a file, of which there must be some, each of
    another op, threads and request_bytes."""
    points, seen = [], {}
    for number, row in enumerate(rows_of(path), 2):
        point = point_of(path, number, row)
        first = seen.setdefault(point[:3], number)
        if first != number:
            raise TableError('%s: row %d has the op, threads and request_bytes '
                             'of row %d' % (path, number, first))
        points.append(point)
    if not points:
        raise TableError('%s: has no points' % path)
    return points
