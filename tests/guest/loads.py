# SPDX-License-Identifier: GPL-2.0-or-later
"""zns-load, which sends zone commands in the guest, and scripts/measure, which
makes a drive's points of what that says.

Knows nothing of how a run is done: it calls the scripts as a user does.
"""

import csv
import os
import re
import shutil
import subprocess

from common import HERE, TOP, config, folder, job, read_json, run
from femu.measured.files import read_experiments
from replay import test_replay

# The drive that is measured: tiny.cfg with so many zones.
MEASURED_SET = 'zones=72 max-open=13 max-active=14'

# What each step of jobs/zns-load.sh sends: the drive's count of each command,
# and zns-load's own where that differs: what it does to zones before is not
# measured, and a softfinish is made of writes.
LOADS = {
    'append': ({'append': 300}, {}),
    'two-jobs': ({'write': 100, 'append': 48}, {}),
    'read': ({'read': 300 + 192}, {}),
    'finish': ({'finish': 2, 'write': 2}, {'finish': 2}),
    'soft': ({'write': 1 + 96}, {'write': 96, 'softfinish': 1}),
    'reset': ({'reset': 2}, {}),
    'open': ({'open': 2}, {}),
    'close': ({'close': 2}, {}),
    'rewrite': ({'append': 60, 'reset': 1}, {'append': 60}),
    'ramp': ({'read': 100}, {}),
    'fill': ({'write': 15}, {}),
}


def test_zns_load(tap):
    """zns-load sends what it says, and says how long it took."""
    out, status, text = run(
        'zns-load', JOB=job('zns-load.sh'), CONFIG=config('tiny.cfg'),
        EXTRA=os.path.join(HERE, 'extra'),
        SET='zones=32 max-open=8 max-active=10')
    tap.result(status == 0, 'zns-load: the job ran', text)
    if status != 0:
        return
    tap.include(os.path.join(out, 'results', 'tap.txt'))
    made = {}
    for name, (commands, own) in LOADS.items():
        drive = read_json(out, 'results', name + '.device.json')['ops']
        made[name] = load_ops(read_json(out, 'results', name + '.fio.json'))
        tap.same([{op: drive[op]['count'] for op in drive},
                  {op: sum(one['total_ios'] for one in found)
                   for op, found in made[name].items()}],
                 [commands, own or commands],
                 'zns-load: step %s sends what it says' % name)
        for op, found in made[name].items():
            one, least = found[0], drive.get(op, {}).get('min_ns', 0)
            if not (one['lat_ns']['min'] >= least and sum(
                    one['clat_ns']['bins'].values()) == one['total_ios']):
                tap.result(False, 'zns-load: step %s sees no command faster '
                           'than the drive' % name, str(one['lat_ns']))
    check_pace(tap, made, read_json(out, 'results', 'rewrite.fio.json'))
    check_deviation(tap, made['finish']['finish'][0]['lat_ns'])
    check_exitall(tap, out)
    ramp = load_ops(read_json(out, 'results', 'ramp-count.fio.json'))
    tap.same(ramp['read'][0]['total_ios'], 100, 'zns-load: number_ios is of '
             'what ends behind the ramp')
    test_replay(tap, os.path.join(out, 'trace.csv'), 1100)


def load_ops(root):
    """Return: {operation: what each job of zns-load made of it}."""
    ops = {}
    for one in root['jobs']:
        for name, made in one['femu']['ops'].items():
            ops.setdefault(name, []).append(made)
    return ops


def check_pace(tap, made, rewrite):
    """A softfinish pauses between its writes, a rate is kept."""
    write, soft = made['soft']['write'][0], made['soft']['softfinish'][0]
    least_ns = 95 * 200000 + write['lat_ns']['mean'] * 96
    tap.result(least_ns < soft['lat_ns']['max'] < 1.2 * least_ns,
               'zns-load: 96 writes and 95 pauses make a softfinish',
               '%r: at least %d' % (soft['lat_ns'], least_ns))
    elapsed_ns = rewrite['jobs'][0]['femu']['elapsed_ns']
    tap.result(59 * 2000000 < elapsed_ns < 60 * 2000000,
               'zns-load: 60 commands at 500 a second take 118 ms',
               str(elapsed_ns))


def check_deviation(tap, two):
    """Of TWO values it is as fio has it, of a sample."""
    apart = two['max'] - two['min']
    tap.result(apart > 0 and
               abs(two['stddev'] - apart / 2 ** 0.5) < 0.01 * apart,
               'zns-load: the deviation of two latencies', str(two))


def check_exitall(tap, out):
    """Reads end with the finish beside them, which began 5 ms later."""
    drive = read_json(out, 'results', 'mix.device.json')['ops']
    finish, read = read_json(out, 'results', 'mix.fio.json')['jobs']
    made = read['femu']['ops']['read']['total_ios']
    tap.same([drive['finish']['count'], drive['write']['count'],
              drive['read']['count']], [1, 1, made],
             'zns-load: a finish, and reads beside it until it ends')
    longest_ns = finish['femu']['elapsed_ns'] + 5000000
    tap.result(made > 100 and
               0 <= read['femu']['elapsed_ns'] - longest_ns < 1000000,
               'zns-load: exitall ends the reads with the finish',
               '%d reads in %d ns, the finish in %d' % (
                   made, read['femu']['elapsed_ns'], longest_ns))


def test_measure(tap):
    """scripts/measure makes points that femu-fit reads."""
    extra = os.path.join(folder('measure-extra'), 'extra')
    shutil.copytree(os.path.join(HERE, 'extra'), extra)
    shutil.copy(os.path.join(TOP, 'scripts', 'measure'), extra)
    out, status, text = run(
        'measure', JOB=job('measure.sh'), CONFIG=config('tiny.cfg'),
        EXTRA=extra, SET=MEASURED_SET, DILATION='100', TRACE='0')
    tap.result(status == 0, 'measure: the job ran', text)
    if status != 0:
        return
    tap.include(os.path.join(out, 'results', 'tap.txt'))
    points = os.path.join(out, 'results', 'measured', 'points.csv')
    experiments = read_experiments(points)
    tap.same(len(experiments), 18, 'measure: points of each experiment')
    drive = os.path.join(out, 'drive.cfg')
    with open(config('tiny.cfg'), encoding='utf-8') as file:
        text = file.read()
    for word in MEASURED_SET.split():
        name, value = word.split('=')
        text = re.sub('%s = "[^"]*"' % name, '%s = "%s"' % (name, value), text)
    with open(drive, 'w', encoding='utf-8') as file:
        file.write(text.replace('read-ns = "60000"', 'read-ns = "80000"'))
    done = subprocess.run(
        [os.path.join(TOP, 'scripts', 'femu-fit'), '--points=' + points,
         '--config=' + drive, '--fit=read-ns,program-ns,page-transfer-ns',
         '--out=' + os.path.join(out, 'fitted.cfg')], text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    with open(os.path.join(out, 'fitted.csv'), encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    off = [abs(int(row['fitted']) / truth - 1) for row, truth in zip(
        rows, (60000, 700000, 25000))]
    tap.result(done.returncode == 0 and len(off) == 3 and max(off) < 0.02,
               'measure: a fit to them finds the drive again', done.stdout)


GROUPS = {'zns-load': test_zns_load, 'measure': test_measure}
