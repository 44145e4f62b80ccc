# SPDX-License-Identifier: GPL-2.0-or-later
"""From a target to the fates of a random sample of its mutants: finds all
mutants, builds one program that holds all that compile, and runs the tests on
the mutants that are drawn. A mutant that compiles to the original's code is
replaced by another.

The mutants found and what the tests reach are cached beside the build, until a
source changes. Knows nothing of what the targets are and of how results are
shown.
"""

import collections
import concurrent.futures
import hashlib
import json
import os
import subprocess
import tempfile

from femu.mutants import equivalent, finder, killers, rewrite, trial
from femu.mutants.finder import Mutant
from femu.mutants.programs import BuildError

# Each file's mutants have blocks of numbers of their own, so that a change of
# one file does not renumber those of the others.
NUMBERS_PER_BLOCK = 256


def digest(*parts):
    """Return: a digest of some bytes, as text."""
    made = hashlib.sha256()
    for part in parts:
        made.update(b'%d:' % len(part))
        made.update(part)
    return made.hexdigest()


def load(path, key):
    """Return: the value that was saved in a file under this key, or None."""
    try:
        with open(path, encoding='utf-8') as file:
            kept = json.load(file)
    except (OSError, ValueError):
        return None
    return kept['value'] if kept.get('key') == key else None


def keep(path, key, value):
    """Save a value in a file under a key."""
    with open(path + '.new', 'w', encoding='utf-8') as file:
        json.dump({'key': key, 'value': value}, file)
    os.replace(path + '.new', path)


