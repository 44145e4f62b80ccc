# SPDX-License-Identifier: GPL-2.0-or-later
"""Simulations of those measured experiments that need more columns than the 16
that every file has: mostly two jobs that ran at the same time, each with rows
of its own.
tests/data/zn540/README.md says what ran.

Knows nothing of how runs are started and of how results are compared.
"""

import math
import re
import typing

from femu.common.simulator import job
from femu.measured.experiment import IO_OPS, LeftOut, Skip, needs_host

# Columns that a file of points may have.
COLUMNS = ('engine', 'sched', 'pattern', 'numjobs', 'bg_qd', 'bg_kiops',
           'mix_fg_bg', 'layout', 'runtime_s', 'lat_kind', 'flags')
# Those of them that are no numbers.
TEXTS = ('engine', 'sched', 'pattern', 'mix_fg_bg', 'layout', 'lat_kind',
         'flags')
# Runs with one of these flags are left out: none of their numbers is valid.
UNUSABLE = ('fio_error', 'short_run', '14_threads_host_time_sliced',
            'conventional_drive_or_ns', 'discarded')
MOST_THREADS = 8

MIB = 1 << 20
BG_ZONE = 400
RAMP_S, RUN_S = 0.1, 0.4
TIMES = {'ramp_time': '%gs' % RAMP_S, 'runtime': '%gs' % RUN_S}
LONG_TIMES = {'ramp_time': '100ms', 'runtime': '1500ms'}
CONVENTIONAL = '4G'
PAGE_BYTES = 4096    # of the measuring host's memory
# A limited reader beside appends ran for so long, the appends until their zones
# were full.
READER_S = 60
# A softfinish of a whole zone takes seconds of the drive's time; in these runs
# only this share of a zone is left for it to write.
LEFT = 0.05
# The measuring tool names a chunk in units of 256 bytes, as its rates show: a
# softfinish by chunks of 16 is as fast as writes of 4 KiB, one by chunks of 512
# as writes of 128 KiB. A write is one block at least.
CHUNK_BYTES, BLOCK_BYTES = 256, 4096
SOFTFINISH_LEAD_S = 5
MOST_ACTIVE = 14
SOFTFINISH_ZONES = 40   # more than it can finish in LONG_TIMES
SOFTFINISH_SHARE = 0.5  # its rate beside I/O, against its rate alone
# Runs that are not what their names say (tests/data/zn540/README.md).
MISNAMED = {
    'bw': 'four times as many softfinishes as their chunk allows',
    'data-write_iod_7-soft_64': 'the numbers of 7-soft_16-sleep50 again',
}
# Runs of two jobs, one after the other: each has what it has alone.
ALONE = 'bw'
# The share of reads, and how many threads wrote beside the reader.
SEVERAL = re.compile(r'_(\d+)_conc_(\d+)')
# Whom fio's flow held back in runs named conc slept for 1 us (flow_sleep=1),
# which Linux makes up to 50 us longer: a thread's timer slack by default.
FLOW_SLEEP = {'flow_sleep': '1us', 'host_timer_slack': '50us'}
# A run is not simulated whole if it was longer.
LONGEST_S = 100
# fio's option of a run, among its flags.
FLOW = re.compile(r'\bflow=([1-9]\d?)\b')
# Behind each random mix its authors finished all open zones (tests/data/zn540/
# README.md), so a later one also reads where nothing was written: 5 % of ours.
FINISHED_ZONES = 28
FINISHED_AT = '92.5%'
# io_uring rounds its queue up to a power of two, and fio fills it: so many are
# under way of a queue depth, as Little's law says.
UNDER_WAY = {3: 4, 5: 7, 6: 8, 7: 8}
# A job that had this share of its queue depth in flight was limited by nothing
# but the queue depth.
CLOSED_LOOP = 0.85


def check_usable(exp):
    """Raises LeftOut if the measurement itself went wrong."""
    for flag in UNUSABLE:
        if flag in (exp.fields.get('flags') or ''):
            raise LeftOut('flagged %s' % flag)
    if exp.number('numjobs') > MOST_THREADS:
        raise LeftOut('of more than %d threads: the host took turns with them'
                      % MOST_THREADS)


# --- Jobs ---------------------------------------------------------------------

