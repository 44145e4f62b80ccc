# SPDX-License-Identifier: GPL-2.0-or-later
"""The observations of CLUSTER 2023 ("Performance Characterization of NVMe Flash
Devices with Zoned Namespaces") and SYSTOR 2024 ("ConfZNS++") about the ZN540:
for each, where it can be checked and the numbers that it is about.

A number must be in a band around what was measured in the same experiments of
the points (tests/data/zn540). Where the points contradict a paper's sentence,
the points decide.

Observations about the host's software are checked in a guest.

Knows nothing of the jobs of an experiment.
"""

from femu.measured import protocol
from femu.observations import in_guest
from femu.observations.quantity import Band, Quantity

SIMULATOR = 'simulator'
GUEST = 'guest'
SIMULATOR_AND_GUEST = 'simulator, guest'
OUT_OF_SCOPE = 'out of scope'
CONTRADICTED = 'contradicted by the raw data'
KIB = 1024


# --- Experiments --------------------------------------------------------------

def experiment(part, **fields):
    """Return: an experiment by its fields, with the usual ones filled in."""
    full = {'part': part, 'fg_op': '', 'bs_bytes': '4096', 'lba_bytes': '4096',
            'qd': '1', 'zones': '1', 'bg_op': '', 'bg_bs_bytes': '',
            'bg_intensity_pct': '', 'bg_rate_mibps': '', 'occupancy_pct': '',
            'finished': ''}
    full.update({name: str(value) for name, value in fields.items()})
    return protocol.Experiment(
        part + ':' + ','.join('%s=%s' % pair for pair in fields.items()), full,
        {})


def io(fg_op, kib=4, **fields):
    """Plain I/O."""
    return experiment('io', fg_op=fg_op, bs_bytes=kib * KIB, **fields)


def beside(fg_op, bg_op='none', percent=0, **fields):
    """8 KiB I/O beside management held to a share of its own rate."""
    return experiment('mgmt-on-io', fg_op=fg_op, bs_bytes=8192, bg_op=bg_op,
                      bg_intensity_pct=percent, **fields)


def unthrottled(bg_op, **fields):
    """Management as fast as it goes, beside 8 KiB I/O or (qd=0) alone."""
    return experiment('io-on-mgmt', bs_bytes=8192, bg_op=bg_op,
                      bg_intensity_pct=100, **fields)


def occupied(fg_op, percent, finished=0):
    """Finish or reset of a zone filled to a share."""
    return experiment('occupancy', fg_op=fg_op, bs_bytes='',
                      occupancy_pct=percent, finished=finished)


# --- Bands --------------------------------------------------------------------

ALONE = Band(5, 'nine in ten points of I/O alone are met within 5 %')
READS_ALIKE = Band(2, 'of a ratio of two rates of reads, each met within 2 %')
APPEND_RATIO = Band(6, 'of a ratio of two means, each met within 3 %')
BLOCKS_512 = Band(9, 'the fit describes blocks of 512 bytes, it explains '
                     'nothing: 9 % off')
FEW_ZONES = Band(5, 'the drive appends up to 7 % faster to two and four zones '
                    'than to one; the model does not')
STATE = Band(3, 'nine in ten points of states are met within 2 %')
FIRST = Band(10, 'of a difference of 2 us between two means of 12 us')
FIRST_APPEND = Band(32, 'fe-first-write-ns is one parameter, and the write\'s')
FINISH = Band(1, 'a finish repeats within 1 %, and is met within 0.5 %')
SECOND_MODE = Band(22, 'the measured mean has a second mode at 9 ms that the '
                       'model does not have')
RESET = Band(6, 'resets alone are met within 5 %')
RESET_BESIDE = Band(9, "fio's buckets are 1.6 % wide, and the model's resets "
                       'beside writes and appends are up to 7 % off')
HARDLY = Band(6, 'points; the drive loses 3 to 9 % there, the model 2 to 5 %')
FINISH_WRITES = Band(6, 'points; one writer loses 6 % on the drive and nothing '
                        'in the model, two and more lose 1 to 5 points more')
FINISH_READS = Band(6, 'points; met within 1 to 5')
TAIL = Band(20, 'of a ratio of two p95; each is met within 9 % on average')
DEEP_TAIL = Band(32, "the model's p95 of 8 KiB reads alone at QD128 is 31 % "
                     'below the drive\'s')
