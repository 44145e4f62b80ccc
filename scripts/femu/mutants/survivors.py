# SPDX-License-Identifier: GPL-2.0-or-later
"""What out/mutants/TARGET.txt says of a survivor, written and read.

    hw/femu/drive/run.c:17: function: passes 3 tests that see another value
    -    a line of the source
    +    the line that the mutant makes of it

Knows nothing of how mutants are made.
"""

import re

from femu.mutants import equivalent

UNSEEN = 'no test sees another value'
HEAD = re.compile(r'(\S+):\d+: (\w+): '
                  rf'(?:passes \d+ tests that see another value|{UNSEEN})')


def text(where, met, lines):
    """where: file, line and function; met: how many tests that see another
    value it passes. Return: what is written of it."""
    says = f'passes {met} tests that see another value' if met else UNSEEN
    return '\n'.join((f'{where}: {says}', *lines))


def read(file):
    """file: its lines. Return: the keys of the survivors there, a set."""
    keys, head, lines = set(), None, []
    for line in [*file, '']:
        if head and line[:1] in ('-', '+'):
            lines.append(line.rstrip('\n'))
            continue
        if head and lines:
            keys.add(equivalent.key(*head, lines))
        found = HEAD.fullmatch(line.rstrip('\n'))
        head, lines = found and found.groups(), []
    return keys
