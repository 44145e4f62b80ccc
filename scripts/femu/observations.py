# SPDX-License-Identifier: GPL-2.0-or-later
"""The observations of CLUSTER 2023 ("Performance Characterization of NVMe Flash
Devices with Zoned Namespaces") and SYSTOR 2024 ("ConfZNS++") about the ZN540:
for each, where it can be checked and the check with its numbers.

A check is a function of a Bench, which simulates experiments and knows what was
measured. It returns whether the claim holds and the numbers that say so. Where
the raw data contradict a paper's sentence the data are what is checked.

What is about the host's software is checked in a guest.

Knows nothing of the jobs of an experiment.
"""

from femu import observations_guest, validate_runs

SIMULATOR = 'simulator'
GUEST = 'guest'
SIMULATOR_AND_GUEST = 'simulator, guest'
OUT_OF_SCOPE = 'out of scope'
CONTRADICTED = 'contradicted by the raw data'


def experiment(part, **fields):
    """Return: an experiment by its fields, with the usual ones filled in."""
    full = {'part': part, 'fg_op': '', 'bs_bytes': '4096', 'lba_bytes': '4096',
            'qd': '1', 'zones': '1', 'bg_op': '', 'bg_bs_bytes': '',
            'bg_intensity_pct': '', 'bg_rate_mibps': '', 'occupancy_pct': '',
            'finished': ''}
    full.update({name: str(value) for name, value in fields.items()})
    return validate_runs.Experiment(
        part + ':' + ','.join('%s=%s' % pair for pair in fields.items()), full,
        {})


def io(fg_op, **fields):
    """Plain I/O."""
    return experiment('io', fg_op=fg_op, **fields)


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


def change(new, old):
    """Return: relative change in percent."""
    return 100 * (new - old) / old


# --- CLUSTER 2023 -------------------------------------------------------------

def lba_format(bench):
    """1"""
    found = {op: [bench.get(io(op, lba_bytes=lba), 'mean_us')
                  for lba in (4096, 512)] for op in ('write', 'append')}
    return all(new > 1.2 * old for old, new in found.values()), \
        '4 KiB at QD1, 4 KiB and 512 B blocks: ' + ', '.join(
            '%s %.1f and %.1f us' % (op, *pair) for op, pair in found.items())


def request_size(bench):
    """3"""
    sizes = [4096, 8192, 16384, 32768, 65536, 131072]
    texts, holds = [], True
    # At QD1 the measured writes of 4 and 8 KiB are equal: 85.2 and 85.4 kIOPS.
    best = (4096, 8192)
    for op in ('write', 'append'):
        kiops = {size: bench.get(io(op, bs_bytes=size), 'kiops')
                 for size in sizes}
        top = max(kiops, key=kiops.get)
        mib = {size: kiops[size] * 1000 * size / (1 << 20) for size in sizes}
        holds &= top in best and \
            min(mib[size] for size in sizes[3:]) > 0.9 * max(mib.values())
        texts.append('%s: most IOPS at %d KiB (%.1f k), MiB/s %s' % (
            op, top // 1024, kiops[top],
            ' '.join('%.0f' % mib[size] for size in sizes)))
    return holds, '; '.join(texts) + ' at 4 to 128 KiB'


