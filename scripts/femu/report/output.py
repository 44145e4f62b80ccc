# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the table, the report and the numbers of a run from the folder it left
behind.

Their bytes depend on that folder only. Whatever is missing or damaged
in it is told, and the rest is shown.

Knows nothing of how a run is started.
"""

import os
import sys

from femu.report import table, tails, work
from femu.report.page import Page
from femu.results import folder

FILE = 'report.html'


def make(out_dir, out=None, errors=None):
    """Prints the table of the run in OUT_DIR to OUT (standard output) and what
    is wrong with its files to ERRORS (standard error); writes OUT_DIR/FILE,
    all latencies to tails.FILE and what it cost to work.FILE.
    Return: the texts of what is wrong, [] if all is well."""
    out = out or sys.stdout
    errors = errors or sys.stderr
    run = folder.load(out_dir)
    plots = _plots(run)
    page = Page(run, plots).html()
    path = os.path.join(out_dir, FILE)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(page)
    numbers = os.path.join(out_dir, tails.FILE)
    with open(numbers, 'w', encoding='utf-8') as file:
        file.write(tails.csv_text(run))
    path_of_work = os.path.join(out_dir, work.FILE)
    with open(path_of_work, 'w', encoding='utf-8') as file:
        file.write(work.csv_text(run))
    print('\n'.join([''] + table.make(run) + [''] + table.make_tails(run)
                    + work.table(run)), file=out, flush=True)
    for problem in run.problems:
        print('report: ' + problem, file=errors)
    print('report: all numbers: %s' % os.path.relpath(numbers), file=out)
    print('report: %s' % os.path.relpath(path), file=out, flush=True)
    return run.problems


def _plots(run):
    """Return: the module that draws, None if this machine cannot draw."""
    try:
        from femu.report import plots  # pylint: disable=C0415
        return plots
    except ImportError as error:
        run.problems.append('the report has no pictures: %s; "scripts/deps '
                            'report" installs what is missing' % error)
        return None
