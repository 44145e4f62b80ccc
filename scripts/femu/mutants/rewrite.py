# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes mutants into source text: one alone, as the program would read; or
many in one program, of which one is chosen when it starts.

Knows nothing of how mutants are found and of what they change.
"""

import difflib
import re

BEGINS = re.compile(rb'(?:\(|\{ if \(!\()?femu_mutant_(?:is|sees)\((\d+)\b')
ASKED = re.compile(rb'femu_mutant_(?:is|sees)\((\d+)\b')


def alone(data, mutant):
    """data: a file's bytes. Return: them with one change made; lines keep
    their numbers."""
    old = data[mutant.begin:mutant.end]
    new = mutant.text.encode('utf-8')
    missing = old.count(b'\n') - new.count(b'\n')
    return data[:mutant.begin] + new + b'\n' * missing + data[mutant.end:]


def together(path, data, numbered, header):
    """path: a file's; data: its bytes; numbered: [(number, mutant)] of this file; header:
    what declares femu_mutant_is() and femu_mutant_sees(), as an #include of
    this file names it.

    Return: the bytes of a file that behaves like the original until a number is
    chosen. Lines keep their numbers. It says that it is a system's header (3), of
    which compilers report errors alone: a mutant need not look sound.
    """
    by_place = {}
    for number, mutant in numbered:
        place = (mutant.begin, -mutant.end)     # enclosing places first
        by_place.setdefault(place, []).append((number, mutant))
    places = sorted(by_place)
    text, used = _render(data, by_place, places, 0, 0, len(data))
    assert used == len(places), 'mutants overlap'
    return f'#include "{header}"\n# 1 "{path}" 3\n'.encode('utf-8') + text


def _render(data, by_place, places, used, begin, end):
    """The bytes [begin, end) with the places from places[used] on that lie in
    them. Return: (text, how many places are used now)."""
    parts = []
    while used < len(places):
        inner_begin, inner_end = places[used][0], -places[used][1]
        if inner_begin >= end:
            break
        parts.append(data[begin:inner_begin])
        inner, after = _render(data, by_place, places, used + 1, inner_begin,
                               inner_end)
        parts.append(_choice(by_place[places[used]], inner))
        begin, used = inner_end, after
    parts.append(data[begin:end])
    return b''.join(parts), used


def _choice(numbered, original):
    """Return: text that is the original, or the mutant that is chosen."""
    if numbered[0][1].kind == 'drop':
        chosen = ' || '.join(_asked(*one) for one in numbered)
        return b'{ if (!(%s)) { %s } }' % (chosen.encode('utf-8'), original)
    is_test = any(mutant.kind == 'test' for _, mutant in numbered)
    choice = b''
    for number, mutant in numbered:
        text = ' '.join(mutant.text.split('\n'))
        if is_test:
            text = f'!!({text})'
        choice += f'{_asked(number, mutant)} ? ({text}) : '.encode('utf-8')
    return b'(%s%s(%s))' % (choice, b'!!' if is_test else b'', original)


def _asked(number, mutant):
    """Return: the text that asks whether the program is a mutant."""
    if mutant.differs:
        return f'femu_mutant_sees({number}, {mutant.differs})'
    return f'femu_mutant_is({number})'


def at_fault(data, name, printed):
    """data: what together() returned; name: the file's; printed: what a
    compiler says of it. Return: the numbers of mutants in which errors are."""
    lines = data.split(b'\n')[2:]       # those that together() adds
    found = set()
    for place in re.finditer(r'(?:^|/)' + re.escape(name) +
                             r':(\d+):(\d+): (?:fatal )?error', printed, re.M):
        line, column = lines[int(place[1]) - 1], int(place[2]) - 1
        before = ASKED.findall(line[:column])
        after = BEGINS.match(line, column)
        if after:               # the error is at the choice itself
            found.add(int(after[1]))
        elif before:
            found.add(int(before[-1]))
    return found


def diff(data, mutant):
    """Return: the lines that change: ['-old', '+new'...], as they are."""
    first = data.rfind(b'\n', 0, mutant.begin) + 1
    last = data.find(b'\n', mutant.end)
    last = len(data) if last < 0 else last
    old = data[first:last].decode('utf-8')
    new = (data[first:mutant.begin].decode('utf-8') + mutant.text +
           data[mutant.end:last].decode('utf-8'))
    lines = difflib.unified_diff(old.split('\n'), new.split('\n'), lineterm='',
                                 n=0)
    return [line for line in lines
            if not line.startswith(('---', '+++', '@@'))]
