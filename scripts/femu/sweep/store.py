# SPDX-License-Identifier: GPL-2.0-or-later
"""Stores the results of points, each under its key. A result is stored as a
whole or not at all, and is never changed: one whose rows do not have its digest
is as if it were not there. If a point failed, the reason is stored until it is
run again.

  STORE/KEY/result.json   the rows, their digest, and the inputs that the key
                          stands for
  STORE/KEY/run/          of a guest, all that the run left
  STORE/KEY.failed        why there is none

Knows nothing of plans, and of how a point is run.
"""

import json
import os
import shutil
import uuid

from femu.results import rows as rows_module

# Of a reason that was begun, and not one byte of it could be written.
NO_ROOM = 'why could not be written: is there room in %s?'


class Store:
    """The folder FOLDER of results."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self._whole = set()     # keys whose results were read and found whole

    def path(self, key):
        """Return: where the result of KEY is, if there is one."""
        return os.path.join(self.folder, key, 'result.json')

    def has(self, key):
        """Return: whether there is a result of KEY."""
        if key not in self._whole:
            try:
                self.rows(key)
            except (OSError, ValueError, KeyError, TypeError):
                return False
            self._whole.add(key)
        return True

    def rows(self, key):
        """Return: the rows of KEY's result. Raises OSError, KeyError, TypeError
        or ValueError if there is none, or it is damaged."""
        path = self.path(key)
        with open(path, encoding='utf-8') as file:
            made = json.load(file)
        if rows_module.digest(made['rows']) != made['digest']:
            raise ValueError('%s: its rows do not have its digest' % path)
        return made['rows']

    def forget_damaged(self, key):
        """Removes what is there of KEY if it is no result, as it is about to be
        run again. Return: whether there was anything."""
        place = os.path.join(self.folder, key)
        if self.has(key) or not os.path.isdir(place):
            return False
        shutil.rmtree(place)
        return True

    def _failure_path(self, key):
        return os.path.join(self.folder, key + '.failed')

    def failure(self, key):
        """Return: why KEY has no result, or None if no reason is stored."""
        try:
            with open(self._failure_path(key), encoding='utf-8') as file:
                return file.read().strip() or NO_ROOM % self.folder
        except FileNotFoundError:
            return None

    def forget_failure(self, key):
        """Removes the reason, as KEY is about to be run again."""
        if os.path.exists(self._failure_path(key)):
            os.unlink(self._failure_path(key))

    def fail(self, key, why):
        """Stores WHY as the reason why KEY has no result."""
        os.makedirs(self.folder, exist_ok=True)
        with open(self._failure_path(key), 'w', encoding='utf-8') as file:
            file.write(why + '\n')

    def begin(self, key):
        """Return: an empty folder in which a result of KEY can be made; each
        process has one of its own."""
        # Processes of other machines, and of containers, have the same numbers.
        folder = os.path.join(self.folder, '%s.%s' % (key, uuid.uuid4().hex))
        os.makedirs(folder)
        return folder

    def keep(self, key, folder, rows, about):
        """Stores FOLDER, with ROWS and what else there is ABOUT them, as the
        result of KEY."""
        with open(os.path.join(folder, 'result.json'), 'w',
                  encoding='utf-8') as file:
            json.dump({**about, 'digest': rows_module.digest(rows),
                       'rows': rows}, file, indent=1)
            file.write('\n')
        # What is there of it, but is no result, would be in the way.
        self.forget_damaged(key)
        try:
            os.rename(folder, os.path.join(self.folder, key))
        except OSError:
            if not self.has(key):
                raise
            shutil.rmtree(folder)       # another process has stored it first

    def drop(self, folder):
        """Removes FOLDER, in which no result was made."""
        shutil.rmtree(folder, ignore_errors=True)
