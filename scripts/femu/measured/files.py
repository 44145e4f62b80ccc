# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads and checks a file of measured points, and host.json beside it.

Knows nothing of simulations.
"""

import csv
import json
import math
import os

from femu.common import unwaited
from femu.measured import beside, protocol

FIELDS = ('part', 'fg_op', 'bs_bytes', 'lba_bytes', 'qd', 'zones', 'bg_op',
          'bg_bs_bytes', 'bg_intensity_pct', 'bg_rate_mibps', 'occupancy_pct',
          'finished')
TEXTS = ('part', 'fg_op', 'bg_op') + beside.TEXTS
# A value beyond these is no measurement of a drive, and errors relative to it
# are no numbers.
LEAST_VALUE, MOST_VALUE = 1e-9, 1e15
# Defaults for what host.json leaves out: a host that adds no time. A member
# that it has must be of the same type: an object, a list of texts, or a number.
HOST_DEFAULTS = {
    'passthrough': {'parts': [], 'us': {}, 'cpu_us': 0,
                    'page_us': 0, 'between_us': 0},
    'polled': {'parts': [], 'clat_parts': [], 'ns': 0, 'spread_ns': 0,
               'between_ns': 0},
    'inline_reset': {'parts': [], 'ms': 0, 'per_mib': 1},
    'unthrottled_per_s': {},
    'zones_per_thread': protocol.FG_ZONES,
    'ramp_ms': protocol.RAMP_MS,
    'io_uring': {'us': {}, 'page_us': 0, 'between_us': 0, 'mq_deadline_us': 0},
    'unthrottled_mibps': 0,
}
# Operations that an object of numbers may have.
OPS = tuple(protocol.IO_OPS) + protocol.MGMT_OPS + ('softfinish',) + \
    protocol.STATE_OPS
HOST_OPS = {'passthrough.us': OPS, 'io_uring.us': OPS,
            'unthrottled_per_s': protocol.MGMT_OPS + ('softfinish',)}
# Members that must be above 0.
HOST_ABOVE_0 = ('inline_reset.per_mib', 'unthrottled_per_s.finish',
                'unthrottled_per_s.reset', 'unthrottled_per_s.softfinish',
                'zones_per_thread')
HOST_MOST = 1e15
# Members that must be whole numbers.
HOST_WHOLE = ('polled.ns', 'polled.spread_ns', 'polled.between_ns',
              'zones_per_thread', 'ramp_ms')


class InputError(Exception):
    """The user's input is wrong."""


# --- Points -------------------------------------------------------------------

def check_metric(row, measured):
    """Raises ValueError if the row's metric is unknown, or MEASURED has it
    already."""
    metric = row['metric']
    if metric not in protocol.METRICS:
        raise ValueError('metric=%s: must be %s' % (
            metric, ', '.join(protocol.METRICS)))
    if metric in measured:
        raise ValueError('metric=%s: %s has it already; an id is one '
                         'experiment' % (metric, row['id']))


def value_of(row):
    """Return: the row's value; raises ValueError if it is no number above 0."""
    try:
        value = float(row['value'])
    except ValueError:
        raise ValueError('value=%s: must be a number' % row['value']) from None
    if not 0 < value < math.inf:
        raise ValueError('value=%s: must be above 0: errors are relative to it'
                         % row['value'])
    if not LEAST_VALUE <= value <= MOST_VALUE:
        raise ValueError('value=%s: must be %g to %g: it is no measurement' % (
            row['value'], LEAST_VALUE, MOST_VALUE))
    return value


def check_numbers(exp):
    """Raises Skip if a field of a new experiment should be a number and is
    none, whether or not its part reads it: pages do."""
    for name in exp.fields:
        if name not in TEXTS:
            exp.number(name)


def add_row(experiments, row):
    """Adds a row to its experiment; raises ValueError or Skip."""
    if None in row or None in row.values():
        raise ValueError('has %s columns than the first line' % (
            'more' if None in row else 'fewer'))
    fields = {name: row[name] for name in FIELDS + beside.COLUMNS
              if name in row}
    if row['id'] not in experiments:
        made = protocol.Experiment(row['id'], fields, {})
        check_numbers(made)
        experiments[row['id']] = made
    exp = experiments[row['id']]
    for name, first in exp.fields.items():
        if row[name] != first:
            raise ValueError('%s=%s: the first row of %s has %s; an id is one '
                             'experiment' % (name, row[name], row['id'],
                                             first or 'nothing'))
    check_metric(row, exp.measured)
    exp.measured[row['metric']] = value_of(row)


