# SPDX-License-Identifier: GPL-2.0-or-later
"""Opens what a user names to be read, without waiting for anybody: a FIFO that
nobody writes to is empty.

Knows nothing of what is in it.
"""

import os


def opener(path, flags):
    """The `opener` of open()."""
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)
    return descriptor
