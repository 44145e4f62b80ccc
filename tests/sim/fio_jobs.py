# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of femu-sim's jobs have in common: femu-sim fio on tiny.cfg,
its tables as numbers, and what tiny.cfg's drive takes for a command.

Knows nothing of what is tested.
"""

import csv
import io
import pathlib
import subprocess
import sys
import tempfile

from tap import Tap

TOP = pathlib.Path(__file__).resolve().parents[2]
TINY = str(TOP / 'configs/tiny.cfg')

# Of tiny.cfg: 16 zones of 4 MiB, 3 MiB written, on 2 channels x 2 dies.
PAGE = 16384
CAPACITY, ZONE = 3 << 20, 4 << 20
PAGES = CAPACITY // PAGE
TRANSFER, PROGRAM, READ, ERASE = 25000, 700000, 60000, 3500000
WRITE = TRANSFER + PROGRAM
S, MS = 1000000000, 1000000


class Sim:
    """Runs femu-sim fio."""

    def __init__(self, path):
        self.path = path

    def call(self, *args):
        return subprocess.run([self.path, 'fio', '-c', TINY, *map(str, args)],
                              timeout=120, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)

    def good(self, *args):
        done = self.call(*args)
        if done.returncode != 0 or done.stderr:
            raise RuntimeError(f'femu-sim fio {args}: {done.returncode}: '
                               f'{done.stderr}')
        return done.stdout

    def rows(self, *args):
        """Return: the CSV's rows by (job, operation), numbers as such."""
        text = self.good(*args, '--output-format=csv')
        return {(row.pop('job'), row.pop('op')):
                {name: int(value) for name, value in row.items()}
                for row in csv.DictReader(io.StringIO(text))}

    def ops(self, folder, *args):
        """Return: the operations of --log, in order of their ends."""
        path = folder / 'ops.csv'
        self.good(*args, f'--log={path}')
        with open(path, encoding='ascii') as file:
            return [{name: value if name in ('job', 'op') else int(value)
                     for name, value in row.items()}
                    for row in csv.DictReader(file)]


def job(name, **options):
    """A job's arguments; an underscore at the end of a name is dropped."""
    return [f'--name={name}'] + [f'--{key.rstrip("_")}={value}'
                                 for key, value in options.items()]


def run_tests(usage, *tests):
    """Runs TESTS, each given a Tap, a Sim of the command line's femu-sim and a
    folder."""
    if len(sys.argv) != 2:
        sys.exit(usage)
    sim, tap = Sim(sys.argv[1]), Tap()
    with tempfile.TemporaryDirectory() as name:
        for test in tests:
            test(tap, sim, pathlib.Path(name))
    tap.end()
