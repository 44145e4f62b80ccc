# SPDX-License-Identifier: GPL-2.0-or-later
"""How many processors this process may run on. Of a job of Slurm, or of a
container with some of a machine's, these are fewer than there are.

Knows nothing of what runs on them.
"""

import os


def count():
    """Return: their number, 1 at least."""
    return len(os.sched_getaffinity(0))