class HostCost(typing.NamedTuple):
    """What the host adds to a command: how long, of that drawn around it, and
    of that its thread's processor, which has one at a time; and how long behind
    it the next one comes, which fio counts in no latency; in ns."""
    added: int = 0
    spread: int = 0
    cpu: int = 0
    between: int = 0
    scheduler: int = 0

    def options(self):
        """Return: that as options of a job."""
        values = {'host_overhead': self.added, 'host_spread': self.spread,
                  'host_cpu': self.cpu, 'host_between': self.between,
                  'host_scheduler': self.scheduler}
        return {name: '%dns' % ns for name, ns in values.items() if ns}


def pinned_us(added, block_bytes):
    """Return: what a thread takes to pin the pages of its data behind the
    first; ADDED is its engine's object of host.json."""
    return added['page_us'] * max(0, math.ceil(block_bytes / PAGE_BYTES) - 1)


def passthrough_cost(host, op_name, block_bytes):
    """Return: the HostCost of a command of OP_NAME through io_uring_cmd."""
    added = host['passthrough']
    pages_us = pinned_us(added, block_bytes)
    page_1_us = added['us'].get(op_name, added['us'].get('write', 0))
    return HostCost(round(1000 * (page_1_us + pages_us)), 0,
                    round(1000 * (added['cpu_us'] + pages_us)),
                    round(1000 * added['between_us']))


def polled_cost(host):
    """Return: the HostCost of a command of SPDK."""
    added = host['polled']
    return HostCost(added['ns'], added['spread_ns'], 0, added['between_ns'])


def linux_cost(exp, added, op_name, block_bytes):
    """Return: the HostCost of a command of io_uring; ADDED is its object of
    host.json."""
    pages_us = pinned_us(added, block_bytes)
    page_1_us = added['us'].get(op_name, added['us'].get('write', 0))
    scheduler_us = added['mq_deadline_us'] \
        if exp.fields.get('sched') == 'mq-deadline' else 0
    return HostCost(round(1000 * (page_1_us + pages_us)),
                    cpu=round(1000 * pages_us),
                    between=round(1000 * added['between_us']),
                    scheduler=round(1000 * scheduler_us))


def engine_cost(exp, host, op_name, block_bytes):
    """Return: the HostCost of a command of OP_NAME, by the engine that ran."""
    engine = exp.fields.get('engine')
    if engine == 'io_uring_cmd':
        return passthrough_cost(host, op_name, block_bytes)
    if engine == 'io_uring':
        return linux_cost(exp, host[engine], op_name, block_bytes)
    return polled_cost(host)


def of_host(exp, host, op_name, block_bytes=0):
    """Return: what the host adds to a command, as options of a job."""
    return engine_cost(exp, host, op_name, block_bytes).options()


def io_options(exp, host, op_name, block, workers, depth):
    """Return: the options of a job of plain I/O."""
    if op_name not in IO_OPS:
        raise Skip('%s is not I/O' % (op_name or 'nothing'))
    if block == 0 or block % 512:
        raise Skip('a block of %d bytes' % block)
    place = {'size': '4z', 'prefill': '100%'} if op_name == 'read' else \
        {'size': '8z', 'offset_increment': '8z'}
    depth = UNDER_WAY.get(depth, depth)
    ordered = exp.fields.get('sched') == 'mq-deadline'
    return dict({'rw': IO_OPS[op_name], 'bs': block, 'time_based': 1,
                 'iodepth': 1 if op_name == 'write' else depth,
                 'numjobs': max(1, workers)},
                **({'ioscheduler': 'mq-deadline'} if ordered else {}),
                **place, **of_host(exp, host, op_name, block))


def unthrottled_per_s(host, op_name):
    """Return: how many of a management operation the drive does in a second;
    raises Skip."""
    if op_name not in host['unthrottled_per_s']:
        raise needs_host('unthrottled_per_s.%s' % op_name)
    return host['unthrottled_per_s'][op_name]


def held_rate(exp, host):
    """Return: the bytes per second that the limited one of two jobs is held to;
    raises Skip. A rate of 0 would be no limit to the simulator."""
    if not host['unthrottled_mibps']:
        raise needs_host('unthrottled_mibps')
    share = 1 - exp.number('bg_intensity_pct') / 100
    rate = int(share * host['unthrottled_mibps'] * MIB)
    if rate < 1:
        raise Skip('bg_intensity_pct=%s leaves nothing to the job that is held '
                   'to the rest of 100; must be below 100' %
                   exp.text('bg_intensity_pct'))
    return rate


