# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the mutants that are known to do what the original does.

The file holds blocks, with an empty line between them; lines that start with
"#" are for the reader:

    hw/femu/drive/run.c: function
    -    a line of the source, as it is
    +    the line that the mutant makes of it
    Why nobody can see the difference, in one or several lines.

or, of all mutants of a file that no test of the target can run,

    hw/femu/nvme/processors/femu_icount.c: *
    Why none can, and what sees it instead.

A block is identified by its text, not by a line's number: when its source
changes it no longer fits, and must be judged anew. Knows nothing of how mutants
are made.
"""

import re

MOST_PERCENT = 5
WHOLE_FILE = '*'                # in place of a function


class ListError(Exception):
    """The list is wrong; says where and how."""


def key(path, function, lines):
    """Return: the text that identifies a mutant; blanks do not count."""
    return (path, function,
            tuple(re.sub(r'\s+', ' ', line[0] + ' ' + line[1:]).strip()
                  for line in lines))


class Entry:
    """One mutant that is called equivalent."""

    def __init__(self, where, path, function, lines, reason):
        self.where = where      # "file:line" of the block
        self.path = path
        self.key = key(path, function, lines)
        self.reason = reason
        self.is_file = function == WHOLE_FILE


def parse(path, text):
    """path: how messages name the file. Return: {key: Entry}."""
    entries = {}
    number = 0
    block = []
    for line in [*text.split('\n'), '']:
        number += 1
        if line.startswith('#'):
            continue
        if line.strip():
            block.append((number, line))
        elif block:
            entry = _parse_block(path, block)
            if entry.key in entries:
                raise ListError(f'{entry.where}: the same mutant as in '
                                f'{entries[entry.key].where}')
            entries[entry.key] = entry
            block = []
    return entries


def _parse_block(path, block):
    where = f'{path}:{block[0][0]}'
    head = re.fullmatch(r'(\S+): (\w+|\*)', block[0][1])
    if not head:
        raise ListError(f'{where}: "{block[0][1]}" is not "file: function"')
    lines = [line for _, line in block[1:] if line[0] in '-+']
    reason = ' '.join(line.strip() for _, line in block[1:]
                      if line[0] not in '-+')
    if not lines and head[2] != WHOLE_FILE:
        raise ListError(f'{where}: no "-" and "+" lines: which mutant is it?')
    if lines and head[2] == WHOLE_FILE:
        raise ListError(f'{where}: "-" and "+" lines, of all of a file')
    if not re.search(r'\w', reason):
        raise ListError(f'{where}: no reason is given')
    return Entry(where, head[1], head[2], lines, reason)


def find(entries, mutant):
    """mutant: its key. Return: the Entry that it belongs to, or None."""
    return entries.get(mutant) or \
        entries.get(key(mutant[0], WHOLE_FILE, ()))


def check(entries, known, covers):
    """entries: what parse() gave; known: the keys of all mutants there are;
    covers: whether a path is of the targets that were looked at.

    Raises ListError for a mutant that does not exist and for too many.
    """
    ours = [entry for entry in entries.values() if covers(entry.path)]
    files = {entry.path: 0 for entry in ours if entry.is_file}
    for mutant in known if files else ():
        if mutant[0] in files:
            files[mutant[0]] += 1
    for entry in ours:
        if not files.get(entry.path) if entry.is_file else \
                entry.key not in known:
            raise ListError(
                f'{entry.where}: there is no such mutant of {entry.key[0]}: '
                f'{entry.key[1]} now: {" ".join(entry.key[2])}')
    count = sum(files.values()) + sum(entry.path not in files
                                      for entry in ours)
    if 100 * count > MOST_PERCENT * len(known):
        raise ListError(f'{count} of {len(known)} mutants are called '
                        f'equivalent; {MOST_PERCENT} % may be')
