# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the repository is that these scripts are of.

Knows nothing of what lies in it.
"""

import os

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.realpath(
    __file__)), '..', '..', '..'))


def shown(path):
    """Return: PATH as who reads our output types it."""
    short = os.path.relpath(path)
    return path if short.startswith('..') else short
