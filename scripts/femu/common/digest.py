# SPDX-License-Identifier: GPL-2.0-or-later
"""The digest of a file.

Knows nothing of what is in it.
"""

import hashlib


def sha256(path):
    """Return: the SHA-256 of the file PATH, in hex."""
    with open(path, 'rb') as file:
        return hashlib.file_digest(file, 'sha256').hexdigest()
