# SPDX-License-Identifier: GPL-2.0-or-later
"""The rooms (layers) of the Python code, and which room may import which.

A room may import itself and the rooms before it in the table, Python's own
library, and the libraries that its row names. Knows nothing of what the code
does.
"""

import ast
import os
import sys

from femu.layers.rooms import circles

FEMU = 'scripts/femu/'
FOLDERS = ('scripts/', 'tests/', 'guest/', 'python/')
# Bottom to top: (room, libraries, what it is). A room is a package of
# scripts/femu/, or a folder with commands or tests.
TABLE = (
    ('common', '', 'paths, progress, errors, numbers, what the user asked for'),
    ('drawing', 'matplotlib', 'how pages, pictures and axes look'),
    ('trace', 'numpy', 'trace.csv'),
    ('results', 'numpy', 'what a run left behind; in the wheel, too'),
    ('report', 'matplotlib numpy', "a run's table, page and pictures"),
    ('compare', '', 'several runs side by side'),
    ('measured', '', 'measured experiments, and bounds on errors'),
    ('validate', 'numpy', 'measured points beside the model'),
    ('evidence', '', 'what supports a model of a measured drive'),
    ('interference', '', 'finish and reset beside I/O'),
    ('figures', '', "the papers' figures"),
    ('observations', '', 'what papers observed'),
    ('mqssd', 'numpy scipy', 'what models for algorithms make of a drive'),
    ('zone_finder', '', 'which zones share units, found and scored'),
    ('gallery', '', "the papers' figures and tables, all of them"),
    ('stacks', '', "what Linux' storage stacks cost"),
    ('guest_table', '', 'measured experiments in the guest'),
    ('image', '', "the guest's kernel and image"),
    ('guest', '', 'a guest, started and watched'),
    ('live', '', 'a drive that is watched while it works'),
    ('crash', '', "a job's power cuts, and a guest that checks what is left"),
    ('sweep', '', 'many runs by one plan'),
    ('torture', '', 'a drive that is killed, and a host that remembers'),
    ('dist', '', 'what is unpacked and used elsewhere'),
    ('mutants', 'clang', 'changes that no test sees'),
    ('members', 'clang', 'members that no row of a state mentions'),
    ('layers', '', 'which file may use which'),
    ('scripts', '', 'the commands'),
    ('python/femu_zns', 'numpy pandas scipy', 'the Python package'),
    ('python', 'cffi', 'how it is built, how fast it is'),
    ('tests/sim', '', 'femu-sim from outside'),
    ('tests/headline', '', 'what is stated of the ZN540'),
    ('tests/guest', '', 'Linux on the drive'),
    ('tests/report', 'matplotlib numpy', 'what a run is reported as'),
    ('tests/python', 'nbclient nbformat pandas', 'the package, installed'),
    ('tests/dist', '', 'the archive, on a bare machine'),
    ('tests/sweep', '', 'sweeps, on this machine and by Slurm'),
    ('tests/torture', '', 'a short torture'),
    ('tests/mutants', '', 'the command that mutates'),
    ('tests/fuzz', '', 'seeds of the device'),
    ('tests/scripts', '', 'the commands that build and test'),
    ('tests/readme', '', "README.md's commands"),
)
ROOMS = [row[0] for row in TABLE]


def is_python(path, text):
    return path.startswith(FOLDERS) and (
        path.endswith('.py') or text.startswith('#!/usr/bin/python3'))


def room_of(path):
    """Return: the room that PATH is in, or None."""
    folders = path.split('/')[:-1]
    if path.startswith(FEMU):
        folders = folders[2:] or ['scripts']
    elif folders[0] == 'scripts':
        folders = folders[:1]
    name = '/'.join(folders[:2])
    return name if name in ROOMS else None


def imported(text):
    """Yields (line, dotted name) of every import of a file, wherever it is."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, '.' * node.level + (node.module or '')


class Packages:
    """The Python of a tree.

    faults: [(path, line, what)]
    edges: {(room, other room)} of the imports that cross.
    """

    rooms = ROOMS

    def __init__(self, texts):
        """texts: {path: text} of all that is_python()."""
        self.faults = []
        self._up = []
        self.edges = set()
        self._paths = set(texts)
        used = set()
        for path, text in sorted(texts.items()):
            room = room_of(path)
            if room is None:
                self.faults.append((path, 1, 'the file is in no room'))
                continue
            used.add(room)
            try:
                found = list(imported(text))
            except SyntaxError as error:
                self.faults.append((path, error.lineno, 'is no Python'))
                continue
            for line, name in found:
                self._import(path, room, line, name)
        self.faults += [(room, 0, 'no file is in that room') for room in ROOMS
                        if room not in used]

    def _import(self, path, room, line, name):
        first, _, rest = name.partition('.')
        if first in sys.stdlib_module_names or \
                first in TABLE[ROOMS.index(room)][1].split():
            return
        other = rest.split('.')[0] if first == 'femu' else \
            'python/femu_zns' if first == 'femu_zns' else self._beside(
                room, first)
        if other not in ROOMS:
            self.faults.append((path, line, f'room {room} may not import '
                                f'{name or "."}'))
        elif other != room:
            self.edges.add((room, other))
            if ROOMS.index(other) > ROOMS.index(room):
                self._up.append((path, line, f'room {room} imports {name}, in '
                                f'the room {other} above it'))

    def _beside(self, room, name):
        """Return: the tests' room that has a module NAME, or None."""
        found = [other for other in ROOMS if other.startswith('tests/') and
                 f'{other}/{name}.py' in self._paths]
        return room if room in found else found[0] if found else None

    def arrows_up(self):
        return self._up

    def room_circles(self):
        return circles(ROOMS, self.edges)


def read(top, files):
    """Return: the Packages of a tree."""
    texts = {}
    for path in files:
        if path.startswith(FOLDERS) and \
                os.path.splitext(path)[1] in ('', '.py'):
            with open(os.path.join(top, path), encoding='utf-8') as file:
                text = file.read()
            if is_python(path, text):
                texts[path] = text
    return Packages(texts)


def faults_of(packages):
    """Return: [(path, line, what)], all that is wrong."""
    return packages.faults + packages.arrows_up() + [
        ('rooms', 0, 'a circle: ' + ', '.join(circle))
        for circle in packages.room_circles()]


def graph(packages):
    """Yields the lines that say which room imports which."""
    for room in reversed(ROOMS):
        others = [other for other in ROOMS if (room, other) in packages.edges]
        yield ' -> '.join([room, ', '.join(others)] if others else [room])
