# SPDX-License-Identifier: GPL-2.0-or-later
"""The rooms (layers) of the core and of the device, and which may use which.

A room is a set of files. It may use itself and the rooms before it in the
table. Knows nothing of what the code does.
"""

import os
import re

from femu.layers import c_names

# Bottom to top: (room, its files, what it is). A pattern that ends with "/"
# means all below a folder; a "*" stands for anything within one. A file belongs
# to the first pattern that fits; it must belong to one, and a pattern must fit
# something. A header that ends with "internal.h" is for its room alone.
CORE = (
    ('types', 'hw/femu/ssd_types.h', 'what all rooms of the drive speak of'),
    ('params', 'hw/femu/params.* hw/femu/params_name* hw/femu/params_size* '
     'hw/femu/params_table* hw/femu/params_text*',
     'every number that a user can turn'),
    ('base', 'hw/femu/base/',
     'events in order of time, turns, ranks, clocks, draws, arithmetic'),
    ('timing', 'hw/femu/timing/', 'the flash array in time: channels and units'),
    ('inside', 'hw/femu/inside/',
     'the commands inside, names of events, and what goes up: effects'),
    ('media', 'hw/femu/media/',
     "zones' pages on the flash: mapping, superblocks, what is programmed"),
    ('link', 'hw/femu/link/', 'the host link, in and out'),
    ('ahead', 'hw/femu/ahead/',
     'read-ahead: streams of reads, what is fetched before they ask'),
    ('buffer', 'hw/femu/buffer/',
     'the write buffer: who gets room, and how it drains'),
    ('reset', 'hw/femu/reset/', 'what a reset costs beside its erases'),
    ('zns', 'hw/femu/zns/',
     'zones: states, limits, reads, writes, jobs, what is erased and when'),
    ('conv', 'hw/femu/conv/', 'the conventional namespace: a log'),
    ('entry', 'hw/femu/entry/',
     'the front end and its costs, read slots, the way out'),
    ('rules', 'hw/femu/params_rules* hw/femu/params_check* '
     'hw/femu/params_bounds*',
     'which numbers go together, and how much room the drive needs for them'),
    ('waist', 'hw/femu/ssd.h hw/femu/ssd_*',
     'what the drive is for all that use it; trace files'),
    ('drive', 'hw/femu/drive/',
     'submission, the run of events, effects and completions; statistics'),
)
DEVICE = (
    ('nvme/qemu', 'hw/femu/nvme/qemu/',
     "what is not the same in all of QEMU's versions"),
    ('nvme/processors', 'hw/femu/nvme/processors/',
     "the guest's processors: their clock and turns, or how they wait"),
    ('nvme/state', 'hw/femu/nvme/state/ hw/femu/trace.h',
     'the object that all work on, and what the controller may do now'),
    ('nvme/record', 'hw/femu/nvme/record/',
     'what is recorded: trace, history, what else lasts'),
    ('nvme/host', 'hw/femu/nvme/host/',
     "host memory: a command's data by PRPs or an SGL; shadow doorbells"),
    ('nvme/kvm', 'hw/femu/nvme/kvm/',
     'what KVM does in our place: interrupts and doorbells as events'),
    ('nvme/irq', 'hw/femu/nvme/irq/', 'interrupts'),
    ('nvme/completion', 'hw/femu/nvme/completion/',
     'completion queues, the error log'),
    ('nvme/ns', 'hw/femu/nvme/ns/',
     'namespaces: what they are, their zones, all data'),
    ('nvme/event', 'hw/femu/nvme/event/',
     'asynchronous events, and the lists of what has changed'),
    ('nvme/request', 'hw/femu/nvme/request/',
     'commands inside the core; clock, statistics; a core as its history has it'),
    ('nvme/queue', 'hw/femu/nvme/queue/',
     'submission queues, and the end of all queues'),
    ('nvme/io', 'hw/femu/nvme/io/', 'I/O commands'),
    ('nvme/admin', 'hw/femu/nvme/admin/',
     'admin commands, features, Format NVM'),
    ('nvme/fetch', 'hw/femu/nvme/fetch/',
     'doorbells, and commands out of the queues'),
    ('nvme/controller', 'hw/femu/nvme/controller/',
     'enable and reset, the one way in, the timer, the thread'),
    ('nvme/user', 'hw/femu/nvme/user/',
     'properties of a running drive: media errors, zones, statistics'),
    ('nvme/migration', 'hw/femu/nvme/migration/',
     'a drive that moves into another QEMU'),
    ('nvme/pci', 'hw/femu/nvme/pci/',
     'the PCI device: type, properties, realize; BAR 0'),
    ('nvme/stop', 'hw/femu/nvme/stop/',
     'a port by which a guest stops its machine'),
    ('nvme/insns', 'hw/femu/nvme/insns/',
     'a port by which a guest reads how many instructions it has executed'),
)
HOUSE = CORE + DEVICE

