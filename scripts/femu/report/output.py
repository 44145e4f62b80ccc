# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the table, the report and the numbers of a run from the folder it left
behind.

Their bytes depend on that folder only. Whatever is missing or damaged
in it is told, and the rest is shown.

Knows nothing of how a run is started.
"""

import os
import sys

from femu.common import os_errors
from femu.report import table, tails, work
from femu.report.page import Page
from femu.results import folder

FILE = 'report.html'


def make(out_dir, out=None, errors=None):
    """Prints the table of the run in OUT_DIR to OUT (standard output) and what
    is wrong with its files to ERRORS (standard error); writes OUT_DIR/FILE,
    all latencies to tails.FILE and what it cost to work.FILE; of several drives
    those of each to its folder, too.
    Return: the texts of what is wrong, [] if all is well."""
    out = out or sys.stdout
    errors = errors or sys.stderr
    run = folder.load(out_dir)
    plots = _plots(run)
    page = Page(run, plots).html()
    path = os.path.join(out_dir, FILE)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(page)
    numbers = _write_numbers(run, out_dir)
    for one in run.drives:
        _write_numbers(one, os.path.join(out_dir, one.drive['folder'].text()))
    lines = table.make(run) + [''] + table.make_tails(run) + work.table(run) + [
        line for one in run.drives for line in table.make_of_drive(one)]
    with os_errors.at('standard output'):
        print('\n'.join([''] + lines), file=out, flush=True)
        for problem in run.problems:
            print('report: ' + problem, file=errors)
        print('report: all numbers: %s' % os.path.relpath(numbers), file=out)
        print('report: %s' % os.path.relpath(path), file=out, flush=True)
    return run.problems


def _write_numbers(run, folder_of_run):
    """Writes the CSV files of RUN, or of one of its drives. Return: the path of
    that with the latencies."""
    for name, text in ((tails.FILE, tails.csv_text(run)),
                       (work.FILE, work.csv_text(run))):
        with open(os.path.join(folder_of_run, name), 'w',
                  encoding='utf-8') as file:
            file.write(text)
    return os.path.join(folder_of_run, tails.FILE)


def _plots(run):
    """Return: the module that draws, None if this machine cannot draw."""
    try:
        from femu.report import plots  # pylint: disable=C0415
        return plots
    except ImportError as error:
        run.problems.append('the report has no pictures: %s; "scripts/deps '
                            'report" installs what is missing' % error)
        return None
