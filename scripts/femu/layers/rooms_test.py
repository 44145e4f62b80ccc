# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests rooms.py on a small source tree: plants uses of a higher room, which
must be found, and code that only looks like one, which must not.

Knows nothing of the real sources.
"""

from femu.layers import owners, rooms

TABLE = (
    ('ground', 'core/ground/ core/alone.*', 'lowest'),
    ('drive', 'core/*', 'the rest of the core'),
    ('queues', 'nvme/queue*', 'lowest of the device'),
    ('device', 'nvme/ hw/femu/nvme/', 'the rest of the device'),
)

# A tree without a fault; no line of it really uses a higher room.
CLEAN = {
    'core/ground/zone.h': 'void zone_open(int idx);\nextern int zone_count;\n'
                          'static inline int zone_least(void)\n{\n'
                          '    return 0;\n}\n',
    'core/ground/zone.c': '''#include "zone.h"
int zone_count = 1;
/* drive_run() in a comment */
struct Zone {
    int (*drive_run)(void);
};

static int drive_start(void)
{
    const char *text = "drive_run()" "\\"drive_run()";

    return text[0] == '{' ? zone.drive_run(zone->drive_run) : zone_least();
}

void
zone_open(int idx)
{
    zone_count = drive_start();
}
''',
    'core/alone.h': '#define ALONE 1\nint drive_run(void);\n',
    'core/drive.c': '#include "ground/zone.h"\nG_DEFINE_QUARK(a-b, c)\n\n'
                    'int drive_run(void)\n{\n    zone_open(zone_count);\n'
                    '    return ALONE;\n}\n\nint drive_start(void)\n{\n'
                    '    return 0;\n}\n',
    'nvme/queue.c': 'static int fetch(void)\n{\n    return drive_run();\n}\n'
                    'int (*const queue_table[])(void) = { fetch };\n',
    'nvme/pci.c': 'static void realize(void)\n{\n    queue_table[0]();\n}\n'
                  'void pci_notify(void)\n{\n}\ntype_init(realize)\n',
    'nvme/pci.h': 'void pci_notify(void);\n',
    'core/ground/map_internal.h': 'void map_init(void);\n',
    'core/ground/map.c': '#include "map_internal.h"\n'
                         'void map_init(void)\n{\n}\n',
    'hw/femu/nvme/a.c': 'void a_begin(void)\n{\n    b_end();\n}\n',
    'hw/femu/nvme/b.c': 'static void a_begin(void)\n{\n    a_begin();\n}\n',
}

# What a document says of the two rooms of the core.
DOCUMENT = '''
| `drive` | the rest of the core |
| `ground` | lowest |

   ground/zone    zone_open()     it opens
   ground/zone    drive_start()   which is static
'''
WRONG_DOCUMENTS = (
    ('a room that the document describes otherwise', 'rest', 'half',
     'without the row | `drive` | the rest of the core |'),
    ('rooms that stand between others in the document', '|\n| `ground',
     '|\n| `cellar` | low |\n| `ground', 'the rooms are not in the order'),
    ('a function that is not where the document says', 'zone_open()',
     'zone_close()', 'ground/zone.c does not define zone_close()'),
    ('a file that is not where the document says', 'ground/zone ',
     'drive/zone',
     'drive/zone.c does not define zone_open()'),
)

# An enum of a file, and a document with a row for each of its names.
LIST = {'a.h': 'typedef enum Phase {\n    RESET_FIRST, /* of\n                  */\n'
               '    RESET_LAST = 3,\n} Phase;\n'}
ROWS = '| `RESET_FIRST` | x |\n| `RESET_LAST` | y |\n'

DEFINITION = '\nstatic int planted(void)\n{\n    return '

# (what, path, text at its end, line and part of each fault, as a set)
PLANTS = (
    ('core: an include that runs up', 'core/ground/zone.h',
     '#include "../drive.c"\n',
     {'core/ground/zone.h:7: room ground includes ../drive.c',
      'rooms:0: a circle: ground, drive'}),
    ('core: a call that runs up', 'core/alone.h',
     DEFINITION + 'drive_run();\n}\n',
     {'core/alone.h:6: room ground uses drive_run of core/drive.c',
      'rooms:0: a circle: ground, drive'}),
    ('core: a pointer to a function above', 'core/ground/zone.c',
     'void *const hook[] = {\n    drive_run,\n};\n',
     {'core/ground/zone.c:21: room ground uses drive_run',
      'rooms:0: a circle: ground, drive'}),
    ('core: a macro whose text runs up', 'core/alone.h',
     '#define RUN(x) \\\n    drive_run()\n',
     {'core/alone.h:4: room ground uses drive_run',
      'rooms:0: a circle: ground, drive'}),
    ('core: a call of the device', 'core/drive.c',
     DEFINITION + 'queue_table[0]();\n}\n',
     {'core/drive.c:17: room drive uses queue_table of nvme/queue.c, in the '
      'room queues above it', 'rooms:0: a circle: drive, queues'}),
    ('device: an include that runs up', 'nvme/queue.c', '#include "pci.h"\n',
     {'nvme/queue.c:6: room queues includes pci.h',
      'rooms:0: a circle: queues, device'}),
    ('device: a call that runs up', 'nvme/queue.c',
     DEFINITION + 'pci_notify();\n}\n',
     {'nvme/queue.c:9: room queues uses pci_notify of nvme/pci.c, in the room '
      'device above it', 'rooms:0: a circle: queues, device'}),
    ('device: a circle by way of three rooms', 'core/ground/zone.c',
     DEFINITION + 'pci_notify();\n}\n',
     {'core/ground/zone.c:23: room ground uses pci_notify of nvme/pci.c',
      'rooms:0: a circle: ground, drive, queues, device'}),
    ('a header that is for another room', 'core/drive.c',
     '#include "ground/map_internal.h"\n',
     {'core/drive.c:14: ground/map_internal.h is for its room alone'}),
    ('an inline function of a header, which its own file provides for',
     'core/ground/zone.h', 'static inline void zone_again(void)\n{\n'
     '    zone_open(1);\n}\n', set()),
    ('a circle of files in one room of the device', 'hw/femu/nvme/b.c',
     'void b_end(void)\n{\n    a_begin();\n}\n',
     {'hw/femu/nvme/a.c:1: a circle of files: hw/femu/nvme/a.c, '
      'hw/femu/nvme/b.c'}),
    ('a file in no room', 'tools/sim.c', '', {'tools/sim.c:1: the file is in'}),
    ('one name in two files', 'core/drive.c', 'int queue_table[2];\n',
     {'nvme/queue.c:5: queue_table is defined in core/drive.c too'}),
    ('braces that do not balance', 'nvme/pci.c', '}\n',
     {'nvme/pci.c:9: a "}" too many'}),
)


# The device's struct, and two rooms that change it.
STATE = {
    'nvme/irq.c': '''
static void irq(void)
{
    held->cc = n->cc == 1;
    n->cc[1]->told = true;
    n->held[n->cc].count += n->cc != 2;
    memset(&n->held, 0, n->cc);
}
''',
    'nvme/top.c': 'static void top(void)\n{\n    n->held = n->cc = 1;\n}\n',
    'nvme/state.h': '''struct FemuZns {
    int parent;

    /* irq: what is held. */
    Held held[MAX];

    /* top: how it is enabled,
     * and more. */
    uint32_t *cc;
};
struct Other {
    int held;
};
''',
}
STATE_TABLE = (('nvme/irq', 'nvme/irq.c nvme/state.h', ''),
               ('nvme/top', 'nvme/top.c', ''))
CHANGES = ('n->cc = 1', 'n->cc[1].x |= 2', 'n->cc <<= 2', 'n->cc++', '--n->cc',
           'memset(&n->cc, 0, 4)', 'g_clear_pointer(&n->cc, g_free)')


def state_faults(path='nvme/irq.c', old='', new=''):
    texts = dict(STATE)
    texts[path] = texts[path].replace(old, new, 1)
    house = rooms.House(STATE_TABLE, texts, find_include)
    return [f'{path}:{line}: {what}' for path, line, what in
            owners.faults(house, texts, 'nvme/state.h')]


def state_results():
    """Return: as results(), of who changes what of the device's struct."""
    found = state_faults()
    out = [('members that their rooms change', f'{found}' if found else None)]
    for change in CHANGES:
        found = state_faults(old='held->cc', new=change + ';\n    held->cc')
        wrong = found != ['nvme/irq.c:4: room nvme/irq changes n->cc, which is '
                          'the business of nvme/top above it']
        out.append((f'a room below: {change}', f'{found}' if wrong else None))
    found = state_faults('nvme/state.h', '* top:', '* attic:')
    wrong = found != ['nvme/state.h:1: there is no room nvme/attic, whose '
                      'members these are']
    out.append(('a room that there is not', f'{found}' if wrong else None))
    found = state_faults('nvme/state.h', 'FemuZns', 'Zns')
    wrong = found != ['nvme/state.h:1: there is no struct FemuZns']
    out.append(('no struct', f'{found}' if wrong else None))
    return out


