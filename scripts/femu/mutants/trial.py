# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs tests on a program that holds many mutants, and says which survive.

Each test runs once on the original, to learn how long it takes and which
mutants it reaches. Then the tests that reach a mutant are run on it, until one
fails. If the program has several builds, a mutant that passes in one is tried
in the next. Knows nothing of what the tests test.
"""

import collections
import concurrent.futures
import hashlib
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time

VERSION = 'mutants reached 4'   # of the cached results of tests on the original
WORKERS = 2
NUMBERS = 65536                 # as in tests/mutants/mutant.c
LONGEST_CPU_S = 5               # longer tests do not count; a program may
                                # change it
LONGEST_WAIT_S = 600            # nor do tests that wait for longer than this
LONG_ONES = 4                   # so many of a family, and more than others of
                                # it, and the rest is not tried
SLOWER = 10                     # so many times as in the first build a test may
                                # take in others: a guess, until it has run there
# A run of tests is ended after LEAST_WAIT_S of real time, or LEAST_CPU_S of
# processor time, plus FACTOR times what they need on the original.
LEAST_WAIT_S = 40
FACTOR = 10
LEAST_CPU_S = 1
FILE_BYTES = 1 << 40            # largest file of a test; sparse ones are large
TOO_LONG = 'it needs more time than it may'
PASSED = re.compile(r'^ok \d+ (\S+)', re.M)
NOT_PASSED = re.compile(r'^not ok \d+ (?:- )?(.+)', re.M)

# A program that holds tests; cases: its arguments for each of them, or None
# for one that is run as a whole. env: what is added to the environment;
# longest_cpu_s: a test that takes longer does not count; least_wait_s: see
# above.
Program = collections.namedtuple('Program', 'name argv env cwd cases '
                                 'longest_cpu_s least_wait_s',
                                 defaults=(LONGEST_CPU_S, LEAST_WAIT_S))


class RunError(Exception):
    """The tests cannot be used; the message says why."""


class Case:
    """One test: a program, or a part of one."""

    def __init__(self, program, path):
        self.program = program
        self.path = path
        self.name = program.name + (f' {path}' if path else '')
        self.wall_s = 0.0
        self.cpu_s = None       # None: it has not run on the original yet
        self.guess_s = 0.0      # that, as long as it is not known
        self.is_long = False    # it took too long, and does not count
        self.reached = frozenset()
        self.timed_as = None    # see timed_cases()

    def family(self):
        """Return: a key that it shares with tests that take about as long."""
        return self.program.name, (self.path or '').rpartition('/')[0]

    def cost_s(self):
        """Return: the processor time that it needs, as far as it is known."""
        return self.guess_s if self.cpu_s is None else self.cpu_s

    def __str__(self):
        return self.name


# The result of a run. failed: how it failed, or None; case: the first that did
# not pass.
Outcome = collections.namedtuple('Outcome', 'failed case wall_s cpu_s')


def argv_of(cases):
    """Return: the command line that runs these cases of one program."""
    program = cases[0].program
    if cases[0].path is None:
        return program.argv
    return [*program.argv,
            *(word for case in cases for word in ('-p', case.path))]


def limit(pid, cpu_s):
    """Limit what a program that has started may use. That no core is dumped, a
    sanitised one says itself as it starts, and would not be allowed to if the
    most that it read a moment ago had become less: so that stays."""
    most_bytes = resource.getrlimit(resource.RLIMIT_CORE)[1]
    for what, most in ((resource.RLIMIT_CPU, (cpu_s, cpu_s + 1)),
                       (resource.RLIMIT_CORE, (0, most_bytes)),
                       (resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))):
        try:
            resource.prlimit(pid, what, most)
        except ProcessLookupError:
            pass


def run(cases, mutant, folder, cpu_s, wait_s, reached=None):
    """Run cases of one program, in their order there. Return: the Outcome."""
    env = dict(os.environ, **cases[0].program.env, FEMU_MUTANT=str(mutant))
    if reached:
        env['FEMU_MUTANT_REACHED'] = reached
    temporary = tempfile.mkdtemp(dir=folder)
    env['TMPDIR'] = temporary
    start = time.monotonic()
    with open(os.path.join(temporary, 'log'), 'w+b') as log, subprocess.Popen(
            argv_of(cases), env=env, cwd=cases[0].program.cwd, stdout=log,
            stderr=log, stdin=subprocess.DEVNULL,
            start_new_session=True) as process:
        limit(process.pid, math.ceil(cpu_s))
        timer = threading.Timer(wait_s, end_group, [process])
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        timed_out = not timer.is_alive()
        timer.cancel()
        end_group(process)
        seconds = time.monotonic() - start
        failed, culprit = None, cases[0]
        if timed_out or process.returncode == -signal.SIGXCPU:
            failed = TOO_LONG
        elif process.returncode:
            failed = f'exit status {process.returncode}'
        if failed:
            log.seek(0)
            printed = log.read().decode('utf-8', 'replace')
            passed = set(PASSED.findall(printed))
            culprit = next((case for case in cases
                            if case.path not in passed), culprit)
            if failed != TOO_LONG and mutant == 0:
                failed += what_failed(printed) + '\n' + printed[-3000:]
            elif failed != TOO_LONG and culprit.path is None:
                failed += what_failed(printed)
    shutil.rmtree(temporary, ignore_errors=True)
    return Outcome(failed, culprit, seconds, usage.ru_utime + usage.ru_stime)


def what_failed(printed):
    """Return: ': ' and the first check that failed in what a program PRINTED, or
    its last line; '' if it printed nothing."""
    found = NOT_PASSED.search(printed)
    said = [found[1]] if found else printed.strip().splitlines()[-1:]
    return ''.join(': ' + line for line in said)


def end_group(process):
    """End a program and what it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def baseline_of(case, folder, timed):
    """Run a test on the original: its time, and what it reaches. timed: of each
    test before it its family, and whether it took too long; if LONG_ONES of a
    family did, and fewer did not, its other tests count as too long without
    being run."""
    family = case.family()
    if timed.count((family, True)) >= max(LONG_ONES,
                                          timed.count((family, False))):
        case.is_long = True
        return case
    handle, path = tempfile.mkstemp(dir=folder)
    os.truncate(handle, NUMBERS)
    os.close(handle)
    time_original(case, folder, path)
    timed.append((family, case.is_long))
    with open(path, 'rb') as file:
        case.reached = frozenset(number for number, byte
                                 in enumerate(file.read()) if byte)
    os.remove(path)
    return case


