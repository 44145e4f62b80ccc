# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the table, the report and the numbers of a run from the folder it left
behind.

Their bytes depend on that folder only. Whatever is missing or damaged
in it is told, and the rest is shown.

Knows nothing of how a run is started.
"""

import os
import sys

from femu import (report_page, report_run, report_table, report_tails,
                  report_work)

FILE = 'report.html'


def make(out_dir, out=None, errors=None):
    """Prints the table of the run in OUT_DIR to OUT (standard output) and what
    is wrong with its files to ERRORS (standard error); writes OUT_DIR/FILE,
    all latencies to report_tails.FILE and what it cost to report_work.FILE.
    Return: the texts of what is wrong, [] if all is well."""
    out = out or sys.stdout
    errors = errors or sys.stderr
    run = report_run.load(out_dir)
    plots = _plots(run)
    page = report_page.Page(run, plots).html()
    path = os.path.join(out_dir, FILE)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(page)
    numbers = os.path.join(out_dir, report_tails.FILE)
    with open(numbers, 'w', encoding='utf-8') as file:
        file.write(report_tails.csv_text(run))
    work = os.path.join(out_dir, report_work.FILE)
    with open(work, 'w', encoding='utf-8') as file:
        file.write(report_work.csv_text(run))
    print('\n'.join([''] + report_table.make(run) + ['']
                    + report_table.make_tails(run) + report_work.table(run)),
          file=out, flush=True)
    for problem in run.problems:
        print('report: ' + problem, file=errors)
    print('report: all numbers: %s' % os.path.relpath(numbers), file=out)
    print('report: %s' % os.path.relpath(path), file=out, flush=True)
    return run.problems


def _plots(run):
    """Return: the module that draws, None if this machine cannot draw."""
    try:
        from femu import report_plots  # pylint: disable=C0415
        return report_plots
    except ImportError as error:
        run.problems.append('the report has no pictures: %s; "scripts/deps '
                            'report" installs what is missing' % error)
        return None