# Folders in which files may not call each other in a circle, not even files of
# one room.
NO_CIRCLES = ('hw/femu/', 'tools/')

# The documents that list the rooms for readers, top to bottom, and follow a
# command through them in lines like "room/file function()".
DOCUMENTS = (('docs/design.md', CORE), ('docs/device.md', DEVICE))
WAY = re.compile(r' +(\w+/\w+) +(\w+)\(\)')

# Enums of the core whose names the first document lists in the same order:
# (file, enum).
LISTS = (
    ('hw/femu/inside/effects.h', 'EffectKind'),
    ('hw/femu/inside/events.h', 'EventRoom'),
    ('hw/femu/base/owner.h', 'OwnerKind'),
    ('hw/femu/reset/reset.h', 'ResetPhase'),
)


def fits(pattern, path):
    if pattern.endswith('/'):
        return path.startswith(pattern)
    return re.fullmatch(re.escape(pattern).replace(r'\*', '[^/]*'), path)


class House:
    """The files of a source tree, sorted into rooms, and what they use.

    faults: [(path, line, what)], what is wrong with the table or a file.
    arrows: [(path, line, name, target, is it an include?)], from file to file.
    """

    def __init__(self, table, texts, find_include):
        """texts: {path: text}; find_include(path, name): file, or None."""
        self.rooms = [row[0] for row in table]
        self.room_of = {}
        self.faults = []
        self.arrows = []
        self.files = {}
        self.faults.extend((room, 0, 'two rooms have this name')
                           for room in sorted(set(self.rooms))
                           if self.rooms.count(room) > 1)
        patterns = [(pattern, row[0]) for row in table
                    for pattern in row[1].split()]
        used = set()
        for path in sorted(texts):
            for pattern, room in patterns:
                if fits(pattern, path):
                    self.room_of[path] = room
                    used.add(pattern)
                    break
            else:
                self.faults.append((path, 1, 'the file is in no room'))
        self.faults.extend((pattern, 0, f'no file of room {room} is that')
                           for pattern, room in patterns
                           if pattern not in used)
        self._read(texts, find_include)

    def _read(self, texts, find_include):
        files, defined = self.files, {}
        for path, text in sorted(texts.items()):
            try:
                files[path] = c_names.CFile(text, path.endswith('.h'))
            except c_names.ParseError as error:
                self.faults.append((path, *error.args))
                continue
            for name in files[path].defines:
                defined.setdefault(name, []).append(path)
        for name, paths in defined.items():
            if len(paths) > 1:
                self.faults.append((paths[1], files[paths[1]].defines[name],
                                    f'{name} is defined in {paths[0]} too'))
        for path, file in files.items():
            for line, name in file.includes:
                target = find_include(path, name)
                if target in texts and target != path:
                    self.arrows.append((path, line, name, target, True))
                    if name.endswith('internal.h') and \
                            self.room_of.get(path) != self.room_of.get(target):
                        self.faults.append((path, line,
                                            f'{name} is for its room alone'))
            for line, name in file.uses:
                target = defined.get(name, [path])[0]
                if target != path and name not in file.local and \
                        name not in file.defines:
                    self.arrows.append((path, line, name, target, False))

    def defines(self, path, name):
        """Return: does the file define this function or object?"""
        file = self.files.get(path)
        return file is not None and (name in file.local or
                                     name in file.defines)

    def between_rooms(self):
        """Return: [(room, other room, arrow)] of the arrows that cross."""
        crossing = []
        for arrow in self.arrows:
            room = self.room_of.get(arrow[0])
            other = self.room_of.get(arrow[3])
            if room and other and room != other:
                crossing.append((room, other, arrow))
        return crossing

    def arrows_up(self):
        """Return: [(path, line, what)]"""
        up = []
        for room, other, (path, line, name, target, include) in \
                self.between_rooms():
            if self.rooms.index(other) > self.rooms.index(room):
                verb = 'includes' if include else 'uses'
                up.append((path, line, f'room {room} {verb} {name} of '
                           f'{target}, in the room {other} above it'))
        return sorted(set(up))

    def room_circles(self):
        """Return: lists of rooms that use each other, directly or not."""
        edges = {(room, other) for room, other, _ in self.between_rooms()}
        return circles(self.rooms, edges)

    def file_circles(self, by_include=False):
        """Return: lists of files that call (or include) each other.

        An inline function that calls the source of its own header makes none.
        """
        edges = {(a[0], a[3]) for a in self.arrows if a[4] == by_include and
                 a[0] != a[3][:-1] + 'h'}
        return circles(sorted({path for edge in edges for path in edge}),
                       edges)


