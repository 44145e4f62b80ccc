# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads JSON files whose shape cannot be trusted: whatever is missing or of
the wrong kind becomes a DataError that names the member and its value.

Knows nothing of what the members mean.
"""

import json

SHOWN_VALUE_LENGTH = 40


class DataError(Exception):
    """A file that is missing, or does not hold what it should."""


class Node:
    """A JSON value that knows where in its file it lies."""

    def __init__(self, value, where=''):
        self._value = value
        self.where = where

    def _fail(self, expected):
        shown = json.dumps(self._value)
        if len(shown) > SHOWN_VALUE_LENGTH:
            shown = shown[:SHOWN_VALUE_LENGTH] + '...'
        raise DataError('%s is %s, %s was expected'
                        % (self.where or 'the file', shown, expected))

    def _child(self, key, value):
        return Node(value, '%s.%s' % (self.where, key) if self.where
                    else str(key))

    def __getitem__(self, key):
        found = self.get(key)
        if found is None:
            raise DataError('%s has no member "%s"'
                            % (self.where or 'the file', key))
        return found

    def get(self, key):
        """Return: the member KEY, or None if there is none (or null)."""
        if not isinstance(self._value, dict):
            self._fail('an object')
        value = self._value.get(key)
        return None if value is None else self._child(key, value)

    def members(self):
        """Return: [(name, Node)] of an object, in the file's order."""
        if not isinstance(self._value, dict):
            self._fail('an object')
        return [(key, self._child(key, value))
                for key, value in self._value.items()]

    def items(self):
        """Return: [Node] of an array."""
        if not isinstance(self._value, list):
            self._fail('an array')
        return [Node(value, '%s[%d]' % (self.where, idx))
                for idx, value in enumerate(self._value)]

    def integer(self, minimum=0):
        """Return: a whole number, at least MINIMUM and below 2^63, as all that
        the drive counts."""
        if (isinstance(self._value, bool) or not isinstance(self._value, int)
                or not minimum <= self._value < 1 << 63):
            self._fail('a whole number of at least %d' % minimum)
        return self._value

    def number(self):
        """Return: a number that is not negative."""
        if (isinstance(self._value, bool)
                or not isinstance(self._value, (int, float))
                or not 0 <= self._value < float('inf')):
            self._fail('a number of at least 0')
        return self._value

    def text(self):
        """Return: a string."""
        if not isinstance(self._value, str):
            self._fail('a text')
        return self._value

    def shown(self):
        """Return: the value as a reader would write it."""
        if isinstance(self._value, str):
            return self._value
        return json.dumps(self._value)


def value_of(path):
    """Return: what the JSON file PATH holds. Lines before the first that starts
    with "{" are skipped: fio writes its remarks there."""
    try:
        with open(path, encoding='utf-8') as file:
            content = file.read()
    except FileNotFoundError:
        raise DataError('missing') from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError('cannot be read: %s' % error) from None
    start = 0 if content.startswith('{') else content.find('\n{') + 1
    if not content.startswith('{', start):
        raise DataError('holds no JSON object' if content.strip()
                        else 'empty')
    try:
        value, _ = json.JSONDecoder().raw_decode(content, start)
    except json.JSONDecodeError as error:
        raise DataError('damaged, or cut short, at line %d column %d'
                        % (error.lineno, error.colno)) from None
    except (RecursionError, ValueError) as error:
        raise DataError('damaged: %s' % error) from None
    return value


def read(path):
    """Return: the Node of the JSON file PATH."""
    return Node(value_of(path))
