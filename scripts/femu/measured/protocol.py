# SPDX-License-Identifier: GPL-2.0-or-later
"""Measured experiments as simulations: the jobs of each part, and how each
metric is taken from their results. tests/data/zn540/README.md says what ran.

Knows nothing of how runs are started and of how results are compared.
"""

from femu.common.simulator import Op, Run, fio_bucket_us, job
from femu.measured import beside
from femu.measured.experiment import (IO_OPS, MGMT_OPS, Experiment,
                                      LeftOut, Skip)

MIB = 1 << 20
STATE_OPS = ('open', 'close', 'first_write', 'first_append',
             'write_to_closed_zone')
STATE_ZONES = 14
METRICS = ('kiops', 'speedup', 'mean_us', 'p50_us', 'p95_us', 'bg_mibps',
           'mgmt_per_s', 'mgmt_p50_us', 'mibps', 'p99_us', 'mgmt_mean_us',
           'mgmt_p95_us', 'mgmt_p99_us')

# The first zones of jobs, and how many they have; the drive has 904.
FG_ZONE, FG_ZONES = 0, 8        # FG_ZONES: for each worker that writes
RAMP_MS = 100                   # for plain I/O
# With the ramp nearly as long as a thread of the ZN540 writes one zone. Of a
# die's programs that is 300 to 350, and they differ: with one zone a run's
# median is 5 % from that of another seed's, of 300 ms 8 %. What was measured ran
# for minutes. So writes run on several drives, which is cheaper than longer.
RUN_MS = 800
DRIVES_WRITTEN = 4
BG_ZONE, BG_ZONES = 400, 90
BG_NS_ZONE = 100                # in the second of two equal namespaces


# --- Jobs ---------------------------------------------------------------------

def one_thread(exp):
    """Return: the base of an experiment's speedup: the same experiment in one
    zone, or, if it has one zone, at queue depth 1."""
    fewer = 'zones' if exp.number('zones', 1) > 1 else 'qd'
    made = Experiment('%s, one thread' % exp.name,
                      dict(exp.fields, **{fewer: '1'}), {'kiops': None})
    made.base_of = exp
    return made


def io_job(name, exp, host, seed, **more):
    """The foreground's I/O: each thread goes through zones of its own."""
    op_name = exp.op('fg_op')
    if op_name not in IO_OPS:
        raise Skip('fg_op=%s is not I/O' % exp.fields['fg_op'])
    zones = exp.whole('zones', 1)
    block = exp.whole('bs_bytes')
    lba = exp.whole('lba_bytes', 4096)
    if lba == 0 or block == 0 or block % lba:
        raise Skip('bs_bytes=%d is no multiple of lba_bytes=%d' % (block, lba))
    options = {'rw': IO_OPS[op_name], 'bs': block, 'numjobs': zones,
               'iodepth': exp.whole('qd', 1),
               'offset': '%dz' % FG_ZONE, 'randseed': seed, 'time_based': 1}
    if exp.fields.get('sched') == 'mq-deadline':
        options['ioscheduler'] = 'mq-deadline'
    if op_name == 'read':
        options.update(size='1z', offset_increment='1z', prefill='100%')
    else:
        options.update(size='%dz' % host['zones_per_thread'],
                       offset_increment='%dz' % host['zones_per_thread'])
    options.update(more)
    return job(name, **options)


def bg_place(exp):
    """Return: the options that say where the background's zones are."""
    if exp.part.endswith('-2ns'):
        return {'offset': '%dz' % BG_NS_ZONE, 'nsid': 2}
    return {'offset': '%dz' % BG_ZONE}


def mgmt_job(exp, per_s, seed, **more):
    """Finishes of zones with one page, or resets of full zones."""
    op_name = exp.op('bg_op')
    options = dict(bg_place(exp), rw=op_name, randseed=seed)
    if op_name == 'finish':
        options.update(size='4z', prewrite='16k')
    else:
        options.update(size='%dz' % BG_ZONES, prefill='100%')
    if per_s:
        options['rate_iops'] = '%.3f' % per_s
    options.update(more)
    return job('bg', **options)


