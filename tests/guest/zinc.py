# SPDX-License-Identifier: GPL-2.0-or-later
"""The I/O scheduler ZINC (guest/zinc) in the guest's kernel.

Knows nothing of how it is built: it calls the scripts as a user does.
"""

import os
import re
import subprocess

from common import TOP, environment, job, read_csv, read_json, run

MODULE = os.path.join(TOP, 'build-guest', 'zinc')
EPOCH_MS = 5
# What the guest's software may take of an operation, beside the drive.
SOFTWARE_MS = 0.4
# Lines of the kernel's log that no scheduler should cause.
BAD = re.compile(r'WARNING|BUG|Oops|Call Trace|I/O error|hung task')


def text_of(out, name):
    """Return: what the job left in results/NAME."""
    with open(os.path.join(out, 'results', name), encoding='utf-8') as file:
        return file.read()


def held_ms(out, step):
    """Return: how long the scheduler held the one reset of STEP, in ms: what
    the program waited for beyond the drive's own time."""
    seen = read_json(out, 'results', step + '.zone.json')
    device = [float(row['mean_ns']) for row in read_csv(out, 'latencies.csv')
              if row['step'] == step and row['by'] == 'device' and
              row['operation'] == 'reset']
    return (seen['zones'][0]['latency_ns'] - device[0]) / 1e6


def resets(out):
    """Return: [(submitted, done)] of the trace's resets, in ns."""
    found, done = {}, {}
    with open(os.path.join(out, 'trace.csv'), encoding='ascii') as file:
        for line in file:
            words = line.strip().split(',')
            if words[0] == 'S' and words[3] == 'reset':
                found[words[1]] = int(words[2])
            elif words[0] == 'C' and words[1] in found:
                done[words[1]] = int(words[2])
    return [(found[seq], done[seq]) for seq in found]


def test_rules(tap, out):
    """Which resets were held, and for how long."""
    for step, epochs, why in (
            ('alone', 0, 'there is no I/O'),
            ('holds', 3, 'no tokens: three epochs'),
            ('tokens', 1, 'enough I/O has ended: one epoch'),
            ('quiet', 0, 'less I/O than the threshold'),
            ('deadline', 0, 'mq-deadline knows no management')):
        ms = held_ms(out, step)
        tap.result(0 <= ms - epochs * EPOCH_MS < SOFTWARE_MS,
                   'zinc: a reset is held for %d ms: %s'
                   % (epochs * EPOCH_MS, why), '%.3f ms' % ms)
    tap.same(text_of(out, 'went.out'), 'quiet 2 tokens 1 holds 3\n',
             'zinc: it says why it let each go')
    *_, one, other, _ = resets(out)
    tap.result(one[1] + (EPOCH_MS - SOFTWARE_MS) * 1e6 < other[0],
               'zinc: two resets go one at a time, an epoch apart',
               '%r %r' % (one, other))


def test_zinc(tap):
    """The scheduler ZINC: which resets it holds back, and for how long."""
    done = subprocess.run([os.path.join(TOP, 'scripts', 'build-zinc')],
                          cwd=TOP, env=environment({}), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    tap.result(done.returncode == 0, 'zinc: the module is built', done.stdout)
    if done.returncode:
        return
    out, status, text = run('zinc', JOB=job('zinc.sh'), EXTRA=MODULE)
    tap.result(status == 0, 'zinc: the job ran', text)
    if status:
        return
    tap.same(text_of(out, 'defaults.out').split(),
             ['none', 'mq-deadline', '[zinc]', '3', '64000', '3', '20000'],
             'zinc: it can be chosen, and begins with the values of the paper')
    tap.same([line.rpartition(': ')[2]
              for line in text_of(out, 'wrong.out').splitlines()],
             ['Numerical result out of range'] * 2 + ['Invalid argument'] * 2,
             'zinc: what is no setting is refused')
    test_rules(tap, out)
    wrong = [line for line in text_of(out, 'dmesg.out').splitlines()
             if BAD.search(line)]
    tap.same(wrong, [], 'zinc: the kernel complains of nothing')


GROUPS = {'zinc': test_zinc}
