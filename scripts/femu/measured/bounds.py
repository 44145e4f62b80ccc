# SPDX-License-Identifier: GPL-2.0-or-later
"""Bounds on errors, from a file that states them: of each part and metric of a
validation, of each point and metric of a guest table.

A file has a row for each error: the part or point, its metric, the error in
percent when the row was stated, and the least and the most that it may be. An
error without a row is a fault, and so is a row without an error.

The margins when a row is stated: of a part of the validation 0.3 points or a
tenth, whichever is more, upwards (the same on every machine; less would make
every small change of the core state them anew, more would hide a damage); of a
point in the guest 1.5 points to both sides, 5 of a median or p95, which is a
bucket of 1.6 %: the guest's software decides when commands arrive.

Writes and appends that saturate the buffer (4 KiB saturate the front end) meet
other programs in each run. Of 20 seeds in the simulator, 300 ms of four writers
each as in the guest, one standard deviation is 0.8 % in throughput and mean, 2.4
in the median and 4.3 to 5.7 in p95; two runs differ by less than 2 sqrt(2) of
these in 95 of 100.

Knows nothing of how the errors came about.
"""

import csv
import math
import re

from femu.common import unwaited, whole_file

COLUMNS = ('of', 'metric', 'stated_pct', 'least_pct', 'most_pct')
PART_POINTS, PART_SHARE = 0.3, 0.1
GUEST_POINTS = {'p50_us': 5.0, 'p95_us': 5.0}
OTHER_GUEST_POINTS = 1.5
SATURATED = re.compile(r'(write|append)-(8|\d\d+)k-(\d+zones|qd([2-9]|\d\d+))')
SATURATED_POINTS = {'p50_us': 7.0, 'p95_us': 16.0}
OTHER_SATURATED_POINTS = 2.3


class BoundsError(Exception):
    """The file of bounds is wrong."""


def of_part(_part, _metric, error):
    """Return: the least and the most that a part's error may be."""
    return 0.0, error + max(PART_POINTS, PART_SHARE * error)


def of_guest(point, metric, error):
    """Return: the least and the most that a point's error may be."""
    if SATURATED.fullmatch(point):
        points = SATURATED_POINTS.get(metric, OTHER_SATURATED_POINTS)
    else:
        points = GUEST_POINTS.get(metric, OTHER_GUEST_POINTS)
    return error - points, error + points


def number(row, name):
    """Return: a cell as a number; raises ValueError."""
    try:
        value = float(row[name])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError('%s=%s: must be a number' % (name, row[name]))
    return value


def add_row(found, row):
    """Adds a row to FOUND, {(of, metric): (least, most)}; raises ValueError."""
    missing = [name for name in COLUMNS if row.get(name) is None]
    if missing:
        raise ValueError('has no %s' % ', '.join(missing))
    key = row['of'], row['metric']
    stated, least, most = (number(row, name) for name in COLUMNS[2:])
    if key in found or not least <= stated <= most:
        raise ValueError('%s %s: is there twice, or not least <= stated <= '
                         'most' % key)
    found[key] = least, most


def read(path):
    """Return: {(of, metric): (least, most)} of a file of bounds."""
    found = {}
    try:
        with open(path, encoding='ascii', newline='',
                  opener=unwaited.opener) as file:
            reader = csv.DictReader(file)
            for row in reader:
                add_row(found, row)
    except OSError as error:
        raise BoundsError('%s: %s' % (path, error.strerror)) from None
    except (ValueError, csv.Error) as error:
        raise BoundsError('%s:%d: is no file of bounds: %s' % (
            path, reader.line_num, error)) from None
    if not found:
        raise BoundsError('%s: has no bounds' % path)
    return found


def write(path, errors, margin):
    """States the ERRORS, {(of, metric): percent}. MARGIN takes a part
    or point, a metric and its error to the least and the most that it may be."""
    with whole_file.replacing(path) as file:
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow(COLUMNS)
        for (of, metric), error in errors.items():
            writer.writerow((of, metric) + tuple(
                '%.1f' % value
                for value in (error, *margin(of, metric, round(error, 1)))))


def of_some(limits, names):
    """Return: the bounds of these NAMES only; all of them if there are none."""
    return {key: limit for key, limit in limits.items()
            if not names or key[0] in names}


def exceeded(limits, errors):
    """Return: a text for each of the ERRORS, {(of, metric): percent}, that is
    not within its bounds, has none, or did not come out."""
    faults = []
    for key, (least, most) in limits.items():
        if key not in errors:
            faults.append('%s %s did not come out' % key)
        elif not least <= round(errors[key], 1) <= most:
            faults.append('%s %s is %.1f %% off, must be %.1f to %.1f' % (
                *key, errors[key], least, most))
    return faults + ['%s %s has no bound' % key for key in errors
                     if key not in limits]
