# SPDX-License-Identifier: GPL-2.0-or-later
"""Several drives in one guest: each with its name, trace, statistics and tables.

Knows nothing of how a run is done: it calls the scripts as a user does.
"""

import os
import re
import subprocess

from common import (HERE, SIM, TOP, config, folder, job, read_csv, read_json,
                    run)

CONFIGS = ('tiny', 'confznspp', 'tiny', 'zn540', 'tiny')
NAMES = ['zns%d' % n for n in range(len(CONFIGS))]


def replayed(path):
    """Return: the last line of femu-sim replay."""
    done = subprocess.run([SIM, 'replay', path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout.strip().splitlines()[-1]


# blkparse's letters for the trace's operations.
LETTERS = {'read': 'R', 'write': 'W', 'append': 'ZA', 'reset': 'ZR',
           'finish': 'ZF', 'open': 'ZO', 'close': 'ZC'}
SECTOR_BYTES = 512
LBA_BYTES = 4096
# As many as a drive has room for.
DEPTH = 1024


def commands(path):
    """Return: [(at, operation, LBA, blocks, when it was done)] of the trace
    PATH, what moves data or manages zones, in ns of the drive's time."""
    found, done_ns = {}, {}
    with open(path, encoding='ascii') as file:
        for line in file:
            words = line.strip().split(',')
            if words[0] == 'S' and words[3] in LETTERS:
                found[words[1]] = (int(words[2]), words[3], int(words[5]),
                                   int(words[6]))
            elif words[0] == 'C':
                done_ns[words[1]] = int(words[2])
    return [one + (done_ns[seq],) for seq, one in found.items()]


def twin_of(out, scratch):
    """One femu-sim of five drives does what the guest did, each of its commands
    at its instant. Return: the traces of its drives."""
    argv = [SIM, 'fio', '--trace=%s/t.csv' % scratch, '--config=' + ','.join(
        config(name + '.cfg') for name in CONFIGS)]
    for n, name in enumerate(NAMES):
        log = os.path.join(scratch, name + '.txt')
        with open(log, 'w', encoding='ascii') as file:
            for at_ns, operation, slba, nlb, _ in commands(
                    os.path.join(out, name, 'trace.csv')):
                file.write('259,0 0 1 %d.%09d 1 D %s %d + %d [fio]\n' % (
                    at_ns // 10**9, at_ns % 10**9, LETTERS[operation],
                    slba * LBA_BYTES // SECTOR_BYTES,
                    nlb * LBA_BYTES // SECTOR_BYTES))
        argv += ['--name=' + name, '--drive=%d' % n, '--read_iolog=' + log,
                 '--iodepth=%d' % DEPTH]
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    return [os.path.join(scratch, 't.csv' if n == 0 else 't-%s.csv' % name)
            for n, name in enumerate(NAMES)]


def test_twin(tap, out):
    """The same five drives in the simulator, on one clock: each command is
    there at the same instant and done at the same instant."""
    scratch = folder('drives-twin')
    os.makedirs(scratch)
    ours = [commands(os.path.join(out, name, 'trace.csv')) for name in NAMES]
    theirs = [commands(path) for path in twin_of(out, scratch)]
    tap.result(all(ours) and ours == theirs,
               'drives: %d commands of five drives, and their twins in the '
               'simulator, are the same to the nanosecond' % sum(
                   map(len, ours)), '\n'.join(
                       '%s: %r is not %r' % (name, mine, other)
                       for name, mines, others in zip(NAMES, ours, theirs)
                       for mine, other in zip(mines, others)
                       if mine != other))


def counts(out, name, step):
    """Return: {operation: commands} that the drive NAME counted in STEP."""
    rows = read_csv(out, name, 'latencies.csv')
    return {row['operation']: int(row['commands']) for row in rows
            if row['step'] == step and row['by'] == 'device'}


def test_drives(tap):
    """Five drives of three kinds: names, traces, twins, statistics, tables."""
    out, status, text = run(
        'drives', JOB=job('drives.sh'),
        CONFIG=','.join(config(name + '.cfg') for name in CONFIGS))
    tap.result(status == 0, 'drives: the job ran', text)
    if status != 0:
        return
    with open(os.path.join(out, 'results', 'one-each.out'),
              encoding='ascii') as file:
        tap.same(file.read().split(), NAMES,
                 'drives: /dev/nvmeNn1 is drive znsN')
    meta = read_json(out, 'meta.json')
    tap.same([(one['name'], one['device'], one['folder'],
               os.path.basename(one['file'])) for one in meta['drives']],
             [(name, '/dev/nvme%dn1' % n, name, CONFIGS[n] + '.cfg')
              for n, name in enumerate(NAMES)],
             'drives: meta.json has each')
    said = [replayed(os.path.join(out, name, 'trace.csv')) for name in NAMES]
    tap.result(all(line.endswith(' 0 differences') for line in said),
               'drives: each trace is replayed to the nanosecond',
               '\n'.join(said))
    test_twin(tap, out)
    tap.same([counts(out, name, 'fourth') for name in NAMES],
             [{}, {}, {}, {'write': 50}, {}],
             'drives: what only the fourth did, only the fourth has')
    tap.same([counts(out, name, 'read') for name in NAMES],
             [{'read': 40}] * len(NAMES), 'drives: each has its own reads')
    rows = [row for row in read_csv(out, 'latencies.csv')
            if row['step'] == 'read' and row['job'] == ''
            and row['by'] == 'device']
    tap.same([int(row['commands']) for row in rows], [40 * len(NAMES)],
             'drives: together they have all')
    tap.result(all('\n%s, /dev/nvme%dn1, %s\n' % (name, n, CONFIGS[n]) in text
                   for n, name in enumerate(NAMES)),
               'drives: a table of each', text)


def said(out, step):
    """Return: what the command of STEP printed."""
    with open(os.path.join(out, 'results', step + '.out'),
              encoding='utf-8') as file:
        return file.read()


def quotes():
    """Return: the lines of docs/guest.md that quote what btrfs refuses."""
    with open(os.path.join(TOP, 'docs', 'guest.md'), encoding='utf-8') as file:
        return re.findall('^(?:ERROR: zoned|BTRFS error).*$', file.read(), re.M)


def test_btrfs(tap):
    """btrfs over two drives: what is refused is as the docs quote it; a zone
    that goes offline."""
    out, status, text = run('drives-btrfs', JOB=job('btrfs-drives.sh'),
                            CONFIG=config('zn540.cfg'), DRIVES='2',
                            QEMU=os.path.join(HERE, 'qemu-failing'))
    last = text.strip().splitlines()[-1]
    # How far cat has read ahead by then, the host's instant decides.
    tap.result(status == 1 and re.match(
        r'run: failed: read: the kernel reports \d+ I/O errors of the drive.*'
        'dev nvme0n1', last) is not None,
               'btrfs: its one error is that of the zone', text)
    if status != 1:
        return
    check_refusals(tap, out)
    check_failure(tap, out)
    for name in NAMES[:2]:
        line = replayed(os.path.join(out, name, 'trace.csv'))
        tap.result(line.endswith(' 0 differences'),
                   'btrfs: the trace of %s is replayed' % name, line)


def check_failure(tap, out):
    """The zone of the file goes offline: the file is lost, what else there is
    goes on."""
    tap.result('zcond:15(of)' in said(out, 'offline'),
               'btrfs: the zone is offline', said(out, 'offline'))
    tap.same([said(out, 'read'), said(out, 'others')],
             ['cat: /mnt/file: Input/output error\n', 'more\n'],
             'btrfs: its file cannot be read, a new one is written')
    errors = dict(re.findall(r'\[(\S+)\]\.read_io_errs +(\d+)',
                             said(out, 'after')))
    tap.same(errors, {'/dev/nvme0n1': '1', '/dev/nvme1n1': '0'},
             'btrfs: device stats blames the drive')


def check_refusals(tap, out):
    """What mkfs.btrfs and the kernel say is what the docs quote."""
    by_mkfs, *by_kernel = quotes()
    tap.same([by_mkfs in said(out, 'mkfs-' + profile).splitlines()
              for profile in ('dup', 'raid0', 'raid1')], [True] * 3,
             'btrfs: mkfs refuses what the docs say')
    kernel = [line.split('] ', 1)[-1] for line in
              said(out, 'usage').splitlines()]
    tap.same([line in kernel for line in by_kernel], [True] * 2,
             'btrfs: the kernel refuses what the docs say')
    tap.result(all('path /dev/nvme%dn1' % n in said(out, 'usage')
                   for n in range(2)), 'btrfs: it has both drives',
               said(out, 'usage'))
    tap.same(read_json(out, 'results', 'write.fio.json')['jobs'][0]['write'][
        'io_bytes'], 24 << 20, 'btrfs: a file is written')


GROUPS = {'drives': test_drives, 'drives-btrfs': test_btrfs}