def held_iops(kiops, name, decimals=3):
    """Return: what holds a job to its measured rate KIOPS, the column or metric
    NAME; raises Skip. A rate of 0 would be no limit to the simulator."""
    rate_iops = '%.*f' % (decimals, 1000 * kiops)
    if not float(rate_iops):
        raise Skip('%s=%g: must say what rate the job is held to' % (name, kiops))
    return {'rate_iops': rate_iops}


def level(exp):
    """Return: the concurrency in the name of the run; 1 if it has none."""
    found = re.search(r'_iod_(\d+)', exp.text('mix_fg_bg'))
    return int(found[1]) if found else 1


def both(seed, times, fg_options, bg_options=None):
    """Return: the arguments of the foreground's job and, if there is one, the
    background's."""
    made = job('bg', **dict(dict(times, offset='%dz' % BG_ZONE,
                                 randseed=seed + 1), **bg_options)) \
        if bg_options else []
    return made + job('fg', offset='0z', randseed=seed, **fg_options, **times)


# --- Parts --------------------------------------------------------------------

def part_x_on_y(exp, host, seed):
    """For a part "X-on-Y": Y runs without a limit, X at (100 - intensity) % of
    the drive's highest write rate. The run's name has Y's number of writers or
    queue depth."""
    check_usable(exp)
    x_op, y_op = exp.part[:-len('-interference')].split('-on-')
    fg_op, bg_op = exp.op('fg_op'), exp.op('bg_op')
    workers = level(exp) if y_op == 'write' else 1
    fg_options = io_options(exp, host, fg_op, exp.whole('bs_bytes'),
                            workers if fg_op == y_op else 1,
                            exp.whole('qd', 1))
    if not bg_op or exp.text('mix_fg_bg') == ALONE:
        return both(seed, TIMES, fg_options)
    bg_options = io_options(exp, host, bg_op, exp.whole('bg_bs_bytes'),
                            workers if bg_op == y_op else 1,
                            exp.whole('bg_qd', 1))
    held = fg_options if fg_op == x_op else bg_options
    held['rate'] = held_rate(exp, host)
    held['io_submit_mode'] = 'inline'
    if x_op == 'read' and fg_op == y_op:
        bg_options.update(during(exp.number('runtime_s'), READER_S))
    return both(seed, TIMES, fg_options, bg_options)


def during(whole_s, part_s):
    """Return: the times of a job that runs PART_S seconds of the WHOLE_S (0:
    unknown) of another, whose run is TIMES."""
    share = min(1, part_s / whole_s) if whole_s else 1
    return {'startdelay': '%gs' % RAMP_S, 'ramp_time': 0,
            'runtime': '%dus' % (1e6 * RUN_S * share)}


def under_way(exp):
    """Return: how many commands the job had in flight (Little's law)."""
    return exp.measured.get('kiops', 0) * exp.measured.get('mean_us',
                                                           0) / 1000


def flow_of(exp):
    """Return: fio's option flow of the job, in percent; None if the run does
    not say."""
    found = FLOW.search(exp.fields.get('flags') or '')
    return int(found[1]) if found else None


def is_coupled(exp):
    """Return: whether both of the two jobs that flow couples are limited by it.
    A reader of one at a time never waits for a writer, which is faster."""
    return flow_of(exp) is not None and \
        max((exp.whole(depth, 1) for op, depth in (
            ('fg_op', 'qd'), ('bg_op', 'bg_qd')) if exp.op(op) == 'read'),
            default=0) > 1


def couple(exp, host, options, flow):
    """Job OPTIONS get the weight FLOW, and send as SPDK's fio plugin does: it
    sets delay_cmd_submit, by which the doorbell is rung when fio asks for
    completions."""
    options['flow'] = flow
    if exp.fields.get('engine') == 'spdk':
        options.update(host_batch=1, host_cpu='%dns' % host['polled']['ns'])


