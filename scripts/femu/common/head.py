# SPDX-License-Identifier: GPL-2.0-or-later
"""A script's head, which says what it does and takes, for --help.

Knows nothing of what it says.
"""

import os
import sys


def answer(word=''):
    """Ends the program with its script's head if that is what it is asked for;
    and with an error if it has arguments other than WORD, alone. WORD is None if
    the script looks at them itself."""
    words = sys.argv[1:]
    if words in (['-h'], ['--help']):
        print(sys.modules['__main__'].__doc__.strip())
        sys.exit(0)
    if word is None or words in ([], [word]):
        return
    wrong = words[words[0] == word]
    sys.exit('%s: error: %s: takes %s; --help tells what it reads' % (
        os.path.basename(sys.argv[0]), wrong,
        word + ', and no other argument' if word else 'no arguments'))
