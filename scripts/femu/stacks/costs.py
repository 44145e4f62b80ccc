# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run of jobs/stacks.sh says of each storage stack: how fast it is, and
how many instructions a read costs.

Of two of fio's jobs that differ in their number of reads alone, the difference
of the instructions is what these reads cost.

Knows nothing of how the run was done.
"""

import collections
import os

from femu.common import json_file

# Of a stack under a scheduler ('-': it goes past them), DEPTH reads at a time.
Stack = collections.namedtuple('Stack', 'stack scheduler depth insns_per_read '
                               'iops p50_us p95_us p99_us')
# Of the reads under a scheduler.
Beside = collections.namedtuple('Beside', 'scheduler iops p50_us p95_us '
                                'p99_us max_us writers_mibps')
OWN = 'own'
PAST = 'past'
# Of a line of a scheduler's counts: a job, the counts before and after it.
WORDS = 3


class StacksError(Exception):
    """The run does not have what is needed."""


def insns_of(path):
    """Return: {job: instructions that were executed while it ran}."""
    found = {}
    with open(path, encoding='utf-8') as file:
        for line in file:
            words = line.split()
            if len(words) != WORDS or not all(word.isdigit()
                                              for word in words[1:]):
                raise StacksError('%s: "%s": a job, and a count before and '
                                  'after it' % (path, line.strip()))
            found[words[0]] = int(words[2]) - int(words[1])
    return found


def percentile_us(side, percent):
    """Return: a percentile of an operation's latency."""
    return side['clat_ns']['percentile']['%.6f' % percent] / 1000


def stack_of(scheduler, insns, jobs, few, many):
    """Return: the Stack of two JOBS of fio's, for FEW reads and for MANY:
    both are STACK.DEPTH.COUNT."""
    stack, depth, _ = many.split('.')
    counts = [int(name.split('.')[2]) for name in (few, many)]
    made = [jobs[name]['read']['total_ios'] for name in (few, many)]
    if made != counts or counts[0] >= counts[1]:
        raise StacksError('%s.%s: fio made %d reads, and %d, not %d and '
                          'more, %d' % (stack, depth, *made, *counts))
    side, speed = jobs[many]['read'], (None,) * 4
    if stack != OWN:
        speed = side['iops'], *(percentile_us(side, percent)
                                for percent in (50, 95, 99))
    return Stack(stack, '-' if scheduler == PAST else scheduler, int(depth),
                 (insns[many] - insns[few]) / (counts[1] - counts[0]), *speed)


def steps_of(results):
    """Return: the names of a run's steps, in its order."""
    with open(os.path.join(results, 'steps.tsv'), encoding='utf-8') as file:
        return [line.split('\t')[0] for line in file]


def stacks_of(results):
    """Return: the Stacks of a run, in its order."""
    found = []
    for scheduler in steps_of(results):
        path = os.path.join(results, scheduler)
        if not os.path.exists(path + '.tsv'):
            continue
        insns = insns_of(path + '.tsv')
        jobs = {job['jobname']: job
                for job in json_file.value_of(path + '.json')['jobs']}
        names = list(insns)
        found += [stack_of(scheduler, insns, jobs, few, many)
                  for few, many in zip(names[::2], names[1::2])]
    if not found:
        raise StacksError('%s: no stack' % results)
    return found


def beside_of(results):
    """Return: the Besides, reads beside writers under each scheduler, in the
    run's order."""
    found = []
    for step in steps_of(results):
        if step.startswith('beside-writers.'):
            jobs = json_file.value_of(os.path.join(
                results, step + '.fio.json'))['jobs']
            side = jobs[0]['read']
            found.append(Beside(
                step.split('.')[1], side['iops'],
                *(percentile_us(side, percent) for percent in (50, 95, 99)),
                side['clat_ns']['max'] / 1000,
                sum(job['write']['bw_bytes'] for job in jobs) / 2 ** 20))
    return found


def depths_of(stacks):
    """Return: {(stack, scheduler): {depth: Stack}}, in the run's order."""
    found = {}
    for one in stacks:
        found.setdefault((one.stack, one.scheduler), {})[one.depth] = one
    return found


def speeds(stacks):
    """Return: a text of the reads a second that each stack makes by its largest
    depth, under the first scheduler."""
    found = {}
    for (name, _), depths in depths_of(stacks).items():
        if name != OWN:
            found.setdefault(name, depths[max(depths)].iops)
    return 'reads/s by %d at a time: %s' % (
        max(one.depth for one in stacks),
        ', '.join('%s %.0f' % pair for pair in found.items()))


def summary(stacks, beside):
    """Return: what the last line says."""
    kinds = {one.stack for one in stacks} - {OWN}
    alone = {one.stack: one.insns_per_read for one in reversed(stacks)
             if one.depth == 1}
    named = ['%s %.0f' % (title, alone[name]) for name, title in (
        ('passthrough', 'io_uring passthrough'), ('psync', 'psync'))
             if name in alone]
    named[:1] = [text + ' instructions/read' for text in named[:1]]
    text = ', '.join(['%d stacks' % len(kinds)] + named)
    if beside:
        text += '; p99 of reads beside writers ' + ', '.join(
            '%s %.1f us' % (one.scheduler, one.p99_us) for one in beside)
    return text
