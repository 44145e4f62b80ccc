# SPDX-License-Identifier: GPL-2.0-or-later
"""Results of tests in the Test Anything Protocol, on standard output.

Knows nothing of what is tested.
"""

import sys


class Tap:
    """Counts and prints results; end() exits."""

    def __init__(self):
        self.count = self.failed = 0

    def result(self, good, name, said=''):
        """One result; `said` is shown when it is not good."""
        self.count += 1
        self.failed += not good
        print(f'{"ok" if good else "not ok"} {self.count} - {name}')
        if not good:
            for line in said.splitlines() or ['(nothing was said)']:
                print(f'# {line}')
        sys.stdout.flush()

    def equal(self, got, want, name):
        self.result(got == want, name, f'got:  {got!r}\nwant: {want!r}')

    def end(self):
        print(f'1..{self.count}')
        sys.exit(self.failed != 0)