def part_io(exp, host, seed):
    """Plain I/O; sequential reads if the column `pattern` says "read"."""
    beside.check_usable(exp)
    if exp.fields.get('pattern') == 'read':
        return part_sequential_read(exp, host, seed)
    return io_job('fg', exp, host, seed, ramp_time='%dms' % host['ramp_ms'],
                  runtime='%dms' % RUN_MS)


def part_sequential_read(exp, host, seed):
    """Sequential reads of a zone, again and again; threads are 100 zones
    apart."""
    if exp.op('fg_op') != 'read':
        raise Skip('fg_op=%s is not read' % exp.fields['fg_op'])
    return io_job('fg', exp, host, seed, rw='read', offset_increment='100z',
                  ramp_time='%dms' % host['ramp_ms'], runtime='200ms')


def finish_periods(exp, per_s, seed):
    """Finishes at a rate: a job, and the time of two periods.

    At a low rate a period, from one finish to the next, is up to 92 s. What
    matters is the share of it in which a finish is under way. So zones are
    filled so far that a finish is shorter, and the period 1 s, with the same
    share.
    """
    share = min(1.0, per_s)
    zones = {'size': '2z', 'prewrite': 0, 'prefill': '%.6f%%' % (
        100 * (1 - share))} if share < 1 else {}
    return mgmt_job(exp, per_s / share, seed, **zones), 2 * share / per_s


def part_mgmt_on_io(exp, host, seed):
    """I/O beside management at a fixed rate, for a whole number of periods."""
    op_name = exp.op('bg_op')
    intensity = exp.number('bg_intensity_pct')
    if not op_name or not intensity:
        return io_job('fg', exp, host, seed, ramp_time='100ms',
                      runtime='400ms')
    if op_name not in MGMT_OPS:
        raise Skip('bg_op=%s is not management' % op_name)
    per_s = beside.unthrottled_per_s(host, op_name) * intensity / 100
    # Told by three decimals; 0 would be no limit.
    if op_name == 'reset' and round(per_s, 3) == 0:
        raise Skip('bg_intensity_pct=%s: is not 0.001 resets a second' %
                   exp.text('bg_intensity_pct'))
    if op_name == 'finish':
        jobs, run_s = finish_periods(exp, per_s, seed)
    else:
        jobs = mgmt_job(exp, per_s, seed)
        run_s = max(1, round(0.6 * per_s)) / per_s
    return jobs + io_job('fg', exp, host, seed,
                         runtime='%dus' % (run_s * 1e6), exitall=1)


def part_io_on_mgmt(exp, host, seed):
    """Management without a limit, alone (qd 0) or beside I/O."""
    finish = exp.op('bg_op') == 'finish'
    if exp.op('bg_op') not in MGMT_OPS:
        raise Skip('bg_op=%s is not management' % exp.fields['bg_op'])
    limit = {'number_ios': 1 if finish else 30, 'runtime': 40, 'exitall': 1}
    jobs = mgmt_job(exp, 0, seed, **limit)
    if exp.whole('qd') > 0:
        jobs += io_job('fg', exp, host, seed, runtime=40)
    return jobs


def part_read_under_write(exp, host, seed):
    """Reads beside one writer at a rate, or beside a flood of appends."""
    op_name = exp.op('bg_op')
    rate = exp.number('bg_rate_mibps')
    flood = exp.part == 'read-under-append-flood'
    slow = 0 < rate <= 100
    if not op_name:
        return io_job('fg', exp, host, seed, ramp_time='50ms',
                      runtime='300ms')
    if op_name not in ('write', 'append'):
        raise Skip('bg_op=%s is neither write nor append' % op_name)
    times = {'ramp_time': '300ms' if flood else '100ms',
             'runtime': '2900ms' if flood else '1s' if slow else '400ms'}
    workers = 4 if flood else 1
    options = {'rw': op_name, 'bs': exp.whole('bg_bs_bytes'),
               'iodepth': 32 if flood else 1, 'numjobs': workers, 'size': '8z',
               'offset': '%dz' % BG_ZONE, 'offset_increment': '8z',
               'time_based': 1}
    if rate:
        held = int(rate * MIB / workers)
        if held < 1:
            raise Skip('bg_rate_mibps=%s: is no byte a second' %
                       exp.text('bg_rate_mibps'))
        options.update(rate=held, io_submit_mode='inline')
    return job('bg', **options, **times) + \
        io_job('fg', exp, host, seed, exitall=1, **times)