def free_count(exp):
    """Return: how many of a job's operations were more than its share of what
    both did: once the reader has ended, fio lets them go."""
    share = flow_of(exp)
    if share is None or not 0 < exp.number('runtime_s') <= LONGEST_S:
        return 0
    surplus_kiops = exp.measured.get('kiops', 0) - \
        exp.number('bg_kiops') * share / (100 - share)
    return max(0, round(1000 * surplus_kiops * exp.number('runtime_s')))


def burst_and_rate(exp):
    """Return: the options of a job that sent free_count() of its operations at
    its queue depth, and the others at a rate; the times of its run."""
    kiops, count = exp.measured.get('kiops', 0), free_count(exp)
    if count < exp.whole('qd', 1) or exp.whole('qd', 1) == 1:
        return held_iops(kiops, 'kiops', 1), TIMES
    seconds = exp.number('runtime_s')
    return dict(held_iops(kiops - count / 1000 / seconds, 'kiops', 1),
                rate_burst=count), {'runtime': '%gs' % seconds}


def part_mixed(exp, host, seed):
    """A reader and a writer that fio's option flow coupled. If the reader had
    one read under way, it ran freely, and the writer is held to its rate."""
    check_usable(exp)
    times = TIMES
    fg_options = io_options(exp, host, exp.op('fg_op'), exp.whole('bs_bytes'),
                            1, exp.whole('qd', 1))
    bg_options = io_options(exp, host, exp.op('bg_op'),
                            exp.whole('bg_bs_bytes'), 1, exp.whole('bg_qd', 1))
    if is_coupled(exp):
        couple(exp, host, fg_options, flow_of(exp))
        couple(exp, host, bg_options, 100 - flow_of(exp))
    elif is_closed_loop(exp):
        bg_options.update(held_iops(exp.number('bg_kiops'), 'bg_kiops', 1))
    else:
        held, times = burst_and_rate(exp)
        fg_options.update(held)
    return both(seed, times, fg_options, bg_options)


def softfinish_options(exp, host, share):
    """Softfinishes of zones of which LEFT is still to be written, at SHARE of
    the rate that they have alone; a SHARE of 0 sets no limit."""
    found = re.search(
        r'soft_(\d+)(-sleep)?|softfinish_chunk=(\d+)()',
        exp.text('mix_fg_bg') + ' ' + exp.text('layout'))
    if not found:
        raise Skip('mix_fg_bg=%s does not name a chunk' % (
            exp.text('mix_fg_bg')))
    chunk_bytes = int(found[1] or found[3]) * CHUNK_BYTES
    options = {'rw': 'finish', 'prefill': '%g%%' % (100 * (1 - LEFT)),
               'size': '%dz' % (SOFTFINISH_ZONES * (share or 1))}
    if chunk_bytes:
        options.update(rw='softfinish', bs=max(BLOCK_BYTES, chunk_bytes))
    if found[2]:
        options['pause'] = '50us'
    if share:
        options['rate_iops'] = '%.3f' % (
            share * unthrottled_per_s(host, 'softfinish') / LEFT)
    return dict(options, **of_host(exp, host, 'softfinish',
                                   options.get('bs', 0)))


def check_zones_left(exp, op_name):
    """Raises LeftOut if the run ended because the drive's limit of active zones
    was reached: its softfinishes are then one more than the active zones that
    the writers left."""
    is_fg = exp.fields['fg_op'] == 'softfinish'
    # The softfinishes of a run began SOFTFINISH_LEAD_S before its I/O.
    count = exp.measured.get('mgmt_per_s', 0) * exp.number('runtime_s') \
        if is_fg else 1000 * exp.number('bg_kiops') * (
            exp.number('runtime_s') + SOFTFINISH_LEAD_S)
    if op_name == 'write' and \
            abs(count - (MOST_ACTIVE + 1 - level(exp))) < 0.5:
        raise LeftOut('the softfinishes found no zone that could be active')


