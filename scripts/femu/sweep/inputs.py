# SPDX-License-Identifier: GPL-2.0-or-later
"""The inputs of a point, down to the bytes of its files. Two points with the
same inputs have the same results, and so the same key.

Knows nothing of plans' files, and of how a point is run.
"""

import hashlib
import json
import os
import re
import subprocess

from femu.common.digest import sha256, simulator_hash
from femu.guest import machine, settings as settings_module


# A variable in a job: fio replaces it itself, for femu-sim it is done here.
VARIABLE = re.compile(r'\$\{([a-z][a-z0-9_]*)\}')
# What a job of femu-sim names another file by that it reads.
IOLOG = re.compile(r'^[ \t]*read_iolog[ \t]*=[ \t]*(.*\S)', re.M)


class InputsError(Exception):
    """A point that cannot be run; says why."""


def key_of(inputs):
    """Return: the name of the results of INPUTS."""
    text = json.dumps(inputs, sort_keys=True, separators=(',', ':'))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def text_hash(text):
    """Return: the SHA-256 of TEXT."""
    return hashlib.sha256(text.encode()).hexdigest()


def job_text(path, args):
    """Return: the text of the job PATH with its variables replaced by ARGS.
    Raises InputsError."""
    try:
        with open(path, encoding='utf-8') as file:
            return VARIABLE.sub(lambda match: args[match[1]], file.read())
    except UnicodeDecodeError:
        raise InputsError('%s: is no text in UTF-8' % path) from None


def drive_params(sim, config, changes):
    """Return: all parameters of a drive, checked, as text. Raises
    InputsError."""
    argv = [sim, 'params', '-c', config]
    for name, value in changes.items():
        argv += ['-s', '%s=%s' % (name, value)]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    if done.returncode:
        raise InputsError(done.stderr.strip() or
                          'femu-sim params: exit status %d' % done.returncode)
    return done.stdout


class Simulator:
    """Where = "simulator": what all points of a plan share."""

    def __init__(self, plan, sim):
        self.sim, self.config, self.job = sim, plan.config, plan.job
        self._drives = {}       # changes -> the drive: many points share one
        self.common = {'where': 'simulator', 'program': simulator_hash(sim),
                       'job': sha256(plan.job)}

    def of(self, point):
        """Return: the inputs of a Point. Raises InputsError."""
        logs = IOLOG.findall(job_text(self.job, point.args))
        try:
            # None, of a job without: its results of before are known.
            more = {'iologs': [sha256(path) for path in logs]} if logs else {}
        except OSError as error:
            raise InputsError('read_iolog=%s: %s' % (
                error.filename, error.strerror)) from None
        return {**self.common, **more, 'args': point.args,
                'drive': self._drive_of(tuple(point.set.items()))}

    def _drive_of(self, changes):
        if changes not in self._drives:
            self._drives[changes] = text_hash(drive_params(
                self.sim, self.config, dict(changes)))
        return self._drives[changes]


# Variables of scripts/run that are taken from the plan, not from the
# environment.
OF_THE_PLAN = ('ACCEL', 'APPEND', 'ARGS', 'CONFIG', 'CPUS', 'DILATION', 'DISK',
               'DRIVES', 'EXTRA', 'INSN_NS', 'IOTHREAD', 'JOB', 'MEM', 'OUT',
               'PACKAGES', 'SET', 'SPEED', 'STATE', 'TIME', 'TRACE')


def run_variables(plan, point):
    """Return: the variables with which scripts/run runs a Point."""
    return {**{name.upper().replace('-', '_'): value
               for name, value in point.guest.items()},
            'JOB': plan.job, 'CONFIG': plan.config, 'TRACE': '0',
            'SET': ' '.join('%s=%s' % one for one in point.set.items()),
            'ARGS': ' '.join('%s=%s' % one for one in point.args.items())}


def run_env(variables):
    """Return: the environment of scripts/run: VARIABLES, and from our own
    environment all that a plan does not set, such as QEMU and GUEST."""
    return {**{name: value for name, value in os.environ.items()
               if name not in OF_THE_PLAN}, **variables}


class Guest:
    """Where = "guest": in virtual time, where a run is repeatable."""

    def __init__(self, plan, sim):
        self.plan, self.sim = plan, sim
        self.hashes = {}

    def _hash(self, path):
        if path not in self.hashes:
            self.hashes[path] = sha256(path)
        return self.hashes[path]

    def of(self, point):
        """Return: the inputs of a Point. Raises InputsError."""
        variables = run_variables(self.plan, point)
        try:
            settings = settings_module.Settings(run_env(variables))
            guest = machine.Guest(settings)
            paths = {'qemu': settings.qemu()[0], 'kernel': guest.kernel,
                     'initrd': guest.initrd, 'root': guest.root,
                     'job': settings.job()}
        except (settings_module.SettingsError, machine.MachineError) as error:
            raise InputsError(str(error)) from None
        return {'where': 'guest',
                **{name: self._hash(path) for name, path in paths.items()},
                'asked': {name: value for name, value in variables.items()
                          if name not in ('JOB', 'CONFIG', 'SET')},
                'drive': text_hash(drive_params(self.sim, self.plan.config,
                                                point.set))}
