# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of what a user brings into the guest: packages, programs, libraries,
arguments; of RocksDB on the drive, and of what a run says of it.

Knows nothing of how a run is done: it calls the scripts as a user does.
"""

import hashlib
import os
import re
import shutil
import subprocess

from common import (PACKAGES, TOP, config, environment, folder, read_csv,
                    read_json, run)

BUILD_GUEST = os.path.join(TOP, 'scripts', 'build-guest')
ROCKSDB = os.path.join(TOP, 'jobs', 'rocksdb-f2fs.sh')
BENCHMARKS = ['fillrandom', 'overwrite', 'readrandom']
DILATION = 10
# README.md's command, which is not run once more for that page's own test.
IN_README = re.compile(
    r'^make run JOB=jobs/rocksdb-f2fs\.sh CONFIG=configs/zn540-small\.cfg '
    r'DILATION=%d ARGS="([^"]+)"$' % DILATION, re.M)


def args_in_readme():
    """Return: the ARGS of that command."""
    with open(os.path.join(TOP, 'README.md'), encoding='utf-8') as file:
        return IN_README.search(file.read())[1]


# "broken | true" fails, as pipefail has it; what is behind the failed "prepare"
# must not run, in the subshell nor behind it.
OWN = r'''#: MEM=1536M
step args sh -c 'echo "$n $long_name"'
step shell echo "$n $long_name"
step library my-env
step system env
step memory grep MemTotal /proc/meminfo
if false | true; then echo no; else echo yes; fi >"$RESULTS/pipefail.txt"
phases() { mark one; sleep 1; mark two; mark two; }
step marks phases
step last ls /usr/lib/x86_64-linux-gnu
(prepare "a thing that fails" false; step never true)
step never-either true
'''


def own_programs(top):
    """Makes a folder for EXTRA: libraries that are none, of names that the
    system has, and one that it has not."""
    os.makedirs(os.path.join(top, 'extra', 'bin'))
    os.makedirs(os.path.join(top, 'extra', 'lib'))
    shutil.copyfile(shutil.which('env'), os.path.join(top, 'extra/bin/my-env'))
    os.chmod(os.path.join(top, 'extra/bin/my-env'), 0o755)
    for name in ('libc.so.6', 'libm.so.6', 'libtinfo.so.6', 'libmine.so.1'):
        with open(os.path.join(top, 'extra', 'lib', name), 'w',
                  encoding='ascii') as file:
            file.write('no library\n')
    job = os.path.join(top, 'own.sh')
    with open(job, 'w', encoding='ascii') as file:
        file.write(OWN)
    return job, os.path.join(top, 'extra')


def words_of(out, name):
    with open(os.path.join(out, 'results', name), encoding='utf-8') as file:
        return file.read().split('\n')[:-1]


def test_programs(tap):
    """A user's arguments, programs and libraries; a "prepare" that fails."""
    top = folder('programs')
    job, extra = own_programs(top)
    out, status, text = run(
        'programs-run', JOB=job, EXTRA=extra, CONFIG=config('tiny.cfg'),
        ARGS="n=4 long_name='a b'", DILATION='10')
    tap.same([status, text.strip().splitlines()[-1]], [
        1, 'run: failed: a thing that fails: exit status 1: false; the run '
        'stops, for its steps need this'],
             'programs: a "prepare" that fails stops the run, and says so')
    meta = read_json(out, 'meta.json')
    tap.same([step['name'] for step in meta['steps']],
             ['args', 'shell', 'library', 'system', 'memory', 'marks', 'last'],
             'programs: no step behind it has run')
    tap.same([words_of(out, 'args.out'), words_of(out, 'shell.out'),
              meta['args'], words_of(out, 'pipefail.txt')],
             [['4 a b'], ['4 a b'], {'n': '4', 'long_name': 'a b'}, ['yes']],
             'programs: ARGS reach the script and what it runs; pipefail')
    paths = [[line for line in words_of(out, name + '.out')
              if line.startswith('LD_LIBRARY_PATH')]
             for name in ('library', 'system')]
    tap.same(paths, [['LD_LIBRARY_PATH=/run/extra/lib:/run/extra/new'],
                     ['LD_LIBRARY_PATH=/run/extra/new']],
             "programs: EXTRA's libraries are for its own programs; a libc "
             'there does no harm')
    libraries = words_of(out, 'last.out')
    tap.same([name in libraries for name in (
        'libpthread.so.0', 'libdl.so.2', 'librt.so.1', 'libutil.so.1')],
             [True] * 4, 'programs: the empty libraries of before glibc 2.34')
    kib = int(words_of(out, 'memory.out')[0].split()[1])
    tap.result(1300 << 10 < kib < 1536 << 10,
               'programs: the job asked for MEM=1536M', str(kib))
    marks = [step for step in meta['steps'] if step['name'] == 'marks'][0]
    tap.same([[part['name'] for part in marks['phases']],
              [part['end_ns'] - part['start_ns'] >= 10**9
               for part in marks['phases']]],
             [['one', 'two', 'two-2'], [False, True, False]],
             'programs: marks end phases')
    own = meta['guest']['own']['EXTRA']
    tap.same([own['file'], len(own['sha256'])], [extra, 64],
             'programs: meta.json has the hash of EXTRA')