def read_rows(path, file):
    """Return: {id: experiment}, in the file's order."""
    experiments = {}
    reader = csv.DictReader(file)
    names = list(reader.fieldnames or ())
    missing = set(FIELDS + ('id', 'metric', 'value')) - set(names)
    if missing:
        raise InputError('%s: has no column %s' % (
            path, ', '.join(sorted(missing))))
    # Of two the last would count. One without a name is a comma too many.
    for name in names:
        if name and names.count(name) > 1:
            raise InputError('%s: has a column %s twice' % (path, name))
    for row in reader:
        try:
            add_row(experiments, row)
        except (ValueError, protocol.Skip) as error:
            raise InputError('%s:%d: %s' % (path, reader.line_num,
                                            error)) from None
    return experiments


def has_engines(path):
    """Does a file of points say which engine ran?"""
    try:
        with open(path, encoding='utf-8-sig', newline='',
                  opener=unwaited.opener) as file:
            return 'engine' in next(csv.reader(file), ())
    except (OSError, UnicodeDecodeError, csv.Error):
        return False


def read_experiments(path, parts=()):
    """Return: the experiments of a points file, in its order; of PARTS only,
    if any are given."""
    try:
        # Some programs write a mark of the byte order before the first name.
        with open(path, encoding='utf-8-sig', newline='',
                  opener=unwaited.opener) as file:
            experiments = read_rows(path, file)
    except OSError as error:
        raise InputError('%s: %s' % (path, error.strerror)) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError('%s: is not CSV: %s' % (path, error)) from None
    if not experiments:
        raise InputError('%s: has no points' % path)
    known = list(dict.fromkeys(exp.part for exp in experiments.values()))
    for part in parts:
        if part not in known:
            raise InputError('%s: has no points of part "%s"; has: %s' % (
                path, part, ', '.join(known)))
    return [exp for exp in experiments.values()
            if not parts or exp.part in parts]


# --- The host -----------------------------------------------------------------

def check_number(name, value):
    """Raises ValueError if VALUE may not be the member NAME of host.json."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or \
            not 0 <= value <= HOST_MOST:
        raise ValueError('%s: %.40s: must be a number of 0 to %g' % (
            name, json.dumps(value), HOST_MOST))
    if name in HOST_ABOVE_0 and value == 0:
        raise ValueError('%s: 0: must be above 0' % name)
    if name in HOST_WHOLE and value != int(value):
        raise ValueError('%s: %s: must be a whole number' % (
            name, json.dumps(value)))


def merge(name, value, default):
    """Return: a member of host.json, with defaults; raises ValueError."""
    if isinstance(default, dict):
        if not isinstance(value, dict):
            raise ValueError('%s: %s: must be an object' % (
                name or 'all of it', json.dumps(value)))
        may_have = HOST_OPS.get(name, default)
        unknown = set(value) - set(may_have)
        if unknown:
            raise ValueError('%s"%s"; may have: %s' % (
                '%s: has ' % name if name else 'has ', min(unknown),
                ', '.join(may_have)))
        return {key: merge('%s.%s' % (name, key) if name else key,
                           value.get(key, default.get(key)),
                           default.get(key, 0))
                for key in dict(default, **value)}
    if isinstance(default, list):
        # A part may be of any type here, and not all can be looked up.
        if not isinstance(value, list) or not all(
                isinstance(part, str) and part in protocol.PARTS
                for part in value):
            raise ValueError('%s: %s: must be a list of %s' % (
                name, json.dumps(value), ', '.join(protocol.PARTS)))
        return value
    check_number(name, value)
    return value


def without_doubles(pairs):
    """Return: the members of an object of JSON; raises ValueError if one is
    there twice, of which the first would count for nothing."""
    made = dict(pairs)
    for name, _ in pairs:
        if [other for other, _ in pairs].count(name) > 1:
            raise ValueError('has "%s" twice' % name)
    return made


def read_host(path):
    """Return: the description of the measuring host in the file PATH; without a
    PATH, a host that adds no time."""
    try:
        if path is None:
            return merge('', {}, HOST_DEFAULTS)
        with open(path, encoding='utf-8-sig',
                  opener=unwaited.opener) as file:
            host = merge('', json.load(
                file, object_pairs_hook=without_doubles), HOST_DEFAULTS)
    except OSError as error:
        raise InputError('%s: %s' % (path, error.strerror)) from None
    except RecursionError:
        raise InputError('%s: is nested too deep' % path) from None
    except ValueError as error:
        raise InputError('%s: %s' % (path, error)) from None
    added = host['passthrough']
    if added['parts'] and 'write' not in added['us']:
        raise InputError('%s: passthrough.us: has no "write", which stands '
                         'for all operations that it does not have' % path)
    for name, added_us in added['us'].items():
        if added['cpu_us'] > added_us:
            raise InputError(
                '%s: passthrough.cpu_us=%g: is a part of what a command costs, '
                'so at most us.%s=%g' % (path, added['cpu_us'], name,
                                         added_us))
    return host


def host_path(asked, points):
    """Return: the path of the host.json of measured POINTS: ASKED if it is
    given, else the one in their folder. None if there is none: the host of
    another drive's points would not fit."""
    beside = os.path.join(os.path.dirname(os.path.abspath(points)),
                          'host.json')
    return asked or (beside if os.path.exists(beside) else None)


