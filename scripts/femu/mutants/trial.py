# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs tests on a program that holds many mutants, and says which survive.

Each test runs once on the original, which says how long it takes and which
mutants' places it reaches; then every mutant meets the tests that reach it, the
shortest first, until one fails. Knows nothing of what the tests test.
"""

import collections
import concurrent.futures
import hashlib
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time

VERSION = 'mutants reached 1'   # of what is kept of tests on the original
WORKERS = 2
NUMBERS = 65536                 # as in tests/mutants/mutant.c
LONGEST_CPU_S = 5               # a test that takes longer does not count
FIRST = 12                      # so many tests that killed others go first
BATCH_CPU_S = 0.3               # short tests of a program share a process
LOOK_CPU_S = 5                  # who passes so much may be no change at all
LONGEST_WAIT_S = 120            # nor one that takes longer than this
LONG_ONES = 4                   # of a family, then the rest is not tried
NO_LIMIT_S = 86400
LEAST_CPU_S = 5                 # an endless loop is ended after this, or after
LEAST_WAIT_S = 40               # this if it waits, and FACTOR times what the
FACTOR = 10                     # test needs
FILE_BYTES = 1 << 40            # sparse ones are large
TOO_LONG = 'it needs more time than it may'

# A program that holds tests; cases: its arguments for each of them, or None
# for one that is run as a whole. env: what is added to the environment.
Program = collections.namedtuple('Program', 'name argv env cwd cases')


class RunError(Exception):
    """The tests cannot say anything; says why."""


class Case:
    """One test: a program, or a part of one."""

    def __init__(self, program, path):
        self.program = program
        self.path = path
        self.wall_s = 0.0
        self.cpu_s = 0.0
        self.is_long = False    # it was ended, and does not count
        self.reached = frozenset()

    def family(self):
        """Return: what it has in common with tests that take as long."""
        return self.program.name, (self.path or '').rpartition('/')[0]

    def __str__(self):
        return self.program.name + (f' {self.path}' if self.path else '')


def argv_of(cases):
    """Return: the command line that runs these cases of one program."""
    program = cases[0].program
    if cases[0].path is None:
        return program.argv
    return [*program.argv,
            *(word for case in cases for word in ('-p', case.path))]


def run(cases, mutant, folder, cpu_s, wait_s, reached=None):
    """Run cases of one program. Return: (what failed or None, seconds,
    processor seconds)."""
    env = dict(os.environ, **cases[0].program.env, FEMU_MUTANT=str(mutant))
    if reached:
        env['FEMU_MUTANT_REACHED'] = reached
    temporary = tempfile.mkdtemp(dir=folder)
    env['TMPDIR'] = temporary

    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))

    start = time.monotonic()
    with open(os.path.join(temporary, 'log'), 'wb') as log, subprocess.Popen(
            argv_of(cases), env=env, cwd=cases[0].program.cwd, stdout=log,
            stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
            preexec_fn=limits) as process:
        timer = threading.Timer(wait_s, end_group, [process])
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        timed_out = not timer.is_alive()
        timer.cancel()
        end_group(process)
    seconds = time.monotonic() - start
    failed = None
    if timed_out or process.returncode == -signal.SIGXCPU:
        failed = TOO_LONG
    elif process.returncode:
        failed = f'exit status {process.returncode}'
    if failed and failed != TOO_LONG and mutant == 0:
        with open(os.path.join(temporary, 'log'), encoding='utf-8',
                  errors='replace') as log:
            failed += '\n' + log.read()[-3000:]
    shutil.rmtree(temporary, ignore_errors=True)
    return failed, seconds, usage.ru_utime + usage.ru_stime


def end_group(process):
    """End a program and what it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def baseline_of(case, folder, long_ones):
    """Run a test on the original: its time, and what it reaches. long_ones:
    the families of the tests that took too long; of one that is there often
    enough the rest counts as such."""
    if long_ones.count(case.family()) >= LONG_ONES:
        case.is_long = True
        return case
    handle, path = tempfile.mkstemp(dir=folder)
    os.truncate(handle, NUMBERS)
    os.close(handle)
    failed, case.wall_s, case.cpu_s = run(
        [case], 0, folder, NO_LIMIT_S, LONGEST_WAIT_S, path)
    case.is_long = case.cpu_s >= LONGEST_CPU_S or failed == TOO_LONG
    if case.is_long:
        long_ones.append(case.family())
    elif failed:
        raise RunError(f'{case} fails on the original: {failed}')
    with open(path, 'rb') as file:
        case.reached = frozenset(number for number, byte
                                 in enumerate(file.read()) if byte)
    os.remove(path)
    return case


