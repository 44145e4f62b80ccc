#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fio's own tests of zoned drives, t/zbd, in the guest.

Usage: tests/guest/fio_zbd.py [DRIVE...]    all tests, on the drives named
       tests/guest/fio_zbd.py --list        the drives

"make test-fio-zbd" calls it, and gets QEMU, the guest and the suite first. It
prints TAP, and a last line "N passed, N failed, N skipped". What the runs left
is in out/test/guest/fio-zbd-DRIVE; zbd-NUMBER.log there is a test's own log.

Knows nothing of how the tests work.
"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

from common import (RUN, TOP, Tap, config, environment, folder, job)  # noqa

SUITE = os.path.join(os.environ.get('GUEST_BUILD', os.path.join(
    TOP, 'build-guest')), 'fio-zbd')
LIMIT_S = 3600
LOG_LINES = 40

# The suite wants 144 zones, all else is for speed: small zones; a slow drive,
# so that tests which run for 30 s do few I/Os in them; a slow processor for the
# one that spins for 30 s.
GEOMETRY = ('zones=160 zone-size=2M pages-per-block=8 program-ns=7000000 '
            'read-ns=600000 ')
MACHINE = {'INSN_NS': '8', 'MEM': '2G', 'TRACE': '0', 'STALL': str(LIMIT_S)}

# Name -> (properties of the drive, options of the suite). -w: reset all zones
# before each test that writes; -o: tell fio the limit of open zones.
DRIVES = {
    'capacity': ('zone-capacity=1536K max-open=0 max-active=0', '-w'),
    'limit': ('zone-capacity=2M max-open=10 max-active=10', '-w -o 10'),
    'both': ('zone-capacity=1536K max-open=8 max-active=10', '-w'),
}

# What "make test" runs: each kind of I/O, resets, limits; no test of 30 s.
SUBSET = {
    'capacity': [3, 4, 5, 6, 8, 11, 12, 13, 15, 16, 17, 24, 33, 64, 65, 71],
    'limit': [1, 2, 7, 25, 28, 29, 46, 55, 66, 67, 70],
}

# Failures that are not the drive's, but of a suite that is older or newer than
# the guest's fio, 3.39: the suite's version, test, what its log says, why.
KNOWN_FAILURES = [
    (r'3\.33', 33, r'written: \d+ <> \d+',
     'that fio counted a last block that it did not write'),
    (r'3\.33', 34, r'err= 0',
     'that fio refused to verify blocks that do not divide a zone'),
    (r'3\.33', 54, 'not support experimental verify',
     "the job's experimental_verify is refused with zonemode=zbd"),
    (r'3\.4.*', 71, 'did not choose another write zone',
     'fio 3.39 ends when no zone that it writes to has room for a block; '
     'later ones finish one'),
]


class SuiteError(Exception):
    """The suite did not run."""


def titles():
    """Return: test number -> the comment above it in the suite."""
    path = os.path.join(SUITE, 't', 'zbd', 'test-zbd-support')
    found, comment = {}, []
    with open(path, encoding='utf-8') as file:
        for line in file:
            match = re.match(r'test(\d+)\(\)', line)
            if match:
                text = ' '.join(comment).split('. ')[0].rstrip('.')
                found[int(match[1])] = text or '(undescribed)'
            if line.startswith('# '):
                comment.append(line[2:].strip())
            elif not match:
                comment = []
    return found


def version():
    """Return: the version of the fio that the suite belongs to."""
    with open(os.path.join(SUITE, 'version'), encoding='ascii') as file:
        return file.read().strip()


class Outcome:
    """What came of one test: its line in zbd.tsv, and how long it took."""

    def __init__(self, line, host_s):
        number, self.status, guest_s, self.reason = line.split('\t')
        self.number = int(number)
        self.guest_s = float(guest_s)
        self.host_s = host_s


def start(drive, tests, out):
    """Starts scripts/run on the suite. Return: its process."""
    properties, options = DRIVES[drive]
    extra = folder('fio-zbd-%s-extra' % drive)
    shutil.copytree(SUITE, os.path.join(extra, 'fio-zbd'))
    with open(os.path.join(extra, 'fio-zbd', 'options'), 'w',
              encoding='ascii') as file:
        file.write('TESTS="%s"\nOPTIONS="%s"\n' % (
            ' '.join(map(str, tests)), options))
    return subprocess.Popen(
        [RUN], cwd=TOP, text=True, errors='replace', stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=environment({**MACHINE, 'JOB': job('fio-zbd.sh'),
                         'CONFIG': config('tiny.cfg'), 'EXTRA': extra,
                         'SET': GEOMETRY + properties, 'OUT': out}))


