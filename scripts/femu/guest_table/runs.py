# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs measured experiments in guests and puts five results beside each other:
the real drive's, the emulated device's statistics, the simulator's for the same
arrivals of commands, the simulator's for the experiment itself, and those of
the programs in the guest.

Knows nothing of the experiments' jobs and of how a table looks.
"""

import concurrent.futures
import json
import os
import re
import subprocess

from femu.common import (
    json_file, out_folder, processors, progress, simulator)
from femu.common.simulator import fio_bucket_us
from femu.measured import protocol

SEED = 1
RUN_TIMEOUT_S = 1800
LATENCIES = ('mean_us', 'p50_us', 'p95_us')
# Members of the device's statistics that the core's do not have.
DEVICE_MEMBERS = ('lateness', 'time_dilation', 'config', 'programmed')


class GuestTableError(Exception):
    """A run failed, or left files that cannot be read."""


class Row:
    """What is known of a point. `device`, `model` and `guest` are {metric:
    value}, in the drive's time; `host_us` is what the measuring host added to
    a latency; `differences` is the number of members of the device's
    statistics that are not the simulator's."""

    def __init__(self, point, measured, host):
        self.point = point
        self.host_us = protocol.host_cost(point.exp, host).added / 1000
        self.measured = {name: measured[name] for name in point.metrics
                         if name in measured}
        self.device = {}
        self.model = {}
        self.guest = {}
        self.commands = 0
        self.differences = 0

    def errors_pct(self, metric):
        """Return: how far the device, with what the measuring host added, is
        off the real drive, in percent; None if one of them has no value."""
        if not self.measured.get(metric) or metric not in self.device:
            return None
        added = self.host_us if metric in LATENCIES else 0
        measured = self.measured[metric]
        return 100 * (self.device[metric] + added - measured) / measured


def errors_of(rows):
    """Return: {(point, metric): percent} of all that were measured."""
    return {(row.point.name, metric): row.errors_pct(metric)
            for row in rows for metric in row.point.metrics
            if row.errors_pct(metric) is not None}


# --- Guests -------------------------------------------------------------------

def run_guest(top, group, config, out_dir):
    """Runs a group's job in a guest that has started, which is a state for the
    groups of the same dilation. Return: the folder of the run."""
    job = os.path.join(out_dir, group.name + '.sh')
    out = os.path.join(out_dir, group.name)
    out_folder.drop_run(out)
    with open(job, 'w', encoding='utf-8') as file:
        file.write(group.job())
    env = {name: value for name, value in os.environ.items()
           if name not in ('TIME', 'EXTRA', 'KERNEL', 'INITRD', 'DISK', 'MEM',
                           'CPUS', 'APPEND', 'TRACE', 'INSN_NS', 'STATE')}
    env.update(JOB=job, CONFIG=config, OUT=out, SET='seed=%d' % SEED,
               FROM='boot', DILATION=str(group.dilation))
    done = subprocess.run([os.path.join(top, 'scripts', 'run')], env=env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False,
                          timeout=RUN_TIMEOUT_S)
    if done.returncode != 0:
        raise GuestTableError('the guest of %s failed:\n%s' % (
            group.name, '\n'.join(done.stdout.splitlines()[-15:])))
    return out


# --- The same arrivals in the simulator ---------------------------------------

def replay(sim, trace, windows, stats):
    """Return: (completions that differ, the statistics of each window)."""
    done = subprocess.run(
        [sim, 'replay', trace, '--stats=' + stats] +
        ['--window=%d:%d' % window for window in windows],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, check=False)
    found = re.search(r'replay: (\d+) commands, \d+ completions, '
                      r'(\d+) differences', done.stdout)
    if not found or done.returncode > 1:
        raise GuestTableError('%s does not replay: %s' % (
            trace, done.stderr.strip()))
    with open(stats, encoding='utf-8') as file:
        return int(found[2]), json.load(file)


def difference_count(one, other):
    """Return: how many numbers and texts of two JSON values are not the same;
    what only one of them has counts once."""
    if isinstance(one, dict) and isinstance(other, dict):
        return sum(difference_count(one[key], other[key])
                   if key in one and key in other else 1
                   for key in sorted(set(one) | set(other)))
    if isinstance(one, list) and isinstance(other, list):
        return abs(len(one) - len(other)) + sum(
            difference_count(*pair) for pair in zip(one, other))
    return int(one != other)


# --- The device's figures -----------------------------------------------------

def spans_of(trace, windows):
    """Return: for each window {op: (first submission, last completion)} of
    commands that completed in it. WINDOWS are in order."""
    spans = [{} for _ in windows]
    under_way = {}
    with open(trace, encoding='ascii') as file:
        for line in file:
            if line.startswith('S,'):
                fields = line.split(',')
                under_way[fields[1]] = fields[3], int(fields[2])
            elif line.startswith('C,'):
                fields = line.split(',')
                op, sent_at = under_way.pop(fields[1])
                done_at = int(fields[2])
                for span, (first, last) in zip(spans, windows):
                    if first < done_at <= last:
                        begin, end = span.get(op, (sent_at, done_at))
                        span[op] = min(begin, sent_at), max(end, done_at)
    return spans


