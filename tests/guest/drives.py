# SPDX-License-Identifier: GPL-2.0-or-later
"""Several drives in one guest: each with its name, trace, statistics and tables.

Knows nothing of how a run is done: it calls the scripts as a user does.
"""

import os
import subprocess

from common import SIM, config, job, read_csv, read_json, run

CONFIGS = ('tiny', 'confznspp', 'tiny', 'zn540', 'tiny')
NAMES = ['zns%d' % n for n in range(len(CONFIGS))]


def replayed(path):
    """Return: the last line of femu-sim replay."""
    done = subprocess.run([SIM, 'replay', path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout.strip().splitlines()[-1]


def counts(out, name, step):
    """Return: {operation: commands} that the drive NAME counted in STEP."""
    rows = read_csv(out, name, 'latencies.csv')
    return {row['operation']: int(row['commands']) for row in rows
            if row['step'] == step and row['by'] == 'device'}


def test_drives(tap):
    """Five drives of three kinds: their names, traces, statistics, tables."""
    out, status, text = run(
        'drives', JOB=job('drives.sh'),
        CONFIG=','.join(config(name + '.cfg') for name in CONFIGS))
    tap.result(status == 0, 'drives: the job ran', text)
    if status != 0:
        return
    with open(os.path.join(out, 'results', 'one-each.out'),
              encoding='ascii') as file:
        tap.same(file.read().split(), NAMES,
                 'drives: /dev/nvmeNn1 is drive znsN')
    meta = read_json(out, 'meta.json')
    tap.same([(one['name'], one['device'], one['folder'],
               os.path.basename(one['file'])) for one in meta['drives']],
             [(name, '/dev/nvme%dn1' % n, name, CONFIGS[n] + '.cfg')
              for n, name in enumerate(NAMES)],
             'drives: meta.json has each')
    said = [replayed(os.path.join(out, name, 'trace.csv')) for name in NAMES]
    tap.result(all(line.endswith(' 0 differences') for line in said),
               'drives: each trace is replayed to the nanosecond',
               '\n'.join(said))
    tap.same([counts(out, name, 'fourth') for name in NAMES],
             [{}, {}, {}, {'write': 50}, {}],
             'drives: what only the fourth did, only the fourth has')
    tap.same([counts(out, name, 'read') for name in NAMES],
             [{'read': 40}] * len(NAMES), 'drives: each has its own reads')
    rows = [row for row in read_csv(out, 'latencies.csv')
            if row['step'] == 'read' and row['job'] == ''
            and row['by'] == 'device']
    tap.same([int(row['commands']) for row in rows], [40 * len(NAMES)],
             'drives: together they have all')
    tap.result(all('\n%s, /dev/nvme%dn1, %s\n' % (name, n, CONFIGS[n]) in text
                   for n, name in enumerate(NAMES)),
               'drives: a table of each', text)


GROUPS = {'drives': test_drives}
