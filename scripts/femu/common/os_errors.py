# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors of the operating system, with the path that they are about. Python
names none when a write fails ("No space left on device").

Knows nothing of what is read and written.
"""

import contextlib
import errno
import os
import sys

from femu.common import head

# Of two files that an error is about, the one that was read has none of these.
OF_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextlib.contextmanager
def at(path):
    """Gives PATH to an OSError from inside that names no path itself."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = path
        raise


def text(error):
    """Return: an error as a message for the user: "PATH: REASON"."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    if error.filename is None:
        return error.strerror
    path = error.filename
    if error.filename2 is not None and error.errno in OF_WRITING:
        path = error.filename2
    path = os.fsdecode(path) if isinstance(path, (str, bytes)) else str(path)
    if isinstance(error, FileExistsError) and not os.path.isdir(path):
        return '%s: is there, and no folder; name another one' % path
    return '%s: %s' % (path, error.strerror)


def guard(label, main, word=''):
    """Answers --help, refuses arguments (WORD: see head.answer()), or calls MAIN.
    An OSError, or Ctrl-C, ends the program with a message of one line. If the
    reader of our output has closed it, the program ends without a message."""
    try:
        head.answer(word)
        main()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + 13)
    except KeyboardInterrupt:
        sys.exit('%s: interrupted' % label)
    except OSError as error:
        sys.exit('%s: error: %s' % (label, text(error)))