def part_state(exp, _host, seed):
    """Operations that change the state of zones, once on each of 14 zones."""
    name = exp.fields['fg_op']
    place = {'size': '%dz' % STATE_ZONES, 'bs': exp.whole('bs_bytes'),
             'randseed': seed}
    first = {'zone_bytes': exp.whole('bs_bytes')}
    if name not in STATE_OPS:
        raise Skip('fg_op=%s is no operation of part state' % name)
    if name in ('first_write', 'first_append'):
        return job('fg', rw=name.split('_')[1], **place, **first)
    if name == 'open':
        return job('fg', rw='open', **place)
    if name == 'close':
        return job('setup', rw='open', **place) + \
            job('fg', rw='close', stonewall=1, **place)
    return job('setup', rw='write', **place, **first) + \
        job('close', rw='close', stonewall=1, **place) + \
        job('fg', rw='write', stonewall=1, startdelay='100ms', **place,
            **first)


def part_occupancy(exp, _host, seed):
    """Finish or reset of three zones that are partly full."""
    op_name = exp.op('fg_op')
    percent = exp.number('occupancy_pct')
    place = {'size': '3z', 'randseed': seed}
    if op_name not in MGMT_OPS:
        raise Skip('fg_op=%s is not management' % exp.fields['fg_op'])
    if not exp.fields.get('occupancy_pct'):
        raise Skip('occupancy_pct is empty')
    if (exp.fields.get('finished') or '0') not in ('0', '1'):
        raise Skip('finished=%s is neither 0 nor 1' % exp.fields['finished'])
    setup = job('setup', rw='open', **place) if percent == 0 else []
    if exp.fields.get('finished') == '1':
        setup += job('finished', rw='finish', stonewall=1, **place)
    fill = {'prefill': '%.9f%%' % percent} if percent else {}
    return setup + job('fg', rw=op_name, stonewall=1, startdelay=1, **fill,
                       **place)


PARTS = {
    'io': part_io,
    'state': part_state,
    'occupancy': part_occupancy,
    'mgmt-on-io': part_mgmt_on_io,
    'mgmt-on-io-2ns': part_mgmt_on_io,
    'io-on-mgmt': part_io_on_mgmt,
    'read-under-write': part_read_under_write,
    'read-under-append-flood': part_read_under_write,
    'sequential-read': part_sequential_read,
    **beside.PARTS,
}
# Parts of one job.
ALONE = ('io', 'state', 'occupancy', 'sequential-read', 'conv-ns',
         'softfinish-bench')


def host_cost(exp, host):
    """Return: the HostCost of a command, what the measuring host adds; none for
    parts whose jobs have options for that themselves."""
    if exp.part in beside.PARTS:
        return beside.HostCost()
    if exp.fields.get('engine'):
        return beside.engine_cost(exp, host, exp.fields['fg_op'],
                                  exp.number('bs_bytes'))
    if exp.part in host['passthrough']['parts']:
        return beside.passthrough_cost(host, exp.fields.get('fg_op'),
                                       exp.number('bs_bytes'))
    if exp.part in host['polled']['parts']:
        return beside.polled_cost(host)
    return beside.HostCost()


def host_overhead(exp, host):
    """Return: the options for what the measuring host adds to a command."""
    return ['--%s=%s' % pair
            for pair in host_cost(exp, host).options().items()]


def seeds_of(exp, seeds):
    """Return: the seeds of an experiment's runs, of which SEEDS are asked for:
    plain writes and appends have DRIVES_WRITTEN for each."""
    if exp.part == 'io' and exp.fields['fg_op'] != 'read':
        seeds *= DRIVES_WRITTEN
    return range(1, seeds + 1)