def test_asked_wrong(tap):
    """What cannot be a package, an argument, or asked for by a job."""
    top = folder('asked-wrong')
    os.makedirs(top)
    job = os.path.join(top, 'asks.sh')
    with open(job, 'w', encoding='ascii') as file:
        file.write('#: CONFIG=x\nstep a true\n')
    for variables, part in (
            ({'ARGS': 'DRIVE=/dev/sda'}, 'ARGS=DRIVE=/dev/sda: "DRIVE=/dev/sda'
             '" is not name=value, with a name of small letters'),
            ({'ARGS': "n='4"}, "ARGS=n='4: No closing quotation"),
            ({'PACKAGES': 'Rocks!'}, 'PACKAGES=Rocks!: "Rocks!" is no name'),
            ({'PACKAGES': 'never-built'}, 'with-never-built: "make guest '
             'PACKAGES=never-built" builds it'),
            ({'JOB': job}, '"#: CONFIG=x": "CONFIG=x" is none of PACKAGES=, '
             'MEM=')):
        out, status, text = run('asked-wrong-run', CONFIG=config('tiny.cfg'),
                                **variables)
        tap.result(status == 1 and part in text and not os.path.exists(out),
                   'refused: %s=%s' % list(variables.items())[0], text)
    result = subprocess.run(
        [BUILD_GUEST], env=environment({'PACKAGES': 'no-such-package-here'}),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=TOP, text=True,
        stderr=subprocess.STDOUT, check=False)
    left = os.path.join(TOP, 'build-guest', 'with-no-such-package-here')
    tap.result(result.returncode == 1 and not os.path.exists(left) and
               result.stdout.strip().endswith(
                   'PACKAGES: Debian has no package "no-such-package-here"'),
               'build-guest: a package that Debian has not', result.stdout)


def digests(out):
    """Return: {file: SHA-256} of all that a run says of its work."""
    found = {}
    for name in ['trace.csv', 'work.csv', 'latencies.csv'] + [
            'results/' + name for name in sorted(os.listdir(
                os.path.join(out, 'results')))]:
        with open(os.path.join(out, name), 'rb') as file:
            found[name] = hashlib.sha256(file.read()).hexdigest()
    return found


def test_rocksdb(tap):
    """RocksDB on F2FS on the small drive, twice, and what the report says."""
    built = subprocess.run([BUILD_GUEST], env=environment({
        'JOB': ROCKSDB, 'PACKAGES': PACKAGES}),
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, check=False)
    tap.result(built.returncode == 0, "build-guest: a job's own packages",
               built.stdout)
    outs = []
    for number in (1, 2):
        out, status, text = run(
            'rocksdb-%d' % number, JOB=ROCKSDB, DILATION=str(DILATION),
            CONFIG=config('zn540-small.cfg'), ARGS=args_in_readme(),
            PACKAGES=PACKAGES)
        tap.result(status == 0, 'rocksdb: run %d' % number, text)
        outs.append(out)
    tap.same(digests(outs[0]), digests(outs[1]),
             'rocksdb: both runs are the same to the byte')
    check_work(tap, outs[0], text)


def check_work(tap, out, text):
    """db_bench's numbers are in the drive's time, and phases make the step."""
    rows = read_csv(out, 'work.csv')
    phases = [row for row in rows
              if row['phase'] and row['namespaces'] == 'all']
    whole = [row for row in rows if not row['phase']]
    tap.same([row['phase'] for row in phases], BENCHMARKS,
             'rocksdb: a phase for each benchmark')
    said = {}
    for line in words_of(out, 'rocksdb.out'):
        words = line.split()
        if 'micros/op' in words:
            said[words[0]] = int(words[words.index('ops/sec') - 1])
    tap.same([row['operations_per_s'] for row in phases],
             ['%d' % (DILATION * said[name]) for name in BENCHMARKS],
             "rocksdb: operations/s are by the drive's clock")
    for column in ('host_bytes', 'programmed_bytes', 'erased_blocks'):
        rest = int(whole[0][column]) - sum(int(row[column]) for row in phases)
        tap.result(0 <= rest <= int(whole[0][column]) // 2,
                   'rocksdb: %s of the phases are in the step' % column,
                   '%d are in none of them' % rest)
    tap.same([int(whole[0][column]) - int(whole[1][column]) -
              int(whole[2][column]) for column in (
                  'host_bytes', 'programmed_bytes', 'erased_blocks')],
             [0, 0, 0], 'rocksdb: namespaces make the drive')
    tap.same([int(phases[0]['host_bytes']) > 16 << 20,
              [line for line in text.splitlines()
               if line.startswith('rocksdb fillrandom')] != []], [True, True],
             'rocksdb: what a full memtable holds is on the drive; the table')


GROUPS = {'programs': test_programs, 'asked-wrong': test_asked_wrong,
          'rocksdb': test_rocksdb}
