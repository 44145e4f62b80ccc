# SPDX-License-Identifier: GPL-2.0-or-later
"""The two programs that are mutated, each with the tests that are to see it:
the core with its Meson tests, the device in QEMU with its qtests.

Everything happens in a copy of the repository below build-mutants/. Both are
built by clang with ASan and UBSan, so that accesses out of bounds and leaks are
seen; and before that without, as most mutants are killed by that build in a
tenth of the time. Knows nothing of how mutants are found.
"""

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys

from femu.mutants import trial
from femu.mutants.trial import LONGEST_CPU_S, Program

NOT_COPIED = ('build', 'out', '.git')
SANITIZER_OPTIONS = {
    'ASAN_OPTIONS': 'abort_on_error=1:detect_leaks=1:hard_rss_limit_mb=3000',
    'UBSAN_OPTIONS': 'halt_on_error=1',
    # Else GLib has a hold of what is lost of its slices, such as a GError.
    'G_SLICE': 'always-malloc',
}
# Fill uninitialised variables with a pattern, so that tests see their use.
UNSET = '-ftrivial-auto-var-init=pattern'
# FEMU_EVERY of each test: it runs one of so many cases, the longest tests the
# fewest. Where each drive is a test case of its own, all are run.
EVERY = {'matrix': '40', 'poll': '40', 'fuzz-core': '40', 'corpus': '1',
         'cuts': '1', 'refusals': '1', 'causes': '1'}
EVERY_ELSE = '5'
LONGEST_PLAIN_CPU_S = 4     # on a machine with other work, too
# A qtest waits for QEMU's end by looking ten times a second: two processors have
# time for more tests than two. None of them waits for seconds.
QTESTS_AT_ONCE = 5
QTEST_WAIT_S = 10
# Of some only they reach what they reach, and on a loaded machine a test may
# need twice the time of a processor that it needs alone.
LONGEST_QTEST_CPU_S = 20
ORACLE_COUNT = '6000'       # commands to compare with QEMU's own drive
# Files that tests read besides those that their command line names.
READ_BY_TESTS = ('configs/', 'tests/data/', 'tests/fuzz/corpus/', 'tests/sim/',
                 'scripts/femu/', 'scripts/version', 'docs/parameters.md')
# Options of the compiler that clang's parser does not need or know.
LEFT_OUT = ('-fsanitize', '-Werror', '-fzero-call-used-regs',
            '-ftrivial-auto-var-init=zero')


class BuildError(Exception):
    """Something does not build; says what."""


def build(argv, env=None):
    """Run a build script; its progress, which is no output, is shown."""
    done = subprocess.run(argv, env=dict(os.environ, **(env or {})),
                          stdin=subprocess.DEVNULL, stdout=sys.stderr,
                          check=False)
    if done.returncode:
        raise BuildError(f'{" ".join(argv)} failed')


def write_if_changed(path, data):
    """Write a file, unless it holds these bytes already."""
    if os.path.isfile(path):
        with open(path, 'rb') as file:
            if file.read() == data:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(data)


def files_below(folder):
    """Return: the paths of a repository's files, builds and results left out.
    """
    found = []
    for here, folders, names in os.walk(folder):
        if here == folder:
            folders[:] = [n for n in folders if n not in NOT_COPIED
                          and not n.startswith('build-')]
        folders[:] = [n for n in folders if n != '__pycache__']
        found += [os.path.relpath(os.path.join(here, name), folder)
                  for name in names]
    return found