def program_digest(program, data):
    """data: what else its outcome depends on. Return: a text that changes with
    the files that the program's command line and environment name."""
    made = hashlib.sha256(data.encode('utf-8'))
    for word in [*program.argv, *program.env.values()]:
        if os.path.isfile(word):
            with open(word, 'rb') as file:
                made.update(hashlib.sha256(file.read()).digest())
    return made.hexdigest()


def baseline(programs, folder, known, data, progress, learned):
    """known: what was learned before, {name of a case: [digest, ...]}, which
    grows; data: stands for the files that tests read; learned(): told now and
    then.

    Return: [Case], in the order of the programs, of which each is known.
    """
    cases = []
    unknown = []
    digests = {}
    for program in programs:
        own = program_digest(program, data)
        for path in program.cases or [None]:
            case = Case(program, path)
            digests[case] = own
            cases.append(case)
            before = known.get(str(case))
            if before and before[0] == own:
                case.wall_s, case.cpu_s, case.is_long = before[1:4]
                case.reached = frozenset(before[4])
            else:
                unknown.append(case)
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        long_ones = []
        started = [pool.submit(baseline_of, case, folder, long_ones)
                   for case in unknown]
        try:
            for done, future in enumerate(
                    concurrent.futures.as_completed(started), 1):
                case = future.result()
                known[str(case)] = [digests[case], case.wall_s, case.cpu_s,
                                    case.is_long, sorted(case.reached)]
                progress(done, len(unknown))
        finally:
            pool.shutdown(cancel_futures=True)
            learned()
    return cases


def batches(cases):
    """Return: lists of cases of one program each, the shortest first."""
    made = []
    open_batches = {}
    for case in sorted(cases, key=lambda case: case.cpu_s):
        program = case.program.name
        batch = open_batches.get(program)
        if batch and sum(c.cpu_s for c in batch) + case.cpu_s <= BATCH_CPU_S:
            batch.append(case)
            continue
        open_batches[program] = [case]
        made.append(open_batches[program])
    made.sort(key=lambda batch: sum(case.cpu_s for case in batch))
    return made


class Fate:
    """What became of a mutant: killed by a test, how; or by none of `met`;
    or nothing, as it is no change."""

    def __init__(self, killer, how, met, is_same=False):
        self.killer = killer
        self.how = how
        self.met = met
        self.is_same = is_same


class Killers:
    """The tests that have killed others of the same file: they go first, for
    what saw one change of it is likely to see the next."""

    def __init__(self):
        self._lock = threading.Lock()
        self._scores = {}       # {file: {case: how much it has killed}}

    def learn(self, path, batch):
        """path: the mutant's file; batch: one of these cases has killed it."""
        with self._lock:
            scores = self._scores.setdefault(path, {})
            for case in batch:
                scores[case] = scores.get(case, 0) + 1 / len(batch)

    def order(self, path, cases):
        """Return: batches of cases, in the order in which they are run."""
        with self._lock:
            scores = dict(self._scores.get(path, {}))
        first = sorted((case for case in cases if scores.get(case, 0) > 0),
                       key=lambda case: case.cpu_s / scores[case])[:FIRST]
        return [[case] for case in first] + \
            batches([case for case in cases if case not in first])


def fate_of(number, path, cases, folder, killers, is_same):
    """Let a mutant meet the tests that reach it. is_same(number): whether it is
    the original, which takes a second of a compiler: asked when most others
    would be killed. Return: its Fate."""
    reaching = [case for case in cases if number in case.reached
                and not case.is_long]
    passed_cpu_s = 0
    is_change = False
    for batch in killers.order(path, reaching):
        if not is_change and passed_cpu_s >= LOOK_CPU_S:
            if is_same(number):
                return Fate(None, None, len(reaching), True)
            is_change = True
        passed_cpu_s += sum(case.cpu_s for case in batch)
        cpu_s = LEAST_CPU_S + int(FACTOR * sum(c.cpu_s for c in batch))
        wait_s = LEAST_WAIT_S + FACTOR * sum(c.wall_s for c in batch)
        failed = run(batch, number, folder, cpu_s, wait_s)[0]
        if failed:
            killers.learn(path, batch)
            return Fate(str(batch[0]) + (' ...' if batch[1:] else ''), failed,
                        len(reaching))
    return Fate(None, None, len(reaching),
                not is_change and is_same(number))


def fates(paths, cases, folder, is_same):
    """paths: {number of a mutant: its file}; is_same: see fate_of(). Yield:
    (number, Fate) of each as it is known."""
    killers = Killers()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        started = {pool.submit(fate_of, number, path, cases, folder,
                               killers, is_same): number
                   for number, path in paths.items()}
        for future in concurrent.futures.as_completed(started):
            yield started[future], future.result()
