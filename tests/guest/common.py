# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the guest have in common: TAP, and runs of scripts/run in
folders of their own.

Knows nothing of what is tested.
"""

import os
import re
import shutil
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.realpath(__file__))))
HERE = os.path.join(TOP, 'tests', 'guest')
sys.path.insert(1, os.path.join(TOP, 'scripts'))
sys.dont_write_bytecode = True

from femu.common.csv_file import rows_of  # noqa: E402  pylint: disable=C0413
from femu.common.json_file import value_of  # noqa: E402  pylint: disable=C0413

OUT = os.path.join(TOP, 'out', 'test', 'guest')
RUN = os.path.join(TOP, 'scripts', 'run')
SIM = os.path.join(TOP, 'build-core', 'tools', 'femu-sim')
RUN_LIMIT_S = 900
# Of all tests: half a minute makes a guest with packages, and one is enough.
PACKAGES = 'dmsetup mdadm rocksdb-tools'

# What scripts/run reads: none of it may come from the tester's environment.
OWN_VARIABLES = ['JOB', 'CONFIG', 'SET', 'TIME', 'TRACE', 'DILATION',
                 'INSN_NS', 'EXTRA', 'KERNEL', 'INITRD', 'DISK', 'APPEND',
                 'MEM', 'CPUS', 'OUT', 'RESULTS_MIB', 'BOOT', 'STALL', 'HOST',
                 'QEMU', 'ONLY', 'POINTS', 'GUEST', 'ARGS', 'PACKAGES',
                 'STATE', 'LIVE', 'FROM', 'STATES', 'STATES_MIB', 'JOURNAL',
                 'CHECK', 'CUTS', 'CUT', 'RUN', 'SEED', 'WORKERS', 'CHECK_S',
                 'SPEED', 'DRIVES', 'IOTHREAD', 'PLACE', 'WRITERS',
                 'RUNTIME', 'ACCEL', 'INSNS']


class Tap:
    """Prints test results, numbered."""

    def __init__(self):
        self.count = 0
        self.failed = 0
        self.skipped = 0

    def result(self, passed, name, detail=''):
        """One test; DETAIL is shown if it failed."""
        self.failed += not passed
        self._line(passed, name)
        if not passed:
            for line in detail.splitlines():
                print('# ' + line)
        sys.stdout.flush()

    def skip(self, name, reason):
        """A test that cannot run."""
        self.skipped += 1
        self._line(True, '%s # SKIP %s' % (name, reason))

    def todo(self, name, reason):
        """A test that failed, as was expected."""
        self.skipped += 1
        self._line(False, '%s # TODO %s' % (name, reason))

    def _line(self, passed, text):
        self.count += 1
        print('%sok %d - %s' % ('' if passed else 'not ', self.count, text),
              flush=True)

    def same(self, got, wanted, name):
        """Passes if GOT is WANTED."""
        self.result(got == wanted, name,
                    'got    %r\nwanted %r' % (got, wanted))

    def include(self, path):
        """Takes over the results in a guest's TAP file."""
        with open(path, encoding='utf-8', errors='replace') as file:
            lines = file.read().splitlines()
        if not lines or not lines[-1].startswith('1..'):
            self.result(False, 'the tests in the guest ran to their end',
                        '\n'.join(lines[-20:]))
        name, passed, detail = None, True, []
        for line in lines + ['1..']:
            match = re.match(r'(not )?ok \d+ - (.*)|1\.\.', line)
            if not match:
                detail.append(line[2:])
                continue
            if name is not None:
                self.result(passed, name, '\n'.join(detail))
            name, passed, detail = match[2], not match[1], []


def folder(name):
    """Return: a new folder's path below OUT; nothing is there yet."""
    path = os.path.join(OUT, name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(OUT, exist_ok=True)
    return path


def environment(variables):
    """Return: ours, with scripts/run's VARIABLES and no others of its own."""
    env = {name: value for name, value in os.environ.items()
           if name not in OWN_VARIABLES}
    return {**env, **variables}


def run(name, **variables):
    """Runs a job into out/test/guest/NAME. Return: (its folder, its exit
    status, what it printed)."""
    out = folder(name)
    result = subprocess.run([RUN], env=environment({**variables, 'OUT': out}),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, cwd=TOP,
                            timeout=RUN_LIMIT_S, check=False)
    return out, result.returncode, result.stdout


def job(name):
    return os.path.join(HERE, 'jobs', name)


def config(name):
    return os.path.join(TOP, 'configs', name)


def read_csv(*parts):
    return rows_of(os.path.join(*parts))


def read_json(*parts):
    return value_of(os.path.join(*parts))


def wait_for(condition, limit_s):
    """Return: what CONDITION returned when it was true, else None."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    return None
