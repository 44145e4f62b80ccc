# SPDX-License-Identifier: GPL-2.0-or-later
"""Members of C structs, and which of them a description mentions.

clang's parser says what is a member. Knows nothing of what members mean.
"""

import re
import subprocess

from clang import cindex
from clang.cindex import TypeKind

# Structs whose members need no rows of their own: Owner is saved as one number
# (STATE_OWNER, STATE_IS_OWNER), SsdParams as text by SSD_PARAMS.
WHOLE = {'Owner', 'SsdParams'}
MENTION = re.compile(r'\b(STATE_[A-Z_]+)\(\s*(\w+),\s*([\w.]+)')
LEFT = 'STATE_LEFT'


def mentions(texts):
    """Return: {(struct, path of members): macro}."""
    found = {}
    for text in texts:
        for macro, struct, path in MENTION.findall(text):
            found.setdefault((struct, path), macro)
    return found


def compiler_arguments():
    flags = subprocess.run(['pkg-config', '--cflags', 'glib-2.0'], check=True,
                           stdout=subprocess.PIPE, text=True)
    where = subprocess.run(['clang', '-print-resource-dir'], check=True,
                           stdout=subprocess.PIPE, text=True)
    return ['-std=gnu11', *flags.stdout.split(), '-resource-dir',
            where.stdout.strip()]


def structs(path, unsaved, folder):
    """path: a source; unsaved: {path: text} of files that are to be other than
    they are. Of headers and sources below this folder only.

    Return: {name: {member: the type that it is, has or points to}}.
    """
    unit = cindex.Index.create().parse(path, args=compiler_arguments(),
                                       unsaved_files=list(unsaved.items()))
    errors = [d for d in unit.diagnostics
              if d.severity >= cindex.Diagnostic.Error]
    if errors:
        raise ValueError(f'{path} does not parse: {errors[0]}')
    found = {}
    for cursor in unit.cursor.get_children():
        if cursor.kind == cindex.CursorKind.STRUCT_DECL and \
                cursor.is_definition() and folder in str(
                    cursor.location.file):
            found[cursor.spelling] = {
                field.spelling: name_of(field.type)
                for field in cursor.type.get_fields()}
    return found


def name_of(kind):
    """Return: the name of a struct behind pointers, arrays and names."""
    kind = kind.get_canonical()
    while True:
        if kind.kind == TypeKind.POINTER:
            kind = kind.get_pointee().get_canonical()
        elif kind.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
            kind = kind.element_type.get_canonical()
        else:
            return kind.get_declaration().spelling


class Walk:
    """Goes through the members of structs. missing: ['struct.member'], those
    that no row mentions."""

    def __init__(self, found, mentioned):
        self.structs = found
        self.mentioned = mentioned
        self.seen = set()
        self.members = 0
        self.missing = []

    def struct(self, name):
        if name in self.seen or name in WHOLE or name not in self.structs:
            return
        self.seen.add(name)
        for member, kind in self.structs[name].items():
            self.member(name, member, name, member, kind)

    def member(self, top, path, struct, member, kind):
        """Member `member` of `struct`, which is `path` of struct `top`."""
        macro = self.mentioned.get((top, path)) or \
            self.mentioned.get((struct, member))
        self.members += 1
        if macro:
            if macro != LEFT:
                self.struct(kind)
        elif any(t == top and p.startswith(path + '.')
                 for t, p in self.mentioned):
            for inner, inner_kind in self.structs[kind].items():
                self.member(top, f'{path}.{inner}', kind, inner, inner_kind)
        else:
            self.missing.append(f'{top}.{path}')
