# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs with FROM=, which go on from one state: what one measures that has been
loaded is what the one measures that was saved and went on. And a machine that
moves from QEMU to QEMU under load: it measures what one does that never stops.

Knows nothing of how a machine is saved.
"""

import collections
import json
import os

from common import HERE, config, folder, job, read_json, run

CONFIG = config('zn540-small.cfg')
# How often moves.sh asks to be stopped, and what is inside then at least: fio may
# just be about to send its next reads.
STOPS = 4
LEAST = {'finish': 1, 'read': 1, 'write': 1}
# What differs between runs: paths, and times of the host.
OF_THE_HOST = ('command.txt', 'meta.json', 'report.html', 'qemu.txt')


def files_of(out, but=()):
    """Return: {name: bytes} of what is in a run's folder, BUT these."""
    found = {}
    for top, _, names in os.walk(out):
        for name in names:
            path = os.path.join(top, name)
            if name not in (*OF_THE_HOST, *but):
                with open(path, 'rb') as file:
                    found[os.path.relpath(path, out)] = file.read()
    return found


def same_files(tap, name, wanted, got):
    """The same files, byte for byte: trace, statistics, what fio says."""
    tap.same(sorted(got), sorted(wanted), name + ': the same files')
    tap.same([one for one in wanted if got.get(one) != wanted[one]], [],
             name + ': the same bytes in all of them')


def forked(tap, name, states, **variables):
    """A run from the preparation of forks.sh. Return: (its folder, whether the
    state was there)."""
    out, status, text = run(name, CONFIG=CONFIG, FROM=job('forks.sh'),
                            STATES=states, **variables)
    tap.result(status == 0, '%s: it runs' % name, text)
    return out, status == 0 and read_json(out, 'meta.json')['from']['was_there']


def test_forks(tap):
    """Runs from one preparation: the first makes the state and goes on."""
    states = folder('forks-states')
    first, was_there = forked(tap, 'forks-first', states)
    tap.same(was_there, False, 'forks: the first prepares')
    second, was_there = forked(tap, 'forks-second', states)
    tap.same(was_there, True, 'forks: the second does not')
    # The guest's words before the state are not said again.
    same_files(tap, 'forks', files_of(first, ('guest.txt',)),
               files_of(second, ('guest.txt',)))
    third, was_there = forked(tap, 'forks-other', states,
                              JOB=job('forks-other.sh'), ARGS='count=300')
    tap.same(was_there, True, 'forks: another job goes on from there')
    tap.same([step['name'] for step in read_json(third, 'meta.json')['steps']],
             ['read-qd4'], 'forks: it has its own steps')
    out, status, text = run('forks-of-a-run', FROM=second, STATES=states,
                            SET='channels=2')
    tap.same((status, os.path.exists(out)), (1, False),
             'forks: another drive is refused')
    tap.result('SET=channels=2' in text.splitlines()[-1],
               'forks: it says so', text)
    fourth, status, text = run('forks-of-a-run', FROM=third, STATES=states)
    tap.result(status == 0, 'forks: from a run that was itself from a state',
               text)
    if status == 0:
        same_files(tap, 'forks: it', files_of(third), files_of(fourth))


def stops_of(scratch):
    """Return: what the drive said at each stop."""
    with open(os.path.join(scratch, 'stops'), encoding='ascii') as file:
        return [json.loads(line) for line in file]


def inside_at(trace, now_ns):
    """Return: how many commands of each operation were inside then."""
    ops = {}
    for line in trace.decode().splitlines():
        kind, *fields = line.split(',')
        if kind == 'S' and int(fields[1]) <= now_ns and fields[-1] == '0':
            ops[fields[0]] = fields[2]
        elif kind == 'C' and int(fields[1]) <= now_ns:
            del ops[fields[0]]
    return collections.Counter(ops.values())


def check_stops(tap, stops, trace):
    """A finish, reads, writes were inside and flash at work at each of them."""
    tap.same(len(stops), STOPS, 'moves: it moved %d times' % STOPS)
    for number, stop in enumerate(stops, 1):
        inside = inside_at(trace, stop['now_ns'])
        busy = len(stop['units']) - stop['units'].count('.')
        text = 'at %d ns %s; %d units at work' % (
            stop['now_ns'], ', '.join('%d %s' % (inside[op], op)
                                      for op in sorted(inside)), busy)
        print('# move %d: %s' % (number, text))
        tap.result(inside.total() == stop['inside'] and busy > 0 and
                   all(inside[op] >= least for op, least in LEAST.items()),
                   'moves: move %d was in the midst of it' % number, text)


def test_moves(tap):
    """A machine that moves four times under load, and one that never stops."""
    scratch = folder('moves-scratch')
    os.makedirs(scratch)
    variables = {'CONFIG': CONFIG, 'JOB': job('moves.sh'), 'DILATION': '10'}
    stays, has_stayed, text = run('moves-stays', **variables)
    tap.result(has_stayed == 0, 'moves: it runs where nobody stops it', text)
    moves, has_moved, text = run('moves', FEMU_SCRATCH=scratch,
                                 QEMU=os.path.join(HERE, 'qemu-moves'),
                                 **variables)
    tap.result(has_moved == 0, 'moves: it runs where it moves', text)
    if has_stayed or has_moved:
        return
    left = files_of(moves)
    check_stops(tap, stops_of(scratch), left['trace.csv'])
    same_files(tap, 'moves', files_of(stays), left)


GROUPS = {'forks': test_forks, 'moves': test_moves}
