# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs points by Snakemake, and shows how far it is. Snakemake decides what
runs when and where; a point that fails does not stop the others.

Knows nothing of plans, and of what a point is.
"""

import os
import shlex
import shutil
import signal
import subprocess
import time

from femu.common import progress

SNAKEFILE = os.path.join(os.path.dirname(os.path.realpath(__file__)),
                         'Snakefile')
# The most points that an array job has: Slurm's MaxArraySize is 1001 unless a
# cluster sets another.
MOST_TASKS = 1000
LOOK_S = 0.5
LOG_S = 10


class EngineError(Exception):
    """Snakemake cannot be run, or ended without having run all."""


def marks_of(points_file):
    """Return: the folder of what Snakemake takes for the outputs of the points
    of POINTS_FILE: a mark for each that has ended well."""
    return os.path.join(os.path.dirname(points_file), '.snakemake', 'points')


def forget_marks(points_file):
    """Removes the marks of an earlier run: what is asked for now has no result,
    whatever became of that one's."""
    shutil.rmtree(marks_of(points_file), ignore_errors=True)


def argv(points_file, cores, more):
    """Return: the command line that runs the points of POINTS_FILE. MORE:
    arguments that choose another executor, as a shell splits them."""
    program = shutil.which('snakemake')
    if not program:
        raise EngineError('snakemake is missing: scripts/deps sweep')
    try:
        words = shlex.split(more)
    except ValueError as error:
        raise EngineError('SNAKEMAKE=%s: %s' % (more, error)) from None
    if not any(word.split('=')[0] in ('--cores', '-c', '--jobs', '-j',
                                      '--profile') for word in words):
        words += ['--cores', str(cores)]
    return [program, '--snakefile', SNAKEFILE, '--directory',
            os.path.dirname(points_file), '--keep-going', '--nolock',
            '--rerun-incomplete', '--rerun-triggers', 'mtime',
            *words, '--config', 'points=' + points_file]


def run(command, log_path, wanted, store):
    """Runs COMMAND, all that it says in LOG_PATH, until it ends. WANTED: keys
    of which STORE has no result when it begins."""
    line, started_s, said_s = progress.Line(), time.monotonic(), 0
    with open(log_path, 'w', encoding='utf-8') as log, subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.STDOUT, start_new_session=True) as process:
        try:
            while process.poll() is None:
                time.sleep(LOOK_S)
                now_s = time.monotonic()
                if line.terminal or now_s - said_s >= LOG_S:
                    said_s = now_s
                    line.put('sweep: ', how_far(wanted, store,
                                                now_s - started_s))
        except BaseException:
            _end(process)
            raise
        finally:
            line.clear()
    return process.returncode


def _end(process):
    """Ends Snakemake, which ends the jobs that it has started."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def how_far(wanted, store, elapsed_s):
    """Return: "5 of 24 points done, 1 failed, about 3 min left"."""
    done = sum(store.has(key) for key in wanted)
    failed = sum(store.failure(key) is not None for key in wanted)
    return '%d of %d points done%s%s' % (
        done, len(wanted), ', %d failed' % failed if failed else '',
        progress.left(done + failed, len(wanted), elapsed_s))


def tail(log_path, count=5):
    """Return: the last lines of a log."""
    with open(log_path, encoding='utf-8', errors='replace') as file:
        return ''.join(file.readlines()[-count:]).rstrip()


def write_slurm_array(path, points_file, count, program):
    """Writes the same points as an array job for Slurm, as plain text. Of more
    points than an array may have tasks, each task runs several."""
    tasks = min(count, MOST_TASKS)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(
            '#!/bin/sh\n'
            '#SBATCH --job-name=femu-sweep\n'
            '#SBATCH --array=0-%d\n'
            '#SBATCH --ntasks=1\n'
            '#SBATCH --cpus-per-task=1\n'
            '# "sbatch %s", then "make sweep" again, which collects.\n'
            'point=$SLURM_ARRAY_TASK_ID status=0\n'
            'while [ "$point" -lt %d ]; do\n'
            '    %s %s "$point" || status=1\n'
            '    point=$((point + %d))\n'
            'done\n'
            'exit $status\n' % (
                tasks - 1, os.path.basename(path), count, shlex.quote(program),
                shlex.quote(points_file), tasks))
