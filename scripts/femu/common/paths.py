# SPDX-License-Identifier: GPL-2.0-or-later
"""The path of the repository that these scripts belong to.

Knows nothing of what lies in it.
"""

import os

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.realpath(
    __file__)), '..', '..', '..'))


def shown(path):
    """Return: PATH relative to the working directory if it lies below that."""
    short = os.path.relpath(path)
    return path if short.startswith('..') else short
