# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests the installed package femu_zns: exact times, states, refusals, results
of each kind, the notebook. tests/python/run starts it.

Knows nothing of how it was installed.
"""

import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile

import nbclient
import nbformat
import pandas as pd

import femu_zns
from femu_zns import Ssd, Status, compare, results, run

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / 'tests/sim'))
sys.dont_write_bytecode = True

from tap import Tap  # noqa: E402

README = str(TOP / 'README.md')
CONFZNSPP = TOP / 'configs/confznspp.cfg'
ZN540 = TOP / 'configs/zn540.cfg'
PAGE_NS = 25000 + 700000            # transfer and program of CONFZNSPP's page
WRITES = {'global': {'bs': '16k'},
          'w': {'rw': 'write', 'size': '1z', 'number_ios': 50}}


def refused(call, kind):
    """Return: what CALL says as it raises KIND, or None."""
    try:
        call()
    except kind as error:
        return str(error)
    return None


def test_times(tap):
    """Commands take what the model says, to the nanosecond."""
    ssd = Ssd(CONFZNSPP)
    done = ssd.do('write', slba=0, nlb=4)
    tap.equal((done.latency_ns, done.status, ssd.now_ns),
              (PAGE_NS, Status.SUCCESS, PAGE_NS), 'a page')
    for tag in range(4):
        ssd.submit('append', slba=0, nlb=4, tag=tag, at_ns=10 ** 6)
    tap.result(10 ** 6 < ssd.next_at_ns <= 10 ** 6 + PAGE_NS, 'when to poll')
    tap.equal(ssd.poll(10 ** 6 + PAGE_NS - 1), [], 'not a nanosecond early')
    made = ssd.drain()
    tap.equal([(one.tag, one.result, one.due_at_ns - 10 ** 6)
               for one in made],
              [(tag, 4 + 4 * tag, PAGE_NS) for tag in range(4)],
              'four appends on four channels')
    tap.equal(Ssd(CONFZNSPP, program_ns=1000).do('write', 0, 4).latency_ns,
              26000, 'a changed parameter')
    tap.equal(Ssd().params['channels'], 4, 'a drive without a file')


def test_shown(tap):
    """Zones, namespaces, statistics, units, wear, what the flash did."""
    ssd = Ssd(CONFZNSPP, zones=8, conventional_size='1G')
    ssd.start_busy_log()
    ssd.do('write', 0, 4)
    zones = ssd.zones()
    tap.equal((list(zones['state'][:2]), list(zones['wp_lba'][:1])),
              (['IMPLICITLY_OPEN', 'EMPTY'], [4]), 'zones')
    tap.equal([(one.nsid, one.is_zoned, one.zones)
               for one in ssd.namespaces], [(1, True, 8), (2, False, 0)],
              'namespaces')
    tap.equal(ssd.statistics()['ops']['write']['sum_ns'], PAGE_NS,
              'statistics')
    tap.equal(ssd.zone_units(0), [0, 1, 2, 3], "a zone's units")
    busy = ssd.take_busy_log()
    tap.equal([tuple(row[1:]) for row in busy.itertuples()],
              [(0, 25000, 'channel', 0, 'program'),
               (25000, PAGE_NS, 'unit', 0, 'program')], 'the busy log')
    tap.equal(int(ssd.wear()['erase_count'].sum()), 0, 'no block is worn')
    ssd.reset_statistics()
    tap.equal('write' in ssd.statistics()['ops'], False,
              'statistics from anew')
    table = femu_zns.parameters()
    tap.equal(list(table['name'][:1]), ['zones'], 'the table of parameters')


def test_state(tap):
    """A fork goes on as its origin, with commands inside."""
    ssd = Ssd(ZN540)
    for idx in range(40):
        ssd.submit('write', slba=32 * idx, nlb=32, tag=idx)
    while ssd.inflight > 20:
        ssd.poll(ssd.next_at_ns)
    tap.result(0 < ssd.inflight <= 20, 'commands are inside')
    other = ssd.fork()
    tap.equal(other.save(), ssd.save(), 'a fork has the same bytes')
    tap.equal(other.drain(), ssd.drain(), 'and the same completions')
    tap.equal(other.statistics(), ssd.statistics(), 'and statistics')
    said = refused(lambda: Ssd.load(ssd.save()[:-1]), femu_zns.StateError)
    tap.result(said is not None and 'digest' in said, 'a damaged state', said)


def test_power_cut(tap):
    """What was done is there; of what was not, the seed decides."""
    ssd = Ssd(CONFZNSPP, power_up_ns=10 ** 9)
    ssd.do('write', slba=0, nlb=4)
    ssd.submit('write', slba=4, nlb=12)
    after = [ssd.cut_power(seed) for seed in range(20)]
    tap.equal({(one.inflight, one.now_ns) for one in after},
              {(0, PAGE_NS + 10 ** 9)}, 'a cut: nothing is inside')
    found = {one.zones()['wp_lba'][0] for one in after}
    tap.result(len(found) > 1 and min(found) >= 4 and max(found) <= 16,
               'a cut: what was done is there', str(sorted(found)))
    tap.equal(len(ssd.drain()), 1, 'a cut: the drive itself goes on')


def logging():
    """Return: a new drive that logs what is busy."""
    ssd = Ssd()
    ssd.start_busy_log(1)
    return ssd


# A child's, for the core aborts if two threads are in it. Writes its parent
# counts.
THREADS = """
import sys, threading
from femu_zns import Ssd
sys.setswitchinterval(1e-5)
ssd, done = Ssd(cmd_slots=8192), []
def work(zone):
    for idx in range(2000):
        ssd.submit('append', slba=16384 * zone, nlb=4)
        done.extend(ssd.drain())