class Work:
    """One target's mutants. progress(what, done, total) is told how far it
    is. After find(), `all` holds them in the order of the source."""

    def __init__(self, target, progress):
        self.target = target
        self.progress = progress
        self.sources = {}       # {path: Source}
        self.commands = {}      # {path of a .c: (folder, arguments)}
        self.original = {}      # {path of a .c: its object code}
        self.all = []
        self.numbers = {}       # {mutant: number}
        self.headers = b''      # digest of all headers
        self.same = {}          # {digest of a mutant and its file: whether
                                # it compiles to the original's code}

    # --- Finding --------------------------------------------------------------

    def find(self):
        """Find all mutants that compile."""
        for path, data in sorted(self.target.originals().items()):
            self.sources[path] = finder.Source(path, data)
        with open(finder.__file__, 'rb') as file:
            key = digest(file.read(), *(part for path, source
                                        in self.sources.items()
                                        for part in (path.encode('utf-8'),
                                                     source.data)))
        cache = self.target.cache('found')
        found = load(cache, key)
        if found is None or not self.target.is_prepared():
            self.target.prepare()
        self.target.find_files()
        self.commands = self.target.commands()
        if found is None:
            found = self.without_faulty(self.find_all())
            keep(cache, key, found)
        self.all = [Mutant(*fields) for fields in found]
        self.numbers = numbers_of(self.all)
        self.headers = digest(*(source.data for path, source
                                in sorted(self.sources.items())
                                if path.endswith('.h'))).encode('utf-8')

    def find_all(self):
        """Return: all mutants."""
        parts = sorted(self.commands)
        found = {}
        with concurrent.futures.ProcessPoolExecutor(
                trial.WORKERS) as pool:
            started = [pool.submit(find_in, self.target.files, self.sources,
                                   self.commands[path]) for path in parts]
            for done, future in enumerate(started, 1):
                for mutant in future.result():
                    place = (mutant.path, mutant.begin, mutant.end,
                             mutant.kind, mutant.text)
                    found.setdefault(place, mutant)
                self.progress('reading the sources', done, len(parts))
        return [found[place] for place in sorted(found)]

    def without_faulty(self, mutants):
        """Return: those of the mutants that compile in one program."""
        parts = {}
        for mutant in mutants:
            parts.setdefault(mutant.path, []).append(mutant)
        faulty = set()
        with concurrent.futures.ThreadPoolExecutor(
                trial.WORKERS) as pool:
            for done, some in enumerate(
                    pool.map(self.faulty_of, parts.values()), 1):
                faulty.update(some)
                self.progress('compiling', done, len(parts))
        return [mutant for mutant in mutants if mutant not in faulty]

    def faulty_of(self, mutants):
        """mutants: of one file. Return: those that do not compile."""
        path = mutants[0].path
        left = dict(enumerate(mutants, 1))
        faulty = []
        while left:
            data = rewrite.together(path, self.sources[path].data,
                                    list(left.items()),
                                    self.target.header_of(path))
            compiled, printed = self.compile(
                self.user_of(path), path, data, None, '-fsyntax-only',
                '-ferror-limit=0', '-fno-caret-diagnostics',
                '-fno-color-diagnostics')
            if compiled:
                return faulty
            wrong = rewrite.at_fault(data, os.path.basename(path), printed)
            wrong &= set(left)
            if not wrong:
                raise BuildError(f'{path} does not compile with mutants: '
                                 + printed[:2000])
            faulty += [left.pop(number) for number in wrong]
        return faulty

    def diff(self, mutant):
        """Return: the lines that a mutant changes."""
        return rewrite.diff(self.sources[mutant.path].data, mutant)

    def key(self, mutant):
        """Return: the text by which lists of mutants identify a mutant."""
        return equivalent.key(mutant.path, mutant.function,
                              self.diff(mutant))

    # --- Compiling one --------------------------------------------------------

    def same_code(self, mutant):
        """Return: whether a mutant compiles to the same code as the original.
        Always False for a header, whose code is in many objects.
        """
        path = mutant.path
        if path.endswith('.h'):
            return False
        data = self.sources[path].data
        changed = rewrite.alone(data, mutant)
        asked = digest(self.headers, data, changed)
        if asked not in self.same:
            if path not in self.original:
                self.original[path] = self.compiled(path, path, data)
            self.same[asked] = \
                self.compiled(path, path, changed) == self.original[path]
        return self.same[asked]

    def user_of(self, header):
        """Return: the source with which a file is compiled: the file itself, or
        for a header the longest source that includes it."""
        if header in self.commands:
            return header
        name = os.path.basename(header).encode('utf-8')
        users = [path for path in self.commands
                 if name in self.sources[path].data]
        return max(users or self.commands,
                   key=lambda path: len(self.sources[path].data))

    def compiled(self, path, changed, data):
        """Compile a source with a changed file. Return: the object, or None."""
        with tempfile.TemporaryDirectory(
                dir=self.target.tree.temporary) as own:
            made = os.path.join(own, 'object')
            if not self.compile(path, changed, data, made, '-c')[0]:
                return None
            with open(made, 'rb') as file:
                return file.read()

    def compile(self, path, changed, data, made, *options):
        """Compile a source, one of whose files holds other bytes.

        Return: (whether it compiles, what the compiler says).
        """
        folder, arguments = self.commands[path]
        with tempfile.TemporaryDirectory(
                dir=self.target.tree.temporary) as own:
            other = os.path.join(own, 'changed')
            listed = os.path.join(own, 'listed')
            with open(other, 'wb') as file:
                file.write(data)
            with open(listed, 'w', encoding='utf-8') as file:
                json.dump({'version': 0, 'use-external-names': 'false',
                           'roots': [{'type': 'file',
                                      'name': self.target.files[changed],
                                      'external-contents': other}]}, file)
            plain = [word for word in arguments if not word.startswith('-g')]
            done = subprocess.run(
                ['clang', *plain, '-w', '-O2', '-ivfsoverlay', listed,
                 *options, *(['-o', made] if made else [])], cwd=folder,
                check=False, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                errors='replace', env=dict(os.environ, LC_ALL='C'))
            return done.returncode == 0, done.stderr

    # --- Running --------------------------------------------------------------

    def build(self, builds=None):
        """Build the programs that hold all mutants. builds: which, or None for
        all. Return: [[Case]] of each build; for the first it is known which
        mutants each test reaches."""
        by_path = {}
        for mutant, number in self.numbers.items():
            by_path.setdefault(mutant.path, []).append((number, mutant))
        self.target.tree.refresh(
            {path: rewrite.together(path, self.sources[path].data, some,
                                    self.target.header_of(path))
             for path, some in by_path.items()})
        builds = builds or self.target.builds
        for which in builds:
            self.target.build(which)
        cache = self.target.cache('reached')
        known = load(cache, trial.VERSION) or {}
        first = trial.baseline(
            self.target.programs(builds[0]), self.target.tree.temporary, known,
            self.target.data_digest(),
            lambda done, total: self.progress('tests of the original', done,
                                              total),
            lambda: keep(cache, trial.VERSION, known), self.target.workers)
        times = load(self.target.cache('times'), trial.VERSION) or {}
        return [first, *(trial.timed_cases(self.target.programs(which), which,
                                           times, self.target.data_digest())
                         for which in builds[1:])]

    def of_file(self):
        """Return: {path: the numbers of its mutants}."""
        found = {}
        for mutant, number in self.numbers.items():
            found.setdefault(mutant.path, set()).add(number)
        return found

    def draw(self, seed, wanted=None):
        """wanted(mutant): whether it may be drawn; None: all may. Return: the
        mutants in random order, which is the order in which they are drawn.

        A mutant's rank is of the seed and itself alone: a change of the source
        leaves the others in their order, so that a seed whose survivors are
        mended still draws what it drew.
        """
        times = collections.Counter()
        rank = {}
        for mutant in self.all:
            key = self.key(mutant)
            rank[mutant] = digest(*(repr(part).encode('utf-8')
                                    for part in (seed, key, times[key])))
            times[key] += 1
        return sorted((m for m in self.all if wanted is None or wanted(m)),
                      key=rank.get)

    def unseen(self, order, cases):
        """cases: of the first build. Return: the mutants that no test reaches,
        in their order."""
        seen = frozenset().union(*(case.reached for case in cases
                                   if not case.is_long))
        return [m for m in order if self.numbers[m] not in seen]

    def run(self, order, count, builds, take, quick_s=None):
        """Run the tests on the first mutants of ORDER. count: how many, None:
        all; builds: what build() returned; take(mutant, fate): called for each
        when its fate is known; quick_s: see Court. Raises RunError."""
        learned = self.target.cache('learned')
        kept = load(learned, trial.VERSION) or {'killers': {}, 'same': {}}
        self.same = kept['same']
        court = trial.Court(builds, self.target.tree.temporary,
                            killers.Killers(kept['killers'], self.key),
                            self.same_code, quick_s, self.target.workers,
                            self.of_file())
        order = list(order)
        wanted = len(order) if count is None else count
        try:
            while order and wanted:
                some, order = order[:wanted], order[wanted:]
                wanted = 0
                for mutant, fate in court.fates(
                        {self.numbers[mutant]: mutant for mutant in some}):
                    if fate.is_same:
                        wanted += 1
                    else:
                        take(mutant, fate)
        finally:
            keep(learned, trial.VERSION, kept)
            self.keep_times(builds[1:])

    def keep_times(self, builds):
        """Keep how long the tests of builds took on the original."""
        cache = self.target.cache('times')
        times = load(cache, trial.VERSION) or {}
        for cases in builds:
            trial.keep_times(cases, times)
        keep(cache, trial.VERSION, times)


def numbers_of(mutants):
    """Return: {mutant: its number, from 1 on}; each file begins a new block."""
    numbers = {}
    number = 0
    path = None
    for mutant in mutants:
        if mutant.path != path:
            path = mutant.path
            number = -(-number // NUMBERS_PER_BLOCK) * NUMBERS_PER_BLOCK
        number += 1
        numbers[mutant] = number
    if number >= trial.NUMBERS:
        raise BuildError(f'{len(numbers)} mutants are more than a program '
                         f'holds, {trial.NUMBERS - 1}')
    return numbers


def find_in(files, sources, command):
    """Find the mutants of one translation unit; runs in a process of its own.
    """
    folder, arguments = command
    os.chdir(folder)
    by_name = {}
    for path, name in files.items():
        by_name[name] = sources[path]
        by_name[os.path.relpath(name, folder)] = sources[path]
    return finder.find([(arguments[-1], arguments)], by_name)
