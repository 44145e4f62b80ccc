# SPDX-License-Identifier: GPL-2.0-or-later
"""What Linux, its tools and file systems make of the drive.

Knows nothing of how a run is done: it calls the scripts as a user does.
"""

import os
import re

import fio_zbd
from common import HERE, config, job, read_json, run
from replay import test_replay


def test_function(tap):
    """What Linux and its tools make of the drive."""
    out, status, text = run(
        'function', JOB=job('function.sh'), CONFIG=config('tiny.cfg'),
        EXTRA=os.path.join(HERE, 'extra'),
        SET='zones=128 max-open=8 max-active=10')
    tap.result(status == 0, 'function: the job ran', text)
    if status == 0:
        tap.include(os.path.join(out, 'results', 'tap.txt'))


def test_nvme_cli(tap):
    """nvme-cli's commands, and what they say of the drive."""
    out, status, text = run(
        'nvme-cli', JOB=job('nvme-cli.sh'), CONFIG=config('tiny.cfg'),
        EXTRA=os.path.join(HERE, 'extra'), APPEND='iomem=relaxed',
        SET='zones=32 max-open=8 max-active=10 zd-extension-size=64 '
            'finish-recommended-ns=100000000000')
    tap.result(status == 0, 'nvme-cli: the job ran', text)
    if status == 0:
        tap.include(os.path.join(out, 'results', 'tap.txt'))


def check_limits(tap, name, path):
    """One test: what the program "limits" left in the file PATH."""
    text = ''
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            text = file.read()
    last = (text.strip().splitlines() or ['it has not run'])[-1]
    match = re.fullmatch(r'limits: (\d+) checks, 0 wrong', last)
    tap.result(bool(match) and int(match[1]) > 200,
               '%s: every limit is exceeded, the drive works on (%s)' % (
                   name, last), text)


def test_limits(tap):
    """A program that exceeds every limit, on drives of both block sizes."""
    for name, properties in (
            ('limits', 'zones=128 max-open=8 max-active=10'),
            ('limits-512', 'zones=64 max-open=5 max-active=5 lba-size=512 '
                           'zone-capacity=4M zasl=128K'),
            ('limits-zrwa', 'zones=64 max-open=6 max-active=8 max-zrwa=3 '
                            'zrwa-size=128K zrwa-flush-granularity=32K')):
        out, status, text = run(
            name, JOB=job('limits.sh'), CONFIG=config('tiny.cfg'),
            EXTRA=os.path.join(HERE, 'extra'), SET=properties)
        tap.result(status == 0, '%s: the job ran' % name, text)
        check_limits(tap, name, os.path.join(out, 'results', 'limits.out'))
        if status == 0:
            tap.include(os.path.join(out, 'results', 'tap.txt'))


def test_namespaces(tap):
    """Two zoned namespaces and a conventional one, with file systems."""
    out, status, text = run(
        'namespaces', JOB=job('namespaces.sh'), CONFIG=config('tiny.cfg'),
        EXTRA=os.path.join(HERE, 'extra'),
        SET='zones=256 namespaces=2 conventional-size=512M '
            'max-open=8 max-active=10')
    tap.result(status == 0, 'namespaces: the job ran', text)
    for number in (1, 2):
        check_limits(tap, 'namespace %d' % number, os.path.join(
            out, 'results', 'limits-%d.out' % number))
    if status == 0:
        tap.include(os.path.join(out, 'results', 'tap.txt'))
        test_replay(tap, os.path.join(out, 'trace.csv'), 2500)


def test_fio_zbd(tap):
    """Some of fio's own tests of zoned drives; "make test-fio-zbd" has all."""
    fio_zbd.test_all(tap, fio_zbd.SUBSET)


# What Linux says of a command at 30 s and 60 s, without tags and times.
ABORTS = ['timeout, aborting req_op:ZONE_FINISH', 'Abort status: 0x0']
RESETS = ABORTS + ['timeout, reset controller']


def test_timeout(tap):
    """Finishes of 49 and 69 s under Linux' own limit of 30 s."""
    page_ns = 25000 + 700000
    pages = 1056 * 1024 // 16
    for name, pause_ns, said in (('timeout-49s', 0, ABORTS),
                                 ('timeout-69s', 300000, RESETS)):
        out, status, text = run(
            name, JOB=job('timeout.sh'), CONFIG=config('confznspp.cfg'),
            EXTRA=os.path.join(HERE, 'extra'),
            SET='finish-pause-ns=%d' % pause_ns)
        tap.result(status == 0, '%s: the job ran' % name, text)
        if status != 0:
            continue
        with open(os.path.join(out, 'results', 'said.txt'),
                  encoding='utf-8') as file:
            lines = file.read().splitlines()
        tap.result(len(lines) == len(said) and
                   all(word in line for word, line in zip(said, lines)),
                   '%s: Linux asks for an abort%s' % (
                       name, ', then resets' * (said == RESETS)),
                   '\n'.join(lines))
        zone = read_json(out, 'results', 'finish.zone.json')['zones'][0]
        whole_ns = (pages - 1) * page_ns + (pages - 2) * pause_ns
        # Linux looks for what is late in steps of up to 5 s.
        least_ns, late_ns = (whole_ns, 2 * 10**9) if said == ABORTS else \
            (60 * 10**9, 2 * 5 * 10**9)
        tap.result(zone['errno'] == 0 and
                   least_ns < zone['latency_ns'] < least_ns + late_ns,
                   '%s: the program gets its finish' % name, str(zone))
        tap.include(os.path.join(out, 'results', 'tap.txt'))
        test_replay(tap, os.path.join(out, 'trace.csv'), 10)


GROUPS = {'function': test_function,
          'nvme-cli': test_nvme_cli,
          'limits': test_limits,
          'namespaces': test_namespaces,
          'fio-zbd': test_fio_zbd,
          'timeout': test_timeout}