def us_text(added, where):
    """Return: what an engine's object ADDED has for each operation, WHERE."""
    return '%s us per command %s' % (
        ', '.join('%s %g' % pair for pair in added['us'].items()), where)


def passthrough_texts(added):
    texts = []
    if added['us']:
        texts.append(us_text(added, 'in ' + ', '.join(added['parts'])
                             if added['parts'] else 'of io_uring_cmd'))
    if added['cpu_us'] or added['page_us']:
        texts.append('%g us of these, and %g more for each page behind the '
                     'first, are the processor of a thread, which has one '
                     'command at a time' % (added['cpu_us'], added['page_us']))
    return texts


def polled_texts(polled):
    if not polled['parts'] and not polled['ns'] and not polled['spread_ns']:
        return []
    return ['%g +- %g ns per command %s' % (
        polled['ns'], polled['spread_ns'], 'in ' + ', '.join(polled['parts'])
        if polled['parts'] else 'of SPDK')]


def io_uring_texts(added):
    texts = []
    if added['us']:
        texts.append(us_text(added, 'of io_uring'))
    if added['page_us']:
        texts.append('%g us more for each page behind the first of io_uring, '
                     'of the processor of a thread' % added['page_us'])
    if added['mq_deadline_us']:
        texts.append('%g us of mq-deadline for each command of io_uring that '
                     'it sends' % added['mq_deadline_us'])
    return texts


def host_texts(host, path, option):
    """Return: texts that describe HOST, read from PATH; OPTION is the option
    that names another file."""
    # Neither adds to a command, and both change what is measured.
    how = 'a writing thread goes through %d zones, and what counts begins ' \
        'after %d ms' % (host['zones_per_thread'], host['ramp_ms'])
    if path is None:
        return ['adds nothing: no host.json is beside the points, and no %s '
                'is given' % option, how]
    added, inline, polled, io_uring = (host[name] for name in (
        'passthrough', 'inline_reset', 'polled', 'io_uring'))
    texts = ['as %s has it' % os.path.relpath(path)]
    texts += passthrough_texts(added)
    if inline['parts']:
        texts.append('%g ms of reset for %g MiB written, in the throughput of '
                     '%s' % (inline['ms'], inline['per_mib'],
                             ', '.join(inline['parts'])))
    texts += polled_texts(polled) + io_uring_texts(io_uring)
    for name, between_us in (('passthrough', added['between_us']),
                             ('polled', polled['between_ns'] / 1000),
                             ('io_uring', io_uring['between_us'])):
        if between_us:
            texts.append('%g us between two commands of %s, in no latency' % (
                between_us, name))
    return texts + ([] if texts[1:] else ['adds nothing']) + [how]
