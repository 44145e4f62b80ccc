# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds every small change of a C program's functions that a test should see.

clang's parser says what is an expression, a condition, a statement; the change
itself is one of text, so that what is written is what is compiled. The rules
are in tests/mutants/README.md. Knows nothing of tests and of builds.
"""

import bisect
import collections
import ctypes
import re
import subprocess

from clang import cindex
from clang.cindex import CursorKind as Kind

# A change of text: bytes [begin, end) of a file become `text`. `kind` says how
# it can be chosen at run time: 'value' (an expression), 'test' (an expression
# of which only whether it is 0 counts), 'drop' (a statement that is left out).
# `differs`: an expression without side effects, true if the change makes a
# difference at this moment; '' where it always does, or where no such
# expression is safe to evaluate.
Mutant = collections.namedtuple(
    'Mutant', 'path function line begin end kind text differs',
    defaults=('',))

SWAPS = {
    '<': ['<='], '<=': ['<'], '>': ['>='], '>=': ['>'],
    '==': ['!='], '!=': ['=='],
    '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['/'],
    '<<': ['>>'], '>>': ['<<'], '&': ['|'], '|': ['&'], '^': ['|'],
    '&&': ['||'], '||': ['&&'],
    '+=': ['-='], '-=': ['+='], '*=': ['/='], '/=': ['*='], '%=': ['/='],
    '<<=': ['>>='], '>>=': ['<<='], '&=': ['|='], '|=': ['&='],
    '^=': ['|='],
}
# Operators whose swap has another precedence: the result needs parentheses.
BINDS_OTHERWISE = ('&', '|', '^', '&&', '||')
LITERAL = re.compile(r'(0[xX][0-9a-fA-F]+|[0-9]+)([uUlL]*)')
BOOLEAN = {'true': 'false', 'false': 'true', 'TRUE': 'FALSE', 'FALSE': 'TRUE'}
# The text in front of the number of elements in an allocation, or of what is
# added to it.
ALLOCATION = re.compile(rb'\bg_(?:new0?|malloc0?_n)\s*\([^(),;]*,\s*'
                        rb'(?:[^(),;]*\+\s*)?$')
# The text in front of an array's flags: ends with 0, begins as 0.
ARRAY_FLAG = re.compile(rb'\bg_(?:ptr_)?array_(?:sized_)?new\s*\('
                        rb'(?:\w+,\s*)?$')
COMMENT = re.compile(rb'/\*.*?\*/|//[^\n]*', re.S)
CALL = re.compile(r'(\w+)\s*\(.*\)', re.S)
# Calls that are never changed: assertions and tracing.
UNTOUCHED = re.compile(r'(g_assert\w*|assert|static_assert|_Static_assert|'
                       r'QEMU_BUILD_BUG_\w+|trace_femu_\w+)$')
LOOPS = (Kind.WHILE_STMT, Kind.DO_STMT, Kind.FOR_STMT)
DECLARES_TYPE = (Kind.STRUCT_DECL, Kind.UNION_DECL, Kind.ENUM_DECL,
                 Kind.TYPEDEF_DECL)
# Expressions without side effects.
PURE = (Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR, Kind.ARRAY_SUBSCRIPT_EXPR,
        Kind.INTEGER_LITERAL, Kind.CHARACTER_LITERAL, Kind.PAREN_EXPR,
        Kind.BINARY_OPERATOR, Kind.UNARY_OPERATOR, Kind.CONDITIONAL_OPERATOR,
        Kind.CSTYLE_CAST_EXPR, Kind.UNEXPOSED_EXPR, Kind.CXX_UNARY_EXPR,
        Kind.TYPE_REF)
ASSIGNS = re.compile(r'\+\+|--|(?<![=!<>])=(?!=)|<<=|>>=')
NUMBERS = (cindex.TypeKind.BOOL, cindex.TypeKind.POINTER, cindex.TypeKind.ENUM,
           cindex.TypeKind.UINT, cindex.TypeKind.INT, cindex.TypeKind.ULONG,
           cindex.TypeKind.LONG, cindex.TypeKind.UCHAR, cindex.TypeKind.USHORT,
           cindex.TypeKind.ULONGLONG, cindex.TypeKind.LONGLONG)
DROPPED = (Kind.CALL_EXPR, Kind.BREAK_STMT, Kind.CONTINUE_STMT,
           Kind.COMPOUND_ASSIGNMENT_OPERATOR, Kind.RETURN_STMT)


def file_offset(location):
    """Return: (file name, byte) of a place in a source. What is in a macro's
    argument is where it is written; what is in a macro's definition is where
    the macro is called.
    """
    function = cindex.conf.lib.clang_getFileLocation
    file, line, column, offset = (cindex.c_object_p(), ctypes.c_uint(),
                                  ctypes.c_uint(), ctypes.c_uint())
    function.restype = None
    function(location, ctypes.byref(file), ctypes.byref(line),
             ctypes.byref(column), ctypes.byref(offset))
    name = cindex.File(file).name if file else None
    return name, offset.value


class Source:
    """One file's bytes, and what was found in it."""

    def __init__(self, path, data):
        self.path = path
        self.data = data
        self.found = {}         # {(begin, end, kind, text): Mutant}
        self._starts = [0] + [m.end() for m in re.finditer(rb'\n', data)]

    def line_of(self, offset):
        """Return: the number of the line, from 1."""
        return bisect.bisect_right(self._starts, offset)

    def text(self, begin, end):
        """Return: the text between two bytes."""
        return self.data[begin:end].decode('utf-8')


