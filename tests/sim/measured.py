# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of measured drives have in common: files of points that they
make and read, and that they need what draws pictures.

Knows nothing of what is tested.
"""

import csv
import importlib.util
import pathlib
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / 'scripts'))
sys.dont_write_bytecode = True

from femu.common.csv_file import rows_of  # noqa: E402,F401  pylint: disable=C0413
from tap import Tap  # noqa: E402  pylint: disable=C0413

FIELDS = ('id', 'part', 'fg_op', 'bs_bytes', 'lba_bytes', 'qd', 'zones',
          'bg_op', 'bg_bs_bytes', 'bg_intensity_pct', 'bg_rate_mibps',
          'occupancy_pct', 'finished', 'metric', 'value', 'source')


def write_points(path, experiments):
    """EXPERIMENTS: (fields, {metric: value})..."""
    with open(path, 'w', encoding='ascii', newline='') as file:
        more = {name: 0 for fields, _ in experiments for name in fields
                if name not in FIELDS}
        writer = csv.DictWriter(file, FIELDS + tuple(more), restval='')
        writer.writeheader()
        for number, (fields, metrics) in enumerate(experiments):
            for metric, value in metrics.items():
                writer.writerow(dict(fields, id=f'point-{number}',
                                     metric=metric, value=value))


def run_tests(usage, *tests):
    """Runs TESTS, each given a Tap, femu-sim's path from the command line and
    an empty folder."""
    if len(sys.argv) != 2:
        sys.exit(usage)
    sim, tap = pathlib.Path(sys.argv[1]).resolve(), Tap()
    if not importlib.util.find_spec('matplotlib'):
        print('1..0 # SKIP no matplotlib here')
        return
    with tempfile.TemporaryDirectory() as name:
        for test in tests:
            test(tap, sim, pathlib.Path(name))
    tap.end()
