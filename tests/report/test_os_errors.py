# SPDX-License-Identifier: GPL-2.0-or-later
"""How a script ends that is interrupted, or that a file is wrong for: with one
line, and not with status 0.

Knows nothing of what scripts do.
"""

import unittest

from femu.common import os_errors


def ended(error):
    """Return: how a script ends whose main() raises ERROR."""
    def main():
        raise error
    try:
        os_errors.guard('name', main, None)
    except SystemExit as end:
        return end.code
    return None


class OsErrorsTest(unittest.TestCase):
    """os_errors.guard()"""

    def test_ends(self):
        """A text as the code of SystemExit is printed, with status 1."""
        self.assertEqual(ended(KeyboardInterrupt()), 'name: interrupted')
        self.assertEqual(ended(OSError(28, 'No space left', 'a/b')),
                         'name: error: a/b: No space left')
        full = OSError(28, 'No space left', 'from', None, 'to')
        self.assertEqual(ended(full),
                         'name: error: to: No space left')
        self.assertEqual(ended(OSError(2, 'No such file', 'from', None, 'to')),
                         'name: error: from: No such file')
        self.assertEqual(ended(FileExistsError(17, 'File exists', __file__)),
                         'name: error: %s: is there, and no folder; name '
                         'another one' % __file__)


if __name__ == '__main__':
    unittest.main()