def find_include(path, name):
    """Return: the file that #include "name" in path means, or None."""
    folders = path.split('/')[:-1]
    while name.startswith('../'):
        folders, name = folders[:-1], name[3:]
    return '/'.join([*folders, name])


def faults(texts, table=TABLE):
    house = rooms.House(table, texts, find_include)
    return [f'{path}:{line}: {what}'
            for path, line, what in rooms.faults_of(house)], house


def results():
    """Return: [(what was planted, what is wrong, or None)]"""
    found, house = faults(CLEAN)
    said = rooms.summary(house)
    wrong = found or said != 'rooms: 4 rooms, 0 circles, 0 arrows up'
    out = [('a clean house', f'{found} {said}' if wrong else None)]
    said = rooms.document_faults(('d', DOCUMENT), TABLE[:2], house,
                                 ('core/',))
    out.append(('a document that tells the truth', f'{said}' if said else None))
    for what, old, new, expected in WRONG_DOCUMENTS:
        said = rooms.document_faults(('d', DOCUMENT.replace(old, new, 1)),
                                     TABLE[:2], house, ('core/',))
        wrong = len(said) != 1 or not said[0][2].startswith(expected)
        out.append((what, f'{said}' if wrong else None))
    for what, rows, count in (('a list that the document has', ROWS, 0),
                              ('a list with a name more', ROWS[21:], 1),
                              ('a list in another order',
                               ROWS[23:] + ROWS[:23], 1)):
        said = rooms.list_faults(('d', rows), LIST, (('a.h', 'Phase'),))
        out.append((what, f'{said}' if len(said) != count else None))
    found, _ = faults(CLEAN, (*TABLE, ('drive', 'core/drive.c', '')))
    wrong = found[:1] != ['drive:0: two rooms have this name']
    out.append(('two rooms of one name', f'{found}' if wrong else None))
    found, _ = faults(CLEAN, (('cellar', 'cellar/', ''), *TABLE))
    wrong = found != ['cellar/:0: no file of room cellar is that']
    out.append(('a room without files', found if wrong else None))
    for what, path, text, expected in PLANTS:
        before = CLEAN.get(path, '') if path != 'hw/femu/nvme/b.c' else ''
        found, _ = faults({**CLEAN, path: before + text})
        wrong = (len(found) != len(expected) or
                 any(not any(f.startswith(e) for f in found)
                     for e in expected))
        out.append((what, f'{found}' if wrong else None))
    return out + state_results()
