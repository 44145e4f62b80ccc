# SPDX-License-Identifier: GPL-2.0-or-later
"""A script's head, which says what it does and takes, for --help.

Knows nothing of what it says.
"""

import sys


def answer():
    """Ends the program with its script's head if that is what it is asked for."""
    if sys.argv[1:] in (['-h'], ['--help']):
        print(sys.modules['__main__'].__doc__.strip())
        sys.exit(0)