def circles(nodes, edges):
    """Return: the strongly connected components of two nodes and more, the
    largest first (by each node's reach: there are few nodes)."""
    after = {node: {b for a, b in edges if a == node} for node in nodes}
    reach = {}
    for node in nodes:
        seen, todo = set(), [node]
        while todo:
            for other in after[todo.pop()] - seen:
                seen.add(other)
                todo.append(other)
        reach[node] = seen
    found = []
    for node in nodes:
        circle = [o for o in nodes if o in reach[node] and node in reach[o]]
        if len(circle) > 1 and circle[0] == node:
            found.append(circle)
    return sorted(found, key=len, reverse=True)


def faults_of(house):
    """Return: [(path, line, what)], all that is wrong with a house."""
    return (house.faults + house.arrows_up() +
            [('rooms', 0, 'a circle: ' + ', '.join(circle))
             for circle in house.room_circles()] +
            [(circle[0], 1, 'a circle of files: ' + ', '.join(circle))
             for circle in house.file_circles()
             if circle[0].startswith(NO_CIRCLES)])


def document_faults(document, table, house, folders):
    """Return: [(path, line, what)], what a document (path, text) says wrongly
    of the rooms of a table, and of a way through rooms in these folders."""
    path, text = document
    rows = [f'| `{room}` | {what} |' for room, _, what in reversed(table)]
    faults = []
    if '\n'.join(rows) not in text:
        faults = [(path, 0, f'without the row {row}, or not in the order '
                   'of rooms.py') for row in rows
                  if row not in text] or \
            [(path, 0, 'the rooms are not in the order, top to bottom, of '
              'rooms.py')]
    for number, line in enumerate(text.split('\n'), 1):
        found = WAY.match(line)
        if found and not any(house.defines(f'{folder}{found.group(1)}.c',
                                           found.group(2))
                             for folder in folders):
            faults.append((path, number, f'{found.group(1)}.c does not '
                           f'define {found.group(2)}()'))
    return faults


def list_faults(document, texts, lists=LISTS):
    """Return: [(path, line, what)], where a table of a document (path, text)
    does not have a row for each name of an enum, in its order; texts: {path:
    text}."""
    faults = []
    for path, enum in lists:
        found = re.search(r'typedef enum ' + enum + r' \{(.*?)\}', texts[path],
                          re.S)
        names = re.findall(r'^    (\w+)', found.group(1), re.M)
        prefix = names[0].split('_')[0]
        rows = re.findall(rf'^\| `({prefix}_\w+)` \|', document[1],
                          re.M)
        if rows != names:
            faults.append((document[0], 0, f'{enum} of {path} is {names}, but '
                           f'its rows here are {rows}'))
    return faults


def summary(*houses):
    """Return: the last line, of houses that may have rooms in common."""
    names = {room for house in houses for room in house.rooms}
    found = {tuple(circle) for house in houses
             for circle in house.room_circles()}
    up = {arrow for house in houses for arrow in house.arrows_up()}
    return (f'rooms: {len(names)} rooms, {len(found)} circles, '
            f'{len(up)} arrows up')


def graph(house):
    """Yields the lines that say how the rooms and files hang together."""
    crossing = house.between_rooms()
    for room in reversed(house.rooms):
        files = [p for p, r in house.room_of.items() if r == room]
        yield f'{room}: {len(files)} files'
        for other in reversed(house.rooms):
            there = [a for r, o, a in crossing if (r, o) == (room, other)]
            calls = sum(not a[4] for a in there)
            if there:
                yield (f'  -> {other}: {calls} calls, '
                       f'{len(there) - calls} includes')
    for what, by_include in (('calls', False), ('includes', True)):
        arrows = [a for a in house.arrows if a[4] == by_include]
        pairs = {(a[0], a[3]) for a in arrows}
        found = house.file_circles(by_include)
        yield (f'{what}: {len(arrows)} from file to file, {len(pairs)} pairs '
               f'of files, {len(found)} circles of files')
        for circle in found:
            room = {house.room_of.get(path) for path in circle}
            where = 'in ' + room.pop() if len(room) == 1 else 'across rooms'
            names = ', '.join(os.path.basename(path) for path in circle)
            yield f'  {len(circle)} files, {where}: {names}'
