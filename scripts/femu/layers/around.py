# SPDX-License-Identifier: GPL-2.0-or-later
"""The code around the core and the device: the rooms (layers) of the simulator,
and which files of the repository the tests and the guest's programs may
include.

Knows nothing of what the code does.
"""

import os
import re

from femu.layers import rooms

# The rooms of tools/, above those of the core; as in rooms.CORE.
TOOLS = (
    ('tools/config', 'tools/config/', "QEMU's configuration files"),
    ('tools/common', 'tools/common/',
     'values, latencies, random numbers, a heap, pictures'),
    ('tools/plan', 'tools/plan/', 'what a workload is, and how it is said'),
    ('tools/output', 'tools/output/', 'what came of it, and how it is told'),
    ('tools/engine', 'tools/engine/', 'sends a plan to a drive'),
    ('tools/commands', 'tools/commands/ tools/femu-sim.c',
     'the commands of femu-sim'),
)
# (folder, the folders and files of the repository that its files may also
# include). For files outside of these folders the rooms say that.
INCLUDES = (
    ('tests/unit/', 'hw/femu/ tools/config/'),
    ('tests/fuzz/', 'hw/femu/ssd.h hw/femu/ssd_trace.h hw/femu/params.h '
     'hw/femu/params_text.h tools/config/ tests/unit/support/any_params.h'),
    ('tests/qtest/', 'hw/femu/params.h tests/qtest/driver/'),
    ('tests/mutants/', ''),
    ('guest/', 'tools/common/fio_json.h'),
    ('tools/', 'hw/femu/'),
)
# A folder of tests is named after the room that it tests, or is one of these.
# It may include itself and what is listed here, and the room that it tests.
PUBLIC = 'hw/femu/*'
UNIT = {
    'support': PUBLIC,
    'model': f'{PUBLIC} hw/femu/base/ tests/unit/support/',
    'tools': 'tools/config/',
    'whole': f'{PUBLIC} tools/config/ tests/unit/support/ tests/unit/model/',
}
UNIT_ROOM = (f'{PUBLIC} hw/femu/base/ tests/unit/support/ tests/unit/model/ '
             'hw/femu/')
QTEST = ('driver', 'oracle', 'time', 'whole', 'femu', 'fuzz')
QTEST_ANY = 'hw/femu/params.h tests/qtest/driver/'
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')


def find(top, path, name):
    """Return: the file of the repository that #include "name" in path means, or
    None."""
    for base in (os.path.dirname(path), 'hw/femu', 'tools', 'tools/config',
                 'tests/unit', 'tests/qtest/driver', ''):
        found = os.path.normpath(os.path.join(base, name))
        if os.path.isfile(os.path.join(top, found)):
            return found
    return None


def _texts(top, files, folders):
    """Return: {path: text} of the C files in FOLDERS."""
    texts = {}
    for path in files:
        if path.startswith(folders) and path.endswith(('.c', '.h')):
            with open(os.path.join(top, path), encoding='utf-8') as file:
                texts[path] = file.read()
    return texts


def read(top, files, core=rooms.CORE):
    """Return: the rooms of the CORE and of tools/ as a rooms.House."""
    table = core + TOOLS
    texts = {path: text for path, text in
             _texts(top, files, ('hw/femu/', 'tools/')).items()
             if path.startswith('tools/') or
             any(rooms.fits(pattern, path) for row in table
                 for pattern in row[1].split())}
    return rooms.House(table, texts,
                       lambda path, name: find(top, path, name))


def _test_folders(files, core, device):
    """Return: rows like those of INCLUDES, and [(path, line, what)] of tests
    that are in no folder of a room."""
    rows, faults = {}, []
    rooms_of = {'tests/unit': [row[0] for row in core],
                'tests/qtest': [row[0].split('/')[-1] for row in device]}
    for path in files:
        top = '/'.join(path.split('/')[:2])
        if top not in rooms_of or not path.endswith(('.c', '.h')):
            continue
        folder = os.path.dirname(path)[len(top) + 1:]
        unit = top == 'tests/unit'
        if folder in rooms_of[top]:
            allowed = f'{UNIT_ROOM}{folder}/' if unit else QTEST_ANY
        elif folder in (UNIT if unit else QTEST):
            allowed = UNIT[folder] if unit else QTEST_ANY
        else:
            faults.append((path, 1, f'tests of {top} are in folders that have '
                           "a room's name"))
            continue
        rows[f'{top}/{folder}/'] = allowed
    return sorted(rows.items()), faults


def include_faults(top, files, core=rooms.CORE, device=rooms.DEVICE):
    """Return: [(path, line, what)] of includes that INCLUDES does not allow,
    or the row of a folder of tests."""
    rows, found = _test_folders(files, core, device)
    for folder, others in [*INCLUDES, *rows]:
        for path, text in sorted(_texts(top, files, (folder,)).items()):
            found += _faults_of(top, path, text, [folder, *others.split()])
    return found


def _faults_of(top, path, text, allowed):
    faults = []
    for number, line in enumerate(text.split('\n'), 1):
        match = INCLUDE.match(line)
        target = match and find(top, path, match[1])
        if target and (not any(rooms.fits(one, target) for one in allowed) or
                       target.startswith('hw/femu/nvme/')):
            faults.append((path, number, f'{match[1]}: {allowed[0]} may '
                           f'include of ours only: {", ".join(allowed)}'))
    return faults
