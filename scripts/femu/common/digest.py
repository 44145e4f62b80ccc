# SPDX-License-Identifier: GPL-2.0-or-later
"""The digest of a file.

Knows nothing of what is in it, but for the name that femu-sim has in it.
"""

import hashlib
import re

SOURCES_BYTES = 128
SOURCES_MARK = b'sources of femu-sim: '
SOURCES = re.compile(b'(?s)%s.{%d}' % (
    SOURCES_MARK, SOURCES_BYTES - len(SOURCES_MARK)))


def sha256(path):
    """Return: the SHA-256 of the file PATH, in hex."""
    with open(path, 'rb') as file:
        return hashlib.file_digest(file, 'sha256').hexdigest()


def simulator_hash(path):
    """Return: the same of a femu-sim without the name of the sources that it is
    made of: each commit is another (tools/common/program.h)."""
    with open(path, 'rb') as file:
        program = file.read()
    return hashlib.sha256(SOURCES.sub(bytes(SOURCES_BYTES),
                                      program)).hexdigest()
