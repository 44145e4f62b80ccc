# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 7 of SYSTOR '24 on the ZN540: 8 KiB writers beside softfinishes, from
the raw data (tests/data/zn540/more/softfinish.csv), by chunks as they were.

Knows nothing of how runs are started and drawn.
"""

import os
import re

from femu.figures.points import Experiment, Point
from femu.interference import factor
from femu.measured import beside, files, protocol
from femu.measured.experiment import Experiment as Measured

PART = 'softfinish-on-write-interference'
METRICS = ('kiops', 'p95_us', 'finishes_per_s')
ALONE = 'no finish'
MOST_WRITERS = 7
# What the paper's text says of softfinishes; its own numbers do not give them.
THEIRS = 'the text has 0.13, 0.68 and 0.17, and 0.1 of those that pause'


def series_of(exp):
    """Return: what the run had in the background."""
    found = re.search(r'soft_(\d+)(-sleep50)?', exp.fields['mix_fg_bg'])
    kib = int(found[1]) * beside.CHUNK_BYTES / 1024
    if not kib:
        return 'finish'
    return '%g KiB%s' % (kib, ', 50 us apart' if found[2] else '')


def reader(exp, host, metric):
    """Return: a function from a run's results to METRIC of EXP."""
    name = 'mgmt_per_s' if metric == 'finishes_per_s' else metric
    wanted = Measured(exp.name, exp.fields, {name: None})
    return lambda result: protocol.metrics_of(wanted, result, host)[name]


def is_alone(exp):
    """Return: whether nothing is beside these writers."""
    return exp.part == 'mgmt-on-io' and not exp.op('bg_op') and \
        exp.op('fg_op') == 'write' and exp.number('bs_bytes') == 8192 and \
        exp.whole('zones') <= MOST_WRITERS


def experiments_of(folder):
    """Return: [(series, writers, experiment, finishes a second or None)]."""
    found = [(ALONE, exp.whole('zones'), exp, None)
             for exp in files.read_experiments(
                 os.path.join(folder, 'points.csv')) if is_alone(exp)]
    both = [exp for exp in files.read_experiments(os.path.join(
        folder, 'more/softfinish.csv')) if exp.part == PART]
    per_s = {exp.fields['mix_fg_bg']: exp.measured['mgmt_per_s']
             for exp in both if exp.fields['fg_op'] == 'softfinish'}
    return found + [(series_of(exp), beside.level(exp), exp,
                     per_s[exp.fields['mix_fg_bg']])
                    for exp in both if exp.fields['fg_op'] == 'write']


def figure_7(top):
    """Return: the experiments; those that "make validate" leaves out are not
    among them."""
    config = os.path.join(top, 'configs/zn540.cfg')
    folder = os.path.join(top, 'tests/data/zn540')
    host = files.read_host(os.path.join(folder, 'host.json'))
    made = []
    for series, count, exp, per_s in experiments_of(folder):
        try:
            run = protocol.make_run(exp, host, config, 1)
        except protocol.LeftOut:
            continue
        theirs = dict(exp.measured, finishes_per_s=per_s)
        made.append(Experiment(run, [
            (Point('7', series, count, metric, theirs[metric]),
             reader(exp, host, metric))
            for metric in METRICS if theirs.get(metric)]))
    return made


def curve(points, series, which):
    """Return: {writers: throughput and p95} of a series; WHICH: 'theirs' or
    'ours'."""
    found = {}
    for point in points:
        if point.series == series and point.metric in ('kiops', 'p95_us'):
            found.setdefault(point.x, {})[point.metric] = getattr(point, which)
    return {x: factor.Point(one['kiops'], one['p95_us'])
            for x, one in found.items() if len(one) == 2}


def note(points):
    """Return: M^Inter of each series, from the drive's numbers and ours, over
    the levels that were measured."""
    texts = []
    for series in dict.fromkeys(point.series for point in points):
        drive, ours = (factor.m_inter(curve(points, ALONE, which),
                                      curve(points, series, which))[0]
                       for which in ('theirs', 'ours'))
        if series != ALONE and drive is not None and ours is not None:
            texts.append('%s %.2f, model %.2f' % (series, drive, ours))
    return 'M^Inter: %s; %s' % ('; '.join(texts), THEIRS)
