# SPDX-License-Identifier: GPL-2.0-or-later
"""Measurements again, in the guest: scripts/guest-table, scripts/observations;
and what is found out there of a drive and of Linux: scripts/zone-finder,
scripts/stacks.

Knows nothing of how a run is done: it calls the scripts as a user does.
"""

import json
import os
import re
import subprocess

from common import (SIM, TOP, config, environment, folder, read_csv,
                    read_json, run)
from femu.guest_table import experiments, runs
from femu.measured import files
from femu.observations import in_guest, papers, quantity, sources

# Points of every kind of "make guest-table", in three guests.
TABLE = ['write-4k-qd1', 'append-4k-qd1', 'finish-50', 'reset-25',
         'write-8k-4zones', 'append-4k-qd4', 'finish-beside-read-qd4']

# A unit a zone; eight that share channels with others, with stagger.
FINDER = ['su-planes', 'mu-8-stagger']

STACKS = "few=128 many=640 schedulers='none bfq' reads=200 " \
    "stacks='own psync libaio io_uring iopoll sqpoll passthrough'"
# The least that has interrupts, the kernel's poller and writers beside.
STACKS_TWICE = "few=32 many=96 schedulers=none reads=50 " \
    "stacks='psync sqpoll passthrough'"


def test_table(tap):
    """scripts/guest-table: the device's statistics are the simulator's."""
    out = folder('table')
    result = subprocess.run(
        [os.path.join(TOP, 'scripts', 'guest-table')], cwd=TOP, text=True,
        env=environment({'OUT': out, 'ONLY': ' '.join(TABLE), 'BOUNDS':
                         os.path.join(TOP, 'tests', 'data', 'zn540',
                                      'guest-bounds.csv')}), check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    last = (result.stdout.strip().splitlines() or [''])[-1]
    tap.result(result.returncode == 0 and bool(re.fullmatch(
        r'guest: 7 points, device against drive mean error \d+\.\d %, '
        r'0 differences between device and simulator', last)),
               'guest-table: %s' % last, result.stdout)
    if result.returncode != 0:
        return
    rows = read_csv(out, 'points.csv')
    tap.same(sorted({row['point'] for row in rows if row['device']}),
             sorted(TABLE), 'guest-table: every point has figures')
    slower = [row['point'] for row in rows if row['metric'] == 'mean_us' and
              not float(row['guest']) > float(row['device'])]
    tap.same(slower, [], 'guest-table: the guest adds to every latency')
    test_tampered(tap, os.path.join(out, 'plain'))


def test_tampered(tap, run_dir):
    """A nanosecond and a command that the simulator has not are found."""
    host = files.read_host(os.path.join(TOP, 'tests', 'data', 'zn540',
                                        'host.json'))
    group = experiments.chosen(host, TABLE)[-1]
    rows = [runs.Row(point, {}, host) for point in group.points]
    path = os.path.join(run_dir, 'results', 'finish-50.device.json')
    stats = read_json(path)
    stats['ops']['finish']['sum_ns'] += 1
    stats['flash']['programs'] -= 1
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(stats, file)
    wrong = runs.read_group(SIM, group, rows, run_dir, host)
    tap.same([wrong] + [row.differences for row in rows], [0, 0, 0, 2, 0],
             'guest-table: statistics that are not the same are counted')


def test_observations(tap):
    """What two papers observed of the host's software."""
    out, status, text = run(
        'observations', JOB=os.path.join(TOP, 'jobs', 'observations.sh'),
        CONFIG=config('zn540.cfg'), TRACE='0',
        DILATION=str(in_guest.DILATION))
    tap.result(status == 0, 'observations: the job ran', text)
    if status != 0:
        return
    guest = in_guest.Guest(os.path.join(out, 'results'),
                           in_guest.DILATION)
    points = sources.Measured(os.path.join(
        TOP, 'tests', 'data', 'zn540', 'points.csv'))
    for one in papers.ALL:
        if one.guest:
            holds, lines = quantity.judge(one.guest, guest, points)
            tap.result(holds, '%s #%d: %s' % (one.paper, one.number,
                                              one.claim), '\n'.join(lines))


def test_finder(tap):
    """scripts/zone-finder: zones that share units."""
    out = folder('finder')
    done = subprocess.run(
        [os.path.join(TOP, 'scripts', 'zone-finder')], cwd=TOP, text=True,
        env=environment({'OUT': out, 'ONLY': ' '.join(FINDER),
                         'PLACE': '0'}), check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    last = (done.stdout.strip().splitlines() or [''])[-1]
    tap.result((done.returncode, last) == (
        0, 'zone-finder: %d drives, precision 100.0 %%, recall 100.0 %%'
        % len(FINDER)), 'finder: %s' % last, done.stdout)


def stacks(name, **variables):
    """Runs scripts/stacks. Return: (its folder, what it printed, its exit
    status)."""
    out = folder(name)
    done = subprocess.run(
        [os.path.join(TOP, 'scripts', 'stacks')], cwd=TOP, text=True,
        env=environment({'OUT': out, 'ARGS': STACKS, **variables}),
        check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    return out, done.stdout, done.returncode


def test_stacks(tap):
    """scripts/stacks: what each stack costs; twice the same."""
    out, text, status = stacks('stacks')
    last = (text.strip().splitlines() or [''])[-1]
    tap.result(status == 0 and bool(re.fullmatch(
        r'stacks: 6 stacks, io_uring passthrough \d+ instructions/read, psync '
        r'\d+; p99 of reads beside writers none \d+\.\d us, bfq \d+\.\d us',
        last)), 'stacks: %s' % last, text)
    if status != 0:
        return
    check_twice(tap)
    cost = {(row['stack'], row['scheduler'], row['depth']):
            float(row['insns_per_read']) for row in read_csv(out,
                                                             'stacks.csv')}
    check_costs(tap, cost, text)
    check_two_processors(tap)


def check_twice(tap):
    """Two runs give the same to the byte."""
    found, said = {}, ''
    for name in ('stacks-once', 'stacks-twice'):
        out, text, status = stacks(name, ARGS=STACKS_TWICE)
        said += text
        for file in ('stacks.csv', 'beside.csv') if status == 0 else ():
            with open(os.path.join(out, file), 'rb') as table:
                found.setdefault(file, []).append(table.read())
    for file in ('stacks.csv', 'beside.csv'):
        both = found.get(file, [])
        tap.result(len(both) == 2 and both[0] == both[1] and
                   both[0].count(b'\n') > 1,
                   'stacks: %s is the same again' % file, said)


def check_two_processors(tap):
    """With a processor of its own, the kernel's poller makes the fastest stack;
    with none, by far the slowest."""
    out, text, status = stacks('stacks-two', CPUS='2', ARGS=(
        "stacks='libaio io_uring iopoll sqpoll' schedulers=none beside="))
    speed = {row['stack']: float(row['iops'])
             for row in read_csv(out, 'stacks.csv') if row['depth'] == '16'
             } if status == 0 else {}
    tap.result(list(speed) == sorted(speed, key=speed.get) and len(speed) == 4,
               'stacks: two processors: libaio < io_uring < iopoll < sqpoll',
               text)


def check_costs(tap, cost, text):
    """Which stack costs more than which, whatever the guest's kernel is."""
    for less, more in (
            (('own', '-', '16'), ('passthrough', '-', '16')),
            (('passthrough', '-', '16'), ('io_uring', 'none', '16')),
            (('io_uring', 'none', '16'), ('libaio', 'none', '16')),
            (('libaio', 'none', '16'), ('psync', 'none', '16')),
            (('psync', 'none', '1'), ('psync', 'bfq', '1')),
            (('io_uring', 'none', '16'), ('io_uring', 'bfq', '16')),
            (('iopoll', 'none', '16'), ('io_uring', 'none', '16')),
            (('io_uring', 'none', '1'), ('iopoll', 'none', '1')),
            (('iopoll', 'none', '1'), ('sqpoll', 'none', '1'))):
        tap.result(cost[less] < cost[more], 'stacks: %s costs less than %s' % (
            ' '.join(less), ' '.join(more)), text)


GROUPS = {'table': test_table,
          'observations': test_observations,
          'finder': test_finder,
          'stacks': test_stacks}