class Walker:
    """Walks the functions of one translation unit."""

    def __init__(self, sources):
        self.sources = sources  # {name that the compiler uses: Source}
        self.source = None      # the file of the function that is walked
        self.function = None
        self.negated = set()    # places of conditions

    def unit(self, cursor):
        """Walk the functions that a translation unit defines in SOURCES."""
        for child in cursor.get_children():
            if child.kind != Kind.FUNCTION_DECL or not child.is_definition():
                continue
            source = self.sources.get(file_offset(child.extent.start)[0])
            if source:
                self.source, self.function = source, child.spelling
                self.negated.clear()
                for part in child.get_children():
                    if part.kind == Kind.COMPOUND_STMT:
                        self.block(part, outermost=True)

    def place(self, cursor):
        """Return: (begin, end) in the file, or None if the compiler got the
        node's text from a macro's definition or from elsewhere."""
        first, begin = file_offset(cursor.extent.start)
        last, end = file_offset(cursor.extent.end)
        if first != last or self.sources.get(first) is not self.source or \
                begin >= end:
            return None
        return begin, end

    def add(self, place, kind, text, differs=''):
        """Add a mutant to those found."""
        mutant = Mutant(self.source.path, self.function,
                        self.source.line_of(place[0]), *place, kind, text,
                        ' '.join(differs.split('\n')))
        self.source.found.setdefault((*place, kind, text), mutant)

    def text(self, place):
        """Return: the source's text at a place."""
        return self.source.text(*place)

    # --- Statements -----------------------------------------------------------

    def block(self, cursor, outermost=False):
        """A compound statement: each of its statements may be left out."""
        children = list(cursor.get_children())
        place = self.place(cursor)
        is_written = place and self.text(place).startswith('{')
        for child in children:
            last_return = outermost and child is children[-1] and \
                child.kind == Kind.RETURN_STMT
            if is_written and not last_return:
                self.drop(child)
            self.node(child)

    def drop(self, cursor):
        """A statement that could be left out."""
        place = self.place(cursor)
        if not place:
            return
        text = self.text(place)
        called = CALL.fullmatch(text)
        is_step = cursor.kind == Kind.UNARY_OPERATOR and \
            (text.startswith(('++', '--')) or text.endswith(('++', '--')))
        is_assignment = cursor.kind == Kind.BINARY_OPERATOR and \
            self.operator(cursor.get_children())[0] == '='
        if called and UNTOUCHED.match(called[1]):
            return
        if not (called or is_step or is_assignment or cursor.kind in DROPPED):
            return
        rest = self.source.data[place[1]:place[1] + 40].decode('utf-8',
                                                               'replace')
        blanks = re.match(r'\s*;', rest)
        if not blanks:
            return
        differs = ''
        if is_assignment and cursor.type.get_canonical().kind in NUMBERS:
            left, right = cursor.get_children()
            if self.is_pure(left) and self.is_pure(right):
                differs = f'({self.of(left)}) != ({self.of(right)})'
        self.add((place[0], place[1] + blanks.end()), 'drop', ';', differs)

    # --- Whether a change makes a difference ----------------------------------

    def of(self, cursor):
        """Return: the text of a node that lies in the file."""
        return self.text(self.place(cursor))

    def is_pure(self, cursor):
        """Return: whether evaluating a node has no side effects: it has no call
        and no assignment."""
        place = self.place(cursor)
        return place is not None and not ASSIGNS.search(self.text(place)) and \
            all(node.kind in PURE for node in cursor.walk_preorder())

    def swapped_differs(self, cursor, place, other, text):
        """Return: an expression for whether another operator gives another
        value; '' where it could not be evaluated safely, as the right side of
        && may need the left one to be true, and a divisor may be 0."""
        if other in ('/', '%', '&&', '||', '!=', '==') or \
                not self.is_pure(cursor):
            return ''
        return f'({text}) != ({self.text(place)})'

    # --- Expressions ----------------------------------------------------------

    def node(self, cursor):
        """Find the changes in any node, and in the nodes below it."""
        kind = cursor.kind
        if kind in DECLARES_TYPE or kind == Kind.CXX_UNARY_EXPR:
            return              # sizeof and the like: no code
        place = self.place(cursor)
        if place:
            called = re.match(r'\w+', self.text(place))
            if called and UNTOUCHED.match(called[0]):
                return
        children = list(cursor.get_children())
        if kind == Kind.COMPOUND_STMT:
            self.block(cursor)
            return
        if kind == Kind.VAR_DECL:
            children = self.initialiser(cursor, children)
        elif kind == Kind.CASE_STMT:
            children = children[1:]
            for child in children:
                self.drop(child)
        elif kind == Kind.DEFAULT_STMT:
            for child in children:
                self.drop(child)
        elif kind == Kind.IF_STMT:
            if place and self.text(place).startswith('if'):
                self.condition(children[0], is_guard=True)
        elif kind == Kind.CONDITIONAL_OPERATOR:
            if self.operator(children[:2])[0] == '?':
                self.condition(children[0], is_guard=False)
        elif kind in LOOPS:
            self.loop(cursor, children)
        elif kind == Kind.BINARY_OPERATOR:
            self.binary(cursor, place)
        elif kind == Kind.COMPOUND_ASSIGNMENT_OPERATOR:
            self.swap(cursor, place)
        elif kind == Kind.UNARY_OPERATOR:
            self.unary(place)
        elif kind == Kind.INTEGER_LITERAL or place and \
                self.text(place) in BOOLEAN:
            self.literal(place)
            return
        for child in children:
            self.node(child)

    def initialiser(self, cursor, children):
        """Return: what of a variable's declaration is computed at run time."""
        if cursor.storage_class == cindex.StorageClass.STATIC:
            return []
        if cursor.type.kind in (cindex.TypeKind.CONSTANTARRAY,
                                cindex.TypeKind.INCOMPLETEARRAY):
            return [c for c in children if c.kind == Kind.INIT_LIST_EXPR]
        return children

    def loop(self, cursor, children):
        """Find the changes of a loop's condition; the text tells which child it
        is."""
        place = self.place(cursor)
        if not place or not children:
            return
        word = re.match(r'\w+', self.text(place))
        if not word or word[0] not in ('for', 'while', 'do'):
            return
        if word[0] == 'while':
            self.condition(children[0], is_guard=False)
        elif word[0] == 'do':
            self.condition(children[-1], is_guard=False)
        else:
            for child in children[:-1]:
                where = self.place(child)
                if where and self.source.data[where[1]:].lstrip()[:1] == b';' \
                        and b';' in self.source.data[place[0]:where[0]]:
                    self.condition(child, is_guard=False)

    def condition(self, cursor, is_guard):
        """Negate a condition; a guard's is also replaced by 0."""
        place = self.place(cursor)
        if not place or self.text(place) in BOOLEAN:
            return
        text = self.text(place)
        self.add(place, 'test', f'!({text})')
        if is_guard:
            self.add(place, 'test', '0',
                     text if self.is_pure(cursor) else '')
        self.negated.add(place)
        while cursor.kind == Kind.PAREN_EXPR:
            cursor = next(cursor.get_children())
            self.negated.add(self.place(cursor))

    def operator(self, operands):
        """Return: (text between two nodes, their places), comments left out;
        ('', None) where the file has no such text."""
        places = [self.place(operand) for operand in operands]
        if len(places) != 2 or not all(places) or \
                places[0][1] > places[1][0]:
            return '', None
        between = self.source.data[places[0][1]:places[1][0]]
        return COMMENT.sub(b'', between).decode('utf-8').strip(), places

    def swap(self, cursor, place):
        """Replace an operator by another. Of a whole condition, != for == is
        left out: it is the negation, which is there already."""
        operator, places = self.operator(cursor.get_children())
        if not place or operator not in SWAPS or \
                operator in ('==', '!=') and place in self.negated:
            return
        left, right = (self.text(operand) for operand in places)
        between = self.text((places[0][1], places[1][0]))
        for other in SWAPS[operator]:
            if between.count(operator) == 1:
                text = left + between.replace(operator, other) + right
            else:
                text = left + f' {other} ' + '\n' * between.count('\n') + right
            if operator in BINDS_OTHERWISE and not self.in_parentheses(place):
                text = f'({text})'
            self.add(place, 'value', text,
                     self.swapped_differs(cursor, place, other, text))

    def in_parentheses(self, place):
        """Return: whether a place is directly inside parentheses."""
        data = self.source.data
        return data[:place[0]].endswith(b'(') and \
            data[place[1]:place[1] + 1] == b')'

    def binary(self, cursor, place):
        """Swap a binary operator; of && and ||, also drop either operand."""
        self.swap(cursor, place)
        operator, places = self.operator(cursor.get_children())
        if place and operator in ('&&', '||'):
            left = self.text(places[0])
            differs = f'!({left}) != !({self.text(place)})' \
                if self.is_pure(cursor) else ''
            self.add(place, 'test', left, differs)
            self.add(place, 'test', self.text(places[1]))

    def unary(self, place):
        """Swap ++ and --; drop a !, ~ or -."""
        if not place:
            return
        text = self.text(place)
        for step, other in (('++', '--'), ('--', '++')):
            if text.startswith(step):
                self.add(place, 'value', other + text[2:])
                return
            if text.endswith(step):
                self.add(place, 'value', text[:-2] + other)
                return
        if text[0] == '!' and place not in self.negated:
            self.add(place, 'test', text[1:].strip())
        elif text[0] in '~-':
            self.add(place, 'value', text[1:].strip())

    def literal(self, place):
        """Change a number by one up and down, and swap true and false."""
        if not place:
            return
        text = self.text(place)
        if text in BOOLEAN:
            if not ARRAY_FLAG.search(self.source.data[:place[0]]):
                self.add(place, 'value', BOOLEAN[text])
            return
        match = LITERAL.fullmatch(text)
        if not match:
            return
        value, suffix = int(match[1], 0 if 'x' in text.lower() else 10), \
            match[2]
        is_room = ALLOCATION.search(self.source.data[:place[0]])
        for other in (value - 1,) if is_room else (value + 1, value - 1):
            if other >= 0:
                self.add(place, 'value', f'{other}{suffix}')


def resource_arguments():
    """Return: the compiler's arguments that name clang's own headers."""
    found = subprocess.run(['clang', '-print-resource-dir'], check=True,
                           stdout=subprocess.PIPE, text=True)
    return ['-resource-dir', found.stdout.strip()]


def find(commands, sources):
    """commands: [(source name, arguments)] of the compiler; sources:
    {name that the compiler uses: Source}, the only files that are looked at.

    Return: the mutants, by file and place. Raises ValueError or
    cindex.TranslationUnitLoadError if a file does not parse.
    """
    index = cindex.Index.create()
    extra = resource_arguments()
    for name, arguments in commands:
        unit = index.parse(None, args=[*arguments, *extra])
        errors = [d for d in unit.diagnostics
                  if d.severity >= cindex.Diagnostic.Error]
        if errors:
            raise ValueError(f'{name} does not parse: {errors[0]}')
        Walker(sources).unit(unit.cursor)
    mutants = [mutant for source in dict.fromkeys(sources.values())
               for mutant in source.found.values()]
    mutants.sort(key=lambda m: (m.path, m.begin, m.end, m.kind, m.text))
    return mutants
