# SPDX-License-Identifier: GPL-2.0-or-later
"""Drives below Linux' device mapper and md: zones of two drives as one device,
and what is refused, as docs/guest.md quotes it.

Knows nothing of how a run is done: it calls the scripts as a user does.
"""

import json
import os
import re
import subprocess

from common import HERE, PACKAGES, TOP, config, environment, job, run
from drives import replayed, said

BUILD_GUEST = os.path.join(TOP, 'scripts', 'build-guest')
JOB = 'stacked-drives.sh'
DOCS = os.path.join(TOP, 'docs', 'guest.md')
ZONES = (4, 2)                      # of each drive, in the device
WRITES = 32                         # of each of three jobs, to zones 0, 2, 4
WRITE_NLB = 16
ZONE_NLB = (2 << 30) // 4096        # zn540.cfg
# What md and device mapper say, quoted at the beginning of a line.
QUOTE = re.compile('^(?:device-mapper|md|mdadm|blkzone): .*$', re.M)


def read(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


def zones_of(out, step):
    """Return: [what blkzone said of a zone, but for where it begins]."""
    return re.findall(', (len .*)$', said(out, step), re.M)


def check_zones(tap, out):
    """The device's zones are those of its drives."""
    device, *below = (zones_of(out, name) for name in (
        'zones', 'zones-0', 'zones-1'))
    tap.same([device, [len(zones) for zones in below]],
             [sum(below, []), list(ZONES)],
             'dm-linear: its zones are those of its drives')
    tap.same([re.search(r'zcond: ?[0-9]+\((..)\)', zone)[1]
              for zone in device], ['oi', 'em', 'em', 'em', 'oi', 'fu'],
             'dm-linear: written, reset, finished through it')
    # Before its JSON, fio warns that several jobs write to one device.
    text = read(os.path.join(out, 'results', 'write.fio.json'))
    fio = json.loads(text[text.index('{'):])
    tap.same([(one['error'], one['write']['total_ios'],
               one['read']['total_ios']) for one in fio['jobs']],
             [(0, WRITES, WRITES)] * 3, 'dm-linear: fio has verified all')


def check_traces(tap, out):
    """Each drive had the commands to its own zones, and is replayed."""
    for name, zones in (('zns0', {8: WRITES, 10: WRITES}),
                        ('zns1', {2: WRITES})):
        path = os.path.join(out, name, 'trace.csv')
        tap.result(replayed(path).endswith(' 0 differences'),
                   'dm-linear: the trace of %s is replayed' % name,
                   replayed(path))
        found = {}
        for line in read(path).splitlines():
            words = line.split(',')
            if words[0] == 'S' and words[3] == 'write' and \
                    int(words[6]) == WRITE_NLB:
                zone = int(words[5]) // ZONE_NLB
                found[zone] = found.get(zone, 0) + 1
        tap.same(found, zones, 'dm-linear: the writes to each zone of %s'
                 % name)


def check_quotes(tap, out):
    """What is refused is what the docs quote, word by word."""
    text = re.sub(r'^\[[ 0-9.]+\] ', '', read(os.path.join(
        out, 'results', 'refused.txt')), flags=re.M).splitlines()
    quotes = QUOTE.findall(read(DOCS))
    tap.same([line for line in quotes if line not in text], [],
             'stacked: what is refused is what the docs quote')
    tap.result(len(quotes) >= 6, 'stacked: the docs quote it',
               '\n'.join(quotes))
    ours = read(os.path.join(HERE, 'jobs', JOB))
    shown = re.search('^dmsetup create.*?^END$', read(DOCS), re.M | re.S)
    tap.result(shown is not None and shown[0] in ours,
               "stacked: the docs' commands are those of this test",
               str(shown))


def test_stacked(tap):
    """dm-linear over zones of two drives; what device mapper and md refuse."""
    built = subprocess.run([BUILD_GUEST],
                           env=environment({'PACKAGES': PACKAGES}),
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, check=False)
    tap.result(built.returncode == 0, 'stacked: a guest with dmsetup, mdadm',
               built.stdout)
    out, status, text = run('stacked', JOB=job(JOB), DRIVES='2',
                            CONFIG=config('zn540.cfg'), PACKAGES=PACKAGES)
    tap.result(status == 0, 'stacked: the job ran', text)
    if status == 0:
        check_zones(tap, out)
        check_traces(tap, out)
        check_quotes(tap, out)


GROUPS = {'stacked': test_stacked}