def part_softfinish(exp, host, seed):
    """Softfinishes alone, or I/O beside softfinishes, and the reverse."""
    check_usable(exp)
    if exp.text('mix_fg_bg') in MISNAMED:
        raise LeftOut(MISNAMED[exp.text('mix_fg_bg')])
    is_fg = exp.fields['fg_op'] == 'softfinish'
    op_name = exp.fields['bg_op' if is_fg else 'fg_op'] or ''
    if not op_name:
        return both(seed, LONG_TIMES, softfinish_options(exp, host, 0))
    check_zones_left(exp, op_name)
    options = io_options(exp, host, op_name, 8192,
                         level(exp) if op_name == 'write' else 1,
                         level(exp) if op_name == 'read' else 1)
    soft = softfinish_options(exp, host, SOFTFINISH_SHARE)
    return both(seed, LONG_TIMES, *((soft, options) if is_fg else
                                    (options, soft)))


def part_reset_on_io(exp, host, seed):
    """Resets of full zones at the rate that was measured, and I/O."""
    check_usable(exp)
    is_fg = exp.fields['fg_op'] == 'reset'
    op_name = exp.fields['bg_op' if is_fg else 'fg_op'] or ''
    depth = exp.whole('bg_qd' if is_fg else 'qd', 1)
    options = io_options(exp, host, op_name, 4096,
                         level(exp) if op_name == 'write' else 1, depth)
    if not exp.fields['bg_op']:
        return both(seed, TIMES, options)
    per_s = exp.measured.get('mgmt_per_s', 0) if is_fg else \
        1000 * exp.number('bg_kiops')
    # Told by three decimals; 0 would be no limit.
    if round(per_s, 3) == 0:
        raise Skip('the rate of resets is not known, or not 0.001 a second')
    run_ms = max(500, min(2000, round(6000 / per_s)))
    times = {'ramp_time': TIMES['ramp_time'], 'runtime': '%dms' % run_ms}
    zones = math.ceil(per_s * (run_ms + 100) / 1000) + 2
    resets = dict({'rw': 'reset', 'size': '%dz' % zones, 'prefill': '100%',
                   'rate_iops': '%.3f' % per_s}, **of_host(exp, host, 'reset'))
    return both(seed, times, *((resets, options) if is_fg else
                               (options, resets)))


def is_closed_loop(exp):
    """Return: whether nothing but its queue depth limited the job."""
    return under_way(exp) >= CLOSED_LOOP * exp.whole('qd', 1)


def is_mixed(exp):
    """Return: a match if it was one job that read and wrote: the share of its
    reads."""
    return re.fullmatch(r'(?:spdk_)?(\d+)_\d+', exp.text('mix_fg_bg'))


def mixed_job(exp, host, seed):
    """One job that reads and writes at random, in as many zones as can be
    open, and reads in others, which were finished before they were full."""
    appends = 'append' in (exp.op('fg_op'), exp.op('bg_op'))
    block = exp.whole('bs_bytes')
    options = dict(of_host(exp, host, exp.op('fg_op'), block), rw='randrw',
                   bs=block, iodepth=exp.whole('qd', 1) or 1,
                   rwmixread=is_mixed(exp)[1], zone_append=int(appends),
                   size='%dz' % (MOST_ACTIVE + FINISHED_ZONES),
                   max_open_zones=MOST_ACTIVE, prefill='25%', time_based=1)
    return job('finished', rw='randread', bs=block, number_ios=1,
               offset='%dz' % MOST_ACTIVE, size='%dz' % FINISHED_ZONES,
               prefill=FINISHED_AT, prefill_finish=1) + \
        job('fg', offset='0z', randseed=seed, **options, **TIMES)


def coupled_jobs(exp, host, seed, read_pct, workers):
    """A sequential reader and writers, coupled by fio's flow."""
    made = {}
    if {exp.op('fg_op'), exp.op('bg_op')} != {'read', 'write'}:
        raise Skip('mix_fg_bg=%s: is a reader and writers; fg_op and bg_op must '
                   'be read and write' % exp.text('mix_fg_bg'))
    for op_name, depth in ((exp.op('fg_op'), exp.whole('qd', 1) or 1),
                           (exp.op('bg_op'), exp.whole('bg_qd', 1) or 1)):
        made[op_name] = io_options(exp, host, op_name, exp.whole('bs_bytes'),
                                   1, depth)
    made['read'].update(rw='read', size='1z', flow=read_pct * workers)
    made['write'].update(numjobs=workers, flow=100 - read_pct)
    for options in made.values():
        options.update(FLOW_SLEEP)
    return both(seed, TIMES, made[exp.op('fg_op')], made[exp.op('bg_op')])