def check_alone(exp):
    """Raises Skip if something ran beside what its part runs alone."""
    bg_op = exp.text('bg_op')
    if exp.part in ALONE and bg_op not in ('', 'none'):
        raise Skip('bg_op=%s: part %s has nothing beside it' % (bg_op,
                                                                exp.part))


def make_run(exp, host, config, seed, changes=None):
    """Return: the Run of an experiment on the drive of CONFIG with CHANGES,
    {parameter: value}; raises Skip."""
    if exp.part not in PARTS:
        raise Skip('part=%s is unknown' % exp.part)
    check_alone(exp)
    settings = dict(beside.settings(exp), **(changes or {}), seed=seed)
    # The drive of CONFIG may have others.
    if exp.text('lba_bytes'):
        settings['lba-size'] = exp.whole('lba_bytes')
    if exp.part.endswith('-2ns'):
        settings['namespaces'] = 2
    return Run(config, settings, host_overhead(exp, host) +
               PARTS[exp.part](exp, host, seed))


# --- Metrics ------------------------------------------------------------------

def submission_us(exp, host):
    """Return: what the percentiles of an experiment do not have of its mean
    latency: fio counts them from when a command was submitted, unless it runs
    with lat_percentiles, and all else from when that begins."""
    if exp.part in host['polled']['clat_parts']:
        return host['polled']['ns'] / 1000
    return 0


def percentile(made, percent, less_us):
    """Return: a percentile as fio would have printed it, in us."""
    value = made.percentile_us(percent)
    return None if value is None else fio_bucket_us(max(0, value - less_us))


def op_of(exp, job_name):
    """Return: the operation of a job of the experiment."""
    name = exp.fields['fg_op' if job_name == 'fg' else 'bg_op']
    if name == 'softfinish' and '-soft_0' in exp.text('mix_fg_bg'):
        return 'finish'
    return {'first_write': 'write', 'first_append': 'append',
            'write_to_closed_zone': 'write'}.get(name, name)


def less_inline_resets(exp, kiops, bytes_per_s, host):
    """Throughput, less what fio's own resets of full zones cost."""
    inline = host['inline_reset']
    if exp.part in inline['parts'] and exp.fields['fg_op'] != 'read':
        kiops /= 1 + bytes_per_s / MIB * inline['ms'] / 1000 / \
            inline['per_mib']
    return kiops


def is_mgmt(exp):
    """Return: whether the foreground is management, beside I/O or alone."""
    return exp.part in beside.PARTS and exp.fields['fg_op'] in (
        'softfinish', 'reset')


def latencies_of(prefix, made, less_us):
    """Return: {metric: value} of an Op's latencies; LESS_US: see
    submission_us()."""
    return dict({prefix + 'mean_us': made.mean_us},
                **{'%sp%d_us' % (prefix, percent):
                   percentile(made, percent, less_us)
                   for percent in (50, 95, 99)})


def metrics_of(exp, result, host):
    """Return: {metric: value} of those measured metrics that the run has,
    too."""
    values = {}
    if 'fg' in result:
        made = Op(result['fg'], op_of(exp, 'fg'))
        share = 1 / beside.threads_apart(exp)
        values = {'kiops': share * less_inline_resets(
            exp, made.iops / 1000, made.bytes_per_s, host),
                  'mibps': share * made.bytes_per_s / MIB}
        values.update(latencies_of('', made, submission_us(exp, host)))
    mgmt = result.get('fg' if is_mgmt(exp) else 'bg')
    if mgmt:
        made = Op(mgmt, op_of(exp, 'fg' if is_mgmt(exp) else 'bg'))
        values['bg_mibps'] = made.bytes_per_s / MIB
        values['mgmt_per_s'] = beside.mgmt_per_s(exp, made, host)
        values.update(latencies_of('mgmt_', made, 0))
    wanted = list(exp.measured)
    if 'speedup' in wanted:
        wanted.append('kiops')
    return {name: values[name] for name in wanted
            if values.get(name) is not None}