workers = [threading.Thread(target=work, args=(idx,)) for idx in range(4)]
for one in workers: one.start()
for one in workers: one.join()
print(len(done), ssd.statistics()['ops']['append']['count'])
"""


def test_threads(tap):
    """Threads that share a drive have it one after the other."""
    made = subprocess.run([sys.executable, '-c', THREADS], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    tap.equal((made.returncode, made.stdout), (0, b'8000 8000\n'),
              'four threads on one drive')


def test_refusals(tap):
    """What is wrong is said, and changes nothing."""
    for name, call, kind, word in (
            ('no such parameter', lambda: Ssd(chanels=3),
             femu_zns.ParameterError, "did you mean 'channels'?"),
            ('a parameter out of range', lambda: Ssd(zones=0),
             femu_zns.ParameterError, 'zones=0'),
            ('no such file', lambda: Ssd('/no.cfg'),
             femu_zns.ParameterError, '/no.cfg'),
            ('no such operation', lambda: Ssd().submit('wrote'), ValueError,
             'op="wrote"'),
            ('a block below 0', lambda: Ssd().submit('write', -1, 4),
             ValueError, 'slba=-1: must be 0 to 18446744073709551615'),
            ('a length that no command has', lambda: Ssd().submit(
                'copy', 0, 4, ranges=[(0, 1), (4, 1 << 32)]), ValueError,
             'ranges[1].nlb=4294967296: must be 0 to 4294967295'),
            ('a length that is no number', lambda: Ssd().submit('read', 0, 4.0),
             TypeError, 'nlb=4.0: must be a whole number'),
            ('a tag that is too long', lambda: Ssd().submit(
                'write', 0, 4, tag=1 << 32), ValueError, 'tag=4294967296'),
            ('a parameter that C would cut', lambda: Ssd(program_ns='7\0'),
             femu_zns.ParameterError, "program-ns='7\\x00': has a character 0"),
            ('an option within an option', lambda: run(
                CONFZNSPP, {'w': {**WRITES['w'], 'bs': '4k\nrw=read'}}),
             ValueError, "job 'w': 'bs=4k\\nrw=read': has a line end"),
            ('a job file that is called as an option is', lambda: run(
                CONFZNSPP, '--help'), femu_zns.SimulatorError,
             "cannot read job file './--help'"),
            ('no such zone', lambda: Ssd().zone_units(10 ** 9), ValueError,
             'zone=1000000000'),
            ('no such namespace', lambda: Ssd().zones(7), ValueError,
             'nsid=7: there are 1 to 1'),
            ('back in time', lambda: Ssd().poll(-1), ValueError,
             'is before now'),
            ('a job', lambda: run(CONFZNSPP, {'w': {'rw': 'wrote'}}),
             femu_zns.SimulatorError, 'wrote'),
            ('a time that no clock has', lambda: Ssd().poll(1 << 64),
             ValueError, 'at_ns=18446744073709551616 is too late: must be less '
             'than 18446744073709551615'),
            ('no results', lambda: results('/'), ValueError,
             'neither a file nor the folder'),
            ('a file of something else', lambda: results(README), ValueError,
             'README.md: neither a trace, nor JSON'),
            ('a log of nothing', lambda: Ssd().start_busy_log(0),
             femu_zns.ParameterError,
             'capacity=0: must be 1 to 67108864'),
            ('a log of too much', lambda: Ssd().start_busy_log(1 << 26 | 1),
             femu_zns.ParameterError,
             'capacity=67108865: must be 1 to 67108864'),
            ('a log of a fork', lambda: logging().fork().start_busy_log(),
             femu_zns.FemuError, 'is for a new drive, once'),
            ('a second log', lambda: logging().start_busy_log(),
             femu_zns.FemuError, 'is for a new drive, once')):
        said = refused(call, kind)
        tap.result(said is not None and word in said, 'refused: ' + name,
                   said or '')
    ssd = Ssd()
    for call in (lambda: ssd.submit('write', 0, 4, at_ns=1.5),
                 lambda: ssd.poll(1e6), lambda: ssd.submit('write', 0, '4', at_ns=9)):
        tap.result(refused(call, TypeError) is not None and ssd.now_ns == 0,
                   'refused: a wrong type, and the clock stands')
    tap.equal(ssd.do('write', 0, 4).submitted_at_ns, 0,
              'after that the drive goes on')
    ssd = Ssd(cmd_slots=2)
    accept = ssd.submit('write', slba=5, nlb=1)
    tap.equal((accept.status, ssd.inflight), (Status.ZONE_INVALID_WRITE, 0),
              'refused: a write that is not at the write pointer')
    said = refused(lambda: ssd.do('write', 5, 1), femu_zns.CommandError)
    tap.equal(said, 'write: ZONE_INVALID_WRITE (0x1bc)', 'do() raises')
    there = pickle.loads(pickle.dumps(femu_zns.CommandError(
        'write', Status.ZONE_INVALID_WRITE)))
    tap.equal((str(there), there.op, there.status),
              (said, 'write', Status.ZONE_INVALID_WRITE),
              'what do() raises comes from another process')
    for idx in range(2):
        ssd.submit('write', slba=idx, nlb=1)
    said = refused(lambda: ssd.submit('write', 2, 1), femu_zns.FemuError)
    tap.result(said is not None and 'no room' in said, 'refused: no room',
               said or '')


def test_locale(tap):
    """What a job is called does not hang on the user's locale, of which Python
    takes the bytes that programs print."""
    text = ('from femu_zns import run\n'
            'made = run(None, {"\\xfc": {"rw": "write", "bs": "4k", '
            '"size": "1z", "number_ios": 1}}, log=True)\n'
            'print(ascii([*made.jobs["job"], *made.log["job"]]))\n')
    done = subprocess.run([sys.executable, '-c', text], check=False, env={
        **os.environ, 'LC_ALL': 'C', 'PYTHONCOERCECLOCALE': '0',
        'PYTHONUTF8': '0'}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    tap.equal((done.returncode, done.stdout), (0, b"['\\xfc', '\\xfc']\n"),
              'a name in UTF-8 in a locale that has none')


def test_results(tap):
    """What runs leave, as frames."""
    rows = run(CONFZNSPP, {
        'w': WRITES['w'],
        'r': {'rw': 'reset', 'offset': '2z', 'size': '1z', 'time_based': False},
        'global': {'bs': '16k', 'time_based': True, 'runtime': '100ms'}}).jobs
    tap.equal(list(zip(rows['job'], rows['count'], rows['max_us'] >= 725)),
              [('w', 50, True), ('r', 1, False)],
              'what is global holds for all jobs, wherever it stands')
    with tempfile.TemporaryDirectory() as folder:
        trace = folder + '/trace.csv'
        made = run(CONFZNSPP, WRITES, log=True, trace=trace)
        row = made.jobs.iloc[0]
        tap.equal((row['job'], row['op'], row['count'], row['mean_us']),
                  ('w', 'write', 50, PAGE_NS / 1000), 'a run: jobs')
        tap.equal((len(made.log), set(made.log['latency_ns'])),
                  (50, {PAGE_NS}), 'a run: the log')
        named = run(CONFZNSPP, {
            'global': {'bs': '16k', 'rw': 'write', 'number_ios': 1},
            'null': {'size': '1z'}, '1': {'offset': '1z', 'size': '1z'},
            'nan': {'offset': '2z', 'size': '1z'}}, log=True)
        tap.equal((sorted(named.log['job']), sorted(named.jobs['job'])),
                  (['1', 'nan', 'null'],) * 2, 'names stay what they are')
        two = run(f'{CONFZNSPP},{CONFZNSPP}', {
            'global': {'bs': '16k', 'rw': 'write', 'size': '1z'},
            'a': {'number_ios': 2}, 'b': {'number_ios': 3, 'drive': 1}})
        tap.equal((two.jobs[['drive', 'job', 'count']].values.tolist(),
                   [one['flash']['programs'] for one in two.drive]),
                  ([['zns0', 'a', 2], ['zns1', 'b', 3]], [2, 3]),
                  'a run on two drives')
        frame = results(trace)
        tap.equal((len(frame), set(frame['latency_ns']),
                   int(frame['done_at_ns'].max())),
                  (50, {PAGE_NS}, 50 * PAGE_NS), 'a trace')
        hand = pathlib.Path(folder, 'hand.csv')
        hand.write_text('# femu-zns trace 2\nS,0,10,write,1,5,1,0,444\n'
                        'S,1,20,append,1,0,1,0,0\nR,8,3\nR,0,4\n'
                        'S,2,30,copy,1,9,0,0,0\nC,1,120,0,7\nE,200\n')
        tap.equal(results(hand).fillna(-1).to_dict('list'), {
            'seq': [0, 1, 2], 'op': ['write', 'append', 'copy'],
            'nsid': [1, 1, 1], 'slba': [5, 0, 9], 'nlb': [1, 1, 7],
            'status': [Status.ZONE_INVALID_WRITE, 0, 0],
            'submitted_at_ns': [10, 20, 30], 'done_at_ns': [-1, 120, -1],
            'result': [-1, 7, -1], 'latency_ns': [-1, 100, -1]},
                  'a trace of refused, completed and unfinished commands')
        hand.write_text('# femu-zns trace 2\nS,0,10,trim,1,5,1,0,0\n')
        said = refused(lambda: results(hand), ValueError)
        tap.result(said is not None and 'trim' in said, 'no trace', said or '')
        for text in ('{"a": 1}', '{"jobs": [1]}', '{"jobs": {"a": 1}}', '{',
                     '[1, 2]', 'plain text', 'Words, and more\nof them, too\n',
                     '', 'a,b\n1,2,3\n'):
            hand.write_text(text)
            said = refused(lambda: results(hand), ValueError)
            tap.result(said is not None and said.startswith(
                f'{hand}: neither a trace, nor JSON'), f'no results: {text!r}',
                       said or '')
        hand.write_text('\ufeffqd,kiops\n1,2.5\n', 'utf-8')
        tap.equal(results(hand).to_dict('list'), {'qd': [1], 'kiops': [2.5]},
                  'a CSV that begins with a byte order mark')
        hand.write_bytes(b'\xff\xfe')
        said = refused(lambda: results(hand), ValueError)
        tap.result(said is not None and said.startswith(f'{hand}: neither'),
                   'no results: no text', said or '')
        frame.to_parquet(folder + '/t.parquet')
        tap.result(pd.read_parquet(folder + '/t.parquet').equals(frame),
                   'Parquet keeps it')
        points = pathlib.Path(folder, 'sweep')
        points.mkdir()
        (points / 'points.csv').write_text('qd,job,kiops\n1,w,2.5\n2,NA,\n')
        tap.equal(results(points).fillna(-1).to_dict('list'), {
            'qd': [1, 2], 'job': ['w', 'NA'], 'kiops': [2.5, -1]}, 'a sweep')


def test_guest_results(tap):
    """A run in a guest: fio's numbers, in the drive's time."""
    side = {'total_ios': 4, 'io_bytes': 4 << 20, 'runtime': 40, 'clat_ns': {
        'min': 1000000, 'max': 4000000, 'mean': 2e6, 'N': 4,
        'bins': {'1000000': 1, '2000000': 2, '4000000': 1}}}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / 'results').mkdir()
        (path / 'meta.json').write_text(json.dumps({
            'time_dilation': 10, 'config': {'driver': 'nvme'}, 'steps': [
                {'name': 'a', 'kind': 'fio', 'exit': 0}]}))
        (path / 'results/a.fio.json').write_text(json.dumps(
            {'jobs': [{'jobname': 'j', 'groupid': 0, 'write': side}]}))
        row = results(path).iloc[0]
        tap.equal((row['step'], row['job'], row['op'], row['count'],
                   row['kiops'], row['mib_per_s'], row['mean_us'],
                   row['p50_us'], row['max_us']),
                  ('a', 'j', 'write', 4, 1.0, 1000.0, 200.0, 200.0, 400.0),
                  'a guest under a dilation of 10')
        (path / 'results/a.fio.json').write_text('{"jobs": [{}]}')
        try:
            said = str(results(path))
        except ValueError as error:
            said = str(error)
        tap.result('results/a.fio.json: ' in said, 'a damaged run', said)


def test_compare(tap):
    """What differs is found, and nothing else."""
    one, other = (run(CONFZNSPP, WRITES, log=True, program_ns=ns)
                  for ns in (700000, 1400000))
    same = compare(one.jobs, run(CONFZNSPP, WRITES).jobs)
    tap.equal((len(same.differing), len(same.table)), (0, 9),
              'the same twice')
    made = compare(one.jobs, other.jobs)
    mean = made.differing.set_index('metric').loc['mean_us']
    tap.equal((mean['a'], mean['b'], mean['difference']),
              (725.0, 1425.0, 700.0), 'another drive')
    logs = compare(one.log, other.log)
    tap.equal((logs.distance, list(logs.distribution['b_ns'])),
              (1.0, [1425000.0] * 9), 'distributions')
    more = pd.concat([one.jobs, one.jobs.assign(job='x')])
    first, second = (pd.DataFrame({
        'seq': range(3), 'latency_ns': pd.array(times, dtype='Int64')})
        for times in ([5, 7, None], [5, 9, 4]))
    made = compare(first, second, by=['seq'])
    tap.equal((list(made.differing['seq']), list(made.differing['b']),
               len(compare(first, first, by=['seq']).differing)),
              ([1, 2], [9, 4], 0), 'commands of two traces, one by one')
    never = second.assign(latency_ns=pd.array([None] * 3, dtype='Int64'))
    made = compare(first, never, by=['seq'])
    tap.equal((made.distribution, made.distance, len(made.differing)),
              (None, None, 2), 'one of them has done no command')
    swept = [pd.DataFrame({'read_ns': times, 'step': '', 'job': 'w', 'op': 'read',
                           'kiops': kiops}) for times, kiops in (
                               ([1, 2], [3.0, 4.0]), ([2, 5], [4.5, 3.0]))]
    made = compare(*swept)
    tap.equal((made.differing.iloc[0].to_dict()['difference'],
               list(made.only_a['read_ns']), list(made.only_b['read_ns'])),
              (0.5, [1], [5]), 'points of an axis that is called as a time is')
    tap.equal(list(compare(more, one.jobs).only_a['job']), ['x'],
              'what the other has not')
    said = refused(lambda: compare(one.jobs, more, by=['job', 'queue']),
                   ValueError)
    tap.result(said is not None and "by=['job', 'queue']: must be columns that "
               'both have: job, op' in said, 'a column that is not there',
               str(said))
    said = refused(lambda: compare(pd.concat([more, more]), one.jobs),
                   ValueError)
    tap.result(said is not None and 'several rows' in said,
               'rows that nothing tells apart')
    said = refused(lambda: compare(one.jobs, one.log), ValueError)
    tap.result(said is not None and 'no metric in common: a has job, op, ' in
               said, 'frames of which nothing can be compared', str(said))
    said = refused(lambda: compare('out/a', one.jobs), TypeError)
    tap.equal(said, "a='out/a': must be a frame, as results() returns",
              'a path is no frame')


def test_notebook(tap):
    """The notebook runs from its first cell to its last."""
    book = nbformat.read(TOP / 'docs/notebook.ipynb', 4)
    try:
        nbclient.NotebookClient(book, timeout=600, kernel_name='python3',
                                resources={'metadata': {
                                    'path': TOP / 'docs'}}).execute()
        said = ''
    except nbclient.exceptions.CellExecutionError as error:
        said = str(error)
    tap.result(not said, 'docs/notebook.ipynb', said)


def main():
    """Runs all; those before us are --count."""
    tap = Tap()
    tap.count = int(sys.argv[1].removeprefix('--count='))
    for test in (test_times, test_shown, test_state, test_power_cut,
                 test_threads, test_refusals, test_locale, test_results,
                 test_guest_results, test_compare,
                 test_notebook):
        test(tap)
    tap.end()


if __name__ == '__main__':
    main()
