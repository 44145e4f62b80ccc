# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs with FROM=, which go on from one state: what one measures that has been
loaded is what the one measures that was saved and went on.

Knows nothing of how a machine is saved.
"""

import os

from common import config, folder, job, read_json, run

CONFIG = config('zn540-small.cfg')
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


GROUPS = {'forks': test_forks}
