# SPDX-License-Identifier: GPL-2.0-or-later
"""Measured experiments as jobs in the guest: which points are repeated there,
and the steps that do it. Zones are those that the simulator uses for the same
experiment (measured/protocol.py).

Knows nothing of how a guest is started, and of what comes of it.
"""

from femu.measured import protocol

DRIVE = 'WD ZN540'
# Time dilation: how much faster the guest's software looks to the drive. 1: it
# takes the 10 to 13 us of a command that it really takes. 30: it takes 0.3 us,
# as on the measuring host, so that one processor can saturate the drive. 3: for
# I/O beside management, where the measuring host added 5 us.
PLAIN, SATURATING, PASSTHROUGH = 1, 30, 3
RUN_MS = 300
QD1_COUNT = 4000
SETTLE_S = 1
ZONE_LBA = 275712               # capacity of the measured drive's zones
IO_METRICS = ('kiops', 'mean_us', 'p50_us', 'p95_us')
LATENCY_METRICS = IO_METRICS[1:]


class Point:
    """One experiment in the guest. `lines` are of a job's script; the step is
    called `name`. `metrics` are those that can be compared."""

    def __init__(self, name, exp, dilation, metrics, lines):
        self.name = name
        self.exp = exp
        self.dilation = dilation
        self.metrics = metrics
        self.lines = lines

    @property
    def ops(self):
        """Return: {'fg': the foreground's operation, 'bg': ...}."""
        return {role: self.exp.fields[role + '_op'] for role in ('fg', 'bg')
                if self.exp.fields[role + '_op']}


class Group:
    """Points that run one after another in one guest; `before` are the lines
    of its job that come first."""

    def __init__(self, name, dilation, before, points):
        self.name = name
        self.dilation = dilation
        self.before = before
        self.points = points

    def job(self):
        """Return: the script."""
        lines = ['# Made by scripts/guest-table.'] + self.before
        for point in self.points:
            lines += point.lines
        return '\n'.join(lines) + '\n'


def experiment(part, **fields):
    """Return: the experiment, named as in a file of points."""
    full = dict.fromkeys(('fg_op', 'bs_bytes', 'lba_bytes', 'qd', 'zones',
                          'bg_op', 'bg_bs_bytes', 'bg_intensity_pct',
                          'bg_rate_mibps', 'occupancy_pct', 'finished'), '')
    full.update(lba_bytes='4096')
    full.update({name: str(value) for name, value in fields.items()})
    name = ','.join('%s=%s' % pair for pair in full.items() if pair[1])
    return protocol.Experiment('%s:%s' % (part, name),
                               dict(full, part=part), {})


