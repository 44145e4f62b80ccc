# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs in the guest that measure something else than they seem to: a run says
so of these, and of no other.

Knows nothing of how doubts are found.
"""

import os

from common import TOP, job, run

SMALL = os.path.join(TOP, 'configs', 'zn540-small.cfg')
# What each step is told, its beginning; a step that is not here, nothing.
TOLD = {
    'depth': 'job j has iodepth=16 and ioengine=psync, which has one command',
    'buffered': 'job j has no direct=1: ',
    'unfilled': 'its reads found nothing in the flash: ',
    'limit': '15 jobs write, the drive has max-active=14: '}
SOFTWARE = "more than half of the latency is the guest's software"


def doubts_of(text):
    """Return: ([(steps, what is doubted)] but of software, the steps of which
    software is) of what a run said."""
    found = [line.removeprefix('doubt: ').split(': ', 1)
             for line in text.splitlines() if line.startswith('doubt: ')]
    return ([one for one in found if not one[1].startswith(SOFTWARE)],
            [step for steps, what in found if what.startswith(SOFTWARE)
             for step in steps.split(', ')])


def test_doubts(tap):
    """What a run doubts of its own steps, and what it does not."""
    for dilation in ('1', '50'):
        _, status, text = run('doubts-' + dilation, JOB=job('doubts.sh'),
                              CONFIG=SMALL, SET='conventional-size=0',
                              DILATION=dilation)
        tap.result(status == 0, 'doubts: the job ran, DILATION=' + dilation,
                   text)
        found, slow = doubts_of(text)
        tap.same([step for step, _ in found], list(TOLD),
                 'doubts: of four steps, not of those done right')
        for step, what in found:
            tap.result(what.startswith(TOLD.get(step, 'nothing')),
                       'doubts: ' + step, what)
        tap.same('good-limit' in slow, dilation == '1',
                 'doubts: software is more than half only without a dilation')


GROUPS = {'doubts': test_doubts}
