# SPDX-License-Identifier: GPL-2.0-or-later
"""How far apart the drive's own measurements of the same thing are: experiments
that were measured more than once, and neighbours on a curve that is flat.

Knows nothing of the model.
"""

import statistics

from femu.measured import beside, protocol

METRICS = ('kiops', 'mean_us', 'p50_us', 'p95_us')
# Three neighbours on a curve over the queue depth are flat if the highest is
# less than this factor above the lowest. How they differ is then noise, and the
# curve's own bend.
FLAT = 1.1


def host_of(exp, host):
    """Return: which kind of host ran an experiment."""
    engine = exp.fields.get('engine')
    if engine:
        return engine
    return 'io_uring_cmd' if exp.part in host['passthrough']['parts'] \
        else 'spdk'


def key_of(exp, host):
    """Return: a key that is the same for measurements of the same thing; None
    for experiments whose background the key could not describe."""
    if exp.fields['fg_op'] not in protocol.IO_OPS or exp.part == 'state':
        return None
    bg_op = exp.fields.get('bg_op') or 'none'
    if bg_op in protocol.MGMT_OPS + ('softfinish',) or (
            bg_op != 'none' and exp.number('bg_intensity_pct')):
        return None
    pattern = 'sequential' if exp.part == 'sequential-read' else 'random'
    where = 'conventional' if exp.part == 'conv-ns' else pattern
    mixed = (exp.fields.get('mix_fg_bg') or '') if bg_op != 'none' else ''
    digits = ''.join(c if c.isdigit() else ' ' for c in mixed).split()
    rate = exp.fields.get('bg_rate_mibps') or ''
    return (host_of(exp, host), exp.fields['fg_op'], exp.whole('bs_bytes'),
            exp.whole('lba_bytes') or 4096, exp.whole('qd', 1) or 1,
            exp.whole('zones', 1) or 1, where, bg_op,
            exp.fields.get('bg_bs_bytes') or '', rate, tuple(digits))


def key_if_usable(exp, host):
    """Return: key_of() a measurement; None if it cannot be compared at all."""
    try:
        beside.check_usable(exp)
        return key_of(exp, host)
    except protocol.Skip:
        return None


def groups(experiments, host):
    """Return: lists of experiments that measured the same thing. Rows with
    exactly the same mean latency are one measurement that is listed twice."""
    found = {}
    for exp in experiments:
        key = key_if_usable(exp, host)
        if key:
            mine = found.setdefault(key, [])
            if all(exp.measured.get('mean_us') != other.measured.get('mean_us')
                   for other in mine):
                mine.append(exp)
    return [mine for mine in found.values() if len(mine) > 1]


def apart(values):
    """Return: how far each of VALUES is from their mean, in percent."""
    middle = sum(values) / len(values)
    return [100 * abs(value - middle) / middle for value in values]


def of_repeats(experiments, host, coupled):
    """Return: {metric: [percent]}, how far repeated measurements are from their
    mean: of jobs that are COUPLED to another job, or of all others."""
    found = {metric: [] for metric in METRICS}
    for mine in groups(experiments, host):
        for metric in METRICS:
            if (mine[0].part in ('mixed-rw', 'mixratio')) != coupled:
                continue
            values = [exp.measured[metric] for exp in mine
                      if metric in exp.measured]
            # The other job, not the drive, decided the rate of a coupled job.
            if len(values) > 1 and metric not in beside.prescribed(mine[0]):
                found[metric] += apart(values)
    return found


def by_part(experiments, host):
    """Return: {(part, metric): [percent]}, how far measurements of a part are
    from the mean of all of the same thing."""
    found = {}
    for mine in groups(experiments, host):
        for metric in METRICS:
            some = [exp for exp in mine if metric in exp.measured]
            if len(some) < 2 or metric in beside.prescribed(some[0]):
                continue
            for exp, percent in zip(some, apart(
                    [exp.measured[metric] for exp in some])):
                found.setdefault((exp.part, metric), []).append(percent)
    return found


def of_neighbours(experiments, host):
    """Return: {metric: [percent]} that a point is off the mean of its two
    neighbours, where throughput no longer depends on the queue depth."""
    curves, found = {}, {'kiops': []}
    for exp in experiments:
        key = key_if_usable(exp, host)
        if key and 'kiops' in exp.measured and key[7] == 'none':
            curves.setdefault((exp.part, key[:4] + key[5:]), {})[key[4]] = \
                exp.measured['kiops']
    for points in curves.values():
        values = [points[depth] for depth in sorted(points)]
        for before, here, after in zip(values, values[1:], values[2:]):
            if max(before, here, after) < FLAT * min(before, here, after):
                middle = (before + after) / 2
                found['kiops'].append(100 * abs(here - middle) / middle)
    return found


def p90(values):
    """Return: what nine tenths of VALUES are within."""
    return sorted(values)[int(0.9 * len(values))]


def lines(title, found):
    """Return: the lines to print of the percentages FOUND."""
    return ['%-12s%-9s%5d%9.1f%9.1f%9.1f' % (
        title, metric, len(values), statistics.mean(values),
        statistics.median(values), sorted(values)[int(0.9 * len(values))])
            for metric, values in found.items() if values]