def size_name(size):
    """Return: bytes as a point's name has them."""
    return '%dk' % (size // 1024)


def empty(zones, step=1):
    """Return: a line that resets ZONES zones, STEP apart, from 0 on."""
    return 'prepare "empty %d zones" zns-load --name=e --rw=reset ' \
        '--numjobs=%d --offset_increment=%dz' % (zones, zones, step)


FILL = 'prepare "fill zone 0" zns-load --name=f --rw=write --bs=256k'


# --- Kinds of points ----------------------------------------------------------

def qd1(op, size):
    """At queue depth 1, without time dilation: by fio, but appends by zns-load,
    as fio has none."""
    name = '%s-%s-qd1' % (op, size_name(size))
    lines = []
    if op == 'append':
        lines = [empty(1)]
        line = 'step %s zns-load --reset_stats=1 --name=fg --rw=append ' \
            '--bs=%d --number_ios=%d' % (name, size, QD1_COUNT)
    else:
        line = 'step %s fio --name=fg --filename="$DRIVE" --direct=1 ' \
            '--zonemode=zbd --ioengine=psync --bs=%d --size=1z ' \
            '--number_ios=%d --rw=%s' % (
                name, size, QD1_COUNT, 'write' if op == 'write'
                else 'randread --norandommap')
    if op == 'write':
        # Reset through the block layer: it would not know of a passthrough
        # reset.
        lines = ['prepare "empty zone 0" blkzone reset -c 1 "$DRIVE"']
    return Point(name, experiment('io', fg_op=op, bs_bytes=size, qd=1,
                                  zones=1), PLAIN, LATENCY_METRICS,
                 lines + [line])


def flood(host, op, size, depth, zones):
    """Writes or appends, at a steady state."""
    each = host['zones_per_thread']
    name = '%s-%s-%s' % (op, size_name(size), 'qd%d' % depth if zones == 1
                         else '%dzones' % zones)
    times = '--ramp_time=%dms' % (host['ramp_ms'] * SATURATING), \
        '--runtime=%dms' % (RUN_MS * SATURATING)
    line = 'step %s zns-load --reset_stats=1 %s --name=fg --rw=%s --bs=%d ' \
        '--iodepth=%d --numjobs=%d --size=%dz %s' % (
            name, times[0], op, size, depth, zones, each, times[1])
    return Point(name, experiment('io', fg_op=op, bs_bytes=size, qd=depth,
                                  zones=zones), SATURATING, IO_METRICS,
                 [empty(zones, each), line])


def reads(size, depth):
    """Random reads, by fio."""
    name = 'read-%s-qd%d' % (size_name(size), depth)
    line = 'step %s fio --name=fg --filename="$DRIVE" --direct=1 ' \
        '--zonemode=zbd --ioengine=io_uring --iodepth=%d --bs=%d --size=1z ' \
        '--rw=randread --norandommap --time_based --runtime=%dms' % (
            name, depth, size, RUN_MS * SATURATING)
    return Point(name, experiment('io', fg_op='read', bs_bytes=size, qd=depth,
                                  zones=1), SATURATING, IO_METRICS, [line])


def prefill(percent):
    """Return: zns-load's option that fills PERCENT of a zone, as exactly as the
    measurement did."""
    blocks = round(ZONE_LBA * percent / 100)
    ppm = -(-blocks * 1000000 // ZONE_LBA)
    return ' --prefill=%d.%04d%%' % (ppm // 10000, ppm % 10000) if ppm else ''


def occupancy(op, text, zones=1, finished=0):
    """Finish or reset of ZONES zones that are partly full. TEXT is the
    percentage, as it is written in the file of points."""
    name = '%s-%s%s' % (op, text, '-finished' if finished else '')
    percent = float(text)
    fill = prefill(percent)
    lines = [empty(zones)]
    if percent == 0:
        lines += ['prepare "open zone 0" zns-load --name=o --rw=open']
    if finished:
        lines += ['prepare "fill and finish" zns-load --name=f --rw=finish'
                  + fill]
        fill = ''
    lines += ['step %s zns-load --reset_stats=1 --name=fg --rw=%s '
              '--size=%dz --startdelay=%d%s' % (name, op, zones, SETTLE_S,
                                                fill)]
    return Point(name, experiment('occupancy', fg_op=op, occupancy_pct=text,
                                  finished=finished), PLAIN, ('mean_us',),
                 lines)


def finish_beside_reads(depth, idx):
    """A finish of a zone with one page, beside 8 KiB reads."""
    name = 'finish-beside-read-qd%d' % depth
    line = 'step %s zns-load --reset_stats=1 --name=bg --rw=finish ' \
        '--prewrite=16k --offset=%dz --exitall=1 --name=fg --rw=randread ' \
        '--bs=8k --iodepth=%d --time_based --runtime=1000' % (
            name, protocol.BG_ZONE + idx, depth)
    return Point(name, experiment(
        'io-on-mgmt', fg_op='read', bs_bytes=8192, qd=depth, zones=1,
        bg_op='finish', bg_intensity_pct=100), PASSTHROUGH,
                 ('mgmt_per_s', 'kiops'), [line])


# --- The points ---------------------------------------------------------------

def groups(host):
    """Return: all groups; those that take longest come first. HOST describes
    the measuring host."""
    return [
        Group('reads', SATURATING, [empty(1), FILL], [
            reads(4096, 2), reads(4096, 8), reads(4096, 32), reads(4096, 128),
            reads(8192, 16), reads(8192, 64), reads(8192, 128)]),
        Group('writes', SATURATING, [], [
            flood(host, *point) for point in (
                ('write', 4096, 1, 2), ('write', 4096, 1, 8),
                ('write', 8192, 1, 4), ('write', 65536, 1, 1),
                ('write', 131072, 1, 2), ('write', 131072, 1, 8),
                ('append', 4096, 2, 1), ('append', 4096, 4, 1),
                ('append', 4096, 16, 1), ('append', 8192, 4, 1),
                ('append', 32768, 1, 1), ('append', 131072, 1, 1),
                ('append', 131072, 8, 1))]),
        Group('finish-on-read', PASSTHROUGH, [empty(1), FILL], [
            finish_beside_reads(depth, idx)
            for idx, depth in enumerate((2, 4, 16, 64))]),
        Group('plain', PLAIN, [], [
            qd1('write', 4096), qd1('write', 8192), qd1('append', 4096)] + [
                occupancy('finish', '0')] + [
                # Finishes vary; more than a zone of data needs much memory.
                occupancy('finish', text, zones) for text, zones in (
                    ('0.000362697', 3), ('25', 3), ('50', 2), ('75', 1),
                    ('99.9996', 1))] + [
                occupancy('reset', text) for text in (
                    '0', '25', '50', '75', '100')] + [
                occupancy('reset', '50', finished=1)]),
        Group('plain-reads', PLAIN, [FILL], [
            qd1('read', 4096), qd1('read', 8192)]),
    ]


def chosen(host, names):
    """Return: the groups with the points of these NAMES only (all of them if
    there are none). Raises KeyError with a name that is no point's."""
    everything = groups(host)
    known = {point.name for group in everything for point in group.points}
    for name in names:
        if name not in known:
            raise KeyError(name)
    for group in everything:
        group.points = [point for point in group.points
                        if not names or point.name in names]
    return [group for group in everything if group.points]
