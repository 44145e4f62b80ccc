# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs one point, in the simulator or in a guest.

Knows nothing of plans, of other points, and of where results are kept.
"""

import json
import os
import subprocess

from femu.common.json_file import DataError
from femu.common.paths import TOP
from femu.results import rows
from femu.sweep import inputs

TIMEOUT_S = 24 * 3600


class PointError(Exception):
    """A point without a result; says why."""


def run(how, sim, folder):
    """Runs the point that HOW describes (plan.Point's members, and config, job,
    where; folder: what names of files begin at), with FOLDER as its own. Return:
    its rows. Raises PointError."""
    made = _simulate(how, sim, folder) if how['where'] == 'simulator' \
        else _run_guest(how, folder)
    if not made:
        raise PointError('it measured nothing')
    return made


def _ended_well(argv, env, log, folder=None):
    """Run ARGV in FOLDER, with all that it prints in the file LOG. Return:
    whether its status was 0."""
    with open(log, 'w', encoding='utf-8') as file, subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=file,
            stderr=subprocess.STDOUT, env=env, cwd=folder) as process:
        try:
            return process.wait(timeout=TIMEOUT_S) == 0
        except BaseException:
            # A run ends its QEMU then.
            process.terminate()
            process.wait()
            raise


def _last_line(log):
    with open(log, encoding='utf-8', errors='replace') as file:
        lines = [line.strip() for line in file if line.strip()]
    return lines[-1] if lines else 'it said nothing'


def _why(log):
    """Return: why a program failed, all of whose words are in the file LOG."""
    with open(log, 'rb') as file:
        data = file.read()
    if data and not data.endswith(b'\n'):
        return 'what it said was cut short: is there room in %s?' % (
            os.path.dirname(os.path.dirname(log)))
    return _last_line(log)


def _simulate(how, sim, folder):
    job = os.path.join(folder, os.path.basename(how['job']))
    text = inputs.job_text(how['job'], how['args'])
    with open(job, 'w', encoding='utf-8') as file:
        file.write(text)
    argv = [sim, 'fio', '-c', how['config'], '--output-format=json']
    for name, value in how['set'].items():
        argv += ['-s', '%s=%s' % (name, value)]
    log = os.path.join(folder, 'fio.json')
    if not _ended_well(argv + [job], None, log, how['folder']):
        # The copy of the job that it names goes with the folder.
        raise PointError(_why(log).replace(job, how['job']))
    with open(log, encoding='utf-8') as file:
        try:
            return rows.of_fio(json.load(file))
        except (ValueError, KeyError, TypeError):
            raise PointError('prints no results but "%.80s"'
                             % _last_line(log)) from None


def _run_guest(how, folder):
    out = os.path.join(folder, 'run')
    log = os.path.join(folder, 'run.txt')
    variables = {**how['variables'], 'OUT': out}
    if not _ended_well([os.path.join(TOP, 'scripts', 'run')],
                       inputs.run_env(variables), log):
        raise PointError(_why(log))
    try:
        return rows.of_run(out)
    except DataError as error:
        raise PointError(str(error)) from None