def device_metrics(point, stats, span, host):
    """Return: {metric: value} by the device's own statistics."""
    ops = {role: stats['ops'].get(op) for role, op in point.ops.items()}
    values = {}
    for role, op in point.ops.items():
        if not ops[role] or not ops[role]['count']:
            raise GuestTableError('%s: the device has seen no %s' % (
                point.name, op))
    made = ops['fg']
    begin, end = span[point.ops['fg']]
    elapsed_s = (end - max(begin, stats['since_ns'])) / 1e9
    values = {'mean_us': made['sum_ns'] / made['count'] / 1000,
              'p50_us': fio_bucket_us(made['p50_ns'] / 1000),
              'p95_us': fio_bucket_us(made['p95_ns'] / 1000),
              'kiops': protocol.less_inline_resets(
                  point.exp, made['count'] / elapsed_s / 1000,
                  made['bytes'] / elapsed_s, host)}
    if 'bg' in ops:
        values['mgmt_per_s'] = 1e9 * ops['bg']['count'] / ops['bg']['sum_ns']
    return {name: values[name] for name in point.metrics}


# --- The guest's figures ------------------------------------------------------

def side_of(root, job, op):
    """Return: what fio or zns-load says of an operation of a job."""
    found = [one for one in root['jobs'] if one['jobname'] == job][0]
    if 'femu' in found:
        return found['femu']['ops'][op]
    return found[op]


def guest_metrics(point, root, dilation, host):
    """Return: {metric: value} as the program in the guest saw them, in the
    drive's time."""
    made = side_of(root, 'fg', point.ops['fg'])
    percentiles = made['clat_ns']['percentile']
    values = {'mean_us': made['lat_ns']['mean'] / 1000 / dilation,
              'p50_us': percentiles['50.000000'] / 1000 / dilation,
              'p95_us': percentiles['95.000000'] / 1000 / dilation,
              'kiops': protocol.less_inline_resets(
                  point.exp, made['iops'] * dilation / 1000,
                  made['bw_bytes'] * dilation, host)}
    if 'bg' in point.ops:
        values['mgmt_per_s'] = dilation * side_of(
            root, 'bg', point.ops['bg'])['iops']
    return {name: values[name] for name in point.metrics}


# --- The whole ----------------------------------------------------------------

def left_by(out, point, kind):
    """Return: the JSON that a program of KIND has left of a POINT in the run
    OUT."""
    path = os.path.join(out, 'results', '%s.%s.json' % (point.name, kind))
    try:
        return json_file.value_of(path)
    except json_file.DataError as error:
        raise GuestTableError('%s: %s' % (path, error)) from None


def read_group(sim, group, rows, out, host):
    """Fills the ROWS of a group whose guest has left its results in OUT.
    Return: how many completions have another time in the simulator."""
    trace = os.path.join(out, 'trace.csv')
    stats = [left_by(out, row.point, 'device') for row in rows]
    windows = [(one['since_ns'], one['now_ns']) for one in stats]
    wrong, replayed = replay(sim, trace, windows,
                             os.path.join(out, 'replayed.json'))
    if len(replayed) != len(windows):
        raise GuestTableError('%s replays %d of %d windows' % (
            sim, len(replayed), len(windows)))
    for row, one, same, span in zip(rows, stats, replayed,
                                    spans_of(trace, windows)):
        device = {name: value for name, value in one.items()
                  if name not in DEVICE_MEMBERS}
        row.differences = difference_count(device, same)
        row.commands = sum(op['count'] for op in one['ops'].values())
        row.device = device_metrics(row.point, one, span, host)
        row.guest = guest_metrics(
            row.point, left_by(out, row.point, 'fio'), group.dilation, host)
    return wrong


def model(sim, rows, host, config):
    """Simulates the experiments and gives every row its metrics."""
    for row in rows:
        row.point.exp.measured = dict.fromkeys(row.point.metrics)
    runs = [protocol.make_run(row.point.exp, host, config, SEED)
            for row in rows]
    results = simulator.run_all('guest-table', sim, runs, tells=True)
    for row, result in zip(rows, results):
        try:
            if isinstance(result, Exception):
                raise result
            row.model = protocol.metrics_of(row.point.exp, result, host)
        except simulator.FAILURES as error:
            raise GuestTableError('%s: %s' % (row.point.name,
                                              error)) from None
        for metric in row.point.metrics:
            if metric not in row.model:
                raise GuestTableError('%s: the simulator gives no %s' % (
                    row.point.name, metric))


def run(top, sim, groups, measured, host, config, out_dir, tell):
    """Return: (a Row for every point, completions that differ)."""
    rows = {group.name: [Row(point, measured.get(point.exp.name, {}), host)
                         for point in group.points] for group in groups}
    count = progress.Count('guest-table', len(groups), 'guests')
    different = 0

    def one(group):
        out = run_guest(top, group, config, out_dir)
        wrong = read_group(sim, group, rows[group.name], out, host)
        count.add()
        tell('%s: %d points, %d commands; %s' % (
            group.name, len(group.points),
            sum(row.commands for row in rows[group.name]), count.text()))
        return wrong

    with concurrent.futures.ThreadPoolExecutor(processors.count()) as pool:
        different = sum(pool.map(one, groups))
    everything = sorted((row for group in groups for row in rows[group.name]),
                        key=lambda row: row.point.dilation)
    model(sim, everything, host, config)
    return everything, different
