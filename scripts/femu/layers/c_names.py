# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads what a C file of ours defines for others and what it uses.

A textual parse, which needs no build. It relies on what all our sources have:
braces that balance, and no two meanings of a name that others may use. Of a
conditional all branches are read. A name counts as used where it can run or be
pointed at: in a function, an initialiser, or a macro's text; not in a
prototype, a comment, a string, or behind "." or "->". Knows nothing of which
files there are.
"""

import bisect
import re

BLANKED = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|'
                     r'//[^\n]*|/\*.*?\*/', re.S)
DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', re.M)
DEFINE = re.compile(r'\s*#\s*define\s+\w+(\([^)]*\))?')
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')
MACRO_CALL = re.compile(r'\b[A-Z][A-Z0-9_]*\s*\([^()]*\)')
ATTRIBUTE = re.compile(r'__attribute__\s*\(\([^;{]*?\)\)')
NAME = re.compile(r'(\.|->)?\s*\b([A-Za-z_]\w*)')
OBJECT = re.compile(r'(\w+)\s*(\[[^\]]*\]\s*)*'
                    r'(\)\s*\([^()]*\)\s*)?$')  # ... or a pointer to functions
TYPE_ONLY = re.compile(r'\s*(typedef|extern|(struct|union|enum)\s+\w+\s*$|'
                       r'(struct|union|enum)\b[^=]*\}\s*$)')


class ParseError(Exception):
    """The file is not what this module can read; args: line, what is wrong."""


def blank(text, pattern):
    """Return: text with what matches as blanks, so that lines stay."""
    return pattern.sub(lambda m: re.sub(r'[^\n]', ' ', m.group()), text)


class CFile:
    """What one file has: `includes` and `uses` as [(line, name)], `defines`
    {name: line} for other files, `local` the names of its static things."""

    def __init__(self, text, is_header=False):
        self._is_header = is_header
        self.includes = []
        self.uses = []
        self.defines = {}
        self.local = set()
        self._ends = [m.start() for m in re.finditer('\n', text)]
        for match in DIRECTIVE.finditer(blank(text, re.compile(
                r'//[^\n]*|/\*.*?\*/', re.S))):
            found = INCLUDE.match(match.group())
            if found:
                self.includes.append((self._line(match.start()),
                                      found.group(1)))
        code = blank(text, BLANKED)
        for match in DIRECTIVE.finditer(code):
            found = DEFINE.match(match.group())
            if found:
                self._use(match.group()[found.end():],
                          match.start() + found.end())
        code = blank(code, DIRECTIVE)
        for start, end in self._items(code):
            self._item(code[start:end], start)

    def _line(self, at):
        return bisect.bisect_left(self._ends, at) + 1

    def _use(self, text, at):
        self.uses.extend((self._line(at + m.start(2)), m.group(2))
                         for m in NAME.finditer(text) if not m.group(1))

    def _items(self, code):
        """Yields (start, end) of what stands at file scope: up to its ";", or
        to the "}" of a function's body."""
        depth = start = 0
        of_function = False
        for match in re.finditer(r'[{};]', code):
            if match.group() == '{':
                of_function |= depth == 0 and \
                    code[start:match.start()].rstrip().endswith(')')
                depth += 1
                continue
            depth -= match.group() == '}'
            if depth < 0:
                raise ParseError(self._line(match.start()), 'a "}" too many')
            if depth == 0 and (match.group() == ';' or of_function):
                yield start, match.end()
                start, of_function = match.end(), False
        if depth:
            raise ParseError(self._line(len(code)), 'a "}" is missing')
        if code[start:].strip():
            yield start, len(code)

    def _define(self, head, name, at):
        if not self._is_header and re.search(r'\bstatic\b', head):
            self.local.add(name)
        else:
            self.defines[name] = self._line(at)

    def _item(self, item, at):
        """One definition, declaration or macro at file scope."""
        at += len(item) - len(item.lstrip())
        item = item.strip().rstrip(';').rstrip()
        brace = item.find('{')
        head = item[:brace] if brace >= 0 else item
        assigned = self._assignment(item)
        if item.startswith('typedef'):
            return
        if brace >= 0 and head.rstrip().endswith(')'):
            head = blank(blank(head, ATTRIBUTE), MACRO_CALL)
            found = re.search(r'(\w+)\s*\(', head)
            if not found:
                raise ParseError(self._line(at), 'a function without a name')
            self._define(head, found.group(1), at + found.start(1))
            self._use(item[brace:], at + brace)
        elif assigned >= 0:
            found = OBJECT.search(item[:assigned])
            if found:
                self._define(item[:assigned], found.group(1),
                             at + found.start(1))
            self._use(item[assigned:], at + assigned)
        elif re.match(r'\w+\s*\(', item):
            self._use(item[item.index('('):], at + item.index('('))
        elif '(' not in item and not TYPE_ONLY.match(item):
            found = OBJECT.search(item)
            if found:
                self._define(item, found.group(1), at + found.start(1))

    @staticmethod
    def _assignment(item):
        """Return: where the "=" of an initialised object is, or -1."""
        depth = 0
        for at, char in enumerate(item):
            if char in '{([':
                depth += 1
            elif char in '})]':
                depth -= 1
            elif char == '=' and depth == 0:
                return at
        return -1