class Tree:
    """A copy of the repository, and what is built of it."""

    def __init__(self, top, folder, name):
        self.top = top
        self.folder = folder
        self.path = os.path.realpath(os.path.join(folder, name + '-tree'))
        self.core = os.path.join(folder, name)
        self.plain = os.path.join(folder, name + '-plain')
        self.qemu = os.path.join(folder, 'qemu')
        self.temporary = os.path.join(folder, name + '-tmp')

    def refresh(self, changed=None):
        """Make the copy equal to the repository, apart from the files that
        choose a mutant and {path: bytes} of changed files. Equal files keep
        their times."""
        changed = {**self.runtime(), **(changed or {})}
        wanted = {*self.repository(), *changed}
        for path in files_below(self.path):     # one may be a folder now
            if path not in wanted:
                os.remove(os.path.join(self.path, path))
        for path in self.repository():
            source = os.path.join(self.top, path)
            target = os.path.join(self.path, path)
            if path not in changed:
                with open(source, 'rb') as file:
                    write_if_changed(target, file.read())
                shutil.copymode(source, target)
        for path, data in changed.items():
            write_if_changed(os.path.join(self.path, path), data)
        shutil.rmtree(self.temporary, ignore_errors=True)
        os.makedirs(self.temporary)

    def repository(self):
        """Return: the paths of the repository's files."""
        return files_below(self.top)

    def runtime(self):
        """Return: {path: bytes} of the files that choose a mutant; they lie
        beside the core's sources and are built with them."""
        made = {}
        for name in ('mutant.c', 'mutant.h'):
            with open(os.path.join(self.top, 'tests/mutants', name),
                      'rb') as file:
                made['hw/femu/' + name] = file.read()
        listed = 'hw/femu/core/meson.build'
        with open(os.path.join(self.top, listed), encoding='utf-8') as file:
            text = file.read()
        made[listed] = text.replace(
            'files(\n', "files(\n    '../mutant.c',\n", 1).encode('utf-8')
        return made

    def build_core(self, folder, *options):
        """Build the core, its simulator and its tests."""
        compiler = 'ccache clang' if shutil.which('ccache') else 'clang'
        build([os.path.join(self.path, 'scripts/build-core'), folder, *options,
               '-Db_lundef=false', '-Doptimization=1', '-Ddebug=false',
               '-Dc_args=-w ' + UNSET],
              {'CC': compiler})

    def build_simulator(self):
        """Build the simulator alone; a qtest replays traces with it."""
        if not os.path.isfile(os.path.join(self.core, 'build.ninja')):
            build(['meson', 'setup', self.core, self.path])
        build(['ninja', '--quiet', '-C', self.core, 'tools/femu-sim'])

    def build_qemu(self, option):
        """Build QEMU with the device, and its qtests, from the sources that
        there are in the repository's own build, if there is one. option: of
        build-qemu, which kind of build."""
        sources = os.path.join(self.top, 'build-qemu')
        for name in ('src', 'src.id', 'firmware', 'venv'):
            theirs, ours = (os.path.join(folder, name)
                            for folder in (sources, self.qemu))
            if os.path.exists(theirs) and not os.path.exists(ours):
                os.makedirs(self.qemu, exist_ok=True)
                subprocess.run(['cp', '-a', theirs, ours], check=True)
        build([os.path.join(self.path, 'scripts/build-qemu'), option],
              {'QEMU_WORK': self.qemu})


class Target:
    """What Core and Device have in common. After prepare() the original is
    built, and `files` is {path in the repository: name by which it is
    compiled}."""

    name = None
    # A mutant that survives in one build is tried in the next, and survives if
    # it does so in the last. The first build tells what the tests reach.
    builds = ('plain', 'sanitised')
    workers = trial.WORKERS  # so many tests run at once

    def __init__(self, tree):
        self.tree = tree
        self.files = {}

    def covers(self, path):
        """Return: whether a path in the repository belongs to this target."""
        raise NotImplementedError

    def database(self):
        """Return: the folder of compile_commands.json."""
        raise NotImplementedError

    def sources_folder(self):
        """Return: the folder whose hw/femu is compiled."""
        raise NotImplementedError

    def commands(self):
        """Return: {source in the repository: (folder, compiler's arguments)},
        without the arguments that name outputs."""
        folder = self.database()
        with open(os.path.join(folder, 'compile_commands.json'),
                  encoding='utf-8') as file:
            listed = json.load(file)
        found = {}
        for one in listed:
            name = os.path.normpath(os.path.join(folder, one['file']))
            path = os.path.relpath(name, self.sources_folder())
            words = shlex.split(one['command'])
            if self.covers(path) and path not in found:
                found[path] = (folder, arguments_of(words, one['file'], name))
        return found

    def originals(self):
        """Return: {path: bytes} of the repository's files that are mutated."""
        found = {}
        for path in self.tree.repository():
            if path.endswith(('.c', '.h')) and self.covers(path):
                with open(os.path.join(self.tree.top, path), 'rb') as file:
                    found[path] = file.read()
        return found

    def is_prepared(self):
        """Return: whether it has been built before, from any sources."""
        return os.path.isfile(os.path.join(self.database(), 'build.ninja'))

    def prepare(self):
        """Copy the original's sources to where they are compiled, and make sure
        that the compiler's arguments for each are known."""
        self.tree.refresh()
        self.lay_sources()
        if not self.is_prepared():
            self.build(self.builds[0])
        build(['ninja', '--quiet', '-C', self.database(), 'build.ninja'])

    def lay_sources(self):
        """Do what a build does before it compiles."""

    def find_files(self):
        """Find the files that are mutated where they are compiled."""
        self.files = {}
        top = self.sources_folder()
        for here, _, names in os.walk(os.path.join(top, 'hw/femu')):
            for name in names:
                full = os.path.join(here, name)
                path = os.path.relpath(full, top)
                if name.endswith(('.c', '.h')) and self.covers(path):
                    self.files[path] = full

    def cache(self, what):
        """Return: a file beside the build."""
        return os.path.join(self.tree.folder, f'{self.name}-{what}.json')

    def data_digest(self):
        """Return: a digest of the files that tests read."""
        made = hashlib.sha256()
        for path in sorted(files_below(self.tree.path)):
            if path.startswith(READ_BY_TESTS) and '/mutant_' not in path:
                with open(os.path.join(self.tree.path, path), 'rb') as file:
                    made.update(path.encode('utf-8') + file.read())
        return made.hexdigest()

    def header_of(self, path):
        """Return: the path by which a file includes mutant.h."""
        return os.path.relpath('hw/femu/mutant.h', os.path.dirname(path))


