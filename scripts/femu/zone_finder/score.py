# SPDX-License-Identifier: GPL-2.0-or-later
"""What a zone-finder found beside the drive's own map, in pairs of zones that
share a unit; and what a placement gained by it.

Knows nothing of drives.
"""

import collections
import itertools
import subprocess

from femu.common import json_file

# Pairs: found and true, found, true; and how many there are in all.
Score = collections.namedtuple('Score', 'hits found true pairs')


class ScoreError(Exception):
    """There is nothing to compare."""


def true_pairs(sim, config, changes, count):
    """Return: the pairs of the first COUNT zones that share a unit, as the
    simulator SIM says it of the drive."""
    argv = [sim, 'map', '--csv', '--config', config]
    for change in changes.split():
        argv += ['--set', change]
    done = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=False)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or lines[:1] != ['zone,units']:
        raise ScoreError('%s failed' % ' '.join(argv))
    units = [set(line.split(',')[1].split()) for line in lines[1:count + 1]]
    return {(a, b) for a, b in itertools.combinations(range(count), 2)
            if units[a] & units[b]}


def found_pairs(path):
    """Return: the pairs in what zone-finder printed."""
    return {tuple(sorted(pair)) for pair in json_file.value_of(path)['pairs']}


def score(found, true, count):
    """Return: the Score of pairs that were FOUND among COUNT zones."""
    return Score(len(found & true), len(found), len(true),
                 count * (count - 1) // 2)


def total(scores):
    """Return: the sum of several."""
    return Score(*(sum(column) for column in zip(*scores)))


def precision_pct(one):
    """Return: the share of what was found that is true."""
    return 100 * one.hits / one.found if one.found else 100.0


def recall_pct(one):
    """Return: the share of what is true that was found."""
    return 100 * one.hits / one.true if one.true else 100.0


def side_of(path):
    """Return: (bytes that were written in a second, 99th percentile of reads in
    us) of a step's jobs."""
    jobs = json_file.value_of(path)['jobs']
    reads = [job['read']['clat_ns']['percentile']['99.000000'] for job in jobs
             if job['read']['total_ios']]
    if not reads:
        raise ScoreError('%s: no reads' % path)
    return sum(job['write']['bw_bytes'] for job in jobs), max(reads) / 1000
