# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures beyond the papers: what each design of finish, reset, mapping and
erase does to I/O, to the writer of a zone that was reset, and to wear; and
stripe orders.
docs/model.md says which figure shows which design.

Knows nothing of how runs are started and drawn.
"""

import os

from femu.common.simulator import Run, job
from femu.figures.papers import GUEST, RESET_RATE, writers
from femu.figures.points import Experiment, Point, pick


def confznspp(top):
    """Return: the drive that all of these change."""
    return os.path.join(top, 'configs/confznspp.cfg')


FINISHES = {
    'finish 256 KiB': {},
    'finish, paused 5 ms': {'finish-pause-ns': 5000000},
    'finish, dynamic': {'finish-busy-pause-ns': 20000000},
    'finish, stalling': {'finish-stall-ns': 20000000},
}
RESETS = {
    'reset, whole': {},
    'reset, preemptive': {'erase-preemptive': 'on'},
    'reset, preemptive, stalling': {'erase-preemptive': 'on',
                                    'erase-stall-ns': 20000000},
    'reset, background': {'erase-at': 'background'},
    'reset, background, preemptive': {'erase-at': 'background',
                                      'erase-preemptive': 'on'},
    'reset, when idle': {'erase-at': 'idle'},
    'lazy, erase at each block': {'mapping': 'lazy',
                                  'erase-at': 'block-write'},
}


def designs(top):
    """What the designs that ConfZNS++ names but does not have do to the same
    workloads: 4 writers beside finishes, and beside resets."""
    experiments = []
    for number, (series, change) in enumerate([*FINISHES.items(),
                                               *RESETS.items()]):
        if series in FINISHES:
            args = writers(4, runtime=20, time_based=1, exitall=1) + \
                job('finish', rw='finish', offset='24z', size='10z',
                    prewrite='16k')
            change = dict(change, **{'finish-chunk': '256K'})
        else:
            args = job('reset', rw='reset', prefill='100%', offset='24z',
                       size='24z', rate=RESET_RATE, exitall=1) + \
                writers(4, runtime=180, time_based=1)
        experiments.append(Experiment(
            Run(confznspp(top), change, GUEST + args), [
                (Point('designs', series, number, metric, None),
                 pick('io', 'write', metric))
                for metric in ('kiops', 'p95_us', 'max_us')]))
    return experiments


REWRITES = {
    'direct, erase at reset': {},
    'direct, background': {'erase-at': 'background'},
    'direct, when idle': {'erase-at': 'idle'},
    'direct, at first write': {'erase-at': 'zone-write'},
    'direct, at each block': {'erase-at': 'block-write'},
    'lazy, at first write': {'mapping': 'lazy', 'erase-at': 'zone-write'},
    'lazy, 24 spare, at first write': {
        'mapping': 'lazy', 'erase-at': 'zone-write', 'spare-superblocks': 24},
    'remap, 24 spare, at first write': {
        'mapping': 'remap', 'erase-at': 'zone-write', 'spare-superblocks': 24},
    'lazy, background': {'mapping': 'lazy', 'erase-at': 'background'},
}


def rewrite(top):
    """48 full zones: one is reset every 100 ms, and gets its first page 90 ms
    later."""
    experiments = []
    for number, (series, change) in enumerate(REWRITES.items()):
        settings = dict(change, **{'max-open': 0, 'max-active': 0})
        args = job('reset', rw='reset', prefill='100%', size='48z',
                   rate_iops=10) + \
            job('first', rw='write', bs='16k', size='48z', zone_bytes='16k',
                startdelay='90ms', rate_iops=10)
        experiments.append(Experiment(
            Run(confznspp(top), settings, GUEST + args),
            [(Point('rewrite', series, number, 'reset_us', None),
              pick('reset', 'reset', 'mean_us')),
             (Point('rewrite', series, number, 'first_us', None),
              pick('first', 'write', 'mean_us'))]))
    return experiments


# Small zones of 2 blocks on each unit, so that many rewrites of a zone take
# little time to simulate.
WEAR = {'zones': 32, 'zone-size': '16M', 'zone-capacity': '12M',
        'pages-per-block': 96, 'max-open': 0, 'max-active': 0}
ORDERS = ('fifo', 'lifo', 'least-worn')


def wear(top):
    """Four zones are rewritten 25 times while twenty hold data; these are
    reset, and the four are rewritten 25 times more: how often is the block
    erased that is erased most?"""
    args = job('cold', rw='read', prefill='100%', offset='8z', size='20z',
               number_ios=1) + \
        job('hot', rw='write', bs='256k', size='4z', loops=25) + \
        job('thaw', rw='reset', offset='8z', size='20z', stonewall=1) + \
        job('again', rw='write', bs='256k', size='4z', loops=25, stonewall=1)
    experiments = []
    for series, mapping, order in (
            ('direct', 'direct', 'fifo'),
            *(('%s, %s' % (mapping, order), mapping, order)
              for mapping in ('lazy', 'remap') for order in ORDERS)):
        for spares in (0,) if mapping == 'direct' else (0, 4, 8, 16):
            settings = dict(WEAR, **{
                'mapping': mapping, 'superblock-order': order,
                'spare-superblocks': spares})
            experiments.append(Experiment(
                Run(confznspp(top), settings, args),
                [(Point('wear', series, spares, 'most_erases', None),
                  lambda result: result.drive['wear']['max'])]))
    return experiments


# A zone's 32 units span every level: channels, ways, dies and planes.
STRIPES = {'ways': 2, 'dies': 2, 'planes': 2, 'zone-size': '2G',
           'zone-capacity': '1056M', 'mdts': '1M'}


def stripes(top):
    """One request at a time. Which level of the flash changes from page to page
    decides how many units work on it in parallel."""
    experiments = []
    for order in ('cwdp', 'wcdp', 'pdwc'):
        for kib in (16, 32, 64, 128, 256, 512, 1024):
            for rw in ('write', 'read'):
                args = job('io', rw=rw, bs='%dk' % kib, size='1z',
                           prefill='100%' if rw == 'read' else '0',
                           number_ios=100)
                experiments.append(Experiment(
                    Run(confznspp(top), dict(STRIPES, **{
                        'stripe-order': order}), GUEST + args),
                    [(Point('stripes-' + rw, order, kib, 'mean_us', None),
                      pick('io', rw, 'mean_us'))]))
    return experiments