def arguments_of(words, file, name):
    """Return: a compiler's arguments to parse a file, named in full."""
    while not words[0].startswith('-'):
        words = words[1:]       # ccache, clang
    arguments = []
    skip = 0
    for number, word in enumerate(words):
        if skip:
            skip -= 1
        elif word in ('-o', '-MF', '-MQ'):
            skip = 1
        elif word in ('-c', '-MD') or word.startswith(LEFT_OUT):
            pass
        elif word == file and number:
            arguments.append(name)
        else:
            arguments.append(word)
    return arguments


class Core(Target):
    """hw/femu without nvme/, as in the simulator and the unit tests."""

    name = 'core'

    def covers(self, path):
        return path.startswith('hw/femu/') and \
            not path.startswith(('hw/femu/nvme/', 'hw/femu/mutant')) and \
            path != 'hw/femu/trace.h'

    def database(self):
        return self.tree.plain

    def sources_folder(self):
        return self.tree.path

    def build(self, which):
        """Build what is in the tree now."""
        if which == 'plain':
            self.tree.build_core(self.tree.plain)
        else:
            self.tree.build_core(self.tree.core,
                                 '-Db_sanitize=address,undefined')

    def programs(self, which):
        """Return: the tests."""
        folder = self.tree.plain if which == 'plain' else self.tree.core
        listed = subprocess.run(
            ['meson', 'introspect', '--tests', folder],
            stdout=subprocess.PIPE, check=True)
        made = []
        for test in json.loads(listed.stdout):
            every = EVERY.get(test['name'], EVERY_ELSE)
            env = {**SANITIZER_OPTIONS, 'FEMU_EVERY': every, **test['env']}
            cases = None
            if 'unit' in [suite.split(':')[-1] for suite in test['suite']]:
                cases = glib_cases(test['cmd'], env, folder)
            made.append(Program(test['name'], test['cmd'], env,
                                test['workdir'] or folder, cases,
                                LONGEST_PLAIN_CPU_S if which == 'plain'
                                else LONGEST_CPU_S))
        return made


class Device(Target):
    """hw/femu/nvme, in QEMU, but for what schedules vCPUs, and for what KVM does:
    QEMU's accelerator for tests has neither."""

    name = 'device'
    workers = QTESTS_AT_ONCE

    def covers(self, path):
        return path.startswith('hw/femu/nvme/') and \
            not path.startswith(('hw/femu/nvme/processors/',
                                 'hw/femu/nvme/kvm/'))

    def folder(self, which):
        """Return: where a build is."""
        return os.path.join(self.tree.qemu,
                            'build' if which == 'plain' else 'sanitize')

    def database(self):
        return self.folder('plain')

    def sources_folder(self):
        return os.path.join(self.tree.qemu, 'src')

    def lay_sources(self):
        if os.path.isdir(self.sources_folder()):
            build([os.path.join(self.tree.path, 'scripts/overlay'),
                   self.sources_folder()])

    def build(self, which):
        """Build what is in the tree now."""
        self.tree.build_simulator()
        self.tree.build_qemu('--tests' if which == 'plain' else '--sanitize')

    def programs(self, which):
        """Return: the tests."""
        folder = self.folder(which)
        listed = os.path.join(self.sources_folder(),
                              'tests/qtest/femu/femu-zns-tests.list')
        with open(listed, encoding='utf-8') as file:
            names = file.read().split()
        env = {'QTEST_QEMU_BINARY': os.path.join(folder, 'qemu-system-x86_64'),
               'FEMU_SIM': os.path.join(self.tree.core, 'tools/femu-sim'),
               'G_TEST_SRCDIR': self.tree.path,
               'FEMU_TOP': self.tree.path, 'FEMU_ORACLE_COUNT': ORACLE_COUNT,
               **SANITIZER_OPTIONS}
        made = []
        for name in names:
            argv = [os.path.join(folder, 'tests/qtest', name), '--tap']
            made.append(Program(name, argv, env, folder,
                                glib_cases(argv, env, folder),
                                LONGEST_QTEST_CPU_S,
                                *((QTEST_WAIT_S,) if which == 'plain'
                                  else ())))
        return made


def glib_cases(argv, env, cwd):
    """Return: the paths of a GLib test program's tests."""
    done = subprocess.run([argv[0], '-l'], env=dict(os.environ, **env),
                          cwd=cwd, stdout=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, check=False)
    cases = [line for line in done.stdout.split('\n') if line.startswith('/')]
    if done.returncode or not cases:
        raise BuildError(f'{argv[0]} -l lists no tests')
    return cases


TARGETS = {target.name: target for target in (Core, Device)}