def time_original(case, folder, reached=None):
    """Run a test on the original: how long it takes, until it has taken too
    long. Raises RunError."""
    outcome = run([case], 0, folder, case.program.longest_cpu_s,
                  LONGEST_WAIT_S, reached)
    case.wall_s = outcome.wall_s
    case.is_long = outcome.cpu_s >= case.program.longest_cpu_s or \
        outcome.failed == TOO_LONG
    if outcome.failed and not case.is_long:
        raise RunError(f'{case} fails on the original: {outcome.failed}')
    case.cpu_s = outcome.cpu_s


def program_digest(program, data):
    """data: what else its outcome depends on. Return: a digest of that and of
    the files that the program's command line and environment name."""
    made = hashlib.sha256(data.encode('utf-8'))
    for word in [*program.argv, *program.env.values()]:
        if os.path.isfile(word):
            with open(word, 'rb') as file:
                made.update(hashlib.sha256(file.read()).digest())
    return made.hexdigest()


def cases_of(programs):
    """Return: [Case] of programs, in their order."""
    return [Case(program, path) for program in programs
            for path in program.cases or [None]]


def timed_cases(programs, build, known, data):
    """Return: [Case] of programs, in their order. known: what keep_times() has
    kept; data: as in baseline()."""
    cases = cases_of(programs)
    own = {program.name: program_digest(program, data)
           for program in programs}
    for case in cases:
        case.timed_as = f'{build} {case.name}', own[case.program.name]
        before = known.get(case.timed_as[0])
        if before and before[0] == case.timed_as[1]:
            case.wall_s, case.cpu_s, case.is_long = before[1:]
    return cases


def keep_times(cases, known):
    """Add to `known` how long those of timed_cases() took that have run."""
    for case in cases:
        if case.cpu_s is not None:
            name, digest = case.timed_as
            known[name] = [digest, case.wall_s, case.cpu_s, case.is_long]


def baseline(programs, folder, known, data, progress, learned,
             workers=WORKERS):
    """known: what was learned before, {name of a case: [digest, ...]}, which
    grows; data: the digest of the files that tests read; learned(): called when
    `known` may have grown.

    Return: [Case], in the order of the programs, of which each is known.
    """
    cases = cases_of(programs)
    own = {program.name: program_digest(program, data)
           for program in programs}
    unknown = []
    for case in cases:
        before = known.get(case.name)
        if before and before[0] == own[case.program.name]:
            case.wall_s, case.cpu_s, case.is_long = before[1:4]
            case.reached = frozenset(before[4])
        else:
            unknown.append(case)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        timed = []
        started = [pool.submit(baseline_of, case, folder, timed)
                   for case in unknown]
        try:
            for done, future in enumerate(
                    concurrent.futures.as_completed(started), 1):
                case = future.result()
                known[case.name] = [own[case.program.name], case.wall_s,
                                    case.cpu_s, case.is_long,
                                    sorted(case.reached)]
                progress(done, len(unknown))
        finally:
            pool.shutdown(cancel_futures=True)
            learned()
    return cases


