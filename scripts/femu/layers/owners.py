# SPDX-License-Identifier: GPL-2.0-or-later
"""Which room may change which member of the device's struct.

In the struct a comment line "room: text" names the room that owns the members
below it: that room and those above it may change them, and all may read them. A
change is found if it is an assignment, a ++ or --, or memset() and the like, by
way of "n->". A change through another pointer is not found. Knows nothing of
what the members mean.
"""

import re

from femu.layers import c_names

STATE = 'hw/femu/nvme/state/femu.h'
STRUCT = 'FemuZns'
PREFIX = 'nvme/'        # the names of the device's rooms begin so

HEADING = re.compile(r'    /\* ([a-z]+): ')
MEMBER = re.compile(r'    [\w ]+?[ *]+(\w+)(\[\w+\])?;')
CHANGE = re.compile(
    r'\bn->(\w+)(?:\[[^\]]*\]|\.\w+)*\s*'
    r'(?:[-+|&^*/%]=|<<=|>>=|=(?!=)|\+\+|--)|'
    r'(?:\+\+|--)n->(\w+)|'
    r'\b(?:memset|memmove|memcpy|g_clear_pointer)\s*\(\s*&?n->(\w+)')


def read_owners(text):
    """Return: {member: the room that the lines above it name, or None}"""
    owners, owner, inside = {}, None, False
    for line in text.split('\n'):
        if line == f'struct {STRUCT} {{':
            inside = True
        elif inside and line == '};':
            break
        elif inside:
            heading = HEADING.match(line)
            member = MEMBER.match(line)
            if heading:
                owner = PREFIX + heading.group(1)
            if member:
                owners[member.group(1)] = owner
    return owners


def faults(house, texts, state=STATE):
    """Return: [(path, line, what)] of members that a room below changes."""
    owners = read_owners(texts[state])
    wrong = [(state, 1, f'there is no room {room}, whose members these are')
             for room in sorted({o for o in owners.values() if o})
             if room not in house.rooms]
    if wrong or not owners:
        return wrong or [(state, 1, f'there is no struct {STRUCT}')]
    for path, text in sorted(texts.items()):
        room = house.room_of.get(path)
        if not room or not room.startswith(PREFIX):
            continue
        code = c_names.blank(text, c_names.BLANKED)
        for change in CHANGE.finditer(code):
            member = next(name for name in change.groups() if name)
            owner = owners.get(member)
            if owner and house.rooms.index(room) < house.rooms.index(owner):
                line = code.count('\n', 0, change.start()) + 1
                wrong.append((path, line, f'room {room} changes n->{member}, '
                              f'which is the business of {owner} above it'))
    return wrong
