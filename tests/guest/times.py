# SPDX-License-Identifier: GPL-2.0-or-later
"""Times in the guest: exact, the same in every run, the host's by choice.

Knows nothing of how a run is done: it calls the scripts as a user does.
"""

import os

from common import HERE, TOP, config, folder, job, read_json, run
from drives import replayed
from replay import test_replay


def test_timing(tap):
    """Exact times of confznspp.cfg: 25 us transfer + 700 us program a page;
    finish programs the other pages of the zone one by one."""
    page_ns = 25000 + 700000
    pages = 1056 * 1024 // 16
    out, status, text = run(
        'timing', JOB=job('timing.sh'), CONFIG=config('confznspp.cfg'),
        EXTRA=os.path.join(HERE, 'extra'))
    tap.result(status == 0, 'confznspp: the job ran', text)
    if status != 0:
        return
    write = read_json(out, 'results', 'write.device.json')['ops']['write']
    tap.same([write[key] for key in ('count', 'sum_ns', 'min_ns', 'max_ns')],
             [100, 100 * page_ns, page_ns, page_ns],
             'confznspp: each of 100 writes of 16 KiB at QD1 takes 725000 ns')
    finish = read_json(out, 'results', 'finish.device.json')['ops']['finish']
    tap.same([finish[key] for key in ('count', 'errors', 'sum_ns')],
             [1, 0, (pages - 1) * page_ns],
             'confznspp: finish of a one-page zone takes 67583 x 725 us')
    zone = read_json(out, 'results', 'finish.zone.json')['zones'][0]
    tap.result(zone['errno'] == 0 and
               0 < zone['latency_ns'] - finish['sum_ns'] < 1000000,
               'confznspp: the program waits 49 s for it, and gets it',
               str(zone))
    tap.include(os.path.join(out, 'results', 'tap.txt'))


def test_asked(tap):
    """What Linux asks of the drive takes the drive's time: at boot, for a
    report, a revalidation, a mount."""
    zones, report_ns, identify_ns, log_ns, feature_ns = 32, 33000000, 2, 3, 4
    out, status, text = run(
        'asked', JOB=job('asked.sh'), CONFIG=config('tiny.cfg'),
        SET='zones=%d max-open=8 max-active=10 fe-report-ns=1000000 '
            'fe-report-zone-ns=1000000 fe-identify-ns=%d fe-log-ns=%d '
            'fe-feature-ns=%d' % (zones, identify_ns, log_ns, feature_ns))
    tap.result(status == 0, 'asked: the job ran', text)
    if status != 0:
        return
    for step, op, cost_ns in (('report', 'report', report_ns),
                              ('mount', 'report', report_ns),
                              ('revalidate', 'identify', identify_ns)):
        ops = read_json(out, 'results', step + '.device.json')['ops']
        found = ops.get(op, {'count': 0})
        with open(os.path.join(out, 'results', step + '.out'),
                  encoding='ascii') as file:
            took_ns = int(file.read())
        tap.result(found['count'] > 0 and
                   found['sum_ns'] == found['count'] * cost_ns < took_ns,
                   'asked: each %s of a %s takes %d ns, and Linux waits' % (
                       op, step, cost_ns), '%d ns: %r' % (took_ns, ops))
        # The command that starts the step's statistics counts in them.
        tap.same(ops['feature']['sum_ns'], feature_ns,
                 'asked: %s: Set Features takes its time' % step)
    with open(os.path.join(out, 'trace.csv'), encoding='ascii') as file:
        lines = file.read().splitlines()
    first = {line.split(',')[3]: line for line in reversed(lines)
             if line.startswith('S,')}
    tap.result({'identify', 'log', 'feature', 'report'} <= set(first) and
               first['report'].endswith(',report,1,0,%d,0,0' % zones),
               'asked: Linux reads identity, logs, features, all zones at boot',
               repr(first))
    test_replay(tap, os.path.join(out, 'trace.csv'), 60)


def test_same(tap):
    """Two runs of one job: the same bytes in every result."""
    outs = []
    for name in ('same-1', 'same-2'):
        out, status, text = run(name, JOB=job('same.sh'),
                                CONFIG=config('zn540.cfg'))
        tap.result(status == 0, '%s: the job ran' % name, text)
        outs.append(out)
    names = sorted(os.listdir(os.path.join(outs[0], 'results')))
    wanted = ['%s.%s.json' % (step, kind)
              for step in ('write-qd1', 'read-qd1', 'read-qd32',
                           'write-4-zones')
              for kind in ('fio', 'device')] + ['dmesg.txt']
    tap.same([name for name in wanted if name not in names], [],
             'two runs: statistics and latencies are there')
    left = [os.path.join('results', name) for name in names]
    for name in left + ['trace.csv']:
        data = []
        for out in outs:
            with open(os.path.join(out, name), 'rb') as file:
                data.append(file.read())
        if data[0] != data[1]:
            tap.result(False, 'two runs: the same bytes in %s' % name,
                       first_difference(*data))
            return
    tap.result(True, 'two runs: the same bytes in trace.csv and %d results'
               % len(left))
    test_replay(tap, os.path.join(outs[0], 'trace.csv'))
    check_trace(tap, outs[0])


def first_difference(one, other):
    for number, lines in enumerate(zip(one.splitlines(), other.splitlines()),
                                   1):
        if lines[0] != lines[1]:
            return 'line %d:\n%s\n%s' % (number, *(
                line[:200].decode(errors='replace') for line in lines))
    return 'one has %d bytes, the other %d' % (len(one), len(other))


# Bytes of these are in the statistics.
DATA = ('read', 'write', 'append')