def run_suite(drive, tests, take):
    """Runs TESTS on a DRIVE; TAKE gets each Outcome as it comes. Return:
    scripts/run's exit status, what it printed, its folder."""
    out = folder('fio-zbd-' + drive)
    begin_s, text = time.monotonic(), ''
    process = start(drive, tests, out)
    timer = threading.Timer(LIMIT_S, process.kill)
    timer.start()
    for line in process.stdout:
        text += line
        if '| zbd\t' in line:
            now_s = time.monotonic()
            take(Outcome(line.split('| zbd\t')[1].rstrip('\n'),
                         now_s - begin_s))
            begin_s = now_s
    status = process.wait()
    timer.cancel()
    return status, text, out


def log_of(out, outcome):
    """Return: the log of a test, in the folder OUT of a run that ended."""
    path = os.path.join(out, 'results', 'zbd-%d.log' % outcome.number)
    if not os.path.exists(path):
        return 'no log: the run did not end'
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


def known_failure(outcome, log):
    """Return: why the test fails, or None."""
    for suite, number, pattern, reason in KNOWN_FAILURES:
        if re.fullmatch(suite, version()) and number == outcome.number and \
                re.search(pattern, log):
            return reason
    return None


def report(tap, name, outcome):
    """The TAP line of a test that did not fail."""
    if outcome.status == 'SKIP':
        tap.skip(name, outcome.reason)
    else:
        tap.result(outcome.status == 'PASS', name)


def report_failure(tap, name, outcome, log):
    """The TAP line of a test that failed."""
    reason = known_failure(outcome, log)
    if reason:
        tap.todo(name, reason)
    else:
        tap.result(False, name, '\n'.join(log.splitlines()[-LOG_LINES:]))


def kernel_complaints(out):
    """Return: the kernel's lines about commands that were lost or given up."""
    with open(os.path.join(out, 'results', 'dmesg.txt'), encoding='utf-8',
              errors='replace') as file:
        return '\n'.join(line for line in file.read().splitlines()
                         if re.search(r'nvme.*(timeout|abort|reset|removed)|'
                                      r'BUG|WARNING|blocked for more', line))


def test_drive(tap, lock, drive, tests):
    """Runs TESTS on a DRIVE and reports each; failures last, with their logs.
    """
    names = titles()
    ran, failed = [], []

    def name_of(outcome):
        return 'fio t/zbd on "%s": %d: %s (%.1f s in the guest, %.1f s)' % (
            drive, outcome.number, names[outcome.number], outcome.guest_s,
            outcome.host_s)

    def take(outcome):
        ran.append(outcome.number)
        if outcome.status == 'FAIL':
            failed.append(outcome)
            return
        with lock:
            report(tap, name_of(outcome), outcome)

    status, text, out = run_suite(drive, tests, take)
    with lock:
        for outcome in failed:
            report_failure(tap, name_of(outcome), outcome,
                           log_of(out, outcome))
        tap.result(status == 0 and ran == tests,
                   'fio t/zbd on "%s": all %d tests ran' % (drive, len(tests)),
                   'ran %s\n%s' % (ran, '\n'.join(text.splitlines()[-30:])))
        if status == 0:
            tap.same(kernel_complaints(out), '',
                     'fio t/zbd on "%s": no command timed out' % drive)


def test_all(tap, chosen):
    """Runs the tests CHOSEN, drive -> test numbers, on as many drives at once
    as there are processors."""
    if not os.path.exists(os.path.join(SUITE, 'version')):
        raise SuiteError('no suite in %s: scripts/build-fio-zbd gets it'
                         % SUITE)
    print('# t/zbd of fio %s' % version())
    lock = threading.Lock()
    present = sorted(titles())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        started = [pool.submit(test_drive, tap, lock, drive,
                               [number for number in tests or present
                                if number in present])
                   for drive, tests in chosen.items()]
        for future in started:
            future.result()


def main():
    """All tests on the drives named; the exit status says if all passed."""
    names = sys.argv[1:] or list(DRIVES)
    if names == ['--list']:
        for name, (properties, options) in DRIVES.items():
            print('%-10s %s (%s)' % (name, properties, options))
        return 0
    unknown = [name for name in names if name not in DRIVES]
    if unknown:
        sys.exit('fio_zbd.py: error: no drive %s; there are: %s' % (
            ', '.join(unknown), ' '.join(DRIVES)))
    tap = Tap()
    try:
        test_all(tap, {name: None for name in names})
    except SuiteError as error:
        sys.exit('fio_zbd.py: error: %s' % error)
    print('1..%d' % tap.count)
    print('%d passed, %d failed, %d skipped' % (
        tap.count - tap.failed - tap.skipped, tap.failed, tap.skipped))
    return 1 if tap.failed else 0


if __name__ == '__main__':
    sys.exit(main())