class Fate:
    """What became of a mutant: killed by the test `killer` (`how` says in which
    way), or survived `met` tests, or not a change at all (`is_same`)."""

    def __init__(self, killer, how, met, is_same=False):
        self.killer = killer
        self.how = how
        self.met = met
        self.is_same = is_same


class Court:
    """Runs the tests of all builds on mutants, and decides their fates.

    builds: [[Case]]; those of the first build know what they reach, and need
    not be in the others; killers: see killers.py; is_same(mutant): whether it
    compiles to the original's code. That takes a second, so it is asked only
    when the first build's tests have passed; quick_s: of each build, after so
    many seconds of tests a mutant survives in it; None: after all tests;
    workers: so many are tried at once; of_file: {path: the numbers of its
    mutants}.
    """

    def __init__(self, builds, folder, killers, is_same, quick_s, workers,
                 of_file):
        self.first = builds[0]
        self.others = [{case.name: case for case in cases}
                       for cases in builds[1:]]
        for cases in self.others:
            for case in self.first:
                if case.name in cases:
                    cases[case.name].guess_s = SLOWER * (case.cpu_s or 0)
        self.folder = folder
        self.killers = killers
        self.is_same = is_same
        self.quick_s = quick_s
        self.workers = workers
        self.of_file = of_file
        self._timing = {}       # {case: Lock}
        self._depths = {}       # {path: {name of a case: how many mutants of
                                # the file it reaches}}

    def fate_of(self, number, mutant):
        """Run the tests that reach a mutant on it. Return: its Fate."""
        reaching = [case for case in self.first if number in case.reached
                    and not case.is_long]
        fate = self.meet(number, mutant, reaching, 'first', 0)
        if fate or self.is_same(mutant):
            return fate or Fate(None, None, len(reaching), True)
        for build, cases in enumerate(self.others):
            again = [cases[case.name] for case in reaching
                     if case.name in cases]
            fate = self.meet(number, mutant, again, f'then {build}', build + 1)
            if fate:
                return fate
        return Fate(None, None, len(reaching))

    def meet(self, number, mutant, cases, build, build_idx):
        """Return: the Fate of a mutant that one of the tests of one build
        kills, or None."""
        cases = [case for case in cases if not case.is_long]
        most_s = self.quick_s[build_idx] if self.quick_s else None
        passed_s = 0
        for batch in self.killers.order(mutant, cases, build,
                                        self.depth(mutant.path)):
            if most_s is not None and passed_s >= most_s:
                break
            for case in batch:
                self.time(case)
            batch = [case for case in batch if not case.is_long]
            if not batch:
                continue
            passed_s += sum(case.cpu_s for case in batch)
            outcome = run(batch, number, self.folder,
                          LEAST_CPU_S + FACTOR * sum(c.cpu_s for c in batch),
                          batch[0].program.least_wait_s
                          + FACTOR * sum(c.wall_s for c in batch))
            if outcome.failed:
                self.killers.learn(mutant, outcome.case.name, build)
                return Fate(outcome.case.name, outcome.failed, len(cases))
        return None

    def depth(self, path):
        """Return: how many of a file's mutants each case of the first build
        reaches, {name: count}."""
        if path not in self._depths:
            self._depths[path] = {
                case.name: len(self.of_file.get(path, set()) & case.reached)
                for case in self.first}
        return self._depths[path]

    def time(self, case):
        """See to it that a test has run on the original."""
        with self._timing.setdefault(case, threading.Lock()):
            if case.cpu_s is None:
                time_original(case, self.folder)

    def fates(self, numbered):
        """numbered: {number: mutant}. Yield: (mutant, Fate) of each as it is
        known."""
        with concurrent.futures.ThreadPoolExecutor(self.workers) as pool:
            started = {pool.submit(self.fate_of, number, mutant): mutant
                       for number, mutant in numbered.items()}
            try:
                for future in concurrent.futures.as_completed(started):
                    yield started[future], future.result()
            finally:
                pool.shutdown(cancel_futures=True)