def part_mix_ratio(exp, host, seed):
    """One job that reads and writes, the share of reads in its name, or a
    reader and writers which fio's flow coupled: in runs named "conc" several
    beside a sequential reader. In others, one that was limited by the other
    runs at its measured rate."""
    check_usable(exp)
    if not exp.text('mix_fg_bg'):
        raise Skip('mix_fg_bg is empty: it says what the jobs of a mixratio '
                   'are')
    if is_mixed(exp):
        return mixed_job(exp, host, seed)
    several = SEVERAL.search(exp.text('mix_fg_bg'))
    if several:
        return coupled_jobs(exp, host, seed, int(several[1]), int(several[2]))
    fg_options, bg_options = [
        io_options(exp, host, exp.op(op), exp.whole('bs_bytes'), 1,
                   exp.whole(depth, 1) or 1)
        for op, depth in (('fg_op', 'qd'), ('bg_op', 'bg_qd'))]
    if not is_closed_loop(exp):
        fg_options.update(held_iops(exp.measured.get('kiops', 0), 'kiops'))
    bg_options.update(held_iops(exp.number('bg_kiops'), 'bg_kiops'))
    return both(seed, TIMES, fg_options, bg_options)


def part_conventional(exp, host, seed):
    """Sequential writes to the conventional namespace."""
    check_usable(exp)
    return job('fg', rw='write', bs=exp.whole('bs_bytes'), nsid=2, size='2G',
               iodepth=exp.whole('qd', 1), randseed=seed, time_based=1,
               **TIMES, **of_host(exp, host, 'write'))


PARTS = {
    'append-on-read-interference': part_x_on_y,
    'append-on-write-interference': part_x_on_y,
    'read-on-append-interference': part_x_on_y,
    'write-on-append-interference': part_x_on_y,
    'mixed-rw': part_mixed,
    'softfinish-bench': part_softfinish,
    'softfinish-on-read-interference': part_softfinish,
    'softfinish-on-write-interference': part_softfinish,
    'reset-on-read-interference': part_reset_on_io,
    'reset-on-write-interference': part_reset_on_io,
    'mixratio': part_mix_ratio,
    'conv-ns': part_conventional,
}


# --- Metrics ------------------------------------------------------------------

def prescribed(exp):
    """Return: the metrics that the experiment prescribed, or that follow from
    another metric: they have rows, but do not count in the sums."""
    told = {'mibps', 'bg_mibps'}
    if exp.part == 'mixed-rw' and not is_coupled(exp) or \
            exp.part == 'mixratio' and not is_mixed(exp) and \
            not is_closed_loop(exp):
        told.add('kiops')
    if exp.part.startswith('reset-on-'):
        told.add('mgmt_per_s')
    if exp.part.endswith('-interference') and exp.fields.get('fg_op') == \
            exp.part.split('-on-')[0] and exp.fields.get('bg_op'):
        told.add('kiops')
    return told


def mgmt_per_s(exp, made, host):
    """Return: the rate per second of an Op. That of softfinishes, of whole
    zones, is from their mean latency, as one follows the other unless their
    rate is held: a run has too few of them to be counted, and the first of
    these began before it."""
    if not exp.part.startswith('softfinish-') or not made.mean_us:
        return made.iops
    per_s = LEFT * 1e6 / made.mean_us
    return min(per_s, SOFTFINISH_SHARE * unthrottled_per_s(
        host, 'softfinish')) if exp.fields['bg_op'] else per_s


def threads_apart(exp):
    """Return: how many threads the run has of the job of EXP, if each of them
    has rows of its own; else 1."""
    found = SEVERAL.search(exp.text('mix_fg_bg'))
    return int(found[2]) if found and exp.op('fg_op') == 'write' else 1


def settings(exp):
    """Return: {parameter: value} that the drive needs for the experiment."""
    if exp.part == 'conv-ns':
        return {'conventional-size': CONVENTIONAL}
    # Zones that wait for their softfinish are active. Many are needed, as each
    # has little left to write: more than the drive's own limit.
    return {'max-open': SOFTFINISH_ZONES + MOST_THREADS,
            'max-active': SOFTFINISH_ZONES + MOST_THREADS} \
        if exp.part.startswith('softfinish-') else {}
