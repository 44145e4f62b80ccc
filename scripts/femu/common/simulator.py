# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs many simulations in parallel, one on each processor, and reads what they
print.

Knows nothing of what is simulated.
"""

import concurrent.futures
import json
import os
import subprocess
import sys

from femu.common import processors, progress, states

TIMEOUT_S = 1200


class SimError(Exception):
    """A simulation failed; says which and why."""


# Errors that run_all() returns in the place of a result, and errors that
# reading a malformed result raises.
FAILURES = (SimError, OSError, subprocess.TimeoutExpired, ValueError)


def job(name, **options):
    """Return: the arguments of a job of femu-sim fio."""
    return ['--name=%s' % name] + ['--%s=%s' % (key.rstrip('_'), value)
                                   for key, value in options.items()]


class Results(dict):
    """{job name: its members in fio's JSON}, and the drive's own statistics."""

    def __init__(self, made):
        super().__init__((one['jobname'], one) for one in made['jobs'])
        self.drive = made['drive']
        for one in self.values():
            one['femu']['ops'].keys()

    def __missing__(self, name):
        raise SimError('its results have no job "%s"' % name)


class Run:
    """One simulation: a drive, changes to it, options and jobs."""

    def __init__(self, config, settings, args):
        self.config = config
        self.settings = dict(settings)
        self.args = list(args)

    def argv(self, sim, folder=None):
        """Return: the command line; what is filled is in FOLDER, if any."""
        argv = [sim, 'fio', '-c', self.config, '--output-format=json']
        if folder and any(arg.startswith('--prefill') for arg in self.args):
            argv += ['--states=' + folder]
        for name, value in self.settings.items():
            argv += ['-s', '%s=%s' % (name, value)]
        return argv + self.args

    def result(self, sim, folder=None):
        """Run it. Return: its Results, the same with a FOLDER for states and
        without."""
        argv = self.argv(sim, folder)
        done = subprocess.run(argv, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, errors='replace', timeout=TIMEOUT_S,
                              check=False)
        if done.returncode != 0:
            raise SimError('%s: %s' % (' '.join(argv),
                                       done.stderr.strip() or
                                       'exit status %d' % done.returncode))
        try:
            return Results(json.loads(done.stdout))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise SimError('%s: prints no results but "%.80s"' % (
                ' '.join(argv),
                ' '.join(done.stdout.split()))) from None


class Op:
    """What was measured of one operation of a job, from fio's JSON."""

    def __init__(self, members, name):
        made = members['femu']['ops'].get(name)
        self.count = made['total_ios'] if made else 0
        self.iops = made['iops'] if made else 0.0
        self.bytes_per_s = made['bw_bytes'] if made else 0.0
        self.mean_us = made['lat_ns']['mean'] / 1000 if made else None
        self.max_us = made['lat_ns']['max'] / 1000 if made else None
        self.percentiles_us = {
            float(key): value / 1000
            for key, value in made['lat_ns'].get('percentile', {}).items()
        } if made else {}

    def percentile_us(self, percent):
        """Return: a percentile of the latencies, or None when nothing was
        measured."""
        return self.percentiles_us.get(percent)


def fio_bucket_us(value_us):
    """Return: what fio prints for a percentile that lies at value_us: the
    middle of a bucket of its histogram, 64 to the octave."""
    value = int(value_us * 1000)
    shift = max(0, value.bit_length() - 7)
    if shift == 0:
        return value / 1000
    return (((value >> shift) << shift) + (1 << shift) / 2) / 1000


def used_of(cache):
    """Return: {name: when it was used last} of the drives in the cache."""
    return {state.name: state.used_s for state in cache.all()
            if state.is_simulated}


def tell_spared(label, cache, before):
    """Says what the drives spared that were there BEFORE and have been loaded,
    each counted once."""
    now = [state for state in cache.all()
           if state.used_s > before.get(state.name, state.used_s)]
    if now:
        print('%s: %d drives had been filled before: %.1f s of filling, or '
              'more, were spared' % (label, len(now), sum(
                  state.meta['prepared_s'] for state in now)), file=sys.stderr)


def run_all(label, sim, runs, tells=False):
    """Runs Run objects; drives that have been filled are kept in the cache of
    states. Return: their results in order; an exception stands in the place of
    a run that failed. TELLS: says on standard error what the states spared, or
    that there are none."""
    count = progress.Count(label, len(runs))
    cache = states.Cache(os.environ)
    folder = cache.folder if cache.limit_bytes else None
    if folder and not cache.can_keep():
        if tells:
            print('%s: nothing can be written to %s: each drive is filled anew;'
                  ' STATES= names another folder' % (label, folder),
                  file=sys.stderr)
        folder = None
    before = used_of(cache) if folder and tells else {}

    def one(run):
        try:
            return run.result(sim, folder)
        except FAILURES as error:
            return error
        finally:
            count.step()

    with concurrent.futures.ThreadPoolExecutor(processors.count()) as pool:
        results = list(pool.map(one, runs))
    count.end()
    if before:
        tell_spared(label, cache, before)
    if folder:
        cache.shrink()
    return results