def completions_of(path):
    """Return: [(when, operation, status, latency, bytes)] of a trace, read as
    hw/femu/ssd_trace.h has it, and by nothing else of ours."""
    sent, found, lba_bytes = {}, [], 0
    with open(path, encoding='ascii') as file:
        for line in file:
            kind, *fields = line.rstrip('\n').split(',')
            if kind == 'P' and fields[0] == 'lba-size':
                lba_bytes = int(fields[1])
            elif kind == 'S':
                sent[fields[0]] = (int(fields[1]), fields[2], int(fields[5]))
            elif kind == 'C':
                at_ns, op, nlb = sent.pop(fields[0])
                done_ns, status = int(fields[1]), int(fields[2])
                found.append((done_ns, op, status, done_ns - at_ns,
                              nlb * lba_bytes if op in DATA else 0))
    return found


def check_trace(tap, out):
    """What a step's statistics say is what the trace has of its time: of each
    operation the number, the bytes and the latencies."""
    done = completions_of(os.path.join(out, 'trace.csv'))
    for step in read_json(out, 'meta.json')['steps']:
        stats = read_json(out, 'results', step['name'] + '.device.json')
        mine = {}
        for at_ns, op, status, latency_ns, data_bytes in done:
            if status == 0 and stats['since_ns'] < at_ns <= stats['now_ns']:
                mine.setdefault(op, []).append((latency_ns, data_bytes))
        said = {op: [one['count'], one['bytes'], one['sum_ns'] / one['count'],
                     one['min_ns'], one['max_ns']]
                for op, one in stats['ops'].items() if one['count']}
        tap.same({op: [len(one), sum(data for _, data in one),
                       sum(ns for ns, _ in one) / len(one), min(one)[0],
                       max(one)[0]] for op, one in mine.items()}, said,
                 'step %s: the trace has the count, bytes and mean of %s' % (
                     step['name'], ', '.join(sorted(said))))


def test_real(tap):
    """The host's clock: which accelerator, lateness, results."""
    job_path = os.path.join(folder('real-job'), 'small.sh')
    os.makedirs(os.path.dirname(job_path))
    with open(job_path, 'w', encoding='utf-8') as file:
        file.write('step write fio --name=w --filename="$DRIVE" --direct=1 '
                   '--zonemode=zbd --rw=write --bs=16k --size=1z '
                   '--number_ios=100\n')
    out, status, text = run('real', JOB=job_path, TIME='real',
                            CONFIG=config('confznspp.cfg'))
    tap.result(status == 0, 'TIME=real: the job ran', text)
    if status != 0:
        return
    accel = read_json(out, 'meta.json')['accel']
    tap.result(accel in ('kvm', 'tcg, multi-threaded') and
               'real time by ' + accel in text,
               'TIME=real: the run says by what (%s)' % accel, text)
    stats = read_json(out, 'results', 'write.device.json')
    tap.result(stats['ops']['write']['count'] == 100 and
               stats['ops']['write']['min_ns'] >= 725000,
               'TIME=real: no write is faster than the drive',
               str(stats['ops']))
    tap.result(stats.get('lateness', {}).get('count', 0) >= 100,
               'TIME=real: lateness is reported', str(stats.get('lateness')))


def test_thread(tap):
    """Two drives in real time, each with a thread of its own (IOTHREAD=1)."""
    out, status, text = run(
        'thread', JOB=os.path.join(TOP, 'jobs', 'real-time.sh'), TIME='real',
        ACCEL='tcg', IOTHREAD='1', CONFIG=config('zn540.cfg'), DRIVES='2',
        BOOT='600')
    tap.result(status == 0, 'IOTHREAD=1: the job ran', text)
    if status != 0:
        return
    fio = [read_json(out, 'results', step + '.fio.json')['jobs']
           for step in ('verify', 'read')]
    tap.same([[(one['error'], one['write']['total_ios'],
                one['read']['total_ios']) for one in jobs] for jobs in fio],
             [[(0, 300, 300)] * 2, [(0, 0, 900)] * 2],
             'IOTHREAD=1: all that was written is verified, then read')
    for number in range(2):
        path = os.path.join(out, 'zns%d' % number, 'trace.csv')
        tap.result(replayed(path).endswith(' 0 differences'),
                   'IOTHREAD=1: the trace of drive %d is replayed' % number,
                   replayed(path))
    check_lateness(tap, out, text)
    with open(os.path.join(out, 'command.txt'), encoding='utf-8') as file:
        tap.result('no_timer_check' in file.read(), 'IOTHREAD=1: Linux does '
                   'not panic if the host is too late for its timer')


def check_lateness(tap, out, text):
    """Each completion's lateness is counted; the run says where it matters."""
    stats = [read_json(out, 'results', 'read.%s.json' % name)
             for name in ('device', 'zns1')]
    late = [one['lateness'] for one in stats]
    tap.result(all(one['clock'] == 'host' and one['count'] >= 900
                   for one in late),
               'IOTHREAD=1: the lateness of each completion', str(late))
    tap.result('step read: the host came late: ' in text or
               all(is_in_time(one) for one in stats),
               'IOTHREAD=1: the table says that the host came late', text)
    with open(os.path.join(out, 'report.html'), encoding='utf-8') as file:
        tap.result('how much later than due' in file.read(),
                   'IOTHREAD=1: the report has the lateness')


def is_in_time(stats):
    """Return: whether no more than a hundredth of the completions were late by
    a tenth of the drive's mean latency."""
    read = stats['ops']['read']
    limit_ns = read['sum_ns'] / read['count'] / 10
    count = sum(number for low_ns, number in stats['lateness']['histogram']
                if low_ns > limit_ns)
    return count <= stats['lateness']['count'] / 100


GROUPS = {'timing': test_timing,
          'thread': test_thread,
          'same': test_same,
          'asked': test_asked,
          'real': test_real}
