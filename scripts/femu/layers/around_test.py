# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests around.py and python.py: plants imports, includes and calls that are
not allowed around the core and the device.

Knows nothing of the real sources.
"""

import os
import tempfile

from femu.layers import around, python, rooms

# One file for each room, as a room without a file is a fault.
PYTHON = {(f'{room}/x.py' if '/' in room or room == 'scripts'
           else f'{python.FEMU}{room}/x.py'): 'import os\n'
          for room in python.ROOMS}
PYTHON[python.FEMU + '__init__.py'] = '"""Nothing."""\n'
PYTHON[python.FEMU + 'validate/x.py'] = 'from femu.common.x import y\n'
PYTHON['scripts/run'] = '#!/usr/bin/python3\nfrom femu.report import x\n'
PYTHON['tests/headline/run'] = '#!/usr/bin/python3\nimport x, scipy_like\n'
PYTHON['tests/sim/scipy_like.py'] = 'from femu.validate import x\n'

# (what, path, text at its end, the start of each fault)
PYTHON_PLANTS = (
    ('an import that runs up', 'scripts/femu/common/x.py',
     'def f():\n    from femu.validate import x\n',
     ['scripts/femu/common/x.py:3: room common imports femu.validate, in the '
      'room validate above it', 'rooms:0: a circle: common, validate']),
    ('a package that imports a command', 'scripts/femu/guest/x.py',
     'import femu.scripts\n',
     ['scripts/femu/guest/x.py:2: room guest imports femu.scripts, in the room '
      'scripts above it']),
    ('a package that imports a test', 'scripts/femu/common/x.py',
     'import scipy_like\n',
     ['scripts/femu/common/x.py:2: room common imports scipy_like, in the room '
      'tests/sim above it', 'rooms:0: a circle: common, validate, tests/sim']),
    ("tests that import other tests' modules", 'tests/sim/x.py',
     'import other\n', ['tests/sim/x.py:2: room tests/sim imports other, in '
                        'the room tests/report above it']),
    ('a library that the row does not name', 'scripts/femu/common/x.py',
     'import numpy.linalg\n', ['scripts/femu/common/x.py:2: room common may '
                               'not import numpy.linalg']),
    ('a room that there is not', 'scripts/femu/attic/x.py', 'import os\n',
     ['scripts/femu/attic/x.py:1: the file is in no room']),
    ("the guest's Python", 'guest/tools/x.py', 'from femu.common import x\n',
     ['guest/tools/x.py:1: the file is in no room']),
    ('no Python', 'scripts/femu/common/x.py', 'def\n',
     ['scripts/femu/common/x.py:2: is no Python']),
)

CORE = (('params', 'hw/femu/params*', ''), ('zns', 'hw/femu/zns/', ''),
        ('ssd', 'hw/femu/ssd*', ''))
TOOLS = {
    'hw/femu/params.h': '', 'hw/femu/zns/zone.h': '', 'hw/femu/ssd.h': 'int ssd_run(void);\n',
    'hw/femu/ssd.c': 'int ssd_run(void)\n{\n    return 0;\n}\n',
    'tools/config/line.c': '', 'tools/common/value.h': 'int value(void);\n',
    'tools/common/value.c': 'int value(void)\n{\n    return 1;\n}\n',
    'tools/common/heap.c': 'int heap(void)\n{\n    return value();\n}\n',
    'tools/plan/plan.h': 'int plan(void);\n',
    'tools/plan/plan.c': '#include "plan.h"\n#include "common/value.h"\n'
                         'int plan(void)\n{\n    return value();\n}\n',
    'tools/output/log.c': '',
    'tools/engine/engine.c': '#include "plan/plan.h"\n#include "ssd.h"\n'
                             'int engine(void)\n{\n'
                             '    return ssd_run() + plan();\n}\n',
    'tools/commands/run.c': '', 'tools/femu-sim.c': '',
    'tests/unit/zns/test_zone.c': '#include "zns/zone.h"\n',
    'tests/unit/tools/test_line.c': '#include "line.h"\n',
    'tests/qtest/io/femu-zns-x-test.c': '#include "qemu/osdep.h"\n'
                                        '#include "femu-zns-driver.h"\n'
                                        '#include "hw/femu/params.h"\n',
    'tests/qtest/driver/femu-zns-driver.h': '',
    'tests/qtest/queue/femu-zns-y.h': '',
    'tools/config/line.h': '', 'tools/common/fio_json.h': '',
    'guest/tools/load.c': '#include "../../tools/common/fio_json.h"\n',
    'hw/femu/nvme/pci.h': '', 'tests/unit/support/drive.h': '',
    'tests/unit/media/places.h': '', 'hw/femu/zns/jobs.h': '',
    'tests/fuzz/fuzz.c': '#include "ssd.h"\n',
}

TOOL_PLANTS = (
    ('tools: an include that runs up', 'tools/common/value.h',
     '#include "plan/plan.h"\n',
     ['tools/common/value.h:2: room tools/common includes plan/plan.h',
      'rooms:0: a circle: tools/common, tools/plan']),
    ('tools: a call that runs up', 'tools/plan/plan.c',
     'int more(void)\n{\n    return engine();\n}\n',
     ['tools/plan/plan.c:9: room tools/plan uses engine of '
      'tools/engine/engine.c', 'rooms:0: a circle: tools/plan, tools/engine',
      'tools/engine/engine.c:1: a circle of files: tools/engine/engine.c, ']),
    ('the core calls a tool', 'hw/femu/ssd.c',
     'int more(void)\n{\n    return engine();\n}\n',
     ['hw/femu/ssd.c:7: room ssd uses engine of tools/engine/engine.c',
      'rooms:0: a circle: ssd, tools/engine',
      'hw/femu/ssd.c:1: a circle of files: hw/femu/ssd.c, tools/engine/']),
    ('tools: a circle of files in a room', 'tools/common/value.c',
     'int more(void)\n{\n    return heap();\n}\n',
     ['tools/common/heap.c:1: a circle of files: tools/common/heap.c, tools/']),
    ('tools: a file in no room', 'tools/x.c', 'int x;\n',
     ['tools/x.c:1: the file is in no room']),
    ('a tool includes a test', 'tools/plan/plan.c',
     '#include "tests/unit/support/drive.h"\n',
     ['tools/plan/plan.c:7: tests/unit/support/drive.h: tools/ may include']),
    ('a unit test includes the device', 'tests/unit/zns/test_zone.c',
     '#include "nvme/pci.h"\n',
     ['tests/unit/zns/test_zone.c:2: nvme/pci.h: tests/unit/ may include',
      'tests/unit/zns/test_zone.c:2: nvme/pci.h: tests/unit/zns/ may']),
    ("a unit test includes another room's test", 'tests/unit/zns/test_zone.c',
     '#include "media/places.h"\n',
     ['tests/unit/zns/test_zone.c:2: media/places.h: tests/unit/zns/ may']),
    ('the dumb drive includes the core', 'tests/unit/model/model.c',
     '#include "zns/jobs.h"\n',
     ['tests/unit/model/model.c:1: zns/jobs.h: tests/unit/model/ may']),
    ('a unit test in no room', 'tests/unit/test_x.c', 'int x;\n',
     ['tests/unit/test_x.c:1: tests of tests/unit are in folders']),
    ('a qtest in no room', 'tests/qtest/attic/femu-zns-z-test.c', 'int x;\n',
     ['tests/qtest/attic/femu-zns-z-test.c:1: tests of tests/qtest are in']),
    ("a qtest includes another room's", 'tests/qtest/io/femu-zns-x-test.c',
     '#include "tests/qtest/queue/femu-zns-y.h"\n',
     ['tests/qtest/io/femu-zns-x-test.c:4: tests/qtest/queue/femu-zns-y.h: '
      'tests/qtest/io/ may include']),
    ('a qtest includes the core', 'tests/qtest/io/femu-zns-x-test.c',
     '#include "hw/femu/ssd.h"\n',
     ['tests/qtest/io/femu-zns-x-test.c:4: hw/femu/ssd.h: tests/qtest/ may',
      'tests/qtest/io/femu-zns-x-test.c:4: hw/femu/ssd.h: tests/qtest/io/ may']),
    ('a fuzzer includes a room of the core', 'tests/fuzz/fuzz.c',
     '#include "zns/zone.h"\n',
     ['tests/fuzz/fuzz.c:2: zns/zone.h: tests/fuzz/ may include']),
    ('a program of the guest includes the core', 'guest/tools/load.c',
     '#include "../../hw/femu/ssd.h"\n',
     ['guest/tools/load.c:2: ../../hw/femu/ssd.h: guest/ may include']),
)


def said(faults):
    return [f'{path}:{line}: {what}' for path, line, what in faults]


def python_faults(texts):
    return said(python.faults_of(python.Packages(
        {path: text for path, text in texts.items()
         if python.is_python(path, text)})))


def tool_faults(texts):
    with tempfile.TemporaryDirectory() as top:
        for path, text in texts.items():
            full = os.path.join(top, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, 'w', encoding='utf-8') as file:
                file.write(text)
        house = around.read(top, list(texts), CORE)
        return said(rooms.faults_of(house) +
                    around.include_faults(top, list(texts),
                                          CORE + (('media', '', ''),)))


def results():
    """Return: [(what was planted, what is wrong, or None)]"""
    out = []
    more = {'tests/report/other.py': ''}
    for name, faults, texts, plants in (
            ('Python', python_faults, dict(PYTHON, **more), PYTHON_PLANTS),
            ('tools and tests', tool_faults, TOOLS, TOOL_PLANTS)):
        found = faults(texts)
        out.append((f'{name} without an offence', found or None))
        for what, path, text, wanted in plants:
            found = faults({**texts, path: texts.get(path, '') + text})
            good = len(found) == len(wanted) and all(
                any(one.startswith(start) for one in found)
                for start in wanted)
            out.append((what, None if good else found))
    return out