FEW_RESETS = Band(2.5, 'points; met within 2')
RESETS_WRITES = Band(7, "points; the model's resets beside saturated writes "
                        'take 1 ms longer than 22.3 ms')
TWO_WRITERS = Band(3, 'points; two writers just fill the drive: met within 1')
ONE_WRITER = Band(6, 'points; the model has 12 % less, the drive 16')
RESETS_TAIL = Band(22, 'points; both tails are of dies that wait for others: '
                       'of the 21 % that p95 grows by the model has 7, or 1 '
                       'with own-program-after=57')


# --- Numbers ------------------------------------------------------------------

def number(name, unit, exp, metric, band, scale=1.0):
    """Return: the quantity that is a metric of an experiment."""
    return Quantity(name, unit, lambda bench: scale * bench.get(exp, metric),
                    band)


def mean(name, exp, band):
    """A mean latency."""
    return number(name, 'us', exp, 'mean_us', band)


def kiops(name, exp, band):
    """A throughput."""
    return number(name, 'kIOPS', exp, 'kiops', band)


def mib(name, exp, band):
    """A throughput in bytes."""
    return number(name, 'MiB/s', exp, 'kiops', band,
                  float(exp.fields['bs_bytes']) * 1000 / (1 << 20))


def ratio(name, exp, other, metric, band):
    """What a metric is as a multiple of another experiment's."""
    return Quantity(name, 'x', lambda bench: bench.get(exp, metric) /
                    bench.get(other, metric), band)


def change(name, busy, quiet, metric, band, measured=None):
    """By how many percent a metric changes."""
    return Quantity(name, '%', lambda bench: 100 * (
        bench.get(busy, metric) / bench.get(quiet, metric) - 1), band, measured)


def at(place, level):
    """Return: a level of concurrency as a text."""
    return 'QD%d' % level if place == 'qd' else \
        '%d zone%s' % (level, '' if level == 1 else 's')


def beside_changes(fg_op, bg_op, percent, metric, places, label, band):
    """How I/O changes beside management at several PLACES: (field, level)."""
    return [change('%s, %s' % (label, at(place, level)),
                   beside(fg_op, bg_op, percent, **{place: level}),
                   beside(fg_op, **{place: level}), metric, band)
            for place, level in places]


def later(name, fg_op, first_op, measured, band):
    """How much longer the first command to a zone takes than a later one."""
    return Quantity(
        name, 'us', lambda bench:
        bench.get(experiment('state', fg_op=first_op), 'mean_us') -
        bench.get(io(fg_op), 'mean_us'), band, measured)


class Observation:
    """One sentence of a paper, in our words; the numbers that it is about, of
    experiments and of a guest."""

    def __init__(self, paper, number_, label, claim, numbers=(), why=None,
                 guest=()):
        self.paper = paper
        self.number = number_
        self.label = label
        self.claim = claim
        self.numbers = list(numbers)
        self.why = why
        self.guest = list(guest)

    @property
    def name(self):
        """Return: how ONLY= and the table of damages call it."""
        return '%s-%d' % (SHORT[self.paper], self.number)


