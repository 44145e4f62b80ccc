# SPDX-License-Identifier: GPL-2.0-or-later
"""What the operating system refused, told with the path that it was about: a
write that fails ("No space left on device") has none of its own.

Knows nothing of what is read and written.
"""

import contextlib
import os
import sys


@contextlib.contextmanager
def at(path):
    """What the system refuses inside, and does not say where, is at PATH."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = path
        raise


def text(error):
    """Return: an error as a user wants it, "PATH: WHY" of the system's."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    if error.filename is None:
        return error.strerror
    path = os.fsdecode(error.filename) \
        if isinstance(error.filename, (str, bytes)) else str(error.filename)
    return '%s: %s' % (path, error.strerror)


def guard(label, main):
    """Calls MAIN; an error of the system's ends it with a line. That whoever
    reads our output has gone is none."""
    try:
        main()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + 13)
    except OSError as error:
        sys.exit('%s: error: %s' % (label, text(error)))
