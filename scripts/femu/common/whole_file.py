# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a file as a whole or not at all: on a full disk, or when the program is
killed, what was there before is there still.

Knows nothing of what is in it.
"""

import contextlib
import os
import uuid


@contextlib.contextmanager
def replacing(path):
    """Gives a text file to write to, which becomes PATH at the end. A device or a
    pipe is written to itself: it must stay what it is."""
    place = os.path.realpath(path)
    is_special = os.path.exists(place) and not os.path.isfile(place)
    # Its own name: two processes may be about to replace the same file.
    new = place if is_special else '%s.%s.new' % (place, uuid.uuid4().hex[:12])
    try:
        with open(new, 'w', encoding='utf-8', newline='') as file:
            yield file
        if not is_special:
            os.replace(new, place)
    except BaseException:
        if not is_special:
            with contextlib.suppress(OSError):
                os.unlink(new)
        raise