def write_before_append(bench):
    """4"""
    pairs = [(size, bench.get(io('write', bs_bytes=size), 'mean_us'),
              bench.get(io('append', bs_bytes=size), 'mean_us'))
             for size in (4096, 8192, 16384, 32768)]
    return all(write < append for _, write, append in pairs), \
        'write and append at QD1: ' + ', '.join(
            '%d KiB %.1f and %.1f us' % (size // 1024, write, append)
            for size, write, append in pairs)


def read_intra_zone(bench):
    """5"""
    pairs = [(n, bench.get(io('read', qd=n), 'kiops'),
              bench.get(io('read', zones=n), 'kiops')) for n in (4, 8)]
    return all(intra > 0.97 * inter for _, intra, inter in pairs), \
        'reads, QD n in a zone and QD1 in n zones: ' + ', '.join(
            'n=%d %.1f and %.1f kIOPS' % row for row in pairs) + \
        '; the gain of writes within a zone is merging, in the host'


def append_either_way(bench):
    """6"""
    pairs = [(n, bench.get(io('append', qd=n), 'kiops'),
              bench.get(io('append', zones=n), 'kiops')) for n in (4, 8)]
    return all(abs(change(inter, intra)) < 8 for _, intra, inter in pairs), \
        'appends, QD n in a zone and QD1 in n zones: ' + ', '.join(
            'n=%d %.1f and %.1f kIOPS' % row for row in pairs)


def scaling_in_a_zone(bench):
    """7"""
    reads = {qd: bench.get(io('read', qd=qd), 'kiops') for qd in (1, 32, 128)}
    appends = {qd: bench.get(io('append', qd=qd), 'kiops')
               for qd in (1, 2, 4, 8)}
    return reads[128] > 2 * max(appends.values()) and \
        abs(change(appends[8], appends[4])) < 3, \
        'reads %s at QD 1, 32, 128; appends %s at QD 1, 2, 4, 8 (kIOPS)' % (
            ' '.join('%.0f' % value for value in reads.values()),
            ' '.join('%.0f' % value for value in appends.values()))


def large_requests(bench):
    """8"""
    mib = {(op, size, zones): bench.get(
        io(op, bs_bytes=size, zones=zones), 'kiops') * 1000 * size / (1 << 20)
           for op in ('write', 'append') for size in (4096, 16384, 32768)
           for zones in (1, 4)}
    return all(mib[op, 16384, zones] > mib[op, 4096, zones]
               for op in ('write', 'append') for zones in (1, 4)) and \
        mib['append', 16384, 1] < mib['write', 16384, 1], \
        'MiB/s of 4, 16, 32 KiB: ' + '; '.join(
            '%s in %d zone%s %s' % (op, zones, '' if zones == 1 else 's',
                                    ' '.join('%.0f' % mib[op, size, zones]
                                             for size in (4096, 16384, 32768)))
            for op in ('write', 'append') for zones in (1, 4))


def open_and_close(bench):
    """9"""
    opened = bench.get(experiment('state', fg_op='open'), 'mean_us')
    closed = bench.get(experiment('state', fg_op='close'), 'mean_us')
    first = bench.get(experiment('state', fg_op='first_write'), 'mean_us')
    later = bench.get(io('write'), 'mean_us')
    return 5 < opened < 20 and 5 < closed < 20 and first - later < 20, \
        'open %.1f us, close %.1f us; a first write %.1f us, a later one ' \
        '%.1f us' % (opened, closed, first, later)


def occupancy(bench):
    """10"""
    finish = [bench.get(occupied('finish', percent), 'mean_us') / 1000
              for percent in (0.000362697, 50, 99.9996)]
    reset = [bench.get(occupied('reset', percent), 'mean_us') / 1000
             for percent in (0, 25, 50, 100)]
    finished = [bench.get(occupied('reset', percent, 1), 'mean_us') / 1000
                for percent in (12.5, 50)]
    return finish[0] > 1.9 * finish[1] > 100 * finish[2] and \
        reset == sorted(reset) and reset[3] > 8 * reset[0] and \
        finished[1] < reset[2], \
        'finish at one page, 50 %%, nearly full: %.1f, %.1f, %.2f ms; reset ' \
        'at 0, 25, 50, 100 %%: %s ms, at 12.5 and 50 %% once finished %s ms' % (
            *finish, ' '.join('%.1f' % value for value in reset),
            ' '.join('%.1f' % value for value in finished))


def reset_on_io(bench):
    """12"""
    quiet = [bench.get(beside('read', qd=1), 'kiops'),
             bench.get(beside('write', zones=2), 'kiops')]
    busy = [bench.get(beside('read', 'reset', 50, qd=1), 'kiops'),
            bench.get(beside('write', 'reset', 50, zones=2), 'kiops')]
    return abs(change(busy[0], quiet[0])) < 8 and \
        change(busy[1], quiet[1]) < -8, \
        'at half the rate of resets, reads at QD1 change by %+.1f %%, writes ' \
        'in two zones by %+.1f %% (measured -25 %%)' % (
            change(busy[0], quiet[0]), change(busy[1], quiet[1]))


def io_on_reset(bench):
    """13"""
    alone = bench.get(unthrottled('reset', qd=0), 'mgmt_p50_us') / 1000
    found = {op: bench.get(unthrottled('reset', fg_op=op, qd=qd),
                           'mgmt_p50_us') / 1000
             for op, qd in (('read', 8), ('append', 4), ('write', 1))}
    return abs(change(found['read'], alone)) < 8 and \
        1.05 < found['append'] / alone < 1.35 and \
        1.1 < found['write'] / alone < 1.6, \
        'median reset %.1f ms alone, %.1f under reads, %.1f under appends, ' \
        '%.1f under writes (measured 16.6, 15.8, 18.7, 20.6)' % (
            alone, found['read'], found['append'], found['write'])


# --- SYSTOR 2024 --------------------------------------------------------------

def finish_below_saturation(bench):
    """1"""
    drops = {zones: change(
        bench.get(beside('write', 'finish', 50, zones=zones), 'kiops'),
        bench.get(beside('write', zones=zones), 'kiops')) for zones in (1, 2)}
    return drops[2] < -6, \
        'writes beside finishes at half their rate: %+.1f %% in one zone, ' \
        '%+.1f %% in two (measured -12.7 %%)' % (drops[1], drops[2])


def finish_beyond_saturation(bench):
    """2"""
    rows = []
    for zones in (3, 5, 7):
        quiet, busy = beside('write', zones=zones), \
            beside('write', 'finish', 50, zones=zones)
        rows.append((zones, change(bench.get(busy, 'kiops'),
                                   bench.get(quiet, 'kiops')),
                     change(bench.get(busy, 'mean_us'),
                            bench.get(quiet, 'mean_us'))))
    return all(kiops < -5 and mean > 5 for _, kiops, mean in rows), \
        'throughput and mean latency beside finishes at half their rate: ' + \
        ', '.join('%d zones %+.1f %% and %+.1f %%' % row for row in rows)


def finish_on_read(bench):
    """3"""
    rows = [(qd, change(bench.get(beside('read', 'finish', 50, qd=qd), 'kiops'),
                        bench.get(beside('read', qd=qd), 'kiops')))
            for qd in (1, 4, 16, 128)]
    return all(value < -5 for _, value in rows), \
        'reads beside finishes at half their rate: ' + ', '.join(
            'QD%d %+.1f %%' % row for row in rows)


def finish_on_read_grows(bench):
    """4"""
    rows = [(qd, change(bench.get(beside('read', 'finish', 50, qd=qd),
                                  'p95_us'),
                        bench.get(beside('read', qd=qd), 'p95_us')))
            for qd in (4, 16, 128)]
    return all(value > 30 for _, value in rows), \
        'P95 of reads beside finishes at half their rate: ' + ', '.join(
            'QD%d %+.0f %%' % row for row in rows)


def reset_on_write(bench):
    """5"""
    rows = [(percent, change(
        bench.get(beside('write', 'reset', percent, zones=7), 'kiops'),
        bench.get(beside('write', zones=7), 'kiops')))
        for percent in (1, 5, 25, 50)]
    values = [value for _, value in rows]
    return values[0] > -5 and values[2] < -8 and values[3] < values[2], \
        'writes in 7 zones beside resets: ' + ', '.join(
            'at %d %% %+.1f %%' % row for row in rows)


def reset_throughput_not_tail(bench):
    """6"""
    quiet, busy = beside('write', zones=7), \
        beside('write', 'reset', 50, zones=7)
    kiops = change(bench.get(busy, 'kiops'), bench.get(quiet, 'kiops'))
    tail = change(bench.get(busy, 'p95_us'), bench.get(quiet, 'p95_us'))
    return abs(kiops) > abs(tail), \
        'beside resets at half their rate, 7 zones: throughput %+.1f %%, P95 ' \
        '%+.1f %% (measured -34.7 %% and +20.7 %%)' % (kiops, tail)


def reset_below_saturation(bench):
    """7"""
    drop = change(bench.get(beside('write', 'reset', 50, zones=2), 'kiops'),
                  bench.get(beside('write', zones=2), 'kiops'))
    return drop < -8, 'writes in two zones beside resets at half their rate: ' \
        '%+.1f %% (measured -25 %%)' % drop


def reset_on_read(bench):
    """8"""
    rows = [(qd, change(bench.get(beside('read', 'reset', 50, qd=qd), 'kiops'),
                        bench.get(beside('read', qd=qd), 'kiops')))
            for qd in (1, 8, 64)]
    return all(abs(value) < 10 for _, value in rows), \
        'reads beside resets at half their rate: ' + ', '.join(
            'QD%d %+.1f %%' % row for row in rows)


class Observation:
    """One sentence of a paper, in our words."""

    def __init__(self, paper, number, label, claim, check=None, why=None,
                 guest=None):
        self.paper = paper
        self.number = number
        self.label = label
        self.claim = claim
        self.check = check
        self.why = why
        self.guest = guest


C23, S24 = "CLUSTER'23", "SYSTOR'24"
ALL = [
    Observation(C23, 1, SIMULATOR,
                'Blocks of 512 B make small writes and appends slower.',
                lba_format),
    Observation(C23, 2, GUEST,
                'SPDK has the lowest latency of the storage stacks.',
                why='SPDK itself is not in the guest; the drive alone stands '
                'for it', guest=observations_guest.storage_stacks),
    Observation(C23, 3, SIMULATOR,
                'IOPS are highest for small requests, bytes for large ones.',
                request_size),
    Observation(C23, 4, SIMULATOR, 'A write is faster than an append.',
                write_before_append),
    Observation(C23, 5, SIMULATOR_AND_GUEST,
                'Parallel I/O within a zone reaches more IOPS than over zones.',
                read_intra_zone, guest=observations_guest.intra_zone),
    Observation(C23, 6, SIMULATOR,
                'Appends scale the same way within a zone and over zones.',
                append_either_way),
    Observation(C23, 7, SIMULATOR_AND_GUEST,
                'In one zone reads scale furthest, then writes; appends end '
                'at QD4.', scaling_in_a_zone,
                guest=observations_guest.zone_order),
    Observation(C23, 8, SIMULATOR,
                'Larger requests move more bytes; appends need more of them.',
                large_requests),
    Observation(C23, 9, SIMULATOR, 'Opening and closing cost little.',
                open_and_close),
    Observation(C23, 10, SIMULATOR,
                'What a zone holds decides how long finish and reset take.',
                occupancy),
    Observation(C23, 11, OUT_OF_SCOPE,
                'A conventional SSD varies more under garbage collection.',
                why='about another device, which was not calibrated'),
    Observation(C23, 12, CONTRADICTED, 'Resets do not disturb I/O.',
                reset_on_io,
                'holds only for unsaturated QD1; the loss beyond is checked'),
    Observation(C23, 13, CONTRADICTED,
                'I/O slows resets down to a P95 of 28 to 32 ms.', io_on_reset,
                'the samples lie on ticks of the host scheduler; the medians '
                'of unthrottled resets are checked'),
    Observation(S24, 1, CONTRADICTED,
                'Finish does not disturb writes below saturation.',
                finish_below_saturation,
                'two writers lose 12.7 %; this is checked'),
    Observation(S24, 2, SIMULATOR,
                'Beyond saturation finish disturbs writes.',
                finish_beyond_saturation),
    Observation(S24, 3, SIMULATOR, 'Finish disturbs reads at every level.',
                finish_on_read),
    Observation(S24, 4, SIMULATOR, 'Finish costs reads much of their tail.',
                finish_on_read_grows),
    Observation(S24, 5, SIMULATOR,
                'Resets disturb writes, at high intensities only.',
                reset_on_write),
    Observation(S24, 6, SIMULATOR,
                'They cost throughput more than tail latency.',
                reset_throughput_not_tail),
    Observation(S24, 7, CONTRADICTED,
                'Resets disturb writes beyond saturation only.',
                reset_below_saturation,
                'two writers lose 25 %; this is checked'),
    Observation(S24, 8, SIMULATOR, 'Resets hardly disturb reads.',
                reset_on_read),
]