C23, S24 = "CLUSTER'23", "SYSTOR'24"
SHORT = {C23: 'C23', S24: 'S24'}
ALL = [
    Observation(
        C23, 1, SIMULATOR,
        'Blocks of 512 B make small writes and appends slower.', [
            mean('write of 4 KiB, blocks of 4 KiB', io('write'), ALONE),
            mean('blocks of 512 B', io('write', lba_bytes=512), BLOCKS_512),
            mean('append of 4 KiB, blocks of 4 KiB', io('append'),
                 ALONE),
            mean('blocks of 512 B', io('append', lba_bytes=512), BLOCKS_512),
            mean('append of 2 KiB, blocks of 512 B',
                 io('append', 2, lba_bytes=512), BLOCKS_512)]),
    Observation(
        C23, 2, GUEST, 'SPDK has the lowest latency of the storage stacks.',
        why='SPDK itself is not in the guest; what it adds, 0.44 us, is added',
        guest=in_guest.STORAGE_STACKS),
    Observation(
        C23, 3, SIMULATOR,
        'IOPS are highest for small requests, bytes for large ones.', [
            kiops('writes of 4 KiB', io('write', 4), ALONE),
            kiops('of 8 KiB', io('write', 8), ALONE),
            kiops('of 64 KiB', io('write', 64), ALONE),
            kiops('appends of 4 KiB', io('append', 4), ALONE),
            kiops('of 32 KiB', io('append', 32), ALONE),
            kiops('of 128 KiB', io('append', 128), ALONE)]),
    Observation(
        C23, 4, SIMULATOR, 'A write is faster than an append.', [
            ratio('append and write of 4 KiB', io('append'), io('write'),
                  'mean_us', APPEND_RATIO),
            ratio('of 8 KiB, blocks of 512 B', io('append', 8, lba_bytes=512),
                  io('write', 8, lba_bytes=512), 'mean_us', APPEND_RATIO),
            ratio('of 64 KiB', io('append', 64), io('write', 64), 'mean_us',
                  ALONE)]),
    Observation(
        C23, 5, SIMULATOR_AND_GUEST,
        'Parallel I/O within a zone reaches more IOPS than over zones.', [
            ratio('reads, QD4 in a zone and QD1 in four', io('read', qd=4),
                  io('read', zones=4), 'kiops', READS_ALIKE),
            ratio('QD8 and eight zones', io('read', qd=8), io('read', zones=8),
                  'kiops', READS_ALIKE)],
        'the gain of writes within a zone is merging, in the host',
        in_guest.INTRA_ZONE),
    Observation(
        C23, 6, SIMULATOR,
        'Appends scale the same way within a zone and over zones.', [
            ratio('appends, QD4 in a zone and QD1 in four', io('append', qd=4),
                  io('append', zones=4), 'kiops', FEW_ZONES),
            ratio('of 32 KiB, QD8 and eight zones', io('append', 32, qd=8),
                  io('append', 32, zones=8), 'kiops', ALONE)]),
    Observation(
        C23, 7, SIMULATOR_AND_GUEST,
        'In one zone reads scale furthest, then writes; appends end at QD4.', [
            kiops('reads at QD1', io('read'), ALONE),
            kiops('at QD32', io('read', qd=32), ALONE),
            kiops('at QD128', io('read', qd=128), ALONE),
            kiops('appends at QD1', io('append'), ALONE),
            kiops('at QD2', io('append', qd=2), ALONE),
            kiops('at QD4', io('append', qd=4), ALONE),
            kiops('at QD16', io('append', qd=16), ALONE)],
        guest=in_guest.ZONE_ORDER),
    Observation(
        C23, 8, SIMULATOR,
        'Larger requests move more bytes; appends need more of them.', [
            mib('writes of 4 KiB in one zone', io('write'), ALONE),
            mib('of 64 KiB', io('write', 64), ALONE),
            mib('of 16 KiB in four zones', io('write', 16, zones=4), ALONE),
            mib('appends of 4 KiB in one zone', io('append'), ALONE),
            mib('of 32 KiB', io('append', 32), ALONE),
            mib('of 4 KiB in four zones', io('append', zones=4), FEW_ZONES),
            mib('of 32 KiB', io('append', 32, zones=4), ALONE)]),
    Observation(
        C23, 9, SIMULATOR, 'Opening and closing cost little.', [
            mean('open', experiment('state', fg_op='open'), STATE),
            mean('close', experiment('state', fg_op='close'), STATE),
            later('a first write takes longer by', 'write', 'first_write',
                  2.02, FIRST),
            later('a first append', 'append', 'first_append', 2.83,
                  FIRST_APPEND)],
        'what first commands cost more is the text of the paper'),
    Observation(
        C23, 10, SIMULATOR,
        'What a zone holds decides how long finish and reset take.', [
            mean('finish at one page', occupied('finish', 0.000362697),
                 FINISH),
            mean('at 50 %', occupied('finish', 50), FINISH),
            mean('nearly full', occupied('finish', 99.9996), SECOND_MODE)] + [
            mean('reset at %g %%' % percent, occupied('reset', percent), RESET)
            for percent in (0, 25, 100)] + [
            mean('at %g %%, once finished' % percent,
                 occupied('reset', percent, 1), RESET)
            for percent in (12.5, 50)]),
    Observation(
        C23, 11, OUT_OF_SCOPE,
        'A conventional SSD varies more under garbage collection.',
        why='about another device, which was not calibrated'),
    Observation(
        C23, 12, CONTRADICTED, 'Resets do not disturb I/O.',
        beside_changes('read', 'reset', 50, 'kiops', [('qd', 1)],
                       'reads beside resets at half their rate', HARDLY) +
        beside_changes('write', 'reset', 50, 'kiops', [('zones', 2)],
                       'writes', TWO_WRITERS),
        'holds only for unsaturated QD1; the loss beyond is checked'),
    Observation(
        C23, 13, CONTRADICTED,
        'I/O slows resets down to a P95 of 28 to 32 ms.', [
            number('median reset alone', 'us', unthrottled('reset', qd=0),
                   'mgmt_p50_us', RESET)] + [
            number('under %ss' % op, 'us',
                   unthrottled('reset', fg_op=op, qd=qd), 'mgmt_p50_us', band)
            for op, qd, band in (('read', 8, RESET), ('append', 4,
                                                      RESET_BESIDE),
                                 ('write', 1, RESET_BESIDE))],
        'the samples lie on ticks of the host scheduler; the medians of '
        'unthrottled resets are checked'),
    Observation(
        S24, 1, CONTRADICTED,
        'Finish does not disturb writes below saturation.',
        beside_changes('write', 'finish', 50, 'kiops', [('zones', 1)],
                       'writes beside finishes at half their rate',
                       FINISH_WRITES) +
        beside_changes('write', 'finish', 75, 'kiops', [('zones', 2)],
                       'at three quarters', FINISH_WRITES),
        'two writers lose 12 %; this is checked'),
    Observation(
        S24, 2, SIMULATOR, 'Beyond saturation finish disturbs writes.',
        beside_changes('write', 'finish', 50, 'kiops',
                       [('zones', 4), ('zones', 7)],
                       'writes beside finishes at half their rate',
                       FINISH_WRITES) +
        [ratio('p95 in %d zones' % zones, beside('write', 'finish', 50,
                                                 zones=zones),
               beside('write', zones=zones), 'p95_us', TAIL)
         for zones in (4, 7)]),
    Observation(
        S24, 3, SIMULATOR, 'Finish disturbs reads at every level.',
        beside_changes('read', 'finish', 50, 'kiops',
                       [('qd', depth) for depth in (1, 4, 16, 128)],
                       'reads beside finishes at half their rate',
                       FINISH_READS)),
    Observation(
        S24, 4, SIMULATOR, 'Finish costs reads much of their tail.', [
            ratio('p95 of reads beside finishes at half their rate, QD%d' %
                  depth, beside('read', 'finish', 50, qd=depth),
                  beside('read', qd=depth), 'p95_us', band)
            for depth, band in ((4, TAIL), (16, TAIL), (128, DEEP_TAIL))]),
    Observation(
        S24, 5, SIMULATOR, 'Resets disturb writes, at high intensities only.',
        [one for percent, band in ((1, FEW_RESETS), (5, FEW_RESETS),
                                   (50, RESETS_WRITES))
         for one in beside_changes(
             'write', 'reset', percent, 'kiops', [('zones', 7)],
             'writes beside resets at %d %%' % percent, band)]),
    Observation(
        S24, 6, SIMULATOR, 'They cost throughput more than tail latency.',
        beside_changes('write', 'reset', 50, 'kiops', [('zones', 7)],
                       'writes beside resets at half their rate',
                       RESETS_WRITES) +
        beside_changes('write', 'reset', 50, 'p95_us', [('zones', 7)],
                       'their p95', RESETS_TAIL)),
    Observation(
        S24, 7, CONTRADICTED,
        'Resets disturb writes beyond saturation only.',
        beside_changes('write', 'reset', 50, 'kiops', [('zones', 1)],
                       'writes beside resets at half their rate',
                       ONE_WRITER) +
        beside_changes('write', 'reset', 50, 'kiops', [('zones', 2)],
                       'writes', TWO_WRITERS),
        'one writer loses 16 %, two lose 26 %; this is checked'),
    Observation(
        S24, 8, SIMULATOR, 'Resets hardly disturb reads.',
        beside_changes('read', 'reset', 50, 'kiops', [('qd', 1)],
                       'reads beside resets at half their rate', HARDLY) +
        [change('beside unthrottled ones, QD%d' % depth,
                unthrottled('reset', fg_op='read', qd=depth),
                beside('read', qd=depth), 'kiops', HARDLY)
         for depth in (1, 8, 32)],
        'not at QD128, which is a known miss'),
]
